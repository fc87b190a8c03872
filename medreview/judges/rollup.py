"""From many judgements on a statement to one verdict: over its sources, then over the jury.

Rules. Over sources, per judge: supported if any source supports; else contradicted if any contradicts; else nothing if
the judge could not tell on one of them; else partial; else not addressed (SourceCheckup: one supporting source is
enough). Supported by one source and contradicted by another is a conflict, shown as such. Over judges: the verdict
most judges have; what a tie gives is a stated rule (``TieRule``). A judge that could not tell, refused, failed or gave
no usable answer abstains: it has no vote and is counted. The offline judge votes only where no other has spoken.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from medreview.labels import TieRule

_STRENGTH = ("supported", "contradicted", "partial", "not_addressed", "cannot_judge")
_LOCATED = ("exact", "normalised", "near")
FALSE_QUOTE = ("absent", "altered")
"""Quote statuses that mean: the judge's quote is not what the source says."""


@dataclass(frozen=True, slots=True)
class Vote:
    """One judgement, as far as the roll-up needs it."""

    judgement_id: str
    run: int
    offline: bool
    snapshot_id: str
    verdict: str | None
    supported: bool | None
    confidence: float | None
    quote_status: str
    unproven: bool = False
    """The judge said supported and its quote is not in the source, so that its word has no vote."""


@dataclass(frozen=True, slots=True)
class RollUp:
    """The judges' word on a statement. ``lead`` is the judgement to show first, ``None`` when nobody judged.

    ``abstained`` counts the judges without a vote; ``tied``: the verdicts, or supported and not, were even, whatever
    the tie rule made of it.
    """

    verdict: str | None
    supported: bool | None
    conflict: bool
    votes_for: int
    votes_other: int
    abstained: int
    tied: bool
    lead: Vote | None
    false_quotes: tuple[str, ...]
    lowest_confidence: float | None


def roll_up(votes: Iterable[Vote], tie: TieRule = "undecided") -> RollUp:
    """Roll the judgements on one statement up to a verdict."""
    everyone = list(votes)
    jury = [vote for vote in everyone if not vote.offline] or everyone
    runs = [[vote for vote in jury if vote.run == run] for run in sorted({vote.run for vote in jury})]
    by_run = [_over_sources(run) for run in runs]
    tally = Counter(verdict for verdict in by_run if verdict)
    most = max(tally.values(), default=0)
    first = [label for label in tally if tally[label] == most]
    verdict = _broken(first, tie)
    supports = [_supports(run) for run in runs]
    said = Counter(word for word in supports if word is not None)
    even = said[True] == said[False]
    supported = _EVEN[tie] if even and said else None if even else said[True] > said[False]
    false = [vote for vote in jury if vote.unproven or (vote.supported and vote.quote_status in FALSE_QUOTE)]
    confidences = [vote.confidence for vote in jury if vote.confidence is not None and _counts(vote, verdict)]
    labels = {vote.verdict for vote in jury}
    return RollUp(
        verdict=verdict,
        supported=supported,
        conflict="supported" in labels and "contradicted" in labels and _across_sources(jury),
        votes_for=most,
        votes_other=sum(tally.values()) - most,
        abstained=sum(label is None and word is None for label, word in zip(by_run, supports, strict=True)),
        tied=len(first) > 1 or (even and bool(said)),
        lead=_lead(false or jury, verdict),
        false_quotes=tuple(sorted({"altered" if vote.quote_status == "altered" else "absent" for vote in false})),
        lowest_confidence=min(confidences, default=None),
    )


_EVEN: Final[dict[TieRule, bool | None]] = {"undecided": None, "supported": True, "not_supported": False}


def _broken(first: Sequence[str], tie: TieRule) -> str | None:
    """The verdict among those that most judges have, by the tie rule when there are several."""
    if len(first) < 2:
        return first[0] if first else None
    if tie == "supported" and "supported" in first:
        return "supported"
    if tie == "not_supported" and "supported" in first and len(first) == 2:
        return next(label for label in first if label != "supported")
    return None


def _over_sources(run: Sequence[Vote]) -> str | None:
    labels = {vote.verdict for vote in run}
    if None in labels and not labels & {"supported", "contradicted"}:
        return None
    return next((label for label in _STRENGTH if label in labels), None)


def _supports(run: Sequence[Vote]) -> bool | None:
    words = {vote.supported for vote in run}
    return True if True in words else None if None in words else False


def _counts(vote: Vote, verdict: str | None) -> bool:
    return verdict is None or vote.verdict == verdict


def _across_sources(jury: Sequence[Vote]) -> bool:
    """One judge sees support in one source and contradiction in another: not two judges who differ over one."""
    for run in {vote.run for vote in jury}:
        labels = {vote.verdict for vote in jury if vote.run == run}
        if {"supported", "contradicted"} <= labels:
            return True
    return False


def _lead(votes: Sequence[Vote], verdict: str | None) -> Vote | None:
    def rank(vote: Vote) -> tuple[bool, int, bool, float, int]:
        strength = _STRENGTH.index(vote.verdict) if vote.verdict in _STRENGTH else len(_STRENGTH)
        located = vote.quote_status in _LOCATED
        return (not _counts(vote, verdict), strength, not located, -(vote.confidence or 0.0), vote.run)

    return min(votes, key=rank, default=None)
