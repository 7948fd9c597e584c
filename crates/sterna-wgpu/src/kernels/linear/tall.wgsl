// Matrix of 4 or 8 bits a code with many outputs and short groups (a head) times int8 rows, in blocks of 32 outputs:
// [block][unit][output], a unit being one vec4 of codes. A thread takes an output through all groups by itself, so that its float
// sum, acc = fma(isum, d * da, acc), groups ascending, from 0, needs nobody else.
// Constants: BITS, UNITS (of a group), SUM_GROUPS (groups at a time: their codes are asked for together), TOKENS, HALVES.

struct Params {
    outs: u32,
    groups: u32,      // a multiple of SUM_GROUPS
    count_at: u32,
    mode: u32,        // 0 store, 1 scale, 2 add scaled
    out: u32,
    out_cols: u32,
    factor: f32,
    zero: i32,        // of codes
    pad: array<vec4<u32>, 2>,
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> call: array<u32>;
@group(0) @binding(2) var<storage, read> codes: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> scales: array<u32>;
@group(0) @binding(4) var<storage, read> acts: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read> act_scales: array<vec2<u32>>;
@group(0) @binding(6) var<storage, read_write> arena: array<f32>;

const VECS = 8u / BITS; // vec4 of activations that meet a unit

fn scale_of(at: u32) -> f32 {
    if (HALVES) {
        let pair = unpack2x16float(scales[at / 2u]);
        return select(pair.x, pair.y, (at & 1u) == 1u);
    }
    return bitcast<f32>(scales[at]);
}

fn dot_unit(w: vec4<u32>, at: u32) -> i32 {
    let a = acts[at];
    //@ if FOUR
    let b = acts[at + 1u];
    let low = w & vec4<u32>(0x0f0f0f0fu);
    let high = (w >> vec4<u32>(4u)) & vec4<u32>(0x0f0f0f0fu);
    return dot4I8Packed(low.x, a.x) + dot4I8Packed(high.x, a.y) + dot4I8Packed(low.y, a.z)
        + dot4I8Packed(high.y, a.w) + dot4I8Packed(low.z, b.x) + dot4I8Packed(high.z, b.y)
        + dot4I8Packed(low.w, b.z) + dot4I8Packed(high.w, b.w);
    //@ else
    return dot4I8Packed(w.x, a.x) + dot4I8Packed(w.y, a.y) + dot4I8Packed(w.z, a.z) + dot4I8Packed(w.w, a.w);
    //@ end
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) t: u32) {
    let n = group.x * 64u + t;
    let first = group.y * TOKENS;
    let rows = call[p.count_at];
    if (first >= rows || n >= p.outs) {
        return;
    }
    let block = n / 32u;
    let lane = n % 32u;
    //@ for r in TOKENS
    var acc$r = 0.0;
    let row$r = min(first + $r, rows - 1u) * p.groups;
    //@ end
    for (var g = 0u; g < p.groups; g += SUM_GROUPS) {
        let at = (block * p.groups + g) * UNITS * 32u + lane;
        //@ for i in SUM_GROUPS
        //@ for u in UNITS
        let w$i_$u = codes[at + ($i * UNITS + $u) * 32u];
        //@ end
        let d$i = scale_of((block * p.groups + g + $i) * 32u + lane);
        //@ end
        //@ for i in SUM_GROUPS
        //@ for r in TOKENS
        var sum$i_$r = 0i;
        //@ for u in UNITS
        sum$i_$r += dot_unit(w$i_$u, ((row$r + g + $i) * UNITS + $u) * VECS);
        //@ end
        let a$i_$r = act_scales[row$r + g + $i];
        acc$r = fma(f32(sum$i_$r - p.zero * bitcast<i32>(a$i_$r.y)), d$i * bitcast<f32>(a$i_$r.x), acc$r);
        //@ end
        //@ end
    }
    //@ for r in TOKENS
    if (first + $r < rows) {
        finish(first + $r, n, acc$r);
    }
    //@ end
}
