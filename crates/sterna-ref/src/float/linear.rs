//! Linear layers in f64 over exactly decoded weights.

use sterna_plan::{BackendError, LinearNumerics, Weight, WeightSpec};

use super::Float;
use crate::load::decode_all;

/// A decoded matrix.
pub(crate) struct Matrix {
    cols: usize,
    weights: Vec<f32>,
    /// How inputs, and outputs, are rounded to int8 steps where they are.
    rounding: Rounding,
}

/// Rounding to int8 steps.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Rounding {
    None,
    /// Inputs, with a scale per this many of them.
    Groups(usize),
    /// Inputs and outputs with scales that the model names.
    Static(f32, Option<f32>),
}

/// Any weight will do; rounded activations need groups that divide the inputs.
pub(super) fn accepts(mode: Float, weight: &WeightSpec, numerics: LinearNumerics) -> Result<(), String> {
    match numerics {
        LinearNumerics::Int8 { group } if mode == Float::RoundedActivations => {
            if group > 0 && weight.cols.is_multiple_of(group) {
                Ok(())
            } else {
                Err(format!("`{}`: activation groups of {group} in {} inputs", weight.name, weight.cols))
            }
        }
        LinearNumerics::Int8 { .. } | LinearNumerics::Float | LinearNumerics::Static { .. } => Ok(()),
        // int16 stands for floats: nothing is rounded here.
        LinearNumerics::Int16 => Ok(()),
        other => Err(format!("`{}`: the numerics {other:?}", weight.name)),
    }
}

impl Matrix {
    pub(super) fn load(
        mode: Float,
        spec: &WeightSpec,
        numerics: LinearNumerics,
        weight: &Weight<'_>,
    ) -> Result<Self, BackendError> {
        let rounding = match (mode, numerics) {
            (Float::RoundedActivations, LinearNumerics::Int8 { group }) => Rounding::Groups(group),
            (Float::RoundedActivations, LinearNumerics::Static { input, output }) => {
                Rounding::Static(input, output)
            }
            _ => Rounding::None,
        };
        Ok(Self { cols: spec.cols, weights: decode_all(spec, weight)?, rounding })
    }

    pub(super) fn bytes(&self) -> usize {
        size_of_val(self.weights.as_slice())
    }
}

/// The input row, rounded to int8 steps where the mode and the plan ask for it.
pub(super) fn prepare(matrix: &Matrix, x: &[f64]) -> Vec<f64> {
    let mut x = x.to_vec();
    match matrix.rounding {
        Rounding::None => {}
        Rounding::Groups(group) => x.chunks_mut(group).for_each(round_to_int8),
        Rounding::Static(input, _) => x.iter_mut().for_each(|v| *v = on_grid(*v, input)),
    }
    x
}

/// `round_half_even(x / scale)` within -128 to 127, times `scale`; NaN where `x` is not finite.
fn on_grid(x: f64, scale: f32) -> f64 {
    let scale = f64::from(scale);
    if x.is_finite() { (x / scale).round_ties_even().clamp(-128.0, 127.0) * scale } else { f64::NAN }
}

/// `d = max|x| / 127`, then `round_half_even(x / d) * d`; NaN where an input is not finite.
fn round_to_int8(x: &mut [f64]) {
    let max = x.iter().fold(0f64, |m, v| if v.abs() > m { v.abs() } else { m });
    let finite = x.iter().all(|v| v.is_finite());
    let d = if finite { max / 127.0 } else { f64::NAN };
    for v in x {
        *v = if d == 0.0 { 0.0 } else { (*v / d).round_ties_even() * d };
    }
}

/// Output `n`; eight sums that the compiler may keep in vectors.
pub(super) fn dot(matrix: &Matrix, n: usize, x: &[f64]) -> f64 {
    let w = &matrix.weights[n * matrix.cols..][..matrix.cols];
    let (w8, w_rest) = w.as_chunks::<8>();
    let (x8, x_rest) = x.as_chunks::<8>();
    let mut sums = [0f64; 8];
    for (w, x) in w8.iter().zip(x8) {
        for i in 0..8 {
            sums[i] += f64::from(w[i]) * x[i];
        }
    }
    let rest: f64 = w_rest.iter().zip(x_rest).map(|(w, x)| f64::from(*w) * x).sum();
    let y = sums.iter().sum::<f64>() + rest;
    match matrix.rounding {
        Rounding::Static(_, Some(output)) => on_grid(y, output),
        _ => y,
    }
}

/// `x * sigmoid(x)`.
pub(super) fn silu(x: f64) -> f64 {
    x / (1.0 + (-x).exp())
}

/// gelu in its tanh form.
pub(super) fn gelu(x: f64) -> f64 {
    let u = (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044_715 * x * x * x);
    0.5 * x * (1.0 + u.tanh())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_nine_counts_its_tail() {
        let weights = (1..=18).map(|v| v as f32).collect();
        let matrix = Matrix { cols: 9, weights, rounding: Rounding::None };
        let x = prepare(&matrix, &[1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0, 3.0]);
        assert_eq!(dot(&matrix, 0, &x), 1.0 + 16.0 + 27.0);
        assert_eq!(dot(&matrix, 1, &x), 10.0 + 34.0 + 54.0);
    }

    #[test]
    fn inputs_are_rounded_half_to_even_per_group() {
        let matrix = Matrix { cols: 6, weights: vec![], rounding: Rounding::Groups(3) };
        let x = prepare(&matrix, &[127.0, 0.5, 1.5, 0.0, 0.0, 0.0]);
        assert_eq!(x, [127.0, 0.0, 2.0, 0.0, 0.0, 0.0]);
        let bad = prepare(&matrix, &[f64::INFINITY, 1.0, 1.0, 254.0, 1.0, 3.0]);
        assert!(bad[..3].iter().all(|v| v.is_nan()));
        assert_eq!(bad[3..], [254.0, 0.0, 4.0]);
    }

    #[test]
    fn static_grids_clamp_inputs_and_outputs() {
        let weights = vec![1.0, 2.0];
        let matrix = Matrix { cols: 2, weights, rounding: Rounding::Static(0.5, Some(0.25)) };
        let x = prepare(&matrix, &[0.75, 100.0]);
        assert_eq!(x, [1.0, 63.5]);
        assert_eq!(dot(&matrix, 0, &x), 31.75, "128 is past 127 steps of a quarter");
        assert!(prepare(&matrix, &[f64::INFINITY, 0.0])[0].is_nan());
    }

    #[test]
    fn silu_of_zero_and_far_out() {
        assert_eq!(silu(0.0), 0.0);
        assert!((silu(1.0) - 0.731_058_578_630_004_9).abs() < 1e-15);
        assert_eq!(silu(-1000.0), 0.0);
    }
}
