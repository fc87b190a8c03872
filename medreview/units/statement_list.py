"""The list of the statements of an answer: is each in the answer, is none missing? (SourceCheckup)

It is the list as its parser made it: what reviewers cut, joined or excluded since changes nothing in it. A fault of a
statement is a span on its line in the list, a missing statement a span in the answer. :func:`list_checks` reads all of
that for figures and files.
"""

import re
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import replace
from json import loads
from types import MappingProxyType, SimpleNamespace
from typing import Final, NamedTuple

from medreview.exchange.files.columns import Cell, Column, ExportFile, cells, levels_of
from medreview.labels import STATEMENT_LIST, Mode
from medreview.study.ids import ids_of
from medreview.study.statement_edits import PROMOTE, edits_of, fold
from medreview.text import Span, in_words, sha256
from medreview.units.documents import response_document
from medreview.units.kind import CardPart, Document, Headline, Machines, Rating, TextMark, UnitKind, UnitView
from medreview.units.statement_view import places_of, response_name, said_at

LIST: Final = "statements"
"""The key of the list, and the target of spans on its lines."""
_KIND: Final = "statement_list"
_BETWEEN: Final = "\n\n"
_EMPTY: Final = "No statement was found in this answer."
_LEFT_OUT: Final = "LEFT OUT"
_NUMBER: Final = re.compile(r"S?(\d{1,4})", re.IGNORECASE)
_TELLS_THE_PARSER: Final = ("other_parser", "not_medical")
"""Why something is left out that a parser of today, or a reviewer, has said since: it would tell of both."""


class ListedStatement(NamedTuple):
    """A statement of the list: its id and number, its line in the list, and where the answer says it."""

    statement_id: str
    number: int
    line: Span
    places: tuple[Span, ...]


class StatementList(NamedTuple):
    """The list as a text, and its statements in their order. ``listed`` is the part of the text with statements;
    ``left_out`` what of the answer is none by the parser's word."""

    text: str
    listed: str
    statements: tuple[ListedStatement, ...]
    left_out: tuple[Span, ...]

    def numbered(self, typed: str) -> list[Span]:
        """The statements that numbers name, as in ``3 5`` or ``S3, S5``, each as its words in the list.

        Raises ``ValueError``, a sentence, for another text and for a number that no statement has.
        """
        lines = {one.number: one.line for one in self.statements}
        found = []
        for word in typed.replace(",", " ").split():
            number = _NUMBER.fullmatch(word)
            if number is None or int(number[1]) not in lines:
                known = f"there are {min(lines)} to {max(lines)}" if lines else "the list is empty"
                raise ValueError(f"No statement of the list has the number {word!r}; {known}.")
            found.append(lines[int(number[1])])
        return found


def load_list(reader: sqlite3.Connection, response_id: str, answer: str) -> StatementList:
    """The list that the parser made of an answer."""
    edits = edits_of(reader, response_id)
    made = fold(edits).first
    rows = reader.execute("SELECT * FROM statement WHERE response_id = ? ORDER BY ordinal", (response_id,))
    pieces, found, at = [], [], 0
    for row in rows:
        if row["statement_id"] in made:
            continue
        head, words = f"S{row['ordinal']}  ", row["text"].replace("\n", " ")
        places = places_of(row) or tuple(filter(None, (said_at(answer, row["text"]),)))
        line = Span(at + len(head), at + len(head) + len(words))
        found.append(ListedStatement(row["statement_id"], row["ordinal"], line, places))
        pieces.append(head + words)
        at = line.end + len(_BETWEEN)
    listed = _BETWEEN.join(pieces) or _EMPTY
    left = {(Span(row[0], row[1]), row[2]) for row in reader.execute(
        'SELECT "start", "end", reason FROM left_out WHERE response_id = ?', (response_id,))}  # fmt: skip
    left |= {edit.left_out for edit in edits if edit.kind == PROMOTE and edit.left_out}
    told = [(place, reason) for place, reason in sorted(left) if reason not in _TELLS_THE_PARSER]
    lines = [f"{in_words(reason)}: {' '.join(answer[place.start : place.end].split())}" for place, reason in told]
    text = _BETWEEN.join((listed, *([_LEFT_OUT, *lines] if lines else [])))
    return StatementList(text, listed, tuple(found), tuple(place for place, _ in told))


class ListCheck(NamedTuple):
    """What one reviewer says of the list of one answer, in one pass.

    ``label`` is a level of the axis. ``statements``: the ids of the list; ``not_contained`` and ``not_self_contained``
    those of them that are marked so. ``missing``: the words of the answer that no statement says, or how the reviewer
    would say them. ``unplaced``: the fault of the label has no place.
    """

    response_id: str
    parser: str
    reviewer: str
    pass_no: int
    mode: Mode
    label: str
    statements: tuple[str, ...]
    not_contained: frozenset[str]
    not_self_contained: frozenset[str]
    missing: tuple[str, ...]
    unplaced: bool

    @property
    def misses(self) -> bool:
        """Whether a statement is missing."""
        return bool(self.missing) or self.label == "missing"


_CHECKS: Final = f"""
SELECT l.reviewer, l.pass, l.unit, l.mode, l.label, r.response_id, r.parser, r.text
FROM axis_label AS l JOIN response AS r ON l.unit = '{_KIND}:' || r.response_id
WHERE l.axis = '{_KIND}' AND r.parser IS NOT NULL
ORDER BY r.ordinal, l.reviewer, l.pass"""
_MARKS: Final = f"""
SELECT s.reviewer, s.pass, s.payload FROM span_live AS s LEFT JOIN judges_seen AS k USING (reviewer, unit)
WHERE s.unit = ? AND s.axis = '{_KIND}' AND (k.event_id IS NULL OR s.event_id < k.event_id OR ?) ORDER BY s.event_id"""


def list_checks(reader: sqlite3.Connection) -> Iterator[ListCheck]:
    """Each reviewer's word on each list. Of one that was given blind only marks count that were made before the parser
    was shown; of a label that says right none."""
    for row in reader.execute(_CHECKS).fetchall():
        known = load_list(reader, row["response_id"], row["text"])
        at = {one.line.start: one.statement_id for one in known.statements}
        marks: dict[str, list[str]] = {}
        for reviewer, pass_no, payload in reader.execute(_MARKS, (row["unit"], row["mode"] != "blind")):
            said = loads(payload)
            if (reviewer, pass_no) != (row["reviewer"], row["pass"]) or row["label"] == "none":
                continue
            words = said.get("reason") or said["exact"]
            named = words if said["label"] == "missing" else at.get(said["start"]) if said["target"] == LIST else None
            if named:
                marks.setdefault(said["label"], []).append(named)
        yield ListCheck(
            response_id=row["response_id"],
            parser=parser_words(row["parser"]),
            reviewer=row["reviewer"],
            pass_no=row["pass"],
            mode=row["mode"],
            label=row["label"],
            statements=tuple(at.values()),
            not_contained=frozenset(marks.get("not_contained", ())),
            not_self_contained=frozenset(marks.get("not_self_contained", ())),
            missing=tuple(marks.get("missing", ())),
            unplaced=row["label"] != "none" and row["label"] not in marks,
        )


def parser_words(parser: str) -> str:
    """What made a list: the rules by name and version; of a judge its name and its prompt, without the run."""
    words = parser.split()
    return " ".join(words[:2]) if len(words) > 2 else parser


_COLUMNS: Final = (
    Column("unit_id", "text", "The list as a unit of review.", made=lambda one: f"{_KIND}:{one.response_id}"),
    Column("response_id", "text", "The answer."),
    Column("parser", "text", "What made the list: the rules with their version, or a judge and its prompt."),
    Column("reviewer_id", "text", "Who checked it.", made=lambda one: one.reviewer),
    Column("pass_no", "integer", "In which pass."),
    Column("mode", "text", "blind: before the parser was shown; else assisted."),
    Column("label", "text", "The first fault that was named, or none.",
           levels=levels_of(STATEMENT_LIST)),
    Column("statements", "integer", "Statements of the list.", made=lambda one: len(one.statements)),
    Column("not_contained", "text", "Those that the answer does not say: their statement_id, joined by spaces.",
           made=lambda one: " ".join(sorted(one.not_contained))),
    Column("not_self_contained", "text", "Those that cannot be understood by themselves, in the same way.",
           made=lambda one: " ".join(sorted(one.not_self_contained))),
    Column("missing", "integer", "Statements that are missing, of those that were marked.",
           made=lambda one: len(one.missing)),
    Column("misses", "boolean", "1: at least one is missing, marked or not."),
    Column("unplaced", "boolean", "1: the fault of the label was named without its place."),
)  # fmt: skip
"""The words that are missing are in spans.csv."""


def _check_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    for one in list_checks(reader):
        yield cells(_COLUMNS, SimpleNamespace(**one._asdict(), misses=one.misses))


class StatementListKind(UnitKind):
    """``statement_list:RESPONSE_ID``, of every answer that was split. No judge is asked; what is shown after the
    decision is which parser made the list."""

    name = _KIND
    title = "statement lists"
    noun = "statement list"
    about = "Is each statement in the answer and clear without it, and is none missing?"
    headline = Headline("right", {_KIND: ("none",)})
    axis = _KIND
    levels = STATEMENT_LIST
    entry = "spans"
    numbered = MappingProxyType({"not_contained": LIST, "not_self_contained": LIST})
    tables = (ExportFile("statement_list_checks.csv", _COLUMNS, _check_rows),)
    rows = f"""SELECT '{_KIND}:' || response_id AS unit, ordinal AS cluster, 1 AS ordinal, question AS text,
       model, origin, record_id
FROM response AS r WHERE invalid = '' AND parser IS NOT NULL"""

    def load(self, reader: sqlite3.Connection, unit: str) -> UnitView:
        """The question; the list with what was left out; the answer beside, lit where a statement stands."""
        row = _response(reader, unit)
        name = response_name(row["ordinal"])
        found = load_list(reader, row["response_id"], row["text"])
        answer = response_document(
            row["ordinal"], row["text"], sorted({place for one in found.statements for place in one.places})
        )
        left_out = tuple(TextMark(*place, "left_out") for place in found.left_out)
        return UnitView(
            unit=unit,
            kind=self.name,
            name=f"{name} list",
            group=name,
            text=found.listed,
            text_sha256=sha256(found.listed),
            parts=(CardPart("asked", row["question"], main=True),),
            documents=(Document(LIST, LIST, found.text),),
            beside=replace(answer, marks=(*answer.marks, *left_out)),
            model=row["model"],
            origin=row["origin"],
            record_id=row["record_id"],
            response_id=row["response_id"],
        )

    def machines(self, reader: sqlite3.Connection, unit: str) -> Machines:
        """What made the list."""
        return Machines(words=f"the list is by {parser_words(_response(reader, unit)['parser'])}")

    def places_named(self, reader: sqlite3.Connection, unit: str, typed: str) -> Sequence[Span]:
        """The statements of these numbers, in the list."""
        row = _response(reader, unit)
        return load_list(reader, row["response_id"], row["text"]).numbered(typed)

    def cluster(self, reader: sqlite3.Connection, unit: str) -> str:
        """The response."""
        return ids_of(unit)[0]

    def machine_ratings(self, reader: sqlite3.Connection) -> Iterator[Rating]:
        """None."""
        return iter(())


def _response(reader: sqlite3.Connection, unit: str) -> sqlite3.Row:
    row: sqlite3.Row | None = reader.execute(
        "SELECT * FROM response WHERE response_id = ? AND invalid = '' AND parser IS NOT NULL", ids_of(unit)
    ).fetchone()
    if row is None:
        raise KeyError(unit)
    return row
