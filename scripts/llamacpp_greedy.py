#!/usr/bin/env python3
"""Write what llama.cpp answers, greedily, for the prompts of a file: a golden for our tests.

    scripts/llamacpp_greedy.py MODEL.gguf PROMPTS.json OUT.json [--steps 64] [--engine DIR]

The engine is a prebuilt llama.cpp from npm (ENGINE below), fetched into target/peers/ when DIR is not given and
driven through its C interface. One thread, f16 keys and values, one token per call: no batch effects in
the numbers. Every prompt gets `steps` ids even past the end mark. A margin is the top logit minus the second:
where it is small another order of summation may rightly choose the other token.

Needs Linux on x86-64, python3, and npm for the first fetch. Nothing else in the project depends on it.
"""

import argparse
import array
import ctypes as c
import hashlib
import json
import pathlib
import subprocess
import sys
import tarfile

ENGINE = "@node-llama-cpp/linux-x64@3.21.1"
ROOT = pathlib.Path(__file__).resolve().parent.parent

# Byte offsets in the C structs of this engine version. Both structs are passed by value, in memory, so a larger
# block of bytes stands for them; the defaults read back below prove that the offsets fit.
N_GPU_LAYERS = 16
N_CTX, N_BATCH, N_UBATCH, N_SEQ_MAX, N_THREADS, N_THREADS_BATCH = 0, 4, 8, 12, 28, 32
TYPE_K, TYPE_V, TYPE_F16 = 104, 108, 1


class Params(c.Structure):
    _fields_ = [("bytes", c.c_ubyte * 4096)]

    def get(self, offset):
        return c.c_int32.from_buffer(self, offset).value

    def set(self, offset, value):
        c.c_int32.from_buffer(self, offset).value = value


class Batch(c.Structure):
    _fields_ = [("n_tokens", c.c_int32)] + [(n, c.c_void_p) for n in ("token", "embd", "pos", "n_seq", "seq", "out")]


def fetch_engine():
    home = ROOT / "target" / "peers" / "llama.cpp"
    if not home.exists():
        home.parent.mkdir(parents=True, exist_ok=True)
        run = subprocess.run(["npm", "pack", "--silent", ENGINE], cwd=home.parent, capture_output=True, text=True)
        if run.returncode:
            sys.exit(f"cannot fetch {ENGINE} with npm (offline?):\n{run.stderr}")
        with tarfile.open(home.parent / run.stdout.strip()) as tar:
            tar.extractall(home, filter="data")
    return home / "package" / "bins" / "linux-x64"


def load(engine):
    lib = c.CDLL(str(next(engine.glob("libllama.v*.so"))), mode=c.RTLD_GLOBAL)
    ptr, i32 = c.c_void_p, c.c_int32
    for name, result, *args in [
        ("llama_model_default_params", Params),
        ("llama_context_default_params", Params),
        ("llama_model_load_from_file", ptr, c.c_char_p, Params),
        ("llama_init_from_model", ptr, ptr, Params),
        ("llama_model_get_vocab", ptr, ptr),
        ("llama_vocab_n_tokens", i32, ptr),
        ("llama_tokenize", i32, ptr, c.c_char_p, i32, ptr, i32, c.c_bool, c.c_bool),
        ("llama_detokenize", i32, ptr, ptr, i32, c.c_char_p, i32, c.c_bool, c.c_bool),
        ("llama_batch_get_one", Batch, ptr, i32),
        ("llama_decode", i32, ptr, Batch),
        ("llama_get_logits_ith", ptr, ptr, i32),
        ("llama_get_memory", ptr, ptr),
        ("llama_memory_clear", None, ptr, c.c_bool),
        ("llama_version", c.c_char_p),
        ("llama_print_system_info", c.c_char_p),
    ]:
        function = getattr(lib, name)
        function.restype, function.argtypes = result, args
    return lib


def two_best(logits):
    """Index of the largest (lowest index on a tie), of the next, and their distance."""
    best = max(logits)
    first = logits.index(best)
    logits[first] = float("-inf")
    next_best = max(logits)
    return first, logits.index(next_best), round(best - next_best, 5)


def main():
    cli = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("model", "prompts", "out"):
        cli.add_argument(name, type=pathlib.Path)
    cli.add_argument("--steps", type=int, default=64)
    cli.add_argument("--engine", type=pathlib.Path, help="folder with libllama.v*.so (else fetched with npm)")
    args = cli.parse_args()

    engine = (args.engine or fetch_engine()).resolve()
    lib = load(engine)
    ggml = c.CDLL(str(engine / "libggml-base.so"), mode=c.RTLD_GLOBAL)
    ggml.ggml_version.restype = ggml.ggml_commit.restype = c.c_char_p
    silent = c.CFUNCTYPE(None, c.c_int, c.c_char_p, c.c_void_p)(
        lambda level, text, _: level == 4 and sys.stderr.write(text.decode(errors="replace")))
    lib.llama_log_set(silent, None)
    loader = c.CDLL(str(next(engine.glob("libggml.v*.so"))), mode=c.RTLD_GLOBAL)
    loader.ggml_backend_load_all_from_path(c.c_char_p(str(engine).encode()))
    lib.llama_backend_init()

    params = lib.llama_model_default_params()
    params.set(N_GPU_LAYERS, 0)
    model = lib.llama_model_load_from_file(str(args.model).encode(), params)
    if not model:
        sys.exit(f"llama.cpp cannot load {args.model}")
    params = lib.llama_context_default_params()
    defaults = [params.get(o) for o in (N_CTX, N_BATCH, N_UBATCH, TYPE_K, TYPE_V)]
    if defaults != [512, 2048, 512, TYPE_F16, TYPE_F16]:
        sys.exit(f"unexpected defaults {defaults}: this engine's structs have another layout")
    for offset, value in [(N_CTX, 1024), (N_SEQ_MAX, 1), (N_THREADS, 1), (N_THREADS_BATCH, 1)]:
        params.set(offset, value)
    context = lib.llama_init_from_model(model, params)
    if not context:
        sys.exit("llama.cpp cannot make a context")
    vocab = lib.llama_model_get_vocab(model)
    size = lib.llama_vocab_n_tokens(vocab)

    def tokenize(text):
        raw, room = text.encode(), (c.c_int32 * 4096)()
        count = lib.llama_tokenize(vocab, raw, len(raw), room, 4096, True, True)
        return list(room[:count])

    def detokenize(ids):
        room = c.create_string_buffer(65536)
        count = lib.llama_detokenize(vocab, (c.c_int32 * len(ids))(*ids), len(ids), room, 65536, False, True)
        return room.raw[:count].decode(errors="replace")

    def step(token):
        one = (c.c_int32 * 1)(token)
        if lib.llama_decode(context, lib.llama_batch_get_one(one, 1)):
            sys.exit("llama_decode failed")
        logits = array.array("f")
        logits.frombytes(c.string_at(lib.llama_get_logits_ith(context, -1), size * 4))
        return two_best(logits)

    cases = []
    for prompt in json.loads(args.prompts.read_text()):
        lib.llama_memory_clear(lib.llama_get_memory(context), True)
        ids = tokenize(prompt)
        teacher = [step(token) for token in ids]
        chosen = [teacher[-1]]
        while len(chosen) < args.steps:
            chosen.append(step(chosen[-1][0]))
        greedy = [row[0] for row in chosen]
        cases.append({
            "prompt": prompt,
            "prompt_ids": ids,
            "prompt_top1": [row[0] for row in teacher],
            "prompt_margin": [row[2] for row in teacher],
            "greedy_ids": greedy,
            "greedy_second": [row[1] for row in chosen],
            "greedy_margin": [row[2] for row in chosen],
            "greedy_text": detokenize(greedy),
        })
        print(f"{len(cases):3}  least margin {min(cases[-1]['greedy_margin']):.4f}  {cases[-1]['greedy_text'][:70]!r}")

    features = lib.llama_print_system_info().decode().removeprefix("CPU :").split("|")
    head = {
        "engine": {
            "package": ENGINE,
            "llama.cpp": lib.llama_version().decode(),
            "ggml": f"{ggml.ggml_version().decode()} {ggml.ggml_commit().decode()}",
            "features": [part.strip() for part in features if part.strip()],
        },
        "settings": "CPU, 1 thread, f16 KV, flash attention auto, one token per call",
        "model": args.model.name,
        "model_sha256": hashlib.sha256(args.model.read_bytes()).hexdigest(),
    }
    body = ",\n".join("  " + json.dumps(case, ensure_ascii=False) for case in cases)
    text = json.dumps(head, indent=1)[:-2] + ',\n "cases": [\n' + body + "\n ]\n}\n"
    json.loads(text)
    args.out.write_text(text)


if __name__ == "__main__":
    main()
