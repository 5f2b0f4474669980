//! What a connector gets from its host when it is opened.

use std::fmt;
use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;

/// The host's side of a connector. More may come; a connector never builds one.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Ctx {
    /// This rank, as peers know it: `decode-a-0/3`.
    pub name: String,
    pub epoch: u64,
    /// Address to listen on, with any port; never another.
    pub bind: IpAddr,
    /// Address to put on the card, where it differs from `bind`.
    pub advertise: IpAddr,
    pub spawn: Arc<dyn Spawn>,
}

impl Ctx {
    pub fn new(name: impl Into<String>, epoch: u64, bind: IpAddr, spawn: Arc<dyn Spawn>) -> Self {
        Self { name: name.into(), epoch, bind, advertise: bind, spawn }
    }

    #[must_use]
    pub fn advertise(self, advertise: IpAddr) -> Self {
        Self { advertise, ..self }
    }
}

/// Runs a connector's work on the host's runtime and its blocking pool.
pub trait Spawn: fmt::Debug + Send + Sync {
    fn spawn(&self, task: Pin<Box<dyn Future<Output = ()> + Send>>);
    fn spawn_blocking(&self, work: Box<dyn FnOnce() + Send>);
}
