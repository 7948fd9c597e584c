// language: metal2.4
#include <metal_stdlib>
#include <simd/simd.h>

using metal::uint;

struct _mslBufferSizes {
    uint size1;
    uint size2;
    uint size3;
};

struct type_5 {
    metal::uint4 inner[1];
};
struct Params {
    uint cols;
    uint repeat;
    uint stride;
    uint first;
    uint count;
    uint field;
    uint out;
    uint out_cols;
    float scale;
    char _pad9[12];
    type_5 pad;
};
typedef uint type_6[1];
typedef float type_7[1];
constant uint FORMAT = 0u;

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

uint naga_div(uint lhs, uint rhs) {
    return lhs / metal::select(rhs, 1u, rhs == 0u);
}

uint naga_mod(uint lhs, uint rhs) {
    return lhs % metal::select(rhs, 1u, rhs == 0u);
}

float value(
    uint row,
    uint col,
    constant Params& p_1,
    device type_6 const& table,
    constant _mslBufferSizes& _buffer_sizes
) {
    if (false) {
        uint _e6 = p_1.stride;
        uint _e10 = table[(row * _e6) + col];
        return as_type<float>(_e10);
    }
    uint _e15 = p_1.stride;
    uint word = table[(row * _e15) + naga_div(col, 2u)];
    if (false) {
        return as_type<float>((naga_mod(col, 2u) == 1u) ? (word & 4294901760u) : (word << 16u));
    }
    metal::float2 pair = float2(as_type<half2>(word));
    return (naga_mod(col, 2u) == 1u) ? pair.y : pair.x;
}

struct main_Input {
};
[[max_total_threads_per_threadgroup(64)]] kernel void main_(
  metal::uint3 id [[thread_position_in_grid]]
, constant Params& p_1 [[user(fake0)]]
, device type_6 const& call [[user(fake0)]]
, device type_6 const& table [[user(fake0)]]
, device type_7& arena [[user(fake0)]]
, constant _mslBufferSizes& _buffer_sizes [[user(fake0)]]
) {
    bool local = {};
    bool local_1 = {};
    uint row_1 = id.y;
    uint col_1 = id.x;
    uint _e5 = call[0];
    if (!((row_1 >= _e5))) {
        uint _e12 = p_1.repeat;
        uint _e15 = p_1.cols;
        local = col_1 >= (_e12 * _e15);
    } else {
        local = true;
    }
    bool _e19 = local;
    if (_e19) {
        return;
    }
    uint _e21 = call_row(row_1);
    uint _e24 = p_1.field;
    uint _e27 = call[_e21 + _e24];
    uint _e30 = p_1.repeat;
    uint _e34 = p_1.cols;
    uint index = (_e27 * _e30) + naga_div(col_1, _e34);
    uint _e39 = p_1.first;
    if (!((index < _e39))) {
        uint _e46 = p_1.first;
        uint _e50 = p_1.count;
        local_1 = (index - _e46) >= _e50;
    } else {
        local_1 = true;
    }
    bool _e53 = local_1;
    if (_e53) {
        return;
    }
    uint _e57 = p_1.out;
    uint _e60 = p_1.out_cols;
    uint _e67 = p_1.first;
    uint _e71 = p_1.cols;
    float _e73 = value(index - _e67, naga_mod(col_1, _e71), p_1, table, _buffer_sizes);
    float _e76 = p_1.scale;
    arena[(_e57 + (row_1 * _e60)) + col_1] = _e73 * _e76;
    return;
}
