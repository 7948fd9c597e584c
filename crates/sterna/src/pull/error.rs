//! What can go wrong, and what the person can do about it.

use std::io;
use std::path::{Path, PathBuf};

/// Why a model could not be downloaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PullError {
    /// The repository argument or a combination of options makes no sense.
    #[error(
        "`{given}` does not name a model: {why}. Write owner/name, owner/name@revision or owner/name:file.gguf"
    )]
    Spec {
        /// What was given.
        given: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// There is no home folder.
    #[error("there is no home folder to keep models in; set HF_HOME to a folder")]
    NoHome,
    /// The hub has no such repository, or does not show it to this token.
    #[error(
        "the hub has no repository `{repo}`: check the spelling; if it is private, set HF_TOKEN to a token that may read it"
    )]
    RepositoryNotFound {
        /// The repository.
        repo: String,
    },
    /// The repository has no such branch, tag or commit.
    #[error("`{repo}` has no revision `{revision}`; leave it out for the main branch")]
    RevisionNotFound {
        /// The repository.
        repo: String,
        /// The revision.
        revision: String,
    },
    /// The repository has no such file.
    #[error("`{repo}` has no file `{file}`{}{}", if available.is_empty() { "" } else { ". It has: " }, available.join(", "))]
    FileNotFound {
        /// The repository.
        repo: String,
        /// The name or pattern that was asked for.
        file: String,
        /// Files of the kind looked for.
        available: Vec<String>,
    },
    /// The owner asks for a licence to be accepted first.
    #[error(
        "`{repo}` is gated: open {page} in a browser, accept the licence, then set HF_TOKEN to a token of that account"
    )]
    Gated {
        /// The repository.
        repo: String,
        /// Its page.
        page: String,
    },
    /// The token is wrong, or lacks a right.
    #[error(
        "the hub refuses access to `{repo}` (status {status}): check that HF_TOKEN is a valid token with read access"
    )]
    Refused {
        /// The repository.
        repo: String,
        /// HTTP status.
        status: u16,
    },
    /// Several files fit and one must be chosen.
    #[error(
        "`{repo}` has several GGUF files; choose one, for example `{repo}:{}`:{}",
        example(files),
        list(files)
    )]
    SeveralGguf {
        /// The repository.
        repo: String,
        /// Names and sizes in bytes.
        files: Vec<(String, u64)>,
    },
    /// The repository has neither GGUF nor safetensors weights.
    #[error(
        "`{repo}` has neither a GGUF file nor config.json with safetensors weights (missing: {missing}); name files with --files"
    )]
    NoModel {
        /// The repository.
        repo: String,
        /// What was looked for last.
        missing: String,
    },
    /// The bytes are not the ones the hub has. They were deleted.
    #[error(
        "`{file}` arrived damaged and was deleted (SHA-256 {got}, the hub says {want}); run the command again"
    )]
    Checksum {
        /// The file.
        file: String,
        /// SHA-256 on the hub.
        want: String,
        /// SHA-256 of what arrived.
        got: String,
    },
    /// The transfer kept breaking off. What arrived is kept.
    #[error("the download of `{file}` was cut off at {} of {} ({why}); run the command again to go on from there", human(*have), human(*size))]
    Interrupted {
        /// The file.
        file: String,
        /// Bytes that arrived.
        have: u64,
        /// Its size.
        size: u64,
        /// The last reason.
        why: String,
    },
    /// The hub cannot be reached.
    #[error("cannot reach {url}: {why}. Check the network connection, the proxy variables and HF_ENDPOINT")]
    Network {
        /// The address.
        url: String,
        /// The reason.
        why: String,
    },
    /// The hub answered with an error.
    #[error("{url} answered with status {status}; {}", if *status == 429 { "too many requests: wait a few minutes" } else { "try again later" })]
    Status {
        /// The address.
        url: String,
        /// HTTP status.
        status: u16,
    },
    /// The hub's answer cannot be understood.
    #[error("{url} gave an answer that cannot be used: {why}")]
    Answer {
        /// The address.
        url: String,
        /// What is wrong with it.
        why: String,
    },
    /// The disk is full. What arrived is kept.
    #[error("no space left for `{}`, which needs {}: free some or choose another folder (HF_HOME), then run the command again", path.display(), human(*needed))]
    DiskFull {
        /// The file being written.
        path: PathBuf,
        /// Its full size.
        needed: u64,
    },
    /// Another process is downloading the same file.
    #[error("another process is downloading `{file}`; wait for it to end")]
    Busy {
        /// The file.
        file: String,
    },
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
}

impl PullError {
    pub(super) fn io(path: &Path, source: io::Error) -> Self {
        Self::Io { path: path.to_path_buf(), source }
    }

    /// An error while writing `path`, which will have `needed` bytes.
    pub(super) fn write(path: &Path, needed: u64, source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
                Self::DiskFull { path: path.to_path_buf(), needed }
            }
            _ => Self::io(path, source),
        }
    }
}

/// A size in bytes as people write it.
pub fn human(bytes: u64) -> String {
    let mut value = bytes as f64;
    for unit in ["B", "kB", "MB", "GB"] {
        if value < 999.5 {
            return if unit == "B" || value >= 99.95 {
                format!("{value:.0} {unit}")
            } else {
                format!("{value:.1} {unit}")
            };
        }
        value /= 1000.0;
    }
    format!("{value:.1} TB")
}

fn example(files: &[(String, u64)]) -> &str {
    files.first().map_or("file.gguf", |(name, _)| name)
}

fn list(files: &[(String, u64)]) -> String {
    files.iter().map(|(name, size)| format!("\n  {:>8}  {name}", human(*size))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_told_apart() {
        let path = Path::new("/models/x.gguf");
        let full = PullError::write(path, 1_700_000_000, io::ErrorKind::StorageFull.into());
        assert!(matches!(full, PullError::DiskFull { .. }));
        assert!(full.to_string().contains("1.7 GB") && full.to_string().contains("HF_HOME"), "{full}");
        assert!(matches!(
            PullError::write(path, 1, io::ErrorKind::PermissionDenied.into()),
            PullError::Io { .. }
        ));
    }

    #[test]
    fn sizes() {
        let got: Vec<String> = [0, 999, 1000, 99_949, 99_950, 123_456_789, 999_499_999, 7_300_000_000_000]
            .into_iter()
            .map(human)
            .collect();
        assert_eq!(got, ["0 B", "999 B", "1.0 kB", "99.9 kB", "100 kB", "123 MB", "999 MB", "7.3 TB"]);
    }
}
