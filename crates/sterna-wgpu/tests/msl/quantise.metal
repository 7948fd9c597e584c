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

struct type_5 {
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
    uint pad0_;
    type_5 pad;
};
typedef uint type_6[1];
typedef float type_7[1];
typedef metal::uint2 type_9[1];
struct type_10 {
    float inner[8];
};
struct type_12 {
    metal::atomic_uint inner[1024];
};
struct type_14 {
    metal::atomic_int inner[1024];
};
constant uint MOST_GROUPS = 1024u;
constant bool NORM = true;

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

float value(
    uint start_at,
    uint i_4,
    float inverse_1,
    constant Params& p_1,
    device type_7 const& vectors,
    device type_7 const& arena,
    constant _mslBufferSizes& _buffer_sizes
) {
    float x_5 = arena[start_at + i_4];
    if (NORM) {
        uint _e12 = p_1.weight;
        float _e15 = vectors[_e12 + i_4];
        return (x_5 * inverse_1) * _e15;
    }
    return x_5;
}
uint naga_div(uint lhs, uint rhs) {
    return lhs / metal::select(rhs, 1u, rhs == 0u);
}


struct main_Input {
};
[[max_total_threads_per_threadgroup(64)]] kernel void main_(
  metal::uint3 group [[threadgroup_position_in_grid]]
, uint t [[thread_index_in_threadgroup]]
, constant Params& p_1 [[user(fake0)]]
, device type_6 const& call [[user(fake0)]]
, device type_7 const& vectors [[user(fake0)]]
, device type_7 const& arena [[user(fake0)]]
, device type_6& acts [[user(fake0)]]
, device type_9& scales [[user(fake0)]]
, threadgroup type_10& lanes
, threadgroup type_12& peaks
, threadgroup type_14& sums
, constant _mslBufferSizes& _buffer_sizes [[user(fake0)]]
) {
    uint g = {};
    float inverse = 1.0;
    float sum = 0.0;
    uint i = {};
    uint w = {};
    uint peak = {};
    uint i_1 = {};
    uint w_1 = {};
    uint word = {};
    int sum_1 = {};
    bool local = {};
    uint i_2 = {};
    uint g_1 = {};
    float d = {};
    uint row = group.y;
    uint _e6 = p_1.count_at;
    uint _e8 = call[_e6];
    if (row >= _e8) {
        return;
    }
    uint _e12 = p_1.input;
    uint _e15 = p_1.input_cols;
    uint start_at_1 = _e12 + (row * _e15);
    uint _e20 = p_1.len;
    uint _e23 = p_1.group;
    uint groups = naga_div(_e20, _e23);
    g = t;
    uint2 loop_bound = uint2(4294967295u);
    bool loop_init = true;
    while(true) {
        if (metal::all(loop_bound == uint2(0u))) { break; }
        loop_bound -= uint2(loop_bound.y == 0u, 1u);
        if (!loop_init) {
            uint _e36 = g;
            g = _e36 + 64u;
        }
        loop_init = false;
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
        if (t < 8u) {
            i = t;
            uint2 loop_bound_1 = uint2(4294967295u);
            bool loop_init_1 = true;
            while(true) {
                if (metal::all(loop_bound_1 == uint2(0u))) { break; }
                loop_bound_1 -= uint2(loop_bound_1.y == 0u, 1u);
                if (!loop_init_1) {
                    uint _e59 = i;
                    i = _e59 + 8u;
                }
                loop_init_1 = false;
                uint _e47 = i;
                uint _e50 = p_1.len;
                if (_e47 < _e50) {
                } else {
                    break;
                }
                {
                    uint _e53 = i;
                    float v = arena[start_at_1 + _e53];
                    float _e57 = sum;
                    sum = metal::fma(v, v, _e57);
                }
            }
            float _e64 = sum;
            lanes.inner[t] = _e64;
        }
        metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
        float _e67 = lanes.inner[0];
        float _e70 = lanes.inner[1];
        float _e73 = lanes.inner[2];
        float _e76 = lanes.inner[3];
        float _e79 = lanes.inner[4];
        float _e82 = lanes.inner[5];
        float _e85 = lanes.inner[6];
        float _e88 = lanes.inner[7];
        float _e89 = tree8_(_e67, _e70, _e73, _e76, _e79, _e82, _e85, _e88);
        uint _e92 = p_1.len;
        float _e97 = p_1.eps;
        inverse = 1.0 / metal::sqrt((_e89 / static_cast<float>(_e92)) + _e97);
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    uint _e104 = p_1.len;
    uint words = naga_div(_e104, 4u);
    w = t;
    uint2 loop_bound_2 = uint2(4294967295u);
    bool loop_init_2 = true;
    while(true) {
        if (metal::all(loop_bound_2 == uint2(0u))) { break; }
        loop_bound_2 -= uint2(loop_bound_2.y == 0u, 1u);
        if (!loop_init_2) {
            uint _e143 = w;
            w = _e143 + 64u;
        }
        loop_init_2 = false;
        uint _e108 = w;
        if (_e108 < words) {
        } else {
            break;
        }
        {
            peak = 0u;
            i_1 = 0u;
            uint2 loop_bound_3 = uint2(4294967295u);
            bool loop_init_3 = true;
            while(true) {
                if (metal::all(loop_bound_3 == uint2(0u))) { break; }
                loop_bound_3 -= uint2(loop_bound_3.y == 0u, 1u);
                if (!loop_init_3) {
                    uint _e130 = i_1;
                    i_1 = _e130 + 1u;
                }
                loop_init_3 = false;
                uint _e114 = i_1;
                if (_e114 < 4u) {
                } else {
                    break;
                }
                {
                    uint _e117 = peak;
                    uint _e119 = w;
                    uint _e121 = i_1;
                    float _e123 = inverse;
                    float _e124 = value(start_at_1, (4u * _e119) + _e121, _e123, p_1, vectors, arena, _buffer_sizes);
                    peak = metal::max(_e117, as_type<uint>(_e124) & 2147483647u);
                }
            }
            uint _e134 = w;
            uint _e138 = p_1.group;
            uint _e141 = peak;
            uint _e142 = metal::atomic_fetch_max_explicit(&peaks.inner[naga_div(4u * _e134, _e138)], _e141, metal::memory_order_relaxed);
        }
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    w_1 = t;
    uint2 loop_bound_4 = uint2(4294967295u);
    bool loop_init_4 = true;
    while(true) {
        if (metal::all(loop_bound_4 == uint2(0u))) { break; }
        loop_bound_4 -= uint2(loop_bound_4.y == 0u, 1u);
        if (!loop_init_4) {
            uint _e213 = w_1;
            w_1 = _e213 + 64u;
        }
        loop_init_4 = false;
        uint _e147 = w_1;
        if (_e147 < words) {
        } else {
            break;
        }
        {
            uint _e150 = w_1;
            uint _e154 = p_1.group;
            uint g_3 = naga_div(4u * _e150, _e154);
            uint peak_1 = metal::atomic_load_explicit(&peaks.inner[g_3], metal::memory_order_relaxed);
            float d_2 = as_type<float>(peak_1) / 127.0;
            word = 0u;
            sum_1 = 0;
            if (d_2 >= 0.000000000000000000000000000000000000011754944) {
                local = peak_1 < 2139095040u;
            } else {
                local = false;
            }
            bool _e173 = local;
            if (_e173) {
                i_2 = 0u;
                uint2 loop_bound_5 = uint2(4294967295u);
                bool loop_init_5 = true;
                while(true) {
                    if (metal::all(loop_bound_5 == uint2(0u))) { break; }
                    loop_bound_5 -= uint2(loop_bound_5.y == 0u, 1u);
                    if (!loop_init_5) {
                        uint _e201 = i_2;
                        i_2 = _e201 + 1u;
                    }
                    loop_init_5 = false;
                    uint _e176 = i_2;
                    if (_e176 < 4u) {
                    } else {
                        break;
                    }
                    {
                        uint _e180 = w_1;
                        uint _e182 = i_2;
                        float _e184 = inverse;
                        float _e185 = value(start_at_1, (4u * _e180) + _e182, _e184, p_1, vectors, arena, _buffer_sizes);
                        int q = naga_f2i32(metal::rint(_e185 / d_2));
                        uint _e189 = word;
                        uint _e194 = i_2;
                        word = _e189 | ((as_type<uint>(q) & 255u) << (8u * _e194));
                        int _e198 = sum_1;
                        sum_1 = as_type<int>(as_type<uint>(_e198) + as_type<uint>(q));
                    }
                }
            }
            uint _e205 = w_1;
            uint _e208 = word;
            acts[(row * words) + _e205] = _e208;
            int _e211 = sum_1;
            int _e212 = metal::atomic_fetch_add_explicit(&sums.inner[g_3], _e211, metal::memory_order_relaxed);
        }
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    g_1 = t;
    uint2 loop_bound_6 = uint2(4294967295u);
    bool loop_init_6 = true;
    while(true) {
        if (metal::all(loop_bound_6 == uint2(0u))) { break; }
        loop_bound_6 -= uint2(loop_bound_6.y == 0u, 1u);
        if (!loop_init_6) {
            uint _e244 = g_1;
            g_1 = _e244 + 64u;
        }
        loop_init_6 = false;
        uint _e217 = g_1;
        if (_e217 < groups) {
        } else {
            break;
        }
        {
            uint _e220 = g_1;
            uint peak_2 = metal::atomic_load_explicit(&peaks.inner[_e220], metal::memory_order_relaxed);
            d = as_type<float>(peak_2) / 127.0;
            float _e227 = d;
            if (_e227 < 0.000000000000000000000000000000000000011754944) {
                d = 0.0;
            }
            uint _e233 = g_1;
            float _e236 = d;
            uint _e239 = g_1;
            int _e241 = metal::atomic_load_explicit(&sums.inner[_e239], metal::memory_order_relaxed);
            scales[(row * groups) + _e233] = metal::uint2(as_type<uint>(_e236), as_type<uint>(_e241));
        }
    }
    return;
}
