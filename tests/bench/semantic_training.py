"""Fit the blend of rules and model of meaning on annotated cases; see what holds on a set that was not seen.

    python -m tests.bench.semantic_training CASES            # table: rules, fitted on all sets, each set left out
    python -m tests.bench.semantic_training CASES --write    # and write blend.toml

CASES is a folder as of ``evidence_training``; lines without a statement, and those whose ``tasks`` have no "verdict",
are passed over. Of a set with many ``medical`` lines these are shown alone, too.

A logistic regression of "not supported" with three weights, and with an intercept for each set, so that no set's share
of unsupported statements is learnt. Sets without ``tasks`` are statements of language models, for which the blend is
made: each weighs as much as ten others. A weight keeps its sign; nothing is drawn at random. To be given again when
the rules have changed. The packaged encoder is used, which gives vectors of words: the fit serves others by their
scale.
"""

import argparse
import gzip
import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from medreview.evidence.assess import assess
from medreview.evidence.jsonl_filter import AssessedPair
from medreview.evidence.passage_ranking import SourceIndex
from medreview.semantic import similarity as home
from medreview.semantic.minilm import MiniLM
from medreview.semantic.similarity import BlendWeights, Similarity, nearness_of, signs
from tests.bench.evidence_fit.figures import auroc, found_early, show
from tests.bench.evidence_fit.trial_weights import Floats, climb

TOGETHER = 64
"""Pairs of which the encoder is asked at once."""
OF_MODELS = 10.0
"""What a set of statements of language models weighs."""
MANY = 30
"""Medical cases for which a figure is worth its place."""
SIGNS = np.array([1.0, -1.0, 1.0])
"""Of the weights: rules, nearness, clash."""


class Judged(NamedTuple):
    """The cases of one set: what is weighed, a row a case; whether each is wrong; whether it is of medicine."""

    rows: Floats
    wrong: NDArray[np.bool_]
    medical: NDArray[np.bool_]
    weight: float = 1.0


def load(folder: Path, similarity: Similarity) -> dict[str, Judged]:
    """The sets of a folder, by name."""
    found = {}
    for path in sorted(folder.glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            cases = [row for row in map(json.loads, lines) if "verdict" in row.get("tasks", ["verdict"])]
        if cases := [row for row in cases if "statement" in row]:
            found[path.name.removesuffix(".jsonl.gz")] = judged(cases, similarity)
    return found


def judged(cases: Sequence[Mapping[str, str]], similarity: Similarity) -> Judged:
    """Cases with what is weighed of them; those of a source without a passage are left out."""
    index = cache(SourceIndex)
    pairs = [
        AssessedPair(row["statement"], index(row["source_text"]), assess(row["statement"], index(row["source_text"])))
        for row in cases
    ]
    near = [
        found for at in range(0, len(pairs), TOGETHER) for found in nearness_of(pairs[at : at + TOGETHER], similarity)
    ]
    there = [(row, pair, found) for row, pair, found in zip(cases, pairs, near, strict=True) if found]
    return Judged(
        np.array([signs(pair.assessment, found.near) for _, pair, found in there]),
        np.array([row["label"] != "supported" for row, _, _ in there]),
        np.array([bool(row.get("medical")) for row, _, _ in there]),
        1.0 if "tasks" in cases[0] else OF_MODELS,
    )


def fit(sets: Sequence[Judged]) -> BlendWeights:
    """Weights that tell unsupported statements from supported ones within each set."""
    count = len(SIGNS)

    def gradient(at: Floats) -> Floats:
        slope = np.zeros_like(at)
        for number, one in enumerate(sets, count):
            chance = 1 / (1 + np.exp(-(one.rows @ at[:count] + at[number])))
            off = one.weight * (one.wrong - chance) / len(one.wrong)
            slope[:count] += one.rows.T @ off
            slope[number] = off.sum()
        return slope

    def keep(at: Floats) -> Floats:
        return np.concatenate([np.where(at[:count] * SIGNS > 0, at[:count], 0.0), at[count:]])

    fitted = climb(gradient, np.concatenate([SIGNS, np.zeros(len(sets))]), keep)
    rules, near, clash = (round(float(value), 2) for value in fitted[:count])
    return BlendWeights(round(float(fitted[count:].mean()), 2), rules, near, clash)


def figures(sets: Mapping[str, Judged], chosen: Mapping[str, BlendWeights]) -> dict[str, dict[str, float]]:
    """The figures of each set under the weights chosen for it."""
    rows = {}
    for name, one in sets.items():
        scores = one.rows @ np.array(chosen[name][1:])
        rows[name] = {"AUROC": auroc(scores, one.wrong), "rec@20%": found_early(scores, one.wrong)}
        many = one.medical.sum() >= MANY
        rows[name]["medical"] = auroc(scores[one.medical], one.wrong[one.medical]) if many else float("nan")
    return rows


def write(chosen: BlendWeights, path: Path) -> None:
    """Put the numbers into the file; its comments stay."""
    text = path.read_text(encoding="utf-8")
    for name, value in chosen._asdict().items():
        text = re.sub(rf"^({name} = )[-\d.]+", rf"\g<1>{float(value)}", text, flags=re.MULTILINE)
    path.write_text(text, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    sets = load(options.cases, Similarity(MiniLM()))
    fitted = fit(list(sets.values()))
    show("the rules alone", figures(sets, dict.fromkeys(sets, BlendWeights(0.0, 1.0, 0.0, 0.0))))
    show("nearness alone", figures(sets, dict.fromkeys(sets, BlendWeights(0.0, 0.0, -1.0, 0.0))))
    show("weights of the file", figures(sets, dict.fromkeys(sets, home.load())))
    show("fitted on all sets", figures(sets, dict.fromkeys(sets, fitted)))
    left = {name: fit([one for other, one in sets.items() if other != name]) for name in sets}
    show("fitted on the other sets", figures(sets, left))
    print(f"\n{fitted}")
    if options.write:
        write(fitted, Path(home.__file__).with_name("blend.toml"))


if __name__ == "__main__":
    main()
