// language: metal2.4
#include <metal_stdlib>
#include <simd/simd.h>

using metal::uint;

struct _mslBufferSizes {
    uint size1;
    uint size2;
};

struct type_5 {
    metal::uint4 inner[1];
};
struct Params {
    uint a;
    uint a_cols;
    uint b;
    uint b_cols;
    uint out;
    uint out_cols;
    uint len;
    uint count_at;
    float factor;
    char _pad9[12];
    type_5 pad;
};
typedef uint type_6[1];
typedef float type_7[1];
constant uint WHAT = 0u;

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

struct main_Input {
};
[[max_total_threads_per_threadgroup(64)]] kernel void main_(
  metal::uint3 id [[thread_position_in_grid]]
, constant Params& p_1 [[user(fake0)]]
, device type_6 const& call [[user(fake0)]]
, device type_7& arena [[user(fake0)]]
, constant _mslBufferSizes& _buffer_sizes [[user(fake0)]]
) {
    bool local = {};
    uint start_at = {};
    uint row = id.y;
    uint col = id.x;
    uint _e6 = p_1.count_at;
    uint _e8 = call[_e6];
    if (!((row >= _e8))) {
        uint _e15 = p_1.len;
        local = col >= _e15;
    } else {
        local = true;
    }
    bool _e18 = local;
    if (_e18) {
        return;
    }
    start_at = row;
    if (false) {
        uint _e22 = call_row(row);
        uint _e26 = call[_e22 + 3u];
        start_at = _e26;
    }
    uint _e30 = p_1.a;
    uint _e31 = start_at;
    uint _e34 = p_1.a_cols;
    float a_2 = arena[(_e30 + (_e31 * _e34)) + col];
    uint _e42 = p_1.out;
    uint _e45 = p_1.out_cols;
    uint to = (_e42 + (row * _e45)) + col;
    if (true) {
        float _e52 = silu_law(a_2);
        uint _e56 = p_1.b;
        uint _e59 = p_1.b_cols;
        float _e64 = arena[(_e56 + (row * _e59)) + col];
        arena[to] = _e52 * _e64;
        return;
    } else {
        if (false) {
            float _e69 = gelu_law(a_2);
            uint _e73 = p_1.b;
            uint _e76 = p_1.b_cols;
            float _e81 = arena[(_e73 + (row * _e76)) + col];
            arena[to] = _e69 * _e81;
            return;
        } else {
            if (false) {
                float _e86 = sigmoid_law(a_2);
                uint _e90 = p_1.b;
                uint _e93 = p_1.b_cols;
                float _e98 = arena[(_e90 + (row * _e93)) + col];
                arena[to] = _e86 * _e98;
                return;
            } else {
                if (false) {
                    float _e105 = p_1.factor;
                    float _e108 = arena[to];
                    arena[to] = metal::fma(_e105, a_2, _e108);
                    return;
                } else {
                    if (false) {
                        float _e115 = p_1.factor;
                        arena[to] = a_2 * _e115;
                        return;
                    } else {
                        arena[to] = a_2;
                        return;
                    }
                }
            }
        }
    }
}
