//! Every encoding, sizes, shapes.
#![allow(clippy::unwrap_used)] // helpers are no #[test] functions

use sterna_ref::testing::INTEGER_ENCODINGS;

use super::*;

fn small() -> ModelConfig {
    ModelConfig {
        hidden: 256,
        ffn: 512,
        heads: 2,
        kv_heads: 1,
        ..config("bitcpm-8b", Some(1), Some(70)).unwrap()
    }
}

fn encodings() -> impl Iterator<Item = Encoding> {
    INTEGER_ENCODINGS.into_iter().chain([Encoding::F16, Encoding::BF16])
}

fn plain(config: &ModelConfig, linear: Encoding, head: Encoding, seed: u64) -> Synthetic {
    Synthetic::new(config, Recipe::Plain { linear, head }, seed)
}

#[test]
fn every_row_decodes_and_codes_vary() {
    for encoding in encodings() {
        let s = plain(&small(), encoding, Encoding::F16, 3);
        for (name, (e, rows, cols, _)) in &s.weights {
            let (mut values, mut codes) = (vec![0f32; *cols], sterna_format::IntRow::default());
            for i in 0..*rows {
                let row = s.weight(name).unwrap().row(i).unwrap();
                assert_eq!(row.len(), e.row_bytes(*cols).unwrap(), "{name}");
                sterna_format::decode_row(*e, &row, &mut values).unwrap();
                let most = 2.1 / (*cols as f32 * 0.5).sqrt();
                assert!(values.iter().all(|v| *rows == 1 || v.abs() <= most), "{name} {e}");
                let zeros = values.iter().filter(|v| **v == 0.0).count();
                assert!(zeros < values.len() * 3 / 4, "{name} {e}: {zeros} zeros");
                assert!(*rows == 1 || values.iter().any(|v| *v < 0.0), "{name} {e}");
                assert!(*rows == 1 || values.iter().any(|v| *v > 0.0), "{name} {e}");
                assert!(*rows == 1 || values.iter().any(|v| *v != values[0]), "{name}");
                if e.int_layout(*cols).is_some() {
                    sterna_format::int_row(*e, &row, *cols, &mut codes).unwrap();
                }
            }
        }
    }
}

#[test]
fn a_seed_always_gives_the_same_bytes() {
    let make = |seed| plain(&small(), Encoding::TQ2_0, Encoding::Q8_0, seed);
    let rows = |seed| {
        let s = make(seed);
        let w = s.weight("layers.0.up").unwrap();
        (0..w.rows).map(|i| w.row(i).unwrap().into_owned()).collect::<Vec<_>>()
    };
    assert!(make(5) == make(5) && rows(5) == rows(5));
    assert!(rows(5) != rows(6));
    // No two rows are alike, no two weights, and there is no row past the last.
    let all = rows(5);
    assert!(all.iter().enumerate().all(|(i, r)| !all[..i].contains(r)));
    let s = make(5);
    let [gate, up] = ["layers.0.gate", "layers.0.up"].map(|n| s.weight(n).unwrap());
    assert!(gate.row(0).unwrap() != up.row(0).unwrap() && up.row(up.rows).unwrap().is_empty());
}

#[test]
fn sizes_are_those_of_the_shapes() {
    let c = small();
    let s = plain(&c, Encoding::TQ2_0, Encoding::F16, 1);
    let linear = (c.q_width() + 2 * c.kv_width() + c.hidden) * c.hidden + 3 * c.ffn * c.hidden;
    assert_eq!(c.q_width(), c.hidden);
    let want = linear / 256 * 66 + 2 * c.vocab * c.hidden * 2 + 3 * c.hidden * 4;
    assert_eq!(s.bytes(), want as u64);
    let tied = ModelConfig { tied: true, qk_norm: true, ..c.clone() };
    let t = plain(&tied, Encoding::TQ2_0, Encoding::F16, 1);
    assert!(t.weight("head").is_none() && t.weight("layers.0.q_norm").is_some());
    assert_eq!(t.bytes(), s.bytes() - (c.vocab * c.hidden * 2) as u64 + 2 * 128 * 4);
}

#[test]
fn published_shapes_are_known() {
    for shape in SHAPES {
        let c = config(shape, None, None).unwrap();
        assert_eq!(c.q_width() % c.kv_width(), 0, "{shape}");
        // Any number of layers is a model that can be planned.
        for layers in [1, 2, 5, 8, 10, 20] {
            let c = config(shape, Some(layers), Some(64)).unwrap();
            let recipe = Recipe::Plain { linear: Encoding::BF16, head: Encoding::BF16 };
            let numerics = |n: &str, e, cols| recipe.numerics(n, e, cols);
            let s = Synthetic::new(&c, recipe, 1);
            sterna_plan::build(&c, &s, &numerics, &sterna_plan::PlanOptions::new(64)).unwrap();
        }
    }
    let c = config("qwen35-27b", None, None).unwrap();
    let d = c.delta(0).unwrap();
    assert_eq!((d.channels(), d.value_width(), c.q_rows()), (10240, 6144, 2 * 6144));
    assert_eq!((0..c.layers).filter(|l| c.delta(*l).is_some()).count(), 48);
    let small = ModelConfig { hidden: 256, ffn: 256, ..config("qwen35-27b", Some(4), Some(64)).unwrap() };
    let s = plain(&small, Encoding::Q8_0, Encoding::Q8_0, 1);
    let plan = sterna_plan::build(
        &small,
        &s,
        &|_, e, cols| default_numerics(e, cols),
        &sterna_plan::PlanOptions::new(64),
    );
    let plan = plan.unwrap();
    // Three layers of 48 heads of 128 x 128 and three inputs of 10,240 channels, f32.
    assert_eq!(plan.cost(&plan.entries[0]).fixed_state_bytes, 3 * 4 * (48 * 128 * 128 + 3 * 10240));
    assert!(config("unknown", None, None).is_none());
}
