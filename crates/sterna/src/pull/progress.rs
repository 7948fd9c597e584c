//! Who is told how far a download is.

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

/// Hears about each file in turn.
pub trait Progress: Send {
    /// A file begins; `have` of its `size` bytes are there already.
    fn start(&mut self, file: &str, size: u64, have: u64);
    /// More bytes arrived.
    fn advance(&mut self, bytes: u64);
    /// The file starts over from nothing.
    fn restart(&mut self);
    /// The file is complete.
    fn finish(&mut self);
}

/// Says nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn start(&mut self, _file: &str, _size: u64, _have: u64) {}
    fn advance(&mut self, _bytes: u64) {}
    fn restart(&mut self) {}
    fn finish(&mut self) {}
}

/// A bar for each file on standard error: bytes, speed and time left. Nothing when that is not a terminal.
#[derive(Debug, Default)]
pub struct Bars {
    all: MultiProgress,
    bar: Option<ProgressBar>,
}

impl Bars {
    /// No bars yet.
    pub fn new() -> Self {
        Self::default()
    }
}

impl Progress for Bars {
    fn start(&mut self, file: &str, size: u64, have: u64) {
        let bar = self.all.add(ProgressBar::new(size));
        let template =
            "{msg:30!} {bar:24} {bytes:>10} / {total_bytes:<10} {bytes_per_sec:>12}  {eta:>4} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        let skip = file.chars().count().saturating_sub(30);
        bar.set_message(file.chars().skip(skip).collect::<String>());
        bar.set_position(have);
        bar.reset_eta(); // the speed is that of this transfer
        self.bar = Some(bar);
    }

    fn advance(&mut self, bytes: u64) {
        if let Some(bar) = &self.bar {
            bar.inc(bytes);
        }
    }

    fn restart(&mut self) {
        if let Some(bar) = &self.bar {
            bar.set_position(0);
        }
    }

    fn finish(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_template_is_valid_and_a_pipe_gets_nothing() {
        let mut bars = Bars::new();
        bars.start("a/very/long/name/of/a/file/model-00001-of-00009.safetensors", 100, 10);
        bars.advance(40);
        let bar = bars.bar.clone().unwrap();
        assert_eq!((bar.position(), bar.length(), bar.message().len()), (50, Some(100), 30));
        bars.restart();
        assert_eq!(bar.position(), 0);
        bars.finish();
        assert!(bars.bar.is_none() && bar.is_finished());
    }
}
