"""The fit of ``[triage]``: a logistic regression of "not supported" with an intercept for each set."""

from collections.abc import Mapping, Sequence
from functools import cache
from math import log

import numpy as np

from medreview.evidence.assess import assess
from medreview.evidence.ranking import SourceIndex
from medreview.evidence.weights import Weights
from tests.bench.evidence_fit.cases import Case
from tests.bench.evidence_fit.trial_weights import Floats, climb, one_at_a_time, using

SET_BY_HAND = frozenset({"bias", "steepness", "little_covered", "well_covered"})
"""Borders and shapes, not weights: they are left as they are."""
PULL = 0.3
"""How much triage weights are drawn to the common size."""
COMMON = 0.8
"""What triage weights are drawn to, with their sign."""


def triage_names(chosen: Weights) -> list[str]:
    """The fitted weights of triage."""
    return [name for name in chosen.triage._fields if name not in SET_BY_HAND]


def with_triage(chosen: Weights, values: Mapping[str, float]) -> Weights:
    """The weights with these of triage instead."""
    return chosen._replace(triage=chosen.triage._replace(**values))


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
