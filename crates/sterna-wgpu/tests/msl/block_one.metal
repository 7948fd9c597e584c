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
    metal::uint4 inner[256];
};
struct type_13 {
    metal::uint2 inner[16];
};
struct type_14 {
    metal::uint4 inner[128];
};
struct type_15 {
    float inner[16];
};
struct type_17 {
    metal::float2 inner[1024];
};
constant uint GROUPS = 16u;
constant uint WARPS = 16u;
constant uint AHEAD = 2u;
constant bool NORM = true;
constant bool HALVES = true;
constant bool SUBGROUPS = false;
constant bool PAIRS = true;
constant uint THREADS = 512u;
constant uint TURNS = 1u;
constant bool FULL = true;
constant uint SHARE = 32u;
constant uint SCALES = 16u;

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
    float r_2 = metal::fma(n_1, 0.00021219444, metal::fma(n_1, -0.6933594, _e12));
    p = metal::fma(0.00019875691, r_2, 0.0013981999);
    float _e21 = p;
    p = metal::fma(_e21, r_2, 0.008333452);
    float _e24 = p;
    p = metal::fma(_e24, r_2, 0.041665796);
    float _e27 = p;
    p = metal::fma(_e27, r_2, 0.16666666);
    float _e30 = p;
    p = metal::fma(_e30, r_2, 0.5);
    float _e34 = p;
    float y_1 = metal::fma(r_2 * r_2, _e34, r_2) + 1.0;
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
    float d_1,
    float e,
    float f,
    float g_1,
    float h
) {
    return ((a + e) + (c_1 + g_1)) + ((b + f) + (d_1 + h));
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

uint magnitude(
    metal::float4 v
) {
    metal::uint4 b_3 = as_type<metal::uint4>(v) & metal::uint4(2147483647u);
    return metal::max(metal::max(b_3.x, b_3.y), metal::max(b_3.z, b_3.w));
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

float scale_of(
    uint block,
    uint g_2,
    uint r_1,
    device type_8 const& scales,
    constant _mslBufferSizes& _buffer_sizes
) {
    uint at_1 = (((block * GROUPS) + g_2) * 32u) + r_1;
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
, device type_9 const& codes [[user(fake0)]]
, device type_8 const& scales [[user(fake0)]]
, device type_7 const& vectors [[user(fake0)]]
, threadgroup type_12& row_acts
, threadgroup type_13& row_scales
, threadgroup type_14& row_parts
, threadgroup type_15& pieces
, threadgroup type_17& terms
, constant _mslBufferSizes& _buffer_sizes [[user(fake0)]]
) {
    metal::float4 x0_0_ = metal::float4(0.0);
    metal::float4 x0_1_ = metal::float4(0.0);
    metal::float4 norm0_0_ = metal::float4(0.0);
    metal::float4 norm0_1_ = metal::float4(0.0);
    metal::uint4 codes0_0_ = metal::uint4(0u);
    metal::uint4 codes0_1_ = metal::uint4(0u);
    metal::uint4 codes0_2_ = metal::uint4(0u);
    metal::uint4 codes0_3_ = metal::uint4(0u);
    float scale0_ = 0.0;
    bool local = {};
    bool local_1 = {};
    metal::uint4 codes1_0_ = metal::uint4(0u);
    metal::uint4 codes1_1_ = metal::uint4(0u);
    metal::uint4 codes1_2_ = metal::uint4(0u);
    metal::uint4 codes1_3_ = metal::uint4(0u);
    float scale1_ = 0.0;
    bool local_2 = {};
    bool local_3 = {};
    float part = {};
    float sum = {};
    uint peak0_ = {};
    metal::uint4 all = {};
    float d = {};
    metal::uint2 q = metal::uint2(0u);
    bool local_4 = {};
    uint g = {};
    metal::uint4 sums = {};
    metal::float2 acc = metal::float2(0.0);
    uint chain = 0u;
    uint first_step = 0u;
    bool local_5 = {};
    int s0_ = {};
    int s1_ = {};
    int s2_ = {};
    int s3_ = {};
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
    bool local_21 = {};
    bool local_22 = {};
    bool local_23 = {};
    bool local_24 = {};
    bool local_25 = {};
    bool local_26 = {};
    int s0_1 = {};
    int s1_1 = {};
    int s2_1 = {};
    int s3_1 = {};
    bool local_27 = {};
    bool local_28 = {};
    bool local_29 = {};
    bool local_30 = {};
    bool local_31 = {};
    bool local_32 = {};
    bool local_33 = {};
    bool local_34 = {};
    bool local_35 = {};
    bool local_36 = {};
    bool local_37 = {};
    bool local_38 = {};
    bool local_39 = {};
    bool local_40 = {};
    bool local_41 = {};
    bool local_42 = {};
    bool local_43 = {};
    bool local_44 = {};
    bool local_45 = {};
    bool local_46 = {};
    uint lane = naga_mod(t, 32u);
    uint warp = naga_div(t, 32u);
    uint first = group.y;
    uint _e11 = p_1.blocks;
    if (group.x >= _e11) {
        return;
    }
    uint _e15 = p_1.blocks;
    uint steps = (naga_div((_e15 - 1u) - group.x, workgroups.x) + 1u) * TURNS;
    uint _e28 = p_1.input;
    uint _e31 = p_1.input_cols;
    uint from_at = naga_div(_e28 + (first * _e31), 4u);
    uint chunk0_ = t + 0u;
    bool live0_ = chunk0_ < 512u;
    if (live0_) {
        metal::float4 _e57 = arena[from_at + (2u * chunk0_)];
        x0_0_ = _e57;
        metal::float4 _e65 = arena[(from_at + (2u * chunk0_)) + 1u];
        x0_1_ = _e65;
        uint _e69 = p_1.weight;
        metal::float4 _e76 = vectors[naga_div(_e69, 4u) + (2u * chunk0_)];
        norm0_0_ = _e76;
        uint _e80 = p_1.weight;
        metal::float4 _e89 = vectors[(naga_div(_e80, 4u) + (2u * chunk0_)) + 1u];
        norm0_1_ = _e89;
    }
    if (0u < steps) {
        if (false) {
            local_1 = ((naga_mod(0u, TURNS) * WARPS) + warp) < GROUPS;
        } else {
            local_1 = true;
        }
        bool _e119 = local_1;
        local = _e119;
    } else {
        local = false;
    }
    bool _e121 = local;
    if (_e121) {
        uint block_1 = group.x + (naga_div(0u, TURNS) * workgroups.x);
        uint at_2 = ((((block_1 * GROUPS) + (naga_mod(0u, TURNS) * WARPS)) + warp) * 128u) + lane;
        metal::uint4 _e143 = codes[at_2 + 0u];
        codes0_0_ = _e143;
        metal::uint4 _e148 = codes[at_2 + 32u];
        codes0_1_ = _e148;
        metal::uint4 _e153 = codes[at_2 + 64u];
        codes0_2_ = _e153;
        metal::uint4 _e158 = codes[at_2 + 96u];
        codes0_3_ = _e158;
        float _e164 = scale_of(block_1, (naga_mod(0u, TURNS) * WARPS) + warp, lane, scales, _buffer_sizes);
        scale0_ = _e164;
    }
    if (1u < steps) {
        if (false) {
            local_3 = ((naga_mod(1u, TURNS) * WARPS) + warp) < GROUPS;
        } else {
            local_3 = true;
        }
        bool _e194 = local_3;
        local_2 = _e194;
    } else {
        local_2 = false;
    }
    bool _e196 = local_2;
    if (_e196) {
        uint block_2 = group.x + (naga_div(1u, TURNS) * workgroups.x);
        uint at_3 = ((((block_2 * GROUPS) + (naga_mod(1u, TURNS) * WARPS)) + warp) * 128u) + lane;
        metal::uint4 _e218 = codes[at_3 + 0u];
        codes1_0_ = _e218;
        metal::uint4 _e223 = codes[at_3 + 32u];
        codes1_1_ = _e223;
        metal::uint4 _e228 = codes[at_3 + 64u];
        codes1_2_ = _e228;
        metal::uint4 _e233 = codes[at_3 + 96u];
        codes1_3_ = _e233;
        float _e239 = scale_of(block_2, (naga_mod(1u, TURNS) * WARPS) + warp, lane, scales, _buffer_sizes);
        scale1_ = _e239;
    }
    if (live0_) {
        metal::float4 _e240 = x0_0_;
        metal::float4 _e241 = x0_1_;
        float _e242 = squares(_e240, _e241);
        part = _e242;
        float _e251 = part;
        row_parts.inner[naga_div(chunk0_, 4u)][naga_mod(chunk0_, 4u)] = as_type<uint>(_e251);
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    if (t < GROUPS) {
        metal::uint4 _e261 = row_parts.inner[(8u * t) + 0u];
        metal::float4 v0_ = as_type<metal::float4>(_e261);
        metal::uint4 _e269 = row_parts.inner[(8u * t) + 1u];
        metal::float4 v1_ = as_type<metal::float4>(_e269);
        metal::uint4 _e277 = row_parts.inner[(8u * t) + 2u];
        metal::float4 v2_ = as_type<metal::float4>(_e277);
        metal::uint4 _e285 = row_parts.inner[(8u * t) + 3u];
        metal::float4 v3_ = as_type<metal::float4>(_e285);
        metal::uint4 _e293 = row_parts.inner[(8u * t) + 4u];
        metal::float4 v4_ = as_type<metal::float4>(_e293);
        metal::uint4 _e301 = row_parts.inner[(8u * t) + 5u];
        metal::float4 v5_ = as_type<metal::float4>(_e301);
        metal::uint4 _e309 = row_parts.inner[(8u * t) + 6u];
        metal::float4 v6_ = as_type<metal::float4>(_e309);
        metal::uint4 _e317 = row_parts.inner[(8u * t) + 7u];
        metal::float4 v7_ = as_type<metal::float4>(_e317);
        metal::float4 v_1 = ((v0_ + v4_) + (v2_ + v6_)) + ((v1_ + v5_) + (v3_ + v7_));
        pieces.inner[t] = (v_1.x + v_1.z) + (v_1.y + v_1.w);
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    float _e337 = pieces.inner[0];
    sum = _e337;
    float _e339 = sum;
    float _e342 = pieces.inner[1];
    sum = _e339 + _e342;
    float _e344 = sum;
    float _e347 = pieces.inner[2];
    sum = _e344 + _e347;
    float _e349 = sum;
    float _e352 = pieces.inner[3];
    sum = _e349 + _e352;
    float _e354 = sum;
    float _e357 = pieces.inner[4];
    sum = _e354 + _e357;
    float _e359 = sum;
    float _e362 = pieces.inner[5];
    sum = _e359 + _e362;
    float _e364 = sum;
    float _e367 = pieces.inner[6];
    sum = _e364 + _e367;
    float _e369 = sum;
    float _e372 = pieces.inner[7];
    sum = _e369 + _e372;
    float _e374 = sum;
    float _e377 = pieces.inner[8];
    sum = _e374 + _e377;
    float _e379 = sum;
    float _e382 = pieces.inner[9];
    sum = _e379 + _e382;
    float _e384 = sum;
    float _e387 = pieces.inner[10];
    sum = _e384 + _e387;
    float _e389 = sum;
    float _e392 = pieces.inner[11];
    sum = _e389 + _e392;
    float _e394 = sum;
    float _e397 = pieces.inner[12];
    sum = _e394 + _e397;
    float _e399 = sum;
    float _e402 = pieces.inner[13];
    sum = _e399 + _e402;
    float _e404 = sum;
    float _e407 = pieces.inner[14];
    sum = _e404 + _e407;
    float _e409 = sum;
    float _e412 = pieces.inner[15];
    sum = _e409 + _e412;
    float _e414 = sum;
    float _e419 = p_1.eps;
    float inverse = 1.0 / metal::sqrt((_e414 / 4096.0) + _e419);
    if (live0_) {
        metal::float4 _e424 = x0_0_;
        metal::float4 _e426 = norm0_0_;
        x0_0_ = (_e424 * inverse) * _e426;
        metal::float4 _e428 = x0_1_;
        metal::float4 _e430 = norm0_1_;
        x0_1_ = (_e428 * inverse) * _e430;
    }
    metal::float4 _e432 = x0_0_;
    uint _e433 = magnitude(_e432);
    metal::float4 _e434 = x0_1_;
    uint _e435 = magnitude(_e434);
    peak0_ = metal::max(_e433, _e435);
    if (live0_) {
        uint _e445 = peak0_;
        row_parts.inner[naga_div(chunk0_, 4u)][naga_mod(chunk0_, 4u)] = _e445;
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    if (live0_) {
        uint g_3 = naga_div(chunk0_, 32u);
        metal::uint4 _e452 = row_parts.inner[8u * g_3];
        all = _e452;
        metal::uint4 _e454 = all;
        metal::uint4 _e463 = row_parts.inner[((8u * g_3) + 0u) + 1u];
        all = metal::max(_e454, _e463);
        metal::uint4 _e465 = all;
        metal::uint4 _e474 = row_parts.inner[((8u * g_3) + 1u) + 1u];
        all = metal::max(_e465, _e474);
        metal::uint4 _e476 = all;
        metal::uint4 _e485 = row_parts.inner[((8u * g_3) + 2u) + 1u];
        all = metal::max(_e476, _e485);
        metal::uint4 _e487 = all;
        metal::uint4 _e496 = row_parts.inner[((8u * g_3) + 3u) + 1u];
        all = metal::max(_e487, _e496);
        metal::uint4 _e498 = all;
        metal::uint4 _e507 = row_parts.inner[((8u * g_3) + 4u) + 1u];
        all = metal::max(_e498, _e507);
        metal::uint4 _e509 = all;
        metal::uint4 _e518 = row_parts.inner[((8u * g_3) + 5u) + 1u];
        all = metal::max(_e509, _e518);
        metal::uint4 _e520 = all;
        metal::uint4 _e529 = row_parts.inner[((8u * g_3) + 6u) + 1u];
        all = metal::max(_e520, _e529);
        uint _e532 = all.x;
        uint _e534 = all.y;
        uint _e537 = all.z;
        uint _e539 = all.w;
        peak0_ = metal::max(metal::max(_e532, _e534), metal::max(_e537, _e539));
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    if (live0_) {
        uint g_4 = naga_div(chunk0_, SHARE);
        uint _e544 = peak0_;
        d = as_type<float>(_e544) / 127.0;
        float _e552 = d;
        if (_e552 >= 0.000000000000000000000000000000000000011754944) {
            uint _e557 = peak0_;
            local_4 = _e557 < 2139095040u;
        } else {
            local_4 = false;
        }
        bool _e561 = local_4;
        if (_e561) {
            float _e562 = d;
            float scale_1 = (_e562 < 0.000000000000000000000000000001) ? 18446744000000000000.0 : 1.0;
            float _e568 = d;
            float r_3 = 1.0 / (_e568 * scale_1);
            metal::float4 _e573 = x0_0_;
            float _e575 = d;
            uint _e577 = quantised(_e573 * scale_1, _e575 * scale_1, r_3);
            q.x = _e577;
            metal::float4 _e579 = x0_1_;
            float _e581 = d;
            uint _e583 = quantised(_e579 * scale_1, _e581 * scale_1, r_3);
            q.y = _e583;
        }
        float _e584 = d;
        if (_e584 < 0.000000000000000000000000000000000000011754944) {
            d = 0.0;
        }
        uint _e598 = q.x;
        row_acts.inner[naga_div(chunk0_, 2u)][naga_mod(chunk0_, 2u) * 2u] = _e598;
        uint _e611 = q.y;
        row_acts.inner[naga_div(chunk0_, 2u)][(naga_mod(chunk0_, 2u) * 2u) + 1u] = _e611;
        uint _e613 = q.x;
        packed_char4 reinterpreted_packed_char4_e613 = as_type<packed_char4>(_e613);
        packed_char4 reinterpreted_packed_char4_e614 = as_type<packed_char4>(16843009u);
        uint _e617 = q.y;
        packed_char4 reinterpreted_packed_char4_e617 = as_type<packed_char4>(_e617);
        packed_char4 reinterpreted_packed_char4_e618 = as_type<packed_char4>(16843009u);
        int sum_1 = as_type<int>(as_type<uint>(( + reinterpreted_packed_char4_e613[0] * reinterpreted_packed_char4_e614[0] + reinterpreted_packed_char4_e613[1] * reinterpreted_packed_char4_e614[1] + reinterpreted_packed_char4_e613[2] * reinterpreted_packed_char4_e614[2] + reinterpreted_packed_char4_e613[3] * reinterpreted_packed_char4_e614[3])) + as_type<uint>(( + reinterpreted_packed_char4_e617[0] * reinterpreted_packed_char4_e618[0] + reinterpreted_packed_char4_e617[1] * reinterpreted_packed_char4_e618[1] + reinterpreted_packed_char4_e617[2] * reinterpreted_packed_char4_e618[2] + reinterpreted_packed_char4_e617[3] * reinterpreted_packed_char4_e618[3])));
        row_parts.inner[naga_div(chunk0_, 4u)][naga_mod(chunk0_, 4u)] = as_type<uint>(sum_1);
        if (naga_mod(chunk0_, SHARE) == 0u) {
            float _e636 = d;
            row_scales.inner[g_4].x = as_type<uint>(_e636);
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
            uint _e748 = g;
            g = _e748 + THREADS;
        }
        loop_init = false;
        uint _e639 = g;
        if (_e639 < SCALES) {
        } else {
            break;
        }
        {
            uint _e644 = g;
            metal::uint4 _e647 = row_parts.inner[8u * _e644];
            sums = _e647;
            uint _e651 = g;
            metal::uint4 next0_ = row_parts.inner[((8u * _e651) + 0u) + 1u];
            metal::uint4 _e659 = sums;
            sums = _e659 + next0_;
            uint _e663 = g;
            metal::uint4 next1_ = row_parts.inner[((8u * _e663) + 1u) + 1u];
            metal::uint4 _e671 = sums;
            sums = _e671 + next1_;
            uint _e675 = g;
            metal::uint4 next2_ = row_parts.inner[((8u * _e675) + 2u) + 1u];
            metal::uint4 _e683 = sums;
            sums = _e683 + next2_;
            uint _e687 = g;
            metal::uint4 next3_ = row_parts.inner[((8u * _e687) + 3u) + 1u];
            metal::uint4 _e695 = sums;
            sums = _e695 + next3_;
            uint _e699 = g;
            metal::uint4 next4_ = row_parts.inner[((8u * _e699) + 4u) + 1u];
            metal::uint4 _e707 = sums;
            sums = _e707 + next4_;
            uint _e711 = g;
            metal::uint4 next5_ = row_parts.inner[((8u * _e711) + 5u) + 1u];
            metal::uint4 _e719 = sums;
            sums = _e719 + next5_;
            uint _e723 = g;
            metal::uint4 next6_ = row_parts.inner[((8u * _e723) + 6u) + 1u];
            metal::uint4 _e731 = sums;
            sums = _e731 + next6_;
            uint _e734 = g;
            uint _e738 = sums.x;
            uint _e740 = sums.y;
            uint _e743 = sums.z;
            uint _e746 = sums.w;
            row_scales.inner[_e734].y = ((_e738 + _e740) + _e743) + _e746;
        }
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    uint2 loop_bound_1 = uint2(4294967295u);
    bool loop_init_1 = true;
    while(true) {
        if (metal::all(loop_bound_1 == uint2(0u))) { break; }
        loop_bound_1 -= uint2(loop_bound_1.y == 0u, 1u);
        if (!loop_init_1) {
            uint _e3600 = first_step;
            first_step = _e3600 + AHEAD;
        }
        loop_init_1 = false;
        uint _e758 = first_step;
        if (_e758 < steps) {
        } else {
            break;
        }
        {
            uint _e760 = first_step;
            uint step0_ = _e760 + 0u;
            if (step0_ < steps) {
                uint turn = naga_mod(step0_, TURNS);
                uint buffer = (step0_ & 1u) * THREADS;
                uint g_5 = (turn * WARPS) + warp;
                if (false) {
                    local_5 = g_5 < GROUPS;
                } else {
                    local_5 = true;
                }
                bool _e779 = local_5;
                if (_e779) {
                    s0_ = 0;
                    s1_ = 0;
                    s2_ = 0;
                    s3_ = 0;
                    metal::uint4 a00_ = row_acts.inner[((g_5 * 16u) + 0u) + 0u];
                    int _e797 = s0_;
                    uint _e799 = codes0_0_.x;
                    uint _e801 = _e799 & 50529027u;
                    uint _e802 = a00_.x;
                    packed_char4 reinterpreted_packed_char4_e801 = as_type<packed_char4>(_e801);
                    packed_char4 reinterpreted_packed_char4_e802 = as_type<packed_char4>(_e802);
                    s0_ = as_type<int>(as_type<uint>(_e797) + as_type<uint>(( + reinterpreted_packed_char4_e801[0] * reinterpreted_packed_char4_e802[0] + reinterpreted_packed_char4_e801[1] * reinterpreted_packed_char4_e802[1] + reinterpreted_packed_char4_e801[2] * reinterpreted_packed_char4_e802[2] + reinterpreted_packed_char4_e801[3] * reinterpreted_packed_char4_e802[3])));
                    int _e805 = s1_;
                    uint _e807 = codes0_0_.x;
                    uint _e809 = _e807 & 202116108u;
                    uint _e810 = a00_.y;
                    packed_char4 reinterpreted_packed_char4_e809 = as_type<packed_char4>(_e809);
                    packed_char4 reinterpreted_packed_char4_e810 = as_type<packed_char4>(_e810);
                    s1_ = as_type<int>(as_type<uint>(_e805) + as_type<uint>(( + reinterpreted_packed_char4_e809[0] * reinterpreted_packed_char4_e810[0] + reinterpreted_packed_char4_e809[1] * reinterpreted_packed_char4_e810[1] + reinterpreted_packed_char4_e809[2] * reinterpreted_packed_char4_e810[2] + reinterpreted_packed_char4_e809[3] * reinterpreted_packed_char4_e810[3])));
                    int _e813 = s2_;
                    uint _e815 = codes0_0_.x;
                    uint _e817 = _e815 & 808464432u;
                    uint _e818 = a00_.z;
                    packed_char4 reinterpreted_packed_char4_e817 = as_type<packed_char4>(_e817);
                    packed_char4 reinterpreted_packed_char4_e818 = as_type<packed_char4>(_e818);
                    s2_ = as_type<int>(as_type<uint>(_e813) + as_type<uint>(( + reinterpreted_packed_char4_e817[0] * reinterpreted_packed_char4_e818[0] + reinterpreted_packed_char4_e817[1] * reinterpreted_packed_char4_e818[1] + reinterpreted_packed_char4_e817[2] * reinterpreted_packed_char4_e818[2] + reinterpreted_packed_char4_e817[3] * reinterpreted_packed_char4_e818[3])));
                    int _e821 = s3_;
                    uint _e823 = codes0_0_.x;
                    uint _e827 = (_e823 >> 6u) & 50529027u;
                    uint _e828 = a00_.w;
                    packed_char4 reinterpreted_packed_char4_e827 = as_type<packed_char4>(_e827);
                    packed_char4 reinterpreted_packed_char4_e828 = as_type<packed_char4>(_e828);
                    s3_ = as_type<int>(as_type<uint>(_e821) + as_type<uint>(( + reinterpreted_packed_char4_e827[0] * reinterpreted_packed_char4_e828[0] + reinterpreted_packed_char4_e827[1] * reinterpreted_packed_char4_e828[1] + reinterpreted_packed_char4_e827[2] * reinterpreted_packed_char4_e828[2] + reinterpreted_packed_char4_e827[3] * reinterpreted_packed_char4_e828[3])));
                    metal::uint4 a01_ = row_acts.inner[((g_5 * 16u) + 0u) + 1u];
                    int _e840 = s0_;
                    uint _e842 = codes0_0_.y;
                    uint _e844 = _e842 & 50529027u;
                    uint _e845 = a01_.x;
                    packed_char4 reinterpreted_packed_char4_e844 = as_type<packed_char4>(_e844);
                    packed_char4 reinterpreted_packed_char4_e845 = as_type<packed_char4>(_e845);
                    s0_ = as_type<int>(as_type<uint>(_e840) + as_type<uint>(( + reinterpreted_packed_char4_e844[0] * reinterpreted_packed_char4_e845[0] + reinterpreted_packed_char4_e844[1] * reinterpreted_packed_char4_e845[1] + reinterpreted_packed_char4_e844[2] * reinterpreted_packed_char4_e845[2] + reinterpreted_packed_char4_e844[3] * reinterpreted_packed_char4_e845[3])));
                    int _e848 = s1_;
                    uint _e850 = codes0_0_.y;
                    uint _e852 = _e850 & 202116108u;
                    uint _e853 = a01_.y;
                    packed_char4 reinterpreted_packed_char4_e852 = as_type<packed_char4>(_e852);
                    packed_char4 reinterpreted_packed_char4_e853 = as_type<packed_char4>(_e853);
                    s1_ = as_type<int>(as_type<uint>(_e848) + as_type<uint>(( + reinterpreted_packed_char4_e852[0] * reinterpreted_packed_char4_e853[0] + reinterpreted_packed_char4_e852[1] * reinterpreted_packed_char4_e853[1] + reinterpreted_packed_char4_e852[2] * reinterpreted_packed_char4_e853[2] + reinterpreted_packed_char4_e852[3] * reinterpreted_packed_char4_e853[3])));
                    int _e856 = s2_;
                    uint _e858 = codes0_0_.y;
                    uint _e860 = _e858 & 808464432u;
                    uint _e861 = a01_.z;
                    packed_char4 reinterpreted_packed_char4_e860 = as_type<packed_char4>(_e860);
                    packed_char4 reinterpreted_packed_char4_e861 = as_type<packed_char4>(_e861);
                    s2_ = as_type<int>(as_type<uint>(_e856) + as_type<uint>(( + reinterpreted_packed_char4_e860[0] * reinterpreted_packed_char4_e861[0] + reinterpreted_packed_char4_e860[1] * reinterpreted_packed_char4_e861[1] + reinterpreted_packed_char4_e860[2] * reinterpreted_packed_char4_e861[2] + reinterpreted_packed_char4_e860[3] * reinterpreted_packed_char4_e861[3])));
                    int _e864 = s3_;
                    uint _e866 = codes0_0_.y;
                    uint _e870 = (_e866 >> 6u) & 50529027u;
                    uint _e871 = a01_.w;
                    packed_char4 reinterpreted_packed_char4_e870 = as_type<packed_char4>(_e870);
                    packed_char4 reinterpreted_packed_char4_e871 = as_type<packed_char4>(_e871);
                    s3_ = as_type<int>(as_type<uint>(_e864) + as_type<uint>(( + reinterpreted_packed_char4_e870[0] * reinterpreted_packed_char4_e871[0] + reinterpreted_packed_char4_e870[1] * reinterpreted_packed_char4_e871[1] + reinterpreted_packed_char4_e870[2] * reinterpreted_packed_char4_e871[2] + reinterpreted_packed_char4_e870[3] * reinterpreted_packed_char4_e871[3])));
                    metal::uint4 a02_ = row_acts.inner[((g_5 * 16u) + 0u) + 2u];
                    int _e883 = s0_;
                    uint _e885 = codes0_0_.z;
                    uint _e887 = _e885 & 50529027u;
                    uint _e888 = a02_.x;
                    packed_char4 reinterpreted_packed_char4_e887 = as_type<packed_char4>(_e887);
                    packed_char4 reinterpreted_packed_char4_e888 = as_type<packed_char4>(_e888);
                    s0_ = as_type<int>(as_type<uint>(_e883) + as_type<uint>(( + reinterpreted_packed_char4_e887[0] * reinterpreted_packed_char4_e888[0] + reinterpreted_packed_char4_e887[1] * reinterpreted_packed_char4_e888[1] + reinterpreted_packed_char4_e887[2] * reinterpreted_packed_char4_e888[2] + reinterpreted_packed_char4_e887[3] * reinterpreted_packed_char4_e888[3])));
                    int _e891 = s1_;
                    uint _e893 = codes0_0_.z;
                    uint _e895 = _e893 & 202116108u;
                    uint _e896 = a02_.y;
                    packed_char4 reinterpreted_packed_char4_e895 = as_type<packed_char4>(_e895);
                    packed_char4 reinterpreted_packed_char4_e896 = as_type<packed_char4>(_e896);
                    s1_ = as_type<int>(as_type<uint>(_e891) + as_type<uint>(( + reinterpreted_packed_char4_e895[0] * reinterpreted_packed_char4_e896[0] + reinterpreted_packed_char4_e895[1] * reinterpreted_packed_char4_e896[1] + reinterpreted_packed_char4_e895[2] * reinterpreted_packed_char4_e896[2] + reinterpreted_packed_char4_e895[3] * reinterpreted_packed_char4_e896[3])));
                    int _e899 = s2_;
                    uint _e901 = codes0_0_.z;
                    uint _e903 = _e901 & 808464432u;
                    uint _e904 = a02_.z;
                    packed_char4 reinterpreted_packed_char4_e903 = as_type<packed_char4>(_e903);
                    packed_char4 reinterpreted_packed_char4_e904 = as_type<packed_char4>(_e904);
                    s2_ = as_type<int>(as_type<uint>(_e899) + as_type<uint>(( + reinterpreted_packed_char4_e903[0] * reinterpreted_packed_char4_e904[0] + reinterpreted_packed_char4_e903[1] * reinterpreted_packed_char4_e904[1] + reinterpreted_packed_char4_e903[2] * reinterpreted_packed_char4_e904[2] + reinterpreted_packed_char4_e903[3] * reinterpreted_packed_char4_e904[3])));
                    int _e907 = s3_;
                    uint _e909 = codes0_0_.z;
                    uint _e913 = (_e909 >> 6u) & 50529027u;
                    uint _e914 = a02_.w;
                    packed_char4 reinterpreted_packed_char4_e913 = as_type<packed_char4>(_e913);
                    packed_char4 reinterpreted_packed_char4_e914 = as_type<packed_char4>(_e914);
                    s3_ = as_type<int>(as_type<uint>(_e907) + as_type<uint>(( + reinterpreted_packed_char4_e913[0] * reinterpreted_packed_char4_e914[0] + reinterpreted_packed_char4_e913[1] * reinterpreted_packed_char4_e914[1] + reinterpreted_packed_char4_e913[2] * reinterpreted_packed_char4_e914[2] + reinterpreted_packed_char4_e913[3] * reinterpreted_packed_char4_e914[3])));
                    metal::uint4 a03_ = row_acts.inner[((g_5 * 16u) + 0u) + 3u];
                    int _e926 = s0_;
                    uint _e928 = codes0_0_.w;
                    uint _e930 = _e928 & 50529027u;
                    uint _e931 = a03_.x;
                    packed_char4 reinterpreted_packed_char4_e930 = as_type<packed_char4>(_e930);
                    packed_char4 reinterpreted_packed_char4_e931 = as_type<packed_char4>(_e931);
                    s0_ = as_type<int>(as_type<uint>(_e926) + as_type<uint>(( + reinterpreted_packed_char4_e930[0] * reinterpreted_packed_char4_e931[0] + reinterpreted_packed_char4_e930[1] * reinterpreted_packed_char4_e931[1] + reinterpreted_packed_char4_e930[2] * reinterpreted_packed_char4_e931[2] + reinterpreted_packed_char4_e930[3] * reinterpreted_packed_char4_e931[3])));
                    int _e934 = s1_;
                    uint _e936 = codes0_0_.w;
                    uint _e938 = _e936 & 202116108u;
                    uint _e939 = a03_.y;
                    packed_char4 reinterpreted_packed_char4_e938 = as_type<packed_char4>(_e938);
                    packed_char4 reinterpreted_packed_char4_e939 = as_type<packed_char4>(_e939);
                    s1_ = as_type<int>(as_type<uint>(_e934) + as_type<uint>(( + reinterpreted_packed_char4_e938[0] * reinterpreted_packed_char4_e939[0] + reinterpreted_packed_char4_e938[1] * reinterpreted_packed_char4_e939[1] + reinterpreted_packed_char4_e938[2] * reinterpreted_packed_char4_e939[2] + reinterpreted_packed_char4_e938[3] * reinterpreted_packed_char4_e939[3])));
                    int _e942 = s2_;
                    uint _e944 = codes0_0_.w;
                    uint _e946 = _e944 & 808464432u;
                    uint _e947 = a03_.z;
                    packed_char4 reinterpreted_packed_char4_e946 = as_type<packed_char4>(_e946);
                    packed_char4 reinterpreted_packed_char4_e947 = as_type<packed_char4>(_e947);
                    s2_ = as_type<int>(as_type<uint>(_e942) + as_type<uint>(( + reinterpreted_packed_char4_e946[0] * reinterpreted_packed_char4_e947[0] + reinterpreted_packed_char4_e946[1] * reinterpreted_packed_char4_e947[1] + reinterpreted_packed_char4_e946[2] * reinterpreted_packed_char4_e947[2] + reinterpreted_packed_char4_e946[3] * reinterpreted_packed_char4_e947[3])));
                    int _e950 = s3_;
                    uint _e952 = codes0_0_.w;
                    uint _e956 = (_e952 >> 6u) & 50529027u;
                    uint _e957 = a03_.w;
                    packed_char4 reinterpreted_packed_char4_e956 = as_type<packed_char4>(_e956);
                    packed_char4 reinterpreted_packed_char4_e957 = as_type<packed_char4>(_e957);
                    s3_ = as_type<int>(as_type<uint>(_e950) + as_type<uint>(( + reinterpreted_packed_char4_e956[0] * reinterpreted_packed_char4_e957[0] + reinterpreted_packed_char4_e956[1] * reinterpreted_packed_char4_e957[1] + reinterpreted_packed_char4_e956[2] * reinterpreted_packed_char4_e957[2] + reinterpreted_packed_char4_e956[3] * reinterpreted_packed_char4_e957[3])));
                    metal::uint4 a10_ = row_acts.inner[((g_5 * 16u) + 4u) + 0u];
                    int _e969 = s0_;
                    uint _e971 = codes0_1_.x;
                    uint _e973 = _e971 & 50529027u;
                    uint _e974 = a10_.x;
                    packed_char4 reinterpreted_packed_char4_e973 = as_type<packed_char4>(_e973);
                    packed_char4 reinterpreted_packed_char4_e974 = as_type<packed_char4>(_e974);
                    s0_ = as_type<int>(as_type<uint>(_e969) + as_type<uint>(( + reinterpreted_packed_char4_e973[0] * reinterpreted_packed_char4_e974[0] + reinterpreted_packed_char4_e973[1] * reinterpreted_packed_char4_e974[1] + reinterpreted_packed_char4_e973[2] * reinterpreted_packed_char4_e974[2] + reinterpreted_packed_char4_e973[3] * reinterpreted_packed_char4_e974[3])));
                    int _e977 = s1_;
                    uint _e979 = codes0_1_.x;
                    uint _e981 = _e979 & 202116108u;
                    uint _e982 = a10_.y;
                    packed_char4 reinterpreted_packed_char4_e981 = as_type<packed_char4>(_e981);
                    packed_char4 reinterpreted_packed_char4_e982 = as_type<packed_char4>(_e982);
                    s1_ = as_type<int>(as_type<uint>(_e977) + as_type<uint>(( + reinterpreted_packed_char4_e981[0] * reinterpreted_packed_char4_e982[0] + reinterpreted_packed_char4_e981[1] * reinterpreted_packed_char4_e982[1] + reinterpreted_packed_char4_e981[2] * reinterpreted_packed_char4_e982[2] + reinterpreted_packed_char4_e981[3] * reinterpreted_packed_char4_e982[3])));
                    int _e985 = s2_;
                    uint _e987 = codes0_1_.x;
                    uint _e989 = _e987 & 808464432u;
                    uint _e990 = a10_.z;
                    packed_char4 reinterpreted_packed_char4_e989 = as_type<packed_char4>(_e989);
                    packed_char4 reinterpreted_packed_char4_e990 = as_type<packed_char4>(_e990);
                    s2_ = as_type<int>(as_type<uint>(_e985) + as_type<uint>(( + reinterpreted_packed_char4_e989[0] * reinterpreted_packed_char4_e990[0] + reinterpreted_packed_char4_e989[1] * reinterpreted_packed_char4_e990[1] + reinterpreted_packed_char4_e989[2] * reinterpreted_packed_char4_e990[2] + reinterpreted_packed_char4_e989[3] * reinterpreted_packed_char4_e990[3])));
                    int _e993 = s3_;
                    uint _e995 = codes0_1_.x;
                    uint _e999 = (_e995 >> 6u) & 50529027u;
                    uint _e1000 = a10_.w;
                    packed_char4 reinterpreted_packed_char4_e999 = as_type<packed_char4>(_e999);
                    packed_char4 reinterpreted_packed_char4_e1000 = as_type<packed_char4>(_e1000);
                    s3_ = as_type<int>(as_type<uint>(_e993) + as_type<uint>(( + reinterpreted_packed_char4_e999[0] * reinterpreted_packed_char4_e1000[0] + reinterpreted_packed_char4_e999[1] * reinterpreted_packed_char4_e1000[1] + reinterpreted_packed_char4_e999[2] * reinterpreted_packed_char4_e1000[2] + reinterpreted_packed_char4_e999[3] * reinterpreted_packed_char4_e1000[3])));
                    metal::uint4 a11_ = row_acts.inner[((g_5 * 16u) + 4u) + 1u];
                    int _e1012 = s0_;
                    uint _e1014 = codes0_1_.y;
                    uint _e1016 = _e1014 & 50529027u;
                    uint _e1017 = a11_.x;
                    packed_char4 reinterpreted_packed_char4_e1016 = as_type<packed_char4>(_e1016);
                    packed_char4 reinterpreted_packed_char4_e1017 = as_type<packed_char4>(_e1017);
                    s0_ = as_type<int>(as_type<uint>(_e1012) + as_type<uint>(( + reinterpreted_packed_char4_e1016[0] * reinterpreted_packed_char4_e1017[0] + reinterpreted_packed_char4_e1016[1] * reinterpreted_packed_char4_e1017[1] + reinterpreted_packed_char4_e1016[2] * reinterpreted_packed_char4_e1017[2] + reinterpreted_packed_char4_e1016[3] * reinterpreted_packed_char4_e1017[3])));
                    int _e1020 = s1_;
                    uint _e1022 = codes0_1_.y;
                    uint _e1024 = _e1022 & 202116108u;
                    uint _e1025 = a11_.y;
                    packed_char4 reinterpreted_packed_char4_e1024 = as_type<packed_char4>(_e1024);
                    packed_char4 reinterpreted_packed_char4_e1025 = as_type<packed_char4>(_e1025);
                    s1_ = as_type<int>(as_type<uint>(_e1020) + as_type<uint>(( + reinterpreted_packed_char4_e1024[0] * reinterpreted_packed_char4_e1025[0] + reinterpreted_packed_char4_e1024[1] * reinterpreted_packed_char4_e1025[1] + reinterpreted_packed_char4_e1024[2] * reinterpreted_packed_char4_e1025[2] + reinterpreted_packed_char4_e1024[3] * reinterpreted_packed_char4_e1025[3])));
                    int _e1028 = s2_;
                    uint _e1030 = codes0_1_.y;
                    uint _e1032 = _e1030 & 808464432u;
                    uint _e1033 = a11_.z;
                    packed_char4 reinterpreted_packed_char4_e1032 = as_type<packed_char4>(_e1032);
                    packed_char4 reinterpreted_packed_char4_e1033 = as_type<packed_char4>(_e1033);
                    s2_ = as_type<int>(as_type<uint>(_e1028) + as_type<uint>(( + reinterpreted_packed_char4_e1032[0] * reinterpreted_packed_char4_e1033[0] + reinterpreted_packed_char4_e1032[1] * reinterpreted_packed_char4_e1033[1] + reinterpreted_packed_char4_e1032[2] * reinterpreted_packed_char4_e1033[2] + reinterpreted_packed_char4_e1032[3] * reinterpreted_packed_char4_e1033[3])));
                    int _e1036 = s3_;
                    uint _e1038 = codes0_1_.y;
                    uint _e1042 = (_e1038 >> 6u) & 50529027u;
                    uint _e1043 = a11_.w;
                    packed_char4 reinterpreted_packed_char4_e1042 = as_type<packed_char4>(_e1042);
                    packed_char4 reinterpreted_packed_char4_e1043 = as_type<packed_char4>(_e1043);
                    s3_ = as_type<int>(as_type<uint>(_e1036) + as_type<uint>(( + reinterpreted_packed_char4_e1042[0] * reinterpreted_packed_char4_e1043[0] + reinterpreted_packed_char4_e1042[1] * reinterpreted_packed_char4_e1043[1] + reinterpreted_packed_char4_e1042[2] * reinterpreted_packed_char4_e1043[2] + reinterpreted_packed_char4_e1042[3] * reinterpreted_packed_char4_e1043[3])));
                    metal::uint4 a12_ = row_acts.inner[((g_5 * 16u) + 4u) + 2u];
                    int _e1055 = s0_;
                    uint _e1057 = codes0_1_.z;
                    uint _e1059 = _e1057 & 50529027u;
                    uint _e1060 = a12_.x;
                    packed_char4 reinterpreted_packed_char4_e1059 = as_type<packed_char4>(_e1059);
                    packed_char4 reinterpreted_packed_char4_e1060 = as_type<packed_char4>(_e1060);
                    s0_ = as_type<int>(as_type<uint>(_e1055) + as_type<uint>(( + reinterpreted_packed_char4_e1059[0] * reinterpreted_packed_char4_e1060[0] + reinterpreted_packed_char4_e1059[1] * reinterpreted_packed_char4_e1060[1] + reinterpreted_packed_char4_e1059[2] * reinterpreted_packed_char4_e1060[2] + reinterpreted_packed_char4_e1059[3] * reinterpreted_packed_char4_e1060[3])));
                    int _e1063 = s1_;
                    uint _e1065 = codes0_1_.z;
                    uint _e1067 = _e1065 & 202116108u;
                    uint _e1068 = a12_.y;
                    packed_char4 reinterpreted_packed_char4_e1067 = as_type<packed_char4>(_e1067);
                    packed_char4 reinterpreted_packed_char4_e1068 = as_type<packed_char4>(_e1068);
                    s1_ = as_type<int>(as_type<uint>(_e1063) + as_type<uint>(( + reinterpreted_packed_char4_e1067[0] * reinterpreted_packed_char4_e1068[0] + reinterpreted_packed_char4_e1067[1] * reinterpreted_packed_char4_e1068[1] + reinterpreted_packed_char4_e1067[2] * reinterpreted_packed_char4_e1068[2] + reinterpreted_packed_char4_e1067[3] * reinterpreted_packed_char4_e1068[3])));
                    int _e1071 = s2_;
                    uint _e1073 = codes0_1_.z;
                    uint _e1075 = _e1073 & 808464432u;
                    uint _e1076 = a12_.z;
                    packed_char4 reinterpreted_packed_char4_e1075 = as_type<packed_char4>(_e1075);
                    packed_char4 reinterpreted_packed_char4_e1076 = as_type<packed_char4>(_e1076);
                    s2_ = as_type<int>(as_type<uint>(_e1071) + as_type<uint>(( + reinterpreted_packed_char4_e1075[0] * reinterpreted_packed_char4_e1076[0] + reinterpreted_packed_char4_e1075[1] * reinterpreted_packed_char4_e1076[1] + reinterpreted_packed_char4_e1075[2] * reinterpreted_packed_char4_e1076[2] + reinterpreted_packed_char4_e1075[3] * reinterpreted_packed_char4_e1076[3])));
                    int _e1079 = s3_;
                    uint _e1081 = codes0_1_.z;
                    uint _e1085 = (_e1081 >> 6u) & 50529027u;
                    uint _e1086 = a12_.w;
                    packed_char4 reinterpreted_packed_char4_e1085 = as_type<packed_char4>(_e1085);
                    packed_char4 reinterpreted_packed_char4_e1086 = as_type<packed_char4>(_e1086);
                    s3_ = as_type<int>(as_type<uint>(_e1079) + as_type<uint>(( + reinterpreted_packed_char4_e1085[0] * reinterpreted_packed_char4_e1086[0] + reinterpreted_packed_char4_e1085[1] * reinterpreted_packed_char4_e1086[1] + reinterpreted_packed_char4_e1085[2] * reinterpreted_packed_char4_e1086[2] + reinterpreted_packed_char4_e1085[3] * reinterpreted_packed_char4_e1086[3])));
                    metal::uint4 a13_ = row_acts.inner[((g_5 * 16u) + 4u) + 3u];
                    int _e1098 = s0_;
                    uint _e1100 = codes0_1_.w;
                    uint _e1102 = _e1100 & 50529027u;
                    uint _e1103 = a13_.x;
                    packed_char4 reinterpreted_packed_char4_e1102 = as_type<packed_char4>(_e1102);
                    packed_char4 reinterpreted_packed_char4_e1103 = as_type<packed_char4>(_e1103);
                    s0_ = as_type<int>(as_type<uint>(_e1098) + as_type<uint>(( + reinterpreted_packed_char4_e1102[0] * reinterpreted_packed_char4_e1103[0] + reinterpreted_packed_char4_e1102[1] * reinterpreted_packed_char4_e1103[1] + reinterpreted_packed_char4_e1102[2] * reinterpreted_packed_char4_e1103[2] + reinterpreted_packed_char4_e1102[3] * reinterpreted_packed_char4_e1103[3])));
                    int _e1106 = s1_;
                    uint _e1108 = codes0_1_.w;
                    uint _e1110 = _e1108 & 202116108u;
                    uint _e1111 = a13_.y;
                    packed_char4 reinterpreted_packed_char4_e1110 = as_type<packed_char4>(_e1110);
                    packed_char4 reinterpreted_packed_char4_e1111 = as_type<packed_char4>(_e1111);
                    s1_ = as_type<int>(as_type<uint>(_e1106) + as_type<uint>(( + reinterpreted_packed_char4_e1110[0] * reinterpreted_packed_char4_e1111[0] + reinterpreted_packed_char4_e1110[1] * reinterpreted_packed_char4_e1111[1] + reinterpreted_packed_char4_e1110[2] * reinterpreted_packed_char4_e1111[2] + reinterpreted_packed_char4_e1110[3] * reinterpreted_packed_char4_e1111[3])));
                    int _e1114 = s2_;
                    uint _e1116 = codes0_1_.w;
                    uint _e1118 = _e1116 & 808464432u;
                    uint _e1119 = a13_.z;
                    packed_char4 reinterpreted_packed_char4_e1118 = as_type<packed_char4>(_e1118);
                    packed_char4 reinterpreted_packed_char4_e1119 = as_type<packed_char4>(_e1119);
                    s2_ = as_type<int>(as_type<uint>(_e1114) + as_type<uint>(( + reinterpreted_packed_char4_e1118[0] * reinterpreted_packed_char4_e1119[0] + reinterpreted_packed_char4_e1118[1] * reinterpreted_packed_char4_e1119[1] + reinterpreted_packed_char4_e1118[2] * reinterpreted_packed_char4_e1119[2] + reinterpreted_packed_char4_e1118[3] * reinterpreted_packed_char4_e1119[3])));
                    int _e1122 = s3_;
                    uint _e1124 = codes0_1_.w;
                    uint _e1128 = (_e1124 >> 6u) & 50529027u;
                    uint _e1129 = a13_.w;
                    packed_char4 reinterpreted_packed_char4_e1128 = as_type<packed_char4>(_e1128);
                    packed_char4 reinterpreted_packed_char4_e1129 = as_type<packed_char4>(_e1129);
                    s3_ = as_type<int>(as_type<uint>(_e1122) + as_type<uint>(( + reinterpreted_packed_char4_e1128[0] * reinterpreted_packed_char4_e1129[0] + reinterpreted_packed_char4_e1128[1] * reinterpreted_packed_char4_e1129[1] + reinterpreted_packed_char4_e1128[2] * reinterpreted_packed_char4_e1129[2] + reinterpreted_packed_char4_e1128[3] * reinterpreted_packed_char4_e1129[3])));
                    metal::uint4 a20_ = row_acts.inner[((g_5 * 16u) + 8u) + 0u];
                    int _e1141 = s0_;
                    uint _e1143 = codes0_2_.x;
                    uint _e1145 = _e1143 & 50529027u;
                    uint _e1146 = a20_.x;
                    packed_char4 reinterpreted_packed_char4_e1145 = as_type<packed_char4>(_e1145);
                    packed_char4 reinterpreted_packed_char4_e1146 = as_type<packed_char4>(_e1146);
                    s0_ = as_type<int>(as_type<uint>(_e1141) + as_type<uint>(( + reinterpreted_packed_char4_e1145[0] * reinterpreted_packed_char4_e1146[0] + reinterpreted_packed_char4_e1145[1] * reinterpreted_packed_char4_e1146[1] + reinterpreted_packed_char4_e1145[2] * reinterpreted_packed_char4_e1146[2] + reinterpreted_packed_char4_e1145[3] * reinterpreted_packed_char4_e1146[3])));
                    int _e1149 = s1_;
                    uint _e1151 = codes0_2_.x;
                    uint _e1153 = _e1151 & 202116108u;
                    uint _e1154 = a20_.y;
                    packed_char4 reinterpreted_packed_char4_e1153 = as_type<packed_char4>(_e1153);
                    packed_char4 reinterpreted_packed_char4_e1154 = as_type<packed_char4>(_e1154);
                    s1_ = as_type<int>(as_type<uint>(_e1149) + as_type<uint>(( + reinterpreted_packed_char4_e1153[0] * reinterpreted_packed_char4_e1154[0] + reinterpreted_packed_char4_e1153[1] * reinterpreted_packed_char4_e1154[1] + reinterpreted_packed_char4_e1153[2] * reinterpreted_packed_char4_e1154[2] + reinterpreted_packed_char4_e1153[3] * reinterpreted_packed_char4_e1154[3])));
                    int _e1157 = s2_;
                    uint _e1159 = codes0_2_.x;
                    uint _e1161 = _e1159 & 808464432u;
                    uint _e1162 = a20_.z;
                    packed_char4 reinterpreted_packed_char4_e1161 = as_type<packed_char4>(_e1161);
                    packed_char4 reinterpreted_packed_char4_e1162 = as_type<packed_char4>(_e1162);
                    s2_ = as_type<int>(as_type<uint>(_e1157) + as_type<uint>(( + reinterpreted_packed_char4_e1161[0] * reinterpreted_packed_char4_e1162[0] + reinterpreted_packed_char4_e1161[1] * reinterpreted_packed_char4_e1162[1] + reinterpreted_packed_char4_e1161[2] * reinterpreted_packed_char4_e1162[2] + reinterpreted_packed_char4_e1161[3] * reinterpreted_packed_char4_e1162[3])));
                    int _e1165 = s3_;
                    uint _e1167 = codes0_2_.x;
                    uint _e1171 = (_e1167 >> 6u) & 50529027u;
                    uint _e1172 = a20_.w;
                    packed_char4 reinterpreted_packed_char4_e1171 = as_type<packed_char4>(_e1171);
                    packed_char4 reinterpreted_packed_char4_e1172 = as_type<packed_char4>(_e1172);
                    s3_ = as_type<int>(as_type<uint>(_e1165) + as_type<uint>(( + reinterpreted_packed_char4_e1171[0] * reinterpreted_packed_char4_e1172[0] + reinterpreted_packed_char4_e1171[1] * reinterpreted_packed_char4_e1172[1] + reinterpreted_packed_char4_e1171[2] * reinterpreted_packed_char4_e1172[2] + reinterpreted_packed_char4_e1171[3] * reinterpreted_packed_char4_e1172[3])));
                    metal::uint4 a21_ = row_acts.inner[((g_5 * 16u) + 8u) + 1u];
                    int _e1184 = s0_;
                    uint _e1186 = codes0_2_.y;
                    uint _e1188 = _e1186 & 50529027u;
                    uint _e1189 = a21_.x;
                    packed_char4 reinterpreted_packed_char4_e1188 = as_type<packed_char4>(_e1188);
                    packed_char4 reinterpreted_packed_char4_e1189 = as_type<packed_char4>(_e1189);
                    s0_ = as_type<int>(as_type<uint>(_e1184) + as_type<uint>(( + reinterpreted_packed_char4_e1188[0] * reinterpreted_packed_char4_e1189[0] + reinterpreted_packed_char4_e1188[1] * reinterpreted_packed_char4_e1189[1] + reinterpreted_packed_char4_e1188[2] * reinterpreted_packed_char4_e1189[2] + reinterpreted_packed_char4_e1188[3] * reinterpreted_packed_char4_e1189[3])));
                    int _e1192 = s1_;
                    uint _e1194 = codes0_2_.y;
                    uint _e1196 = _e1194 & 202116108u;
                    uint _e1197 = a21_.y;
                    packed_char4 reinterpreted_packed_char4_e1196 = as_type<packed_char4>(_e1196);
                    packed_char4 reinterpreted_packed_char4_e1197 = as_type<packed_char4>(_e1197);
                    s1_ = as_type<int>(as_type<uint>(_e1192) + as_type<uint>(( + reinterpreted_packed_char4_e1196[0] * reinterpreted_packed_char4_e1197[0] + reinterpreted_packed_char4_e1196[1] * reinterpreted_packed_char4_e1197[1] + reinterpreted_packed_char4_e1196[2] * reinterpreted_packed_char4_e1197[2] + reinterpreted_packed_char4_e1196[3] * reinterpreted_packed_char4_e1197[3])));
                    int _e1200 = s2_;
                    uint _e1202 = codes0_2_.y;
                    uint _e1204 = _e1202 & 808464432u;
                    uint _e1205 = a21_.z;
                    packed_char4 reinterpreted_packed_char4_e1204 = as_type<packed_char4>(_e1204);
                    packed_char4 reinterpreted_packed_char4_e1205 = as_type<packed_char4>(_e1205);
                    s2_ = as_type<int>(as_type<uint>(_e1200) + as_type<uint>(( + reinterpreted_packed_char4_e1204[0] * reinterpreted_packed_char4_e1205[0] + reinterpreted_packed_char4_e1204[1] * reinterpreted_packed_char4_e1205[1] + reinterpreted_packed_char4_e1204[2] * reinterpreted_packed_char4_e1205[2] + reinterpreted_packed_char4_e1204[3] * reinterpreted_packed_char4_e1205[3])));
                    int _e1208 = s3_;
                    uint _e1210 = codes0_2_.y;
                    uint _e1214 = (_e1210 >> 6u) & 50529027u;
                    uint _e1215 = a21_.w;
                    packed_char4 reinterpreted_packed_char4_e1214 = as_type<packed_char4>(_e1214);
                    packed_char4 reinterpreted_packed_char4_e1215 = as_type<packed_char4>(_e1215);
                    s3_ = as_type<int>(as_type<uint>(_e1208) + as_type<uint>(( + reinterpreted_packed_char4_e1214[0] * reinterpreted_packed_char4_e1215[0] + reinterpreted_packed_char4_e1214[1] * reinterpreted_packed_char4_e1215[1] + reinterpreted_packed_char4_e1214[2] * reinterpreted_packed_char4_e1215[2] + reinterpreted_packed_char4_e1214[3] * reinterpreted_packed_char4_e1215[3])));
                    metal::uint4 a22_ = row_acts.inner[((g_5 * 16u) + 8u) + 2u];
                    int _e1227 = s0_;
                    uint _e1229 = codes0_2_.z;
                    uint _e1231 = _e1229 & 50529027u;
                    uint _e1232 = a22_.x;
                    packed_char4 reinterpreted_packed_char4_e1231 = as_type<packed_char4>(_e1231);
                    packed_char4 reinterpreted_packed_char4_e1232 = as_type<packed_char4>(_e1232);
                    s0_ = as_type<int>(as_type<uint>(_e1227) + as_type<uint>(( + reinterpreted_packed_char4_e1231[0] * reinterpreted_packed_char4_e1232[0] + reinterpreted_packed_char4_e1231[1] * reinterpreted_packed_char4_e1232[1] + reinterpreted_packed_char4_e1231[2] * reinterpreted_packed_char4_e1232[2] + reinterpreted_packed_char4_e1231[3] * reinterpreted_packed_char4_e1232[3])));
                    int _e1235 = s1_;
                    uint _e1237 = codes0_2_.z;
                    uint _e1239 = _e1237 & 202116108u;
                    uint _e1240 = a22_.y;
                    packed_char4 reinterpreted_packed_char4_e1239 = as_type<packed_char4>(_e1239);
                    packed_char4 reinterpreted_packed_char4_e1240 = as_type<packed_char4>(_e1240);
                    s1_ = as_type<int>(as_type<uint>(_e1235) + as_type<uint>(( + reinterpreted_packed_char4_e1239[0] * reinterpreted_packed_char4_e1240[0] + reinterpreted_packed_char4_e1239[1] * reinterpreted_packed_char4_e1240[1] + reinterpreted_packed_char4_e1239[2] * reinterpreted_packed_char4_e1240[2] + reinterpreted_packed_char4_e1239[3] * reinterpreted_packed_char4_e1240[3])));
                    int _e1243 = s2_;
                    uint _e1245 = codes0_2_.z;
                    uint _e1247 = _e1245 & 808464432u;
                    uint _e1248 = a22_.z;
                    packed_char4 reinterpreted_packed_char4_e1247 = as_type<packed_char4>(_e1247);
                    packed_char4 reinterpreted_packed_char4_e1248 = as_type<packed_char4>(_e1248);
                    s2_ = as_type<int>(as_type<uint>(_e1243) + as_type<uint>(( + reinterpreted_packed_char4_e1247[0] * reinterpreted_packed_char4_e1248[0] + reinterpreted_packed_char4_e1247[1] * reinterpreted_packed_char4_e1248[1] + reinterpreted_packed_char4_e1247[2] * reinterpreted_packed_char4_e1248[2] + reinterpreted_packed_char4_e1247[3] * reinterpreted_packed_char4_e1248[3])));
                    int _e1251 = s3_;
                    uint _e1253 = codes0_2_.z;
                    uint _e1257 = (_e1253 >> 6u) & 50529027u;
                    uint _e1258 = a22_.w;
                    packed_char4 reinterpreted_packed_char4_e1257 = as_type<packed_char4>(_e1257);
                    packed_char4 reinterpreted_packed_char4_e1258 = as_type<packed_char4>(_e1258);
                    s3_ = as_type<int>(as_type<uint>(_e1251) + as_type<uint>(( + reinterpreted_packed_char4_e1257[0] * reinterpreted_packed_char4_e1258[0] + reinterpreted_packed_char4_e1257[1] * reinterpreted_packed_char4_e1258[1] + reinterpreted_packed_char4_e1257[2] * reinterpreted_packed_char4_e1258[2] + reinterpreted_packed_char4_e1257[3] * reinterpreted_packed_char4_e1258[3])));
                    metal::uint4 a23_ = row_acts.inner[((g_5 * 16u) + 8u) + 3u];
                    int _e1270 = s0_;
                    uint _e1272 = codes0_2_.w;
                    uint _e1274 = _e1272 & 50529027u;
                    uint _e1275 = a23_.x;
                    packed_char4 reinterpreted_packed_char4_e1274 = as_type<packed_char4>(_e1274);
                    packed_char4 reinterpreted_packed_char4_e1275 = as_type<packed_char4>(_e1275);
                    s0_ = as_type<int>(as_type<uint>(_e1270) + as_type<uint>(( + reinterpreted_packed_char4_e1274[0] * reinterpreted_packed_char4_e1275[0] + reinterpreted_packed_char4_e1274[1] * reinterpreted_packed_char4_e1275[1] + reinterpreted_packed_char4_e1274[2] * reinterpreted_packed_char4_e1275[2] + reinterpreted_packed_char4_e1274[3] * reinterpreted_packed_char4_e1275[3])));
                    int _e1278 = s1_;
                    uint _e1280 = codes0_2_.w;
                    uint _e1282 = _e1280 & 202116108u;
                    uint _e1283 = a23_.y;
                    packed_char4 reinterpreted_packed_char4_e1282 = as_type<packed_char4>(_e1282);
                    packed_char4 reinterpreted_packed_char4_e1283 = as_type<packed_char4>(_e1283);
                    s1_ = as_type<int>(as_type<uint>(_e1278) + as_type<uint>(( + reinterpreted_packed_char4_e1282[0] * reinterpreted_packed_char4_e1283[0] + reinterpreted_packed_char4_e1282[1] * reinterpreted_packed_char4_e1283[1] + reinterpreted_packed_char4_e1282[2] * reinterpreted_packed_char4_e1283[2] + reinterpreted_packed_char4_e1282[3] * reinterpreted_packed_char4_e1283[3])));
                    int _e1286 = s2_;
                    uint _e1288 = codes0_2_.w;
                    uint _e1290 = _e1288 & 808464432u;
                    uint _e1291 = a23_.z;
                    packed_char4 reinterpreted_packed_char4_e1290 = as_type<packed_char4>(_e1290);
                    packed_char4 reinterpreted_packed_char4_e1291 = as_type<packed_char4>(_e1291);
                    s2_ = as_type<int>(as_type<uint>(_e1286) + as_type<uint>(( + reinterpreted_packed_char4_e1290[0] * reinterpreted_packed_char4_e1291[0] + reinterpreted_packed_char4_e1290[1] * reinterpreted_packed_char4_e1291[1] + reinterpreted_packed_char4_e1290[2] * reinterpreted_packed_char4_e1291[2] + reinterpreted_packed_char4_e1290[3] * reinterpreted_packed_char4_e1291[3])));
                    int _e1294 = s3_;
                    uint _e1296 = codes0_2_.w;
                    uint _e1300 = (_e1296 >> 6u) & 50529027u;
                    uint _e1301 = a23_.w;
                    packed_char4 reinterpreted_packed_char4_e1300 = as_type<packed_char4>(_e1300);
                    packed_char4 reinterpreted_packed_char4_e1301 = as_type<packed_char4>(_e1301);
                    s3_ = as_type<int>(as_type<uint>(_e1294) + as_type<uint>(( + reinterpreted_packed_char4_e1300[0] * reinterpreted_packed_char4_e1301[0] + reinterpreted_packed_char4_e1300[1] * reinterpreted_packed_char4_e1301[1] + reinterpreted_packed_char4_e1300[2] * reinterpreted_packed_char4_e1301[2] + reinterpreted_packed_char4_e1300[3] * reinterpreted_packed_char4_e1301[3])));
                    metal::uint4 a30_ = row_acts.inner[((g_5 * 16u) + 12u) + 0u];
                    int _e1313 = s0_;
                    uint _e1315 = codes0_3_.x;
                    uint _e1317 = _e1315 & 50529027u;
                    uint _e1318 = a30_.x;
                    packed_char4 reinterpreted_packed_char4_e1317 = as_type<packed_char4>(_e1317);
                    packed_char4 reinterpreted_packed_char4_e1318 = as_type<packed_char4>(_e1318);
                    s0_ = as_type<int>(as_type<uint>(_e1313) + as_type<uint>(( + reinterpreted_packed_char4_e1317[0] * reinterpreted_packed_char4_e1318[0] + reinterpreted_packed_char4_e1317[1] * reinterpreted_packed_char4_e1318[1] + reinterpreted_packed_char4_e1317[2] * reinterpreted_packed_char4_e1318[2] + reinterpreted_packed_char4_e1317[3] * reinterpreted_packed_char4_e1318[3])));
                    int _e1321 = s1_;
                    uint _e1323 = codes0_3_.x;
                    uint _e1325 = _e1323 & 202116108u;
                    uint _e1326 = a30_.y;
                    packed_char4 reinterpreted_packed_char4_e1325 = as_type<packed_char4>(_e1325);
                    packed_char4 reinterpreted_packed_char4_e1326 = as_type<packed_char4>(_e1326);
                    s1_ = as_type<int>(as_type<uint>(_e1321) + as_type<uint>(( + reinterpreted_packed_char4_e1325[0] * reinterpreted_packed_char4_e1326[0] + reinterpreted_packed_char4_e1325[1] * reinterpreted_packed_char4_e1326[1] + reinterpreted_packed_char4_e1325[2] * reinterpreted_packed_char4_e1326[2] + reinterpreted_packed_char4_e1325[3] * reinterpreted_packed_char4_e1326[3])));
                    int _e1329 = s2_;
                    uint _e1331 = codes0_3_.x;
                    uint _e1333 = _e1331 & 808464432u;
                    uint _e1334 = a30_.z;
                    packed_char4 reinterpreted_packed_char4_e1333 = as_type<packed_char4>(_e1333);
                    packed_char4 reinterpreted_packed_char4_e1334 = as_type<packed_char4>(_e1334);
                    s2_ = as_type<int>(as_type<uint>(_e1329) + as_type<uint>(( + reinterpreted_packed_char4_e1333[0] * reinterpreted_packed_char4_e1334[0] + reinterpreted_packed_char4_e1333[1] * reinterpreted_packed_char4_e1334[1] + reinterpreted_packed_char4_e1333[2] * reinterpreted_packed_char4_e1334[2] + reinterpreted_packed_char4_e1333[3] * reinterpreted_packed_char4_e1334[3])));
                    int _e1337 = s3_;
                    uint _e1339 = codes0_3_.x;
                    uint _e1343 = (_e1339 >> 6u) & 50529027u;
                    uint _e1344 = a30_.w;
                    packed_char4 reinterpreted_packed_char4_e1343 = as_type<packed_char4>(_e1343);
                    packed_char4 reinterpreted_packed_char4_e1344 = as_type<packed_char4>(_e1344);
                    s3_ = as_type<int>(as_type<uint>(_e1337) + as_type<uint>(( + reinterpreted_packed_char4_e1343[0] * reinterpreted_packed_char4_e1344[0] + reinterpreted_packed_char4_e1343[1] * reinterpreted_packed_char4_e1344[1] + reinterpreted_packed_char4_e1343[2] * reinterpreted_packed_char4_e1344[2] + reinterpreted_packed_char4_e1343[3] * reinterpreted_packed_char4_e1344[3])));
                    metal::uint4 a31_ = row_acts.inner[((g_5 * 16u) + 12u) + 1u];
                    int _e1356 = s0_;
                    uint _e1358 = codes0_3_.y;
                    uint _e1360 = _e1358 & 50529027u;
                    uint _e1361 = a31_.x;
                    packed_char4 reinterpreted_packed_char4_e1360 = as_type<packed_char4>(_e1360);
                    packed_char4 reinterpreted_packed_char4_e1361 = as_type<packed_char4>(_e1361);
                    s0_ = as_type<int>(as_type<uint>(_e1356) + as_type<uint>(( + reinterpreted_packed_char4_e1360[0] * reinterpreted_packed_char4_e1361[0] + reinterpreted_packed_char4_e1360[1] * reinterpreted_packed_char4_e1361[1] + reinterpreted_packed_char4_e1360[2] * reinterpreted_packed_char4_e1361[2] + reinterpreted_packed_char4_e1360[3] * reinterpreted_packed_char4_e1361[3])));
                    int _e1364 = s1_;
                    uint _e1366 = codes0_3_.y;
                    uint _e1368 = _e1366 & 202116108u;
                    uint _e1369 = a31_.y;
                    packed_char4 reinterpreted_packed_char4_e1368 = as_type<packed_char4>(_e1368);
                    packed_char4 reinterpreted_packed_char4_e1369 = as_type<packed_char4>(_e1369);
                    s1_ = as_type<int>(as_type<uint>(_e1364) + as_type<uint>(( + reinterpreted_packed_char4_e1368[0] * reinterpreted_packed_char4_e1369[0] + reinterpreted_packed_char4_e1368[1] * reinterpreted_packed_char4_e1369[1] + reinterpreted_packed_char4_e1368[2] * reinterpreted_packed_char4_e1369[2] + reinterpreted_packed_char4_e1368[3] * reinterpreted_packed_char4_e1369[3])));
                    int _e1372 = s2_;
                    uint _e1374 = codes0_3_.y;
                    uint _e1376 = _e1374 & 808464432u;
                    uint _e1377 = a31_.z;
                    packed_char4 reinterpreted_packed_char4_e1376 = as_type<packed_char4>(_e1376);
                    packed_char4 reinterpreted_packed_char4_e1377 = as_type<packed_char4>(_e1377);
                    s2_ = as_type<int>(as_type<uint>(_e1372) + as_type<uint>(( + reinterpreted_packed_char4_e1376[0] * reinterpreted_packed_char4_e1377[0] + reinterpreted_packed_char4_e1376[1] * reinterpreted_packed_char4_e1377[1] + reinterpreted_packed_char4_e1376[2] * reinterpreted_packed_char4_e1377[2] + reinterpreted_packed_char4_e1376[3] * reinterpreted_packed_char4_e1377[3])));
                    int _e1380 = s3_;
                    uint _e1382 = codes0_3_.y;
                    uint _e1386 = (_e1382 >> 6u) & 50529027u;
                    uint _e1387 = a31_.w;
                    packed_char4 reinterpreted_packed_char4_e1386 = as_type<packed_char4>(_e1386);
                    packed_char4 reinterpreted_packed_char4_e1387 = as_type<packed_char4>(_e1387);
                    s3_ = as_type<int>(as_type<uint>(_e1380) + as_type<uint>(( + reinterpreted_packed_char4_e1386[0] * reinterpreted_packed_char4_e1387[0] + reinterpreted_packed_char4_e1386[1] * reinterpreted_packed_char4_e1387[1] + reinterpreted_packed_char4_e1386[2] * reinterpreted_packed_char4_e1387[2] + reinterpreted_packed_char4_e1386[3] * reinterpreted_packed_char4_e1387[3])));
                    metal::uint4 a32_ = row_acts.inner[((g_5 * 16u) + 12u) + 2u];
                    int _e1399 = s0_;
                    uint _e1401 = codes0_3_.z;
                    uint _e1403 = _e1401 & 50529027u;
                    uint _e1404 = a32_.x;
                    packed_char4 reinterpreted_packed_char4_e1403 = as_type<packed_char4>(_e1403);
                    packed_char4 reinterpreted_packed_char4_e1404 = as_type<packed_char4>(_e1404);
                    s0_ = as_type<int>(as_type<uint>(_e1399) + as_type<uint>(( + reinterpreted_packed_char4_e1403[0] * reinterpreted_packed_char4_e1404[0] + reinterpreted_packed_char4_e1403[1] * reinterpreted_packed_char4_e1404[1] + reinterpreted_packed_char4_e1403[2] * reinterpreted_packed_char4_e1404[2] + reinterpreted_packed_char4_e1403[3] * reinterpreted_packed_char4_e1404[3])));
                    int _e1407 = s1_;
                    uint _e1409 = codes0_3_.z;
                    uint _e1411 = _e1409 & 202116108u;
                    uint _e1412 = a32_.y;
                    packed_char4 reinterpreted_packed_char4_e1411 = as_type<packed_char4>(_e1411);
                    packed_char4 reinterpreted_packed_char4_e1412 = as_type<packed_char4>(_e1412);
                    s1_ = as_type<int>(as_type<uint>(_e1407) + as_type<uint>(( + reinterpreted_packed_char4_e1411[0] * reinterpreted_packed_char4_e1412[0] + reinterpreted_packed_char4_e1411[1] * reinterpreted_packed_char4_e1412[1] + reinterpreted_packed_char4_e1411[2] * reinterpreted_packed_char4_e1412[2] + reinterpreted_packed_char4_e1411[3] * reinterpreted_packed_char4_e1412[3])));
                    int _e1415 = s2_;
                    uint _e1417 = codes0_3_.z;
                    uint _e1419 = _e1417 & 808464432u;
                    uint _e1420 = a32_.z;
                    packed_char4 reinterpreted_packed_char4_e1419 = as_type<packed_char4>(_e1419);
                    packed_char4 reinterpreted_packed_char4_e1420 = as_type<packed_char4>(_e1420);
                    s2_ = as_type<int>(as_type<uint>(_e1415) + as_type<uint>(( + reinterpreted_packed_char4_e1419[0] * reinterpreted_packed_char4_e1420[0] + reinterpreted_packed_char4_e1419[1] * reinterpreted_packed_char4_e1420[1] + reinterpreted_packed_char4_e1419[2] * reinterpreted_packed_char4_e1420[2] + reinterpreted_packed_char4_e1419[3] * reinterpreted_packed_char4_e1420[3])));
                    int _e1423 = s3_;
                    uint _e1425 = codes0_3_.z;
                    uint _e1429 = (_e1425 >> 6u) & 50529027u;
                    uint _e1430 = a32_.w;
                    packed_char4 reinterpreted_packed_char4_e1429 = as_type<packed_char4>(_e1429);
                    packed_char4 reinterpreted_packed_char4_e1430 = as_type<packed_char4>(_e1430);
                    s3_ = as_type<int>(as_type<uint>(_e1423) + as_type<uint>(( + reinterpreted_packed_char4_e1429[0] * reinterpreted_packed_char4_e1430[0] + reinterpreted_packed_char4_e1429[1] * reinterpreted_packed_char4_e1430[1] + reinterpreted_packed_char4_e1429[2] * reinterpreted_packed_char4_e1430[2] + reinterpreted_packed_char4_e1429[3] * reinterpreted_packed_char4_e1430[3])));
                    metal::uint4 a33_ = row_acts.inner[((g_5 * 16u) + 12u) + 3u];
                    int _e1442 = s0_;
                    uint _e1444 = codes0_3_.w;
                    uint _e1446 = _e1444 & 50529027u;
                    uint _e1447 = a33_.x;
                    packed_char4 reinterpreted_packed_char4_e1446 = as_type<packed_char4>(_e1446);
                    packed_char4 reinterpreted_packed_char4_e1447 = as_type<packed_char4>(_e1447);
                    s0_ = as_type<int>(as_type<uint>(_e1442) + as_type<uint>(( + reinterpreted_packed_char4_e1446[0] * reinterpreted_packed_char4_e1447[0] + reinterpreted_packed_char4_e1446[1] * reinterpreted_packed_char4_e1447[1] + reinterpreted_packed_char4_e1446[2] * reinterpreted_packed_char4_e1447[2] + reinterpreted_packed_char4_e1446[3] * reinterpreted_packed_char4_e1447[3])));
                    int _e1450 = s1_;
                    uint _e1452 = codes0_3_.w;
                    uint _e1454 = _e1452 & 202116108u;
                    uint _e1455 = a33_.y;
                    packed_char4 reinterpreted_packed_char4_e1454 = as_type<packed_char4>(_e1454);
                    packed_char4 reinterpreted_packed_char4_e1455 = as_type<packed_char4>(_e1455);
                    s1_ = as_type<int>(as_type<uint>(_e1450) + as_type<uint>(( + reinterpreted_packed_char4_e1454[0] * reinterpreted_packed_char4_e1455[0] + reinterpreted_packed_char4_e1454[1] * reinterpreted_packed_char4_e1455[1] + reinterpreted_packed_char4_e1454[2] * reinterpreted_packed_char4_e1455[2] + reinterpreted_packed_char4_e1454[3] * reinterpreted_packed_char4_e1455[3])));
                    int _e1458 = s2_;
                    uint _e1460 = codes0_3_.w;
                    uint _e1462 = _e1460 & 808464432u;
                    uint _e1463 = a33_.z;
                    packed_char4 reinterpreted_packed_char4_e1462 = as_type<packed_char4>(_e1462);
                    packed_char4 reinterpreted_packed_char4_e1463 = as_type<packed_char4>(_e1463);
                    s2_ = as_type<int>(as_type<uint>(_e1458) + as_type<uint>(( + reinterpreted_packed_char4_e1462[0] * reinterpreted_packed_char4_e1463[0] + reinterpreted_packed_char4_e1462[1] * reinterpreted_packed_char4_e1463[1] + reinterpreted_packed_char4_e1462[2] * reinterpreted_packed_char4_e1463[2] + reinterpreted_packed_char4_e1462[3] * reinterpreted_packed_char4_e1463[3])));
                    int _e1466 = s3_;
                    uint _e1468 = codes0_3_.w;
                    uint _e1472 = (_e1468 >> 6u) & 50529027u;
                    uint _e1473 = a33_.w;
                    packed_char4 reinterpreted_packed_char4_e1472 = as_type<packed_char4>(_e1472);
                    packed_char4 reinterpreted_packed_char4_e1473 = as_type<packed_char4>(_e1473);
                    s3_ = as_type<int>(as_type<uint>(_e1466) + as_type<uint>(( + reinterpreted_packed_char4_e1472[0] * reinterpreted_packed_char4_e1473[0] + reinterpreted_packed_char4_e1472[1] * reinterpreted_packed_char4_e1473[1] + reinterpreted_packed_char4_e1472[2] * reinterpreted_packed_char4_e1473[2] + reinterpreted_packed_char4_e1472[3] * reinterpreted_packed_char4_e1473[3])));
                    metal::uint2 da = row_scales.inner[g_5];
                    int _e1479 = s0_;
                    int _e1480 = s1_;
                    int _e1484 = s2_;
                    int _e1488 = s3_;
                    int _e1492 = p_1.zero;
                    int isum = as_type<int>(as_type<uint>(as_type<int>(as_type<uint>(as_type<int>(as_type<uint>(as_type<int>(as_type<uint>(_e1479) + as_type<uint>(_e1480 >> 2u))) + as_type<uint>(_e1484 >> 4u))) + as_type<uint>(_e1488))) - as_type<uint>(as_type<int>(as_type<uint>(_e1492) * as_type<uint>(as_type<int>(da.y)))));
                    float _e1501 = scale0_;
                    terms.inner[buffer + t] = metal::float2(static_cast<float>(isum), _e1501 * as_type<float>(da.x));
                }
                uint load0_ = step0_ + AHEAD;
                if (load0_ < steps) {
                    if (false) {
                        local_7 = ((naga_mod(load0_, TURNS) * WARPS) + warp) < GROUPS;
                    } else {
                        local_7 = true;
                    }
                    bool _e1522 = local_7;
                    local_6 = _e1522;
                } else {
                    local_6 = false;
                }
                bool _e1524 = local_6;
                if (_e1524) {
                    uint block_3 = group.x + (naga_div(load0_, TURNS) * workgroups.x);
                    uint at_4 = ((((block_3 * GROUPS) + (naga_mod(load0_, TURNS) * WARPS)) + warp) * 128u) + lane;
                    metal::uint4 _e1546 = codes[at_4 + 0u];
                    codes0_0_ = _e1546;
                    metal::uint4 _e1551 = codes[at_4 + 32u];
                    codes0_1_ = _e1551;
                    metal::uint4 _e1556 = codes[at_4 + 64u];
                    codes0_2_ = _e1556;
                    metal::uint4 _e1561 = codes[at_4 + 96u];
                    codes0_3_ = _e1561;
                    float _e1567 = scale_of(block_3, (naga_mod(load0_, TURNS) * WARPS) + warp, lane, scales, _buffer_sizes);
                    scale0_ = _e1567;
                }
                metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
                uint _e1568 = chain;
                if (warp == _e1568) {
                    uint from_i = buffer + (2u * (lane & 15u));
                    if (false) {
                        local_8 = ((turn * WARPS) + 0u) < GROUPS;
                    } else {
                        local_8 = true;
                    }
                    bool _e1585 = local_8;
                    if (_e1585) {
                        metal::float2 even0_ = terms.inner[from_i + 0u];
                        metal::float2 odd0_ = terms.inner[(from_i + 0u) + 1u];
                        float _e1602 = acc.x;
                        acc.x = metal::fma(even0_.x, even0_.y, _e1602);
                        float _e1608 = acc.y;
                        acc.y = metal::fma(odd0_.x, odd0_.y, _e1608);
                    }
                    if (false) {
                        local_9 = ((turn * WARPS) + 1u) < GROUPS;
                    } else {
                        local_9 = true;
                    }
                    bool _e1620 = local_9;
                    if (_e1620) {
                        metal::float2 even1_ = terms.inner[from_i + 32u];
                        metal::float2 odd1_ = terms.inner[(from_i + 32u) + 1u];
                        float _e1637 = acc.x;
                        acc.x = metal::fma(even1_.x, even1_.y, _e1637);
                        float _e1643 = acc.y;
                        acc.y = metal::fma(odd1_.x, odd1_.y, _e1643);
                    }
                    if (false) {
                        local_10 = ((turn * WARPS) + 2u) < GROUPS;
                    } else {
                        local_10 = true;
                    }
                    bool _e1655 = local_10;
                    if (_e1655) {
                        metal::float2 even2_ = terms.inner[from_i + 64u];
                        metal::float2 odd2_ = terms.inner[(from_i + 64u) + 1u];
                        float _e1672 = acc.x;
                        acc.x = metal::fma(even2_.x, even2_.y, _e1672);
                        float _e1678 = acc.y;
                        acc.y = metal::fma(odd2_.x, odd2_.y, _e1678);
                    }
                    if (false) {
                        local_11 = ((turn * WARPS) + 3u) < GROUPS;
                    } else {
                        local_11 = true;
                    }
                    bool _e1690 = local_11;
                    if (_e1690) {
                        metal::float2 even3_ = terms.inner[from_i + 96u];
                        metal::float2 odd3_ = terms.inner[(from_i + 96u) + 1u];
                        float _e1707 = acc.x;
                        acc.x = metal::fma(even3_.x, even3_.y, _e1707);
                        float _e1713 = acc.y;
                        acc.y = metal::fma(odd3_.x, odd3_.y, _e1713);
                    }
                    if (false) {
                        local_12 = ((turn * WARPS) + 4u) < GROUPS;
                    } else {
                        local_12 = true;
                    }
                    bool _e1725 = local_12;
                    if (_e1725) {
                        metal::float2 even4_ = terms.inner[from_i + 128u];
                        metal::float2 odd4_ = terms.inner[(from_i + 128u) + 1u];
                        float _e1742 = acc.x;
                        acc.x = metal::fma(even4_.x, even4_.y, _e1742);
                        float _e1748 = acc.y;
                        acc.y = metal::fma(odd4_.x, odd4_.y, _e1748);
                    }
                    if (false) {
                        local_13 = ((turn * WARPS) + 5u) < GROUPS;
                    } else {
                        local_13 = true;
                    }
                    bool _e1760 = local_13;
                    if (_e1760) {
                        metal::float2 even5_ = terms.inner[from_i + 160u];
                        metal::float2 odd5_ = terms.inner[(from_i + 160u) + 1u];
                        float _e1777 = acc.x;
                        acc.x = metal::fma(even5_.x, even5_.y, _e1777);
                        float _e1783 = acc.y;
                        acc.y = metal::fma(odd5_.x, odd5_.y, _e1783);
                    }
                    if (false) {
                        local_14 = ((turn * WARPS) + 6u) < GROUPS;
                    } else {
                        local_14 = true;
                    }
                    bool _e1795 = local_14;
                    if (_e1795) {
                        metal::float2 even6_ = terms.inner[from_i + 192u];
                        metal::float2 odd6_ = terms.inner[(from_i + 192u) + 1u];
                        float _e1812 = acc.x;
                        acc.x = metal::fma(even6_.x, even6_.y, _e1812);
                        float _e1818 = acc.y;
                        acc.y = metal::fma(odd6_.x, odd6_.y, _e1818);
                    }
                    if (false) {
                        local_15 = ((turn * WARPS) + 7u) < GROUPS;
                    } else {
                        local_15 = true;
                    }
                    bool _e1830 = local_15;
                    if (_e1830) {
                        metal::float2 even7_ = terms.inner[from_i + 224u];
                        metal::float2 odd7_ = terms.inner[(from_i + 224u) + 1u];
                        float _e1847 = acc.x;
                        acc.x = metal::fma(even7_.x, even7_.y, _e1847);
                        float _e1853 = acc.y;
                        acc.y = metal::fma(odd7_.x, odd7_.y, _e1853);
                    }
                    if (false) {
                        local_16 = ((turn * WARPS) + 8u) < GROUPS;
                    } else {
                        local_16 = true;
                    }
                    bool _e1865 = local_16;
                    if (_e1865) {
                        metal::float2 even8_ = terms.inner[from_i + 256u];
                        metal::float2 odd8_ = terms.inner[(from_i + 256u) + 1u];
                        float _e1882 = acc.x;
                        acc.x = metal::fma(even8_.x, even8_.y, _e1882);
                        float _e1888 = acc.y;
                        acc.y = metal::fma(odd8_.x, odd8_.y, _e1888);
                    }
                    if (false) {
                        local_17 = ((turn * WARPS) + 9u) < GROUPS;
                    } else {
                        local_17 = true;
                    }
                    bool _e1900 = local_17;
                    if (_e1900) {
                        metal::float2 even9_ = terms.inner[from_i + 288u];
                        metal::float2 odd9_ = terms.inner[(from_i + 288u) + 1u];
                        float _e1917 = acc.x;
                        acc.x = metal::fma(even9_.x, even9_.y, _e1917);
                        float _e1923 = acc.y;
                        acc.y = metal::fma(odd9_.x, odd9_.y, _e1923);
                    }
                    if (false) {
                        local_18 = ((turn * WARPS) + 10u) < GROUPS;
                    } else {
                        local_18 = true;
                    }
                    bool _e1935 = local_18;
                    if (_e1935) {
                        metal::float2 even10_ = terms.inner[from_i + 320u];
                        metal::float2 odd10_ = terms.inner[(from_i + 320u) + 1u];
                        float _e1952 = acc.x;
                        acc.x = metal::fma(even10_.x, even10_.y, _e1952);
                        float _e1958 = acc.y;
                        acc.y = metal::fma(odd10_.x, odd10_.y, _e1958);
                    }
                    if (false) {
                        local_19 = ((turn * WARPS) + 11u) < GROUPS;
                    } else {
                        local_19 = true;
                    }
                    bool _e1970 = local_19;
                    if (_e1970) {
                        metal::float2 even11_ = terms.inner[from_i + 352u];
                        metal::float2 odd11_ = terms.inner[(from_i + 352u) + 1u];
                        float _e1987 = acc.x;
                        acc.x = metal::fma(even11_.x, even11_.y, _e1987);
                        float _e1993 = acc.y;
                        acc.y = metal::fma(odd11_.x, odd11_.y, _e1993);
                    }
                    if (false) {
                        local_20 = ((turn * WARPS) + 12u) < GROUPS;
                    } else {
                        local_20 = true;
                    }
                    bool _e2005 = local_20;
                    if (_e2005) {
                        metal::float2 even12_ = terms.inner[from_i + 384u];
                        metal::float2 odd12_ = terms.inner[(from_i + 384u) + 1u];
                        float _e2022 = acc.x;
                        acc.x = metal::fma(even12_.x, even12_.y, _e2022);
                        float _e2028 = acc.y;
                        acc.y = metal::fma(odd12_.x, odd12_.y, _e2028);
                    }
                    if (false) {
                        local_21 = ((turn * WARPS) + 13u) < GROUPS;
                    } else {
                        local_21 = true;
                    }
                    bool _e2040 = local_21;
                    if (_e2040) {
                        metal::float2 even13_ = terms.inner[from_i + 416u];
                        metal::float2 odd13_ = terms.inner[(from_i + 416u) + 1u];
                        float _e2057 = acc.x;
                        acc.x = metal::fma(even13_.x, even13_.y, _e2057);
                        float _e2063 = acc.y;
                        acc.y = metal::fma(odd13_.x, odd13_.y, _e2063);
                    }
                    if (false) {
                        local_22 = ((turn * WARPS) + 14u) < GROUPS;
                    } else {
                        local_22 = true;
                    }
                    bool _e2075 = local_22;
                    if (_e2075) {
                        metal::float2 even14_ = terms.inner[from_i + 448u];
                        metal::float2 odd14_ = terms.inner[(from_i + 448u) + 1u];
                        float _e2092 = acc.x;
                        acc.x = metal::fma(even14_.x, even14_.y, _e2092);
                        float _e2098 = acc.y;
                        acc.y = metal::fma(odd14_.x, odd14_.y, _e2098);
                    }
                    if (false) {
                        local_23 = ((turn * WARPS) + 15u) < GROUPS;
                    } else {
                        local_23 = true;
                    }
                    bool _e2110 = local_23;
                    if (_e2110) {
                        metal::float2 even15_ = terms.inner[from_i + 480u];
                        metal::float2 odd15_ = terms.inner[(from_i + 480u) + 1u];
                        float _e2127 = acc.x;
                        acc.x = metal::fma(even15_.x, even15_.y, _e2127);
                        float _e2133 = acc.y;
                        acc.y = metal::fma(odd15_.x, odd15_.y, _e2133);
                    }
                    uint block_4 = group.x + (naga_div(step0_, TURNS) * workgroups.x);
                    uint n_2 = (block_4 * 16u) + lane;
                    if ((turn + 1u) == TURNS) {
                        local_24 = lane < 16u;
                    } else {
                        local_24 = false;
                    }
                    bool _e2153 = local_24;
                    if (_e2153) {
                        uint _e2160 = p_1.outs;
                        local_25 = (2u * n_2) < _e2160;
                    } else {
                        local_25 = false;
                    }
                    bool _e2163 = local_25;
                    if (_e2163) {
                        float _e2165 = acc.x;
                        float _e2167 = acc.y;
                        float _e2168 = paired(_e2165, _e2167, p_1);
                        finish(first, n_2, _e2168, p_1, arena, _buffer_sizes);
                    }
                }
                if ((turn + 1u) == TURNS) {
                    acc = metal::float2(0.0);
                    uint _e2175 = chain;
                    chain = naga_mod(_e2175 + 1u, WARPS);
                }
            }
            uint _e2180 = first_step;
            uint step1_ = _e2180 + 1u;
            if (step1_ < steps) {
                uint turn_1 = naga_mod(step1_, TURNS);
                uint buffer_1 = (step1_ & 1u) * THREADS;
                uint g_6 = (turn_1 * WARPS) + warp;
                if (false) {
                    local_26 = g_6 < GROUPS;
                } else {
                    local_26 = true;
                }
                bool _e2199 = local_26;
                if (_e2199) {
                    s0_1 = 0;
                    s1_1 = 0;
                    s2_1 = 0;
                    s3_1 = 0;
                    metal::uint4 a00_1 = row_acts.inner[((g_6 * 16u) + 0u) + 0u];
                    int _e2217 = s0_1;
                    uint _e2219 = codes1_0_.x;
                    uint _e2221 = _e2219 & 50529027u;
                    uint _e2222 = a00_1.x;
                    packed_char4 reinterpreted_packed_char4_e2221 = as_type<packed_char4>(_e2221);
                    packed_char4 reinterpreted_packed_char4_e2222 = as_type<packed_char4>(_e2222);
                    s0_1 = as_type<int>(as_type<uint>(_e2217) + as_type<uint>(( + reinterpreted_packed_char4_e2221[0] * reinterpreted_packed_char4_e2222[0] + reinterpreted_packed_char4_e2221[1] * reinterpreted_packed_char4_e2222[1] + reinterpreted_packed_char4_e2221[2] * reinterpreted_packed_char4_e2222[2] + reinterpreted_packed_char4_e2221[3] * reinterpreted_packed_char4_e2222[3])));
                    int _e2225 = s1_1;
                    uint _e2227 = codes1_0_.x;
                    uint _e2229 = _e2227 & 202116108u;
                    uint _e2230 = a00_1.y;
                    packed_char4 reinterpreted_packed_char4_e2229 = as_type<packed_char4>(_e2229);
                    packed_char4 reinterpreted_packed_char4_e2230 = as_type<packed_char4>(_e2230);
                    s1_1 = as_type<int>(as_type<uint>(_e2225) + as_type<uint>(( + reinterpreted_packed_char4_e2229[0] * reinterpreted_packed_char4_e2230[0] + reinterpreted_packed_char4_e2229[1] * reinterpreted_packed_char4_e2230[1] + reinterpreted_packed_char4_e2229[2] * reinterpreted_packed_char4_e2230[2] + reinterpreted_packed_char4_e2229[3] * reinterpreted_packed_char4_e2230[3])));
                    int _e2233 = s2_1;
                    uint _e2235 = codes1_0_.x;
                    uint _e2237 = _e2235 & 808464432u;
                    uint _e2238 = a00_1.z;
                    packed_char4 reinterpreted_packed_char4_e2237 = as_type<packed_char4>(_e2237);
                    packed_char4 reinterpreted_packed_char4_e2238 = as_type<packed_char4>(_e2238);
                    s2_1 = as_type<int>(as_type<uint>(_e2233) + as_type<uint>(( + reinterpreted_packed_char4_e2237[0] * reinterpreted_packed_char4_e2238[0] + reinterpreted_packed_char4_e2237[1] * reinterpreted_packed_char4_e2238[1] + reinterpreted_packed_char4_e2237[2] * reinterpreted_packed_char4_e2238[2] + reinterpreted_packed_char4_e2237[3] * reinterpreted_packed_char4_e2238[3])));
                    int _e2241 = s3_1;
                    uint _e2243 = codes1_0_.x;
                    uint _e2247 = (_e2243 >> 6u) & 50529027u;
                    uint _e2248 = a00_1.w;
                    packed_char4 reinterpreted_packed_char4_e2247 = as_type<packed_char4>(_e2247);
                    packed_char4 reinterpreted_packed_char4_e2248 = as_type<packed_char4>(_e2248);
                    s3_1 = as_type<int>(as_type<uint>(_e2241) + as_type<uint>(( + reinterpreted_packed_char4_e2247[0] * reinterpreted_packed_char4_e2248[0] + reinterpreted_packed_char4_e2247[1] * reinterpreted_packed_char4_e2248[1] + reinterpreted_packed_char4_e2247[2] * reinterpreted_packed_char4_e2248[2] + reinterpreted_packed_char4_e2247[3] * reinterpreted_packed_char4_e2248[3])));
                    metal::uint4 a01_1 = row_acts.inner[((g_6 * 16u) + 0u) + 1u];
                    int _e2260 = s0_1;
                    uint _e2262 = codes1_0_.y;
                    uint _e2264 = _e2262 & 50529027u;
                    uint _e2265 = a01_1.x;
                    packed_char4 reinterpreted_packed_char4_e2264 = as_type<packed_char4>(_e2264);
                    packed_char4 reinterpreted_packed_char4_e2265 = as_type<packed_char4>(_e2265);
                    s0_1 = as_type<int>(as_type<uint>(_e2260) + as_type<uint>(( + reinterpreted_packed_char4_e2264[0] * reinterpreted_packed_char4_e2265[0] + reinterpreted_packed_char4_e2264[1] * reinterpreted_packed_char4_e2265[1] + reinterpreted_packed_char4_e2264[2] * reinterpreted_packed_char4_e2265[2] + reinterpreted_packed_char4_e2264[3] * reinterpreted_packed_char4_e2265[3])));
                    int _e2268 = s1_1;
                    uint _e2270 = codes1_0_.y;
                    uint _e2272 = _e2270 & 202116108u;
                    uint _e2273 = a01_1.y;
                    packed_char4 reinterpreted_packed_char4_e2272 = as_type<packed_char4>(_e2272);
                    packed_char4 reinterpreted_packed_char4_e2273 = as_type<packed_char4>(_e2273);
                    s1_1 = as_type<int>(as_type<uint>(_e2268) + as_type<uint>(( + reinterpreted_packed_char4_e2272[0] * reinterpreted_packed_char4_e2273[0] + reinterpreted_packed_char4_e2272[1] * reinterpreted_packed_char4_e2273[1] + reinterpreted_packed_char4_e2272[2] * reinterpreted_packed_char4_e2273[2] + reinterpreted_packed_char4_e2272[3] * reinterpreted_packed_char4_e2273[3])));
                    int _e2276 = s2_1;
                    uint _e2278 = codes1_0_.y;
                    uint _e2280 = _e2278 & 808464432u;
                    uint _e2281 = a01_1.z;
                    packed_char4 reinterpreted_packed_char4_e2280 = as_type<packed_char4>(_e2280);
                    packed_char4 reinterpreted_packed_char4_e2281 = as_type<packed_char4>(_e2281);
                    s2_1 = as_type<int>(as_type<uint>(_e2276) + as_type<uint>(( + reinterpreted_packed_char4_e2280[0] * reinterpreted_packed_char4_e2281[0] + reinterpreted_packed_char4_e2280[1] * reinterpreted_packed_char4_e2281[1] + reinterpreted_packed_char4_e2280[2] * reinterpreted_packed_char4_e2281[2] + reinterpreted_packed_char4_e2280[3] * reinterpreted_packed_char4_e2281[3])));
                    int _e2284 = s3_1;
                    uint _e2286 = codes1_0_.y;
                    uint _e2290 = (_e2286 >> 6u) & 50529027u;
                    uint _e2291 = a01_1.w;
                    packed_char4 reinterpreted_packed_char4_e2290 = as_type<packed_char4>(_e2290);
                    packed_char4 reinterpreted_packed_char4_e2291 = as_type<packed_char4>(_e2291);
                    s3_1 = as_type<int>(as_type<uint>(_e2284) + as_type<uint>(( + reinterpreted_packed_char4_e2290[0] * reinterpreted_packed_char4_e2291[0] + reinterpreted_packed_char4_e2290[1] * reinterpreted_packed_char4_e2291[1] + reinterpreted_packed_char4_e2290[2] * reinterpreted_packed_char4_e2291[2] + reinterpreted_packed_char4_e2290[3] * reinterpreted_packed_char4_e2291[3])));
                    metal::uint4 a02_1 = row_acts.inner[((g_6 * 16u) + 0u) + 2u];
                    int _e2303 = s0_1;
                    uint _e2305 = codes1_0_.z;
                    uint _e2307 = _e2305 & 50529027u;
                    uint _e2308 = a02_1.x;
                    packed_char4 reinterpreted_packed_char4_e2307 = as_type<packed_char4>(_e2307);
                    packed_char4 reinterpreted_packed_char4_e2308 = as_type<packed_char4>(_e2308);
                    s0_1 = as_type<int>(as_type<uint>(_e2303) + as_type<uint>(( + reinterpreted_packed_char4_e2307[0] * reinterpreted_packed_char4_e2308[0] + reinterpreted_packed_char4_e2307[1] * reinterpreted_packed_char4_e2308[1] + reinterpreted_packed_char4_e2307[2] * reinterpreted_packed_char4_e2308[2] + reinterpreted_packed_char4_e2307[3] * reinterpreted_packed_char4_e2308[3])));
                    int _e2311 = s1_1;
                    uint _e2313 = codes1_0_.z;
                    uint _e2315 = _e2313 & 202116108u;
                    uint _e2316 = a02_1.y;
                    packed_char4 reinterpreted_packed_char4_e2315 = as_type<packed_char4>(_e2315);
                    packed_char4 reinterpreted_packed_char4_e2316 = as_type<packed_char4>(_e2316);
                    s1_1 = as_type<int>(as_type<uint>(_e2311) + as_type<uint>(( + reinterpreted_packed_char4_e2315[0] * reinterpreted_packed_char4_e2316[0] + reinterpreted_packed_char4_e2315[1] * reinterpreted_packed_char4_e2316[1] + reinterpreted_packed_char4_e2315[2] * reinterpreted_packed_char4_e2316[2] + reinterpreted_packed_char4_e2315[3] * reinterpreted_packed_char4_e2316[3])));
                    int _e2319 = s2_1;
                    uint _e2321 = codes1_0_.z;
                    uint _e2323 = _e2321 & 808464432u;
                    uint _e2324 = a02_1.z;
                    packed_char4 reinterpreted_packed_char4_e2323 = as_type<packed_char4>(_e2323);
                    packed_char4 reinterpreted_packed_char4_e2324 = as_type<packed_char4>(_e2324);
                    s2_1 = as_type<int>(as_type<uint>(_e2319) + as_type<uint>(( + reinterpreted_packed_char4_e2323[0] * reinterpreted_packed_char4_e2324[0] + reinterpreted_packed_char4_e2323[1] * reinterpreted_packed_char4_e2324[1] + reinterpreted_packed_char4_e2323[2] * reinterpreted_packed_char4_e2324[2] + reinterpreted_packed_char4_e2323[3] * reinterpreted_packed_char4_e2324[3])));
                    int _e2327 = s3_1;
                    uint _e2329 = codes1_0_.z;
                    uint _e2333 = (_e2329 >> 6u) & 50529027u;
                    uint _e2334 = a02_1.w;
                    packed_char4 reinterpreted_packed_char4_e2333 = as_type<packed_char4>(_e2333);
                    packed_char4 reinterpreted_packed_char4_e2334 = as_type<packed_char4>(_e2334);
                    s3_1 = as_type<int>(as_type<uint>(_e2327) + as_type<uint>(( + reinterpreted_packed_char4_e2333[0] * reinterpreted_packed_char4_e2334[0] + reinterpreted_packed_char4_e2333[1] * reinterpreted_packed_char4_e2334[1] + reinterpreted_packed_char4_e2333[2] * reinterpreted_packed_char4_e2334[2] + reinterpreted_packed_char4_e2333[3] * reinterpreted_packed_char4_e2334[3])));
                    metal::uint4 a03_1 = row_acts.inner[((g_6 * 16u) + 0u) + 3u];
                    int _e2346 = s0_1;
                    uint _e2348 = codes1_0_.w;
                    uint _e2350 = _e2348 & 50529027u;
                    uint _e2351 = a03_1.x;
                    packed_char4 reinterpreted_packed_char4_e2350 = as_type<packed_char4>(_e2350);
                    packed_char4 reinterpreted_packed_char4_e2351 = as_type<packed_char4>(_e2351);
                    s0_1 = as_type<int>(as_type<uint>(_e2346) + as_type<uint>(( + reinterpreted_packed_char4_e2350[0] * reinterpreted_packed_char4_e2351[0] + reinterpreted_packed_char4_e2350[1] * reinterpreted_packed_char4_e2351[1] + reinterpreted_packed_char4_e2350[2] * reinterpreted_packed_char4_e2351[2] + reinterpreted_packed_char4_e2350[3] * reinterpreted_packed_char4_e2351[3])));
                    int _e2354 = s1_1;
                    uint _e2356 = codes1_0_.w;
                    uint _e2358 = _e2356 & 202116108u;
                    uint _e2359 = a03_1.y;
                    packed_char4 reinterpreted_packed_char4_e2358 = as_type<packed_char4>(_e2358);
                    packed_char4 reinterpreted_packed_char4_e2359 = as_type<packed_char4>(_e2359);
                    s1_1 = as_type<int>(as_type<uint>(_e2354) + as_type<uint>(( + reinterpreted_packed_char4_e2358[0] * reinterpreted_packed_char4_e2359[0] + reinterpreted_packed_char4_e2358[1] * reinterpreted_packed_char4_e2359[1] + reinterpreted_packed_char4_e2358[2] * reinterpreted_packed_char4_e2359[2] + reinterpreted_packed_char4_e2358[3] * reinterpreted_packed_char4_e2359[3])));
                    int _e2362 = s2_1;
                    uint _e2364 = codes1_0_.w;
                    uint _e2366 = _e2364 & 808464432u;
                    uint _e2367 = a03_1.z;
                    packed_char4 reinterpreted_packed_char4_e2366 = as_type<packed_char4>(_e2366);
                    packed_char4 reinterpreted_packed_char4_e2367 = as_type<packed_char4>(_e2367);
                    s2_1 = as_type<int>(as_type<uint>(_e2362) + as_type<uint>(( + reinterpreted_packed_char4_e2366[0] * reinterpreted_packed_char4_e2367[0] + reinterpreted_packed_char4_e2366[1] * reinterpreted_packed_char4_e2367[1] + reinterpreted_packed_char4_e2366[2] * reinterpreted_packed_char4_e2367[2] + reinterpreted_packed_char4_e2366[3] * reinterpreted_packed_char4_e2367[3])));
                    int _e2370 = s3_1;
                    uint _e2372 = codes1_0_.w;
                    uint _e2376 = (_e2372 >> 6u) & 50529027u;
                    uint _e2377 = a03_1.w;
                    packed_char4 reinterpreted_packed_char4_e2376 = as_type<packed_char4>(_e2376);
                    packed_char4 reinterpreted_packed_char4_e2377 = as_type<packed_char4>(_e2377);
                    s3_1 = as_type<int>(as_type<uint>(_e2370) + as_type<uint>(( + reinterpreted_packed_char4_e2376[0] * reinterpreted_packed_char4_e2377[0] + reinterpreted_packed_char4_e2376[1] * reinterpreted_packed_char4_e2377[1] + reinterpreted_packed_char4_e2376[2] * reinterpreted_packed_char4_e2377[2] + reinterpreted_packed_char4_e2376[3] * reinterpreted_packed_char4_e2377[3])));
                    metal::uint4 a10_1 = row_acts.inner[((g_6 * 16u) + 4u) + 0u];
                    int _e2389 = s0_1;
                    uint _e2391 = codes1_1_.x;
                    uint _e2393 = _e2391 & 50529027u;
                    uint _e2394 = a10_1.x;
                    packed_char4 reinterpreted_packed_char4_e2393 = as_type<packed_char4>(_e2393);
                    packed_char4 reinterpreted_packed_char4_e2394 = as_type<packed_char4>(_e2394);
                    s0_1 = as_type<int>(as_type<uint>(_e2389) + as_type<uint>(( + reinterpreted_packed_char4_e2393[0] * reinterpreted_packed_char4_e2394[0] + reinterpreted_packed_char4_e2393[1] * reinterpreted_packed_char4_e2394[1] + reinterpreted_packed_char4_e2393[2] * reinterpreted_packed_char4_e2394[2] + reinterpreted_packed_char4_e2393[3] * reinterpreted_packed_char4_e2394[3])));
                    int _e2397 = s1_1;
                    uint _e2399 = codes1_1_.x;
                    uint _e2401 = _e2399 & 202116108u;
                    uint _e2402 = a10_1.y;
                    packed_char4 reinterpreted_packed_char4_e2401 = as_type<packed_char4>(_e2401);
                    packed_char4 reinterpreted_packed_char4_e2402 = as_type<packed_char4>(_e2402);
                    s1_1 = as_type<int>(as_type<uint>(_e2397) + as_type<uint>(( + reinterpreted_packed_char4_e2401[0] * reinterpreted_packed_char4_e2402[0] + reinterpreted_packed_char4_e2401[1] * reinterpreted_packed_char4_e2402[1] + reinterpreted_packed_char4_e2401[2] * reinterpreted_packed_char4_e2402[2] + reinterpreted_packed_char4_e2401[3] * reinterpreted_packed_char4_e2402[3])));
                    int _e2405 = s2_1;
                    uint _e2407 = codes1_1_.x;
                    uint _e2409 = _e2407 & 808464432u;
                    uint _e2410 = a10_1.z;
                    packed_char4 reinterpreted_packed_char4_e2409 = as_type<packed_char4>(_e2409);
                    packed_char4 reinterpreted_packed_char4_e2410 = as_type<packed_char4>(_e2410);
                    s2_1 = as_type<int>(as_type<uint>(_e2405) + as_type<uint>(( + reinterpreted_packed_char4_e2409[0] * reinterpreted_packed_char4_e2410[0] + reinterpreted_packed_char4_e2409[1] * reinterpreted_packed_char4_e2410[1] + reinterpreted_packed_char4_e2409[2] * reinterpreted_packed_char4_e2410[2] + reinterpreted_packed_char4_e2409[3] * reinterpreted_packed_char4_e2410[3])));
                    int _e2413 = s3_1;
                    uint _e2415 = codes1_1_.x;
                    uint _e2419 = (_e2415 >> 6u) & 50529027u;
                    uint _e2420 = a10_1.w;
                    packed_char4 reinterpreted_packed_char4_e2419 = as_type<packed_char4>(_e2419);
                    packed_char4 reinterpreted_packed_char4_e2420 = as_type<packed_char4>(_e2420);
                    s3_1 = as_type<int>(as_type<uint>(_e2413) + as_type<uint>(( + reinterpreted_packed_char4_e2419[0] * reinterpreted_packed_char4_e2420[0] + reinterpreted_packed_char4_e2419[1] * reinterpreted_packed_char4_e2420[1] + reinterpreted_packed_char4_e2419[2] * reinterpreted_packed_char4_e2420[2] + reinterpreted_packed_char4_e2419[3] * reinterpreted_packed_char4_e2420[3])));
                    metal::uint4 a11_1 = row_acts.inner[((g_6 * 16u) + 4u) + 1u];
                    int _e2432 = s0_1;
                    uint _e2434 = codes1_1_.y;
                    uint _e2436 = _e2434 & 50529027u;
                    uint _e2437 = a11_1.x;
                    packed_char4 reinterpreted_packed_char4_e2436 = as_type<packed_char4>(_e2436);
                    packed_char4 reinterpreted_packed_char4_e2437 = as_type<packed_char4>(_e2437);
                    s0_1 = as_type<int>(as_type<uint>(_e2432) + as_type<uint>(( + reinterpreted_packed_char4_e2436[0] * reinterpreted_packed_char4_e2437[0] + reinterpreted_packed_char4_e2436[1] * reinterpreted_packed_char4_e2437[1] + reinterpreted_packed_char4_e2436[2] * reinterpreted_packed_char4_e2437[2] + reinterpreted_packed_char4_e2436[3] * reinterpreted_packed_char4_e2437[3])));
                    int _e2440 = s1_1;
                    uint _e2442 = codes1_1_.y;
                    uint _e2444 = _e2442 & 202116108u;
                    uint _e2445 = a11_1.y;
                    packed_char4 reinterpreted_packed_char4_e2444 = as_type<packed_char4>(_e2444);
                    packed_char4 reinterpreted_packed_char4_e2445 = as_type<packed_char4>(_e2445);
                    s1_1 = as_type<int>(as_type<uint>(_e2440) + as_type<uint>(( + reinterpreted_packed_char4_e2444[0] * reinterpreted_packed_char4_e2445[0] + reinterpreted_packed_char4_e2444[1] * reinterpreted_packed_char4_e2445[1] + reinterpreted_packed_char4_e2444[2] * reinterpreted_packed_char4_e2445[2] + reinterpreted_packed_char4_e2444[3] * reinterpreted_packed_char4_e2445[3])));
                    int _e2448 = s2_1;
                    uint _e2450 = codes1_1_.y;
                    uint _e2452 = _e2450 & 808464432u;
                    uint _e2453 = a11_1.z;
                    packed_char4 reinterpreted_packed_char4_e2452 = as_type<packed_char4>(_e2452);
                    packed_char4 reinterpreted_packed_char4_e2453 = as_type<packed_char4>(_e2453);
                    s2_1 = as_type<int>(as_type<uint>(_e2448) + as_type<uint>(( + reinterpreted_packed_char4_e2452[0] * reinterpreted_packed_char4_e2453[0] + reinterpreted_packed_char4_e2452[1] * reinterpreted_packed_char4_e2453[1] + reinterpreted_packed_char4_e2452[2] * reinterpreted_packed_char4_e2453[2] + reinterpreted_packed_char4_e2452[3] * reinterpreted_packed_char4_e2453[3])));
                    int _e2456 = s3_1;
                    uint _e2458 = codes1_1_.y;
                    uint _e2462 = (_e2458 >> 6u) & 50529027u;
                    uint _e2463 = a11_1.w;
                    packed_char4 reinterpreted_packed_char4_e2462 = as_type<packed_char4>(_e2462);
                    packed_char4 reinterpreted_packed_char4_e2463 = as_type<packed_char4>(_e2463);
                    s3_1 = as_type<int>(as_type<uint>(_e2456) + as_type<uint>(( + reinterpreted_packed_char4_e2462[0] * reinterpreted_packed_char4_e2463[0] + reinterpreted_packed_char4_e2462[1] * reinterpreted_packed_char4_e2463[1] + reinterpreted_packed_char4_e2462[2] * reinterpreted_packed_char4_e2463[2] + reinterpreted_packed_char4_e2462[3] * reinterpreted_packed_char4_e2463[3])));
                    metal::uint4 a12_1 = row_acts.inner[((g_6 * 16u) + 4u) + 2u];
                    int _e2475 = s0_1;
                    uint _e2477 = codes1_1_.z;
                    uint _e2479 = _e2477 & 50529027u;
                    uint _e2480 = a12_1.x;
                    packed_char4 reinterpreted_packed_char4_e2479 = as_type<packed_char4>(_e2479);
                    packed_char4 reinterpreted_packed_char4_e2480 = as_type<packed_char4>(_e2480);
                    s0_1 = as_type<int>(as_type<uint>(_e2475) + as_type<uint>(( + reinterpreted_packed_char4_e2479[0] * reinterpreted_packed_char4_e2480[0] + reinterpreted_packed_char4_e2479[1] * reinterpreted_packed_char4_e2480[1] + reinterpreted_packed_char4_e2479[2] * reinterpreted_packed_char4_e2480[2] + reinterpreted_packed_char4_e2479[3] * reinterpreted_packed_char4_e2480[3])));
                    int _e2483 = s1_1;
                    uint _e2485 = codes1_1_.z;
                    uint _e2487 = _e2485 & 202116108u;
                    uint _e2488 = a12_1.y;
                    packed_char4 reinterpreted_packed_char4_e2487 = as_type<packed_char4>(_e2487);
                    packed_char4 reinterpreted_packed_char4_e2488 = as_type<packed_char4>(_e2488);
                    s1_1 = as_type<int>(as_type<uint>(_e2483) + as_type<uint>(( + reinterpreted_packed_char4_e2487[0] * reinterpreted_packed_char4_e2488[0] + reinterpreted_packed_char4_e2487[1] * reinterpreted_packed_char4_e2488[1] + reinterpreted_packed_char4_e2487[2] * reinterpreted_packed_char4_e2488[2] + reinterpreted_packed_char4_e2487[3] * reinterpreted_packed_char4_e2488[3])));
                    int _e2491 = s2_1;
                    uint _e2493 = codes1_1_.z;
                    uint _e2495 = _e2493 & 808464432u;
                    uint _e2496 = a12_1.z;
                    packed_char4 reinterpreted_packed_char4_e2495 = as_type<packed_char4>(_e2495);
                    packed_char4 reinterpreted_packed_char4_e2496 = as_type<packed_char4>(_e2496);
                    s2_1 = as_type<int>(as_type<uint>(_e2491) + as_type<uint>(( + reinterpreted_packed_char4_e2495[0] * reinterpreted_packed_char4_e2496[0] + reinterpreted_packed_char4_e2495[1] * reinterpreted_packed_char4_e2496[1] + reinterpreted_packed_char4_e2495[2] * reinterpreted_packed_char4_e2496[2] + reinterpreted_packed_char4_e2495[3] * reinterpreted_packed_char4_e2496[3])));
                    int _e2499 = s3_1;
                    uint _e2501 = codes1_1_.z;
                    uint _e2505 = (_e2501 >> 6u) & 50529027u;
                    uint _e2506 = a12_1.w;
                    packed_char4 reinterpreted_packed_char4_e2505 = as_type<packed_char4>(_e2505);
                    packed_char4 reinterpreted_packed_char4_e2506 = as_type<packed_char4>(_e2506);
                    s3_1 = as_type<int>(as_type<uint>(_e2499) + as_type<uint>(( + reinterpreted_packed_char4_e2505[0] * reinterpreted_packed_char4_e2506[0] + reinterpreted_packed_char4_e2505[1] * reinterpreted_packed_char4_e2506[1] + reinterpreted_packed_char4_e2505[2] * reinterpreted_packed_char4_e2506[2] + reinterpreted_packed_char4_e2505[3] * reinterpreted_packed_char4_e2506[3])));
                    metal::uint4 a13_1 = row_acts.inner[((g_6 * 16u) + 4u) + 3u];
                    int _e2518 = s0_1;
                    uint _e2520 = codes1_1_.w;
                    uint _e2522 = _e2520 & 50529027u;
                    uint _e2523 = a13_1.x;
                    packed_char4 reinterpreted_packed_char4_e2522 = as_type<packed_char4>(_e2522);
                    packed_char4 reinterpreted_packed_char4_e2523 = as_type<packed_char4>(_e2523);
                    s0_1 = as_type<int>(as_type<uint>(_e2518) + as_type<uint>(( + reinterpreted_packed_char4_e2522[0] * reinterpreted_packed_char4_e2523[0] + reinterpreted_packed_char4_e2522[1] * reinterpreted_packed_char4_e2523[1] + reinterpreted_packed_char4_e2522[2] * reinterpreted_packed_char4_e2523[2] + reinterpreted_packed_char4_e2522[3] * reinterpreted_packed_char4_e2523[3])));
                    int _e2526 = s1_1;
                    uint _e2528 = codes1_1_.w;
                    uint _e2530 = _e2528 & 202116108u;
                    uint _e2531 = a13_1.y;
                    packed_char4 reinterpreted_packed_char4_e2530 = as_type<packed_char4>(_e2530);
                    packed_char4 reinterpreted_packed_char4_e2531 = as_type<packed_char4>(_e2531);
                    s1_1 = as_type<int>(as_type<uint>(_e2526) + as_type<uint>(( + reinterpreted_packed_char4_e2530[0] * reinterpreted_packed_char4_e2531[0] + reinterpreted_packed_char4_e2530[1] * reinterpreted_packed_char4_e2531[1] + reinterpreted_packed_char4_e2530[2] * reinterpreted_packed_char4_e2531[2] + reinterpreted_packed_char4_e2530[3] * reinterpreted_packed_char4_e2531[3])));
                    int _e2534 = s2_1;
                    uint _e2536 = codes1_1_.w;
                    uint _e2538 = _e2536 & 808464432u;
                    uint _e2539 = a13_1.z;
                    packed_char4 reinterpreted_packed_char4_e2538 = as_type<packed_char4>(_e2538);
                    packed_char4 reinterpreted_packed_char4_e2539 = as_type<packed_char4>(_e2539);
                    s2_1 = as_type<int>(as_type<uint>(_e2534) + as_type<uint>(( + reinterpreted_packed_char4_e2538[0] * reinterpreted_packed_char4_e2539[0] + reinterpreted_packed_char4_e2538[1] * reinterpreted_packed_char4_e2539[1] + reinterpreted_packed_char4_e2538[2] * reinterpreted_packed_char4_e2539[2] + reinterpreted_packed_char4_e2538[3] * reinterpreted_packed_char4_e2539[3])));
                    int _e2542 = s3_1;
                    uint _e2544 = codes1_1_.w;
                    uint _e2548 = (_e2544 >> 6u) & 50529027u;
                    uint _e2549 = a13_1.w;
                    packed_char4 reinterpreted_packed_char4_e2548 = as_type<packed_char4>(_e2548);
                    packed_char4 reinterpreted_packed_char4_e2549 = as_type<packed_char4>(_e2549);
                    s3_1 = as_type<int>(as_type<uint>(_e2542) + as_type<uint>(( + reinterpreted_packed_char4_e2548[0] * reinterpreted_packed_char4_e2549[0] + reinterpreted_packed_char4_e2548[1] * reinterpreted_packed_char4_e2549[1] + reinterpreted_packed_char4_e2548[2] * reinterpreted_packed_char4_e2549[2] + reinterpreted_packed_char4_e2548[3] * reinterpreted_packed_char4_e2549[3])));
                    metal::uint4 a20_1 = row_acts.inner[((g_6 * 16u) + 8u) + 0u];
                    int _e2561 = s0_1;
                    uint _e2563 = codes1_2_.x;
                    uint _e2565 = _e2563 & 50529027u;
                    uint _e2566 = a20_1.x;
                    packed_char4 reinterpreted_packed_char4_e2565 = as_type<packed_char4>(_e2565);
                    packed_char4 reinterpreted_packed_char4_e2566 = as_type<packed_char4>(_e2566);
                    s0_1 = as_type<int>(as_type<uint>(_e2561) + as_type<uint>(( + reinterpreted_packed_char4_e2565[0] * reinterpreted_packed_char4_e2566[0] + reinterpreted_packed_char4_e2565[1] * reinterpreted_packed_char4_e2566[1] + reinterpreted_packed_char4_e2565[2] * reinterpreted_packed_char4_e2566[2] + reinterpreted_packed_char4_e2565[3] * reinterpreted_packed_char4_e2566[3])));
                    int _e2569 = s1_1;
                    uint _e2571 = codes1_2_.x;
                    uint _e2573 = _e2571 & 202116108u;
                    uint _e2574 = a20_1.y;
                    packed_char4 reinterpreted_packed_char4_e2573 = as_type<packed_char4>(_e2573);
                    packed_char4 reinterpreted_packed_char4_e2574 = as_type<packed_char4>(_e2574);
                    s1_1 = as_type<int>(as_type<uint>(_e2569) + as_type<uint>(( + reinterpreted_packed_char4_e2573[0] * reinterpreted_packed_char4_e2574[0] + reinterpreted_packed_char4_e2573[1] * reinterpreted_packed_char4_e2574[1] + reinterpreted_packed_char4_e2573[2] * reinterpreted_packed_char4_e2574[2] + reinterpreted_packed_char4_e2573[3] * reinterpreted_packed_char4_e2574[3])));
                    int _e2577 = s2_1;
                    uint _e2579 = codes1_2_.x;
                    uint _e2581 = _e2579 & 808464432u;
                    uint _e2582 = a20_1.z;
                    packed_char4 reinterpreted_packed_char4_e2581 = as_type<packed_char4>(_e2581);
                    packed_char4 reinterpreted_packed_char4_e2582 = as_type<packed_char4>(_e2582);
                    s2_1 = as_type<int>(as_type<uint>(_e2577) + as_type<uint>(( + reinterpreted_packed_char4_e2581[0] * reinterpreted_packed_char4_e2582[0] + reinterpreted_packed_char4_e2581[1] * reinterpreted_packed_char4_e2582[1] + reinterpreted_packed_char4_e2581[2] * reinterpreted_packed_char4_e2582[2] + reinterpreted_packed_char4_e2581[3] * reinterpreted_packed_char4_e2582[3])));
                    int _e2585 = s3_1;
                    uint _e2587 = codes1_2_.x;
                    uint _e2591 = (_e2587 >> 6u) & 50529027u;
                    uint _e2592 = a20_1.w;
                    packed_char4 reinterpreted_packed_char4_e2591 = as_type<packed_char4>(_e2591);
                    packed_char4 reinterpreted_packed_char4_e2592 = as_type<packed_char4>(_e2592);
                    s3_1 = as_type<int>(as_type<uint>(_e2585) + as_type<uint>(( + reinterpreted_packed_char4_e2591[0] * reinterpreted_packed_char4_e2592[0] + reinterpreted_packed_char4_e2591[1] * reinterpreted_packed_char4_e2592[1] + reinterpreted_packed_char4_e2591[2] * reinterpreted_packed_char4_e2592[2] + reinterpreted_packed_char4_e2591[3] * reinterpreted_packed_char4_e2592[3])));
                    metal::uint4 a21_1 = row_acts.inner[((g_6 * 16u) + 8u) + 1u];
                    int _e2604 = s0_1;
                    uint _e2606 = codes1_2_.y;
                    uint _e2608 = _e2606 & 50529027u;
                    uint _e2609 = a21_1.x;
                    packed_char4 reinterpreted_packed_char4_e2608 = as_type<packed_char4>(_e2608);
                    packed_char4 reinterpreted_packed_char4_e2609 = as_type<packed_char4>(_e2609);
                    s0_1 = as_type<int>(as_type<uint>(_e2604) + as_type<uint>(( + reinterpreted_packed_char4_e2608[0] * reinterpreted_packed_char4_e2609[0] + reinterpreted_packed_char4_e2608[1] * reinterpreted_packed_char4_e2609[1] + reinterpreted_packed_char4_e2608[2] * reinterpreted_packed_char4_e2609[2] + reinterpreted_packed_char4_e2608[3] * reinterpreted_packed_char4_e2609[3])));
                    int _e2612 = s1_1;
                    uint _e2614 = codes1_2_.y;
                    uint _e2616 = _e2614 & 202116108u;
                    uint _e2617 = a21_1.y;
                    packed_char4 reinterpreted_packed_char4_e2616 = as_type<packed_char4>(_e2616);
                    packed_char4 reinterpreted_packed_char4_e2617 = as_type<packed_char4>(_e2617);
                    s1_1 = as_type<int>(as_type<uint>(_e2612) + as_type<uint>(( + reinterpreted_packed_char4_e2616[0] * reinterpreted_packed_char4_e2617[0] + reinterpreted_packed_char4_e2616[1] * reinterpreted_packed_char4_e2617[1] + reinterpreted_packed_char4_e2616[2] * reinterpreted_packed_char4_e2617[2] + reinterpreted_packed_char4_e2616[3] * reinterpreted_packed_char4_e2617[3])));
                    int _e2620 = s2_1;
                    uint _e2622 = codes1_2_.y;
                    uint _e2624 = _e2622 & 808464432u;
                    uint _e2625 = a21_1.z;
                    packed_char4 reinterpreted_packed_char4_e2624 = as_type<packed_char4>(_e2624);
                    packed_char4 reinterpreted_packed_char4_e2625 = as_type<packed_char4>(_e2625);
                    s2_1 = as_type<int>(as_type<uint>(_e2620) + as_type<uint>(( + reinterpreted_packed_char4_e2624[0] * reinterpreted_packed_char4_e2625[0] + reinterpreted_packed_char4_e2624[1] * reinterpreted_packed_char4_e2625[1] + reinterpreted_packed_char4_e2624[2] * reinterpreted_packed_char4_e2625[2] + reinterpreted_packed_char4_e2624[3] * reinterpreted_packed_char4_e2625[3])));
                    int _e2628 = s3_1;
                    uint _e2630 = codes1_2_.y;
                    uint _e2634 = (_e2630 >> 6u) & 50529027u;
                    uint _e2635 = a21_1.w;
                    packed_char4 reinterpreted_packed_char4_e2634 = as_type<packed_char4>(_e2634);
                    packed_char4 reinterpreted_packed_char4_e2635 = as_type<packed_char4>(_e2635);
                    s3_1 = as_type<int>(as_type<uint>(_e2628) + as_type<uint>(( + reinterpreted_packed_char4_e2634[0] * reinterpreted_packed_char4_e2635[0] + reinterpreted_packed_char4_e2634[1] * reinterpreted_packed_char4_e2635[1] + reinterpreted_packed_char4_e2634[2] * reinterpreted_packed_char4_e2635[2] + reinterpreted_packed_char4_e2634[3] * reinterpreted_packed_char4_e2635[3])));
                    metal::uint4 a22_1 = row_acts.inner[((g_6 * 16u) + 8u) + 2u];
                    int _e2647 = s0_1;
                    uint _e2649 = codes1_2_.z;
                    uint _e2651 = _e2649 & 50529027u;
                    uint _e2652 = a22_1.x;
                    packed_char4 reinterpreted_packed_char4_e2651 = as_type<packed_char4>(_e2651);
                    packed_char4 reinterpreted_packed_char4_e2652 = as_type<packed_char4>(_e2652);
                    s0_1 = as_type<int>(as_type<uint>(_e2647) + as_type<uint>(( + reinterpreted_packed_char4_e2651[0] * reinterpreted_packed_char4_e2652[0] + reinterpreted_packed_char4_e2651[1] * reinterpreted_packed_char4_e2652[1] + reinterpreted_packed_char4_e2651[2] * reinterpreted_packed_char4_e2652[2] + reinterpreted_packed_char4_e2651[3] * reinterpreted_packed_char4_e2652[3])));
                    int _e2655 = s1_1;
                    uint _e2657 = codes1_2_.z;
                    uint _e2659 = _e2657 & 202116108u;
                    uint _e2660 = a22_1.y;
                    packed_char4 reinterpreted_packed_char4_e2659 = as_type<packed_char4>(_e2659);
                    packed_char4 reinterpreted_packed_char4_e2660 = as_type<packed_char4>(_e2660);
                    s1_1 = as_type<int>(as_type<uint>(_e2655) + as_type<uint>(( + reinterpreted_packed_char4_e2659[0] * reinterpreted_packed_char4_e2660[0] + reinterpreted_packed_char4_e2659[1] * reinterpreted_packed_char4_e2660[1] + reinterpreted_packed_char4_e2659[2] * reinterpreted_packed_char4_e2660[2] + reinterpreted_packed_char4_e2659[3] * reinterpreted_packed_char4_e2660[3])));
                    int _e2663 = s2_1;
                    uint _e2665 = codes1_2_.z;
                    uint _e2667 = _e2665 & 808464432u;
                    uint _e2668 = a22_1.z;
                    packed_char4 reinterpreted_packed_char4_e2667 = as_type<packed_char4>(_e2667);
                    packed_char4 reinterpreted_packed_char4_e2668 = as_type<packed_char4>(_e2668);
                    s2_1 = as_type<int>(as_type<uint>(_e2663) + as_type<uint>(( + reinterpreted_packed_char4_e2667[0] * reinterpreted_packed_char4_e2668[0] + reinterpreted_packed_char4_e2667[1] * reinterpreted_packed_char4_e2668[1] + reinterpreted_packed_char4_e2667[2] * reinterpreted_packed_char4_e2668[2] + reinterpreted_packed_char4_e2667[3] * reinterpreted_packed_char4_e2668[3])));
                    int _e2671 = s3_1;
                    uint _e2673 = codes1_2_.z;
                    uint _e2677 = (_e2673 >> 6u) & 50529027u;
                    uint _e2678 = a22_1.w;
                    packed_char4 reinterpreted_packed_char4_e2677 = as_type<packed_char4>(_e2677);
                    packed_char4 reinterpreted_packed_char4_e2678 = as_type<packed_char4>(_e2678);
                    s3_1 = as_type<int>(as_type<uint>(_e2671) + as_type<uint>(( + reinterpreted_packed_char4_e2677[0] * reinterpreted_packed_char4_e2678[0] + reinterpreted_packed_char4_e2677[1] * reinterpreted_packed_char4_e2678[1] + reinterpreted_packed_char4_e2677[2] * reinterpreted_packed_char4_e2678[2] + reinterpreted_packed_char4_e2677[3] * reinterpreted_packed_char4_e2678[3])));
                    metal::uint4 a23_1 = row_acts.inner[((g_6 * 16u) + 8u) + 3u];
                    int _e2690 = s0_1;
                    uint _e2692 = codes1_2_.w;
                    uint _e2694 = _e2692 & 50529027u;
                    uint _e2695 = a23_1.x;
                    packed_char4 reinterpreted_packed_char4_e2694 = as_type<packed_char4>(_e2694);
                    packed_char4 reinterpreted_packed_char4_e2695 = as_type<packed_char4>(_e2695);
                    s0_1 = as_type<int>(as_type<uint>(_e2690) + as_type<uint>(( + reinterpreted_packed_char4_e2694[0] * reinterpreted_packed_char4_e2695[0] + reinterpreted_packed_char4_e2694[1] * reinterpreted_packed_char4_e2695[1] + reinterpreted_packed_char4_e2694[2] * reinterpreted_packed_char4_e2695[2] + reinterpreted_packed_char4_e2694[3] * reinterpreted_packed_char4_e2695[3])));
                    int _e2698 = s1_1;
                    uint _e2700 = codes1_2_.w;
                    uint _e2702 = _e2700 & 202116108u;
                    uint _e2703 = a23_1.y;
                    packed_char4 reinterpreted_packed_char4_e2702 = as_type<packed_char4>(_e2702);
                    packed_char4 reinterpreted_packed_char4_e2703 = as_type<packed_char4>(_e2703);
                    s1_1 = as_type<int>(as_type<uint>(_e2698) + as_type<uint>(( + reinterpreted_packed_char4_e2702[0] * reinterpreted_packed_char4_e2703[0] + reinterpreted_packed_char4_e2702[1] * reinterpreted_packed_char4_e2703[1] + reinterpreted_packed_char4_e2702[2] * reinterpreted_packed_char4_e2703[2] + reinterpreted_packed_char4_e2702[3] * reinterpreted_packed_char4_e2703[3])));
                    int _e2706 = s2_1;
                    uint _e2708 = codes1_2_.w;
                    uint _e2710 = _e2708 & 808464432u;
                    uint _e2711 = a23_1.z;
                    packed_char4 reinterpreted_packed_char4_e2710 = as_type<packed_char4>(_e2710);
                    packed_char4 reinterpreted_packed_char4_e2711 = as_type<packed_char4>(_e2711);
                    s2_1 = as_type<int>(as_type<uint>(_e2706) + as_type<uint>(( + reinterpreted_packed_char4_e2710[0] * reinterpreted_packed_char4_e2711[0] + reinterpreted_packed_char4_e2710[1] * reinterpreted_packed_char4_e2711[1] + reinterpreted_packed_char4_e2710[2] * reinterpreted_packed_char4_e2711[2] + reinterpreted_packed_char4_e2710[3] * reinterpreted_packed_char4_e2711[3])));
                    int _e2714 = s3_1;
                    uint _e2716 = codes1_2_.w;
                    uint _e2720 = (_e2716 >> 6u) & 50529027u;
                    uint _e2721 = a23_1.w;
                    packed_char4 reinterpreted_packed_char4_e2720 = as_type<packed_char4>(_e2720);
                    packed_char4 reinterpreted_packed_char4_e2721 = as_type<packed_char4>(_e2721);
                    s3_1 = as_type<int>(as_type<uint>(_e2714) + as_type<uint>(( + reinterpreted_packed_char4_e2720[0] * reinterpreted_packed_char4_e2721[0] + reinterpreted_packed_char4_e2720[1] * reinterpreted_packed_char4_e2721[1] + reinterpreted_packed_char4_e2720[2] * reinterpreted_packed_char4_e2721[2] + reinterpreted_packed_char4_e2720[3] * reinterpreted_packed_char4_e2721[3])));
                    metal::uint4 a30_1 = row_acts.inner[((g_6 * 16u) + 12u) + 0u];
                    int _e2733 = s0_1;
                    uint _e2735 = codes1_3_.x;
                    uint _e2737 = _e2735 & 50529027u;
                    uint _e2738 = a30_1.x;
                    packed_char4 reinterpreted_packed_char4_e2737 = as_type<packed_char4>(_e2737);
                    packed_char4 reinterpreted_packed_char4_e2738 = as_type<packed_char4>(_e2738);
                    s0_1 = as_type<int>(as_type<uint>(_e2733) + as_type<uint>(( + reinterpreted_packed_char4_e2737[0] * reinterpreted_packed_char4_e2738[0] + reinterpreted_packed_char4_e2737[1] * reinterpreted_packed_char4_e2738[1] + reinterpreted_packed_char4_e2737[2] * reinterpreted_packed_char4_e2738[2] + reinterpreted_packed_char4_e2737[3] * reinterpreted_packed_char4_e2738[3])));
                    int _e2741 = s1_1;
                    uint _e2743 = codes1_3_.x;
                    uint _e2745 = _e2743 & 202116108u;
                    uint _e2746 = a30_1.y;
                    packed_char4 reinterpreted_packed_char4_e2745 = as_type<packed_char4>(_e2745);
                    packed_char4 reinterpreted_packed_char4_e2746 = as_type<packed_char4>(_e2746);
                    s1_1 = as_type<int>(as_type<uint>(_e2741) + as_type<uint>(( + reinterpreted_packed_char4_e2745[0] * reinterpreted_packed_char4_e2746[0] + reinterpreted_packed_char4_e2745[1] * reinterpreted_packed_char4_e2746[1] + reinterpreted_packed_char4_e2745[2] * reinterpreted_packed_char4_e2746[2] + reinterpreted_packed_char4_e2745[3] * reinterpreted_packed_char4_e2746[3])));
                    int _e2749 = s2_1;
                    uint _e2751 = codes1_3_.x;
                    uint _e2753 = _e2751 & 808464432u;
                    uint _e2754 = a30_1.z;
                    packed_char4 reinterpreted_packed_char4_e2753 = as_type<packed_char4>(_e2753);
                    packed_char4 reinterpreted_packed_char4_e2754 = as_type<packed_char4>(_e2754);
                    s2_1 = as_type<int>(as_type<uint>(_e2749) + as_type<uint>(( + reinterpreted_packed_char4_e2753[0] * reinterpreted_packed_char4_e2754[0] + reinterpreted_packed_char4_e2753[1] * reinterpreted_packed_char4_e2754[1] + reinterpreted_packed_char4_e2753[2] * reinterpreted_packed_char4_e2754[2] + reinterpreted_packed_char4_e2753[3] * reinterpreted_packed_char4_e2754[3])));
                    int _e2757 = s3_1;
                    uint _e2759 = codes1_3_.x;
                    uint _e2763 = (_e2759 >> 6u) & 50529027u;
                    uint _e2764 = a30_1.w;
                    packed_char4 reinterpreted_packed_char4_e2763 = as_type<packed_char4>(_e2763);
                    packed_char4 reinterpreted_packed_char4_e2764 = as_type<packed_char4>(_e2764);
                    s3_1 = as_type<int>(as_type<uint>(_e2757) + as_type<uint>(( + reinterpreted_packed_char4_e2763[0] * reinterpreted_packed_char4_e2764[0] + reinterpreted_packed_char4_e2763[1] * reinterpreted_packed_char4_e2764[1] + reinterpreted_packed_char4_e2763[2] * reinterpreted_packed_char4_e2764[2] + reinterpreted_packed_char4_e2763[3] * reinterpreted_packed_char4_e2764[3])));
                    metal::uint4 a31_1 = row_acts.inner[((g_6 * 16u) + 12u) + 1u];
                    int _e2776 = s0_1;
                    uint _e2778 = codes1_3_.y;
                    uint _e2780 = _e2778 & 50529027u;
                    uint _e2781 = a31_1.x;
                    packed_char4 reinterpreted_packed_char4_e2780 = as_type<packed_char4>(_e2780);
                    packed_char4 reinterpreted_packed_char4_e2781 = as_type<packed_char4>(_e2781);
                    s0_1 = as_type<int>(as_type<uint>(_e2776) + as_type<uint>(( + reinterpreted_packed_char4_e2780[0] * reinterpreted_packed_char4_e2781[0] + reinterpreted_packed_char4_e2780[1] * reinterpreted_packed_char4_e2781[1] + reinterpreted_packed_char4_e2780[2] * reinterpreted_packed_char4_e2781[2] + reinterpreted_packed_char4_e2780[3] * reinterpreted_packed_char4_e2781[3])));
                    int _e2784 = s1_1;
                    uint _e2786 = codes1_3_.y;
                    uint _e2788 = _e2786 & 202116108u;
                    uint _e2789 = a31_1.y;
                    packed_char4 reinterpreted_packed_char4_e2788 = as_type<packed_char4>(_e2788);
                    packed_char4 reinterpreted_packed_char4_e2789 = as_type<packed_char4>(_e2789);
                    s1_1 = as_type<int>(as_type<uint>(_e2784) + as_type<uint>(( + reinterpreted_packed_char4_e2788[0] * reinterpreted_packed_char4_e2789[0] + reinterpreted_packed_char4_e2788[1] * reinterpreted_packed_char4_e2789[1] + reinterpreted_packed_char4_e2788[2] * reinterpreted_packed_char4_e2789[2] + reinterpreted_packed_char4_e2788[3] * reinterpreted_packed_char4_e2789[3])));
                    int _e2792 = s2_1;
                    uint _e2794 = codes1_3_.y;
                    uint _e2796 = _e2794 & 808464432u;
                    uint _e2797 = a31_1.z;
                    packed_char4 reinterpreted_packed_char4_e2796 = as_type<packed_char4>(_e2796);
                    packed_char4 reinterpreted_packed_char4_e2797 = as_type<packed_char4>(_e2797);
                    s2_1 = as_type<int>(as_type<uint>(_e2792) + as_type<uint>(( + reinterpreted_packed_char4_e2796[0] * reinterpreted_packed_char4_e2797[0] + reinterpreted_packed_char4_e2796[1] * reinterpreted_packed_char4_e2797[1] + reinterpreted_packed_char4_e2796[2] * reinterpreted_packed_char4_e2797[2] + reinterpreted_packed_char4_e2796[3] * reinterpreted_packed_char4_e2797[3])));
                    int _e2800 = s3_1;
                    uint _e2802 = codes1_3_.y;
                    uint _e2806 = (_e2802 >> 6u) & 50529027u;
                    uint _e2807 = a31_1.w;
                    packed_char4 reinterpreted_packed_char4_e2806 = as_type<packed_char4>(_e2806);
                    packed_char4 reinterpreted_packed_char4_e2807 = as_type<packed_char4>(_e2807);
                    s3_1 = as_type<int>(as_type<uint>(_e2800) + as_type<uint>(( + reinterpreted_packed_char4_e2806[0] * reinterpreted_packed_char4_e2807[0] + reinterpreted_packed_char4_e2806[1] * reinterpreted_packed_char4_e2807[1] + reinterpreted_packed_char4_e2806[2] * reinterpreted_packed_char4_e2807[2] + reinterpreted_packed_char4_e2806[3] * reinterpreted_packed_char4_e2807[3])));
                    metal::uint4 a32_1 = row_acts.inner[((g_6 * 16u) + 12u) + 2u];
                    int _e2819 = s0_1;
                    uint _e2821 = codes1_3_.z;
                    uint _e2823 = _e2821 & 50529027u;
                    uint _e2824 = a32_1.x;
                    packed_char4 reinterpreted_packed_char4_e2823 = as_type<packed_char4>(_e2823);
                    packed_char4 reinterpreted_packed_char4_e2824 = as_type<packed_char4>(_e2824);
                    s0_1 = as_type<int>(as_type<uint>(_e2819) + as_type<uint>(( + reinterpreted_packed_char4_e2823[0] * reinterpreted_packed_char4_e2824[0] + reinterpreted_packed_char4_e2823[1] * reinterpreted_packed_char4_e2824[1] + reinterpreted_packed_char4_e2823[2] * reinterpreted_packed_char4_e2824[2] + reinterpreted_packed_char4_e2823[3] * reinterpreted_packed_char4_e2824[3])));
                    int _e2827 = s1_1;
                    uint _e2829 = codes1_3_.z;
                    uint _e2831 = _e2829 & 202116108u;
                    uint _e2832 = a32_1.y;
                    packed_char4 reinterpreted_packed_char4_e2831 = as_type<packed_char4>(_e2831);
                    packed_char4 reinterpreted_packed_char4_e2832 = as_type<packed_char4>(_e2832);
                    s1_1 = as_type<int>(as_type<uint>(_e2827) + as_type<uint>(( + reinterpreted_packed_char4_e2831[0] * reinterpreted_packed_char4_e2832[0] + reinterpreted_packed_char4_e2831[1] * reinterpreted_packed_char4_e2832[1] + reinterpreted_packed_char4_e2831[2] * reinterpreted_packed_char4_e2832[2] + reinterpreted_packed_char4_e2831[3] * reinterpreted_packed_char4_e2832[3])));
                    int _e2835 = s2_1;
                    uint _e2837 = codes1_3_.z;
                    uint _e2839 = _e2837 & 808464432u;
                    uint _e2840 = a32_1.z;
                    packed_char4 reinterpreted_packed_char4_e2839 = as_type<packed_char4>(_e2839);
                    packed_char4 reinterpreted_packed_char4_e2840 = as_type<packed_char4>(_e2840);
                    s2_1 = as_type<int>(as_type<uint>(_e2835) + as_type<uint>(( + reinterpreted_packed_char4_e2839[0] * reinterpreted_packed_char4_e2840[0] + reinterpreted_packed_char4_e2839[1] * reinterpreted_packed_char4_e2840[1] + reinterpreted_packed_char4_e2839[2] * reinterpreted_packed_char4_e2840[2] + reinterpreted_packed_char4_e2839[3] * reinterpreted_packed_char4_e2840[3])));
                    int _e2843 = s3_1;
                    uint _e2845 = codes1_3_.z;
                    uint _e2849 = (_e2845 >> 6u) & 50529027u;
                    uint _e2850 = a32_1.w;
                    packed_char4 reinterpreted_packed_char4_e2849 = as_type<packed_char4>(_e2849);
                    packed_char4 reinterpreted_packed_char4_e2850 = as_type<packed_char4>(_e2850);
                    s3_1 = as_type<int>(as_type<uint>(_e2843) + as_type<uint>(( + reinterpreted_packed_char4_e2849[0] * reinterpreted_packed_char4_e2850[0] + reinterpreted_packed_char4_e2849[1] * reinterpreted_packed_char4_e2850[1] + reinterpreted_packed_char4_e2849[2] * reinterpreted_packed_char4_e2850[2] + reinterpreted_packed_char4_e2849[3] * reinterpreted_packed_char4_e2850[3])));
                    metal::uint4 a33_1 = row_acts.inner[((g_6 * 16u) + 12u) + 3u];
                    int _e2862 = s0_1;
                    uint _e2864 = codes1_3_.w;
                    uint _e2866 = _e2864 & 50529027u;
                    uint _e2867 = a33_1.x;
                    packed_char4 reinterpreted_packed_char4_e2866 = as_type<packed_char4>(_e2866);
                    packed_char4 reinterpreted_packed_char4_e2867 = as_type<packed_char4>(_e2867);
                    s0_1 = as_type<int>(as_type<uint>(_e2862) + as_type<uint>(( + reinterpreted_packed_char4_e2866[0] * reinterpreted_packed_char4_e2867[0] + reinterpreted_packed_char4_e2866[1] * reinterpreted_packed_char4_e2867[1] + reinterpreted_packed_char4_e2866[2] * reinterpreted_packed_char4_e2867[2] + reinterpreted_packed_char4_e2866[3] * reinterpreted_packed_char4_e2867[3])));
                    int _e2870 = s1_1;
                    uint _e2872 = codes1_3_.w;
                    uint _e2874 = _e2872 & 202116108u;
                    uint _e2875 = a33_1.y;
                    packed_char4 reinterpreted_packed_char4_e2874 = as_type<packed_char4>(_e2874);
                    packed_char4 reinterpreted_packed_char4_e2875 = as_type<packed_char4>(_e2875);
                    s1_1 = as_type<int>(as_type<uint>(_e2870) + as_type<uint>(( + reinterpreted_packed_char4_e2874[0] * reinterpreted_packed_char4_e2875[0] + reinterpreted_packed_char4_e2874[1] * reinterpreted_packed_char4_e2875[1] + reinterpreted_packed_char4_e2874[2] * reinterpreted_packed_char4_e2875[2] + reinterpreted_packed_char4_e2874[3] * reinterpreted_packed_char4_e2875[3])));
                    int _e2878 = s2_1;
                    uint _e2880 = codes1_3_.w;
                    uint _e2882 = _e2880 & 808464432u;
                    uint _e2883 = a33_1.z;
                    packed_char4 reinterpreted_packed_char4_e2882 = as_type<packed_char4>(_e2882);
                    packed_char4 reinterpreted_packed_char4_e2883 = as_type<packed_char4>(_e2883);
                    s2_1 = as_type<int>(as_type<uint>(_e2878) + as_type<uint>(( + reinterpreted_packed_char4_e2882[0] * reinterpreted_packed_char4_e2883[0] + reinterpreted_packed_char4_e2882[1] * reinterpreted_packed_char4_e2883[1] + reinterpreted_packed_char4_e2882[2] * reinterpreted_packed_char4_e2883[2] + reinterpreted_packed_char4_e2882[3] * reinterpreted_packed_char4_e2883[3])));
                    int _e2886 = s3_1;
                    uint _e2888 = codes1_3_.w;
                    uint _e2892 = (_e2888 >> 6u) & 50529027u;
                    uint _e2893 = a33_1.w;
                    packed_char4 reinterpreted_packed_char4_e2892 = as_type<packed_char4>(_e2892);
                    packed_char4 reinterpreted_packed_char4_e2893 = as_type<packed_char4>(_e2893);
                    s3_1 = as_type<int>(as_type<uint>(_e2886) + as_type<uint>(( + reinterpreted_packed_char4_e2892[0] * reinterpreted_packed_char4_e2893[0] + reinterpreted_packed_char4_e2892[1] * reinterpreted_packed_char4_e2893[1] + reinterpreted_packed_char4_e2892[2] * reinterpreted_packed_char4_e2893[2] + reinterpreted_packed_char4_e2892[3] * reinterpreted_packed_char4_e2893[3])));
                    metal::uint2 da_1 = row_scales.inner[g_6];
                    int _e2899 = s0_1;
                    int _e2900 = s1_1;
                    int _e2904 = s2_1;
                    int _e2908 = s3_1;
                    int _e2912 = p_1.zero;
                    int isum_1 = as_type<int>(as_type<uint>(as_type<int>(as_type<uint>(as_type<int>(as_type<uint>(as_type<int>(as_type<uint>(_e2899) + as_type<uint>(_e2900 >> 2u))) + as_type<uint>(_e2904 >> 4u))) + as_type<uint>(_e2908))) - as_type<uint>(as_type<int>(as_type<uint>(_e2912) * as_type<uint>(as_type<int>(da_1.y)))));
                    float _e2921 = scale1_;
                    terms.inner[buffer_1 + t] = metal::float2(static_cast<float>(isum_1), _e2921 * as_type<float>(da_1.x));
                }
                uint load1_ = step1_ + AHEAD;
                if (load1_ < steps) {
                    if (false) {
                        local_28 = ((naga_mod(load1_, TURNS) * WARPS) + warp) < GROUPS;
                    } else {
                        local_28 = true;
                    }
                    bool _e2942 = local_28;
                    local_27 = _e2942;
                } else {
                    local_27 = false;
                }
                bool _e2944 = local_27;
                if (_e2944) {
                    uint block_5 = group.x + (naga_div(load1_, TURNS) * workgroups.x);
                    uint at_5 = ((((block_5 * GROUPS) + (naga_mod(load1_, TURNS) * WARPS)) + warp) * 128u) + lane;
                    metal::uint4 _e2966 = codes[at_5 + 0u];
                    codes1_0_ = _e2966;
                    metal::uint4 _e2971 = codes[at_5 + 32u];
                    codes1_1_ = _e2971;
                    metal::uint4 _e2976 = codes[at_5 + 64u];
                    codes1_2_ = _e2976;
                    metal::uint4 _e2981 = codes[at_5 + 96u];
                    codes1_3_ = _e2981;
                    float _e2987 = scale_of(block_5, (naga_mod(load1_, TURNS) * WARPS) + warp, lane, scales, _buffer_sizes);
                    scale1_ = _e2987;
                }
                metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
                uint _e2988 = chain;
                if (warp == _e2988) {
                    uint from_i_1 = buffer_1 + (2u * (lane & 15u));
                    if (false) {
                        local_29 = ((turn_1 * WARPS) + 0u) < GROUPS;
                    } else {
                        local_29 = true;
                    }
                    bool _e3005 = local_29;
                    if (_e3005) {
                        metal::float2 even0_1 = terms.inner[from_i_1 + 0u];
                        metal::float2 odd0_1 = terms.inner[(from_i_1 + 0u) + 1u];
                        float _e3022 = acc.x;
                        acc.x = metal::fma(even0_1.x, even0_1.y, _e3022);
                        float _e3028 = acc.y;
                        acc.y = metal::fma(odd0_1.x, odd0_1.y, _e3028);
                    }
                    if (false) {
                        local_30 = ((turn_1 * WARPS) + 1u) < GROUPS;
                    } else {
                        local_30 = true;
                    }
                    bool _e3040 = local_30;
                    if (_e3040) {
                        metal::float2 even1_1 = terms.inner[from_i_1 + 32u];
                        metal::float2 odd1_1 = terms.inner[(from_i_1 + 32u) + 1u];
                        float _e3057 = acc.x;
                        acc.x = metal::fma(even1_1.x, even1_1.y, _e3057);
                        float _e3063 = acc.y;
                        acc.y = metal::fma(odd1_1.x, odd1_1.y, _e3063);
                    }
                    if (false) {
                        local_31 = ((turn_1 * WARPS) + 2u) < GROUPS;
                    } else {
                        local_31 = true;
                    }
                    bool _e3075 = local_31;
                    if (_e3075) {
                        metal::float2 even2_1 = terms.inner[from_i_1 + 64u];
                        metal::float2 odd2_1 = terms.inner[(from_i_1 + 64u) + 1u];
                        float _e3092 = acc.x;
                        acc.x = metal::fma(even2_1.x, even2_1.y, _e3092);
                        float _e3098 = acc.y;
                        acc.y = metal::fma(odd2_1.x, odd2_1.y, _e3098);
                    }
                    if (false) {
                        local_32 = ((turn_1 * WARPS) + 3u) < GROUPS;
                    } else {
                        local_32 = true;
                    }
                    bool _e3110 = local_32;
                    if (_e3110) {
                        metal::float2 even3_1 = terms.inner[from_i_1 + 96u];
                        metal::float2 odd3_1 = terms.inner[(from_i_1 + 96u) + 1u];
                        float _e3127 = acc.x;
                        acc.x = metal::fma(even3_1.x, even3_1.y, _e3127);
                        float _e3133 = acc.y;
                        acc.y = metal::fma(odd3_1.x, odd3_1.y, _e3133);
                    }
                    if (false) {
                        local_33 = ((turn_1 * WARPS) + 4u) < GROUPS;
                    } else {
                        local_33 = true;
                    }
                    bool _e3145 = local_33;
                    if (_e3145) {
                        metal::float2 even4_1 = terms.inner[from_i_1 + 128u];
                        metal::float2 odd4_1 = terms.inner[(from_i_1 + 128u) + 1u];
                        float _e3162 = acc.x;
                        acc.x = metal::fma(even4_1.x, even4_1.y, _e3162);
                        float _e3168 = acc.y;
                        acc.y = metal::fma(odd4_1.x, odd4_1.y, _e3168);
                    }
                    if (false) {
                        local_34 = ((turn_1 * WARPS) + 5u) < GROUPS;
                    } else {
                        local_34 = true;
                    }
                    bool _e3180 = local_34;
                    if (_e3180) {
                        metal::float2 even5_1 = terms.inner[from_i_1 + 160u];
                        metal::float2 odd5_1 = terms.inner[(from_i_1 + 160u) + 1u];
                        float _e3197 = acc.x;
                        acc.x = metal::fma(even5_1.x, even5_1.y, _e3197);
                        float _e3203 = acc.y;
                        acc.y = metal::fma(odd5_1.x, odd5_1.y, _e3203);
                    }
                    if (false) {
                        local_35 = ((turn_1 * WARPS) + 6u) < GROUPS;
                    } else {
                        local_35 = true;
                    }
                    bool _e3215 = local_35;
                    if (_e3215) {
                        metal::float2 even6_1 = terms.inner[from_i_1 + 192u];
                        metal::float2 odd6_1 = terms.inner[(from_i_1 + 192u) + 1u];
                        float _e3232 = acc.x;
                        acc.x = metal::fma(even6_1.x, even6_1.y, _e3232);
                        float _e3238 = acc.y;
                        acc.y = metal::fma(odd6_1.x, odd6_1.y, _e3238);
                    }
                    if (false) {
                        local_36 = ((turn_1 * WARPS) + 7u) < GROUPS;
                    } else {
                        local_36 = true;
                    }
                    bool _e3250 = local_36;
                    if (_e3250) {
                        metal::float2 even7_1 = terms.inner[from_i_1 + 224u];
                        metal::float2 odd7_1 = terms.inner[(from_i_1 + 224u) + 1u];
                        float _e3267 = acc.x;
                        acc.x = metal::fma(even7_1.x, even7_1.y, _e3267);
                        float _e3273 = acc.y;
                        acc.y = metal::fma(odd7_1.x, odd7_1.y, _e3273);
                    }
                    if (false) {
                        local_37 = ((turn_1 * WARPS) + 8u) < GROUPS;
                    } else {
                        local_37 = true;
                    }
                    bool _e3285 = local_37;
                    if (_e3285) {
                        metal::float2 even8_1 = terms.inner[from_i_1 + 256u];
                        metal::float2 odd8_1 = terms.inner[(from_i_1 + 256u) + 1u];
                        float _e3302 = acc.x;
                        acc.x = metal::fma(even8_1.x, even8_1.y, _e3302);
                        float _e3308 = acc.y;
                        acc.y = metal::fma(odd8_1.x, odd8_1.y, _e3308);
                    }
                    if (false) {
                        local_38 = ((turn_1 * WARPS) + 9u) < GROUPS;
                    } else {
                        local_38 = true;
                    }
                    bool _e3320 = local_38;
                    if (_e3320) {
                        metal::float2 even9_1 = terms.inner[from_i_1 + 288u];
                        metal::float2 odd9_1 = terms.inner[(from_i_1 + 288u) + 1u];
                        float _e3337 = acc.x;
                        acc.x = metal::fma(even9_1.x, even9_1.y, _e3337);
                        float _e3343 = acc.y;
                        acc.y = metal::fma(odd9_1.x, odd9_1.y, _e3343);
                    }
                    if (false) {
                        local_39 = ((turn_1 * WARPS) + 10u) < GROUPS;
                    } else {
                        local_39 = true;
                    }
                    bool _e3355 = local_39;
                    if (_e3355) {
                        metal::float2 even10_1 = terms.inner[from_i_1 + 320u];
                        metal::float2 odd10_1 = terms.inner[(from_i_1 + 320u) + 1u];
                        float _e3372 = acc.x;
                        acc.x = metal::fma(even10_1.x, even10_1.y, _e3372);
                        float _e3378 = acc.y;
                        acc.y = metal::fma(odd10_1.x, odd10_1.y, _e3378);
                    }
                    if (false) {
                        local_40 = ((turn_1 * WARPS) + 11u) < GROUPS;
                    } else {
                        local_40 = true;
                    }
                    bool _e3390 = local_40;
                    if (_e3390) {
                        metal::float2 even11_1 = terms.inner[from_i_1 + 352u];
                        metal::float2 odd11_1 = terms.inner[(from_i_1 + 352u) + 1u];
                        float _e3407 = acc.x;
                        acc.x = metal::fma(even11_1.x, even11_1.y, _e3407);
                        float _e3413 = acc.y;
                        acc.y = metal::fma(odd11_1.x, odd11_1.y, _e3413);
                    }
                    if (false) {
                        local_41 = ((turn_1 * WARPS) + 12u) < GROUPS;
                    } else {
                        local_41 = true;
                    }
                    bool _e3425 = local_41;
                    if (_e3425) {
                        metal::float2 even12_1 = terms.inner[from_i_1 + 384u];
                        metal::float2 odd12_1 = terms.inner[(from_i_1 + 384u) + 1u];
                        float _e3442 = acc.x;
                        acc.x = metal::fma(even12_1.x, even12_1.y, _e3442);
                        float _e3448 = acc.y;
                        acc.y = metal::fma(odd12_1.x, odd12_1.y, _e3448);
                    }
                    if (false) {
                        local_42 = ((turn_1 * WARPS) + 13u) < GROUPS;
                    } else {
                        local_42 = true;
                    }
                    bool _e3460 = local_42;
                    if (_e3460) {
                        metal::float2 even13_1 = terms.inner[from_i_1 + 416u];
                        metal::float2 odd13_1 = terms.inner[(from_i_1 + 416u) + 1u];
                        float _e3477 = acc.x;
                        acc.x = metal::fma(even13_1.x, even13_1.y, _e3477);
                        float _e3483 = acc.y;
                        acc.y = metal::fma(odd13_1.x, odd13_1.y, _e3483);
                    }
                    if (false) {
                        local_43 = ((turn_1 * WARPS) + 14u) < GROUPS;
                    } else {
                        local_43 = true;
                    }
                    bool _e3495 = local_43;
                    if (_e3495) {
                        metal::float2 even14_1 = terms.inner[from_i_1 + 448u];
                        metal::float2 odd14_1 = terms.inner[(from_i_1 + 448u) + 1u];
                        float _e3512 = acc.x;
                        acc.x = metal::fma(even14_1.x, even14_1.y, _e3512);
                        float _e3518 = acc.y;
                        acc.y = metal::fma(odd14_1.x, odd14_1.y, _e3518);
                    }
                    if (false) {
                        local_44 = ((turn_1 * WARPS) + 15u) < GROUPS;
                    } else {
                        local_44 = true;
                    }
                    bool _e3530 = local_44;
                    if (_e3530) {
                        metal::float2 even15_1 = terms.inner[from_i_1 + 480u];
                        metal::float2 odd15_1 = terms.inner[(from_i_1 + 480u) + 1u];
                        float _e3547 = acc.x;
                        acc.x = metal::fma(even15_1.x, even15_1.y, _e3547);
                        float _e3553 = acc.y;
                        acc.y = metal::fma(odd15_1.x, odd15_1.y, _e3553);
                    }
                    uint block_6 = group.x + (naga_div(step1_, TURNS) * workgroups.x);
                    uint n_3 = (block_6 * 16u) + lane;
                    if ((turn_1 + 1u) == TURNS) {
                        local_45 = lane < 16u;
                    } else {
                        local_45 = false;
                    }
                    bool _e3573 = local_45;
                    if (_e3573) {
                        uint _e3580 = p_1.outs;
                        local_46 = (2u * n_3) < _e3580;
                    } else {
                        local_46 = false;
                    }
                    bool _e3583 = local_46;
                    if (_e3583) {
                        float _e3585 = acc.x;
                        float _e3587 = acc.y;
                        float _e3588 = paired(_e3585, _e3587, p_1);
                        finish(first, n_3, _e3588, p_1, arena, _buffer_sizes);
                    }
                }
                if ((turn_1 + 1u) == TURNS) {
                    acc = metal::float2(0.0);
                    uint _e3595 = chain;
                    chain = naga_mod(_e3595 + 1u, WARPS);
                }
            }
        }
    }
    return;
}
