//! What proposes tokens: a small interface, since nothing that a proposer says can change the text.

use sterna_plan::BackendError;

use crate::sample::{SampleError, SamplingParams};
use crate::session::SessionError;

/// Tokens that may follow a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Draft {
    /// One after the other.
    pub tokens: Vec<u32>,
    /// Other tokens in place of the first one, best first; used where the target's states allow a tree of rows.
    pub alternatives: Vec<u32>,
    /// Tokens of text that the proposer read for it; 0 where that costs next to nothing.
    pub read: usize,
}

impl Draft {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.tokens.clear();
        self.alternatives.clear();
        self.read = 0;
    }
}

/// Why a proposer has nothing to say. It costs speed, never text.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProposeError {
    /// Its model's.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// Its session's.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// Options that make no sense together.
    #[error("{proposer}: {why}")]
    Options {
        /// [`Proposer::name`].
        proposer: &'static str,
        /// What is wrong and what to do.
        why: String,
    },
    /// Its sampler's.
    #[error(transparent)]
    Sample(#[from] SampleError),
}

/// What a proposer is asked.
#[derive(Clone, Copy, Debug)]
pub struct Ask<'a> {
    /// Prompt and answer so far. The last token, the anchor, was chosen but not yet evaluated by the target; it is never
    /// proposed itself.
    pub text: &'a [u32],
    /// Most tokens to propose, at least 1.
    pub most: usize,
    /// Most tokens of text that are worth reading for it. A proposer that has not followed the text further back than that may
    /// go by its end alone.
    pub reads: usize,
    /// How the target chooses: a model that draws from its own logits with the same parameters, seed and position agrees
    /// with it more often than its best token does.
    pub sampling: &'a SamplingParams,
}

/// Proposes tokens that the target then verifies.
pub trait Proposer: Send {
    /// "ngram", "suffix", "draft", "mtp", "eagle3", "assistant".
    fn name(&self) -> &'static str;
    /// Puts up to `ask.most` tokens that may follow `ask.text` into `draft`, which is empty. None is an answer.
    ///
    /// # Errors
    /// Its model's: the text goes on without it.
    fn propose(&mut self, ask: &Ask<'_>, draft: &mut Draft) -> Result<(), ProposeError>;
    /// The target evaluated and kept the tokens from position `first` of `text` on, and these are their hidden states
    /// (`[n, width]`); `text` holds all tokens known so far, which may be more.
    ///
    /// # Errors
    /// As [`Proposer::propose`].
    fn absorb(&mut self, text: &[u32], first: usize, taps: &[f32]) -> Result<(), ProposeError> {
        let _ = (text, first, taps);
        Ok(())
    }
    /// Whether text is worth reading of which nobody asks what follows it: a proposer that would have to read it to know it
    /// later may otherwise forget what lies further back. True until it is called.
    fn follow(&mut self, worth: bool) {
        let _ = worth;
    }
    /// The text was cut to its first `len` tokens.
    ///
    /// # Errors
    /// As [`Proposer::propose`].
    fn cut(&mut self, len: usize) -> Result<(), ProposeError> {
        let _ = len;
        Ok(())
    }
    /// Most tokens that are worth asking for in one round.
    fn most(&self) -> usize;
}
