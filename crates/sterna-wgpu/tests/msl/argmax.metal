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
    i = t;
    uint2 loop_bound = uint2(4294967295u);
    bool loop_init = true;
    while(true) {
        if (metal::all(loop_bound == uint2(0u))) { break; }
        loop_bound -= uint2(loop_bound.y == 0u, 1u);
        if (!loop_init) {
            uint _e342 = i;
            i = _e342 + 2048u;
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
            uint _e36 = p_1.valid;
            float x0_ = arena[(_e25 + (row * _e28)) + metal::min(_e31 + 0u, _e36 - 1u)];
            uint _e46 = p_1.logits;
            uint _e49 = p_1.cols;
            uint _e52 = i;
            uint _e57 = p_1.valid;
            float x1_ = arena[(_e46 + (row * _e49)) + metal::min(_e52 + 256u, _e57 - 1u)];
            uint _e67 = p_1.logits;
            uint _e70 = p_1.cols;
            uint _e73 = i;
            uint _e78 = p_1.valid;
            float x2_ = arena[(_e67 + (row * _e70)) + metal::min(_e73 + 512u, _e78 - 1u)];
            uint _e88 = p_1.logits;
            uint _e91 = p_1.cols;
            uint _e94 = i;
            uint _e99 = p_1.valid;
            float x3_ = arena[(_e88 + (row * _e91)) + metal::min(_e94 + 768u, _e99 - 1u)];
            uint _e109 = p_1.logits;
            uint _e112 = p_1.cols;
            uint _e115 = i;
            uint _e120 = p_1.valid;
            float x4_ = arena[(_e109 + (row * _e112)) + metal::min(_e115 + 1024u, _e120 - 1u)];
            uint _e130 = p_1.logits;
            uint _e133 = p_1.cols;
            uint _e136 = i;
            uint _e141 = p_1.valid;
            float x5_ = arena[(_e130 + (row * _e133)) + metal::min(_e136 + 1280u, _e141 - 1u)];
            uint _e151 = p_1.logits;
            uint _e154 = p_1.cols;
            uint _e157 = i;
            uint _e162 = p_1.valid;
            float x6_ = arena[(_e151 + (row * _e154)) + metal::min(_e157 + 1536u, _e162 - 1u)];
            uint _e172 = p_1.logits;
            uint _e175 = p_1.cols;
            uint _e178 = i;
            uint _e183 = p_1.valid;
            float x7_ = arena[(_e172 + (row * _e175)) + metal::min(_e178 + 1792u, _e183 - 1u)];
            uint _e190 = i;
            uint _e195 = p_1.valid;
            if ((_e190 + 0u) < _e195) {
                bool _e197 = is_bad(x0_);
                if (_e197) {
                    uint _e200 = metal::atomic_fetch_max_explicit(&bad, 1u, metal::memory_order_relaxed);
                }
                metal::uint3 _e201 = top;
                uint _e202 = order(x0_);
                uint _e203 = i;
                metal::uint3 _e208 = better(_e201, metal::uint3(_e202, _e203 + 0u, 0u));
                top = _e208;
            }
            uint _e209 = i;
            uint _e214 = p_1.valid;
            if ((_e209 + 256u) < _e214) {
                bool _e216 = is_bad(x1_);
                if (_e216) {
                    uint _e219 = metal::atomic_fetch_max_explicit(&bad, 1u, metal::memory_order_relaxed);
                }
                metal::uint3 _e220 = top;
                uint _e221 = order(x1_);
                uint _e222 = i;
                metal::uint3 _e227 = better(_e220, metal::uint3(_e221, _e222 + 256u, 0u));
                top = _e227;
            }
            uint _e228 = i;
            uint _e233 = p_1.valid;
            if ((_e228 + 512u) < _e233) {
                bool _e235 = is_bad(x2_);
                if (_e235) {
                    uint _e238 = metal::atomic_fetch_max_explicit(&bad, 1u, metal::memory_order_relaxed);
                }
                metal::uint3 _e239 = top;
                uint _e240 = order(x2_);
                uint _e241 = i;
                metal::uint3 _e246 = better(_e239, metal::uint3(_e240, _e241 + 512u, 0u));
                top = _e246;
            }
            uint _e247 = i;
            uint _e252 = p_1.valid;
            if ((_e247 + 768u) < _e252) {
                bool _e254 = is_bad(x3_);
                if (_e254) {
                    uint _e257 = metal::atomic_fetch_max_explicit(&bad, 1u, metal::memory_order_relaxed);
                }
                metal::uint3 _e258 = top;
                uint _e259 = order(x3_);
                uint _e260 = i;
                metal::uint3 _e265 = better(_e258, metal::uint3(_e259, _e260 + 768u, 0u));
                top = _e265;
            }
            uint _e266 = i;
            uint _e271 = p_1.valid;
            if ((_e266 + 1024u) < _e271) {
                bool _e273 = is_bad(x4_);
                if (_e273) {
                    uint _e276 = metal::atomic_fetch_max_explicit(&bad, 1u, metal::memory_order_relaxed);
                }
                metal::uint3 _e277 = top;
                uint _e278 = order(x4_);
                uint _e279 = i;
                metal::uint3 _e284 = better(_e277, metal::uint3(_e278, _e279 + 1024u, 0u));
                top = _e284;
            }
            uint _e285 = i;
            uint _e290 = p_1.valid;
            if ((_e285 + 1280u) < _e290) {
                bool _e292 = is_bad(x5_);
                if (_e292) {
                    uint _e295 = metal::atomic_fetch_max_explicit(&bad, 1u, metal::memory_order_relaxed);
                }
                metal::uint3 _e296 = top;
                uint _e297 = order(x5_);
                uint _e298 = i;
                metal::uint3 _e303 = better(_e296, metal::uint3(_e297, _e298 + 1280u, 0u));
                top = _e303;
            }
            uint _e304 = i;
            uint _e309 = p_1.valid;
            if ((_e304 + 1536u) < _e309) {
                bool _e311 = is_bad(x6_);
                if (_e311) {
                    uint _e314 = metal::atomic_fetch_max_explicit(&bad, 1u, metal::memory_order_relaxed);
                }
                metal::uint3 _e315 = top;
                uint _e316 = order(x6_);
                uint _e317 = i;
                metal::uint3 _e322 = better(_e315, metal::uint3(_e316, _e317 + 1536u, 0u));
                top = _e322;
            }
            uint _e323 = i;
            uint _e328 = p_1.valid;
            if ((_e323 + 1792u) < _e328) {
                bool _e330 = is_bad(x7_);
                if (_e330) {
                    uint _e333 = metal::atomic_fetch_max_explicit(&bad, 1u, metal::memory_order_relaxed);
                }
                metal::uint3 _e334 = top;
                uint _e335 = order(x7_);
                uint _e336 = i;
                metal::uint3 _e341 = better(_e334, metal::uint3(_e335, _e336 + 1792u, 0u));
                top = _e341;
            }
        }
    }
    metal::uint3 _e347 = top;
    best.inner[t] = _e347;
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    uint2 loop_bound_1 = uint2(4294967295u);
    bool loop_init_1 = true;
    while(true) {
        if (metal::all(loop_bound_1 == uint2(0u))) { break; }
        loop_bound_1 -= uint2(loop_bound_1.y == 0u, 1u);
        if (!loop_init_1) {
            uint _e366 = half_;
            half_ = naga_div(_e366, 2u);
        }
        loop_init_1 = false;
        uint _e350 = half_;
        if (_e350 > 0u) {
        } else {
            break;
        }
        {
            uint _e353 = half_;
            if (t < _e353) {
                metal::uint3 _e359 = best.inner[t];
                uint _e361 = half_;
                metal::uint3 _e364 = best.inner[t + _e361];
                metal::uint3 _e365 = better(_e359, _e364);
                best.inner[t] = _e365;
            }
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
        }
    }
    if (t == 0u) {
        uint _e376 = best.inner[0].y;
        uint _e380 = best.inner[0].x;
        uint _e381 = unorder(_e380);
        uint _e385 = best.inner[0].z;
        uint _e386 = unorder(_e385);
        uint _e388 = metal::atomic_load_explicit(&bad, metal::memory_order_relaxed);
        results[row] = metal::uint4(_e376, _e381, _e386, _e388);
        uint _e392 = call[2];
        if (_e392 == 1u) {
            uint _e397 = call_row(0u);
            uint _e402 = best.inner[0].y;
            call[_e397] = _e402;
            uint _e405 = call_row(0u);
            uint _e409 = call[_e405 + 1u];
            call[_e405 + 1u] = _e409 + 1u;
            return;
        } else {
            return;
        }
    } else {
        return;
    }
}
