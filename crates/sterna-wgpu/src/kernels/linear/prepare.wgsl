// A row to int8 in workgroup memory, a scale d = max|x| / 127 for each group of 256, or of 32 with SMALL: q = round half to even of x / d;
// with NORM it is first normed as in `norm.wgsl`. Beside the scale stands the sum of the group's integers, which takes the zero
// point out of a dot product; with SUMS the sums of every 32 are kept too. A thread has 8 inputs at a time, so that 32 have 256:
// a subgroup, where SUBGROUPS says so.
//@ if NORM
//@ for c in CHUNKS
if (live$c) {
    var part = squares(x$c_0, x$c_1);
    //@ if SUBGROUPS
    part += subgroupShuffleXor(part, 16u);
    part += subgroupShuffleXor(part, 8u);
    part += subgroupShuffleXor(part, 4u);
    part += subgroupShuffleXor(part, 2u);
    part += subgroupShuffleXor(part, 1u);
    if (t % 32u == 0u) {
        pieces[chunk$c / 32u] = part;
    }
    //@ else
    row_parts[chunk$c / 4u][chunk$c % 4u] = bitcast<u32>(part);
    //@ end
}
//@ end
workgroupBarrier();
//@ if SUBGROUPS
//@ else
if (t < GROUPS) {
    //@ for i in 8
    let v$i = bitcast<vec4<f32>>(row_parts[8u * t + $i]);
    //@ end
    let v = ((v0 + v4) + (v2 + v6)) + ((v1 + v5) + (v3 + v7));
    pieces[t] = (v.x + v.z) + (v.y + v.w);
}
workgroupBarrier();
//@ end
var sum = pieces[0];
//@ for g in GROUPS
//@ if $g
sum += pieces[$g];
//@ end
//@ end
let inverse = 1.0 / sqrt(sum / f32(GROUPS * 256u) + p.eps);
//@ for c in CHUNKS
if (live$c) {
    x$c_0 = (x$c_0 * inverse) * norm$c_0;
    x$c_1 = (x$c_1 * inverse) * norm$c_1;
}
//@ end
//@ end
//@ for c in CHUNKS
// Without its sign a float's bits order as the float does, and whatever is not finite comes last.
var peak$c = max(magnitude(x$c_0), magnitude(x$c_1));
//@ if SUBGROUPS
//@ if SMALL
peak$c = max(peak$c, subgroupShuffleXor(peak$c, 1u));
peak$c = max(peak$c, subgroupShuffleXor(peak$c, 2u));
//@ else
peak$c = subgroupMax(peak$c);
//@ end
//@ else
if (live$c) {
    row_parts[chunk$c / 4u][chunk$c % 4u] = peak$c;
}
//@ end
//@ end
//@ if SUBGROUPS
//@ else
workgroupBarrier();
//@ for c in CHUNKS
if (live$c) {
    //@ if SMALL
    let all = row_parts[chunk$c / 4u];
    //@ else
    let g = chunk$c / 32u;
    var all = row_parts[8u * g];
    //@ for i in 7
    all = max(all, row_parts[8u * g + $i + 1u]);
    //@ end
    //@ end
    peak$c = max(max(all.x, all.y), max(all.z, all.w));
}
//@ end
workgroupBarrier();
//@ end
//@ for c in CHUNKS
if (live$c) {
    let g = chunk$c / SHARE;
    var d = bitcast<f32>(peak$c) / 127.0;
    var q = vec2<u32>(0u);
    // A subnormal d is too coarse for x / d to stay within 127; values that small are 0.
    if (d >= 1.1754944e-38 && peak$c < 0x7f800000u) {
        // What is left of tiny values is no subnormal.
        let scale = select(1.0, 18446744073709551616.0, d < 1e-30);
        let r = 1.0 / (d * scale);
        q.x = quantised(x$c_0 * scale, d * scale, r);
        q.y = quantised(x$c_1 * scale, d * scale, r);
    }
    if (d < 1.1754944e-38) {
        d = 0.0;
    }
    row_acts[chunk$c / 2u][chunk$c % 2u * 2u] = q.x;
    row_acts[chunk$c / 2u][chunk$c % 2u * 2u + 1u] = q.y;
    let sum = dot4I8Packed(q.x, 0x01010101u) + dot4I8Packed(q.y, 0x01010101u);
    //@ if SUBGROUPS
    //@ if FOURS
    var four = sum + subgroupShuffleXor(sum, 1u);
    four += subgroupShuffleXor(four, 2u);
    //@ end
    //@ if SUMS
    if (t % 4u == 0u) {
        row_sums[chunk$c / 4u] = four;
    }
    //@ end
    //@ if SMALL
    let sums = four;
    //@ else
    let sums = subgroupAdd(sum);
    //@ end
    if (chunk$c % SHARE == 0u) {
        row_scales[g] = vec2<u32>(bitcast<u32>(d), bitcast<u32>(sums));
    }
    //@ else
    row_parts[chunk$c / 4u][chunk$c % 4u] = bitcast<u32>(sum);
    if (chunk$c % SHARE == 0u) {
        row_scales[g].x = bitcast<u32>(d);
    }
    //@ end
}
//@ end
workgroupBarrier();
//@ if SUBGROUPS
//@ else
for (var g = t; g < SCALES; g += THREADS) {
    var sums = row_parts[SHARE / 4u * g];
    //@ if SUMS
    row_sums[8u * g] = bitcast<i32>(sums.x + sums.y + sums.z + sums.w);
    //@ end
    //@ if SMALL
    //@ else
    //@ for i in 7
    let next$i = row_parts[8u * g + $i + 1u];
    //@ if SUMS
    row_sums[8u * g + $i + 1u] = bitcast<i32>(next$i.x + next$i.y + next$i.z + next$i.w);
    //@ end
    sums += next$i;
    //@ end
    //@ end
    row_scales[g].y = sums.x + sums.y + sums.z + sums.w;
}
workgroupBarrier();
//@ end
