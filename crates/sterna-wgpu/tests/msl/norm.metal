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
    metal::uint4 inner[1];
};
struct Params {
    uint input;
    uint input_cols;
    uint out;
    uint out_cols;
    uint width;
    uint weight;
    uint weighted;
    uint count_at;
    float eps;
    char _pad9[12];
    type_4 pad;
};
typedef uint type_5[1];
typedef float type_6[1];
struct type_7 {
    float inner[8];
};

uint call_row(
    uint i_2
) {
    return 4u + (4u * i_2);
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
    float y_1 = metal::fma(r * r, _e34, r) + 1.0;
    float scale = as_type<float>(static_cast<uint>(as_type<int>(as_type<uint>(naga_f2i32(n)) + as_type<uint>(127))) << 23u);
    return (x < -87.3) ? 0.0 : (y_1 * scale);
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

struct main_Input {
};
[[max_total_threads_per_threadgroup(64)]] kernel void main_(
  metal::uint3 group [[threadgroup_position_in_grid]]
, uint t [[thread_index_in_threadgroup]]
, constant Params& p_1 [[user(fake0)]]
, device type_5 const& call [[user(fake0)]]
, device type_6 const& vectors [[user(fake0)]]
, device type_6& arena [[user(fake0)]]
, threadgroup type_7& lanes
, constant _mslBufferSizes& _buffer_sizes [[user(fake0)]]
) {
    bool local = {};
    float sum = 0.0;
    uint i = {};
    uint i_1 = {};
    float y = {};
    uint row = group.y;
    uint _e5 = p_1.input;
    uint _e8 = p_1.input_cols;
    uint _e14 = p_1.width;
    uint start_at = (_e5 + (row * _e8)) + (group.x * _e14);
    uint _e19 = p_1.out;
    uint _e22 = p_1.out_cols;
    uint _e28 = p_1.width;
    uint to = (_e19 + (row * _e22)) + (group.x * _e28);
    uint _e34 = p_1.count_at;
    uint _e36 = call[_e34];
    bool live = row < _e36;
    if (live) {
        local = t < 8u;
    } else {
        local = false;
    }
    bool _e43 = local;
    if (_e43) {
        i = t;
        uint2 loop_bound = uint2(4294967295u);
        bool loop_init = true;
        while(true) {
            if (metal::all(loop_bound == uint2(0u))) { break; }
            loop_bound -= uint2(loop_bound.y == 0u, 1u);
            if (!loop_init) {
                uint _e59 = i;
                i = _e59 + 8u;
            }
            loop_init = false;
            uint _e47 = i;
            uint _e50 = p_1.width;
            if (_e47 < _e50) {
            } else {
                break;
            }
            {
                uint _e53 = i;
                float v = arena[start_at + _e53];
                float _e57 = sum;
                sum = metal::fma(v, v, _e57);
            }
        }
        float _e64 = sum;
        lanes.inner[t] = _e64;
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    if (!(live)) {
        return;
    }
    float _e68 = lanes.inner[0];
    float _e71 = lanes.inner[1];
    float _e74 = lanes.inner[2];
    float _e77 = lanes.inner[3];
    float _e80 = lanes.inner[4];
    float _e83 = lanes.inner[5];
    float _e86 = lanes.inner[6];
    float _e89 = lanes.inner[7];
    float _e90 = tree8_(_e68, _e71, _e74, _e77, _e80, _e83, _e86, _e89);
    uint _e93 = p_1.width;
    float _e98 = p_1.eps;
    float inverse = 1.0 / metal::sqrt((_e90 / static_cast<float>(_e93)) + _e98);
    i_1 = t;
    uint2 loop_bound_1 = uint2(4294967295u);
    bool loop_init_1 = true;
    while(true) {
        if (metal::all(loop_bound_1 == uint2(0u))) { break; }
        loop_bound_1 -= uint2(loop_bound_1.y == 0u, 1u);
        if (!loop_init_1) {
            uint _e136 = i_1;
            i_1 = _e136 + 64u;
        }
        loop_init_1 = false;
        uint _e104 = i_1;
        uint _e107 = p_1.width;
        if (_e104 < _e107) {
        } else {
            break;
        }
        {
            uint _e110 = i_1;
            float _e113 = arena[start_at + _e110];
            y = _e113 * inverse;
            uint _e118 = p_1.weighted;
            if (_e118 != 0u) {
                float _e121 = y;
                uint _e125 = p_1.weight;
                uint _e126 = i_1;
                float _e129 = vectors[_e125 + _e126];
                y = _e121 * _e129;
            }
            uint _e132 = i_1;
            float _e135 = y;
            arena[to + _e132] = _e135;
        }
    }
    return;
}
