//! Every kernel by itself: against the law, within a bound or bit for bit, and the rows of a call against the same rows one at a
//! time, always bit for bit.

use sterna_format::{CodeBits, Encoding, FormatError, ScaleGroup};
use sterna_plan::{
    Attention, AttentionInput, Backend, BufferId, BufferRows, Epilogue, HeadNorm, KvInput, Linear,
    LinearNumerics, Op, Outputs, Prologue, Rotation, RowTable, Slice, Source, Wanted, WeightUse,
};
use sterna_ref::RefBackend;
use sterna_ref::testing::{Random, numerics};

use super::op_plan::{OpPlan, chain};
use super::report::Fault;
use super::{Effort, Law, bits, off};

/// A plan and what is fed to it.
pub(super) struct Case {
    /// For people.
    pub name: String,
    plan: OpPlan,
    inputs: Vec<f32>,
    /// Columns of a row of the inputs.
    cols: usize,
    /// How far from the law a device may be that rounds in its own way, as a share of the largest value.
    bound: f32,
    /// How far a tenth of the rows may be: an activation that falls on the other side of a half is an int8 step.
    step: f32,
    /// Rows of the calls that are held against one row at a time.
    widths: Vec<usize>,
}

impl Case {
    fn near(&self, got: &[f32], want: &[f32]) -> bool {
        let rows = self.inputs.len() / self.cols;
        let outs = (want.len() / rows).max(1);
        let size = want.iter().fold(1e-30f32, |m, v| m.max(v.abs()));
        let far = got.chunks(outs).zip(want.chunks(outs)).map(|(g, w)| {
            let each = g.iter().zip(w).map(|(g, w)| if g == w { 0.0 } else { (g - w).abs() / size });
            each.fold(0f32, |m, d| if d > m || d.is_nan() { d } else { m })
        });
        let far: Vec<f32> = far.filter(|d| d.is_nan() || *d > self.bound).collect();
        far.len() <= (rows / 10).max(1) && far.iter().all(|d| *d <= self.step)
    }
}

/// Runs a case on the law and on `backend`.
pub(super) fn hold(backend: &dyn Backend, law: Law, case: &Case) -> Result<String, Fault> {
    let mut device = case.plan.load(backend)?;
    let want = chain(&mut *case.plan.load(&RefBackend::law())?, &case.inputs, case.cols, 64)?;
    let alone = chain(&mut *device, &case.inputs, case.cols, 1)?;
    let worst = off(&alone, &want);
    let same = alone.iter().zip(&want).filter(|(a, b)| a.to_bits() == b.to_bits()).count();
    let seen = format!("{same} of {} values have the law's bits, the worst is {worst:.1e} off", want.len());
    let near = match law {
        Law::Bits => same == want.len(),
        Law::Near => case.near(&alone, &want),
    };
    if !near || alone.len() != want.len() {
        return Err(Fault::Wrong(format!("{seen}; the bound is {:.0e}", case.bound)));
    }
    let state = device.state_bytes(0)?;
    for width in &case.widths {
        let got = chain(&mut *device, &case.inputs, case.cols, *width)?;
        let differ = bits(&got).iter().zip(bits(&alone)).filter(|(a, b)| **a != *b).count();
        if differ > 0 || got.len() != alone.len() {
            let all = alone.len();
            return Err(Fault::Wrong(format!(
                "calls of {width} rows: {differ} of {all} values differ from one row's"
            )));
        }
        if device.state_bytes(0)? != state {
            return Err(Fault::Wrong(format!(
                "calls of {width} rows leave another state than one row at a time"
            )));
        }
    }
    Ok(format!("{seen}; calls of {:?} rows equal one row's bits", case.widths))
}

fn normals(random: &mut Random, n: usize, size: f32) -> Vec<f32> {
    (0..n).map(|_| random.normal() * size).collect()
}

fn product(
    prologue: Prologue,
    members: Vec<sterna_plan::WeightId>,
    input: Slice,
    out: Slice,
    e: Epilogue,
) -> Op {
    Op::Linear(Linear { source: Source::Given, prologue, members, input, out, epilogue: e })
}

/// Integer and float matrices in every encoding.
fn matrices(effort: Effort) -> Result<Vec<Case>, FormatError> {
    let row = Encoding::Ternary(ScaleGroup::Row);
    let shapes = [
        (Encoding::TQ2_0, [97, 768]),
        (Encoding::TQ1_0, [33, 512]),
        (Encoding::Ternary(ScaleGroup::Block64), [33, 192]),
        (Encoding::Ternary(ScaleGroup::Block128), [34, 384]),
        (row, [100, 1024]),
        (Encoding::Q2_0, [70, 320]),
        (Encoding::PQ2_0, [70, 512]),
        (Encoding::Q4_0, [67, 256]),
        (Encoding::Q4_1, [67, 256]),
        (Encoding::Q8_0, [65, 160]),
        (Encoding::Q8_0, [16_400, 64]),
        (Encoding::Q4_0, [16_400, 64]),
        (Encoding::Q4K, [66, 512]),
        (Encoding::Q5K, [66, 512]),
        (Encoding::Q6K, [66, 512]),
        (Encoding::PerRow(CodeBits::Four), [20, 608]),
        (Encoding::PerRow(CodeBits::Eight), [20, 352]),
        (Encoding::F16, [70, 256]),
        (Encoding::BF16, [33, 77]),
        (Encoding::F32, [65, 31]),
    ];
    let mut all = Vec::new();
    for (i, (encoding, [rows, cols])) in shapes.into_iter().enumerate() {
        let mut random = Random::new(100 + i as u64);
        let mut plan = OpPlan::new(&[cols, rows], 64);
        let numerics = numerics("w", encoding, cols);
        let w = plan.random("w", encoding, [rows, cols], numerics, &mut random)?;
        let norm = plan.vector("norm", &normals(&mut random, cols, 1.0));
        let prologue =
            if i % 2 == 0 { Prologue::RmsNorm { weight: norm, eps: 1e-5 } } else { Prologue::None };
        let (input, out) = (plan.slice(0), plan.slice(1));
        plan.op(product(prologue, vec![w], input, out, Epilogue::Scale(0.75)));
        let count = effort.pick(18, 40);
        let (widths, inputs) =
            (effort.pick(vec![2, 17], vec![2, 5, 17, 40]), normals(&mut random, count * cols, 1.0));
        let (bound, step) = if encoding.is_float() { (1e-5, 0.0) } else { (3e-6, 5e-3) };
        all.push(Case { name: format!("{encoding} {rows}x{cols}"), plan, inputs, cols, bound, step, widths });
    }
    Ok(all)
}

/// Every width from 2 on, through a norm, two members, gate and up, and the residual stream; widths of large tiles.
fn widths(effort: Effort) -> Result<Vec<Case>, FormatError> {
    let mut all = Vec::new();
    let encodings = [Encoding::TQ2_0, Encoding::Q4_0, Encoding::Q4K, Encoding::F16];
    let some = effort.pick(1, encodings.len());
    for (i, encoding) in encodings.into_iter().take(some).enumerate() {
        let (cols, rows) = (512, 96);
        let mut random = Random::new(200 + i as u64);
        let numerics = numerics("w", encoding, cols);
        let wide = effort.pick(72, 300);
        let mut plan = OpPlan::new(&[cols, cols, rows], wide);
        let mut make = |plan: &mut OpPlan, name: &str, rows, cols| {
            plan.random(name, encoding, [rows, cols], numerics, &mut random)
        };
        let (gate, up) = (make(&mut plan, "gate", cols, cols)?, make(&mut plan, "up", cols, cols)?);
        let (a, b) = (make(&mut plan, "a", 33, cols)?, make(&mut plan, "b", rows - 33, cols)?);
        let norm = plan.vector("norm", &normals(&mut random, cols, 0.5));
        let [b0, b1, b2] = [0, 1, 2].map(|n| plan.slice(n));
        let prologue = Prologue::RmsNorm { weight: norm, eps: 1e-5 };
        plan.op(product(prologue, vec![gate, up], b0, b1, Epilogue::SiluMul));
        plan.op(product(Prologue::None, vec![a, b], b1, b2, Epilogue::Store));
        plan.op(product(prologue, vec![a, b], b0, b2, Epilogue::AddScaled(0.3)));
        let inputs = normals(&mut random, wide * cols, 2.0);
        let mut widths: Vec<usize> = (2..=effort.pick(5, 34)).collect();
        widths.extend(effort.pick(vec![17, 26, 64, 65], vec![48, 63, 64, 65, 100, 128, 129, 256, 257, 300]));
        all.push(Case {
            name: format!("layer of {encoding} at every width"),
            plan,
            inputs,
            cols,
            bound: 1e-2,
            step: 0.0,
            widths,
        });
    }
    Ok(all)
}

/// T1: rows of +1 and -1 against activations all at one end: the largest sums there are.
fn extremes() -> Result<Vec<Case>, FormatError> {
    let cases = [(Encoding::TQ2_0, 256), (Encoding::Ternary(ScaleGroup::Row), 256), (Encoding::Q8_0, 32)];
    let mut all = Vec::new();
    for (encoding, group) in cases {
        let cols = 4096;
        let mut plan = OpPlan::new(&[cols, 3], 64);
        let usage = WeightUse::Linear(LinearNumerics::Int8 { group });
        let sign = |n: usize, k: usize| if n == 0 || (n == 2 && k.is_multiple_of(2)) { 1.0 } else { -1.0 };
        let w =
            plan.matrix("w", encoding, [3, cols], usage, &mut |n| (0..cols).map(|k| sign(n, k)).collect())?;
        let (input, out) = (plan.slice(0), plan.slice(1));
        plan.op(product(Prologue::None, vec![w], input, out, Epilogue::Store));
        let row = |n: usize| (0..cols).map(move |k| 127.0 * sign(n, k));
        let inputs: Vec<f32> = (0..3).flat_map(row).chain(std::iter::repeat_n(0.0, cols)).collect();
        all.push(Case {
            name: format!("extremes of {encoding}"),
            plan,
            inputs,
            cols,
            bound: 1e-6,
            step: 0.0,
            widths: vec![4],
        });
    }
    Ok(all)
}

fn norms() -> Vec<Case> {
    let one = |(width, pieces): (usize, usize)| {
        let mut random = Random::new(300 + width as u64);
        let cols = width * pieces;
        let mut plan = OpPlan::new(&[cols, cols], 64);
        let weight = Some(plan.vector("norm", &normals(&mut random, width, 1.0)));
        let (input, out) = (plan.slice(0), plan.slice(1));
        plan.op(Op::RmsNorm { input, weight, eps: 1e-5, width, out });
        let inputs = normals(&mut random, 6 * cols, 3.0);
        Case {
            name: format!("norms of {pieces} x {width}"),
            plan,
            inputs,
            cols,
            bound: 2e-6,
            step: 0.0,
            widths: vec![6],
        }
    };
    [(100, 1), (37, 3), (64, 4), (2048, 1)].map(one).into()
}

/// What is done to values one at a time.
fn values() -> Vec<Case> {
    let cols = 150;
    let one = |what: usize| {
        let mut random = Random::new(400 + what as u64);
        let mut plan = OpPlan::new(&[2 * cols, cols], 64);
        let (all, out) = (plan.slice(0), plan.slice(1));
        let (a, b) = (Slice { len: cols, ..all }, Slice { start: cols, len: cols, ..all });
        plan.op(Op::Copy { input: b, out });
        let (name, op) = match what {
            0 => ("silu", Op::SiluMul { gate: a, up: b, out }),
            1 => ("gelu", Op::GeluMul { gate: a, up: b, out }),
            2 => ("sigmoid", Op::SigmoidMul { gate: a, out }),
            3 => ("addition", Op::AddScaled { input: a, factor: 0.3, out }),
            _ => ("scaling", Op::Scale { slice: out, factor: -1.7 }),
        };
        plan.op(op);
        let mut inputs = normals(&mut random, 5 * 2 * cols, 10.0);
        inputs[..8].copy_from_slice(&[0.0, -0.0, 100.0, -100.0, 87.9, -88.5, 1e-30, -87.3]);
        Case { name: name.into(), plan, inputs, cols: 2 * cols, bound: 1e-6, step: 0.0, widths: vec![5] }
    };
    (0..5).map(one).collect()
}

/// `[heads, kv_heads, head_dim, turn]` over a number of positions.
fn attention(effort: Effort) -> Vec<Case> {
    let shapes = [
        ([3, 1, 32, 32], 65, true),
        ([4, 2, 64, 48], 200, false),
        ([2, 2, 96, 96], 130, false),
        ([8, 1, 128, 64], 64, true),
        ([2, 1, 160, 2], 10, false),
    ];
    let one = |([heads, kv_heads, dim, turn], count, norms): ([usize; 4], usize, bool)| {
        let mut random = Random::new(500 + (heads * dim) as u64);
        let (q_len, kv_len) = (heads * dim, kv_heads * dim);
        let cols = q_len + 2 * kv_len;
        let mut plan = OpPlan::new(&[cols, turn, q_len], 128);
        plan.rope(turn);
        let state = plan.state(kv_heads, dim);
        let all = plan.slice(0);
        let q = Slice { len: q_len, ..all };
        let k = Slice { start: q_len, len: kv_len, ..all };
        let v = Slice { start: q_len + kv_len, len: kv_len, ..all };
        let mut norm = |plan: &mut OpPlan, name: &str| {
            let weight = plan.vector(name, &normals(&mut random, dim, 1.0));
            norms.then_some(HeadNorm { weight, eps: 1e-6 })
        };
        let (q_norm, k_norm) = (norm(&mut plan, "q_norm"), norm(&mut plan, "k_norm"));
        let rotation = Rotation { table: BufferId(1), dim: turn };
        let input =
            Some(AttentionInput { q_norm, rotation, kv: Some(KvInput { k, v, k_norm, v_eps: None }) });
        let (scale, out) = (1.0 / (dim as f32).sqrt(), plan.slice(2));
        plan.op(Op::RotationTable { rope: 0, out: BufferId(1) });
        let gate = None;
        plan.op(Op::Attention(Attention {
            input,
            gate,
            q,
            state,
            out,
            heads,
            kv_heads,
            head_dim: dim,
            scale,
        }));
        let inputs = normals(&mut random, count * cols, 1.5);
        let name = format!("attention of {heads} heads of {dim} over {count} positions");
        let widths = effort.pick(vec![3, 64], vec![2, 3, 7, 16, 33, 64, 100]);
        Case { name, plan, inputs, cols, bound: 3e-5, step: 0.0, widths }
    };
    shapes.into_iter().take(effort.pick(1, 5)).map(one).collect()
}

/// Rows of a table, by token.
fn embeddings() -> Result<Vec<Case>, FormatError> {
    let mut all = Vec::new();
    for (encoding, cols) in
        [(Encoding::F16, 75), (Encoding::BF16, 64), (Encoding::Q4_0, 64), (Encoding::Q6K, 256)]
    {
        let mut random = Random::new(600 + cols as u64);
        let mut plan = OpPlan::new(&[1, cols], 64);
        let row = &mut |_| normals(&mut random, cols, 1.0);
        let table = plan.matrix("t", encoding, [64, cols], WeightUse::Gather, row)?;
        plan.op(Op::Embed { table, scale: 12.5, out: BufferId(1) });
        let inputs = vec![0.0; 64];
        // A row is one product: every device has the law's bits.
        all.push(Case {
            name: format!("table in {encoding}"),
            plan,
            inputs,
            cols: 1,
            bound: 0.0,
            step: 0.0,
            widths: vec![2, 64],
        });
    }
    Ok(all)
}

/// Every case.
///
/// # Errors
/// Weights that cannot be encoded: a mistake of the test's own.
pub(super) fn cases(effort: Effort) -> Result<Vec<Case>, FormatError> {
    let mut all = matrices(effort)?;
    all.extend(widths(effort)?);
    all.extend(extremes()?);
    all.extend(norms());
    all.extend(values());
    all.extend(attention(effort));
    all.extend(embeddings()?);
    Ok(all)
}

/// The best two of every row, ties to the lowest token, and an error where a logit is no number (C6).
pub(super) fn best_tokens(backend: &dyn Backend) -> Result<String, Fault> {
    let (cols, valid) = (192, 150);
    let mut plan = OpPlan::new(&[cols, cols], 64);
    plan.plan.entries[0].buffers[1].rows = BufferRows::Outputs;
    plan.plan.entries[0].taps = None;
    plan.op(Op::SelectOutputs { input: BufferId(0), out: BufferId(1) });
    plan.op(Op::Argmax { logits: BufferId(1), valid, softcap: None });
    let mut random = Random::new(700);
    let mut inputs = Vec::new();
    for row in 0..40 {
        let mut values = match row % 4 {
            0 => normals(&mut random, cols, 10.0),
            1 => (0..cols).map(|_| random.below(3) as f32 - 1.0).collect(),
            2 => vec![-5.0; cols],
            _ => (0..cols).map(|_| if random.below(2) == 0 { 0.0 } else { -0.0 }).collect(),
        };
        // Columns past the real ones never win.
        values[valid..].fill(1e9);
        inputs.extend(values);
    }
    let run = |backend: &dyn Backend, inputs: &[f32]| {
        let mut executor = plan.load(backend)?;
        let (mut rows, mut out) = (RowTable::new(), Outputs::default());
        rows.push_chain(0, 0, &[0; 40], 40, Wanted::Argmax);
        rows.set_inputs(inputs);
        executor.execute(0, &rows, &mut out).map(|()| out.top)
    };
    let (want, got) = (run(&RefBackend::law(), &inputs)?, run(backend, &inputs)?);
    let wrong = want.iter().zip(&got).filter(|(a, b)| a != b).count();
    if wrong > 0 || want.len() != got.len() {
        return Err(Fault::Wrong(format!("{wrong} of {} rows have another best token or logit", want.len())));
    }
    for (value, at) in [(f32::NAN, 6 * cols + 149), (f32::INFINITY, 3 * cols)] {
        let mut broken = inputs.clone();
        broken[at] = value;
        if run(backend, &broken).is_ok() {
            return Err(Fault::Wrong(format!("a logit of {value} went unseen")));
        }
    }
    Ok(format!("{} rows, ties and what is no number among them", want.len()))
}
