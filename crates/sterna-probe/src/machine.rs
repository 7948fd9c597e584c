//! What a measurement ran on, and how the machine felt at the time.

use serde::{Deserialize, Serialize};

/// The machine, as far as the system tells.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// The processor's name.
    pub cpu: String,
    /// Cores that this process may use.
    pub cores: usize,
    /// Best instruction set that the kernels found.
    pub isa: String,
    /// Bytes of memory.
    pub memory: Option<u64>,
    /// Operating system and architecture.
    pub os: String,
}

impl Machine {
    /// This machine; `isa` is the best instruction set that the kernels found.
    pub fn here(isa: &str) -> Self {
        let read = |path| std::fs::read_to_string(path).unwrap_or_default();
        let (cpuinfo, meminfo) = (read("/proc/cpuinfo"), read("/proc/meminfo"));
        let kilobytes =
            field(&meminfo, "MemTotal").and_then(|v| v.strip_suffix("kB")?.trim().parse::<u64>().ok());
        let os = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
        Self {
            // Not every processor gives its name there.
            cpu: field(&cpuinfo, "model name").unwrap_or("unknown").to_owned(),
            cores: std::thread::available_parallelism().map_or(1, |n| n.get()),
            isa: isa.to_owned(),
            memory: kilobytes.map(|n| n * 1024),
            os,
        }
    }
}

/// The value of the first line `key : value`.
fn field<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let values = text.lines().filter_map(|l| l.strip_prefix(key)?.trim_start().strip_prefix(':'));
    values.map(str::trim).next()
}

/// Readings that change; `None` where the system does not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Weather {
    /// Processes that were ready to run, averaged over the last minute.
    pub load: Option<f64>,
    /// Clock of the fastest core in MHz, as the system believes.
    pub mhz: Option<f64>,
    /// Hottest sensor, in degrees Celsius.
    pub celsius: Option<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read() {
        let text = "model\t\t: 1\nmodel name\t: AMD EPYC: Processor\nmodel name\t: other\n";
        assert_eq!(field(text, "model name"), Some("AMD EPYC: Processor"));
        assert_eq!(field("MemTotal:       24000 kB\n", "MemTotal"), Some("24000 kB"));
        assert_eq!(field(text, "flags"), None);
        let here = Machine::here("isa");
        assert!(here.cores > 0 && (!cfg!(target_os = "linux") || here.memory.is_some()));
    }
}
