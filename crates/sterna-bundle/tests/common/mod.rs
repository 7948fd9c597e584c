//! Paths of the golden models, and checkpoints rewritten with changes.
#![allow(dead_code)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;
use sterna_bundle::{Model, TernaryPolicy, WeightSource};
use sterna_checkpoint::{Checkpoint, GgufArray, GgufMetadata, GgufValue, SafetensorsFile};
use sterna_format::{Encoding, decode_row};

pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

pub fn oracle(name: &str) -> PathBuf {
    repository().join("tests/data/oracle").join(name)
}

pub fn built_in() -> PathBuf {
    repository().join("models/llama-tern-30m/llama-tern-30m-TQ2_0.gguf")
}

/// A directory of this test's own, emptied.
pub fn scratch(test: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).unwrap();
    dir
}

/// A weight's values, rows in canonical order.
pub fn values(model: &Model, name: &str) -> Vec<f32> {
    let w = model.weight(name).unwrap_or_else(|| panic!("no {name}"));
    let mut out = vec![0.0; w.rows * w.cols];
    for (i, row) in out.chunks_mut(w.cols).enumerate() {
        decode_row(w.encoding, &w.row(i).unwrap(), row).unwrap();
    }
    out
}

pub fn names(model: &Model) -> Vec<String> {
    model.weights().map(|w| w.name.to_owned()).collect()
}

pub fn bits(values: &[f32]) -> Vec<u32> {
    // Ternary decoders give -0 where a float checkpoint has 0.
    values.iter().map(|v| (v + 0.0).to_bits()).collect()
}

/// Every weight has the same values in both, bit for bit.
pub fn same_values(a: &Model, b: &Model) {
    assert_eq!(names(a), names(b));
    for name in names(a) {
        assert!(bits(&values(a, &name)) == bits(&values(b, &name)), "{name} differs");
    }
}

pub fn pack_to(
    model: &Model,
    dest: &Path,
    ternary: TernaryPolicy,
    keep: &[&str],
) -> Result<sterna_bundle::PackReport, sterna_bundle::BundleError> {
    pack_tables(model, dest, ternary, keep, [None, None], false)
}

/// As [`pack_to`], with encodings for head and embedding.
pub fn pack_tables(
    model: &Model,
    dest: &Path,
    ternary: TernaryPolicy,
    keep: &[&str],
    [head, embedding]: [Option<Encoding>; 2],
    untie: bool,
) -> Result<sterna_bundle::PackReport, sterna_bundle::BundleError> {
    let mut last = (0, 0);
    let mut progress = |done, total| {
        assert!(done >= last.0 && done <= total);
        last = (done, total);
    };
    let keep = keep.iter().map(|k| (*k).to_owned()).collect();
    let report = sterna_bundle::pack(
        model,
        dest,
        sterna_bundle::PackOptions {
            ternary,
            keep,
            head,
            embedding,
            untie,
            drafter: None,
            progress: &mut progress,
        },
    )?;
    assert_eq!(last.0, last.1);
    Ok(report)
}

/// A tensor to write: dtype or GGML type by name, shape outermost first, bytes.
pub type Tensors = BTreeMap<String, (String, Vec<usize>, Vec<u8>)>;

/// A Hugging Face checkpoint in memory, to be changed and written.
pub struct Hf {
    pub config: Value,
    pub tensors: Tensors,
    tokenizer: PathBuf,
}

impl Hf {
    pub fn read(dir: &Path) -> Self {
        let config = serde_json::from_slice(&std::fs::read(dir.join("config.json")).unwrap()).unwrap();
        let file = SafetensorsFile::open(&dir.join("model.safetensors")).unwrap();
        let tensor = |n: &str| file.tensor(n).unwrap();
        let tensors = file
            .names()
            .map(|n| {
                (
                    n.to_owned(),
                    (tensor(n).dtype.to_owned(), tensor(n).shape.to_vec(), tensor(n).data.to_vec()),
                )
            })
            .collect();
        Self { config, tensors, tokenizer: dir.to_owned() }
    }

    pub fn write(&self, dir: &Path) {
        std::fs::create_dir_all(dir).unwrap();
        for name in ["tokenizer.json", "tokenizer_config.json", "generation_config.json"] {
            std::fs::copy(self.tokenizer.join(name), dir.join(name)).unwrap();
        }
        std::fs::write(dir.join("config.json"), self.config.to_string()).unwrap();
        std::fs::write(dir.join("model.safetensors"), safetensors(&self.tensors, None)).unwrap();
    }
}

pub fn safetensors(tensors: &Tensors, metadata: Option<Value>) -> Vec<u8> {
    let mut header = serde_json::Map::new();
    if let Some(metadata) = metadata {
        header.insert("__metadata__".into(), metadata);
    }
    let mut data = Vec::new();
    for (name, (dtype, shape, bytes)) in tensors {
        let start = data.len();
        data.extend_from_slice(bytes);
        header.insert(
            name.clone(),
            serde_json::json!({"dtype": dtype, "shape": shape, "data_offsets": [start, data.len()]}),
        );
    }
    let header = Value::Object(header).to_string();
    [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &data].concat()
}

/// A GGUF file in memory, to be changed and written.
pub struct Gguf {
    pub keys: Vec<(String, GgufValue)>,
    /// Keys with a list of whole numbers, after the others.
    pub lists: Vec<(String, Vec<i32>)>,
    metadata: GgufMetadata,
    /// Type id, shape outermost first, bytes.
    pub tensors: BTreeMap<String, (u32, Vec<usize>, Vec<u8>)>,
}

impl Gguf {
    pub fn read(path: &Path) -> Self {
        let c = Checkpoint::open(path).unwrap();
        let metadata = c.gguf().unwrap().clone();
        let keys = metadata.iter().map(|(k, v)| (k.to_owned(), v.clone())).collect();
        let tensors = c
            .tensors()
            .map(|t| (t.name.to_owned(), (t.encoding.ggml_id().unwrap(), t.shape.to_vec(), t.data.to_vec())))
            .collect();
        Self { keys, lists: Vec::new(), metadata, tensors }
    }

    pub fn set(&mut self, key: &str, value: GgufValue) {
        match self.keys.iter_mut().find(|k| k.0 == key) {
            Some(found) => found.1 = value,
            None => self.keys.push((key.to_owned(), value)),
        }
    }

    pub fn remove(&mut self, key: &str) {
        let before = self.keys.len() + self.lists.len();
        self.keys.retain(|k| k.0 != key);
        self.lists.retain(|k| k.0 != key);
        assert_eq!(self.keys.len() + self.lists.len() + 1, before, "{key}");
    }

    pub fn bytes(&self) -> Vec<u8> {
        let mut out = b"GGUF\x03\0\0\0".to_vec();
        let text = |out: &mut Vec<u8>, s: &str| {
            out.extend_from_slice(&(s.len() as u64).to_le_bytes());
            out.extend_from_slice(s.as_bytes());
        };
        out.extend_from_slice(&(self.tensors.len() as u64).to_le_bytes());
        out.extend_from_slice(&((self.keys.len() + self.lists.len()) as u64).to_le_bytes());
        for (key, value) in &self.keys {
            text(&mut out, key);
            let mut scalar = |kind: u32, bytes: &[u8]| {
                out.extend_from_slice(&kind.to_le_bytes());
                out.extend_from_slice(bytes);
            };
            match value {
                GgufValue::U32(v) => scalar(4, &v.to_le_bytes()),
                GgufValue::I32(v) => scalar(5, &v.to_le_bytes()),
                GgufValue::F32(v) => scalar(6, &v.to_le_bytes()),
                GgufValue::Bool(v) => scalar(7, &[u8::from(*v)]),
                GgufValue::String(s) => {
                    scalar(8, &[]);
                    text(&mut out, s);
                }
                GgufValue::Array(GgufArray::Strings(s)) => {
                    scalar(9, &8u32.to_le_bytes());
                    out.extend_from_slice(&(s.len() as u64).to_le_bytes());
                    s.iter().for_each(|s| text(&mut out, s));
                }
                GgufValue::Array(GgufArray::Bool(list)) => {
                    scalar(9, &7u32.to_le_bytes());
                    out.extend_from_slice(&(list.len() as u64).to_le_bytes());
                    out.extend(list.iter().map(|v| u8::from(*v)));
                }
                GgufValue::Array(GgufArray::F32(list)) => {
                    scalar(9, &6u32.to_le_bytes());
                    out.extend_from_slice(&(list.len() as u64).to_le_bytes());
                    list.iter().for_each(|v| out.extend_from_slice(&v.to_le_bytes()));
                }
                GgufValue::Array(GgufArray::Signed(_)) => {
                    scalar(9, &5u32.to_le_bytes());
                    let list = self.metadata.i64_array(key).unwrap();
                    out.extend_from_slice(&(list.len() as u64).to_le_bytes());
                    list.iter().for_each(|v| out.extend_from_slice(&(*v as i32).to_le_bytes()));
                }
                other => panic!("{key}: {}", other.type_name()),
            }
        }
        for (key, list) in &self.lists {
            text(&mut out, key);
            out.extend_from_slice(&[9u32.to_le_bytes(), 5u32.to_le_bytes()].concat());
            out.extend_from_slice(&(list.len() as u64).to_le_bytes());
            list.iter().for_each(|v| out.extend_from_slice(&v.to_le_bytes()));
        }
        let mut at = 0usize;
        for (name, (kind, shape, data)) in &self.tensors {
            text(&mut out, name);
            out.extend_from_slice(&(shape.len() as u32).to_le_bytes());
            shape.iter().rev().for_each(|d| out.extend_from_slice(&(*d as u64).to_le_bytes()));
            out.extend_from_slice(&kind.to_le_bytes());
            out.extend_from_slice(&(at as u64).to_le_bytes());
            at = (at + data.len()).next_multiple_of(32);
        }
        for (_, _, data) in self.tensors.values() {
            out.resize(out.len().next_multiple_of(32), 0);
            out.extend_from_slice(data);
        }
        out.resize(out.len().next_multiple_of(32), 0);
        out
    }

    pub fn open(&self) -> Result<Model, sterna_bundle::BundleError> {
        Model::from_gguf_bytes(self.bytes().into())
    }
}
