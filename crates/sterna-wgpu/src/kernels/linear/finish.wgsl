// How a value of a linear layer reaches its buffer: `mode`, `factor`, `out` and `out_cols` of the kernel's own Params.

fn finish(row: u32, n: u32, y: f32) {
    let at = p.out + row * p.out_cols + n;
    if (p.mode == 1u) {
        arena[at] = y * p.factor;
    } else if (p.mode == 2u) {
        arena[at] = fma(p.factor, y, arena[at]);
    } else {
        arena[at] = y;
    }
}
