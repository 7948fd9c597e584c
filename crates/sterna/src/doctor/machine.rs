//! The machine as numbers and names, read from texts.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::cgroup::{self, Cgroup};
use super::gpu::{self, Gpus};
use super::mounts::{self, Mount};
use super::system::System;

/// What the program knows about itself without reading a file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Program {
    /// Of this build.
    pub version: &'static str,
    /// Built without optimisation.
    pub debug: bool,
    /// "linux".
    pub os: &'static str,
    /// "x86_64".
    pub arch: &'static str,
    /// Instruction sets that its kernels can use here, best first.
    pub isas: Vec<&'static str>,
    /// Threads it takes when nobody says how many.
    pub threads: usize,
    /// Where downloads go.
    pub cache: Option<PathBuf>,
}

/// The processor. `None` where the system does not tell.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Cpu {
    /// As it names itself.
    pub model: Option<String>,
    /// Hardware threads.
    pub logical: Option<usize>,
    /// Cores.
    pub cores: Option<usize>,
    /// Hardware threads that this process may run on.
    pub allowed: Option<usize>,
    /// Memory nodes.
    pub nodes: Option<usize>,
    /// "L2 1024K", of the first core.
    pub caches: Vec<String>,
    /// Frequency governor, and the driver it belongs to.
    pub governor: Option<String>,
    /// Frequency driver.
    pub driver: Option<String>,
    /// What the driver is told to prefer.
    pub preference: Option<String>,
    /// Whether it may run above its base frequency.
    pub turbo: Option<bool>,
    /// Times that a core was slowed down by heat since the start.
    pub throttled: Option<u64>,
    /// Whether this is a virtual machine.
    pub is_virtual: Option<bool>,
}

/// Who else wants the cores.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Load {
    /// Programs that ran or waited to run, average of a minute.
    pub average: Option<f64>,
    /// Percent of the last ten seconds in which some program waited for a core.
    pub pressure: Option<f64>,
    /// Of the time that programs asked for since the start, the share that a hypervisor took away.
    pub stolen: Option<f64>,
}

/// Memory in bytes.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Memory {
    /// In all.
    pub total: Option<u64>,
    /// For new programs, without swapping.
    pub available: Option<u64>,
    /// Swap in all.
    pub swap: Option<u64>,
    /// Swap in use.
    pub swapped: Option<u64>,
    /// Transparent huge pages: "always", "madvise" or "never".
    pub huge_pages: Option<String>,
    /// Largest address space of this process, where one is set.
    pub address_limit: Option<u64>,
}

/// Power supply.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Power {
    /// Whether a battery is being drained; `None` without any battery.
    pub on_battery: Option<bool>,
    /// Platform profile: "balanced", "low-power", ...
    pub profile: Option<String>,
}

/// Everything that is looked at.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Machine {
    /// The program itself.
    pub program: Program,
    /// Processor.
    pub cpu: Cpu,
    /// Load.
    pub load: Load,
    /// Memory.
    pub memory: Memory,
    /// Limits of control groups.
    pub cgroup: Option<Cgroup>,
    /// Power.
    pub power: Power,
    /// GPUs.
    pub gpus: Option<Gpus>,
    /// File system of the folder for downloads.
    pub cache: Option<Mount>,
}

impl Machine {
    /// Reads it.
    pub fn read(system: &dyn System, program: Program) -> Self {
        let cache = program.cache.as_deref().and_then(|p| mounts::of(system, p));
        Self {
            cpu: cpu(system),
            load: load(system),
            memory: memory(system),
            cgroup: cgroup::read(system),
            power: power(system),
            gpus: gpu::read(system),
            cache,
            program,
        }
    }

    /// Bytes that a model may take now: what is available, less where a control group allows less.
    pub fn free_memory(&self) -> Option<u64> {
        let group = self.cgroup.as_ref().and_then(|c| c.memory_free);
        [self.memory.available, group].into_iter().flatten().min()
    }

    /// Bytes that a model could take at the very most, with nothing else running.
    pub fn most_memory(&self) -> Option<u64> {
        let group = self.cgroup.as_ref().and_then(|c| c.memory);
        [self.memory.total, group, self.memory.address_limit].into_iter().flatten().min()
    }
}

const CPUS: &str = "/sys/devices/system/cpu";

fn cpu(system: &dyn System) -> Cpu {
    let info = system.text("/proc/cpuinfo").unwrap_or_default();
    let status = system.text("/proc/self/status").unwrap_or_default();
    let frequency = format!("{CPUS}/cpu0/cpufreq");
    let turbo = match system.number(&format!("{CPUS}/intel_pstate/no_turbo")) {
        Some(off) => Some(off == 0),
        None => system.number(&format!("{CPUS}/cpufreq/boost")).map(|on| on == 1),
    };
    let flags = field(&info, "flags");
    let logical = info.lines().filter(|l| l.split(':').next().map(str::trim) == Some("processor")).count();
    Cpu {
        model: field(&info, "model name")
            .or_else(|| system.text("/sys/firmware/devicetree/base/model"))
            .map(|m| m.trim_end_matches('\0').trim().to_owned()),
        logical: (logical > 0).then_some(logical),
        cores: cores(&info).or_else(|| topology(system)),
        allowed: field(&status, "Cpus_allowed_list").and_then(|l| count(&l)),
        nodes: system.word("/sys/devices/system/node/online").and_then(|l| count(&l)),
        caches: caches(system),
        governor: system.word(&format!("{frequency}/scaling_governor")),
        driver: system.word(&format!("{frequency}/scaling_driver")),
        preference: system.word(&format!("{frequency}/energy_performance_preference")),
        turbo,
        throttled: system.number(&format!("{CPUS}/cpu0/thermal_throttle/package_throttle_count")),
        is_virtual: flags.map(|f| f.split(' ').any(|f| f == "hypervisor")),
    }
}

/// The first value of `name : value`.
fn field(text: &str, name: &str) -> Option<String> {
    text.lines().find_map(|l| {
        let (key, value) = l.split_once(':')?;
        (key.trim() == name).then(|| value.trim().to_owned())
    })
}

/// Cores of `/proc/cpuinfo`: pairs of package and core.
fn cores(info: &str) -> Option<usize> {
    let mut all: Vec<(String, String)> = info
        .split("\n\n")
        .filter_map(|part| Some((field(part, "physical id")?, field(part, "core id")?)))
        .collect();
    all.sort();
    all.dedup();
    (!all.is_empty()).then_some(all.len())
}

/// The same of `/sys`, for processors that do not tell in `cpuinfo`.
fn topology(system: &dyn System) -> Option<usize> {
    let mut all: Vec<(String, String)> = system
        .names(CPUS)?
        .iter()
        .filter(|n| n.strip_prefix("cpu").is_some_and(|d| d.parse::<usize>().is_ok()))
        .filter_map(|n| {
            let of = |f: &str| system.word(&format!("{CPUS}/{n}/topology/{f}"));
            Some((of("physical_package_id")?, of("core_id")?))
        })
        .collect();
    all.sort();
    all.dedup();
    (!all.is_empty()).then_some(all.len())
}

/// Members of a list such as `0-3,8`.
fn count(list: &str) -> Option<usize> {
    list.split(',').try_fold(0usize, |sum, part| {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        let (from, to): (usize, usize) = (from.trim().parse().ok()?, to.trim().parse().ok()?);
        sum.checked_add(to.checked_sub(from)?.checked_add(1)?)
    })
}

fn caches(system: &dyn System) -> Vec<String> {
    let folder = format!("{CPUS}/cpu0/cache");
    let names = system.names(&folder).unwrap_or_default();
    let of = |n: &String| {
        let word = |f: &str| system.word(&format!("{folder}/{n}/{f}"));
        let kind = match word("type")?.as_str() {
            "Data" => "d",
            "Instruction" => return None,
            _ => "",
        };
        Some(format!("L{}{kind} {}", word("level")?, word("size")?))
    };
    names.iter().filter(|n| n.starts_with("index")).filter_map(of).collect()
}

fn load(system: &dyn System) -> Load {
    let pressure = system.text("/proc/pressure/cpu");
    Load {
        average: system.word("/proc/loadavg").and_then(|w| w.parse().ok()),
        pressure: pressure.and_then(|t| {
            let some = t.lines().find(|l| l.starts_with("some "))?.to_owned();
            some.split(' ').find_map(|w| w.strip_prefix("avg10=")?.parse().ok())
        }),
        stolen: system.text("/proc/stat").and_then(|t| stolen(&t)),
    }
}

/// Steal time over all that was asked for: user, nice, system, irq, softirq and steal itself.
fn stolen(stat: &str) -> Option<f64> {
    let mut fields = stat.lines().next()?.split_ascii_whitespace();
    if fields.next()? != "cpu" {
        return None;
    }
    let n: Vec<u64> = fields.map_while(|f| f.parse().ok()).collect();
    let steal = *n.get(7)?;
    let asked = [0, 1, 2, 5, 6, 7].iter().map(|i| n[*i]).fold(0u64, u64::saturating_add);
    (asked > 0).then(|| steal as f64 / asked as f64)
}

fn memory(system: &dyn System) -> Memory {
    let info = system.text("/proc/meminfo").unwrap_or_default();
    let bytes = |name: &str| -> Option<u64> {
        field(&info, name)?.strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
    };
    let swap = bytes("SwapTotal");
    let huge = system.text("/sys/kernel/mm/transparent_hugepage/enabled");
    let limits = system.text("/proc/self/limits").unwrap_or_default();
    let address = limits.lines().find_map(|l| l.strip_prefix("Max address space"));
    Memory {
        total: bytes("MemTotal"),
        available: bytes("MemAvailable"),
        swap,
        swapped: swap.zip(bytes("SwapFree")).map(|(all, free)| all.saturating_sub(free)),
        huge_pages: huge.and_then(|t| Some(t.split_once('[')?.1.split_once(']')?.0.to_owned())),
        address_limit: address.and_then(|l| l.split_whitespace().next()?.parse().ok()),
    }
}

fn power(system: &dyn System) -> Power {
    const SUPPLIES: &str = "/sys/class/power_supply";
    let of = |n: &String, f: &str| system.word(&format!("{SUPPLIES}/{n}/{f}"));
    let names = system.names(SUPPLIES).unwrap_or_default();
    let batteries: Vec<&String> = names
        .iter()
        // A mouse's battery has the scope of a device.
        .filter(|n| {
            of(n, "type").as_deref() == Some("Battery") && of(n, "scope").as_deref() != Some("Device")
        })
        .collect();
    let drained = batteries.iter().any(|n| of(n, "status").as_deref() == Some("Discharging"));
    Power {
        on_battery: (!batteries.is_empty()).then_some(drained),
        profile: system.word("/sys/firmware/acpi/platform_profile"),
    }
}

/// The file system of a model's path.
pub fn mount(system: &dyn System, path: &Path) -> Option<Mount> {
    mounts::of(system, path)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::doctor::system::Texts;

    /// A quiet desktop with nothing to complain about.
    pub fn healthy() -> Texts {
        let one = |i: usize, core: usize| {
            format!(
                "processor\t: {i}\nmodel name\t: Test CPU 9\nphysical id\t: 0\ncore id\t\t: {core}\nflags\t\t: fpu avx2\n"
            )
        };
        let info = [one(0, 0), one(1, 0), one(2, 1), one(3, 1)].join("\n");
        Texts::new(&[
            ("/proc/cpuinfo", &info),
            ("/proc/self/status", "Name:\tsterna\nCpus_allowed_list:\t0-3\n"),
            ("/proc/self/cgroup", "0::/\n"),
            ("/proc/self/mountinfo", "27 1 8:1 / / rw - ext4 /dev/sda1 rw\n"),
            (
                "/proc/self/limits",
                "Limit  Soft Limit  Hard Limit  Units\nMax address space         unlimited            unlimited            bytes\n",
            ),
            (
                "/proc/meminfo",
                "MemTotal:       16000000 kB\nMemAvailable:   12000000 kB\nSwapTotal:       2000000 kB\nSwapFree:        2000000 kB\n",
            ),
            ("/proc/loadavg", "0.10 0.05 0.01 1/100 1\n"),
            (
                "/proc/pressure/cpu",
                "some avg10=0.50 avg60=0.10 avg300=0.00 total=1\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n",
            ),
            ("/proc/stat", "cpu  1000 0 100 5000 0 0 0 0 0 0\n"),
            ("/sys/devices/system/node/online", "0\n"),
            ("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "schedutil\n"),
            ("/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver", "acpi-cpufreq\n"),
            ("/sys/devices/system/cpu/cpufreq/boost", "1\n"),
            ("/sys/devices/system/cpu/cpu0/cache/index0/type", "Data\n"),
            ("/sys/devices/system/cpu/cpu0/cache/index0/level", "1\n"),
            ("/sys/devices/system/cpu/cpu0/cache/index0/size", "32K\n"),
            ("/sys/devices/system/cpu/cpu0/thermal_throttle/package_throttle_count", "0\n"),
            ("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n"),
            ("/sys/dev/block/8:1/queue/rotational", "0\n"),
        ])
    }

    /// A program on it.
    pub fn program() -> Program {
        Program {
            version: "0",
            debug: false,
            os: "linux",
            arch: "x86_64",
            isas: vec!["AVX2+FMA+F16C", "portable"],
            threads: 4,
            cache: Some(PathBuf::from("/home/me/.cache")),
        }
    }

    #[test]
    fn a_desktop_is_read() {
        let m = Machine::read(&healthy(), program());
        assert_eq!(
            (m.cpu.logical, m.cpu.cores, m.cpu.allowed, m.cpu.nodes),
            (Some(4), Some(2), Some(4), Some(1))
        );
        assert_eq!(m.cpu.model.as_deref(), Some("Test CPU 9"));
        assert_eq!(
            (m.cpu.turbo, m.cpu.is_virtual, m.cpu.caches.as_slice()),
            (Some(true), Some(false), &["L1d 32K".to_owned()][..])
        );
        assert_eq!((m.memory.total, m.memory.swapped), (Some(16_000_000 << 10), Some(0)));
        assert_eq!(m.memory.huge_pages.as_deref(), Some("madvise"));
        assert_eq!((m.memory.address_limit, m.power.on_battery), (None, None));
        assert_eq!((m.load.average, m.load.pressure, m.load.stolen), (Some(0.1), Some(0.5), Some(0.0)));
        assert_eq!(m.free_memory(), Some(12_000_000 << 10));
    }

    #[test]
    fn a_machine_that_tells_nothing_is_all_unknown() {
        let m = Machine::read(&Texts::default(), program());
        assert_eq!((m.cpu, m.load, m.memory, m.power), Default::default());
        assert_eq!((m.cgroup, m.gpus, m.cache), (None, None, None));
    }

    #[test]
    fn nonsense_is_unknown_too() {
        let s = Texts::new(&[
            ("/proc/cpuinfo", "::::\nprocessor\n"),
            ("/proc/self/status", "Cpus_allowed_list: 9-3\n"),
            ("/proc/meminfo", "MemTotal: lots\nMemAvailable: 99999999999999999999 kB\nSwapFree: 7 kB\n"),
            ("/proc/stat", "cpu 1 2 3\n"),
            ("/proc/pressure/cpu", "some avg10=often\n"),
            ("/sys/kernel/mm/transparent_hugepage/enabled", "none"),
        ]);
        let m = Machine::read(&s, program());
        assert_eq!((m.cpu.allowed, m.memory, m.load), (None, Memory::default(), Load::default()));
        assert_eq!(count("0-1,4,6-7"), Some(5));
        assert_eq!(count("0-18446744073709551615"), None);
    }

    #[test]
    fn a_battery_of_the_machine_counts_and_one_of_a_mouse_does_not() {
        let supply = |status: &str, scope: &str| {
            healthy()
                .with("/sys/class/power_supply/BAT0/type", "Battery\n")
                .with("/sys/class/power_supply/BAT0/status", status)
                .with("/sys/class/power_supply/BAT0/scope", scope)
        };
        let on_battery = |s: Texts| Machine::read(&s, program()).power.on_battery;
        assert_eq!(on_battery(supply("Discharging\n", "System\n")), Some(true));
        assert_eq!(on_battery(supply("Charging\n", "System\n")), Some(false));
        assert_eq!(on_battery(supply("Discharging\n", "Device\n")), None);
    }
}
