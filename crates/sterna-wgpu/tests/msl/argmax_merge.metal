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

struct type_5 {
    metal::uint4 inner[3];
};
struct Params {
    uint logits;
    uint cols;
    uint valid;
    uint pad0_;
    type_5 pad;
};
typedef uint type_6[1];
typedef float type_7[1];
typedef metal::uint4 type_8[1];
struct type_10 {
    metal::uint3 inner[64];
};
constant uint THREADS = 64u;
constant uint PARTS = 64u;
constant bool PARTIAL = false;
constant bool MERGE = true;

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
    metal::uint3 a_2,
    metal::uint3 b_2
) {
    bool local = {};
    bool local_1 = {};
    if (!((b_2.x > a_2.x))) {
        if (b_2.x == a_2.x) {
            local_1 = b_2.y < a_2.y;
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
        return metal::uint3(b_2.x, b_2.y, metal::max(a_2.x, b_2.z));
    }
    return metal::uint3(a_2.x, a_2.y, metal::max(a_2.z, b_2.x));
}
uint naga_div(uint lhs, uint rhs) {
    return lhs / metal::select(rhs, 1u, rhs == 0u);
}


struct main_Input {
};
[[max_total_threads_per_threadgroup(64)]] kernel void main_(
  metal::uint3 group [[threadgroup_position_in_grid]]
, uint t [[thread_index_in_threadgroup]]
, device type_6& call [[user(fake0)]]
, device type_8& results [[user(fake0)]]
, device type_8 const& partials [[user(fake0)]]
, threadgroup type_10& best
, threadgroup metal::atomic_uint& bad
, constant _mslBufferSizes& _buffer_sizes [[user(fake0)]]
) {
    metal::uint3 top = metal::uint3(0u, 4294967295u, 0u);
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
    if (t < PARTS) {
        metal::uint4 part = partials[(row * PARTS) + t];
        top = part.xyz;
        uint _e27 = metal::atomic_fetch_max_explicit(&bad, part.w, metal::memory_order_relaxed);
    }
    metal::uint3 _e30 = top;
    best.inner[t] = _e30;
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    uint2 loop_bound = uint2(4294967295u);
    bool loop_init = true;
    while(true) {
        if (metal::all(loop_bound == uint2(0u))) { break; }
        loop_bound -= uint2(loop_bound.y == 0u, 1u);
        if (!loop_init) {
            uint _e49 = half_;
            half_ = naga_div(_e49, 2u);
        }
        loop_init = false;
        uint _e33 = half_;
        if (_e33 > 0u) {
        } else {
            break;
        }
        {
            uint _e36 = half_;
            if (t < _e36) {
                metal::uint3 _e42 = best.inner[t];
                uint _e44 = half_;
                metal::uint3 _e47 = best.inner[t + _e44];
                metal::uint3 _e48 = better(_e42, _e47);
                best.inner[t] = _e48;
            }
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
        }
    }
    if (t == 0u) {
        uint _e59 = best.inner[0].y;
        uint _e63 = best.inner[0].x;
        uint _e64 = unorder(_e63);
        uint _e68 = best.inner[0].z;
        uint _e69 = unorder(_e68);
        uint _e71 = metal::atomic_load_explicit(&bad, metal::memory_order_relaxed);
        results[row] = metal::uint4(_e59, _e64, _e69, _e71);
        uint _e75 = call[2];
        if (_e75 == 1u) {
            uint _e80 = call_row(0u);
            uint _e85 = best.inner[0].y;
            call[_e80] = _e85;
            uint _e88 = call_row(0u);
            uint _e92 = call[_e88 + 1u];
            call[_e88 + 1u] = _e92 + 1u;
            return;
        } else {
            return;
        }
    } else {
        return;
    }
}
