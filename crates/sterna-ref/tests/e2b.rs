//! Gemma 4 at the shape of E2B, as a plan alone: what a token reads, and what a sequence keeps.
#![allow(clippy::unwrap_used)] // helpers are no #[test] functions

use sterna_bundle::{
    Arch, Gemma4, ModelConfig, Rope, RopeScaling, RowOrder, Weight, WeightSource, default_numerics,
};
use sterna_format::{CodeBits, Encoding};
use sterna_plan::{Fusions, ModelPlan, PlanOptions, StateSpec, build};

fn e2b() -> ModelConfig {
    let rope = |dim, theta, scaling| Rope { dim, theta, scaling };
    let gemma4 = Gemma4 {
        full: (0..35).map(|l| l % 5 == 4).collect(),
        window: 512,
        full_head_dim: 512,
        full_kv_heads: 1,
        full_rope: rope(512, 1e6, RopeScaling::Proportional { turning: 64 }),
        shared_layers: 20,
        shared_ffn: 12_288,
        ple: 256,
        ple_scale: 16.0,
        softcap: Some(30.0),
    };
    ModelConfig {
        arch: Arch::Gemma4,
        hidden: 1536,
        ffn: 6144,
        layers: 35,
        heads: 8,
        kv_heads: 1,
        head_dim: 256,
        vocab: 262_144,
        context: 131_072,
        norm_eps: 1e-6,
        rope: rope(256, 1e4, RopeScaling::None),
        tied: true,
        qk_norm: true,
        embedding_scale: 1536f32.sqrt(),
        residual_scale: 1.0,
        logit_scale: 1.0,
        hybrid: None,
        gemma4: Some(gemma4),
    }
}

/// Shapes without values, in the widths of the publisher's recipe.
struct Shapes {
    config: ModelConfig,
    projection: Encoding,
}

impl Shapes {
    fn shape(&self, name: &str) -> Option<(Encoding, usize, usize)> {
        let c = &self.config;
        let g = c.gemma4.as_ref()?;
        let [two, four, eight] = [CodeBits::Two, CodeBits::Four, CodeBits::Eight].map(Encoding::PerRow);
        let norm = |n| Some((Encoding::F32, 1, n));
        let Some(rest) = name.strip_prefix("layers.") else {
            return match name {
                "embed" => Some((two, c.vocab, c.hidden)),
                "ple_embed" => Some((four, c.vocab * c.layers, g.ple)),
                "ple_model_proj" => Some((self.projection, c.layers * g.ple, c.hidden)),
                "ple_model_norm" => norm(g.ple),
                "norm" => norm(c.hidden),
                _ => None,
            };
        };
        let (layer, part) = rest.split_once('.')?;
        let layer: usize = layer.parse().ok()?;
        let (q, kv, ffn) = (c.q_width_of(layer), c.kv_width_of(layer), c.ffn_of(layer));
        let mlp = if layer < c.own_kv_layers() { four } else { two };
        match part {
            "q" => Some((four, q, c.hidden)),
            "k" | "v" => Some((four, kv, c.hidden)),
            "o" => Some((four, c.hidden, q)),
            "gate" | "up" => Some((mlp, ffn, c.hidden)),
            "down" => Some((mlp, c.hidden, ffn)),
            "ple_gate" => Some((eight, g.ple, c.hidden)),
            "ple_proj" => Some((eight, c.hidden, g.ple)),
            "q_norm" | "k_norm" => norm(c.heads_of(layer).1),
            "layer_scalar" => norm(1),
            _ => norm(c.hidden),
        }
    }
}

impl WeightSource for Shapes {
    fn weight(&self, name: &str) -> Option<Weight<'_>> {
        let (encoding, rows, cols) = self.shape(name)?;
        let data: &[u8] = if name.ends_with("layer_scalar") { &[0, 0, 128, 63] } else { &[] };
        Some(Weight { encoding, stored: encoding, rows, cols, data, order: RowOrder::Plain })
    }
    fn release(&self, _: &str) {}
}

fn plan(projection: Encoding, fusions: Fusions) -> ModelPlan {
    let shapes = Shapes { config: e2b(), projection };
    let numerics = |_: &str, encoding, cols| default_numerics(encoding, cols);
    let options = PlanOptions { fusions, ..PlanOptions::new(4096) };
    build(&shapes.config, &shapes, &numerics, &options).unwrap()
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
    // Ten in every layer: q(kv), attention, o, add; gate and up, down, add; gate, projection, add.
    assert_eq!(ops(Fusions::ALL), 6 + 35 * 10 + 3);
}
