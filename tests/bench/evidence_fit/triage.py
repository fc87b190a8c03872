"""The fit of ``[triage]``: a logistic regression of "not supported" with an intercept for each set."""

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np

from medreview.evidence.assess import assess, signs
from medreview.evidence.passage_ranking import SourceIndex, Weights
from tests.bench.evidence_fit.cases import Case
from tests.bench.evidence_fit.trial_weights import Floats, climb, using

SET_BY_HAND = frozenset({"bias", "little_covered", "supported_below"})
"""Borders, not weights: they are left as they are."""
UNIT = {
    "said": 0.45, "together": 0.5, "absent": 0.5, "token_sort": 0.23, "token_set": 0.28, "dice": 0.34,
    "names_lacking": 0.4, "numbers_lacking": 0.5, "opposed": 0.4, "negated_alone": 0.9,
}  # fmt: skip
"""Twice the spread of a feature within a set; every other sign is there or not."""
EXPECTED = {
    "said": -0.1, "together": -0.1, "absent": 0.1, "token_sort": -0.4, "token_set": -0.1, "dice": -0.45,
    "names_lacking": 0.4, "numbers_lacking": 0.4, "opposed": 0.2, "negated_alone": 0.25, "missing": 0.6,
}  # fmt: skip
"""Weights before any case was seen, in log odds per unit. Shares of words say little: where a citation was looked up by
the statement's words they are high whether or not it supports it. The measures of likeness hold, and what the page
lacks by name or number."""
EXPECTED_OF_A_CLASH = 1.8
"""Six of seven places that clash are in statements that are not supported."""
PULL = 1.0
"""How much weights are drawn to what is expected."""


def triage_names(chosen: Weights) -> list[str]:
    """The fitted weights of triage."""
    return [name for name in chosen.triage._fields if name not in SET_BY_HAND]


def with_triage(chosen: Weights, values: Mapping[str, float]) -> Weights:
    """The weights with these of triage instead."""
    return chosen._replace(triage=chosen.triage._replace(**values))


def features(cases: Sequence[Case], ranked: Weights) -> Floats:
    """The signs of triage, a row a case; all 0 without evidence."""
    names, index = triage_names(ranked), cache(SourceIndex)
    with using(ranked):
        found = [assess(case.statement, index(case.text)).features for case in cases]
    rows = (dict.fromkeys(names, 0.0) if pair is None else signs(pair) for pair in found)
    return np.array([[row[name] for name in names] for row in rows], dtype=float)


def fit_triage(cases: Sequence[Case], rows: Floats, start: Weights) -> Weights:
    """Weights that tell unsupported statements from supported ones within each set; none changes its sign."""
    names = triage_names(start)
    sets = sorted({case.name for case in cases})
    member = np.array([[case.name == name for name in sets] for case in cases], dtype=float)
    wrong = np.array([case.label != "supported" for case in cases], dtype=float)
    size = member.sum(axis=0)
    share = (member / (len(sets) * size)).sum(axis=1)
    unit = np.array([UNIT.get(name, 1.0) for name in names])
    expected = np.array([EXPECTED.get(name, EXPECTED_OF_A_CLASH) for name in names])
    sign, scaled, count = np.sign(expected), rows / unit, len(names)

    def gradient(at: Floats) -> Floats:
        chance = 1 / (1 + np.exp(-(scaled @ at[:count] + member @ at[count:])))
        off = share * (wrong - chance)
        return np.concatenate([scaled.T @ off - PULL * (at[:count] - expected), member.T @ off])

    def keep(at: Floats) -> Floats:
        return np.concatenate([np.where(at[:count] * sign > 0, at[:count], 0.0), at[count:]])

    fitted = climb(gradient, np.concatenate([expected, np.zeros(len(sets))]), keep)
    weights = zip(names, fitted[:count] / unit, strict=True)
    values = {name: round(float(value), 2) for name, value in weights}
    return with_triage(start, values | {"bias": round(float(fitted[count:].mean()), 2)})
