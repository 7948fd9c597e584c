//! A task file and its results.
//!
//! One JSON object a line:
//!
//! ```json
//! {"task": "choice", "context": "The sky is", "choices": [" blue", " loud"], "answer": 0}
//! {"task": "answer", "prompt": "Her name was Ann. Her name was", "answers": ["Ann"], "stop": ["."], "max_tokens": 4}
//! {"task": "answer", "form": "chat", "judge": "last-number", "prompt": "Ann has 2 hats and buys 3. How many has she?", "answers": ["5"], "stop": []}
//! ```

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};
use sterna_checkpoint::Tokenizer;
use sterna_run::Session;

use super::super::{GateError, cases, fingerprint};
use super::{
    AnswerItem, AnswerResult, Bos, ChoiceItem, ChoiceResult, Judge, TaskProtocol, answer, choice, number,
};
use crate::table::count;

/// One line of a task file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "task", rename_all = "kebab-case")]
pub enum Item {
    /// Multiple choice.
    Choice(ChoiceItem),
    /// A short answer.
    Answer(AnswerItem),
}

/// A task file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tasks {
    /// SHA-256 of the file.
    pub sha256: String,
    /// Its items.
    pub items: Vec<Item>,
}

impl Tasks {
    /// Reads a task file.
    ///
    /// # Errors
    /// A file that cannot be read, a line that is no item.
    pub fn open(path: &Path) -> Result<Self, GateError> {
        Self::parse(&path.display().to_string(), &cases::read(path)?)
    }

    /// Reads the text of a task file; `name` names it in errors.
    ///
    /// # Errors
    /// As [`Tasks::open`].
    pub fn parse(name: &str, text: &str) -> Result<Self, GateError> {
        let lines: Vec<(usize, Item)> = cases::lines(name, text, 0)?;
        for (line, item) in &lines {
            let complaint = match item {
                Item::Choice(c) => c.complaint(),
                Item::Answer(a) => a.complaint(),
            };
            if let Some(why) = complaint {
                return Err(GateError::Line { path: name.into(), line: *line, why: why.into() });
            }
        }
        let items = lines.into_iter().map(|(_, i)| i).collect();
        Ok(Self { sha256: fingerprint::bytes(text.as_bytes()), items })
    }
}

/// How to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskOptions {
    /// The begin token.
    pub bos: Bos,
    /// Most tokens of a short answer, where the item does not say.
    pub max_tokens: usize,
    /// Most items, from the beginning of the file.
    pub limit: usize,
}

/// What came out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskResult {
    /// Of the multiple-choice items.
    pub choice: Option<ChoiceResult>,
    /// Of the short answers.
    pub answer: Option<AnswerResult>,
}

/// The items that count; at least one.
fn chosen<'a>(tasks: &'a Tasks, options: &TaskOptions) -> Result<&'a [Item], GateError> {
    let items = &tasks.items[..tasks.items.len().min(options.limit)];
    if items.is_empty() || options.max_tokens == 0 {
        let (n, max) = (count(items.len(), "item"), count(options.max_tokens, "token"));
        return Err(GateError::Options(format!("{n} with answers of at most {max}: no task")));
    }
    Ok(items)
}

/// How [`tasks`] would measure, without measuring.
///
/// # Errors
/// As [`tasks`], less those of a session.
pub fn task_protocol(
    tokenizer: &Tokenizer,
    tasks: &Tasks,
    options: &TaskOptions,
) -> Result<TaskProtocol, GateError> {
    let bos = options.bos.token(tokenizer)?;
    let mut tokens: Vec<Vec<u32>> = Vec::new();
    let (mut choices, mut answers, mut numbers) = (0, 0, false);
    for (i, item) in chosen(tasks, options)?.iter().enumerate() {
        match item {
            Item::Choice(c) => {
                choices += 1;
                let prepared = choice::prepare(tokenizer, c, bos, &item_name(i))?;
                tokens.extend(prepared.into_iter().map(|p| p.ids));
            }
            Item::Answer(a) => {
                answers += 1;
                tokens.push(a.ids(tokenizer, bos, &item_name(i))?);
                numbers |= a.judge == Judge::LastNumber;
            }
        }
    }
    Ok(TaskProtocol {
        file_sha256: tasks.sha256.clone(),
        tokens_sha256: fingerprint::tokens(tokens.iter().map(Vec::as_slice)),
        items: (choices, answers),
        bos,
        max_tokens: options.max_tokens,
        choice: choice::RULE.into(),
        // A file without such items has the protocol it always had.
        answer: if numbers { format!("{}; {}", answer::RULE, number::RULE) } else { answer::RULE.into() },
    })
}

fn item_name(at: usize) -> String {
    format!("item {}", at + 1)
}

/// Answers every item. `progress` hears items done and in all. What the session held is forgotten.
///
/// # Errors
/// Items that do not fit the context or have no tokens, options of 0, a session that fails.
pub fn tasks(
    session: &mut Session,
    tokenizer: &Tokenizer,
    tasks: &Tasks,
    options: &TaskOptions,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<(TaskProtocol, TaskResult), GateError> {
    let protocol = task_protocol(tokenizer, tasks, options)?;
    let items = chosen(tasks, options)?;
    let bos = protocol.bos;
    session.truncate(0).map_err(GateError::session("tasks"))?;
    let (mut choices, mut answers) = (choice::Scores::default(), answer::Scores::default());
    for (i, item) in items.iter().enumerate() {
        let name = item_name(i);
        match item {
            Item::Choice(c) => {
                let prepared = choice::prepare(tokenizer, c, bos, &name)?;
                choices.add(session, c, &prepared, &name)?;
            }
            Item::Answer(a) => {
                let prompt = a.ids(tokenizer, bos, &name)?;
                answers.add(session, tokenizer, a, prompt, options.max_tokens, &name)?;
            }
        }
        progress(i + 1, items.len());
    }
    Ok((protocol, TaskResult { choice: choices.result(), answer: answers.result() }))
}

/// `ids` after the begin token.
pub(super) fn with_bos(bos: Option<u32>, ids: Vec<u32>) -> Vec<u32> {
    bos.into_iter().chain(ids).collect()
}

impl fmt::Display for TaskResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines = Vec::new();
        if let Some(c) = &self.choice {
            lines.push(c.to_string());
        }
        if let Some(a) = &self.answer {
            lines.push(a.to_string());
        }
        write!(f, "{}", lines.join("\n"))
    }
}

/// Standard error of a share, in percentage points.
pub(super) fn share_error(right: usize, of: usize) -> f64 {
    let (n, p) = (of.max(1) as f64, right as f64 / of.max(1) as f64);
    100.0 * (p * (1.0 - p) / n).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_item_is_named_by_its_line() {
        let good = "{\"task\":\"choice\",\"context\":\"a\",\"choices\":[\"b\",\"c\"],\"answer\":1}\n\n{\"task\":\"answer\",\"prompt\":\"a\",\"answers\":[\"b\"]}";
        let tasks = Tasks::parse("f", good).unwrap();
        assert_eq!(tasks.items.len(), 2);
        assert_ne!(tasks.sha256, Tasks::parse("f", &format!("{good}\n")).unwrap().sha256);
        for (from, to, line, why) in [
            ("\"answer\":1", "\"answer\":2", 1, "answer"),
            ("\"c\"]", "\"\"]", 1, "empty"),
            ("[\"b\",\"c\"]", "[\"b\"]", 1, "two"),
            ("\"context\":\"a\"", "\"contxt\":\"a\"", 1, "contxt"),
            ("[\"b\"]}", "[\"\"]}", 3, "answers"),
            ("[\"b\"]}", "[]}", 3, "answers"),
            ("[\"b\"]}", "[\"b\"],\"max_tokens\":0}", 3, "max_tokens"),
            ("[\"b\"]}", "[\"b\"],\"stop\":[\"\"]}", 3, "stop"),
            ("\"task\":\"answer\"", "\"task\":\"essay\"", 3, "essay"),
            ("\"prompt\":\"a\"", "\"prompt\":\"\"", 3, "prompt"),
            ("\"prompt\":\"a\"", "\"prompt\":\"a\",\"form\":\"poem\"", 3, "poem"),
            ("\"prompt\":\"a\"", "\"prompt\":\"a\",\"judge\":\"last-number\"", 3, "has a number"),
        ] {
            assert!(good.contains(from), "{from}");
            let said = Tasks::parse("f", &good.replace(from, to)).unwrap_err().to_string();
            assert!(said.starts_with(&format!("f, line {line}: ")) && said.contains(why), "{to}: {said}");
        }
    }
}
