//! Prompts by the kind of text that answers them.

use sterna_checkpoint::Tokenizer;
use sterna_run::Request;

use crate::gate::{Case, GateError};

/// Name of the set of prompts that name none.
const UNNAMED: &str = "prompts";

/// A prompt.
#[derive(Clone, Debug)]
pub struct SetPrompt {
    /// How it begins, for people.
    pub name: String,
    /// The request: greedy, ended by the model's own end token or its stop texts.
    pub request: Request,
}

/// Prompts whose answers are of one kind, such as copies or stories: how often drafts are right depends on little else.
#[derive(Clone, Debug)]
pub struct PromptSet {
    /// Its name.
    pub name: String,
    /// Its prompts.
    pub prompts: Vec<SetPrompt>,
}

/// The sets of `cases` in the order of their first prompts, for answers of at most `most` tokens in a context of `context`
/// positions.
///
/// # Errors
/// A prompt that cannot be encoded, or does not fit with its answer.
pub fn prompt_sets(
    cases: &[Case],
    tokenizer: &Tokenizer,
    most: usize,
    context: usize,
) -> Result<Vec<PromptSet>, GateError> {
    let mut sets: Vec<PromptSet> = Vec::new();
    for case in cases {
        let (prompt, name) = (case.ids(tokenizer)?, case.name());
        let need = prompt.len().saturating_add(most);
        if most == 0 || need > context {
            return Err(GateError::Options(format!(
                "prompt {name}: {} tokens and an answer of {most} need {need} positions in a context of {context}: give a \
                 larger --context, if the model allows one, or a --decode of at least 1 that fits",
                prompt.len()
            )));
        }
        let set = case.set.as_deref().unwrap_or(UNNAMED);
        let request =
            Request { prompt, max_tokens: Some(most), stop: case.stop.clone(), ..Request::default() };
        let prompt = SetPrompt { name, request };
        match sets.iter_mut().find(|s| s.name == set) {
            Some(known) => known.prompts.push(prompt),
            None => sets.push(PromptSet { name: set.to_owned(), prompts: vec![prompt] }),
        }
    }
    Ok(sets)
}
