//! Every kernel as Metal's shading language, as naga translates it: nobody here can run it, so its text is kept, and a change is
//! seen and read. `cargo test -p sterna-wgpu -- --ignored write_the_snapshots` writes the texts anew.

use std::path::PathBuf;

use naga::back::msl;
use naga::valid::{Capabilities, ShaderStages, SubgroupOperationSet, ValidationFlags, Validator};

use super::{AttentionShape, Best, Kernel, Norm, OneShape, Outputs, RowsShape, TILE, TallShape};
use crate::pack::Subs;

/// One for each file: naga keeps what a constant switches off, so other constants give nearly the same text.
fn kept() -> Vec<(&'static str, Kernel)> {
    let (groups, warps, norm, outputs) = (16, 16, Norm::Before, Outputs::Pairs);
    let (halves, subgroups) = (true, false);
    let one = OneShape { head_dim: 64, pieces: 4, norms: [true; 2], subgroups };
    let rows = RowsShape { groups, warps, norm, halves: false, small: false, sums: true, subgroups };
    vec![
        ("gather", Kernel::Gather { format: 0 }),
        ("norm", Kernel::Norm),
        ("quantise", Kernel::Quantise { norm: Norm::Before, threads: 256, sums: true }),
        ("int", Kernel::LinearInt { bits: 2, lanes: 8, rows: TILE, outputs: Outputs::Pairs }),
        ("float", Kernel::LinearFloat { format: 0, rows: TILE, outputs: Outputs::Pairs }),
        ("rope_kv", Kernel::RopeKv),
        ("attention", Kernel::Attention(AttentionShape { head_dim: 64, heads: 1, pieces: 4 })),
        ("attention_one", Kernel::AttentionOne(one)),
        ("block_one", Kernel::BlockOne { groups, warps, ahead: 2, norm, outputs, halves, subgroups }),
        ("block", Kernel::Block { groups, warps, tokens: 2, outputs, halves }),
        ("rows", Kernel::Rows(rows)),
        ("rows_small", Kernel::Rows(RowsShape { norm: Norm::Without, small: true, sums: false, ..rows })),
        ("tall", tall(8, 2, 1, Subs::None)),
        ("tall_subs", tall(4, 8, 8, Subs::Both)),
        ("rowwise", Kernel::Rowwise { what: 0 }),
        ("argmax", Kernel::Argmax { threads: 256, part: Best::Whole }),
        ("argmax_merge", Kernel::Argmax { threads: 64, part: Best::Merge }),
    ]
}

fn tall(bits: u32, units: u32, split: u32, subs: Subs) -> Kernel {
    let groups_at_a_time = TallShape::groups_at_a_time(units, 16, split > 1);
    let outputs = Outputs::Single;
    Kernel::Tall(TallShape { bits, units, groups_at_a_time, tokens: 1, split, subs, outputs, halves: true })
}

fn metal(kernel: Kernel) -> String {
    let module = naga::front::wgsl::parse_str(&kernel.source()).unwrap_or_else(|e| panic!("{kernel:?}: {e}"));
    let capabilities = Capabilities::SHADER_FLOAT16_IN_FLOAT32
        | Capabilities::SHADER_FLOAT16
        | Capabilities::SUBGROUP
        | Capabilities::COOPERATIVE_MATRIX;
    let mut validator = Validator::new(ValidationFlags::all(), capabilities);
    validator.subgroup_stages(ShaderStages::COMPUTE).subgroup_operations(SubgroupOperationSet::all());
    let info = validator.validate(&module).unwrap_or_else(|e| panic!("{kernel:?}: {e:?}"));
    let options = msl::Options {
        lang_version: (2, 4),
        zero_initialize_workgroup_memory: false,
        ..msl::Options::default()
    };
    let pipeline = msl::PipelineOptions::default();
    msl::write_string(&module, &info, &options, &pipeline).unwrap_or_else(|e| panic!("{kernel:?}: {e}")).0
}

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/msl").join(format!("{name}.metal"))
}

#[test]
fn the_texts_for_metal_are_those_that_were_read() {
    for (name, kernel) in kept() {
        let kept = std::fs::read_to_string(file(name)).unwrap_or_default();
        let made = metal(kernel);
        let differs = kept.lines().zip(made.lines()).position(|(a, b)| a != b);
        assert!(kept == made, "{name}.metal differs from line {:?} on", differs.map(|n| n + 1));
    }
}

#[test]
fn every_kernel_is_valid_and_can_be_translated() {
    // Matrix units of Metal are 8 x 8.
    for kernel in Kernel::all().into_iter().filter(|k| !matches!(k, Kernel::Coop { .. })) {
        assert!(metal(kernel).contains("kernel void main_"), "{kernel:?}");
    }
}

#[test]
#[ignore = "writes the snapshots anew"]
fn write_the_snapshots() {
    for (name, kernel) in kept() {
        std::fs::create_dir_all(file(name).parent().unwrap()).unwrap();
        std::fs::write(file(name), metal(kernel)).unwrap();
    }
}
