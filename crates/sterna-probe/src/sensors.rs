//! What the machine tells between rounds: CPU use of others, the speed of its clock, load and temperature.

use std::hint::black_box;
use std::time::Instant;

use crate::clock::{CpuMeter, CpuTime, SystemMeter};
use crate::machine::Weather;

/// Reads the machine; a mock in tests.
pub trait Sensors {
    /// CPU time used so far.
    fn cpu(&mut self) -> Option<CpuTime>;
    /// Steps a second of one core in a fixed chain of dependent operations, which nothing but the clock changes.
    fn speed(&mut self) -> Option<f64>;
    /// Load, clock and temperature.
    fn weather(&mut self) -> Weather;
}

/// This machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemSensors;

/// Steps of one spin: about 50 microseconds at 3 GHz.
const STEPS: u64 = 40_000;
/// Spins of a reading; the fastest counts, since a spin may lose its core.
const SPINS: usize = 3;

impl Sensors for SystemSensors {
    fn cpu(&mut self) -> Option<CpuTime> {
        SystemMeter.sample()
    }
    fn speed(&mut self) -> Option<f64> {
        let one = || {
            let start = Instant::now();
            black_box(spin(black_box(STEPS)));
            start.elapsed().as_secs_f64()
        };
        let best = (0..SPINS).map(|_| one()).fold(f64::INFINITY, f64::min);
        (best > 0.0 && best.is_finite()).then(|| STEPS as f64 / best)
    }
    fn weather(&mut self) -> Weather {
        Weather { load: load(), mhz: mhz(), celsius: celsius() }
    }
}

/// A chain in which each step waits for the one before.
pub(crate) fn spin(steps: u64) -> u64 {
    let mut x = 0x9e37_79b9_7f4a_7c15u64;
    for _ in 0..steps {
        x = x.wrapping_mul(0xbf58_476d_1ce4_e5b9) ^ 1;
    }
    x
}

fn load() -> Option<f64> {
    if cfg!(target_os = "linux") {
        first_number(&std::fs::read_to_string("/proc/loadavg").ok()?)
    } else {
        None
    }
}

fn mhz() -> Option<f64> {
    // In kHz where a governor reports it; virtual machines only have the processor's table.
    let khz = files("/sys/devices/system/cpu", "cpu", "cpufreq/scaling_cur_freq");
    if let Some(best) = khz {
        return Some(best / 1e3);
    }
    mhz_of(&std::fs::read_to_string("/proc/cpuinfo").ok()?)
}

fn celsius() -> Option<f64> {
    files("/sys/class/thermal", "thermal_zone", "temp").map(|milli| milli / 1e3)
}

/// Greatest number in `folder/prefix*/file`.
fn files(folder: &str, prefix: &str, file: &str) -> Option<f64> {
    let entries = std::fs::read_dir(folder).ok()?.filter_map(Result::ok);
    let named = entries.filter(|e| e.file_name().to_string_lossy().starts_with(prefix));
    let read = named.filter_map(|e| first_number(&std::fs::read_to_string(e.path().join(file)).ok()?));
    read.reduce(f64::max)
}

fn first_number(text: &str) -> Option<f64> {
    text.split_ascii_whitespace().next()?.parse().ok().filter(|x: &f64| x.is_finite())
}

fn mhz_of(cpuinfo: &str) -> Option<f64> {
    let lines = cpuinfo.lines().filter_map(|l| l.strip_prefix("cpu MHz")?.split_once(':'));
    lines.filter_map(|(_, value)| first_number(value)).reduce(f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn system_files_are_read() {
        assert_eq!(first_number("0.52 0.58 0.59 1/97 3\n"), Some(0.52));
        assert_eq!(first_number(""), None);
        assert_eq!(first_number("nan"), None);
        assert_eq!(mhz_of("processor: 0\ncpu MHz\t\t: 2445.4\n\ncpu MHz\t\t: 3245.1\n"), Some(3245.1));
        assert_eq!(mhz_of("Features: fp\n"), None);
    }

    #[test]
    fn the_spin_does_its_steps() {
        assert_ne!(spin(1), spin(2));
        let speed = SystemSensors.speed().unwrap();
        assert!(speed > 1e6, "{speed}");
    }
}
