//! A short run of the fuzzer; examples/fuzz_checkpoint.rs runs it for longer.
#![allow(clippy::unwrap_used)]

#[path = "common/alloc.rs"]
mod alloc;
mod common;
#[path = "common/fuzz/mod.rs"]
mod fuzz;

#[global_allocator]
static ALLOC: alloc::Counting = alloc::Counting;

#[test]
fn twenty_thousand_mutated_inputs() {
    for bytes in fuzz::seeds::corpus() {
        fuzz::exercise(fuzz::Kind::Gguf, &bytes, std::path::Path::new("")).unwrap();
    }
    let report = fuzz::run(&fuzz::Plan { seed: 1, iterations: 20_000, until: None });
    let failures: Vec<&String> = report.failures.iter().map(|(what, ..)| what).collect();
    assert!(failures.is_empty(), "{failures:?}");
    assert_eq!(report.inputs, 20_000);
    // The fuzzer must get past the front door and be turned away in many ways, or it tests nothing.
    assert!(report.accepted > 1_000, "{report:?}");
    assert!(report.refused.len() >= 10, "{report:?}");
}
