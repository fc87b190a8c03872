"""From many judgements on a statement to one verdict: over its sources, then over the jury.

Rules. Over sources, per judge: supported if any source supports; else contradicted if any contradicts; else nothing if
the judge could not tell on one of them; else partial; else not addressed (SourceCheckup: one supporting source is
enough). Supported by one source and contradicted by another is a conflict, shown as such. Over judges: the verdict most
judges have; a tie gives no verdict. A judge that could not tell has no vote. The offline judge votes only where no
other judge has spoken.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class RollUp:
    """The judges' word on a statement. ``lead`` is the judgement to show first, ``None`` when nobody judged."""

    verdict: str | None
    supported: bool | None
    conflict: bool
    votes_for: int
    votes_other: int
    lead: Vote | None
    false_quotes: tuple[str, ...]
    lowest_confidence: float | None


def roll_up(votes: Iterable[Vote]) -> RollUp:
    """Roll the judgements on one statement up to a verdict."""
    everyone = list(votes)
    jury = [vote for vote in everyone if not vote.offline] or everyone
    runs = [[vote for vote in jury if vote.run == run] for run in sorted({vote.run for vote in jury})]
    by_run = [(_over_sources(run), run) for run in runs]
    tally = Counter(verdict for verdict, _ in by_run if verdict)
    best = tally.most_common(2)
    tied = len(best) == 2 and best[0][1] == best[1][1]
    verdict = best[0][0] if best and not tied else None
    supports = [_supports(run) for run in runs]
    said = Counter(word for word in supports if word is not None)
    supported = None if said[True] == said[False] else said[True] > said[False]
    false = [vote for vote in jury if vote.supported and vote.quote_status in FALSE_QUOTE]
    confidences = [vote.confidence for vote in jury if vote.confidence is not None and _counts(vote, verdict)]
    labels = {vote.verdict for vote in jury}
    return RollUp(
        verdict=verdict,
        supported=supported,
        conflict="supported" in labels and "contradicted" in labels and _across_sources(jury),
        votes_for=tally[verdict] if verdict else max(tally.values(), default=0),
        votes_other=sum(tally.values()) - (tally[verdict] if verdict else max(tally.values(), default=0)),
        lead=_lead(false or jury, verdict),
        false_quotes=tuple(sorted({vote.quote_status for vote in false})),
        lowest_confidence=min(confidences, default=None),
    )


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
