//! Parallel sizes of an instance and the place of a rank in it.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Parallel sizes of one instance. `tp` is attention TP; `dcp` divides `tp` and adds no ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Parallel {
    pub dp: u32,
    pub pp: u32,
    pub pcp: u32,
    pub tp: u32,
    /// Decode context parallel size: token rows of sharded entries are dealt over this many ranks.
    pub dcp: u32,
    /// Consecutive tokens dealt to one DCP rank before the next one's turn (1 in SGLang).
    pub interleave: u32,
}

impl Default for Parallel {
    fn default() -> Self {
        Self { dp: 1, pp: 1, pcp: 1, tp: 1, dcp: 1, interleave: 1 }
    }
}

impl Parallel {
    /// Ranks that hold one request: attention TP × PCP × PP.
    pub fn group_size(&self) -> u32 {
        self.pp.saturating_mul(self.pcp).saturating_mul(self.tp)
    }

    pub fn world_size(&self) -> u32 {
        self.dp.saturating_mul(self.group_size())
    }

    /// Coordinates of a flat rank; `tp` runs fastest, then `pcp`, `pp`, `dp`.
    pub fn coord(&self, rank: u32) -> Option<RankCoord> {
        if rank >= self.world_size() {
            return None;
        }
        let (rest, tp) = (rank / self.tp, rank % self.tp);
        let (rest, pcp) = (rest / self.pcp, rest % self.pcp);
        let (dp, pp) = (rest / self.pp, rest % self.pp);
        Some(RankCoord { dp, pp, pcp, tp })
    }

    /// Inverse of [`Parallel::coord`].
    pub fn flat(&self, c: RankCoord) -> u32 {
        ((c.dp * self.pp + c.pp) * self.pcp + c.pcp) * self.tp + c.tp
    }

    pub fn dcp_rank(&self, c: RankCoord) -> u32 {
        c.tp % self.dcp.max(1)
    }
}

impl fmt::Display for Parallel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = [("dp", self.dp), ("pp", self.pp), ("pcp", self.pcp), ("tp", self.tp), ("dcp", self.dcp)];
        let mut first = true;
        for (name, n) in all.into_iter().filter(|(name, n)| *n != 1 || *name == "tp") {
            write!(f, "{}{name} = {n}", if first { "" } else { ", " })?;
            first = false;
        }
        if self.interleave != 1 {
            write!(f, ", interleave = {}", self.interleave)?;
        }
        Ok(())
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RankCoord {
    pub dp: u32,
    pub pp: u32,
    pub pcp: u32,
    pub tp: u32,
}

impl fmt::Display for RankCoord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "dp{} pp{} pcp{} tp{}", self.dp, self.pp, self.pcp, self.tp)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flat_and_coord_are_inverse() {
        let p = Parallel { dp: 2, pp: 3, pcp: 2, tp: 4, dcp: 2, interleave: 1 };
        for rank in 0..p.world_size() {
            assert_eq!(p.flat(p.coord(rank).expect("in range")), rank);
        }
        assert_eq!(p.coord(p.world_size()), None);
    }
}
