//! How good a model's answers are, by rules that are written into the result: perplexity of a text, accuracy on tasks.
//!
//! A result carries its [`Protocol`]. Two results are compared only if their protocols are equal: other windows, another
//! text, another budget or another tokenizer give other figures for the same model, so the comparison is refused.

mod answer;
mod choice;
mod compare;
mod number;
mod pairs;
mod perplexity;
mod protocol;
mod task;

pub use answer::{AnswerItem, AnswerResult, Form, Judge, normalise};
pub use choice::{ChoiceItem, ChoiceResult};
pub use compare::{Change, Comparison, compare};
pub use number::last_number;
pub use pairs::Pairs;
pub use perplexity::{Bos, PerplexityOptions, PerplexityResult, perplexity, perplexity_protocol};
pub use protocol::{PerplexityProtocol, Protocol, RULES, Subject, TaskProtocol};
pub use task::{Item, TaskOptions, TaskResult, Tasks, task_protocol, tasks};

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{GateError, cases};

/// A result with everything that a later run needs to be compared with it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QualityReport {
    /// How it was measured.
    pub protocol: Protocol,
    /// What was measured.
    pub subject: Subject,
    /// Perplexity of a text.
    pub perplexity: Option<PerplexityResult>,
    /// Accuracy on tasks.
    pub tasks: Option<TaskResult>,
}

impl QualityReport {
    /// Reads a stored result.
    ///
    /// # Errors
    /// A file that cannot be read or is no result.
    pub fn open(path: &Path) -> Result<Self, GateError> {
        let text = cases::read(path)?;
        serde_json::from_str(&text).map_err(|e| GateError::Line {
            path: path.display().to_string(),
            line: e.line(),
            why: format!("no stored quality result: {e}"),
        })
    }
}

impl fmt::Display for QualityReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.subject)?;
        if let Some(p) = &self.perplexity {
            write!(f, "\n{p}")?;
        }
        if let Some(t) = &self.tasks {
            write!(f, "\n{t}")?;
        }
        write!(f, "\n{}", self.protocol)
    }
}
