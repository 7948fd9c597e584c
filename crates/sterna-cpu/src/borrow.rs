//! Keys and values of another executor: those of the target, for a drafter that was loaded beside it.
//!
//! Both hold the lock of what is lent while a call of theirs runs, so the drafter sees no call of the target in progress, and
//! the memory lives as long as either of them.

use std::sync::{Arc, Mutex};

use sterna_plan::{Limits, ModelPlan, Plan, PlanError, RowTable, StateId, StateSpec, check_borrower};

use crate::state::{Lent, Pool, locked};

/// What an executor borrows.
pub struct Lender {
    /// The other's keys and values.
    pub lent: Arc<Mutex<Lent>>,
    /// For every state of the borrowing plan, which of the other's it is.
    pub states: Vec<StateId>,
}

impl Lender {
    /// Finds what `plan` borrows among `states`; `None` if it borrows nothing.
    ///
    /// # Errors
    /// States that are not lent, or written, or not all borrowed.
    pub fn find(plan: &ModelPlan, states: &Pool, of: &ModelPlan) -> Result<Option<Self>, PlanError> {
        if !plan.borrows() {
            return Ok(None);
        }
        plan.check_borrowed()?;
        let mut found: Vec<StateId> = Vec::with_capacity(plan.states.len());
        for spec in &plan.states {
            let at = spec.lender(&of.states)?.filter(|at| !found.contains(at));
            let mixed = || PlanError::Options(format!("{spec:?} beside borrowed states"));
            found.push(at.ok_or_else(mixed)?);
        }
        Ok(Some(Self { lent: Arc::clone(&states.lent), states: found }))
    }

    /// Checks the rows of a call.
    ///
    /// # Errors
    /// Rows that do not stand at the committed end of what is lent; a window whose first keys are no longer there.
    pub fn check(&self, plan: &ModelPlan, entry: &Plan, rows: &RowTable) -> Result<(), PlanError> {
        let lent = locked(&self.lent);
        let capacity = u32::try_from(lent.capacity).unwrap_or(u32::MAX);
        check_borrower(rows, entry, &Limits { vocab: plan.vocab, capacity, committed: &lent.committed })?;
        for (row, r) in rows.rows().iter().enumerate() {
            let written = lent.written.get(r.sequence).map_or(0, |w| *w as usize);
            for (spec, at) in plan.states.iter().zip(&self.states) {
                let stored = lent.layers.get(at.0).map_or(0, |l| l.stored);
                let first = spec.first_seen(r.position);
                if first + stored < written || spec.end_seen(r.position) > first + stored {
                    let StateSpec::Borrowed { layer, .. } = spec else { continue };
                    let why = format!("the target's layer {layer} no longer has the key of position {first}");
                    return Err(PlanError::Rows { row, why });
                }
            }
        }
        Ok(())
    }
}
