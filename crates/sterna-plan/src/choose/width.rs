//! How a prompt is cut into calls.

/// Cuts `n` rows into chunk lengths: as many of the largest width as fit, then the rest as one call of the
/// narrowest entry point that holds it. `widths` ascend and are the entry points' widths.
///
/// Large chunks first, since cost per row falls with width; the tail is one call because inactive rows cost nothing
/// on a backend that reads weights once per call.
pub fn chunks(n: usize, widths: &[usize]) -> impl Iterator<Item = usize> + use<> {
    let largest = widths.last().copied().unwrap_or(0);
    let (whole, rest) = (n.checked_div(largest).unwrap_or(0), n.checked_rem(largest).unwrap_or(0));
    std::iter::repeat_n(largest, whole).chain((rest > 0).then_some(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_in_one_chunk_and_none_is_too_wide() {
        for n in 0..400 {
            for widths in [&[1][..], &[1, 32], &[1, 32, 64, 128]] {
                let cut: Vec<usize> = chunks(n, widths).collect();
                assert_eq!(cut.iter().sum::<usize>(), n);
                assert!(cut.iter().all(|c| *c >= 1 && *c <= *widths.last().unwrap()));
                assert!(cut.windows(2).all(|w| w[0] >= w[1]));
            }
        }
        assert_eq!(chunks(5, &[]).count(), 0);
    }
}
