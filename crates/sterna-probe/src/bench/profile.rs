//! Where the time of a call goes, by kind of op.

use std::fmt;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use sterna_plan::{ModelPlan, OpTime, TeamTime, Wanted};
use sterna_run::Session;

use super::BenchError;
use super::widths::fits;
use crate::table::{Table, number, percent};
use crate::tokens;

/// All ops of one name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpShare {
    /// Op and role of its first weight, layers taken together: "linear down".
    pub name: String,
    /// Ops of that name in the plan.
    pub ops: usize,
    /// Milliseconds a call.
    pub ms: f64,
    /// Of the time of all ops.
    pub share: f64,
    /// Of `ms`, what the first thread waited at barriers for the others.
    pub wait_ms: f64,
}

/// What running on several threads costs a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TeamCost {
    /// Threads; 0 for a backend without any of its own.
    pub threads: usize,
    /// Barriers a call.
    pub barriers: f64,
    /// Milliseconds a call that the first thread waited at barriers for the others: their being later, and the
    /// barriers' own cost.
    pub wait_ms: f64,
    /// Of the wall time.
    pub wait_share: f64,
    /// Milliseconds from asking the threads to run until the first op.
    pub start_ms: f64,
    /// Milliseconds from the last op until all threads are done.
    pub end_ms: f64,
    /// Microseconds of one barrier of threads that have nothing to do; none with one thread.
    pub barrier_us: Option<f64>,
}

/// Time of a call by op, longest first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// Rows of the call.
    pub width: usize,
    /// Positions held before it.
    pub prefix: usize,
    /// Calls that were averaged.
    pub calls: usize,
    /// Wall time of a call in milliseconds, profiling and what happens between ops included.
    pub wall_ms: f64,
    /// Sum of all ops in milliseconds a call.
    pub op_ms: f64,
    /// By name.
    pub ops: Vec<OpShare>,
    /// The threads' own cost.
    pub threads: TeamCost,
}

/// Whether calls of `width` rows after `prefix` positions can be profiled.
///
/// # Errors
/// [`BenchError::Options`], which says what does not fit.
pub fn check_profile(plan: &ModelPlan, width: usize, prefix: usize) -> Result<(), BenchError> {
    let wrong = match width {
        0 => Some("a call has at least one row: 0 is no width".to_owned()),
        _ => fits(plan, width, prefix),
    };
    wrong.map_or(Ok(()), |text| Err(BenchError::Options(text)))
}

/// Profiles `calls` calls of `width` rows after `prefix` positions; results are asked of every row.
///
/// # Errors
/// What does not fit the session, or the session's error.
pub fn profile(
    session: &mut Session,
    width: usize,
    prefix: usize,
    calls: usize,
) -> Result<Profile, BenchError> {
    let plan = std::sync::Arc::clone(session.executor().plan());
    check_profile(&plan, width, prefix)?;
    if calls == 0 {
        return Err(BenchError::Options("a profile of no calls".into()));
    }
    let tokens = tokens::seeded(1, prefix + width, plan.vocab);
    session.truncate(0)?;
    if prefix > 0 {
        session.feed(&tokens[..prefix], 0, Wanted::Nothing, &mut |_| {}, &mut |_, _, _| {})?;
    }
    let (mut wall, mut times, mut team) = (0.0, Vec::new(), TeamTime::default());
    for call in 0..=calls {
        // A hybrid may read the prefix again for this: profiled from here on only, and not the first call, a warm-up.
        session.truncate(prefix)?;
        session.executor_mut().profile(call > 0);
        let start = Instant::now();
        let fed = session.feed(&tokens[prefix..], width, Wanted::Argmax, &mut |_| {}, &mut |_, _, _| {});
        if call > 0 {
            wall += start.elapsed().as_secs_f64();
        }
        if let Err(e) = fed {
            session.executor_mut().profile(false);
            return Err(e.into());
        }
        if call > 0 {
            add(&mut times, session.executor().profile_times());
            let one = session.executor().profile_team();
            team = TeamTime {
                threads: one.threads,
                calls: team.calls + one.calls,
                barriers: team.barriers + one.barriers,
                start_nanos: team.start_nanos + one.start_nanos,
                end_nanos: team.end_nanos + one.end_nanos,
            };
        }
    }
    session.executor_mut().profile(false);
    let barrier_us = session.executor_mut().barrier_cost().map(|nanos| nanos / 1e3);
    let each = |nanos: u64| nanos as f64 / 1e6 / calls as f64;
    let op_ms: f64 = times.iter().map(|t| each(t.nanos)).sum();
    let mut ops: Vec<OpShare> = Vec::new();
    for time in &times {
        let name = role(&time.name);
        let (ms, wait_ms) = (each(time.nanos), each(time.wait_nanos));
        let share = if op_ms > 0.0 { ms / op_ms } else { 0.0 };
        match ops.iter_mut().find(|o| o.name == name) {
            Some(o) => {
                (o.ops, o.ms, o.share) = (o.ops + 1, o.ms + ms, o.share + share);
                o.wait_ms += wait_ms;
            }
            None => ops.push(OpShare { name, ops: 1, ms, share, wait_ms }),
        }
    }
    ops.sort_by(|a, b| b.ms.total_cmp(&a.ms));
    let wall_ms = 1e3 * wall / calls as f64;
    let wait_ms = times.iter().map(|t| each(t.wait_nanos)).sum();
    let threads = TeamCost {
        threads: team.threads,
        barriers: team.barriers as f64 / team.calls.max(1) as f64,
        wait_ms,
        wait_share: if wall_ms > 0.0 { wait_ms / wall_ms } else { 0.0 },
        start_ms: each(team.start_nanos),
        end_ms: each(team.end_nanos),
        barrier_us,
    };
    Ok(Profile { width, prefix, calls, wall_ms, op_ms, ops, threads })
}

/// Adds the times of one more call.
fn add(sum: &mut Vec<OpTime>, call: Vec<OpTime>) {
    if sum.is_empty() {
        *sum = call;
        return;
    }
    for (sum, time) in sum.iter_mut().zip(call) {
        sum.nanos += time.nanos;
        sum.wait_nanos += time.wait_nanos;
    }
}

/// The name without its layer: "linear layers.3.down" and "linear layers.4.down" are one.
fn role(name: &str) -> String {
    let words = name.split_whitespace().map(|word| match word.strip_prefix("layers.") {
        Some(rest) => rest.split_once('.').map_or(word, |(_, role)| role),
        None => word,
    });
    words.collect::<Vec<_>>().join(" ")
}

impl fmt::Display for TeamCost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(us) = self.barrier_us else { return write!(f, "threads: one, no barriers") };
        let (wait, empty) = (number(self.wait_ms), number(self.barriers * us / 1e3));
        let (us, start, end) = (number(us), number(1e3 * self.start_ms), number(1e3 * self.end_ms));
        write!(
            f,
            "threads: {}, {:.0} barriers a call, {wait} ms waiting ({}), {start} us to start, {end} us to end; \
             one empty barrier costs {us} us, so many {empty} ms",
            self.threads,
            self.barriers,
            percent(self.wait_share)
        )
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut t = Table::new(&["op", "ops", "ms a call", "share", "waiting ms"]);
        for o in &self.ops {
            t.row(vec![o.name.clone(), o.ops.to_string(), number(o.ms), percent(o.share), number(o.wait_ms)]);
        }
        let (wall, ops) = (number(self.wall_ms), number(self.op_ms));
        let Self { width, prefix, calls, .. } = self;
        writeln!(
            f,
            "{t}{width} rows after {prefix} positions, {calls} calls: {wall} ms of wall time, {ops} ms in ops"
        )?;
        write!(f, "{}", self.threads)
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn layers_are_taken_together() {
        assert_eq!(super::role("linear layers.12.down"), "linear down");
        assert_eq!(super::role("rms-norm norm"), "rms-norm norm");
        assert_eq!(super::role("attention"), "attention");
    }
}
