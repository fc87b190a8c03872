"""The constants of ranking and triage, from ``weights.toml``."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple


class RankingWeights(NamedTuple):
    """The parameters of a passage's score, explained in ``weights.toml``."""

    k1: float
    b: float
    bm25: float
    coverage: float
    share: float
    quantity: float
    finding: float
    finding_most: float
    heading: float
    short: float
    short_terms: float
    length: float
    length_most: float
    head: float
    part: float
    arm: float
    before: float
    before_rank: float
    lit: float
    sections: Mapping[str, float]


class TriageWeights(NamedTuple):
    """The coefficients of ``unsupported`` (logistic), and the thresholds of the labels; see ``weights.toml``."""

    bias: float
    covered: float
    together: float
    absent: float
    token_sort: float
    dice: float
    missing: float
    amount: float
    word: float
    significance: float
    denied_finding: float
    little_covered: float
    supported_below: float


class Weights(NamedTuple):
    """All parameters, fitted or set by hand."""

    ranking: RankingWeights
    triage: TriageWeights


def load(path: Path | None = None) -> Weights:
    """The weights of a file in the format of ``weights.toml``, by default the package's.

    Raises ``TypeError`` for a missing or unknown name.
    """
    import tomllib

    table = tomllib.loads((path or Path(__file__).with_name("weights.toml")).read_text("utf-8"))
    return Weights(RankingWeights(**table["ranking"]), TriageWeights(**table["triage"]))


@cache
def weights() -> Weights:
    """The package's weights."""
    return load()
