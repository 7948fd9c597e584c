//! Prefill and decode end to end, in turns.

use std::fmt;

use serde::{Deserialize, Serialize};
use sterna_plan::{CallStats, Wanted};
use sterna_run::Session;

use super::{BenchError, Load, Rated};
use crate::interleave::{Arm, Interleaved, Rounds, interleave};
use crate::limits::Limits;
use crate::stats::Summary;
use crate::table::{Table, bytes, count, number, percent};
use crate::tokens;

/// What to measure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GenerationOptions {
    /// Tokens of each prompt; one prefill and one decode arm for each.
    pub prompts: Vec<usize>,
    /// Tokens made after each prompt, greedily, one call each.
    pub decode: usize,
    /// Rounds.
    pub rounds: Rounds,
    /// Seed of the prompts.
    pub seed: u64,
}

impl Default for GenerationOptions {
    fn default() -> Self {
        Self { prompts: vec![64, 512], decode: 32, rounds: Rounds::default(), seed: 1 }
    }
}

impl GenerationOptions {
    /// Whether a session of `context` positions can be measured so.
    ///
    /// # Errors
    /// [`BenchError::Options`], which says what does not fit.
    pub fn check(&self, context: usize) -> Result<(), BenchError> {
        let longest = self.prompts.iter().copied().max().unwrap_or(0);
        let text = if longest == 0 || self.prompts.contains(&0) {
            "prompts have at least one token".to_owned()
        } else if longest.saturating_add(self.decode) > context {
            let (decode, need) = (count(self.decode, "token"), longest.saturating_add(self.decode));
            format!(
                "a prompt of {longest} and {decode} decoded need {need} positions, and the context has {context}: \
                 give a larger --context, if the model allows one, or a shorter --prompts"
            )
        } else {
            return Ok(());
        };
        Err(BenchError::Options(text))
    }
}

/// One arm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GenerationRow {
    /// "prefill 64", "decode 32 after 64".
    pub name: String,
    /// Tokens fed.
    pub tokens: usize,
    /// Calls they took.
    pub calls: usize,
    /// Milliseconds of all of them.
    pub ms: Summary,
    /// Tokens a second, from the median.
    pub tokens_per_s: f64,
    /// Milliseconds a token, from the median.
    pub ms_per_token: f64,
    /// Work and rates; bytes are those of one call, multiply-accumulates those of all.
    #[serde(flatten)]
    pub load: Load,
}

/// All arms.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GenerationTable {
    /// What was measured.
    pub options: GenerationOptions,
    /// Prefill and decode of each prompt length.
    pub rows: Vec<GenerationRow>,
    /// Samples and noise.
    pub samples: Interleaved,
}

struct Bench<'a> {
    session: &'a mut Session,
    tokens: Vec<u32>,
    stats: Vec<(CallStats, usize)>,
}

impl Bench<'_> {
    fn prefill(&mut self, arm: usize, n: usize) -> Result<(), BenchError> {
        let mut calls = 0;
        let stats = self.session.ask(&self.tokens[..n], Wanted::Argmax, &mut |_| calls += 1)?;
        self.stats[arm] = (stats, calls);
        Ok(())
    }

    /// Holds exactly the first `n` tokens and the answer of the last.
    fn hold(&mut self, n: usize) -> Result<(), BenchError> {
        let kept = self.session.reuse(&self.tokens[..n])?;
        self.session.ask(&self.tokens[kept..n], Wanted::Argmax, &mut |_| {})?;
        Ok(())
    }

    fn decode(&mut self, arm: usize, n: usize) -> Result<(), BenchError> {
        let mut sum = CallStats::default();
        for _ in 0..n {
            let token = self.session.outputs().top.last().map_or(0, |t| t.token);
            let stats = self.session.ask(&[token], Wanted::Argmax, &mut |_| {})?;
            sum.weight_bytes += stats.weight_bytes;
            sum.macs += stats.macs;
        }
        self.stats[arm] = (sum, n);
        Ok(())
    }
}

/// Measures prefill and decode of `session`, whose executor works with `limits.threads` threads.
///
/// # Errors
/// Options that do not fit the session; the session's errors. What is faster than `limits` is flagged;
/// [`Rated::hold_against`] refuses it.
pub fn generation_table(
    session: &mut Session,
    options: &GenerationOptions,
    limits: &Limits,
) -> Result<GenerationTable, BenchError> {
    let longest = options.prompts.iter().copied().max().unwrap_or(0);
    options.check(session.context())?;
    let tokens = tokens::seeded(options.seed, longest, session.executor().plan().vocab);
    let mut arms = Vec::new();
    let mut fed = Vec::new();
    for n in options.prompts.iter().copied() {
        let at = arms.len();
        let prefill = Arm::new(format!("prefill {n}"), move |b: &mut Bench<'_>| Ok(b.prefill(at, n)?));
        arms.push(prefill.prepared(|b| Ok(b.session.truncate(0)?)));
        fed.push(n);
        if options.decode > 0 {
            let (at, steps) = (arms.len(), options.decode);
            let name = format!("decode {steps} after {n}");
            let decode = Arm::new(name, move |b: &mut Bench<'_>| Ok(b.decode(at, steps)?));
            arms.push(decode.prepared(move |b| Ok(b.hold(n)?)));
            fed.push(steps);
        }
    }
    let mut bench = Bench { session, tokens, stats: vec![Default::default(); arms.len()] };
    let samples = interleave(&mut bench, &mut arms, options.rounds)?;
    let rows = samples.arms.iter().zip(&bench.stats).zip(fed).map(|((arm, (stats, calls)), tokens)| {
        let seconds = arm.time.median;
        GenerationRow {
            name: arm.name.clone(),
            tokens,
            calls: *calls,
            ms: arm.time.scaled(1e3),
            tokens_per_s: if seconds > 0.0 { tokens as f64 / seconds } else { 0.0 },
            ms_per_token: 1e3 * seconds / tokens as f64,
            load: Load::of(*stats, *calls, seconds, limits),
        }
    });
    let table = GenerationTable { options: options.clone(), rows: rows.collect(), samples };
    Ok(table)
}

impl Rated for GenerationTable {
    fn loads(&mut self) -> Vec<(String, &mut Load)> {
        self.rows.iter_mut().map(|r| (r.name.clone(), &mut r.load)).collect()
    }
}

impl fmt::Display for GenerationTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = [
            "arm",
            "tok/s",
            "ms a token",
            "ms",
            "quartiles",
            "weights a call",
            "GB/s",
            "of memory",
            "GMAC/s",
            "of int8 peak",
            "",
        ];
        let mut t = Table::new(&head);
        for r in &self.rows {
            let l = &r.load;
            t.row(vec![
                r.name.clone(),
                number(r.tokens_per_s),
                number(r.ms_per_token),
                number(r.ms.median),
                percent(r.ms.spread()),
                bytes(l.weight_bytes),
                number(l.gb_s),
                percent(l.bandwidth_share),
                number(l.gmac_s),
                percent(l.peak_share),
                if l.implausible { "IMPLAUSIBLE".into() } else { String::new() },
            ]);
        }
        write!(f, "{t}{}", self.samples.note())
    }
}
