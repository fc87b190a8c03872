"""Hold a model of entailment against annotated cases: does it tell contradicted statements from supported ones?

    python -m tests.bench.entailment CASES                     # the model of [semantic] in medreview.toml
    python -m tests.bench.entailment CASES --most 100          # the first 100 cases of each set

CASES is a folder as of ``evidence_training``, or one of your own labels: a file ``NAME.jsonl.gz``, one case a line,
with ``statement``, ``source_text`` and ``label`` (supported, contradicted, or anything else). A set without both of
these labels is passed over. The model is asked about every case.

AUROC of contradicted against supported statements: by the rules, by the model's contradiction alone, and by the score
of triage with it. The last line is the rule: the model may order triage where that score is better than the rules' on
the mean, and nowhere worse by more than ``MARGIN``; else set ``entailment_orders = false``.
"""

import argparse
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np

from medreview.config import load_config
from medreview.configured import meaning_of
from medreview.evidence.assess import assess
from medreview.evidence.jsonl_filter import AssessedPair
from medreview.evidence.passage_ranking import SourceIndex
from medreview.judges.entailment import configured_entailment
from medreview.semantic.similarity import Entailment, blend, entailed_of
from tests.bench.evidence_fit.cases import Case, load
from tests.bench.evidence_fit.figures import auroc

MARGIN: Final = 0.01


def held(cases: Sequence[Case], model: Entailment) -> dict[str, float]:
    """The figures of one set: the number of its cases, and AUROC by the rules, the model, and both."""
    index = cache(SourceIndex)
    pairs = [AssessedPair(one.statement, index(one.text), assess(one.statement, index(one.text))) for one in cases]
    told = entailed_of(pairs, model)
    wrong = np.array([one.label == "contradicted" for one in cases])
    scores = {
        "rules": [pair.assessment.unsupported for pair in pairs],
        "model": [one.contradicts or 0.0 for one in told],
        "both": [blend(pair.assessment, None, one) for pair, one in zip(pairs, told, strict=True)],
    }
    return {"cases": float(len(cases))} | {name: auroc(np.array(each), wrong) for name, each in scores.items()}


def of_two_labels(cases: Sequence[Case], most: int) -> dict[str, list[Case]]:
    """By set its contradicted and supported cases, where it has both."""
    sets: dict[str, list[Case]] = {}
    for case in cases:
        if case.label in ("contradicted", "supported"):
            sets.setdefault(case.name, []).append(case)
    return {name: found[:most] for name, found in sets.items() if len({one.label for one in found[:most]}) == 2}


def may_order(figures: Mapping[str, Mapping[str, float]]) -> bool:
    """Whether the score with the model is better on the mean, and on no set worse than the margin."""
    gains = [row["both"] - row["rules"] for row in figures.values()]
    return bool(gains) and sum(gains) > 0 and min(gains) >= -MARGIN


def report(cases: Sequence[Case], model: Entailment, most: int) -> list[str]:
    """The table, a line a set, and what follows from it."""
    figures = {name: held(chosen, model) for name, chosen in of_two_labels(cases, most).items()}
    lines = [model.name, f"{'contradicted against supported':32}{'cases':>7}{'rules':>8}{'model':>8}{'both':>8}"]
    for name, row in figures.items():
        lines.append(f"{name:32}{row['cases']:7.0f}{row['rules']:8.3f}{row['model']:8.3f}{row['both']:8.3f}")
    advice = "Set entailment_orders = false: it does not help here."
    return [*lines, "It may order triage." if may_order(figures) else advice]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--most", type=int, default=1_000)
    options = parser.parse_args()
    meaning = meaning_of(load_config())
    if meaning is None or meaning.entailment is None:
        parser.error("medreview.toml names no model of entailment: `entailment` under [semantic]")
    model = configured_entailment(meaning.settings, meaning.entailment)
    print(*report(load(options.cases), model, options.most), sep="\n")


if __name__ == "__main__":
    main()
