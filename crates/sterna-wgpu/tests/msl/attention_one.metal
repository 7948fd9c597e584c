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
    float inner[128];
};
struct type_9 {
    metal::float4 inner[16];
};
struct type_10 {
    metal::uint4 inner[8];
};
struct type_11 {
    uint inner[32];
};
struct type_12 {
    metal::float4 inner[64];
};
struct type_13 {
    float inner[32];
};
struct type_15 {
    metal::float2 inner[128];
};
struct type_16 {
    float inner[16];
};
constant uint HEAD_DIM = 64u;
constant uint PIECES = 4u;
constant uint ITEMS = 1u;
constant uint VECS = 8u;
constant bool Q_NORM = true;
constant bool K_NORM = true;
constant bool NORMS = true;
constant bool SUBGROUPS = false;
constant uint THREADS = 256u;
constant uint WORDS = 32u;

uint call_row(
    uint i
) {
    return 4u + (4u * i);
}

int naga_f2i32(float value) {
    return static_cast<int>(metal::clamp(value, -2147483600.0, 2147483500.0));
}

float exp_law(
    float x_1
) {
    float c = {};
    float p = {};
    c = x_1;
    if (x_1 > 88.0) {
        c = 88.0;
    } else {
        if (x_1 < -87.3) {
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
    float y_1 = metal::fma(r * r, _e34, r) + 1.0;
    float scale = as_type<float>(static_cast<uint>(as_type<int>(as_type<uint>(naga_f2i32(n)) + as_type<uint>(127))) << 23u);
    return (x_1 < -87.3) ? 0.0 : (y_1 * scale);
}

float sigmoid_law(
    float x_2
) {
    float _e2 = exp_law(-(x_2));
    return 1.0 / (1.0 + _e2);
}

float silu_law(
    float x_3
) {
    float _e2 = exp_law(-(x_3));
    return x_3 / (1.0 + _e2);
}

float gelu_law(
    float x_4
) {
    float _e7 = exp_law(-((x_4 * metal::fma(0.071354814, x_4 * x_4, 1.595769))));
    return x_4 / (1.0 + _e7);
}

bool is_bad(
    float x_5
) {
    return (as_type<uint>(x_5) & 2139095040u) == 2139095040u;
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

uint half_bits(
    float x_6
) {
    bool local_14 = {};
    bool local_15 = {};
    uint bits = as_type<uint>(x_6);
    uint sign = (bits >> 16u) & 32768u;
    uint abs = bits & 2147483647u;
    if (abs > 2139095040u) {
        return sign | 32256u;
    }
    if (abs >= 1199566848u) {
        return sign | 31744u;
    }
    if (abs >= 947912704u) {
        uint odd = (abs >> 13u) & 1u;
        return sign | ((((abs - 939524096u) + 4095u) + odd) >> 13u);
    }
    if (abs < 855638016u) {
        return sign;
    }
    uint shift = 126u - (abs >> 23u);
    uint whole = (abs & 8388607u) | 8388608u;
    uint kept = whole >> shift;
    uint rest = whole & ((1u << shift) - 1u);
    uint middle = 1u << (shift - 1u);
    if (!((rest > middle))) {
        if (rest == middle) {
            local_15 = (kept & 1u) == 1u;
        } else {
            local_15 = false;
        }
        bool _e62 = local_15;
        local_14 = _e62;
    } else {
        local_14 = true;
    }
    bool up = local_14;
    return sign | (kept + (up ? 1u : 0u));
}

uint naga_div(uint lhs, uint rhs) {
    return lhs / metal::select(rhs, 1u, rhs == 0u);
}

float turned(
    uint start_at,
    uint i_1,
    float cosine,
    float sine,
    constant Params& p_1,
    threadgroup type_8& raw
) {
    uint _e6 = p_1.turn;
    uint half_ = naga_div(_e6, 2u);
    uint _e11 = p_1.turn;
    if (i_1 >= _e11) {
        float _e16 = raw.inner[start_at + i_1];
        return _e16;
    }
    if (i_1 < half_) {
        float _e21 = raw.inner[start_at + i_1];
        float _e26 = raw.inner[(start_at + i_1) + half_];
        return metal::fma(_e21, cosine, -((_e26 * sine)));
    }
    float _e33 = raw.inner[start_at + i_1];
    float _e38 = raw.inner[(start_at + i_1) - half_];
    return metal::fma(_e33, cosine, _e38 * sine);
}

uint angle(
    uint i_2,
    constant Params& p_1
) {
    uint _e3 = p_1.turn;
    uint half_1 = naga_div(_e3, 2u);
    return metal::min((i_2 >= half_1) ? (i_2 - half_1) : i_2, metal::max(half_1, 1u) - 1u);
}
uint naga_mod(uint lhs, uint rhs) {
    return lhs % metal::select(rhs, 1u, rhs == 0u);
}


struct main_Input {
};
[[max_total_threads_per_threadgroup(256)]] kernel void main_(
  metal::uint3 group [[threadgroup_position_in_grid]]
, uint t [[thread_index_in_threadgroup]]
, constant Params& p_1 [[user(fake0)]]
, device type_4 const& call [[user(fake0)]]
, device type_5 const& vectors [[user(fake0)]]
, device type_7& state [[user(fake0)]]
, device type_5& arena [[user(fake0)]]
, threadgroup type_8& raw
, threadgroup type_9& query
, threadgroup type_10& own_key
, threadgroup type_11& own_value
, threadgroup float& own_weight
, threadgroup type_12& weights
, threadgroup type_13& parts
, threadgroup type_13& peaks
, threadgroup type_15& outs
, threadgroup type_16& lanes
, constant _mslBufferSizes& _buffer_sizes [[user(fake0)]]
) {
    float x0_ = 0.0;
    float y0_ = 0.0;
    metal::float4 turns0_ = metal::float4(0.0);
    metal::float2 norm0_ = metal::float2(0.0);
    bool local = {};
    bool local_1 = {};
    bool local_2 = {};
    float total_max = -340282350000000000000000000000000000000.0;
    float total_sum = 0.0;
    metal::float2 out = metal::float2(0.0);
    uint start = 0u;
    uint keys = {};
    metal::uint4 k0_ = {};
    metal::uint4 k1_ = {};
    metal::uint4 k2_ = {};
    metal::uint4 k3_ = {};
    metal::uint4 k4_ = {};
    metal::uint4 k5_ = {};
    metal::uint4 k6_ = {};
    metal::uint4 k7_ = {};
    uint v0_0_0_ = {};
    uint v0_0_1_ = {};
    uint v0_0_2_ = {};
    uint v0_0_3_ = {};
    uint v0_1_0_ = {};
    uint v0_1_1_ = {};
    uint v0_1_2_ = {};
    uint v0_1_3_ = {};
    uint v0_2_0_ = {};
    uint v0_2_1_ = {};
    uint v0_2_2_ = {};
    uint v0_2_3_ = {};
    uint v0_3_0_ = {};
    uint v0_3_1_ = {};
    uint v0_3_2_ = {};
    uint v0_3_3_ = {};
    uint v1_0_0_ = {};
    uint v1_0_1_ = {};
    uint v1_0_2_ = {};
    uint v1_0_3_ = {};
    uint v1_1_0_ = {};
    uint v1_1_1_ = {};
    uint v1_1_2_ = {};
    uint v1_1_3_ = {};
    uint v1_2_0_ = {};
    uint v1_2_1_ = {};
    uint v1_2_2_ = {};
    uint v1_2_3_ = {};
    uint v1_3_0_ = {};
    uint v1_3_1_ = {};
    uint v1_3_2_ = {};
    uint v1_3_3_ = {};
    uint v2_0_0_ = {};
    uint v2_0_1_ = {};
    uint v2_0_2_ = {};
    uint v2_0_3_ = {};
    uint v2_1_0_ = {};
    uint v2_1_1_ = {};
    uint v2_1_2_ = {};
    uint v2_1_3_ = {};
    uint v2_2_0_ = {};
    uint v2_2_1_ = {};
    uint v2_2_2_ = {};
    uint v2_2_3_ = {};
    uint v2_3_0_ = {};
    uint v2_3_1_ = {};
    uint v2_3_2_ = {};
    uint v2_3_3_ = {};
    uint v3_0_0_ = {};
    uint v3_0_1_ = {};
    uint v3_0_2_ = {};
    uint v3_0_3_ = {};
    uint v3_1_0_ = {};
    uint v3_1_1_ = {};
    uint v3_1_2_ = {};
    uint v3_1_3_ = {};
    uint v3_2_0_ = {};
    uint v3_2_1_ = {};
    uint v3_2_2_ = {};
    uint v3_2_3_ = {};
    uint v3_3_0_ = {};
    uint v3_3_1_ = {};
    uint v3_3_2_ = {};
    uint v3_3_3_ = {};
    float sum = {};
    uint j = {};
    bool local_3 = {};
    bool local_4 = {};
    bool local_5 = {};
    float x = {};
    float y = {};
    float acc = {};
    float near = {};
    uint j_1 = {};
    bool local_6 = {};
    float peak = {};
    bool local_7 = {};
    float sum_1 = {};
    bool local_8 = {};
    metal::float2 sum_2 = {};
    float peak_c = {};
    bool local_9 = {};
    float peak_c_1 = {};
    bool local_10 = {};
    float peak_c_2 = {};
    bool local_11 = {};
    float peak_c_3 = {};
    bool local_12 = {};
    bool local_13 = {};
    uint head = group.x;
    uint row = group.y;
    uint _e6 = p_1.share;
    uint kv_head = naga_div(head, _e6);
    uint _e9 = call_row(row);
    uint position = call[_e9 + 1u];
    uint _e15 = call_row(row);
    uint slot = call[_e15 + 2u];
    uint _e22 = p_1.table;
    uint _e25 = p_1.table_cols;
    uint table = _e22 + (row * _e25);
    uint _e30 = p_1.turn;
    uint half_2 = naga_div(_e30, 2u);
    uint item0_ = t + 0u;
    uint kind0_ = naga_div(item0_, WORDS);
    uint word0_ = naga_mod(item0_, WORDS);
    if (item0_ < 96u) {
        uint _e53 = p_1.q_cols;
        uint _e60 = p_1.v;
        uint _e66 = p_1.q;
        uint _e75 = p_1.k;
        uint begin = ((row * _e53) + (2u * word0_)) + ((kind0_ == 0u) ? (_e75 + (kv_head * HEAD_DIM)) : ((kind0_ == 1u) ? (_e66 + (head * HEAD_DIM)) : (_e60 + (kv_head * HEAD_DIM))));
        float _e85 = arena[begin];
        x0_ = _e85;
        float _e90 = arena[begin + 1u];
        y0_ = _e90;
        uint _e93 = angle(2u * word0_, p_1);
        uint _e98 = angle((2u * word0_) + 1u, p_1);
        float _e102 = arena[table + _e93];
        float _e107 = arena[(table + half_2) + _e93];
        float _e111 = arena[table + _e98];
        float _e116 = arena[(table + half_2) + _e98];
        turns0_ = metal::float4(_e102, _e107, _e111, _e116);
        if (K_NORM) {
            local = kind0_ == 0u;
        } else {
            local = false;
        }
        bool _e124 = local;
        if (!(_e124)) {
            if (Q_NORM) {
                local_2 = kind0_ == 1u;
            } else {
                local_2 = false;
            }
            bool _e134 = local_2;
            local_1 = _e134;
        } else {
            local_1 = true;
        }
        bool _e136 = local_1;
        if (_e136) {
            uint _e139 = p_1.q_weight;
            uint _e142 = p_1.k_weight;
            uint at = ((kind0_ == 0u) ? _e142 : _e139) + (2u * word0_);
            float _e151 = vectors[at];
            float _e156 = vectors[at + 1u];
            norm0_ = metal::float2(_e151, _e156);
        }
    }
    uint count = position + 1u;
    uint _e162 = p_1.capacity;
    uint _e168 = p_1.kv_words;
    uint base = (((slot * _e162) * 2u) * _e168) + (kv_head * WORDS);
    uint piece = naga_div(t, 64u);
    uint lane = naga_mod(t, 64u);
    uint mine = metal::min(lane, 31u);
    uint2 loop_bound = uint2(4294967295u);
    bool loop_init = true;
    while(true) {
        if (metal::all(loop_bound == uint2(0u))) { break; }
        loop_bound -= uint2(loop_bound.y == 0u, 1u);
        if (!loop_init) {
            uint _e4307 = start;
            start = _e4307 + 256u;
        }
        loop_init = false;
        uint _e188 = start;
        if (_e188 < count) {
        } else {
            break;
        }
        {
            uint _e190 = start;
            uint first = _e190 + (64u * piece);
            keys = 0u;
            if (first < count) {
                keys = metal::min(64u, count - first);
            }
            k0_ = metal::uint4(0u);
            k1_ = metal::uint4(0u);
            k2_ = metal::uint4(0u);
            k3_ = metal::uint4(0u);
            k4_ = metal::uint4(0u);
            k5_ = metal::uint4(0u);
            k6_ = metal::uint4(0u);
            k7_ = metal::uint4(0u);
            if ((first + lane) < position) {
                uint _e231 = p_1.kv_words;
                uint key = naga_div(base + (((first + lane) * 2u) * _e231), 4u);
                metal::uint4 _e240 = state[key + 0u];
                k0_ = _e240;
                metal::uint4 _e245 = state[key + 1u];
                k1_ = _e245;
                metal::uint4 _e250 = state[key + 2u];
                k2_ = _e250;
                metal::uint4 _e255 = state[key + 3u];
                k3_ = _e255;
                metal::uint4 _e260 = state[key + 4u];
                k4_ = _e260;
                metal::uint4 _e265 = state[key + 5u];
                k5_ = _e265;
                metal::uint4 _e270 = state[key + 6u];
                k6_ = _e270;
                metal::uint4 _e275 = state[key + 7u];
                k7_ = _e275;
            }
            v0_0_0_ = 0u;
            v0_0_1_ = 0u;
            v0_0_2_ = 0u;
            v0_0_3_ = 0u;
            v0_1_0_ = 0u;
            v0_1_1_ = 0u;
            v0_1_2_ = 0u;
            v0_1_3_ = 0u;
            v0_2_0_ = 0u;
            v0_2_1_ = 0u;
            v0_2_2_ = 0u;
            v0_2_3_ = 0u;
            v0_3_0_ = 0u;
            v0_3_1_ = 0u;
            v0_3_2_ = 0u;
            v0_3_3_ = 0u;
            if ((first + 0u) < position) {
                uint _e326 = p_1.kv_words;
                uint at0_0_0_ = (base + (((metal::min(((first + 0u) + 0u) + 0u, position - 1u) * 2u) + 1u) * _e326)) + mine;
                uint _e337 = state[naga_div(at0_0_0_, 4u)][naga_mod(at0_0_0_, 4u)];
                v0_0_0_ = _e337;
                uint _e353 = p_1.kv_words;
                uint at0_0_1_ = (base + (((metal::min(((first + 0u) + 0u) + 1u, position - 1u) * 2u) + 1u) * _e353)) + mine;
                uint _e364 = state[naga_div(at0_0_1_, 4u)][naga_mod(at0_0_1_, 4u)];
                v0_0_1_ = _e364;
                uint _e380 = p_1.kv_words;
                uint at0_0_2_ = (base + (((metal::min(((first + 0u) + 0u) + 2u, position - 1u) * 2u) + 1u) * _e380)) + mine;
                uint _e391 = state[naga_div(at0_0_2_, 4u)][naga_mod(at0_0_2_, 4u)];
                v0_0_2_ = _e391;
                uint _e407 = p_1.kv_words;
                uint at0_0_3_ = (base + (((metal::min(((first + 0u) + 0u) + 3u, position - 1u) * 2u) + 1u) * _e407)) + mine;
                uint _e418 = state[naga_div(at0_0_3_, 4u)][naga_mod(at0_0_3_, 4u)];
                v0_0_3_ = _e418;
                uint _e434 = p_1.kv_words;
                uint at0_1_0_ = (base + (((metal::min(((first + 0u) + 4u) + 0u, position - 1u) * 2u) + 1u) * _e434)) + mine;
                uint _e445 = state[naga_div(at0_1_0_, 4u)][naga_mod(at0_1_0_, 4u)];
                v0_1_0_ = _e445;
                uint _e461 = p_1.kv_words;
                uint at0_1_1_ = (base + (((metal::min(((first + 0u) + 4u) + 1u, position - 1u) * 2u) + 1u) * _e461)) + mine;
                uint _e472 = state[naga_div(at0_1_1_, 4u)][naga_mod(at0_1_1_, 4u)];
                v0_1_1_ = _e472;
                uint _e488 = p_1.kv_words;
                uint at0_1_2_ = (base + (((metal::min(((first + 0u) + 4u) + 2u, position - 1u) * 2u) + 1u) * _e488)) + mine;
                uint _e499 = state[naga_div(at0_1_2_, 4u)][naga_mod(at0_1_2_, 4u)];
                v0_1_2_ = _e499;
                uint _e515 = p_1.kv_words;
                uint at0_1_3_ = (base + (((metal::min(((first + 0u) + 4u) + 3u, position - 1u) * 2u) + 1u) * _e515)) + mine;
                uint _e526 = state[naga_div(at0_1_3_, 4u)][naga_mod(at0_1_3_, 4u)];
                v0_1_3_ = _e526;
                uint _e542 = p_1.kv_words;
                uint at0_2_0_ = (base + (((metal::min(((first + 0u) + 8u) + 0u, position - 1u) * 2u) + 1u) * _e542)) + mine;
                uint _e553 = state[naga_div(at0_2_0_, 4u)][naga_mod(at0_2_0_, 4u)];
                v0_2_0_ = _e553;
                uint _e569 = p_1.kv_words;
                uint at0_2_1_ = (base + (((metal::min(((first + 0u) + 8u) + 1u, position - 1u) * 2u) + 1u) * _e569)) + mine;
                uint _e580 = state[naga_div(at0_2_1_, 4u)][naga_mod(at0_2_1_, 4u)];
                v0_2_1_ = _e580;
                uint _e596 = p_1.kv_words;
                uint at0_2_2_ = (base + (((metal::min(((first + 0u) + 8u) + 2u, position - 1u) * 2u) + 1u) * _e596)) + mine;
                uint _e607 = state[naga_div(at0_2_2_, 4u)][naga_mod(at0_2_2_, 4u)];
                v0_2_2_ = _e607;
                uint _e623 = p_1.kv_words;
                uint at0_2_3_ = (base + (((metal::min(((first + 0u) + 8u) + 3u, position - 1u) * 2u) + 1u) * _e623)) + mine;
                uint _e634 = state[naga_div(at0_2_3_, 4u)][naga_mod(at0_2_3_, 4u)];
                v0_2_3_ = _e634;
                uint _e650 = p_1.kv_words;
                uint at0_3_0_ = (base + (((metal::min(((first + 0u) + 12u) + 0u, position - 1u) * 2u) + 1u) * _e650)) + mine;
                uint _e661 = state[naga_div(at0_3_0_, 4u)][naga_mod(at0_3_0_, 4u)];
                v0_3_0_ = _e661;
                uint _e677 = p_1.kv_words;
                uint at0_3_1_ = (base + (((metal::min(((first + 0u) + 12u) + 1u, position - 1u) * 2u) + 1u) * _e677)) + mine;
                uint _e688 = state[naga_div(at0_3_1_, 4u)][naga_mod(at0_3_1_, 4u)];
                v0_3_1_ = _e688;
                uint _e704 = p_1.kv_words;
                uint at0_3_2_ = (base + (((metal::min(((first + 0u) + 12u) + 2u, position - 1u) * 2u) + 1u) * _e704)) + mine;
                uint _e715 = state[naga_div(at0_3_2_, 4u)][naga_mod(at0_3_2_, 4u)];
                v0_3_2_ = _e715;
                uint _e731 = p_1.kv_words;
                uint at0_3_3_ = (base + (((metal::min(((first + 0u) + 12u) + 3u, position - 1u) * 2u) + 1u) * _e731)) + mine;
                uint _e742 = state[naga_div(at0_3_3_, 4u)][naga_mod(at0_3_3_, 4u)];
                v0_3_3_ = _e742;
            }
            v1_0_0_ = 0u;
            v1_0_1_ = 0u;
            v1_0_2_ = 0u;
            v1_0_3_ = 0u;
            v1_1_0_ = 0u;
            v1_1_1_ = 0u;
            v1_1_2_ = 0u;
            v1_1_3_ = 0u;
            v1_2_0_ = 0u;
            v1_2_1_ = 0u;
            v1_2_2_ = 0u;
            v1_2_3_ = 0u;
            v1_3_0_ = 0u;
            v1_3_1_ = 0u;
            v1_3_2_ = 0u;
            v1_3_3_ = 0u;
            if ((first + 16u) < position) {
                uint _e793 = p_1.kv_words;
                uint at1_0_0_ = (base + (((metal::min(((first + 16u) + 0u) + 0u, position - 1u) * 2u) + 1u) * _e793)) + mine;
                uint _e804 = state[naga_div(at1_0_0_, 4u)][naga_mod(at1_0_0_, 4u)];
                v1_0_0_ = _e804;
                uint _e820 = p_1.kv_words;
                uint at1_0_1_ = (base + (((metal::min(((first + 16u) + 0u) + 1u, position - 1u) * 2u) + 1u) * _e820)) + mine;
                uint _e831 = state[naga_div(at1_0_1_, 4u)][naga_mod(at1_0_1_, 4u)];
                v1_0_1_ = _e831;
                uint _e847 = p_1.kv_words;
                uint at1_0_2_ = (base + (((metal::min(((first + 16u) + 0u) + 2u, position - 1u) * 2u) + 1u) * _e847)) + mine;
                uint _e858 = state[naga_div(at1_0_2_, 4u)][naga_mod(at1_0_2_, 4u)];
                v1_0_2_ = _e858;
                uint _e874 = p_1.kv_words;
                uint at1_0_3_ = (base + (((metal::min(((first + 16u) + 0u) + 3u, position - 1u) * 2u) + 1u) * _e874)) + mine;
                uint _e885 = state[naga_div(at1_0_3_, 4u)][naga_mod(at1_0_3_, 4u)];
                v1_0_3_ = _e885;
                uint _e901 = p_1.kv_words;
                uint at1_1_0_ = (base + (((metal::min(((first + 16u) + 4u) + 0u, position - 1u) * 2u) + 1u) * _e901)) + mine;
                uint _e912 = state[naga_div(at1_1_0_, 4u)][naga_mod(at1_1_0_, 4u)];
                v1_1_0_ = _e912;
                uint _e928 = p_1.kv_words;
                uint at1_1_1_ = (base + (((metal::min(((first + 16u) + 4u) + 1u, position - 1u) * 2u) + 1u) * _e928)) + mine;
                uint _e939 = state[naga_div(at1_1_1_, 4u)][naga_mod(at1_1_1_, 4u)];
                v1_1_1_ = _e939;
                uint _e955 = p_1.kv_words;
                uint at1_1_2_ = (base + (((metal::min(((first + 16u) + 4u) + 2u, position - 1u) * 2u) + 1u) * _e955)) + mine;
                uint _e966 = state[naga_div(at1_1_2_, 4u)][naga_mod(at1_1_2_, 4u)];
                v1_1_2_ = _e966;
                uint _e982 = p_1.kv_words;
                uint at1_1_3_ = (base + (((metal::min(((first + 16u) + 4u) + 3u, position - 1u) * 2u) + 1u) * _e982)) + mine;
                uint _e993 = state[naga_div(at1_1_3_, 4u)][naga_mod(at1_1_3_, 4u)];
                v1_1_3_ = _e993;
                uint _e1009 = p_1.kv_words;
                uint at1_2_0_ = (base + (((metal::min(((first + 16u) + 8u) + 0u, position - 1u) * 2u) + 1u) * _e1009)) + mine;
                uint _e1020 = state[naga_div(at1_2_0_, 4u)][naga_mod(at1_2_0_, 4u)];
                v1_2_0_ = _e1020;
                uint _e1036 = p_1.kv_words;
                uint at1_2_1_ = (base + (((metal::min(((first + 16u) + 8u) + 1u, position - 1u) * 2u) + 1u) * _e1036)) + mine;
                uint _e1047 = state[naga_div(at1_2_1_, 4u)][naga_mod(at1_2_1_, 4u)];
                v1_2_1_ = _e1047;
                uint _e1063 = p_1.kv_words;
                uint at1_2_2_ = (base + (((metal::min(((first + 16u) + 8u) + 2u, position - 1u) * 2u) + 1u) * _e1063)) + mine;
                uint _e1074 = state[naga_div(at1_2_2_, 4u)][naga_mod(at1_2_2_, 4u)];
                v1_2_2_ = _e1074;
                uint _e1090 = p_1.kv_words;
                uint at1_2_3_ = (base + (((metal::min(((first + 16u) + 8u) + 3u, position - 1u) * 2u) + 1u) * _e1090)) + mine;
                uint _e1101 = state[naga_div(at1_2_3_, 4u)][naga_mod(at1_2_3_, 4u)];
                v1_2_3_ = _e1101;
                uint _e1117 = p_1.kv_words;
                uint at1_3_0_ = (base + (((metal::min(((first + 16u) + 12u) + 0u, position - 1u) * 2u) + 1u) * _e1117)) + mine;
                uint _e1128 = state[naga_div(at1_3_0_, 4u)][naga_mod(at1_3_0_, 4u)];
                v1_3_0_ = _e1128;
                uint _e1144 = p_1.kv_words;
                uint at1_3_1_ = (base + (((metal::min(((first + 16u) + 12u) + 1u, position - 1u) * 2u) + 1u) * _e1144)) + mine;
                uint _e1155 = state[naga_div(at1_3_1_, 4u)][naga_mod(at1_3_1_, 4u)];
                v1_3_1_ = _e1155;
                uint _e1171 = p_1.kv_words;
                uint at1_3_2_ = (base + (((metal::min(((first + 16u) + 12u) + 2u, position - 1u) * 2u) + 1u) * _e1171)) + mine;
                uint _e1182 = state[naga_div(at1_3_2_, 4u)][naga_mod(at1_3_2_, 4u)];
                v1_3_2_ = _e1182;
                uint _e1198 = p_1.kv_words;
                uint at1_3_3_ = (base + (((metal::min(((first + 16u) + 12u) + 3u, position - 1u) * 2u) + 1u) * _e1198)) + mine;
                uint _e1209 = state[naga_div(at1_3_3_, 4u)][naga_mod(at1_3_3_, 4u)];
                v1_3_3_ = _e1209;
            }
            v2_0_0_ = 0u;
            v2_0_1_ = 0u;
            v2_0_2_ = 0u;
            v2_0_3_ = 0u;
            v2_1_0_ = 0u;
            v2_1_1_ = 0u;
            v2_1_2_ = 0u;
            v2_1_3_ = 0u;
            v2_2_0_ = 0u;
            v2_2_1_ = 0u;
            v2_2_2_ = 0u;
            v2_2_3_ = 0u;
            v2_3_0_ = 0u;
            v2_3_1_ = 0u;
            v2_3_2_ = 0u;
            v2_3_3_ = 0u;
            if ((first + 32u) < position) {
                uint _e1260 = p_1.kv_words;
                uint at2_0_0_ = (base + (((metal::min(((first + 32u) + 0u) + 0u, position - 1u) * 2u) + 1u) * _e1260)) + mine;
                uint _e1271 = state[naga_div(at2_0_0_, 4u)][naga_mod(at2_0_0_, 4u)];
                v2_0_0_ = _e1271;
                uint _e1287 = p_1.kv_words;
                uint at2_0_1_ = (base + (((metal::min(((first + 32u) + 0u) + 1u, position - 1u) * 2u) + 1u) * _e1287)) + mine;
                uint _e1298 = state[naga_div(at2_0_1_, 4u)][naga_mod(at2_0_1_, 4u)];
                v2_0_1_ = _e1298;
                uint _e1314 = p_1.kv_words;
                uint at2_0_2_ = (base + (((metal::min(((first + 32u) + 0u) + 2u, position - 1u) * 2u) + 1u) * _e1314)) + mine;
                uint _e1325 = state[naga_div(at2_0_2_, 4u)][naga_mod(at2_0_2_, 4u)];
                v2_0_2_ = _e1325;
                uint _e1341 = p_1.kv_words;
                uint at2_0_3_ = (base + (((metal::min(((first + 32u) + 0u) + 3u, position - 1u) * 2u) + 1u) * _e1341)) + mine;
                uint _e1352 = state[naga_div(at2_0_3_, 4u)][naga_mod(at2_0_3_, 4u)];
                v2_0_3_ = _e1352;
                uint _e1368 = p_1.kv_words;
                uint at2_1_0_ = (base + (((metal::min(((first + 32u) + 4u) + 0u, position - 1u) * 2u) + 1u) * _e1368)) + mine;
                uint _e1379 = state[naga_div(at2_1_0_, 4u)][naga_mod(at2_1_0_, 4u)];
                v2_1_0_ = _e1379;
                uint _e1395 = p_1.kv_words;
                uint at2_1_1_ = (base + (((metal::min(((first + 32u) + 4u) + 1u, position - 1u) * 2u) + 1u) * _e1395)) + mine;
                uint _e1406 = state[naga_div(at2_1_1_, 4u)][naga_mod(at2_1_1_, 4u)];
                v2_1_1_ = _e1406;
                uint _e1422 = p_1.kv_words;
                uint at2_1_2_ = (base + (((metal::min(((first + 32u) + 4u) + 2u, position - 1u) * 2u) + 1u) * _e1422)) + mine;
                uint _e1433 = state[naga_div(at2_1_2_, 4u)][naga_mod(at2_1_2_, 4u)];
                v2_1_2_ = _e1433;
                uint _e1449 = p_1.kv_words;
                uint at2_1_3_ = (base + (((metal::min(((first + 32u) + 4u) + 3u, position - 1u) * 2u) + 1u) * _e1449)) + mine;
                uint _e1460 = state[naga_div(at2_1_3_, 4u)][naga_mod(at2_1_3_, 4u)];
                v2_1_3_ = _e1460;
                uint _e1476 = p_1.kv_words;
                uint at2_2_0_ = (base + (((metal::min(((first + 32u) + 8u) + 0u, position - 1u) * 2u) + 1u) * _e1476)) + mine;
                uint _e1487 = state[naga_div(at2_2_0_, 4u)][naga_mod(at2_2_0_, 4u)];
                v2_2_0_ = _e1487;
                uint _e1503 = p_1.kv_words;
                uint at2_2_1_ = (base + (((metal::min(((first + 32u) + 8u) + 1u, position - 1u) * 2u) + 1u) * _e1503)) + mine;
                uint _e1514 = state[naga_div(at2_2_1_, 4u)][naga_mod(at2_2_1_, 4u)];
                v2_2_1_ = _e1514;
                uint _e1530 = p_1.kv_words;
                uint at2_2_2_ = (base + (((metal::min(((first + 32u) + 8u) + 2u, position - 1u) * 2u) + 1u) * _e1530)) + mine;
                uint _e1541 = state[naga_div(at2_2_2_, 4u)][naga_mod(at2_2_2_, 4u)];
                v2_2_2_ = _e1541;
                uint _e1557 = p_1.kv_words;
                uint at2_2_3_ = (base + (((metal::min(((first + 32u) + 8u) + 3u, position - 1u) * 2u) + 1u) * _e1557)) + mine;
                uint _e1568 = state[naga_div(at2_2_3_, 4u)][naga_mod(at2_2_3_, 4u)];
                v2_2_3_ = _e1568;
                uint _e1584 = p_1.kv_words;
                uint at2_3_0_ = (base + (((metal::min(((first + 32u) + 12u) + 0u, position - 1u) * 2u) + 1u) * _e1584)) + mine;
                uint _e1595 = state[naga_div(at2_3_0_, 4u)][naga_mod(at2_3_0_, 4u)];
                v2_3_0_ = _e1595;
                uint _e1611 = p_1.kv_words;
                uint at2_3_1_ = (base + (((metal::min(((first + 32u) + 12u) + 1u, position - 1u) * 2u) + 1u) * _e1611)) + mine;
                uint _e1622 = state[naga_div(at2_3_1_, 4u)][naga_mod(at2_3_1_, 4u)];
                v2_3_1_ = _e1622;
                uint _e1638 = p_1.kv_words;
                uint at2_3_2_ = (base + (((metal::min(((first + 32u) + 12u) + 2u, position - 1u) * 2u) + 1u) * _e1638)) + mine;
                uint _e1649 = state[naga_div(at2_3_2_, 4u)][naga_mod(at2_3_2_, 4u)];
                v2_3_2_ = _e1649;
                uint _e1665 = p_1.kv_words;
                uint at2_3_3_ = (base + (((metal::min(((first + 32u) + 12u) + 3u, position - 1u) * 2u) + 1u) * _e1665)) + mine;
                uint _e1676 = state[naga_div(at2_3_3_, 4u)][naga_mod(at2_3_3_, 4u)];
                v2_3_3_ = _e1676;
            }
            v3_0_0_ = 0u;
            v3_0_1_ = 0u;
            v3_0_2_ = 0u;
            v3_0_3_ = 0u;
            v3_1_0_ = 0u;
            v3_1_1_ = 0u;
            v3_1_2_ = 0u;
            v3_1_3_ = 0u;
            v3_2_0_ = 0u;
            v3_2_1_ = 0u;
            v3_2_2_ = 0u;
            v3_2_3_ = 0u;
            v3_3_0_ = 0u;
            v3_3_1_ = 0u;
            v3_3_2_ = 0u;
            v3_3_3_ = 0u;
            if ((first + 48u) < position) {
                uint _e1727 = p_1.kv_words;
                uint at3_0_0_ = (base + (((metal::min(((first + 48u) + 0u) + 0u, position - 1u) * 2u) + 1u) * _e1727)) + mine;
                uint _e1738 = state[naga_div(at3_0_0_, 4u)][naga_mod(at3_0_0_, 4u)];
                v3_0_0_ = _e1738;
                uint _e1754 = p_1.kv_words;
                uint at3_0_1_ = (base + (((metal::min(((first + 48u) + 0u) + 1u, position - 1u) * 2u) + 1u) * _e1754)) + mine;
                uint _e1765 = state[naga_div(at3_0_1_, 4u)][naga_mod(at3_0_1_, 4u)];
                v3_0_1_ = _e1765;
                uint _e1781 = p_1.kv_words;
                uint at3_0_2_ = (base + (((metal::min(((first + 48u) + 0u) + 2u, position - 1u) * 2u) + 1u) * _e1781)) + mine;
                uint _e1792 = state[naga_div(at3_0_2_, 4u)][naga_mod(at3_0_2_, 4u)];
                v3_0_2_ = _e1792;
                uint _e1808 = p_1.kv_words;
                uint at3_0_3_ = (base + (((metal::min(((first + 48u) + 0u) + 3u, position - 1u) * 2u) + 1u) * _e1808)) + mine;
                uint _e1819 = state[naga_div(at3_0_3_, 4u)][naga_mod(at3_0_3_, 4u)];
                v3_0_3_ = _e1819;
                uint _e1835 = p_1.kv_words;
                uint at3_1_0_ = (base + (((metal::min(((first + 48u) + 4u) + 0u, position - 1u) * 2u) + 1u) * _e1835)) + mine;
                uint _e1846 = state[naga_div(at3_1_0_, 4u)][naga_mod(at3_1_0_, 4u)];
                v3_1_0_ = _e1846;
                uint _e1862 = p_1.kv_words;
                uint at3_1_1_ = (base + (((metal::min(((first + 48u) + 4u) + 1u, position - 1u) * 2u) + 1u) * _e1862)) + mine;
                uint _e1873 = state[naga_div(at3_1_1_, 4u)][naga_mod(at3_1_1_, 4u)];
                v3_1_1_ = _e1873;
                uint _e1889 = p_1.kv_words;
                uint at3_1_2_ = (base + (((metal::min(((first + 48u) + 4u) + 2u, position - 1u) * 2u) + 1u) * _e1889)) + mine;
                uint _e1900 = state[naga_div(at3_1_2_, 4u)][naga_mod(at3_1_2_, 4u)];
                v3_1_2_ = _e1900;
                uint _e1916 = p_1.kv_words;
                uint at3_1_3_ = (base + (((metal::min(((first + 48u) + 4u) + 3u, position - 1u) * 2u) + 1u) * _e1916)) + mine;
                uint _e1927 = state[naga_div(at3_1_3_, 4u)][naga_mod(at3_1_3_, 4u)];
                v3_1_3_ = _e1927;
                uint _e1943 = p_1.kv_words;
                uint at3_2_0_ = (base + (((metal::min(((first + 48u) + 8u) + 0u, position - 1u) * 2u) + 1u) * _e1943)) + mine;
                uint _e1954 = state[naga_div(at3_2_0_, 4u)][naga_mod(at3_2_0_, 4u)];
                v3_2_0_ = _e1954;
                uint _e1970 = p_1.kv_words;
                uint at3_2_1_ = (base + (((metal::min(((first + 48u) + 8u) + 1u, position - 1u) * 2u) + 1u) * _e1970)) + mine;
                uint _e1981 = state[naga_div(at3_2_1_, 4u)][naga_mod(at3_2_1_, 4u)];
                v3_2_1_ = _e1981;
                uint _e1997 = p_1.kv_words;
                uint at3_2_2_ = (base + (((metal::min(((first + 48u) + 8u) + 2u, position - 1u) * 2u) + 1u) * _e1997)) + mine;
                uint _e2008 = state[naga_div(at3_2_2_, 4u)][naga_mod(at3_2_2_, 4u)];
                v3_2_2_ = _e2008;
                uint _e2024 = p_1.kv_words;
                uint at3_2_3_ = (base + (((metal::min(((first + 48u) + 8u) + 3u, position - 1u) * 2u) + 1u) * _e2024)) + mine;
                uint _e2035 = state[naga_div(at3_2_3_, 4u)][naga_mod(at3_2_3_, 4u)];
                v3_2_3_ = _e2035;
                uint _e2051 = p_1.kv_words;
                uint at3_3_0_ = (base + (((metal::min(((first + 48u) + 12u) + 0u, position - 1u) * 2u) + 1u) * _e2051)) + mine;
                uint _e2062 = state[naga_div(at3_3_0_, 4u)][naga_mod(at3_3_0_, 4u)];
                v3_3_0_ = _e2062;
                uint _e2078 = p_1.kv_words;
                uint at3_3_1_ = (base + (((metal::min(((first + 48u) + 12u) + 1u, position - 1u) * 2u) + 1u) * _e2078)) + mine;
                uint _e2089 = state[naga_div(at3_3_1_, 4u)][naga_mod(at3_3_1_, 4u)];
                v3_3_1_ = _e2089;
                uint _e2105 = p_1.kv_words;
                uint at3_3_2_ = (base + (((metal::min(((first + 48u) + 12u) + 2u, position - 1u) * 2u) + 1u) * _e2105)) + mine;
                uint _e2116 = state[naga_div(at3_3_2_, 4u)][naga_mod(at3_3_2_, 4u)];
                v3_3_2_ = _e2116;
                uint _e2132 = p_1.kv_words;
                uint at3_3_3_ = (base + (((metal::min(((first + 48u) + 12u) + 3u, position - 1u) * 2u) + 1u) * _e2132)) + mine;
                uint _e2143 = state[naga_div(at3_3_3_, 4u)][naga_mod(at3_3_3_, 4u)];
                v3_3_3_ = _e2143;
            }
            uint _e2144 = start;
            if (_e2144 == 0u) {
                if (kind0_ < 2u) {
                    float _e2156 = x0_;
                    raw.inner[(kind0_ * HEAD_DIM) + (2u * word0_)] = _e2156;
                    float _e2166 = y0_;
                    raw.inner[((kind0_ * HEAD_DIM) + (2u * word0_)) + 1u] = _e2166;
                }
                metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
                if (t < 16u) {
                    sum = 0.0;
                    j = naga_mod(t, 8u);
                    uint2 loop_bound_1 = uint2(4294967295u);
                    bool loop_init_1 = true;
                    while(true) {
                        if (metal::all(loop_bound_1 == uint2(0u))) { break; }
                        loop_bound_1 -= uint2(loop_bound_1.y == 0u, 1u);
                        if (!loop_init_1) {
                            uint _e2188 = j;
                            j = _e2188 + 8u;
                        }
                        loop_init_1 = false;
                        uint _e2174 = j;
                        if (_e2174 < HEAD_DIM) {
                        } else {
                            break;
                        }
                        {
                            uint _e2182 = j;
                            float v = raw.inner[(naga_div(t, 8u) * HEAD_DIM) + _e2182];
                            float _e2186 = sum;
                            sum = metal::fma(v, v, _e2186);
                        }
                    }
                    float _e2193 = sum;
                    lanes.inner[t] = _e2193;
                }
                metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
                if (K_NORM) {
                    local_3 = kind0_ == 0u;
                } else {
                    local_3 = false;
                }
                bool _e2200 = local_3;
                if (!(_e2200)) {
                    if (Q_NORM) {
                        local_5 = kind0_ == 1u;
                    } else {
                        local_5 = false;
                    }
                    bool _e2210 = local_5;
                    local_4 = _e2210;
                } else {
                    local_4 = true;
                }
                bool _e2212 = local_4;
                if (_e2212) {
                    uint l = 8u * kind0_;
                    float _e2217 = lanes.inner[l];
                    float _e2222 = lanes.inner[l + 1u];
                    float _e2227 = lanes.inner[l + 2u];
                    float _e2232 = lanes.inner[l + 3u];
                    float _e2237 = lanes.inner[l + 4u];
                    float _e2242 = lanes.inner[l + 5u];
                    float _e2247 = lanes.inner[l + 6u];
                    float _e2252 = lanes.inner[l + 7u];
                    float _e2253 = tree8_(_e2217, _e2222, _e2227, _e2232, _e2237, _e2242, _e2247, _e2252);
                    float _e2258 = p_1.q_eps;
                    float _e2261 = p_1.k_eps;
                    float inverse = 1.0 / metal::sqrt((_e2253 / 64.0) + ((kind0_ == 0u) ? _e2261 : _e2258));
                    float _e2276 = x0_;
                    float _e2279 = norm0_.x;
                    raw.inner[(kind0_ * HEAD_DIM) + (2u * word0_)] = (_e2276 * inverse) * _e2279;
                    float _e2290 = y0_;
                    float _e2293 = norm0_.y;
                    raw.inner[((kind0_ * HEAD_DIM) + (2u * word0_)) + 1u] = (_e2290 * inverse) * _e2293;
                }
                metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
                if (item0_ < 96u) {
                    float _e2297 = x0_;
                    x = _e2297;
                    float _e2299 = y0_;
                    y = _e2299;
                    if (kind0_ < 2u) {
                        float _e2308 = turns0_.x;
                        float _e2310 = turns0_.y;
                        float _e2311 = turned(kind0_ * HEAD_DIM, 2u * word0_, _e2308, _e2310, p_1, raw);
                        x = _e2311;
                        float _e2319 = turns0_.z;
                        float _e2321 = turns0_.w;
                        float _e2322 = turned(kind0_ * HEAD_DIM, (2u * word0_) + 1u, _e2319, _e2321, p_1, raw);
                        y = _e2322;
                    }
                    if (kind0_ == 1u) {
                        float _e2334 = x;
                        query.inner[naga_div(word0_, 2u)][2u * naga_mod(word0_, 2u)] = _e2334;
                        float _e2346 = y;
                        query.inner[naga_div(word0_, 2u)][(2u * naga_mod(word0_, 2u)) + 1u] = _e2346;
                    } else {
                        float _e2347 = x;
                        uint _e2348 = half_bits(_e2347);
                        float _e2349 = y;
                        uint _e2350 = half_bits(_e2349);
                        uint word = _e2348 | (_e2350 << 16u);
                        if (kind0_ == 0u) {
                            own_key.inner[naga_div(word0_, 4u)][naga_mod(word0_, 4u)] = word;
                        } else {
                            own_value.inner[word0_] = word;
                        }
                        uint _e2367 = p_1.share;
                        if (naga_mod(head, _e2367) == 0u) {
                            uint _e2375 = p_1.kv_words;
                            uint _e2381 = p_1.kv_words;
                            uint at_1 = ((base + ((position * 2u) * _e2375)) + ((kind0_ == 2u) ? _e2381 : 0u)) + word0_;
                            state[naga_div(at_1, 4u)][naga_mod(at_1, 4u)] = word;
                        }
                    }
                }
                metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
            }
            if ((first + lane) == position) {
                metal::uint4 _e2398 = own_key.inner[0];
                k0_ = _e2398;
                metal::uint4 _e2401 = own_key.inner[1];
                k1_ = _e2401;
                metal::uint4 _e2404 = own_key.inner[2];
                k2_ = _e2404;
                metal::uint4 _e2407 = own_key.inner[3];
                k3_ = _e2407;
                metal::uint4 _e2410 = own_key.inner[4];
                k4_ = _e2410;
                metal::uint4 _e2413 = own_key.inner[5];
                k5_ = _e2413;
                metal::uint4 _e2416 = own_key.inner[6];
                k6_ = _e2416;
                metal::uint4 _e2419 = own_key.inner[7];
                k7_ = _e2419;
            }
            acc = 0.0;
            metal::float4 q0_0_ = query.inner[0];
            uint _e2426 = k0_.x;
            metal::float2 k0_0_0_ = float2(as_type<half2>(_e2426));
            uint _e2429 = k0_.y;
            metal::float2 k0_0_1_ = float2(as_type<half2>(_e2429));
            float _e2433 = acc;
            acc = metal::fma(q0_0_.x, k0_0_0_.x, _e2433);
            float _e2437 = acc;
            acc = metal::fma(q0_0_.y, k0_0_0_.y, _e2437);
            float _e2441 = acc;
            acc = metal::fma(q0_0_.z, k0_0_1_.x, _e2441);
            float _e2445 = acc;
            acc = metal::fma(q0_0_.w, k0_0_1_.y, _e2445);
            metal::float4 q0_1_ = query.inner[1];
            uint _e2451 = k0_.z;
            metal::float2 k0_1_0_ = float2(as_type<half2>(_e2451));
            uint _e2454 = k0_.w;
            metal::float2 k0_1_1_ = float2(as_type<half2>(_e2454));
            float _e2458 = acc;
            acc = metal::fma(q0_1_.x, k0_1_0_.x, _e2458);
            float _e2462 = acc;
            acc = metal::fma(q0_1_.y, k0_1_0_.y, _e2462);
            float _e2466 = acc;
            acc = metal::fma(q0_1_.z, k0_1_1_.x, _e2466);
            float _e2470 = acc;
            acc = metal::fma(q0_1_.w, k0_1_1_.y, _e2470);
            metal::float4 q1_0_ = query.inner[2];
            uint _e2476 = k1_.x;
            metal::float2 k1_0_0_ = float2(as_type<half2>(_e2476));
            uint _e2479 = k1_.y;
            metal::float2 k1_0_1_ = float2(as_type<half2>(_e2479));
            float _e2483 = acc;
            acc = metal::fma(q1_0_.x, k1_0_0_.x, _e2483);
            float _e2487 = acc;
            acc = metal::fma(q1_0_.y, k1_0_0_.y, _e2487);
            float _e2491 = acc;
            acc = metal::fma(q1_0_.z, k1_0_1_.x, _e2491);
            float _e2495 = acc;
            acc = metal::fma(q1_0_.w, k1_0_1_.y, _e2495);
            metal::float4 q1_1_ = query.inner[3];
            uint _e2501 = k1_.z;
            metal::float2 k1_1_0_ = float2(as_type<half2>(_e2501));
            uint _e2504 = k1_.w;
            metal::float2 k1_1_1_ = float2(as_type<half2>(_e2504));
            float _e2508 = acc;
            acc = metal::fma(q1_1_.x, k1_1_0_.x, _e2508);
            float _e2512 = acc;
            acc = metal::fma(q1_1_.y, k1_1_0_.y, _e2512);
            float _e2516 = acc;
            acc = metal::fma(q1_1_.z, k1_1_1_.x, _e2516);
            float _e2520 = acc;
            acc = metal::fma(q1_1_.w, k1_1_1_.y, _e2520);
            metal::float4 q2_0_ = query.inner[4];
            uint _e2526 = k2_.x;
            metal::float2 k2_0_0_ = float2(as_type<half2>(_e2526));
            uint _e2529 = k2_.y;
            metal::float2 k2_0_1_ = float2(as_type<half2>(_e2529));
            float _e2533 = acc;
            acc = metal::fma(q2_0_.x, k2_0_0_.x, _e2533);
            float _e2537 = acc;
            acc = metal::fma(q2_0_.y, k2_0_0_.y, _e2537);
            float _e2541 = acc;
            acc = metal::fma(q2_0_.z, k2_0_1_.x, _e2541);
            float _e2545 = acc;
            acc = metal::fma(q2_0_.w, k2_0_1_.y, _e2545);
            metal::float4 q2_1_ = query.inner[5];
            uint _e2551 = k2_.z;
            metal::float2 k2_1_0_ = float2(as_type<half2>(_e2551));
            uint _e2554 = k2_.w;
            metal::float2 k2_1_1_ = float2(as_type<half2>(_e2554));
            float _e2558 = acc;
            acc = metal::fma(q2_1_.x, k2_1_0_.x, _e2558);
            float _e2562 = acc;
            acc = metal::fma(q2_1_.y, k2_1_0_.y, _e2562);
            float _e2566 = acc;
            acc = metal::fma(q2_1_.z, k2_1_1_.x, _e2566);
            float _e2570 = acc;
            acc = metal::fma(q2_1_.w, k2_1_1_.y, _e2570);
            metal::float4 q3_0_ = query.inner[6];
            uint _e2576 = k3_.x;
            metal::float2 k3_0_0_ = float2(as_type<half2>(_e2576));
            uint _e2579 = k3_.y;
            metal::float2 k3_0_1_ = float2(as_type<half2>(_e2579));
            float _e2583 = acc;
            acc = metal::fma(q3_0_.x, k3_0_0_.x, _e2583);
            float _e2587 = acc;
            acc = metal::fma(q3_0_.y, k3_0_0_.y, _e2587);
            float _e2591 = acc;
            acc = metal::fma(q3_0_.z, k3_0_1_.x, _e2591);
            float _e2595 = acc;
            acc = metal::fma(q3_0_.w, k3_0_1_.y, _e2595);
            metal::float4 q3_1_ = query.inner[7];
            uint _e2601 = k3_.z;
            metal::float2 k3_1_0_ = float2(as_type<half2>(_e2601));
            uint _e2604 = k3_.w;
            metal::float2 k3_1_1_ = float2(as_type<half2>(_e2604));
            float _e2608 = acc;
            acc = metal::fma(q3_1_.x, k3_1_0_.x, _e2608);
            float _e2612 = acc;
            acc = metal::fma(q3_1_.y, k3_1_0_.y, _e2612);
            float _e2616 = acc;
            acc = metal::fma(q3_1_.z, k3_1_1_.x, _e2616);
            float _e2620 = acc;
            acc = metal::fma(q3_1_.w, k3_1_1_.y, _e2620);
            metal::float4 q4_0_ = query.inner[8];
            uint _e2626 = k4_.x;
            metal::float2 k4_0_0_ = float2(as_type<half2>(_e2626));
            uint _e2629 = k4_.y;
            metal::float2 k4_0_1_ = float2(as_type<half2>(_e2629));
            float _e2633 = acc;
            acc = metal::fma(q4_0_.x, k4_0_0_.x, _e2633);
            float _e2637 = acc;
            acc = metal::fma(q4_0_.y, k4_0_0_.y, _e2637);
            float _e2641 = acc;
            acc = metal::fma(q4_0_.z, k4_0_1_.x, _e2641);
            float _e2645 = acc;
            acc = metal::fma(q4_0_.w, k4_0_1_.y, _e2645);
            metal::float4 q4_1_ = query.inner[9];
            uint _e2651 = k4_.z;
            metal::float2 k4_1_0_ = float2(as_type<half2>(_e2651));
            uint _e2654 = k4_.w;
            metal::float2 k4_1_1_ = float2(as_type<half2>(_e2654));
            float _e2658 = acc;
            acc = metal::fma(q4_1_.x, k4_1_0_.x, _e2658);
            float _e2662 = acc;
            acc = metal::fma(q4_1_.y, k4_1_0_.y, _e2662);
            float _e2666 = acc;
            acc = metal::fma(q4_1_.z, k4_1_1_.x, _e2666);
            float _e2670 = acc;
            acc = metal::fma(q4_1_.w, k4_1_1_.y, _e2670);
            metal::float4 q5_0_ = query.inner[10];
            uint _e2676 = k5_.x;
            metal::float2 k5_0_0_ = float2(as_type<half2>(_e2676));
            uint _e2679 = k5_.y;
            metal::float2 k5_0_1_ = float2(as_type<half2>(_e2679));
            float _e2683 = acc;
            acc = metal::fma(q5_0_.x, k5_0_0_.x, _e2683);
            float _e2687 = acc;
            acc = metal::fma(q5_0_.y, k5_0_0_.y, _e2687);
            float _e2691 = acc;
            acc = metal::fma(q5_0_.z, k5_0_1_.x, _e2691);
            float _e2695 = acc;
            acc = metal::fma(q5_0_.w, k5_0_1_.y, _e2695);
            metal::float4 q5_1_ = query.inner[11];
            uint _e2701 = k5_.z;
            metal::float2 k5_1_0_ = float2(as_type<half2>(_e2701));
            uint _e2704 = k5_.w;
            metal::float2 k5_1_1_ = float2(as_type<half2>(_e2704));
            float _e2708 = acc;
            acc = metal::fma(q5_1_.x, k5_1_0_.x, _e2708);
            float _e2712 = acc;
            acc = metal::fma(q5_1_.y, k5_1_0_.y, _e2712);
            float _e2716 = acc;
            acc = metal::fma(q5_1_.z, k5_1_1_.x, _e2716);
            float _e2720 = acc;
            acc = metal::fma(q5_1_.w, k5_1_1_.y, _e2720);
            metal::float4 q6_0_ = query.inner[12];
            uint _e2726 = k6_.x;
            metal::float2 k6_0_0_ = float2(as_type<half2>(_e2726));
            uint _e2729 = k6_.y;
            metal::float2 k6_0_1_ = float2(as_type<half2>(_e2729));
            float _e2733 = acc;
            acc = metal::fma(q6_0_.x, k6_0_0_.x, _e2733);
            float _e2737 = acc;
            acc = metal::fma(q6_0_.y, k6_0_0_.y, _e2737);
            float _e2741 = acc;
            acc = metal::fma(q6_0_.z, k6_0_1_.x, _e2741);
            float _e2745 = acc;
            acc = metal::fma(q6_0_.w, k6_0_1_.y, _e2745);
            metal::float4 q6_1_ = query.inner[13];
            uint _e2751 = k6_.z;
            metal::float2 k6_1_0_ = float2(as_type<half2>(_e2751));
            uint _e2754 = k6_.w;
            metal::float2 k6_1_1_ = float2(as_type<half2>(_e2754));
            float _e2758 = acc;
            acc = metal::fma(q6_1_.x, k6_1_0_.x, _e2758);
            float _e2762 = acc;
            acc = metal::fma(q6_1_.y, k6_1_0_.y, _e2762);
            float _e2766 = acc;
            acc = metal::fma(q6_1_.z, k6_1_1_.x, _e2766);
            float _e2770 = acc;
            acc = metal::fma(q6_1_.w, k6_1_1_.y, _e2770);
            metal::float4 q7_0_ = query.inner[14];
            uint _e2776 = k7_.x;
            metal::float2 k7_0_0_ = float2(as_type<half2>(_e2776));
            uint _e2779 = k7_.y;
            metal::float2 k7_0_1_ = float2(as_type<half2>(_e2779));
            float _e2783 = acc;
            acc = metal::fma(q7_0_.x, k7_0_0_.x, _e2783);
            float _e2787 = acc;
            acc = metal::fma(q7_0_.y, k7_0_0_.y, _e2787);
            float _e2791 = acc;
            acc = metal::fma(q7_0_.z, k7_0_1_.x, _e2791);
            float _e2795 = acc;
            acc = metal::fma(q7_0_.w, k7_0_1_.y, _e2795);
            metal::float4 q7_1_ = query.inner[15];
            uint _e2801 = k7_.z;
            metal::float2 k7_1_0_ = float2(as_type<half2>(_e2801));
            uint _e2804 = k7_.w;
            metal::float2 k7_1_1_ = float2(as_type<half2>(_e2804));
            float _e2808 = acc;
            acc = metal::fma(q7_1_.x, k7_1_0_.x, _e2808);
            float _e2812 = acc;
            acc = metal::fma(q7_1_.y, k7_1_0_.y, _e2812);
            float _e2816 = acc;
            acc = metal::fma(q7_1_.z, k7_1_1_.x, _e2816);
            float _e2820 = acc;
            acc = metal::fma(q7_1_.w, k7_1_1_.y, _e2820);
            float _e2822 = acc;
            float _e2825 = p_1.scale;
            uint _e2827 = keys;
            float score = (lane < _e2827) ? (_e2822 * _e2825) : -340282350000000000000000000000000000000.0;
            weights.inner[naga_div(t, 4u)][naga_mod(t, 4u)] = score;
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
            if (lane < 8u) {
                near = -340282350000000000000000000000000000000.0;
                j_1 = lane;
                uint2 loop_bound_2 = uint2(4294967295u);
                bool loop_init_2 = true;
                while(true) {
                    if (metal::all(loop_bound_2 == uint2(0u))) { break; }
                    loop_bound_2 -= uint2(loop_bound_2.y == 0u, 1u);
                    if (!loop_init_2) {
                        uint _e2870 = j_1;
                        j_1 = _e2870 + 8u;
                    }
                    loop_init_2 = false;
                    uint _e2843 = j_1;
                    if (_e2843 < 64u) {
                    } else {
                        break;
                    }
                    {
                        uint _e2849 = j_1;
                        uint _e2854 = j_1;
                        float s = weights.inner[(piece * 16u) + naga_div(_e2849, 4u)][naga_mod(_e2854, 4u)];
                        if ((as_type<uint>(s) & 2147483647u) <= 2139095040u) {
                            float _e2866 = near;
                            local_6 = s > _e2866;
                        } else {
                            local_6 = false;
                        }
                        bool _e2869 = local_6;
                        if (_e2869) {
                            near = s;
                        }
                    }
                }
                float _e2878 = near;
                peaks.inner[(piece * 8u) + lane] = _e2878;
            }
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
            float _e2883 = peaks.inner[piece * 8u];
            peak = _e2883;
            float _e2893 = peaks.inner[((piece * 8u) + 0u) + 1u];
            float _e2894 = peak;
            if (_e2893 > _e2894) {
                float _e2904 = peaks.inner[((piece * 8u) + 0u) + 1u];
                peak = _e2904;
            }
            float _e2913 = peaks.inner[((piece * 8u) + 1u) + 1u];
            float _e2914 = peak;
            if (_e2913 > _e2914) {
                float _e2924 = peaks.inner[((piece * 8u) + 1u) + 1u];
                peak = _e2924;
            }
            float _e2933 = peaks.inner[((piece * 8u) + 2u) + 1u];
            float _e2934 = peak;
            if (_e2933 > _e2934) {
                float _e2944 = peaks.inner[((piece * 8u) + 2u) + 1u];
                peak = _e2944;
            }
            float _e2953 = peaks.inner[((piece * 8u) + 3u) + 1u];
            float _e2954 = peak;
            if (_e2953 > _e2954) {
                float _e2964 = peaks.inner[((piece * 8u) + 3u) + 1u];
                peak = _e2964;
            }
            float _e2973 = peaks.inner[((piece * 8u) + 4u) + 1u];
            float _e2974 = peak;
            if (_e2973 > _e2974) {
                float _e2984 = peaks.inner[((piece * 8u) + 4u) + 1u];
                peak = _e2984;
            }
            float _e2993 = peaks.inner[((piece * 8u) + 5u) + 1u];
            float _e2994 = peak;
            if (_e2993 > _e2994) {
                float _e3004 = peaks.inner[((piece * 8u) + 5u) + 1u];
                peak = _e3004;
            }
            float _e3013 = peaks.inner[((piece * 8u) + 6u) + 1u];
            float _e3014 = peak;
            if (_e3013 > _e3014) {
                float _e3024 = peaks.inner[((piece * 8u) + 6u) + 1u];
                peak = _e3024;
            }
            float _e3025 = peak;
            float _e3027 = exp_law(score - _e3025);
            uint _e3028 = keys;
            float weight = (lane < _e3028) ? _e3027 : 0.0;
            weights.inner[naga_div(t, 4u)][naga_mod(t, 4u)] = ((first + lane) == position) ? 0.0 : weight;
            if ((first + lane) == position) {
                own_weight = weight;
            }
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
            uint _e3046 = keys;
            if (_e3046 > 0u) {
                uint _e3051 = keys;
                local_7 = (first + _e3051) > position;
            } else {
                local_7 = false;
            }
            bool has_own = local_7;
            if (lane < 8u) {
                sum_1 = 0.0;
                float _e3060 = sum_1;
                float _e3073 = weights.inner[((piece * 16u) + 0u) + naga_div(lane, 4u)][naga_mod(lane, 4u)];
                sum_1 = _e3060 + _e3073;
                float _e3075 = sum_1;
                float _e3088 = weights.inner[((piece * 16u) + 2u) + naga_div(lane, 4u)][naga_mod(lane, 4u)];
                sum_1 = _e3075 + _e3088;
                float _e3090 = sum_1;
                float _e3103 = weights.inner[((piece * 16u) + 4u) + naga_div(lane, 4u)][naga_mod(lane, 4u)];
                sum_1 = _e3090 + _e3103;
                float _e3105 = sum_1;
                float _e3118 = weights.inner[((piece * 16u) + 6u) + naga_div(lane, 4u)][naga_mod(lane, 4u)];
                sum_1 = _e3105 + _e3118;
                float _e3120 = sum_1;
                float _e3133 = weights.inner[((piece * 16u) + 8u) + naga_div(lane, 4u)][naga_mod(lane, 4u)];
                sum_1 = _e3120 + _e3133;
                float _e3135 = sum_1;
                float _e3148 = weights.inner[((piece * 16u) + 10u) + naga_div(lane, 4u)][naga_mod(lane, 4u)];
                sum_1 = _e3135 + _e3148;
                float _e3150 = sum_1;
                float _e3163 = weights.inner[((piece * 16u) + 12u) + naga_div(lane, 4u)][naga_mod(lane, 4u)];
                sum_1 = _e3150 + _e3163;
                float _e3165 = sum_1;
                float _e3178 = weights.inner[((piece * 16u) + 14u) + naga_div(lane, 4u)][naga_mod(lane, 4u)];
                sum_1 = _e3165 + _e3178;
                if (has_own) {
                    local_8 = naga_mod(position, 8u) == lane;
                } else {
                    local_8 = false;
                }
                bool _e3186 = local_8;
                if (_e3186) {
                    float _e3187 = sum_1;
                    float _e3189 = own_weight;
                    sum_1 = _e3187 + _e3189;
                }
                float _e3196 = sum_1;
                parts.inner[(piece * 8u) + lane] = _e3196;
            }
            if (lane < WORDS) {
                sum_2 = metal::float2(0.0);
                metal::float4 w0_0_ = weights.inner[((piece * 16u) + 0u) + 0u];
                uint _e3211 = v0_0_0_;
                metal::float2 u0_0_0_ = float2(as_type<half2>(_e3211));
                metal::float2 _e3215 = sum_2;
                sum_2 = metal::fma(metal::float2(w0_0_.x), u0_0_0_, _e3215);
                uint _e3217 = v0_0_1_;
                metal::float2 u0_0_1_ = float2(as_type<half2>(_e3217));
                metal::float2 _e3221 = sum_2;
                sum_2 = metal::fma(metal::float2(w0_0_.y), u0_0_1_, _e3221);
                uint _e3223 = v0_0_2_;
                metal::float2 u0_0_2_ = float2(as_type<half2>(_e3223));
                metal::float2 _e3227 = sum_2;
                sum_2 = metal::fma(metal::float2(w0_0_.z), u0_0_2_, _e3227);
                uint _e3229 = v0_0_3_;
                metal::float2 u0_0_3_ = float2(as_type<half2>(_e3229));
                metal::float2 _e3233 = sum_2;
                sum_2 = metal::fma(metal::float2(w0_0_.w), u0_0_3_, _e3233);
                metal::float4 w0_1_ = weights.inner[((piece * 16u) + 0u) + 1u];
                uint _e3244 = v0_1_0_;
                metal::float2 u0_1_0_ = float2(as_type<half2>(_e3244));
                metal::float2 _e3248 = sum_2;
                sum_2 = metal::fma(metal::float2(w0_1_.x), u0_1_0_, _e3248);
                uint _e3250 = v0_1_1_;
                metal::float2 u0_1_1_ = float2(as_type<half2>(_e3250));
                metal::float2 _e3254 = sum_2;
                sum_2 = metal::fma(metal::float2(w0_1_.y), u0_1_1_, _e3254);
                uint _e3256 = v0_1_2_;
                metal::float2 u0_1_2_ = float2(as_type<half2>(_e3256));
                metal::float2 _e3260 = sum_2;
                sum_2 = metal::fma(metal::float2(w0_1_.z), u0_1_2_, _e3260);
                uint _e3262 = v0_1_3_;
                metal::float2 u0_1_3_ = float2(as_type<half2>(_e3262));
                metal::float2 _e3266 = sum_2;
                sum_2 = metal::fma(metal::float2(w0_1_.w), u0_1_3_, _e3266);
                metal::float4 w0_2_ = weights.inner[((piece * 16u) + 0u) + 2u];
                uint _e3277 = v0_2_0_;
                metal::float2 u0_2_0_ = float2(as_type<half2>(_e3277));
                metal::float2 _e3281 = sum_2;
                sum_2 = metal::fma(metal::float2(w0_2_.x), u0_2_0_, _e3281);
                uint _e3283 = v0_2_1_;
                metal::float2 u0_2_1_ = float2(as_type<half2>(_e3283));
                metal::float2 _e3287 = sum_2;
                sum_2 = metal::fma(metal::float2(w0_2_.y), u0_2_1_, _e3287);
                uint _e3289 = v0_2_2_;
                metal::float2 u0_2_2_ = float2(as_type<half2>(_e3289));
                metal::float2 _e3293 = sum_2;
                sum_2 = metal::fma(metal::float2(w0_2_.z), u0_2_2_, _e3293);
                uint _e3295 = v0_2_3_;
                metal::float2 u0_2_3_ = float2(as_type<half2>(_e3295));
                metal::float2 _e3299 = sum_2;
                sum_2 = metal::fma(metal::float2(w0_2_.w), u0_2_3_, _e3299);
                metal::float4 w0_3_ = weights.inner[((piece * 16u) + 0u) + 3u];
                uint _e3310 = v0_3_0_;
                metal::float2 u0_3_0_ = float2(as_type<half2>(_e3310));
                metal::float2 _e3314 = sum_2;
                sum_2 = metal::fma(metal::float2(w0_3_.x), u0_3_0_, _e3314);
                uint _e3316 = v0_3_1_;
                metal::float2 u0_3_1_ = float2(as_type<half2>(_e3316));
                metal::float2 _e3320 = sum_2;
                sum_2 = metal::fma(metal::float2(w0_3_.y), u0_3_1_, _e3320);
                uint _e3322 = v0_3_2_;
                metal::float2 u0_3_2_ = float2(as_type<half2>(_e3322));
                metal::float2 _e3326 = sum_2;
                sum_2 = metal::fma(metal::float2(w0_3_.z), u0_3_2_, _e3326);
                uint _e3328 = v0_3_3_;
                metal::float2 u0_3_3_ = float2(as_type<half2>(_e3328));
                metal::float2 _e3332 = sum_2;
                sum_2 = metal::fma(metal::float2(w0_3_.w), u0_3_3_, _e3332);
                metal::float4 w1_0_ = weights.inner[((piece * 16u) + 4u) + 0u];
                uint _e3343 = v1_0_0_;
                metal::float2 u1_0_0_ = float2(as_type<half2>(_e3343));
                metal::float2 _e3347 = sum_2;
                sum_2 = metal::fma(metal::float2(w1_0_.x), u1_0_0_, _e3347);
                uint _e3349 = v1_0_1_;
                metal::float2 u1_0_1_ = float2(as_type<half2>(_e3349));
                metal::float2 _e3353 = sum_2;
                sum_2 = metal::fma(metal::float2(w1_0_.y), u1_0_1_, _e3353);
                uint _e3355 = v1_0_2_;
                metal::float2 u1_0_2_ = float2(as_type<half2>(_e3355));
                metal::float2 _e3359 = sum_2;
                sum_2 = metal::fma(metal::float2(w1_0_.z), u1_0_2_, _e3359);
                uint _e3361 = v1_0_3_;
                metal::float2 u1_0_3_ = float2(as_type<half2>(_e3361));
                metal::float2 _e3365 = sum_2;
                sum_2 = metal::fma(metal::float2(w1_0_.w), u1_0_3_, _e3365);
                metal::float4 w1_1_ = weights.inner[((piece * 16u) + 4u) + 1u];
                uint _e3376 = v1_1_0_;
                metal::float2 u1_1_0_ = float2(as_type<half2>(_e3376));
                metal::float2 _e3380 = sum_2;
                sum_2 = metal::fma(metal::float2(w1_1_.x), u1_1_0_, _e3380);
                uint _e3382 = v1_1_1_;
                metal::float2 u1_1_1_ = float2(as_type<half2>(_e3382));
                metal::float2 _e3386 = sum_2;
                sum_2 = metal::fma(metal::float2(w1_1_.y), u1_1_1_, _e3386);
                uint _e3388 = v1_1_2_;
                metal::float2 u1_1_2_ = float2(as_type<half2>(_e3388));
                metal::float2 _e3392 = sum_2;
                sum_2 = metal::fma(metal::float2(w1_1_.z), u1_1_2_, _e3392);
                uint _e3394 = v1_1_3_;
                metal::float2 u1_1_3_ = float2(as_type<half2>(_e3394));
                metal::float2 _e3398 = sum_2;
                sum_2 = metal::fma(metal::float2(w1_1_.w), u1_1_3_, _e3398);
                metal::float4 w1_2_ = weights.inner[((piece * 16u) + 4u) + 2u];
                uint _e3409 = v1_2_0_;
                metal::float2 u1_2_0_ = float2(as_type<half2>(_e3409));
                metal::float2 _e3413 = sum_2;
                sum_2 = metal::fma(metal::float2(w1_2_.x), u1_2_0_, _e3413);
                uint _e3415 = v1_2_1_;
                metal::float2 u1_2_1_ = float2(as_type<half2>(_e3415));
                metal::float2 _e3419 = sum_2;
                sum_2 = metal::fma(metal::float2(w1_2_.y), u1_2_1_, _e3419);
                uint _e3421 = v1_2_2_;
                metal::float2 u1_2_2_ = float2(as_type<half2>(_e3421));
                metal::float2 _e3425 = sum_2;
                sum_2 = metal::fma(metal::float2(w1_2_.z), u1_2_2_, _e3425);
                uint _e3427 = v1_2_3_;
                metal::float2 u1_2_3_ = float2(as_type<half2>(_e3427));
                metal::float2 _e3431 = sum_2;
                sum_2 = metal::fma(metal::float2(w1_2_.w), u1_2_3_, _e3431);
                metal::float4 w1_3_ = weights.inner[((piece * 16u) + 4u) + 3u];
                uint _e3442 = v1_3_0_;
                metal::float2 u1_3_0_ = float2(as_type<half2>(_e3442));
                metal::float2 _e3446 = sum_2;
                sum_2 = metal::fma(metal::float2(w1_3_.x), u1_3_0_, _e3446);
                uint _e3448 = v1_3_1_;
                metal::float2 u1_3_1_ = float2(as_type<half2>(_e3448));
                metal::float2 _e3452 = sum_2;
                sum_2 = metal::fma(metal::float2(w1_3_.y), u1_3_1_, _e3452);
                uint _e3454 = v1_3_2_;
                metal::float2 u1_3_2_ = float2(as_type<half2>(_e3454));
                metal::float2 _e3458 = sum_2;
                sum_2 = metal::fma(metal::float2(w1_3_.z), u1_3_2_, _e3458);
                uint _e3460 = v1_3_3_;
                metal::float2 u1_3_3_ = float2(as_type<half2>(_e3460));
                metal::float2 _e3464 = sum_2;
                sum_2 = metal::fma(metal::float2(w1_3_.w), u1_3_3_, _e3464);
                metal::float4 w2_0_ = weights.inner[((piece * 16u) + 8u) + 0u];
                uint _e3475 = v2_0_0_;
                metal::float2 u2_0_0_ = float2(as_type<half2>(_e3475));
                metal::float2 _e3479 = sum_2;
                sum_2 = metal::fma(metal::float2(w2_0_.x), u2_0_0_, _e3479);
                uint _e3481 = v2_0_1_;
                metal::float2 u2_0_1_ = float2(as_type<half2>(_e3481));
                metal::float2 _e3485 = sum_2;
                sum_2 = metal::fma(metal::float2(w2_0_.y), u2_0_1_, _e3485);
                uint _e3487 = v2_0_2_;
                metal::float2 u2_0_2_ = float2(as_type<half2>(_e3487));
                metal::float2 _e3491 = sum_2;
                sum_2 = metal::fma(metal::float2(w2_0_.z), u2_0_2_, _e3491);
                uint _e3493 = v2_0_3_;
                metal::float2 u2_0_3_ = float2(as_type<half2>(_e3493));
                metal::float2 _e3497 = sum_2;
                sum_2 = metal::fma(metal::float2(w2_0_.w), u2_0_3_, _e3497);
                metal::float4 w2_1_ = weights.inner[((piece * 16u) + 8u) + 1u];
                uint _e3508 = v2_1_0_;
                metal::float2 u2_1_0_ = float2(as_type<half2>(_e3508));
                metal::float2 _e3512 = sum_2;
                sum_2 = metal::fma(metal::float2(w2_1_.x), u2_1_0_, _e3512);
                uint _e3514 = v2_1_1_;
                metal::float2 u2_1_1_ = float2(as_type<half2>(_e3514));
                metal::float2 _e3518 = sum_2;
                sum_2 = metal::fma(metal::float2(w2_1_.y), u2_1_1_, _e3518);
                uint _e3520 = v2_1_2_;
                metal::float2 u2_1_2_ = float2(as_type<half2>(_e3520));
                metal::float2 _e3524 = sum_2;
                sum_2 = metal::fma(metal::float2(w2_1_.z), u2_1_2_, _e3524);
                uint _e3526 = v2_1_3_;
                metal::float2 u2_1_3_ = float2(as_type<half2>(_e3526));
                metal::float2 _e3530 = sum_2;
                sum_2 = metal::fma(metal::float2(w2_1_.w), u2_1_3_, _e3530);
                metal::float4 w2_2_ = weights.inner[((piece * 16u) + 8u) + 2u];
                uint _e3541 = v2_2_0_;
                metal::float2 u2_2_0_ = float2(as_type<half2>(_e3541));
                metal::float2 _e3545 = sum_2;
                sum_2 = metal::fma(metal::float2(w2_2_.x), u2_2_0_, _e3545);
                uint _e3547 = v2_2_1_;
                metal::float2 u2_2_1_ = float2(as_type<half2>(_e3547));
                metal::float2 _e3551 = sum_2;
                sum_2 = metal::fma(metal::float2(w2_2_.y), u2_2_1_, _e3551);
                uint _e3553 = v2_2_2_;
                metal::float2 u2_2_2_ = float2(as_type<half2>(_e3553));
                metal::float2 _e3557 = sum_2;
                sum_2 = metal::fma(metal::float2(w2_2_.z), u2_2_2_, _e3557);
                uint _e3559 = v2_2_3_;
                metal::float2 u2_2_3_ = float2(as_type<half2>(_e3559));
                metal::float2 _e3563 = sum_2;
                sum_2 = metal::fma(metal::float2(w2_2_.w), u2_2_3_, _e3563);
                metal::float4 w2_3_ = weights.inner[((piece * 16u) + 8u) + 3u];
                uint _e3574 = v2_3_0_;
                metal::float2 u2_3_0_ = float2(as_type<half2>(_e3574));
                metal::float2 _e3578 = sum_2;
                sum_2 = metal::fma(metal::float2(w2_3_.x), u2_3_0_, _e3578);
                uint _e3580 = v2_3_1_;
                metal::float2 u2_3_1_ = float2(as_type<half2>(_e3580));
                metal::float2 _e3584 = sum_2;
                sum_2 = metal::fma(metal::float2(w2_3_.y), u2_3_1_, _e3584);
                uint _e3586 = v2_3_2_;
                metal::float2 u2_3_2_ = float2(as_type<half2>(_e3586));
                metal::float2 _e3590 = sum_2;
                sum_2 = metal::fma(metal::float2(w2_3_.z), u2_3_2_, _e3590);
                uint _e3592 = v2_3_3_;
                metal::float2 u2_3_3_ = float2(as_type<half2>(_e3592));
                metal::float2 _e3596 = sum_2;
                sum_2 = metal::fma(metal::float2(w2_3_.w), u2_3_3_, _e3596);
                metal::float4 w3_0_ = weights.inner[((piece * 16u) + 12u) + 0u];
                uint _e3607 = v3_0_0_;
                metal::float2 u3_0_0_ = float2(as_type<half2>(_e3607));
                metal::float2 _e3611 = sum_2;
                sum_2 = metal::fma(metal::float2(w3_0_.x), u3_0_0_, _e3611);
                uint _e3613 = v3_0_1_;
                metal::float2 u3_0_1_ = float2(as_type<half2>(_e3613));
                metal::float2 _e3617 = sum_2;
                sum_2 = metal::fma(metal::float2(w3_0_.y), u3_0_1_, _e3617);
                uint _e3619 = v3_0_2_;
                metal::float2 u3_0_2_ = float2(as_type<half2>(_e3619));
                metal::float2 _e3623 = sum_2;
                sum_2 = metal::fma(metal::float2(w3_0_.z), u3_0_2_, _e3623);
                uint _e3625 = v3_0_3_;
                metal::float2 u3_0_3_ = float2(as_type<half2>(_e3625));
                metal::float2 _e3629 = sum_2;
                sum_2 = metal::fma(metal::float2(w3_0_.w), u3_0_3_, _e3629);
                metal::float4 w3_1_ = weights.inner[((piece * 16u) + 12u) + 1u];
                uint _e3640 = v3_1_0_;
                metal::float2 u3_1_0_ = float2(as_type<half2>(_e3640));
                metal::float2 _e3644 = sum_2;
                sum_2 = metal::fma(metal::float2(w3_1_.x), u3_1_0_, _e3644);
                uint _e3646 = v3_1_1_;
                metal::float2 u3_1_1_ = float2(as_type<half2>(_e3646));
                metal::float2 _e3650 = sum_2;
                sum_2 = metal::fma(metal::float2(w3_1_.y), u3_1_1_, _e3650);
                uint _e3652 = v3_1_2_;
                metal::float2 u3_1_2_ = float2(as_type<half2>(_e3652));
                metal::float2 _e3656 = sum_2;
                sum_2 = metal::fma(metal::float2(w3_1_.z), u3_1_2_, _e3656);
                uint _e3658 = v3_1_3_;
                metal::float2 u3_1_3_ = float2(as_type<half2>(_e3658));
                metal::float2 _e3662 = sum_2;
                sum_2 = metal::fma(metal::float2(w3_1_.w), u3_1_3_, _e3662);
                metal::float4 w3_2_ = weights.inner[((piece * 16u) + 12u) + 2u];
                uint _e3673 = v3_2_0_;
                metal::float2 u3_2_0_ = float2(as_type<half2>(_e3673));
                metal::float2 _e3677 = sum_2;
                sum_2 = metal::fma(metal::float2(w3_2_.x), u3_2_0_, _e3677);
                uint _e3679 = v3_2_1_;
                metal::float2 u3_2_1_ = float2(as_type<half2>(_e3679));
                metal::float2 _e3683 = sum_2;
                sum_2 = metal::fma(metal::float2(w3_2_.y), u3_2_1_, _e3683);
                uint _e3685 = v3_2_2_;
                metal::float2 u3_2_2_ = float2(as_type<half2>(_e3685));
                metal::float2 _e3689 = sum_2;
                sum_2 = metal::fma(metal::float2(w3_2_.z), u3_2_2_, _e3689);
                uint _e3691 = v3_2_3_;
                metal::float2 u3_2_3_ = float2(as_type<half2>(_e3691));
                metal::float2 _e3695 = sum_2;
                sum_2 = metal::fma(metal::float2(w3_2_.w), u3_2_3_, _e3695);
                metal::float4 w3_3_ = weights.inner[((piece * 16u) + 12u) + 3u];
                uint _e3706 = v3_3_0_;
                metal::float2 u3_3_0_ = float2(as_type<half2>(_e3706));
                metal::float2 _e3710 = sum_2;
                sum_2 = metal::fma(metal::float2(w3_3_.x), u3_3_0_, _e3710);
                uint _e3712 = v3_3_1_;
                metal::float2 u3_3_1_ = float2(as_type<half2>(_e3712));
                metal::float2 _e3716 = sum_2;
                sum_2 = metal::fma(metal::float2(w3_3_.y), u3_3_1_, _e3716);
                uint _e3718 = v3_3_2_;
                metal::float2 u3_3_2_ = float2(as_type<half2>(_e3718));
                metal::float2 _e3722 = sum_2;
                sum_2 = metal::fma(metal::float2(w3_3_.z), u3_3_2_, _e3722);
                uint _e3724 = v3_3_3_;
                metal::float2 u3_3_3_ = float2(as_type<half2>(_e3724));
                metal::float2 _e3728 = sum_2;
                sum_2 = metal::fma(metal::float2(w3_3_.w), u3_3_3_, _e3728);
                if (has_own) {
                    float _e3731 = own_weight;
                    uint _e3735 = own_value.inner[mine];
                    metal::float2 _e3737 = sum_2;
                    sum_2 = metal::fma(metal::float2(_e3731), float2(as_type<half2>(_e3735)), _e3737);
                }
                metal::float2 _e3744 = sum_2;
                outs.inner[(piece * WORDS) + lane] = _e3744;
            }
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
            if (piece == 0u) {
                uint _e3747 = start;
                if ((_e3747 + 0u) < count) {
                    uint _e3751 = start;
                    bool first_of_all = (_e3751 + 0u) == 0u;
                    float _e3758 = peaks.inner[0];
                    peak_c = _e3758;
                    float _e3762 = peaks.inner[1];
                    float _e3763 = peak_c;
                    if (_e3762 > _e3763) {
                        float _e3767 = peaks.inner[1];
                        peak_c = _e3767;
                    }
                    float _e3770 = peaks.inner[2];
                    float _e3771 = peak_c;
                    if (_e3770 > _e3771) {
                        float _e3775 = peaks.inner[2];
                        peak_c = _e3775;
                    }
                    float _e3778 = peaks.inner[3];
                    float _e3779 = peak_c;
                    if (_e3778 > _e3779) {
                        float _e3783 = peaks.inner[3];
                        peak_c = _e3783;
                    }
                    float _e3786 = peaks.inner[4];
                    float _e3787 = peak_c;
                    if (_e3786 > _e3787) {
                        float _e3791 = peaks.inner[4];
                        peak_c = _e3791;
                    }
                    float _e3794 = peaks.inner[5];
                    float _e3795 = peak_c;
                    if (_e3794 > _e3795) {
                        float _e3799 = peaks.inner[5];
                        peak_c = _e3799;
                    }
                    float _e3802 = peaks.inner[6];
                    float _e3803 = peak_c;
                    if (_e3802 > _e3803) {
                        float _e3807 = peaks.inner[6];
                        peak_c = _e3807;
                    }
                    float _e3810 = peaks.inner[7];
                    float _e3811 = peak_c;
                    if (_e3810 > _e3811) {
                        float _e3815 = peaks.inner[7];
                        peak_c = _e3815;
                    }
                    float _e3819 = parts.inner[0u];
                    float _e3824 = parts.inner[0u + 1u];
                    float _e3829 = parts.inner[0u + 2u];
                    float _e3834 = parts.inner[0u + 3u];
                    float _e3839 = parts.inner[0u + 4u];
                    float _e3844 = parts.inner[0u + 5u];
                    float _e3849 = parts.inner[0u + 6u];
                    float _e3854 = parts.inner[0u + 7u];
                    float _e3855 = tree8_(_e3819, _e3824, _e3829, _e3834, _e3839, _e3844, _e3849, _e3854);
                    metal::float2 part = outs.inner[0u + mine];
                    float _e3861 = total_max;
                    float _e3862 = peak_c;
                    if (!(first_of_all)) {
                        float _e3866 = peak_c;
                        float _e3867 = total_max;
                        local_9 = _e3866 > _e3867;
                    } else {
                        local_9 = true;
                    }
                    bool _e3870 = local_9;
                    float merged = _e3870 ? _e3862 : _e3861;
                    float _e3872 = total_max;
                    float _e3874 = exp_law(_e3872 - merged);
                    float _e3875 = peak_c;
                    float _e3877 = exp_law(_e3875 - merged);
                    metal::float2 _e3878 = out;
                    out = first_of_all ? part : metal::fma(_e3878, metal::float2(_e3874), part * _e3877);
                    float _e3883 = total_sum;
                    total_sum = first_of_all ? _e3855 : metal::fma(_e3883, _e3874, _e3855 * _e3877);
                    total_max = merged;
                }
                uint _e3887 = start;
                if ((_e3887 + 64u) < count) {
                    uint _e3891 = start;
                    bool first_of_all_1 = (_e3891 + 1u) == 0u;
                    float _e3898 = peaks.inner[8];
                    peak_c_1 = _e3898;
                    float _e3902 = peaks.inner[9];
                    float _e3903 = peak_c_1;
                    if (_e3902 > _e3903) {
                        float _e3907 = peaks.inner[9];
                        peak_c_1 = _e3907;
                    }
                    float _e3910 = peaks.inner[10];
                    float _e3911 = peak_c_1;
                    if (_e3910 > _e3911) {
                        float _e3915 = peaks.inner[10];
                        peak_c_1 = _e3915;
                    }
                    float _e3918 = peaks.inner[11];
                    float _e3919 = peak_c_1;
                    if (_e3918 > _e3919) {
                        float _e3923 = peaks.inner[11];
                        peak_c_1 = _e3923;
                    }
                    float _e3926 = peaks.inner[12];
                    float _e3927 = peak_c_1;
                    if (_e3926 > _e3927) {
                        float _e3931 = peaks.inner[12];
                        peak_c_1 = _e3931;
                    }
                    float _e3934 = peaks.inner[13];
                    float _e3935 = peak_c_1;
                    if (_e3934 > _e3935) {
                        float _e3939 = peaks.inner[13];
                        peak_c_1 = _e3939;
                    }
                    float _e3942 = peaks.inner[14];
                    float _e3943 = peak_c_1;
                    if (_e3942 > _e3943) {
                        float _e3947 = peaks.inner[14];
                        peak_c_1 = _e3947;
                    }
                    float _e3950 = peaks.inner[15];
                    float _e3951 = peak_c_1;
                    if (_e3950 > _e3951) {
                        float _e3955 = peaks.inner[15];
                        peak_c_1 = _e3955;
                    }
                    float _e3959 = parts.inner[8u];
                    float _e3964 = parts.inner[8u + 1u];
                    float _e3969 = parts.inner[8u + 2u];
                    float _e3974 = parts.inner[8u + 3u];
                    float _e3979 = parts.inner[8u + 4u];
                    float _e3984 = parts.inner[8u + 5u];
                    float _e3989 = parts.inner[8u + 6u];
                    float _e3994 = parts.inner[8u + 7u];
                    float _e3995 = tree8_(_e3959, _e3964, _e3969, _e3974, _e3979, _e3984, _e3989, _e3994);
                    metal::float2 part_1 = outs.inner[32u + mine];
                    float _e4001 = total_max;
                    float _e4002 = peak_c_1;
                    if (!(first_of_all_1)) {
                        float _e4006 = peak_c_1;
                        float _e4007 = total_max;
                        local_10 = _e4006 > _e4007;
                    } else {
                        local_10 = true;
                    }
                    bool _e4010 = local_10;
                    float merged_1 = _e4010 ? _e4002 : _e4001;
                    float _e4012 = total_max;
                    float _e4014 = exp_law(_e4012 - merged_1);
                    float _e4015 = peak_c_1;
                    float _e4017 = exp_law(_e4015 - merged_1);
                    metal::float2 _e4018 = out;
                    out = first_of_all_1 ? part_1 : metal::fma(_e4018, metal::float2(_e4014), part_1 * _e4017);
                    float _e4023 = total_sum;
                    total_sum = first_of_all_1 ? _e3995 : metal::fma(_e4023, _e4014, _e3995 * _e4017);
                    total_max = merged_1;
                }
                uint _e4027 = start;
                if ((_e4027 + 128u) < count) {
                    uint _e4031 = start;
                    bool first_of_all_2 = (_e4031 + 2u) == 0u;
                    float _e4038 = peaks.inner[16];
                    peak_c_2 = _e4038;
                    float _e4042 = peaks.inner[17];
                    float _e4043 = peak_c_2;
                    if (_e4042 > _e4043) {
                        float _e4047 = peaks.inner[17];
                        peak_c_2 = _e4047;
                    }
                    float _e4050 = peaks.inner[18];
                    float _e4051 = peak_c_2;
                    if (_e4050 > _e4051) {
                        float _e4055 = peaks.inner[18];
                        peak_c_2 = _e4055;
                    }
                    float _e4058 = peaks.inner[19];
                    float _e4059 = peak_c_2;
                    if (_e4058 > _e4059) {
                        float _e4063 = peaks.inner[19];
                        peak_c_2 = _e4063;
                    }
                    float _e4066 = peaks.inner[20];
                    float _e4067 = peak_c_2;
                    if (_e4066 > _e4067) {
                        float _e4071 = peaks.inner[20];
                        peak_c_2 = _e4071;
                    }
                    float _e4074 = peaks.inner[21];
                    float _e4075 = peak_c_2;
                    if (_e4074 > _e4075) {
                        float _e4079 = peaks.inner[21];
                        peak_c_2 = _e4079;
                    }
                    float _e4082 = peaks.inner[22];
                    float _e4083 = peak_c_2;
                    if (_e4082 > _e4083) {
                        float _e4087 = peaks.inner[22];
                        peak_c_2 = _e4087;
                    }
                    float _e4090 = peaks.inner[23];
                    float _e4091 = peak_c_2;
                    if (_e4090 > _e4091) {
                        float _e4095 = peaks.inner[23];
                        peak_c_2 = _e4095;
                    }
                    float _e4099 = parts.inner[16u];
                    float _e4104 = parts.inner[16u + 1u];
                    float _e4109 = parts.inner[16u + 2u];
                    float _e4114 = parts.inner[16u + 3u];
                    float _e4119 = parts.inner[16u + 4u];
                    float _e4124 = parts.inner[16u + 5u];
                    float _e4129 = parts.inner[16u + 6u];
                    float _e4134 = parts.inner[16u + 7u];
                    float _e4135 = tree8_(_e4099, _e4104, _e4109, _e4114, _e4119, _e4124, _e4129, _e4134);
                    metal::float2 part_2 = outs.inner[64u + mine];
                    float _e4141 = total_max;
                    float _e4142 = peak_c_2;
                    if (!(first_of_all_2)) {
                        float _e4146 = peak_c_2;
                        float _e4147 = total_max;
                        local_11 = _e4146 > _e4147;
                    } else {
                        local_11 = true;
                    }
                    bool _e4150 = local_11;
                    float merged_2 = _e4150 ? _e4142 : _e4141;
                    float _e4152 = total_max;
                    float _e4154 = exp_law(_e4152 - merged_2);
                    float _e4155 = peak_c_2;
                    float _e4157 = exp_law(_e4155 - merged_2);
                    metal::float2 _e4158 = out;
                    out = first_of_all_2 ? part_2 : metal::fma(_e4158, metal::float2(_e4154), part_2 * _e4157);
                    float _e4163 = total_sum;
                    total_sum = first_of_all_2 ? _e4135 : metal::fma(_e4163, _e4154, _e4135 * _e4157);
                    total_max = merged_2;
                }
                uint _e4167 = start;
                if ((_e4167 + 192u) < count) {
                    uint _e4171 = start;
                    bool first_of_all_3 = (_e4171 + 3u) == 0u;
                    float _e4178 = peaks.inner[24];
                    peak_c_3 = _e4178;
                    float _e4182 = peaks.inner[25];
                    float _e4183 = peak_c_3;
                    if (_e4182 > _e4183) {
                        float _e4187 = peaks.inner[25];
                        peak_c_3 = _e4187;
                    }
                    float _e4190 = peaks.inner[26];
                    float _e4191 = peak_c_3;
                    if (_e4190 > _e4191) {
                        float _e4195 = peaks.inner[26];
                        peak_c_3 = _e4195;
                    }
                    float _e4198 = peaks.inner[27];
                    float _e4199 = peak_c_3;
                    if (_e4198 > _e4199) {
                        float _e4203 = peaks.inner[27];
                        peak_c_3 = _e4203;
                    }
                    float _e4206 = peaks.inner[28];
                    float _e4207 = peak_c_3;
                    if (_e4206 > _e4207) {
                        float _e4211 = peaks.inner[28];
                        peak_c_3 = _e4211;
                    }
                    float _e4214 = peaks.inner[29];
                    float _e4215 = peak_c_3;
                    if (_e4214 > _e4215) {
                        float _e4219 = peaks.inner[29];
                        peak_c_3 = _e4219;
                    }
                    float _e4222 = peaks.inner[30];
                    float _e4223 = peak_c_3;
                    if (_e4222 > _e4223) {
                        float _e4227 = peaks.inner[30];
                        peak_c_3 = _e4227;
                    }
                    float _e4230 = peaks.inner[31];
                    float _e4231 = peak_c_3;
                    if (_e4230 > _e4231) {
                        float _e4235 = peaks.inner[31];
                        peak_c_3 = _e4235;
                    }
                    float _e4239 = parts.inner[24u];
                    float _e4244 = parts.inner[24u + 1u];
                    float _e4249 = parts.inner[24u + 2u];
                    float _e4254 = parts.inner[24u + 3u];
                    float _e4259 = parts.inner[24u + 4u];
                    float _e4264 = parts.inner[24u + 5u];
                    float _e4269 = parts.inner[24u + 6u];
                    float _e4274 = parts.inner[24u + 7u];
                    float _e4275 = tree8_(_e4239, _e4244, _e4249, _e4254, _e4259, _e4264, _e4269, _e4274);
                    metal::float2 part_3 = outs.inner[96u + mine];
                    float _e4281 = total_max;
                    float _e4282 = peak_c_3;
                    if (!(first_of_all_3)) {
                        float _e4286 = peak_c_3;
                        float _e4287 = total_max;
                        local_12 = _e4286 > _e4287;
                    } else {
                        local_12 = true;
                    }
                    bool _e4290 = local_12;
                    float merged_3 = _e4290 ? _e4282 : _e4281;
                    float _e4292 = total_max;
                    float _e4294 = exp_law(_e4292 - merged_3);
                    float _e4295 = peak_c_3;
                    float _e4297 = exp_law(_e4295 - merged_3);
                    metal::float2 _e4298 = out;
                    out = first_of_all_3 ? part_3 : metal::fma(_e4298, metal::float2(_e4294), part_3 * _e4297);
                    float _e4303 = total_sum;
                    total_sum = first_of_all_3 ? _e4275 : metal::fma(_e4303, _e4294, _e4275 * _e4297);
                    total_max = merged_3;
                }
            }
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
        }
    }
    if (piece == 0u) {
        local_13 = lane < WORDS;
    } else {
        local_13 = false;
    }
    bool _e4317 = local_13;
    if (_e4317) {
        uint _e4320 = p_1.out;
        uint _e4323 = p_1.out_cols;
        uint to = ((_e4320 + (row * _e4323)) + (head * HEAD_DIM)) + (2u * lane);
        metal::float2 _e4332 = out;
        float _e4333 = total_sum;
        metal::float2 y_2 = _e4332 / metal::float2(_e4333);
        arena[to] = y_2.x;
        arena[to + 1u] = y_2.y;
        return;
    } else {
        return;
    }
}
