//! The row table: what one call computes, as data.

use crate::PlanError;

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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowTable {
    rows: Vec<Row>,
}

impl RowTable {
    /// An empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets the rows, keeps the memory.
    pub fn clear(&mut self) {
        self.rows.clear();
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

    /// Checks what every backend relies on: between 1 and `width` rows, tokens below `vocab`, slots and positions
    /// inside the pool, every chain contiguous from its sequence's committed length.
    ///
    /// # Errors
    /// [`PlanError::Rows`] naming the row; trees and kv slots that are not positions are refused (no state kind of
    /// this version stores them).
    pub fn check(
        &self,
        width: usize,
        vocab: usize,
        capacity: u32,
        committed: &[u32],
    ) -> Result<(), PlanError> {
        let fail = |row: usize, why: String| Err(PlanError::Rows { row, why });
        if self.rows.is_empty() || self.rows.len() > width {
            return fail(0, format!("{} rows in a call of width {width}", self.rows.len()));
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
                Parent::Committed if self.rows[..i].iter().any(|o| o.sequence == r.sequence) => {
                    return fail(i, "a second branch of one sequence (tree rows) is not supported".into());
                }
                Parent::Committed => len,
                Parent::Row(p) if p < i && self.rows[p].sequence == r.sequence => {
                    if self.rows[p + 1..i].iter().any(|o| o.sequence == r.sequence) {
                        return fail(
                            i,
                            "a row that does not continue its sequence's latest row (a tree)".into(),
                        );
                    }
                    self.rows[p].position + 1
                }
                Parent::Row(p) => {
                    return fail(i, format!("parent row {p} is not an earlier row of its sequence"));
                }
            };
            if r.position != expected {
                return fail(i, format!("position {} where its parent ends at {expected}", r.position));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_are_checked() {
        let mut t = RowTable::new();
        t.push_chain(0, 3, &[1, 2, 3], 1, Wanted::Argmax);
        t.push_chain(1, 0, &[4], 1, Wanted::Logits);
        assert!(t.check(4, 10, 16, &[3, 0]).is_ok());
        assert_eq!(t.outputs().map(|o| o.0).collect::<Vec<_>>(), [2, 3]);
        for (width, vocab, capacity, committed) in [
            (3, 10, 16, &[3, 0][..]),
            (4, 4, 16, &[3, 0]),
            (4, 10, 5, &[3, 0]),
            (4, 10, 16, &[2, 0]),
            (4, 10, 16, &[3]),
        ] {
            assert!(t.check(width, vocab, capacity, committed).is_err());
        }
        let mut tree = t.clone();
        tree.push(Row {
            token: 1,
            sequence: 0,
            position: 6,
            parent: Parent::Row(1),
            kv_slot: 6,
            wanted: Wanted::Nothing,
        });
        assert!(tree.check(8, 10, 16, &[3, 0]).is_err());
        assert!(RowTable::new().check(4, 10, 16, &[]).is_err());
    }
}
