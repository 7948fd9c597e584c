// The matrix of `block.wgsl` times many int8 rows on f16 matrix units. A code c is the half 1 + c / 4, an activation the half of
// its integer: products are multiples of 1/4, and sums of a group of 256 stay below 2^18, so f32 sums are exact in
// any order and 4 S - (4 + zero) sum(x) is the integer of the group. It goes to the float chain as everywhere:
// acc = fma(isum, d * da, acc), groups ascending, from 0.
// A workgroup takes BLOCKS * 32 outputs and TOKENS rows, WM x WN subgroups of 32 threads TM x TN tiles of 16 x 16 each. Codes go
// through workgroup memory, a group at a time, and the next ones are asked for meanwhile; rows lie in tiles already.
// Constants: GROUPS, BLOCKS, TOKENS, WM, WN, TM, TN, PAIRS, HALVES, EARLY, LOADS (of a thread for the codes of a group), LATE (16 - EARLY).

struct Params {
    outs: u32,        // rows of this part of the matrix
    blocks: u32,
    count_at: u32,
    mode: u32,        // 0 store, 1 scale, 2 add scaled, 3 silu(even) * odd, 4 gelu(even) * odd
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
@group(0) @binding(4) var<storage, read> halves: array<vec4<f16>>; // [16 rows][16 inputs][row][input]
@group(0) @binding(5) var<storage, read> act_scales: array<vec2<u32>>;
@group(0) @binding(6) var<storage, read_write> arena: array<f32>;

const THREADS = 32u * WM * WN;
const OUTS = 32u * BLOCKS;
const ALL_LOAD = OUTS * 4u % THREADS == 0u;
const STRIDE = 66u; // of a row in workgroup memory, so that neighbours lie in different banks

var<workgroup> tile_a: array<vec4<f16>, OUTS * STRIDE>;
var<workgroup> scratch: array<f32, WM * WN * 320u>;
var<workgroup> out_scales: array<vec4<f32>, OUTS / 4u>;
var<workgroup> row_scales: array<vec2<f32>, TOKENS>;

// Naga translates no cast of a word to halves; these conversions are exact.
fn four(a: u32, b: u32) -> vec4<f16> {
    return vec4<f16>(vec4<f32>(unpack2x16float(a), unpack2x16float(b)));
}

fn scale_of(at: u32) -> f32 {
    if (HALVES) {
        let pair = unpack2x16float(scales[at / 2u]);
        return select(pair.x, pair.y, (at & 1u) == 1u);
    }
    return bitcast<f32>(scales[at]);
}

@compute @workgroup_size(THREADS)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) t: u32,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) lane: u32,
) {
    let rows = call[p.count_at];
    let first = group.y * TOKENS;
    if (first >= rows) {
        return;
    }
    let block = group.x * BLOCKS;
    let wm = subgroup / WN;
    let wn = subgroup % WN;
    //@ for m in TM
    //@ for n in TN
    var low$m_$n = vec4<f32>(0.0);
    var high$m_$n = vec4<f32>(0.0);
    //@ end
    //@ end
    // Where this thread's loads begin, and where they go.
    //@ for l in LOADS
    let item$l = t + $l * THREADS;
    let out$l = item$l % OUTS;
    let unit$l = item$l / OUTS;
    let from$l = (min(block + out$l / 32u, p.blocks - 1u) * GROUPS * 4u + unit$l) * 32u + out$l % 32u;
    let to$l = out$l * STRIDE + unit$l * 16u;
    var a$l = vec4<u32>(0u);
    if (ALL_LOAD || item$l < OUTS * 4u) {
        a$l = codes[from$l];
    }
    //@ end
    let scales_at = (min(block + t / 32u, p.blocks - 1u) * GROUPS) * 32u + t % 32u;
    let act_scales_at = min(first + t, rows - 1u) * GROUPS;
    var next_scale = 0.0;
    var next_act = vec2<u32>(0u);
    if (t < OUTS) {
        next_scale = scale_of(scales_at);
    }
    if (t < TOKENS) {
        next_act = act_scales[act_scales_at];
    }
    //@ for n in TN
    let from_b$n = (first / 16u + wn * TN + $nu) * GROUPS * 1024u;
    //@ end
    for (var g = 0u; g < GROUPS; g++) {
        //@ for l in LOADS
        if (ALL_LOAD || item$l < OUTS * 4u) {
        //@ for w in 4
        let w$w_$l = a$l[$w];
        tile_a[to$l + 4u * $wu] = four(
            ((w$w_$l << 8u) & 0x03000300u) | 0x3c003c00u, (w$w_$l & 0x03000300u) | 0x3c003c00u);
        tile_a[to$l + 4u * $wu + 1u] = four(
            ((w$w_$l << 6u) & 0x03000300u) | 0x3c003c00u, ((w$w_$l >> 2u) & 0x03000300u) | 0x3c003c00u);
        tile_a[to$l + 4u * $wu + 2u] = four(
            ((w$w_$l << 4u) & 0x03000300u) | 0x3c003c00u, ((w$w_$l >> 4u) & 0x03000300u) | 0x3c003c00u);
        tile_a[to$l + 4u * $wu + 3u] = four(
            ((w$w_$l << 2u) & 0x03000300u) | 0x3c003c00u, ((w$w_$l >> 6u) & 0x03000300u) | 0x3c003c00u);
        //@ end
        }
        //@ end
        if (t < OUTS) {
            out_scales[t / 4u][t % 4u] = next_scale;
        }
        if (t < TOKENS) {
            row_scales[t] = vec2<f32>(bitcast<f32>(next_act.x), f32((4i + p.zero) * bitcast<i32>(next_act.y)));
        }
        // Rows do not wait for codes: the tiles of the first EARLY steps are on their way.
        let slice = g * 1024u;
        //@ for n in TN
        //@ for s in EARLY
        let early$n_$s = coopLoad<coop_mat16x16<f16, B>>(&halves[from_b$n + slice + $su * 64u], 4u);
        //@ end
        //@ end
        workgroupBarrier();
        if (g + 1u < GROUPS) {
            //@ for l in LOADS
            if (ALL_LOAD || item$l < OUTS * 4u) {
                a$l = codes[from$l + (g + 1u) * 128u];
            }
            //@ end
            if (t < OUTS) {
                next_scale = scale_of(scales_at + (g + 1u) * 32u);
            }
            if (t < TOKENS) {
                next_act = act_scales[act_scales_at + g + 1u];
            }
        }
        //@ for m in TM
        //@ for n in TN
        var c$m_$n = coop_mat16x16<f32, C>();
        //@ end
        //@ end
        //@ for s in EARLY
        {
            //@ for m in TM
            let ta$m = coopLoadT<coop_mat16x16<f16, A>>(&tile_a[((wm * TM + $mu) * 16u) * STRIDE + $su * 4u], STRIDE);
            //@ end
            //@ for m in TM
            //@ for n in TN
            c$m_$n = coopMultiplyAdd(ta$m, early$n_$s, c$m_$n);
            //@ end
            //@ end
        }
        //@ end
        //@ for s in LATE
        {
            //@ for m in TM
            let ta$m = coopLoadT<coop_mat16x16<f16, A>>(&tile_a[((wm * TM + $mu) * 16u) * STRIDE + (EARLY + $su) * 4u], STRIDE);
            //@ end
            //@ for n in TN
            let tb$n = coopLoad<coop_mat16x16<f16, B>>(&halves[from_b$n + slice + (EARLY + $su) * 64u], 4u);
            //@ end
            //@ for m in TM
            //@ for n in TN
            c$m_$n = coopMultiplyAdd(ta$m, tb$n, c$m_$n);
            //@ end
            //@ end
        }
        //@ end
        // Column by column: a thread gets 8 outputs of one row.
        let place = subgroup * 320u;
        let mine = place + lane / 2u * 20u + lane % 2u * 8u;
        let stride = 20u;
        //@ for m in TM
        let d$m_0 = out_scales[(wm * TM + $mu) * 4u + lane % 2u * 2u];
        let d$m_1 = out_scales[(wm * TM + $mu) * 4u + lane % 2u * 2u + 1u];
        //@ end
        //@ for n in TN
        let r$n = row_scales[(wn * TN + $nu) * 16u + lane / 2u];
        //@ for m in TM
        let done$m_$n = c$m_$n;
        coopStore(done$m_$n, &scratch[place], stride);
        subgroupBarrier();
        low$m_$n = fma(
            fma(vec4<f32>(4.0), vec4<f32>(scratch[mine], scratch[mine + 1u], scratch[mine + 2u], scratch[mine + 3u]), vec4<f32>(-r$n.y)),
            d$m_0 * r$n.x, low$m_$n);
        high$m_$n = fma(
            fma(vec4<f32>(4.0), vec4<f32>(scratch[mine + 4u], scratch[mine + 5u], scratch[mine + 6u], scratch[mine + 7u]), vec4<f32>(-r$n.y)),
            d$m_1 * r$n.x, high$m_$n);
        subgroupBarrier();
        //@ end
        //@ end
        // Codes and scales are read by all before the next are written.
        workgroupBarrier();
    }
    //@ for n in TN
    let row$n = first + (wn * TN + $nu) * 16u + lane / 2u;
    if (row$n < rows) {
        //@ for m in TM
        {
            let n0 = block * 32u + (wm * TM + $mu) * 16u + lane % 2u * 8u;
            //@ if PAIRS
            for (var i = 0u; i < 4u; i++) {
                let half = select(high$m_$n, low$m_$n, i < 2u);
                let pair = select(half.zw, half.xy, i % 2u == 0u);
                if (n0 + 2u * i < p.outs) {
                    finish(row$n, n0 / 2u + i, paired(pair.x, pair.y));
                }
            }
            //@ else
            for (var i = 0u; i < 4u; i++) {
                if (n0 + i < p.outs) {
                    finish(row$n, n0 + i, low$m_$n[i]);
                }
                if (n0 + 4u + i < p.outs) {
                    finish(row$n, n0 + 4u + i, high$m_$n[i]);
                }
            }
            //@ end
        }
        //@ end
    }
    //@ end
}
