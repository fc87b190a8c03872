"""``package``: a self-contained copy of a study for a colleague, without what would show machines' or others' opinions.

The copy is a study of the same id: its decisions come back by ``merge``. It is made row by row in a new file,
so that nothing that was left out can be found between the rows.
"""

import sqlite3
from collections.abc import Collection, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from medreview.errors import UserError
from medreview.exchange.exports.study_part import StudyPart
from medreview.progress import SILENT, Progress
from medreview.references.study_references import register as register_verdicts
from medreview.study import Study
from medreview.study.audit_frame import WITHHELD
from medreview.study.package import PARTS, Package, Part
from medreview.study.statement_edits import EDITS
from medreview.study.unit_table import make_rows
from medreview.units.label_comparisons import PROMPT, THEMES
from medreview.units.registry import register
from medreview.units.stored import correct_answers_are

_OF_JUDGES: Final = (
    "judge_run", "judgement", "merged_judgement", "hallucination_finding", "key_fact_vote", "verdict", "opinion",
)  # fmt: skip
"""Tables of what machines say."""
_OF_GENERATORS: Final = (
    "generation_run", "generation", "generation_attempt", "generation_product", "generation_dropped", "llm_call",
    "llm_sent",
)  # fmt: skip
"""Tables of what models were asked, and to write what: who wrote what, what another model said of it, and the key."""
_NOT_OF_LABELS: Final = {
    **{
        table: f"run_id NOT IN (SELECT run_id FROM generation_run WHERE generator = '{THEMES}')"
        for table in _OF_GENERATORS
        if table.startswith("generation")
    },
    **{table: f"task <> '{PROMPT}'" for table in _OF_GENERATORS if table.startswith("llm")},
}
"""What of these is passed on where labels or notes are not: no model's words on them."""
_TELLING: Final[frozenset[Part]] = frozenset(("judges", "models", "gold"))
_OWN: Final = ("bookmark", "draft", "saved_filter")
"""Tables of what a reviewer did and is in no event; another's are never passed on."""
_MADE_HERE: Final = (
    "row_seal", "withheld", "unit_kind", "batch_job", "passage_vector", "statement_vector",
)  # fmt: skip
"""Tables that are not copied: they come with a new file, are made from what is left out, or are of this file alone: the
results of a batch come back to the study that submitted it. Vectors are large, and an encoder makes them again."""

_NOT_TOLD: Final = """(suggestion = '' OR EXISTS (
    SELECT 1 FROM event AS e WHERE e.reviewer = ?1 AND e.unit GLOB 'fact:*:' || key_fact.key_fact_id))"""
"""Key facts that reveal no labels of others: those that came as such, and those that the reviewer decided on. What else
is made of suggestions follows from the labels that stay."""
_VOTED: Final = f"({_NOT_TOLD} OR key_fact_id IN (SELECT key_fact_id FROM key_fact_vote))"

_OF_SUGGESTIONS: Final = "SELECT * FROM event WHERE unit GLOB 'suggestion:*' ORDER BY event_id"

_OF_STUDY: Final = (
    *EDITS, "fact_add", "audit_rate", "audit_plan", "audit_assist", "share_rate", "pass_rate", "guideline", "declare",
    "axes", "draw", "assign", "consent", "ranking_draw", "sent_anyway", "seal",
)  # fmt: skip
"""Kinds of event that make the study what it is, whoever did it."""

_RATES: Final[dict[Part, str]] = {"judges": "flagged", "models": "model"}
"""By what the audit may have been drawn that must not be known: such an event has the names of its strata."""
_STRATUM: Final = f"iif(stratum IN ('flagged', 'not flagged') OR stratum GLOB 'model *', '{WITHHELD}', stratum)"

_CELLS: Final[dict[Part, dict[str, dict[str, str]]]] = {
    "judges": {
        # The rules' score stays, by which it is chosen which page opens; a model of meaning has no part in that.
        "evidence": {"highlights": "'[]'", "clashes": "'[]'", "blended": "NULL", "encoder": "''",
                     "signs": "'[]'", "lacking": "'[]'"},
        "audit_frame": {"stratum": _STRATUM, "flagged": "NULL"},
        # What authorities have stays: whoever judges a reference needs their records.
        "reference_check": {"verdict": "NULL", "result": "without_verdict(result)"},
    },
    "models": {
        "audit_frame": {"stratum": _STRATUM},
        # What made a list of statements is no matter of whoever checks it.
        "response": {"model": "''", "parser": "iif(parser IS NULL, NULL, 'not told')"},
        "unit": {"model": "''", "made_by": "'{}'", "content": "without_models(kind, content)",
                 "content_sha256": "sha256_of(without_models(kind, content))"},
    },
}  # fmt: skip
"""Cells that are emptied: part -> table -> column -> SQL over the row."""


def package(
    study: Study,
    target: Path,
    reviewer: str,
    *,
    without: Collection[Part] = tuple(PARTS),
    made_for: str = "",
    part: StudyPart | None = None,
    progress: Progress = SILENT,
) -> Package:
    """Make the copy, a private file that appears whole or not at all; what is left out of it.

    ``made_for``: a reviewer whose own labels, notes and drafts stay in it. ``part``: what it holds of the study, if not
    all. Raises :class:`UserError` when ``target`` exists, or cannot be written.
    """
    reader = study.reader
    register(reader)
    register_verdicts(reader)
    if part is not None:
        part.register(reader)
    left_out = list(_withheld(reader, without, made_for, part))
    made = Package(
        datetime.now(UTC).isoformat(timespec="seconds"), reviewer, made_for,
        tuple(each for each in PARTS if each in without), len(left_out), part.words if part else "",
        part.batch if part else "",
    )  # fmt: skip
    withheld = {row["event_id"] for row in left_out}
    tables = _tables(reader)
    progress.begin(target.name, len(tables))

    def fill(copy: Study) -> None:
        def change(connection: sqlite3.Connection) -> None:
            connection.execute("PRAGMA defer_foreign_keys = ON")
            for table in tables:
                _copy(reader, connection, table, without, made_for, withheld, part)
                progress.step()
            if "labels" in without:
                for event in connection.execute(_OF_SUGGESTIONS).fetchall():
                    make_rows(connection, event)
            _insert(connection, "withheld", list(_WITHHELD), ([row[name] for name in _WITHHELD] for row in left_out))
            _insert(connection, "study", ["key", "value"], [list(made.row().values())])

        copy.write(change)

    Study.create(target, fill=fill).close()
    return made


_WITHHELD: Final = ("hash", "event_id", "reviewer", "unit", "decides")


def _withheld(
    reader: sqlite3.Connection, without: Collection[Part], made_for: str, part: StudyPart | None
) -> Iterator[sqlite3.Row]:
    """The events that are left out, those of an earlier copy too, each with whether it makes its unit decided.

    The draws of the audit that say what must not be known are left out whoever asked for them: made again here, they
    would have other strata.
    """
    drawn_by = ", ".join(f"'{_RATES[part]}'" for part in without if part in _RATES)
    kinds = ", ".join(f"'{kind}'" for kind in _OF_STUDY)
    conditions = ["e.kind IN ('note', 'tag')"] if "notes" in without else []
    if "labels" in without:
        conditions.append(f"(e.kind NOT IN ({kinds}, 'note', 'tag', 'retract'))")
    of_part = part.where("event", ["unit"]) if part else "1"
    query = f"""
        WITH out AS (SELECT e.event_id FROM event AS e WHERE e.reviewer <> ?1 AND ({" OR ".join(conditions) or "0"})
                     OR e.kind = 'audit_rate' AND json_extract(e.payload, '$.by') IN ({drawn_by})),
        every AS (SELECT event_id FROM out UNION SELECT r.event_id FROM event AS r JOIN event AS e
                  ON e.event_id = r.undoes_event WHERE r.reviewer <> ?1 AND (
                  e.event_id IN out OR EXISTS (SELECT 1 FROM out WHERE out.event_id = e.undoes_event))
                  UNION SELECT e.event_id FROM event AS e WHERE NOT ({of_part}))
        SELECT e.hash, e.event_id, e.reviewer, e.unit,
               e.event_id IN (SELECT event_id FROM standing WHERE pass = 1 AND state = 'decided') AS decides
        FROM event AS e WHERE e.event_id IN every
        UNION ALL SELECT hash, event_id, reviewer, unit, decides FROM withheld ORDER BY 2"""
    yield from reader.execute(query, (made_for,))


def _tables(reader: sqlite3.Connection) -> list[str]:
    found = reader.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid"
    )
    return [row[0] for row in found if row[0] not in _MADE_HERE]


def _copy(
    reader: sqlite3.Connection,
    connection: sqlite3.Connection,
    table: str,
    without: Collection[Part],
    made_for: str,
    left_out: Collection[str],
    part: StudyPart | None,
) -> None:
    """The rows of one table that are passed on, with the cells that are."""
    if (
        ("judges" in without and table in _OF_JUDGES)
        or ("gold" in without and table == "gold")
        or ("gold" in without and table == "reference_answer" and correct_answers_are(reader) == "after")
        or (table in _OF_GENERATORS and not _TELLING.isdisjoint(without))
    ):
        return
    info = reader.execute("SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0", (table,)).fetchall()
    columns = [row[0] for row in info]
    emptied: dict[str, str] = {}
    for each in without:
        emptied |= _CELLS.get(each, {}).get(table, {})
    cells = ", ".join(emptied.get(column, f'"{column}"') for column in columns)
    where, values = ("reviewer = ?1", (made_for,)) if table in _OWN else ("1", ())
    if table == "key_fact" and "labels" in without:
        where, values = _NOT_TOLD if "judges" in without else _VOTED, (made_for,)
    if table in _NOT_OF_LABELS and not {"labels", "notes"}.isdisjoint(without):
        where = _NOT_OF_LABELS[table]
    if part is not None:
        where = f"({where}) AND {part.where(table, columns)}"
    rows: Any = reader.execute(f"SELECT {cells} FROM {table} WHERE {where}", values)
    if table == "event":
        place = columns.index("event_id")
        rows = (row for row in rows if row[place] not in left_out)
    _insert(connection, table, columns, rows)


def _insert(connection: sqlite3.Connection, table: str, columns: list[str], rows: Any) -> None:
    names, marks = ", ".join(f'"{column}"' for column in columns), ", ".join("?" * len(columns))
    connection.executemany(f"INSERT OR REPLACE INTO {table} ({names}) VALUES ({marks})", map(list, rows))


def parts_named(text: str) -> tuple[Part, ...]:
    """The parts of a list with commas; ``none`` is no part. Raises :class:`UserError` for another name."""
    named = [name.strip() for name in text.split(",") if name.strip() not in ("", "none")]
    for name in named:
        if name not in PARTS:
            raise UserError(f"{name!r} is not a part that can be left out; there are {', '.join(PARTS)}, or none.")
    return tuple(part for part in PARTS if part in named)
