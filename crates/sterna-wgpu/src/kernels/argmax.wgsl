// Best and second-best column of one output; the lowest index among equals. Floats are compared by integers
// of the same order, in which both zeros are one, so that any order of comparing gives the same. The result is the
// token, both logits' bits, and 1 where a value is not finite. One workgroup does it, or, of a large vocabulary, PARTS workgroups
// take a part each (PARTIAL) and one puts their results together (MERGE).

struct Params {
    logits: u32,
    cols: u32,
    valid: u32,
    pad0: u32,
    pad: array<vec4<u32>, 3>,
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read_write> call: array<u32>;
@group(0) @binding(2) var<storage, read> arena: array<f32>;
//@ if PARTIAL
//@ else
@group(0) @binding(3) var<storage, read_write> results: array<vec4<u32>>;
//@ end
//@ if MERGE
@group(0) @binding(4) var<storage, read> partials: array<vec4<u32>>; // [output][part]
//@ end
//@ if PARTIAL
@group(0) @binding(3) var<storage, read_write> partials: array<vec4<u32>>;
//@ end

// Order, index, and the second's order; 0 is below every float.
var<workgroup> best: array<vec3<u32>, THREADS>;
var<workgroup> bad: atomic<u32>;

fn order(x: f32) -> u32 {
    let bits = bitcast<u32>(x);
    if ((bits & 0x7fffffffu) == 0u) {
        return 0x80000000u;
    }
    return select(bits | 0x80000000u, ~bits, bits >= 0x80000000u);
}

fn unorder(key: u32) -> u32 {
    return select(~key, key & 0x7fffffffu, key >= 0x80000000u);
}

fn better(a: vec3<u32>, b: vec3<u32>) -> vec3<u32> {
    if (b.x > a.x || (b.x == a.x && b.y < a.y)) {
        return vec3<u32>(b.x, b.y, max(a.x, b.z));
    }
    return vec3<u32>(a.x, a.y, max(a.z, b.x));
}

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) t: u32) {
    let row = group.y;
    if (row >= call[1]) {
        return;
    }
    if (t == 0u) {
        atomicStore(&bad, 0u);
    }
    workgroupBarrier();
    var top = vec3<u32>(0u, 0xffffffffu, 0u);
    //@ if MERGE
    if (t < PARTS) {
        let part = partials[row * PARTS + t];
        top = part.xyz;
        atomicMax(&bad, part.w);
    }
    //@ else
    //@ if PARTIAL
    let share = (p.valid + PARTS - 1u) / PARTS;
    let begin = min(group.x * share, p.valid);
    let end = min(begin + share, p.valid);
    //@ else
    let begin = 0u;
    let end = p.valid;
    //@ end
    // Eight values are on their way at a time.
    for (var i = begin + t; i < end; i += 8u * THREADS) {
        //@ for n in 8
        let x$n = arena[p.logits + row * p.cols + min(i + $nu * THREADS, end - 1u)];
        //@ end
        //@ for n in 8
        if (i + $nu * THREADS < end) {
            if (is_bad(x$n)) {
                atomicMax(&bad, 1u);
            }
            top = better(top, vec3<u32>(order(x$n), i + $nu * THREADS, 0u));
        }
        //@ end
    }
    //@ end
    best[t] = top;
    workgroupBarrier();
    for (var half = THREADS / 2u; half > 0u; half /= 2u) {
        if (t < half) {
            best[t] = better(best[t], best[t + half]);
        }
        workgroupBarrier();
    }
    if (t == 0u) {
        //@ if PARTIAL
        partials[row * PARTS + group.x] = vec4<u32>(best[0], atomicLoad(&bad));
        //@ else
        results[row] = vec4<u32>(best[0].y, unorder(best[0].x), unorder(best[0].z), atomicLoad(&bad));
        // Where calls are begun ahead, this is the next one's row.
        if (call[2] == 1u) {
            call[call_row(0u)] = best[0].y;
            call[call_row(0u) + 1u] += 1u;
        }
        //@ end
    }
}
