// language: metal2.4
#include <metal_stdlib>
#include <simd/simd.h>

using metal::uint;

struct _mslBufferSizes {
    uint size1;
    uint size2;
    uint size3;
    uint size4;
};

struct Params {
    uint q;
    uint q_cols;
    uint out;
    uint out_cols;
    uint share;
    uint kv_words;
    uint capacity;
    float scale;
    uint turn;
    uint table;
    uint table_cols;
    uint k;
    uint v;
    uint q_weight;
    uint k_weight;
    float q_eps;
    float k_eps;
    uint pad0_;
    uint pad1_;
    uint pad2_;
};
typedef uint type_4[1];
typedef float type_5[1];
typedef metal::uint4 type_7[1];
struct type_8 {
    float inner[64];
};
struct type_9 {
    float inner[256];
};
struct type_10 {
    float inner[32];
};
struct type_11 {
    float inner[4];
};
struct type_13 {
    metal::float2 inner[128];
};
constant uint HEAD_DIM = 64u;
constant uint HEADS = 1u;
constant uint PIECES = 4u;
constant uint BATCH = 8u;
constant uint AHEAD = 16u;
constant bool FOLD = false;
constant bool Q_NORM = false;
constant bool K_NORM = false;
constant uint THREADS = 256u;
constant uint WORDS = 32u;
constant uint TURNS = 1u;

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
    float n = metal::rint(_e8 * 1.442695);
    float _e12 = c;
    float r = metal::fma(n, 0.00021219444, metal::fma(n, -0.6933594, _e12));
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
    float y = metal::fma(r * r, _e34, r) + 1.0;
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

uint state_word(
    uint at,
    device type_7 const& state,
    constant _mslBufferSizes& _buffer_sizes
) {
    uint _e8 = state[naga_div(at, 4u)][naga_mod(at, 4u)];
    return _e8;
}

struct main_Input {
};
[[max_total_threads_per_threadgroup(256)]] kernel void main_(
  metal::uint3 group [[threadgroup_position_in_grid]]
, uint t [[thread_index_in_threadgroup]]
, constant Params& p_1 [[user(fake0)]]
, device type_4 const& call [[user(fake0)]]
, device type_7 const& state [[user(fake0)]]
, device type_5& arena [[user(fake0)]]
, threadgroup type_8& query
, threadgroup type_9& weights
, threadgroup type_10& parts
, threadgroup type_11& peaks
, threadgroup type_11& sums
, threadgroup type_13& outs
, constant _mslBufferSizes& _buffer_sizes [[user(fake0)]]
) {
    uint i = {};
    float total_max0_ = -340282350000000000000000000000000000000.0;
    float total_sum0_ = 0.0;
    metal::float2 out0_0_ = metal::float2(0.0);
    uint start = 0u;
    uint keys = {};
    uint early0_0_0_ = {};
    uint early0_0_1_ = {};
    uint early0_0_2_ = {};
    uint early0_0_3_ = {};
    uint early0_0_4_ = {};
    uint early0_0_5_ = {};
    uint early0_0_6_ = {};
    uint early0_0_7_ = {};
    uint early0_0_8_ = {};
    uint early0_0_9_ = {};
    uint early0_0_10_ = {};
    uint early0_0_11_ = {};
    uint early0_0_12_ = {};
    uint early0_0_13_ = {};
    uint early0_0_14_ = {};
    uint early0_0_15_ = {};
    uint early0_1_0_ = {};
    uint early0_1_1_ = {};
    uint early0_1_2_ = {};
    uint early0_1_3_ = {};
    uint early0_1_4_ = {};
    uint early0_1_5_ = {};
    uint early0_1_6_ = {};
    uint early0_1_7_ = {};
    uint early0_1_8_ = {};
    uint early0_1_9_ = {};
    uint early0_1_10_ = {};
    uint early0_1_11_ = {};
    uint early0_1_12_ = {};
    uint early0_1_13_ = {};
    uint early0_1_14_ = {};
    uint early0_1_15_ = {};
    uint early0_2_0_ = {};
    uint early0_2_1_ = {};
    uint early0_2_2_ = {};
    uint early0_2_3_ = {};
    uint early0_2_4_ = {};
    uint early0_2_5_ = {};
    uint early0_2_6_ = {};
    uint early0_2_7_ = {};
    uint early0_2_8_ = {};
    uint early0_2_9_ = {};
    uint early0_2_10_ = {};
    uint early0_2_11_ = {};
    uint early0_2_12_ = {};
    uint early0_2_13_ = {};
    uint early0_2_14_ = {};
    uint early0_2_15_ = {};
    uint early0_3_0_ = {};
    uint early0_3_1_ = {};
    uint early0_3_2_ = {};
    uint early0_3_3_ = {};
    uint early0_3_4_ = {};
    uint early0_3_5_ = {};
    uint early0_3_6_ = {};
    uint early0_3_7_ = {};
    uint early0_3_8_ = {};
    uint early0_3_9_ = {};
    uint early0_3_10_ = {};
    uint early0_3_11_ = {};
    uint early0_3_12_ = {};
    uint early0_3_13_ = {};
    uint early0_3_14_ = {};
    uint early0_3_15_ = {};
    float acc0_ = {};
    uint w = {};
    metal::uint4 k0_ = {};
    metal::uint4 k1_ = {};
    metal::uint4 k2_ = {};
    metal::uint4 k3_ = {};
    metal::uint4 k4_ = {};
    metal::uint4 k5_ = {};
    metal::uint4 k6_ = {};
    metal::uint4 k7_ = {};
    float peak = {};
    uint j = {};
    bool local = {};
    float peak0_ = {};
    float sum = {};
    uint j_1 = {};
    metal::float2 sum0_0_ = {};
    bool local_1 = {};
    bool local_2 = {};
    bool local_3 = {};
    bool local_4 = {};
    uint row = group.y;
    uint _e5 = call[0];
    if (row >= _e5) {
        return;
    }
    uint head = group.x * HEADS;
    uint _e12 = p_1.share;
    uint kv_head = naga_div(head, _e12);
    uint _e15 = call_row(row);
    uint position = call[_e15 + 1u];
    uint count = position + 1u;
    uint _e23 = call_row(row);
    uint slot = call[_e23 + 2u];
    uint _e30 = p_1.capacity;
    uint _e36 = p_1.kv_words;
    uint base = (((slot * _e30) * 2u) * _e36) + (kv_head * WORDS);
    uint _e43 = p_1.q;
    uint _e46 = p_1.q_cols;
    uint from_q = (_e43 + (row * _e46)) + (head * HEAD_DIM);
    i = t;
    uint2 loop_bound = uint2(4294967295u);
    bool loop_init = true;
    while(true) {
        if (metal::all(loop_bound == uint2(0u))) { break; }
        loop_bound -= uint2(loop_bound.y == 0u, 1u);
        if (!loop_init) {
            uint _e64 = i;
            i = _e64 + THREADS;
        }
        loop_init = false;
        uint _e53 = i;
        if (_e53 < 64u) {
        } else {
            break;
        }
        {
            uint _e57 = i;
            uint _e60 = i;
            float _e63 = arena[from_q + _e60];
            query.inner[_e57] = _e63;
        }
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    uint piece = naga_div(t, 64u);
    uint lane = naga_mod(t, 64u);
    uint2 loop_bound_1 = uint2(4294967295u);
    bool loop_init_1 = true;
    while(true) {
        if (metal::all(loop_bound_1 == uint2(0u))) { break; }
        loop_bound_1 -= uint2(loop_bound_1.y == 0u, 1u);
        if (!loop_init_1) {
            uint _e4097 = start;
            start = _e4097 + 256u;
        }
        loop_init_1 = false;
        uint _e80 = start;
        if (_e80 < count) {
        } else {
            break;
        }
        {
            uint _e82 = start;
            uint first = _e82 + (64u * piece);
            keys = 0u;
            if (first < count) {
                keys = metal::min(64u, count - first);
            }
            uint word0_ = metal::min(lane + 0u, 31u);
            early0_0_0_ = 0u;
            early0_0_1_ = 0u;
            early0_0_2_ = 0u;
            early0_0_3_ = 0u;
            early0_0_4_ = 0u;
            early0_0_5_ = 0u;
            early0_0_6_ = 0u;
            early0_0_7_ = 0u;
            early0_0_8_ = 0u;
            early0_0_9_ = 0u;
            early0_0_10_ = 0u;
            early0_0_11_ = 0u;
            early0_0_12_ = 0u;
            early0_0_13_ = 0u;
            early0_0_14_ = 0u;
            early0_0_15_ = 0u;
            uint _e129 = keys;
            if (0u < _e129) {
                uint _e144 = p_1.kv_words;
                uint _e148 = state_word((base + (((metal::min((first + 0u) + 0u, count - 1u) * 2u) + 1u) * _e144)) + word0_, state, _buffer_sizes);
                early0_0_0_ = _e148;
                uint _e162 = p_1.kv_words;
                uint _e166 = state_word((base + (((metal::min((first + 0u) + 1u, count - 1u) * 2u) + 1u) * _e162)) + word0_, state, _buffer_sizes);
                early0_0_1_ = _e166;
                uint _e180 = p_1.kv_words;
                uint _e184 = state_word((base + (((metal::min((first + 0u) + 2u, count - 1u) * 2u) + 1u) * _e180)) + word0_, state, _buffer_sizes);
                early0_0_2_ = _e184;
                uint _e198 = p_1.kv_words;
                uint _e202 = state_word((base + (((metal::min((first + 0u) + 3u, count - 1u) * 2u) + 1u) * _e198)) + word0_, state, _buffer_sizes);
                early0_0_3_ = _e202;
                uint _e216 = p_1.kv_words;
                uint _e220 = state_word((base + (((metal::min((first + 0u) + 4u, count - 1u) * 2u) + 1u) * _e216)) + word0_, state, _buffer_sizes);
                early0_0_4_ = _e220;
                uint _e234 = p_1.kv_words;
                uint _e238 = state_word((base + (((metal::min((first + 0u) + 5u, count - 1u) * 2u) + 1u) * _e234)) + word0_, state, _buffer_sizes);
                early0_0_5_ = _e238;
                uint _e252 = p_1.kv_words;
                uint _e256 = state_word((base + (((metal::min((first + 0u) + 6u, count - 1u) * 2u) + 1u) * _e252)) + word0_, state, _buffer_sizes);
                early0_0_6_ = _e256;
                uint _e270 = p_1.kv_words;
                uint _e274 = state_word((base + (((metal::min((first + 0u) + 7u, count - 1u) * 2u) + 1u) * _e270)) + word0_, state, _buffer_sizes);
                early0_0_7_ = _e274;
                uint _e288 = p_1.kv_words;
                uint _e292 = state_word((base + (((metal::min((first + 0u) + 8u, count - 1u) * 2u) + 1u) * _e288)) + word0_, state, _buffer_sizes);
                early0_0_8_ = _e292;
                uint _e306 = p_1.kv_words;
                uint _e310 = state_word((base + (((metal::min((first + 0u) + 9u, count - 1u) * 2u) + 1u) * _e306)) + word0_, state, _buffer_sizes);
                early0_0_9_ = _e310;
                uint _e324 = p_1.kv_words;
                uint _e328 = state_word((base + (((metal::min((first + 0u) + 10u, count - 1u) * 2u) + 1u) * _e324)) + word0_, state, _buffer_sizes);
                early0_0_10_ = _e328;
                uint _e342 = p_1.kv_words;
                uint _e346 = state_word((base + (((metal::min((first + 0u) + 11u, count - 1u) * 2u) + 1u) * _e342)) + word0_, state, _buffer_sizes);
                early0_0_11_ = _e346;
                uint _e360 = p_1.kv_words;
                uint _e364 = state_word((base + (((metal::min((first + 0u) + 12u, count - 1u) * 2u) + 1u) * _e360)) + word0_, state, _buffer_sizes);
                early0_0_12_ = _e364;
                uint _e378 = p_1.kv_words;
                uint _e382 = state_word((base + (((metal::min((first + 0u) + 13u, count - 1u) * 2u) + 1u) * _e378)) + word0_, state, _buffer_sizes);
                early0_0_13_ = _e382;
                uint _e396 = p_1.kv_words;
                uint _e400 = state_word((base + (((metal::min((first + 0u) + 14u, count - 1u) * 2u) + 1u) * _e396)) + word0_, state, _buffer_sizes);
                early0_0_14_ = _e400;
                uint _e414 = p_1.kv_words;
                uint _e418 = state_word((base + (((metal::min((first + 0u) + 15u, count - 1u) * 2u) + 1u) * _e414)) + word0_, state, _buffer_sizes);
                early0_0_15_ = _e418;
            }
            early0_1_0_ = 0u;
            early0_1_1_ = 0u;
            early0_1_2_ = 0u;
            early0_1_3_ = 0u;
            early0_1_4_ = 0u;
            early0_1_5_ = 0u;
            early0_1_6_ = 0u;
            early0_1_7_ = 0u;
            early0_1_8_ = 0u;
            early0_1_9_ = 0u;
            early0_1_10_ = 0u;
            early0_1_11_ = 0u;
            early0_1_12_ = 0u;
            early0_1_13_ = 0u;
            early0_1_14_ = 0u;
            early0_1_15_ = 0u;
            uint _e452 = keys;
            if (16u < _e452) {
                uint _e467 = p_1.kv_words;
                uint _e471 = state_word((base + (((metal::min((first + 16u) + 0u, count - 1u) * 2u) + 1u) * _e467)) + word0_, state, _buffer_sizes);
                early0_1_0_ = _e471;
                uint _e485 = p_1.kv_words;
                uint _e489 = state_word((base + (((metal::min((first + 16u) + 1u, count - 1u) * 2u) + 1u) * _e485)) + word0_, state, _buffer_sizes);
                early0_1_1_ = _e489;
                uint _e503 = p_1.kv_words;
                uint _e507 = state_word((base + (((metal::min((first + 16u) + 2u, count - 1u) * 2u) + 1u) * _e503)) + word0_, state, _buffer_sizes);
                early0_1_2_ = _e507;
                uint _e521 = p_1.kv_words;
                uint _e525 = state_word((base + (((metal::min((first + 16u) + 3u, count - 1u) * 2u) + 1u) * _e521)) + word0_, state, _buffer_sizes);
                early0_1_3_ = _e525;
                uint _e539 = p_1.kv_words;
                uint _e543 = state_word((base + (((metal::min((first + 16u) + 4u, count - 1u) * 2u) + 1u) * _e539)) + word0_, state, _buffer_sizes);
                early0_1_4_ = _e543;
                uint _e557 = p_1.kv_words;
                uint _e561 = state_word((base + (((metal::min((first + 16u) + 5u, count - 1u) * 2u) + 1u) * _e557)) + word0_, state, _buffer_sizes);
                early0_1_5_ = _e561;
                uint _e575 = p_1.kv_words;
                uint _e579 = state_word((base + (((metal::min((first + 16u) + 6u, count - 1u) * 2u) + 1u) * _e575)) + word0_, state, _buffer_sizes);
                early0_1_6_ = _e579;
                uint _e593 = p_1.kv_words;
                uint _e597 = state_word((base + (((metal::min((first + 16u) + 7u, count - 1u) * 2u) + 1u) * _e593)) + word0_, state, _buffer_sizes);
                early0_1_7_ = _e597;
                uint _e611 = p_1.kv_words;
                uint _e615 = state_word((base + (((metal::min((first + 16u) + 8u, count - 1u) * 2u) + 1u) * _e611)) + word0_, state, _buffer_sizes);
                early0_1_8_ = _e615;
                uint _e629 = p_1.kv_words;
                uint _e633 = state_word((base + (((metal::min((first + 16u) + 9u, count - 1u) * 2u) + 1u) * _e629)) + word0_, state, _buffer_sizes);
                early0_1_9_ = _e633;
                uint _e647 = p_1.kv_words;
                uint _e651 = state_word((base + (((metal::min((first + 16u) + 10u, count - 1u) * 2u) + 1u) * _e647)) + word0_, state, _buffer_sizes);
                early0_1_10_ = _e651;
                uint _e665 = p_1.kv_words;
                uint _e669 = state_word((base + (((metal::min((first + 16u) + 11u, count - 1u) * 2u) + 1u) * _e665)) + word0_, state, _buffer_sizes);
                early0_1_11_ = _e669;
                uint _e683 = p_1.kv_words;
                uint _e687 = state_word((base + (((metal::min((first + 16u) + 12u, count - 1u) * 2u) + 1u) * _e683)) + word0_, state, _buffer_sizes);
                early0_1_12_ = _e687;
                uint _e701 = p_1.kv_words;
                uint _e705 = state_word((base + (((metal::min((first + 16u) + 13u, count - 1u) * 2u) + 1u) * _e701)) + word0_, state, _buffer_sizes);
                early0_1_13_ = _e705;
                uint _e719 = p_1.kv_words;
                uint _e723 = state_word((base + (((metal::min((first + 16u) + 14u, count - 1u) * 2u) + 1u) * _e719)) + word0_, state, _buffer_sizes);
                early0_1_14_ = _e723;
                uint _e737 = p_1.kv_words;
                uint _e741 = state_word((base + (((metal::min((first + 16u) + 15u, count - 1u) * 2u) + 1u) * _e737)) + word0_, state, _buffer_sizes);
                early0_1_15_ = _e741;
            }
            early0_2_0_ = 0u;
            early0_2_1_ = 0u;
            early0_2_2_ = 0u;
            early0_2_3_ = 0u;
            early0_2_4_ = 0u;
            early0_2_5_ = 0u;
            early0_2_6_ = 0u;
            early0_2_7_ = 0u;
            early0_2_8_ = 0u;
            early0_2_9_ = 0u;
            early0_2_10_ = 0u;
            early0_2_11_ = 0u;
            early0_2_12_ = 0u;
            early0_2_13_ = 0u;
            early0_2_14_ = 0u;
            early0_2_15_ = 0u;
            uint _e775 = keys;
            if (32u < _e775) {
                uint _e790 = p_1.kv_words;
                uint _e794 = state_word((base + (((metal::min((first + 32u) + 0u, count - 1u) * 2u) + 1u) * _e790)) + word0_, state, _buffer_sizes);
                early0_2_0_ = _e794;
                uint _e808 = p_1.kv_words;
                uint _e812 = state_word((base + (((metal::min((first + 32u) + 1u, count - 1u) * 2u) + 1u) * _e808)) + word0_, state, _buffer_sizes);
                early0_2_1_ = _e812;
                uint _e826 = p_1.kv_words;
                uint _e830 = state_word((base + (((metal::min((first + 32u) + 2u, count - 1u) * 2u) + 1u) * _e826)) + word0_, state, _buffer_sizes);
                early0_2_2_ = _e830;
                uint _e844 = p_1.kv_words;
                uint _e848 = state_word((base + (((metal::min((first + 32u) + 3u, count - 1u) * 2u) + 1u) * _e844)) + word0_, state, _buffer_sizes);
                early0_2_3_ = _e848;
                uint _e862 = p_1.kv_words;
                uint _e866 = state_word((base + (((metal::min((first + 32u) + 4u, count - 1u) * 2u) + 1u) * _e862)) + word0_, state, _buffer_sizes);
                early0_2_4_ = _e866;
                uint _e880 = p_1.kv_words;
                uint _e884 = state_word((base + (((metal::min((first + 32u) + 5u, count - 1u) * 2u) + 1u) * _e880)) + word0_, state, _buffer_sizes);
                early0_2_5_ = _e884;
                uint _e898 = p_1.kv_words;
                uint _e902 = state_word((base + (((metal::min((first + 32u) + 6u, count - 1u) * 2u) + 1u) * _e898)) + word0_, state, _buffer_sizes);
                early0_2_6_ = _e902;
                uint _e916 = p_1.kv_words;
                uint _e920 = state_word((base + (((metal::min((first + 32u) + 7u, count - 1u) * 2u) + 1u) * _e916)) + word0_, state, _buffer_sizes);
                early0_2_7_ = _e920;
                uint _e934 = p_1.kv_words;
                uint _e938 = state_word((base + (((metal::min((first + 32u) + 8u, count - 1u) * 2u) + 1u) * _e934)) + word0_, state, _buffer_sizes);
                early0_2_8_ = _e938;
                uint _e952 = p_1.kv_words;
                uint _e956 = state_word((base + (((metal::min((first + 32u) + 9u, count - 1u) * 2u) + 1u) * _e952)) + word0_, state, _buffer_sizes);
                early0_2_9_ = _e956;
                uint _e970 = p_1.kv_words;
                uint _e974 = state_word((base + (((metal::min((first + 32u) + 10u, count - 1u) * 2u) + 1u) * _e970)) + word0_, state, _buffer_sizes);
                early0_2_10_ = _e974;
                uint _e988 = p_1.kv_words;
                uint _e992 = state_word((base + (((metal::min((first + 32u) + 11u, count - 1u) * 2u) + 1u) * _e988)) + word0_, state, _buffer_sizes);
                early0_2_11_ = _e992;
                uint _e1006 = p_1.kv_words;
                uint _e1010 = state_word((base + (((metal::min((first + 32u) + 12u, count - 1u) * 2u) + 1u) * _e1006)) + word0_, state, _buffer_sizes);
                early0_2_12_ = _e1010;
                uint _e1024 = p_1.kv_words;
                uint _e1028 = state_word((base + (((metal::min((first + 32u) + 13u, count - 1u) * 2u) + 1u) * _e1024)) + word0_, state, _buffer_sizes);
                early0_2_13_ = _e1028;
                uint _e1042 = p_1.kv_words;
                uint _e1046 = state_word((base + (((metal::min((first + 32u) + 14u, count - 1u) * 2u) + 1u) * _e1042)) + word0_, state, _buffer_sizes);
                early0_2_14_ = _e1046;
                uint _e1060 = p_1.kv_words;
                uint _e1064 = state_word((base + (((metal::min((first + 32u) + 15u, count - 1u) * 2u) + 1u) * _e1060)) + word0_, state, _buffer_sizes);
                early0_2_15_ = _e1064;
            }
            early0_3_0_ = 0u;
            early0_3_1_ = 0u;
            early0_3_2_ = 0u;
            early0_3_3_ = 0u;
            early0_3_4_ = 0u;
            early0_3_5_ = 0u;
            early0_3_6_ = 0u;
            early0_3_7_ = 0u;
            early0_3_8_ = 0u;
            early0_3_9_ = 0u;
            early0_3_10_ = 0u;
            early0_3_11_ = 0u;
            early0_3_12_ = 0u;
            early0_3_13_ = 0u;
            early0_3_14_ = 0u;
            early0_3_15_ = 0u;
            uint _e1098 = keys;
            if (48u < _e1098) {
                uint _e1113 = p_1.kv_words;
                uint _e1117 = state_word((base + (((metal::min((first + 48u) + 0u, count - 1u) * 2u) + 1u) * _e1113)) + word0_, state, _buffer_sizes);
                early0_3_0_ = _e1117;
                uint _e1131 = p_1.kv_words;
                uint _e1135 = state_word((base + (((metal::min((first + 48u) + 1u, count - 1u) * 2u) + 1u) * _e1131)) + word0_, state, _buffer_sizes);
                early0_3_1_ = _e1135;
                uint _e1149 = p_1.kv_words;
                uint _e1153 = state_word((base + (((metal::min((first + 48u) + 2u, count - 1u) * 2u) + 1u) * _e1149)) + word0_, state, _buffer_sizes);
                early0_3_2_ = _e1153;
                uint _e1167 = p_1.kv_words;
                uint _e1171 = state_word((base + (((metal::min((first + 48u) + 3u, count - 1u) * 2u) + 1u) * _e1167)) + word0_, state, _buffer_sizes);
                early0_3_3_ = _e1171;
                uint _e1185 = p_1.kv_words;
                uint _e1189 = state_word((base + (((metal::min((first + 48u) + 4u, count - 1u) * 2u) + 1u) * _e1185)) + word0_, state, _buffer_sizes);
                early0_3_4_ = _e1189;
                uint _e1203 = p_1.kv_words;
                uint _e1207 = state_word((base + (((metal::min((first + 48u) + 5u, count - 1u) * 2u) + 1u) * _e1203)) + word0_, state, _buffer_sizes);
                early0_3_5_ = _e1207;
                uint _e1221 = p_1.kv_words;
                uint _e1225 = state_word((base + (((metal::min((first + 48u) + 6u, count - 1u) * 2u) + 1u) * _e1221)) + word0_, state, _buffer_sizes);
                early0_3_6_ = _e1225;
                uint _e1239 = p_1.kv_words;
                uint _e1243 = state_word((base + (((metal::min((first + 48u) + 7u, count - 1u) * 2u) + 1u) * _e1239)) + word0_, state, _buffer_sizes);
                early0_3_7_ = _e1243;
                uint _e1257 = p_1.kv_words;
                uint _e1261 = state_word((base + (((metal::min((first + 48u) + 8u, count - 1u) * 2u) + 1u) * _e1257)) + word0_, state, _buffer_sizes);
                early0_3_8_ = _e1261;
                uint _e1275 = p_1.kv_words;
                uint _e1279 = state_word((base + (((metal::min((first + 48u) + 9u, count - 1u) * 2u) + 1u) * _e1275)) + word0_, state, _buffer_sizes);
                early0_3_9_ = _e1279;
                uint _e1293 = p_1.kv_words;
                uint _e1297 = state_word((base + (((metal::min((first + 48u) + 10u, count - 1u) * 2u) + 1u) * _e1293)) + word0_, state, _buffer_sizes);
                early0_3_10_ = _e1297;
                uint _e1311 = p_1.kv_words;
                uint _e1315 = state_word((base + (((metal::min((first + 48u) + 11u, count - 1u) * 2u) + 1u) * _e1311)) + word0_, state, _buffer_sizes);
                early0_3_11_ = _e1315;
                uint _e1329 = p_1.kv_words;
                uint _e1333 = state_word((base + (((metal::min((first + 48u) + 12u, count - 1u) * 2u) + 1u) * _e1329)) + word0_, state, _buffer_sizes);
                early0_3_12_ = _e1333;
                uint _e1347 = p_1.kv_words;
                uint _e1351 = state_word((base + (((metal::min((first + 48u) + 13u, count - 1u) * 2u) + 1u) * _e1347)) + word0_, state, _buffer_sizes);
                early0_3_13_ = _e1351;
                uint _e1365 = p_1.kv_words;
                uint _e1369 = state_word((base + (((metal::min((first + 48u) + 14u, count - 1u) * 2u) + 1u) * _e1365)) + word0_, state, _buffer_sizes);
                early0_3_14_ = _e1369;
                uint _e1383 = p_1.kv_words;
                uint _e1387 = state_word((base + (((metal::min((first + 48u) + 15u, count - 1u) * 2u) + 1u) * _e1383)) + word0_, state, _buffer_sizes);
                early0_3_15_ = _e1387;
            }
            acc0_ = 0.0;
            uint _e1390 = keys;
            if (lane < _e1390) {
                uint _e1397 = p_1.kv_words;
                uint key = base + (((first + lane) * 2u) * _e1397);
                w = 0u;
                uint2 loop_bound_2 = uint2(4294967295u);
                bool loop_init_2 = true;
                while(true) {
                    if (metal::all(loop_bound_2 == uint2(0u))) { break; }
                    loop_bound_2 -= uint2(loop_bound_2.y == 0u, 1u);
                    if (!loop_init_2) {
                        uint _e2605 = w;
                        w = _e2605 + 32u;
                    }
                    loop_init_2 = false;
                    uint _e1402 = w;
                    if (_e1402 < WORDS) {
                    } else {
                        break;
                    }
                    {
                        uint _e1406 = w;
                        metal::uint4 _e1413 = state[naga_div(key + _e1406, 4u) + 0u];
                        k0_ = _e1413;
                        uint _e1416 = w;
                        metal::uint4 _e1423 = state[naga_div(key + _e1416, 4u) + 1u];
                        k1_ = _e1423;
                        uint _e1426 = w;
                        metal::uint4 _e1433 = state[naga_div(key + _e1426, 4u) + 2u];
                        k2_ = _e1433;
                        uint _e1436 = w;
                        metal::uint4 _e1443 = state[naga_div(key + _e1436, 4u) + 3u];
                        k3_ = _e1443;
                        uint _e1446 = w;
                        metal::uint4 _e1453 = state[naga_div(key + _e1446, 4u) + 4u];
                        k4_ = _e1453;
                        uint _e1456 = w;
                        metal::uint4 _e1463 = state[naga_div(key + _e1456, 4u) + 5u];
                        k5_ = _e1463;
                        uint _e1466 = w;
                        metal::uint4 _e1473 = state[naga_div(key + _e1466, 4u) + 6u];
                        k6_ = _e1473;
                        uint _e1476 = w;
                        metal::uint4 _e1483 = state[naga_div(key + _e1476, 4u) + 7u];
                        k7_ = _e1483;
                        uint _e1486 = k0_.x;
                        metal::float2 k0_0_ = float2(as_type<half2>(_e1486));
                        uint _e1491 = w;
                        float _e1499 = query.inner[0u + (2u * ((_e1491 + 0u) + 0u))];
                        float _e1501 = acc0_;
                        acc0_ = metal::fma(_e1499, k0_0_.x, _e1501);
                        uint _e1506 = w;
                        float _e1516 = query.inner[(0u + (2u * ((_e1506 + 0u) + 0u))) + 1u];
                        float _e1518 = acc0_;
                        acc0_ = metal::fma(_e1516, k0_0_.y, _e1518);
                        uint _e1521 = k0_.y;
                        metal::float2 k0_1_ = float2(as_type<half2>(_e1521));
                        uint _e1526 = w;
                        float _e1534 = query.inner[0u + (2u * ((_e1526 + 0u) + 1u))];
                        float _e1536 = acc0_;
                        acc0_ = metal::fma(_e1534, k0_1_.x, _e1536);
                        uint _e1541 = w;
                        float _e1551 = query.inner[(0u + (2u * ((_e1541 + 0u) + 1u))) + 1u];
                        float _e1553 = acc0_;
                        acc0_ = metal::fma(_e1551, k0_1_.y, _e1553);
                        uint _e1556 = k0_.z;
                        metal::float2 k0_2_ = float2(as_type<half2>(_e1556));
                        uint _e1561 = w;
                        float _e1569 = query.inner[0u + (2u * ((_e1561 + 0u) + 2u))];
                        float _e1571 = acc0_;
                        acc0_ = metal::fma(_e1569, k0_2_.x, _e1571);
                        uint _e1576 = w;
                        float _e1586 = query.inner[(0u + (2u * ((_e1576 + 0u) + 2u))) + 1u];
                        float _e1588 = acc0_;
                        acc0_ = metal::fma(_e1586, k0_2_.y, _e1588);
                        uint _e1591 = k0_.w;
                        metal::float2 k0_3_ = float2(as_type<half2>(_e1591));
                        uint _e1596 = w;
                        float _e1604 = query.inner[0u + (2u * ((_e1596 + 0u) + 3u))];
                        float _e1606 = acc0_;
                        acc0_ = metal::fma(_e1604, k0_3_.x, _e1606);
                        uint _e1611 = w;
                        float _e1621 = query.inner[(0u + (2u * ((_e1611 + 0u) + 3u))) + 1u];
                        float _e1623 = acc0_;
                        acc0_ = metal::fma(_e1621, k0_3_.y, _e1623);
                        uint _e1626 = k1_.x;
                        metal::float2 k1_0_ = float2(as_type<half2>(_e1626));
                        uint _e1631 = w;
                        float _e1639 = query.inner[0u + (2u * ((_e1631 + 4u) + 0u))];
                        float _e1641 = acc0_;
                        acc0_ = metal::fma(_e1639, k1_0_.x, _e1641);
                        uint _e1646 = w;
                        float _e1656 = query.inner[(0u + (2u * ((_e1646 + 4u) + 0u))) + 1u];
                        float _e1658 = acc0_;
                        acc0_ = metal::fma(_e1656, k1_0_.y, _e1658);
                        uint _e1661 = k1_.y;
                        metal::float2 k1_1_ = float2(as_type<half2>(_e1661));
                        uint _e1666 = w;
                        float _e1674 = query.inner[0u + (2u * ((_e1666 + 4u) + 1u))];
                        float _e1676 = acc0_;
                        acc0_ = metal::fma(_e1674, k1_1_.x, _e1676);
                        uint _e1681 = w;
                        float _e1691 = query.inner[(0u + (2u * ((_e1681 + 4u) + 1u))) + 1u];
                        float _e1693 = acc0_;
                        acc0_ = metal::fma(_e1691, k1_1_.y, _e1693);
                        uint _e1696 = k1_.z;
                        metal::float2 k1_2_ = float2(as_type<half2>(_e1696));
                        uint _e1701 = w;
                        float _e1709 = query.inner[0u + (2u * ((_e1701 + 4u) + 2u))];
                        float _e1711 = acc0_;
                        acc0_ = metal::fma(_e1709, k1_2_.x, _e1711);
                        uint _e1716 = w;
                        float _e1726 = query.inner[(0u + (2u * ((_e1716 + 4u) + 2u))) + 1u];
                        float _e1728 = acc0_;
                        acc0_ = metal::fma(_e1726, k1_2_.y, _e1728);
                        uint _e1731 = k1_.w;
                        metal::float2 k1_3_ = float2(as_type<half2>(_e1731));
                        uint _e1736 = w;
                        float _e1744 = query.inner[0u + (2u * ((_e1736 + 4u) + 3u))];
                        float _e1746 = acc0_;
                        acc0_ = metal::fma(_e1744, k1_3_.x, _e1746);
                        uint _e1751 = w;
                        float _e1761 = query.inner[(0u + (2u * ((_e1751 + 4u) + 3u))) + 1u];
                        float _e1763 = acc0_;
                        acc0_ = metal::fma(_e1761, k1_3_.y, _e1763);
                        uint _e1766 = k2_.x;
                        metal::float2 k2_0_ = float2(as_type<half2>(_e1766));
                        uint _e1771 = w;
                        float _e1779 = query.inner[0u + (2u * ((_e1771 + 8u) + 0u))];
                        float _e1781 = acc0_;
                        acc0_ = metal::fma(_e1779, k2_0_.x, _e1781);
                        uint _e1786 = w;
                        float _e1796 = query.inner[(0u + (2u * ((_e1786 + 8u) + 0u))) + 1u];
                        float _e1798 = acc0_;
                        acc0_ = metal::fma(_e1796, k2_0_.y, _e1798);
                        uint _e1801 = k2_.y;
                        metal::float2 k2_1_ = float2(as_type<half2>(_e1801));
                        uint _e1806 = w;
                        float _e1814 = query.inner[0u + (2u * ((_e1806 + 8u) + 1u))];
                        float _e1816 = acc0_;
                        acc0_ = metal::fma(_e1814, k2_1_.x, _e1816);
                        uint _e1821 = w;
                        float _e1831 = query.inner[(0u + (2u * ((_e1821 + 8u) + 1u))) + 1u];
                        float _e1833 = acc0_;
                        acc0_ = metal::fma(_e1831, k2_1_.y, _e1833);
                        uint _e1836 = k2_.z;
                        metal::float2 k2_2_ = float2(as_type<half2>(_e1836));
                        uint _e1841 = w;
                        float _e1849 = query.inner[0u + (2u * ((_e1841 + 8u) + 2u))];
                        float _e1851 = acc0_;
                        acc0_ = metal::fma(_e1849, k2_2_.x, _e1851);
                        uint _e1856 = w;
                        float _e1866 = query.inner[(0u + (2u * ((_e1856 + 8u) + 2u))) + 1u];
                        float _e1868 = acc0_;
                        acc0_ = metal::fma(_e1866, k2_2_.y, _e1868);
                        uint _e1871 = k2_.w;
                        metal::float2 k2_3_ = float2(as_type<half2>(_e1871));
                        uint _e1876 = w;
                        float _e1884 = query.inner[0u + (2u * ((_e1876 + 8u) + 3u))];
                        float _e1886 = acc0_;
                        acc0_ = metal::fma(_e1884, k2_3_.x, _e1886);
                        uint _e1891 = w;
                        float _e1901 = query.inner[(0u + (2u * ((_e1891 + 8u) + 3u))) + 1u];
                        float _e1903 = acc0_;
                        acc0_ = metal::fma(_e1901, k2_3_.y, _e1903);
                        uint _e1906 = k3_.x;
                        metal::float2 k3_0_ = float2(as_type<half2>(_e1906));
                        uint _e1911 = w;
                        float _e1919 = query.inner[0u + (2u * ((_e1911 + 12u) + 0u))];
                        float _e1921 = acc0_;
                        acc0_ = metal::fma(_e1919, k3_0_.x, _e1921);
                        uint _e1926 = w;
                        float _e1936 = query.inner[(0u + (2u * ((_e1926 + 12u) + 0u))) + 1u];
                        float _e1938 = acc0_;
                        acc0_ = metal::fma(_e1936, k3_0_.y, _e1938);
                        uint _e1941 = k3_.y;
                        metal::float2 k3_1_ = float2(as_type<half2>(_e1941));
                        uint _e1946 = w;
                        float _e1954 = query.inner[0u + (2u * ((_e1946 + 12u) + 1u))];
                        float _e1956 = acc0_;
                        acc0_ = metal::fma(_e1954, k3_1_.x, _e1956);
                        uint _e1961 = w;
                        float _e1971 = query.inner[(0u + (2u * ((_e1961 + 12u) + 1u))) + 1u];
                        float _e1973 = acc0_;
                        acc0_ = metal::fma(_e1971, k3_1_.y, _e1973);
                        uint _e1976 = k3_.z;
                        metal::float2 k3_2_ = float2(as_type<half2>(_e1976));
                        uint _e1981 = w;
                        float _e1989 = query.inner[0u + (2u * ((_e1981 + 12u) + 2u))];
                        float _e1991 = acc0_;
                        acc0_ = metal::fma(_e1989, k3_2_.x, _e1991);
                        uint _e1996 = w;
                        float _e2006 = query.inner[(0u + (2u * ((_e1996 + 12u) + 2u))) + 1u];
                        float _e2008 = acc0_;
                        acc0_ = metal::fma(_e2006, k3_2_.y, _e2008);
                        uint _e2011 = k3_.w;
                        metal::float2 k3_3_ = float2(as_type<half2>(_e2011));
                        uint _e2016 = w;
                        float _e2024 = query.inner[0u + (2u * ((_e2016 + 12u) + 3u))];
                        float _e2026 = acc0_;
                        acc0_ = metal::fma(_e2024, k3_3_.x, _e2026);
                        uint _e2031 = w;
                        float _e2041 = query.inner[(0u + (2u * ((_e2031 + 12u) + 3u))) + 1u];
                        float _e2043 = acc0_;
                        acc0_ = metal::fma(_e2041, k3_3_.y, _e2043);
                        uint _e2046 = k4_.x;
                        metal::float2 k4_0_ = float2(as_type<half2>(_e2046));
                        uint _e2051 = w;
                        float _e2059 = query.inner[0u + (2u * ((_e2051 + 16u) + 0u))];
                        float _e2061 = acc0_;
                        acc0_ = metal::fma(_e2059, k4_0_.x, _e2061);
                        uint _e2066 = w;
                        float _e2076 = query.inner[(0u + (2u * ((_e2066 + 16u) + 0u))) + 1u];
                        float _e2078 = acc0_;
                        acc0_ = metal::fma(_e2076, k4_0_.y, _e2078);
                        uint _e2081 = k4_.y;
                        metal::float2 k4_1_ = float2(as_type<half2>(_e2081));
                        uint _e2086 = w;
                        float _e2094 = query.inner[0u + (2u * ((_e2086 + 16u) + 1u))];
                        float _e2096 = acc0_;
                        acc0_ = metal::fma(_e2094, k4_1_.x, _e2096);
                        uint _e2101 = w;
                        float _e2111 = query.inner[(0u + (2u * ((_e2101 + 16u) + 1u))) + 1u];
                        float _e2113 = acc0_;
                        acc0_ = metal::fma(_e2111, k4_1_.y, _e2113);
                        uint _e2116 = k4_.z;
                        metal::float2 k4_2_ = float2(as_type<half2>(_e2116));
                        uint _e2121 = w;
                        float _e2129 = query.inner[0u + (2u * ((_e2121 + 16u) + 2u))];
                        float _e2131 = acc0_;
                        acc0_ = metal::fma(_e2129, k4_2_.x, _e2131);
                        uint _e2136 = w;
                        float _e2146 = query.inner[(0u + (2u * ((_e2136 + 16u) + 2u))) + 1u];
                        float _e2148 = acc0_;
                        acc0_ = metal::fma(_e2146, k4_2_.y, _e2148);
                        uint _e2151 = k4_.w;
                        metal::float2 k4_3_ = float2(as_type<half2>(_e2151));
                        uint _e2156 = w;
                        float _e2164 = query.inner[0u + (2u * ((_e2156 + 16u) + 3u))];
                        float _e2166 = acc0_;
                        acc0_ = metal::fma(_e2164, k4_3_.x, _e2166);
                        uint _e2171 = w;
                        float _e2181 = query.inner[(0u + (2u * ((_e2171 + 16u) + 3u))) + 1u];
                        float _e2183 = acc0_;
                        acc0_ = metal::fma(_e2181, k4_3_.y, _e2183);
                        uint _e2186 = k5_.x;
                        metal::float2 k5_0_ = float2(as_type<half2>(_e2186));
                        uint _e2191 = w;
                        float _e2199 = query.inner[0u + (2u * ((_e2191 + 20u) + 0u))];
                        float _e2201 = acc0_;
                        acc0_ = metal::fma(_e2199, k5_0_.x, _e2201);
                        uint _e2206 = w;
                        float _e2216 = query.inner[(0u + (2u * ((_e2206 + 20u) + 0u))) + 1u];
                        float _e2218 = acc0_;
                        acc0_ = metal::fma(_e2216, k5_0_.y, _e2218);
                        uint _e2221 = k5_.y;
                        metal::float2 k5_1_ = float2(as_type<half2>(_e2221));
                        uint _e2226 = w;
                        float _e2234 = query.inner[0u + (2u * ((_e2226 + 20u) + 1u))];
                        float _e2236 = acc0_;
                        acc0_ = metal::fma(_e2234, k5_1_.x, _e2236);
                        uint _e2241 = w;
                        float _e2251 = query.inner[(0u + (2u * ((_e2241 + 20u) + 1u))) + 1u];
                        float _e2253 = acc0_;
                        acc0_ = metal::fma(_e2251, k5_1_.y, _e2253);
                        uint _e2256 = k5_.z;
                        metal::float2 k5_2_ = float2(as_type<half2>(_e2256));
                        uint _e2261 = w;
                        float _e2269 = query.inner[0u + (2u * ((_e2261 + 20u) + 2u))];
                        float _e2271 = acc0_;
                        acc0_ = metal::fma(_e2269, k5_2_.x, _e2271);
                        uint _e2276 = w;
                        float _e2286 = query.inner[(0u + (2u * ((_e2276 + 20u) + 2u))) + 1u];
                        float _e2288 = acc0_;
                        acc0_ = metal::fma(_e2286, k5_2_.y, _e2288);
                        uint _e2291 = k5_.w;
                        metal::float2 k5_3_ = float2(as_type<half2>(_e2291));
                        uint _e2296 = w;
                        float _e2304 = query.inner[0u + (2u * ((_e2296 + 20u) + 3u))];
                        float _e2306 = acc0_;
                        acc0_ = metal::fma(_e2304, k5_3_.x, _e2306);
                        uint _e2311 = w;
                        float _e2321 = query.inner[(0u + (2u * ((_e2311 + 20u) + 3u))) + 1u];
                        float _e2323 = acc0_;
                        acc0_ = metal::fma(_e2321, k5_3_.y, _e2323);
                        uint _e2326 = k6_.x;
                        metal::float2 k6_0_ = float2(as_type<half2>(_e2326));
                        uint _e2331 = w;
                        float _e2339 = query.inner[0u + (2u * ((_e2331 + 24u) + 0u))];
                        float _e2341 = acc0_;
                        acc0_ = metal::fma(_e2339, k6_0_.x, _e2341);
                        uint _e2346 = w;
                        float _e2356 = query.inner[(0u + (2u * ((_e2346 + 24u) + 0u))) + 1u];
                        float _e2358 = acc0_;
                        acc0_ = metal::fma(_e2356, k6_0_.y, _e2358);
                        uint _e2361 = k6_.y;
                        metal::float2 k6_1_ = float2(as_type<half2>(_e2361));
                        uint _e2366 = w;
                        float _e2374 = query.inner[0u + (2u * ((_e2366 + 24u) + 1u))];
                        float _e2376 = acc0_;
                        acc0_ = metal::fma(_e2374, k6_1_.x, _e2376);
                        uint _e2381 = w;
                        float _e2391 = query.inner[(0u + (2u * ((_e2381 + 24u) + 1u))) + 1u];
                        float _e2393 = acc0_;
                        acc0_ = metal::fma(_e2391, k6_1_.y, _e2393);
                        uint _e2396 = k6_.z;
                        metal::float2 k6_2_ = float2(as_type<half2>(_e2396));
                        uint _e2401 = w;
                        float _e2409 = query.inner[0u + (2u * ((_e2401 + 24u) + 2u))];
                        float _e2411 = acc0_;
                        acc0_ = metal::fma(_e2409, k6_2_.x, _e2411);
                        uint _e2416 = w;
                        float _e2426 = query.inner[(0u + (2u * ((_e2416 + 24u) + 2u))) + 1u];
                        float _e2428 = acc0_;
                        acc0_ = metal::fma(_e2426, k6_2_.y, _e2428);
                        uint _e2431 = k6_.w;
                        metal::float2 k6_3_ = float2(as_type<half2>(_e2431));
                        uint _e2436 = w;
                        float _e2444 = query.inner[0u + (2u * ((_e2436 + 24u) + 3u))];
                        float _e2446 = acc0_;
                        acc0_ = metal::fma(_e2444, k6_3_.x, _e2446);
                        uint _e2451 = w;
                        float _e2461 = query.inner[(0u + (2u * ((_e2451 + 24u) + 3u))) + 1u];
                        float _e2463 = acc0_;
                        acc0_ = metal::fma(_e2461, k6_3_.y, _e2463);
                        uint _e2466 = k7_.x;
                        metal::float2 k7_0_ = float2(as_type<half2>(_e2466));
                        uint _e2471 = w;
                        float _e2479 = query.inner[0u + (2u * ((_e2471 + 28u) + 0u))];
                        float _e2481 = acc0_;
                        acc0_ = metal::fma(_e2479, k7_0_.x, _e2481);
                        uint _e2486 = w;
                        float _e2496 = query.inner[(0u + (2u * ((_e2486 + 28u) + 0u))) + 1u];
                        float _e2498 = acc0_;
                        acc0_ = metal::fma(_e2496, k7_0_.y, _e2498);
                        uint _e2501 = k7_.y;
                        metal::float2 k7_1_ = float2(as_type<half2>(_e2501));
                        uint _e2506 = w;
                        float _e2514 = query.inner[0u + (2u * ((_e2506 + 28u) + 1u))];
                        float _e2516 = acc0_;
                        acc0_ = metal::fma(_e2514, k7_1_.x, _e2516);
                        uint _e2521 = w;
                        float _e2531 = query.inner[(0u + (2u * ((_e2521 + 28u) + 1u))) + 1u];
                        float _e2533 = acc0_;
                        acc0_ = metal::fma(_e2531, k7_1_.y, _e2533);
                        uint _e2536 = k7_.z;
                        metal::float2 k7_2_ = float2(as_type<half2>(_e2536));
                        uint _e2541 = w;
                        float _e2549 = query.inner[0u + (2u * ((_e2541 + 28u) + 2u))];
                        float _e2551 = acc0_;
                        acc0_ = metal::fma(_e2549, k7_2_.x, _e2551);
                        uint _e2556 = w;
                        float _e2566 = query.inner[(0u + (2u * ((_e2556 + 28u) + 2u))) + 1u];
                        float _e2568 = acc0_;
                        acc0_ = metal::fma(_e2566, k7_2_.y, _e2568);
                        uint _e2571 = k7_.w;
                        metal::float2 k7_3_ = float2(as_type<half2>(_e2571));
                        uint _e2576 = w;
                        float _e2584 = query.inner[0u + (2u * ((_e2576 + 28u) + 3u))];
                        float _e2586 = acc0_;
                        acc0_ = metal::fma(_e2584, k7_3_.x, _e2586);
                        uint _e2591 = w;
                        float _e2601 = query.inner[(0u + (2u * ((_e2591 + 28u) + 3u))) + 1u];
                        float _e2603 = acc0_;
                        acc0_ = metal::fma(_e2601, k7_3_.y, _e2603);
                    }
                }
            }
            float _e2608 = acc0_;
            float _e2611 = p_1.scale;
            uint _e2613 = keys;
            float score0_ = (lane < _e2613) ? (_e2608 * _e2611) : -340282350000000000000000000000000000000.0;
            weights.inner[(((piece * HEADS) + 0u) * 64u) + lane] = score0_;
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
            uint eighth = ((piece * HEADS) + naga_div(lane, 8u)) * 64u;
            if (naga_div(lane, 8u) < HEADS) {
                peak = -340282350000000000000000000000000000000.0;
                j = naga_mod(lane, 8u);
                uint2 loop_bound_3 = uint2(4294967295u);
                bool loop_init_3 = true;
                while(true) {
                    if (metal::all(loop_bound_3 == uint2(0u))) { break; }
                    loop_bound_3 -= uint2(loop_bound_3.y == 0u, 1u);
                    if (!loop_init_3) {
                        uint _e2661 = j;
                        j = _e2661 + 8u;
                    }
                    loop_init_3 = false;
                    uint _e2642 = j;
                    if (_e2642 < 64u) {
                    } else {
                        break;
                    }
                    {
                        uint _e2646 = j;
                        float s = weights.inner[eighth + _e2646];
                        if ((as_type<uint>(s) & 2147483647u) <= 2139095040u) {
                            float _e2657 = peak;
                            local = s > _e2657;
                        } else {
                            local = false;
                        }
                        bool _e2660 = local;
                        if (_e2660) {
                            peak = s;
                        }
                    }
                }
                float _e2671 = peak;
                parts.inner[((piece * HEADS) * 8u) + lane] = _e2671;
            }
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
            float _e2680 = parts.inner[((piece * HEADS) + 0u) * 8u];
            peak0_ = _e2680;
            float _e2694 = parts.inner[((((piece * HEADS) + 0u) * 8u) + 0u) + 1u];
            float _e2695 = peak0_;
            if (_e2694 > _e2695) {
                float _e2709 = parts.inner[((((piece * HEADS) + 0u) * 8u) + 0u) + 1u];
                peak0_ = _e2709;
            }
            float _e2722 = parts.inner[((((piece * HEADS) + 0u) * 8u) + 1u) + 1u];
            float _e2723 = peak0_;
            if (_e2722 > _e2723) {
                float _e2737 = parts.inner[((((piece * HEADS) + 0u) * 8u) + 1u) + 1u];
                peak0_ = _e2737;
            }
            float _e2750 = parts.inner[((((piece * HEADS) + 0u) * 8u) + 2u) + 1u];
            float _e2751 = peak0_;
            if (_e2750 > _e2751) {
                float _e2765 = parts.inner[((((piece * HEADS) + 0u) * 8u) + 2u) + 1u];
                peak0_ = _e2765;
            }
            float _e2778 = parts.inner[((((piece * HEADS) + 0u) * 8u) + 3u) + 1u];
            float _e2779 = peak0_;
            if (_e2778 > _e2779) {
                float _e2793 = parts.inner[((((piece * HEADS) + 0u) * 8u) + 3u) + 1u];
                peak0_ = _e2793;
            }
            float _e2806 = parts.inner[((((piece * HEADS) + 0u) * 8u) + 4u) + 1u];
            float _e2807 = peak0_;
            if (_e2806 > _e2807) {
                float _e2821 = parts.inner[((((piece * HEADS) + 0u) * 8u) + 4u) + 1u];
                peak0_ = _e2821;
            }
            float _e2834 = parts.inner[((((piece * HEADS) + 0u) * 8u) + 5u) + 1u];
            float _e2835 = peak0_;
            if (_e2834 > _e2835) {
                float _e2849 = parts.inner[((((piece * HEADS) + 0u) * 8u) + 5u) + 1u];
                peak0_ = _e2849;
            }
            float _e2862 = parts.inner[((((piece * HEADS) + 0u) * 8u) + 6u) + 1u];
            float _e2863 = peak0_;
            if (_e2862 > _e2863) {
                float _e2877 = parts.inner[((((piece * HEADS) + 0u) * 8u) + 6u) + 1u];
                peak0_ = _e2877;
            }
            float exact0_ = weights.inner[(((piece * HEADS) + 0u) * 64u) + lane];
            float _e2897 = peak0_;
            float _e2899 = exp_law(exact0_ - _e2897);
            uint _e2900 = keys;
            weights.inner[(((piece * HEADS) + 0u) * 64u) + lane] = (lane < _e2900) ? _e2899 : 0.0;
            if (lane == 0u) {
                float _e2912 = peak0_;
                peaks.inner[(piece * HEADS) + 0u] = _e2912;
            }
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
            if (naga_div(lane, 8u) < HEADS) {
                sum = 0.0;
                j_1 = naga_mod(lane, 8u);
                uint2 loop_bound_4 = uint2(4294967295u);
                bool loop_init_4 = true;
                while(true) {
                    if (metal::all(loop_bound_4 == uint2(0u))) { break; }
                    loop_bound_4 -= uint2(loop_bound_4.y == 0u, 1u);
                    if (!loop_init_4) {
                        uint _e2932 = j_1;
                        j_1 = _e2932 + 8u;
                    }
                    loop_init_4 = false;
                    uint _e2922 = j_1;
                    uint _e2923 = keys;
                    if (_e2922 < _e2923) {
                    } else {
                        break;
                    }
                    {
                        float _e2925 = sum;
                        uint _e2927 = j_1;
                        float _e2930 = weights.inner[eighth + _e2927];
                        sum = _e2925 + _e2930;
                    }
                }
                float _e2942 = sum;
                parts.inner[((piece * HEADS) * 8u) + lane] = _e2942;
            }
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
            if (lane < HEADS) {
                uint at_1 = ((piece * HEADS) + lane) * 8u;
                float _e2957 = parts.inner[at_1];
                float _e2962 = parts.inner[at_1 + 1u];
                float _e2967 = parts.inner[at_1 + 2u];
                float _e2972 = parts.inner[at_1 + 3u];
                float _e2977 = parts.inner[at_1 + 4u];
                float _e2982 = parts.inner[at_1 + 5u];
                float _e2987 = parts.inner[at_1 + 6u];
                float _e2992 = parts.inner[at_1 + 7u];
                float _e2993 = tree8_(_e2957, _e2962, _e2967, _e2972, _e2977, _e2982, _e2987, _e2992);
                sums.inner[(piece * HEADS) + lane] = _e2993;
            }
            sum0_0_ = metal::float2(0.0);
            if ((lane + 0u) < WORDS) {
                uint _e3001 = early0_0_0_;
                metal::float2 v0_0_ = float2(as_type<half2>(_e3001));
                float _e3011 = weights.inner[((piece * 64u) + 0u) + 0u];
                metal::float2 _e3013 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3011), v0_0_, _e3013);
                uint _e3015 = early0_0_1_;
                metal::float2 v0_1_ = float2(as_type<half2>(_e3015));
                float _e3025 = weights.inner[((piece * 64u) + 0u) + 1u];
                metal::float2 _e3027 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3025), v0_1_, _e3027);
                uint _e3029 = early0_0_2_;
                metal::float2 v0_2_ = float2(as_type<half2>(_e3029));
                float _e3039 = weights.inner[((piece * 64u) + 0u) + 2u];
                metal::float2 _e3041 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3039), v0_2_, _e3041);
                uint _e3043 = early0_0_3_;
                metal::float2 v0_3_ = float2(as_type<half2>(_e3043));
                float _e3053 = weights.inner[((piece * 64u) + 0u) + 3u];
                metal::float2 _e3055 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3053), v0_3_, _e3055);
                uint _e3057 = early0_0_4_;
                metal::float2 v0_4_ = float2(as_type<half2>(_e3057));
                float _e3067 = weights.inner[((piece * 64u) + 0u) + 4u];
                metal::float2 _e3069 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3067), v0_4_, _e3069);
                uint _e3071 = early0_0_5_;
                metal::float2 v0_5_ = float2(as_type<half2>(_e3071));
                float _e3081 = weights.inner[((piece * 64u) + 0u) + 5u];
                metal::float2 _e3083 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3081), v0_5_, _e3083);
                uint _e3085 = early0_0_6_;
                metal::float2 v0_6_ = float2(as_type<half2>(_e3085));
                float _e3095 = weights.inner[((piece * 64u) + 0u) + 6u];
                metal::float2 _e3097 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3095), v0_6_, _e3097);
                uint _e3099 = early0_0_7_;
                metal::float2 v0_7_ = float2(as_type<half2>(_e3099));
                float _e3109 = weights.inner[((piece * 64u) + 0u) + 7u];
                metal::float2 _e3111 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3109), v0_7_, _e3111);
                uint _e3113 = early0_0_8_;
                metal::float2 v0_8_ = float2(as_type<half2>(_e3113));
                float _e3123 = weights.inner[((piece * 64u) + 0u) + 8u];
                metal::float2 _e3125 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3123), v0_8_, _e3125);
                uint _e3127 = early0_0_9_;
                metal::float2 v0_9_ = float2(as_type<half2>(_e3127));
                float _e3137 = weights.inner[((piece * 64u) + 0u) + 9u];
                metal::float2 _e3139 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3137), v0_9_, _e3139);
                uint _e3141 = early0_0_10_;
                metal::float2 v0_10_ = float2(as_type<half2>(_e3141));
                float _e3151 = weights.inner[((piece * 64u) + 0u) + 10u];
                metal::float2 _e3153 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3151), v0_10_, _e3153);
                uint _e3155 = early0_0_11_;
                metal::float2 v0_11_ = float2(as_type<half2>(_e3155));
                float _e3165 = weights.inner[((piece * 64u) + 0u) + 11u];
                metal::float2 _e3167 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3165), v0_11_, _e3167);
                uint _e3169 = early0_0_12_;
                metal::float2 v0_12_ = float2(as_type<half2>(_e3169));
                float _e3179 = weights.inner[((piece * 64u) + 0u) + 12u];
                metal::float2 _e3181 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3179), v0_12_, _e3181);
                uint _e3183 = early0_0_13_;
                metal::float2 v0_13_ = float2(as_type<half2>(_e3183));
                float _e3193 = weights.inner[((piece * 64u) + 0u) + 13u];
                metal::float2 _e3195 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3193), v0_13_, _e3195);
                uint _e3197 = early0_0_14_;
                metal::float2 v0_14_ = float2(as_type<half2>(_e3197));
                float _e3207 = weights.inner[((piece * 64u) + 0u) + 14u];
                metal::float2 _e3209 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3207), v0_14_, _e3209);
                uint _e3211 = early0_0_15_;
                metal::float2 v0_15_ = float2(as_type<half2>(_e3211));
                float _e3221 = weights.inner[((piece * 64u) + 0u) + 15u];
                metal::float2 _e3223 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3221), v0_15_, _e3223);
                uint _e3225 = early0_1_0_;
                metal::float2 v1_0_ = float2(as_type<half2>(_e3225));
                float _e3235 = weights.inner[((piece * 64u) + 16u) + 0u];
                metal::float2 _e3237 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3235), v1_0_, _e3237);
                uint _e3239 = early0_1_1_;
                metal::float2 v1_1_ = float2(as_type<half2>(_e3239));
                float _e3249 = weights.inner[((piece * 64u) + 16u) + 1u];
                metal::float2 _e3251 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3249), v1_1_, _e3251);
                uint _e3253 = early0_1_2_;
                metal::float2 v1_2_ = float2(as_type<half2>(_e3253));
                float _e3263 = weights.inner[((piece * 64u) + 16u) + 2u];
                metal::float2 _e3265 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3263), v1_2_, _e3265);
                uint _e3267 = early0_1_3_;
                metal::float2 v1_3_ = float2(as_type<half2>(_e3267));
                float _e3277 = weights.inner[((piece * 64u) + 16u) + 3u];
                metal::float2 _e3279 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3277), v1_3_, _e3279);
                uint _e3281 = early0_1_4_;
                metal::float2 v1_4_ = float2(as_type<half2>(_e3281));
                float _e3291 = weights.inner[((piece * 64u) + 16u) + 4u];
                metal::float2 _e3293 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3291), v1_4_, _e3293);
                uint _e3295 = early0_1_5_;
                metal::float2 v1_5_ = float2(as_type<half2>(_e3295));
                float _e3305 = weights.inner[((piece * 64u) + 16u) + 5u];
                metal::float2 _e3307 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3305), v1_5_, _e3307);
                uint _e3309 = early0_1_6_;
                metal::float2 v1_6_ = float2(as_type<half2>(_e3309));
                float _e3319 = weights.inner[((piece * 64u) + 16u) + 6u];
                metal::float2 _e3321 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3319), v1_6_, _e3321);
                uint _e3323 = early0_1_7_;
                metal::float2 v1_7_ = float2(as_type<half2>(_e3323));
                float _e3333 = weights.inner[((piece * 64u) + 16u) + 7u];
                metal::float2 _e3335 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3333), v1_7_, _e3335);
                uint _e3337 = early0_1_8_;
                metal::float2 v1_8_ = float2(as_type<half2>(_e3337));
                float _e3347 = weights.inner[((piece * 64u) + 16u) + 8u];
                metal::float2 _e3349 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3347), v1_8_, _e3349);
                uint _e3351 = early0_1_9_;
                metal::float2 v1_9_ = float2(as_type<half2>(_e3351));
                float _e3361 = weights.inner[((piece * 64u) + 16u) + 9u];
                metal::float2 _e3363 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3361), v1_9_, _e3363);
                uint _e3365 = early0_1_10_;
                metal::float2 v1_10_ = float2(as_type<half2>(_e3365));
                float _e3375 = weights.inner[((piece * 64u) + 16u) + 10u];
                metal::float2 _e3377 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3375), v1_10_, _e3377);
                uint _e3379 = early0_1_11_;
                metal::float2 v1_11_ = float2(as_type<half2>(_e3379));
                float _e3389 = weights.inner[((piece * 64u) + 16u) + 11u];
                metal::float2 _e3391 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3389), v1_11_, _e3391);
                uint _e3393 = early0_1_12_;
                metal::float2 v1_12_ = float2(as_type<half2>(_e3393));
                float _e3403 = weights.inner[((piece * 64u) + 16u) + 12u];
                metal::float2 _e3405 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3403), v1_12_, _e3405);
                uint _e3407 = early0_1_13_;
                metal::float2 v1_13_ = float2(as_type<half2>(_e3407));
                float _e3417 = weights.inner[((piece * 64u) + 16u) + 13u];
                metal::float2 _e3419 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3417), v1_13_, _e3419);
                uint _e3421 = early0_1_14_;
                metal::float2 v1_14_ = float2(as_type<half2>(_e3421));
                float _e3431 = weights.inner[((piece * 64u) + 16u) + 14u];
                metal::float2 _e3433 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3431), v1_14_, _e3433);
                uint _e3435 = early0_1_15_;
                metal::float2 v1_15_ = float2(as_type<half2>(_e3435));
                float _e3445 = weights.inner[((piece * 64u) + 16u) + 15u];
                metal::float2 _e3447 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3445), v1_15_, _e3447);
                uint _e3449 = early0_2_0_;
                metal::float2 v2_0_ = float2(as_type<half2>(_e3449));
                float _e3459 = weights.inner[((piece * 64u) + 32u) + 0u];
                metal::float2 _e3461 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3459), v2_0_, _e3461);
                uint _e3463 = early0_2_1_;
                metal::float2 v2_1_ = float2(as_type<half2>(_e3463));
                float _e3473 = weights.inner[((piece * 64u) + 32u) + 1u];
                metal::float2 _e3475 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3473), v2_1_, _e3475);
                uint _e3477 = early0_2_2_;
                metal::float2 v2_2_ = float2(as_type<half2>(_e3477));
                float _e3487 = weights.inner[((piece * 64u) + 32u) + 2u];
                metal::float2 _e3489 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3487), v2_2_, _e3489);
                uint _e3491 = early0_2_3_;
                metal::float2 v2_3_ = float2(as_type<half2>(_e3491));
                float _e3501 = weights.inner[((piece * 64u) + 32u) + 3u];
                metal::float2 _e3503 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3501), v2_3_, _e3503);
                uint _e3505 = early0_2_4_;
                metal::float2 v2_4_ = float2(as_type<half2>(_e3505));
                float _e3515 = weights.inner[((piece * 64u) + 32u) + 4u];
                metal::float2 _e3517 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3515), v2_4_, _e3517);
                uint _e3519 = early0_2_5_;
                metal::float2 v2_5_ = float2(as_type<half2>(_e3519));
                float _e3529 = weights.inner[((piece * 64u) + 32u) + 5u];
                metal::float2 _e3531 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3529), v2_5_, _e3531);
                uint _e3533 = early0_2_6_;
                metal::float2 v2_6_ = float2(as_type<half2>(_e3533));
                float _e3543 = weights.inner[((piece * 64u) + 32u) + 6u];
                metal::float2 _e3545 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3543), v2_6_, _e3545);
                uint _e3547 = early0_2_7_;
                metal::float2 v2_7_ = float2(as_type<half2>(_e3547));
                float _e3557 = weights.inner[((piece * 64u) + 32u) + 7u];
                metal::float2 _e3559 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3557), v2_7_, _e3559);
                uint _e3561 = early0_2_8_;
                metal::float2 v2_8_ = float2(as_type<half2>(_e3561));
                float _e3571 = weights.inner[((piece * 64u) + 32u) + 8u];
                metal::float2 _e3573 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3571), v2_8_, _e3573);
                uint _e3575 = early0_2_9_;
                metal::float2 v2_9_ = float2(as_type<half2>(_e3575));
                float _e3585 = weights.inner[((piece * 64u) + 32u) + 9u];
                metal::float2 _e3587 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3585), v2_9_, _e3587);
                uint _e3589 = early0_2_10_;
                metal::float2 v2_10_ = float2(as_type<half2>(_e3589));
                float _e3599 = weights.inner[((piece * 64u) + 32u) + 10u];
                metal::float2 _e3601 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3599), v2_10_, _e3601);
                uint _e3603 = early0_2_11_;
                metal::float2 v2_11_ = float2(as_type<half2>(_e3603));
                float _e3613 = weights.inner[((piece * 64u) + 32u) + 11u];
                metal::float2 _e3615 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3613), v2_11_, _e3615);
                uint _e3617 = early0_2_12_;
                metal::float2 v2_12_ = float2(as_type<half2>(_e3617));
                float _e3627 = weights.inner[((piece * 64u) + 32u) + 12u];
                metal::float2 _e3629 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3627), v2_12_, _e3629);
                uint _e3631 = early0_2_13_;
                metal::float2 v2_13_ = float2(as_type<half2>(_e3631));
                float _e3641 = weights.inner[((piece * 64u) + 32u) + 13u];
                metal::float2 _e3643 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3641), v2_13_, _e3643);
                uint _e3645 = early0_2_14_;
                metal::float2 v2_14_ = float2(as_type<half2>(_e3645));
                float _e3655 = weights.inner[((piece * 64u) + 32u) + 14u];
                metal::float2 _e3657 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3655), v2_14_, _e3657);
                uint _e3659 = early0_2_15_;
                metal::float2 v2_15_ = float2(as_type<half2>(_e3659));
                float _e3669 = weights.inner[((piece * 64u) + 32u) + 15u];
                metal::float2 _e3671 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3669), v2_15_, _e3671);
                uint _e3673 = early0_3_0_;
                metal::float2 v3_0_ = float2(as_type<half2>(_e3673));
                float _e3683 = weights.inner[((piece * 64u) + 48u) + 0u];
                metal::float2 _e3685 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3683), v3_0_, _e3685);
                uint _e3687 = early0_3_1_;
                metal::float2 v3_1_ = float2(as_type<half2>(_e3687));
                float _e3697 = weights.inner[((piece * 64u) + 48u) + 1u];
                metal::float2 _e3699 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3697), v3_1_, _e3699);
                uint _e3701 = early0_3_2_;
                metal::float2 v3_2_ = float2(as_type<half2>(_e3701));
                float _e3711 = weights.inner[((piece * 64u) + 48u) + 2u];
                metal::float2 _e3713 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3711), v3_2_, _e3713);
                uint _e3715 = early0_3_3_;
                metal::float2 v3_3_ = float2(as_type<half2>(_e3715));
                float _e3725 = weights.inner[((piece * 64u) + 48u) + 3u];
                metal::float2 _e3727 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3725), v3_3_, _e3727);
                uint _e3729 = early0_3_4_;
                metal::float2 v3_4_ = float2(as_type<half2>(_e3729));
                float _e3739 = weights.inner[((piece * 64u) + 48u) + 4u];
                metal::float2 _e3741 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3739), v3_4_, _e3741);
                uint _e3743 = early0_3_5_;
                metal::float2 v3_5_ = float2(as_type<half2>(_e3743));
                float _e3753 = weights.inner[((piece * 64u) + 48u) + 5u];
                metal::float2 _e3755 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3753), v3_5_, _e3755);
                uint _e3757 = early0_3_6_;
                metal::float2 v3_6_ = float2(as_type<half2>(_e3757));
                float _e3767 = weights.inner[((piece * 64u) + 48u) + 6u];
                metal::float2 _e3769 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3767), v3_6_, _e3769);
                uint _e3771 = early0_3_7_;
                metal::float2 v3_7_ = float2(as_type<half2>(_e3771));
                float _e3781 = weights.inner[((piece * 64u) + 48u) + 7u];
                metal::float2 _e3783 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3781), v3_7_, _e3783);
                uint _e3785 = early0_3_8_;
                metal::float2 v3_8_ = float2(as_type<half2>(_e3785));
                float _e3795 = weights.inner[((piece * 64u) + 48u) + 8u];
                metal::float2 _e3797 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3795), v3_8_, _e3797);
                uint _e3799 = early0_3_9_;
                metal::float2 v3_9_ = float2(as_type<half2>(_e3799));
                float _e3809 = weights.inner[((piece * 64u) + 48u) + 9u];
                metal::float2 _e3811 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3809), v3_9_, _e3811);
                uint _e3813 = early0_3_10_;
                metal::float2 v3_10_ = float2(as_type<half2>(_e3813));
                float _e3823 = weights.inner[((piece * 64u) + 48u) + 10u];
                metal::float2 _e3825 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3823), v3_10_, _e3825);
                uint _e3827 = early0_3_11_;
                metal::float2 v3_11_ = float2(as_type<half2>(_e3827));
                float _e3837 = weights.inner[((piece * 64u) + 48u) + 11u];
                metal::float2 _e3839 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3837), v3_11_, _e3839);
                uint _e3841 = early0_3_12_;
                metal::float2 v3_12_ = float2(as_type<half2>(_e3841));
                float _e3851 = weights.inner[((piece * 64u) + 48u) + 12u];
                metal::float2 _e3853 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3851), v3_12_, _e3853);
                uint _e3855 = early0_3_13_;
                metal::float2 v3_13_ = float2(as_type<half2>(_e3855));
                float _e3865 = weights.inner[((piece * 64u) + 48u) + 13u];
                metal::float2 _e3867 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3865), v3_13_, _e3867);
                uint _e3869 = early0_3_14_;
                metal::float2 v3_14_ = float2(as_type<half2>(_e3869));
                float _e3879 = weights.inner[((piece * 64u) + 48u) + 14u];
                metal::float2 _e3881 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3879), v3_14_, _e3881);
                uint _e3883 = early0_3_15_;
                metal::float2 v3_15_ = float2(as_type<half2>(_e3883));
                float _e3893 = weights.inner[((piece * 64u) + 48u) + 15u];
                metal::float2 _e3895 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3893), v3_15_, _e3895);
                metal::float2 _e3906 = sum0_0_;
                outs.inner[(((piece * HEADS) + 0u) * WORDS) + word0_] = _e3906;
            }
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
            if (piece == 0u) {
                uint _e3909 = start;
                if ((_e3909 + 0u) < count) {
                    uint _e3913 = start;
                    bool first_of_all = (_e3913 + 0u) == 0u;
                    float peak_c0_ = peaks.inner[0];
                    float _e3921 = total_max0_;
                    if (!(first_of_all)) {
                        float _e3925 = total_max0_;
                        local_1 = peak_c0_ > _e3925;
                    } else {
                        local_1 = true;
                    }
                    bool _e3928 = local_1;
                    float merged0_ = _e3928 ? peak_c0_ : _e3921;
                    float _e3930 = total_max0_;
                    float _e3932 = exp_law(_e3930 - merged0_);
                    float _e3934 = exp_law(peak_c0_ - merged0_);
                    if ((lane + 0u) < WORDS) {
                        metal::float2 part0_0_ = outs.inner[0u + word0_];
                        metal::float2 _e3944 = out0_0_;
                        out0_0_ = first_of_all ? part0_0_ : metal::fma(_e3944, metal::float2(_e3932), part0_0_ * _e3934);
                    }
                    float s0_ = sums.inner[0];
                    float _e3952 = total_sum0_;
                    total_sum0_ = first_of_all ? s0_ : metal::fma(_e3952, _e3932, s0_ * _e3934);
                    total_max0_ = merged0_;
                }
                uint _e3956 = start;
                if ((_e3956 + 64u) < count) {
                    uint _e3960 = start;
                    bool first_of_all_1 = (_e3960 + 1u) == 0u;
                    float peak_c0_1 = peaks.inner[1];
                    float _e3968 = total_max0_;
                    if (!(first_of_all_1)) {
                        float _e3972 = total_max0_;
                        local_2 = peak_c0_1 > _e3972;
                    } else {
                        local_2 = true;
                    }
                    bool _e3975 = local_2;
                    float merged0_1 = _e3975 ? peak_c0_1 : _e3968;
                    float _e3977 = total_max0_;
                    float _e3979 = exp_law(_e3977 - merged0_1);
                    float _e3981 = exp_law(peak_c0_1 - merged0_1);
                    if ((lane + 0u) < WORDS) {
                        metal::float2 part0_0_1 = outs.inner[32u + word0_];
                        metal::float2 _e3991 = out0_0_;
                        out0_0_ = first_of_all_1 ? part0_0_1 : metal::fma(_e3991, metal::float2(_e3979), part0_0_1 * _e3981);
                    }
                    float s0_1 = sums.inner[1];
                    float _e3999 = total_sum0_;
                    total_sum0_ = first_of_all_1 ? s0_1 : metal::fma(_e3999, _e3979, s0_1 * _e3981);
                    total_max0_ = merged0_1;
                }
                uint _e4003 = start;
                if ((_e4003 + 128u) < count) {
                    uint _e4007 = start;
                    bool first_of_all_2 = (_e4007 + 2u) == 0u;
                    float peak_c0_2 = peaks.inner[2];
                    float _e4015 = total_max0_;
                    if (!(first_of_all_2)) {
                        float _e4019 = total_max0_;
                        local_3 = peak_c0_2 > _e4019;
                    } else {
                        local_3 = true;
                    }
                    bool _e4022 = local_3;
                    float merged0_2 = _e4022 ? peak_c0_2 : _e4015;
                    float _e4024 = total_max0_;
                    float _e4026 = exp_law(_e4024 - merged0_2);
                    float _e4028 = exp_law(peak_c0_2 - merged0_2);
                    if ((lane + 0u) < WORDS) {
                        metal::float2 part0_0_2 = outs.inner[64u + word0_];
                        metal::float2 _e4038 = out0_0_;
                        out0_0_ = first_of_all_2 ? part0_0_2 : metal::fma(_e4038, metal::float2(_e4026), part0_0_2 * _e4028);
                    }
                    float s0_2 = sums.inner[2];
                    float _e4046 = total_sum0_;
                    total_sum0_ = first_of_all_2 ? s0_2 : metal::fma(_e4046, _e4026, s0_2 * _e4028);
                    total_max0_ = merged0_2;
                }
                uint _e4050 = start;
                if ((_e4050 + 192u) < count) {
                    uint _e4054 = start;
                    bool first_of_all_3 = (_e4054 + 3u) == 0u;
                    float peak_c0_3 = peaks.inner[3];
                    float _e4062 = total_max0_;
                    if (!(first_of_all_3)) {
                        float _e4066 = total_max0_;
                        local_4 = peak_c0_3 > _e4066;
                    } else {
                        local_4 = true;
                    }
                    bool _e4069 = local_4;
                    float merged0_3 = _e4069 ? peak_c0_3 : _e4062;
                    float _e4071 = total_max0_;
                    float _e4073 = exp_law(_e4071 - merged0_3);
                    float _e4075 = exp_law(peak_c0_3 - merged0_3);
                    if ((lane + 0u) < WORDS) {
                        metal::float2 part0_0_3 = outs.inner[96u + word0_];
                        metal::float2 _e4085 = out0_0_;
                        out0_0_ = first_of_all_3 ? part0_0_3 : metal::fma(_e4085, metal::float2(_e4073), part0_0_3 * _e4075);
                    }
                    float s0_3 = sums.inner[3];
                    float _e4093 = total_sum0_;
                    total_sum0_ = first_of_all_3 ? s0_3 : metal::fma(_e4093, _e4073, s0_3 * _e4075);
                    total_max0_ = merged0_3;
                }
            }
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
        }
    }
    if (piece == 0u) {
        uint word0_1 = lane + 0u;
        if (word0_1 < WORDS) {
            uint _e4108 = p_1.out;
            uint _e4111 = p_1.out_cols;
            uint to0_ = ((_e4108 + (row * _e4111)) + ((head + 0u) * HEAD_DIM)) + (2u * word0_1);
            metal::float2 _e4122 = out0_0_;
            float _e4123 = total_sum0_;
            metal::float2 y0_ = _e4122 / metal::float2(_e4123);
            arena[to0_] = y0_.x;
            arena[to0_ + 1u] = y0_.y;
            return;
        } else {
            return;
        }
    } else {
        return;
    }
}
