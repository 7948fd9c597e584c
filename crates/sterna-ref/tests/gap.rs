//! Float and law side by side: the gap is printed and bounded (contract C2).

mod common;

use common::{ENCODINGS, load, model, options};
use sterna_plan::Fusions;
use sterna_ref::RefBackend;
use sterna_ref::testing::{Random, config, logits, plan};

/// Root mean square of the difference, relative to that of `b`.
fn gap(a: &[Vec<f32>], b: &[Vec<f32>]) -> f64 {
    let pairs = || a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| (f64::from(*a), f64::from(*b)));
    let difference: f64 = pairs().map(|(a, b)| (a - b).powi(2)).sum();
    (difference / pairs().map(|(_, b)| b * b).sum::<f64>()).sqrt()
}

#[test]
fn the_gap_is_known_for_every_encoding() {
    let tokens = Random::new(11).tokens(100, config().vocab);
    println!("relative RMS of logits         law-float    law-a8   a8-float");
    for encoding in ENCODINGS {
        let model = model(encoding);
        let plan = plan(&model, &options(Fusions::ALL)).unwrap();
        let [law, float, a8] = [RefBackend::law(), RefBackend::float(), RefBackend::float_with_activations()]
            .map(|backend| logits(&mut *load(backend, plan.clone(), &model, 1), 0, &tokens, &[64]).unwrap());
        let (law_float, law_a8, a8_float) = (gap(&law, &float), gap(&law, &a8), gap(&a8, &float));
        println!("{:28} {law_float:11.6} {law_a8:9.6} {a8_float:10.6}", encoding.name());
        if encoding.is_float() {
            assert_eq!(a8_float, 0.0, "{encoding}: no activations are rounded");
            assert!(law_float > 0.0 && law_float < 1e-3, "{encoding}: f16 keys and f32 sums: {law_float}");
        } else {
            assert!(law_float > 1e-3 && law_float < 0.05, "{encoding}: int8 activations: {law_float}");
            // A step that rounds the other way moves all that follows, so rounding in f64 is no closer.
            assert!(law_a8 > 0.0 && law_a8 < 0.05, "{encoding}: rounded activations: {law_a8}");
        }
    }
}
