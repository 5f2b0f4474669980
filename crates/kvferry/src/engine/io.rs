//! The seam between the engine and whoever drives it: everything that comes in, and everything that goes out.
//!
//! Every effect that asks for an answer is answered exactly once by the input named in its docs, in any order and
//! after any delay. The engine never assumes that an answer comes soon: its own timers end requests.

use kvferry_core::connector::{PeerId, Quiet, WindowId};
use kvferry_core::error::{PeerError, TransferError};
use kvferry_core::layout::Parallel;
use kvferry_core::lease::LeaseState;
use kvferry_core::wire::{Agreed, AuxRecord, Failure, Hello, Message, Phase, Prepare, RankName, RoomKey, SpaceList};
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

/// A point on the driver's monotonic clock, from its start.
pub type Time = Duration;

/// A control connection. The engine numbers those it dials, the driver those it accepts; the numbers never meet:
/// the driver's are odd, the engine's even.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LinkId(pub u64);

/// A request of the local API. Never used twice, unlike a room id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Handle(pub u64);

/// One chunk going to one destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MoveId(pub u64);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FetchId(pub u64);

#[derive(Debug)]
pub enum Input {
    /// A timer of [`Engine::next_timer`](super) has come.
    Tick,

    // From the API.
    Send(SendRequest),
    Receive(ReceiveRequest),
    Chunk {
        handle: Handle,
        chunk: Arc<SendChunk>,
    },
    Abort {
        handle: Handle,
        failure: Option<Failure>,
    },
    /// Take no new requests; [`Event::Drained`] when none is left.
    Drain,

    // From the network.
    Accepted {
        link: LinkId,
    },
    /// Answers [`Effect::Dial`].
    Dialled {
        link: LinkId,
        result: Result<(), TransferError>,
    },
    Received {
        link: LinkId,
        message: Message,
    },
    /// A link is gone, whoever closed it; also the end of a link whose dial failed is `Dialled`, not this.
    Closed {
        link: LinkId,
        error: TransferError,
    },
    /// Answers [`Effect::FetchTable`].
    Table {
        fetch: FetchId,
        result: Result<RankTable, TransferError>,
    },

    // From plugins.
    /// Answers [`Effect::Judge`].
    Judged {
        link: LinkId,
        result: Result<Judgement, PeerError>,
    },
    /// Answers [`Effect::Offer`].
    Offered {
        handle: Handle,
        source: RankName,
        result: Result<WindowId, TransferError>,
    },
    /// Answers [`Effect::Settle`].
    Settled {
        handle: Handle,
        window: WindowId,
        result: Result<(), TransferError>,
    },
    /// Answers [`Effect::Revoke`].
    Revoked {
        handle: Handle,
        window: WindowId,
        quiet: Quiet,
    },
    /// Answers [`Effect::Move`], first half: payload bytes that are in the peer's memory.
    Moved {
        id: MoveId,
        result: Result<u64, MoveError>,
    },
    /// Answers [`Effect::Move`], second half; may come long after the first, also without one of success.
    MoveQuiet {
        id: MoveId,
        quiet: Quiet,
    },
}

#[derive(Debug)]
pub enum Effect {
    /// Answered by [`Input::Dialled`]; the peer that answers must be `expect`, which its HELLO says.
    Dial {
        link: LinkId,
        address: String,
        expect: RankName,
    },
    Send {
        link: LinkId,
        message: Message,
    },
    /// Answered by [`Input::Closed`], unless it is closed already.
    Close {
        link: LinkId,
    },
    /// Ask a bootstrap server for an instance's ranks. Answered by [`Input::Table`].
    FetchTable {
        fetch: FetchId,
        bootstrap: String,
    },

    /// Check a peer's HELLO against ours, compile templates, connect the connector. Answered by [`Input::Judged`].
    Judge {
        link: LinkId,
        hello: Box<Hello>,
    },
    /// The judged peer is gone in this epoch: disconnect. Not answered.
    Forget {
        peer: PeerId,
    },

    /// Decode: let `peer` write into these pages. Answered by [`Input::Offered`].
    Offer {
        handle: Handle,
        source: RankName,
        peer: PeerId,
        spaces: Arc<[SpaceList]>,
    },
    /// Decode: make arrived bytes visible. Answered by [`Input::Settled`].
    Settle {
        handle: Handle,
        window: WindowId,
    },
    /// Decode: close a window. Answered by [`Input::Revoked`].
    Revoke {
        handle: Handle,
        window: WindowId,
    },
    /// Prefill: plan and submit a chunk when it is ready. Answered by [`Input::Moved`] and [`Input::MoveQuiet`].
    Move(Box<Move>),
    /// Prefill: nobody waits for this move any more. Its two answers still come.
    Cancel {
        id: MoveId,
    },

    /// For the API.
    Event(Event),
}

/// Prefill: a request whose pages will be given chunk by chunk.
#[derive(Clone, Debug)]
pub struct SendRequest {
    pub handle: Handle,
    pub key: RoomKey,
    /// Which dp rank of ours holds it; every rank of that group sends.
    pub dp: u32,
    /// How long until it fails, from now.
    pub deadline: Duration,
    /// Sent along with COMMIT by the elected source.
    pub aux: Option<AuxRecord>,
}

/// Decode: a request whose pages are ready to be written.
#[derive(Clone, Debug)]
pub struct ReceiveRequest {
    pub handle: Handle,
    pub key: RoomKey,
    /// Address of the bootstrap server of the prefill instance.
    pub bootstrap: String,
    /// dp rank of the prefill group that computes it.
    pub source_dp: u32,
    pub dp: u32,
    pub prefix: u64,
    pub spaces: Arc<[SpaceList]>,
    pub aux_slot: Option<u32>,
    pub deadline: Duration,
}

/// What one forward pass finished.
#[derive(Debug)]
pub struct SendChunk {
    /// Number within its request, from 0.
    pub index: u32,
    pub tokens: Range<u64>,
    /// Per index space of the source's layout.
    pub spaces: Vec<SpaceList>,
    pub last: bool,
    /// Set by the last chunk where the framework knows it only then.
    pub aux: Option<AuxRecord>,
}

/// The ranks of an instance, as its bootstrap server knows them.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct RankTable {
    pub instance: String,
    pub parallel: Parallel,
    /// KV heads of the model; 1 where every TP rank holds the whole cache.
    pub kv_heads: u32,
    pub ranks: Vec<RankCard>,
}

#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct RankCard {
    pub rank: u32,
    /// Where its control channel listens, `host:port`.
    pub address: String,
    pub epoch: u64,
    pub draining: bool,
}

/// A peer that can work with us.
#[derive(Clone, Debug)]
pub struct Judgement {
    pub agreed: Agreed,
    /// As the chosen connector numbers it. `None` for a member of our own group.
    pub peer: Option<PeerId>,
}

/// A chunk for one destination.
#[derive(Clone, Debug)]
pub struct Move {
    pub id: MoveId,
    pub handle: Handle,
    pub key: RoomKey,
    pub to: RankName,
    pub peer: PeerId,
    pub chunk: Arc<SendChunk>,
    /// Where it goes: pages, window and prefix of that destination.
    pub prepare: Arc<Prepare>,
    pub deadline: Time,
}

/// Why a chunk did not arrive.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MoveError {
    /// The request is wrong; says nothing about the peer.
    #[error(transparent)]
    Plan(#[from] kvferry_core::plan::PlanError),
    #[error(transparent)]
    Transfer(#[from] TransferError),
    /// A plugin panicked; the panic was caught.
    #[error(transparent)]
    Fault(#[from] kvferry_core::error::PluginFault),
}

/// What the API learns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// Phases only go forward.
    Phase {
        handle: Handle,
        phase: Phase,
    },
    /// Prefill: every destination has said what it has cached; the smallest of it.
    Prefix {
        handle: Handle,
        prefix: u64,
    },
    /// The one terminal state of a request, by its deadline.
    Outcome {
        handle: Handle,
        result: Result<Delivered, Failure>,
    },
    /// Pages: changes until `Returned`, also after the outcome.
    Lease {
        handle: Handle,
        state: LeaseState,
    },
    Peer {
        name: RankName,
        state: PeerState,
    },
    Drained,
}

/// What a successful request says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Delivered {
    /// Payload bytes that this rank wrote (prefill) or was told of (decode).
    pub bytes: u64,
    /// One past the last token (decode).
    pub tokens: u64,
    /// On decode ranks whose source was elected.
    pub aux: Option<AuxRecord>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PeerState {
    Ready,
    /// Its requests fail fast with this cause; it is probed.
    Suspect(TransferError),
    /// It or we refuse to work together.
    Refused(PeerError),
    Draining,
    Gone,
}
