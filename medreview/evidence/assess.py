"""Assessing one statement against one source: evidence, what to light, what clashes, how soon to look at it.

``unsupported`` orders a pile for reading; it is no probability and no verdict. Rules that read words cannot tell what a
source means: on some medical sets they are near chance (docs/evidence.md).
"""

from collections.abc import Sequence
from math import exp
from typing import Final, Literal, NamedTuple

from medreview.evidence.clashes import Clash, agrees, clashes, denies_significance, significance
from medreview.evidence.lexical import matches
from medreview.evidence.lexicon import OPPOSITES, SWEEPING, is_negation
from medreview.evidence.quantities import Quantity
from medreview.evidence.ranking import Hit, Match, Query, SourceIndex
from medreview.evidence.sentence_analysis import SentenceAnalysis, read
from medreview.evidence.terms import Vocabulary
from medreview.evidence.weights import weights
from medreview.text import Span

AssessedLabel = Literal["supported", "partial", "contradicted", "not_addressed"]

LIMIT: Final = 5
AMOUNTS: Final = frozenset({"number", "unit", "range", "comparison"})
LONG_PASSAGE: Final = 500
"""A longer passage is lit from the first clause that shares a word with the statement to the last."""


class Assessment(NamedTuple):
    """What the rules found; ranges count in the source except ``statement_span`` of a clash.

    ``spans``: passages, best first. ``highlights``: what to light, whole words, in order of the text. ``unsupported``:
    0..1, higher is to be looked at sooner. ``reasons``: short sentences for the reviewer. ``signs``: what they were
    made from; ``None`` without evidence.
    """

    spans: tuple[Hit, ...]
    highlights: tuple[Span, ...]
    clashes: tuple[Clash, ...]
    unsupported: float
    label: AssessedLabel
    reasons: tuple[str, ...]
    signs: "PairSigns | None" = None


class PairSigns(NamedTuple):
    """What the assessment is made from; the shares are 0..1."""

    covered: float
    together: float
    absent: float
    missing: tuple[Quantity, ...]
    amounts: int
    negation_differs: bool
    denied_finding: bool
    clashes: tuple[Clash, ...]


def assess(statement: str, index: SourceIndex) -> Assessment:
    """Assess a statement against a source; without a shared word there is no evidence and it is not_addressed."""
    query = index.query(statement)
    found = index.match(query, LIMIT)
    if not found:
        reason = "No word of the statement is in the source."
        return Assessment((), (), (), 0.9, "not_addressed", (reason,))
    signs = _read_signs(statement, index, query, found)
    hits = tuple(Hit(*index.span(match.passage), match.score) for match in found)
    return Assessment(
        hits,
        tuple(_highlights(statement, index, hits)),
        signs.clashes,
        _unsupported(statement, index.words, signs),
        _label(signs),
        tuple(_reasons(statement, index, signs)),
        signs,
    )


def _read_signs(statement: str, index: SourceIndex, query: Query, found: Sequence[Match]) -> PairSigns:
    """The signs for and against support in the best passages (at least one)."""
    ours = read(statement, index.words)
    passages = [index.reading(match.passage) for match in found]
    best = passages[0]
    amounts = [quantity for quantity in ours.quantities if quantity.unit != "p"]
    missing = tuple(quantity for quantity in amounts if not any(_stands(quantity, passage) for passage in passages))
    clashing = [
        clash
        for clash in clashes(statement, best.text, index.span(found[0].passage).start, index.words)
        if clash.kind not in AMOUNTS or not _told_elsewhere(clash, ours, passages[1:])
    ]
    together = index.covered(query, [match.passage for match in found[:3]])
    finding = significance(best)
    denied = denies_significance(statement)
    directed = any(ours.keys & side for pair in OPPOSITES for side in pair)
    return PairSigns(
        found[0].coverage,
        together,
        sum(weight for key, weight in query.weights.items() if not index.has(key)) / query.total,
        missing,
        len(amounts),
        _denies(ours) != _denies(best),
        directed and not denied and finding is not None and not finding[0],
        tuple(clashing),
    )


def _stands(quantity: Quantity, passage: SentenceAnalysis) -> bool:
    return any(
        quantity.tells(other) or (quantity.unit == other.unit and agrees(quantity, other))
        for other in passage.quantities
    )


def _told_elsewhere(clash: Clash, ours: SentenceAnalysis, passages: Sequence[SentenceAnalysis]) -> bool:
    """Whether another of the best passages has the statement's amount as it is: then the source says both."""
    mine = [q for q in ours.quantities if clash.statement_span == (q.start, q.end)]
    return any(q.equals(other) and q.sign == other.sign for q in mine for p in passages for other in p.quantities)


def _denies(reading: SentenceAnalysis) -> bool:
    return any(is_negation(word.key) for word in reading.words)


def _unsupported(statement: str, words: Vocabulary | None, signs: PairSigns) -> float:
    kinds = {clash.kind for clash in signs.clashes}
    values = {
        "covered": signs.covered,
        "together": signs.together,
        "absent": signs.absent,
        "missing": len(signs.missing) / signs.amounts if signs.amounts else 0.0,
        "amount": bool(kinds & AMOUNTS),
        "word": bool(kinds - AMOUNTS - {"significance"}),
        "significance": "significance" in kinds,
        "denied_finding": signs.denied_finding,
        "sweeping": bool(read(statement, words).keys & SWEEPING),
        "negation_differs": signs.negation_differs,
    }
    weigh = weights().triage
    total = weigh.bias + sum(getattr(weigh, name) * value for name, value in values.items())
    return 1 / (1 + exp(-weigh.steepness * total))


def _label(signs: PairSigns) -> AssessedLabel:
    if signs.covered < weights().triage.little_covered:
        return "not_addressed"
    if signs.clashes:
        return "contradicted"
    if signs.covered >= weights().triage.well_covered and not signs.missing and not signs.denied_finding:
        return "supported"
    return "partial"


def describe(clash: Clash, statement: str, source: str) -> str:
    """A clash in one sentence: ``30 mL/kg in the source, 50 mL/kg in the statement``."""
    mine, other = (
        " ".join(text[span.start : span.end].split())
        for text, span in ((statement, clash.statement_span), (source, clash.source_span))
    )
    return f"{other} in the source, {mine} in the statement"


def _reasons(statement: str, index: SourceIndex, signs: PairSigns) -> list[str]:
    found = [f"{clash.kind}: {describe(clash, statement, index.text)}" for clash in signs.clashes]
    clashing = [clash.statement_span for clash in signs.clashes]
    for quantity in signs.missing:
        span = Span(quantity.start, quantity.end)
        if not any(span.overlap(other) for other in clashing):
            found.append(f"not in the evidence: {statement[span.start : span.end]}")
    if signs.denied_finding:
        found.append("the passage reports no significant difference")
    if signs.negation_differs and not any(clash.kind == "negation" for clash in signs.clashes):
        found.append("one of the two is negated")
    if signs.covered < weights().triage.little_covered:
        found.append("few of the statement's words are in one passage")
    return found


def _highlights(statement: str, index: SourceIndex, hits: Sequence[Hit]) -> list[Span]:
    """The best passage; when it is very long, its clauses from the first shared word to the last."""
    best = Span(hits[0].start, hits[0].end)
    if best.end - best.start <= LONG_PASSAGE:
        return [best]
    shared = matches(statement, index.text, best, index.words)
    if not shared:
        return [best]
    start = _clause_start(index.text, best.start, shared[0].start)
    return [Span(start, _clause_end(index.text, shared[-1].end, best.end))]


def _clause_start(text: str, low: int, at: int) -> int:
    cut = max(text.rfind(mark, low, at) for mark in (", ", "; ", ": ", "\n", "\t", "| "))
    start = low if cut < low else cut + 1
    while start < at and text[start].isspace():
        start += 1
    return start


def _clause_end(text: str, at: int, high: int) -> int:
    cuts = [cut for cut in (text.find(mark, at, high) for mark in (", ", "; ", "\n", "\t", " |")) if cut >= 0]
    return min([*cuts, high])
