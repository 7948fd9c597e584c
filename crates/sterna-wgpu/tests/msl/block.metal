// language: metal2.4
#include <metal_stdlib>
#include <simd/simd.h>

using metal::uint;

struct _mslBufferSizes {
    uint size1;
    uint size2;
    uint size3;
    uint size4;
    uint size5;
    uint size6;
    uint size7;
};

struct type_6 {
    metal::uint4 inner[1];
};
struct Params {
    uint outs;
    uint blocks;
    uint count_at;
    uint mode;
    uint out;
    uint out_cols;
    float factor;
    int zero;
    uint input;
    uint input_cols;
    uint weight;
    float eps;
    type_6 pad;
};
typedef metal::float4 type_7[1];
typedef uint type_8[1];
typedef metal::uint4 type_9[1];
typedef metal::uint2 type_11[1];
struct type_12 {
    int inner[1024];
};
struct type_13 {
    float inner[1024];
};
struct type_14 {
    metal::uint4 inner[512];
};
constant uint GROUPS = 16u;
constant uint WARPS = 16u;
constant uint TOKENS = 2u;
constant bool HALVES = true;
constant bool PAIRS = true;
constant uint THREADS = 512u;
constant uint TURNS = 1u;
constant bool FULL = true;

uint call_row(
    uint i_1
) {
    return 4u + (4u * i_1);
}

int naga_f2i32(float value) {
    return static_cast<int>(metal::clamp(value, -2147483600.0, 2147483500.0));
}

float exp_law(
    float x
) {
    float c = {};
    float p = {};
    c = x;
    if (x > 88.0) {
        c = 88.0;
    } else {
        if (x < -87.3) {
            c = -87.3;
        }
    }
    float _e8 = c;
    float n_1 = metal::rint(_e8 * 1.442695);
    float _e12 = c;
    float r_1 = metal::fma(n_1, 0.00021219444, metal::fma(n_1, -0.6933594, _e12));
    p = metal::fma(0.00019875691, r_1, 0.0013981999);
    float _e21 = p;
    p = metal::fma(_e21, r_1, 0.008333452);
    float _e24 = p;
    p = metal::fma(_e24, r_1, 0.041665796);
    float _e27 = p;
    p = metal::fma(_e27, r_1, 0.16666666);
    float _e30 = p;
    p = metal::fma(_e30, r_1, 0.5);
    float _e34 = p;
    float y_1 = metal::fma(r_1 * r_1, _e34, r_1) + 1.0;
    float scale = as_type<float>(static_cast<uint>(as_type<int>(as_type<uint>(naga_f2i32(n_1)) + as_type<uint>(127))) << 23u);
    return (x < -87.3) ? 0.0 : (y_1 * scale);
}

float sigmoid_law(
    float x_1
) {
    float _e2 = exp_law(-(x_1));
    return 1.0 / (1.0 + _e2);
}

float silu_law(
    float x_2
) {
    float _e2 = exp_law(-(x_2));
    return x_2 / (1.0 + _e2);
}

float gelu_law(
    float x_3
) {
    float _e7 = exp_law(-((x_3 * metal::fma(0.071354814, x_3 * x_3, 1.595769))));
    return x_3 / (1.0 + _e7);
}

bool is_bad(
    float x_4
) {
    return (as_type<uint>(x_4) & 2139095040u) == 2139095040u;
}

float tree8_(
    float a,
    float b,
    float c_1,
    float d,
    float e,
    float f,
    float g,
    float h
) {
    return ((a + e) + (c_1 + g)) + ((b + f) + (d + h));
}

float squares(
    metal::float4 a_1,
    metal::float4 b_1
) {
    return metal::fma(b_1.w, b_1.w, metal::fma(b_1.z, b_1.z, metal::fma(b_1.y, b_1.y, metal::fma(b_1.x, b_1.x, metal::fma(a_1.w, a_1.w, metal::fma(a_1.z, a_1.z, metal::fma(a_1.y, a_1.y, a_1.x * a_1.x)))))));
}

uint naga_div(uint lhs, uint rhs) {
    return lhs / metal::select(rhs, 1u, rhs == 0u);
}

uint naga_mod(uint lhs, uint rhs) {
    return lhs % metal::select(rhs, 1u, rhs == 0u);
}

void finish(
    uint row,
    uint n,
    float y,
    constant Params& p_1,
    device type_7& arena,
    constant _mslBufferSizes& _buffer_sizes
) {
    uint _e5 = p_1.out;
    uint _e8 = p_1.out_cols;
    uint at = (_e5 + (row * _e8)) + n;
    uint _e14 = p_1.mode;
    if (_e14 == 1u) {
        float _e26 = p_1.factor;
        arena[naga_div(at, 4u)][naga_mod(at, 4u)] = y * _e26;
        return;
    } else {
        uint _e30 = p_1.mode;
        if (_e30 == 2u) {
            float _e42 = p_1.factor;
            float _e50 = arena[naga_div(at, 4u)][naga_mod(at, 4u)];
            arena[naga_div(at, 4u)][naga_mod(at, 4u)] = metal::fma(_e42, y, _e50);
            return;
        } else {
            arena[naga_div(at, 4u)][naga_mod(at, 4u)] = y;
            return;
        }
    }
}

float paired(
    float a_2,
    float b_2,
    constant Params& p_1
) {
    uint _e4 = p_1.mode;
    if (_e4 == 3u) {
        float _e7 = silu_law(a_2);
        return _e7 * b_2;
    }
    float _e9 = gelu_law(a_2);
    return _e9 * b_2;
}

float scale_of(
    uint block_1,
    uint g_1,
    uint r,
    device type_8 const& scales,
    constant _mslBufferSizes& _buffer_sizes
) {
    uint at_1 = (((block_1 * GROUPS) + g_1) * 32u) + r;
    if (HALVES) {
        uint _e14 = scales[naga_div(at_1, 2u)];
        metal::float2 pair = float2(as_type<half2>(_e14));
        return ((at_1 & 1u) == 1u) ? pair.y : pair.x;
    }
    uint _e25 = scales[at_1];
    return as_type<float>(_e25);
}

struct main_Input {
};
[[max_total_threads_per_threadgroup(512)]] kernel void main_(
  metal::uint3 group [[threadgroup_position_in_grid]]
, metal::uint3 workgroups [[threadgroups_per_grid]]
, uint t [[thread_index_in_threadgroup]]
, constant Params& p_1 [[user(fake0)]]
, device type_7& arena [[user(fake0)]]
, device type_8 const& call [[user(fake0)]]
, device type_9 const& codes [[user(fake0)]]
, device type_8 const& scales [[user(fake0)]]
, device type_9 const& acts [[user(fake0)]]
, device type_11 const& act_scales [[user(fake0)]]
, threadgroup type_12& isums
, threadgroup type_13& factors
, threadgroup type_14& turn_acts
, constant _mslBufferSizes& _buffer_sizes [[user(fake0)]]
) {
    bool local = {};
    uint block = {};
    uint turn = 0u;
    metal::uint4 next0_ = metal::uint4(0u);
    metal::uint4 next1_ = metal::uint4(0u);
    metal::uint4 next2_ = metal::uint4(0u);
    metal::uint4 next3_ = metal::uint4(0u);
    float next_scale = 0.0;
    metal::float2 acc = metal::float2(0.0);
    uint step = 0u;
    bool local_1 = {};
    uint i = {};
    metal::uint2 da0_ = {};
    metal::uint2 da1_ = {};
    int s0_ = {};
    int s1_ = {};
    bool local_2 = {};
    bool local_3 = {};
    bool local_4 = {};
    bool local_5 = {};
    bool local_6 = {};
    bool local_7 = {};
    bool local_8 = {};
    bool local_9 = {};
    bool local_10 = {};
    bool local_11 = {};
    bool local_12 = {};
    bool local_13 = {};
    bool local_14 = {};
    bool local_15 = {};
    bool local_16 = {};
    bool local_17 = {};
    bool local_18 = {};
    bool local_19 = {};
    bool local_20 = {};
    uint lane = naga_mod(t, 32u);
    uint r_2 = naga_div(t, 32u);
    uint first = group.y * TOKENS;
    uint _e13 = p_1.count_at;
    uint rows = call[_e13];
    if (!((first >= rows))) {
        uint _e23 = p_1.blocks;
        local = group.x >= _e23;
    } else {
        local = true;
    }
    bool _e26 = local;
    if (_e26) {
        return;
    }
    uint _e29 = p_1.blocks;
    uint steps = (naga_div((_e29 - 1u) - group.x, workgroups.x) + 1u) * TURNS;
    block = group.x;
    if (r_2 < GROUPS) {
        uint _e60 = block;
        uint at_2 = (((_e60 * GROUPS) + r_2) * 128u) + lane;
        metal::uint4 _e71 = codes[at_2 + 0u];
        next0_ = _e71;
        metal::uint4 _e76 = codes[at_2 + 32u];
        next1_ = _e76;
        metal::uint4 _e81 = codes[at_2 + 64u];
        next2_ = _e81;
        metal::uint4 _e86 = codes[at_2 + 96u];
        next3_ = _e86;
        uint _e87 = block;
        float _e88 = scale_of(_e87, r_2, lane, scales, _buffer_sizes);
        next_scale = _e88;
    }
    uint2 loop_bound = uint2(4294967295u);
    bool loop_init = true;
    while(true) {
        if (metal::all(loop_bound == uint2(0u))) { break; }
        loop_bound -= uint2(loop_bound.y == 0u, 1u);
        if (!loop_init) {
            uint _e2197 = step;
            step = _e2197 + 1u;
        }
        loop_init = false;
        uint _e94 = step;
        if (_e94 < steps) {
        } else {
            break;
        }
        {
            uint this_block = block;
            uint this_turn = turn;
            metal::uint4 w0_ = next0_;
            metal::uint4 w1_ = next1_;
            metal::uint4 w2_ = next2_;
            metal::uint4 w3_ = next3_;
            float d_1 = next_scale;
            uint _e103 = turn;
            turn = _e103 + 1u;
            uint _e106 = turn;
            if (_e106 == TURNS) {
                turn = 0u;
                uint _e110 = block;
                block = _e110 + workgroups.x;
            }
            uint g_2 = (this_turn * WARPS) + r_2;
            uint _e116 = turn;
            uint next_g = (_e116 * WARPS) + r_2;
            uint _e120 = step;
            if ((_e120 + 1u) < steps) {
                local_1 = next_g < GROUPS;
            } else {
                local_1 = false;
            }
            bool _e129 = local_1;
            if (_e129) {
                uint _e130 = block;
                uint at_3 = (((_e130 * GROUPS) + next_g) * 128u) + lane;
                metal::uint4 _e141 = codes[at_3 + 0u];
                next0_ = _e141;
                metal::uint4 _e146 = codes[at_3 + 32u];
                next1_ = _e146;
                metal::uint4 _e151 = codes[at_3 + 64u];
                next2_ = _e151;
                metal::uint4 _e156 = codes[at_3 + 96u];
                next3_ = _e156;
                uint _e157 = block;
                float _e158 = scale_of(_e157, next_g, lane, scales, _buffer_sizes);
                next_scale = _e158;
            }
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
            i = t;
            uint2 loop_bound_1 = uint2(4294967295u);
            bool loop_init_1 = true;
            while(true) {
                if (metal::all(loop_bound_1 == uint2(0u))) { break; }
                loop_bound_1 -= uint2(loop_bound_1.y == 0u, 1u);
                if (!loop_init_1) {
                    uint _e191 = i;
                    i = _e191 + THREADS;
                }
                loop_init_1 = false;
                uint _e160 = i;
                if (_e160 < 512u) {
                } else {
                    break;
                }
                {
                    uint _e163 = i;
                    uint r_3 = naga_div(_e163, 256u);
                    uint _e170 = i;
                    uint at_4 = ((this_turn * WARPS) * 16u) + naga_mod(_e170, 256u);
                    if (at_4 < 256u) {
                        uint _e177 = i;
                        metal::uint4 _e190 = acts[((metal::min(first + r_3, rows - 1u) * GROUPS) * 16u) + at_4];
                        turn_acts.inner[_e177] = _e190;
                    }
                }
            }
            da0_ = metal::uint2(0u);
            if (g_2 < GROUPS) {
                metal::uint2 _e209 = act_scales[(metal::min(first + 0u, rows - 1u) * GROUPS) + g_2];
                da0_ = _e209;
            }
            da1_ = metal::uint2(0u);
            if (g_2 < GROUPS) {
                metal::uint2 _e225 = act_scales[(metal::min(first + 1u, rows - 1u) * GROUPS) + g_2];
                da1_ = _e225;
            }
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
            if (g_2 < GROUPS) {
                s0_ = 0;
                s1_ = 0;
                uint w00_0_ = w0_.x & 50529027u;
                uint w00_1_ = (w0_.x >> 2u) & 50529027u;
                uint w00_2_ = (w0_.x >> 4u) & 50529027u;
                uint w00_3_ = (w0_.x >> 6u) & 50529027u;
                metal::uint4 a00_0_ = turn_acts.inner[(((0u + r_2) * 16u) + 0u) + 0u];
                int _e261 = s0_;
                uint _e262 = a00_0_.x;
                packed_char4 reinterpreted_packed_char4_e234 = as_type<packed_char4>(w00_0_);
                packed_char4 reinterpreted_packed_char4_e262 = as_type<packed_char4>(_e262);
                s0_ = as_type<int>(as_type<uint>(_e261) + as_type<uint>(( + reinterpreted_packed_char4_e234[0] * reinterpreted_packed_char4_e262[0] + reinterpreted_packed_char4_e234[1] * reinterpreted_packed_char4_e262[1] + reinterpreted_packed_char4_e234[2] * reinterpreted_packed_char4_e262[2] + reinterpreted_packed_char4_e234[3] * reinterpreted_packed_char4_e262[3])));
                int _e265 = s0_;
                uint _e266 = a00_0_.y;
                packed_char4 reinterpreted_packed_char4_e239 = as_type<packed_char4>(w00_1_);
                packed_char4 reinterpreted_packed_char4_e266 = as_type<packed_char4>(_e266);
                s0_ = as_type<int>(as_type<uint>(_e265) + as_type<uint>(( + reinterpreted_packed_char4_e239[0] * reinterpreted_packed_char4_e266[0] + reinterpreted_packed_char4_e239[1] * reinterpreted_packed_char4_e266[1] + reinterpreted_packed_char4_e239[2] * reinterpreted_packed_char4_e266[2] + reinterpreted_packed_char4_e239[3] * reinterpreted_packed_char4_e266[3])));
                int _e269 = s0_;
                uint _e270 = a00_0_.z;
                packed_char4 reinterpreted_packed_char4_e244 = as_type<packed_char4>(w00_2_);
                packed_char4 reinterpreted_packed_char4_e270 = as_type<packed_char4>(_e270);
                s0_ = as_type<int>(as_type<uint>(_e269) + as_type<uint>(( + reinterpreted_packed_char4_e244[0] * reinterpreted_packed_char4_e270[0] + reinterpreted_packed_char4_e244[1] * reinterpreted_packed_char4_e270[1] + reinterpreted_packed_char4_e244[2] * reinterpreted_packed_char4_e270[2] + reinterpreted_packed_char4_e244[3] * reinterpreted_packed_char4_e270[3])));
                int _e273 = s0_;
                uint _e274 = a00_0_.w;
                packed_char4 reinterpreted_packed_char4_e249 = as_type<packed_char4>(w00_3_);
                packed_char4 reinterpreted_packed_char4_e274 = as_type<packed_char4>(_e274);
                s0_ = as_type<int>(as_type<uint>(_e273) + as_type<uint>(( + reinterpreted_packed_char4_e249[0] * reinterpreted_packed_char4_e274[0] + reinterpreted_packed_char4_e249[1] * reinterpreted_packed_char4_e274[1] + reinterpreted_packed_char4_e249[2] * reinterpreted_packed_char4_e274[2] + reinterpreted_packed_char4_e249[3] * reinterpreted_packed_char4_e274[3])));
                metal::uint4 a00_1_ = turn_acts.inner[(((16u + r_2) * 16u) + 0u) + 0u];
                int _e288 = s1_;
                uint _e289 = a00_1_.x;
                packed_char4 reinterpreted_packed_char4_e234 = as_type<packed_char4>(w00_0_);
                packed_char4 reinterpreted_packed_char4_e289 = as_type<packed_char4>(_e289);
                s1_ = as_type<int>(as_type<uint>(_e288) + as_type<uint>(( + reinterpreted_packed_char4_e234[0] * reinterpreted_packed_char4_e289[0] + reinterpreted_packed_char4_e234[1] * reinterpreted_packed_char4_e289[1] + reinterpreted_packed_char4_e234[2] * reinterpreted_packed_char4_e289[2] + reinterpreted_packed_char4_e234[3] * reinterpreted_packed_char4_e289[3])));
                int _e292 = s1_;
                uint _e293 = a00_1_.y;
                packed_char4 reinterpreted_packed_char4_e239 = as_type<packed_char4>(w00_1_);
                packed_char4 reinterpreted_packed_char4_e293 = as_type<packed_char4>(_e293);
                s1_ = as_type<int>(as_type<uint>(_e292) + as_type<uint>(( + reinterpreted_packed_char4_e239[0] * reinterpreted_packed_char4_e293[0] + reinterpreted_packed_char4_e239[1] * reinterpreted_packed_char4_e293[1] + reinterpreted_packed_char4_e239[2] * reinterpreted_packed_char4_e293[2] + reinterpreted_packed_char4_e239[3] * reinterpreted_packed_char4_e293[3])));
                int _e296 = s1_;
                uint _e297 = a00_1_.z;
                packed_char4 reinterpreted_packed_char4_e244 = as_type<packed_char4>(w00_2_);
                packed_char4 reinterpreted_packed_char4_e297 = as_type<packed_char4>(_e297);
                s1_ = as_type<int>(as_type<uint>(_e296) + as_type<uint>(( + reinterpreted_packed_char4_e244[0] * reinterpreted_packed_char4_e297[0] + reinterpreted_packed_char4_e244[1] * reinterpreted_packed_char4_e297[1] + reinterpreted_packed_char4_e244[2] * reinterpreted_packed_char4_e297[2] + reinterpreted_packed_char4_e244[3] * reinterpreted_packed_char4_e297[3])));
                int _e300 = s1_;
                uint _e301 = a00_1_.w;
                packed_char4 reinterpreted_packed_char4_e249 = as_type<packed_char4>(w00_3_);
                packed_char4 reinterpreted_packed_char4_e301 = as_type<packed_char4>(_e301);
                s1_ = as_type<int>(as_type<uint>(_e300) + as_type<uint>(( + reinterpreted_packed_char4_e249[0] * reinterpreted_packed_char4_e301[0] + reinterpreted_packed_char4_e249[1] * reinterpreted_packed_char4_e301[1] + reinterpreted_packed_char4_e249[2] * reinterpreted_packed_char4_e301[2] + reinterpreted_packed_char4_e249[3] * reinterpreted_packed_char4_e301[3])));
                uint w01_0_ = w0_.y & 50529027u;
                uint w01_1_ = (w0_.y >> 2u) & 50529027u;
                uint w01_2_ = (w0_.y >> 4u) & 50529027u;
                uint w01_3_ = (w0_.y >> 6u) & 50529027u;
                metal::uint4 a01_0_ = turn_acts.inner[(((0u + r_2) * 16u) + 0u) + 1u];
                int _e333 = s0_;
                uint _e334 = a01_0_.x;
                packed_char4 reinterpreted_packed_char4_e306 = as_type<packed_char4>(w01_0_);
                packed_char4 reinterpreted_packed_char4_e334 = as_type<packed_char4>(_e334);
                s0_ = as_type<int>(as_type<uint>(_e333) + as_type<uint>(( + reinterpreted_packed_char4_e306[0] * reinterpreted_packed_char4_e334[0] + reinterpreted_packed_char4_e306[1] * reinterpreted_packed_char4_e334[1] + reinterpreted_packed_char4_e306[2] * reinterpreted_packed_char4_e334[2] + reinterpreted_packed_char4_e306[3] * reinterpreted_packed_char4_e334[3])));
                int _e337 = s0_;
                uint _e338 = a01_0_.y;
                packed_char4 reinterpreted_packed_char4_e311 = as_type<packed_char4>(w01_1_);
                packed_char4 reinterpreted_packed_char4_e338 = as_type<packed_char4>(_e338);
                s0_ = as_type<int>(as_type<uint>(_e337) + as_type<uint>(( + reinterpreted_packed_char4_e311[0] * reinterpreted_packed_char4_e338[0] + reinterpreted_packed_char4_e311[1] * reinterpreted_packed_char4_e338[1] + reinterpreted_packed_char4_e311[2] * reinterpreted_packed_char4_e338[2] + reinterpreted_packed_char4_e311[3] * reinterpreted_packed_char4_e338[3])));
                int _e341 = s0_;
                uint _e342 = a01_0_.z;
                packed_char4 reinterpreted_packed_char4_e316 = as_type<packed_char4>(w01_2_);
                packed_char4 reinterpreted_packed_char4_e342 = as_type<packed_char4>(_e342);
                s0_ = as_type<int>(as_type<uint>(_e341) + as_type<uint>(( + reinterpreted_packed_char4_e316[0] * reinterpreted_packed_char4_e342[0] + reinterpreted_packed_char4_e316[1] * reinterpreted_packed_char4_e342[1] + reinterpreted_packed_char4_e316[2] * reinterpreted_packed_char4_e342[2] + reinterpreted_packed_char4_e316[3] * reinterpreted_packed_char4_e342[3])));
                int _e345 = s0_;
                uint _e346 = a01_0_.w;
                packed_char4 reinterpreted_packed_char4_e321 = as_type<packed_char4>(w01_3_);
                packed_char4 reinterpreted_packed_char4_e346 = as_type<packed_char4>(_e346);
                s0_ = as_type<int>(as_type<uint>(_e345) + as_type<uint>(( + reinterpreted_packed_char4_e321[0] * reinterpreted_packed_char4_e346[0] + reinterpreted_packed_char4_e321[1] * reinterpreted_packed_char4_e346[1] + reinterpreted_packed_char4_e321[2] * reinterpreted_packed_char4_e346[2] + reinterpreted_packed_char4_e321[3] * reinterpreted_packed_char4_e346[3])));
                metal::uint4 a01_1_ = turn_acts.inner[(((16u + r_2) * 16u) + 0u) + 1u];
                int _e360 = s1_;
                uint _e361 = a01_1_.x;
                packed_char4 reinterpreted_packed_char4_e306 = as_type<packed_char4>(w01_0_);
                packed_char4 reinterpreted_packed_char4_e361 = as_type<packed_char4>(_e361);
                s1_ = as_type<int>(as_type<uint>(_e360) + as_type<uint>(( + reinterpreted_packed_char4_e306[0] * reinterpreted_packed_char4_e361[0] + reinterpreted_packed_char4_e306[1] * reinterpreted_packed_char4_e361[1] + reinterpreted_packed_char4_e306[2] * reinterpreted_packed_char4_e361[2] + reinterpreted_packed_char4_e306[3] * reinterpreted_packed_char4_e361[3])));
                int _e364 = s1_;
                uint _e365 = a01_1_.y;
                packed_char4 reinterpreted_packed_char4_e311 = as_type<packed_char4>(w01_1_);
                packed_char4 reinterpreted_packed_char4_e365 = as_type<packed_char4>(_e365);
                s1_ = as_type<int>(as_type<uint>(_e364) + as_type<uint>(( + reinterpreted_packed_char4_e311[0] * reinterpreted_packed_char4_e365[0] + reinterpreted_packed_char4_e311[1] * reinterpreted_packed_char4_e365[1] + reinterpreted_packed_char4_e311[2] * reinterpreted_packed_char4_e365[2] + reinterpreted_packed_char4_e311[3] * reinterpreted_packed_char4_e365[3])));
                int _e368 = s1_;
                uint _e369 = a01_1_.z;
                packed_char4 reinterpreted_packed_char4_e316 = as_type<packed_char4>(w01_2_);
                packed_char4 reinterpreted_packed_char4_e369 = as_type<packed_char4>(_e369);
                s1_ = as_type<int>(as_type<uint>(_e368) + as_type<uint>(( + reinterpreted_packed_char4_e316[0] * reinterpreted_packed_char4_e369[0] + reinterpreted_packed_char4_e316[1] * reinterpreted_packed_char4_e369[1] + reinterpreted_packed_char4_e316[2] * reinterpreted_packed_char4_e369[2] + reinterpreted_packed_char4_e316[3] * reinterpreted_packed_char4_e369[3])));
                int _e372 = s1_;
                uint _e373 = a01_1_.w;
                packed_char4 reinterpreted_packed_char4_e321 = as_type<packed_char4>(w01_3_);
                packed_char4 reinterpreted_packed_char4_e373 = as_type<packed_char4>(_e373);
                s1_ = as_type<int>(as_type<uint>(_e372) + as_type<uint>(( + reinterpreted_packed_char4_e321[0] * reinterpreted_packed_char4_e373[0] + reinterpreted_packed_char4_e321[1] * reinterpreted_packed_char4_e373[1] + reinterpreted_packed_char4_e321[2] * reinterpreted_packed_char4_e373[2] + reinterpreted_packed_char4_e321[3] * reinterpreted_packed_char4_e373[3])));
                uint w02_0_ = w0_.z & 50529027u;
                uint w02_1_ = (w0_.z >> 2u) & 50529027u;
                uint w02_2_ = (w0_.z >> 4u) & 50529027u;
                uint w02_3_ = (w0_.z >> 6u) & 50529027u;
                metal::uint4 a02_0_ = turn_acts.inner[(((0u + r_2) * 16u) + 0u) + 2u];
                int _e405 = s0_;
                uint _e406 = a02_0_.x;
                packed_char4 reinterpreted_packed_char4_e378 = as_type<packed_char4>(w02_0_);
                packed_char4 reinterpreted_packed_char4_e406 = as_type<packed_char4>(_e406);
                s0_ = as_type<int>(as_type<uint>(_e405) + as_type<uint>(( + reinterpreted_packed_char4_e378[0] * reinterpreted_packed_char4_e406[0] + reinterpreted_packed_char4_e378[1] * reinterpreted_packed_char4_e406[1] + reinterpreted_packed_char4_e378[2] * reinterpreted_packed_char4_e406[2] + reinterpreted_packed_char4_e378[3] * reinterpreted_packed_char4_e406[3])));
                int _e409 = s0_;
                uint _e410 = a02_0_.y;
                packed_char4 reinterpreted_packed_char4_e383 = as_type<packed_char4>(w02_1_);
                packed_char4 reinterpreted_packed_char4_e410 = as_type<packed_char4>(_e410);
                s0_ = as_type<int>(as_type<uint>(_e409) + as_type<uint>(( + reinterpreted_packed_char4_e383[0] * reinterpreted_packed_char4_e410[0] + reinterpreted_packed_char4_e383[1] * reinterpreted_packed_char4_e410[1] + reinterpreted_packed_char4_e383[2] * reinterpreted_packed_char4_e410[2] + reinterpreted_packed_char4_e383[3] * reinterpreted_packed_char4_e410[3])));
                int _e413 = s0_;
                uint _e414 = a02_0_.z;
                packed_char4 reinterpreted_packed_char4_e388 = as_type<packed_char4>(w02_2_);
                packed_char4 reinterpreted_packed_char4_e414 = as_type<packed_char4>(_e414);
                s0_ = as_type<int>(as_type<uint>(_e413) + as_type<uint>(( + reinterpreted_packed_char4_e388[0] * reinterpreted_packed_char4_e414[0] + reinterpreted_packed_char4_e388[1] * reinterpreted_packed_char4_e414[1] + reinterpreted_packed_char4_e388[2] * reinterpreted_packed_char4_e414[2] + reinterpreted_packed_char4_e388[3] * reinterpreted_packed_char4_e414[3])));
                int _e417 = s0_;
                uint _e418 = a02_0_.w;
                packed_char4 reinterpreted_packed_char4_e393 = as_type<packed_char4>(w02_3_);
                packed_char4 reinterpreted_packed_char4_e418 = as_type<packed_char4>(_e418);
                s0_ = as_type<int>(as_type<uint>(_e417) + as_type<uint>(( + reinterpreted_packed_char4_e393[0] * reinterpreted_packed_char4_e418[0] + reinterpreted_packed_char4_e393[1] * reinterpreted_packed_char4_e418[1] + reinterpreted_packed_char4_e393[2] * reinterpreted_packed_char4_e418[2] + reinterpreted_packed_char4_e393[3] * reinterpreted_packed_char4_e418[3])));
                metal::uint4 a02_1_ = turn_acts.inner[(((16u + r_2) * 16u) + 0u) + 2u];
                int _e432 = s1_;
                uint _e433 = a02_1_.x;
                packed_char4 reinterpreted_packed_char4_e378 = as_type<packed_char4>(w02_0_);
                packed_char4 reinterpreted_packed_char4_e433 = as_type<packed_char4>(_e433);
                s1_ = as_type<int>(as_type<uint>(_e432) + as_type<uint>(( + reinterpreted_packed_char4_e378[0] * reinterpreted_packed_char4_e433[0] + reinterpreted_packed_char4_e378[1] * reinterpreted_packed_char4_e433[1] + reinterpreted_packed_char4_e378[2] * reinterpreted_packed_char4_e433[2] + reinterpreted_packed_char4_e378[3] * reinterpreted_packed_char4_e433[3])));
                int _e436 = s1_;
                uint _e437 = a02_1_.y;
                packed_char4 reinterpreted_packed_char4_e383 = as_type<packed_char4>(w02_1_);
                packed_char4 reinterpreted_packed_char4_e437 = as_type<packed_char4>(_e437);
                s1_ = as_type<int>(as_type<uint>(_e436) + as_type<uint>(( + reinterpreted_packed_char4_e383[0] * reinterpreted_packed_char4_e437[0] + reinterpreted_packed_char4_e383[1] * reinterpreted_packed_char4_e437[1] + reinterpreted_packed_char4_e383[2] * reinterpreted_packed_char4_e437[2] + reinterpreted_packed_char4_e383[3] * reinterpreted_packed_char4_e437[3])));
                int _e440 = s1_;
                uint _e441 = a02_1_.z;
                packed_char4 reinterpreted_packed_char4_e388 = as_type<packed_char4>(w02_2_);
                packed_char4 reinterpreted_packed_char4_e441 = as_type<packed_char4>(_e441);
                s1_ = as_type<int>(as_type<uint>(_e440) + as_type<uint>(( + reinterpreted_packed_char4_e388[0] * reinterpreted_packed_char4_e441[0] + reinterpreted_packed_char4_e388[1] * reinterpreted_packed_char4_e441[1] + reinterpreted_packed_char4_e388[2] * reinterpreted_packed_char4_e441[2] + reinterpreted_packed_char4_e388[3] * reinterpreted_packed_char4_e441[3])));
                int _e444 = s1_;
                uint _e445 = a02_1_.w;
                packed_char4 reinterpreted_packed_char4_e393 = as_type<packed_char4>(w02_3_);
                packed_char4 reinterpreted_packed_char4_e445 = as_type<packed_char4>(_e445);
                s1_ = as_type<int>(as_type<uint>(_e444) + as_type<uint>(( + reinterpreted_packed_char4_e393[0] * reinterpreted_packed_char4_e445[0] + reinterpreted_packed_char4_e393[1] * reinterpreted_packed_char4_e445[1] + reinterpreted_packed_char4_e393[2] * reinterpreted_packed_char4_e445[2] + reinterpreted_packed_char4_e393[3] * reinterpreted_packed_char4_e445[3])));
                uint w03_0_ = w0_.w & 50529027u;
                uint w03_1_ = (w0_.w >> 2u) & 50529027u;
                uint w03_2_ = (w0_.w >> 4u) & 50529027u;
                uint w03_3_ = (w0_.w >> 6u) & 50529027u;
                metal::uint4 a03_0_ = turn_acts.inner[(((0u + r_2) * 16u) + 0u) + 3u];
                int _e477 = s0_;
                uint _e478 = a03_0_.x;
                packed_char4 reinterpreted_packed_char4_e450 = as_type<packed_char4>(w03_0_);
                packed_char4 reinterpreted_packed_char4_e478 = as_type<packed_char4>(_e478);
                s0_ = as_type<int>(as_type<uint>(_e477) + as_type<uint>(( + reinterpreted_packed_char4_e450[0] * reinterpreted_packed_char4_e478[0] + reinterpreted_packed_char4_e450[1] * reinterpreted_packed_char4_e478[1] + reinterpreted_packed_char4_e450[2] * reinterpreted_packed_char4_e478[2] + reinterpreted_packed_char4_e450[3] * reinterpreted_packed_char4_e478[3])));
                int _e481 = s0_;
                uint _e482 = a03_0_.y;
                packed_char4 reinterpreted_packed_char4_e455 = as_type<packed_char4>(w03_1_);
                packed_char4 reinterpreted_packed_char4_e482 = as_type<packed_char4>(_e482);
                s0_ = as_type<int>(as_type<uint>(_e481) + as_type<uint>(( + reinterpreted_packed_char4_e455[0] * reinterpreted_packed_char4_e482[0] + reinterpreted_packed_char4_e455[1] * reinterpreted_packed_char4_e482[1] + reinterpreted_packed_char4_e455[2] * reinterpreted_packed_char4_e482[2] + reinterpreted_packed_char4_e455[3] * reinterpreted_packed_char4_e482[3])));
                int _e485 = s0_;
                uint _e486 = a03_0_.z;
                packed_char4 reinterpreted_packed_char4_e460 = as_type<packed_char4>(w03_2_);
                packed_char4 reinterpreted_packed_char4_e486 = as_type<packed_char4>(_e486);
                s0_ = as_type<int>(as_type<uint>(_e485) + as_type<uint>(( + reinterpreted_packed_char4_e460[0] * reinterpreted_packed_char4_e486[0] + reinterpreted_packed_char4_e460[1] * reinterpreted_packed_char4_e486[1] + reinterpreted_packed_char4_e460[2] * reinterpreted_packed_char4_e486[2] + reinterpreted_packed_char4_e460[3] * reinterpreted_packed_char4_e486[3])));
                int _e489 = s0_;
                uint _e490 = a03_0_.w;
                packed_char4 reinterpreted_packed_char4_e465 = as_type<packed_char4>(w03_3_);
                packed_char4 reinterpreted_packed_char4_e490 = as_type<packed_char4>(_e490);
                s0_ = as_type<int>(as_type<uint>(_e489) + as_type<uint>(( + reinterpreted_packed_char4_e465[0] * reinterpreted_packed_char4_e490[0] + reinterpreted_packed_char4_e465[1] * reinterpreted_packed_char4_e490[1] + reinterpreted_packed_char4_e465[2] * reinterpreted_packed_char4_e490[2] + reinterpreted_packed_char4_e465[3] * reinterpreted_packed_char4_e490[3])));
                metal::uint4 a03_1_ = turn_acts.inner[(((16u + r_2) * 16u) + 0u) + 3u];
                int _e504 = s1_;
                uint _e505 = a03_1_.x;
                packed_char4 reinterpreted_packed_char4_e450 = as_type<packed_char4>(w03_0_);
                packed_char4 reinterpreted_packed_char4_e505 = as_type<packed_char4>(_e505);
                s1_ = as_type<int>(as_type<uint>(_e504) + as_type<uint>(( + reinterpreted_packed_char4_e450[0] * reinterpreted_packed_char4_e505[0] + reinterpreted_packed_char4_e450[1] * reinterpreted_packed_char4_e505[1] + reinterpreted_packed_char4_e450[2] * reinterpreted_packed_char4_e505[2] + reinterpreted_packed_char4_e450[3] * reinterpreted_packed_char4_e505[3])));
                int _e508 = s1_;
                uint _e509 = a03_1_.y;
                packed_char4 reinterpreted_packed_char4_e455 = as_type<packed_char4>(w03_1_);
                packed_char4 reinterpreted_packed_char4_e509 = as_type<packed_char4>(_e509);
                s1_ = as_type<int>(as_type<uint>(_e508) + as_type<uint>(( + reinterpreted_packed_char4_e455[0] * reinterpreted_packed_char4_e509[0] + reinterpreted_packed_char4_e455[1] * reinterpreted_packed_char4_e509[1] + reinterpreted_packed_char4_e455[2] * reinterpreted_packed_char4_e509[2] + reinterpreted_packed_char4_e455[3] * reinterpreted_packed_char4_e509[3])));
                int _e512 = s1_;
                uint _e513 = a03_1_.z;
                packed_char4 reinterpreted_packed_char4_e460 = as_type<packed_char4>(w03_2_);
                packed_char4 reinterpreted_packed_char4_e513 = as_type<packed_char4>(_e513);
                s1_ = as_type<int>(as_type<uint>(_e512) + as_type<uint>(( + reinterpreted_packed_char4_e460[0] * reinterpreted_packed_char4_e513[0] + reinterpreted_packed_char4_e460[1] * reinterpreted_packed_char4_e513[1] + reinterpreted_packed_char4_e460[2] * reinterpreted_packed_char4_e513[2] + reinterpreted_packed_char4_e460[3] * reinterpreted_packed_char4_e513[3])));
                int _e516 = s1_;
                uint _e517 = a03_1_.w;
                packed_char4 reinterpreted_packed_char4_e465 = as_type<packed_char4>(w03_3_);
                packed_char4 reinterpreted_packed_char4_e517 = as_type<packed_char4>(_e517);
                s1_ = as_type<int>(as_type<uint>(_e516) + as_type<uint>(( + reinterpreted_packed_char4_e465[0] * reinterpreted_packed_char4_e517[0] + reinterpreted_packed_char4_e465[1] * reinterpreted_packed_char4_e517[1] + reinterpreted_packed_char4_e465[2] * reinterpreted_packed_char4_e517[2] + reinterpreted_packed_char4_e465[3] * reinterpreted_packed_char4_e517[3])));
                uint w10_0_ = w1_.x & 50529027u;
                uint w10_1_ = (w1_.x >> 2u) & 50529027u;
                uint w10_2_ = (w1_.x >> 4u) & 50529027u;
                uint w10_3_ = (w1_.x >> 6u) & 50529027u;
                metal::uint4 a10_0_ = turn_acts.inner[(((0u + r_2) * 16u) + 4u) + 0u];
                int _e549 = s0_;
                uint _e550 = a10_0_.x;
                packed_char4 reinterpreted_packed_char4_e522 = as_type<packed_char4>(w10_0_);
                packed_char4 reinterpreted_packed_char4_e550 = as_type<packed_char4>(_e550);
                s0_ = as_type<int>(as_type<uint>(_e549) + as_type<uint>(( + reinterpreted_packed_char4_e522[0] * reinterpreted_packed_char4_e550[0] + reinterpreted_packed_char4_e522[1] * reinterpreted_packed_char4_e550[1] + reinterpreted_packed_char4_e522[2] * reinterpreted_packed_char4_e550[2] + reinterpreted_packed_char4_e522[3] * reinterpreted_packed_char4_e550[3])));
                int _e553 = s0_;
                uint _e554 = a10_0_.y;
                packed_char4 reinterpreted_packed_char4_e527 = as_type<packed_char4>(w10_1_);
                packed_char4 reinterpreted_packed_char4_e554 = as_type<packed_char4>(_e554);
                s0_ = as_type<int>(as_type<uint>(_e553) + as_type<uint>(( + reinterpreted_packed_char4_e527[0] * reinterpreted_packed_char4_e554[0] + reinterpreted_packed_char4_e527[1] * reinterpreted_packed_char4_e554[1] + reinterpreted_packed_char4_e527[2] * reinterpreted_packed_char4_e554[2] + reinterpreted_packed_char4_e527[3] * reinterpreted_packed_char4_e554[3])));
                int _e557 = s0_;
                uint _e558 = a10_0_.z;
                packed_char4 reinterpreted_packed_char4_e532 = as_type<packed_char4>(w10_2_);
                packed_char4 reinterpreted_packed_char4_e558 = as_type<packed_char4>(_e558);
                s0_ = as_type<int>(as_type<uint>(_e557) + as_type<uint>(( + reinterpreted_packed_char4_e532[0] * reinterpreted_packed_char4_e558[0] + reinterpreted_packed_char4_e532[1] * reinterpreted_packed_char4_e558[1] + reinterpreted_packed_char4_e532[2] * reinterpreted_packed_char4_e558[2] + reinterpreted_packed_char4_e532[3] * reinterpreted_packed_char4_e558[3])));
                int _e561 = s0_;
                uint _e562 = a10_0_.w;
                packed_char4 reinterpreted_packed_char4_e537 = as_type<packed_char4>(w10_3_);
                packed_char4 reinterpreted_packed_char4_e562 = as_type<packed_char4>(_e562);
                s0_ = as_type<int>(as_type<uint>(_e561) + as_type<uint>(( + reinterpreted_packed_char4_e537[0] * reinterpreted_packed_char4_e562[0] + reinterpreted_packed_char4_e537[1] * reinterpreted_packed_char4_e562[1] + reinterpreted_packed_char4_e537[2] * reinterpreted_packed_char4_e562[2] + reinterpreted_packed_char4_e537[3] * reinterpreted_packed_char4_e562[3])));
                metal::uint4 a10_1_ = turn_acts.inner[(((16u + r_2) * 16u) + 4u) + 0u];
                int _e576 = s1_;
                uint _e577 = a10_1_.x;
                packed_char4 reinterpreted_packed_char4_e522 = as_type<packed_char4>(w10_0_);
                packed_char4 reinterpreted_packed_char4_e577 = as_type<packed_char4>(_e577);
                s1_ = as_type<int>(as_type<uint>(_e576) + as_type<uint>(( + reinterpreted_packed_char4_e522[0] * reinterpreted_packed_char4_e577[0] + reinterpreted_packed_char4_e522[1] * reinterpreted_packed_char4_e577[1] + reinterpreted_packed_char4_e522[2] * reinterpreted_packed_char4_e577[2] + reinterpreted_packed_char4_e522[3] * reinterpreted_packed_char4_e577[3])));
                int _e580 = s1_;
                uint _e581 = a10_1_.y;
                packed_char4 reinterpreted_packed_char4_e527 = as_type<packed_char4>(w10_1_);
                packed_char4 reinterpreted_packed_char4_e581 = as_type<packed_char4>(_e581);
                s1_ = as_type<int>(as_type<uint>(_e580) + as_type<uint>(( + reinterpreted_packed_char4_e527[0] * reinterpreted_packed_char4_e581[0] + reinterpreted_packed_char4_e527[1] * reinterpreted_packed_char4_e581[1] + reinterpreted_packed_char4_e527[2] * reinterpreted_packed_char4_e581[2] + reinterpreted_packed_char4_e527[3] * reinterpreted_packed_char4_e581[3])));
                int _e584 = s1_;
                uint _e585 = a10_1_.z;
                packed_char4 reinterpreted_packed_char4_e532 = as_type<packed_char4>(w10_2_);
                packed_char4 reinterpreted_packed_char4_e585 = as_type<packed_char4>(_e585);
                s1_ = as_type<int>(as_type<uint>(_e584) + as_type<uint>(( + reinterpreted_packed_char4_e532[0] * reinterpreted_packed_char4_e585[0] + reinterpreted_packed_char4_e532[1] * reinterpreted_packed_char4_e585[1] + reinterpreted_packed_char4_e532[2] * reinterpreted_packed_char4_e585[2] + reinterpreted_packed_char4_e532[3] * reinterpreted_packed_char4_e585[3])));
                int _e588 = s1_;
                uint _e589 = a10_1_.w;
                packed_char4 reinterpreted_packed_char4_e537 = as_type<packed_char4>(w10_3_);
                packed_char4 reinterpreted_packed_char4_e589 = as_type<packed_char4>(_e589);
                s1_ = as_type<int>(as_type<uint>(_e588) + as_type<uint>(( + reinterpreted_packed_char4_e537[0] * reinterpreted_packed_char4_e589[0] + reinterpreted_packed_char4_e537[1] * reinterpreted_packed_char4_e589[1] + reinterpreted_packed_char4_e537[2] * reinterpreted_packed_char4_e589[2] + reinterpreted_packed_char4_e537[3] * reinterpreted_packed_char4_e589[3])));
                uint w11_0_ = w1_.y & 50529027u;
                uint w11_1_ = (w1_.y >> 2u) & 50529027u;
                uint w11_2_ = (w1_.y >> 4u) & 50529027u;
                uint w11_3_ = (w1_.y >> 6u) & 50529027u;
                metal::uint4 a11_0_ = turn_acts.inner[(((0u + r_2) * 16u) + 4u) + 1u];
                int _e621 = s0_;
                uint _e622 = a11_0_.x;
                packed_char4 reinterpreted_packed_char4_e594 = as_type<packed_char4>(w11_0_);
                packed_char4 reinterpreted_packed_char4_e622 = as_type<packed_char4>(_e622);
                s0_ = as_type<int>(as_type<uint>(_e621) + as_type<uint>(( + reinterpreted_packed_char4_e594[0] * reinterpreted_packed_char4_e622[0] + reinterpreted_packed_char4_e594[1] * reinterpreted_packed_char4_e622[1] + reinterpreted_packed_char4_e594[2] * reinterpreted_packed_char4_e622[2] + reinterpreted_packed_char4_e594[3] * reinterpreted_packed_char4_e622[3])));
                int _e625 = s0_;
                uint _e626 = a11_0_.y;
                packed_char4 reinterpreted_packed_char4_e599 = as_type<packed_char4>(w11_1_);
                packed_char4 reinterpreted_packed_char4_e626 = as_type<packed_char4>(_e626);
                s0_ = as_type<int>(as_type<uint>(_e625) + as_type<uint>(( + reinterpreted_packed_char4_e599[0] * reinterpreted_packed_char4_e626[0] + reinterpreted_packed_char4_e599[1] * reinterpreted_packed_char4_e626[1] + reinterpreted_packed_char4_e599[2] * reinterpreted_packed_char4_e626[2] + reinterpreted_packed_char4_e599[3] * reinterpreted_packed_char4_e626[3])));
                int _e629 = s0_;
                uint _e630 = a11_0_.z;
                packed_char4 reinterpreted_packed_char4_e604 = as_type<packed_char4>(w11_2_);
                packed_char4 reinterpreted_packed_char4_e630 = as_type<packed_char4>(_e630);
                s0_ = as_type<int>(as_type<uint>(_e629) + as_type<uint>(( + reinterpreted_packed_char4_e604[0] * reinterpreted_packed_char4_e630[0] + reinterpreted_packed_char4_e604[1] * reinterpreted_packed_char4_e630[1] + reinterpreted_packed_char4_e604[2] * reinterpreted_packed_char4_e630[2] + reinterpreted_packed_char4_e604[3] * reinterpreted_packed_char4_e630[3])));
                int _e633 = s0_;
                uint _e634 = a11_0_.w;
                packed_char4 reinterpreted_packed_char4_e609 = as_type<packed_char4>(w11_3_);
                packed_char4 reinterpreted_packed_char4_e634 = as_type<packed_char4>(_e634);
                s0_ = as_type<int>(as_type<uint>(_e633) + as_type<uint>(( + reinterpreted_packed_char4_e609[0] * reinterpreted_packed_char4_e634[0] + reinterpreted_packed_char4_e609[1] * reinterpreted_packed_char4_e634[1] + reinterpreted_packed_char4_e609[2] * reinterpreted_packed_char4_e634[2] + reinterpreted_packed_char4_e609[3] * reinterpreted_packed_char4_e634[3])));
                metal::uint4 a11_1_ = turn_acts.inner[(((16u + r_2) * 16u) + 4u) + 1u];
                int _e648 = s1_;
                uint _e649 = a11_1_.x;
                packed_char4 reinterpreted_packed_char4_e594 = as_type<packed_char4>(w11_0_);
                packed_char4 reinterpreted_packed_char4_e649 = as_type<packed_char4>(_e649);
                s1_ = as_type<int>(as_type<uint>(_e648) + as_type<uint>(( + reinterpreted_packed_char4_e594[0] * reinterpreted_packed_char4_e649[0] + reinterpreted_packed_char4_e594[1] * reinterpreted_packed_char4_e649[1] + reinterpreted_packed_char4_e594[2] * reinterpreted_packed_char4_e649[2] + reinterpreted_packed_char4_e594[3] * reinterpreted_packed_char4_e649[3])));
                int _e652 = s1_;
                uint _e653 = a11_1_.y;
                packed_char4 reinterpreted_packed_char4_e599 = as_type<packed_char4>(w11_1_);
                packed_char4 reinterpreted_packed_char4_e653 = as_type<packed_char4>(_e653);
                s1_ = as_type<int>(as_type<uint>(_e652) + as_type<uint>(( + reinterpreted_packed_char4_e599[0] * reinterpreted_packed_char4_e653[0] + reinterpreted_packed_char4_e599[1] * reinterpreted_packed_char4_e653[1] + reinterpreted_packed_char4_e599[2] * reinterpreted_packed_char4_e653[2] + reinterpreted_packed_char4_e599[3] * reinterpreted_packed_char4_e653[3])));
                int _e656 = s1_;
                uint _e657 = a11_1_.z;
                packed_char4 reinterpreted_packed_char4_e604 = as_type<packed_char4>(w11_2_);
                packed_char4 reinterpreted_packed_char4_e657 = as_type<packed_char4>(_e657);
                s1_ = as_type<int>(as_type<uint>(_e656) + as_type<uint>(( + reinterpreted_packed_char4_e604[0] * reinterpreted_packed_char4_e657[0] + reinterpreted_packed_char4_e604[1] * reinterpreted_packed_char4_e657[1] + reinterpreted_packed_char4_e604[2] * reinterpreted_packed_char4_e657[2] + reinterpreted_packed_char4_e604[3] * reinterpreted_packed_char4_e657[3])));
                int _e660 = s1_;
                uint _e661 = a11_1_.w;
                packed_char4 reinterpreted_packed_char4_e609 = as_type<packed_char4>(w11_3_);
                packed_char4 reinterpreted_packed_char4_e661 = as_type<packed_char4>(_e661);
                s1_ = as_type<int>(as_type<uint>(_e660) + as_type<uint>(( + reinterpreted_packed_char4_e609[0] * reinterpreted_packed_char4_e661[0] + reinterpreted_packed_char4_e609[1] * reinterpreted_packed_char4_e661[1] + reinterpreted_packed_char4_e609[2] * reinterpreted_packed_char4_e661[2] + reinterpreted_packed_char4_e609[3] * reinterpreted_packed_char4_e661[3])));
                uint w12_0_ = w1_.z & 50529027u;
                uint w12_1_ = (w1_.z >> 2u) & 50529027u;
                uint w12_2_ = (w1_.z >> 4u) & 50529027u;
                uint w12_3_ = (w1_.z >> 6u) & 50529027u;
                metal::uint4 a12_0_ = turn_acts.inner[(((0u + r_2) * 16u) + 4u) + 2u];
                int _e693 = s0_;
                uint _e694 = a12_0_.x;
                packed_char4 reinterpreted_packed_char4_e666 = as_type<packed_char4>(w12_0_);
                packed_char4 reinterpreted_packed_char4_e694 = as_type<packed_char4>(_e694);
                s0_ = as_type<int>(as_type<uint>(_e693) + as_type<uint>(( + reinterpreted_packed_char4_e666[0] * reinterpreted_packed_char4_e694[0] + reinterpreted_packed_char4_e666[1] * reinterpreted_packed_char4_e694[1] + reinterpreted_packed_char4_e666[2] * reinterpreted_packed_char4_e694[2] + reinterpreted_packed_char4_e666[3] * reinterpreted_packed_char4_e694[3])));
                int _e697 = s0_;
                uint _e698 = a12_0_.y;
                packed_char4 reinterpreted_packed_char4_e671 = as_type<packed_char4>(w12_1_);
                packed_char4 reinterpreted_packed_char4_e698 = as_type<packed_char4>(_e698);
                s0_ = as_type<int>(as_type<uint>(_e697) + as_type<uint>(( + reinterpreted_packed_char4_e671[0] * reinterpreted_packed_char4_e698[0] + reinterpreted_packed_char4_e671[1] * reinterpreted_packed_char4_e698[1] + reinterpreted_packed_char4_e671[2] * reinterpreted_packed_char4_e698[2] + reinterpreted_packed_char4_e671[3] * reinterpreted_packed_char4_e698[3])));
                int _e701 = s0_;
                uint _e702 = a12_0_.z;
                packed_char4 reinterpreted_packed_char4_e676 = as_type<packed_char4>(w12_2_);
                packed_char4 reinterpreted_packed_char4_e702 = as_type<packed_char4>(_e702);
                s0_ = as_type<int>(as_type<uint>(_e701) + as_type<uint>(( + reinterpreted_packed_char4_e676[0] * reinterpreted_packed_char4_e702[0] + reinterpreted_packed_char4_e676[1] * reinterpreted_packed_char4_e702[1] + reinterpreted_packed_char4_e676[2] * reinterpreted_packed_char4_e702[2] + reinterpreted_packed_char4_e676[3] * reinterpreted_packed_char4_e702[3])));
                int _e705 = s0_;
                uint _e706 = a12_0_.w;
                packed_char4 reinterpreted_packed_char4_e681 = as_type<packed_char4>(w12_3_);
                packed_char4 reinterpreted_packed_char4_e706 = as_type<packed_char4>(_e706);
                s0_ = as_type<int>(as_type<uint>(_e705) + as_type<uint>(( + reinterpreted_packed_char4_e681[0] * reinterpreted_packed_char4_e706[0] + reinterpreted_packed_char4_e681[1] * reinterpreted_packed_char4_e706[1] + reinterpreted_packed_char4_e681[2] * reinterpreted_packed_char4_e706[2] + reinterpreted_packed_char4_e681[3] * reinterpreted_packed_char4_e706[3])));
                metal::uint4 a12_1_ = turn_acts.inner[(((16u + r_2) * 16u) + 4u) + 2u];
                int _e720 = s1_;
                uint _e721 = a12_1_.x;
                packed_char4 reinterpreted_packed_char4_e666 = as_type<packed_char4>(w12_0_);
                packed_char4 reinterpreted_packed_char4_e721 = as_type<packed_char4>(_e721);
                s1_ = as_type<int>(as_type<uint>(_e720) + as_type<uint>(( + reinterpreted_packed_char4_e666[0] * reinterpreted_packed_char4_e721[0] + reinterpreted_packed_char4_e666[1] * reinterpreted_packed_char4_e721[1] + reinterpreted_packed_char4_e666[2] * reinterpreted_packed_char4_e721[2] + reinterpreted_packed_char4_e666[3] * reinterpreted_packed_char4_e721[3])));
                int _e724 = s1_;
                uint _e725 = a12_1_.y;
                packed_char4 reinterpreted_packed_char4_e671 = as_type<packed_char4>(w12_1_);
                packed_char4 reinterpreted_packed_char4_e725 = as_type<packed_char4>(_e725);
                s1_ = as_type<int>(as_type<uint>(_e724) + as_type<uint>(( + reinterpreted_packed_char4_e671[0] * reinterpreted_packed_char4_e725[0] + reinterpreted_packed_char4_e671[1] * reinterpreted_packed_char4_e725[1] + reinterpreted_packed_char4_e671[2] * reinterpreted_packed_char4_e725[2] + reinterpreted_packed_char4_e671[3] * reinterpreted_packed_char4_e725[3])));
                int _e728 = s1_;
                uint _e729 = a12_1_.z;
                packed_char4 reinterpreted_packed_char4_e676 = as_type<packed_char4>(w12_2_);
                packed_char4 reinterpreted_packed_char4_e729 = as_type<packed_char4>(_e729);
                s1_ = as_type<int>(as_type<uint>(_e728) + as_type<uint>(( + reinterpreted_packed_char4_e676[0] * reinterpreted_packed_char4_e729[0] + reinterpreted_packed_char4_e676[1] * reinterpreted_packed_char4_e729[1] + reinterpreted_packed_char4_e676[2] * reinterpreted_packed_char4_e729[2] + reinterpreted_packed_char4_e676[3] * reinterpreted_packed_char4_e729[3])));
                int _e732 = s1_;
                uint _e733 = a12_1_.w;
                packed_char4 reinterpreted_packed_char4_e681 = as_type<packed_char4>(w12_3_);
                packed_char4 reinterpreted_packed_char4_e733 = as_type<packed_char4>(_e733);
                s1_ = as_type<int>(as_type<uint>(_e732) + as_type<uint>(( + reinterpreted_packed_char4_e681[0] * reinterpreted_packed_char4_e733[0] + reinterpreted_packed_char4_e681[1] * reinterpreted_packed_char4_e733[1] + reinterpreted_packed_char4_e681[2] * reinterpreted_packed_char4_e733[2] + reinterpreted_packed_char4_e681[3] * reinterpreted_packed_char4_e733[3])));
                uint w13_0_ = w1_.w & 50529027u;
                uint w13_1_ = (w1_.w >> 2u) & 50529027u;
                uint w13_2_ = (w1_.w >> 4u) & 50529027u;
                uint w13_3_ = (w1_.w >> 6u) & 50529027u;
                metal::uint4 a13_0_ = turn_acts.inner[(((0u + r_2) * 16u) + 4u) + 3u];
                int _e765 = s0_;
                uint _e766 = a13_0_.x;
                packed_char4 reinterpreted_packed_char4_e738 = as_type<packed_char4>(w13_0_);
                packed_char4 reinterpreted_packed_char4_e766 = as_type<packed_char4>(_e766);
                s0_ = as_type<int>(as_type<uint>(_e765) + as_type<uint>(( + reinterpreted_packed_char4_e738[0] * reinterpreted_packed_char4_e766[0] + reinterpreted_packed_char4_e738[1] * reinterpreted_packed_char4_e766[1] + reinterpreted_packed_char4_e738[2] * reinterpreted_packed_char4_e766[2] + reinterpreted_packed_char4_e738[3] * reinterpreted_packed_char4_e766[3])));
                int _e769 = s0_;
                uint _e770 = a13_0_.y;
                packed_char4 reinterpreted_packed_char4_e743 = as_type<packed_char4>(w13_1_);
                packed_char4 reinterpreted_packed_char4_e770 = as_type<packed_char4>(_e770);
                s0_ = as_type<int>(as_type<uint>(_e769) + as_type<uint>(( + reinterpreted_packed_char4_e743[0] * reinterpreted_packed_char4_e770[0] + reinterpreted_packed_char4_e743[1] * reinterpreted_packed_char4_e770[1] + reinterpreted_packed_char4_e743[2] * reinterpreted_packed_char4_e770[2] + reinterpreted_packed_char4_e743[3] * reinterpreted_packed_char4_e770[3])));
                int _e773 = s0_;
                uint _e774 = a13_0_.z;
                packed_char4 reinterpreted_packed_char4_e748 = as_type<packed_char4>(w13_2_);
                packed_char4 reinterpreted_packed_char4_e774 = as_type<packed_char4>(_e774);
                s0_ = as_type<int>(as_type<uint>(_e773) + as_type<uint>(( + reinterpreted_packed_char4_e748[0] * reinterpreted_packed_char4_e774[0] + reinterpreted_packed_char4_e748[1] * reinterpreted_packed_char4_e774[1] + reinterpreted_packed_char4_e748[2] * reinterpreted_packed_char4_e774[2] + reinterpreted_packed_char4_e748[3] * reinterpreted_packed_char4_e774[3])));
                int _e777 = s0_;
                uint _e778 = a13_0_.w;
                packed_char4 reinterpreted_packed_char4_e753 = as_type<packed_char4>(w13_3_);
                packed_char4 reinterpreted_packed_char4_e778 = as_type<packed_char4>(_e778);
                s0_ = as_type<int>(as_type<uint>(_e777) + as_type<uint>(( + reinterpreted_packed_char4_e753[0] * reinterpreted_packed_char4_e778[0] + reinterpreted_packed_char4_e753[1] * reinterpreted_packed_char4_e778[1] + reinterpreted_packed_char4_e753[2] * reinterpreted_packed_char4_e778[2] + reinterpreted_packed_char4_e753[3] * reinterpreted_packed_char4_e778[3])));
                metal::uint4 a13_1_ = turn_acts.inner[(((16u + r_2) * 16u) + 4u) + 3u];
                int _e792 = s1_;
                uint _e793 = a13_1_.x;
                packed_char4 reinterpreted_packed_char4_e738 = as_type<packed_char4>(w13_0_);
                packed_char4 reinterpreted_packed_char4_e793 = as_type<packed_char4>(_e793);
                s1_ = as_type<int>(as_type<uint>(_e792) + as_type<uint>(( + reinterpreted_packed_char4_e738[0] * reinterpreted_packed_char4_e793[0] + reinterpreted_packed_char4_e738[1] * reinterpreted_packed_char4_e793[1] + reinterpreted_packed_char4_e738[2] * reinterpreted_packed_char4_e793[2] + reinterpreted_packed_char4_e738[3] * reinterpreted_packed_char4_e793[3])));
                int _e796 = s1_;
                uint _e797 = a13_1_.y;
                packed_char4 reinterpreted_packed_char4_e743 = as_type<packed_char4>(w13_1_);
                packed_char4 reinterpreted_packed_char4_e797 = as_type<packed_char4>(_e797);
                s1_ = as_type<int>(as_type<uint>(_e796) + as_type<uint>(( + reinterpreted_packed_char4_e743[0] * reinterpreted_packed_char4_e797[0] + reinterpreted_packed_char4_e743[1] * reinterpreted_packed_char4_e797[1] + reinterpreted_packed_char4_e743[2] * reinterpreted_packed_char4_e797[2] + reinterpreted_packed_char4_e743[3] * reinterpreted_packed_char4_e797[3])));
                int _e800 = s1_;
                uint _e801 = a13_1_.z;
                packed_char4 reinterpreted_packed_char4_e748 = as_type<packed_char4>(w13_2_);
                packed_char4 reinterpreted_packed_char4_e801 = as_type<packed_char4>(_e801);
                s1_ = as_type<int>(as_type<uint>(_e800) + as_type<uint>(( + reinterpreted_packed_char4_e748[0] * reinterpreted_packed_char4_e801[0] + reinterpreted_packed_char4_e748[1] * reinterpreted_packed_char4_e801[1] + reinterpreted_packed_char4_e748[2] * reinterpreted_packed_char4_e801[2] + reinterpreted_packed_char4_e748[3] * reinterpreted_packed_char4_e801[3])));
                int _e804 = s1_;
                uint _e805 = a13_1_.w;
                packed_char4 reinterpreted_packed_char4_e753 = as_type<packed_char4>(w13_3_);
                packed_char4 reinterpreted_packed_char4_e805 = as_type<packed_char4>(_e805);
                s1_ = as_type<int>(as_type<uint>(_e804) + as_type<uint>(( + reinterpreted_packed_char4_e753[0] * reinterpreted_packed_char4_e805[0] + reinterpreted_packed_char4_e753[1] * reinterpreted_packed_char4_e805[1] + reinterpreted_packed_char4_e753[2] * reinterpreted_packed_char4_e805[2] + reinterpreted_packed_char4_e753[3] * reinterpreted_packed_char4_e805[3])));
                uint w20_0_ = w2_.x & 50529027u;
                uint w20_1_ = (w2_.x >> 2u) & 50529027u;
                uint w20_2_ = (w2_.x >> 4u) & 50529027u;
                uint w20_3_ = (w2_.x >> 6u) & 50529027u;
                metal::uint4 a20_0_ = turn_acts.inner[(((0u + r_2) * 16u) + 8u) + 0u];
                int _e837 = s0_;
                uint _e838 = a20_0_.x;
                packed_char4 reinterpreted_packed_char4_e810 = as_type<packed_char4>(w20_0_);
                packed_char4 reinterpreted_packed_char4_e838 = as_type<packed_char4>(_e838);
                s0_ = as_type<int>(as_type<uint>(_e837) + as_type<uint>(( + reinterpreted_packed_char4_e810[0] * reinterpreted_packed_char4_e838[0] + reinterpreted_packed_char4_e810[1] * reinterpreted_packed_char4_e838[1] + reinterpreted_packed_char4_e810[2] * reinterpreted_packed_char4_e838[2] + reinterpreted_packed_char4_e810[3] * reinterpreted_packed_char4_e838[3])));
                int _e841 = s0_;
                uint _e842 = a20_0_.y;
                packed_char4 reinterpreted_packed_char4_e815 = as_type<packed_char4>(w20_1_);
                packed_char4 reinterpreted_packed_char4_e842 = as_type<packed_char4>(_e842);
                s0_ = as_type<int>(as_type<uint>(_e841) + as_type<uint>(( + reinterpreted_packed_char4_e815[0] * reinterpreted_packed_char4_e842[0] + reinterpreted_packed_char4_e815[1] * reinterpreted_packed_char4_e842[1] + reinterpreted_packed_char4_e815[2] * reinterpreted_packed_char4_e842[2] + reinterpreted_packed_char4_e815[3] * reinterpreted_packed_char4_e842[3])));
                int _e845 = s0_;
                uint _e846 = a20_0_.z;
                packed_char4 reinterpreted_packed_char4_e820 = as_type<packed_char4>(w20_2_);
                packed_char4 reinterpreted_packed_char4_e846 = as_type<packed_char4>(_e846);
                s0_ = as_type<int>(as_type<uint>(_e845) + as_type<uint>(( + reinterpreted_packed_char4_e820[0] * reinterpreted_packed_char4_e846[0] + reinterpreted_packed_char4_e820[1] * reinterpreted_packed_char4_e846[1] + reinterpreted_packed_char4_e820[2] * reinterpreted_packed_char4_e846[2] + reinterpreted_packed_char4_e820[3] * reinterpreted_packed_char4_e846[3])));
                int _e849 = s0_;
                uint _e850 = a20_0_.w;
                packed_char4 reinterpreted_packed_char4_e825 = as_type<packed_char4>(w20_3_);
                packed_char4 reinterpreted_packed_char4_e850 = as_type<packed_char4>(_e850);
                s0_ = as_type<int>(as_type<uint>(_e849) + as_type<uint>(( + reinterpreted_packed_char4_e825[0] * reinterpreted_packed_char4_e850[0] + reinterpreted_packed_char4_e825[1] * reinterpreted_packed_char4_e850[1] + reinterpreted_packed_char4_e825[2] * reinterpreted_packed_char4_e850[2] + reinterpreted_packed_char4_e825[3] * reinterpreted_packed_char4_e850[3])));
                metal::uint4 a20_1_ = turn_acts.inner[(((16u + r_2) * 16u) + 8u) + 0u];
                int _e864 = s1_;
                uint _e865 = a20_1_.x;
                packed_char4 reinterpreted_packed_char4_e810 = as_type<packed_char4>(w20_0_);
                packed_char4 reinterpreted_packed_char4_e865 = as_type<packed_char4>(_e865);
                s1_ = as_type<int>(as_type<uint>(_e864) + as_type<uint>(( + reinterpreted_packed_char4_e810[0] * reinterpreted_packed_char4_e865[0] + reinterpreted_packed_char4_e810[1] * reinterpreted_packed_char4_e865[1] + reinterpreted_packed_char4_e810[2] * reinterpreted_packed_char4_e865[2] + reinterpreted_packed_char4_e810[3] * reinterpreted_packed_char4_e865[3])));
                int _e868 = s1_;
                uint _e869 = a20_1_.y;
                packed_char4 reinterpreted_packed_char4_e815 = as_type<packed_char4>(w20_1_);
                packed_char4 reinterpreted_packed_char4_e869 = as_type<packed_char4>(_e869);
                s1_ = as_type<int>(as_type<uint>(_e868) + as_type<uint>(( + reinterpreted_packed_char4_e815[0] * reinterpreted_packed_char4_e869[0] + reinterpreted_packed_char4_e815[1] * reinterpreted_packed_char4_e869[1] + reinterpreted_packed_char4_e815[2] * reinterpreted_packed_char4_e869[2] + reinterpreted_packed_char4_e815[3] * reinterpreted_packed_char4_e869[3])));
                int _e872 = s1_;
                uint _e873 = a20_1_.z;
                packed_char4 reinterpreted_packed_char4_e820 = as_type<packed_char4>(w20_2_);
                packed_char4 reinterpreted_packed_char4_e873 = as_type<packed_char4>(_e873);
                s1_ = as_type<int>(as_type<uint>(_e872) + as_type<uint>(( + reinterpreted_packed_char4_e820[0] * reinterpreted_packed_char4_e873[0] + reinterpreted_packed_char4_e820[1] * reinterpreted_packed_char4_e873[1] + reinterpreted_packed_char4_e820[2] * reinterpreted_packed_char4_e873[2] + reinterpreted_packed_char4_e820[3] * reinterpreted_packed_char4_e873[3])));
                int _e876 = s1_;
                uint _e877 = a20_1_.w;
                packed_char4 reinterpreted_packed_char4_e825 = as_type<packed_char4>(w20_3_);
                packed_char4 reinterpreted_packed_char4_e877 = as_type<packed_char4>(_e877);
                s1_ = as_type<int>(as_type<uint>(_e876) + as_type<uint>(( + reinterpreted_packed_char4_e825[0] * reinterpreted_packed_char4_e877[0] + reinterpreted_packed_char4_e825[1] * reinterpreted_packed_char4_e877[1] + reinterpreted_packed_char4_e825[2] * reinterpreted_packed_char4_e877[2] + reinterpreted_packed_char4_e825[3] * reinterpreted_packed_char4_e877[3])));
                uint w21_0_ = w2_.y & 50529027u;
                uint w21_1_ = (w2_.y >> 2u) & 50529027u;
                uint w21_2_ = (w2_.y >> 4u) & 50529027u;
                uint w21_3_ = (w2_.y >> 6u) & 50529027u;
                metal::uint4 a21_0_ = turn_acts.inner[(((0u + r_2) * 16u) + 8u) + 1u];
                int _e909 = s0_;
                uint _e910 = a21_0_.x;
                packed_char4 reinterpreted_packed_char4_e882 = as_type<packed_char4>(w21_0_);
                packed_char4 reinterpreted_packed_char4_e910 = as_type<packed_char4>(_e910);
                s0_ = as_type<int>(as_type<uint>(_e909) + as_type<uint>(( + reinterpreted_packed_char4_e882[0] * reinterpreted_packed_char4_e910[0] + reinterpreted_packed_char4_e882[1] * reinterpreted_packed_char4_e910[1] + reinterpreted_packed_char4_e882[2] * reinterpreted_packed_char4_e910[2] + reinterpreted_packed_char4_e882[3] * reinterpreted_packed_char4_e910[3])));
                int _e913 = s0_;
                uint _e914 = a21_0_.y;
                packed_char4 reinterpreted_packed_char4_e887 = as_type<packed_char4>(w21_1_);
                packed_char4 reinterpreted_packed_char4_e914 = as_type<packed_char4>(_e914);
                s0_ = as_type<int>(as_type<uint>(_e913) + as_type<uint>(( + reinterpreted_packed_char4_e887[0] * reinterpreted_packed_char4_e914[0] + reinterpreted_packed_char4_e887[1] * reinterpreted_packed_char4_e914[1] + reinterpreted_packed_char4_e887[2] * reinterpreted_packed_char4_e914[2] + reinterpreted_packed_char4_e887[3] * reinterpreted_packed_char4_e914[3])));
                int _e917 = s0_;
                uint _e918 = a21_0_.z;
                packed_char4 reinterpreted_packed_char4_e892 = as_type<packed_char4>(w21_2_);
                packed_char4 reinterpreted_packed_char4_e918 = as_type<packed_char4>(_e918);
                s0_ = as_type<int>(as_type<uint>(_e917) + as_type<uint>(( + reinterpreted_packed_char4_e892[0] * reinterpreted_packed_char4_e918[0] + reinterpreted_packed_char4_e892[1] * reinterpreted_packed_char4_e918[1] + reinterpreted_packed_char4_e892[2] * reinterpreted_packed_char4_e918[2] + reinterpreted_packed_char4_e892[3] * reinterpreted_packed_char4_e918[3])));
                int _e921 = s0_;
                uint _e922 = a21_0_.w;
                packed_char4 reinterpreted_packed_char4_e897 = as_type<packed_char4>(w21_3_);
                packed_char4 reinterpreted_packed_char4_e922 = as_type<packed_char4>(_e922);
                s0_ = as_type<int>(as_type<uint>(_e921) + as_type<uint>(( + reinterpreted_packed_char4_e897[0] * reinterpreted_packed_char4_e922[0] + reinterpreted_packed_char4_e897[1] * reinterpreted_packed_char4_e922[1] + reinterpreted_packed_char4_e897[2] * reinterpreted_packed_char4_e922[2] + reinterpreted_packed_char4_e897[3] * reinterpreted_packed_char4_e922[3])));
                metal::uint4 a21_1_ = turn_acts.inner[(((16u + r_2) * 16u) + 8u) + 1u];
                int _e936 = s1_;
                uint _e937 = a21_1_.x;
                packed_char4 reinterpreted_packed_char4_e882 = as_type<packed_char4>(w21_0_);
                packed_char4 reinterpreted_packed_char4_e937 = as_type<packed_char4>(_e937);
                s1_ = as_type<int>(as_type<uint>(_e936) + as_type<uint>(( + reinterpreted_packed_char4_e882[0] * reinterpreted_packed_char4_e937[0] + reinterpreted_packed_char4_e882[1] * reinterpreted_packed_char4_e937[1] + reinterpreted_packed_char4_e882[2] * reinterpreted_packed_char4_e937[2] + reinterpreted_packed_char4_e882[3] * reinterpreted_packed_char4_e937[3])));
                int _e940 = s1_;
                uint _e941 = a21_1_.y;
                packed_char4 reinterpreted_packed_char4_e887 = as_type<packed_char4>(w21_1_);
                packed_char4 reinterpreted_packed_char4_e941 = as_type<packed_char4>(_e941);
                s1_ = as_type<int>(as_type<uint>(_e940) + as_type<uint>(( + reinterpreted_packed_char4_e887[0] * reinterpreted_packed_char4_e941[0] + reinterpreted_packed_char4_e887[1] * reinterpreted_packed_char4_e941[1] + reinterpreted_packed_char4_e887[2] * reinterpreted_packed_char4_e941[2] + reinterpreted_packed_char4_e887[3] * reinterpreted_packed_char4_e941[3])));
                int _e944 = s1_;
                uint _e945 = a21_1_.z;
                packed_char4 reinterpreted_packed_char4_e892 = as_type<packed_char4>(w21_2_);
                packed_char4 reinterpreted_packed_char4_e945 = as_type<packed_char4>(_e945);
                s1_ = as_type<int>(as_type<uint>(_e944) + as_type<uint>(( + reinterpreted_packed_char4_e892[0] * reinterpreted_packed_char4_e945[0] + reinterpreted_packed_char4_e892[1] * reinterpreted_packed_char4_e945[1] + reinterpreted_packed_char4_e892[2] * reinterpreted_packed_char4_e945[2] + reinterpreted_packed_char4_e892[3] * reinterpreted_packed_char4_e945[3])));
                int _e948 = s1_;
                uint _e949 = a21_1_.w;
                packed_char4 reinterpreted_packed_char4_e897 = as_type<packed_char4>(w21_3_);
                packed_char4 reinterpreted_packed_char4_e949 = as_type<packed_char4>(_e949);
                s1_ = as_type<int>(as_type<uint>(_e948) + as_type<uint>(( + reinterpreted_packed_char4_e897[0] * reinterpreted_packed_char4_e949[0] + reinterpreted_packed_char4_e897[1] * reinterpreted_packed_char4_e949[1] + reinterpreted_packed_char4_e897[2] * reinterpreted_packed_char4_e949[2] + reinterpreted_packed_char4_e897[3] * reinterpreted_packed_char4_e949[3])));
                uint w22_0_ = w2_.z & 50529027u;
                uint w22_1_ = (w2_.z >> 2u) & 50529027u;
                uint w22_2_ = (w2_.z >> 4u) & 50529027u;
                uint w22_3_ = (w2_.z >> 6u) & 50529027u;
                metal::uint4 a22_0_ = turn_acts.inner[(((0u + r_2) * 16u) + 8u) + 2u];
                int _e981 = s0_;
                uint _e982 = a22_0_.x;
                packed_char4 reinterpreted_packed_char4_e954 = as_type<packed_char4>(w22_0_);
                packed_char4 reinterpreted_packed_char4_e982 = as_type<packed_char4>(_e982);
                s0_ = as_type<int>(as_type<uint>(_e981) + as_type<uint>(( + reinterpreted_packed_char4_e954[0] * reinterpreted_packed_char4_e982[0] + reinterpreted_packed_char4_e954[1] * reinterpreted_packed_char4_e982[1] + reinterpreted_packed_char4_e954[2] * reinterpreted_packed_char4_e982[2] + reinterpreted_packed_char4_e954[3] * reinterpreted_packed_char4_e982[3])));
                int _e985 = s0_;
                uint _e986 = a22_0_.y;
                packed_char4 reinterpreted_packed_char4_e959 = as_type<packed_char4>(w22_1_);
                packed_char4 reinterpreted_packed_char4_e986 = as_type<packed_char4>(_e986);
                s0_ = as_type<int>(as_type<uint>(_e985) + as_type<uint>(( + reinterpreted_packed_char4_e959[0] * reinterpreted_packed_char4_e986[0] + reinterpreted_packed_char4_e959[1] * reinterpreted_packed_char4_e986[1] + reinterpreted_packed_char4_e959[2] * reinterpreted_packed_char4_e986[2] + reinterpreted_packed_char4_e959[3] * reinterpreted_packed_char4_e986[3])));
                int _e989 = s0_;
                uint _e990 = a22_0_.z;
                packed_char4 reinterpreted_packed_char4_e964 = as_type<packed_char4>(w22_2_);
                packed_char4 reinterpreted_packed_char4_e990 = as_type<packed_char4>(_e990);
                s0_ = as_type<int>(as_type<uint>(_e989) + as_type<uint>(( + reinterpreted_packed_char4_e964[0] * reinterpreted_packed_char4_e990[0] + reinterpreted_packed_char4_e964[1] * reinterpreted_packed_char4_e990[1] + reinterpreted_packed_char4_e964[2] * reinterpreted_packed_char4_e990[2] + reinterpreted_packed_char4_e964[3] * reinterpreted_packed_char4_e990[3])));
                int _e993 = s0_;
                uint _e994 = a22_0_.w;
                packed_char4 reinterpreted_packed_char4_e969 = as_type<packed_char4>(w22_3_);
                packed_char4 reinterpreted_packed_char4_e994 = as_type<packed_char4>(_e994);
                s0_ = as_type<int>(as_type<uint>(_e993) + as_type<uint>(( + reinterpreted_packed_char4_e969[0] * reinterpreted_packed_char4_e994[0] + reinterpreted_packed_char4_e969[1] * reinterpreted_packed_char4_e994[1] + reinterpreted_packed_char4_e969[2] * reinterpreted_packed_char4_e994[2] + reinterpreted_packed_char4_e969[3] * reinterpreted_packed_char4_e994[3])));
                metal::uint4 a22_1_ = turn_acts.inner[(((16u + r_2) * 16u) + 8u) + 2u];
                int _e1008 = s1_;
                uint _e1009 = a22_1_.x;
                packed_char4 reinterpreted_packed_char4_e954 = as_type<packed_char4>(w22_0_);
                packed_char4 reinterpreted_packed_char4_e1009 = as_type<packed_char4>(_e1009);
                s1_ = as_type<int>(as_type<uint>(_e1008) + as_type<uint>(( + reinterpreted_packed_char4_e954[0] * reinterpreted_packed_char4_e1009[0] + reinterpreted_packed_char4_e954[1] * reinterpreted_packed_char4_e1009[1] + reinterpreted_packed_char4_e954[2] * reinterpreted_packed_char4_e1009[2] + reinterpreted_packed_char4_e954[3] * reinterpreted_packed_char4_e1009[3])));
                int _e1012 = s1_;
                uint _e1013 = a22_1_.y;
                packed_char4 reinterpreted_packed_char4_e959 = as_type<packed_char4>(w22_1_);
                packed_char4 reinterpreted_packed_char4_e1013 = as_type<packed_char4>(_e1013);
                s1_ = as_type<int>(as_type<uint>(_e1012) + as_type<uint>(( + reinterpreted_packed_char4_e959[0] * reinterpreted_packed_char4_e1013[0] + reinterpreted_packed_char4_e959[1] * reinterpreted_packed_char4_e1013[1] + reinterpreted_packed_char4_e959[2] * reinterpreted_packed_char4_e1013[2] + reinterpreted_packed_char4_e959[3] * reinterpreted_packed_char4_e1013[3])));
                int _e1016 = s1_;
                uint _e1017 = a22_1_.z;
                packed_char4 reinterpreted_packed_char4_e964 = as_type<packed_char4>(w22_2_);
                packed_char4 reinterpreted_packed_char4_e1017 = as_type<packed_char4>(_e1017);
                s1_ = as_type<int>(as_type<uint>(_e1016) + as_type<uint>(( + reinterpreted_packed_char4_e964[0] * reinterpreted_packed_char4_e1017[0] + reinterpreted_packed_char4_e964[1] * reinterpreted_packed_char4_e1017[1] + reinterpreted_packed_char4_e964[2] * reinterpreted_packed_char4_e1017[2] + reinterpreted_packed_char4_e964[3] * reinterpreted_packed_char4_e1017[3])));
                int _e1020 = s1_;
                uint _e1021 = a22_1_.w;
                packed_char4 reinterpreted_packed_char4_e969 = as_type<packed_char4>(w22_3_);
                packed_char4 reinterpreted_packed_char4_e1021 = as_type<packed_char4>(_e1021);
                s1_ = as_type<int>(as_type<uint>(_e1020) + as_type<uint>(( + reinterpreted_packed_char4_e969[0] * reinterpreted_packed_char4_e1021[0] + reinterpreted_packed_char4_e969[1] * reinterpreted_packed_char4_e1021[1] + reinterpreted_packed_char4_e969[2] * reinterpreted_packed_char4_e1021[2] + reinterpreted_packed_char4_e969[3] * reinterpreted_packed_char4_e1021[3])));
                uint w23_0_ = w2_.w & 50529027u;
                uint w23_1_ = (w2_.w >> 2u) & 50529027u;
                uint w23_2_ = (w2_.w >> 4u) & 50529027u;
                uint w23_3_ = (w2_.w >> 6u) & 50529027u;
                metal::uint4 a23_0_ = turn_acts.inner[(((0u + r_2) * 16u) + 8u) + 3u];
                int _e1053 = s0_;
                uint _e1054 = a23_0_.x;
                packed_char4 reinterpreted_packed_char4_e1026 = as_type<packed_char4>(w23_0_);
                packed_char4 reinterpreted_packed_char4_e1054 = as_type<packed_char4>(_e1054);
                s0_ = as_type<int>(as_type<uint>(_e1053) + as_type<uint>(( + reinterpreted_packed_char4_e1026[0] * reinterpreted_packed_char4_e1054[0] + reinterpreted_packed_char4_e1026[1] * reinterpreted_packed_char4_e1054[1] + reinterpreted_packed_char4_e1026[2] * reinterpreted_packed_char4_e1054[2] + reinterpreted_packed_char4_e1026[3] * reinterpreted_packed_char4_e1054[3])));
                int _e1057 = s0_;
                uint _e1058 = a23_0_.y;
                packed_char4 reinterpreted_packed_char4_e1031 = as_type<packed_char4>(w23_1_);
                packed_char4 reinterpreted_packed_char4_e1058 = as_type<packed_char4>(_e1058);
                s0_ = as_type<int>(as_type<uint>(_e1057) + as_type<uint>(( + reinterpreted_packed_char4_e1031[0] * reinterpreted_packed_char4_e1058[0] + reinterpreted_packed_char4_e1031[1] * reinterpreted_packed_char4_e1058[1] + reinterpreted_packed_char4_e1031[2] * reinterpreted_packed_char4_e1058[2] + reinterpreted_packed_char4_e1031[3] * reinterpreted_packed_char4_e1058[3])));
                int _e1061 = s0_;
                uint _e1062 = a23_0_.z;
                packed_char4 reinterpreted_packed_char4_e1036 = as_type<packed_char4>(w23_2_);
                packed_char4 reinterpreted_packed_char4_e1062 = as_type<packed_char4>(_e1062);
                s0_ = as_type<int>(as_type<uint>(_e1061) + as_type<uint>(( + reinterpreted_packed_char4_e1036[0] * reinterpreted_packed_char4_e1062[0] + reinterpreted_packed_char4_e1036[1] * reinterpreted_packed_char4_e1062[1] + reinterpreted_packed_char4_e1036[2] * reinterpreted_packed_char4_e1062[2] + reinterpreted_packed_char4_e1036[3] * reinterpreted_packed_char4_e1062[3])));
                int _e1065 = s0_;
                uint _e1066 = a23_0_.w;
                packed_char4 reinterpreted_packed_char4_e1041 = as_type<packed_char4>(w23_3_);
                packed_char4 reinterpreted_packed_char4_e1066 = as_type<packed_char4>(_e1066);
                s0_ = as_type<int>(as_type<uint>(_e1065) + as_type<uint>(( + reinterpreted_packed_char4_e1041[0] * reinterpreted_packed_char4_e1066[0] + reinterpreted_packed_char4_e1041[1] * reinterpreted_packed_char4_e1066[1] + reinterpreted_packed_char4_e1041[2] * reinterpreted_packed_char4_e1066[2] + reinterpreted_packed_char4_e1041[3] * reinterpreted_packed_char4_e1066[3])));
                metal::uint4 a23_1_ = turn_acts.inner[(((16u + r_2) * 16u) + 8u) + 3u];
                int _e1080 = s1_;
                uint _e1081 = a23_1_.x;
                packed_char4 reinterpreted_packed_char4_e1026 = as_type<packed_char4>(w23_0_);
                packed_char4 reinterpreted_packed_char4_e1081 = as_type<packed_char4>(_e1081);
                s1_ = as_type<int>(as_type<uint>(_e1080) + as_type<uint>(( + reinterpreted_packed_char4_e1026[0] * reinterpreted_packed_char4_e1081[0] + reinterpreted_packed_char4_e1026[1] * reinterpreted_packed_char4_e1081[1] + reinterpreted_packed_char4_e1026[2] * reinterpreted_packed_char4_e1081[2] + reinterpreted_packed_char4_e1026[3] * reinterpreted_packed_char4_e1081[3])));
                int _e1084 = s1_;
                uint _e1085 = a23_1_.y;
                packed_char4 reinterpreted_packed_char4_e1031 = as_type<packed_char4>(w23_1_);
                packed_char4 reinterpreted_packed_char4_e1085 = as_type<packed_char4>(_e1085);
                s1_ = as_type<int>(as_type<uint>(_e1084) + as_type<uint>(( + reinterpreted_packed_char4_e1031[0] * reinterpreted_packed_char4_e1085[0] + reinterpreted_packed_char4_e1031[1] * reinterpreted_packed_char4_e1085[1] + reinterpreted_packed_char4_e1031[2] * reinterpreted_packed_char4_e1085[2] + reinterpreted_packed_char4_e1031[3] * reinterpreted_packed_char4_e1085[3])));
                int _e1088 = s1_;
                uint _e1089 = a23_1_.z;
                packed_char4 reinterpreted_packed_char4_e1036 = as_type<packed_char4>(w23_2_);
                packed_char4 reinterpreted_packed_char4_e1089 = as_type<packed_char4>(_e1089);
                s1_ = as_type<int>(as_type<uint>(_e1088) + as_type<uint>(( + reinterpreted_packed_char4_e1036[0] * reinterpreted_packed_char4_e1089[0] + reinterpreted_packed_char4_e1036[1] * reinterpreted_packed_char4_e1089[1] + reinterpreted_packed_char4_e1036[2] * reinterpreted_packed_char4_e1089[2] + reinterpreted_packed_char4_e1036[3] * reinterpreted_packed_char4_e1089[3])));
                int _e1092 = s1_;
                uint _e1093 = a23_1_.w;
                packed_char4 reinterpreted_packed_char4_e1041 = as_type<packed_char4>(w23_3_);
                packed_char4 reinterpreted_packed_char4_e1093 = as_type<packed_char4>(_e1093);
                s1_ = as_type<int>(as_type<uint>(_e1092) + as_type<uint>(( + reinterpreted_packed_char4_e1041[0] * reinterpreted_packed_char4_e1093[0] + reinterpreted_packed_char4_e1041[1] * reinterpreted_packed_char4_e1093[1] + reinterpreted_packed_char4_e1041[2] * reinterpreted_packed_char4_e1093[2] + reinterpreted_packed_char4_e1041[3] * reinterpreted_packed_char4_e1093[3])));
                uint w30_0_ = w3_.x & 50529027u;
                uint w30_1_ = (w3_.x >> 2u) & 50529027u;
                uint w30_2_ = (w3_.x >> 4u) & 50529027u;
                uint w30_3_ = (w3_.x >> 6u) & 50529027u;
                metal::uint4 a30_0_ = turn_acts.inner[(((0u + r_2) * 16u) + 12u) + 0u];
                int _e1125 = s0_;
                uint _e1126 = a30_0_.x;
                packed_char4 reinterpreted_packed_char4_e1098 = as_type<packed_char4>(w30_0_);
                packed_char4 reinterpreted_packed_char4_e1126 = as_type<packed_char4>(_e1126);
                s0_ = as_type<int>(as_type<uint>(_e1125) + as_type<uint>(( + reinterpreted_packed_char4_e1098[0] * reinterpreted_packed_char4_e1126[0] + reinterpreted_packed_char4_e1098[1] * reinterpreted_packed_char4_e1126[1] + reinterpreted_packed_char4_e1098[2] * reinterpreted_packed_char4_e1126[2] + reinterpreted_packed_char4_e1098[3] * reinterpreted_packed_char4_e1126[3])));
                int _e1129 = s0_;
                uint _e1130 = a30_0_.y;
                packed_char4 reinterpreted_packed_char4_e1103 = as_type<packed_char4>(w30_1_);
                packed_char4 reinterpreted_packed_char4_e1130 = as_type<packed_char4>(_e1130);
                s0_ = as_type<int>(as_type<uint>(_e1129) + as_type<uint>(( + reinterpreted_packed_char4_e1103[0] * reinterpreted_packed_char4_e1130[0] + reinterpreted_packed_char4_e1103[1] * reinterpreted_packed_char4_e1130[1] + reinterpreted_packed_char4_e1103[2] * reinterpreted_packed_char4_e1130[2] + reinterpreted_packed_char4_e1103[3] * reinterpreted_packed_char4_e1130[3])));
                int _e1133 = s0_;
                uint _e1134 = a30_0_.z;
                packed_char4 reinterpreted_packed_char4_e1108 = as_type<packed_char4>(w30_2_);
                packed_char4 reinterpreted_packed_char4_e1134 = as_type<packed_char4>(_e1134);
                s0_ = as_type<int>(as_type<uint>(_e1133) + as_type<uint>(( + reinterpreted_packed_char4_e1108[0] * reinterpreted_packed_char4_e1134[0] + reinterpreted_packed_char4_e1108[1] * reinterpreted_packed_char4_e1134[1] + reinterpreted_packed_char4_e1108[2] * reinterpreted_packed_char4_e1134[2] + reinterpreted_packed_char4_e1108[3] * reinterpreted_packed_char4_e1134[3])));
                int _e1137 = s0_;
                uint _e1138 = a30_0_.w;
                packed_char4 reinterpreted_packed_char4_e1113 = as_type<packed_char4>(w30_3_);
                packed_char4 reinterpreted_packed_char4_e1138 = as_type<packed_char4>(_e1138);
                s0_ = as_type<int>(as_type<uint>(_e1137) + as_type<uint>(( + reinterpreted_packed_char4_e1113[0] * reinterpreted_packed_char4_e1138[0] + reinterpreted_packed_char4_e1113[1] * reinterpreted_packed_char4_e1138[1] + reinterpreted_packed_char4_e1113[2] * reinterpreted_packed_char4_e1138[2] + reinterpreted_packed_char4_e1113[3] * reinterpreted_packed_char4_e1138[3])));
                metal::uint4 a30_1_ = turn_acts.inner[(((16u + r_2) * 16u) + 12u) + 0u];
                int _e1152 = s1_;
                uint _e1153 = a30_1_.x;
                packed_char4 reinterpreted_packed_char4_e1098 = as_type<packed_char4>(w30_0_);
                packed_char4 reinterpreted_packed_char4_e1153 = as_type<packed_char4>(_e1153);
                s1_ = as_type<int>(as_type<uint>(_e1152) + as_type<uint>(( + reinterpreted_packed_char4_e1098[0] * reinterpreted_packed_char4_e1153[0] + reinterpreted_packed_char4_e1098[1] * reinterpreted_packed_char4_e1153[1] + reinterpreted_packed_char4_e1098[2] * reinterpreted_packed_char4_e1153[2] + reinterpreted_packed_char4_e1098[3] * reinterpreted_packed_char4_e1153[3])));
                int _e1156 = s1_;
                uint _e1157 = a30_1_.y;
                packed_char4 reinterpreted_packed_char4_e1103 = as_type<packed_char4>(w30_1_);
                packed_char4 reinterpreted_packed_char4_e1157 = as_type<packed_char4>(_e1157);
                s1_ = as_type<int>(as_type<uint>(_e1156) + as_type<uint>(( + reinterpreted_packed_char4_e1103[0] * reinterpreted_packed_char4_e1157[0] + reinterpreted_packed_char4_e1103[1] * reinterpreted_packed_char4_e1157[1] + reinterpreted_packed_char4_e1103[2] * reinterpreted_packed_char4_e1157[2] + reinterpreted_packed_char4_e1103[3] * reinterpreted_packed_char4_e1157[3])));
                int _e1160 = s1_;
                uint _e1161 = a30_1_.z;
                packed_char4 reinterpreted_packed_char4_e1108 = as_type<packed_char4>(w30_2_);
                packed_char4 reinterpreted_packed_char4_e1161 = as_type<packed_char4>(_e1161);
                s1_ = as_type<int>(as_type<uint>(_e1160) + as_type<uint>(( + reinterpreted_packed_char4_e1108[0] * reinterpreted_packed_char4_e1161[0] + reinterpreted_packed_char4_e1108[1] * reinterpreted_packed_char4_e1161[1] + reinterpreted_packed_char4_e1108[2] * reinterpreted_packed_char4_e1161[2] + reinterpreted_packed_char4_e1108[3] * reinterpreted_packed_char4_e1161[3])));
                int _e1164 = s1_;
                uint _e1165 = a30_1_.w;
                packed_char4 reinterpreted_packed_char4_e1113 = as_type<packed_char4>(w30_3_);
                packed_char4 reinterpreted_packed_char4_e1165 = as_type<packed_char4>(_e1165);
                s1_ = as_type<int>(as_type<uint>(_e1164) + as_type<uint>(( + reinterpreted_packed_char4_e1113[0] * reinterpreted_packed_char4_e1165[0] + reinterpreted_packed_char4_e1113[1] * reinterpreted_packed_char4_e1165[1] + reinterpreted_packed_char4_e1113[2] * reinterpreted_packed_char4_e1165[2] + reinterpreted_packed_char4_e1113[3] * reinterpreted_packed_char4_e1165[3])));
                uint w31_0_ = w3_.y & 50529027u;
                uint w31_1_ = (w3_.y >> 2u) & 50529027u;
                uint w31_2_ = (w3_.y >> 4u) & 50529027u;
                uint w31_3_ = (w3_.y >> 6u) & 50529027u;
                metal::uint4 a31_0_ = turn_acts.inner[(((0u + r_2) * 16u) + 12u) + 1u];
                int _e1197 = s0_;
                uint _e1198 = a31_0_.x;
                packed_char4 reinterpreted_packed_char4_e1170 = as_type<packed_char4>(w31_0_);
                packed_char4 reinterpreted_packed_char4_e1198 = as_type<packed_char4>(_e1198);
                s0_ = as_type<int>(as_type<uint>(_e1197) + as_type<uint>(( + reinterpreted_packed_char4_e1170[0] * reinterpreted_packed_char4_e1198[0] + reinterpreted_packed_char4_e1170[1] * reinterpreted_packed_char4_e1198[1] + reinterpreted_packed_char4_e1170[2] * reinterpreted_packed_char4_e1198[2] + reinterpreted_packed_char4_e1170[3] * reinterpreted_packed_char4_e1198[3])));
                int _e1201 = s0_;
                uint _e1202 = a31_0_.y;
                packed_char4 reinterpreted_packed_char4_e1175 = as_type<packed_char4>(w31_1_);
                packed_char4 reinterpreted_packed_char4_e1202 = as_type<packed_char4>(_e1202);
                s0_ = as_type<int>(as_type<uint>(_e1201) + as_type<uint>(( + reinterpreted_packed_char4_e1175[0] * reinterpreted_packed_char4_e1202[0] + reinterpreted_packed_char4_e1175[1] * reinterpreted_packed_char4_e1202[1] + reinterpreted_packed_char4_e1175[2] * reinterpreted_packed_char4_e1202[2] + reinterpreted_packed_char4_e1175[3] * reinterpreted_packed_char4_e1202[3])));
                int _e1205 = s0_;
                uint _e1206 = a31_0_.z;
                packed_char4 reinterpreted_packed_char4_e1180 = as_type<packed_char4>(w31_2_);
                packed_char4 reinterpreted_packed_char4_e1206 = as_type<packed_char4>(_e1206);
                s0_ = as_type<int>(as_type<uint>(_e1205) + as_type<uint>(( + reinterpreted_packed_char4_e1180[0] * reinterpreted_packed_char4_e1206[0] + reinterpreted_packed_char4_e1180[1] * reinterpreted_packed_char4_e1206[1] + reinterpreted_packed_char4_e1180[2] * reinterpreted_packed_char4_e1206[2] + reinterpreted_packed_char4_e1180[3] * reinterpreted_packed_char4_e1206[3])));
                int _e1209 = s0_;
                uint _e1210 = a31_0_.w;
                packed_char4 reinterpreted_packed_char4_e1185 = as_type<packed_char4>(w31_3_);
                packed_char4 reinterpreted_packed_char4_e1210 = as_type<packed_char4>(_e1210);
                s0_ = as_type<int>(as_type<uint>(_e1209) + as_type<uint>(( + reinterpreted_packed_char4_e1185[0] * reinterpreted_packed_char4_e1210[0] + reinterpreted_packed_char4_e1185[1] * reinterpreted_packed_char4_e1210[1] + reinterpreted_packed_char4_e1185[2] * reinterpreted_packed_char4_e1210[2] + reinterpreted_packed_char4_e1185[3] * reinterpreted_packed_char4_e1210[3])));
                metal::uint4 a31_1_ = turn_acts.inner[(((16u + r_2) * 16u) + 12u) + 1u];
                int _e1224 = s1_;
                uint _e1225 = a31_1_.x;
                packed_char4 reinterpreted_packed_char4_e1170 = as_type<packed_char4>(w31_0_);
                packed_char4 reinterpreted_packed_char4_e1225 = as_type<packed_char4>(_e1225);
                s1_ = as_type<int>(as_type<uint>(_e1224) + as_type<uint>(( + reinterpreted_packed_char4_e1170[0] * reinterpreted_packed_char4_e1225[0] + reinterpreted_packed_char4_e1170[1] * reinterpreted_packed_char4_e1225[1] + reinterpreted_packed_char4_e1170[2] * reinterpreted_packed_char4_e1225[2] + reinterpreted_packed_char4_e1170[3] * reinterpreted_packed_char4_e1225[3])));
                int _e1228 = s1_;
                uint _e1229 = a31_1_.y;
                packed_char4 reinterpreted_packed_char4_e1175 = as_type<packed_char4>(w31_1_);
                packed_char4 reinterpreted_packed_char4_e1229 = as_type<packed_char4>(_e1229);
                s1_ = as_type<int>(as_type<uint>(_e1228) + as_type<uint>(( + reinterpreted_packed_char4_e1175[0] * reinterpreted_packed_char4_e1229[0] + reinterpreted_packed_char4_e1175[1] * reinterpreted_packed_char4_e1229[1] + reinterpreted_packed_char4_e1175[2] * reinterpreted_packed_char4_e1229[2] + reinterpreted_packed_char4_e1175[3] * reinterpreted_packed_char4_e1229[3])));
                int _e1232 = s1_;
                uint _e1233 = a31_1_.z;
                packed_char4 reinterpreted_packed_char4_e1180 = as_type<packed_char4>(w31_2_);
                packed_char4 reinterpreted_packed_char4_e1233 = as_type<packed_char4>(_e1233);
                s1_ = as_type<int>(as_type<uint>(_e1232) + as_type<uint>(( + reinterpreted_packed_char4_e1180[0] * reinterpreted_packed_char4_e1233[0] + reinterpreted_packed_char4_e1180[1] * reinterpreted_packed_char4_e1233[1] + reinterpreted_packed_char4_e1180[2] * reinterpreted_packed_char4_e1233[2] + reinterpreted_packed_char4_e1180[3] * reinterpreted_packed_char4_e1233[3])));
                int _e1236 = s1_;
                uint _e1237 = a31_1_.w;
                packed_char4 reinterpreted_packed_char4_e1185 = as_type<packed_char4>(w31_3_);
                packed_char4 reinterpreted_packed_char4_e1237 = as_type<packed_char4>(_e1237);
                s1_ = as_type<int>(as_type<uint>(_e1236) + as_type<uint>(( + reinterpreted_packed_char4_e1185[0] * reinterpreted_packed_char4_e1237[0] + reinterpreted_packed_char4_e1185[1] * reinterpreted_packed_char4_e1237[1] + reinterpreted_packed_char4_e1185[2] * reinterpreted_packed_char4_e1237[2] + reinterpreted_packed_char4_e1185[3] * reinterpreted_packed_char4_e1237[3])));
                uint w32_0_ = w3_.z & 50529027u;
                uint w32_1_ = (w3_.z >> 2u) & 50529027u;
                uint w32_2_ = (w3_.z >> 4u) & 50529027u;
                uint w32_3_ = (w3_.z >> 6u) & 50529027u;
                metal::uint4 a32_0_ = turn_acts.inner[(((0u + r_2) * 16u) + 12u) + 2u];
                int _e1269 = s0_;
                uint _e1270 = a32_0_.x;
                packed_char4 reinterpreted_packed_char4_e1242 = as_type<packed_char4>(w32_0_);
                packed_char4 reinterpreted_packed_char4_e1270 = as_type<packed_char4>(_e1270);
                s0_ = as_type<int>(as_type<uint>(_e1269) + as_type<uint>(( + reinterpreted_packed_char4_e1242[0] * reinterpreted_packed_char4_e1270[0] + reinterpreted_packed_char4_e1242[1] * reinterpreted_packed_char4_e1270[1] + reinterpreted_packed_char4_e1242[2] * reinterpreted_packed_char4_e1270[2] + reinterpreted_packed_char4_e1242[3] * reinterpreted_packed_char4_e1270[3])));
                int _e1273 = s0_;
                uint _e1274 = a32_0_.y;
                packed_char4 reinterpreted_packed_char4_e1247 = as_type<packed_char4>(w32_1_);
                packed_char4 reinterpreted_packed_char4_e1274 = as_type<packed_char4>(_e1274);
                s0_ = as_type<int>(as_type<uint>(_e1273) + as_type<uint>(( + reinterpreted_packed_char4_e1247[0] * reinterpreted_packed_char4_e1274[0] + reinterpreted_packed_char4_e1247[1] * reinterpreted_packed_char4_e1274[1] + reinterpreted_packed_char4_e1247[2] * reinterpreted_packed_char4_e1274[2] + reinterpreted_packed_char4_e1247[3] * reinterpreted_packed_char4_e1274[3])));
                int _e1277 = s0_;
                uint _e1278 = a32_0_.z;
                packed_char4 reinterpreted_packed_char4_e1252 = as_type<packed_char4>(w32_2_);
                packed_char4 reinterpreted_packed_char4_e1278 = as_type<packed_char4>(_e1278);
                s0_ = as_type<int>(as_type<uint>(_e1277) + as_type<uint>(( + reinterpreted_packed_char4_e1252[0] * reinterpreted_packed_char4_e1278[0] + reinterpreted_packed_char4_e1252[1] * reinterpreted_packed_char4_e1278[1] + reinterpreted_packed_char4_e1252[2] * reinterpreted_packed_char4_e1278[2] + reinterpreted_packed_char4_e1252[3] * reinterpreted_packed_char4_e1278[3])));
                int _e1281 = s0_;
                uint _e1282 = a32_0_.w;
                packed_char4 reinterpreted_packed_char4_e1257 = as_type<packed_char4>(w32_3_);
                packed_char4 reinterpreted_packed_char4_e1282 = as_type<packed_char4>(_e1282);
                s0_ = as_type<int>(as_type<uint>(_e1281) + as_type<uint>(( + reinterpreted_packed_char4_e1257[0] * reinterpreted_packed_char4_e1282[0] + reinterpreted_packed_char4_e1257[1] * reinterpreted_packed_char4_e1282[1] + reinterpreted_packed_char4_e1257[2] * reinterpreted_packed_char4_e1282[2] + reinterpreted_packed_char4_e1257[3] * reinterpreted_packed_char4_e1282[3])));
                metal::uint4 a32_1_ = turn_acts.inner[(((16u + r_2) * 16u) + 12u) + 2u];
                int _e1296 = s1_;
                uint _e1297 = a32_1_.x;
                packed_char4 reinterpreted_packed_char4_e1242 = as_type<packed_char4>(w32_0_);
                packed_char4 reinterpreted_packed_char4_e1297 = as_type<packed_char4>(_e1297);
                s1_ = as_type<int>(as_type<uint>(_e1296) + as_type<uint>(( + reinterpreted_packed_char4_e1242[0] * reinterpreted_packed_char4_e1297[0] + reinterpreted_packed_char4_e1242[1] * reinterpreted_packed_char4_e1297[1] + reinterpreted_packed_char4_e1242[2] * reinterpreted_packed_char4_e1297[2] + reinterpreted_packed_char4_e1242[3] * reinterpreted_packed_char4_e1297[3])));
                int _e1300 = s1_;
                uint _e1301 = a32_1_.y;
                packed_char4 reinterpreted_packed_char4_e1247 = as_type<packed_char4>(w32_1_);
                packed_char4 reinterpreted_packed_char4_e1301 = as_type<packed_char4>(_e1301);
                s1_ = as_type<int>(as_type<uint>(_e1300) + as_type<uint>(( + reinterpreted_packed_char4_e1247[0] * reinterpreted_packed_char4_e1301[0] + reinterpreted_packed_char4_e1247[1] * reinterpreted_packed_char4_e1301[1] + reinterpreted_packed_char4_e1247[2] * reinterpreted_packed_char4_e1301[2] + reinterpreted_packed_char4_e1247[3] * reinterpreted_packed_char4_e1301[3])));
                int _e1304 = s1_;
                uint _e1305 = a32_1_.z;
                packed_char4 reinterpreted_packed_char4_e1252 = as_type<packed_char4>(w32_2_);
                packed_char4 reinterpreted_packed_char4_e1305 = as_type<packed_char4>(_e1305);
                s1_ = as_type<int>(as_type<uint>(_e1304) + as_type<uint>(( + reinterpreted_packed_char4_e1252[0] * reinterpreted_packed_char4_e1305[0] + reinterpreted_packed_char4_e1252[1] * reinterpreted_packed_char4_e1305[1] + reinterpreted_packed_char4_e1252[2] * reinterpreted_packed_char4_e1305[2] + reinterpreted_packed_char4_e1252[3] * reinterpreted_packed_char4_e1305[3])));
                int _e1308 = s1_;
                uint _e1309 = a32_1_.w;
                packed_char4 reinterpreted_packed_char4_e1257 = as_type<packed_char4>(w32_3_);
                packed_char4 reinterpreted_packed_char4_e1309 = as_type<packed_char4>(_e1309);
                s1_ = as_type<int>(as_type<uint>(_e1308) + as_type<uint>(( + reinterpreted_packed_char4_e1257[0] * reinterpreted_packed_char4_e1309[0] + reinterpreted_packed_char4_e1257[1] * reinterpreted_packed_char4_e1309[1] + reinterpreted_packed_char4_e1257[2] * reinterpreted_packed_char4_e1309[2] + reinterpreted_packed_char4_e1257[3] * reinterpreted_packed_char4_e1309[3])));
                uint w33_0_ = w3_.w & 50529027u;
                uint w33_1_ = (w3_.w >> 2u) & 50529027u;
                uint w33_2_ = (w3_.w >> 4u) & 50529027u;
                uint w33_3_ = (w3_.w >> 6u) & 50529027u;
                metal::uint4 a33_0_ = turn_acts.inner[(((0u + r_2) * 16u) + 12u) + 3u];
                int _e1341 = s0_;
                uint _e1342 = a33_0_.x;
                packed_char4 reinterpreted_packed_char4_e1314 = as_type<packed_char4>(w33_0_);
                packed_char4 reinterpreted_packed_char4_e1342 = as_type<packed_char4>(_e1342);
                s0_ = as_type<int>(as_type<uint>(_e1341) + as_type<uint>(( + reinterpreted_packed_char4_e1314[0] * reinterpreted_packed_char4_e1342[0] + reinterpreted_packed_char4_e1314[1] * reinterpreted_packed_char4_e1342[1] + reinterpreted_packed_char4_e1314[2] * reinterpreted_packed_char4_e1342[2] + reinterpreted_packed_char4_e1314[3] * reinterpreted_packed_char4_e1342[3])));
                int _e1345 = s0_;
                uint _e1346 = a33_0_.y;
                packed_char4 reinterpreted_packed_char4_e1319 = as_type<packed_char4>(w33_1_);
                packed_char4 reinterpreted_packed_char4_e1346 = as_type<packed_char4>(_e1346);
                s0_ = as_type<int>(as_type<uint>(_e1345) + as_type<uint>(( + reinterpreted_packed_char4_e1319[0] * reinterpreted_packed_char4_e1346[0] + reinterpreted_packed_char4_e1319[1] * reinterpreted_packed_char4_e1346[1] + reinterpreted_packed_char4_e1319[2] * reinterpreted_packed_char4_e1346[2] + reinterpreted_packed_char4_e1319[3] * reinterpreted_packed_char4_e1346[3])));
                int _e1349 = s0_;
                uint _e1350 = a33_0_.z;
                packed_char4 reinterpreted_packed_char4_e1324 = as_type<packed_char4>(w33_2_);
                packed_char4 reinterpreted_packed_char4_e1350 = as_type<packed_char4>(_e1350);
                s0_ = as_type<int>(as_type<uint>(_e1349) + as_type<uint>(( + reinterpreted_packed_char4_e1324[0] * reinterpreted_packed_char4_e1350[0] + reinterpreted_packed_char4_e1324[1] * reinterpreted_packed_char4_e1350[1] + reinterpreted_packed_char4_e1324[2] * reinterpreted_packed_char4_e1350[2] + reinterpreted_packed_char4_e1324[3] * reinterpreted_packed_char4_e1350[3])));
                int _e1353 = s0_;
                uint _e1354 = a33_0_.w;
                packed_char4 reinterpreted_packed_char4_e1329 = as_type<packed_char4>(w33_3_);
                packed_char4 reinterpreted_packed_char4_e1354 = as_type<packed_char4>(_e1354);
                s0_ = as_type<int>(as_type<uint>(_e1353) + as_type<uint>(( + reinterpreted_packed_char4_e1329[0] * reinterpreted_packed_char4_e1354[0] + reinterpreted_packed_char4_e1329[1] * reinterpreted_packed_char4_e1354[1] + reinterpreted_packed_char4_e1329[2] * reinterpreted_packed_char4_e1354[2] + reinterpreted_packed_char4_e1329[3] * reinterpreted_packed_char4_e1354[3])));
                metal::uint4 a33_1_ = turn_acts.inner[(((16u + r_2) * 16u) + 12u) + 3u];
                int _e1368 = s1_;
                uint _e1369 = a33_1_.x;
                packed_char4 reinterpreted_packed_char4_e1314 = as_type<packed_char4>(w33_0_);
                packed_char4 reinterpreted_packed_char4_e1369 = as_type<packed_char4>(_e1369);
                s1_ = as_type<int>(as_type<uint>(_e1368) + as_type<uint>(( + reinterpreted_packed_char4_e1314[0] * reinterpreted_packed_char4_e1369[0] + reinterpreted_packed_char4_e1314[1] * reinterpreted_packed_char4_e1369[1] + reinterpreted_packed_char4_e1314[2] * reinterpreted_packed_char4_e1369[2] + reinterpreted_packed_char4_e1314[3] * reinterpreted_packed_char4_e1369[3])));
                int _e1372 = s1_;
                uint _e1373 = a33_1_.y;
                packed_char4 reinterpreted_packed_char4_e1319 = as_type<packed_char4>(w33_1_);
                packed_char4 reinterpreted_packed_char4_e1373 = as_type<packed_char4>(_e1373);
                s1_ = as_type<int>(as_type<uint>(_e1372) + as_type<uint>(( + reinterpreted_packed_char4_e1319[0] * reinterpreted_packed_char4_e1373[0] + reinterpreted_packed_char4_e1319[1] * reinterpreted_packed_char4_e1373[1] + reinterpreted_packed_char4_e1319[2] * reinterpreted_packed_char4_e1373[2] + reinterpreted_packed_char4_e1319[3] * reinterpreted_packed_char4_e1373[3])));
                int _e1376 = s1_;
                uint _e1377 = a33_1_.z;
                packed_char4 reinterpreted_packed_char4_e1324 = as_type<packed_char4>(w33_2_);
                packed_char4 reinterpreted_packed_char4_e1377 = as_type<packed_char4>(_e1377);
                s1_ = as_type<int>(as_type<uint>(_e1376) + as_type<uint>(( + reinterpreted_packed_char4_e1324[0] * reinterpreted_packed_char4_e1377[0] + reinterpreted_packed_char4_e1324[1] * reinterpreted_packed_char4_e1377[1] + reinterpreted_packed_char4_e1324[2] * reinterpreted_packed_char4_e1377[2] + reinterpreted_packed_char4_e1324[3] * reinterpreted_packed_char4_e1377[3])));
                int _e1380 = s1_;
                uint _e1381 = a33_1_.w;
                packed_char4 reinterpreted_packed_char4_e1329 = as_type<packed_char4>(w33_3_);
                packed_char4 reinterpreted_packed_char4_e1381 = as_type<packed_char4>(_e1381);
                s1_ = as_type<int>(as_type<uint>(_e1380) + as_type<uint>(( + reinterpreted_packed_char4_e1329[0] * reinterpreted_packed_char4_e1381[0] + reinterpreted_packed_char4_e1329[1] * reinterpreted_packed_char4_e1381[1] + reinterpreted_packed_char4_e1329[2] * reinterpreted_packed_char4_e1381[2] + reinterpreted_packed_char4_e1329[3] * reinterpreted_packed_char4_e1381[3])));
                int _e1388 = s0_;
                int _e1391 = p_1.zero;
                uint _e1393 = da0_.y;
                isums.inner[0u + t] = as_type<int>(as_type<uint>(_e1388) - as_type<uint>(as_type<int>(as_type<uint>(_e1391) * as_type<uint>(as_type<int>(_e1393)))));
                uint _e1402 = da0_.x;
                factors.inner[0u + t] = d_1 * as_type<float>(_e1402);
                int _e1409 = s1_;
                int _e1412 = p_1.zero;
                uint _e1414 = da1_.y;
                isums.inner[512u + t] = as_type<int>(as_type<uint>(_e1409) - as_type<uint>(as_type<int>(as_type<uint>(_e1412) * as_type<uint>(as_type<int>(_e1414)))));
                uint _e1423 = da1_.x;
                factors.inner[512u + t] = d_1 * as_type<float>(_e1423);
            }
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
            if (r_2 < TOKENS) {
                local_2 = (first + r_2) < rows;
            } else {
                local_2 = false;
            }
            bool _e1433 = local_2;
            if (_e1433) {
                uint from_i = (r_2 * THREADS) + (2u * (lane & 15u));
                if (false) {
                    local_3 = ((this_turn * WARPS) + 0u) < GROUPS;
                } else {
                    local_3 = true;
                }
                bool _e1451 = local_3;
                if (_e1451) {
                    int _e1457 = isums.inner[from_i + 0u];
                    float _e1463 = factors.inner[from_i + 0u];
                    float _e1465 = acc.x;
                    acc.x = metal::fma(static_cast<float>(_e1457), _e1463, _e1465);
                    int _e1474 = isums.inner[(from_i + 0u) + 1u];
                    float _e1482 = factors.inner[(from_i + 0u) + 1u];
                    float _e1484 = acc.y;
                    acc.y = metal::fma(static_cast<float>(_e1474), _e1482, _e1484);
                }
                if (false) {
                    local_4 = ((this_turn * WARPS) + 1u) < GROUPS;
                } else {
                    local_4 = true;
                }
                bool _e1496 = local_4;
                if (_e1496) {
                    int _e1502 = isums.inner[from_i + 32u];
                    float _e1508 = factors.inner[from_i + 32u];
                    float _e1510 = acc.x;
                    acc.x = metal::fma(static_cast<float>(_e1502), _e1508, _e1510);
                    int _e1519 = isums.inner[(from_i + 32u) + 1u];
                    float _e1527 = factors.inner[(from_i + 32u) + 1u];
                    float _e1529 = acc.y;
                    acc.y = metal::fma(static_cast<float>(_e1519), _e1527, _e1529);
                }
                if (false) {
                    local_5 = ((this_turn * WARPS) + 2u) < GROUPS;
                } else {
                    local_5 = true;
                }
                bool _e1541 = local_5;
                if (_e1541) {
                    int _e1547 = isums.inner[from_i + 64u];
                    float _e1553 = factors.inner[from_i + 64u];
                    float _e1555 = acc.x;
                    acc.x = metal::fma(static_cast<float>(_e1547), _e1553, _e1555);
                    int _e1564 = isums.inner[(from_i + 64u) + 1u];
                    float _e1572 = factors.inner[(from_i + 64u) + 1u];
                    float _e1574 = acc.y;
                    acc.y = metal::fma(static_cast<float>(_e1564), _e1572, _e1574);
                }
                if (false) {
                    local_6 = ((this_turn * WARPS) + 3u) < GROUPS;
                } else {
                    local_6 = true;
                }
                bool _e1586 = local_6;
                if (_e1586) {
                    int _e1592 = isums.inner[from_i + 96u];
                    float _e1598 = factors.inner[from_i + 96u];
                    float _e1600 = acc.x;
                    acc.x = metal::fma(static_cast<float>(_e1592), _e1598, _e1600);
                    int _e1609 = isums.inner[(from_i + 96u) + 1u];
                    float _e1617 = factors.inner[(from_i + 96u) + 1u];
                    float _e1619 = acc.y;
                    acc.y = metal::fma(static_cast<float>(_e1609), _e1617, _e1619);
                }
                if (false) {
                    local_7 = ((this_turn * WARPS) + 4u) < GROUPS;
                } else {
                    local_7 = true;
                }
                bool _e1631 = local_7;
                if (_e1631) {
                    int _e1637 = isums.inner[from_i + 128u];
                    float _e1643 = factors.inner[from_i + 128u];
                    float _e1645 = acc.x;
                    acc.x = metal::fma(static_cast<float>(_e1637), _e1643, _e1645);
                    int _e1654 = isums.inner[(from_i + 128u) + 1u];
                    float _e1662 = factors.inner[(from_i + 128u) + 1u];
                    float _e1664 = acc.y;
                    acc.y = metal::fma(static_cast<float>(_e1654), _e1662, _e1664);
                }
                if (false) {
                    local_8 = ((this_turn * WARPS) + 5u) < GROUPS;
                } else {
                    local_8 = true;
                }
                bool _e1676 = local_8;
                if (_e1676) {
                    int _e1682 = isums.inner[from_i + 160u];
                    float _e1688 = factors.inner[from_i + 160u];
                    float _e1690 = acc.x;
                    acc.x = metal::fma(static_cast<float>(_e1682), _e1688, _e1690);
                    int _e1699 = isums.inner[(from_i + 160u) + 1u];
                    float _e1707 = factors.inner[(from_i + 160u) + 1u];
                    float _e1709 = acc.y;
                    acc.y = metal::fma(static_cast<float>(_e1699), _e1707, _e1709);
                }
                if (false) {
                    local_9 = ((this_turn * WARPS) + 6u) < GROUPS;
                } else {
                    local_9 = true;
                }
                bool _e1721 = local_9;
                if (_e1721) {
                    int _e1727 = isums.inner[from_i + 192u];
                    float _e1733 = factors.inner[from_i + 192u];
                    float _e1735 = acc.x;
                    acc.x = metal::fma(static_cast<float>(_e1727), _e1733, _e1735);
                    int _e1744 = isums.inner[(from_i + 192u) + 1u];
                    float _e1752 = factors.inner[(from_i + 192u) + 1u];
                    float _e1754 = acc.y;
                    acc.y = metal::fma(static_cast<float>(_e1744), _e1752, _e1754);
                }
                if (false) {
                    local_10 = ((this_turn * WARPS) + 7u) < GROUPS;
                } else {
                    local_10 = true;
                }
                bool _e1766 = local_10;
                if (_e1766) {
                    int _e1772 = isums.inner[from_i + 224u];
                    float _e1778 = factors.inner[from_i + 224u];
                    float _e1780 = acc.x;
                    acc.x = metal::fma(static_cast<float>(_e1772), _e1778, _e1780);
                    int _e1789 = isums.inner[(from_i + 224u) + 1u];
                    float _e1797 = factors.inner[(from_i + 224u) + 1u];
                    float _e1799 = acc.y;
                    acc.y = metal::fma(static_cast<float>(_e1789), _e1797, _e1799);
                }
                if (false) {
                    local_11 = ((this_turn * WARPS) + 8u) < GROUPS;
                } else {
                    local_11 = true;
                }
                bool _e1811 = local_11;
                if (_e1811) {
                    int _e1817 = isums.inner[from_i + 256u];
                    float _e1823 = factors.inner[from_i + 256u];
                    float _e1825 = acc.x;
                    acc.x = metal::fma(static_cast<float>(_e1817), _e1823, _e1825);
                    int _e1834 = isums.inner[(from_i + 256u) + 1u];
                    float _e1842 = factors.inner[(from_i + 256u) + 1u];
                    float _e1844 = acc.y;
                    acc.y = metal::fma(static_cast<float>(_e1834), _e1842, _e1844);
                }
                if (false) {
                    local_12 = ((this_turn * WARPS) + 9u) < GROUPS;
                } else {
                    local_12 = true;
                }
                bool _e1856 = local_12;
                if (_e1856) {
                    int _e1862 = isums.inner[from_i + 288u];
                    float _e1868 = factors.inner[from_i + 288u];
                    float _e1870 = acc.x;
                    acc.x = metal::fma(static_cast<float>(_e1862), _e1868, _e1870);
                    int _e1879 = isums.inner[(from_i + 288u) + 1u];
                    float _e1887 = factors.inner[(from_i + 288u) + 1u];
                    float _e1889 = acc.y;
                    acc.y = metal::fma(static_cast<float>(_e1879), _e1887, _e1889);
                }
                if (false) {
                    local_13 = ((this_turn * WARPS) + 10u) < GROUPS;
                } else {
                    local_13 = true;
                }
                bool _e1901 = local_13;
                if (_e1901) {
                    int _e1907 = isums.inner[from_i + 320u];
                    float _e1913 = factors.inner[from_i + 320u];
                    float _e1915 = acc.x;
                    acc.x = metal::fma(static_cast<float>(_e1907), _e1913, _e1915);
                    int _e1924 = isums.inner[(from_i + 320u) + 1u];
                    float _e1932 = factors.inner[(from_i + 320u) + 1u];
                    float _e1934 = acc.y;
                    acc.y = metal::fma(static_cast<float>(_e1924), _e1932, _e1934);
                }
                if (false) {
                    local_14 = ((this_turn * WARPS) + 11u) < GROUPS;
                } else {
                    local_14 = true;
                }
                bool _e1946 = local_14;
                if (_e1946) {
                    int _e1952 = isums.inner[from_i + 352u];
                    float _e1958 = factors.inner[from_i + 352u];
                    float _e1960 = acc.x;
                    acc.x = metal::fma(static_cast<float>(_e1952), _e1958, _e1960);
                    int _e1969 = isums.inner[(from_i + 352u) + 1u];
                    float _e1977 = factors.inner[(from_i + 352u) + 1u];
                    float _e1979 = acc.y;
                    acc.y = metal::fma(static_cast<float>(_e1969), _e1977, _e1979);
                }
                if (false) {
                    local_15 = ((this_turn * WARPS) + 12u) < GROUPS;
                } else {
                    local_15 = true;
                }
                bool _e1991 = local_15;
                if (_e1991) {
                    int _e1997 = isums.inner[from_i + 384u];
                    float _e2003 = factors.inner[from_i + 384u];
                    float _e2005 = acc.x;
                    acc.x = metal::fma(static_cast<float>(_e1997), _e2003, _e2005);
                    int _e2014 = isums.inner[(from_i + 384u) + 1u];
                    float _e2022 = factors.inner[(from_i + 384u) + 1u];
                    float _e2024 = acc.y;
                    acc.y = metal::fma(static_cast<float>(_e2014), _e2022, _e2024);
                }
                if (false) {
                    local_16 = ((this_turn * WARPS) + 13u) < GROUPS;
                } else {
                    local_16 = true;
                }
                bool _e2036 = local_16;
                if (_e2036) {
                    int _e2042 = isums.inner[from_i + 416u];
                    float _e2048 = factors.inner[from_i + 416u];
                    float _e2050 = acc.x;
                    acc.x = metal::fma(static_cast<float>(_e2042), _e2048, _e2050);
                    int _e2059 = isums.inner[(from_i + 416u) + 1u];
                    float _e2067 = factors.inner[(from_i + 416u) + 1u];
                    float _e2069 = acc.y;
                    acc.y = metal::fma(static_cast<float>(_e2059), _e2067, _e2069);
                }
                if (false) {
                    local_17 = ((this_turn * WARPS) + 14u) < GROUPS;
                } else {
                    local_17 = true;
                }
                bool _e2081 = local_17;
                if (_e2081) {
                    int _e2087 = isums.inner[from_i + 448u];
                    float _e2093 = factors.inner[from_i + 448u];
                    float _e2095 = acc.x;
                    acc.x = metal::fma(static_cast<float>(_e2087), _e2093, _e2095);
                    int _e2104 = isums.inner[(from_i + 448u) + 1u];
                    float _e2112 = factors.inner[(from_i + 448u) + 1u];
                    float _e2114 = acc.y;
                    acc.y = metal::fma(static_cast<float>(_e2104), _e2112, _e2114);
                }
                if (false) {
                    local_18 = ((this_turn * WARPS) + 15u) < GROUPS;
                } else {
                    local_18 = true;
                }
                bool _e2126 = local_18;
                if (_e2126) {
                    int _e2132 = isums.inner[from_i + 480u];
                    float _e2138 = factors.inner[from_i + 480u];
                    float _e2140 = acc.x;
                    acc.x = metal::fma(static_cast<float>(_e2132), _e2138, _e2140);
                    int _e2149 = isums.inner[(from_i + 480u) + 1u];
                    float _e2157 = factors.inner[(from_i + 480u) + 1u];
                    float _e2159 = acc.y;
                    acc.y = metal::fma(static_cast<float>(_e2149), _e2157, _e2159);
                }
                uint n_2 = (this_block * 16u) + lane;
                if ((this_turn + 1u) == TURNS) {
                    local_19 = lane < 16u;
                } else {
                    local_19 = false;
                }
                bool _e2173 = local_19;
                if (_e2173) {
                    uint _e2180 = p_1.outs;
                    local_20 = (2u * n_2) < _e2180;
                } else {
                    local_20 = false;
                }
                bool _e2183 = local_20;
                if (_e2183) {
                    float _e2186 = acc.x;
                    float _e2188 = acc.y;
                    float _e2189 = paired(_e2186, _e2188, p_1);
                    finish(first + r_2, n_2, _e2189, p_1, arena, _buffer_sizes);
                }
            }
            if ((this_turn + 1u) == TURNS) {
                acc = metal::float2(0.0);
            }
        }
    }
    return;
}
