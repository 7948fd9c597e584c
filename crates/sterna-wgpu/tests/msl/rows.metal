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
    uint input;
    uint input_cols;
    uint weight;
    uint count_at;
    float eps;
    uint sums_at;
    uint pad1_;
    uint pad2_;
    type_6 pad;
};
typedef uint type_7[1];
typedef metal::float4 type_8[1];
typedef metal::uint4 type_9[1];
typedef metal::uint2 type_11[1];
struct type_12 {
    metal::uint4 inner[256];
};
struct type_13 {
    metal::uint2 inner[16];
};
struct type_14 {
    int inner[128];
};
struct type_15 {
    metal::uint4 inner[128];
};
struct type_16 {
    float inner[16];
};
constant uint GROUPS = 16u;
constant uint WARPS = 16u;
constant bool NORM = true;
constant bool HALF_ROWS = false;
constant bool SMALL = false;
constant bool SUMS = true;
constant bool FOURS = true;
constant bool SUBGROUPS = false;
constant uint THREADS = 512u;
constant uint SHARE = 32u;
constant uint SCALES = 16u;

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
, device type_7 const& call [[user(fake0)]]
, device type_8 const& vectors [[user(fake0)]]
, device type_8 const& arena [[user(fake0)]]
, device type_9& acts [[user(fake0)]]
, device type_11& act_scales [[user(fake0)]]
, threadgroup type_12& row_acts
, threadgroup type_13& row_scales
, threadgroup type_14& row_sums
, threadgroup type_15& row_parts
, threadgroup type_16& pieces
, constant _mslBufferSizes& _buffer_sizes [[user(fake0)]]
) {
    metal::float4 x0_0_ = metal::float4(0.0);
    metal::float4 x0_1_ = metal::float4(0.0);
    metal::float4 norm0_0_ = metal::float4(0.0);
    metal::float4 norm0_1_ = metal::float4(0.0);
    float part = {};
    float sum = {};
    uint peak0_ = {};
    metal::uint4 all = {};
    float d = {};
    metal::uint2 q = metal::uint2(0u);
    bool local = {};
    uint g = {};
    metal::uint4 sums = {};
    uint c = {};
    uint g_1 = {};
    uint i = {};
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
        metal::float4 _e41 = arena[from_at + (2u * chunk0_)];
        x0_0_ = _e41;
        metal::float4 _e49 = arena[(from_at + (2u * chunk0_)) + 1u];
        x0_1_ = _e49;
        uint _e53 = p_1.weight;
        metal::float4 _e60 = vectors[naga_div(_e53, 4u) + (2u * chunk0_)];
        norm0_0_ = _e60;
        uint _e64 = p_1.weight;
        metal::float4 _e73 = vectors[(naga_div(_e64, 4u) + (2u * chunk0_)) + 1u];
        norm0_1_ = _e73;
    }
    if (live0_) {
        metal::float4 _e74 = x0_0_;
        metal::float4 _e75 = x0_1_;
        float _e76 = squares(_e74, _e75);
        part = _e76;
        float _e85 = part;
        row_parts.inner[naga_div(chunk0_, 4u)][naga_mod(chunk0_, 4u)] = as_type<uint>(_e85);
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    if (t < GROUPS) {
        metal::uint4 _e95 = row_parts.inner[(8u * t) + 0u];
        metal::float4 v0_ = as_type<metal::float4>(_e95);
        metal::uint4 _e103 = row_parts.inner[(8u * t) + 1u];
        metal::float4 v1_ = as_type<metal::float4>(_e103);
        metal::uint4 _e111 = row_parts.inner[(8u * t) + 2u];
        metal::float4 v2_ = as_type<metal::float4>(_e111);
        metal::uint4 _e119 = row_parts.inner[(8u * t) + 3u];
        metal::float4 v3_ = as_type<metal::float4>(_e119);
        metal::uint4 _e127 = row_parts.inner[(8u * t) + 4u];
        metal::float4 v4_ = as_type<metal::float4>(_e127);
        metal::uint4 _e135 = row_parts.inner[(8u * t) + 5u];
        metal::float4 v5_ = as_type<metal::float4>(_e135);
        metal::uint4 _e143 = row_parts.inner[(8u * t) + 6u];
        metal::float4 v6_ = as_type<metal::float4>(_e143);
        metal::uint4 _e151 = row_parts.inner[(8u * t) + 7u];
        metal::float4 v7_ = as_type<metal::float4>(_e151);
        metal::float4 v_2 = ((v0_ + v4_) + (v2_ + v6_)) + ((v1_ + v5_) + (v3_ + v7_));
        pieces.inner[t] = (v_2.x + v_2.z) + (v_2.y + v_2.w);
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    float _e171 = pieces.inner[0];
    sum = _e171;
    float _e173 = sum;
    float _e176 = pieces.inner[1];
    sum = _e173 + _e176;
    float _e178 = sum;
    float _e181 = pieces.inner[2];
    sum = _e178 + _e181;
    float _e183 = sum;
    float _e186 = pieces.inner[3];
    sum = _e183 + _e186;
    float _e188 = sum;
    float _e191 = pieces.inner[4];
    sum = _e188 + _e191;
    float _e193 = sum;
    float _e196 = pieces.inner[5];
    sum = _e193 + _e196;
    float _e198 = sum;
    float _e201 = pieces.inner[6];
    sum = _e198 + _e201;
    float _e203 = sum;
    float _e206 = pieces.inner[7];
    sum = _e203 + _e206;
    float _e208 = sum;
    float _e211 = pieces.inner[8];
    sum = _e208 + _e211;
    float _e213 = sum;
    float _e216 = pieces.inner[9];
    sum = _e213 + _e216;
    float _e218 = sum;
    float _e221 = pieces.inner[10];
    sum = _e218 + _e221;
    float _e223 = sum;
    float _e226 = pieces.inner[11];
    sum = _e223 + _e226;
    float _e228 = sum;
    float _e231 = pieces.inner[12];
    sum = _e228 + _e231;
    float _e233 = sum;
    float _e236 = pieces.inner[13];
    sum = _e233 + _e236;
    float _e238 = sum;
    float _e241 = pieces.inner[14];
    sum = _e238 + _e241;
    float _e243 = sum;
    float _e246 = pieces.inner[15];
    sum = _e243 + _e246;
    float _e248 = sum;
    float _e253 = p_1.eps;
    float inverse = 1.0 / metal::sqrt((_e248 / 4096.0) + _e253);
    if (live0_) {
        metal::float4 _e258 = x0_0_;
        metal::float4 _e260 = norm0_0_;
        x0_0_ = (_e258 * inverse) * _e260;
        metal::float4 _e262 = x0_1_;
        metal::float4 _e264 = norm0_1_;
        x0_1_ = (_e262 * inverse) * _e264;
    }
    metal::float4 _e266 = x0_0_;
    uint _e267 = magnitude(_e266);
    metal::float4 _e268 = x0_1_;
    uint _e269 = magnitude(_e268);
    peak0_ = metal::max(_e267, _e269);
    if (live0_) {
        uint _e279 = peak0_;
        row_parts.inner[naga_div(chunk0_, 4u)][naga_mod(chunk0_, 4u)] = _e279;
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    if (live0_) {
        uint g_3 = naga_div(chunk0_, 32u);
        metal::uint4 _e286 = row_parts.inner[8u * g_3];
        all = _e286;
        metal::uint4 _e288 = all;
        metal::uint4 _e297 = row_parts.inner[((8u * g_3) + 0u) + 1u];
        all = metal::max(_e288, _e297);
        metal::uint4 _e299 = all;
        metal::uint4 _e308 = row_parts.inner[((8u * g_3) + 1u) + 1u];
        all = metal::max(_e299, _e308);
        metal::uint4 _e310 = all;
        metal::uint4 _e319 = row_parts.inner[((8u * g_3) + 2u) + 1u];
        all = metal::max(_e310, _e319);
        metal::uint4 _e321 = all;
        metal::uint4 _e330 = row_parts.inner[((8u * g_3) + 3u) + 1u];
        all = metal::max(_e321, _e330);
        metal::uint4 _e332 = all;
        metal::uint4 _e341 = row_parts.inner[((8u * g_3) + 4u) + 1u];
        all = metal::max(_e332, _e341);
        metal::uint4 _e343 = all;
        metal::uint4 _e352 = row_parts.inner[((8u * g_3) + 5u) + 1u];
        all = metal::max(_e343, _e352);
        metal::uint4 _e354 = all;
        metal::uint4 _e363 = row_parts.inner[((8u * g_3) + 6u) + 1u];
        all = metal::max(_e354, _e363);
        uint _e366 = all.x;
        uint _e368 = all.y;
        uint _e371 = all.z;
        uint _e373 = all.w;
        peak0_ = metal::max(metal::max(_e366, _e368), metal::max(_e371, _e373));
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    if (live0_) {
        uint g_4 = naga_div(chunk0_, SHARE);
        uint _e378 = peak0_;
        d = as_type<float>(_e378) / 127.0;
        float _e386 = d;
        if (_e386 >= 0.000000000000000000000000000000000000011754944) {
            uint _e391 = peak0_;
            local = _e391 < 2139095040u;
        } else {
            local = false;
        }
        bool _e395 = local;
        if (_e395) {
            float _e396 = d;
            float scale_1 = (_e396 < 0.000000000000000000000000000001) ? 18446744000000000000.0 : 1.0;
            float _e402 = d;
            float r_2 = 1.0 / (_e402 * scale_1);
            metal::float4 _e407 = x0_0_;
            float _e409 = d;
            uint _e411 = quantised(_e407 * scale_1, _e409 * scale_1, r_2);
            q.x = _e411;
            metal::float4 _e413 = x0_1_;
            float _e415 = d;
            uint _e417 = quantised(_e413 * scale_1, _e415 * scale_1, r_2);
            q.y = _e417;
        }
        float _e418 = d;
        if (_e418 < 0.000000000000000000000000000000000000011754944) {
            d = 0.0;
        }
        uint _e432 = q.x;
        row_acts.inner[naga_div(chunk0_, 2u)][naga_mod(chunk0_, 2u) * 2u] = _e432;
        uint _e445 = q.y;
        row_acts.inner[naga_div(chunk0_, 2u)][(naga_mod(chunk0_, 2u) * 2u) + 1u] = _e445;
        uint _e447 = q.x;
        packed_char4 reinterpreted_packed_char4_e447 = as_type<packed_char4>(_e447);
        packed_char4 reinterpreted_packed_char4_e448 = as_type<packed_char4>(16843009u);
        uint _e451 = q.y;
        packed_char4 reinterpreted_packed_char4_e451 = as_type<packed_char4>(_e451);
        packed_char4 reinterpreted_packed_char4_e452 = as_type<packed_char4>(16843009u);
        int sum_1 = as_type<int>(as_type<uint>(( + reinterpreted_packed_char4_e447[0] * reinterpreted_packed_char4_e448[0] + reinterpreted_packed_char4_e447[1] * reinterpreted_packed_char4_e448[1] + reinterpreted_packed_char4_e447[2] * reinterpreted_packed_char4_e448[2] + reinterpreted_packed_char4_e447[3] * reinterpreted_packed_char4_e448[3])) + as_type<uint>(( + reinterpreted_packed_char4_e451[0] * reinterpreted_packed_char4_e452[0] + reinterpreted_packed_char4_e451[1] * reinterpreted_packed_char4_e452[1] + reinterpreted_packed_char4_e451[2] * reinterpreted_packed_char4_e452[2] + reinterpreted_packed_char4_e451[3] * reinterpreted_packed_char4_e452[3])));
        row_parts.inner[naga_div(chunk0_, 4u)][naga_mod(chunk0_, 4u)] = as_type<uint>(sum_1);
        if (naga_mod(chunk0_, SHARE) == 0u) {
            float _e470 = d;
            row_scales.inner[g_4].x = as_type<uint>(_e470);
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
            uint _e718 = g;
            g = _e718 + THREADS;
        }
        loop_init = false;
        uint _e473 = g;
        if (_e473 < SCALES) {
        } else {
            break;
        }
        {
            uint _e478 = g;
            metal::uint4 _e481 = row_parts.inner[8u * _e478];
            sums = _e481;
            uint _e485 = g;
            uint _e489 = sums.x;
            uint _e491 = sums.y;
            uint _e494 = sums.z;
            uint _e497 = sums.w;
            row_sums.inner[8u * _e485] = as_type<int>(((_e489 + _e491) + _e494) + _e497);
            uint _e502 = g;
            metal::uint4 next0_ = row_parts.inner[((8u * _e502) + 0u) + 1u];
            uint _e512 = g;
            row_sums.inner[((8u * _e512) + 0u) + 1u] = as_type<int>(((next0_.x + next0_.y) + next0_.z) + next0_.w);
            metal::uint4 _e527 = sums;
            sums = _e527 + next0_;
            uint _e531 = g;
            metal::uint4 next1_ = row_parts.inner[((8u * _e531) + 1u) + 1u];
            uint _e541 = g;
            row_sums.inner[((8u * _e541) + 1u) + 1u] = as_type<int>(((next1_.x + next1_.y) + next1_.z) + next1_.w);
            metal::uint4 _e556 = sums;
            sums = _e556 + next1_;
            uint _e560 = g;
            metal::uint4 next2_ = row_parts.inner[((8u * _e560) + 2u) + 1u];
            uint _e570 = g;
            row_sums.inner[((8u * _e570) + 2u) + 1u] = as_type<int>(((next2_.x + next2_.y) + next2_.z) + next2_.w);
            metal::uint4 _e585 = sums;
            sums = _e585 + next2_;
            uint _e589 = g;
            metal::uint4 next3_ = row_parts.inner[((8u * _e589) + 3u) + 1u];
            uint _e599 = g;
            row_sums.inner[((8u * _e599) + 3u) + 1u] = as_type<int>(((next3_.x + next3_.y) + next3_.z) + next3_.w);
            metal::uint4 _e614 = sums;
            sums = _e614 + next3_;
            uint _e618 = g;
            metal::uint4 next4_ = row_parts.inner[((8u * _e618) + 4u) + 1u];
            uint _e628 = g;
            row_sums.inner[((8u * _e628) + 4u) + 1u] = as_type<int>(((next4_.x + next4_.y) + next4_.z) + next4_.w);
            metal::uint4 _e643 = sums;
            sums = _e643 + next4_;
            uint _e647 = g;
            metal::uint4 next5_ = row_parts.inner[((8u * _e647) + 5u) + 1u];
            uint _e657 = g;
            row_sums.inner[((8u * _e657) + 5u) + 1u] = as_type<int>(((next5_.x + next5_.y) + next5_.z) + next5_.w);
            metal::uint4 _e672 = sums;
            sums = _e672 + next5_;
            uint _e676 = g;
            metal::uint4 next6_ = row_parts.inner[((8u * _e676) + 6u) + 1u];
            uint _e686 = g;
            row_sums.inner[((8u * _e686) + 6u) + 1u] = as_type<int>(((next6_.x + next6_.y) + next6_.z) + next6_.w);
            metal::uint4 _e701 = sums;
            sums = _e701 + next6_;
            uint _e704 = g;
            uint _e708 = sums.x;
            uint _e710 = sums.y;
            uint _e713 = sums.z;
            uint _e716 = sums.w;
            row_scales.inner[_e704].y = ((_e708 + _e710) + _e713) + _e716;
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
            uint _e737 = c;
            c = _e737 + THREADS;
        }
        loop_init_1 = false;
        uint _e722 = c;
        if (_e722 < 256u) {
        } else {
            break;
        }
        {
            uint _e726 = c;
            metal::uint4 q_2 = row_acts.inner[_e726];
            uint _e734 = c;
            acts[((first * GROUPS) * 16u) + _e734] = q_2;
        }
    }
    g_1 = t;
    uint2 loop_bound_2 = uint2(4294967295u);
    bool loop_init_2 = true;
    while(true) {
        if (metal::all(loop_bound_2 == uint2(0u))) { break; }
        loop_bound_2 -= uint2(loop_bound_2.y == 0u, 1u);
        if (!loop_init_2) {
            uint _e754 = g_1;
            g_1 = _e754 + THREADS;
        }
        loop_init_2 = false;
        uint _e741 = g_1;
        if (_e741 < SCALES) {
        } else {
            break;
        }
        {
            uint _e747 = g_1;
            uint _e751 = g_1;
            metal::uint2 _e753 = row_scales.inner[_e751];
            act_scales[(first * SCALES) + _e747] = _e753;
        }
    }
    i = t;
    uint2 loop_bound_3 = uint2(4294967295u);
    bool loop_init_3 = true;
    while(true) {
        if (metal::all(loop_bound_3 == uint2(0u))) { break; }
        loop_bound_3 -= uint2(loop_bound_3.y == 0u, 1u);
        if (!loop_init_3) {
            uint _e790 = i;
            i = _e790 + THREADS;
        }
        loop_init_3 = false;
        uint _e758 = i;
        if (_e758 < 64u) {
        } else {
            break;
        }
        {
            uint _e764 = p_1.sums_at;
            uint _e770 = i;
            uint _e775 = i;
            int _e778 = row_sums.inner[2u * _e775];
            uint _e782 = i;
            int _e787 = row_sums.inner[(2u * _e782) + 1u];
            act_scales[(_e764 + ((first * GROUPS) * 4u)) + _e770] = metal::uint2(as_type<uint>(_e778), as_type<uint>(_e787));
        }
    }
    return;
}
