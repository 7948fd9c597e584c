#!/usr/bin/env bash
# Run the CPU crate's tests as aarch64 code under an emulator, on an amd64 Debian: once on a processor with the dot
# product instructions and once on one without. Says nothing about speed. Not part of CI: it fetches half a gigabyte.
#
#     scripts/test-aarch64.sh                   sterna-cpu
#     scripts/test-aarch64.sh -p sterna-ref     another crate; arguments go to `cargo test`
#
# Needs root, cargo and Debian's apt. Compiler, standard library and emulator come from Debian unstable, whose Rust is
# new enough; they are unpacked under target/ and never installed.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null || ! command -v cargo >/dev/null; then
    echo "test-aarch64: needs root, apt-get and cargo" >&2
    exit 1
fi
repo=$PWD
work=$repo/target/aarch64-machine
root=$work/root
mkdir -p "$work"/apt/{state/lists/partial,cache/archives/partial} "$work/target"

if [ ! -e "$root/ready" ]; then
    rm -rf "$root" && mkdir -p "$root"
    # The mirror that this machine uses already.
    mirror=$(apt-get indextargets --format '$(ORIGIN) $(CODENAME) $(REPO_URI)' | awk '$1 == "Debian" && $2 !~ /-/ { print $3; exit }')
    if [ -z "$mirror" ]; then
        echo "test-aarch64: apt names no Debian mirror (run apt-get update)" >&2
        exit 1
    fi
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror sid main" >"$work/apt/sources"
    : >"$work/apt/status"
    cat >"$work/apt/conf" <<EOF
Dir::State "$work/apt/state";
Dir::State::status "$work/apt/status";
Dir::Cache "$work/apt/cache";
Dir::Etc::sourcelist "$work/apt/sources";
Dir::Etc::sourceparts "-";
APT::Architecture "amd64";
APT::Architectures { "amd64"; "arm64"; };
APT::Sandbox::User "root";
EOF
    export APT_CONFIG=$work/apt/conf
    apt-get update -qq
    apt-get install -qq -y --download-only --no-install-recommends rustc cargo libstd-rust-dev:arm64 gcc libc6-dev \
        gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user bash coreutils dash
    unset APT_CONFIG
    mkdir -p "$root"/usr/{bin,sbin,lib,lib64} "$root"/{proc,dev,tmp,src,target,registry}
    for d in bin sbin lib lib64; do ln -s "usr/$d" "$root/$d"; done
    for deb in "$work"/apt/cache/archives/*.deb; do
        dpkg-deb --fsys-tarfile "$deb" | tar x --keep-directory-symlink -C "$root"
    done
    ln -sf gcc "$root/usr/bin/cc"
    rm -f "$work"/apt/cache/archives/*.deb
    touch "$root/ready"
fi

cargo fetch --locked --quiet
if [ "$#" -gt 0 ]; then what=("$@"); else what=(-p sterna-cpu); fi

# A mount name space of its own: the mounts go with the process.
export repo work root registry="${CARGO_HOME:-$HOME/.cargo}/registry"
# shellcheck disable=SC2016
exec unshare --mount bash -euc '
    mkdir -p "$root/root/.cargo/registry"
    mount --bind "$repo" "$root/src"
    mount --bind "$work/target" "$root/target"
    mount --bind "$registry" "$root/root/.cargo/registry"
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    status=0
    for cpu in neoverse-n1 cortex-a72; do
        echo "== $cpu"
        chroot "$root" env -i HOME=/root PATH=/usr/bin:/usr/sbin CARGO_TARGET_DIR=/target CARGO_NET_OFFLINE=true \
            CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc \
            CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="qemu-aarch64 -cpu $cpu -L /usr/aarch64-linux-gnu" \
            bash -c '"'"'cd /src && exec cargo test --locked --release --no-fail-fast --target aarch64-unknown-linux-gnu "$@"'"'"' test "$@" ||
            status=1
    done
    exit "$status"
' test "${what[@]}"
