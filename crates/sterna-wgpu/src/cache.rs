//! Compiled kernels on disk: what a driver makes of the kernels is kept for the next start, a file for each adapter and driver.
//!
//! A file is a mark, a checksum and the driver's data. What cannot be read, is cut off, changed, too large or another driver's is
//! as good as absent: the kernels are compiled then, and the file is written anew.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::PoisonError;

use wgpu::{ErrorFilter, PipelineCache, PipelineCacheDescriptor};

use crate::gpu::Gpu;

/// Begins every file.
const MARK: &[u8; 8] = b"STERNAPC";

/// Larger files are nobody's.
const MOST_BYTES: u64 = 256 << 20;

/// A driver's compiled kernels, with the file that they come from and go to.
pub(crate) struct Cache {
    pub(crate) driver: PipelineCache,
    path: PathBuf,
    /// Bytes that lay in the file.
    pub(crate) found: usize,
    /// Checksum of what lies there now.
    stored: Mutex<u64>,
}

impl Cache {
    /// The cache of an open device in `folder`; `None` where its driver has none. A bad file is not used.
    pub fn open(gpu: &Gpu, folder: &Path) -> Option<Self> {
        let path = folder.join(file_name(gpu.cache_key.as_deref()?, &gpu.facts.driver));
        let data = read(&path);
        let driver = make(gpu, data.as_deref());
        // What wgpu refuses (another driver's, another version's) is left away.
        let (driver, data) = match driver {
            Some(driver) => (driver, data),
            None => (make(gpu, None)?, None),
        };
        let stored = Mutex::new(data.as_deref().map_or(0, checksum));
        Some(Self { driver, path, found: data.map_or(0, |d| d.len()), stored })
    }

    /// Writes what the driver has compiled by now, if that is something new. A folder that cannot be written costs the next start
    /// some seconds, so nobody is bothered with it.
    pub fn save(&self) {
        let Some(data) = self.driver.get_data() else { return };
        let sum = checksum(&data);
        let mut stored = self.stored.lock().unwrap_or_else(PoisonError::into_inner);
        if *stored == sum || data.len() as u64 > MOST_BYTES {
            return;
        }
        if write(&self.path, sum, &data).is_ok() {
            *stored = sum;
        }
    }
}

#[allow(unsafe_code)]
fn make(gpu: &Gpu, data: Option<&[u8]>) -> Option<PipelineCache> {
    let scope = gpu.device.push_error_scope(ErrorFilter::Validation);
    let descriptor = PipelineCacheDescriptor { label: Some("kernels"), data, fallback: false };
    // SAFETY: `data` is what `get_data` gave for this adapter and driver: the file's name and wgpu's header say so, and the
    // checksum that it is whole.
    let cache = unsafe { gpu.device.create_pipeline_cache(&descriptor) };
    pollster::block_on(scope.pop()).is_none().then_some(cache)
}

/// The adapter as wgpu names it, and a checksum of its driver's name and version.
fn file_name(key: &str, driver: &str) -> String {
    let keep = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
    let key: String = key.chars().map(keep).take(120).collect();
    format!("{key}-{:016x}.bin", checksum(driver.as_bytes()))
}

/// FNV-1a, over words: nobody attacks it, it notices what is broken.
fn checksum(data: &[u8]) -> u64 {
    let step = |sum: u64, word: u64| (sum ^ word).wrapping_mul(0x100_0000_01b3).rotate_left(23);
    let (words, rest) = data.as_chunks::<8>();
    let sum = words.iter().fold(0xcbf2_9ce4_8422_2325, |sum, w| step(sum, u64::from_le_bytes(*w)));
    let sum = rest.iter().fold(sum, |sum, b| step(sum, u64::from(*b)));
    step(sum, data.len() as u64)
}

fn read(path: &Path) -> Option<Vec<u8>> {
    if std::fs::metadata(path).ok()?.len() > MOST_BYTES {
        return None;
    }
    let mut all = std::fs::read(path).ok()?;
    let sum = all.get(8..16)?.try_into().ok().map(u64::from_le_bytes)?;
    if all.get(..8)? != MARK || checksum(&all[16..]) != sum {
        return None;
    }
    Some(all.split_off(16))
}

/// Written beside and renamed: a reader sees the old file or the new one.
fn write(path: &Path, sum: u64, data: &[u8]) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let part = path.with_extension(format!("{}.part", std::process::id()));
    let all = [&MARK[..], &sum.to_le_bytes(), data].concat();
    let done = std::fs::write(&part, all).and_then(|()| std::fs::rename(&part, path));
    if done.is_err() {
        let _ = std::fs::remove_file(&part);
    }
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_broken_is_as_good_as_absent() {
        let folder = std::env::temp_dir().join(format!("sterna-kernels-{}", std::process::id()));
        let path = folder.join("deeper").join(file_name("vulkan_4318_1", "a driver 1.2"));
        let data: Vec<u8> = (0..1003u32).map(|i| (i * 7 % 251) as u8).collect();
        assert_eq!(read(&path), None);
        write(&path, checksum(&data), &data).unwrap();
        assert_eq!(read(&path).as_ref(), Some(&data));
        let whole = std::fs::read(&path).unwrap();
        for at in [0, 7, 8, 15, 16, 500, whole.len() - 1] {
            let mut bad = whole.clone();
            bad[at] ^= 1;
            std::fs::write(&path, &bad).unwrap();
            assert_eq!(read(&path), None, "byte {at}");
        }
        for len in [0, 3, 8, 15, 16, 17, whole.len() - 1] {
            std::fs::write(&path, &whole[..len]).unwrap();
            assert_eq!(read(&path), None, "{len} bytes");
        }
        assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "no part is left");
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn another_driver_has_another_file() {
        let names = [("a", "driver 1"), ("a", "driver 2"), ("b", "driver 1"), ("../b", "driver 1")];
        let names = names.map(|(key, driver)| file_name(key, driver));
        assert!(names.iter().all(|n| !n.contains('/') && !n.starts_with('.')), "{names:?}");
        assert!(names.iter().enumerate().all(|(i, n)| !names[..i].contains(n)), "{names:?}");
    }
}
