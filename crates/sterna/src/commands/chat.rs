//! `sterna chat`: a conversation, turn by turn. The state of earlier turns is kept, so a turn reads only what is new.

use std::io::{BufRead, IsTerminal, Read, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;
use sterna_run::chat::{ChatTemplate, Message};
use sterna_run::{Session, generate};

use super::output::say;
use super::{Outcome, output, run, trace};
use crate::cli::ChatArgs;
use crate::engine::Engine;

/// What can be typed besides messages.
pub const HELP: &str = "\
/help               this list
/reset              forget the conversation (the system text stays)
/system [TEXT]      show or set the system text; setting it starts afresh
/retry              answer the last message again (with another seed at a temperature above 0)
/undo               take back the last message and its answer
/history            show the conversation
/stats              tokens and speed of the last answer, and how proposers did so far
/drafts             underline what was proposed and accepted, or stop doing so
/quit               leave (also Ctrl-D)
A line that ends with \\ goes on in the next one. Ctrl-C stops an answer or clears the line.";

/// Where lines come from: an editor for a person, plain lines otherwise.
enum Input {
    Editor(Box<DefaultEditor>),
    Plain(std::io::StdinLock<'static>),
}

/// Longest message: more than any context holds, less than what a pipe without lines would fill memory with.
const LONGEST: usize = 1 << 20;

/// What was typed.
#[derive(Debug, PartialEq, Eq)]
enum Typed {
    Text(String),
    /// A message past [`LONGEST`], which was dropped.
    TooLong,
}

/// The next line, without its end; `None` when there is none.
fn line_of(input: &mut impl BufRead) -> std::io::Result<Option<Typed>> {
    let mut bytes = Vec::new();
    if input.by_ref().take(LONGEST as u64 + 1).read_until(b'\n', &mut bytes)? == 0 {
        return Ok(None);
    }
    if bytes.len() > LONGEST && bytes.last() != Some(&b'\n') {
        input.skip_until(b'\n')?;
        return Ok(Some(Typed::TooLong));
    }
    let text =
        String::from_utf8(bytes).map_err(|e| std::io::Error::new(std::io::ErrorKind::InvalidData, e))?;
    let text = text.strip_suffix('\n').unwrap_or(&text);
    Ok(Some(Typed::Text(text.strip_suffix('\r').unwrap_or(text).to_owned())))
}

impl Input {
    fn new() -> Result<Self, ReadlineError> {
        if std::io::stdin().is_terminal() {
            return Ok(Self::Editor(Box::new(DefaultEditor::new()?)));
        }
        Ok(Self::Plain(std::io::stdin().lock()))
    }

    /// `None` at the end of input; an empty text for a line that was cleared.
    fn line(&mut self, prompt: &str) -> Result<Option<Typed>, Box<dyn std::error::Error>> {
        match self {
            Input::Plain(input) => Ok(line_of(input)?),
            Input::Editor(editor) => match editor.readline(prompt) {
                Ok(line) if line.len() > LONGEST => Ok(Some(Typed::TooLong)),
                Ok(line) => {
                    editor.add_history_entry(&line)?;
                    Ok(Some(Typed::Text(line)))
                }
                Err(ReadlineError::Interrupted) => Ok(Some(Typed::Text(String::new()))),
                Err(ReadlineError::Eof) => Ok(None),
                Err(e) => Err(e.into()),
            },
        }
    }

    fn message(&mut self) -> Result<Option<Typed>, Box<dyn std::error::Error>> {
        let mut text = match self.line("> ")? {
            Some(Typed::Text(text)) => text,
            other => return Ok(other),
        };
        let mut is_too_long = false;
        while text.ends_with('\\') {
            text.pop();
            match self.line(". ")? {
                None => break,
                // What follows belongs to the message that is dropped, and is no message of its own.
                Some(Typed::Text(next)) if is_too_long || text.len() + next.len() < LONGEST => {
                    if is_too_long {
                        text.clear();
                    } else {
                        text.push('\n');
                    }
                    text.push_str(&next);
                }
                Some(Typed::Text(next)) => {
                    is_too_long = true;
                    text = next;
                }
                Some(Typed::TooLong) => return Ok(Some(Typed::TooLong)),
            }
        }
        Ok(Some(if is_too_long { Typed::TooLong } else { Typed::Text(text) }))
    }
}

struct Chat<'a> {
    args: &'a ChatArgs,
    engine: Engine,
    session: Session,
    template: ChatTemplate,
    system: Option<String>,
    messages: Vec<Message>,
    stats: Option<String>,
    /// Added to the seed by /retry, so that another draw is made.
    tries: u64,
    /// Set by Ctrl-C while an answer is made; only where a person types.
    interrupted: Option<Arc<AtomicBool>>,
    show_drafts: bool,
}

/// Runs the command.
pub fn main(args: &ChatArgs) -> Outcome {
    let engine = Engine::open(args.model.model.as_deref(), &args.speculate.apply(args.model.options())?)?;
    let template = run::template(&engine)?;
    let mut session = output::load_speculating(&engine, args.model.json)?;
    let mut input = Input::new()?;
    let person = matches!(input, Input::Editor(_)) && !args.model.json;
    if person {
        let (_, limits) = engine.device();
        say!(
            "{} on {}; {} positions. /help for commands.",
            engine.model.name,
            limits.description,
            session.context()
        );
    }
    let system = args.system.clone();
    let interrupted = person.then(|| Arc::new(AtomicBool::new(false)));
    if let Some(flag) = &interrupted {
        signal_hook::flag::register(signal_hook::consts::SIGINT, Arc::clone(flag))?;
    }
    let interrupts = if person { trace::Interrupts::Answer } else { trace::Interrupts::End };
    let trace = trace::open(args.trace.as_deref(), interrupts)?;
    if let Some(t) = &trace {
        session.trace(Some(Box::new(t.clone())));
    }
    let mut chat = Chat {
        args,
        engine,
        session,
        template,
        system,
        messages: Vec::new(),
        stats: None,
        tries: 0,
        interrupted,
        show_drafts: args.show_drafts,
    };
    let outcome = chat.turns(&mut input);
    let traced = trace::finish(trace.as_ref());
    outcome.and(traced).map(|()| ExitCode::SUCCESS)
}

impl Chat<'_> {
    fn turns(&mut self, input: &mut Input) -> Result<(), Box<dyn std::error::Error>> {
        while let Some(typed) = input.message()? {
            let Typed::Text(line) = typed else {
                self.refuse(&format!("a message has at most {} MiB; this one was dropped", LONGEST >> 20))?;
                continue;
            };
            let line = line.trim();
            match line.split_once(char::is_whitespace).map_or((line, ""), |(a, b)| (a, b.trim())) {
                ("", _) => {}
                ("/quit" | "/exit", _) => break,
                ("/help", _) => self.note(HELP)?,
                ("/reset", _) => self.messages.clear(),
                ("/system", "") => self.note(self.system.as_deref().unwrap_or("(no system text)"))?,
                ("/system", text) => {
                    self.system = Some(text.to_owned());
                    self.messages.clear();
                }
                ("/undo", _) => self.undo(),
                ("/history", _) => self.history()?,
                ("/stats", _) => {
                    let last = self.stats.as_deref().unwrap_or("(no answer yet)").to_owned();
                    self.note(&format!("{last}{}", self.proposers()))?;
                }
                ("/drafts", _) => {
                    self.show_drafts = !self.show_drafts;
                    let state = if self.show_drafts { "underlined" } else { "not marked" };
                    self.note(&format!("drafted text is {state} from now on"))?;
                }
                ("/retry", _) => {
                    if self.messages.last().is_some_and(|m| m.role == "assistant") {
                        self.messages.pop();
                    }
                    if self.messages.is_empty() {
                        self.refuse("there is no message to answer")?;
                    } else {
                        self.tries += 1;
                        self.answer()?;
                    }
                }
                (command, _) if command.starts_with('/') => {
                    self.refuse(&format!("{command} is no command; /help lists them"))?;
                }
                _ => {
                    self.messages.push(Message::new("user", line));
                    self.tries = 0;
                    self.answer()?;
                }
            }
        }
        Ok(())
    }

    /// Every proposer's drafts so far: all, and by their place in a round.
    fn proposers(&self) -> String {
        let totals = self.session.speculator().map(sterna_run::speculate::Speculator::totals);
        let mut text = String::new();
        for t in totals.unwrap_or_default() {
            let share = |a: u64, b: u64| if b > 0 { 100.0 * a as f64 / b as f64 } else { 0.0 };
            let places = t.places.iter().map(|p| format!("{:.0} %", share(p.accepted, p.proposed)));
            let places = places.collect::<Vec<_>>().join(", ");
            let (kept, of) = (t.accepted(), t.proposed());
            text += &format!("\n{}: {kept} of {of} drafts kept in {} rounds", t.name, t.rounds);
            if !places.is_empty() {
                text += &format!("; by place: {places}");
            }
            if let Some(failure) = t.failure {
                text += &format!("; no longer asked: {failure}");
            }
        }
        text
    }

    fn undo(&mut self) {
        if self.messages.pop().is_some_and(|m| m.role == "assistant") {
            self.messages.pop();
        }
    }

    fn history(&self) -> std::io::Result<()> {
        for m in self.conversation() {
            self.note(&format!("[{}] {}", m.role, m.content))?;
        }
        Ok(())
    }

    /// What is not an answer: plain to a person, a JSON object to a program.
    fn note(&self, text: &str) -> std::io::Result<()> {
        if self.args.model.json {
            say!("{}", serde_json::json!({ "note": text }));
        } else {
            say!("{text}");
        }
        Ok(())
    }

    /// A turn that could not be answered.
    fn refuse(&self, error: &str) -> std::io::Result<()> {
        if self.args.model.json {
            say!("{}", serde_json::json!({ "error": error }));
        } else {
            say!("({error})");
        }
        Ok(())
    }

    fn conversation(&self) -> Vec<Message> {
        let system = self.system.iter().map(|s| Message::new("system", s));
        system.chain(self.messages.iter().cloned()).collect()
    }

    fn answer(&mut self) -> Result<(), Box<dyn std::error::Error>> {
        let prompt = match run::chat_prompt(&self.engine, &self.template, &self.conversation()) {
            Ok(prompt) => prompt,
            Err(e) => {
                self.messages.pop();
                self.refuse(&e.to_string())?;
                return Ok(());
            }
        };
        let mut request = run::request(prompt, &self.args.sampling);
        request.sampling.seed = request.sampling.seed.wrapping_add(self.tries);
        if let Some(flag) = &self.interrupted {
            flag.store(false, Ordering::Relaxed);
        }
        let mut printer = run::Printer::new(self.args.model.json)
            .stopped_by(self.interrupted.as_ref())
            .marking(self.show_drafts);
        let made = generate(&mut self.session, &self.engine.model.tokenizer, &request, &mut printer);
        printer.finish()?;
        let made = match made {
            Err(e) if output::is_context_full(&e) => {
                self.messages.pop();
                self.refuse(&format!("{e}; /reset starts afresh, /undo takes back a turn"))?;
                return Ok(());
            }
            other => other?,
        };
        if self.args.model.json {
            say!("{}", run::report(&self.engine, &self.session, &made));
            std::io::stdout().flush()?;
        } else {
            say!();
        }
        let stats = format!(
            "[{} prompt tokens ({} kept from before) at {}, {} tokens at {}{}, ended by {}]",
            made.prompt_tokens,
            made.reused_tokens,
            output::rate(made.prompt_tokens - made.reused_tokens, made.prefill),
            made.tokens.len(),
            output::rate(made.tokens.len().saturating_sub(1), made.decode),
            output::drafts(made.drafts),
            made.finish.name()
        );
        if !self.args.model.json {
            if std::io::stderr().is_terminal() {
                output::complain(&stats);
            }
            run::note_empty(&made);
        }
        self.stats = Some(stats);
        self.messages.push(Message::new("assistant", made.text));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_up_to_their_bound() {
        let long = "x".repeat(LONGEST);
        let mut input = std::io::Cursor::new(format!("one\r\n\n{long}\n{long}y\n{long}{long}\nlast"));
        let mut next = || line_of(&mut input).unwrap();
        let text = |t: &str| Some(Typed::Text(t.to_owned()));
        assert_eq!((next(), next()), (text("one"), text("")));
        assert!(next() == text(&long), "a line of just the bound");
        assert_eq!((next(), next()), (Some(Typed::TooLong), Some(Typed::TooLong)));
        assert_eq!((next(), next()), (text("last"), None), "the line after a dropped one is whole");
        assert!(line_of(&mut &b"\xff\n"[..]).is_err(), "no text");
    }
}
