//! The quantised form of Gemma 4's publisher ("mobile" QAT): whole numbers of 2, 4 or 8 bits with one scale per row, and
//! static scales of int8 activations.
//!
//! * A linear layer's `weight` holds packed codes, the first in the low bits, in midpoint form (`U8`), or signed bytes
//!   (`I8`); `weight_scale` has one value per row. How many bits a code has follows from the shape.
//! * A table's are `embedding_quantized` and `embedding_scale`; that of the per-layer inputs may have a scale per layer.
//! * `input_activation_scale` and `output_activation_scale` are the grids of a linear layer's inputs and outputs; 0 means
//!   that they are not rounded.
//! * `lm_head` repeats the embedding table. Scales of int8 keys and values (`k_cache_scale`, `v_cache_scale`) are left
//!   alone, as the publisher's own code leaves them.
//!
//! Codes and scales are put together to rows in memory, since they lie apart in the file.

use std::collections::{BTreeMap, BTreeSet};

use sterna_checkpoint::RawBytes;
use sterna_format::{CodeBits, Encoding};

use super::Origin;
use super::claims::TensorInfo;
use crate::error::{BundleError, shorten};
use crate::wanted::{Place, Role, Wanted, wanted};
use crate::{INT16_COLS, LinearNumerics, ModelConfig};

const PLACE: &str = "checkpoint";
const TWO: Encoding = Encoding::PerRow(CodeBits::Two);
const SCALES: [&str; 3] = ["weight_scale", "input_activation_scale", "output_activation_scale"];

/// What was put together.
#[derive(Default)]
pub(crate) struct Packed {
    /// Rows, by the name of the tensor that they stand for.
    pub rows: BTreeMap<String, Vec<u8>>,
    /// The same tensors as if the file had them so, and those that have no use.
    pub infos: BTreeMap<String, TensorInfo>,
    /// Names that were read here.
    pub used: BTreeSet<String>,
    /// How linears meet their activations.
    pub numerics: Vec<(String, LinearNumerics)>,
}

/// Rows of the embedding table, if it is packed.
pub(crate) fn embedding_rows(origin: &Origin) -> Option<usize> {
    let name = origin.spelling.name(Place::Top, "embed");
    let table = format!("{}.embedding_quantized", name.strip_suffix(".weight")?);
    origin.checkpoint.raw().find(|r| r.name == table)?.shape.first().copied()
}

/// Puts every packed weight of `config` together.
///
/// # Errors
/// Shapes, scales and widths of codes that do not fit the configuration.
pub(crate) fn read(origin: &Origin, config: &ModelConfig) -> Result<Packed, BundleError> {
    let raw: BTreeMap<&str, RawBytes> = origin.checkpoint.raw().map(|r| (r.name, r)).collect();
    let mut out = Packed::default();
    if raw.is_empty() {
        return Ok(out);
    }
    for w in wanted(config) {
        if matches!(w.role, Role::Vector | Role::Taps) {
            continue;
        }
        let name = origin.spelling.name(w.place, w.part);
        let Some(base) = name.strip_suffix(".weight") else { continue };
        let table = matches!(w.role, Role::Table | Role::Lookup);
        let (codes, scale) = match table {
            true => (format!("{base}.embedding_quantized"), format!("{base}.embedding_scale")),
            false => (name.clone(), format!("{base}.weight_scale")),
        };
        let activations = if w.role == Role::Table { "lm_head" } else { base };
        let grids = [
            grid(origin, activations, SCALES[1], &mut out)?,
            grid(origin, activations, SCALES[2], &mut out)?,
        ];
        let Some(codes) = raw.get(codes.as_str()) else {
            if grids != [None, None] {
                let supported = "none beside weights that are floats";
                return Err(BundleError::key(PLACE, format!("{base}.{}", SCALES[1]), "a scale", supported));
            }
            continue;
        };
        let scales = scales(origin, &scale, &w)?;
        let (encoding, rows) = rows(codes, &scales, &w)?;
        if w.role == Role::Table {
            same_head(origin, &raw, codes, &scales, &mut out)?;
        }
        out.used.extend([codes.name.to_owned(), scale]);
        let shape = vec![w.rows / w.fold.max(1), w.cols * w.fold];
        out.infos.insert(name.clone(), TensorInfo { encoding, shape });
        out.rows.insert(name.clone(), rows);
        let numerics = match grids {
            [Some(input), output] => LinearNumerics::Static { input, output },
            // Not rounded by the model; 16 bits are far finer than the bf16 that its own code runs in.
            [None, None] if w.role == Role::Table && encoding == TWO && w.cols <= INT16_COLS => {
                LinearNumerics::Int16
            }
            [None, None] => LinearNumerics::Float,
            [None, Some(output)] => {
                let supported = "none without a scale of the inputs";
                return Err(BundleError::key(
                    PLACE,
                    format!("{activations}.{}", SCALES[2]),
                    output,
                    supported,
                ));
            }
        };
        if w.role != Role::Lookup {
            out.numerics.push((w.name, numerics));
        }
    }
    leave(origin, config, &raw, &mut out);
    Ok(out)
}

/// Marks what is left alone, and lists what has no use so that it is reported.
fn leave(origin: &Origin, config: &ModelConfig, raw: &BTreeMap<&str, RawBytes>, out: &mut Packed) {
    for layer in 0..config.layers {
        let q = origin.spelling.name(Place::Layer(layer), "q");
        let attention = q.strip_suffix("q_proj.weight").unwrap_or(&q);
        out.used.extend(["k_cache_scale", "v_cache_scale"].map(|s| format!("{attention}{s}")));
        if config.kv_source(layer) != layer {
            for part in ["k_proj", "v_proj"] {
                out.used.insert(format!("{attention}{part}.weight"));
                out.used.extend(SCALES.map(|s| format!("{attention}{part}.{s}")));
            }
        }
    }
    for r in raw.values().filter(|r| !out.used.contains(r.name)) {
        let encoding = Encoding::PerRow(CodeBits::Eight);
        out.infos.entry(r.name.to_owned()).or_insert(TensorInfo { encoding, shape: r.shape.to_vec() });
    }
}

/// A scale of activations; `None` for 0, which means none.
fn grid(origin: &Origin, base: &str, part: &str, out: &mut Packed) -> Result<Option<f32>, BundleError> {
    let name = format!("{base}.{part}");
    let Some(view) = origin.checkpoint.tensor(&name) else { return Ok(None) };
    let values = if view.encoding.is_float() { view.to_f32()? } else { Vec::new() };
    let scale = match values.as_slice() {
        [scale] if *scale == 0.0 => None,
        [scale] if scale.is_normal() && *scale > 0.0 => Some(*scale),
        _ => return Err(BundleError::key(PLACE, name, format!("{values:?}"), "one positive number, or 0")),
    };
    out.used.insert(name);
    Ok(scale)
}

/// One scale for every canonical row.
fn scales(origin: &Origin, name: &str, w: &Wanted) -> Result<Vec<f32>, BundleError> {
    let missing = || BundleError::MissingTensor { name: name.to_owned(), arch: origin.arch.name() };
    let view = origin.checkpoint.tensor(name).ok_or_else(missing)?;
    if !view.encoding.is_float() {
        return Err(BundleError::NotFloat { name: name.to_owned(), encoding: view.encoding });
    }
    let values = view.to_f32()?;
    if let Some(bad) = values.iter().find(|v| !v.is_finite()) {
        return Err(BundleError::key(PLACE, name, bad, "finite scales"));
    }
    let stored = w.rows / w.fold.max(1);
    if values.len() == w.rows {
        return Ok(values);
    }
    if values.len() == stored {
        return Ok(values.iter().flat_map(|v| std::iter::repeat_n(*v, w.fold)).collect());
    }
    let (found, expected) = (view.shape.to_vec(), vec![stored, 1]);
    Err(BundleError::Shape { name: shorten(name), found, expected })
}

/// Rows of codes with their scales behind them.
fn rows(codes: &RawBytes, scales: &[f32], w: &Wanted) -> Result<(Encoding, Vec<u8>), BundleError> {
    let stored = w.rows / w.fold.max(1);
    let weights = w.cols.saturating_mul(w.fold);
    let bits = match codes.shape {
        [rows, bytes] if *rows == stored => match (bytes.saturating_mul(8) / weights.max(1), codes.signed) {
            (2, false) if bytes * 4 == weights => Some(CodeBits::Two),
            (4, false) if bytes * 2 == weights => Some(CodeBits::Four),
            (8, true) if *bytes == weights => Some(CodeBits::Eight),
            _ => None,
        },
        _ => None,
    };
    let Some(bits) = bits else {
        let kind = if codes.signed { "I8" } else { "U8" };
        let found = format!("{kind} of shape {:?}", codes.shape);
        let supported = format!("{stored} rows of {weights} codes: U8 with 2 or 4 bits each, or I8");
        return Err(BundleError::key(PLACE, shorten(codes.name), found, supported));
    };
    let encoding = Encoding::PerRow(bits);
    let format = |source| BundleError::Format { name: shorten(codes.name), source };
    let each = encoding.row_bytes(w.cols).map_err(format)?;
    let mut out = Vec::with_capacity(each * w.rows);
    for (row, scale) in codes.data.chunks_exact(bits.code_bytes(w.cols).max(1)).zip(scales) {
        out.extend_from_slice(row);
        out.extend_from_slice(&scale.to_le_bytes());
    }
    Ok((encoding, out))
}

/// A head stored beside the table that it is tied to must be the same.
fn same_head(
    origin: &Origin,
    raw: &BTreeMap<&str, RawBytes>,
    table: &RawBytes,
    scales: &[f32],
    out: &mut Packed,
) -> Result<(), BundleError> {
    const HEAD: &str = "lm_head.weight";
    let Some(head) = raw.get(HEAD) else { return Ok(()) };
    let scale = origin.checkpoint.tensor("lm_head.weight_scale").map(|v| v.to_f32()).transpose()?;
    if head.data != table.data || scale.as_deref() != Some(scales) {
        let supported = "the codes and scales of the embedding table, to which it is tied";
        return Err(BundleError::key(PLACE, HEAD, "other codes or scales", supported));
    }
    out.used.extend([HEAD.to_owned(), "lm_head.weight_scale".to_owned()]);
    Ok(())
}
