//! Work over threads: who computes an item never changes its bits.

/// Work below which threads cost more than they bring, in multiply-accumulates.
const WORTH_THREADS: usize = 1 << 22;

/// Calls `f(i, piece)` for every piece of `each` values of `out`, on several threads when `work` is large.
pub(crate) fn for_each_piece<V: Send>(
    out: &mut [V],
    each: usize,
    work: usize,
    f: impl Fn(usize, &mut [V]) + Sync,
) {
    if each == 0 || out.is_empty() {
        return;
    }
    let items = out.len() / each;
    let threads = if work < WORTH_THREADS {
        1
    } else {
        std::thread::available_parallelism().map_or(1, usize::from).clamp(1, items)
    };
    let share = items.div_ceil(threads);
    let run = |first: usize, part: &mut [V]| {
        for (i, piece) in part.chunks_mut(each).enumerate() {
            f(first + i, piece);
        }
    };
    if threads == 1 {
        return run(0, out);
    }
    std::thread::scope(|scope| {
        for (t, part) in out.chunks_mut(share * each).enumerate() {
            let run = &run;
            scope.spawn(move || run(t * share, part));
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_visited_once_with_its_index() {
        for work in [0, WORTH_THREADS] {
            for items in [0, 1, 2, 3, 7, 64] {
                let mut out = vec![0usize; items * 3];
                for_each_piece(&mut out, 3, work, |i, piece| piece.iter_mut().for_each(|p| *p += i + 1));
                assert_eq!(out, (0..items * 3).map(|i| i / 3 + 1).collect::<Vec<_>>());
            }
        }
    }
}
