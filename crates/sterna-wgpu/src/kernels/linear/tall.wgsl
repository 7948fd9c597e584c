// Matrix of 4 or 8 bits a code times int8 rows, in blocks of 32 outputs: [block][group][unit][output], a unit being one vec4 of
// codes. With SUBS one more vec4 follows a group's units: bytes, its scales of 16 or 32 inputs, and with MINS from the ninth on
// its minima. With MINS a word holds a group's scale and the scale of its minima, as halves.
// The float sum is acc = fma(isum, d * da, acc), with MINS then acc = fma(-msum, dmin * da, acc), groups ascending, from 0, by one
// thread for an output and row. SPLIT 1: a thread takes an output through all groups. SPLIT more: so many runs of 32 threads
// take SUM_GROUPS groups each in turn, and their integers, which are exact, go through workgroup memory to the thread that sums.
// Constants: BITS, UNITS (of a group), SUM_GROUPS (groups at a time: their codes are asked for together), TOKENS, SPLIT (at least
// TOKENS unless 1), SUB_UNITS (units that share a scale), SUBS, MINS, HALVES, SHARED (SPLIT is more than 1), PAIRS (only SHARED),
// EARLY (few enough registers that the next codes are asked for before these are multiplied).

struct Params {
    outs: u32,
    groups: u32,      // a multiple of SUM_GROUPS where SPLIT is 1
    count_at: u32,
    mode: u32,        // 0 store, 1 scale, 2 add scaled, 3 silu(even) * odd, 4 gelu(even) * odd
    out: u32,
    out_cols: u32,
    factor: f32,
    zero: i32,        // of codes
    sums_at: u32,     // SUBS with MINS: where the sums of 32 activations begin among the scales
    pad0: u32,
    pad1: u32,
    pad2: u32,
    pad: array<vec4<u32>, 1>,
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> call: array<u32>;
@group(0) @binding(2) var<storage, read> codes: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> scales: array<u32>;
@group(0) @binding(4) var<storage, read> acts: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read> act_scales: array<vec2<u32>>;
@group(0) @binding(6) var<storage, read_write> arena: array<f32>;

const VECS = 8u / BITS; // vec4 of activations that meet a unit
//@ if SUBS
const GROUP_UNITS = UNITS + 1u;
//@ else
const GROUP_UNITS = UNITS;
//@ end
//@ if SHARED
const THREADS = 32u * SPLIT;
const ENTRIES = SPLIT * SUM_GROUPS;
var<workgroup> isums: array<i32, TOKENS * ENTRIES * 32u>;
var<workgroup> factors: array<f32, TOKENS * ENTRIES * 32u>;
//@ if MINS
var<workgroup> msums: array<i32, TOKENS * ENTRIES * 32u>;
var<workgroup> min_factors: array<f32, TOKENS * ENTRIES * 32u>;
//@ end
//@ else
const THREADS = 64u;
//@ end

// The scale of a group, and that of its minima.
fn scale_of(at: u32) -> vec2<f32> {
    //@ if MINS
    return unpack2x16float(scales[at]);
    //@ else
    if (HALVES) {
        let pair = unpack2x16float(scales[at / 2u]);
        return vec2<f32>(select(pair.x, pair.y, (at & 1u) == 1u), 0.0);
    }
    return vec2<f32>(bitcast<f32>(scales[at]), 0.0);
    //@ end
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

//@ if SUBS
fn byte_of(words: vec4<u32>, i: u32) -> i32 {
    return extractBits(bitcast<i32>(words[i / 4u]), 8u * (i % 4u), 8u);
}
//@ end

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) t: u32) {
    let first = group.y * TOKENS;
    let rows = call[p.count_at];
    //@ if SHARED
    let block = group.x;
    let lane = t % 32u;
    let run = t / 32u;
    if (first >= rows) {
        return;
    }
    //@ else
    let n = group.x * 64u + t;
    let block = n / 32u;
    let lane = n % 32u;
    if (first >= rows || n >= p.outs) {
        return;
    }
    //@ end
    //@ for r in TOKENS
    let row$r = min(first + $ru, rows - 1u) * p.groups;
    //@ end
    //@ for i in SUM_GROUPS
    var d$i = vec2<f32>(0.0);
    //@ for u in UNITS
    var w$i_$u = vec4<u32>(0u);
    //@ end
    //@ if SUBS
    var sub$i = vec4<u32>(0u);
    //@ end
    //@ end
    //@ if SHARED
    var g = run * SUM_GROUPS;
    //@ include tall_load
    //@ if PAIRS
    var acc = vec2<f32>(0.0);
    //@ else
    var acc = 0.0;
    //@ end
    for (var start = 0u; start < p.groups; start += ENTRIES) {
        //@ include tall_take
        // The next codes are on their way while these are summed.
        g += ENTRIES;
        //@ if EARLY
        //@ include tall_load
        //@ end
        //@ include tall_sums
        //@ if EARLY
        //@ else
        //@ include tall_load
        //@ end
        // The sums before are done with the memory.
        workgroupBarrier();
        //@ for i in SUM_GROUPS
        //@ for r in TOKENS
        {
            let to = ($ru * ENTRIES + run * SUM_GROUPS + $iu) * 32u + lane;
            isums[to] = isum$i_$r;
            factors[to] = f$i_$r.x;
            //@ if MINS
            msums[to] = msum$i_$r;
            min_factors[to] = f$i_$r.y;
            //@ end
        }
        //@ end
        //@ end
        workgroupBarrier();
        if (run < TOKENS && first + run < rows) {
            //@ if PAIRS
            let begin = run * ENTRIES * 32u + 2u * (lane & 15u);
            //@ else
            let begin = run * ENTRIES * 32u + lane;
            //@ end
            let end = min(ENTRIES, p.groups - start);
            for (var e = 0u; e < end; e++) {
                let at = begin + e * 32u;
                //@ if PAIRS
                acc.x = fma(f32(isums[at]), factors[at], acc.x);
                acc.y = fma(f32(isums[at + 1u]), factors[at + 1u], acc.y);
                //@ if MINS
                acc.x = fma(-f32(msums[at]), min_factors[at], acc.x);
                acc.y = fma(-f32(msums[at + 1u]), min_factors[at + 1u], acc.y);
                //@ end
                //@ else
                acc = fma(f32(isums[at]), factors[at], acc);
                //@ if MINS
                acc = fma(-f32(msums[at]), min_factors[at], acc);
                //@ end
                //@ end
            }
        }
    }
    if (run < TOKENS && first + run < rows) {
        //@ if PAIRS
        let n = block * 16u + lane;
        if (lane < 16u && 2u * n < p.outs) {
            finish(first + run, n, paired(acc.x, acc.y));
        }
        //@ else
        let n = block * 32u + lane;
        if (n < p.outs) {
            finish(first + run, n, acc);
        }
        //@ end
    }
    //@ else
    //@ for r in TOKENS
    var acc$r = 0.0;
    //@ end
    var g = 0u;
    //@ include tall_load
    for (var start = 0u; start < p.groups; start += SUM_GROUPS) {
        //@ include tall_take
        g += SUM_GROUPS;
        //@ if EARLY
        //@ include tall_load
        //@ end
        //@ include tall_sums
        //@ if EARLY
        //@ else
        //@ include tall_load
        //@ end
        //@ for i in SUM_GROUPS
        //@ for r in TOKENS
        acc$r = fma(f32(isum$i_$r), f$i_$r.x, acc$r);
        //@ if MINS
        acc$r = fma(-f32(msum$i_$r), f$i_$r.y, acc$r);
        //@ end
        //@ end
        //@ end
    }
    //@ for r in TOKENS
    if (first + $ru < rows) {
        finish(first + $ru, n, acc$r);
    }
    //@ end
    //@ end
}
