// RMS norm of one piece of a row by one workgroup: the sum of squares as in `norm_sum.wgsl`, 1 / sqrt(mean + eps), then
// (x * inverse) * weight.

struct Params {
    input: u32,
    input_cols: u32,
    out: u32,
    out_cols: u32,
    width: u32,
    weight: u32,      // where it begins in the vectors
    weighted: u32,    // 0: without a weight
    count_at: u32,    // 0 a row per call row, 1 a row per output
    eps: f32,
    pad: array<vec4<u32>, 1>,
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> call: array<u32>;
@group(0) @binding(2) var<storage, read> vectors: array<f32>;
@group(0) @binding(3) var<storage, read_write> arena: array<f32>;

//@ include norm_sum

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) t: u32) {
    let row = group.y;
    let start_at = p.input + row * p.input_cols + group.x * p.width;
    let to = p.out + row * p.out_cols + group.x * p.width;
    if (row >= call[p.count_at]) {
        return;
    }
    let sum = sum_of_squares(start_at, p.width, t);
    let inverse = 1.0 / sqrt(sum / f32(p.width) + p.eps);
    for (var i = t; i < p.width; i += 64u) {
        var y = arena[start_at + i] * inverse;
        if (p.weighted != 0u) {
            y = y * vectors[p.weight + i];
        }
        arena[to + i] = y;
    }
}
