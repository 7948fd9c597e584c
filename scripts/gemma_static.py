#!/usr/bin/env python3
"""An independent reference for Gemma 4 with static activation scales, in plain numpy (float64).

    python3 scripts/gemma_static.py MODEL DEST      # needs numpy

MODEL is a small float checkpoint (tests/data/oracle/d_gemma4). DEST gets the same model quantised, in the layout of the
publisher's "mobile" checkpoints, and golden.safetensors: what this file computes for it. Nothing here is shared with the
engine; equations and layouts are written out again from their description.

Weights: attention int4, MLPs int4 in layers with keys of their own and int2 in the others, per-layer gates and projections
int8, embedding table and head int2, table of per-layer inputs int4 with a scale per layer; the projection of the
embedding stays bf16. Scales: the largest magnitude of a row (for tables: of a layer's part of it) over the largest code.
Activations: every quantised linear rounds its inputs and its outputs to int8 grids, half to even, clamped to -128 and 127;
the scales are 0.8 of what the largest value of the prompt needs, so that some values are clamped.
"""

import json
import pathlib
import shutil
import struct
import sys

import numpy as np

F64 = np.float64
# Factors, epsilons and decoded weights are f32 on both sides: a difference of one part in 10^8 before a grid moves a value to
# the next step now and then, and each such step moves all that follows.
ROOT = lambda n: F64(np.float32(1) / np.sqrt(np.float32(n)))
EPS = F64(np.float32(1e-6))


def load(path):
    data = path.read_bytes()
    (size,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + size])
    header.pop("__metadata__", None)
    out = {}
    for name, t in header.items():
        raw = data[8 + size + t["data_offsets"][0] : 8 + size + t["data_offsets"][1]]
        if t["dtype"] == "BF16":
            value = (np.frombuffer(raw, "<u2").astype(np.uint32) << 16).view(np.float32)
        else:
            value = np.frombuffer(raw, {"F32": "<f4", "I64": "<i8"}[t["dtype"]])
        out[name] = value.reshape(t["shape"])
    return out


def save(path, tensors):
    header, blobs, offset = {}, [], 0
    for name, (dtype, value) in tensors.items():
        blob = np.ascontiguousarray(value).tobytes()
        header[name] = {"dtype": dtype, "shape": list(value.shape), "data_offsets": [offset, offset + len(blob)]}
        blobs.append(blob)
        offset += len(blob)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(blobs))


def quantise(weight, bits, parts=1):
    """Codes as whole numbers and f32 scales [rows, parts]."""
    low, high = -(1 << (bits - 1)), (1 << (bits - 1)) - 1
    rows = weight.astype(F64).reshape(weight.shape[0], parts, -1)
    scale = (np.abs(rows).max(-1) / max(high, 1)).astype(np.float32)
    scale[scale == 0] = 1
    codes = np.clip(np.rint(rows / scale[..., None].astype(F64)), low, high)
    return codes.reshape(weight.shape).astype(np.int64), scale


def pack(codes, bits):
    if bits == 8:
        return "I8", codes.astype(np.int8)
    per, zero = 8 // bits, 1 << (bits - 1)
    parts = (codes + zero).reshape(codes.shape[0], -1, per) << (bits * np.arange(per))
    return "U8", parts.sum(-1).astype(np.uint8)


def grid(x, scale):
    return x if scale == 0 else np.clip(np.rint(x / F64(scale)), -128, 127) * F64(scale)


def rms(x, w=1.0):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + EPS) * w


def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def rope(x, freqs):
    angle = np.arange(x.shape[1])[:, None] * freqs
    cos, sin = np.cos(angle), np.sin(angle)
    a, b = np.split(x, 2, axis=-1)
    return np.concatenate([a * cos - b * sin, b * cos + a * sin], -1)


class Model:
    def __init__(self, config, plain):
        self.c, self.plain, self.linears, self.tables = config, plain, {}, {}
        self.scales, self.largest = {}, {}
        own = config["num_hidden_layers"] - config["num_kv_shared_layers"]
        for name, value in plain.items():
            base = name.removesuffix(".weight")
            if base == "model.embed_tokens":
                self.tables[base] = (2, *quantise(value, 2))
            elif base == "model.embed_tokens_per_layer":
                self.tables[base] = (4, *quantise(value, 4, config["num_hidden_layers"]))
            elif base.endswith("_proj") or ".per_layer_" in base and value.ndim == 2 and ".layers." in base:
                layer = int(base.split(".layers.")[1].split(".")[0])
                bits = 8 if ".per_layer_" in base else 2 if ".mlp." in base and layer >= own else 4
                self.linears[base] = (bits, *quantise(value, bits))
        self.linears["lm_head"] = self.tables["model.embed_tokens"]

    def linear(self, base, x):
        bits, codes, scale = self.linears[base]
        # Layers that read the same row have the same scale.
        shared = base.rsplit(".", 1)[0] + {"k_proj": ".q_proj", "v_proj": ".q_proj", "up_proj": ".gate_proj"}.get(
            base.rsplit(".", 1)[1], "." + base.rsplit(".", 1)[1]) if "." in base else base
        self.note(shared + ".in", x)
        y = grid(x, self.scales.get(shared + ".in", 0)) @ (codes.astype(np.float32) * scale).astype(F64).T
        self.note(base + ".out", y)
        return grid(y, self.scales.get(base + ".out", 0))

    def note(self, key, x):
        self.largest[key] = max(self.largest.get(key, 0), float(np.abs(x).max()))

    def calibrate(self, ids):
        self.forward(ids)
        self.scales = {key: np.float32(0.8 * m / 127) for key, m in self.largest.items()}

    def table(self, base, ids):
        _, codes, scale = self.tables[base]
        rows = codes[ids].reshape(len(ids), scale.shape[1], -1).astype(np.float32) * scale[ids][..., None]
        return rows.reshape(len(ids), -1).astype(F64)

    def forward(self, ids):
        c, w = self.c, {k: v.astype(F64) for k, v in self.plain.items()}
        layers, hidden, ple, n = c["num_hidden_layers"], c["hidden_size"], c["hidden_size_per_layer_input"], len(ids)
        heads, own = c["num_attention_heads"], c["num_hidden_layers"] - c["num_kv_shared_layers"]
        h = self.table("model.embed_tokens", ids) * np.sqrt(np.float32(hidden)).astype(F64)
        t = self.table("model.embed_tokens_per_layer", ids).reshape(n, layers, ple) * np.sqrt(np.float32(ple)).astype(F64)
        p = (h @ w["model.per_layer_model_projection.weight"].T * ROOT(hidden)).reshape(n, layers, ple)
        per = (rms(p, w["model.per_layer_projection_norm.weight"]) + t) * ROOT(2)
        cache = {}
        for i, kind in enumerate(c["layer_types"]):
            pre, full = f"model.layers.{i}.", kind == "full_attention"
            d = c["global_head_dim"] if full else c["head_dim"]
            base = c["rope_parameters"][kind]
            freqs = base["rope_theta"] ** (-2 * np.arange(d // 2) / d)
            if full:
                freqs[int(base["partial_rotary_factor"] * d / 2) :] = 0
            split = lambda x: x.reshape(n, -1, d).swapaxes(0, 1)
            x = rms(h, w[pre + "input_layernorm.weight"])
            lin = lambda part, x: self.linear(pre + part, x)
            q = rope(rms(split(lin("self_attn.q_proj", x)), w[pre + "self_attn.q_norm.weight"]), freqs)
            if i < own:
                k = rope(rms(split(lin("self_attn.k_proj", x)), w[pre + "self_attn.k_norm.weight"]), freqs)
                cache[kind] = (k, rms(split(lin("self_attn.v_proj", x))))
            k, v = cache[kind]
            at = np.arange(n)
            seen = at[None] <= at[:, None]
            if not full:
                seen &= at[None] > at[:, None] - c["sliding_window"]
            group = heads // k.shape[0]
            s = np.where(seen, q @ np.repeat(k, group, 0).swapaxes(1, 2), -np.inf)
            s = np.exp(s - s.max(-1, keepdims=True))
            a = (s / s.sum(-1, keepdims=True)) @ np.repeat(v, group, 0)
            a = lin("self_attn.o_proj", a.swapaxes(0, 1).reshape(n, -1))
            h = h + rms(a, w[pre + "post_attention_layernorm.weight"])
            x = rms(h, w[pre + "pre_feedforward_layernorm.weight"])
            f = lin("mlp.down_proj", gelu(lin("mlp.gate_proj", x)) * lin("mlp.up_proj", x))
            h = h + rms(f, w[pre + "post_feedforward_layernorm.weight"])
            e = gelu(lin("per_layer_input_gate", h)) * per[:, i]
            h = h + rms(lin("per_layer_projection", e), w[pre + "post_per_layer_input_norm.weight"])
            h = h * w[pre + "layer_scalar"]
        cap = c["final_logit_softcapping"]
        return cap * np.tanh(self.linear("lm_head", rms(h, w["model.norm.weight"])) / cap)

    def tensors(self):
        done, out = {b + ".weight" for b in [*self.linears, *self.tables]}, {}
        for base, (bits, codes, scale) in self.tables.items():
            out[base + ".embedding_quantized"] = pack(codes, bits)
            out[base + ".embedding_scale"] = ("F32", scale)
        for base, (bits, codes, scale) in self.linears.items():
            out[base + ".weight"] = pack(codes, bits)
            out[base + ".weight_scale"] = ("F32", scale)
            last = base.rsplit(".", 1)[-1]
            first = {"k_proj": "q_proj", "v_proj": "q_proj", "up_proj": "gate_proj"}.get(last, last)
            key = base.removesuffix(last) + first + ".in"
            out[base + ".input_activation_scale"] = ("F32", np.float32(self.scales[key]).reshape(()))
            out[base + ".output_activation_scale"] = ("F32", np.float32(self.scales[base + ".out"]).reshape(()))
        for name, value in self.plain.items():
            if name not in done:
                out[name] = ("BF16", (value.view(np.uint32) >> 16).astype(np.uint16))
        return out


def main(source, dest):
    dest.mkdir(parents=True, exist_ok=True)
    config = json.loads((source / "config.json").read_text())
    model = Model(config, load(source / "model.safetensors"))
    ids = load(source / "golden.safetensors")["input_ids"][:48]
    model.calibrate(ids)
    clamped = sum(m > 127.5 * model.scales[k] for k, m in model.largest.items())
    logits = model.forward(ids)
    save(dest / "model.safetensors", model.tensors())
    save(dest / "golden.safetensors", {"input_ids": ("I64", ids), "logits": ("F32", logits.astype(np.float32))})
    config["quantization_config"] = {"quant_method": "gemma", "module_quant_configs": {}}
    (dest / "config.json").write_text(json.dumps(config, indent=1) + "\n")
    for name in ("tokenizer.json", "tokenizer_config.json", "generation_config.json"):
        shutil.copy(source / name, dest / name)
    print(f"{clamped} of {len(model.scales)} grids clamp something; logits within {np.abs(logits).max():.2f}")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
