//! The machine, named and measured in the same run.

use std::path::Path;
use std::process::Command;

use serde::Serialize;
use sterna_probe::limits::{LimitOptions, Limits};

use crate::error::PeersError;

/// Where a run took place.
#[derive(Clone, Debug, Serialize)]
pub struct Machine {
    /// Name of the processor.
    pub cpu: String,
    /// Instruction sets that matter here.
    pub isa: Vec<String>,
    /// Cores that this process may use.
    pub cores: usize,
    /// Memory in bytes.
    pub memory: Option<u64>,
    /// Commit of the checkout, with a `+` when there are changes; `None` without git.
    pub commit: Option<String>,
    /// Measured limits: the best of several moments of the run, since a limit is what nothing disturbed.
    pub limits: Limits,
}

const ISA: &[&str] = &[
    "avx2",
    "fma",
    "f16c",
    "avx512f",
    "avx512bw",
    "avx512_vnni",
    "avx_vnni",
    "avx512_bf16",
    "amx_int8",
    "asimddp",
    "i8mm",
    "sve",
    "sve2",
];

impl Machine {
    /// Asks the system and measures with `threads` threads.
    pub fn measure(root: &Path, threads: usize) -> Result<Self, PeersError> {
        let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let meminfo = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
        let (cpu, isa) = describe(&cpuinfo);
        Ok(Self {
            cpu,
            isa,
            cores: cores(),
            memory: field(&meminfo, "MemTotal")
                .and_then(|m| m.strip_suffix("kB")?.trim().parse::<u64>().ok())
                .map(|kib| kib * 1024),
            commit: commit(root),
            limits: Limits::measure(&LimitOptions::new(threads))?,
        })
    }

    /// Measures the limits again and keeps the better figures.
    pub fn measure_again(&mut self) -> Result<(), PeersError> {
        let again = Limits::measure(&LimitOptions::new(self.limits.threads))?;
        self.limits = self.limits.best_of(&again);
        Ok(())
    }
}

/// Cores that this process may use.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get())
}

fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines().find_map(|l| l.split_once(':').filter(|(key, _)| key.trim() == name)).map(|(_, v)| v.trim())
}

fn describe(cpuinfo: &str) -> (String, Vec<String>) {
    let name = field(cpuinfo, "model name").unwrap_or("unknown processor").to_owned();
    let flags = field(cpuinfo, "flags").or_else(|| field(cpuinfo, "Features")).unwrap_or_default();
    let has = |name: &&&str| flags.split_ascii_whitespace().any(|f| f == **name);
    (name, ISA.iter().filter(has).map(|s| (*s).to_owned()).collect())
}

fn commit(root: &Path) -> Option<String> {
    let git = |args: &[&str]| {
        let out = Command::new("git").arg("-C").arg(root).args(args).output().ok()?;
        out.status.success().then(|| String::from_utf8_lossy(&out.stdout).trim().to_owned())
    };
    let hash = git(&["rev-parse", "--short", "HEAD"])?;
    let changed = !git(&["status", "--porcelain", "--untracked-files=no"])?.is_empty();
    Some(if changed { format!("{hash}+") } else { hash })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_are_described() {
        let intel = "processor\t: 0\nmodel name\t: Some CPU\nflags\t\t: fpu avx2 avx512_vnni avx512fp16\n";
        assert_eq!(describe(intel), ("Some CPU".into(), vec!["avx2".into(), "avx512_vnni".into()]));
        let arm = "processor\t: 0\nFeatures\t: fp asimd asimddp\n";
        assert_eq!(describe(arm), ("unknown processor".into(), vec!["asimddp".into()]));
    }
}
