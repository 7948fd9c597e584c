// Parameters and buffers of blocked matrices whose codes meet packed activations.

struct Params {
    outs: u32,        // rows of this part of the matrix
    blocks: u32,
    count_at: u32,
    mode: u32,        // 0 store, 1 scale, 2 add scaled, 3 silu(even) * odd, 4 gelu(even) * odd
    out: u32,
    out_cols: u32,
    factor: f32,
    zero: i32,        // of codes
    input: u32,       // a multiple of 4, as are its columns
    input_cols: u32,
    weight: u32,
    eps: f32,
    pad: array<vec4<u32>, 1>,
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> call: array<u32>;
@group(0) @binding(2) var<storage, read> codes: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> scales: array<u32>;
@group(0) @binding(4) var<storage, read> acts: array<vec4<u32>>;        // rows that came quantised
@group(0) @binding(5) var<storage, read> act_scales: array<vec2<u32>>;  // rows that came quantised
@group(0) @binding(6) var<storage, read> vectors: array<vec4<f32>>;     // weights of norms
@group(0) @binding(7) var<storage, read_write> arena: array<vec4<f32>>;
