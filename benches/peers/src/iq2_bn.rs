//! Ternary models for ik_llama.cpp, which knows none of mainline's ternary types: the same weights in its own IQ2_BN.
//!
//! A row of IQ2_BN is one f32 scale, then two bits a weight: byte `j` of each 16 holds the weights `j`, `j + 16`,
//! `j + 32` and `j + 48` of 64, lowest bits first. So only models whose rows have one scale each can be rewritten.

use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use sterna_checkpoint::{Checkpoint, TensorView};
use sterna_format::{Encoding, IntRow};

use crate::error::PeersError;

/// GGML's number of the type.
const IQ2_BN: u32 = 135;
const ALIGNMENT: u64 = 32;
/// Most bytes of metadata.
const HEAD: u64 = 256 << 20;

/// Whether any tensor of the file is ternary.
pub fn is_ternary(file: &Checkpoint) -> bool {
    file.tensors().any(|t| is_tq(&t))
}

fn is_tq(tensor: &TensorView<'_>) -> bool {
    matches!(tensor.encoding, Encoding::TQ1_0 | Encoding::TQ2_0)
}

/// Writes `path` with its ternary tensors in IQ2_BN into `folder`, once, and says where; `None` when a row has scales
/// that differ, so that the weights would not be the same.
pub fn rewrite(path: &Path, folder: &Path) -> Result<Option<PathBuf>, PeersError> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let target = folder.join(format!("{stem}-iq2_bn.gguf"));
    let newer =
        |a: &Path, b: &Path| Some(a.metadata().ok()?.modified().ok()? >= b.metadata().ok()?.modified().ok()?);
    if newer(&target, path) == Some(true) {
        return Ok(Some(target));
    }
    let failed = |what: &str, path: &Path| PeersError::io(format!("{what} {}", path.display()));
    std::fs::create_dir_all(folder).map_err(failed("making", folder))?;
    let file = Checkpoint::open(path)?;
    let alignment = file.gguf().and_then(|m| m.get("general.alignment"));
    if alignment.is_some_and(|a| a.as_u64() != Some(ALIGNMENT)) {
        return Ok(None);
    }
    // Metadata are far smaller; the weights are mapped by the checkpoint.
    let mut source = Vec::new();
    let opened = File::open(path).and_then(|f| f.take(HEAD).read_to_end(&mut source));
    opened.map_err(failed("reading", path))?;
    let partial = target.with_extension(format!("part{}", std::process::id()));
    let written = write_file(&source, &file, &partial);
    if matches!(written, Ok(true)) {
        std::fs::rename(&partial, &target).map_err(failed("renaming", &partial))?;
    } else {
        // The write's own error is the one to report.
        let _ = std::fs::remove_file(&partial);
    }
    Ok(written?.then_some(target))
}

fn write_file(source: &[u8], file: &Checkpoint, path: &Path) -> Result<bool, PeersError> {
    let failed = || PeersError::io(format!("writing {}", path.display()));
    let mut out = BufWriter::new(File::create(path).map_err(failed())?);
    let same = write(source, file, &mut out)?;
    out.flush().map_err(failed())?;
    // What is still to be written would disturb the measurement.
    out.get_ref().sync_all().map_err(failed())?;
    Ok(same)
}

/// False when the weights have no such form.
fn write(source: &[u8], file: &Checkpoint, out: &mut dyn Write) -> Result<bool, PeersError> {
    let failed = || PeersError::io("writing the rewritten model");
    let metadata = metadata(source).ok_or_else(|| PeersError::Options("the metadata ends early".into()))?;
    let mut head = source[..metadata].to_vec();
    let mut offset = 0;
    for t in file.tensors() {
        let (id, len) = if is_tq(&t) {
            (IQ2_BN, (t.rows() * row_bytes(t.cols())) as u64)
        } else {
            (t.encoding.ggml_id().unwrap_or(0), t.data.len() as u64)
        };
        head.extend((t.name.len() as u64).to_le_bytes());
        head.extend(t.name.as_bytes());
        head.extend((t.shape.len() as u32).to_le_bytes());
        // The file lists the innermost dimension first.
        head.extend(t.shape.iter().rev().flat_map(|d| (*d as u64).to_le_bytes()));
        head.extend(id.to_le_bytes());
        head.extend(u64::to_le_bytes(offset));
        offset = (offset + len).next_multiple_of(ALIGNMENT);
    }
    pad(&mut head);
    out.write_all(&head).map_err(failed())?;
    let mut row = IntRow::default();
    for t in file.tensors() {
        let mut data = t.data.to_vec();
        if is_tq(&t) {
            data.clear();
            for i in 0..t.rows() {
                sterna_format::int_row(t.encoding, t.row(i).unwrap_or_default(), t.cols(), &mut row)?;
                if !encode(&row, &mut data) {
                    return Ok(false);
                }
            }
        }
        pad(&mut data);
        out.write_all(&data).map_err(failed())?;
    }
    Ok(true)
}

fn pad(bytes: &mut Vec<u8>) {
    bytes.resize(bytes.len().next_multiple_of(ALIGNMENT as usize), 0);
}

fn row_bytes(cols: usize) -> usize {
    4 + cols / 4
}

/// Appends a row; false when its blocks have different scales. A block without weights may have any.
fn encode(row: &IntRow, out: &mut Vec<u8>) -> bool {
    let block = row.codes.len() / row.d.len().max(1);
    let used = |i: usize| row.codes[i * block..(i + 1) * block].iter().any(|c| *c != 1);
    let scales: Vec<f32> = row.d.iter().enumerate().filter(|(i, _)| used(*i)).map(|(_, d)| *d).collect();
    let scale = scales.first().copied().unwrap_or(0.0);
    if scales.iter().any(|d| *d != scale) {
        return false;
    }
    out.extend(scale.to_le_bytes());
    for group in row.codes.chunks_exact(64) {
        out.extend((0..16).map(|j| (0..4).fold(0, |byte, k| byte | group[j + 16 * k] << (2 * k))));
    }
    true
}

/// Where the metadata of a GGUF file ends, and its tensor records begin.
fn metadata(file: &[u8]) -> Option<usize> {
    fn whole(file: &[u8], at: &mut usize, bytes: usize) -> Option<u64> {
        let mut value = [0; 8];
        value[..bytes].copy_from_slice(file.get(*at..at.checked_add(bytes)?)?);
        *at += bytes;
        Some(u64::from_le_bytes(value))
    }
    fn skip(file: &[u8], at: &mut usize, kind: u64) -> Option<()> {
        const TEXT: u64 = 8;
        const LIST: u64 = 9;
        let bytes = match kind {
            0 | 1 | 7 => 1,
            2 | 3 => 2,
            4..=6 => 4,
            10..=12 => 8,
            TEXT => usize::try_from(whole(file, at, 8)?).ok()?,
            LIST => {
                let (kind, count) = (whole(file, at, 4)?, whole(file, at, 8)?);
                if kind == LIST {
                    return None;
                }
                return (0..count).try_for_each(|_| skip(file, at, kind));
            }
            _ => return None,
        };
        *at = at.checked_add(bytes)?;
        (*at <= file.len()).then_some(())
    }
    let mut at = 16;
    let count = whole(file, &mut at, 8)?;
    for _ in 0..count {
        skip(file, &mut at, 8)?;
        let kind = whole(file, &mut at, 4)?;
        skip(file, &mut at, kind)?;
    }
    Some(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gguf;

    #[test]
    fn metadata_ends_where_tensors_begin() {
        let mut file = Vec::new();
        gguf::write(&gguf::tiny(Encoding::TQ2_0), &mut file, &mut |_| {}).unwrap();
        let end = metadata(&file).unwrap();
        let name = b"token_embd.weight";
        assert_eq!(file[end..end + 8], (name.len() as u64).to_le_bytes());
        assert_eq!(&file[end + 8..][..name.len()], name);
        assert_eq!(metadata(&file[..end - 1]), None);
    }

    #[test]
    fn rows_with_one_scale_are_packed_in_planes() {
        let codes: Vec<u8> = (0..128).map(|i| (i * 7 % 3) as u8).collect();
        let mut row = IntRow { codes: codes.clone(), d: vec![0.5, 0.5], ..IntRow::default() };
        let mut out = Vec::new();
        assert!(encode(&row, &mut out));
        assert_eq!((out.len(), &out[..4]), (row_bytes(128), &0.5f32.to_le_bytes()[..]));
        for (i, code) in codes.iter().enumerate() {
            let byte = out[4 + i / 64 * 16 + i % 16];
            assert_eq!(byte >> (2 * (i % 64 / 16)) & 3, *code, "{i}");
        }
        row.d[1] = 0.25;
        assert!(!encode(&row, &mut Vec::new()));
        row.codes[64..].fill(1);
        assert!(encode(&row, &mut Vec::new()), "a scale of zeros does not matter");
    }

    #[test]
    fn other_tensors_stay_as_they_are() {
        let shape = gguf::tiny(Encoding::TQ1_0);
        let mut file = Vec::new();
        gguf::write(&shape, &mut file, &mut |_| {}).unwrap();
        let read = Checkpoint::from_gguf_bytes(file.clone().into()).unwrap();
        assert!(is_ternary(&read));
        let mut out = Vec::new();
        assert!(write(&file, &read, &mut out).unwrap());
        // The table comes first, and its bytes follow the padded head.
        let table = read.tensor("token_embd.weight").unwrap().data;
        assert!(out.windows(64).any(|w| w == &table[..64]));
        let weights: usize = shape
            .tensors()
            .iter()
            .map(|t| match t.encoding {
                Encoding::TQ1_0 => t.rows.unwrap() * row_bytes(t.cols),
                _ => t.bytes().unwrap().1 as usize,
            })
            .sum();
        assert!(
            out.len() > weights
                && out.len()
                    < weights + file.len() - read.tensors().map(|t| t.data.len()).sum::<usize>()
                        + 64 * read.len()
        );
    }
}
