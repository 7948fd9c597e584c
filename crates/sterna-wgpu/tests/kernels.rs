//! Every kernel by itself against the law of `sterna-ref`, on random data, odd sizes and extremes, and the rows of a call
//! against the same rows one at a time, by memcmp (contract C1).
#![allow(clippy::unwrap_used)] // helpers are no #[test] functions

mod common;

use common::{Bench, backend, bits, chain, off};
use sterna_format::{CodeBits, Encoding, ScaleGroup, encode_row};
use sterna_plan::{
    Attention, AttentionInput, BufferId, BufferRows, Epilogue, HeadNorm, KvInput, Linear, LinearNumerics, Op,
    Outputs, Prologue, Rotation, RowTable, Slice, Source, Top2, Wanted, WeightSpec, WeightUse,
};
use sterna_ref::RefBackend;
use sterna_ref::testing::Random;
use sterna_wgpu::Kind;

/// Widths of a call: every one to 17, and a chunk. Their rows are compared with one row at a time.
const WIDTHS: [usize; 18] = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 64, 100];

fn normals(random: &mut Random, n: usize, size: f32) -> Vec<f32> {
    (0..n).map(|_| random.normal() * size).collect()
}

fn vector(bench: &mut Bench, name: &str, values: &[f32]) -> sterna_plan::WeightId {
    let (encoding, usage) = (Encoding::F32, WeightUse::Vector);
    let spec = WeightSpec { name: name.into(), encoding, rows: 1, cols: values.len(), usage };
    bench.weight(spec, values.iter().flat_map(|v| v.to_le_bytes()).collect())
}

/// A matrix of `rows` rows; each is made by `row`.
fn matrix(
    bench: &mut Bench,
    name: &str,
    encoding: Encoding,
    [rows, cols]: [usize; 2],
    numerics: LinearNumerics,
    mut row: impl FnMut(usize) -> Vec<f32>,
) -> sterna_plan::WeightId {
    let each = encoding.row_bytes(cols).unwrap();
    let mut data = vec![0; rows * each];
    for (n, bytes) in data.chunks_exact_mut(each).enumerate() {
        encode_row(encoding, &row(n), bytes).unwrap();
    }
    let usage = WeightUse::Linear(numerics);
    bench.weight(WeightSpec { name: name.into(), encoding, rows, cols, usage }, data)
}

/// Runs on both, compares within `bound` of the largest value, and compares widths among themselves by memcmp.
fn hold(name: &str, bench: &Bench, inputs: &[f32], cols: usize, bound: f32, widths: &[usize]) -> Vec<f32> {
    hold_but_for_rows(name, bench, inputs, cols, (bound, 0), widths)
}

/// As [`hold`], but so many rows may be off by an int8 step: where a driver's division is not exact, an activation beside a half
/// falls on its other side.
fn hold_but_for_rows(
    name: &str,
    bench: &Bench,
    inputs: &[f32],
    cols: usize,
    (bound, rows): (f32, usize),
    widths: &[usize],
) -> Vec<f32> {
    /// More than a step makes of the largest value at 96 inputs, the fewest here.
    const STEP: f32 = 5e-3;
    let Some(gpu) = backend() else { return vec![] };
    let mut law = bench.load(&RefBackend::law(), 2).unwrap();
    let mut device = bench.load(gpu, 2).unwrap();
    let want = chain(&mut *law, inputs, cols, 128);
    let alone = chain(&mut *device, inputs, cols, 1);
    let worst = off(&alone, &want);
    let equal = alone.iter().zip(&want).filter(|(a, b)| a.to_bits() == b.to_bits()).count();
    eprintln!("{name}: {equal} of {} values equal the law's, the worst is {worst:e} off", want.len());
    let outs = (want.len() / (inputs.len() / cols)).max(1);
    let size = want.iter().fold(0f32, |m, v| m.max(v.abs()));
    let near = |(g, w): (&f32, &f32)| g == w || (g - w).abs() <= bound * size;
    let rows_of = alone.chunks_exact(outs).zip(want.chunks_exact(outs));
    let far = rows_of.filter(|(g, w)| !g.iter().zip(*w).all(near)).count();
    assert!(far <= rows && worst <= if rows > 0 { STEP } else { bound }, "{name}: {worst:e} off, {far} rows");
    let state = device.state_bytes(0).unwrap();
    for width in widths {
        device.truncate(0, 0).unwrap();
        let got = chain(&mut *device, inputs, cols, *width);
        assert!(bits(&got) == bits(&alone), "{name}: rows of {width} are not those of 1");
        assert!(state == device.state_bytes(0).unwrap(), "{name}: the state after calls of {width}");
    }
    // What other rows hold, and what lies beside a row, is not looked at.
    if bench.plan.states.is_empty() {
        let mut broken = inputs.to_vec();
        for row in broken.chunks_exact_mut(cols).skip(1).step_by(2) {
            row.fill(f32::INFINITY);
        }
        device.truncate(0, 0).unwrap();
        let got = chain(&mut *device, &broken, cols, 128);
        let outs = got.len() / (inputs.len() / cols);
        let even = |values: &[f32]| values.chunks_exact(outs).step_by(2).flat_map(bits).collect::<Vec<_>>();
        assert!(even(&got) == even(&alone), "{name}: rows beside what is not finite");
    }
    alone
}

fn linear(members: Vec<sterna_plan::WeightId>, input: Slice, out: Slice, epilogue: Epilogue) -> Op {
    Op::Linear(Linear { source: Source::Given, prologue: Prologue::None, members, input, out, epilogue })
}

#[test]
fn integer_matrices_of_every_encoding() {
    let mut random = Random::new(11);
    let int8 = |group| LinearNumerics::Int8 { group };
    let cases = [
        (Encoding::TQ2_0, [97, 512], 256),
        (Encoding::TQ1_0, [5, 1536], 256),
        (Encoding::TQ2_0, [64, 5120], 256),
        (Encoding::Ternary(ScaleGroup::Block64), [33, 192], 64),
        (Encoding::Ternary(ScaleGroup::Block128), [1, 384], 128),
        (Encoding::Ternary(ScaleGroup::Row), [100, 768], 256),
        (Encoding::Ternary(ScaleGroup::Row), [31, 1344], 1344),
        (Encoding::Q2_0, [70, 320], 64),
        (Encoding::PQ2_0, [70, 1024], 128),
        (Encoding::Q4_0, [67, 96], 32),
        (Encoding::Q8_0, [65, 160], 32),
        (Encoding::Q8_0, [40, 1280], 32),
        (Encoding::Q4_0, [70, 512], 32),
        (Encoding::Q8_0, [3, 32_768], 32),
        (Encoding::Q4_1, [67, 160], 32),
        (Encoding::Q4K, [67, 768], 256),
        (Encoding::Q5K, [33, 512], 256),
        (Encoding::Q6K, [97, 1280], 256),
        (Encoding::Q4K, [16_390, 256], 256),
        (Encoding::Q4K, [3, 16_640], 256),
        (Encoding::PerRow(CodeBits::Two), [20, 256], 256),
        (Encoding::PerRow(CodeBits::Four), [20, 608], 608),
        (Encoding::PerRow(CodeBits::Eight), [20, 336], 336),
    ];
    for (encoding, [rows, cols], group) in cases {
        let mut bench = Bench::new(&[cols, rows], 1);
        let w = matrix(&mut bench, "w", encoding, [rows, cols], int8(group), |_| {
            random.weights(encoding, cols, 0.05)
        });
        let (input, out) = (bench.slice(0), bench.slice(1));
        bench.op(linear(vec![w], input, out, Epilogue::Store));
        let inputs = normals(&mut random, 40 * cols, 1.0);
        let software = backend().is_none_or(|b| b.facts().kind == Kind::Software);
        let bound = if software { (2e-6, 0) } else { (3e-6, 4) };
        // One width of every kind: all of them are another test's.
        hold_but_for_rows(&format!("{encoding} {rows}x{cols}"), &bench, &inputs, cols, bound, &[2, 17]);
    }
}

/// Rows that are normed and quantised for every kind of group, values of every size among them.
#[test]
fn rows_are_normed_and_quantised_for_every_group() {
    let mut random = Random::new(23);
    for (encoding, cols, group) in [
        (Encoding::TQ2_0, 1280, 256),
        (Encoding::Q8_0, 1280, 32),
        (Encoding::Q4_0, 160, 32),
        (Encoding::Q4K, 768, 256),
    ] {
        for normed in [false, true] {
            let mut bench = Bench::new(&[cols, 40], 1);
            let int8 = LinearNumerics::Int8 { group };
            let w =
                matrix(&mut bench, "w", encoding, [40, cols], int8, |_| random.weights(encoding, cols, 0.05));
            let norm = vector(&mut bench, "norm", &normals(&mut random, cols, 0.5));
            let (input, out) = (bench.slice(0), bench.slice(1));
            let prologue =
                if normed { Prologue::RmsNorm { weight: norm, eps: 1e-5 } } else { Prologue::None };
            let epilogue = Epilogue::Store;
            bench.op(Op::Linear(Linear {
                source: Source::Given,
                prologue,
                members: vec![w],
                input,
                out,
                epilogue,
            }));
            for size in [3e-29, 1e-3, 1e6] {
                let inputs = normals(&mut random, 20 * cols, size);
                let name = format!("{encoding} of {size:e}, normed {normed}");
                hold_but_for_rows(&name, &bench, &inputs, cols, (3e-6, 2), &[2, 20]);
            }
        }
    }
}

/// T1: rows of +1 against activations all at +127, at -127 (nothing is ever -128) and alternating, exactly.
#[test]
fn extremes_are_exact_integers() {
    for (encoding, cols, group) in [
        (Encoding::TQ2_0, 4096, 256),
        (Encoding::Ternary(ScaleGroup::Row), 4096, 4096),
        (Encoding::Q8_0, 4096, 32),
    ] {
        let mut bench = Bench::new(&[cols, 3], 1);
        let int8 = LinearNumerics::Int8 { group };
        let w = matrix(&mut bench, "w", encoding, [3, cols], int8, |n| match n {
            0 => vec![1.0; cols],
            1 => vec![-1.0; cols],
            _ => (0..cols).map(|k| if k % 2 == 0 { 1.0 } else { -1.0 }).collect(),
        });
        let (input, out) = (bench.slice(0), bench.slice(1));
        bench.op(linear(vec![w], input, out, Epilogue::Store));
        let mut inputs = vec![127.0; cols];
        inputs.extend(vec![-127.0; cols]);
        inputs.extend((0..cols).map(|k| if k % 2 == 0 { 127.0 } else { -127.0 }));
        inputs.extend(vec![0.0; cols]);
        let got = hold(&format!("extremes {encoding}"), &bench, &inputs, cols, 1e-6, &[4]);
        if let [a, b, ..] = got[..] {
            // Scales of 1/127 are no exact f16: the ternary ones are exactly 1.
            if encoding != Encoding::Q8_0 {
                assert_eq!((a, b), (127.0 * cols as f32, -127.0 * cols as f32));
                assert_eq!(got[2], 0.0);
            }
            assert_eq!(got[9..], [0.0; 3]);
        }
    }
}

#[test]
fn every_width_has_the_bits_of_one_row() {
    let mut random = Random::new(12);
    let (cols, rows) = (512, 96);
    let mut bench = Bench::new(&[cols, rows, rows / 2, rows], 3);
    let int8 = LinearNumerics::Int8 { group: 256 };
    let encoding = Encoding::TQ2_0;
    let mut ternary = |bench: &mut Bench, name: &str, rows| {
        matrix(bench, name, encoding, [rows, cols], int8, |_| random.weights(encoding, cols, 0.05))
    };
    let all = ternary(&mut bench, "all", rows);
    let (gate, up) = (ternary(&mut bench, "gate", rows / 2), ternary(&mut bench, "up", rows / 2));
    let f16 = matrix(&mut bench, "f16", Encoding::F16, [rows, rows], LinearNumerics::Float, |_| {
        normals(&mut random, rows, 0.1)
    });
    let norm = vector(&mut bench, "norm", &normals(&mut random, cols, 0.5));
    let [b0, b1, b2, b3] = [0, 1, 2, 3].map(|b| bench.slice(b));
    let prologue = Prologue::RmsNorm { weight: norm, eps: 1e-5 };
    let normed = |members, out, epilogue| {
        Op::Linear(Linear { source: Source::Given, prologue, members, input: b0, out, epilogue })
    };
    bench.op(normed(vec![all], b1, Epilogue::Scale(0.7)));
    bench.op(normed(vec![gate, up], b2, Epilogue::SiluMul));
    bench.op(Op::Copy { input: b2, out: Slice { len: rows / 2, ..b3 } });
    bench.op(Op::Copy { input: b2, out: Slice { start: rows / 2, len: rows / 2, ..b3 } });
    bench.op(linear(vec![f16], b1, b3, Epilogue::AddScaled(0.3)));
    let inputs = normals(&mut random, 200 * cols, 2.0);
    hold("every width", &bench, &inputs, cols, 3e-6, &WIDTHS);
}

/// Calls as wide as the largest tiles of matrix units, where there are some, and one row past them.
#[test]
fn wide_calls_have_the_bits_of_one_row() {
    let Some(gpu) = backend() else { return };
    let mut random = Random::new(22);
    let (cols, rows) = (1024, 72);
    let int8 = LinearNumerics::Int8 { group: 256 };
    for pairs in [false, true] {
        let mut bench = Bench::new(&[cols, rows], 1);
        bench.plan.entries[0].width = 300;
        let mut ternary = |bench: &mut Bench, name: &str| {
            matrix(bench, name, Encoding::TQ2_0, [rows, cols], int8, |_| {
                random.weights(Encoding::TQ2_0, cols, 0.05)
            })
        };
        let mut members = vec![ternary(&mut bench, "a")];
        members.extend(pairs.then(|| ternary(&mut bench, "b")));
        let epilogue = if pairs { Epilogue::SiluMul } else { Epilogue::Store };
        let (input, out) = (bench.slice(0), bench.slice(1));
        bench.op(linear(members, input, out, epilogue));
        let inputs = normals(&mut random, 300 * cols, 1.0);
        let mut device = bench.load(gpu, 1).unwrap();
        let alone = chain(&mut *device, &inputs, cols, 1);
        for width in [25, 64, 65, 129, 257, 300] {
            device.truncate(0, 0).unwrap();
            let got = chain(&mut *device, &inputs, cols, width);
            assert!(bits(&got) == bits(&alone), "rows of {width} are not those of 1");
        }
    }
}

#[test]
fn members_and_epilogues() {
    let mut random = Random::new(13);
    let cols = 256;
    for (encoding, numerics) in [
        (Encoding::TQ2_0, LinearNumerics::Int8 { group: 256 }),
        (Encoding::F16, LinearNumerics::Float),
        (Encoding::Q4_0, LinearNumerics::Int8 { group: 32 }),
        (Encoding::Q4K, LinearNumerics::Int8 { group: 256 }),
    ] {
        for (epilogue, heights) in [
            (Epilogue::Store, vec![40, 7, 64]),
            (Epilogue::Scale(1.5), vec![33]),
            (Epilogue::AddScaled(-0.25), vec![130]),
            (Epilogue::SiluMul, vec![35, 35]),
            (Epilogue::GeluMul, vec![64, 64]),
        ] {
            let pairs = matches!(epilogue, Epilogue::SiluMul | Epilogue::GeluMul);
            let outs = if pairs { heights[0] } else { heights.iter().sum::<usize>() };
            let mut bench = Bench::new(&[cols, outs + 5], 1);
            let members = heights.iter().enumerate().map(|(i, rows)| {
                matrix(&mut bench, &format!("w{i}"), encoding, [*rows, cols], numerics, |_| {
                    random.weights(encoding, cols, 0.2)
                })
            });
            let members = members.collect();
            let (input, whole) = (bench.slice(0), bench.slice(1));
            // What lies there before, and columns beside the outputs.
            bench.op(Op::Copy { input: Slice { len: 5, ..input }, out: Slice { len: 5, ..whole } });
            let old = Slice { start: 1, len: outs.min(cols), ..input };
            bench.op(Op::Copy { input: old, out: Slice { start: 5, len: outs.min(cols), ..whole } });
            bench.op(linear(members, input, Slice { start: 5, len: outs, ..whole }, epilogue));
            let inputs = normals(&mut random, 20 * cols, 1.0);
            hold(&format!("{encoding} {epilogue:?}"), &bench, &inputs, cols, 5e-6, &[20]);
        }
    }
}

/// Members that cannot lie in one matrix are dispatched one after the other.
#[test]
fn members_of_two_kinds() {
    let mut random = Random::new(21);
    let (cols, int8) = (512, LinearNumerics::Int8 { group: 256 });
    let mut bench = Bench::new(&[cols, 150], 1);
    let members = [(Encoding::TQ2_0, 70), (Encoding::TQ1_0, 9), (Encoding::Ternary(ScaleGroup::Row), 71)];
    let members = members.map(|(encoding, rows)| {
        matrix(&mut bench, encoding.name(), encoding, [rows, cols], int8, |_| {
            random.weights(encoding, cols, 0.05)
        })
    });
    let (input, out) = (bench.slice(0), bench.slice(1));
    bench.op(linear(members.to_vec(), input, out, Epilogue::Scale(0.5)));
    let inputs = normals(&mut random, 18 * cols, 1.0);
    hold("two kinds", &bench, &inputs, cols, 2e-6, &[2, 18]);
}

#[test]
fn float_matrices_with_odd_sizes() {
    let mut random = Random::new(14);
    for (encoding, [rows, cols]) in [
        (Encoding::F16, [70, 129]),
        (Encoding::BF16, [3, 77]),
        (Encoding::F32, [65, 31]),
        (Encoding::Q6K, [9, 256]),
    ] {
        let mut bench = Bench::new(&[cols, rows], 1);
        let w = matrix(&mut bench, "w", encoding, [rows, cols], LinearNumerics::Float, |_| {
            normals(&mut random, cols, 1.0)
        });
        let norm = vector(&mut bench, "norm", &normals(&mut random, cols, 1.0));
        let (input, out) = (bench.slice(0), bench.slice(1));
        let prologue = Prologue::RmsNorm { weight: norm, eps: 1e-6 };
        bench.op(Op::Linear(Linear {
            source: Source::Given,
            prologue,
            members: vec![w],
            input,
            out,
            epilogue: Epilogue::Store,
        }));
        let inputs = normals(&mut random, 19 * cols, 1.0);
        hold(&format!("float {encoding}"), &bench, &inputs, cols, 1e-5, &[2, 16, 19]);
    }
}

#[test]
fn norms_of_rows_and_heads() {
    let mut random = Random::new(15);
    for (width, pieces, weighted) in [(100, 1, true), (37, 3, true), (64, 4, false), (4, 1, true)] {
        let cols = width * pieces;
        let mut bench = Bench::new(&[cols + 3, cols], 1);
        let weight = weighted.then(|| vector(&mut bench, "norm", &normals(&mut random, width, 1.0)));
        let (input, out) = (Slice { start: 3, len: cols, ..bench.slice(0) }, bench.slice(1));
        bench.op(Op::RmsNorm { input, weight, eps: 1e-5, width, out });
        let inputs = normals(&mut random, 6 * (cols + 3), 3.0);
        hold(&format!("norm {width}x{pieces}"), &bench, &inputs, cols + 3, 2e-6, &[6]);
    }
}

#[test]
fn values_one_at_a_time() {
    let mut random = Random::new(16);
    let cols = 150;
    for what in 0..6 {
        let mut bench = Bench::new(&[2 * cols, cols], 1);
        let (all, out) = (bench.slice(0), bench.slice(1));
        let (a, b) = (Slice { len: cols, ..all }, Slice { start: cols, len: cols, ..all });
        bench.op(Op::Copy { input: b, out });
        bench.op(match what {
            0 => Op::SiluMul { gate: a, up: b, out },
            1 => Op::GeluMul { gate: a, up: b, out },
            2 => Op::SigmoidMul { gate: a, out },
            3 => Op::AddScaled { input: a, factor: 0.3, out },
            4 => Op::Scale { slice: out, factor: -1.7 },
            _ => Op::Copy { input: a, out },
        });
        let mut inputs = normals(&mut random, 5 * 2 * cols, 10.0);
        inputs[..8].copy_from_slice(&[0.0, -0.0, 100.0, -100.0, 87.9, -88.5, 1e-30, -87.3]);
        hold(&format!("rowwise {what}"), &bench, &inputs, 2 * cols, 1e-6, &[5]);
    }
}

#[test]
fn embeddings_and_rotations_are_looked_up() {
    let Some(gpu) = backend() else { return };
    let mut random = Random::new(17);
    for (encoding, cols, repeat) in
        [(Encoding::F16, 75, 1), (Encoding::BF16, 64, 2), (Encoding::F32, 33, 3), (Encoding::Q4_0, 64, 1)]
    {
        let mut bench = Bench::new(&[1, cols * repeat, 48], 1);
        bench.plan.vocab = 50;
        let each = encoding.row_bytes(cols).unwrap();
        let mut data = vec![0; 50 * repeat * each];
        for row in data.chunks_exact_mut(each) {
            encode_row(encoding, &normals(&mut random, cols, 1.0), row).unwrap();
        }
        let (rows, usage) = (50 * repeat, WeightUse::Gather);
        let table = bench.weight(WeightSpec { name: "t".into(), encoding, rows, cols, usage }, data);
        bench.rope(48);
        bench.plan.entries[0].input = None;
        bench.op(Op::Embed { table, scale: 12.5, out: BufferId(1) });
        bench.op(Op::RotationTable { rope: 0, out: BufferId(2) });
        for taps in [1, 2] {
            bench.plan.entries[0].taps = Some(BufferId(taps));
            let run = |executor: &mut dyn sterna_plan::Executor, n: usize| {
                let mut all = Vec::new();
                for tokens in Random::new(5).tokens(40, 50).chunks(n) {
                    let (mut rows, mut out) = (RowTable::new(), Outputs::default());
                    rows.push_chain(1, executor.committed()[1], tokens, 0, Wanted::Nothing);
                    executor.execute(0, &rows, &mut out).unwrap();
                    all.extend(out.taps);
                }
                bits(&all)
            };
            let want = run(&mut *bench.load(&RefBackend::law(), 2).unwrap(), 40);
            // A row is one product, and so has the law's bits; small buffers split the table.
            for (backend, n) in [(gpu, 1), (gpu, 40), (&common::open(3000).unwrap(), 40)] {
                assert!(
                    want == run(&mut *bench.load(backend, 2).unwrap(), n),
                    "{encoding} x{repeat}, {taps}, {n}"
                );
            }
        }
    }
}

/// `[heads, kv_heads, head_dim, turn]` and positions: in pieces of 64, one short, whole, one more, several.
#[test]
fn attention_with_rotation_norms_and_state() {
    let mut random = Random::new(18);
    for ([heads, kv_heads, dim, turn], count, norms, v_norm) in [
        ([4, 2, 64, 48], 200, false, false),
        ([3, 1, 32, 32], 65, true, true),
        ([2, 2, 96, 96], 130, false, false),
        ([8, 1, 128, 64], 64, true, true),
        ([4, 2, 128, 128], 300, true, false),
        ([2, 1, 40, 26], 70, true, false),
        ([1, 1, 2, 2], 70, false, false),
        ([2, 1, 160, 2], 10, false, false),
    ] {
        let (q_len, kv_len) = (heads * dim, kv_heads * dim);
        let cols = q_len + 2 * kv_len;
        let mut bench = Bench::new(&[cols, turn, q_len], 2);
        bench.rope(turn);
        let state = bench.state(kv_heads, dim);
        let all = bench.slice(0);
        let q = Slice { len: q_len, ..all };
        let k = Slice { start: q_len, len: kv_len, ..all };
        let v = Slice { start: q_len + kv_len, len: kv_len, ..all };
        let rotation = Rotation { table: BufferId(1), dim: turn };
        let mut norm = |name: &str| {
            let weight = vector(&mut bench, name, &normals(&mut random, dim, 1.0));
            norms.then_some(HeadNorm { weight, eps: 1e-6 })
        };
        let (q_norm, k_norm) = (norm("q_norm"), norm("k_norm"));
        let kv = Some(KvInput { k, v, k_norm, v_eps: v_norm.then_some(1e-6) });
        let input = Some(AttentionInput { q_norm, rotation, kv });
        let scale = 1.0 / (dim as f32).sqrt();
        let out = bench.slice(2);
        bench.op(Op::RotationTable { rope: 0, out: BufferId(1) });
        bench.op(Op::Attention(Attention {
            input,
            gate: None,
            q,
            state,
            out,
            heads,
            kv_heads,
            head_dim: dim,
            scale,
        }));
        let inputs = normals(&mut random, count * cols, 1.5);
        let widths: &[usize] = if count == 65 { &WIDTHS } else { &[7, 64, 100] };
        hold(&format!("attention {heads}/{kv_heads}x{dim}"), &bench, &inputs, cols, 2e-5, widths);
    }
}

/// What the state holds, bit for bit: halves to the nearest, ties to even, subnormal ones, and too large ones.
#[test]
fn keys_and_values_are_rounded_as_the_law_rounds() {
    let Some(gpu) = backend() else { return };
    let mut bench = Bench::new(&[16, 4], 1);
    let state = bench.state(2, 4);
    let all = bench.slice(0);
    bench.op(Op::KvWrite { k: Slice { len: 8, ..all }, v: Slice { start: 8, len: 8, ..all }, state });
    let mut random = Random::new(19);
    let mut inputs: Vec<f32> = vec![
        1.0 + 1.0 / 2048.0,
        1.0 + 3.0 / 2048.0,
        -1.0 - 1.0 / 2048.0,
        65519.996,
        65520.0,
        -1e9,
        0.0,
        -0.0,
        6.1e-5,
        6.097e-5,
        5.96e-8,
        2.98e-8,
        2.9802325e-8,
        2.98e-8 * 3.0,
        8.94e-8,
        1e-9,
    ];
    inputs.extend((0..16 * 99).map(|i| random.normal() * 2f32.powi(i % 40 - 25)));
    let run = |mut executor: Box<dyn sterna_plan::Executor>| {
        chain(&mut *executor, &inputs, 16, 25);
        executor.state_bytes(0).unwrap()
    };
    let want = run(bench.load(&RefBackend::law(), 2).unwrap());
    let got = run(bench.load(gpu, 2).unwrap());
    assert_eq!(want.len(), got.len());
    let different = want.chunks(2).zip(got.chunks(2)).enumerate().filter(|(_, (a, b))| a != b);
    let different: Vec<_> = different.map(|(i, (a, b))| (inputs[i], a.to_vec(), b.to_vec())).collect();
    assert!(different.is_empty(), "{different:?}");
}

/// Tokens by the lowest id among equals, the second among the others, and values that are not finite are found (C6).
#[test]
fn the_best_two_are_the_laws() {
    let Some(gpu) = backend() else { return };
    // One workgroup's work, and several's.
    for (cols, valid) in [(192, 150), (9088, 9050)] {
        best_two(gpu, cols, valid);
    }
}

fn best_two(gpu: &sterna_wgpu::WgpuBackend, cols: usize, valid: usize) {
    let mut bench = Bench::new(&[cols, cols], 0);
    bench.plan.entries[0].buffers[1].rows = BufferRows::Outputs;
    bench.op(Op::SelectOutputs { input: BufferId(0), out: BufferId(1) });
    bench.op(Op::Argmax { logits: BufferId(1), valid, softcap: Some(30.0) });
    let mut random = Random::new(20);
    let mut inputs: Vec<f32> = Vec::new();
    for row in 0..60 {
        let mut values = match row % 4 {
            0 => normals(&mut random, cols, 10.0),
            // Few values: many ties.
            1 => (0..cols).map(|_| random.below(3) as f32 - 1.0).collect(),
            2 => vec![-5.0; cols],
            _ => (0..cols).map(|_| if random.below(2) == 0 { 0.0 } else { -0.0 }).collect(),
        };
        // Pads never win.
        values[valid..].fill(1e9);
        inputs.extend(values);
    }
    let run = |executor: &mut dyn sterna_plan::Executor, inputs: &[f32]| {
        executor.truncate(0, 0).unwrap();
        let (mut rows, mut out) = (RowTable::new(), Outputs::default());
        rows.push_chain(0, 0, &vec![0; inputs.len() / cols], 0, Wanted::Nothing);
        let all: Vec<_> = rows.rows().to_vec();
        rows.clear();
        for (i, mut row) in all.into_iter().enumerate() {
            row.wanted = [Wanted::Argmax, Wanted::Nothing, Wanted::Logits][i % 3];
            rows.push(row);
        }
        rows.set_inputs(inputs);
        executor.execute(0, &rows, &mut out).map(|()| (out.rows, out.top, out.logits))
    };
    let mut law = bench.load(&RefBackend::law(), 1).unwrap();
    let mut device = bench.load(gpu, 1).unwrap();
    let same = |a: &[Top2], b: &[Top2]| a.iter().zip(b).all(|(a, b)| a == b) && a.len() == b.len();
    let (want, got) = (run(&mut *law, &inputs).unwrap(), run(&mut *device, &inputs).unwrap());
    assert!(want.0 == got.0 && same(&want.1, &got.1) && want.2 == got.2, "{:?} {:?}", want.1, got.1);
    for (bad, at) in
        [(f32::NAN, 6 * cols + valid - 1), (f32::INFINITY, 3 * cols), (f32::NEG_INFINITY, 2 * cols + 70)]
    {
        let mut broken = inputs.clone();
        broken[at] = bad;
        let said = run(&mut *device, &broken).unwrap_err().to_string();
        assert!(said.contains(&format!("the logits of row {} are not finite", at / cols)), "{said}");
        assert_eq!(device.committed(), [0]);
    }
    // A pad may be anything.
    let mut broken = inputs.clone();
    broken[valid] = f32::NAN;
    assert!(run(&mut *device, &broken).is_ok());
}
