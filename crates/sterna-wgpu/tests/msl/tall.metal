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
    metal::uint4 inner[1];
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
    uint sums_at;
    uint pad0_;
    uint pad1_;
    uint pad2_;
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
constant bool EARLY = true;
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
    uint start = 0u;
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
    uint _e78 = g;
    uint _e83 = p_1.groups;
    if ((_e78 + 0u) < _e83) {
        uint _e87 = p_1.groups;
        uint _e89 = g;
        uint load0_ = (((((block * _e87) + _e89) + 0u) * GROUP_UNITS) * 32u) + lane;
        metal::uint4 _e102 = codes[load0_ + 0u];
        w0_0_ = _e102;
        metal::uint4 _e107 = codes[load0_ + 32u];
        w0_1_ = _e107;
        uint _e110 = p_1.groups;
        uint _e112 = g;
        metal::float2 _e119 = scale_of(((((block * _e110) + _e112) + 0u) * 32u) + lane, scales, _buffer_sizes);
        d0_ = _e119;
    }
    uint _e120 = g;
    uint _e125 = p_1.groups;
    if ((_e120 + 1u) < _e125) {
        uint _e129 = p_1.groups;
        uint _e131 = g;
        uint load1_ = (((((block * _e129) + _e131) + 1u) * GROUP_UNITS) * 32u) + lane;
        metal::uint4 _e144 = codes[load1_ + 0u];
        w1_0_ = _e144;
        metal::uint4 _e149 = codes[load1_ + 32u];
        w1_1_ = _e149;
        uint _e152 = p_1.groups;
        uint _e154 = g;
        metal::float2 _e161 = scale_of(((((block * _e152) + _e154) + 1u) * 32u) + lane, scales, _buffer_sizes);
        d1_ = _e161;
    }
    uint _e162 = g;
    uint _e167 = p_1.groups;
    if ((_e162 + 2u) < _e167) {
        uint _e171 = p_1.groups;
        uint _e173 = g;
        uint load2_ = (((((block * _e171) + _e173) + 2u) * GROUP_UNITS) * 32u) + lane;
        metal::uint4 _e186 = codes[load2_ + 0u];
        w2_0_ = _e186;
        metal::uint4 _e191 = codes[load2_ + 32u];
        w2_1_ = _e191;
        uint _e194 = p_1.groups;
        uint _e196 = g;
        metal::float2 _e203 = scale_of(((((block * _e194) + _e196) + 2u) * 32u) + lane, scales, _buffer_sizes);
        d2_ = _e203;
    }
    uint _e204 = g;
    uint _e209 = p_1.groups;
    if ((_e204 + 3u) < _e209) {
        uint _e213 = p_1.groups;
        uint _e215 = g;
        uint load3_ = (((((block * _e213) + _e215) + 3u) * GROUP_UNITS) * 32u) + lane;
        metal::uint4 _e228 = codes[load3_ + 0u];
        w3_0_ = _e228;
        metal::uint4 _e233 = codes[load3_ + 32u];
        w3_1_ = _e233;
        uint _e236 = p_1.groups;
        uint _e238 = g;
        metal::float2 _e245 = scale_of(((((block * _e236) + _e238) + 3u) * 32u) + lane, scales, _buffer_sizes);
        d3_ = _e245;
    }
    uint2 loop_bound = uint2(4294967295u);
    bool loop_init = true;
    while(true) {
        if (metal::all(loop_bound == uint2(0u))) { break; }
        loop_bound -= uint2(loop_bound.y == 0u, 1u);
        if (!loop_init) {
            uint _e612 = start;
            start = _e612 + SUM_GROUPS;
        }
        loop_init = false;
        uint _e248 = start;
        uint _e251 = p_1.groups;
        if (_e248 < _e251) {
        } else {
            break;
        }
        {
            uint _e253 = g;
            uint _e258 = p_1.groups;
            uint g0_ = metal::min(_e253 + 0u, _e258 - 1u);
            metal::float2 d_now0_ = d0_;
            metal::uint4 now0_0_ = w0_0_;
            metal::uint4 now0_1_ = w0_1_;
            uint _e265 = g;
            uint _e270 = p_1.groups;
            uint g1_ = metal::min(_e265 + 1u, _e270 - 1u);
            metal::float2 d_now1_ = d1_;
            metal::uint4 now1_0_ = w1_0_;
            metal::uint4 now1_1_ = w1_1_;
            uint _e277 = g;
            uint _e282 = p_1.groups;
            uint g2_ = metal::min(_e277 + 2u, _e282 - 1u);
            metal::float2 d_now2_ = d2_;
            metal::uint4 now2_0_ = w2_0_;
            metal::uint4 now2_1_ = w2_1_;
            uint _e289 = g;
            uint _e294 = p_1.groups;
            uint g3_ = metal::min(_e289 + 3u, _e294 - 1u);
            metal::float2 d_now3_ = d3_;
            metal::uint4 now3_0_ = w3_0_;
            metal::uint4 now3_1_ = w3_1_;
            uint _e301 = g;
            g = _e301 + SUM_GROUPS;
            uint _e304 = g;
            uint _e309 = p_1.groups;
            if ((_e304 + 0u) < _e309) {
                uint _e313 = p_1.groups;
                uint _e315 = g;
                uint load0_1 = (((((block * _e313) + _e315) + 0u) * GROUP_UNITS) * 32u) + lane;
                metal::uint4 _e328 = codes[load0_1 + 0u];
                w0_0_ = _e328;
                metal::uint4 _e333 = codes[load0_1 + 32u];
                w0_1_ = _e333;
                uint _e336 = p_1.groups;
                uint _e338 = g;
                metal::float2 _e345 = scale_of(((((block * _e336) + _e338) + 0u) * 32u) + lane, scales, _buffer_sizes);
                d0_ = _e345;
            }
            uint _e346 = g;
            uint _e351 = p_1.groups;
            if ((_e346 + 1u) < _e351) {
                uint _e355 = p_1.groups;
                uint _e357 = g;
                uint load1_1 = (((((block * _e355) + _e357) + 1u) * GROUP_UNITS) * 32u) + lane;
                metal::uint4 _e370 = codes[load1_1 + 0u];
                w1_0_ = _e370;
                metal::uint4 _e375 = codes[load1_1 + 32u];
                w1_1_ = _e375;
                uint _e378 = p_1.groups;
                uint _e380 = g;
                metal::float2 _e387 = scale_of(((((block * _e378) + _e380) + 1u) * 32u) + lane, scales, _buffer_sizes);
                d1_ = _e387;
            }
            uint _e388 = g;
            uint _e393 = p_1.groups;
            if ((_e388 + 2u) < _e393) {
                uint _e397 = p_1.groups;
                uint _e399 = g;
                uint load2_1 = (((((block * _e397) + _e399) + 2u) * GROUP_UNITS) * 32u) + lane;
                metal::uint4 _e412 = codes[load2_1 + 0u];
                w2_0_ = _e412;
                metal::uint4 _e417 = codes[load2_1 + 32u];
                w2_1_ = _e417;
                uint _e420 = p_1.groups;
                uint _e422 = g;
                metal::float2 _e429 = scale_of(((((block * _e420) + _e422) + 2u) * 32u) + lane, scales, _buffer_sizes);
                d2_ = _e429;
            }
            uint _e430 = g;
            uint _e435 = p_1.groups;
            if ((_e430 + 3u) < _e435) {
                uint _e439 = p_1.groups;
                uint _e441 = g;
                uint load3_1 = (((((block * _e439) + _e441) + 3u) * GROUP_UNITS) * 32u) + lane;
                metal::uint4 _e454 = codes[load3_1 + 0u];
                w3_0_ = _e454;
                metal::uint4 _e459 = codes[load3_1 + 32u];
                w3_1_ = _e459;
                uint _e462 = p_1.groups;
                uint _e464 = g;
                metal::float2 _e471 = scale_of(((((block * _e462) + _e464) + 3u) * 32u) + lane, scales, _buffer_sizes);
                d3_ = _e471;
            }
            metal::uint2 a0_0_ = act_scales[row0_ + g0_];
            uint at0_0_ = ((row0_ + g0_) * UNITS) * VECS;
            int _e483 = p_1.zero;
            isum0_0_ = as_type<int>(as_type<uint>(naga_neg(_e483)) * as_type<uint>(as_type<int>(a0_0_.y)));
            int _e489 = isum0_0_;
            int _e492 = dot_unit(now0_0_, at0_0_ + 0u, acts, _buffer_sizes);
            isum0_0_ = as_type<int>(as_type<uint>(_e489) + as_type<uint>(_e492));
            int _e494 = isum0_0_;
            int _e497 = dot_unit(now0_1_, at0_0_ + 1u, acts, _buffer_sizes);
            isum0_0_ = as_type<int>(as_type<uint>(_e494) + as_type<uint>(_e497));
            metal::float2 f0_0_ = d_now0_ * as_type<float>(a0_0_.x);
            metal::uint2 a1_0_ = act_scales[row0_ + g1_];
            uint at1_0_ = ((row0_ + g1_) * UNITS) * VECS;
            int _e513 = p_1.zero;
            isum1_0_ = as_type<int>(as_type<uint>(naga_neg(_e513)) * as_type<uint>(as_type<int>(a1_0_.y)));
            int _e519 = isum1_0_;
            int _e522 = dot_unit(now1_0_, at1_0_ + 0u, acts, _buffer_sizes);
            isum1_0_ = as_type<int>(as_type<uint>(_e519) + as_type<uint>(_e522));
            int _e524 = isum1_0_;
            int _e527 = dot_unit(now1_1_, at1_0_ + 1u, acts, _buffer_sizes);
            isum1_0_ = as_type<int>(as_type<uint>(_e524) + as_type<uint>(_e527));
            metal::float2 f1_0_ = d_now1_ * as_type<float>(a1_0_.x);
            metal::uint2 a2_0_ = act_scales[row0_ + g2_];
            uint at2_0_ = ((row0_ + g2_) * UNITS) * VECS;
            int _e543 = p_1.zero;
            isum2_0_ = as_type<int>(as_type<uint>(naga_neg(_e543)) * as_type<uint>(as_type<int>(a2_0_.y)));
            int _e549 = isum2_0_;
            int _e552 = dot_unit(now2_0_, at2_0_ + 0u, acts, _buffer_sizes);
            isum2_0_ = as_type<int>(as_type<uint>(_e549) + as_type<uint>(_e552));
            int _e554 = isum2_0_;
            int _e557 = dot_unit(now2_1_, at2_0_ + 1u, acts, _buffer_sizes);
            isum2_0_ = as_type<int>(as_type<uint>(_e554) + as_type<uint>(_e557));
            metal::float2 f2_0_ = d_now2_ * as_type<float>(a2_0_.x);
            metal::uint2 a3_0_ = act_scales[row0_ + g3_];
            uint at3_0_ = ((row0_ + g3_) * UNITS) * VECS;
            int _e573 = p_1.zero;
            isum3_0_ = as_type<int>(as_type<uint>(naga_neg(_e573)) * as_type<uint>(as_type<int>(a3_0_.y)));
            int _e579 = isum3_0_;
            int _e582 = dot_unit(now3_0_, at3_0_ + 0u, acts, _buffer_sizes);
            isum3_0_ = as_type<int>(as_type<uint>(_e579) + as_type<uint>(_e582));
            int _e584 = isum3_0_;
            int _e587 = dot_unit(now3_1_, at3_0_ + 1u, acts, _buffer_sizes);
            isum3_0_ = as_type<int>(as_type<uint>(_e584) + as_type<uint>(_e587));
            metal::float2 f3_0_ = d_now3_ * as_type<float>(a3_0_.x);
            int _e592 = isum0_0_;
            float _e595 = acc0_;
            acc0_ = metal::fma(static_cast<float>(_e592), f0_0_.x, _e595);
            int _e597 = isum1_0_;
            float _e600 = acc0_;
            acc0_ = metal::fma(static_cast<float>(_e597), f1_0_.x, _e600);
            int _e602 = isum2_0_;
            float _e605 = acc0_;
            acc0_ = metal::fma(static_cast<float>(_e602), f2_0_.x, _e605);
            int _e607 = isum3_0_;
            float _e610 = acc0_;
            acc0_ = metal::fma(static_cast<float>(_e607), f3_0_.x, _e610);
        }
    }
    if ((first + 0u) < rows) {
        float _e620 = acc0_;
        finish(first + 0u, n_2, _e620, p_1, arena, _buffer_sizes);
        return;
    } else {
        return;
    }
}
