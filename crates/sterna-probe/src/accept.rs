//! What accepting some rows of a verified call costs: at once, and in the next call.

use std::time::Instant;

use serde::{Deserialize, Serialize};
use sterna_plan::{Executor, ModelPlan, Op, Wanted};
use sterna_run::Session;

use crate::bench::BenchError;
use crate::interleave::{Arm, Rounds, interleave};
use crate::tokens;

/// Accepting some rows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct AcceptPoint {
    /// Rows of the call.
    pub rows: usize,
    /// Of these, accepted.
    pub accepted: usize,
    /// Median seconds: of accepting itself, and of what the next held call spends more on recurrent states than after a call of
    /// which nothing was accepted (the recurrence over the accepted rows, and writing the states).
    pub seconds: f64,
    /// Over the seconds of a call of one row.
    pub steps: f64,
}

/// Measures accepting 1, a quarter, half, and all but one of `rows` rows that continue a prefix, in turns; `step` is the
/// seconds of a call of one row.
///
/// # Errors
/// The session's.
pub fn accept_cost(
    session: &mut Session,
    prefix: usize,
    rows: usize,
    rounds: Rounds,
    step: f64,
) -> Result<Vec<AcceptPoint>, BenchError> {
    let plan = std::sync::Arc::clone(session.executor().plan());
    let ids = tokens::seeded(1, prefix + rows, plan.vocab);
    hold_prefix(session, &plan, &ids[..prefix])?;
    let parents: Vec<Option<usize>> = (0..rows).map(|i: usize| i.checked_sub(1)).collect();
    let path: Vec<usize> = (0..rows).collect();
    let counts = counts(rows);
    let arm = |n: &usize| {
        let (n, path) = (*n, &path);
        let (ids, parents) = (&ids[prefix..], &parents);
        Arm::told(format!("accept {n} of {rows}"), move |s: &mut &mut Session| {
            let start = Instant::now();
            s.accept(&path[..n])?;
            let seconds = start.elapsed().as_secs_f64();
            s.executor_mut().profile(true);
            let ran = s.verify(&ids[n..=n], &[None], Wanted::Argmax);
            let states = state_seconds(s.executor());
            s.executor_mut().profile(false);
            ran?;
            Ok(seconds + states)
        })
        .prepared(move |s| {
            s.truncate(prefix)?;
            Ok(s.verify(ids, parents, Wanted::Argmax)?)
        })
    };
    let mut arms: Vec<Arm<'_, &mut Session>> = counts.iter().map(arm).collect();
    let mut session = session;
    let samples = interleave(&mut session, &mut arms, rounds)?;
    let times: Vec<(usize, f64)> =
        counts.iter().copied().zip(samples.arms.iter().map(|a| a.time.median)).collect();
    let Some(((_, nothing), times)) = times.split_first() else { return Ok(Vec::new()) };
    let points = times.iter().map(|(accepted, seconds)| {
        let seconds = (seconds - nothing).max(0.0);
        AcceptPoint {
            rows,
            accepted: *accepted,
            seconds,
            steps: if step > 0.0 { seconds / step } else { 0.0 },
        }
    });
    Ok(points.collect())
}

/// How many of `rows` rows the arms accept: the first none, which is what a next call costs in any case.
fn counts(rows: usize) -> Vec<usize> {
    let mut counts = vec![0, 1, rows / 4, rows / 2, rows - 1];
    counts.sort_unstable();
    counts.dedup();
    counts
}

/// Seconds that the profiled call of one row spent on states that own time.
fn state_seconds(executor: &dyn Executor) -> f64 {
    let plan = executor.plan();
    let ops = plan.entry_for(1).and_then(|at| plan.entries.get(at)).map_or(&[][..], |e| &e.ops);
    let owns_time = |op: &Op| matches!(op, Op::DeltaRule(_) | Op::Conv(_));
    let times = executor.profile_times();
    let nanos = ops.iter().zip(&times).filter(|(op, _)| owns_time(op)).map(|(_, t)| t.nanos);
    1e-9 * nanos.sum::<u64>() as f64
}

/// Feeds a prefix from the start, and keeps a snapshot of its end where the states need one, so that cutting back to it
/// costs nothing.
pub(crate) fn hold_prefix(session: &mut Session, plan: &ModelPlan, ids: &[u32]) -> Result<(), BenchError> {
    session.truncate(0)?;
    let fixed: usize = plan.states.iter().map(|s| s.bytes_fixed()).sum();
    session.set_state_cache(4 * fixed);
    if !ids.is_empty() {
        session.feed(ids, 0, Wanted::Nothing, &mut |_| {}, &mut |_, _, _| {})?;
        session.executor_mut().snapshot(0).map_err(sterna_run::SessionError::from)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::counts;

    #[test]
    fn every_count_is_measured_once_and_nothing_first() {
        for (rows, all) in [(2, &[0, 1][..]), (3, &[0, 1, 2]), (4, &[0, 1, 2, 3]), (16, &[0, 1, 4, 8, 15])] {
            assert_eq!(counts(rows), all, "{rows} rows");
        }
    }
}
