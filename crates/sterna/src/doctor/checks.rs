//! Known traps, each a pure function of the machine: what is, and what to do about it.

use serde::Serialize;

use super::machine::Machine;
use super::mounts::Mount;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// As it should be.
    Ok,
    /// Worth knowing.
    Note,
    /// Costs speed, or may fail later.
    Warning,
    /// The system does not tell.
    Unknown,
    /// Nothing can run like this.
    Failure,
}

impl Status {
    /// As in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Status::Ok => "ok",
            Status::Note => "note",
            Status::Warning => "warning",
            Status::Unknown => "unknown",
            Status::Failure => "failure",
        }
    }
}

/// What one check found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Check {
    /// Name for programs.
    pub id: &'static str,
    /// How bad it is.
    pub status: Status,
    /// What is.
    pub found: String,
    /// What to do.
    pub advice: Option<String>,
}

impl Check {
    /// As it should be.
    pub fn ok(id: &'static str, found: impl Into<String>) -> Self {
        Self { id, status: Status::Ok, found: found.into(), advice: None }
    }
    /// Not told.
    pub fn unknown(id: &'static str, what: &str) -> Self {
        Self {
            id,
            status: Status::Unknown,
            found: format!("{what}: this system does not tell"),
            advice: None,
        }
    }
    /// Something to say, and what to do.
    pub fn new(
        id: &'static str,
        status: Status,
        found: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        Self { id, status, found: found.into(), advice: Some(advice.into()) }
    }
}

use Status::{Note, Warning};

/// All checks of a machine, in the order they are shown.
pub fn all(m: &Machine) -> Vec<Check> {
    let checks: [fn(&Machine) -> Check; 18] = [
        build,
        isa,
        affinity,
        quota,
        nodes,
        governor,
        turbo,
        power,
        heat,
        pressure,
        stolen,
        memory,
        group_memory,
        swap,
        address_space,
        huge_pages,
        cache,
        gpu,
    ];
    checks.iter().map(|check| check(m)).collect()
}

fn build(m: &Machine) -> Check {
    if m.program.debug {
        let what = "a debug build: many times slower";
        return Check::new("build", Warning, what, "build with `cargo build --release`");
    }
    Check::ok("build", format!("version {}, optimised", m.program.version))
}

fn isa(m: &Machine) -> Check {
    let best = m.program.isas.first().copied().unwrap_or("portable");
    let all = m.program.isas.join(", ");
    match (m.program.arch, best) {
        ("x86_64", "portable") => {
            let what = "no AVX2 with FMA and F16C: plain Rust only, several times slower";
            let advice = "in a virtual machine give the guest the host's CPU model (QEMU: -cpu host); an emulator has none of them";
            Check::new("isa", Warning, what, advice)
        }
        ("aarch64", "NEON") => {
            let what = "NEON without the dot product instructions";
            Check::new(
                "isa",
                Note,
                what,
                "nothing to do: this processor is from before them, or a guest that hides them",
            )
        }
        ("aarch64", "portable") | (_, "portable") => {
            let what = format!("no kernels for {}: plain Rust only", m.program.arch);
            Check::new(
                "isa",
                Warning,
                what,
                "correct, but slow; x86_64 and 64-bit ARM have kernels of their own",
            )
        }
        _ => Check::ok("isa", format!("{best} (of {all})")),
    }
}

fn affinity(m: &Machine) -> Check {
    let id = "cores";
    let (Some(logical), Some(allowed)) = (m.cpu.logical, m.cpu.allowed) else {
        return Check::unknown(id, "cores");
    };
    let cores = m.cpu.cores.map_or(String::new(), |c| format!(" on {c} cores"));
    if allowed < logical {
        let what = format!("this process may run on {allowed} of {logical} hardware threads");
        let advice =
            "fine if meant so (taskset, cpuset, a batch job); else start it without that restriction";
        return Check::new(id, Note, what, advice);
    }
    if m.cpu.cores.is_some_and(|c| c < logical) {
        let what = format!("{logical} hardware threads{cores}");
        let half = m.cpu.cores.unwrap_or(logical);
        let advice = format!(
            "two threads of a core share its arithmetic: compare `--threads {half}` with {logical} in `sterna bench`"
        );
        return Check::new(id, Note, what, advice);
    }
    Check::ok(id, format!("{logical} hardware threads{cores}"))
}

fn quota(m: &Machine) -> Check {
    let id = "cpu-quota";
    let Some(group) = &m.cgroup else { return Check::unknown(id, "control groups") };
    let Some(cpus) = group.cpus else { return Check::ok(id, "no limit on CPU time") };
    let usable = m.cpu.allowed.or(m.cpu.logical).unwrap_or(m.program.threads);
    if cpus < usable as f64 {
        let what = format!(
            "a control group allows {cpus:.2} cores' time, and {usable} hardware threads are to be seen"
        );
        let advice = format!(
            "take `--threads {}`: with more, all of them stand still when the time is used up; or give the container more (docker: --cpus)",
            (cpus.floor() as usize).max(1)
        );
        return Check::new(id, Warning, what, advice);
    }
    Check::ok(id, format!("{cpus:.2} cores' time allowed"))
}

fn nodes(m: &Machine) -> Check {
    match m.cpu.nodes {
        None => Check::unknown("memory-nodes", "memory nodes"),
        Some(n) if n > 1 => {
            let advice = "weights lie on the node of the thread that packed them: compare `numactl --interleave=all` with one node (`numactl -N 0 -m 0`)";
            Check::new("memory-nodes", Note, format!("{n} memory nodes"), advice)
        }
        Some(_) => Check::ok("memory-nodes", "one memory node"),
    }
}

fn governor(m: &Machine) -> Check {
    let id = "governor";
    let Some(governor) = &m.cpu.governor else {
        if m.cpu.is_virtual == Some(true) {
            return Check::ok(id, "the host of this virtual machine sets the clock");
        }
        return Check::unknown(id, "frequency governor");
    };
    // The drivers of modern Intel and AMD processors call their normal mode powersave, and have a preference beside it.
    let active = m.cpu.driver.as_deref().is_some_and(|d| d == "intel_pstate" || d == "amd-pstate-epp");
    let saves = if active {
        m.cpu.preference.as_deref().is_some_and(|p| p == "power")
    } else {
        governor == "powersave" || governor == "conservative"
    };
    let preference = m.cpu.preference.as_ref().map_or(String::new(), |p| format!(", preference {p}"));
    if saves {
        let advice = "`sudo cpupower frequency-set -g performance` (or the power settings of the desktop) while you measure";
        return Check::new(id, Warning, format!("governor {governor}{preference}: a low clock"), advice);
    }
    Check::ok(id, format!("{governor}{preference}"))
}

fn turbo(m: &Machine) -> Check {
    match m.cpu.turbo {
        Some(false) => {
            let advice = "for steady measurements that is right; for speed `echo 1 | sudo tee /sys/devices/system/cpu/cpufreq/boost` (Intel: `echo 0` to intel_pstate/no_turbo)";
            Check::new("turbo", Note, "the processor may not run above its base clock", advice)
        }
        Some(true) => Check::ok("turbo", "allowed"),
        None if m.cpu.is_virtual == Some(true) => {
            Check::ok("turbo", "the host of this virtual machine decides")
        }
        None => Check::unknown("turbo", "turbo"),
    }
}

fn power(m: &Machine) -> Check {
    let id = "power";
    let saver = m.power.profile.as_deref().filter(|p| ["low-power", "quiet", "cool"].contains(p));
    if let Some(profile) = saver {
        let advice = "choose another power mode: `powerprofilesctl set performance`";
        return Check::new(id, Warning, format!("power profile {profile}"), advice);
    }
    match m.power.on_battery {
        Some(true) => {
            Check::new(id, Warning, "running on battery", "plug it in: most laptops slow down on battery")
        }
        Some(false) => Check::ok(id, "plugged in"),
        None => Check::ok(id, "no battery, no power saver to be seen"),
    }
}

fn heat(m: &Machine) -> Check {
    match m.cpu.throttled {
        Some(0) => Check::ok("heat", "never slowed down by heat since the start"),
        Some(n) => {
            let advice = "long runs may slow down: look at cooling, and trust interleaved figures (`sterna bench`) only";
            Check::new("heat", Note, format!("slowed down by heat {n} times since the start"), advice)
        }
        None if m.cpu.is_virtual == Some(true) => Check::ok("heat", "the host of this virtual machine knows"),
        None => Check::unknown("heat", "slow-downs by heat"),
    }
}

fn pressure(m: &Machine) -> Check {
    let id = "load";
    let threads = m.program.threads as f64;
    let advice = "end them, or leave them their cores with `--threads`; text is the same, speed is not, and measurements are noisy";
    match (m.load.pressure, m.load.average) {
        (None, None) => Check::unknown(id, "load"),
        (Some(p), _) if p >= 10.0 => {
            let what = format!("programs waited for a core in {p:.0} % of the last ten seconds");
            Check::new(id, Warning, what, advice)
        }
        (_, Some(a)) if a >= 0.5 * threads => {
            let what = format!(
                "{a:.1} programs wanted to run in the last minute, on {} hardware threads",
                m.program.threads
            );
            Check::new(id, Warning, what, advice)
        }
        (_, average) => {
            Check::ok(id, average.map_or("quiet".into(), |a| format!("quiet (load average {a:.2})")))
        }
    }
}

fn stolen(m: &Machine) -> Check {
    match m.load.stolen {
        None => Check::unknown("steal", "time that a hypervisor takes away"),
        Some(s) if s >= 0.02 => {
            let what = format!(
                "the hypervisor took away {:.1} % of the CPU time asked for since the start",
                100.0 * s
            );
            let advice = "other guests share these cores: choose a machine with cores of its own, or measure in turns and repeat";
            Check::new("steal", Warning, what, advice)
        }
        Some(s) => Check::ok("steal", format!("{:.1} % of CPU time taken away", 100.0 * s)),
    }
}

/// "12.3 GB".
pub fn size(bytes: u64) -> String {
    crate::commands::size(bytes)
}

/// The built-in model with a short context, and the program around it.
const LEAST: u64 = 64 << 20;

fn memory(m: &Machine) -> Check {
    let id = "memory";
    let (Some(total), Some(free)) = (m.memory.total, m.free_memory()) else {
        return Check::unknown(id, "memory");
    };
    let what = format!("{} of {} are free for a model", size(free), size(total));
    if free < LEAST {
        let advice = "end other programs: not even the built-in model fits";
        return Check::new(id, Status::Failure, what, advice);
    }
    if free < 1 << 30 || free < total / 10 {
        let advice = "end other programs before you load a model of some size; `sterna doctor -m MODEL` tells what one needs";
        return Check::new(id, Warning, what, advice);
    }
    Check::ok(id, what)
}

fn group_memory(m: &Machine) -> Check {
    let id = "memory-limit";
    let Some(group) = &m.cgroup else { return Check::unknown(id, "control groups") };
    match (group.memory, m.memory.total) {
        (Some(limit), total) if total.is_none_or(|t| limit < t) => {
            let what = format!("a control group allows {} of memory", size(limit));
            let advice = "what goes past it is killed without a word: keep model and states below, or raise the limit (docker: --memory)";
            Check::new(id, Note, what, advice)
        }
        _ => Check::ok(id, "no limit on memory"),
    }
}

fn swap(m: &Machine) -> Check {
    match (m.memory.swap, m.memory.swapped) {
        (Some(0), _) => Check::ok("swap", "no swap"),
        (Some(_), Some(used)) if used >= 64 << 20 => {
            let advice = "weights that are swapped out come back at the speed of a disk: end other programs before you measure";
            Check::new("swap", Warning, format!("{} of swap in use", size(used)), advice)
        }
        (Some(all), Some(_)) => Check::ok("swap", format!("{} of swap, unused", size(all))),
        _ => Check::unknown("swap", "swap"),
    }
}

fn address_space(m: &Machine) -> Check {
    match m.memory.address_limit {
        Some(limit) => {
            let what = format!("this process may have {} of address space", size(limit));
            let advice = "a model is mapped and packed, so it needs twice its size: `ulimit -v unlimited`";
            Check::new("address-space", Warning, what, advice)
        }
        None if m.program.os == "linux" => Check::ok("address-space", "no limit on address space"),
        None => Check::unknown("address-space", "limit on address space"),
    }
}

fn huge_pages(m: &Machine) -> Check {
    match m.memory.huge_pages.as_deref() {
        None => Check::unknown("huge-pages", "huge pages"),
        Some("never") => {
            let what = "transparent huge pages are off: weights are read through 4 KiB pages";
            let advice = "`echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled`";
            Check::new("huge-pages", Warning, what, advice)
        }
        Some(mode) => Check::ok("huge-pages", format!("transparent huge pages: {mode}")),
    }
}

/// Less than this is soon filled by a download.
const LITTLE_DISK: u64 = 5 << 30;

fn cache(m: &Machine) -> Check {
    let id = "cache-folder";
    let Some(path) = &m.program.cache else {
        let advice = "set HOME or HF_HOME, or download with `sterna pull --to FOLDER`";
        return Check::new(id, Warning, "no home folder to keep downloads in", advice);
    };
    let Some(mount) = &m.cache else { return Check::unknown(id, "the file system of the cache folder") };
    let what = format!("{} on {}", path.display(), mount.kind);
    if mount.read_only {
        return Check::new(
            id,
            Warning,
            format!("{what}, read only"),
            "set HF_HOME to a folder that can be written",
        );
    }
    if let Some(check) = far(id, &what, mount, m) {
        return check;
    }
    match mount.free {
        Some(free) if free < LITTLE_DISK => {
            let what = format!("{what}, {} free", size(free));
            Check::new(id, Warning, what, "make room, or set HF_HOME to a larger disk, before `sterna pull`")
        }
        Some(free) => Check::ok(id, format!("{what}, {} free", size(free))),
        None => Check::ok(id, what),
    }
}

/// A place that is slow to map from.
pub fn far(id: &'static str, what: &str, mount: &Mount, m: &Machine) -> Option<Check> {
    if mount.remote {
        let advice = "a model is mapped into memory: loading is as slow as the network, and a connection that breaks kills the program; copy the model to a local disk";
        return Some(Check::new(id, Warning, format!("{what}, a network file system"), advice));
    }
    // The disks of virtual machines say that they spin, whatever they are.
    if mount.spinning == Some(true) && m.cpu.is_virtual != Some(true) {
        let advice = "loading reads the model once at the speed of that disk; an SSD is many times faster";
        return Some(Check::new(id, Note, format!("{what}, a spinning disk"), advice));
    }
    None
}

fn gpu(m: &Machine) -> Check {
    let Some(gpus) = &m.gpus else { return Check::unknown("gpu", "GPUs") };
    if gpus.devices.is_empty() {
        return Check::ok("gpu", "none found; the CPU computes unless --device gpu asks for another");
    }
    let names: Vec<String> = gpus
        .devices
        .iter()
        .map(|d| d.driver.as_ref().map_or(d.name.clone(), |driver| format!("{} ({driver})", d.name)))
        .collect();
    let advice = "--device gpu takes one for models that its kernels can run (`sterna devices` lists those whose drivers answer); without it the CPU computes and the GPU stays idle";
    Check::new("gpu", Note, names.join(", "), advice)
}

#[cfg(test)]
#[path = "checks_tests.rs"]
mod tests;
