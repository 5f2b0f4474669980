//! One strided descriptor.

use serde::{Deserialize, Serialize};

/// Deepest nest of an extent; a fifth axis is unrolled.
pub const MAX_AXES: usize = 4;

/// A nest of strided runs of `len` bytes. Run `(i, j, …)` starts at `src_off + i·axes[0].src + j·axes[1].src + …` of the
/// source region, and likewise of the destination region. All in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extent {
    pub src_off: u64,
    pub dst_off: u64,
    pub len: u64,
    /// Outermost first; only the first `depth` count.
    pub axes: [Axis; MAX_AXES],
    pub depth: u8,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Axis {
    pub count: u64,
    pub src: u64,
    pub dst: u64,
}

/// `len` bytes from `src` of the source region to `dst` of the destination region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    pub src: u64,
    pub dst: u64,
    pub len: u64,
}

impl Extent {
    /// One run.
    pub fn plain(src_off: u64, dst_off: u64, len: u64) -> Self {
        Self { src_off, dst_off, len, axes: [Axis::default(); MAX_AXES], depth: 0 }
    }

    pub fn axes(&self) -> &[Axis] {
        &self.axes[..usize::from(self.depth).min(MAX_AXES)]
    }

    /// Number of runs; saturates.
    pub fn run_count(&self) -> u64 {
        self.axes().iter().fold(1, |n, a| n.saturating_mul(a.count))
    }

    /// Payload bytes; saturates.
    pub fn bytes(&self) -> u64 {
        self.run_count().saturating_mul(self.len)
    }

    /// Every run, outermost axis slowest. Extents made by a plan never overflow; those of a peer are checked with
    /// [`Extent::destination_end`] first.
    pub fn runs(&self) -> impl Iterator<Item = Run> + '_ {
        let mut index = [0u64; MAX_AXES];
        let (mut src, mut dst, mut left) = (self.src_off, self.dst_off, self.run_count());
        std::iter::from_fn(move || {
            if left == 0 {
                return None;
            }
            let run = Run { src, dst, len: self.len };
            left -= 1;
            for (at, axis) in self.axes().iter().enumerate().rev() {
                index[at] += 1;
                if index[at] < axis.count {
                    src += axis.src;
                    dst += axis.dst;
                    break;
                }
                src = src.wrapping_sub(axis.src * (axis.count - 1));
                dst = dst.wrapping_sub(axis.dst * (axis.count - 1));
                index[at] = 0;
            }
            Some(run)
        })
    }

    /// One past the last destination byte; `None` on overflow.
    pub fn destination_end(&self) -> Option<u64> {
        self.end(self.dst_off, |a| a.dst)
    }

    /// One past the last source byte; `None` on overflow.
    pub fn source_end(&self) -> Option<u64> {
        self.end(self.src_off, |a| a.src)
    }

    fn end(&self, start: u64, stride: impl Fn(&Axis) -> u64) -> Option<u64> {
        self.axes()
            .iter()
            .try_fold(start, |end, a| end.checked_add(a.count.checked_sub(1)?.checked_mul(stride(a))?))?
            .checked_add(self.len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_follow_the_nest() {
        let mut e = Extent::plain(100, 1000, 4);
        e.axes[0] = Axis { count: 2, src: 50, dst: 8 };
        e.axes[1] = Axis { count: 3, src: 10, dst: 20 };
        e.depth = 2;
        let runs: Vec<_> = e.runs().map(|r| (r.src, r.dst)).collect();
        assert_eq!(runs, [(100, 1000), (110, 1020), (120, 1040), (150, 1008), (160, 1028), (170, 1048)]);
        assert_eq!((e.bytes(), e.source_end(), e.destination_end()), (24, Some(174), Some(1052)));
    }
}
