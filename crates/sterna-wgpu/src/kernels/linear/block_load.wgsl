// The codes and scales of step `load`, as far as there is one.
if (load$b < steps && (FULL || load$b % TURNS * WARPS + warp < GROUPS)) {
    let block = group.x + load$b / TURNS * workgroups.x;
    let at = (block * GROUPS + load$b % TURNS * WARPS + warp) * 128u + lane;
    //@ for u in 4
    codes$b_$u = codes[at + $uu * 32u];
    //@ end
    scale$b = scale_of(block, load$b % TURNS * WARPS + warp, lane);
}
