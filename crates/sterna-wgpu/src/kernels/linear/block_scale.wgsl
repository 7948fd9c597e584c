// The scale of output r of a block in a group.
fn scale_of(block: u32, g: u32, r: u32) -> f32 {
    let at = (block * GROUPS + g) * 32u + r;
    if (HALVES) {
        let pair = unpack2x16float(scales[at / 2u]);
        return select(pair.x, pair.y, (at & 1u) == 1u);
    }
    return bitcast<f32>(scales[at]);
}
