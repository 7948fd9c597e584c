//! A worker process: one engine with one model, so that memory and threads are its own.
//!
//! It is stopped (not merely idle) whenever it is not asked: the threads of some engines wait for work by spinning,
//! and would slow the other engine down.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::error::PeersError;
use crate::peer::{Peer, Worker};
use crate::protocol::{About, Reply, Request, Timed};

/// The driver's end of a worker.
pub struct Process {
    engine: String,
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    about: About,
}

impl Process {
    /// Starts this program as a worker with `args`, waits until its model is loaded, and stops it.
    pub fn start(engine: &str, args: Vec<OsString>) -> Result<Self, PeersError> {
        let failed = || PeersError::io(format!("starting the {engine} worker"));
        let program = std::env::current_exe().map_err(failed())?;
        let mut child = Command::new(program)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(failed())?;
        let engine = engine.to_owned();
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(PeersError::Worker { engine, what: "has no pipes".to_owned() });
        };
        let output = BufReader::new(output);
        let mut process = Self { engine, child, input, output, about: About::default() };
        match process.reply()? {
            Reply::Ready(about) => process.about = about,
            other => return Err(process.unexpected(&other)),
        }
        process.signal(libc::SIGSTOP)?;
        Ok(process)
    }

    /// What it said when its model was loaded.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// Asks for a measurement.
    pub fn timed(&mut self, request: &Request) -> Result<Timed, PeersError> {
        match self.ask(request)? {
            Reply::Timed(timed) => Ok(timed),
            other => Err(self.unexpected(&other)),
        }
    }

    /// Asks for tokens.
    pub fn tokens(&mut self, request: &Request) -> Result<Vec<u32>, PeersError> {
        match self.ask(request)? {
            Reply::Tokens { ids } => Ok(ids),
            other => Err(self.unexpected(&other)),
        }
    }

    /// The most memory that it has held, in bytes; `None` where the system does not tell.
    pub fn peak_memory(&self) -> Option<u64> {
        peak_memory(&std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?)
    }

    fn ask(&mut self, request: &Request) -> Result<Reply, PeersError> {
        self.signal(libc::SIGCONT)?;
        writeln!(self.input, "{}", serde_json::to_string(request)?)
            .and_then(|()| self.input.flush())
            .map_err(PeersError::io(format!("asking the {} worker", self.engine)))?;
        let reply = self.reply()?;
        self.signal(libc::SIGSTOP)?;
        Ok(reply)
    }

    fn reply(&mut self) -> Result<Reply, PeersError> {
        let mut line = String::new();
        let read = self.output.read_line(&mut line);
        if read.map_err(PeersError::io(format!("listening to the {} worker", self.engine)))? == 0 {
            let how = self.child.wait().map_or_else(|e| e.to_string(), |status| status.to_string());
            let what = format!("ended early ({how}); its own message is above");
            return Err(PeersError::Worker { engine: self.engine.clone(), what });
        }
        Ok(serde_json::from_str(&line)?)
    }

    fn unexpected(&self, reply: &Reply) -> PeersError {
        let what = match reply {
            Reply::Failed { message } => format!("failed: {message}"),
            other => format!("gave an unexpected answer: {other:?}"),
        };
        PeersError::Worker { engine: self.engine.clone(), what }
    }

    fn signal(&self, signal: libc::c_int) -> Result<(), PeersError> {
        let failed = PeersError::io(format!("signalling the {} worker", self.engine));
        let Ok(pid) = libc::pid_t::try_from(self.child.id()) else {
            return Err(failed(std::io::ErrorKind::InvalidInput.into()));
        };
        // SAFETY: takes numbers only; a child that was not waited for keeps its number to itself.
        if unsafe { libc::kill(pid, signal) } == 0 {
            Ok(())
        } else {
            Err(failed(std::io::Error::last_os_error()))
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // A worker that has already ended has nothing left to do: errors here say only that.
        let quit = serde_json::to_string(&Request::Quit).unwrap_or_default();
        let asked = self.signal(libc::SIGCONT).is_ok() && writeln!(self.input, "{quit}").is_ok();
        if !asked {
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}

/// `VmHWM` of a `/proc/PID/status`, in bytes.
fn peak_memory(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}

/// The worker's end: answers requests until it is told to quit or its input ends.
pub fn serve<P: Peer>(worker: &mut Worker<P>) -> Result<(), PeersError> {
    // A driver that dies cannot leave a stopped worker behind.
    // SAFETY: takes numbers only.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
    say(&Reply::Ready(worker.about()))?;
    for line in std::io::stdin().lines() {
        let line = line.map_err(PeersError::io("reading a request"))?;
        let reply = match serde_json::from_str(&line) {
            Ok(request) => worker.answer(&request),
            Err(e) => Some(Reply::Failed { message: format!("this is no request: {e}") }),
        };
        match reply {
            Some(reply) => say(&reply)?,
            None => break,
        }
    }
    Ok(())
}

fn say(reply: &Reply) -> Result<(), PeersError> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", serde_json::to_string(reply)?)
        .and_then(|()| out.flush())
        .map_err(PeersError::io("answering"))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_peak_is_read_in_bytes() {
        let status = "Name:\tpeers\nVmPeak:\t  900 kB\nVmHWM:\t  1234 kB\nVmRSS:\t 10 kB\n";
        assert_eq!(super::peak_memory(status), Some(1234 * 1024));
        assert_eq!(super::peak_memory("Name:\tpeers\n"), None);
    }
}
