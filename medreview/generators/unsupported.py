"""Statements that their sources do not support, each with one page that does not support it: what is to be mended.

A statement is unsupported by what reviewers say where one has labelled it, else by the verdict in force. What settles a
conflict counts before the labels; labels that differ, and that nobody has settled, make it neither. The page is the
first of the statement's sources, in the order in which they are reviewed, that can be read; where the verdict decides,
one that the judges find in support of the statement is passed over.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from medreview.exchange.imports.json_rows import read_jsonl
from medreview.exchange.imports.rows import BadRecord
from medreview.exchange.imports.text_files import check_text, open_text
from medreview.judges.raw_labels import mapped
from medreview.judges.rollup import by_source
from medreview.judges.ties import tie_rule
from medreview.judges.votes import COLUMNS, VoteReader
from medreview.units.about import page_at
from medreview.units.derived_label import derived_labels
from medreview.units.statement_names import statement_name
from medreview.units.statement_view import response_name

_LABELS: Final = """
SELECT c.unit, c.reviewer, c.label FROM decision_current AS c JOIN statement_standing AS s ON s.statement_id = c.unit
WHERE c.pass = 1 AND c.axis = 'evidence'
      AND NOT EXISTS (SELECT 1 FROM decision_stale AS o WHERE o.event_id = c.event_id)"""
_SETTLED: Final = """
SELECT a.unit, a.label FROM adjudicated AS a JOIN statement_standing AS s ON s.statement_id = a.unit
WHERE a.stands AND a.axis = 'evidence'"""
_STATEMENTS: Final = """
SELECT s.statement_id, v.supported FROM statement_standing AS s JOIN response AS r USING (response_id)
LEFT JOIN verdict AS v USING (statement_id) ORDER BY r.ordinal, s.place, s.start, s.ordinal"""
_PAGES: Final = """
SELECT o.source_id, o.snapshot_id, u.url FROM source_order AS o JOIN source AS u USING (source_id)
WHERE o.statement_id = ? AND o.readable ORDER BY o.turn"""


@dataclass(frozen=True, slots=True)
class Unsupported:
    """A statement and the page that it is to be mended by; ``snapshot_id`` and ``url`` are ``""`` without any.

    ``name`` is what it is called: its response's id in the file or number, and its own (``A02-sepsis-fluid S1``).
    """

    statement_id: str
    text: str
    name: str
    response_id: str
    question: str
    origin: str
    snapshot_id: str
    url: str


def unsupported(reader: sqlite3.Connection) -> list[Unsupported]:
    """All of the study, in the order of its responses."""
    said = _by_reviewers(reader)
    tie = tie_rule(reader)
    found = []
    for statement_id, supported in reader.execute(_STATEMENTS).fetchall():
        if statement_id in said:
            if said[statement_id] is False:
                found.append(_with_page(reader, statement_id, _pages(reader, statement_id)))
        elif supported == 0:
            votes = VoteReader(reader, statement_id).votes(_judgements(reader, statement_id))
            backing = {source for source, word in by_source(votes, tie).items() if word.supported}
            pages = (page for page in _pages(reader, statement_id) if page["source_id"] not in backing)
            found.append(_with_page(reader, statement_id, pages))
    return found


def listed(reader: sqlite3.Connection, path: Path) -> tuple[list[Unsupported], list[BadRecord]]:
    """Those that a file lists, each once, and the lines that are of no use.

    A statement's id on each line; or JSON objects with ``statement_id`` and, where the page is not the first that can
    be read, ``url``.

    Raises :class:`UserError` when the file cannot be read.
    """
    found, bad = dict[tuple[str, str], Unsupported](), list[BadRecord]()
    for line, statement_id, url in _lines(path, bad):
        known = reader.execute("SELECT 1 FROM statement_standing WHERE statement_id = ?", (statement_id,)).fetchone()
        if known is None:
            bad.append(BadRecord(line, f"names {statement_id!r}, which is no statement of this study"))
            continue
        pages = _pages(reader, statement_id)
        if url:
            page = page_at(reader, url)
            pages = [one for one in pages if page and one["source_id"] == page["source_id"]]
            if not pages:
                bad.append(
                    BadRecord(line, f"names {url!r}, which is no readable page that the statement could rest on")
                )
                continue
        one = _with_page(reader, statement_id, pages)
        found.setdefault((one.statement_id, one.snapshot_id), one)
    return list(found.values()), sorted(bad, key=lambda record: record.line)


def _lines(path: Path, bad: list[BadRecord]) -> Iterator[tuple[int, str, str]]:
    check_text(path)
    with open_text(path) as file:
        first = next((line for line in file if line.strip()), "")
    if not first.lstrip().startswith("{"):
        with open_text(path) as file:
            yield from ((line, text.strip(), "") for line, text in enumerate(file, 1) if text.strip())
        return
    for row in read_jsonl(path):
        if isinstance(row, BadRecord):
            bad.append(row)
            continue
        named, url = row.values.get("statement_id"), row.values.get("url") or ""
        if isinstance(named, str) and named and isinstance(url, str):
            yield row.line, named, url
        else:
            bad.append(BadRecord(row.line, "has no statement_id, or an url that is no text"))


def _by_reviewers(reader: sqlite3.Connection) -> dict[str, bool | None]:
    """What reviewers say of the statements that they labelled: supported, not, or ``None`` where they differ."""
    said: dict[str, dict[str, bool | None]] = {}
    for one in derived_labels(reader):
        if one.pass_no == 1 and one.current.supported is not None:
            said.setdefault(one.statement_id, {})[one.reviewer] = one.current.supported
    for statement_id, reviewer, label in reader.execute(_LABELS):
        said.setdefault(statement_id, {})[reviewer] = _supported(label)
    found: dict[str, bool | None] = {}
    for statement_id, by_reviewer in said.items():
        words = {word for word in by_reviewer.values() if word is not None}
        if words:
            found[statement_id] = words.pop() if len(words) == 1 else None
    settled = {unit: _supported(label) for unit, label in reader.execute(_SETTLED)}
    return found | {unit: word for unit, word in settled.items() if word is not None}


def _supported(label: str) -> bool | None:
    return (mapped(label) or (None, None))[1]


def _pages(reader: sqlite3.Connection, statement_id: str) -> Sequence[sqlite3.Row]:
    return reader.execute(_PAGES, (statement_id,)).fetchall()


def _judgements(reader: sqlite3.Connection, statement_id: str) -> list[sqlite3.Row]:
    query = f"SELECT {COLUMNS} FROM judgement AS j JOIN judge_run AS run USING (judge_run_id) WHERE j.statement_id = ?"
    return reader.execute(query, (statement_id,)).fetchall()


def _with_page(reader: sqlite3.Connection, statement_id: str, pages: Iterable[sqlite3.Row]) -> Unsupported:
    row = reader.execute(
        """SELECT s.text, s.ordinal, r.response_id, r.ordinal AS response, r.record_id, r.question, r.origin
           FROM statement AS s JOIN response AS r USING (response_id) WHERE s.statement_id = ?""",
        (statement_id,),
    ).fetchone()
    page = next(iter(pages), None)
    short = statement_name(reader, statement_id, row["response_id"], row["ordinal"])
    return Unsupported(
        statement_id=statement_id,
        text=row["text"],
        name=f"{row['record_id'] or response_name(row['response'])} {short}",
        response_id=row["response_id"],
        question=row["question"],
        origin=row["origin"],
        snapshot_id=page["snapshot_id"] if page else "",
        url=page["url"] if page else "",
    )
