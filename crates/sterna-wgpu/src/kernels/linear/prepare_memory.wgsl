// Memory and functions of `prepare.wgsl`.

var<workgroup> row_acts: array<vec4<u32>, GROUPS * 16u>;
var<workgroup> row_scales: array<vec2<u32>, GROUPS>; // bits of d, the sum
//@ if SUBGROUPS
//@ else
var<workgroup> row_parts: array<vec4<u32>, GROUPS * 8u>;
//@ end
//@ if NORM
var<workgroup> pieces: array<f32, GROUPS>;
//@ end

fn magnitude(v: vec4<f32>) -> u32 {
    let b = bitcast<vec4<u32>>(v) & vec4<u32>(0x7fffffffu);
    return max(max(b.x, b.y), max(b.z, b.w));
}

fn pack_bytes(q: vec4<u32>) -> u32 {
    return (q.x & 0xffu) | ((q.y & 0xffu) << 8u) | ((q.z & 0xffu) << 16u) | (q.w << 24u);
}

// 1.5 * 2^23: a small number plus this has its nearest integer, ties to even, in its low bits.
const ROUNDER = 12582912.0;

// Four values to integers: a product is as good as the quotient unless it lies beside a half.
fn quantised(x: vec4<f32>, d: f32, r: f32) -> u32 {
    let q = fma(x, vec4<f32>(r), vec4<f32>(ROUNDER));
    let off = abs(fma(x, vec4<f32>(r), -(q - ROUNDER)));
    if (max(max(off.x, off.y), max(off.z, off.w)) > 0.4999 || d < 1e-36) {
        return pack_bytes(bitcast<vec4<u32>>(vec4<i32>(round(x / d))));
    }
    return pack_bytes(bitcast<vec4<u32>>(q));
}
