"""A reviewer's spans as events, and the judges' findings in a response: which are open, taken over, rejected."""

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from medreview.review.reviewer_state import ReviewerSpan, ReviewerState
from medreview.review.span_editing import SpanEdit, partner_for
from medreview.study.events import NewEvent
from medreview.study.ids import STATEMENT, ids_of, kind_of, unit_id
from medreview.text import Span, sha256
from medreview.units.findings import Finding, alone, findings_of, span_payload

Standing = Literal["open", "taken", "rejected"]


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
    """The end of a span, with its words for readers of the record."""
    return NewEvent("span_del", unit, {"span": mine.event_id, "exact": mine.exact}, mine.snapshot_id)


def spans_in_order(texts: Sequence[str | None], own: ReviewerState) -> tuple[ReviewerSpan, ...]:
    """The spans a reviewer marked on a unit, by ``texts`` (a target, or a snapshot for those in a source) and place."""

    def place(mine: ReviewerSpan) -> tuple[int, Span, str]:
        text = mine.snapshot_id if mine.target == "source" else mine.target
        return texts.index(text) if text in texts else len(texts), mine.span, mine.event_id

    return tuple(sorted(own.spans, key=place))


class FindingSpan(NamedTuple):
    """One passage of a judge's finding: where it stands in the response, and what the reviewer made of it.

    ``finding`` and ``number`` name it in events. ``places`` are never empty: words that are not in the response cannot
    be taken over. ``here``: those of them where the unit stands, all for an answer.
    """

    finding: Finding
    number: int
    quote: str
    places: tuple[Span, ...]
    standing: Standing
    here: tuple[Span, ...]

    @property
    def label(self) -> str:
        """The type that its judge gave."""
        return self.finding.type or "other"

    @property
    def order(self) -> tuple[Span, str, int]:
        """The reading order of passages."""
        return self.places[0], self.finding.judge, self.number


def response_of(reader: sqlite3.Connection, unit: str) -> str:
    """The response that a unit is or is part of, ``""`` where findings have no place."""
    if kind_of(unit) == "answer":
        return ids_of(unit)[0]
    if kind_of(unit) != STATEMENT:
        return ""
    row = reader.execute("SELECT response_id FROM statement WHERE statement_id = ?", (unit,)).fetchone()
    return str(row[0]) if row else ""


def load_finding_spans(
    reader: sqlite3.Connection, unit: str, reviewer: str, pass_no: int = 1
) -> tuple[FindingSpan, ...]:
    """The places of findings in the response of a statement or an answer, in reading order.

    What was made of one in any unit of the response holds in all of them. Call it only where the machines' opinion may
    be seen.
    """
    response_id = response_of(reader, unit)
    findings = alone(findings_of(reader, response_id)) if response_id else ()
    if not findings:
        return ()
    handled = _handled(reader, response_id, reviewer, pass_no)
    whole = kind_of(unit) != STATEMENT
    here = {} if whole else _within(reader, unit)
    found = [
        FindingSpan(
            finding=one,
            number=span.number,
            quote=span.quote,
            places=span.places,
            standing=handled.get((one.finding_id, span.number), "open"),
            here=span.places if whole else tuple(here.get((one.finding_id, span.number), ())),
        )
        for one in findings
        for span in one.spans
        if span.places
    ]
    return tuple(sorted(found, key=lambda span: span.order))


def next_open(spans: Sequence[FindingSpan], after: FindingSpan | None, step: int = 1) -> FindingSpan | None:
    """The next (1) or previous (-1) open passage where the unit stands, round and round; ``None`` when none is open."""
    waiting = [span for span in spans if span.here and span.standing == "open"]
    if step < 0:
        waiting.reverse()

    def is_beyond(span: FindingSpan) -> bool:
        return after is not None and (span.order > after.order if step > 0 else span.order < after.order)

    return next(filter(is_beyond, waiting), next(iter(waiting), None))


def taking(unit: str, text: str, span: FindingSpan, own: Iterable[ReviewerSpan]) -> list[NewEvent]:
    """A passage becomes the reviewer's span, with its type: every part of a quote, of repeated words the first.

    ``own``: the spans that stand, of which one may be the other place of a context-conflict.
    """
    partner = partner_for(span.label, own)
    parts = {text[start:end]: Span(start, end) for start, end in reversed(span.here)}
    return [
        span_event(
            unit, "hallucination", span.label, "response", SpanEdit(text, *place), None, with_span=partner,
            finding=(span.finding.finding_id, span.number),
        )
        for place in sorted(parts.values())
    ]  # fmt: skip


def rejecting(unit: str, span: FindingSpan) -> NewEvent:
    """The reviewer rejects a passage as a finding."""
    return NewEvent("finding", unit, {"finding": span.finding.finding_id, "span": span.number, "taken": False})


def _handled(
    reader: sqlite3.Connection, response_id: str, reviewer: str, pass_no: int
) -> dict[tuple[str, int], Standing]:
    rows = reader.execute(
        """SELECT finding_id, span, taken FROM finding_handled WHERE reviewer = ?2 AND pass = ?3 AND unit IN
               (SELECT statement_id FROM statement WHERE response_id = ?1 UNION ALL SELECT ?4)
           ORDER BY event_id""",
        (response_id, reviewer, pass_no, unit_id("answer", response_id)),
    )
    return {(row["finding_id"], row["span"]): "taken" if row["taken"] else "rejected" for row in rows}


def _within(reader: sqlite3.Connection, statement_id: str) -> dict[tuple[str, int], list[Span]]:
    """By finding and number: its places where a statement stands."""
    rows = reader.execute(
        """SELECT finding_id, span, "start", "end" FROM finding_statement WHERE statement_id = ? ORDER BY 3""",
        (statement_id,),
    )
    found: dict[tuple[str, int], list[Span]] = {}
    for finding_id, number, start, end in rows:
        found.setdefault((finding_id, number), []).append(Span(start, end))
    return found
