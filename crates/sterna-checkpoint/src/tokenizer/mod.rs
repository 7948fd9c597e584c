//! One tokenizer type for all checkpoints, around Hugging Face's `tokenizers` library.
//!
//! A GGUF file stores a vocabulary and the name of a rule; [`Tokenizer`] is then rebuilt to give the ids of
//! the Hugging Face tokenizer that the file was made from. All models read are BPE: byte-level (GPT-2's form)
//! or SentencePiece's with byte fallback.

mod assemble;
mod gguf_bpe;
mod gguf_common;
mod gguf_spm;
mod guard;
mod hf;
mod validate;

use std::sync::{Arc, OnceLock};

use crate::gguf::GgufMetadata;
use crate::{CheckpointError, limits};
use guard::guard;

pub(crate) use hf::from_directory;

/// End-of-turn tokens that end a reply whenever a vocabulary has them as special tokens: model configs often
/// name only the end of the document.
const END_OF_TURN: [&str; 4] = ["<|im_end|>", "<|eot_id|>", "<end_of_turn>", "<turn|>"];

/// What a tokenizer's files say beside the vocabulary.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct TokenizerConfig {
    /// The token that starts a text.
    pub bos: Option<u32>,
    /// All tokens that end a reply.
    pub eos: Vec<u32>,
    /// The padding token.
    pub pad: Option<u32>,
    /// The token for what the vocabulary cannot express.
    pub unk: Option<u32>,
    /// Whether `encode(.., add_special)` starts with `bos`.
    pub add_bos: bool,
    /// The chat template, in Jinja.
    pub chat_template: Option<String>,
}

/// How pieces of text are written in the vocabulary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pieces {
    /// Every byte is one printable character, as GPT-2 has it.
    ByteLevel,
    /// `▁` is a space and `<0xNN>` a byte.
    SentencePiece,
    /// As they are.
    Plain,
}

struct Inner {
    full: tokenizers::Tokenizer,
    /// The same, deaf to special tokens; made when a text first needs it.
    plain: OnceLock<Box<tokenizers::Tokenizer>>,
    config: TokenizerConfig,
    pieces: Pieces,
    /// Texts of the special tokens.
    specials: Vec<String>,
    /// Whether a special token can match only after normalisation, so that a search in the raw text is not
    /// enough to know that there is none.
    specials_normalised: bool,
    vocab_size: usize,
}

/// Text to token ids and back. Cloning is cheap.
#[derive(Clone)]
pub struct Tokenizer {
    inner: Arc<Inner>,
}

impl std::fmt::Debug for Tokenizer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tokenizer")
            .field("vocab_size", &self.inner.vocab_size)
            .field("pieces", &self.inner.pieces)
            .finish_non_exhaustive()
    }
}

impl Tokenizer {
    /// Reads a tokenizer.json. Only BPE models are read, and only components that are deterministic and
    /// bounded; padding and truncation settings are ignored.
    ///
    /// # Errors
    /// [`CheckpointError::Tokenizer`] and others that say which part is not supported or malformed, and an id
    /// in `config` that the vocabulary does not have.
    pub fn from_json(json: &[u8], config: TokenizerConfig) -> Result<Self, CheckpointError> {
        hf::parts(json)?.build(config)
    }

    /// Rebuilds the tokenizer of a GGUF file from its metadata.
    ///
    /// # Errors
    /// As [`Self::from_json`], and for models and pre-tokenizers without known rules.
    pub fn from_gguf(metadata: &GgufMetadata) -> Result<Self, CheckpointError> {
        let model = metadata.str("tokenizer.ggml.model")?;
        let vocab = gguf_common::Vocabulary::read(metadata)?;
        let parts = match model {
            "gpt2" => gguf_bpe::parts(metadata, &vocab)?,
            "llama" | "gemma4" => gguf_spm::parts(metadata, &vocab, model)?,
            other => {
                return Err(CheckpointError::Tokenizer(format!(
                    "tokenizer.ggml.model {:?} is not supported; supported are gpt2, llama and gemma4",
                    crate::error::shorten(other)
                )));
            }
        };
        parts.build(gguf_common::config(metadata, &vocab, model)?)
    }

    fn new(
        full: tokenizers::Tokenizer,
        pieces: Pieces,
        vocab_size: usize,
        mut config: TokenizerConfig,
    ) -> Result<Self, CheckpointError> {
        let added = full.get_added_vocabulary().get_added_tokens_decoder();
        let mut special: Vec<_> = added.iter().filter(|(_, token)| token.special).collect();
        special.sort_unstable_by_key(|(id, _)| **id);
        for (id, token) in &special {
            if END_OF_TURN.contains(&token.content.as_str()) && !config.eos.contains(id) {
                config.eos.push(**id);
            }
        }
        let specials_normalised = special.iter().any(|(_, token)| token.normalized);
        let specials = special.into_iter().map(|(_, token)| token.content.clone()).collect();
        limits::at_most(
            "the size of the chat template",
            config.chat_template.as_ref().map_or(0, String::len),
            limits::TEMPLATE,
        )?;
        let named = [("bos", config.bos), ("pad", config.pad), ("unk", config.unk)];
        let ids = named.into_iter().filter_map(|(what, id)| Some((what, id?)));
        for (what, id) in ids.chain(config.eos.iter().map(|id| ("eos", *id))) {
            if id as usize >= vocab_size {
                return Err(CheckpointError::Tokenizer(format!(
                    "the {what} token is {id}, and the vocabulary ends at {vocab_size}"
                )));
            }
        }
        let plain = OnceLock::new();
        let inner = Inner { full, plain, config, pieces, specials, specials_normalised, vocab_size };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// The tokenizer as tokenizer.json, for a bundle. [`Self::config`] is not part of it.
    ///
    /// # Errors
    /// When the library cannot write it.
    pub fn to_json(&self) -> Result<String, CheckpointError> {
        guard(|| self.inner.full.to_string(false))
    }

    /// What the files say beside the vocabulary.
    pub fn config(&self) -> &TokenizerConfig {
        &self.inner.config
    }

    /// Encodes text in which special tokens are recognised, such as a rendered chat template. With
    /// `add_special` the tokens that belong around a text are added: what the file's post-processor says, and
    /// `bos` in front when [`TokenizerConfig::add_bos`] is set and it is not there yet.
    ///
    /// # Errors
    /// When the library fails on the text.
    pub fn encode(&self, text: &str, add_special: bool) -> Result<Vec<u32>, CheckpointError> {
        let encoding = guard(|| self.inner.full.encode_fast(text, add_special))?;
        let mut ids = encoding.get_ids().to_vec();
        let config = &self.inner.config;
        if let Some(bos) = config.bos.filter(|_| add_special && config.add_bos)
            && ids.first() != Some(&bos)
        {
            ids.insert(0, bos);
        }
        Ok(ids)
    }

    /// Encodes a stranger's text: special tokens in it are ordinary text, so that it cannot end its turn or
    /// open another. Nothing is added. Added tokens that are not special (GGUF's user-defined ones, such as
    /// runs of spaces or `<think>` in some models) still match as a whole.
    ///
    /// # Errors
    /// When the library fails on the text.
    pub fn encode_plain(&self, text: &str) -> Result<Vec<u32>, CheckpointError> {
        let inner = &*self.inner;
        let may_match =
            inner.specials_normalised || inner.specials.iter().any(|special| text.contains(special.as_str()));
        if !may_match {
            return self.encode(text, false);
        }
        let plain = inner.plain.get_or_init(|| {
            let mut plain = Box::new(inner.full.clone());
            plain.set_encode_special_tokens(true);
            plain
        });
        guard(|| Ok(plain.encode_fast(text, false)?.get_ids().to_vec()))
    }

    /// The text of `ids`, ids outside the vocabulary left out, and special tokens too with `skip_special`.
    /// Bytes that are not UTF-8 become U+FFFD: to stream, collect [`Self::token_bytes`].
    ///
    /// # Errors
    /// When the library fails on the ids.
    pub fn decode(&self, ids: &[u32], skip_special: bool) -> Result<String, CheckpointError> {
        guard(|| self.inner.full.decode(ids, skip_special))
    }

    /// The bytes that a token adds to a text; none for special tokens, `None` outside the vocabulary. A
    /// character may span tokens. A SentencePiece text begins with a space that [`Self::decode`] drops.
    pub fn token_bytes(&self, id: u32) -> Option<Vec<u8>> {
        let added = self.inner.full.get_added_vocabulary().get_added_tokens_decoder().get(&id);
        let token = match added {
            Some(token) if token.special => return Some(Vec::new()),
            Some(token) => return Some(self.unescape(&token.content).into_bytes()),
            None => self.id_to_token(id)?,
        };
        Some(match self.inner.pieces {
            Pieces::Plain => token.into_bytes(),
            Pieces::ByteLevel => token
                .chars()
                .map(gguf_common::byte_of)
                .collect::<Option<Vec<u8>>>()
                .unwrap_or_else(|| token.into_bytes()),
            Pieces::SentencePiece => match gguf_common::byte_token(&token) {
                Some(byte) => vec![byte],
                None => self.unescape(&token).into_bytes(),
            },
        })
    }

    fn unescape(&self, token: &str) -> String {
        match self.inner.pieces {
            Pieces::SentencePiece => token.replace('▁', " "),
            _ => token.to_owned(),
        }
    }

    /// Whether the token is a control token, which is not part of the text.
    pub fn is_special(&self, id: u32) -> bool {
        let added = self.inner.full.get_added_vocabulary().get_added_tokens_decoder();
        added.get(&id).is_some_and(|token| token.special)
    }

    /// One past the largest id. A model's embedding may have more rows.
    pub fn vocab_size(&self) -> usize {
        self.inner.vocab_size
    }

    /// The id of a token as the vocabulary writes it.
    pub fn token_to_id(&self, token: &str) -> Option<u32> {
        self.inner.full.token_to_id(token)
    }

    /// A token as the vocabulary writes it.
    pub fn id_to_token(&self, id: u32) -> Option<String> {
        self.inner.full.id_to_token(id)
    }
}
