// language: metal2.4
#include <metal_stdlib>
#include <simd/simd.h>

using metal::uint;

struct _mslBufferSizes {
    uint size1;
    uint size2;
    uint size3;
};

struct Params {
    uint q;
    uint q_cols;
    uint q_heads;
    uint head_dim;
    uint turn;
    uint table;
    uint table_cols;
    uint k;
    uint k_cols;
    uint k_turn;
    uint v;
    uint v_cols;
    uint kv_words;
    uint capacity;
    metal::uint2 pad;
};
typedef uint type_5[1];
typedef float type_6[1];

uint call_row(
    uint i
) {
    return 4u + (4u * i);
}

int naga_f2i32(float value) {
    return static_cast<int>(metal::clamp(value, -2147483600.0, 2147483500.0));
}

float exp_law(
    float x_1
) {
    float c = {};
    float p = {};
    c = x_1;
    if (x_1 > 88.0) {
        c = 88.0;
    } else {
        if (x_1 < -87.3) {
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
    return (x_1 < -87.3) ? 0.0 : (y_1 * scale);
}

float sigmoid_law(
    float x_2
) {
    float _e2 = exp_law(-(x_2));
    return 1.0 / (1.0 + _e2);
}

float silu_law(
    float x_3
) {
    float _e2 = exp_law(-(x_3));
    return x_3 / (1.0 + _e2);
}

float gelu_law(
    float x_4
) {
    float _e7 = exp_law(-((x_4 * metal::fma(0.071354814, x_4 * x_4, 1.595769))));
    return x_4 / (1.0 + _e7);
}

bool is_bad(
    float x_5
) {
    return (as_type<uint>(x_5) & 2139095040u) == 2139095040u;
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

uint half_bits(
    float x_6
) {
    bool local = {};
    bool local_1 = {};
    uint bits = as_type<uint>(x_6);
    uint sign = (bits >> 16u) & 32768u;
    uint abs = bits & 2147483647u;
    if (abs > 2139095040u) {
        return sign | 32256u;
    }
    if (abs >= 1199566848u) {
        return sign | 31744u;
    }
    if (abs >= 947912704u) {
        uint odd = (abs >> 13u) & 1u;
        return sign | ((((abs - 939524096u) + 4095u) + odd) >> 13u);
    }
    if (abs < 855638016u) {
        return sign;
    }
    uint shift = 126u - (abs >> 23u);
    uint whole = (abs & 8388607u) | 8388608u;
    uint kept = whole >> shift;
    uint rest = whole & ((1u << shift) - 1u);
    uint middle = 1u << (shift - 1u);
    if (!((rest > middle))) {
        if (rest == middle) {
            local_1 = (kept & 1u) == 1u;
        } else {
            local_1 = false;
        }
        bool _e62 = local_1;
        local = _e62;
    } else {
        local = true;
    }
    bool up = local;
    return sign | (kept + (up ? 1u : 0u));
}

uint naga_div(uint lhs, uint rhs) {
    return lhs / metal::select(rhs, 1u, rhs == 0u);
}

float turned(
    uint start_at,
    uint i_1,
    uint turn,
    uint table,
    device type_6 const& arena,
    constant _mslBufferSizes& _buffer_sizes
) {
    uint half_ = naga_div(turn, 2u);
    if (i_1 >= turn) {
        float _e10 = arena[start_at + i_1];
        return _e10;
    }
    if (i_1 < half_) {
        float a_2 = arena[start_at + i_1];
        float b_2 = arena[(start_at + i_1) + half_];
        float _e24 = arena[table + i_1];
        float _e29 = arena[(table + half_) + i_1];
        return metal::fma(a_2, _e24, -((b_2 * _e29)));
    }
    float a_3 = arena[(start_at + i_1) - half_];
    float b_3 = arena[start_at + i_1];
    float _e46 = arena[(table + i_1) - half_];
    float _e50 = arena[table + i_1];
    return metal::fma(b_3, _e46, a_3 * _e50);
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
, device type_5& state [[user(fake0)]]
, device type_6& arena [[user(fake0)]]
, constant _mslBufferSizes& _buffer_sizes [[user(fake0)]]
) {
    float x = 0.0;
    float y = 0.0;
    uint row = group.y;
    uint _e5 = call[0];
    if (row >= _e5) {
        return;
    }
    uint item = (group.x * 64u) + t;
    uint _e13 = p_1.table;
    uint _e16 = p_1.table_cols;
    uint table_1 = _e13 + (row * _e16);
    uint _e21 = p_1.turn;
    uint half_1 = naga_div(_e21, 2u);
    uint _e26 = p_1.q_heads;
    uint pairs = _e26 * half_1;
    if (item < pairs) {
        uint _e31 = p_1.q;
        uint _e34 = p_1.q_cols;
        uint _e40 = p_1.head_dim;
        uint start_at_1 = (_e31 + (row * _e34)) + (naga_div(item, half_1) * _e40);
        uint i_2 = naga_mod(item, half_1);
        uint _e46 = p_1.turn;
        float _e47 = turned(start_at_1, i_2, _e46, table_1, arena, _buffer_sizes);
        uint _e51 = p_1.turn;
        float _e52 = turned(start_at_1, i_2 + half_1, _e51, table_1, arena, _buffer_sizes);
        arena[start_at_1 + i_2] = _e47;
        arena[(start_at_1 + i_2) + half_1] = _e52;
        return;
    }
    uint word = item - pairs;
    uint _e64 = p_1.kv_words;
    if (word >= (2u * _e64)) {
        return;
    }
    uint _e73 = p_1.kv_words;
    if (word < _e73) {
        uint _e77 = p_1.k;
        uint _e80 = p_1.k_cols;
        uint _e87 = p_1.head_dim;
        uint _e91 = p_1.head_dim;
        uint start_at_2 = (_e77 + (row * _e80)) + (naga_div(2u * word, _e87) * _e91);
        uint _e98 = p_1.head_dim;
        uint i_3 = naga_mod(2u * word, _e98);
        uint _e102 = p_1.k_turn;
        float _e103 = turned(start_at_2, i_3, _e102, table_1, arena, _buffer_sizes);
        x = _e103;
        uint _e108 = p_1.k_turn;
        float _e109 = turned(start_at_2, i_3 + 1u, _e108, table_1, arena, _buffer_sizes);
        y = _e109;
    } else {
        uint _e112 = p_1.v;
        uint _e115 = p_1.v_cols;
        uint _e121 = p_1.kv_words;
        uint start_at_3 = (_e112 + (row * _e115)) + (2u * (word - _e121));
        float _e127 = arena[start_at_3];
        x = _e127;
        float _e132 = arena[start_at_3 + 1u];
        y = _e132;
    }
    uint _e134 = call_row(row);
    uint position = call[_e134 + 1u];
    uint _e140 = call_row(row);
    uint slot = call[_e140 + 2u];
    uint _e148 = p_1.capacity;
    uint _e155 = p_1.kv_words;
    float _e159 = x;
    uint _e160 = half_bits(_e159);
    float _e161 = y;
    uint _e162 = half_bits(_e161);
    state[((((slot * _e148) + position) * 2u) * _e155) + word] = _e160 | (_e162 << 16u);
    return;
}
