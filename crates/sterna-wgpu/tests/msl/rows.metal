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
    uint pad0_;
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
    metal::uint2 inner[16];
};
struct type_13 {
    metal::uint4 inner[128];
};
struct type_14 {
    float inner[16];
};
constant uint GROUPS = 16u;
constant uint WARPS = 16u;
constant bool NORM = true;
constant bool HALF_ROWS = false;
constant bool SUBGROUPS = false;
constant uint THREADS = 512u;

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
    float g,
    float h
) {
    return ((a + e) + (c_2 + g)) + ((b + f) + (d_1 + h));
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

metal::int4 naga_f2i32(metal::float4 value) {
    return static_cast<metal::int4>(metal::clamp(value, -2147483600.0, 2147483500.0));
}

uint quantised(
    metal::float4 x_5,
    float d_2,
    float r
) {
    bool local_1 = {};
    metal::float4 q_2 = metal::fma(x_5, metal::float4(r), metal::float4(12582912.0));
    metal::float4 off = metal::abs(metal::fma(x_5, metal::float4(r), -((q_2 - metal::float4(12582912.0)))));
    if (!((metal::max(metal::max(off.x, off.y), metal::max(off.z, off.w)) > 0.4999))) {
        local_1 = d_2 < 0.000000000000000000000000000000000001;
    } else {
        local_1 = true;
    }
    bool _e29 = local_1;
    if (_e29) {
        uint _e35 = pack_bytes(as_type<metal::uint4>(naga_f2i32(metal::rint(x_5 / metal::float4(d_2)))));
        return _e35;
    }
    uint _e37 = pack_bytes(as_type<metal::uint4>(q_2));
    return _e37;
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
, device type_7 const& vectors [[user(fake0)]]
, device type_7 const& arena [[user(fake0)]]
, device type_8& acts [[user(fake0)]]
, device type_10& act_scales [[user(fake0)]]
, threadgroup type_11& row_acts
, threadgroup type_12& row_scales
, threadgroup type_13& row_parts
, threadgroup type_14& pieces
, constant _mslBufferSizes& _buffer_sizes [[user(fake0)]]
) {
    metal::float4 x0_0_ = metal::float4(0.0);
    metal::float4 x0_1_ = metal::float4(0.0);
    float part = {};
    float sum = {};
    uint peak0_ = {};
    metal::uint4 all = {};
    float d = {};
    metal::uint2 q = metal::uint2(0u);
    bool local = {};
    metal::uint4 sums = {};
    uint c = {};
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
    if (live0_) {
        metal::float4 _e44 = x0_0_;
        metal::float4 _e45 = x0_1_;
        float _e46 = squares(_e44, _e45);
        part = _e46;
        float _e55 = part;
        row_parts.inner[naga_div(chunk0_, 4u)][naga_mod(chunk0_, 4u)] = as_type<uint>(_e55);
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    if (t < GROUPS) {
        metal::uint4 _e65 = row_parts.inner[(8u * t) + 0u];
        metal::float4 v0_ = as_type<metal::float4>(_e65);
        metal::uint4 _e73 = row_parts.inner[(8u * t) + 1u];
        metal::float4 v1_ = as_type<metal::float4>(_e73);
        metal::uint4 _e81 = row_parts.inner[(8u * t) + 2u];
        metal::float4 v2_ = as_type<metal::float4>(_e81);
        metal::uint4 _e89 = row_parts.inner[(8u * t) + 3u];
        metal::float4 v3_ = as_type<metal::float4>(_e89);
        metal::uint4 _e97 = row_parts.inner[(8u * t) + 4u];
        metal::float4 v4_ = as_type<metal::float4>(_e97);
        metal::uint4 _e105 = row_parts.inner[(8u * t) + 5u];
        metal::float4 v5_ = as_type<metal::float4>(_e105);
        metal::uint4 _e113 = row_parts.inner[(8u * t) + 6u];
        metal::float4 v6_ = as_type<metal::float4>(_e113);
        metal::uint4 _e121 = row_parts.inner[(8u * t) + 7u];
        metal::float4 v7_ = as_type<metal::float4>(_e121);
        metal::float4 v_2 = ((v0_ + v4_) + (v2_ + v6_)) + ((v1_ + v5_) + (v3_ + v7_));
        pieces.inner[t] = (v_2.x + v_2.z) + (v_2.y + v_2.w);
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    float _e141 = pieces.inner[0];
    sum = _e141;
    float _e143 = sum;
    float _e146 = pieces.inner[1];
    sum = _e143 + _e146;
    float _e148 = sum;
    float _e151 = pieces.inner[2];
    sum = _e148 + _e151;
    float _e153 = sum;
    float _e156 = pieces.inner[3];
    sum = _e153 + _e156;
    float _e158 = sum;
    float _e161 = pieces.inner[4];
    sum = _e158 + _e161;
    float _e163 = sum;
    float _e166 = pieces.inner[5];
    sum = _e163 + _e166;
    float _e168 = sum;
    float _e171 = pieces.inner[6];
    sum = _e168 + _e171;
    float _e173 = sum;
    float _e176 = pieces.inner[7];
    sum = _e173 + _e176;
    float _e178 = sum;
    float _e181 = pieces.inner[8];
    sum = _e178 + _e181;
    float _e183 = sum;
    float _e186 = pieces.inner[9];
    sum = _e183 + _e186;
    float _e188 = sum;
    float _e191 = pieces.inner[10];
    sum = _e188 + _e191;
    float _e193 = sum;
    float _e196 = pieces.inner[11];
    sum = _e193 + _e196;
    float _e198 = sum;
    float _e201 = pieces.inner[12];
    sum = _e198 + _e201;
    float _e203 = sum;
    float _e206 = pieces.inner[13];
    sum = _e203 + _e206;
    float _e208 = sum;
    float _e211 = pieces.inner[14];
    sum = _e208 + _e211;
    float _e213 = sum;
    float _e216 = pieces.inner[15];
    sum = _e213 + _e216;
    float _e218 = sum;
    float _e223 = p_1.eps;
    float inverse = 1.0 / metal::sqrt((_e218 / 4096.0) + _e223);
    if (live0_) {
        metal::float4 _e228 = x0_0_;
        uint _e233 = p_1.weight;
        metal::float4 _e240 = vectors[naga_div(_e233, 4u) + (2u * chunk0_)];
        x0_0_ = (_e228 * inverse) * _e240;
        metal::float4 _e242 = x0_1_;
        uint _e247 = p_1.weight;
        metal::float4 _e256 = vectors[(naga_div(_e247, 4u) + (2u * chunk0_)) + 1u];
        x0_1_ = (_e242 * inverse) * _e256;
    }
    metal::float4 _e258 = x0_0_;
    uint _e259 = magnitude(_e258);
    metal::float4 _e260 = x0_1_;
    uint _e261 = magnitude(_e260);
    peak0_ = metal::max(_e259, _e261);
    if (live0_) {
        uint _e271 = peak0_;
        row_parts.inner[naga_div(chunk0_, 4u)][naga_mod(chunk0_, 4u)] = _e271;
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    if (live0_) {
        uint g_1 = naga_div(chunk0_, 32u);
        metal::uint4 _e278 = row_parts.inner[8u * g_1];
        all = _e278;
        metal::uint4 _e280 = all;
        metal::uint4 _e289 = row_parts.inner[((8u * g_1) + 0u) + 1u];
        all = metal::max(_e280, _e289);
        metal::uint4 _e291 = all;
        metal::uint4 _e300 = row_parts.inner[((8u * g_1) + 1u) + 1u];
        all = metal::max(_e291, _e300);
        metal::uint4 _e302 = all;
        metal::uint4 _e311 = row_parts.inner[((8u * g_1) + 2u) + 1u];
        all = metal::max(_e302, _e311);
        metal::uint4 _e313 = all;
        metal::uint4 _e322 = row_parts.inner[((8u * g_1) + 3u) + 1u];
        all = metal::max(_e313, _e322);
        metal::uint4 _e324 = all;
        metal::uint4 _e333 = row_parts.inner[((8u * g_1) + 4u) + 1u];
        all = metal::max(_e324, _e333);
        metal::uint4 _e335 = all;
        metal::uint4 _e344 = row_parts.inner[((8u * g_1) + 5u) + 1u];
        all = metal::max(_e335, _e344);
        metal::uint4 _e346 = all;
        metal::uint4 _e355 = row_parts.inner[((8u * g_1) + 6u) + 1u];
        all = metal::max(_e346, _e355);
        uint _e358 = all.x;
        uint _e360 = all.y;
        uint _e363 = all.z;
        uint _e365 = all.w;
        peak0_ = metal::max(metal::max(_e358, _e360), metal::max(_e363, _e365));
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    if (live0_) {
        uint g_2 = naga_div(chunk0_, 32u);
        uint _e370 = peak0_;
        d = as_type<float>(_e370) / 127.0;
        float _e378 = d;
        if (_e378 >= 0.000000000000000000000000000000000000011754944) {
            uint _e383 = peak0_;
            local = _e383 < 2139095040u;
        } else {
            local = false;
        }
        bool _e387 = local;
        if (_e387) {
            float _e388 = d;
            float r_2 = 1.0 / _e388;
            metal::float4 _e392 = x0_0_;
            float _e393 = d;
            uint _e394 = quantised(_e392, _e393, r_2);
            q.x = _e394;
            metal::float4 _e396 = x0_1_;
            float _e397 = d;
            uint _e398 = quantised(_e396, _e397, r_2);
            q.y = _e398;
        }
        float _e399 = d;
        if (_e399 < 0.000000000000000000000000000000000000011754944) {
            d = 0.0;
        }
        uint _e413 = q.x;
        row_acts.inner[naga_div(chunk0_, 2u)][naga_mod(chunk0_, 2u) * 2u] = _e413;
        uint _e426 = q.y;
        row_acts.inner[naga_div(chunk0_, 2u)][(naga_mod(chunk0_, 2u) * 2u) + 1u] = _e426;
        uint _e428 = q.x;
        packed_char4 reinterpreted_packed_char4_e428 = as_type<packed_char4>(_e428);
        packed_char4 reinterpreted_packed_char4_e429 = as_type<packed_char4>(16843009u);
        uint _e432 = q.y;
        packed_char4 reinterpreted_packed_char4_e432 = as_type<packed_char4>(_e432);
        packed_char4 reinterpreted_packed_char4_e433 = as_type<packed_char4>(16843009u);
        int sum_1 = as_type<int>(as_type<uint>(( + reinterpreted_packed_char4_e428[0] * reinterpreted_packed_char4_e429[0] + reinterpreted_packed_char4_e428[1] * reinterpreted_packed_char4_e429[1] + reinterpreted_packed_char4_e428[2] * reinterpreted_packed_char4_e429[2] + reinterpreted_packed_char4_e428[3] * reinterpreted_packed_char4_e429[3])) + as_type<uint>(( + reinterpreted_packed_char4_e432[0] * reinterpreted_packed_char4_e433[0] + reinterpreted_packed_char4_e432[1] * reinterpreted_packed_char4_e433[1] + reinterpreted_packed_char4_e432[2] * reinterpreted_packed_char4_e433[2] + reinterpreted_packed_char4_e432[3] * reinterpreted_packed_char4_e433[3])));
        row_parts.inner[naga_div(chunk0_, 4u)][naga_mod(chunk0_, 4u)] = as_type<uint>(sum_1);
        if (naga_mod(chunk0_, 32u) == 0u) {
            float _e451 = d;
            row_scales.inner[g_2].x = as_type<uint>(_e451);
        }
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    if (t < GROUPS) {
        metal::uint4 _e459 = row_parts.inner[8u * t];
        sums = _e459;
        metal::uint4 _e461 = sums;
        metal::uint4 _e470 = row_parts.inner[((8u * t) + 0u) + 1u];
        sums = _e461 + _e470;
        metal::uint4 _e472 = sums;
        metal::uint4 _e481 = row_parts.inner[((8u * t) + 1u) + 1u];
        sums = _e472 + _e481;
        metal::uint4 _e483 = sums;
        metal::uint4 _e492 = row_parts.inner[((8u * t) + 2u) + 1u];
        sums = _e483 + _e492;
        metal::uint4 _e494 = sums;
        metal::uint4 _e503 = row_parts.inner[((8u * t) + 3u) + 1u];
        sums = _e494 + _e503;
        metal::uint4 _e505 = sums;
        metal::uint4 _e514 = row_parts.inner[((8u * t) + 4u) + 1u];
        sums = _e505 + _e514;
        metal::uint4 _e516 = sums;
        metal::uint4 _e525 = row_parts.inner[((8u * t) + 5u) + 1u];
        sums = _e516 + _e525;
        metal::uint4 _e527 = sums;
        metal::uint4 _e536 = row_parts.inner[((8u * t) + 6u) + 1u];
        sums = _e527 + _e536;
        uint _e542 = sums.x;
        uint _e544 = sums.y;
        uint _e547 = sums.z;
        uint _e550 = sums.w;
        row_scales.inner[t].y = ((_e542 + _e544) + _e547) + _e550;
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    c = t;
    uint2 loop_bound = uint2(4294967295u);
    bool loop_init = true;
    while(true) {
        if (metal::all(loop_bound == uint2(0u))) { break; }
        loop_bound -= uint2(loop_bound.y == 0u, 1u);
        if (!loop_init) {
            uint _e568 = c;
            c = _e568 + THREADS;
        }
        loop_init = false;
        uint _e553 = c;
        if (_e553 < 256u) {
        } else {
            break;
        }
        {
            uint _e557 = c;
            metal::uint4 q_3 = row_acts.inner[_e557];
            uint _e565 = c;
            acts[((first * GROUPS) * 16u) + _e565] = q_3;
        }
    }
    if (t < GROUPS) {
        metal::uint2 _e580 = row_scales.inner[t];
        act_scales[(first * GROUPS) + t] = _e580;
        return;
    } else {
        return;
    }
}
