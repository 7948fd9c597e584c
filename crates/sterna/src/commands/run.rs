//! `sterna run`: continue a text, or answer it.

use std::io::{IsTerminal, Read, Write};
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use indicatif::ProgressBar;
use sterna_probe::trace::Trace;
use sterna_run::chat::{ChatTemplate, Message};
use sterna_run::speculate::{ProposerTotals, Speculator};
use sterna_run::trace::Fact;
use sterna_run::{Finish, Generated, Listener, Request, Session, generate};

use super::output::say;
use super::{Outcome, output, trace};
use crate::cli::{RunArgs, SamplingArgs};
use crate::engine::Engine;

/// Tokens made when nobody says how many.
pub const DEFAULT_TOKENS: usize = 256;

/// Writes text as it comes, and a bar while a long prompt is read.
pub struct Printer {
    bar: ProgressBar,
    quiet: bool,
    failed: Option<std::io::Error>,
    stop: Option<Arc<AtomicBool>>,
    before: String,
    /// Drafted text is underlined.
    marks: bool,
    underlined: bool,
}

impl Printer {
    /// A printer; a quiet one shows nothing.
    pub fn new(quiet: bool) -> Self {
        Self {
            bar: ProgressBar::hidden(),
            quiet,
            failed: None,
            stop: None,
            before: String::new(),
            marks: false,
            underlined: false,
        }
    }

    /// Stops the text as soon as `flag` is set.
    pub fn stopped_by(mut self, flag: Option<&Arc<AtomicBool>>) -> Self {
        self.stop = flag.map(Arc::clone);
        self
    }

    /// Underlines what was drafted and accepted, on a terminal.
    pub fn marking(mut self, marks: bool) -> Self {
        self.marks = marks && std::io::stdout().is_terminal();
        self
    }

    /// Text to show before the first that is made; nothing is shown of a prompt that is refused.
    pub fn begin_with(&mut self, text: String) {
        self.before = text;
    }

    /// What writing failed with, if it did.
    pub fn finish(mut self) -> std::io::Result<()> {
        self.bar.finish_and_clear();
        self.drafted(false);
        self.failed.map_or(Ok(()), Err)
    }
}

impl Listener for Printer {
    fn prefill(&mut self, done: usize, total: usize) {
        if self.bar.is_hidden() && total > 256 && done < total {
            self.bar = output::tokens_bar("reading the prompt", self.quiet);
            self.bar.set_length(total as u64);
        }
        self.bar.set_position(done as u64);
        if done == total {
            self.bar.finish_and_clear();
        }
    }

    fn drafted(&mut self, drafted: bool) {
        if self.marks && !self.quiet && self.failed.is_none() && drafted != self.underlined {
            self.underlined = drafted;
            let mut out = std::io::stdout().lock();
            self.failed = out.write_all(if drafted { b"\x1b[4m" } else { b"\x1b[24m" }).err();
        }
    }

    fn text(&mut self, text: &str) -> ControlFlow<()> {
        if self.stop.as_ref().is_some_and(|s| s.load(Ordering::Relaxed)) {
            return ControlFlow::Break(());
        }
        if self.quiet {
            return ControlFlow::Continue(());
        }
        let mut out = std::io::stdout().lock();
        let before = std::mem::take(&mut self.before);
        match out
            .write_all(before.as_bytes())
            .and_then(|()| out.write_all(text.as_bytes()))
            .and_then(|()| out.flush())
        {
            Ok(()) => ControlFlow::Continue(()),
            Err(e) => {
                self.failed = Some(e);
                ControlFlow::Break(())
            }
        }
    }
}

/// The model's own template, or ChatML when it brings none.
pub fn template(engine: &Engine) -> Result<ChatTemplate, Box<dyn std::error::Error>> {
    Ok(match &engine.model.tokenizer.config().chat_template {
        Some(source) => ChatTemplate::new(source)?,
        None => ChatTemplate::chatml()?,
    })
}

/// Messages as prompt tokens, ready for the assistant's answer.
pub fn chat_prompt(
    engine: &Engine,
    template: &ChatTemplate,
    messages: &[Message],
) -> Result<Vec<u32>, Box<dyn std::error::Error>> {
    let tokenizer = &engine.model.tokenizer;
    let text = template.prompt(messages, tokenizer)?;
    // A template that writes the begin token itself must not get a second one.
    let bos = tokenizer.config().bos.and_then(|id| tokenizer.id_to_token(id)).unwrap_or_default();
    let add_special = bos.is_empty() || !text.starts_with(&bos);
    Ok(tokenizer.encode(&text, add_special)?)
}

/// The request that flags describe.
pub fn request(prompt: Vec<u32>, args: &SamplingArgs) -> Request {
    Request {
        prompt,
        max_tokens: Some(args.max_tokens.unwrap_or(DEFAULT_TOKENS)),
        sampling: args.params(),
        stop: args.stop.clone(),
        ignore_end: args.ignore_end,
    }
}

/// Figures of one answer for machines.
pub fn report(engine: &Engine, session: &Session, made: &Generated) -> serde_json::Value {
    let (backend, limits) = engine.device();
    let per_second =
        |n: usize, t: std::time::Duration| (n > 0 && !t.is_zero()).then(|| n as f64 / t.as_secs_f64());
    let proposers = session.speculator().map(Speculator::totals).unwrap_or_default();
    let proposer = |t: &ProposerTotals| {
        serde_json::json!({
            "name": t.name,
            "rounds": t.rounds,
            "proposed": t.proposed(),
            "accepted": t.accepted(),
            "failure": t.failure,
        })
    };
    serde_json::json!({
        "model": engine.model.name,
        "backend": backend,
        "device": limits.description,
        "text": made.text,
        "finish": made.finish.name(),
        "tokens": made.tokens,
        "margins": made.margins,
        "prompt_tokens": made.prompt_tokens,
        "reused_tokens": made.reused_tokens,
        "prefill_seconds": made.prefill.as_secs_f64(),
        "decode_seconds": made.decode.as_secs_f64(),
        "prefill_tokens_per_second": per_second(made.prompt_tokens - made.reused_tokens, made.prefill),
        "rounds": made.drafts.rounds,
        "drafts_proposed": made.drafts.proposed,
        "drafts_accepted": made.drafts.accepted,
        "proposers": proposers.iter().map(proposer).collect::<Vec<_>>(),
        "decode_tokens_per_second": per_second(made.tokens.len().saturating_sub(1), made.decode),
    })
}

/// Says why nothing came, where nothing did: an empty answer looks like a program that failed.
pub fn note_empty(made: &Generated) {
    if let Some(note) = empty(made) {
        output::complain(note);
    }
}

fn empty(made: &Generated) -> Option<String> {
    let Finish::End { token } = made.finish else { return None };
    if !made.tokens.is_empty() {
        return None;
    }
    // The first of equal logits is taken, which may happen to be the end token.
    let tie = if made.margins.first() == Some(&0.0) { ", no more likely than another token" } else { "" };
    Some(format!(
        "note: no text was made: the first token was the model's end token ({token}){tie}; --ignore-end goes on after it"
    ))
}

/// Runs the command.
pub fn main(args: &RunArgs) -> Outcome {
    let trace = trace::open(args.trace.as_deref(), trace::Interrupts::End)?;
    let outcome = answer(args, trace.as_ref());
    let traced = trace::finish(trace.as_ref());
    outcome.and_then(|code| traced.map(|()| code))
}

fn answer(args: &RunArgs, trace: Option<&Trace>) -> Outcome {
    let mut text = args.prompt.clone();
    if text == "-" {
        text.clear();
        std::io::stdin().read_to_string(&mut text)?;
    }
    let began = Instant::now();
    let engine = Engine::open(args.model.model.as_deref(), &args.speculate.apply(args.model.options())?)?;
    if let Some(t) = trace {
        t.add("open and plan", began, &[("model", Fact::Text(&engine.model.name))]);
    }
    let began = Instant::now();
    let prompt = if args.chat {
        let mut messages = Vec::new();
        messages.extend(args.system.iter().map(|s| Message::new("system", s)));
        messages.push(Message::new("user", &text));
        chat_prompt(&engine, &template(&engine)?, &messages)?
    } else {
        engine.model.tokenizer.encode(&text, true)?
    };
    if let Some(t) = trace {
        t.add("tokenise", began, &[("tokens", Fact::Whole(prompt.len() as u64))]);
    }
    let began = Instant::now();
    let mut session = output::load_speculating(&engine, args.model.json)?;
    if let Some(t) = trace {
        let bytes = session.executor().memory().weights;
        t.add("load weights", began, &[("bytes", Fact::Whole(bytes as u64))]);
        session.trace(Some(Box::new(t.clone())));
    }
    let mut printer = Printer::new(args.model.json);
    if !args.chat {
        printer.begin_with(text);
    }
    let ids = prompt.clone();
    let made =
        generate(&mut session, &engine.model.tokenizer, &request(prompt, &args.sampling), &mut printer);
    printer.finish()?;
    let made = made?;
    for t in session.speculator().map(Speculator::totals).unwrap_or_default() {
        if let Some(failure) = t.failure {
            output::complain(format_args!("note: {} stopped proposing: {failure}", t.name));
        }
    }
    if args.model.json {
        let mut report = report(&engine, &session, &made);
        if args.show_tokens {
            report["prompt"] = serde_json::json!(ids);
        }
        say!("{report}");
        return Ok(ExitCode::SUCCESS);
    }
    say!();
    if args.show_tokens {
        say!("\nprompt tokens: {ids:?}\nanswer tokens: {:?}", made.tokens);
    }
    if std::io::stderr().is_terminal() {
        output::complain(format_args!(
            "\n[{}: {} prompt tokens at {}, {} tokens at {}{}, ended by {}]",
            engine.model.name,
            made.prompt_tokens,
            output::rate(made.prompt_tokens, made.prefill),
            made.tokens.len(),
            output::rate(made.tokens.len().saturating_sub(1), made.decode),
            output::drafts(made.drafts),
            made.finish.name()
        ));
    }
    note_empty(&made);
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_without_text_is_explained() {
        let made = |tokens: Vec<u32>, margin: f32, finish: Finish| Generated {
            tokens,
            text: String::new(),
            margins: vec![margin],
            finish,
            prompt_tokens: 1,
            reused_tokens: 0,
            prefill: std::time::Duration::ZERO,
            decode: std::time::Duration::ZERO,
            drafts: sterna_run::Drafts::default(),
        };
        let end = Finish::End { token: 2 };
        let note = empty(&made(vec![], 1.5, end.clone())).unwrap();
        assert!(note.contains("end token (2);") && note.contains("--ignore-end"), "{note}");
        assert!(empty(&made(vec![], 0.0, end.clone())).unwrap().contains("no more likely"));
        assert_eq!(empty(&made(vec![7], 1.5, end)), None);
        assert_eq!(empty(&made(vec![], 1.5, Finish::Length)), None, "`-n 0` asked for nothing");
    }
}
