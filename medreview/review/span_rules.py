"""Which spans belong together, and what a label still wants. Plain rules, no study.

MedHalu section 2.3: an answer has a type and any number of spans, each with a type of its own and a reason. A
context-conflict is two places that cannot both be true: the second span names the first.
"""

from collections.abc import Iterable
from typing import Final, Protocol, TypeVar

PAIRED: Final = "context"
"""The type whose spans come in twos."""


class Marked(Protocol):
    """A span that stands: its event, its type, and the event of the span that it clashes with."""

    @property
    def event_id(self) -> str: ...
    @property
    def label(self) -> str: ...
    @property
    def with_span(self) -> str | None: ...


M = TypeVar("M", bound=Marked)


def together(spans: Iterable[M]) -> list[tuple[M, ...]]:
    """The spans in groups: a context-conflict's two are one group, any other span is one of its own.

    In the order of each group's first; a partner that was deleted leaves the other alone.
    """
    given = list(spans)
    there = {mine.event_id for mine in given}
    groups: dict[str, list[M]] = {}
    for mine in given:
        first = mine.with_span if mine.with_span in there else None
        groups.setdefault(first or mine.event_id, []).append(mine)
    return [tuple(group) for group in groups.values()]


def waiting_for_partner(spans: Iterable[M]) -> M | None:
    """The last span of a context-conflict whose second place is not marked; the next one is its partner."""
    alone = [group[0] for group in together(spans) if len(group) == 1 and group[0].label == PAIRED]
    return max(alone, key=lambda mine: mine.event_id, default=None)


def partner_for(label: str, spans: Iterable[M]) -> str | None:
    """The event that a new span of a type names as the one it clashes with; ``None`` for a first or a lone one."""
    first = waiting_for_partner(spans) if label == PAIRED else None
    return first.event_id if first else None


def still_missing(label: str | None, spans: Iterable[M]) -> str:
    """What a label of the hallucination axis still wants, in words; ``""`` for nothing. It may be left so."""
    given = list(spans)
    if label in (None, "none"):
        return ""
    if not given:
        return "no place is marked"
    return "a context-conflict has one place only" if waiting_for_partner(given) else ""
