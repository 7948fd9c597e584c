//! `sterna inspect`: what a file holds, and what running it costs.

use std::collections::BTreeMap;
use std::process::ExitCode;

use serde_json::json;
use sterna_plan::{Fusions, PlanError, PlanOptions, build};

use super::output::say;
use super::{Outcome, output};
use crate::cli::InspectArgs;
use crate::engine::{Engine, EngineOptions, open_model};

/// Ops of a call of one row of the model under some folds.
fn ops_under(engine: &Engine, fusions: Fusions) -> Result<usize, PlanError> {
    let model = &engine.model;
    let numerics = |name: &str, encoding, cols| model.numerics.linear(name, encoding, cols);
    let options = PlanOptions { fusions, widths: vec![1], ..PlanOptions::new(engine.plan.context) };
    let plan = build(&model.config, model, &numerics, &options)?;
    Ok(plan.entries.first().map_or(0, |e| e.ops.len()))
}

/// Runs the command.
pub fn main(args: &InspectArgs) -> Outcome {
    let name = args.model.as_deref().or(args.path.as_deref());
    let fusions = if args.unfused { Fusions::NONE } else { Fusions::ALL };
    let options =
        EngineOptions { fusions, context: args.context, linears: args.linears, ..EngineOptions::default() };
    let engine = Engine::new(open_model(name)?, &options)?;
    let (model, plan) = (&engine.model, &engine.plan);
    let unfused = ops_under(&engine, Fusions::NONE)?;
    let mut folds = Vec::new();
    for (fold, fusions) in Fusions::steps() {
        folds.push((fold, ops_under(&engine, fusions)?));
    }

    let mut kinds: BTreeMap<&str, (usize, u64, u64)> = BTreeMap::new();
    for w in model.weights() {
        let k = kinds.entry(w.weight.encoding.name()).or_default();
        k.0 += 1;
        k.1 += (w.weight.rows * w.weight.cols) as u64;
        k.2 += w.weight.bytes();
    }
    let c = &model.config;
    let tokenizer = model.tokenizer.config();
    if args.json {
        let entries = plan.entries.iter().map(|e| {
            let cost = plan.cost(e);
            json!({
                "name": e.name, "width": e.width, "ops": cost.ops, "weight_bytes": cost.weight_bytes,
                "macs_per_row": cost.macs_per_row, "state_bytes_per_position": cost.state_bytes,
                "state_bytes_fixed": cost.fixed_state_bytes,
                "level": format!("{:?}", e.level).to_lowercase(),
                "plan": args.plan.then(|| e.ops.iter().map(|op| plan.describe_op(e, op)).collect::<Vec<_>>()),
            })
        });
        let entries: Vec<_> = entries.collect();
        let weights = args.weights.then(|| {
            let all = model.weights().map(|w| {
                json!({
                    "name": w.name, "encoding": w.weight.encoding.name(), "rows": w.weight.rows, "cols": w.weight.cols,
                    "bytes": w.weight.bytes(),
                })
            });
            all.collect::<Vec<_>>()
        });
        let kinds = kinds.iter().map(|(name, (tensors, weights, bytes))| {
            json!({"encoding": name, "tensors": tensors, "weights": weights, "bytes": bytes})
        });
        let kinds: Vec<_> = kinds.collect();
        say!(
            "{}",
            json!({
                "name": model.name, "source": model.source_kind().name(), "config": c, "encodings": kinds,
                "quantised": model.quantised(),
                "context": plan.context, "unfused_ops": unfused,
                "folds": folds.iter().map(|(fold, ops)| json!({"fold": fold, "ops": ops})).collect::<Vec<_>>(),
                "entries": entries, "weights": weights,
                "tokenizer": {"vocab": model.tokenizer.vocab_size(), "bos": tokenizer.bos, "eos": tokenizer.eos,
                              "add_bos": tokenizer.add_bos, "chat_template": tokenizer.chat_template},
            })
        );
        return Ok(ExitCode::SUCCESS);
    }
    say!("{} ({} from a {} file)", model.name, c.arch.name(), model.source_kind().name());
    say!(
        "  {} layers, hidden {}, ffn {}, {} heads of {} over {} kv heads, vocabulary {}{}",
        c.layers,
        c.hidden,
        c.ffn,
        c.heads,
        c.head_dim,
        c.kv_heads,
        c.vocab,
        if c.tied { ", head tied to the embedding" } else { "" }
    );
    say!(
        "  context {} (plan for {}), rotation base {}, norm eps {:e}",
        c.context,
        plan.context,
        c.rope.theta,
        c.norm_eps
    );
    if (c.embedding_scale, c.residual_scale, c.logit_scale) != (1.0, 1.0, 1.0) {
        say!(
            "  scalings: embedding {}, branches {}, logits {}",
            c.embedding_scale,
            c.residual_scale,
            c.logit_scale
        );
    }
    if let Some(h) = &c.hybrid {
        let d = &h.delta;
        say!(
            "  every {}. layer attends (gated, {} of {} dimensions rotated), the others are gated delta rules: {} value heads of {} over {} key heads of {}, convolution of {} taps",
            h.full_attention_interval,
            c.rope.dim,
            c.head_dim,
            d.v_heads,
            d.v_dim,
            d.k_heads,
            d.k_dim,
            d.taps
        );
        let mtp = if h.mtp_layers > 0 { "present (not used by plain runs)" } else { "absent" };
        say!("  head for multi-token prediction: {mtp}");
    }
    let template = if tokenizer.chat_template.is_some() {
        "a chat template"
    } else {
        "no chat template (ChatML is used)"
    };
    say!("  tokenizer: {} tokens, end tokens {:?}, {template}", model.tokenizer.vocab_size(), tokenizer.eos);
    say!("weights");
    for (name, (tensors, weights, bytes)) in &kinds {
        say!(
            "  {name:12} {tensors:4} tensors {:9.2} M weights  {}",
            *weights as f64 / 1e6,
            output::megabytes(*bytes)
        );
    }
    output::quantised(&model.quantised())?;
    if args.weights {
        for w in model.weights() {
            say!("  {:24} {:12} [{}, {}]", w.name, w.weight.encoding.name(), w.weight.rows, w.weight.cols);
        }
    }
    say!("entry points (all share weights and state)");
    for e in &plan.entries {
        let cost = plan.cost(e);
        say!(
            "  {:11} up to {:3} rows, {} ops ({unfused} before folds), {} of weights a call, {:.1} M multiply-adds a row, {:?}",
            e.name,
            e.width,
            cost.ops,
            output::megabytes(cost.weight_bytes),
            cost.macs_per_row as f64 / 1e6,
            e.level
        );
    }
    if let Some(e) = plan.entries.first() {
        let cost = plan.cost(e);
        say!(
            "a token reads {} of weights; a position keeps {} of state, {} at the full context",
            output::megabytes(cost.weight_bytes),
            output::megabytes(cost.state_bytes),
            output::megabytes(cost.state_bytes * plan.context as u64)
        );
        let recurrent: u64 = plan.states.iter().map(|s| 4 * s.fixed() as u64).sum();
        if recurrent > 0 {
            say!(
                "a sequence keeps {} of recurrent state whatever its length, in two halves of that size",
                output::megabytes(recurrent)
            );
        }
        if cost.fixed_state_bytes > recurrent {
            let rings = output::megabytes(cost.fixed_state_bytes - recurrent);
            say!("a sequence keeps {rings} of keys and values in rings, at most");
        }
        if args.plan {
            say!("ops of {} before folds: {unfused}", e.name);
            let mut before = unfused;
            for (fold, ops) in &folds {
                say!("  {fold:12} takes away {:4}, leaves {ops:4}", before.saturating_sub(*ops));
                before = *ops;
            }
            say!("{}", plan.describe(e).trim_end());
        }
    }
    Ok(ExitCode::SUCCESS)
}
