//! Instance-level facts about both sides of a transfer, some of which may not be known yet.

use crate::claims::{Claims, Deferred, Until};
use crate::layout::{CacheLayout, MemoryKind, PageFormat, Parallel};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// What an instance says about its cache layout before (or without) naming single entries. `None` = not known yet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayoutFacts {
    pub model: Option<String>,
    pub parallel: Option<Parallel>,
    /// Rows that a page has on one rank, of entries that DCP shards: `P`.
    pub page_size: Option<u32>,
    /// KV heads of the model; 1 for an MLA latent, which every TP rank holds whole.
    pub kv_heads: Option<u32>,
    /// Arrangement of a page's planes by entry kind, as text that is equal exactly when the planes are.
    pub planes: Option<BTreeMap<String, String>>,
    pub spaces: Option<BTreeSet<String>>,
    pub memory: Option<BTreeSet<MemoryKind>>,
}

impl LayoutFacts {
    /// The facts of the instance that a rank's full layout belongs to.
    pub fn of(layout: &CacheLayout) -> Self {
        let planes = |e: &crate::layout::Entry| match &e.format {
            PageFormat::Opaque { tag } => format!("opaque {tag} {}", e.item_len),
            PageFormat::Planes(planes) => planes
                .iter()
                .map(|p| {
                    let (h, d) = (p.head, p.dim);
                    format!(
                        "{} {} @{} t{} h{}*{} d{}*{}",
                        p.kind, p.dtype, p.offset, p.token_stride, h.total, h.stride, d.count, d.stride
                    )
                })
                .collect::<Vec<_>>()
                .join("; "),
        };
        let name = |e: &crate::layout::Entry| format!("{}{}", if e.key.draft { "draft " } else { "" }, e.key.kind);
        let main = layout.entries.iter().find(|e| !e.key.draft).or(layout.entries.first());
        Self {
            model: Some(layout.model.clone()),
            parallel: Some(layout.parallel),
            page_size: main.map(|e| layout.rows_per_page(e)),
            kv_heads: main.map(|e| match &e.format {
                PageFormat::Planes(p) => p.first().map_or(1, |p| p.head.total),
                PageFormat::Opaque { .. } => 1,
            }),
            planes: Some(layout.entries.iter().map(|e| (name(e), planes(e))).collect()),
            spaces: Some(layout.spaces.iter().map(|s| s.name.clone()).collect()),
            memory: Some(layout.entries.iter().map(|e| e.memory).collect()),
        }
    }
}

/// Facts of both sides of one direction. Reading one that is not known is recorded, and defers the part's verdict.
#[derive(Debug)]
pub struct Facts<'a> {
    source: &'a LayoutFacts,
    destination: &'a LayoutFacts,
    ours: Side,
    missing: RefCell<BTreeSet<Deferred>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Side {
    Source,
    Destination,
}

impl<'a> Facts<'a> {
    pub fn new(source: &'a LayoutFacts, destination: &'a LayoutFacts, ours: Side) -> Self {
        Self { source, destination, ours, missing: RefCell::default() }
    }

    pub fn source(&self) -> Known<'_> {
        Known { facts: self.source, side: Side::Source, of: self }
    }

    pub fn destination(&self) -> Known<'_> {
        Known { facts: self.destination, side: Side::Destination, of: self }
    }

    /// Adds what was asked for and not known.
    pub fn finish(self, mut claims: Claims) -> Claims {
        claims.deferred.extend(self.missing.into_inner());
        claims
    }
}

/// The facts of one side.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    facts: &'a LayoutFacts,
    side: Side,
    of: &'a Facts<'a>,
}

macro_rules! fact {
    ($name:ident: $ty:ty) => {
        pub fn $name(&self) -> Option<&'a $ty> {
            if self.facts.$name.is_none() {
                let until = if self.side == self.of.ours { Until::Start } else { Until::Handshake };
                let fact = concat!("layout.", stringify!($name)).into();
                self.of.missing.borrow_mut().insert(Deferred { fact, until });
            }
            self.facts.$name.as_ref()
        }
    };
}

impl<'a> Known<'a> {
    fact!(model: String);
    fact!(parallel: Parallel);
    fact!(page_size: u32);
    fact!(kv_heads: u32);
    fact!(planes: BTreeMap<String, String>);
    fact!(spaces: BTreeSet<String>);
    fact!(memory: BTreeSet<MemoryKind>);
}
