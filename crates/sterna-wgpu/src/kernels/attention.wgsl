// Query heads of one row that share keys, by one workgroup; keys in pieces of 64 by absolute position, PIECES of them side by side,
// merged in ascending order. In a piece every score is one chain over the dimensions, from 0, times scale; the sum of
// exp(score - maximum) goes to eight lanes by position in the piece, then the tree; every output is one chain over keys,
// ascending, from 0. The division is last.
// Constants: HEAD_DIM (even), HEADS (a divisor of `share`, at most 8), PIECES, WIDE (the state is read by vec4), BATCH, AHEAD.

struct Params {
    q: u32,
    q_cols: u32,
    out: u32,
    out_cols: u32,
    share: u32,       // query heads on one key and value head
    kv_words: u32,    // of a key
    capacity: u32,
    scale: f32,
    pad: array<vec4<u32>, 3>,
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> call: array<u32>;
//@ if WIDE
@group(0) @binding(2) var<storage, read> state: array<vec4<u32>>;
//@ else
@group(0) @binding(2) var<storage, read> state: array<u32>;
//@ end
@group(0) @binding(3) var<storage, read_write> arena: array<f32>;

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
    for (var i = t; i < HEADS * HEAD_DIM; i += THREADS) {
        query[i] = arena[from_q + i];
    }
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
                word = state[key + w];
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
        let word$i = lane + $iu * 64u;
        if (word$i < WORDS) {
            // AHEAD values are on their way at a time.
            for (var j = 0u; j < keys; j += AHEAD) {
                //@ for n in AHEAD
                let key$n = min(first + j + $nu, count - 1u);
                var value$n = state_word(base + (key$n * 2u + 1u) * p.kv_words + word$i);
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
