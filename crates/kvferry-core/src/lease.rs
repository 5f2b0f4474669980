//! Leases: pages lent to a transfer. They come back when the transfer is quiet, and in no other way.

use serde::{Deserialize, Serialize};

/// Where the pages of one request are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum LeaseState {
    /// Lent: bytes may move.
    Held,
    /// The request has ended and nobody can yet show that it is quiet. Counted, visible, and not returned.
    Quarantined,
    /// Quiet: the pages are the owner's again.
    Returned,
}
