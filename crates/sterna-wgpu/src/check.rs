//! What there is no kernel for, told before anything is loaded.

use sterna_plan::{BackendError, Epilogue, ModelPlan, Op, Prologue, StateSpec};

use crate::kernels::MOST_HEAD_DIM;
use crate::load::linear_wants;

/// Refuses, by name, what there is no kernel for.
///
/// # Errors
/// [`BackendError::Unsupported`].
pub(crate) fn check(plan: &ModelPlan) -> Result<(), BackendError> {
    let unsupported = |what: String| Err(BackendError::Unsupported { backend: "gpu", what });
    if plan.attention_piece != 64 {
        return unsupported(format!("attention pieces of {} keys", plan.attention_piece));
    }
    for state in &plan.states {
        let kind = match state {
            StateSpec::FullKv { .. } => continue,
            StateSpec::RingKv { .. } => "sliding windows",
            StateSpec::Recurrent { .. } => "recurrent states",
            StateSpec::Conv { .. } => "convolutions",
            _ => "this kind of state",
        };
        return unsupported(format!("{kind} yet ({state:?})"));
    }
    for entry in &plan.entries {
        for op in &entry.ops {
            let fits = match op {
                Op::Linear(l) => {
                    let mut fits = matches!(
                        l.epilogue,
                        Epilogue::Store
                            | Epilogue::Scale(_)
                            | Epilogue::AddScaled(_)
                            | Epilogue::SiluMul
                            | Epilogue::GeluMul
                    );
                    fits &= matches!(l.prologue, Prologue::None | Prologue::RmsNorm { .. });
                    fits &= !l.members.is_empty() && l.input.len > 0;
                    linear_wants(plan, l)?;
                    fits
                }
                Op::Rotate { head_dim, rotation, .. } => head_dim % 2 == 0 && rotation.dim <= *head_dim,
                Op::KvWrite { k, v, .. } => k.len == v.len && k.len % 2 == 0,
                Op::Attention(a) => {
                    let turn = a.input.map_or(0, |i| i.rotation.dim);
                    let head = a.head_dim > 0 && a.head_dim % 2 == 0 && a.head_dim <= MOST_HEAD_DIM;
                    head && turn <= a.head_dim && a.kv_heads > 0 && a.heads % a.kv_heads == 0
                }
                Op::Embed { .. }
                | Op::RotationTable { .. }
                | Op::RmsNorm { .. }
                | Op::SigmoidMul { .. }
                | Op::SiluMul { .. }
                | Op::GeluMul { .. }
                | Op::AddScaled { .. }
                | Op::Scale { .. }
                | Op::Copy { .. }
                | Op::SelectOutputs { .. }
                | Op::Argmax { .. } => true,
                _ => false,
            };
            if !fits {
                return unsupported(format!("the op {} yet: {}", op.name(), plan.describe_op(entry, op)));
            }
        }
    }
    Ok(())
}
