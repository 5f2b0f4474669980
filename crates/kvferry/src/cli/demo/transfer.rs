//! One act: an instance fills, sends, receives and verifies, beside a raw socket copy of the same bytes.

use super::instance::Instance;
use super::report::Screen;
use crate::rank_process::client::ClientError;
use crate::rank_process::protocol::{Command, Corrupt, Fill, Receive, Report, Send, Status, Verified, Verify};
use kvferry_core::lease::LeaseState;
use kvferry_core::wire::{Failure, Phase, RoomKey};
use kvferry_testkit::content::Mismatch;
use serde::Serialize;
use std::path::PathBuf;
use std::time::Instant;

#[derive(Clone, Debug)]
pub(super) struct Job {
    pub tokens: u64,
    pub chunk: u64,
    pub rounds: u32,
    /// Flip a byte of this place under way.
    pub corrupt: Option<Corrupt>,
    /// Run a raw socket copy of the same bytes after each round.
    pub raw: bool,
    pub prefill: PathBuf,
    pub decode: PathBuf,
    pub ranks: u32,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum TransferError {
    #[error(transparent)]
    Client(#[from] ClientError),
    #[error("{rank} failed: {failure}")]
    Failed { rank: String, failure: Box<Failure> },
    #[error("{rank}: {mismatch}")]
    Mismatch { rank: String, mismatch: Mismatch },
    #[error("{0} pages did not come back")]
    PagesLost(u64),
    #[error("the kernel counted {counted} bytes on the data sockets for {payload} bytes of payload")]
    Wire { counted: u64, payload: u64 },
    #[error("raw socket copy: {0}")]
    Raw(#[from] std::io::Error),
}

impl TransferError {
    pub(super) fn is_finding(&self) -> bool {
        !matches!(self, Self::Client(_) | Self::Raw(_))
    }
}

/// What one act measured. Bytes and seconds are of one round; medians where there are several.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Transferred {
    /// Payload bytes verified, summed over the ranks.
    pub bytes: u64,
    /// Bytes verified to be untouched.
    pub untouched: u64,
    pub ranks: u32,
    pub seconds: f64,
    pub gb_per_s: f64,
    /// Kernel's count of bytes on the data sockets, one round.
    pub wire_bytes: u64,
    pub rounds: Vec<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw: Option<RawCopy>,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct RawCopy {
    pub seconds: f64,
    pub gb_per_s: f64,
    /// Speed of kvferry over speed of the raw copy, median of the rounds' ratios.
    pub ratio: f64,
    pub rounds: Vec<f64>,
}

pub(super) fn run(job: &Job, screen: &Screen) -> Result<Transferred, TransferError> {
    let mut prefill = Instance::start("prefill", &job.prefill, 1)?;
    let mut decode = Instance::start("decode", &job.decode, job.ranks)?;
    let mut rounds = Vec::new();
    for number in 0..job.rounds {
        screen.round(number, job.rounds);
        let round = Round { job, key: RoomKey { room: fastrand::u64(..1 << 63), generation: 0 } };
        rounds.push(round.run(&mut prefill, &mut decode, screen)?);
    }
    screen.done();
    Ok(summary(job, &rounds))
}

struct Measured {
    bytes: u64,
    untouched: u64,
    wire: u64,
    seconds: f64,
    raw: Option<f64>,
}

struct Round<'a> {
    job: &'a Job,
    key: RoomKey,
}

impl Round<'_> {
    fn run(&self, prefill: &mut Instance, decode: &mut Instance, screen: &Screen) -> Result<Measured, TransferError> {
        let (key, job) = (self.key, self.job);
        screen.step("prefill computes the cache");
        prefill.say(&Command::Fill(Fill { key, tokens: job.tokens }))?;
        prefill.wait("filled pages", |r| matches!(r, Report::Filled { key: k, .. } if *k == key).then_some(()))?;
        let bootstrap = prefill.bootstrap.clone();
        let receive = Receive { key, tokens: job.tokens, prefix: 0, bootstrap, source_dp: 0, deadline_ms: None };
        decode.say(&Command::Receive(receive))?;
        let waiting =
            |r: &Report| matches!(r, Report::Phase { key: k, phase: Phase::Waiting } if *k == key).then_some(());
        decode.wait("a handshake", waiting)?;
        let before = self.status(decode)?;
        screen.step("transfer");
        let start = Instant::now();
        let corrupt = job.corrupt;
        prefill.say(&Command::Send(Send { key, chunk: job.chunk, corrupt, hold: false, deadline_ms: None }))?;
        let nonce = self.outcome(prefill)?.first().copied().flatten().unwrap_or_default();
        self.outcome(decode)?;
        let seconds = start.elapsed().as_secs_f64();
        let after = self.status(decode)?;
        screen.step("verify every byte");
        let (bytes, untouched) = self.verify(decode, nonce)?;
        let wire = after.wire_received - before.wire_received;
        if wire.abs_diff(bytes) * 100 > bytes {
            return Err(TransferError::Wire { counted: wire, payload: bytes });
        }
        self.leases(prefill)?;
        self.leases(decode)?;
        screen.step("raw socket copy of the same bytes");
        let raw = job.raw.then(|| raw_copy(bytes)).transpose()?;
        Ok(Measured { bytes, untouched, wire, seconds, raw })
    }

    fn outcome(&self, instance: &mut Instance) -> Result<Vec<Option<u64>>, TransferError> {
        let mut nonces = Vec::new();
        for rank in &mut instance.ranks {
            let outcome = rank.wait("an outcome", super::instance::PATIENCE, |r| match r {
                Report::Outcome(outcome) if outcome.key == self.key => Some(outcome.clone()),
                _ => None,
            })?;
            match outcome.result {
                Ok(delivered) => nonces.push(delivered.nonce),
                Err(failure) => {
                    return Err(TransferError::Failed { rank: rank.name().into(), failure: Box::new(failure) });
                }
            }
        }
        Ok(nonces)
    }

    fn verify(&self, decode: &mut Instance, nonce: u64) -> Result<(u64, u64), TransferError> {
        decode.say(&Command::Verify(Verify { key: self.key, nonce }))?;
        let (mut bytes, mut untouched) = (0, 0);
        for rank in &mut decode.ranks {
            let result = rank.wait("verified bytes", super::instance::PATIENCE, |r| match r {
                Report::Verified { key, result } if *key == self.key => Some(result.clone()),
                _ => None,
            })?;
            match result {
                Ok(Verified { payload, untouched: rest }) => {
                    bytes += payload;
                    untouched += rest;
                }
                Err(mismatch) => return Err(TransferError::Mismatch { rank: rank.name().into(), mismatch }),
            }
        }
        Ok((bytes, untouched))
    }

    fn leases(&self, instance: &mut Instance) -> Result<(), TransferError> {
        let returned = |r: &Report| {
            matches!(r, Report::Lease { key, state: LeaseState::Returned } if *key == self.key).then_some(())
        };
        instance.wait("pages to come back", returned)?;
        match self.status(instance)?.pages_out {
            0 => Ok(()),
            lost => Err(TransferError::PagesLost(lost)),
        }
    }

    /// Summed over the ranks.
    fn status(&self, instance: &mut Instance) -> Result<Status, TransferError> {
        instance.say(&Command::Status)?;
        let each = instance.wait("a status", |r| match r {
            Report::Status(status) => Some(status.clone()),
            _ => None,
        })?;
        Ok(each.into_iter().fold(Status::default(), |sum, s| Status {
            pages_out: sum.pages_out + s.pages_out,
            pages_free: sum.pages_free + s.pages_free,
            leases_quarantined: sum.leases_quarantined + s.leases_quarantined,
            wire_sent: sum.wire_sent + s.wire_sent,
            wire_received: sum.wire_received + s.wire_received,
            resident_bytes: sum.resident_bytes + s.resident_bytes,
        }))
    }
}

fn summary(job: &Job, rounds: &[Measured]) -> Transferred {
    let seconds = median(rounds.iter().map(|r| r.seconds));
    let bytes = rounds.first().map_or(0, |r| r.bytes);
    let raw: Vec<f64> = rounds.iter().filter_map(|r| r.raw).collect();
    let speed = |seconds: f64| bytes as f64 / seconds / 1e9;
    Transferred {
        bytes,
        untouched: rounds.first().map_or(0, |r| r.untouched),
        ranks: job.ranks,
        seconds,
        gb_per_s: speed(seconds),
        wire_bytes: rounds.first().map_or(0, |r| r.wire),
        rounds: rounds.iter().map(|r| r.seconds).collect(),
        raw: (!raw.is_empty()).then(|| RawCopy {
            seconds: median(raw.iter().copied()),
            gb_per_s: speed(median(raw.iter().copied())),
            ratio: median(rounds.iter().filter_map(|r| Some(r.raw? / r.seconds))),
            rounds: raw.clone(),
        }),
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => sorted[n / 2],
        n => f64::midpoint(sorted[n / 2 - 1], sorted[n / 2]),
    }
}
