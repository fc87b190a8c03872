"""Which statements to look at first, and why: the badges of the flagged queue.

Triage finds errors; it does not estimate how many there are. The order is that of how often such a flag turns out to
be an error and how much harm it does: invented quotes first, then what a source contradicts.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from medreview.judges.rollup import RollUp

_LOW_CONFIDENCE: Final = 0.6
_DOUBTFUL: Final = 0.5
_CLASH_WORDS: Final = {
    "number": "numbers differ",
    "unit": "units differ",
    "range": "numbers differ",
    "comparison": "comparison differs",
    "direction": "direction differs",
    "negation": "negation differs",
    "modality": "wording is stronger or weaker",
    "population": "population differs",
    "significance": "significance differs",
}


@dataclass(frozen=True, slots=True)
class Flag:
    """One reason to look at a statement; ``weight`` 1-99 orders them.

    ``snapshot_id``: the page that the reason is about, ``None`` when it is about no page more than another.
    """

    weight: int
    badge: str
    snapshot_id: str | None = None


@dataclass(frozen=True, slots=True)
class CitedPages:
    """The states of the pages a statement's response cites; ``cited`` counts the sources, fetched or not.

    A page that speaks to judges has the state ``instructions``. ``misled``: such a page on which a model found support.
    ``changed``: a page on which a judge spoke before its text changed, and not since; that word no longer counts.
    ``opens``: the page that opens first. ``readable``: there is a text of a source that could be judged.
    """

    cited: int
    states: Sequence[str]
    misled: str | None = None
    changed: str | None = None
    opens: str | None = None
    readable: bool = False


def flags(result: RollUp, clash_kinds: Iterable[str], pages: CitedPages, doubt: float = 0.0) -> list[Flag]:
    """Why a statement should be looked at, gravest first; empty when nothing speaks against the judges' verdict.

    ``clash_kinds`` are those of the page that opens first. ``doubt`` 0..1: how far the closest source is from the
    statement, in words and numbers alone.
    """
    found: list[Flag] = []
    lead = result.lead.snapshot_id if result.lead else None
    for status, weight in (("absent", 95), ("altered", 90)):
        if status in result.false_quotes:
            found.append(Flag(weight, f"quote {status}", lead))
    if result.verdict == "contradicted":
        found.append(Flag(80, "contradicted", lead))
    words = {_CLASH_WORDS[kind] for kind in clash_kinds}
    found += [Flag(75 if "number" in word or "unit" in word else 65, word, pages.opens) for word in sorted(words)]
    if pages.misled:
        found.append(Flag(85, "page: instructions", pages.misled))
    if pages.changed:
        found.append(Flag(58, "page changed", pages.changed))
    if result.conflict:
        found.append(Flag(70, "sources conflict", result.against))
    if result.votes_other:
        found.append(Flag(60, f"jury {result.votes_for}-{result.votes_other}"))
    found += _unsupported(result, pages, doubt)
    by_rules = result.lead is not None and result.lead.judge.offline
    if not by_rules and result.lowest_confidence is not None and result.lowest_confidence < _LOW_CONFIDENCE:
        found.append(Flag(40, "low confidence"))
    if found and result.supported is not True:
        # A page that could not be read explains a doubt; it is none when the other pages settled the matter.
        bad = sorted({state for state in pages.states if state != "ok"} - ({"instructions"} if pages.misled else set()))
        found += [Flag(30, f"page: {state.replace('_', ' ')}") for state in bad]
    return sorted(found, key=lambda flag: -flag.weight)


def _unsupported(result: RollUp, pages: CitedPages, doubt: float) -> list[Flag]:
    if not pages.cited:
        return [Flag(55, "no source cited")]
    if result.lead is None:
        return [Flag(50, "not judged yet" if pages.readable else "no readable source")]
    if result.verdict in ("not_addressed", "partial"):
        return [Flag(50 if result.verdict == "not_addressed" else 45, result.verdict.replace("_", " "))]
    if result.verdict is None and result.supported is False:
        return [Flag(50, "not supported")]
    if result.verdict is None and not result.votes_other and doubt >= _DOUBTFUL:
        return [Flag(35, "judge unsure")]
    return []


def cause(found: Iterable[Flag]) -> str | None:
    """The page that the gravest flag about a page is about."""
    return next((flag.snapshot_id for flag in found if flag.snapshot_id), None)


def priority(found: Sequence[Flag], doubt: float = 0.0) -> int:
    """0 when nothing is flagged; else the gravest flag, ties broken by more flags, then by doubt. Higher = sooner."""
    return found[0].weight * 100 + min(9, len(found) - 1) * 10 + round(9 * doubt) if found else 0
