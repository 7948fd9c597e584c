//! The running program's own pages: the model inside it, and code that has done its work.
//!
//! Only Linux says where its pages come from; elsewhere nothing happens.

/// Tells the system that the program's own pages are not needed for now: code that parsed arguments and built a tokenizer
/// does not run again. What is needed is mapped again from the system's cache, sixteen pages at a time.
pub fn release_program() {
    #[cfg(target_os = "linux")]
    linux::release();
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn map_again(_: &'static [u8]) -> Option<memmap2::Mmap> {
    None
}

#[cfg(target_os = "linux")]
pub(crate) use linux::map_again;

#[cfg(target_os = "linux")]
mod linux {
    use std::ffi::c_void;
    use std::fs::File;
    use std::ops::Range;
    use std::os::unix::ffi::OsStrExt as _;
    use std::path::Path;

    use memmap2::{Mmap, MmapOptions};
    use rustix::mm::Advice;

    /// Below this a second mapping is not worth its system calls.
    const WORTH_IT: usize = 1 << 20;
    /// The running program, whatever its path is by now.
    const PROGRAM: &str = "/proc/self/exe";

    /// A mapping of this process, as `/proc/self/maps` and `smaps` begin their lines.
    #[derive(Debug, PartialEq)]
    struct Area<'a> {
        addresses: Range<usize>,
        /// `r-xp` and so on.
        access: &'a str,
        offset: u64,
        path: &'a [u8],
    }

    impl<'a> Area<'a> {
        fn read(line: &'a [u8]) -> Option<Self> {
            let mut words = line.splitn(6, |b| *b == b' ');
            let mut text = || std::str::from_utf8(words.next()?).ok();
            let (start, end) = text()?.split_once('-')?;
            let (access, offset) = (text()?, u64::from_str_radix(text()?, 16).ok()?);
            let address = |hex| usize::from_str_radix(hex, 16).ok();
            text().zip(text())?;
            let addresses = address(start)?..address(end)?;
            Some(Self { addresses, access, offset, path: words.next()?.trim_ascii_start() })
        }

        /// Whether it is a private view of `path` that nothing can be written through.
        fn is_read_only(&self, path: &[u8]) -> bool {
            self.path == path && self.access.starts_with("r-") && self.access.ends_with('p')
        }
    }

    /// Maps the part of the program's file that `bytes` lie in. `None` when they are not a part of it as it is on disk: a
    /// packed program unfolds in memory, and a library has a file of its own.
    pub(crate) fn map_again(bytes: &'static [u8]) -> Option<Mmap> {
        if bytes.len() < WORTH_IT {
            return None;
        }
        let maps = std::fs::read("/proc/self/maps").ok()?;
        let path = std::fs::read_link(PROGRAM).ok()?;
        let offset = file_offset(&maps, &path, bytes.as_ptr_range())?;
        let file = File::open(PROGRAM).ok()?;
        if file.metadata().ok()?.len() < offset.checked_add(bytes.len() as u64)? {
            return None;
        }
        // SAFETY: the mapping is read-only and private to the value returned, and the system refuses writes to the file of
        // a running program. What is read is checked as any file's is.
        let map = unsafe { MmapOptions::new().offset(offset).len(bytes.len()).map(&file) }.ok()?;
        // Both ends, since a comparison of all would read the program's own pages.
        let last = bytes.len() - 4096;
        (map[..4096] == bytes[..4096] && map[last..] == bytes[last..]).then_some(map)
    }

    /// Where in the file at `path` the system says that `bytes` were mapped from, if they lie in one read-only mapping.
    fn file_offset(maps: &[u8], path: &Path, bytes: Range<*const u8>) -> Option<u64> {
        let (from, to) = (bytes.start as usize, bytes.end as usize);
        let areas = maps.split(|b| *b == b'\n').filter_map(Area::read);
        let mut areas = areas.filter(|a| a.is_read_only(path.as_os_str().as_bytes()));
        let area = areas.find(|a| a.addresses.start <= from && to <= a.addresses.end)?;
        Some(area.offset + (from - area.addresses.start) as u64)
    }

    /// See [`super::release_program`].
    pub(super) fn release() {
        let (Ok(smaps), Ok(path)) = (std::fs::read("/proc/self/smaps"), std::fs::read_link(PROGRAM)) else {
            return;
        };
        for addresses in unwritten(&smaps, &path) {
            // SAFETY: the range is one mapping of this process, private, read-only and of the program's file, in which
            // the system counts no page that differs from the file (relocated, or a debugger's), in memory or swapped out. A page that is dropped is read
            // from the file again, with the same bytes, on the next access; the system refuses writes to the file of a
            // running program. No mapping of the program is ever unmapped, so the range is still it.
            let advised = unsafe {
                rustix::mm::madvise(
                    std::ptr::with_exposed_provenance_mut::<c_void>(addresses.start),
                    addresses.len(),
                    Advice::LinuxDontNeed,
                )
            };
            if let Err(error) = advised {
                tracing::debug!(%error, "madvise(DONTNEED) refused; the program's pages stay resident");
            }
        }
    }

    /// The read-only mappings of `path` without pages of the process's own, neither in memory nor swapped out.
    fn unwritten(smaps: &[u8], path: &Path) -> Vec<Range<usize>> {
        let none = |pages: &[u8]| pages.trim_ascii() == b"0 kB";
        let (mut found, mut area, mut in_memory) = (Vec::new(), None, false);
        for line in smaps.split(|b| *b == b'\n') {
            if let Some(pages) = line.strip_prefix(b"Anonymous:") {
                in_memory = !none(pages);
            } else if let Some(pages) = line.strip_prefix(b"Swap:") {
                // The system says this one later, and for every mapping.
                let area = area.take().filter(|_| !in_memory && none(pages));
                found.extend(area.map(|a: Area<'_>| a.addresses));
            } else if let Some(next) = Area::read(line) {
                area = Some(next).filter(|a| a.is_read_only(path.as_os_str().as_bytes()));
                in_memory = true;
            }
        }
        found
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        const SMAPS: &[u8] = b"\
5500-5600 r--p 00000000 08:01 42                         /opt/a b/sterna
Size:                  4 kB
Anonymous:             0 kB
Swap:                  0 kB
VmFlags: rd mr mw me
5600-5700 r-xp 00000100 08:01 42                         /opt/a b/sterna
Anonymous:             0 kB
Swap:                  0 kB
5700-5800 r--p 00000200 08:01 42                         /opt/a b/sterna
Anonymous:             4 kB
Swap:                  0 kB
5800-5900 rw-p 00000300 08:01 42                         /opt/a b/sterna
Anonymous:             0 kB
Swap:                  0 kB
5880-5890 r--p 00000380 08:01 42                         /opt/a b/sterna
Anonymous:             0 kB
Swap:                  4 kB
5890-58a0 r--p 00000390 08:01 42                         /opt/a b/sterna
Anonymous:             0 kB
5900-6000 r--p 00000000 08:01 43                         /opt/a b/sterna (deleted)
Anonymous:             0 kB
Swap:                  0 kB
7000-7100 rw-p 00000000 00:00 0 
Anonymous:             0 kB
Swap:                  0 kB
7100-7200 r--p 00000000 08:01 44                         /usr/lib/libc.so.6
Anonymous:             0 kB
Swap:                  0 kB
";

        #[test]
        fn only_pages_that_the_file_still_has_are_let_go() {
            let path = Path::new("/opt/a b/sterna");
            assert_eq!(unwritten(SMAPS, path), [0x5500..0x5600, 0x5600..0x5700]);
            assert!(unwritten(SMAPS, Path::new("/opt/a")).is_empty());
            let at = |from: usize, to: usize| file_offset(SMAPS, path, from as *const u8..to as *const u8);
            assert_eq!(at(0x5610, 0x5700), Some(0x110));
            // Over a border, in one that can be written, in another file.
            assert_eq!([at(0x55ff, 0x5601), at(0x5810, 0x5820), at(0x7110, 0x7120)], [None; 3]);
        }

        static INSIDE: [u8; WORTH_IT + 5000] = {
            let mut bytes = [7; WORTH_IT + 5000];
            bytes[WORTH_IT] = 9;
            bytes
        };

        #[test]
        fn bytes_of_the_program_are_mapped_again_and_those_of_the_heap_are_not() {
            let map = map_again(&INSIDE).expect("this test is a program of its own");
            assert!(map[..] == INSIDE[..] && map.as_ptr() != INSIDE.as_ptr());
            assert!(map_again(Vec::leak(vec![7; 2 * WORTH_IT])).is_none());
            release();
            assert_eq!((INSIDE[WORTH_IT], INSIDE[WORTH_IT + 4999]), (9, 7));
        }
    }
}
