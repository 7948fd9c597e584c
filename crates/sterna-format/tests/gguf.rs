//! Bit-for-bit agreement with gguf-py, on the data that `make_vectors.py` wrote, and with a second reading of the
//! two-bit layouts that gguf-py does not know.

#![allow(clippy::unwrap_used)] // clippy.toml allows it in tests, but not in the helpers beside them

use sterna_format::{Encoding, ScaleGroup, decode_row, encode_row, i2_s};

struct Record<'a> {
    encode: bool,
    name: &'static str,
    rows: Vec<(&'a [u8], Vec<f32>)>,
}

fn take<'a>(data: &mut &'a [u8], n: usize) -> &'a [u8] {
    data.split_off(..n).expect("the data file is whole")
}

fn number(data: &mut &[u8]) -> usize {
    u32::from_le_bytes(take(data, 4).try_into().unwrap()) as usize
}

const GGUF_PY: &[u8] = include_bytes!("data/vectors.bin");
/// Random blocks of Q2_0, PQ2_0 and I2_S (8 rows, each with the tensor's scale behind it), packed and decoded in
/// numpy from the layouts in words.
const TWO_BIT: &[u8] = include_bytes!("data/two_bit.bin");

fn records(mut data: &'static [u8]) -> Vec<Record<'static>> {
    assert_eq!(take(&mut data, 8), b"STERNAV1");
    let mut records = Vec::new();
    while !data.is_empty() {
        let encode = take(&mut data, 1)[0] == 1;
        let name_len = usize::from(take(&mut data, 1)[0]);
        let name = std::str::from_utf8(take(&mut data, name_len)).unwrap();
        let (rows, cols, size) = (number(&mut data), number(&mut data), number(&mut data));
        let (bytes, values) = (take(&mut data, rows * size), take(&mut data, rows * cols * 4));
        let floats = |row: &[u8]| row.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
        let rows = bytes.chunks(size).zip(values.chunks(cols * 4).map(floats)).collect();
        records.push(Record { encode, name, rows });
    }
    records
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|v| v.to_bits()).collect()
}

#[test]
fn decodes_as_gguf_py() {
    let mut seen = Vec::new();
    for record in records(GGUF_PY).iter().filter(|r| !r.encode) {
        let encoding = record.name.parse().unwrap();
        for (i, (bytes, values)) in record.rows.iter().enumerate() {
            let mut out = vec![f32::NAN; values.len()];
            decode_row(encoding, bytes, &mut out).unwrap();
            assert_eq!(bits(&out), bits(values), "{} row {i}", encoding);
        }
        seen.push(record.name);
    }
    assert_eq!(seen, ["q4_0", "q4_1", "q8_0", "q4_k", "q5_k", "q6_k", "tq1_0", "tq2_0", "f16", "bf16"]);
}

#[test]
fn encodes_as_gguf_py() {
    let mut seen = Vec::new();
    for record in records(GGUF_PY).iter().filter(|r| r.encode) {
        let encoding = record.name.parse().unwrap();
        for (i, (bytes, values)) in record.rows.iter().enumerate() {
            let mut out = vec![0; bytes.len()];
            encode_row(encoding, values, &mut out).unwrap();
            assert_eq!(&out, bytes, "{} row {i}", encoding);
        }
        seen.push(record.name);
    }
    assert_eq!(seen, ["q4_0", "q4_1", "q8_0", "tq1_0", "tq2_0", "bf16", "f16"]);
}

#[test]
fn decodes_the_two_bit_layouts() {
    let mut seen = Vec::new();
    for record in records(TWO_BIT) {
        for (i, (bytes, values)) in record.rows.iter().enumerate() {
            let mut out = vec![f32::NAN; values.len()];
            if let Ok(encoding) = record.name.parse::<Encoding>() {
                decode_row(encoding, bytes, &mut out).unwrap();
            } else {
                let (codes, scale) = bytes.split_at(bytes.len() - 4);
                let mut row = vec![0; bytes.len()];
                i2_s::row_to_ternary(codes, f32::from_le_bytes(scale.try_into().unwrap()), &mut row).unwrap();
                decode_row(Encoding::Ternary(ScaleGroup::Row), &row, &mut out).unwrap();
            }
            assert_eq!(bits(&out), bits(values), "{} row {i}", record.name);
        }
        seen.push(record.name);
    }
    assert_eq!(seen, ["q2_0", "pq2_0", "i2_s"]);
}
