"""What marking and deleting a span are recorded as, and the spans that stand."""

from collections.abc import Sequence

from medreview.review.reviewer_state import ReviewerSpan, ReviewerState
from medreview.review.span_editing import SpanEdit
from medreview.study.events import NewEvent
from medreview.text import Span, sha256
from medreview.units.span_payload import span_payload


def span_event(
    unit: str,
    axis: str,
    label: str,
    target: str,
    edit: SpanEdit,
    snapshot: str | None,
    *,
    reason: str = "",
    with_span: str | None = None,
    finding: tuple[str, int] | None = None,
) -> NewEvent:
    """A span that is marked with a level of an axis, in one of the unit's texts: ``"response"``, ``"source"`` (of a
    snapshot), or the key of a document. ``with_span``: the event of the span that it clashes with. ``finding``: id and
    number of the machine's span that it was taken over from."""
    payload = span_payload(
        axis, label, target, edit.text, edit.span, reason=reason, with_span=with_span, finding=finding
    )
    return NewEvent("span_add", unit, payload, snapshot)


def span_move(unit: str, mine: ReviewerSpan, edit: SpanEdit) -> NewEvent:
    """Other ends of a span, in the text that it lies in."""
    payload = {"span": mine.event_id, "start": edit.start, "end": edit.end, "exact": edit.exact}
    return NewEvent("span_move", unit, payload | {"sha256": sha256(edit.text)}, mine.snapshot_id)


def span_deletion(unit: str, mine: ReviewerSpan) -> NewEvent:
    """The end of a span, with its words for whoever reads the record."""
    return NewEvent("span_del", unit, {"span": mine.event_id, "exact": mine.exact}, mine.snapshot_id)


def spans_in_order(texts: Sequence[str | None], own: ReviewerState) -> tuple[ReviewerSpan, ...]:
    """The spans a reviewer marked on a unit, by ``texts`` (a target, or a snapshot for those in a source) and place."""

    def place(mine: ReviewerSpan) -> tuple[int, Span, str]:
        text = mine.snapshot_id if mine.target == "source" else mine.target
        return texts.index(text) if text in texts else len(texts), mine.span, mine.event_id

    return tuple(sorted(own.spans, key=place))
