//! kvferry moves a request's KV cache from the prefill worker that computed it to the decode worker that will use it,
//! when the two lay their caches out differently.

pub mod engine;
#[cfg(feature = "demo")]
pub mod rank_process;
