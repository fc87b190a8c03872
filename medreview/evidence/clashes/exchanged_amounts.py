"""Amounts of two groups that are exchanged: 15% with the drug, 10% with placebo, against the reverse."""

from collections.abc import Callable, Iterator

from medreview.evidence.clashes.clash import Clash
from medreview.evidence.clashes.context import span_of
from medreview.evidence.quantities import Quantity
from medreview.evidence.sentence_analysis import SentenceAnalysis
from medreview.text import Span

_Side = Callable[[SentenceAnalysis, Quantity], frozenset[str]]


def exchanged_amounts(claim: SentenceAnalysis, evidence: SentenceAnalysis) -> Iterator[Clash]:
    """The same two amounts in both, each beside the words that stand beside the other one there."""
    pair, others = _pair(claim), _pair(evidence)
    if pair is None or others is None:
        return
    if not pair[0].equals(others[0]):
        others = others[1], others[0]
    if not (pair[0].equals(others[0]) and pair[1].equals(others[1])):
        return
    for side in (_after, _before):
        (one, two), (first, second) = _own(claim, pair, side), _own(evidence, others, side)
        both_sided, others_sided = bool(one and two), bool(first and second)
        if both_sided != others_sided:
            return  # the one names its groups behind the amounts, the other before them
        if both_sided:
            if one & second and two & first and not (one & first or two & second):
                yield Clash("roles", _over(pair), _over(others))
            return


def _pair(sentence: SentenceAnalysis) -> tuple[Quantity, Quantity] | None:
    """The only two amounts of a sentence, if they are two of one unit that differ."""
    if len(sentence.quantities) != 2:
        return None
    one, other = sentence.quantities
    return (one, other) if one.unit == other.unit and one.unit and not one.equals(other) else None


def _after(sentence: SentenceAnalysis, amount: Quantity) -> frozenset[str]:
    """The content terms behind an amount, up to the other one or to the sentence's end."""
    end = min((other.start for other in sentence.quantities if other.start > amount.start), default=len(sentence.text))
    return frozenset(w.term for w in sentence.words if w.is_content and amount.end <= w.start < end)


def _before(sentence: SentenceAnalysis, amount: Quantity) -> frozenset[str]:
    """The content terms before an amount, from the other one or from the sentence's beginning on."""
    start = max((other.end for other in sentence.quantities if other.start < amount.start), default=0)
    return frozenset(w.term for w in sentence.words if w.is_content and start <= w.start < amount.start)


def _own(
    sentence: SentenceAnalysis, pair: tuple[Quantity, Quantity], side: _Side
) -> tuple[frozenset[str], frozenset[str]]:
    """The terms beside each of two amounts that are not beside the other."""
    one, other = (side(sentence, amount) for amount in pair)
    return one - other, other - one


def _over(pair: tuple[Quantity, Quantity]) -> Span:
    one, other = sorted(map(span_of, pair))
    return Span(one.start, other.end)
