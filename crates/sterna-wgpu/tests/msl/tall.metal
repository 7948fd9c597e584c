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
constant bool HALVES = true;
constant uint VECS = 1u;

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

float scale_of(
    uint at,
    device type_8 const& scales,
    constant _mslBufferSizes& _buffer_sizes
) {
    if (HALVES) {
        uint _e6 = scales[naga_div(at, 2u)];
        metal::float2 pair = float2(as_type<half2>(_e6));
        return ((at & 1u) == 1u) ? pair.y : pair.x;
    }
    uint _e17 = scales[at];
    return as_type<float>(_e17);
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
    float acc0_ = 0.0;
    uint g = 0u;
    int sum0_0_ = {};
    int sum1_0_ = {};
    int sum2_0_ = {};
    int sum3_0_ = {};
    uint n_2 = (group.x * 64u) + t;
    uint first = group.y * TOKENS;
    uint _e12 = p_1.count_at;
    uint rows = call[_e12];
    if (!((first >= rows))) {
        uint _e21 = p_1.outs;
        local = n_2 >= _e21;
    } else {
        local = true;
    }
    bool _e24 = local;
    if (_e24) {
        return;
    }
    uint block = naga_div(n_2, 32u);
    uint lane = naga_mod(n_2, 32u);
    uint _e38 = p_1.groups;
    uint row0_ = metal::min(first + 0u, rows - 1u) * _e38;
    uint2 loop_bound = uint2(4294967295u);
    bool loop_init = true;
    while(true) {
        if (metal::all(loop_bound == uint2(0u))) { break; }
        loop_bound -= uint2(loop_bound.y == 0u, 1u);
        if (!loop_init) {
            uint _e342 = g;
            g = _e342 + SUM_GROUPS;
        }
        loop_init = false;
        uint _e42 = g;
        uint _e45 = p_1.groups;
        if (_e42 < _e45) {
        } else {
            break;
        }
        {
            uint _e49 = p_1.groups;
            uint _e51 = g;
            uint at_3 = ((((block * _e49) + _e51) * UNITS) * 32u) + lane;
            metal::uint4 w0_0_ = codes[at_3 + 0u];
            metal::uint4 w0_1_ = codes[at_3 + 32u];
            uint _e70 = p_1.groups;
            uint _e72 = g;
            float _e79 = scale_of(((((block * _e70) + _e72) + 0u) * 32u) + lane, scales, _buffer_sizes);
            metal::uint4 w1_0_ = codes[at_3 + 64u];
            metal::uint4 w1_1_ = codes[at_3 + 96u];
            uint _e92 = p_1.groups;
            uint _e94 = g;
            float _e101 = scale_of(((((block * _e92) + _e94) + 1u) * 32u) + lane, scales, _buffer_sizes);
            metal::uint4 w2_0_ = codes[at_3 + 128u];
            metal::uint4 w2_1_ = codes[at_3 + 160u];
            uint _e114 = p_1.groups;
            uint _e116 = g;
            float _e123 = scale_of(((((block * _e114) + _e116) + 2u) * 32u) + lane, scales, _buffer_sizes);
            metal::uint4 w3_0_ = codes[at_3 + 192u];
            metal::uint4 w3_1_ = codes[at_3 + 224u];
            uint _e136 = p_1.groups;
            uint _e138 = g;
            float _e145 = scale_of(((((block * _e136) + _e138) + 3u) * 32u) + lane, scales, _buffer_sizes);
            sum0_0_ = 0;
            int _e148 = sum0_0_;
            uint _e149 = g;
            int _e159 = dot_unit(w0_0_, ((((row0_ + _e149) + 0u) * UNITS) + 0u) * VECS, acts, _buffer_sizes);
            sum0_0_ = as_type<int>(as_type<uint>(_e148) + as_type<uint>(_e159));
            int _e161 = sum0_0_;
            uint _e162 = g;
            int _e172 = dot_unit(w0_1_, ((((row0_ + _e162) + 0u) * UNITS) + 1u) * VECS, acts, _buffer_sizes);
            sum0_0_ = as_type<int>(as_type<uint>(_e161) + as_type<uint>(_e172));
            uint _e175 = g;
            metal::uint2 a0_0_ = act_scales[(row0_ + _e175) + 0u];
            int _e181 = sum0_0_;
            int _e184 = p_1.zero;
            float _e193 = acc0_;
            acc0_ = metal::fma(static_cast<float>(as_type<int>(as_type<uint>(_e181) - as_type<uint>(as_type<int>(as_type<uint>(_e184) * as_type<uint>(as_type<int>(a0_0_.y)))))), _e79 * as_type<float>(a0_0_.x), _e193);
            sum1_0_ = 0;
            int _e197 = sum1_0_;
            uint _e198 = g;
            int _e208 = dot_unit(w1_0_, ((((row0_ + _e198) + 1u) * UNITS) + 0u) * VECS, acts, _buffer_sizes);
            sum1_0_ = as_type<int>(as_type<uint>(_e197) + as_type<uint>(_e208));
            int _e210 = sum1_0_;
            uint _e211 = g;
            int _e221 = dot_unit(w1_1_, ((((row0_ + _e211) + 1u) * UNITS) + 1u) * VECS, acts, _buffer_sizes);
            sum1_0_ = as_type<int>(as_type<uint>(_e210) + as_type<uint>(_e221));
            uint _e224 = g;
            metal::uint2 a1_0_ = act_scales[(row0_ + _e224) + 1u];
            int _e230 = sum1_0_;
            int _e233 = p_1.zero;
            float _e242 = acc0_;
            acc0_ = metal::fma(static_cast<float>(as_type<int>(as_type<uint>(_e230) - as_type<uint>(as_type<int>(as_type<uint>(_e233) * as_type<uint>(as_type<int>(a1_0_.y)))))), _e101 * as_type<float>(a1_0_.x), _e242);
            sum2_0_ = 0;
            int _e246 = sum2_0_;
            uint _e247 = g;
            int _e257 = dot_unit(w2_0_, ((((row0_ + _e247) + 2u) * UNITS) + 0u) * VECS, acts, _buffer_sizes);
            sum2_0_ = as_type<int>(as_type<uint>(_e246) + as_type<uint>(_e257));
            int _e259 = sum2_0_;
            uint _e260 = g;
            int _e270 = dot_unit(w2_1_, ((((row0_ + _e260) + 2u) * UNITS) + 1u) * VECS, acts, _buffer_sizes);
            sum2_0_ = as_type<int>(as_type<uint>(_e259) + as_type<uint>(_e270));
            uint _e273 = g;
            metal::uint2 a2_0_ = act_scales[(row0_ + _e273) + 2u];
            int _e279 = sum2_0_;
            int _e282 = p_1.zero;
            float _e291 = acc0_;
            acc0_ = metal::fma(static_cast<float>(as_type<int>(as_type<uint>(_e279) - as_type<uint>(as_type<int>(as_type<uint>(_e282) * as_type<uint>(as_type<int>(a2_0_.y)))))), _e123 * as_type<float>(a2_0_.x), _e291);
            sum3_0_ = 0;
            int _e295 = sum3_0_;
            uint _e296 = g;
            int _e306 = dot_unit(w3_0_, ((((row0_ + _e296) + 3u) * UNITS) + 0u) * VECS, acts, _buffer_sizes);
            sum3_0_ = as_type<int>(as_type<uint>(_e295) + as_type<uint>(_e306));
            int _e308 = sum3_0_;
            uint _e309 = g;
            int _e319 = dot_unit(w3_1_, ((((row0_ + _e309) + 3u) * UNITS) + 1u) * VECS, acts, _buffer_sizes);
            sum3_0_ = as_type<int>(as_type<uint>(_e308) + as_type<uint>(_e319));
            uint _e322 = g;
            metal::uint2 a3_0_ = act_scales[(row0_ + _e322) + 3u];
            int _e328 = sum3_0_;
            int _e331 = p_1.zero;
            float _e340 = acc0_;
            acc0_ = metal::fma(static_cast<float>(as_type<int>(as_type<uint>(_e328) - as_type<uint>(as_type<int>(as_type<uint>(_e331) * as_type<uint>(as_type<int>(a3_0_.y)))))), _e145 * as_type<float>(a3_0_.x), _e340);
        }
    }
    if ((first + 0u) < rows) {
        float _e350 = acc0_;
        finish(first + 0u, n_2, _e350, p_1, arena, _buffer_sizes);
        return;
    } else {
        return;
    }
}
