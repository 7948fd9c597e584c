//! The gated delta rule in f64, as the papers write it.

use crate::numbers::DeltaRow;

pub(super) fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// `x / sqrt(sum of squares + 1e-6)`, times `scale`.
pub(super) fn unit(x: &mut [f64], scale: Option<f32>) {
    let length = (x.iter().map(|x| x * x).sum::<f64>() + 1e-6).sqrt();
    let scale = scale.map_or(1.0, f64::from);
    x.iter_mut().for_each(|x| *x *= scale / length);
}

/// `sigmoid(b)` and `exp(decay * ln(1 + e^(a + dt)))`.
pub(super) fn gates(b: f64, a: f64, dt: f32, decay: f32) -> (f64, f64) {
    let x = a + f64::from(dt);
    let softplus = if x > 20.0 { x } else { x.exp().ln_1p() };
    (sigmoid(b), (f64::from(decay) * softplus).exp())
}

/// `S = decay S; u = beta (v - S'k); S = S + k u'; out = S'q`.
pub(super) fn step(row: &DeltaRow<'_, f64>, s: &mut [f64], out: &mut [f64]) {
    let columns = out.len();
    s.iter_mut().for_each(|s| *s *= row.decay);
    let product = |s: &[f64], x: &[f64], j: usize| -> f64 {
        x.iter().zip(s.chunks_exact(columns)).map(|(x, s)| x * s[j]).sum()
    };
    let u: Vec<f64> = (0..columns).map(|j| row.beta * (row.v[j] - product(s, row.k, j))).collect();
    for (k, s) in row.k.iter().zip(s.chunks_exact_mut(columns)) {
        for (s, u) in s.iter_mut().zip(&u) {
            *s += k * u;
        }
    }
    for (j, out) in out.iter_mut().enumerate() {
        *out = product(s, row.q, j);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_recalls_its_value() {
        let (mut s, mut out) = ([0f64; 4], [9f64; 2]);
        let row =
            |v: &'static [f64], beta, decay| DeltaRow { q: &[0.5, 0.0], k: &[1.0, 0.0], v, beta, decay };
        step(&row(&[4.0, 8.0], 1.0, 0.5), &mut s, &mut out);
        assert_eq!((s, out), ([4.0, 8.0, 0.0, 0.0], [2.0, 4.0]));
        step(&row(&[6.0, 4.0], 0.5, 0.5), &mut s, &mut out);
        assert_eq!((s, out), ([4.0, 4.0, 0.0, 0.0], [2.0, 2.0]));
        let (beta, decay) = gates(0.0, -0.5, 0.5, -2.0);
        assert_eq!(beta, 0.5);
        assert!((decay - 0.25).abs() < 1e-12, "{decay}: exp(-2 ln 2)");
    }
}
