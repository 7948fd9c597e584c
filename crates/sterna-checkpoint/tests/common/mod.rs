//! Shared by the tests: where the data is, and a GGUF writer that writes whatever it is told to.
#![allow(dead_code)]

use std::path::PathBuf;

/// A file of this crate's own test data.
pub fn data(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

/// A file or folder of the oracle models, shared by the workspace.
pub fn oracle(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/oracle").join(name)
}

/// The built-in model.
pub fn builtin() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../models/llama-tern-30m/llama-tern-30m-TQ2_0.gguf")
}

/// Bytes of a GGUF file, each part as given.
#[derive(Clone, Default)]
pub struct Gguf {
    pub keys: Vec<Vec<u8>>,
    pub tensors: Vec<Vec<u8>>,
    pub data: Vec<u8>,
    pub alignment: usize,
    pub version: u32,
}

pub fn string(text: &[u8]) -> Vec<u8> {
    let mut out = (text.len() as u64).to_le_bytes().to_vec();
    out.extend_from_slice(text);
    out
}

pub fn key(name: &str, kind: u32, value: &[u8]) -> Vec<u8> {
    let mut out = string(name.as_bytes());
    out.extend_from_slice(&kind.to_le_bytes());
    out.extend_from_slice(value);
    out
}

/// A tensor record; `dims` as in the file, innermost first.
pub fn record(name: &str, dims: &[u64], kind: u32, offset: u64) -> Vec<u8> {
    let mut out = string(name.as_bytes());
    out.extend_from_slice(&(dims.len() as u32).to_le_bytes());
    for dim in dims {
        out.extend_from_slice(&dim.to_le_bytes());
    }
    out.extend_from_slice(&kind.to_le_bytes());
    out.extend_from_slice(&offset.to_le_bytes());
    out
}

impl Gguf {
    pub fn new() -> Self {
        Self { alignment: 32, version: 3, ..Self::default() }
    }

    pub fn key(mut self, name: &str, kind: u32, value: &[u8]) -> Self {
        self.keys.push(key(name, kind, value));
        self
    }

    pub fn tensor(mut self, name: &str, dims: &[u64], kind: u32, offset: u64) -> Self {
        self.tensors.push(record(name, dims, kind, offset));
        self
    }

    pub fn data(mut self, len: usize) -> Self {
        self.data = (0..len).map(|i| (i * 7 % 251) as u8).collect();
        self
    }

    pub fn bytes(&self) -> Vec<u8> {
        let mut out = b"GGUF".to_vec();
        out.extend_from_slice(&self.version.to_le_bytes());
        out.extend_from_slice(&(self.tensors.len() as u64).to_le_bytes());
        out.extend_from_slice(&(self.keys.len() as u64).to_le_bytes());
        self.keys.iter().chain(&self.tensors).for_each(|part| out.extend_from_slice(part));
        out.resize(out.len().next_multiple_of(self.alignment), 0);
        out.extend_from_slice(&self.data);
        out
    }
}

/// Bytes of a safetensors file with this header.
pub fn safetensors(header: &str, data_len: usize) -> Vec<u8> {
    let mut out = (header.len() as u64).to_le_bytes().to_vec();
    out.extend_from_slice(header.as_bytes());
    out.extend((0..data_len).map(|i| (i * 7 % 251) as u8));
    out
}
