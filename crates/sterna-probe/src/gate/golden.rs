//! A session against golden answers: logits within a bound, tokens equal except at near-ties.

use std::fmt;

use serde::Serialize;
use sterna_plan::{Outputs, Wanted};
use sterna_run::{Session, SessionError};

use super::compare::argmax;
use super::{GateError, Golden, GoldenPrompt, GoldenRow, GreedyStep};
use crate::table::count;

/// What counts as agreement.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct GoldenBounds {
    /// Greatest absolute difference of a logit, and of a row's mean and deviation.
    pub max_abs: f32,
    /// Where the golden best token leads by no more than this, another token may be chosen.
    pub near_tie: f32,
}

/// Where a free greedy run leaves the golden one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Split {
    /// Index of the first token that differs.
    pub at: usize,
    /// The golden token.
    pub golden: u32,
    /// The session's.
    pub token: u32,
    /// The golden lead over the runner-up.
    pub margin: f32,
    /// The session's own lead.
    pub own_margin: f32,
    /// Whether the session chose the golden runner-up, where that is known.
    pub took_second: Option<bool>,
}

/// Equal choices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Agreement {
    /// Equal.
    pub equal: usize,
    /// Compared.
    pub of: usize,
    /// Of the differences, those where the golden best token leads by no more than the bound for near ties.
    pub near_ties: usize,
    /// Greatest golden margin at which another token was chosen; 0 when none was, infinite when one is not known.
    pub worst_margin: f32,
}

impl Agreement {
    fn add(&mut self, equal: bool, margin: f32, near_tie: f32) {
        self.of += 1;
        self.equal += usize::from(equal);
        if !equal {
            self.near_ties += usize::from(margin <= near_tie);
            // A maximum would pass over what is no number.
            self.worst_margin = if margin.is_nan() { f32::INFINITY } else { self.worst_margin.max(margin) };
        }
    }
    /// No difference at a margin above `near_tie`.
    fn within(&self, near_tie: f32) -> bool {
        self.equal == self.of || self.worst_margin <= near_tie
    }
}

/// One prompt.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PromptReport {
    /// Its name.
    pub name: String,
    /// Its tokens.
    pub tokens: usize,
    /// Logits compared.
    pub values: usize,
    /// Greatest absolute difference among them.
    pub max_abs: f32,
    /// Mean absolute difference.
    pub mean_abs: f64,
    /// Position of the greatest.
    pub worst_position: usize,
    /// Greatest difference of a row's mean.
    pub max_abs_of_means: f32,
    /// Greatest difference of a row's standard deviation.
    pub max_abs_of_deviations: f32,
    /// Best token at each position of the prompt, golden tokens before it.
    pub prompt: Agreement,
    /// Best token at each position of the golden continuation, golden tokens before it.
    pub forced: Agreement,
    /// Tokens of a free greedy run equal to the golden ones before the first that differs, and their number.
    pub greedy: (usize, usize),
    /// Where the free run leaves the golden one.
    pub split: Option<Split>,
    /// Tokens of the free run, the one that leaves included.
    pub stream: Vec<u32>,
    /// What broke a bound; empty when nothing did.
    pub failures: Vec<String>,
}

/// All prompts of a golden file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GoldenReport {
    /// The file.
    pub source: String,
    /// What was allowed.
    pub bounds: GoldenBounds,
    /// One for each prompt.
    pub prompts: Vec<PromptReport>,
}

impl GoldenReport {
    /// Something was compared, and nothing broke a bound.
    pub fn passed(&self) -> bool {
        !self.prompts.is_empty() && self.prompts.iter().all(|p| p.failures.is_empty())
    }
}

/// Compares a session with golden answers: teacher-forced logits and best tokens over each prompt and over its golden
/// continuation, then a free greedy run from the prompt. What the session held is forgotten.
///
/// # Errors
/// Golden tokens outside the session's vocabulary or context, logits of another vocabulary, a session that fails. A
/// difference is not an error: see [`GoldenReport::passed`].
pub fn golden(
    session: &mut Session,
    golden: &Golden,
    bounds: GoldenBounds,
) -> Result<GoldenReport, GateError> {
    let vocab = session.executor().plan().vocab;
    for p in &golden.prompts {
        let steps = p.greedy.iter().chain(&p.top1).map(|s| s.token);
        let rows = p.rows.iter().flat_map(|r| r.ids.iter().copied());
        let outside = p.ids.iter().copied().chain(steps).chain(rows).find(|t| *t as usize >= vocab);
        let width =
            p.rows.iter().find(|r| r.ids.is_empty() && r.values.len() != vocab).map(|r| r.values.len());
        if outside.is_some() || width.is_some() {
            let text =
                format!("prompt {}: made with another vocabulary than this model's {vocab} tokens", p.name);
            return Err(GateError::Golden(text));
        }
        if p.ids.len() + p.greedy.len() > session.context() {
            let (n, room) = (p.ids.len() + p.greedy.len(), session.context());
            return Err(GateError::Options(format!("prompt {}: {n} tokens in a context of {room}", p.name)));
        }
    }
    let mut prompts = Vec::with_capacity(golden.prompts.len());
    for p in &golden.prompts {
        let mut report =
            PromptReport { name: p.name.clone(), tokens: p.ids.len(), ..PromptReport::default() };
        let done = forced(session, p, bounds, &mut report).and_then(|()| free(session, p, &mut report));
        done.map_err(GateError::session(format!("prompt {}", p.name)))?;
        report.judge(bounds);
        prompts.push(report);
    }
    Ok(GoldenReport { source: golden.source.clone(), bounds, prompts })
}

/// Prompt and golden continuation in one teacher-forced pass each.
fn forced(
    session: &mut Session,
    p: &GoldenPrompt,
    bounds: GoldenBounds,
    report: &mut PromptReport,
) -> Result<(), SessionError> {
    let tie = bounds.near_tie;
    session.truncate(0)?;
    let mut sum = 0.0;
    let mut next = p.rows.iter().peekable();
    let mut on_row = |position: usize, outputs: &Outputs, row: usize| {
        let logits = outputs.logits_of(row).unwrap_or_default();
        let token = outputs.top_of(row).map(|t| t.token);
        let mut judged = false;
        while let Some(golden) = next.next_if(|g| g.position == position) {
            sum += report.row(golden, logits);
            if !judged {
                let (best, margin) = best_of(golden);
                report.prompt.add(token == Some(best), margin, tie);
                judged = true;
            }
        }
        if let Some(step) = p.top1.get(position).filter(|_| !judged) {
            report.prompt.add(token == Some(step.token), step.margin, tie);
        }
    };
    session.feed(&p.ids, p.ids.len(), Wanted::Logits, &mut |_| {}, &mut on_row)?;
    report.mean_abs = sum / report.values.max(1) as f64;

    let Some(first) = p.greedy.first() else { return Ok(()) };
    let top = session.outputs().top.last().map(|t| t.token);
    report.forced.add(top == Some(first.token), first.margin, tie);
    let ids: Vec<u32> = p.greedy.iter().map(|s| s.token).collect();
    let Some((_, fed)) = ids.split_last().filter(|(_, fed)| !fed.is_empty()) else { return Ok(()) };
    let mut on_row = |at: usize, outputs: &Outputs, row: usize| {
        if let Some(step) = p.greedy.get(at + 1) {
            let equal = outputs.top_of(row).is_some_and(|t| t.token == step.token);
            report.forced.add(equal, step.margin, tie);
        }
    };
    session.feed(fed, fed.len(), Wanted::Argmax, &mut |_| {}, &mut on_row)?;
    Ok(())
}

/// A greedy run of the session's own tokens, up to the first that differs.
fn free(session: &mut Session, p: &GoldenPrompt, report: &mut PromptReport) -> Result<(), SessionError> {
    report.greedy.1 = p.greedy.len();
    if p.greedy.is_empty() {
        return Ok(());
    }
    session.truncate(0)?;
    session.ask(&p.ids, Wanted::Argmax, &mut |_| {})?;
    for (at, step) in p.greedy.iter().enumerate() {
        let top = session.outputs().top.last().copied().unwrap_or_default();
        let GreedyStep { token: golden, margin, second } = *step;
        report.stream.push(top.token);
        if top.token != golden {
            let took_second = second.map(|s| s == top.token);
            let own_margin = top.logit - top.second;
            report.split = Some(Split { at, golden, token: top.token, margin, own_margin, took_second });
            return Ok(());
        }
        report.greedy.0 += 1;
        if at + 1 < p.greedy.len() {
            session.ask(&[top.token], Wanted::Argmax, &mut |_| {})?;
        }
    }
    Ok(())
}

/// Best token and its lead.
fn best_of(row: &GoldenRow) -> (u32, f32) {
    let at = argmax(&row.values) as usize;
    let best = row.values.get(at).copied().unwrap_or(f32::NAN);
    let rest = row.values.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, v)| *v);
    let second = rest.fold(f32::NEG_INFINITY, f32::max);
    (row.ids.get(at).copied().unwrap_or(at as u32), best - second)
}

impl PromptReport {
    /// Compares one row; gives the sum of absolute differences.
    fn row(&mut self, golden: &GoldenRow, logits: &[f32]) -> f64 {
        let mut sum = 0.0;
        for (i, want) in golden.values.iter().enumerate() {
            let at = golden.ids.get(i).map_or(i, |id| *id as usize);
            let difference = logits.get(at).map_or(f32::INFINITY, |x| (x - want).abs());
            sum += f64::from(difference);
            self.values += 1;
            if difference > self.max_abs || difference.is_nan() {
                self.max_abs = if difference.is_nan() { f32::INFINITY } else { difference };
                self.worst_position = golden.position;
            }
        }
        if let Some(stats) = golden.stats {
            let n = logits.len().max(1) as f64;
            let mean = logits.iter().map(|x| f64::from(*x)).sum::<f64>() / n;
            let var = logits.iter().map(|x| (f64::from(*x) - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
            let apart = |x: f64, want: f32| (x - f64::from(want)).abs() as f32;
            self.max_abs_of_means = self.max_abs_of_means.max(apart(mean, stats.mean));
            self.max_abs_of_deviations = self.max_abs_of_deviations.max(apart(var.sqrt(), stats.std));
        }
        sum
    }

    fn judge(&mut self, bounds: GoldenBounds) {
        let mut failures = Vec::new();
        for (what, x) in [
            ("a logit", self.max_abs),
            ("the mean of a row", self.max_abs_of_means),
            ("the deviation of a row", self.max_abs_of_deviations),
        ] {
            if x > bounds.max_abs {
                failures.push(format!("{what} differs by {x:e}, more than {:e}", bounds.max_abs));
            }
        }
        for (what, a) in [("the prompt", self.prompt), ("the golden continuation", self.forced)] {
            if !a.within(bounds.near_tie) {
                let (differ, of) = (a.of - a.equal, a.of);
                let m = a.worst_margin;
                failures
                    .push(format!("{differ} of {of} best tokens of {what} differ, one at a margin of {m}"));
            }
        }
        if let Some(s) = self.split.filter(|s| s.margin.is_nan() || s.margin > bounds.near_tie) {
            failures.push(format!("the greedy run leaves the golden one at a margin of {}", s.margin));
        }
        if self.values == 0 && self.prompt.of == 0 && self.forced.of == 0 {
            failures.push("nothing was compared".into());
        }
        self.failures = failures;
    }
}

impl fmt::Display for PromptReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, count(self.tokens, "token"))?;
        if self.values > 0 {
            let (max, mean, at) = (self.max_abs, self.mean_abs, self.worst_position);
            write!(f, "; {} logits differ by max {max:.2e} (position {at}), mean {mean:.2e}", self.values)?;
        }
        for (what, a) in [("prompt argmax", self.prompt), ("forced argmax", self.forced)] {
            if a.of > 0 {
                write!(f, "; {what} {}/{}", a.equal, a.of)?;
                if a.equal < a.of {
                    write!(f, " (worst margin {:.5})", a.worst_margin)?;
                }
            }
        }
        if self.greedy.1 > 0 {
            write!(f, "; greedy {}/{}", self.greedy.0, self.greedy.1)?;
        }
        if let Some(s) = &self.split {
            let second = match s.took_second {
                Some(true) => ", the golden runner-up",
                Some(false) => ", not the golden runner-up",
                None => "",
            };
            write!(f, ", then {} where golden has {} by {:.5}{second}", s.token, s.golden, s.margin)?;
        }
        for failure in &self.failures {
            write!(f, "; FAIL: {failure}")?;
        }
        Ok(())
    }
}

impl fmt::Display for GoldenReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.source)?;
        for p in &self.prompts {
            writeln!(f, "  {p}")?;
        }
        let failed = self.prompts.iter().filter(|p| !p.failures.is_empty()).count();
        let verdict = if self.passed() { "PASS" } else { "FAIL" };
        let (n, b) = (self.prompts.len(), self.bounds);
        let (max, tie) = (b.max_abs, b.near_tie);
        write!(f, "{verdict}: {failed} of {n} prompts failed (bounds: logits {max:e}, near-tie margin {tie})")
    }
}
