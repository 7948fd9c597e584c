//! `doctor`, `report` and `--trace` as a person or a script uses them: the real binary, real files, real signals.
#![allow(clippy::unwrap_used)] // helpers are no #[test] functions

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("sterna-looks-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }
    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
    fn sterna(&self, args: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_sterna")).args(args).current_dir(&self.0).output().unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn events(path: &Path) -> Vec<Value> {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn number(event: &Value, name: &str) -> f64 {
    event[name].as_f64().unwrap()
}

fn spans<'a>(all: &'a [Value], kind: &str) -> Vec<&'a Value> {
    all.iter().filter(|e| e["ph"] == "X" && e["cat"] == kind).collect()
}

/// Microseconds by which two written times may differ from what was measured.
const ROUNDED: f64 = 0.002;

fn inside(inner: &Value, outer: &Value) -> bool {
    let (a, b) = (number(inner, "ts"), number(outer, "ts"));
    a >= b - ROUNDED && a + number(inner, "dur") <= b + number(outer, "dur") + ROUNDED
}

#[test]
fn a_trace_holds_every_call_token_and_op_and_changes_no_bit() {
    let folder = Folder::new("trace");
    let trace = folder.path("t.json");
    let base = ["run", "Once upon a time", "-n", "6", "--json", "--threads", "2"];
    let plain = folder.sterna(&base);
    let traced = folder.sterna(&[&base[..], &["--trace", "t.json"]].concat());
    assert!(traced.status.success(), "{}", text(&traced.stderr));
    let (plain, traced): (Value, Value) =
        (serde_json::from_slice(&plain.stdout).unwrap(), serde_json::from_slice(&traced.stdout).unwrap());
    assert_eq!((&plain["tokens"], &plain["margins"]), (&traced["tokens"], &traced["margins"]));

    let all = events(&trace);
    for e in &all {
        assert!(e["pid"].is_u64() && e["tid"].is_u64() && e["name"].is_string(), "{e}");
        match e["ph"].as_str().unwrap() {
            "M" => assert!(e["args"]["name"].is_string()),
            "X" => assert!(number(e, "ts") >= 0.0 && number(e, "dur") >= 0.0),
            other => panic!("event {other}"),
        }
    }
    let started: Vec<&str> = spans(&all, "start").iter().map(|e| e["name"].as_str().unwrap()).collect();
    assert_eq!(started, ["open and plan", "tokenise", "load weights"]);
    let roles = spans(&all, "role");
    let named = |name: &str| roles.iter().filter(|e| e["name"] == name).copied().collect::<Vec<_>>();
    let tokens = |name: &str| named(name).iter().map(|e| e["args"]["token"].clone()).collect::<Vec<_>>();
    let made = traced["tokens"].as_array().unwrap();
    assert_eq!(&tokens("sample"), made);
    assert_eq!(&tokens("text"), made);
    assert_eq!(tokens("decode"), made[..5], "the last token is not evaluated");
    let said: String = named("text").iter().map(|e| e["args"]["text"].as_str().unwrap()).collect();
    assert_eq!(said, traced["text"].as_str().unwrap());
    assert_eq!(named("prefill")[0]["args"]["tokens"], traced["prompt_tokens"]);

    // Every call lies in a role, every op of the first thread in a call.
    let calls = spans(&all, "call");
    assert_eq!(calls.len(), 6, "a prefill and five decode steps");
    assert!(calls.iter().all(|c| roles.iter().any(|r| inside(c, r) && r["tid"] == c["tid"])));
    let plan: Value = serde_json::from_slice(&folder.sterna(&["inspect", "--json"]).stdout).unwrap();
    let ops = plan["entries"][0]["ops"].as_u64().unwrap() as usize;
    let by_thread = |tid: u64| {
        let of = spans(&all, "op").into_iter().filter(move |e| e["tid"] == tid);
        of.collect::<Vec<_>>()
    };
    assert_eq!(by_thread(0).len(), ops * calls.len());
    assert!(by_thread(1).len() <= ops * calls.len() && by_thread(2).is_empty());
    for call in &calls {
        let mine: Vec<&Value> = by_thread(0).into_iter().filter(|op| inside(op, call)).collect();
        assert_eq!(mine.len(), ops);
        // How much of a call its ops are is up to whoever else has the processor; that they follow each other is not.
        let end = |op: &Value| number(op, "ts") + number(op, "dur");
        assert!(mine.windows(2).all(|two| end(two[0]) <= number(two[1], "ts") + ROUNDED), "{call}");
        assert!(mine.iter().any(|op| number(op, "dur") > 0.0), "{call}");
        assert!(mine.iter().enumerate().all(|(i, op)| op["args"]["op"] == i));
    }
    let names: Vec<&str> = by_thread(0)[..ops].iter().map(|e| e["name"].as_str().unwrap()).collect();
    assert!(
        names[0] == "rows: embed" && names.contains(&"linear down") && names.contains(&"attention"),
        "{names:?}"
    );
    // Spans of one thread either follow or hold each other.
    for tid in [0, 1] {
        let mut mine: Vec<&Value> = all.iter().filter(|e| e["ph"] == "X" && e["tid"] == tid).collect();
        mine.sort_by(|a, b| {
            number(a, "ts").total_cmp(&number(b, "ts")).then(number(b, "dur").total_cmp(&number(a, "dur")))
        });
        let mut open: Vec<&Value> = Vec::new();
        for e in mine {
            while open.last().is_some_and(|o| number(o, "ts") + number(o, "dur") <= number(e, "ts") + ROUNDED)
            {
                open.pop();
            }
            assert!(open.last().is_none_or(|o| inside(e, o)), "{e} crosses {:?}", open.last());
            open.push(e);
        }
    }
}

#[test]
fn a_chat_can_be_traced_turn_by_turn() {
    use std::io::Write as _;
    let folder = Folder::new("chat");
    let mut child = Command::new(env!("CARGO_BIN_EXE_sterna"))
        .args(["chat", "--json", "-n", "3", "--trace", "c.json"])
        .current_dir(&folder.0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"Hello.\nAnd then?\n").unwrap();
    assert!(child.wait_with_output().unwrap().status.success());
    let all = events(&folder.path("c.json"));
    let prefills = spans(&all, "role").iter().filter(|e| e["name"] == "prefill").count();
    assert_eq!(prefills, 2);
}

/// Ctrl-C ends the program as it would have without a trace, and the trace is whole.
#[cfg(unix)]
#[test]
fn an_interrupted_trace_is_valid() {
    use std::os::unix::process::ExitStatusExt as _;
    let folder = Folder::new("signal");
    let mut child = Command::new(env!("CARGO_BIN_EXE_sterna"))
        .args([
            "run",
            "Once upon a time",
            "-n",
            "400",
            "--ignore-end",
            "--device",
            "ref-float",
            "--trace",
            "s.json",
        ])
        .current_dir(&folder.0)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let decoded = |text: &str| text.matches("\"decode\"").count();
    for _ in 0..600 {
        std::thread::sleep(std::time::Duration::from_millis(50));
        if decoded(&std::fs::read_to_string(folder.path("s.json")).unwrap_or_default()) > 1 {
            break;
        }
    }
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let status = child.wait().unwrap();
    assert_eq!(status.signal(), Some(2), "{status:?}");
    let all = events(&folder.path("s.json"));
    assert!(spans(&all, "role").iter().any(|e| e["name"] == "decode"));
}

#[test]
fn a_trace_replaces_traces_only() {
    let folder = Folder::new("replace");
    std::fs::write(folder.path("model.gguf"), "GGUF and much work").unwrap();
    let refused = folder.sterna(&["run", "x", "-n", "1", "--trace", "model.gguf"]);
    assert!(!refused.status.success() && text(&refused.stderr).contains("is no trace"));
    assert_eq!(std::fs::read_to_string(folder.path("model.gguf")).unwrap(), "GGUF and much work");
    for _ in 0..2 {
        assert!(folder.sterna(&["run", "x", "-n", "1", "--trace", "t.json"]).status.success());
    }
    // What fails before it computes leaves a trace that can be read, too.
    assert!(!folder.sterna(&["run", "x", "-m", "no-model", "--trace", "t.json"]).status.success());
    assert!(events(&folder.path("t.json")).len() >= 2);
    assert!(!folder.sterna(&["run", "x", "--trace", "no/folder/t.json"]).status.success());
}

#[cfg(target_os = "linux")]
#[test]
fn a_trace_that_does_not_fit_the_disk_is_an_error_after_the_text() {
    let folder = Folder::new("full");
    let out = folder.sterna(&["run", "Once upon a time", "-n", "4", "--trace", "/dev/full"]);
    assert!(
        !out.status.success() && text(&out.stderr).contains("the trace is not complete"),
        "{}",
        text(&out.stderr)
    );
    assert!(text(&out.stdout).starts_with("Once upon a time,"));
}

#[test]
fn doctor_looks_at_this_machine_and_at_models() {
    let folder = Folder::new("doctor");
    let out = folder.sterna(&["doctor", "--json"]);
    // Memory may be short on a small machine; nothing else fails without a model.
    let report: Value = serde_json::from_slice(&out.stdout).unwrap();
    let checks = report["checks"].as_array().unwrap();
    assert_eq!(out.status.success(), report["ok"].as_bool().unwrap());
    for c in checks {
        let status = c["status"].as_str().unwrap();
        assert!(["ok", "note", "warning", "unknown", "failure"].contains(&status), "{c}");
        assert_eq!(c["advice"].is_string(), !["ok", "unknown"].contains(&status), "{c}");
    }
    assert_eq!(report["use"]["backend"], "cpu");
    assert!(report["machine"]["program"]["isas"].as_array().unwrap().iter().any(|i| i == "portable"));
    if cfg!(target_os = "linux") {
        assert!(report["machine"]["memory"]["total"].as_u64().unwrap() > 0);
        assert!(report["machine"]["cpu"]["allowed"].as_u64().unwrap() > 0);
    }
    let model: Value =
        serde_json::from_slice(&folder.sterna(&["doctor", "--json", "-m", "builtin"]).stdout).unwrap();
    assert!(model["model"]["weight_bytes"].as_u64().unwrap() > 10_000_000, "{}", model["model"]);
    let none = folder.sterna(&["doctor", "-m", "nothing.gguf"]);
    assert_eq!(none.status.code(), Some(1));
    assert!(text(&none.stdout).contains("failure") && text(&none.stdout).contains("no model at"));
    let shown = text(&folder.sterna(&["doctor", "--all"]).stdout);
    for words in ["processor", "threads", "backend   cpu, the only one", "huge-pages", "try       sterna run"]
    {
        assert!(shown.contains(words), "{words} in {shown}");
    }
}

fn recorded(folder: &Folder, name: &str, threads: &str) {
    let args = [
        "bench",
        "--rounds",
        "1",
        "--widths",
        "1,4",
        "--prompts",
        "8",
        "--decode",
        "2",
        "--threads",
        threads,
    ];
    let out = folder.sterna(&[&args[..], &["--record", name]].concat());
    assert!(out.status.success(), "{}", text(&out.stderr));
}

#[test]
fn recorded_runs_become_a_page() {
    let folder = Folder::new("report");
    recorded(&folder, "a.jsonl", "1");
    recorded(&folder, "b.jsonl", "2");
    let out = folder.sterna(&["report", "a.jsonl", "b.jsonl"]);
    assert!(out.status.success() && text(&out.stdout).trim() == "report.html", "{}", text(&out.stderr));
    assert!(text(&out.stderr).contains("threads"), "the runs differ: {}", text(&out.stderr));
    let page = std::fs::read_to_string(folder.path("report.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("<svg") && page.contains("Side by side"));
    assert!(!page.contains("<script") && !page.contains("http:") && !page.contains("https:"));
    let markdown = text(&folder.sterna(&["report", "a.jsonl", "--markdown"]).stdout);
    assert!(markdown.starts_with("# Sterna:") && markdown.contains("| rows | ms |"));
    let json: Value =
        serde_json::from_slice(&folder.sterna(&["report", "a.jsonl", "-o", "x.html", "--json"]).stdout)
            .unwrap();
    assert_eq!(json["path"], "x.html");

    let refused = |args: &[&str], words: &str| {
        let out = folder.sterna(args);
        let said = text(&out.stderr);
        assert!(
            out.status.code() == Some(1) && said.contains(words) && out.stdout.is_empty(),
            "{args:?}: {said}"
        );
    };
    refused(&["report", "a.jsonl", "-o", "a.jsonl"], "one of the measurements");
    std::fs::write(folder.path("notes.html"), "my notes").unwrap();
    refused(&["report", "a.jsonl", "-o", "notes.html"], "--force");
    std::fs::write(folder.path("bad.jsonl"), "{\"schema\":1,\"run\":\"x\",\"kind\":\"sample\"}\n").unwrap();
    refused(&["report", "bad.jsonl"], "bad.jsonl, line 1");
    refused(&["report", "missing.jsonl"], "missing.jsonl");
    assert_eq!(folder.sterna(&["report"]).status.code(), Some(2));
    assert!(
        folder.sterna(&["report", "a.jsonl", "-o", "report.html"]).status.success(),
        "a report may be replaced"
    );
}
