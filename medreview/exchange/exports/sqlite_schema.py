"""The tables of the exported database: types from the descriptions of the columns, keys, references and indexes."""

from collections.abc import Collection, Mapping, Sequence
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Final

from medreview.exchange.files.columns import Column, Type
from medreview.study.unit_ids import MADE_OF
from medreview.units.registry import KINDS

Tables = Mapping[str, Sequence[Column]]
"""Name of a table -> its columns, in their order."""

PYTHON_TYPES: Final[Mapping[Type, type]] = {"text": str, "time": str, "integer": int, "boolean": int, "number": float}
"""Type of a column -> the Python type that sqlite-utils makes TEXT, INTEGER or REAL of. SQLite knows no booleans and
no times: 0 and 1, and ISO 8601, as in the CSV files."""

KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "labels": ("unit_id", "reviewer_id", "pass_no"),
    "spans": ("span_id",),
    "pairs": ("unit_id", "source_id"),
    "judgements": ("judgement_id",),
    "events": ("event_id",),
    "event_values": ("event_id", "name"),
    "responses": ("response_id",),
    "statements": ("statement_id",),
    "left_out": ("response_id", "start"),
    "citations": ("response_id", "ordinal"),
    "key_facts": ("key_fact_id",),
    "key_fact_votes": ("key_fact_vote_id",),
    "unit_labels": ("unit_id", "reviewer_id", "pass_no", "axis"),
    "units": ("unit_id",),
    "unit_values": ("unit_id", "part", "name"),
    "passages": ("passage_id",),
    "passage_runs": ("passage_run_id",),
    "passage_features": ("passage_run_id", "text_sha256", "start_cp"),
    "cases": ("case_id",),
    "case_notes": ("note_id",),
    "reference_answers": ("question_sha256",),
    "gold": ("unit_id", "axis"),
    "gold_spans": ("unit_id", "axis", "ordinal"),
    "opinions": ("opinion_id",),
    "generation_runs": ("generation_run_id",),
    "generation": ("generation_run_id", "item_id", "round"),
    "generation_attempts": ("generation_run_id", "item_id", "stage", "number", "cache_key"),
    "generation_products": ("generation_run_id", "item_id", "kind", "made"),
    "generation_dropped": ("generation_run_id", "item_id", "ordinal"),
    "references": ("reference_id",),
    "reference_differences": ("reference_id", "ordinal"),
    "reference_checks": ("check_id",),
    "codebook": ("file", "column"),
    "sources": ("source_id",),
    "snapshots": ("snapshot_id",),
}
"""Name of a table -> its primary key. A table that has several rows for one thing is not named here."""

_NOWHERE: Final = ""
"""Where a column leads that names units of every kind, which no one table has, or a question without an answer."""
_BY_OTHER_NAMES: Final[Mapping[str, Mapping[str, str]]] = {
    "labels": {"unit_id": "statements", "first_event_id": "events", "last_event_id": "events"},
    "spans": {"unit_id": _NOWHERE, "span_id": "events"},
    **{table: {"question_sha256": _NOWHERE} for table in ("key_facts", "cases")},
    **{table: {"unit_id": _NOWHERE} for table in ("gold", "gold_spans", "opinions")},
    "unit_labels": {"unit_id": _NOWHERE, "first_event_id": "events", "final_event_id": "events"},
    "pairs": {"unit_id": "statements"},
    "references": {"unit_id": _NOWHERE, "check_id": _NOWHERE},
    "events": {"snapshot": "snapshots", "undoes_event": "events"},
}

_OF_KINDS: Final[Mapping[str, Collection[str]]] = {
    Path(table.file).stem: ("passage_id",) if name in MADE_OF else ("passage_id", "unit_id")
    for name, kind in KINDS.items()
    for table in kind.tables
}
"""Tables that kinds of unit have for themselves -> the columns that lead elsewhere; others may name what is gone."""

FIRST: Final[Mapping[str, Sequence[str]]] = {
    "labels": (
        "unit_id", "reviewer_id", "pass_no", "mode", "verdict_final", "judge_verdict", "verdict_first", "reason_code",
        "note", "halluc_type", "stale", "snapshot_id",
    ),
    "responses": ("response_id", "ordinal", "record_id", "model", "origin", "question", "text"),
    "statements": ("statement_id", "text", "response_id", "ordinal"),
    "judgements": (
        "judgement_id", "judge", "statement_id", "snapshot_id", "verdict", "raw_label", "confidence", "quote_status",
        "quote", "reason",
    ),
}  # fmt: skip
"""Name of a table -> the columns that one reads first; the others follow in the order of the CSV file."""


def references(table: str, tables: Tables) -> dict[str, str]:
    """The foreign keys of a table: name of a column -> the table whose key it holds.

    A column named like the key of another table leads there, whichever file it stands in.
    """
    own = KEYS.get(table, ())
    targets = {key[0]: name for name, key in KEYS.items() if len(key) == 1}
    targets.update(_BY_OTHER_NAMES.get(table, {}))
    wanted = {column.name: targets.get(column.name, "") for column in tables[table]}
    if table in _OF_KINDS:
        wanted = {name: other for name, other in wanted.items() if name in _OF_KINDS[table]}
    return {name: other for name, other in wanted.items() if other in tables and not (other == table and name in own)}


def reading_order(table: str, columns: Sequence[Column]) -> list[Column]:
    """The columns of a table as the database has them: those one reads first, then the others as in the CSV file."""
    first = FIRST.get(table, ())
    return sorted(columns, key=lambda column: first.index(column.name) if column.name in first else len(first))


def in_order(tables: Tables) -> list[str]:
    """The names of the tables, each after those that it refers to."""
    before = {name: [other for other in references(name, tables).values() if other != name] for name in tables}
    return list(TopologicalSorter(before).static_order())
