//! The memcmp gate passes on honest executors and catches each that is wrong on purpose.

#![allow(clippy::unwrap_used)] // helpers of tests too

mod common;

use common::{Fault, broken, file_session, root, tiny, tiny_law};
use sterna_bundle::Model;
use sterna_probe::gate::{self, FactoryError, GateArm, GateError, GateOptions, GateReport};
use sterna_probe::tokens;

const N: usize = 130;

fn memcmp<E: Into<FactoryError>>(
    factory: &dyn Fn(GateArm) -> Result<sterna_run::Session, E>,
    ids: &[u32],
    options: &GateOptions,
) -> Result<GateReport, GateError> {
    let mut walks = 0;
    let report = gate::memcmp(factory, ids, options, &mut |done, total| {
        assert!(done == walks + 1 && done <= total, "{done} of {total}");
        walks = done;
    })?;
    assert_eq!(walks, 1 + report.arms.len());
    Ok(report)
}

fn ids() -> Vec<u32> {
    tokens::seeded(3, N, 100)
}

fn options() -> GateOptions {
    GateOptions {
        chunks: vec![2, 16, 33, 64, 65, 128, 500],
        random: 1,
        alternations: 20,
        ..GateOptions::default()
    }
}

/// Faults are there in every session: at S=1 most of them do nothing.
fn with(fault: Fault) -> GateReport {
    let options = GateOptions { threads: vec![1], unfused: false, portable: false, ..options() };
    let report = memcmp(&|arm| broken(arm, N, fault), &ids(), &options).unwrap();
    assert!(!report.passed(), "{fault:?} was not caught:\n{report}");
    assert!(report.to_string().contains("FAIL"), "{report}");
    report
}

#[test]
fn the_cpu_gives_the_same_bits_on_every_walk() {
    let report = memcmp(&|arm| tiny(arm, N), &ids(), &options()).unwrap();
    assert!(report.passed(), "{report}");
    assert_eq!(report.skipped, ["chunks of 500: the widest entry point holds 128 rows"]);
    let (rows, equal) = report.rows();
    assert!(rows == equal && rows > 20 * N, "{report}");
    assert_eq!(report.argmax(), (rows, rows));
    assert_eq!(
        report.state_bytes,
        2 * 2 * 2 * 2 * 64 * N,
        "layers x (k, v) x f16 x heads x width x positions"
    );
    for (unfused, portable) in [(true, false), (false, true)] {
        assert!(report.arms.iter().any(|a| a.arm.fused != unfused && a.arm.portable == portable));
    }
    assert!(serde_json::to_string(&report).unwrap().contains("\"rows_differing\":0"));
}

#[test]
fn the_law_gives_the_same_bits_on_every_walk() {
    let options = GateOptions { threads: vec![1], chunks: vec![7, 64], portable: false, ..options() };
    let report = memcmp(&|arm| tiny_law(arm, 80), &ids()[..80], &options).unwrap();
    assert!(report.passed(), "{report}");
}

#[test]
fn one_flipped_bit_of_one_logit_is_found_and_located() {
    let report = with(Fault::FlipBit);
    let arm = report.arms.iter().find(|a| a.walk == "chunks of 64").unwrap();
    let first = arm.first.unwrap();
    assert_eq!((arm.rows, arm.rows_differing, first.position), (N, 3, 63));
    assert_eq!((first.values, first.values_differing, first.top_differs), (100, 1, false));
    assert!(first.max_abs > 0.0 && first.max_abs < 1e-4);
    assert_eq!((arm.argmax_agree, arm.state_blocks_differing), (N, 0));
    let steps = report.arms.iter().find(|a| a.walk == "S=1").unwrap();
    assert!(steps.passed());
}

#[test]
fn a_wrong_best_token_is_found() {
    let report = with(Fault::WrongTop);
    let arm = report.arms.iter().find(|a| a.walk == "chunks of 33, argmax only").unwrap();
    assert_eq!((arm.rows, arm.rows_differing, arm.argmax_agree), (N, 4, N - 4));
    assert!(report.argmax().1 < report.argmax().0);
}

#[test]
fn a_lost_key_is_found_in_rows_and_state() {
    let report = with(Fault::LoseKv(16));
    let arm = report.arms.iter().find(|a| a.walk == "chunks of 16").unwrap();
    assert!(arm.rows_differing > 0 && arm.state_blocks_differing > 0, "{report}");
    assert_eq!(arm.first.unwrap().position, 16, "the first row after the damage");
    assert!(report.arms.iter().find(|a| a.walk == "chunks of 64").unwrap().passed());
}

#[test]
fn a_lost_key_that_no_logits_see_is_found_in_the_state() {
    let report = with(Fault::LoseLastKv(N));
    let arm = report.arms.iter().find(|a| a.walk == "chunks of 64").unwrap();
    assert_eq!((arm.rows_differing, arm.argmax_agree), (0, N));
    assert!(arm.state_blocks_differing > 0);
}

#[test]
fn a_truncation_that_damages_is_found_by_warm_prefixes() {
    let report = with(Fault::Truncate);
    let failed: Vec<_> = report.arms.iter().filter(|a| !a.passed()).map(|a| a.walk.as_str()).collect();
    assert!(failed.contains(&"warm prefix of 4") && failed.contains(&"warm prefix of 129"), "{report}");
}

#[test]
fn other_faults_are_found() {
    with(Fault::Drift);
    with(Fault::StaleLogits);
    let ties = with(Fault::Ties);
    assert_eq!(ties.base_ties_agree, ids_with_top_zero());
}

/// Positions whose best token is 0 anyway.
fn ids_with_top_zero() -> usize {
    let mut session = tiny(GateArm::BASE, N).unwrap();
    let mut zero = 0;
    let mut on_row =
        |_: usize, o: &sterna_plan::Outputs, row| zero += usize::from(o.top_of(row).unwrap().token == 0);
    session.feed(&ids(), N, sterna_plan::Wanted::Argmax, &mut |_| {}, &mut on_row).unwrap();
    zero
}

#[test]
fn what_cannot_be_checked_is_an_error() {
    let run = |ids: &[u32]| memcmp(&|arm| tiny(arm, N), ids, &GateOptions::quick()).unwrap_err();
    assert!(matches!(run(&ids()[..5]), GateError::Options(_)));
    assert!(matches!(run(&[7; 40]), GateError::Options(_)));
    assert!(matches!(run(&tokens::seeded(1, N + 1, 100)), GateError::Options(_)));
    assert!(matches!(run(&tokens::seeded(1, N, 200)), GateError::Session { .. }));
    let none = |_: GateArm| Err::<sterna_run::Session, _>("no machine");
    let e = memcmp(&none, &ids(), &GateOptions::quick()).unwrap_err();
    assert_eq!(e.to_string(), "no session with 1 threads, fused plan: no machine");
    let nothing = GateOptions { threads: vec![], unfused: false, portable: false, ..options() };
    assert!(!memcmp(&|arm| tiny(arm, N), &ids(), &nothing).unwrap().passed(), "nothing compared is no pass");
}

#[test]
fn model_files_give_the_same_bits() {
    for (path, n) in [
        ("models/llama-tern-30m/llama-tern-30m-TQ2_0.gguf", 96),
        ("tests/data/oracle/a_minicpm.tq2_0.gguf", 200),
        ("tests/data/oracle/a_bitcpm_llama.tq1_0.gguf", 200),
        ("tests/data/oracle/f_qwen3", 100),
    ] {
        let model = Model::open(&root().join(path)).unwrap();
        let ids = tokens::seeded(1, n, model.config.vocab);
        let options = GateOptions { alternations: 5, ..GateOptions::quick() };
        let report = memcmp(&|arm| file_session(&model, arm, n), &ids, &options).unwrap();
        assert!(report.passed(), "{path}\n{report}");
    }
}
