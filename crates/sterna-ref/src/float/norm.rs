//! RMS norm in f64.

/// `out = x / sqrt(mean(x^2) + eps) * weight`.
pub(super) fn rms_norm(x: &[f64], weight: &[f32], eps: f32, out: &mut [f64]) {
    let mean = x.iter().map(|v| v * v).sum::<f64>() / x.len() as f64;
    let root = (mean + f64::from(eps)).sqrt();
    for ((o, v), w) in out.iter_mut().zip(x).zip(weight) {
        *o = v / root * f64::from(*w);
    }
}

/// `out = x / sqrt(mean(x^2) + eps)`.
pub(super) fn normalise(x: &[f64], eps: f32, out: &mut [f64]) {
    let mean = x.iter().map(|v| v * v).sum::<f64>() / x.len() as f64;
    let root = (mean + f64::from(eps)).sqrt();
    for (o, v) in out.iter_mut().zip(x) {
        *o = v / root;
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn three_and_four() {
        let mut out = [0.0; 2];
        super::rms_norm(&[3.0, 4.0], &[1.0, 2.0], 0.0, &mut out);
        let root = 12.5f64.sqrt();
        assert_eq!(out, [3.0 / root, 8.0 / root]);
        // eps is inside the root: mean 12.5 + 3.5 = 16.
        super::rms_norm(&[3.0, 4.0], &[1.0, 2.0], 3.5, &mut out);
        assert_eq!(out, [0.75, 2.0]);
    }
}
