// The sum of squares that a norm divides by. A width that is no multiple of 256: eight lane sums, lane i taking values i, i + 8, ...,
// and the tree, as on the CPU. A multiple: pieces of 256, in a piece 32 chains of eight neighbours and a tree of halves, the pieces
// added ascending; a workgroup of any size, and a subgroup, can follow that without waiting for chains of hundreds.

var<workgroup> lanes: array<f32, 8>;
var<workgroup> chains: array<f32, 64>;
var<workgroup> total: f32;

// By all threads of a workgroup of at least 64; `start_at` and `width` are the same for all.
fn sum_of_squares(start_at: u32, width: u32, t: u32) -> f32 {
    if (width % 256u != 0u) {
        if (t < 8u) {
            var sum = 0.0;
            for (var i = t; i < width; i += 8u) {
                let v = arena[start_at + i];
                sum = fma(v, v, sum);
            }
            lanes[t] = sum;
        }
        workgroupBarrier();
        return tree8(lanes[0], lanes[1], lanes[2], lanes[3], lanes[4], lanes[5], lanes[6], lanes[7]);
    }
    let pieces = width / 256u;
    for (var piece = 0u; piece < pieces; piece += 2u) {
        let mine = piece + t / 32u;
        var part = 0.0;
        if (t < 64u && mine < pieces) {
            let at = start_at + mine * 256u + t % 32u * 8u;
            part = squares(
                vec4<f32>(arena[at], arena[at + 1u], arena[at + 2u], arena[at + 3u]),
                vec4<f32>(arena[at + 4u], arena[at + 5u], arena[at + 6u], arena[at + 7u]));
        }
        if (t < 64u) {
            chains[t] = part;
        }
        for (var half = 16u; half > 0u; half /= 2u) {
            workgroupBarrier();
            if (t < 64u && t % 32u < half) {
                chains[t] += chains[t + half];
            }
        }
        workgroupBarrier();
        if (t == 0u) {
            var sum = chains[0];
            if (piece > 0u) {
                sum = total + chains[0];
            }
            if (piece + 1u < pieces) {
                sum += chains[32];
            }
            total = sum;
        }
        workgroupBarrier();
    }
    return total;
}
