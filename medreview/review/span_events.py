"""What marking and deleting a span are recorded as, and the spans that stand."""

from medreview.errors import UserError
from medreview.review.reviewer_state import ReviewerSpan, ReviewerState
from medreview.review.span_editing import SpanEdit
from medreview.study.events import NewEvent
from medreview.text import Span, sha256
from medreview.units.statement_view import StatementView


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


def spans_in_order(item: StatementView, own: ReviewerState) -> tuple[ReviewerSpan, ...]:
    """The spans a reviewer marked on a statement: those in the response, then those in its sources, in their order.

    Raises :class:`UserError` when there is none.
    """
    sources = [source.snapshot_id for source in item.sources]
    if not own.spans:
        raise UserError("You have marked no span on this statement.")

    def place(mine: ReviewerSpan) -> tuple[int, Span, str]:
        source = sources.index(mine.snapshot_id) if mine.snapshot_id in sources else len(sources)
        return -1 if mine.target == "response" else source, mine.span, mine.event_id

    return tuple(sorted(own.spans, key=place))
