// Ternary or other 2-bit matrix, in blocks as `block_one.wgsl` has them, times a few rows that came quantised: TOKENS of them share a
// reading of the codes. Integers and float sums are made as there. A workgroup takes every `workgroups`-th block, and asks for the
// codes of the next step before it works on this one.
// Constants: GROUPS (of 256 inputs), WARPS (at least TOKENS), TOKENS, PAIRS, HALVES (scales are f16).

//@ include block_params

const THREADS = 32u * WARPS;
const TURNS = (GROUPS + WARPS - 1u) / WARPS;
const FULL = GROUPS % WARPS == 0u;

var<workgroup> isums: array<i32, TOKENS * THREADS>;
var<workgroup> factors: array<f32, TOKENS * THREADS>;
var<workgroup> turn_acts: array<vec4<u32>, TOKENS * WARPS * 16u>;

//@ include block_scale

@compute @workgroup_size(THREADS)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) t: u32,
) {
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
    //@ if PAIRS
    var acc = vec2<f32>(0.0);
    //@ else
    var acc = 0.0;
    //@ end
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
        if (g < GROUPS) {
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
            isums[$r * THREADS + t] = s$r - p.zero * bitcast<i32>(da$r.y);
            factors[$r * THREADS + t] = d * bitcast<f32>(da$r.x);
            //@ end
        }
        workgroupBarrier();
        let r = warp;
        if (r < TOKENS && first + r < rows) {
            //@ if PAIRS
            let from_i = r * THREADS + 2u * (lane & 15u);
            //@ else
            let from_i = r * THREADS + lane;
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
        }
    }
}
