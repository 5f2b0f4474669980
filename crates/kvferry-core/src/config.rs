//! A plugin's own settings, as data: they come from a TOML file, cross the wire in HELLO, and are printed.

use crate::error::{Code, Problem};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The `config = { … }` of one plugin. Parse it with [`Config::parse`] into a type with `deny_unknown_fields`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Config(pub Map<String, Value>);

impl Config {
    pub fn empty() -> Self {
        Self::default()
    }

    /// The same config with one key set.
    #[must_use]
    pub fn with(&self, key: &str, value: impl Into<Value>) -> Self {
        let mut map = self.0.clone();
        map.insert(key.into(), value.into());
        Self(map)
    }

    /// # Errors
    /// `config-value`, pointing at the key that is unknown, missing or of the wrong type.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, Problem> {
        serde_path_to_error::deserialize(Value::Object(self.0.clone())).map_err(|e| {
            let path = e.path().to_string();
            let text = e.inner().to_string();
            let problem = Problem::new(Code::new("config-value"), text.clone());
            if path == "." { problem } else { problem.at(&path, text) }
        })
    }
}
