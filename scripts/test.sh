#!/usr/bin/env bash
# Set up what the tests need and run them all, in release. Arguments go to `cargo test`.
#
#     scripts/test.sh                      everything
#     scripts/test.sh -p sterna-format     one crate
#
# Needs cargo. The rest (a C compiler, python3 with pip, a Vulkan driver in software) is installed on Debian when it is missing and we are root.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v cargo >/dev/null; then
    echo "test: cargo is needed: install Rust with rustup" >&2
    exit 1
fi
missing=()
command -v cc >/dev/null || missing+=(gcc libc6-dev)
command -v python3 >/dev/null || missing+=(python3)
python3 -m pip --version >/dev/null 2>&1 || missing+=(python3-pip)
# A Vulkan driver in software, so that the GPU's kernels are tested on any machine; a real GPU is taken where there is one.
# Without either, tests of the GPU say that they are skipped, and fail where CI is set.
has_vulkan() {
    { compgen -G '/usr/share/vulkan/icd.d/*.json' || compgen -G '/etc/vulkan/icd.d/*.json'; } >/dev/null &&
        ldconfig -p 2>/dev/null | grep 'libvulkan\.so\.1' >/dev/null
}
if [ "$(uname -s)" = Linux ] && ! has_vulkan; then
    if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
        missing+=(mesa-vulkan-drivers libvulkan1)
    else
        echo "test: no Vulkan driver: tests of the GPU need mesa-vulkan-drivers and libvulkan1 (Debian's names)" >&2
    fi
fi
if [ "${#missing[@]}" -gt 0 ]; then
    if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
        echo "test: please install: ${missing[*]}" >&2
        exit 1
    fi
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "${missing[@]}"
fi

scripts/fetch-smollm2.sh >/dev/null

locked=()
[ -z "${CI:-}" ] || locked=(--locked)
if [ "$#" -gt 0 ]; then what=("$@"); else what=(--workspace); fi

mkdir -p target
log=target/test.log
status=0
cargo test --release --no-fail-fast "${locked[@]}" "${what[@]}" 2>&1 | tee "$log" || status=$?

# Cargo reports each test program by itself; this is their sum.
echo
sum() { awk -v what="$1;" '/^test result: / { for (i = 2; i <= NF; i++) if ($i == what) n += $(i - 1) } END { print n + 0 }' "$log"; }
passed=$(sum passed)
echo "$passed passed, $(sum failed) failed, $(sum ignored) skipped"
if [ "$passed" -eq 0 ]; then
    echo "test: no test passed" >&2
    status=1
fi
exit "$status"
