//! What one rank says about its KV memory. Stated by whoever registers the memory, never inferred from a tensor's
//! shape: a shape does not say what is in memory.

mod entry;
mod parallel;
mod plane;
mod validate;

pub use entry::{Device, Entry, EntryKey, MemoryKind, PageFormat, RegionId, Sharding};
pub use parallel::{Parallel, RankCoord};
pub use plane::{DimAxis, Dtype, HeadAxis, Plane, PlaneKind};
pub use validate::LayoutError;

use serde::{Deserialize, Serialize};

/// The memory of one rank: its entries, and the index spaces through which their pages are addressed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CacheLayout {
    /// Fingerprint of model and revision; two peers with different fingerprints never exchange a cache.
    pub model: String,
    pub parallel: Parallel,
    pub rank: RankCoord,
    pub spaces: Vec<IndexSpace>,
    pub entries: Vec<Entry>,
    /// Most bytes an aux record (first token, logprobs, …) may have; 0 = this rank takes none.
    pub aux_capacity: u32,
}

/// A numbering of pages. Each entry is addressed through exactly one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexSpace {
    /// `main`, `host`, `logical`, …
    pub name: String,
    /// Sequence tokens per page id: `P·N` under DCP of size N, where a sharded entry holds `P` of those rows.
    pub page_tokens: u32,
    /// Page ids are `0..pages`.
    pub pages: u32,
}

impl CacheLayout {
    pub fn space(&self, name: &str) -> Option<(usize, &IndexSpace)> {
        self.spaces.iter().enumerate().find(|(_, s)| s.name == name)
    }

    /// The space of an entry. Layouts are validated before anything asks.
    pub fn space_of(&self, entry: &Entry) -> Option<&IndexSpace> {
        self.spaces.get(entry.space as usize)
    }

    /// Token rows that one page of `entry` holds on this rank.
    pub fn rows_per_page(&self, entry: &Entry) -> u32 {
        let tokens = self.space_of(entry).map_or(0, |s| s.page_tokens);
        match entry.sharding {
            Sharding::Sharded => tokens / self.parallel.dcp.max(1),
            Sharding::Replicated => tokens,
        }
    }
}
