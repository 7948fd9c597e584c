//! Which snapshot of a state to give up.

/// Which of the snapshots at `positions` (of one sequence, ascending) is missed least: the one whose absence leaves the
/// shortest way between its neighbours, the start being the first; the earliest among equals. The deepest stays, since the
/// next turn begins there. `None` for fewer than two.
pub fn evict(positions: &[u32]) -> Option<usize> {
    let before = |i: usize| i.checked_sub(1).map_or(0, |i| positions[i]);
    (0..positions.len().checked_sub(1)?).min_by_key(|i| positions[i + 1] - before(*i))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_one_that_leaves_the_shortest_way_goes() {
        assert_eq!((evict(&[]), evict(&[7])), (None, None));
        assert_eq!(evict(&[10, 20]), Some(0));
        assert_eq!(evict(&[100, 110, 120, 500]), Some(1));
        assert_eq!(evict(&[5, 100, 200]), Some(0));
        assert_eq!(evict(&[10, 20, 30]), Some(0));
    }

    /// Kept at every 128th position of a long text, the eight that stay lie about evenly.
    #[test]
    fn what_stays_is_spread() {
        let mut kept: Vec<u32> = Vec::new();
        for n in 1..=64u32 {
            kept.push(n * 128);
            if kept.len() > 8 {
                kept.remove(evict(&kept).unwrap());
            }
        }
        let gaps: Vec<u32> = kept.iter().scan(0, |last, p| Some(p - std::mem::replace(last, *p))).collect();
        assert_eq!(kept.len(), 8);
        assert!(gaps.iter().all(|g| *g <= 64 * 128 / 3), "{kept:?}");
    }
}
