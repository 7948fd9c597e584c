#!/usr/bin/env python3
"""Writes prompts for identity runs, one {"text": ...} a line: every template with every name and thing that it meets.

    scripts/make-prompts.py 204 > prompts.jsonl
    sterna gate lossless --model MODEL --prompts prompts.jsonl -n 128 ...

The same number gives the same lines.
"""
import itertools
import json
import sys

TEMPLATES = [
    "Once upon a time {name} found a {thing} in the garden.",
    "Tell me a story about {name} and a {thing}.",
    "List five uses that {name} has for a {thing}, numbered.",
    "{name} wrote a letter about the {thing}: Dear friend,",
    "Repeat after me: the {thing} of {name}, the {thing} of {name}, the {thing} of",
    "Question: Where did {name} leave the {thing}?\nAnswer:",
    '{{"name": "{name}", "item": "{thing}", "count": 3}}\n{{"name": "{name}", "item":',
    "def {thing}s(n):\n    # {name} counts every {thing}\n    total = 0\n    for i in range(n):\n",
    "It was raining. {name} had lost the {thing} again, and the {thing} was all that {name}",
    "Write a poem in which {name} sings to a {thing}.",
    "Explain to {name} how a {thing} works, step by step.\n1.",
    "The {thing} said to {name}: \"",
]
NAMES = ["Ada", "Bram", "Chiara", "Dmitri", "Esi", "Farid", "Greta", "Hiro", "Ines"]
THINGS = ["lantern", "kite", "river stone", "clock", "teapot", "violin", "map", "turtle"]

count = int(sys.argv[1]) if len(sys.argv) == 2 else sys.exit(__doc__)
pairs = list(itertools.product(NAMES, THINGS))
if count > len(TEMPLATES) * len(pairs):
    sys.exit(f"make-prompts: at most {len(TEMPLATES) * len(pairs)} different prompts")
for n in range(count):
    name, thing = pairs[(7 * (n // len(TEMPLATES)) + n) % len(pairs)]
    print(json.dumps({"text": TEMPLATES[n % len(TEMPLATES)].format(name=name, thing=thing)}))
