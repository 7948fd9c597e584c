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
    metal::uint4 inner[2];
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
    type_4 pad;
};
typedef uint type_5[1];
typedef float type_6[1];
struct type_7 {
    float inner[64];
};
struct type_8 {
    float inner[8];
};
struct type_10 {
    float inner[1];
};
constant uint HEAD_DIM = 64u;
constant uint DIMS = 1u;

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
    float d,
    float e,
    float f,
    float g,
    float h
) {
    return ((a + e) + (c_1 + g)) + ((b + f) + (d + h));
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
, device type_5 const& call [[user(fake0)]]
, device type_5 const& state [[user(fake0)]]
, device type_6& arena [[user(fake0)]]
, threadgroup type_7& query
, threadgroup type_7& weights
, threadgroup type_7& peaks
, threadgroup type_8& lanes
, constant _mslBufferSizes& _buffer_sizes [[user(fake0)]]
) {
    uint i = {};
    type_10 out = {};
    float total_max = -340282350000000000000000000000000000000.0;
    float total_sum = 0.0;
    uint start = 0u;
    float score = {};
    float acc = {};
    uint w = {};
    uint half_ = {};
    bool local = {};
    float sum = {};
    uint j = {};
    bool local_1 = {};
    uint i_1 = {};
    float acc_1 = {};
    uint j_1 = {};
    uint i_2 = 0u;
    uint row = group.y;
    uint _e5 = call[0];
    if (row >= _e5) {
        return;
    }
    uint head = group.x;
    uint _e9 = call_row(row);
    uint _e13 = call[_e9 + 1u];
    uint count = _e13 + 1u;
    uint _e17 = call_row(row);
    uint slot = call[_e17 + 2u];
    uint _e24 = p_1.capacity;
    uint _e30 = p_1.kv_words;
    uint _e34 = p_1.share;
    uint base = (((slot * _e24) * 2u) * _e30) + (naga_div(head, _e34) * 32u);
    i = t;
    uint2 loop_bound = uint2(4294967295u);
    bool loop_init = true;
    while(true) {
        if (metal::all(loop_bound == uint2(0u))) { break; }
        loop_bound -= uint2(loop_bound.y == 0u, 1u);
        if (!loop_init) {
            uint _e62 = i;
            i = _e62 + 64u;
        }
        loop_init = false;
        uint _e40 = i;
        if (_e40 < HEAD_DIM) {
        } else {
            break;
        }
        {
            uint _e44 = i;
            uint _e49 = p_1.q;
            uint _e52 = p_1.q_cols;
            uint _e58 = i;
            float _e61 = arena[((_e49 + (row * _e52)) + (head * HEAD_DIM)) + _e58];
            query.inner[_e44] = _e61;
        }
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    uint2 loop_bound_1 = uint2(4294967295u);
    bool loop_init_1 = true;
    while(true) {
        if (metal::all(loop_bound_1 == uint2(0u))) { break; }
        loop_bound_1 -= uint2(loop_bound_1.y == 0u, 1u);
        if (!loop_init_1) {
            uint _e313 = start;
            start = _e313 + 64u;
        }
        loop_init_1 = false;
        uint _e72 = start;
        if (_e72 < count) {
        } else {
            break;
        }
        {
            uint _e75 = start;
            uint keys = metal::min(64u, count - _e75);
            score = -340282350000000000000000000000000000000.0;
            if (t < keys) {
                uint _e81 = start;
                uint _e87 = p_1.kv_words;
                uint key = base + (((_e81 + t) * 2u) * _e87);
                acc = 0.0;
                w = 0u;
                uint2 loop_bound_2 = uint2(4294967295u);
                bool loop_init_2 = true;
                while(true) {
                    if (metal::all(loop_bound_2 == uint2(0u))) { break; }
                    loop_bound_2 -= uint2(loop_bound_2.y == 0u, 1u);
                    if (!loop_init_2) {
                        uint _e124 = w;
                        w = _e124 + 1u;
                    }
                    loop_init_2 = false;
                    uint _e94 = w;
                    if (_e94 < 32u) {
                    } else {
                        break;
                    }
                    {
                        uint _e98 = w;
                        uint _e101 = state[key + _e98];
                        metal::float2 k = float2(as_type<half2>(_e101));
                        uint _e105 = w;
                        float _e108 = query.inner[2u * _e105];
                        float _e110 = acc;
                        acc = metal::fma(_e108, k.x, _e110);
                        uint _e114 = w;
                        float _e119 = query.inner[(2u * _e114) + 1u];
                        float _e121 = acc;
                        acc = metal::fma(_e119, k.y, _e121);
                    }
                }
                float _e126 = acc;
                float _e129 = p_1.scale;
                score = _e126 * _e129;
            }
            float _e133 = score;
            float _e134 = score;
            peaks.inner[t] = ((as_type<uint>(_e134) & 2147483647u) > 2139095040u) ? -340282350000000000000000000000000000000.0 : _e133;
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
            half_ = 32u;
            uint2 loop_bound_3 = uint2(4294967295u);
            bool loop_init_3 = true;
            while(true) {
                if (metal::all(loop_bound_3 == uint2(0u))) { break; }
                loop_bound_3 -= uint2(loop_bound_3.y == 0u, 1u);
                if (!loop_init_3) {
                    uint _e169 = half_;
                    half_ = naga_div(_e169, 2u);
                }
                loop_init_3 = false;
                uint _e144 = half_;
                if (_e144 > 0u) {
                } else {
                    break;
                }
                {
                    uint _e147 = half_;
                    if (t < _e147) {
                        uint _e152 = half_;
                        float _e155 = peaks.inner[t + _e152];
                        float _e158 = peaks.inner[t];
                        local = _e155 > _e158;
                    } else {
                        local = false;
                    }
                    bool _e161 = local;
                    if (_e161) {
                        uint _e165 = half_;
                        float _e168 = peaks.inner[t + _e165];
                        peaks.inner[t] = _e168;
                    }
                    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
                }
            }
            float peak = peaks.inner[0];
            float _e177 = score;
            float _e179 = exp_law(_e177 - peak);
            weights.inner[t] = (t < keys) ? _e179 : 0.0;
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
            if (t < 8u) {
                sum = 0.0;
                j = t;
                uint2 loop_bound_4 = uint2(4294967295u);
                bool loop_init_4 = true;
                while(true) {
                    if (metal::all(loop_bound_4 == uint2(0u))) { break; }
                    loop_bound_4 -= uint2(loop_bound_4.y == 0u, 1u);
                    if (!loop_init_4) {
                        uint _e196 = j;
                        j = _e196 + 8u;
                    }
                    loop_init_4 = false;
                    uint _e188 = j;
                    if (_e188 < keys) {
                    } else {
                        break;
                    }
                    {
                        float _e190 = sum;
                        uint _e192 = j;
                        float _e194 = weights.inner[_e192];
                        sum = _e190 + _e194;
                    }
                }
                float _e201 = sum;
                lanes.inner[t] = _e201;
            }
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
            float _e204 = lanes.inner[0];
            float _e207 = lanes.inner[1];
            float _e210 = lanes.inner[2];
            float _e213 = lanes.inner[3];
            float _e216 = lanes.inner[4];
            float _e219 = lanes.inner[5];
            float _e222 = lanes.inner[6];
            float _e225 = lanes.inner[7];
            float _e226 = tree8_(_e204, _e207, _e210, _e213, _e216, _e219, _e222, _e225);
            uint _e227 = start;
            bool first = _e227 == 0u;
            float _e230 = total_max;
            if (!(first)) {
                float _e234 = total_max;
                local_1 = peak > _e234;
            } else {
                local_1 = true;
            }
            bool _e237 = local_1;
            float merged = _e237 ? peak : _e230;
            float _e239 = total_max;
            float _e241 = exp_law(_e239 - merged);
            float _e243 = exp_law(peak - merged);
            i_1 = 0u;
            uint2 loop_bound_5 = uint2(4294967295u);
            bool loop_init_5 = true;
            while(true) {
                if (metal::all(loop_bound_5 == uint2(0u))) { break; }
                loop_bound_5 -= uint2(loop_bound_5.y == 0u, 1u);
                if (!loop_init_5) {
                    uint _e307 = i_1;
                    i_1 = _e307 + 1u;
                }
                loop_init_5 = false;
                uint _e246 = i_1;
                if (_e246 < DIMS) {
                } else {
                    break;
                }
                {
                    uint _e250 = i_1;
                    uint dim = t + (64u * _e250);
                    if (dim < HEAD_DIM) {
                        acc_1 = 0.0;
                        j_1 = 0u;
                        uint2 loop_bound_6 = uint2(4294967295u);
                        bool loop_init_6 = true;
                        while(true) {
                            if (metal::all(loop_bound_6 == uint2(0u))) { break; }
                            loop_bound_6 -= uint2(loop_bound_6.y == 0u, 1u);
                            if (!loop_init_6) {
                                uint _e294 = j_1;
                                j_1 = _e294 + 1u;
                            }
                            loop_init_6 = false;
                            uint _e259 = j_1;
                            if (_e259 < keys) {
                            } else {
                                break;
                            }
                            {
                                uint _e262 = start;
                                uint _e263 = j_1;
                                uint _e271 = p_1.kv_words;
                                uint word = state[(base + ((((_e262 + _e263) * 2u) + 1u) * _e271)) + naga_div(dim, 2u)];
                                metal::float2 v = float2(as_type<half2>(word));
                                uint _e281 = j_1;
                                float _e283 = weights.inner[_e281];
                                float _e291 = acc_1;
                                acc_1 = metal::fma(_e283, (naga_mod(dim, 2u) == 1u) ? v.y : v.x, _e291);
                            }
                        }
                        uint _e296 = i_1;
                        uint _e298 = i_1;
                        float _e300 = out.inner[_e298];
                        float _e301 = acc_1;
                        float _e304 = acc_1;
                        out.inner[_e296] = first ? _e304 : metal::fma(_e300, _e241, _e301 * _e243);
                    }
                }
            }
            float _e309 = total_sum;
            total_sum = first ? _e226 : metal::fma(_e309, _e241, _e226 * _e243);
            total_max = merged;
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
        }
    }
    uint2 loop_bound_7 = uint2(4294967295u);
    bool loop_init_7 = true;
    while(true) {
        if (metal::all(loop_bound_7 == uint2(0u))) { break; }
        loop_bound_7 -= uint2(loop_bound_7.y == 0u, 1u);
        if (!loop_init_7) {
            uint _e347 = i_2;
            i_2 = _e347 + 1u;
        }
        loop_init_7 = false;
        uint _e318 = i_2;
        if (_e318 < DIMS) {
        } else {
            break;
        }
        {
            uint _e322 = i_2;
            uint dim_1 = t + (64u * _e322);
            if (dim_1 < HEAD_DIM) {
                uint _e330 = p_1.out;
                uint _e333 = p_1.out_cols;
                uint _e341 = i_2;
                float _e343 = out.inner[_e341];
                float _e344 = total_sum;
                arena[((_e330 + (row * _e333)) + (head * HEAD_DIM)) + dim_1] = _e343 / _e344;
            }
        }
    }
    return;
}
