//! From a prompt to text: what is asked for, what comes out, and the prompt's part of the work.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use sterna_checkpoint::Tokenizer;
use sterna_plan::Wanted;

use crate::decode::Decoder;
use crate::sample::{ParamError, SampleError, SamplingParams};
use crate::session::{Session, SessionError};
use crate::speculate::Kept;
use crate::stop::{StopError, StopMatcher};
use crate::trace::{Fact, Role};

/// Why a generation could not be made or finished.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GenerateError {
    /// Sampling parameters out of range.
    #[error(transparent)]
    Params(#[from] ParamError),
    /// An unusable stop string.
    #[error(transparent)]
    Stop(#[from] StopError),
    /// The session's.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The sampler's.
    #[error(transparent)]
    Sample(#[from] SampleError),
}

/// What to generate.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Tokens of the prompt, special ones included.
    pub prompt: Vec<u32>,
    /// Most tokens to make; `None` for as many as the context holds.
    pub max_tokens: Option<usize>,
    /// How to choose.
    pub sampling: SamplingParams,
    /// Texts that end the generation and are not part of it.
    pub stop: Vec<String>,
    /// Go on after the model's own end tokens.
    pub ignore_end: bool,
}

/// What ended a generation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finish {
    /// The model's end token.
    End {
        /// Which one.
        token: u32,
    },
    /// A stop string.
    Stop {
        /// Which one.
        text: String,
    },
    /// `max_tokens` were made.
    Length,
    /// The context is full.
    Context,
    /// The caller asked to stop.
    Cancelled,
}

impl Finish {
    /// "end", "stop", "length", "context" or "cancelled".
    pub fn name(&self) -> &'static str {
        match self {
            Finish::End { .. } => "end",
            Finish::Stop { .. } => "stop",
            Finish::Length => "length",
            Finish::Context => "context",
            Finish::Cancelled => "cancelled",
        }
    }
}

/// What came out.
#[derive(Clone, Debug)]
pub struct Generated {
    /// Tokens made, the end token not among them.
    pub tokens: Vec<u32>,
    /// Their text, up to a stop string.
    pub text: String,
    /// Top-1 minus top-2 logit at each token, end token included.
    pub margins: Vec<f32>,
    /// What ended it.
    pub finish: Finish,
    /// Tokens of the prompt.
    pub prompt_tokens: usize,
    /// Of these, held from an earlier turn and not evaluated.
    pub reused_tokens: usize,
    /// From the request to the first choice.
    pub prefill: Duration,
    /// From the first choice to the last.
    pub decode: Duration,
    /// What speculation did.
    pub drafts: Drafts,
}

/// Drafts of one answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Drafts {
    /// Calls of the target after the prompt's, with drafts or without.
    pub rounds: usize,
    /// Tokens that the target evaluated on a guess.
    pub proposed: usize,
    /// Of these, tokens that are part of the answer.
    pub accepted: usize,
}

/// What a caller hears while text is made.
pub trait Listener {
    /// `done` of `total` prompt tokens are evaluated.
    fn prefill(&mut self, done: usize, total: usize) {
        let _ = (done, total);
    }
    /// Whether the text that comes next was proposed and only had to be verified; told before it, where it changes.
    fn drafted(&mut self, drafted: bool) {
        let _ = drafted;
    }
    /// More text; `Break` stops the generation.
    fn text(&mut self, text: &str) -> ControlFlow<()>;
}

/// Hears nothing.
pub struct Silent;

impl Listener for Silent {
    fn text(&mut self, _: &str) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Answers a request, with the proposers of the session if it has some: the answer and the state that is left are the same
/// as without. The session keeps the state of prompt and answer for the next turn.
///
/// # Errors
/// Bad parameters, a prompt that does not fit, or a failing backend.
pub fn generate(
    session: &mut Session,
    tokenizer: &Tokenizer,
    request: &Request,
    listener: &mut dyn Listener,
) -> Result<Generated, GenerateError> {
    request.sampling.validate()?;
    let matcher = StopMatcher::new(request.stop.iter().cloned())?;
    let total = request.prompt.len();
    if total == 0 {
        return Err(SessionError::Empty.into());
    }
    if total > session.context() {
        let (tokens, context) = (total, session.context());
        return Err(SessionError::ContextFull { tokens, used: 0, context }.into());
    }
    let plain = request.sampling.is_greedy() && request.sampling.repetition_penalty == 1.0;
    let wanted = if plain { Wanted::Argmax } else { Wanted::Logits };
    let start = Instant::now();
    let began = session.clock();
    let reused = session.reuse(&request.prompt)?;
    prefill(session, &request.prompt, reused, wanted, &mut |done| listener.prefill(done, total))?;
    let fed = Fact::Whole((total - reused) as u64);
    session.span(Role::Prefill, began, &[("tokens", fed), ("reused", Fact::Whole(reused as u64))]);
    let out = Generated {
        tokens: Vec::new(),
        text: String::new(),
        margins: Vec::new(),
        finish: Finish::Length,
        prompt_tokens: total,
        reused_tokens: reused,
        prefill: start.elapsed(),
        decode: Duration::ZERO,
        drafts: Drafts::default(),
    };
    let decoder = Decoder::new(session, tokenizer, request, listener, matcher, wanted, out);
    decoder.run()
}

/// Evaluates the prompt from `reused` on and asks for the last token's result.
fn prefill(
    session: &mut Session,
    prompt: &[u32],
    reused: usize,
    wanted: Wanted,
    progress: &mut dyn FnMut(usize),
) -> Result<(), SessionError> {
    if session.speculator().is_none() {
        session.ask(&prompt[reused..], wanted, &mut |done| progress(reused + done))?;
        return Ok(());
    }
    // Call by call, since proposers read each one's hidden states.
    let (mut at, widest) = (reused, session.widest());
    while at < prompt.len() {
        let n = widest.min(prompt.len() - at);
        let last = usize::from(at + n == prompt.len());
        session.feed(&prompt[at..at + n], last, wanted, &mut |_| {}, &mut |_, _, _| {})?;
        session.absorbed(prompt, at, n, Kept::Prompt);
        at += n;
        if at < prompt.len() {
            session.executor_mut().snapshot(0)?;
        }
        progress(at);
    }
    Ok(())
}
