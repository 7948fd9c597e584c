//! One measurement at a time on a machine: two would measure each other.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

use crate::commands::output;

/// The right to measure; given back when dropped, or when the process ends in any way.
#[derive(Debug)]
pub struct Turn {
    _file: File,
}

/// Why there is no turn.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another measurement runs.
    #[error(
        "{holder} is measuring on this machine, and two measurements disturb each other; run this again later, or without --no-wait to wait for it"
    )]
    Busy {
        /// Who.
        holder: String,
    },
    /// The file.
    #[error("the lock file {path} cannot be used: {source}; set TMPDIR to a folder that can be written")]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

impl Turn {
    /// Waits for the turn of this machine, or fails when `no_wait` and it is taken.
    pub fn take(no_wait: bool) -> Result<Self, LockError> {
        Self::take_at(&std::env::temp_dir().join("sterna-measure.lock"), no_wait)
    }

    fn take_at(path: &Path, no_wait: bool) -> Result<Self, LockError> {
        let failed = |source| LockError::File { path: path.to_owned(), source };
        let mut file = open(path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let holder = holder(&mut file);
                if no_wait {
                    return Err(LockError::Busy { holder });
                }
                output::complain(format_args!("waiting: {holder} is measuring on this machine"));
                file.lock().map_err(failed)?;
            }
            Err(TryLockError::Error(e)) => return Err(failed(e)),
        }
        // The name is for people who wait; a file of another user can be locked, but not written.
        let command: Vec<String> = std::env::args().take(6).collect();
        let text = format!("process {} ({})", std::process::id(), command.join(" "));
        let _ = file.set_len(0).and_then(|()| file.rewind()).and_then(|()| file.write_all(text.as_bytes()));
        Ok(Self { _file: file })
    }
}

/// Opens without making first: a system may forbid to make what exists and belongs to another user.
fn open(path: &Path) -> std::io::Result<File> {
    let mut both = OpenOptions::new();
    both.read(true).write(true);
    match both.open(path) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => both.create(true).truncate(false).open(path),
        Err(e) if e.kind() == std::io::ErrorKind::PermissionDenied => File::open(path),
        opened => opened,
    }
}

fn holder(file: &mut File) -> String {
    let mut text = String::new();
    let read = file.rewind().and_then(|()| file.take(300).read_to_string(&mut text));
    if read.is_ok() && !text.trim().is_empty() {
        text.trim().to_owned()
    } else {
        "another process".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_is_taken_once_and_given_back() {
        let path = std::env::temp_dir().join(format!("sterna-lock-test-{}", std::process::id()));
        let first = Turn::take_at(&path, true).unwrap();
        let e = Turn::take_at(&path, true).unwrap_err().to_string();
        assert!(e.contains(&format!("process {}", std::process::id())) && e.contains("--no-wait"), "{e}");
        let waiting = {
            let path = path.clone();
            std::thread::spawn(move || Turn::take_at(&path, false).map(|_| ()))
        };
        std::thread::sleep(std::time::Duration::from_millis(100));
        assert!(!waiting.is_finished(), "the second waits");
        drop(first);
        waiting.join().unwrap().unwrap();
        Turn::take_at(&path, true).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert!(matches!(Turn::take_at(Path::new("/nowhere/at/all"), true), Err(LockError::File { .. })));
    }
}
