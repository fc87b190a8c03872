"""How close a response is to a reference snippet: shared words, and what cannot both be true.

Shared words are not truth: a response that says the opposite in the same words comes out high. So the clashes that
medreview's rules find (amounts, units, negation, direction) stand beside the cosine.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log, sqrt
from typing import TYPE_CHECKING, Final

from medreview.citations.citation import Citation
from medreview.progress import SILENT, Progress
from medreview.stats.formulas.bootstrap import DEFAULT, Resampling
from medreview.stats.formulas.estimate import Estimate
from medreview.stats.formulas.intervals import share_of
from medreview.text import Span, places_in_text

if TYPE_CHECKING:
    from medreview.evidence.passage_ranking import SourceIndex


NO_REFERENCE: Final = "No response has a reference with words to compare."


@dataclass(frozen=True, slots=True)
class ResponsePair:
    """A response with its citations, and its reference."""

    response: str
    citations: Sequence[Citation]
    reference: str


@dataclass(frozen=True, slots=True)
class ReferenceClash:
    """Two places that disagree: ``start``, ``end`` in the response, ``reference_start``, ``reference_end`` there."""

    kind: str
    start: int
    end: int
    reference_start: int
    reference_end: int
    sentence: str


@dataclass(frozen=True, slots=True)
class ReferenceSimilarity:
    """One response beside its reference. ``cosine`` 0..1, ``None`` when one of the two has no words.

    ``statements`` were compared; ``clashing`` of them say what the reference excludes.
    """

    cosine: float | None
    statements: int
    clashing: int
    clashes: tuple[ReferenceClash, ...]


@dataclass(frozen=True, slots=True)
class SimilarityFigures:
    """The mean cosine, and the share of responses with a clash."""

    cosine: Estimate
    with_clash: Estimate


def reference_similarities(pairs: Sequence[ResponsePair], progress: Progress = SILENT) -> list[ReferenceSimilarity]:
    """The concordance of each pair.

    The cosine is that of TF-IDF vectors (Salton & Buckley 1988): terms are medreview's (folded, English stems, stop
    words left out, synonyms made one, citations of the response blotted out); a term's weight is its count times
    ``1 + ln((1 + N) / (1 + df))``, ``N`` being the responses and the distinct references given here, ``df`` those of
    them that hold the term (scikit-learn's smoothed form).
    """
    responses = [_counts(_without_citations(pair)) for pair in pairs]
    references = {pair.reference: _counts(pair.reference) for pair in pairs}
    documents = [*responses, *references.values()]
    holding = Counter(term for counts in documents for term in counts)
    idf = {term: 1 + log((1 + len(documents)) / (1 + df)) for term, df in holding.items()}
    found = []
    progress.begin("references", len(pairs))
    for pair, counts in zip(pairs, responses, strict=True):
        found.append(_concordance(pair, _cosine(counts, references[pair.reference], idf)))
        progress.step()
    return found


def similarity_figures(
    found: Sequence[ReferenceSimilarity], clusters: Sequence[str], dropped: int = 0, resampling: Resampling = DEFAULT
) -> SimilarityFigures:
    """Over the clusters of the responses; ``dropped`` have no reference."""
    from medreview.stats.formulas.shared_draws import ResponseSample

    known = [(item.cosine, at) for item, at in zip(found, clusters, strict=True) if item.cosine is not None]
    rows = [(cosine, 1.0) for cosine, _ in known]
    sample = ResponseSample(("cosine", "one"), rows, resampling, clusters=[at for _, at in known])
    lost = dropped + len(found) - len(known)
    clashing = Counter(at for item, at in zip(found, clusters, strict=True) if item.clashing)
    return SimilarityFigures(
        sample.figure(
            "TF-IDF cosine, mean of responses", "cosine", "one", scale="ratio", undefined=NO_REFERENCE, dropped=lost
        ),
        share_of(
            "responses with a clash",
            [(clashing[at], held) for at, held in Counter(clusters).items()],
            unit=resampling.cluster,
            level=resampling.level,
            dropped=dropped,
            nothing=NO_REFERENCE,
        ),
    )


def _concordance(pair: ResponsePair, cosine: float | None) -> ReferenceSimilarity:
    from medreview.evidence.assess import assess
    from medreview.statements.split import split

    index = _index(pair.reference)
    statements = split(pair.response, [c for c in pair.citations if c.start is not None]).statements
    clashing, found = 0, []
    for statement in statements:
        clashes = assess(statement.text, index).clashes
        clashing += bool(clashes)
        for clash in clashes:
            mine, other = clash.statement_span, clash.source_span
            sentence = f"{_cut(pair.reference, other)} in the reference, {_cut(statement.text, mine)} in the response"
            found += [
                ReferenceClash(clash.kind, *place, other.start, other.end, sentence)
                for place in places_in_text(statement.places, mine)[:1]
            ]
    return ReferenceSimilarity(cosine, len(statements), clashing, tuple(found))


@lru_cache(maxsize=64)
def _index(reference: str) -> "SourceIndex":
    """Kept, for many models may answer the same question."""
    from medreview.evidence.passage_ranking import SourceIndex

    return SourceIndex(reference)


def _cut(text: str, span: Span) -> str:
    return " ".join(text[span.start : span.end].split())


def _without_citations(pair: ResponsePair) -> str:
    parts, at = [], 0
    for citation in pair.citations:
        if citation.start is not None and citation.end is not None:
            parts += [pair.response[at : citation.start], " "]
            at = citation.end
    return "".join([*parts, pair.response[at:]])


def _counts(text: str) -> Counter[str]:
    from medreview.evidence.terms import vocabulary

    return Counter(vocabulary().keys(text))


def _cosine(one: Counter[str], other: Counter[str], idf: dict[str, float]) -> float | None:
    if not one or not other:
        return None
    product = sum(count * other[term] * idf[term] ** 2 for term, count in one.items() if term in other)
    lengths = [sqrt(sum((count * idf[term]) ** 2 for term, count in counts.items())) for counts in (one, other)]
    # Rounding may carry two equal texts a hair over 1.
    return min(1.0, product / (lengths[0] * lengths[1]))
