//! The benches count, compare and refuse. No test looks at a time.

#![allow(clippy::unwrap_used)] // helpers of tests too

mod common;

use common::{Fault, broken, tiny};
use sterna_probe::bench::{
    BenchError, GenerationOptions, Rated, RowsWanted, WidthOptions, generation_table, profile, width_table,
};
use sterna_probe::gate::GateArm;
use sterna_probe::interleave::Rounds;
use sterna_probe::limits::{LimitOptions, Limits};

fn limits() -> Limits {
    Limits::measure(&LimitOptions { buffer_bytes: 4 << 20, runs: 2, macs: 1 << 16, ..LimitOptions::new(1) })
        .unwrap()
}

fn rounds() -> Rounds {
    Rounds { warmup: 1, rounds: 3, ..Rounds::default() }
}

fn widths() -> WidthOptions {
    WidthOptions {
        widths: vec![1, 2, 4, 8, 16, 32, 64, 128],
        prefix: 20,
        rounds: rounds(),
        ..WidthOptions::default()
    }
}

#[test]
fn every_width_reads_the_same_bytes_and_does_its_share_of_work() {
    let mut session = tiny(GateArm::BASE, 160).unwrap();
    let table = width_table(&mut session, &widths(), &limits()).unwrap();
    let base = &table.rows[0].load;
    assert!(base.weight_bytes > 0 && base.macs > 0);
    for row in &table.rows {
        assert_eq!(row.load.weight_bytes, base.weight_bytes);
        assert_eq!(row.load.macs, base.macs * row.width as u64);
        assert_eq!(row.ms.count, 3);
        assert!(row.tokens_per_s > 0.0 && row.cost_in_steps > 0.0 && !row.load.implausible);
    }
    assert_eq!((table.rows[0].speedup, table.rows[0].cost_in_steps), (1.0, 1.0));
    let entries: Vec<_> = table.rows.iter().map(|r| r.entry.as_str()).collect();
    assert_eq!(entries[0], "main");
    assert_eq!(entries[7], "prefill128");
    let text = table.to_string();
    assert!(
        text.contains("cost in steps") && text.contains("20 positions held; result of every row"),
        "{text}"
    );
    assert!(serde_json::to_string(&table).unwrap().contains("\"weight_bytes\""));

    let last = WidthOptions { wanted: RowsWanted::Last, ..widths() };
    let table = width_table(&mut session, &last, &limits()).unwrap();
    assert!(table.rows[7].load.macs < base.macs * 128, "the head works on one row");
}

#[test]
fn weights_counted_twice_are_an_error() {
    let mut session = broken(GateArm::BASE, 160, Fault::Reread).unwrap();
    let e = width_table(&mut session, &widths(), &limits()).unwrap_err();
    assert!(matches!(e, BenchError::WeightBytes { width: 2, base_width: 1, .. }), "{e}");
}

#[test]
fn faster_than_memory_is_an_error_with_the_flagged_table() {
    let mut session = broken(GateArm::BASE, 160, Fault::Inflated).unwrap();
    let mut table = width_table(&mut session, &widths(), &limits()).unwrap();
    let e = table.hold_against(&limits()).unwrap_err();
    let BenchError::Implausible { table, .. } = &e else { panic!("{e}") };
    assert!(table.contains("IMPLAUSIBLE"), "{table}");
    let options =
        GenerationOptions { prompts: vec![20], decode: 4, rounds: rounds(), ..GenerationOptions::default() };
    let mut table = generation_table(&mut session, &options, &limits()).unwrap();
    let e = table.hold_against(&limits()).unwrap_err();
    assert!(matches!(e, BenchError::Implausible { .. }), "{e}");
    let mut honest = tiny(GateArm::BASE, 160).unwrap();
    width_table(&mut honest, &widths(), &limits()).unwrap().hold_against(&limits()).unwrap();
}

#[test]
fn what_does_not_fit_is_an_error() {
    let mut session = tiny(GateArm::BASE, 160).unwrap();
    let bad =
        |o: WidthOptions, s: &mut _| matches!(width_table(s, &o, &limits()), Err(BenchError::Options(_)));
    assert!(bad(WidthOptions { prefix: 60, ..widths() }, &mut session));
    assert!(bad(WidthOptions { widths: vec![], ..widths() }, &mut session));
    assert!(bad(WidthOptions { widths: vec![4, 2], ..widths() }, &mut session));
    assert!(bad(WidthOptions { widths: vec![1, 129], prefix: 0, ..widths() }, &mut session));
    session.limit_width(16);
    let e = width_table(&mut session, &widths(), &limits()).unwrap_err();
    assert!(e.to_string().contains("32 rows into 2 calls"), "{e}");
    let options = GenerationOptions { prompts: vec![150], decode: 20, ..GenerationOptions::default() };
    assert!(matches!(generation_table(&mut session, &options, &limits()), Err(BenchError::Options(_))));
    assert!(profile(&mut session, 0, 0, 1).is_err());
}

#[test]
fn generation_counts_calls_and_tokens() {
    let mut session = tiny(GateArm::BASE, 200).unwrap();
    let options = GenerationOptions { prompts: vec![10, 150], decode: 5, rounds: rounds(), seed: 3 };
    let table = generation_table(&mut session, &options, &limits()).unwrap();
    let names: Vec<_> = table.rows.iter().map(|r| (r.name.as_str(), r.tokens, r.calls)).collect();
    let want = [
        ("prefill 10", 10, 1),
        ("decode 5 after 10", 5, 5),
        ("prefill 150", 150, 2),
        ("decode 5 after 150", 5, 5),
    ];
    assert_eq!(names, want);
    assert_eq!(table.rows[0].load.weight_bytes, table.rows[1].load.weight_bytes);
    assert!(table.to_string().contains("decode 5 after 150"));
}

#[test]
fn a_profile_names_every_op_once() {
    let mut session = tiny(GateArm::BASE, 160).unwrap();
    let p = profile(&mut session, 8, 16, 3).unwrap();
    let share: f64 = p.ops.iter().map(|o| o.share).sum();
    assert!((share - 1.0).abs() < 1e-9, "{p}");
    let plan = std::sync::Arc::clone(session.executor().plan());
    let entry = plan.entry_for(8).unwrap();
    assert_eq!(p.ops.iter().map(|o| o.ops).sum::<usize>(), plan.entries[entry].ops.len());
    assert!(p.ops.iter().any(|o| o.name.starts_with("attention") && o.ops == 2), "{p}");
    assert!(p.ops.windows(2).all(|w| w[0].ms >= w[1].ms) && p.wall_ms >= 0.0);
    assert!(p.ops.iter().all(|o| o.wait_ms <= o.ms), "{p}");
}

#[test]
fn a_profile_tells_what_the_threads_cost() {
    for threads in [1, 2] {
        let mut session = tiny(GateArm { threads, ..GateArm::BASE }, 160).unwrap();
        let p = profile(&mut session, 8, 16, 3).unwrap();
        let (t, ops) = (p.threads, p.ops.iter().map(|o| o.ops).sum::<usize>());
        assert_eq!(t.threads, threads);
        let waits: f64 = p.ops.iter().map(|o| o.wait_ms).sum();
        assert!((waits - t.wait_ms).abs() < 1e-9);
        assert!(p.op_ms + t.start_ms + t.end_ms <= p.wall_ms, "{p}");
        if threads == 1 {
            assert_eq!((t.barriers, t.wait_ms, t.barrier_us), (0.0, 0.0, None), "{p}");
        } else {
            // One after every op, and those inside of ops.
            assert!(t.barriers > ops as f64 && t.barriers.fract() == 0.0, "{p}");
            assert!(t.wait_ms > 0.0 && t.start_ms > 0.0 && t.barrier_us.is_some_and(|us| us > 0.0), "{p}");
            assert!(p.to_string().contains("barriers a call"), "{p}");
        }
    }
}
