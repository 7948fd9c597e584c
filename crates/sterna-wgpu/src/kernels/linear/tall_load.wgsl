// The codes and scales of SUM_GROUPS groups from `g` on, as far as there are some.
//@ for i in SUM_GROUPS
if (g + $iu < p.groups) {
    let load$i = (block * p.groups + g + $iu) * GROUP_UNITS * 32u + lane;
    //@ for u in UNITS
    w$i_$u = codes[load$i + $uu * 32u];
    //@ end
    //@ if SUBS
    sub$i = codes[load$i + UNITS * 32u];
    //@ end
    d$i = scale_of((block * p.groups + g + $iu) * 32u + lane);
}
//@ end
