//! Reading a checkpoint into a configuration and canonical tensors. Vendor quirks end here.
//!
//! A file per family: [`llama`] (with Qwen3 as a variant), [`minicpm`], [`qwen35`], [`gemma4`] (GGUF's keys in
//! [`gemma4_gguf`]). To add a model, add its reader and one line to each of the two dispatchers below. [`eagle`] and
//! [`assistant`] read draft heads that come as models of their own.

pub mod assistant;
mod claims;
pub mod eagle;
mod fields;
mod gemma4;
mod gemma4_gguf;
mod gemma4_packed;
pub mod head_file;
mod llama;
mod minicpm;
mod qwen35;
mod rope;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};
use sterna_checkpoint::{Checkpoint, GgufArray, GgufMetadata, GgufValue};

pub(crate) use claims::{Convert, Located};
use claims::{Quirks, Spelling, TensorInfo, claim};
use fields::{Fields, Keys, brief};

use crate::check::check;
use crate::error::{BundleError, shorten};
use crate::wanted::{Place, Wanted};
use crate::{Arch, LinearNumerics, ModelConfig, RowOrder};

/// What a checkpoint says, in canonical terms.
#[derive(Clone, Debug)]
pub(crate) struct Reading {
    pub config: ModelConfig,
    /// The publisher's name of the model, if the file has one.
    pub name: Option<String>,
    pub tensors: BTreeMap<String, Located>,
    /// Weights that the file keeps in parts, put together, by the name of the tensor that they stand for.
    pub rows: BTreeMap<String, Vec<u8>>,
    /// How linears meet their activations, where the checkpoint says so.
    pub numerics: Vec<(String, LinearNumerics)>,
}

/// Rope factors that are read at most, before the width of a head is known.
const MOST_FACTORS: usize = 1 << 16;

/// What a reader of an architecture sees.
pub(crate) struct Origin<'a> {
    pub arch: Arch,
    pub spelling: Spelling,
    pub tensors: BTreeMap<String, TensorInfo>,
    checkpoint: &'a Checkpoint,
}

impl Origin<'_> {
    /// The tensor that holds a canonical part.
    pub(crate) fn has(&self, part: &str) -> bool {
        self.tensors.contains_key(&self.spelling.name(Place::Top, part))
    }

    /// Rows of a canonical matrix outside the layers.
    pub(crate) fn rows(&self, part: &str) -> Result<usize, BundleError> {
        let name = self.spelling.name(Place::Top, part);
        match self.tensors.get(&name).map(|t| t.shape.as_slice()) {
            Some([rows, _]) => Ok(*rows),
            Some(other) => {
                Err(BundleError::key("checkpoint", name, format!("of shape {other:?}"), "a matrix"))
            }
            None => Err(BundleError::MissingTensor { name, arch: self.arch.name() }),
        }
    }

    /// A float vector of the file, by the file's own name.
    pub(crate) fn vector(&self, name: &str) -> Result<Option<Vec<f64>>, BundleError> {
        let Some(view) = self.checkpoint.tensor(name) else { return Ok(None) };
        if !view.encoding.is_float() {
            return Err(BundleError::NotFloat { name: name.to_owned(), encoding: view.encoding });
        }
        if view.shape.len() != 1 || view.cols() > MOST_FACTORS {
            let found = format!("of shape {:?}", view.shape);
            return Err(BundleError::key("checkpoint", name, found, "a vector, one value per frequency"));
        }
        Ok(Some(view.to_f32()?.into_iter().map(f64::from).collect()))
    }
}

/// Reads `checkpoint`.
///
/// # Errors
/// An unknown architecture; a missing, impossible or unsupported value; a tensor missing, misshapen or left over.
pub(crate) fn read(checkpoint: &Checkpoint) -> Result<Reading, BundleError> {
    let tensors = checkpoint
        .tensors()
        .map(|t| (t.name.to_owned(), TensorInfo { encoding: t.encoding, shape: t.shape.to_vec() }))
        .collect();
    if let Some(metadata) = checkpoint.gguf() {
        return read_gguf(checkpoint, metadata, tensors);
    }
    match checkpoint.hf_config() {
        Some(Value::Object(config)) => read_hf(checkpoint, config, tensors),
        other => {
            let found = other.map_or_else(|| "absent".to_owned(), brief);
            Err(BundleError::key("config.json", "the document", found, "a map"))
        }
    }
}

fn read_hf(
    checkpoint: &Checkpoint,
    config: &Map<String, Value>,
    tensors: BTreeMap<String, TensorInfo>,
) -> Result<Reading, BundleError> {
    const KNOWN: [(&str, Arch); 7] = [
        ("LlamaForCausalLM", Arch::Llama),
        ("Qwen3ForCausalLM", Arch::Qwen3),
        ("MiniCPMForCausalLM", Arch::MiniCpm),
        ("Qwen3_5ForCausalLM", Arch::Qwen35),
        (qwen35::WITH_VISION, Arch::Qwen35),
        ("Gemma4ForCausalLM", Arch::Gemma4),
        (gemma4::WITH_SENSES, Arch::Gemma4),
    ];
    let f = Fields::new(config, "", "config.json");
    let listed = f.get("architectures");
    let found = match &listed {
        Some(Value::Array(list)) if list.len() == 1 => list.first().and_then(Value::as_str),
        _ => None,
    };
    let Some((_, arch)) = KNOWN.iter().find(|k| Some(k.0) == found) else {
        let found =
            listed.map_or_else(|| "no architectures in config.json".to_owned(), |v| shorten(&v.to_string()));
        return Err(BundleError::Architecture { found, supported: KNOWN.map(|k| k.0).join(", ") });
    };
    let quantised = "an unquantised (or pseudo-quantised) float checkpoint, or a GGUF file";
    for key in ["quantization_config", "compression_config"] {
        if let Some(value) = f.get(key) {
            let method = value.get("quant_method").and_then(Value::as_str);
            if *arch == Arch::Gemma4 && method == Some("gemma") {
                continue;
            }
            return Err(f.bad(
                key,
                method.map_or_else(|| brief(&value), |m| format!("of method {m:?}")),
                quantised,
            ));
        }
    }
    let inner = [Some(qwen35::WITH_VISION), Some(gemma4::WITH_SENSES)].contains(&found);
    let spelling = match (arch, inner) {
        (Arch::Gemma4, true) => Spelling::HuggingFaceGemma4Inner,
        (Arch::Gemma4, false) => Spelling::HuggingFaceGemma4,
        (_, true) => Spelling::HuggingFaceInner,
        (_, false) => Spelling::HuggingFace,
    };
    let mut origin = Origin { arch: *arch, spelling, tensors, checkpoint };
    let config = match arch {
        Arch::Llama | Arch::Qwen3 => llama::from_hf(&origin, &f)?,
        Arch::MiniCpm => minicpm::from_hf(&origin, &f)?,
        Arch::Qwen35 if inner => qwen35::from_hf_inner(&origin, &f)?,
        Arch::Qwen35 => qwen35::from_hf(&origin, &f)?,
        Arch::Gemma4 if inner => gemma4::from_hf_inner(&origin, &f)?,
        Arch::Gemma4 => gemma4::from_hf(&origin, &f)?,
    };
    let mut packed = gemma4_packed::Packed::default();
    if *arch == Arch::Gemma4 {
        check(&config, f.place)?;
        packed = gemma4_packed::read(&origin, &config)?;
        origin.tensors.append(&mut packed.infos);
        packed.used.append(&mut gemma4::unused(&origin, &config));
    }
    let mut reading = finish(&origin, config, None, &packed.used, f.place)?;
    drop_tied_copy(&f, &origin, &mut reading)?;
    Ok(Reading { rows: packed.rows, numerics: packed.numerics, ..reading })
}

/// A head stored although the configuration ties it: the same bytes are dropped, others are a contradiction.
fn drop_tied_copy(f: &Fields, origin: &Origin, reading: &mut Reading) -> Result<(), BundleError> {
    if reading.config.tied || f.flag("tie_word_embeddings")? != Some(true) {
        return Ok(());
    }
    let bytes = |part| {
        origin.checkpoint.tensor(&origin.spelling.name(Place::Top, part)).map(|t| (t.encoding, t.data))
    };
    if bytes("head") != bytes("embed") {
        let found = "true beside an lm_head.weight that differs from the embeddings";
        return Err(f.bad("tie_word_embeddings", found, "true without lm_head.weight, or false with it"));
    }
    reading.config.tied = true;
    reading.tensors.remove("head");
    Ok(())
}

fn read_gguf(
    checkpoint: &Checkpoint,
    metadata: &GgufMetadata,
    tensors: BTreeMap<String, TensorInfo>,
) -> Result<Reading, BundleError> {
    const KNOWN: [Arch; 5] = [Arch::Llama, Arch::Qwen3, Arch::MiniCpm, Arch::Qwen35, Arch::Gemma4];
    let g = Fields::new(metadata, "", "GGUF metadata");
    let found = g.text("general.architecture")?;
    let Some(arch) = KNOWN.into_iter().find(|a| Some(a.name()) == found.as_deref()) else {
        let found = found.map_or_else(|| "no general.architecture".to_owned(), |f| shorten(&f));
        return Err(BundleError::Architecture { found, supported: KNOWN.map(Arch::name).join(", ") });
    };
    let prefix = format!("{}.", arch.name());
    let f = Fields::new(metadata, &prefix, g.place);
    let spelling = match arch {
        Arch::Qwen35 => Spelling::GgufQwen35,
        Arch::Gemma4 => Spelling::GgufGemma4,
        _ => Spelling::Gguf,
    };
    let origin = Origin { arch, spelling, tensors, checkpoint };
    let config = match arch {
        Arch::Llama | Arch::Qwen3 => llama::from_gguf(&origin, &f)?,
        Arch::MiniCpm => minicpm::from_gguf(&origin, &f)?,
        Arch::Qwen35 => qwen35::from_gguf(&origin, &f)?,
        Arch::Gemma4 => gemma4_gguf::from_gguf(&origin, &f)?,
    };
    let mut used: BTreeSet<String> =
        rope::TENSORS.iter().filter(|n| origin.tensors.contains_key(**n)).map(|n| (*n).to_owned()).collect();
    if arch == Arch::Gemma4 {
        check(&config, f.place)?;
        used.append(&mut gemma4::unused(&origin, &config));
    }
    finish(&origin, config, g.text("general.name")?.filter(|n| !n.is_empty()), &used, f.place)
}

fn finish(
    origin: &Origin,
    config: ModelConfig,
    name: Option<String>,
    used: &BTreeSet<String>,
    place: &'static str,
) -> Result<Reading, BundleError> {
    check(&config, place)?;
    let permuted = origin.spelling == Spelling::Gguf && config.arch != Arch::Qwen3;
    let quirks = |w: &Wanted| {
        if config.arch == Arch::Qwen35 {
            return qwen35::quirks(&config, origin.spelling, w);
        }
        let order = match w.part {
            "q" | "k" if permuted => RowOrder::Interleaved { head_dim: config.head_dim },
            _ => RowOrder::Plain,
        };
        Quirks { order, convert: Convert::No }
    };
    let tensors = claim(&config, origin.spelling, &origin.tensors, used, &quirks)?;
    let (rows, numerics) = (BTreeMap::new(), Vec::new());
    Ok(Reading { config, name, tensors, rows, numerics })
}

/// Values of the tensors that are stored in another form than the canonical one, by their name in the file: f32,
/// little endian.
///
/// # Errors
/// Values that do not decode.
pub(crate) fn convert(
    checkpoint: &Checkpoint,
    tensors: &BTreeMap<String, Located>,
) -> Result<BTreeMap<String, Vec<u8>>, BundleError> {
    let mut converted = BTreeMap::new();
    for located in tensors.values().filter(|t| t.convert != Convert::No) {
        let Some(view) = checkpoint.tensor(&located.source) else { continue };
        let values = view.to_f32()?.into_iter().map(|x| located.convert.apply(x));
        converted.insert(located.source.clone(), values.flat_map(f32::to_le_bytes).collect());
    }
    Ok(converted)
}

/// A list that may have a value for each layer. Of longer ones (vocabularies), and of texts, no reader wants more than a
/// message.
fn per_layer(metadata: &GgufMetadata, key: &str, list: &GgufArray) -> Value {
    const MOST: usize = 1 << 12;
    let values: Option<Vec<Value>> = match list {
        _ if list.len() > MOST => None,
        GgufArray::Bool(v) => Some(v.iter().map(|b| Value::Bool(*b)).collect()),
        GgufArray::F32(v) => Some(v.iter().map(|x| Value::from(f64::from(*x))).collect()),
        GgufArray::Unsigned(_) | GgufArray::Signed(_) => {
            metadata.i64_array(key).ok().map(|v| v.into_iter().map(Value::from).collect())
        }
        _ => None,
    };
    values.map_or_else(|| Value::String(format!("a list of {}", list.len())), Value::Array)
}

impl Keys for GgufMetadata {
    fn get(&self, key: &str) -> Option<Value> {
        let value = GgufMetadata::get(self, key)?;
        let float = |v: f64| {
            serde_json::Number::from_f64(v).map_or_else(|| Value::String(format!("{v}")), Value::Number)
        };
        Some(match value {
            GgufValue::F32(v) => float(f64::from(*v)),
            GgufValue::F64(v) => float(*v),
            GgufValue::Bool(v) => Value::Bool(*v),
            GgufValue::String(v) => Value::String(v.clone()),
            GgufValue::Array(list) => per_layer(self, key, list),
            GgufValue::I8(v) => (*v).into(),
            GgufValue::I16(v) => (*v).into(),
            GgufValue::I32(v) => (*v).into(),
            GgufValue::I64(v) => (*v).into(),
            other => other.as_u64().map_or_else(|| Value::String(other.type_name().to_owned()), Value::from),
        })
    }
}
