// Integers of the groups that were taken for every row, and their factors.
//@ for i in SUM_GROUPS
//@ for u in UNITS
//@ if SUBS
let sc$i_$u = byte_of(sub_now$i, $uu / SUB_UNITS);
//@ end
//@ end
//@ for r in TOKENS
let a$i_$r = act_scales[row$r + g$i];
let at$i_$r = (row$r + g$i) * UNITS * VECS;
var isum$i_$r = -p.zero * bitcast<i32>(a$i_$r.y);
//@ if MINS
//@ if SUBS
var msum$i_$r = 0i;
//@ for m in 4
let sums$i_$r_$m = act_scales[p.sums_at + (row$r + g$i) * 4u + $mu];
msum$i_$r += byte_of(sub_now$i, 8u + 2u * $mu) * bitcast<i32>(sums$i_$r_$m.x);
msum$i_$r += byte_of(sub_now$i, 9u + 2u * $mu) * bitcast<i32>(sums$i_$r_$m.y);
//@ end
//@ else
let msum$i_$r = bitcast<i32>(a$i_$r.y);
//@ end
//@ end
//@ for u in UNITS
//@ if SUBS
isum$i_$r += sc$i_$u * dot_unit(now$i_$u, at$i_$r + $uu * VECS);
//@ else
isum$i_$r += dot_unit(now$i_$u, at$i_$r + $uu * VECS);
//@ end
//@ end
let f$i_$r = d_now$i * bitcast<f32>(a$i_$r.x);
//@ end
//@ end
