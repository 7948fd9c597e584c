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
    uint q;
    uint q_cols;
    uint out;
    uint out_cols;
    uint share;
    uint kv_words;
    uint capacity;
    float scale;
    type_5 pad;
};
typedef uint type_6[1];
typedef metal::uint4 type_7[1];
typedef float type_8[1];
struct type_9 {
    float inner[64];
};
struct type_10 {
    float inner[256];
};
struct type_11 {
    float inner[32];
};
struct type_12 {
    float inner[4];
};
struct type_14 {
    metal::float2 inner[128];
};
constant uint HEAD_DIM = 64u;
constant uint HEADS = 1u;
constant uint PIECES = 4u;
constant uint BATCH = 8u;
constant uint AHEAD = 16u;
constant uint THREADS = 256u;
constant uint WORDS = 32u;
constant uint TURNS = 1u;

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

uint naga_div(uint lhs, uint rhs) {
    return lhs / metal::select(rhs, 1u, rhs == 0u);
}

uint naga_mod(uint lhs, uint rhs) {
    return lhs % metal::select(rhs, 1u, rhs == 0u);
}

uint state_word(
    uint at,
    device type_7 const& state,
    constant _mslBufferSizes& _buffer_sizes
) {
    uint _e8 = state[naga_div(at, 4u)][naga_mod(at, 4u)];
    return _e8;
}

struct main_Input {
};
[[max_total_threads_per_threadgroup(256)]] kernel void main_(
  metal::uint3 group [[threadgroup_position_in_grid]]
, uint t [[thread_index_in_threadgroup]]
, constant Params& p_1 [[user(fake0)]]
, device type_6 const& call [[user(fake0)]]
, device type_7 const& state [[user(fake0)]]
, device type_8& arena [[user(fake0)]]
, threadgroup type_9& query
, threadgroup type_10& weights
, threadgroup type_11& parts
, threadgroup type_12& peaks
, threadgroup type_12& sums
, threadgroup type_14& outs
, constant _mslBufferSizes& _buffer_sizes [[user(fake0)]]
) {
    uint i = {};
    float total_max0_ = -340282350000000000000000000000000000000.0;
    float total_sum0_ = 0.0;
    metal::float2 out0_0_ = metal::float2(0.0);
    uint start = 0u;
    uint keys = {};
    float acc0_ = {};
    uint w = {};
    metal::uint4 k0_ = {};
    metal::uint4 k1_ = {};
    metal::uint4 k2_ = {};
    metal::uint4 k3_ = {};
    metal::uint4 k4_ = {};
    metal::uint4 k5_ = {};
    metal::uint4 k6_ = {};
    metal::uint4 k7_ = {};
    float peak = {};
    uint j = {};
    bool local = {};
    float peak0_ = {};
    float sum = {};
    uint j_1 = {};
    metal::float2 sum0_0_ = {};
    uint j_2 = {};
    uint value0_ = {};
    uint value1_ = {};
    uint value2_ = {};
    uint value3_ = {};
    uint value4_ = {};
    uint value5_ = {};
    uint value6_ = {};
    uint value7_ = {};
    uint value8_ = {};
    uint value9_ = {};
    uint value10_ = {};
    uint value11_ = {};
    uint value12_ = {};
    uint value13_ = {};
    uint value14_ = {};
    uint value15_ = {};
    bool local_1 = {};
    bool local_2 = {};
    bool local_3 = {};
    bool local_4 = {};
    uint row = group.y;
    uint _e5 = call[0];
    if (row >= _e5) {
        return;
    }
    uint head = group.x * HEADS;
    uint _e12 = p_1.share;
    uint kv_head = naga_div(head, _e12);
    uint _e15 = call_row(row);
    uint position = call[_e15 + 1u];
    uint count = position + 1u;
    uint _e23 = call_row(row);
    uint slot = call[_e23 + 2u];
    uint _e30 = p_1.capacity;
    uint _e36 = p_1.kv_words;
    uint base = (((slot * _e30) * 2u) * _e36) + (kv_head * WORDS);
    uint _e43 = p_1.q;
    uint _e46 = p_1.q_cols;
    uint from_q = (_e43 + (row * _e46)) + (head * HEAD_DIM);
    i = t;
    uint2 loop_bound = uint2(4294967295u);
    bool loop_init = true;
    while(true) {
        if (metal::all(loop_bound == uint2(0u))) { break; }
        loop_bound -= uint2(loop_bound.y == 0u, 1u);
        if (!loop_init) {
            uint _e64 = i;
            i = _e64 + THREADS;
        }
        loop_init = false;
        uint _e53 = i;
        if (_e53 < 64u) {
        } else {
            break;
        }
        {
            uint _e57 = i;
            uint _e60 = i;
            float _e63 = arena[from_q + _e60];
            query.inner[_e57] = _e63;
        }
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    uint piece = naga_div(t, 64u);
    uint lane = naga_mod(t, 64u);
    uint2 loop_bound_1 = uint2(4294967295u);
    bool loop_init_1 = true;
    while(true) {
        if (metal::all(loop_bound_1 == uint2(0u))) { break; }
        loop_bound_1 -= uint2(loop_bound_1.y == 0u, 1u);
        if (!loop_init_1) {
            uint _e2505 = start;
            start = _e2505 + 256u;
        }
        loop_init_1 = false;
        uint _e80 = start;
        if (_e80 < count) {
        } else {
            break;
        }
        {
            uint _e82 = start;
            uint first = _e82 + (64u * piece);
            keys = 0u;
            if (first < count) {
                keys = metal::min(64u, count - first);
            }
            acc0_ = 0.0;
            uint _e94 = keys;
            if (lane < _e94) {
                uint _e101 = p_1.kv_words;
                uint key = base + (((first + lane) * 2u) * _e101);
                w = 0u;
                uint2 loop_bound_2 = uint2(4294967295u);
                bool loop_init_2 = true;
                while(true) {
                    if (metal::all(loop_bound_2 == uint2(0u))) { break; }
                    loop_bound_2 -= uint2(loop_bound_2.y == 0u, 1u);
                    if (!loop_init_2) {
                        uint _e1309 = w;
                        w = _e1309 + 32u;
                    }
                    loop_init_2 = false;
                    uint _e106 = w;
                    if (_e106 < WORDS) {
                    } else {
                        break;
                    }
                    {
                        uint _e110 = w;
                        metal::uint4 _e117 = state[naga_div(key + _e110, 4u) + 0u];
                        k0_ = _e117;
                        uint _e120 = w;
                        metal::uint4 _e127 = state[naga_div(key + _e120, 4u) + 1u];
                        k1_ = _e127;
                        uint _e130 = w;
                        metal::uint4 _e137 = state[naga_div(key + _e130, 4u) + 2u];
                        k2_ = _e137;
                        uint _e140 = w;
                        metal::uint4 _e147 = state[naga_div(key + _e140, 4u) + 3u];
                        k3_ = _e147;
                        uint _e150 = w;
                        metal::uint4 _e157 = state[naga_div(key + _e150, 4u) + 4u];
                        k4_ = _e157;
                        uint _e160 = w;
                        metal::uint4 _e167 = state[naga_div(key + _e160, 4u) + 5u];
                        k5_ = _e167;
                        uint _e170 = w;
                        metal::uint4 _e177 = state[naga_div(key + _e170, 4u) + 6u];
                        k6_ = _e177;
                        uint _e180 = w;
                        metal::uint4 _e187 = state[naga_div(key + _e180, 4u) + 7u];
                        k7_ = _e187;
                        uint _e190 = k0_.x;
                        metal::float2 k0_0_ = float2(as_type<half2>(_e190));
                        uint _e195 = w;
                        float _e203 = query.inner[0u + (2u * ((_e195 + 0u) + 0u))];
                        float _e205 = acc0_;
                        acc0_ = metal::fma(_e203, k0_0_.x, _e205);
                        uint _e210 = w;
                        float _e220 = query.inner[(0u + (2u * ((_e210 + 0u) + 0u))) + 1u];
                        float _e222 = acc0_;
                        acc0_ = metal::fma(_e220, k0_0_.y, _e222);
                        uint _e225 = k0_.y;
                        metal::float2 k0_1_ = float2(as_type<half2>(_e225));
                        uint _e230 = w;
                        float _e238 = query.inner[0u + (2u * ((_e230 + 0u) + 1u))];
                        float _e240 = acc0_;
                        acc0_ = metal::fma(_e238, k0_1_.x, _e240);
                        uint _e245 = w;
                        float _e255 = query.inner[(0u + (2u * ((_e245 + 0u) + 1u))) + 1u];
                        float _e257 = acc0_;
                        acc0_ = metal::fma(_e255, k0_1_.y, _e257);
                        uint _e260 = k0_.z;
                        metal::float2 k0_2_ = float2(as_type<half2>(_e260));
                        uint _e265 = w;
                        float _e273 = query.inner[0u + (2u * ((_e265 + 0u) + 2u))];
                        float _e275 = acc0_;
                        acc0_ = metal::fma(_e273, k0_2_.x, _e275);
                        uint _e280 = w;
                        float _e290 = query.inner[(0u + (2u * ((_e280 + 0u) + 2u))) + 1u];
                        float _e292 = acc0_;
                        acc0_ = metal::fma(_e290, k0_2_.y, _e292);
                        uint _e295 = k0_.w;
                        metal::float2 k0_3_ = float2(as_type<half2>(_e295));
                        uint _e300 = w;
                        float _e308 = query.inner[0u + (2u * ((_e300 + 0u) + 3u))];
                        float _e310 = acc0_;
                        acc0_ = metal::fma(_e308, k0_3_.x, _e310);
                        uint _e315 = w;
                        float _e325 = query.inner[(0u + (2u * ((_e315 + 0u) + 3u))) + 1u];
                        float _e327 = acc0_;
                        acc0_ = metal::fma(_e325, k0_3_.y, _e327);
                        uint _e330 = k1_.x;
                        metal::float2 k1_0_ = float2(as_type<half2>(_e330));
                        uint _e335 = w;
                        float _e343 = query.inner[0u + (2u * ((_e335 + 4u) + 0u))];
                        float _e345 = acc0_;
                        acc0_ = metal::fma(_e343, k1_0_.x, _e345);
                        uint _e350 = w;
                        float _e360 = query.inner[(0u + (2u * ((_e350 + 4u) + 0u))) + 1u];
                        float _e362 = acc0_;
                        acc0_ = metal::fma(_e360, k1_0_.y, _e362);
                        uint _e365 = k1_.y;
                        metal::float2 k1_1_ = float2(as_type<half2>(_e365));
                        uint _e370 = w;
                        float _e378 = query.inner[0u + (2u * ((_e370 + 4u) + 1u))];
                        float _e380 = acc0_;
                        acc0_ = metal::fma(_e378, k1_1_.x, _e380);
                        uint _e385 = w;
                        float _e395 = query.inner[(0u + (2u * ((_e385 + 4u) + 1u))) + 1u];
                        float _e397 = acc0_;
                        acc0_ = metal::fma(_e395, k1_1_.y, _e397);
                        uint _e400 = k1_.z;
                        metal::float2 k1_2_ = float2(as_type<half2>(_e400));
                        uint _e405 = w;
                        float _e413 = query.inner[0u + (2u * ((_e405 + 4u) + 2u))];
                        float _e415 = acc0_;
                        acc0_ = metal::fma(_e413, k1_2_.x, _e415);
                        uint _e420 = w;
                        float _e430 = query.inner[(0u + (2u * ((_e420 + 4u) + 2u))) + 1u];
                        float _e432 = acc0_;
                        acc0_ = metal::fma(_e430, k1_2_.y, _e432);
                        uint _e435 = k1_.w;
                        metal::float2 k1_3_ = float2(as_type<half2>(_e435));
                        uint _e440 = w;
                        float _e448 = query.inner[0u + (2u * ((_e440 + 4u) + 3u))];
                        float _e450 = acc0_;
                        acc0_ = metal::fma(_e448, k1_3_.x, _e450);
                        uint _e455 = w;
                        float _e465 = query.inner[(0u + (2u * ((_e455 + 4u) + 3u))) + 1u];
                        float _e467 = acc0_;
                        acc0_ = metal::fma(_e465, k1_3_.y, _e467);
                        uint _e470 = k2_.x;
                        metal::float2 k2_0_ = float2(as_type<half2>(_e470));
                        uint _e475 = w;
                        float _e483 = query.inner[0u + (2u * ((_e475 + 8u) + 0u))];
                        float _e485 = acc0_;
                        acc0_ = metal::fma(_e483, k2_0_.x, _e485);
                        uint _e490 = w;
                        float _e500 = query.inner[(0u + (2u * ((_e490 + 8u) + 0u))) + 1u];
                        float _e502 = acc0_;
                        acc0_ = metal::fma(_e500, k2_0_.y, _e502);
                        uint _e505 = k2_.y;
                        metal::float2 k2_1_ = float2(as_type<half2>(_e505));
                        uint _e510 = w;
                        float _e518 = query.inner[0u + (2u * ((_e510 + 8u) + 1u))];
                        float _e520 = acc0_;
                        acc0_ = metal::fma(_e518, k2_1_.x, _e520);
                        uint _e525 = w;
                        float _e535 = query.inner[(0u + (2u * ((_e525 + 8u) + 1u))) + 1u];
                        float _e537 = acc0_;
                        acc0_ = metal::fma(_e535, k2_1_.y, _e537);
                        uint _e540 = k2_.z;
                        metal::float2 k2_2_ = float2(as_type<half2>(_e540));
                        uint _e545 = w;
                        float _e553 = query.inner[0u + (2u * ((_e545 + 8u) + 2u))];
                        float _e555 = acc0_;
                        acc0_ = metal::fma(_e553, k2_2_.x, _e555);
                        uint _e560 = w;
                        float _e570 = query.inner[(0u + (2u * ((_e560 + 8u) + 2u))) + 1u];
                        float _e572 = acc0_;
                        acc0_ = metal::fma(_e570, k2_2_.y, _e572);
                        uint _e575 = k2_.w;
                        metal::float2 k2_3_ = float2(as_type<half2>(_e575));
                        uint _e580 = w;
                        float _e588 = query.inner[0u + (2u * ((_e580 + 8u) + 3u))];
                        float _e590 = acc0_;
                        acc0_ = metal::fma(_e588, k2_3_.x, _e590);
                        uint _e595 = w;
                        float _e605 = query.inner[(0u + (2u * ((_e595 + 8u) + 3u))) + 1u];
                        float _e607 = acc0_;
                        acc0_ = metal::fma(_e605, k2_3_.y, _e607);
                        uint _e610 = k3_.x;
                        metal::float2 k3_0_ = float2(as_type<half2>(_e610));
                        uint _e615 = w;
                        float _e623 = query.inner[0u + (2u * ((_e615 + 12u) + 0u))];
                        float _e625 = acc0_;
                        acc0_ = metal::fma(_e623, k3_0_.x, _e625);
                        uint _e630 = w;
                        float _e640 = query.inner[(0u + (2u * ((_e630 + 12u) + 0u))) + 1u];
                        float _e642 = acc0_;
                        acc0_ = metal::fma(_e640, k3_0_.y, _e642);
                        uint _e645 = k3_.y;
                        metal::float2 k3_1_ = float2(as_type<half2>(_e645));
                        uint _e650 = w;
                        float _e658 = query.inner[0u + (2u * ((_e650 + 12u) + 1u))];
                        float _e660 = acc0_;
                        acc0_ = metal::fma(_e658, k3_1_.x, _e660);
                        uint _e665 = w;
                        float _e675 = query.inner[(0u + (2u * ((_e665 + 12u) + 1u))) + 1u];
                        float _e677 = acc0_;
                        acc0_ = metal::fma(_e675, k3_1_.y, _e677);
                        uint _e680 = k3_.z;
                        metal::float2 k3_2_ = float2(as_type<half2>(_e680));
                        uint _e685 = w;
                        float _e693 = query.inner[0u + (2u * ((_e685 + 12u) + 2u))];
                        float _e695 = acc0_;
                        acc0_ = metal::fma(_e693, k3_2_.x, _e695);
                        uint _e700 = w;
                        float _e710 = query.inner[(0u + (2u * ((_e700 + 12u) + 2u))) + 1u];
                        float _e712 = acc0_;
                        acc0_ = metal::fma(_e710, k3_2_.y, _e712);
                        uint _e715 = k3_.w;
                        metal::float2 k3_3_ = float2(as_type<half2>(_e715));
                        uint _e720 = w;
                        float _e728 = query.inner[0u + (2u * ((_e720 + 12u) + 3u))];
                        float _e730 = acc0_;
                        acc0_ = metal::fma(_e728, k3_3_.x, _e730);
                        uint _e735 = w;
                        float _e745 = query.inner[(0u + (2u * ((_e735 + 12u) + 3u))) + 1u];
                        float _e747 = acc0_;
                        acc0_ = metal::fma(_e745, k3_3_.y, _e747);
                        uint _e750 = k4_.x;
                        metal::float2 k4_0_ = float2(as_type<half2>(_e750));
                        uint _e755 = w;
                        float _e763 = query.inner[0u + (2u * ((_e755 + 16u) + 0u))];
                        float _e765 = acc0_;
                        acc0_ = metal::fma(_e763, k4_0_.x, _e765);
                        uint _e770 = w;
                        float _e780 = query.inner[(0u + (2u * ((_e770 + 16u) + 0u))) + 1u];
                        float _e782 = acc0_;
                        acc0_ = metal::fma(_e780, k4_0_.y, _e782);
                        uint _e785 = k4_.y;
                        metal::float2 k4_1_ = float2(as_type<half2>(_e785));
                        uint _e790 = w;
                        float _e798 = query.inner[0u + (2u * ((_e790 + 16u) + 1u))];
                        float _e800 = acc0_;
                        acc0_ = metal::fma(_e798, k4_1_.x, _e800);
                        uint _e805 = w;
                        float _e815 = query.inner[(0u + (2u * ((_e805 + 16u) + 1u))) + 1u];
                        float _e817 = acc0_;
                        acc0_ = metal::fma(_e815, k4_1_.y, _e817);
                        uint _e820 = k4_.z;
                        metal::float2 k4_2_ = float2(as_type<half2>(_e820));
                        uint _e825 = w;
                        float _e833 = query.inner[0u + (2u * ((_e825 + 16u) + 2u))];
                        float _e835 = acc0_;
                        acc0_ = metal::fma(_e833, k4_2_.x, _e835);
                        uint _e840 = w;
                        float _e850 = query.inner[(0u + (2u * ((_e840 + 16u) + 2u))) + 1u];
                        float _e852 = acc0_;
                        acc0_ = metal::fma(_e850, k4_2_.y, _e852);
                        uint _e855 = k4_.w;
                        metal::float2 k4_3_ = float2(as_type<half2>(_e855));
                        uint _e860 = w;
                        float _e868 = query.inner[0u + (2u * ((_e860 + 16u) + 3u))];
                        float _e870 = acc0_;
                        acc0_ = metal::fma(_e868, k4_3_.x, _e870);
                        uint _e875 = w;
                        float _e885 = query.inner[(0u + (2u * ((_e875 + 16u) + 3u))) + 1u];
                        float _e887 = acc0_;
                        acc0_ = metal::fma(_e885, k4_3_.y, _e887);
                        uint _e890 = k5_.x;
                        metal::float2 k5_0_ = float2(as_type<half2>(_e890));
                        uint _e895 = w;
                        float _e903 = query.inner[0u + (2u * ((_e895 + 20u) + 0u))];
                        float _e905 = acc0_;
                        acc0_ = metal::fma(_e903, k5_0_.x, _e905);
                        uint _e910 = w;
                        float _e920 = query.inner[(0u + (2u * ((_e910 + 20u) + 0u))) + 1u];
                        float _e922 = acc0_;
                        acc0_ = metal::fma(_e920, k5_0_.y, _e922);
                        uint _e925 = k5_.y;
                        metal::float2 k5_1_ = float2(as_type<half2>(_e925));
                        uint _e930 = w;
                        float _e938 = query.inner[0u + (2u * ((_e930 + 20u) + 1u))];
                        float _e940 = acc0_;
                        acc0_ = metal::fma(_e938, k5_1_.x, _e940);
                        uint _e945 = w;
                        float _e955 = query.inner[(0u + (2u * ((_e945 + 20u) + 1u))) + 1u];
                        float _e957 = acc0_;
                        acc0_ = metal::fma(_e955, k5_1_.y, _e957);
                        uint _e960 = k5_.z;
                        metal::float2 k5_2_ = float2(as_type<half2>(_e960));
                        uint _e965 = w;
                        float _e973 = query.inner[0u + (2u * ((_e965 + 20u) + 2u))];
                        float _e975 = acc0_;
                        acc0_ = metal::fma(_e973, k5_2_.x, _e975);
                        uint _e980 = w;
                        float _e990 = query.inner[(0u + (2u * ((_e980 + 20u) + 2u))) + 1u];
                        float _e992 = acc0_;
                        acc0_ = metal::fma(_e990, k5_2_.y, _e992);
                        uint _e995 = k5_.w;
                        metal::float2 k5_3_ = float2(as_type<half2>(_e995));
                        uint _e1000 = w;
                        float _e1008 = query.inner[0u + (2u * ((_e1000 + 20u) + 3u))];
                        float _e1010 = acc0_;
                        acc0_ = metal::fma(_e1008, k5_3_.x, _e1010);
                        uint _e1015 = w;
                        float _e1025 = query.inner[(0u + (2u * ((_e1015 + 20u) + 3u))) + 1u];
                        float _e1027 = acc0_;
                        acc0_ = metal::fma(_e1025, k5_3_.y, _e1027);
                        uint _e1030 = k6_.x;
                        metal::float2 k6_0_ = float2(as_type<half2>(_e1030));
                        uint _e1035 = w;
                        float _e1043 = query.inner[0u + (2u * ((_e1035 + 24u) + 0u))];
                        float _e1045 = acc0_;
                        acc0_ = metal::fma(_e1043, k6_0_.x, _e1045);
                        uint _e1050 = w;
                        float _e1060 = query.inner[(0u + (2u * ((_e1050 + 24u) + 0u))) + 1u];
                        float _e1062 = acc0_;
                        acc0_ = metal::fma(_e1060, k6_0_.y, _e1062);
                        uint _e1065 = k6_.y;
                        metal::float2 k6_1_ = float2(as_type<half2>(_e1065));
                        uint _e1070 = w;
                        float _e1078 = query.inner[0u + (2u * ((_e1070 + 24u) + 1u))];
                        float _e1080 = acc0_;
                        acc0_ = metal::fma(_e1078, k6_1_.x, _e1080);
                        uint _e1085 = w;
                        float _e1095 = query.inner[(0u + (2u * ((_e1085 + 24u) + 1u))) + 1u];
                        float _e1097 = acc0_;
                        acc0_ = metal::fma(_e1095, k6_1_.y, _e1097);
                        uint _e1100 = k6_.z;
                        metal::float2 k6_2_ = float2(as_type<half2>(_e1100));
                        uint _e1105 = w;
                        float _e1113 = query.inner[0u + (2u * ((_e1105 + 24u) + 2u))];
                        float _e1115 = acc0_;
                        acc0_ = metal::fma(_e1113, k6_2_.x, _e1115);
                        uint _e1120 = w;
                        float _e1130 = query.inner[(0u + (2u * ((_e1120 + 24u) + 2u))) + 1u];
                        float _e1132 = acc0_;
                        acc0_ = metal::fma(_e1130, k6_2_.y, _e1132);
                        uint _e1135 = k6_.w;
                        metal::float2 k6_3_ = float2(as_type<half2>(_e1135));
                        uint _e1140 = w;
                        float _e1148 = query.inner[0u + (2u * ((_e1140 + 24u) + 3u))];
                        float _e1150 = acc0_;
                        acc0_ = metal::fma(_e1148, k6_3_.x, _e1150);
                        uint _e1155 = w;
                        float _e1165 = query.inner[(0u + (2u * ((_e1155 + 24u) + 3u))) + 1u];
                        float _e1167 = acc0_;
                        acc0_ = metal::fma(_e1165, k6_3_.y, _e1167);
                        uint _e1170 = k7_.x;
                        metal::float2 k7_0_ = float2(as_type<half2>(_e1170));
                        uint _e1175 = w;
                        float _e1183 = query.inner[0u + (2u * ((_e1175 + 28u) + 0u))];
                        float _e1185 = acc0_;
                        acc0_ = metal::fma(_e1183, k7_0_.x, _e1185);
                        uint _e1190 = w;
                        float _e1200 = query.inner[(0u + (2u * ((_e1190 + 28u) + 0u))) + 1u];
                        float _e1202 = acc0_;
                        acc0_ = metal::fma(_e1200, k7_0_.y, _e1202);
                        uint _e1205 = k7_.y;
                        metal::float2 k7_1_ = float2(as_type<half2>(_e1205));
                        uint _e1210 = w;
                        float _e1218 = query.inner[0u + (2u * ((_e1210 + 28u) + 1u))];
                        float _e1220 = acc0_;
                        acc0_ = metal::fma(_e1218, k7_1_.x, _e1220);
                        uint _e1225 = w;
                        float _e1235 = query.inner[(0u + (2u * ((_e1225 + 28u) + 1u))) + 1u];
                        float _e1237 = acc0_;
                        acc0_ = metal::fma(_e1235, k7_1_.y, _e1237);
                        uint _e1240 = k7_.z;
                        metal::float2 k7_2_ = float2(as_type<half2>(_e1240));
                        uint _e1245 = w;
                        float _e1253 = query.inner[0u + (2u * ((_e1245 + 28u) + 2u))];
                        float _e1255 = acc0_;
                        acc0_ = metal::fma(_e1253, k7_2_.x, _e1255);
                        uint _e1260 = w;
                        float _e1270 = query.inner[(0u + (2u * ((_e1260 + 28u) + 2u))) + 1u];
                        float _e1272 = acc0_;
                        acc0_ = metal::fma(_e1270, k7_2_.y, _e1272);
                        uint _e1275 = k7_.w;
                        metal::float2 k7_3_ = float2(as_type<half2>(_e1275));
                        uint _e1280 = w;
                        float _e1288 = query.inner[0u + (2u * ((_e1280 + 28u) + 3u))];
                        float _e1290 = acc0_;
                        acc0_ = metal::fma(_e1288, k7_3_.x, _e1290);
                        uint _e1295 = w;
                        float _e1305 = query.inner[(0u + (2u * ((_e1295 + 28u) + 3u))) + 1u];
                        float _e1307 = acc0_;
                        acc0_ = metal::fma(_e1305, k7_3_.y, _e1307);
                    }
                }
            }
            float _e1312 = acc0_;
            float _e1315 = p_1.scale;
            uint _e1317 = keys;
            float score0_ = (lane < _e1317) ? (_e1312 * _e1315) : -340282350000000000000000000000000000000.0;
            weights.inner[(((piece * HEADS) + 0u) * 64u) + lane] = score0_;
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
            uint eighth = ((piece * HEADS) + naga_div(lane, 8u)) * 64u;
            if (naga_div(lane, 8u) < HEADS) {
                peak = -340282350000000000000000000000000000000.0;
                j = naga_mod(lane, 8u);
                uint2 loop_bound_3 = uint2(4294967295u);
                bool loop_init_3 = true;
                while(true) {
                    if (metal::all(loop_bound_3 == uint2(0u))) { break; }
                    loop_bound_3 -= uint2(loop_bound_3.y == 0u, 1u);
                    if (!loop_init_3) {
                        uint _e1365 = j;
                        j = _e1365 + 8u;
                    }
                    loop_init_3 = false;
                    uint _e1346 = j;
                    if (_e1346 < 64u) {
                    } else {
                        break;
                    }
                    {
                        uint _e1350 = j;
                        float s = weights.inner[eighth + _e1350];
                        if ((as_type<uint>(s) & 2147483647u) <= 2139095040u) {
                            float _e1361 = peak;
                            local = s > _e1361;
                        } else {
                            local = false;
                        }
                        bool _e1364 = local;
                        if (_e1364) {
                            peak = s;
                        }
                    }
                }
                float _e1375 = peak;
                parts.inner[((piece * HEADS) * 8u) + lane] = _e1375;
            }
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
            float _e1384 = parts.inner[((piece * HEADS) + 0u) * 8u];
            peak0_ = _e1384;
            float _e1398 = parts.inner[((((piece * HEADS) + 0u) * 8u) + 0u) + 1u];
            float _e1399 = peak0_;
            if (_e1398 > _e1399) {
                float _e1413 = parts.inner[((((piece * HEADS) + 0u) * 8u) + 0u) + 1u];
                peak0_ = _e1413;
            }
            float _e1426 = parts.inner[((((piece * HEADS) + 0u) * 8u) + 1u) + 1u];
            float _e1427 = peak0_;
            if (_e1426 > _e1427) {
                float _e1441 = parts.inner[((((piece * HEADS) + 0u) * 8u) + 1u) + 1u];
                peak0_ = _e1441;
            }
            float _e1454 = parts.inner[((((piece * HEADS) + 0u) * 8u) + 2u) + 1u];
            float _e1455 = peak0_;
            if (_e1454 > _e1455) {
                float _e1469 = parts.inner[((((piece * HEADS) + 0u) * 8u) + 2u) + 1u];
                peak0_ = _e1469;
            }
            float _e1482 = parts.inner[((((piece * HEADS) + 0u) * 8u) + 3u) + 1u];
            float _e1483 = peak0_;
            if (_e1482 > _e1483) {
                float _e1497 = parts.inner[((((piece * HEADS) + 0u) * 8u) + 3u) + 1u];
                peak0_ = _e1497;
            }
            float _e1510 = parts.inner[((((piece * HEADS) + 0u) * 8u) + 4u) + 1u];
            float _e1511 = peak0_;
            if (_e1510 > _e1511) {
                float _e1525 = parts.inner[((((piece * HEADS) + 0u) * 8u) + 4u) + 1u];
                peak0_ = _e1525;
            }
            float _e1538 = parts.inner[((((piece * HEADS) + 0u) * 8u) + 5u) + 1u];
            float _e1539 = peak0_;
            if (_e1538 > _e1539) {
                float _e1553 = parts.inner[((((piece * HEADS) + 0u) * 8u) + 5u) + 1u];
                peak0_ = _e1553;
            }
            float _e1566 = parts.inner[((((piece * HEADS) + 0u) * 8u) + 6u) + 1u];
            float _e1567 = peak0_;
            if (_e1566 > _e1567) {
                float _e1581 = parts.inner[((((piece * HEADS) + 0u) * 8u) + 6u) + 1u];
                peak0_ = _e1581;
            }
            float exact0_ = weights.inner[(((piece * HEADS) + 0u) * 64u) + lane];
            float _e1601 = peak0_;
            float _e1603 = exp_law(exact0_ - _e1601);
            uint _e1604 = keys;
            weights.inner[(((piece * HEADS) + 0u) * 64u) + lane] = (lane < _e1604) ? _e1603 : 0.0;
            if (lane == 0u) {
                float _e1616 = peak0_;
                peaks.inner[(piece * HEADS) + 0u] = _e1616;
            }
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
            if (naga_div(lane, 8u) < HEADS) {
                sum = 0.0;
                j_1 = naga_mod(lane, 8u);
                uint2 loop_bound_4 = uint2(4294967295u);
                bool loop_init_4 = true;
                while(true) {
                    if (metal::all(loop_bound_4 == uint2(0u))) { break; }
                    loop_bound_4 -= uint2(loop_bound_4.y == 0u, 1u);
                    if (!loop_init_4) {
                        uint _e1636 = j_1;
                        j_1 = _e1636 + 8u;
                    }
                    loop_init_4 = false;
                    uint _e1626 = j_1;
                    uint _e1627 = keys;
                    if (_e1626 < _e1627) {
                    } else {
                        break;
                    }
                    {
                        float _e1629 = sum;
                        uint _e1631 = j_1;
                        float _e1634 = weights.inner[eighth + _e1631];
                        sum = _e1629 + _e1634;
                    }
                }
                float _e1646 = sum;
                parts.inner[((piece * HEADS) * 8u) + lane] = _e1646;
            }
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
            if (lane < HEADS) {
                uint at_1 = ((piece * HEADS) + lane) * 8u;
                float _e1661 = parts.inner[at_1];
                float _e1666 = parts.inner[at_1 + 1u];
                float _e1671 = parts.inner[at_1 + 2u];
                float _e1676 = parts.inner[at_1 + 3u];
                float _e1681 = parts.inner[at_1 + 4u];
                float _e1686 = parts.inner[at_1 + 5u];
                float _e1691 = parts.inner[at_1 + 6u];
                float _e1696 = parts.inner[at_1 + 7u];
                float _e1697 = tree8_(_e1661, _e1666, _e1671, _e1676, _e1681, _e1686, _e1691, _e1696);
                sums.inner[(piece * HEADS) + lane] = _e1697;
            }
            sum0_0_ = metal::float2(0.0);
            uint word0_ = lane + 0u;
            if (word0_ < WORDS) {
                j_2 = 0u;
                uint2 loop_bound_5 = uint2(4294967295u);
                bool loop_init_5 = true;
                while(true) {
                    if (metal::all(loop_bound_5 == uint2(0u))) { break; }
                    loop_bound_5 -= uint2(loop_bound_5.y == 0u, 1u);
                    if (!loop_init_5) {
                        uint _e2302 = j_2;
                        j_2 = _e2302 + AHEAD;
                    }
                    loop_init_5 = false;
                    uint _e1707 = j_2;
                    uint _e1708 = keys;
                    if (_e1707 < _e1708) {
                    } else {
                        break;
                    }
                    {
                        uint _e1710 = j_2;
                        uint key0_ = metal::min((first + _e1710) + 0u, count - 1u);
                        uint _e1723 = p_1.kv_words;
                        uint _e1727 = state_word((base + (((key0_ * 2u) + 1u) * _e1723)) + word0_, state, _buffer_sizes);
                        value0_ = _e1727;
                        uint _e1729 = j_2;
                        uint key1_ = metal::min((first + _e1729) + 1u, count - 1u);
                        uint _e1742 = p_1.kv_words;
                        uint _e1746 = state_word((base + (((key1_ * 2u) + 1u) * _e1742)) + word0_, state, _buffer_sizes);
                        value1_ = _e1746;
                        uint _e1748 = j_2;
                        uint key2_ = metal::min((first + _e1748) + 2u, count - 1u);
                        uint _e1761 = p_1.kv_words;
                        uint _e1765 = state_word((base + (((key2_ * 2u) + 1u) * _e1761)) + word0_, state, _buffer_sizes);
                        value2_ = _e1765;
                        uint _e1767 = j_2;
                        uint key3_ = metal::min((first + _e1767) + 3u, count - 1u);
                        uint _e1780 = p_1.kv_words;
                        uint _e1784 = state_word((base + (((key3_ * 2u) + 1u) * _e1780)) + word0_, state, _buffer_sizes);
                        value3_ = _e1784;
                        uint _e1786 = j_2;
                        uint key4_ = metal::min((first + _e1786) + 4u, count - 1u);
                        uint _e1799 = p_1.kv_words;
                        uint _e1803 = state_word((base + (((key4_ * 2u) + 1u) * _e1799)) + word0_, state, _buffer_sizes);
                        value4_ = _e1803;
                        uint _e1805 = j_2;
                        uint key5_ = metal::min((first + _e1805) + 5u, count - 1u);
                        uint _e1818 = p_1.kv_words;
                        uint _e1822 = state_word((base + (((key5_ * 2u) + 1u) * _e1818)) + word0_, state, _buffer_sizes);
                        value5_ = _e1822;
                        uint _e1824 = j_2;
                        uint key6_ = metal::min((first + _e1824) + 6u, count - 1u);
                        uint _e1837 = p_1.kv_words;
                        uint _e1841 = state_word((base + (((key6_ * 2u) + 1u) * _e1837)) + word0_, state, _buffer_sizes);
                        value6_ = _e1841;
                        uint _e1843 = j_2;
                        uint key7_ = metal::min((first + _e1843) + 7u, count - 1u);
                        uint _e1856 = p_1.kv_words;
                        uint _e1860 = state_word((base + (((key7_ * 2u) + 1u) * _e1856)) + word0_, state, _buffer_sizes);
                        value7_ = _e1860;
                        uint _e1862 = j_2;
                        uint key8_ = metal::min((first + _e1862) + 8u, count - 1u);
                        uint _e1875 = p_1.kv_words;
                        uint _e1879 = state_word((base + (((key8_ * 2u) + 1u) * _e1875)) + word0_, state, _buffer_sizes);
                        value8_ = _e1879;
                        uint _e1881 = j_2;
                        uint key9_ = metal::min((first + _e1881) + 9u, count - 1u);
                        uint _e1894 = p_1.kv_words;
                        uint _e1898 = state_word((base + (((key9_ * 2u) + 1u) * _e1894)) + word0_, state, _buffer_sizes);
                        value9_ = _e1898;
                        uint _e1900 = j_2;
                        uint key10_ = metal::min((first + _e1900) + 10u, count - 1u);
                        uint _e1913 = p_1.kv_words;
                        uint _e1917 = state_word((base + (((key10_ * 2u) + 1u) * _e1913)) + word0_, state, _buffer_sizes);
                        value10_ = _e1917;
                        uint _e1919 = j_2;
                        uint key11_ = metal::min((first + _e1919) + 11u, count - 1u);
                        uint _e1932 = p_1.kv_words;
                        uint _e1936 = state_word((base + (((key11_ * 2u) + 1u) * _e1932)) + word0_, state, _buffer_sizes);
                        value11_ = _e1936;
                        uint _e1938 = j_2;
                        uint key12_ = metal::min((first + _e1938) + 12u, count - 1u);
                        uint _e1951 = p_1.kv_words;
                        uint _e1955 = state_word((base + (((key12_ * 2u) + 1u) * _e1951)) + word0_, state, _buffer_sizes);
                        value12_ = _e1955;
                        uint _e1957 = j_2;
                        uint key13_ = metal::min((first + _e1957) + 13u, count - 1u);
                        uint _e1970 = p_1.kv_words;
                        uint _e1974 = state_word((base + (((key13_ * 2u) + 1u) * _e1970)) + word0_, state, _buffer_sizes);
                        value13_ = _e1974;
                        uint _e1976 = j_2;
                        uint key14_ = metal::min((first + _e1976) + 14u, count - 1u);
                        uint _e1989 = p_1.kv_words;
                        uint _e1993 = state_word((base + (((key14_ * 2u) + 1u) * _e1989)) + word0_, state, _buffer_sizes);
                        value14_ = _e1993;
                        uint _e1995 = j_2;
                        uint key15_ = metal::min((first + _e1995) + 15u, count - 1u);
                        uint _e2008 = p_1.kv_words;
                        uint _e2012 = state_word((base + (((key15_ * 2u) + 1u) * _e2008)) + word0_, state, _buffer_sizes);
                        value15_ = _e2012;
                        uint _e2021 = j_2;
                        float w0_0_ = weights.inner[((((piece * HEADS) + 0u) * 64u) + _e2021) + 0u];
                        uint _e2034 = j_2;
                        float w0_1_ = weights.inner[((((piece * HEADS) + 0u) * 64u) + _e2034) + 1u];
                        uint _e2047 = j_2;
                        float w0_2_ = weights.inner[((((piece * HEADS) + 0u) * 64u) + _e2047) + 2u];
                        uint _e2060 = j_2;
                        float w0_3_ = weights.inner[((((piece * HEADS) + 0u) * 64u) + _e2060) + 3u];
                        uint _e2073 = j_2;
                        float w0_4_ = weights.inner[((((piece * HEADS) + 0u) * 64u) + _e2073) + 4u];
                        uint _e2086 = j_2;
                        float w0_5_ = weights.inner[((((piece * HEADS) + 0u) * 64u) + _e2086) + 5u];
                        uint _e2099 = j_2;
                        float w0_6_ = weights.inner[((((piece * HEADS) + 0u) * 64u) + _e2099) + 6u];
                        uint _e2112 = j_2;
                        float w0_7_ = weights.inner[((((piece * HEADS) + 0u) * 64u) + _e2112) + 7u];
                        uint _e2125 = j_2;
                        float w0_8_ = weights.inner[((((piece * HEADS) + 0u) * 64u) + _e2125) + 8u];
                        uint _e2138 = j_2;
                        float w0_9_ = weights.inner[((((piece * HEADS) + 0u) * 64u) + _e2138) + 9u];
                        uint _e2151 = j_2;
                        float w0_10_ = weights.inner[((((piece * HEADS) + 0u) * 64u) + _e2151) + 10u];
                        uint _e2164 = j_2;
                        float w0_11_ = weights.inner[((((piece * HEADS) + 0u) * 64u) + _e2164) + 11u];
                        uint _e2177 = j_2;
                        float w0_12_ = weights.inner[((((piece * HEADS) + 0u) * 64u) + _e2177) + 12u];
                        uint _e2190 = j_2;
                        float w0_13_ = weights.inner[((((piece * HEADS) + 0u) * 64u) + _e2190) + 13u];
                        uint _e2203 = j_2;
                        float w0_14_ = weights.inner[((((piece * HEADS) + 0u) * 64u) + _e2203) + 14u];
                        uint _e2216 = j_2;
                        float w0_15_ = weights.inner[((((piece * HEADS) + 0u) * 64u) + _e2216) + 15u];
                        uint _e2222 = value0_;
                        metal::float2 v0_ = float2(as_type<half2>(_e2222));
                        metal::float2 _e2225 = sum0_0_;
                        sum0_0_ = metal::fma(metal::float2(w0_0_), v0_, _e2225);
                        uint _e2227 = value1_;
                        metal::float2 v1_ = float2(as_type<half2>(_e2227));
                        metal::float2 _e2230 = sum0_0_;
                        sum0_0_ = metal::fma(metal::float2(w0_1_), v1_, _e2230);
                        uint _e2232 = value2_;
                        metal::float2 v2_ = float2(as_type<half2>(_e2232));
                        metal::float2 _e2235 = sum0_0_;
                        sum0_0_ = metal::fma(metal::float2(w0_2_), v2_, _e2235);
                        uint _e2237 = value3_;
                        metal::float2 v3_ = float2(as_type<half2>(_e2237));
                        metal::float2 _e2240 = sum0_0_;
                        sum0_0_ = metal::fma(metal::float2(w0_3_), v3_, _e2240);
                        uint _e2242 = value4_;
                        metal::float2 v4_ = float2(as_type<half2>(_e2242));
                        metal::float2 _e2245 = sum0_0_;
                        sum0_0_ = metal::fma(metal::float2(w0_4_), v4_, _e2245);
                        uint _e2247 = value5_;
                        metal::float2 v5_ = float2(as_type<half2>(_e2247));
                        metal::float2 _e2250 = sum0_0_;
                        sum0_0_ = metal::fma(metal::float2(w0_5_), v5_, _e2250);
                        uint _e2252 = value6_;
                        metal::float2 v6_ = float2(as_type<half2>(_e2252));
                        metal::float2 _e2255 = sum0_0_;
                        sum0_0_ = metal::fma(metal::float2(w0_6_), v6_, _e2255);
                        uint _e2257 = value7_;
                        metal::float2 v7_ = float2(as_type<half2>(_e2257));
                        metal::float2 _e2260 = sum0_0_;
                        sum0_0_ = metal::fma(metal::float2(w0_7_), v7_, _e2260);
                        uint _e2262 = value8_;
                        metal::float2 v8_ = float2(as_type<half2>(_e2262));
                        metal::float2 _e2265 = sum0_0_;
                        sum0_0_ = metal::fma(metal::float2(w0_8_), v8_, _e2265);
                        uint _e2267 = value9_;
                        metal::float2 v9_ = float2(as_type<half2>(_e2267));
                        metal::float2 _e2270 = sum0_0_;
                        sum0_0_ = metal::fma(metal::float2(w0_9_), v9_, _e2270);
                        uint _e2272 = value10_;
                        metal::float2 v10_ = float2(as_type<half2>(_e2272));
                        metal::float2 _e2275 = sum0_0_;
                        sum0_0_ = metal::fma(metal::float2(w0_10_), v10_, _e2275);
                        uint _e2277 = value11_;
                        metal::float2 v11_ = float2(as_type<half2>(_e2277));
                        metal::float2 _e2280 = sum0_0_;
                        sum0_0_ = metal::fma(metal::float2(w0_11_), v11_, _e2280);
                        uint _e2282 = value12_;
                        metal::float2 v12_ = float2(as_type<half2>(_e2282));
                        metal::float2 _e2285 = sum0_0_;
                        sum0_0_ = metal::fma(metal::float2(w0_12_), v12_, _e2285);
                        uint _e2287 = value13_;
                        metal::float2 v13_ = float2(as_type<half2>(_e2287));
                        metal::float2 _e2290 = sum0_0_;
                        sum0_0_ = metal::fma(metal::float2(w0_13_), v13_, _e2290);
                        uint _e2292 = value14_;
                        metal::float2 v14_ = float2(as_type<half2>(_e2292));
                        metal::float2 _e2295 = sum0_0_;
                        sum0_0_ = metal::fma(metal::float2(w0_14_), v14_, _e2295);
                        uint _e2297 = value15_;
                        metal::float2 v15_ = float2(as_type<half2>(_e2297));
                        metal::float2 _e2300 = sum0_0_;
                        sum0_0_ = metal::fma(metal::float2(w0_15_), v15_, _e2300);
                    }
                }
                metal::float2 _e2314 = sum0_0_;
                outs.inner[(((piece * HEADS) + 0u) * WORDS) + word0_] = _e2314;
            }
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
            if (piece == 0u) {
                uint _e2317 = start;
                if ((_e2317 + 0u) < count) {
                    uint _e2321 = start;
                    bool first_of_all = (_e2321 + 0u) == 0u;
                    float peak_c0_ = peaks.inner[0];
                    float _e2329 = total_max0_;
                    if (!(first_of_all)) {
                        float _e2333 = total_max0_;
                        local_1 = peak_c0_ > _e2333;
                    } else {
                        local_1 = true;
                    }
                    bool _e2336 = local_1;
                    float merged0_ = _e2336 ? peak_c0_ : _e2329;
                    float _e2338 = total_max0_;
                    float _e2340 = exp_law(_e2338 - merged0_);
                    float _e2342 = exp_law(peak_c0_ - merged0_);
                    if ((lane + 0u) < WORDS) {
                        metal::float2 part0_0_ = outs.inner[0u + word0_];
                        metal::float2 _e2352 = out0_0_;
                        out0_0_ = first_of_all ? part0_0_ : metal::fma(_e2352, metal::float2(_e2340), part0_0_ * _e2342);
                    }
                    float s0_ = sums.inner[0];
                    float _e2360 = total_sum0_;
                    total_sum0_ = first_of_all ? s0_ : metal::fma(_e2360, _e2340, s0_ * _e2342);
                    total_max0_ = merged0_;
                }
                uint _e2364 = start;
                if ((_e2364 + 64u) < count) {
                    uint _e2368 = start;
                    bool first_of_all_1 = (_e2368 + 1u) == 0u;
                    float peak_c0_1 = peaks.inner[1];
                    float _e2376 = total_max0_;
                    if (!(first_of_all_1)) {
                        float _e2380 = total_max0_;
                        local_2 = peak_c0_1 > _e2380;
                    } else {
                        local_2 = true;
                    }
                    bool _e2383 = local_2;
                    float merged0_1 = _e2383 ? peak_c0_1 : _e2376;
                    float _e2385 = total_max0_;
                    float _e2387 = exp_law(_e2385 - merged0_1);
                    float _e2389 = exp_law(peak_c0_1 - merged0_1);
                    if ((lane + 0u) < WORDS) {
                        metal::float2 part0_0_1 = outs.inner[32u + word0_];
                        metal::float2 _e2399 = out0_0_;
                        out0_0_ = first_of_all_1 ? part0_0_1 : metal::fma(_e2399, metal::float2(_e2387), part0_0_1 * _e2389);
                    }
                    float s0_1 = sums.inner[1];
                    float _e2407 = total_sum0_;
                    total_sum0_ = first_of_all_1 ? s0_1 : metal::fma(_e2407, _e2387, s0_1 * _e2389);
                    total_max0_ = merged0_1;
                }
                uint _e2411 = start;
                if ((_e2411 + 128u) < count) {
                    uint _e2415 = start;
                    bool first_of_all_2 = (_e2415 + 2u) == 0u;
                    float peak_c0_2 = peaks.inner[2];
                    float _e2423 = total_max0_;
                    if (!(first_of_all_2)) {
                        float _e2427 = total_max0_;
                        local_3 = peak_c0_2 > _e2427;
                    } else {
                        local_3 = true;
                    }
                    bool _e2430 = local_3;
                    float merged0_2 = _e2430 ? peak_c0_2 : _e2423;
                    float _e2432 = total_max0_;
                    float _e2434 = exp_law(_e2432 - merged0_2);
                    float _e2436 = exp_law(peak_c0_2 - merged0_2);
                    if ((lane + 0u) < WORDS) {
                        metal::float2 part0_0_2 = outs.inner[64u + word0_];
                        metal::float2 _e2446 = out0_0_;
                        out0_0_ = first_of_all_2 ? part0_0_2 : metal::fma(_e2446, metal::float2(_e2434), part0_0_2 * _e2436);
                    }
                    float s0_2 = sums.inner[2];
                    float _e2454 = total_sum0_;
                    total_sum0_ = first_of_all_2 ? s0_2 : metal::fma(_e2454, _e2434, s0_2 * _e2436);
                    total_max0_ = merged0_2;
                }
                uint _e2458 = start;
                if ((_e2458 + 192u) < count) {
                    uint _e2462 = start;
                    bool first_of_all_3 = (_e2462 + 3u) == 0u;
                    float peak_c0_3 = peaks.inner[3];
                    float _e2470 = total_max0_;
                    if (!(first_of_all_3)) {
                        float _e2474 = total_max0_;
                        local_4 = peak_c0_3 > _e2474;
                    } else {
                        local_4 = true;
                    }
                    bool _e2477 = local_4;
                    float merged0_3 = _e2477 ? peak_c0_3 : _e2470;
                    float _e2479 = total_max0_;
                    float _e2481 = exp_law(_e2479 - merged0_3);
                    float _e2483 = exp_law(peak_c0_3 - merged0_3);
                    if ((lane + 0u) < WORDS) {
                        metal::float2 part0_0_3 = outs.inner[96u + word0_];
                        metal::float2 _e2493 = out0_0_;
                        out0_0_ = first_of_all_3 ? part0_0_3 : metal::fma(_e2493, metal::float2(_e2481), part0_0_3 * _e2483);
                    }
                    float s0_3 = sums.inner[3];
                    float _e2501 = total_sum0_;
                    total_sum0_ = first_of_all_3 ? s0_3 : metal::fma(_e2501, _e2481, s0_3 * _e2483);
                    total_max0_ = merged0_3;
                }
            }
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
        }
    }
    if (piece == 0u) {
        uint word0_1 = lane + 0u;
        if (word0_1 < WORDS) {
            uint _e2516 = p_1.out;
            uint _e2519 = p_1.out_cols;
            uint to0_ = ((_e2516 + (row * _e2519)) + ((head + 0u) * HEAD_DIM)) + (2u * word0_1);
            metal::float2 _e2530 = out0_0_;
            float _e2531 = total_sum0_;
            metal::float2 y0_ = _e2530 / metal::float2(_e2531);
            arena[to0_] = y0_.x;
            arena[to0_ + 1u] = y0_.y;
            return;
        } else {
            return;
        }
    } else {
        return;
    }
}
