//! The scalar definitions of everything that is computed in floats: the written orders of contract C3 and C4.
//!
//! These few functions are the law. A backend may compute eight lanes at once, but every lane does what is written
//! here, so that a row has the same bits at every width.

/// Lanes of every f32 reduction: element `i` belongs to lane `i % LANES`.
pub const LANES: usize = 8;

/// Adds eight lane sums in the one written order: `((0+4)+(2+6)) + ((1+5)+(3+7))`.
#[inline(always)]
pub fn tree(l: [f32; LANES]) -> f32 {
    let pair = [l[0] + l[4], l[1] + l[5], l[2] + l[6], l[3] + l[7]];
    (pair[0] + pair[2]) + (pair[1] + pair[3])
}

/// `e^x` in f32: range reduction by `ln 2` in two parts and a degree-6 polynomial, every step one fused multiply-add.
///
/// Relative error below 2e-7 on [-87, 88]; 0 below -87.3, saturates near the largest f32 above 88; NaN stays NaN.
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    const LOG2E: f32 = std::f32::consts::LOG2_E;
    const LN2_HI: f32 = 355.0 / 512.0; // few bits: its product with a whole number is exact
    const LN2_LO: f32 = -2.121_944_4e-4;
    const ROUND: f32 = 12_582_912.0; // 1.5 * 2^23: adding and subtracting it rounds half to even
    #[allow(clippy::manual_clamp)] // the law in comparisons, as a lane does them
    let clamped = if x > 88.0 {
        88.0
    } else if x < -87.3 {
        -87.3
    } else {
        x
    };
    let t = clamped.mul_add(LOG2E, ROUND); // the low bits of t hold the integer, two's complement
    let n = t - ROUND;
    let r = n.mul_add(-LN2_LO, n.mul_add(-LN2_HI, clamped));
    let mut p = 1.987_569_1e-4_f32.mul_add(r, 1.398_199_9e-3);
    p = p.mul_add(r, 8.333_452e-3);
    p = p.mul_add(r, 4.166_579_6e-2);
    p = p.mul_add(r, 1.666_666_5e-1);
    p = p.mul_add(r, 0.5);
    let y = (r * r).mul_add(p, r) + 1.0;
    let exponent = t.to_bits().wrapping_sub(ROUND.to_bits()).wrapping_add(127);
    let scale = f32::from_bits(exponent << 23);
    if x < -87.3 { 0.0 } else { y * scale }
}

/// `x * sigmoid(x)` as `x / (1 + exp(-x))`.
#[inline(always)]
pub fn silu(x: f32) -> f32 {
    x / (1.0 + exp(-x))
}

/// gelu in its tanh form, `x / 2 * (1 + tanh(u))` with `u = sqrt(2 / pi) * (x + 0.044715 x^3)`, as the equal
/// `x / (1 + exp(-2u))`; `2u` is `x * fma(c3, x * x, c1)`.
#[inline(always)]
pub fn gelu(x: f32) -> f32 {
    const C1: f32 = 1.595_769; // 2 sqrt(2 / pi)
    const C3: f32 = 0.071_354_814; // 0.044715 of it
    x / (1.0 + exp(-(x * C3.mul_add(x * x, C1))))
}

/// `cap * tanh(x / cap)`, the tangent by `(1 - e) / (1 + e)` with `e = exp(-2 |x / cap|)` and the sign of `x`.
#[inline(always)]
pub fn softcap(x: f32, cap: f32) -> f32 {
    let e = exp(-2.0 * (x / cap).abs());
    (cap * ((1.0 - e) / (1.0 + e))).copysign(x)
}

/// Lets only tokens of the best clusters compete: of all others, the logits become the least that competes, less 1. The best
/// `keep` of `scores` are taken, ties to the lowest; `cluster` has the cluster of every token, and `order` is scratch.
/// Whatever is not finite stays so in what is kept.
pub fn keep_clusters<T: Copy + PartialOrd + From<f32> + std::ops::Sub<Output = T>>(
    scores: &[T],
    cluster: &[f32],
    keep: usize,
    logits: &mut [T],
    order: &mut Vec<u32>,
) {
    let score = |c: u32| scores.get(c as usize).copied();
    let better = |a: &u32, b: &u32| {
        let by_score = score(*b).partial_cmp(&score(*a)).unwrap_or(std::cmp::Ordering::Equal);
        by_score.then(a.cmp(b))
    };
    order.clear();
    order.extend((0u32..).take(scores.len()));
    order.sort_by(better);
    order.truncate(keep);
    // After them, for every cluster whether it is one: tables have a quarter of a million tokens.
    let n = order.len();
    order.resize(n + scores.len(), 0);
    for i in 0..n {
        let at = n + order[i] as usize;
        order[at] = 1;
    }
    let kept = |c: f32| order.get(n + c as usize) == Some(&1);
    let tokens = || cluster.iter().enumerate();
    let mut least: Option<T> = None;
    for (token, _) in tokens().filter(|(_, c)| kept(**c)) {
        least = logits.get(token).copied().filter(|x| least.is_none_or(|l| *x < l)).or(least);
    }
    let Some(least) = least else { return };
    let other = least - T::from(1.0);
    for (token, _) in tokens().filter(|(_, c)| !kept(**c)) {
        if let Some(x) = logits.get_mut(token) {
            *x = other;
        }
    }
}

/// `1 / (1 + exp(-x))`.
#[inline(always)]
pub fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + exp(-x))
}

/// `ln(1 + e^x)`, as `x` itself above 20: `max(x, 0) + ln(1 + exp(-|x|))`, the logarithm by
/// `2 atanh(y / (2 + y))`, nine terms of its series in f64, ascending powers summed from the highest.
#[inline(always)]
pub fn softplus(x: f32) -> f32 {
    if x > 20.0 {
        return x;
    }
    let y = f64::from(exp(-x.abs()));
    let s = y / (2.0 + y);
    let square = s * s;
    let mut sum = 1.0 / 17.0;
    for n in [15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0, 1.0] {
        sum = sum * square + 1.0 / n;
    }
    let positive = if x > 0.0 { f64::from(x) } else { 0.0 };
    (positive + 2.0 * s * sum) as f32
}

/// How much of a delta layer's memory a row keeps: `exp(weight * softplus(a + dt))`, `weight` being negative.
#[inline(always)]
pub fn delta_decay(a: f32, dt: f32, weight: f32) -> f32 {
    exp(weight * softplus(a + dt))
}

/// What a delta layer's q and k are divided by, inverted: lane sums of squares by fused multiply-add, [`tree`], then
/// `1 / sqrt(sum + 1e-6)`.
#[inline(always)]
pub fn inverse_length(x: &[f32]) -> f32 {
    1.0 / (sum_of_squares(x) + 1e-6).sqrt()
}

/// Lane sums by fused multiply-add, then [`tree`].
#[inline(always)]
fn sum_of_squares(x: &[f32]) -> f32 {
    let mut lanes = [0f32; LANES];
    let mut chunks = x.chunks_exact(LANES);
    for c in &mut chunks {
        for (l, v) in lanes.iter_mut().zip(c) {
            *l = v.mul_add(*v, *l);
        }
    }
    for (l, v) in lanes.iter_mut().zip(chunks.remainder()) {
        *l = v.mul_add(*v, *l);
    }
    tree(lanes)
}

/// Inverse root mean square: lane sums of squares by fused multiply-add, [`tree`], then `1 / sqrt(mean + eps)`.
#[inline(always)]
pub fn inverse_rms(x: &[f32], eps: f32) -> f32 {
    1.0 / (sum_of_squares(x) / x.len() as f32 + eps).sqrt()
}

/// `out = (x * inverse_rms) * weight`.
#[inline(always)]
pub fn rms_norm(x: &[f32], weight: &[f32], eps: f32, out: &mut [f32]) {
    let inv = inverse_rms(x, eps);
    for ((o, v), w) in out.iter_mut().zip(x).zip(weight) {
        *o = (v * inv) * w;
    }
}

/// `out = x * inverse_rms`.
#[inline(always)]
pub fn normalise(x: &[f32], eps: f32, out: &mut [f32]) {
    let inv = inverse_rms(x, eps);
    for (o, v) in out.iter_mut().zip(x) {
        *o = v * inv;
    }
}

/// Rounds half to even, for |x| below 2^22.
#[inline(always)]
pub fn round_even(x: f32) -> f32 {
    const ROUND: f32 = 12_582_912.0;
    (x + ROUND) - ROUND
}

/// Quantises one group of activations to int8 (contract C2): returns `d = max|x| / 127` and writes
/// `round_half_even(x / d)`; all zero, `d` included, when `d` would be subnormal. A non-finite input gives a non-finite `d`, which the
/// outputs inherit, so that it is found (C6) and not hidden.
#[inline(always)]
pub fn quantize_group(x: &[f32], q: &mut [i8]) -> f32 {
    const ROUND: f32 = 12_582_912.0;
    // Without its sign a float's bits order as the float does, and whatever is not finite comes last.
    let max = x.iter().fold(0u32, |m, v| m.max(v.to_bits() & 0x7fff_ffff));
    let d = f32::from_bits(max) / 127.0;
    // A subnormal `d` is too coarse for `v / d` to stay within 127; values that small are 0.
    let d = if d < f32::MIN_POSITIVE { 0.0 } else { d };
    if d > 0.0 && max < 0x7f80_0000 {
        for (q, v) in q.iter_mut().zip(x) {
            *q = (v / d + ROUND).to_bits().wrapping_sub(ROUND.to_bits()) as i8;
        }
    } else {
        q.fill(0);
    }
    d
}

/// Largest int16 activation: its two bytes are 127 each.
pub const WIDE: f32 = 32_639.0;

/// Quantises a row of activations to int16, as two signed bytes each: `d = max|x| / 32639`, `256 * high + low =
/// round_half_even(x / d)`, no byte below -127 but -128 in `low`. All zero, `d` included, when `d` would be subnormal; a non-finite
/// input gives a non-finite `d`, as in [`quantize_group`].
#[inline(always)]
pub fn quantize_wide(x: &[f32], high: &mut [i8], low: &mut [i8]) -> f32 {
    const ROUND: f32 = 12_582_912.0;
    let max = x.iter().fold(0u32, |m, v| m.max(v.to_bits() & 0x7fff_ffff));
    let d = f32::from_bits(max) / WIDE;
    let d = if d < f32::MIN_POSITIVE { 0.0 } else { d };
    if d > 0.0 && max < 0x7f80_0000 {
        for ((high, low), v) in high.iter_mut().zip(low).zip(x) {
            let q = (v / d + ROUND).to_bits().wrapping_sub(ROUND.to_bits()) as i32;
            *low = q as i8;
            *high = ((q - i32::from(*low)) >> 8) as i8;
        }
    } else {
        high.fill(0);
        low.fill(0);
    }
    d
}

/// Quantises activations to int8 with a scale that the model names: `q = round_half_even(x / scale)` within -128 to 127.
/// Returns `scale`, or, where an input is not finite, a NaN that the outputs inherit.
#[inline(always)]
pub fn quantize_static(x: &[f32], scale: f32, q: &mut [i8]) -> f32 {
    const ROUND: f32 = 12_582_912.0;
    let max = x.iter().fold(0u32, |m, v| m.max(v.to_bits() & 0x7fff_ffff));
    for (q, v) in q.iter_mut().zip(x) {
        *q = (within_int8(v / scale) + ROUND).to_bits().wrapping_sub(ROUND.to_bits()) as i8;
    }
    if max < 0x7f80_0000 { scale } else { f32::NAN }
}

/// A value on an int8 grid: `round_half_even(y / scale)` within -128 to 127, times `scale`; NaN stays NaN.
#[inline(always)]
pub fn on_grid(y: f32, scale: f32) -> f32 {
    round_even(within_int8(y / scale)) * scale
}

/// `v` within -128 to 127.
#[inline(always)]
fn within_int8(v: f32) -> f32 {
    #[allow(clippy::manual_clamp)] // the law in comparisons, as a lane does them
    if v > 127.0 {
        127.0
    } else if v < -128.0 {
        -128.0
    } else {
        v
    }
}

/// Rotates the pair `(a, b)` by the angle whose cosine and sine are given.
#[inline(always)]
pub fn rotate(a: f32, b: f32, cos: f32, sin: f32) -> (f32, f32) {
    (a.mul_add(cos, -(b * sin)), b.mul_add(cos, a * sin))
}

/// Cosines then sines of one position, `[2 * frequencies]` f32, computed in f64.
pub fn rotation_row(frequencies: &[f64], factor: f64, position: u32, out: &mut [f32]) {
    let (cos, sin) = out.split_at_mut(frequencies.len());
    for ((f, c), s) in frequencies.iter().zip(cos).zip(sin) {
        let (sine, cosine) = (f * f64::from(position)).sin_cos();
        *c = (cosine * factor) as f32;
        *s = (sine * factor) as f32;
    }
}

/// A softmax over keys in progress: maximum, sum of exponentials, and the weighted values live in the caller.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Softmax {
    /// Largest score so far.
    pub max: f32,
    /// Sum of `exp(score - max)`.
    pub sum: f32,
}

impl Softmax {
    /// Factors on the old and on the new piece, and the merged state; pieces are merged in ascending order (C4).
    #[inline(always)]
    pub fn merge(self, piece: Softmax) -> (f32, f32, Softmax) {
        let max = if piece.max > self.max { piece.max } else { self.max };
        let (old, new) = (exp(self.max - max), exp(piece.max - max));
        (old, new, Softmax { max, sum: self.sum.mul_add(old, piece.sum * new) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_is_close_and_edges_hold() {
        let mut worst = 0f64;
        for i in -8700..8800 {
            let x = i as f32 * 0.01;
            let want = f64::from(x).exp();
            worst = worst.max((f64::from(exp(x)) - want).abs() / want);
        }
        assert!(worst < 2.5e-7, "{worst}");
        assert_eq!(exp(0.0), 1.0);
        assert_eq!(exp(-1000.0), 0.0);
        assert_eq!(exp(f32::NEG_INFINITY), 0.0);
        assert!(exp(f32::NAN).is_nan());
        assert!(exp(1000.0).is_finite());
    }

    #[test]
    fn softplus_sigmoid_and_decay_are_close() {
        for i in -3000..3000 {
            let x = i as f32 * 0.01;
            let wide = f64::from(x);
            let want = if x > 20.0 { wide } else { wide.exp().ln_1p() };
            let got = f64::from(softplus(x));
            assert!((got - want).abs() <= 3e-7 * want, "softplus({x}) = {got}, not {want}");
            let want = 1.0 / (1.0 + (-wide).exp());
            assert!((f64::from(sigmoid(x)) - want).abs() < 3e-7, "sigmoid({x})");
            let want = (-0.7 * (wide + 0.25).exp().ln_1p()).exp();
            assert!((f64::from(delta_decay(x, 0.25, -0.7)) - want).abs() < 1e-6, "decay({x})");
        }
        assert!(softplus(f32::NAN).is_nan() && sigmoid(f32::NAN).is_nan());
        assert!((inverse_length(&[3.0, 4.0]) - 0.2).abs() < 1e-8);
    }

    #[test]
    fn gelu_and_softcap_are_close() {
        for i in -3000..3000 {
            let x = i as f32 * 0.01;
            let wide = f64::from(x);
            let u = (2.0 / std::f64::consts::PI).sqrt() * (wide + 0.044_715 * wide.powi(3));
            // Where the value itself is nearly nothing the formula that is tested against has no digits left.
            let want = wide / (1.0 + (-2.0 * u).exp());
            let got = f64::from(gelu(x));
            assert!((got - want).abs() <= 2e-5 * want.abs() + 1e-30, "gelu({x}) = {got}, not {want}");
            assert!((got - 0.5 * wide * (1.0 + u.tanh())).abs() < 1e-5, "gelu({x})");
            let capped = f64::from(softcap(x * 10.0, 30.0));
            assert!((capped - 30.0 * (wide * 10.0 / 30.0).tanh()).abs() < 6e-6, "softcap({x})");
        }
        assert!(gelu(f32::NAN).is_nan() && softcap(f32::NAN, 30.0).is_nan());
        assert_eq!((gelu(0.0), softcap(f32::INFINITY, 30.0), softcap(-0.0, 30.0)), (0.0, 30.0, 0.0));
        let mut out = [0.0; 2];
        normalise(&[3.0, 4.0], 3.5, &mut out);
        assert_eq!(out, [0.75, 1.0]);
    }

    #[test]
    fn quantising_rounds_half_to_even_and_keeps_the_maximum() {
        let x = [127.0, -127.0, 0.5, 1.5, 2.5, -0.5, -1.5, 0.0];
        let mut q = [9i8; 8];
        assert_eq!(quantize_group(&x, &mut q), 1.0);
        assert_eq!(q, [127, -127, 0, 2, 2, 0, -2, 0]);
        assert_eq!(quantize_group(&[f32::from_bits(190); 8], &mut q), 0.0);
        assert_eq!(q, [0; 8]);
        assert_eq!(quantize_group(&[0.0; 8], &mut q), 0.0);
        assert_eq!(q, [0; 8]);
        assert!(quantize_group(&[f32::NAN, 1.0], &mut q[..2]).is_nan());
        assert!(!quantize_group(&[f32::INFINITY, 1.0], &mut q[..2]).is_finite());
    }

    #[test]
    fn tokens_of_the_best_clusters_compete() {
        let cluster = [2.0, 0.0, 1.0, 3.0, 1.0, 0.0, 2.0, 3.0];
        let logits = [9.0, 1.0, 5.0, 7.0, -2.0, 3.0, 8.0, 6.0];
        let mut order = Vec::new();
        let mut kept = |scores: &[f32], keep: usize| {
            let mut logits = logits;
            keep_clusters(scores, &cluster, keep, &mut logits, &mut order);
            logits
        };
        assert_eq!(kept(&[0.5, 1.0, -1.0, 0.0], 2), [-3.0, 1.0, 5.0, -3.0, -2.0, 3.0, -3.0, -3.0]);
        assert_eq!(
            kept(&[0.5, 0.5, 0.5, 0.5], 1),
            [0.0, 1.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0],
            "ties to the lowest"
        );
        assert_eq!(kept(&[1.0, 2.0, 3.0, 4.0], 4), logits);
    }

    #[test]
    fn static_scales_clamp_and_round_half_to_even() {
        let x = [0.25, 0.75, -0.25, -0.75, 63.5, 64.0, -64.0, -64.5, 1e30, -1e30];
        let mut q = [9i8; 10];
        assert_eq!(quantize_static(&x, 0.5, &mut q), 0.5);
        assert_eq!(q, [0, 2, 0, -2, 127, 127, -128, -128, 127, -128]);
        assert!(quantize_static(&[f32::NAN, 1.0], 0.5, &mut q[..2]).is_nan());
        assert!(quantize_static(&[f32::INFINITY, 1.0], 0.5, &mut q[..2]).is_nan());
        for (y, want) in [(0.25, 0.0), (0.75, 1.0), (100.0, 63.5), (-100.0, -64.0), (-63.9, -64.0)] {
            assert_eq!(on_grid(y, 0.5), want, "{y}");
        }
        assert!(on_grid(f32::NAN, 0.5).is_nan());
    }

    #[test]
    fn a_tail_that_is_no_multiple_of_the_lanes_counts() {
        let x: Vec<f32> = (1..=11).map(|v| v as f32).collect();
        let want = 1.0 / (x.iter().map(|v| v * v).sum::<f32>() / 11.0 + 1e-5).sqrt();
        assert!((inverse_rms(&x, 1e-5) - want).abs() < 1e-7);
    }
}
