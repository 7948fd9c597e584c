//! Measured costs of calls, for policies that choose how many rows a call has.

use serde::{Deserialize, Serialize};

/// Version of the table's fields.
pub const COST_SCHEMA: u32 = 1;

/// What calls of each width cost one model on one device, as it was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CostTable {
    /// [`COST_SCHEMA`].
    pub schema: u32,
    /// Name of the model or bundle.
    pub model: String,
    /// Bytes of its packed weights: another file of the same name is another model.
    pub weight_bytes: u64,
    /// Device in words, instruction set and threads with it.
    pub device: String,
    /// Positions held before the calls.
    pub prefix: usize,
    /// Rows of a call and its median seconds; rows ascend from 1.
    pub calls: Vec<(usize, f64)>,
}

/// Why a table is of no use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CostError {
    /// Written by another version.
    #[error(
        "a cost table of schema {0}; this program reads {COST_SCHEMA}: measure again (`sterna probe verify-cost`)"
    )]
    Schema(u32),
    /// Widths that do not ascend from 1, or times that are none.
    #[error(
        "a cost table needs widths that ascend from 1 and times above 0: measure again (`sterna probe verify-cost`)"
    )]
    Calls,
}

impl CostTable {
    /// Looks through what came from a file.
    ///
    /// # Errors
    /// [`CostError`].
    pub fn check(&self) -> Result<(), CostError> {
        if self.schema != COST_SCHEMA {
            return Err(CostError::Schema(self.schema));
        }
        let from_one = self.calls.first().is_some_and(|c| c.0 == 1);
        let ascends = self.calls.windows(2).all(|w| w[0].0 < w[1].0);
        let timed = self.calls.iter().all(|c| c.1 > 0.0 && c.1.is_finite());
        if from_one && ascends && timed { Ok(()) } else { Err(CostError::Calls) }
    }

    /// Cost of a call of `width` rows in calls of one row. A width between two measured ones costs what the wider one
    /// does, which is the safe side; `None` past the widest.
    pub fn steps(&self, width: usize) -> Option<f64> {
        let one = self.calls.first()?.1;
        self.calls.iter().find(|c| c.0 >= width.max(1)).map(|c| c.1 / one)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(calls: &[(usize, f64)]) -> CostTable {
        CostTable {
            schema: COST_SCHEMA,
            model: "m".into(),
            weight_bytes: 1,
            device: "d".into(),
            prefix: 0,
            calls: calls.to_vec(),
        }
    }

    #[test]
    fn a_width_costs_what_the_next_measured_one_does() {
        let t = table(&[(1, 2.0), (2, 3.0), (8, 6.0)]);
        t.check().unwrap();
        let steps: Vec<_> = [0, 1, 2, 3, 8, 9].into_iter().map(|w| t.steps(w)).collect();
        assert_eq!(steps, [Some(1.0), Some(1.0), Some(1.5), Some(3.0), Some(3.0), None]);
    }

    #[test]
    fn tables_from_elsewhere_are_looked_through() {
        for calls in [
            &[][..],
            &[(2, 1.0)],
            &[(1, 1.0), (1, 1.0)],
            &[(1, 0.0)],
            &[(1, f64::NAN)],
            &[(1, 1.0), (2, -1.0)],
        ] {
            assert_eq!(table(calls).check(), Err(CostError::Calls), "{calls:?}");
        }
        let old = CostTable { schema: 9, ..table(&[(1, 1.0)]) };
        assert_eq!(old.check(), Err(CostError::Schema(9)));
    }
}
