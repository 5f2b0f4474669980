//! Write windows: where a peer may write, for one transfer.

use super::batch::PeerId;
use crate::layout::RegionId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Names an offered window on both sides. Unguessable where the connector enforces windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct WindowId(pub u64);

/// The pages that one peer may write for one transfer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteWindow {
    pub peer: PeerId,
    pub areas: Vec<WindowArea>,
}

/// The same pages of several regions: the entries of one index space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WindowArea {
    pub regions: Arc<[WindowRegion]>,
    /// In any order; duplicates are one.
    pub pages: Arc<[u32]>,
}

/// A region and the distance of its pages in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowRegion {
    pub region: RegionId,
    pub item_len: u64,
}

/// Answers whether a write is inside of a window, in the logarithm of its page runs. For connectors that enforce
/// windows themselves.
#[derive(Clone, Debug)]
pub struct WindowIndex {
    regions: BTreeMap<RegionId, (u64, Arc<[PageRun]>)>,
}

/// Pages `first..end`.
#[derive(Clone, Copy, Debug)]
struct PageRun {
    first: u32,
    end: u64,
}

impl WindowIndex {
    pub fn new(window: &WriteWindow) -> Self {
        let mut regions = BTreeMap::new();
        for area in &window.areas {
            let runs = page_runs(&area.pages);
            for r in area.regions.iter() {
                regions.insert(r.region, (r.item_len, runs.clone()));
            }
        }
        Self { regions }
    }

    /// Whether `len` bytes at `offset` of `region` lie inside of offered pages. No bytes are inside of any page of a
    /// region that is in the window.
    pub fn contains(&self, region: RegionId, offset: u64, len: u64) -> bool {
        let Some((item_len, runs)) = self.regions.get(&region) else { return false };
        let Some(end) = offset.checked_add(len) else { return false };
        if len == 0 {
            return true;
        }
        let Some(page) = offset.checked_div(*item_len) else { return false };
        let at = runs.partition_point(|run| u64::from(run.first) <= page);
        let Some(run) = at.checked_sub(1).map(|i| runs[i]) else { return false };
        u128::from(end) <= u128::from(run.end) * u128::from(*item_len)
    }
}

fn page_runs(pages: &[u32]) -> Arc<[PageRun]> {
    let mut sorted = pages.to_vec();
    sorted.sort_unstable();
    let mut runs: Vec<PageRun> = Vec::new();
    for page in sorted {
        match runs.last_mut() {
            Some(run) if u64::from(page) < run.end => {}
            Some(run) if u64::from(page) == run.end => run.end += 1,
            _ => runs.push(PageRun { first: page, end: u64::from(page) + 1 }),
        }
    }
    runs.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(pages: &[u32]) -> WindowIndex {
        let regions = Arc::from([WindowRegion { region: RegionId(3), item_len: 10 }]);
        WindowIndex::new(&WriteWindow { peer: PeerId(1), areas: vec![WindowArea { regions, pages: pages.into() }] })
    }

    #[test]
    fn a_write_is_inside_only_where_every_page_it_touches_was_offered() {
        let w = index(&[7, 2, 3, 3, u32::MAX]);
        for (offset, len, inside) in [
            (20, 10, true),
            (20, 20, true),
            (25, 15, true),
            (20, 21, false),
            (19, 2, false),
            (70, 10, true),
            (70, 11, false),
            (40, 1, false),
            (u64::from(u32::MAX) * 10, 10, true),
            (u64::from(u32::MAX) * 10, 11, false),
            (u64::MAX, 2, false),
            (u64::MAX, 1, false),
        ] {
            assert_eq!(w.contains(RegionId(3), offset, len), inside, "{len} bytes at {offset}");
        }
        assert!(!w.contains(RegionId(4), 20, 1));
    }
}
