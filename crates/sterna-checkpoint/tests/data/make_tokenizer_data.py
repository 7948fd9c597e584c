#!/usr/bin/env python3
"""Makes tokenizer_golden.json and the *.vocab.gguf files beside it.

Golden ids come from two programs that share no code with this crate's rules: Hugging Face's `tokenizers` wheel
(with oniguruma, where the crate uses fancy-regex) on the models' tokenizer.json, and llama.cpp's llama_tokenize
for SmolLM2 (LLAMA_JSON: {"special": [ids per text], "plain": ...} made with ctypes on libllama).
Texts: every line of multilingual.txt, then all of them joined by newlines (kept as a hash).

    make_tokenizer_data.py ORACLE_DIR BUILTIN_DIR SMOLLM2.gguf SMOLLM2_LLAMA.json BUILTIN_LLAMA.json
"""
import json, os, sys
import gguf, tokenizers

here = os.path.dirname(os.path.abspath(__file__))
oracle, builtin, smol, smol_llama, builtin_llama = sys.argv[1:6]
lines = [json.loads(l) for l in open(os.path.join(here, "multilingual.txt"), encoding="utf-8")]
texts = lines + ["\n".join(lines)]


def fnv(ids):
    h = 0xCBF29CE484222325
    for i in ids:
        for b in i.to_bytes(4, "little"):
            h = ((h ^ b) * 0x100000001B3) & (2**64 - 1)
    return f"{h:016x}"


def golden(all_ids):
    return {"lines": all_ids[:-1], "whole": [len(all_ids[-1]), fnv(all_ids[-1])]}


def hf(path):
    t = tokenizers.Tokenizer.from_file(os.path.join(path, "tokenizer.json"))
    return golden([t.encode(x, add_special_tokens=False).ids for x in texts])


def vocab_gguf(name, arch, model, pre, tokens, types, merges=None, scores=None, extra=()):
    w = gguf.GGUFWriter(os.path.join(here, name + ".vocab.gguf"), arch)
    w.add_tokenizer_model(model)
    if pre:
        w.add_tokenizer_pre(pre)
    w.add_token_list(tokens)
    w.add_token_types(types)
    if merges is not None:
        w.add_token_merges(merges)
    if scores is not None:
        w.add_token_scores(scores)
    for add in extra:
        add(w)
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.close()


def field(path, key):
    f = gguf.GGUFReader(path).fields.get("tokenizer.ggml." + key)
    return f.contents() if f else None


out = {}
out["llama-tern-30m"] = hf(builtin)
plain = json.load(open(builtin_llama))["plain"]
out["llama-tern-30m plain"] = golden(plain)
for name in ["a_minicpm", "d_gemma4", "f_llama", "f_qwen3"]:
    out[name] = hf(os.path.join(oracle, "out", name))

# The Qwen3.5 and Gemma twins, tokenizer only.
path = os.path.join(oracle, "gguf", "c_qwen35.bf16.gguf")
vocab_gguf("qwen35", "qwen35", "gpt2", "qwen35", *(field(path, k) for k in ("tokens", "token_type", "merges")),
           extra=[lambda w: w.add_eos_token_id(0)])
path = os.path.join(oracle, "gguf", "d_gemma4.bf16.gguf")
vocab_gguf("gemma4", "gemma4", "gemma4", None, *(field(path, k) for k in ("tokens", "token_type", "merges")),
           extra=[lambda w: w.add_add_space_prefix(False), lambda w: w.add_bos_token_id(2),
                  lambda w: w.add_eos_token_id(1), lambda w: w.add_add_bos_token(True)])

# A Llama 3 style twin of f_llama.
t = json.load(open(os.path.join(oracle, "out", "f_llama", "tokenizer.json")))
vocab = dict(t["model"]["vocab"], **{a["content"]: a["id"] for a in t["added_tokens"]})
tokens = sorted(vocab, key=vocab.get)
special = {a["content"] for a in t["added_tokens"]}
vocab_gguf("llama3", "llama", "gpt2", "llama-bpe", tokens, [3 if x in special else 1 for x in tokens],
           [" ".join(m) for m in t["model"]["merges"]], extra=[lambda w: w.add_eos_token_id(0)])

# SentencePiece with scores and no merges: scores fall with the rank of the first merge that makes the token.
path = os.path.join(oracle, "gguf", "a_minicpm.tq2_0.gguf")
tokens, types, merges = (field(path, k) for k in ("tokens", "token_type", "merges"))
rank = {}
for i, m in enumerate(merges):
    rank.setdefault(m.replace(" ", "", 1), i)
vocab_gguf("spm_scores", "llama", "llama", None, tokens, types,
           scores=[-float(rank[x]) if x in rank else -10000.0 for x in tokens],
           extra=[lambda w: w.add_bos_token_id(1), lambda w: w.add_eos_token_id(2)])

# SmolLM2, with the tokens and merges that can occur in these texts: a merge fires only where its result is a
# substring of the byte-level text, so ids of these texts are those of the full vocabulary, renumbered.
def byte_level():
    keep = list(range(33, 127)) + list(range(161, 173)) + list(range(174, 256))
    table, n = {}, 0
    for b in range(256):
        if b in keep:
            table[b] = chr(b)
        else:
            table[b] = chr(256 + n)
            n += 1
    return table

table = byte_level()
text = "".join(table[b] for b in texts[-1].encode())
tokens, types, merges = (field(smol, k) for k in ("tokens", "token_type", "merges"))
merges = [m for m in merges if m.replace(" ", "", 1) in text]
kept = {x for m in merges for x in m.split(" ")} | {m.replace(" ", "", 1) for m in merges} | set(table.values())
ids = json.load(open(smol_llama))
used = {i for form in ids.values() for all_ids in form for i in all_ids}
order = [i for i, x in enumerate(tokens) if x in kept or types[i] != 1 or i in used]
new = {i: n for n, i in enumerate(order)}
vocab_gguf("smollm2", "llama", "gpt2", "smollm", [tokens[i] for i in order], [types[i] for i in order], merges,
           extra=[lambda w: w.add_bos_token_id(1), lambda w: w.add_eos_token_id(2), lambda w: w.add_add_bos_token(False),
                  lambda w: w.add_add_space_prefix(False)])
out["smollm2"] = golden([[new[i] for i in x] for x in ids["special"]])
out["smollm2 plain"] = golden([[new[i] for i in x] for x in ids["plain"]])
with open(os.path.join(here, "tokenizer_golden.json"), "w") as f:
    rows = []
    for k, v in out.items():
        body = ",\n".join("  " + json.dumps(l, separators=(",", ":")) for l in v["lines"])
        rows.append(f'{json.dumps(k)}: {{"whole": {json.dumps(v["whole"])}, "lines": [\n{body}]}}')
    f.write("{\n" + ",\n".join(rows) + "\n}\n")
