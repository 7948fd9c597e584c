// RMS norm of one piece of a row by one workgroup: eight lane sums of squares, lane i taking elements i, i + 8, ..., the
// tree, 1 / sqrt(mean + eps), then (x * inverse) * weight.

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

var<workgroup> lanes: array<f32, 8>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) t: u32) {
    let row = group.y;
    let start_at = p.input + row * p.input_cols + group.x * p.width;
    let to = p.out + row * p.out_cols + group.x * p.width;
    let live = row < call[p.count_at];
    if (live && t < 8u) {
        var sum = 0.0;
        for (var i = t; i < p.width; i += 8u) {
            let v = arena[start_at + i];
            sum = fma(v, v, sum);
        }
        lanes[t] = sum;
    }
    workgroupBarrier();
    if (!live) {
        return;
    }
    let sum = tree8(lanes[0], lanes[1], lanes[2], lanes[3], lanes[4], lanes[5], lanes[6], lanes[7]);
    let inverse = 1.0 / sqrt(sum / f32(p.width) + p.eps);
    for (var i = t; i < p.width; i += 64u) {
        var y = arena[start_at + i] * inverse;
        if (p.weighted != 0u) {
            y = y * vectors[p.weight + i];
        }
        arena[to + i] = y;
    }
}
