//! Brings one file here: resumes, retries, checks, and only then gives it its name.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};

use sha2::{Digest, Sha256};
use ureq::http::StatusCode;

use super::hub::{Hub, Meta};
use super::store::Target;
use super::{PullError, PullOptions};

const CHUNK: usize = 256 << 10;

/// Makes `target.file` complete, if it is not already.
pub(crate) fn fetch(
    hub: &Hub,
    meta: &Meta,
    target: &Target,
    options: &mut PullOptions,
) -> Result<(), PullError> {
    if is_complete(meta, target)? {
        return Ok(());
    }
    let part = &target.part;
    let open = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(part);
    let file = open.map_err(|e| PullError::write(part, meta.size, e))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(PullError::Busy { file: meta.name.clone() }),
        Err(TryLockError::Error(e)) if e.kind() == io::ErrorKind::Unsupported => {}
        Err(TryLockError::Error(e)) => return Err(PullError::io(part, e)),
    }
    if is_complete(meta, target)? {
        // Another process finished it in between; the lock was on a file it has renamed, or on a new empty one.
        let _ = fs::remove_file(part);
        return Ok(());
    }

    let mut partial = Partial { file, hash: Sha256::new(), have: 0 };
    let io_error = |e| PullError::write(part, meta.size, e);
    partial.read_back(meta.size).map_err(io_error)?;
    options.progress.start(&meta.name, meta.size, partial.have);
    transfer(hub, meta, target, options, &mut partial)?;
    options.progress.finish();

    if let Some(want) = &meta.sha256 {
        let got = hex(&partial.hash.finalize());
        if got != *want {
            fs::remove_file(part).map_err(io_error)?;
            return Err(PullError::Checksum { file: meta.name.clone(), want: want.clone(), got });
        }
    }
    partial.file.sync_all().map_err(io_error)?;
    fs::rename(part, &target.file).map_err(|e| PullError::io(&target.file, e))
}

/// In the cache a name is its content. In a plain folder the content is compared as far as the hub says it.
fn is_complete(meta: &Meta, target: &Target) -> Result<bool, PullError> {
    let right_size = fs::metadata(&target.file).is_ok_and(|m| m.is_file() && m.len() == meta.size);
    match &meta.sha256 {
        Some(want) if right_size && target.file == target.shown => {
            let mut hash = Sha256::new();
            let file = File::open(&target.file).map_err(|e| PullError::io(&target.file, e))?;
            copy(file, |bytes| {
                hash.update(bytes);
                Ok(())
            })
            .map_err(|e| PullError::io(&target.file, e))?;
            Ok(hex(&hash.finalize()) == *want)
        }
        _ => Ok(right_size),
    }
}

/// The bytes collected so far.
struct Partial {
    file: File,
    hash: Sha256,
    have: u64,
}

impl Partial {
    /// Takes up what an earlier transfer left; more than the file's size is not part of it.
    fn read_back(&mut self, size: u64) -> io::Result<()> {
        if self.file.metadata()?.len() > size {
            return self.clear();
        }
        let (hash, have) = (&mut self.hash, &mut self.have);
        copy(&self.file, |bytes| {
            hash.update(bytes);
            *have += bytes.len() as u64;
            Ok(())
        })
    }

    fn clear(&mut self) -> io::Result<()> {
        self.file.set_len(0)?;
        self.file.seek(SeekFrom::Start(0))?;
        self.hash = Sha256::new();
        self.have = 0;
        Ok(())
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        self.hash.update(bytes);
        self.have += bytes.len() as u64;
        Ok(())
    }
}

/// Transfers until `partial` has all bytes. A try that brings bytes does not count against the retries.
fn transfer(
    hub: &Hub,
    meta: &Meta,
    target: &Target,
    options: &mut PullOptions,
    partial: &mut Partial,
) -> Result<(), PullError> {
    let mut failures = 0;
    while partial.have < meta.size {
        let before = partial.have;
        let why = match attempt(hub, meta, target, options, partial)? {
            Ok(()) if partial.have == meta.size => break,
            Ok(()) => "the connection was closed".to_string(),
            Err(why) => why,
        };
        failures = if partial.have > before { 1 } else { failures + 1 };
        if failures > options.retries {
            return Err(PullError::Interrupted {
                file: meta.name.clone(),
                have: partial.have,
                size: meta.size,
                why,
            });
        }
        std::thread::sleep(options.pause * (1 << (failures - 1).min(5)));
    }
    Ok(())
}

/// One request. The inner error is worth another try, the outer is not.
fn attempt(
    hub: &Hub,
    meta: &Meta,
    target: &Target,
    options: &mut PullOptions,
    partial: &mut Partial,
) -> Result<Result<(), String>, PullError> {
    let disk = |e| PullError::write(&target.part, meta.size, e);
    let answer = match hub.content(meta, partial.have) {
        Ok(answer) => answer?,
        Err(why) => return Ok(Err(why)),
    };
    let starts_at = answer.headers().get("content-range").and_then(|v| v.to_str().ok()).and_then(range_start);
    match answer.status() {
        StatusCode::PARTIAL_CONTENT if starts_at == Some(partial.have) => {}
        StatusCode::PARTIAL_CONTENT | StatusCode::RANGE_NOT_SATISFIABLE => {
            partial.clear().map_err(disk)?;
            options.progress.restart();
            return Ok(Err("the server gave another part of the file than asked for".to_string()));
        }
        _ if partial.have > 0 => {
            // The server sends everything, whatever was asked for.
            partial.clear().map_err(disk)?;
            options.progress.restart();
        }
        _ => {}
    }
    let mut body = answer.into_body().into_with_config().limit(u64::MAX).reader();
    let mut buffer = vec![0; CHUNK];
    loop {
        let n = match body.read(&mut buffer) {
            Ok(0) => return Ok(Ok(())),
            Ok(n) => n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(e) => return Ok(Err(e.to_string())),
        };
        if n as u64 > meta.size - partial.have {
            partial.clear().map_err(disk)?;
            options.progress.restart();
            return Ok(Err("the server sent more than the file's size".to_string()));
        }
        partial.append(&buffer[..n]).map_err(disk)?;
        options.progress.advance(n as u64);
    }
}

/// First byte of `bytes 5-9/10`.
fn range_start(header: &str) -> Option<u64> {
    header.strip_prefix("bytes ")?.split('-').next()?.trim().parse().ok()
}

fn copy(mut from: impl Read, mut to: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
    let mut buffer = vec![0; CHUNK];
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(n) => to(&buffer[..n])?,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}
