//! Relayout compiled for one pair of ranks.

use super::compile::Facets;
use crate::layout::{Device, EntryKey, MemoryKind, Plane, RegionId};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// Relayout compiled for one pair of ranks. Both sides compile it from the same layouts and policies and compare
/// digests before anything moves.
#[derive(Clone, Debug)]
pub struct Template {
    pub(super) facets: Facets,
    pub(super) classes: Vec<TemplateClass>,
    /// Names and page sizes of the index spaces of either side, in layout order, for errors.
    pub(super) source_spaces: Vec<crate::layout::IndexSpace>,
    pub(super) destination_spaces: Vec<crate::layout::IndexSpace>,
    pub(super) digest: TemplateDigest,
}

impl Template {
    pub fn digest(&self) -> TemplateDigest {
        self.digest
    }

    pub fn facets(&self) -> &Facets {
        &self.facets
    }

    pub fn classes(&self) -> &[TemplateClass] {
        &self.classes
    }
}

/// Entries of one geometry: whatever extents move one pair of them, move every pair.
#[derive(Clone, Debug)]
pub struct TemplateClass {
    pub source: ClassSide,
    pub destination: ClassSide,
    /// Source and destination plane of each kind.
    pub planes: Vec<(Plane, Plane)>,
    /// Which entries these are, in the order of `pairs`: by draft, then by layer.
    pub keys: Arc<[EntryKey]>,
    pub pairs: Arc<[RegionPair]>,
}

/// What one side's entries of a class have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct ClassSide {
    /// Index space, by position in that side's layout.
    pub space: u16,
    pub sharded: bool,
    /// Token rows a page has on this rank.
    pub rows: u32,
    pub item_len: u64,
    pub memory: MemoryKind,
    pub device: Device,
}

/// A source region and the destination region that it feeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RegionPair {
    pub source: RegionId,
    pub destination: RegionId,
}

/// Equal exactly when the compiled relayouts are. SHA-256 of a canonical encoding.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TemplateDigest(pub [u8; 32]);

impl fmt::Display for TemplateDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0[..8].iter().try_for_each(|b| write!(f, "{b:02x}"))
    }
}

impl fmt::Debug for TemplateDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TemplateDigest({self})")
    }
}
