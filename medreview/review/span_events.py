"""What marking a span is recorded as."""

from medreview.review.reviewer_state import ReviewerState
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
