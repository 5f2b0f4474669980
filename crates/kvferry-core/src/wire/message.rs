//! The messages.

use crate::claims::Claims;
use crate::config::Config;
use crate::connector::{ConnectorCard, WindowId};
use crate::error::{Code, PeerError};
use crate::layout::CacheLayout;
use crate::plan::TemplateDigest;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Versions of this protocol that this build speaks.
pub const VERSIONS: VersionRange = VersionRange { min: 1, max: 1 };

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VersionRange {
    pub min: u32,
    pub max: u32,
}

impl VersionRange {
    /// The highest version that both speak.
    pub fn common(self, other: Self) -> Option<u32> {
        let version = self.max.min(other.max);
        (version >= self.min && version >= other.min).then_some(version)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Message {
    #[serde(rename = "HELLO")]
    Hello(Box<Hello>),
    #[serde(rename = "VERDICT")]
    Verdict(Verdict),
    #[serde(rename = "CARD")]
    Card(NamedCard),
    #[serde(rename = "PREPARE")]
    Prepare(Box<Prepare>),
    #[serde(rename = "COMMIT")]
    Commit(Commit),
    #[serde(rename = "TAKEN")]
    Taken(RoomKey),
    #[serde(rename = "FAIL")]
    Fail(Fail),
    #[serde(rename = "ABORT")]
    Abort(Abort),
    #[serde(rename = "DRAINED")]
    Drained(RoomKey),
    #[serde(rename = "RESULT")]
    Result(Vote),
    #[serde(rename = "OUTCOME")]
    Outcome(Vote),
    #[serde(rename = "BEAT")]
    Beat(Beat),
}

/// Joins a prefill request and a decode request; `generation` says which use of the room id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RoomKey {
    pub room: u64,
    pub generation: u64,
}

impl fmt::Display for RoomKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "room {} generation {}", self.room, self.generation)
    }
}

/// One rank of one instance in one of its lives.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RankName {
    pub instance: String,
    /// Flat rank.
    pub rank: u32,
}

impl fmt::Display for RankName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.instance, self.rank)
    }
}

/// First message of either side of a link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hello {
    pub versions: VersionRange,
    pub name: RankName,
    pub epoch: u64,
    pub pool: Option<String>,
    pub layout: CacheLayout,
    /// Policies that this side's layout needs, with the claims they make here.
    pub policies: Vec<PolicyCard>,
    /// One card per connector, in the order of preference.
    pub connectors: Vec<NamedCard>,
}

/// A policy as its instance names it. The far side opens the same from what it has linked.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PolicyCard {
    pub name: String,
    pub version: String,
    pub config: Config,
    pub claims: Claims,
}

impl PartialEq for PolicyCard {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
            && self.version == other.version
            && self.config == other.config
            && self.claims.same_as(&other.claims)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedCard {
    pub connector: String,
    pub card: ConnectorCard,
}

/// What a side made of the other's HELLO.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// It can work; both must have come to the same.
    Agreed(Agreed),
    Refused(PeerError),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agreed {
    pub version: u32,
    pub connector: String,
    /// Template for bytes from the side that says this to the other, where it can send; `None` inside a group.
    pub sending: Option<TemplateDigest>,
    /// Template for the other direction.
    pub receiving: Option<TemplateDigest>,
}

/// Decode: where the bytes of a room go on this rank.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prepare {
    pub key: RoomKey,
    /// First token that decode wants: everything before it is cached there.
    pub prefix: u64,
    /// Per index space of the destination's layout.
    pub spaces: Vec<SpaceList>,
    pub aux_slot: Option<u32>,
    pub window: WindowId,
    /// dp rank of the destination group.
    pub dp: u32,
}

/// Pages of one index space, from a token on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpaceList {
    pub space: String,
    /// Position of the first token of `pages[0]`.
    pub first_token: u64,
    pub pages: Vec<u32>,
}

/// Prefill: every byte for this destination is acknowledged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commit {
    pub key: RoomKey,
    /// One past the last token that was sent.
    pub tokens: u64,
    /// Payload bytes that this source wrote.
    pub bytes: u64,
    /// The aux record, from the elected source only.
    pub aux: Option<AuxRecord>,
}

/// First token, logprobs and whatever else the framework carries beside the cache.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AuxRecord(#[serde(with = "serde_bytes")] pub Vec<u8>);

/// Prefill (or a group): the request failed here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fail {
    pub key: RoomKey,
    pub failure: Failure,
    /// Whether none of this side's writes for the room can still move. If not, the receiver asks with ABORT.
    pub quiet: bool,
}

/// Decode: give the room up and say when nothing moves any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Abort {
    pub key: RoomKey,
    pub failure: Failure,
}

/// Inside a group: a rank's result to its first rank, and the group's outcome back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Vote {
    pub key: RoomKey,
    pub rank: RankName,
    pub result: Result<(), Failure>,
}

/// Liveness, and renewal of what the named rooms hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Beat {
    pub sequence: u64,
    pub rooms: Vec<RoomKey>,
    pub draining: bool,
}

/// Why a request ended: the first cause, where it happened, and what it was doing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{phase} at {rank}: [{code}] {message}")]
pub struct Failure {
    pub code: Code,
    pub message: String,
    pub phase: Phase,
    /// Where the first cause arose.
    pub rank: RankName,
    /// The peer it concerns, where there is one.
    pub peer: Option<RankName>,
}

/// Where a request is. Ordered; polls never go back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Phase {
    /// Finding the peers, shaking hands, waiting for PREPARE.
    Handshake,
    /// Everybody is known; no bytes yet.
    Waiting,
    /// Bytes move.
    Transfer,
    /// All bytes are there; COMMIT, TAKEN and the group's outcome are under way.
    Commit,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Handshake => "handshake",
            Self::Waiting => "waiting",
            Self::Transfer => "transfer",
            Self::Commit => "commit",
        })
    }
}
