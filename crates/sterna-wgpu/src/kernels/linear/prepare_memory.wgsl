// Memory and functions of `prepare.wgsl`.

var<workgroup> row_acts: array<vec4<u32>, GROUPS * 16u>;
//@ if SMALL
const SHARE = 4u; // threads that share a scale
//@ else
const SHARE = 32u;
//@ end
const SCALES = GROUPS * 32u / SHARE;
var<workgroup> row_scales: array<vec2<u32>, SCALES>; // bits of d, the sum
//@ if SUMS
var<workgroup> row_sums: array<i32, GROUPS * 8u>;
//@ end
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

// Four values to integers: x / d as the product with r = 1 / d and what is left of it, so rounded as a quotient is, then to the nearest.
// Without a branch: of all workgroups some would have a value beside a half, and the others wait.
fn quantised(x: vec4<f32>, d: f32, r: f32) -> u32 {
    let near = x * r;
    let quotient = fma(fma(-near, vec4<f32>(d), x), vec4<f32>(r), near);
    return pack_bytes(bitcast<vec4<u32>>(quotient + ROUNDER));
}
