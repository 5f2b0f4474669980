//! What a plugin is before it is opened: a `const` value with functions. `check` sees factories and configs only,
//! never an instance, so it touches no library, socket or thread.

use crate::claims::Claims;
use crate::config::Config;
use crate::connector::{Ctx, KvConnector};
use crate::draft::{Grants, RelayoutPolicy};
use crate::error::{PluginFault, Problem};
use crate::facts::Facts;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

/// A plugin. Submit one with [`plugin!`](crate::plugin).
#[derive(Clone, Copy)]
pub struct Factory {
    /// As configs name it. Third parties use a prefix of their own (`acme-mirror`).
    pub name: &'static str,
    pub version: &'static str,
    /// One line for `kvferry plugins`.
    pub about: &'static str,
    /// Assembled without being asked for; yields to a configured owner of the facet it owns (one facet each).
    pub by_default: bool,
    /// JSON schema of its config.
    pub schema: fn() -> schemars::Schema,
    /// What it would own and read with this config between these sides. Pure.
    pub claims: fn(&Config, &Facts<'_>) -> Result<Claims, Problem>,
    /// Other settings of it worth trying when it clashes. Each is re-checked before anyone sees it.
    pub alternatives: fn(&Config) -> Vec<Alternative>,
    pub open: Open,
}

/// Another setting of a part.
#[derive(Clone, Debug, PartialEq)]
pub struct Alternative {
    /// What to do, in the imperative: ``set `host_pages = "striped"` …``.
    pub label: String,
    pub config: Config,
}

/// How an instance is made, by kind.
#[derive(Clone, Copy)]
pub enum Open {
    Connector(OpenConnector),
    Relayout(OpenPolicy),
    Placement(OpenPolicy),
}

pub type OpenConnector = fn(Config, Ctx) -> OpeningConnector;
pub type OpeningConnector = Pin<Box<dyn Future<Output = Result<Arc<dyn KvConnector>, PluginFault>> + Send>>;
pub type OpenPolicy = fn(&Config, &mut Grants) -> Result<Arc<dyn RelayoutPolicy>, PluginFault>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Connector,
    Relayout,
    Placement,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Connector => "connector",
            Self::Relayout => "relayout",
            Self::Placement => "placement",
        })
    }
}

impl Factory {
    pub fn kind(&self) -> Kind {
        match self.open {
            Open::Connector(_) => Kind::Connector,
            Open::Relayout(_) => Kind::Relayout,
            Open::Placement(_) => Kind::Placement,
        }
    }

    /// Claims with the facts that were missing for them.
    ///
    /// # Errors
    /// What is wrong with the config.
    pub fn claims(&self, config: &Config, facts: Facts<'_>) -> Result<Claims, Problem> {
        let claims = (self.claims)(config, &facts)?;
        Ok(facts.finish(claims))
    }
}

impl fmt::Debug for Factory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Factory({} {} {})", self.kind(), self.name, self.version)
    }
}

inventory::collect!(Factory);

/// Submits a factory, so that a binary which links the crate (and says `use the_crate as _;`) finds it.
#[macro_export]
macro_rules! plugin {
    ($factory:expr) => {
        $crate::inventory::submit! { $factory }
    };
}
