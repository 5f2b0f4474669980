//! Errors by blame: [`Problem`] (config author), [`PluginFault`] (plugin author), [`PeerError`] (other side),
//! [`TransferError`] (the world). Every one has a stable [`Code`].

mod codes;

pub use codes::{CODES, CodeInfo};

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// A stable name of a kind of problem: `not-accepted`. `kvferry explain CODE` tells its story. Codes of third parties
/// carry a vendor prefix (`acme/no-mirror`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Code(pub Cow<'static, str>);

impl Code {
    pub const fn new(code: &'static str) -> Self {
        Self(Cow::Borrowed(code))
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Something that the author of a config can mend. One problem renders as a terminal report, JSON, or one log line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    pub code: Code,
    /// Lowercase, without a full stop; names the part and the value.
    pub message: String,
    pub labels: Vec<Label>,
    /// Ways out, best first.
    pub help: Vec<String>,
}

/// A place in the config and what is wrong there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Label {
    pub place: Place,
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Place {
    /// Keys from the root of the plugin's own config; assembly turns this into a span of the file.
    Key(Vec<String>),
    /// Byte range of the config file.
    Span { start: usize, end: usize },
    /// JSON pointer into a document that has no file.
    Pointer(String),
}

impl Problem {
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), labels: Vec::new(), help: Vec::new() }
    }

    /// Points at a key of the plugin's own config.
    #[must_use]
    pub fn at(mut self, key: &str, text: impl Into<String>) -> Self {
        let keys = key.split('.').map(str::to_owned).collect();
        self.labels.push(Label { place: Place::Key(keys), text: text.into() });
        self
    }

    #[must_use]
    pub fn help(mut self, way_out: impl Into<String>) -> Self {
        self.help.push(way_out.into());
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}] {}", self.code, self.message)?;
        self.help.iter().try_for_each(|h| write!(f, "; {h}"))
    }
}

impl std::error::Error for Problem {}

/// A plugin broke its contract. Ends the request (or the assembly) that it happened in, and nothing else.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("plugin {plugin}: {kind}")]
pub struct PluginFault {
    pub plugin: String,
    pub kind: PluginFaultKind,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum PluginFaultKind {
    #[error("could not be opened: {0}")]
    Open(String),
    #[error("panicked: {0}")]
    Panic(String),
    #[error("wrote facet {facet} as `{shape}`, which it did not claim")]
    Unclaimed { facet: String, shape: String },
    #[error("used a token of facet {facet} that another check gave out")]
    ForeignToken { facet: String },
    #[error("wrote facet {facet} twice")]
    WrittenTwice { facet: String },
    #[error("claims facet {facet} and was not granted it")]
    NotGranted { facet: String },
}

impl PluginFault {
    pub fn new(plugin: impl Into<String>, kind: PluginFaultKind) -> Self {
        Self { plugin: plugin.into(), kind }
    }

    pub fn code(&self) -> Code {
        Code::new(match self.kind {
            PluginFaultKind::Open(_) => "plugin-open",
            PluginFaultKind::Panic(_) => "plugin-panic",
            PluginFaultKind::Unclaimed { .. } => "plugin-unclaimed",
            PluginFaultKind::ForeignToken { .. } => "plugin-foreign-token",
            PluginFaultKind::WrittenTwice { .. } => "plugin-written-twice",
            PluginFaultKind::NotGranted { .. } => "plugin-not-granted",
        })
    }
}

/// The other side cannot or may not do this with us. Both sides learn it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("[{code}] {message} (ours: {ours}, theirs: {theirs})")]
pub struct PeerError {
    pub code: Code,
    pub message: String,
    /// The facet, where the refusal came out of the check.
    pub facet: Option<String>,
    pub ours: String,
    pub theirs: String,
}

impl PeerError {
    pub fn new(
        code: &'static str,
        message: impl Into<String>,
        ours: impl fmt::Display,
        theirs: impl fmt::Display,
    ) -> Self {
        let (ours, theirs) = (ours.to_string(), theirs.to_string());
        Self { code: Code::new(code), message: message.into(), facet: None, ours, theirs }
    }
}

/// What became of bytes on their way. The only class that feeds liveness is [`TransferError::Transport`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum TransferError {
    #[error("deadline passed")]
    Deadline,
    #[error("aborted")]
    Aborted,
    #[error("connector {connector} gave the batch up without a result")]
    Abandoned { connector: String },
    #[error("transport: {0}")]
    Transport(String),
    #[error("peer refused the write: {0}")]
    WindowRefused(String),
    #[error("unknown {what}")]
    Unknown { what: String },
    #[error("{region} cannot be registered: {reason}")]
    Registration { region: String, reason: String },
    #[error("not supported by connector {connector}: {what}")]
    Unsupported { connector: String, what: String },
    #[error("shut down")]
    Shutdown,
}

/// Whether trying again can help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retry {
    Never,
    SamePeer,
    OtherPeer,
}

impl TransferError {
    pub fn retry(&self) -> Retry {
        match self {
            Self::Deadline | Self::Transport(_) | Self::Shutdown | Self::Abandoned { .. } => Retry::OtherPeer,
            Self::Aborted | Self::Unknown { .. } => Retry::SamePeer,
            Self::WindowRefused(_) | Self::Registration { .. } | Self::Unsupported { .. } => Retry::Never,
        }
    }

    pub fn code(&self) -> Code {
        Code::new(match self {
            Self::Deadline => "transfer-deadline",
            Self::Aborted => "transfer-aborted",
            Self::Abandoned { .. } => "transfer-abandoned",
            Self::Transport(_) => "transfer-transport",
            Self::WindowRefused(_) => "transfer-window-refused",
            Self::Unknown { .. } => "transfer-unknown",
            Self::Registration { .. } => "transfer-registration",
            Self::Unsupported { .. } => "transfer-unsupported",
            Self::Shutdown => "transfer-shutdown",
        })
    }

    /// Only trouble of the transport says anything about the health of the peer.
    pub fn feeds_liveness(&self) -> bool {
        matches!(self, Self::Transport(_))
    }
}
