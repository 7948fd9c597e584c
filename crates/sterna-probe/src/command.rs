//! Another program as an arm: run by the shell, timed from outside or by a figure that it prints.

use std::io::Read;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use regex::Regex;
use wait_timeout::ChildExt;

/// What a figure that a program prints is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Seconds.
    Seconds,
    /// Thousandths of a second.
    Milliseconds,
    /// So many a second, such as tokens: counted as the seconds of one.
    PerSecond,
}

/// Where an arm's time comes from.
#[derive(Clone, Debug)]
pub enum Figure {
    /// From the start of the program to its end.
    WallClock,
    /// From its output (standard output, then standard error): the first group of the pattern's last match.
    Printed {
        /// Pattern with one group.
        pattern: Regex,
        /// What the group is.
        unit: Unit,
    },
}

/// A program that is run for every sample.
#[derive(Clone, Debug)]
pub struct CommandArm {
    /// For the shell.
    pub command: String,
    /// Its time.
    pub figure: Figure,
    /// Ended, and an error, after this.
    pub timeout: Duration,
    /// Ends it from another thread.
    pub leash: Leash,
}

/// Ends measured programs when this program is asked to end: each has a process group of its own, which the Ctrl-C of a
/// terminal does not reach. Clones share what they hold.
#[derive(Clone, Debug, Default)]
pub struct Leash(Arc<Mutex<Leashed>>);

#[derive(Debug, Default)]
struct Leashed {
    ended: bool,
    /// Process groups, named by their first process.
    running: Vec<u32>,
}

impl Leash {
    fn lock(&self) -> MutexGuard<'_, Leashed> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends what runs, with all that it started; nothing can be started any more.
    pub fn end(&self) {
        let mut leashed = self.lock();
        leashed.ended = true;
        leashed.running.iter().for_each(|group| end_group(*group));
    }

    fn has_ended(&self) -> bool {
        self.lock().ended
    }

    /// Starts a program; `None` after [`Leash::end`].
    fn start(&self, command: &mut Command) -> std::io::Result<Option<Running>> {
        // Held while the program starts, so that none is started that the end misses.
        let mut leashed = self.lock();
        if leashed.ended {
            return Ok(None);
        }
        let child = command.spawn()?;
        leashed.running.push(child.id());
        drop(leashed);
        Ok(Some(Running { child, leash: self.clone() }))
    }
}

/// A program with all that it started; both end with it.
struct Running {
    child: Child,
    leash: Leash,
}

impl Drop for Running {
    fn drop(&mut self) {
        let group = self.child.id();
        self.leash.lock().running.retain(|g| *g != group);
        end_group(group);
        // It may have ended by itself in the meantime: then there is nothing to do.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Why a program gives no time.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CommandError {
    /// A pattern that does not fit.
    #[error(
        "`{pattern}` cannot be used: {reason}; it needs one group around the figure, such as `([0-9.]+) tokens/s`"
    )]
    Pattern {
        /// As given.
        pattern: String,
        /// What is wrong.
        reason: String,
    },
    /// Not started.
    #[error("`{command}` could not be started: {source}")]
    Start {
        /// As given.
        command: String,
        /// Why.
        source: std::io::Error,
    },
    /// Ran too long.
    #[error(
        "`{command}` ran for more than {seconds} s and was ended; allow more with --timeout, or give it less to do"
    )]
    TimedOut {
        /// As given.
        command: String,
        /// Allowed.
        seconds: u64,
    },
    /// Ended by [`Leash::end`].
    #[error("`{command}` was ended, because this program was asked to end")]
    Ended {
        /// As given.
        command: String,
    },
    /// Ended with an error.
    #[error("`{command}` ended with {status}; its last words: {words}")]
    Failed {
        /// As given.
        command: String,
        /// How it ended.
        status: ExitStatus,
        /// End of its output.
        words: String,
    },
    /// No figure in the output.
    #[error("`{pattern}` gives no number above 0 in the output of `{command}`; its last words: {words}")]
    NoFigure {
        /// As given.
        command: String,
        /// As given.
        pattern: String,
        /// End of its output.
        words: String,
    },
}

/// Output that is kept; what comes later is read and dropped, so that the program can go on.
const KEPT: usize = 4 << 20;
/// Time for the last of the output to arrive once the program has ended.
const PATIENCE: Duration = Duration::from_secs(2);

impl Figure {
    /// A printed figure.
    ///
    /// # Errors
    /// [`CommandError::Pattern`].
    pub fn printed(pattern: &str, unit: Unit) -> Result<Self, CommandError> {
        let refuse = |reason: String| CommandError::Pattern { pattern: pattern.to_owned(), reason };
        let pattern = Regex::new(pattern).map_err(|e| refuse(e.to_string()))?;
        match pattern.captures_len() {
            2 => Ok(Figure::Printed { pattern, unit }),
            n => Err(refuse(format!("it has {} groups", n - 1))),
        }
    }

    /// Whether its figure is the time of one of many, such as of a token.
    pub fn is_rate(&self) -> bool {
        matches!(self, Figure::Printed { unit: Unit::PerSecond, .. })
    }
}

impl CommandArm {
    /// Runs the program once; seconds.
    ///
    /// # Errors
    /// [`CommandError`].
    pub fn run(&self) -> Result<f64, CommandError> {
        let start = Instant::now();
        let failed = |source| CommandError::Start { command: self.command.clone(), source };
        let from_outside = || CommandError::Ended { command: self.command.clone() };
        let mut running =
            self.leash.start(&mut shell(&self.command)).map_err(failed)?.ok_or_else(from_outside)?;
        let child = &mut running.child;
        let outputs = [child.stdout.take().map(reader), child.stderr.take().map(reader)];
        let ended = child.wait_timeout(self.timeout);
        let wall = start.elapsed().as_secs_f64();
        // What it left running in the background would disturb the samples after it and hold its output open.
        drop(running);
        if self.leash.has_ended() {
            return Err(from_outside());
        }
        let Some(status) = ended.map_err(failed)? else {
            let (command, seconds) = (self.command.clone(), self.timeout.as_secs());
            return Err(CommandError::TimedOut { command, seconds });
        };
        // A process that left the program's group may hold its output open for ever.
        let until = Instant::now() + PATIENCE;
        let texts = outputs.map(|output| {
            let left = until.saturating_duration_since(Instant::now());
            output.and_then(|output| output.recv_timeout(left).ok()).unwrap_or_default()
        });
        if !status.success() {
            return Err(CommandError::Failed {
                command: self.command.clone(),
                status,
                words: last_words(&texts),
            });
        }
        let Figure::Printed { pattern, unit } = &self.figure else { return Ok(wall) };
        let found = texts
            .iter()
            .find_map(|text| pattern.captures_iter(text).last()?.get(1)?.as_str().parse::<f64>().ok());
        match found.filter(|x| *x > 0.0 && x.is_finite()) {
            Some(x) => Ok(match unit {
                Unit::Seconds => x,
                Unit::Milliseconds => x / 1e3,
                Unit::PerSecond => 1.0 / x,
            }),
            None => {
                let (command, pattern) = (self.command.clone(), pattern.as_str().to_owned());
                Err(CommandError::NoFigure { command, pattern, words: last_words(&texts) })
            }
        }
    }
}

fn shell(text: &str) -> Command {
    let mut command = if cfg!(windows) { Command::new("cmd") } else { Command::new("sh") };
    command.args([if cfg!(windows) { "/C" } else { "-c" }, text]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0); // to end it with all that it starts
    command
}

#[cfg(unix)]
fn end_group(first: u32) {
    let first = i32::try_from(first).ok().and_then(rustix::process::Pid::from_raw);
    if let Some(first) = first {
        // Without any process left there is nothing to end.
        let _ = rustix::process::kill_process_group(first, rustix::process::Signal::KILL);
    }
}

/// Without process groups only the shell itself can be ended, by the thread that waits for it.
#[cfg(not(unix))]
fn end_group(_: u32) {}

/// Reads to the end on a thread of its own: a program whose output nobody reads stops.
fn reader(mut from: impl Read + Send + 'static) -> Receiver<String> {
    let (send, receive) = channel();
    std::thread::spawn(move || {
        let (mut kept, mut chunk) = (Vec::new(), [0; 8192]);
        while let Ok(n @ 1..) = from.read(&mut chunk) {
            kept.extend_from_slice(&chunk[..n]);
            // The last figure counts, so the end is kept.
            if kept.len() > 2 * KEPT {
                kept.drain(..kept.len() - KEPT);
            }
        }
        let _ = send.send(String::from_utf8_lossy(&kept).into_owned());
    });
    receive
}

/// The last line of standard error, or of standard output where that is empty.
fn last_words(texts: &[String]) -> String {
    let line = |text: &String| {
        text.lines().rev().find(|l| !l.trim().is_empty()).map(|l| l.chars().take(300).collect())
    };
    texts.iter().rev().find_map(line).unwrap_or_else(|| "none".to_owned())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn arm(command: &str, figure: Figure) -> CommandArm {
        let (timeout, leash) = (Duration::from_secs(20), Leash::default());
        CommandArm { command: command.into(), figure, timeout, leash }
    }

    #[test]
    fn figures_are_found_in_what_is_printed() {
        let printed = |pattern, unit| Figure::printed(pattern, unit).unwrap();
        let rate = arm(
            "echo 'a 5.0 t/s'; echo 'b 12.5 t/s'; echo done >&2",
            printed("([0-9.]+) t/s", Unit::PerSecond),
        );
        assert_eq!(rate.run().unwrap(), 0.08, "the last match counts");
        assert!(rate.figure.is_rate());
        let ms = arm("echo 'time: 250 ms' >&2", printed("time: ([0-9]+) ms", Unit::Milliseconds));
        assert_eq!(ms.run().unwrap(), 0.25, "standard error is looked at too");
        let none = arm("echo hello", printed("([0-9]+)", Unit::Seconds)).run().unwrap_err().to_string();
        assert!(none.contains("no number") && none.contains("hello"), "{none}");
        assert!(arm("echo 0", printed("([0-9]+)", Unit::PerSecond)).run().is_err());
        for bad in ["(", "no group", "(two) (groups)"] {
            assert!(
                matches!(Figure::printed(bad, Unit::Seconds), Err(CommandError::Pattern { .. })),
                "{bad}"
            );
        }
    }

    #[test]
    fn programs_are_timed_and_their_failures_told() {
        let t = arm("sleep 0.2", Figure::WallClock).run().unwrap();
        assert!((0.2..5.0).contains(&t), "{t}");
        let failed = arm("echo broken >&2; exit 3", Figure::WallClock).run().unwrap_err().to_string();
        assert!(failed.contains("exit status: 3") && failed.contains("broken"), "{failed}");
        let much = arm("head -c 9000000 /dev/zero", Figure::WallClock).run();
        assert!(much.is_ok(), "output past what is kept is read all the same");
        let figure = || Figure::printed("([0-9.]+) t/s", Unit::PerSecond).unwrap();
        let last = arm("head -c 9000000 /dev/zero; echo; echo 4 t/s", figure()).run();
        assert_eq!(last.unwrap(), 0.25, "the end is kept");
    }

    #[test]
    fn a_program_is_ended_from_another_thread_with_all_it_started() {
        let mark = std::env::temp_dir().join(format!("sterna-leash-{}", std::process::id()));
        let hang = arm(&format!("(sleep 1; touch {}) & wait", mark.display()), Figure::WallClock);
        let (leash, start) = (hang.leash.clone(), Instant::now());
        let ended = std::thread::scope(|scope| {
            let run = scope.spawn(|| hang.run());
            while leash.lock().running.is_empty() {
                std::thread::yield_now();
            }
            leash.end();
            run.join().unwrap()
        });
        assert!(matches!(ended, Err(CommandError::Ended { .. })), "{ended:?}");
        assert!(start.elapsed() < Duration::from_secs(1) && leash.lock().running.is_empty());
        assert!(matches!(hang.run(), Err(CommandError::Ended { .. })), "nothing is started any more");
        std::thread::sleep(Duration::from_millis(1200));
        assert!(!mark.exists(), "the child of the shell went on");
    }

    #[test]
    fn a_program_that_hangs_is_ended_with_all_it_started() {
        let mark = std::env::temp_dir().join(format!("sterna-hang-{}", std::process::id()));
        let text = format!("(sleep 2; touch {}) & wait", mark.display());
        let hang = CommandArm { timeout: Duration::from_millis(300), ..arm(&text, Figure::WallClock) };
        let start = Instant::now();
        let e = hang.run().unwrap_err();
        assert!(matches!(e, CommandError::TimedOut { .. }) && e.to_string().contains("--timeout"), "{e}");
        assert!(start.elapsed() < Duration::from_secs(2));
        std::thread::sleep(Duration::from_millis(2200));
        assert!(!mark.exists(), "the child of the shell went on");
        let left = arm("sleep 3 & echo 1", Figure::printed("([0-9])", Unit::Seconds).unwrap());
        let start = Instant::now();
        assert_eq!(left.run().unwrap(), 1.0, "what runs on in the background is ended and holds nothing up");
        assert!(start.elapsed() < Duration::from_millis(2900));
    }
}
