//! Folds: each a separate switch, each proven bit-identical to the unfused plan by the backends' tests.

mod late;

use crate::op::{
    Attention, AttentionInput, BufferId, DeltaGate, Epilogue, HeadNorm, KvInput, Linear, Op, Prologue,
    Rotation, Slice, WeightId,
};
use crate::plan::Buffer;

/// Which folds to apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fusions {
    /// Linears that share an input become one op (q, k, v; gate, up).
    pub members: bool,
    /// A norm goes into the prologue of the linear that alone reads it.
    pub norm: bool,
    /// `silu(gate) * up`, or gelu's, goes into the epilogue of gate and up.
    pub gate_up: bool,
    /// `gelu(gate) * input` goes into the epilogue of the gate, where the other factor is no linear's (per-layer inputs).
    pub layer_input: bool,
    /// A branch's norm, its addition and a factor on the sum become one op.
    pub post_norm: bool,
    /// Residual additions and factors go into the epilogue of the linear before them.
    pub residual: bool,
    /// Head norms, rotation, the write of k and v, and the output gate go into attention.
    pub attention: bool,
    /// Convolution, norm and gate go into the delta rule.
    pub delta: bool,
    /// A linear copies the wanted rows itself.
    pub select: bool,
    /// A branch joins the residual stream in the linear that reads the sum, norm and factor included.
    pub stream: bool,
    /// Ops that take rows one by one become one op where they follow each other.
    pub rows: bool,
}

impl Fusions {
    /// Every fold.
    pub const ALL: Fusions = Fusions {
        members: true,
        norm: true,
        gate_up: true,
        layer_input: true,
        post_norm: true,
        residual: true,
        attention: true,
        delta: true,
        select: true,
        stream: true,
        rows: true,
    };
    /// No fold: one op for each step.
    pub const NONE: Fusions = Fusions {
        members: false,
        norm: false,
        gate_up: false,
        layer_input: false,
        post_norm: false,
        residual: false,
        attention: false,
        delta: false,
        select: false,
        stream: false,
        rows: false,
    };

    /// Every fold with its name, in the order in which they are applied, together with those before it: what each one takes away
    /// is the difference of two plans.
    pub fn steps() -> [(&'static str, Fusions); 11] {
        let members = Fusions { members: true, ..Fusions::NONE };
        let gate_up = Fusions { gate_up: true, ..members };
        let layer_input = Fusions { layer_input: true, ..gate_up };
        let residual = Fusions { residual: true, ..layer_input };
        let post_norm = Fusions { post_norm: true, ..residual };
        let norm = Fusions { norm: true, ..post_norm };
        let attention = Fusions { attention: true, ..norm };
        let delta = Fusions { delta: true, ..attention };
        let select = Fusions { select: true, ..delta };
        let stream = Fusions { stream: true, ..select };
        [
            ("members", members),
            ("gate_up", gate_up),
            ("layer_input", layer_input),
            ("residual", residual),
            ("post_norm", post_norm),
            ("norm", norm),
            ("attention", attention),
            ("delta", delta),
            ("select", select),
            ("stream", stream),
            ("rows", Fusions { rows: true, ..stream }),
        ]
    }

    /// Applies them; `together` says whether two linear weights may read one quantised form of their inputs, `fixed` lists
    /// the buffers that are known by their number. A fold may add a buffer.
    pub(crate) fn apply(
        self,
        mut ops: Vec<Op>,
        buffers: &mut Vec<Buffer>,
        fixed: &[BufferId],
        together: &dyn Fn(WeightId, WeightId) -> bool,
    ) -> Vec<Op> {
        if self.members {
            ops = pairwise(ops, |a, b| merge_members(a, b, together));
        }
        if self.gate_up {
            ops = pairwise(ops, fold_gate_up);
        }
        if self.layer_input {
            ops = pairwise(ops, fold_layer_input);
        }
        if self.residual {
            ops = pairwise(ops, fold_residual);
        }
        if self.post_norm {
            ops = pairwise(ops, fold_post_norm);
        }
        if self.norm {
            ops = fold_norms(ops);
        }
        if self.attention {
            ops = pairwise(fold_attention(ops), fold_gate);
        }
        if self.delta {
            ops = fold_delta(ops);
        }
        if self.select {
            ops = pairwise(ops, |a, b| late::fold_select(a, b, buffers));
        }
        if self.stream {
            ops = late::fold_stream(ops, buffers, fixed);
        }
        if self.rows {
            ops = pairwise(ops, |a, b| late::fold_rows(a, b, buffers));
        }
        ops
    }
}

/// Replaces neighbours for which `fold` has an answer, again and again from the left.
fn pairwise(ops: Vec<Op>, fold: impl Fn(&Op, &Op) -> Option<Op>) -> Vec<Op> {
    let mut out: Vec<Op> = Vec::with_capacity(ops.len());
    for op in ops {
        match out.last().and_then(|last| fold(last, &op)) {
            Some(folded) => {
                out.pop();
                out.push(folded);
            }
            None => out.push(op),
        }
    }
    out
}

fn adjacent(a: &Slice, b: &Slice) -> Option<Slice> {
    (a.buffer == b.buffer && a.start + a.len == b.start).then_some(Slice { len: a.len + b.len, ..*a })
}

fn merge_members(a: &Op, b: &Op, together: &dyn Fn(WeightId, WeightId) -> bool) -> Option<Op> {
    let (Op::Linear(a), Op::Linear(b)) = (a, b) else { return None };
    let plain = |l: &Linear| l.prologue == Prologue::None && l.epilogue == Epilogue::Store;
    if a.input != b.input || !plain(a) || !plain(b) {
        return None;
    }
    let all = |x: &WeightId| b.members.iter().all(|y| together(*x, *y));
    if !a.members.iter().all(all) {
        return None;
    }
    let members = a.members.iter().chain(&b.members).copied().collect();
    Some(Op::Linear(Linear { out: adjacent(&a.out, &b.out)?, members, ..a.clone() }))
}

fn fold_gate_up(a: &Op, b: &Op) -> Option<Op> {
    let Op::Linear(l) = a else { return None };
    let (gate, up, out, epilogue) = match b {
        Op::SiluMul { gate, up, out } => (gate, up, out, Epilogue::SiluMul),
        Op::GeluMul { gate, up, out } => (gate, up, out, Epilogue::GeluMul),
        _ => return None,
    };
    let fits = l.members.len() == 2 && l.epilogue == Epilogue::Store && adjacent(gate, up) == Some(l.out);
    fits.then(|| Op::Linear(Linear { out: *out, epilogue, ..l.clone() }))
}

fn fold_layer_input(a: &Op, b: &Op) -> Option<Op> {
    let (Op::Linear(l), Op::GeluMul { gate, up, out }) = (a, b) else { return None };
    let fits =
        l.members.len() == 1 && l.epilogue == Epilogue::Store && *gate == l.out && up.buffer != out.buffer;
    fits.then(|| Op::Linear(Linear { out: *out, epilogue: Epilogue::GeluTimes(*up), ..l.clone() }))
}

fn fold_post_norm(a: &Op, b: &Op) -> Option<Op> {
    match (a, b) {
        (
            Op::RmsNorm { input, weight: Some(weight), eps, width, out: normed },
            Op::AddScaled { input: branch, factor, out },
        ) if normed == branch && input == branch && out.buffer != branch.buffer => Some(Op::AddNormed {
            input: *input,
            weight: *weight,
            eps: *eps,
            width: *width,
            factor: *factor,
            scale: 1.0,
            out: *out,
        }),
        (
            Op::AddNormed { input, weight, eps, width, factor, scale: 1.0, out },
            Op::Scale { slice, factor: scale },
        ) if slice == out => Some(Op::AddNormed {
            input: *input,
            weight: *weight,
            eps: *eps,
            width: *width,
            factor: *factor,
            scale: *scale,
            out: *out,
        }),
        _ => None,
    }
}

fn fold_residual(a: &Op, b: &Op) -> Option<Op> {
    let Op::Linear(l) = a else { return None };
    if l.epilogue != Epilogue::Store {
        return None;
    }
    match b {
        Op::AddScaled { input, factor, out } if *input == l.out => {
            Some(Op::Linear(Linear { out: *out, epilogue: Epilogue::AddScaled(*factor), ..l.clone() }))
        }
        Op::Scale { slice, factor } if *slice == l.out => {
            Some(Op::Linear(Linear { epilogue: Epilogue::Scale(*factor), ..l.clone() }))
        }
        _ => None,
    }
}

/// A norm is folded when the linear right after it is its only reader until the buffer is written again.
fn fold_norms(ops: Vec<Op>) -> Vec<Op> {
    let mut out = Vec::with_capacity(ops.len());
    let mut i = 0;
    while i < ops.len() {
        if let (Op::RmsNorm { input, weight: Some(weight), eps, width, out: normed }, Some(Op::Linear(l))) =
            (&ops[i], ops.get(i + 1))
        {
            let whole = *width == input.len && l.input == *normed && l.prologue == Prologue::None;
            if whole && !read_later(&ops[i + 2..], normed) {
                let prologue = Prologue::RmsNorm { weight: *weight, eps: *eps };
                out.push(Op::Linear(Linear { prologue, input: *input, ..l.clone() }));
                i += 2;
                continue;
            }
        }
        out.push(ops[i].clone());
        i += 1;
    }
    out
}

fn read_later(ops: &[Op], slice: &Slice) -> bool {
    for op in ops {
        match op {
            Op::Linear(l) if l.input == *slice => return true,
            Op::RmsNorm { input, .. } if input == slice => return true,
            Op::RmsNorm { out, .. } if out == slice => return false,
            _ => {}
        }
    }
    false
}

/// `[norm v,] [norm q, norm k,] rotate q, rotate k, write, attention` become one op, and `[norm q,] rotate q, attention` where
/// the keys are another layer's.
fn fold_attention(ops: Vec<Op>) -> Vec<Op> {
    let mut out: Vec<Op> = Vec::with_capacity(ops.len());
    for op in ops {
        let Op::Attention(mut a) = op else {
            out.push(op);
            continue;
        };
        if let Some((input, used)) = own_input(&out, &a).or_else(|| shared_input(&out, &a)) {
            out.truncate(out.len() - used);
            a.input = Some(input);
        }
        out.push(Op::Attention(a));
    }
    out
}

/// The norm of the heads in `slice`, in place, if `op` is one.
fn head_norm(op: Option<&Op>, slice: &Slice) -> Option<HeadNorm> {
    match op {
        Some(Op::RmsNorm { input, weight: Some(weight), eps, out, .. }) if input == slice && out == slice => {
            Some(HeadNorm { weight: *weight, eps: *eps })
        }
        _ => None,
    }
}

fn own_input(before: &[Op], a: &Attention) -> Option<(AttentionInput, usize)> {
    let [
        head @ ..,
        Op::Rotate { heads: rq, rotation, .. },
        Op::Rotate { heads: rk, rotation: same, .. },
        Op::KvWrite { k, v, state },
    ] = before
    else {
        return None;
    };
    if *rq != a.q || rk != k || rotation != same || *state != a.state {
        return None;
    }
    let mut used = 3;
    let [head @ .., nq, nk] = head else { return Some((input(None, *rotation, *k, *v, None, None), used)) };
    let norms = head_norm(Some(nq), &a.q).zip(head_norm(Some(nk), k));
    let Some((q_norm, k_norm)) = norms else {
        return Some((input(None, *rotation, *k, *v, None, None), used));
    };
    used += 2;
    let v_eps = match head.last() {
        Some(Op::RmsNorm { input, weight: None, eps, width, out })
            if input == v && out == v && *width == a.head_dim =>
        {
            used += 1;
            Some(*eps)
        }
        _ => None,
    };
    Some((input(Some(q_norm), *rotation, *k, *v, Some(k_norm), v_eps), used))
}

fn input(
    q_norm: Option<HeadNorm>,
    rotation: Rotation,
    k: Slice,
    v: Slice,
    k_norm: Option<HeadNorm>,
    v_eps: Option<f32>,
) -> AttentionInput {
    AttentionInput { q_norm, rotation, kv: Some(KvInput { k, v, k_norm, v_eps }) }
}

fn shared_input(before: &[Op], a: &Attention) -> Option<(AttentionInput, usize)> {
    let [head @ .., Op::Rotate { heads, rotation, .. }] = before else { return None };
    if *heads != a.q {
        return None;
    }
    let q_norm = head_norm(head.last(), &a.q);
    let used = 1 + usize::from(q_norm.is_some());
    Some((AttentionInput { q_norm, rotation: *rotation, kv: None }, used))
}

fn fold_gate(a: &Op, b: &Op) -> Option<Op> {
    let (Op::Attention(a), Op::SigmoidMul { gate, out }) = (a, b) else { return None };
    let fits = a.gate.is_none() && a.out == *out;
    fits.then_some(Op::Attention(Attention { gate: Some(*gate), ..*a }))
}

/// `conv, delta rule, norm of its heads, gate` become one op.
fn fold_delta(ops: Vec<Op>) -> Vec<Op> {
    let mut out: Vec<Op> = Vec::with_capacity(ops.len());
    let mut ops = ops.into_iter().peekable();
    while let Some(op) = ops.next() {
        let Op::DeltaRule(mut d) = op else {
            out.push(op);
            continue;
        };
        if let Some(Op::Conv(conv)) = out.last()
            && [d.q, d.k, d.v].iter().all(|s| inside(s, &conv.out))
        {
            d.conv = Some(*conv);
            out.pop();
        }
        if let Some(Op::RmsNorm { input, weight: Some(weight), eps, width, out: normed }) = ops.peek()
            && (*input, *normed, *width) == (d.out, d.out, d.shape.v_dim)
        {
            let (weight, eps) = (*weight, *eps);
            let norm = ops.next();
            match ops.peek() {
                Some(Op::SiluMul { gate, up, out: to }) if (*up, *to) == (d.out, d.out) => {
                    d.gate = Some(DeltaGate { weight, eps, gate: *gate });
                    ops.next();
                    out.push(Op::DeltaRule(d));
                }
                _ => {
                    out.push(Op::DeltaRule(d));
                    out.extend(norm);
                }
            }
            continue;
        }
        out.push(Op::DeltaRule(d));
    }
    out
}

fn inside(part: &Slice, whole: &Slice) -> bool {
    part.buffer == whole.buffer
        && part.start >= whole.start
        && part.start + part.len <= whole.start + whole.len
}
