"""The triage score where a model of meaning was asked: the rules' score and the similarity of passages together."""

from collections.abc import Sequence
from functools import cache
from math import exp, log
from pathlib import Path
from typing import Final, NamedTuple

from medreview.evidence.assess import Assessment
from medreview.evidence.ranking import SourceIndex
from medreview.evidence.sentence_analysis import compared_part
from medreview.text import Span

MOST: Final = 8
"""Passages of a source that a model is asked about."""
NEAREST: Final = 3
"""Of them, the mean similarity of so many counts, beside that of the nearest."""
_EDGE: Final = 1e-6


class BlendWeights(NamedTuple):
    """The coefficients of the score, explained in ``blend.toml``."""

    bias: float
    rules: float
    best: float
    three: float


def load(path: Path | None = None) -> BlendWeights:
    """The weights of a file in the format of ``blend.toml``, by default the package's."""
    import tomllib

    return BlendWeights(**tomllib.loads((path or Path(__file__).with_name("blend.toml")).read_text("utf-8")))


@cache
def weights() -> BlendWeights:
    """The package's weights."""
    return load()


def passages_for(statement: str, index: SourceIndex) -> tuple[Span, ...]:
    """The passages of a source that a model is asked about, at most ``MOST``: the best by the rules first, then others
    from the beginning, since a paraphrase may share no word."""
    best = [match.passage for match in index.match(index.query(compared_part(statement)), MOST)]
    chosen = dict.fromkeys([*best, *range(min(MOST, len(index.passages)))])
    return tuple(index.span(at) for at in list(chosen)[:MOST])


def signs(assessment: Assessment, similarities: Sequence[float]) -> tuple[float, float, float]:
    """What is weighed: the log odds of the rules, the greatest similarity, the mean of the greatest three."""
    rules = min(max(assessment.unsupported, _EDGE), 1 - _EDGE)
    nearest = sorted(similarities, reverse=True)[:NEAREST]
    return log(rules / (1 - rules)), nearest[0], sum(nearest) / len(nearest)


def blend(assessment: Assessment, similarities: Sequence[float]) -> float:
    """The new ``unsupported``, 0 to 1; ``similarities`` as of ``Scale.similarities`` or of a ``Scorer``, in any order.

    Without any it stays as the rules have it. A clash raises the rules' score and so this one.
    """
    if not similarities:
        return assessment.unsupported
    weigh = weights()
    rules, best, three = signs(assessment, similarities)
    total = weigh.bias + weigh.rules * rules + weigh.best * best + weigh.three * three
    return 1 / (1 + exp(-total))
