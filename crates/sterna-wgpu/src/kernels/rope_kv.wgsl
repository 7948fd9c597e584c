// Rotates the heads of q in place, and writes the rotated k and v to the state as f16: position after position, the key's
// kv_heads * head_dim halves, then the value's. Any of the three may be absent.

struct Params {
    q: u32,
    q_cols: u32,
    q_heads: u32,
    head_dim: u32,    // even
    turn: u32,        // rotated dimensions of a head, even
    table: u32,
    table_cols: u32,
    k: u32,
    k_cols: u32,
    k_turn: u32,      // rotated dimensions of k: 0 or `turn`
    v: u32,
    v_cols: u32,
    kv_words: u32,    // of a key: half its width; 0 without k and v
    capacity: u32,
    pad: vec2<u32>,
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> call: array<u32>;
@group(0) @binding(2) var<storage, read_write> state: array<u32>;
@group(0) @binding(3) var<storage, read_write> arena: array<f32>;

//@ include half_bits

// Dimension i of the head that begins at `start_at`, turned.
fn turned(start_at: u32, i: u32, turn: u32, table: u32) -> f32 {
    let half = turn / 2u;
    if (i >= turn) {
        return arena[start_at + i];
    }
    if (i < half) {
        let a = arena[start_at + i];
        let b = arena[start_at + i + half];
        return fma(a, arena[table + i], -(b * arena[table + half + i]));
    }
    let a = arena[start_at + i - half];
    let b = arena[start_at + i];
    return fma(b, arena[table + i - half], a * arena[table + i]);
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) t: u32) {
    let row = group.y;
    if (row >= call[0]) {
        return;
    }
    let item = group.x * 64u + t;
    let table = p.table + row * p.table_cols;
    let half = p.turn / 2u;
    let pairs = p.q_heads * half;
    if (item < pairs) {
        let start_at = p.q + row * p.q_cols + item / half * p.head_dim;
        let i = item % half;
        let low = turned(start_at, i, p.turn, table);
        let high = turned(start_at, i + half, p.turn, table);
        arena[start_at + i] = low;
        arena[start_at + i + half] = high;
        return;
    }
    let word = item - pairs;
    if (word >= 2u * p.kv_words) {
        return;
    }
    var x = 0.0;
    var y = 0.0;
    if (word < p.kv_words) {
        let start_at = p.k + row * p.k_cols + 2u * word / p.head_dim * p.head_dim;
        let i = 2u * word % p.head_dim;
        x = turned(start_at, i, p.k_turn, table);
        y = turned(start_at, i + 1u, p.k_turn, table);
    } else {
        let start_at = p.v + row * p.v_cols + 2u * (word - p.kv_words);
        x = arena[start_at];
        y = arena[start_at + 1u];
    }
    let position = call[call_row(row) + 1u];
    let slot = call[call_row(row) + 2u];
    state[(slot * p.capacity + position) * 2u * p.kv_words + word] = half_bits(x) | (half_bits(y) << 16u);
}
