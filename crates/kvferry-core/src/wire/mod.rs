//! What peers say to each other over the control channel: length-limited MessagePack frames of named fields.
//! Unknown fields are ignored, unknown messages are counted and skipped, and `HELLO` carries the range of versions.

mod codec;
mod message;

pub use codec::{FrameDecoder, MAX_FRAME, WireError, encode};
pub use message::*;
