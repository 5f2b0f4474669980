//! The rank processes of one instance.

use crate::rank_process::client::{ClientError, RankProcess};
use crate::rank_process::protocol::{Command, Report};
use std::path::Path;
use std::time::Duration;

/// Longest that a process may take for one step of the demo.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Debug)]
pub(super) struct Instance {
    pub ranks: Vec<RankProcess>,
    pub bootstrap: String,
}

impl Instance {
    /// Starts rank 0 on free ports and, when it serves the bootstrap address, the others.
    pub(super) fn start(role: &str, config: &Path, ranks: u32) -> Result<Self, ClientError> {
        let mut instance = Self { ranks: Vec::new(), bootstrap: "127.0.0.1:0".into() };
        for rank in 0..ranks {
            let mut process = start(role, config, rank, &instance.bootstrap)?;
            if rank == 0 {
                instance.bootstrap = ready(&mut process)?;
            }
            instance.ranks.push(process);
        }
        for process in instance.ranks.iter_mut().skip(1) {
            ready(process)?;
        }
        Ok(instance)
    }

    pub(super) fn say(&mut self, command: &Command) -> Result<(), ClientError> {
        self.ranks.iter_mut().try_for_each(|rank| rank.say(command))
    }

    /// One answer of every rank.
    pub(super) fn wait<T>(
        &mut self,
        awaited: &str,
        want: impl Fn(&Report) -> Option<T>,
    ) -> Result<Vec<T>, ClientError> {
        self.ranks.iter_mut().map(|rank| rank.wait(awaited, PATIENCE, &want)).collect()
    }
}

fn start(role: &str, config: &Path, rank: u32, bootstrap: &str) -> Result<RankProcess, ClientError> {
    let name = format!("{role} rank {rank}");
    let program = std::env::current_exe().map_err(|source| ClientError::Io { name: name.clone(), source })?;
    let (config, rank) = (config.to_string_lossy().into_owned(), rank.to_string());
    let arguments = [role, "--config", &config, "--rank", &rank, "--bootstrap", bootstrap];
    RankProcess::start(&name, program.as_os_str(), arguments)
}

fn ready(process: &mut RankProcess) -> Result<String, ClientError> {
    process.wait("ready", PATIENCE, |report| match report {
        Report::Ready { bootstrap, .. } => Some(bootstrap.clone()),
        _ => None,
    })
}
