//! How a prompt is cut into calls.

/// Cuts `n` rows into chunk lengths: as many of the largest width as fit, then the rest as one call of the
/// narrowest entry point that holds it. `widths` ascend and are the entry points' widths.
///
/// Large chunks first, since cost per row falls with width; the tail is one call because inactive rows cost nothing
/// on a backend that reads weights once per call.
pub fn chunks(n: usize, widths: &[usize]) -> Vec<usize> {
    let Some(&largest) = widths.last().filter(|w| **w > 0) else { return Vec::new() };
    let mut out = vec![largest; n / largest];
    if !n.is_multiple_of(largest) {
        out.push(n % largest);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_in_one_chunk_and_none_is_too_wide() {
        for n in 0..400 {
            for widths in [&[1][..], &[1, 32], &[1, 32, 64, 128]] {
                let cut = chunks(n, widths);
                assert_eq!(cut.iter().sum::<usize>(), n);
                assert!(cut.iter().all(|c| *c >= 1 && *c <= *widths.last().unwrap()));
                assert!(cut.windows(2).all(|w| w[0] >= w[1]));
            }
        }
        assert!(chunks(5, &[]).is_empty());
    }
}
