//! Finding plugins by name: those linked into this binary, or an explicit list for embedders whose linker drops
//! constructors (a static library linked by a C toolchain keeps none).

use crate::error::{Code, Problem};
use crate::factory::{Factory, Kind};
use std::collections::BTreeMap;

/// Plugins by name. Two of one name are refused when the registry is built.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    by_name: BTreeMap<&'static str, Factory>,
}

/// Names of plugins that exist, so that "not linked" and "misspelt" can be told apart.
const KNOWN: &[(&str, &str)] = &[
    ("tcp", "kvferry-connector-tcp"),
    ("shm", "kvferry-connector-shm"),
    ("mooncake", "kvferry-connector-mooncake"),
    ("nixl", "kvferry-connector-nixl"),
    ("dcp", "kvferry-relayout-dcp"),
    ("heads", "kvferry-relayout-heads"),
    ("stages", "kvferry-relayout-stages"),
    ("repage", "kvferry-relayout-repage"),
    ("hisparse", "kvferry-placement-hisparse"),
];

impl Registry {
    /// Every plugin linked into this binary.
    ///
    /// # Errors
    /// `plugin-twice`, where two crates submit one name.
    pub fn linked() -> Result<Self, Problem> {
        Self::of(inventory::iter::<Factory>.into_iter().copied())
    }

    /// An explicit list.
    ///
    /// # Errors
    /// `plugin-twice`, where two factories have one name.
    pub fn of(factories: impl IntoIterator<Item = Factory>) -> Result<Self, Problem> {
        let mut by_name = BTreeMap::new();
        for factory in factories {
            if let Some(first) = by_name.insert(factory.name, factory) {
                let message = format!(
                    "two plugins are named `{}`: {first:?} and {factory:?}; unlink or rename one",
                    factory.name
                );
                return Err(Problem::new(Code::new("plugin-twice"), message));
            }
        }
        Ok(Self { by_name })
    }

    pub fn iter(&self) -> impl Iterator<Item = &Factory> {
        self.by_name.values()
    }

    pub fn get(&self, name: &str) -> Option<&Factory> {
        self.by_name.get(name)
    }

    /// The plugin of this name, if it is of one of these kinds.
    ///
    /// # Errors
    /// `plugin-unknown` (misspelt, with the nearest names), `plugin-not-linked`, or `plugin-kind`.
    pub fn find(&self, name: &str, kinds: &[Kind]) -> Result<&Factory, Problem> {
        let Some(factory) = self.get(name) else { return Err(self.missing(name, kinds)) };
        if kinds.contains(&factory.kind()) {
            return Ok(factory);
        }
        let message = format!("plugin `{name}` is a {}, and a {} belongs here", factory.kind(), kind_names(kinds));
        Err(Problem::new(Code::new("plugin-kind"), message))
    }

    fn missing(&self, name: &str, kinds: &[Kind]) -> Problem {
        let here: Vec<_> = self.iter().filter(|f| kinds.contains(&f.kind())).map(|f| f.name).collect();
        let available = if here.is_empty() { "none".to_owned() } else { here.join(", ") };
        if let Some((_, package)) = KNOWN.iter().find(|(known, _)| *known == name) {
            return Problem::new(
                Code::new("plugin-not-linked"),
                format!("plugin `{name}` is not linked into this binary; available: {available}"),
            )
            .help(format!("add the crate {package} to the binary and `use` it"));
        }
        let problem = Problem::new(
            Code::new("plugin-unknown"),
            format!("no {} plugin is named `{name}`; available: {available}", kind_names(kinds)),
        );
        match here.iter().map(|n| (distance(n, name), n)).min() {
            Some((d, near)) if d <= 2 => problem.help(format!("did you mean `{near}`?")),
            _ => problem.help(format!("link the crate that provides `{name}`, or correct the name")),
        }
    }
}

fn kind_names(kinds: &[Kind]) -> String {
    kinds.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or ")
}

/// Edits between two names, for a suggestion.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
