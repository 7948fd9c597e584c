// One row to int8 by one workgroup, a scale d = max|x| / 127 for each group: q = round half to even of x / d. With NORM the
// row is first normed as in `norm.wgsl`. Beside the scale stands the sum of the group's integers, which takes the zero
// point out of a dot product; with SUMS the sums of every 32 integers are kept too.
// Constants: NORM, THREADS (at least 64), MOST_GROUPS, SUMS.

struct Params {
    input: u32,
    input_cols: u32,
    len: u32,
    group: u32,       // a multiple of 4
    weight: u32,
    count_at: u32,
    eps: f32,
    sums_at: u32,     // SUMS: where they begin among the scales
    pad: array<vec4<u32>, 2>,
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> call: array<u32>;
@group(0) @binding(2) var<storage, read> vectors: array<f32>;
@group(0) @binding(3) var<storage, read> arena: array<f32>;
@group(0) @binding(4) var<storage, read_write> acts: array<u32>;
@group(0) @binding(5) var<storage, read_write> scales: array<vec2<u32>>;

//@ include norm_sum

var<workgroup> peaks: array<atomic<u32>, MOST_GROUPS>;
var<workgroup> sums: array<atomic<i32>, MOST_GROUPS>;

fn value(start_at: u32, i: u32, inverse: f32) -> f32 {
    let x = arena[start_at + i];
    if (NORM) {
        return (x * inverse) * vectors[p.weight + i];
    }
    return x;
}

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) t: u32) {
    let row = group.y;
    if (row >= call[p.count_at]) {
        return;
    }
    let start_at = p.input + row * p.input_cols;
    let groups = p.len / p.group;
    for (var g = t; g < groups; g += THREADS) {
        atomicStore(&peaks[g], 0u);
        atomicStore(&sums[g], 0i);
    }
    var inverse = 1.0;
    if (NORM) {
        let sum = sum_of_squares(start_at, p.len, t);
        inverse = 1.0 / sqrt(sum / f32(p.len) + p.eps);
    }
    workgroupBarrier();
    let words = p.len / 4u;
    // Without its sign a float's bits order as the float does, and whatever is not finite comes last.
    for (var w = t; w < words; w += THREADS) {
        var peak = 0u;
        for (var i = 0u; i < 4u; i++) {
            peak = max(peak, bitcast<u32>(value(start_at, 4u * w + i, inverse)) & 0x7fffffffu);
        }
        atomicMax(&peaks[4u * w / p.group], peak);
    }
    workgroupBarrier();
    for (var w = t; w < words; w += THREADS) {
        let g = 4u * w / p.group;
        let peak = atomicLoad(&peaks[g]);
        let d = bitcast<f32>(peak) / 127.0;
        var word = 0u;
        var sum = 0i;
        // A subnormal d is too coarse for x / d to stay within 127; values that small are 0.
        if (d >= 1.1754944e-38 && peak < 0x7f800000u) {
            for (var i = 0u; i < 4u; i++) {
                let q = i32(round(value(start_at, 4u * w + i, inverse) / d));
                word |= (bitcast<u32>(q) & 0xffu) << (8u * i);
                sum += q;
            }
        }
        acts[row * words + w] = word;
        atomicAdd(&sums[g], sum);
    }
    workgroupBarrier();
    for (var g = t; g < groups; g += THREADS) {
        let peak = atomicLoad(&peaks[g]);
        var d = bitcast<f32>(peak) / 127.0;
        if (d < 1.1754944e-38) {
            d = 0.0;
        }
        scales[row * groups + g] = vec2<u32>(bitcast<u32>(d), bitcast<u32>(atomicLoad(&sums[g])));
    }
    //@ if SUMS
    storageBarrier();
    for (var i = t; i < p.len / 64u; i += THREADS) {
        var pair = vec2<i32>(0i);
        for (var w = 0u; w < 8u; w++) {
            pair.x += dot4I8Packed(acts[row * words + 16u * i + w], 0x01010101u);
            pair.y += dot4I8Packed(acts[row * words + 16u * i + 8u + w], 0x01010101u);
        }
        scales[p.sums_at + row * p.len / 64u + i] = bitcast<vec2<u32>>(pair);
    }
    //@ end
}
