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
    uint groups;
    uint count_at;
    uint mode;
    uint out;
    uint out_cols;
    float factor;
    int zero;
    uint sums_at;
    uint pad0_;
    uint pad1_;
    uint pad2_;
    type_6 pad;
};
typedef float type_7[1];
typedef uint type_8[1];
typedef metal::uint4 type_9[1];
typedef metal::uint2 type_11[1];
struct type_12 {
    int inner[256];
};
struct type_13 {
    float inner[256];
};
constant uint BITS = 4u;
constant uint UNITS = 8u;
constant uint SUM_GROUPS = 1u;
constant uint TOKENS = 1u;
constant uint SPLIT = 8u;
constant uint SUB_UNITS = 1u;
constant bool HALVES = true;
constant bool SUBS = true;
constant bool MINS = true;
constant bool SHARED = true;
constant bool EARLY = true;
constant bool PAIRS = false;
constant uint VECS = 2u;
constant uint GROUP_UNITS = 9u;
constant uint THREADS = 256u;
constant uint ENTRIES = 8u;

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
    float n_1 = metal::rint(_e8 * 1.442695);
    float _e12 = c;
    float r = metal::fma(n_1, 0.00021219444, metal::fma(n_1, -0.6933594, _e12));
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
    float e_1,
    float f,
    float g_1,
    float h
) {
    return ((a + e_1) + (c_1 + g_1)) + ((b + f) + (d + h));
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
    uint at_2 = (_e5 + (row * _e8)) + n;
    uint _e14 = p_1.mode;
    if (_e14 == 1u) {
        float _e21 = p_1.factor;
        arena[at_2] = y * _e21;
        return;
    } else {
        uint _e25 = p_1.mode;
        if (_e25 == 2u) {
            float _e32 = p_1.factor;
            float _e35 = arena[at_2];
            arena[at_2] = metal::fma(_e32, y, _e35);
            return;
        } else {
            arena[at_2] = y;
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

metal::float2 scale_of(
    uint at,
    device type_8 const& scales,
    constant _mslBufferSizes& _buffer_sizes
) {
    uint _e3 = scales[at];
    return float2(as_type<half2>(_e3));
}

int dot_unit(
    metal::uint4 w,
    uint at_1,
    device type_9 const& acts,
    constant _mslBufferSizes& _buffer_sizes
) {
    metal::uint4 a_3 = acts[at_1];
    metal::uint4 b_3 = acts[at_1 + 1u];
    metal::uint4 low = w & metal::uint4(252645135u);
    metal::uint4 high = (w >> metal::uint4(4u)) & metal::uint4(252645135u);
    uint _e19 = low.x;
    uint _e20 = a_3.x;
    packed_char4 reinterpreted_packed_char4_e19 = as_type<packed_char4>(_e19);
    packed_char4 reinterpreted_packed_char4_e20 = as_type<packed_char4>(_e20);
    uint _e22 = high.x;
    uint _e23 = a_3.y;
    packed_char4 reinterpreted_packed_char4_e22 = as_type<packed_char4>(_e22);
    packed_char4 reinterpreted_packed_char4_e23 = as_type<packed_char4>(_e23);
    uint _e26 = low.y;
    uint _e27 = a_3.z;
    packed_char4 reinterpreted_packed_char4_e26 = as_type<packed_char4>(_e26);
    packed_char4 reinterpreted_packed_char4_e27 = as_type<packed_char4>(_e27);
    uint _e30 = high.y;
    uint _e31 = a_3.w;
    packed_char4 reinterpreted_packed_char4_e30 = as_type<packed_char4>(_e30);
    packed_char4 reinterpreted_packed_char4_e31 = as_type<packed_char4>(_e31);
    uint _e34 = low.z;
    uint _e35 = b_3.x;
    packed_char4 reinterpreted_packed_char4_e34 = as_type<packed_char4>(_e34);
    packed_char4 reinterpreted_packed_char4_e35 = as_type<packed_char4>(_e35);
    uint _e38 = high.z;
    uint _e39 = b_3.y;
    packed_char4 reinterpreted_packed_char4_e38 = as_type<packed_char4>(_e38);
    packed_char4 reinterpreted_packed_char4_e39 = as_type<packed_char4>(_e39);
    uint _e42 = low.w;
    uint _e43 = b_3.z;
    packed_char4 reinterpreted_packed_char4_e42 = as_type<packed_char4>(_e42);
    packed_char4 reinterpreted_packed_char4_e43 = as_type<packed_char4>(_e43);
    uint _e46 = high.w;
    uint _e47 = b_3.w;
    packed_char4 reinterpreted_packed_char4_e46 = as_type<packed_char4>(_e46);
    packed_char4 reinterpreted_packed_char4_e47 = as_type<packed_char4>(_e47);
    return as_type<int>(as_type<uint>(as_type<int>(as_type<uint>(as_type<int>(as_type<uint>(as_type<int>(as_type<uint>(as_type<int>(as_type<uint>(as_type<int>(as_type<uint>(as_type<int>(as_type<uint>(( + reinterpreted_packed_char4_e19[0] * reinterpreted_packed_char4_e20[0] + reinterpreted_packed_char4_e19[1] * reinterpreted_packed_char4_e20[1] + reinterpreted_packed_char4_e19[2] * reinterpreted_packed_char4_e20[2] + reinterpreted_packed_char4_e19[3] * reinterpreted_packed_char4_e20[3])) + as_type<uint>(( + reinterpreted_packed_char4_e22[0] * reinterpreted_packed_char4_e23[0] + reinterpreted_packed_char4_e22[1] * reinterpreted_packed_char4_e23[1] + reinterpreted_packed_char4_e22[2] * reinterpreted_packed_char4_e23[2] + reinterpreted_packed_char4_e22[3] * reinterpreted_packed_char4_e23[3])))) + as_type<uint>(( + reinterpreted_packed_char4_e26[0] * reinterpreted_packed_char4_e27[0] + reinterpreted_packed_char4_e26[1] * reinterpreted_packed_char4_e27[1] + reinterpreted_packed_char4_e26[2] * reinterpreted_packed_char4_e27[2] + reinterpreted_packed_char4_e26[3] * reinterpreted_packed_char4_e27[3])))) + as_type<uint>(( + reinterpreted_packed_char4_e30[0] * reinterpreted_packed_char4_e31[0] + reinterpreted_packed_char4_e30[1] * reinterpreted_packed_char4_e31[1] + reinterpreted_packed_char4_e30[2] * reinterpreted_packed_char4_e31[2] + reinterpreted_packed_char4_e30[3] * reinterpreted_packed_char4_e31[3])))) + as_type<uint>(( + reinterpreted_packed_char4_e34[0] * reinterpreted_packed_char4_e35[0] + reinterpreted_packed_char4_e34[1] * reinterpreted_packed_char4_e35[1] + reinterpreted_packed_char4_e34[2] * reinterpreted_packed_char4_e35[2] + reinterpreted_packed_char4_e34[3] * reinterpreted_packed_char4_e35[3])))) + as_type<uint>(( + reinterpreted_packed_char4_e38[0] * reinterpreted_packed_char4_e39[0] + reinterpreted_packed_char4_e38[1] * reinterpreted_packed_char4_e39[1] + reinterpreted_packed_char4_e38[2] * reinterpreted_packed_char4_e39[2] + reinterpreted_packed_char4_e38[3] * reinterpreted_packed_char4_e39[3])))) + as_type<uint>(( + reinterpreted_packed_char4_e42[0] * reinterpreted_packed_char4_e43[0] + reinterpreted_packed_char4_e42[1] * reinterpreted_packed_char4_e43[1] + reinterpreted_packed_char4_e42[2] * reinterpreted_packed_char4_e43[2] + reinterpreted_packed_char4_e42[3] * reinterpreted_packed_char4_e43[3])))) + as_type<uint>(( + reinterpreted_packed_char4_e46[0] * reinterpreted_packed_char4_e47[0] + reinterpreted_packed_char4_e46[1] * reinterpreted_packed_char4_e47[1] + reinterpreted_packed_char4_e46[2] * reinterpreted_packed_char4_e47[2] + reinterpreted_packed_char4_e46[3] * reinterpreted_packed_char4_e47[3])));
}

uint naga_div(uint lhs, uint rhs) {
    return lhs / metal::select(rhs, 1u, rhs == 0u);
}

uint naga_mod(uint lhs, uint rhs) {
    return lhs % metal::select(rhs, 1u, rhs == 0u);
}

int byte_of(
    metal::uint4 words,
    uint i_1
) {
    uint _e9 = 8u * naga_mod(i_1, 4u);
    return metal::extract_bits(as_type<int>(words[naga_div(i_1, 4u)]), metal::min(_e9, 32u), metal::min(8u, 32u - metal::min(_e9, 32u)));
}
int naga_neg(int val) {
    return as_type<int>(-as_type<uint>(val));
}


struct main_Input {
};
[[max_total_threads_per_threadgroup(256)]] kernel void main_(
  metal::uint3 group [[threadgroup_position_in_grid]]
, uint t [[thread_index_in_threadgroup]]
, constant Params& p_1 [[user(fake0)]]
, device type_7& arena [[user(fake0)]]
, device type_8 const& call [[user(fake0)]]
, device type_9 const& codes [[user(fake0)]]
, device type_8 const& scales [[user(fake0)]]
, device type_9 const& acts [[user(fake0)]]
, device type_11 const& act_scales [[user(fake0)]]
, threadgroup type_12& isums
, threadgroup type_13& factors
, threadgroup type_12& msums
, threadgroup type_13& min_factors
, constant _mslBufferSizes& _buffer_sizes [[user(fake0)]]
) {
    metal::float2 d0_ = metal::float2(0.0);
    metal::uint4 w0_0_ = metal::uint4(0u);
    metal::uint4 w0_1_ = metal::uint4(0u);
    metal::uint4 w0_2_ = metal::uint4(0u);
    metal::uint4 w0_3_ = metal::uint4(0u);
    metal::uint4 w0_4_ = metal::uint4(0u);
    metal::uint4 w0_5_ = metal::uint4(0u);
    metal::uint4 w0_6_ = metal::uint4(0u);
    metal::uint4 w0_7_ = metal::uint4(0u);
    metal::uint4 sub0_ = metal::uint4(0u);
    uint g = {};
    float acc = 0.0;
    uint start = 0u;
    int isum0_0_ = {};
    int msum0_0_ = {};
    bool local = {};
    uint e = {};
    bool local_1 = {};
    uint first = group.y * TOKENS;
    uint _e8 = p_1.count_at;
    uint rows = call[_e8];
    uint block = group.x;
    uint lane = naga_mod(t, 32u);
    uint run = naga_div(t, 32u);
    if (first >= rows) {
        return;
    }
    uint _e24 = p_1.groups;
    uint row0_ = metal::min(first + 0u, rows - 1u) * _e24;
    g = run * SUM_GROUPS;
    uint _e59 = g;
    uint _e64 = p_1.groups;
    if ((_e59 + 0u) < _e64) {
        uint _e68 = p_1.groups;
        uint _e70 = g;
        uint load0_ = (((((block * _e68) + _e70) + 0u) * GROUP_UNITS) * 32u) + lane;
        metal::uint4 _e83 = codes[load0_ + 0u];
        w0_0_ = _e83;
        metal::uint4 _e88 = codes[load0_ + 32u];
        w0_1_ = _e88;
        metal::uint4 _e93 = codes[load0_ + 64u];
        w0_2_ = _e93;
        metal::uint4 _e98 = codes[load0_ + 96u];
        w0_3_ = _e98;
        metal::uint4 _e103 = codes[load0_ + 128u];
        w0_4_ = _e103;
        metal::uint4 _e108 = codes[load0_ + 160u];
        w0_5_ = _e108;
        metal::uint4 _e113 = codes[load0_ + 192u];
        w0_6_ = _e113;
        metal::uint4 _e118 = codes[load0_ + 224u];
        w0_7_ = _e118;
        metal::uint4 _e123 = codes[load0_ + 256u];
        sub0_ = _e123;
        uint _e126 = p_1.groups;
        uint _e128 = g;
        metal::float2 _e135 = scale_of(((((block * _e126) + _e128) + 0u) * 32u) + lane, scales, _buffer_sizes);
        d0_ = _e135;
    }
    uint2 loop_bound = uint2(4294967295u);
    bool loop_init = true;
    while(true) {
        if (metal::all(loop_bound == uint2(0u))) { break; }
        loop_bound -= uint2(loop_bound.y == 0u, 1u);
        if (!loop_init) {
            uint _e505 = start;
            start = _e505 + ENTRIES;
        }
        loop_init = false;
        uint _e140 = start;
        uint _e143 = p_1.groups;
        if (_e140 < _e143) {
        } else {
            break;
        }
        {
            uint _e145 = g;
            uint _e150 = p_1.groups;
            uint g0_ = metal::min(_e145 + 0u, _e150 - 1u);
            metal::float2 d_now0_ = d0_;
            metal::uint4 now0_0_ = w0_0_;
            metal::uint4 now0_1_ = w0_1_;
            metal::uint4 now0_2_ = w0_2_;
            metal::uint4 now0_3_ = w0_3_;
            metal::uint4 now0_4_ = w0_4_;
            metal::uint4 now0_5_ = w0_5_;
            metal::uint4 now0_6_ = w0_6_;
            metal::uint4 now0_7_ = w0_7_;
            metal::uint4 sub_now0_ = sub0_;
            uint _e164 = g;
            g = _e164 + ENTRIES;
            uint _e167 = g;
            uint _e172 = p_1.groups;
            if ((_e167 + 0u) < _e172) {
                uint _e176 = p_1.groups;
                uint _e178 = g;
                uint load0_1 = (((((block * _e176) + _e178) + 0u) * GROUP_UNITS) * 32u) + lane;
                metal::uint4 _e191 = codes[load0_1 + 0u];
                w0_0_ = _e191;
                metal::uint4 _e196 = codes[load0_1 + 32u];
                w0_1_ = _e196;
                metal::uint4 _e201 = codes[load0_1 + 64u];
                w0_2_ = _e201;
                metal::uint4 _e206 = codes[load0_1 + 96u];
                w0_3_ = _e206;
                metal::uint4 _e211 = codes[load0_1 + 128u];
                w0_4_ = _e211;
                metal::uint4 _e216 = codes[load0_1 + 160u];
                w0_5_ = _e216;
                metal::uint4 _e221 = codes[load0_1 + 192u];
                w0_6_ = _e221;
                metal::uint4 _e226 = codes[load0_1 + 224u];
                w0_7_ = _e226;
                metal::uint4 _e231 = codes[load0_1 + 256u];
                sub0_ = _e231;
                uint _e234 = p_1.groups;
                uint _e236 = g;
                metal::float2 _e243 = scale_of(((((block * _e234) + _e236) + 0u) * 32u) + lane, scales, _buffer_sizes);
                d0_ = _e243;
            }
            int _e245 = byte_of(sub_now0_, 0u);
            int _e247 = byte_of(sub_now0_, 1u);
            int _e249 = byte_of(sub_now0_, 2u);
            int _e251 = byte_of(sub_now0_, 3u);
            int _e253 = byte_of(sub_now0_, 4u);
            int _e255 = byte_of(sub_now0_, 5u);
            int _e257 = byte_of(sub_now0_, 6u);
            int _e259 = byte_of(sub_now0_, 7u);
            metal::uint2 a0_0_ = act_scales[row0_ + g0_];
            uint at0_0_ = ((row0_ + g0_) * UNITS) * VECS;
            int _e271 = p_1.zero;
            isum0_0_ = as_type<int>(as_type<uint>(naga_neg(_e271)) * as_type<uint>(as_type<int>(a0_0_.y)));
            msum0_0_ = 0;
            uint _e282 = p_1.sums_at;
            metal::uint2 sums0_0_0_ = act_scales[(_e282 + ((row0_ + g0_) * 4u)) + 0u];
            int _e291 = msum0_0_;
            int _e293 = byte_of(sub_now0_, 8u);
            msum0_0_ = as_type<int>(as_type<uint>(_e291) + as_type<uint>(as_type<int>(as_type<uint>(_e293) * as_type<uint>(as_type<int>(sums0_0_0_.x)))));
            int _e298 = msum0_0_;
            int _e300 = byte_of(sub_now0_, 9u);
            msum0_0_ = as_type<int>(as_type<uint>(_e298) + as_type<uint>(as_type<int>(as_type<uint>(_e300) * as_type<uint>(as_type<int>(sums0_0_0_.y)))));
            uint _e308 = p_1.sums_at;
            metal::uint2 sums0_0_1_ = act_scales[(_e308 + ((row0_ + g0_) * 4u)) + 1u];
            int _e317 = msum0_0_;
            int _e319 = byte_of(sub_now0_, 10u);
            msum0_0_ = as_type<int>(as_type<uint>(_e317) + as_type<uint>(as_type<int>(as_type<uint>(_e319) * as_type<uint>(as_type<int>(sums0_0_1_.x)))));
            int _e324 = msum0_0_;
            int _e326 = byte_of(sub_now0_, 11u);
            msum0_0_ = as_type<int>(as_type<uint>(_e324) + as_type<uint>(as_type<int>(as_type<uint>(_e326) * as_type<uint>(as_type<int>(sums0_0_1_.y)))));
            uint _e334 = p_1.sums_at;
            metal::uint2 sums0_0_2_ = act_scales[(_e334 + ((row0_ + g0_) * 4u)) + 2u];
            int _e343 = msum0_0_;
            int _e345 = byte_of(sub_now0_, 12u);
            msum0_0_ = as_type<int>(as_type<uint>(_e343) + as_type<uint>(as_type<int>(as_type<uint>(_e345) * as_type<uint>(as_type<int>(sums0_0_2_.x)))));
            int _e350 = msum0_0_;
            int _e352 = byte_of(sub_now0_, 13u);
            msum0_0_ = as_type<int>(as_type<uint>(_e350) + as_type<uint>(as_type<int>(as_type<uint>(_e352) * as_type<uint>(as_type<int>(sums0_0_2_.y)))));
            uint _e360 = p_1.sums_at;
            metal::uint2 sums0_0_3_ = act_scales[(_e360 + ((row0_ + g0_) * 4u)) + 3u];
            int _e369 = msum0_0_;
            int _e371 = byte_of(sub_now0_, 14u);
            msum0_0_ = as_type<int>(as_type<uint>(_e369) + as_type<uint>(as_type<int>(as_type<uint>(_e371) * as_type<uint>(as_type<int>(sums0_0_3_.x)))));
            int _e376 = msum0_0_;
            int _e378 = byte_of(sub_now0_, 15u);
            msum0_0_ = as_type<int>(as_type<uint>(_e376) + as_type<uint>(as_type<int>(as_type<uint>(_e378) * as_type<uint>(as_type<int>(sums0_0_3_.y)))));
            int _e383 = isum0_0_;
            int _e386 = dot_unit(now0_0_, at0_0_ + 0u, acts, _buffer_sizes);
            isum0_0_ = as_type<int>(as_type<uint>(_e383) + as_type<uint>(as_type<int>(as_type<uint>(_e245) * as_type<uint>(_e386))));
            int _e389 = isum0_0_;
            int _e392 = dot_unit(now0_1_, at0_0_ + 2u, acts, _buffer_sizes);
            isum0_0_ = as_type<int>(as_type<uint>(_e389) + as_type<uint>(as_type<int>(as_type<uint>(_e247) * as_type<uint>(_e392))));
            int _e395 = isum0_0_;
            int _e398 = dot_unit(now0_2_, at0_0_ + 4u, acts, _buffer_sizes);
            isum0_0_ = as_type<int>(as_type<uint>(_e395) + as_type<uint>(as_type<int>(as_type<uint>(_e249) * as_type<uint>(_e398))));
            int _e401 = isum0_0_;
            int _e404 = dot_unit(now0_3_, at0_0_ + 6u, acts, _buffer_sizes);
            isum0_0_ = as_type<int>(as_type<uint>(_e401) + as_type<uint>(as_type<int>(as_type<uint>(_e251) * as_type<uint>(_e404))));
            int _e407 = isum0_0_;
            int _e410 = dot_unit(now0_4_, at0_0_ + 8u, acts, _buffer_sizes);
            isum0_0_ = as_type<int>(as_type<uint>(_e407) + as_type<uint>(as_type<int>(as_type<uint>(_e253) * as_type<uint>(_e410))));
            int _e413 = isum0_0_;
            int _e416 = dot_unit(now0_5_, at0_0_ + 10u, acts, _buffer_sizes);
            isum0_0_ = as_type<int>(as_type<uint>(_e413) + as_type<uint>(as_type<int>(as_type<uint>(_e255) * as_type<uint>(_e416))));
            int _e419 = isum0_0_;
            int _e422 = dot_unit(now0_6_, at0_0_ + 12u, acts, _buffer_sizes);
            isum0_0_ = as_type<int>(as_type<uint>(_e419) + as_type<uint>(as_type<int>(as_type<uint>(_e257) * as_type<uint>(_e422))));
            int _e425 = isum0_0_;
            int _e428 = dot_unit(now0_7_, at0_0_ + 14u, acts, _buffer_sizes);
            isum0_0_ = as_type<int>(as_type<uint>(_e425) + as_type<uint>(as_type<int>(as_type<uint>(_e259) * as_type<uint>(_e428))));
            metal::float2 f0_0_ = d_now0_ * as_type<float>(a0_0_.x);
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
            {
                uint to = (((0u + (run * SUM_GROUPS)) + 0u) * 32u) + lane;
                int _e445 = isum0_0_;
                isums.inner[to] = _e445;
                factors.inner[to] = f0_0_.x;
                int _e451 = msum0_0_;
                msums.inner[to] = _e451;
                min_factors.inner[to] = f0_0_.y;
            }
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
            if (run < TOKENS) {
                local = (first + run) < rows;
            } else {
                local = false;
            }
            bool _e462 = local;
            if (_e462) {
                uint begin = ((run * ENTRIES) * 32u) + lane;
                uint _e471 = p_1.groups;
                uint _e472 = start;
                uint end = metal::min(ENTRIES, _e471 - _e472);
                e = 0u;
                uint2 loop_bound_1 = uint2(4294967295u);
                bool loop_init_1 = true;
                while(true) {
                    if (metal::all(loop_bound_1 == uint2(0u))) { break; }
                    loop_bound_1 -= uint2(loop_bound_1.y == 0u, 1u);
                    if (!loop_init_1) {
                        uint _e503 = e;
                        e = _e503 + 1u;
                    }
                    loop_init_1 = false;
                    uint _e477 = e;
                    if (_e477 < end) {
                    } else {
                        break;
                    }
                    {
                        uint _e479 = e;
                        uint at_3 = begin + (_e479 * 32u);
                        int _e485 = isums.inner[at_3];
                        float _e489 = factors.inner[at_3];
                        float _e490 = acc;
                        acc = metal::fma(static_cast<float>(_e485), _e489, _e490);
                        int _e494 = msums.inner[at_3];
                        float _e499 = min_factors.inner[at_3];
                        float _e500 = acc;
                        acc = metal::fma(-(static_cast<float>(_e494)), _e499, _e500);
                    }
                }
            }
        }
    }
    if (run < TOKENS) {
        local_1 = (first + run) < rows;
    } else {
        local_1 = false;
    }
    bool _e515 = local_1;
    if (_e515) {
        uint n_2 = (block * 32u) + lane;
        uint _e521 = p_1.outs;
        if (n_2 < _e521) {
            float _e524 = acc;
            finish(first + run, n_2, _e524, p_1, arena, _buffer_sizes);
            return;
        } else {
            return;
        }
    } else {
        return;
    }
}
