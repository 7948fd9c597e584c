// Ternary or other 2-bit matrix times one row, which every workgroup quantises itself. Codes lie in blocks of 32 outputs:
// [block][unit][output], a unit being one vec4 of codes (64 inputs). 32 threads in a row take one output each, so that they read
// neighbouring units and the same activations; WARPS such runs take a group of 256 inputs each. Their integers are exact; the float
// sum over groups is acc = fma(isum, d * da, acc), groups ascending, from 0, by one thread for an output, as in `int.wgsl`.
// A workgroup takes every `workgroups`-th block, in turns of WARPS groups; the codes of AHEAD turns are on their way at a time, the first of
// them before the row is made ready.
// Constants: GROUPS (of 256 inputs), WARPS, AHEAD, NORM (the row is normed first), SUBGROUPS (they have 32 threads), PAIRS, HALVES (scales
// are f16).

//@ include block_params

const THREADS = 32u * WARPS;
const TURNS = (GROUPS + WARPS - 1u) / WARPS;
const FULL = GROUPS % WARPS == 0u;

//@ include prepare_memory

// Two buffers: one is filled while the chains read the other.
var<workgroup> terms: array<vec2<f32>, 2u * THREADS>; // integer and factor

//@ include block_scale

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
    // There are as many workgroups as rows: no need to wait for their number.
    let first = group.y;
    if (group.x >= p.blocks) {
        return;
    }
    let steps = ((p.blocks - 1u - group.x) / workgroups.x + 1u) * TURNS;
    //@ include prepare_load
    //@ for b in AHEAD
    //@ for u in 4
    var codes$b_$u = vec4<u32>(0u);
    //@ end
    var scale$b = 0.0;
    let load$b = $bu;
    //@ include block_load
    //@ end
    //@ include prepare
    //@ if PAIRS
    var acc = vec2<f32>(0.0);
    //@ else
    var acc = 0.0;
    //@ end
    var chain = 0u;
    for (var first_step = 0u; first_step < steps; first_step += AHEAD) {
        //@ for b in AHEAD
        let step$b = first_step + $bu;
        if (step$b < steps) {
            let turn = step$b % TURNS;
            let buffer = (step$b & 1u) * THREADS;
            let g = turn * WARPS + warp;
            if (FULL || g < GROUPS) {
                var s0 = 0i;
                var s1 = 0i;
                var s2 = 0i;
                var s3 = 0i;
                //@ for u in 4
                //@ for m in 4
                let a$u$m = row_acts[g * 16u + $u * 4u + $m];
                s0 += dot4I8Packed(codes$b_$u[$m] & 0x03030303u, a$u$m.x);
                s1 += dot4I8Packed(codes$b_$u[$m] & 0x0c0c0c0cu, a$u$m.y);
                s2 += dot4I8Packed(codes$b_$u[$m] & 0x30303030u, a$u$m.z);
                s3 += dot4I8Packed((codes$b_$u[$m] >> 6u) & 0x03030303u, a$u$m.w);
                //@ end
                //@ end
                // s1 and s2 are multiples of 4 and 16: exact.
                let da = row_scales[g];
                let isum = s0 + (s1 >> 2u) + (s2 >> 4u) + s3 - p.zero * bitcast<i32>(da.y);
                terms[buffer + t] = vec2<f32>(f32(isum), scale$b * bitcast<f32>(da.x));
            }
            let load$b = step$b + AHEAD;
            //@ include block_load
            workgroupBarrier();
            if (warp == chain) {
                //@ if PAIRS
                let from_i = buffer + 2u * (lane & 15u);
                //@ else
                let from_i = buffer + lane;
                //@ end
                //@ for i in WARPS
                if (FULL || turn * WARPS + $i < GROUPS) {
                    //@ if PAIRS
                    let even$i = terms[from_i + 32u * $i];
                    let odd$i = terms[from_i + 32u * $i + 1u];
                    acc.x = fma(even$i.x, even$i.y, acc.x);
                    acc.y = fma(odd$i.x, odd$i.y, acc.y);
                    //@ else
                    let term$i = terms[from_i + 32u * $i];
                    acc = fma(term$i.x, term$i.y, acc);
                    //@ end
                }
                //@ end
                let block = group.x + step$b / TURNS * workgroups.x;
                //@ if PAIRS
                let n = block * 16u + lane;
                if (turn + 1u == TURNS && lane < 16u && 2u * n < p.outs) {
                    finish(first, n, paired(acc.x, acc.y));
                }
                //@ else
                let n = block * 32u + lane;
                if (turn + 1u == TURNS && n < p.outs) {
                    finish(first, n, acc);
                }
                //@ end
            }
            if (turn + 1u == TURNS) {
                //@ if PAIRS
                acc = vec2<f32>(0.0);
                //@ else
                acc = 0.0;
                //@ end
                chain = (chain + 1u) % WARPS;
            }
        }
        //@ end
    }
}
