"""The tables and views of the exported database, and their metadata for Datasette.

A table's file describes it; where its columns lead stands here. Views are tables joined, and put in an order for
reading. The keys of the metadata are those of Datasette's ``metadata.json``. Its ``units`` are not among them: they are
for units that can be counted in, which "code points, 0-based" is not, and later versions of Datasette have dropped
them; a unit stands in the description of its column.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from graphlib import TopologicalSorter
from html import escape
from itertools import chain, count
from typing import Any, Final
from urllib.parse import quote

from medreview.exchange.files.columns import Column, ExportFile, Type, levels_of
from medreview.judges.votes import VotingJudge
from medreview.labels import EVIDENCE
from medreview.study.ids import MADE_OF
from medreview.units.registry import KINDS
from medreview.visible import visible

Tables = Mapping[str, ExportFile]
"""Name of a table -> what it is."""

PYTHON_TYPES: Final[Mapping[Type, type]] = {"text": str, "time": str, "integer": int, "boolean": int, "number": float}
"""Type of a column -> the Python type that sqlite-utils makes TEXT, INTEGER or REAL of. SQLite knows no booleans and
no times: 0 and 1, and ISO 8601, as in the CSV files."""

_OF_KINDS: Final[Mapping[str, Collection[str]]] = {
    table.table: ("passage_id",) if name in MADE_OF else ("passage_id", "unit_id")
    for name, kind in KINDS.items()
    for table in kind.tables
}
"""Tables that kinds of unit have for themselves -> the columns that lead elsewhere; others may name what is gone."""


def references(table: str, tables: Tables) -> dict[str, str]:
    """The foreign keys of a table: name of a column -> the table whose key it holds.

    A column named like the key of another table leads there, whichever file it stands in; where several have that key,
    to the first.
    """
    file = tables[table]
    keys = {one.key[0]: name for name, one in reversed([*tables.items()]) if len(one.key) == 1}
    targets = keys | dict(file.leads)
    wanted = {column.name: targets.get(column.name, "") for column in file.columns}
    if table in _OF_KINDS:
        wanted = {name: other for name, other in wanted.items() if name in _OF_KINDS[table]}
    own = file.key
    return {name: other for name, other in wanted.items() if other in tables and not (other == table and name in own)}


def reading_order(file: ExportFile) -> list[Column]:
    """The columns of a table as the database has them: those one reads first, then the others as in the CSV file."""
    first = file.first
    return sorted(file.columns, key=lambda column: first.index(column.name) if column.name in first else len(first))


def in_order(tables: Tables) -> list[str]:
    """The names of the tables, each after those that it refers to."""
    before = {name: [other for other in references(name, tables).values() if other != name] for name in tables}
    return list(TopologicalSorter(before).static_order())


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
        cells = ",\n       ".join(f"{sql} AS {_quoted(column.name)}" for column, sql in self.columns)
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
    return replace(described, name=name or column), f"{alias}.{_quoted(column)}"


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


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


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
