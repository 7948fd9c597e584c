//! One model against another on the same tokens: how often the best token is the same, and how far the rest is off.

use std::fmt;

use serde::Serialize;
use sterna_checkpoint::Tokenizer;
use sterna_plan::{Outputs, Top2, Wanted};
use sterna_run::Session;

use super::compare::log_sum_exp;
use super::{GateError, Refusal};
use crate::table::{Table, count};

/// Tokens of a part that is fed to one session and then to the other, so that few logits are held at a time.
const PART: usize = 64;

/// Disagreements that are listed one by one.
const LISTED: usize = 16;

/// A position where the two models choose different tokens.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Disagreement {
    /// Position in the token stream.
    pub position: usize,
    /// The base's best token.
    pub base: u32,
    /// The other's.
    pub other: u32,
    /// Logit of the base's best token less that of its second, in the base.
    pub base_margin: f32,
    /// The same in the other.
    pub other_margin: f32,
    /// Logit of the base's best token less that of the other's choice, in the base: what the change would cost.
    pub base_lead: f32,
}

/// Base and other, teacher-forced over the same tokens.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct AgainstReport {
    /// Positions compared, one row of logits each.
    pub rows: usize,
    /// Rows of the longest stretch that was walked without a restart: the most context that a row had.
    pub window: usize,
    /// Logits of a row.
    pub vocab: usize,
    /// Rows whose best token is the same.
    pub agree: usize,
    /// Rows whose every logit has the same bits.
    pub identical: usize,
    /// Mean over rows of the divergence KL(base || other), in nats.
    pub mean_kl: f64,
    /// The largest of a row.
    pub max_kl: f64,
    /// Mean over all logits of the absolute difference.
    pub mean_abs: f64,
    /// The largest.
    pub max_abs: f32,
    /// Mean over rows of the base's margin, best logit less second.
    pub mean_margin: f64,
    /// Median of the base's margin over the rows that disagree; 0 without any.
    pub disagreement_median: f32,
    /// Its largest.
    pub disagreement_worst: f32,
    /// Rows whose next token in the stream was scored (all but the last of each window).
    pub scored: usize,
    /// Mean negative log probability that the base gives the stream's own next token, in nats. Means something on a
    /// text, nothing on random tokens.
    pub base_loss: f64,
    /// The same for the other.
    pub other_loss: f64,
    /// The disagreements with the largest base margin, largest first; at most 16.
    pub worst: Vec<Disagreement>,
}

impl AgainstReport {
    /// Share of rows with the same best token; 0 when nothing was compared.
    pub fn agreement(&self) -> f64 {
        if self.rows == 0 { 0.0 } else { self.agree as f64 / self.rows as f64 }
    }

    /// Something was compared, and at least `min_agreement` (0 to 1) of the rows agree.
    pub fn passed(&self, min_agreement: f64) -> bool {
        self.rows > 0 && self.agreement() >= min_agreement
    }
}

/// Refuses models whose tokens are not the same texts: logits of one number would then be about different things. Special
/// tokens, and tokens that one model alone has, do not count: files of one model differ in them.
///
/// # Errors
/// [`GateError::Refused`], with the first token that differs.
pub fn same_tokens(base: &Tokenizer, other: &Tokenizer) -> Result<(), GateError> {
    let both = u32::try_from(base.vocab_size().min(other.vocab_size())).unwrap_or(u32::MAX);
    for id in 0..both {
        let (Some(a), Some(b)) = (base.token_bytes(id), other.token_bytes(id)) else { continue };
        if a != b && !base.is_special(id) && !other.is_special(id) {
            let text = |bytes: &[u8]| format!("{:?}", String::from_utf8_lossy(bytes));
            let what = format!("token {id} of the vocabulary (base here, the other there)");
            return Err(GateError::Refused(vec![Refusal::new(what, text(&a), text(&b))]));
        }
    }
    Ok(())
}

/// Feeds `ids` to both sessions in windows of `window` tokens (each from an empty state) and compares every row.
///
/// What the sessions held is forgotten. Two models are in memory at once, and the logits of at most 64 rows.
///
/// # Errors
/// No tokens, a window that is 0 or longer than a context, vocabularies of different size, tokens outside them, a
/// session that fails, logits that are no numbers. A difference is not an error.
pub fn against(
    base: &mut Session,
    other: &mut Session,
    ids: &[u32],
    window: usize,
    progress: &mut dyn FnMut(usize),
) -> Result<AgainstReport, GateError> {
    let vocab = base.executor().plan().vocab;
    let others = other.executor().plan().vocab;
    if vocab != others {
        return Err(GateError::Options(format!(
            "the models have {vocab} and {others} tokens: no common rows"
        )));
    }
    if let Some(id) = ids.iter().find(|id| **id as usize >= vocab) {
        return Err(GateError::Options(format!("token {id} of a vocabulary of {vocab}")));
    }
    let room = base.context().min(other.context());
    if ids.is_empty() || window == 0 || window > room {
        let n = ids.len();
        return Err(GateError::Options(format!("{n} tokens in windows of {window}, contexts of {room}")));
    }
    let mut sums = Sums::new(vocab, window.min(ids.len()));
    let mut done = 0;
    for stretch in ids.chunks(window) {
        base.truncate(0).map_err(GateError::session("base"))?;
        other.truncate(0).map_err(GateError::session("other"))?;
        let mut at = 0;
        for part in stretch.chunks(PART) {
            let mut rows: Vec<(Vec<f32>, Top2)> = Vec::with_capacity(part.len());
            let mut keep = |_: usize, outputs: &Outputs, row: usize| {
                let logits = outputs.logits_of(row).unwrap_or_default().to_vec();
                rows.push((logits, outputs.top_of(row).unwrap_or_default()));
            };
            base.feed(part, part.len(), Wanted::Logits, &mut |_| {}, &mut keep)
                .map_err(GateError::session("base"))?;
            let mut compared = 0;
            let mut compare = |i: usize, outputs: &Outputs, row: usize| {
                let logits = outputs.logits_of(row).unwrap_or_default();
                let top = outputs.top_of(row).unwrap_or_default();
                let next = stretch.get(at + i + 1).copied();
                if let Some((base, base_top)) = rows.get(i)
                    && base.len() == vocab
                    && logits.len() == vocab
                {
                    sums.row(done + at + i, (base, *base_top), (logits, top), next);
                    compared += 1;
                }
            };
            other
                .feed(part, part.len(), Wanted::Logits, &mut |_| {}, &mut compare)
                .map_err(GateError::session("other"))?;
            if compared != part.len() {
                let n = part.len();
                return Err(GateError::Options(format!(
                    "logits of {compared} rows where {n} were asked for"
                )));
            }
            at += part.len();
            progress(done + at);
        }
        done += stretch.len();
    }
    sums.report()
}

/// What is added up over rows.
struct Sums {
    report: AgainstReport,
    disagreements: Vec<Disagreement>,
    kl: f64,
    abs: f64,
    margin: f64,
    loss: (f64, f64),
}

impl Sums {
    fn new(vocab: usize, window: usize) -> Self {
        let report = AgainstReport { vocab, window, ..AgainstReport::default() };
        Self { report, disagreements: Vec::new(), kl: 0.0, abs: 0.0, margin: 0.0, loss: (0.0, 0.0) }
    }

    fn row(&mut self, position: usize, base: (&[f32], Top2), other: (&[f32], Top2), next: Option<u32>) {
        let ((a, a_top), (b, b_top)) = (base, other);
        let r = &mut self.report;
        r.rows += 1;
        r.agree += usize::from(a_top.token == b_top.token);
        r.identical += usize::from(a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits()));
        let (a_log, b_log) = (log_sum_exp(a), log_sum_exp(b));
        let mut kl = 0.0;
        for (a, b) in a.iter().zip(b) {
            let (x, y) = (f64::from(*a) - a_log, f64::from(*b) - b_log);
            kl += x.exp() * (x - y);
            let difference = (f64::from(*a) - f64::from(*b)).abs();
            self.abs += difference;
            r.max_abs = r.max_abs.max(difference as f32);
        }
        self.kl += kl;
        // The sum of rounding errors may fall below the least possible value.
        r.max_kl = r.max_kl.max(kl);
        self.margin += f64::from(a_top.logit - a_top.second);
        if let Some(next) = next {
            let of = |row: &[f32], log: f64| log - row.get(next as usize).map_or(0.0, |l| f64::from(*l));
            r.scored += 1;
            self.loss.0 += of(a, a_log);
            self.loss.1 += of(b, b_log);
        }
        if a_top.token != b_top.token {
            self.disagreements.push(Disagreement {
                position,
                base: a_top.token,
                other: b_top.token,
                base_margin: a_top.logit - a_top.second,
                other_margin: b_top.logit - b_top.second,
                base_lead: a.get(b_top.token as usize).map_or(f32::NAN, |l| a_top.logit - l),
            });
        }
    }

    fn report(mut self) -> Result<AgainstReport, GateError> {
        let mut r = self.report;
        let rows = r.rows.max(1) as f64;
        r.mean_kl = (self.kl / rows).max(0.0);
        r.mean_abs = self.abs / (rows * r.vocab.max(1) as f64);
        r.mean_margin = self.margin / rows;
        r.base_loss = self.loss.0 / r.scored.max(1) as f64;
        r.other_loss = self.loss.1 / r.scored.max(1) as f64;
        // A sum is no number if any of its terms is none.
        if ![self.kl, self.abs, self.margin, self.loss.0, self.loss.1].iter().all(|s| s.is_finite()) {
            return Err(GateError::Options(
                "a model gives logits that are infinite or no numbers".to_owned(),
            ));
        }
        self.disagreements
            .sort_by(|a, b| b.base_margin.total_cmp(&a.base_margin).then(a.position.cmp(&b.position)));
        let margin = |at: usize| self.disagreements.get(at).map_or(0.0, |d| d.base_margin);
        r.disagreement_worst = margin(0);
        r.disagreement_median = margin(self.disagreements.len() / 2);
        self.disagreements.truncate(LISTED);
        r.worst = self.disagreements;
        Ok(r)
    }
}

impl fmt::Display for AgainstReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} of {} logits in windows of at most {}: the best token is the same in {} ({:.3} %), all bits in {}",
            count(self.rows, "row"),
            self.vocab,
            self.window,
            self.agree,
            100.0 * self.agreement(),
            self.identical
        )?;
        writeln!(
            f,
            "KL(base || other) mean {:.6}, largest {:.6} nats; logits differ by {:.5} on average, by {:.4} at most",
            self.mean_kl, self.max_kl, self.mean_abs, self.max_abs
        )?;
        writeln!(
            f,
            "loss on the tokens themselves {:.5} and {:.5} nats (base, other; {})",
            self.base_loss,
            self.other_loss,
            count(self.scored, "row")
        )?;
        writeln!(
            f,
            "the base's lead of best over second: mean {:.3}; where the choices differ: median {:.4}, largest {:.4}",
            self.mean_margin, self.disagreement_median, self.disagreement_worst
        )?;
        if self.worst.is_empty() {
            return Ok(());
        }
        let mut t = Table::new(&["position", "base", "other", "base lead", "over the other's", "other lead"]);
        for d in &self.worst {
            t.row(vec![
                d.position.to_string(),
                d.base.to_string(),
                d.other.to_string(),
                format!("{:.4}", d.base_margin),
                format!("{:.4}", d.base_lead),
                format!("{:.4}", d.other_margin),
            ]);
        }
        write!(f, "{t}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn top(row: &[f32]) -> Top2 {
        let token = super::super::compare::argmax(row);
        let rest = row.iter().enumerate().filter(|(i, _)| *i != token as usize).map(|(_, v)| *v);
        Top2 { token, logit: row[token as usize], second: rest.fold(f32::NEG_INFINITY, f32::max) }
    }

    /// Numbers worked out by hand: probabilities 3/4 and 1/4 against 1/4 and 3/4, then equal rows.
    #[test]
    fn sums_are_those_of_the_definitions() {
        let l = 3f32.ln();
        let (a, b) = ([l, 0.0], [0.0, l]);
        let mut sums = Sums::new(2, 2);
        sums.row(0, (&a, top(&a)), (&b, top(&b)), Some(0));
        sums.row(1, (&a, top(&a)), (&a, top(&a)), None);
        let r = sums.report().unwrap();
        let near = |x: f64, y: f64| assert!((x - y).abs() < 1e-6, "{x} {y}");
        assert_eq!((r.rows, r.agree, r.identical, r.scored), (2, 1, 1, 1));
        near(r.agreement(), 0.5);
        // 3/4 ln 3 - 1/4 ln 3, over two rows.
        near(r.max_kl, 0.5 * 3f64.ln());
        near(r.mean_kl, 0.25 * 3f64.ln());
        near(r.mean_abs, 0.5 * 3f64.ln());
        near(f64::from(r.max_abs), 3f64.ln());
        near(r.base_loss, -(0.75f64.ln()));
        near(r.other_loss, -(0.25f64.ln()));
        near(r.mean_margin, 3f64.ln());
        assert_eq!(r.worst.len(), 1);
        let d = r.worst[0];
        assert_eq!((d.position, d.base, d.other), (0, 0, 1));
        assert_eq!((d.base_margin, d.other_margin, d.base_lead), (l, l, l));
        assert_eq!((r.disagreement_median, r.disagreement_worst), (l, l));
        assert!(r.passed(0.5) && !r.passed(0.51));
        assert!(!AgainstReport::default().passed(0.0));
        assert!(r.to_string().contains("50.000 %"), "{r}");
    }

    #[test]
    fn logits_that_are_no_numbers_are_an_error() {
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let (a, b) = ([1.0, 0.0, 2.0], [1.0, bad, 2.0]);
            for (x, y) in [(a, b), (b, a)] {
                let mut sums = Sums::new(3, 1);
                sums.row(0, (&x, top(&x)), (&y, top(&y)), Some(1));
                assert!(sums.report().is_err(), "{bad}");
            }
        }
    }
}
