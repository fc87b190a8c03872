"""What marking and deleting a span are recorded as."""

from medreview.review.reviewer_state import ReviewerSpan, ReviewerState
from medreview.review.span_editing import SpanEdit
from medreview.review.statement_view import StatementView
from medreview.study.events import NewEvent
from medreview.text import sha256


def span_event(item: StatementView, own: ReviewerState, target: str, edit: SpanEdit, snapshot: str | None) -> NewEvent:
    """A span of the hallucination just named, in the ``"response"`` or the ``"source"``."""
    payload = {
        "axis": "hallucination",
        "label": own.hallucination or "other",
        "target": target,
        "start": edit.start,
        "end": edit.end,
        "exact": edit.exact,
        "sha256": sha256(edit.text),
    }
    return NewEvent("span_add", item.statement_id, payload, snapshot if target == "source" else None)


def span_deletion(item: StatementView, mine: ReviewerSpan) -> NewEvent:
    """The end of a span, with its words for whoever reads the record."""
    return NewEvent("span_del", item.statement_id, {"span": mine.event_id, "exact": mine.exact}, mine.snapshot_id)
