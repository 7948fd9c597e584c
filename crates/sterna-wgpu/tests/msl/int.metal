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
    uint size6;
};

struct type_6 {
    metal::uint4 inner[1];
};
struct Params {
    uint outs;
    uint units;
    uint groups;
    uint groups_per_scale;
    uint units_per_group;
    int zero;
    uint count_at;
    uint mode;
    uint out;
    uint out_cols;
    float factor;
    uint pad0_;
    type_6 pad;
};
typedef float type_7[1];
typedef uint type_8[1];
typedef metal::uint4 type_9[1];
typedef metal::uint2 type_11[1];
struct type_12 {
    int inner[1024];
};
struct type_13 {
    float inner[128];
};
struct type_15 {
    float inner[2];
};
struct type_16 {
    int inner[2];
};
constant uint BITS = 2u;
constant uint LANES = 8u;
constant uint ROWS = 16u;
constant uint CHAINS = 2u;
constant bool PAIRS = true;
constant uint OUTS = 8u;
constant uint VECS = 4u;

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
    float c_2 = {};
    float p = {};
    c_2 = x;
    if (x > 88.0) {
        c_2 = 88.0;
    } else {
        if (x < -87.3) {
            c_2 = -87.3;
        }
    }
    float _e8 = c_2;
    float n_1 = metal::rint(_e8 * 1.442695);
    float _e12 = c_2;
    float r_1 = metal::fma(n_1, 0.00021219444, metal::fma(n_1, -0.6933594, _e12));
    p = metal::fma(0.00019875691, r_1, 0.0013981999);
    float _e21 = p;
    p = metal::fma(_e21, r_1, 0.008333452);
    float _e24 = p;
    p = metal::fma(_e24, r_1, 0.041665796);
    float _e27 = p;
    p = metal::fma(_e27, r_1, 0.16666666);
    float _e30 = p;
    p = metal::fma(_e30, r_1, 0.5);
    float _e34 = p;
    float y_1 = metal::fma(r_1 * r_1, _e34, r_1) + 1.0;
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
    float c_3,
    float d,
    float e,
    float f,
    float g_1,
    float h
) {
    return ((a + e) + (c_3 + g_1)) + ((b + f) + (d + h));
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
    device type_7& arena,
    constant _mslBufferSizes& _buffer_sizes
) {
    uint _e5 = p_1.out;
    uint _e8 = p_1.out_cols;
    uint at_1 = (_e5 + (row * _e8)) + n;
    uint _e14 = p_1.mode;
    if (_e14 == 1u) {
        float _e21 = p_1.factor;
        arena[at_1] = y * _e21;
        return;
    } else {
        uint _e25 = p_1.mode;
        if (_e25 == 2u) {
            float _e32 = p_1.factor;
            float _e35 = arena[at_1];
            arena[at_1] = metal::fma(_e32, y, _e35);
            return;
        } else {
            arena[at_1] = y;
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

int dot_word(
    uint word,
    metal::uint4 a_3
) {
    uint _e3 = word & 50529027u;
    uint _e4 = a_3.x;
    packed_char4 reinterpreted_packed_char4_e3 = as_type<packed_char4>(_e3);
    packed_char4 reinterpreted_packed_char4_e4 = as_type<packed_char4>(_e4);
    uint _e9 = (word >> 2u) & 50529027u;
    uint _e10 = a_3.y;
    packed_char4 reinterpreted_packed_char4_e9 = as_type<packed_char4>(_e9);
    packed_char4 reinterpreted_packed_char4_e10 = as_type<packed_char4>(_e10);
    uint _e16 = (word >> 4u) & 50529027u;
    uint _e17 = a_3.z;
    packed_char4 reinterpreted_packed_char4_e16 = as_type<packed_char4>(_e16);
    packed_char4 reinterpreted_packed_char4_e17 = as_type<packed_char4>(_e17);
    uint _e23 = (word >> 6u) & 50529027u;
    uint _e24 = a_3.w;
    packed_char4 reinterpreted_packed_char4_e23 = as_type<packed_char4>(_e23);
    packed_char4 reinterpreted_packed_char4_e24 = as_type<packed_char4>(_e24);
    return as_type<int>(as_type<uint>(as_type<int>(as_type<uint>(as_type<int>(as_type<uint>(( + reinterpreted_packed_char4_e3[0] * reinterpreted_packed_char4_e4[0] + reinterpreted_packed_char4_e3[1] * reinterpreted_packed_char4_e4[1] + reinterpreted_packed_char4_e3[2] * reinterpreted_packed_char4_e4[2] + reinterpreted_packed_char4_e3[3] * reinterpreted_packed_char4_e4[3])) + as_type<uint>(( + reinterpreted_packed_char4_e9[0] * reinterpreted_packed_char4_e10[0] + reinterpreted_packed_char4_e9[1] * reinterpreted_packed_char4_e10[1] + reinterpreted_packed_char4_e9[2] * reinterpreted_packed_char4_e10[2] + reinterpreted_packed_char4_e9[3] * reinterpreted_packed_char4_e10[3])))) + as_type<uint>(( + reinterpreted_packed_char4_e16[0] * reinterpreted_packed_char4_e17[0] + reinterpreted_packed_char4_e16[1] * reinterpreted_packed_char4_e17[1] + reinterpreted_packed_char4_e16[2] * reinterpreted_packed_char4_e17[2] + reinterpreted_packed_char4_e16[3] * reinterpreted_packed_char4_e17[3])))) + as_type<uint>(( + reinterpreted_packed_char4_e23[0] * reinterpreted_packed_char4_e24[0] + reinterpreted_packed_char4_e23[1] * reinterpreted_packed_char4_e24[1] + reinterpreted_packed_char4_e23[2] * reinterpreted_packed_char4_e24[2] + reinterpreted_packed_char4_e23[3] * reinterpreted_packed_char4_e24[3])));
}

int dot_unit(
    metal::uint4 w_1,
    uint at,
    device type_9 const& acts,
    constant _mslBufferSizes& _buffer_sizes
) {
    if (true) {
        metal::uint4 _e6 = acts[at];
        int _e7 = dot_word(w_1.x, _e6);
        metal::uint4 _e13 = acts[at + 1u];
        int _e14 = dot_word(w_1.y, _e13);
        metal::uint4 _e21 = acts[at + 2u];
        int _e22 = dot_word(w_1.z, _e21);
        metal::uint4 _e29 = acts[at + 3u];
        int _e30 = dot_word(w_1.w, _e29);
        return as_type<int>(as_type<uint>(as_type<int>(as_type<uint>(as_type<int>(as_type<uint>(_e7) + as_type<uint>(_e14))) + as_type<uint>(_e22))) + as_type<uint>(_e30));
    }
    if (false) {
        metal::uint4 a_4 = acts[at];
        metal::uint4 b_3 = acts[at + 1u];
        metal::uint4 low = w_1 & metal::uint4(252645135u);
        metal::uint4 high = (w_1 >> metal::uint4(4u)) & metal::uint4(252645135u);
        uint _e50 = low.x;
        uint _e51 = a_4.x;
        packed_char4 reinterpreted_packed_char4_e50 = as_type<packed_char4>(_e50);
        packed_char4 reinterpreted_packed_char4_e51 = as_type<packed_char4>(_e51);
        uint _e53 = high.x;
        uint _e54 = a_4.y;
        packed_char4 reinterpreted_packed_char4_e53 = as_type<packed_char4>(_e53);
        packed_char4 reinterpreted_packed_char4_e54 = as_type<packed_char4>(_e54);
        uint _e57 = low.y;
        uint _e58 = a_4.z;
        packed_char4 reinterpreted_packed_char4_e57 = as_type<packed_char4>(_e57);
        packed_char4 reinterpreted_packed_char4_e58 = as_type<packed_char4>(_e58);
        uint _e61 = high.y;
        uint _e62 = a_4.w;
        packed_char4 reinterpreted_packed_char4_e61 = as_type<packed_char4>(_e61);
        packed_char4 reinterpreted_packed_char4_e62 = as_type<packed_char4>(_e62);
        uint _e65 = low.z;
        uint _e66 = b_3.x;
        packed_char4 reinterpreted_packed_char4_e65 = as_type<packed_char4>(_e65);
        packed_char4 reinterpreted_packed_char4_e66 = as_type<packed_char4>(_e66);
        uint _e69 = high.z;
        uint _e70 = b_3.y;
        packed_char4 reinterpreted_packed_char4_e69 = as_type<packed_char4>(_e69);
        packed_char4 reinterpreted_packed_char4_e70 = as_type<packed_char4>(_e70);
        uint _e73 = low.w;
        uint _e74 = b_3.z;
        packed_char4 reinterpreted_packed_char4_e73 = as_type<packed_char4>(_e73);
        packed_char4 reinterpreted_packed_char4_e74 = as_type<packed_char4>(_e74);
        uint _e77 = high.w;
        uint _e78 = b_3.w;
        packed_char4 reinterpreted_packed_char4_e77 = as_type<packed_char4>(_e77);
        packed_char4 reinterpreted_packed_char4_e78 = as_type<packed_char4>(_e78);
        return as_type<int>(as_type<uint>(as_type<int>(as_type<uint>(as_type<int>(as_type<uint>(as_type<int>(as_type<uint>(as_type<int>(as_type<uint>(as_type<int>(as_type<uint>(as_type<int>(as_type<uint>(( + reinterpreted_packed_char4_e50[0] * reinterpreted_packed_char4_e51[0] + reinterpreted_packed_char4_e50[1] * reinterpreted_packed_char4_e51[1] + reinterpreted_packed_char4_e50[2] * reinterpreted_packed_char4_e51[2] + reinterpreted_packed_char4_e50[3] * reinterpreted_packed_char4_e51[3])) + as_type<uint>(( + reinterpreted_packed_char4_e53[0] * reinterpreted_packed_char4_e54[0] + reinterpreted_packed_char4_e53[1] * reinterpreted_packed_char4_e54[1] + reinterpreted_packed_char4_e53[2] * reinterpreted_packed_char4_e54[2] + reinterpreted_packed_char4_e53[3] * reinterpreted_packed_char4_e54[3])))) + as_type<uint>(( + reinterpreted_packed_char4_e57[0] * reinterpreted_packed_char4_e58[0] + reinterpreted_packed_char4_e57[1] * reinterpreted_packed_char4_e58[1] + reinterpreted_packed_char4_e57[2] * reinterpreted_packed_char4_e58[2] + reinterpreted_packed_char4_e57[3] * reinterpreted_packed_char4_e58[3])))) + as_type<uint>(( + reinterpreted_packed_char4_e61[0] * reinterpreted_packed_char4_e62[0] + reinterpreted_packed_char4_e61[1] * reinterpreted_packed_char4_e62[1] + reinterpreted_packed_char4_e61[2] * reinterpreted_packed_char4_e62[2] + reinterpreted_packed_char4_e61[3] * reinterpreted_packed_char4_e62[3])))) + as_type<uint>(( + reinterpreted_packed_char4_e65[0] * reinterpreted_packed_char4_e66[0] + reinterpreted_packed_char4_e65[1] * reinterpreted_packed_char4_e66[1] + reinterpreted_packed_char4_e65[2] * reinterpreted_packed_char4_e66[2] + reinterpreted_packed_char4_e65[3] * reinterpreted_packed_char4_e66[3])))) + as_type<uint>(( + reinterpreted_packed_char4_e69[0] * reinterpreted_packed_char4_e70[0] + reinterpreted_packed_char4_e69[1] * reinterpreted_packed_char4_e70[1] + reinterpreted_packed_char4_e69[2] * reinterpreted_packed_char4_e70[2] + reinterpreted_packed_char4_e69[3] * reinterpreted_packed_char4_e70[3])))) + as_type<uint>(( + reinterpreted_packed_char4_e73[0] * reinterpreted_packed_char4_e74[0] + reinterpreted_packed_char4_e73[1] * reinterpreted_packed_char4_e74[1] + reinterpreted_packed_char4_e73[2] * reinterpreted_packed_char4_e74[2] + reinterpreted_packed_char4_e73[3] * reinterpreted_packed_char4_e74[3])))) + as_type<uint>(( + reinterpreted_packed_char4_e77[0] * reinterpreted_packed_char4_e78[0] + reinterpreted_packed_char4_e77[1] * reinterpreted_packed_char4_e78[1] + reinterpreted_packed_char4_e77[2] * reinterpreted_packed_char4_e78[2] + reinterpreted_packed_char4_e77[3] * reinterpreted_packed_char4_e78[3])));
    }
    metal::uint4 a_5 = acts[at];
    uint _e84 = w_1.x;
    uint _e85 = a_5.x;
    packed_char4 reinterpreted_packed_char4_e84 = as_type<packed_char4>(_e84);
    packed_char4 reinterpreted_packed_char4_e85 = as_type<packed_char4>(_e85);
    uint _e87 = w_1.y;
    uint _e88 = a_5.y;
    packed_char4 reinterpreted_packed_char4_e87 = as_type<packed_char4>(_e87);
    packed_char4 reinterpreted_packed_char4_e88 = as_type<packed_char4>(_e88);
    uint _e91 = w_1.z;
    uint _e92 = a_5.z;
    packed_char4 reinterpreted_packed_char4_e91 = as_type<packed_char4>(_e91);
    packed_char4 reinterpreted_packed_char4_e92 = as_type<packed_char4>(_e92);
    uint _e95 = w_1.w;
    uint _e96 = a_5.w;
    packed_char4 reinterpreted_packed_char4_e95 = as_type<packed_char4>(_e95);
    packed_char4 reinterpreted_packed_char4_e96 = as_type<packed_char4>(_e96);
    return as_type<int>(as_type<uint>(as_type<int>(as_type<uint>(as_type<int>(as_type<uint>(( + reinterpreted_packed_char4_e84[0] * reinterpreted_packed_char4_e85[0] + reinterpreted_packed_char4_e84[1] * reinterpreted_packed_char4_e85[1] + reinterpreted_packed_char4_e84[2] * reinterpreted_packed_char4_e85[2] + reinterpreted_packed_char4_e84[3] * reinterpreted_packed_char4_e85[3])) + as_type<uint>(( + reinterpreted_packed_char4_e87[0] * reinterpreted_packed_char4_e88[0] + reinterpreted_packed_char4_e87[1] * reinterpreted_packed_char4_e88[1] + reinterpreted_packed_char4_e87[2] * reinterpreted_packed_char4_e88[2] + reinterpreted_packed_char4_e87[3] * reinterpreted_packed_char4_e88[3])))) + as_type<uint>(( + reinterpreted_packed_char4_e91[0] * reinterpreted_packed_char4_e92[0] + reinterpreted_packed_char4_e91[1] * reinterpreted_packed_char4_e92[1] + reinterpreted_packed_char4_e91[2] * reinterpreted_packed_char4_e92[2] + reinterpreted_packed_char4_e91[3] * reinterpreted_packed_char4_e92[3])))) + as_type<uint>(( + reinterpreted_packed_char4_e95[0] * reinterpreted_packed_char4_e96[0] + reinterpreted_packed_char4_e95[1] * reinterpreted_packed_char4_e96[1] + reinterpreted_packed_char4_e95[2] * reinterpreted_packed_char4_e96[2] + reinterpreted_packed_char4_e95[3] * reinterpreted_packed_char4_e96[3])));
}
uint naga_mod(uint lhs, uint rhs) {
    return lhs % metal::select(rhs, 1u, rhs == 0u);
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
, device type_7& arena [[user(fake0)]]
, device type_8 const& call [[user(fake0)]]
, device type_9 const& codes [[user(fake0)]]
, device type_7 const& scales [[user(fake0)]]
, device type_9 const& acts [[user(fake0)]]
, device type_11 const& act_scales [[user(fake0)]]
, threadgroup type_12& partial
, threadgroup type_13& results
, constant _mslBufferSizes& _buffer_sizes [[user(fake0)]]
) {
    type_15 acc = {};
    type_16 held = {};
    uint base = 0u;
    bool local = {};
    metal::uint4 w = {};
    uint r = {};
    int sum = {};
    bool local_1 = {};
    uint c = {};
    bool local_2 = {};
    bool local_3 = {};
    uint g = {};
    uint left = {};
    uint i = {};
    uint c_1 = 0u;
    bool local_4 = {};
    uint i_1 = {};
    bool local_5 = {};
    uint lane = naga_mod(t, LANES);
    uint mine = naga_div(t, LANES);
    uint n_2 = (group.x * OUTS) + mine;
    uint first = group.y * ROWS;
    uint _e16 = p_1.count_at;
    uint rows = call[_e16];
    uint2 loop_bound = uint2(4294967295u);
    bool loop_init = true;
    while(true) {
        if (metal::all(loop_bound == uint2(0u))) { break; }
        loop_bound -= uint2(loop_bound.y == 0u, 1u);
        if (!loop_init) {
            uint _e222 = base;
            base = _e222 + LANES;
        }
        loop_init = false;
        uint _e23 = base;
        uint _e26 = p_1.units;
        if (_e23 < _e26) {
        } else {
            break;
        }
        {
            uint _e28 = base;
            uint u = _e28 + lane;
            uint _e32 = p_1.units;
            if (u < _e32) {
                uint _e38 = p_1.outs;
                local = n_2 < _e38;
            } else {
                local = false;
            }
            bool live = local;
            w = metal::uint4(0u);
            if (live) {
                uint _e48 = p_1.units;
                metal::uint4 _e52 = codes[(n_2 * _e48) + u];
                w = _e52;
            }
            r = 0u;
            uint2 loop_bound_1 = uint2(4294967295u);
            bool loop_init_1 = true;
            while(true) {
                if (metal::all(loop_bound_1 == uint2(0u))) { break; }
                loop_bound_1 -= uint2(loop_bound_1.y == 0u, 1u);
                if (!loop_init_1) {
                    uint _e86 = r;
                    r = _e86 + 1u;
                }
                loop_init_1 = false;
                uint _e55 = r;
                if (_e55 < ROWS) {
                } else {
                    break;
                }
                {
                    sum = 0;
                    if (live) {
                        uint _e62 = r;
                        local_1 = (first + _e62) < rows;
                    } else {
                        local_1 = false;
                    }
                    bool _e66 = local_1;
                    if (_e66) {
                        metal::uint4 _e67 = w;
                        uint _e68 = r;
                        uint _e72 = p_1.units;
                        int _e77 = dot_unit(_e67, (((first + _e68) * _e72) + u) * VECS, acts, _buffer_sizes);
                        sum = _e77;
                    }
                    uint _e79 = r;
                    int _e84 = sum;
                    partial.inner[(_e79 * 64u) + t] = _e84;
                }
            }
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
            uint _e91 = p_1.units;
            uint _e92 = base;
            uint end = metal::min(LANES, _e91 - _e92);
            c = 0u;
            uint2 loop_bound_2 = uint2(4294967295u);
            bool loop_init_2 = true;
            while(true) {
                if (metal::all(loop_bound_2 == uint2(0u))) { break; }
                loop_bound_2 -= uint2(loop_bound_2.y == 0u, 1u);
                if (!loop_init_2) {
                    uint _e220 = c;
                    c = _e220 + 1u;
                }
                loop_init_2 = false;
                uint _e97 = c;
                if (_e97 < CHAINS) {
                } else {
                    break;
                }
                {
                    uint _e100 = c;
                    uint r_2 = lane + (_e100 * LANES);
                    if (r_2 < ROWS) {
                        uint _e110 = p_1.outs;
                        local_2 = n_2 < _e110;
                    } else {
                        local_2 = false;
                    }
                    bool _e113 = local_2;
                    if (_e113) {
                        local_3 = (first + r_2) < rows;
                    } else {
                        local_3 = false;
                    }
                    bool _e119 = local_3;
                    if (_e119) {
                        uint _e120 = base;
                        uint _e123 = p_1.units_per_group;
                        g = naga_div(_e120, _e123);
                        uint _e128 = p_1.units_per_group;
                        uint _e129 = base;
                        uint _e132 = p_1.units_per_group;
                        left = _e128 - naga_mod(_e129, _e132);
                        i = 0u;
                        uint2 loop_bound_3 = uint2(4294967295u);
                        bool loop_init_3 = true;
                        while(true) {
                            if (metal::all(loop_bound_3 == uint2(0u))) { break; }
                            loop_bound_3 -= uint2(loop_bound_3.y == 0u, 1u);
                            if (!loop_init_3) {
                                uint _e217 = i;
                                i = _e217 + 1u;
                            }
                            loop_init_3 = false;
                            uint _e138 = i;
                            if (_e138 < end) {
                            } else {
                                break;
                            }
                            {
                                uint _e140 = c;
                                int _e142 = held.inner[_e140];
                                uint _e149 = i;
                                int _e152 = partial.inner[((r_2 * 64u) + (mine * LANES)) + _e149];
                                held.inner[_e140] = as_type<int>(as_type<uint>(_e142) + as_type<uint>(_e152));
                                uint _e154 = left;
                                left = _e154 - 1u;
                                uint _e157 = left;
                                if (_e157 == 0u) {
                                    uint _e164 = p_1.groups;
                                    uint _e166 = g;
                                    metal::uint2 a_6 = act_scales[((first + r_2) * _e164) + _e166];
                                    uint _e170 = c;
                                    int _e172 = held.inner[_e170];
                                    int _e175 = p_1.zero;
                                    int isum = as_type<int>(as_type<uint>(_e172) - as_type<uint>(as_type<int>(as_type<uint>(_e175) * as_type<uint>(as_type<int>(a_6.y)))));
                                    uint _e183 = p_1.groups;
                                    uint _e186 = p_1.groups_per_scale;
                                    uint _e189 = g;
                                    uint _e192 = p_1.groups_per_scale;
                                    float d_1 = scales[(n_2 * naga_div(_e183, _e186)) + naga_div(_e189, _e192)];
                                    uint _e197 = c;
                                    uint _e203 = c;
                                    float _e205 = acc.inner[_e203];
                                    acc.inner[_e197] = metal::fma(static_cast<float>(isum), d_1 * as_type<float>(a_6.x), _e205);
                                    uint _e207 = c;
                                    held.inner[_e207] = 0;
                                    uint _e210 = g;
                                    g = _e210 + 1u;
                                    uint _e215 = p_1.units_per_group;
                                    left = _e215;
                                }
                            }
                        }
                    }
                }
            }
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
        }
    }
    uint2 loop_bound_4 = uint2(4294967295u);
    bool loop_init_4 = true;
    while(true) {
        if (metal::all(loop_bound_4 == uint2(0u))) { break; }
        loop_bound_4 -= uint2(loop_bound_4.y == 0u, 1u);
        if (!loop_init_4) {
            uint _e260 = c_1;
            c_1 = _e260 + 1u;
        }
        loop_init_4 = false;
        uint _e227 = c_1;
        if (_e227 < CHAINS) {
        } else {
            break;
        }
        {
            uint _e230 = c_1;
            uint r_3 = lane + (_e230 * LANES);
            if (r_3 < ROWS) {
                if (PAIRS) {
                    uint _e242 = c_1;
                    float _e244 = acc.inner[_e242];
                    results.inner[(r_3 * OUTS) + mine] = _e244;
                } else {
                    uint _e247 = p_1.outs;
                    if (n_2 < _e247) {
                        local_4 = (first + r_3) < rows;
                    } else {
                        local_4 = false;
                    }
                    bool _e254 = local_4;
                    if (_e254) {
                        uint _e256 = c_1;
                        float _e258 = acc.inner[_e256];
                        finish(first + r_3, n_2, _e258, p_1, arena, _buffer_sizes);
                    }
                }
            }
        }
    }
    if (PAIRS) {
        metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
        i_1 = t;
        uint2 loop_bound_5 = uint2(4294967295u);
        bool loop_init_5 = true;
        while(true) {
            if (metal::all(loop_bound_5 == uint2(0u))) { break; }
            loop_bound_5 -= uint2(loop_bound_5.y == 0u, 1u);
            if (!loop_init_5) {
                uint _e309 = i_1;
                i_1 = _e309 + 64u;
            }
            loop_init_5 = false;
            uint _e264 = i_1;
            if (_e264 < 64u) {
            } else {
                break;
            }
            {
                uint _e267 = i_1;
                uint r_4 = naga_div(_e267, 4u);
                uint _e270 = i_1;
                uint pair = naga_mod(_e270, 4u);
                uint out = (group.x * 4u) + pair;
                if ((first + r_4) < rows) {
                    uint _e285 = p_1.outs;
                    local_5 = (2u * out) < _e285;
                } else {
                    local_5 = false;
                }
                bool _e288 = local_5;
                if (_e288) {
                    float a_7 = results.inner[(r_4 * OUTS) + (2u * pair)];
                    float b_4 = results.inner[((r_4 * OUTS) + (2u * pair)) + 1u];
                    float _e308 = paired(a_7, b_4, p_1);
                    finish(first + r_4, out, _e308, p_1, arena, _buffer_sizes);
                }
            }
        }
        return;
    } else {
        return;
    }
}
