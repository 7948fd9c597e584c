// One value of a row at a time.
// Constants: WHAT (0 silu(a) * b, 1 gelu(a) * b, 2 sigmoid(a) * b, 3 fma(factor, a, out), 4 a * factor, 5 a, 6 a of the row that
// output r is).

struct Params {
    a: u32,
    a_cols: u32,
    b: u32,
    b_cols: u32,
    out: u32,
    out_cols: u32,
    len: u32,
    count_at: u32,
    factor: f32,
    pad: array<vec4<u32>, 1>,
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> call: array<u32>;
@group(0) @binding(2) var<storage, read_write> arena: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let row = id.y;
    let col = id.x;
    if (row >= call[p.count_at] || col >= p.len) {
        return;
    }
    var start_at = row;
    if (WHAT == 6u) {
        start_at = call[call_row(row) + 3u];
    }
    let a = arena[p.a + start_at * p.a_cols + col];
    let to = p.out + row * p.out_cols + col;
    if (WHAT == 0u) {
        arena[to] = silu_law(a) * arena[p.b + row * p.b_cols + col];
    } else if (WHAT == 1u) {
        arena[to] = gelu_law(a) * arena[p.b + row * p.b_cols + col];
    } else if (WHAT == 2u) {
        arena[to] = sigmoid_law(a) * arena[p.b + row * p.b_cols + col];
    } else if (WHAT == 3u) {
        arena[to] = fma(p.factor, a, arena[to]);
    } else if (WHAT == 4u) {
        arena[to] = a * p.factor;
    } else {
        arena[to] = a;
    }
}
