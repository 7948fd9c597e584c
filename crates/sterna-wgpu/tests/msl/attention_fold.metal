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
struct type_14 {
    float inner[128];
};
struct type_15 {
    uint inner[64];
};
struct type_16 {
    float inner[16];
};
constant uint HEAD_DIM = 64u;
constant uint HEADS = 1u;
constant uint PIECES = 4u;
constant uint BATCH = 8u;
constant uint AHEAD = 16u;
constant bool FOLD = true;
constant bool Q_NORM = true;
constant bool K_NORM = true;
constant uint THREADS = 256u;
constant uint WORDS = 32u;
constant uint TURNS = 1u;

uint call_row(
    uint i_5
) {
    return 4u + (4u * i_5);
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
    bool local_8 = {};
    bool local_9 = {};
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
            local_9 = (kept & 1u) == 1u;
        } else {
            local_9 = false;
        }
        bool _e62 = local_9;
        local_8 = _e62;
    } else {
        local_8 = true;
    }
    bool up = local_8;
    return sign | (kept + (up ? 1u : 0u));
}

uint naga_div(uint lhs, uint rhs) {
    return lhs / metal::select(rhs, 1u, rhs == 0u);
}

float turned(
    uint start_at,
    uint i_6,
    uint table,
    constant Params& p_1,
    device type_5 const& arena,
    threadgroup type_14& raw,
    constant _mslBufferSizes& _buffer_sizes
) {
    uint _e5 = p_1.turn;
    uint half_ = naga_div(_e5, 2u);
    uint _e10 = p_1.turn;
    if (i_6 >= _e10) {
        float _e15 = raw.inner[start_at + i_6];
        return _e15;
    }
    if (i_6 < half_) {
        float a_2 = raw.inner[start_at + i_6];
        float b_2 = raw.inner[(start_at + i_6) + half_];
        float _e29 = arena[table + i_6];
        float _e34 = arena[(table + half_) + i_6];
        return metal::fma(a_2, _e29, -((b_2 * _e34)));
    }
    float a_3 = raw.inner[(start_at + i_6) - half_];
    float b_3 = raw.inner[start_at + i_6];
    float _e51 = arena[(table + i_6) - half_];
    float _e55 = arena[table + i_6];
    return metal::fma(b_3, _e51, a_3 * _e55);
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
, device type_5 const& vectors [[user(fake0)]]
, device type_7& state [[user(fake0)]]
, device type_5& arena [[user(fake0)]]
, threadgroup type_8& query
, threadgroup type_9& weights
, threadgroup type_10& parts
, threadgroup type_11& peaks
, threadgroup type_11& sums
, threadgroup type_13& outs
, threadgroup type_14& raw
, threadgroup type_15& own
, threadgroup type_16& lanes
, constant _mslBufferSizes& _buffer_sizes [[user(fake0)]]
) {
    uint i = {};
    bool local = {};
    uint i_1 = {};
    float sum = {};
    uint j = {};
    uint i_2 = {};
    bool local_1 = {};
    bool local_2 = {};
    uint i_3 = {};
    uint i_4 = {};
    float x = {};
    float y = {};
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
    uint j_1 = {};
    bool local_3 = {};
    float peak0_ = {};
    float sum_1 = {};
    uint j_2 = {};
    metal::float2 sum0_0_ = {};
    bool local_4 = {};
    bool local_5 = {};
    bool local_6 = {};
    bool local_7 = {};
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
    uint _e54 = p_1.table;
    uint _e57 = p_1.table_cols;
    uint table_1 = _e54 + (row * _e57);
    uint _e62 = p_1.k;
    uint _e65 = p_1.q_cols;
    uint from_k = (_e62 + (row * _e65)) + (kv_head * HEAD_DIM);
    uint _e73 = p_1.v;
    uint _e76 = p_1.q_cols;
    uint from_v = (_e73 + (row * _e76)) + (kv_head * HEAD_DIM);
    i = t;
    uint2 loop_bound = uint2(4294967295u);
    bool loop_init = true;
    while(true) {
        if (metal::all(loop_bound == uint2(0u))) { break; }
        loop_bound -= uint2(loop_bound.y == 0u, 1u);
        if (!loop_init) {
            uint _e107 = i;
            i = _e107 + THREADS;
        }
        loop_init = false;
        uint _e83 = i;
        if (_e83 < 128u) {
        } else {
            break;
        }
        {
            uint _e86 = i;
            if (_e86 < HEAD_DIM) {
                uint _e90 = i;
                uint _e93 = i;
                float _e96 = arena[from_k + _e93];
                raw.inner[_e90] = _e96;
            } else {
                uint _e98 = i;
                uint _e101 = i;
                float _e106 = arena[(from_q + _e101) - HEAD_DIM];
                raw.inner[_e98] = _e106;
            }
        }
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    if (false) {
        local = K_NORM;
    } else {
        local = true;
    }
    bool _e115 = local;
    if (_e115) {
        i_1 = t;
        uint2 loop_bound_1 = uint2(4294967295u);
        bool loop_init_1 = true;
        while(true) {
            if (metal::all(loop_bound_1 == uint2(0u))) { break; }
            loop_bound_1 -= uint2(loop_bound_1.y == 0u, 1u);
            if (!loop_init_1) {
                uint _e148 = i_1;
                i_1 = _e148 + THREADS;
            }
            loop_init_1 = false;
            uint _e117 = i_1;
            if (_e117 < 16u) {
            } else {
                break;
            }
            {
                sum = 0.0;
                uint _e122 = i_1;
                j = naga_mod(_e122, 8u);
                uint2 loop_bound_2 = uint2(4294967295u);
                bool loop_init_2 = true;
                while(true) {
                    if (metal::all(loop_bound_2 == uint2(0u))) { break; }
                    loop_bound_2 -= uint2(loop_bound_2.y == 0u, 1u);
                    if (!loop_init_2) {
                        uint _e141 = j;
                        j = _e141 + 8u;
                    }
                    loop_init_2 = false;
                    uint _e126 = j;
                    if (_e126 < HEAD_DIM) {
                    } else {
                        break;
                    }
                    {
                        uint _e130 = i_1;
                        uint _e135 = j;
                        float v = raw.inner[(naga_div(_e130, 8u) * HEAD_DIM) + _e135];
                        float _e139 = sum;
                        sum = metal::fma(v, v, _e139);
                    }
                }
                uint _e145 = i_1;
                float _e147 = sum;
                lanes.inner[_e145] = _e147;
            }
        }
        metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
        i_2 = t;
        uint2 loop_bound_3 = uint2(4294967295u);
        bool loop_init_3 = true;
        while(true) {
            if (metal::all(loop_bound_3 == uint2(0u))) { break; }
            loop_bound_3 -= uint2(loop_bound_3.y == 0u, 1u);
            if (!loop_init_3) {
                uint _e267 = i_2;
                i_2 = _e267 + THREADS;
            }
            loop_init_3 = false;
            uint _e152 = i_2;
            if (_e152 < 128u) {
            } else {
                break;
            }
            {
                uint _e155 = i_2;
                uint h_1 = naga_div(_e155, HEAD_DIM);
                uint l = 8u * h_1;
                float _e162 = lanes.inner[l];
                float _e167 = lanes.inner[l + 1u];
                float _e172 = lanes.inner[l + 2u];
                float _e177 = lanes.inner[l + 3u];
                float _e182 = lanes.inner[l + 4u];
                float _e187 = lanes.inner[l + 5u];
                float _e192 = lanes.inner[l + 6u];
                float _e197 = lanes.inner[l + 7u];
                float _e198 = tree8_(_e162, _e167, _e172, _e177, _e182, _e187, _e192, _e197);
                if (h_1 == 0u) {
                    local_1 = K_NORM;
                } else {
                    local_1 = false;
                }
                bool _e205 = local_1;
                if (_e205) {
                    float _e210 = p_1.k_eps;
                    float inverse = 1.0 / metal::sqrt((_e198 / 64.0) + _e210);
                    uint _e216 = i_2;
                    uint _e219 = i_2;
                    float _e221 = raw.inner[_e219];
                    uint _e226 = p_1.k_weight;
                    uint _e227 = i_2;
                    float _e230 = vectors[_e226 + _e227];
                    raw.inner[_e216] = (_e221 * inverse) * _e230;
                } else {
                    if (h_1 > 0u) {
                        local_2 = Q_NORM;
                    } else {
                        local_2 = false;
                    }
                    bool _e238 = local_2;
                    if (_e238) {
                        float _e243 = p_1.q_eps;
                        float inverse_1 = 1.0 / metal::sqrt((_e198 / 64.0) + _e243);
                        uint _e249 = i_2;
                        uint _e252 = i_2;
                        float _e254 = raw.inner[_e252];
                        uint _e259 = p_1.q_weight;
                        uint _e260 = i_2;
                        float _e265 = vectors[_e259 + naga_mod(_e260, HEAD_DIM)];
                        raw.inner[_e249] = (_e254 * inverse_1) * _e265;
                    }
                }
            }
        }
        metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    }
    i_3 = t;
    uint2 loop_bound_4 = uint2(4294967295u);
    bool loop_init_4 = true;
    while(true) {
        if (metal::all(loop_bound_4 == uint2(0u))) { break; }
        loop_bound_4 -= uint2(loop_bound_4.y == 0u, 1u);
        if (!loop_init_4) {
            uint _e288 = i_3;
            i_3 = _e288 + THREADS;
        }
        loop_init_4 = false;
        uint _e271 = i_3;
        if (_e271 < 64u) {
        } else {
            break;
        }
        {
            uint _e275 = i_3;
            uint _e278 = i_3;
            uint _e284 = i_3;
            float _e287 = turned(HEAD_DIM + (naga_div(_e278, HEAD_DIM) * HEAD_DIM), naga_mod(_e284, HEAD_DIM), table_1, p_1, arena, raw, _buffer_sizes);
            query.inner[_e275] = _e287;
        }
    }
    i_4 = t;
    uint2 loop_bound_5 = uint2(4294967295u);
    bool loop_init_5 = true;
    while(true) {
        if (metal::all(loop_bound_5 == uint2(0u))) { break; }
        loop_bound_5 -= uint2(loop_bound_5.y == 0u, 1u);
        if (!loop_init_5) {
            uint _e377 = i_4;
            i_4 = _e377 + THREADS;
        }
        loop_init_5 = false;
        uint _e292 = i_4;
        if (_e292 < 64u) {
        } else {
            break;
        }
        {
            x = 0.0;
            y = 0.0;
            uint _e299 = i_4;
            if (_e299 < WORDS) {
                uint _e304 = i_4;
                float _e306 = turned(0u, 2u * _e304, table_1, p_1, arena, raw, _buffer_sizes);
                x = _e306;
                uint _e309 = i_4;
                float _e313 = turned(0u, (2u * _e309) + 1u, table_1, p_1, arena, raw, _buffer_sizes);
                y = _e313;
            } else {
                uint _e316 = i_4;
                float _e322 = arena[from_v + (2u * (_e316 - WORDS))];
                x = _e322;
                uint _e325 = i_4;
                float _e333 = arena[(from_v + (2u * (_e325 - WORDS))) + 1u];
                y = _e333;
            }
            float _e334 = x;
            uint _e335 = half_bits(_e334);
            float _e336 = y;
            uint _e337 = half_bits(_e336);
            uint word = _e335 | (_e337 << 16u);
            uint _e342 = i_4;
            own.inner[_e342] = word;
            uint _e346 = p_1.share;
            if (naga_mod(head, _e346) == 0u) {
                uint _e354 = p_1.kv_words;
                uint _e359 = p_1.kv_words;
                uint _e360 = i_4;
                uint _e364 = i_4;
                uint _e365 = i_4;
                uint at_1 = (base + ((position * 2u) * _e354)) + ((_e365 < WORDS) ? _e364 : ((_e359 + _e360) - WORDS));
                state[naga_div(at_1, 4u)][naga_mod(at_1, 4u)] = word;
            }
        }
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    uint piece = naga_div(t, 64u);
    uint lane = naga_mod(t, 64u);
    uint2 loop_bound_6 = uint2(4294967295u);
    bool loop_init_6 = true;
    while(true) {
        if (metal::all(loop_bound_6 == uint2(0u))) { break; }
        loop_bound_6 -= uint2(loop_bound_6.y == 0u, 1u);
        if (!loop_init_6) {
            uint _e5049 = start;
            start = _e5049 + 256u;
        }
        loop_init_6 = false;
        uint _e393 = start;
        if (_e393 < count) {
        } else {
            break;
        }
        {
            uint _e395 = start;
            uint first = _e395 + (64u * piece);
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
            uint _e442 = keys;
            if (0u < _e442) {
                uint _e457 = p_1.kv_words;
                uint _e461 = state_word((base + (((metal::min((first + 0u) + 0u, count - 1u) * 2u) + 1u) * _e457)) + word0_, state, _buffer_sizes);
                early0_0_0_ = _e461;
                uint _e475 = p_1.kv_words;
                uint _e479 = state_word((base + (((metal::min((first + 0u) + 1u, count - 1u) * 2u) + 1u) * _e475)) + word0_, state, _buffer_sizes);
                early0_0_1_ = _e479;
                uint _e493 = p_1.kv_words;
                uint _e497 = state_word((base + (((metal::min((first + 0u) + 2u, count - 1u) * 2u) + 1u) * _e493)) + word0_, state, _buffer_sizes);
                early0_0_2_ = _e497;
                uint _e511 = p_1.kv_words;
                uint _e515 = state_word((base + (((metal::min((first + 0u) + 3u, count - 1u) * 2u) + 1u) * _e511)) + word0_, state, _buffer_sizes);
                early0_0_3_ = _e515;
                uint _e529 = p_1.kv_words;
                uint _e533 = state_word((base + (((metal::min((first + 0u) + 4u, count - 1u) * 2u) + 1u) * _e529)) + word0_, state, _buffer_sizes);
                early0_0_4_ = _e533;
                uint _e547 = p_1.kv_words;
                uint _e551 = state_word((base + (((metal::min((first + 0u) + 5u, count - 1u) * 2u) + 1u) * _e547)) + word0_, state, _buffer_sizes);
                early0_0_5_ = _e551;
                uint _e565 = p_1.kv_words;
                uint _e569 = state_word((base + (((metal::min((first + 0u) + 6u, count - 1u) * 2u) + 1u) * _e565)) + word0_, state, _buffer_sizes);
                early0_0_6_ = _e569;
                uint _e583 = p_1.kv_words;
                uint _e587 = state_word((base + (((metal::min((first + 0u) + 7u, count - 1u) * 2u) + 1u) * _e583)) + word0_, state, _buffer_sizes);
                early0_0_7_ = _e587;
                uint _e601 = p_1.kv_words;
                uint _e605 = state_word((base + (((metal::min((first + 0u) + 8u, count - 1u) * 2u) + 1u) * _e601)) + word0_, state, _buffer_sizes);
                early0_0_8_ = _e605;
                uint _e619 = p_1.kv_words;
                uint _e623 = state_word((base + (((metal::min((first + 0u) + 9u, count - 1u) * 2u) + 1u) * _e619)) + word0_, state, _buffer_sizes);
                early0_0_9_ = _e623;
                uint _e637 = p_1.kv_words;
                uint _e641 = state_word((base + (((metal::min((first + 0u) + 10u, count - 1u) * 2u) + 1u) * _e637)) + word0_, state, _buffer_sizes);
                early0_0_10_ = _e641;
                uint _e655 = p_1.kv_words;
                uint _e659 = state_word((base + (((metal::min((first + 0u) + 11u, count - 1u) * 2u) + 1u) * _e655)) + word0_, state, _buffer_sizes);
                early0_0_11_ = _e659;
                uint _e673 = p_1.kv_words;
                uint _e677 = state_word((base + (((metal::min((first + 0u) + 12u, count - 1u) * 2u) + 1u) * _e673)) + word0_, state, _buffer_sizes);
                early0_0_12_ = _e677;
                uint _e691 = p_1.kv_words;
                uint _e695 = state_word((base + (((metal::min((first + 0u) + 13u, count - 1u) * 2u) + 1u) * _e691)) + word0_, state, _buffer_sizes);
                early0_0_13_ = _e695;
                uint _e709 = p_1.kv_words;
                uint _e713 = state_word((base + (((metal::min((first + 0u) + 14u, count - 1u) * 2u) + 1u) * _e709)) + word0_, state, _buffer_sizes);
                early0_0_14_ = _e713;
                uint _e727 = p_1.kv_words;
                uint _e731 = state_word((base + (((metal::min((first + 0u) + 15u, count - 1u) * 2u) + 1u) * _e727)) + word0_, state, _buffer_sizes);
                early0_0_15_ = _e731;
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
            uint _e765 = keys;
            if (16u < _e765) {
                uint _e780 = p_1.kv_words;
                uint _e784 = state_word((base + (((metal::min((first + 16u) + 0u, count - 1u) * 2u) + 1u) * _e780)) + word0_, state, _buffer_sizes);
                early0_1_0_ = _e784;
                uint _e798 = p_1.kv_words;
                uint _e802 = state_word((base + (((metal::min((first + 16u) + 1u, count - 1u) * 2u) + 1u) * _e798)) + word0_, state, _buffer_sizes);
                early0_1_1_ = _e802;
                uint _e816 = p_1.kv_words;
                uint _e820 = state_word((base + (((metal::min((first + 16u) + 2u, count - 1u) * 2u) + 1u) * _e816)) + word0_, state, _buffer_sizes);
                early0_1_2_ = _e820;
                uint _e834 = p_1.kv_words;
                uint _e838 = state_word((base + (((metal::min((first + 16u) + 3u, count - 1u) * 2u) + 1u) * _e834)) + word0_, state, _buffer_sizes);
                early0_1_3_ = _e838;
                uint _e852 = p_1.kv_words;
                uint _e856 = state_word((base + (((metal::min((first + 16u) + 4u, count - 1u) * 2u) + 1u) * _e852)) + word0_, state, _buffer_sizes);
                early0_1_4_ = _e856;
                uint _e870 = p_1.kv_words;
                uint _e874 = state_word((base + (((metal::min((first + 16u) + 5u, count - 1u) * 2u) + 1u) * _e870)) + word0_, state, _buffer_sizes);
                early0_1_5_ = _e874;
                uint _e888 = p_1.kv_words;
                uint _e892 = state_word((base + (((metal::min((first + 16u) + 6u, count - 1u) * 2u) + 1u) * _e888)) + word0_, state, _buffer_sizes);
                early0_1_6_ = _e892;
                uint _e906 = p_1.kv_words;
                uint _e910 = state_word((base + (((metal::min((first + 16u) + 7u, count - 1u) * 2u) + 1u) * _e906)) + word0_, state, _buffer_sizes);
                early0_1_7_ = _e910;
                uint _e924 = p_1.kv_words;
                uint _e928 = state_word((base + (((metal::min((first + 16u) + 8u, count - 1u) * 2u) + 1u) * _e924)) + word0_, state, _buffer_sizes);
                early0_1_8_ = _e928;
                uint _e942 = p_1.kv_words;
                uint _e946 = state_word((base + (((metal::min((first + 16u) + 9u, count - 1u) * 2u) + 1u) * _e942)) + word0_, state, _buffer_sizes);
                early0_1_9_ = _e946;
                uint _e960 = p_1.kv_words;
                uint _e964 = state_word((base + (((metal::min((first + 16u) + 10u, count - 1u) * 2u) + 1u) * _e960)) + word0_, state, _buffer_sizes);
                early0_1_10_ = _e964;
                uint _e978 = p_1.kv_words;
                uint _e982 = state_word((base + (((metal::min((first + 16u) + 11u, count - 1u) * 2u) + 1u) * _e978)) + word0_, state, _buffer_sizes);
                early0_1_11_ = _e982;
                uint _e996 = p_1.kv_words;
                uint _e1000 = state_word((base + (((metal::min((first + 16u) + 12u, count - 1u) * 2u) + 1u) * _e996)) + word0_, state, _buffer_sizes);
                early0_1_12_ = _e1000;
                uint _e1014 = p_1.kv_words;
                uint _e1018 = state_word((base + (((metal::min((first + 16u) + 13u, count - 1u) * 2u) + 1u) * _e1014)) + word0_, state, _buffer_sizes);
                early0_1_13_ = _e1018;
                uint _e1032 = p_1.kv_words;
                uint _e1036 = state_word((base + (((metal::min((first + 16u) + 14u, count - 1u) * 2u) + 1u) * _e1032)) + word0_, state, _buffer_sizes);
                early0_1_14_ = _e1036;
                uint _e1050 = p_1.kv_words;
                uint _e1054 = state_word((base + (((metal::min((first + 16u) + 15u, count - 1u) * 2u) + 1u) * _e1050)) + word0_, state, _buffer_sizes);
                early0_1_15_ = _e1054;
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
            uint _e1088 = keys;
            if (32u < _e1088) {
                uint _e1103 = p_1.kv_words;
                uint _e1107 = state_word((base + (((metal::min((first + 32u) + 0u, count - 1u) * 2u) + 1u) * _e1103)) + word0_, state, _buffer_sizes);
                early0_2_0_ = _e1107;
                uint _e1121 = p_1.kv_words;
                uint _e1125 = state_word((base + (((metal::min((first + 32u) + 1u, count - 1u) * 2u) + 1u) * _e1121)) + word0_, state, _buffer_sizes);
                early0_2_1_ = _e1125;
                uint _e1139 = p_1.kv_words;
                uint _e1143 = state_word((base + (((metal::min((first + 32u) + 2u, count - 1u) * 2u) + 1u) * _e1139)) + word0_, state, _buffer_sizes);
                early0_2_2_ = _e1143;
                uint _e1157 = p_1.kv_words;
                uint _e1161 = state_word((base + (((metal::min((first + 32u) + 3u, count - 1u) * 2u) + 1u) * _e1157)) + word0_, state, _buffer_sizes);
                early0_2_3_ = _e1161;
                uint _e1175 = p_1.kv_words;
                uint _e1179 = state_word((base + (((metal::min((first + 32u) + 4u, count - 1u) * 2u) + 1u) * _e1175)) + word0_, state, _buffer_sizes);
                early0_2_4_ = _e1179;
                uint _e1193 = p_1.kv_words;
                uint _e1197 = state_word((base + (((metal::min((first + 32u) + 5u, count - 1u) * 2u) + 1u) * _e1193)) + word0_, state, _buffer_sizes);
                early0_2_5_ = _e1197;
                uint _e1211 = p_1.kv_words;
                uint _e1215 = state_word((base + (((metal::min((first + 32u) + 6u, count - 1u) * 2u) + 1u) * _e1211)) + word0_, state, _buffer_sizes);
                early0_2_6_ = _e1215;
                uint _e1229 = p_1.kv_words;
                uint _e1233 = state_word((base + (((metal::min((first + 32u) + 7u, count - 1u) * 2u) + 1u) * _e1229)) + word0_, state, _buffer_sizes);
                early0_2_7_ = _e1233;
                uint _e1247 = p_1.kv_words;
                uint _e1251 = state_word((base + (((metal::min((first + 32u) + 8u, count - 1u) * 2u) + 1u) * _e1247)) + word0_, state, _buffer_sizes);
                early0_2_8_ = _e1251;
                uint _e1265 = p_1.kv_words;
                uint _e1269 = state_word((base + (((metal::min((first + 32u) + 9u, count - 1u) * 2u) + 1u) * _e1265)) + word0_, state, _buffer_sizes);
                early0_2_9_ = _e1269;
                uint _e1283 = p_1.kv_words;
                uint _e1287 = state_word((base + (((metal::min((first + 32u) + 10u, count - 1u) * 2u) + 1u) * _e1283)) + word0_, state, _buffer_sizes);
                early0_2_10_ = _e1287;
                uint _e1301 = p_1.kv_words;
                uint _e1305 = state_word((base + (((metal::min((first + 32u) + 11u, count - 1u) * 2u) + 1u) * _e1301)) + word0_, state, _buffer_sizes);
                early0_2_11_ = _e1305;
                uint _e1319 = p_1.kv_words;
                uint _e1323 = state_word((base + (((metal::min((first + 32u) + 12u, count - 1u) * 2u) + 1u) * _e1319)) + word0_, state, _buffer_sizes);
                early0_2_12_ = _e1323;
                uint _e1337 = p_1.kv_words;
                uint _e1341 = state_word((base + (((metal::min((first + 32u) + 13u, count - 1u) * 2u) + 1u) * _e1337)) + word0_, state, _buffer_sizes);
                early0_2_13_ = _e1341;
                uint _e1355 = p_1.kv_words;
                uint _e1359 = state_word((base + (((metal::min((first + 32u) + 14u, count - 1u) * 2u) + 1u) * _e1355)) + word0_, state, _buffer_sizes);
                early0_2_14_ = _e1359;
                uint _e1373 = p_1.kv_words;
                uint _e1377 = state_word((base + (((metal::min((first + 32u) + 15u, count - 1u) * 2u) + 1u) * _e1373)) + word0_, state, _buffer_sizes);
                early0_2_15_ = _e1377;
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
            uint _e1411 = keys;
            if (48u < _e1411) {
                uint _e1426 = p_1.kv_words;
                uint _e1430 = state_word((base + (((metal::min((first + 48u) + 0u, count - 1u) * 2u) + 1u) * _e1426)) + word0_, state, _buffer_sizes);
                early0_3_0_ = _e1430;
                uint _e1444 = p_1.kv_words;
                uint _e1448 = state_word((base + (((metal::min((first + 48u) + 1u, count - 1u) * 2u) + 1u) * _e1444)) + word0_, state, _buffer_sizes);
                early0_3_1_ = _e1448;
                uint _e1462 = p_1.kv_words;
                uint _e1466 = state_word((base + (((metal::min((first + 48u) + 2u, count - 1u) * 2u) + 1u) * _e1462)) + word0_, state, _buffer_sizes);
                early0_3_2_ = _e1466;
                uint _e1480 = p_1.kv_words;
                uint _e1484 = state_word((base + (((metal::min((first + 48u) + 3u, count - 1u) * 2u) + 1u) * _e1480)) + word0_, state, _buffer_sizes);
                early0_3_3_ = _e1484;
                uint _e1498 = p_1.kv_words;
                uint _e1502 = state_word((base + (((metal::min((first + 48u) + 4u, count - 1u) * 2u) + 1u) * _e1498)) + word0_, state, _buffer_sizes);
                early0_3_4_ = _e1502;
                uint _e1516 = p_1.kv_words;
                uint _e1520 = state_word((base + (((metal::min((first + 48u) + 5u, count - 1u) * 2u) + 1u) * _e1516)) + word0_, state, _buffer_sizes);
                early0_3_5_ = _e1520;
                uint _e1534 = p_1.kv_words;
                uint _e1538 = state_word((base + (((metal::min((first + 48u) + 6u, count - 1u) * 2u) + 1u) * _e1534)) + word0_, state, _buffer_sizes);
                early0_3_6_ = _e1538;
                uint _e1552 = p_1.kv_words;
                uint _e1556 = state_word((base + (((metal::min((first + 48u) + 7u, count - 1u) * 2u) + 1u) * _e1552)) + word0_, state, _buffer_sizes);
                early0_3_7_ = _e1556;
                uint _e1570 = p_1.kv_words;
                uint _e1574 = state_word((base + (((metal::min((first + 48u) + 8u, count - 1u) * 2u) + 1u) * _e1570)) + word0_, state, _buffer_sizes);
                early0_3_8_ = _e1574;
                uint _e1588 = p_1.kv_words;
                uint _e1592 = state_word((base + (((metal::min((first + 48u) + 9u, count - 1u) * 2u) + 1u) * _e1588)) + word0_, state, _buffer_sizes);
                early0_3_9_ = _e1592;
                uint _e1606 = p_1.kv_words;
                uint _e1610 = state_word((base + (((metal::min((first + 48u) + 10u, count - 1u) * 2u) + 1u) * _e1606)) + word0_, state, _buffer_sizes);
                early0_3_10_ = _e1610;
                uint _e1624 = p_1.kv_words;
                uint _e1628 = state_word((base + (((metal::min((first + 48u) + 11u, count - 1u) * 2u) + 1u) * _e1624)) + word0_, state, _buffer_sizes);
                early0_3_11_ = _e1628;
                uint _e1642 = p_1.kv_words;
                uint _e1646 = state_word((base + (((metal::min((first + 48u) + 12u, count - 1u) * 2u) + 1u) * _e1642)) + word0_, state, _buffer_sizes);
                early0_3_12_ = _e1646;
                uint _e1660 = p_1.kv_words;
                uint _e1664 = state_word((base + (((metal::min((first + 48u) + 13u, count - 1u) * 2u) + 1u) * _e1660)) + word0_, state, _buffer_sizes);
                early0_3_13_ = _e1664;
                uint _e1678 = p_1.kv_words;
                uint _e1682 = state_word((base + (((metal::min((first + 48u) + 14u, count - 1u) * 2u) + 1u) * _e1678)) + word0_, state, _buffer_sizes);
                early0_3_14_ = _e1682;
                uint _e1696 = p_1.kv_words;
                uint _e1700 = state_word((base + (((metal::min((first + 48u) + 15u, count - 1u) * 2u) + 1u) * _e1696)) + word0_, state, _buffer_sizes);
                early0_3_15_ = _e1700;
            }
            acc0_ = 0.0;
            uint _e1703 = keys;
            if (lane < _e1703) {
                uint _e1710 = p_1.kv_words;
                uint key = base + (((first + lane) * 2u) * _e1710);
                w = 0u;
                uint2 loop_bound_7 = uint2(4294967295u);
                bool loop_init_7 = true;
                while(true) {
                    if (metal::all(loop_bound_7 == uint2(0u))) { break; }
                    loop_bound_7 -= uint2(loop_bound_7.y == 0u, 1u);
                    if (!loop_init_7) {
                        uint _e3168 = w;
                        w = _e3168 + 32u;
                    }
                    loop_init_7 = false;
                    uint _e1715 = w;
                    if (_e1715 < WORDS) {
                    } else {
                        break;
                    }
                    {
                        uint _e1719 = w;
                        metal::uint4 _e1726 = state[naga_div(key + _e1719, 4u) + 0u];
                        k0_ = _e1726;
                        uint _e1729 = w;
                        metal::uint4 _e1736 = state[naga_div(key + _e1729, 4u) + 1u];
                        k1_ = _e1736;
                        uint _e1739 = w;
                        metal::uint4 _e1746 = state[naga_div(key + _e1739, 4u) + 2u];
                        k2_ = _e1746;
                        uint _e1749 = w;
                        metal::uint4 _e1756 = state[naga_div(key + _e1749, 4u) + 3u];
                        k3_ = _e1756;
                        uint _e1759 = w;
                        metal::uint4 _e1766 = state[naga_div(key + _e1759, 4u) + 4u];
                        k4_ = _e1766;
                        uint _e1769 = w;
                        metal::uint4 _e1776 = state[naga_div(key + _e1769, 4u) + 5u];
                        k5_ = _e1776;
                        uint _e1779 = w;
                        metal::uint4 _e1786 = state[naga_div(key + _e1779, 4u) + 6u];
                        k6_ = _e1786;
                        uint _e1789 = w;
                        metal::uint4 _e1796 = state[naga_div(key + _e1789, 4u) + 7u];
                        k7_ = _e1796;
                        if ((first + lane) == position) {
                            uint _e1801 = w;
                            uint _e1805 = own.inner[_e1801 + 0u];
                            uint _e1807 = w;
                            uint _e1813 = own.inner[(_e1807 + 0u) + 1u];
                            uint _e1815 = w;
                            uint _e1821 = own.inner[(_e1815 + 0u) + 2u];
                            uint _e1823 = w;
                            uint _e1829 = own.inner[(_e1823 + 0u) + 3u];
                            k0_ = metal::uint4(_e1805, _e1813, _e1821, _e1829);
                            uint _e1832 = w;
                            uint _e1836 = own.inner[_e1832 + 4u];
                            uint _e1838 = w;
                            uint _e1844 = own.inner[(_e1838 + 4u) + 1u];
                            uint _e1846 = w;
                            uint _e1852 = own.inner[(_e1846 + 4u) + 2u];
                            uint _e1854 = w;
                            uint _e1860 = own.inner[(_e1854 + 4u) + 3u];
                            k1_ = metal::uint4(_e1836, _e1844, _e1852, _e1860);
                            uint _e1863 = w;
                            uint _e1867 = own.inner[_e1863 + 8u];
                            uint _e1869 = w;
                            uint _e1875 = own.inner[(_e1869 + 8u) + 1u];
                            uint _e1877 = w;
                            uint _e1883 = own.inner[(_e1877 + 8u) + 2u];
                            uint _e1885 = w;
                            uint _e1891 = own.inner[(_e1885 + 8u) + 3u];
                            k2_ = metal::uint4(_e1867, _e1875, _e1883, _e1891);
                            uint _e1894 = w;
                            uint _e1898 = own.inner[_e1894 + 12u];
                            uint _e1900 = w;
                            uint _e1906 = own.inner[(_e1900 + 12u) + 1u];
                            uint _e1908 = w;
                            uint _e1914 = own.inner[(_e1908 + 12u) + 2u];
                            uint _e1916 = w;
                            uint _e1922 = own.inner[(_e1916 + 12u) + 3u];
                            k3_ = metal::uint4(_e1898, _e1906, _e1914, _e1922);
                            uint _e1925 = w;
                            uint _e1929 = own.inner[_e1925 + 16u];
                            uint _e1931 = w;
                            uint _e1937 = own.inner[(_e1931 + 16u) + 1u];
                            uint _e1939 = w;
                            uint _e1945 = own.inner[(_e1939 + 16u) + 2u];
                            uint _e1947 = w;
                            uint _e1953 = own.inner[(_e1947 + 16u) + 3u];
                            k4_ = metal::uint4(_e1929, _e1937, _e1945, _e1953);
                            uint _e1956 = w;
                            uint _e1960 = own.inner[_e1956 + 20u];
                            uint _e1962 = w;
                            uint _e1968 = own.inner[(_e1962 + 20u) + 1u];
                            uint _e1970 = w;
                            uint _e1976 = own.inner[(_e1970 + 20u) + 2u];
                            uint _e1978 = w;
                            uint _e1984 = own.inner[(_e1978 + 20u) + 3u];
                            k5_ = metal::uint4(_e1960, _e1968, _e1976, _e1984);
                            uint _e1987 = w;
                            uint _e1991 = own.inner[_e1987 + 24u];
                            uint _e1993 = w;
                            uint _e1999 = own.inner[(_e1993 + 24u) + 1u];
                            uint _e2001 = w;
                            uint _e2007 = own.inner[(_e2001 + 24u) + 2u];
                            uint _e2009 = w;
                            uint _e2015 = own.inner[(_e2009 + 24u) + 3u];
                            k6_ = metal::uint4(_e1991, _e1999, _e2007, _e2015);
                            uint _e2018 = w;
                            uint _e2022 = own.inner[_e2018 + 28u];
                            uint _e2024 = w;
                            uint _e2030 = own.inner[(_e2024 + 28u) + 1u];
                            uint _e2032 = w;
                            uint _e2038 = own.inner[(_e2032 + 28u) + 2u];
                            uint _e2040 = w;
                            uint _e2046 = own.inner[(_e2040 + 28u) + 3u];
                            k7_ = metal::uint4(_e2022, _e2030, _e2038, _e2046);
                        }
                        uint _e2049 = k0_.x;
                        metal::float2 k0_0_ = float2(as_type<half2>(_e2049));
                        uint _e2054 = w;
                        float _e2062 = query.inner[0u + (2u * ((_e2054 + 0u) + 0u))];
                        float _e2064 = acc0_;
                        acc0_ = metal::fma(_e2062, k0_0_.x, _e2064);
                        uint _e2069 = w;
                        float _e2079 = query.inner[(0u + (2u * ((_e2069 + 0u) + 0u))) + 1u];
                        float _e2081 = acc0_;
                        acc0_ = metal::fma(_e2079, k0_0_.y, _e2081);
                        uint _e2084 = k0_.y;
                        metal::float2 k0_1_ = float2(as_type<half2>(_e2084));
                        uint _e2089 = w;
                        float _e2097 = query.inner[0u + (2u * ((_e2089 + 0u) + 1u))];
                        float _e2099 = acc0_;
                        acc0_ = metal::fma(_e2097, k0_1_.x, _e2099);
                        uint _e2104 = w;
                        float _e2114 = query.inner[(0u + (2u * ((_e2104 + 0u) + 1u))) + 1u];
                        float _e2116 = acc0_;
                        acc0_ = metal::fma(_e2114, k0_1_.y, _e2116);
                        uint _e2119 = k0_.z;
                        metal::float2 k0_2_ = float2(as_type<half2>(_e2119));
                        uint _e2124 = w;
                        float _e2132 = query.inner[0u + (2u * ((_e2124 + 0u) + 2u))];
                        float _e2134 = acc0_;
                        acc0_ = metal::fma(_e2132, k0_2_.x, _e2134);
                        uint _e2139 = w;
                        float _e2149 = query.inner[(0u + (2u * ((_e2139 + 0u) + 2u))) + 1u];
                        float _e2151 = acc0_;
                        acc0_ = metal::fma(_e2149, k0_2_.y, _e2151);
                        uint _e2154 = k0_.w;
                        metal::float2 k0_3_ = float2(as_type<half2>(_e2154));
                        uint _e2159 = w;
                        float _e2167 = query.inner[0u + (2u * ((_e2159 + 0u) + 3u))];
                        float _e2169 = acc0_;
                        acc0_ = metal::fma(_e2167, k0_3_.x, _e2169);
                        uint _e2174 = w;
                        float _e2184 = query.inner[(0u + (2u * ((_e2174 + 0u) + 3u))) + 1u];
                        float _e2186 = acc0_;
                        acc0_ = metal::fma(_e2184, k0_3_.y, _e2186);
                        uint _e2189 = k1_.x;
                        metal::float2 k1_0_ = float2(as_type<half2>(_e2189));
                        uint _e2194 = w;
                        float _e2202 = query.inner[0u + (2u * ((_e2194 + 4u) + 0u))];
                        float _e2204 = acc0_;
                        acc0_ = metal::fma(_e2202, k1_0_.x, _e2204);
                        uint _e2209 = w;
                        float _e2219 = query.inner[(0u + (2u * ((_e2209 + 4u) + 0u))) + 1u];
                        float _e2221 = acc0_;
                        acc0_ = metal::fma(_e2219, k1_0_.y, _e2221);
                        uint _e2224 = k1_.y;
                        metal::float2 k1_1_ = float2(as_type<half2>(_e2224));
                        uint _e2229 = w;
                        float _e2237 = query.inner[0u + (2u * ((_e2229 + 4u) + 1u))];
                        float _e2239 = acc0_;
                        acc0_ = metal::fma(_e2237, k1_1_.x, _e2239);
                        uint _e2244 = w;
                        float _e2254 = query.inner[(0u + (2u * ((_e2244 + 4u) + 1u))) + 1u];
                        float _e2256 = acc0_;
                        acc0_ = metal::fma(_e2254, k1_1_.y, _e2256);
                        uint _e2259 = k1_.z;
                        metal::float2 k1_2_ = float2(as_type<half2>(_e2259));
                        uint _e2264 = w;
                        float _e2272 = query.inner[0u + (2u * ((_e2264 + 4u) + 2u))];
                        float _e2274 = acc0_;
                        acc0_ = metal::fma(_e2272, k1_2_.x, _e2274);
                        uint _e2279 = w;
                        float _e2289 = query.inner[(0u + (2u * ((_e2279 + 4u) + 2u))) + 1u];
                        float _e2291 = acc0_;
                        acc0_ = metal::fma(_e2289, k1_2_.y, _e2291);
                        uint _e2294 = k1_.w;
                        metal::float2 k1_3_ = float2(as_type<half2>(_e2294));
                        uint _e2299 = w;
                        float _e2307 = query.inner[0u + (2u * ((_e2299 + 4u) + 3u))];
                        float _e2309 = acc0_;
                        acc0_ = metal::fma(_e2307, k1_3_.x, _e2309);
                        uint _e2314 = w;
                        float _e2324 = query.inner[(0u + (2u * ((_e2314 + 4u) + 3u))) + 1u];
                        float _e2326 = acc0_;
                        acc0_ = metal::fma(_e2324, k1_3_.y, _e2326);
                        uint _e2329 = k2_.x;
                        metal::float2 k2_0_ = float2(as_type<half2>(_e2329));
                        uint _e2334 = w;
                        float _e2342 = query.inner[0u + (2u * ((_e2334 + 8u) + 0u))];
                        float _e2344 = acc0_;
                        acc0_ = metal::fma(_e2342, k2_0_.x, _e2344);
                        uint _e2349 = w;
                        float _e2359 = query.inner[(0u + (2u * ((_e2349 + 8u) + 0u))) + 1u];
                        float _e2361 = acc0_;
                        acc0_ = metal::fma(_e2359, k2_0_.y, _e2361);
                        uint _e2364 = k2_.y;
                        metal::float2 k2_1_ = float2(as_type<half2>(_e2364));
                        uint _e2369 = w;
                        float _e2377 = query.inner[0u + (2u * ((_e2369 + 8u) + 1u))];
                        float _e2379 = acc0_;
                        acc0_ = metal::fma(_e2377, k2_1_.x, _e2379);
                        uint _e2384 = w;
                        float _e2394 = query.inner[(0u + (2u * ((_e2384 + 8u) + 1u))) + 1u];
                        float _e2396 = acc0_;
                        acc0_ = metal::fma(_e2394, k2_1_.y, _e2396);
                        uint _e2399 = k2_.z;
                        metal::float2 k2_2_ = float2(as_type<half2>(_e2399));
                        uint _e2404 = w;
                        float _e2412 = query.inner[0u + (2u * ((_e2404 + 8u) + 2u))];
                        float _e2414 = acc0_;
                        acc0_ = metal::fma(_e2412, k2_2_.x, _e2414);
                        uint _e2419 = w;
                        float _e2429 = query.inner[(0u + (2u * ((_e2419 + 8u) + 2u))) + 1u];
                        float _e2431 = acc0_;
                        acc0_ = metal::fma(_e2429, k2_2_.y, _e2431);
                        uint _e2434 = k2_.w;
                        metal::float2 k2_3_ = float2(as_type<half2>(_e2434));
                        uint _e2439 = w;
                        float _e2447 = query.inner[0u + (2u * ((_e2439 + 8u) + 3u))];
                        float _e2449 = acc0_;
                        acc0_ = metal::fma(_e2447, k2_3_.x, _e2449);
                        uint _e2454 = w;
                        float _e2464 = query.inner[(0u + (2u * ((_e2454 + 8u) + 3u))) + 1u];
                        float _e2466 = acc0_;
                        acc0_ = metal::fma(_e2464, k2_3_.y, _e2466);
                        uint _e2469 = k3_.x;
                        metal::float2 k3_0_ = float2(as_type<half2>(_e2469));
                        uint _e2474 = w;
                        float _e2482 = query.inner[0u + (2u * ((_e2474 + 12u) + 0u))];
                        float _e2484 = acc0_;
                        acc0_ = metal::fma(_e2482, k3_0_.x, _e2484);
                        uint _e2489 = w;
                        float _e2499 = query.inner[(0u + (2u * ((_e2489 + 12u) + 0u))) + 1u];
                        float _e2501 = acc0_;
                        acc0_ = metal::fma(_e2499, k3_0_.y, _e2501);
                        uint _e2504 = k3_.y;
                        metal::float2 k3_1_ = float2(as_type<half2>(_e2504));
                        uint _e2509 = w;
                        float _e2517 = query.inner[0u + (2u * ((_e2509 + 12u) + 1u))];
                        float _e2519 = acc0_;
                        acc0_ = metal::fma(_e2517, k3_1_.x, _e2519);
                        uint _e2524 = w;
                        float _e2534 = query.inner[(0u + (2u * ((_e2524 + 12u) + 1u))) + 1u];
                        float _e2536 = acc0_;
                        acc0_ = metal::fma(_e2534, k3_1_.y, _e2536);
                        uint _e2539 = k3_.z;
                        metal::float2 k3_2_ = float2(as_type<half2>(_e2539));
                        uint _e2544 = w;
                        float _e2552 = query.inner[0u + (2u * ((_e2544 + 12u) + 2u))];
                        float _e2554 = acc0_;
                        acc0_ = metal::fma(_e2552, k3_2_.x, _e2554);
                        uint _e2559 = w;
                        float _e2569 = query.inner[(0u + (2u * ((_e2559 + 12u) + 2u))) + 1u];
                        float _e2571 = acc0_;
                        acc0_ = metal::fma(_e2569, k3_2_.y, _e2571);
                        uint _e2574 = k3_.w;
                        metal::float2 k3_3_ = float2(as_type<half2>(_e2574));
                        uint _e2579 = w;
                        float _e2587 = query.inner[0u + (2u * ((_e2579 + 12u) + 3u))];
                        float _e2589 = acc0_;
                        acc0_ = metal::fma(_e2587, k3_3_.x, _e2589);
                        uint _e2594 = w;
                        float _e2604 = query.inner[(0u + (2u * ((_e2594 + 12u) + 3u))) + 1u];
                        float _e2606 = acc0_;
                        acc0_ = metal::fma(_e2604, k3_3_.y, _e2606);
                        uint _e2609 = k4_.x;
                        metal::float2 k4_0_ = float2(as_type<half2>(_e2609));
                        uint _e2614 = w;
                        float _e2622 = query.inner[0u + (2u * ((_e2614 + 16u) + 0u))];
                        float _e2624 = acc0_;
                        acc0_ = metal::fma(_e2622, k4_0_.x, _e2624);
                        uint _e2629 = w;
                        float _e2639 = query.inner[(0u + (2u * ((_e2629 + 16u) + 0u))) + 1u];
                        float _e2641 = acc0_;
                        acc0_ = metal::fma(_e2639, k4_0_.y, _e2641);
                        uint _e2644 = k4_.y;
                        metal::float2 k4_1_ = float2(as_type<half2>(_e2644));
                        uint _e2649 = w;
                        float _e2657 = query.inner[0u + (2u * ((_e2649 + 16u) + 1u))];
                        float _e2659 = acc0_;
                        acc0_ = metal::fma(_e2657, k4_1_.x, _e2659);
                        uint _e2664 = w;
                        float _e2674 = query.inner[(0u + (2u * ((_e2664 + 16u) + 1u))) + 1u];
                        float _e2676 = acc0_;
                        acc0_ = metal::fma(_e2674, k4_1_.y, _e2676);
                        uint _e2679 = k4_.z;
                        metal::float2 k4_2_ = float2(as_type<half2>(_e2679));
                        uint _e2684 = w;
                        float _e2692 = query.inner[0u + (2u * ((_e2684 + 16u) + 2u))];
                        float _e2694 = acc0_;
                        acc0_ = metal::fma(_e2692, k4_2_.x, _e2694);
                        uint _e2699 = w;
                        float _e2709 = query.inner[(0u + (2u * ((_e2699 + 16u) + 2u))) + 1u];
                        float _e2711 = acc0_;
                        acc0_ = metal::fma(_e2709, k4_2_.y, _e2711);
                        uint _e2714 = k4_.w;
                        metal::float2 k4_3_ = float2(as_type<half2>(_e2714));
                        uint _e2719 = w;
                        float _e2727 = query.inner[0u + (2u * ((_e2719 + 16u) + 3u))];
                        float _e2729 = acc0_;
                        acc0_ = metal::fma(_e2727, k4_3_.x, _e2729);
                        uint _e2734 = w;
                        float _e2744 = query.inner[(0u + (2u * ((_e2734 + 16u) + 3u))) + 1u];
                        float _e2746 = acc0_;
                        acc0_ = metal::fma(_e2744, k4_3_.y, _e2746);
                        uint _e2749 = k5_.x;
                        metal::float2 k5_0_ = float2(as_type<half2>(_e2749));
                        uint _e2754 = w;
                        float _e2762 = query.inner[0u + (2u * ((_e2754 + 20u) + 0u))];
                        float _e2764 = acc0_;
                        acc0_ = metal::fma(_e2762, k5_0_.x, _e2764);
                        uint _e2769 = w;
                        float _e2779 = query.inner[(0u + (2u * ((_e2769 + 20u) + 0u))) + 1u];
                        float _e2781 = acc0_;
                        acc0_ = metal::fma(_e2779, k5_0_.y, _e2781);
                        uint _e2784 = k5_.y;
                        metal::float2 k5_1_ = float2(as_type<half2>(_e2784));
                        uint _e2789 = w;
                        float _e2797 = query.inner[0u + (2u * ((_e2789 + 20u) + 1u))];
                        float _e2799 = acc0_;
                        acc0_ = metal::fma(_e2797, k5_1_.x, _e2799);
                        uint _e2804 = w;
                        float _e2814 = query.inner[(0u + (2u * ((_e2804 + 20u) + 1u))) + 1u];
                        float _e2816 = acc0_;
                        acc0_ = metal::fma(_e2814, k5_1_.y, _e2816);
                        uint _e2819 = k5_.z;
                        metal::float2 k5_2_ = float2(as_type<half2>(_e2819));
                        uint _e2824 = w;
                        float _e2832 = query.inner[0u + (2u * ((_e2824 + 20u) + 2u))];
                        float _e2834 = acc0_;
                        acc0_ = metal::fma(_e2832, k5_2_.x, _e2834);
                        uint _e2839 = w;
                        float _e2849 = query.inner[(0u + (2u * ((_e2839 + 20u) + 2u))) + 1u];
                        float _e2851 = acc0_;
                        acc0_ = metal::fma(_e2849, k5_2_.y, _e2851);
                        uint _e2854 = k5_.w;
                        metal::float2 k5_3_ = float2(as_type<half2>(_e2854));
                        uint _e2859 = w;
                        float _e2867 = query.inner[0u + (2u * ((_e2859 + 20u) + 3u))];
                        float _e2869 = acc0_;
                        acc0_ = metal::fma(_e2867, k5_3_.x, _e2869);
                        uint _e2874 = w;
                        float _e2884 = query.inner[(0u + (2u * ((_e2874 + 20u) + 3u))) + 1u];
                        float _e2886 = acc0_;
                        acc0_ = metal::fma(_e2884, k5_3_.y, _e2886);
                        uint _e2889 = k6_.x;
                        metal::float2 k6_0_ = float2(as_type<half2>(_e2889));
                        uint _e2894 = w;
                        float _e2902 = query.inner[0u + (2u * ((_e2894 + 24u) + 0u))];
                        float _e2904 = acc0_;
                        acc0_ = metal::fma(_e2902, k6_0_.x, _e2904);
                        uint _e2909 = w;
                        float _e2919 = query.inner[(0u + (2u * ((_e2909 + 24u) + 0u))) + 1u];
                        float _e2921 = acc0_;
                        acc0_ = metal::fma(_e2919, k6_0_.y, _e2921);
                        uint _e2924 = k6_.y;
                        metal::float2 k6_1_ = float2(as_type<half2>(_e2924));
                        uint _e2929 = w;
                        float _e2937 = query.inner[0u + (2u * ((_e2929 + 24u) + 1u))];
                        float _e2939 = acc0_;
                        acc0_ = metal::fma(_e2937, k6_1_.x, _e2939);
                        uint _e2944 = w;
                        float _e2954 = query.inner[(0u + (2u * ((_e2944 + 24u) + 1u))) + 1u];
                        float _e2956 = acc0_;
                        acc0_ = metal::fma(_e2954, k6_1_.y, _e2956);
                        uint _e2959 = k6_.z;
                        metal::float2 k6_2_ = float2(as_type<half2>(_e2959));
                        uint _e2964 = w;
                        float _e2972 = query.inner[0u + (2u * ((_e2964 + 24u) + 2u))];
                        float _e2974 = acc0_;
                        acc0_ = metal::fma(_e2972, k6_2_.x, _e2974);
                        uint _e2979 = w;
                        float _e2989 = query.inner[(0u + (2u * ((_e2979 + 24u) + 2u))) + 1u];
                        float _e2991 = acc0_;
                        acc0_ = metal::fma(_e2989, k6_2_.y, _e2991);
                        uint _e2994 = k6_.w;
                        metal::float2 k6_3_ = float2(as_type<half2>(_e2994));
                        uint _e2999 = w;
                        float _e3007 = query.inner[0u + (2u * ((_e2999 + 24u) + 3u))];
                        float _e3009 = acc0_;
                        acc0_ = metal::fma(_e3007, k6_3_.x, _e3009);
                        uint _e3014 = w;
                        float _e3024 = query.inner[(0u + (2u * ((_e3014 + 24u) + 3u))) + 1u];
                        float _e3026 = acc0_;
                        acc0_ = metal::fma(_e3024, k6_3_.y, _e3026);
                        uint _e3029 = k7_.x;
                        metal::float2 k7_0_ = float2(as_type<half2>(_e3029));
                        uint _e3034 = w;
                        float _e3042 = query.inner[0u + (2u * ((_e3034 + 28u) + 0u))];
                        float _e3044 = acc0_;
                        acc0_ = metal::fma(_e3042, k7_0_.x, _e3044);
                        uint _e3049 = w;
                        float _e3059 = query.inner[(0u + (2u * ((_e3049 + 28u) + 0u))) + 1u];
                        float _e3061 = acc0_;
                        acc0_ = metal::fma(_e3059, k7_0_.y, _e3061);
                        uint _e3064 = k7_.y;
                        metal::float2 k7_1_ = float2(as_type<half2>(_e3064));
                        uint _e3069 = w;
                        float _e3077 = query.inner[0u + (2u * ((_e3069 + 28u) + 1u))];
                        float _e3079 = acc0_;
                        acc0_ = metal::fma(_e3077, k7_1_.x, _e3079);
                        uint _e3084 = w;
                        float _e3094 = query.inner[(0u + (2u * ((_e3084 + 28u) + 1u))) + 1u];
                        float _e3096 = acc0_;
                        acc0_ = metal::fma(_e3094, k7_1_.y, _e3096);
                        uint _e3099 = k7_.z;
                        metal::float2 k7_2_ = float2(as_type<half2>(_e3099));
                        uint _e3104 = w;
                        float _e3112 = query.inner[0u + (2u * ((_e3104 + 28u) + 2u))];
                        float _e3114 = acc0_;
                        acc0_ = metal::fma(_e3112, k7_2_.x, _e3114);
                        uint _e3119 = w;
                        float _e3129 = query.inner[(0u + (2u * ((_e3119 + 28u) + 2u))) + 1u];
                        float _e3131 = acc0_;
                        acc0_ = metal::fma(_e3129, k7_2_.y, _e3131);
                        uint _e3134 = k7_.w;
                        metal::float2 k7_3_ = float2(as_type<half2>(_e3134));
                        uint _e3139 = w;
                        float _e3147 = query.inner[0u + (2u * ((_e3139 + 28u) + 3u))];
                        float _e3149 = acc0_;
                        acc0_ = metal::fma(_e3147, k7_3_.x, _e3149);
                        uint _e3154 = w;
                        float _e3164 = query.inner[(0u + (2u * ((_e3154 + 28u) + 3u))) + 1u];
                        float _e3166 = acc0_;
                        acc0_ = metal::fma(_e3164, k7_3_.y, _e3166);
                    }
                }
            }
            float _e3171 = acc0_;
            float _e3174 = p_1.scale;
            uint _e3176 = keys;
            float score0_ = (lane < _e3176) ? (_e3171 * _e3174) : -340282350000000000000000000000000000000.0;
            weights.inner[(((piece * HEADS) + 0u) * 64u) + lane] = score0_;
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
            uint eighth = ((piece * HEADS) + naga_div(lane, 8u)) * 64u;
            if (naga_div(lane, 8u) < HEADS) {
                peak = -340282350000000000000000000000000000000.0;
                j_1 = naga_mod(lane, 8u);
                uint2 loop_bound_8 = uint2(4294967295u);
                bool loop_init_8 = true;
                while(true) {
                    if (metal::all(loop_bound_8 == uint2(0u))) { break; }
                    loop_bound_8 -= uint2(loop_bound_8.y == 0u, 1u);
                    if (!loop_init_8) {
                        uint _e3224 = j_1;
                        j_1 = _e3224 + 8u;
                    }
                    loop_init_8 = false;
                    uint _e3205 = j_1;
                    if (_e3205 < 64u) {
                    } else {
                        break;
                    }
                    {
                        uint _e3209 = j_1;
                        float s = weights.inner[eighth + _e3209];
                        if ((as_type<uint>(s) & 2147483647u) <= 2139095040u) {
                            float _e3220 = peak;
                            local_3 = s > _e3220;
                        } else {
                            local_3 = false;
                        }
                        bool _e3223 = local_3;
                        if (_e3223) {
                            peak = s;
                        }
                    }
                }
                float _e3234 = peak;
                parts.inner[((piece * HEADS) * 8u) + lane] = _e3234;
            }
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
            float _e3243 = parts.inner[((piece * HEADS) + 0u) * 8u];
            peak0_ = _e3243;
            float _e3257 = parts.inner[((((piece * HEADS) + 0u) * 8u) + 0u) + 1u];
            float _e3258 = peak0_;
            if (_e3257 > _e3258) {
                float _e3272 = parts.inner[((((piece * HEADS) + 0u) * 8u) + 0u) + 1u];
                peak0_ = _e3272;
            }
            float _e3285 = parts.inner[((((piece * HEADS) + 0u) * 8u) + 1u) + 1u];
            float _e3286 = peak0_;
            if (_e3285 > _e3286) {
                float _e3300 = parts.inner[((((piece * HEADS) + 0u) * 8u) + 1u) + 1u];
                peak0_ = _e3300;
            }
            float _e3313 = parts.inner[((((piece * HEADS) + 0u) * 8u) + 2u) + 1u];
            float _e3314 = peak0_;
            if (_e3313 > _e3314) {
                float _e3328 = parts.inner[((((piece * HEADS) + 0u) * 8u) + 2u) + 1u];
                peak0_ = _e3328;
            }
            float _e3341 = parts.inner[((((piece * HEADS) + 0u) * 8u) + 3u) + 1u];
            float _e3342 = peak0_;
            if (_e3341 > _e3342) {
                float _e3356 = parts.inner[((((piece * HEADS) + 0u) * 8u) + 3u) + 1u];
                peak0_ = _e3356;
            }
            float _e3369 = parts.inner[((((piece * HEADS) + 0u) * 8u) + 4u) + 1u];
            float _e3370 = peak0_;
            if (_e3369 > _e3370) {
                float _e3384 = parts.inner[((((piece * HEADS) + 0u) * 8u) + 4u) + 1u];
                peak0_ = _e3384;
            }
            float _e3397 = parts.inner[((((piece * HEADS) + 0u) * 8u) + 5u) + 1u];
            float _e3398 = peak0_;
            if (_e3397 > _e3398) {
                float _e3412 = parts.inner[((((piece * HEADS) + 0u) * 8u) + 5u) + 1u];
                peak0_ = _e3412;
            }
            float _e3425 = parts.inner[((((piece * HEADS) + 0u) * 8u) + 6u) + 1u];
            float _e3426 = peak0_;
            if (_e3425 > _e3426) {
                float _e3440 = parts.inner[((((piece * HEADS) + 0u) * 8u) + 6u) + 1u];
                peak0_ = _e3440;
            }
            float exact0_ = weights.inner[(((piece * HEADS) + 0u) * 64u) + lane];
            float _e3460 = peak0_;
            float _e3462 = exp_law(exact0_ - _e3460);
            uint _e3463 = keys;
            weights.inner[(((piece * HEADS) + 0u) * 64u) + lane] = (lane < _e3463) ? _e3462 : 0.0;
            if (lane == 0u) {
                float _e3475 = peak0_;
                peaks.inner[(piece * HEADS) + 0u] = _e3475;
            }
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
            if (naga_div(lane, 8u) < HEADS) {
                sum_1 = 0.0;
                j_2 = naga_mod(lane, 8u);
                uint2 loop_bound_9 = uint2(4294967295u);
                bool loop_init_9 = true;
                while(true) {
                    if (metal::all(loop_bound_9 == uint2(0u))) { break; }
                    loop_bound_9 -= uint2(loop_bound_9.y == 0u, 1u);
                    if (!loop_init_9) {
                        uint _e3495 = j_2;
                        j_2 = _e3495 + 8u;
                    }
                    loop_init_9 = false;
                    uint _e3485 = j_2;
                    uint _e3486 = keys;
                    if (_e3485 < _e3486) {
                    } else {
                        break;
                    }
                    {
                        float _e3488 = sum_1;
                        uint _e3490 = j_2;
                        float _e3493 = weights.inner[eighth + _e3490];
                        sum_1 = _e3488 + _e3493;
                    }
                }
                float _e3505 = sum_1;
                parts.inner[((piece * HEADS) * 8u) + lane] = _e3505;
            }
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
            if (lane < HEADS) {
                uint at_2 = ((piece * HEADS) + lane) * 8u;
                float _e3520 = parts.inner[at_2];
                float _e3525 = parts.inner[at_2 + 1u];
                float _e3530 = parts.inner[at_2 + 2u];
                float _e3535 = parts.inner[at_2 + 3u];
                float _e3540 = parts.inner[at_2 + 4u];
                float _e3545 = parts.inner[at_2 + 5u];
                float _e3550 = parts.inner[at_2 + 6u];
                float _e3555 = parts.inner[at_2 + 7u];
                float _e3556 = tree8_(_e3520, _e3525, _e3530, _e3535, _e3540, _e3545, _e3550, _e3555);
                sums.inner[(piece * HEADS) + lane] = _e3556;
            }
            sum0_0_ = metal::float2(0.0);
            if ((lane + 0u) < WORDS) {
                uint mine0_ = own.inner[WORDS + word0_];
                uint _e3569 = early0_0_0_;
                metal::float2 v0_0_ = float2(as_type<half2>(((((first + 0u) + 0u) >= position) ? mine0_ : _e3569)));
                float _e3585 = weights.inner[((piece * 64u) + 0u) + 0u];
                metal::float2 _e3587 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3585), v0_0_, _e3587);
                uint _e3589 = early0_0_1_;
                metal::float2 v0_1_ = float2(as_type<half2>(((((first + 0u) + 1u) >= position) ? mine0_ : _e3589)));
                float _e3605 = weights.inner[((piece * 64u) + 0u) + 1u];
                metal::float2 _e3607 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3605), v0_1_, _e3607);
                uint _e3609 = early0_0_2_;
                metal::float2 v0_2_ = float2(as_type<half2>(((((first + 0u) + 2u) >= position) ? mine0_ : _e3609)));
                float _e3625 = weights.inner[((piece * 64u) + 0u) + 2u];
                metal::float2 _e3627 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3625), v0_2_, _e3627);
                uint _e3629 = early0_0_3_;
                metal::float2 v0_3_ = float2(as_type<half2>(((((first + 0u) + 3u) >= position) ? mine0_ : _e3629)));
                float _e3645 = weights.inner[((piece * 64u) + 0u) + 3u];
                metal::float2 _e3647 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3645), v0_3_, _e3647);
                uint _e3649 = early0_0_4_;
                metal::float2 v0_4_ = float2(as_type<half2>(((((first + 0u) + 4u) >= position) ? mine0_ : _e3649)));
                float _e3665 = weights.inner[((piece * 64u) + 0u) + 4u];
                metal::float2 _e3667 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3665), v0_4_, _e3667);
                uint _e3669 = early0_0_5_;
                metal::float2 v0_5_ = float2(as_type<half2>(((((first + 0u) + 5u) >= position) ? mine0_ : _e3669)));
                float _e3685 = weights.inner[((piece * 64u) + 0u) + 5u];
                metal::float2 _e3687 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3685), v0_5_, _e3687);
                uint _e3689 = early0_0_6_;
                metal::float2 v0_6_ = float2(as_type<half2>(((((first + 0u) + 6u) >= position) ? mine0_ : _e3689)));
                float _e3705 = weights.inner[((piece * 64u) + 0u) + 6u];
                metal::float2 _e3707 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3705), v0_6_, _e3707);
                uint _e3709 = early0_0_7_;
                metal::float2 v0_7_ = float2(as_type<half2>(((((first + 0u) + 7u) >= position) ? mine0_ : _e3709)));
                float _e3725 = weights.inner[((piece * 64u) + 0u) + 7u];
                metal::float2 _e3727 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3725), v0_7_, _e3727);
                uint _e3729 = early0_0_8_;
                metal::float2 v0_8_ = float2(as_type<half2>(((((first + 0u) + 8u) >= position) ? mine0_ : _e3729)));
                float _e3745 = weights.inner[((piece * 64u) + 0u) + 8u];
                metal::float2 _e3747 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3745), v0_8_, _e3747);
                uint _e3749 = early0_0_9_;
                metal::float2 v0_9_ = float2(as_type<half2>(((((first + 0u) + 9u) >= position) ? mine0_ : _e3749)));
                float _e3765 = weights.inner[((piece * 64u) + 0u) + 9u];
                metal::float2 _e3767 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3765), v0_9_, _e3767);
                uint _e3769 = early0_0_10_;
                metal::float2 v0_10_ = float2(as_type<half2>(((((first + 0u) + 10u) >= position) ? mine0_ : _e3769)));
                float _e3785 = weights.inner[((piece * 64u) + 0u) + 10u];
                metal::float2 _e3787 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3785), v0_10_, _e3787);
                uint _e3789 = early0_0_11_;
                metal::float2 v0_11_ = float2(as_type<half2>(((((first + 0u) + 11u) >= position) ? mine0_ : _e3789)));
                float _e3805 = weights.inner[((piece * 64u) + 0u) + 11u];
                metal::float2 _e3807 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3805), v0_11_, _e3807);
                uint _e3809 = early0_0_12_;
                metal::float2 v0_12_ = float2(as_type<half2>(((((first + 0u) + 12u) >= position) ? mine0_ : _e3809)));
                float _e3825 = weights.inner[((piece * 64u) + 0u) + 12u];
                metal::float2 _e3827 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3825), v0_12_, _e3827);
                uint _e3829 = early0_0_13_;
                metal::float2 v0_13_ = float2(as_type<half2>(((((first + 0u) + 13u) >= position) ? mine0_ : _e3829)));
                float _e3845 = weights.inner[((piece * 64u) + 0u) + 13u];
                metal::float2 _e3847 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3845), v0_13_, _e3847);
                uint _e3849 = early0_0_14_;
                metal::float2 v0_14_ = float2(as_type<half2>(((((first + 0u) + 14u) >= position) ? mine0_ : _e3849)));
                float _e3865 = weights.inner[((piece * 64u) + 0u) + 14u];
                metal::float2 _e3867 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3865), v0_14_, _e3867);
                uint _e3869 = early0_0_15_;
                metal::float2 v0_15_ = float2(as_type<half2>(((((first + 0u) + 15u) >= position) ? mine0_ : _e3869)));
                float _e3885 = weights.inner[((piece * 64u) + 0u) + 15u];
                metal::float2 _e3887 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3885), v0_15_, _e3887);
                uint _e3889 = early0_1_0_;
                metal::float2 v1_0_ = float2(as_type<half2>(((((first + 16u) + 0u) >= position) ? mine0_ : _e3889)));
                float _e3905 = weights.inner[((piece * 64u) + 16u) + 0u];
                metal::float2 _e3907 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3905), v1_0_, _e3907);
                uint _e3909 = early0_1_1_;
                metal::float2 v1_1_ = float2(as_type<half2>(((((first + 16u) + 1u) >= position) ? mine0_ : _e3909)));
                float _e3925 = weights.inner[((piece * 64u) + 16u) + 1u];
                metal::float2 _e3927 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3925), v1_1_, _e3927);
                uint _e3929 = early0_1_2_;
                metal::float2 v1_2_ = float2(as_type<half2>(((((first + 16u) + 2u) >= position) ? mine0_ : _e3929)));
                float _e3945 = weights.inner[((piece * 64u) + 16u) + 2u];
                metal::float2 _e3947 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3945), v1_2_, _e3947);
                uint _e3949 = early0_1_3_;
                metal::float2 v1_3_ = float2(as_type<half2>(((((first + 16u) + 3u) >= position) ? mine0_ : _e3949)));
                float _e3965 = weights.inner[((piece * 64u) + 16u) + 3u];
                metal::float2 _e3967 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3965), v1_3_, _e3967);
                uint _e3969 = early0_1_4_;
                metal::float2 v1_4_ = float2(as_type<half2>(((((first + 16u) + 4u) >= position) ? mine0_ : _e3969)));
                float _e3985 = weights.inner[((piece * 64u) + 16u) + 4u];
                metal::float2 _e3987 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e3985), v1_4_, _e3987);
                uint _e3989 = early0_1_5_;
                metal::float2 v1_5_ = float2(as_type<half2>(((((first + 16u) + 5u) >= position) ? mine0_ : _e3989)));
                float _e4005 = weights.inner[((piece * 64u) + 16u) + 5u];
                metal::float2 _e4007 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e4005), v1_5_, _e4007);
                uint _e4009 = early0_1_6_;
                metal::float2 v1_6_ = float2(as_type<half2>(((((first + 16u) + 6u) >= position) ? mine0_ : _e4009)));
                float _e4025 = weights.inner[((piece * 64u) + 16u) + 6u];
                metal::float2 _e4027 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e4025), v1_6_, _e4027);
                uint _e4029 = early0_1_7_;
                metal::float2 v1_7_ = float2(as_type<half2>(((((first + 16u) + 7u) >= position) ? mine0_ : _e4029)));
                float _e4045 = weights.inner[((piece * 64u) + 16u) + 7u];
                metal::float2 _e4047 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e4045), v1_7_, _e4047);
                uint _e4049 = early0_1_8_;
                metal::float2 v1_8_ = float2(as_type<half2>(((((first + 16u) + 8u) >= position) ? mine0_ : _e4049)));
                float _e4065 = weights.inner[((piece * 64u) + 16u) + 8u];
                metal::float2 _e4067 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e4065), v1_8_, _e4067);
                uint _e4069 = early0_1_9_;
                metal::float2 v1_9_ = float2(as_type<half2>(((((first + 16u) + 9u) >= position) ? mine0_ : _e4069)));
                float _e4085 = weights.inner[((piece * 64u) + 16u) + 9u];
                metal::float2 _e4087 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e4085), v1_9_, _e4087);
                uint _e4089 = early0_1_10_;
                metal::float2 v1_10_ = float2(as_type<half2>(((((first + 16u) + 10u) >= position) ? mine0_ : _e4089)));
                float _e4105 = weights.inner[((piece * 64u) + 16u) + 10u];
                metal::float2 _e4107 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e4105), v1_10_, _e4107);
                uint _e4109 = early0_1_11_;
                metal::float2 v1_11_ = float2(as_type<half2>(((((first + 16u) + 11u) >= position) ? mine0_ : _e4109)));
                float _e4125 = weights.inner[((piece * 64u) + 16u) + 11u];
                metal::float2 _e4127 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e4125), v1_11_, _e4127);
                uint _e4129 = early0_1_12_;
                metal::float2 v1_12_ = float2(as_type<half2>(((((first + 16u) + 12u) >= position) ? mine0_ : _e4129)));
                float _e4145 = weights.inner[((piece * 64u) + 16u) + 12u];
                metal::float2 _e4147 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e4145), v1_12_, _e4147);
                uint _e4149 = early0_1_13_;
                metal::float2 v1_13_ = float2(as_type<half2>(((((first + 16u) + 13u) >= position) ? mine0_ : _e4149)));
                float _e4165 = weights.inner[((piece * 64u) + 16u) + 13u];
                metal::float2 _e4167 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e4165), v1_13_, _e4167);
                uint _e4169 = early0_1_14_;
                metal::float2 v1_14_ = float2(as_type<half2>(((((first + 16u) + 14u) >= position) ? mine0_ : _e4169)));
                float _e4185 = weights.inner[((piece * 64u) + 16u) + 14u];
                metal::float2 _e4187 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e4185), v1_14_, _e4187);
                uint _e4189 = early0_1_15_;
                metal::float2 v1_15_ = float2(as_type<half2>(((((first + 16u) + 15u) >= position) ? mine0_ : _e4189)));
                float _e4205 = weights.inner[((piece * 64u) + 16u) + 15u];
                metal::float2 _e4207 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e4205), v1_15_, _e4207);
                uint _e4209 = early0_2_0_;
                metal::float2 v2_0_ = float2(as_type<half2>(((((first + 32u) + 0u) >= position) ? mine0_ : _e4209)));
                float _e4225 = weights.inner[((piece * 64u) + 32u) + 0u];
                metal::float2 _e4227 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e4225), v2_0_, _e4227);
                uint _e4229 = early0_2_1_;
                metal::float2 v2_1_ = float2(as_type<half2>(((((first + 32u) + 1u) >= position) ? mine0_ : _e4229)));
                float _e4245 = weights.inner[((piece * 64u) + 32u) + 1u];
                metal::float2 _e4247 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e4245), v2_1_, _e4247);
                uint _e4249 = early0_2_2_;
                metal::float2 v2_2_ = float2(as_type<half2>(((((first + 32u) + 2u) >= position) ? mine0_ : _e4249)));
                float _e4265 = weights.inner[((piece * 64u) + 32u) + 2u];
                metal::float2 _e4267 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e4265), v2_2_, _e4267);
                uint _e4269 = early0_2_3_;
                metal::float2 v2_3_ = float2(as_type<half2>(((((first + 32u) + 3u) >= position) ? mine0_ : _e4269)));
                float _e4285 = weights.inner[((piece * 64u) + 32u) + 3u];
                metal::float2 _e4287 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e4285), v2_3_, _e4287);
                uint _e4289 = early0_2_4_;
                metal::float2 v2_4_ = float2(as_type<half2>(((((first + 32u) + 4u) >= position) ? mine0_ : _e4289)));
                float _e4305 = weights.inner[((piece * 64u) + 32u) + 4u];
                metal::float2 _e4307 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e4305), v2_4_, _e4307);
                uint _e4309 = early0_2_5_;
                metal::float2 v2_5_ = float2(as_type<half2>(((((first + 32u) + 5u) >= position) ? mine0_ : _e4309)));
                float _e4325 = weights.inner[((piece * 64u) + 32u) + 5u];
                metal::float2 _e4327 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e4325), v2_5_, _e4327);
                uint _e4329 = early0_2_6_;
                metal::float2 v2_6_ = float2(as_type<half2>(((((first + 32u) + 6u) >= position) ? mine0_ : _e4329)));
                float _e4345 = weights.inner[((piece * 64u) + 32u) + 6u];
                metal::float2 _e4347 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e4345), v2_6_, _e4347);
                uint _e4349 = early0_2_7_;
                metal::float2 v2_7_ = float2(as_type<half2>(((((first + 32u) + 7u) >= position) ? mine0_ : _e4349)));
                float _e4365 = weights.inner[((piece * 64u) + 32u) + 7u];
                metal::float2 _e4367 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e4365), v2_7_, _e4367);
                uint _e4369 = early0_2_8_;
                metal::float2 v2_8_ = float2(as_type<half2>(((((first + 32u) + 8u) >= position) ? mine0_ : _e4369)));
                float _e4385 = weights.inner[((piece * 64u) + 32u) + 8u];
                metal::float2 _e4387 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e4385), v2_8_, _e4387);
                uint _e4389 = early0_2_9_;
                metal::float2 v2_9_ = float2(as_type<half2>(((((first + 32u) + 9u) >= position) ? mine0_ : _e4389)));
                float _e4405 = weights.inner[((piece * 64u) + 32u) + 9u];
                metal::float2 _e4407 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e4405), v2_9_, _e4407);
                uint _e4409 = early0_2_10_;
                metal::float2 v2_10_ = float2(as_type<half2>(((((first + 32u) + 10u) >= position) ? mine0_ : _e4409)));
                float _e4425 = weights.inner[((piece * 64u) + 32u) + 10u];
                metal::float2 _e4427 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e4425), v2_10_, _e4427);
                uint _e4429 = early0_2_11_;
                metal::float2 v2_11_ = float2(as_type<half2>(((((first + 32u) + 11u) >= position) ? mine0_ : _e4429)));
                float _e4445 = weights.inner[((piece * 64u) + 32u) + 11u];
                metal::float2 _e4447 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e4445), v2_11_, _e4447);
                uint _e4449 = early0_2_12_;
                metal::float2 v2_12_ = float2(as_type<half2>(((((first + 32u) + 12u) >= position) ? mine0_ : _e4449)));
                float _e4465 = weights.inner[((piece * 64u) + 32u) + 12u];
                metal::float2 _e4467 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e4465), v2_12_, _e4467);
                uint _e4469 = early0_2_13_;
                metal::float2 v2_13_ = float2(as_type<half2>(((((first + 32u) + 13u) >= position) ? mine0_ : _e4469)));
                float _e4485 = weights.inner[((piece * 64u) + 32u) + 13u];
                metal::float2 _e4487 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e4485), v2_13_, _e4487);
                uint _e4489 = early0_2_14_;
                metal::float2 v2_14_ = float2(as_type<half2>(((((first + 32u) + 14u) >= position) ? mine0_ : _e4489)));
                float _e4505 = weights.inner[((piece * 64u) + 32u) + 14u];
                metal::float2 _e4507 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e4505), v2_14_, _e4507);
                uint _e4509 = early0_2_15_;
                metal::float2 v2_15_ = float2(as_type<half2>(((((first + 32u) + 15u) >= position) ? mine0_ : _e4509)));
                float _e4525 = weights.inner[((piece * 64u) + 32u) + 15u];
                metal::float2 _e4527 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e4525), v2_15_, _e4527);
                uint _e4529 = early0_3_0_;
                metal::float2 v3_0_ = float2(as_type<half2>(((((first + 48u) + 0u) >= position) ? mine0_ : _e4529)));
                float _e4545 = weights.inner[((piece * 64u) + 48u) + 0u];
                metal::float2 _e4547 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e4545), v3_0_, _e4547);
                uint _e4549 = early0_3_1_;
                metal::float2 v3_1_ = float2(as_type<half2>(((((first + 48u) + 1u) >= position) ? mine0_ : _e4549)));
                float _e4565 = weights.inner[((piece * 64u) + 48u) + 1u];
                metal::float2 _e4567 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e4565), v3_1_, _e4567);
                uint _e4569 = early0_3_2_;
                metal::float2 v3_2_ = float2(as_type<half2>(((((first + 48u) + 2u) >= position) ? mine0_ : _e4569)));
                float _e4585 = weights.inner[((piece * 64u) + 48u) + 2u];
                metal::float2 _e4587 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e4585), v3_2_, _e4587);
                uint _e4589 = early0_3_3_;
                metal::float2 v3_3_ = float2(as_type<half2>(((((first + 48u) + 3u) >= position) ? mine0_ : _e4589)));
                float _e4605 = weights.inner[((piece * 64u) + 48u) + 3u];
                metal::float2 _e4607 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e4605), v3_3_, _e4607);
                uint _e4609 = early0_3_4_;
                metal::float2 v3_4_ = float2(as_type<half2>(((((first + 48u) + 4u) >= position) ? mine0_ : _e4609)));
                float _e4625 = weights.inner[((piece * 64u) + 48u) + 4u];
                metal::float2 _e4627 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e4625), v3_4_, _e4627);
                uint _e4629 = early0_3_5_;
                metal::float2 v3_5_ = float2(as_type<half2>(((((first + 48u) + 5u) >= position) ? mine0_ : _e4629)));
                float _e4645 = weights.inner[((piece * 64u) + 48u) + 5u];
                metal::float2 _e4647 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e4645), v3_5_, _e4647);
                uint _e4649 = early0_3_6_;
                metal::float2 v3_6_ = float2(as_type<half2>(((((first + 48u) + 6u) >= position) ? mine0_ : _e4649)));
                float _e4665 = weights.inner[((piece * 64u) + 48u) + 6u];
                metal::float2 _e4667 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e4665), v3_6_, _e4667);
                uint _e4669 = early0_3_7_;
                metal::float2 v3_7_ = float2(as_type<half2>(((((first + 48u) + 7u) >= position) ? mine0_ : _e4669)));
                float _e4685 = weights.inner[((piece * 64u) + 48u) + 7u];
                metal::float2 _e4687 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e4685), v3_7_, _e4687);
                uint _e4689 = early0_3_8_;
                metal::float2 v3_8_ = float2(as_type<half2>(((((first + 48u) + 8u) >= position) ? mine0_ : _e4689)));
                float _e4705 = weights.inner[((piece * 64u) + 48u) + 8u];
                metal::float2 _e4707 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e4705), v3_8_, _e4707);
                uint _e4709 = early0_3_9_;
                metal::float2 v3_9_ = float2(as_type<half2>(((((first + 48u) + 9u) >= position) ? mine0_ : _e4709)));
                float _e4725 = weights.inner[((piece * 64u) + 48u) + 9u];
                metal::float2 _e4727 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e4725), v3_9_, _e4727);
                uint _e4729 = early0_3_10_;
                metal::float2 v3_10_ = float2(as_type<half2>(((((first + 48u) + 10u) >= position) ? mine0_ : _e4729)));
                float _e4745 = weights.inner[((piece * 64u) + 48u) + 10u];
                metal::float2 _e4747 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e4745), v3_10_, _e4747);
                uint _e4749 = early0_3_11_;
                metal::float2 v3_11_ = float2(as_type<half2>(((((first + 48u) + 11u) >= position) ? mine0_ : _e4749)));
                float _e4765 = weights.inner[((piece * 64u) + 48u) + 11u];
                metal::float2 _e4767 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e4765), v3_11_, _e4767);
                uint _e4769 = early0_3_12_;
                metal::float2 v3_12_ = float2(as_type<half2>(((((first + 48u) + 12u) >= position) ? mine0_ : _e4769)));
                float _e4785 = weights.inner[((piece * 64u) + 48u) + 12u];
                metal::float2 _e4787 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e4785), v3_12_, _e4787);
                uint _e4789 = early0_3_13_;
                metal::float2 v3_13_ = float2(as_type<half2>(((((first + 48u) + 13u) >= position) ? mine0_ : _e4789)));
                float _e4805 = weights.inner[((piece * 64u) + 48u) + 13u];
                metal::float2 _e4807 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e4805), v3_13_, _e4807);
                uint _e4809 = early0_3_14_;
                metal::float2 v3_14_ = float2(as_type<half2>(((((first + 48u) + 14u) >= position) ? mine0_ : _e4809)));
                float _e4825 = weights.inner[((piece * 64u) + 48u) + 14u];
                metal::float2 _e4827 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e4825), v3_14_, _e4827);
                uint _e4829 = early0_3_15_;
                metal::float2 v3_15_ = float2(as_type<half2>(((((first + 48u) + 15u) >= position) ? mine0_ : _e4829)));
                float _e4845 = weights.inner[((piece * 64u) + 48u) + 15u];
                metal::float2 _e4847 = sum0_0_;
                sum0_0_ = metal::fma(metal::float2(_e4845), v3_15_, _e4847);
                metal::float2 _e4858 = sum0_0_;
                outs.inner[(((piece * HEADS) + 0u) * WORDS) + word0_] = _e4858;
            }
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
            if (piece == 0u) {
                uint _e4861 = start;
                if ((_e4861 + 0u) < count) {
                    uint _e4865 = start;
                    bool first_of_all = (_e4865 + 0u) == 0u;
                    float peak_c0_ = peaks.inner[0];
                    float _e4873 = total_max0_;
                    if (!(first_of_all)) {
                        float _e4877 = total_max0_;
                        local_4 = peak_c0_ > _e4877;
                    } else {
                        local_4 = true;
                    }
                    bool _e4880 = local_4;
                    float merged0_ = _e4880 ? peak_c0_ : _e4873;
                    float _e4882 = total_max0_;
                    float _e4884 = exp_law(_e4882 - merged0_);
                    float _e4886 = exp_law(peak_c0_ - merged0_);
                    if ((lane + 0u) < WORDS) {
                        metal::float2 part0_0_ = outs.inner[0u + word0_];
                        metal::float2 _e4896 = out0_0_;
                        out0_0_ = first_of_all ? part0_0_ : metal::fma(_e4896, metal::float2(_e4884), part0_0_ * _e4886);
                    }
                    float s0_ = sums.inner[0];
                    float _e4904 = total_sum0_;
                    total_sum0_ = first_of_all ? s0_ : metal::fma(_e4904, _e4884, s0_ * _e4886);
                    total_max0_ = merged0_;
                }
                uint _e4908 = start;
                if ((_e4908 + 64u) < count) {
                    uint _e4912 = start;
                    bool first_of_all_1 = (_e4912 + 1u) == 0u;
                    float peak_c0_1 = peaks.inner[1];
                    float _e4920 = total_max0_;
                    if (!(first_of_all_1)) {
                        float _e4924 = total_max0_;
                        local_5 = peak_c0_1 > _e4924;
                    } else {
                        local_5 = true;
                    }
                    bool _e4927 = local_5;
                    float merged0_1 = _e4927 ? peak_c0_1 : _e4920;
                    float _e4929 = total_max0_;
                    float _e4931 = exp_law(_e4929 - merged0_1);
                    float _e4933 = exp_law(peak_c0_1 - merged0_1);
                    if ((lane + 0u) < WORDS) {
                        metal::float2 part0_0_1 = outs.inner[32u + word0_];
                        metal::float2 _e4943 = out0_0_;
                        out0_0_ = first_of_all_1 ? part0_0_1 : metal::fma(_e4943, metal::float2(_e4931), part0_0_1 * _e4933);
                    }
                    float s0_1 = sums.inner[1];
                    float _e4951 = total_sum0_;
                    total_sum0_ = first_of_all_1 ? s0_1 : metal::fma(_e4951, _e4931, s0_1 * _e4933);
                    total_max0_ = merged0_1;
                }
                uint _e4955 = start;
                if ((_e4955 + 128u) < count) {
                    uint _e4959 = start;
                    bool first_of_all_2 = (_e4959 + 2u) == 0u;
                    float peak_c0_2 = peaks.inner[2];
                    float _e4967 = total_max0_;
                    if (!(first_of_all_2)) {
                        float _e4971 = total_max0_;
                        local_6 = peak_c0_2 > _e4971;
                    } else {
                        local_6 = true;
                    }
                    bool _e4974 = local_6;
                    float merged0_2 = _e4974 ? peak_c0_2 : _e4967;
                    float _e4976 = total_max0_;
                    float _e4978 = exp_law(_e4976 - merged0_2);
                    float _e4980 = exp_law(peak_c0_2 - merged0_2);
                    if ((lane + 0u) < WORDS) {
                        metal::float2 part0_0_2 = outs.inner[64u + word0_];
                        metal::float2 _e4990 = out0_0_;
                        out0_0_ = first_of_all_2 ? part0_0_2 : metal::fma(_e4990, metal::float2(_e4978), part0_0_2 * _e4980);
                    }
                    float s0_2 = sums.inner[2];
                    float _e4998 = total_sum0_;
                    total_sum0_ = first_of_all_2 ? s0_2 : metal::fma(_e4998, _e4978, s0_2 * _e4980);
                    total_max0_ = merged0_2;
                }
                uint _e5002 = start;
                if ((_e5002 + 192u) < count) {
                    uint _e5006 = start;
                    bool first_of_all_3 = (_e5006 + 3u) == 0u;
                    float peak_c0_3 = peaks.inner[3];
                    float _e5014 = total_max0_;
                    if (!(first_of_all_3)) {
                        float _e5018 = total_max0_;
                        local_7 = peak_c0_3 > _e5018;
                    } else {
                        local_7 = true;
                    }
                    bool _e5021 = local_7;
                    float merged0_3 = _e5021 ? peak_c0_3 : _e5014;
                    float _e5023 = total_max0_;
                    float _e5025 = exp_law(_e5023 - merged0_3);
                    float _e5027 = exp_law(peak_c0_3 - merged0_3);
                    if ((lane + 0u) < WORDS) {
                        metal::float2 part0_0_3 = outs.inner[96u + word0_];
                        metal::float2 _e5037 = out0_0_;
                        out0_0_ = first_of_all_3 ? part0_0_3 : metal::fma(_e5037, metal::float2(_e5025), part0_0_3 * _e5027);
                    }
                    float s0_3 = sums.inner[3];
                    float _e5045 = total_sum0_;
                    total_sum0_ = first_of_all_3 ? s0_3 : metal::fma(_e5045, _e5025, s0_3 * _e5027);
                    total_max0_ = merged0_3;
                }
            }
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
        }
    }
    if (piece == 0u) {
        uint word0_1 = lane + 0u;
        if (word0_1 < WORDS) {
            uint _e5060 = p_1.out;
            uint _e5063 = p_1.out_cols;
            uint to0_ = ((_e5060 + (row * _e5063)) + ((head + 0u) * HEAD_DIM)) + (2u * word0_1);
            metal::float2 _e5074 = out0_0_;
            float _e5075 = total_sum0_;
            metal::float2 y0_ = _e5074 / metal::float2(_e5075);
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
