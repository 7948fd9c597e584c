//! The bytes behind a checkpoint: a mapped file, or bytes that are already in memory.

use std::borrow::Cow;
use std::fs::File;
use std::ops::Range;
use std::path::Path;

use memmap2::Mmap;

use crate::CheckpointError;

/// Bytes that stay put as long as this lives.
pub(crate) enum Backing {
    Mapped(Mmap),
    Memory(Cow<'static, [u8]>),
}

impl Backing {
    /// Maps `path` read-only. An empty file is empty bytes.
    pub(crate) fn map(path: &Path) -> Result<Self, CheckpointError> {
        let io = |source| CheckpointError::io(path, source);
        let file = File::open(path).map_err(io)?;
        let meta = file.metadata().map_err(io)?;
        if !meta.is_file() {
            return Err(CheckpointError::Unrecognised {
                path: path.to_owned(),
                reason: "not a regular file".to_owned(),
            });
        }
        if meta.len() == 0 {
            return Ok(Self::Memory(Cow::Borrowed(&[])));
        }
        // SAFETY: the mapping is read-only and private to this value, and nothing in this process writes to
        // the file through it. Another process that changes or truncates the file while it is mapped can
        // change the bytes seen or raise SIGBUS; that is inherent to mapping, and documented at
        // `Checkpoint::open`. No decision of this crate is made twice on the same mapped bytes in a way that
        // memory safety depends on: all offsets are checked against the mapping's length, which is fixed.
        let map = unsafe { Mmap::map(&file) }.map_err(io)?;
        Ok(Self::Mapped(map))
    }

    /// Bytes that are in memory already. Those of the program itself are mapped once more: a page of the second mapping can be
    /// let go, while one that is read through the program's own stays.
    pub(crate) fn memory(bytes: Cow<'static, [u8]>) -> Self {
        match &bytes {
            Cow::Borrowed(inside) => {
                crate::program::map_again(inside).map_or_else(|| Self::Memory(bytes), Self::Mapped)
            }
            Cow::Owned(_) => Self::Memory(bytes),
        }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Self::Mapped(map) => map,
            Self::Memory(bytes) => bytes,
        }
    }

    /// Tells the system that the whole pages inside `range` are not needed for now.
    pub(crate) fn release(&self, range: Range<usize>) {
        // A multiple of every page size in use, so that the range holds whole pages only.
        const PAGE: usize = 65_536;
        let start = range.start.next_multiple_of(PAGE);
        self.let_go(start..range.end / PAGE * PAGE);
    }

    /// Tells the system that nothing of the file is needed for now. A read brings in the pages around it too, so letting go of
    /// what was read alone leaves parts of its neighbours in memory, tensor after tensor.
    pub(crate) fn release_all(&self) {
        self.let_go(0..self.bytes().len());
    }

    /// `pages` begins with a page and ends with one, or with the file.
    fn let_go(&self, pages: Range<usize>) {
        #[cfg(unix)]
        if let Self::Mapped(map) = self
            && pages.start < pages.end
            && pages.end <= map.len()
        {
            // SAFETY: the mapping is of a file and never written through, so a page dropped by DONTNEED
            // is read back from the file with the same bytes on the next access: no reference into the
            // mapping can see anything else. The range lies inside the mapping.
            let advised = unsafe {
                map.unchecked_advise_range(memmap2::UncheckedAdvice::DontNeed, pages.start, pages.len())
            };
            if let Err(error) = advised {
                tracing::debug!(%error, "madvise(DONTNEED) refused; the pages stay resident");
            }
        }
        #[cfg(not(unix))]
        let _ = pages;
    }
}

/// Reads a whole small file, refusing one past `limit` before any of it is read.
pub(crate) fn read_small(path: &Path, limit: u64) -> Result<Option<Vec<u8>>, CheckpointError> {
    use std::io::Read as _;
    let file = match File::open(path) {
        Ok(file) => file,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(CheckpointError::io(path, e)),
    };
    let len = file.metadata().map_err(|e| CheckpointError::io(path, e))?.len();
    let too_large =
        |value| CheckpointError::Limit { what: format!("the size of {}", path.display()), value, limit };
    if len > limit {
        return Err(too_large(len));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(len).unwrap_or(0));
    file.take(limit + 1).read_to_end(&mut bytes).map_err(|e| CheckpointError::io(path, e))?;
    if bytes.len() as u64 > limit {
        return Err(too_large(bytes.len() as u64));
    }
    Ok(Some(bytes))
}
