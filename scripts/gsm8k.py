#!/usr/bin/env python3
"""Answer 100 questions of GSM8K with both kinds of activations, and compare the two question by question.

    scripts/gsm8k.py tasks test.jsonl TASKS.jsonl             write the task file for `sterna gate quality`
    scripts/gsm8k.py run test.jsonl OUT -m MODEL              write it to OUT and measure
    scripts/gsm8k.py --self-test                              a few made-up questions through the first

DATA is GSM8K's test set as published: one JSON object a line with `question` and `answer`, whose last line is
`#### NUMBER` (1,319 of them). Nothing is downloaded. What is fixed, so that two people measure the same:

- Which questions: those whose SHA-256 of "SEED:question" is least, in that order (--seed 0, --items 100). The order of
  the file and the version of Python do not matter.
- The prompt: with `--style chat` (for an instructed model) one message in the model's own template, the question and
  what is asked for after it; with `--style plain` (for a base model) --shots questions with their solutions, then the
  question. The shots are the questions that come next in the same order, so none of them is asked.
- The answer: greedy, at most --max-tokens tokens; plain answers also end where the next question would begin.
- Right is an answer whose last number has the value after `####` (rule `last-number` of `sterna gate quality`).

`run` measures float activations first, then those of the model (int8 with its static scales, if it has some), and holds the
second against the first: both shares, how many questions only one got right, and McNemar's exact test of these. It
fails if accuracy drops by more than --max-drop points. What stands after `--` goes to `sterna gate quality` (`-- -t 4`).
OUT then holds tasks.jsonl, float.json, model.json, comparison.json.

Needs python3 and, for `run`, the program (target/release/sterna, or --sterna).
"""

import argparse
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
OFFICIAL = 1319
ASKED = (
    "\n\nReason step by step, then write the result on a last line of its own as `#### NUMBER`, "
    "without a unit."
)


class Bad(Exception):
    """What is wrong with the input, for people."""


def read(path):
    """[(question, solution, number)] of a GSM8K file."""
    found = []
    try:
        text = pathlib.Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as e:
        raise Bad(f"cannot read {path}: {e}") from e
    # Not splitlines(): a line of JSON may hold other separators than the new line.
    for at, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            item = json.loads(line)
            question, answer = item["question"].strip(), item["answer"].strip()
        except (ValueError, KeyError, TypeError, AttributeError) as e:
            raise Bad(f"{path}, line {at}: no GSM8K item with `question` and `answer`: {e!r}") from e
        end = re.search(r"\n?#### *(-?[0-9][0-9,]*(?:\.[0-9]+)?) *$", answer)
        if not question or not end:
            raise Bad(f"{path}, line {at}: the answer does not end with `#### NUMBER`, or there is no question")
        # The marks <<3+4=7>> are for a calculator.
        solution = re.sub(r"<<[^<>\n]*>>", "", answer[: end.start()]).strip()
        found.append((question, solution, end.group(1).replace(",", "")))
    if len({question for question, _, _ in found}) != len(found):
        raise Bad(f"{path}: a question stands there twice")
    return found


def order(items, seed):
    """The items by their hash."""
    return sorted(items, key=lambda item: hashlib.sha256(f"{seed}:{item[0]}".encode()).digest())


def tasks(items, options):
    """Lines of the task file."""
    ordered = order(items, options.seed)
    shots = options.shots if options.style == "plain" else 0
    if len(ordered) < options.items + shots:
        raise Bad(f"{len(ordered)} questions, and {options.items} to ask and {shots} to show are wanted")
    asked, shown = ordered[: options.items], ordered[options.items : options.items + shots]
    before = "".join(f"Question: {q}\nAnswer: {s}\n#### {n}\n\n" for q, s, n in shown)
    lines = []
    for question, _, number in asked:
        chat = options.style == "chat"
        lines.append(
            {
                "task": "answer",
                "form": "chat" if chat else "text",
                "judge": "last-number",
                "prompt": question + ASKED if chat else f"{before}Question: {question}\nAnswer:",
                "answers": [number],
                "stop": [] if chat else ["\nQuestion:", "\n\n"],
                "max_tokens": options.max_tokens,
            }
        )
    return lines


def write(path, items, options):
    """Writes the task file and says what it is."""
    lines = tasks(items, options)
    data = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode()
    pathlib.Path(path).write_bytes(data)
    if len(items) != OFFICIAL:
        print(f"note: {len(items)} questions in the file; the published test set has {OFFICIAL:,}", file=sys.stderr)
    sha = hashlib.sha256(data).hexdigest()
    print(f"{len(lines)} questions of {len(items)}, seed {options.seed}, {options.style}; task file SHA-256 {sha[:16]}")


def gate(options, out, name, more):
    """Runs the gate; gives its exit code and what it said as JSON."""
    command = [options.sterna, "gate", "quality", "-m", options.model, "--tasks", str(out / "tasks.jsonl")]
    command += ["--activations", name, "--save", str(out / f"{name}.json"), "--force", "--json"]
    command += [*more, *options.rest]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    try:
        return done.returncode, json.loads(done.stdout)
    except ValueError:
        raise Bad(f"`{' '.join(command)}` ended with {done.returncode} and no result") from None


def run(options):
    """Both runs and their comparison."""
    out = pathlib.Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    write(out / "tasks.jsonl", read(options.data), options)
    gate(options, out, "float", [])
    baseline = ["--baseline", str(out / "float.json"), "--max-drop", str(options.max_drop)]
    code, found = gate(options, out, "model", baseline)
    if "comparison" not in found or not found["comparison"]:
        raise Bad(f"no comparison: {json.dumps(found)[:400]}")
    comparison = found["comparison"]
    (out / "comparison.json").write_text(json.dumps(comparison, indent=1) + "\n")
    print(summary(found["model"], json.loads((out / "float.json").read_text()), found["report"], comparison))
    return code


def summary(model, before, now, comparison):
    """What the two runs say, for people."""
    lines = [f"{model}, GSM8K, greedy:"]
    for name, report in (("float activations", before), ("the model's own", now)):
        a = report["tasks"]["answer"]
        share = 100 * a["right"] / a["items"]
        lines.append(
            f"  {name}: {a['right']} of {a['items']} right ({share:.1f} %), "
            f"{a['cut']} cut off, {a['without_number']} without a number"
        )
    p = comparison["pairs"]
    lines.append(
        f"  question by question: {p['both']} right in both, {p['baseline_only']} with floats alone, "
        f"{p['now_only']} with the model's own alone, {p['neither']} in neither; McNemar, exact, two-sided: p = {p['p']:.3f}"
    )
    drop = comparison["changes"][0]["drop"]
    verdict = "PASS" if drop <= comparison["max_drop"] else "FAIL"
    lines.append(f"{verdict}: {drop:+.1f} points lost, {comparison['max_drop']:g} are allowed")
    return "\n".join(lines)


def parser():
    top = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    top.add_argument("--self-test", action="store_true", help="a few made-up questions through `tasks`")
    commands = top.add_subparsers(dest="command")
    for name in ("tasks", "run"):
        p = commands.add_parser(name)
        p.add_argument("data", help="GSM8K's test.jsonl")
        p.add_argument("out", help="task file to write" if name == "tasks" else "folder for the results")
        p.add_argument("--items", type=int, default=100)
        p.add_argument("--seed", type=int, default=0)
        p.add_argument("--style", choices=["chat", "plain"], default="chat")
        p.add_argument("--shots", type=int, default=8, help="solved questions before a plain one")
        p.add_argument("--max-tokens", type=int, default=512)
        if name == "run":
            p.add_argument("-m", "--model", required=True)
            p.add_argument("--sterna", default=str(ROOT / "target" / "release" / "sterna"))
            p.add_argument("--max-drop", type=float, default=5.0, help="percentage points (default 5)")
    return top


def made_up(n):
    """Questions in GSM8K's form, with the things in it that must be taken apart."""
    names = ["Ann", "Ben", "Zoë", "Dan"]
    for i in range(n):
        a, b = 3 + i, 1000 * (i % 3)
        solution = f"{names[i % 4]} has {a} + {b} = <<{a}+{b}={a + b}>>{a + b} eggs."
        question = f"{names[i % 4]} finds {a} eggs and buys {b}. How many eggs are there?"
        yield json.dumps({"question": question, "answer": f"{solution}\n#### {a + b:,}"}, ensure_ascii=False)


def self_test():
    """Selection, prompts and refusals; raises where one is wrong."""
    read_options = parser().parse_args
    with tempfile.TemporaryDirectory() as folder:
        data, out = pathlib.Path(folder, "test.jsonl"), pathlib.Path(folder, "tasks.jsonl")

        def made(lines, *more):
            data.write_text("\n".join(lines) + "\n", encoding="utf-8")
            options = read_options(["tasks", str(data), str(out), "--items", "5", *more])
            return tasks(read(data), options)

        lines = list(made_up(12))
        chat = made(lines)
        assert len(chat) == 5 and all(t["form"] == "chat" and t["stop"] == [] for t in chat)
        assert made(lines[::-1]) == chat, "the file's order does not matter"
        assert made(lines, "--seed", "1") != chat
        assert made(lines, "--items", "3") == chat[:3], "fewer questions are the first of more"
        # A change of the rule of selection is another protocol.
        assert [t["answers"] for t in chat] == SELF_TEST_ANSWERS, [t["answers"] for t in chat]
        assert all("," not in t["answers"][0] for t in chat)
        plain = made(lines, "--style", "plain", "--shots", "3")
        for c, p in zip(chat, plain):
            asked = c["prompt"].removesuffix(ASKED)
            assert c["answers"] == p["answers"] and p["prompt"].endswith(f"Question: {asked}\nAnswer:")
            assert p["prompt"].count(asked) == 1 and p["prompt"].count("Question:") == 4
            assert p["prompt"].count("\n#### ") == 3 and "<<" not in p["prompt"]
        for bad, why in [
            (["{"], "line 1"),
            ([lines[0], '{"question": "a"}'], "line 2"),
            (['{"question": "a", "answer": "5"}'], "NUMBER"),
            (['{"question": " ", "answer": "#### 5"}'], "no question"),
            ([lines[0]] * 2, "twice"),
            (lines[:4], "4 questions"),
        ]:
            try:
                made(bad)
            except Bad as e:
                assert why in str(e), (why, e)
            else:
                raise AssertionError(f"not refused: {why}")
    print("gsm8k: the self-test passed")


SELF_TEST_ANSWERS = [["12"], ["3"], ["1004"], ["2005"], ["2011"]]


def main():
    # What stands after `--` is for the gate.
    own, rest = sys.argv[1:], []
    if "--" in own:
        own, rest = own[: own.index("--")], own[own.index("--") + 1 :]
    options = parser().parse_args(own)
    options.rest = rest
    if options.self_test:
        self_test()
        return 0
    try:
        if options.command == "tasks":
            write(options.out, read(options.data), options)
            return 0
        if options.command == "run":
            return run(options)
    except (Bad, OSError) as e:
        print(f"gsm8k: {e}", file=sys.stderr)
        return 2
    parser().print_help()
    return 2


if __name__ == "__main__":
    sys.exit(main())
