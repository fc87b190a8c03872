"""The triage score where a model of meaning was asked: the rules' score and the similarity of passages together."""

from collections.abc import Sequence
from functools import cache
from math import exp, log
from pathlib import Path
from typing import Final, NamedTuple

from medreview.evidence.assess import Assessment
from medreview.evidence.jsonl_filter import Pair
from medreview.evidence.passage_ranking import SourceIndex
from medreview.evidence.sentence_analysis import compared_part
from medreview.semantic.similarity import Nearness, Similarity
from medreview.text import Span

MOST: Final = 8
"""Passages of a source that a model is asked about."""
LEADING: Final = 3
"""Of them, so many are looked at with the passage before and the one after."""
_EDGE: Final = 1e-6


class BlendWeights(NamedTuple):
    """The coefficients of the score, explained in ``blend.toml``."""

    bias: float
    rules: float
    near: float
    clash: float


def load(path: Path | None = None) -> BlendWeights:
    """The weights of a file in the format of ``blend.toml``, by default the package's."""
    import tomllib

    return BlendWeights(**tomllib.loads((path or Path(__file__).with_name("blend.toml")).read_text("utf-8")))


@cache
def weights() -> BlendWeights:
    """The package's weights."""
    return load()


def passages_for(statement: str, index: SourceIndex) -> tuple[Span, ...]:
    """The passages of a source that a model is asked about, at most ``MOST``, in the order of the text.

    They are the ``LEADING`` best by the rules with their neighbours, then the next best, then those at the beginning:
    a paraphrase may share no word. None for a statement that is blank without its markers.
    """
    compared = compared_part(statement)
    if not compared.strip():
        return ()
    best = [match.passage for match in index.match(index.query(compared), MOST)]
    neighbours = [at + step for at in best[:LEADING] for step in (0, -1, 1)]
    wanted = dict.fromkeys([*neighbours, *best, *range(MOST)])
    there = [at for at in wanted if 0 <= at < len(index.passages)]
    return tuple(index.span(at) for at in sorted(there[:MOST]))


def signs(assessment: Assessment, nearness: Nearness) -> tuple[float, float, float]:
    """What is weighed: the log odds of the rules; the mean of the nearest passage alone and with what is around it; 1
    with a clash, which no likeness of words outweighs."""
    rules = min(max(assessment.unsupported, _EDGE), 1 - _EDGE)
    return log(rules / (1 - rules)), (nearness.best + nearness.around) / 2, float(bool(assessment.clashes))


def blend(assessment: Assessment, nearness: Nearness) -> float:
    """The new ``unsupported``, 0 to 1.

    Of a source without a passage there is no nearness: its score stays as the rules have it.
    """
    weigh = weights()
    rules, near, clash = signs(assessment, nearness)
    return 1 / (1 + exp(-(weigh.bias + weigh.rules * rules + weigh.near * near + weigh.clash * clash)))


def rescore(pairs: Sequence[Pair], similarity: Similarity) -> list[float]:
    """The new ``unsupported`` of each pair, 0 to 1; where there is no passage to ask about, that of the rules.

    The model is asked about all pairs at once. Raises ``UserError`` when it gives no answer.
    """
    return [
        blend(pair.assessment, near) if near else pair.assessment.unsupported
        for pair, near in zip(pairs, nearness_of(pairs, similarity), strict=True)
    ]


def nearness_of(pairs: Sequence[Pair], similarity: Similarity) -> list[Nearness | None]:
    """How near each statement is to its source; ``None`` without a passage.

    A statement is compared without its markers, as by the rules. Raises what :meth:`Similarity.of` raises.
    """
    asked = {at: chosen for at, pair in enumerate(pairs) if (chosen := passages_for(pair.statement, pair.source))}
    found = similarity.of(
        [
            (compared_part(pairs[at].statement), [pairs[at].source.text[span.start : span.end] for span in chosen])
            for at, chosen in asked.items()
        ]
    )
    near = dict(zip(asked, found, strict=True))
    return [near.get(at) for at in range(len(pairs))]
