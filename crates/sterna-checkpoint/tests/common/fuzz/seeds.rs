//! What the mutations start from.

use serde_json::{Value, json};
use sterna_checkpoint::Checkpoint;

use crate::common::{Gguf, data, string};

/// An input as parts: mutations move whole parts as well as bytes.
#[derive(Clone)]
pub enum Seed {
    Gguf(Gguf),
    /// Header and number of data bytes.
    Safetensors(Value, usize),
    Tokenizer(Value),
}

pub fn strings(list: &[&str]) -> Vec<u8> {
    let mut out = 8u32.to_le_bytes().to_vec();
    out.extend_from_slice(&(list.len() as u64).to_le_bytes());
    list.iter().for_each(|s| out.extend_from_slice(&string(s.as_bytes())));
    out
}

pub fn numbers(kind: u32, list: &[u32]) -> Vec<u8> {
    let mut out = kind.to_le_bytes().to_vec();
    out.extend_from_slice(&(list.len() as u64).to_le_bytes());
    list.iter().for_each(|n| out.extend_from_slice(&n.to_le_bytes()));
    out
}

/// A vocabulary in which the tokenizer builders have something to do.
pub fn gguf_seed(model: &str, pre: &str, merges: bool) -> Gguf {
    let spm = model != "gpt2";
    let space = if spm { "▁" } else { "Ġ" };
    let mut tokens: Vec<String> =
        ["<unk>", "<s>", "</s>", "<|im_start|>", "<|im_end|>", "<think>"].map(String::from).into();
    let mut types = vec![2u32, 3, 3, 3, 3, 4];
    if spm {
        tokens.extend((0..=255u8).map(|b| format!("<0x{b:02X}>")));
        types.resize(tokens.len(), 6);
    }
    let pieces = ["h", "e", "l", "o", "w", "r", "d", "1", "2", "Ċ", space, "he", "ll", "hell", "hello"];
    tokens.extend(pieces.map(String::from));
    tokens.push(format!("{space}w"));
    types.resize(tokens.len(), 1);
    let tokens: Vec<&str> = tokens.iter().map(String::as_str).collect();
    let scores: Vec<u32> = (0..tokens.len()).map(|i| (-(i as f32)).to_bits()).collect();
    let file = Gguf::new()
        .key("general.architecture", 8, &string(b"qwen3"))
        .key("general.alignment", 4, &32u32.to_le_bytes())
        .key("tokenizer.ggml.model", 8, &string(model.as_bytes()))
        .key("tokenizer.ggml.pre", 8, &string(pre.as_bytes()))
        .key("tokenizer.ggml.tokens", 9, &strings(&tokens))
        .key("tokenizer.ggml.token_type", 9, &numbers(5, &types))
        .key("tokenizer.ggml.scores", 9, &numbers(6, &scores))
        .key("tokenizer.ggml.bos_token_id", 4, &1u32.to_le_bytes())
        .key("tokenizer.ggml.eos_token_id", 4, &2u32.to_le_bytes())
        .key("tokenizer.ggml.add_bos_token", 7, &[1])
        .key("tokenizer.ggml.add_space_prefix", 7, &[u8::from(spm)])
        .key("tokenizer.chat_template", 8, &string(b"{{ messages }}"));
    let file = if merges {
        let w = format!("{space} w");
        file.key("tokenizer.ggml.merges", 9, &strings(&["h e", "l l", "he ll", "hell o", &w]))
    } else {
        file
    };
    file.tensor("f32", &[8, 3], 0, 0)
        .tensor("q8", &[32, 2], 8, 96)
        .tensor("tq2", &[256, 2], 35, 192)
        .tensor("tq1", &[256], 34, 352)
        .tensor("q4k", &[256], 12, 416)
        .tensor("f16", &[5], 1, 576)
        .data(586)
}

/// How many of the seeds, from the first, are GGUF files.
pub const GGUF_SEEDS: usize = 13;

/// Every kind of value, and tensors of several encodings and numbers of dimensions.
fn metadata_seed(variant: usize) -> Gguf {
    let mut file = Gguf::new().key("general.architecture", 8, &string(b"llama"));
    for kind in [0u32, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12] {
        file = file.key(
            &format!("k{kind}"),
            kind,
            &[1, 0, 0, 0, 0, 0, 0, 0][..[1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8][kind as usize]],
        );
    }
    file = file.key("ints", 9, &numbers(5, &[1, 2, 3])).key("floats", 9, &numbers(6, &[1, 2])).key(
        "strings",
        9,
        &strings(&["", "a", "é"]),
    );
    if variant.is_multiple_of(2) {
        file = file.key("general.alignment", 4, &64u32.to_le_bytes());
        file.alignment = 64;
    }
    file.tensor("a", &[8, 2, 2], 0, 0)
        .tensor("b", &[256, 2], 35, 128)
        .tensor("c", &[256], [34, 12, 13, 14][variant % 4], 320)
        .tensor("d", &[5], 30, 576)
        .data(586)
}

pub fn seeds() -> Vec<Seed> {
    // The first GGUF seeds have no tokenizer: they are read fastest, so most draws go to the parser itself.
    let mut out: Vec<Seed> = (0..GGUF_SEEDS - 5).map(|i| Seed::Gguf(metadata_seed(i))).collect();
    out.extend([
        Seed::Gguf(gguf_seed("gpt2", "qwen2", true)),
        Seed::Gguf(gguf_seed("gpt2", "smollm", true)),
        Seed::Gguf(gguf_seed("llama", "default", true)),
        Seed::Gguf(gguf_seed("llama", "default", false)),
        Seed::Gguf(gguf_seed("gemma4", "default", true)),
    ]);
    for header in [
        json!({"__metadata__": {"format": "pt"}, "a": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]},
               "b": {"dtype": "BF16", "shape": [4], "data_offsets": [24, 32]}}),
        json!({"w": {"dtype": "U8", "shape": [2, 2, 2], "data_offsets": [0, 8]}, "s": {"dtype": "F16", "shape": [], "data_offsets": [8, 10]}}),
    ] {
        out.push(Seed::Safetensors(header, 32));
    }
    for template in [
        json!({"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
               "pair": [], "special_tokens": {"<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]}}}),
        Value::Null,
    ] {
        for spm in [false, true] {
            let gguf = gguf_seed(if spm { "llama" } else { "gpt2" }, "llama-bpe", true);
            let built = Checkpoint::from_gguf_bytes(gguf.bytes().into()).and_then(|c| c.tokenizer());
            let text = built.and_then(|t| t.to_json()).expect("a seed builds");
            let mut value: Value = serde_json::from_str(&text).expect("a seed is JSON");
            value["post_processor"] = template.clone();
            out.push(Seed::Tokenizer(value));
        }
    }
    out
}

/// Files of T15's kind that are in the repository are read once as they are.
pub fn corpus() -> Vec<Vec<u8>> {
    ["spm_scores.vocab.gguf", "qwen35.vocab.gguf", "gemma4.vocab.gguf", "llama3.vocab.gguf"]
        .iter()
        .filter_map(|name| std::fs::read(data(name)).ok())
        .collect()
}
