//! Memory that a model takes, stage by stage.

use std::fmt;

use serde::{Deserialize, Serialize};
use sterna_plan::MemoryUse;

use crate::table::{Table, bytes};

/// Bytes at one stage; `None` where the system does not tell.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MemoryStage {
    /// "start", "mapped", "loaded", "first chunk".
    pub name: String,
    /// Resident memory of the process.
    pub rss: Option<u64>,
    /// The most it has ever been.
    pub peak: Option<u64>,
    /// Of `rss`, pages of mapped files: the system may drop and read them again.
    pub file: Option<u64>,
    /// Packed weights that the executor holds.
    pub weights: u64,
    /// States of all sequences.
    pub states: u64,
    /// Activation buffers.
    pub scratch: u64,
}

/// All stages of one model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemoryStages {
    /// Model.
    pub model: String,
    /// In order.
    pub stages: Vec<MemoryStage>,
}

impl MemoryStage {
    /// What this process holds now.
    pub fn now(name: impl Into<String>, held: MemoryUse) -> Self {
        // Linux tells; other systems leave the figures of the process away.
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let of = |key| kilobytes(&status, key);
        Self {
            name: name.into(),
            rss: of("VmRSS:"),
            peak: of("VmHWM:"),
            file: of("RssFile:"),
            weights: held.weights as u64,
            states: held.states as u64,
            scratch: held.scratch as u64,
        }
    }
}

fn kilobytes(status: &str, key: &str) -> Option<u64> {
    let line = status.lines().find_map(|l| l.strip_prefix(key))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|n| n * 1024)
}

impl fmt::Display for MemoryStages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = ["stage", "resident", "of it files", "peak", "weights", "states", "scratch"];
        let mut t = Table::new(&head);
        for s in &self.stages {
            let known = |n: Option<u64>| n.map_or("unknown".into(), bytes);
            t.row(vec![
                s.name.clone(),
                known(s.rss),
                known(s.file),
                known(s.peak),
                bytes(s.weights),
                bytes(s.states),
                bytes(s.scratch),
            ]);
        }
        write!(f, "{t}{}", self.model)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_systems_figures_are_read() {
        let status = "Name:\tx\nVmHWM:\t   2048 kB\nVmRSS:\t  1024 kB\nRssFile:\t 7 pages\n";
        assert_eq!(kilobytes(status, "VmRSS:"), Some(1 << 20));
        assert_eq!(kilobytes(status, "VmHWM:"), Some(2 << 20));
        assert_eq!((kilobytes(status, "RssFile:"), kilobytes(status, "None:")), (None, None));
        let held = MemoryUse { weights: 3_000_000, ..MemoryUse::default() };
        let stage = MemoryStage::now("start", held);
        if cfg!(target_os = "linux") {
            assert!(stage.rss.unwrap() > 100_000 && stage.peak >= stage.rss);
        }
        let text = MemoryStages { model: "m".into(), stages: vec![stage] }.to_string();
        assert!(text.contains("3.00 MB"), "{text}");
    }
}
