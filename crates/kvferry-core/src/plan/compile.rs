//! From two layouts and the facets that policies wrote to a [`Template`].

use super::{PlanError, Template};
use crate::draft::RankPair;
use crate::facet::{EntryMap, HeadMap, PageMap, SpaceMap, TokenMap};
use serde::Serialize;

/// The values of core's facets for one pair of ranks.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Facets {
    pub entries: EntryMap,
    pub heads: HeadMap,
    pub tokens: TokenMap,
    pub page: PageMap,
    pub space: SpaceMap,
}

/// Pairs the entries, sorts them into geometry classes, and refuses every difference that no facet covers.
///
/// # Errors
/// Why this pair of ranks cannot work.
pub fn compile(_pair: &RankPair<'_>, _facets: &Facets) -> Result<Template, PlanError> {
    Err(PlanError::Refused { policy: "planner".into(), reason: "not written yet".into() })
}
