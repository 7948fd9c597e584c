//! Perplexity of a text in windows.
//!
//! Windows of `window` positions begin every `stride` tokens of the text, each on an empty state; with a begin token,
//! each begins with it. A window scores the tokens that no window before it has scored, so every token is scored once,
//! with at least `window - stride` tokens before it (but in the first window). A token without anything before it, that is
//! the first of the text, or of a window where the stride is the window, is not scored unless there is a begin token.

use std::f64::consts::LN_2;
use std::fmt;

use serde::{Deserialize, Serialize};
use sterna_checkpoint::Tokenizer;
use sterna_plan::{Outputs, Wanted};
use sterna_run::Session;

use super::super::compare::log_sum_exp;
use super::super::{GateError, fingerprint};
use super::PerplexityProtocol;
use crate::table::count;

/// Whether prompts and windows begin with the begin token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bos {
    /// As the tokenizer says.
    #[default]
    Model,
    /// Yes; an error if the model has none.
    Always,
    /// No.
    Never,
}

impl Bos {
    /// The token to begin with.
    ///
    /// # Errors
    /// [`Bos::Always`] with a tokenizer that has no begin token.
    pub fn token(self, tokenizer: &Tokenizer) -> Result<Option<u32>, GateError> {
        let config = tokenizer.config();
        match (self, config.bos) {
            (Bos::Never, _) => Ok(None),
            (Bos::Model, bos) => Ok(bos.filter(|_| config.add_bos)),
            (Bos::Always, Some(bos)) => Ok(Some(bos)),
            (Bos::Always, None) => Err(GateError::Options("this model has no begin token".into())),
        }
    }
}

/// How to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PerplexityOptions {
    /// Positions of a window, a begin token included.
    pub window: usize,
    /// Tokens from the beginning of one window to that of the next.
    pub stride: usize,
    /// The begin token.
    pub bos: Bos,
    /// Most tokens to score.
    pub budget: usize,
}

/// What came out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PerplexityResult {
    /// exp of the mean loss.
    pub perplexity: f64,
    /// Mean negative log probability of a token, in nats.
    pub loss: f64,
    /// Standard error of the mean, as if losses were independent.
    pub loss_error: f64,
    /// Loss in bits for each byte of the scored tokens.
    pub bits_per_byte: f64,
    /// Tokens scored.
    pub scored: usize,
    /// Tokens of the whole text.
    pub tokens: usize,
    /// Windows.
    pub windows: usize,
    /// Share of the scored tokens that were the best one.
    pub best: f64,
}

/// One window: the tokens it holds and the first it scores, as indexes into the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Window {
    begin: usize,
    first: usize,
    end: usize,
}

/// The windows over `n` tokens; `size` tokens of text fit one, and `bos` is 1 where a begin token stands before them.
fn windows(n: usize, size: usize, stride: usize, bos: usize, budget: usize) -> Vec<Window> {
    let mut out = Vec::new();
    let (mut begin, mut scored, mut left) = (0, 0, budget);
    while scored < n && left > 0 {
        let first = scored.max(begin + 1 - bos);
        let end = (begin + size).min(n).min(first.saturating_add(left));
        if first < end {
            out.push(Window { begin, first, end });
            left -= end - first;
        }
        scored = end.max(scored);
        begin += stride;
        if begin >= n {
            break;
        }
    }
    out
}

/// What is fed and scored, known before anything is measured.
struct Prepared {
    ids: Vec<u32>,
    windows: Vec<Window>,
    total: usize,
    protocol: PerplexityProtocol,
}

fn prepare(
    tokenizer: &Tokenizer,
    text: &str,
    options: &PerplexityOptions,
    room: usize,
) -> Result<Prepared, GateError> {
    let PerplexityOptions { window, stride, budget, .. } = *options;
    let bos = options.bos.token(tokenizer)?;
    let begins = usize::from(bos.is_some());
    let size = window.saturating_sub(begins);
    if window < 2 || size == 0 || window > room || stride == 0 || stride > size || budget == 0 {
        return Err(GateError::Options(format!(
            "a window of {window} with a stride of {stride} and a budget of {budget} tokens: a window has 2 to {room} \
             positions (a begin token takes one), a stride 1 to as many tokens as a window holds, a budget at least 1"
        )));
    }
    let ids = tokenizer.encode(text, false)?;
    let windows = windows(ids.len(), size, stride, begins, budget);
    let total: usize = windows.iter().map(|w| w.end - w.first).sum();
    if total == 0 {
        let n = count(ids.len(), "token");
        return Err(GateError::Options(format!("a text of {n}: nothing to score")));
    }
    let protocol = PerplexityProtocol {
        text_sha256: fingerprint::bytes(text.as_bytes()),
        tokens_sha256: fingerprint::tokens([&ids[..]]),
        window,
        stride,
        bos,
        budget: total,
    };
    Ok(Prepared { ids, windows, total, protocol })
}

/// How [`perplexity`] would measure in a session of `context` positions, without measuring.
///
/// # Errors
/// As [`perplexity`], less those of a session.
pub fn perplexity_protocol(
    tokenizer: &Tokenizer,
    text: &str,
    options: &PerplexityOptions,
    context: usize,
) -> Result<PerplexityProtocol, GateError> {
    Ok(prepare(tokenizer, text, options, context)?.protocol)
}

/// Measures the perplexity of `text`. `progress` hears tokens done and in all. What the session held is forgotten.
///
/// # Errors
/// A window, stride or budget of 0, a window past the context or shorter than the stride, a text of fewer than two
/// tokens, a session that fails.
pub fn perplexity(
    session: &mut Session,
    tokenizer: &Tokenizer,
    text: &str,
    options: &PerplexityOptions,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<(PerplexityProtocol, PerplexityResult), GateError> {
    let Prepared { ids, windows: plan, total, protocol } =
        prepare(tokenizer, text, options, session.context())?;
    let bos = protocol.bos;
    let begins = usize::from(bos.is_some());
    let mut sums = Sums::default();
    for w in &plan {
        let mut fed: Vec<u32> = bos.into_iter().collect();
        // The last token is only guessed, never fed.
        fed.extend_from_slice(&ids[w.begin..w.end - 1]);
        let rows = w.end - w.first;
        session.truncate(0).map_err(GateError::session("perplexity"))?;
        let mut on_row = |at: usize, outputs: &Outputs, row: usize| {
            let next = ids[w.begin + at + 1 - begins];
            sums.row(outputs.logits_of(row).unwrap_or_default(), next, outputs.top_of(row).map(|t| t.token));
        };
        session
            .feed(&fed, rows, Wanted::Logits, &mut |_| {}, &mut on_row)
            .map_err(GateError::session("perplexity"))?;
        progress(sums.scored, total);
    }
    let bytes: usize = plan
        .iter()
        .flat_map(|w| &ids[w.first..w.end])
        .map(|id| tokenizer.token_bytes(*id).map_or(0, |b| b.len()))
        .sum();
    Ok((protocol, sums.result(ids.len(), plan.len(), total, bytes)?))
}

#[derive(Default)]
struct Sums {
    scored: usize,
    loss: f64,
    squares: f64,
    best: usize,
}

impl Sums {
    fn row(&mut self, logits: &[f32], next: u32, best: Option<u32>) {
        // A row that is not there makes the sum no number, and that an error.
        let of = logits.get(next as usize).map_or(f64::NAN, |l| f64::from(*l));
        let loss = log_sum_exp(logits) - of;
        self.scored += 1;
        self.loss += loss;
        self.squares += loss * loss;
        self.best += usize::from(best == Some(next));
    }

    fn result(
        &self,
        tokens: usize,
        windows: usize,
        expected: usize,
        bytes: usize,
    ) -> Result<PerplexityResult, GateError> {
        if self.scored != expected || !self.loss.is_finite() {
            return Err(GateError::Options(format!(
                "{} of {expected} tokens have a loss, {} in all: a row of logits is missing or no numbers",
                self.scored, self.loss
            )));
        }
        let n = self.scored as f64;
        let mean = self.loss / n;
        let variance = ((self.squares - n * mean * mean) / (n - 1.0).max(1.0)).max(0.0);
        Ok(PerplexityResult {
            perplexity: mean.exp(),
            loss: mean,
            loss_error: (variance / n).sqrt(),
            bits_per_byte: self.loss / LN_2 / (bytes.max(1) as f64),
            scored: self.scored,
            tokens,
            windows,
            best: self.best as f64 / n,
        })
    }
}

impl fmt::Display for PerplexityResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "perplexity {:.4} (loss {:.5} ± {:.5} nats, {:.4} bits a byte); best token right {:.1} %; {} of {} tokens \
             scored in {} windows",
            self.perplexity,
            self.loss,
            self.loss_error,
            self.bits_per_byte,
            100.0 * self.best,
            self.scored,
            self.tokens,
            self.windows
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_token_is_scored_once_with_its_context() {
        for n in 0..60 {
            for size in 1..20 {
                for stride in 1..=size {
                    for bos in [0, 1] {
                        let plan = windows(n, size, stride, bos, usize::MAX / 2);
                        let mut scored = vec![0; n];
                        for w in &plan {
                            assert!(w.end - w.begin <= size && w.first + bos > w.begin, "{w:?}");
                            assert_eq!(w.begin % stride, 0);
                            if w.begin > 0 && stride < size {
                                assert!(
                                    w.first >= w.begin + (size - stride).min(w.end - w.begin - 1),
                                    "{w:?}"
                                );
                            }
                            scored[w.first..w.end].iter_mut().for_each(|s| *s += 1);
                        }
                        let bare = |i: usize| i == 0 || (stride == size && i.is_multiple_of(stride));
                        for (i, s) in scored.iter().enumerate() {
                            let want = usize::from(bos == 1 || !bare(i));
                            assert_eq!(*s, want, "{i} of {n}, size {size}, stride {stride}, bos {bos}");
                        }
                        let cut = windows(n, size, stride, bos, 7);
                        let sum: usize = cut.iter().map(|w| w.end - w.first).sum();
                        assert_eq!(sum, scored.iter().sum::<usize>().min(7));
                    }
                }
            }
        }
    }

    #[test]
    fn losses_are_those_of_the_definition() {
        let l = 3f32.ln();
        let mut sums = Sums::default();
        sums.row(&[l, 0.0], 0, Some(0)); // 3/4
        sums.row(&[l, 0.0], 1, Some(0)); // 1/4
        let r = sums.result(3, 1, 2, 4).unwrap();
        let (a, b) = (-(0.75f64.ln()), -(0.25f64.ln()));
        let near = |x: f64, y: f64| assert!((x - y).abs() < 1e-6, "{x} {y}");
        near(r.loss, (a + b) / 2.0);
        near(r.perplexity, (16f64 / 3.0).sqrt());
        near(r.loss_error, (b - a) / 2.0);
        near(r.bits_per_byte, (16f64 / 3.0).log2() / 4.0);
        near(r.best, 0.5);
        assert!(sums.result(3, 1, 3, 4).is_err(), "a missing row");
        sums.row(&[f32::NAN, 0.0], 0, None);
        assert!(sums.result(3, 1, 3, 4).is_err(), "no number");
        let mut none = Sums::default();
        none.row(&[], 0, None);
        assert!(none.result(3, 1, 1, 4).is_err(), "an empty row");
    }
}
