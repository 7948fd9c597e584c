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
    uint outs;
    uint cols;
    uint stride;
    uint count_at;
    uint input;
    uint input_cols;
    uint mode;
    uint out;
    uint out_cols;
    float factor;
    uint pad0_;
    uint pad1_;
    type_5 pad;
};
typedef float type_6[1];
typedef uint type_7[1];
struct type_8 {
    float inner[1024];
};
struct type_11 {
    float inner[16];
};
constant uint FORMAT = 0u;
constant uint ROWS = 16u;
constant bool PAIRS = true;

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
    float n_1 = metal::rint(_e8 * 1.442695);
    float _e12 = c;
    float r_3 = metal::fma(n_1, 0.00021219444, metal::fma(n_1, -0.6933594, _e12));
    p = metal::fma(0.00019875691, r_3, 0.0013981999);
    float _e21 = p;
    p = metal::fma(_e21, r_3, 0.008333452);
    float _e24 = p;
    p = metal::fma(_e24, r_3, 0.041665796);
    float _e27 = p;
    p = metal::fma(_e27, r_3, 0.16666666);
    float _e30 = p;
    p = metal::fma(_e30, r_3, 0.5);
    float _e34 = p;
    float y_1 = metal::fma(r_3 * r_3, _e34, r_3) + 1.0;
    float scale = as_type<float>(static_cast<uint>(as_type<int>(as_type<uint>(naga_f2i32(n_1)) + as_type<uint>(127))) << 23u);
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

void finish(
    uint row,
    uint n,
    float y,
    constant Params& p_1,
    device type_6& arena,
    constant _mslBufferSizes& _buffer_sizes
) {
    uint _e5 = p_1.out;
    uint _e8 = p_1.out_cols;
    uint at = (_e5 + (row * _e8)) + n;
    uint _e14 = p_1.mode;
    if (_e14 == 1u) {
        float _e21 = p_1.factor;
        arena[at] = y * _e21;
        return;
    } else {
        uint _e25 = p_1.mode;
        if (_e25 == 2u) {
            float _e32 = p_1.factor;
            float _e35 = arena[at];
            arena[at] = metal::fma(_e32, y, _e35);
            return;
        } else {
            arena[at] = y;
            return;
        }
    }
}

float paired(
    float a_2,
    float b_2,
    constant Params& p_1
) {
    uint _e4 = p_1.mode;
    if (_e4 == 3u) {
        float _e7 = silu_law(a_2);
        return _e7 * b_2;
    }
    float _e9 = gelu_law(a_2);
    return _e9 * b_2;
}

metal::float2 two(
    uint word
) {
    if (false) {
        return metal::float2(as_type<float>(word << 16u), as_type<float>(word & 4294901760u));
    }
    return float2(as_type<half2>(word));
}
uint naga_div(uint lhs, uint rhs) {
    return lhs / metal::select(rhs, 1u, rhs == 0u);
}

uint naga_mod(uint lhs, uint rhs) {
    return lhs % metal::select(rhs, 1u, rhs == 0u);
}


struct main_Input {
};
[[max_total_threads_per_threadgroup(64)]] kernel void main_(
  metal::uint3 group [[threadgroup_position_in_grid]]
, uint t [[thread_index_in_threadgroup]]
, constant Params& p_1 [[user(fake0)]]
, device type_6& arena [[user(fake0)]]
, device type_7 const& call [[user(fake0)]]
, device type_7 const& weights [[user(fake0)]]
, threadgroup type_8& results
, constant _mslBufferSizes& _buffer_sizes [[user(fake0)]]
) {
    type_11 acc = {};
    uint k = 0u;
    uint r = {};
    uint k_1 = 0u;
    uint r_1 = {};
    uint r_2 = 0u;
    bool local = {};
    uint i = {};
    bool local_1 = {};
    uint n_2 = (group.x * 64u) + t;
    uint first = group.y * ROWS;
    uint _e12 = p_1.count_at;
    uint rows = call[_e12];
    uint _e18 = p_1.outs;
    if (n_2 < _e18) {
        uint _e22 = p_1.stride;
        uint w = n_2 * _e22;
        if (false) {
            uint2 loop_bound = uint2(4294967295u);
            bool loop_init = true;
            while(true) {
                if (metal::all(loop_bound == uint2(0u))) { break; }
                loop_bound -= uint2(loop_bound.y == 0u, 1u);
                if (!loop_init) {
                    uint _e71 = k;
                    k = _e71 + 1u;
                }
                loop_init = false;
                uint _e27 = k;
                uint _e30 = p_1.cols;
                if (_e27 < _e30) {
                } else {
                    break;
                }
                {
                    uint _e33 = k;
                    uint _e36 = weights[w + _e33];
                    float value = as_type<float>(_e36);
                    r = 0u;
                    uint2 loop_bound_1 = uint2(4294967295u);
                    bool loop_init_1 = true;
                    while(true) {
                        if (metal::all(loop_bound_1 == uint2(0u))) { break; }
                        loop_bound_1 -= uint2(loop_bound_1.y == 0u, 1u);
                        if (!loop_init_1) {
                            uint _e68 = r;
                            r = _e68 + 1u;
                        }
                        loop_init_1 = false;
                        uint _e40 = r;
                        if (_e40 < ROWS) {
                        } else {
                            break;
                        }
                        {
                            uint _e43 = r;
                            uint _e48 = p_1.input;
                            uint _e49 = r;
                            uint _e56 = p_1.input_cols;
                            uint _e59 = k;
                            float _e62 = arena[(_e48 + (metal::min(first + _e49, rows - 1u) * _e56)) + _e59];
                            uint _e63 = r;
                            float _e65 = acc.inner[_e63];
                            acc.inner[_e43] = metal::fma(value, _e62, _e65);
                        }
                    }
                }
            }
        } else {
            uint2 loop_bound_2 = uint2(4294967295u);
            bool loop_init_2 = true;
            while(true) {
                if (metal::all(loop_bound_2 == uint2(0u))) { break; }
                loop_bound_2 -= uint2(loop_bound_2.y == 0u, 1u);
                if (!loop_init_2) {
                    uint _e140 = k_1;
                    k_1 = _e140 + 2u;
                }
                loop_init_2 = false;
                uint _e75 = k_1;
                uint _e78 = p_1.cols;
                if (_e75 < _e78) {
                } else {
                    break;
                }
                {
                    uint _e81 = k_1;
                    uint _e86 = weights[w + naga_div(_e81, 2u)];
                    metal::float2 _e87 = two(_e86);
                    r_1 = 0u;
                    uint2 loop_bound_3 = uint2(4294967295u);
                    bool loop_init_3 = true;
                    while(true) {
                        if (metal::all(loop_bound_3 == uint2(0u))) { break; }
                        loop_bound_3 -= uint2(loop_bound_3.y == 0u, 1u);
                        if (!loop_init_3) {
                            uint _e138 = r_1;
                            r_1 = _e138 + 1u;
                        }
                        loop_init_3 = false;
                        uint _e90 = r_1;
                        if (_e90 < ROWS) {
                        } else {
                            break;
                        }
                        {
                            uint _e95 = p_1.input;
                            uint _e96 = r_1;
                            uint _e103 = p_1.input_cols;
                            uint _e106 = k_1;
                            uint at_1 = (_e95 + (metal::min(first + _e96, rows - 1u) * _e103)) + _e106;
                            uint _e108 = r_1;
                            float _e113 = arena[at_1];
                            uint _e114 = r_1;
                            float _e116 = acc.inner[_e114];
                            acc.inner[_e108] = metal::fma(_e87.x, _e113, _e116);
                            uint _e118 = k_1;
                            uint _e123 = p_1.cols;
                            if ((_e118 + 1u) < _e123) {
                                uint _e125 = r_1;
                                float _e132 = arena[at_1 + 1u];
                                uint _e133 = r_1;
                                float _e135 = acc.inner[_e133];
                                acc.inner[_e125] = metal::fma(_e87.y, _e132, _e135);
                            }
                        }
                    }
                }
            }
        }
    }
    uint2 loop_bound_4 = uint2(4294967295u);
    bool loop_init_4 = true;
    while(true) {
        if (metal::all(loop_bound_4 == uint2(0u))) { break; }
        loop_bound_4 -= uint2(loop_bound_4.y == 0u, 1u);
        if (!loop_init_4) {
            uint _e175 = r_2;
            r_2 = _e175 + 1u;
        }
        loop_init_4 = false;
        uint _e145 = r_2;
        if (_e145 < ROWS) {
        } else {
            break;
        }
        {
            if (PAIRS) {
                uint _e150 = r_2;
                uint _e155 = r_2;
                float _e157 = acc.inner[_e155];
                results.inner[(_e150 * 64u) + t] = _e157;
            } else {
                uint _e160 = p_1.outs;
                if (n_2 < _e160) {
                    uint _e164 = r_2;
                    local = (first + _e164) < rows;
                } else {
                    local = false;
                }
                bool _e168 = local;
                if (_e168) {
                    uint _e169 = r_2;
                    uint _e171 = r_2;
                    float _e173 = acc.inner[_e171];
                    finish(first + _e169, n_2, _e173, p_1, arena, _buffer_sizes);
                }
            }
        }
    }
    if (PAIRS) {
        metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
        i = t;
        uint2 loop_bound_5 = uint2(4294967295u);
        bool loop_init_5 = true;
        while(true) {
            if (metal::all(loop_bound_5 == uint2(0u))) { break; }
            loop_bound_5 -= uint2(loop_bound_5.y == 0u, 1u);
            if (!loop_init_5) {
                uint _e230 = i;
                i = _e230 + 64u;
            }
            loop_init_5 = false;
            uint _e179 = i;
            if (_e179 < 512u) {
            } else {
                break;
            }
            {
                uint _e182 = i;
                uint r_4 = naga_div(_e182, 32u);
                uint _e188 = i;
                uint out = (group.x * 32u) + naga_mod(_e188, 32u);
                if ((first + r_4) < rows) {
                    uint _e200 = p_1.outs;
                    local_1 = (2u * out) < _e200;
                } else {
                    local_1 = false;
                }
                bool _e203 = local_1;
                if (_e203) {
                    uint _e208 = i;
                    float a_3 = results.inner[(r_4 * 64u) + (2u * naga_mod(_e208, 32u))];
                    uint _e219 = i;
                    float b_3 = results.inner[((r_4 * 64u) + (2u * naga_mod(_e219, 32u))) + 1u];
                    float _e229 = paired(a_3, b_3, p_1);
                    finish(first + r_4, out, _e229, p_1, arena, _buffer_sizes);
                }
            }
        }
        return;
    } else {
        return;
    }
}
