//! What one model needs of a machine: room, kernels, and whether another encoding would serve it better.

use std::path::Path;

use serde::Serialize;
use sterna_bundle::SourceKind;
use sterna_format::Encoding;
use sterna_plan::{LinearNumerics, ModelPlan, Op, WeightUse};

use super::checks::{Check, Status, far, size};
use super::machine::{Machine, mount};
use super::system::System;
use crate::engine::{Engine, EngineOptions, backend, open_model};

/// What a model needs, from a dry run: nothing is loaded.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Need {
    /// Its name.
    pub name: String,
    /// "gguf", "checkpoint" or "bundle".
    pub source: &'static str,
    /// Bytes of its weights in the file.
    pub file_bytes: u64,
    /// Bytes of its weights packed for this processor; `None` from a backend that cannot tell.
    pub weight_bytes: Option<u64>,
    /// Bytes of states for `context` positions.
    pub state_bytes: u64,
    /// Positions of a session.
    pub context: usize,
    /// Linear weights by encoding, largest first.
    pub linears: Vec<Linears>,
    /// The head: encoding and bytes.
    pub head: Option<(String, u64)>,
}

/// Linear weights of one encoding.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Linears {
    /// "tq2_0".
    pub encoding: String,
    /// Bytes in the file, which are about what a token reads.
    pub bytes: u64,
    /// Whether they meet float activations: every weight a float in memory.
    pub float: bool,
}

impl Need {
    /// Bytes in all.
    pub fn bytes(&self) -> Option<u64> {
        self.weight_bytes?.checked_add(self.state_bytes)
    }

    fn of(engine: &Engine, weight_bytes: Option<u64>) -> Self {
        let plan = &engine.plan;
        let state: usize = plan.states.iter().map(|s| s.bytes_per_position()).sum();
        Self {
            name: engine.model.name.clone(),
            source: engine.model.source_kind().name(),
            file_bytes: engine.model.weights().map(|w| w.weight.data.len() as u64).sum(),
            weight_bytes,
            state_bytes: state as u64 * plan.context as u64,
            context: plan.context,
            linears: linears(plan),
            head: head(plan),
        }
    }
}

fn linears(plan: &ModelPlan) -> Vec<Linears> {
    let mut all: Vec<Linears> = Vec::new();
    for w in &plan.weights {
        let WeightUse::Linear(numerics) = w.usage else { continue };
        let float = matches!(numerics, LinearNumerics::Float);
        let encoding = w.encoding.name();
        match all.iter_mut().find(|l| l.encoding == encoding && l.float == float) {
            Some(l) => l.bytes += w.bytes(),
            None => all.push(Linears { encoding: encoding.to_owned(), bytes: w.bytes(), float }),
        }
    }
    all.sort_by_key(|l| std::cmp::Reverse(l.bytes));
    all
}

/// The last linear layer of a call makes the logits.
fn head(plan: &ModelPlan) -> Option<(String, u64)> {
    let ops = &plan.entries.first()?.ops;
    let last = ops.iter().rev().find_map(|op| match op {
        Op::Linear(l) => l.members.first(),
        _ => None,
    })?;
    let w = plan.weight(*last);
    Some((w.encoding.name().to_owned(), w.bytes()))
}

/// Opens and plans a model, and judges it. An error of the model's is a finding of the check named `model`.
pub fn judge(
    system: &dyn System,
    machine: &Machine,
    path: Option<&Path>,
    options: &EngineOptions,
) -> (Option<Need>, Vec<Check>) {
    let mut checks = Vec::new();
    if let Some(mount) = path.and_then(|p| mount(system, p)) {
        let what = format!("the model lies on {} ({})", mount.kind, mount.at);
        checks.push(
            far("model-folder", &what, &mount, machine).unwrap_or_else(|| Check::ok("model-folder", what)),
        );
    }
    let need = match open_model(path).and_then(|m| Engine::new(m, options)) {
        Err(e) => {
            let advice = "nothing can run with this model; `sterna run --help` and `sterna inspect --help` say what is read";
            checks.push(Check::new("model", Status::Failure, e.to_string(), advice));
            return (None, checks);
        }
        Ok(engine) => match dry_run(&engine, options) {
            Err(e) => {
                let advice = "these weights have no kernel: take the model in another encoding";
                checks.push(Check::new("model", Status::Failure, e.to_string(), advice));
                return (None, checks);
            }
            Ok(bytes) => Need::of(&engine, bytes),
        },
    };
    let all: u64 = need.linears.iter().map(|l| l.bytes).sum();
    checks.push(Check::ok(
        "model",
        format!("{}: every weight has a kernel, {} of linear weights", need.name, size(all)),
    ));
    checks.push(room(&need, machine.free_memory(), machine.most_memory()));
    checks.push(encoding(&need));
    checks.push(head_size(&need));
    (Some(need), checks)
}

/// Asks the backend for every weight, and what all would take.
fn dry_run(engine: &Engine, options: &EngineOptions) -> Result<Option<u64>, Box<dyn std::error::Error>> {
    let backend = backend(options)?;
    for w in &engine.plan.weights {
        backend.supports(w)?;
    }
    Ok(backend.weight_memory(&engine.plan)?.map(|b| b as u64))
}

/// Whether a model fits: `free` now, `most` with nothing else running.
pub fn room(need: &Need, free: Option<u64>, most: Option<u64>) -> Check {
    let id = "model-memory";
    let (Some(bytes), Some(free), Some(most)) = (need.bytes(), free, most) else {
        return Check::unknown(id, "whether the model fits");
    };
    let what = format!(
        "{} for weights and {} of state at a context of {}; {} are free",
        size(bytes - need.state_bytes),
        size(need.state_bytes),
        need.context,
        size(free)
    );
    let shorter = need.state_bytes > bytes / 4;
    if bytes > most {
        let context = if shorter { "a shorter `--context`, or " } else { "" };
        let advice =
            format!("it cannot fit into {}: {context}fewer bits per weight, or a smaller model", size(most));
        return Check::new(id, Status::Failure, what, advice);
    }
    if bytes > free / 10 * 9 {
        let context = if shorter { ", or take a shorter `--context`" } else { "" };
        return Check::new(id, Status::Warning, what, format!("end other programs first{context}"));
    }
    Check::ok(id, what)
}

/// Whether most of what a token reads are floats.
pub fn encoding(need: &Need) -> Check {
    let id = "model-encoding";
    let all: u64 = need.linears.iter().map(|l| l.bytes).sum();
    // The head has a check of its own.
    let head = need.head.as_ref().map_or(("", 0), |(e, bytes)| (e.as_str(), *bytes));
    let body = |l: &Linears| if l.encoding == head.0 { l.bytes.saturating_sub(head.1) } else { l.bytes };
    let float: u64 = need.linears.iter().filter(|l| l.float).map(body).sum();
    let names: Vec<String> =
        need.linears.iter().map(|l| format!("{} {}", l.encoding, size(l.bytes))).collect();
    let what = format!("a token reads {}", names.join(", "));
    if float > all.saturating_sub(head.1) / 2 {
        let bundle = if need.source == SourceKind::Bundle.name() {
            ""
        } else {
            "`sterna pack` makes 2-bit weights of it if its weights are ternary; else "
        };
        let advice = format!(
            "float weights are 2 to 16 times the bytes of low-bit ones: {bundle}take a quantised GGUF of the same model"
        );
        return Check::new(id, Status::Note, what, advice);
    }
    Check::ok(id, what)
}

/// Whether the head is a large share of what a token reads, in floats.
pub fn head_size(need: &Need) -> Check {
    let id = "model-head";
    let Some((encoding, bytes)) = &need.head else { return Check::ok(id, "no head") };
    let all: u64 = need.linears.iter().map(|l| l.bytes).sum();
    let what = format!("the head is {} in {encoding}", size(*bytes));
    let float = encoding.parse::<Encoding>().is_ok_and(Encoding::is_float);
    if float && *bytes > all / 5 {
        let advice = "`sterna pack MODEL --head q8_0` (add `--untie` to leave a tied embedding as it is) reads half as much or less of it, with a small loss";
        return Check::new(
            id,
            Status::Note,
            format!("{what}, {} % of what a token reads", 100 * bytes / all.max(1)),
            advice,
        );
    }
    Check::ok(id, what)
}

/// Parameters that fit into free memory at some bits a weight, for advice without a model.
pub fn fits(free: u64) -> Vec<(&'static str, f64)> {
    [("2-bit (tq2_0)", Encoding::TQ2_0), ("4-bit (q4_0)", Encoding::Q4_0), ("8-bit (q8_0)", Encoding::Q8_0)]
        .into_iter()
        .filter_map(|(name, encoding)| {
            let bytes = encoding.row_bytes(4096).ok()? as f64 / 4096.0;
            // A fifth for states, activations and everybody else.
            Some((name, 0.8 * free as f64 / bytes))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::machine::tests::{healthy, program};

    fn need(linears: &[(&str, u64, bool)], head: (&str, u64)) -> Need {
        let linears = linears.iter().map(|(e, b, f)| Linears { encoding: (*e).into(), bytes: *b, float: *f });
        Need {
            name: "m".into(),
            source: "gguf",
            file_bytes: 1000,
            weight_bytes: Some(1000),
            state_bytes: 400,
            context: 64,
            linears: linears.collect(),
            head: Some((head.0.into(), head.1)),
        }
    }

    #[test]
    fn room_is_judged_by_what_is_free_and_by_what_there_is() {
        let n = need(&[], ("q8_0", 1));
        assert_eq!(room(&n, Some(5000), Some(9000)).status, Status::Ok);
        let tight = room(&n, Some(1400), Some(9000));
        assert!(tight.status == Status::Warning && tight.advice.unwrap().contains("--context"));
        let never = room(&n, Some(900), Some(1399));
        assert!(never.status == Status::Failure && never.advice.unwrap().contains("--context"));
        assert_eq!(room(&n, None, Some(1)).status, Status::Unknown);
        assert_eq!(room(&Need { weight_bytes: None, ..n }, Some(1), Some(1)).status, Status::Unknown);
    }

    #[test]
    fn float_weights_and_float_heads_are_told_what_else_there_is() {
        let low = need(&[("tq2_0", 900, false), ("q8_0", 100, false)], ("q8_0", 100));
        assert_eq!((encoding(&low).status, head_size(&low).status), (Status::Ok, Status::Ok));
        let float = need(&[("bf16", 900, true), ("q8_0", 100, false)], ("q8_0", 100));
        let check = encoding(&float);
        assert!(check.status == Status::Note && check.advice.unwrap().contains("sterna pack"));
        let head = need(&[("tq2_0", 600, false), ("f16", 400, true)], ("f16", 400));
        let check = head_size(&head);
        assert!(check.status == Status::Note && check.found.contains("40 %"), "{check:?}");
        let small = need(&[("tq2_0", 900, false), ("f16", 100, true)], ("f16", 100));
        assert_eq!(head_size(&small).status, Status::Ok);
    }

    #[test]
    fn the_built_in_model_is_judged_and_a_file_that_is_none_is_refused() {
        let machine = Machine::read(&healthy(), program());
        let (need, checks) = judge(&healthy(), &machine, None, &EngineOptions::default());
        let need = need.unwrap();
        assert!(need.weight_bytes.unwrap() > 10_000_000 && need.state_bytes > 0 && need.head.is_some());
        let status = |id: &str| checks.iter().find(|c| c.id == id).map(|c| c.status);
        assert_eq!(status("model-memory"), Some(Status::Ok));
        assert_eq!(status("model-encoding"), Some(Status::Ok), "its layers are ternary");
        assert_eq!(
            status("model-head"),
            Some(Status::Note),
            "its head is half of what a token reads, in f16"
        );
        let none = Path::new("/no/such/model.gguf");
        let (need, checks) = judge(&healthy(), &machine, Some(none), &EngineOptions::default());
        assert!(need.is_none());
        let model = checks.iter().find(|c| c.id == "model").unwrap();
        assert!(model.status == Status::Failure && model.found.contains("no model at"));
        let context = EngineOptions { context: Some(1_000_000), ..EngineOptions::default() };
        let (_, checks) = judge(&healthy(), &machine, None, &context);
        assert!(checks.iter().any(|c| c.status == Status::Failure), "a context the model does not allow");
    }

    #[test]
    fn fewer_bits_fit_more_parameters() {
        let all = fits(10 << 30);
        assert_eq!(all.len(), 3);
        assert!(all.windows(2).all(|w| w[0].1 > 1.5 * w[1].1));
    }
}
