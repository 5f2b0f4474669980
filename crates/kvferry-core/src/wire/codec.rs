//! Frames: a 32-bit big-endian length, then one message in MessagePack with named fields.

use super::Message;

/// Longest frame body that is read or written, in bytes.
pub const MAX_FRAME: usize = 16 << 20;

/// Ends the connection it happened on, and nothing else.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    #[error("frame of {length} bytes, and at most {MAX_FRAME} are taken")]
    TooLong { length: usize },
    #[error("frame is not a message: {0}")]
    Malformed(String),
}

/// Appends the frame of `message` to `out`.
///
/// # Errors
/// [`WireError::TooLong`]; nothing was appended then.
pub fn encode(message: &Message, out: &mut Vec<u8>) -> Result<(), WireError> {
    let start = out.len();
    out.extend_from_slice(&[0; 4]);
    if let Err(e) = rmp_serde::encode::write_named(out, message) {
        out.truncate(start);
        return Err(WireError::Malformed(e.to_string()));
    }
    let length = out.len() - start - 4;
    if length > MAX_FRAME {
        out.truncate(start);
        return Err(WireError::TooLong { length });
    }
    out[start..start + 4].copy_from_slice(&(length as u32).to_be_bytes());
    Ok(())
}

/// Cuts a stream of bytes into messages.
#[derive(Debug, Default)]
pub struct FrameDecoder {
    buffer: Vec<u8>,
    start: usize,
    /// Well-formed messages of a kind that this build does not know.
    pub skipped: u64,
}

impl FrameDecoder {
    pub fn push(&mut self, bytes: &[u8]) {
        self.buffer.drain(..std::mem::take(&mut self.start));
        self.buffer.extend_from_slice(bytes);
    }

    /// The next whole message, if there is one.
    ///
    /// # Errors
    /// The stream cannot be read on: close the connection.
    pub fn next_message(&mut self) -> Result<Option<Message>, WireError> {
        loop {
            let rest = &self.buffer[self.start..];
            let Some((head, rest)) = rest.split_first_chunk::<4>() else { return Ok(None) };
            let length = u32::from_be_bytes(*head) as usize;
            if length > MAX_FRAME {
                return Err(WireError::TooLong { length });
            }
            let Some(body) = rest.get(..length) else { return Ok(None) };
            let message = rmp_serde::from_slice(body);
            let known = message.is_ok() || !is_unknown_kind(body);
            self.start += 4 + length;
            match message {
                Ok(message) => return Ok(Some(message)),
                Err(e) if known => return Err(WireError::Malformed(e.to_string())),
                Err(_) => self.skipped += 1,
            }
        }
    }
}

/// A map of one entry whose key is an upper-case word that is not ours: a message of a later version.
fn is_unknown_kind(body: &[u8]) -> bool {
    const KNOWN: [&str; 12] = [
        "HELLO", "VERDICT", "CARD", "PREPARE", "COMMIT", "TAKEN", "FAIL", "ABORT", "DRAINED", "RESULT", "OUTCOME",
        "BEAT",
    ];
    let mut rest = body;
    if !matches!(rmp::decode::read_map_len(&mut rest), Ok(1)) {
        return false;
    }
    let Ok((kind, _)) = rmp::decode::read_str_from_slice(rest) else { return false };
    !kind.is_empty() && kind.bytes().all(|b| b.is_ascii_uppercase() || b == b'_') && !KNOWN.contains(&kind)
}
