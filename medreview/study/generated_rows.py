"""What generators made in another copy of a study: questions, answers, items and briefs, taken over input by input.

An input (of one run of a generator) on which work ended in both copies keeps what was made of it here, unless the other
copy went a round further. Of an input that is taken over come the attempts, the outcome, what a rule left out, and what
was made: units, responses, passages, cases, with the right labels and answers that were made with them. Responses come
as they were written; they are split, and what they cite is fetched, here.
"""

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from medreview.labels import is_label
from medreview.storable import unstorable
from medreview.study.ids import content_id, kind_of
from medreview.study.machine_rows import RowsJoined
from medreview.study.rows import insert
from medreview.text import sha256

Row = dict[str, Any]
Item = tuple[str, str]

_MADE: Final = {
    "passage": ("passage", "passage_id", "rowid"),
    "case": ("clinical_case", "case_id", "ordinal"),
    "response": ("response", "response_id", "ordinal"),
    "unit": ("unit", "unit_id", "kind, ordinal"),
}
"""By kind of product: its table, the key of that, and its order."""
_OF_ITEMS: Final = ("generation_attempt", "generation", "generation_dropped", "generation_product")
TABLES: Final = (
    "generation_run", *_OF_ITEMS, "unit", "response", "turn", "passage", "clinical_case", "case_note", "gold",
    "reference_answer",
)  # fmt: skip
_OF_RUN: Final = ("generator", "model_name", "model", "host", "judge", "prompts", "params", "options")
_NOT_YET: Final = {"cited": 0, "parser": None, "marked": None, "left_out_by": None, "references_by": None, "dropped": 0}
"""What a response says of how far it was read."""


class GeneratedRows:
    """Those of another copy, which has to stay as it is from the look to the writing."""

    def __init__(self, theirs: sqlite3.Connection) -> None:
        self._theirs = theirs

    def faults(self, here: sqlite3.Connection) -> Iterator[str]:
        """A sentence for each row that would come in and is not as it should be."""
        for run in self._rows("generation_run"):
            if content_id("n", *(run[name] for name in _OF_RUN)) != run["run_id"]:
                yield f"Of the run {run['run_id']} of a generator what it is does not fit its id."
        items, _, _ = self._items(here)
        for kind, table, key, row in self._products(here, items):
            name = f"Of the {kind} {row[key]}"
            if wrong := _row_fault(table, row):
                yield f"{name} {wrong}."
            for beside, more in self._beside(table, row):
                if wrong := _row_fault(beside, more):
                    yield f"{name} in what came with it {wrong}."
        for row in self._rows("generation"):
            if not isinstance(json.loads(row["report"]), dict) or unstorable(json.loads(row["report"])):
                yield f"Of the input {row['item_id']} of a generator its report is not a table of values."

    def write(self, here: sqlite3.Connection, read_unit: Callable[[sqlite3.Connection, str], object]) -> RowsJoined:
        """Take over what this study does not have, inside the caller's transaction: how many inputs.

        ``read_unit`` reads a unit as a reviewer is shown it, and raises an error where it cannot.
        """
        items, known, kept = self._items(here)
        for run in self._rows("generation_run", " ORDER BY ordinal"):
            (last,) = here.execute("SELECT coalesce(max(ordinal), 0) FROM generation_run").fetchone()
            insert(here, "generation_run", [run | {"ordinal": last + 1}])
        units = []
        for _, table, key, row in self._products(here, items):
            _add(here, table, row)
            for beside, more in self._beside(table, row):
                insert(here, beside, [more])
            units += [row[key]] if table == "unit" else []
        for unit in units:
            read_unit(here, unit)
        for table in _OF_ITEMS:
            insert(here, table, (row for row in self._rows(table) if (row["run_id"], row["item_id"]) in items))
        ended = {(row["run_id"], row["item_id"]) for row in self._rows("generation")}
        return RowsJoined(added=len(items & ended), known=known, kept=kept)

    def _rows(self, table: str, order: str = "") -> Iterator[Row]:
        return (dict(row) for row in self._theirs.execute(f"SELECT * FROM {table}{order}"))

    def _items(self, here: sqlite3.Connection) -> tuple[set[Item], int, int]:
        """The inputs to take over; how many this study has just so, and how many it keeps as it made them."""
        newest = "SELECT run_id, item_id, max(round) AS round, finished_at FROM generation GROUP BY run_id, item_id"
        ours, theirs = (
            {(row["run_id"], row["item_id"]): (row["round"], row["finished_at"]) for row in one.execute(newest)}
            for one in (here, self._theirs)
        )
        begun = self._theirs.execute("SELECT DISTINCT run_id, item_id FROM generation_attempt").fetchall()
        taken = {item for item, end in theirs.items() if item not in ours or end[0] > ours[item][0]}
        taken |= {(row[0], row[1]) for row in begun if (row[0], row[1]) not in theirs and (row[0], row[1]) not in ours}
        known = sum(ours.get(item) == end for item, end in theirs.items())
        return taken, known, sum(item not in taken for item in theirs) - known

    def _products(self, here: sqlite3.Connection, items: set[Item]) -> Iterator[tuple[str, str, str, Row]]:
        """Kind, table, key and row of what was made of these inputs and this study does not have, as it is ordered
        there."""
        made: dict[str, set[str]] = {kind: set() for kind in _MADE}
        for row in self._rows("generation_product"):
            if (row["run_id"], row["item_id"]) in items:
                made[row["kind"]].add(row["made"])
        for kind, (table, key, order) in _MADE.items():
            for one in [row[0] for row in self._theirs.execute(f"SELECT {key} FROM {table} ORDER BY {order}")]:
                query = f"SELECT * FROM {table} WHERE {key} = ?"
                if one in made[kind] and here.execute(query, (one,)).fetchone() is None:
                    yield kind, table, key, dict(self._theirs.execute(query, (one,)).fetchone())

    def _beside(self, table: str, row: Mapping[str, Any]) -> Iterator[tuple[str, Row]]:
        """Tables and rows of what was stored together with such a row."""
        if table == "response":
            one, question = row["response_id"], sha256(row["question"])
            yield from self._found("turn", "response_id = ?", one)
            yield from self._found("reference_answer", "question_sha256 = ?", question)
            yield from self._found("gold", "unit IN ('answer:' || ?1, 'response:' || ?1)", one)
        elif table == "clinical_case":
            yield from self._found("case_note", "case_id = ?", row["case_id"])
        elif table == "unit":
            yield from self._found("gold", "unit = ?", row["unit_id"])

    def _found(self, table: str, where: str, value: str) -> Iterator[tuple[str, Row]]:
        return ((table, dict(row)) for row in self._theirs.execute(f"SELECT * FROM {table} WHERE {where}", (value,)))


def _add(here: sqlite3.Connection, table: str, row: Row) -> None:
    if table == "response":
        row = row | _NOT_YET
    if "ordinal" in row:
        of_kind, values = (" WHERE kind = ?", (row["kind"],)) if table == "unit" else ("", ())
        (last,) = here.execute(f"SELECT coalesce(max(ordinal), 0) FROM {table}{of_kind}", values).fetchone()
        row = row | {"ordinal": last + 1}
    insert(here, table, [row])


def _row_fault(table: str, row: Mapping[str, Any]) -> str:
    if wrong := unstorable([value for value in row.values() if not isinstance(value, bytes)]):
        return wrong
    if "text_sha256" in row and sha256(row["text"]) != row["text_sha256"]:
        return "its text does not fit its hash"
    if "question_sha256" in row and sha256(row["question"]) != row["question_sha256"]:
        return "its question does not fit its hash"
    if table == "unit" and (sha256(row["content"]) != row["content_sha256"] or kind_of(row["unit_id"]) != row["kind"]):
        return "its content does not fit its hash, or its id its kind"
    if table == "gold" and not is_label(row["axis"], row["label"]):
        return "its right label is unknown to this program"
    return ""
