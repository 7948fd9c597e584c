//! How long the reference takes, for people: `cargo test --release -p sterna-ref --test speed -- --ignored --nocapture`.

mod common;

use std::collections::BTreeMap;
use std::time::Instant;

use sterna_format::Encoding;
use sterna_plan::{Backend, PlanOptions};
use sterna_ref::RefBackend;
use sterna_ref::testing::{Encodings, Random, TestModel, config, logits, plan};

/// The shape of the built-in model, 34 M parameters, 512 positions.
#[test]
#[ignore = "a minute in release"]
fn built_in_shape() {
    let mut c = config();
    (c.hidden, c.ffn, c.layers, c.heads, c.kv_heads, c.vocab) = (512, 1536, 10, 8, 2, 8192);
    c.rope.dim = 64;
    let model = TestModel::new(1, c, Encodings::new(Encoding::TQ2_0)).unwrap();
    let plan = plan(&model, &PlanOptions::new(512)).unwrap();
    let tokens = Random::new(2).tokens(512, 8192);
    for backend in [RefBackend::float(), RefBackend::float_with_activations(), RefBackend::law()] {
        let start = Instant::now();
        let mut executor = backend.load(plan.clone(), &model, &mut |_, _| {}).unwrap();
        executor.allocate(1, 512).unwrap();
        let loaded = start.elapsed();
        executor.profile(true);
        let prefill = Instant::now();
        logits(&mut *executor, 0, &tokens[..480], &[128]).unwrap();
        let (prefill, decode) = (prefill.elapsed(), Instant::now());
        logits(&mut *executor, 0, &tokens[480..], &[1]).unwrap();
        let ms = decode.elapsed().as_secs_f64() * 1e3 / 32.0;
        println!(
            "{}: load {loaded:.1?}, 480 rows with logits {prefill:.1?}, then {ms:.1} ms a token",
            backend.name()
        );
        println!("  {:?}", executor.memory());
        let mut ops = BTreeMap::<String, u64>::new();
        for time in executor.profile_times() {
            let name = time.name.split('.').next_back().unwrap_or_default().to_owned();
            *ops.entry(name).or_default() += time.nanos;
        }
        println!(
            "  ms a decoded token: {:.1?}",
            ops.into_iter().map(|(n, t)| (n, t as f64 / 32e6)).collect::<Vec<_>>()
        );
    }
}
