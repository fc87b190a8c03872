"""The triage scores of pairs of statement and source, by the rules and a model of meaning together."""

from collections.abc import Sequence

from medreview.evidence.jsonl_filter import Pair
from medreview.evidence.sentence_analysis import compared_part
from medreview.semantic.blend import blend, passages_for
from medreview.semantic.scale import Nearness
from medreview.semantic.similarity import Similarity


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
