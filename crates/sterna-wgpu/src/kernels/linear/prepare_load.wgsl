// What `prepare.wgsl` needs of memory, asked for before anything else: the row and, with NORM, the norm's weights.
let from_at = (p.input + first * p.input_cols) / 4u;
//@ for c in CHUNKS
let chunk$c = t + $c * THREADS;
let live$c = chunk$c < GROUPS * 32u;
var x$c_0 = vec4<f32>(0.0);
var x$c_1 = vec4<f32>(0.0);
//@ if NORM
var norm$c_0 = vec4<f32>(0.0);
var norm$c_1 = vec4<f32>(0.0);
//@ end
if (live$c) {
    x$c_0 = arena[from_at + 2u * chunk$c];
    x$c_1 = arena[from_at + 2u * chunk$c + 1u];
    //@ if NORM
    norm$c_0 = vectors[p.weight / 4u + 2u * chunk$c];
    norm$c_1 = vectors[p.weight / 4u + 2u * chunk$c + 1u];
    //@ end
}
//@ end
