//! Gemma 4 at the shape of E2B, as a plan alone: what a token reads, and what a sequence keeps.
#![allow(clippy::unwrap_used)] // helpers are no #[test] functions

use sterna_format::{CodeBits, Encoding};
use sterna_plan::{Fusions, ModelPlan, PlanOptions, StateSpec, build};
use sterna_probe::synthetic::{Recipe, Synthetic, config};

fn plan(projection: Encoding, fusions: Fusions) -> ModelPlan {
    let (config, recipe) = (config("gemma4-e2b", None, None).unwrap(), Recipe::Mobile { projection });
    let numerics = |name: &str, encoding, cols| recipe.numerics(name, encoding, cols);
    let options = PlanOptions { fusions, ..PlanOptions::new(4096) };
    build(&config, &Synthetic::new(&config, recipe, 1), &numerics, &options).unwrap()
}

#[test]
fn a_token_reads_what_the_recipe_says() {
    for (projection, most) in
        [(Encoding::BF16, 800_000_000), (Encoding::PerRow(CodeBits::Eight), 783_000_000)]
    {
        let plan = plan(projection, Fusions::ALL);
        let cost = plan.cost(&plan.entries[0]);
        println!("projection in {projection}: {:.2} MB a token", cost.weight_bytes as f64 / 1e6);
        assert!(cost.weight_bytes <= most && cost.weight_bytes > most - 10_000_000, "{}", cost.weight_bytes);
        assert!(plan.describe(&plan.entries[0]).contains("window 512"));
    }
}

/// One scale per row of the int2 head, none per group; 4,620 bytes of per-layer inputs.
#[test]
fn nothing_is_stored_twice() {
    let plan = plan(Encoding::BF16, Fusions::ALL);
    let bytes = |name: &str| plan.weights.iter().find(|w| w.name == name).unwrap().bytes();
    assert_eq!(bytes("embed"), 262_144 * (1536 / 4 + 4));
    assert_eq!(bytes("layers.0.gate"), 6144 * (1536 / 2 + 4));
    assert_eq!(bytes("ple_embed") / 262_144, 35 * (256 / 2 + 4));
}

/// 12 rings and 3 layers of all positions; 20 layers keep nothing.
#[test]
fn a_sequence_keeps_rings_and_three_layers() {
    let plan = plan(Encoding::BF16, Fusions::ALL);
    let (mut rings, mut full) = (Vec::new(), Vec::new());
    for state in &plan.states {
        match state {
            StateSpec::RingKv { layer, window: 512, rows: 640, .. } => rings.push(*layer),
            StateSpec::FullKv { layer, head_dim: 512, .. } => full.push(*layer),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!((rings.len(), full), (12, vec![4, 9, 14]));
    let cost = plan.cost(&plan.entries[0]);
    assert_eq!((cost.state_bytes, cost.fixed_state_bytes), (6144, 12 * 640 * 1024));
}

#[test]
fn folds_take_ops_away() {
    let ops = |fusions| plan(Encoding::BF16, fusions).entries[0].ops.len();
    let none = Fusions::NONE;
    // Front 9; 15 layers of 27 with keys of their own, 20 of 21; the last norm, head and best token 4.
    assert_eq!(ops(none), 9 + 15 * 27 + 20 * 21 + 4);
    let saves = |fusions| ops(none) - ops(fusions);
    // q, k, v and gate, up: 3 pairs in 15 layers and one in 20.
    assert_eq!(saves(Fusions { members: true, ..none }), 15 * 3 + 20);
    assert_eq!(saves(Fusions { attention: true, ..none }), 15 * 6 + 20 * 2);
    assert_eq!(saves(Fusions { layer_input: true, ..none }), 35);
    // Three branches and a factor in every layer, one of each in front.
    assert_eq!(saves(Fusions { post_norm: true, ..none }), 35 * 4 + 2);
    // The head's copy of the wanted rows, where the norm between them is the head's.
    let norm = Fusions { norm: true, ..none };
    assert_eq!(saves(Fusions { select: true, ..norm }) - saves(norm), 1);
    // Ten in every layer before the last three folds: q(kv), attention, o, add; gate and up, down, add; gate, projection, add.
    let ten = Fusions { select: false, stream: false, rows: false, ..Fusions::ALL };
    assert_eq!(ops(ten), 6 + 35 * 10 + 3);
    assert_eq!(ops(Fusions { select: true, ..ten }), 6 + 35 * 10 + 2);
    assert_eq!(ops(Fusions { rows: true, ..ten }), 3 + 35 * 10 + 3);
    // Every branch but the last, whose sum goes to the head's copy of the wanted rows.
    assert_eq!(ops(ten) - ops(Fusions { stream: true, ..ten }), 35 * 3 - 1);
    // Then seven, and of lookups, projection, their sum; the last sum, the head, the best token.
    assert_eq!(ops(Fusions::ALL), 3 + 35 * 7 + 3);
    assert!(ops(Fusions::ALL) < 253);
}
