//! Rotary embedding in f64.

/// Cosines, then sines, of one position.
pub(super) fn rotation_row(frequencies: &[f64], factor: f64, position: u32, out: &mut [f64]) {
    let (cos, sin) = out.split_at_mut(frequencies.len());
    for ((f, c), s) in frequencies.iter().zip(cos).zip(sin) {
        let (sine, cosine) = (f * f64::from(position)).sin_cos();
        *c = cosine * factor;
        *s = sine * factor;
    }
}

/// Rotates pairs `(i, i + dim / 2)` of the first `dim = table.len()` values.
pub(super) fn rotate(head: &mut [f64], table: &[f64]) {
    let half = table.len() / 2;
    let (cos, sin) = table.split_at(half);
    for i in 0..half {
        let (a, b) = (head[i], head[i + half]);
        head[i] = a * cos[i] - b * sin[i];
        head[i + half] = b * cos[i] + a * sin[i];
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_quarter_turn() {
        let mut table = [0.0; 4];
        super::rotation_row(&[std::f64::consts::FRAC_PI_4, 0.0], 1.0, 2, &mut table);
        let mut head = [1.0, 5.0, 2.0, 6.0, 9.0];
        super::rotate(&mut head, &table);
        let want = [-2.0, 5.0, 1.0, 6.0, 9.0];
        assert!(head.iter().zip(want).all(|(a, b)| (a - b).abs() < 1e-12), "{head:?}");
    }
}
