//! What must hold of a layout by itself, before any peer is known.

use super::{CacheLayout, Entry, EntryKey, PageFormat, Sharding};
use std::collections::BTreeSet;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LayoutError {
    #[error("parallel size {name} is 0; it counts ranks and is at least 1")]
    ZeroSize { name: &'static str },
    #[error("dcp = {dcp} does not divide tp = {tp}; choose a dcp that does")]
    DcpDividesTp { dcp: u32, tp: u32 },
    #[error("rank {rank} is outside of the parallel sizes ({parallel})")]
    RankOutside { rank: String, parallel: String },
    #[error("index space {0} is stated twice")]
    SpaceTwice(String),
    #[error("index space {space} has pages of {page_tokens} tokens, which dcp = {dcp} does not divide")]
    DcpDividesPage { space: String, page_tokens: u32, dcp: u32 },
    #[error(
        "interleave = {interleave} does not divide the {rows} rows that a page of index space {space} has on one rank"
    )]
    InterleaveDividesPage { interleave: u32, rows: u32, space: String },
    #[error("{0} is stated twice; an entry is named by layer, kind and draft")]
    EntryTwice(EntryKey),
    #[error("{entry} names index space {space}, and there are {spaces}")]
    NoSuchSpace { entry: EntryKey, space: u16, spaces: usize },
    #[error("{entry}: {what}")]
    Page { entry: EntryKey, what: String },
}

impl CacheLayout {
    /// Every fault of the layout, not the first.
    pub fn validate(&self) -> Result<(), Vec<LayoutError>> {
        let mut faults = self.sizes();
        if faults.is_empty() {
            self.validate_spaces(&mut faults);
            self.validate_entries(&mut faults);
        }
        if faults.is_empty() { Ok(()) } else { Err(faults) }
    }

    fn sizes(&self) -> Vec<LayoutError> {
        let p = &self.parallel;
        let named =
            [("dp", p.dp), ("pp", p.pp), ("pcp", p.pcp), ("tp", p.tp), ("dcp", p.dcp), ("interleave", p.interleave)];
        let mut faults: Vec<_> =
            named.into_iter().filter(|(_, n)| *n == 0).map(|(name, _)| LayoutError::ZeroSize { name }).collect();
        if faults.is_empty() {
            if p.tp % p.dcp != 0 {
                faults.push(LayoutError::DcpDividesTp { dcp: p.dcp, tp: p.tp });
            }
            let r = self.rank;
            if r.dp >= p.dp || r.pp >= p.pp || r.pcp >= p.pcp || r.tp >= p.tp {
                faults.push(LayoutError::RankOutside { rank: r.to_string(), parallel: p.to_string() });
            }
        }
        faults
    }

    fn validate_spaces(&self, faults: &mut Vec<LayoutError>) {
        let mut names = BTreeSet::new();
        let (dcp, interleave) = (self.parallel.dcp, self.parallel.interleave);
        for (i, s) in self.spaces.iter().enumerate() {
            if !names.insert(&s.name) {
                faults.push(LayoutError::SpaceTwice(s.name.clone()));
            }
            let sharded = self.entries.iter().any(|e| e.space as usize == i && e.sharding == Sharding::Sharded);
            if s.page_tokens == 0 || (sharded && s.page_tokens % dcp != 0) {
                faults.push(LayoutError::DcpDividesPage { space: s.name.clone(), page_tokens: s.page_tokens, dcp });
            } else if sharded && dcp > 1 && (s.page_tokens / dcp) % interleave != 0 {
                let rows = s.page_tokens / dcp;
                faults.push(LayoutError::InterleaveDividesPage { interleave, rows, space: s.name.clone() });
            }
        }
    }

    fn validate_entries(&self, faults: &mut Vec<LayoutError>) {
        let mut keys = BTreeSet::new();
        for e in &self.entries {
            if !keys.insert(e.key) {
                faults.push(LayoutError::EntryTwice(e.key));
            }
            match self.space_of(e) {
                None => {
                    let spaces = self.spaces.len();
                    faults.push(LayoutError::NoSuchSpace { entry: e.key, space: e.space, spaces });
                }
                Some(s) => {
                    if let Err(what) = self.validate_page(e, s.pages) {
                        faults.push(LayoutError::Page { entry: e.key, what });
                    }
                }
            }
        }
    }

    fn validate_page(&self, e: &Entry, pages: u32) -> Result<(), String> {
        if e.item_len.checked_mul(u64::from(pages)).is_none() {
            return Err(format!("{pages} pages of {} bytes overflow 64 bits", e.item_len));
        }
        let PageFormat::Planes(planes) = &e.format else { return Ok(()) };
        let Some(first) = planes.first() else { return Err("a page needs at least one plane".into()) };
        if first.kind != e.key.kind {
            return Err(format!("its first plane is {}, and its name says {}", first.kind, e.key.kind));
        }
        let mut kinds = BTreeSet::new();
        for p in planes {
            if !kinds.insert(p.kind) {
                return Err(format!("two planes of kind {}", p.kind));
            }
            if p.head.count == 0 || p.dim.count == 0 {
                return Err(format!("plane {} has no heads or no dims", p.kind));
            }
            if p.head.first.checked_add(p.head.count).is_none_or(|end| end > p.head.total) {
                return Err(format!("plane {}: heads {:?} exceed the total", p.kind, p.head));
            }
            match p.end(self.rows_per_page(e)) {
                Some(end) if end <= e.item_len => {}
                _ => return Err(format!("plane {} does not fit into a page of {} bytes", p.kind, e.item_len)),
            }
        }
        Ok(())
    }
}
