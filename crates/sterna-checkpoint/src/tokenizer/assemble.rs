//! From checked parts to the library's tokenizer.

use serde_json::Value;
use tokenizers::models::bpe::{BPE, Vocab};
use tokenizers::{AddedToken, DecoderWrapper, NormalizerWrapper, PostProcessorWrapper, PreTokenizerWrapper};

use super::guard::guard;
use super::validate::{self, Part};
use super::{Pieces, Tokenizer, TokenizerConfig};
use crate::error::shorten;
use crate::{CheckpointError, limits};

/// A token that is matched in the text before the model sees it.
pub(super) struct Added {
    pub id: u32,
    pub token: AddedToken,
}

/// A BPE tokenizer in pieces. Nothing is checked yet.
#[derive(Default)]
pub(super) struct Parts {
    /// Tokens and ids of the model; the added ones may be missing.
    pub vocab: Vec<(String, u32)>,
    pub merges: Vec<(String, String)>,
    pub unk_token: Option<String>,
    pub fuse_unk: bool,
    pub byte_fallback: bool,
    pub ignore_merges: bool,
    pub normalizer: Value,
    pub pre_tokenizer: Value,
    pub post_processor: Value,
    pub decoder: Value,
    pub added: Vec<Added>,
}

impl Parts {
    /// Checks everything and builds.
    pub(super) fn build(mut self, config: TokenizerConfig) -> Result<Tokenizer, CheckpointError> {
        validate::check(Part::Normalizer, &self.normalizer)?;
        validate::check(Part::PreTokenizer, &self.pre_tokenizer)?;
        validate::check(Part::PostProcessor, &self.post_processor)?;
        validate::check(Part::Decoder, &self.decoder)?;
        let vocab_size = self.check_tokens()?;
        let pieces = self.pieces();
        self.added.sort_by_key(|added| added.id);

        let vocab: Vocab = std::mem::take(&mut self.vocab).into_iter().collect();
        let merges = std::mem::take(&mut self.merges);
        let mut model = BPE::builder()
            .vocab_and_merges(vocab, merges)
            .fuse_unk(self.fuse_unk)
            .byte_fallback(self.byte_fallback)
            .ignore_merges(self.ignore_merges);
        if let Some(unk) = self.unk_token {
            model = model.unk_token(unk);
        }
        let full = guard(|| {
            let mut full = tokenizers::Tokenizer::new(model.build()?);
            full.with_normalizer(part::<NormalizerWrapper>(self.normalizer)?)?;
            full.with_pre_tokenizer(part::<PreTokenizerWrapper>(self.pre_tokenizer)?);
            full.with_post_processor(part::<PostProcessorWrapper>(self.post_processor)?);
            full.with_decoder(part::<DecoderWrapper>(self.decoder)?);
            full.add_tokens(self.added.iter().map(|added| added.token.clone()))?;
            Ok(full)
        })?;
        // The library numbers added tokens itself; a file whose ids differ would be read wrongly.
        for added in &self.added {
            let given = full.token_to_id(&added.token.content);
            if given != Some(added.id) {
                return Err(CheckpointError::Tokenizer(format!(
                    "the added token {:?} has id {}, and its place in the vocabulary gives {given:?}: the ids of \
                     added tokens must follow the vocabulary without gaps",
                    shorten(&added.token.content),
                    added.id
                )));
            }
        }
        Tokenizer::new(full, pieces, vocab_size, config)
    }

    /// Counts, lengths and ids; returns one past the largest id.
    fn check_tokens(&self) -> Result<usize, CheckpointError> {
        limits::at_most("the number of tokens", self.vocab.len(), limits::TOKENS)?;
        limits::at_most("the number of merges", self.merges.len(), limits::MERGES)?;
        limits::at_most("the number of added tokens", self.added.len(), limits::ADDED)?;
        let count = self.vocab.len() + self.added.len();
        if self.vocab.is_empty() {
            return Err(CheckpointError::Tokenizer("the vocabulary is empty".to_owned()));
        }
        // Real vocabularies have few holes, so an id far past the count is refused before it sizes anything.
        let most = count * 2 + 1024;
        let mut seen = vec![0u64; most / 64 + 1];
        let mut longest = 0;
        let mut size = 0;
        for (token, id) in &self.vocab {
            limits::step();
            limits::at_most("the length of a token", token.len(), limits::TOKEN)?;
            let at = *id as usize;
            if at >= most {
                let reason =
                    format!("id {id} of token {:?} is out of place in {count} tokens", shorten(token));
                return Err(CheckpointError::Tokenizer(reason));
            }
            if seen[at / 64] >> (at % 64) & 1 == 1 {
                return Err(CheckpointError::Tokenizer(format!("two tokens have the id {id}")));
            }
            seen[at / 64] |= 1 << (at % 64);
            longest = longest.max(token.len());
            size = size.max(at + 1);
        }
        for added in &self.added {
            limits::step();
            limits::at_most("the length of a token", added.token.content.len(), limits::TOKEN)?;
            if added.token.content.is_empty() || added.id as usize >= most {
                let reason =
                    format!("added token {:?} is empty or out of place", shorten(&added.token.content));
                return Err(CheckpointError::Tokenizer(reason));
            }
            size = size.max(added.id as usize + 1);
        }
        // The library joins each pair in a buffer of the longest token's length.
        for (left, right) in &self.merges {
            limits::step();
            if left.is_empty() || right.is_empty() || left.len() + right.len() > longest {
                let reason = format!(
                    "merge {:?} + {:?} gives no token of the vocabulary",
                    shorten(left),
                    shorten(right)
                );
                return Err(CheckpointError::Tokenizer(reason));
            }
        }
        Ok(size)
    }

    fn pieces(&self) -> Pieces {
        if holds(&self.decoder, "ByteLevel") || holds(&self.pre_tokenizer, "ByteLevel") {
            Pieces::ByteLevel
        } else if self.byte_fallback
            || holds(&self.decoder, "Metaspace")
            || holds(&self.pre_tokenizer, "Metaspace")
        {
            Pieces::SentencePiece
        } else {
            Pieces::Plain
        }
    }
}

/// Whether a component of type `kind` is in `value`.
fn holds(value: &Value, kind: &str) -> bool {
    match value {
        Value::Object(map) => {
            map.get("type").and_then(Value::as_str) == Some(kind) || map.values().any(|v| holds(v, kind))
        }
        Value::Array(list) => list.iter().any(|v| holds(v, kind)),
        _ => false,
    }
}

fn part<T: serde::de::DeserializeOwned>(value: Value) -> serde_json::Result<Option<T>> {
    serde_json::from_value(value)
}
