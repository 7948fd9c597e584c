//! Chat templates: the Jinja program in a checkpoint that turns messages into a prompt.
//!
//! Rendered as Hugging Face `transformers` does: `trim_blocks`, `lstrip_blocks`, loop controls, Python's string
//! and dict methods, `raise_exception`, `strftime_now`, `tojson` in the style of Python's `json.dumps`, and
//! `{% generation %}` blocks (which only mark text for training) passed through.
//!
//! A template comes with a model file and is not trusted. It can read nothing but what is passed in; its
//! instructions and the bytes it makes are paid from a fixed budget; source, nesting and prompt are bounded.
//! The engine does not charge for everything: a list that holds itself twice, forty levels deep, costs little to
//! build and for ever to compare or print, and a very deep one overflows the stack when dropped. So a rendering
//! has a thread of its own with a stack for the deepest value the budget can buy, and a time limit. A thread cannot
//! be stopped: a template that exceeds the limit is given up and never run again.

mod clock;
mod json;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, Error, ErrorKind, State, Value};
use serde_json::{Map, Value as Json};
use sterna_checkpoint::Tokenizer;

/// Longest accepted template source, in bytes.
pub const MAX_SOURCE: usize = 1 << 20;
/// Longest prompt a template may make, in bytes.
pub const MAX_PROMPT: usize = 16 << 20;
/// Budget of one rendering: an instruction costs 1, as do 64 bytes of data created or read.
const FUEL: u64 = 1_000_000;
/// Nesting of macros, blocks and loops while rendering.
const RECURSION: usize = 100;
/// Address space for the rendering thread, used only as far as needed. Dropping the deepest value that [`FUEL`]
/// buys was measured to need 16 to 32 MiB.
const STACK: usize = 64 << 20;
const TIME_LIMIT: Duration = Duration::from_secs(10);
const NAME: &str = "chat template";

const CHATML: &str = "{% for message in messages %}\
{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>\\n' }}\
{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";

/// One turn of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// `system`, `user`, `assistant` or what else the template knows.
    pub role: String,
    /// The text.
    pub content: String,
}

impl Message {
    /// A message of `role` saying `content`.
    pub fn new(role: impl Into<String>, content: impl Into<String>) -> Self {
        Self { role: role.into(), content: content.into() }
    }
}

/// Why a template could not be read or rendered. `line` counts from 1 and is 0 where it is not known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChatError {
    /// The source is longer than [`MAX_SOURCE`].
    #[error("the chat template has {bytes} bytes; at most {MAX_SOURCE} are accepted")]
    SourceTooLong {
        /// Its length.
        bytes: usize,
    },
    /// The source is not a template.
    #[error("chat template line {line}: {message}")]
    Syntax {
        /// Template line.
        line: usize,
        /// What is wrong.
        message: String,
    },
    /// The template called `raise_exception`: it does not accept this conversation.
    #[error("the chat template refuses this conversation (line {line}): {message}")]
    Raised {
        /// Template line.
        line: usize,
        /// The template's own words.
        message: String,
    },
    /// The template failed while rendering.
    #[error("chat template line {line}: {message}")]
    Render {
        /// Template line.
        line: usize,
        /// What is wrong.
        message: String,
    },
    /// The template used up its budget: it loops too long or makes too much data.
    #[error("chat template line {line}: it does not come to an end within its budget of work")]
    Budget {
        /// Template line.
        line: usize,
    },
    /// The template ran past its time limit, now or earlier, and is not run any more.
    #[error("the chat template does not come to an end and was given up")]
    TimedOut,
    /// The system did not give a thread to render in.
    #[error("no thread to render the chat template in: {0}")]
    Thread(String),
    /// The prompt is longer than [`MAX_PROMPT`].
    #[error("the chat template makes a prompt of more than {MAX_PROMPT} bytes")]
    PromptTooLong,
}

/// A compiled chat template.
#[derive(Clone, Debug)]
pub struct ChatTemplate {
    env: Arc<Environment<'static>>,
    time_limit: Duration,
    given_up: Arc<AtomicBool>,
}

impl ChatTemplate {
    /// Compiles `source`, the `chat_template` of a tokenizer configuration or GGUF file.
    ///
    /// # Errors
    /// [`ChatError::SourceTooLong`] or [`ChatError::Syntax`].
    pub fn new(source: &str) -> Result<Self, ChatError> {
        if source.len() > MAX_SOURCE {
            return Err(ChatError::SourceTooLong { bytes: source.len() });
        }
        let mut env = Environment::new();
        let syntax =
            SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build().map_err(syntax_error)?;
        env.set_syntax(syntax);
        env.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
        env.set_fuel(Some(FUEL));
        env.set_recursion_limit(RECURSION);
        env.set_debug(false);
        env.set_unknown_method_callback(python_method);
        env.add_filter("tojson", json::tojson);
        env.add_function("raise_exception", raise_exception);
        env.add_template_owned(NAME, without_generation_tags(source)).map_err(syntax_error)?;
        let given_up = Arc::new(AtomicBool::new(false));
        let mut template = Self { env: Arc::new(env), time_limit: TIME_LIMIT, given_up };
        template.set_clock(None);
        Ok(template)
    }

    /// The ChatML format, for a model that brings no template.
    ///
    /// # Errors
    /// None in practice: the source is fixed.
    pub fn chatml() -> Result<Self, ChatError> {
        Self::new(CHATML)
    }

    /// Fixes what `strftime_now` calls now, in seconds since 1970; `None` asks the system. Times are UTC.
    pub fn set_clock(&mut self, unix_seconds: Option<i64>) {
        Arc::make_mut(&mut self.env).add_function("strftime_now", move |format: &str| {
            clock::strftime(unix_seconds.unwrap_or_else(clock::now), format)
        });
    }

    /// Changes the time limit of 10 seconds. An honest template takes milliseconds.
    pub fn set_time_limit(&mut self, limit: Duration) {
        self.time_limit = limit;
    }

    /// The prompt for `messages` up to where the assistant answers, with the begin and end tokens of `tokenizer`.
    ///
    /// # Errors
    /// As [`Self::render`].
    pub fn prompt(&self, messages: &[Message], tokenizer: &Tokenizer) -> Result<String, ChatError> {
        let config = tokenizer.config();
        let name = |id: Option<u32>| id.and_then(|id| tokenizer.id_to_token(id)).unwrap_or_default();
        self.render(messages, true, &name(config.bos), &name(config.eos.first().copied()), &Map::new())
    }

    /// The prompt for `messages`. `extra` holds further variables (`tools`, `enable_thinking`, ...); the names
    /// given by the other arguments win over it.
    ///
    /// # Errors
    /// [`ChatError::Raised`] when the template refuses the conversation, otherwise one of the other rendering errors.
    pub fn render(
        &self,
        messages: &[Message],
        add_generation_prompt: bool,
        bos_token: &str,
        eos_token: &str,
        extra: &Map<String, Json>,
    ) -> Result<String, ChatError> {
        if self.given_up.load(Ordering::Relaxed) {
            return Err(ChatError::TimedOut);
        }
        let turn =
            |m: &Message| minijinja::context! { role => m.role.as_str(), content => m.content.as_str() };
        let messages: Vec<Value> = messages.iter().map(turn).collect();
        let given = minijinja::context! { messages, add_generation_prompt, bos_token, eos_token };
        let context = minijinja::context! { ..given, ..json::from_map(extra) };

        let env = Arc::clone(&self.env);
        let (done, result) = sync_channel(1);
        let work = move || {
            // Every value the template made is dropped inside, on this stack.
            let rendered = render_here(&env, context);
            done.send(rendered).unwrap_or_default() // nobody waits any more
        };
        let thread = std::thread::Builder::new().name(NAME.to_string()).stack_size(STACK);
        let thread = thread.spawn(work).map_err(|e| ChatError::Thread(e.to_string()))?;
        match result.recv_timeout(self.time_limit) {
            Ok(rendered) => {
                thread.join().unwrap_or_default();
                rendered
            }
            Err(RecvTimeoutError::Timeout) => {
                self.given_up.store(true, Ordering::Relaxed);
                Err(ChatError::TimedOut)
            }
            Err(RecvTimeoutError::Disconnected) => {
                Err(ChatError::Render { line: 0, message: "the template engine panicked".to_string() })
            }
        }
    }
}

fn render_here(env: &Environment<'_>, context: Value) -> Result<String, ChatError> {
    let mut prompt = Bounded::default();
    match env.get_template(NAME).and_then(|t| t.render_captured_to(context, &mut prompt).map(drop)) {
        Ok(()) => {
            String::from_utf8(prompt.bytes).map_err(|e| ChatError::Render { line: 0, message: e.to_string() })
        }
        Err(_) if prompt.overflowed => Err(ChatError::PromptTooLong),
        Err(error) => Err(render_error(&error)),
    }
}

/// Collects output up to [`MAX_PROMPT`] bytes.
#[derive(Default)]
struct Bounded {
    bytes: Vec<u8>,
    overflowed: bool,
}

impl std::io::Write for Bounded {
    fn write(&mut self, piece: &[u8]) -> std::io::Result<usize> {
        if piece.len() > MAX_PROMPT - self.bytes.len() {
            self.overflowed = true;
            return Err(std::io::Error::other("prompt too long"));
        }
        self.bytes.extend_from_slice(piece);
        Ok(piece.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Python's methods on strings, dicts and lists. `str.format` pads to any width without paying for it, so widths
/// are kept to four digits, written out.
fn python_method(state: &mut State, value: &Value, method: &str, args: &[Value]) -> Result<Value, Error> {
    if method == "format" && !value.as_str().is_some_and(plain_format) {
        let message = "format: a field's width must be written out and at most 9999";
        return Err(Error::new(ErrorKind::InvalidOperation, message));
    }
    minijinja_contrib::pycompat::unknown_method_callback(state, value, method, args)
}

fn plain_format(format: &str) -> bool {
    let text = format.replace("{{", "").replace("}}", "");
    text.split('{').skip(1).all(|part| match part.split_once('}') {
        Some((field, _)) => field.split(|c: char| !c.is_ascii_digit()).all(|digits| digits.len() <= 4),
        None => false, // a field inside a field
    })
}

/// Marks an error as made by the template itself.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct RaisedByTemplate(String);

fn raise_exception(message: String) -> Result<Value, Error> {
    Err(Error::new(ErrorKind::InvalidOperation, "raised by the template")
        .with_source(RaisedByTemplate(message)))
}

fn syntax_error(error: Error) -> ChatError {
    ChatError::Syntax { line: error.line().unwrap_or(0), message: describe(&error) }
}

fn render_error(error: &Error) -> ChatError {
    let line = error.line().unwrap_or(0);
    if error.kind() == ErrorKind::OutOfFuel {
        return ChatError::Budget { line };
    }
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        if let Some(raised) = inner.downcast_ref::<RaisedByTemplate>() {
            return ChatError::Raised { line, message: raised.0.clone() };
        }
        cause = inner.source();
    }
    ChatError::Render { line, message: describe(error) }
}

fn describe(error: &Error) -> String {
    match error.detail() {
        Some(detail) => format!("{}: {detail}", error.kind()),
        None => error.kind().to_string(),
    }
}

/// `{% generation %}` marks the assistant's words for training and prints what is inside. The engine has no
/// such tag, so it becomes `{% if true %}`; line numbers and whitespace control stay.
fn without_generation_tags(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(at) = rest.find("{%") {
        let tag = &rest[at..];
        let Some(end) = tag.find("%}").map(|n| n + 2) else { break };
        out.push_str(&rest[..at]);
        let name = tag[2..end - 2].trim_matches(|c: char| c == '-' || c == '+' || c.is_whitespace());
        let used = match name {
            "generation" => {
                out.push_str(&tag[..end].replace(name, "if true"));
                end
            }
            "endgeneration" => {
                out.push_str(&tag[..end].replace(name, "endif"));
                end
            }
            // Only past the opening: this one may stand in a comment, and a real tag before its `%}`.
            _ => {
                out.push_str("{%");
                2
            }
        };
        rest = &tag[used..];
    }
    out + rest
}
