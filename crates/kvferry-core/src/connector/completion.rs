//! How a batch ends: a result, which arrives by the deadline, and quiet, which may come later or never.

use crate::error::TransferError;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// Whether a byte can still move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Quiet {
    /// No byte can still move.
    Proven,
    /// Nobody can say; pages stay in quarantine.
    CannotTell,
}

#[derive(Debug, Default)]
struct State {
    result: Option<Result<(), TransferError>>,
    quiet: Option<Quiet>,
    cancelled: bool,
    wakers: Vec<Waker>,
}

type Shared = Arc<Mutex<State>>;

// A panic while the lock is held cannot leave `State` half-changed, so a poisoned lock is as good as another.
fn lock(shared: &Shared) -> MutexGuard<'_, State> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn change(shared: &Shared, f: impl FnOnce(&mut State)) {
    let wakers = {
        let mut state = lock(shared);
        f(&mut state);
        std::mem::take(&mut state.wakers)
    };
    wakers.into_iter().for_each(Waker::wake);
}

fn wait<T>(shared: &Shared, cx: &mut Context<'_>, ready: impl FnOnce(&State) -> Option<T>) -> Poll<T> {
    let mut state = lock(shared);
    if let Some(value) = ready(&state) {
        return Poll::Ready(value);
    }
    if !state.wakers.iter().any(|w| w.will_wake(cx.waker())) {
        state.wakers.push(cx.waker().clone());
    }
    Poll::Pending
}

/// The connector's half, and the host's two.
pub fn completion(connector: &str) -> (Done, Completion, QuietWatch) {
    let shared = Shared::default();
    let done = Done { shared: Some(shared.clone()), connector: connector.into() };
    (done, Completion(shared.clone()), QuietWatch(shared))
}

/// The right to end a batch, once. Dropping it means failed, and *cannot tell*.
#[derive(Debug)]
pub struct Done {
    shared: Option<Shared>,
    connector: String,
}

impl Done {
    /// The host no longer waits (deadline or abort): stop if that is cheap, then finish all the same.
    pub fn is_cancelled(&self) -> bool {
        self.shared.as_ref().is_some_and(|s| lock(s).cancelled)
    }

    /// Gives the result. The first one counts: after the deadline it is the host's.
    pub fn finish(mut self, result: Result<(), TransferError>) -> Settle {
        let shared = self.shared.take();
        if let Some(shared) = &shared {
            change(shared, |s| {
                s.result.get_or_insert(result);
            });
        }
        Settle { shared }
    }
}

impl Drop for Done {
    fn drop(&mut self) {
        if let Some(shared) = self.shared.take() {
            change(&shared, |s| {
                s.result
                    .get_or_insert(Err(TransferError::Abandoned { connector: std::mem::take(&mut self.connector) }));
                s.quiet.get_or_insert(Quiet::CannotTell);
            });
        }
    }
}

/// What is left after the result: the word that nothing moves any more. Dropping it means *cannot tell*.
#[derive(Debug)]
#[must_use = "dropping it says that nobody can tell whether bytes still move"]
pub struct Settle {
    shared: Option<Shared>,
}

impl Settle {
    /// No byte of the batch can still move: at once after an acknowledged success.
    pub fn quiet(mut self) {
        if let Some(shared) = self.shared.take() {
            change(&shared, |s| {
                s.quiet.get_or_insert(Quiet::Proven);
            });
        }
    }
}

impl Drop for Settle {
    fn drop(&mut self) {
        if let Some(shared) = self.shared.take() {
            change(&shared, |s| {
                s.quiet.get_or_insert(Quiet::CannotTell);
            });
        }
    }
}

/// Resolves with the result of the batch. Dropping it before that cancels.
#[derive(Debug)]
pub struct Completion(Shared);

impl Completion {
    /// The host's timer, not the connector's honesty, ends a batch.
    pub fn expire(&self, error: TransferError) {
        change(&self.0, |s| {
            s.cancelled = true;
            s.result.get_or_insert(Err(error));
        });
    }
}

impl Future for Completion {
    type Output = Result<(), TransferError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        wait(&self.0, cx, |s| s.result.clone())
    }
}

impl Drop for Completion {
    fn drop(&mut self) {
        change(&self.0, |s| s.cancelled |= s.result.is_none());
    }
}

/// Resolves when it is known whether the batch is quiet; watched on after the result.
#[derive(Debug)]
pub struct QuietWatch(Shared);

impl Future for QuietWatch {
    type Output = Quiet;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Quiet> {
        wait(&self.0, cx, |s| s.quiet)
    }
}
