//! The other end of the lines: starts a rank process, talks to it, and ends it.

use super::protocol::{Command, Report};
use std::collections::VecDeque;
use std::ffi::OsStr;
use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A rank process that this one started. Killed when dropped.
#[derive(Debug)]
pub struct RankProcess {
    name: String,
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Report>,
    /// Read already, while looking for something else.
    unread: VecDeque<Report>,
    reader: Option<JoinHandle<()>>,
}

#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    #[error("{name}: {source}")]
    Io { name: String, source: io::Error },
    #[error("{name} ended ({status}) while waiting for {awaited}")]
    Ended { name: String, status: String, awaited: String },
    #[error("{name} said nothing of {awaited} for {waited:?}")]
    Silent { name: String, awaited: String, waited: Duration },
    #[error("{name} refused {command}: {problem}")]
    Refused { name: String, command: String, problem: String },
}

impl RankProcess {
    /// Runs `program` with `arguments`; its standard error is ours.
    ///
    /// # Errors
    /// [`ClientError::Io`] where it cannot be started.
    pub fn start<S: AsRef<OsStr>>(
        name: &str,
        program: &OsStr,
        arguments: impl IntoIterator<Item = S>,
    ) -> Result<Self, ClientError> {
        let io = |source| ClientError::Io { name: name.into(), source };
        let mut child = std::process::Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(io)?;
        let (to, lines) = channel();
        let stdout = child.stdout.take().ok_or_else(|| io(io::ErrorKind::BrokenPipe.into()))?;
        let label = name.to_owned();
        let reader = std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                match serde_json::from_str(&line) {
                    // Nobody listens any more once the process is dropped; the rest is read and thrown away.
                    Ok(report) => drop(to.send(report)),
                    Err(e) => tracing::warn!(rank = label, line, %e, "not a report"),
                }
            }
        });
        let stdin = child.stdin.take();
        Ok(Self { name: name.into(), child, stdin, lines, unread: VecDeque::new(), reader: Some(reader) })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// # Errors
    /// [`ClientError::Io`] where the process is gone.
    pub fn say(&mut self, command: &Command) -> Result<(), ClientError> {
        let io = |source| ClientError::Io { name: self.name.clone(), source };
        let mut line = serde_json::to_vec(command).map_err(|e| io(e.into()))?;
        line.push(b'\n');
        let stdin = self.stdin.as_mut().ok_or_else(|| io(io::ErrorKind::BrokenPipe.into()))?;
        stdin.write_all(&line).and_then(|()| stdin.flush()).map_err(io)
    }

    /// Waits for the first report that `want` takes; reports before it are kept for later waits.
    ///
    /// # Errors
    /// [`ClientError::Refused`] where the process refuses a command meanwhile, [`ClientError::Ended`],
    /// [`ClientError::Silent`] after `patience`.
    pub fn wait<T>(
        &mut self,
        awaited: &str,
        patience: Duration,
        mut want: impl FnMut(&Report) -> Option<T>,
    ) -> Result<T, ClientError> {
        for at in 0..self.unread.len() {
            if let Some(found) = want(&self.unread[at]) {
                self.unread.remove(at);
                return Ok(found);
            }
        }
        let until = Instant::now() + patience;
        loop {
            match self.lines.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(Report::Refused { command, problem }) => {
                    return Err(ClientError::Refused { name: self.name.clone(), command, problem });
                }
                Ok(report) => match want(&report) {
                    Some(found) => return Ok(found),
                    None => self.unread.push_back(report),
                },
                Err(RecvTimeoutError::Timeout) => {
                    let (name, awaited) = (self.name.clone(), awaited.into());
                    return Err(ClientError::Silent { name, awaited, waited: patience });
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let status = self.child.wait().map_or_else(|e| e.to_string(), |s| s.to_string());
                    return Err(ClientError::Ended { name: self.name.clone(), status, awaited: awaited.into() });
                }
            }
        }
    }

    /// Ends the process at once (`SIGKILL`), as a crash would.
    ///
    /// # Errors
    /// [`ClientError::Io`].
    pub fn kill(&mut self) -> Result<(), ClientError> {
        let io = |source| ClientError::Io { name: self.name.clone(), source };
        self.child.kill().map_err(io)?;
        self.child.wait().map(drop).map_err(io)
    }
}

impl Drop for RankProcess {
    fn drop(&mut self) {
        drop(self.stdin.take());
        // Already gone is as good as killed.
        let _ = self.child.kill();
        let _ = self.child.wait();
        if let Some(reader) = self.reader.take() {
            let _ = reader.join();
        }
    }
}
