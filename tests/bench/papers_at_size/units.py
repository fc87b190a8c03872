"""MedHalu and MedFactEval at their size."""

from collections.abc import Mapping, Sequence
from typing import Any

from tests.bench.papers_at_size.paper import EXPECTED, Paper, Records, chance, sentence
from tests.support.misbehaving import Asked


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

    return Paper([("import", answers)], expected, judges, reply=reply, skip=("hallucinations",), gold=True)


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
    files = [("import", given), ("import", texts), ("import --as facts", kept), ("import", labels)]
    return Paper(files, expected, judges, reply=reply, skip=("key facts", "choice", "texts", "themes"))
