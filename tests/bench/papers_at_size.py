"""Replay papers at their size: models on a local server answer by a seeded rule, people err at a known rate.

    python -m tests.bench.papers_at_size                          # every paper at its size
    python -m tests.bench.papers_at_size medhalu --part .1 --seed 7

Prints each command with its seconds and memory, and what is in the table of which the rule says the right value: the
paper's figure, the study's, and that value. Times are of this machine, with the server on it.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from tests.support.commands import MEDREVIEW, own_settings
from tests.support.http_server import Exchange
from tests.support.judge_endpoint import JudgeEndpoint, as_asked, says
from tests.support.misbehaving import Asked, read_request
from tests.support.simulated_team import chance

Records = list[dict[str, Any]]
EXPECTED = Mapping[tuple[str, str], float]
"""By figure and whose it is."""


@dataclass
class Paper:
    """Material for a replay: the files that commands bring in one after the other, the error rate of each judge, how a
    model answers, and ``expected``: the rule's figures."""

    files: Sequence[tuple[str, Records]]
    judges: Mapping[str, float]
    reply: Callable[[str, Asked], Mapping[str, Any]]
    expected: Callable[[], EXPECTED]
    skip: Sequence[str] = ()
    gold: bool = False
    """Whether judges are scored by all right labels, also of what nobody has decided."""


def sentence(*of: object) -> str:
    """A sentence that is of these words alone; it has no medical meaning."""
    code = int(chance("sentence", *of) * 10**9)
    return f"Measure {code:09d} was taken on the ward and is written here with its number."


def medhalu(part: float, seed: int) -> Paper:
    """2,077 answers in three data sets, 74% hallucinated; three judges; on a tenth three experts and laypeople."""
    sets, types = (("HealthQA", 1024), ("LiveQA", 246), ("MedicationQA", 807)), ("fact", "input", "context")
    truth: dict[str, str] = {}
    answers: Records = []
    for name, size in sets:
        for number in range(max(4, round(size * part))):
            key = (seed, name, number)
            kind = "none" if chance("kind", *key) < 0.26 else types[int(chance("type", *key) * 3)]
            text = " ".join(sentence(*key, place) for place in range(6))
            truth[text] = kind
            annotations = [
                {"annotator": f"{group} {who}", "group": group, "type": _labelled(kind, types, rate, group, who, *key)}
                for group, rate in (("expert", 0.15), ("layperson", 0.35))
                for who in range(3)
                if chance("drawn", *key) < 0.1
            ]
            answers.append(
                {"unit": "answer", "question": f"What was measured for {name} {number}?", "answer": text,
                 "correct_answer": sentence("right", *key), "model": "writer", "dataset": name,
                 "hallucination_type": kind, "hallucinated_spans": [] if kind == "none" else [sentence(*key, 2)],
                 "annotations": annotations}
            )  # fmt: skip
    judges = {"one": 0.4, "two": 0.43, "three": 0.48}

    def said(judge: str, text: str) -> str:
        return _labelled(truth[text], types, judges[judge], "judge", judge, text)

    def reply(judge: str, asked: Asked) -> Mapping[str, Any]:
        text = asked.texts["response"]
        kind = truth[text] if "expert" in asked.texts else said(judge, text)
        spans = [] if kind == "none" else [text.split(". ")[2] + "."]
        return {"spans": spans, "reason": "by the rule", "found": "no" if kind == "none" else "yes", "type": kind}

    def expected() -> EXPECTED:
        right = {
            judge: sum((said(judge, text) == "none") == (kind == "none") for text, kind in truth.items()) / len(truth)
            for judge in judges
        }
        return {("accuracy of detection", judge): share for judge, share in right.items()}

    return Paper([("import", answers)], judges, reply, expected, ("hallucinations",), gold=True)


def _labelled(kind: str, types: Sequence[str], rate: float, *who: object) -> str:
    """What somebody says who errs on so many items: none where there is one, another type or one where none is."""
    if chance("errs", *who) >= rate:
        return kind
    return "none" if kind != "none" else types[int(chance("which", *who) * len(types))]


def medfacteval(part: float, seed: int) -> Paper:
    """30 cases of 3 key facts, texts of 14 systems, 10 judges on presence and contradiction (25,200 votes), a panel of
    seven."""
    cases, systems = range(max(3, round(30 * part))), [f"system {number:02d}" for number in range(14)]
    judges = {f"juror-{number}": 0.03 + 0.01 * number for number in range(10)}
    facts = {case: [sentence(seed, "fact", case, place) for place in range(3)] for case in cases}
    states: dict[tuple[str, str], tuple[bool, bool]] = {}
    given: Records = []
    texts: Records = []
    labels: Records = []
    for case in cases:
        question = f"Write the hospital course of case {case}."
        reference = " ".join(facts[case])
        given.append({"unit": "case", "id": f"c{case}", "title": f"Case {case}", "question": question,
                      "reference": reference, "key_facts": facts[case]})  # fmt: skip
        for number, system in enumerate(systems):
            key = f"{system}, case {case}"
            lines = [f"Text of {key}."]
            for fact in facts[case]:
                present = chance("present", seed, system, fact) < 0.4 + 0.03 * number
                opposed = chance("opposed", seed, system, fact) < 0.1
                states[key, fact] = present, opposed
                lines += [fact] * present + [f"Against it: {fact[8:17]}."] * opposed
            texts.append({"id": key, "question": question, "response": " ".join(lines), "model": system})
            for who in range(7):
                for fact in facts[case]:
                    there = states[key, fact][0] != (chance("panel", who, key, fact) < 0.1)
                    labels.append({"reviewer": f"physician {who}", "response": key, "fact": fact, "exposure": "blind",
                                   "label": "present" if there else "absent"})  # fmt: skip

    def reply(judge: str, asked: Asked) -> Mapping[str, Any]:
        text, fact = asked.texts["response"], asked.texts["fact"]
        key = text.removeprefix("Text of ").partition(". ")[0].rstrip(".")
        against = "contradict" in asked.instructions.casefold().split("\n")[0]
        yes = states[key, fact][against] != (chance("vote", judge, against, key, fact) < judges[judge])
        return {"quote": text if yes else "", "reason": "by the rule", "answer": "yes" if yes else "no"}

    def expected() -> EXPECTED:
        share = {system: [there for (key, _), (there, _) in states.items() if key.startswith(system)]
                 for system in systems}  # fmt: skip
        return {("key facts that the texts say", f"{system}, by the jury"): sum(said) / len(said)
                for system, said in share.items()}  # fmt: skip

    kept = [{"question": one["question"], "facts": one["key_facts"]} for one in given]
    files = [("import", given), ("import", texts), ("facts", kept), ("import", labels)]
    return Paper(files, judges, reply, expected, skip=("key facts", "choice", "texts", "themes"))


def sourcecheckup(part: float, seed: int) -> Paper:
    """5,600 responses of seven models, five statements and two sources each: 56,000 pairs."""
    models = {f"model {number}": 0.6 + 0.05 * number for number in range(7)}
    texts: dict[str, bool] = {}
    responses: Records = []
    for model, rate in models.items():
        for number in range(max(3, round(800 * part))):
            key = (seed, model, number)
            statements = [sentence(*key, place) for place in range(5)]
            held = [[sentence("page", *key, page, place) for place in range(8)] for page in range(2)]
            for statement in statements:
                texts[statement] = chance("supported", *key, statement) < rate
                if texts[statement]:
                    held[int(chance("where", statement) * 2)].append(statement)
            place = f"https://host{number % 97}.example/{model[-1]}/{number}"
            pages = [{"url": f"{place}/{page}", "text": " ".join(lines)} for page, lines in enumerate(held)]
            responses.append({"id": f"{model} {number}", "question": f"What was measured in {number}?", "model": model,
                              "response": " ".join(statements), "origin": "texts", "pages": pages})  # fmt: skip

    def reply(judge: str, asked: Asked) -> Mapping[str, Any]:
        source, statement = asked.texts["source"], asked.texts["statement"]
        found = statement in source and chance("errs", judge, statement) >= 0.04
        label = "supported" if found else "not_addressed"
        told = {"quote": statement if found else "", "reason": "by the rule", "label": label, "confidence": 0.9}
        return cast(Mapping[str, Any], as_asked(told))

    def expected() -> EXPECTED:
        found = {statement: there and chance("errs", "judge", statement) >= 0.04 for statement, there in texts.items()}
        shares: dict[tuple[str, str], float] = {}
        for model in models:
            own = [found[one + "."] for row in responses if row["model"] == model
                   for one in row["response"].removesuffix(".").split(". ")]  # fmt: skip
            shares["statement-level support", model] = sum(own) / len(own)
        return shares

    skip = ("texts", "questions", "question check", "answers", "answers with search", "pages", "merged", "clean-up")
    return Paper([("import", responses)], {"judge": 0.04}, reply, expected, skip)


def cliniqlink(part: float, seed: int) -> Paper:
    """5,543 items, each labelled by one of twelve annotators and 45% by a second; 19.7% are flagged by the first."""
    items: Records = []
    flagged = 0
    for number in range(max(40, round(5543 * part))):
        key = (seed, "item", number)
        first = int(chance("first", *key) * 12)
        second = (first + 1 + int(chance("second", *key) * 11)) % 12
        wrong = chance("wrong", *key) < 0.197
        given = [
            {"annotator": f"annotator {who}", "relevance": 5 if chance("relevance", who, *key) < 0.97 else 4,
             "dispute": wrong != (place > 0 and chance("errs", who, *key) < 0.04)}
            for place, who in enumerate([first, second][: 1 + (chance("twice", *key) < 0.45)])
        ]  # fmt: skip
        flagged += any(one["dispute"] for one in given)
        items.append({"unit": "qa", "type": "short", "question": f"Which measure is number {number} of the ward?",
                      "answer": sentence(*key), "passage": f"{sentence(*key)} {sentence('more', *key)}",
                      "labels": given})  # fmt: skip

    def reply(judge: str, asked: Asked) -> Mapping[str, Any]:
        raise AssertionError("nobody is asked: the items come in a file")

    return Paper([("import", items)], {}, reply, lambda: {("hallucination rate", ""): flagged / len(items)},
                 ("passages", "items"))  # fmt: skip


PAPERS: Mapping[str, Callable[[float, int], Paper]] = {
    "sourcecheckup": sourcecheckup, "medhalu": medhalu, "medfacteval": medfacteval, "cliniqlink": cliniqlink,
}  # fmt: skip


def run(name: str, part: float, seed: int, folder: Path) -> None:
    """Make the material, replay the paper, and print its table beside the rule's figures."""
    paper = PAPERS[name](part, seed)

    def route(exchange: Exchange) -> None:
        body = json.loads(exchange.body)
        asked = read_request(body)
        says(json.dumps(paper.reply(body["model"], asked)), usage=(len(asked.prompt) // 3, 60))(exchange)

    with JudgeEndpoint(route) as server:
        own_settings(
            folder, "".join(server.table(judge, model=judge, timeout=60.0, concurrency=8) for judge in paper.judges)
        )
        records = sum(len(held) for _, held in paper.files)
        print(f"# {name}: {records:,} records, {len(paper.judges)} judges, seed {seed}")
        for number, (command, held) in enumerate(paper.files, 1):
            file = f"{number}.jsonl"
            (folder / file).write_text("".join(json.dumps(one) + "\n" for one in held), encoding="utf-8")
            timed(folder, [command, "s.medreview", file])
        asked = [word for judge in paper.judges for word in ("--judge", judge)]
        left = [word for step in paper.skip for word in ("--skip", step)]
        document = timed(folder, ["replay", name, "s.medreview", *asked, *left, *["--gold"] * paper.gold, "--json"])
        print(f"{len(server.received):,} requests; study of {(folder / 's.medreview').stat().st_size / 1e6:.1f} MB")
    expected = paper.expected()
    for row in json.loads(document)["figures"]:
        if (rule := expected.get((row["figure"], row["of"]))) is not None:
            print(" | ".join((row["figure"], row["of"], row["paper"], _figure(row), f"the rule {rule:.3f}")))


def _figure(row: Mapping[str, Any]) -> str:
    if row["value"] is None:
        return str(row["missing"])
    ends = "" if row["low"] is None else f" ({row['low']:.3f} to {row['high']:.3f})"
    return f"{row['value']:.3f}{ends}, n {row['n']:,}"


def timed(folder: Path, words: Sequence[str]) -> str:
    """Run a command; print what it took and return what it printed."""
    began, out, errors = time.monotonic(), folder / "out.json", folder / "errors.txt"
    own = {"XDG_CONFIG_HOME": str(folder / "config"), "XDG_STATE_HOME": str(folder / "state")}
    write = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    actions = [(os.POSIX_SPAWN_OPEN, 1, str(out), write, 0o600), (os.POSIX_SPAWN_OPEN, 2, str(errors), write, 0o600)]
    before = os.getcwd()
    os.chdir(folder)
    try:
        child = os.posix_spawn(sys.executable, [*MEDREVIEW, *words], {**os.environ, **own}, file_actions=actions)
    finally:
        os.chdir(before)
    _, status, used = os.wait4(child, 0)
    code = os.waitstatus_to_exitcode(status)
    took, busy, memory = time.monotonic() - began, used.ru_utime + used.ru_stime, used.ru_maxrss / 1e3
    print(f"medreview {' '.join(words[:3])}: {took:.1f} s, {busy:.1f} s of processor, {memory:.0f} MB")
    if code:
        raise SystemExit(f"exit code {code}\n{errors.read_text(encoding='utf-8')}")
    return out.read_text(encoding="utf-8")


def main() -> None:
    """Replay the papers that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("papers", nargs="*", choices=[*PAPERS, []], metavar="PAPER")
    parser.add_argument("--part", type=float, default=1.0, help="of the paper's size")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    for name in chosen.papers or PAPERS:
        with tempfile.TemporaryDirectory() as folder:
            run(name, chosen.part, chosen.seed, Path(folder))


if __name__ == "__main__":
    main()
