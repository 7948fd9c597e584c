#!/usr/bin/env bash
# Measure Sterna and llama.cpp side by side: fetch what is missing, build, run.
#
#     benches/peers/run.sh                       a few minutes: small models, two layers of an 8B model
#     benches/peers/run.sh --full                whole 8B and 2B models, up to an hour
#     benches/peers/run.sh --model builtin       one model; --help shows every option
#
# Needs Linux, cargo, and for what is fetched (into target/, once): npm, and python3 with pip.
set -euo pipefail
cd "$(dirname "$0")/../.."

version=3.21.1
case $(uname -sm) in
"Linux x86_64")
    platform=linux-x64
    sha256=4b5b65a8b2611d8af94349b02d815c0f424a30a0a19aef2be5db25ecfef6730f
    ;;
"Linux aarch64")
    platform=linux-arm64
    sha256=2c4271d060429701d27c7b0fd5ba8e83b37d36c427faf97d54d003d5d73b62dd
    ;;
*)
    echo "peers: there is no prebuilt llama.cpp for $(uname -sm) here, and the harness reads /proc: run it on Linux" >&2
    exit 1
    ;;
esac

fetch_llamacpp() {
    local home=target/peers/llama.cpp scratch file
    [ ! -e "$home/package/bins/$platform/libllama.v0.4.0.so" ] || return 0
    if ! command -v npm >/dev/null; then
        echo "peers: npm is needed to fetch llama.cpp (Debian: apt-get install npm);" >&2
        echo "peers: or unpack the package @node-llama-cpp/$platform@$version into $home by hand" >&2
        exit 1
    fi
    echo "peers: fetching llama.cpp (10 MB)" >&2
    mkdir -p target/peers
    scratch=$(mktemp -d target/peers/.fetch.XXXXXX)
    # shellcheck disable=SC2064 # the name of now
    trap "rm -rf '$scratch'" EXIT
    if ! file=$(cd "$scratch" && npm pack --silent "@node-llama-cpp/$platform@$version"); then
        echo "peers: npm could not fetch @node-llama-cpp/$platform@$version. Is this machine offline?" >&2
        exit 1
    fi
    if ! echo "$sha256  $scratch/$file" | sha256sum --check --status; then
        echo "peers: @node-llama-cpp/$platform@$version does not have the expected checksum $sha256" >&2
        exit 1
    fi
    mkdir "$scratch/unpacked"
    tar -xzf "$scratch/$file" -C "$scratch/unpacked"
    rm -rf "$home"
    mv "$scratch/unpacked" "$home"
}

fetch_llamacpp
# Without it the run goes on, and says so.
scripts/fetch-smollm2.sh >/dev/null || true
# One target folder for both workspaces: other people's crates are built once.
export CARGO_TARGET_DIR=$PWD/target
cargo build --release --locked --manifest-path benches/peers/Cargo.toml
exec target/release/peers run "$@"
