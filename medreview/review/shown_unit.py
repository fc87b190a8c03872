"""What is shown of a unit: its line in the queue, its highlights by the blind rules, places in its source."""

import json
import sqlite3
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from medreview.judges.rollup import MergedJudgement, MergedQuote
from medreview.judges.votes import mapped
from medreview.labels import FALSE_QUOTES, quote_doubt_words
from medreview.review.highlight_index import Mark
from medreview.review.reviewer_state import ReviewerState
from medreview.review.spans_and_findings import FindingSpan
from medreview.sources.ocr_pages import BY_OCR, Doubtful, OcrPage, least_sure, ocr_pages, percent, words_in_doubt
from medreview.sources.reading.text_structure import Heading, SetApart, heading_path
from medreview.text import Span, in_words, joined, places_in_text
from medreview.units.cited_source import Source
from medreview.units.kind import RESPONSE, Document, Machines
from medreview.units.statement_view import (
    Evidence,
    Judgement,
    JudgeQuote,
    StatementView,
    response_name,
    statement_name,
)


class QueueEntry(NamedTuple):
    """A unit as the queue pane names it, and its ``group`` (R07). ``badges`` and ``model`` are hidden in blind mode."""

    group: str
    model: str
    name: str
    badges: str
    text: str


def load_queue_entry(reader: sqlite3.Connection, statement_id: str) -> QueueEntry:
    """Read one line; raises ``KeyError`` when the study does not have the statement."""
    row = reader.execute(
        """SELECT r.ordinal AS response_ordinal, r.model, s.ordinal, s.response_id, coalesce(v.badges, '') AS badges,
                  substr(s.text, 1, 80) AS text
           FROM statement AS s JOIN response AS r USING (response_id) LEFT JOIN verdict AS v USING (statement_id)
           WHERE s.statement_id = ?""",
        (statement_id,),
    ).fetchone()
    if row is None:
        raise KeyError(statement_id)
    name = statement_name(reader, statement_id, row["response_id"], row["ordinal"])
    return QueueEntry(response_name(row["response_ordinal"]), row["model"], name, row["badges"], row["text"])


class DocumentOutline(NamedTuple):
    """The headings of a snapshot's text, the offsets at which a PDF's pages begin, the parts that do not stand open on
    the page, and the pages that were read by OCR, in text order; all may be empty."""

    outline: tuple[Heading, ...] = ()
    page_starts: tuple[int, ...] = ()
    set_apart: tuple[SetApart, ...] = ()
    by_ocr: tuple[OcrPage, ...] = ()

    def told(self, text: str, start: int, end: int) -> str:
        """``text[start:end]`` with each part that is set apart in brackets, with its kind: ``[hidden: ...]``, and each
        word that OCR may have read wrong: ``[71% sure: 500]``."""
        pieces: list[str] = []
        at = start
        doubtful = (SetApart(*word[:2], f"{percent(word.confidence)} sure") for word in words_in_doubt(self.by_ocr))
        for part in sorted((*self.set_apart, *doubtful)):
            first, last = max(part.start, start, at), min(part.end, end)
            if first < last:
                pieces += text[at:first], f"[{part.kind}: {text[first:last]}]"
                at = last
        return "".join((*pieces, text[at:end]))

    def apart_in(self, start: int, end: int) -> tuple[SetApart, ...]:
        """The parts that are set apart and have characters of ``text[start:end]``."""
        first = bisect_right(self.set_apart, start, key=lambda part: part.end)
        return self.set_apart[first : bisect_left(self.set_apart, end, key=lambda part: part.start)]

    def path(self, text: str, offset: int) -> tuple[str, ...]:
        """The texts of the headings above an offset, the outermost first."""
        words = (" ".join(text[heading.start : heading.end].split()) for heading in heading_path(self.outline, offset))
        return tuple(filter(None, words))

    def page(self, offset: int) -> tuple[int, int] | None:
        """The page of an offset, counted from 1, and the number of pages; ``None`` for a text without pages."""
        if not self.page_starts:
            return None
        return max(1, bisect_right(self.page_starts, offset)), len(self.page_starts)

    def ocr_confidence(self, offset: int) -> float | None:
        """How sure OCR was of the page of an offset, 0..1; ``None`` for a page that it did not read."""
        number, _ = self.page(offset) or (1, 1)
        return next((page.confidence for page in self.by_ocr if page.page == number), None)


def load_outline(reader: sqlite3.Connection, snapshot_id: str) -> DocumentOutline:
    """The outline and pages of a snapshot."""
    row = reader.execute(
        "SELECT outline, page_starts, set_apart FROM snapshot WHERE snapshot_id = ?", (snapshot_id,)
    ).fetchone()
    return DocumentOutline(
        outline=tuple(Heading(*heading) for heading in json.loads(row["outline"])),
        page_starts=tuple(json.loads(row["page_starts"])),
        set_apart=tuple(SetApart(*part) for part in json.loads(row["set_apart"])),
        by_ocr=ocr_pages(reader, snapshot_id),
    )


class Highlights(NamedTuple):
    """Marks in a snapshot's text. ``opening`` is where to open it, ``stops`` where ``m`` goes, ``remarks`` go under
    the row that holds their offset, ``told`` under the last row of a passage: what that is. ``nothing``: by the rules
    no passage is like the statement, and no judge quotes one."""

    marks: tuple[Mark, ...] = ()
    stops: tuple[Span, ...] = ()
    opening: Span | None = None
    remarks: Mapping[int, str] = MappingProxyType({})
    told: Mapping[int, str] = MappingProxyType({})
    nothing: bool = False


MEANING: Final = {"supported": "says", "contradicted": "against", "partial": "partly"}
"""By level of evidence, how a passage is lit of which that is said; with another level it is just a ``quote``."""

SETTLES: Final = frozenset(MEANING.values())
_TRUE: Final = SETTLES | {"quote"}
NEAREST: Final = "nearest passage; the rules are not sure"
READ_BOTH_WAYS: Final = "the judges read this passage both ways"
_MOST_LIT: Final = 3
"""At most one in so many characters of a page is lit: who sees all of it lit sees nothing."""


def in_source(
    item: StatementView,
    own: ReviewerState,
    source: Source,
    evidence: Evidence,
    judges: bool,
    read: str = "",
    text: Callable[[], str] = str,
) -> Highlights:
    """The marks in one source, whose page is ``text``. Without ``judges``: only shared words, by the same rule for
    every statement.

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
    quotes = _quoted(item, sorted(here, key=lambda said: said.judgement_id != lead), source.snapshot_id)
    by_rules = _by_rules(next((said for said in here if said.offline), None), evidence, quotes)
    lit = best((*quotes, *by_rules), text(), (*evidence.lexical, *(clash.source for clash in evidence.clashes)))
    told = {mark.end - 1: NEAREST for mark in lit if mark.kind == "evidence"}
    both = read_both_ways(lit)
    told |= {mark.end - 1: READ_BOTH_WAYS for mark in both}
    for said in here:
        for quote in said.quotes:
            if doubt := quote_doubt_words(quote.doubt):
                told |= {span.end - 1: f"{said.judge}'s quote: {doubt}" for span in quote.spans[-1:]}
    lit = _in_doubt(lit, [clash.source for clash in evidence.clashes])
    clashes, remarks = _clashes(item, here, evidence, words_in_doubt(source.by_ocr))
    stops = tuple(dict.fromkeys(Span(mark.start, mark.end) for mark in lit))
    nothing = not lit and any(said.offline and said.verdict == "not_addressed" for said in here)
    marks = (*drawn_of(lit), *both, *clashes, *own_marks)
    return Highlights(marks, tuple(sorted(stops)), next(iter(stops), None), remarks, told, nothing)


def in_document(
    document: Document,
    machines: Machines,
    own: ReviewerState,
    findings: Sequence[FindingSpan],
    read: str = "",
    *,
    finds: bool = False,
) -> Highlights:
    """The marks in a text of another unit than a statement: its own, mine, and the quotations of the machines.

    ``read`` as of :func:`in_source`. ``finds``: the kind's labels belong to places in an answer, so that a quotation is
    in doubt; those that I rejected are gone.
    """
    quoted = [
        Mark(*span, "doubted" if passage.false or finds else MEANING.get(opinion.label or "", "quote"))
        for opinion in machines.opinions
        for passage in opinion.passages
        if passage.key == document.key
        for span in passage.spans
    ]
    if document.key == RESPONSE:
        left = {place for span in findings if span.standing != "rejected" for place in span.places}
        gone = {place for span in findings for place in span.places} - left
        quoted = [mark for mark in quoted if Span(*mark[:2]) not in gone]
    found = [Mark(*mark) for key, mark in machines.marks if key == document.key]
    near = [] if any(mark.kind in SETTLES for mark in quoted) else [mark for mark in found if mark.kind == "evidence"]
    lit = [*quoted, *near]
    if document.snapshot_id is not None:
        lit = best(lit, document.text, [Span(*mark[:2]) for mark in document.marks if mark.shade == "lexical"])
    marks = [*map(Mark._make, document.marks), *(mark for mark in found if mark.kind != "evidence")]
    stops = sorted({Span(*mark[:2]) for mark in (*marks, *lit) if mark.kind not in ("statement", "left_out")})
    both = read_both_ways(lit)
    marks += [*drawn_of(lit), *both]
    told = {mark.end - 1: NEAREST for mark in lit if mark.kind == "evidence"}
    told |= {mark.end - 1: READ_BOTH_WAYS for mark in both}
    marks += [Mark(*mine.span, "span") for mine in own.spans if mine.target == document.key]
    its = (passage for opinion in machines.opinions if opinion.opinion_id == read for passage in opinion.passages)
    own_quotes = [span for passage in its if passage.key == document.key for span in passage.spans]
    passages = [Span(*mark[:2]) for mark in lit if mark.kind != "evidence"] or [Span(*mark[:2]) for mark in lit]
    first = min(own_quotes or passages, default=None)
    opens = None if document.opens is None else Span(document.opens, document.opens + 1)
    remarks = {at: words for key, at, words in machines.remarks if key == document.key}
    return Highlights(tuple(marks), tuple(stops), first or opens or next(iter(stops), None), remarks, told)


def _in_doubt(lit: Sequence[Mark], differing: Sequence[Span]) -> list[Mark]:
    """The passages; one of support is in doubt where it has a number or a word otherwise than the statement."""
    return [
        mark._replace(kind="doubted")
        if mark.kind == "says" and any(Span(mark.start, mark.end).overlap(place) for place in differing)
        else mark
        for mark in lit
    ]


def found_in_source(item: StatementView, source: Source, evidence: Evidence) -> tuple[list[Mark], dict[int, str]]:
    """All that was found in one source: the judges' quotes, the leading one first, the rules' passages, and what
    differs, with words on that by offset. The screen lights a part of it."""
    here = [said for said in item.judgements if said.snapshot_id == source.snapshot_id]
    lead = item.verdict.judgement_id if item.verdict else None
    here.sort(key=lambda said: said.judgement_id != lead)
    quotes = dict.fromkeys(Span(*mark[:2]) for mark in _quoted(item, here, source.snapshot_id))
    clashes, remarks = _clashes(item, here, evidence, words_in_doubt(source.by_ocr))
    found = [*(Mark(*span, "quote") for span in quotes), *(Mark(*span, "evidence") for span in evidence.highlights)]
    return [*found, *clashes], remarks


def _quoted(item: StatementView, here: Sequence[Judgement], snapshot_id: str | None) -> list[Mark]:
    """The judges' quotes in one source, by what is said of them, or in doubt."""
    found = [
        Mark(*span, _quote_meaning(said, quote))
        for said in here
        if not said.offline
        for quote in said.quotes
        for span in quote.spans
    ]
    found += [
        Mark(*span, _quote_meaning(said, quote))
        for said in item.merged
        for quote in said.quotes
        if quote.snapshot_id == snapshot_id
        for span in quote.spans
    ]
    return list(dict.fromkeys(found))


def drawn_of(lit: Sequence[Mark]) -> list[Mark]:
    """The marks of these passages: a quote in doubt is lit only where no true one is."""
    true = [Span(*mark[:2]) for mark in lit if mark.kind in _TRUE]
    return [
        Mark(*span, mark.kind)
        for mark in lit
        for span in (_outside(Span(*mark[:2]), true) if mark.kind == "doubted" else [Span(*mark[:2])])
    ]


def _outside(span: Span, others: Sequence[Span]) -> list[Span]:
    """What of a range is in none of the others."""
    left = [span]
    for other in others:
        left = [
            part
            for one in left
            for part in (
                [Span(one.start, min(one.end, other.start)), Span(max(one.start, other.end), one.end)]
                if one.overlap(other)
                else [one]
            )
            if part
        ]
    return left


def _quote_meaning(said: Judgement | MergedJudgement, quote: JudgeQuote | MergedQuote) -> str:
    """What is quoted against the statement is ``against``; beside it the other quotes are what their label says."""
    if quote.opposes:
        return _meaning("contradicted", False, quote.status, quote.doubt)
    verdict, supported = said.verdict, said.supported
    if any(one.opposes for one in said.quotes):
        verdict, supported = mapped(said.raw_label) or (None, None)
    return _meaning(verdict, supported, quote.status, quote.doubt)


def _meaning(verdict: str | None, supported: bool | None, status: str, doubt: str | None = None) -> str:
    if status in FALSE_QUOTES or quote_doubt_words(doubt):
        return "doubted"
    return MEANING.get(verdict or "", "says" if verdict is None and supported else "quote")


def _by_rules(said: Judgement | None, evidence: Evidence, quotes: Sequence[Mark]) -> list[Mark]:
    """The rules' best passages, where they say more than the quotes: by their verdict, or as the nearest ones. None
    where they find nothing like the statement."""
    if said is not None and said.verdict == "not_addressed":
        return []
    kind = MEANING.get(said.verdict or "", "evidence") if said is not None else "evidence"
    true = [Span(mark.start, mark.end) for mark in quotes if mark.kind != "doubted"]
    if kind == "evidence" and any(mark.kind in SETTLES for mark in quotes):
        return []
    passages = [span for span in evidence.highlights if not any(span.overlap(quote) for quote in true)]
    if kind != "evidence":
        clashing = [span for span in passages if any(span.overlap(clash.source) for clash in evidence.clashes)]
        passages = clashing or passages[:1]
    return [Mark(*span, kind) for span in passages]


def read_both_ways(lit: Sequence[Mark]) -> list[Mark]:
    """Where a passage that supports and one that contradicts are the same."""
    says, against = ([Span(*mark[:2]) for mark in lit if mark.kind == kind] for kind in ("says", "against"))
    shared = ((one, other) for one in says for other in against if one.overlap(other))
    return [Mark(max(one.start, other.start), min(one.end, other.end), "doubted") for one, other in shared]


def best(lit: Sequence[Mark], text: str, telling: Sequence[Span]) -> list[Mark]:
    """The first of these passages, as many as a third of the page has room for; of one that is longer its best
    sentences, those with the most ``telling`` words. One sentence at least."""
    room, kept = len(text) // _MOST_LIT, list[Mark]()
    if not text or sum(mark.end - mark.start for mark in lit) <= room:
        return list(lit)
    from medreview.statements.sentences import sentence_spans  # only short pages need it

    for mark in lit:
        parts = [Span(*mark[:2])]
        if mark.end - mark.start > room:
            parts = sentence_spans(text, mark.start, mark.end)
            parts.sort(key=lambda part: -sum(map(bool, map(part.overlap, telling))))
        for part in parts:
            there = [Span(*other[:2]) for other in kept]
            more = sum(one.end - one.start for one in _outside(part, there))
            if more <= room or not kept:
                kept.append(Mark(*part, mark.kind))
                room -= more
    return kept


def _clashes(
    item: StatementView, here: Sequence[Judgement], evidence: Evidence, in_doubt: Sequence[Doubtful]
) -> tuple[list[Mark], dict[int, str]]:
    """What the page has otherwise than the statement or a quote, and the words under it."""
    lit: list[Mark] = []
    remarks: dict[int, str] = {}

    def doubt(span: Span) -> str:
        sure = least_sure(in_doubt, span)
        return "" if sure is None else f" ({BY_OCR}, {percent(sure)})"

    for clash in evidence.clashes:
        lit.append(Mark(*clash.source, "clash"))
        _remark(
            remarks, clash.source.start, f"{_cut(item.text, clash.statement)} in the statement{doubt(clash.source)}"
        )
    for judgement in here:
        for quote in judgement.quotes:
            for in_quote, in_text in quote.differences:
                lit.append(Mark(*in_text, "clash"))
                words = f"{_cut(quote.text, in_quote)} in {judgement.judge}'s quote{doubt(in_text)}"
                _remark(remarks, in_text.start, words)
    return lit, remarks


def in_statement(item: StatementView, evidence: Evidence, snapshot_id: str | None) -> tuple[Mark, ...]:
    """Marks in the statement's own text, where the judges may be seen: the numbers and words that a source has
    otherwise, and what a judge does not find on its page, or on any; of a judge that finds nothing there, nothing."""
    here = [said for said in item.judgements if said.snapshot_id == snapshot_id]
    every: list[Judgement | MergedJudgement] = [*here, *item.merged]
    missing = (place for said in every if said.verdict != "not_addressed" for place in said.missing_at)
    return (
        *(Mark(*clash.statement, "clash") for clash in evidence.clashes),
        *dict.fromkeys(Mark(*place, "missing") for place in missing),
    )


def in_response(item: StatementView, own: ReviewerState, in_text: Sequence[Mark]) -> tuple[Mark, ...]:
    """Marks in the response: the statement, those in its own text, what the reviewer marked, and parts left out."""
    marks = [Mark(part.start, part.end, "left_out") for part in item.left_out]
    marks += [Mark(*place, "statement") for place in item.shown_at]
    if joined(item.response, item.places) == item.text:
        marks += [
            Mark(*place, mark.kind)
            for mark in in_text
            for place in places_in_text(item.places, Span(mark.start, mark.end))
        ]
    return (*marks, *(Mark(*mine.span, "span") for mine in own.spans if mine.target == "response"))


def left_out_words(item: StatementView) -> tuple[tuple[int, str], ...]:
    """Why parts of the response are no statements, by where they begin; of neighbours with one reason the first says
    it."""
    parts = sorted(item.left_out, key=lambda part: part.start)
    found = [
        (part.start, f"left out: {in_words(part.reason)}")
        for before, part in zip((None, *parts), parts, strict=False)
        if before is None or before.reason != part.reason or item.response[before.end : part.start].strip()
    ]
    return tuple(found)


def _remark(remarks: dict[int, str], offset: int, words: str) -> None:
    remarks[offset] = f"{remarks[offset]} · {words}" if offset in remarks else words


def _cut(text: str, span: Span) -> str:
    words = text[span.start : span.end]
    return words if len(words) <= 24 else words[:23] + "…"
