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
constant bool PROLOGUE = false;
constant bool NORM = false;
constant bool HALVES = true;
constant bool SUBGROUPS = false;
constant bool PAIRS = true;
constant uint THREADS = 512u;
constant uint TURNS = 1u;
constant bool FULL = true;
constant uint BUFFERS = 1u;

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
    uint at_1 = (_e5 + (row * _e8)) + n;
    uint _e14 = p_1.mode;
    if (_e14 == 1u) {
        float _e26 = p_1.factor;
        arena[naga_div(at_1, 4u)][naga_mod(at_1, 4u)] = y * _e26;
        return;
    } else {
        uint _e30 = p_1.mode;
        if (_e30 == 2u) {
            float _e42 = p_1.factor;
            float _e50 = arena[naga_div(at_1, 4u)][naga_mod(at_1, 4u)];
            arena[naga_div(at_1, 4u)][naga_mod(at_1, 4u)] = metal::fma(_e42, y, _e50);
            return;
        } else {
            arena[naga_div(at_1, 4u)][naga_mod(at_1, 4u)] = y;
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

void keep(
    uint at,
    int isum,
    float factor,
    threadgroup type_12& isums,
    threadgroup type_13& factors
) {
    isums.inner[at] = isum;
    factors.inner[at] = factor;
    return;
}

float scale_of(
    uint block_1,
    uint g_1,
    uint r,
    device type_8 const& scales,
    constant _mslBufferSizes& _buffer_sizes
) {
    uint at_2 = (((block_1 * GROUPS) + g_1) * 32u) + r;
    if (HALVES) {
        uint _e14 = scales[naga_div(at_2, 2u)];
        metal::float2 pair = float2(as_type<half2>(_e14));
        return ((at_2 & 1u) == 1u) ? pair.y : pair.x;
    }
    uint _e25 = scales[at_2];
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
    uint chain = 0u;
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
        uint at_3 = (((_e60 * GROUPS) + r_2) * 128u) + lane;
        metal::uint4 _e71 = codes[at_3 + 0u];
        next0_ = _e71;
        metal::uint4 _e76 = codes[at_3 + 32u];
        next1_ = _e76;
        metal::uint4 _e81 = codes[at_3 + 64u];
        next2_ = _e81;
        metal::uint4 _e86 = codes[at_3 + 96u];
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
            uint _e2194 = step;
            step = _e2194 + 1u;
        }
        loop_init = false;
        uint _e96 = step;
        if (_e96 < steps) {
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
            uint _e105 = turn;
            turn = _e105 + 1u;
            uint _e108 = turn;
            if (_e108 == TURNS) {
                turn = 0u;
                uint _e112 = block;
                block = _e112 + workgroups.x;
            }
            uint g_2 = (this_turn * WARPS) + r_2;
            uint _e118 = turn;
            uint next_g = (_e118 * WARPS) + r_2;
            uint _e122 = step;
            if ((_e122 + 1u) < steps) {
                local_1 = next_g < GROUPS;
            } else {
                local_1 = false;
            }
            bool _e131 = local_1;
            if (_e131) {
                uint _e132 = block;
                uint at_4 = (((_e132 * GROUPS) + next_g) * 128u) + lane;
                metal::uint4 _e143 = codes[at_4 + 0u];
                next0_ = _e143;
                metal::uint4 _e148 = codes[at_4 + 32u];
                next1_ = _e148;
                metal::uint4 _e153 = codes[at_4 + 64u];
                next2_ = _e153;
                metal::uint4 _e158 = codes[at_4 + 96u];
                next3_ = _e158;
                uint _e159 = block;
                float _e160 = scale_of(_e159, next_g, lane, scales, _buffer_sizes);
                next_scale = _e160;
            }
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
            i = t;
            uint2 loop_bound_1 = uint2(4294967295u);
            bool loop_init_1 = true;
            while(true) {
                if (metal::all(loop_bound_1 == uint2(0u))) { break; }
                loop_bound_1 -= uint2(loop_bound_1.y == 0u, 1u);
                if (!loop_init_1) {
                    uint _e194 = i;
                    i = _e194 + THREADS;
                }
                loop_init_1 = false;
                uint _e163 = i;
                if (_e163 < 512u) {
                } else {
                    break;
                }
                {
                    uint _e166 = i;
                    uint r_3 = naga_div(_e166, 256u);
                    uint _e173 = i;
                    uint at_5 = ((this_turn * WARPS) * 16u) + naga_mod(_e173, 256u);
                    if (at_5 < 256u) {
                        uint _e180 = i;
                        metal::uint4 _e193 = acts[((metal::min(first + r_3, rows - 1u) * GROUPS) * 16u) + at_5];
                        turn_acts.inner[_e180] = _e193;
                    }
                }
            }
            da0_ = metal::uint2(0u);
            if (g_2 < GROUPS) {
                metal::uint2 _e212 = act_scales[(metal::min(first + 0u, rows - 1u) * GROUPS) + g_2];
                da0_ = _e212;
            }
            da1_ = metal::uint2(0u);
            if (g_2 < GROUPS) {
                metal::uint2 _e228 = act_scales[(metal::min(first + 1u, rows - 1u) * GROUPS) + g_2];
                da1_ = _e228;
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
                int _e264 = s0_;
                uint _e265 = a00_0_.x;
                packed_char4 reinterpreted_packed_char4_e237 = as_type<packed_char4>(w00_0_);
                packed_char4 reinterpreted_packed_char4_e265 = as_type<packed_char4>(_e265);
                s0_ = as_type<int>(as_type<uint>(_e264) + as_type<uint>(( + reinterpreted_packed_char4_e237[0] * reinterpreted_packed_char4_e265[0] + reinterpreted_packed_char4_e237[1] * reinterpreted_packed_char4_e265[1] + reinterpreted_packed_char4_e237[2] * reinterpreted_packed_char4_e265[2] + reinterpreted_packed_char4_e237[3] * reinterpreted_packed_char4_e265[3])));
                int _e268 = s0_;
                uint _e269 = a00_0_.y;
                packed_char4 reinterpreted_packed_char4_e242 = as_type<packed_char4>(w00_1_);
                packed_char4 reinterpreted_packed_char4_e269 = as_type<packed_char4>(_e269);
                s0_ = as_type<int>(as_type<uint>(_e268) + as_type<uint>(( + reinterpreted_packed_char4_e242[0] * reinterpreted_packed_char4_e269[0] + reinterpreted_packed_char4_e242[1] * reinterpreted_packed_char4_e269[1] + reinterpreted_packed_char4_e242[2] * reinterpreted_packed_char4_e269[2] + reinterpreted_packed_char4_e242[3] * reinterpreted_packed_char4_e269[3])));
                int _e272 = s0_;
                uint _e273 = a00_0_.z;
                packed_char4 reinterpreted_packed_char4_e247 = as_type<packed_char4>(w00_2_);
                packed_char4 reinterpreted_packed_char4_e273 = as_type<packed_char4>(_e273);
                s0_ = as_type<int>(as_type<uint>(_e272) + as_type<uint>(( + reinterpreted_packed_char4_e247[0] * reinterpreted_packed_char4_e273[0] + reinterpreted_packed_char4_e247[1] * reinterpreted_packed_char4_e273[1] + reinterpreted_packed_char4_e247[2] * reinterpreted_packed_char4_e273[2] + reinterpreted_packed_char4_e247[3] * reinterpreted_packed_char4_e273[3])));
                int _e276 = s0_;
                uint _e277 = a00_0_.w;
                packed_char4 reinterpreted_packed_char4_e252 = as_type<packed_char4>(w00_3_);
                packed_char4 reinterpreted_packed_char4_e277 = as_type<packed_char4>(_e277);
                s0_ = as_type<int>(as_type<uint>(_e276) + as_type<uint>(( + reinterpreted_packed_char4_e252[0] * reinterpreted_packed_char4_e277[0] + reinterpreted_packed_char4_e252[1] * reinterpreted_packed_char4_e277[1] + reinterpreted_packed_char4_e252[2] * reinterpreted_packed_char4_e277[2] + reinterpreted_packed_char4_e252[3] * reinterpreted_packed_char4_e277[3])));
                metal::uint4 a00_1_ = turn_acts.inner[(((16u + r_2) * 16u) + 0u) + 0u];
                int _e291 = s1_;
                uint _e292 = a00_1_.x;
                packed_char4 reinterpreted_packed_char4_e237 = as_type<packed_char4>(w00_0_);
                packed_char4 reinterpreted_packed_char4_e292 = as_type<packed_char4>(_e292);
                s1_ = as_type<int>(as_type<uint>(_e291) + as_type<uint>(( + reinterpreted_packed_char4_e237[0] * reinterpreted_packed_char4_e292[0] + reinterpreted_packed_char4_e237[1] * reinterpreted_packed_char4_e292[1] + reinterpreted_packed_char4_e237[2] * reinterpreted_packed_char4_e292[2] + reinterpreted_packed_char4_e237[3] * reinterpreted_packed_char4_e292[3])));
                int _e295 = s1_;
                uint _e296 = a00_1_.y;
                packed_char4 reinterpreted_packed_char4_e242 = as_type<packed_char4>(w00_1_);
                packed_char4 reinterpreted_packed_char4_e296 = as_type<packed_char4>(_e296);
                s1_ = as_type<int>(as_type<uint>(_e295) + as_type<uint>(( + reinterpreted_packed_char4_e242[0] * reinterpreted_packed_char4_e296[0] + reinterpreted_packed_char4_e242[1] * reinterpreted_packed_char4_e296[1] + reinterpreted_packed_char4_e242[2] * reinterpreted_packed_char4_e296[2] + reinterpreted_packed_char4_e242[3] * reinterpreted_packed_char4_e296[3])));
                int _e299 = s1_;
                uint _e300 = a00_1_.z;
                packed_char4 reinterpreted_packed_char4_e247 = as_type<packed_char4>(w00_2_);
                packed_char4 reinterpreted_packed_char4_e300 = as_type<packed_char4>(_e300);
                s1_ = as_type<int>(as_type<uint>(_e299) + as_type<uint>(( + reinterpreted_packed_char4_e247[0] * reinterpreted_packed_char4_e300[0] + reinterpreted_packed_char4_e247[1] * reinterpreted_packed_char4_e300[1] + reinterpreted_packed_char4_e247[2] * reinterpreted_packed_char4_e300[2] + reinterpreted_packed_char4_e247[3] * reinterpreted_packed_char4_e300[3])));
                int _e303 = s1_;
                uint _e304 = a00_1_.w;
                packed_char4 reinterpreted_packed_char4_e252 = as_type<packed_char4>(w00_3_);
                packed_char4 reinterpreted_packed_char4_e304 = as_type<packed_char4>(_e304);
                s1_ = as_type<int>(as_type<uint>(_e303) + as_type<uint>(( + reinterpreted_packed_char4_e252[0] * reinterpreted_packed_char4_e304[0] + reinterpreted_packed_char4_e252[1] * reinterpreted_packed_char4_e304[1] + reinterpreted_packed_char4_e252[2] * reinterpreted_packed_char4_e304[2] + reinterpreted_packed_char4_e252[3] * reinterpreted_packed_char4_e304[3])));
                uint w01_0_ = w0_.y & 50529027u;
                uint w01_1_ = (w0_.y >> 2u) & 50529027u;
                uint w01_2_ = (w0_.y >> 4u) & 50529027u;
                uint w01_3_ = (w0_.y >> 6u) & 50529027u;
                metal::uint4 a01_0_ = turn_acts.inner[(((0u + r_2) * 16u) + 0u) + 1u];
                int _e336 = s0_;
                uint _e337 = a01_0_.x;
                packed_char4 reinterpreted_packed_char4_e309 = as_type<packed_char4>(w01_0_);
                packed_char4 reinterpreted_packed_char4_e337 = as_type<packed_char4>(_e337);
                s0_ = as_type<int>(as_type<uint>(_e336) + as_type<uint>(( + reinterpreted_packed_char4_e309[0] * reinterpreted_packed_char4_e337[0] + reinterpreted_packed_char4_e309[1] * reinterpreted_packed_char4_e337[1] + reinterpreted_packed_char4_e309[2] * reinterpreted_packed_char4_e337[2] + reinterpreted_packed_char4_e309[3] * reinterpreted_packed_char4_e337[3])));
                int _e340 = s0_;
                uint _e341 = a01_0_.y;
                packed_char4 reinterpreted_packed_char4_e314 = as_type<packed_char4>(w01_1_);
                packed_char4 reinterpreted_packed_char4_e341 = as_type<packed_char4>(_e341);
                s0_ = as_type<int>(as_type<uint>(_e340) + as_type<uint>(( + reinterpreted_packed_char4_e314[0] * reinterpreted_packed_char4_e341[0] + reinterpreted_packed_char4_e314[1] * reinterpreted_packed_char4_e341[1] + reinterpreted_packed_char4_e314[2] * reinterpreted_packed_char4_e341[2] + reinterpreted_packed_char4_e314[3] * reinterpreted_packed_char4_e341[3])));
                int _e344 = s0_;
                uint _e345 = a01_0_.z;
                packed_char4 reinterpreted_packed_char4_e319 = as_type<packed_char4>(w01_2_);
                packed_char4 reinterpreted_packed_char4_e345 = as_type<packed_char4>(_e345);
                s0_ = as_type<int>(as_type<uint>(_e344) + as_type<uint>(( + reinterpreted_packed_char4_e319[0] * reinterpreted_packed_char4_e345[0] + reinterpreted_packed_char4_e319[1] * reinterpreted_packed_char4_e345[1] + reinterpreted_packed_char4_e319[2] * reinterpreted_packed_char4_e345[2] + reinterpreted_packed_char4_e319[3] * reinterpreted_packed_char4_e345[3])));
                int _e348 = s0_;
                uint _e349 = a01_0_.w;
                packed_char4 reinterpreted_packed_char4_e324 = as_type<packed_char4>(w01_3_);
                packed_char4 reinterpreted_packed_char4_e349 = as_type<packed_char4>(_e349);
                s0_ = as_type<int>(as_type<uint>(_e348) + as_type<uint>(( + reinterpreted_packed_char4_e324[0] * reinterpreted_packed_char4_e349[0] + reinterpreted_packed_char4_e324[1] * reinterpreted_packed_char4_e349[1] + reinterpreted_packed_char4_e324[2] * reinterpreted_packed_char4_e349[2] + reinterpreted_packed_char4_e324[3] * reinterpreted_packed_char4_e349[3])));
                metal::uint4 a01_1_ = turn_acts.inner[(((16u + r_2) * 16u) + 0u) + 1u];
                int _e363 = s1_;
                uint _e364 = a01_1_.x;
                packed_char4 reinterpreted_packed_char4_e309 = as_type<packed_char4>(w01_0_);
                packed_char4 reinterpreted_packed_char4_e364 = as_type<packed_char4>(_e364);
                s1_ = as_type<int>(as_type<uint>(_e363) + as_type<uint>(( + reinterpreted_packed_char4_e309[0] * reinterpreted_packed_char4_e364[0] + reinterpreted_packed_char4_e309[1] * reinterpreted_packed_char4_e364[1] + reinterpreted_packed_char4_e309[2] * reinterpreted_packed_char4_e364[2] + reinterpreted_packed_char4_e309[3] * reinterpreted_packed_char4_e364[3])));
                int _e367 = s1_;
                uint _e368 = a01_1_.y;
                packed_char4 reinterpreted_packed_char4_e314 = as_type<packed_char4>(w01_1_);
                packed_char4 reinterpreted_packed_char4_e368 = as_type<packed_char4>(_e368);
                s1_ = as_type<int>(as_type<uint>(_e367) + as_type<uint>(( + reinterpreted_packed_char4_e314[0] * reinterpreted_packed_char4_e368[0] + reinterpreted_packed_char4_e314[1] * reinterpreted_packed_char4_e368[1] + reinterpreted_packed_char4_e314[2] * reinterpreted_packed_char4_e368[2] + reinterpreted_packed_char4_e314[3] * reinterpreted_packed_char4_e368[3])));
                int _e371 = s1_;
                uint _e372 = a01_1_.z;
                packed_char4 reinterpreted_packed_char4_e319 = as_type<packed_char4>(w01_2_);
                packed_char4 reinterpreted_packed_char4_e372 = as_type<packed_char4>(_e372);
                s1_ = as_type<int>(as_type<uint>(_e371) + as_type<uint>(( + reinterpreted_packed_char4_e319[0] * reinterpreted_packed_char4_e372[0] + reinterpreted_packed_char4_e319[1] * reinterpreted_packed_char4_e372[1] + reinterpreted_packed_char4_e319[2] * reinterpreted_packed_char4_e372[2] + reinterpreted_packed_char4_e319[3] * reinterpreted_packed_char4_e372[3])));
                int _e375 = s1_;
                uint _e376 = a01_1_.w;
                packed_char4 reinterpreted_packed_char4_e324 = as_type<packed_char4>(w01_3_);
                packed_char4 reinterpreted_packed_char4_e376 = as_type<packed_char4>(_e376);
                s1_ = as_type<int>(as_type<uint>(_e375) + as_type<uint>(( + reinterpreted_packed_char4_e324[0] * reinterpreted_packed_char4_e376[0] + reinterpreted_packed_char4_e324[1] * reinterpreted_packed_char4_e376[1] + reinterpreted_packed_char4_e324[2] * reinterpreted_packed_char4_e376[2] + reinterpreted_packed_char4_e324[3] * reinterpreted_packed_char4_e376[3])));
                uint w02_0_ = w0_.z & 50529027u;
                uint w02_1_ = (w0_.z >> 2u) & 50529027u;
                uint w02_2_ = (w0_.z >> 4u) & 50529027u;
                uint w02_3_ = (w0_.z >> 6u) & 50529027u;
                metal::uint4 a02_0_ = turn_acts.inner[(((0u + r_2) * 16u) + 0u) + 2u];
                int _e408 = s0_;
                uint _e409 = a02_0_.x;
                packed_char4 reinterpreted_packed_char4_e381 = as_type<packed_char4>(w02_0_);
                packed_char4 reinterpreted_packed_char4_e409 = as_type<packed_char4>(_e409);
                s0_ = as_type<int>(as_type<uint>(_e408) + as_type<uint>(( + reinterpreted_packed_char4_e381[0] * reinterpreted_packed_char4_e409[0] + reinterpreted_packed_char4_e381[1] * reinterpreted_packed_char4_e409[1] + reinterpreted_packed_char4_e381[2] * reinterpreted_packed_char4_e409[2] + reinterpreted_packed_char4_e381[3] * reinterpreted_packed_char4_e409[3])));
                int _e412 = s0_;
                uint _e413 = a02_0_.y;
                packed_char4 reinterpreted_packed_char4_e386 = as_type<packed_char4>(w02_1_);
                packed_char4 reinterpreted_packed_char4_e413 = as_type<packed_char4>(_e413);
                s0_ = as_type<int>(as_type<uint>(_e412) + as_type<uint>(( + reinterpreted_packed_char4_e386[0] * reinterpreted_packed_char4_e413[0] + reinterpreted_packed_char4_e386[1] * reinterpreted_packed_char4_e413[1] + reinterpreted_packed_char4_e386[2] * reinterpreted_packed_char4_e413[2] + reinterpreted_packed_char4_e386[3] * reinterpreted_packed_char4_e413[3])));
                int _e416 = s0_;
                uint _e417 = a02_0_.z;
                packed_char4 reinterpreted_packed_char4_e391 = as_type<packed_char4>(w02_2_);
                packed_char4 reinterpreted_packed_char4_e417 = as_type<packed_char4>(_e417);
                s0_ = as_type<int>(as_type<uint>(_e416) + as_type<uint>(( + reinterpreted_packed_char4_e391[0] * reinterpreted_packed_char4_e417[0] + reinterpreted_packed_char4_e391[1] * reinterpreted_packed_char4_e417[1] + reinterpreted_packed_char4_e391[2] * reinterpreted_packed_char4_e417[2] + reinterpreted_packed_char4_e391[3] * reinterpreted_packed_char4_e417[3])));
                int _e420 = s0_;
                uint _e421 = a02_0_.w;
                packed_char4 reinterpreted_packed_char4_e396 = as_type<packed_char4>(w02_3_);
                packed_char4 reinterpreted_packed_char4_e421 = as_type<packed_char4>(_e421);
                s0_ = as_type<int>(as_type<uint>(_e420) + as_type<uint>(( + reinterpreted_packed_char4_e396[0] * reinterpreted_packed_char4_e421[0] + reinterpreted_packed_char4_e396[1] * reinterpreted_packed_char4_e421[1] + reinterpreted_packed_char4_e396[2] * reinterpreted_packed_char4_e421[2] + reinterpreted_packed_char4_e396[3] * reinterpreted_packed_char4_e421[3])));
                metal::uint4 a02_1_ = turn_acts.inner[(((16u + r_2) * 16u) + 0u) + 2u];
                int _e435 = s1_;
                uint _e436 = a02_1_.x;
                packed_char4 reinterpreted_packed_char4_e381 = as_type<packed_char4>(w02_0_);
                packed_char4 reinterpreted_packed_char4_e436 = as_type<packed_char4>(_e436);
                s1_ = as_type<int>(as_type<uint>(_e435) + as_type<uint>(( + reinterpreted_packed_char4_e381[0] * reinterpreted_packed_char4_e436[0] + reinterpreted_packed_char4_e381[1] * reinterpreted_packed_char4_e436[1] + reinterpreted_packed_char4_e381[2] * reinterpreted_packed_char4_e436[2] + reinterpreted_packed_char4_e381[3] * reinterpreted_packed_char4_e436[3])));
                int _e439 = s1_;
                uint _e440 = a02_1_.y;
                packed_char4 reinterpreted_packed_char4_e386 = as_type<packed_char4>(w02_1_);
                packed_char4 reinterpreted_packed_char4_e440 = as_type<packed_char4>(_e440);
                s1_ = as_type<int>(as_type<uint>(_e439) + as_type<uint>(( + reinterpreted_packed_char4_e386[0] * reinterpreted_packed_char4_e440[0] + reinterpreted_packed_char4_e386[1] * reinterpreted_packed_char4_e440[1] + reinterpreted_packed_char4_e386[2] * reinterpreted_packed_char4_e440[2] + reinterpreted_packed_char4_e386[3] * reinterpreted_packed_char4_e440[3])));
                int _e443 = s1_;
                uint _e444 = a02_1_.z;
                packed_char4 reinterpreted_packed_char4_e391 = as_type<packed_char4>(w02_2_);
                packed_char4 reinterpreted_packed_char4_e444 = as_type<packed_char4>(_e444);
                s1_ = as_type<int>(as_type<uint>(_e443) + as_type<uint>(( + reinterpreted_packed_char4_e391[0] * reinterpreted_packed_char4_e444[0] + reinterpreted_packed_char4_e391[1] * reinterpreted_packed_char4_e444[1] + reinterpreted_packed_char4_e391[2] * reinterpreted_packed_char4_e444[2] + reinterpreted_packed_char4_e391[3] * reinterpreted_packed_char4_e444[3])));
                int _e447 = s1_;
                uint _e448 = a02_1_.w;
                packed_char4 reinterpreted_packed_char4_e396 = as_type<packed_char4>(w02_3_);
                packed_char4 reinterpreted_packed_char4_e448 = as_type<packed_char4>(_e448);
                s1_ = as_type<int>(as_type<uint>(_e447) + as_type<uint>(( + reinterpreted_packed_char4_e396[0] * reinterpreted_packed_char4_e448[0] + reinterpreted_packed_char4_e396[1] * reinterpreted_packed_char4_e448[1] + reinterpreted_packed_char4_e396[2] * reinterpreted_packed_char4_e448[2] + reinterpreted_packed_char4_e396[3] * reinterpreted_packed_char4_e448[3])));
                uint w03_0_ = w0_.w & 50529027u;
                uint w03_1_ = (w0_.w >> 2u) & 50529027u;
                uint w03_2_ = (w0_.w >> 4u) & 50529027u;
                uint w03_3_ = (w0_.w >> 6u) & 50529027u;
                metal::uint4 a03_0_ = turn_acts.inner[(((0u + r_2) * 16u) + 0u) + 3u];
                int _e480 = s0_;
                uint _e481 = a03_0_.x;
                packed_char4 reinterpreted_packed_char4_e453 = as_type<packed_char4>(w03_0_);
                packed_char4 reinterpreted_packed_char4_e481 = as_type<packed_char4>(_e481);
                s0_ = as_type<int>(as_type<uint>(_e480) + as_type<uint>(( + reinterpreted_packed_char4_e453[0] * reinterpreted_packed_char4_e481[0] + reinterpreted_packed_char4_e453[1] * reinterpreted_packed_char4_e481[1] + reinterpreted_packed_char4_e453[2] * reinterpreted_packed_char4_e481[2] + reinterpreted_packed_char4_e453[3] * reinterpreted_packed_char4_e481[3])));
                int _e484 = s0_;
                uint _e485 = a03_0_.y;
                packed_char4 reinterpreted_packed_char4_e458 = as_type<packed_char4>(w03_1_);
                packed_char4 reinterpreted_packed_char4_e485 = as_type<packed_char4>(_e485);
                s0_ = as_type<int>(as_type<uint>(_e484) + as_type<uint>(( + reinterpreted_packed_char4_e458[0] * reinterpreted_packed_char4_e485[0] + reinterpreted_packed_char4_e458[1] * reinterpreted_packed_char4_e485[1] + reinterpreted_packed_char4_e458[2] * reinterpreted_packed_char4_e485[2] + reinterpreted_packed_char4_e458[3] * reinterpreted_packed_char4_e485[3])));
                int _e488 = s0_;
                uint _e489 = a03_0_.z;
                packed_char4 reinterpreted_packed_char4_e463 = as_type<packed_char4>(w03_2_);
                packed_char4 reinterpreted_packed_char4_e489 = as_type<packed_char4>(_e489);
                s0_ = as_type<int>(as_type<uint>(_e488) + as_type<uint>(( + reinterpreted_packed_char4_e463[0] * reinterpreted_packed_char4_e489[0] + reinterpreted_packed_char4_e463[1] * reinterpreted_packed_char4_e489[1] + reinterpreted_packed_char4_e463[2] * reinterpreted_packed_char4_e489[2] + reinterpreted_packed_char4_e463[3] * reinterpreted_packed_char4_e489[3])));
                int _e492 = s0_;
                uint _e493 = a03_0_.w;
                packed_char4 reinterpreted_packed_char4_e468 = as_type<packed_char4>(w03_3_);
                packed_char4 reinterpreted_packed_char4_e493 = as_type<packed_char4>(_e493);
                s0_ = as_type<int>(as_type<uint>(_e492) + as_type<uint>(( + reinterpreted_packed_char4_e468[0] * reinterpreted_packed_char4_e493[0] + reinterpreted_packed_char4_e468[1] * reinterpreted_packed_char4_e493[1] + reinterpreted_packed_char4_e468[2] * reinterpreted_packed_char4_e493[2] + reinterpreted_packed_char4_e468[3] * reinterpreted_packed_char4_e493[3])));
                metal::uint4 a03_1_ = turn_acts.inner[(((16u + r_2) * 16u) + 0u) + 3u];
                int _e507 = s1_;
                uint _e508 = a03_1_.x;
                packed_char4 reinterpreted_packed_char4_e453 = as_type<packed_char4>(w03_0_);
                packed_char4 reinterpreted_packed_char4_e508 = as_type<packed_char4>(_e508);
                s1_ = as_type<int>(as_type<uint>(_e507) + as_type<uint>(( + reinterpreted_packed_char4_e453[0] * reinterpreted_packed_char4_e508[0] + reinterpreted_packed_char4_e453[1] * reinterpreted_packed_char4_e508[1] + reinterpreted_packed_char4_e453[2] * reinterpreted_packed_char4_e508[2] + reinterpreted_packed_char4_e453[3] * reinterpreted_packed_char4_e508[3])));
                int _e511 = s1_;
                uint _e512 = a03_1_.y;
                packed_char4 reinterpreted_packed_char4_e458 = as_type<packed_char4>(w03_1_);
                packed_char4 reinterpreted_packed_char4_e512 = as_type<packed_char4>(_e512);
                s1_ = as_type<int>(as_type<uint>(_e511) + as_type<uint>(( + reinterpreted_packed_char4_e458[0] * reinterpreted_packed_char4_e512[0] + reinterpreted_packed_char4_e458[1] * reinterpreted_packed_char4_e512[1] + reinterpreted_packed_char4_e458[2] * reinterpreted_packed_char4_e512[2] + reinterpreted_packed_char4_e458[3] * reinterpreted_packed_char4_e512[3])));
                int _e515 = s1_;
                uint _e516 = a03_1_.z;
                packed_char4 reinterpreted_packed_char4_e463 = as_type<packed_char4>(w03_2_);
                packed_char4 reinterpreted_packed_char4_e516 = as_type<packed_char4>(_e516);
                s1_ = as_type<int>(as_type<uint>(_e515) + as_type<uint>(( + reinterpreted_packed_char4_e463[0] * reinterpreted_packed_char4_e516[0] + reinterpreted_packed_char4_e463[1] * reinterpreted_packed_char4_e516[1] + reinterpreted_packed_char4_e463[2] * reinterpreted_packed_char4_e516[2] + reinterpreted_packed_char4_e463[3] * reinterpreted_packed_char4_e516[3])));
                int _e519 = s1_;
                uint _e520 = a03_1_.w;
                packed_char4 reinterpreted_packed_char4_e468 = as_type<packed_char4>(w03_3_);
                packed_char4 reinterpreted_packed_char4_e520 = as_type<packed_char4>(_e520);
                s1_ = as_type<int>(as_type<uint>(_e519) + as_type<uint>(( + reinterpreted_packed_char4_e468[0] * reinterpreted_packed_char4_e520[0] + reinterpreted_packed_char4_e468[1] * reinterpreted_packed_char4_e520[1] + reinterpreted_packed_char4_e468[2] * reinterpreted_packed_char4_e520[2] + reinterpreted_packed_char4_e468[3] * reinterpreted_packed_char4_e520[3])));
                uint w10_0_ = w1_.x & 50529027u;
                uint w10_1_ = (w1_.x >> 2u) & 50529027u;
                uint w10_2_ = (w1_.x >> 4u) & 50529027u;
                uint w10_3_ = (w1_.x >> 6u) & 50529027u;
                metal::uint4 a10_0_ = turn_acts.inner[(((0u + r_2) * 16u) + 4u) + 0u];
                int _e552 = s0_;
                uint _e553 = a10_0_.x;
                packed_char4 reinterpreted_packed_char4_e525 = as_type<packed_char4>(w10_0_);
                packed_char4 reinterpreted_packed_char4_e553 = as_type<packed_char4>(_e553);
                s0_ = as_type<int>(as_type<uint>(_e552) + as_type<uint>(( + reinterpreted_packed_char4_e525[0] * reinterpreted_packed_char4_e553[0] + reinterpreted_packed_char4_e525[1] * reinterpreted_packed_char4_e553[1] + reinterpreted_packed_char4_e525[2] * reinterpreted_packed_char4_e553[2] + reinterpreted_packed_char4_e525[3] * reinterpreted_packed_char4_e553[3])));
                int _e556 = s0_;
                uint _e557 = a10_0_.y;
                packed_char4 reinterpreted_packed_char4_e530 = as_type<packed_char4>(w10_1_);
                packed_char4 reinterpreted_packed_char4_e557 = as_type<packed_char4>(_e557);
                s0_ = as_type<int>(as_type<uint>(_e556) + as_type<uint>(( + reinterpreted_packed_char4_e530[0] * reinterpreted_packed_char4_e557[0] + reinterpreted_packed_char4_e530[1] * reinterpreted_packed_char4_e557[1] + reinterpreted_packed_char4_e530[2] * reinterpreted_packed_char4_e557[2] + reinterpreted_packed_char4_e530[3] * reinterpreted_packed_char4_e557[3])));
                int _e560 = s0_;
                uint _e561 = a10_0_.z;
                packed_char4 reinterpreted_packed_char4_e535 = as_type<packed_char4>(w10_2_);
                packed_char4 reinterpreted_packed_char4_e561 = as_type<packed_char4>(_e561);
                s0_ = as_type<int>(as_type<uint>(_e560) + as_type<uint>(( + reinterpreted_packed_char4_e535[0] * reinterpreted_packed_char4_e561[0] + reinterpreted_packed_char4_e535[1] * reinterpreted_packed_char4_e561[1] + reinterpreted_packed_char4_e535[2] * reinterpreted_packed_char4_e561[2] + reinterpreted_packed_char4_e535[3] * reinterpreted_packed_char4_e561[3])));
                int _e564 = s0_;
                uint _e565 = a10_0_.w;
                packed_char4 reinterpreted_packed_char4_e540 = as_type<packed_char4>(w10_3_);
                packed_char4 reinterpreted_packed_char4_e565 = as_type<packed_char4>(_e565);
                s0_ = as_type<int>(as_type<uint>(_e564) + as_type<uint>(( + reinterpreted_packed_char4_e540[0] * reinterpreted_packed_char4_e565[0] + reinterpreted_packed_char4_e540[1] * reinterpreted_packed_char4_e565[1] + reinterpreted_packed_char4_e540[2] * reinterpreted_packed_char4_e565[2] + reinterpreted_packed_char4_e540[3] * reinterpreted_packed_char4_e565[3])));
                metal::uint4 a10_1_ = turn_acts.inner[(((16u + r_2) * 16u) + 4u) + 0u];
                int _e579 = s1_;
                uint _e580 = a10_1_.x;
                packed_char4 reinterpreted_packed_char4_e525 = as_type<packed_char4>(w10_0_);
                packed_char4 reinterpreted_packed_char4_e580 = as_type<packed_char4>(_e580);
                s1_ = as_type<int>(as_type<uint>(_e579) + as_type<uint>(( + reinterpreted_packed_char4_e525[0] * reinterpreted_packed_char4_e580[0] + reinterpreted_packed_char4_e525[1] * reinterpreted_packed_char4_e580[1] + reinterpreted_packed_char4_e525[2] * reinterpreted_packed_char4_e580[2] + reinterpreted_packed_char4_e525[3] * reinterpreted_packed_char4_e580[3])));
                int _e583 = s1_;
                uint _e584 = a10_1_.y;
                packed_char4 reinterpreted_packed_char4_e530 = as_type<packed_char4>(w10_1_);
                packed_char4 reinterpreted_packed_char4_e584 = as_type<packed_char4>(_e584);
                s1_ = as_type<int>(as_type<uint>(_e583) + as_type<uint>(( + reinterpreted_packed_char4_e530[0] * reinterpreted_packed_char4_e584[0] + reinterpreted_packed_char4_e530[1] * reinterpreted_packed_char4_e584[1] + reinterpreted_packed_char4_e530[2] * reinterpreted_packed_char4_e584[2] + reinterpreted_packed_char4_e530[3] * reinterpreted_packed_char4_e584[3])));
                int _e587 = s1_;
                uint _e588 = a10_1_.z;
                packed_char4 reinterpreted_packed_char4_e535 = as_type<packed_char4>(w10_2_);
                packed_char4 reinterpreted_packed_char4_e588 = as_type<packed_char4>(_e588);
                s1_ = as_type<int>(as_type<uint>(_e587) + as_type<uint>(( + reinterpreted_packed_char4_e535[0] * reinterpreted_packed_char4_e588[0] + reinterpreted_packed_char4_e535[1] * reinterpreted_packed_char4_e588[1] + reinterpreted_packed_char4_e535[2] * reinterpreted_packed_char4_e588[2] + reinterpreted_packed_char4_e535[3] * reinterpreted_packed_char4_e588[3])));
                int _e591 = s1_;
                uint _e592 = a10_1_.w;
                packed_char4 reinterpreted_packed_char4_e540 = as_type<packed_char4>(w10_3_);
                packed_char4 reinterpreted_packed_char4_e592 = as_type<packed_char4>(_e592);
                s1_ = as_type<int>(as_type<uint>(_e591) + as_type<uint>(( + reinterpreted_packed_char4_e540[0] * reinterpreted_packed_char4_e592[0] + reinterpreted_packed_char4_e540[1] * reinterpreted_packed_char4_e592[1] + reinterpreted_packed_char4_e540[2] * reinterpreted_packed_char4_e592[2] + reinterpreted_packed_char4_e540[3] * reinterpreted_packed_char4_e592[3])));
                uint w11_0_ = w1_.y & 50529027u;
                uint w11_1_ = (w1_.y >> 2u) & 50529027u;
                uint w11_2_ = (w1_.y >> 4u) & 50529027u;
                uint w11_3_ = (w1_.y >> 6u) & 50529027u;
                metal::uint4 a11_0_ = turn_acts.inner[(((0u + r_2) * 16u) + 4u) + 1u];
                int _e624 = s0_;
                uint _e625 = a11_0_.x;
                packed_char4 reinterpreted_packed_char4_e597 = as_type<packed_char4>(w11_0_);
                packed_char4 reinterpreted_packed_char4_e625 = as_type<packed_char4>(_e625);
                s0_ = as_type<int>(as_type<uint>(_e624) + as_type<uint>(( + reinterpreted_packed_char4_e597[0] * reinterpreted_packed_char4_e625[0] + reinterpreted_packed_char4_e597[1] * reinterpreted_packed_char4_e625[1] + reinterpreted_packed_char4_e597[2] * reinterpreted_packed_char4_e625[2] + reinterpreted_packed_char4_e597[3] * reinterpreted_packed_char4_e625[3])));
                int _e628 = s0_;
                uint _e629 = a11_0_.y;
                packed_char4 reinterpreted_packed_char4_e602 = as_type<packed_char4>(w11_1_);
                packed_char4 reinterpreted_packed_char4_e629 = as_type<packed_char4>(_e629);
                s0_ = as_type<int>(as_type<uint>(_e628) + as_type<uint>(( + reinterpreted_packed_char4_e602[0] * reinterpreted_packed_char4_e629[0] + reinterpreted_packed_char4_e602[1] * reinterpreted_packed_char4_e629[1] + reinterpreted_packed_char4_e602[2] * reinterpreted_packed_char4_e629[2] + reinterpreted_packed_char4_e602[3] * reinterpreted_packed_char4_e629[3])));
                int _e632 = s0_;
                uint _e633 = a11_0_.z;
                packed_char4 reinterpreted_packed_char4_e607 = as_type<packed_char4>(w11_2_);
                packed_char4 reinterpreted_packed_char4_e633 = as_type<packed_char4>(_e633);
                s0_ = as_type<int>(as_type<uint>(_e632) + as_type<uint>(( + reinterpreted_packed_char4_e607[0] * reinterpreted_packed_char4_e633[0] + reinterpreted_packed_char4_e607[1] * reinterpreted_packed_char4_e633[1] + reinterpreted_packed_char4_e607[2] * reinterpreted_packed_char4_e633[2] + reinterpreted_packed_char4_e607[3] * reinterpreted_packed_char4_e633[3])));
                int _e636 = s0_;
                uint _e637 = a11_0_.w;
                packed_char4 reinterpreted_packed_char4_e612 = as_type<packed_char4>(w11_3_);
                packed_char4 reinterpreted_packed_char4_e637 = as_type<packed_char4>(_e637);
                s0_ = as_type<int>(as_type<uint>(_e636) + as_type<uint>(( + reinterpreted_packed_char4_e612[0] * reinterpreted_packed_char4_e637[0] + reinterpreted_packed_char4_e612[1] * reinterpreted_packed_char4_e637[1] + reinterpreted_packed_char4_e612[2] * reinterpreted_packed_char4_e637[2] + reinterpreted_packed_char4_e612[3] * reinterpreted_packed_char4_e637[3])));
                metal::uint4 a11_1_ = turn_acts.inner[(((16u + r_2) * 16u) + 4u) + 1u];
                int _e651 = s1_;
                uint _e652 = a11_1_.x;
                packed_char4 reinterpreted_packed_char4_e597 = as_type<packed_char4>(w11_0_);
                packed_char4 reinterpreted_packed_char4_e652 = as_type<packed_char4>(_e652);
                s1_ = as_type<int>(as_type<uint>(_e651) + as_type<uint>(( + reinterpreted_packed_char4_e597[0] * reinterpreted_packed_char4_e652[0] + reinterpreted_packed_char4_e597[1] * reinterpreted_packed_char4_e652[1] + reinterpreted_packed_char4_e597[2] * reinterpreted_packed_char4_e652[2] + reinterpreted_packed_char4_e597[3] * reinterpreted_packed_char4_e652[3])));
                int _e655 = s1_;
                uint _e656 = a11_1_.y;
                packed_char4 reinterpreted_packed_char4_e602 = as_type<packed_char4>(w11_1_);
                packed_char4 reinterpreted_packed_char4_e656 = as_type<packed_char4>(_e656);
                s1_ = as_type<int>(as_type<uint>(_e655) + as_type<uint>(( + reinterpreted_packed_char4_e602[0] * reinterpreted_packed_char4_e656[0] + reinterpreted_packed_char4_e602[1] * reinterpreted_packed_char4_e656[1] + reinterpreted_packed_char4_e602[2] * reinterpreted_packed_char4_e656[2] + reinterpreted_packed_char4_e602[3] * reinterpreted_packed_char4_e656[3])));
                int _e659 = s1_;
                uint _e660 = a11_1_.z;
                packed_char4 reinterpreted_packed_char4_e607 = as_type<packed_char4>(w11_2_);
                packed_char4 reinterpreted_packed_char4_e660 = as_type<packed_char4>(_e660);
                s1_ = as_type<int>(as_type<uint>(_e659) + as_type<uint>(( + reinterpreted_packed_char4_e607[0] * reinterpreted_packed_char4_e660[0] + reinterpreted_packed_char4_e607[1] * reinterpreted_packed_char4_e660[1] + reinterpreted_packed_char4_e607[2] * reinterpreted_packed_char4_e660[2] + reinterpreted_packed_char4_e607[3] * reinterpreted_packed_char4_e660[3])));
                int _e663 = s1_;
                uint _e664 = a11_1_.w;
                packed_char4 reinterpreted_packed_char4_e612 = as_type<packed_char4>(w11_3_);
                packed_char4 reinterpreted_packed_char4_e664 = as_type<packed_char4>(_e664);
                s1_ = as_type<int>(as_type<uint>(_e663) + as_type<uint>(( + reinterpreted_packed_char4_e612[0] * reinterpreted_packed_char4_e664[0] + reinterpreted_packed_char4_e612[1] * reinterpreted_packed_char4_e664[1] + reinterpreted_packed_char4_e612[2] * reinterpreted_packed_char4_e664[2] + reinterpreted_packed_char4_e612[3] * reinterpreted_packed_char4_e664[3])));
                uint w12_0_ = w1_.z & 50529027u;
                uint w12_1_ = (w1_.z >> 2u) & 50529027u;
                uint w12_2_ = (w1_.z >> 4u) & 50529027u;
                uint w12_3_ = (w1_.z >> 6u) & 50529027u;
                metal::uint4 a12_0_ = turn_acts.inner[(((0u + r_2) * 16u) + 4u) + 2u];
                int _e696 = s0_;
                uint _e697 = a12_0_.x;
                packed_char4 reinterpreted_packed_char4_e669 = as_type<packed_char4>(w12_0_);
                packed_char4 reinterpreted_packed_char4_e697 = as_type<packed_char4>(_e697);
                s0_ = as_type<int>(as_type<uint>(_e696) + as_type<uint>(( + reinterpreted_packed_char4_e669[0] * reinterpreted_packed_char4_e697[0] + reinterpreted_packed_char4_e669[1] * reinterpreted_packed_char4_e697[1] + reinterpreted_packed_char4_e669[2] * reinterpreted_packed_char4_e697[2] + reinterpreted_packed_char4_e669[3] * reinterpreted_packed_char4_e697[3])));
                int _e700 = s0_;
                uint _e701 = a12_0_.y;
                packed_char4 reinterpreted_packed_char4_e674 = as_type<packed_char4>(w12_1_);
                packed_char4 reinterpreted_packed_char4_e701 = as_type<packed_char4>(_e701);
                s0_ = as_type<int>(as_type<uint>(_e700) + as_type<uint>(( + reinterpreted_packed_char4_e674[0] * reinterpreted_packed_char4_e701[0] + reinterpreted_packed_char4_e674[1] * reinterpreted_packed_char4_e701[1] + reinterpreted_packed_char4_e674[2] * reinterpreted_packed_char4_e701[2] + reinterpreted_packed_char4_e674[3] * reinterpreted_packed_char4_e701[3])));
                int _e704 = s0_;
                uint _e705 = a12_0_.z;
                packed_char4 reinterpreted_packed_char4_e679 = as_type<packed_char4>(w12_2_);
                packed_char4 reinterpreted_packed_char4_e705 = as_type<packed_char4>(_e705);
                s0_ = as_type<int>(as_type<uint>(_e704) + as_type<uint>(( + reinterpreted_packed_char4_e679[0] * reinterpreted_packed_char4_e705[0] + reinterpreted_packed_char4_e679[1] * reinterpreted_packed_char4_e705[1] + reinterpreted_packed_char4_e679[2] * reinterpreted_packed_char4_e705[2] + reinterpreted_packed_char4_e679[3] * reinterpreted_packed_char4_e705[3])));
                int _e708 = s0_;
                uint _e709 = a12_0_.w;
                packed_char4 reinterpreted_packed_char4_e684 = as_type<packed_char4>(w12_3_);
                packed_char4 reinterpreted_packed_char4_e709 = as_type<packed_char4>(_e709);
                s0_ = as_type<int>(as_type<uint>(_e708) + as_type<uint>(( + reinterpreted_packed_char4_e684[0] * reinterpreted_packed_char4_e709[0] + reinterpreted_packed_char4_e684[1] * reinterpreted_packed_char4_e709[1] + reinterpreted_packed_char4_e684[2] * reinterpreted_packed_char4_e709[2] + reinterpreted_packed_char4_e684[3] * reinterpreted_packed_char4_e709[3])));
                metal::uint4 a12_1_ = turn_acts.inner[(((16u + r_2) * 16u) + 4u) + 2u];
                int _e723 = s1_;
                uint _e724 = a12_1_.x;
                packed_char4 reinterpreted_packed_char4_e669 = as_type<packed_char4>(w12_0_);
                packed_char4 reinterpreted_packed_char4_e724 = as_type<packed_char4>(_e724);
                s1_ = as_type<int>(as_type<uint>(_e723) + as_type<uint>(( + reinterpreted_packed_char4_e669[0] * reinterpreted_packed_char4_e724[0] + reinterpreted_packed_char4_e669[1] * reinterpreted_packed_char4_e724[1] + reinterpreted_packed_char4_e669[2] * reinterpreted_packed_char4_e724[2] + reinterpreted_packed_char4_e669[3] * reinterpreted_packed_char4_e724[3])));
                int _e727 = s1_;
                uint _e728 = a12_1_.y;
                packed_char4 reinterpreted_packed_char4_e674 = as_type<packed_char4>(w12_1_);
                packed_char4 reinterpreted_packed_char4_e728 = as_type<packed_char4>(_e728);
                s1_ = as_type<int>(as_type<uint>(_e727) + as_type<uint>(( + reinterpreted_packed_char4_e674[0] * reinterpreted_packed_char4_e728[0] + reinterpreted_packed_char4_e674[1] * reinterpreted_packed_char4_e728[1] + reinterpreted_packed_char4_e674[2] * reinterpreted_packed_char4_e728[2] + reinterpreted_packed_char4_e674[3] * reinterpreted_packed_char4_e728[3])));
                int _e731 = s1_;
                uint _e732 = a12_1_.z;
                packed_char4 reinterpreted_packed_char4_e679 = as_type<packed_char4>(w12_2_);
                packed_char4 reinterpreted_packed_char4_e732 = as_type<packed_char4>(_e732);
                s1_ = as_type<int>(as_type<uint>(_e731) + as_type<uint>(( + reinterpreted_packed_char4_e679[0] * reinterpreted_packed_char4_e732[0] + reinterpreted_packed_char4_e679[1] * reinterpreted_packed_char4_e732[1] + reinterpreted_packed_char4_e679[2] * reinterpreted_packed_char4_e732[2] + reinterpreted_packed_char4_e679[3] * reinterpreted_packed_char4_e732[3])));
                int _e735 = s1_;
                uint _e736 = a12_1_.w;
                packed_char4 reinterpreted_packed_char4_e684 = as_type<packed_char4>(w12_3_);
                packed_char4 reinterpreted_packed_char4_e736 = as_type<packed_char4>(_e736);
                s1_ = as_type<int>(as_type<uint>(_e735) + as_type<uint>(( + reinterpreted_packed_char4_e684[0] * reinterpreted_packed_char4_e736[0] + reinterpreted_packed_char4_e684[1] * reinterpreted_packed_char4_e736[1] + reinterpreted_packed_char4_e684[2] * reinterpreted_packed_char4_e736[2] + reinterpreted_packed_char4_e684[3] * reinterpreted_packed_char4_e736[3])));
                uint w13_0_ = w1_.w & 50529027u;
                uint w13_1_ = (w1_.w >> 2u) & 50529027u;
                uint w13_2_ = (w1_.w >> 4u) & 50529027u;
                uint w13_3_ = (w1_.w >> 6u) & 50529027u;
                metal::uint4 a13_0_ = turn_acts.inner[(((0u + r_2) * 16u) + 4u) + 3u];
                int _e768 = s0_;
                uint _e769 = a13_0_.x;
                packed_char4 reinterpreted_packed_char4_e741 = as_type<packed_char4>(w13_0_);
                packed_char4 reinterpreted_packed_char4_e769 = as_type<packed_char4>(_e769);
                s0_ = as_type<int>(as_type<uint>(_e768) + as_type<uint>(( + reinterpreted_packed_char4_e741[0] * reinterpreted_packed_char4_e769[0] + reinterpreted_packed_char4_e741[1] * reinterpreted_packed_char4_e769[1] + reinterpreted_packed_char4_e741[2] * reinterpreted_packed_char4_e769[2] + reinterpreted_packed_char4_e741[3] * reinterpreted_packed_char4_e769[3])));
                int _e772 = s0_;
                uint _e773 = a13_0_.y;
                packed_char4 reinterpreted_packed_char4_e746 = as_type<packed_char4>(w13_1_);
                packed_char4 reinterpreted_packed_char4_e773 = as_type<packed_char4>(_e773);
                s0_ = as_type<int>(as_type<uint>(_e772) + as_type<uint>(( + reinterpreted_packed_char4_e746[0] * reinterpreted_packed_char4_e773[0] + reinterpreted_packed_char4_e746[1] * reinterpreted_packed_char4_e773[1] + reinterpreted_packed_char4_e746[2] * reinterpreted_packed_char4_e773[2] + reinterpreted_packed_char4_e746[3] * reinterpreted_packed_char4_e773[3])));
                int _e776 = s0_;
                uint _e777 = a13_0_.z;
                packed_char4 reinterpreted_packed_char4_e751 = as_type<packed_char4>(w13_2_);
                packed_char4 reinterpreted_packed_char4_e777 = as_type<packed_char4>(_e777);
                s0_ = as_type<int>(as_type<uint>(_e776) + as_type<uint>(( + reinterpreted_packed_char4_e751[0] * reinterpreted_packed_char4_e777[0] + reinterpreted_packed_char4_e751[1] * reinterpreted_packed_char4_e777[1] + reinterpreted_packed_char4_e751[2] * reinterpreted_packed_char4_e777[2] + reinterpreted_packed_char4_e751[3] * reinterpreted_packed_char4_e777[3])));
                int _e780 = s0_;
                uint _e781 = a13_0_.w;
                packed_char4 reinterpreted_packed_char4_e756 = as_type<packed_char4>(w13_3_);
                packed_char4 reinterpreted_packed_char4_e781 = as_type<packed_char4>(_e781);
                s0_ = as_type<int>(as_type<uint>(_e780) + as_type<uint>(( + reinterpreted_packed_char4_e756[0] * reinterpreted_packed_char4_e781[0] + reinterpreted_packed_char4_e756[1] * reinterpreted_packed_char4_e781[1] + reinterpreted_packed_char4_e756[2] * reinterpreted_packed_char4_e781[2] + reinterpreted_packed_char4_e756[3] * reinterpreted_packed_char4_e781[3])));
                metal::uint4 a13_1_ = turn_acts.inner[(((16u + r_2) * 16u) + 4u) + 3u];
                int _e795 = s1_;
                uint _e796 = a13_1_.x;
                packed_char4 reinterpreted_packed_char4_e741 = as_type<packed_char4>(w13_0_);
                packed_char4 reinterpreted_packed_char4_e796 = as_type<packed_char4>(_e796);
                s1_ = as_type<int>(as_type<uint>(_e795) + as_type<uint>(( + reinterpreted_packed_char4_e741[0] * reinterpreted_packed_char4_e796[0] + reinterpreted_packed_char4_e741[1] * reinterpreted_packed_char4_e796[1] + reinterpreted_packed_char4_e741[2] * reinterpreted_packed_char4_e796[2] + reinterpreted_packed_char4_e741[3] * reinterpreted_packed_char4_e796[3])));
                int _e799 = s1_;
                uint _e800 = a13_1_.y;
                packed_char4 reinterpreted_packed_char4_e746 = as_type<packed_char4>(w13_1_);
                packed_char4 reinterpreted_packed_char4_e800 = as_type<packed_char4>(_e800);
                s1_ = as_type<int>(as_type<uint>(_e799) + as_type<uint>(( + reinterpreted_packed_char4_e746[0] * reinterpreted_packed_char4_e800[0] + reinterpreted_packed_char4_e746[1] * reinterpreted_packed_char4_e800[1] + reinterpreted_packed_char4_e746[2] * reinterpreted_packed_char4_e800[2] + reinterpreted_packed_char4_e746[3] * reinterpreted_packed_char4_e800[3])));
                int _e803 = s1_;
                uint _e804 = a13_1_.z;
                packed_char4 reinterpreted_packed_char4_e751 = as_type<packed_char4>(w13_2_);
                packed_char4 reinterpreted_packed_char4_e804 = as_type<packed_char4>(_e804);
                s1_ = as_type<int>(as_type<uint>(_e803) + as_type<uint>(( + reinterpreted_packed_char4_e751[0] * reinterpreted_packed_char4_e804[0] + reinterpreted_packed_char4_e751[1] * reinterpreted_packed_char4_e804[1] + reinterpreted_packed_char4_e751[2] * reinterpreted_packed_char4_e804[2] + reinterpreted_packed_char4_e751[3] * reinterpreted_packed_char4_e804[3])));
                int _e807 = s1_;
                uint _e808 = a13_1_.w;
                packed_char4 reinterpreted_packed_char4_e756 = as_type<packed_char4>(w13_3_);
                packed_char4 reinterpreted_packed_char4_e808 = as_type<packed_char4>(_e808);
                s1_ = as_type<int>(as_type<uint>(_e807) + as_type<uint>(( + reinterpreted_packed_char4_e756[0] * reinterpreted_packed_char4_e808[0] + reinterpreted_packed_char4_e756[1] * reinterpreted_packed_char4_e808[1] + reinterpreted_packed_char4_e756[2] * reinterpreted_packed_char4_e808[2] + reinterpreted_packed_char4_e756[3] * reinterpreted_packed_char4_e808[3])));
                uint w20_0_ = w2_.x & 50529027u;
                uint w20_1_ = (w2_.x >> 2u) & 50529027u;
                uint w20_2_ = (w2_.x >> 4u) & 50529027u;
                uint w20_3_ = (w2_.x >> 6u) & 50529027u;
                metal::uint4 a20_0_ = turn_acts.inner[(((0u + r_2) * 16u) + 8u) + 0u];
                int _e840 = s0_;
                uint _e841 = a20_0_.x;
                packed_char4 reinterpreted_packed_char4_e813 = as_type<packed_char4>(w20_0_);
                packed_char4 reinterpreted_packed_char4_e841 = as_type<packed_char4>(_e841);
                s0_ = as_type<int>(as_type<uint>(_e840) + as_type<uint>(( + reinterpreted_packed_char4_e813[0] * reinterpreted_packed_char4_e841[0] + reinterpreted_packed_char4_e813[1] * reinterpreted_packed_char4_e841[1] + reinterpreted_packed_char4_e813[2] * reinterpreted_packed_char4_e841[2] + reinterpreted_packed_char4_e813[3] * reinterpreted_packed_char4_e841[3])));
                int _e844 = s0_;
                uint _e845 = a20_0_.y;
                packed_char4 reinterpreted_packed_char4_e818 = as_type<packed_char4>(w20_1_);
                packed_char4 reinterpreted_packed_char4_e845 = as_type<packed_char4>(_e845);
                s0_ = as_type<int>(as_type<uint>(_e844) + as_type<uint>(( + reinterpreted_packed_char4_e818[0] * reinterpreted_packed_char4_e845[0] + reinterpreted_packed_char4_e818[1] * reinterpreted_packed_char4_e845[1] + reinterpreted_packed_char4_e818[2] * reinterpreted_packed_char4_e845[2] + reinterpreted_packed_char4_e818[3] * reinterpreted_packed_char4_e845[3])));
                int _e848 = s0_;
                uint _e849 = a20_0_.z;
                packed_char4 reinterpreted_packed_char4_e823 = as_type<packed_char4>(w20_2_);
                packed_char4 reinterpreted_packed_char4_e849 = as_type<packed_char4>(_e849);
                s0_ = as_type<int>(as_type<uint>(_e848) + as_type<uint>(( + reinterpreted_packed_char4_e823[0] * reinterpreted_packed_char4_e849[0] + reinterpreted_packed_char4_e823[1] * reinterpreted_packed_char4_e849[1] + reinterpreted_packed_char4_e823[2] * reinterpreted_packed_char4_e849[2] + reinterpreted_packed_char4_e823[3] * reinterpreted_packed_char4_e849[3])));
                int _e852 = s0_;
                uint _e853 = a20_0_.w;
                packed_char4 reinterpreted_packed_char4_e828 = as_type<packed_char4>(w20_3_);
                packed_char4 reinterpreted_packed_char4_e853 = as_type<packed_char4>(_e853);
                s0_ = as_type<int>(as_type<uint>(_e852) + as_type<uint>(( + reinterpreted_packed_char4_e828[0] * reinterpreted_packed_char4_e853[0] + reinterpreted_packed_char4_e828[1] * reinterpreted_packed_char4_e853[1] + reinterpreted_packed_char4_e828[2] * reinterpreted_packed_char4_e853[2] + reinterpreted_packed_char4_e828[3] * reinterpreted_packed_char4_e853[3])));
                metal::uint4 a20_1_ = turn_acts.inner[(((16u + r_2) * 16u) + 8u) + 0u];
                int _e867 = s1_;
                uint _e868 = a20_1_.x;
                packed_char4 reinterpreted_packed_char4_e813 = as_type<packed_char4>(w20_0_);
                packed_char4 reinterpreted_packed_char4_e868 = as_type<packed_char4>(_e868);
                s1_ = as_type<int>(as_type<uint>(_e867) + as_type<uint>(( + reinterpreted_packed_char4_e813[0] * reinterpreted_packed_char4_e868[0] + reinterpreted_packed_char4_e813[1] * reinterpreted_packed_char4_e868[1] + reinterpreted_packed_char4_e813[2] * reinterpreted_packed_char4_e868[2] + reinterpreted_packed_char4_e813[3] * reinterpreted_packed_char4_e868[3])));
                int _e871 = s1_;
                uint _e872 = a20_1_.y;
                packed_char4 reinterpreted_packed_char4_e818 = as_type<packed_char4>(w20_1_);
                packed_char4 reinterpreted_packed_char4_e872 = as_type<packed_char4>(_e872);
                s1_ = as_type<int>(as_type<uint>(_e871) + as_type<uint>(( + reinterpreted_packed_char4_e818[0] * reinterpreted_packed_char4_e872[0] + reinterpreted_packed_char4_e818[1] * reinterpreted_packed_char4_e872[1] + reinterpreted_packed_char4_e818[2] * reinterpreted_packed_char4_e872[2] + reinterpreted_packed_char4_e818[3] * reinterpreted_packed_char4_e872[3])));
                int _e875 = s1_;
                uint _e876 = a20_1_.z;
                packed_char4 reinterpreted_packed_char4_e823 = as_type<packed_char4>(w20_2_);
                packed_char4 reinterpreted_packed_char4_e876 = as_type<packed_char4>(_e876);
                s1_ = as_type<int>(as_type<uint>(_e875) + as_type<uint>(( + reinterpreted_packed_char4_e823[0] * reinterpreted_packed_char4_e876[0] + reinterpreted_packed_char4_e823[1] * reinterpreted_packed_char4_e876[1] + reinterpreted_packed_char4_e823[2] * reinterpreted_packed_char4_e876[2] + reinterpreted_packed_char4_e823[3] * reinterpreted_packed_char4_e876[3])));
                int _e879 = s1_;
                uint _e880 = a20_1_.w;
                packed_char4 reinterpreted_packed_char4_e828 = as_type<packed_char4>(w20_3_);
                packed_char4 reinterpreted_packed_char4_e880 = as_type<packed_char4>(_e880);
                s1_ = as_type<int>(as_type<uint>(_e879) + as_type<uint>(( + reinterpreted_packed_char4_e828[0] * reinterpreted_packed_char4_e880[0] + reinterpreted_packed_char4_e828[1] * reinterpreted_packed_char4_e880[1] + reinterpreted_packed_char4_e828[2] * reinterpreted_packed_char4_e880[2] + reinterpreted_packed_char4_e828[3] * reinterpreted_packed_char4_e880[3])));
                uint w21_0_ = w2_.y & 50529027u;
                uint w21_1_ = (w2_.y >> 2u) & 50529027u;
                uint w21_2_ = (w2_.y >> 4u) & 50529027u;
                uint w21_3_ = (w2_.y >> 6u) & 50529027u;
                metal::uint4 a21_0_ = turn_acts.inner[(((0u + r_2) * 16u) + 8u) + 1u];
                int _e912 = s0_;
                uint _e913 = a21_0_.x;
                packed_char4 reinterpreted_packed_char4_e885 = as_type<packed_char4>(w21_0_);
                packed_char4 reinterpreted_packed_char4_e913 = as_type<packed_char4>(_e913);
                s0_ = as_type<int>(as_type<uint>(_e912) + as_type<uint>(( + reinterpreted_packed_char4_e885[0] * reinterpreted_packed_char4_e913[0] + reinterpreted_packed_char4_e885[1] * reinterpreted_packed_char4_e913[1] + reinterpreted_packed_char4_e885[2] * reinterpreted_packed_char4_e913[2] + reinterpreted_packed_char4_e885[3] * reinterpreted_packed_char4_e913[3])));
                int _e916 = s0_;
                uint _e917 = a21_0_.y;
                packed_char4 reinterpreted_packed_char4_e890 = as_type<packed_char4>(w21_1_);
                packed_char4 reinterpreted_packed_char4_e917 = as_type<packed_char4>(_e917);
                s0_ = as_type<int>(as_type<uint>(_e916) + as_type<uint>(( + reinterpreted_packed_char4_e890[0] * reinterpreted_packed_char4_e917[0] + reinterpreted_packed_char4_e890[1] * reinterpreted_packed_char4_e917[1] + reinterpreted_packed_char4_e890[2] * reinterpreted_packed_char4_e917[2] + reinterpreted_packed_char4_e890[3] * reinterpreted_packed_char4_e917[3])));
                int _e920 = s0_;
                uint _e921 = a21_0_.z;
                packed_char4 reinterpreted_packed_char4_e895 = as_type<packed_char4>(w21_2_);
                packed_char4 reinterpreted_packed_char4_e921 = as_type<packed_char4>(_e921);
                s0_ = as_type<int>(as_type<uint>(_e920) + as_type<uint>(( + reinterpreted_packed_char4_e895[0] * reinterpreted_packed_char4_e921[0] + reinterpreted_packed_char4_e895[1] * reinterpreted_packed_char4_e921[1] + reinterpreted_packed_char4_e895[2] * reinterpreted_packed_char4_e921[2] + reinterpreted_packed_char4_e895[3] * reinterpreted_packed_char4_e921[3])));
                int _e924 = s0_;
                uint _e925 = a21_0_.w;
                packed_char4 reinterpreted_packed_char4_e900 = as_type<packed_char4>(w21_3_);
                packed_char4 reinterpreted_packed_char4_e925 = as_type<packed_char4>(_e925);
                s0_ = as_type<int>(as_type<uint>(_e924) + as_type<uint>(( + reinterpreted_packed_char4_e900[0] * reinterpreted_packed_char4_e925[0] + reinterpreted_packed_char4_e900[1] * reinterpreted_packed_char4_e925[1] + reinterpreted_packed_char4_e900[2] * reinterpreted_packed_char4_e925[2] + reinterpreted_packed_char4_e900[3] * reinterpreted_packed_char4_e925[3])));
                metal::uint4 a21_1_ = turn_acts.inner[(((16u + r_2) * 16u) + 8u) + 1u];
                int _e939 = s1_;
                uint _e940 = a21_1_.x;
                packed_char4 reinterpreted_packed_char4_e885 = as_type<packed_char4>(w21_0_);
                packed_char4 reinterpreted_packed_char4_e940 = as_type<packed_char4>(_e940);
                s1_ = as_type<int>(as_type<uint>(_e939) + as_type<uint>(( + reinterpreted_packed_char4_e885[0] * reinterpreted_packed_char4_e940[0] + reinterpreted_packed_char4_e885[1] * reinterpreted_packed_char4_e940[1] + reinterpreted_packed_char4_e885[2] * reinterpreted_packed_char4_e940[2] + reinterpreted_packed_char4_e885[3] * reinterpreted_packed_char4_e940[3])));
                int _e943 = s1_;
                uint _e944 = a21_1_.y;
                packed_char4 reinterpreted_packed_char4_e890 = as_type<packed_char4>(w21_1_);
                packed_char4 reinterpreted_packed_char4_e944 = as_type<packed_char4>(_e944);
                s1_ = as_type<int>(as_type<uint>(_e943) + as_type<uint>(( + reinterpreted_packed_char4_e890[0] * reinterpreted_packed_char4_e944[0] + reinterpreted_packed_char4_e890[1] * reinterpreted_packed_char4_e944[1] + reinterpreted_packed_char4_e890[2] * reinterpreted_packed_char4_e944[2] + reinterpreted_packed_char4_e890[3] * reinterpreted_packed_char4_e944[3])));
                int _e947 = s1_;
                uint _e948 = a21_1_.z;
                packed_char4 reinterpreted_packed_char4_e895 = as_type<packed_char4>(w21_2_);
                packed_char4 reinterpreted_packed_char4_e948 = as_type<packed_char4>(_e948);
                s1_ = as_type<int>(as_type<uint>(_e947) + as_type<uint>(( + reinterpreted_packed_char4_e895[0] * reinterpreted_packed_char4_e948[0] + reinterpreted_packed_char4_e895[1] * reinterpreted_packed_char4_e948[1] + reinterpreted_packed_char4_e895[2] * reinterpreted_packed_char4_e948[2] + reinterpreted_packed_char4_e895[3] * reinterpreted_packed_char4_e948[3])));
                int _e951 = s1_;
                uint _e952 = a21_1_.w;
                packed_char4 reinterpreted_packed_char4_e900 = as_type<packed_char4>(w21_3_);
                packed_char4 reinterpreted_packed_char4_e952 = as_type<packed_char4>(_e952);
                s1_ = as_type<int>(as_type<uint>(_e951) + as_type<uint>(( + reinterpreted_packed_char4_e900[0] * reinterpreted_packed_char4_e952[0] + reinterpreted_packed_char4_e900[1] * reinterpreted_packed_char4_e952[1] + reinterpreted_packed_char4_e900[2] * reinterpreted_packed_char4_e952[2] + reinterpreted_packed_char4_e900[3] * reinterpreted_packed_char4_e952[3])));
                uint w22_0_ = w2_.z & 50529027u;
                uint w22_1_ = (w2_.z >> 2u) & 50529027u;
                uint w22_2_ = (w2_.z >> 4u) & 50529027u;
                uint w22_3_ = (w2_.z >> 6u) & 50529027u;
                metal::uint4 a22_0_ = turn_acts.inner[(((0u + r_2) * 16u) + 8u) + 2u];
                int _e984 = s0_;
                uint _e985 = a22_0_.x;
                packed_char4 reinterpreted_packed_char4_e957 = as_type<packed_char4>(w22_0_);
                packed_char4 reinterpreted_packed_char4_e985 = as_type<packed_char4>(_e985);
                s0_ = as_type<int>(as_type<uint>(_e984) + as_type<uint>(( + reinterpreted_packed_char4_e957[0] * reinterpreted_packed_char4_e985[0] + reinterpreted_packed_char4_e957[1] * reinterpreted_packed_char4_e985[1] + reinterpreted_packed_char4_e957[2] * reinterpreted_packed_char4_e985[2] + reinterpreted_packed_char4_e957[3] * reinterpreted_packed_char4_e985[3])));
                int _e988 = s0_;
                uint _e989 = a22_0_.y;
                packed_char4 reinterpreted_packed_char4_e962 = as_type<packed_char4>(w22_1_);
                packed_char4 reinterpreted_packed_char4_e989 = as_type<packed_char4>(_e989);
                s0_ = as_type<int>(as_type<uint>(_e988) + as_type<uint>(( + reinterpreted_packed_char4_e962[0] * reinterpreted_packed_char4_e989[0] + reinterpreted_packed_char4_e962[1] * reinterpreted_packed_char4_e989[1] + reinterpreted_packed_char4_e962[2] * reinterpreted_packed_char4_e989[2] + reinterpreted_packed_char4_e962[3] * reinterpreted_packed_char4_e989[3])));
                int _e992 = s0_;
                uint _e993 = a22_0_.z;
                packed_char4 reinterpreted_packed_char4_e967 = as_type<packed_char4>(w22_2_);
                packed_char4 reinterpreted_packed_char4_e993 = as_type<packed_char4>(_e993);
                s0_ = as_type<int>(as_type<uint>(_e992) + as_type<uint>(( + reinterpreted_packed_char4_e967[0] * reinterpreted_packed_char4_e993[0] + reinterpreted_packed_char4_e967[1] * reinterpreted_packed_char4_e993[1] + reinterpreted_packed_char4_e967[2] * reinterpreted_packed_char4_e993[2] + reinterpreted_packed_char4_e967[3] * reinterpreted_packed_char4_e993[3])));
                int _e996 = s0_;
                uint _e997 = a22_0_.w;
                packed_char4 reinterpreted_packed_char4_e972 = as_type<packed_char4>(w22_3_);
                packed_char4 reinterpreted_packed_char4_e997 = as_type<packed_char4>(_e997);
                s0_ = as_type<int>(as_type<uint>(_e996) + as_type<uint>(( + reinterpreted_packed_char4_e972[0] * reinterpreted_packed_char4_e997[0] + reinterpreted_packed_char4_e972[1] * reinterpreted_packed_char4_e997[1] + reinterpreted_packed_char4_e972[2] * reinterpreted_packed_char4_e997[2] + reinterpreted_packed_char4_e972[3] * reinterpreted_packed_char4_e997[3])));
                metal::uint4 a22_1_ = turn_acts.inner[(((16u + r_2) * 16u) + 8u) + 2u];
                int _e1011 = s1_;
                uint _e1012 = a22_1_.x;
                packed_char4 reinterpreted_packed_char4_e957 = as_type<packed_char4>(w22_0_);
                packed_char4 reinterpreted_packed_char4_e1012 = as_type<packed_char4>(_e1012);
                s1_ = as_type<int>(as_type<uint>(_e1011) + as_type<uint>(( + reinterpreted_packed_char4_e957[0] * reinterpreted_packed_char4_e1012[0] + reinterpreted_packed_char4_e957[1] * reinterpreted_packed_char4_e1012[1] + reinterpreted_packed_char4_e957[2] * reinterpreted_packed_char4_e1012[2] + reinterpreted_packed_char4_e957[3] * reinterpreted_packed_char4_e1012[3])));
                int _e1015 = s1_;
                uint _e1016 = a22_1_.y;
                packed_char4 reinterpreted_packed_char4_e962 = as_type<packed_char4>(w22_1_);
                packed_char4 reinterpreted_packed_char4_e1016 = as_type<packed_char4>(_e1016);
                s1_ = as_type<int>(as_type<uint>(_e1015) + as_type<uint>(( + reinterpreted_packed_char4_e962[0] * reinterpreted_packed_char4_e1016[0] + reinterpreted_packed_char4_e962[1] * reinterpreted_packed_char4_e1016[1] + reinterpreted_packed_char4_e962[2] * reinterpreted_packed_char4_e1016[2] + reinterpreted_packed_char4_e962[3] * reinterpreted_packed_char4_e1016[3])));
                int _e1019 = s1_;
                uint _e1020 = a22_1_.z;
                packed_char4 reinterpreted_packed_char4_e967 = as_type<packed_char4>(w22_2_);
                packed_char4 reinterpreted_packed_char4_e1020 = as_type<packed_char4>(_e1020);
                s1_ = as_type<int>(as_type<uint>(_e1019) + as_type<uint>(( + reinterpreted_packed_char4_e967[0] * reinterpreted_packed_char4_e1020[0] + reinterpreted_packed_char4_e967[1] * reinterpreted_packed_char4_e1020[1] + reinterpreted_packed_char4_e967[2] * reinterpreted_packed_char4_e1020[2] + reinterpreted_packed_char4_e967[3] * reinterpreted_packed_char4_e1020[3])));
                int _e1023 = s1_;
                uint _e1024 = a22_1_.w;
                packed_char4 reinterpreted_packed_char4_e972 = as_type<packed_char4>(w22_3_);
                packed_char4 reinterpreted_packed_char4_e1024 = as_type<packed_char4>(_e1024);
                s1_ = as_type<int>(as_type<uint>(_e1023) + as_type<uint>(( + reinterpreted_packed_char4_e972[0] * reinterpreted_packed_char4_e1024[0] + reinterpreted_packed_char4_e972[1] * reinterpreted_packed_char4_e1024[1] + reinterpreted_packed_char4_e972[2] * reinterpreted_packed_char4_e1024[2] + reinterpreted_packed_char4_e972[3] * reinterpreted_packed_char4_e1024[3])));
                uint w23_0_ = w2_.w & 50529027u;
                uint w23_1_ = (w2_.w >> 2u) & 50529027u;
                uint w23_2_ = (w2_.w >> 4u) & 50529027u;
                uint w23_3_ = (w2_.w >> 6u) & 50529027u;
                metal::uint4 a23_0_ = turn_acts.inner[(((0u + r_2) * 16u) + 8u) + 3u];
                int _e1056 = s0_;
                uint _e1057 = a23_0_.x;
                packed_char4 reinterpreted_packed_char4_e1029 = as_type<packed_char4>(w23_0_);
                packed_char4 reinterpreted_packed_char4_e1057 = as_type<packed_char4>(_e1057);
                s0_ = as_type<int>(as_type<uint>(_e1056) + as_type<uint>(( + reinterpreted_packed_char4_e1029[0] * reinterpreted_packed_char4_e1057[0] + reinterpreted_packed_char4_e1029[1] * reinterpreted_packed_char4_e1057[1] + reinterpreted_packed_char4_e1029[2] * reinterpreted_packed_char4_e1057[2] + reinterpreted_packed_char4_e1029[3] * reinterpreted_packed_char4_e1057[3])));
                int _e1060 = s0_;
                uint _e1061 = a23_0_.y;
                packed_char4 reinterpreted_packed_char4_e1034 = as_type<packed_char4>(w23_1_);
                packed_char4 reinterpreted_packed_char4_e1061 = as_type<packed_char4>(_e1061);
                s0_ = as_type<int>(as_type<uint>(_e1060) + as_type<uint>(( + reinterpreted_packed_char4_e1034[0] * reinterpreted_packed_char4_e1061[0] + reinterpreted_packed_char4_e1034[1] * reinterpreted_packed_char4_e1061[1] + reinterpreted_packed_char4_e1034[2] * reinterpreted_packed_char4_e1061[2] + reinterpreted_packed_char4_e1034[3] * reinterpreted_packed_char4_e1061[3])));
                int _e1064 = s0_;
                uint _e1065 = a23_0_.z;
                packed_char4 reinterpreted_packed_char4_e1039 = as_type<packed_char4>(w23_2_);
                packed_char4 reinterpreted_packed_char4_e1065 = as_type<packed_char4>(_e1065);
                s0_ = as_type<int>(as_type<uint>(_e1064) + as_type<uint>(( + reinterpreted_packed_char4_e1039[0] * reinterpreted_packed_char4_e1065[0] + reinterpreted_packed_char4_e1039[1] * reinterpreted_packed_char4_e1065[1] + reinterpreted_packed_char4_e1039[2] * reinterpreted_packed_char4_e1065[2] + reinterpreted_packed_char4_e1039[3] * reinterpreted_packed_char4_e1065[3])));
                int _e1068 = s0_;
                uint _e1069 = a23_0_.w;
                packed_char4 reinterpreted_packed_char4_e1044 = as_type<packed_char4>(w23_3_);
                packed_char4 reinterpreted_packed_char4_e1069 = as_type<packed_char4>(_e1069);
                s0_ = as_type<int>(as_type<uint>(_e1068) + as_type<uint>(( + reinterpreted_packed_char4_e1044[0] * reinterpreted_packed_char4_e1069[0] + reinterpreted_packed_char4_e1044[1] * reinterpreted_packed_char4_e1069[1] + reinterpreted_packed_char4_e1044[2] * reinterpreted_packed_char4_e1069[2] + reinterpreted_packed_char4_e1044[3] * reinterpreted_packed_char4_e1069[3])));
                metal::uint4 a23_1_ = turn_acts.inner[(((16u + r_2) * 16u) + 8u) + 3u];
                int _e1083 = s1_;
                uint _e1084 = a23_1_.x;
                packed_char4 reinterpreted_packed_char4_e1029 = as_type<packed_char4>(w23_0_);
                packed_char4 reinterpreted_packed_char4_e1084 = as_type<packed_char4>(_e1084);
                s1_ = as_type<int>(as_type<uint>(_e1083) + as_type<uint>(( + reinterpreted_packed_char4_e1029[0] * reinterpreted_packed_char4_e1084[0] + reinterpreted_packed_char4_e1029[1] * reinterpreted_packed_char4_e1084[1] + reinterpreted_packed_char4_e1029[2] * reinterpreted_packed_char4_e1084[2] + reinterpreted_packed_char4_e1029[3] * reinterpreted_packed_char4_e1084[3])));
                int _e1087 = s1_;
                uint _e1088 = a23_1_.y;
                packed_char4 reinterpreted_packed_char4_e1034 = as_type<packed_char4>(w23_1_);
                packed_char4 reinterpreted_packed_char4_e1088 = as_type<packed_char4>(_e1088);
                s1_ = as_type<int>(as_type<uint>(_e1087) + as_type<uint>(( + reinterpreted_packed_char4_e1034[0] * reinterpreted_packed_char4_e1088[0] + reinterpreted_packed_char4_e1034[1] * reinterpreted_packed_char4_e1088[1] + reinterpreted_packed_char4_e1034[2] * reinterpreted_packed_char4_e1088[2] + reinterpreted_packed_char4_e1034[3] * reinterpreted_packed_char4_e1088[3])));
                int _e1091 = s1_;
                uint _e1092 = a23_1_.z;
                packed_char4 reinterpreted_packed_char4_e1039 = as_type<packed_char4>(w23_2_);
                packed_char4 reinterpreted_packed_char4_e1092 = as_type<packed_char4>(_e1092);
                s1_ = as_type<int>(as_type<uint>(_e1091) + as_type<uint>(( + reinterpreted_packed_char4_e1039[0] * reinterpreted_packed_char4_e1092[0] + reinterpreted_packed_char4_e1039[1] * reinterpreted_packed_char4_e1092[1] + reinterpreted_packed_char4_e1039[2] * reinterpreted_packed_char4_e1092[2] + reinterpreted_packed_char4_e1039[3] * reinterpreted_packed_char4_e1092[3])));
                int _e1095 = s1_;
                uint _e1096 = a23_1_.w;
                packed_char4 reinterpreted_packed_char4_e1044 = as_type<packed_char4>(w23_3_);
                packed_char4 reinterpreted_packed_char4_e1096 = as_type<packed_char4>(_e1096);
                s1_ = as_type<int>(as_type<uint>(_e1095) + as_type<uint>(( + reinterpreted_packed_char4_e1044[0] * reinterpreted_packed_char4_e1096[0] + reinterpreted_packed_char4_e1044[1] * reinterpreted_packed_char4_e1096[1] + reinterpreted_packed_char4_e1044[2] * reinterpreted_packed_char4_e1096[2] + reinterpreted_packed_char4_e1044[3] * reinterpreted_packed_char4_e1096[3])));
                uint w30_0_ = w3_.x & 50529027u;
                uint w30_1_ = (w3_.x >> 2u) & 50529027u;
                uint w30_2_ = (w3_.x >> 4u) & 50529027u;
                uint w30_3_ = (w3_.x >> 6u) & 50529027u;
                metal::uint4 a30_0_ = turn_acts.inner[(((0u + r_2) * 16u) + 12u) + 0u];
                int _e1128 = s0_;
                uint _e1129 = a30_0_.x;
                packed_char4 reinterpreted_packed_char4_e1101 = as_type<packed_char4>(w30_0_);
                packed_char4 reinterpreted_packed_char4_e1129 = as_type<packed_char4>(_e1129);
                s0_ = as_type<int>(as_type<uint>(_e1128) + as_type<uint>(( + reinterpreted_packed_char4_e1101[0] * reinterpreted_packed_char4_e1129[0] + reinterpreted_packed_char4_e1101[1] * reinterpreted_packed_char4_e1129[1] + reinterpreted_packed_char4_e1101[2] * reinterpreted_packed_char4_e1129[2] + reinterpreted_packed_char4_e1101[3] * reinterpreted_packed_char4_e1129[3])));
                int _e1132 = s0_;
                uint _e1133 = a30_0_.y;
                packed_char4 reinterpreted_packed_char4_e1106 = as_type<packed_char4>(w30_1_);
                packed_char4 reinterpreted_packed_char4_e1133 = as_type<packed_char4>(_e1133);
                s0_ = as_type<int>(as_type<uint>(_e1132) + as_type<uint>(( + reinterpreted_packed_char4_e1106[0] * reinterpreted_packed_char4_e1133[0] + reinterpreted_packed_char4_e1106[1] * reinterpreted_packed_char4_e1133[1] + reinterpreted_packed_char4_e1106[2] * reinterpreted_packed_char4_e1133[2] + reinterpreted_packed_char4_e1106[3] * reinterpreted_packed_char4_e1133[3])));
                int _e1136 = s0_;
                uint _e1137 = a30_0_.z;
                packed_char4 reinterpreted_packed_char4_e1111 = as_type<packed_char4>(w30_2_);
                packed_char4 reinterpreted_packed_char4_e1137 = as_type<packed_char4>(_e1137);
                s0_ = as_type<int>(as_type<uint>(_e1136) + as_type<uint>(( + reinterpreted_packed_char4_e1111[0] * reinterpreted_packed_char4_e1137[0] + reinterpreted_packed_char4_e1111[1] * reinterpreted_packed_char4_e1137[1] + reinterpreted_packed_char4_e1111[2] * reinterpreted_packed_char4_e1137[2] + reinterpreted_packed_char4_e1111[3] * reinterpreted_packed_char4_e1137[3])));
                int _e1140 = s0_;
                uint _e1141 = a30_0_.w;
                packed_char4 reinterpreted_packed_char4_e1116 = as_type<packed_char4>(w30_3_);
                packed_char4 reinterpreted_packed_char4_e1141 = as_type<packed_char4>(_e1141);
                s0_ = as_type<int>(as_type<uint>(_e1140) + as_type<uint>(( + reinterpreted_packed_char4_e1116[0] * reinterpreted_packed_char4_e1141[0] + reinterpreted_packed_char4_e1116[1] * reinterpreted_packed_char4_e1141[1] + reinterpreted_packed_char4_e1116[2] * reinterpreted_packed_char4_e1141[2] + reinterpreted_packed_char4_e1116[3] * reinterpreted_packed_char4_e1141[3])));
                metal::uint4 a30_1_ = turn_acts.inner[(((16u + r_2) * 16u) + 12u) + 0u];
                int _e1155 = s1_;
                uint _e1156 = a30_1_.x;
                packed_char4 reinterpreted_packed_char4_e1101 = as_type<packed_char4>(w30_0_);
                packed_char4 reinterpreted_packed_char4_e1156 = as_type<packed_char4>(_e1156);
                s1_ = as_type<int>(as_type<uint>(_e1155) + as_type<uint>(( + reinterpreted_packed_char4_e1101[0] * reinterpreted_packed_char4_e1156[0] + reinterpreted_packed_char4_e1101[1] * reinterpreted_packed_char4_e1156[1] + reinterpreted_packed_char4_e1101[2] * reinterpreted_packed_char4_e1156[2] + reinterpreted_packed_char4_e1101[3] * reinterpreted_packed_char4_e1156[3])));
                int _e1159 = s1_;
                uint _e1160 = a30_1_.y;
                packed_char4 reinterpreted_packed_char4_e1106 = as_type<packed_char4>(w30_1_);
                packed_char4 reinterpreted_packed_char4_e1160 = as_type<packed_char4>(_e1160);
                s1_ = as_type<int>(as_type<uint>(_e1159) + as_type<uint>(( + reinterpreted_packed_char4_e1106[0] * reinterpreted_packed_char4_e1160[0] + reinterpreted_packed_char4_e1106[1] * reinterpreted_packed_char4_e1160[1] + reinterpreted_packed_char4_e1106[2] * reinterpreted_packed_char4_e1160[2] + reinterpreted_packed_char4_e1106[3] * reinterpreted_packed_char4_e1160[3])));
                int _e1163 = s1_;
                uint _e1164 = a30_1_.z;
                packed_char4 reinterpreted_packed_char4_e1111 = as_type<packed_char4>(w30_2_);
                packed_char4 reinterpreted_packed_char4_e1164 = as_type<packed_char4>(_e1164);
                s1_ = as_type<int>(as_type<uint>(_e1163) + as_type<uint>(( + reinterpreted_packed_char4_e1111[0] * reinterpreted_packed_char4_e1164[0] + reinterpreted_packed_char4_e1111[1] * reinterpreted_packed_char4_e1164[1] + reinterpreted_packed_char4_e1111[2] * reinterpreted_packed_char4_e1164[2] + reinterpreted_packed_char4_e1111[3] * reinterpreted_packed_char4_e1164[3])));
                int _e1167 = s1_;
                uint _e1168 = a30_1_.w;
                packed_char4 reinterpreted_packed_char4_e1116 = as_type<packed_char4>(w30_3_);
                packed_char4 reinterpreted_packed_char4_e1168 = as_type<packed_char4>(_e1168);
                s1_ = as_type<int>(as_type<uint>(_e1167) + as_type<uint>(( + reinterpreted_packed_char4_e1116[0] * reinterpreted_packed_char4_e1168[0] + reinterpreted_packed_char4_e1116[1] * reinterpreted_packed_char4_e1168[1] + reinterpreted_packed_char4_e1116[2] * reinterpreted_packed_char4_e1168[2] + reinterpreted_packed_char4_e1116[3] * reinterpreted_packed_char4_e1168[3])));
                uint w31_0_ = w3_.y & 50529027u;
                uint w31_1_ = (w3_.y >> 2u) & 50529027u;
                uint w31_2_ = (w3_.y >> 4u) & 50529027u;
                uint w31_3_ = (w3_.y >> 6u) & 50529027u;
                metal::uint4 a31_0_ = turn_acts.inner[(((0u + r_2) * 16u) + 12u) + 1u];
                int _e1200 = s0_;
                uint _e1201 = a31_0_.x;
                packed_char4 reinterpreted_packed_char4_e1173 = as_type<packed_char4>(w31_0_);
                packed_char4 reinterpreted_packed_char4_e1201 = as_type<packed_char4>(_e1201);
                s0_ = as_type<int>(as_type<uint>(_e1200) + as_type<uint>(( + reinterpreted_packed_char4_e1173[0] * reinterpreted_packed_char4_e1201[0] + reinterpreted_packed_char4_e1173[1] * reinterpreted_packed_char4_e1201[1] + reinterpreted_packed_char4_e1173[2] * reinterpreted_packed_char4_e1201[2] + reinterpreted_packed_char4_e1173[3] * reinterpreted_packed_char4_e1201[3])));
                int _e1204 = s0_;
                uint _e1205 = a31_0_.y;
                packed_char4 reinterpreted_packed_char4_e1178 = as_type<packed_char4>(w31_1_);
                packed_char4 reinterpreted_packed_char4_e1205 = as_type<packed_char4>(_e1205);
                s0_ = as_type<int>(as_type<uint>(_e1204) + as_type<uint>(( + reinterpreted_packed_char4_e1178[0] * reinterpreted_packed_char4_e1205[0] + reinterpreted_packed_char4_e1178[1] * reinterpreted_packed_char4_e1205[1] + reinterpreted_packed_char4_e1178[2] * reinterpreted_packed_char4_e1205[2] + reinterpreted_packed_char4_e1178[3] * reinterpreted_packed_char4_e1205[3])));
                int _e1208 = s0_;
                uint _e1209 = a31_0_.z;
                packed_char4 reinterpreted_packed_char4_e1183 = as_type<packed_char4>(w31_2_);
                packed_char4 reinterpreted_packed_char4_e1209 = as_type<packed_char4>(_e1209);
                s0_ = as_type<int>(as_type<uint>(_e1208) + as_type<uint>(( + reinterpreted_packed_char4_e1183[0] * reinterpreted_packed_char4_e1209[0] + reinterpreted_packed_char4_e1183[1] * reinterpreted_packed_char4_e1209[1] + reinterpreted_packed_char4_e1183[2] * reinterpreted_packed_char4_e1209[2] + reinterpreted_packed_char4_e1183[3] * reinterpreted_packed_char4_e1209[3])));
                int _e1212 = s0_;
                uint _e1213 = a31_0_.w;
                packed_char4 reinterpreted_packed_char4_e1188 = as_type<packed_char4>(w31_3_);
                packed_char4 reinterpreted_packed_char4_e1213 = as_type<packed_char4>(_e1213);
                s0_ = as_type<int>(as_type<uint>(_e1212) + as_type<uint>(( + reinterpreted_packed_char4_e1188[0] * reinterpreted_packed_char4_e1213[0] + reinterpreted_packed_char4_e1188[1] * reinterpreted_packed_char4_e1213[1] + reinterpreted_packed_char4_e1188[2] * reinterpreted_packed_char4_e1213[2] + reinterpreted_packed_char4_e1188[3] * reinterpreted_packed_char4_e1213[3])));
                metal::uint4 a31_1_ = turn_acts.inner[(((16u + r_2) * 16u) + 12u) + 1u];
                int _e1227 = s1_;
                uint _e1228 = a31_1_.x;
                packed_char4 reinterpreted_packed_char4_e1173 = as_type<packed_char4>(w31_0_);
                packed_char4 reinterpreted_packed_char4_e1228 = as_type<packed_char4>(_e1228);
                s1_ = as_type<int>(as_type<uint>(_e1227) + as_type<uint>(( + reinterpreted_packed_char4_e1173[0] * reinterpreted_packed_char4_e1228[0] + reinterpreted_packed_char4_e1173[1] * reinterpreted_packed_char4_e1228[1] + reinterpreted_packed_char4_e1173[2] * reinterpreted_packed_char4_e1228[2] + reinterpreted_packed_char4_e1173[3] * reinterpreted_packed_char4_e1228[3])));
                int _e1231 = s1_;
                uint _e1232 = a31_1_.y;
                packed_char4 reinterpreted_packed_char4_e1178 = as_type<packed_char4>(w31_1_);
                packed_char4 reinterpreted_packed_char4_e1232 = as_type<packed_char4>(_e1232);
                s1_ = as_type<int>(as_type<uint>(_e1231) + as_type<uint>(( + reinterpreted_packed_char4_e1178[0] * reinterpreted_packed_char4_e1232[0] + reinterpreted_packed_char4_e1178[1] * reinterpreted_packed_char4_e1232[1] + reinterpreted_packed_char4_e1178[2] * reinterpreted_packed_char4_e1232[2] + reinterpreted_packed_char4_e1178[3] * reinterpreted_packed_char4_e1232[3])));
                int _e1235 = s1_;
                uint _e1236 = a31_1_.z;
                packed_char4 reinterpreted_packed_char4_e1183 = as_type<packed_char4>(w31_2_);
                packed_char4 reinterpreted_packed_char4_e1236 = as_type<packed_char4>(_e1236);
                s1_ = as_type<int>(as_type<uint>(_e1235) + as_type<uint>(( + reinterpreted_packed_char4_e1183[0] * reinterpreted_packed_char4_e1236[0] + reinterpreted_packed_char4_e1183[1] * reinterpreted_packed_char4_e1236[1] + reinterpreted_packed_char4_e1183[2] * reinterpreted_packed_char4_e1236[2] + reinterpreted_packed_char4_e1183[3] * reinterpreted_packed_char4_e1236[3])));
                int _e1239 = s1_;
                uint _e1240 = a31_1_.w;
                packed_char4 reinterpreted_packed_char4_e1188 = as_type<packed_char4>(w31_3_);
                packed_char4 reinterpreted_packed_char4_e1240 = as_type<packed_char4>(_e1240);
                s1_ = as_type<int>(as_type<uint>(_e1239) + as_type<uint>(( + reinterpreted_packed_char4_e1188[0] * reinterpreted_packed_char4_e1240[0] + reinterpreted_packed_char4_e1188[1] * reinterpreted_packed_char4_e1240[1] + reinterpreted_packed_char4_e1188[2] * reinterpreted_packed_char4_e1240[2] + reinterpreted_packed_char4_e1188[3] * reinterpreted_packed_char4_e1240[3])));
                uint w32_0_ = w3_.z & 50529027u;
                uint w32_1_ = (w3_.z >> 2u) & 50529027u;
                uint w32_2_ = (w3_.z >> 4u) & 50529027u;
                uint w32_3_ = (w3_.z >> 6u) & 50529027u;
                metal::uint4 a32_0_ = turn_acts.inner[(((0u + r_2) * 16u) + 12u) + 2u];
                int _e1272 = s0_;
                uint _e1273 = a32_0_.x;
                packed_char4 reinterpreted_packed_char4_e1245 = as_type<packed_char4>(w32_0_);
                packed_char4 reinterpreted_packed_char4_e1273 = as_type<packed_char4>(_e1273);
                s0_ = as_type<int>(as_type<uint>(_e1272) + as_type<uint>(( + reinterpreted_packed_char4_e1245[0] * reinterpreted_packed_char4_e1273[0] + reinterpreted_packed_char4_e1245[1] * reinterpreted_packed_char4_e1273[1] + reinterpreted_packed_char4_e1245[2] * reinterpreted_packed_char4_e1273[2] + reinterpreted_packed_char4_e1245[3] * reinterpreted_packed_char4_e1273[3])));
                int _e1276 = s0_;
                uint _e1277 = a32_0_.y;
                packed_char4 reinterpreted_packed_char4_e1250 = as_type<packed_char4>(w32_1_);
                packed_char4 reinterpreted_packed_char4_e1277 = as_type<packed_char4>(_e1277);
                s0_ = as_type<int>(as_type<uint>(_e1276) + as_type<uint>(( + reinterpreted_packed_char4_e1250[0] * reinterpreted_packed_char4_e1277[0] + reinterpreted_packed_char4_e1250[1] * reinterpreted_packed_char4_e1277[1] + reinterpreted_packed_char4_e1250[2] * reinterpreted_packed_char4_e1277[2] + reinterpreted_packed_char4_e1250[3] * reinterpreted_packed_char4_e1277[3])));
                int _e1280 = s0_;
                uint _e1281 = a32_0_.z;
                packed_char4 reinterpreted_packed_char4_e1255 = as_type<packed_char4>(w32_2_);
                packed_char4 reinterpreted_packed_char4_e1281 = as_type<packed_char4>(_e1281);
                s0_ = as_type<int>(as_type<uint>(_e1280) + as_type<uint>(( + reinterpreted_packed_char4_e1255[0] * reinterpreted_packed_char4_e1281[0] + reinterpreted_packed_char4_e1255[1] * reinterpreted_packed_char4_e1281[1] + reinterpreted_packed_char4_e1255[2] * reinterpreted_packed_char4_e1281[2] + reinterpreted_packed_char4_e1255[3] * reinterpreted_packed_char4_e1281[3])));
                int _e1284 = s0_;
                uint _e1285 = a32_0_.w;
                packed_char4 reinterpreted_packed_char4_e1260 = as_type<packed_char4>(w32_3_);
                packed_char4 reinterpreted_packed_char4_e1285 = as_type<packed_char4>(_e1285);
                s0_ = as_type<int>(as_type<uint>(_e1284) + as_type<uint>(( + reinterpreted_packed_char4_e1260[0] * reinterpreted_packed_char4_e1285[0] + reinterpreted_packed_char4_e1260[1] * reinterpreted_packed_char4_e1285[1] + reinterpreted_packed_char4_e1260[2] * reinterpreted_packed_char4_e1285[2] + reinterpreted_packed_char4_e1260[3] * reinterpreted_packed_char4_e1285[3])));
                metal::uint4 a32_1_ = turn_acts.inner[(((16u + r_2) * 16u) + 12u) + 2u];
                int _e1299 = s1_;
                uint _e1300 = a32_1_.x;
                packed_char4 reinterpreted_packed_char4_e1245 = as_type<packed_char4>(w32_0_);
                packed_char4 reinterpreted_packed_char4_e1300 = as_type<packed_char4>(_e1300);
                s1_ = as_type<int>(as_type<uint>(_e1299) + as_type<uint>(( + reinterpreted_packed_char4_e1245[0] * reinterpreted_packed_char4_e1300[0] + reinterpreted_packed_char4_e1245[1] * reinterpreted_packed_char4_e1300[1] + reinterpreted_packed_char4_e1245[2] * reinterpreted_packed_char4_e1300[2] + reinterpreted_packed_char4_e1245[3] * reinterpreted_packed_char4_e1300[3])));
                int _e1303 = s1_;
                uint _e1304 = a32_1_.y;
                packed_char4 reinterpreted_packed_char4_e1250 = as_type<packed_char4>(w32_1_);
                packed_char4 reinterpreted_packed_char4_e1304 = as_type<packed_char4>(_e1304);
                s1_ = as_type<int>(as_type<uint>(_e1303) + as_type<uint>(( + reinterpreted_packed_char4_e1250[0] * reinterpreted_packed_char4_e1304[0] + reinterpreted_packed_char4_e1250[1] * reinterpreted_packed_char4_e1304[1] + reinterpreted_packed_char4_e1250[2] * reinterpreted_packed_char4_e1304[2] + reinterpreted_packed_char4_e1250[3] * reinterpreted_packed_char4_e1304[3])));
                int _e1307 = s1_;
                uint _e1308 = a32_1_.z;
                packed_char4 reinterpreted_packed_char4_e1255 = as_type<packed_char4>(w32_2_);
                packed_char4 reinterpreted_packed_char4_e1308 = as_type<packed_char4>(_e1308);
                s1_ = as_type<int>(as_type<uint>(_e1307) + as_type<uint>(( + reinterpreted_packed_char4_e1255[0] * reinterpreted_packed_char4_e1308[0] + reinterpreted_packed_char4_e1255[1] * reinterpreted_packed_char4_e1308[1] + reinterpreted_packed_char4_e1255[2] * reinterpreted_packed_char4_e1308[2] + reinterpreted_packed_char4_e1255[3] * reinterpreted_packed_char4_e1308[3])));
                int _e1311 = s1_;
                uint _e1312 = a32_1_.w;
                packed_char4 reinterpreted_packed_char4_e1260 = as_type<packed_char4>(w32_3_);
                packed_char4 reinterpreted_packed_char4_e1312 = as_type<packed_char4>(_e1312);
                s1_ = as_type<int>(as_type<uint>(_e1311) + as_type<uint>(( + reinterpreted_packed_char4_e1260[0] * reinterpreted_packed_char4_e1312[0] + reinterpreted_packed_char4_e1260[1] * reinterpreted_packed_char4_e1312[1] + reinterpreted_packed_char4_e1260[2] * reinterpreted_packed_char4_e1312[2] + reinterpreted_packed_char4_e1260[3] * reinterpreted_packed_char4_e1312[3])));
                uint w33_0_ = w3_.w & 50529027u;
                uint w33_1_ = (w3_.w >> 2u) & 50529027u;
                uint w33_2_ = (w3_.w >> 4u) & 50529027u;
                uint w33_3_ = (w3_.w >> 6u) & 50529027u;
                metal::uint4 a33_0_ = turn_acts.inner[(((0u + r_2) * 16u) + 12u) + 3u];
                int _e1344 = s0_;
                uint _e1345 = a33_0_.x;
                packed_char4 reinterpreted_packed_char4_e1317 = as_type<packed_char4>(w33_0_);
                packed_char4 reinterpreted_packed_char4_e1345 = as_type<packed_char4>(_e1345);
                s0_ = as_type<int>(as_type<uint>(_e1344) + as_type<uint>(( + reinterpreted_packed_char4_e1317[0] * reinterpreted_packed_char4_e1345[0] + reinterpreted_packed_char4_e1317[1] * reinterpreted_packed_char4_e1345[1] + reinterpreted_packed_char4_e1317[2] * reinterpreted_packed_char4_e1345[2] + reinterpreted_packed_char4_e1317[3] * reinterpreted_packed_char4_e1345[3])));
                int _e1348 = s0_;
                uint _e1349 = a33_0_.y;
                packed_char4 reinterpreted_packed_char4_e1322 = as_type<packed_char4>(w33_1_);
                packed_char4 reinterpreted_packed_char4_e1349 = as_type<packed_char4>(_e1349);
                s0_ = as_type<int>(as_type<uint>(_e1348) + as_type<uint>(( + reinterpreted_packed_char4_e1322[0] * reinterpreted_packed_char4_e1349[0] + reinterpreted_packed_char4_e1322[1] * reinterpreted_packed_char4_e1349[1] + reinterpreted_packed_char4_e1322[2] * reinterpreted_packed_char4_e1349[2] + reinterpreted_packed_char4_e1322[3] * reinterpreted_packed_char4_e1349[3])));
                int _e1352 = s0_;
                uint _e1353 = a33_0_.z;
                packed_char4 reinterpreted_packed_char4_e1327 = as_type<packed_char4>(w33_2_);
                packed_char4 reinterpreted_packed_char4_e1353 = as_type<packed_char4>(_e1353);
                s0_ = as_type<int>(as_type<uint>(_e1352) + as_type<uint>(( + reinterpreted_packed_char4_e1327[0] * reinterpreted_packed_char4_e1353[0] + reinterpreted_packed_char4_e1327[1] * reinterpreted_packed_char4_e1353[1] + reinterpreted_packed_char4_e1327[2] * reinterpreted_packed_char4_e1353[2] + reinterpreted_packed_char4_e1327[3] * reinterpreted_packed_char4_e1353[3])));
                int _e1356 = s0_;
                uint _e1357 = a33_0_.w;
                packed_char4 reinterpreted_packed_char4_e1332 = as_type<packed_char4>(w33_3_);
                packed_char4 reinterpreted_packed_char4_e1357 = as_type<packed_char4>(_e1357);
                s0_ = as_type<int>(as_type<uint>(_e1356) + as_type<uint>(( + reinterpreted_packed_char4_e1332[0] * reinterpreted_packed_char4_e1357[0] + reinterpreted_packed_char4_e1332[1] * reinterpreted_packed_char4_e1357[1] + reinterpreted_packed_char4_e1332[2] * reinterpreted_packed_char4_e1357[2] + reinterpreted_packed_char4_e1332[3] * reinterpreted_packed_char4_e1357[3])));
                metal::uint4 a33_1_ = turn_acts.inner[(((16u + r_2) * 16u) + 12u) + 3u];
                int _e1371 = s1_;
                uint _e1372 = a33_1_.x;
                packed_char4 reinterpreted_packed_char4_e1317 = as_type<packed_char4>(w33_0_);
                packed_char4 reinterpreted_packed_char4_e1372 = as_type<packed_char4>(_e1372);
                s1_ = as_type<int>(as_type<uint>(_e1371) + as_type<uint>(( + reinterpreted_packed_char4_e1317[0] * reinterpreted_packed_char4_e1372[0] + reinterpreted_packed_char4_e1317[1] * reinterpreted_packed_char4_e1372[1] + reinterpreted_packed_char4_e1317[2] * reinterpreted_packed_char4_e1372[2] + reinterpreted_packed_char4_e1317[3] * reinterpreted_packed_char4_e1372[3])));
                int _e1375 = s1_;
                uint _e1376 = a33_1_.y;
                packed_char4 reinterpreted_packed_char4_e1322 = as_type<packed_char4>(w33_1_);
                packed_char4 reinterpreted_packed_char4_e1376 = as_type<packed_char4>(_e1376);
                s1_ = as_type<int>(as_type<uint>(_e1375) + as_type<uint>(( + reinterpreted_packed_char4_e1322[0] * reinterpreted_packed_char4_e1376[0] + reinterpreted_packed_char4_e1322[1] * reinterpreted_packed_char4_e1376[1] + reinterpreted_packed_char4_e1322[2] * reinterpreted_packed_char4_e1376[2] + reinterpreted_packed_char4_e1322[3] * reinterpreted_packed_char4_e1376[3])));
                int _e1379 = s1_;
                uint _e1380 = a33_1_.z;
                packed_char4 reinterpreted_packed_char4_e1327 = as_type<packed_char4>(w33_2_);
                packed_char4 reinterpreted_packed_char4_e1380 = as_type<packed_char4>(_e1380);
                s1_ = as_type<int>(as_type<uint>(_e1379) + as_type<uint>(( + reinterpreted_packed_char4_e1327[0] * reinterpreted_packed_char4_e1380[0] + reinterpreted_packed_char4_e1327[1] * reinterpreted_packed_char4_e1380[1] + reinterpreted_packed_char4_e1327[2] * reinterpreted_packed_char4_e1380[2] + reinterpreted_packed_char4_e1327[3] * reinterpreted_packed_char4_e1380[3])));
                int _e1383 = s1_;
                uint _e1384 = a33_1_.w;
                packed_char4 reinterpreted_packed_char4_e1332 = as_type<packed_char4>(w33_3_);
                packed_char4 reinterpreted_packed_char4_e1384 = as_type<packed_char4>(_e1384);
                s1_ = as_type<int>(as_type<uint>(_e1383) + as_type<uint>(( + reinterpreted_packed_char4_e1332[0] * reinterpreted_packed_char4_e1384[0] + reinterpreted_packed_char4_e1332[1] * reinterpreted_packed_char4_e1384[1] + reinterpreted_packed_char4_e1332[2] * reinterpreted_packed_char4_e1384[2] + reinterpreted_packed_char4_e1332[3] * reinterpreted_packed_char4_e1384[3])));
                int _e1389 = s0_;
                int _e1392 = p_1.zero;
                uint _e1394 = da0_.y;
                uint _e1399 = da0_.x;
                keep(0u + t, as_type<int>(as_type<uint>(_e1389) - as_type<uint>(as_type<int>(as_type<uint>(_e1392) * as_type<uint>(as_type<int>(_e1394))))), d_1 * as_type<float>(_e1399), isums, factors);
                int _e1404 = s1_;
                int _e1407 = p_1.zero;
                uint _e1409 = da1_.y;
                uint _e1414 = da1_.x;
                keep(512u + t, as_type<int>(as_type<uint>(_e1404) - as_type<uint>(as_type<int>(as_type<uint>(_e1407) * as_type<uint>(as_type<int>(_e1409))))), d_1 * as_type<float>(_e1414), isums, factors);
            }
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
            bool mine = r_2 < TOKENS;
            if (mine) {
                local_2 = (first + r_2) < rows;
            } else {
                local_2 = false;
            }
            bool _e1424 = local_2;
            if (_e1424) {
                uint from_i = (0u + (r_2 * THREADS)) + (2u * (lane & 15u));
                if (false) {
                    local_3 = ((this_turn * WARPS) + 0u) < GROUPS;
                } else {
                    local_3 = true;
                }
                bool _e1443 = local_3;
                if (_e1443) {
                    int _e1449 = isums.inner[from_i + 0u];
                    float _e1455 = factors.inner[from_i + 0u];
                    float _e1457 = acc.x;
                    acc.x = metal::fma(static_cast<float>(_e1449), _e1455, _e1457);
                    int _e1466 = isums.inner[(from_i + 0u) + 1u];
                    float _e1474 = factors.inner[(from_i + 0u) + 1u];
                    float _e1476 = acc.y;
                    acc.y = metal::fma(static_cast<float>(_e1466), _e1474, _e1476);
                }
                if (false) {
                    local_4 = ((this_turn * WARPS) + 1u) < GROUPS;
                } else {
                    local_4 = true;
                }
                bool _e1488 = local_4;
                if (_e1488) {
                    int _e1494 = isums.inner[from_i + 32u];
                    float _e1500 = factors.inner[from_i + 32u];
                    float _e1502 = acc.x;
                    acc.x = metal::fma(static_cast<float>(_e1494), _e1500, _e1502);
                    int _e1511 = isums.inner[(from_i + 32u) + 1u];
                    float _e1519 = factors.inner[(from_i + 32u) + 1u];
                    float _e1521 = acc.y;
                    acc.y = metal::fma(static_cast<float>(_e1511), _e1519, _e1521);
                }
                if (false) {
                    local_5 = ((this_turn * WARPS) + 2u) < GROUPS;
                } else {
                    local_5 = true;
                }
                bool _e1533 = local_5;
                if (_e1533) {
                    int _e1539 = isums.inner[from_i + 64u];
                    float _e1545 = factors.inner[from_i + 64u];
                    float _e1547 = acc.x;
                    acc.x = metal::fma(static_cast<float>(_e1539), _e1545, _e1547);
                    int _e1556 = isums.inner[(from_i + 64u) + 1u];
                    float _e1564 = factors.inner[(from_i + 64u) + 1u];
                    float _e1566 = acc.y;
                    acc.y = metal::fma(static_cast<float>(_e1556), _e1564, _e1566);
                }
                if (false) {
                    local_6 = ((this_turn * WARPS) + 3u) < GROUPS;
                } else {
                    local_6 = true;
                }
                bool _e1578 = local_6;
                if (_e1578) {
                    int _e1584 = isums.inner[from_i + 96u];
                    float _e1590 = factors.inner[from_i + 96u];
                    float _e1592 = acc.x;
                    acc.x = metal::fma(static_cast<float>(_e1584), _e1590, _e1592);
                    int _e1601 = isums.inner[(from_i + 96u) + 1u];
                    float _e1609 = factors.inner[(from_i + 96u) + 1u];
                    float _e1611 = acc.y;
                    acc.y = metal::fma(static_cast<float>(_e1601), _e1609, _e1611);
                }
                if (false) {
                    local_7 = ((this_turn * WARPS) + 4u) < GROUPS;
                } else {
                    local_7 = true;
                }
                bool _e1623 = local_7;
                if (_e1623) {
                    int _e1629 = isums.inner[from_i + 128u];
                    float _e1635 = factors.inner[from_i + 128u];
                    float _e1637 = acc.x;
                    acc.x = metal::fma(static_cast<float>(_e1629), _e1635, _e1637);
                    int _e1646 = isums.inner[(from_i + 128u) + 1u];
                    float _e1654 = factors.inner[(from_i + 128u) + 1u];
                    float _e1656 = acc.y;
                    acc.y = metal::fma(static_cast<float>(_e1646), _e1654, _e1656);
                }
                if (false) {
                    local_8 = ((this_turn * WARPS) + 5u) < GROUPS;
                } else {
                    local_8 = true;
                }
                bool _e1668 = local_8;
                if (_e1668) {
                    int _e1674 = isums.inner[from_i + 160u];
                    float _e1680 = factors.inner[from_i + 160u];
                    float _e1682 = acc.x;
                    acc.x = metal::fma(static_cast<float>(_e1674), _e1680, _e1682);
                    int _e1691 = isums.inner[(from_i + 160u) + 1u];
                    float _e1699 = factors.inner[(from_i + 160u) + 1u];
                    float _e1701 = acc.y;
                    acc.y = metal::fma(static_cast<float>(_e1691), _e1699, _e1701);
                }
                if (false) {
                    local_9 = ((this_turn * WARPS) + 6u) < GROUPS;
                } else {
                    local_9 = true;
                }
                bool _e1713 = local_9;
                if (_e1713) {
                    int _e1719 = isums.inner[from_i + 192u];
                    float _e1725 = factors.inner[from_i + 192u];
                    float _e1727 = acc.x;
                    acc.x = metal::fma(static_cast<float>(_e1719), _e1725, _e1727);
                    int _e1736 = isums.inner[(from_i + 192u) + 1u];
                    float _e1744 = factors.inner[(from_i + 192u) + 1u];
                    float _e1746 = acc.y;
                    acc.y = metal::fma(static_cast<float>(_e1736), _e1744, _e1746);
                }
                if (false) {
                    local_10 = ((this_turn * WARPS) + 7u) < GROUPS;
                } else {
                    local_10 = true;
                }
                bool _e1758 = local_10;
                if (_e1758) {
                    int _e1764 = isums.inner[from_i + 224u];
                    float _e1770 = factors.inner[from_i + 224u];
                    float _e1772 = acc.x;
                    acc.x = metal::fma(static_cast<float>(_e1764), _e1770, _e1772);
                    int _e1781 = isums.inner[(from_i + 224u) + 1u];
                    float _e1789 = factors.inner[(from_i + 224u) + 1u];
                    float _e1791 = acc.y;
                    acc.y = metal::fma(static_cast<float>(_e1781), _e1789, _e1791);
                }
                if (false) {
                    local_11 = ((this_turn * WARPS) + 8u) < GROUPS;
                } else {
                    local_11 = true;
                }
                bool _e1803 = local_11;
                if (_e1803) {
                    int _e1809 = isums.inner[from_i + 256u];
                    float _e1815 = factors.inner[from_i + 256u];
                    float _e1817 = acc.x;
                    acc.x = metal::fma(static_cast<float>(_e1809), _e1815, _e1817);
                    int _e1826 = isums.inner[(from_i + 256u) + 1u];
                    float _e1834 = factors.inner[(from_i + 256u) + 1u];
                    float _e1836 = acc.y;
                    acc.y = metal::fma(static_cast<float>(_e1826), _e1834, _e1836);
                }
                if (false) {
                    local_12 = ((this_turn * WARPS) + 9u) < GROUPS;
                } else {
                    local_12 = true;
                }
                bool _e1848 = local_12;
                if (_e1848) {
                    int _e1854 = isums.inner[from_i + 288u];
                    float _e1860 = factors.inner[from_i + 288u];
                    float _e1862 = acc.x;
                    acc.x = metal::fma(static_cast<float>(_e1854), _e1860, _e1862);
                    int _e1871 = isums.inner[(from_i + 288u) + 1u];
                    float _e1879 = factors.inner[(from_i + 288u) + 1u];
                    float _e1881 = acc.y;
                    acc.y = metal::fma(static_cast<float>(_e1871), _e1879, _e1881);
                }
                if (false) {
                    local_13 = ((this_turn * WARPS) + 10u) < GROUPS;
                } else {
                    local_13 = true;
                }
                bool _e1893 = local_13;
                if (_e1893) {
                    int _e1899 = isums.inner[from_i + 320u];
                    float _e1905 = factors.inner[from_i + 320u];
                    float _e1907 = acc.x;
                    acc.x = metal::fma(static_cast<float>(_e1899), _e1905, _e1907);
                    int _e1916 = isums.inner[(from_i + 320u) + 1u];
                    float _e1924 = factors.inner[(from_i + 320u) + 1u];
                    float _e1926 = acc.y;
                    acc.y = metal::fma(static_cast<float>(_e1916), _e1924, _e1926);
                }
                if (false) {
                    local_14 = ((this_turn * WARPS) + 11u) < GROUPS;
                } else {
                    local_14 = true;
                }
                bool _e1938 = local_14;
                if (_e1938) {
                    int _e1944 = isums.inner[from_i + 352u];
                    float _e1950 = factors.inner[from_i + 352u];
                    float _e1952 = acc.x;
                    acc.x = metal::fma(static_cast<float>(_e1944), _e1950, _e1952);
                    int _e1961 = isums.inner[(from_i + 352u) + 1u];
                    float _e1969 = factors.inner[(from_i + 352u) + 1u];
                    float _e1971 = acc.y;
                    acc.y = metal::fma(static_cast<float>(_e1961), _e1969, _e1971);
                }
                if (false) {
                    local_15 = ((this_turn * WARPS) + 12u) < GROUPS;
                } else {
                    local_15 = true;
                }
                bool _e1983 = local_15;
                if (_e1983) {
                    int _e1989 = isums.inner[from_i + 384u];
                    float _e1995 = factors.inner[from_i + 384u];
                    float _e1997 = acc.x;
                    acc.x = metal::fma(static_cast<float>(_e1989), _e1995, _e1997);
                    int _e2006 = isums.inner[(from_i + 384u) + 1u];
                    float _e2014 = factors.inner[(from_i + 384u) + 1u];
                    float _e2016 = acc.y;
                    acc.y = metal::fma(static_cast<float>(_e2006), _e2014, _e2016);
                }
                if (false) {
                    local_16 = ((this_turn * WARPS) + 13u) < GROUPS;
                } else {
                    local_16 = true;
                }
                bool _e2028 = local_16;
                if (_e2028) {
                    int _e2034 = isums.inner[from_i + 416u];
                    float _e2040 = factors.inner[from_i + 416u];
                    float _e2042 = acc.x;
                    acc.x = metal::fma(static_cast<float>(_e2034), _e2040, _e2042);
                    int _e2051 = isums.inner[(from_i + 416u) + 1u];
                    float _e2059 = factors.inner[(from_i + 416u) + 1u];
                    float _e2061 = acc.y;
                    acc.y = metal::fma(static_cast<float>(_e2051), _e2059, _e2061);
                }
                if (false) {
                    local_17 = ((this_turn * WARPS) + 14u) < GROUPS;
                } else {
                    local_17 = true;
                }
                bool _e2073 = local_17;
                if (_e2073) {
                    int _e2079 = isums.inner[from_i + 448u];
                    float _e2085 = factors.inner[from_i + 448u];
                    float _e2087 = acc.x;
                    acc.x = metal::fma(static_cast<float>(_e2079), _e2085, _e2087);
                    int _e2096 = isums.inner[(from_i + 448u) + 1u];
                    float _e2104 = factors.inner[(from_i + 448u) + 1u];
                    float _e2106 = acc.y;
                    acc.y = metal::fma(static_cast<float>(_e2096), _e2104, _e2106);
                }
                if (false) {
                    local_18 = ((this_turn * WARPS) + 15u) < GROUPS;
                } else {
                    local_18 = true;
                }
                bool _e2118 = local_18;
                if (_e2118) {
                    int _e2124 = isums.inner[from_i + 480u];
                    float _e2130 = factors.inner[from_i + 480u];
                    float _e2132 = acc.x;
                    acc.x = metal::fma(static_cast<float>(_e2124), _e2130, _e2132);
                    int _e2141 = isums.inner[(from_i + 480u) + 1u];
                    float _e2149 = factors.inner[(from_i + 480u) + 1u];
                    float _e2151 = acc.y;
                    acc.y = metal::fma(static_cast<float>(_e2141), _e2149, _e2151);
                }
                uint n_2 = (this_block * 16u) + lane;
                if ((this_turn + 1u) == TURNS) {
                    local_19 = lane < 16u;
                } else {
                    local_19 = false;
                }
                bool _e2165 = local_19;
                if (_e2165) {
                    uint _e2172 = p_1.outs;
                    local_20 = (2u * n_2) < _e2172;
                } else {
                    local_20 = false;
                }
                bool _e2175 = local_20;
                if (_e2175) {
                    float _e2178 = acc.x;
                    float _e2180 = acc.y;
                    float _e2181 = paired(_e2178, _e2180, p_1);
                    finish(first + r_2, n_2, _e2181, p_1, arena, _buffer_sizes);
                }
            }
            if ((this_turn + 1u) == TURNS) {
                acc = metal::float2(0.0);
                uint _e2188 = chain;
                chain = naga_mod(_e2188 + 1u, WARPS);
            }
        }
    }
    return;
}
