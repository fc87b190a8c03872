"""Spans in an answer, and what judges found in a response, in line mode."""

from typing import Final

from medreview.cli.plain_words import wrapped
from medreview.errors import UserError
from medreview.labels import Label
from medreview.review.finding_acts import FindingActs
from medreview.review.span_editing import SpanEdit
from medreview.review.span_rules import partner_for
from medreview.review.unit_session import UnitSession
from medreview.text import Span
from medreview.units.source_document import RESPONSE
from medreview.visible import visible_line

FINDINGS_HELP: Final = "F       what judges found in the response      F N   take number N over      F N x   reject it"
SPANS_HELP: Final = """\
h N WORDS        mark these words of the answer, with the type N
h N WORDS // WHY the same with a reason"""


def findings(session: FindingActs, rest: str) -> bool:
    """List the findings that are open where the unit stands, or take over or reject one: an act."""
    session.open_finding()
    spans = [span for span in session.findings if span.here and span.standing == "open"]
    number, _, what = rest.partition(" ")
    if not number:
        for place, span in enumerate(spans, 1):
            finding = span.finding
            print(wrapped(f"{place} {finding.judge}: {finding.words} “{span.quote}” {finding.reason}".rstrip()))
        print("F and a number takes it over, with x behind it rejects it.")
        return False
    if not number.isdecimal() or not 1 <= int(number) <= len(spans) or what not in ("", "x"):
        raise UserError(f"Say F and a number from 1 to {len(spans)}, and x behind it to reject.")
    (session.reject_finding if what else session.take_finding)(spans[int(number) - 1])
    return True


def ask_spans(session: UnitSession, label: Label) -> None:
    """After a type: say its receipt, then ask for words until there are no more."""
    print(visible_line(session.receipt))
    while True:
        other = ", the other place" if partner_for(label.level, session.own.spans) else ""
        told = input(
            f"Words of the {session.asks.noun} to mark as {label.name}{other} (// and why), Enter none: "
        ).strip()
        if not told:
            return
        try:
            mark(session, f"{label.key} {told}")
            print(visible_line(session.receipt))
        except UserError as error:
            print(visible_line(str(error)))


def mark(session: UnitSession, rest: str) -> bool:
    """Mark words of the answer with a type; of a repeated passage the first place that is not marked yet."""
    digit, _, told = rest.partition(" ")
    words, _, why = (part.strip() for part in told.partition("//"))
    label = next((label for label in session.asks.levels if label.key == digit and label.level != "none"), None)
    if label is None or not words:
        types = ", ".join(f"{one.key} {one.name}" for one in session.asks.levels if one.level != "none")
        raise UserError(f"Say h, a number and the words to mark: {types}.")
    if session.own.label in (None, "none"):
        raise UserError(f"Say first that the {session.asks.noun} has a hallucination, by its type.")
    place = _place(session, words)
    session.add_span(RESPONSE, SpanEdit(session.response_text(), *place), label=label.level, reason=why)
    return True


def _place(session: UnitSession, words: str) -> Span:
    text, taken = session.response_text(), {mine.span for mine in session.own.spans if mine.target == RESPONSE}
    start = text.find(words)
    while start >= 0:
        place = Span(start, start + len(words))
        if place not in taken:
            return place
        start = text.find(words, start + 1)
    raise UserError(f"The {session.asks.noun} does not say that in these words, or they are marked already.")
