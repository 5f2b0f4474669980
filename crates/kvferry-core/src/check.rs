//! The one check. It knows no pairs, only three rules:
//!
//! 1. a facet has at most one owner;
//! 2. every shape produced (by the owner, or the default) is accepted by everyone who reads the facet;
//! 3. owners run before their readers, and a cycle is refused.
//!
//! The same function answers policy × policy, policy × connector, node × peer and request × pool.

use crate::claims::{Accept, Claims, Deferred};
use crate::facet::{FacetId, Shape};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A named participant: a plugin, the layouts, a request.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Part {
    pub name: String,
    pub claims: Claims,
    /// Assembled without being asked for; yields to a configured owner of the facet it owns.
    pub by_default: bool,
}

impl Part {
    pub fn new(name: impl Into<String>, claims: Claims) -> Self {
        Self { name: name.into(), claims, by_default: false }
    }

    fn owns(&self, facet: &str) -> bool {
        self.claims.owned().any(|(f, _)| f.name == facet)
    }
}

/// Who produced a shape.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Producer {
    Part(String),
    /// Nobody owns the facet, so its default holds.
    Default,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Conflict {
    TwoOwners {
        facet: String,
        first: String,
        second: String,
    },
    NotAccepted {
        facet: String,
        shape: Shape,
        producer: Producer,
        reader: String,
        accepts: String,
    },
    FacetTypesDiffer {
        facet: String,
        first: String,
        second: String,
    },
    Cycle {
        parts: Vec<String>,
    },
    /// Two parts of one name cannot be told apart in a report or a grant.
    NameTwice {
        name: String,
    },
}

impl Conflict {
    pub fn parts(&self) -> Vec<&str> {
        match self {
            Self::TwoOwners { first, second, .. } | Self::FacetTypesDiffer { first, second, .. } => vec![first, second],
            Self::NotAccepted { producer: Producer::Part(p), reader, .. } => vec![p, reader],
            Self::NotAccepted { producer: Producer::Default, reader, .. } => vec![reader],
            Self::Cycle { parts } => parts.iter().map(String::as_str).collect(),
            Self::NameTwice { name } => vec![name],
        }
    }

    pub fn facet(&self) -> Option<&str> {
        match self {
            Self::TwoOwners { facet, .. } | Self::NotAccepted { facet, .. } | Self::FacetTypesDiffer { facet, .. } => {
                Some(facet)
            }
            Self::Cycle { .. } | Self::NameTwice { .. } => None,
        }
    }
}

/// The result of a check. Equal for equal parts in any order.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Verdict {
    pub conflicts: BTreeSet<Conflict>,
    /// Parts that will say more when the named facts are known: never to be shown as passed.
    pub deferred: BTreeMap<String, BTreeSet<Deferred>>,
    pub profile: Profile,
    /// Owners before readers; complete only without conflicts.
    pub order: Vec<String>,
    /// The parts that take part: default parts that yielded are gone.
    pub parts: Vec<Part>,
}

impl Verdict {
    pub fn passes(&self) -> bool {
        self.conflicts.is_empty()
    }
}

/// For every facet that somebody names, the shapes that can occur: the type of an assembled node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Profile(pub BTreeMap<String, Vec<Shape>>);

/// Runs the three rules over `parts`. All conflicts are collected.
pub fn check(parts: Vec<Part>) -> Verdict {
    let mut parts = without_yielding_defaults(parts);
    parts.sort_by(|a, b| a.name.cmp(&b.name));
    let mut conflicts = BTreeSet::new();
    for pair in parts.windows(2) {
        if pair[0].name == pair[1].name {
            conflicts.insert(Conflict::NameTwice { name: pair[0].name.clone() });
        }
    }
    let mut profile = Profile::default();
    for (facet, id) in facets(&parts, &mut conflicts) {
        let produced = produced(&parts, &facet, &id, &mut conflicts);
        for (reader, accept) in readers(&parts, &facet) {
            for (producer, shape) in produced.iter().filter(|(_, shape)| !accept.accepts(shape)) {
                conflicts.insert(Conflict::NotAccepted {
                    facet: facet.clone(),
                    shape: shape.clone(),
                    producer: producer.clone(),
                    reader: reader.into(),
                    accepts: accept.to_string(),
                });
            }
        }
        let shapes: BTreeSet<_> = produced.into_iter().map(|(_, shape)| shape).collect();
        profile.0.insert(facet, shapes.into_iter().collect());
    }
    let order = order(&parts, &mut conflicts);
    let deferred = parts
        .iter()
        .filter(|p| !p.claims.deferred.is_empty())
        .map(|p| (p.name.clone(), p.claims.deferred.clone()))
        .collect();
    Verdict { conflicts, deferred, profile, order, parts }
}

/// A default part goes when a configured part owns the facet that it owns.
fn without_yielding_defaults(parts: Vec<Part>) -> Vec<Part> {
    let (defaults, mut kept): (Vec<_>, Vec<_>) = parts.into_iter().partition(|p| p.by_default);
    for d in defaults {
        let yields = d.claims.owned().any(|(f, _)| kept.iter().any(|p| !p.by_default && p.owns(&f.name)));
        if !yields {
            kept.push(d);
        }
    }
    kept
}

fn facets(parts: &[Part], conflicts: &mut BTreeSet<Conflict>) -> BTreeMap<String, FacetId> {
    let mut seen: BTreeMap<String, (FacetId, &str)> = BTreeMap::new();
    for part in parts {
        for claim in &part.claims.list {
            let name = claim.facet.name.to_string();
            let first = seen.entry(name).or_insert_with(|| (claim.facet.clone(), &part.name));
            if !first.0.same_type(&claim.facet) {
                conflicts.insert(Conflict::FacetTypesDiffer {
                    facet: claim.facet.name.to_string(),
                    first: first.1.into(),
                    second: part.name.clone(),
                });
            }
        }
    }
    seen.into_iter().map(|(name, (id, _))| (name, id)).collect()
}

/// Shapes of a facet with their producers; more than one owner is a conflict.
fn produced(parts: &[Part], facet: &str, id: &FacetId, conflicts: &mut BTreeSet<Conflict>) -> Vec<(Producer, Shape)> {
    let owners: Vec<(&str, &[Shape])> = parts
        .iter()
        .flat_map(|p| p.claims.owned().filter(|(f, _)| f.name == facet).map(|(_, shapes)| (p.name.as_str(), shapes)))
        .collect();
    for (i, second) in owners.iter().enumerate().skip(1) {
        let first = owners[i - 1].0.into();
        conflicts.insert(Conflict::TwoOwners { facet: facet.into(), first, second: second.0.into() });
    }
    if owners.is_empty() {
        return id.default.iter().map(|s| (Producer::Default, s.clone())).collect();
    }
    owners
        .into_iter()
        .flat_map(|(part, shapes)| shapes.iter().map(move |s| (Producer::Part(part.into()), s.clone())))
        .collect()
}

fn readers<'a>(parts: &'a [Part], facet: &'a str) -> impl Iterator<Item = (&'a str, &'a Accept)> {
    parts.iter().flat_map(move |p| {
        p.claims.reads().filter(move |(f, _)| f.name == facet).map(|(_, accept)| (p.name.as_str(), accept))
    })
}

/// Owners before their readers, by name where that leaves a choice.
fn order(parts: &[Part], conflicts: &mut BTreeSet<Conflict>) -> Vec<String> {
    let mut left: Vec<&Part> = parts.iter().collect();
    let mut order = Vec::with_capacity(parts.len());
    while !left.is_empty() {
        let waits = |p: &Part| {
            p.claims.reads().any(|(f, _)| left.iter().any(|other| other.name != p.name && other.owns(&f.name)))
        };
        let Some(next) = left.iter().position(|p| !waits(p)) else {
            conflicts.insert(Conflict::Cycle { parts: cycle_members(&left) });
            break;
        };
        order.push(left.remove(next).name.clone());
    }
    order
}

/// Of the parts that could not be ordered, those that others of them wait for: bystanders behind a cycle are not named.
fn cycle_members(left: &[&Part]) -> Vec<String> {
    let mut members: Vec<&Part> = left.to_vec();
    loop {
        let awaited =
            |p: &Part| members.iter().any(|q| q.name != p.name && q.claims.reads().any(|(f, _)| p.owns(&f.name)));
        let kept: Vec<&Part> = members.iter().copied().filter(|p| awaited(p)).collect();
        if kept.len() == members.len() {
            return kept.into_iter().map(|p| p.name.clone()).collect();
        }
        members = kept;
    }
}
