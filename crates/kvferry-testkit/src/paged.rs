//! Where a token lies on one rank, by the definition of pages and stripes, and a pool that hands pages out.

use kvferry_core::connector::HostMemory;
use kvferry_core::layout::{CacheLayout, Entry, EntryKey, Sharding};
use kvferry_core::wire::SpaceList;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PagedError {
    #[error("{0} is opaque, and only planes say where a token lies")]
    Opaque(EntryKey),
    #[error("no page list of index space {0}")]
    NoList(String),
    #[error("the page list of index space {space} does not cover token {token}")]
    Uncovered { space: String, token: u64 },
    #[error("index space {space} has {free} free pages, and {wanted} are wanted")]
    Exhausted { space: String, free: usize, wanted: usize },
}

/// The pages of one request in the index space of one entry.
#[derive(Clone, Copy, Debug)]
pub struct Paged<'a> {
    list: &'a SpaceList,
    page_tokens: u64,
    /// Tokens of one turn of all DCP ranks, and of one rank's turn.
    turn: (u64, u64),
}

impl<'a> Paged<'a> {
    /// # Errors
    /// [`PagedError::NoList`].
    pub fn new(layout: &CacheLayout, entry: &Entry, lists: &'a [SpaceList]) -> Result<Self, PagedError> {
        let space = &layout.spaces[usize::from(entry.space)];
        let list = lists.iter().find(|l| l.space == space.name).ok_or(PagedError::NoList(space.name.clone()))?;
        let (n, interleave) = (u64::from(layout.parallel.dcp), u64::from(layout.parallel.interleave));
        let turn = match entry.sharding {
            Sharding::Sharded => (n * interleave, interleave),
            Sharding::Replicated => (1, 1),
        };
        Ok(Self { list, page_tokens: u64::from(space.page_tokens), turn })
    }

    /// Page id and row in that page of a token that this rank holds.
    ///
    /// # Errors
    /// [`PagedError::Uncovered`].
    pub fn locate(&self, token: u64) -> Result<(u64, u64), PagedError> {
        let uncovered = || PagedError::Uncovered { space: self.list.space.clone(), token };
        let at = token.checked_sub(self.list.first_token).ok_or_else(uncovered)? / self.page_tokens;
        let page = self.list.pages.get(at as usize).ok_or_else(uncovered)?;
        let within = token % self.page_tokens;
        let (all, mine) = self.turn;
        Ok((u64::from(*page), within / all * mine + within % mine))
    }
}

/// Memory of one rank: a buffer per entry of its layout.
pub fn allocate(layout: &CacheLayout) -> Vec<Arc<HostMemory>> {
    let pages = |e: &Entry| u64::from(layout.spaces[usize::from(e.space)].pages);
    layout.entries.iter().map(|e| HostMemory::zeroed((e.item_len * pages(e)).max(1) as usize)).collect()
}

/// Free pages of every index space of one rank, handed out in shuffled order. Counts what is out, so that a lost page
/// shows.
#[derive(Debug)]
pub struct PagePool {
    spaces: Vec<PoolSpace>,
}

#[derive(Debug)]
struct PoolSpace {
    name: String,
    page_tokens: u64,
    free: Vec<u32>,
    out: BTreeSet<u32>,
}

impl PagePool {
    pub fn new(layout: &CacheLayout, seed: u64) -> Self {
        let mut rng = fastrand::Rng::with_seed(seed);
        let spaces = layout.spaces.iter().map(|s| {
            let mut free: Vec<u32> = (0..s.pages).collect();
            rng.shuffle(&mut free);
            PoolSpace { name: s.name.clone(), page_tokens: s.page_tokens.into(), free, out: BTreeSet::new() }
        });
        Self { spaces: spaces.collect() }
    }

    /// Pages for `tokens` in every space.
    ///
    /// # Errors
    /// [`PagedError::Exhausted`]; nothing is taken then.
    pub fn take(&mut self, tokens: Range<u64>) -> Result<Vec<SpaceList>, PagedError> {
        let wanted = |s: &PoolSpace| {
            let first = tokens.start / s.page_tokens;
            (tokens.end.max(tokens.start).div_ceil(s.page_tokens) - first) as usize
        };
        if let Some(s) = self.spaces.iter().find(|s| s.free.len() < wanted(s)) {
            return Err(PagedError::Exhausted { space: s.name.clone(), free: s.free.len(), wanted: wanted(s) });
        }
        Ok(self
            .spaces
            .iter_mut()
            .map(|s| {
                let pages = s.free.split_off(s.free.len() - wanted(s));
                s.out.extend(&pages);
                let first_token = tokens.start / s.page_tokens * s.page_tokens;
                SpaceList { space: s.name.clone(), first_token, pages }
            })
            .collect())
    }

    /// # Panics
    /// For a page that is not out: it came back twice, or never left.
    pub fn give_back(&mut self, lists: &[SpaceList]) {
        for list in lists {
            let space = self.spaces.iter_mut().find(|s| s.name == list.space).expect("a space of this rank");
            for page in &list.pages {
                assert!(space.out.remove(page), "page {page} of index space {} is not out", list.space);
                space.free.push(*page);
            }
        }
    }

    /// Pages that are out, over all spaces.
    pub fn out(&self) -> usize {
        self.spaces.iter().map(|s| s.out.len()).sum()
    }

    pub fn free(&self) -> usize {
        self.spaces.iter().map(|s| s.free.len()).sum()
    }
}
