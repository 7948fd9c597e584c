//! Float matrices to ternary words, exactly or not at all (test T3).

use std::thread;

use sterna_format::{Encoding, FormatError, ScaleGroup, decode_row, pack_ternary_row};

use crate::Weight;

/// How well a matrix was matched, over all its rows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Fit {
    /// Every value is reproduced.
    pub exact: bool,
    /// Largest `|w - s t| / max|w|` of a group.
    pub max_relative: f64,
    error_squares: f64,
    squares: f64,
}

impl Fit {
    fn none() -> Self {
        Self { exact: true, ..Self::default() }
    }

    fn merge(&mut self, other: Self) {
        self.exact &= other.exact;
        self.max_relative = self.max_relative.max(other.max_relative);
        self.error_squares += other.error_squares;
        self.squares += other.squares;
    }

    /// `sum w^2`.
    pub(crate) fn squares(&self) -> f64 {
        self.squares
    }

    /// `sqrt(sum (w - s t)^2 / sum w^2)`, 0 for zeros.
    pub(crate) fn relative_rms(&self) -> f64 {
        if self.squares > 0.0 { (self.error_squares / self.squares).sqrt() } else { 0.0 }
    }
}

/// A matrix in ternary words.
pub(crate) struct Ternary {
    pub group: ScaleGroup,
    /// `[rows, row_bytes]`, canonical row order.
    pub bytes: Vec<u8>,
    pub fit: Fit,
}

#[derive(Clone, Copy, PartialEq)]
enum Until {
    FirstMisfit,
    End,
}

/// Packs `weight` with the largest block of scales that loses nothing: 256, else 128, else 64, else one f32 per row; where all
/// lose something, the first that the row length allows, with its fit.
///
/// Blocks are preferred to the row's one scale so that a checkpoint and its TQ2_0 file give the same bytes.
///
/// # Errors
/// A row length that is no multiple of 16, a value that is not finite.
pub(crate) fn ternarise(weight: &Weight) -> Result<Ternary, FormatError> {
    let candidates = [
        (256, ScaleGroup::Block256),
        (128, ScaleGroup::Block128),
        (64, ScaleGroup::Block64),
        (16, ScaleGroup::Row),
    ];
    let mut fallback = None;
    for (multiple, group) in candidates {
        if !weight.cols.is_multiple_of(multiple) {
            continue;
        }
        match encode(weight, group, Until::FirstMisfit) {
            Ok(ternary) if ternary.fit.exact => return Ok(ternary),
            Ok(_) => fallback = fallback.or(Some(group)),
            // A scale past f16: the row's f32 holds it.
            Err(FormatError::OutOfRange { .. }) => {}
            Err(other) => return Err(other),
        }
    }
    encode(weight, fallback.unwrap_or(ScaleGroup::Row), Until::End)
}

fn encode(weight: &Weight, group: ScaleGroup, until: Until) -> Result<Ternary, FormatError> {
    let encoding = Encoding::Ternary(group);
    let overflow = FormatError::Overflow { encoding, cols: weight.cols };
    let each = encoding.row_bytes(weight.cols)?;
    let mut bytes = vec![0; each.checked_mul(weight.rows).ok_or(overflow)?];
    let workers = thread::available_parallelism().map_or(1, usize::from).min(16);
    let rows = weight.rows.div_ceil(workers).max(1);
    let mut fit = Fit::none();
    thread::scope(|scope| {
        let parts: Vec<_> = bytes
            .chunks_mut(rows * each)
            .enumerate()
            .map(|(part, out)| scope.spawn(move || encode_rows(weight, group, part * rows, out, each, until)))
            .collect();
        for part in parts {
            match part.join() {
                Ok(done) => fit.merge(done?),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        Ok::<(), FormatError>(())
    })?;
    Ok(Ternary { group, bytes, fit })
}

fn encode_rows(
    weight: &Weight,
    group: ScaleGroup,
    first: usize,
    out: &mut [u8],
    each: usize,
    until: Until,
) -> Result<Fit, FormatError> {
    let mut values = vec![0.0; weight.cols];
    let mut fit = Fit::none();
    for (i, out) in out.chunks_mut(each).enumerate() {
        decode_row(weight.encoding, &weight.row(first + i)?, &mut values)?;
        let row = pack_ternary_row(&values, group, out)?;
        let squares: f64 = values.iter().map(|v| f64::from(*v) * f64::from(*v)).sum();
        fit.merge(Fit {
            exact: row.exact,
            max_relative: row.max_relative_error,
            error_squares: row.relative_rms * row.relative_rms * squares,
            squares,
        });
        if until == Until::FirstMisfit && !fit.exact {
            break;
        }
    }
    Ok(fit)
}
