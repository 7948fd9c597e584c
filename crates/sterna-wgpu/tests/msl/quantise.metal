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
};

struct type_6 {
    metal::uint4 inner[2];
};
struct Params {
    uint input;
    uint input_cols;
    uint len;
    uint group;
    uint weight;
    uint count_at;
    float eps;
    uint sums_at;
    type_6 pad;
};
typedef uint type_7[1];
typedef float type_8[1];
typedef metal::uint2 type_10[1];
struct type_11 {
    float inner[8];
};
struct type_12 {
    float inner[64];
};
struct type_14 {
    metal::atomic_uint inner[1024];
};
struct type_16 {
    metal::atomic_int inner[1024];
};
constant uint MOST_GROUPS = 1024u;
constant uint THREADS = 256u;
constant bool NORM = true;
constant bool SUMS = true;

uint call_row(
    uint i_3
) {
    return 4u + (4u * i_3);
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
    float d_1,
    float e,
    float f,
    float g_2,
    float h
) {
    return ((a + e) + (c_1 + g_2)) + ((b + f) + (d_1 + h));
}

float squares(
    metal::float4 a_1,
    metal::float4 b_1
) {
    return metal::fma(b_1.w, b_1.w, metal::fma(b_1.z, b_1.z, metal::fma(b_1.y, b_1.y, metal::fma(b_1.x, b_1.x, metal::fma(a_1.w, a_1.w, metal::fma(a_1.z, a_1.z, metal::fma(a_1.y, a_1.y, a_1.x * a_1.x)))))));
}

uint naga_mod(uint lhs, uint rhs) {
    return lhs % metal::select(rhs, 1u, rhs == 0u);
}

uint naga_div(uint lhs, uint rhs) {
    return lhs / metal::select(rhs, 1u, rhs == 0u);
}

float sum_of_squares(
    uint start_at,
    uint width,
    uint t_1,
    device type_8 const& arena,
    threadgroup type_11& lanes,
    threadgroup type_12& chains,
    threadgroup float& total,
    constant _mslBufferSizes& _buffer_sizes
) {
    float sum_1 = 0.0;
    uint i_4 = {};
    uint piece = 0u;
    float part = {};
    bool local_1 = {};
    uint half_ = {};
    bool local_2 = {};
    float sum_2 = {};
    if (naga_mod(width, 256u) != 0u) {
        if (t_1 < 8u) {
            i_4 = t_1;
            uint2 loop_bound = uint2(4294967295u);
            bool loop_init = true;
            while(true) {
                if (metal::all(loop_bound == uint2(0u))) { break; }
                loop_bound -= uint2(loop_bound.y == 0u, 1u);
                if (!loop_init) {
                    uint _e21 = i_4;
                    i_4 = _e21 + 8u;
                }
                loop_init = false;
                uint _e12 = i_4;
                if (_e12 < width) {
                } else {
                    break;
                }
                {
                    uint _e15 = i_4;
                    float v = arena[start_at + _e15];
                    float _e19 = sum_1;
                    sum_1 = metal::fma(v, v, _e19);
                }
            }
            float _e26 = sum_1;
            lanes.inner[t_1] = _e26;
        }
        metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
        float _e29 = lanes.inner[0];
        float _e32 = lanes.inner[1];
        float _e35 = lanes.inner[2];
        float _e38 = lanes.inner[3];
        float _e41 = lanes.inner[4];
        float _e44 = lanes.inner[5];
        float _e47 = lanes.inner[6];
        float _e50 = lanes.inner[7];
        float _e51 = tree8_(_e29, _e32, _e35, _e38, _e41, _e44, _e47, _e50);
        return _e51;
    }
    uint pieces = naga_div(width, 256u);
    uint2 loop_bound_1 = uint2(4294967295u);
    bool loop_init_1 = true;
    while(true) {
        if (metal::all(loop_bound_1 == uint2(0u))) { break; }
        loop_bound_1 -= uint2(loop_bound_1.y == 0u, 1u);
        if (!loop_init_1) {
            uint _e178 = piece;
            piece = _e178 + 2u;
        }
        loop_init_1 = false;
        uint _e56 = piece;
        if (_e56 < pieces) {
        } else {
            break;
        }
        {
            uint _e58 = piece;
            uint mine = _e58 + naga_div(t_1, 32u);
            part = 0.0;
            if (t_1 < 64u) {
                local_1 = mine < pieces;
            } else {
                local_1 = false;
            }
            bool _e70 = local_1;
            if (_e70) {
                uint at = (start_at + (mine * 256u)) + (naga_mod(t_1, 32u) * 8u);
                float _e81 = arena[at];
                float _e86 = arena[at + 1u];
                float _e91 = arena[at + 2u];
                float _e96 = arena[at + 3u];
                float _e102 = arena[at + 4u];
                float _e107 = arena[at + 5u];
                float _e112 = arena[at + 6u];
                float _e117 = arena[at + 7u];
                float _e119 = squares(metal::float4(_e81, _e86, _e91, _e96), metal::float4(_e102, _e107, _e112, _e117));
                part = _e119;
            }
            if (t_1 < 64u) {
                float _e124 = part;
                chains.inner[t_1] = _e124;
            }
            half_ = 16u;
            uint2 loop_bound_2 = uint2(4294967295u);
            bool loop_init_2 = true;
            while(true) {
                if (metal::all(loop_bound_2 == uint2(0u))) { break; }
                loop_bound_2 -= uint2(loop_bound_2.y == 0u, 1u);
                if (!loop_init_2) {
                    uint _e149 = half_;
                    half_ = naga_div(_e149, 2u);
                }
                loop_init_2 = false;
                uint _e127 = half_;
                if (_e127 > 0u) {
                } else {
                    break;
                }
                {
                    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
                    if (t_1 < 64u) {
                        uint _e136 = half_;
                        local_2 = naga_mod(t_1, 32u) < _e136;
                    } else {
                        local_2 = false;
                    }
                    bool _e139 = local_2;
                    if (_e139) {
                        float _e142 = chains.inner[t_1];
                        uint _e144 = half_;
                        float _e147 = chains.inner[t_1 + _e144];
                        chains.inner[t_1] = _e142 + _e147;
                    }
                }
            }
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
            if (t_1 == 0u) {
                float _e156 = chains.inner[0];
                sum_2 = _e156;
                uint _e158 = piece;
                if (_e158 > 0u) {
                    float _e162 = total;
                    float _e165 = chains.inner[0];
                    sum_2 = _e162 + _e165;
                }
                uint _e167 = piece;
                if ((_e167 + 1u) < pieces) {
                    float _e171 = sum_2;
                    float _e174 = chains.inner[32];
                    sum_2 = _e171 + _e174;
                }
                float _e177 = sum_2;
                total = _e177;
            }
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
        }
    }
    float _e182 = total;
    return _e182;
}

float value(
    uint start_at_1,
    uint i_5,
    float inverse_1,
    constant Params& p_1,
    device type_8 const& vectors,
    device type_8 const& arena,
    constant _mslBufferSizes& _buffer_sizes
) {
    float x_5 = arena[start_at_1 + i_5];
    if (NORM) {
        uint _e12 = p_1.weight;
        float _e15 = vectors[_e12 + i_5];
        return (x_5 * inverse_1) * _e15;
    }
    return x_5;
}

struct main_Input {
};
[[max_total_threads_per_threadgroup(256)]] kernel void main_(
  metal::uint3 group [[threadgroup_position_in_grid]]
, uint t [[thread_index_in_threadgroup]]
, constant Params& p_1 [[user(fake0)]]
, device type_7 const& call [[user(fake0)]]
, device type_8 const& vectors [[user(fake0)]]
, device type_8 const& arena [[user(fake0)]]
, device type_7& acts [[user(fake0)]]
, device type_10& scales [[user(fake0)]]
, threadgroup type_11& lanes
, threadgroup type_12& chains
, threadgroup float& total
, threadgroup type_14& peaks
, threadgroup type_16& sums
, constant _mslBufferSizes& _buffer_sizes [[user(fake0)]]
) {
    uint g = {};
    float inverse = 1.0;
    uint w = {};
    uint peak = {};
    uint i = {};
    uint w_1 = {};
    uint word = {};
    int sum = {};
    bool local = {};
    uint i_1 = {};
    uint g_1 = {};
    float d = {};
    uint i_2 = {};
    metal::int2 pair = {};
    uint w_2 = {};
    uint row = group.y;
    uint _e6 = p_1.count_at;
    uint _e8 = call[_e6];
    if (row >= _e8) {
        return;
    }
    uint _e12 = p_1.input;
    uint _e15 = p_1.input_cols;
    uint start_at_2 = _e12 + (row * _e15);
    uint _e20 = p_1.len;
    uint _e23 = p_1.group;
    uint groups = naga_div(_e20, _e23);
    g = t;
    uint2 loop_bound_3 = uint2(4294967295u);
    bool loop_init_3 = true;
    while(true) {
        if (metal::all(loop_bound_3 == uint2(0u))) { break; }
        loop_bound_3 -= uint2(loop_bound_3.y == 0u, 1u);
        if (!loop_init_3) {
            uint _e36 = g;
            g = _e36 + THREADS;
        }
        loop_init_3 = false;
        uint _e26 = g;
        if (_e26 < groups) {
        } else {
            break;
        }
        {
            uint _e29 = g;
            metal::atomic_store_explicit(&peaks.inner[_e29], 0u, metal::memory_order_relaxed);
            uint _e33 = g;
            metal::atomic_store_explicit(&sums.inner[_e33], 0, metal::memory_order_relaxed);
        }
    }
    if (NORM) {
        uint _e44 = p_1.len;
        float _e45 = sum_of_squares(start_at_2, _e44, t, arena, lanes, chains, total, _buffer_sizes);
        uint _e48 = p_1.len;
        float _e53 = p_1.eps;
        inverse = 1.0 / metal::sqrt((_e45 / static_cast<float>(_e48)) + _e53);
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    uint _e60 = p_1.len;
    uint words = naga_div(_e60, 4u);
    w = t;
    uint2 loop_bound_4 = uint2(4294967295u);
    bool loop_init_4 = true;
    while(true) {
        if (metal::all(loop_bound_4 == uint2(0u))) { break; }
        loop_bound_4 -= uint2(loop_bound_4.y == 0u, 1u);
        if (!loop_init_4) {
            uint _e99 = w;
            w = _e99 + THREADS;
        }
        loop_init_4 = false;
        uint _e64 = w;
        if (_e64 < words) {
        } else {
            break;
        }
        {
            peak = 0u;
            i = 0u;
            uint2 loop_bound_5 = uint2(4294967295u);
            bool loop_init_5 = true;
            while(true) {
                if (metal::all(loop_bound_5 == uint2(0u))) { break; }
                loop_bound_5 -= uint2(loop_bound_5.y == 0u, 1u);
                if (!loop_init_5) {
                    uint _e86 = i;
                    i = _e86 + 1u;
                }
                loop_init_5 = false;
                uint _e70 = i;
                if (_e70 < 4u) {
                } else {
                    break;
                }
                {
                    uint _e73 = peak;
                    uint _e75 = w;
                    uint _e77 = i;
                    float _e79 = inverse;
                    float _e80 = value(start_at_2, (4u * _e75) + _e77, _e79, p_1, vectors, arena, _buffer_sizes);
                    peak = metal::max(_e73, as_type<uint>(_e80) & 2147483647u);
                }
            }
            uint _e90 = w;
            uint _e94 = p_1.group;
            uint _e97 = peak;
            uint _e98 = metal::atomic_fetch_max_explicit(&peaks.inner[naga_div(4u * _e90, _e94)], _e97, metal::memory_order_relaxed);
        }
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    w_1 = t;
    uint2 loop_bound_6 = uint2(4294967295u);
    bool loop_init_6 = true;
    while(true) {
        if (metal::all(loop_bound_6 == uint2(0u))) { break; }
        loop_bound_6 -= uint2(loop_bound_6.y == 0u, 1u);
        if (!loop_init_6) {
            uint _e169 = w_1;
            w_1 = _e169 + THREADS;
        }
        loop_init_6 = false;
        uint _e103 = w_1;
        if (_e103 < words) {
        } else {
            break;
        }
        {
            uint _e106 = w_1;
            uint _e110 = p_1.group;
            uint g_3 = naga_div(4u * _e106, _e110);
            uint peak_1 = metal::atomic_load_explicit(&peaks.inner[g_3], metal::memory_order_relaxed);
            float d_2 = as_type<float>(peak_1) / 127.0;
            word = 0u;
            sum = 0;
            if (d_2 >= 0.000000000000000000000000000000000000011754944) {
                local = peak_1 < 2139095040u;
            } else {
                local = false;
            }
            bool _e129 = local;
            if (_e129) {
                i_1 = 0u;
                uint2 loop_bound_7 = uint2(4294967295u);
                bool loop_init_7 = true;
                while(true) {
                    if (metal::all(loop_bound_7 == uint2(0u))) { break; }
                    loop_bound_7 -= uint2(loop_bound_7.y == 0u, 1u);
                    if (!loop_init_7) {
                        uint _e157 = i_1;
                        i_1 = _e157 + 1u;
                    }
                    loop_init_7 = false;
                    uint _e132 = i_1;
                    if (_e132 < 4u) {
                    } else {
                        break;
                    }
                    {
                        uint _e136 = w_1;
                        uint _e138 = i_1;
                        float _e140 = inverse;
                        float _e141 = value(start_at_2, (4u * _e136) + _e138, _e140, p_1, vectors, arena, _buffer_sizes);
                        int q = naga_f2i32(metal::rint(_e141 / d_2));
                        uint _e145 = word;
                        uint _e150 = i_1;
                        word = _e145 | ((as_type<uint>(q) & 255u) << (8u * _e150));
                        int _e154 = sum;
                        sum = as_type<int>(as_type<uint>(_e154) + as_type<uint>(q));
                    }
                }
            }
            uint _e161 = w_1;
            uint _e164 = word;
            acts[(row * words) + _e161] = _e164;
            int _e167 = sum;
            int _e168 = metal::atomic_fetch_add_explicit(&sums.inner[g_3], _e167, metal::memory_order_relaxed);
        }
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    g_1 = t;
    uint2 loop_bound_8 = uint2(4294967295u);
    bool loop_init_8 = true;
    while(true) {
        if (metal::all(loop_bound_8 == uint2(0u))) { break; }
        loop_bound_8 -= uint2(loop_bound_8.y == 0u, 1u);
        if (!loop_init_8) {
            uint _e200 = g_1;
            g_1 = _e200 + THREADS;
        }
        loop_init_8 = false;
        uint _e173 = g_1;
        if (_e173 < groups) {
        } else {
            break;
        }
        {
            uint _e176 = g_1;
            uint peak_2 = metal::atomic_load_explicit(&peaks.inner[_e176], metal::memory_order_relaxed);
            d = as_type<float>(peak_2) / 127.0;
            float _e183 = d;
            if (_e183 < 0.000000000000000000000000000000000000011754944) {
                d = 0.0;
            }
            uint _e189 = g_1;
            float _e192 = d;
            uint _e195 = g_1;
            int _e197 = metal::atomic_load_explicit(&sums.inner[_e195], metal::memory_order_relaxed);
            scales[(row * groups) + _e189] = metal::uint2(as_type<uint>(_e192), as_type<uint>(_e197));
        }
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_device);
    i_2 = t;
    uint2 loop_bound_9 = uint2(4294967295u);
    bool loop_init_9 = true;
    while(true) {
        if (metal::all(loop_bound_9 == uint2(0u))) { break; }
        loop_bound_9 -= uint2(loop_bound_9.y == 0u, 1u);
        if (!loop_init_9) {
            uint _e270 = i_2;
            i_2 = _e270 + THREADS;
        }
        loop_init_9 = false;
        uint _e204 = i_2;
        uint _e207 = p_1.len;
        if (_e204 < naga_div(_e207, 64u)) {
        } else {
            break;
        }
        {
            pair = metal::int2(0);
            w_2 = 0u;
            uint2 loop_bound_10 = uint2(4294967295u);
            bool loop_init_10 = true;
            while(true) {
                if (metal::all(loop_bound_10 == uint2(0u))) { break; }
                loop_bound_10 -= uint2(loop_bound_10.y == 0u, 1u);
                if (!loop_init_10) {
                    uint _e252 = w_2;
                    w_2 = _e252 + 1u;
                }
                loop_init_10 = false;
                uint _e216 = w_2;
                if (_e216 < 8u) {
                } else {
                    break;
                }
                {
                    int _e220 = pair.x;
                    uint _e224 = i_2;
                    uint _e227 = w_2;
                    uint _e230 = acts[((row * words) + (16u * _e224)) + _e227];
                    packed_char4 reinterpreted_packed_char4_e230 = as_type<packed_char4>(_e230);
                    packed_char4 reinterpreted_packed_char4_e231 = as_type<packed_char4>(16843009u);
                    pair.x = as_type<int>(as_type<uint>(_e220) + as_type<uint>(( + reinterpreted_packed_char4_e230[0] * reinterpreted_packed_char4_e231[0] + reinterpreted_packed_char4_e230[1] * reinterpreted_packed_char4_e231[1] + reinterpreted_packed_char4_e230[2] * reinterpreted_packed_char4_e231[2] + reinterpreted_packed_char4_e230[3] * reinterpreted_packed_char4_e231[3])));
                    int _e235 = pair.y;
                    uint _e239 = i_2;
                    uint _e244 = w_2;
                    uint _e247 = acts[(((row * words) + (16u * _e239)) + 8u) + _e244];
                    packed_char4 reinterpreted_packed_char4_e247 = as_type<packed_char4>(_e247);
                    packed_char4 reinterpreted_packed_char4_e248 = as_type<packed_char4>(16843009u);
                    pair.y = as_type<int>(as_type<uint>(_e235) + as_type<uint>(( + reinterpreted_packed_char4_e247[0] * reinterpreted_packed_char4_e248[0] + reinterpreted_packed_char4_e247[1] * reinterpreted_packed_char4_e248[1] + reinterpreted_packed_char4_e247[2] * reinterpreted_packed_char4_e248[2] + reinterpreted_packed_char4_e247[3] * reinterpreted_packed_char4_e248[3])));
                }
            }
            uint _e257 = p_1.sums_at;
            uint _e260 = p_1.len;
            uint _e265 = i_2;
            metal::int2 _e268 = pair;
            scales[(_e257 + naga_div(row * _e260, 64u)) + _e265] = as_type<metal::uint2>(_e268);
        }
    }
    return;
}
