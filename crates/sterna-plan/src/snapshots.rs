//! The books of a pool of snapshots, for backends: which positions are kept, and what goes when the budget is used up.

use crate::choose::evict;

/// Snapshots of the slots of a pool, `T` being what a backend keeps for one.
#[derive(Debug)]
pub struct Snapshots<T> {
    budget: usize,
    /// Sorted by slot, then position.
    held: Vec<Held<T>>,
}

#[derive(Debug)]
struct Held<T> {
    slot: usize,
    position: u32,
    bytes: usize,
    data: T,
}

impl<T> Default for Snapshots<T> {
    fn default() -> Self {
        Self { budget: 0, held: Vec::new() }
    }
}

impl<T> Snapshots<T> {
    /// Bytes that all together may take; drops what no longer fits.
    pub fn set_budget(&mut self, bytes: usize) {
        self.budget = bytes;
        while self.bytes() > self.budget {
            self.give_up();
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.held.iter().map(|h| h.bytes).sum()
    }

    /// The deepest position of `slot` that is at most `len`.
    pub fn deepest(&self, slot: usize, len: u32) -> Option<u32> {
        self.held.iter().filter(|h| h.slot == slot && h.position <= len).map(|h| h.position).max()
    }

    /// What is kept of `slot` at `position`.
    pub fn get(&self, slot: usize, position: u32) -> Option<&T> {
        self.held.iter().find(|h| (h.slot, h.position) == (slot, position)).map(|h| &h.data)
    }

    /// Makes room for a snapshot of `bytes` at `position`: gives what a dropped one held, to be used again, and then
    /// expects [`Snapshots::insert`]. `None` if there is one already or the budget can never hold it.
    pub fn reserve(&mut self, slot: usize, position: u32, bytes: usize) -> Option<Option<T>> {
        if bytes > self.budget || position == 0 || self.get(slot, position).is_some() {
            return None;
        }
        // The newcomer takes part in the choice and is the deepest of its slot, so it stays.
        let mut spare = None;
        while self.bytes() + bytes > self.budget {
            let dropped = self.give_up_beside(Some((slot, position)))?;
            spare = Some(dropped);
        }
        Some(spare)
    }

    /// Keeps a snapshot that room was made for.
    pub fn insert(&mut self, slot: usize, position: u32, bytes: usize, data: T) {
        let at = self.held.partition_point(|h| (h.slot, h.position) < (slot, position));
        self.held.insert(at, Held { slot, position, bytes, data });
    }

    /// Drops the snapshots of `slot` past `len`: what comes after that position is about to be another text.
    pub fn cut(&mut self, slot: usize, len: u32) {
        self.held.retain(|h| h.slot != slot || h.position <= len);
    }

    /// Drops all.
    pub fn clear(&mut self) {
        self.held.clear();
    }

    fn give_up(&mut self) {
        if self.give_up_beside(None).is_none() {
            self.held.pop();
        }
    }

    /// Drops one of the slot that has most, a newcomer counted in.
    fn give_up_beside(&mut self, newcomer: Option<(usize, u32)>) -> Option<T> {
        let positions = |slot: usize| -> Vec<u32> {
            let held = self.held.iter().filter(|h| h.slot == slot).map(|h| h.position);
            held.chain(newcomer.filter(|n| n.0 == slot).map(|n| n.1)).collect()
        };
        let slots = self.held.iter().map(|h| h.slot);
        let slot = slots.max_by_key(|s| (positions(*s).len(), std::cmp::Reverse(*s)))?;
        let mut held = positions(slot);
        held.sort_unstable();
        let position = match evict(&held) {
            Some(i) => held[i],
            None => *held.first()?,
        };
        let at = self.held.iter().position(|h| (h.slot, h.position) == (slot, position))?;
        Some(self.held.remove(at).data)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(s: &mut Snapshots<u32>, slot: usize, position: u32) -> Option<Option<u32>> {
        let spare = s.reserve(slot, position, 10);
        if spare.is_some() {
            s.insert(slot, position, 10, position);
        }
        spare
    }

    #[test]
    fn the_budget_holds_and_the_latest_is_there() {
        let mut s = Snapshots::default();
        assert_eq!(put(&mut s, 0, 5), None, "no budget");
        s.set_budget(35);
        for n in 1..50 {
            assert!(put(&mut s, 0, n * 7).is_some());
            assert!(s.bytes() <= 35 && s.get(0, n * 7) == Some(&(n * 7)));
        }
        assert_eq!(put(&mut s, 0, 49 * 7), None, "there already");
        assert_eq!(put(&mut s, 0, 0), None, "the start needs none");
        assert_eq!(s.deepest(0, 48 * 7), s.held.iter().map(|h| h.position).filter(|p| *p < 49 * 7).max());
        assert_eq!(s.deepest(1, 999), None);
        let before: Vec<u32> = s.held.iter().map(|h| h.position).collect();
        let given = put(&mut s, 1, 3).flatten().unwrap();
        assert!(before[..2].contains(&given), "the slot with most gives, and not its deepest: {given}");
        s.cut(0, 100);
        assert!(s.deepest(0, 999).is_none_or(|p| p <= 100) && s.get(1, 3).is_some());
        s.set_budget(10);
        assert_eq!(s.bytes(), 10);
        s.set_budget(0);
        assert_eq!(s.bytes(), 0);
    }
}
