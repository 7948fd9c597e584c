#!/usr/bin/env python3
"""Writes the test data of sterna-format: tests/data/vectors.bin and tests/data/frozen/*.txt.

    python3 make_vectors.py      # needs numpy and gguf (llama.cpp's gguf-py); made with gguf 0.19.0

vectors.bin holds what gguf-py makes of random blocks with awkward scales (decode) and of awkward values (encode).
Framing, little endian: b"STERNAV1", then records until the end of
    u8 kind (0 decode, 1 encode), u8 name length, name, u32 rows, u32 cols,
    u32 bytes per row, rows x bytes, rows x cols f32.

frozen/NAME.txt holds one row whose codes count 0, 1, 2, ... (power-of-two ranges skip one at each run of 16 or 32, so
that no two runs are alike and swapped nibbles show): its bytes, codes and values. The bytes are put together
here, bit by bit, from the layouts in words; gguf-py must decode them to the same values (it does not know the
engine's own rows, Q2_0, PQ2_0 and I2_S).

two_bit.bin, of the same framing, is not made here: it holds a few rows of a second implementation of Q2_0, PQ2_0 and
I2_S, made from the layouts in words with other random numbers.
"""

import pathlib
import struct

import gguf
import numpy as np

DATA = pathlib.Path(__file__).parent / "data"
QT = gguf.GGMLQuantizationType
COLS = 256
ROWS = 16

# Name, type, weights per block, bytes per block, offsets of the f16 fields.
BLOCKS = [
    ("q4_0", QT.Q4_0, 32, 18, [0]),
    ("q4_1", QT.Q4_1, 32, 20, [0, 2]),
    ("q8_0", QT.Q8_0, 32, 34, [0]),
    ("q4_k", QT.Q4_K, 256, 144, [0, 2]),
    ("q5_k", QT.Q5_K, 256, 176, [0, 2]),
    ("q6_k", QT.Q6_K, 256, 210, [208]),
    ("tq1_0", QT.TQ1_0, 256, 54, [52]),
    ("tq2_0", QT.TQ2_0, 256, 66, [64]),
]

# Smallest and largest subnormals, smallest normals, zeros of both signs, largest finite, ones.
AWKWARD = [0x0001, 0x8001, 0x03FF, 0x83FF, 0x0400, 0x0000, 0x8000, 0x7BFF, 0xFBFF, 0x3C00, 0xBC00]


def record(kind, name, packed, values):
    rows, cols = values.shape
    assert packed.shape[0] == rows and packed.dtype == np.uint8 and values.dtype == np.float32
    head = struct.pack("<BB", kind, len(name)) + name.encode()
    head += struct.pack("<III", rows, cols, packed.shape[1])
    return head + packed.tobytes() + values.astype("<f4").tobytes()


def decode_records(rng):
    for name, qtype, weights, size, halves in BLOCKS:
        count = ROWS * COLS // weights
        blocks = rng.integers(0, 256, (count, size), dtype=np.uint8)
        blocks[1] = 0xFF  # largest codes and sub-scales
        blocks[2] = 0x00
        for at in halves:
            d = rng.normal(0, 0.05, count).astype(np.float16).view(np.uint16)
            picks = rng.permutation(count)[: min(count, len(AWKWARD))]
            d[picks] = AWKWARD[: len(picks)]
            blocks[:, at : at + 2] = d.astype("<u2").view(np.uint8).reshape(-1, 2)
        packed = blocks.reshape(ROWS, -1)
        yield record(0, name, packed, gguf.dequantize(packed, qtype))
    halves = rng.integers(0, 0x7C00, (1, COLS), dtype=np.uint16) | (rng.integers(0, 2, (1, COLS), dtype=np.uint16) << 15)
    yield record(0, "f16", halves.astype("<u2").view(np.uint8), halves.view(np.float16).astype(np.float32))
    brains = rng.integers(0, 0x7F80, (1, COLS), dtype=np.uint16) | (rng.integers(0, 2, (1, COLS), dtype=np.uint16) << 15)
    yield record(0, "bf16", brains.view(np.uint8), gguf.dequantize(brains.view(np.uint8), QT.BF16))


def encode_inputs(rng):
    f32 = np.float32
    steps = np.arange(COLS)
    rows = [
        rng.normal(0, 1, COLS),
        rng.normal(0, 0.02, COLS),
        rng.normal(5, 1, COLS),
        -np.abs(rng.normal(0, 3, COLS)),
        rng.uniform(-1, 1, COLS),
        np.zeros(COLS),
        np.full(COLS, 0.7),
        np.full(COLS, -0.3),
        rng.integers(-1, 2, COLS) * 0.037,  # ternary
        np.where(steps % 2 == 0, 1.0, 0.5) * np.where(steps % 3 == 0, -1, 1),  # ties of the ternary kinds
        np.where(steps % 32 == 0, 127.0, (steps % 32 - 16) + 0.5),  # ties of q8_0
        np.where(steps % 32 == 0, -8.0, (steps % 16 - 8) + 0.5),  # ties of q4_0
        np.where(steps % 32 == 0, 0.0, np.where(steps % 32 == 1, 15.0, steps % 15 + 0.5)),  # ties of q4_1
        rng.normal(0, 1e-6, COLS),  # f16 scales are subnormal
        rng.normal(0, 4000, COLS),
        np.where(steps % 32 == 7, 60000.0, rng.normal(0, 1, COLS)),  # one far value per block
    ]
    return np.stack(rows).astype(f32)


def encode_records(rng):
    values = encode_inputs(rng)
    for name, qtype in [("q4_0", QT.Q4_0), ("q4_1", QT.Q4_1), ("q8_0", QT.Q8_0), ("tq1_0", QT.TQ1_0), ("tq2_0", QT.TQ2_0), ("bf16", QT.BF16)]:
        yield record(1, name, gguf.quantize(values, qtype), values)
    yield record(1, "f16", values.astype("<f2").view(np.uint8), values)


def put(out, byte, shift, bits):
    out[byte] |= int(bits) << shift


def f16(value):
    return np.array([value], "<f2").tobytes()


def k_scales(sc, mn):
    s = [0] * 12
    for b in range(8):
        if b < 4:
            put(s, b, 0, sc[b])
            put(s, b + 4, 0, mn[b])
        else:
            put(s, b + 4, 0, sc[b] & 15)
            put(s, b - 4, 6, sc[b] >> 4)
            put(s, b + 4, 4, mn[b] & 15)
            put(s, b, 6, mn[b] >> 4)
    return bytes(s)


def nibbles16(codes):
    qs = [0] * 16
    for k, c in enumerate(codes):
        put(qs, k % 16, k // 16 * 4, c)
    return bytes(qs)


def frozen_blocks():
    """Name, row bytes, codes, values in exact f64."""
    k32, k256 = np.arange(32), np.arange(256)
    c = (k32 + k32 // 16) % 16
    yield "q4_0", f16(0.25) + nibbles16(c), c, (c - 8) * 0.25
    yield "q4_1", f16(0.25) + f16(-1.5) + nibbles16(c), c, c * 0.25 - 1.5
    c = k32
    yield "q8_0", f16(0.5) + bytes(((c - 128) & 255).tolist()), c, (c - 128) * 0.5

    sc, mn = [1, 63, 17, 32, 5, 48, 31, 62], [0, 3, 16, 63, 40, 21, 15, 33]
    scale, shift = np.repeat(sc, 32), np.repeat(mn, 32)
    c = (k256 + k256 // 32) % 16
    qs = [0] * 128
    for k, code in enumerate(c):
        sub = k // 32
        put(qs, sub // 2 * 32 + k % 32, sub % 2 * 4, code)
    yield "q4_k", f16(0.125) + f16(0.5) + k_scales(sc, mn) + bytes(qs), c, 0.125 * scale * c - 0.5 * shift
    c = (k256 + k256 // 32) % 32
    qs, qh = [0] * 128, [0] * 32
    for k, code in enumerate(c):
        sub = k // 32
        put(qs, sub // 2 * 32 + k % 32, sub % 2 * 4, code & 15)
        put(qh, k % 32, sub, code >> 4)
    yield "q5_k", f16(0.125) + f16(0.5) + k_scales(sc, mn) + bytes(qh) + bytes(qs), c, 0.125 * scale * c - 0.5 * shift
    c = (k256 + k256 // 32) % 64
    ql, qh = [0] * 128, [0] * 64
    sc = np.array([1, -1, 127, -128, 2, 3, 5, 8, -13, 21, -34, 55, -89, 100, 64, 7])
    for k, code in enumerate(c):
        n, j, l = k // 128, k % 128 // 32, k % 32
        put(ql, 64 * n + [0, 32, 0, 32][j] + l, [0, 0, 4, 4][j], code & 15)
        put(qh, 32 * n + l, 2 * j, code >> 4)
    yield "q6_k", bytes(ql) + bytes(qh) + bytes((sc & 255).tolist()) + f16(0.25), c, 0.25 * np.repeat(sc, 16) * (c - 32)

    c = k256 % 3
    packed = []
    for first, width, digits in [(0, 32, 5), (160, 16, 5), (240, 4, 4)]:
        for m in range(width):
            base3 = sum(int(c[first + width * n + m]) * 3 ** (4 - n) for n in range(digits))
            packed.append((base3 * 256 + 242) // 243)
    yield "tq1_0", bytes(packed) + f16(0.75), c, (c - 1) * 0.75
    qs = [0] * 64
    for k, code in enumerate(c):
        put(qs, k // 128 * 32 + k % 32, k % 128 // 32 * 2, code)
    yield "tq2_0", bytes(qs) + f16(0.75), c, (c - 1) * 0.75

    c = (k256 + k256 // 32) % 4
    for name, width, scales in [("q2_0", 64, [0.75, -2.5, 0.125, 6.0]), ("pq2_0", 128, [0.75, -2.5])]:
        row = b""
        for b, d in enumerate(scales):
            qs = [0] * (width // 4)
            for j, code in enumerate(c[b * width : (b + 1) * width]):
                put(qs, j // 4, j % 4 * 2, code)
            row += f16(d) + bytes(qs)
        yield name, row, c, (c - 1) * np.repeat(scales, width)

    c = k256 % 3  # neighbouring quarters differ
    qs = [0] * 64
    for k, code in enumerate(c):
        put(qs, k // 128 * 32 + k % 32, 6 - k % 128 // 32 * 2, code)
    yield "i2_s", bytes(qs) + struct.pack("<f", 0.1), c, (c - 1) * np.float64(np.float32(0.1))

    c = k256 % 3
    words = [sum(int(c[16 * w + j]) << (2 * j) for j in range(16)) for w in range(16)]
    words = struct.pack("<16I", *words)
    halves = [0.75, 2.5, 0.125, 6.0]
    yield "ternary-64", words + b"".join(map(f16, halves)), c, (c - 1) * np.repeat(halves, 64)
    yield "ternary-128", words + f16(0.75) + f16(2.5), c, (c - 1) * np.repeat([0.75, 2.5], 128)
    yield "ternary-256", words + f16(0.75), c, (c - 1) * 0.75
    yield "ternary-row", words[:12] + struct.pack("<f", 0.1), c[:48], (c[:48] - 1) * np.float64(np.float32(0.1))
    for bits, count in ((2, 64), (4, 64), (8, 272)):
        c, zero = (np.arange(count) + np.arange(count) // 16) % (1 << bits), 1 << (bits - 1)
        if bits == 8:
            row = ((c - zero) & 255).astype(np.uint8).tobytes()
        else:
            per = c.reshape(-1, 8 // bits) << bits * np.arange(8 // bits)
            row = per.sum(1).astype(np.uint8).tobytes()
        yield f"int{bits}-row", row + struct.pack("<f", 0.1), c, (c - zero) * np.float64(np.float32(0.1))


def main():
    (DATA / "frozen").mkdir(parents=True, exist_ok=True)
    types = {name: qtype for name, qtype, *_ in BLOCKS}
    for name, row, codes, values in frozen_blocks():
        values = np.asarray(values, np.float32)
        if name not in ("q2_0", "pq2_0"):  # whose scales may be negative, and 0 times those is -0
            values = values + np.float32(0)  # no negative zeros
        if name in types:
            theirs = gguf.dequantize(np.frombuffer(row, np.uint8).reshape(1, -1), types[name])[0]
            assert np.array_equal(theirs, values), name
            values = theirs  # with the signs of zeros
        text = f"bytes {row.hex()}\ncodes {' '.join(map(str, codes))}\nvalues {' '.join(str(v) for v in values)}\n"
        if name.startswith("ternary"):
            text = text.replace(" -0.0", " 0.0")
        (DATA / "frozen" / f"{name}.txt").write_text(text)

    rng = np.random.default_rng(20240229)
    records = list(decode_records(rng)) + list(encode_records(rng))
    (DATA / "vectors.bin").write_bytes(b"STERNAV1" + b"".join(records))


main()
