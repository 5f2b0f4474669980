//! A template applied to one chunk of one request.

use super::{Extent, PlanError, RegionPair, Template};
use std::ops::Range;
use std::sync::Arc;

/// Tokens of one request that move together, and where their pages are on both sides.
#[derive(Clone, Debug)]
pub struct Chunk<'a> {
    /// Positions in the sequence. A source that is not at its last chunk gives whole pages only.
    pub tokens: Range<u64>,
    /// Per index space of the source layout, in its order.
    pub source: &'a [SpacePages<'a>],
    /// Per index space of the destination layout, in its order.
    pub destination: &'a [SpacePages<'a>],
}

/// Consecutive pages of a request in one index space.
#[derive(Clone, Copy, Debug)]
pub struct SpacePages<'a> {
    /// Position of the first token of `pages[0]`: a multiple of the space's tokens per page.
    pub first_token: u64,
    pub pages: &'a [u32],
}

/// Extents per geometry class × the pairs of that class. Refilled in place: allocates nothing in the steady state.
#[derive(Debug)]
pub struct Plan {
    template: Option<Arc<Template>>,
    groups: Vec<GroupRange>,
    extents: Vec<Extent>,
}

#[derive(Debug)]
struct GroupRange {
    pairs: Arc<[RegionPair]>,
    extents: Range<usize>,
}

/// Every extent here applies to every pair here.
#[derive(Clone, Copy, Debug)]
pub struct Group<'a> {
    pub pairs: &'a [RegionPair],
    pub extents: &'a [Extent],
}

impl Plan {
    /// An empty plan of this template.
    pub fn new(template: Arc<Template>) -> Self {
        Self { template: Some(template), groups: Vec::new(), extents: Vec::new() }
    }

    /// A plan that comes from no template: for tests of connectors.
    pub fn from_groups(groups: impl IntoIterator<Item = (Arc<[RegionPair]>, Vec<Extent>)>) -> Self {
        let mut plan = Self { template: None, groups: Vec::new(), extents: Vec::new() };
        for (pairs, extents) in groups {
            let start = plan.extents.len();
            plan.extents.extend(extents);
            plan.groups.push(GroupRange { pairs, extents: start..plan.extents.len() });
        }
        plan
    }

    pub fn template(&self) -> Option<&Arc<Template>> {
        self.template.as_ref()
    }

    /// Replaces the plan's content by the extents of `chunk`. Everything is checked before the first extent is made.
    ///
    /// # Errors
    /// What is wrong with the chunk; the plan is empty then.
    pub fn fill(&mut self, _chunk: &Chunk<'_>) -> Result<(), PlanError> {
        Err(PlanError::Refused { policy: "planner".into(), reason: "not written yet".into() })
    }

    pub fn groups(&self) -> impl ExactSizeIterator<Item = Group<'_>> {
        self.groups.iter().map(|g| self.view(g))
    }

    /// # Panics
    /// For a group that the plan does not have.
    pub fn group(&self, index: usize) -> Group<'_> {
        self.view(&self.groups[index])
    }

    /// Payload bytes over all pairs.
    pub fn bytes(&self) -> u64 {
        self.groups().map(|g| g.pairs.len() as u64 * g.extents.iter().map(Extent::bytes).sum::<u64>()).sum()
    }

    fn view<'a>(&'a self, range: &'a GroupRange) -> Group<'a> {
        Group { pairs: &range.pairs, extents: &self.extents[range.extents.clone()] }
    }
}
