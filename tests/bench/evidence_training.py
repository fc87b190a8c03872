"""Fit the weights of ranking and of triage on annotated cases; see what holds on a set that was not seen.

    python tests/bench/evidence_training.py CASES                     # table: all sets, and each left out
    python tests/bench/evidence_training.py CASES --leave-out wice    # one set left out
    python tests/bench/evidence_training.py CASES --write             # fit on all, write weights.toml

CASES is a folder of ``NAME.jsonl.gz``, one file a set, one case a line:

    id, statement, source_text   texts; all ranges count code points of source_text, the end not included
    sentences                    ranges of the annotators' sentences, in order
    gold_sets                    lists of sentence numbers: each list is enough evidence by itself
    label                        supported, or anything else (contradicted, partial, not_found)
    tasks                        "evidence": counts for ranking; "verdict": counts for triage

Lines without a statement are passed over. What is fitted:

- ranking: a passage's score is a sum of weights times features, so ``[ranking]`` is a conditional logit: the chance
  that the passage with the highest score is one that the annotators named. Every set weighs the same. Weights are drawn
  towards ``EXPECTED``: what a set cannot show (web pages have no results section) stays as a reader would have it.
- triage: ``[triage]`` is a logistic regression of "not supported", with an intercept for each set, so that no set's
  share of unsupported statements is learnt. A weight keeps its sign. Weights are drawn towards one common size, not to
  zero: a rare clash keeps its say.

Features are read by asking the package's own functions with one weight at a time. Nothing is drawn at random: the same
cases give the same weights.
"""

import argparse
import gzip
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from math import log
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from medreview.evidence import weights as home
from medreview.evidence.assess import assess
from medreview.evidence.ranking import SourceIndex
from medreview.evidence.weights import Weights

SET_BY_HAND = {
    "ranking": frozenset({"k1", "b", "finding_most", "short_terms", "length_most"}),
    "triage": frozenset({"bias", "steepness", "little_covered", "well_covered"}),
}
"""Borders and shapes, not weights: they are left as they are."""
TEXT_WEIGHTS = ("bm25", "coverage", "share")
"""The sum of these stays as it is: scores keep their scale."""
EXPECTED = {
    "bm25": 4.0, "coverage": 4.0, "share": 1.0, "quantity": 1.0,
    "finding": 0.4, "heading": -1.0, "short": -1.0, "length": -0.4,
    "sections.title": -1.0, "sections.background": -1.0, "sections.methods": -1.0, "sections.results": 1.0,
    "sections.conclusion": 1.0, "sections.references": -1.0,
}  # fmt: skip
"""Ranking weights before any case was seen, in log odds; a name that is not here starts from 0."""
TEXT_UNIT = 5.0
"""What one of the others is to a weight of the text: features of the text are shares, the others are mostly 0 or 1."""
RIDGE = 0.05
"""How much ranking weights are drawn to what is expected."""
PULL = 0.3
"""How much triage weights are drawn to the common size."""
COMMON = 0.8
"""What triage weights are drawn to, with their sign."""
STEPS = 1500
RATE = 0.05
EVERYTHING = 1_000_000

Floats = NDArray[np.float64]


class Case(NamedTuple):
    """One annotated case; ``name`` is that of its set."""

    name: str
    statement: str
    text: str
    sentences: list[tuple[int, int]]
    gold_sets: list[list[int]]
    label: str
    tasks: list[str]


class Candidates(NamedTuple):
    """The passages of one case: features, and which of them the annotators named."""

    name: str
    features: Floats
    gold: NDArray[np.bool_]


def load(folder: Path) -> list[Case]:
    """The cases with a statement, in order of file and line."""
    found = []
    for path in sorted(folder.glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for row in map(json.loads, lines):
                if "statement" in row:
                    sentences = [(start, end) for start, end in row["sentences"]]
                    sets = [numbers for numbers in row["gold_sets"] if numbers]
                    name = path.name.removesuffix(".jsonl.gz")
                    found.append(
                        Case(name, row["statement"], row["source_text"], sentences, sets, row["label"], row["tasks"])
                    )
    return found


# --- asking the package with other weights


@contextmanager
def using(chosen: Weights) -> Iterator[None]:
    """Everything in ``medreview.evidence`` works with these weights."""
    loaded = [module for name, module in sys.modules.items() if name.startswith("medreview.evidence.")]
    users = [module for module in loaded if getattr(module, "weights", None) is home.weights]
    with_weights = [patch.object(module, "weights", lambda: chosen) for module in users]
    for one in with_weights:
        one.start()
    try:
        yield
    finally:
        for one in with_weights:
            one.stop()


def ranking_names(chosen: Weights) -> list[str]:
    """The fitted weights of ranking; those of sections as ``sections.results``."""
    plain = [n for n in chosen.ranking._fields if n not in SET_BY_HAND["ranking"] and n != "sections"]
    return plain + [f"sections.{name}" for name in chosen.ranking.sections]


def triage_names(chosen: Weights) -> list[str]:
    """The fitted weights of triage."""
    return [name for name in chosen.triage._fields if name not in SET_BY_HAND["triage"]]


def with_ranking(chosen: Weights, values: Mapping[str, float]) -> Weights:
    """The weights with these of ranking instead."""
    sections = {name: values.get(f"sections.{name}", old) for name, old in chosen.ranking.sections.items()}
    plain = {name: value for name, value in values.items() if not name.startswith("sections.")}
    return chosen._replace(ranking=chosen.ranking._replace(**plain, sections=sections))


def with_triage(chosen: Weights, values: Mapping[str, float]) -> Weights:
    """The weights with these of triage instead."""
    return chosen._replace(triage=chosen.triage._replace(**values))


def one_at_a_time(
    names: Sequence[str], change: Callable[[Weights, Mapping[str, float]], Weights], start: Weights
) -> list[Weights]:
    """For every name the weights with this one 1 and the others 0."""
    return [change(start, {other: float(other == name) for other in names}) for name in names]


# --- features


def is_gold(span: tuple[int, int], case: Case) -> bool:
    """Whether a passage shares at least half of itself, or of the sentence, with one that the annotators named."""
    for number in {number for numbers in case.gold_sets for number in numbers}:
        start, end = case.sentences[number]
        shared = min(end, span[1]) - max(start, span[0])
        if shared > 0 and shared * 2 >= min(end - start, span[1] - span[0]):
            return True
    return False


def candidates(cases: Sequence[Case], start: Weights) -> list[Candidates]:
    """The passages that share a word with the statement, for every case where the annotators named one of them."""
    names = ranking_names(start)
    wanted = [case for case in cases if "evidence" in case.tasks and case.gold_sets]
    columns: list[list[dict[tuple[int, int], float]]] = []
    for chosen in [*one_at_a_time(names, with_ranking, start), start]:
        with using(chosen):
            index = cache(SourceIndex)
            hits = [index(case.text).rank(case.statement, EVERYTHING) for case in wanted]
        columns.append([{(hit.start, hit.end): hit.score for hit in found} for found in hits])
    found = []
    weights = np.array([value_of(start, name) for name in names])
    for number, case in enumerate(wanted):
        spans = sorted(columns[-1][number])
        features = np.array([[column[number][span] for column in columns[:-1]] for span in spans])
        scores = np.array([columns[-1][number][span] for span in spans])
        gold = np.array([is_gold(span, case) for span in spans], dtype=bool)
        if not gold.any():
            continue
        offset = scores - features @ weights
        if np.ptp(offset) > 1e-6:
            raise SystemExit("a passage's score is no longer a sum of weights times features: fit it another way")
        found.append(Candidates(case.name, features, gold))
    return found


def value_of(chosen: Weights, name: str) -> float:
    """A weight of ranking by its name."""
    _, _, section = name.partition("sections.")
    return float(chosen.ranking.sections[section] if section else getattr(chosen.ranking, name))


def signs(cases: Sequence[Case], start: Weights) -> Floats:
    """The features of triage, a row a case."""
    names = triage_names(start)
    index = cache(SourceIndex)
    plain = start._replace(triage=start.triage._replace(bias=0.0, steepness=1.0))
    probes = one_at_a_time(names, with_triage, plain)
    with using(start):
        indexes = [index(case.text) for case in cases]
    rows = np.zeros((len(cases), len(names)))
    for column, chosen in enumerate(probes):
        with using(chosen):
            for row, case in enumerate(cases):
                chance = assess(case.statement, indexes[row]).unsupported
                rows[row, column] = log(chance / (1 - chance))
    return rows


# --- fitting


def climb(gradient: Callable[[Floats], Floats], at: Floats, keep: Callable[[Floats], Floats]) -> Floats:
    """Gradient ascent (Adam); ``keep`` brings a step back to where it may be."""
    first, second = np.zeros_like(at), np.zeros_like(at)
    for step in range(1, STEPS + 1):
        slope = gradient(at)
        first, second = 0.9 * first + 0.1 * slope, 0.999 * second + 0.001 * slope**2
        pace = (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
        at = keep(at + RATE * (1 - step / (STEPS + 1)) * pace)
    return at


def fit_ranking(groups: Sequence[Candidates], start: Weights) -> Weights:
    """Weights under which a passage named by the annotators most likely comes first."""
    names = ranking_names(start)
    features = np.concatenate([group.features for group in groups])
    gold = np.concatenate([group.gold for group in groups])
    begins = np.cumsum([0, *(len(group.gold) for group in groups)])[:-1]
    sizes = [len(group.gold) for group in groups]
    size = {name: sum(group.name == name for group in groups) for name in {group.name for group in groups}}
    share = np.repeat([1 / (len(size) * size[group.name]) for group in groups], sizes)
    unit = np.array([TEXT_UNIT if name in TEXT_WEIGHTS else 1.0 for name in names])
    expected = np.array([EXPECTED.get(name, 0.0) for name in names]) / unit
    scaled = features * unit

    def chances(scores: Floats) -> Floats:
        top = np.repeat(np.maximum.reduceat(scores, begins), sizes)
        raised = np.exp(np.clip(scores - top, -700, 0))
        return np.asarray(raised / np.repeat(np.add.reduceat(raised, begins), sizes))

    def gradient(at: Floats) -> Floats:
        scores = scaled @ at
        among_gold = chances(np.where(gold, scores, -1e9))
        return np.asarray(scaled.T @ (share * (among_gold - chances(scores))) - RIDGE * (at - expected))

    fitted = climb(gradient, expected, lambda at: at) * unit
    text = [names.index(name) for name in TEXT_WEIGHTS]
    fitted = fitted * sum(value_of(start, name) for name in TEXT_WEIGHTS) / fitted[text].sum()
    return with_ranking(start, {name: round(float(value), 2) for name, value in zip(names, fitted, strict=True)})


def fit_triage(cases: Sequence[Case], rows: Floats, start: Weights) -> Weights:
    """Weights that tell unsupported statements from supported ones within each set."""
    names = triage_names(start)
    sets = sorted({case.name for case in cases})
    member = np.array([[case.name == name for name in sets] for case in cases], dtype=float)
    wrong = np.array([case.label != "supported" for case in cases], dtype=float)
    size = member.sum(axis=0)
    share = (member / (len(sets) * size)).sum(axis=1)
    sign = np.array([-1.0 if getattr(start.triage, name) < 0 else 1.0 for name in names])
    steep = start.triage.steepness
    count = len(names)

    def gradient(at: Floats) -> Floats:
        chance = 1 / (1 + np.exp(-steep * (rows @ at[:count] + member @ at[count:])))
        off = steep * share * (wrong - chance)
        return np.concatenate([rows.T @ off - PULL * (at[:count] - COMMON * sign), member.T @ off])

    def keep(at: Floats) -> Floats:
        return np.concatenate([np.where(at[:count] * sign > 0, at[:count], 0.0), at[count:]])

    fitted = climb(gradient, np.concatenate([COMMON * sign, np.zeros(len(sets))]), keep)
    values = {name: round(float(value), 2) for name, value in zip(names, fitted[:count], strict=True)}
    return with_triage(start, values | {"bias": round(float(fitted[count:].mean()), 2)})


def fit(cases: Sequence[Case], start: Weights) -> Weights:
    """Ranking first, then triage on what that ranking finds."""
    ranked = fit_ranking(candidates(cases, start), start)
    verdicts = [case for case in cases if "verdict" in case.tasks]
    return fit_triage(verdicts, signs(verdicts, ranked), ranked)


# --- figures


def figures(cases: Sequence[Case], chosen: Weights) -> dict[str, float]:
    """The figures of one set under these weights."""
    with using(chosen):
        index = cache(SourceIndex)
        made = [assess(case.statement, index(case.text)) for case in cases]
    ranked = [(c, m) for c, m in zip(cases, made, strict=True) if "evidence" in c.tasks and c.gold_sets]
    judged = [(c, m) for c, m in zip(cases, made, strict=True) if "verdict" in c.tasks]
    hits = [[is_gold((hit.start, hit.end), case) for hit in found.spans] for case, found in ranked]
    scores = np.array([found.unsupported for _, found in judged])
    wrong = np.array([case.label != "supported" for case, _ in judged])
    told = np.array([case.label in ("supported", "contradicted") for case, _ in judged])
    against = np.array([case.label == "contradicted" for case, _ in judged])
    return {
        "hit@1": float(np.mean([any(hit[:1]) for hit in hits])),
        "hit@3": float(np.mean([any(hit[:3]) for hit in hits])),
        "token F1": float(np.mean([token_f1(case, found.highlights) for case, found in ranked])),
        "AUROC": auroc(scores, wrong),
        "contra": auroc(scores[told], against[told]),
        "rec@20%": found_early(scores, wrong),
    }


def token_f1(case: Case, lit: Sequence[tuple[int, int]]) -> float:
    """F1 of the words that are lit against the nearest set of sentences that is enough evidence."""

    def words(spans: Sequence[tuple[int, int]]) -> set[int]:
        return {match.start() for start, end in spans for match in re.compile(r"\w+").finditer(case.text, start, end)}

    mine, best = words(lit), 0.0
    for numbers in case.gold_sets:
        theirs = words([case.sentences[number] for number in numbers])
        best = max(best, 2 * len(mine & theirs) / max(1, len(mine) + len(theirs)))
    return best


def auroc(scores: Floats, positive: NDArray[np.bool_]) -> float:
    """Chance that a positive case scores higher than another; ties count half; ``nan`` without both kinds."""
    if positive.all() or not positive.any():
        return float("nan")
    less = scores[positive][:, None] - scores[~positive][None, :]
    return float(np.mean((less > 0) + 0.5 * (less == 0)))


def found_early(scores: Floats, positive: NDArray[np.bool_], read: float = 0.2, share: float = 0.3) -> float:
    """Share of the unsupported met when this part of a pile is read, highest score first.

    The pile is weighed so that ``share`` of it is unsupported; among ties an even part is read.
    """
    weight = np.where(positive, share / positive.sum(), (1 - share) / (~positive).sum())
    seen = found = 0.0
    for score in sorted(set(scores.tolist()), reverse=True):
        here = scores == score
        part = min(1.0, max(0.0, read - seen) / weight[here].sum())
        seen += weight[here].sum()
        found += part * weight[here & positive].sum()
    return float(found / share)


def show(title: str, rows: Mapping[str, Mapping[str, float]]) -> None:
    """A table, with the mean of the sets."""
    names = list(next(iter(rows.values())))
    print(f"\n{title:26}" + "".join(f"{name:>10}" for name in names))
    mean = {name: float(np.nanmean([row[name] for row in rows.values()])) for name in names}
    for label, row in [*rows.items(), ("mean", mean)]:
        print(f"{label:26}" + "".join(f"{row[name]:10.3f}" for name in names))


def write(chosen: Weights, path: Path) -> None:
    """Put the numbers into the file; its comments stay."""
    tables = {"ranking": chosen.ranking._asdict(), "ranking.sections": chosen.ranking.sections}
    tables["triage"] = chosen.triage._asdict()
    table, lines = "", []
    for line in path.read_text(encoding="utf-8").splitlines():
        head = re.match(r"\[([\w.]+)\]", line)
        table = head[1] if head else table
        entry = re.match(r"(\w+)( *= *)[-+.\deE]+( *)(#.*)?$", line)
        if entry and table in tables:
            name, comment = entry[1], entry[4]
            left = f"{name} = {float(tables[table][name])}"
            line = left + (" " * max(2, line.index("#") - len(left)) + comment if comment else "")
        lines.append(line)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--leave-out", metavar="SET")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    cases = load(options.cases)
    sets = sorted({case.name for case in cases})
    start = home.load()
    by_set = {name: [case for case in cases if case.name == name] for name in sets}
    if options.leave_out is None:
        fitted = fit(cases, start)
        show("weights of the file", {name: figures(by_set[name], start) for name in sets})
        show("fitted on all sets", {name: figures(by_set[name], fitted) for name in sets})
        if options.write:
            write(fitted, Path(home.__file__).with_name("weights.toml"))
            return
        print(f"\n{fitted}")
    left = [options.leave_out] if options.leave_out else sets
    held = {name: figures(by_set[name], fit([case for case in cases if case.name != name], start)) for name in left}
    show("fitted on the other sets", held)


if __name__ == "__main__":
    main()
