"""A study as one SQLite file for Datasette: the tables of an export, its pages, views, search, and the metadata.

Only it holds sources and their pages; the CSV files of an export do not. A table's file describes it
(``sqlite_file``). Views are tables joined, and put in an order for reading.
The keys of the metadata are those of Datasette's ``metadata.json``. Its ``units`` are not among them: they are for
units that can be counted in, which "code points, 0-based" is not, and later versions of Datasette have dropped them; a
unit stands in the description of its column.
"""

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import chain, count
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self
from urllib.parse import quote

from medreview.atomic_output import write_new
from medreview.errors import UserError
from medreview.exchange.exports.sqlite_file import SqliteFile, Tables, quoted, reading_order
from medreview.exchange.exports.study_rows import OCR_CONFIDENCE_COLUMN
from medreview.exchange.files.columns import Cell, Column, ExportFile, cells, levels_of, selected
from medreview.judges.votes import VotingJudge, judges_of_support
from medreview.labels import EVIDENCE, PAGE_STATES, SET_APART
from medreview.progress import Progress
from medreview.visible import visible


@dataclass(frozen=True, slots=True)
class View:
    """A view: its columns, each with the SQL that gives it, and the rows that they are of; its facets in Datasette."""

    name: str
    columns: Sequence[tuple[Column, str]]
    rows: str
    about: str
    facets: Sequence[str]

    @property
    def sql(self) -> str:
        """The SELECT statement."""
        cells = ",\n       ".join(f"{sql} AS {quoted(column.name)}" for column, sql in self.columns)
        return f"SELECT {cells}\n{self.rows}"


def views(tables: Tables, judges: Sequence[VotingJudge]) -> list[View]:
    """The views on the tables of an export; ``judges`` get a column each in the view ``pairs_wide``, in this order."""
    pairs = [*_cells(_PAIR, tables), *_verdicts(judges), *_cells(_PAIR_MORE, tables)]
    return [
        View(
            "labels_wide",
            _cells(_WIDE, tables),
            _LABELS,
            "Labels with question, statement, the judges' verdict and the page, in an order for reading. Search looks "
            "in the statements.",
            ("verdict_final", "judge_verdict", "reviewer_id", "mode"),
        ),
        View(
            "disagreements",
            _cells(_DIFFERING, tables),
            f"{_LABELS}\nWHERE l.verdict_final <> l.judge_verdict",
            "Labels that differ from the judges' verdict; label_state names those that are stale.",
            ("verdict_final", "judge_verdict", "label_state"),
        ),
        View(
            "pairs_wide",
            pairs,
            _PAIRS,
            "Pairs with the judges' verdicts on the source's current page side by side.",
            ("page_state", "cited_by_statement"),
        ),
    ]


_LABELS: Final = """FROM labels AS l
JOIN statements AS s ON s.statement_id = l.unit_id
JOIN responses AS r ON r.response_id = l.response_id
LEFT JOIN snapshots AS p ON p.snapshot_id = l.snapshot_id"""

_PAIRS: Final = """FROM statements AS s
JOIN responses AS r ON r.response_id = s.response_id
JOIN pairs AS c ON c.unit_id = s.statement_id
LEFT JOIN snapshots AS p ON p.snapshot_id = c.snapshot_id"""

_SAID: Final = """(
           SELECT coalesce(j.verdict, CASE j.supported WHEN 1 THEN 'supported' WHEN 0 THEN 'not_supported' END)
           FROM judgements AS j{pages}
           WHERE j.statement_id = s.statement_id AND j.source_id = c.source_id AND {counts}"""
_VOTE: Final = _SAID.format(pages="", counts="j.judge = '{judge}' AND j.kind <> 'offline' AND j.vote = 1)")
# It is of interest also where others have the vote. A page that came again with the same text in another state is still
# the text that was judged.
_OFFLINE: Final = _SAID.format(
    pages=" JOIN snapshots AS q ON q.snapshot_id = j.snapshot_id",
    counts="""j.kind = 'offline'
                 AND q.text_sha256 = p.text_sha256
           ORDER BY q.version DESC LIMIT 1)""",
)

_TABLE_OF: Final = {"l": "labels", "s": "statements", "r": "responses", "c": "pairs", "p": "snapshots"}

_WIDE: Final = """s.statement_no, r.question, l.statement_text, l.reviewer_id, l.pass_no, l.mode, l.verdict_final,
l.judge_verdict, l.verdict_first, l.reason_code, l.note, l.halluc_type, l.stale, l.source_url, p.title page_title,
p.page_state, l.judge_supported, l.jury_n, l.jury_for, l.jury_against, l.jury_abstained, l.jury_tie, l.judge_model,
l.judge_raw_label, l.judge_confidence, l.judge_quote, l.judge_quote_status, l.judge_quote_doubt,
l.flag_dispute, l.flag_feedback,
l.flag_badly_parsed, l.changed_after_reveal, l.queue_name, r.record_id, l.statement_ordinal, l.response_model, l.origin,
l.decided_utc, l.active_ms, l.unit_id, l.response_id, l.snapshot_id"""

_DIFFERING: Final = """s.statement_no, r.question, l.statement_text, l.reviewer_id, l.pass_no, l.mode, l.verdict_final,
l.judge_verdict, l.label_state, l.reason_code, l.note, l.source_url, p.title page_title, p.page_state, l.jury_for,
l.jury_against, l.judge_model, l.judge_quote, l.judge_quote_status, l.judge_quote_doubt,
l.response_model, l.origin, l.decided_utc,
l.unit_id, l.response_id, l.snapshot_id"""

_PAIR: Final = "s.statement_no, c.statement_text, c.source_number, c.source_url, c.cited_by_statement, c.page_state"
_PAIR_MORE: Final = """c.judge_quote, c.judge_quote_status, c.judge_quote_doubt, c.shown_first,
p.title page_title, r.question, r.model response_model, r.origin, s.statement_id, s.response_id, c.source_id,
c.snapshot_id"""

_DERIVED: Final = {
    "s.statement_no": (
        Column("statement_no", "integer", "Running number of the statement in the study, from 1."),
        "s.rowid",
    ),
    "l.label_state": (
        Column(
            "label_state",
            "text",
            "stale: statement or page has another text now than when the label was given; unknown: that page is not in "
            "this study.",
            levels=("current", "stale", "unknown"),
        ),
        "CASE l.stale WHEN 1 THEN 'stale' WHEN 0 THEN 'current' ELSE 'unknown' END",
    ),
}


def _cells(names: str, tables: Tables) -> list[tuple[Column, str]]:
    """The columns named, as ``table.column`` or ``table.column new_name``, with the descriptions they have there."""
    return [_DERIVED.get(name.strip()) or _cell(*name.split(), tables=tables) for name in names.split(",")]


def _cell(place: str, name: str = "", *, tables: Tables) -> tuple[Column, str]:
    alias, _, column = place.partition(".")
    (described,) = (known for known in tables[_TABLE_OF[alias]].columns if known.name == column)
    return replace(described, name=name or column), f"{alias}.{quoted(column)}"


def _verdicts(judges: Sequence[VotingJudge]) -> Iterator[tuple[Column, str]]:
    """A column for each judge, named after it, with a number where several names would make the same."""
    taken: set[str] = set()
    for judge in judges:
        stem = "verdict_" + (re.sub(r"[^a-z0-9]+", "_", judge.name.lower())[:40].strip("_") or "judge")
        name = next(name for name in chain([stem], (f"{stem}_{n}" for n in count(2))) if name not in taken)
        taken.add(name)
        who = "the offline judge, by rules," if judge.offline else f"the judge {judge.name!r}"
        meaning = visible(
            f"What {who} says of the source by its current page; not_supported is the word of a two-way judge. "
            "Empty: not judged, or abstained."
        )
        said = _OFFLINE if judge.offline else _VOTE.format(judge=judge.name.replace("'", "''"))
        yield Column(name, "text", meaning, levels=(*levels_of(EVIDENCE), "not_supported")), said


_STYLE: Final = (
    "dl.column-descriptions{max-height:9em;overflow-y:auto;resize:vertical;border:1px solid #ccc;padding:.5em 1em}"
    "td.col-question,td.col-statement_text,td.col-text,td.col-quote,td.col-judge_quote,td.col-reason,td.col-note"
    "{min-width:20em}"
)
"""Datasette puts the descriptions above the rows, where those of sixty columns fill two screens, and gives a long text
a narrow column."""
_SEARCHED: Final = {"fts_table": "statements_fts", "fts_pk": "statement_no"}


def metadata(
    database: str, tables: Tables, views: Sequence[View], hidden: Iterable[str], provenance: Mapping[str, Any]
) -> dict[str, Any]:
    """The content of ``metadata.json`` for a database of that name (its file's, without the ending)."""
    shown = {
        name: _told(file.about, reading_order(file), tables, file.sorted_by, file.facets)
        | ({"label_column": file.named_by} if file.named_by else {})
        | ({"size": file.size} if file.size else {})
        for name, file in tables.items()
    }
    for view in views:
        columns = [column for column, _ in view.columns]
        shown[view.name] = _told(view.about, columns, tables, "statement_no", view.facets) | _SEARCHED
    links = ", ".join(f'<a href="{database}/{view.name}">{view.name}</a>' for view in views)
    about = f"<p>{escape(_about(provenance))}</p><p>Start with {links}.</p>"
    return {
        "title": visible(f"medreview: {provenance['title']}"),
        "description_html": about,
        "extra_css_urls": ["data:text/css," + quote(_STYLE)],
        "databases": {
            database: {"description_html": about, "tables": shown | {name: {"hidden": True} for name in hidden}}
        },
    }


def _about(provenance: Mapping[str, Any]) -> str:
    made = f"Study {provenance['study_id']}, begun {provenance['created_at']}"
    newest = f", newest event {provenance['event_at']}" if provenance["event_at"] else ", no events yet"
    return visible(
        f"{made}{newest}. Exported by medreview {provenance['app_version']} (layout {provenance['export_version']}, "
        f"label set {provenance['label_set_version']}). Empty cells are missing values; times are UTC; ranges are "
        "0-based, half-open and count Unicode code points."
    )


def _told(
    about: str, columns: Sequence[Column], tables: Tables, sorted_by: str, facets: Sequence[str]
) -> dict[str, Any]:
    told = {"description": about, "columns": {column.name: _meaning(column, tables) for column in columns}}
    return told | ({"sort": sorted_by} if sorted_by else {}) | ({"facets": facets} if facets else {})


def _meaning(column: Column, tables: Tables) -> str:
    """The meaning with levels and unit; files are called by the names that their tables have."""
    text = re.sub(r"\b(\w+)\.csv\b", lambda found: found[1] if found[1] in tables else found[0], column.meaning)
    levels = f" Levels: {', '.join(column.levels)}." if column.levels else ""
    unit = f" Unit: {column.unit}." if column.unit else ""
    return f"{text}{levels}{unit}"


SOURCES: Final = ExportFile(
    "sources",
    (
        Column("source_id", "text", "The source: what one or more citations lead to."),
        Column("kind", "text", "Kind of reference by which it was first met: url, doi, pmid, ..."),
        Column("value", "text", "Reference by which it was first met."),
        Column("url", "text", "Where it is fetched."),
        Column("domain", "text", "Host of that address."),
        Column("key", "text", "What makes two references the same source."),
    ),
    "FROM source ORDER BY domain, url, source_id",
    "What the citations lead to, each source once.",
    key=("source_id",),
    facets=("kind",),
    sorted_by="url",
    named_by="url",
)

_SNAPSHOTS: Final = (
    Column("snapshot_id", "text", "One version of a source's page, as it was fetched.", sql="p.snapshot_id"),
    Column("source_id", "text", "Its source. Empty, as all that follows, for a page that a label names and that this "
           "study does not have.", sql="p.source_id"),
    Column("url", "text", "Address of the source.", sql="u.url"),
    Column("title", "text", "Title of the page."),
    Column("version", "integer", "Which text of the source it is, from 1, by the time at which it was fetched.",
           sql="?"),
    Column("is_current", "boolean", "1: the version that is judged and shown now.",
           sql="p.snapshot_id IS u.current_snapshot"),
    Column("page_state", "text", "What kind of page it is.", levels=PAGE_STATES),
    Column("http_status", "integer", "Status of the answer; empty when there was none.", sql="status"),
    Column("fetched_at", "time", "When it was fetched.", unit="UTC"),
    Column("final_url", "text", "Where the redirects led."),
    Column("content_type", "text", "What the server called it."),
    Column("extractor", "text", "What made the text, with its version."),
    Column("text_sha256", "text", "SHA-256 of the text's UTF-8 bytes."),
    Column("set_apart", "text", "Parts of the text that do not stand open on the page, as JSON: [[start, end, kind], "
           "...] in code points; kinds: " + ", ".join(SET_APART) + ". [] where none is known."),
    OCR_CONFIDENCE_COLUMN,
    Column("text_length", "integer", "Length of the text.", unit="code points", made=lambda row: len(row["text"])),
    Column("text", "text", "The main text, as it was judged and shown. Empty where there is none, and in a database "
           "made without the texts of pages."),
)  # fmt: skip

# Ids are sorted by themselves, and pages then read one by one: a sort over whole rows would hold all their texts.
# They are numbered by their time: the number that a file itself gave depends on the order in which copies were merged.
_IDS: Final = """
SELECT p.snapshot_id, row_number() OVER (PARTITION BY u.source_id ORDER BY p.fetched_at, p.snapshot_id) AS version
FROM source AS u JOIN snapshot AS p USING (source_id)
ORDER BY u.domain, u.url, u.source_id, version"""

_SNAPSHOT: Final = (
    f"{selected(_SNAPSHOTS)} FROM snapshot AS p JOIN source AS u USING (source_id) WHERE p.snapshot_id = ?"
)

_ELSEWHERE: Final = """
SELECT DISTINCT snapshot FROM event
WHERE snapshot IS NOT NULL AND snapshot NOT IN (SELECT snapshot_id FROM snapshot) ORDER BY snapshot"""


def snapshot_rows(reader: sqlite3.Connection, *, text: bool = True) -> Iterator[Sequence[Cell]]:
    """The rows of the table ``snapshots``, every version of every source; without the texts unless ``text``.

    A page that events were made on in another copy of the study, and that is not here, has a row of its id alone.
    """
    for snapshot_id, version in reader.execute(_IDS).fetchall():
        row = cells(_SNAPSHOTS, reader.execute(_SNAPSHOT, (version, snapshot_id)).fetchone())
        yield row if text else [*row[:-1], None]
    for (snapshot_id,) in reader.execute(_ELSEWHERE):
        yield snapshot_id, *(None for _ in _SNAPSHOTS[1:])


SNAPSHOTS: Final = ExportFile(
    "snapshots",
    _SNAPSHOTS,
    snapshot_rows,
    "The pages of the sources, every version that was fetched. The texts belong to their publishers and may not be "
    "yours to pass on.",
    key=("snapshot_id",),
    facets=("page_state", "is_current"),
    sorted_by="url",
    named_by="url",
    size=20,
)

METADATA: Final = "metadata.json"
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*\.(?:db|sqlite|sqlite3)")
_PAGES_AT_ONCE: Final = 8
"""A page may be megabytes of text."""
_INDEXES: Final[Mapping[str, Sequence[Sequence[str]]]] = {
    "judgements": [("statement_id", "source_id", "judge")],
    "events": [("unit",)],
}
"""For the view ``pairs``, and for what was done with one statement."""


@dataclass(frozen=True, slots=True)
class DatabaseSummary:
    """The two files, rows by table, and the names of the views."""

    file: str
    metadata: str
    tables: Mapping[str, int]
    views: Sequence[str]


class ExportDatabase:
    """The database of an export, beside its CSV files: it takes the same rows, and pages on top.

    ``name`` has passed :func:`check_name`; ``files``: the CSV files. Raises :class:`UserError`
    when the file cannot be written.
    """

    def __init__(self, folder: Path, name: str, files: Iterable[ExportFile]) -> None:
        self._folder = folder
        self._file = SqliteFile(folder / name, {file.table: file for file in (*files, SOURCES, SNAPSHOTS)})

    def copied(self, table: str, rows: Iterable[Sequence[Cell]]) -> Iterator[Sequence[Cell]]:
        """The rows of a CSV file, each taken on its way."""
        for row in rows:
            self._file.add(table, row)
            yield row

    def finish(
        self, reader: sqlite3.Connection, provenance: Mapping[str, Any], progress: Progress, *, page_text: bool
    ) -> DatabaseSummary:
        """Add what the CSV files do not have, and write the metadata."""
        file = self._file
        file.add_all(SOURCES.table, SOURCES.read(reader))
        progress.begin("pages", reader.execute("SELECT count(*) FROM snapshot").fetchone()[0])
        file.add_all(SNAPSHOTS.table, _counted(snapshot_rows(reader, text=page_text), progress), _PAGES_AT_ONCE)
        file.end_of_rows()
        searched = {"statements": ["text"], "snapshots": ["title", "text"] if page_text else ["title"]}
        progress.begin("indexes", len(file.tables) + len(searched))
        for table in file.tables:
            facets = ([column] for column in file.tables[table].facets)
            file.add_indexes(table, [*_INDEXES.get(table, ()), *facets])
            progress.step()
        hidden = []
        for table, columns in searched.items():
            hidden += file.add_search(table, columns)
            progress.step()
        judges = sorted(judges_of_support(reader), key=lambda judge: judge.offline)
        shown = views(file.tables, judges)
        for view in shown:
            file.add_view(view.name, view.sql)
        file.commit()
        newest = reader.execute("SELECT max(at_utc) FROM event").fetchone()[0]
        told = metadata(file.path.stem, file.tables, shown, hidden, {**provenance, "event_at": newest})
        write_new(self._folder / METADATA, json.dumps(told, ensure_ascii=False, indent=1) + "\n")
        return DatabaseSummary(file.path.name, METADATA, file.rows, [view.name for view in shown])

    def __enter__(self) -> Self:
        """The open database."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.__exit__(kind, error, trace)


def check_name(name: str) -> None:
    """Raise :class:`UserError` unless a database can have this name: a file name that is an address in Datasette."""
    if not _NAME.fullmatch(name):
        raise UserError(
            f"The database cannot be called {name!r}: give a name of letters, digits, '-' and '_' that ends in .db, "
            ".sqlite or .sqlite3, such as labels.db. It is made in the folder of the export."
        )


def _counted(rows: Iterable[Sequence[Cell]], progress: Progress) -> Iterator[Sequence[Cell]]:
    for row in rows:
        yield row
        progress.step()
