//! Short answers: the greedy text, equal to one of the right ones after both are normalised.

use std::fmt;

use serde::{Deserialize, Serialize};
use sterna_checkpoint::Tokenizer;
use sterna_run::{Request, Session, Silent, generate};

use super::super::GateError;
use super::task::share_error;

/// The rule, as it stands in a protocol.
pub const RULE: &str =
    "greedy text up to a stop text; equal in lower case, without punctuation, a/an/the and surplus space";

/// A short-answer item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerItem {
    /// The prompt, as it is: no template is put around it.
    pub prompt: String,
    /// The right answers.
    pub answers: Vec<String>,
    /// Texts that end the answer.
    #[serde(default = "new_line")]
    pub stop: Vec<String>,
    /// Most tokens of the answer.
    #[serde(default)]
    pub max_tokens: Option<usize>,
}

fn new_line() -> Vec<String> {
    vec!["\n".into()]
}

impl AnswerItem {
    pub(super) fn complaint(&self) -> Option<&'static str> {
        if self.prompt.is_empty() {
            return Some("an empty prompt");
        }
        if self.answers.is_empty() || self.answers.iter().any(|a| normalise(a).is_empty()) {
            return Some("`answers` holds at least one answer, and each has a letter or a digit");
        }
        if self.stop.iter().any(String::is_empty) {
            return Some("an empty stop text would end every answer");
        }
        (self.max_tokens == Some(0)).then_some("`max_tokens` is at least 1")
    }
}

/// What came out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerResult {
    /// Items.
    pub items: usize,
    /// Right ones.
    pub right: usize,
    /// The answer to each.
    pub answers: Vec<String>,
}

/// Lower case; letters and digits of any script; everything else is a space, but an apostrophe is nothing; without
/// "a", "an" and "the".
pub fn normalise(text: &str) -> String {
    let plain: String = text
        .chars()
        .filter(|c| !matches!(c, '\'' | '’'))
        .flat_map(char::to_lowercase)
        .map(|c| if c.is_alphanumeric() { c } else { ' ' })
        .collect();
    let words: Vec<&str> = plain.split_whitespace().filter(|w| !matches!(*w, "a" | "an" | "the")).collect();
    words.join(" ")
}

/// Sums over items.
#[derive(Default)]
pub(super) struct Scores {
    right: usize,
    answers: Vec<String>,
}

impl Scores {
    pub fn add(
        &mut self,
        session: &mut Session,
        tokenizer: &Tokenizer,
        item: &AnswerItem,
        prompt: Vec<u32>,
        max_tokens: usize,
        name: &str,
    ) -> Result<(), GateError> {
        let request = Request {
            prompt,
            max_tokens: Some(item.max_tokens.unwrap_or(max_tokens)),
            stop: item.stop.clone(),
            ..Request::default()
        };
        let made = generate(session, tokenizer, &request, &mut Silent)
            .map_err(|source| GateError::Generate { what: name.into(), source })?;
        let own = normalise(&made.text);
        self.right += usize::from(item.answers.iter().any(|a| normalise(a) == own));
        self.answers.push(made.text);
        Ok(())
    }

    pub fn result(self) -> Option<AnswerResult> {
        let items = self.answers.len();
        (items > 0).then_some(AnswerResult { items, right: self.right, answers: self.answers })
    }
}

impl fmt::Display for AnswerResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (n, right) = (self.items, self.right);
        let percent = 100.0 * right as f64 / n.max(1) as f64;
        write!(f, "short answers, {n} items: {right} right ({percent:.1} ± {:.1} %)", share_error(right, n))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normalised_texts() {
        for (text, plain) in [
            (" The  Dog's\tbone! ", "dogs bone"),
            ("an apple, a pear", "apple pear"),
            ("ÉTÉ-2024", "été 2024"),
            ("theatre", "theatre"),
            ("…", ""),
            ("日本", "日本"),
        ] {
            assert_eq!(normalise(text), plain);
        }
    }
}
