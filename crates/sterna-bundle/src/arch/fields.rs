//! Typed reading of configuration values, one way for config.json and for GGUF metadata.

use serde_json::{Map, Value};

use crate::error::BundleError;

/// Something that holds values by key.
pub(crate) trait Keys {
    /// The value, if the key is there. Floats keep their value exactly; what JSON cannot say becomes text.
    fn get(&self, key: &str) -> Option<Value>;
}

impl Keys for Map<String, Value> {
    fn get(&self, key: &str) -> Option<Value> {
        Map::get(self, key).filter(|v| !v.is_null()).cloned()
    }
}

/// Keys under a prefix, and where they are, for messages.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'a> {
    keys: &'a dyn Keys,
    prefix: &'a str,
    /// `config.json` or `GGUF metadata`.
    pub place: &'static str,
}

impl<'a> Fields<'a> {
    pub(crate) fn new(keys: &'a dyn Keys, prefix: &'a str, place: &'static str) -> Self {
        Self { keys, prefix, place }
    }

    /// The full key.
    pub(crate) fn full(&self, key: &str) -> String {
        format!("{}{key}", self.prefix)
    }

    pub(crate) fn get(&self, key: &str) -> Option<Value> {
        self.keys.get(&self.full(key))
    }

    /// The error that says `key` holds something else than wanted.
    pub(crate) fn bad(
        &self,
        key: &str,
        found: impl std::fmt::Display,
        supported: impl Into<String>,
    ) -> BundleError {
        BundleError::key(self.place, self.full(key), found, supported)
    }

    fn typed<T>(
        &self,
        key: &str,
        wanted: &str,
        read: impl Fn(&Value) -> Option<T>,
    ) -> Result<Option<T>, BundleError> {
        match self.get(key) {
            None => Ok(None),
            Some(value) => read(&value).map(Some).ok_or_else(|| self.bad(key, brief(&value), wanted)),
        }
    }

    /// A whole number, if the key is there. Floats that are whole numbers are not: nobody writes a width so.
    pub(crate) fn whole(&self, key: &str) -> Result<Option<usize>, BundleError> {
        self.typed(key, "a whole number", |v| v.as_u64().and_then(|n| usize::try_from(n).ok()))
    }

    /// A whole number that must be there.
    pub(crate) fn need_whole(&self, key: &str) -> Result<usize, BundleError> {
        self.whole(key)?.ok_or_else(|| self.missing(key, "a whole number is needed"))
    }

    /// A number, if the key is there.
    pub(crate) fn number(&self, key: &str) -> Result<Option<f64>, BundleError> {
        self.typed(key, "a number", Value::as_f64)
    }

    /// A number that must be there.
    pub(crate) fn need_number(&self, key: &str) -> Result<f64, BundleError> {
        self.number(key)?.ok_or_else(|| self.missing(key, "a number is needed"))
    }

    /// True or false, if the key is there.
    pub(crate) fn flag(&self, key: &str) -> Result<Option<bool>, BundleError> {
        self.typed(key, "true or false", Value::as_bool)
    }

    /// Text, if the key is there.
    pub(crate) fn text(&self, key: &str) -> Result<Option<String>, BundleError> {
        self.typed(key, "text", |v| v.as_str().map(str::to_owned))
    }

    /// Numbers, if the key is there.
    pub(crate) fn numbers(&self, key: &str) -> Result<Option<Vec<f64>>, BundleError> {
        self.typed(key, "a list of numbers", |v| v.as_array()?.iter().map(Value::as_f64).collect())
    }

    pub(crate) fn missing(&self, key: &str, wanted: impl Into<String>) -> BundleError {
        BundleError::MissingKey { place: self.place, key: self.full(key), wanted: wanted.into() }
    }

    /// Refuses `key` unless it is absent, false, zero, or an empty list or map.
    pub(crate) fn refuse(&self, key: &str, supported: &str) -> Result<(), BundleError> {
        match self.get(key) {
            None | Some(Value::Null | Value::Bool(false)) => Ok(()),
            Some(Value::Number(n)) if n.as_f64() == Some(0.0) => Ok(()),
            Some(Value::Array(list)) if list.is_empty() => Ok(()),
            Some(Value::Object(map)) if map.is_empty() => Ok(()),
            Some(value) => Err(self.bad(key, brief(&value), supported)),
        }
    }
}

/// A value for messages: lists and maps by size.
pub(crate) fn brief(value: &Value) -> String {
    match value {
        Value::Array(list) => format!("a list of {}", list.len()),
        Value::Object(map) => {
            format!("a map of {}", map.keys().take(6).cloned().collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

/// Rounds to f32 and back: what GGUF stores and what transformers computes with, so that both files of a model give
/// one configuration.
pub(crate) fn single(value: f64) -> f64 {
    f64::from(value as f32)
}
