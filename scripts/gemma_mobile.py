#!/usr/bin/env python3
"""Writes a small quantised Gemma 4 in the layout of its publisher's "mobile" checkpoints.

    python3 scripts/gemma_mobile.py MODEL DEST

MODEL is a Hugging Face directory with, beside model.safetensors, quant.safetensors: for every quantised module
`weight_codes` (int8), `weight_scale` [rows, 1] and, but for tables, `input_scale`. DEST gets config.json with a
`quantization_config`, model.safetensors and the tokenizer. Standard library only; no value changes.

The layout: linears as `weight` (U8, 2- or 4-bit codes plus the middle of their range, the first in the low bits; I8 for
8 bits) with `weight_scale`, `input_activation_scale` and `output_activation_scale` (0: not rounded); tables as
`embedding_quantized` and `embedding_scale`.
"""

import json
import pathlib
import shutil
import struct
import sys

TABLES = ("model.embed_tokens", "model.embed_tokens_per_layer")


def load(path):
    data = path.read_bytes()
    (size,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + size])
    header.pop("__metadata__", None)
    cut = lambda span: data[8 + size + span[0] : 8 + size + span[1]]
    return {name: (t["dtype"], t["shape"], cut(t["data_offsets"])) for name, t in header.items()}


def save(path, tensors):
    header, offset = {}, 0
    for name, (dtype, shape, data) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [offset, offset + len(data)]}
        offset += len(data)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text)
        for _, _, data in tensors.values():
            out.write(data)


def pack(codes, bits):
    """Signed bytes to packed midpoint codes."""
    per, zero = 8 // bits, 1 << (bits - 1)
    table = bytes((b + zero) & (2 * zero - 1) for b in range(256))
    shifted = codes.translate(table)
    parts = [shifted[j::per] for j in range(per)]
    return bytes(sum(c << (bits * j) for j, c in enumerate(group)) for group in zip(*parts))


def width(name):
    """Bits of a module's codes: which modules have how many is part of the recipe, see the model's README."""
    if name in TABLES or "per_layer" in name:
        return 8
    layer = int(name.split(".layers.")[1].split(".")[0])
    return 2 if ".mlp." in name and layer >= 4 else 4


def main(source, dest):
    quant, plain = load(source / "quant.safetensors"), load(source / "model.safetensors")
    dest.mkdir(parents=True, exist_ok=True)
    modules = sorted(n.removesuffix(".weight_codes") for n in quant if n.endswith(".weight_codes"))
    out = {}
    for name in modules:
        (_, shape, codes), (_, _, scale) = quant[name + ".weight_codes"], quant[name + ".weight_scale"]
        bits = width(name)
        signed = struct.unpack(f"{len(codes)}b", codes)
        assert -(1 << (bits - 1)) <= min(signed) and max(signed) < 1 << (bits - 1), name
        packed = ("I8", shape, codes) if bits == 8 else ("U8", [shape[0], shape[1] * bits // 8], pack(codes, bits))
        if name in TABLES:
            out[name + ".embedding_quantized"] = packed
            out[name + ".embedding_scale"] = ("F32", [shape[0], 1], scale)
            continue
        out[name + ".weight"] = packed
        out[name + ".weight_scale"] = ("F32", [shape[0], 1], scale)
        out[name + ".input_activation_scale"] = ("F32", [], quant[name + ".input_scale"][2])
        out[name + ".output_activation_scale"] = ("F32", [], struct.pack("<f", 0.0))
    done = {name + ".weight" for name in modules}
    out |= {name: tensor for name, tensor in plain.items() if name not in done}
    save(dest / "model.safetensors", out)
    config = json.loads((source / "config.json").read_text())
    config.pop("low_bit", None)
    config["quantization_config"] = {
        "quant_method": "gemma",
        "module_quant_configs": {
            "mlp\\.": {"num_bits": 2},
            "self_attn": {"num_bits": 4},
            "per_layer|embed_tokens": {"num_bits": 8},
        },
    }
    rules = config["quantization_config"]["module_quant_configs"]
    own = config["num_hidden_layers"] - config["num_kv_shared_layers"]
    first = {f"layers\\.[0-{own - 1}]\\.mlp\\.": {"num_bits": 4}}
    config["quantization_config"]["module_quant_configs"] = first | rules
    (dest / "config.json").write_text(json.dumps(config, indent=1) + "\n")
    for name in ("tokenizer.json", "tokenizer_config.json", "generation_config.json"):
        shutil.copy(source / name, dest / name)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
