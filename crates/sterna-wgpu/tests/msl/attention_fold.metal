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
    uint j_3 = {};
    uint value0_ = {};
    uint value1_ = {};
    uint value2_ = {};
    uint value3_ = {};
    uint value4_ = {};
    uint value5_ = {};
    uint value6_ = {};
    uint value7_ = {};
    uint value8_ = {};
    uint value9_ = {};
    uint value10_ = {};
    uint value11_ = {};
    uint value12_ = {};
    uint value13_ = {};
    uint value14_ = {};
    uint value15_ = {};
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
            uint _e3156 = start;
            start = _e3156 + 256u;
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
            acc0_ = 0.0;
            uint _e407 = keys;
            if (lane < _e407) {
                uint _e414 = p_1.kv_words;
                uint key = base + (((first + lane) * 2u) * _e414);
                w = 0u;
                uint2 loop_bound_7 = uint2(4294967295u);
                bool loop_init_7 = true;
                while(true) {
                    if (metal::all(loop_bound_7 == uint2(0u))) { break; }
                    loop_bound_7 -= uint2(loop_bound_7.y == 0u, 1u);
                    if (!loop_init_7) {
                        uint _e1872 = w;
                        w = _e1872 + 32u;
                    }
                    loop_init_7 = false;
                    uint _e419 = w;
                    if (_e419 < WORDS) {
                    } else {
                        break;
                    }
                    {
                        uint _e423 = w;
                        metal::uint4 _e430 = state[naga_div(key + _e423, 4u) + 0u];
                        k0_ = _e430;
                        uint _e433 = w;
                        metal::uint4 _e440 = state[naga_div(key + _e433, 4u) + 1u];
                        k1_ = _e440;
                        uint _e443 = w;
                        metal::uint4 _e450 = state[naga_div(key + _e443, 4u) + 2u];
                        k2_ = _e450;
                        uint _e453 = w;
                        metal::uint4 _e460 = state[naga_div(key + _e453, 4u) + 3u];
                        k3_ = _e460;
                        uint _e463 = w;
                        metal::uint4 _e470 = state[naga_div(key + _e463, 4u) + 4u];
                        k4_ = _e470;
                        uint _e473 = w;
                        metal::uint4 _e480 = state[naga_div(key + _e473, 4u) + 5u];
                        k5_ = _e480;
                        uint _e483 = w;
                        metal::uint4 _e490 = state[naga_div(key + _e483, 4u) + 6u];
                        k6_ = _e490;
                        uint _e493 = w;
                        metal::uint4 _e500 = state[naga_div(key + _e493, 4u) + 7u];
                        k7_ = _e500;
                        if ((first + lane) == position) {
                            uint _e505 = w;
                            uint _e509 = own.inner[_e505 + 0u];
                            uint _e511 = w;
                            uint _e517 = own.inner[(_e511 + 0u) + 1u];
                            uint _e519 = w;
                            uint _e525 = own.inner[(_e519 + 0u) + 2u];
                            uint _e527 = w;
                            uint _e533 = own.inner[(_e527 + 0u) + 3u];
                            k0_ = metal::uint4(_e509, _e517, _e525, _e533);
                            uint _e536 = w;
                            uint _e540 = own.inner[_e536 + 4u];
                            uint _e542 = w;
                            uint _e548 = own.inner[(_e542 + 4u) + 1u];
                            uint _e550 = w;
                            uint _e556 = own.inner[(_e550 + 4u) + 2u];
                            uint _e558 = w;
                            uint _e564 = own.inner[(_e558 + 4u) + 3u];
                            k1_ = metal::uint4(_e540, _e548, _e556, _e564);
                            uint _e567 = w;
                            uint _e571 = own.inner[_e567 + 8u];
                            uint _e573 = w;
                            uint _e579 = own.inner[(_e573 + 8u) + 1u];
                            uint _e581 = w;
                            uint _e587 = own.inner[(_e581 + 8u) + 2u];
                            uint _e589 = w;
                            uint _e595 = own.inner[(_e589 + 8u) + 3u];
                            k2_ = metal::uint4(_e571, _e579, _e587, _e595);
                            uint _e598 = w;
                            uint _e602 = own.inner[_e598 + 12u];
                            uint _e604 = w;
                            uint _e610 = own.inner[(_e604 + 12u) + 1u];
                            uint _e612 = w;
                            uint _e618 = own.inner[(_e612 + 12u) + 2u];
                            uint _e620 = w;
                            uint _e626 = own.inner[(_e620 + 12u) + 3u];
                            k3_ = metal::uint4(_e602, _e610, _e618, _e626);
                            uint _e629 = w;
                            uint _e633 = own.inner[_e629 + 16u];
                            uint _e635 = w;
                            uint _e641 = own.inner[(_e635 + 16u) + 1u];
                            uint _e643 = w;
                            uint _e649 = own.inner[(_e643 + 16u) + 2u];
                            uint _e651 = w;
                            uint _e657 = own.inner[(_e651 + 16u) + 3u];
                            k4_ = metal::uint4(_e633, _e641, _e649, _e657);
                            uint _e660 = w;
                            uint _e664 = own.inner[_e660 + 20u];
                            uint _e666 = w;
                            uint _e672 = own.inner[(_e666 + 20u) + 1u];
                            uint _e674 = w;
                            uint _e680 = own.inner[(_e674 + 20u) + 2u];
                            uint _e682 = w;
                            uint _e688 = own.inner[(_e682 + 20u) + 3u];
                            k5_ = metal::uint4(_e664, _e672, _e680, _e688);
                            uint _e691 = w;
                            uint _e695 = own.inner[_e691 + 24u];
                            uint _e697 = w;
                            uint _e703 = own.inner[(_e697 + 24u) + 1u];
                            uint _e705 = w;
                            uint _e711 = own.inner[(_e705 + 24u) + 2u];
                            uint _e713 = w;
                            uint _e719 = own.inner[(_e713 + 24u) + 3u];
                            k6_ = metal::uint4(_e695, _e703, _e711, _e719);
                            uint _e722 = w;
                            uint _e726 = own.inner[_e722 + 28u];
                            uint _e728 = w;
                            uint _e734 = own.inner[(_e728 + 28u) + 1u];
                            uint _e736 = w;
                            uint _e742 = own.inner[(_e736 + 28u) + 2u];
                            uint _e744 = w;
                            uint _e750 = own.inner[(_e744 + 28u) + 3u];
                            k7_ = metal::uint4(_e726, _e734, _e742, _e750);
                        }
                        uint _e753 = k0_.x;
                        metal::float2 k0_0_ = float2(as_type<half2>(_e753));
                        uint _e758 = w;
                        float _e766 = query.inner[0u + (2u * ((_e758 + 0u) + 0u))];
                        float _e768 = acc0_;
                        acc0_ = metal::fma(_e766, k0_0_.x, _e768);
                        uint _e773 = w;
                        float _e783 = query.inner[(0u + (2u * ((_e773 + 0u) + 0u))) + 1u];
                        float _e785 = acc0_;
                        acc0_ = metal::fma(_e783, k0_0_.y, _e785);
                        uint _e788 = k0_.y;
                        metal::float2 k0_1_ = float2(as_type<half2>(_e788));
                        uint _e793 = w;
                        float _e801 = query.inner[0u + (2u * ((_e793 + 0u) + 1u))];
                        float _e803 = acc0_;
                        acc0_ = metal::fma(_e801, k0_1_.x, _e803);
                        uint _e808 = w;
                        float _e818 = query.inner[(0u + (2u * ((_e808 + 0u) + 1u))) + 1u];
                        float _e820 = acc0_;
                        acc0_ = metal::fma(_e818, k0_1_.y, _e820);
                        uint _e823 = k0_.z;
                        metal::float2 k0_2_ = float2(as_type<half2>(_e823));
                        uint _e828 = w;
                        float _e836 = query.inner[0u + (2u * ((_e828 + 0u) + 2u))];
                        float _e838 = acc0_;
                        acc0_ = metal::fma(_e836, k0_2_.x, _e838);
                        uint _e843 = w;
                        float _e853 = query.inner[(0u + (2u * ((_e843 + 0u) + 2u))) + 1u];
                        float _e855 = acc0_;
                        acc0_ = metal::fma(_e853, k0_2_.y, _e855);
                        uint _e858 = k0_.w;
                        metal::float2 k0_3_ = float2(as_type<half2>(_e858));
                        uint _e863 = w;
                        float _e871 = query.inner[0u + (2u * ((_e863 + 0u) + 3u))];
                        float _e873 = acc0_;
                        acc0_ = metal::fma(_e871, k0_3_.x, _e873);
                        uint _e878 = w;
                        float _e888 = query.inner[(0u + (2u * ((_e878 + 0u) + 3u))) + 1u];
                        float _e890 = acc0_;
                        acc0_ = metal::fma(_e888, k0_3_.y, _e890);
                        uint _e893 = k1_.x;
                        metal::float2 k1_0_ = float2(as_type<half2>(_e893));
                        uint _e898 = w;
                        float _e906 = query.inner[0u + (2u * ((_e898 + 4u) + 0u))];
                        float _e908 = acc0_;
                        acc0_ = metal::fma(_e906, k1_0_.x, _e908);
                        uint _e913 = w;
                        float _e923 = query.inner[(0u + (2u * ((_e913 + 4u) + 0u))) + 1u];
                        float _e925 = acc0_;
                        acc0_ = metal::fma(_e923, k1_0_.y, _e925);
                        uint _e928 = k1_.y;
                        metal::float2 k1_1_ = float2(as_type<half2>(_e928));
                        uint _e933 = w;
                        float _e941 = query.inner[0u + (2u * ((_e933 + 4u) + 1u))];
                        float _e943 = acc0_;
                        acc0_ = metal::fma(_e941, k1_1_.x, _e943);
                        uint _e948 = w;
                        float _e958 = query.inner[(0u + (2u * ((_e948 + 4u) + 1u))) + 1u];
                        float _e960 = acc0_;
                        acc0_ = metal::fma(_e958, k1_1_.y, _e960);
                        uint _e963 = k1_.z;
                        metal::float2 k1_2_ = float2(as_type<half2>(_e963));
                        uint _e968 = w;
                        float _e976 = query.inner[0u + (2u * ((_e968 + 4u) + 2u))];
                        float _e978 = acc0_;
                        acc0_ = metal::fma(_e976, k1_2_.x, _e978);
                        uint _e983 = w;
                        float _e993 = query.inner[(0u + (2u * ((_e983 + 4u) + 2u))) + 1u];
                        float _e995 = acc0_;
                        acc0_ = metal::fma(_e993, k1_2_.y, _e995);
                        uint _e998 = k1_.w;
                        metal::float2 k1_3_ = float2(as_type<half2>(_e998));
                        uint _e1003 = w;
                        float _e1011 = query.inner[0u + (2u * ((_e1003 + 4u) + 3u))];
                        float _e1013 = acc0_;
                        acc0_ = metal::fma(_e1011, k1_3_.x, _e1013);
                        uint _e1018 = w;
                        float _e1028 = query.inner[(0u + (2u * ((_e1018 + 4u) + 3u))) + 1u];
                        float _e1030 = acc0_;
                        acc0_ = metal::fma(_e1028, k1_3_.y, _e1030);
                        uint _e1033 = k2_.x;
                        metal::float2 k2_0_ = float2(as_type<half2>(_e1033));
                        uint _e1038 = w;
                        float _e1046 = query.inner[0u + (2u * ((_e1038 + 8u) + 0u))];
                        float _e1048 = acc0_;
                        acc0_ = metal::fma(_e1046, k2_0_.x, _e1048);
                        uint _e1053 = w;
                        float _e1063 = query.inner[(0u + (2u * ((_e1053 + 8u) + 0u))) + 1u];
                        float _e1065 = acc0_;
                        acc0_ = metal::fma(_e1063, k2_0_.y, _e1065);
                        uint _e1068 = k2_.y;
                        metal::float2 k2_1_ = float2(as_type<half2>(_e1068));
                        uint _e1073 = w;
                        float _e1081 = query.inner[0u + (2u * ((_e1073 + 8u) + 1u))];
                        float _e1083 = acc0_;
                        acc0_ = metal::fma(_e1081, k2_1_.x, _e1083);
                        uint _e1088 = w;
                        float _e1098 = query.inner[(0u + (2u * ((_e1088 + 8u) + 1u))) + 1u];
                        float _e1100 = acc0_;
                        acc0_ = metal::fma(_e1098, k2_1_.y, _e1100);
                        uint _e1103 = k2_.z;
                        metal::float2 k2_2_ = float2(as_type<half2>(_e1103));
                        uint _e1108 = w;
                        float _e1116 = query.inner[0u + (2u * ((_e1108 + 8u) + 2u))];
                        float _e1118 = acc0_;
                        acc0_ = metal::fma(_e1116, k2_2_.x, _e1118);
                        uint _e1123 = w;
                        float _e1133 = query.inner[(0u + (2u * ((_e1123 + 8u) + 2u))) + 1u];
                        float _e1135 = acc0_;
                        acc0_ = metal::fma(_e1133, k2_2_.y, _e1135);
                        uint _e1138 = k2_.w;
                        metal::float2 k2_3_ = float2(as_type<half2>(_e1138));
                        uint _e1143 = w;
                        float _e1151 = query.inner[0u + (2u * ((_e1143 + 8u) + 3u))];
                        float _e1153 = acc0_;
                        acc0_ = metal::fma(_e1151, k2_3_.x, _e1153);
                        uint _e1158 = w;
                        float _e1168 = query.inner[(0u + (2u * ((_e1158 + 8u) + 3u))) + 1u];
                        float _e1170 = acc0_;
                        acc0_ = metal::fma(_e1168, k2_3_.y, _e1170);
                        uint _e1173 = k3_.x;
                        metal::float2 k3_0_ = float2(as_type<half2>(_e1173));
                        uint _e1178 = w;
                        float _e1186 = query.inner[0u + (2u * ((_e1178 + 12u) + 0u))];
                        float _e1188 = acc0_;
                        acc0_ = metal::fma(_e1186, k3_0_.x, _e1188);
                        uint _e1193 = w;
                        float _e1203 = query.inner[(0u + (2u * ((_e1193 + 12u) + 0u))) + 1u];
                        float _e1205 = acc0_;
                        acc0_ = metal::fma(_e1203, k3_0_.y, _e1205);
                        uint _e1208 = k3_.y;
                        metal::float2 k3_1_ = float2(as_type<half2>(_e1208));
                        uint _e1213 = w;
                        float _e1221 = query.inner[0u + (2u * ((_e1213 + 12u) + 1u))];
                        float _e1223 = acc0_;
                        acc0_ = metal::fma(_e1221, k3_1_.x, _e1223);
                        uint _e1228 = w;
                        float _e1238 = query.inner[(0u + (2u * ((_e1228 + 12u) + 1u))) + 1u];
                        float _e1240 = acc0_;
                        acc0_ = metal::fma(_e1238, k3_1_.y, _e1240);
                        uint _e1243 = k3_.z;
                        metal::float2 k3_2_ = float2(as_type<half2>(_e1243));
                        uint _e1248 = w;
                        float _e1256 = query.inner[0u + (2u * ((_e1248 + 12u) + 2u))];
                        float _e1258 = acc0_;
                        acc0_ = metal::fma(_e1256, k3_2_.x, _e1258);
                        uint _e1263 = w;
                        float _e1273 = query.inner[(0u + (2u * ((_e1263 + 12u) + 2u))) + 1u];
                        float _e1275 = acc0_;
                        acc0_ = metal::fma(_e1273, k3_2_.y, _e1275);
                        uint _e1278 = k3_.w;
                        metal::float2 k3_3_ = float2(as_type<half2>(_e1278));
                        uint _e1283 = w;
                        float _e1291 = query.inner[0u + (2u * ((_e1283 + 12u) + 3u))];
                        float _e1293 = acc0_;
                        acc0_ = metal::fma(_e1291, k3_3_.x, _e1293);
                        uint _e1298 = w;
                        float _e1308 = query.inner[(0u + (2u * ((_e1298 + 12u) + 3u))) + 1u];
                        float _e1310 = acc0_;
                        acc0_ = metal::fma(_e1308, k3_3_.y, _e1310);
                        uint _e1313 = k4_.x;
                        metal::float2 k4_0_ = float2(as_type<half2>(_e1313));
                        uint _e1318 = w;
                        float _e1326 = query.inner[0u + (2u * ((_e1318 + 16u) + 0u))];
                        float _e1328 = acc0_;
                        acc0_ = metal::fma(_e1326, k4_0_.x, _e1328);
                        uint _e1333 = w;
                        float _e1343 = query.inner[(0u + (2u * ((_e1333 + 16u) + 0u))) + 1u];
                        float _e1345 = acc0_;
                        acc0_ = metal::fma(_e1343, k4_0_.y, _e1345);
                        uint _e1348 = k4_.y;
                        metal::float2 k4_1_ = float2(as_type<half2>(_e1348));
                        uint _e1353 = w;
                        float _e1361 = query.inner[0u + (2u * ((_e1353 + 16u) + 1u))];
                        float _e1363 = acc0_;
                        acc0_ = metal::fma(_e1361, k4_1_.x, _e1363);
                        uint _e1368 = w;
                        float _e1378 = query.inner[(0u + (2u * ((_e1368 + 16u) + 1u))) + 1u];
                        float _e1380 = acc0_;
                        acc0_ = metal::fma(_e1378, k4_1_.y, _e1380);
                        uint _e1383 = k4_.z;
                        metal::float2 k4_2_ = float2(as_type<half2>(_e1383));
                        uint _e1388 = w;
                        float _e1396 = query.inner[0u + (2u * ((_e1388 + 16u) + 2u))];
                        float _e1398 = acc0_;
                        acc0_ = metal::fma(_e1396, k4_2_.x, _e1398);
                        uint _e1403 = w;
                        float _e1413 = query.inner[(0u + (2u * ((_e1403 + 16u) + 2u))) + 1u];
                        float _e1415 = acc0_;
                        acc0_ = metal::fma(_e1413, k4_2_.y, _e1415);
                        uint _e1418 = k4_.w;
                        metal::float2 k4_3_ = float2(as_type<half2>(_e1418));
                        uint _e1423 = w;
                        float _e1431 = query.inner[0u + (2u * ((_e1423 + 16u) + 3u))];
                        float _e1433 = acc0_;
                        acc0_ = metal::fma(_e1431, k4_3_.x, _e1433);
                        uint _e1438 = w;
                        float _e1448 = query.inner[(0u + (2u * ((_e1438 + 16u) + 3u))) + 1u];
                        float _e1450 = acc0_;
                        acc0_ = metal::fma(_e1448, k4_3_.y, _e1450);
                        uint _e1453 = k5_.x;
                        metal::float2 k5_0_ = float2(as_type<half2>(_e1453));
                        uint _e1458 = w;
                        float _e1466 = query.inner[0u + (2u * ((_e1458 + 20u) + 0u))];
                        float _e1468 = acc0_;
                        acc0_ = metal::fma(_e1466, k5_0_.x, _e1468);
                        uint _e1473 = w;
                        float _e1483 = query.inner[(0u + (2u * ((_e1473 + 20u) + 0u))) + 1u];
                        float _e1485 = acc0_;
                        acc0_ = metal::fma(_e1483, k5_0_.y, _e1485);
                        uint _e1488 = k5_.y;
                        metal::float2 k5_1_ = float2(as_type<half2>(_e1488));
                        uint _e1493 = w;
                        float _e1501 = query.inner[0u + (2u * ((_e1493 + 20u) + 1u))];
                        float _e1503 = acc0_;
                        acc0_ = metal::fma(_e1501, k5_1_.x, _e1503);
                        uint _e1508 = w;
                        float _e1518 = query.inner[(0u + (2u * ((_e1508 + 20u) + 1u))) + 1u];
                        float _e1520 = acc0_;
                        acc0_ = metal::fma(_e1518, k5_1_.y, _e1520);
                        uint _e1523 = k5_.z;
                        metal::float2 k5_2_ = float2(as_type<half2>(_e1523));
                        uint _e1528 = w;
                        float _e1536 = query.inner[0u + (2u * ((_e1528 + 20u) + 2u))];
                        float _e1538 = acc0_;
                        acc0_ = metal::fma(_e1536, k5_2_.x, _e1538);
                        uint _e1543 = w;
                        float _e1553 = query.inner[(0u + (2u * ((_e1543 + 20u) + 2u))) + 1u];
                        float _e1555 = acc0_;
                        acc0_ = metal::fma(_e1553, k5_2_.y, _e1555);
                        uint _e1558 = k5_.w;
                        metal::float2 k5_3_ = float2(as_type<half2>(_e1558));
                        uint _e1563 = w;
                        float _e1571 = query.inner[0u + (2u * ((_e1563 + 20u) + 3u))];
                        float _e1573 = acc0_;
                        acc0_ = metal::fma(_e1571, k5_3_.x, _e1573);
                        uint _e1578 = w;
                        float _e1588 = query.inner[(0u + (2u * ((_e1578 + 20u) + 3u))) + 1u];
                        float _e1590 = acc0_;
                        acc0_ = metal::fma(_e1588, k5_3_.y, _e1590);
                        uint _e1593 = k6_.x;
                        metal::float2 k6_0_ = float2(as_type<half2>(_e1593));
                        uint _e1598 = w;
                        float _e1606 = query.inner[0u + (2u * ((_e1598 + 24u) + 0u))];
                        float _e1608 = acc0_;
                        acc0_ = metal::fma(_e1606, k6_0_.x, _e1608);
                        uint _e1613 = w;
                        float _e1623 = query.inner[(0u + (2u * ((_e1613 + 24u) + 0u))) + 1u];
                        float _e1625 = acc0_;
                        acc0_ = metal::fma(_e1623, k6_0_.y, _e1625);
                        uint _e1628 = k6_.y;
                        metal::float2 k6_1_ = float2(as_type<half2>(_e1628));
                        uint _e1633 = w;
                        float _e1641 = query.inner[0u + (2u * ((_e1633 + 24u) + 1u))];
                        float _e1643 = acc0_;
                        acc0_ = metal::fma(_e1641, k6_1_.x, _e1643);
                        uint _e1648 = w;
                        float _e1658 = query.inner[(0u + (2u * ((_e1648 + 24u) + 1u))) + 1u];
                        float _e1660 = acc0_;
                        acc0_ = metal::fma(_e1658, k6_1_.y, _e1660);
                        uint _e1663 = k6_.z;
                        metal::float2 k6_2_ = float2(as_type<half2>(_e1663));
                        uint _e1668 = w;
                        float _e1676 = query.inner[0u + (2u * ((_e1668 + 24u) + 2u))];
                        float _e1678 = acc0_;
                        acc0_ = metal::fma(_e1676, k6_2_.x, _e1678);
                        uint _e1683 = w;
                        float _e1693 = query.inner[(0u + (2u * ((_e1683 + 24u) + 2u))) + 1u];
                        float _e1695 = acc0_;
                        acc0_ = metal::fma(_e1693, k6_2_.y, _e1695);
                        uint _e1698 = k6_.w;
                        metal::float2 k6_3_ = float2(as_type<half2>(_e1698));
                        uint _e1703 = w;
                        float _e1711 = query.inner[0u + (2u * ((_e1703 + 24u) + 3u))];
                        float _e1713 = acc0_;
                        acc0_ = metal::fma(_e1711, k6_3_.x, _e1713);
                        uint _e1718 = w;
                        float _e1728 = query.inner[(0u + (2u * ((_e1718 + 24u) + 3u))) + 1u];
                        float _e1730 = acc0_;
                        acc0_ = metal::fma(_e1728, k6_3_.y, _e1730);
                        uint _e1733 = k7_.x;
                        metal::float2 k7_0_ = float2(as_type<half2>(_e1733));
                        uint _e1738 = w;
                        float _e1746 = query.inner[0u + (2u * ((_e1738 + 28u) + 0u))];
                        float _e1748 = acc0_;
                        acc0_ = metal::fma(_e1746, k7_0_.x, _e1748);
                        uint _e1753 = w;
                        float _e1763 = query.inner[(0u + (2u * ((_e1753 + 28u) + 0u))) + 1u];
                        float _e1765 = acc0_;
                        acc0_ = metal::fma(_e1763, k7_0_.y, _e1765);
                        uint _e1768 = k7_.y;
                        metal::float2 k7_1_ = float2(as_type<half2>(_e1768));
                        uint _e1773 = w;
                        float _e1781 = query.inner[0u + (2u * ((_e1773 + 28u) + 1u))];
                        float _e1783 = acc0_;
                        acc0_ = metal::fma(_e1781, k7_1_.x, _e1783);
                        uint _e1788 = w;
                        float _e1798 = query.inner[(0u + (2u * ((_e1788 + 28u) + 1u))) + 1u];
                        float _e1800 = acc0_;
                        acc0_ = metal::fma(_e1798, k7_1_.y, _e1800);
                        uint _e1803 = k7_.z;
                        metal::float2 k7_2_ = float2(as_type<half2>(_e1803));
                        uint _e1808 = w;
                        float _e1816 = query.inner[0u + (2u * ((_e1808 + 28u) + 2u))];
                        float _e1818 = acc0_;
                        acc0_ = metal::fma(_e1816, k7_2_.x, _e1818);
                        uint _e1823 = w;
                        float _e1833 = query.inner[(0u + (2u * ((_e1823 + 28u) + 2u))) + 1u];
                        float _e1835 = acc0_;
                        acc0_ = metal::fma(_e1833, k7_2_.y, _e1835);
                        uint _e1838 = k7_.w;
                        metal::float2 k7_3_ = float2(as_type<half2>(_e1838));
                        uint _e1843 = w;
                        float _e1851 = query.inner[0u + (2u * ((_e1843 + 28u) + 3u))];
                        float _e1853 = acc0_;
                        acc0_ = metal::fma(_e1851, k7_3_.x, _e1853);
                        uint _e1858 = w;
                        float _e1868 = query.inner[(0u + (2u * ((_e1858 + 28u) + 3u))) + 1u];
                        float _e1870 = acc0_;
                        acc0_ = metal::fma(_e1868, k7_3_.y, _e1870);
                    }
                }
            }
            float _e1875 = acc0_;
            float _e1878 = p_1.scale;
            uint _e1880 = keys;
            float score0_ = (lane < _e1880) ? (_e1875 * _e1878) : -340282350000000000000000000000000000000.0;
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
                        uint _e1928 = j_1;
                        j_1 = _e1928 + 8u;
                    }
                    loop_init_8 = false;
                    uint _e1909 = j_1;
                    if (_e1909 < 64u) {
                    } else {
                        break;
                    }
                    {
                        uint _e1913 = j_1;
                        float s = weights.inner[eighth + _e1913];
                        if ((as_type<uint>(s) & 2147483647u) <= 2139095040u) {
                            float _e1924 = peak;
                            local_3 = s > _e1924;
                        } else {
                            local_3 = false;
                        }
                        bool _e1927 = local_3;
                        if (_e1927) {
                            peak = s;
                        }
                    }
                }
                float _e1938 = peak;
                parts.inner[((piece * HEADS) * 8u) + lane] = _e1938;
            }
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
            float _e1947 = parts.inner[((piece * HEADS) + 0u) * 8u];
            peak0_ = _e1947;
            float _e1961 = parts.inner[((((piece * HEADS) + 0u) * 8u) + 0u) + 1u];
            float _e1962 = peak0_;
            if (_e1961 > _e1962) {
                float _e1976 = parts.inner[((((piece * HEADS) + 0u) * 8u) + 0u) + 1u];
                peak0_ = _e1976;
            }
            float _e1989 = parts.inner[((((piece * HEADS) + 0u) * 8u) + 1u) + 1u];
            float _e1990 = peak0_;
            if (_e1989 > _e1990) {
                float _e2004 = parts.inner[((((piece * HEADS) + 0u) * 8u) + 1u) + 1u];
                peak0_ = _e2004;
            }
            float _e2017 = parts.inner[((((piece * HEADS) + 0u) * 8u) + 2u) + 1u];
            float _e2018 = peak0_;
            if (_e2017 > _e2018) {
                float _e2032 = parts.inner[((((piece * HEADS) + 0u) * 8u) + 2u) + 1u];
                peak0_ = _e2032;
            }
            float _e2045 = parts.inner[((((piece * HEADS) + 0u) * 8u) + 3u) + 1u];
            float _e2046 = peak0_;
            if (_e2045 > _e2046) {
                float _e2060 = parts.inner[((((piece * HEADS) + 0u) * 8u) + 3u) + 1u];
                peak0_ = _e2060;
            }
            float _e2073 = parts.inner[((((piece * HEADS) + 0u) * 8u) + 4u) + 1u];
            float _e2074 = peak0_;
            if (_e2073 > _e2074) {
                float _e2088 = parts.inner[((((piece * HEADS) + 0u) * 8u) + 4u) + 1u];
                peak0_ = _e2088;
            }
            float _e2101 = parts.inner[((((piece * HEADS) + 0u) * 8u) + 5u) + 1u];
            float _e2102 = peak0_;
            if (_e2101 > _e2102) {
                float _e2116 = parts.inner[((((piece * HEADS) + 0u) * 8u) + 5u) + 1u];
                peak0_ = _e2116;
            }
            float _e2129 = parts.inner[((((piece * HEADS) + 0u) * 8u) + 6u) + 1u];
            float _e2130 = peak0_;
            if (_e2129 > _e2130) {
                float _e2144 = parts.inner[((((piece * HEADS) + 0u) * 8u) + 6u) + 1u];
                peak0_ = _e2144;
            }
            float exact0_ = weights.inner[(((piece * HEADS) + 0u) * 64u) + lane];
            float _e2164 = peak0_;
            float _e2166 = exp_law(exact0_ - _e2164);
            uint _e2167 = keys;
            weights.inner[(((piece * HEADS) + 0u) * 64u) + lane] = (lane < _e2167) ? _e2166 : 0.0;
            if (lane == 0u) {
                float _e2179 = peak0_;
                peaks.inner[(piece * HEADS) + 0u] = _e2179;
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
                        uint _e2199 = j_2;
                        j_2 = _e2199 + 8u;
                    }
                    loop_init_9 = false;
                    uint _e2189 = j_2;
                    uint _e2190 = keys;
                    if (_e2189 < _e2190) {
                    } else {
                        break;
                    }
                    {
                        float _e2192 = sum_1;
                        uint _e2194 = j_2;
                        float _e2197 = weights.inner[eighth + _e2194];
                        sum_1 = _e2192 + _e2197;
                    }
                }
                float _e2209 = sum_1;
                parts.inner[((piece * HEADS) * 8u) + lane] = _e2209;
            }
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
            if (lane < HEADS) {
                uint at_2 = ((piece * HEADS) + lane) * 8u;
                float _e2224 = parts.inner[at_2];
                float _e2229 = parts.inner[at_2 + 1u];
                float _e2234 = parts.inner[at_2 + 2u];
                float _e2239 = parts.inner[at_2 + 3u];
                float _e2244 = parts.inner[at_2 + 4u];
                float _e2249 = parts.inner[at_2 + 5u];
                float _e2254 = parts.inner[at_2 + 6u];
                float _e2259 = parts.inner[at_2 + 7u];
                float _e2260 = tree8_(_e2224, _e2229, _e2234, _e2239, _e2244, _e2249, _e2254, _e2259);
                sums.inner[(piece * HEADS) + lane] = _e2260;
            }
            sum0_0_ = metal::float2(0.0);
            uint word0_ = lane + 0u;
            if (word0_ < WORDS) {
                j_3 = 0u;
                uint2 loop_bound_10 = uint2(4294967295u);
                bool loop_init_10 = true;
                while(true) {
                    if (metal::all(loop_bound_10 == uint2(0u))) { break; }
                    loop_bound_10 -= uint2(loop_bound_10.y == 0u, 1u);
                    if (!loop_init_10) {
                        uint _e2961 = j_3;
                        j_3 = _e2961 + AHEAD;
                    }
                    loop_init_10 = false;
                    uint _e2270 = j_3;
                    uint _e2271 = keys;
                    if (_e2270 < _e2271) {
                    } else {
                        break;
                    }
                    {
                        uint _e2273 = j_3;
                        uint key0_ = metal::min((first + _e2273) + 0u, count - 1u);
                        uint _e2286 = p_1.kv_words;
                        uint _e2290 = state_word((base + (((key0_ * 2u) + 1u) * _e2286)) + word0_, state, _buffer_sizes);
                        value0_ = _e2290;
                        if (key0_ == position) {
                            uint _e2297 = own.inner[WORDS + word0_];
                            value0_ = _e2297;
                        }
                        uint _e2298 = j_3;
                        uint key1_ = metal::min((first + _e2298) + 1u, count - 1u);
                        uint _e2311 = p_1.kv_words;
                        uint _e2315 = state_word((base + (((key1_ * 2u) + 1u) * _e2311)) + word0_, state, _buffer_sizes);
                        value1_ = _e2315;
                        if (key1_ == position) {
                            uint _e2322 = own.inner[WORDS + word0_];
                            value1_ = _e2322;
                        }
                        uint _e2323 = j_3;
                        uint key2_ = metal::min((first + _e2323) + 2u, count - 1u);
                        uint _e2336 = p_1.kv_words;
                        uint _e2340 = state_word((base + (((key2_ * 2u) + 1u) * _e2336)) + word0_, state, _buffer_sizes);
                        value2_ = _e2340;
                        if (key2_ == position) {
                            uint _e2347 = own.inner[WORDS + word0_];
                            value2_ = _e2347;
                        }
                        uint _e2348 = j_3;
                        uint key3_ = metal::min((first + _e2348) + 3u, count - 1u);
                        uint _e2361 = p_1.kv_words;
                        uint _e2365 = state_word((base + (((key3_ * 2u) + 1u) * _e2361)) + word0_, state, _buffer_sizes);
                        value3_ = _e2365;
                        if (key3_ == position) {
                            uint _e2372 = own.inner[WORDS + word0_];
                            value3_ = _e2372;
                        }
                        uint _e2373 = j_3;
                        uint key4_ = metal::min((first + _e2373) + 4u, count - 1u);
                        uint _e2386 = p_1.kv_words;
                        uint _e2390 = state_word((base + (((key4_ * 2u) + 1u) * _e2386)) + word0_, state, _buffer_sizes);
                        value4_ = _e2390;
                        if (key4_ == position) {
                            uint _e2397 = own.inner[WORDS + word0_];
                            value4_ = _e2397;
                        }
                        uint _e2398 = j_3;
                        uint key5_ = metal::min((first + _e2398) + 5u, count - 1u);
                        uint _e2411 = p_1.kv_words;
                        uint _e2415 = state_word((base + (((key5_ * 2u) + 1u) * _e2411)) + word0_, state, _buffer_sizes);
                        value5_ = _e2415;
                        if (key5_ == position) {
                            uint _e2422 = own.inner[WORDS + word0_];
                            value5_ = _e2422;
                        }
                        uint _e2423 = j_3;
                        uint key6_ = metal::min((first + _e2423) + 6u, count - 1u);
                        uint _e2436 = p_1.kv_words;
                        uint _e2440 = state_word((base + (((key6_ * 2u) + 1u) * _e2436)) + word0_, state, _buffer_sizes);
                        value6_ = _e2440;
                        if (key6_ == position) {
                            uint _e2447 = own.inner[WORDS + word0_];
                            value6_ = _e2447;
                        }
                        uint _e2448 = j_3;
                        uint key7_ = metal::min((first + _e2448) + 7u, count - 1u);
                        uint _e2461 = p_1.kv_words;
                        uint _e2465 = state_word((base + (((key7_ * 2u) + 1u) * _e2461)) + word0_, state, _buffer_sizes);
                        value7_ = _e2465;
                        if (key7_ == position) {
                            uint _e2472 = own.inner[WORDS + word0_];
                            value7_ = _e2472;
                        }
                        uint _e2473 = j_3;
                        uint key8_ = metal::min((first + _e2473) + 8u, count - 1u);
                        uint _e2486 = p_1.kv_words;
                        uint _e2490 = state_word((base + (((key8_ * 2u) + 1u) * _e2486)) + word0_, state, _buffer_sizes);
                        value8_ = _e2490;
                        if (key8_ == position) {
                            uint _e2497 = own.inner[WORDS + word0_];
                            value8_ = _e2497;
                        }
                        uint _e2498 = j_3;
                        uint key9_ = metal::min((first + _e2498) + 9u, count - 1u);
                        uint _e2511 = p_1.kv_words;
                        uint _e2515 = state_word((base + (((key9_ * 2u) + 1u) * _e2511)) + word0_, state, _buffer_sizes);
                        value9_ = _e2515;
                        if (key9_ == position) {
                            uint _e2522 = own.inner[WORDS + word0_];
                            value9_ = _e2522;
                        }
                        uint _e2523 = j_3;
                        uint key10_ = metal::min((first + _e2523) + 10u, count - 1u);
                        uint _e2536 = p_1.kv_words;
                        uint _e2540 = state_word((base + (((key10_ * 2u) + 1u) * _e2536)) + word0_, state, _buffer_sizes);
                        value10_ = _e2540;
                        if (key10_ == position) {
                            uint _e2547 = own.inner[WORDS + word0_];
                            value10_ = _e2547;
                        }
                        uint _e2548 = j_3;
                        uint key11_ = metal::min((first + _e2548) + 11u, count - 1u);
                        uint _e2561 = p_1.kv_words;
                        uint _e2565 = state_word((base + (((key11_ * 2u) + 1u) * _e2561)) + word0_, state, _buffer_sizes);
                        value11_ = _e2565;
                        if (key11_ == position) {
                            uint _e2572 = own.inner[WORDS + word0_];
                            value11_ = _e2572;
                        }
                        uint _e2573 = j_3;
                        uint key12_ = metal::min((first + _e2573) + 12u, count - 1u);
                        uint _e2586 = p_1.kv_words;
                        uint _e2590 = state_word((base + (((key12_ * 2u) + 1u) * _e2586)) + word0_, state, _buffer_sizes);
                        value12_ = _e2590;
                        if (key12_ == position) {
                            uint _e2597 = own.inner[WORDS + word0_];
                            value12_ = _e2597;
                        }
                        uint _e2598 = j_3;
                        uint key13_ = metal::min((first + _e2598) + 13u, count - 1u);
                        uint _e2611 = p_1.kv_words;
                        uint _e2615 = state_word((base + (((key13_ * 2u) + 1u) * _e2611)) + word0_, state, _buffer_sizes);
                        value13_ = _e2615;
                        if (key13_ == position) {
                            uint _e2622 = own.inner[WORDS + word0_];
                            value13_ = _e2622;
                        }
                        uint _e2623 = j_3;
                        uint key14_ = metal::min((first + _e2623) + 14u, count - 1u);
                        uint _e2636 = p_1.kv_words;
                        uint _e2640 = state_word((base + (((key14_ * 2u) + 1u) * _e2636)) + word0_, state, _buffer_sizes);
                        value14_ = _e2640;
                        if (key14_ == position) {
                            uint _e2647 = own.inner[WORDS + word0_];
                            value14_ = _e2647;
                        }
                        uint _e2648 = j_3;
                        uint key15_ = metal::min((first + _e2648) + 15u, count - 1u);
                        uint _e2661 = p_1.kv_words;
                        uint _e2665 = state_word((base + (((key15_ * 2u) + 1u) * _e2661)) + word0_, state, _buffer_sizes);
                        value15_ = _e2665;
                        if (key15_ == position) {
                            uint _e2672 = own.inner[WORDS + word0_];
                            value15_ = _e2672;
                        }
                        uint _e2680 = j_3;
                        float w0_0_ = weights.inner[((((piece * HEADS) + 0u) * 64u) + _e2680) + 0u];
                        uint _e2693 = j_3;
                        float w0_1_ = weights.inner[((((piece * HEADS) + 0u) * 64u) + _e2693) + 1u];
                        uint _e2706 = j_3;
                        float w0_2_ = weights.inner[((((piece * HEADS) + 0u) * 64u) + _e2706) + 2u];
                        uint _e2719 = j_3;
                        float w0_3_ = weights.inner[((((piece * HEADS) + 0u) * 64u) + _e2719) + 3u];
                        uint _e2732 = j_3;
                        float w0_4_ = weights.inner[((((piece * HEADS) + 0u) * 64u) + _e2732) + 4u];
                        uint _e2745 = j_3;
                        float w0_5_ = weights.inner[((((piece * HEADS) + 0u) * 64u) + _e2745) + 5u];
                        uint _e2758 = j_3;
                        float w0_6_ = weights.inner[((((piece * HEADS) + 0u) * 64u) + _e2758) + 6u];
                        uint _e2771 = j_3;
                        float w0_7_ = weights.inner[((((piece * HEADS) + 0u) * 64u) + _e2771) + 7u];
                        uint _e2784 = j_3;
                        float w0_8_ = weights.inner[((((piece * HEADS) + 0u) * 64u) + _e2784) + 8u];
                        uint _e2797 = j_3;
                        float w0_9_ = weights.inner[((((piece * HEADS) + 0u) * 64u) + _e2797) + 9u];
                        uint _e2810 = j_3;
                        float w0_10_ = weights.inner[((((piece * HEADS) + 0u) * 64u) + _e2810) + 10u];
                        uint _e2823 = j_3;
                        float w0_11_ = weights.inner[((((piece * HEADS) + 0u) * 64u) + _e2823) + 11u];
                        uint _e2836 = j_3;
                        float w0_12_ = weights.inner[((((piece * HEADS) + 0u) * 64u) + _e2836) + 12u];
                        uint _e2849 = j_3;
                        float w0_13_ = weights.inner[((((piece * HEADS) + 0u) * 64u) + _e2849) + 13u];
                        uint _e2862 = j_3;
                        float w0_14_ = weights.inner[((((piece * HEADS) + 0u) * 64u) + _e2862) + 14u];
                        uint _e2875 = j_3;
                        float w0_15_ = weights.inner[((((piece * HEADS) + 0u) * 64u) + _e2875) + 15u];
                        uint _e2881 = value0_;
                        metal::float2 v0_ = float2(as_type<half2>(_e2881));
                        metal::float2 _e2884 = sum0_0_;
                        sum0_0_ = metal::fma(metal::float2(w0_0_), v0_, _e2884);
                        uint _e2886 = value1_;
                        metal::float2 v1_ = float2(as_type<half2>(_e2886));
                        metal::float2 _e2889 = sum0_0_;
                        sum0_0_ = metal::fma(metal::float2(w0_1_), v1_, _e2889);
                        uint _e2891 = value2_;
                        metal::float2 v2_ = float2(as_type<half2>(_e2891));
                        metal::float2 _e2894 = sum0_0_;
                        sum0_0_ = metal::fma(metal::float2(w0_2_), v2_, _e2894);
                        uint _e2896 = value3_;
                        metal::float2 v3_ = float2(as_type<half2>(_e2896));
                        metal::float2 _e2899 = sum0_0_;
                        sum0_0_ = metal::fma(metal::float2(w0_3_), v3_, _e2899);
                        uint _e2901 = value4_;
                        metal::float2 v4_ = float2(as_type<half2>(_e2901));
                        metal::float2 _e2904 = sum0_0_;
                        sum0_0_ = metal::fma(metal::float2(w0_4_), v4_, _e2904);
                        uint _e2906 = value5_;
                        metal::float2 v5_ = float2(as_type<half2>(_e2906));
                        metal::float2 _e2909 = sum0_0_;
                        sum0_0_ = metal::fma(metal::float2(w0_5_), v5_, _e2909);
                        uint _e2911 = value6_;
                        metal::float2 v6_ = float2(as_type<half2>(_e2911));
                        metal::float2 _e2914 = sum0_0_;
                        sum0_0_ = metal::fma(metal::float2(w0_6_), v6_, _e2914);
                        uint _e2916 = value7_;
                        metal::float2 v7_ = float2(as_type<half2>(_e2916));
                        metal::float2 _e2919 = sum0_0_;
                        sum0_0_ = metal::fma(metal::float2(w0_7_), v7_, _e2919);
                        uint _e2921 = value8_;
                        metal::float2 v8_ = float2(as_type<half2>(_e2921));
                        metal::float2 _e2924 = sum0_0_;
                        sum0_0_ = metal::fma(metal::float2(w0_8_), v8_, _e2924);
                        uint _e2926 = value9_;
                        metal::float2 v9_ = float2(as_type<half2>(_e2926));
                        metal::float2 _e2929 = sum0_0_;
                        sum0_0_ = metal::fma(metal::float2(w0_9_), v9_, _e2929);
                        uint _e2931 = value10_;
                        metal::float2 v10_ = float2(as_type<half2>(_e2931));
                        metal::float2 _e2934 = sum0_0_;
                        sum0_0_ = metal::fma(metal::float2(w0_10_), v10_, _e2934);
                        uint _e2936 = value11_;
                        metal::float2 v11_ = float2(as_type<half2>(_e2936));
                        metal::float2 _e2939 = sum0_0_;
                        sum0_0_ = metal::fma(metal::float2(w0_11_), v11_, _e2939);
                        uint _e2941 = value12_;
                        metal::float2 v12_ = float2(as_type<half2>(_e2941));
                        metal::float2 _e2944 = sum0_0_;
                        sum0_0_ = metal::fma(metal::float2(w0_12_), v12_, _e2944);
                        uint _e2946 = value13_;
                        metal::float2 v13_ = float2(as_type<half2>(_e2946));
                        metal::float2 _e2949 = sum0_0_;
                        sum0_0_ = metal::fma(metal::float2(w0_13_), v13_, _e2949);
                        uint _e2951 = value14_;
                        metal::float2 v14_ = float2(as_type<half2>(_e2951));
                        metal::float2 _e2954 = sum0_0_;
                        sum0_0_ = metal::fma(metal::float2(w0_14_), v14_, _e2954);
                        uint _e2956 = value15_;
                        metal::float2 v15_ = float2(as_type<half2>(_e2956));
                        metal::float2 _e2959 = sum0_0_;
                        sum0_0_ = metal::fma(metal::float2(w0_15_), v15_, _e2959);
                    }
                }
                metal::float2 _e2973 = sum0_0_;
                outs.inner[(((piece * HEADS) + 0u) * WORDS) + word0_] = _e2973;
            }
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
            if (piece == 0u) {
                uint _e2976 = start;
                if ((_e2976 + 0u) < count) {
                    uint _e2980 = start;
                    bool first_of_all = (_e2980 + 0u) == 0u;
                    float peak_c0_ = peaks.inner[0];
                    float _e2988 = total_max0_;
                    if (!(first_of_all)) {
                        float _e2992 = total_max0_;
                        local_4 = peak_c0_ > _e2992;
                    } else {
                        local_4 = true;
                    }
                    bool _e2995 = local_4;
                    float merged0_ = _e2995 ? peak_c0_ : _e2988;
                    float _e2997 = total_max0_;
                    float _e2999 = exp_law(_e2997 - merged0_);
                    float _e3001 = exp_law(peak_c0_ - merged0_);
                    if (word0_ < WORDS) {
                        metal::float2 part0_0_ = outs.inner[0u + word0_];
                        metal::float2 _e3009 = out0_0_;
                        out0_0_ = first_of_all ? part0_0_ : metal::fma(_e3009, metal::float2(_e2999), part0_0_ * _e3001);
                    }
                    float s0_ = sums.inner[0];
                    float _e3017 = total_sum0_;
                    total_sum0_ = first_of_all ? s0_ : metal::fma(_e3017, _e2999, s0_ * _e3001);
                    total_max0_ = merged0_;
                }
                uint _e3021 = start;
                if ((_e3021 + 64u) < count) {
                    uint _e3025 = start;
                    bool first_of_all_1 = (_e3025 + 1u) == 0u;
                    float peak_c0_1 = peaks.inner[1];
                    float _e3033 = total_max0_;
                    if (!(first_of_all_1)) {
                        float _e3037 = total_max0_;
                        local_5 = peak_c0_1 > _e3037;
                    } else {
                        local_5 = true;
                    }
                    bool _e3040 = local_5;
                    float merged0_1 = _e3040 ? peak_c0_1 : _e3033;
                    float _e3042 = total_max0_;
                    float _e3044 = exp_law(_e3042 - merged0_1);
                    float _e3046 = exp_law(peak_c0_1 - merged0_1);
                    if (word0_ < WORDS) {
                        metal::float2 part0_0_1 = outs.inner[32u + word0_];
                        metal::float2 _e3054 = out0_0_;
                        out0_0_ = first_of_all_1 ? part0_0_1 : metal::fma(_e3054, metal::float2(_e3044), part0_0_1 * _e3046);
                    }
                    float s0_1 = sums.inner[1];
                    float _e3062 = total_sum0_;
                    total_sum0_ = first_of_all_1 ? s0_1 : metal::fma(_e3062, _e3044, s0_1 * _e3046);
                    total_max0_ = merged0_1;
                }
                uint _e3066 = start;
                if ((_e3066 + 128u) < count) {
                    uint _e3070 = start;
                    bool first_of_all_2 = (_e3070 + 2u) == 0u;
                    float peak_c0_2 = peaks.inner[2];
                    float _e3078 = total_max0_;
                    if (!(first_of_all_2)) {
                        float _e3082 = total_max0_;
                        local_6 = peak_c0_2 > _e3082;
                    } else {
                        local_6 = true;
                    }
                    bool _e3085 = local_6;
                    float merged0_2 = _e3085 ? peak_c0_2 : _e3078;
                    float _e3087 = total_max0_;
                    float _e3089 = exp_law(_e3087 - merged0_2);
                    float _e3091 = exp_law(peak_c0_2 - merged0_2);
                    if (word0_ < WORDS) {
                        metal::float2 part0_0_2 = outs.inner[64u + word0_];
                        metal::float2 _e3099 = out0_0_;
                        out0_0_ = first_of_all_2 ? part0_0_2 : metal::fma(_e3099, metal::float2(_e3089), part0_0_2 * _e3091);
                    }
                    float s0_2 = sums.inner[2];
                    float _e3107 = total_sum0_;
                    total_sum0_ = first_of_all_2 ? s0_2 : metal::fma(_e3107, _e3089, s0_2 * _e3091);
                    total_max0_ = merged0_2;
                }
                uint _e3111 = start;
                if ((_e3111 + 192u) < count) {
                    uint _e3115 = start;
                    bool first_of_all_3 = (_e3115 + 3u) == 0u;
                    float peak_c0_3 = peaks.inner[3];
                    float _e3123 = total_max0_;
                    if (!(first_of_all_3)) {
                        float _e3127 = total_max0_;
                        local_7 = peak_c0_3 > _e3127;
                    } else {
                        local_7 = true;
                    }
                    bool _e3130 = local_7;
                    float merged0_3 = _e3130 ? peak_c0_3 : _e3123;
                    float _e3132 = total_max0_;
                    float _e3134 = exp_law(_e3132 - merged0_3);
                    float _e3136 = exp_law(peak_c0_3 - merged0_3);
                    if (word0_ < WORDS) {
                        metal::float2 part0_0_3 = outs.inner[96u + word0_];
                        metal::float2 _e3144 = out0_0_;
                        out0_0_ = first_of_all_3 ? part0_0_3 : metal::fma(_e3144, metal::float2(_e3134), part0_0_3 * _e3136);
                    }
                    float s0_3 = sums.inner[3];
                    float _e3152 = total_sum0_;
                    total_sum0_ = first_of_all_3 ? s0_3 : metal::fma(_e3152, _e3134, s0_3 * _e3136);
                    total_max0_ = merged0_3;
                }
            }
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
        }
    }
    if (piece == 0u) {
        uint word0_1 = lane + 0u;
        if (word0_1 < WORDS) {
            uint _e3167 = p_1.out;
            uint _e3170 = p_1.out_cols;
            uint to0_ = ((_e3167 + (row * _e3170)) + ((head + 0u) * HEAD_DIM)) + (2u * word0_1);
            metal::float2 _e3181 = out0_0_;
            float _e3182 = total_sum0_;
            metal::float2 y0_ = _e3181 / metal::float2(_e3182);
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
