//! Properties of every encoding: the integer law, round trips, and hostile input.

#![allow(clippy::unwrap_used)] // clippy.toml allows it in tests, but not in the helpers beside them

use proptest::prelude::*;
use sterna_format::{
    Encoding, FormatError, IntRow, ScaleGroup, decode_row, encode_row, int_row, pack_ternary_row,
    ternary_from_codes,
};

/// `value[k] = d[k/G]·sc[k/g]·(code[k] − zero) − dmin[k/G]·mn[k/g]`, in f64.
fn combine(enc: Encoding, row: &IntRow) -> Vec<f64> {
    let cols = row.codes.len();
    let law = enc.int_layout(cols).unwrap();
    assert!(law.sub <= law.group && law.group.is_multiple_of(law.sub));
    assert_eq!(row.d.len(), cols / law.group);
    assert_eq!(row.sc.len(), cols / law.sub);
    assert!(law.has_sub_scales || row.sc.iter().all(|&sc| sc == 1));
    assert_eq!(row.dmin.len(), if law.has_mins { cols / law.group } else { 0 });
    assert_eq!(row.mn.len(), if law.has_mins { cols / law.sub } else { 0 });
    let most = row.codes.iter().copied().max().unwrap();
    assert!(u32::from(most) < 1 << law.bits);
    let value = |k: usize| {
        let q = f64::from(i32::from(row.codes[k]) - law.zero);
        let scaled = f64::from(row.d[k / law.group]) * f64::from(row.sc[k / law.sub]) * q;
        if !law.has_mins {
            return scaled;
        }
        scaled - f64::from(row.dmin[k / law.group]) * f64::from(row.mn[k / law.sub])
    };
    (0..cols).map(value).collect()
}

fn any_encoding() -> impl Strategy<Value = Encoding> {
    prop::sample::select(Encoding::ALL.to_vec())
}

/// A row of any encoding in random bytes.
fn any_row() -> impl Strategy<Value = (Encoding, usize, Vec<u8>)> {
    (any_encoding(), 1usize..=3).prop_flat_map(|(enc, blocks)| {
        let cols = blocks * enc.block_len();
        let size = enc.row_bytes(cols).unwrap();
        prop::collection::vec(any::<u8>(), size).prop_map(move |bytes| (enc, cols, bytes))
    })
}

/// Values of one common magnitude, the same number as 512 weights of any encoding.
fn any_values() -> impl Strategy<Value = Vec<f32>> {
    (-3i32..=3, prop::collection::vec(-1.0f32..=1.0, 512))
        .prop_map(|(power, values)| values.into_iter().map(|v| v * 10f32.powi(power)).collect())
}

fn round_trip(enc: Encoding, values: &[f32]) -> Vec<f32> {
    let mut bytes = vec![0; enc.row_bytes(values.len()).unwrap()];
    encode_row(enc, values, &mut bytes).unwrap();
    let mut out = vec![f32::NAN; values.len()];
    decode_row(enc, &bytes, &mut out).unwrap();
    out
}

fn relative_rms(values: &[f32], others: &[f32]) -> f64 {
    let square = |v: f64| v * v;
    let errors: f64 = values.iter().zip(others).map(|(v, o)| square(f64::from(*v) - f64::from(*o))).sum();
    (errors / values.iter().map(|v| square(f64::from(*v))).sum::<f64>()).sqrt()
}

/// Normal values from a fixed sequence (Box and Muller on a multiplicative generator).
fn gaussian(n: usize) -> Vec<f32> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut uniform = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    };
    let mut normal = || (-2.0 * uniform().ln()).sqrt() * (std::f64::consts::TAU * uniform()).cos();
    (0..n).map(|_| normal() as f32).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    /// Codes and scales combine to the decoded values, for random bytes and so for any scales.
    #[test]
    fn the_integer_law((enc, cols, bytes) in any_row()) {
        let mut row = IntRow { codes: vec![9; 7], d: vec![1.0], dmin: vec![1.0], sc: vec![5], mn: vec![5] };
        let result = int_row(enc, &bytes, cols, &mut row);
        let mut decoded = vec![0.0; cols];
        match result {
            Ok(()) => {
                decode_row(enc, &bytes, &mut decoded).unwrap();
                for (k, (theirs, ours)) in decoded.iter().zip(combine(enc, &row)).enumerate() {
                    let ours = ours as f32;
                    prop_assert!(*theirs == ours || (theirs.is_nan() && ours.is_nan()), "{k} {theirs} {ours}");
                }
            }
            Err(FormatError::NoCodes { encoding }) => prop_assert!(encoding.is_float()),
            Err(FormatError::BadCode { encoding, index, code }) => {
                prop_assert_eq!((encoding, code), (enc, 3));
                prop_assert!(index < cols);
                prop_assert_eq!(decode_row(enc, &bytes, &mut decoded).is_ok(), enc == Encoding::TQ2_0);
            }
            Err(other) => prop_assert!(false, "{other}"),
        }
    }

    /// Any lengths at all: an error or a result, and a result only for the right lengths.
    #[test]
    fn hostile_lengths(
        enc in any_encoding(),
        bytes in prop::collection::vec(any::<u8>(), 0..700),
        cols in prop_oneof![0usize..1000, Just(256), any::<usize>()],
    ) {
        let fits = enc.row_bytes(cols).is_ok_and(|size| size == bytes.len());
        let result = int_row(enc, &bytes, cols, &mut IntRow::default());
        prop_assert!(fits || result.is_err());
        prop_assert!(fits || ternary_from_codes(enc, &bytes, cols, &mut [0; 66]).is_err());
        if cols < 1000 {
            let mut values = vec![0.0; cols];
            prop_assert!(fits || decode_row(enc, &bytes, &mut values).is_err());
            let mut bytes = bytes;
            prop_assert_eq!(fits, encode_row(enc, &values, &mut bytes).is_ok());
            for group in [ScaleGroup::Block64, ScaleGroup::Block128, ScaleGroup::Block256, ScaleGroup::Row] {
                let fits = Encoding::Ternary(group).row_bytes(cols).is_ok_and(|size| size == bytes.len());
                prop_assert_eq!(fits, pack_ternary_row(&values, group, &mut bytes).is_ok());
            }
        }
    }

    /// Any finite bit patterns: an encoder gives bytes that decode to finite values, or says what is too large.
    #[test]
    fn hostile_values(
        enc in any_encoding(),
        bits in prop::collection::vec(any::<u32>(), 256),
        exponents in prop_oneof![Just(0xff), Just(0x7f), Just(0x3f), Just(0x70), Just(0x03), Just(0x01), Just(0)],
    ) {
        // Fewer exponent bits: from all values by way of f16's range to subnormals only.
        let mask = 0x807f_ffff | exponents << 23;
        let values: Vec<f32> = bits.into_iter().map(|b| f32::from_bits(b & mask)).collect();
        let mut bytes = vec![0; enc.row_bytes(256).unwrap()];
        match encode_row(enc, &values, &mut bytes) {
            Err(FormatError::NonFinite { index, .. }) => {
                prop_assert_eq!(Some(index), values.iter().position(|v| !v.is_finite()));
            }
            Err(FormatError::OutOfRange { .. }) => prop_assert!(enc != Encoding::F32),
            Err(other) => prop_assert!(false, "{other}"),
            Ok(()) => {
                let mut out = vec![0.0; 256];
                decode_row(enc, &bytes, &mut out).unwrap();
                prop_assert!(out.iter().all(|v| v.is_finite()));
            }
        }
    }

    /// No value comes back further off than its encoding's step allows.
    #[test]
    fn round_trips(values in any_values()) {
        for (enc, block, share) in [
            (Encoding::F32, 512, 0.0),
            (Encoding::F16, 512, 1.0 / 2048.0),
            (Encoding::BF16, 512, 1.0 / 256.0),
            (Encoding::Q8_0, 32, 0.5 / 127.0 + 1.0 / 2048.0),
            (Encoding::Q4_0, 32, 1.0 / 8.0 + 1.0 / 1024.0),
            (Encoding::Q4_1, 32, 1.0 / 15.0 + 1.0 / 512.0),
            // Half a step, or a whole one past -d: the largest magnitude is one step, or two the other way.
            (Encoding::Q2_0, 64, 0.7),
            (Encoding::PQ2_0, 128, 0.7),
            (Encoding::TQ1_0, 256, 0.5 + 1.0 / 2048.0),
            (Encoding::TQ2_0, 256, 0.5 + 1.0 / 2048.0),
            (Encoding::Ternary(ScaleGroup::Block64), 64, 0.5 + 1.0 / 2048.0),
            (Encoding::Ternary(ScaleGroup::Block128), 128, 0.5 + 1.0 / 2048.0),
            (Encoding::Ternary(ScaleGroup::Row), 512, 0.5),
            (Encoding::Q6K, 16, 0.1),
        ] {
            let out = round_trip(enc, &values);
            for (ins, outs) in values.chunks(block).zip(out.chunks(block)) {
                let largest = ins.iter().fold(0.0f32, |max, v| max.max(v.abs()));
                for (i, o) in ins.iter().zip(outs) {
                    // The last term is the f16 scale's rounding where it is subnormal.
                    let allowed = largest * share * 1.0001 + 1e-5;
                    prop_assert!((i - o).abs() <= allowed, "{enc} {i} {o} of {largest}");
                }
            }
        }
    }

    /// Ternary values survive every ternary encoding, and TQ to words is the same codes and scales.
    #[test]
    fn ternary_values_are_exact(trits in prop::collection::vec(-1i8..=1, 512), scale in 1u16..0x7c00) {
        let scale = half::f16::from_bits(scale).to_f32();
        let values: Vec<f32> = trits.iter().map(|&t| f32::from(t) * scale).collect();
        for group in [ScaleGroup::Block64, ScaleGroup::Block128, ScaleGroup::Block256, ScaleGroup::Row] {
            let mut bytes = vec![0; Encoding::Ternary(group).row_bytes(512).unwrap()];
            let fit = pack_ternary_row(&values, group, &mut bytes).unwrap();
            prop_assert!(fit.exact);
            prop_assert_eq!((fit.max_abs_error, fit.max_relative_error, fit.relative_rms), (0.0, 0.0, 0.0));
            prop_assert_eq!(round_trip(Encoding::Ternary(group), &values), values.clone());
        }
        for enc in [Encoding::TQ1_0, Encoding::TQ2_0] {
            prop_assert_eq!(round_trip(enc, &values), values.clone());
            let mut bytes = vec![0; enc.row_bytes(512).unwrap()];
            encode_row(enc, &values, &mut bytes).unwrap();
            let words = Encoding::Ternary(ScaleGroup::Block256);
            let (mut ours, mut packed) = (vec![0; 132], vec![0; 132]);
            ternary_from_codes(enc, &bytes, 512, &mut ours).unwrap();
            let (mut a, mut b) = (IntRow::default(), IntRow::default());
            int_row(enc, &bytes, 512, &mut a).unwrap();
            int_row(words, &ours, 512, &mut b).unwrap();
            prop_assert_eq!(&a, &b);
            pack_ternary_row(&values, ScaleGroup::Block256, &mut packed).unwrap();
            prop_assert_eq!(&packed, &ours);
        }
    }
}

/// T3: a Gaussian row is no ternary row, and the packer's numbers say so.
#[test]
fn a_gaussian_row_is_not_ternary() {
    let values = gaussian(4096);
    for (group, least, most) in [
        (ScaleGroup::Block64, 0.55, 0.8),
        (ScaleGroup::Block128, 0.6, 0.8),
        (ScaleGroup::Block256, 0.65, 0.85),
        (ScaleGroup::Row, 0.8, 1.0),
    ] {
        let enc = Encoding::Ternary(group);
        let mut bytes = vec![0; enc.row_bytes(4096).unwrap()];
        let fit = pack_ternary_row(&values, group, &mut bytes).unwrap();
        println!("{enc}: {fit:?}");
        assert!(!fit.exact);
        assert!(fit.relative_rms > least && fit.relative_rms < most, "{enc}: {fit:?}");
        assert!(fit.max_relative_error > 0.45 && fit.max_relative_error < 0.51, "{enc}: {fit:?}");
        let off = relative_rms(&values, &round_trip(enc, &values));
        assert!((off - fit.relative_rms).abs() < 1e-6, "{enc}: the fit is that of the bytes");
    }
}

/// A scale that f16 cannot hold is exact per row and off by f16's rounding per block; zeros have scale 0.
#[test]
fn the_scale_decides_exactness() {
    let values: Vec<f32> = (0..512).map(|k| if k < 256 { 0.0 } else { (k % 3) as f32 * 0.1 - 0.1 }).collect();
    let mut bytes = vec![0; 132];
    let fit = pack_ternary_row(&values, ScaleGroup::Row, &mut bytes).unwrap();
    assert!(fit.exact && fit.relative_rms == 0.0);
    assert_eq!(bytes[128..], 0.1f32.to_le_bytes());
    let fit = pack_ternary_row(&values, ScaleGroup::Block256, &mut bytes).unwrap();
    assert!(!fit.exact && fit.relative_rms > 0.0 && fit.relative_rms < 1.0 / 2048.0, "{fit:?}");
    assert_eq!(bytes[128..130], [0, 0]);
    let too_large = [1e6; 256];
    assert!(matches!(
        pack_ternary_row(&too_large, ScaleGroup::Block256, &mut bytes[..66]),
        Err(FormatError::OutOfRange { storage: "f16", value: 1e6 })
    ));
}

/// The scale searches do better than one step of rounding without a search would.
#[test]
fn the_k_encodings_fit_a_gaussian() {
    let values = gaussian(4096);
    for (enc, most) in [(Encoding::Q4K, 0.08), (Encoding::Q5K, 0.04), (Encoding::Q6K, 0.02)] {
        let off = relative_rms(&values, &round_trip(enc, &values));
        println!("{enc}: relative rms {off:.5}");
        assert!(off < most, "{enc}: {off}");
        let shifted: Vec<f32> = values.iter().map(|v| v * 0.01 + 0.05).collect();
        let off = relative_rms(&shifted, &round_trip(enc, &shifted));
        println!("{enc}: relative rms {off:.5} of values that are mostly positive");
        assert!(off < most, "{enc}: {off}");
    }
    for enc in [Encoding::Q4K, Encoding::Q5K, Encoding::Q6K] {
        assert_eq!(round_trip(enc, &[0.0; 256]), [0.0; 256]);
        for constant in [0.5f32, -0.5] {
            let off = relative_rms(&[constant; 256], &round_trip(enc, &[constant; 256]));
            assert!(off < 1e-3, "{enc}: {off} of a constant {constant}");
        }
    }
}
