//! The program on a GPU, or on a Vulkan driver in software: the built-in model answers with the CPU's tokens.
#![allow(clippy::unwrap_used)] // helpers are no #[test] functions

use std::io::Write as _;
use std::process::{Command, Output};

use serde_json::Value;

fn sterna(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sterna")).args(args).current_dir(std::env::temp_dir()).output().unwrap()
}

fn json(args: &[&str]) -> Value {
    let out = sterna(args);
    assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
    serde_json::from_slice(&out.stdout).unwrap()
}

/// The first usable device, as --device takes it. Without any a test is skipped and says so, but where CI is set it fails.
fn device() -> Option<String> {
    let listed = json(&["devices", "--json"]);
    let usable =
        listed["devices"].as_array().unwrap().iter().find(|d| d["missing"].as_array().unwrap().is_empty());
    let device = usable.map(|d| d["device"].as_str().unwrap().to_owned());
    if device.is_none() {
        let ci = std::env::var_os("CI").is_some_and(|v| !v.is_empty());
        assert!(!ci, "CI needs an adapter (Debian: apt-get install mesa-vulkan-drivers libvulkan1)");
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED, no adapter (Debian: apt-get install mesa-vulkan-drivers libvulkan1)"
        );
    }
    device
}

#[test]
fn the_built_in_model_answers_with_the_cpus_tokens() {
    let Some(device) = device() else { return };
    for (prompt, n) in
        [("Once upon a time", "40"), ("The old map showed", "24"), ("\"Wait!\" she said. 1 2 3", "24")]
    {
        let args = ["run", "--json", prompt, "-n", n, "--speculate", "off"];
        let (cpu, gpu) = (json(&args), json(&[&args[..], &["--device", &device]].concat()));
        assert_eq!(cpu["tokens"], gpu["tokens"], "{prompt}");
    }
    // Drafts of several tokens, drawn and not greedy.
    let args = [
        "run",
        "--json",
        "cat dog cat dog cat dog cat",
        "-n",
        "24",
        "--temperature",
        "0.8",
        "--device",
        &device,
    ];
    let plain = json(&[&args[..], &["--speculate", "off"]].concat());
    let drafted = json(&[&args[..], &["--speculate", "ngram", "--draft-tokens", "4"]].concat());
    assert_eq!(plain["tokens"], drafted["tokens"]);
    assert_eq!(plain["margins"], drafted["margins"], "the same logits, not just the same tokens");
}

#[test]
fn devices_are_listed_and_wrong_ones_refused_with_what_there_is() {
    let listed = json(&["devices", "--json"]);
    let text = sterna(&["devices"]);
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    for d in listed["devices"].as_array().unwrap() {
        assert!(
            text.contains(d["device"].as_str().unwrap()) && text.contains(d["name"].as_str().unwrap()),
            "{text}"
        );
        assert!(d["buffer_bytes"].as_u64().unwrap() > 1 << 20);
    }
    let Some(device) = device() else { return };
    for (args, code, words) in [
        (&["run", "x", "--device", "gpu:99"][..], 1, "no adapter is called gpu:99; there are: 0 "),
        (&["run", "x", "--device", "gpu:abacus"], 1, "no adapter is called gpu:abacus"),
        (&["probe", "verify-cost", "--device", &device], 2, "processor's limits"),
        (
            &["run", "x", "--device", &device, "--draft", "builtin", "--draft-alternatives", "2"],
            1,
            "does not run yet: leave it away",
        ),
        (&["run", "x", "--device", "gpu:"], 2, "gpu:NUMBER"),
        (&["run", "x", "--device", &device, "--isa", "portable"], 2, "--isa is for --device cpu"),
    ] {
        let out = sterna(args);
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(out.status.code() == Some(code) && said.contains(words), "{args:?}: {said}");
    }
}

/// The whole path of the self-test in small, with a report that can be attached to an issue.
#[test]
fn the_self_test_passes_and_reports() {
    let Some(device) = device() else { return };
    let report = json(&["selftest", "--device", &device, "--quick", "--json"]);
    assert_eq!((&report["selftest"], &report["passed"]), (&1.into(), &true.into()));
    assert!(
        report["description"].as_str().unwrap().len() > 5
            && !report["adapters"].as_array().unwrap().is_empty()
    );
    let checks = report["checks"].as_array().unwrap();
    let parts: Vec<_> = checks.iter().map(|c| c["part"].as_str().unwrap()).collect();
    assert!(["kernels", "models", "built-in model"].iter().all(|p| parts.contains(p)), "{parts:?}");
    assert!(checks.iter().all(|c| c["outcome"] != "failed" && c["said"].as_str().is_some()), "{checks:?}");
}

#[test]
fn the_self_test_runs_on_the_cpu_and_says_when_it_cannot_run() {
    let out = sterna(&["selftest", "--device", "cpu", "--quick"]);
    let said = String::from_utf8_lossy(&out.stdout).into_owned();
    assert!(out.status.success() && said.contains("passed: ") && said.contains("golden tokens"), "{said}");
    for (args, words) in [
        (&["selftest", "--device", "gpu:abacus"][..], "abacus"),
        (&["selftest", "--device", "ref-float"], "take cpu or a GPU"),
        (&["selftest", "--device", "slide-rule"], "ref-law"),
    ] {
        let out = sterna(args);
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(out.status.code() == Some(2) && said.contains(words), "{args:?}: {said}");
    }
}

#[test]
fn bench_measures_calls_by_the_devices_clock() {
    let Some(device) = device() else { return };
    let args =
        ["bench", "--device", &device, "--context", "24", "--rounds", "1", "--prompts", "8", "--decode", "3"];
    let report = json(&[&args[..], &["--profile", "--no-wait", "--json"]].concat());
    assert_eq!(report["in_turn"]["same_bits"], true, "{report}");
    assert!(report["prefill"][0]["tokens_per_second"].as_f64().unwrap() > 0.0);
    assert!(report["decode"]["dispatches_per_layer"].as_f64().unwrap() >= 1.0);
    assert!(
        report["kernels"]["compiled"].as_u64().unwrap() > 5
            && report["kernels"]["seconds"].as_f64().unwrap() > 0.0
    );
    let stages = report["memory"]["stages"].as_array().unwrap();
    let names: Vec<_> = stages.iter().map(|s| s["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["start", "loaded", "chunk of 23"]);
    assert!(stages[1]["weights"].as_u64().unwrap() > 10_000_000);
}
