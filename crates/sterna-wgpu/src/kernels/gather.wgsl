// out[r] = table[index r] * scale, with the token or the position of row r as the index. A part holds the table's rows
// `first .. first + count`; other parts write the other rows.
// Constants: FORMAT (0 f16, 1 bf16, 2 f32).

struct Params {
    cols: u32,       // of a row of the table
    repeat: u32,     // rows of the table for one index, side by side
    stride: u32,     // words of a row of the table
    first: u32,
    count: u32,
    field: u32,      // 0 token, 1 position
    out: u32,
    out_cols: u32,
    scale: f32,
    pad: array<vec4<u32>, 1>,
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> call: array<u32>;
@group(0) @binding(2) var<storage, read> table: array<u32>;
@group(0) @binding(3) var<storage, read_write> arena: array<f32>;

fn value(row: u32, col: u32) -> f32 {
    if (FORMAT == 2u) {
        return bitcast<f32>(table[row * p.stride + col]);
    }
    let word = table[row * p.stride + col / 2u];
    if (FORMAT == 1u) {
        return bitcast<f32>(select(word << 16u, word & 0xffff0000u, col % 2u == 1u));
    }
    let pair = unpack2x16float(word);
    return select(pair.x, pair.y, col % 2u == 1u);
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let row = id.y;
    let col = id.x;
    if (row >= call[0] || col >= p.repeat * p.cols) {
        return;
    }
    let index = call[call_row(row) + p.field] * p.repeat + col / p.cols;
    if (index < p.first || index - p.first >= p.count) {
        return;
    }
    arena[p.out + row * p.out_cols + col] = value(index - p.first, col % p.cols) * p.scale;
}
