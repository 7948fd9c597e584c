// The scalar definitions that every kernel shares, in the written orders of `sterna_plan::numerics`.

// call[0] rows, call[1] outputs; then four words a row: token, position, slot, and the row of output i.
fn call_row(i: u32) -> u32 {
    return 4u + 4u * i;
}

// The integer under an exponential is found by rounding, not by adding a large constant: a compiler that reorders
// floats cannot undo that.
fn exp_law(x: f32) -> f32 {
    var c = x;
    if (x > 88.0) {
        c = 88.0;
    } else if (x < -87.3) {
        c = -87.3;
    }
    let n = round(c * 1.44269504);
    let r = fma(n, 2.1219444e-4, fma(n, -0.693359375, c));
    var p = fma(1.9875691e-4, r, 1.3981999e-3);
    p = fma(p, r, 8.333452e-3);
    p = fma(p, r, 4.1665796e-2);
    p = fma(p, r, 1.6666665e-1);
    p = fma(p, r, 0.5);
    let y = fma(r * r, p, r) + 1.0;
    let scale = bitcast<f32>(u32(i32(n) + 127) << 23u);
    return select(y * scale, 0.0, x < -87.3);
}

fn sigmoid_law(x: f32) -> f32 {
    return 1.0 / (1.0 + exp_law(-x));
}

fn silu_law(x: f32) -> f32 {
    return x / (1.0 + exp_law(-x));
}

fn gelu_law(x: f32) -> f32 {
    return x / (1.0 + exp_law(-(x * fma(0.071354814, x * x, 1.595769))));
}

// Infinity or not a number, by its bits: arithmetic may assume that there are none.
fn is_bad(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7f800000u) == 0x7f800000u;
}

fn tree8(a: f32, b: f32, c: f32, d: f32, e: f32, f: f32, g: f32, h: f32) -> f32 {
    return ((a + e) + (c + g)) + ((b + f) + (d + h));
}

// Eight squares in a chain, ascending.
fn squares(a: vec4<f32>, b: vec4<f32>) -> f32 {
    return fma(b.w, b.w, fma(b.z, b.z, fma(b.y, b.y, fma(b.x, b.x,
        fma(a.w, a.w, fma(a.z, a.z, fma(a.y, a.y, a.x * a.x)))))));
}
