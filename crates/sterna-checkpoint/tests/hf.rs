//! Hugging Face folders: single and sharded, and what is wrong with them.
#![allow(clippy::unwrap_used)]

mod common;

use std::path::{Path, PathBuf};

use common::{builtin, oracle, safetensors};
use sterna_checkpoint::{Checkpoint, CheckpointError as E, SafetensorsFile, Source};

/// A fresh folder with a config, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("sterna-hf-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        let folder = Self(path);
        folder.write("config.json", br#"{"model_type": "llama"}"#);
        folder
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.0.join(name), bytes).unwrap();
    }

    fn open(&self) -> Result<Checkpoint, E> {
        Checkpoint::open(&self.0)
    }

    fn index(&self, map: &str) {
        self.write(
            "model.safetensors.index.json",
            format!(r#"{{"metadata":{{}},"weight_map":{map}}}"#).as_bytes(),
        );
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A file of f32 tensors with two values each.
fn shard(names: &[&str]) -> Vec<u8> {
    let parts: Vec<String> = names
        .iter()
        .enumerate()
        .map(|(i, name)| {
            format!(r#""{name}":{{"dtype":"F32","shape":[1,2],"data_offsets":[{},{}]}}"#, i * 8, i * 8 + 8)
        })
        .collect();
    safetensors(&format!("{{{}}}", parts.join(",")), names.len() * 8)
}

#[test]
fn oracle_folders_open() {
    for name in ["a_minicpm", "f_llama", "f_qwen3"] {
        let checkpoint = Checkpoint::open(&oracle(name)).unwrap();
        assert_eq!(checkpoint.source(), Source::HuggingFace);
        assert!(checkpoint.gguf().is_none());
        let config = checkpoint.hf_config().unwrap();
        let embedding = checkpoint.tensor("model.embed_tokens.weight").unwrap();
        assert_eq!(embedding.shape[0] as u64, config["vocab_size"].as_u64().unwrap());
        for tensor in checkpoint.tensors() {
            assert!(tensor.to_f32().unwrap().iter().all(|v| v.is_finite()), "{}", tensor.name);
            // Released pages come back with the same bytes.
            let before = tensor.data.to_vec();
            checkpoint.release(tensor.name);
            assert_eq!(before, tensor.data);
        }
        let file = Checkpoint::open(&oracle(name).join("model.safetensors")).unwrap();
        assert_eq!(file.len(), checkpoint.len());
    }
}

/// The twins hold the same model: tensors that are not quantised or permuted are equal.
#[test]
fn gguf_and_folder_agree() {
    let gguf = Checkpoint::open(&oracle("a_minicpm.tq2_0.gguf")).unwrap();
    let folder = Checkpoint::open(&oracle("a_minicpm")).unwrap();
    assert_eq!(gguf.source(), Source::Gguf);
    for (ours, theirs) in [
        ("output_norm.weight", "model.norm.weight"),
        ("blk.0.ffn_norm.weight", "model.layers.0.post_attention_layernorm.weight"),
    ] {
        let (a, b) = (gguf.tensor(ours).unwrap(), folder.tensor(theirs).unwrap());
        assert_eq!(a.shape, b.shape);
        assert_eq!(a.to_f32().unwrap(), b.to_f32().unwrap());
    }
    let (a, b) = (
        gguf.tensor("blk.0.ffn_down.weight").unwrap(),
        folder.tensor("model.layers.0.mlp.down_proj.weight").unwrap(),
    );
    assert_eq!(a.shape, b.shape);
    // Ternary: equal up to the rounding of the stored scales.
    let worst =
        a.to_f32().unwrap().iter().zip(b.to_f32().unwrap()).map(|(x, y)| (x - y).abs()).fold(0.0, f32::max);
    assert!(worst < 1e-3, "{worst}");
}

#[test]
fn mapped_and_embedded_bytes_agree() {
    let mapped = Checkpoint::open(&builtin()).unwrap();
    let embedded = Checkpoint::from_gguf_bytes(std::fs::read(builtin()).unwrap().into()).unwrap();
    assert_eq!(mapped.names().collect::<Vec<_>>(), embedded.names().collect::<Vec<_>>());
    for tensor in mapped.tensors() {
        let other = embedded.tensor(tensor.name).unwrap();
        assert_eq!((tensor.shape, tensor.encoding, tensor.data), (other.shape, other.encoding, other.data));
        mapped.release(tensor.name);
        embedded.release(tensor.name);
        assert_eq!(tensor.data, other.data);
    }
    fn shared<T: Send + Sync>(_: &T) {}
    shared(&mapped);
}

#[test]
fn shards() {
    let folder = Folder::new("shards");
    folder.write("one.safetensors", &shard(&["a", "b"]));
    folder.write("two.safetensors", &shard(&["c"]));
    folder.index(r#"{"a":"one.safetensors","b":"one.safetensors","c":"two.safetensors"}"#);
    let checkpoint = folder.open().unwrap();
    assert_eq!(checkpoint.names().collect::<Vec<_>>(), ["a", "b", "c"]);
    assert_eq!(checkpoint.tensor("c").unwrap().shape, [1, 2]);
    assert_ne!(checkpoint.tensor("a").unwrap().data, checkpoint.tensor("b").unwrap().data);

    folder.index(r#"{"a":"one.safetensors","d":"two.safetensors"}"#);
    assert!(matches!(folder.open().unwrap_err(), E::BadTensor { name, .. } if name == "d"));
    folder.index(r#"{"a":"one.safetensors","c":"three.safetensors"}"#);
    assert!(
        matches!(folder.open().unwrap_err(), E::MissingShard { path } if path.ends_with("three.safetensors"))
    );
    folder.write("two.safetensors", &shard(&["c", "a"]));
    folder.index(r#"{"a":"one.safetensors","c":"two.safetensors"}"#);
    assert!(matches!(folder.open().unwrap_err(), E::Duplicate { kind: "tensor", .. }));
    for escape in
        ["../x.safetensors", "/etc/passwd", "sub/x.safetensors", "..", "", "c:x", "a\\\\b", "x\\u0000"]
    {
        folder.index(&format!(r#"{{"a":"{escape}"}}"#));
        assert!(matches!(folder.open().unwrap_err(), E::PathEscapes { .. }), "{escape}");
    }
    folder.index("{}");
    assert!(matches!(folder.open().unwrap_err(), E::Malformed { .. }));
    folder.index("[]");
    assert!(matches!(folder.open().unwrap_err(), E::Json { .. }));
}

#[test]
fn dtypes_and_shapes() {
    let folder = Folder::new("dtypes");
    let one = |dtype: &str, shape: &str, len: usize| {
        safetensors(
            &format!(r#"{{"w":{{"dtype":"{dtype}","shape":{shape},"data_offsets":[0,{len}]}}}}"#),
            len,
        )
    };
    for (dtype, len) in [("F32", 16), ("F16", 8), ("BF16", 8)] {
        folder.write("model.safetensors", &one(dtype, "[2,2]", len));
        let checkpoint = folder.open().unwrap();
        assert_eq!(checkpoint.tensor("w").unwrap().encoding.name(), dtype.to_lowercase());
    }
    for (dtype, len) in [("U8", 4), ("I64", 32), ("F8_E4M3", 4), ("BOOL", 4)] {
        folder.write("model.safetensors", &one(dtype, "[2,2]", len));
        let text = folder.open().unwrap_err().to_string();
        assert!(text.contains("\"w\"") && text.contains(dtype), "{text}");
    }
    folder.write("model.safetensors", &one("F32", "[]", 4));
    assert_eq!(folder.open().unwrap().tensor("w").unwrap().shape, [1]);
    folder.write("model.safetensors", &one("F32", "[1,1,1,1,1,1,1,1,1]", 4));
    assert!(matches!(folder.open().unwrap_err(), E::BadTensor { .. }));
    folder.write("model.safetensors", &one("F32", "[2,0]", 0));
    assert!(matches!(folder.open().unwrap_err(), E::BadTensor { .. }));
}

#[test]
fn what_is_no_checkpoint_says_so() {
    let folder = Folder::new("none");
    let says = |error: E, word: &str| assert!(error.to_string().contains(word), "{error}");
    says(folder.open().unwrap_err(), "model.safetensors");
    says(folder.open().unwrap_err(), "give a .gguf file");
    folder.write("model.safetensors", &shard(&["a"]));
    let checkpoint = folder.open().unwrap();
    says(checkpoint.tokenizer().unwrap_err(), "tokenizer.json");
    folder.write("config.json", b"[1]");
    says(folder.open().unwrap_err(), "not a JSON object");
    folder.write("config.json", b"{");
    says(folder.open().unwrap_err(), "config.json");
    folder.write("config.json", format!("[{}1]", "1,".repeat(100_000)).as_bytes());
    assert!(matches!(folder.open().unwrap_err(), E::Limit { .. }));
    folder.write("config.json", &vec![b' '; 600 << 10]);
    assert!(matches!(folder.open().unwrap_err(), E::Limit { .. }));
    std::fs::remove_file(folder.0.join("config.json")).unwrap();
    says(folder.open().unwrap_err(), "config.json");
    folder.write("model.bin", b"PK\x03\x04");
    says(Checkpoint::open(&folder.0.join("model.bin")).unwrap_err(), "GGUF");
    folder.write("empty.gguf", b"");
    assert!(Checkpoint::open(&folder.0.join("empty.gguf")).is_err());
    assert!(matches!(Checkpoint::open(Path::new("/nonexistent/x")), Err(E::Io { .. })));
    // The magic counts, not the name.
    folder.write("renamed.bin", &std::fs::read(oracle("a_minicpm.tq2_0.gguf")).unwrap());
    assert!(Checkpoint::open(&folder.0.join("renamed.bin")).is_ok());
    let file = SafetensorsFile::open(&folder.0.join("model.safetensors")).unwrap();
    assert_eq!(file.tensor("a").unwrap().dtype, "F32");
}
