//! What a result depends on besides the model.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::Refusal;
use crate::table::count;

/// Version of the rules in this module; a change of a rule is a new version.
pub const RULES: u32 = 1;

/// Everything that a result depends on, besides the model and the machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Protocol {
    /// Version of the rules.
    pub rules: u32,
    /// [`fingerprint::tokenizer`](crate::gate::fingerprint::tokenizer).
    pub tokenizer: String,
    /// Of the perplexity.
    pub perplexity: Option<PerplexityProtocol>,
    /// Of the tasks.
    pub tasks: Option<TaskProtocol>,
}

/// How a perplexity is measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PerplexityProtocol {
    /// SHA-256 of the text.
    pub text_sha256: String,
    /// SHA-256 of its tokens.
    pub tokens_sha256: String,
    /// Positions of a window, a begin token included.
    pub window: usize,
    /// Tokens from the beginning of one window to that of the next.
    pub stride: usize,
    /// The begin token before every window.
    pub bos: Option<u32>,
    /// Tokens scored.
    pub budget: usize,
}

/// How tasks are measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskProtocol {
    /// SHA-256 of the file.
    pub file_sha256: String,
    /// SHA-256 of the tokens of all prompts and continuations.
    pub tokens_sha256: String,
    /// Items of each kind: multiple choice, short answer.
    pub items: (usize, usize),
    /// The begin token before every prompt.
    pub bos: Option<u32>,
    /// Most tokens of a short answer, where the item does not say.
    pub max_tokens: usize,
    /// How a choice is made.
    pub choice: String,
    /// How a short answer is made and judged.
    pub answer: String,
}

impl Protocol {
    /// Every part that is not the same in `other`, by name.
    pub fn differences(&self, other: &Protocol) -> Vec<Refusal> {
        let mut found = Vec::new();
        let value = |p: &Protocol| serde_json::to_value(p).unwrap_or(Value::Null);
        walk("", &value(self), &value(other), &mut found);
        // What JSON cannot tell apart must not pass for equal.
        if found.is_empty() && self != other {
            found.push(Refusal::new("the protocol", "one", "another"));
        }
        found
    }
}

fn walk(path: &str, here: &Value, there: &Value, found: &mut Vec<Refusal>) {
    match (here, there) {
        (Value::Object(a), Value::Object(b)) => {
            let missing = b.keys().filter(|k| !a.contains_key(*k));
            for key in a.keys().chain(missing) {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                let of = |m: &serde_json::Map<String, Value>| m.get(key).cloned().unwrap_or(Value::Null);
                walk(&path, &of(a), &of(b), found);
            }
        }
        (a, b) if a != b => {
            let shown = |v: &Value| match v {
                Value::Null => "absent".to_owned(),
                Value::Object(_) => "present".to_owned(),
                Value::String(s) => s.chars().take(80).collect(),
                other => other.to_string(),
            };
            found.push(Refusal::new(path, shown(a), shown(b)));
        }
        _ => {}
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let short = |sha: &str| sha.chars().take(12).collect::<String>();
        let bos = |b: Option<u32>| b.map_or("no begin token".into(), |id| format!("begin token {id}"));
        write!(f, "protocol: rules {}, tokenizer {}", self.rules, short(&self.tokenizer))?;
        if let Some(p) = &self.perplexity {
            write!(
                f,
                "; text {}: window {}, stride {}, {}, {} scored",
                short(&p.text_sha256),
                p.window,
                p.stride,
                bos(p.bos),
                count(p.budget, "token")
            )?;
        }
        if let Some(t) = &self.tasks {
            write!(
                f,
                "; tasks {}: {}, answers of at most {}",
                short(&t.file_sha256),
                bos(t.bos),
                count(t.max_tokens, "token")
            )?;
        }
        Ok(())
    }
}

/// What was measured, where. Not part of the protocol: this is what a comparison is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    /// Model.
    pub model: String,
    /// Backend.
    pub backend: String,
    /// Its description.
    pub device: String,
    /// How linear layers met their activations: `model` or `float`; empty where it was not kept.
    #[serde(default)]
    pub activations: String,
    /// Bytes of weights that one token reads.
    pub weight_bytes_per_token: u64,
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let megabytes = self.weight_bytes_per_token as f64 / 1e6;
        write!(f, "{} on {} ({}), {megabytes:.2} MB a token", self.model, self.backend, self.device)?;
        match self.activations.as_str() {
            "" | "model" => Ok(()),
            other => write!(f, ", activations {other}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub fn protocol() -> Protocol {
        Protocol {
            rules: RULES,
            tokenizer: "t".into(),
            perplexity: Some(PerplexityProtocol {
                text_sha256: "x".into(),
                tokens_sha256: "y".into(),
                window: 128,
                stride: 64,
                bos: None,
                budget: 300,
            }),
            tasks: None,
        }
    }

    #[test]
    fn every_difference_has_its_name() {
        let a = protocol();
        assert!(a.differences(&a).is_empty());
        let mut b = a.clone();
        b.tokenizer = "u".into();
        let p = b.perplexity.as_mut().unwrap();
        (p.stride, p.budget, p.bos) = (32, 299, Some(1));
        let found: Vec<String> = a.differences(&b).iter().map(Refusal::to_string).collect();
        assert_eq!(
            found,
            [
                "tokenizer is t here and u there",
                "perplexity.stride is 64 here and 32 there",
                "perplexity.bos is absent here and 1 there",
                "perplexity.budget is 300 here and 299 there",
            ]
        );
        let none = Protocol { perplexity: None, ..a.clone() };
        let found = a.differences(&none);
        assert_eq!(found[0].to_string(), "perplexity is present here and absent there");
        assert_eq!(none.differences(&a).len(), 1);
    }
}
