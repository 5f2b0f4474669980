//! Entries: one registered region of one layer, for all pages.

use super::{Plane, PlaneKind};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Names a registered region of a rank. Entry `k` of a layout is region `k`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RegionId(pub u32);

impl fmt::Display for RegionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "region {}", self.0)
    }
}

/// What pairs a source entry with a destination entry. There is no pairing by position anywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EntryKey {
    /// Global layer number of the model, or of the draft model when `draft`.
    pub layer: u32,
    /// The kind of the entry's first plane.
    pub kind: PlaneKind,
    pub draft: bool,
}

impl fmt::Display for EntryKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}layer {} {}", if self.draft { "draft " } else { "" }, self.layer, self.kind)
    }
}

/// One registered region of one layer for all pages; page `p` starts at `p · item_len`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    pub key: EntryKey,
    /// Index into [`CacheLayout::spaces`](super::CacheLayout::spaces).
    pub space: u16,
    pub sharding: Sharding,
    /// Bytes from one page to the next.
    pub item_len: u64,
    pub memory: MemoryKind,
    pub device: Device,
    pub format: PageFormat,
}

/// Whether DCP deals the token rows of an entry over its ranks, or every rank holds them all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sharding {
    Sharded,
    Replicated,
}

/// What is inside one page.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum PageFormat {
    Planes(Vec<Plane>),
    /// Bytes whose arrangement is not stated: they only move whole, to a page with the same tag and length.
    Opaque {
        tag: String,
    },
}

/// Kind of memory that a region lies in. Connectors accept or refuse by this name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MemoryKind {
    Host,
    Cuda,
    Rocm,
    Xpu,
    Npu,
}

impl MemoryKind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Cuda => "cuda",
            Self::Rocm => "rocm",
            Self::Xpu => "xpu",
            Self::Npu => "npu",
        }
    }
}

impl fmt::Display for MemoryKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Ordinal of the device that a region lies on; 0 for host memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Device(pub u32);
