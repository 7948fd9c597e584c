//! Speculative decoding: who proposes tokens, how often they turn out right, and how many to ask for.
//!
//! A proposer guesses the tokens that follow a text; the target evaluates the last token and the guesses in one call and
//! keeps those that it would have chosen itself. Nothing here can change a text, only how long it takes to make.

mod accept;
mod account;
mod assistant;
mod costs;
mod depth;
mod draft;
mod eagle;
mod head;
mod ngram;
mod proposer;
mod speculator;
mod suffix;

pub use accept::{Acceptance, PlaceCount};
pub use account::Account;
pub use assistant::AssistantModel;
pub use costs::RoundCosts;
pub use depth::{Depth, DepthPolicy, DepthSettings, Round};
pub use draft::DraftModel;
pub use head::HeadModel;
pub use ngram::{Ngram, NgramOptions};
pub use proposer::{Ask, Draft, ProposeError, Proposer};
pub(crate) use speculator::Kept;
pub use speculator::{ProposerTotals, Speculator};
pub use suffix::{Suffix, SuffixOptions};

/// Most other first tokens that a lookup names.
const ALTERNATIVES: usize = 3;

/// Tokens that two texts have in common from their start.
fn shared(a: &[u32], b: &[u32]) -> usize {
    let n = a.len().min(b.len());
    // The usual case is decided by one comparison of memory.
    if a[..n] == b[..n] { n } else { a.iter().zip(b).take_while(|(a, b)| a == b).count() }
}

/// Drafts up to `most` tokens from the places `ends` of `text` (each `0 < end < text.len()`, best first): the chain is
/// what followed the first one, and what followed the others are the alternatives to its first token. A chain that
/// reaches the end of the text goes on with its own tokens, so that a text which repeats itself every few tokens is
/// drafted as doing so for ever.
fn draft_from(text: &[u32], ends: impl Iterator<Item = usize>, most: usize, draft: &mut Draft) {
    for end in ends {
        if draft.tokens.is_empty() {
            let period = text.len() - end;
            for i in 0..most {
                draft.tokens.push(if i < period { text[end + i] } else { draft.tokens[i - period] });
            }
        } else {
            let other = text[end];
            if draft.tokens[0] != other && !draft.alternatives.contains(&other) {
                draft.alternatives.push(other);
            }
        }
        if draft.tokens.is_empty() || draft.alternatives.len() >= ALTERNATIVES {
            return;
        }
    }
}

#[cfg(test)]
mod lookup_tests;
