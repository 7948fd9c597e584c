//! Every check, both ways, on texts.

use super::*;
use crate::doctor::machine::Program;
use crate::doctor::machine::tests::{healthy, program};
use crate::doctor::system::Texts;

fn of(id: &str, system: &Texts, program: Program) -> Check {
    let found = all(&Machine::read(system, program));
    found.into_iter().find(|c| c.id == id).unwrap()
}

const FREQUENCY: &str = "/sys/devices/system/cpu/cpu0/cpufreq";

#[test]
fn a_healthy_machine_has_nothing_to_complain_about() {
    let mut one_thread_a_core = healthy();
    let info = one_thread_a_core.files["/proc/cpuinfo"].replace("core id\t\t: 0\n", "core id\t\t: 7\n");
    // Four threads on four cores, so that there is not even a note.
    let info =
        info.replacen("core id\t\t: 7", "core id\t\t: 8", 1).replacen("core id\t\t: 1", "core id\t\t: 9", 1);
    one_thread_a_core.files.insert("/proc/cpuinfo".into(), info);
    let s = one_thread_a_core.with("/sys/devices/x", "");
    for check in all(&Machine::read(&s, program())) {
        assert_eq!((check.status, &check.advice), (Status::Ok, &None), "{check:?}");
    }
}

#[test]
fn a_machine_that_tells_nothing_makes_no_claim() {
    let found = all(&Machine::read(&Texts::default(), program()));
    for check in &found {
        let sure = ["build", "isa", "power", "address-space"].contains(&check.id);
        assert_eq!(check.status, if sure { Status::Ok } else { Status::Unknown }, "{check:?}");
    }
    assert!(found.iter().filter(|c| c.status == Status::Unknown).count() >= 12);
    let other = all(&Machine::read(&Texts::default(), Program { os: "macos", ..program() }));
    assert!(other.iter().any(|c| c.id == "address-space" && c.status == Status::Unknown));
}

/// One trap each: the file that shows it, its text, the check, its status, and words of what to do.
#[test]
fn every_trap_is_found_with_what_to_do() {
    let cases: &[(&str, &str, &str, Status, &str)] = &[
        ("/sys/fs/cgroup/cpu.max", "150000 100000\n", "cpu-quota", Warning, "--threads 1"),
        ("/sys/fs/cgroup/cpu.max", "50000 100000\n", "cpu-quota", Warning, "--threads 1"),
        ("/proc/self/status", "Cpus_allowed_list:\t0-1\n", "cores", Note, "taskset"),
        ("/sys/devices/system/node/online", "0-1\n", "memory-nodes", Note, "numactl"),
        (&format!("{FREQUENCY}/scaling_governor"), "powersave\n", "governor", Warning, "performance"),
        ("/sys/devices/system/cpu/cpufreq/boost", "0\n", "turbo", Note, "boost"),
        ("/sys/devices/system/cpu/intel_pstate/no_turbo", "1\n", "turbo", Note, "no_turbo"),
        ("/sys/firmware/acpi/platform_profile", "low-power\n", "power", Warning, "power mode"),
        (
            "/sys/devices/system/cpu/cpu0/thermal_throttle/package_throttle_count",
            "12\n",
            "heat",
            Note,
            "cooling",
        ),
        ("/proc/pressure/cpu", "some avg10=42.00 avg60=0 avg300=0 total=1\n", "load", Warning, "--threads"),
        ("/proc/loadavg", "3.50 0 0 1/1 1\n", "load", Warning, "--threads"),
        ("/proc/stat", "cpu  900 0 50 5000 0 0 0 50 0 0\n", "steal", Warning, "turns"),
        ("/proc/meminfo", "MemTotal: 16000000 kB\nMemAvailable: 500000 kB\n", "memory", Warning, "-m MODEL"),
        (
            "/proc/meminfo",
            "MemTotal: 16000000 kB\nMemAvailable: 9000 kB\n",
            "memory",
            Status::Failure,
            "built-in",
        ),
        ("/sys/fs/cgroup/memory.max", "2000000000\n", "memory-limit", Note, "--memory"),
        (
            "/proc/meminfo",
            "MemTotal: 16000000 kB\nMemAvailable: 12000000 kB\nSwapTotal: 900000 kB\nSwapFree: 100000 kB\n",
            "swap",
            Warning,
            "disk",
        ),
        (
            "/proc/self/limits",
            "Max address space   4000000000   unlimited   bytes\n",
            "address-space",
            Warning,
            "ulimit",
        ),
        (
            "/sys/kernel/mm/transparent_hugepage/enabled",
            "always madvise [never]\n",
            "huge-pages",
            Warning,
            "madvise",
        ),
        ("/proc/self/mountinfo", "1 1 0:9 / / rw - nfs4 a:/b rw\n", "cache-folder", Warning, "local disk"),
        ("/proc/self/mountinfo", "1 1 8:1 / / ro - ext4 /dev/sda1 ro\n", "cache-folder", Warning, "HF_HOME"),
        ("/sys/dev/block/8:1/queue/rotational", "1\n", "cache-folder", Note, "SSD"),
        ("/sys/class/drm/card0/device/vendor", "0x1002\n", "gpu", Note, "--device gpu takes one"),
    ];
    for (path, text, id, status, words) in cases {
        let before = of(id, &healthy(), program()).status;
        let check = of(id, &healthy().with(path, text).with("/sys/devices/x", ""), program());
        assert_eq!(check.status, *status, "{check:?}");
        assert!(check.advice.as_ref().is_some_and(|a| a.contains(words)), "{check:?}");
        let quiet = before == Status::Ok || (*id == "cores" && before == Note) || (*id == "gpu");
        assert!(quiet, "{id} was {before:?} without {path}");
    }
}

#[test]
fn the_program_itself_is_looked_at() {
    let debug = of("build", &healthy(), Program { debug: true, ..program() });
    assert!(debug.status == Warning && debug.advice.unwrap().contains("--release"));
    let old = of("isa", &healthy(), Program { isas: vec!["portable"], ..program() });
    assert!(old.status == Warning && old.advice.unwrap().contains("-cpu host"));
    let arm = of("isa", &healthy(), Program { isas: vec!["NEON", "portable"], arch: "aarch64", ..program() });
    assert_eq!(arm.status, Note);
    let homeless = of("cache-folder", &healthy(), Program { cache: None, ..program() });
    assert!(homeless.status == Warning && homeless.advice.unwrap().contains("HF_HOME"));
    let full = Texts { free: Some(1 << 20), ..healthy() };
    assert!(of("cache-folder", &full, program()).advice.unwrap().contains("make room"));
}

#[test]
fn a_modern_driver_calls_its_normal_mode_powersave() {
    let modern = |preference: &str| {
        healthy()
            .with(&format!("{FREQUENCY}/scaling_driver"), "amd-pstate-epp\n")
            .with(&format!("{FREQUENCY}/scaling_governor"), "powersave\n")
            .with(&format!("{FREQUENCY}/energy_performance_preference"), preference)
    };
    assert_eq!(of("governor", &modern("balance_performance\n"), program()).status, Status::Ok);
    assert_eq!(of("governor", &modern("power\n"), program()).status, Warning);
}

#[test]
fn a_guest_leaves_the_clock_to_its_host() {
    let mut guest = healthy();
    guest.files.retain(|p, _| !p.contains("cpufreq") && !p.contains("thermal"));
    assert_eq!(of("governor", &guest, program()).status, Status::Unknown);
    let info = guest.files["/proc/cpuinfo"].replace("fpu avx2", "fpu hypervisor avx2");
    guest.files.insert("/proc/cpuinfo".into(), info);
    let guest = guest.with("/sys/dev/block/8:1/queue/rotational", "1\n");
    assert_eq!(of("cache-folder", &guest, program()).status, Status::Ok);
    for id in ["governor", "turbo", "heat"] {
        let check = of(id, &guest, program());
        assert!(check.status == Status::Ok && check.found.contains("host"), "{check:?}");
    }
}

#[test]
fn free_memory_is_the_least_of_system_and_group() {
    let s = healthy()
        .with("/sys/fs/cgroup/memory.max", "1500000000\n")
        .with("/sys/fs/cgroup/memory.current", "1000000000\n");
    let m = Machine::read(&s, program());
    assert_eq!((m.free_memory(), m.most_memory()), (Some(500_000_000), Some(1_500_000_000)));
    assert_eq!(of("memory", &s, program()).status, Warning);
}
