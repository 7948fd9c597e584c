//! Attention in f64 over all keys at once.

use crate::numbers::KeyValues;

/// `softmax(q . k * scale) . v`.
pub(super) fn attend(q: &[f64], kv: &KeyValues<'_, f64>, scale: f32, out: &mut [f64]) {
    let dot = |k: &[f64]| q.iter().zip(k).map(|(a, b)| a * b).sum::<f64>();
    let scores: Vec<f64> = (kv.first..kv.count).map(|j| dot(kv.key(j)) * f64::from(scale)).collect();
    let max = scores.iter().fold(f64::NEG_INFINITY, |m, s| if *s > m { *s } else { m });
    let mut sum = 0.0;
    out.fill(0.0);
    for (j, score) in (kv.first..).zip(scores) {
        let e = (score - max).exp();
        sum += e;
        for (o, v) in out.iter_mut().zip(kv.value(j)) {
            *o += e * v;
        }
    }
    for o in out {
        *o /= sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_keys_one_of_them_three_times_as_heavy() {
        // [position][key, value][2 heads of 1]; the second head is used, and position 2 is in its future.
        let ln3 = 3f64.ln();
        let cells = [9.0, 0.0, 9.0, 10.0, 9.0, ln3, 9.0, 20.0, 9.0, 99.0, 9.0, f64::NAN];
        let kv = KeyValues { cells: &cells, width: 2, start: 1, dim: 1, first: 0, count: 2 };
        let mut out = [0.0];
        attend(&[2.0], &kv, 0.5, &mut out);
        assert!((out[0] - (10.0 + 3.0 * 20.0) / 4.0).abs() < 1e-12, "{out:?}");
    }
}
