"""Which places to mark for a statement: in the source, in the statement itself, in the response; by the blind rules."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from medreview.review.highlight_index import Mark
from medreview.review.reviewer_state import ReviewerState
from medreview.sources.read_by_ocr import BY_OCR, least_sure, percent, words_in_doubt
from medreview.text import Span, joined, places_in_text
from medreview.units.cited_source import Source
from medreview.units.statement_view import Evidence, StatementView


class Highlights(NamedTuple):
    """Marks in a snapshot's text. ``opening`` is where to open it, ``stops`` where ``m`` goes, ``remarks`` go under
    the row that holds their offset."""

    marks: tuple[Mark, ...] = ()
    stops: tuple[Span, ...] = ()
    opening: Span | None = None
    remarks: Mapping[int, str] = MappingProxyType({})


def in_source(
    item: StatementView, own: ReviewerState, source: Source, evidence: Evidence, judges: bool, read: str = ""
) -> Highlights:
    """The marks in one source. Without ``judges``: only shared words, by the same rule for every statement.

    ``read``: the judgement whose words are on the screen; its quote is where the source opens.
    """
    own_marks = [
        Mark(*mine.span, "span")
        for mine in own.spans
        if mine.target == "source" and mine.snapshot_id == source.snapshot_id
    ]
    if not judges:
        shared = evidence.lexical
        marks = (*(Mark(*span, "lexical") for span in shared), *own_marks)
        return Highlights(marks, tuple(sorted(shared)), next(iter(shared), None))
    here = [judgement for judgement in item.judgements if judgement.snapshot_id == source.snapshot_id]
    lead = read or (item.verdict.judgement_id if item.verdict else None)
    quoting = sorted((j for j in here if not j.offline), key=lambda judgement: judgement.judgement_id != lead)
    quotes = list(dict.fromkeys(span for judgement in quoting for span in judgement.quote_spans))
    together = [quote for said in item.merged for quote in said.quotes if quote.snapshot_id == source.snapshot_id]
    quotes += [span for quote in together for span in quote.spans if span not in quotes]
    lit = [Mark(*span, "quote") for span in quotes]
    lit += [Mark(*span, "evidence") for span in evidence.highlights]
    remarks: dict[int, str] = {}
    in_doubt = words_in_doubt(source.by_ocr)

    def doubt(span: Span) -> str:
        sure = least_sure(in_doubt, span)
        return "" if sure is None else f" ({BY_OCR}, {percent(sure)})"

    for clash in evidence.clashes:
        lit.append(Mark(*clash.source, "clash"))
        _remark(
            remarks, clash.source.start, f"{_cut(item.text, clash.statement)} in the statement{doubt(clash.source)}"
        )
    for judgement in here:
        for in_quote, in_text in judgement.differences:
            lit.append(Mark(*in_text, "clash"))
            _remark(
                remarks,
                in_text.start,
                f"{_cut(judgement.quote, in_quote)} in {judgement.judge}'s quote{doubt(in_text)}",
            )
    stops = tuple(dict.fromkeys([*quotes, *evidence.highlights]))
    return Highlights((*lit, *own_marks), tuple(sorted(stops)), next(iter(stops), None), remarks)


def in_statement(evidence: Evidence, judges: bool) -> tuple[Mark, ...]:
    """Marks in the statement's own text: the numbers and words that the source has otherwise."""
    return tuple(Mark(*clash.statement, "clash") for clash in evidence.clashes) if judges else ()


def in_response(item: StatementView, own: ReviewerState, evidence: Evidence, judges: bool) -> tuple[Mark, ...]:
    """Marks in the response: the statement, what in it the source has otherwise, what the reviewer marked, and what is
    no statement."""
    marks = [Mark(part.start, part.end, "left_out") for part in item.left_out]
    marks += [Mark(*place, "statement") for place in item.shown_at]
    if joined(item.response, item.places) == item.text:
        marks += [
            Mark(*place, mark.kind)
            for mark in in_statement(evidence, judges)
            for place in places_in_text(item.places, Span(mark.start, mark.end))
        ]
    return (*marks, *(Mark(*mine.span, "span") for mine in own.spans if mine.target == "response"))


def _remark(remarks: dict[int, str], offset: int, words: str) -> None:
    remarks[offset] = f"{remarks[offset]} · {words}" if offset in remarks else words


def _cut(text: str, span: Span) -> str:
    words = text[span.start : span.end]
    return words if len(words) <= 24 else words[:23] + "…"
