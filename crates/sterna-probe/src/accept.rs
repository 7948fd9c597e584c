//! What accepting some rows of a verified call costs.

use serde::{Deserialize, Serialize};
use sterna_plan::{ModelPlan, Wanted};
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
    /// Median seconds.
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
    let mut counts: Vec<usize> = [1, rows / 4, rows / 2, rows - 1].into_iter().filter(|n| *n > 0).collect();
    counts.dedup();
    let arm = |n: &usize| {
        let (n, path) = (*n, &path);
        let (ids, parents) = (&ids[prefix..], &parents);
        Arm::new(format!("accept {n} of {rows}"), move |s: &mut &mut Session| Ok(s.accept(&path[..n])?))
            .prepared(move |s| {
                s.truncate(prefix)?;
                Ok(s.verify(ids, parents, Wanted::Argmax)?)
            })
    };
    let mut arms: Vec<Arm<'_, &mut Session>> = counts.iter().map(arm).collect();
    let mut session = session;
    let samples = interleave(&mut session, &mut arms, rounds)?;
    let points = counts.iter().zip(&samples.arms).map(|(accepted, arm)| AcceptPoint {
        rows,
        accepted: *accepted,
        seconds: arm.time.median,
        steps: if step > 0.0 { arm.time.median / step } else { 0.0 },
    });
    Ok(points.collect())
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
