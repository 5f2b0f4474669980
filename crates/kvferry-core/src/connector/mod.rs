//! The contract of connectors: who moves bytes between registered regions of two peers.
//!
//! # The contract
//!
//! - `Ok` of a batch means that its bytes are in the peer's memory, so the engine may commit. Decode learns of arrival
//!   through the control channel only.
//! - The host makes [`Done`] and keeps the waiting half, so a batch ends exactly once whatever an author does:
//!   [`Done::finish`] gives the result and leaves a [`Settle`], whose [`quiet`](Settle::quiet) says that no byte of the
//!   batch can still move. Dropping `Done` means failed, dropping `Settle` means *cannot tell*.
//! - Work proceeds whether or not anyone polls. Dropping the future of an async method does not stop it.
//! - There is no order within or between batches; a failed batch leaves its window undefined.
//! - A connector writes only inside windows that the peer offered for that transfer, or claims `window` as `trusted`.
//! - Every method may be called from any thread, also concurrently, and never panics on what a peer says.

mod batch;
mod completion;
mod ctx;
mod host_memory;
mod region;
mod window;

pub use batch::{Batch, BatchGroup, BatchPart, Deadline, PeerId};
pub use completion::{Completion, Done, Quiet, QuietWatch, Settle, completion};
pub use ctx::{Ctx, Spawn};
pub use host_memory::HostMemory;
pub use region::Region;
pub use window::{WindowArea, WindowId, WindowIndex, WindowRegion, WriteWindow};

use crate::error::TransferError;
use crate::layout::RegionId;
use crate::plan::Template;
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use std::fmt::Debug;

/// Moves bytes between registered regions of two peers. See the [module docs](self) for what holds of all methods.
#[async_trait]
pub trait KvConnector: Debug + Send + Sync + 'static {
    /// The name it was registered under.
    fn name(&self) -> &str;

    /// Makes `region` usable under `id`, on this side as source and as destination.
    ///
    /// The host names it. The same id with the same range again is `Ok`; with another range it is an error, and so is
    /// a length of zero. Overlapping ranges under different ids are allowed. Lengths are 64 bits everywhere.
    ///
    /// # Errors
    /// [`TransferError::Registration`] naming region, size and reason.
    async fn register(&self, id: RegionId, region: Region) -> Result<(), TransferError>;

    /// Forgets a region. New work that names it fails at once; resolves when running work is quiet or `by` passes.
    async fn unregister(&self, id: RegionId, by: Deadline) -> Quiet;

    /// What it can take; constant after the first region is registered.
    fn limits(&self) -> Limits;

    /// What a peer needs to know to reach this connector. Changes when regions are added.
    fn card(&self) -> ConnectorCard;

    /// Makes the peer known; a newer card of a known peer is an update and gives the same id. Both sides connect, also
    /// where only one of them writes. May dial, or wait until the first batch.
    ///
    /// # Errors
    /// [`TransferError::Unsupported`] for a card it cannot read, [`TransferError::Transport`] where dialling failed.
    async fn connect(&self, peer: PeerCard) -> Result<PeerId, TransferError>;

    /// Tells of a template that batches to this peer will come from: once a rank pair, for engines with prepared lists.
    ///
    /// # Errors
    /// As [`KvConnector::connect`]; the pair is then not used.
    async fn prepare(&self, peer: PeerId, template: &Template) -> Result<(), TransferError>;

    /// Forgets a peer: its batches fail, its windows are revoked. Resolves when all that is quiet or `by` passes.
    async fn disconnect(&self, peer: PeerId, by: Deadline) -> Quiet;

    /// Receiver: lets one peer write into these pages until the window is revoked.
    ///
    /// # Errors
    /// [`TransferError::Unknown`] for a peer or a region it does not know, a page outside of its region.
    async fn offer(&self, window: WriteWindow) -> Result<WindowId, TransferError>;

    /// Receiver: resolves when bytes that the sender saw acknowledged are visible to this process's CPUs and to later
    /// device work.
    ///
    /// # Errors
    /// [`TransferError::Unknown`] for a revoked window, [`TransferError::Deadline`].
    async fn settle(&self, window: WindowId, by: Deadline) -> Result<(), TransferError>;

    /// Receiver: closes a window. `Proven` means that no byte can arrive through it any more. Revoking twice is fine.
    async fn revoke(&self, window: WindowId, by: Deadline) -> Quiet;

    /// Sender: starts moving a batch. Never blocks.
    ///
    /// # Errors
    /// Busy: the batch and its `Done` come back, to be submitted again.
    fn submit(&self, batch: Batch, done: Done) -> Result<(), Refused>;

    /// Ends everything. No thread of the connector runs after it resolved.
    async fn shutdown(&self, by: Deadline) -> Quiet;
}

/// A batch that did not fit; boxed, since it is the rare way back.
pub type Refused = Box<(Batch, Done)>;

/// What a connector can take, so that the engine splits batches and picks staging.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Most extents × pairs in one batch.
    pub descriptors_per_batch: u64,
    /// Most bytes in one batch.
    pub bytes_per_batch: u64,
    /// Batches that may be in flight to one peer; one more is `Busy`.
    pub in_flight: u32,
    /// Required alignment of offsets and lengths, a power of two; 1 = none.
    pub alignment: u32,
    /// Takes strided extents as they are. Otherwise a batch carries plain runs only.
    pub strided: bool,
    /// Rough cost of one more descriptor, in bytes that could move in the same time; for staging decisions.
    pub descriptor_cost: u32,
}

/// Opaque bytes for the peer's connector of the same name: addresses, keys, regions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConnectorCard {
    /// Version of `bytes`, for the connector's own use.
    pub version: u32,
    #[serde(with = "serde_bytes")]
    pub bytes: Vec<u8>,
}

/// Who a peer is, and how to reach its connector.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PeerCard {
    /// Instance name and flat rank: `decode-a-0/3`.
    pub name: String,
    /// Which life of that rank; a restarted one comes back with a higher epoch.
    pub epoch: u64,
    pub card: ConnectorCard,
}
