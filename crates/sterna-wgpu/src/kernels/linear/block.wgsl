// Ternary or other 2-bit matrix times int8 rows, in blocks of 32 outputs: [block][unit][output], a unit being one vec4 of codes
// (64 inputs). 32 threads in a row take one output each, so that they read neighbouring units and the same activations, and no
// subgroup is needed; WARPS such runs take a group of 256 inputs each. Their integers are exact; the float sum over groups is
// acc = fma(isum, d * da, acc), groups ascending, from 0, by one thread for an output and row, as in `int.wgsl`.
// A workgroup takes every `workgroups`-th block, and asks for the codes of the next step before it works on this one.
// Constants: GROUPS (of 256 inputs), WARPS, TOKENS (rows at a time), PROLOGUE (0 rows come quantised, 1 the workgroup does it
// for its one row), NORM (and norms it before), SUBGROUPS (they have 32 threads), PAIRS, HALVES (scales are f16).

struct Params {
    outs: u32,        // rows of this part of the matrix
    blocks: u32,
    count_at: u32,
    mode: u32,        // 0 store, 1 scale, 2 add scaled, 3 silu(even) * odd, 4 gelu(even) * odd
    out: u32,
    out_cols: u32,
    factor: f32,
    zero: i32,        // of codes
    input: u32,       // a multiple of 4, as are its columns
    input_cols: u32,
    weight: u32,
    eps: f32,
    pad: array<vec4<u32>, 1>,
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> call: array<u32>;
@group(0) @binding(2) var<storage, read> codes: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> scales: array<u32>;
@group(0) @binding(4) var<storage, read> acts: array<vec4<u32>>;        // PROLOGUE 0
@group(0) @binding(5) var<storage, read> act_scales: array<vec2<u32>>;  // PROLOGUE 0
@group(0) @binding(6) var<storage, read> vectors: array<vec4<f32>>;     // PROLOGUE 2
@group(0) @binding(7) var<storage, read_write> arena: array<vec4<f32>>;

const THREADS = 32u * WARPS;
const TURNS = (GROUPS + WARPS - 1u) / WARPS;
const FULL = GROUPS % WARPS == 0u;

//@ if PROLOGUE
//@ include prepare_memory
//@ end
//@ if PROLOGUE
const BUFFERS = 2u;
//@ else
const BUFFERS = 1u;
//@ end
var<workgroup> isums: array<i32, BUFFERS * TOKENS * THREADS>;
var<workgroup> factors: array<f32, BUFFERS * TOKENS * THREADS>;
//@ if PROLOGUE
//@ else
var<workgroup> turn_acts: array<vec4<u32>, TOKENS * WARPS * 16u>;
//@ end

fn keep(at: u32, isum: i32, factor: f32) {
    isums[at] = isum;
    factors[at] = factor;
}

fn scale_of(block: u32, g: u32, r: u32) -> f32 {
    let at = (block * GROUPS + g) * 32u + r;
    if (HALVES) {
        let pair = unpack2x16float(scales[at / 2u]);
        return select(pair.x, pair.y, (at & 1u) == 1u);
    }
    return bitcast<f32>(scales[at]);
}

@compute @workgroup_size(THREADS)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    //@ if SUBGROUPS
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) invocation: u32,
    //@ else
    @builtin(local_invocation_index) t: u32,
    //@ end
) {
    //@ if SUBGROUPS
    let t = subgroup * 32u + invocation;
    //@ end
    let lane = t % 32u;
    let warp = t / 32u;
    let first = group.y * TOKENS;
    let rows = call[p.count_at];
    if (first >= rows || group.x >= p.blocks) {
        return;
    }
    let steps = ((p.blocks - 1u - group.x) / workgroups.x + 1u) * TURNS;
    var block = group.x;
    var turn = 0u;
    // The first codes are on their way while the row is made ready.
    //@ for u in 4
    var next$u = vec4<u32>(0u);
    //@ end
    var next_scale = 0.0;
    if (warp < GROUPS) {
        let at = (block * GROUPS + warp) * 128u + lane;
        //@ for u in 4
        next$u = codes[at + $u * 32u];
        //@ end
        next_scale = scale_of(block, warp, lane);
    }
    //@ if PROLOGUE
    //@ include prepare
    //@ end
    //@ if PAIRS
    var acc = vec2<f32>(0.0);
    //@ else
    var acc = 0.0;
    //@ end
    var chain = 0u;
    for (var step = 0u; step < steps; step++) {
        let this_block = block;
        let this_turn = turn;
        //@ for u in 4
        let w$u = next$u;
        //@ end
        let d = next_scale;
        turn += 1u;
        if (turn == TURNS) {
            turn = 0u;
            block += workgroups.x;
        }
        let g = this_turn * WARPS + warp;
        let next_g = turn * WARPS + warp;
        if (step + 1u < steps && next_g < GROUPS) {
            let at = (block * GROUPS + next_g) * 128u + lane;
            //@ for u in 4
            next$u = codes[at + $u * 32u];
            //@ end
            next_scale = scale_of(block, next_g, lane);
        }
        //@ if PROLOGUE
        // Two buffers: one is filled while the chains read the other.
        let buffer = (step & 1u) * THREADS;
        //@ else
        let buffer = 0u;
        // The chains are done with the last turn's sums, and everybody with its activations.
        workgroupBarrier();
        for (var i = t; i < TOKENS * WARPS * 16u; i += THREADS) {
            let r = i / (WARPS * 16u);
            let at = this_turn * WARPS * 16u + i % (WARPS * 16u);
            if (at < GROUPS * 16u) {
                turn_acts[i] = acts[min(first + r, rows - 1u) * GROUPS * 16u + at];
            }
        }
        //@ for r in TOKENS
        var da$r = vec2<u32>(0u);
        if (g < GROUPS) {
            da$r = act_scales[min(first + $r, rows - 1u) * GROUPS + g];
        }
        //@ end
        workgroupBarrier();
        //@ end
        if (g < GROUPS) {
            //@ if PROLOGUE
            var s0 = 0i;
            var s1 = 0i;
            var s2 = 0i;
            var s3 = 0i;
            //@ for u in 4
            //@ for m in 4
            let a$u$m = row_acts[g * 16u + $u * 4u + $m];
            s0 += dot4I8Packed(w$u[$m] & 0x03030303u, a$u$m.x);
            s1 += dot4I8Packed(w$u[$m] & 0x0c0c0c0cu, a$u$m.y);
            s2 += dot4I8Packed(w$u[$m] & 0x30303030u, a$u$m.z);
            s3 += dot4I8Packed((w$u[$m] >> 6u) & 0x03030303u, a$u$m.w);
            //@ end
            //@ end
            // s1 and s2 are multiples of 4 and 16: exact.
            let da = row_scales[g];
            let isum = s0 + (s1 >> 2u) + (s2 >> 4u) + s3 - p.zero * bitcast<i32>(da.y);
            keep(buffer + t, isum, d * bitcast<f32>(da.x));
            //@ else
            //@ for r in TOKENS
            var s$r = 0i;
            //@ end
            //@ for u in 4
            //@ for m in 4
            let w$u$m_0 = w$u[$m] & 0x03030303u;
            let w$u$m_1 = (w$u[$m] >> 2u) & 0x03030303u;
            let w$u$m_2 = (w$u[$m] >> 4u) & 0x03030303u;
            let w$u$m_3 = (w$u[$m] >> 6u) & 0x03030303u;
            //@ for r in TOKENS
            let a$u$m_$r = turn_acts[($r * WARPS + warp) * 16u + $u * 4u + $m];
            s$r += dot4I8Packed(w$u$m_0, a$u$m_$r.x);
            s$r += dot4I8Packed(w$u$m_1, a$u$m_$r.y);
            s$r += dot4I8Packed(w$u$m_2, a$u$m_$r.z);
            s$r += dot4I8Packed(w$u$m_3, a$u$m_$r.w);
            //@ end
            //@ end
            //@ end
            //@ for r in TOKENS
            keep($r * THREADS + t, s$r - p.zero * bitcast<i32>(da$r.y), d * bitcast<f32>(da$r.x));
            //@ end
            //@ end
        }
        workgroupBarrier();
        //@ if PROLOGUE
        let mine = warp == chain;
        let r = 0u;
        //@ else
        let mine = warp < TOKENS;
        let r = warp;
        //@ end
        if (mine && first + r < rows) {
            //@ if PAIRS
            let from_i = buffer + r * THREADS + 2u * (lane & 15u);
            //@ else
            let from_i = buffer + r * THREADS + lane;
            //@ end
            //@ for i in WARPS
            if (FULL || this_turn * WARPS + $i < GROUPS) {
                //@ if PAIRS
                acc.x = fma(f32(isums[from_i + 32u * $i]), factors[from_i + 32u * $i], acc.x);
                acc.y = fma(f32(isums[from_i + 32u * $i + 1u]), factors[from_i + 32u * $i + 1u], acc.y);
                //@ else
                acc = fma(f32(isums[from_i + 32u * $i]), factors[from_i + 32u * $i], acc);
                //@ end
            }
            //@ end
            //@ if PAIRS
            let n = this_block * 16u + lane;
            if (this_turn + 1u == TURNS && lane < 16u && 2u * n < p.outs) {
                finish(first + r, n, paired(acc.x, acc.y));
            }
            //@ else
            let n = this_block * 32u + lane;
            if (this_turn + 1u == TURNS && n < p.outs) {
                finish(first + r, n, acc);
            }
            //@ end
        }
        if (this_turn + 1u == TURNS) {
            //@ if PAIRS
            acc = vec2<f32>(0.0);
            //@ else
            acc = 0.0;
            //@ end
            chain = (chain + 1u) % WARPS;
        }
    }
}
