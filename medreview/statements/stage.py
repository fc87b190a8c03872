"""The stages that split every response into statements, and find what each statement cites itself.

The rest is listed with the reason. The response's own numbers of its sources are kept. Of a statement that was cut, a
marker behind the whole speaks for the part before the cut, too. A producer may say what stretches of its answer cite:
such as hold a claim, and such as are a mark behind one.
"""

import json
import re
import sqlite3
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from operator import attrgetter
from typing import Any, Final

from medreview.citations import Citation, canonical_key, extract, from_list
from medreview.citations.markers import RESIDUE, Marker, MarkerTarget, find_markers, markers_of
from medreview.citations.source_lists import is_numbered_entry, own_numbers
from medreview.progress import SILENT, Progress
from medreview.statements.blocks import Block, blocks
from medreview.statements.left_out import list_left_out, rows_of
from medreview.statements.marks import CitationIndex
from medreview.statements.own_citations import MARKED_BY, shares
from medreview.statements.place_in_response import Sentences, VerbatimText
from medreview.statements.split import PARSER, Parsed, split
from medreview.study import Study
from medreview.study.rows import insert
from medreview.study.statement_edits import SPLIT, Edit, edits_of, fold, statement_id_of
from medreview.text import Span, sha256, with_line_ends

_LINK: Final = r"\[[^\[\]\n]*+\]\([^()\s]*+(?:\([^()\s]*+\)[^()\s]*+)*+\)"
_ONLY_MARKS: Final = re.compile(
    rf"[\s(]*+(?:(?:{_LINK}|<?https?://\S++|\[[^\[\]\n]{{1,100}}\]|【[^】]*+】|{RESIDUE})[\s().,;]*+)*+\Z"
)
"""A stretch that is nothing but marks: links, addresses, numbers or names of files in brackets."""


def claims_and_marks(text: str, ranges: Iterable[Sequence[Any]]) -> tuple[list[Marker], list[Marker]]:
    """The stretches of a response that hold a claim, and those that are a mark, found like the marks of the text.

    ``ranges``: as the table ``response`` has them.
    """
    claims: list[Marker] = []
    marks: list[Marker] = []
    for start, end, cited, _ in ranges:
        keys = tuple(canonical_key(citation) for citation in from_list(cited).citations)
        marker = Marker(start, end, (MarkerTarget(None, keys),))
        (marks if _ONLY_MARKS.match(text[start:end]) else claims).append(marker)
    return claims, marks


def cited_in(text: str, ranges: Iterable[Sequence[Any]]) -> list[Citation]:
    """The citations of a text, and the marks in it that only its producer can tell: ``[renal.pdf]``."""
    found = extract(text)
    taken = [(one.start, one.end) for one in found if one.start is not None and one.end is not None]
    told = {(start, end) for start, end, *_ in ranges if start < end and _ONLY_MARKS.match(text[start:end])}
    alone = (place for place in sorted(told) if not any(a < place[1] and place[0] < b for a, b in taken))
    return [*found, *(Citation("document", text[start:end], start, end) for start, end in alone)]


_BATCH = 500


@dataclass(frozen=True, slots=True)
class ParseSummary:
    """Counts: responses parsed, statements found, parts dropped, and ``empty``, responses without any statement."""

    responses: int
    statements: int
    dropped: int
    empty: int


def parse_all(study: Study, progress: Progress = SILENT) -> ParseSummary:
    """Split the responses that are not parsed yet, in transactions of 500 responses; then list what is left out of
    those that were split without."""
    waiting = study.reader.execute("SELECT count(*) FROM response_to_split").fetchone()[0]
    progress.begin("statements", waiting)
    done = statements = dropped = empty = 0
    while rows := study.reader.execute(
        "SELECT response_id, text, ranges FROM response_to_split ORDER BY ordinal LIMIT ?", (_BATCH,)
    ).fetchall():
        parsed = [
            (row["response_id"], split(row["text"], cited_in(row["text"], json.loads(row["ranges"])))) for row in rows
        ]
        study.write(lambda connection, parsed=parsed: _store(connection, parsed))  # type: ignore[misc]
        done += len(rows)
        statements += sum(len(result.statements) for _, result in parsed)
        dropped += sum(len(result.dropped) for _, result in parsed)
        empty += sum(not result.statements for _, result in parsed)
        progress.step(len(rows))
    list_left_out(study, progress)
    return ParseSummary(done, statements, dropped, empty)


def _store(connection: sqlite3.Connection, parsed: list[tuple[str, Parsed]]) -> None:
    insert(
        connection,
        "statement",
        (
            {
                "statement_id": statement_id_of(response_id, statement.places[0].start, statement.text),
                "response_id": response_id,
                "ordinal": ordinal,
                "start": statement.start,
                "end": statement.end,
                "text_sha256": sha256(statement.text),
                "text": statement.text,
                "parts": json.dumps(statement.parts),
            }
            for response_id, result in parsed
            for ordinal, statement in enumerate(result.statements, 1)
        ),
    )
    insert(connection, "left_out", (row for response_id, result in parsed for row in rows_of(response_id, result)))
    connection.executemany(
        "UPDATE response SET parser = ?, left_out_by = ?, dropped = ? WHERE response_id = ?",
        [(PARSER, PARSER, len(result.dropped), response_id) for response_id, result in parsed],
    )


_ENDS: Final = re.compile(r"[.!?][)\]\"'”’]*$")
_APART: Final = 2


class CutStatements:
    """The parts that edits cut statements of one response into."""

    def __init__(self, edits: Sequence[Edit]) -> None:
        self._first = fold(edits).first if edits else {}

    def markers(self, statement_id: str, own: Mapping[str, Sequence[Marker]]) -> Sequence[Marker]:
        """A statement's own markers; of a part that has none and ends within a sentence, those that come next in what
        it was cut from, side by side."""
        if own[statement_id]:
            return own[statement_id]
        edit = self._first.get(statement_id)
        if edit is None or edit.kind != SPLIT:
            return ()
        before, behind = edit.made
        if statement_id != before.statement_id:
            return self.markers(edit.replaced[0], own) if self._is_before(edit.replaced[0]) else ()
        if _ENDS.search(before.text) or behind.statement_id not in own:
            return ()
        return _side_by_side(self.markers(behind.statement_id, own))

    def _is_before(self, statement_id: str) -> bool:
        """Whether it is itself the part before a cut, so that something of its sentence comes behind it."""
        edit = self._first.get(statement_id)
        return edit is not None and edit.kind == SPLIT and edit.made[0].statement_id == statement_id


def _side_by_side(markers: Sequence[Marker]) -> Sequence[Marker]:
    """The first of them and those that follow it at once."""
    for number, (one, following) in enumerate(pairwise(markers), 1):
        if following.start - one.end > _APART:
            return markers[:number]
    return markers


_MARKED_AT_ONCE: Final = 200
_WORD: Final = re.compile(r"[^\W\d_]{2}")
_WAITING: Final = "FROM response WHERE cited = 1 AND parser IS NOT NULL AND marked IS NOT ?"


def mark_all(study: Study, progress: Progress = SILENT) -> int:
    """Find the markers of the responses that these rules did not see yet, in transactions of 200; how many there were.

    A response waits until its citations were extracted and its statements are there.
    """
    waiting = int(study.reader.execute(f"SELECT count(*) {_WAITING}", (MARKED_BY,)).fetchone()[0])
    if waiting:
        progress.begin("markers", waiting)
    while rows := study.reader.execute(
        f"SELECT response_id {_WAITING} ORDER BY ordinal LIMIT ?", (MARKED_BY, _MARKED_AT_ONCE)
    ).fetchall():
        study.write(lambda connection, rows=rows: _mark(connection, rows))  # type: ignore[misc]
        progress.step(len(rows))
    return waiting


def _mark(connection: sqlite3.Connection, responses: Iterable[sqlite3.Row]) -> None:
    for row in responses:
        mark_response(connection, row["response_id"])


def mark_response(connection: sqlite3.Connection, response_id: str) -> None:
    """Make the rows of ``own_number`` and ``marker`` of one response again, within an open transaction."""
    response = connection.execute(
        "SELECT text, listed, ranges FROM response WHERE response_id = ?", (response_id,)
    ).fetchone()
    text = response["text"]
    citations = extract(text)
    lines = with_line_ends(text)
    lists = lists_of_sources(lines, blocks(lines, CitationIndex(lines, citations)))
    own = own_numbers(text, json.loads(response["listed"] or "[]"), lists)
    claims, marks = claims_and_marks(text, json.loads(response["ranges"]))
    found = _with_marks(find_markers(text, own, citations, lists), marks)
    statements = connection.execute(
        'SELECT statement_id, text, "start", "end", parts FROM statement WHERE response_id = ? ORDER BY ordinal',
        (response_id,),
    ).fetchall()
    places = {row["statement_id"]: _places(row) for row in statements}
    standing = connection.execute("SELECT statement_id FROM statement_standing WHERE response_id = ?", (response_id,))
    everyone = _Everyone(places[row[0]] for row in standing)
    verbatim, sentences = VerbatimText(text, found), Sentences(text)
    sources = _sources(connection, response_id)
    marked: list[dict[str, Any]] = []
    at_their_places = {each: _of_statement(text, found, where, everyone) for each, where in places.items()}
    cut = CutStatements(edits_of(connection, response_id))
    for row in statements:
        mine = cut.markers(row["statement_id"], at_their_places)
        placed = True
        if not places[row["statement_id"]]:
            inside = find_markers(row["text"], own, extract(row["text"]))
            there = None if inside else verbatim.find(row["text"]) or sentences.find(row["text"])
            placed = not inside
            mine = inside if there is None else markers_of(text, found, there, len(text))
        written = text if placed else row["text"]
        claimed = [claim for claim in claims if shares(places[row["statement_id"]], Span(claim.start, claim.end))]
        marked += _rows(row["statement_id"], written, mine, sources, placed, claimed)
    connection.execute("DELETE FROM own_number WHERE response_id = ?", (response_id,))
    connection.execute(
        "DELETE FROM marker WHERE statement_id IN (SELECT statement_id FROM statement WHERE response_id = ?)",
        (response_id,),
    )
    numbered = ((number, source_id) for number, keys in own.numbers.items() for source_id in _known(keys, sources))
    insert(
        connection,
        "own_number",
        ({"response_id": response_id, "number": number, "source_id": source_id} for number, source_id in numbered),
    )
    insert(connection, "marker", marked)
    connection.execute("UPDATE response SET marked = ? WHERE response_id = ?", (MARKED_BY, response_id))


def _with_marks(found: list[Marker], marks: list[Marker]) -> list[Marker]:
    """The markers of a text with the producer's own in the place of those that they overlap, in order and disjoint."""
    if not marks:
        return found
    at: dict[int, Marker] = {}
    for mark in marks:
        before = at.get(mark.start)
        references = (*(before.references if before else ()), *mark.references)
        at[mark.start] = Marker(mark.start, max(mark.end, before.end if before else 0), references)
    kept = [one for one in found if not any(one.start < mark.end and mark.start < one.end for mark in at.values())]
    return sorted((*kept, *at.values()), key=lambda marker: (marker.start, marker.end))


def lists_of_sources(text: str, found: Sequence[Block]) -> list[Span]:
    """The places of the lists of sources among the blocks of a response, each from its number on.

    Lone lines of sources below their text ("Source: ...") are not lists.
    """
    runs: list[tuple[list[Block], bool]] = []
    before: Block | None = None
    for is_list, group in groupby(found, key=lambda block: block.shape == "citation_list"):
        run = list(group)
        if is_list:
            runs.append((run, before is not None and _is_below(text, before, run)))
        before = run[-1]
    below = sum(lone for _, lone in runs)
    ends_with_it = bool(found) and found[-1].shape == "citation_list"
    lone_is_list = below == 1 and ends_with_it and len(runs) == 1
    return [_line(text, block) for run, lone in runs if not lone or lone_is_list for block in run]


def _is_below(text: str, before: Block, run: Sequence[Block]) -> bool:
    line = _line(text, run[0])
    gap = text[before.end : line.start]
    return len(run) == 1 and gap.count("\n") == 1 and not is_numbered_entry(text[line.start : line.end])


def _line(text: str, block: Block) -> Span:
    """A block from the head of its line, so with its number; from its own start where a sentence stands before it."""
    head = text.rfind("\n", 0, block.start) + 1
    return Span(block.start if _WORD.search(text, head, block.start) else head, block.end)


def _places(row: sqlite3.Row) -> list[Span]:
    """Where a statement stands in its response: its parts, or its one place; nowhere when it was paraphrased."""
    parts = [Span(*part) for part in json.loads(row["parts"])]
    return parts or ([] if row["start"] is None else [Span(row["start"], row["end"])])


def _of_statement(text: str, found: Sequence[Marker], mine: Sequence[Span], everyone: "_Everyone") -> list[Marker]:
    """The markers at the parts of a statement; else those at the end of the sentence that it shares with others."""
    if not mine:
        return []
    markers = _at(text, found, mine, everyone)
    if not markers and len(mine) > 1:
        markers = _at(text, found, [everyone.last_part.get(mine[0], mine[-1])], everyone)
    return markers


def _at(text: str, found: Sequence[Marker], places: Iterable[Span], everyone: "_Everyone") -> list[Marker]:
    at = {
        marker.start: marker
        for place in places
        for marker in markers_of(text, found, place, everyone.next_start(place.end, len(text)))
    }
    return [at[start] for start in sorted(at)]


class _Everyone:
    """Where the statements of a response are: their starts, and of sentences in parts the last by the first."""

    def __init__(self, statements: Iterable[Sequence[Span]]) -> None:
        self.last_part: dict[Span, Span] = {}
        starts = []
        for places in statements:
            starts += [place.start for place in places]
            if len(places) > 1:
                known = self.last_part.get(places[0], places[-1])
                self.last_part[places[0]] = max(known, places[-1], key=attrgetter("end"))
        self._starts = sorted(starts)

    def next_start(self, at: int, end: int) -> int:
        """Where the next statement begins from an offset on; ``end`` when none follows."""
        found = bisect_left(self._starts, at)
        return self._starts[found] if found < len(self._starts) else end


def _rows(
    statement_id: str,
    text: str,
    markers: Iterable[Marker],
    sources: Mapping[str, str],
    placed: bool,
    claims: Iterable[Marker] = (),
) -> Iterator[dict[str, Any]]:
    """The rows of its marks, then of the stretches that cite what no mark does: these have no place of their own."""
    ordinal, known = 0, set()
    marks = ((marker, text[marker.start : marker.end], placed) for marker in markers)
    for marker, written, has_place in (*marks, *((claim, "", False) for claim in claims)):
        for number, source_id in _pointing(marker.references, sources):
            if not written and source_id in known:
                continue
            known.add(source_id)
            ordinal += 1
            yield {
                "statement_id": statement_id,
                "ordinal": ordinal,
                "start": marker.start if has_place else None,
                "end": marker.end if has_place else None,
                "text": written,
                "number": number,
                "source_id": source_id,
            }


def _pointing(
    references: Iterable[MarkerTarget], sources: Mapping[str, str]
) -> Iterator[tuple[int | None, str | None]]:
    for reference in references:
        known = _known(reference.keys, sources)
        yield from ((reference.number, source_id) for source_id in known)
        if not known:
            yield reference.number, None


def _known(keys: Iterable[str], sources: Mapping[str, str]) -> list[str]:
    return list(dict.fromkeys(sources[key] for key in keys if key in sources))


def _sources(connection: sqlite3.Connection, response_id: str) -> dict[str, str]:
    """The sources of a response by canonical key, as the rules have it now: an earlier version had other keys."""
    cited = connection.execute(
        "SELECT kind, value, source_id FROM citation WHERE response_id = ? ORDER BY ordinal DESC", (response_id,)
    )
    return {canonical_key(Citation(row["kind"], row["value"])): row["source_id"] for row in cited}
