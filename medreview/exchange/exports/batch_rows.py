"""Which rows of a study a copy for one batch holds: its units, what they are made of and read beside, and nothing else.

A response comes whole, since it is read whole. Of its statements come those of the batch, and those that an edit ties
to others. Stored units bring the passages, cases, pages and responses that their content names.
"""

import json
import sqlite3
from collections.abc import Collection, Mapping
from typing import Final

from medreview.errors import UserError
from medreview.review.batches import batches
from medreview.review.draws import draw_named
from medreview.study.ids import MADE_OF, PAIR, REFERENCE, STATEMENT, ids_of, kind_of
from medreview.study.study import Study
from medreview.study.unit_faults import texts_in
from medreview.text import sha256
from medreview.units.registry import KINDS

_NEVER: Final = (
    "generation_run", "generation", "generation_attempt", "generation_product", "generation_dropped", "llm_call",
    "llm_sent", "passage_run", "passage_feature", "lookup",
)  # fmt: skip
"""Tables of how material came to be, which nobody needs who decides."""
_WHOLE: Final = ("fact", "suggestion")
"""Kinds whose units a reviewer's events make: they go with the whole study."""

_STATEMENTS: Final = (
    "SELECT statement_id, response_id FROM statement WHERE statement_id IN (SELECT value FROM json_each(?))"
)
_TIED: Final = """SELECT s.statement_id FROM statement AS s
WHERE s.response_id IN (SELECT value FROM json_each(?1)) AND s.response_id IN (
    SELECT response_id FROM statement JOIN retired_statement USING (statement_id)
    UNION SELECT response_id FROM statement WHERE in_place_of IS NOT NULL)"""
_CITED: Final = "SELECT source_id FROM citation WHERE response_id IN (SELECT value FROM json_each(?))"
_PAGES: Final = "SELECT snapshot_id FROM snapshot WHERE source_id IN (SELECT value FROM json_each(?))"
_REFERENCES: Final = "SELECT reference_id FROM reference WHERE response_id IN (SELECT value FROM json_each(?))"
_ASKED: Final = "SELECT question FROM response WHERE response_id IN (SELECT value FROM json_each(?))"
_CASES: Final = "SELECT case_id FROM clinical_case WHERE question_sha256 IN (SELECT value FROM json_each(?))"
_OF_CASES: Final = "SELECT question_sha256 FROM clinical_case WHERE case_id IN (SELECT value FROM json_each(?))"
_CONTENT: Final = """SELECT unit_id, belongs_to, content FROM unit WHERE unit_id IN (SELECT value FROM json_each(?))"""


def units_of_batch(study: Study, name: str, made_for: str) -> tuple[str, ...]:
    """The units of a draw, or of one reviewer's batch of it, in their order.

    Raises :class:`UserError` for a draw that there is not, for a reviewer without a batch of it, and for units of which
    no part can be cut out.
    """
    drawn = draw_named(study.reader, name)
    if drawn.kind in _WHOLE or drawn.kind not in (STATEMENT, *KINDS):
        raise UserError(f"{name!r} is a draw of {drawn.noun}s, which go with the whole study: leave --batch out.")
    if not made_for:
        return drawn.units
    shared = batches(study.reader).get(name)
    own = shared.batches.get(made_for, ()) if shared else ()
    if not own:
        raise UserError(
            f"{made_for} has no batch of {name!r}. Share it out first, or leave --for out: all of the draw."
        )
    return own


class BatchRows:
    """The rows that the copy holds, table by table (:meth:`holds`); ``units`` are those whose events it holds."""

    def __init__(self, reader: sqlite3.Connection, units: Collection[str]) -> None:
        self._reader = reader
        made_of: dict[str, set[str]] = {table: set() for table in ("statement", "response", "source", "reference")}
        for unit in units:
            kind = kind_of(unit)
            tables = (STATEMENT,) if kind == STATEMENT else MADE_OF.get(kind, ())  # of stored units none
            for table, one in zip(tables, ids_of(unit), strict=False):
                made_of.setdefault(table, set()).add(one)
        kinds = {kind_of(unit) for unit in units}
        statements, responses = made_of["statement"], made_of["response"]
        named = self._named(units)
        responses |= named
        responses |= {row[1] for row in self._of(_STATEMENTS, statements)}
        query = "SELECT response_id FROM reference WHERE reference_id IN (SELECT value FROM json_each(?))"
        responses |= self._ids(query, made_of["reference"])
        if kinds - {STATEMENT, PAIR}:  # whoever decides on a whole response, or on a reference, has its statements
            every = "SELECT statement_id FROM statement WHERE response_id IN (SELECT value FROM json_each(?))"
            statements |= self._ids(every, responses)
        statements |= self._ids(_TIED, responses)
        sources = made_of["source"] | self._ids(_CITED, responses) | named
        references = made_of["reference"] if kinds == {REFERENCE} else self._ids(_REFERENCES, responses)
        study = reader.execute("SELECT value FROM study WHERE key = 'study_id'").fetchone()[0]
        self.units = frozenset({*units, *statements, str(study)})
        cases = self._ids("SELECT case_id FROM clinical_case WHERE case_id IN (SELECT value FROM json_each(?))", named)
        questions = {sha256(one) for one in self._ids(_ASKED, responses) | named} | self._ids(_OF_CASES, cases)
        cases |= self._ids(_CASES, questions)
        self._held: Mapping[str, Collection[str]] = {
            "statement_id": statements, "response_id": responses, "source_id": sources, "reference_id": references,
            "snapshot_id": self._ids(_PAGES, sources) | named, "unit": self.units, "unit_id": self.units,
            "passage_id": named, "case_id": cases, "question_sha256": questions,
        }  # fmt: skip

    def holds(self, table: str, row: sqlite3.Row) -> bool:
        """Whether a row of a table goes along."""
        if table in _NEVER:
            return False
        columns = row.keys()
        return all(
            row[column] is None or row[column] in held for column, held in self._held.items() if column in columns
        )

    def _of(self, query: str, ids: Collection[str]) -> list[sqlite3.Row]:
        return self._reader.execute(query, (json.dumps(sorted(ids)),)).fetchall()

    def _ids(self, query: str, ids: Collection[str]) -> set[str]:
        return {str(row[0]) for row in self._of(query, ids)}

    def _named(self, units: Collection[str]) -> set[str]:
        """All texts in the contents of stored units, among them the ids of what they are read beside."""
        found = set()
        for _, belongs_to, content in self._of(_CONTENT, units):
            found |= {belongs_to, *texts_in(json.loads(content))}
        sources = {row[0] for row in self._reader.execute("SELECT snapshot_id FROM snapshot") if row[0] in found}
        query = "SELECT source_id FROM snapshot WHERE snapshot_id IN (SELECT value FROM json_each(?))"
        return found | self._ids(query, sources)
