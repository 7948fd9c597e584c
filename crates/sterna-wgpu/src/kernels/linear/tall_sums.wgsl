// Integers of the groups that were loaded for every row, and their factors.
//@ for i in SUM_GROUPS
let g$i = min(g + $iu, p.groups - 1u);
//@ for u in UNITS
//@ if SUBS
let sc$i_$u = byte_of(sub$i, $uu / SUB_UNITS);
//@ if MINS
let mn$i_$u = byte_of(sub$i, 8u + $uu / SUB_UNITS);
//@ end
//@ end
//@ end
//@ for r in TOKENS
let a$i_$r = act_scales[row$r + g$i];
let at$i_$r = (row$r + g$i) * UNITS * VECS;
var isum$i_$r = -p.zero * bitcast<i32>(a$i_$r.y);
//@ if MINS
//@ if SUBS
var msum$i_$r = 0i;
//@ else
let msum$i_$r = bitcast<i32>(a$i_$r.y);
//@ end
//@ end
//@ for u in UNITS
//@ if SUBS
isum$i_$r += sc$i_$u * dot_unit(w$i_$u, at$i_$r + $uu * VECS);
//@ if MINS
msum$i_$r += mn$i_$u * sum_unit(at$i_$r + $uu * VECS);
//@ end
//@ else
isum$i_$r += dot_unit(w$i_$u, at$i_$r + $uu * VECS);
//@ end
//@ end
let f$i_$r = d$i * bitcast<f32>(a$i_$r.x);
//@ end
//@ end
