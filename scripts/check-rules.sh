#!/usr/bin/env bash
# House rules that neither the compiler nor clippy can see. Prints each breach, fails if there is one.
set -euo pipefail
cd "$(dirname "$0")/.."

limit=800
bad=0

mapfile -t sources < <(find crates tests fuzz benches -name target -prune -o -name '*.rs' -print 2>/dev/null | sort)
if [ "${#sources[@]}" -eq 0 ]; then
    echo "check-rules: found no Rust files: run it inside the project" >&2
    exit 1
fi

for file in "${sources[@]}"; do
    lines=$(wc -l <"$file")
    if [ "$lines" -gt "$limit" ]; then
        echo "$file has $lines lines: past $limit a file is two files" >&2
        bad=1
    fi
done

# Reading the environment is the command line's right alone. (The compile-time macro env! is another thing.)
for file in "${sources[@]}"; do
    case $file in crates/sterna/*) continue ;; esac
    if grep -nE '\benv::(var|vars|var_os|vars_os|set_var|remove_var)\b' "$file" /dev/null >&2; then
        echo "  ^ environment variables are read in crates/sterna only: pass a value instead" >&2
        bad=1
    fi
done

# What `from_fn` calls is compiled without the kernel's instruction set where the compiler does not inline it: at 16 rows
# it did not, and calls took twice the time.
mapfile -t kernels < <(find crates/sterna-cpu/src/linear/avx2* crates/sterna-cpu/src/linear/avx512* -name '*.rs')
if grep -n 'from_fn' "${kernels[@]}" /dev/null >&2; then
    echo "  ^ kernels of intrinsics fill arrays in loops" >&2
    bad=1
fi

[ "$bad" -eq 0 ] && echo "check-rules: ${#sources[@]} Rust files keep the house rules"
exit "$bad"
