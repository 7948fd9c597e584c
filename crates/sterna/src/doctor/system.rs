//! What `doctor` reads, behind a trait: its checks are tested on texts, not on the machine at hand.

use std::path::{Path, PathBuf};

/// A machine as text files and folders. `None` means: not there, or not for this user to read.
pub trait System {
    /// A small text file, such as `/proc/meminfo`.
    fn text(&self, path: &str) -> Option<String>;
    /// Names in a folder, sorted.
    fn names(&self, folder: &str) -> Option<Vec<String>>;
    /// Bytes that this user may still write to the file system under a path.
    fn free_bytes(&self, path: &Path) -> Option<u64>;
    /// The path without links and dots, or that of its nearest folder that exists.
    fn resolved(&self, path: &Path) -> Option<PathBuf>;

    /// First word of a text file.
    fn word(&self, path: &str) -> Option<String> {
        Some(self.text(path)?.split_whitespace().next()?.to_owned())
    }
    /// A text file that holds one number.
    fn number(&self, path: &str) -> Option<u64> {
        self.word(path)?.parse().ok()
    }
    /// Whether there is a file or a folder at this path.
    fn exists(&self, path: &str) -> bool {
        let Some((folder, name)) = path.rsplit_once('/') else { return false };
        self.names(folder).is_some_and(|names| names.iter().any(|n| n == name))
    }
}

/// The machine at hand. What Linux tells in files; elsewhere nearly everything is unknown.
#[derive(Clone, Copy, Debug, Default)]
pub struct Real;

/// More than any file of `/proc` that is read here.
const MOST: u64 = 1 << 22;

impl System for Real {
    fn text(&self, path: &str) -> Option<String> {
        use std::io::Read as _;
        let mut bytes = Vec::new();
        std::fs::File::open(path).ok()?.take(MOST).read_to_end(&mut bytes).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn names(&self, folder: &str) -> Option<Vec<String>> {
        let entries = std::fs::read_dir(folder).ok()?;
        let mut names: Vec<String> =
            entries.flatten().map(|e| e.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        Some(names)
    }

    #[cfg(unix)]
    fn free_bytes(&self, path: &Path) -> Option<u64> {
        let stat = rustix::fs::statvfs(path).ok()?;
        stat.f_bavail.checked_mul(stat.f_frsize)
    }
    #[cfg(not(unix))]
    fn free_bytes(&self, _: &Path) -> Option<u64> {
        None
    }

    fn resolved(&self, path: &Path) -> Option<PathBuf> {
        path.ancestors().find_map(|p| {
            let p = if p.as_os_str().is_empty() { Path::new(".") } else { p };
            p.canonicalize().ok()
        })
    }
}

/// A machine made of texts, for tests.
#[cfg(test)]
#[derive(Clone, Debug, Default)]
pub struct Texts {
    /// Path and text of every file.
    pub files: std::collections::BTreeMap<String, String>,
    /// Free bytes of every file system.
    pub free: Option<u64>,
}

#[cfg(test)]
impl Texts {
    /// A machine with these files.
    pub fn new(files: &[(&str, &str)]) -> Self {
        let files = files.iter().map(|(p, t)| ((*p).to_owned(), (*t).to_owned())).collect();
        Self { files, free: Some(100 << 30) }
    }
    /// The same with one more file, or another text in it.
    pub fn with(mut self, path: &str, text: &str) -> Self {
        self.files.insert(path.to_owned(), text.to_owned());
        self
    }
}

#[cfg(test)]
impl System for Texts {
    fn text(&self, path: &str) -> Option<String> {
        self.files.get(path).cloned()
    }
    fn names(&self, folder: &str) -> Option<Vec<String>> {
        let inside = self.files.keys().filter_map(|p| p.strip_prefix(folder)?.strip_prefix('/'));
        let mut names: Vec<String> = inside.map(|p| p.split('/').next().unwrap_or(p).to_owned()).collect();
        names.dedup();
        (!names.is_empty()).then_some(names)
    }
    fn free_bytes(&self, _: &Path) -> Option<u64> {
        self.free
    }
    fn resolved(&self, path: &Path) -> Option<PathBuf> {
        Some(path.to_owned())
    }
}
