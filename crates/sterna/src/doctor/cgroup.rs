//! What a control group (a container, a batch job, a service) takes away from this process.

use serde::Serialize;

use super::system::System;

/// Limits of the control groups that this process is in; the tightest of all levels counts.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Cgroup {
    /// Cores' worth of time a second; `None` for no limit.
    pub cpus: Option<f64>,
    /// Bytes of memory; `None` for no limit.
    pub memory: Option<u64>,
    /// Bytes below that limit that are free, file pages that can be dropped counted as free.
    pub memory_free: Option<u64>,
}

/// Version 1 writes "no limit" as a number near 2^63.
const NO_LIMIT: u64 = 1 << 60;

/// `None` where the system does not tell.
pub fn read(system: &dyn System) -> Option<Cgroup> {
    let lines = system.text("/proc/self/cgroup")?;
    let mut found = Cgroup::default();
    for line in lines.lines() {
        let mut parts = line.splitn(3, ':');
        let (Some(_), Some(controllers), Some(path)) = (parts.next(), parts.next(), parts.next()) else {
            continue;
        };
        if controllers.is_empty() {
            for folder in levels("/sys/fs/cgroup", path) {
                unified(system, &folder, &mut found);
            }
        } else if controllers.split(',').any(|c| c == "memory") {
            for folder in levels(&format!("/sys/fs/cgroup/{controllers}"), path) {
                let limit = system.number(&format!("{folder}/memory.limit_in_bytes"));
                let used = system.number(&format!("{folder}/memory.usage_in_bytes"));
                let stat = system.text(&format!("{folder}/memory.stat")).unwrap_or_default();
                let reclaim = field(&stat, "total_inactive_file").or_else(|| field(&stat, "inactive_file"));
                found.memory(limit.filter(|l| *l < NO_LIMIT), used, reclaim);
            }
        } else if controllers.split(',').any(|c| c == "cpu") {
            for folder in levels(&format!("/sys/fs/cgroup/{controllers}"), path) {
                // A quota of -1 is none, and no number here.
                let quota = system.number(&format!("{folder}/cpu.cfs_quota_us"));
                found.cpu(quota, system.number(&format!("{folder}/cpu.cfs_period_us")));
            }
        }
    }
    Some(found)
}

fn unified(system: &dyn System, folder: &str, found: &mut Cgroup) {
    if let Some(text) = system.text(&format!("{folder}/cpu.max")) {
        let mut words = text.split_whitespace();
        let quota = words.next().and_then(|w| w.parse().ok());
        found.cpu(quota, words.next().and_then(|w| w.parse().ok()));
    }
    let used = system.number(&format!("{folder}/memory.current"));
    let stat = system.text(&format!("{folder}/memory.stat")).unwrap_or_default();
    // Above `high` the kernel slows a group down until it is of no use, so it is a limit too.
    for name in ["memory.max", "memory.high"] {
        found.memory(system.number(&format!("{folder}/{name}")), used, field(&stat, "inactive_file"));
    }
}

impl Cgroup {
    fn cpu(&mut self, quota: Option<u64>, period: Option<u64>) {
        let (Some(quota), Some(period)) = (quota, period.filter(|p| *p > 0)) else { return };
        let cpus = quota as f64 / period as f64;
        self.cpus = Some(self.cpus.map_or(cpus, |c| c.min(cpus)));
    }

    fn memory(&mut self, limit: Option<u64>, used: Option<u64>, reclaim: Option<u64>) {
        let Some(limit) = limit else { return };
        self.memory = Some(self.memory.map_or(limit, |m| m.min(limit)));
        if let Some(used) = used {
            let free = limit.saturating_sub(used.saturating_sub(reclaim.unwrap_or(0)));
            self.memory_free = Some(self.memory_free.map_or(free, |f| f.min(free)));
        }
    }
}

/// The folders of a group and of all above it. Inside a container the path may be that of the host, of which only the
/// root is to be seen here; a folder that is not there tells nothing.
fn levels(root: &str, path: &str) -> Vec<String> {
    let mut all = vec![root.to_owned()];
    let mut folder = root.to_owned();
    for part in path.split('/').filter(|p| !p.is_empty() && *p != "..") {
        folder = format!("{folder}/{part}");
        all.push(folder.clone());
    }
    all
}

/// "name 123" of `memory.stat`.
fn field(text: &str, name: &str) -> Option<u64> {
    text.lines().find_map(|l| l.strip_prefix(name)?.strip_prefix(' ')?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::system::Texts;

    #[test]
    fn version_2_takes_the_tightest_level() {
        let s = Texts::new(&[
            ("/proc/self/cgroup", "0::/user.slice/job\n"),
            ("/sys/fs/cgroup/user.slice/cpu.max", "150000 100000\n"),
            ("/sys/fs/cgroup/user.slice/job/cpu.max", "max 100000\n"),
            ("/sys/fs/cgroup/user.slice/memory.max", "4000\n"),
            ("/sys/fs/cgroup/user.slice/memory.current", "1000\n"),
            ("/sys/fs/cgroup/user.slice/memory.stat", "anon 700\ninactive_file 300\n"),
            ("/sys/fs/cgroup/user.slice/job/memory.max", "max\n"),
            ("/sys/fs/cgroup/user.slice/job/memory.current", "900\n"),
        ]);
        let found = read(&s).unwrap();
        assert_eq!(found, Cgroup { cpus: Some(1.5), memory: Some(4000), memory_free: Some(3300) });
        let s = s.with("/sys/fs/cgroup/user.slice/job/memory.high", "950\n");
        assert_eq!(read(&s).unwrap().memory_free, Some(50));
    }

    #[test]
    fn version_1_and_a_container_that_sees_only_the_root() {
        let s = Texts::new(&[
            ("/proc/self/cgroup", "4:memory:/host/only/path\n2:cpu,cpuacct:/host\n0::/\n"),
            ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "2000\n"),
            ("/sys/fs/cgroup/memory/memory.usage_in_bytes", "500\n"),
            ("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "50000\n"),
            ("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n"),
        ]);
        let found = read(&s).unwrap();
        assert_eq!(found, Cgroup { cpus: Some(0.5), memory: Some(2000), memory_free: Some(1500) });
        let free = s
            .with("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n")
            .with("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
        assert_eq!(read(&free), Some(Cgroup::default()));
    }

    #[test]
    fn what_is_not_told_is_unknown_and_nonsense_is_no_limit() {
        assert_eq!(read(&Texts::default()), None);
        let s = Texts::new(&[
            ("/proc/self/cgroup", "nonsense\n0::/\n"),
            ("/sys/fs/cgroup/cpu.max", "100000 0\n"),
            ("/sys/fs/cgroup/memory.max", "-12\n"),
        ]);
        assert_eq!(read(&s), Some(Cgroup::default()));
    }
}
