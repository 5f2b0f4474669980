//! What authors of connectors and policies test with: a byte oracle, generators, fault links and the conformance
//! suite.

pub mod content;
pub mod paged;
