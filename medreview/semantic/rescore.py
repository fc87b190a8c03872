"""The triage scores of pairs of statement and source, by the rules and a model of meaning together."""

from collections.abc import Sequence

from medreview.evidence.jsonl_filter import Pair
from medreview.evidence.sentence_analysis import compared_part
from medreview.semantic.blend import blend, passages_for
from medreview.semantic.similarity import Similarity


def rescore(pairs: Sequence[Pair], similarity: Similarity) -> list[float]:
    """The new ``unsupported`` of each pair, 0 to 1; the model is asked about all of them at once.

    A statement without its markers is what is compared, as by the rules. Where there is no passage to ask about, the
    rules' score stays. Raises ``UserError`` when the model gives no answer.
    """
    spans = [passages_for(pair.statement, pair.source) for pair in pairs]
    asked = [(pair, chosen) for pair, chosen in zip(pairs, spans, strict=True) if chosen]
    near = iter(
        similarity.of(
            [
                (compared_part(pair.statement), [pair.source.text[span.start : span.end] for span in chosen])
                for pair, chosen in asked
            ]
        )
    )
    return [
        blend(pair.assessment, next(near)) if chosen else pair.assessment.unsupported
        for pair, chosen in zip(pairs, spans, strict=True)
    ]
