//! What an op writes, and its name: for finding the op that brought NaN or infinity (contract C6).

use sterna_plan::{BufferId, ModelPlan, Op, Plan, Slice, Source, StateId, WeightId};

/// The slices and the state that `op` writes; both empty for argmax. Ops of several parts are asked for each part.
pub(crate) fn written(entry: &Plan, op: &Op) -> (Vec<Slice>, Option<StateId>) {
    let all = |id: &BufferId| entry.buffers[id.0].all(*id);
    match op {
        Op::Embed { out, .. } | Op::RotationTable { out, .. } | Op::SelectOutputs { out, .. } => {
            (vec![all(out)], None)
        }
        Op::RmsNorm { out, .. }
        | Op::SiluMul { out, .. }
        | Op::GeluMul { out, .. }
        | Op::AddScaled { out, .. } => (vec![*out], None),
        Op::AddNormed { out, .. } => (vec![*out], None),
        Op::Linear(linear) => {
            let input = (linear.source != Source::Given).then_some(linear.input);
            (input.into_iter().chain([linear.out]).collect(), None)
        }
        Op::SigmoidMul { out, .. } | Op::Copy { out, .. } => (vec![*out], None),
        Op::Conv(c) => (vec![c.out], Some(c.state)),
        Op::DeltaRule(d) => (d.conv.iter().map(|c| c.out).chain([d.out]).collect(), Some(d.state)),
        Op::KeepClusters { logits, .. } => (vec![*logits], None),
        Op::Rotate { heads, .. } => (vec![*heads], None),
        Op::Scale { slice, .. } => (vec![*slice], None),
        Op::KvWrite { state, .. } => (vec![], Some(*state)),
        Op::Attention(a) => match &a.input {
            Some(input) => match input.kv {
                Some(kv) => (vec![a.q, kv.k, a.out], Some(a.state)),
                None => (vec![a.q, a.out], None),
            },
            None => (vec![a.out], None),
        },
        _ => (vec![], None),
    }
}

/// Name of the op, then of its weights.
pub(crate) fn title(plan: &ModelPlan, op: &Op) -> String {
    let names = |ids: &[WeightId]| {
        ids.iter().map(|id| plan.weight(*id).name.as_str()).collect::<Vec<_>>().join(" | ")
    };
    match op {
        Op::Embed { table, .. } => format!("{} {}", op.name(), names(&[*table])),
        Op::RmsNorm { weight: Some(weight), .. } | Op::AddNormed { weight, .. } => {
            format!("{} {}", op.name(), names(&[*weight]))
        }
        Op::Linear(linear) => format!("{} {}", op.name(), names(&linear.members)),
        Op::KvWrite { state, .. } => format!("{} state {}", op.name(), state.0),
        Op::Attention(a) => format!("{} state {}", op.name(), a.state.0),
        Op::Conv(c) => format!("{} {}", op.name(), names(&[c.weight])),
        Op::DeltaRule(d) => format!("{} {}", op.name(), names(&[d.decay])),
        _ => op.name().to_owned(),
    }
}
