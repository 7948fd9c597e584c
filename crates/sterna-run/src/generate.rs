//! From a prompt to text: prefill, then one token at a time until something ends it.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use sterna_checkpoint::Tokenizer;
use sterna_plan::Wanted;

use crate::sample::{self, ParamError, SampleError, SamplingParams};
use crate::session::{Session, SessionError};
use crate::stop::{StopError, StopMatcher};
use crate::stream::Utf8Stream;
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
}

/// What a caller hears while text is made.
pub trait Listener {
    /// `done` of `total` prompt tokens are evaluated.
    fn prefill(&mut self, done: usize, total: usize) {
        let _ = (done, total);
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

/// Answers a request. The session keeps the state of prompt and answer for the next turn.
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
    let mut matcher = StopMatcher::new(request.stop.iter().cloned())?;
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
    session.ask(&request.prompt[reused..], wanted, &mut |done| listener.prefill(reused + done, total))?;
    let prefill = start.elapsed();
    let fed = Fact::Whole((total - reused) as u64);
    session.span(Role::Prefill, began, &[("tokens", fed), ("reused", Fact::Whole(reused as u64))]);

    let vocab = session.executor().plan().vocab;
    let mut scratch = sample::Scratch::default();
    let mut history = request.prompt.clone();
    let mut bytes = Utf8Stream::new();
    let mut out = Generated {
        tokens: Vec::new(),
        text: String::new(),
        margins: Vec::new(),
        finish: Finish::Length,
        prompt_tokens: total,
        reused_tokens: reused,
        prefill,
        decode: Duration::ZERO,
    };
    let decode = Instant::now();
    loop {
        if request.max_tokens.is_some_and(|max| out.tokens.len() >= max) {
            break;
        }
        let began = session.clock();
        let (token, margin) = choose(session, vocab, &history, &request.sampling, &mut scratch)?;
        let chosen = Fact::Whole(u64::from(token));
        session.span(Role::Sample, began, &[("token", chosen), ("margin", Fact::Number(margin.into()))]);
        out.margins.push(margin);
        out.decode = decode.elapsed();
        if !request.ignore_end && tokenizer.config().eos.contains(&token) {
            out.finish = Finish::End { token };
            break;
        }
        out.tokens.push(token);
        history.push(token);
        let began = session.clock();
        let push = matcher.push(&bytes.push(&tokenizer.token_bytes(token).unwrap_or_default()));
        out.text.push_str(&push.emit);
        let flow = if push.emit.is_empty() { ControlFlow::Continue(()) } else { listener.text(&push.emit) };
        session.span(Role::Text, began, &[("token", chosen), ("text", Fact::Text(&push.emit))]);
        if push.stopped {
            out.finish = Finish::Stop { text: matcher.matched().unwrap_or_default().to_owned() };
            return Ok(out);
        }
        if flow.is_break() {
            out.finish = Finish::Cancelled;
            return Ok(out);
        }
        if request.max_tokens.is_some_and(|max| out.tokens.len() >= max) {
            break;
        }
        if session.remaining() == 0 {
            out.finish = Finish::Context;
            break;
        }
        let began = session.clock();
        session.ask(&[token], wanted, &mut |_| {})?;
        session.span(Role::Decode, began, &[("token", chosen)]);
    }
    let last = matcher.push(&bytes.finish());
    out.text.push_str(&last.emit);
    let mut tail = last.emit;
    if last.stopped {
        out.finish = Finish::Stop { text: matcher.matched().unwrap_or_default().to_owned() };
    } else {
        let held = matcher.finish();
        out.text.push_str(&held);
        tail.push_str(&held);
    }
    if !tail.is_empty() {
        let _ = listener.text(&tail);
    }
    Ok(out)
}

/// The next token and the margin of the best over the second.
fn choose(
    session: &Session,
    vocab: usize,
    history: &[u32],
    params: &SamplingParams,
    scratch: &mut sample::Scratch,
) -> Result<(u32, f32), SampleError> {
    let outputs = session.outputs();
    let row = outputs.rows.last().copied().unwrap_or(0);
    let top = outputs.top_of(row).unwrap_or_default();
    let margin = top.logit - top.second;
    match outputs.logits_of(row) {
        Some(logits) => {
            let token = sample::sample(logits, vocab, history, history.len() as u64, params, scratch)?;
            Ok((token.id, token.margin))
        }
        None => Ok((top.token, margin)),
    }
}
