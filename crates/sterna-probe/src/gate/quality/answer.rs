//! Short answers: the greedy text, or its last number, equal to one of the right ones.
//!
//! A prompt is given as it is, or as a user's message in the model's chat template.

use std::fmt;

use serde::{Deserialize, Serialize};
use sterna_checkpoint::Tokenizer;
use sterna_run::chat::{ChatTemplate, Message};
use sterna_run::{Finish, Request, Session, Silent, generate};

use super::super::GateError;
use super::number::last_number;
use super::task::{share_error, with_bos};

/// The rule, as it stands in a protocol.
pub const RULE: &str =
    "greedy text up to a stop text; equal in lower case, without punctuation, a/an/the and surplus space";

/// What is done with a prompt before it is cut into tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// Nothing.
    #[default]
    Text,
    /// It is a user's message, put into the model's own chat template; a model without one is an error.
    Chat,
}

/// What of an answer is judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Judge {
    /// All of it, [normalised](normalise).
    #[default]
    Text,
    /// The value of its [last number](last_number).
    LastNumber,
}

/// A short-answer item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerItem {
    /// The prompt.
    pub prompt: String,
    /// What is done with the prompt.
    #[serde(default)]
    pub form: Form,
    /// What of the answer is judged.
    #[serde(default)]
    pub judge: Judge,
    /// The right answers.
    pub answers: Vec<String>,
    /// Texts that end the answer; the model's end token does in any case.
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
        if self.judge == Judge::LastNumber
            && (self.answers.is_empty() || self.answers.iter().any(|a| last_number(a).is_none()))
        {
            return Some("`answers` holds at least one answer, and each has a number");
        }
        if self.answers.is_empty() || self.answers.iter().any(|a| normalise(a).is_empty()) {
            return Some("`answers` holds at least one answer, and each has a letter or a digit");
        }
        if self.stop.iter().any(String::is_empty) {
            return Some("an empty stop text would end every answer");
        }
        (self.max_tokens == Some(0)).then_some("`max_tokens` is at least 1")
    }

    /// Tokens of the prompt. A template writes its begin token itself, or `bos` goes before it.
    pub(super) fn ids(
        &self,
        tokenizer: &Tokenizer,
        bos: Option<u32>,
        name: &str,
    ) -> Result<Vec<u32>, GateError> {
        let bad = |why: String| GateError::Options(format!("{name}: {why}"));
        let text = match self.form {
            Form::Text => &self.prompt,
            Form::Chat => &{
                let source = tokenizer.config().chat_template.as_deref().ok_or_else(|| {
                    bad("its prompt is a message (`form` is `chat`) and this model has no chat template"
                        .into())
                })?;
                let mut template = ChatTemplate::new(source).map_err(|e| bad(e.to_string()))?;
                // The prompt must not depend on the day; this one is 1 January 2026.
                template.set_clock(Some(1_767_225_600));
                let message = Message::new("user", self.prompt.as_str());
                template.prompt(&[message], tokenizer).map_err(|e| bad(e.to_string()))?
            },
        };
        let ids = tokenizer.encode(text, false)?;
        let bos = bos.filter(|b| self.form == Form::Text || ids.first() != Some(b));
        Ok(with_bos(bos, ids))
    }

    /// Whether `text` is a right answer.
    fn accepts(&self, text: &str) -> bool {
        match self.judge {
            Judge::Text => {
                let own = normalise(text);
                self.answers.iter().any(|a| normalise(a) == own)
            }
            Judge::LastNumber => {
                let own = last_number(text);
                own.is_some() && self.answers.iter().any(|a| last_number(a) == own)
            }
        }
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
    /// Whether each is right; empty in results that were stored before this was kept.
    #[serde(default)]
    pub right_items: Vec<bool>,
    /// Answers that their most tokens, or the context, cut off.
    #[serde(default)]
    pub cut: usize,
    /// Answers without a number, of those whose number is judged.
    #[serde(default)]
    pub without_number: usize,
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
    answers: Vec<String>,
    right_items: Vec<bool>,
    cut: usize,
    without_number: usize,
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
        self.right_items.push(item.accepts(&made.text));
        self.cut += usize::from(matches!(made.finish, Finish::Length | Finish::Context));
        let without = item.judge == Judge::LastNumber && last_number(&made.text).is_none();
        self.without_number += usize::from(without);
        self.answers.push(made.text);
        Ok(())
    }

    pub fn result(self) -> Option<AnswerResult> {
        let items = self.answers.len();
        let Scores { answers, right_items, cut, without_number } = self;
        let right = right_items.iter().filter(|r| **r).count();
        (items > 0).then_some(AnswerResult { items, right, answers, right_items, cut, without_number })
    }
}

impl fmt::Display for AnswerResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (n, right) = (self.items, self.right);
        let percent = 100.0 * right as f64 / n.max(1) as f64;
        write!(
            f,
            "short answers, {n} items: {right} right ({percent:.1} ± {:.1} %), {} cut off",
            share_error(right, n),
            self.cut
        )?;
        if self.without_number > 0 {
            write!(f, ", {} without a number", self.without_number)?;
        }
        Ok(())
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
