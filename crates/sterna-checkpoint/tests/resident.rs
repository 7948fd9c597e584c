//! What stays in memory of a mapped file after its tensors were copied elsewhere, as the system counts it.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

mod common;

use sterna_checkpoint::Checkpoint;

/// KiB of the mapping of `path` that are in memory.
fn resident(path: &str) -> u64 {
    let smaps = std::fs::read_to_string("/proc/self/smaps").unwrap();
    let mut lines = smaps.lines().skip_while(|line| !line.ends_with(path));
    assert!(lines.next().is_some(), "{path} is not mapped");
    let rss = lines.find_map(|line| line.strip_prefix("Rss:")).unwrap();
    rss.trim().trim_end_matches(" kB").parse().unwrap()
}

#[test]
fn tensors_that_were_let_go_leave_nothing_of_their_file_in_memory() {
    let path = common::builtin().canonicalize().unwrap();
    let checkpoint = Checkpoint::open(&path).unwrap();
    let path = path.to_str().unwrap();
    // Not in the order of the file, so that neighbours come to lie in memory that were let go before.
    let mut tensors: Vec<_> = checkpoint.tensors().collect();
    tensors.sort_by_key(|t| (t.data.len(), t.name));
    let (mut sum, mut most) = (0u64, 0);
    for tensor in &tensors {
        sum += tensor.data.iter().map(|b| u64::from(*b)).sum::<u64>();
        most = most.max(resident(path));
        checkpoint.release(tensor.name);
    }
    let largest = tensors.iter().map(|t| t.data.len() as u64).max().unwrap() / 1024;
    println!("{} tensors, the largest {largest} KiB: at most {most} KiB in memory", tensors.len());
    assert!(sum > 0 && most >= largest / 2 && most < largest + 512, "{most} KiB, largest {largest}");
    assert_eq!(resident(path), 0);
    // All of it can still be read.
    assert_eq!(tensors.iter().flat_map(|t| t.data).map(|b| u64::from(*b)).sum::<u64>(), sum);
}
