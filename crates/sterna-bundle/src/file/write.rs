//! Writing a bundle: tensors as they come, the header last, then a rename.

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::{ALIGNMENT, FORMAT, PAD, VERSION, hex, sha256};
use crate::error::BundleError;

/// Header bytes that each tensor may take beside the manifest: its entry and its padding's.
const PER_TENSOR: u64 = 512;

struct Placed {
    name: String,
    dtype: &'static str,
    shape: Vec<usize>,
    start: u64,
    end: u64,
}

/// The file beside `dest` that this process writes a bundle to before it is complete: what is left of a program that
/// was ended while it packed. `None` where `dest` is no file name.
pub fn temporary(dest: &Path) -> Option<PathBuf> {
    let mut hidden = std::ffi::OsString::from(".");
    hidden.push(dest.file_name()?);
    hidden.push(format!(".{}.part", std::process::id()));
    Some(dest.with_file_name(hidden))
}

/// A bundle being written to a temporary file beside its destination. Dropped before [`Writer::finish`], it leaves
/// nothing behind.
pub(crate) struct Writer {
    dest: PathBuf,
    temporary: PathBuf,
    /// `None` once the file is in place.
    file: Option<BufWriter<File>>,
    /// Bytes reserved for the header, its length field included.
    data_start: u64,
    /// Bytes of tensors written.
    at: u64,
    placed: Vec<Placed>,
    hash: Sha256,
}

impl Writer {
    /// Starts a file with room for a manifest of about `manifest` bytes and for `tensors` tensors.
    pub(crate) fn create(dest: &Path, manifest: usize, tensors: usize) -> Result<Self, BundleError> {
        let temporary = temporary(dest).ok_or_else(|| {
            BundleError::io(dest, std::io::Error::new(std::io::ErrorKind::InvalidInput, "not a file name"))
        })?;
        let io = |e| BundleError::io(&temporary, e);
        let mut file =
            OpenOptions::new().write(true).create(true).truncate(true).open(&temporary).map_err(io)?;
        // The manifest is escaped into a string, so it can double.
        let room = 1024 + 2 * manifest as u64 + PER_TENSOR * tensors as u64;
        let data_start = room.next_multiple_of(ALIGNMENT);
        file.seek(SeekFrom::Start(data_start)).map_err(io)?;
        Ok(Self {
            dest: dest.to_owned(),
            file: Some(BufWriter::with_capacity(1 << 20, file)),
            temporary,
            data_start,
            at: 0,
            placed: Vec::new(),
            hash: Sha256::new(),
        })
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), BundleError> {
        let Some(file) = &mut self.file else { return Ok(()) };
        file.write_all(bytes).map_err(|e| BundleError::io(&self.temporary, e))?;
        self.at += bytes.len() as u64;
        Ok(())
    }

    /// Starts a tensor at the next multiple of [`ALIGNMENT`].
    pub(crate) fn begin(
        &mut self,
        name: &str,
        dtype: &'static str,
        shape: Vec<usize>,
    ) -> Result<(), BundleError> {
        let hole = (self.at.next_multiple_of(ALIGNMENT) - self.at) as usize;
        if hole > 0 {
            let (start, pad) = (self.at, format!("{PAD}{}", self.placed.len()));
            self.put(&[0; ALIGNMENT as usize][..hole])?;
            self.placed.push(Placed { name: pad, dtype: "U8", shape: vec![hole], start, end: self.at });
        }
        let (start, end) = (self.at, self.at);
        self.placed.push(Placed { name: name.to_owned(), dtype, shape, start, end });
        self.hash = Sha256::new();
        Ok(())
    }

    /// Appends to the tensor that was begun last.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), BundleError> {
        self.hash.update(bytes);
        self.put(bytes)?;
        if let Some(last) = self.placed.last_mut() {
            last.end = self.at;
        }
        Ok(())
    }

    /// The SHA-256 of the tensor that was begun last.
    pub(crate) fn end(&mut self) -> String {
        hex(&std::mem::take(&mut self.hash).finalize())
    }

    /// Writes the header and moves the file into place. Returns its size.
    pub(crate) fn finish(mut self, manifest: &str) -> Result<u64, BundleError> {
        let mut header = Map::new();
        header.insert(
            "__metadata__".to_owned(),
            json!({
                "format": FORMAT,
                "sterna_version": VERSION,
                "manifest_sha256": sha256(manifest.as_bytes()),
                "manifest": manifest,
            }),
        );
        for p in &self.placed {
            let entry = json!({ "dtype": p.dtype, "shape": p.shape, "data_offsets": [p.start, p.end] });
            header.insert(p.name.clone(), entry);
        }
        let mut header = Value::Object(header).to_string().into_bytes();
        let room = (self.data_start - 8) as usize;
        if header.len() > room {
            let reason = format!("it takes {} bytes and {room} were set aside", header.len());
            return Err(BundleError::bundle("the header", reason));
        }
        header.resize(room, b' ');
        let io = |e| BundleError::io(&self.temporary, e);
        let Some(file) = self.file.take() else { return Ok(0) };
        let written = (|| {
            let mut file = file.into_inner().map_err(std::io::IntoInnerError::into_error)?;
            file.seek(SeekFrom::Start(0))?;
            file.write_all(&(room as u64).to_le_bytes())?;
            file.write_all(&header)?;
            file.sync_all()?;
            std::fs::rename(&self.temporary, &self.dest)
        })();
        match written {
            Ok(()) => Ok(self.data_start + self.at),
            Err(e) => {
                let error = io(e);
                discard(&self.temporary);
                Err(error)
            }
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        if self.file.take().is_some() {
            discard(&self.temporary);
        }
    }
}

/// Removes a file that is of no more use; if that fails too, the first error is the one to report.
fn discard(path: &Path) {
    let _ = std::fs::remove_file(path);
}
