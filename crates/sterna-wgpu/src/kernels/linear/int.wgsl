// Matrix of 2, 4 or 8 bits a code times int8 rows. A unit is one vec4 of codes; LANES threads share an output and take its
// units in turn for ROWS rows at a time. Their integers are exact, so that only the float sum over groups has an order:
// acc = fma(isum, d * da, acc), groups ascending, from 0, by the one thread that keeps a row's sum.
// Constants: BITS, ROWS, LANES, CHAINS = ceil(ROWS / LANES), PAIRS (outputs 2i and 2i + 1 become one value).

struct Params {
    outs: u32,            // rows of this part of the matrix
    units: u32,           // vec4 of codes in a row of it
    groups: u32,          // of activations in a row
    groups_per_scale: u32,
    units_per_group: u32,
    zero: i32,            // of codes
    count_at: u32,
    mode: u32,            // 0 store, 1 scale, 2 add scaled, 3 silu(even) * odd, 4 gelu(even) * odd
    out: u32,
    out_cols: u32,
    factor: f32,
    pad0: u32,
    pad: array<vec4<u32>, 1>,
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> call: array<u32>;
@group(0) @binding(2) var<storage, read> codes: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> scales: array<f32>;
@group(0) @binding(4) var<storage, read> acts: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read> act_scales: array<vec2<u32>>;
@group(0) @binding(6) var<storage, read_write> arena: array<f32>;

const OUTS = 64u / LANES;
const VECS = 8u / BITS; // vec4 of activations that meet a unit

var<workgroup> partial: array<i32, 64u * ROWS>;
var<workgroup> results: array<f32, OUTS * ROWS>;

// Codes of 2 bits: code 4i + b of a word lies at bit 8b + 2i, so that a shift and a mask give four against four.
fn dot_word(word: u32, a: vec4<u32>) -> i32 {
    return dot4I8Packed(word & 0x03030303u, a.x) + dot4I8Packed((word >> 2u) & 0x03030303u, a.y)
        + dot4I8Packed((word >> 4u) & 0x03030303u, a.z) + dot4I8Packed((word >> 6u) & 0x03030303u, a.w);
}

fn dot_unit(w: vec4<u32>, at: u32) -> i32 {
    if (BITS == 2u) {
        return dot_word(w.x, acts[at]) + dot_word(w.y, acts[at + 1u]) + dot_word(w.z, acts[at + 2u])
            + dot_word(w.w, acts[at + 3u]);
    }
    if (BITS == 4u) {
        let a = acts[at];
        let b = acts[at + 1u];
        let low = w & vec4<u32>(0x0f0f0f0fu);
        let high = (w >> vec4<u32>(4u)) & vec4<u32>(0x0f0f0f0fu);
        return dot4I8Packed(low.x, a.x) + dot4I8Packed(high.x, a.y) + dot4I8Packed(low.y, a.z)
            + dot4I8Packed(high.y, a.w) + dot4I8Packed(low.z, b.x) + dot4I8Packed(high.z, b.y)
            + dot4I8Packed(low.w, b.z) + dot4I8Packed(high.w, b.w);
    }
    let a = acts[at];
    return dot4I8Packed(w.x, a.x) + dot4I8Packed(w.y, a.y) + dot4I8Packed(w.z, a.z) + dot4I8Packed(w.w, a.w);
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) t: u32) {
    let lane = t % LANES;
    let mine = t / LANES;
    let n = group.x * OUTS + mine;
    let first = group.y * ROWS;
    let rows = call[p.count_at];
    var acc: array<f32, CHAINS>;
    var held: array<i32, CHAINS>;
    for (var base = 0u; base < p.units; base += LANES) {
        let u = base + lane;
        let live = u < p.units && n < p.outs;
        var w = vec4<u32>(0u);
        if (live) {
            w = codes[n * p.units + u];
        }
        for (var r = 0u; r < ROWS; r++) {
            var sum = 0i;
            if (live && first + r < rows) {
                sum = dot_unit(w, ((first + r) * p.units + u) * VECS);
            }
            partial[r * 64u + t] = sum;
        }
        workgroupBarrier();
        let end = min(LANES, p.units - base);
        for (var c = 0u; c < CHAINS; c++) {
            let r = lane + c * LANES;
            if (r < ROWS && n < p.outs && first + r < rows) {
                var g = base / p.units_per_group;
                var left = p.units_per_group - base % p.units_per_group;
                for (var i = 0u; i < end; i++) {
                    held[c] += partial[r * 64u + mine * LANES + i];
                    left -= 1u;
                    if (left == 0u) {
                        let a = act_scales[(first + r) * p.groups + g];
                        let isum = held[c] - p.zero * bitcast<i32>(a.y);
                        let d = scales[n * (p.groups / p.groups_per_scale) + g / p.groups_per_scale];
                        acc[c] = fma(f32(isum), d * bitcast<f32>(a.x), acc[c]);
                        held[c] = 0i;
                        g += 1u;
                        left = p.units_per_group;
                    }
                }
            }
        }
        workgroupBarrier();
    }
    for (var c = 0u; c < CHAINS; c++) {
        let r = lane + c * LANES;
        if (r < ROWS) {
            if (PAIRS) {
                results[r * OUTS + mine] = acc[c];
            } else if (n < p.outs && first + r < rows) {
                finish(first + r, n, acc[c]);
            }
        }
    }
    if (PAIRS) {
        workgroupBarrier();
        for (var i = t; i < ROWS * OUTS / 2u; i += 64u) {
            let r = i / (OUTS / 2u);
            let pair = i % (OUTS / 2u);
            let out = group.x * (OUTS / 2u) + pair;
            if (first + r < rows && 2u * out < p.outs) {
                let a = results[r * OUTS + 2u * pair];
                let b = results[r * OUTS + 2u * pair + 1u];
                finish(first + r, out, paired(a, b));
            }
        }
    }
}
