//! Synthetic models on disk: written once, found again by name.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use indicatif::{ProgressBar, ProgressStyle};

use crate::error::PeersError;
use crate::gguf;
use crate::shape::Shape;

/// The file of `shape` in `folder`, written if it is not there yet.
pub fn make(shape: &Shape, folder: &Path) -> Result<PathBuf, PeersError> {
    let path = folder.join(shape.file_name());
    if path.is_file() {
        return Ok(path);
    }
    fs::create_dir_all(folder).map_err(PeersError::io(format!("making {}", folder.display())))?;
    // Whole or not at all: an interrupted write leaves another name behind.
    let partial = path.with_extension(format!("part{}", std::process::id()));
    let written = write(shape, &partial).and_then(|()| {
        fs::rename(&partial, &path).map_err(PeersError::io(format!("renaming {}", partial.display())))
    });
    if written.is_err() {
        // The write's own error is the one to report.
        let _ = fs::remove_file(&partial);
    }
    written.map(|()| path)
}

fn write(shape: &Shape, path: &Path) -> Result<(), PeersError> {
    let failed = || PeersError::io(format!("writing {}", path.display()));
    let file = File::create(path).map_err(failed())?;
    let mut out = BufWriter::with_capacity(1 << 20, file);
    let bar = ProgressBar::new(gguf::weight_bytes(shape)?);
    if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {bytes}/{total_bytes} {eta}") {
        bar.set_style(style);
    }
    bar.set_message(format!("writing {}", shape.title()));
    gguf::write(shape, &mut out, &mut |done| bar.set_position(done))?;
    out.flush().map_err(failed())?;
    // What is still to be written would disturb the measurement.
    out.get_ref().sync_all().map_err(failed())?;
    bar.finish_and_clear();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use sterna_format::Encoding;

    #[test]
    fn a_model_is_written_once() {
        let folder = std::env::temp_dir().join(format!("sterna-peers-{}", std::process::id()));
        let shape = gguf::tiny(Encoding::Q8_0);
        let path = make(&shape, &folder).unwrap();
        let written = fs::metadata(&path).unwrap().modified().unwrap();
        assert_eq!(make(&shape, &folder).unwrap(), path);
        assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), written);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "nothing else is left behind");
        fs::remove_dir_all(&folder).unwrap();
    }
}
