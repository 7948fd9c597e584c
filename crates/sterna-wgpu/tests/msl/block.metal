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
struct type_16 {
    int inner[1024];
};
struct type_17 {
    float inner[1024];
};
constant uint GROUPS = 16u;
constant uint WARPS = 16u;
constant uint TOKENS = 1u;
constant bool PROLOGUE = true;
constant bool NORM = true;
constant bool HALVES = true;
constant bool SUBGROUPS = false;
constant bool PAIRS = true;
constant uint THREADS = 512u;
constant uint TURNS = 1u;
constant bool FULL = true;
constant uint BUFFERS = 2u;

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
    float g,
    float h
) {
    return ((a + e) + (c_1 + g)) + ((b + f) + (d_1 + h));
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

metal::int4 naga_f2i32(metal::float4 value) {
    return static_cast<metal::int4>(metal::clamp(value, -2147483600.0, 2147483500.0));
}

uint quantised(
    metal::float4 x_5,
    float d_2,
    float r
) {
    bool local_22 = {};
    metal::float4 q_2 = metal::fma(x_5, metal::float4(r), metal::float4(12582912.0));
    metal::float4 off = metal::abs(metal::fma(x_5, metal::float4(r), -((q_2 - metal::float4(12582912.0)))));
    if (!((metal::max(metal::max(off.x, off.y), metal::max(off.z, off.w)) > 0.4999))) {
        local_22 = d_2 < 0.000000000000000000000000000000000001;
    } else {
        local_22 = true;
    }
    bool _e29 = local_22;
    if (_e29) {
        uint _e35 = pack_bytes(as_type<metal::uint4>(naga_f2i32(metal::rint(x_5 / metal::float4(d_2)))));
        return _e35;
    }
    uint _e37 = pack_bytes(as_type<metal::uint4>(q_2));
    return _e37;
}

void keep(
    uint at,
    int isum,
    float factor,
    threadgroup type_16& isums,
    threadgroup type_17& factors
) {
    isums.inner[at] = isum;
    factors.inner[at] = factor;
    return;
}

float scale_of(
    uint block_1,
    uint g_1,
    uint r_1,
    device type_8 const& scales,
    constant _mslBufferSizes& _buffer_sizes
) {
    uint at_2 = (((block_1 * GROUPS) + g_1) * 32u) + r_1;
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
, device type_7 const& vectors [[user(fake0)]]
, threadgroup type_12& row_acts
, threadgroup type_13& row_scales
, threadgroup type_14& row_parts
, threadgroup type_15& pieces
, threadgroup type_16& isums
, threadgroup type_17& factors
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
    metal::float4 x0_0_ = metal::float4(0.0);
    metal::float4 x0_1_ = metal::float4(0.0);
    float part = {};
    float sum = {};
    uint peak0_ = {};
    metal::uint4 all = {};
    float d = {};
    metal::uint2 q = metal::uint2(0u);
    bool local_1 = {};
    metal::uint4 sums = {};
    metal::float2 acc = metal::float2(0.0);
    uint chain = 0u;
    uint step = 0u;
    bool local_2 = {};
    int s0_ = {};
    int s1_ = {};
    int s2_ = {};
    int s3_ = {};
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
    bool local_21 = {};
    uint lane = naga_mod(t, 32u);
    uint warp = naga_div(t, 32u);
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
    if (warp < GROUPS) {
        uint _e60 = block;
        uint at_3 = (((_e60 * GROUPS) + warp) * 128u) + lane;
        metal::uint4 _e71 = codes[at_3 + 0u];
        next0_ = _e71;
        metal::uint4 _e76 = codes[at_3 + 32u];
        next1_ = _e76;
        metal::uint4 _e81 = codes[at_3 + 64u];
        next2_ = _e81;
        metal::uint4 _e86 = codes[at_3 + 96u];
        next3_ = _e86;
        uint _e87 = block;
        float _e88 = scale_of(_e87, warp, lane, scales, _buffer_sizes);
        next_scale = _e88;
    }
    uint _e91 = p_1.input;
    uint _e94 = p_1.input_cols;
    uint from_at = naga_div(_e91 + (first * _e94), 4u);
    uint chunk0_ = t + 0u;
    bool live0_ = chunk0_ < 512u;
    if (live0_) {
        metal::float4 _e114 = arena[from_at + (2u * chunk0_)];
        x0_0_ = _e114;
        metal::float4 _e122 = arena[(from_at + (2u * chunk0_)) + 1u];
        x0_1_ = _e122;
    }
    if (live0_) {
        metal::float4 _e123 = x0_0_;
        metal::float4 _e124 = x0_1_;
        float _e125 = squares(_e123, _e124);
        part = _e125;
        float _e134 = part;
        row_parts.inner[naga_div(chunk0_, 4u)][naga_mod(chunk0_, 4u)] = as_type<uint>(_e134);
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    if (t < GROUPS) {
        metal::uint4 _e144 = row_parts.inner[(8u * t) + 0u];
        metal::float4 v0_ = as_type<metal::float4>(_e144);
        metal::uint4 _e152 = row_parts.inner[(8u * t) + 1u];
        metal::float4 v1_ = as_type<metal::float4>(_e152);
        metal::uint4 _e160 = row_parts.inner[(8u * t) + 2u];
        metal::float4 v2_ = as_type<metal::float4>(_e160);
        metal::uint4 _e168 = row_parts.inner[(8u * t) + 3u];
        metal::float4 v3_ = as_type<metal::float4>(_e168);
        metal::uint4 _e176 = row_parts.inner[(8u * t) + 4u];
        metal::float4 v4_ = as_type<metal::float4>(_e176);
        metal::uint4 _e184 = row_parts.inner[(8u * t) + 5u];
        metal::float4 v5_ = as_type<metal::float4>(_e184);
        metal::uint4 _e192 = row_parts.inner[(8u * t) + 6u];
        metal::float4 v6_ = as_type<metal::float4>(_e192);
        metal::uint4 _e200 = row_parts.inner[(8u * t) + 7u];
        metal::float4 v7_ = as_type<metal::float4>(_e200);
        metal::float4 v_1 = ((v0_ + v4_) + (v2_ + v6_)) + ((v1_ + v5_) + (v3_ + v7_));
        pieces.inner[t] = (v_1.x + v_1.z) + (v_1.y + v_1.w);
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    float _e220 = pieces.inner[0];
    sum = _e220;
    float _e222 = sum;
    float _e225 = pieces.inner[1];
    sum = _e222 + _e225;
    float _e227 = sum;
    float _e230 = pieces.inner[2];
    sum = _e227 + _e230;
    float _e232 = sum;
    float _e235 = pieces.inner[3];
    sum = _e232 + _e235;
    float _e237 = sum;
    float _e240 = pieces.inner[4];
    sum = _e237 + _e240;
    float _e242 = sum;
    float _e245 = pieces.inner[5];
    sum = _e242 + _e245;
    float _e247 = sum;
    float _e250 = pieces.inner[6];
    sum = _e247 + _e250;
    float _e252 = sum;
    float _e255 = pieces.inner[7];
    sum = _e252 + _e255;
    float _e257 = sum;
    float _e260 = pieces.inner[8];
    sum = _e257 + _e260;
    float _e262 = sum;
    float _e265 = pieces.inner[9];
    sum = _e262 + _e265;
    float _e267 = sum;
    float _e270 = pieces.inner[10];
    sum = _e267 + _e270;
    float _e272 = sum;
    float _e275 = pieces.inner[11];
    sum = _e272 + _e275;
    float _e277 = sum;
    float _e280 = pieces.inner[12];
    sum = _e277 + _e280;
    float _e282 = sum;
    float _e285 = pieces.inner[13];
    sum = _e282 + _e285;
    float _e287 = sum;
    float _e290 = pieces.inner[14];
    sum = _e287 + _e290;
    float _e292 = sum;
    float _e295 = pieces.inner[15];
    sum = _e292 + _e295;
    float _e297 = sum;
    float _e302 = p_1.eps;
    float inverse = 1.0 / metal::sqrt((_e297 / 4096.0) + _e302);
    if (live0_) {
        metal::float4 _e307 = x0_0_;
        uint _e312 = p_1.weight;
        metal::float4 _e319 = vectors[naga_div(_e312, 4u) + (2u * chunk0_)];
        x0_0_ = (_e307 * inverse) * _e319;
        metal::float4 _e321 = x0_1_;
        uint _e326 = p_1.weight;
        metal::float4 _e335 = vectors[(naga_div(_e326, 4u) + (2u * chunk0_)) + 1u];
        x0_1_ = (_e321 * inverse) * _e335;
    }
    metal::float4 _e337 = x0_0_;
    uint _e338 = magnitude(_e337);
    metal::float4 _e339 = x0_1_;
    uint _e340 = magnitude(_e339);
    peak0_ = metal::max(_e338, _e340);
    if (live0_) {
        uint _e350 = peak0_;
        row_parts.inner[naga_div(chunk0_, 4u)][naga_mod(chunk0_, 4u)] = _e350;
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    if (live0_) {
        uint g_2 = naga_div(chunk0_, 32u);
        metal::uint4 _e357 = row_parts.inner[8u * g_2];
        all = _e357;
        metal::uint4 _e359 = all;
        metal::uint4 _e368 = row_parts.inner[((8u * g_2) + 0u) + 1u];
        all = metal::max(_e359, _e368);
        metal::uint4 _e370 = all;
        metal::uint4 _e379 = row_parts.inner[((8u * g_2) + 1u) + 1u];
        all = metal::max(_e370, _e379);
        metal::uint4 _e381 = all;
        metal::uint4 _e390 = row_parts.inner[((8u * g_2) + 2u) + 1u];
        all = metal::max(_e381, _e390);
        metal::uint4 _e392 = all;
        metal::uint4 _e401 = row_parts.inner[((8u * g_2) + 3u) + 1u];
        all = metal::max(_e392, _e401);
        metal::uint4 _e403 = all;
        metal::uint4 _e412 = row_parts.inner[((8u * g_2) + 4u) + 1u];
        all = metal::max(_e403, _e412);
        metal::uint4 _e414 = all;
        metal::uint4 _e423 = row_parts.inner[((8u * g_2) + 5u) + 1u];
        all = metal::max(_e414, _e423);
        metal::uint4 _e425 = all;
        metal::uint4 _e434 = row_parts.inner[((8u * g_2) + 6u) + 1u];
        all = metal::max(_e425, _e434);
        uint _e437 = all.x;
        uint _e439 = all.y;
        uint _e442 = all.z;
        uint _e444 = all.w;
        peak0_ = metal::max(metal::max(_e437, _e439), metal::max(_e442, _e444));
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    if (live0_) {
        uint g_3 = naga_div(chunk0_, 32u);
        uint _e449 = peak0_;
        d = as_type<float>(_e449) / 127.0;
        float _e457 = d;
        if (_e457 >= 0.000000000000000000000000000000000000011754944) {
            uint _e462 = peak0_;
            local_1 = _e462 < 2139095040u;
        } else {
            local_1 = false;
        }
        bool _e466 = local_1;
        if (_e466) {
            float _e467 = d;
            float r_3 = 1.0 / _e467;
            metal::float4 _e471 = x0_0_;
            float _e472 = d;
            uint _e473 = quantised(_e471, _e472, r_3);
            q.x = _e473;
            metal::float4 _e475 = x0_1_;
            float _e476 = d;
            uint _e477 = quantised(_e475, _e476, r_3);
            q.y = _e477;
        }
        float _e478 = d;
        if (_e478 < 0.000000000000000000000000000000000000011754944) {
            d = 0.0;
        }
        uint _e492 = q.x;
        row_acts.inner[naga_div(chunk0_, 2u)][naga_mod(chunk0_, 2u) * 2u] = _e492;
        uint _e505 = q.y;
        row_acts.inner[naga_div(chunk0_, 2u)][(naga_mod(chunk0_, 2u) * 2u) + 1u] = _e505;
        uint _e507 = q.x;
        packed_char4 reinterpreted_packed_char4_e507 = as_type<packed_char4>(_e507);
        packed_char4 reinterpreted_packed_char4_e508 = as_type<packed_char4>(16843009u);
        uint _e511 = q.y;
        packed_char4 reinterpreted_packed_char4_e511 = as_type<packed_char4>(_e511);
        packed_char4 reinterpreted_packed_char4_e512 = as_type<packed_char4>(16843009u);
        int sum_1 = as_type<int>(as_type<uint>(( + reinterpreted_packed_char4_e507[0] * reinterpreted_packed_char4_e508[0] + reinterpreted_packed_char4_e507[1] * reinterpreted_packed_char4_e508[1] + reinterpreted_packed_char4_e507[2] * reinterpreted_packed_char4_e508[2] + reinterpreted_packed_char4_e507[3] * reinterpreted_packed_char4_e508[3])) + as_type<uint>(( + reinterpreted_packed_char4_e511[0] * reinterpreted_packed_char4_e512[0] + reinterpreted_packed_char4_e511[1] * reinterpreted_packed_char4_e512[1] + reinterpreted_packed_char4_e511[2] * reinterpreted_packed_char4_e512[2] + reinterpreted_packed_char4_e511[3] * reinterpreted_packed_char4_e512[3])));
        row_parts.inner[naga_div(chunk0_, 4u)][naga_mod(chunk0_, 4u)] = as_type<uint>(sum_1);
        if (naga_mod(chunk0_, 32u) == 0u) {
            float _e530 = d;
            row_scales.inner[g_3].x = as_type<uint>(_e530);
        }
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    if (t < GROUPS) {
        metal::uint4 _e538 = row_parts.inner[8u * t];
        sums = _e538;
        metal::uint4 _e540 = sums;
        metal::uint4 _e549 = row_parts.inner[((8u * t) + 0u) + 1u];
        sums = _e540 + _e549;
        metal::uint4 _e551 = sums;
        metal::uint4 _e560 = row_parts.inner[((8u * t) + 1u) + 1u];
        sums = _e551 + _e560;
        metal::uint4 _e562 = sums;
        metal::uint4 _e571 = row_parts.inner[((8u * t) + 2u) + 1u];
        sums = _e562 + _e571;
        metal::uint4 _e573 = sums;
        metal::uint4 _e582 = row_parts.inner[((8u * t) + 3u) + 1u];
        sums = _e573 + _e582;
        metal::uint4 _e584 = sums;
        metal::uint4 _e593 = row_parts.inner[((8u * t) + 4u) + 1u];
        sums = _e584 + _e593;
        metal::uint4 _e595 = sums;
        metal::uint4 _e604 = row_parts.inner[((8u * t) + 5u) + 1u];
        sums = _e595 + _e604;
        metal::uint4 _e606 = sums;
        metal::uint4 _e615 = row_parts.inner[((8u * t) + 6u) + 1u];
        sums = _e606 + _e615;
        uint _e621 = sums.x;
        uint _e623 = sums.y;
        uint _e626 = sums.z;
        uint _e629 = sums.w;
        row_scales.inner[t].y = ((_e621 + _e623) + _e626) + _e629;
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    uint2 loop_bound = uint2(4294967295u);
    bool loop_init = true;
    while(true) {
        if (metal::all(loop_bound == uint2(0u))) { break; }
        loop_bound -= uint2(loop_bound.y == 0u, 1u);
        if (!loop_init) {
            uint _e2145 = step;
            step = _e2145 + 1u;
        }
        loop_init = false;
        uint _e638 = step;
        if (_e638 < steps) {
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
            float d_3 = next_scale;
            uint _e647 = turn;
            turn = _e647 + 1u;
            uint _e650 = turn;
            if (_e650 == TURNS) {
                turn = 0u;
                uint _e654 = block;
                block = _e654 + workgroups.x;
            }
            uint g_4 = (this_turn * WARPS) + warp;
            uint _e660 = turn;
            uint next_g = (_e660 * WARPS) + warp;
            uint _e664 = step;
            if ((_e664 + 1u) < steps) {
                local_2 = next_g < GROUPS;
            } else {
                local_2 = false;
            }
            bool _e673 = local_2;
            if (_e673) {
                uint _e674 = block;
                uint at_4 = (((_e674 * GROUPS) + next_g) * 128u) + lane;
                metal::uint4 _e685 = codes[at_4 + 0u];
                next0_ = _e685;
                metal::uint4 _e690 = codes[at_4 + 32u];
                next1_ = _e690;
                metal::uint4 _e695 = codes[at_4 + 64u];
                next2_ = _e695;
                metal::uint4 _e700 = codes[at_4 + 96u];
                next3_ = _e700;
                uint _e701 = block;
                float _e702 = scale_of(_e701, next_g, lane, scales, _buffer_sizes);
                next_scale = _e702;
            }
            uint _e703 = step;
            uint buffer = (_e703 & 1u) * THREADS;
            if (g_4 < GROUPS) {
                s0_ = 0;
                s1_ = 0;
                s2_ = 0;
                s3_ = 0;
                metal::uint4 a00_ = row_acts.inner[((g_4 * 16u) + 0u) + 0u];
                int _e727 = s0_;
                uint _e730 = w0_.x & 50529027u;
                uint _e731 = a00_.x;
                packed_char4 reinterpreted_packed_char4_e730 = as_type<packed_char4>(_e730);
                packed_char4 reinterpreted_packed_char4_e731 = as_type<packed_char4>(_e731);
                s0_ = as_type<int>(as_type<uint>(_e727) + as_type<uint>(( + reinterpreted_packed_char4_e730[0] * reinterpreted_packed_char4_e731[0] + reinterpreted_packed_char4_e730[1] * reinterpreted_packed_char4_e731[1] + reinterpreted_packed_char4_e730[2] * reinterpreted_packed_char4_e731[2] + reinterpreted_packed_char4_e730[3] * reinterpreted_packed_char4_e731[3])));
                int _e734 = s1_;
                uint _e737 = w0_.x & 202116108u;
                uint _e738 = a00_.y;
                packed_char4 reinterpreted_packed_char4_e737 = as_type<packed_char4>(_e737);
                packed_char4 reinterpreted_packed_char4_e738 = as_type<packed_char4>(_e738);
                s1_ = as_type<int>(as_type<uint>(_e734) + as_type<uint>(( + reinterpreted_packed_char4_e737[0] * reinterpreted_packed_char4_e738[0] + reinterpreted_packed_char4_e737[1] * reinterpreted_packed_char4_e738[1] + reinterpreted_packed_char4_e737[2] * reinterpreted_packed_char4_e738[2] + reinterpreted_packed_char4_e737[3] * reinterpreted_packed_char4_e738[3])));
                int _e741 = s2_;
                uint _e744 = w0_.x & 808464432u;
                uint _e745 = a00_.z;
                packed_char4 reinterpreted_packed_char4_e744 = as_type<packed_char4>(_e744);
                packed_char4 reinterpreted_packed_char4_e745 = as_type<packed_char4>(_e745);
                s2_ = as_type<int>(as_type<uint>(_e741) + as_type<uint>(( + reinterpreted_packed_char4_e744[0] * reinterpreted_packed_char4_e745[0] + reinterpreted_packed_char4_e744[1] * reinterpreted_packed_char4_e745[1] + reinterpreted_packed_char4_e744[2] * reinterpreted_packed_char4_e745[2] + reinterpreted_packed_char4_e744[3] * reinterpreted_packed_char4_e745[3])));
                int _e748 = s3_;
                uint _e753 = (w0_.x >> 6u) & 50529027u;
                uint _e754 = a00_.w;
                packed_char4 reinterpreted_packed_char4_e753 = as_type<packed_char4>(_e753);
                packed_char4 reinterpreted_packed_char4_e754 = as_type<packed_char4>(_e754);
                s3_ = as_type<int>(as_type<uint>(_e748) + as_type<uint>(( + reinterpreted_packed_char4_e753[0] * reinterpreted_packed_char4_e754[0] + reinterpreted_packed_char4_e753[1] * reinterpreted_packed_char4_e754[1] + reinterpreted_packed_char4_e753[2] * reinterpreted_packed_char4_e754[2] + reinterpreted_packed_char4_e753[3] * reinterpreted_packed_char4_e754[3])));
                metal::uint4 a01_ = row_acts.inner[((g_4 * 16u) + 0u) + 1u];
                int _e766 = s0_;
                uint _e769 = w0_.y & 50529027u;
                uint _e770 = a01_.x;
                packed_char4 reinterpreted_packed_char4_e769 = as_type<packed_char4>(_e769);
                packed_char4 reinterpreted_packed_char4_e770 = as_type<packed_char4>(_e770);
                s0_ = as_type<int>(as_type<uint>(_e766) + as_type<uint>(( + reinterpreted_packed_char4_e769[0] * reinterpreted_packed_char4_e770[0] + reinterpreted_packed_char4_e769[1] * reinterpreted_packed_char4_e770[1] + reinterpreted_packed_char4_e769[2] * reinterpreted_packed_char4_e770[2] + reinterpreted_packed_char4_e769[3] * reinterpreted_packed_char4_e770[3])));
                int _e773 = s1_;
                uint _e776 = w0_.y & 202116108u;
                uint _e777 = a01_.y;
                packed_char4 reinterpreted_packed_char4_e776 = as_type<packed_char4>(_e776);
                packed_char4 reinterpreted_packed_char4_e777 = as_type<packed_char4>(_e777);
                s1_ = as_type<int>(as_type<uint>(_e773) + as_type<uint>(( + reinterpreted_packed_char4_e776[0] * reinterpreted_packed_char4_e777[0] + reinterpreted_packed_char4_e776[1] * reinterpreted_packed_char4_e777[1] + reinterpreted_packed_char4_e776[2] * reinterpreted_packed_char4_e777[2] + reinterpreted_packed_char4_e776[3] * reinterpreted_packed_char4_e777[3])));
                int _e780 = s2_;
                uint _e783 = w0_.y & 808464432u;
                uint _e784 = a01_.z;
                packed_char4 reinterpreted_packed_char4_e783 = as_type<packed_char4>(_e783);
                packed_char4 reinterpreted_packed_char4_e784 = as_type<packed_char4>(_e784);
                s2_ = as_type<int>(as_type<uint>(_e780) + as_type<uint>(( + reinterpreted_packed_char4_e783[0] * reinterpreted_packed_char4_e784[0] + reinterpreted_packed_char4_e783[1] * reinterpreted_packed_char4_e784[1] + reinterpreted_packed_char4_e783[2] * reinterpreted_packed_char4_e784[2] + reinterpreted_packed_char4_e783[3] * reinterpreted_packed_char4_e784[3])));
                int _e787 = s3_;
                uint _e792 = (w0_.y >> 6u) & 50529027u;
                uint _e793 = a01_.w;
                packed_char4 reinterpreted_packed_char4_e792 = as_type<packed_char4>(_e792);
                packed_char4 reinterpreted_packed_char4_e793 = as_type<packed_char4>(_e793);
                s3_ = as_type<int>(as_type<uint>(_e787) + as_type<uint>(( + reinterpreted_packed_char4_e792[0] * reinterpreted_packed_char4_e793[0] + reinterpreted_packed_char4_e792[1] * reinterpreted_packed_char4_e793[1] + reinterpreted_packed_char4_e792[2] * reinterpreted_packed_char4_e793[2] + reinterpreted_packed_char4_e792[3] * reinterpreted_packed_char4_e793[3])));
                metal::uint4 a02_ = row_acts.inner[((g_4 * 16u) + 0u) + 2u];
                int _e805 = s0_;
                uint _e808 = w0_.z & 50529027u;
                uint _e809 = a02_.x;
                packed_char4 reinterpreted_packed_char4_e808 = as_type<packed_char4>(_e808);
                packed_char4 reinterpreted_packed_char4_e809 = as_type<packed_char4>(_e809);
                s0_ = as_type<int>(as_type<uint>(_e805) + as_type<uint>(( + reinterpreted_packed_char4_e808[0] * reinterpreted_packed_char4_e809[0] + reinterpreted_packed_char4_e808[1] * reinterpreted_packed_char4_e809[1] + reinterpreted_packed_char4_e808[2] * reinterpreted_packed_char4_e809[2] + reinterpreted_packed_char4_e808[3] * reinterpreted_packed_char4_e809[3])));
                int _e812 = s1_;
                uint _e815 = w0_.z & 202116108u;
                uint _e816 = a02_.y;
                packed_char4 reinterpreted_packed_char4_e815 = as_type<packed_char4>(_e815);
                packed_char4 reinterpreted_packed_char4_e816 = as_type<packed_char4>(_e816);
                s1_ = as_type<int>(as_type<uint>(_e812) + as_type<uint>(( + reinterpreted_packed_char4_e815[0] * reinterpreted_packed_char4_e816[0] + reinterpreted_packed_char4_e815[1] * reinterpreted_packed_char4_e816[1] + reinterpreted_packed_char4_e815[2] * reinterpreted_packed_char4_e816[2] + reinterpreted_packed_char4_e815[3] * reinterpreted_packed_char4_e816[3])));
                int _e819 = s2_;
                uint _e822 = w0_.z & 808464432u;
                uint _e823 = a02_.z;
                packed_char4 reinterpreted_packed_char4_e822 = as_type<packed_char4>(_e822);
                packed_char4 reinterpreted_packed_char4_e823 = as_type<packed_char4>(_e823);
                s2_ = as_type<int>(as_type<uint>(_e819) + as_type<uint>(( + reinterpreted_packed_char4_e822[0] * reinterpreted_packed_char4_e823[0] + reinterpreted_packed_char4_e822[1] * reinterpreted_packed_char4_e823[1] + reinterpreted_packed_char4_e822[2] * reinterpreted_packed_char4_e823[2] + reinterpreted_packed_char4_e822[3] * reinterpreted_packed_char4_e823[3])));
                int _e826 = s3_;
                uint _e831 = (w0_.z >> 6u) & 50529027u;
                uint _e832 = a02_.w;
                packed_char4 reinterpreted_packed_char4_e831 = as_type<packed_char4>(_e831);
                packed_char4 reinterpreted_packed_char4_e832 = as_type<packed_char4>(_e832);
                s3_ = as_type<int>(as_type<uint>(_e826) + as_type<uint>(( + reinterpreted_packed_char4_e831[0] * reinterpreted_packed_char4_e832[0] + reinterpreted_packed_char4_e831[1] * reinterpreted_packed_char4_e832[1] + reinterpreted_packed_char4_e831[2] * reinterpreted_packed_char4_e832[2] + reinterpreted_packed_char4_e831[3] * reinterpreted_packed_char4_e832[3])));
                metal::uint4 a03_ = row_acts.inner[((g_4 * 16u) + 0u) + 3u];
                int _e844 = s0_;
                uint _e847 = w0_.w & 50529027u;
                uint _e848 = a03_.x;
                packed_char4 reinterpreted_packed_char4_e847 = as_type<packed_char4>(_e847);
                packed_char4 reinterpreted_packed_char4_e848 = as_type<packed_char4>(_e848);
                s0_ = as_type<int>(as_type<uint>(_e844) + as_type<uint>(( + reinterpreted_packed_char4_e847[0] * reinterpreted_packed_char4_e848[0] + reinterpreted_packed_char4_e847[1] * reinterpreted_packed_char4_e848[1] + reinterpreted_packed_char4_e847[2] * reinterpreted_packed_char4_e848[2] + reinterpreted_packed_char4_e847[3] * reinterpreted_packed_char4_e848[3])));
                int _e851 = s1_;
                uint _e854 = w0_.w & 202116108u;
                uint _e855 = a03_.y;
                packed_char4 reinterpreted_packed_char4_e854 = as_type<packed_char4>(_e854);
                packed_char4 reinterpreted_packed_char4_e855 = as_type<packed_char4>(_e855);
                s1_ = as_type<int>(as_type<uint>(_e851) + as_type<uint>(( + reinterpreted_packed_char4_e854[0] * reinterpreted_packed_char4_e855[0] + reinterpreted_packed_char4_e854[1] * reinterpreted_packed_char4_e855[1] + reinterpreted_packed_char4_e854[2] * reinterpreted_packed_char4_e855[2] + reinterpreted_packed_char4_e854[3] * reinterpreted_packed_char4_e855[3])));
                int _e858 = s2_;
                uint _e861 = w0_.w & 808464432u;
                uint _e862 = a03_.z;
                packed_char4 reinterpreted_packed_char4_e861 = as_type<packed_char4>(_e861);
                packed_char4 reinterpreted_packed_char4_e862 = as_type<packed_char4>(_e862);
                s2_ = as_type<int>(as_type<uint>(_e858) + as_type<uint>(( + reinterpreted_packed_char4_e861[0] * reinterpreted_packed_char4_e862[0] + reinterpreted_packed_char4_e861[1] * reinterpreted_packed_char4_e862[1] + reinterpreted_packed_char4_e861[2] * reinterpreted_packed_char4_e862[2] + reinterpreted_packed_char4_e861[3] * reinterpreted_packed_char4_e862[3])));
                int _e865 = s3_;
                uint _e870 = (w0_.w >> 6u) & 50529027u;
                uint _e871 = a03_.w;
                packed_char4 reinterpreted_packed_char4_e870 = as_type<packed_char4>(_e870);
                packed_char4 reinterpreted_packed_char4_e871 = as_type<packed_char4>(_e871);
                s3_ = as_type<int>(as_type<uint>(_e865) + as_type<uint>(( + reinterpreted_packed_char4_e870[0] * reinterpreted_packed_char4_e871[0] + reinterpreted_packed_char4_e870[1] * reinterpreted_packed_char4_e871[1] + reinterpreted_packed_char4_e870[2] * reinterpreted_packed_char4_e871[2] + reinterpreted_packed_char4_e870[3] * reinterpreted_packed_char4_e871[3])));
                metal::uint4 a10_ = row_acts.inner[((g_4 * 16u) + 4u) + 0u];
                int _e883 = s0_;
                uint _e886 = w1_.x & 50529027u;
                uint _e887 = a10_.x;
                packed_char4 reinterpreted_packed_char4_e886 = as_type<packed_char4>(_e886);
                packed_char4 reinterpreted_packed_char4_e887 = as_type<packed_char4>(_e887);
                s0_ = as_type<int>(as_type<uint>(_e883) + as_type<uint>(( + reinterpreted_packed_char4_e886[0] * reinterpreted_packed_char4_e887[0] + reinterpreted_packed_char4_e886[1] * reinterpreted_packed_char4_e887[1] + reinterpreted_packed_char4_e886[2] * reinterpreted_packed_char4_e887[2] + reinterpreted_packed_char4_e886[3] * reinterpreted_packed_char4_e887[3])));
                int _e890 = s1_;
                uint _e893 = w1_.x & 202116108u;
                uint _e894 = a10_.y;
                packed_char4 reinterpreted_packed_char4_e893 = as_type<packed_char4>(_e893);
                packed_char4 reinterpreted_packed_char4_e894 = as_type<packed_char4>(_e894);
                s1_ = as_type<int>(as_type<uint>(_e890) + as_type<uint>(( + reinterpreted_packed_char4_e893[0] * reinterpreted_packed_char4_e894[0] + reinterpreted_packed_char4_e893[1] * reinterpreted_packed_char4_e894[1] + reinterpreted_packed_char4_e893[2] * reinterpreted_packed_char4_e894[2] + reinterpreted_packed_char4_e893[3] * reinterpreted_packed_char4_e894[3])));
                int _e897 = s2_;
                uint _e900 = w1_.x & 808464432u;
                uint _e901 = a10_.z;
                packed_char4 reinterpreted_packed_char4_e900 = as_type<packed_char4>(_e900);
                packed_char4 reinterpreted_packed_char4_e901 = as_type<packed_char4>(_e901);
                s2_ = as_type<int>(as_type<uint>(_e897) + as_type<uint>(( + reinterpreted_packed_char4_e900[0] * reinterpreted_packed_char4_e901[0] + reinterpreted_packed_char4_e900[1] * reinterpreted_packed_char4_e901[1] + reinterpreted_packed_char4_e900[2] * reinterpreted_packed_char4_e901[2] + reinterpreted_packed_char4_e900[3] * reinterpreted_packed_char4_e901[3])));
                int _e904 = s3_;
                uint _e909 = (w1_.x >> 6u) & 50529027u;
                uint _e910 = a10_.w;
                packed_char4 reinterpreted_packed_char4_e909 = as_type<packed_char4>(_e909);
                packed_char4 reinterpreted_packed_char4_e910 = as_type<packed_char4>(_e910);
                s3_ = as_type<int>(as_type<uint>(_e904) + as_type<uint>(( + reinterpreted_packed_char4_e909[0] * reinterpreted_packed_char4_e910[0] + reinterpreted_packed_char4_e909[1] * reinterpreted_packed_char4_e910[1] + reinterpreted_packed_char4_e909[2] * reinterpreted_packed_char4_e910[2] + reinterpreted_packed_char4_e909[3] * reinterpreted_packed_char4_e910[3])));
                metal::uint4 a11_ = row_acts.inner[((g_4 * 16u) + 4u) + 1u];
                int _e922 = s0_;
                uint _e925 = w1_.y & 50529027u;
                uint _e926 = a11_.x;
                packed_char4 reinterpreted_packed_char4_e925 = as_type<packed_char4>(_e925);
                packed_char4 reinterpreted_packed_char4_e926 = as_type<packed_char4>(_e926);
                s0_ = as_type<int>(as_type<uint>(_e922) + as_type<uint>(( + reinterpreted_packed_char4_e925[0] * reinterpreted_packed_char4_e926[0] + reinterpreted_packed_char4_e925[1] * reinterpreted_packed_char4_e926[1] + reinterpreted_packed_char4_e925[2] * reinterpreted_packed_char4_e926[2] + reinterpreted_packed_char4_e925[3] * reinterpreted_packed_char4_e926[3])));
                int _e929 = s1_;
                uint _e932 = w1_.y & 202116108u;
                uint _e933 = a11_.y;
                packed_char4 reinterpreted_packed_char4_e932 = as_type<packed_char4>(_e932);
                packed_char4 reinterpreted_packed_char4_e933 = as_type<packed_char4>(_e933);
                s1_ = as_type<int>(as_type<uint>(_e929) + as_type<uint>(( + reinterpreted_packed_char4_e932[0] * reinterpreted_packed_char4_e933[0] + reinterpreted_packed_char4_e932[1] * reinterpreted_packed_char4_e933[1] + reinterpreted_packed_char4_e932[2] * reinterpreted_packed_char4_e933[2] + reinterpreted_packed_char4_e932[3] * reinterpreted_packed_char4_e933[3])));
                int _e936 = s2_;
                uint _e939 = w1_.y & 808464432u;
                uint _e940 = a11_.z;
                packed_char4 reinterpreted_packed_char4_e939 = as_type<packed_char4>(_e939);
                packed_char4 reinterpreted_packed_char4_e940 = as_type<packed_char4>(_e940);
                s2_ = as_type<int>(as_type<uint>(_e936) + as_type<uint>(( + reinterpreted_packed_char4_e939[0] * reinterpreted_packed_char4_e940[0] + reinterpreted_packed_char4_e939[1] * reinterpreted_packed_char4_e940[1] + reinterpreted_packed_char4_e939[2] * reinterpreted_packed_char4_e940[2] + reinterpreted_packed_char4_e939[3] * reinterpreted_packed_char4_e940[3])));
                int _e943 = s3_;
                uint _e948 = (w1_.y >> 6u) & 50529027u;
                uint _e949 = a11_.w;
                packed_char4 reinterpreted_packed_char4_e948 = as_type<packed_char4>(_e948);
                packed_char4 reinterpreted_packed_char4_e949 = as_type<packed_char4>(_e949);
                s3_ = as_type<int>(as_type<uint>(_e943) + as_type<uint>(( + reinterpreted_packed_char4_e948[0] * reinterpreted_packed_char4_e949[0] + reinterpreted_packed_char4_e948[1] * reinterpreted_packed_char4_e949[1] + reinterpreted_packed_char4_e948[2] * reinterpreted_packed_char4_e949[2] + reinterpreted_packed_char4_e948[3] * reinterpreted_packed_char4_e949[3])));
                metal::uint4 a12_ = row_acts.inner[((g_4 * 16u) + 4u) + 2u];
                int _e961 = s0_;
                uint _e964 = w1_.z & 50529027u;
                uint _e965 = a12_.x;
                packed_char4 reinterpreted_packed_char4_e964 = as_type<packed_char4>(_e964);
                packed_char4 reinterpreted_packed_char4_e965 = as_type<packed_char4>(_e965);
                s0_ = as_type<int>(as_type<uint>(_e961) + as_type<uint>(( + reinterpreted_packed_char4_e964[0] * reinterpreted_packed_char4_e965[0] + reinterpreted_packed_char4_e964[1] * reinterpreted_packed_char4_e965[1] + reinterpreted_packed_char4_e964[2] * reinterpreted_packed_char4_e965[2] + reinterpreted_packed_char4_e964[3] * reinterpreted_packed_char4_e965[3])));
                int _e968 = s1_;
                uint _e971 = w1_.z & 202116108u;
                uint _e972 = a12_.y;
                packed_char4 reinterpreted_packed_char4_e971 = as_type<packed_char4>(_e971);
                packed_char4 reinterpreted_packed_char4_e972 = as_type<packed_char4>(_e972);
                s1_ = as_type<int>(as_type<uint>(_e968) + as_type<uint>(( + reinterpreted_packed_char4_e971[0] * reinterpreted_packed_char4_e972[0] + reinterpreted_packed_char4_e971[1] * reinterpreted_packed_char4_e972[1] + reinterpreted_packed_char4_e971[2] * reinterpreted_packed_char4_e972[2] + reinterpreted_packed_char4_e971[3] * reinterpreted_packed_char4_e972[3])));
                int _e975 = s2_;
                uint _e978 = w1_.z & 808464432u;
                uint _e979 = a12_.z;
                packed_char4 reinterpreted_packed_char4_e978 = as_type<packed_char4>(_e978);
                packed_char4 reinterpreted_packed_char4_e979 = as_type<packed_char4>(_e979);
                s2_ = as_type<int>(as_type<uint>(_e975) + as_type<uint>(( + reinterpreted_packed_char4_e978[0] * reinterpreted_packed_char4_e979[0] + reinterpreted_packed_char4_e978[1] * reinterpreted_packed_char4_e979[1] + reinterpreted_packed_char4_e978[2] * reinterpreted_packed_char4_e979[2] + reinterpreted_packed_char4_e978[3] * reinterpreted_packed_char4_e979[3])));
                int _e982 = s3_;
                uint _e987 = (w1_.z >> 6u) & 50529027u;
                uint _e988 = a12_.w;
                packed_char4 reinterpreted_packed_char4_e987 = as_type<packed_char4>(_e987);
                packed_char4 reinterpreted_packed_char4_e988 = as_type<packed_char4>(_e988);
                s3_ = as_type<int>(as_type<uint>(_e982) + as_type<uint>(( + reinterpreted_packed_char4_e987[0] * reinterpreted_packed_char4_e988[0] + reinterpreted_packed_char4_e987[1] * reinterpreted_packed_char4_e988[1] + reinterpreted_packed_char4_e987[2] * reinterpreted_packed_char4_e988[2] + reinterpreted_packed_char4_e987[3] * reinterpreted_packed_char4_e988[3])));
                metal::uint4 a13_ = row_acts.inner[((g_4 * 16u) + 4u) + 3u];
                int _e1000 = s0_;
                uint _e1003 = w1_.w & 50529027u;
                uint _e1004 = a13_.x;
                packed_char4 reinterpreted_packed_char4_e1003 = as_type<packed_char4>(_e1003);
                packed_char4 reinterpreted_packed_char4_e1004 = as_type<packed_char4>(_e1004);
                s0_ = as_type<int>(as_type<uint>(_e1000) + as_type<uint>(( + reinterpreted_packed_char4_e1003[0] * reinterpreted_packed_char4_e1004[0] + reinterpreted_packed_char4_e1003[1] * reinterpreted_packed_char4_e1004[1] + reinterpreted_packed_char4_e1003[2] * reinterpreted_packed_char4_e1004[2] + reinterpreted_packed_char4_e1003[3] * reinterpreted_packed_char4_e1004[3])));
                int _e1007 = s1_;
                uint _e1010 = w1_.w & 202116108u;
                uint _e1011 = a13_.y;
                packed_char4 reinterpreted_packed_char4_e1010 = as_type<packed_char4>(_e1010);
                packed_char4 reinterpreted_packed_char4_e1011 = as_type<packed_char4>(_e1011);
                s1_ = as_type<int>(as_type<uint>(_e1007) + as_type<uint>(( + reinterpreted_packed_char4_e1010[0] * reinterpreted_packed_char4_e1011[0] + reinterpreted_packed_char4_e1010[1] * reinterpreted_packed_char4_e1011[1] + reinterpreted_packed_char4_e1010[2] * reinterpreted_packed_char4_e1011[2] + reinterpreted_packed_char4_e1010[3] * reinterpreted_packed_char4_e1011[3])));
                int _e1014 = s2_;
                uint _e1017 = w1_.w & 808464432u;
                uint _e1018 = a13_.z;
                packed_char4 reinterpreted_packed_char4_e1017 = as_type<packed_char4>(_e1017);
                packed_char4 reinterpreted_packed_char4_e1018 = as_type<packed_char4>(_e1018);
                s2_ = as_type<int>(as_type<uint>(_e1014) + as_type<uint>(( + reinterpreted_packed_char4_e1017[0] * reinterpreted_packed_char4_e1018[0] + reinterpreted_packed_char4_e1017[1] * reinterpreted_packed_char4_e1018[1] + reinterpreted_packed_char4_e1017[2] * reinterpreted_packed_char4_e1018[2] + reinterpreted_packed_char4_e1017[3] * reinterpreted_packed_char4_e1018[3])));
                int _e1021 = s3_;
                uint _e1026 = (w1_.w >> 6u) & 50529027u;
                uint _e1027 = a13_.w;
                packed_char4 reinterpreted_packed_char4_e1026 = as_type<packed_char4>(_e1026);
                packed_char4 reinterpreted_packed_char4_e1027 = as_type<packed_char4>(_e1027);
                s3_ = as_type<int>(as_type<uint>(_e1021) + as_type<uint>(( + reinterpreted_packed_char4_e1026[0] * reinterpreted_packed_char4_e1027[0] + reinterpreted_packed_char4_e1026[1] * reinterpreted_packed_char4_e1027[1] + reinterpreted_packed_char4_e1026[2] * reinterpreted_packed_char4_e1027[2] + reinterpreted_packed_char4_e1026[3] * reinterpreted_packed_char4_e1027[3])));
                metal::uint4 a20_ = row_acts.inner[((g_4 * 16u) + 8u) + 0u];
                int _e1039 = s0_;
                uint _e1042 = w2_.x & 50529027u;
                uint _e1043 = a20_.x;
                packed_char4 reinterpreted_packed_char4_e1042 = as_type<packed_char4>(_e1042);
                packed_char4 reinterpreted_packed_char4_e1043 = as_type<packed_char4>(_e1043);
                s0_ = as_type<int>(as_type<uint>(_e1039) + as_type<uint>(( + reinterpreted_packed_char4_e1042[0] * reinterpreted_packed_char4_e1043[0] + reinterpreted_packed_char4_e1042[1] * reinterpreted_packed_char4_e1043[1] + reinterpreted_packed_char4_e1042[2] * reinterpreted_packed_char4_e1043[2] + reinterpreted_packed_char4_e1042[3] * reinterpreted_packed_char4_e1043[3])));
                int _e1046 = s1_;
                uint _e1049 = w2_.x & 202116108u;
                uint _e1050 = a20_.y;
                packed_char4 reinterpreted_packed_char4_e1049 = as_type<packed_char4>(_e1049);
                packed_char4 reinterpreted_packed_char4_e1050 = as_type<packed_char4>(_e1050);
                s1_ = as_type<int>(as_type<uint>(_e1046) + as_type<uint>(( + reinterpreted_packed_char4_e1049[0] * reinterpreted_packed_char4_e1050[0] + reinterpreted_packed_char4_e1049[1] * reinterpreted_packed_char4_e1050[1] + reinterpreted_packed_char4_e1049[2] * reinterpreted_packed_char4_e1050[2] + reinterpreted_packed_char4_e1049[3] * reinterpreted_packed_char4_e1050[3])));
                int _e1053 = s2_;
                uint _e1056 = w2_.x & 808464432u;
                uint _e1057 = a20_.z;
                packed_char4 reinterpreted_packed_char4_e1056 = as_type<packed_char4>(_e1056);
                packed_char4 reinterpreted_packed_char4_e1057 = as_type<packed_char4>(_e1057);
                s2_ = as_type<int>(as_type<uint>(_e1053) + as_type<uint>(( + reinterpreted_packed_char4_e1056[0] * reinterpreted_packed_char4_e1057[0] + reinterpreted_packed_char4_e1056[1] * reinterpreted_packed_char4_e1057[1] + reinterpreted_packed_char4_e1056[2] * reinterpreted_packed_char4_e1057[2] + reinterpreted_packed_char4_e1056[3] * reinterpreted_packed_char4_e1057[3])));
                int _e1060 = s3_;
                uint _e1065 = (w2_.x >> 6u) & 50529027u;
                uint _e1066 = a20_.w;
                packed_char4 reinterpreted_packed_char4_e1065 = as_type<packed_char4>(_e1065);
                packed_char4 reinterpreted_packed_char4_e1066 = as_type<packed_char4>(_e1066);
                s3_ = as_type<int>(as_type<uint>(_e1060) + as_type<uint>(( + reinterpreted_packed_char4_e1065[0] * reinterpreted_packed_char4_e1066[0] + reinterpreted_packed_char4_e1065[1] * reinterpreted_packed_char4_e1066[1] + reinterpreted_packed_char4_e1065[2] * reinterpreted_packed_char4_e1066[2] + reinterpreted_packed_char4_e1065[3] * reinterpreted_packed_char4_e1066[3])));
                metal::uint4 a21_ = row_acts.inner[((g_4 * 16u) + 8u) + 1u];
                int _e1078 = s0_;
                uint _e1081 = w2_.y & 50529027u;
                uint _e1082 = a21_.x;
                packed_char4 reinterpreted_packed_char4_e1081 = as_type<packed_char4>(_e1081);
                packed_char4 reinterpreted_packed_char4_e1082 = as_type<packed_char4>(_e1082);
                s0_ = as_type<int>(as_type<uint>(_e1078) + as_type<uint>(( + reinterpreted_packed_char4_e1081[0] * reinterpreted_packed_char4_e1082[0] + reinterpreted_packed_char4_e1081[1] * reinterpreted_packed_char4_e1082[1] + reinterpreted_packed_char4_e1081[2] * reinterpreted_packed_char4_e1082[2] + reinterpreted_packed_char4_e1081[3] * reinterpreted_packed_char4_e1082[3])));
                int _e1085 = s1_;
                uint _e1088 = w2_.y & 202116108u;
                uint _e1089 = a21_.y;
                packed_char4 reinterpreted_packed_char4_e1088 = as_type<packed_char4>(_e1088);
                packed_char4 reinterpreted_packed_char4_e1089 = as_type<packed_char4>(_e1089);
                s1_ = as_type<int>(as_type<uint>(_e1085) + as_type<uint>(( + reinterpreted_packed_char4_e1088[0] * reinterpreted_packed_char4_e1089[0] + reinterpreted_packed_char4_e1088[1] * reinterpreted_packed_char4_e1089[1] + reinterpreted_packed_char4_e1088[2] * reinterpreted_packed_char4_e1089[2] + reinterpreted_packed_char4_e1088[3] * reinterpreted_packed_char4_e1089[3])));
                int _e1092 = s2_;
                uint _e1095 = w2_.y & 808464432u;
                uint _e1096 = a21_.z;
                packed_char4 reinterpreted_packed_char4_e1095 = as_type<packed_char4>(_e1095);
                packed_char4 reinterpreted_packed_char4_e1096 = as_type<packed_char4>(_e1096);
                s2_ = as_type<int>(as_type<uint>(_e1092) + as_type<uint>(( + reinterpreted_packed_char4_e1095[0] * reinterpreted_packed_char4_e1096[0] + reinterpreted_packed_char4_e1095[1] * reinterpreted_packed_char4_e1096[1] + reinterpreted_packed_char4_e1095[2] * reinterpreted_packed_char4_e1096[2] + reinterpreted_packed_char4_e1095[3] * reinterpreted_packed_char4_e1096[3])));
                int _e1099 = s3_;
                uint _e1104 = (w2_.y >> 6u) & 50529027u;
                uint _e1105 = a21_.w;
                packed_char4 reinterpreted_packed_char4_e1104 = as_type<packed_char4>(_e1104);
                packed_char4 reinterpreted_packed_char4_e1105 = as_type<packed_char4>(_e1105);
                s3_ = as_type<int>(as_type<uint>(_e1099) + as_type<uint>(( + reinterpreted_packed_char4_e1104[0] * reinterpreted_packed_char4_e1105[0] + reinterpreted_packed_char4_e1104[1] * reinterpreted_packed_char4_e1105[1] + reinterpreted_packed_char4_e1104[2] * reinterpreted_packed_char4_e1105[2] + reinterpreted_packed_char4_e1104[3] * reinterpreted_packed_char4_e1105[3])));
                metal::uint4 a22_ = row_acts.inner[((g_4 * 16u) + 8u) + 2u];
                int _e1117 = s0_;
                uint _e1120 = w2_.z & 50529027u;
                uint _e1121 = a22_.x;
                packed_char4 reinterpreted_packed_char4_e1120 = as_type<packed_char4>(_e1120);
                packed_char4 reinterpreted_packed_char4_e1121 = as_type<packed_char4>(_e1121);
                s0_ = as_type<int>(as_type<uint>(_e1117) + as_type<uint>(( + reinterpreted_packed_char4_e1120[0] * reinterpreted_packed_char4_e1121[0] + reinterpreted_packed_char4_e1120[1] * reinterpreted_packed_char4_e1121[1] + reinterpreted_packed_char4_e1120[2] * reinterpreted_packed_char4_e1121[2] + reinterpreted_packed_char4_e1120[3] * reinterpreted_packed_char4_e1121[3])));
                int _e1124 = s1_;
                uint _e1127 = w2_.z & 202116108u;
                uint _e1128 = a22_.y;
                packed_char4 reinterpreted_packed_char4_e1127 = as_type<packed_char4>(_e1127);
                packed_char4 reinterpreted_packed_char4_e1128 = as_type<packed_char4>(_e1128);
                s1_ = as_type<int>(as_type<uint>(_e1124) + as_type<uint>(( + reinterpreted_packed_char4_e1127[0] * reinterpreted_packed_char4_e1128[0] + reinterpreted_packed_char4_e1127[1] * reinterpreted_packed_char4_e1128[1] + reinterpreted_packed_char4_e1127[2] * reinterpreted_packed_char4_e1128[2] + reinterpreted_packed_char4_e1127[3] * reinterpreted_packed_char4_e1128[3])));
                int _e1131 = s2_;
                uint _e1134 = w2_.z & 808464432u;
                uint _e1135 = a22_.z;
                packed_char4 reinterpreted_packed_char4_e1134 = as_type<packed_char4>(_e1134);
                packed_char4 reinterpreted_packed_char4_e1135 = as_type<packed_char4>(_e1135);
                s2_ = as_type<int>(as_type<uint>(_e1131) + as_type<uint>(( + reinterpreted_packed_char4_e1134[0] * reinterpreted_packed_char4_e1135[0] + reinterpreted_packed_char4_e1134[1] * reinterpreted_packed_char4_e1135[1] + reinterpreted_packed_char4_e1134[2] * reinterpreted_packed_char4_e1135[2] + reinterpreted_packed_char4_e1134[3] * reinterpreted_packed_char4_e1135[3])));
                int _e1138 = s3_;
                uint _e1143 = (w2_.z >> 6u) & 50529027u;
                uint _e1144 = a22_.w;
                packed_char4 reinterpreted_packed_char4_e1143 = as_type<packed_char4>(_e1143);
                packed_char4 reinterpreted_packed_char4_e1144 = as_type<packed_char4>(_e1144);
                s3_ = as_type<int>(as_type<uint>(_e1138) + as_type<uint>(( + reinterpreted_packed_char4_e1143[0] * reinterpreted_packed_char4_e1144[0] + reinterpreted_packed_char4_e1143[1] * reinterpreted_packed_char4_e1144[1] + reinterpreted_packed_char4_e1143[2] * reinterpreted_packed_char4_e1144[2] + reinterpreted_packed_char4_e1143[3] * reinterpreted_packed_char4_e1144[3])));
                metal::uint4 a23_ = row_acts.inner[((g_4 * 16u) + 8u) + 3u];
                int _e1156 = s0_;
                uint _e1159 = w2_.w & 50529027u;
                uint _e1160 = a23_.x;
                packed_char4 reinterpreted_packed_char4_e1159 = as_type<packed_char4>(_e1159);
                packed_char4 reinterpreted_packed_char4_e1160 = as_type<packed_char4>(_e1160);
                s0_ = as_type<int>(as_type<uint>(_e1156) + as_type<uint>(( + reinterpreted_packed_char4_e1159[0] * reinterpreted_packed_char4_e1160[0] + reinterpreted_packed_char4_e1159[1] * reinterpreted_packed_char4_e1160[1] + reinterpreted_packed_char4_e1159[2] * reinterpreted_packed_char4_e1160[2] + reinterpreted_packed_char4_e1159[3] * reinterpreted_packed_char4_e1160[3])));
                int _e1163 = s1_;
                uint _e1166 = w2_.w & 202116108u;
                uint _e1167 = a23_.y;
                packed_char4 reinterpreted_packed_char4_e1166 = as_type<packed_char4>(_e1166);
                packed_char4 reinterpreted_packed_char4_e1167 = as_type<packed_char4>(_e1167);
                s1_ = as_type<int>(as_type<uint>(_e1163) + as_type<uint>(( + reinterpreted_packed_char4_e1166[0] * reinterpreted_packed_char4_e1167[0] + reinterpreted_packed_char4_e1166[1] * reinterpreted_packed_char4_e1167[1] + reinterpreted_packed_char4_e1166[2] * reinterpreted_packed_char4_e1167[2] + reinterpreted_packed_char4_e1166[3] * reinterpreted_packed_char4_e1167[3])));
                int _e1170 = s2_;
                uint _e1173 = w2_.w & 808464432u;
                uint _e1174 = a23_.z;
                packed_char4 reinterpreted_packed_char4_e1173 = as_type<packed_char4>(_e1173);
                packed_char4 reinterpreted_packed_char4_e1174 = as_type<packed_char4>(_e1174);
                s2_ = as_type<int>(as_type<uint>(_e1170) + as_type<uint>(( + reinterpreted_packed_char4_e1173[0] * reinterpreted_packed_char4_e1174[0] + reinterpreted_packed_char4_e1173[1] * reinterpreted_packed_char4_e1174[1] + reinterpreted_packed_char4_e1173[2] * reinterpreted_packed_char4_e1174[2] + reinterpreted_packed_char4_e1173[3] * reinterpreted_packed_char4_e1174[3])));
                int _e1177 = s3_;
                uint _e1182 = (w2_.w >> 6u) & 50529027u;
                uint _e1183 = a23_.w;
                packed_char4 reinterpreted_packed_char4_e1182 = as_type<packed_char4>(_e1182);
                packed_char4 reinterpreted_packed_char4_e1183 = as_type<packed_char4>(_e1183);
                s3_ = as_type<int>(as_type<uint>(_e1177) + as_type<uint>(( + reinterpreted_packed_char4_e1182[0] * reinterpreted_packed_char4_e1183[0] + reinterpreted_packed_char4_e1182[1] * reinterpreted_packed_char4_e1183[1] + reinterpreted_packed_char4_e1182[2] * reinterpreted_packed_char4_e1183[2] + reinterpreted_packed_char4_e1182[3] * reinterpreted_packed_char4_e1183[3])));
                metal::uint4 a30_ = row_acts.inner[((g_4 * 16u) + 12u) + 0u];
                int _e1195 = s0_;
                uint _e1198 = w3_.x & 50529027u;
                uint _e1199 = a30_.x;
                packed_char4 reinterpreted_packed_char4_e1198 = as_type<packed_char4>(_e1198);
                packed_char4 reinterpreted_packed_char4_e1199 = as_type<packed_char4>(_e1199);
                s0_ = as_type<int>(as_type<uint>(_e1195) + as_type<uint>(( + reinterpreted_packed_char4_e1198[0] * reinterpreted_packed_char4_e1199[0] + reinterpreted_packed_char4_e1198[1] * reinterpreted_packed_char4_e1199[1] + reinterpreted_packed_char4_e1198[2] * reinterpreted_packed_char4_e1199[2] + reinterpreted_packed_char4_e1198[3] * reinterpreted_packed_char4_e1199[3])));
                int _e1202 = s1_;
                uint _e1205 = w3_.x & 202116108u;
                uint _e1206 = a30_.y;
                packed_char4 reinterpreted_packed_char4_e1205 = as_type<packed_char4>(_e1205);
                packed_char4 reinterpreted_packed_char4_e1206 = as_type<packed_char4>(_e1206);
                s1_ = as_type<int>(as_type<uint>(_e1202) + as_type<uint>(( + reinterpreted_packed_char4_e1205[0] * reinterpreted_packed_char4_e1206[0] + reinterpreted_packed_char4_e1205[1] * reinterpreted_packed_char4_e1206[1] + reinterpreted_packed_char4_e1205[2] * reinterpreted_packed_char4_e1206[2] + reinterpreted_packed_char4_e1205[3] * reinterpreted_packed_char4_e1206[3])));
                int _e1209 = s2_;
                uint _e1212 = w3_.x & 808464432u;
                uint _e1213 = a30_.z;
                packed_char4 reinterpreted_packed_char4_e1212 = as_type<packed_char4>(_e1212);
                packed_char4 reinterpreted_packed_char4_e1213 = as_type<packed_char4>(_e1213);
                s2_ = as_type<int>(as_type<uint>(_e1209) + as_type<uint>(( + reinterpreted_packed_char4_e1212[0] * reinterpreted_packed_char4_e1213[0] + reinterpreted_packed_char4_e1212[1] * reinterpreted_packed_char4_e1213[1] + reinterpreted_packed_char4_e1212[2] * reinterpreted_packed_char4_e1213[2] + reinterpreted_packed_char4_e1212[3] * reinterpreted_packed_char4_e1213[3])));
                int _e1216 = s3_;
                uint _e1221 = (w3_.x >> 6u) & 50529027u;
                uint _e1222 = a30_.w;
                packed_char4 reinterpreted_packed_char4_e1221 = as_type<packed_char4>(_e1221);
                packed_char4 reinterpreted_packed_char4_e1222 = as_type<packed_char4>(_e1222);
                s3_ = as_type<int>(as_type<uint>(_e1216) + as_type<uint>(( + reinterpreted_packed_char4_e1221[0] * reinterpreted_packed_char4_e1222[0] + reinterpreted_packed_char4_e1221[1] * reinterpreted_packed_char4_e1222[1] + reinterpreted_packed_char4_e1221[2] * reinterpreted_packed_char4_e1222[2] + reinterpreted_packed_char4_e1221[3] * reinterpreted_packed_char4_e1222[3])));
                metal::uint4 a31_ = row_acts.inner[((g_4 * 16u) + 12u) + 1u];
                int _e1234 = s0_;
                uint _e1237 = w3_.y & 50529027u;
                uint _e1238 = a31_.x;
                packed_char4 reinterpreted_packed_char4_e1237 = as_type<packed_char4>(_e1237);
                packed_char4 reinterpreted_packed_char4_e1238 = as_type<packed_char4>(_e1238);
                s0_ = as_type<int>(as_type<uint>(_e1234) + as_type<uint>(( + reinterpreted_packed_char4_e1237[0] * reinterpreted_packed_char4_e1238[0] + reinterpreted_packed_char4_e1237[1] * reinterpreted_packed_char4_e1238[1] + reinterpreted_packed_char4_e1237[2] * reinterpreted_packed_char4_e1238[2] + reinterpreted_packed_char4_e1237[3] * reinterpreted_packed_char4_e1238[3])));
                int _e1241 = s1_;
                uint _e1244 = w3_.y & 202116108u;
                uint _e1245 = a31_.y;
                packed_char4 reinterpreted_packed_char4_e1244 = as_type<packed_char4>(_e1244);
                packed_char4 reinterpreted_packed_char4_e1245 = as_type<packed_char4>(_e1245);
                s1_ = as_type<int>(as_type<uint>(_e1241) + as_type<uint>(( + reinterpreted_packed_char4_e1244[0] * reinterpreted_packed_char4_e1245[0] + reinterpreted_packed_char4_e1244[1] * reinterpreted_packed_char4_e1245[1] + reinterpreted_packed_char4_e1244[2] * reinterpreted_packed_char4_e1245[2] + reinterpreted_packed_char4_e1244[3] * reinterpreted_packed_char4_e1245[3])));
                int _e1248 = s2_;
                uint _e1251 = w3_.y & 808464432u;
                uint _e1252 = a31_.z;
                packed_char4 reinterpreted_packed_char4_e1251 = as_type<packed_char4>(_e1251);
                packed_char4 reinterpreted_packed_char4_e1252 = as_type<packed_char4>(_e1252);
                s2_ = as_type<int>(as_type<uint>(_e1248) + as_type<uint>(( + reinterpreted_packed_char4_e1251[0] * reinterpreted_packed_char4_e1252[0] + reinterpreted_packed_char4_e1251[1] * reinterpreted_packed_char4_e1252[1] + reinterpreted_packed_char4_e1251[2] * reinterpreted_packed_char4_e1252[2] + reinterpreted_packed_char4_e1251[3] * reinterpreted_packed_char4_e1252[3])));
                int _e1255 = s3_;
                uint _e1260 = (w3_.y >> 6u) & 50529027u;
                uint _e1261 = a31_.w;
                packed_char4 reinterpreted_packed_char4_e1260 = as_type<packed_char4>(_e1260);
                packed_char4 reinterpreted_packed_char4_e1261 = as_type<packed_char4>(_e1261);
                s3_ = as_type<int>(as_type<uint>(_e1255) + as_type<uint>(( + reinterpreted_packed_char4_e1260[0] * reinterpreted_packed_char4_e1261[0] + reinterpreted_packed_char4_e1260[1] * reinterpreted_packed_char4_e1261[1] + reinterpreted_packed_char4_e1260[2] * reinterpreted_packed_char4_e1261[2] + reinterpreted_packed_char4_e1260[3] * reinterpreted_packed_char4_e1261[3])));
                metal::uint4 a32_ = row_acts.inner[((g_4 * 16u) + 12u) + 2u];
                int _e1273 = s0_;
                uint _e1276 = w3_.z & 50529027u;
                uint _e1277 = a32_.x;
                packed_char4 reinterpreted_packed_char4_e1276 = as_type<packed_char4>(_e1276);
                packed_char4 reinterpreted_packed_char4_e1277 = as_type<packed_char4>(_e1277);
                s0_ = as_type<int>(as_type<uint>(_e1273) + as_type<uint>(( + reinterpreted_packed_char4_e1276[0] * reinterpreted_packed_char4_e1277[0] + reinterpreted_packed_char4_e1276[1] * reinterpreted_packed_char4_e1277[1] + reinterpreted_packed_char4_e1276[2] * reinterpreted_packed_char4_e1277[2] + reinterpreted_packed_char4_e1276[3] * reinterpreted_packed_char4_e1277[3])));
                int _e1280 = s1_;
                uint _e1283 = w3_.z & 202116108u;
                uint _e1284 = a32_.y;
                packed_char4 reinterpreted_packed_char4_e1283 = as_type<packed_char4>(_e1283);
                packed_char4 reinterpreted_packed_char4_e1284 = as_type<packed_char4>(_e1284);
                s1_ = as_type<int>(as_type<uint>(_e1280) + as_type<uint>(( + reinterpreted_packed_char4_e1283[0] * reinterpreted_packed_char4_e1284[0] + reinterpreted_packed_char4_e1283[1] * reinterpreted_packed_char4_e1284[1] + reinterpreted_packed_char4_e1283[2] * reinterpreted_packed_char4_e1284[2] + reinterpreted_packed_char4_e1283[3] * reinterpreted_packed_char4_e1284[3])));
                int _e1287 = s2_;
                uint _e1290 = w3_.z & 808464432u;
                uint _e1291 = a32_.z;
                packed_char4 reinterpreted_packed_char4_e1290 = as_type<packed_char4>(_e1290);
                packed_char4 reinterpreted_packed_char4_e1291 = as_type<packed_char4>(_e1291);
                s2_ = as_type<int>(as_type<uint>(_e1287) + as_type<uint>(( + reinterpreted_packed_char4_e1290[0] * reinterpreted_packed_char4_e1291[0] + reinterpreted_packed_char4_e1290[1] * reinterpreted_packed_char4_e1291[1] + reinterpreted_packed_char4_e1290[2] * reinterpreted_packed_char4_e1291[2] + reinterpreted_packed_char4_e1290[3] * reinterpreted_packed_char4_e1291[3])));
                int _e1294 = s3_;
                uint _e1299 = (w3_.z >> 6u) & 50529027u;
                uint _e1300 = a32_.w;
                packed_char4 reinterpreted_packed_char4_e1299 = as_type<packed_char4>(_e1299);
                packed_char4 reinterpreted_packed_char4_e1300 = as_type<packed_char4>(_e1300);
                s3_ = as_type<int>(as_type<uint>(_e1294) + as_type<uint>(( + reinterpreted_packed_char4_e1299[0] * reinterpreted_packed_char4_e1300[0] + reinterpreted_packed_char4_e1299[1] * reinterpreted_packed_char4_e1300[1] + reinterpreted_packed_char4_e1299[2] * reinterpreted_packed_char4_e1300[2] + reinterpreted_packed_char4_e1299[3] * reinterpreted_packed_char4_e1300[3])));
                metal::uint4 a33_ = row_acts.inner[((g_4 * 16u) + 12u) + 3u];
                int _e1312 = s0_;
                uint _e1315 = w3_.w & 50529027u;
                uint _e1316 = a33_.x;
                packed_char4 reinterpreted_packed_char4_e1315 = as_type<packed_char4>(_e1315);
                packed_char4 reinterpreted_packed_char4_e1316 = as_type<packed_char4>(_e1316);
                s0_ = as_type<int>(as_type<uint>(_e1312) + as_type<uint>(( + reinterpreted_packed_char4_e1315[0] * reinterpreted_packed_char4_e1316[0] + reinterpreted_packed_char4_e1315[1] * reinterpreted_packed_char4_e1316[1] + reinterpreted_packed_char4_e1315[2] * reinterpreted_packed_char4_e1316[2] + reinterpreted_packed_char4_e1315[3] * reinterpreted_packed_char4_e1316[3])));
                int _e1319 = s1_;
                uint _e1322 = w3_.w & 202116108u;
                uint _e1323 = a33_.y;
                packed_char4 reinterpreted_packed_char4_e1322 = as_type<packed_char4>(_e1322);
                packed_char4 reinterpreted_packed_char4_e1323 = as_type<packed_char4>(_e1323);
                s1_ = as_type<int>(as_type<uint>(_e1319) + as_type<uint>(( + reinterpreted_packed_char4_e1322[0] * reinterpreted_packed_char4_e1323[0] + reinterpreted_packed_char4_e1322[1] * reinterpreted_packed_char4_e1323[1] + reinterpreted_packed_char4_e1322[2] * reinterpreted_packed_char4_e1323[2] + reinterpreted_packed_char4_e1322[3] * reinterpreted_packed_char4_e1323[3])));
                int _e1326 = s2_;
                uint _e1329 = w3_.w & 808464432u;
                uint _e1330 = a33_.z;
                packed_char4 reinterpreted_packed_char4_e1329 = as_type<packed_char4>(_e1329);
                packed_char4 reinterpreted_packed_char4_e1330 = as_type<packed_char4>(_e1330);
                s2_ = as_type<int>(as_type<uint>(_e1326) + as_type<uint>(( + reinterpreted_packed_char4_e1329[0] * reinterpreted_packed_char4_e1330[0] + reinterpreted_packed_char4_e1329[1] * reinterpreted_packed_char4_e1330[1] + reinterpreted_packed_char4_e1329[2] * reinterpreted_packed_char4_e1330[2] + reinterpreted_packed_char4_e1329[3] * reinterpreted_packed_char4_e1330[3])));
                int _e1333 = s3_;
                uint _e1338 = (w3_.w >> 6u) & 50529027u;
                uint _e1339 = a33_.w;
                packed_char4 reinterpreted_packed_char4_e1338 = as_type<packed_char4>(_e1338);
                packed_char4 reinterpreted_packed_char4_e1339 = as_type<packed_char4>(_e1339);
                s3_ = as_type<int>(as_type<uint>(_e1333) + as_type<uint>(( + reinterpreted_packed_char4_e1338[0] * reinterpreted_packed_char4_e1339[0] + reinterpreted_packed_char4_e1338[1] * reinterpreted_packed_char4_e1339[1] + reinterpreted_packed_char4_e1338[2] * reinterpreted_packed_char4_e1339[2] + reinterpreted_packed_char4_e1338[3] * reinterpreted_packed_char4_e1339[3])));
                metal::uint2 da = row_scales.inner[g_4];
                int _e1345 = s0_;
                int _e1346 = s1_;
                int _e1350 = s2_;
                int _e1354 = s3_;
                int _e1358 = p_1.zero;
                int isum_1 = as_type<int>(as_type<uint>(as_type<int>(as_type<uint>(as_type<int>(as_type<uint>(as_type<int>(as_type<uint>(_e1345) + as_type<uint>(_e1346 >> 2u))) + as_type<uint>(_e1350 >> 4u))) + as_type<uint>(_e1354))) - as_type<uint>(as_type<int>(as_type<uint>(_e1358) * as_type<uint>(as_type<int>(da.y)))));
                keep(buffer + t, isum_1, d_3 * as_type<float>(da.x), isums, factors);
            }
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
            uint _e1367 = chain;
            bool mine = warp == _e1367;
            if (mine) {
                local_3 = (first + 0u) < rows;
            } else {
                local_3 = false;
            }
            bool _e1375 = local_3;
            if (_e1375) {
                uint from_i = (buffer + (0u * THREADS)) + (2u * (lane & 15u));
                if (false) {
                    local_4 = ((this_turn * WARPS) + 0u) < GROUPS;
                } else {
                    local_4 = true;
                }
                bool _e1394 = local_4;
                if (_e1394) {
                    int _e1400 = isums.inner[from_i + 0u];
                    float _e1406 = factors.inner[from_i + 0u];
                    float _e1408 = acc.x;
                    acc.x = metal::fma(static_cast<float>(_e1400), _e1406, _e1408);
                    int _e1417 = isums.inner[(from_i + 0u) + 1u];
                    float _e1425 = factors.inner[(from_i + 0u) + 1u];
                    float _e1427 = acc.y;
                    acc.y = metal::fma(static_cast<float>(_e1417), _e1425, _e1427);
                }
                if (false) {
                    local_5 = ((this_turn * WARPS) + 1u) < GROUPS;
                } else {
                    local_5 = true;
                }
                bool _e1439 = local_5;
                if (_e1439) {
                    int _e1445 = isums.inner[from_i + 32u];
                    float _e1451 = factors.inner[from_i + 32u];
                    float _e1453 = acc.x;
                    acc.x = metal::fma(static_cast<float>(_e1445), _e1451, _e1453);
                    int _e1462 = isums.inner[(from_i + 32u) + 1u];
                    float _e1470 = factors.inner[(from_i + 32u) + 1u];
                    float _e1472 = acc.y;
                    acc.y = metal::fma(static_cast<float>(_e1462), _e1470, _e1472);
                }
                if (false) {
                    local_6 = ((this_turn * WARPS) + 2u) < GROUPS;
                } else {
                    local_6 = true;
                }
                bool _e1484 = local_6;
                if (_e1484) {
                    int _e1490 = isums.inner[from_i + 64u];
                    float _e1496 = factors.inner[from_i + 64u];
                    float _e1498 = acc.x;
                    acc.x = metal::fma(static_cast<float>(_e1490), _e1496, _e1498);
                    int _e1507 = isums.inner[(from_i + 64u) + 1u];
                    float _e1515 = factors.inner[(from_i + 64u) + 1u];
                    float _e1517 = acc.y;
                    acc.y = metal::fma(static_cast<float>(_e1507), _e1515, _e1517);
                }
                if (false) {
                    local_7 = ((this_turn * WARPS) + 3u) < GROUPS;
                } else {
                    local_7 = true;
                }
                bool _e1529 = local_7;
                if (_e1529) {
                    int _e1535 = isums.inner[from_i + 96u];
                    float _e1541 = factors.inner[from_i + 96u];
                    float _e1543 = acc.x;
                    acc.x = metal::fma(static_cast<float>(_e1535), _e1541, _e1543);
                    int _e1552 = isums.inner[(from_i + 96u) + 1u];
                    float _e1560 = factors.inner[(from_i + 96u) + 1u];
                    float _e1562 = acc.y;
                    acc.y = metal::fma(static_cast<float>(_e1552), _e1560, _e1562);
                }
                if (false) {
                    local_8 = ((this_turn * WARPS) + 4u) < GROUPS;
                } else {
                    local_8 = true;
                }
                bool _e1574 = local_8;
                if (_e1574) {
                    int _e1580 = isums.inner[from_i + 128u];
                    float _e1586 = factors.inner[from_i + 128u];
                    float _e1588 = acc.x;
                    acc.x = metal::fma(static_cast<float>(_e1580), _e1586, _e1588);
                    int _e1597 = isums.inner[(from_i + 128u) + 1u];
                    float _e1605 = factors.inner[(from_i + 128u) + 1u];
                    float _e1607 = acc.y;
                    acc.y = metal::fma(static_cast<float>(_e1597), _e1605, _e1607);
                }
                if (false) {
                    local_9 = ((this_turn * WARPS) + 5u) < GROUPS;
                } else {
                    local_9 = true;
                }
                bool _e1619 = local_9;
                if (_e1619) {
                    int _e1625 = isums.inner[from_i + 160u];
                    float _e1631 = factors.inner[from_i + 160u];
                    float _e1633 = acc.x;
                    acc.x = metal::fma(static_cast<float>(_e1625), _e1631, _e1633);
                    int _e1642 = isums.inner[(from_i + 160u) + 1u];
                    float _e1650 = factors.inner[(from_i + 160u) + 1u];
                    float _e1652 = acc.y;
                    acc.y = metal::fma(static_cast<float>(_e1642), _e1650, _e1652);
                }
                if (false) {
                    local_10 = ((this_turn * WARPS) + 6u) < GROUPS;
                } else {
                    local_10 = true;
                }
                bool _e1664 = local_10;
                if (_e1664) {
                    int _e1670 = isums.inner[from_i + 192u];
                    float _e1676 = factors.inner[from_i + 192u];
                    float _e1678 = acc.x;
                    acc.x = metal::fma(static_cast<float>(_e1670), _e1676, _e1678);
                    int _e1687 = isums.inner[(from_i + 192u) + 1u];
                    float _e1695 = factors.inner[(from_i + 192u) + 1u];
                    float _e1697 = acc.y;
                    acc.y = metal::fma(static_cast<float>(_e1687), _e1695, _e1697);
                }
                if (false) {
                    local_11 = ((this_turn * WARPS) + 7u) < GROUPS;
                } else {
                    local_11 = true;
                }
                bool _e1709 = local_11;
                if (_e1709) {
                    int _e1715 = isums.inner[from_i + 224u];
                    float _e1721 = factors.inner[from_i + 224u];
                    float _e1723 = acc.x;
                    acc.x = metal::fma(static_cast<float>(_e1715), _e1721, _e1723);
                    int _e1732 = isums.inner[(from_i + 224u) + 1u];
                    float _e1740 = factors.inner[(from_i + 224u) + 1u];
                    float _e1742 = acc.y;
                    acc.y = metal::fma(static_cast<float>(_e1732), _e1740, _e1742);
                }
                if (false) {
                    local_12 = ((this_turn * WARPS) + 8u) < GROUPS;
                } else {
                    local_12 = true;
                }
                bool _e1754 = local_12;
                if (_e1754) {
                    int _e1760 = isums.inner[from_i + 256u];
                    float _e1766 = factors.inner[from_i + 256u];
                    float _e1768 = acc.x;
                    acc.x = metal::fma(static_cast<float>(_e1760), _e1766, _e1768);
                    int _e1777 = isums.inner[(from_i + 256u) + 1u];
                    float _e1785 = factors.inner[(from_i + 256u) + 1u];
                    float _e1787 = acc.y;
                    acc.y = metal::fma(static_cast<float>(_e1777), _e1785, _e1787);
                }
                if (false) {
                    local_13 = ((this_turn * WARPS) + 9u) < GROUPS;
                } else {
                    local_13 = true;
                }
                bool _e1799 = local_13;
                if (_e1799) {
                    int _e1805 = isums.inner[from_i + 288u];
                    float _e1811 = factors.inner[from_i + 288u];
                    float _e1813 = acc.x;
                    acc.x = metal::fma(static_cast<float>(_e1805), _e1811, _e1813);
                    int _e1822 = isums.inner[(from_i + 288u) + 1u];
                    float _e1830 = factors.inner[(from_i + 288u) + 1u];
                    float _e1832 = acc.y;
                    acc.y = metal::fma(static_cast<float>(_e1822), _e1830, _e1832);
                }
                if (false) {
                    local_14 = ((this_turn * WARPS) + 10u) < GROUPS;
                } else {
                    local_14 = true;
                }
                bool _e1844 = local_14;
                if (_e1844) {
                    int _e1850 = isums.inner[from_i + 320u];
                    float _e1856 = factors.inner[from_i + 320u];
                    float _e1858 = acc.x;
                    acc.x = metal::fma(static_cast<float>(_e1850), _e1856, _e1858);
                    int _e1867 = isums.inner[(from_i + 320u) + 1u];
                    float _e1875 = factors.inner[(from_i + 320u) + 1u];
                    float _e1877 = acc.y;
                    acc.y = metal::fma(static_cast<float>(_e1867), _e1875, _e1877);
                }
                if (false) {
                    local_15 = ((this_turn * WARPS) + 11u) < GROUPS;
                } else {
                    local_15 = true;
                }
                bool _e1889 = local_15;
                if (_e1889) {
                    int _e1895 = isums.inner[from_i + 352u];
                    float _e1901 = factors.inner[from_i + 352u];
                    float _e1903 = acc.x;
                    acc.x = metal::fma(static_cast<float>(_e1895), _e1901, _e1903);
                    int _e1912 = isums.inner[(from_i + 352u) + 1u];
                    float _e1920 = factors.inner[(from_i + 352u) + 1u];
                    float _e1922 = acc.y;
                    acc.y = metal::fma(static_cast<float>(_e1912), _e1920, _e1922);
                }
                if (false) {
                    local_16 = ((this_turn * WARPS) + 12u) < GROUPS;
                } else {
                    local_16 = true;
                }
                bool _e1934 = local_16;
                if (_e1934) {
                    int _e1940 = isums.inner[from_i + 384u];
                    float _e1946 = factors.inner[from_i + 384u];
                    float _e1948 = acc.x;
                    acc.x = metal::fma(static_cast<float>(_e1940), _e1946, _e1948);
                    int _e1957 = isums.inner[(from_i + 384u) + 1u];
                    float _e1965 = factors.inner[(from_i + 384u) + 1u];
                    float _e1967 = acc.y;
                    acc.y = metal::fma(static_cast<float>(_e1957), _e1965, _e1967);
                }
                if (false) {
                    local_17 = ((this_turn * WARPS) + 13u) < GROUPS;
                } else {
                    local_17 = true;
                }
                bool _e1979 = local_17;
                if (_e1979) {
                    int _e1985 = isums.inner[from_i + 416u];
                    float _e1991 = factors.inner[from_i + 416u];
                    float _e1993 = acc.x;
                    acc.x = metal::fma(static_cast<float>(_e1985), _e1991, _e1993);
                    int _e2002 = isums.inner[(from_i + 416u) + 1u];
                    float _e2010 = factors.inner[(from_i + 416u) + 1u];
                    float _e2012 = acc.y;
                    acc.y = metal::fma(static_cast<float>(_e2002), _e2010, _e2012);
                }
                if (false) {
                    local_18 = ((this_turn * WARPS) + 14u) < GROUPS;
                } else {
                    local_18 = true;
                }
                bool _e2024 = local_18;
                if (_e2024) {
                    int _e2030 = isums.inner[from_i + 448u];
                    float _e2036 = factors.inner[from_i + 448u];
                    float _e2038 = acc.x;
                    acc.x = metal::fma(static_cast<float>(_e2030), _e2036, _e2038);
                    int _e2047 = isums.inner[(from_i + 448u) + 1u];
                    float _e2055 = factors.inner[(from_i + 448u) + 1u];
                    float _e2057 = acc.y;
                    acc.y = metal::fma(static_cast<float>(_e2047), _e2055, _e2057);
                }
                if (false) {
                    local_19 = ((this_turn * WARPS) + 15u) < GROUPS;
                } else {
                    local_19 = true;
                }
                bool _e2069 = local_19;
                if (_e2069) {
                    int _e2075 = isums.inner[from_i + 480u];
                    float _e2081 = factors.inner[from_i + 480u];
                    float _e2083 = acc.x;
                    acc.x = metal::fma(static_cast<float>(_e2075), _e2081, _e2083);
                    int _e2092 = isums.inner[(from_i + 480u) + 1u];
                    float _e2100 = factors.inner[(from_i + 480u) + 1u];
                    float _e2102 = acc.y;
                    acc.y = metal::fma(static_cast<float>(_e2092), _e2100, _e2102);
                }
                uint n_2 = (this_block * 16u) + lane;
                if ((this_turn + 1u) == TURNS) {
                    local_20 = lane < 16u;
                } else {
                    local_20 = false;
                }
                bool _e2116 = local_20;
                if (_e2116) {
                    uint _e2123 = p_1.outs;
                    local_21 = (2u * n_2) < _e2123;
                } else {
                    local_21 = false;
                }
                bool _e2126 = local_21;
                if (_e2126) {
                    float _e2129 = acc.x;
                    float _e2131 = acc.y;
                    float _e2132 = paired(_e2129, _e2131, p_1);
                    finish(first + 0u, n_2, _e2132, p_1, arena, _buffer_sizes);
                }
            }
            if ((this_turn + 1u) == TURNS) {
                acc = metal::float2(0.0);
                uint _e2139 = chain;
                chain = naga_mod(_e2139 + 1u, WARPS);
            }
        }
    }
    return;
}
