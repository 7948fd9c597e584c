//! On which file system a path lies.

use std::path::Path;

use serde::Serialize;

use super::system::System;

/// The file system under a path.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Mount {
    /// Where it is mounted.
    pub at: String,
    /// "ext4", "nfs4", ...
    pub kind: String,
    /// Whether its files come over a network, or from a host through a slow door.
    pub remote: bool,
    /// Whether nothing can be written.
    pub read_only: bool,
    /// Whether it lies on a spinning disk; `None` where nobody tells.
    pub spinning: Option<bool>,
    /// Bytes that may still be written.
    pub free: Option<u64>,
}

/// File systems whose pages come from another machine or from a host.
const REMOTE: [&str; 16] = [
    "nfs",
    "nfs4",
    "cifs",
    "smb3",
    "smbfs",
    "9p",
    "virtiofs",
    "vboxsf",
    "ceph",
    "lustre",
    "beegfs",
    "gpfs",
    "afs",
    "glusterfs",
    "ocfs2",
    "gfs2",
];

/// FUSE file systems that are local disks; every other one is taken for remote.
const LOCAL_FUSE: [&str; 6] =
    ["fuseblk", "fuse.ntfs-3g", "fuse.exfat", "fuse.fuse-overlayfs", "fuse.mergerfs", "fuse.encfs"];

/// Whether the files of such a file system are far away.
pub fn is_remote(kind: &str) -> bool {
    REMOTE.contains(&kind) || (kind.starts_with("fuse") && !LOCAL_FUSE.contains(&kind))
}

/// The file system of `path`; `None` where the system does not tell.
pub fn of(system: &dyn System, path: &Path) -> Option<Mount> {
    let real = system.resolved(path)?;
    let table = system.text("/proc/self/mountinfo")?;
    let mut best: Option<(usize, &str, Mount)> = None;
    for line in table.lines() {
        // 36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue
        let Some((left, right)) = line.split_once(" - ") else { continue };
        let left: Vec<&str> = left.split(' ').collect();
        let mut right = right.split(' ');
        let (Some(device), Some(at), Some(options), Some(kind)) =
            (left.get(2), left.get(4), left.get(5), right.next())
        else {
            continue;
        };
        let at = unescape(at);
        let depth = Path::new(&at).components().count();
        // Of two mounts at one place the later one covers the earlier.
        if real.starts_with(&at) && best.as_ref().is_none_or(|(d, ..)| depth >= *d) {
            let read_only = options.split(',').any(|o| o == "ro");
            let (kind, remote) = (kind.to_owned(), is_remote(kind));
            best = Some((depth, device, Mount { at, kind, remote, read_only, spinning: None, free: None }));
        }
    }
    let (_, device, mut mount) = best?;
    let sys = format!("/sys/dev/block/{device}");
    // A partition's queue is that of its disk.
    let flag = system
        .number(&format!("{sys}/queue/rotational"))
        .or_else(|| system.number(&format!("{sys}/../queue/rotational")));
    mount.spinning = flag.map(|f| f == 1);
    mount.free = system.free_bytes(&real);
    Some(mount)
}

/// `\040` and the like, as the kernel writes blanks in names.
fn unescape(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let octal = bytes.get(at + 1..at + 4).filter(|_| bytes[at] == b'\\');
        let code = octal.and_then(|o| u8::from_str_radix(std::str::from_utf8(o).ok()?, 8).ok());
        out.push(code.unwrap_or(bytes[at]));
        at += if code.is_some() { 4 } else { 1 };
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::system::Texts;

    const TABLE: &str = "\
27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard
30 27 0:41 / /srv/models rw,relatime shared:5 - nfs4 server:/export rw,vers=4.2
31 27 8:17 / /media/old\\040disk ro,relatime - ext4 /dev/sdb1 ro
32 27 0:50 / /home/me/far rw - fuse.sshfs me@host: rw
33 27 259:3 / /fast rw - xfs /dev/nvme0n1p3 rw
34 27 0:60 / /fast rw - overlay overlay rw
broken line
";

    #[test]
    fn the_deepest_mount_counts_and_the_later_of_two() {
        let s = Texts::new(&[
            ("/proc/self/mountinfo", TABLE),
            ("/sys/dev/block/254:0/queue/rotational", "0\n"),
            ("/sys/dev/block/8:17/../queue/rotational", "1\n"),
        ]);
        let of = |p: &str| of(&s, Path::new(p)).unwrap();
        let root = of("/home/me/model.gguf");
        assert_eq!((root.kind.as_str(), root.remote, root.spinning), ("ext4", false, Some(false)));
        assert_eq!(root.free, Some(100 << 30));
        assert!(of("/srv/models/m.gguf").remote);
        assert_eq!(of("/srv/modelsother").kind, "ext4", "a name that only begins the same");
        let old = of("/media/old disk/m.gguf");
        assert_eq!((old.read_only, old.spinning), (true, Some(true)));
        assert!(of("/home/me/far/m.gguf").remote);
        assert_eq!(of("/fast/m.gguf").kind, "overlay");
    }

    #[test]
    fn no_table_is_unknown() {
        assert_eq!(of(&Texts::default(), Path::new("/x")), None);
        assert!(of(&Texts::new(&[("/proc/self/mountinfo", "no mounts")]), Path::new("/x")).is_none());
        assert!(is_remote("fuse.gcsfuse") && !is_remote("fuseblk") && !is_remote("btrfs"));
    }
}
