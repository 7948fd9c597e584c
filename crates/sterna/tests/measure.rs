//! `bench` and `probe` as a person or a script uses them. No test asks how fast anything is.
//!
//! Every run measures the machine's limits, once and after each table, which is most of its time: hence one thread where
//! more are of no interest, and one run where one can answer several questions.
#![allow(clippy::unwrap_used)] // helpers are no #[test] functions

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use sterna_plan::choose::CostTable;
use sterna_probe::record::{Record, TableValue, read};

/// A folder of the test's own, for the lock of measurements too: tests do not wait for each other.
fn temp(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("sterna-measure-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn sterna(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sterna"));
    command
        .args(args)
        .current_dir(folder)
        .env("TMPDIR", folder)
        .env("XDG_CACHE_HOME", folder)
        .output()
        .unwrap()
}

fn json(folder: &Path, args: &[&str]) -> Value {
    let out = sterna(folder, args);
    assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
    serde_json::from_slice(&out.stdout).unwrap()
}

fn refused(folder: &Path, args: &[&str], code: i32, says: &str) {
    let out = sterna(folder, args);
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(
        out.status.code() == Some(code) && said.contains(says),
        "{args:?}: {:?} {said}",
        out.status.code()
    );
}

#[test]
fn a_record_holds_every_sample_of_every_run() {
    let folder = temp("record");
    let args = [
        "bench",
        "--rounds",
        "3",
        "--widths",
        "1,8",
        "--prompts",
        "16",
        "--decode",
        "2",
        "--record",
        "runs.jsonl",
    ];
    for (args, says) in [
        (&args[..], "decode 2 after 16"),
        (&["bench", "-t", "1", "--limits-only", "--record", "runs.jsonl"], "memory copy"),
    ] {
        let out = sterna(&folder, args);
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        assert!(String::from_utf8_lossy(&out.stdout).contains(says));
    }
    let (lines, skipped) = read(&folder.join("runs.jsonl")).unwrap();
    assert_eq!(skipped, 0);
    let runs: Vec<_> = lines.iter().filter(|l| matches!(l.record, Record::Run(_))).collect();
    assert!(runs.len() == 2 && runs[0].run != runs[1].run);
    let Record::Run(run) = &runs[0].record else { panic!("{:?}", runs[0]) };
    assert!(run.machine.cores > 0 && run.model == "builtin" && run.command.contains(&"--record".to_owned()));
    let of_first = lines.iter().filter(|l| l.run == runs[0].run);
    let (mut samples, mut limits, mut tables) = (0, 0, Vec::new());
    for line in of_first {
        match &line.record {
            Record::Sample(s) => {
                assert!(s.seconds > 0.0 && s.round < 3, "{s:?}");
                samples += 1;
            }
            Record::Limits { .. } => limits += 1,
            Record::Table { table, .. } => tables.push(table.clone()),
            Record::Run(_) => {}
        }
    }
    assert_eq!(
        (samples, limits),
        (3 * (2 + 2), 3),
        "two widths, prefill and decode; limits before, between, after"
    );
    assert!(matches!(**tables.first().unwrap(), TableValue::Widths(_)) && tables.len() == 2);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn arms_share_the_work_and_programs_are_compared() {
    let folder = temp("arms");
    let quick = ["-t", "1", "--prompts", "4", "--most-rounds", "10", "--json"];
    let seen = json(
        &folder,
        &[&["bench", "--arm", "threads=1", "--arm", "name=narrow,width=1", "--decode", "2"][..], &quick]
            .concat(),
    );
    let tables = seen["comparisons"].as_array().unwrap();
    let works: Vec<_> = tables.iter().map(|t| t["work"].as_str().unwrap()).collect();
    assert_eq!(works, ["prefill 4", "decode 2 after 4"]);
    let c = &tables[0]["comparisons"][0];
    assert_eq!((c["base"].as_str(), c["arm"].as_str()), (Some("threads=1"), Some("narrow")));
    assert!(c["low"].as_f64() <= c["ratio"].as_f64() && c["ratio"].as_f64() <= c["high"].as_f64(), "{c}");
    assert!(tables[0]["rows"][0]["load"]["weight_bytes"].as_u64().unwrap() > 1_000_000);
    // One token: an unoptimised build is very slow without SIMD.
    let one = [
        "bench",
        "--arm",
        "isa=portable",
        "-t",
        "1",
        "--prompts",
        "1",
        "--decode",
        "0",
        "--most-rounds",
        "10",
        "--json",
    ];
    let one = json(&folder, &one);
    assert_eq!(
        one["comparisons"][0]["comparisons"][0]["base"], "base",
        "one arm is held against the command line's"
    );
    if cfg!(unix) {
        let programs = [
            "bench",
            "-t",
            "1",
            "--json",
            "--against-command",
            "sleep 0.01",
            "--against-command",
            "sleep 0.1",
        ];
        let seen = json(&folder, &programs);
        let c = &seen["comparisons"][0]["comparisons"][0];
        assert_eq!((c["base"].as_str(), c["verdict"].as_str()), (Some("sleep 0.01"), Some("slower")), "{c}");
        let figure = "echo 12.5 tokens/s";
        let parsed = ["bench", "--against-command", figure, "--parse", "([0-9.]+) tokens/s"];
        let seen = json(&folder, &[&parsed[..], &quick].concat());
        let rate = seen["comparisons"][0]["rows"][1]["tokens_per_s"].as_f64().unwrap();
        assert!((rate - 12.5).abs() < 1e-9, "{rate}");
        let against = |command: &str, more: &[&str], says: &str| {
            refused(
                &folder,
                &[&["bench", "-t", "1", "--against-command", command][..], more].concat(),
                1,
                says,
            );
        };
        against("exit 7", &[], "exit status: 7");
        against("sleep 60", &["--timeout", "1"], "--timeout");
        against("echo none", &["--parse", "([0-9]+) tokens"], "no number");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_self_check_counts_its_comparisons() {
    let folder = temp("aa");
    let args = [
        "bench",
        "-t",
        "1",
        "--aa",
        "2",
        "--decode",
        "2",
        "--inject",
        "400",
        "--most-rounds",
        "12",
        "--json",
        "--record",
        "aa.jsonl",
    ];
    let out = sterna(&folder, &args);
    let seen: Value = serde_json::from_slice(&out.stdout).unwrap();
    let check = &seen["self_check"];
    let counts = ["same", "slowed"].map(|k| check[k].as_array().unwrap().len());
    assert_eq!(counts, [2, 1]);
    assert!(check["slowed"][0]["ratio"].as_f64().unwrap() > 2.0, "five times as slow: {check}");
    assert_eq!(out.status.success(), seen["passed"].as_bool().unwrap());
    let (lines, _) = read(&folder.join("aa.jsonl")).unwrap();
    assert_eq!(lines.iter().filter(|l| matches!(l.record, Record::Sample(_))).count(), 3 * 2 * 12);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn two_measurements_do_not_overlap() {
    let folder = temp("lock");
    let path = folder.join("sterna-measure.lock");
    std::fs::write(&path, "process 1 (a test)").unwrap();
    let lock = std::fs::File::open(&path).unwrap();
    lock.lock().unwrap();
    refused(&folder, &["bench", "--limits-only", "--no-wait"], 1, "process 1 (a test) is measuring");
    refused(&folder, &["probe", "limits", "--no-wait"], 1, "--no-wait");
    let mut waiting = Command::new(env!("CARGO_BIN_EXE_sterna"))
        .args(["bench", "-t", "1", "--limits-only", "--json"])
        .env("TMPDIR", &folder)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert!(waiting.try_wait().unwrap().is_none(), "it waits");
    drop(lock);
    assert!(waiting.wait().unwrap().success());
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn every_probe_answers() {
    let folder = temp("probe");
    let probe = |more: &[&str]| json(&folder, &[&["probe"][..], more, &["--json", "--rounds", "2"]].concat());
    // One alone answers nothing else.
    let memory = probe(&["memory", "-t", "1"]);
    let keys: Vec<&str> = memory.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["limits", "memory"]);
    let kernels = ["--shapes", "256x256", "--widths", "1,2", "-t", "2"];
    let verify = ["--widest", "5", "--draft-cost", "0.25", "--accept", "0.9,0.5", "--costs", "costs"];
    let seen = probe(&[&kernels[..], &verify].concat());
    assert!(seen["limits"]["copy"]["all"]["best"].as_f64().unwrap() > 0.0);
    let matrices: Vec<_> =
        seen["kernels"].as_array().unwrap().iter().map(|k| k["matrices"].as_u64().unwrap()).collect();
    assert_eq!(matrices, [4096, 1], "cold, then hot");
    let points = seen["dispatch"]["points"].as_array().unwrap().len();
    let rows = seen["threads"]["rows"].as_array().unwrap().len();
    assert_eq!((points, rows), (5, 4));
    for memory in [&memory, &seen] {
        let stages = memory["memory"]["stages"].as_array().unwrap().iter();
        let stages: Vec<_> = stages.map(|s| s["name"].as_str().unwrap()).collect();
        assert_eq!(stages, ["start", "mapped", "loaded", "chunk of 64"]);
    }
    let rows = seen["break_even"]["rows"].as_array().unwrap();
    assert_eq!(rows.iter().map(|r| (r["k"].as_u64(), r["width"].as_u64())).collect::<Vec<_>>().len(), 4);
    assert_eq!((rows[3]["draft"].as_f64(), rows[1]["emitted"].as_f64()), (Some(1.0), Some(1.0 + 0.9 + 0.45)));
    let path = folder.join(seen["cost_table"].as_str().unwrap());
    let table: CostTable = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    table.check().unwrap();
    assert!(table.steps(5).is_some() && table.steps(6).is_none() && table.weight_bytes > 1_000_000);
    std::fs::remove_dir_all(folder).unwrap();
}

/// A hybrid reads its prefix again before every call; that is no part of the call's profile.
#[test]
fn ops_take_no_longer_than_their_calls() {
    let folder = temp("profile");
    let hybrid = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/oracle/c_qwen35");
    let args = ["bench", "-m", hybrid.to_str().unwrap(), "--profile", "--widths", "1", "--prefix", "40"];
    let found =
        json(&folder, &[&args[..], &["--rounds", "1", "--prompts", "8", "--decode", "0", "--json"]].concat());
    let profiles = found["profiles"].as_array().unwrap();
    assert!(!profiles.is_empty());
    for p in profiles {
        let (ops, wall) = (p["op_ms"].as_f64().unwrap(), p["wall_ms"].as_f64().unwrap());
        assert!(ops > 0.0 && ops <= wall, "{ops} of {wall} ms");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn public_tables_are_printed_for_this_machine() {
    let folder = temp("tables");
    let table = |which: &str| {
        json(
            &folder,
            &[
                "probe", "tables", "--which", which, "-m", "builtin", "-t", "1", "--json", "--rounds", "2",
                "--widest", "4",
            ],
        )
    };
    let chunks = table("chunks");
    let agreement = chunks["chunks"]["agreement"].as_array().unwrap();
    assert!(agreement.len() == 5 && agreement.iter().all(|a| a["equal"] == a["width"]), "{agreement:?}");
    assert_eq!(table("staircase")["verify_cost"]["points"].as_array().unwrap().len(), 16);
    assert_eq!(table("breakdown")["profiles"].as_array().unwrap().len(), 3);
    let verify = table("verify");
    assert!(verify["verify_cost"]["line"]["residuals"].as_array().unwrap().len() == 4);
    assert!(verify["cost_table"].as_str().unwrap().contains("verify-cost"), "the user's cache");
    std::fs::remove_dir_all(folder).unwrap();
}
