//! GGUF model `gpt2`: byte-level BPE. The file names how text is split before merging.

use serde_json::{Value, json};

use super::assemble::Parts;
use super::gguf_common::Vocabulary;
use crate::error::shorten;
use crate::gguf::GgufMetadata;
use crate::{CheckpointError, limits};

const GPT2: &[&str] = &[r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"];
const LLAMA3: &[&str] = &[
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
];
const QWEN2: &[&str] = &[
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
];
const QWEN35: &[&str] = &[
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
];
/// Digits one by one, then GPT-2's rule.
const STARCODER: &[&str] = &[r"\p{N}", GPT2[0]];
const DEEPSEEK_V3: &[&str] = &[
    r"\p{N}{1,3}",
    r"[一-龥぀-ゟ゠-ヿ]+",
    r##"[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"##,
];

/// The values of `tokenizer.ggml.pre` with rules, and the expressions that split the text one after the
/// other. Names in one row are one rule under several publishers' names.
pub(super) const KNOWN_SPLITS: &[(&[&str], &[&str])] = &[
    (&["default", "gpt-2", "phi-2", "olmo"], GPT2),
    (&["llama-bpe", "llama3", "llama-v3", "falcon3", "smaug-bpe", "dbrx"], LLAMA3),
    (&["qwen2", "deepseek-r1-qwen"], QWEN2),
    (&["qwen35"], QWEN35),
    (&["smollm", "starcoder", "refact", "command-r", "codeshell"], STARCODER),
    (&["deepseek-v3"], DEEPSEEK_V3),
];

fn pre(metadata: &GgufMetadata) -> Result<&str, CheckpointError> {
    match metadata.optional("tokenizer.ggml.pre", GgufMetadata::str)? {
        Some(pre) => Ok(pre),
        None => {
            tracing::warn!(
                "the GGUF file does not name its pre-tokenizer (tokenizer.ggml.pre): GPT-2's is used, and ids may \
                 differ from the original; convert the model again to be sure"
            );
            Ok("default")
        }
    }
}

fn is_llama3(pre: &str) -> bool {
    matches!(pre, "llama-bpe" | "llama3" | "llama-v3" | "falcon3")
}

/// Whether the rule starts texts with `bos` when the file does not say.
pub(super) fn adds_bos(metadata: &GgufMetadata) -> bool {
    metadata.str("tokenizer.ggml.pre").is_ok_and(is_llama3)
}

pub(super) fn parts(metadata: &GgufMetadata, vocab: &Vocabulary<'_>) -> Result<Parts, CheckpointError> {
    let pre = pre(metadata)?;
    let splits = KNOWN_SPLITS.iter().find(|(names, _)| names.contains(&pre)).map(|(_, splits)| *splits);
    let splits = splits.ok_or_else(|| CheckpointError::UnknownPreTokenizer {
        pre: shorten(pre),
        known: KNOWN_SPLITS.iter().flat_map(|(names, _)| *names).copied().collect::<Vec<_>>().join(", "),
    })?;
    let mut steps: Vec<Value> = splits
        .iter()
        .map(|regex| json!({"type": "Split", "pattern": {"Regex": regex}, "behavior": "Isolated", "invert": false}))
        .collect();
    let prefix = metadata.optional("tokenizer.ggml.add_space_prefix", GgufMetadata::bool)?.unwrap_or(false);
    steps.push(byte_level(prefix, false));
    Ok(Parts {
        vocab: vocab.all(),
        merges: merges(metadata)?,
        // Llama 3's own: a piece that is a token is not merged from its bytes.
        ignore_merges: is_llama3(pre),
        normalizer: normalizer(metadata, pre),
        pre_tokenizer: json!({"type": "Sequence", "pretokenizers": steps}),
        decoder: byte_level(false, true),
        added: vocab.added(),
        ..Parts::default()
    })
}

fn byte_level(add_prefix_space: bool, use_regex: bool) -> Value {
    json!({
        "type": "ByteLevel",
        "add_prefix_space": add_prefix_space,
        "trim_offsets": true,
        "use_regex": use_regex,
    })
}

/// Qwen's own tokenizers compose characters (NFC) first. The name of the rule does not say it (others borrow
/// Qwen's expression without), so the architecture must be one of Qwen's as well.
fn normalizer(metadata: &GgufMetadata, pre: &str) -> Value {
    let qwen = metadata.str("general.architecture").is_ok_and(|a| a.starts_with("qwen"));
    if qwen && matches!(pre, "qwen2" | "qwen35") { json!({"type": "NFC"}) } else { Value::Null }
}

/// The merges, `left right` each; a token may itself begin with a space.
pub(super) fn merges(metadata: &GgufMetadata) -> Result<Vec<(String, String)>, CheckpointError> {
    let list = metadata.str_array("tokenizer.ggml.merges")?;
    limits::at_most("the number of merges", list.len(), limits::MERGES)?;
    list.iter()
        .map(|merge| {
            let first = merge.chars().next().map_or(0, char::len_utf8);
            let at = merge[first..].find(' ').map(|at| at + first);
            at.map(|at| (merge[..at].to_owned(), merge[at + 1..].to_owned())).ok_or_else(|| {
                CheckpointError::Tokenizer(format!("merge {:?} is not two tokens", shorten(merge)))
            })
        })
        .collect()
}
