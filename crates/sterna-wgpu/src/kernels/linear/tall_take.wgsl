// What was loaded, out of the way of the next loads.
//@ for i in SUM_GROUPS
let g$i = min(g + $iu, p.groups - 1u);
let d_now$i = d$i;
//@ for u in UNITS
let now$i_$u = w$i_$u;
//@ end
//@ if SUBS
let sub_now$i = sub$i;
//@ end
//@ end
