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
    type_5 pad;
};
typedef uint type_6[1];
typedef float type_7[1];
struct type_8 {
    float inner[8];
};
struct type_9 {
    float inner[64];
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
    device type_7 const& arena,
    threadgroup type_8& lanes,
    threadgroup type_9& chains,
    threadgroup float& total,
    constant _mslBufferSizes& _buffer_sizes
) {
    float sum = 0.0;
    uint i_2 = {};
    uint piece = 0u;
    float part = {};
    bool local = {};
    uint half_ = {};
    bool local_1 = {};
    float sum_1 = {};
    if (naga_mod(width, 256u) != 0u) {
        if (t_1 < 8u) {
            i_2 = t_1;
            uint2 loop_bound = uint2(4294967295u);
            bool loop_init = true;
            while(true) {
                if (metal::all(loop_bound == uint2(0u))) { break; }
                loop_bound -= uint2(loop_bound.y == 0u, 1u);
                if (!loop_init) {
                    uint _e21 = i_2;
                    i_2 = _e21 + 8u;
                }
                loop_init = false;
                uint _e12 = i_2;
                if (_e12 < width) {
                } else {
                    break;
                }
                {
                    uint _e15 = i_2;
                    float v = arena[start_at + _e15];
                    float _e19 = sum;
                    sum = metal::fma(v, v, _e19);
                }
            }
            float _e26 = sum;
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
                local = mine < pieces;
            } else {
                local = false;
            }
            bool _e70 = local;
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
                        local_1 = naga_mod(t_1, 32u) < _e136;
                    } else {
                        local_1 = false;
                    }
                    bool _e139 = local_1;
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
                sum_1 = _e156;
                uint _e158 = piece;
                if (_e158 > 0u) {
                    float _e162 = total;
                    float _e165 = chains.inner[0];
                    sum_1 = _e162 + _e165;
                }
                uint _e167 = piece;
                if ((_e167 + 1u) < pieces) {
                    float _e171 = sum_1;
                    float _e174 = chains.inner[32];
                    sum_1 = _e171 + _e174;
                }
                float _e177 = sum_1;
                total = _e177;
            }
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
        }
    }
    float _e182 = total;
    return _e182;
}

struct main_Input {
};
[[max_total_threads_per_threadgroup(64)]] kernel void main_(
  metal::uint3 group [[threadgroup_position_in_grid]]
, uint t [[thread_index_in_threadgroup]]
, constant Params& p_1 [[user(fake0)]]
, device type_6 const& call [[user(fake0)]]
, device type_7 const& vectors [[user(fake0)]]
, device type_7& arena [[user(fake0)]]
, threadgroup type_8& lanes
, threadgroup type_9& chains
, threadgroup float& total
, constant _mslBufferSizes& _buffer_sizes [[user(fake0)]]
) {
    uint i = {};
    float y = {};
    uint row = group.y;
    uint _e5 = p_1.input;
    uint _e8 = p_1.input_cols;
    uint _e14 = p_1.width;
    uint start_at_1 = (_e5 + (row * _e8)) + (group.x * _e14);
    uint _e19 = p_1.out;
    uint _e22 = p_1.out_cols;
    uint _e28 = p_1.width;
    uint to = (_e19 + (row * _e22)) + (group.x * _e28);
    uint _e34 = p_1.count_at;
    uint _e36 = call[_e34];
    if (row >= _e36) {
        return;
    }
    uint _e40 = p_1.width;
    float _e41 = sum_of_squares(start_at_1, _e40, t, arena, lanes, chains, total, _buffer_sizes);
    uint _e44 = p_1.width;
    float _e49 = p_1.eps;
    float inverse = 1.0 / metal::sqrt((_e41 / static_cast<float>(_e44)) + _e49);
    i = t;
    uint2 loop_bound_3 = uint2(4294967295u);
    bool loop_init_3 = true;
    while(true) {
        if (metal::all(loop_bound_3 == uint2(0u))) { break; }
        loop_bound_3 -= uint2(loop_bound_3.y == 0u, 1u);
        if (!loop_init_3) {
            uint _e87 = i;
            i = _e87 + 64u;
        }
        loop_init_3 = false;
        uint _e55 = i;
        uint _e58 = p_1.width;
        if (_e55 < _e58) {
        } else {
            break;
        }
        {
            uint _e61 = i;
            float _e64 = arena[start_at_1 + _e61];
            y = _e64 * inverse;
            uint _e69 = p_1.weighted;
            if (_e69 != 0u) {
                float _e72 = y;
                uint _e76 = p_1.weight;
                uint _e77 = i;
                float _e80 = vectors[_e76 + _e77];
                y = _e72 * _e80;
            }
            uint _e83 = i;
            float _e86 = y;
            arena[to + _e83] = _e86;
        }
    }
    return;
}
