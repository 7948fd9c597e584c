// One query head of one row by one workgroup, keys in pieces of 64 by absolute position, merged in ascending order. In a piece
// every score is one chain over the dimensions, from 0, times scale; the sum of exp(score - maximum) goes to eight lanes by
// position in the piece, then the tree; every output is one chain over keys, ascending, from 0. The division is last.
// Constants: HEAD_DIM (even), DIMS = ceil(HEAD_DIM / 64).

struct Params {
    q: u32,
    q_cols: u32,
    out: u32,
    out_cols: u32,
    share: u32,       // query heads on one key and value head
    kv_words: u32,    // of a key
    capacity: u32,
    scale: f32,
    pad: array<vec4<u32>, 2>,
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> call: array<u32>;
@group(0) @binding(2) var<storage, read> state: array<u32>;
@group(0) @binding(3) var<storage, read_write> arena: array<f32>;

const LOWEST = -3.4028234e38;

var<workgroup> query: array<f32, HEAD_DIM>;
var<workgroup> weights: array<f32, 64>;
var<workgroup> peaks: array<f32, 64>;
var<workgroup> lanes: array<f32, 8>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) t: u32) {
    let row = group.y;
    if (row >= call[0]) {
        return;
    }
    let head = group.x;
    let count = call[call_row(row) + 1u] + 1u;
    let slot = call[call_row(row) + 2u];
    let base = slot * p.capacity * 2u * p.kv_words + head / p.share * (HEAD_DIM / 2u);
    for (var i = t; i < HEAD_DIM; i += 64u) {
        query[i] = arena[p.q + row * p.q_cols + head * HEAD_DIM + i];
    }
    workgroupBarrier();
    var out: array<f32, DIMS>;
    var total_max = LOWEST;
    var total_sum = 0.0;
    for (var start = 0u; start < count; start += 64u) {
        let keys = min(64u, count - start);
        var score = LOWEST;
        if (t < keys) {
            let key = base + (start + t) * 2u * p.kv_words;
            var acc = 0.0;
            for (var w = 0u; w < HEAD_DIM / 2u; w++) {
                let k = unpack2x16float(state[key + w]);
                acc = fma(query[2u * w], k.x, acc);
                acc = fma(query[2u * w + 1u], k.y, acc);
            }
            score = acc * p.scale;
        }
        // What is no number is never the maximum.
        peaks[t] = select(score, LOWEST, (bitcast<u32>(score) & 0x7fffffffu) > 0x7f800000u);
        workgroupBarrier();
        for (var half = 32u; half > 0u; half /= 2u) {
            if (t < half && peaks[t + half] > peaks[t]) {
                peaks[t] = peaks[t + half];
            }
            workgroupBarrier();
        }
        let peak = peaks[0];
        weights[t] = select(0.0, exp_law(score - peak), t < keys);
        workgroupBarrier();
        if (t < 8u) {
            var sum = 0.0;
            for (var j = t; j < keys; j += 8u) {
                sum += weights[j];
            }
            lanes[t] = sum;
        }
        workgroupBarrier();
        let sum = tree8(lanes[0], lanes[1], lanes[2], lanes[3], lanes[4], lanes[5], lanes[6], lanes[7]);
        let first = start == 0u;
        let merged = select(total_max, peak, first || peak > total_max);
        let old = exp_law(total_max - merged);
        let fresh = exp_law(peak - merged);
        for (var i = 0u; i < DIMS; i++) {
            let dim = t + 64u * i;
            if (dim < HEAD_DIM) {
                var acc = 0.0;
                for (var j = 0u; j < keys; j++) {
                    let word = state[base + ((start + j) * 2u + 1u) * p.kv_words + dim / 2u];
                    let v = unpack2x16float(word);
                    acc = fma(weights[j], select(v.x, v.y, dim % 2u == 1u), acc);
                }
                out[i] = select(fma(out[i], old, acc * fresh), acc, first);
            }
        }
        total_sum = select(fma(total_sum, old, sum * fresh), sum, first);
        total_max = merged;
        workgroupBarrier();
    }
    for (var i = 0u; i < DIMS; i++) {
        let dim = t + 64u * i;
        if (dim < HEAD_DIM) {
            arena[p.out + row * p.out_cols + head * HEAD_DIM + dim] = out[i] / total_sum;
        }
    }
}
