//! Golden answers made by other programs: read, checked, brought into one form.
//!
//! Three shapes are read. A safetensors file with `input_ids`, `logits` (every position), `greedy_ids` and
//! `greedy_margin`; one with the same per prompt under `0.`, `1.`, ..., where `{i}.logits.last` holds the last rows in
//! full and `.top16`, `.top16_ids`, `.mean` and `.std` every row in short; and llama.cpp's answers as JSON
//! (`scripts/llamacpp_greedy.py`).

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use sterna_checkpoint::{RawTensor, SafetensorsFile};

use super::GateError;

/// Golden answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Golden {
    /// Where they come from, for people.
    pub source: String,
    /// One for each prompt.
    pub prompts: Vec<GoldenPrompt>,
}

/// What is known about one prompt.
#[derive(Clone, Debug, PartialEq)]
pub struct GoldenPrompt {
    /// A number or the beginning of the text.
    pub name: String,
    /// Its tokens.
    pub ids: Vec<u32>,
    /// Logits at some or all of its positions, ascending.
    pub rows: Vec<GoldenRow>,
    /// The most likely token after each token of the prompt, where the file tells it without logits.
    pub top1: Vec<GreedyStep>,
    /// The tokens that follow.
    pub greedy: Vec<GreedyStep>,
}

/// Logits at one position.
#[derive(Clone, Debug, PartialEq)]
pub struct GoldenRow {
    /// In the prompt.
    pub position: usize,
    /// All logits, or those of `ids`.
    pub values: Vec<f32>,
    /// Tokens of `values`; empty when it holds all logits.
    pub ids: Vec<u32>,
    /// Mean and deviation over all logits.
    pub stats: Option<RowStats>,
}

/// Over all logits of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowStats {
    /// Mean.
    pub mean: f32,
    /// Standard deviation.
    pub std: f32,
}

/// A token and how sure it was.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GreedyStep {
    /// The token.
    pub token: u32,
    /// Its logit minus the runner-up's.
    pub margin: f32,
    /// The runner-up, if known.
    pub second: Option<u32>,
}

impl Golden {
    /// Reads a golden file; the contents tell its shape. `logits` names the tensors of the per-prompt shape: `logits`
    /// or `logits_float_activations`.
    ///
    /// # Errors
    /// A file that cannot be read or has none of the shapes.
    pub fn open(path: &Path, logits: &str) -> Result<Self, GateError> {
        let failed = |source| GateError::Read { path: path.display().to_string(), source };
        let bytes = std::fs::read(path).map_err(failed)?;
        let source = path.display().to_string();
        if bytes.first() == Some(&b'{') {
            return Self::from_llamacpp_json(&source, &bytes);
        }
        Self::from_safetensors(&source, &SafetensorsFile::from_bytes(bytes.into())?, logits)
    }

    /// llama.cpp's answers.
    ///
    /// # Errors
    /// Text that is not of that form.
    pub fn from_llamacpp_json(source: &str, bytes: &[u8]) -> Result<Self, GateError> {
        let file: LlamaCpp = serde_json::from_slice(bytes).map_err(|e| GateError::Golden(e.to_string()))?;
        let mut prompts = Vec::with_capacity(file.cases.len());
        for (i, c) in file.cases.into_iter().enumerate() {
            let name = format!("{i} {:?}", c.prompt.chars().take(24).collect::<String>());
            let top1 = steps(&name, &c.prompt_top1, &c.prompt_margin, None)?;
            let greedy = steps(&name, &c.greedy_ids, &c.greedy_margin, c.greedy_second.as_deref())?;
            if !top1.is_empty() && top1.len() != c.prompt_ids.len() {
                return Err(wrong(format!(
                    "{name}: {} answers to {} tokens",
                    top1.len(),
                    c.prompt_ids.len()
                )));
            }
            prompts.push(GoldenPrompt { name, ids: c.prompt_ids, rows: Vec::new(), top1, greedy });
        }
        checked(Self { source: source.to_owned(), prompts })
    }

    /// Either safetensors shape.
    ///
    /// # Errors
    /// Missing tensors, or shapes and types that contradict each other.
    pub fn from_safetensors(source: &str, file: &SafetensorsFile, logits: &str) -> Result<Self, GateError> {
        let mut prompts = Vec::new();
        if file.tensor("input_ids").is_some() {
            prompts.push(prompt(file, "", "0", logits)?);
        }
        while prompts.len() < file.len() && file.tensor(&format!("{}.input_ids", prompts.len())).is_some() {
            let i = prompts.len();
            prompts.push(prompt(file, &format!("{i}."), &i.to_string(), logits)?);
        }
        checked(Self { source: source.to_owned(), prompts })
    }
}

/// What `scripts/llamacpp_greedy.py` writes.
#[derive(Deserialize)]
pub(super) struct LlamaCpp {
    #[serde(default)]
    pub engine: BTreeMap<String, serde_json::Value>,
    #[serde(default)]
    pub model: Option<String>,
    pub cases: Vec<LlamaCppCase>,
}

/// One prompt of it.
#[derive(Deserialize)]
pub(super) struct LlamaCppCase {
    #[serde(default)]
    pub prompt: String,
    pub prompt_ids: Vec<u32>,
    #[serde(default)]
    prompt_top1: Vec<u32>,
    #[serde(default)]
    prompt_margin: Vec<f32>,
    pub greedy_ids: Vec<u32>,
    pub greedy_margin: Vec<f32>,
    pub greedy_second: Option<Vec<u32>>,
}

fn wrong(text: impl Into<String>) -> GateError {
    GateError::Golden(text.into())
}

fn checked(golden: Golden) -> Result<Golden, GateError> {
    if golden.prompts.is_empty() {
        return Err(wrong(format!("{} has no prompts", golden.source)));
    }
    match golden.prompts.iter().find(|p| p.ids.is_empty() || (p.rows.is_empty() && p.greedy.is_empty())) {
        Some(p) => Err(wrong(format!("prompt {}: no tokens, or nothing to compare", p.name))),
        None => Ok(golden),
    }
}

fn steps(
    name: &str,
    ids: &[u32],
    margins: &[f32],
    second: Option<&[u32]>,
) -> Result<Vec<GreedyStep>, GateError> {
    if ids.len() != margins.len() || second.is_some_and(|s| s.len() != ids.len()) {
        return Err(wrong(format!("{name}: {} tokens and {} margins", ids.len(), margins.len())));
    }
    let second = |i| second.and_then(|s: &[u32]| s.get(i).copied());
    let pairs = ids.iter().zip(margins).enumerate();
    Ok(pairs
        .map(|(i, (token, margin))| GreedyStep { token: *token, margin: *margin, second: second(i) })
        .collect())
}

fn prompt(file: &SafetensorsFile, prefix: &str, name: &str, logits: &str) -> Result<GoldenPrompt, GateError> {
    let get = |part: &str| file.tensor(&format!("{prefix}{part}"));
    let need = |part: &str| get(part).ok_or_else(|| wrong(format!("no tensor `{prefix}{part}`")));
    let ids = integers(need("input_ids")?, "input_ids")?;
    let mut rows = Vec::new();
    if let Some(all) = get(logits) {
        let (values, cols) = (floats(all, logits)?, columns(all, ids.len(), logits)?);
        rows.extend(values.chunks_exact(cols).enumerate().map(|(position, v)| full(position, v)));
    }
    let part = |suffix: &str| format!("{logits}.{suffix}");
    if let Some(top) = get(&part("top16")) {
        let (values, cols) = (floats(top, "top16")?, columns(top, ids.len(), "top16")?);
        let tokens = integers(need(&part("top16_ids"))?, "top16_ids")?;
        let mean = floats(need(&part("mean"))?, "mean")?;
        let std = floats(need(&part("std"))?, "std")?;
        if tokens.len() != values.len() || mean.len() != ids.len() || std.len() != ids.len() {
            return Err(wrong(format!("prompt {name}: the short rows have different lengths")));
        }
        let each = values.chunks_exact(cols).zip(tokens.chunks_exact(cols)).zip(mean.iter().zip(&std));
        rows.extend(each.enumerate().map(|(position, ((v, ids), (mean, std)))| GoldenRow {
            position,
            values: v.to_vec(),
            ids: ids.to_vec(),
            stats: Some(RowStats { mean: *mean, std: *std }),
        }));
    }
    if let Some(last) = get(&part("last")) {
        let count = last.shape.first().copied().unwrap_or(0);
        let (values, cols) = (floats(last, "last")?, columns(last, count, "last")?);
        let from = ids.len().checked_sub(count).ok_or_else(|| wrong("more last rows than tokens"))?;
        rows.extend(values.chunks_exact(cols).enumerate().map(|(i, v)| full(from + i, v)));
    }
    rows.sort_by_key(|r| r.position);
    let greedy = match (get("greedy_ids"), get("greedy_margin")) {
        (Some(t), Some(m)) => steps(name, &integers(t, "greedy_ids")?, &floats(m, "greedy_margin")?, None)?,
        _ => Vec::new(),
    };
    Ok(GoldenPrompt { name: name.to_owned(), ids, rows, top1: Vec::new(), greedy })
}

fn full(position: usize, values: &[f32]) -> GoldenRow {
    GoldenRow { position, values: values.to_vec(), ids: Vec::new(), stats: None }
}

/// Columns of a matrix of `rows` rows.
fn columns(t: RawTensor<'_>, rows: usize, name: &str) -> Result<usize, GateError> {
    match t.shape {
        [r, c] if *r == rows && *c > 0 => Ok(*c),
        shape => Err(wrong(format!("`{name}` has shape {shape:?}, expected {rows} rows"))),
    }
}

fn floats(t: RawTensor<'_>, name: &str) -> Result<Vec<f32>, GateError> {
    match t.dtype {
        "F32" => Ok(t.data.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect()),
        other => Err(wrong(format!("`{name}` is {other}, expected F32"))),
    }
}

fn integers(t: RawTensor<'_>, name: &str) -> Result<Vec<u32>, GateError> {
    let values: Vec<i64> = match t.dtype {
        "I64" => t.data.as_chunks::<8>().0.iter().map(|b| i64::from_le_bytes(*b)).collect(),
        "I32" => t.data.as_chunks::<4>().0.iter().map(|b| i64::from(i32::from_le_bytes(*b))).collect(),
        other => return Err(wrong(format!("`{name}` is {other}, expected I64 or I32"))),
    };
    let id = |v: i64| u32::try_from(v).map_err(|_| wrong(format!("`{name}` holds {v}, which is no token")));
    values.into_iter().map(id).collect()
}
