//! A matrix in another encoding, row by row, with what that cost.

use std::ops::Range;
use std::thread;

use sterna_format::{Encoding, FormatError, decode_row, encode_row};

use crate::Weight;
use crate::error::BundleError;

/// Rows that are encoded before they are handed on.
const BATCH: usize = 2048;

/// What encoding a matrix anew cost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Loss {
    /// `sqrt(sum (w - w')^2 / sum w^2)` with `w'` the values that are stored; 0 for zeros.
    pub relative_rms: f64,
    /// `sum w^2`.
    pub squares: f64,
}

/// Takes the bytes of some rows.
pub(crate) type Rows<'a> = &'a mut dyn FnMut(Range<usize>, &[u8]) -> Result<(), BundleError>;

/// Encodes every row of `weight` anew, in canonical order, and hands `out` some rows at a time: which ones, and their bytes.
///
/// # Errors
/// A row length that `to` does not allow, values that are not finite or too large for its scales, bytes that do not
/// decode, all under `name`; and what `out` says.
pub(crate) fn requantise(
    name: &str,
    weight: &Weight,
    to: Encoding,
    out: Rows<'_>,
) -> Result<Loss, BundleError> {
    let format = |source: FormatError| BundleError::Format { name: name.to_owned(), source };
    let each = to.row_bytes(weight.cols).map_err(format)?;
    let workers = thread::available_parallelism().map_or(1, usize::from).min(16);
    let (mut errors, mut squares) = (0.0, 0.0);
    for first in (0..weight.rows).step_by(BATCH) {
        let rows = BATCH.min(weight.rows - first);
        let share = rows.div_ceil(workers).max(1);
        let mut bytes = vec![0; each * rows];
        // Sums are kept per row and added in order, so that they do not depend on the number of workers.
        let mut sums = vec![(0.0, 0.0); rows];
        thread::scope(|scope| {
            let parts: Vec<_> = bytes
                .chunks_mut(share * each)
                .zip(sums.chunks_mut(share))
                .enumerate()
                .map(|(part, (bytes, sums))| {
                    scope.spawn(move || encode_rows(weight, to, first + part * share, bytes, sums))
                })
                .collect();
            for part in parts {
                match part.join() {
                    Ok(done) => done?,
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            Ok::<(), FormatError>(())
        })
        .map_err(format)?;
        out(first..first + rows, &bytes)?;
        for (error, square) in sums {
            errors += error;
            squares += square;
        }
    }
    let relative_rms = if squares > 0.0 { (errors / squares).sqrt() } else { 0.0 };
    Ok(Loss { relative_rms, squares })
}

/// Rows from `first` on, as many as there are sums.
fn encode_rows(
    weight: &Weight,
    to: Encoding,
    first: usize,
    bytes: &mut [u8],
    sums: &mut [(f64, f64)],
) -> Result<(), FormatError> {
    let (mut values, mut stored) = (vec![0.0; weight.cols], vec![0.0; weight.cols]);
    let each = bytes.len() / sums.len().max(1);
    for (i, (row, sum)) in bytes.chunks_exact_mut(each.max(1)).zip(sums).enumerate() {
        decode_row(weight.encoding, &weight.row(first + i)?, &mut values)?;
        encode_row(to, &values, row)?;
        decode_row(to, row, &mut stored)?;
        for (v, s) in values.iter().zip(&stored) {
            sum.0 += (f64::from(*v) - f64::from(*s)).powi(2);
            sum.1 += f64::from(*v).powi(2);
        }
    }
    Ok(())
}
