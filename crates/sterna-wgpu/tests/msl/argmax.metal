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
    metal::uint3 inner[256];
};
constant uint THREADS = 256u;
constant uint PARTS = 64u;
constant bool PARTIAL = false;
constant bool MERGE = false;

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
[[max_total_threads_per_threadgroup(256)]] kernel void main_(
  metal::uint3 group [[threadgroup_position_in_grid]]
, uint t [[thread_index_in_threadgroup]]
, constant Params& p_1 [[user(fake0)]]
, device type_6& call [[user(fake0)]]
, device type_7 const& arena [[user(fake0)]]
, device type_8& results [[user(fake0)]]
, threadgroup type_10& best
, threadgroup metal::atomic_uint& bad
, constant _mslBufferSizes& _buffer_sizes [[user(fake0)]]
) {
    metal::uint3 top = metal::uint3(0u, 4294967295u, 0u);
    uint i = {};
    uint half_ = 128u;
    uint row = group.y;
    uint _e5 = call[1];
    if (row >= _e5) {
        return;
    }
    if (t == 0u) {
        metal::atomic_store_explicit(&bad, 0u, metal::memory_order_relaxed);
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    uint end = p_1.valid;
    i = 0u + t;
    uint2 loop_bound = uint2(4294967295u);
    bool loop_init = true;
    while(true) {
        if (metal::all(loop_bound == uint2(0u))) { break; }
        loop_bound -= uint2(loop_bound.y == 0u, 1u);
        if (!loop_init) {
            uint _e296 = i;
            i = _e296 + 2048u;
        }
        loop_init = false;
        uint _e22 = i;
        if (_e22 < end) {
        } else {
            break;
        }
        {
            uint _e27 = p_1.logits;
            uint _e30 = p_1.cols;
            uint _e33 = i;
            float x0_ = arena[(_e27 + (row * _e30)) + metal::min(_e33 + 0u, end - 1u)];
            uint _e45 = p_1.logits;
            uint _e48 = p_1.cols;
            uint _e51 = i;
            float x1_ = arena[(_e45 + (row * _e48)) + metal::min(_e51 + 256u, end - 1u)];
            uint _e63 = p_1.logits;
            uint _e66 = p_1.cols;
            uint _e69 = i;
            float x2_ = arena[(_e63 + (row * _e66)) + metal::min(_e69 + 512u, end - 1u)];
            uint _e81 = p_1.logits;
            uint _e84 = p_1.cols;
            uint _e87 = i;
            float x3_ = arena[(_e81 + (row * _e84)) + metal::min(_e87 + 768u, end - 1u)];
            uint _e99 = p_1.logits;
            uint _e102 = p_1.cols;
            uint _e105 = i;
            float x4_ = arena[(_e99 + (row * _e102)) + metal::min(_e105 + 1024u, end - 1u)];
            uint _e117 = p_1.logits;
            uint _e120 = p_1.cols;
            uint _e123 = i;
            float x5_ = arena[(_e117 + (row * _e120)) + metal::min(_e123 + 1280u, end - 1u)];
            uint _e135 = p_1.logits;
            uint _e138 = p_1.cols;
            uint _e141 = i;
            float x6_ = arena[(_e135 + (row * _e138)) + metal::min(_e141 + 1536u, end - 1u)];
            uint _e153 = p_1.logits;
            uint _e156 = p_1.cols;
            uint _e159 = i;
            float x7_ = arena[(_e153 + (row * _e156)) + metal::min(_e159 + 1792u, end - 1u)];
            uint _e168 = i;
            if ((_e168 + 0u) < end) {
                bool _e172 = is_bad(x0_);
                if (_e172) {
                    uint _e175 = metal::atomic_fetch_max_explicit(&bad, 1u, metal::memory_order_relaxed);
                }
                metal::uint3 _e176 = top;
                uint _e177 = order(x0_);
                uint _e178 = i;
                metal::uint3 _e183 = better(_e176, metal::uint3(_e177, _e178 + 0u, 0u));
                top = _e183;
            }
            uint _e184 = i;
            if ((_e184 + 256u) < end) {
                bool _e188 = is_bad(x1_);
                if (_e188) {
                    uint _e191 = metal::atomic_fetch_max_explicit(&bad, 1u, metal::memory_order_relaxed);
                }
                metal::uint3 _e192 = top;
                uint _e193 = order(x1_);
                uint _e194 = i;
                metal::uint3 _e199 = better(_e192, metal::uint3(_e193, _e194 + 256u, 0u));
                top = _e199;
            }
            uint _e200 = i;
            if ((_e200 + 512u) < end) {
                bool _e204 = is_bad(x2_);
                if (_e204) {
                    uint _e207 = metal::atomic_fetch_max_explicit(&bad, 1u, metal::memory_order_relaxed);
                }
                metal::uint3 _e208 = top;
                uint _e209 = order(x2_);
                uint _e210 = i;
                metal::uint3 _e215 = better(_e208, metal::uint3(_e209, _e210 + 512u, 0u));
                top = _e215;
            }
            uint _e216 = i;
            if ((_e216 + 768u) < end) {
                bool _e220 = is_bad(x3_);
                if (_e220) {
                    uint _e223 = metal::atomic_fetch_max_explicit(&bad, 1u, metal::memory_order_relaxed);
                }
                metal::uint3 _e224 = top;
                uint _e225 = order(x3_);
                uint _e226 = i;
                metal::uint3 _e231 = better(_e224, metal::uint3(_e225, _e226 + 768u, 0u));
                top = _e231;
            }
            uint _e232 = i;
            if ((_e232 + 1024u) < end) {
                bool _e236 = is_bad(x4_);
                if (_e236) {
                    uint _e239 = metal::atomic_fetch_max_explicit(&bad, 1u, metal::memory_order_relaxed);
                }
                metal::uint3 _e240 = top;
                uint _e241 = order(x4_);
                uint _e242 = i;
                metal::uint3 _e247 = better(_e240, metal::uint3(_e241, _e242 + 1024u, 0u));
                top = _e247;
            }
            uint _e248 = i;
            if ((_e248 + 1280u) < end) {
                bool _e252 = is_bad(x5_);
                if (_e252) {
                    uint _e255 = metal::atomic_fetch_max_explicit(&bad, 1u, metal::memory_order_relaxed);
                }
                metal::uint3 _e256 = top;
                uint _e257 = order(x5_);
                uint _e258 = i;
                metal::uint3 _e263 = better(_e256, metal::uint3(_e257, _e258 + 1280u, 0u));
                top = _e263;
            }
            uint _e264 = i;
            if ((_e264 + 1536u) < end) {
                bool _e268 = is_bad(x6_);
                if (_e268) {
                    uint _e271 = metal::atomic_fetch_max_explicit(&bad, 1u, metal::memory_order_relaxed);
                }
                metal::uint3 _e272 = top;
                uint _e273 = order(x6_);
                uint _e274 = i;
                metal::uint3 _e279 = better(_e272, metal::uint3(_e273, _e274 + 1536u, 0u));
                top = _e279;
            }
            uint _e280 = i;
            if ((_e280 + 1792u) < end) {
                bool _e284 = is_bad(x7_);
                if (_e284) {
                    uint _e287 = metal::atomic_fetch_max_explicit(&bad, 1u, metal::memory_order_relaxed);
                }
                metal::uint3 _e288 = top;
                uint _e289 = order(x7_);
                uint _e290 = i;
                metal::uint3 _e295 = better(_e288, metal::uint3(_e289, _e290 + 1792u, 0u));
                top = _e295;
            }
        }
    }
    metal::uint3 _e301 = top;
    best.inner[t] = _e301;
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    uint2 loop_bound_1 = uint2(4294967295u);
    bool loop_init_1 = true;
    while(true) {
        if (metal::all(loop_bound_1 == uint2(0u))) { break; }
        loop_bound_1 -= uint2(loop_bound_1.y == 0u, 1u);
        if (!loop_init_1) {
            uint _e320 = half_;
            half_ = naga_div(_e320, 2u);
        }
        loop_init_1 = false;
        uint _e304 = half_;
        if (_e304 > 0u) {
        } else {
            break;
        }
        {
            uint _e307 = half_;
            if (t < _e307) {
                metal::uint3 _e313 = best.inner[t];
                uint _e315 = half_;
                metal::uint3 _e318 = best.inner[t + _e315];
                metal::uint3 _e319 = better(_e313, _e318);
                best.inner[t] = _e319;
            }
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
        }
    }
    if (t == 0u) {
        uint _e330 = best.inner[0].y;
        uint _e334 = best.inner[0].x;
        uint _e335 = unorder(_e334);
        uint _e339 = best.inner[0].z;
        uint _e340 = unorder(_e339);
        uint _e342 = metal::atomic_load_explicit(&bad, metal::memory_order_relaxed);
        results[row] = metal::uint4(_e330, _e335, _e340, _e342);
        uint _e346 = call[2];
        if (_e346 == 1u) {
            uint _e351 = call_row(0u);
            uint _e356 = best.inner[0].y;
            call[_e351] = _e356;
            uint _e359 = call_row(0u);
            uint _e363 = call[_e359 + 1u];
            call[_e359 + 1u] = _e363 + 1u;
            return;
        } else {
            return;
        }
    } else {
        return;
    }
}
