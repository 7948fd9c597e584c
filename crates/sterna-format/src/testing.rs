//! Reads the frozen blocks under `tests/data/frozen`: one row per file, in lines of `bytes` (hex), `codes` and
//! `values`. Made by `tests/make_vectors.py` and not to be changed: they are what files on disk contain.

use crate::{Encoding, IntRow, decode_row, int_row};

fn line<'a>(text: &'a str, name: &str) -> &'a str {
    text.lines().find_map(|l| l.strip_prefix(name)).expect("line present").trim()
}

/// The bytes of a frozen file.
pub(crate) fn bytes_of(text: &str) -> Vec<u8> {
    let hex = line(text, "bytes");
    let byte = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
    (0..hex.len()).step_by(2).map(byte).collect()
}

/// Decodes a frozen row and compares with its frozen values and codes.
pub(crate) fn frozen(encoding: Encoding, text: &str) {
    frozen_row(encoding, &bytes_of(text), text);
}

/// Compares a row with the values and codes of a frozen file.
pub(crate) fn frozen_row(encoding: Encoding, bytes: &[u8], text: &str) {
    let codes: Vec<u8> = line(text, "codes").split(' ').map(|c| c.parse().unwrap()).collect();
    let values: Vec<f32> = line(text, "values").split(' ').map(|v| v.parse().unwrap()).collect();

    let mut decoded = vec![f32::NAN; values.len()];
    decode_row(encoding, bytes, &mut decoded).unwrap();
    let bits = |row: &[f32]| row.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&decoded), bits(&values), "{encoding} values");

    let mut row = IntRow::default();
    int_row(encoding, bytes, values.len(), &mut row).unwrap();
    assert_eq!(row.codes, codes, "{encoding} codes");
}
