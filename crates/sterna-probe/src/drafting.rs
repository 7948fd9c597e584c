//! What proposing tokens costs, in decode steps of the model that they are for.

use std::cell::RefCell;

use serde::{Deserialize, Serialize};
use sterna_plan::Wanted;
use sterna_run::speculate::{Ask, Draft, Proposer};
use sterna_run::{SamplingParams, Session};

use crate::bench::{BenchError, Beside, Timed, WidthOptions};
use crate::interleave::ArmResult;
use crate::tokens;

/// Numbers of tokens that are asked for.
pub const DEPTHS: std::ops::RangeInclusive<usize> = 1..=8;

/// Asking for so many tokens.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DraftPoint {
    /// Tokens proposed.
    pub drafts: usize,
    /// Median seconds.
    pub seconds: f64,
    /// Over the seconds of a decode step of the target.
    pub steps: f64,
}

/// What a proposer costs, measured in turns with the calls that verify. Each time it knows the text but for what a round
/// adds to it: its last token or two.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DraftCost {
    /// "draft", "mtp".
    pub proposer: String,
    /// Ascending.
    pub points: Vec<DraftPoint>,
}

impl DraftCost {
    /// Decode steps of `k` drafts: as measured, on the line between neighbours, and past the last one at what the last ones
    /// cost more than those before.
    pub fn steps(&self, k: usize) -> f64 {
        let (mut before, mut last) = ((0.0, 0.0), (0.0, 0.0));
        for p in &self.points {
            (before, last) = (last, (p.drafts as f64, p.steps));
            if p.drafts >= k {
                break;
            }
        }
        let slope = if last.0 > before.0 { (last.1 - before.1) / (last.0 - before.0) } else { 0.0 };
        (last.1 + slope * (k as f64 - last.0)).max(0.0)
    }
}

/// A proposer at the end of a text that is ready to be asked again and again.
pub(crate) struct Rehearsal<'a> {
    proposer: RefCell<&'a mut dyn Proposer>,
    /// Tokens that the target holds, and the one after them.
    text: Vec<u32>,
    /// Hidden states of the last held position.
    last: Vec<f32>,
    name: &'static str,
}

impl<'a> Rehearsal<'a> {
    /// Lets the target read the tokens that `options` hold before a call, and the proposer hear of them.
    pub fn new(
        session: &mut Session,
        options: &WidthOptions,
        proposer: &'a mut dyn Proposer,
    ) -> Result<Self, BenchError> {
        let held = options.prefix;
        if held < 2 || held + DEPTHS.end() > session.context() {
            return Err(BenchError::Options(format!(
                "drafting is measured after a text of at least 2 tokens with room for {} more: give another --prefix than \
                 {held}, in a context of {}",
                DEPTHS.end(),
                session.context()
            )));
        }
        let plan = session.executor().plan();
        let (vocab, width) = (plan.vocab, plan.tap_width());
        let text = tokens::seeded(options.seed, held + 1, vocab);
        session.truncate(0)?;
        let mut taps = Vec::new();
        session.feed(&text[..held], held, Wanted::Argmax, &mut |_| {}, &mut |_, out, row| {
            taps.extend_from_slice(out.taps.get(row * width..(row + 1) * width).unwrap_or_default());
        })?;
        let failed = |e: sterna_run::speculate::ProposeError| BenchError::Options(e.to_string());
        proposer.absorb(&text, 0, &taps).map_err(failed)?;
        let last = taps[taps.len() - width.min(taps.len())..].to_vec();
        let name = proposer.name();
        Ok(Self { proposer: RefCell::new(proposer), text, last, name })
    }

    /// An arm for each number of drafts.
    pub fn arms(&self) -> Vec<Beside<'_>> {
        DEPTHS.map(|k| self.arm(k)).collect()
    }

    fn arm(&self, k: usize) -> Beside<'_> {
        let held = self.text.len() - 1;
        let prepare = move || {
            // As after a round: what it drafted is gone, and a token is new.
            let mut proposer = self.proposer.borrow_mut();
            proposer.cut(held - 1)?;
            Ok(proposer.absorb(&self.text, held - 1, &self.last)?)
        };
        let run = move || {
            let sampling = SamplingParams::default();
            let mut draft = Draft::default();
            let ask = Ask { text: &self.text, most: k, reads: usize::MAX, sampling: &sampling };
            self.proposer.borrow_mut().propose(&ask, &mut draft)?;
            let made = draft.tokens.len();
            if made == k { Ok(()) } else { Err(format!("it proposed {made} tokens instead of {k}").into()) }
        };
        Beside {
            name: format!("{}, {k} drafts", self.name),
            prepare: Box::new(prepare),
            run: Timed::Call(Box::new(run)),
        }
    }

    /// The cost from the samples of [`Rehearsal::arms`]; `step` is the seconds of a decode step.
    pub fn cost(&self, arms: &[ArmResult], step: f64) -> DraftCost {
        let point = |(k, arm): (usize, &ArmResult)| {
            let seconds = arm.time.median;
            DraftPoint { drafts: k, seconds, steps: if step > 0.0 { seconds / step } else { 0.0 } }
        };
        DraftCost { proposer: self.name.to_owned(), points: DEPTHS.zip(arms).map(point).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_lie_on_lines_between_what_was_measured() {
        let point = |(drafts, steps)| DraftPoint { drafts, seconds: steps, steps };
        let cost = |points: &[(usize, f64)]| DraftCost {
            proposer: "draft".into(),
            points: points.iter().copied().map(point).collect(),
        };
        let c = cost(&[(1, 0.5), (2, 0.7), (4, 1.5)]);
        for (k, steps) in [(0, 0.0), (1, 0.5), (2, 0.7), (3, 1.1), (4, 1.5), (6, 2.3)] {
            assert!((c.steps(k) - steps).abs() < 1e-12, "{k}: {}", c.steps(k));
        }
        assert!((cost(&[(1, 0.5)]).steps(3) - 1.5).abs() < 1e-12, "from nothing through the only one");
        assert_eq!(cost(&[]).steps(3), 0.0);
    }
}
