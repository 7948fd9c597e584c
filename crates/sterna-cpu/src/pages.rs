//! Memory for packed weights: anonymous pages, huge ones where the system has them (a stream of weights through
//! 4 KiB pages loses up to 30 % of the bandwidth to address translation).

use std::sync::Arc;

use memmap2::{MmapMut, MmapOptions};
use sterna_plan::BackendError;

/// Bytes of a huge page (of x86, and of ARM with small pages of 4 KiB).
const HUGE: usize = 2 << 20;

/// A zeroed, page-aligned block of bytes.
pub struct Pages {
    map: Option<MmapMut>,
    len: usize,
}

impl Pages {
    /// `len` zero bytes.
    ///
    /// # Errors
    /// [`BackendError::Memory`].
    pub fn zeroed(len: usize, what: &'static str) -> Result<Self, BackendError> {
        if len == 0 {
            return Ok(Self { map: None, len });
        }
        let failed = |_| BackendError::Memory { bytes: len, what };
        // Rounded up to a whole number of huge pages: the system then lets it begin where one can.
        let rounded = len.checked_next_multiple_of(HUGE).ok_or(BackendError::Memory { bytes: len, what })?;
        let map = MmapOptions::new().len(rounded).map_anon().map_err(failed)?;
        #[cfg(target_os = "linux")]
        {
            // What is behind the last whole huge page lies in small ones: a huge one there is half unused, on average.
            let start = map.as_ptr() as usize;
            let huge = ((start + len) / HUGE * HUGE).saturating_sub(start);
            if huge > 0 {
                // A kernel without transparent huge pages answers with an error: small pages then.
                let _ = map.advise_range(memmap2::Advice::HugePage, 0, huge);
            }
        }
        Ok(Self { map: Some(map), len })
    }

    /// The bytes.
    #[inline(always)]
    pub fn bytes(&self) -> &[u8] {
        self.map.as_ref().map_or(&[], |m| &m[..self.len])
    }

    /// The bytes, for packing.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        let len = self.len;
        self.map.as_mut().map_or(&mut [], |m| &mut m[..len])
    }
}

/// A part of [`Pages`] that several owners share, read only.
///
/// All weights of a model lie in one block: a block of its own for each would round every one up to a huge page.
#[derive(Clone)]
pub struct Part {
    pages: Arc<Pages>,
    from: usize,
    to: usize,
}

impl Part {
    /// Bytes `range` of `pages`.
    ///
    /// # Panics
    /// If they are not there.
    pub fn new(pages: &Arc<Pages>, range: std::ops::Range<usize>) -> Self {
        assert!(range.start <= range.end && range.end <= pages.len);
        Self { pages: Arc::clone(pages), from: range.start, to: range.end }
    }

    /// The bytes.
    #[inline(always)]
    pub fn bytes(&self) -> &[u8] {
        &self.pages.bytes()[self.from..self.to]
    }
}
