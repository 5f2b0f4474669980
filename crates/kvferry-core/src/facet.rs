//! Facets: the named aspects of a template. A facet is a type in Rust and a name everywhere else (wire, C boundary,
//! reports). Anyone can add one under a vendor prefix (`acme/mirror`) without touching this crate.

use crate::layout::MemoryKind;
use serde::{Deserialize, Serialize};
use std::any::TypeId;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::{self, Debug};

/// One named aspect of a template.
///
/// Shapes are derived from the value that is written, so a policy cannot write one thing and say another.
pub trait Facet: 'static {
    /// Unique; two types under one name are refused by [`check`](crate::check::check).
    const NAME: &'static str;
    type Value: Clone + Debug + Send + Sync + 'static;
    /// What holds when nobody owns the facet.
    fn default_value() -> Self::Value;
    fn shapes(value: &Self::Value) -> Vec<Shape>;
}

/// A name with integers: the part of a value that others may accept or refuse.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Shape {
    pub name: Cow<'static, str>,
    pub args: Vec<(Cow<'static, str>, i64)>,
}

impl Shape {
    pub fn new(name: &'static str, args: &[(&'static str, i64)]) -> Self {
        Self { name: name.into(), args: args.iter().map(|(k, v)| (Cow::Borrowed(*k), *v)).collect() }
    }

    pub fn arg(&self, name: &str) -> Option<i64> {
        self.args.iter().find(|(k, _)| k == name).map(|(_, v)| *v)
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        for (i, (k, v)) in self.args.iter().enumerate() {
            write!(f, "{} {k} = {v}", if i == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

/// A facet as data. `ty` is known where the claim was made by Rust code in this process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FacetId {
    pub name: Cow<'static, str>,
    /// Shapes of the default value.
    pub default: Vec<Shape>,
    #[serde(skip)]
    pub ty: Option<TypeId>,
}

impl FacetId {
    pub fn of<F: Facet>() -> Self {
        Self { name: F::NAME.into(), default: F::shapes(&F::default_value()), ty: Some(TypeId::of::<F>()) }
    }

    /// Two claims speak of one facet only if their types agree, as far as both are known, and their defaults too.
    pub fn same_type(&self, other: &Self) -> bool {
        self.default == other.default && (self.ty.is_none() || other.ty.is_none() || self.ty == other.ty)
    }
}

/// Plugin that owns a core facet by convention, so that a report can name it when it is not assembled.
pub fn usual_owner(facet: &str) -> Option<&'static str> {
    match facet {
        "entries" => Some("stages"),
        "heads" => Some("heads"),
        "tokens" => Some("dcp"),
        "page" => Some("repage"),
        "space" => Some("hisparse"),
        _ => None,
    }
}

/// Which tokens move.
#[derive(Debug)]
pub struct Span;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum SpanValue {
    /// From the end of the prefix that decode has cached to the end of the prompt.
    Suffix,
}

impl Facet for Span {
    const NAME: &'static str = "span";
    type Value = SpanValue;
    fn default_value() -> SpanValue {
        SpanValue::Suffix
    }
    fn shapes(_: &SpanValue) -> Vec<Shape> {
        vec![Shape::new("suffix", &[])]
    }
}

/// Which source entry feeds which destination entry. Pairing is always by [`EntryKey`](crate::layout::EntryKey).
#[derive(Debug)]
pub struct Entries;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum EntryMap {
    /// Both sides have the same entries.
    OneToOne,
    /// The source has some of the destination's entries: it is one pipeline stage of several.
    StageSubset,
}

impl Facet for Entries {
    const NAME: &'static str = "entries";
    type Value = EntryMap;
    fn default_value() -> EntryMap {
        EntryMap::OneToOne
    }
    fn shapes(value: &EntryMap) -> Vec<Shape> {
        vec![Shape::new(
            match value {
                EntryMap::OneToOne => "one-to-one",
                EntryMap::StageSubset => "stage-subset",
            },
            &[],
        )]
    }
}

/// Which bytes of a token row move.
#[derive(Debug)]
pub struct Heads;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum HeadMap {
    /// Both ranks hold the same heads.
    Whole,
    /// The heads that both ranks hold, which are not all of either side's.
    Sliced,
    /// As `Sliced`, where more ranks than heads hold copies.
    Replicated,
}

impl Facet for Heads {
    const NAME: &'static str = "heads";
    type Value = HeadMap;
    fn default_value() -> HeadMap {
        HeadMap::Whole
    }
    fn shapes(value: &HeadMap) -> Vec<Shape> {
        vec![Shape::new(
            match value {
                HeadMap::Whole => "whole",
                HeadMap::Sliced => "sliced",
                HeadMap::Replicated => "replicated",
            },
            &[],
        )]
    }
}

/// Which tokens of a *sharded* entry belong to this destination rank. A replicated entry takes all of them, whoever
/// owns this facet.
#[derive(Debug)]
pub struct Tokens;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum TokenMap {
    All,
    /// The source holds every token, and this rank takes its stripe.
    Striped(Stripe),
    /// Both sides hold the same stripe, so rows move as they lie.
    Aligned(Stripe),
}

/// Token `g` belongs to rank `(g / interleave) mod n`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Stripe {
    pub n: u32,
    pub interleave: u32,
    pub rank: u32,
}

impl Facet for Tokens {
    const NAME: &'static str = "tokens";
    type Value = TokenMap;
    fn default_value() -> TokenMap {
        TokenMap::All
    }
    fn shapes(value: &TokenMap) -> Vec<Shape> {
        let shape = |name, s: &Stripe| Shape::new(name, &[("n", s.n.into()), ("interleave", s.interleave.into())]);
        vec![match value {
            TokenMap::All => Shape::new("all", &[]),
            TokenMap::Striped(s) => shape("striped", s),
            TokenMap::Aligned(s) => shape("aligned", s),
        }]
    }
}

/// How source and destination page sizes and planes relate.
#[derive(Debug)]
pub struct Page;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum PageMap {
    /// Equal rows a page on one rank, and equal planes.
    Same,
    /// Row by row between pages of different size or arrangement.
    Repaged,
}

impl Facet for Page {
    const NAME: &'static str = "page";
    type Value = PageMap;
    fn default_value() -> PageMap {
        PageMap::Same
    }
    fn shapes(value: &PageMap) -> Vec<Shape> {
        vec![Shape::new(
            match value {
                PageMap::Same => "same",
                PageMap::Repaged => "repaged",
            },
            &[],
        )]
    }
}

/// Which index space a destination entry is addressed through.
#[derive(Debug)]
pub struct Space;

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum SpaceMap {
    /// One space for all entries.
    Single,
    /// History in the `host` space, everything else through the `logical` space.
    Split { host: String, logical: String },
}

impl Facet for Space {
    const NAME: &'static str = "space";
    type Value = SpaceMap;
    fn default_value() -> SpaceMap {
        SpaceMap::Single
    }
    fn shapes(value: &SpaceMap) -> Vec<Shape> {
        vec![Shape::new(
            match value {
                SpaceMap::Single => "single",
                SpaceMap::Split { .. } => "split",
            },
            &[],
        )]
    }
}

/// Memory kinds of the registered entries of both sides. Owned by the layouts, read by connectors.
#[derive(Debug)]
pub struct Memory;

impl Facet for Memory {
    const NAME: &'static str = "memory";
    type Value = BTreeSet<MemoryKind>;
    fn default_value() -> BTreeSet<MemoryKind> {
        BTreeSet::from([MemoryKind::Host])
    }
    fn shapes(value: &BTreeSet<MemoryKind>) -> Vec<Shape> {
        value.iter().map(|kind| Shape::new(kind.name(), &[])).collect()
    }
}

/// Who enforces where a peer may write. Owned by the connector, read by whoever must not trust peers.
#[derive(Debug)]
pub struct Window;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum WindowValue {
    Enforced,
    Trusted,
}

impl Facet for Window {
    const NAME: &'static str = "window";
    type Value = WindowValue;
    fn default_value() -> WindowValue {
        WindowValue::Trusted
    }
    fn shapes(value: &WindowValue) -> Vec<Shape> {
        vec![Shape::new(
            match value {
                WindowValue::Enforced => "enforced",
                WindowValue::Trusted => "trusted",
            },
            &[],
        )]
    }
}
