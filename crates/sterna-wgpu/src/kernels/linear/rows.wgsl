// Rows to int8 for layers that take many rows: one row by one workgroup, as in `prepare.wgsl`. Matrix units read the same
// integers as halves, in tiles of 16 rows and 16 inputs, pairs of them in the order in which `coop.wgsl` unpacks codes.
// Constants: GROUPS (of 256 inputs), WARPS, NORM, SMALL (scales for 32 inputs), SUMS, HALF_ROWS (only without SMALL).

struct Params {
    input: u32,       // a multiple of 4, as are its columns
    input_cols: u32,
    weight: u32,
    count_at: u32,
    eps: f32,
    sums_at: u32,     // SUMS: where they begin among the scales
    pad1: u32,
    pad2: u32,
    pad: array<vec4<u32>, 2>,
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> call: array<u32>;
@group(0) @binding(2) var<storage, read> vectors: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> arena: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> acts: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read_write> act_scales: array<vec2<u32>>;
@group(0) @binding(6) var<storage, read_write> halves: array<vec4<u32>>;

const THREADS = 32u * WARPS;

//@ include prepare_memory

fn pairs(word: u32) -> vec2<u32> {
    let v = bitcast<i32>(word);
    let a = pack2x16float(vec2<f32>(f32(extractBits(v, 0u, 8u)), f32(extractBits(v, 16u, 8u))));
    let b = pack2x16float(vec2<f32>(f32(extractBits(v, 8u, 8u)), f32(extractBits(v, 24u, 8u))));
    return vec2<u32>(a, b);
}

@compute @workgroup_size(THREADS)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
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
    let first = group.y;
    if (first >= call[p.count_at]) {
        return;
    }
    //@ include prepare_load
    //@ include prepare
    for (var c = t; c < GROUPS * 16u; c += THREADS) {
        let q = row_acts[c];
        acts[first * GROUPS * 16u + c] = q;
        //@ if HALF_ROWS
        let tile = (first / 16u * GROUPS * 16u + c) * 32u + first % 16u * 2u;
        halves[tile] = vec4<u32>(pairs(q.x), pairs(q.y));
        halves[tile + 1u] = vec4<u32>(pairs(q.z), pairs(q.w));
        //@ end
    }
    for (var g = t; g < SCALES; g += THREADS) {
        act_scales[first * SCALES + g] = row_scales[g];
    }
    //@ if SUMS
    for (var i = t; i < GROUPS * 4u; i += THREADS) {
        act_scales[p.sums_at + first * GROUPS * 4u + i] =
            vec2<u32>(bitcast<u32>(row_sums[2u * i]), bitcast<u32>(row_sums[2u * i + 1u]));
    }
    //@ end
}
