"""The judges' findings in a response: which are open, taken over, rejected, and the acts of a reviewer on them."""

import sqlite3
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from medreview.errors import UserError
from medreview.review.deciding import Deciding, span_event
from medreview.review.decision import brief
from medreview.review.highlight_index import Mark
from medreview.review.reviewer_state import ReviewerSpan, ReviewerState
from medreview.review.span_editing import SpanEdit, partner_for
from medreview.study.events import NewEvent
from medreview.study.ids import STATEMENT, ids_of, kind_of, unit_id
from medreview.text import Span
from medreview.units.findings import Finding, alone, findings_of

Standing = Literal["open", "taken", "rejected"]


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

    What was made of one in any unit of the response holds in all of them. To be asked only where the machines' opinion
    may be seen.
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
    """A passage is no hallucination to the reviewer."""
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


class FindingActs(Deciding):
    """The acts on findings. They are read only where the machines' opinion may be seen."""

    of_unit = (*Deciding.of_unit, "_findings", "_findings_beside")
    _findings: tuple[FindingSpan, ...] = ()
    _findings_beside: ReviewerState | None = None
    """The state of mine that they were read beside: it is another object after each act and each move."""

    @property
    def findings(self) -> tuple[FindingSpan, ...]:
        """The places of findings in the response of the unit on the screen; none where they are hidden."""
        if not self.unit or not self.shows_judges:
            return ()
        if self._findings_beside is not self.own:
            self._findings = load_finding_spans(self.study.reader, self.unit, self.reviewer, self.pass_no)
            self._findings_beside = self.own
        return self._findings

    def _read_beside(self) -> None:
        _ = self.findings

    def finding_marks(self) -> tuple[Mark, ...]:
        """Their marks in the response, without those that I rejected."""
        left = (span for span in self.findings if span.standing != "rejected")
        return tuple(Mark(*place, "quote") for span in left for place in span.places)

    def open_finding(self, after: FindingSpan | None = None, step: int = 1) -> FindingSpan:
        """The next (1) or previous (-1) open finding where the unit stands, round and round.

        Raises :class:`UserError` where findings are hidden, and when none is open.
        """
        if not self.shows_judges:
            raise UserError(f"What judges found is hidden {self.hidden_until}.")
        found = next_open(self.findings, after, step)
        if found is None:
            here = any(span.here for span in self.findings)
            raise UserError(
                "No finding is open here any more." if here else f"No judge found anything in this {self.asks.noun}."
            )
        return found

    def open_findings(self) -> int:
        """How many are open where the unit stands."""
        return sum(1 for span in self.findings if span.here and span.standing == "open")

    def take_finding(self, span: FindingSpan) -> None:
        """Take one over: it becomes my span, with its type."""
        text = self.response_text()
        self._write(taking(self._current(), text, span, self.own.spans), f"{self.name} · took over {brief(span.quote)}")

    def reject_finding(self, span: FindingSpan) -> None:
        """It is no hallucination to me."""
        self._write([rejecting(self._current(), span)], f"{self.name} · rejected {brief(span.quote)}")

    @abstractmethod
    def response_text(self) -> str:
        """The text of the response that findings are in; empty for a unit without one."""
