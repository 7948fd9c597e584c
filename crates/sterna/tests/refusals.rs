//! What commands refuse, and that they do before anything takes long: a slip is answered at once.
#![allow(clippy::unwrap_used)] // helpers are no #[test] functions

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn data(path: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data").join(path).to_str().unwrap().to_owned()
}

/// A folder of the test's own, for the lock of measurements too.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("sterna-refusals-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sterna"));
        let own = ["TMPDIR", "XDG_CACHE_HOME"].map(|name| (name, &self.0));
        command.args(args).current_dir(&self.0).envs(own).env_remove("NO_COLOR");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
    fn sterna(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }
    /// Refused with `code`, in words that hold `says`, without a word of results.
    fn refused(&self, args: &[&str], code: i32, says: &str) {
        let out = self.sterna(args);
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(out.status.code() == Some(code) && said.contains(says), "{args:?}: {:?} {said}", out.status);
        assert!(out.stdout.is_empty(), "{args:?} measured before it refused");
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// An instruction set that no machine of this kind has.
const FOREIGN: &str = if cfg!(target_arch = "x86_64") { "neon" } else { "avx2" };

#[test]
fn what_does_not_fit_is_refused_before_limits_are_measured() {
    let folder = Folder::new("early");
    for (args, says) in [
        (&["bench", "-m", "no/such.gguf"][..], "no model at"),
        (&["bench", "-c", "100000"], "512"),
        (&["bench", "--isa", FOREIGN], "this processor has no"),
        (&["bench", "--prefix", "9999999"], "need 10000000 positions, and the context has 512"),
        (&["bench", "--prefix", "500", "--widths", "1,32"], "need 532 positions"),
        (&["bench", "--widths", "999"], "the widest that this plan has is 128"),
        (&["bench", "--widths", "8,4"], "4 comes after 8"),
        (&["bench", "--prompts", "5000"], "positions"),
        (&["bench", "--decode", "512"], "--decode 512"),
        (&["bench", "--synthetic", "bitnet-2b", "--weights", "tq9_0"], "tq9_0"),
        (&["bench", "--synthetic", "bitnet-2b", "-c", "9999"], "4096"),
        (&["bench", "--arm", "model=no/such.gguf"], "no model at"),
        (&["bench", "--arm", &format!("isa={FOREIGN}")], "this processor has no"),
        (&["bench", "--arm", "threads=1,prefix=5000"], "positions"),
        (&["bench", "--aa", "2", "--prompts", "5000"], "positions"),
        (&["bench", "--against-command", "echo 1", "--parse", "no group"], "one group"),
        (&["bench", "--limits-only", "--record", "no/such/folder"], "no/such/folder"),
        (&["probe", "memory", "-m", "no/such.gguf"], "no model at"),
        (&["probe", "-c", "100000"], "512"),
        (&["probe", "verify-cost", "--prefix", "4096"], "positions"),
        (&["probe", "verify-cost", "--costs", "taken/costs"], "another with --costs"),
        (&["probe", "tables", "--which", "chunks", "--widths", "1,200", "-m", "builtin"], "is 128"),
        (&["probe", "tables", "--which", "breakdown", "--prefix", "512", "-m", "builtin"], "positions"),
        (&["probe", "kernels", "--shapes", "4096"], "4096x16384"),
    ] {
        std::fs::write(folder.0.join("taken"), "a file, and no folder").unwrap();
        folder.refused(args, 1, says);
    }
    let left: Vec<_> = std::fs::read_dir(&folder.0).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(left.len() <= 2, "a refused measurement leaves no record and no cost table: {left:?}");
}

#[test]
fn flags_that_would_be_ignored_are_wrong_usage() {
    let folder = Folder::new("usage");
    let cpus = std::thread::available_parallelism().map_or(1, |n| n.get());
    let crowd = (4 * cpus + 1).to_string();
    for (args, says) in [
        (&["bench", "--limits-only", "--kernels", "tq2_0"][..], "cannot be used with"),
        (&["bench", "--limits-only", "--profile"], "cannot be used with"),
        (&["bench", "--aa", "2", "--all-rows"], "cannot be used with"),
        (&["bench", "--arm", "threads=1", "--widths", "1,2"], "cannot be used with"),
        (&["bench", "--arm", "threads=1", "--aa", "2"], "cannot be used with"),
        (&["bench", "--arm", "threads=1,threads=2"], "`threads` is given twice"),
        (&["bench", "--arm", "speed=9"], "keys are name"),
        (&["bench", "--device", "ref-law", "--isa", "portable"], "--isa is for --device cpu"),
        (&["run", "x", "--device", "cpu-portable", "--isa", "portable"], "--isa is for --device cpu"),
        (&["gate", "argmax", "--device", "ref-float", "--isa", "portable"], "--isa is for --device cpu"),
        (&["bench", "--against-command", " "], "an empty command"),
        (&["bench", "--aa", "2", "--inject", "0"], "a slowdown of 0"),
        (
            &["bench", "--arm", "threads=1", "--most-rounds", "5"],
            "too few rounds to decide anything; give at least 10",
        ),
        (&["bench", "--aa", "2", "--most-rounds", "9"], "at least 10"),
        (&["bench", "--prompts", "0"], "0 is not in"),
        (&["bench", "--widths", "99999"], "99999 is not in"),
        (&["doctor", "-c", "0"], "0 is not in"),
        (&["probe", "tables"], "--which"),
        (&["probe", "limits", "--which", "chunks"], "probe tables"),
        (&["probe", "verify-cost", "--accept", "1.5"], "no share"),
        (&["run", "x", "-t", &crowd], "threads on"),
        (&["bench", "-t", &crowd], "threads on"),
    ] {
        // Machines of 256 processors and more cannot be asked for more than four times as many.
        if !(says == "threads on" && 4 * cpus >= 1024) {
            folder.refused(args, 2, says);
        }
    }
    if 4 * cpus < 1024 {
        folder.refused(&["bench", "--arm", &format!("threads={crowd}")], 1, "threads on");
    }
}

/// A measured program has a process group of its own: it must not outlive the measurement.
#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_measured_program() {
    use rustix::process::{Pid, Signal, kill_process, test_kill_process};
    let folder = Folder::new("group");
    let hang = "echo $$ > pid; sleep 300";
    let args = ["bench", "--against-command", hang, "--against-command", "true"];
    let mut bench = folder.command(&args).stdout(Stdio::null()).spawn().unwrap();
    let hanging = loop {
        let text = std::fs::read_to_string(folder.0.join("pid")).unwrap_or_default();
        if let Some(pid) = text.trim().parse().ok().filter(|_| text.ends_with('\n')).and_then(Pid::from_raw) {
            break pid;
        }
        assert!(bench.try_wait().unwrap().is_none(), "it ended by itself");
        std::thread::sleep(std::time::Duration::from_millis(20));
    };
    kill_process(Pid::from_child(&bench), Signal::INT).unwrap();
    let status = bench.wait().unwrap();
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    assert!(!status.success() && (signal == Some(2) || status.code() == Some(1)), "{status}");
    // It is a child of nobody now; whoever takes it in may need a moment.
    let until = std::time::Instant::now() + std::time::Duration::from_secs(10);
    while test_kill_process(hanging).is_ok() {
        let state =
            std::fs::read_to_string(format!("/proc/{}/stat", hanging.as_raw_nonzero())).unwrap_or_default();
        if state.contains(") Z ") {
            break; // dead, and nobody fetches what it ended with
        }
        assert!(std::time::Instant::now() < until, "the measured program goes on");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_no_half_bundle() {
    use rustix::process::{Pid, Signal, kill_process};
    let folder = Folder::new("part");
    // Encoding a head anew takes long enough to be interrupted.
    let mut pack =
        folder.command(&["pack", "builtin", "--head", "q6_k", "-o", "out.sterna"]).spawn().unwrap();
    let part = folder.0.join(format!(".out.sterna.{}.part", pack.id()));
    while !part.exists() && pack.try_wait().unwrap().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    let sent = kill_process(Pid::from_child(&pack), Signal::INT);
    let status = pack.wait().unwrap();
    let whole = folder.0.join("out.sterna").exists();
    assert!(whole == status.success() && (whole || sent.is_ok()), "{status}");
    assert!(!part.exists(), "half a bundle is left");
}

#[test]
fn a_file_of_warnings_has_no_colours() {
    let folder = Folder::new("plain");
    for file in std::fs::read_dir(data("oracle/f_llama")).unwrap() {
        let file = file.unwrap();
        std::fs::copy(file.path(), folder.0.join(file.file_name())).unwrap();
    }
    let config = folder.0.join("config.json");
    let mut json: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(&config).unwrap()).unwrap();
    json["eos_token_id"] = 99_999.into();
    std::fs::write(&config, json.to_string()).unwrap();
    let out = folder.sterna(&["inspect", "-m", "."]);
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(said.contains("eos_token_id lies outside") && !said.contains('\u{1b}'), "{said:?}");
}

#[test]
fn models_of_other_tokens_are_not_compared() {
    let folder = Folder::new("tokens");
    let out = folder.sterna(&["gate", "--against", &data("oracle/f_llama")]);
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(
        out.status.code() == Some(3) && said.contains("of the vocabulary (base here, the other there)"),
        "{said}"
    );
}

/// A message without an end fills no memory, and the one after it is answered.
#[test]
fn a_message_past_its_bound_is_dropped_alone() {
    let folder = Folder::new("message");
    let mut chat = folder.command(&["chat", "--json", "-n", "1"]).stdin(Stdio::piped()).spawn().unwrap();
    let text = format!("{}\\\n{}\nHi.\n", "a".repeat(700_000), "b".repeat(700_000));
    let mut input = chat.stdin.take().unwrap();
    let typing = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let out = chat.wait_with_output().unwrap();
    typing.join().unwrap().unwrap();
    let said = String::from_utf8_lossy(&out.stdout).into_owned();
    let lines: Vec<serde_json::Value> = said.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert!(out.status.success() && lines.len() == 2, "{said}");
    assert!(
        lines[0]["error"].as_str().unwrap().contains("at most 1 MiB") && lines[1]["text"].is_string(),
        "{said}"
    );
}
