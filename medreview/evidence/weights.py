"""The constants of ranking and triage, from ``weights.toml``."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple


class RankingWeights(NamedTuple):
    """What a passage's score is made of; ``weights.toml`` says what each is."""

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
    sections: Mapping[str, float]


class TriageWeights(NamedTuple):
    """What ``unsupported`` is made of, and the borders of the labels."""

    bias: float
    steepness: float
    covered: float
    together: float
    absent: float
    missing: float
    amount: float
    word: float
    significance: float
    denied_finding: float
    sweeping: float
    negation_differs: float
    little_covered: float
    well_covered: float


class Weights(NamedTuple):
    """Everything that was fitted or set."""

    ranking: RankingWeights
    triage: TriageWeights


def load(path: Path | None = None) -> Weights:
    """The weights of a file of the form of ``weights.toml``, by default the package's; a wrong name is a TypeError."""
    import tomllib

    table = tomllib.loads((path or Path(__file__).with_name("weights.toml")).read_text("utf-8"))
    return Weights(RankingWeights(**table["ranking"]), TriageWeights(**table["triage"]))


@cache
def weights() -> Weights:
    """The package's weights."""
    return load()
