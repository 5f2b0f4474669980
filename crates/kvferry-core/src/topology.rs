//! Which source ranks feed which destination ranks, worked out from the parallel sizes of both sides.

use crate::layout::{Parallel, RankCoord};

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TopologyError {
    #[error("tp = {source_tp} and tp = {destination_tp}: one must divide the other")]
    TpDivides { source_tp: u32, destination_tp: u32 },
    #[error("dcp = {source_dcp} feeds no dcp = {destination_dcp}; supported are 1 to N, and N to N")]
    Dcp { source_dcp: u32, destination_dcp: u32 },
    #[error("pp = {source_pp} feeds no pp = {destination_pp}: unequal pipeline stages are not supported yet")]
    Pp { source_pp: u32, destination_pp: u32 },
    #[error("pcp = {0} is not supported yet; use pcp = 1")]
    Pcp(u32),
    #[error("dp rank {0} does not exist on the far side, which has dp = {1}")]
    Dp(u32, u32),
}

/// The source ranks that feed destination rank `to`, when the request lives in source dp rank `source_dp`.
/// The first is the one that carries the aux record.
///
/// Heads are whole here: where a destination has fewer TP ranks than the source and the cache is replicated over TP,
/// the first source rank of its range sends and the others have nothing to do.
///
/// # Errors
/// [`TopologyError`] for sizes that do not fit.
pub fn sources_of(s: &Parallel, d: &Parallel, to: RankCoord, source_dp: u32) -> Result<Vec<RankCoord>, TopologyError> {
    fits(s, d)?;
    if source_dp >= s.dp {
        return Err(TopologyError::Dp(source_dp, s.dp));
    }
    Ok(vec![RankCoord { dp: source_dp, pp: to.pp, pcp: 0, tp: source_tp(s, d, to.tp) }])
}

/// The destination ranks that source rank `from` feeds, when the request lives in destination dp rank
/// `destination_dp`. Empty for a rank that has nothing to send.
///
/// # Errors
/// [`TopologyError`] for sizes that do not fit.
pub fn destinations_of(
    s: &Parallel,
    d: &Parallel,
    from: RankCoord,
    destination_dp: u32,
) -> Result<Vec<RankCoord>, TopologyError> {
    fits(s, d)?;
    if destination_dp >= d.dp {
        return Err(TopologyError::Dp(destination_dp, d.dp));
    }
    let fed = (0..d.tp).filter(|tp| source_tp(s, d, *tp) == from.tp);
    Ok(fed.map(|tp| RankCoord { dp: destination_dp, pp: from.pp, pcp: 0, tp }).collect())
}

fn fits(s: &Parallel, d: &Parallel) -> Result<(), TopologyError> {
    if s.pcp != 1 || d.pcp != 1 {
        return Err(TopologyError::Pcp(s.pcp.max(d.pcp)));
    }
    if s.pp != d.pp {
        return Err(TopologyError::Pp { source_pp: s.pp, destination_pp: d.pp });
    }
    if s.dcp != 1 && s.dcp != d.dcp {
        return Err(TopologyError::Dcp { source_dcp: s.dcp, destination_dcp: d.dcp });
    }
    let (a, b) = blocks(s, d);
    if a % b != 0 && b % a != 0 {
        return Err(TopologyError::TpDivides { source_tp: s.tp, destination_tp: d.tp });
    }
    Ok(())
}

/// TP sizes in units that the two sides deal in: whole DCP groups where both are striped alike, ranks otherwise.
fn blocks(s: &Parallel, d: &Parallel) -> (u32, u32) {
    (s.tp / s.dcp, d.tp / s.dcp)
}

fn source_tp(s: &Parallel, d: &Parallel, to: u32) -> u32 {
    let (source_blocks, destination_blocks) = blocks(s, d);
    let (block, within) = (to / s.dcp, to % s.dcp);
    let from = if destination_blocks >= source_blocks {
        block / (destination_blocks / source_blocks)
    } else {
        block * (source_blocks / destination_blocks)
    };
    from * s.dcp + within
}

#[cfg(test)]
mod tests {
    use super::*;

    fn p(tp: u32, dcp: u32) -> Parallel {
        Parallel { tp, dcp, ..Parallel::default() }
    }

    fn tp(c: u32) -> RankCoord {
        RankCoord { tp: c, ..RankCoord::default() }
    }

    #[test]
    fn every_destination_has_a_source_that_names_it_back() {
        for (s, d) in [
            (p(1, 1), p(4, 4)),
            (p(4, 1), p(2, 1)),
            (p(2, 1), p(8, 4)),
            (p(8, 4), p(8, 4)),
            (p(8, 4), p(4, 4)),
            (p(4, 2), p(8, 2)),
        ] {
            for to in 0..d.tp {
                let from = sources_of(&s, &d, tp(to), 0).expect("fits");
                assert_eq!(from.len(), 1);
                let back = destinations_of(&s, &d, from[0], 0).expect("fits");
                assert!(back.contains(&tp(to)), "{s} -> {d}: {to} is fed by {from:?}, which feeds {back:?}");
                assert_eq!(s.dcp_rank(from[0]), if s.dcp == 1 { 0 } else { d.dcp_rank(tp(to)) });
            }
        }
    }

    #[test]
    fn tp_sizes_that_do_not_divide_are_refused() {
        assert!(matches!(sources_of(&p(3, 1), &p(2, 1), tp(1), 0), Err(TopologyError::TpDivides { .. })));
        assert!(matches!(sources_of(&p(4, 4), &p(4, 2), tp(1), 0), Err(TopologyError::Dcp { .. })));
    }
}
