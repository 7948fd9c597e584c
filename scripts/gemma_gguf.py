#!/usr/bin/env python3
"""Write the GGUF file of a Gemma 4 checkpoint of Hugging Face, in the form that llama.cpp reads (architecture gemma4).

    scripts/gemma_gguf.py FOLDER OUT.gguf [--type f32|f16|bf16|q8_0|q4_0] [--tables TYPE]

--type is for the matrices of the layers, --tables for the embedding and the table of per-layer inputs (f16 where not
given); norms and the projection of the embedding stay f32. Values are those of the checkpoint, exactly where the type
holds them. Byte-level tokenizers (gpt2) only: the trained small model has one.

Needs the Python packages gguf and numpy. Used to hold Sterna against llama.cpp (scripts/llamacpp_greedy.py).
"""

import argparse
import json
import pathlib
import struct

import gguf
import numpy as np
from gguf import GGMLQuantizationType as Q

TOP = {
    "model.embed_tokens": "token_embd",
    "model.norm": "output_norm",
    "model.embed_tokens_per_layer": "per_layer_token_embd",
    "model.per_layer_model_projection": "per_layer_model_proj",
    "model.per_layer_projection_norm": "per_layer_proj_norm",
}
LAYER = {
    "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output", "self_attn.q_norm": "attn_q_norm", "self_attn.k_norm": "attn_k_norm",
    "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down",
    "input_layernorm": "attn_norm", "post_attention_layernorm": "post_attention_norm",
    "pre_feedforward_layernorm": "ffn_norm", "post_feedforward_layernorm": "post_ffw_norm",
    "per_layer_input_gate": "inp_gate", "per_layer_projection": "proj", "post_per_layer_input_norm": "post_norm",
    "layer_scalar": "layer_output_scale",
}


def tensors(path):
    """Names and float32 arrays of a safetensors file."""
    data = path.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    for name, t in json.loads(data[8:8 + size]).items():
        if name == "__metadata__":
            continue
        raw = data[8 + size + t["data_offsets"][0]:8 + size + t["data_offsets"][1]]
        if t["dtype"] == "BF16":
            values = (np.frombuffer(raw, np.uint16).astype(np.uint32) << 16).view(np.float32)
        else:
            values = np.frombuffer(raw, {"F16": np.float16, "F32": np.float32}[t["dtype"]]).astype(np.float32)
        yield name, values.reshape(t["shape"])


def vocabulary(w, folder, size):
    tok = json.loads((folder / "tokenizer.json").read_text())
    config = json.loads((folder / "tokenizer_config.json").read_text())
    special = {t["content"] for t in tok["added_tokens"]}
    ids = tok["model"]["vocab"] | {t["content"]: t["id"] for t in tok["added_tokens"]}
    tokens = sorted(ids, key=ids.get)
    kinds = [gguf.TokenType.CONTROL if t in special else gguf.TokenType.NORMAL for t in tokens]
    unused = [f"<unused{i}>" for i in range(size - len(tokens))]
    w.add_tokenizer_model("gpt2")
    w.add_tokenizer_pre("qwen2")
    w.add_token_list(tokens + unused)
    w.add_token_types(kinds + [gguf.TokenType.UNUSED] * len(unused))
    w.add_token_merges([m if isinstance(m, str) else " ".join(m) for m in tok["model"]["merges"]])
    w.add_eos_token_id(ids[config["eos_token"]])
    w.add_pad_token_id(ids[config["pad_token"]])
    w.add_add_bos_token(False)
    if "chat_template" in config:
        w.add_chat_template(config["chat_template"])


def main():
    cli = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cli.add_argument("folder", type=pathlib.Path)
    cli.add_argument("out", type=pathlib.Path)
    types = ["f32", "f16", "bf16", "q8_0", "q4_0"]
    cli.add_argument("--type", choices=types, default="f16")
    cli.add_argument("--tables", choices=types, default="f16")
    args = cli.parse_args()
    cfg = json.loads((args.folder / "config.json").read_text())
    layers, shared = cfg["num_hidden_layers"], cfg["num_kv_shared_layers"]
    full, sliding = (cfg["rope_parameters"][k + "_attention"] for k in ("full", "sliding"))

    w = gguf.GGUFWriter(args.out, "gemma4")
    w.add_name(args.folder.resolve().name)
    w.add_block_count(layers)
    w.add_context_length(cfg["max_position_embeddings"])
    w.add_embedding_length(cfg["hidden_size"])
    w.add_vocab_size(cfg["vocab_size"])
    w.add_head_count(cfg["num_attention_heads"])
    w.add_head_count_kv(cfg["num_key_value_heads"])
    w.add_layer_norm_rms_eps(cfg["rms_norm_eps"])
    double = 2 if cfg["use_double_wide_mlp"] else 1
    w.add_feed_forward_length([cfg["intermediate_size"] * (double if i >= layers - shared else 1) for i in range(layers)])
    for kind, dim in (("", cfg["global_head_dim"]), ("_swa", cfg["head_dim"])):
        for key in ("attention.key_length", "attention.value_length", "rope.dimension_count"):
            w.add_uint32(f"gemma4.{key}{kind}", dim)
    w.add_rope_freq_base(full["rope_theta"])
    w.add_float32("gemma4.rope.freq_base_swa", sliding["rope_theta"])
    w.add_sliding_window(cfg["sliding_window"])
    w.add_sliding_window_pattern([t == "sliding_attention" for t in cfg["layer_types"]])
    w.add_uint32("gemma4.attention.shared_kv_layers", shared)
    w.add_uint32("gemma4.embedding_length_per_layer_input", cfg["hidden_size_per_layer_input"])
    w.add_final_logit_softcapping(cfg["final_logit_softcapping"])
    vocabulary(w, args.folder, cfg["vocab_size"])

    for name, t in tensors(args.folder / "model.safetensors"):
        stem = name.removesuffix(".weight")
        if stem.startswith("model.layers."):
            _, _, layer, part = stem.split(".", 3)
            new = f"blk.{layer}.{LAYER[part]}.weight"
        else:
            new = TOP[stem] + ".weight"
        kind = args.type
        if t.ndim == 1 or new == "per_layer_model_proj.weight":
            kind = "f32"
        elif new.endswith("token_embd.weight"):
            kind = args.tables
        kind = Q[kind.upper()]
        w.add_tensor(new, gguf.quants.quantize(np.ascontiguousarray(t), kind), raw_dtype=kind)
    half = cfg["global_head_dim"] // 2
    turning = int(half * full["partial_rotary_factor"])
    w.add_tensor("rope_freqs.weight", np.array([1.0] * turning + [1e30] * (half - turning), np.float32))
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()


if __name__ == "__main__":
    main()
