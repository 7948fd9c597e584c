//! Chat templates: the Jinja program in a checkpoint that turns messages into a prompt.
//!
//! Rendered as Hugging Face `transformers` does: `trim_blocks`, `lstrip_blocks`, loop controls, Python's string
//! and dict methods, `raise_exception`, `strftime_now`, `tojson` in the style of Python's `json.dumps`, and
//! `{% generation %}` blocks (which only mark text for training) passed through.
//!
//! A template comes with a model file and is not trusted. It can read nothing but what is passed in; its
//! instructions and the bytes it makes are paid from a fixed budget; source, nesting and prompt are bounded.

mod clock;
mod json;

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, Error, ErrorKind, Value};
use serde_json::{Map, Value as Json};

/// Longest accepted template source, in bytes.
pub const MAX_SOURCE: usize = 1 << 20;
/// Longest prompt a template may make, in bytes.
pub const MAX_PROMPT: usize = 16 << 20;
/// Budget of one rendering: an instruction costs 1, as do 64 bytes of data created or read.
const FUEL: u64 = 2_000_000;
/// Nesting of macros, blocks and loops while rendering.
const RECURSION: usize = 100;
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
    /// The prompt is longer than [`MAX_PROMPT`].
    #[error("the chat template makes a prompt of more than {MAX_PROMPT} bytes")]
    PromptTooLong,
}

/// A compiled chat template.
#[derive(Clone, Debug)]
pub struct ChatTemplate {
    env: Environment<'static>,
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
        let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build().map_err(syntax_error)?;
        env.set_syntax(syntax);
        env.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
        env.set_fuel(Some(FUEL));
        env.set_recursion_limit(RECURSION);
        env.set_debug(false);
        env.set_unknown_method_callback(minijinja_contrib::pycompat::unknown_method_callback);
        env.add_filter("tojson", json::tojson);
        env.add_function("raise_exception", raise_exception);
        env.add_template_owned(NAME, without_generation_tags(source)).map_err(syntax_error)?;
        let mut template = Self { env };
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
        self.env.add_function("strftime_now", move |format: &str| {
            clock::strftime(unix_seconds.unwrap_or_else(clock::now), format)
        });
    }

    /// The prompt for `messages`. `extra` holds further variables (`tools`, `enable_thinking`, ...); the names
    /// given by the other arguments win over it.
    ///
    /// # Errors
    /// [`ChatError::Raised`] when the template refuses the conversation, otherwise [`ChatError::Render`],
    /// [`ChatError::Budget`] or [`ChatError::PromptTooLong`].
    pub fn render(
        &self,
        messages: &[Message],
        add_generation_prompt: bool,
        bos_token: &str,
        eos_token: &str,
        extra: &Map<String, Json>,
    ) -> Result<String, ChatError> {
        let turn = |m: &Message| minijinja::context! { role => m.role.as_str(), content => m.content.as_str() };
        let messages: Vec<Value> = messages.iter().map(turn).collect();
        let given = minijinja::context! { messages, add_generation_prompt, bos_token, eos_token };
        let context = minijinja::context! { ..given, ..json::from_map(extra) };

        let mut prompt = Bounded::default();
        let rendered = self.env.get_template(NAME).and_then(|t| t.render_captured_to(context, &mut prompt).map(drop));
        match rendered {
            Ok(()) => String::from_utf8(prompt.bytes)
                .map_err(|e| ChatError::Render { line: 0, message: e.to_string() }),
            Err(_) if prompt.overflowed => Err(ChatError::PromptTooLong),
            Err(error) => Err(render_error(&error)),
        }
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

/// Marks an error as made by the template itself.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct RaisedByTemplate(String);

fn raise_exception(message: String) -> Result<Value, Error> {
    Err(Error::new(ErrorKind::InvalidOperation, "raised by the template").with_source(RaisedByTemplate(message)))
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
