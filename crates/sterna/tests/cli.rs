//! The program as a person or a script uses it: the real binary, real files, real pipes.
#![allow(clippy::unwrap_used)] // helpers are no #[test] functions

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn sterna(args: &[&str]) -> Output {
    // Any folder will do: the built-in model needs none of the project's files.
    Command::new(env!("CARGO_BIN_EXE_sterna")).args(args).current_dir(std::env::temp_dir()).output().unwrap()
}

fn json(args: &[&str]) -> Value {
    let out = sterna(args);
    assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
    serde_json::from_slice(&out.stdout).unwrap()
}

fn text(out: &Output) -> String {
    String::from_utf8(out.stdout.clone()).unwrap()
}

fn temp(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("sterna-cli-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn the_built_in_model_tells_a_story_from_any_folder() {
    let out = sterna(&["run", "Once upon a time", "-n", "24"]);
    assert!(out.status.success());
    assert!(text(&out).starts_with("Once upon a time, in a small village"), "{}", text(&out));
    let answer = json(&["run", "--json", "--chat", "Tell me a story about a fox.", "-n", "12"]);
    assert_eq!(answer["tokens"].as_array().unwrap().len(), 12);
    assert_eq!(answer["model"], "llama-tern-30m");
    assert_eq!(answer["finish"], "length");
}

#[test]
fn threads_devices_and_seeds_decide_nothing_about_the_text() {
    let run = |more: &[&str]| {
        let base =
            ["run", "--json", "She approached the door", "-n", "20", "--temperature", "0.9", "--seed", "11"];
        json(&[&base[..], more].concat())["tokens"].clone()
    };
    let tokens = run(&["--threads", "1"]);
    assert_eq!(tokens, run(&["--threads", "2"]));
    assert_eq!(tokens, run(&["--threads", "3", "--context", "64"]));
    assert_eq!(tokens, run(&["--device", "cpu-portable"]));
    assert_eq!(tokens, run(&["--device", "ref-law"]));
    let other = json(&[
        "run",
        "--json",
        "She approached the door",
        "-n",
        "20",
        "--temperature",
        "0.9",
        "--seed",
        "12",
    ]);
    assert_ne!(tokens, other["tokens"]);
}

#[test]
fn a_stop_string_ends_the_text_and_is_not_part_of_it() {
    let all = json(&["run", "--json", "Once upon a time", "-n", "30"]);
    let all = all["text"].as_str().unwrap();
    let stop = &all[8..17]; // inside, across tokens
    let cut = json(&["run", "--json", "Once upon a time", "-n", "30", "--stop", stop]);
    assert_eq!(cut["finish"], "stop");
    assert_eq!(cut["text"].as_str().unwrap(), &all[..all.find(stop).unwrap()]);
}

#[test]
fn a_bundle_answers_as_its_source_does() {
    let folder = temp("pack");
    let bundle = folder.join("model.sterna");
    let bundle = bundle.to_str().unwrap();
    let report = json(&["pack", "builtin", "-o", bundle, "--json"]);
    assert_eq!(report["worst_residual"], 0.0);
    let again = sterna(&["pack", "builtin", "-o", bundle]);
    assert!(!again.status.success() && String::from_utf8_lossy(&again.stderr).contains("--force"));
    let prompt = ["run", "--json", "The old map", "-n", "16"];
    let from_bundle = json(&[&prompt[..], &["-m", bundle]].concat());
    assert_eq!(from_bundle["tokens"], json(&prompt)["tokens"]);
    assert_eq!(from_bundle["margins"], json(&prompt)["margins"], "the same logits, not just the same tokens");
    let seen = json(&["inspect", "--json", "--plan", bundle]);
    assert_eq!(seen["source"], "bundle");
    assert!(
        seen["entries"][0]["plan"].as_array().unwrap().len() < seen["unfused_ops"].as_u64().unwrap() as usize
    );
    // What each fold takes away, one after the other, is what all of them do.
    let folds: Vec<_> =
        seen["folds"].as_array().unwrap().iter().map(|f| f["ops"].as_u64().unwrap()).collect();
    assert!(
        folds.len() == 11
            && folds.is_sorted_by(|a, b| a >= b)
            && seen["unfused_ops"].as_u64() > Some(folds[0])
    );
    assert_eq!(folds.last().copied(), seen["entries"][0]["ops"].as_u64());
    std::fs::remove_dir_all(folder).unwrap();
}

/// T3: a checkpoint of ordinary floats is refused with its residual unless rounding is asked for.
#[test]
fn weights_that_are_not_ternary_are_refused_unless_rounded() {
    let folder = temp("round");
    let source = root().join("tests/data/oracle/f_llama");
    let (source, dest) = (source.to_str().unwrap(), folder.join("out.sterna"));
    let refused = sterna(&["pack", source, "-o", dest.to_str().unwrap()]);
    let words = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && words.contains("layers.0") && !dest.exists(), "{words}");
    let rounded = json(&["pack", source, "-o", dest.to_str().unwrap(), "--round", "--json"]);
    assert!(rounded["worst_residual"].as_f64().unwrap() > 0.1);
    let own = format!("{source}/config.json");
    let refused = sterna(&["pack", source, "-o", &own, "--round", "--force"]);
    assert!(
        !refused.status.success()
            && String::from_utf8_lossy(&refused.stderr).contains("a file of the source")
    );
    std::fs::remove_dir_all(folder).unwrap();
}

fn chat(args: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_sterna"))
        .arg("chat")
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn a_chat_keeps_its_state_from_turn_to_turn() {
    let out = chat(&["--json", "-n", "8"], "Hello there.\nAnd what then?\n");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let turns: Vec<Value> = text(&out).lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(turns.len(), 2);
    let (first, second) = (&turns[0], &turns[1]);
    assert_eq!(first["reused_tokens"], 0);
    // Everything that was read or said before is kept.
    assert!(second["reused_tokens"].as_u64().unwrap() >= first["prompt_tokens"].as_u64().unwrap());
    let out =
        chat(&["-n", "4"], "/help\n/stats\nHi.\n/history\n/undo\n/history\n/bogus\n/quit\nnever read\n");
    let said = text(&out);
    assert!(
        out.status.success()
            && said.contains("/retry")
            && said.contains("[user] Hi.")
            && said.contains("/bogus")
    );
    assert!(!said.contains("never read"));
}

#[test]
fn mistakes_are_answered_with_what_to_do() {
    let folder = temp("errors");
    let garbage = folder.join("garbage.gguf");
    std::fs::write(&garbage, b"GGUF\x03\0\0\0 and then nothing that makes sense").unwrap();
    let long = "word ".repeat(700);
    let golden = root().join("tests/data/llama-tern-30m/golden.safetensors");
    let golden = golden.to_str().unwrap();
    let cases: &[(&[&str], &str)] = &[
        (&["run", "x", "-m", "no/such/file.gguf"], "no model at"),
        (&["run", "x", "-m", garbage.to_str().unwrap()], "garbage.gguf"),
        (&["run", "x", "-m", folder.to_str().unwrap()], "config.json"),
        (&["run", ""], "no tokens"),
        (&["run", &long], "--context"),
        (&["run", "x", "--context", "100000"], "512"),
        (&["run", "x", "--temperature", "-1"], "temperature"),
        (&["run", "x", "--top-p", "0"], "top_p"),
        (&["run", "x", "--stop", ""], "stop"),
        (&["gate", "--positions", "8", "--text", "no-such-text"], "no-such-text"),
        (&["pull", "not a repository"], "owner/name"),
        (&["gate", "--max-abs", "nan"], "--max-abs"),
        (&["gate", "--near-tie", "-1"], "--near-tie"),
        (&["gate", "--golden", golden, "--golden-only", "--logits", "nope"], "no logits named nope"),
    ];
    for (args, words) in cases {
        let out = sterna(args);
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        // 1 is a gate that failed.
        let code = if args[0] == "gate" { 2 } else { 1 };
        assert_eq!(out.status.code(), Some(code), "{args:?}: {said}");
        assert!(said.contains(words) && !said.contains("panicked"), "{args:?}: {said}");
        assert!(out.stdout.is_empty() || args[0] == "gate", "{args:?} shows text before its error");
    }
    let usage = sterna(&["run", "x", "--device", "abacus"]);
    assert_eq!(usage.status.code(), Some(2));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn completions_and_the_manual_are_made() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(text(&sterna(&["completions", shell])).contains("sterna"), "{shell}");
    }
    let man = text(&sterna(&["man"]));
    assert!(man.contains(".TH") && man.contains("temperature"));
    for sub in ["run", "chat", "pack", "inspect", "bench", "probe", "gate", "doctor", "report", "pull"] {
        assert!(sterna(&[sub, "--help"]).status.success(), "{sub}");
    }
}

#[test]
fn bench_counts_the_same_weight_bytes_at_every_width() {
    let args = ["bench", "--json", "--rounds", "1", "--widths", "1,4,64", "--prompts", "16", "--decode", "4"];
    let report = json(&args);
    let rows = report["widths"]["rows"].as_array().unwrap();
    let bytes = |r: &Value| r["weight_bytes"].as_u64().unwrap();
    assert_eq!(rows.len(), 3);
    assert!(bytes(&rows[0]) > 10_000_000 && rows.iter().all(|r| bytes(r) == bytes(&rows[0])));
}

/// A full disk is an error with exit code 1, a reader that went away is none; neither is a panic.
#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_no_panic() {
    for args in [
        &["inspect"][..],
        &["inspect", "--json"],
        &["completions", "zsh"],
        &["man"],
        &["run", "x", "-n", "1"],
    ] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let out = Command::new(env!("CARGO_BIN_EXE_sterna")).args(args).stdout(full).output().unwrap();
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(out.status.code() == Some(1) && said.starts_with("error:"), "{args:?}: {said}");
        let mut child = Command::new(env!("CARGO_BIN_EXE_sterna"))
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let out = child.wait_with_output().unwrap();
        assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
    }
}

#[cfg(unix)]
#[test]
fn pipes_devices_and_links_are_neither_read_nor_replaced() {
    let folder = temp("special");
    let (fifo, link) = (folder.join("fifo"), folder.join("link"));
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    std::os::unix::fs::symlink("elsewhere", &link).unwrap();
    let read = sterna(&["inspect", "-m", fifo.to_str().unwrap()]);
    assert!(
        read.status.code() == Some(1) && String::from_utf8_lossy(&read.stderr).contains("neither a file")
    );
    for target in [&fifo, &link, &folder] {
        let out = sterna(&["pack", "builtin", "--force", "-o", target.to_str().unwrap()]);
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(out.status.code() == Some(1) && said.contains("plain file"), "{}: {said}", target.display());
    }
    assert!(link.is_symlink() && !fifo.is_file());
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_chat_in_json_writes_json_alone() {
    let long = "word ".repeat(700);
    let out =
        chat(&["--json", "-n", "2"], &format!("/help\n/bogus\n/retry\n{long}\nHi.\n/stats\n/history\n"));
    let lines: Vec<Value> = text(&out).lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let has = |key: &str| lines.iter().filter(|l| l.get(key).is_some()).count();
    assert_eq!((has("error"), has("text")), (3, 1), "{lines:?}");
    assert!(has("note") >= 4 && out.status.success());
}

/// The head in another encoding: smaller, reported, and held against the model it came from.
#[test]
fn a_head_is_encoded_anew_and_compared() {
    let folder = temp("head");
    let bundle = folder.join("q6.sterna");
    let path = bundle.to_str().unwrap();
    let report = json(&["pack", "builtin", "--head", "q6_k", "-o", path, "--json"]);
    let embed = report["tensors"].as_array().unwrap().iter().find(|t| t["name"] == "embed").unwrap();
    assert_eq!(
        (&embed["to"], report["worst_residual"].as_f64()),
        (&"q6_k".into(), embed["residual"].as_f64())
    );
    let said = text(&sterna(&["pack", "builtin", "--head", "q6_k", "-o", path, "--force"]));
    assert!(said.contains("embed: ") && said.contains("--against"), "{said}");
    assert!(said.contains("every other weight is exactly the source's"), "{said}");

    let gate = ["gate", "--against", path, "--positions", "80", "--window", "50"];
    let found = json(&[&gate[..], &["--min-agreement", "0.7", "--json"]].concat());
    let against = &found["against"];
    assert_eq!((&against["rows"], &against["scored"]), (&80.into(), &78.into()));
    assert!(against["identical"].as_u64().unwrap() < 80, "{against}");
    assert!(against["mean_kl"].as_f64().unwrap() > 0.0);
    let bytes = |side: &str| found[side]["weight_bytes_per_token"].as_u64().unwrap();
    assert!(bytes("other") < bytes("base"));
    let out = sterna(&[&gate[..], &["-m", path, "--min-agreement", "1"]].concat());
    assert!(out.status.success(), "a model against itself: {}", text(&out));
    assert!(text(&out).contains("80 (100.000 %), all bits in 80"), "{}", text(&out));

    for (args, words) in [
        (&["pack", "builtin", "--head", "tq2_0", "-o", "x"][..], "4 bits"),
        (&["pack", "builtin", "--embedding", "q8_0", "-o", "x"], "one tensor"),
        (&["pack", "builtin", "--head", "q9", "-o", "x"], "unknown encoding"),
        (&["gate", "--against", path, "--min-agreement", "1.5"], "from 0 to 1"),
        (&["gate", "--against", path, "--window", "0"], "windows of 0"),
        (&["gate", "--against", "/nowhere"], "no model"),
        (&["gate", "--min-agreement", "0.5"], "--against"),
    ] {
        let out = sterna(args);
        let said = String::from_utf8_lossy(&out.stderr);
        assert!(!out.status.success() && said.contains(words), "{args:?}: {said}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// A float checkpoint in int8: packed with what every kind lost, noted in the bundle, and the same answer loaded directly.
#[test]
fn linear_weights_are_quantised_packed_or_while_loading() {
    let folder = temp("linears");
    let (bundle, keep) = (folder.join("q8.sterna"), folder.join("keep.sterna"));
    let (bundle, keep) = (bundle.to_str().unwrap(), keep.to_str().unwrap());
    let oracle = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/oracle/f_llama");
    let kind = |report: &Value, kind: &str| {
        let kinds = report["quantised"].as_array().unwrap().clone();
        kinds.into_iter().find(|k| k["kind"] == kind).unwrap_or_default()
    };
    let report = json(&["pack", oracle, "--linears", "q8_0", "-o", bundle, "--json"]);
    let (down, head) = (kind(&report, "down"), kind(&report, "head"));
    assert!(down["residual"].as_f64().unwrap() > 0.0 && down["from"] == "bf16" && down["to"] == "q8_0");
    assert_eq!(head["to"], "q8_0");
    let said = text(&sterna(&["pack", oracle, "--linears", "q4_0", "--head", "keep", "-o", keep]));
    let line = said.lines().find(|l| l.trim_start().starts_with("down ")).unwrap();
    assert!(line.contains("bf16 to q4_0") && line.ends_with(" %"), "{said}");
    assert!(said.contains("every other weight is exactly the source's"), "{said}");
    let noted = json(&["inspect", keep, "--json"]);
    assert!(kind(&noted, "head").is_null() && kind(&noted, "down")["to"] == "q4_0", "{noted}");

    let noted = json(&["inspect", bundle, "--json"]);
    assert_eq!(noted["quantised"], report["quantised"]);
    let shown = text(&sterna(&["inspect", oracle, "--linears", "q8_0"]));
    assert!(shown.contains("while loading") && shown.contains("q8_0"), "{shown}");

    let answer = |args: &[&str]| {
        let made = json(&[&["run", "the cat", "-n", "12", "--ignore-end", "--json", "-m"], args].concat());
        (made["tokens"].clone(), made["margins"].clone())
    };
    let loaded = answer(&[oracle, "--linears", "q8_0"]);
    assert_eq!(loaded, answer(&[bundle]));
    assert_ne!(loaded, answer(&[oracle]), "nothing was quantised");
    // The other model of a comparison is what its file says.
    let gate = ["gate", "-m", oracle, "--linears", "q8_0", "--against", bundle, "--positions", "60"];
    assert_eq!(json(&[&gate[..], &["--json"]].concat())["against"]["identical"], 60);

    for (args, words) in [
        (&["run", "x", "--linears", "q8_0"][..], "layers.0.q\" is tq2_0 already"),
        (&["pack", bundle, "--linears", "q4_0", "-o", "x"], "q8_0 already"),
        (&["run", "x", "-m", oracle, "--linears", "q6_k"], "possible values: q8_0, q4_0"),
        (&["pack", oracle, "--linears", "q8_0", "--round"], "cannot be used with"),
        (&["pack", oracle, "--linears", "q8_0", "--keep", "embed", "-o", "x"], "keep"),
        (&["bench", "--linears", "q8_0", "--synthetic", "bitcpm-8b"], "cannot be used with"),
    ] {
        let out = sterna(args);
        let said = String::from_utf8_lossy(&out.stderr);
        assert!(!out.status.success() && said.contains(words), "{args:?}: {said}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
