//! The lines: [`Command`]s on standard input, [`Report`]s on standard output, one JSON object each. Log lines go to
//! standard error.

use kvferry_core::lease::LeaseState;
use kvferry_core::wire::{Failure, Phase, RoomKey};
use kvferry_testkit::content::Mismatch;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Command {
    /// Prefill: draw a nonce, take pages and fill them with the content of `tokens` tokens. Answered by
    /// [`Report::Filled`].
    Fill(Fill),
    /// Prefill: send what was filled, in chunks. Ends with [`Report::Outcome`] and [`Report::Lease`].
    Send(Send),
    /// Decode: poison the memory that is free, take pages and receive into them. Answered by [`Report::Receiving`].
    Receive(Receive),
    /// Decode: check every byte of this rank's memory against the nonce. Answered by [`Report::Verified`].
    Verify(Verify),
    Abort(RoomKey),
    /// Answered by [`Report::Status`].
    Status,
    /// Take no new requests, finish the old ones, and leave. So does the end of standard input, without waiting.
    Drain,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fill {
    pub key: RoomKey,
    /// Length of the prompt.
    pub tokens: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Send {
    pub key: RoomKey,
    /// Tokens a forward pass finishes; whole pages until the last chunk.
    pub chunk: u64,
    /// Flip one byte of this token of this layer just before its chunk leaves.
    #[serde(default)]
    pub corrupt: Option<Corrupt>,
    /// Stop before the last chunk until [`Command::Abort`] or the deadline: for tests that need a transfer under way.
    #[serde(default)]
    pub hold: bool,
    #[serde(default)]
    pub deadline_ms: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Corrupt {
    pub layer: u32,
    pub token: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Receive {
    pub key: RoomKey,
    pub tokens: u64,
    /// Tokens that decode has cached already: they are not sent.
    #[serde(default)]
    pub prefix: u64,
    /// Bootstrap server of the prefill instance.
    pub bootstrap: String,
    #[serde(default)]
    pub source_dp: u32,
    #[serde(default)]
    pub deadline_ms: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Verify {
    pub key: RoomKey,
    pub nonce: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Report {
    /// First line: the rank listens and is announced.
    Ready {
        name: String,
        pid: u32,
        control: String,
        bootstrap: String,
    },
    Filled {
        key: RoomKey,
        pages: u64,
        bytes: u64,
    },
    Receiving {
        key: RoomKey,
    },
    Phase {
        key: RoomKey,
        phase: Phase,
    },
    Outcome(Outcome),
    Lease {
        key: RoomKey,
        state: LeaseState,
    },
    Verified {
        key: RoomKey,
        result: Result<Verified, Mismatch>,
    },
    Status(Status),
    /// A command that could not be carried out; harms nothing else.
    Refused {
        command: String,
        problem: String,
    },
    /// Last line.
    Bye,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    pub key: RoomKey,
    pub result: Result<Delivered, Failure>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivered {
    pub bytes: u64,
    /// Nanoseconds from the command to the outcome, as this process saw it.
    pub nanos: u64,
    /// Prefill only: what the content was made from.
    pub nonce: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verified {
    /// Payload bytes that hold their content.
    pub payload: u64,
    /// Bytes that were checked to be untouched.
    pub untouched: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Status {
    pub pages_out: u64,
    pub pages_free: u64,
    pub leases_quarantined: u64,
    /// What the kernel counted on the data sockets since the start, payload and framing together.
    pub wire_sent: u64,
    pub wire_received: u64,
    pub resident_bytes: u64,
}
