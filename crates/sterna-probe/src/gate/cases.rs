//! Prompt files and transcripts: one JSON object a line, read with the line's number in every complaint.

use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sterna_checkpoint::Tokenizer;

use super::GateError;
use crate::table::count;

/// One prompt, and what is expected of it. A prompt file names prompts alone; a transcript also names answers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// The prompt as text; special tokens may be written out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The prompt's token ids. With a text, what the text must be cut into.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<Vec<u32>>,
    /// The expected greedy tokens.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tokens: Vec<u32>,
    /// Logit of each expected token less that of the runner-up, in the engine that wrote the transcript. Without
    /// margins no difference can be a near tie.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub margins: Vec<f32>,
    /// The runners-up.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seconds: Vec<u32>,
    /// Texts that end an answer, where answers are generated as text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stop: Vec<String>,
    /// Set that it belongs to: prompts whose answers are of one kind, where kinds are told apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set: Option<String>,
}

impl Case {
    /// A prompt of text alone.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: Some(text.into()), ..Self::default() }
    }

    /// The prompt's tokens: those of the file, or else the text's.
    ///
    /// # Errors
    /// A text that cannot be encoded, a prompt without tokens.
    pub fn ids(&self, tokenizer: &Tokenizer) -> Result<Vec<u32>, GateError> {
        let ids = match (&self.prompt, &self.text) {
            (Some(ids), _) => ids.clone(),
            (None, Some(text)) => tokenizer.encode(text, true)?,
            (None, None) => Vec::new(),
        };
        if ids.is_empty() {
            return Err(GateError::Options(format!("prompt {}: no tokens", self.name())));
        }
        Ok(ids)
    }

    /// The same, where the text, if there is one too, must be cut into exactly these.
    ///
    /// # Errors
    /// As [`Case::ids`]; a text that is cut in another way.
    pub fn agreed_ids(&self, tokenizer: &Tokenizer) -> Result<Vec<u32>, GateError> {
        let ids = self.ids(tokenizer)?;
        if let (Some(text), Some(_)) = (&self.text, &self.prompt)
            && tokenizer.encode(text, true)? != ids
        {
            return Err(GateError::Options(format!(
                "prompt {}: this model cuts the text into other tokens than `prompt` names; leave one of them out",
                self.name()
            )));
        }
        Ok(ids)
    }

    /// The beginning of the text, or the number of tokens, for people.
    pub fn name(&self) -> String {
        match (&self.text, &self.prompt) {
            (Some(text), _) => format!("{:?}", text.chars().take(24).collect::<String>()),
            (None, ids) => count(ids.as_ref().map_or(0, Vec::len), "token"),
        }
    }

    /// What is wrong with it by itself.
    pub(super) fn complaint(&self) -> Option<String> {
        let n = self.tokens.len();
        if self.text.is_none() && self.prompt.is_none() {
            return Some("neither `text` nor `prompt`".into());
        }
        if self.prompt.as_ref().is_some_and(Vec::is_empty) {
            return Some("`prompt` has no tokens".into());
        }
        if self.stop.iter().any(String::is_empty) {
            return Some("an empty stop text would end every answer".into());
        }
        if let Some(set) = &self.set
            && (set.is_empty() || set.len() > 64 || set.chars().any(char::is_control))
        {
            return Some("`set` is a name of 1 to 64 bytes without control characters".into());
        }
        for (what, len) in [("margins", self.margins.len()), ("seconds", self.seconds.len())] {
            if len != 0 && len != n {
                return Some(format!("{n} tokens and {len} {what}"));
            }
        }
        let bad = self.margins.iter().find(|m| m.is_nan() || **m < 0.0);
        bad.map(|m| format!("a margin of {m}: the best token leads by at least 0"))
    }
}

/// Reads a prompt file: [`Case`] objects, one a line. A transcript is one too; its header is passed over.
///
/// # Errors
/// A file that cannot be read, a line that is no prompt, no prompts.
pub fn prompts(path: &Path) -> Result<Vec<Case>, GateError> {
    let text = read(path)?;
    let name = path.display().to_string();
    let rest = match super::transcript::header_of(&name, &text)? {
        Some(_) => 1,
        None => 0,
    };
    cases(&name, &text, rest)
}

/// The prompts that come with the program, in four sets: `copy` (quote a text, or go on with a pattern), `structured`
/// (lists and tables), `story` and `chat`. Plain text and ChatML, for small models.
///
/// # Errors
/// None, unless the program was built from a broken tree.
pub fn built_in_prompts() -> Result<Vec<Case>, GateError> {
    cases("the built-in prompts", include_str!("prompts.jsonl"), 0)
}

/// Reads the cases after the first `skip` lines that are not empty.
pub(super) fn cases(name: &str, text: &str, skip: usize) -> Result<Vec<Case>, GateError> {
    let cases: Vec<(usize, Case)> = lines(name, text, skip)?;
    if let Some((line, why)) = cases.iter().find_map(|(line, c)| Some((*line, c.complaint()?))) {
        return Err(GateError::Line { path: name.into(), line, why });
    }
    Ok(cases.into_iter().map(|(_, c)| c).collect())
}

/// A whole text file.
pub(super) fn read(path: &Path) -> Result<String, GateError> {
    std::fs::read_to_string(path)
        .map_err(|source| GateError::Read { path: path.display().to_string(), source })
}

/// One value for each line that is not empty, with its number, after the first `skip` of them.
pub(super) fn lines<T: DeserializeOwned>(
    name: &str,
    text: &str,
    skip: usize,
) -> Result<Vec<(usize, T)>, GateError> {
    let mut out = Vec::new();
    let full = text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty());
    for (at, line) in full.skip(skip) {
        let broken = |why: String| GateError::Line { path: name.into(), line: at + 1, why };
        // A list would be read as an object's values in their order.
        if line.trim_start().starts_with('[') {
            return Err(broken("a list; one JSON object a line is expected".into()));
        }
        let value = serde_json::from_str(line).map_err(|e| broken(e.to_string()))?;
        out.push((at + 1, value));
    }
    if out.is_empty() {
        return Err(GateError::Line {
            path: name.into(),
            line: 1,
            why: "nothing in it; one JSON object a line is expected".into(),
        });
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_line_is_named() {
        let of = |text: &str| cases("f", text, 0).map_err(|e| e.to_string());
        let good = "{\"text\":\"a\"}\n\n{\"prompt\":[1],\"tokens\":[2],\"margins\":[0.5]}\n";
        assert_eq!(of(good).unwrap().len(), 2);
        for (text, line, why) in [
            ("", 1, "nothing in it"),
            ("{\"text\":\"a\"}\n{\"txt\":\"b\"}", 2, "unknown field"),
            ("{\"text\":\"a\"}\n\n{}", 3, "neither"),
            ("{\"prompt\":[]}", 1, "no tokens"),
            ("{\"prompt\":[-1]}", 1, "-1"),
            ("{\"prompt\":[1],\"tokens\":[1,2],\"margins\":[1]}", 1, "2 tokens and 1 margins"),
            ("{\"prompt\":[1],\"tokens\":[1],\"margins\":[-1]}", 1, "margin of -1"),
            ("{\"text\":\"a\",\"stop\":[\"\"]}", 1, "empty stop"),
            ("not json", 1, "expected"),
            (" [\"a\"]", 1, "a list"),
        ] {
            let said = of(text).unwrap_err();
            assert!(said.starts_with(&format!("f, line {line}: ")) && said.contains(why), "{text}: {said}");
        }
    }
}
