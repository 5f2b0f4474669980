//! Contracts and pure logic of kvferry: what a KV cache looks like, what a part claims about a transfer,
//! whether parts fit together, which bytes go where, and what peers say to each other.
//!
//! Nothing here does I/O, reads a clock or knows a transport. Read in this order:
//! [`layout`] (what memory looks like), [`facet`] and [`claims`] (what a part owns and needs), [`check`] (the three
//! rules), [`draft`] (claims enforced at the write), [`plan`] (bytes), [`connector`] (who moves them), [`wire`]
//! (what peers say), [`factory`] and [`registry`] (how plugins are found).

pub mod check;
pub mod claims;
pub mod config;
pub mod connector;
pub mod draft;
pub mod error;
pub mod facet;
pub mod factory;
pub mod facts;
pub mod layout;
pub mod layouts_part;
pub mod lease;
pub mod plan;
pub mod registry;
pub mod topology;
pub mod wire;

/// Lets a plugin crate submit factories without naming `inventory` in its own manifest.
pub use inventory;
