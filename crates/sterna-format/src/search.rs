//! Scale searches for the K encodings: a sweep over trial scales, each refined by weighted least squares.
//!
//! All in f64, so that values near the ends of the f32 range neither overflow nor vanish.

/// The trial scales of [`fit_affine`]: trial `i` maps the range of the values to `max_code + start + step·i`
/// steps.
#[derive(Clone, Copy)]
pub(crate) struct Sweep {
    /// Offset of the first trial, in steps.
    pub start: f64,
    /// Distance between trials, in steps.
    pub step: f64,
    /// How many trials.
    pub trials: u32,
}

/// `(scale, min)`, both at least 0, for which `scale·code − min` with codes `0..=max_code` fits `values` well.
///
/// A value's weight in the error is its magnitude plus the root mean square of all.
pub(crate) fn fit_affine(values: &[f32; 32], max_code: u8, sweep: Sweep) -> (f64, f64) {
    let x = values.map(f64::from);
    let top = f64::from(max_code);
    let high = x.iter().fold(f64::MIN, |a, &v| a.max(v));
    let low = x.iter().fold(0.0_f64, |a, &v| a.min(v));
    if high <= low {
        return (0.0, -low);
    }
    let rms = (x.iter().map(|v| v * v).sum::<f64>() / 32.0).sqrt();
    let weight = x.map(|v| v.abs() + rms);
    let codes_for = |scale: f64, min: f64| x.map(|v| ((v + min) / scale).round().clamp(0.0, top));
    let error = |codes: &[f64; 32], scale: f64, min: f64| -> f64 {
        let one = |k: usize| weight[k] * (scale * codes[k] - min - x[k]).powi(2);
        (0..32).map(one).sum()
    };

    let (mut scale, mut min) = ((high - low) / top, -low);
    let mut best = error(&codes_for(scale, min), scale, min);
    for trial in 0..sweep.trials {
        let steps = top + sweep.start + sweep.step * f64::from(trial);
        let codes = codes_for((high - low) / steps, -low);
        let (s, m) = least_squares(&x, &weight, &codes);
        let e = error(&codes, s, m);
        if s > 0.0 && e < best {
            (best, scale, min) = (e, s, m);
        }
    }
    (scale, min)
}

/// The `(scale, min)` with `min ≥ 0` that minimises the weighted error for given codes; a scale of 0 where the
/// codes do not determine one.
fn least_squares(x: &[f64; 32], weight: &[f64; 32], codes: &[f64; 32]) -> (f64, f64) {
    let sum = |f: &dyn Fn(usize) -> f64| -> f64 { (0..32).map(|k| weight[k] * f(k)).sum() };
    let (w, l, ll) = (sum(&|_| 1.0), sum(&|k| codes[k]), sum(&|k| codes[k] * codes[k]));
    let (v, lv) = (sum(&|k| x[k]), sum(&|k| codes[k] * x[k]));
    let det = w * ll - l * l;
    if det <= 0.0 || ll <= 0.0 {
        return (0.0, 0.0);
    }
    let min = (l * lv - ll * v) / det;
    if min > 0.0 { ((w * lv - l * v) / det, min) } else { (lv / ll, 0.0) }
}

/// The signed scale for which `scale·q` with `−limit ≤ q < limit` fits `values` well; 0 for zeros.
///
/// `weight` is that of [`symmetric_weights`].
pub(crate) fn fit_symmetric(x: &[f64; 16], weight: &[f64; 16], limit: u8) -> f64 {
    let far = x.iter().fold(0.0_f64, |far, &v| if v.abs() > far.abs() { v } else { far });
    if far == 0.0 {
        return 0.0;
    }
    let limit = f64::from(limit);
    let (mut best, mut scale) = (0.0, far / -limit);
    for trial in -9..=9 {
        let inverse = -(limit + 0.1 * f64::from(trial)) / far;
        let (mut xq, mut qq) = (0.0, 0.0);
        for (v, w) in x.iter().zip(weight) {
            let q = (v * inverse).round().clamp(-limit, limit - 1.0);
            xq += w * v * q;
            qq += w * q * q;
        }
        // The least-squares scale xq/qq lowers the error by xq²/qq.
        if qq > 0.0 && xq * xq > best * qq {
            best = xq * xq / qq;
            scale = xq / qq;
        }
    }
    scale
}

/// A value's weight in the error: its magnitude plus the root mean square of all, relative to the largest magnitude
/// so that sums stay in range; all 0 for zeros.
pub(crate) fn symmetric_weights(x: &[f64; 16]) -> [f64; 16] {
    let far = x.iter().fold(0.0_f64, |far, v| far.max(v.abs()));
    if far == 0.0 {
        return [0.0; 16];
    }
    let rms = (x.iter().map(|v| (v / far).powi(2)).sum::<f64>() / 16.0).sqrt();
    x.map(|v| v.abs() / far + rms)
}
