//! What all GGUF tokenizers share: the token table, the special ids, byte escapes.

use std::collections::HashSet;

use tokenizers::AddedToken;

use super::TokenizerConfig;
use super::assemble::Added;
use crate::error::shorten;
use crate::gguf::{GgufMetadata, PackedStrings};
use crate::{CheckpointError, limits};

const UNKNOWN: i64 = 2;
const CONTROL: i64 = 3;
const USER_DEFINED: i64 = 4;

/// The token table of a GGUF file.
pub(super) struct Vocabulary<'a> {
    pub tokens: &'a PackedStrings,
    /// Empty when the file has none.
    types: Vec<i64>,
}

impl<'a> Vocabulary<'a> {
    pub(super) fn read(metadata: &'a GgufMetadata) -> Result<Self, CheckpointError> {
        let tokens = metadata.str_array("tokenizer.ggml.tokens")?;
        limits::at_most("the number of tokens", tokens.len(), limits::TOKENS)?;
        let types =
            metadata.optional("tokenizer.ggml.token_type", GgufMetadata::i64_array)?.unwrap_or_default();
        if !types.is_empty() && types.len() != tokens.len() {
            return Err(CheckpointError::Tokenizer(format!(
                "there are {} tokens and {} token types: the file is damaged",
                tokens.len(),
                types.len()
            )));
        }
        let mut seen = HashSet::with_capacity(tokens.len());
        if let Some(twice) = tokens.iter().find(|token| !seen.insert(*token)) {
            return Err(CheckpointError::Duplicate { kind: "token", name: shorten(twice) });
        }
        Ok(Self { tokens, types })
    }

    fn kind(&self, id: usize) -> i64 {
        self.types.get(id).copied().unwrap_or(1)
    }

    /// Every token with its id.
    pub(super) fn all(&self) -> Vec<(String, u32)> {
        self.tokens.iter().zip(0..).map(|(token, id)| (token.to_owned(), id)).collect()
    }

    /// Tokens that are matched in the text as a whole: control and unknown tokens as special ones, which are
    /// no part of the text, and user-defined ones, which are.
    pub(super) fn added(&self) -> Vec<Added> {
        self.tokens
            .iter()
            .enumerate()
            .filter(|(id, token)| {
                !token.is_empty() && matches!(self.kind(*id), UNKNOWN | CONTROL | USER_DEFINED)
            })
            .map(|(id, token)| Added {
                id: id as u32,
                token: AddedToken::from(token, self.kind(id) != USER_DEFINED).normalized(false),
            })
            .collect()
    }

    /// The unknown token: named, or of that type, or (SentencePiece) called `<unk>`.
    pub(super) fn unknown(
        &self,
        metadata: &GgufMetadata,
        model: &str,
    ) -> Result<Option<u32>, CheckpointError> {
        let named = metadata.optional("tokenizer.ggml.unknown_token_id", GgufMetadata::u32)?;
        let position = |wanted: &dyn Fn(usize, &str) -> bool| {
            self.tokens.iter().enumerate().find(|(id, token)| wanted(*id, token)).map(|(id, _)| id as u32)
        };
        Ok(named
            .or_else(|| position(&|id, _| self.kind(id) == UNKNOWN))
            .or_else(|| position(&|_, token| model != "gpt2" && token == "<unk>")))
    }
}

/// Special ids and the chat template.
pub(super) fn config(
    metadata: &GgufMetadata,
    vocab: &Vocabulary<'_>,
    model: &str,
) -> Result<TokenizerConfig, CheckpointError> {
    let id = |key: &str| metadata.optional(&format!("tokenizer.ggml.{key}_token_id"), GgufMetadata::u32);
    let mut eos = Vec::new();
    for key in ["eos", "eot", "eom"] {
        if let Some(id) = id(key)?.filter(|id| !eos.contains(id)) {
            eos.push(id);
        }
    }
    let bos = id("bos")?;
    let add_bos = metadata.optional("tokenizer.ggml.add_bos_token", GgufMetadata::bool)?;
    let by_rule = || model != "gpt2" || super::gguf_bpe::adds_bos(metadata);
    Ok(TokenizerConfig {
        bos,
        eos,
        pad: id("padding")?,
        unk: vocab.unknown(metadata, model)?,
        add_bos: add_bos.unwrap_or_else(by_rule) && bos.is_some(),
        chat_template: metadata
            .optional("tokenizer.chat_template", |m, key| m.str(key).map(str::to_owned))?,
    })
}

/// `<0xNN>`, SentencePiece's spelling of a byte.
pub(super) fn byte_token(token: &str) -> Option<u8> {
    let digits = token.strip_prefix("<0x")?.strip_suffix('>')?;
    let valid = digits.len() == 2 && digits.bytes().all(|b| b.is_ascii_hexdigit());
    valid.then(|| u8::from_str_radix(digits, 16).ok()).flatten()
}

/// The byte that GPT-2's alphabet writes as `c`: printable Latin-1 stands for itself, the other bytes follow
/// from U+0100 in order.
pub(super) fn byte_of(c: char) -> Option<u8> {
    let itself = |b: u8| matches!(b, b'!'..=b'~' | 0xA1..=0xAC | 0xAE..=0xFF);
    let code = u32::from(c);
    match u8::try_from(code) {
        Ok(byte) => itself(byte).then_some(byte),
        Err(_) => (0..=255u8).filter(|b| !itself(*b)).nth(code.checked_sub(256)? as usize),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_alphabet_covers_every_byte_once() {
        let all: Vec<u8> = (0..1024).filter_map(|c| byte_of(char::from_u32(c).unwrap())).collect();
        assert_eq!(all.len(), 256);
        assert_eq!(all.iter().collect::<HashSet<_>>().len(), 256);
        assert_eq!(byte_of('Ġ'), Some(b' '));
        assert_eq!(byte_of('Ċ'), Some(b'\n'));
        assert_eq!(byte_of(' '), None);
    }

    #[test]
    fn byte_tokens_are_exact() {
        assert_eq!(byte_token("<0x0A>"), Some(10));
        for not in ["<0x0>", "<0x+A>", "0x0A", "<0x0A", "<0x0AB>"] {
            assert_eq!(byte_token(not), None, "{not}");
        }
    }
}
