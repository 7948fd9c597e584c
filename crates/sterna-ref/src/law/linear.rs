//! Linear layers (contract C2).
//!
//! **Int8 { group }**: [`numerics::quantize_group`] per group of inputs gives `q` and `da`. For every output row,
//! with `d`, `sc`, `dmin` and `mn` of its integer view, from `acc = 0` and for the activation groups ascending:
//!
//! 1. `isum = sum sc * sum((code - zero) * q)` over the sub-blocks of the group, exactly;
//!    `acc = fma(isum as f32, d * da, acc)`.
//! 2. With minima: `msum = sum mn * sum(q)`, exactly; `acc = fma(-(msum as f32), dmin * da, acc)`.
//!
//! **Static**: [`numerics::quantize_static`] of the whole row gives `q`; the group is the row and `da` the input scale, so
//! the result is `fma(isum as f32, d * da, 0)`; then [`numerics::on_grid`] where there is an output scale.
//!
//! **Int16**: [`numerics::quantize_wide`] of the whole row gives `q` and `da`, and the result is `fma(isum as f32, d * da, 0)`.
//!
//! **Float**: exactly decoded f32 weights; from `acc = 0` and for the inputs ascending, `acc = fma(w, x, acc)`.

use sterna_format::{IntLayout, IntRow, int_row};
use sterna_plan::{BackendError, LinearNumerics, Weight, WeightSpec, numerics};

use crate::load::{decode_all, room, undecodable};

/// A loaded matrix.
pub(crate) enum Matrix {
    /// Decoded weights.
    Float { cols: usize, weights: Vec<f32> },
    /// Codes and scales.
    Int(IntMatrix),
}

/// How an input row becomes whole numbers.
#[derive(Clone, Copy)]
enum Rounding {
    /// int8 with a scale per group.
    Groups,
    /// int8 with a scale that the model names, and the scale of the outputs if it names one.
    Static(f32, Option<f32>),
    /// int16 with a scale per row.
    Wide,
}

/// Rows of codes less their zero, and of scales.
pub(crate) struct IntMatrix {
    cols: usize,
    layout: IntLayout,
    /// Inputs that share an activation scale.
    group: usize,
    /// How inputs are rounded.
    rounding: Rounding,
    codes: Vec<i16>,
    d: Vec<f32>,
    dmin: Vec<f32>,
    sc: Vec<i16>,
    mn: Vec<i16>,
}

/// An input row.
pub(crate) enum Prepared {
    /// As it is.
    Float(Vec<f32>),
    /// Quantised.
    Int {
        /// `[cols]`.
        q: Vec<i16>,
        /// One scale per group.
        da: Vec<f32>,
    },
}

/// What an int8 linear needs: integer codes whose scale group is a whole number of activation groups.
pub(super) fn accepts(weight: &WeightSpec, numerics: LinearNumerics) -> Result<(), String> {
    let group = match numerics {
        LinearNumerics::Float => return Ok(()),
        LinearNumerics::Int8 { group } => group,
        LinearNumerics::Static { .. } | LinearNumerics::Int16 => weight.cols,
        other => return Err(format!("`{}`: the numerics {other:?}", weight.name)),
    };
    let Some(layout) = weight.encoding.int_layout(weight.cols) else {
        return Err(format!("`{}`: int8 activations with {} weights", weight.name, weight.encoding));
    };
    if group == 0 || !layout.group.is_multiple_of(group) || !weight.cols.is_multiple_of(group) {
        return Err(format!(
            "`{}`: activation groups of {group} inputs with {} weights, which have a scale per {}",
            weight.name, weight.encoding, layout.group
        ));
    }
    Ok(())
}

impl Matrix {
    pub(super) fn load(
        spec: &WeightSpec,
        numerics: LinearNumerics,
        weight: &Weight<'_>,
    ) -> Result<Self, BackendError> {
        match (numerics, spec.encoding.int_layout(spec.cols)) {
            (LinearNumerics::Int8 { group }, Some(layout)) => {
                IntMatrix::load(spec, group, Rounding::Groups, layout, weight).map(Self::Int)
            }
            (LinearNumerics::Static { input, output }, Some(layout)) => {
                let rounding = Rounding::Static(input, output);
                IntMatrix::load(spec, spec.cols, rounding, layout, weight).map(Self::Int)
            }
            (LinearNumerics::Int16, Some(layout)) => {
                IntMatrix::load(spec, spec.cols, Rounding::Wide, layout, weight).map(Self::Int)
            }
            _ => Ok(Self::Float { cols: spec.cols, weights: decode_all(spec, weight)? }),
        }
    }

    pub(super) fn bytes(&self) -> usize {
        match self {
            Matrix::Float { weights, .. } => size_of_val(weights.as_slice()),
            Matrix::Int(m) => 2 * (m.codes.len() + m.sc.len() + m.mn.len()) + 4 * (m.d.len() + m.dmin.len()),
        }
    }
}

impl IntMatrix {
    fn load(
        spec: &WeightSpec,
        group: usize,
        rounding: Rounding,
        layout: IntLayout,
        weight: &Weight<'_>,
    ) -> Result<Self, BackendError> {
        let cols = spec.cols;
        let codes = room(spec.rows.saturating_mul(cols), "decoded weights")?;
        let (d, dmin, sc, mn) = (vec![], vec![], vec![], vec![]);
        let mut m = Self { cols, layout, group, rounding, codes, d, dmin, sc, mn };
        let mut row = IntRow::default();
        for i in 0..spec.rows {
            let read = weight.row(i).and_then(|bytes| int_row(spec.encoding, &bytes, cols, &mut row));
            read.map_err(|e| undecodable(spec, e))?;
            m.push(&row);
            if !m.fits_i32(i) {
                let what = format!("`{}`: row {i} may overflow 32-bit sums", spec.name);
                return Err(BackendError::Unsupported { backend: "ref-law", what });
            }
        }
        Ok(m)
    }

    fn push(&mut self, row: &IntRow) {
        self.codes.extend(row.codes.iter().map(|c| i16::from(*c) - self.layout.zero as i16));
        self.d.extend_from_slice(&row.d);
        self.sc.extend_from_slice(&row.sc);
        if self.layout.has_mins {
            self.dmin.extend_from_slice(&row.dmin);
            self.mn.extend_from_slice(&row.mn);
        }
    }

    /// Whether no sum of one activation group of row `n` leaves i32, whatever the activations.
    fn fits_i32(&self, n: usize) -> bool {
        let largest = if matches!(self.rounding, Rounding::Wide) { 1 << 15 } else { 128 };
        let fits = |sum: i64| sum.saturating_mul(largest) <= i64::from(i32::MAX);
        (0..self.cols / self.group).all(|a| {
            let (mut isum, mut msum) = (0i64, 0i64);
            for k in a * self.group..(a + 1) * self.group {
                let sub = n * (self.cols / self.layout.sub) + k / self.layout.sub;
                isum += i64::from(self.codes[n * self.cols + k]).abs() * i64::from(self.sc[sub]).abs();
                msum += self.mn.get(sub).map_or(0, |m| i64::from(*m).abs());
            }
            fits(isum) && fits(msum)
        })
    }

    fn dot(&self, n: usize, q: &[i16], da: &[f32]) -> f32 {
        let IntLayout { group: big, sub, has_mins, .. } = self.layout;
        let codes = &self.codes[n * self.cols..][..self.cols];
        let (d_row, sub_row) = (n * (self.cols / big), n * (self.cols / sub));
        // Sub-blocks of the group, or the part of one that is in the group.
        let step = sub.min(self.group);
        let mut acc = 0f32;
        for (a, da) in da.iter().enumerate() {
            let start = a * self.group;
            let (mut isum, mut msum) = (0i64, 0i64);
            for k in (start..start + self.group).step_by(step) {
                let s = sub_row + k / sub;
                isum += i64::from(self.sc[s]) * i64::from(exact_dot(&codes[k..k + step], &q[k..k + step]));
                if has_mins {
                    let sum: i64 = q[k..k + step].iter().map(|q| i64::from(*q)).sum();
                    msum += i64::from(self.mn[s]) * sum;
                }
            }
            debug_assert!(i32::try_from(isum).is_ok() && i32::try_from(msum).is_ok());
            let g = d_row + start / big;
            acc = (isum as i32 as f32).mul_add(self.d[g] * da, acc);
            if has_mins {
                acc = (-(msum as i32 as f32)).mul_add(self.dmin[g] * da, acc);
            }
        }
        match self.rounding {
            Rounding::Static(_, Some(output)) => numerics::on_grid(acc, output),
            _ => acc,
        }
    }
}

/// Codes have at most 9 bits with their sign and activations 16, and `fits_i32` bounds the whole.
fn exact_dot(codes: &[i16], q: &[i16]) -> i32 {
    codes.iter().zip(q).map(|(c, q)| i32::from(*c) * i32::from(*q)).sum()
}

/// Quantises an input row for an integer matrix.
pub(super) fn prepare(matrix: &Matrix, x: &[f32]) -> Prepared {
    let Matrix::Int(m) = matrix else { return Prepared::Float(x.to_vec()) };
    let mut q8 = vec![0i8; x.len()];
    if matches!(m.rounding, Rounding::Wide) {
        let mut low = vec![0i8; x.len()];
        let da = vec![numerics::quantize_wide(x, &mut q8, &mut low)];
        let q = q8.iter().zip(&low).map(|(h, l)| 256 * i16::from(*h) + i16::from(*l)).collect();
        return Prepared::Int { q, da };
    }
    let quantise = |(x, q): (&[f32], &mut [i8])| match m.rounding {
        Rounding::Static(input, _) => numerics::quantize_static(x, input, q),
        _ => numerics::quantize_group(x, q),
    };
    let da = x.chunks(m.group).zip(q8.chunks_mut(m.group)).map(quantise).collect();
    Prepared::Int { q: q8.into_iter().map(i16::from).collect(), da }
}

/// Output `n`.
pub(super) fn dot(matrix: &Matrix, n: usize, x: &Prepared) -> f32 {
    match (matrix, x) {
        (Matrix::Int(m), Prepared::Int { q, da }) => m.dot(n, q, da),
        (Matrix::Float { cols, weights }, Prepared::Float(x)) => {
            let mut acc = 0f32;
            for (w, x) in weights[n * cols..][..*cols].iter().zip(x) {
                acc = w.mul_add(*x, acc);
            }
            acc
        }
        // `prepare` never gives the other kind.
        _ => f32::NAN,
    }
}

#[cfg(test)]
#[path = "linear_tests.rs"]
mod tests;
