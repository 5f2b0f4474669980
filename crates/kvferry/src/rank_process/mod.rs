//! One rank as a process of its own, driven by lines of JSON: `kvferry prefill` and `kvferry decode`. The demo, the
//! kill tests and anyone at a terminal drive it in the same way.
//!
//! The process owns its memory and hands out its own pages in shuffled order. A source's bytes depend on a nonce that
//! it draws itself and shows only after the transfer has succeeded; a destination starts from poisoned memory and
//! checks every byte of it. See [`protocol`] for the lines.

pub mod client;
pub mod protocol;
