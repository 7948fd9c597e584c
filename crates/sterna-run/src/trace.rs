//! Who is told what a session's time goes to. Without a listener no clock is looked at.

use std::time::Instant;

use sterna_plan::{CallStats, Executor};

/// What a span of time was spent on. Calls of the executor lie inside spans of prefill, decode and verify.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Role {
    /// Reading a prompt.
    Prefill,
    /// Evaluating one token that was made.
    Decode,
    /// Proposing tokens.
    Draft,
    /// Evaluating a token that was made and those proposed after it.
    Verify,
    /// Choosing a token.
    Sample,
    /// Turning a token into text, looking for stop strings, and handing the text to whoever listens.
    Text,
}

impl Role {
    /// "prefill", "decode", "draft", "verify", "sample" or "text".
    pub fn name(self) -> &'static str {
        match self {
            Role::Prefill => "prefill",
            Role::Decode => "decode",
            Role::Draft => "draft",
            Role::Verify => "verify",
            Role::Sample => "sample",
            Role::Text => "text",
        }
    }
}

/// A value that tells more about a span.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fact<'a> {
    /// A count or a token.
    Whole(u64),
    /// A number.
    Number(f64),
    /// A text.
    Text(&'a str),
}

/// A span of time on the thread that runs the session.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span<'a> {
    /// What for.
    pub role: Role,
    /// It began.
    pub start: Instant,
    /// It ended.
    pub end: Instant,
    /// More about it.
    pub facts: &'a [(&'static str, Fact<'a>)],
}

/// One call of an executor that has ended; the executor tells its plan and when its ops ran.
#[derive(Clone, Copy)]
pub struct TracedCall<'a> {
    /// It began.
    pub start: Instant,
    /// It ended.
    pub end: Instant,
    /// Entry point.
    pub entry: usize,
    /// Rows.
    pub rows: usize,
    /// Position of the first row.
    pub position: usize,
    /// What it cost.
    pub stats: CallStats,
    /// Who ran it.
    pub executor: &'a dyn Executor,
}

/// Is told of every call and span of a session, each after it has ended, inner ones first.
pub trait Tracer: Send {
    /// A call of the executor.
    fn call(&mut self, call: &TracedCall<'_>);
    /// Anything else.
    fn span(&mut self, span: &Span<'_>);
}
