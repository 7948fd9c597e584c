//! Folds: each a separate switch, each proven bit-identical to the unfused plan by the backends' tests.

use crate::op::{Attention, AttentionInput, DeltaGate, Epilogue, HeadNorm, Linear, Op, Prologue, Slice};

/// Which folds to apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fusions {
    /// Linears that share an input become one op (q, k, v; gate, up).
    pub members: bool,
    /// A norm goes into the prologue of the linear that alone reads it.
    pub norm: bool,
    /// `silu(gate) * up` goes into the epilogue of gate and up.
    pub gate_up: bool,
    /// Residual additions and factors go into the epilogue of the linear before them.
    pub residual: bool,
    /// Head norms, rotation, the write of k and v, and the output gate go into attention.
    pub attention: bool,
    /// Convolution, norm and gate go into the delta rule.
    pub delta: bool,
}

impl Fusions {
    /// Every fold.
    pub const ALL: Fusions =
        Fusions { members: true, norm: true, gate_up: true, residual: true, attention: true, delta: true };
    /// No fold: one op for each step.
    pub const NONE: Fusions = Fusions {
        members: false,
        norm: false,
        gate_up: false,
        residual: false,
        attention: false,
        delta: false,
    };

    pub(crate) fn apply(self, mut ops: Vec<Op>) -> Vec<Op> {
        if self.members {
            ops = pairwise(ops, merge_members);
        }
        if self.gate_up {
            ops = pairwise(ops, fold_gate_up);
        }
        if self.residual {
            ops = pairwise(ops, fold_residual);
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
        ops
    }
}

/// Replaces neighbours for which `fold` has an answer, again and again from the left.
fn pairwise(ops: Vec<Op>, fold: fn(&Op, &Op) -> Option<Op>) -> Vec<Op> {
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

fn merge_members(a: &Op, b: &Op) -> Option<Op> {
    let (Op::Linear(a), Op::Linear(b)) = (a, b) else { return None };
    let plain = |l: &Linear| l.prologue == Prologue::None && l.epilogue == Epilogue::Store;
    if a.input != b.input || !plain(a) || !plain(b) {
        return None;
    }
    let members = a.members.iter().chain(&b.members).copied().collect();
    Some(Op::Linear(Linear { out: adjacent(&a.out, &b.out)?, members, ..a.clone() }))
}

fn fold_gate_up(a: &Op, b: &Op) -> Option<Op> {
    let (Op::Linear(l), Op::SiluMul { gate, up, out }) = (a, b) else { return None };
    let fits = l.members.len() == 2 && l.epilogue == Epilogue::Store && adjacent(gate, up) == Some(l.out);
    fits.then(|| Op::Linear(Linear { out: *out, epilogue: Epilogue::SiluMul, ..l.clone() }))
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
        if let (Op::RmsNorm { input, weight, eps, width, out: normed }, Some(Op::Linear(l))) =
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

/// `[norm q, norm k,] rotate q, rotate k, write, attention` become one op.
fn fold_attention(ops: Vec<Op>) -> Vec<Op> {
    let mut out: Vec<Op> = Vec::with_capacity(ops.len());
    for op in ops {
        let Op::Attention(mut a) = op else {
            out.push(op);
            continue;
        };
        if let Some((input, used)) = attention_input(&out, &a.q) {
            out.truncate(out.len() - used);
            a.input = Some(input);
        }
        out.push(Op::Attention(a));
    }
    out
}

fn attention_input(before: &[Op], q: &Slice) -> Option<(AttentionInput, usize)> {
    let [
        head @ ..,
        Op::Rotate { heads: rq, rotation, .. },
        Op::Rotate { heads: rk, .. },
        Op::KvWrite { k, v, .. },
    ] = before
    else {
        return None;
    };
    if rq != q || rk != k {
        return None;
    }
    let (mut q_norm, mut k_norm, mut used) = (None, None, 3);
    if let [
        ..,
        Op::RmsNorm { input: nq, weight: wq, eps: eq, out: oq, .. },
        Op::RmsNorm { input: nk, weight: wk, eps: ek, out: ok, .. },
    ] = head
        && nq == q
        && oq == q
        && nk == k
        && ok == k
    {
        q_norm = Some(HeadNorm { weight: *wq, eps: *eq });
        k_norm = Some(HeadNorm { weight: *wk, eps: *ek });
        used = 5;
    }
    Some((AttentionInput { q_norm, k_norm, rotation: *rotation, k: *k, v: *v }, used))
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
        if let Some(Op::RmsNorm { input, weight, eps, width, out: normed }) = ops.peek()
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
