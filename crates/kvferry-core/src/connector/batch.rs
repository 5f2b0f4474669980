//! What a connector is asked to move.

use super::window::WindowId;
use crate::plan::{Extent, Plan, RegionPair};
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

/// A peer as a connector numbers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PeerId(pub u64);

/// A point in time of this host. The host's timer enforces it; a connector uses it to give up early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Deadline(pub Instant);

/// Part of a plan, for one peer and one window. Valid until its `Done` is finished.
#[derive(Clone, Debug)]
pub struct Batch {
    pub peer: PeerId,
    pub window: WindowId,
    pub plan: Arc<Plan>,
    /// Which groups and pairs of the plan; all of one memory kind and device on either side.
    pub parts: Vec<BatchPart>,
    pub deadline: Deadline,
}

/// Some pairs of one group of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchPart {
    pub group: usize,
    pub pairs: Range<usize>,
    pub extents: Range<usize>,
}

/// Every extent here applies to every pair here.
#[derive(Clone, Copy, Debug)]
pub struct BatchGroup<'a> {
    pub pairs: &'a [RegionPair],
    pub extents: &'a [Extent],
}

impl Batch {
    pub fn groups(&self) -> impl Iterator<Item = BatchGroup<'_>> {
        self.parts.iter().map(|part| {
            let group = self.plan.group(part.group);
            BatchGroup { pairs: &group.pairs[part.pairs.clone()], extents: &group.extents[part.extents.clone()] }
        })
    }

    /// Payload bytes.
    pub fn bytes(&self) -> u64 {
        self.groups().map(|g| g.pairs.len() as u64 * g.extents.iter().map(Extent::bytes).sum::<u64>()).sum()
    }
}
