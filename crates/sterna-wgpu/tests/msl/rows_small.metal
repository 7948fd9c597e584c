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

struct type_5 {
    metal::uint4 inner[2];
};
struct Params {
    uint input;
    uint input_cols;
    uint weight;
    uint count_at;
    float eps;
    uint sums_at;
    uint pad1_;
    uint pad2_;
    type_5 pad;
};
typedef uint type_6[1];
typedef metal::float4 type_7[1];
typedef metal::uint4 type_8[1];
typedef metal::uint2 type_10[1];
struct type_11 {
    metal::uint4 inner[256];
};
struct type_12 {
    metal::uint2 inner[128];
};
struct type_13 {
    metal::uint4 inner[128];
};
constant uint GROUPS = 16u;
constant uint WARPS = 16u;
constant bool NORM = false;
constant bool HALF_ROWS = false;
constant bool SMALL = true;
constant bool SUMS = false;
constant bool FOURS = true;
constant bool SUBGROUPS = false;
constant uint THREADS = 512u;
constant uint SHARE = 4u;
constant uint SCALES = 128u;

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
    float c_1 = {};
    float p = {};
    c_1 = x;
    if (x > 88.0) {
        c_1 = 88.0;
    } else {
        if (x < -87.3) {
            c_1 = -87.3;
        }
    }
    float _e8 = c_1;
    float n = metal::rint(_e8 * 1.442695);
    float _e12 = c_1;
    float r_1 = metal::fma(n, 0.00021219444, metal::fma(n, -0.6933594, _e12));
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
    float y = metal::fma(r_1 * r_1, _e34, r_1) + 1.0;
    float scale = as_type<float>(static_cast<uint>(as_type<int>(as_type<uint>(naga_f2i32(n)) + as_type<uint>(127))) << 23u);
    return (x < -87.3) ? 0.0 : (y * scale);
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
    float c_2,
    float d_1,
    float e,
    float f,
    float g_2,
    float h
) {
    return ((a + e) + (c_2 + g_2)) + ((b + f) + (d_1 + h));
}

float squares(
    metal::float4 a_1,
    metal::float4 b_1
) {
    return metal::fma(b_1.w, b_1.w, metal::fma(b_1.z, b_1.z, metal::fma(b_1.y, b_1.y, metal::fma(b_1.x, b_1.x, metal::fma(a_1.w, a_1.w, metal::fma(a_1.z, a_1.z, metal::fma(a_1.y, a_1.y, a_1.x * a_1.x)))))));
}

uint magnitude(
    metal::float4 v
) {
    metal::uint4 b_2 = as_type<metal::uint4>(v) & metal::uint4(2147483647u);
    return metal::max(metal::max(b_2.x, b_2.y), metal::max(b_2.z, b_2.w));
}

uint pack_bytes(
    metal::uint4 q_1
) {
    return (((q_1.x & 255u) | ((q_1.y & 255u) << 8u)) | ((q_1.z & 255u) << 16u)) | (q_1.w << 24u);
}

uint quantised(
    metal::float4 x_5,
    float d_2,
    float r
) {
    metal::float4 near = x_5 * r;
    metal::float4 quotient = metal::fma(metal::fma(-(near), metal::float4(d_2), x_5), metal::float4(r), near);
    uint _e13 = pack_bytes(as_type<metal::uint4>(quotient + metal::float4(12582912.0)));
    return _e13;
}

metal::uint2 pairs(
    uint word
) {
    int v_1 = as_type<int>(word);
    uint a_2 = as_type<uint>(half2(metal::float2(static_cast<float>(metal::extract_bits(v_1, metal::min(0u, 32u), metal::min(8u, 32u - metal::min(0u, 32u)))), static_cast<float>(metal::extract_bits(v_1, metal::min(16u, 32u), metal::min(8u, 32u - metal::min(16u, 32u)))))));
    uint b_3 = as_type<uint>(half2(metal::float2(static_cast<float>(metal::extract_bits(v_1, metal::min(8u, 32u), metal::min(8u, 32u - metal::min(8u, 32u)))), static_cast<float>(metal::extract_bits(v_1, metal::min(24u, 32u), metal::min(8u, 32u - metal::min(24u, 32u)))))));
    return metal::uint2(a_2, b_3);
}
uint naga_div(uint lhs, uint rhs) {
    return lhs / metal::select(rhs, 1u, rhs == 0u);
}

uint naga_mod(uint lhs, uint rhs) {
    return lhs % metal::select(rhs, 1u, rhs == 0u);
}


struct main_Input {
};
[[max_total_threads_per_threadgroup(512)]] kernel void main_(
  metal::uint3 group [[threadgroup_position_in_grid]]
, uint t [[thread_index_in_threadgroup]]
, constant Params& p_1 [[user(fake0)]]
, device type_6 const& call [[user(fake0)]]
, device type_7 const& arena [[user(fake0)]]
, device type_8& acts [[user(fake0)]]
, device type_10& act_scales [[user(fake0)]]
, threadgroup type_11& row_acts
, threadgroup type_12& row_scales
, threadgroup type_13& row_parts
, constant _mslBufferSizes& _buffer_sizes [[user(fake0)]]
) {
    metal::float4 x0_0_ = metal::float4(0.0);
    metal::float4 x0_1_ = metal::float4(0.0);
    uint peak0_ = {};
    float d = {};
    metal::uint2 q = metal::uint2(0u);
    bool local = {};
    uint g = {};
    metal::uint4 sums = {};
    uint c = {};
    uint g_1 = {};
    uint first = group.y;
    uint _e6 = p_1.count_at;
    uint _e8 = call[_e6];
    if (first >= _e8) {
        return;
    }
    uint _e12 = p_1.input;
    uint _e15 = p_1.input_cols;
    uint from_at = naga_div(_e12 + (first * _e15), 4u);
    uint chunk0_ = t + 0u;
    bool live0_ = chunk0_ < 512u;
    if (live0_) {
        metal::float4 _e35 = arena[from_at + (2u * chunk0_)];
        x0_0_ = _e35;
        metal::float4 _e43 = arena[(from_at + (2u * chunk0_)) + 1u];
        x0_1_ = _e43;
    }
    metal::float4 _e44 = x0_0_;
    uint _e45 = magnitude(_e44);
    metal::float4 _e46 = x0_1_;
    uint _e47 = magnitude(_e46);
    peak0_ = metal::max(_e45, _e47);
    if (live0_) {
        uint _e57 = peak0_;
        row_parts.inner[naga_div(chunk0_, 4u)][naga_mod(chunk0_, 4u)] = _e57;
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    if (live0_) {
        metal::uint4 all = row_parts.inner[naga_div(chunk0_, 4u)];
        peak0_ = metal::max(metal::max(all.x, all.y), metal::max(all.z, all.w));
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    if (live0_) {
        uint g_3 = naga_div(chunk0_, SHARE);
        uint _e72 = peak0_;
        d = as_type<float>(_e72) / 127.0;
        float _e80 = d;
        if (_e80 >= 0.000000000000000000000000000000000000011754944) {
            uint _e85 = peak0_;
            local = _e85 < 2139095040u;
        } else {
            local = false;
        }
        bool _e89 = local;
        if (_e89) {
            float _e90 = d;
            float scale_1 = (_e90 < 0.000000000000000000000000000001) ? 18446744000000000000.0 : 1.0;
            float _e96 = d;
            float r_2 = 1.0 / (_e96 * scale_1);
            metal::float4 _e101 = x0_0_;
            float _e103 = d;
            uint _e105 = quantised(_e101 * scale_1, _e103 * scale_1, r_2);
            q.x = _e105;
            metal::float4 _e107 = x0_1_;
            float _e109 = d;
            uint _e111 = quantised(_e107 * scale_1, _e109 * scale_1, r_2);
            q.y = _e111;
        }
        float _e112 = d;
        if (_e112 < 0.000000000000000000000000000000000000011754944) {
            d = 0.0;
        }
        uint _e126 = q.x;
        row_acts.inner[naga_div(chunk0_, 2u)][naga_mod(chunk0_, 2u) * 2u] = _e126;
        uint _e139 = q.y;
        row_acts.inner[naga_div(chunk0_, 2u)][(naga_mod(chunk0_, 2u) * 2u) + 1u] = _e139;
        uint _e141 = q.x;
        packed_char4 reinterpreted_packed_char4_e141 = as_type<packed_char4>(_e141);
        packed_char4 reinterpreted_packed_char4_e142 = as_type<packed_char4>(16843009u);
        uint _e145 = q.y;
        packed_char4 reinterpreted_packed_char4_e145 = as_type<packed_char4>(_e145);
        packed_char4 reinterpreted_packed_char4_e146 = as_type<packed_char4>(16843009u);
        int sum = as_type<int>(as_type<uint>(( + reinterpreted_packed_char4_e141[0] * reinterpreted_packed_char4_e142[0] + reinterpreted_packed_char4_e141[1] * reinterpreted_packed_char4_e142[1] + reinterpreted_packed_char4_e141[2] * reinterpreted_packed_char4_e142[2] + reinterpreted_packed_char4_e141[3] * reinterpreted_packed_char4_e142[3])) + as_type<uint>(( + reinterpreted_packed_char4_e145[0] * reinterpreted_packed_char4_e146[0] + reinterpreted_packed_char4_e145[1] * reinterpreted_packed_char4_e146[1] + reinterpreted_packed_char4_e145[2] * reinterpreted_packed_char4_e146[2] + reinterpreted_packed_char4_e145[3] * reinterpreted_packed_char4_e146[3])));
        row_parts.inner[naga_div(chunk0_, 4u)][naga_mod(chunk0_, 4u)] = as_type<uint>(sum);
        if (naga_mod(chunk0_, SHARE) == 0u) {
            float _e164 = d;
            row_scales.inner[g_3].x = as_type<uint>(_e164);
        }
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    g = t;
    uint2 loop_bound = uint2(4294967295u);
    bool loop_init = true;
    while(true) {
        if (metal::all(loop_bound == uint2(0u))) { break; }
        loop_bound -= uint2(loop_bound.y == 0u, 1u);
        if (!loop_init) {
            uint _e192 = g;
            g = _e192 + THREADS;
        }
        loop_init = false;
        uint _e167 = g;
        if (_e167 < SCALES) {
        } else {
            break;
        }
        {
            uint _e172 = g;
            metal::uint4 _e175 = row_parts.inner[1u * _e172];
            sums = _e175;
            uint _e178 = g;
            uint _e182 = sums.x;
            uint _e184 = sums.y;
            uint _e187 = sums.z;
            uint _e190 = sums.w;
            row_scales.inner[_e178].y = ((_e182 + _e184) + _e187) + _e190;
        }
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    c = t;
    uint2 loop_bound_1 = uint2(4294967295u);
    bool loop_init_1 = true;
    while(true) {
        if (metal::all(loop_bound_1 == uint2(0u))) { break; }
        loop_bound_1 -= uint2(loop_bound_1.y == 0u, 1u);
        if (!loop_init_1) {
            uint _e211 = c;
            c = _e211 + THREADS;
        }
        loop_init_1 = false;
        uint _e196 = c;
        if (_e196 < 256u) {
        } else {
            break;
        }
        {
            uint _e200 = c;
            metal::uint4 q_2 = row_acts.inner[_e200];
            uint _e208 = c;
            acts[((first * GROUPS) * 16u) + _e208] = q_2;
        }
    }
    g_1 = t;
    uint2 loop_bound_2 = uint2(4294967295u);
    bool loop_init_2 = true;
    while(true) {
        if (metal::all(loop_bound_2 == uint2(0u))) { break; }
        loop_bound_2 -= uint2(loop_bound_2.y == 0u, 1u);
        if (!loop_init_2) {
            uint _e228 = g_1;
            g_1 = _e228 + THREADS;
        }
        loop_init_2 = false;
        uint _e215 = g_1;
        if (_e215 < SCALES) {
        } else {
            break;
        }
        {
            uint _e221 = g_1;
            uint _e225 = g_1;
            metal::uint2 _e227 = row_scales.inner[_e225];
            act_scales[(first * SCALES) + _e221] = _e227;
        }
    }
    return;
}
