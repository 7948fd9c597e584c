//! Writes a synthetic model as a GGUF file (version 3), front to back, without holding it in memory.

use std::io::Write;

use sterna_bundle::ModelConfig;
use sterna_probe::synthetic::Random;

use crate::error::PeersError;
use crate::fill::fill;
use crate::shape::{Shape, Tensor};

const ALIGNMENT: u64 = 32;
/// Bytes of weights made at a time, about.
const CHUNK: usize = 1 << 20;

// Type numbers of metadata values.
const U32: u32 = 4;
const I32: u32 = 5;
const F32: u32 = 6;
const BOOL: u32 = 7;
const TEXT: u32 = 8;
const LIST: u32 = 9;

/// Metadata, encoded as it is added.
#[derive(Default)]
struct Keys {
    bytes: Vec<u8>,
    count: u64,
}

fn push_text(out: &mut Vec<u8>, text: &str) {
    out.extend((text.len() as u64).to_le_bytes());
    out.extend(text.as_bytes());
}

impl Keys {
    fn key(&mut self, key: &str, kind: u32) -> &mut Vec<u8> {
        self.count += 1;
        push_text(&mut self.bytes, key);
        self.bytes.extend(kind.to_le_bytes());
        &mut self.bytes
    }
    fn whole(&mut self, key: &str, value: usize) {
        self.key(key, U32).extend((value as u32).to_le_bytes());
    }
    fn float(&mut self, key: &str, value: f32) {
        self.key(key, F32).extend(value.to_le_bytes());
    }
    fn flag(&mut self, key: &str, value: bool) {
        self.key(key, BOOL).push(u8::from(value));
    }
    fn text(&mut self, key: &str, value: &str) {
        push_text(self.key(key, TEXT), value);
    }
    fn wholes(&mut self, key: &str, values: impl ExactSizeIterator<Item = usize>) {
        let out = self.list(key, I32, values.len());
        out.extend(values.flat_map(|v| (v as i32).to_le_bytes()));
    }
    fn flags(&mut self, key: &str, values: impl ExactSizeIterator<Item = bool>) {
        let out = self.list(key, BOOL, values.len());
        out.extend(values.map(u8::from));
    }
    fn list(&mut self, key: &str, kind: u32, len: usize) -> &mut Vec<u8> {
        let out = self.key(key, LIST);
        out.extend(kind.to_le_bytes());
        out.extend((len as u64).to_le_bytes());
        out
    }
}

/// Text and kind of a token: three special ones, the bytes, a space, made-up words. Every reader of the SentencePiece
/// kind takes such a vocabulary.
fn token(id: usize) -> (String, i32) {
    const NORMAL: i32 = 1;
    const UNKNOWN: i32 = 2;
    const CONTROL: i32 = 3;
    const BYTE: i32 = 6;
    match id {
        0 => ("<unk>".to_owned(), UNKNOWN),
        1 => ("<s>".to_owned(), CONTROL),
        2 => ("</s>".to_owned(), CONTROL),
        3..259 => (format!("<0x{:02X}>", id - 3), BYTE),
        259 => ("\u{2581}".to_owned(), NORMAL),
        _ => (format!("\u{2581}word{}", id - 260), NORMAL),
    }
}

fn tokenizer(keys: &mut Keys, vocab: usize) {
    keys.text("tokenizer.ggml.model", "llama");
    let tokens = keys.list("tokenizer.ggml.tokens", TEXT, vocab);
    (0..vocab).for_each(|id| push_text(tokens, &token(id).0));
    let scores = keys.list("tokenizer.ggml.scores", F32, vocab);
    scores.extend((0..vocab).flat_map(|id| (-(id as f32)).to_le_bytes()));
    let kinds = keys.list("tokenizer.ggml.token_type", I32, vocab);
    kinds.extend((0..vocab).flat_map(|id| token(id).1.to_le_bytes()));
    keys.whole("tokenizer.ggml.unknown_token_id", 0);
    keys.whole("tokenizer.ggml.bos_token_id", 1);
    keys.whole("tokenizer.ggml.eos_token_id", 2);
    keys.flag("tokenizer.ggml.add_bos_token", true);
}

fn metadata(shape: &Shape) -> Keys {
    let mut keys = Keys::default();
    let arch = if shape.gemma4.is_some() { "gemma4" } else { "llama" };
    keys.text("general.architecture", arch);
    keys.text("general.name", &format!("synthetic {}", shape.title()));
    keys.whole("general.alignment", ALIGNMENT as usize);
    match &shape.gemma4 {
        Some(config) => gemma4(&mut keys, config),
        None => llama(&mut keys, shape),
    }
    tokenizer(&mut keys, shape.vocab);
    keys
}

fn llama(keys: &mut Keys, shape: &Shape) {
    keys.whole("llama.block_count", shape.layers);
    keys.whole("llama.context_length", 4096);
    keys.whole("llama.embedding_length", shape.hidden);
    keys.whole("llama.feed_forward_length", shape.ffn);
    keys.whole("llama.attention.head_count", shape.heads);
    keys.whole("llama.attention.head_count_kv", shape.kv_heads);
    keys.whole("llama.attention.key_length", shape.head_dim);
    keys.whole("llama.attention.value_length", shape.head_dim);
    keys.float("llama.attention.layer_norm_rms_epsilon", 1e-5);
    keys.whole("llama.rope.dimension_count", shape.head_dim);
    keys.float("llama.rope.freq_base", 10_000.0);
    keys.whole("llama.vocab_size", shape.vocab);
}

fn gemma4(keys: &mut Keys, c: &ModelConfig) {
    let Some(g) = &c.gemma4 else { return };
    let mut whole = |key: &str, value| keys.whole(&format!("gemma4.{key}"), value);
    whole("block_count", c.layers);
    whole("context_length", c.context);
    whole("embedding_length", c.hidden);
    whole("embedding_length_per_layer_input", g.ple);
    whole("vocab_size", c.vocab);
    whole("attention.head_count", c.heads);
    whole("attention.head_count_kv", c.kv_heads);
    for (kind, dim) in [("", g.full_head_dim), ("_swa", c.head_dim)] {
        for key in ["attention.key_length", "attention.value_length", "rope.dimension_count"] {
            whole(&format!("{key}{kind}"), dim);
        }
    }
    whole("attention.sliding_window", g.window);
    whole("attention.shared_kv_layers", g.shared_layers);
    keys.wholes("gemma4.feed_forward_length", (0..c.layers).map(|l| c.ffn_of(l)));
    keys.flags("gemma4.attention.sliding_window_pattern", g.full.iter().map(|full| !full));
    keys.float("gemma4.attention.layer_norm_rms_epsilon", c.norm_eps);
    keys.float("gemma4.rope.freq_base", g.full_rope.theta as f32);
    keys.float("gemma4.rope.freq_base_swa", c.rope.theta as f32);
    keys.float("gemma4.final_logit_softcapping", g.softcap.unwrap_or(0.0));
}

/// Everything before the weights, padded.
fn header(shape: &Shape, tensors: &[Tensor]) -> Result<Vec<u8>, PeersError> {
    let keys = metadata(shape);
    let mut out = b"GGUF".to_vec();
    out.extend(3u32.to_le_bytes());
    out.extend((tensors.len() as u64).to_le_bytes());
    out.extend(keys.count.to_le_bytes());
    out.extend(keys.bytes);
    let mut offset = 0u64;
    for t in tensors {
        let id = t.encoding.ggml_id().ok_or_else(|| PeersError::Format {
            format: t.encoding.name().to_owned(),
            known: "an encoding that GGUF has".to_owned(),
        })?;
        push_text(&mut out, &t.name);
        // Innermost first.
        let dims: Vec<u64> = [Some(t.cols), t.rows].into_iter().flatten().map(|d| d as u64).collect();
        out.extend((dims.len() as u32).to_le_bytes());
        out.extend(dims.into_iter().flat_map(u64::to_le_bytes));
        out.extend(id.to_le_bytes());
        out.extend(offset.to_le_bytes());
        offset = (offset + t.bytes()?.1).next_multiple_of(ALIGNMENT);
    }
    out.resize(out.len().next_multiple_of(ALIGNMENT as usize), 0);
    Ok(out)
}

/// Bytes of the weights, without padding.
pub fn weight_bytes(shape: &Shape) -> Result<u64, PeersError> {
    shape.tensors().iter().map(|t| Ok(t.bytes()?.1)).sum()
}

/// Divisors of rotary frequencies: 1 for pairs that turn, 1e30 for the others.
fn divisors(turning: usize, out: &mut [u8]) {
    for (i, value) in out.chunks_exact_mut(4).enumerate() {
        value.copy_from_slice(&if i < turning { 1f32 } else { 1e30 }.to_le_bytes());
    }
}

/// Writes the model; `progress` hears the bytes of weights written so far. The same shape always gives the same bytes.
pub fn write(shape: &Shape, out: &mut dyn Write, progress: &mut dyn FnMut(u64)) -> Result<(), PeersError> {
    let tensors = shape.tensors();
    let failed = || PeersError::io("writing the synthetic model");
    out.write_all(&header(shape, &tensors)?).map_err(failed())?;
    let mut random = Random(shape.seed);
    let mut done = 0;
    let mut buffer = Vec::new();
    for t in &tensors {
        let (row, all) = t.bytes()?;
        let rows = t.rows.unwrap_or(1);
        let at_once = (CHUNK / row).clamp(1, rows);
        for first in (0..rows).step_by(at_once) {
            let bytes = row * at_once.min(rows - first);
            buffer.resize(bytes, 0);
            match t.turning {
                Some(turning) => divisors(turning, &mut buffer),
                None => fill(t.encoding, t.cols, &mut random, &mut buffer),
            }
            out.write_all(&buffer).map_err(failed())?;
            done += bytes as u64;
            progress(done);
        }
        let padding = (all.next_multiple_of(ALIGNMENT) - all) as usize;
        out.write_all(&[0; ALIGNMENT as usize][..padding]).map_err(failed())?;
    }
    Ok(())
}

/// A tiny shape for tests: quick to write, every kind of tensor.
#[cfg(test)]
pub(crate) fn tiny(linear: sterna_format::Encoding) -> Shape {
    let shape = Shape::new("bitcpm-8b", linear, Some(2), 7).expect("a known shape");
    Shape { hidden: 256, ffn: 512, heads: 2, kv_heads: 1, vocab: 320, ..shape }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::FORMATS;
    use sterna_checkpoint::Checkpoint;
    use sterna_format::Encoding;

    fn bytes(shape: &Shape) -> Vec<u8> {
        let mut out = Vec::new();
        let mut last = 0;
        write(shape, &mut out, &mut |n| last = n).unwrap();
        assert_eq!(last, weight_bytes(shape).unwrap());
        out
    }

    #[test]
    fn files_are_read_back_by_the_checkpoint_reader() {
        for encoding in FORMATS {
            for tied in [false, true] {
                let shape = Shape { tied, ..tiny(*encoding) };
                let file = Checkpoint::from_gguf_bytes(bytes(&shape).into()).unwrap();
                let tensors = shape.tensors();
                assert_eq!(file.len(), tensors.len());
                for t in tensors {
                    let view = file.tensor(&t.name).unwrap();
                    assert_eq!(view.encoding, t.encoding, "{}", t.name);
                    assert_eq!((view.cols(), view.rows()), (t.cols, t.rows.unwrap_or(1)), "{}", t.name);
                    assert!(view.to_f32().unwrap().iter().all(|v| v.is_finite()), "{}", t.name);
                }
                let tokenizer = file.tokenizer().unwrap();
                assert_eq!(tokenizer.vocab_size(), shape.vocab);
                assert_eq!(tokenizer.decode(&tokenizer.encode("a b", false).unwrap(), true).unwrap(), "a b");
            }
        }
    }

    #[test]
    fn sterna_runs_them() {
        use sterna::engine::{Engine, EngineOptions};
        let model = sterna_bundle::Model::from_gguf_bytes(bytes(&tiny(Encoding::TQ2_0)).into()).unwrap();
        let engine = Engine::new(model, &EngineOptions { threads: 1, ..EngineOptions::default() }).unwrap();
        let mut session = engine.session(&mut |_, _| {}).unwrap();
        session.ask(&[5, 6, 7], sterna_plan::Wanted::Logits, &mut |_| {}).unwrap();
        let logits = session.outputs().logits_of(2).unwrap();
        assert!(logits.len() == 320 && logits.iter().all(|l| l.is_finite()));
    }

    /// A Gemma 4 of ten layers, narrow, with all that the published one has.
    fn tiny_gemma(linear: Encoding) -> Shape {
        let mut shape = Shape::new("gemma4-e2b", linear, Some(10), 7).unwrap().with_vocab(Some(320)).unwrap();
        let c = shape.gemma4.as_mut().unwrap();
        (c.hidden, c.ffn, c.embedding_scale) = (256, 256, 16.0);
        c.gemma4.as_mut().unwrap().shared_ffn = 512;
        shape
    }

    #[test]
    fn gemma_is_read_back_as_it_was_meant() {
        for linear in [Encoding::Q4_0, Encoding::Q4K, Encoding::Q8_0] {
            let shape = tiny_gemma(linear);
            let model = sterna_bundle::Model::from_gguf_bytes(bytes(&shape).into()).unwrap();
            assert_eq!(Some(&model.config), shape.gemma4.as_ref(), "{linear}");
        }
    }

    #[test]
    fn sterna_runs_gemma() {
        use sterna::engine::{Engine, EngineOptions};
        for linear in [Encoding::Q4_0, Encoding::Q4K] {
            let model = sterna_bundle::Model::from_gguf_bytes(bytes(&tiny_gemma(linear)).into()).unwrap();
            let options = EngineOptions { threads: 1, context: Some(64), ..EngineOptions::default() };
            let engine = Engine::new(model, &options).unwrap();
            let mut session = engine.session(&mut |_, _| {}).unwrap();
            session.ask(&[5, 6, 7], sterna_plan::Wanted::Logits, &mut |_| {}).unwrap();
            let logits = session.outputs().logits_of(2).unwrap();
            assert!(logits.len() == 320 && logits.iter().all(|l| l.abs() <= 30.0), "{linear}");
            assert!(logits.iter().any(|l| *l != logits[0]), "{linear}");
        }
    }

    #[test]
    fn a_seed_always_gives_the_same_bytes() {
        let shape = tiny(Encoding::TQ1_0);
        assert!(bytes(&shape) == bytes(&shape));
        assert!(bytes(&shape) != bytes(&Shape { seed: 8, ..shape.clone() }));
    }
}
