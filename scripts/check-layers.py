#!/usr/bin/env python3
"""Check that data flows one way: a crate may depend only on crates of a lower layer.

    scripts/check-layers.py               check this workspace (through `cargo metadata`)
    scripts/check-layers.py --self-test   prove that the check notices wrong edges
"""

import json
import pathlib
import subprocess
import sys

# Lowest first. Crates of one layer must not know each other.
LAYERS = [
    ["sterna-format"],
    ["sterna-checkpoint"],
    ["sterna-bundle"],
    ["sterna-plan"],
    ["sterna-ref", "sterna-cpu", "sterna-wgpu"],
    ["sterna-run"],
    ["sterna-probe"],
    ["sterna"],
]
RANK = {name: rank for rank, layer in enumerate(LAYERS) for name in layer}
ORDER = " < ".join("{" + ", ".join(layer) + "}" if len(layer) > 1 else layer[0] for layer in LAYERS)

# Tests may also look sideways or up along these edges: kernels are tested against the law.
TEST_EDGES = {("sterna-cpu", "sterna-ref"), ("sterna-wgpu", "sterna-ref")}


def faults(metadata):
    """One sentence for each thing that breaks the order."""
    found = []
    packages = {package["name"]: package for package in metadata["packages"]}
    for name in sorted(packages):
        if name not in RANK:
            found.append(f"{name} has no layer: give it one in scripts/check-layers.py.")
            continue
        for dependency in packages[name]["dependencies"]:
            other, kind = dependency["name"], dependency["kind"] or "normal"
            # A path dependency is ours even when it is not (yet) a member of the workspace.
            ours = other in RANK or other in packages or dependency.get("path")
            if not ours:
                continue
            if other not in RANK:
                found.append(f"{name} depends on {other}, which has no layer.")
            elif RANK[other] < RANK[name]:
                continue
            elif kind == "dev" and (name, other) in TEST_EDGES:
                continue
            else:
                what = {"normal": "depends on", "dev": "tests depend on", "build": "build script depends on"}[kind]
                where = "of the same layer" if RANK[other] == RANK[name] else "of a higher layer"
                found.append(f"Forbidden edge: {name} {what} {other}, {where}.")
    return found


def self_test():
    def forged(*edges):
        names = {name for edge in edges for name in edge[:2]}
        return {"packages": [{"name": name, "dependencies": [
            {"name": to, "kind": kind, "path": "crates/" + to} for start, to, kind in edges if start == name
        ]} for name in names]}

    right = [
        ("sterna-cpu", "sterna-plan", None), ("sterna-cpu", "sterna-ref", "dev"), ("sterna", "sterna-cpu", None),
        ("sterna-run", "sterna-format", None),
    ]
    wrong = [
        ("sterna-format", "sterna-plan", None),   # upward
        ("sterna-format", "sterna-ref", "dev"),   # upward in tests
        ("sterna-cpu", "sterna-ref", None),       # sideways
        ("sterna-cpu", "sterna-ref", "build"),    # sideways in a build script
        ("sterna-ref", "sterna-cpu", "dev"),      # the law must not look at what it judges
        ("sterna-run", "sterna-probe", None),     # upward, next door
        ("sterna-wgpu", "sterna-cpu", "dev"),     # sideways in tests: only the law is looked at
        ("sterna-plan", "sterna-cuda", None),     # a crate without a layer
    ]
    failures = [f"allowed edges were refused: {faults(forged(*right))}"] if faults(forged(*right)) else []
    for edge in wrong:
        sentences = faults(forged(edge))
        named = any(edge[0] in sentence and edge[1] in sentence for sentence in sentences)
        if not named:
            failures.append(f"the edge {edge} was not noticed")
    for failure in failures:
        print(f"check-layers self-test: {failure}", file=sys.stderr)
    if not failures:
        print(f"check-layers self-test: {len(right)} allowed edges pass, {len(wrong)} wrong ones are each named")
    return 1 if failures else 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    if sys.argv[1:]:
        print(__doc__, file=sys.stderr)
        return 2
    root = pathlib.Path(__file__).resolve().parent.parent
    output = subprocess.run(
        ["cargo", "metadata", "--no-deps", "--format-version", "1"], cwd=root, stdout=subprocess.PIPE, check=True
    ).stdout
    metadata = json.loads(output)
    found = faults(metadata)
    for sentence in found:
        print(sentence, file=sys.stderr)
    if found:
        print(f"The order is {ORDER}.", file=sys.stderr)
        return 1
    print(f"check-layers: {len(metadata['packages'])} crates in order: {ORDER}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
