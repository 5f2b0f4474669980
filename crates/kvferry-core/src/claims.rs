//! Claims as data: "I own facet F and produce these shapes", "I read facet F and accept only these shapes".

use crate::facet::{Facet, FacetId, Shape};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

/// Everything one part claims, and the facts it would have needed to say more.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Claims {
    pub list: Vec<Claim>,
    /// Facts that were read and are not known yet; the part's verdict is deferred until they are.
    pub deferred: BTreeSet<Deferred>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Claim {
    pub facet: FacetId,
    pub role: ClaimRole,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ClaimRole {
    /// Every shape that may be written.
    Own(Vec<Shape>),
    Read(Accept),
}

impl Claims {
    /// Claims nothing: composes with everything.
    pub fn none() -> Self {
        Self::default()
    }

    #[must_use]
    pub fn own<F: Facet>(mut self, shapes: Vec<Shape>) -> Self {
        self.list.push(Claim { facet: FacetId::of::<F>(), role: ClaimRole::Own(shapes) });
        self
    }

    #[must_use]
    pub fn read<F: Facet>(mut self, accept: Accept) -> Self {
        self.list.push(Claim { facet: FacetId::of::<F>(), role: ClaimRole::Read(accept) });
        self
    }

    pub fn owned(&self) -> impl Iterator<Item = (&FacetId, &[Shape])> {
        self.list.iter().filter_map(|c| match &c.role {
            ClaimRole::Own(shapes) => Some((&c.facet, shapes.as_slice())),
            ClaimRole::Read(_) => None,
        })
    }

    pub fn reads(&self) -> impl Iterator<Item = (&FacetId, &Accept)> {
        self.list.iter().filter_map(|c| match &c.role {
            ClaimRole::Read(accept) => Some((&c.facet, accept)),
            ClaimRole::Own(_) => None,
        })
    }

    /// Equal in what they claim; what they still wait for is not compared.
    pub fn same_as(&self, other: &Self) -> bool {
        self.list.len() == other.list.len()
            && self
                .list
                .iter()
                .zip(&other.list)
                .all(|(a, b)| a.facet.same_type(&b.facet) && a.facet.name == b.facet.name && a.role == b.role)
    }
}

/// Which shapes a reader accepts. Data, not a closure: it crosses the wire and the C boundary and is printed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Accept {
    Any,
    OneOf(Vec<Pattern>),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pattern {
    pub name: Cow<'static, str>,
    pub tests: Vec<(Cow<'static, str>, Test)>,
}

/// A test on one integer of a shape. An integer that the shape does not have passes no test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Test {
    Equal(i64),
    AtMost(i64),
    /// The shape's integer divides this one.
    Divides(i64),
}

impl Accept {
    pub fn names(names: &[&'static str]) -> Self {
        Self::OneOf(names.iter().map(|n| Pattern { name: (*n).into(), tests: vec![] }).collect())
    }

    /// Accepts this shape and no other.
    pub fn exactly(shape: &Shape) -> Self {
        let tests = shape.args.iter().map(|(k, v)| (k.clone(), Test::Equal(*v))).collect();
        Self::OneOf(vec![Pattern { name: shape.name.clone(), tests }])
    }

    pub fn accepts(&self, shape: &Shape) -> bool {
        match self {
            Self::Any => true,
            Self::OneOf(patterns) => patterns.iter().any(|p| p.matches(shape)),
        }
    }
}

impl Pattern {
    fn matches(&self, shape: &Shape) -> bool {
        self.name == shape.name
            && self.tests.iter().all(|(arg, test)| shape.arg(arg).is_some_and(|value| test.passes(value)))
    }
}

impl Test {
    fn passes(self, value: i64) -> bool {
        match self {
            Self::Equal(x) => value == x,
            Self::AtMost(x) => value <= x,
            Self::Divides(x) => x.checked_rem(value) == Some(0),
        }
    }
}

impl fmt::Display for Accept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::OneOf(patterns) = self else { return f.write_str("anything") };
        for (i, p) in patterns.iter().enumerate() {
            let or = if i == 0 { "" } else { " or " };
            write!(f, "{or}`{}`", p.name)?;
            for (k, (arg, test)) in p.tests.iter().enumerate() {
                let and = if k == 0 { " with " } else { ", " };
                match test {
                    Test::Equal(x) => write!(f, "{and}{arg} = {x}")?,
                    Test::AtMost(x) => write!(f, "{and}{arg} at most {x}")?,
                    Test::Divides(x) => write!(f, "{and}{arg} dividing {x}")?,
                }
            }
        }
        Ok(())
    }
}

/// A fact that is not known yet.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Deferred {
    /// What is missing, as a config key would name it: `layout.page_size`.
    pub fact: Cow<'static, str>,
    pub until: Until,
}

/// When a missing fact will be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Until {
    /// Ours: when the framework registers its memory.
    Start,
    /// Theirs: when a peer says HELLO.
    Handshake,
}

impl fmt::Display for Deferred {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.until {
            Until::Start => write!(f, "our {}, known at start", self.fact),
            Until::Handshake => write!(f, "the far side's {}, known at handshake", self.fact),
        }
    }
}
