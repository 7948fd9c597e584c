//! Seeded token sequences for gates and measurements without a text.

use crate::synthetic::Random;

/// `count` tokens below `vocab`: uniform, about one in eight a repetition of the token before it, never all equal
/// where the vocabulary and the length allow two.
pub fn seeded(seed: u64, count: usize, vocab: usize) -> Vec<u32> {
    let limit = u32::try_from(vocab).unwrap_or(u32::MAX).max(1);
    let mut random = Random(seed);
    let mut out: Vec<u32> = Vec::with_capacity(count);
    for _ in 0..count {
        let r = random.bits();
        let fresh = ((r >> 32) % u64::from(limit)) as u32;
        let token = match out.last() {
            Some(last) if r.is_multiple_of(8) => *last,
            _ => fresh,
        };
        out.push(token);
    }
    if let [.., before, last] = &mut out[..]
        && before == last
        && limit > 1
    {
        *last = (*last + 1) % limit;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_seeded_in_range_and_never_all_equal() {
        assert_eq!(seeded(7, 100, 50), seeded(7, 100, 50));
        assert_ne!(seeded(7, 100, 50), seeded(8, 100, 50));
        for seed in 0..200 {
            let t = seeded(seed, 2 + (seed as usize % 9), 2);
            assert!(t.iter().all(|t| *t < 2) && t.iter().any(|x| *x != t[0]), "{t:?}");
        }
        let t = seeded(1, 4000, 100);
        assert!((0..100).all(|x| t.contains(&x)), "every token of a small vocabulary occurs");
        assert!(t.windows(2).any(|w| w[0] == w[1]), "repetitions occur");
        assert_eq!(seeded(1, 3, 1), [0, 0, 0]);
        assert!(seeded(1, 0, 9).is_empty());
    }
}
