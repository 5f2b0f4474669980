//! `kvferry demo`: the main job, for real, from the config files in `examples/demo`.
//!
//! 1. A prefill process and a decode instance of `--dcp` rank processes start; the cache of one prompt crosses TCP,
//!    relaid out, in the chunks of a chunked prefill; every destination byte is verified, beside a raw socket copy of
//!    the same bytes in the same run.
//! 2. A decode file that names DCP and HiSparse is refused before anything starts.
//! 3. A decode instance without DCP assembles, and a HiSparse request runs to it, verified alike.

mod configs;
mod instance;
mod report;
mod transfer;

use crate::rank_process::protocol::Corrupt;
use configs::{Configs, Geometry};
use report::{Clash, DemoReport, Screen};
use std::path::PathBuf;
use std::process::ExitCode;
use transfer::{Job, TransferError};

#[derive(Clone, Debug, clap::Args)]
pub struct DemoArgs {
    /// Hugging Face config.json of the model whose cache moves [default: the one in examples/demo]
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
    /// Length of the prompt
    #[arg(long, default_value_t = 4096, value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    tokens: u64,
    /// Decode context parallel size of the decode instance [default: 4, and 1 for a model that is not MLA]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    dcp: Option<u32>,
    /// Tokens a forward pass of the prefill finishes
    #[arg(long, default_value_t = 1024, value_name = "TOKENS", value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    chunk: u64,
    /// Times that the transfer and the raw copy run, one after the other
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
    /// Flip one byte under way: must be found, and ends in exit code 1
    #[arg(long)]
    corrupt: bool,
}

/// Runs the demo. 0: all bytes verified and the clash refused; 1: a byte differs, or the pair was refused; 2: could
/// not run.
pub fn run(args: &DemoArgs) -> ExitCode {
    let screen = Screen::new(args.json);
    match acts(args, &screen) {
        Ok(report) => screen.finish(&report),
        Err(problem) => screen.fail(&problem),
    }
}

fn acts(args: &DemoArgs, screen: &Screen) -> Result<DemoReport, DemoError> {
    let geometry = Geometry::of(args)?;
    let configs = Configs::derive(&geometry)?;
    screen.opening(&geometry, &configs);
    let job = Job {
        tokens: geometry.tokens,
        chunk: args.chunk,
        rounds: args.rounds,
        corrupt: args.corrupt.then_some(Corrupt { layer: geometry.layers / 3, token: geometry.tokens / 2 }),
        raw: true,
        prefill: configs.prefill.clone(),
        decode: configs.decode.clone(),
        ranks: geometry.dcp,
    };
    let transfer = transfer::run(&job, screen)?;
    screen.transferred(&transfer);
    let clash = Clash::check(&configs.clash)?;
    screen.clash(&clash);
    let sparse = Job {
        rounds: 1,
        corrupt: None,
        raw: false,
        prefill: configs.prefill_hisparse.clone(),
        decode: configs.decode_hisparse.clone(),
        ranks: 1,
        ..job
    };
    let hisparse = transfer::run(&sparse, screen)?;
    screen.hisparse(&hisparse);
    Ok(DemoReport::new(&geometry, transfer, clash, hisparse))
}

#[derive(Debug, thiserror::Error)]
enum DemoError {
    #[error("{path}: {problem}")]
    Config { path: PathBuf, problem: String },
    #[error(transparent)]
    Transfer(#[from] TransferError),
    #[error("{path} was to be refused, and was not")]
    NotRefused { path: PathBuf },
}

impl DemoError {
    /// Whether the demo ran and found something wrong, as opposed to not running at all.
    fn is_finding(&self) -> bool {
        match self {
            Self::Config { .. } => false,
            Self::NotRefused { .. } => true,
            Self::Transfer(e) => e.is_finding(),
        }
    }
}
