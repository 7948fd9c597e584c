//! One executor at several call widths, in turns.

use std::fmt;

use serde::{Deserialize, Serialize};
use sterna_plan::{CallStats, ModelPlan, Wanted};
use sterna_run::Session;

use super::{BenchError, Load, Rated};
use crate::accept::hold_prefix;
use crate::interleave::{Arm, ArmError, Interleaved, Rounds, interleave};
use crate::limits::{Limits, Reader};
use crate::stats::Summary;
use crate::table::{Table, bytes, count, number, percent};
use crate::tokens;

/// Rows of a call whose best token is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RowsWanted {
    /// Every row, as a speculative verify does.
    All,
    /// The last row, as a prefill does: the head then works on one row at every width.
    Last,
}

/// What to measure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WidthOptions {
    /// Rows of a call, ascending; the first is the base of the speed-up. None wider than the plan's widest entry.
    pub widths: Vec<usize>,
    /// Positions held before each call.
    pub prefix: usize,
    /// Rows with a result.
    pub wanted: RowsWanted,
    /// Rounds.
    pub rounds: Rounds,
    /// Seed of the tokens.
    pub seed: u64,
}

impl Default for WidthOptions {
    fn default() -> Self {
        let widths = vec![1, 2, 4, 8, 16, 32, 64, 128];
        Self { widths, prefix: 64, wanted: RowsWanted::All, rounds: Rounds::default(), seed: 1 }
    }
}

impl WidthOptions {
    /// Whether a session of `plan` can be measured so.
    ///
    /// # Errors
    /// [`BenchError::Options`], which says what does not fit.
    pub fn check(&self, plan: &ModelPlan) -> Result<(), BenchError> {
        let refuse = |text: String| Err(BenchError::Options(text));
        let Some(widest) = self.widths.last().copied() else { return refuse("no widths to measure".into()) };
        if self.widths.contains(&0) {
            return refuse("a call has at least one row: 0 is no width".into());
        }
        if let Some(w) = self.widths.windows(2).find(|w| w[0] >= w[1]) {
            return refuse(format!("widths must ascend, and {} comes after {}", w[1], w[0]));
        }
        fits(plan, widest, self.prefix).map_or(Ok(()), refuse)
    }
}

/// What is wrong with calls of `width` rows after `prefix` positions, if anything.
pub(super) fn fits(plan: &ModelPlan, width: usize, prefix: usize) -> Option<String> {
    if plan.entry_for(width).is_none() {
        let most = plan.entries.last().map_or(0, |e| e.width);
        return Some(format!("a call of {width} rows: the widest that this plan has is {most}"));
    }
    let (need, room) = (prefix.saturating_add(width), plan.context);
    (need > room).then(|| {
        let rows = count(width, "row");
        format!(
            "{prefix} positions held and a call of {rows} need {need} positions, and the context has {room}"
        )
    })
}

/// One width.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WidthRow {
    /// Rows of the call.
    pub width: usize,
    /// Entry point that ran it.
    pub entry: String,
    /// Milliseconds of a call.
    pub ms: Summary,
    /// Median without the noisy rounds, in milliseconds.
    pub quiet_ms: Option<f64>,
    /// Tokens a second, from the median.
    pub tokens_per_s: f64,
    /// Tokens a second over those of the first width.
    pub speedup: f64,
    /// Time of the call over that of the first width: with a first width of 1, the cost of verifying `width` rows in
    /// ordinary decode steps.
    pub cost_in_steps: f64,
    /// Work and rates.
    #[serde(flatten)]
    pub load: Load,
}

/// All widths of one executor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WidthTable {
    /// What was measured.
    pub options: WidthOptions,
    /// One for each width.
    pub rows: Vec<WidthRow>,
    /// Threads that the shares per thread are against.
    pub threads: usize,
    /// Samples and noise.
    pub samples: Interleaved,
}

/// Something that is measured in the same turns as the widths.
pub struct Beside<'a> {
    /// Its name among the samples.
    pub name: String,
    /// Done before each sample, outside its time.
    pub prepare: Box<dyn FnMut() -> Result<(), ArmError> + 'a>,
    /// What is timed.
    pub run: Timed<'a>,
}

/// Work and its time.
pub enum Timed<'a> {
    /// Timed from its start to its end.
    Call(Box<dyn FnMut() -> Result<(), ArmError> + 'a>),
    /// Says itself how many seconds it took.
    Told(Box<dyn FnMut() -> f64 + 'a>),
}

impl<'a> Beside<'a> {
    /// Memory read at its best, in seconds for 10^9 bytes.
    pub fn memory(reader: &'a Reader) -> Self {
        let run = Timed::Told(Box::new(|| 1.0 / reader.pass().max(1e-9)));
        Self { name: "10^9 bytes of memory".into(), prepare: Box::new(|| Ok(())), run }
    }
}

struct Bench<'a> {
    session: &'a mut Session,
    tokens: Vec<u32>,
    stats: Vec<CallStats>,
}

/// Measures `session` (whose executor works with `limits.threads` threads) at every width: each call continues the
/// same prefix through the narrowest entry point that holds it.
///
/// # Errors
/// Options that do not fit the session; the session's errors; [`BenchError::WeightBytes`] when the weights read
/// depend on the width. What is faster than `limits` is flagged; [`Rated::hold_against`] refuses it.
pub fn width_table(
    session: &mut Session,
    options: &WidthOptions,
    limits: &Limits,
) -> Result<WidthTable, BenchError> {
    width_table_beside(session, options, Vec::new(), limits)
}

/// The same with more arms in the same turns: their samples come after those of the widths.
///
/// # Errors
/// As [`width_table`]; what `beside` fails with.
pub fn width_table_beside(
    session: &mut Session,
    options: &WidthOptions,
    beside: Vec<Beside<'_>>,
    limits: &Limits,
) -> Result<WidthTable, BenchError> {
    let plan = std::sync::Arc::clone(session.executor().plan());
    let (widths, prefix) = (&options.widths, options.prefix);
    options.check(&plan)?;
    let widest = widths.last().copied().unwrap_or(0);
    let tokens = tokens::seeded(options.seed, prefix + widest, plan.vocab);
    hold_prefix(session, &plan, &tokens[..prefix])?;
    let verified = session.widest_verify();
    let mut bench = Bench { session, tokens, stats: vec![CallStats::default(); widths.len()] };
    let arm = |(i, width): (usize, &usize)| {
        let width = *width;
        let last = if options.wanted == RowsWanted::All { width } else { 1 };
        // A verify is held, not committed, as far as calls can be.
        let held = options.wanted == RowsWanted::All && width <= verified;
        Arm::new(format!("width {width}"), move |b: &mut Bench<'_>| {
            let mut calls = 0;
            let chunk = &b.tokens[prefix..prefix + width];
            if held {
                let parents: Vec<Option<usize>> = (0..width).map(|i| i.checked_sub(1)).collect();
                b.session.verify(chunk, &parents, Wanted::Argmax)?;
                b.stats[i] = b.session.outputs().stats;
                return Ok(());
            }
            let stats =
                b.session.feed(chunk, last, Wanted::Argmax, &mut |_| calls += 1, &mut |_, _, _| {})?;
            b.stats[i] = stats;
            if calls == 1 {
                Ok(())
            } else {
                Err(format!("the session cut {width} rows into {calls} calls").into())
            }
        })
        .prepared(move |b| Ok(b.session.truncate(prefix)?))
    };
    let others = beside.into_iter().map(|Beside { name, mut prepare, run }| {
        let arm = match run {
            Timed::Call(mut run) => Arm::new(name, move |_: &mut Bench<'_>| run()),
            Timed::Told(mut run) => Arm::told(name, move |_| Ok(run())),
        };
        // Whoever drafts over the target's own keys stands where the target does: at the end of what is held.
        arm.prepared(move |b| {
            b.session.truncate(prefix)?;
            prepare()
        })
    });
    let mut arms: Vec<Arm<'_, Bench<'_>>> = widths.iter().enumerate().map(arm).chain(others).collect();
    let samples = interleave(&mut bench, &mut arms, options.rounds)?;
    drop(arms);
    let stats = bench.stats;

    let base = samples.arms.first().map_or(0.0, |a| a.time.median);
    let first = widths.first().copied().unwrap_or(1) as f64;
    let mut rows = Vec::with_capacity(widths.len());
    for ((width, arm), stats) in widths.iter().zip(&samples.arms).zip(&stats) {
        let seconds = arm.time.median;
        let rate = |n: f64, s: f64| if s > 0.0 { n / s } else { 0.0 };
        let tokens_per_s = rate(*width as f64, seconds);
        rows.push(WidthRow {
            width: *width,
            entry: plan
                .entry_for(*width)
                .and_then(|e| plan.entries.get(e))
                .map_or(String::new(), |e| e.name.clone()),
            ms: arm.time.scaled(1e3),
            quiet_ms: arm.quiet_median.map(|s| 1e3 * s),
            tokens_per_s,
            speedup: rate(tokens_per_s, rate(first, base)),
            cost_in_steps: rate(seconds, base),
            load: Load::of(*stats, 1, seconds, limits),
        });
    }
    let table = WidthTable { options: options.clone(), rows, threads: limits.threads, samples };
    table.check()?;
    Ok(table)
}

impl WidthTable {
    fn check(&self) -> Result<(), BenchError> {
        if let Some(base) = self.rows.first()
            && let Some(row) = self.rows.iter().find(|r| r.load.weight_bytes != base.load.weight_bytes)
        {
            let (bytes, base_bytes) = (row.load.weight_bytes, base.load.weight_bytes);
            return Err(BenchError::WeightBytes {
                width: row.width,
                bytes,
                base_width: base.width,
                base_bytes,
            });
        }
        Ok(())
    }
}

impl Rated for WidthTable {
    fn loads(&mut self) -> Vec<(String, &mut Load)> {
        self.rows.iter_mut().map(|r| (format!("a call of {}", count(r.width, "row")), &mut r.load)).collect()
    }
}

impl fmt::Display for WidthTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = [
            "rows",
            "entry",
            "ms",
            "min",
            "quartiles",
            "tok/s",
            "speed-up",
            "cost in steps",
            "GB/s",
            "of memory",
            "GMAC/s",
            "a thread",
            "of int8 peak",
            "",
        ];
        let mut t = Table::new(&head);
        for r in &self.rows {
            let l = &r.load;
            t.row(vec![
                r.width.to_string(),
                r.entry.clone(),
                number(r.ms.median),
                number(r.ms.min),
                percent(r.ms.spread()),
                number(r.tokens_per_s),
                format!("{:.2}", r.speedup),
                format!("{:.2}", r.cost_in_steps),
                number(l.gb_s),
                percent(l.bandwidth_share),
                number(l.gmac_s),
                number(l.gmac_s_per_thread),
                percent(l.peak_share),
                if l.implausible { "IMPLAUSIBLE".into() } else { String::new() },
            ]);
        }
        let weights = self.rows.first().map_or(0, |r| r.load.weight_bytes);
        let prefix = self.options.prefix;
        let wanted = match self.options.wanted {
            RowsWanted::All => "every row",
            RowsWanted::Last => "the last row",
        };
        let (each, note) = (bytes(weights), self.samples.note());
        write!(
            f,
            "{t}{each} of weights a call at every width; {prefix} positions held; result of {wanted}; {note}"
        )
    }
}
