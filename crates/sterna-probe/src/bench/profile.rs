//! Where the time of a call goes, by kind of op.

use std::fmt;
use std::time::Instant;

use serde::Serialize;
use sterna_plan::Wanted;
use sterna_run::Session;

use super::BenchError;
use crate::table::{Table, number, percent};
use crate::tokens;

/// All ops of one name.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OpShare {
    /// Op and role of its first weight, layers taken together: "linear down".
    pub name: String,
    /// Ops of that name in the plan.
    pub ops: usize,
    /// Milliseconds a call.
    pub ms: f64,
    /// Of the time of all ops.
    pub share: f64,
}

/// Time of a call by op, longest first.
#[derive(Clone, Debug, PartialEq, Serialize)]
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
    if width == 0 || calls == 0 || plan.entry_for(width).is_none() || prefix + width > session.context() {
        let text = format!(
            "a profile of {calls} calls of {width} rows after {prefix} positions does not fit the plan"
        );
        return Err(BenchError::Options(text));
    }
    let tokens = tokens::seeded(1, prefix + width, plan.vocab);
    session.truncate(0)?;
    if prefix > 0 {
        session.feed(&tokens[..prefix], 0, Wanted::Nothing, &mut |_| {}, &mut |_, _, _| {})?;
    }
    let mut wall = 0.0;
    for call in 0..=calls {
        session.truncate(prefix)?;
        if call == 1 {
            session.executor_mut().profile(true); // after a warm-up call
        }
        let start = Instant::now();
        let fed = session.feed(&tokens[prefix..], width, Wanted::Argmax, &mut |_| {}, &mut |_, _, _| {});
        if call > 0 {
            wall += start.elapsed().as_secs_f64();
        }
        if let Err(e) = fed {
            session.executor_mut().profile(false);
            return Err(e.into());
        }
    }
    let times = session.executor().profile_times();
    session.executor_mut().profile(false);
    let each = |nanos: u64| nanos as f64 / 1e6 / calls as f64;
    let op_ms: f64 = times.iter().map(|t| each(t.nanos)).sum();
    let mut ops: Vec<OpShare> = Vec::new();
    for time in &times {
        let name = role(&time.name);
        let ms = each(time.nanos);
        let share = if op_ms > 0.0 { ms / op_ms } else { 0.0 };
        match ops.iter_mut().find(|o| o.name == name) {
            Some(o) => (o.ops, o.ms, o.share) = (o.ops + 1, o.ms + ms, o.share + share),
            None => ops.push(OpShare { name, ops: 1, ms, share }),
        }
    }
    ops.sort_by(|a, b| b.ms.total_cmp(&a.ms));
    Ok(Profile { width, prefix, calls, wall_ms: 1e3 * wall / calls as f64, op_ms, ops })
}

/// The name without its layer: "linear layers.3.down" and "linear layers.4.down" are one.
fn role(name: &str) -> String {
    let words = name.split_whitespace().map(|word| match word.strip_prefix("layers.") {
        Some(rest) => rest.split_once('.').map_or(word, |(_, role)| role),
        None => word,
    });
    words.collect::<Vec<_>>().join(" ")
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut t = Table::new(&["op", "ops", "ms a call", "share"]);
        for o in &self.ops {
            t.row(vec![o.name.clone(), o.ops.to_string(), number(o.ms), percent(o.share)]);
        }
        let (wall, ops) = (number(self.wall_ms), number(self.op_ms));
        let Self { width, prefix, calls, .. } = self;
        write!(
            f,
            "{t}{width} rows after {prefix} positions, {calls} calls: {wall} ms of wall time, {ops} ms in ops"
        )
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
