"""A brief as it is stored: notes with tags, the text as a response with markers, its verification, what was deleted."""

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from medreview.evidence.bearing import Bearing
from medreview.evidence.grounding import ground
from medreview.evidence.passage_ranking import SourceIndex
from medreview.evidence.segment import segment
from medreview.exchange.imports.answer_records import AnswerRecord
from medreview.exchange.imports.listed_citations import GivenPage
from medreview.generators.answer_rules import words
from medreview.generators.generator import ValidatorResult
from medreview.judges.injection import among_instructions
from medreview.judges.judge_answer import APART, answer_in
from medreview.judges.votes import mapped
from medreview.labels import PROVEN_QUOTES
from medreview.statements.sentences import sentence_spans
from medreview.text import Span
from medreview.units.cases import NOTE_KINDS, Case, case_of


@dataclass(frozen=True, slots=True)
class TaggedNote:
    """A note and its tag: ``N3`` is the third of its case in the order of dates. ``at``: its date, or ``""``."""

    tag: str
    note_id: str
    kind: str
    at: str
    author: str
    text: str

    @property
    def number(self) -> int:
        """Its place among the notes, from 1: the number by which the finished brief cites it."""
        return int(self.tag[1:])

    @property
    def name(self) -> str:
        """Kind, date and author in words: ``progress note 2031-03-03 09:10 internal medicine``."""
        return " ".join(part for part in (NOTE_KINDS[self.kind], self.at.replace("T", " "), self.author) if part)


def notes_of(reader: sqlite3.Connection, case_id: str) -> tuple[TaggedNote, ...]:
    """The notes of a case in the order of their dates."""
    rows = reader.execute(
        'SELECT ordinal, note_id, kind, "at", author, text FROM case_note WHERE case_id = ? ORDER BY ordinal',
        (case_id,),
    )
    return tuple(
        TaggedNote(f"N{row['ordinal']}", row["note_id"], row["kind"], row["at"], row["author"], row["text"])
        for row in rows
    )


def opening(notes: Sequence[TaggedNote]) -> tuple[TaggedNote, ...]:
    """The notes that a draft is made from, in order: the H&P and the last progress note (MedAgentBrief, step i).

    Where there is no H&P the first note stands for it, and where there is no progress note the last one.
    """
    first = next((note for note in notes if note.kind == "hp"), notes[0])
    last = next((note for note in reversed(notes) if note.kind == "progress"), notes[-1])
    return tuple(note for note in notes if note in (first, last))


def printed(notes: Sequence[TaggedNote]) -> str:
    """Notes one after the other as a prompt has them, each under a line with its tag, kind, date and author."""
    return joined(notes)[0]


def joined(notes: Sequence[TaggedNote]) -> tuple[str, tuple[Span, ...]]:
    """:func:`printed`, and the range of each note's own text in it."""
    text = ""
    places = []
    for note in notes:
        text += f"{chr(10) * 2 if text else ''}=== {note.tag}: {note.name} ===\n"
        places.append(Span(len(text), len(text) + len(note.text)))
        text += note.text
    return text, tuple(places)


HOST: Final = "notes.invalid"
"""The host of the addresses that stand for notes; nobody can register it (RFC 2606), and it is never asked."""
_NOT_IN_PATHS: Final = re.compile(r"[^\w.-]+")


class BriefPart(NamedTuple):
    """A statement of a finished brief, and the numbers of the notes that it cites."""

    text: str
    numbers: tuple[int, ...]


class Sections(NamedTuple):
    """A finished brief: the one line, the hospital course, and the problems with their names."""

    summary: tuple[BriefPart, ...]
    course: tuple[BriefPart, ...]
    problems: tuple[tuple[str, tuple[BriefPart, ...]], ...]


def brief_text(sections: Sections) -> str:
    """The brief in Markdown: headings, and a marker such as ``[1, 4]`` behind each sentence that cites notes.

    A section of which nothing is left has no heading either.
    """
    return "\n\n".join(_blocks(sections)) + "\n"


def _blocks(sections: Sections) -> Iterator[str]:
    for name, parts in (("One-line summary", sections.summary), ("Hospital course", sections.course)):
        if parts:
            yield f"## {name}"
            yield " ".join(map(_marked, parts))
    if any(parts for _, parts in sections.problems):
        yield "## Problem list"
    for name, parts in sections.problems:
        if parts:
            yield f"### {name}"
            yield "\n".join(f"- {_marked(part)}" for part in parts)


def _marked(part: BriefPart) -> str:
    if not part.numbers:
        return part.text
    marker = f" [{', '.join(map(str, part.numbers))}]"
    spans = sentence_spans(part.text, 0, len(part.text))
    return " ".join(part.text[span.start : span.end] + marker for span in spans)


def address_of(case: Case, note: TaggedNote) -> str:
    """The address that stands for a note: ``https://notes.invalid/CASE-1a2b3c/3-allied-2031-03-04``."""
    named = _NOT_IN_PATHS.sub("-", case.record_id or case.name).strip("-")
    parts = [str(note.number), note.kind, note.at[:10]]
    return f"https://{HOST}/{quote(f'{named}-{case.case_id[1:7]}')}/{quote('-'.join(filter(None, parts)))}"


def pages_of(case: Case, notes: Iterable[TaggedNote]) -> list[GivenPage]:
    """The notes as texts of the sources that a brief cites."""
    return [GivenPage(address_of(case, note), note.text, note.name) for note in notes]


def response_of(case: Case, notes: Sequence[TaggedNote], text: str, model: str) -> AnswerRecord:
    """The brief as a response to the case's question. It cites every note of the case, by its number, so that it can be
    held against all of them."""
    pages = tuple(pages_of(case, notes))
    return AnswerRecord(
        line=0,
        question=case.question,
        response=text,
        citations=tuple(page.address for page in pages),
        model=model,
        origin="",
        record_id=case.record_id,
        pages=pages,
    )


_ELLIPSIS: Final = re.compile(r"\s*[\[(]?(?:…|\.\s?\.\s?\.)[\])]?\s*")

QUOTE_CODES: Final = frozenset({"quote_absent", "quote_long", "quote_off_topic", "quote_among_instructions"})
"""What takes a judge's support away: it has no quote that proves it."""
_LONGEST_QUOTE: Final = 120
"""Words; the prompt asks for three sentences at most, and who quotes a whole note points to no place in it."""


class BriefOpinion(NamedTuple):
    """What a judge says: its label as written, whether that is support, its reason and quote."""

    label: str
    supported: bool
    reason: str
    quote: str


def check_opinion(value: Mapping[str, Any], statement: str, notes: Sequence[TaggedNote]) -> ValidatorResult:
    """A judge's answer on a statement and its notes. One that says the opposite as well does not support it.

    Support counts with a quote only that stands in the notes, bears on the statement, and is not among instructions.
    """
    raw = str(value["label"])
    known = mapped(raw)
    answer = answer_in(value)
    supported = known is not None and known[1] is True and not answer.opposes
    opinion = BriefOpinion(raw, supported, str(value["reason"]), APART.join(map(str.strip, answer.quotes)))
    if known is None or known[1] is None:
        return ValidatorResult(("label_unknown",), opinion)
    return ValidatorResult(_doubts(opinion, statement, notes) if opinion.supported else (), opinion)


def _doubts(opinion: BriefOpinion, statement: str, notes: Sequence[TaggedNote]) -> tuple[str, ...]:
    text, _ = joined(notes)
    spans = quoted_spans(opinion.quote, text)
    if not spans:
        return ("quote_absent",)
    if words(opinion.quote) > _LONGEST_QUOTE:
        return ("quote_long",)
    if any(among_instructions(text, span) for span in spans):
        return ("quote_among_instructions",)
    off_topic = Bearing(SourceIndex(text)).is_off_topic(statement, opinion.quote, spans)
    return ("quote_off_topic",) if off_topic else ()


def quoted_spans(quote: str, text: str) -> tuple[Span, ...]:
    """Where a quote stands in a text, true to it; nothing when it does not.

    The notes of one statement lie apart: parts that an ellipsis joins may each be proven by itself, but not two of one
    sentence, where what was left out between them could be what decides.
    """
    whole = ground(quote, text)
    if whole.status in PROVEN_QUOTES:
        return whole.spans
    parts = [part for part in _ELLIPSIS.split(quote) if part.strip()]
    found = [ground(part, text) for part in parts]
    if len(parts) < 2 or any(part.status not in PROVEN_QUOTES for part in found):
        return ()
    spans = [part.spans[0] for part in found]
    sentences = [
        {at for at, one in enumerate(segment(text)) if one.start < end and start < one.end} for start, end in spans
    ]
    apart = all(not one & other for one, other in pairwise(sentences))
    return tuple(spans) if apart else ()


@dataclass(frozen=True, slots=True)
class CitedNote:
    """A note that a statement cites: its number, its id, and the half-open ranges of its text that say it; ``quoted``
    by a judge, or found by the statement's words."""

    number: int
    note_id: str
    spans: tuple[tuple[int, int], ...]
    quoted: bool


def cited(statement: str, notes: Sequence[TaggedNote], quote: str) -> tuple[CitedNote, ...]:
    """The notes of a statement with the places that say it: those of the quote, else the passage that is nearest to it
    by its words; none where the note shares no word with it."""
    text, places = joined(notes)
    spans = quoted_spans(quote, text)
    resolved = []
    for note, place in zip(notes, places, strict=True):
        here = tuple(_within(span, place) for span in spans if span.overlap(place))
        nearest = [] if here else SourceIndex(note.text).rank(statement, 1)
        found = here or tuple(Span(hit.start, hit.end) for hit in nearest)
        resolved.append(CitedNote(note.number, note.note_id, found, bool(here)))
    return tuple(resolved)


def _within(span: Span, place: Span) -> Span:
    return Span(max(span.start, place.start) - place.start, min(span.end, place.end) - place.start)


SUPPORTED: Final = "supported"
UNVERIFIED: Final = "unverified"
"""States of a statement that stays: a judge found it in its notes, or what the judge said could not be used."""


@dataclass(frozen=True, slots=True)
class Verified:
    """A statement that stays, ``state`` by what the judge said of it."""

    text: str
    sources: tuple[CitedNote, ...]
    state: str


@dataclass(frozen=True, slots=True)
class Deleted:
    """A statement that was taken out: the numbers of its notes, ``why`` as a code, and the ``reason`` in words."""

    text: str
    numbers: tuple[int, ...]
    why: str
    reason: str


@dataclass(frozen=True, slots=True)
class FinishedBrief:
    """A finished brief: its sections, and what was deleted from it."""

    summary: tuple[Verified, ...]
    course: tuple[Verified, ...]
    problems: tuple[tuple[str, tuple[Verified, ...]], ...]
    deleted: tuple[Deleted, ...]

    def statements(self) -> Iterator[Verified]:
        """All statements that stay, in order; one that stands in two sections comes twice."""
        yield from self.summary
        yield from self.course
        for _, statements in self.problems:
            yield from statements

    @property
    def sections(self) -> Sections:
        """Its statements with the numbers of their notes."""
        return Sections(
            _parts(self.summary),
            _parts(self.course),
            tuple((name, _parts(statements)) for name, statements in self.problems),
        )

    def report(self) -> dict[str, Any]:
        """As JSON values, to be stored with the run."""
        return {
            "summary": [_row(each) for each in self.summary],
            "course": [_row(each) for each in self.course],
            "problems": [{"name": name, "statements": [_row(each) for each in those]} for name, those in self.problems],
            "deleted": [
                {"text": each.text, "notes": list(each.numbers), "why": each.why, "reason": each.reason}
                for each in self.deleted
            ],
        }

    @classmethod
    def of(cls, report: Mapping[str, Any]) -> "FinishedBrief":
        """What :meth:`report` made."""
        return cls(
            _read(report["summary"]),
            _read(report["course"]),
            tuple((problem["name"], _read(problem["statements"])) for problem in report["problems"]),
            tuple(
                Deleted(each["text"], tuple(each["notes"]), each["why"], each["reason"]) for each in report["deleted"]
            ),
        )


def _parts(statements: Sequence[Verified]) -> tuple[BriefPart, ...]:
    return tuple(BriefPart(each.text, tuple(source.number for source in each.sources)) for each in statements)


def _row(statement: Verified) -> dict[str, Any]:
    sources = [
        {"number": one.number, "note": one.note_id, "spans": one.spans, "quoted": one.quoted}
        for one in statement.sources
    ]
    return {"text": statement.text, "sources": sources, "state": statement.state}


def _read(rows: Sequence[Mapping[str, Any]]) -> tuple[Verified, ...]:
    return tuple(
        Verified(
            row["text"],
            tuple(
                CitedNote(one["number"], one["note"], tuple((start, end) for start, end in one["spans"]), one["quoted"])
                for one in row["sources"]
            ),
            row["state"],
        )
        for row in rows
    )


_BRIEFS = """
SELECT g.item_id, g.report, r.model_name, r.judge, coalesce(a.ordinal, 0) AS response
FROM generation_current AS g JOIN generation_run AS r USING (run_id)
LEFT JOIN generation_product AS p ON p.run_id = g.run_id AND p.item_id = g.item_id AND p.kind = 'response'
LEFT JOIN response AS a ON a.response_id = p.made
WHERE r.generator = 'brief' AND g.code IN ('', 'nothing_supported')
ORDER BY (SELECT ordinal FROM clinical_case WHERE case_id = g.item_id), r.ordinal"""


@dataclass(frozen=True, slots=True)
class StoredBrief:
    """A brief: its case with the notes, who wrote and who verified it (``""``: the same), and its outcome.

    ``response``: the number of the response that it became, 0 where nothing of it was supported.
    """

    case: Case
    notes: tuple[TaggedNote, ...]
    model: str
    judge: str
    outcome: FinishedBrief
    response: int


def stored_briefs(reader: sqlite3.Connection) -> Iterator[StoredBrief]:
    """All briefs in stages, case by case."""
    for row in reader.execute(_BRIEFS).fetchall():
        case = case_of(reader, row["item_id"])
        if case is not None:
            outcome = FinishedBrief.of(json.loads(row["report"]))
            notes = notes_of(reader, row["item_id"])
            yield StoredBrief(case, notes, row["model_name"], row["judge"], outcome, row["response"])


@dataclass(frozen=True, slots=True)
class BriefCounts:
    """Statements of the briefs of a run, each once for each case: ``kept``, ``unverified`` of these, ``deleted``.

    ``own_advice``: statements of briefs in one call with advice that no note has; nothing is deleted from these.
    """

    kept: int = 0
    unverified: int = 0
    deleted: int = 0
    own_advice: int = 0


def brief_counts(reader: sqlite3.Connection, run_id: str) -> BriefCounts:
    """The counts of one run, in stages or in one call."""
    kept = unverified = deleted = own_advice = 0
    for (text,) in reader.execute("SELECT report FROM generation_current WHERE run_id = ?", (run_id,)):
        report = json.loads(text)
        own_advice += len(report.get("own_advice", ()))
        if "summary" in report:
            outcome = FinishedBrief.of(report)
            states = {one.text: one.state for one in outcome.statements()}
            kept += len(states)
            unverified += sum(state == UNVERIFIED for state in states.values())
            deleted += len(outcome.deleted)
    return BriefCounts(kept, unverified, deleted, own_advice)
