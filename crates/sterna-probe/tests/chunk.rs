//! The C/C gate passes on honest executors and catches each that is wrong on purpose.
#![allow(clippy::unwrap_used)] // helpers of tests too

mod common;

use common::{Fault, broken, tiny, tiny_law};
use sterna_probe::gate::{ChunkOptions, ChunksReport, Equality, GateArm, GateError, chunks};
use sterna_probe::tokens;
use sterna_run::Session;

const N: usize = 130;

fn run(session: &mut Session, from: usize, require: Equality) -> ChunksReport {
    let options = ChunkOptions { chunks: vec![1, 7, 16, 64], from, require };
    let (mut last, mut of) = (0, 0);
    let report = chunks(session, &tokens::seeded(3, N, 100), &options, &mut |done, total| {
        assert!(done > last && done <= total);
        (last, of) = (done, total);
    })
    .unwrap();
    assert_eq!(last, of, "the bar reaches its end");
    report
}

#[test]
fn honest_executors_agree_c_of_c() {
    for from in [0, 1, 50] {
        for mut session in [tiny(GateArm::BASE, N).unwrap(), tiny_law(GateArm::BASE, N).unwrap()] {
            let report = run(&mut session, from, Equality::Bits);
            assert!(report.passed(), "{report}");
            let text = report.to_string();
            assert!(text.contains("64/64") && text.contains("7/7") && text.contains("PASS"), "{text}");
            assert!(report.chunks.iter().all(|c| c.max_abs == 0.0 && c.rows == c.chunk && c.state_bytes > 0));
        }
    }
}

#[test]
fn other_bits_fail_unless_the_best_token_is_all_that_is_asked() {
    let mut session = broken(GateArm::BASE, N, Fault::FlipBit).unwrap();
    let report = run(&mut session, 9, Equality::Bits);
    assert!(!report.passed());
    let c = &report.chunks[2];
    assert_eq!((c.chunk, c.argmax_equal, c.bits_equal, c.first), (16, 16, 15, Some(24)));
    assert!(c.max_abs > 0.0 && c.mean_abs > 0.0 && report.to_string().contains("FAIL from position 24"));
    assert!(run(&mut session, 9, Equality::Argmax).passed());
}

#[test]
fn a_wrong_best_token_fails_both() {
    let mut session = broken(GateArm::BASE, N, Fault::WrongTop).unwrap();
    for require in [Equality::Argmax, Equality::Bits] {
        let report = run(&mut session, 0, require);
        assert!(!report.passed() && report.to_string().contains("63/64"), "{report}");
        assert!(report.chunks[0].passed(require), "one row is the walk itself");
    }
}

#[test]
fn a_state_that_no_row_has_seen_fails() {
    let mut session = broken(GateArm::BASE, N, Fault::LoseLastKv(64)).unwrap();
    let report = run(&mut session, 0, Equality::Bits);
    let c = &report.chunks[3];
    assert_eq!((c.argmax_equal, c.bits_equal), (64, 64));
    assert!(c.state_blocks_differing > 0 && !report.passed(), "{report}");
}

#[test]
fn what_cannot_be_checked_is_an_error() {
    let mut session = tiny(GateArm::BASE, N).unwrap();
    for (chunk, from, n) in
        [(vec![], 0, N), (vec![0], 0, N), (vec![200], 0, N), (vec![64], 70, N), (vec![64], 0, 63)]
    {
        let options = ChunkOptions { chunks: chunk, from, require: Equality::Bits };
        let ids = tokens::seeded(3, n, 100);
        let e = chunks(&mut session, &ids, &options, &mut |_, _| {}).unwrap_err();
        assert!(matches!(e, GateError::Options(_)), "{e}");
    }
}
