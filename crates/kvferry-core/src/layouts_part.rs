//! The layouts of the two sides as a part of the check: they own `memory`, and read every dimension in which the
//! sides differ, accepting only what that difference needs. So a difference that nobody handles is an ordinary
//! conflict, and the report can name the plugin that would handle it.

use crate::check::Part;
use crate::claims::{Accept, Claims, Pattern, Test};
use crate::facet::{Entries, Facet, Heads, Memory, Page, Shape, Space, Tokens};
use crate::facts::Facts;
use crate::layout::Parallel;
use std::collections::BTreeSet;

/// Name under which the layouts take part.
pub const LAYOUTS: &str = "layouts";

pub fn layouts_part(facts: Facts<'_>) -> Part {
    let claims = memory(Claims::none(), &facts);
    let claims = tokens(claims, &facts);
    let claims = heads(claims, &facts);
    let claims = entries(claims, &facts);
    let claims = page(claims, &facts);
    let claims = space(claims, &facts);
    Part::new(LAYOUTS, facts.finish(claims))
}

fn memory(claims: Claims, facts: &Facts<'_>) -> Claims {
    let known: BTreeSet<_> =
        [facts.source().memory(), facts.destination().memory()].into_iter().flatten().flatten().copied().collect();
    if known.is_empty() { claims } else { claims.own::<Memory>(Memory::shapes(&known)) }
}

fn tokens(claims: Claims, facts: &Facts<'_>) -> Claims {
    let (Some(s), Some(d)) = (facts.source().parallel(), facts.destination().parallel()) else { return claims };
    let stripe = |name: &'static str| {
        let args = [("n", i64::from(d.dcp)), ("interleave", i64::from(d.interleave))];
        Accept::exactly(&Shape::new(name, &args))
    };
    claims.read::<Tokens>(if s.dcp == 1 && d.dcp == 1 {
        Accept::names(&["all"])
    } else if s.dcp == 1 {
        stripe("striped")
    } else if (s.dcp, s.interleave) == (d.dcp, d.interleave) {
        stripe("aligned")
    } else {
        // N→1 and N→M: every shape that could carry it says from how many ranks to how many.
        let tests = vec![("from".into(), Test::Equal(s.dcp.into())), ("to".into(), Test::Equal(d.dcp.into()))];
        Accept::OneOf(vec![Pattern { name: "restriped".into(), tests }])
    })
}

/// Heads that one TP rank of `p` holds.
pub fn heads_per_rank(kv_heads: u32, p: &Parallel) -> u32 {
    (kv_heads / p.tp.max(1)).max(1)
}

fn heads(claims: Claims, facts: &Facts<'_>) -> Claims {
    let (Some(s), Some(d)) = (facts.source().parallel(), facts.destination().parallel()) else { return claims };
    let heads = facts.source().kv_heads().or(facts.destination().kv_heads()).copied();
    // An MLA latent is one head that every rank holds; equal sizes hold equal heads.
    if s.tp == d.tp || heads == Some(1) {
        return claims.read::<Heads>(Accept::names(&["whole"]));
    }
    match heads {
        Some(_) => claims.read::<Heads>(Accept::names(&["sliced", "replicated"])),
        None => claims,
    }
}

fn entries(claims: Claims, facts: &Facts<'_>) -> Claims {
    let (Some(s), Some(d)) = (facts.source().parallel(), facts.destination().parallel()) else { return claims };
    claims.read::<Entries>(Accept::names(&[if s.pp == d.pp { "one-to-one" } else { "stage-subset" }]))
}

fn page(claims: Claims, facts: &Facts<'_>) -> Claims {
    let sizes = (facts.source().page_size(), facts.destination().page_size());
    let planes = (facts.source().planes(), facts.destination().planes());
    let differ = |a: bool, b: bool| claims_page(a || b);
    match (sizes, planes) {
        ((Some(a), Some(b)), (Some(x), Some(y))) => {
            let unequal = x.iter().any(|(kind, planes)| y.get(kind).is_some_and(|other| other != planes));
            claims.read::<Page>(differ(a != b, unequal))
        }
        ((Some(a), Some(b)), _) if a != b => claims.read::<Page>(differ(true, false)),
        _ => claims,
    }
}

fn claims_page(differ: bool) -> Accept {
    Accept::names(&[if differ { "repaged" } else { "same" }])
}

fn space(claims: Claims, facts: &Facts<'_>) -> Claims {
    match facts.destination().spaces() {
        Some(spaces) => claims.read::<Space>(Accept::names(&[if spaces.len() > 1 { "split" } else { "single" }])),
        None => claims,
    }
}
