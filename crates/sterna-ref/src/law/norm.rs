//! RMS norm in the order of [`numerics::rms_norm`]: lane sums of squares by fused multiply-add, the tree, then
//! `(x * inverse) * weight`.

use sterna_plan::numerics;

/// One normed piece.
pub(super) fn rms_norm(x: &[f32], weight: &[f32], eps: f32, out: &mut [f32]) {
    numerics::rms_norm(x, weight, eps, out);
}

#[cfg(test)]
mod tests {
    #[test]
    fn three_and_four() {
        let mut out = [0.0; 2];
        super::rms_norm(&[3.0, 4.0], &[1.0, 2.0], 3.5, &mut out);
        assert_eq!(out, [0.75, 2.0]);
    }
}
