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
};

struct type_6 {
    metal::uint4 inner[2];
};
struct Params {
    uint outs;
    uint groups;
    uint count_at;
    uint mode;
    uint out;
    uint out_cols;
    float factor;
    int zero;
    type_6 pad;
};
typedef float type_7[1];
typedef uint type_8[1];
typedef metal::uint4 type_9[1];
typedef metal::uint2 type_11[1];
constant uint BITS = 8u;
constant uint UNITS = 2u;
constant uint SUM_GROUPS = 4u;
constant uint TOKENS = 1u;
constant uint SPLIT = 1u;
constant uint SUB_UNITS = 1u;
constant bool HALVES = true;
constant bool SUBS = false;
constant bool MINS = false;
constant bool SHARED = false;
constant bool PAIRS = false;
constant uint VECS = 1u;
constant uint GROUP_UNITS = 2u;
constant uint THREADS = 64u;

uint call_row(
    uint i
) {
    return 4u + (4u * i);
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
    float r = metal::fma(n_1, 0.00021219444, metal::fma(n_1, -0.6933594, _e12));
    p = metal::fma(0.00019875691, r, 0.0013981999);
    float _e21 = p;
    p = metal::fma(_e21, r, 0.008333452);
    float _e24 = p;
    p = metal::fma(_e24, r, 0.041665796);
    float _e27 = p;
    p = metal::fma(_e27, r, 0.16666666);
    float _e30 = p;
    p = metal::fma(_e30, r, 0.5);
    float _e34 = p;
    float y_1 = metal::fma(r * r, _e34, r) + 1.0;
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
    float g_1,
    float h
) {
    return ((a + e) + (c_1 + g_1)) + ((b + f) + (d + h));
}

float squares(
    metal::float4 a_1,
    metal::float4 b_1
) {
    return metal::fma(b_1.w, b_1.w, metal::fma(b_1.z, b_1.z, metal::fma(b_1.y, b_1.y, metal::fma(b_1.x, b_1.x, metal::fma(a_1.w, a_1.w, metal::fma(a_1.z, a_1.z, metal::fma(a_1.y, a_1.y, a_1.x * a_1.x)))))));
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
    uint at_2 = (_e5 + (row * _e8)) + n;
    uint _e14 = p_1.mode;
    if (_e14 == 1u) {
        float _e21 = p_1.factor;
        arena[at_2] = y * _e21;
        return;
    } else {
        uint _e25 = p_1.mode;
        if (_e25 == 2u) {
            float _e32 = p_1.factor;
            float _e35 = arena[at_2];
            arena[at_2] = metal::fma(_e32, y, _e35);
            return;
        } else {
            arena[at_2] = y;
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

uint naga_div(uint lhs, uint rhs) {
    return lhs / metal::select(rhs, 1u, rhs == 0u);
}

metal::float2 scale_of(
    uint at,
    device type_8 const& scales,
    constant _mslBufferSizes& _buffer_sizes
) {
    if (HALVES) {
        uint _e6 = scales[naga_div(at, 2u)];
        metal::float2 pair = float2(as_type<half2>(_e6));
        return metal::float2(((at & 1u) == 1u) ? pair.y : pair.x, 0.0);
    }
    uint _e19 = scales[at];
    return metal::float2(as_type<float>(_e19), 0.0);
}

int dot_unit(
    metal::uint4 w,
    uint at_1,
    device type_9 const& acts,
    constant _mslBufferSizes& _buffer_sizes
) {
    metal::uint4 a_3 = acts[at_1];
    uint _e5 = w.x;
    uint _e6 = a_3.x;
    packed_char4 reinterpreted_packed_char4_e5 = as_type<packed_char4>(_e5);
    packed_char4 reinterpreted_packed_char4_e6 = as_type<packed_char4>(_e6);
    uint _e8 = w.y;
    uint _e9 = a_3.y;
    packed_char4 reinterpreted_packed_char4_e8 = as_type<packed_char4>(_e8);
    packed_char4 reinterpreted_packed_char4_e9 = as_type<packed_char4>(_e9);
    uint _e12 = w.z;
    uint _e13 = a_3.z;
    packed_char4 reinterpreted_packed_char4_e12 = as_type<packed_char4>(_e12);
    packed_char4 reinterpreted_packed_char4_e13 = as_type<packed_char4>(_e13);
    uint _e16 = w.w;
    uint _e17 = a_3.w;
    packed_char4 reinterpreted_packed_char4_e16 = as_type<packed_char4>(_e16);
    packed_char4 reinterpreted_packed_char4_e17 = as_type<packed_char4>(_e17);
    return as_type<int>(as_type<uint>(as_type<int>(as_type<uint>(as_type<int>(as_type<uint>(( + reinterpreted_packed_char4_e5[0] * reinterpreted_packed_char4_e6[0] + reinterpreted_packed_char4_e5[1] * reinterpreted_packed_char4_e6[1] + reinterpreted_packed_char4_e5[2] * reinterpreted_packed_char4_e6[2] + reinterpreted_packed_char4_e5[3] * reinterpreted_packed_char4_e6[3])) + as_type<uint>(( + reinterpreted_packed_char4_e8[0] * reinterpreted_packed_char4_e9[0] + reinterpreted_packed_char4_e8[1] * reinterpreted_packed_char4_e9[1] + reinterpreted_packed_char4_e8[2] * reinterpreted_packed_char4_e9[2] + reinterpreted_packed_char4_e8[3] * reinterpreted_packed_char4_e9[3])))) + as_type<uint>(( + reinterpreted_packed_char4_e12[0] * reinterpreted_packed_char4_e13[0] + reinterpreted_packed_char4_e12[1] * reinterpreted_packed_char4_e13[1] + reinterpreted_packed_char4_e12[2] * reinterpreted_packed_char4_e13[2] + reinterpreted_packed_char4_e12[3] * reinterpreted_packed_char4_e13[3])))) + as_type<uint>(( + reinterpreted_packed_char4_e16[0] * reinterpreted_packed_char4_e17[0] + reinterpreted_packed_char4_e16[1] * reinterpreted_packed_char4_e17[1] + reinterpreted_packed_char4_e16[2] * reinterpreted_packed_char4_e17[2] + reinterpreted_packed_char4_e16[3] * reinterpreted_packed_char4_e17[3])));
}
uint naga_mod(uint lhs, uint rhs) {
    return lhs % metal::select(rhs, 1u, rhs == 0u);
}

int naga_neg(int val) {
    return as_type<int>(-as_type<uint>(val));
}


struct main_Input {
};
[[max_total_threads_per_threadgroup(64)]] kernel void main_(
  metal::uint3 group [[threadgroup_position_in_grid]]
, uint t [[thread_index_in_threadgroup]]
, constant Params& p_1 [[user(fake0)]]
, device type_7& arena [[user(fake0)]]
, device type_8 const& call [[user(fake0)]]
, device type_9 const& codes [[user(fake0)]]
, device type_8 const& scales [[user(fake0)]]
, device type_9 const& acts [[user(fake0)]]
, device type_11 const& act_scales [[user(fake0)]]
, constant _mslBufferSizes& _buffer_sizes [[user(fake0)]]
) {
    bool local = {};
    metal::float2 d0_ = metal::float2(0.0);
    metal::uint4 w0_0_ = metal::uint4(0u);
    metal::uint4 w0_1_ = metal::uint4(0u);
    metal::float2 d1_ = metal::float2(0.0);
    metal::uint4 w1_0_ = metal::uint4(0u);
    metal::uint4 w1_1_ = metal::uint4(0u);
    metal::float2 d2_ = metal::float2(0.0);
    metal::uint4 w2_0_ = metal::uint4(0u);
    metal::uint4 w2_1_ = metal::uint4(0u);
    metal::float2 d3_ = metal::float2(0.0);
    metal::uint4 w3_0_ = metal::uint4(0u);
    metal::uint4 w3_1_ = metal::uint4(0u);
    float acc0_ = 0.0;
    uint g = 0u;
    int isum0_0_ = {};
    int isum1_0_ = {};
    int isum2_0_ = {};
    int isum3_0_ = {};
    uint first = group.y * TOKENS;
    uint _e8 = p_1.count_at;
    uint rows = call[_e8];
    uint n_2 = (group.x * 64u) + t;
    uint block = naga_div(n_2, 32u);
    uint lane = naga_mod(n_2, 32u);
    if (!((first >= rows))) {
        uint _e25 = p_1.outs;
        local = n_2 >= _e25;
    } else {
        local = true;
    }
    bool _e28 = local;
    if (_e28) {
        return;
    }
    uint _e36 = p_1.groups;
    uint row0_ = metal::min(first + 0u, rows - 1u) * _e36;
    uint2 loop_bound = uint2(4294967295u);
    bool loop_init = true;
    while(true) {
        if (metal::all(loop_bound == uint2(0u))) { break; }
        loop_bound -= uint2(loop_bound.y == 0u, 1u);
        if (!loop_init) {
            uint _e439 = g;
            g = _e439 + SUM_GROUPS;
        }
        loop_init = false;
        uint _e78 = g;
        uint _e81 = p_1.groups;
        if (_e78 < _e81) {
        } else {
            break;
        }
        {
            uint _e83 = g;
            uint _e88 = p_1.groups;
            if ((_e83 + 0u) < _e88) {
                uint _e92 = p_1.groups;
                uint _e94 = g;
                uint load0_ = (((((block * _e92) + _e94) + 0u) * GROUP_UNITS) * 32u) + lane;
                metal::uint4 _e107 = codes[load0_ + 0u];
                w0_0_ = _e107;
                metal::uint4 _e112 = codes[load0_ + 32u];
                w0_1_ = _e112;
                uint _e115 = p_1.groups;
                uint _e117 = g;
                metal::float2 _e124 = scale_of(((((block * _e115) + _e117) + 0u) * 32u) + lane, scales, _buffer_sizes);
                d0_ = _e124;
            }
            uint _e125 = g;
            uint _e130 = p_1.groups;
            if ((_e125 + 1u) < _e130) {
                uint _e134 = p_1.groups;
                uint _e136 = g;
                uint load1_ = (((((block * _e134) + _e136) + 1u) * GROUP_UNITS) * 32u) + lane;
                metal::uint4 _e149 = codes[load1_ + 0u];
                w1_0_ = _e149;
                metal::uint4 _e154 = codes[load1_ + 32u];
                w1_1_ = _e154;
                uint _e157 = p_1.groups;
                uint _e159 = g;
                metal::float2 _e166 = scale_of(((((block * _e157) + _e159) + 1u) * 32u) + lane, scales, _buffer_sizes);
                d1_ = _e166;
            }
            uint _e167 = g;
            uint _e172 = p_1.groups;
            if ((_e167 + 2u) < _e172) {
                uint _e176 = p_1.groups;
                uint _e178 = g;
                uint load2_ = (((((block * _e176) + _e178) + 2u) * GROUP_UNITS) * 32u) + lane;
                metal::uint4 _e191 = codes[load2_ + 0u];
                w2_0_ = _e191;
                metal::uint4 _e196 = codes[load2_ + 32u];
                w2_1_ = _e196;
                uint _e199 = p_1.groups;
                uint _e201 = g;
                metal::float2 _e208 = scale_of(((((block * _e199) + _e201) + 2u) * 32u) + lane, scales, _buffer_sizes);
                d2_ = _e208;
            }
            uint _e209 = g;
            uint _e214 = p_1.groups;
            if ((_e209 + 3u) < _e214) {
                uint _e218 = p_1.groups;
                uint _e220 = g;
                uint load3_ = (((((block * _e218) + _e220) + 3u) * GROUP_UNITS) * 32u) + lane;
                metal::uint4 _e233 = codes[load3_ + 0u];
                w3_0_ = _e233;
                metal::uint4 _e238 = codes[load3_ + 32u];
                w3_1_ = _e238;
                uint _e241 = p_1.groups;
                uint _e243 = g;
                metal::float2 _e250 = scale_of(((((block * _e241) + _e243) + 3u) * 32u) + lane, scales, _buffer_sizes);
                d3_ = _e250;
            }
            uint _e251 = g;
            uint _e256 = p_1.groups;
            uint g0_ = metal::min(_e251 + 0u, _e256 - 1u);
            metal::uint2 a0_0_ = act_scales[row0_ + g0_];
            uint at0_0_ = ((row0_ + g0_) * UNITS) * VECS;
            int _e271 = p_1.zero;
            isum0_0_ = as_type<int>(as_type<uint>(naga_neg(_e271)) * as_type<uint>(as_type<int>(a0_0_.y)));
            int _e277 = isum0_0_;
            metal::uint4 _e278 = w0_0_;
            int _e281 = dot_unit(_e278, at0_0_ + 0u, acts, _buffer_sizes);
            isum0_0_ = as_type<int>(as_type<uint>(_e277) + as_type<uint>(_e281));
            int _e283 = isum0_0_;
            metal::uint4 _e284 = w0_1_;
            int _e287 = dot_unit(_e284, at0_0_ + 1u, acts, _buffer_sizes);
            isum0_0_ = as_type<int>(as_type<uint>(_e283) + as_type<uint>(_e287));
            metal::float2 _e289 = d0_;
            metal::float2 f0_0_ = _e289 * as_type<float>(a0_0_.x);
            uint _e293 = g;
            uint _e298 = p_1.groups;
            uint g1_ = metal::min(_e293 + 1u, _e298 - 1u);
            metal::uint2 a1_0_ = act_scales[row0_ + g1_];
            uint at1_0_ = ((row0_ + g1_) * UNITS) * VECS;
            int _e313 = p_1.zero;
            isum1_0_ = as_type<int>(as_type<uint>(naga_neg(_e313)) * as_type<uint>(as_type<int>(a1_0_.y)));
            int _e319 = isum1_0_;
            metal::uint4 _e320 = w1_0_;
            int _e323 = dot_unit(_e320, at1_0_ + 0u, acts, _buffer_sizes);
            isum1_0_ = as_type<int>(as_type<uint>(_e319) + as_type<uint>(_e323));
            int _e325 = isum1_0_;
            metal::uint4 _e326 = w1_1_;
            int _e329 = dot_unit(_e326, at1_0_ + 1u, acts, _buffer_sizes);
            isum1_0_ = as_type<int>(as_type<uint>(_e325) + as_type<uint>(_e329));
            metal::float2 _e331 = d1_;
            metal::float2 f1_0_ = _e331 * as_type<float>(a1_0_.x);
            uint _e335 = g;
            uint _e340 = p_1.groups;
            uint g2_ = metal::min(_e335 + 2u, _e340 - 1u);
            metal::uint2 a2_0_ = act_scales[row0_ + g2_];
            uint at2_0_ = ((row0_ + g2_) * UNITS) * VECS;
            int _e355 = p_1.zero;
            isum2_0_ = as_type<int>(as_type<uint>(naga_neg(_e355)) * as_type<uint>(as_type<int>(a2_0_.y)));
            int _e361 = isum2_0_;
            metal::uint4 _e362 = w2_0_;
            int _e365 = dot_unit(_e362, at2_0_ + 0u, acts, _buffer_sizes);
            isum2_0_ = as_type<int>(as_type<uint>(_e361) + as_type<uint>(_e365));
            int _e367 = isum2_0_;
            metal::uint4 _e368 = w2_1_;
            int _e371 = dot_unit(_e368, at2_0_ + 1u, acts, _buffer_sizes);
            isum2_0_ = as_type<int>(as_type<uint>(_e367) + as_type<uint>(_e371));
            metal::float2 _e373 = d2_;
            metal::float2 f2_0_ = _e373 * as_type<float>(a2_0_.x);
            uint _e377 = g;
            uint _e382 = p_1.groups;
            uint g3_ = metal::min(_e377 + 3u, _e382 - 1u);
            metal::uint2 a3_0_ = act_scales[row0_ + g3_];
            uint at3_0_ = ((row0_ + g3_) * UNITS) * VECS;
            int _e397 = p_1.zero;
            isum3_0_ = as_type<int>(as_type<uint>(naga_neg(_e397)) * as_type<uint>(as_type<int>(a3_0_.y)));
            int _e403 = isum3_0_;
            metal::uint4 _e404 = w3_0_;
            int _e407 = dot_unit(_e404, at3_0_ + 0u, acts, _buffer_sizes);
            isum3_0_ = as_type<int>(as_type<uint>(_e403) + as_type<uint>(_e407));
            int _e409 = isum3_0_;
            metal::uint4 _e410 = w3_1_;
            int _e413 = dot_unit(_e410, at3_0_ + 1u, acts, _buffer_sizes);
            isum3_0_ = as_type<int>(as_type<uint>(_e409) + as_type<uint>(_e413));
            metal::float2 _e415 = d3_;
            metal::float2 f3_0_ = _e415 * as_type<float>(a3_0_.x);
            int _e419 = isum0_0_;
            float _e422 = acc0_;
            acc0_ = metal::fma(static_cast<float>(_e419), f0_0_.x, _e422);
            int _e424 = isum1_0_;
            float _e427 = acc0_;
            acc0_ = metal::fma(static_cast<float>(_e424), f1_0_.x, _e427);
            int _e429 = isum2_0_;
            float _e432 = acc0_;
            acc0_ = metal::fma(static_cast<float>(_e429), f2_0_.x, _e432);
            int _e434 = isum3_0_;
            float _e437 = acc0_;
            acc0_ = metal::fma(static_cast<float>(_e434), f3_0_.x, _e437);
        }
    }
    if ((first + 0u) < rows) {
        float _e447 = acc0_;
        finish(first + 0u, n_2, _e447, p_1, arena, _buffer_sizes);
        return;
    } else {
        return;
    }
}
