// Matrix of floats times float rows: acc = fma(w, x, acc), inputs ascending, from 0. One thread keeps one output of ROWS rows.
// Constants: FORMAT (0 f16, 1 bf16, 2 f32), ROWS, PAIRS.

struct Params {
    outs: u32,
    cols: u32,
    stride: u32,      // words of a row of the matrix
    count_at: u32,
    input: u32,
    input_cols: u32,
    mode: u32,        // as in `int.wgsl`
    out: u32,
    out_cols: u32,
    factor: f32,
    pad0: u32,
    pad1: u32,
    pad: array<vec4<u32>, 1>,
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> call: array<u32>;
@group(0) @binding(2) var<storage, read> weights: array<u32>;
@group(0) @binding(3) var<storage, read_write> arena: array<f32>;

var<workgroup> results: array<f32, 64u * ROWS>;

fn two(word: u32) -> vec2<f32> {
    if (FORMAT == 1u) {
        return vec2<f32>(bitcast<f32>(word << 16u), bitcast<f32>(word & 0xffff0000u));
    }
    return unpack2x16float(word);
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) t: u32) {
    let n = group.x * 64u + t;
    let first = group.y * ROWS;
    let rows = call[p.count_at];
    var acc: array<f32, ROWS>;
    if (n < p.outs) {
        let w = n * p.stride;
        if (FORMAT == 2u) {
            for (var k = 0u; k < p.cols; k++) {
                let value = bitcast<f32>(weights[w + k]);
                for (var r = 0u; r < ROWS; r++) {
                    acc[r] = fma(value, arena[p.input + min(first + r, rows - 1u) * p.input_cols + k], acc[r]);
                }
            }
        } else {
            for (var k = 0u; k < p.cols; k += 2u) {
                let pair = two(weights[w + k / 2u]);
                for (var r = 0u; r < ROWS; r++) {
                    let at = p.input + min(first + r, rows - 1u) * p.input_cols + k;
                    acc[r] = fma(pair.x, arena[at], acc[r]);
                    if (k + 1u < p.cols) {
                        acc[r] = fma(pair.y, arena[at + 1u], acc[r]);
                    }
                }
            }
        }
    }
    for (var r = 0u; r < ROWS; r++) {
        if (PAIRS) {
            results[r * 64u + t] = acc[r];
        } else if (n < p.outs && first + r < rows) {
            finish(first + r, n, acc[r]);
        }
    }
    if (PAIRS) {
        workgroupBarrier();
        for (var i = t; i < ROWS * 32u; i += 64u) {
            let r = i / 32u;
            let out = group.x * 32u + i % 32u;
            if (first + r < rows && 2u * out < p.outs) {
                let a = results[r * 64u + 2u * (i % 32u)];
                let b = results[r * 64u + 2u * (i % 32u) + 1u];
                finish(first + r, out, paired(a, b));
            }
        }
    }
}
