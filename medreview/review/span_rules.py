"""What a marked span must hold, in which order spans stand, and which two belong together. Plain rules, no study.

MedHalu section 2.3: an answer has a type and any number of spans, each with a type of its own and a reason. A
context-conflict is two places that cannot both be true: the second span names the first as its partner.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final, Protocol, TypeVar

from medreview.labels import is_label
from medreview.text import Span, sha256

PAIRED: Final = "context"
"""The type whose spans come in twos."""


class Marked(Protocol):
    """A span that stands: its event, the key of its document, its range and type, and the event of its partner."""

    @property
    def event_id(self) -> str: ...
    @property
    def target(self) -> str: ...
    @property
    def span(self) -> Span: ...
    @property
    def label(self) -> str: ...
    @property
    def partner(self) -> str: ...


M = TypeVar("M", bound=Marked)


def span_payload(
    text: str, span: Span, *, label: str, target: str, axis: str = "hallucination", reason: str = "", partner: str = "",
    finding: tuple[str, int] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """The payload of a ``span_add``: a range of ``text`` with its words, its type and the hash of the text.

    ``partner``: the event of the span that it belongs to; ``finding``: id and number of a machine's span that it was
    taken over from. Raises ``ValueError``, half a sentence: an empty range, one outside the text, a type that is none.
    """
    if not 0 <= span.start < span.end <= len(text):
        raise ValueError(f"{span.start}-{span.end} is no range in a text of {len(text)}")
    if label == "none" or not is_label(axis, label):
        raise ValueError(f"{label!r} is no type that a span can have")
    if partner and label != PAIRED:
        raise ValueError(f"a span of the type {label!r} has no partner")
    payload: dict[str, Any] = {
        "axis": axis,
        "label": label,
        "target": target,
        "start": span.start,
        "end": span.end,
        "exact": text[span.start : span.end],
        "sha256": sha256(text),
    }
    if reason.strip():
        payload["reason"] = reason.strip()
    if partner:
        payload["with"] = partner
    if finding is not None:
        payload["from_finding"], payload["from_span"] = finding
    return payload


def in_order(spans: Iterable[M], targets: Sequence[str]) -> tuple[M, ...]:
    """Spans as they are read: document by document in the order of their keys, then by place, then by time.

    Those in a document that is not there come last.
    """

    def place(mine: M) -> tuple[int, Span, str]:
        return targets.index(mine.target) if mine.target in targets else len(targets), mine.span, mine.event_id

    return tuple(sorted(spans, key=place))


def together(spans: Iterable[M]) -> list[tuple[M, ...]]:
    """The spans in groups: a context-conflict's two are one group, any other span is one of its own.

    In the order of each group's first; a partner that was deleted leaves the other alone.
    """
    given = list(spans)
    groups: dict[str, list[M]] = {}
    first = {mine.event_id: mine.partner for mine in given}
    for mine in given:
        leads = mine.partner if mine.label == PAIRED and mine.partner in first else mine.event_id
        groups.setdefault(leads, []).append(mine)
    return [tuple(group) for group in groups.values()]


def waiting_for_partner(spans: Iterable[M]) -> M | None:
    """The last span of a context-conflict whose second place is not marked; the next one is its partner."""
    alone = [group[0] for group in together(spans) if len(group) == 1 and group[0].label == PAIRED]
    return max(alone, key=lambda mine: mine.event_id, default=None)


def still_missing(label: str | None, spans: Iterable[M]) -> str:
    """What a label of the hallucination axis still wants, in words; ``""`` for nothing. It may be left so."""
    given = list(spans)
    if label in (None, "none"):
        return ""
    if not given:
        return "no place is marked"
    return "a context-conflict has one place only" if waiting_for_partner(given) else ""
