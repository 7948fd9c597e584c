//! The row table: what one call computes, as data.

use crate::{Plan, PlanError};

/// Which results of a row are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Wanted {
    /// None: the row only fills the state.
    #[default]
    Nothing,
    /// Best and second-best token.
    Argmax,
    /// Best token and the whole row of logits.
    Logits,
}

/// What a row continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Parent {
    /// The committed end of its sequence's state.
    Committed,
    /// An earlier row of the same call.
    Row(usize),
}

/// One row of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Row {
    /// Token to feed.
    pub token: u32,
    /// Slot of the sequence in the state pool.
    pub sequence: usize,
    /// Logical position in the sequence.
    pub position: u32,
    /// What it continues.
    pub parent: Parent,
    /// Where its key and value are stored.
    pub kv_slot: u32,
    /// What is wanted of it.
    pub wanted: Wanted,
}

/// The rows of one call, validated against the plan's width.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RowTable {
    rows: Vec<Row>,
    inputs: Vec<f32>,
}

impl RowTable {
    /// An empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets the rows, keeps the memory.
    pub fn clear(&mut self) {
        self.rows.clear();
        self.inputs.clear();
    }

    /// What the entry point's input buffer is filled with: `[rows, its columns]`.
    pub fn set_inputs(&mut self, values: &[f32]) {
        self.inputs.clear();
        self.inputs.extend_from_slice(values);
    }

    /// What [`RowTable::set_inputs`] took.
    pub fn inputs(&self) -> &[f32] {
        &self.inputs
    }

    /// Adds a chain of tokens that continues `sequence` at `position`; results are wanted of the last `last` rows.
    pub fn push_chain(
        &mut self,
        sequence: usize,
        position: u32,
        tokens: &[u32],
        last: usize,
        wanted: Wanted,
    ) {
        for (i, token) in tokens.iter().enumerate() {
            let at = position.saturating_add(u32::try_from(i).unwrap_or(u32::MAX));
            let parent = if i == 0 { Parent::Committed } else { Parent::Row(self.rows.len() - 1) };
            let wanted = if i + last >= tokens.len() { wanted } else { Wanted::Nothing };
            self.rows.push(Row { token: *token, sequence, position: at, parent, kv_slot: at, wanted });
        }
    }

    /// Adds one row as it is.
    pub fn push(&mut self, row: Row) {
        self.rows.push(row);
    }

    /// The rows.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// True without rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Rows with a result, in order: `(row, wanted)`.
    pub fn outputs(&self) -> impl Iterator<Item = (usize, Wanted)> + '_ {
        self.rows.iter().enumerate().filter(|(_, r)| r.wanted != Wanted::Nothing).map(|(i, r)| (i, r.wanted))
    }

    /// Whether some row does not continue its sequence's latest one.
    pub fn is_tree(&self) -> bool {
        (0..self.rows.len()).any(|i| self.branches(i))
    }

    fn branches(&self, i: usize) -> bool {
        let sequence = self.rows[i].sequence;
        let latest = self.rows[..i].iter().rposition(|o| o.sequence == sequence);
        latest
            != match self.rows[i].parent {
                Parent::Committed => None,
                Parent::Row(p) => Some(p),
            }
    }

    /// The rows that row `i` continues, and itself, oldest first.
    pub fn path(&self, i: usize) -> Vec<usize> {
        let mut path = vec![i];
        while let Some(Row { parent: Parent::Row(p), .. }) = path.last().and_then(|i| self.rows.get(*i)) {
            path.push(*p);
        }
        path.reverse();
        path
    }

    /// The table of some of its rows, each continuing the one before it: what is left when a draft's other rows were
    /// rejected. Nothing is wanted of them but of the last, if `wanted` says so.
    pub fn chain(&self, path: &[usize], wanted: Wanted) -> RowTable {
        let mut chain = RowTable::new();
        let cols = self.inputs.len().checked_div(self.rows.len()).unwrap_or(0);
        for (n, i) in path.iter().enumerate() {
            let Some(row) = self.rows.get(*i) else { continue };
            let parent = n.checked_sub(1).map_or(Parent::Committed, Parent::Row);
            let wanted = if n + 1 == path.len() { wanted } else { Wanted::Nothing };
            chain.rows.push(Row { parent, wanted, ..*row });
            chain.inputs.extend_from_slice(&self.inputs[i * cols..(i + 1) * cols]);
        }
        chain
    }

    /// Checks that the rows at `path` are a chain from `sequence`'s committed end.
    ///
    /// # Errors
    /// [`PlanError::Rows`] naming the first that is not.
    pub fn check_path(&self, sequence: usize, path: &[usize]) -> Result<(), PlanError> {
        let mut parent = Parent::Committed;
        for i in path {
            if self.rows.get(*i).is_none_or(|r| r.sequence != sequence || r.parent != parent) {
                let why = format!("it does not continue the accepted rows of sequence slot {sequence}");
                return Err(PlanError::Rows { row: *i, why });
            }
            parent = Parent::Row(*i);
        }
        Ok(())
    }

    /// Checks what every backend relies on: between 1 and `entry.width` rows, tokens below `vocab`, slots and positions
    /// inside the pool, every row contiguous with what it continues, and inputs if the entry point takes some.
    ///
    /// # Errors
    /// [`PlanError::Rows`] naming the row; kv slots that are not positions are refused (no state kind of this version
    /// stores them), and trees unless `shape` allows them.
    pub fn check(&self, shape: Shape, entry: &Plan, limits: &Limits<'_>) -> Result<(), PlanError> {
        let fail = |row: usize, why: String| Err(PlanError::Rows { row, why });
        let Limits { vocab, capacity, committed } = *limits;
        if self.rows.is_empty() || self.rows.len() > entry.width {
            return fail(0, format!("{} rows in a call of width {}", self.rows.len(), entry.width));
        }
        let inputs = self.rows.len() * entry.input.map_or(0, |b| entry.buffers[b.0].cols);
        if self.inputs.len() != inputs {
            return fail(0, format!("{} input values where {inputs} are needed", self.inputs.len()));
        }
        for (i, r) in self.rows.iter().enumerate() {
            if r.token as usize >= vocab {
                return fail(i, format!("token {} is outside the vocabulary of {vocab}", r.token));
            }
            let Some(&len) = committed.get(r.sequence) else {
                return fail(
                    i,
                    format!("sequence slot {} is outside the pool of {}", r.sequence, committed.len()),
                );
            };
            if r.position >= capacity {
                return fail(i, format!("position {} is past the context of {capacity}", r.position));
            }
            if r.kv_slot != r.position {
                return fail(i, "kv slots other than the position need a ring state".into());
            }
            let expected = match r.parent {
                Parent::Committed => len,
                Parent::Row(p) if p < i && self.rows[p].sequence == r.sequence => self.rows[p].position + 1,
                Parent::Row(p) => {
                    return fail(i, format!("parent row {p} is not an earlier row of its sequence"));
                }
            };
            if shape == Shape::Chains && self.branches(i) {
                return fail(
                    i,
                    "a row that does not continue its sequence's latest row (a tree): only a call that is held may \
                     have some, and only of a model whose states keep every position"
                        .into(),
                );
            }
            if r.position != expected {
                return fail(i, format!("position {} where its parent ends at {expected}", r.position));
            }
        }
        Ok(())
    }
}

/// Checks the rows of a plan that [borrows](crate::StateSpec::Borrowed) its keys, as [`RowTable::check`] does, against what
/// the lender has: each row continues the committed end of its sequence, which is not its start.
///
/// # Errors
/// As [`RowTable::check`]; a row that continues another, or one of an empty sequence.
pub fn check_borrower(rows: &RowTable, entry: &Plan, limits: &Limits<'_>) -> Result<(), PlanError> {
    rows.check(Shape::Trees, entry, limits)?;
    for (row, r) in rows.rows().iter().enumerate() {
        if r.parent != Parent::Committed || r.position == 0 {
            let why =
                "a plan that borrows its keys sees what the lender has committed, at least one position"
                    .into();
            return Err(PlanError::Rows { row, why });
        }
    }
    Ok(())
}

/// How rows of one sequence may hang together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Each continues the one before it.
    Chains,
    /// Several may continue the same one.
    Trees,
}

/// What a table is checked against, beside its entry point.
#[derive(Clone, Copy, Debug)]
pub struct Limits<'a> {
    /// Real tokens.
    pub vocab: usize,
    /// Positions of a slot.
    pub capacity: u32,
    /// Committed positions of every slot.
    pub committed: &'a [u32],
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::{Buffer, BufferId, BufferRows, Level};

    fn entry(width: usize) -> Plan {
        let (buffers, ops) = (Vec::new(), Vec::new());
        Plan { name: "main".into(), width, buffers, ops, input: None, taps: None, level: Level::Exact }
    }

    #[test]
    fn chains_are_checked() {
        let mut t = RowTable::new();
        t.push_chain(0, 3, &[1, 2, 3], 1, Wanted::Argmax);
        t.push_chain(1, 0, &[4], 1, Wanted::Logits);
        let check = |t: &RowTable, shape, width, vocab, capacity, committed: &[u32]| {
            t.check(shape, &entry(width), &Limits { vocab, capacity, committed })
        };
        assert!(check(&t, Shape::Chains, 4, 10, 16, &[3, 0]).is_ok());
        assert_eq!(t.outputs().map(|o| o.0).collect::<Vec<_>>(), [2, 3]);
        for (width, vocab, capacity, committed) in [
            (3, 10, 16, &[3, 0][..]),
            (4, 4, 16, &[3, 0]),
            (4, 10, 5, &[3, 0]),
            (4, 10, 16, &[2, 0]),
            (4, 10, 16, &[3]),
        ] {
            assert!(check(&t, Shape::Chains, width, vocab, capacity, committed).is_err());
        }
        assert!(check(&RowTable::new(), Shape::Chains, 4, 10, 16, &[]).is_err());
        let with_input = Plan {
            buffers: vec![Buffer { name: "input", cols: 2, rows: BufferRows::Call }],
            input: Some(BufferId(0)),
            ..entry(4)
        };
        let limits = Limits { vocab: 10, capacity: 16, committed: &[3, 0] };
        assert!(t.check(Shape::Chains, &with_input, &limits).is_err());
        t.set_inputs(&[0.0; 8]);
        assert!(t.check(Shape::Chains, &with_input, &limits).is_ok());
        assert!(check(&t, Shape::Chains, 4, 10, 16, &[3, 0]).is_err(), "inputs that nobody reads");
    }

    /// Rows 0 to 2 are a chain from 3; row 3 hangs on row 0, row 4 on the committed end, row 5 on row 3.
    #[test]
    fn trees_are_checked_and_walked() {
        let mut t = RowTable::new();
        t.push_chain(0, 3, &[1, 2, 3], 1, Wanted::Argmax);
        assert!(!t.is_tree());
        let row = |position, parent| Row {
            token: 1,
            sequence: 0,
            position,
            parent,
            kv_slot: position,
            wanted: Wanted::Argmax,
        };
        t.push(row(4, Parent::Row(0)));
        t.push(row(3, Parent::Committed));
        t.push(row(5, Parent::Row(3)));
        let limits = Limits { vocab: 10, capacity: 16, committed: &[3] };
        assert!(t.is_tree());
        assert!(t.check(Shape::Chains, &entry(8), &limits).is_err());
        t.check(Shape::Trees, &entry(8), &limits).unwrap();
        t.push(row(5, Parent::Row(5)));
        assert!(t.check(Shape::Trees, &entry(8), &limits).is_err(), "not its parent's next position");
        assert_eq!((t.path(2), t.path(5), t.path(4)), (vec![0, 1, 2], vec![0, 3, 5], vec![4]));
        for path in [&[0, 1, 2][..], &[0, 3, 5], &[4], &[]] {
            t.check_path(0, path).unwrap();
            let chain = t.chain(path, Wanted::Argmax);
            assert!(!chain.is_tree() && chain.len() == path.len());
            assert!(path.is_empty() || chain.check(Shape::Chains, &entry(8), &limits).is_ok());
            assert!(chain.outputs().map(|o| o.0).eq(path.len().checked_sub(1)));
        }
        for path in [&[1][..], &[0, 2], &[4, 0], &[0, 3, 6], &[9]] {
            assert!(t.check_path(0, path).is_err(), "{path:?}");
        }
        assert!(t.check_path(1, &[0]).is_err());
    }
}
