"""The fit of ``[ranking]``: a conditional logit of the passages that annotators named."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from medreview.evidence.passage_ranking import SourceIndex, Weights
from tests.bench.evidence_fit.cases import Case, is_gold
from tests.bench.evidence_fit.trial_weights import Floats, climb, one_at_a_time, using

SET_BY_HAND = frozenset(
    {"k1", "b", "finding_most", "short_terms", "length_most", "head", "before", "before_rank", "lit"}
)
"""Borders and shapes, not weights: they are left as they are."""
TEXT_WEIGHTS = ("bm25", "coverage", "share")
"""The sum of these stays as it is: scores keep their scale."""
EXPECTED = {
    "bm25": 4.0, "coverage": 4.0, "share": 1.0, "quantity": 1.0,
    "finding": 0.4, "heading": -1.0, "short": -1.0, "length": -0.4, "part": 2.0, "arm": 1.0,
    "sections.title": -1.0, "sections.background": -1.0, "sections.methods": -1.0, "sections.results": 1.0,
    "sections.conclusion": 1.0, "sections.references": -1.0,
}  # fmt: skip
"""Ranking weights before any case was seen, in log odds; a name that is not here starts from 0."""
TEXT_UNIT = 5.0
"""What one of the others is to a weight of the text: features of the text are shares, the others are mostly 0 or 1."""
RIDGE = 0.05
"""How much ranking weights are drawn to what is expected."""
EVERYTHING = 1_000_000


class Candidates(NamedTuple):
    """The passages of one case: features, and which of them the annotators named."""

    name: str
    features: Floats
    gold: NDArray[np.bool_]


def ranking_names(chosen: Weights) -> list[str]:
    """The fitted weights of ranking; those of sections as ``sections.results``."""
    plain = [n for n in chosen.ranking._fields if n not in SET_BY_HAND and n != "sections"]
    return plain + [f"sections.{name}" for name in chosen.ranking.sections]


def with_ranking(chosen: Weights, values: Mapping[str, float]) -> Weights:
    """The weights with these of ranking instead."""
    sections = {name: values.get(f"sections.{name}", old) for name, old in chosen.ranking.sections.items()}
    plain = {name: value for name, value in values.items() if not name.startswith("sections.")}
    return chosen._replace(ranking=chosen.ranking._replace(**plain, sections=sections))


def value_of(chosen: Weights, name: str) -> float:
    """A weight of ranking by its name."""
    _, _, section = name.partition("sections.")
    return float(chosen.ranking.sections[section] if section else getattr(chosen.ranking, name))


def candidates(cases: Sequence[Case], start: Weights) -> list[Candidates]:
    """The passages that share a word with the statement, for every case where the annotators named one of them.

    The features are those of a passage itself: what it gets of others' scores is no sum, and is left out.
    """
    names = ranking_names(start)
    start = start._replace(ranking=start.ranking._replace(before=0.0, head=0.0))
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
