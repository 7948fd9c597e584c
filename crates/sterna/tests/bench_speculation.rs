//! Speculation measured on the built-in model, as a script uses it. No test asks how fast anything is.
#![allow(clippy::unwrap_used)] // helpers are no #[test] functions

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use sterna_probe::record::{Record, TableValue, read};

/// A folder of the test's own, for the lock of measurements too.
fn temp(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("sterna-speculation-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn sterna(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sterna"));
    command.args(args).current_dir(folder).env("TMPDIR", folder).env("XDG_CACHE_HOME", folder);
    command.output().unwrap()
}

fn json(folder: &Path, args: &[&str]) -> Value {
    let out = sterna(folder, args);
    assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
    serde_json::from_slice(&out.stdout).unwrap()
}

const PROMPTS: &str = r#"{"set":"copy","text":"Knock, knock, knock, said the rain on the roof. Knock, knock, knock, said the rain on the door. Knock, knock, knock, said the rain on the"}
{"set":"story","text":"Once upon a time"}
{"set":"copy","text":"The bear said, \"I am hungry.\" The fox said, \"I am hungry.\" The owl said, \"I am hungry.\" The frog said,"}
"#;

#[test]
fn arms_with_drafts_and_without_answer_the_same_and_are_recorded() {
    let folder = temp("bench");
    std::fs::write(folder.join("prompts.jsonl"), PROMPTS).unwrap();
    let args = [
        "bench",
        "--prompt-file",
        "prompts.jsonl",
        "--decode",
        "24",
        "--seconds",
        "1",
        "--most-rounds",
        "10",
        "--json",
        "--record",
        "runs.jsonl",
        "--arm",
        "speculate=off",
        "--arm",
        "name=draft,speculate=draft,draft=builtin,draft-tokens=3",
        "--arm",
        "speculate=ngram,draft-tokens=4",
        "--arm",
        "speculate=auto,draft=builtin",
    ];
    let found = json(&folder, &args);
    let sets = found["speculation"].as_array().unwrap();
    let names: Vec<&str> = sets.iter().map(|s| s["set"].as_str().unwrap()).collect();
    assert_eq!(names, ["copy", "story"]);
    for set in sets {
        let rows = set["rows"].as_array().unwrap();
        let tokens: Vec<u64> = rows.iter().map(|r| r["tokens"].as_u64().unwrap()).collect();
        assert!(rows.len() == 4 && tokens[0] > 0 && tokens.iter().all(|t| *t == tokens[0]), "{set}");
        assert_eq!(rows[0]["proposed"], 0);
        let draft = &rows[1];
        assert!(
            draft["name"] == "draft" && draft["proposed"].as_u64() > draft["accepted"].as_u64(),
            "{draft}"
        );
        assert!(
            draft["accepted"].as_u64() > Some(0),
            "a draft model of the same family is right sometimes: {draft}"
        );
        assert_eq!(draft["proposers"][0]["places"].as_array().unwrap().len(), 3);
        for r in rows {
            let second = |role: &str| r["roles"][role].as_f64().unwrap();
            let speculates = r["name"] != "speculate=off";
            assert!(
                speculates == (second("draft") > 0.0) && second("decode") + second("verify") > 0.0,
                "{r}"
            );
            assert!(r["tokens_per_s"].as_f64() > Some(0.0));
        }
        // What repeats itself is what a lookup is for.
        assert!(set["set"] != "copy" || rows[2]["accepted"].as_u64() > Some(0), "{set}");
        assert_eq!(set["comparisons"].as_array().unwrap().len(), 3);
    }
    let text = sterna(&folder, &["report", "runs.jsonl", "--markdown"]);
    assert!(
        !String::from_utf8_lossy(&text.stdout).contains(" of 0 |"),
        "places that were not reached are not shown"
    );
    let (lines, skipped) = read(&folder.join("runs.jsonl")).unwrap();
    assert_eq!(skipped, 0);
    let is_table = |r: &Record| matches!(r, Record::Table { table, .. } if matches!(**table, TableValue::Speculation(_)));
    assert_eq!(lines.iter().filter(|l| is_table(&l.record)).count(), 2);
    assert!(
        lines
            .iter()
            .any(|l| matches!(&l.record, Record::Sample(s) if s.table == "story" && s.arm == "draft"))
    );
    let page = sterna(&folder, &["report", "runs.jsonl", "--markdown"]);
    let page = String::from_utf8_lossy(&page.stdout).into_owned();
    assert!(page.contains("## Speculation") && page.contains("drafts accepted by place"), "{page}");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn drafting_is_measured_beside_the_calls_that_verify() {
    let folder = temp("probe");
    let args = [
        "probe",
        "verify-cost",
        "--draft",
        "builtin",
        "--widest",
        "4",
        "--rounds",
        "2",
        "--accept",
        "0.8,0.5",
    ];
    let found = json(&folder, &[&args[..], &["--json", "--costs", ".", "--record", "runs.jsonl"]].concat());
    let drafts = &found["verify_cost"]["drafts"];
    let points = drafts["points"].as_array().unwrap();
    assert!(drafts["proposer"] == "draft" && points.len() == 8, "{drafts}");
    assert!(points.iter().all(|p| p["seconds"].as_f64() > Some(0.0)));
    let even = &found["break_even"];
    assert_eq!((&even["proposer"], even["rows"].as_array().unwrap().len()), (&"draft".into(), 3));
    for (i, row) in even["rows"].as_array().unwrap().iter().enumerate() {
        assert_eq!(row["draft"], points[i]["steps"], "as measured for as many drafts");
    }
    assert!(even["rows"][1]["acceptance"].as_f64() > Some(0.5));
    let text = String::from_utf8(sterna(&folder, &["report", "runs.jsonl", "--markdown"]).stdout).unwrap();
    assert!(
        text.contains("drafting by draft as measured") && text.contains("drafts by draft, in steps"),
        "{text}"
    );
    // The head of a hybrid reads hidden states that the target hands out.
    let hybrid = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/oracle/c_qwen35");
    let args =
        ["probe", "verify-cost", "-m", hybrid.to_str().unwrap(), "--mtp", "--widest", "3", "--rounds", "2"];
    let found = json(&folder, &[&args[..], &["--json", "--costs", "."]].concat());
    assert_eq!(found["verify_cost"]["drafts"]["proposer"], "mtp");
    // A head in a folder of its own.
    let oracle = |name| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/oracle").join(name);
    let (model, head) = (oracle("f_qwen3"), oracle("f_qwen3_eagle3"));
    let (model, head) = (model.to_str().unwrap(), head.to_str().unwrap());
    let args = ["probe", "verify-cost", "-m", model, "--eagle", head, "--widest", "3", "--rounds", "2"];
    let found = json(&folder, &[&args[..], &["--json", "--costs", "."]].concat());
    let drafts = &found["verify_cost"]["drafts"];
    assert_eq!((&drafts["proposer"], drafts["points"].as_array().unwrap().len()), (&"eagle3".into(), 8));
    // A drafter that reads the target's own keys.
    let (model, head) = (oracle("d_gemma4"), oracle("d_gemma4_assistant"));
    let (model, head) = (model.to_str().unwrap(), head.to_str().unwrap());
    let args = ["probe", "verify-cost", "-m", model, "--draft", head, "--widest", "3", "--rounds", "2"];
    let found = json(&folder, &[&args[..], &["--json", "--costs", "."]].concat());
    let drafts = &found["verify_cost"]["drafts"];
    assert_eq!((&drafts["proposer"], drafts["points"].as_array().unwrap().len()), (&"assistant".into(), 8));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn arms_that_cannot_be_compared_are_refused() {
    let folder = temp("refused");
    std::fs::write(folder.join("long.jsonl"), format!("{{\"text\":\"{}\"}}", "red ".repeat(600))).unwrap();
    for (args, code, says) in [
        (&["--arm", "speculate=auto", "--prompts", "8"][..], 2, "--prompt-file"),
        (&["--arm", "speculate=auto,width=4"], 2, "no width"),
        (&["--arm", "speculate=auto", "--synthetic", "bitcpm-8b"], 2, "tokenizer"),
        (&["--arm", "speculate=auto", "--sets", "poems"], 2, "no prompt is of the set `poems`"),
        (&["--arm", "threads=1", "--sets", "copy"], 2, "arms that speculate"),
        (&["--arm", "speculate=auto", "--prompt-file", "long.jsonl"], 1, "in a context of 512"),
        (&["--arm", "speculate=mtp"], 1, "no head for multi-token prediction"),
        (&["--arm", "speculate=draft"], 2, "draft=MODEL"),
    ] {
        let out = sterna(&folder, &[&["bench"], args].concat());
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(out.status.code() == Some(code) && said.contains(says), "{args:?}: {:?} {said}", out.status);
    }
    let out = sterna(&folder, &["probe", "limits", "--mtp"]);
    assert!(out.status.code() == Some(2), "{}", String::from_utf8_lossy(&out.stderr));
    // Before anything is measured, the machine's limits among it.
    let out = sterna(&folder, &["probe", "verify-cost", "--mtp"]);
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(out.status.code() == Some(1) && said.contains("no head for multi-token"), "{said}");
    assert!(out.stdout.is_empty(), "{}", String::from_utf8_lossy(&out.stdout));
    std::fs::remove_dir_all(folder).unwrap();
}
