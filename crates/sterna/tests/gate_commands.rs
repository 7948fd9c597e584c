//! `sterna gate argmax`, `transcript`, `lossless` and `quality` as a CI script uses them: files, exit codes, JSON.
//! 0 passed, 1 failed, 2 not run, 3 refused.
#![allow(clippy::unwrap_used)] // helpers are no #[test] functions

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs `sterna gate`; gives exit code, standard output and standard error.
fn gate(args: &[&str]) -> (i32, String, String) {
    let out = Command::new(env!("CARGO_BIN_EXE_sterna")).arg("gate").args(args).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (out.status.code().unwrap(), text(out.stdout), text(out.stderr))
}

/// The same, of a gate that must end with `code`; gives everything it said.
fn ends(code: i32, args: &[&str]) -> String {
    let (got, out, err) = gate(args);
    let said = format!("{out}{err}");
    assert_eq!(got, code, "sterna gate {args:?}\n{said}");
    assert!(!said.contains("panicked"), "{said}");
    said
}

fn json_of(code: i32, args: &[&str]) -> Value {
    let (got, out, err) = gate(&[args, &["--json"]].concat());
    assert_eq!(got, code, "sterna gate {args:?}\n{out}{err}");
    serde_json::from_str(&out).unwrap()
}

/// A folder that goes away with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("sterna-gates-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }
    fn write(&self, name: &str, text: &str) -> String {
        let path = self.path(name);
        std::fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn argmax_prints_c_of_c() {
    let said = ends(0, &["argmax", "--chunk", "16,33,128", "--from", "7"]);
    for words in ["16/16", "33/33", "128/128", "bytes equal", "PASS"] {
        assert!(said.contains(words), "{words}: {said}");
    }
    let found = json_of(0, &["argmax", "--chunk", "16", "--require", "argmax", "--device", "ref-law"]);
    assert_eq!((&found["passed"], &found["gate"]), (&json!(true), &json!("argmax")));
    assert_eq!(found["report"]["chunks"][0]["bits_equal"], 16);
    assert_eq!(found["report"]["chunks"][0]["state_blocks_differing"], 0);
    for (args, words) in [
        (&["argmax", "--chunk", "300"][..], "widest entry point"),
        (&["argmax", "--chunk", "0"], "1..=1024"),
        (&["argmax", "--from", "500"], "context of 512"),
        (&["argmax", "--text", "no-such-text"], "no-such-text"),
        (&["argmax", "-m", "no-such-model"], "no model at"),
    ] {
        let said = ends(2, args);
        assert!(said.contains(words), "{args:?}: {said}");
    }
}

#[test]
fn a_transcript_is_written_held_altered_and_refused() {
    let folder = Folder::new("transcript");
    let oracle = folder.path("oracle.jsonl");
    let write = ["transcript", "--write", &oracle, "--device", "ref-float", "-n", "6", "--prompt"];
    let made = json_of(0, &[&write[..], &["Once upon a time", "--prompt", "The old map"]].concat());
    assert_eq!(made["prompts"], 2);
    assert!(ends(2, &[&write[..], &["x"]].concat()).contains("--force"));
    ends(0, &[&write[..], &["Once upon a time", "--force"]].concat());

    let held = json_of(0, &["transcript", &oracle]);
    assert_eq!((&held["passed"], &held["report"]["tokens"]), (&json!(true), &json!(6)));
    assert_eq!(held["report"]["cases"][0]["tokenised"], "exact");
    // A prompt file may be a transcript.
    let again = folder.path("again.jsonl");
    let from = ["transcript", "--write", &again, "--device", "ref-float", "-n", "6", "--prompts", &oracle];
    ends(0, &from);
    let text = std::fs::read_to_string(&oracle).unwrap();
    assert_eq!(text, std::fs::read_to_string(&again).unwrap());

    let mut lines: Vec<Value> = text.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let save = |name: &str, lines: &[Value]| {
        folder.write(name, &lines.iter().map(|l| format!("{l}\n")).collect::<String>())
    };
    // The first margin of this prompt is above 7.
    let token = lines[1]["tokens"][0].as_u64().unwrap();
    lines[1]["tokens"][0] = json!(token + 1);
    let altered = save("altered.jsonl", &lines);
    assert!(ends(1, &["transcript", &altered]).contains("FAIL: the greedy run leaves the golden one"));
    lines[1]["margins"][0] = json!(0.05);
    lines[1]["tokens"] = json!([token + 1]);
    lines[1]["margins"] = json!([0.05]);
    lines[1]["seconds"] = json!([token]);
    let tie = save("tie.jsonl", &lines);
    let found = json_of(0, &["transcript", &tie]);
    assert_eq!((&found["report"]["near_ties"], &found["report"]["equal"]), (&json!(1), &json!(0)));
    ends(1, &["transcript", &tie, "--exact"]);
    ends(1, &["transcript", &tie, "--near-tie", "0.01"]);
    lines[0]["tokenizer"] = json!("0123");
    let other = save("other.jsonl", &lines);
    assert!(ends(3, &["transcript", &other]).contains("tokenizer is"));
    let refused = json_of(3, &["transcript", &other]);
    assert_eq!((&refused["passed"], &refused["refused"][0]["what"]), (&json!(false), &json!("tokenizer")));

    let bad = folder.write("bad.jsonl", "{\"text\":\"a\",\"tokens\":[1]}\n{\"text\":1}\n");
    let headless = folder
        .write("headless.jsonl", "{\"text\":\"Once upon a\",\"prompt\":[2428,921,262],\"tokens\":[608]}");
    ends(0, &["transcript", &headless, "--exact"]);
    let other_model = root().join("tests/data/oracle/f_llama").to_str().unwrap().to_owned();
    for (args, words) in [
        (&["transcript"][..], "FILE"),
        (&["transcript", &bad], "line 2"),
        (&["transcript", "no-such-file"], "no-such-file"),
        (&["transcript", &oracle, "--near-tie", "nan"], "--near-tie"),
        (&["transcript", &oracle, "--prompt", "x"], "--write"),
        (&["transcript", "--write", &folder.path("x")], "--prompts FILE"),
        (&["transcript", "--write", "/no/such/folder/x", "--prompt", "x"], "cannot write /no/such/folder/x"),
        (&["transcript", "--write", &folder.path("x"), "--prompt", ""], "no tokens"),
        (&["transcript", &oracle, "-m", &other_model], "refused"),
    ] {
        let code = if words == "refused" { 3 } else { 2 };
        let said = ends(code, args);
        assert!(said.contains(words), "{args:?}: {said}");
    }
}

#[test]
fn all_ways_to_run_give_the_same_answers() {
    let folder = Folder::new("lossless");
    let prompts = folder.write(
        "prompts.jsonl",
        "{\"text\":\"Once upon a time\",\"stop\":[\" lived\"]}\n{\"prompt\":[425,766,2270]}\n",
    );
    let torn = folder.write("torn.jsonl", "{\"text\":\"Once upon a time\",\"prompt\":[425,766,2270]}\n");
    let args = ["lossless", "--prompts", &prompts, "-n", "5,20", "--seed", "3", "--chunks", "2,128"];
    let found = json_of(0, &args);
    let report = &found["report"];
    assert_eq!(report["requests"], 8, "prompts x budgets x (greedy and one seed)");
    let arms = report["arms"].as_array().unwrap();
    assert_eq!(arms.len(), 7);
    assert!(arms.iter().all(|a| a["equal"] == 8 && a["speculation"].is_null()), "{report}");
    assert!(report["finishes"]["stop"].as_u64().unwrap() >= 1, "{report}");
    assert!(report["finishes"]["length"].as_u64().unwrap() >= 4, "{report}");
    // Whoever knows the answer is right to the end, also where a stop text is the end.
    let who = ["--only-speculation", "--speculate", "perfect", "--draft-tokens", "2,5"];
    let report = &json_of(0, &[&args[..], &who].concat())["report"];
    assert!(report["finishes"]["stop"].as_u64().unwrap() >= 1, "{report}");
    for arm in &report["arms"].as_array().unwrap()[1..] {
        let drafts = &arm["speculation"];
        assert!(drafts["accepted"].as_u64().unwrap() > 10 && drafts["rejected"] == 0, "{report}");
    }
    for (args, words) in [
        (&["lossless"][..], "--prompts FILE"),
        (&["lossless", "--prompts", "no-such-file"], "no-such-file"),
        (&["lossless", "--prompt", "x", "--temperature", "-1"], "temperature"),
        (&["lossless", "--prompt", "x", "-n", "0"], "0 is not in"),
        (&["lossless", "--prompts", &torn], "into other tokens than `prompt` names"),
    ] {
        let said = ends(2, args);
        assert!(said.contains(words), "{args:?}: {said}");
    }
}

/// The stored result of the built-in model, and what happens when it, the budget or the model is another.
#[test]
fn quality_is_held_against_a_stored_result() {
    let folder = Folder::new("quality");
    let file =
        |name: &str| root().join("models/llama-tern-30m/quality").join(name).to_str().unwrap().to_owned();
    let (text, tasks, stored) = (file("story.txt"), file("tasks.jsonl"), file("result.json"));
    let measure = ["quality", "--perplexity", &text, "--window", "128", "--stride", "64", "--tasks", &tasks];
    let with = |more: &[&'static str]| -> Vec<String> {
        measure.iter().chain(more).map(|s| (*s).to_owned()).collect()
    };
    let run = |code: i32, args: &[String], baseline: &str| {
        let mut all: Vec<&str> = args.iter().map(String::as_str).collect();
        all.extend(["--baseline", baseline]);
        ends(code, &all)
    };
    let said = run(0, &with(&["--max-drop", "0.001"]), &stored);
    assert!(said.contains("PASS") && said.contains("perplexity"), "{said}");

    let baseline: Value = serde_json::from_str(&std::fs::read_to_string(&stored).unwrap()).unwrap();
    let save = |name: &str, change: &dyn Fn(&mut Value)| {
        let mut altered = baseline.clone();
        change(&mut altered);
        folder.write(name, &altered.to_string())
    };
    let better = save("better.json", &|b| {
        let p = b["perplexity"]["perplexity"].as_f64().unwrap();
        b["perplexity"]["perplexity"] = json!(p * 0.98);
    });
    assert!(run(1, &with(&["--max-drop", "1"]), &better).contains("FAIL"));
    run(0, &with(&["--max-drop", "3"]), &better);
    let righter = save("righter.json", &|b| {
        let n = b["tasks"]["answer"]["right"].as_u64().unwrap();
        b["tasks"]["answer"]["right"] = json!(n + 1);
    });
    run(1, &with(&["--max-drop", "5"]), &righter);
    run(0, &with(&["--max-drop", "11"]), &righter);
    // Another activation arithmetic is another model: it may be compared.
    let exact = ["--device", "ref-float", "--max-drop", "100"];
    run(0, &with(&exact), &stored);

    for (more, words) in [
        (&["--budget", "100"][..], "perplexity.budget is 100 here"),
        (&["--bos", "never", "--items", "5"], "tasks.items is [5,0] here and [20,10] there"),
        (&["-n", "3"], "tasks.max_tokens is 3 here and 16 there"),
    ] {
        let said = run(3, &with(&[more, &["--max-drop", "100"]].concat()), &stored);
        assert!(said.contains("refused") && said.contains(words), "{said}");
        assert!(!said.contains("protocol: rules"), "refused before it is measured: {said}");
    }
    let partial: Vec<String> = ["quality", "--tasks", &tasks].iter().map(|s| (*s).to_owned()).collect();
    assert!(run(3, &partial, &stored).contains("perplexity is absent here and present there"));
    let tokenizer = save("tokenizer.json", &|b| b["protocol"]["tokenizer"] = json!("00"));
    let refused = json_of(3, &[&measure[..], &["--baseline", &tokenizer]].concat());
    assert_eq!(refused["refused"][0]["what"], "tokenizer");
    assert_eq!(refused["passed"], false);

    let again = folder.path("again.json");
    let saved = json_of(0, &[&measure[..], &["--save", &again]].concat());
    let written: Value = serde_json::from_str(&std::fs::read_to_string(&again).unwrap()).unwrap();
    assert_eq!(saved["report"], written);
    assert_eq!(written["protocol"], baseline["protocol"]);
    let strange = folder.write("strange.json", "{}");
    for (args, words) in [
        (&["quality"][..], "--perplexity"),
        (&["quality", "--perplexity", "no-such-text"], "no-such-text"),
        (&["quality", "--tasks", &text], "line 1"),
        (&["quality", "--tasks", &tasks, "--baseline", &strange], "no stored quality result"),
        (&["quality", "--tasks", &tasks, "--save", &again], "--force"),
        (&["quality", "--tasks", &tasks, "--save", "/no/such/folder/x"], "cannot write /no/such/folder/x"),
        (&["quality", "--tasks", &tasks, "--max-drop", "1"], "--baseline"),
        (&["quality", "--tasks", &tasks, "--baseline", &stored, "--max-drop", "nan"], "--max-drop"),
        (&["quality", "--perplexity", &text, "--window", "1"], "a window has 2 to 512"),
        (&["quality", "--tasks", &tasks, "--bos", "always"], "no begin token"),
    ] {
        let said = ends(2, args);
        assert!(said.contains(words), "{args:?}: {said}");
    }
}

#[test]
fn help_names_the_exit_codes() {
    for args in [&["--help"][..], &["argmax", "--help"], &["transcript", "--help"], &["lossless", "--help"]] {
        let said = ends(0, args);
        assert!(args.len() > 1 || said.contains("3  refused"), "{said}");
    }
    ends(2, &["--positions", "8", "argmax"]);
    ends(2, &["nonsense"]);
}

/// A gate whose reader went away could tell nobody its verdict: that is no pass.
#[test]
#[cfg(unix)]
fn a_closed_pipe_is_no_verdict() {
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_sterna"))
        .args(["gate", "argmax", "--chunk", "2", "--from", "2"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(2));
}

/// The protocol for GSM8K from its script, on made-up questions and a small model with static activations.
#[test]
fn the_gsm8k_protocol_runs_from_its_script() {
    let folder = Folder::new("gsm8k");
    let questions: String = (2..14)
        .map(|n| {
            let (question, answer) = (
                format!("Tom had {n} eggs and got 1. How many?"),
                format!("{n} + 1 = <<{n}+1>>\n#### {}", n + 1),
            );
            format!("{}\n", json!({ "question": question, "answer": answer }))
        })
        .collect();
    let (data, out) = (folder.write("test.jsonl", &questions), folder.path("out"));
    let model = root().join("models/llama-tern-gemma").to_str().unwrap().to_owned();
    let script = |more: &[&str]| {
        let path = root().join("scripts/gsm8k.py");
        let program = env!("CARGO_BIN_EXE_sterna");
        let fixed =
            ["run", &data, &out, "-m", &model, "--sterna", program, "--items", "6", "--max-tokens", "12"];
        let made = Command::new("python3").arg(path).args(fixed).args(more).output().unwrap();
        let said = [made.stdout, made.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
        (made.status.code().unwrap(), said)
    };
    let (code, said) = script(&["--style", "plain", "--shots", "3", "--max-drop", "100", "--", "-t", "2"]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("question by question") && said.contains("PASS"), "{said}");
    let read = |name: &str| {
        let text = std::fs::read_to_string(Path::new(&out).join(name)).unwrap();
        serde_json::from_str::<Value>(&text).unwrap()
    };
    let (before, now, pairs) = (read("float.json"), read("model.json"), &read("comparison.json")["pairs"]);
    assert_eq!(
        (&before["subject"]["activations"], &now["subject"]["activations"]),
        (&json!("float"), &json!("model"))
    );
    assert_eq!(before["protocol"], now["protocol"]);
    let right = |report: &Value| report["tasks"]["answer"]["right"].as_u64().unwrap();
    let count = |name: &str| pairs[name].as_u64().unwrap();
    assert_eq!(count("both") + count("baseline_only"), right(&before));
    assert_eq!(count("both") + count("now_only"), right(&now));
    assert_eq!(["both", "baseline_only", "now_only", "neither"].map(count).iter().sum::<u64>(), 6);
    // An instructed model is asked through its template.
    let (code, said) = script(&["--max-drop", "100"]);
    assert_eq!(code, 0, "{said}");
    assert_ne!(read("model.json")["protocol"], now["protocol"], "another task file");
    // A drop that is not allowed is the exit code.
    let (code, said) = script(&["--style", "plain", "--shots", "3", "--max-drop", "-200"]);
    assert!(code == 1 && said.contains("FAIL"), "{said}");
}
