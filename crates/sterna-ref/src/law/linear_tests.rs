use sterna_format::{Encoding, ScaleGroup, decode_row, encode_row};
use sterna_plan::{RowOrder, WeightUse};

use super::*;
use crate::testing::{INTEGER_ENCODINGS, Random};

fn weight_of(encoding: Encoding, values: &[f32]) -> Vec<u8> {
    let mut bytes = vec![0; encoding.row_bytes(values.len()).unwrap()];
    encode_row(encoding, values, &mut bytes).unwrap();
    bytes
}

fn load(encoding: Encoding, cols: usize, group: usize, data: &[u8]) -> Result<Matrix, BackendError> {
    let numerics = LinearNumerics::Int8 { group };
    let rows = data.len() / encoding.row_bytes(cols).unwrap();
    let spec = WeightSpec { name: "w".into(), encoding, rows, cols, usage: WeightUse::Linear(numerics) };
    accepts(&spec, numerics).map_err(|what| BackendError::Unsupported { backend: "ref-law", what })?;
    Matrix::load(
        &spec,
        numerics,
        &Weight { encoding, stored: encoding, rows, cols, data, order: RowOrder::Plain },
    )
}

/// T1: 4096 weights of +1 with extreme activations, against i64.
#[test]
fn extremes_do_not_overflow() {
    const K: usize = 4096;
    for (encoding, group) in [
        (Encoding::Ternary(ScaleGroup::Row), K),
        (Encoding::Ternary(ScaleGroup::Row), 256),
        (Encoding::Ternary(ScaleGroup::Block64), 64),
        (Encoding::Ternary(ScaleGroup::Block128), 128),
        (Encoding::Ternary(ScaleGroup::Block256), 256),
        (Encoding::TQ2_0, 256),
        (Encoding::TQ1_0, 256),
    ] {
        let Matrix::Int(m) = load(encoding, K, group, &weight_of(encoding, &[1.0; K])).unwrap() else {
            panic!()
        };
        let patterns: [fn(usize) -> i16; 5] = [
            |_| 127,
            |_| -127,
            |_| -128,
            |k| if k % 2 == 0 { 127 } else { -128 },
            |k| (k % 256) as i16 - 128,
        ];
        for pattern in patterns {
            let q: Vec<i16> = (0..K).map(pattern).collect();
            let da = vec![1.0; K / group];
            let want: i64 = q.iter().map(|q| i64::from(*q)).sum();
            assert_eq!(m.dot(0, &q, &da), want as f32, "{encoding} {group}");
        }
    }
    // And through the front door: equal inputs quantise to 127 (or -127) with d = 1.
    let m = load(Encoding::TQ2_0, K, 256, &weight_of(Encoding::TQ2_0, &[1.0; K])).unwrap();
    for v in [127f32, -127.0] {
        assert_eq!(dot(&m, 0, &prepare(&m, &[v; K])), v * K as f32);
    }
}

/// One row of Q4_1 by hand: `w = code * d + m`, two groups, one chain.
#[test]
fn minima_are_a_second_step_of_the_chain() {
    // Blocks from 1 to 16 in steps of 1 and from -2 to 1 in steps of 0.2.
    let values: Vec<f32> =
        (0..32).map(|k| 1.0 + (k % 16) as f32).chain((0..32).map(|k| -2.0 + 0.2 * (k % 16) as f32)).collect();
    let bytes = weight_of(Encoding::Q4_1, &values);
    let m = load(Encoding::Q4_1, 64, 32, &bytes).unwrap();
    let x: Vec<f32> = (0..64).map(|k| if k < 32 { k as f32 } else { -(k as f32) / 3.0 }).collect();
    let mut q = [0i8; 64];
    let da =
        [numerics::quantize_group(&x[..32], &mut q[..32]), numerics::quantize_group(&x[32..], &mut q[32..])];
    let mut row = IntRow::default();
    int_row(Encoding::Q4_1, &bytes, 64, &mut row).unwrap();
    let mut want = 0f32;
    for a in 0..2 {
        let dot: i32 = (32 * a..32 * a + 32).map(|k| i32::from(row.codes[k]) * i32::from(q[k])).sum();
        let sum: i32 = q[32 * a..32 * a + 32].iter().map(|q| i32::from(*q)).sum();
        want = (dot as f32).mul_add(row.d[a] * da[a], want);
        want = (-(sum as f32)).mul_add(row.dmin[a] * da[a], want);
    }
    assert_eq!(dot(&m, 0, &prepare(&m, &x)).to_bits(), want.to_bits());
}

/// Codes and scales say the same as the decoder: against f64 over decoded weights and rounded inputs.
#[test]
fn every_encoding_agrees_with_its_decoder() {
    const K: usize = 512;
    let mut random = Random::new(7);
    for encoding in INTEGER_ENCODINGS {
        let big = encoding.int_layout(K).unwrap().group;
        let mut data = Vec::new();
        for _ in 0..3 {
            data.extend(weight_of(encoding, &random.weights(encoding, K, 0.05)));
        }
        let x: Vec<f32> = (0..K).map(|_| random.normal()).collect();
        for group in [big, big.min(256), 64, 16].into_iter().filter(|g| big % g == 0) {
            let m = load(encoding, K, group, &data).unwrap();
            let mut rounded = vec![0f64; K];
            for (x, r) in x.chunks(group).zip(rounded.chunks_mut(group)) {
                let mut q = vec![0i8; group];
                let d = numerics::quantize_group(x, &mut q);
                r.iter_mut().zip(q).for_each(|(r, q)| *r = f64::from(q) * f64::from(d));
            }
            for (n, bytes) in data.chunks(encoding.row_bytes(K).unwrap()).enumerate() {
                let mut w = [0f32; K];
                decode_row(encoding, bytes, &mut w).unwrap();
                let terms = || w.iter().zip(&rounded).map(|(w, x)| f64::from(*w) * x);
                let (want, size) = (terms().sum::<f64>(), terms().map(f64::abs).sum::<f64>());
                let got = f64::from(dot(&m, n, &prepare(&m, &x)));
                assert!((got - want).abs() < 2e-6 * size, "{encoding} {group} row {n}: {got} {want}");
            }
        }
    }
}

#[test]
fn floats_are_one_chain_in_order() {
    // 1 + 2^-24 is 1 in f32: the order of the small terms decides whether they count.
    let e = 2f32.powi(-24);
    let m = Matrix::Float { cols: 3, weights: vec![1.0, e, e, e, e, 1.0] };
    let x = prepare(&m, &[1.0, 1.0, 1.0]);
    assert_eq!(dot(&m, 0, &x), 1.0);
    assert_eq!(dot(&m, 1, &x), 1.0 + 2.0 * e);
}

#[test]
fn groups_that_do_not_divide_are_refused() {
    let bytes = weight_of(Encoding::Q4_0, &[1.0; 256]);
    for group in [0, 24, 64, 256] {
        let refused = load(Encoding::Q4_0, 256, group, &bytes).err().unwrap();
        assert!(matches!(refused, BackendError::Unsupported { .. }), "{group}: {refused}");
    }
    let floats = load(Encoding::F16, 256, 32, &weight_of(Encoding::F16, &[1.0; 256])).err().unwrap();
    assert!(floats.to_string().contains("int8 activations with f16 weights"), "{floats}");
}
