//! What the demo shows: text with a progress bar on a terminal, or one JSON object.

use super::DemoError;
use super::configs::{Configs, Geometry, root};
use super::transfer::Transferred;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

/// Everything the demo found, as `--json` prints it.
#[derive(Debug, Serialize)]
pub(super) struct DemoReport {
    model: String,
    tokens: u64,
    dcp: u32,
    transfer: Transferred,
    clash: Clash,
    hisparse: Transferred,
    machine: Machine,
    version: &'static str,
}

impl DemoReport {
    pub(super) fn new(geometry: &Geometry, transfer: Transferred, clash: Clash, hisparse: Transferred) -> Self {
        let model = geometry.model.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned());
        let (tokens, dcp, version) = (geometry.tokens, geometry.dcp, env!("CARGO_PKG_VERSION"));
        Self { model, tokens, dcp, transfer, clash, hisparse, machine: Machine::here(), version }
    }
}

/// The refusal of the file that names DCP and HiSparse.
#[derive(Debug, Serialize)]
pub(super) struct Clash {
    pub file: String,
    /// Codes of the problems.
    pub codes: Vec<String>,
    #[serde(skip)]
    pub text: String,
}

#[derive(Debug, Serialize)]
struct Machine {
    cpus: usize,
    cpu: String,
    kernel: String,
}

impl Machine {
    fn here() -> Self {
        let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
        let cpu = read("/proc/cpuinfo");
        let cpu = cpu.lines().find_map(|l| l.strip_prefix("model name")?.split_once(": ").map(|(_, v)| v.to_owned()));
        Self {
            cpus: std::thread::available_parallelism().map_or(0, usize::from),
            cpu: cpu.unwrap_or_else(|| "unknown".into()),
            kernel: read("/proc/sys/kernel/osrelease").trim().to_owned(),
        }
    }
}

/// Where the demo's words go.
#[derive(Debug)]
pub(super) struct Screen {
    json: bool,
    bar: ProgressBar,
}

impl Screen {
    pub(super) fn new(json: bool) -> Self {
        // Draws on standard error, and only where that is a terminal.
        let bar = if json { ProgressBar::hidden() } else { ProgressBar::new(0) };
        let style = ProgressStyle::with_template("  {spinner} round {pos}/{len} [{bar:24}] {msg}");
        if let Ok(style) = style {
            bar.set_style(style.progress_chars("=> "));
        }
        Self { json, bar }
    }

    fn say(&self, line: impl AsRef<str>) {
        if !self.json {
            self.bar.suspend(|| println!("{}", line.as_ref()));
        }
    }

    pub(super) fn opening(&self, geometry: &Geometry, configs: &Configs) {
        self.say(format!(
            "kvferry demo: {} tokens of {}, prefill (1 rank) to decode (dcp = {})",
            geometry.tokens,
            geometry.model.display(),
            geometry.dcp
        ));
        self.say(format!("  config: {} and {}", configs.prefill.display(), configs.decode.display()));
        self.say(format!("  from:   {}", shown(&root().join("examples/demo"))));
    }

    pub(super) fn round(&self, number: u32, of: u32) {
        self.bar.set_length(of.into());
        self.bar.set_position(number.into());
        self.bar.enable_steady_tick(Duration::from_millis(120));
    }

    pub(super) fn step(&self, what: &'static str) {
        self.bar.set_message(what);
    }

    pub(super) fn done(&self) {
        self.bar.disable_steady_tick();
        self.bar.finish_and_clear();
    }

    pub(super) fn transferred(&self, t: &Transferred) {
        self.say(format!(
            "1. relaid out over {} decode rank{}: {} bytes in {:.3} s, {:.2} GB/s; every byte verified, {} others untouched",
            t.ranks,
            if t.ranks == 1 { "" } else { "s" },
            t.bytes,
            t.seconds,
            t.gb_per_s,
            t.untouched
        ));
        self.say(format!("   the kernel counted {} bytes on the data sockets", t.wire_bytes));
        if let Some(raw) = &t.raw {
            self.say(format!(
                "   raw socket copy of the same bytes: {:.3} s, {:.2} GB/s; kvferry is {:.2} x as fast (median of {})",
                raw.seconds,
                raw.gb_per_s,
                raw.ratio,
                raw.rounds.len()
            ));
        }
    }

    pub(super) fn clash(&self, clash: &Clash) {
        self.say(format!("2. DCP and HiSparse in one decode file, {}: refused before anything starts", clash.file));
        self.say(clash.text.trim_end());
    }

    pub(super) fn hisparse(&self, t: &Transferred) {
        self.say(format!(
            "3. HiSparse request to a decode instance without DCP (index spaces host and logical): {} bytes in {:.3} s; every byte verified, {} others untouched",
            t.bytes, t.seconds, t.untouched
        ));
    }

    pub(super) fn finish(&self, report: &DemoReport) -> ExitCode {
        if self.json {
            match serde_json::to_string(report) {
                Ok(json) => println!("{json}"),
                Err(e) => return self.fail(&DemoError::Config { path: "report".into(), problem: e.to_string() }),
            }
        }
        self.say("ok");
        ExitCode::SUCCESS
    }

    pub(super) fn fail(&self, problem: &DemoError) -> ExitCode {
        self.done();
        if self.json {
            println!("{}", serde_json::json!({ "error": problem.to_string() }));
        }
        eprintln!("kvferry demo: {problem}");
        ExitCode::from(if problem.is_finding() { 1 } else { 2 })
    }
}

/// A path without the `..` that it was built from, where that can be found out.
pub(super) fn shown(path: &Path) -> String {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf()).display().to_string()
}
