// To nearest, ties to even: what packing does is left to the device.
fn half_bits(x: f32) -> u32 {
    let bits = bitcast<u32>(x);
    let sign = (bits >> 16u) & 0x8000u;
    let abs = bits & 0x7fffffffu;
    if (abs > 0x7f800000u) {
        return sign | 0x7e00u;
    }
    if (abs >= 0x477ff000u) {
        return sign | 0x7c00u;
    }
    if (abs >= 0x38800000u) {
        let odd = (abs >> 13u) & 1u;
        return sign | ((abs - 0x38000000u + 0xfffu + odd) >> 13u);
    }
    if (abs < 0x33000000u) {
        return sign;
    }
    // A subnormal half: the significand shifted to its place, rounded by what falls off.
    let shift = 126u - (abs >> 23u);
    let whole = (abs & 0x7fffffu) | 0x800000u;
    let kept = whole >> shift;
    let rest = whole & ((1u << shift) - 1u);
    let middle = 1u << (shift - 1u);
    let up = rest > middle || (rest == middle && (kept & 1u) == 1u);
    return sign | (kept + select(0u, 1u, up));
}
