//! Proof against a toy: a plan with an op dropped, or with two neighbours swapped, gives another answer.
#![allow(clippy::unwrap_used)] // helpers are no #[test] functions

mod common;

use std::sync::Arc;

use common::{bits, load, model, options};
use sterna_format::Encoding;
use sterna_plan::{
    BufferId, Fusions, ModelPlan, Op, Outputs, Plan, Prologue, RowTable, Slice, Source, Wanted,
};
use sterna_ref::RefBackend;
use sterna_ref::testing::{Encodings, TestModel, gemma4_config, narrow_hybrid_config, plan};

/// What 12 tokens answer in one call: logits and best tokens, or the error's text.
fn answer(
    plan: ModelPlan,
    model: &TestModel,
    backend: RefBackend,
) -> Result<(Vec<Vec<u32>>, Vec<u32>), String> {
    let mut executor = load(backend, Arc::new(plan), model, 1);
    let mut rows = RowTable::new();
    rows.push_chain(0, 0, &[3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8], 12, Wanted::Logits);
    let mut out = Outputs::default();
    executor.execute(2, &rows, &mut out).map_err(|e| e.to_string())?;
    Ok((bits(&out.logits), out.top.iter().map(|t| t.token).collect()))
}

#[derive(Debug, PartialEq)]
enum Place {
    Columns(Slice),
    State(usize),
    Answer,
}

fn all(entry: &Plan, id: BufferId) -> Place {
    Place::Columns(entry.buffers[id.0].all(id))
}

/// (reads, writes) of an op.
fn touches(entry: &Plan, op: &Op) -> (Vec<Place>, Vec<Place>) {
    use Place::{Answer, Columns, State};
    match op {
        Op::Embed { out, .. } | Op::RotationTable { out, .. } => (vec![], vec![all(entry, *out)]),
        Op::RmsNorm { input, out, .. } => (vec![Columns(*input)], vec![Columns(*out)]),
        Op::Linear(l) => {
            assert!(matches!(l.prologue, Prologue::None | Prologue::RmsNorm { .. }));
            let (mut reads, mut writes) = (vec![Columns(l.input)], vec![Columns(l.out)]);
            match l.source {
                Source::Given => {}
                Source::Wanted(from) => {
                    reads.push(all(entry, from));
                    writes.push(Columns(l.input));
                }
                Source::Joined { residual, branch, .. } => {
                    reads.extend([Columns(residual), Columns(branch)]);
                    writes.push(Columns(l.input));
                }
            }
            if let sterna_plan::Epilogue::GeluTimes(other) = l.epilogue {
                reads.push(Columns(other));
            }
            if matches!(l.epilogue, sterna_plan::Epilogue::AddScaled(_)) {
                reads.push(Columns(l.out));
            }
            (reads, writes)
        }
        Op::Rotate { heads, rotation, .. } => {
            (vec![Columns(*heads), all(entry, rotation.table)], vec![Columns(*heads)])
        }
        Op::KvWrite { k, v, state } => (vec![Columns(*k), Columns(*v)], vec![State(state.0)]),
        Op::Attention(a) => {
            let (mut reads, mut writes) = (vec![Columns(a.q), State(a.state.0)], vec![Columns(a.out)]);
            if let Some(input) = &a.input {
                reads.push(all(entry, input.rotation.table));
                writes.push(Columns(a.q));
                if let Some(kv) = input.kv {
                    reads.extend([Columns(kv.k), Columns(kv.v)]);
                    writes.extend([Columns(kv.k), State(a.state.0)]);
                    writes.extend(kv.v_eps.map(|_| Columns(kv.v)));
                }
            }
            reads.extend(a.gate.map(Columns));
            (reads, writes)
        }
        Op::Conv(c) => {
            let state = State(c.state.0);
            (vec![Columns(c.input), State(c.state.0)], vec![Columns(c.out), state])
        }
        Op::DeltaRule(d) => {
            let mut reads: Vec<_> = [d.q, d.k, d.v, d.b, d.a].map(Columns).into();
            let mut writes = vec![Columns(d.out), State(d.state.0)];
            reads.push(State(d.state.0));
            if let Some(c) = d.conv {
                reads.extend([Columns(c.input), State(c.state.0)]);
                writes.extend([Columns(c.out), State(c.state.0)]);
            }
            reads.extend(d.gate.map(|g| Columns(g.gate)));
            (reads, writes)
        }
        Op::SigmoidMul { gate, out } => (vec![Columns(*gate), Columns(*out)], vec![Columns(*out)]),
        Op::SiluMul { gate, up, out } => (vec![Columns(*gate), Columns(*up)], vec![Columns(*out)]),
        Op::GeluMul { gate, up, out } => (vec![Columns(*gate), Columns(*up)], vec![Columns(*out)]),
        Op::AddNormed { input, out, .. } => (vec![Columns(*input), Columns(*out)], vec![Columns(*out)]),
        Op::AddScaled { input, out, .. } => (vec![Columns(*input), Columns(*out)], vec![Columns(*out)]),
        Op::Scale { slice, .. } => (vec![Columns(*slice)], vec![Columns(*slice)]),
        Op::SelectOutputs { input, out } => (vec![all(entry, *input)], vec![all(entry, *out)]),
        Op::Copy { input, out } => (vec![Columns(*input)], vec![Columns(*out)]),
        Op::RowByRow(ops) => {
            let (reads, writes): (Vec<_>, Vec<_>) = ops.iter().map(|op| touches(entry, op)).unzip();
            (reads.into_iter().flatten().collect(), writes.into_iter().flatten().collect())
        }
        Op::Argmax { logits, .. } => (vec![all(entry, *logits)], vec![Answer]),
        other => panic!("a new op needs a line here: {}", other.name()),
    }
}

fn overlap(a: &[Place], b: &[Place]) -> bool {
    a.iter().any(|a| {
        b.iter().any(|b| match (a, b) {
            (Place::Columns(a), Place::Columns(b)) => {
                a.buffer == b.buffer && a.start < b.start + b.len && b.start < a.start + a.len
            }
            _ => a == b,
        })
    })
}

fn depend(entry: &Plan, a: &Op, b: &Op) -> bool {
    let ((read_a, write_a), (read_b, write_b)) = (touches(entry, a), touches(entry, b));
    overlap(&write_a, &read_b) || overlap(&read_a, &write_b) || overlap(&write_a, &write_b)
}

#[test]
fn every_op_and_every_order_that_matters_shows() {
    // Q4_1 has no head norms and a tied head, Q4_0 has both head norms and a tied head, BF16 its own head; then a
    // hybrid of a recurrent layer and one of gated attention; then windows, shared keys and per-layer inputs.
    let hybrid = TestModel::new(5, narrow_hybrid_config(), Encodings::new(Encoding::F16)).unwrap();
    let layered = TestModel::new(6, gemma4_config(), Encodings::new(Encoding::F16)).unwrap();
    let dense = [(Encoding::Q4_1, false), (Encoding::Q4_0, true), (Encoding::BF16, false)];
    let dense = dense.map(|(encoding, head_norms)| (model(encoding), encoding, head_norms));
    for (model, encoding, head_norms) in
        dense.iter().chain([&(hybrid, Encoding::F16, true), &(layered, Encoding::F16, true)])
    {
        for fusions in [Fusions::NONE, Fusions::ALL] {
            for backend in [RefBackend::law(), RefBackend::float()] {
                assert_eq!(model.config.qk_norm, *head_norms);
                let plan = Arc::unwrap_or_clone(plan(model, &options(fusions)).unwrap());
                let good = answer(plan.clone(), model, backend);
                assert!(good.is_ok(), "{good:?}");
                let entry = plan.entries[2].clone();
                let changed = |ops: Vec<Op>| {
                    let mut plan = plan.clone();
                    plan.entries[2].ops = ops;
                    answer(plan, model, backend) != good
                };
                let (mut dropped, mut swapped, mut free) = (0, 0, 0);
                for i in 0..entry.ops.len() {
                    let mut ops = entry.ops.clone();
                    let op = ops.remove(i);
                    assert!(changed(ops), "{encoding} {fusions:?}: without op {i}, {}", op.name());
                    dropped += 1;
                }
                for i in 1..entry.ops.len() {
                    let mut ops = entry.ops.clone();
                    ops.swap(i - 1, i);
                    // A norm hardly sees a factor on all of its input, so which of them comes first is no test.
                    let invariant = matches!(
                        (&entry.ops[i - 1], &entry.ops[i]),
                        (Op::Scale { slice, .. }, Op::RmsNorm { input, .. }) if slice == input
                    );
                    if invariant {
                        free += 1;
                        continue;
                    }
                    let matters = depend(&entry, &ops[i], &ops[i - 1]);
                    let names = format!("{} and {}", ops[i].name(), ops[i - 1].name());
                    // Neighbours that share nothing may run in any order: then not a bit may change.
                    assert_eq!(
                        changed(ops),
                        matters,
                        "{encoding} {fusions:?}: ops {} and {i}, {names}",
                        i - 1
                    );
                    if matters { swapped += 1 } else { free += 1 }
                }
                assert_eq!((dropped, swapped + free + 1), (entry.ops.len(), entry.ops.len()));
                println!(
                    "{encoding} {fusions:?}: {dropped} dropped, {swapped} swapped, {free} independent pairs"
                );
                assert!(swapped > free);
            }
        }
    }
}
