// language: metal2.4
#include <metal_stdlib>
#include <simd/simd.h>

using metal::uint;

struct _mslBufferSizes {
    uint size1;
    uint size2;
    uint size3;
};

struct type_4 {
    metal::uint4 inner[3];
};
struct Params {
    uint logits;
    uint cols;
    uint valid;
    uint pad0_;
    type_4 pad;
};
typedef uint type_5[1];
typedef float type_6[1];
typedef metal::uint4 type_7[1];
struct type_9 {
    metal::uint3 inner[64];
};

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

uint order(
    float x_5
) {
    uint bits = as_type<uint>(x_5);
    if ((bits & 2147483647u) == 0u) {
        return 2147483648u;
    }
    return (bits >= 2147483648u) ? ~(bits) : (bits | 2147483648u);
}

uint unorder(
    uint key
) {
    return (key >= 2147483648u) ? (key & 2147483647u) : ~(key);
}

metal::uint3 better(
    metal::uint3 a_1,
    metal::uint3 b_1
) {
    bool local = {};
    bool local_1 = {};
    if (!((b_1.x > a_1.x))) {
        if (b_1.x == a_1.x) {
            local_1 = b_1.y < a_1.y;
        } else {
            local_1 = false;
        }
        bool _e17 = local_1;
        local = _e17;
    } else {
        local = true;
    }
    bool _e19 = local;
    if (_e19) {
        return metal::uint3(b_1.x, b_1.y, metal::max(a_1.x, b_1.z));
    }
    return metal::uint3(a_1.x, a_1.y, metal::max(a_1.z, b_1.x));
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
, device type_5 const& call [[user(fake0)]]
, device type_6 const& arena [[user(fake0)]]
, device type_7& results [[user(fake0)]]
, threadgroup type_9& best
, threadgroup metal::atomic_uint& bad
, constant _mslBufferSizes& _buffer_sizes [[user(fake0)]]
) {
    metal::uint3 top = metal::uint3(0u, 4294967295u, 0u);
    uint i = {};
    uint half_ = 32u;
    uint row = group.y;
    uint _e5 = call[1];
    if (row >= _e5) {
        return;
    }
    if (t == 0u) {
        metal::atomic_store_explicit(&bad, 0u, metal::memory_order_relaxed);
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    i = t;
    uint2 loop_bound = uint2(4294967295u);
    bool loop_init = true;
    while(true) {
        if (metal::all(loop_bound == uint2(0u))) { break; }
        loop_bound -= uint2(loop_bound.y == 0u, 1u);
        if (!loop_init) {
            uint _e45 = i;
            i = _e45 + 64u;
        }
        loop_init = false;
        uint _e17 = i;
        uint _e20 = p_1.valid;
        if (_e17 < _e20) {
        } else {
            break;
        }
        {
            uint _e25 = p_1.logits;
            uint _e28 = p_1.cols;
            uint _e31 = i;
            float x_6 = arena[(_e25 + (row * _e28)) + _e31];
            bool _e35 = is_bad(x_6);
            if (_e35) {
                uint _e38 = metal::atomic_fetch_max_explicit(&bad, 1u, metal::memory_order_relaxed);
            }
            metal::uint3 _e39 = top;
            uint _e40 = order(x_6);
            uint _e41 = i;
            metal::uint3 _e44 = better(_e39, metal::uint3(_e40, _e41, 0u));
            top = _e44;
        }
    }
    metal::uint3 _e50 = top;
    best.inner[t] = _e50;
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    uint2 loop_bound_1 = uint2(4294967295u);
    bool loop_init_1 = true;
    while(true) {
        if (metal::all(loop_bound_1 == uint2(0u))) { break; }
        loop_bound_1 -= uint2(loop_bound_1.y == 0u, 1u);
        if (!loop_init_1) {
            uint _e69 = half_;
            half_ = naga_div(_e69, 2u);
        }
        loop_init_1 = false;
        uint _e53 = half_;
        if (_e53 > 0u) {
        } else {
            break;
        }
        {
            uint _e56 = half_;
            if (t < _e56) {
                metal::uint3 _e62 = best.inner[t];
                uint _e64 = half_;
                metal::uint3 _e67 = best.inner[t + _e64];
                metal::uint3 _e68 = better(_e62, _e67);
                best.inner[t] = _e68;
            }
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
        }
    }
    if (t == 0u) {
        uint _e79 = best.inner[0].y;
        uint _e83 = best.inner[0].x;
        uint _e84 = unorder(_e83);
        uint _e88 = best.inner[0].z;
        uint _e89 = unorder(_e88);
        uint _e91 = metal::atomic_load_explicit(&bad, metal::memory_order_relaxed);
        results[row] = metal::uint4(_e79, _e84, _e89, _e91);
        return;
    } else {
        return;
    }
}
