//! Embedding rows: one f32 product per value.

/// `out = row * scale`.
pub(super) fn embed(row: &[f32], scale: f32, out: &mut [f32]) {
    for (o, v) in out.iter_mut().zip(row) {
        *o = v * scale;
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_product_is_rounded_once() {
        let mut out = [0.0; 2];
        super::embed(&[0.1, -2.0], 12.0, &mut out);
        assert_eq!(out, [0.1f32 * 12.0, -24.0]);
    }
}
