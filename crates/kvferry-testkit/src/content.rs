//! Bytes that say where they belong: the content of a cache as a function of a nonce and of *logical* coordinates
//! (layer, plane, token, head). A source fills its pages with it and a destination checks its own, each from its own
//! layout alone, so a relayout is verified without either side seeing the other's memory. Shares no code with the
//! planner.

use crate::paged::{Paged, PagedError};
use kvferry_core::connector::HostMemory;
use kvferry_core::layout::{CacheLayout, Entry, EntryKey, PageFormat, Plane, PlaneKind, Sharding};
use kvferry_core::wire::SpaceList;
use std::ops::Range;
use std::sync::Arc;

/// Byte that untouched memory holds.
pub const POISON: u8 = 0xA5;

/// The first byte that is not what it must be.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, thiserror::Error)]
pub enum Mismatch {
    #[error("layer {layer} {plane}{}: token {token} differs (page {page}, byte {byte} of the page)", if *draft { " (draft)" } else { "" })]
    Token { layer: u32, draft: bool, plane: String, token: u64, page: u64, byte: u64 },
    #[error("layer {layer} {kind}{}: page {page}, byte {byte} of the page changed, and nothing was to move there", if *draft { " (draft)" } else { "" })]
    Stray { layer: u32, draft: bool, kind: String, page: u64, byte: u64 },
}

/// Tokens of one request on one rank, and the pages that hold them.
#[derive(Clone, Copy, Debug)]
pub struct Held<'a> {
    pub layout: &'a CacheLayout,
    /// Per index space of the layout.
    pub spaces: &'a [SpaceList],
}

impl Held<'_> {
    /// Writes the content of `tokens` into this rank's memory, one buffer per entry.
    ///
    /// # Errors
    /// Where a page list does not cover the tokens.
    pub fn fill(&self, memory: &[Arc<HostMemory>], nonce: u64, tokens: Range<u64>) -> Result<(), PagedError> {
        for (entry, memory) in self.layout.entries.iter().zip(memory) {
            self.each_row(entry, nonce, tokens.clone(), |_, _, offset, bytes| memory.write(offset as usize, bytes))?;
        }
        Ok(())
    }

    /// Checks every byte of every entry: `tokens` hold the content, all else is [`POISON`]. Gives the payload bytes.
    ///
    /// # Errors
    /// Where a page list does not cover the tokens.
    pub fn verify(
        &self,
        memory: &[Arc<HostMemory>],
        nonce: u64,
        tokens: Range<u64>,
    ) -> Result<Result<u64, Mismatch>, PagedError> {
        let mut verified = 0;
        for (entry, memory) in self.layout.entries.iter().zip(memory) {
            let mut want = vec![POISON; memory.len()];
            self.each_row(entry, nonce, tokens.clone(), |_, _, offset, bytes| {
                want[offset as usize..][..bytes.len()].copy_from_slice(bytes);
                verified += bytes.len() as u64;
            })?;
            let got = memory.to_vec();
            if got != want {
                let at = got.iter().zip(&want).position(|(a, b)| a != b).unwrap_or(0) as u64;
                return Ok(Err(self.blame(entry, nonce, tokens, at)?));
            }
        }
        Ok(Ok(verified))
    }

    fn blame(&self, entry: &Entry, nonce: u64, tokens: Range<u64>, at: u64) -> Result<Mismatch, PagedError> {
        let EntryKey { layer, kind, draft } = entry.key;
        let (page, byte) = (at / entry.item_len, at % entry.item_len);
        let mut found = Mismatch::Stray { layer, draft, kind: kind.to_string(), page, byte };
        self.each_row(entry, nonce, tokens, |plane, token, offset, bytes| {
            if (offset..offset + bytes.len() as u64).contains(&at) {
                found = Mismatch::Token { layer, draft, plane: plane.to_string(), token, page, byte };
            }
        })?;
        Ok(found)
    }

    /// Every contiguous piece of every token row that this rank holds: plane, token, offset in the region, content.
    fn each_row(
        &self,
        entry: &Entry,
        nonce: u64,
        tokens: Range<u64>,
        mut piece: impl FnMut(PlaneKind, u64, u64, &[u8]),
    ) -> Result<(), PagedError> {
        let PageFormat::Planes(planes) = &entry.format else { return Err(PagedError::Opaque(entry.key)) };
        let paged = Paged::new(self.layout, entry, self.spaces)?;
        let mut bytes = Vec::new();
        for token in tokens.filter(|t| is_here(self.layout, entry, *t)) {
            let (page, row) = paged.locate(token)?;
            for plane in planes {
                let start = page * entry.item_len + plane.offset + row * plane.token_stride;
                for head in 0..u64::from(plane.head.count) {
                    let at = start + head * plane.head.stride;
                    content(nonce, entry.key, plane, token, head, &mut bytes);
                    place(plane, at, &bytes, |offset, bytes| piece(plane.kind, token, offset, bytes));
                }
            }
        }
        Ok(())
    }
}

/// Whether this rank holds the token in this entry: DCP deals blocks of `interleave` tokens over its ranks.
pub fn is_here(layout: &CacheLayout, entry: &Entry, token: u64) -> bool {
    let p = &layout.parallel;
    let turn = token / u64::from(p.interleave) % u64::from(p.dcp);
    entry.sharding == Sharding::Replicated || turn == u64::from(p.dcp_rank(layout.rank))
}

/// One head of one token, dims in order, whatever their stride in memory.
fn content(nonce: u64, key: EntryKey, plane: &Plane, token: u64, head: u64, bytes: &mut Vec<u8>) {
    let head = head + u64::from(plane.head.first);
    let place = [u64::from(key.layer), u64::from(key.draft), key.kind as u64, plane.kind as u64, token, head];
    let mut state = place.into_iter().fold(nonce, |seed, word| splitmix(seed ^ word));
    let len = (u64::from(plane.dim.count) * plane.dtype.size()) as usize;
    bytes.clear();
    while bytes.len() < len {
        state = splitmix(state);
        bytes.extend_from_slice(&state.to_le_bytes());
    }
    bytes.truncate(len);
}

/// Hands the bytes on in contiguous pieces: at once, or dim by dim.
fn place(plane: &Plane, at: u64, bytes: &[u8], mut piece: impl FnMut(u64, &[u8])) {
    let elem = plane.dtype.size();
    if plane.dim.stride == elem {
        return piece(at, bytes);
    }
    for (dim, element) in bytes.chunks(elem as usize).enumerate() {
        piece(at + dim as u64 * plane.dim.stride, element);
    }
}

/// The SplitMix64 generator, one step.
fn splitmix(state: u64) -> u64 {
    let z = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paged::{PagePool, allocate};
    use kvferry_core::layout::{Device, Dtype, IndexSpace, MemoryKind, Parallel, RankCoord};

    fn layout(dcp: u32, rank: u32, transposed: bool) -> CacheLayout {
        let plane = |transposed| match transposed {
            false => Plane::rows(PlaneKind::Kv, Dtype::Bf16, (0, 1, 1), 5),
            true => Plane::transposed(PlaneKind::Kv, Dtype::Bf16, (0, 1, 1), 5, 4),
        };
        let entry = |layer, sharding| Entry {
            key: EntryKey { layer, kind: PlaneKind::Kv, draft: sharding == Sharding::Replicated },
            space: 0,
            sharding,
            item_len: 10 * if sharding == Sharding::Sharded { 4 } else { 4 * u64::from(dcp) },
            memory: MemoryKind::Host,
            device: Device(0),
            format: PageFormat::Planes(vec![plane(transposed && sharding == Sharding::Sharded)]),
        };
        CacheLayout {
            model: "test".into(),
            parallel: Parallel { tp: dcp, dcp, interleave: 2, ..Parallel::default() },
            rank: RankCoord { tp: rank, ..RankCoord::default() },
            spaces: vec![IndexSpace { name: "main".into(), page_tokens: 4 * dcp, pages: 9 }],
            entries: vec![entry(0, Sharding::Sharded), entry(0, Sharding::Replicated)],
            aux_capacity: 0,
        }
    }

    #[test]
    fn content_is_verified_and_a_flipped_byte_names_its_token() {
        for (dcp, rank, transposed) in [(1, 0, false), (3, 2, false), (2, 1, true)] {
            let layout = layout(dcp, rank, transposed);
            layout.validate().expect("a layout");
            let mut pool = PagePool::new(&layout, 7);
            let spaces = pool.take(0..20).expect("pages");
            let held = Held { layout: &layout, spaces: &spaces };
            let memory = allocate(&layout);
            memory.iter().for_each(|m| m.fill(POISON));
            held.fill(&memory, 42, 3..20).expect("covered");
            let all = (0..17).map(|t| t + 3).filter(|t| is_here(&layout, &layout.entries[0], *t)).count() as u64;
            assert_eq!(held.verify(&memory, 42, 3..20), Ok(Ok((all + 17) * 10)));
            assert!(matches!(held.verify(&memory, 43, 3..20), Ok(Err(Mismatch::Token { layer: 0, .. }))));
            assert!(held.verify(&memory, 42, 3..19).expect("covered").is_err(), "a byte too many goes unseen");
            let (page, row) =
                Paged::new(&layout, &layout.entries[1], &spaces).and_then(|p| p.locate(11)).expect("held");
            let at = (page * layout.entries[1].item_len + row * 10) as usize;
            let mut byte = [0];
            memory[1].read(at, &mut byte);
            memory[1].write(at, &[byte[0] ^ 1]);
            let found = held.verify(&memory, 42, 3..20);
            assert!(matches!(found, Ok(Err(Mismatch::Token { layer: 0, draft: true, token: 11, .. }))), "{found:?}");
        }
    }
}
