//! Bit-for-bit agreement with gguf-py, on the data that `make_vectors.py` wrote.

#![allow(clippy::unwrap_used)] // clippy.toml allows it in tests, but not in the helpers beside them

use sterna_format::{Encoding, decode_row, encode_row};

struct Record<'a> {
    encode: bool,
    encoding: Encoding,
    rows: Vec<(&'a [u8], Vec<f32>)>,
}

fn take<'a>(data: &mut &'a [u8], n: usize) -> &'a [u8] {
    data.split_off(..n).expect("the data file is whole")
}

fn number(data: &mut &[u8]) -> usize {
    u32::from_le_bytes(take(data, 4).try_into().unwrap()) as usize
}

fn records() -> Vec<Record<'static>> {
    let mut data: &[u8] = include_bytes!("data/vectors.bin");
    assert_eq!(take(&mut data, 8), b"STERNAV1");
    let mut records = Vec::new();
    while !data.is_empty() {
        let encode = take(&mut data, 1)[0] == 1;
        let name_len = usize::from(take(&mut data, 1)[0]);
        let encoding = std::str::from_utf8(take(&mut data, name_len)).unwrap().parse().unwrap();
        let (rows, cols, size) = (number(&mut data), number(&mut data), number(&mut data));
        let (bytes, values) = (take(&mut data, rows * size), take(&mut data, rows * cols * 4));
        let floats = |row: &[u8]| row.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
        let rows = bytes.chunks(size).zip(values.chunks(cols * 4).map(floats)).collect();
        records.push(Record { encode, encoding, rows });
    }
    records
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|v| v.to_bits()).collect()
}

#[test]
fn decodes_as_gguf_py() {
    let mut seen = Vec::new();
    for record in records().iter().filter(|r| !r.encode) {
        for (i, (bytes, values)) in record.rows.iter().enumerate() {
            let mut out = vec![f32::NAN; values.len()];
            decode_row(record.encoding, bytes, &mut out).unwrap();
            assert_eq!(bits(&out), bits(values), "{} row {i}", record.encoding);
        }
        seen.push(record.encoding.name());
    }
    assert_eq!(seen, ["q4_0", "q4_1", "q8_0", "q4_k", "q5_k", "q6_k", "tq1_0", "tq2_0", "f16", "bf16"]);
}

#[test]
fn encodes_as_gguf_py() {
    let mut seen = Vec::new();
    for record in records().iter().filter(|r| r.encode) {
        for (i, (bytes, values)) in record.rows.iter().enumerate() {
            let mut out = vec![0; bytes.len()];
            encode_row(record.encoding, values, &mut out).unwrap();
            assert_eq!(&out, bytes, "{} row {i}", record.encoding);
        }
        seen.push(record.encoding.name());
    }
    assert_eq!(seen, ["q4_0", "q4_1", "q8_0", "tq1_0", "tq2_0", "bf16", "f16"]);
}
