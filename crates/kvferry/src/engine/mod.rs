//! The state machine of one rank: handshakes, rooms, groups, deadlines, liveness. Sans-IO: time and randomness are
//! arguments, and there are no sockets. [`node`](crate::node) drives it on tokio, the simulator drives it on nothing.
//!
//! ```text
//! Input ──► Engine::handle(now, input) ──► Effect …        Engine::next_timer() ──► when to say Input::Tick
//! ```

pub mod io;
