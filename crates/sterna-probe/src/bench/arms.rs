//! Settings of one program, and other programs, compared on the same work in turns.

use std::fmt;
use std::time::Instant;

use serde::Serialize;
use sterna_plan::{CallStats, Wanted};
use sterna_run::Session;

use super::{BenchError, Load, Rated};
use crate::command::CommandArm;
use crate::compare::{Comparison, Judge, SelfCheck, Shown, Verdict, compare};
use crate::interleave::{Arm, ArmError, Interleaved};
use crate::limits::Limits;
use crate::stats::Summary;
use crate::table::{Table, number, percent};
use crate::tokens;

/// What every arm does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Feeds a prompt of so many tokens.
    Prefill(usize),
    /// Makes tokens greedily, one call each, after a prompt.
    Decode {
        /// Tokens of the prompt.
        after: usize,
        /// Tokens to make.
        tokens: usize,
    },
}

impl Work {
    /// Tokens of one sample.
    pub fn tokens(&self) -> usize {
        match self {
            Work::Prefill(tokens) | Work::Decode { tokens, .. } => *tokens,
        }
    }
    /// Positions it takes.
    fn positions(&self) -> usize {
        match self {
            Work::Prefill(n) => *n,
            Work::Decode { after, tokens } => after.saturating_add(*tokens),
        }
    }
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Work::Prefill(n) => write!(f, "prefill {n}"),
            Work::Decode { after, tokens } => write!(f, "decode {tokens} after {after}"),
        }
    }
}

/// One arm on a session of a [`Team`].
#[derive(Clone, Debug, PartialEq)]
pub struct ArmSetup {
    /// Its name.
    pub name: String,
    /// Which session; arms may share one.
    pub session: usize,
    /// Rows of a call at most.
    pub width: Option<usize>,
    /// Positions held before the prompt.
    pub prefix: usize,
    /// Work added, as a share of the arm's own time: a known slowdown, to see whether it is found.
    pub slowed: f64,
}

/// The sessions that arms run on.
pub struct Team {
    /// All of them.
    pub sessions: Vec<Session>,
    /// Seed of the tokens.
    pub seed: u64,
}

/// What an arm took.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ArmRow {
    /// Its name.
    pub name: String,
    /// Milliseconds of a sample; of a token where commands tell rates.
    pub ms: Summary,
    /// Tokens a second from the median, if a sample is known to be the whole work or a token of it.
    pub tokens_per_s: f64,
    /// Work and rates; a command's are not known.
    pub load: Option<Load>,
}

/// Arms on one piece of work.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ArmTable {
    /// The work in words.
    pub work: String,
    /// One for each arm, in their order.
    pub rows: Vec<ArmRow>,
    /// Every arm but the first against the first.
    pub comparisons: Vec<Comparison>,
    /// Samples and noise.
    pub samples: Interleaved,
}

impl Rated for ArmTable {
    fn loads(&mut self) -> Vec<(String, &mut Load)> {
        self.rows.iter_mut().filter_map(|r| Some((r.name.clone(), r.load.as_mut()?))).collect()
    }
}

impl fmt::Display for ArmTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut t = Table::new(&["arm", "median ms", "min", "quartiles", "tok/s", "GB/s", "of memory", ""]);
        for r in &self.rows {
            let load = |show: fn(&Load) -> String| r.load.as_ref().map_or("-".into(), show);
            t.row(vec![
                r.name.clone(),
                number(r.ms.median),
                number(r.ms.min),
                percent(r.ms.spread()),
                number(r.tokens_per_s),
                load(|l| number(l.gb_s)),
                load(|l| percent(l.bandwidth_share)),
                if r.load.as_ref().is_some_and(|l| l.implausible) {
                    "IMPLAUSIBLE".into()
                } else {
                    String::new()
                },
            ]);
        }
        write!(f, "{}\n{t}{}\n{}", self.work, self.samples.note(), Shown(&self.comparisons))
    }
}

struct Bench<'a> {
    sessions: &'a mut [Session],
    /// For each arm, the work of its last sample and its calls.
    stats: Vec<(CallStats, usize)>,
    /// For each session, tokens to fill it.
    tokens: Vec<Vec<u32>>,
}

impl Bench<'_> {
    fn prepare(&mut self, arm: &ArmSetup, work: Work) -> Result<(), ArmError> {
        let (session, tokens) = (&mut self.sessions[arm.session], &self.tokens[arm.session]);
        session.limit_width(arm.width.unwrap_or(usize::MAX));
        match work {
            Work::Prefill(_) => {
                let held = session.tokens().len().min(arm.prefix);
                session.truncate(held)?;
                if held < arm.prefix {
                    session.feed(
                        &tokens[held..arm.prefix],
                        0,
                        Wanted::Nothing,
                        &mut |_| {},
                        &mut |_, _, _| {},
                    )?;
                }
            }
            Work::Decode { after, .. } => {
                let held = arm.prefix + after;
                let kept = session.reuse(&tokens[..held])?;
                session.ask(&tokens[kept..held], Wanted::Argmax, &mut |_| {})?;
            }
        }
        Ok(())
    }

    /// Seconds of the work.
    fn run(&mut self, at: usize, arm: &ArmSetup, work: Work) -> Result<f64, ArmError> {
        let (mut stats, mut calls) = (CallStats::default(), 0);
        let (session, tokens) = (&mut self.sessions[arm.session], &self.tokens[arm.session]);
        let start = Instant::now();
        match work {
            Work::Prefill(n) => {
                stats =
                    session.ask(&tokens[arm.prefix..arm.prefix + n], Wanted::Argmax, &mut |_| calls += 1)?;
            }
            Work::Decode { tokens, .. } => {
                for _ in 0..tokens {
                    let token = session.outputs().top.last().map_or(0, |t| t.token);
                    let one = session.ask(&[token], Wanted::Argmax, &mut |_| calls += 1)?;
                    stats.weight_bytes += one.weight_bytes;
                    stats.macs += one.macs;
                }
            }
        }
        let own = start.elapsed().as_secs_f64();
        while arm.slowed > 0.0 && start.elapsed().as_secs_f64() < own * (1.0 + arm.slowed) {
            std::hint::spin_loop();
        }
        let seconds = start.elapsed().as_secs_f64();
        self.stats[at] = (stats, calls);
        Ok(seconds)
    }
}

/// Whether `arms` and `commands` can be compared on `work`; `contexts` are the positions of the sessions.
///
/// # Errors
/// [`BenchError::Options`], which says what does not fit.
pub fn check_arms(
    contexts: &[usize],
    arms: &[ArmSetup],
    commands: &[CommandArm],
    work: Work,
) -> Result<(), BenchError> {
    let refuse = |text: String| Err(BenchError::Options(text));
    if arms.len() + commands.len() < 2 {
        return refuse("a comparison needs two arms".into());
    }
    if work.tokens() == 0 || work == (Work::Decode { after: 0, tokens: work.tokens() }) {
        return refuse(format!("`{work}` is no work: prompts and answers have at least one token"));
    }
    let rates = commands.iter().filter(|c| c.figure.is_rate()).count();
    if rates != 0 && rates != commands.len() {
        return refuse("some commands tell a rate and others a time: they cannot be compared".into());
    }
    for arm in arms {
        let Some(room) = contexts.get(arm.session) else {
            return refuse(format!("{} has no session", arm.name));
        };
        let need = arm.prefix.saturating_add(work.positions());
        if need > *room {
            return refuse(format!(
                "{}: {work} needs {need} positions, and the context has {room}",
                arm.name
            ));
        }
    }
    Ok(())
}

/// Compares all `arms`, then all `commands`, with the first of them, on one piece of work. Where a command tells a rate,
/// every time is that of one token.
///
/// # Errors
/// Fewer than two arms, work that does not fit a session, an arm's or a command's error.
pub fn compare_arms(
    team: &mut Team,
    arms: &[ArmSetup],
    commands: &[CommandArm],
    work: Work,
    judge: &Judge,
    limits: &Limits,
) -> Result<ArmTable, BenchError> {
    let contexts: Vec<usize> = team.sessions.iter().map(Session::context).collect();
    check_arms(&contexts, arms, commands, work)?;
    let rates = commands.iter().filter(|c| c.figure.is_rate()).count();
    let tokens = team.sessions.iter().map(|s| {
        let vocab = s.executor().plan().vocab;
        tokens::seeded(team.seed, s.context(), vocab)
    });
    let tokens = tokens.collect();
    let stats = vec![(CallStats::default(), 0); arms.len()];
    let mut bench = Bench { sessions: &mut team.sessions, stats, tokens };
    let per = if rates > 0 { work.tokens() as f64 } else { 1.0 };
    let own = arms.iter().enumerate().map(|(at, arm)| {
        Arm::told(arm.name.clone(), move |b: &mut Bench<'_>| Ok(b.run(at, arm, work)? / per))
            .prepared(move |b| b.prepare(arm, work))
    });
    let others = commands.iter().map(|c| Arm::told(c.command.clone(), move |_: &mut Bench<'_>| Ok(c.run()?)));
    let mut all: Vec<Arm<'_, Bench<'_>>> = own.chain(others).collect();
    let (comparisons, samples) = compare(&work.to_string(), &mut bench, &mut all, judge)?;
    drop(all);
    let rows = samples.arms.iter().enumerate().map(|(at, arm)| {
        let sample = arm.time.median;
        let tokens = work.tokens() as f64 / per;
        ArmRow {
            name: arm.name.clone(),
            ms: arm.time.scaled(1e3),
            tokens_per_s: if sample > 0.0 { tokens / sample } else { 0.0 },
            load: bench.stats.get(at).map(|(stats, calls)| Load::of(*stats, *calls, sample * per, limits)),
        }
    });
    Ok(ArmTable { work: work.to_string(), rows: rows.collect(), comparisons, samples })
}

/// Counts how often comparisons err here: `count` of the team's first session with itself, and half as many with work
/// added to one side; `each` hears of every comparison.
///
/// # Errors
/// As [`compare_arms`].
pub fn self_check(
    team: &mut Team,
    work: Work,
    count: usize,
    injected: f64,
    judge: &Judge,
    limits: &Limits,
    each: &mut dyn FnMut(&ArmTable),
) -> Result<SelfCheck, BenchError> {
    let arm =
        |name: &str, slowed| ArmSetup { name: name.to_owned(), session: 0, width: None, prefix: 0, slowed };
    let mut check = SelfCheck { same: Vec::new(), slowed: Vec::new(), injected, false_alarms: 0, found: 0 };
    for i in 0..count {
        // Two of equals, then one that is slowed.
        for slowed in [Some(0.0), (i % 2 == 1).then_some(injected)].into_iter().flatten() {
            let name = if slowed > 0.0 { "slowed" } else { "again" };
            let arms = [arm("base", 0.0), arm(name, slowed)];
            let table = compare_arms(team, &arms, &[], work, judge, limits)?;
            each(&table);
            for c in table.comparisons {
                if slowed > 0.0 {
                    check.found += usize::from(c.verdict == Verdict::Slower);
                    check.slowed.push(c);
                } else {
                    check.false_alarms += usize::from(c.verdict.differs());
                    check.same.push(c);
                }
            }
        }
    }
    Ok(check)
}
