// How a value of a linear layer reaches its buffer: `mode`, `factor`, `out` and `out_cols` of the kernel's own Params.

fn finish(row: u32, n: u32, y: f32) {
    let at = p.out + row * p.out_cols + n;
    //@ if VECTORS
    if (p.mode == 1u) {
        arena[at / 4u][at % 4u] = y * p.factor;
    } else if (p.mode == 2u) {
        arena[at / 4u][at % 4u] = fma(p.factor, y, arena[at / 4u][at % 4u]);
    } else {
        arena[at / 4u][at % 4u] = y;
    }
    //@ else
    if (p.mode == 1u) {
        arena[at] = y * p.factor;
    } else if (p.mode == 2u) {
        arena[at] = fma(p.factor, y, arena[at]);
    } else {
        arena[at] = y;
    }
    //@ end
}

// Two neighbouring outputs as one.
fn paired(a: f32, b: f32) -> f32 {
    if (p.mode == 3u) {
        return silu_law(a) * b;
    }
    return gelu_law(a) * b;
}
