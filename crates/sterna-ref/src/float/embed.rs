//! Embedding rows in f64.

/// `out = row * scale`.
pub(super) fn embed(row: &[f32], scale: f32, out: &mut [f64]) {
    for (o, v) in out.iter_mut().zip(row) {
        *o = f64::from(*v) * f64::from(scale);
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn values_are_scaled() {
        let mut out = [0.0; 2];
        super::embed(&[1.5, -2.0], 12.0, &mut out);
        assert_eq!(out, [18.0, -24.0]);
    }
}
