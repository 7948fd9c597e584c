//! Rotary embedding: [`numerics::rotate`] on every pair.

use sterna_plan::numerics;

/// Rotates pairs `(i, i + dim / 2)` of the first `dim = table.len()` values.
pub(super) fn rotate(head: &mut [f32], table: &[f32]) {
    let half = table.len() / 2;
    let (cos, sin) = table.split_at(half);
    for i in 0..half {
        (head[i], head[i + half]) = numerics::rotate(head[i], head[i + half], cos[i], sin[i]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_half_a_rotation_apart_and_the_rest_stays() {
        let mut head = [1.0, 5.0, 2.0, 6.0, 9.0];
        rotate(&mut head, &[0.0, 1.0, 1.0, 0.0]);
        assert_eq!(head, [-2.0, 5.0, 1.0, 6.0, 9.0]);
        let mut head = [3.0, 4.0];
        rotate(&mut head, &[0.6, 0.8]);
        assert_eq!(head[0], 3f32.mul_add(0.6, -(4.0 * 0.8)));
        assert_eq!(head[1], 4f32.mul_add(0.6, 3.0 * 0.8));
    }
}
