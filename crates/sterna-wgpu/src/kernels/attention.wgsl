// Query heads of one row that share keys, by one workgroup; keys in pieces of 64 by absolute position, PIECES of them side by side,
// merged in ascending order. In a piece every score is one chain over the dimensions, from 0, times scale; the sum of
// exp(score - maximum) goes to eight lanes by position in the piece, then the tree; every output is one chain over keys,
// ascending, from 0. The division is last. With FOLD the row's own query, key and value are normed and turned here, as in
// `norm.wgsl` and `rope_kv.wgsl`, and the key and value are written to the state: for calls of one row.
// Constants: HEAD_DIM (even), HEADS (a divisor of `share`, at most 8), PIECES, FOLD, WIDE (the state is read by vec4), BATCH, AHEAD,
// Q_NORM, K_NORM.

struct Params {
    q: u32,
    q_cols: u32,
    out: u32,
    out_cols: u32,
    share: u32,       // query heads on one key and value head
    kv_words: u32,    // of a key
    capacity: u32,
    scale: f32,
    turn: u32,        // FOLD: rotated dimensions
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
//@ if WIDE
@group(0) @binding(3) var<storage, read_write> state: array<vec4<u32>>;
//@ else
@group(0) @binding(3) var<storage, read_write> state: array<u32>;
//@ end
@group(0) @binding(4) var<storage, read_write> arena: array<f32>;

const LOWEST = -3.4028234e38;
const THREADS = 64u * PIECES;
const WORDS = HEAD_DIM / 2u;
const TURNS = (WORDS + 63u) / 64u; // words of an output for a thread

var<workgroup> query: array<f32, HEADS * HEAD_DIM>;
var<workgroup> weights: array<f32, PIECES * HEADS * 64u>;
var<workgroup> parts: array<f32, PIECES * HEADS * 8u>;
var<workgroup> peaks: array<f32, PIECES * HEADS>;
var<workgroup> sums: array<f32, PIECES * HEADS>;
//@ if MANY
var<workgroup> outs: array<vec2<f32>, PIECES * HEADS * WORDS>;
//@ end
//@ if FOLD
var<workgroup> raw: array<f32, (HEADS + 1u) * HEAD_DIM>;
var<workgroup> own: array<u32, 2u * WORDS>;
var<workgroup> lanes: array<f32, (HEADS + 1u) * 8u>;
//@ include half_bits

// Dimension i of a head in `raw`, turned.
fn turned(start_at: u32, i: u32, table: u32) -> f32 {
    let half = p.turn / 2u;
    if (i >= p.turn) {
        return raw[start_at + i];
    }
    if (i < half) {
        let a = raw[start_at + i];
        let b = raw[start_at + i + half];
        return fma(a, arena[table + i], -(b * arena[table + half + i]));
    }
    let a = raw[start_at + i - half];
    let b = raw[start_at + i];
    return fma(b, arena[table + i - half], a * arena[table + i]);
}
//@ end

fn state_word(at: u32) -> u32 {
    //@ if WIDE
    return state[at / 4u][at % 4u];
    //@ else
    return state[at];
    //@ end
}

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) t: u32) {
    let row = group.y;
    if (row >= call[0]) {
        return;
    }
    let head = group.x * HEADS;
    let kv_head = head / p.share;
    let position = call[call_row(row) + 1u];
    let count = position + 1u;
    let slot = call[call_row(row) + 2u];
    let base = slot * p.capacity * 2u * p.kv_words + kv_head * WORDS;
    let from_q = p.q + row * p.q_cols + head * HEAD_DIM;
    //@ if FOLD
    let table = p.table + row * p.table_cols;
    let from_k = p.k + row * p.q_cols + kv_head * HEAD_DIM;
    let from_v = p.v + row * p.q_cols + kv_head * HEAD_DIM;
    // The key first, then each query.
    for (var i = t; i < (HEADS + 1u) * HEAD_DIM; i += THREADS) {
        if (i < HEAD_DIM) {
            raw[i] = arena[from_k + i];
        } else {
            raw[i] = arena[from_q + i - HEAD_DIM];
        }
    }
    workgroupBarrier();
    if (Q_NORM || K_NORM) {
        for (var i = t; i < (HEADS + 1u) * 8u; i += THREADS) {
            var sum = 0.0;
            for (var j = i % 8u; j < HEAD_DIM; j += 8u) {
                let v = raw[i / 8u * HEAD_DIM + j];
                sum = fma(v, v, sum);
            }
            lanes[i] = sum;
        }
        workgroupBarrier();
        for (var i = t; i < (HEADS + 1u) * HEAD_DIM; i += THREADS) {
            let h = i / HEAD_DIM;
            let l = 8u * h;
            let sum = tree8(lanes[l], lanes[l + 1u], lanes[l + 2u], lanes[l + 3u],
                lanes[l + 4u], lanes[l + 5u], lanes[l + 6u], lanes[l + 7u]);
            if (h == 0u && K_NORM) {
                let inverse = 1.0 / sqrt(sum / f32(HEAD_DIM) + p.k_eps);
                raw[i] = (raw[i] * inverse) * vectors[p.k_weight + i];
            } else if (h > 0u && Q_NORM) {
                let inverse = 1.0 / sqrt(sum / f32(HEAD_DIM) + p.q_eps);
                raw[i] = (raw[i] * inverse) * vectors[p.q_weight + i % HEAD_DIM];
            }
        }
        workgroupBarrier();
    }
    for (var i = t; i < HEADS * HEAD_DIM; i += THREADS) {
        query[i] = turned(HEAD_DIM + i / HEAD_DIM * HEAD_DIM, i % HEAD_DIM, table);
    }
    for (var i = t; i < 2u * WORDS; i += THREADS) {
        var x = 0.0;
        var y = 0.0;
        if (i < WORDS) {
            x = turned(0u, 2u * i, table);
            y = turned(0u, 2u * i + 1u, table);
        } else {
            x = arena[from_v + 2u * (i - WORDS)];
            y = arena[from_v + 2u * (i - WORDS) + 1u];
        }
        let word = half_bits(x) | (half_bits(y) << 16u);
        own[i] = word;
        if (head % p.share == 0u) {
            let at = base + position * 2u * p.kv_words + select(p.kv_words + i - WORDS, i, i < WORDS);
            //@ if WIDE
            state[at / 4u][at % 4u] = word;
            //@ else
            state[at] = word;
            //@ end
        }
    }
    //@ else
    for (var i = t; i < HEADS * HEAD_DIM; i += THREADS) {
        query[i] = arena[from_q + i];
    }
    //@ end
    workgroupBarrier();
    let piece = t / 64u;
    let lane = t % 64u;
    //@ for h in HEADS
    var total_max$h = LOWEST;
    var total_sum$h = 0.0;
    //@ for i in TURNS
    var out$h_$i = vec2<f32>(0.0);
    //@ end
    //@ end
    for (var start = 0u; start < count; start += 64u * PIECES) {
        let first = start + 64u * piece;
        var keys = 0u;
        if (first < count) {
            keys = min(64u, count - first);
        }
        //@ if EARLY
        // Values do not wait for scores: those of a piece are on their way with the keys, 16 at a time as far as there are some.
        //@ for i in TURNS
        let word$i = min(lane + $iu * 64u, WORDS - 1u);
        //@ for b in 4
        //@ for n in 16
        var early$i_$b_$n = 0u;
        //@ end
        if ($bu * 16u < keys) {
            //@ for n in 16
            early$i_$b_$n = state_word(base + (min(first + $bu * 16u + $nu, count - 1u) * 2u + 1u) * p.kv_words + word$i);
            //@ end
        }
        //@ end
        //@ end
        //@ end
        //@ for h in HEADS
        var acc$h = 0.0;
        //@ end
        if (lane < keys) {
            let key = base + (first + lane) * 2u * p.kv_words;
            //@ if WIDE
            // BATCH vec4 are on their way at a time.
            for (var w = 0u; w < WORDS; w += 4u * BATCH) {
                //@ for n in BATCH
                var k$n = state[(key + w) / 4u + $nu];
                //@ end
                //@ if FOLD
                if (first + lane == position) {
                    //@ for n in BATCH
                    k$n = vec4<u32>(own[w + 4u * $nu], own[w + 4u * $nu + 1u], own[w + 4u * $nu + 2u], own[w + 4u * $nu + 3u]);
                    //@ end
                }
                //@ end
                //@ for n in BATCH
                //@ for j in 4
                let k$n_$j = unpack2x16float(k$n[$j]);
                //@ for h in HEADS
                acc$h = fma(query[$hu * HEAD_DIM + 2u * (w + 4u * $nu + $ju)], k$n_$j.x, acc$h);
                acc$h = fma(query[$hu * HEAD_DIM + 2u * (w + 4u * $nu + $ju) + 1u], k$n_$j.y, acc$h);
                //@ end
                //@ end
                //@ end
            }
            //@ else
            for (var w = 0u; w < WORDS; w++) {
                var word = 0u;
                //@ if FOLD
                if (first + lane == position) {
                    word = own[w];
                } else {
                    word = state[key + w];
                }
                //@ else
                word = state[key + w];
                //@ end
                let k = unpack2x16float(word);
                //@ for h in HEADS
                acc$h = fma(query[$hu * HEAD_DIM + 2u * w], k.x, acc$h);
                acc$h = fma(query[$hu * HEAD_DIM + 2u * w + 1u], k.y, acc$h);
                //@ end
            }
            //@ end
        }
        // What is no number is never the maximum.
        //@ for h in HEADS
        let score$h = select(LOWEST, acc$h * p.scale, lane < keys);
        weights[(piece * HEADS + $hu) * 64u + lane] = score$h;
        //@ end
        workgroupBarrier();
        // 64 threads for a piece: eight of them for a head.
        let eighth = (piece * HEADS + lane / 8u) * 64u;
        if (lane / 8u < HEADS) {
            var peak = LOWEST;
            for (var j = lane % 8u; j < 64u; j += 8u) {
                let s = weights[eighth + j];
                if ((bitcast<u32>(s) & 0x7fffffffu) <= 0x7f800000u && s > peak) {
                    peak = s;
                }
            }
            parts[piece * HEADS * 8u + lane] = peak;
        }
        workgroupBarrier();
        //@ for h in HEADS
        var peak$h = parts[(piece * HEADS + $hu) * 8u];
        //@ for j in 7
        if (parts[(piece * HEADS + $hu) * 8u + $ju + 1u] > peak$h) {
            peak$h = parts[(piece * HEADS + $hu) * 8u + $ju + 1u];
        }
        //@ end
        let exact$h = weights[(piece * HEADS + $hu) * 64u + lane];
        weights[(piece * HEADS + $hu) * 64u + lane] = select(0.0, exp_law(exact$h - peak$h), lane < keys);
        if (lane == 0u) {
            peaks[piece * HEADS + $hu] = peak$h;
        }
        //@ end
        workgroupBarrier();
        if (lane / 8u < HEADS) {
            var sum = 0.0;
            for (var j = lane % 8u; j < keys; j += 8u) {
                sum += weights[eighth + j];
            }
            parts[piece * HEADS * 8u + lane] = sum;
        }
        workgroupBarrier();
        if (lane < HEADS) {
            let at = (piece * HEADS + lane) * 8u;
            sums[piece * HEADS + lane] = tree8(parts[at], parts[at + 1u], parts[at + 2u], parts[at + 3u],
                parts[at + 4u], parts[at + 5u], parts[at + 6u], parts[at + 7u]);
        }
        //@ for i in TURNS
        //@ for h in HEADS
        var sum$h_$i = vec2<f32>(0.0);
        //@ end
        //@ if EARLY
        if (lane + $iu * 64u < WORDS) {
            //@ if FOLD
            let mine$i = own[WORDS + word$i];
            //@ end
            // Past the last key weights are 0.
            //@ for b in 4
            //@ for n in 16
            //@ if FOLD
            let v$b_$n = unpack2x16float(select(early$i_$b_$n, mine$i, first + $bu * 16u + $nu >= position));
            //@ else
            let v$b_$n = unpack2x16float(early$i_$b_$n);
            //@ end
            sum0_$i = fma(vec2<f32>(weights[piece * 64u + $bu * 16u + $nu]), v$b_$n, sum0_$i);
            //@ end
            //@ end
        //@ else
        let word$i = lane + $iu * 64u;
        if (word$i < WORDS) {
            // AHEAD values are on their way at a time.
            for (var j = 0u; j < keys; j += AHEAD) {
                //@ for n in AHEAD
                let key$n = min(first + j + $nu, count - 1u);
                var value$n = state_word(base + (key$n * 2u + 1u) * p.kv_words + word$i);
                //@ if FOLD
                if (key$n == position) {
                    value$n = own[WORDS + word$i];
                }
                //@ end
                //@ end
                // Past the last key weights are 0.
                //@ for h in HEADS
                //@ for n in AHEAD
                let w$h_$n = weights[(piece * HEADS + $hu) * 64u + j + $nu];
                //@ end
                //@ end
                //@ for n in AHEAD
                let v$n = unpack2x16float(value$n);
                //@ for h in HEADS
                sum$h_$i = fma(vec2<f32>(w$h_$n), v$n, sum$h_$i);
                //@ end
                //@ end
            }
        //@ end
            //@ if MANY
            //@ for h in HEADS
            outs[(piece * HEADS + $hu) * WORDS + word$i] = sum$h_$i;
            //@ end
            //@ end
        }
        //@ end
        workgroupBarrier();
        // The first piece's threads keep the totals.
        if (piece == 0u) {
            //@ for c in PIECES
            if (start + 64u * $cu < count) {
                let first_of_all = start + $cu == 0u;
                //@ for h in HEADS
                let peak_c$h = peaks[$cu * HEADS + $hu];
                let merged$h = select(total_max$h, peak_c$h, first_of_all || peak_c$h > total_max$h);
                let old$h = exp_law(total_max$h - merged$h);
                let fresh$h = exp_law(peak_c$h - merged$h);
                //@ for i in TURNS
                if (lane + $iu * 64u < WORDS) {
                    //@ if MANY
                    let part$h_$i = outs[($cu * HEADS + $hu) * WORDS + word$i];
                    //@ else
                    let part$h_$i = sum$h_$i;
                    //@ end
                    out$h_$i = select(
                        fma(out$h_$i, vec2<f32>(old$h), part$h_$i * fresh$h), part$h_$i, first_of_all);
                }
                //@ end
                let s$h = sums[$cu * HEADS + $hu];
                total_sum$h = select(fma(total_sum$h, old$h, s$h * fresh$h), s$h, first_of_all);
                total_max$h = merged$h;
                //@ end
            }
            //@ end
        }
        workgroupBarrier();
    }
    if (piece == 0u) {
        //@ for i in TURNS
        let word$i = lane + $iu * 64u;
        if (word$i < WORDS) {
            //@ for h in HEADS
            let to$h = p.out + row * p.out_cols + (head + $hu) * HEAD_DIM + 2u * word$i;
            let y$h = out$h_$i / total_sum$h;
            arena[to$h] = y$h.x;
            arena[to$h + 1u] = y$h.y;
            //@ end
        }
        //@ end
    }
}
