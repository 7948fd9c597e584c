//! tokenizer.json and the configs beside it.

use std::path::Path;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use tokenizers::AddedToken;

use super::assemble::{Added, Parts};
use super::{Tokenizer, TokenizerConfig};
use crate::error::shorten;
use crate::mapping::read_small;
use crate::{CheckpointError, limits};

#[derive(serde::Deserialize)]
struct File {
    #[serde(default)]
    added_tokens: Vec<AddedJson>,
    #[serde(default)]
    normalizer: Value,
    #[serde(default)]
    pre_tokenizer: Value,
    #[serde(default)]
    post_processor: Value,
    #[serde(default)]
    decoder: Value,
    model: Model,
}

#[derive(serde::Deserialize)]
struct AddedJson {
    id: u32,
    content: String,
    #[serde(default)]
    single_word: bool,
    #[serde(default)]
    lstrip: bool,
    #[serde(default)]
    rstrip: bool,
    #[serde(default)]
    normalized: Option<bool>,
    #[serde(default)]
    special: bool,
}

#[derive(serde::Deserialize)]
struct Model {
    #[serde(rename = "type")]
    kind: Option<String>,
    dropout: Option<f64>,
    unk_token: Option<String>,
    continuing_subword_prefix: Option<String>,
    end_of_word_suffix: Option<String>,
    #[serde(default)]
    fuse_unk: bool,
    #[serde(default)]
    byte_fallback: bool,
    #[serde(default)]
    ignore_merges: bool,
    #[serde(default)]
    vocab: Vocab,
    #[serde(default)]
    merges: Merges,
}

/// The vocabulary: of BPE an object from token to id; anything else is left for the type check to refuse.
#[derive(Default)]
struct Vocab(Vec<(String, u32)>);

impl<'de> Deserialize<'de> for Vocab {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = Vocab;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object from token to id")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Vocab, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    limits::step();
                    entries.push(entry);
                }
                Ok(Vocab(entries))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Vocab, A::Error> {
                while seq.next_element::<serde::de::IgnoredAny>()?.is_some() {}
                Ok(Vocab::default())
            }
        }
        deserializer.deserialize_any(Entries)
    }
}

/// The merges, each `"left right"` (old files) or `["left", "right"]`.
#[derive(Default, serde::Deserialize)]
struct Merges(Vec<Merge>);

struct Merge(String, String);

impl<'de> Deserialize<'de> for Merge {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pair;
        impl<'de> Visitor<'de> for Pair {
            type Value = Merge;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a merge: \"left right\" or [\"left\", \"right\"]")
            }
            fn visit_str<E: serde::de::Error>(self, v: &str) -> Result<Merge, E> {
                match v.split_once(' ') {
                    Some((left, right)) if !right.contains(' ') => {
                        Ok(Merge(left.to_owned(), right.to_owned()))
                    }
                    _ => Err(E::custom(format!("merge {:?} is not two tokens", shorten(v)))),
                }
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Merge, A::Error> {
                use serde::de::Error as _;
                limits::step();
                let pair = seq.next_element()?.zip(seq.next_element()?);
                let end = seq.next_element::<serde::de::IgnoredAny>()?.is_none();
                let (left, right) =
                    pair.filter(|_| end).ok_or_else(|| A::Error::custom("a merge has two tokens"))?;
                Ok(Merge(left, right))
            }
        }
        deserializer.deserialize_any(Pair)
    }
}

/// The parts of a tokenizer.json.
pub(super) fn parts(json: &[u8]) -> Result<Parts, CheckpointError> {
    let limit = usize::try_from(limits::TOKENIZER_JSON).unwrap_or(usize::MAX);
    limits::at_most("the size of tokenizer.json", json.len(), limit)?;
    let file: File = serde_json::from_slice(json)
        .map_err(|source| CheckpointError::Json { what: "tokenizer.json".to_owned(), source })?;
    let model = file.model;
    let refuse = |reason: String| Err(CheckpointError::Tokenizer(reason));
    let kind = model.kind.as_deref().unwrap_or("BPE");
    if kind != "BPE" {
        return refuse(format!("model type {:?} is not supported, only BPE", shorten(kind)));
    }
    if model.dropout.is_some_and(|p| p != 0.0) {
        return refuse("the model has dropout, which makes ids random: set it to null".to_owned());
    }
    for (what, affix) in [
        ("continuing_subword_prefix", &model.continuing_subword_prefix),
        ("end_of_word_suffix", &model.end_of_word_suffix),
    ] {
        if affix.as_ref().is_some_and(|affix| !affix.is_empty()) {
            return refuse(format!("{what} is not supported"));
        }
    }
    let mut vocab = model.vocab.0;
    vocab.sort_unstable();
    if let Some(pair) = vocab.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(CheckpointError::Duplicate { kind: "token", name: shorten(&pair[0].0) });
    }
    Ok(Parts {
        vocab,
        merges: model.merges.0.into_iter().map(|Merge(left, right)| (left, right)).collect(),
        unk_token: model.unk_token,
        fuse_unk: model.fuse_unk,
        byte_fallback: model.byte_fallback,
        ignore_merges: model.ignore_merges,
        normalizer: file.normalizer,
        pre_tokenizer: file.pre_tokenizer,
        post_processor: file.post_processor,
        decoder: file.decoder,
        added: file.added_tokens.into_iter().map(AddedJson::into_added).collect(),
    })
}

impl AddedJson {
    fn into_added(self) -> Added {
        let token = AddedToken::from(self.content, self.special)
            .single_word(self.single_word)
            .lstrip(self.lstrip)
            .rstrip(self.rstrip)
            .normalized(self.normalized.unwrap_or(!self.special));
        Added { id: self.id, token }
    }
}

/// tokenizer_config.json, as far as it matters here.
#[derive(Default, serde::Deserialize)]
struct ConfigJson {
    #[serde(default)]
    bos_token: Option<TokenText>,
    #[serde(default)]
    eos_token: Option<TokenText>,
    #[serde(default)]
    pad_token: Option<TokenText>,
    #[serde(default)]
    unk_token: Option<TokenText>,
    #[serde(default)]
    add_bos_token: Option<bool>,
    #[serde(default)]
    chat_template: Option<Template>,
}

/// A token by its text, or an object that has it.
#[derive(serde::Deserialize)]
#[serde(untagged)]
enum TokenText {
    Text(String),
    Object { content: String },
}

impl TokenText {
    fn text(&self) -> &str {
        match self {
            Self::Text(text) | Self::Object { content: text } => text,
        }
    }
}

#[derive(serde::Deserialize)]
#[serde(untagged)]
enum Template {
    One(String),
    Named(Vec<NamedTemplate>),
}

#[derive(serde::Deserialize)]
struct NamedTemplate {
    name: String,
    template: String,
}

/// Reads tokenizer.json, tokenizer_config.json, generation_config.json and chat_template.jinja of a model's
/// directory; `config` is its config.json.
pub(crate) fn from_directory(dir: &Path, config: &Value) -> Result<Tokenizer, CheckpointError> {
    let path = dir.join("tokenizer.json");
    let json = read_small(&path, limits::TOKENIZER_JSON)?.ok_or_else(|| {
        CheckpointError::Tokenizer(format!(
            "{} does not exist: save the tokenizer with transformers (save_pretrained) to make it",
            path.display()
        ))
    })?;
    let path = dir.join("tokenizer_config.json");
    let settings: ConfigJson = match read_small(&path, limits::TOKENIZER_CONFIG_JSON)? {
        None => ConfigJson::default(),
        Some(bytes) => serde_json::from_slice(&bytes)
            .map_err(|source| CheckpointError::Json { what: path.display().to_string(), source })?,
    };
    let generation = crate::hf::read_json(&dir.join("generation_config.json"))?.unwrap_or(Value::Null);
    let template = read_small(&dir.join("chat_template.jinja"), limits::TEMPLATE as u64)?
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned());

    // The ids need the vocabulary, so it is built first, without them.
    let bare = Tokenizer::from_json(&json, TokenizerConfig::default())?;
    drop(json);
    let found = collect(&bare, &settings, &generation, config, template)?;
    bare.with_config(found)
}

impl Tokenizer {
    /// The same tokenizer with other settings. `self` must be its only handle.
    fn with_config(self, config: TokenizerConfig) -> Result<Self, CheckpointError> {
        match std::sync::Arc::try_unwrap(self.inner) {
            Ok(inner) => Self::new(inner.full, inner.pieces, inner.vocab_size, config),
            Err(shared) => Self::new(shared.full.clone(), shared.pieces, shared.vocab_size, config),
        }
    }
}

fn collect(
    tokenizer: &Tokenizer,
    settings: &ConfigJson,
    generation: &Value,
    config: &Value,
    template: Option<String>,
) -> Result<TokenizerConfig, CheckpointError> {
    let by_text = |token: &Option<TokenText>| token.as_ref().and_then(|t| tokenizer.token_to_id(t.text()));
    // Nested in text_config for models with vision.
    let of_config = |key| config.get(key).or_else(|| config.get("text_config")?.get(key));
    let bos = by_text(&settings.bos_token);
    let mut eos: Vec<u32> = by_text(&settings.eos_token).into_iter().collect();
    for value in [generation.get("eos_token_id"), of_config("eos_token_id")].into_iter().flatten() {
        for id in ids(value) {
            if id as usize >= tokenizer.vocab_size() {
                tracing::warn!(id, "eos_token_id lies outside the tokenizer's vocabulary and is ignored");
            } else if !eos.contains(&id) {
                eos.push(id);
            }
        }
    }
    // Without the setting, what the post-processor does to an empty text is the rule.
    let add_bos = match (settings.add_bos_token, bos) {
        (_, None) => false,
        (Some(add), _) => add,
        (None, Some(bos)) => tokenizer.encode("", true)?.first() == Some(&bos),
    };
    let chat_template = template.or_else(|| match settings.chat_template.as_ref()? {
        Template::One(template) => Some(template.clone()),
        Template::Named(list) => {
            list.iter().find(|t| t.name == "default").or(list.first()).map(|t| t.template.clone())
        }
    });
    Ok(TokenizerConfig {
        bos,
        eos,
        pad: by_text(&settings.pad_token),
        unk: by_text(&settings.unk_token),
        add_bos,
        chat_template,
    })
}

/// One id or a list of them; what is no id is left out.
fn ids(value: &Value) -> Vec<u32> {
    let one = |v: &Value| v.as_u64().and_then(|id| u32::try_from(id).ok());
    match value {
        Value::Array(list) => list.iter().filter_map(one).collect(),
        other => one(other).into_iter().collect(),
    }
}
