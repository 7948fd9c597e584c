//! GGUF models `llama` (SentencePiece BPE) and `gemma4` (the same with merges in the file).

use std::cmp::Ordering;
use std::collections::HashMap;

use serde_json::{Value, json};

use super::assemble::Parts;
use super::gguf_common::Vocabulary;
use crate::gguf::GgufMetadata;
use crate::{CheckpointError, limits};

pub(super) fn parts(
    metadata: &GgufMetadata,
    vocab: &Vocabulary<'_>,
    model: &str,
) -> Result<Parts, CheckpointError> {
    let merges = if metadata.get("tokenizer.ggml.merges").is_some() {
        super::gguf_bpe::merges(metadata)?
    } else {
        derive_merges(vocab, &metadata.f64_array("tokenizer.ggml.scores")?)?
    };
    let prefix =
        metadata.optional("tokenizer.ggml.add_space_prefix", GgufMetadata::bool)?.unwrap_or(model == "llama");
    let escape = json!({"type": "Replace", "pattern": {"String": " "}, "content": "▁"});
    let normalizer = if prefix {
        json!({"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "▁"}, escape]})
    } else {
        escape
    };
    let mut decoders = vec![
        json!({"type": "Replace", "pattern": {"String": "▁"}, "content": " "}),
        json!({"type": "ByteFallback"}),
        json!({"type": "Fuse"}),
    ];
    if prefix {
        decoders.push(json!({"type": "Strip", "content": " ", "start": 1, "stop": 0}));
    }
    let unk = vocab.unknown(metadata, model)?.and_then(|id| vocab.tokens.get(id as usize)).map(str::to_owned);
    Ok(Parts {
        vocab: vocab.all(),
        merges,
        unk_token: unk,
        fuse_unk: true,
        byte_fallback: true,
        ignore_merges: false,
        normalizer,
        pre_tokenizer: Value::Null,
        post_processor: Value::Null,
        decoder: json!({"type": "Sequence", "decoders": decoders}),
        added: vocab.added(),
    })
}

/// A way to make a token of two others.
struct Merge<'a> {
    left: &'a str,
    right: &'a str,
    score: f64,
    chars: (usize, usize),
    ids: (u32, u32),
    /// The token's place in the vocabulary.
    token: usize,
}

/// The merges that a SentencePiece model's scores imply: every split of every token into two tokens, by
/// falling score, then as Hugging Face's converter breaks ties.
fn derive_merges(vocab: &Vocabulary<'_>, scores: &[f64]) -> Result<Vec<(String, String)>, CheckpointError> {
    if scores.len() != vocab.tokens.len() {
        return Err(CheckpointError::Tokenizer(format!(
            "there are {} tokens and {} scores: the file is damaged",
            vocab.tokens.len(),
            scores.len()
        )));
    }
    let ids: HashMap<&str, u32> = vocab.tokens.iter().zip(0..).collect();
    // Real vocabularies have about two per token; a hostile one could have far more than its own size.
    let most = vocab.tokens.len().saturating_mul(8).min(limits::MERGES);
    let mut merges = Vec::new();
    for (token, (text, score)) in vocab.tokens.iter().zip(scores).enumerate() {
        let count = text.chars().count();
        if count > limits::SPM_PIECE || score.is_nan() {
            continue;
        }
        for (chars, (at, _)) in text.char_indices().enumerate().skip(1) {
            limits::step();
            let (left, right) = text.split_at(at);
            if let (Some(&l), Some(&r)) = (ids.get(left), ids.get(right)) {
                let chars = (chars, count - chars);
                merges.push(Merge { left, right, score: *score, chars, ids: (l, r), token });
                limits::at_most("the number of merges that the scores imply", merges.len(), most)?;
            }
        }
    }
    // Python's `sorted(key=(score, len(left), len(right)), reverse=True)` is stable, over a list that has the
    // tokens in order and each token's splits by the ids of the two parts.
    merges.sort_by(|a, b| {
        b.score
            .partial_cmp(&a.score)
            .unwrap_or(Ordering::Equal)
            .then(b.chars.cmp(&a.chars))
            .then(a.token.cmp(&b.token))
            .then(a.ids.cmp(&b.ids))
    });
    Ok(merges.into_iter().map(|m| (m.left.to_owned(), m.right.to_owned())).collect())
}
