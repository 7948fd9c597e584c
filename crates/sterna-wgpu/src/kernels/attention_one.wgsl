// Attention of a call's one row: a workgroup for a query head, which norms and turns its query, and its key and value head's key and value,
// as `norm.wgsl` and `rope_kv.wgsl` do for many rows; the first head of each key and value head writes them to the state. Scores, weights,
// sums and merges are those of `attention.wgsl`, in the same order. What a piece of 64 keys is made of is asked for at once and before
// anything else is done: one trip to memory instead of one after the other.
// Constants: HEAD_DIM (a multiple of 8, at most 128), PIECES (side by side), Q_NORM, K_NORM, SUBGROUPS (they have 32 threads),
// ITEMS (words of query, key and value for a thread), VECS (vec4 of a key).

struct Params {
    q: u32,
    q_cols: u32,
    out: u32,
    out_cols: u32,
    share: u32,       // query heads on one key and value head
    kv_words: u32,    // of a key
    capacity: u32,
    scale: f32,
    turn: u32,        // rotated dimensions
    table: u32,
    table_cols: u32,
    k: u32,
    v: u32,
    q_weight: u32,
    k_weight: u32,
    q_eps: f32,
    k_eps: f32,
    pad0: u32,
    pad1: u32,
    pad2: u32,
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> call: array<u32>;
@group(0) @binding(2) var<storage, read> vectors: array<f32>;
@group(0) @binding(3) var<storage, read_write> state: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read_write> arena: array<f32>;

const LOWEST = -3.4028234e38;
const THREADS = 64u * PIECES;
const WORDS = HEAD_DIM / 2u;

var<workgroup> raw: array<f32, 2u * HEAD_DIM>;      // key, query
var<workgroup> query: array<vec4<f32>, HEAD_DIM / 4u>;
var<workgroup> own_key: array<vec4<u32>, VECS>;
var<workgroup> own_value: array<u32, WORDS>;
var<workgroup> own_weight: f32;
var<workgroup> weights: array<vec4<f32>, PIECES * 16u>;
var<workgroup> parts: array<f32, PIECES * 8u>;
var<workgroup> peaks: array<f32, PIECES * 8u>;
var<workgroup> outs: array<vec2<f32>, PIECES * WORDS>;
//@ if NORMS
var<workgroup> lanes: array<f32, 16>;
//@ end
//@ include half_bits

// Dimension i of the key or query in `raw`, turned.
fn turned(start_at: u32, i: u32, cosine: f32, sine: f32) -> f32 {
    let half = p.turn / 2u;
    if (i >= p.turn) {
        return raw[start_at + i];
    }
    if (i < half) {
        return fma(raw[start_at + i], cosine, -(raw[start_at + i + half] * sine));
    }
    return fma(raw[start_at + i], cosine, raw[start_at + i - half] * sine);
}

// Which angle turns a dimension.
fn angle(i: u32) -> u32 {
    let half = p.turn / 2u;
    return min(select(i, i - half, i >= half), max(half, 1u) - 1u);
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
    let head = group.x;
    let row = group.y;
    let kv_head = head / p.share;
    let position = call[call_row(row) + 1u];
    let slot = call[call_row(row) + 2u];
    let table = p.table + row * p.table_cols;
    let half = p.turn / 2u;
    // Words of the key, the query and the value.
    //@ for n in ITEMS
    let item$n = t + $nu * THREADS;
    let kind$n = item$n / WORDS;
    let word$n = item$n % WORDS;
    var x$n = 0.0;
    var y$n = 0.0;
    var turns$n = vec4<f32>(0.0);
    //@ if NORMS
    var norm$n = vec2<f32>(0.0);
    //@ end
    if (item$n < 3u * WORDS) {
        let begin = row * p.q_cols + 2u * word$n
            + select(select(p.v + kv_head * HEAD_DIM, p.q + head * HEAD_DIM, kind$n == 1u), p.k + kv_head * HEAD_DIM, kind$n == 0u);
        x$n = arena[begin];
        y$n = arena[begin + 1u];
        let a = angle(2u * word$n);
        let b = angle(2u * word$n + 1u);
        turns$n = vec4<f32>(arena[table + a], arena[table + half + a], arena[table + b], arena[table + half + b]);
        //@ if NORMS
        if ((K_NORM && kind$n == 0u) || (Q_NORM && kind$n == 1u)) {
            let at = select(p.q_weight, p.k_weight, kind$n == 0u) + 2u * word$n;
            norm$n = vec2<f32>(vectors[at], vectors[at + 1u]);
        }
        //@ end
    }
    //@ end
    let count = position + 1u;
    let base = slot * p.capacity * 2u * p.kv_words + kv_head * WORDS;
    let piece = t / 64u;
    let lane = t % 64u;
    let mine = min(lane, WORDS - 1u);
    var total_max = LOWEST;
    var total_sum = 0.0;
    var out = vec2<f32>(0.0);
    for (var start = 0u; start < count; start += 64u * PIECES) {
        let first = start + 64u * piece;
        var keys = 0u;
        if (first < count) {
            keys = min(64u, count - first);
        }
        // The last key and value are this call's: they are not in the state yet.
        //@ for n in VECS
        var k$n = vec4<u32>(0u);
        //@ end
        if (first + lane < position) {
            let key = (base + (first + lane) * 2u * p.kv_words) / 4u;
            //@ for n in VECS
            k$n = state[key + $nu];
            //@ end
        }
        //@ for b in 4
        //@ for i in 4
        //@ for j in 4
        var v$b_$i_$j = 0u;
        //@ end
        //@ end
        if (first + $bu * 16u < position) {
            //@ for i in 4
            //@ for j in 4
            let at$b_$i_$j = base + (min(first + $bu * 16u + $iu * 4u + $ju, position - 1u) * 2u + 1u) * p.kv_words + mine;
            v$b_$i_$j = state[at$b_$i_$j / 4u][at$b_$i_$j % 4u];
            //@ end
            //@ end
        }
        //@ end
        if (start == 0u) {
            //@ for n in ITEMS
            if (kind$n < 2u) {
                raw[kind$n * HEAD_DIM + 2u * word$n] = x$n;
                raw[kind$n * HEAD_DIM + 2u * word$n + 1u] = y$n;
            }
            //@ end
            workgroupBarrier();
            //@ if NORMS
            if (t < 16u) {
                var sum = 0.0;
                for (var j = t % 8u; j < HEAD_DIM; j += 8u) {
                    let v = raw[t / 8u * HEAD_DIM + j];
                    sum = fma(v, v, sum);
                }
                lanes[t] = sum;
            }
            workgroupBarrier();
            //@ for n in ITEMS
            if ((K_NORM && kind$n == 0u) || (Q_NORM && kind$n == 1u)) {
                let l = 8u * kind$n;
                let sum = tree8(lanes[l], lanes[l + 1u], lanes[l + 2u], lanes[l + 3u],
                    lanes[l + 4u], lanes[l + 5u], lanes[l + 6u], lanes[l + 7u]);
                let inverse = 1.0 / sqrt(sum / f32(HEAD_DIM) + select(p.q_eps, p.k_eps, kind$n == 0u));
                raw[kind$n * HEAD_DIM + 2u * word$n] = (x$n * inverse) * norm$n.x;
                raw[kind$n * HEAD_DIM + 2u * word$n + 1u] = (y$n * inverse) * norm$n.y;
            }
            //@ end
            workgroupBarrier();
            //@ end
            //@ for n in ITEMS
            if (item$n < 3u * WORDS) {
                var x = x$n;
                var y = y$n;
                if (kind$n < 2u) {
                    x = turned(kind$n * HEAD_DIM, 2u * word$n, turns$n.x, turns$n.y);
                    y = turned(kind$n * HEAD_DIM, 2u * word$n + 1u, turns$n.z, turns$n.w);
                }
                if (kind$n == 1u) {
                    query[word$n / 2u][2u * (word$n % 2u)] = x;
                    query[word$n / 2u][2u * (word$n % 2u) + 1u] = y;
                } else {
                    let word = half_bits(x) | (half_bits(y) << 16u);
                    if (kind$n == 0u) {
                        own_key[word$n / 4u][word$n % 4u] = word;
                    } else {
                        own_value[word$n] = word;
                    }
                    if (head % p.share == 0u) {
                        let at = base + position * 2u * p.kv_words + select(0u, p.kv_words, kind$n == 2u) + word$n;
                        state[at / 4u][at % 4u] = word;
                    }
                }
            }
            //@ end
            workgroupBarrier();
        }
        if (first + lane == position) {
            //@ for n in VECS
            k$n = own_key[$n];
            //@ end
        }
        var acc = 0.0;
        //@ for n in VECS
        //@ for j in 2
        let q$n_$j = query[2u * $nu + $ju];
        let k$n_$j_0 = unpack2x16float(k$n[2u * $ju]);
        let k$n_$j_1 = unpack2x16float(k$n[2u * $ju + 1u]);
        acc = fma(q$n_$j.x, k$n_$j_0.x, acc);
        acc = fma(q$n_$j.y, k$n_$j_0.y, acc);
        acc = fma(q$n_$j.z, k$n_$j_1.x, acc);
        acc = fma(q$n_$j.w, k$n_$j_1.y, acc);
        //@ end
        //@ end
        // What is no number is never the maximum.
        let score = select(LOWEST, acc * p.scale, lane < keys);
        //@ if SUBGROUPS
        let known = select(LOWEST, score, (bitcast<u32>(score) & 0x7fffffffu) <= 0x7f800000u);
        let near = subgroupMax(known);
        if (t % 32u == 0u) {
            peaks[piece * 8u + t / 32u % 2u] = near;
        }
        workgroupBarrier();
        let peak = max(LOWEST, max(peaks[piece * 8u], peaks[piece * 8u + 1u]));
        //@ else
        weights[t / 4u][t % 4u] = score;
        workgroupBarrier();
        if (lane < 8u) {
            var near = LOWEST;
            for (var j = lane; j < 64u; j += 8u) {
                let s = weights[piece * 16u + j / 4u][j % 4u];
                if ((bitcast<u32>(s) & 0x7fffffffu) <= 0x7f800000u && s > near) {
                    near = s;
                }
            }
            peaks[piece * 8u + lane] = near;
        }
        workgroupBarrier();
        var peak = peaks[piece * 8u];
        //@ for j in 7
        if (peaks[piece * 8u + $ju + 1u] > peak) {
            peak = peaks[piece * 8u + $ju + 1u];
        }
        //@ end
        //@ end
        let weight = select(0.0, exp_law(score - peak), lane < keys);
        // The last key is this call's: its weight and value come after the others.
        weights[t / 4u][t % 4u] = select(weight, 0.0, first + lane == position);
        if (first + lane == position) {
            own_weight = weight;
        }
        workgroupBarrier();
        // Past the last key weights are 0.
        let has_own = keys > 0u && first + keys > position;
        if (lane < 8u) {
            var sum = 0.0;
            //@ for j in 8
            sum += weights[piece * 16u + 2u * $ju + lane / 4u][lane % 4u];
            //@ end
            if (has_own && position % 8u == lane) {
                sum += own_weight;
            }
            parts[piece * 8u + lane] = sum;
        }
        if (lane < WORDS) {
            var sum = vec2<f32>(0.0);
            //@ for b in 4
            //@ for i in 4
            let w$b_$i = weights[piece * 16u + $bu * 4u + $iu];
            //@ for j in 4
            let u$b_$i_$j = unpack2x16float(v$b_$i_$j);
            sum = fma(vec2<f32>(w$b_$i[$j]), u$b_$i_$j, sum);
            //@ end
            //@ end
            //@ end
            if (has_own) {
                sum = fma(vec2<f32>(own_weight), unpack2x16float(own_value[mine]), sum);
            }
            outs[piece * WORDS + lane] = sum;
        }
        workgroupBarrier();
        // The first piece's threads keep the totals.
        if (piece == 0u) {
            //@ for c in PIECES
            if (start + 64u * $cu < count) {
                let first_of_all = start + $cu == 0u;
                //@ if SUBGROUPS
                let peak_c = max(LOWEST, max(peaks[$cu * 8u], peaks[$cu * 8u + 1u]));
                //@ else
                var peak_c = peaks[$cu * 8u];
                //@ for j in 7
                if (peaks[$cu * 8u + $ju + 1u] > peak_c) {
                    peak_c = peaks[$cu * 8u + $ju + 1u];
                }
                //@ end
                //@ end
                let l = $cu * 8u;
                let sum = tree8(parts[l], parts[l + 1u], parts[l + 2u], parts[l + 3u],
                    parts[l + 4u], parts[l + 5u], parts[l + 6u], parts[l + 7u]);
                let part = outs[$cu * WORDS + mine];
                let merged = select(total_max, peak_c, first_of_all || peak_c > total_max);
                let old = exp_law(total_max - merged);
                let fresh = exp_law(peak_c - merged);
                out = select(fma(out, vec2<f32>(old), part * fresh), part, first_of_all);
                total_sum = select(fma(total_sum, old, sum * fresh), sum, first_of_all);
                total_max = merged;
            }
            //@ end
        }
        workgroupBarrier();
    }
    if (piece == 0u && lane < WORDS) {
        let to = p.out + row * p.out_cols + head * HEAD_DIM + 2u * lane;
        let y = out / total_sum;
        arena[to] = y.x;
        arena[to + 1u] = y.y;
    }
}
