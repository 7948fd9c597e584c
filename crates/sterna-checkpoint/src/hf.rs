//! Hugging Face checkpoints: config.json, one or several safetensors files, tokenizer files.

use std::path::{Path, PathBuf};

use safetensors::Dtype;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use sterna_format::Encoding;

use crate::checkpoint::{Entry, RawEntry, Shape};
use crate::error::shorten;
use crate::gguf::byte_len;
use crate::mapping::{Backing, read_small};
use crate::safetensors::{Info, SafetensorsFile};
use crate::tokenizer::Tokenizer;
use crate::{CheckpointError, limits};

/// A checkpoint's files, opened.
pub(crate) struct Opened {
    pub backings: Vec<Backing>,
    pub entries: Vec<Entry>,
    pub raw: Vec<RawEntry>,
    pub files: HfFiles,
}

/// What is beside the weights.
pub(crate) struct HfFiles {
    pub dir: PathBuf,
    pub config: Value,
}

impl HfFiles {
    pub(crate) fn tokenizer(&self) -> Result<Tokenizer, CheckpointError> {
        crate::tokenizer::from_directory(&self.dir, &self.config)
    }
}

/// Opens a model directory.
pub(crate) fn open_dir(dir: &Path) -> Result<Opened, CheckpointError> {
    let config = read_config(dir)?;
    let single = dir.join("model.safetensors");
    let shards = if single.is_file() {
        vec![Shard { path: single, names: Vec::new() }]
    } else {
        let path = dir.join("model.safetensors.index.json");
        match read_small(&path, limits::INDEX_JSON)? {
            Some(bytes) => shards(dir, &bytes)?,
            None => {
                return Err(CheckpointError::Unrecognised {
                    path: dir.to_owned(),
                    reason: "it has neither model.safetensors nor model.safetensors.index.json".to_owned(),
                });
            }
        }
    };
    open(shards, dir, config)
}

/// Opens one `.safetensors` file beside its config.json.
pub(crate) fn open_file(path: &Path) -> Result<Opened, CheckpointError> {
    let dir = beside(path);
    let config = read_config(dir)?;
    open(vec![Shard { path: path.to_owned(), names: Vec::new() }], dir, config)
}

/// Opens config.json and the one safetensors file of a Hugging Face directory (or that file, beside its config.json)
/// without asking what its tensors are: for draft heads, whose maps between vocabularies are whole numbers.
///
/// # Errors
/// As [`crate::Checkpoint::open`]; a directory without `model.safetensors`.
pub fn open_raw(path: &Path) -> Result<(Value, SafetensorsFile), CheckpointError> {
    let (dir, file) =
        if path.is_dir() { (path, path.join("model.safetensors")) } else { (beside(path), path.to_owned()) };
    let config = read_config(dir)?;
    if !file.is_file() {
        let reason = "it has no model.safetensors (convert a pytorch_model.bin first)".to_owned();
        return Err(CheckpointError::Unrecognised { path: path.to_owned(), reason });
    }
    Ok((config, SafetensorsFile::open(&file)?))
}

/// The config.json of a Hugging Face directory, or the one beside a file.
///
/// # Errors
/// As [`crate::Checkpoint::open`]; a directory without one.
pub fn open_config(path: &Path) -> Result<Value, CheckpointError> {
    read_config(if path.is_dir() { path } else { beside(path) })
}

/// The directory of a file.
fn beside(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

fn read_config(dir: &Path) -> Result<Value, CheckpointError> {
    read_json(&dir.join("config.json"))?.ok_or_else(|| CheckpointError::Unrecognised {
        path: dir.to_owned(),
        reason: "there is no config.json".to_owned(),
    })
}

/// A small JSON file as a value, `None` when it does not exist.
pub(crate) fn read_json(path: &Path) -> Result<Option<Value>, CheckpointError> {
    let Some(bytes) = read_small(path, limits::CONFIG_JSON)? else { return Ok(None) };
    let commas = bytes.iter().filter(|b| **b == b',').count();
    limits::at_most(format!("the number of commas in {}", path.display()), commas, limits::CONFIG_COMMAS)?;
    let value: Value = serde_json::from_slice(&bytes)
        .map_err(|source| CheckpointError::Json { what: path.display().to_string(), source })?;
    if !value.is_object() {
        return Err(CheckpointError::malformed(path.display().to_string(), "it is not a JSON object"));
    }
    Ok(Some(value))
}

/// A safetensors file and the tensors that the index says are in it.
struct Shard {
    path: PathBuf,
    names: Vec<String>,
}

/// The shards that an index names, by file name.
fn shards(dir: &Path, index: &[u8]) -> Result<Vec<Shard>, CheckpointError> {
    #[derive(serde::Deserialize)]
    struct Index {
        weight_map: WeightMap,
    }
    let what = "model.safetensors.index.json";
    let index: Index = serde_json::from_slice(index)
        .map_err(|source| CheckpointError::Json { what: what.to_owned(), source })?;
    if index.weight_map.0.is_empty() {
        return Err(CheckpointError::malformed(what, "its weight_map is empty: download the whole model"));
    }
    let mut files = index.weight_map.0;
    files.sort_by(|a, b| a.0.cmp(&b.0));
    limits::at_most("the number of shards", files.len(), limits::SHARDS)?;
    let mut out = Vec::with_capacity(files.len());
    for (file, names) in files {
        if !is_plain_name(&file) {
            return Err(CheckpointError::PathEscapes { name: shorten(&file) });
        }
        let path = dir.join(&file);
        if !path.is_file() {
            return Err(CheckpointError::MissingShard { path });
        }
        out.push(Shard { path, names });
    }
    Ok(out)
}

/// Whether `name` can only be a file directly in the directory it is joined to, on every system.
fn is_plain_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 255
        && name != "."
        && name != ".."
        && !name.contains(['/', '\\', ':', '\0'])
}

/// `weight_map`, grouped by file, with bounded counts.
struct WeightMap(Vec<(String, Vec<String>)>);

impl<'de> Deserialize<'de> for WeightMap {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pairs;
        impl<'de> Visitor<'de> for Pairs {
            type Value = WeightMap;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object from tensor names to file names")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<WeightMap, A::Error> {
                use serde::de::Error as _;
                let mut files: std::collections::BTreeMap<String, Vec<String>> = Default::default();
                let mut count = 0;
                while let Some((name, file)) = map.next_entry::<String, String>()? {
                    limits::step();
                    count += 1;
                    if count > limits::TENSORS || files.len() > limits::SHARDS {
                        return Err(A::Error::custom("more tensors or shards than any model has"));
                    }
                    files.entry(file).or_default().push(name);
                }
                Ok(WeightMap(files.into_iter().collect()))
            }
        }
        deserializer.deserialize_map(Pairs)
    }
}

fn open(shards: Vec<Shard>, dir: &Path, config: Value) -> Result<Opened, CheckpointError> {
    let mut backings = Vec::with_capacity(shards.len());
    let (mut entries, mut raw) = (Vec::new(), Vec::new());
    let packed = holds_packed_codes(&config);
    for (at, shard) in shards.into_iter().enumerate() {
        let file = SafetensorsFile::open(&shard.path)?;
        if let Some(name) = shard.names.iter().find(|name| file.tensor(name).is_none()) {
            let reason = format!(
                "the shard index places it in {}, where it is not: download the model again",
                shard.path.display()
            );
            return Err(CheckpointError::tensor(name, reason));
        }
        let (backing, infos) = file.into_parts();
        limits::at_most("the number of tensors", entries.len() + raw.len() + infos.len(), limits::TENSORS)?;
        for info in infos {
            if packed && matches!(info.dtype, Dtype::U8 | Dtype::I8) {
                raw.push(raw_entry(info, at as u32)?);
            } else {
                entries.push(entry(info, at as u32)?);
            }
        }
        backings.push(backing);
    }
    Ok(Opened { backings, entries, raw, files: HfFiles { dir: dir.to_owned(), config } })
}

/// Whether bytes in the files are codes of weights: Gemma's own quantised form, of which only its reader knows how many
/// bits a code has.
fn holds_packed_codes(config: &Value) -> bool {
    config.get("quantization_config").and_then(|q| q.get("quant_method")).and_then(Value::as_str)
        == Some("gemma")
}

fn raw_entry(info: Info, backing: u32) -> Result<RawEntry, CheckpointError> {
    limits::at_most("the length of a tensor's name", info.name.len(), limits::NAME)?;
    let shape = Shape::new(&info.shape).map_err(|reason| CheckpointError::tensor(&info.name, reason))?;
    if shape.rows().checked_mul(shape.cols()) != Some(info.range.len()) {
        let reason = format!("its shape and the {} bytes that the header gives it differ", info.range.len());
        return Err(CheckpointError::tensor(&info.name, reason));
    }
    let signed = info.dtype == Dtype::I8;
    Ok(RawEntry { name: info.name, signed, shape, backing, range: info.range })
}

fn entry(info: Info, backing: u32) -> Result<Entry, CheckpointError> {
    limits::at_most("the length of a tensor's name", info.name.len(), limits::NAME)?;
    let encoding = match info.dtype {
        Dtype::F32 => Encoding::F32,
        Dtype::F16 => Encoding::F16,
        Dtype::BF16 => Encoding::BF16,
        _ => {
            return Err(CheckpointError::Dtype { name: shorten(&info.name), dtype: info.dtype_name.into() });
        }
    };
    // A scalar is a vector of one.
    let dims: &[usize] = if info.shape.is_empty() { &[1] } else { &info.shape };
    let shape = Shape::new(dims).map_err(|reason| CheckpointError::tensor(&info.name, reason))?;
    let needed = byte_len(encoding, &shape, &info.name)?;
    if needed != info.range.len() {
        let reason = format!("its shape needs {needed} bytes and the header gives it {}", info.range.len());
        return Err(CheckpointError::tensor(&info.name, reason));
    }
    Ok(Entry { name: info.name, encoding, shape, backing, range: info.range })
}
