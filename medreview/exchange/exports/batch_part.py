"""Which rows of a study a copy for one batch holds: its units, what they are made of and read beside, and nothing else.

A response comes whole, since it is read whole. Of its statements come those of the batch, and those that an edit ties
to others. Stored units bring the passages, cases, pages and responses that their content names.
"""

import json
import sqlite3
from collections.abc import Collection
from typing import Final, NamedTuple

from medreview.errors import UserError
from medreview.exchange.exports.study_part import StudyPart
from medreview.review.batches import batches
from medreview.review.draws import draw_named
from medreview.study.ids import MADE_OF, PAIR, REFERENCE, STATEMENT, ids_of, kind_of
from medreview.study.study import Study
from medreview.study.unit_faults import texts_in
from medreview.text import counted, sha256
from medreview.units.registry import KINDS

_NEVER: Final = (
    "generation_run", "generation", "generation_attempt", "generation_product", "generation_dropped", "llm_call",
    "llm_sent", "passage_run", "passage_feature", "lookup",
)  # fmt: skip
"""Tables of how material came to be, which nobody needs who decides."""
_WHOLE: Final = "suggestion"
"""A kind whose units a reviewer's events make: they go with the whole study."""

_OF_STATEMENTS: Final = "SELECT response_id FROM statement WHERE statement_id IN (SELECT value FROM json_each(?))"
_OF_REFERENCES: Final = "SELECT response_id FROM reference WHERE reference_id IN (SELECT value FROM json_each(?))"
_ALL_STATEMENTS: Final = "SELECT statement_id FROM statement WHERE response_id IN (SELECT value FROM json_each(?))"
_TIED: Final = """SELECT s.statement_id FROM statement AS s
WHERE s.response_id IN (SELECT value FROM json_each(?1)) AND s.response_id IN (
    SELECT response_id FROM statement JOIN retired_statement USING (statement_id)
    UNION SELECT response_id FROM statement WHERE in_place_of IS NOT NULL)"""
_OF_SUGGESTIONS: Final = """SELECT key_fact_id FROM key_fact
WHERE suggestion <> '' AND key_fact_id IN (SELECT value FROM json_each(?))"""
_CITED: Final = "SELECT source_id FROM citation WHERE response_id IN (SELECT value FROM json_each(?))"
_PAGES: Final = "SELECT snapshot_id FROM snapshot WHERE source_id IN (SELECT value FROM json_each(?))"
_REFERENCES: Final = "SELECT reference_id FROM reference WHERE response_id IN (SELECT value FROM json_each(?))"
_ASKED: Final = "SELECT question FROM response WHERE response_id IN (SELECT value FROM json_each(?))"
_CASES: Final = "SELECT case_id FROM clinical_case WHERE question_sha256 IN (SELECT value FROM json_each(?))"
_KNOWN_CASES: Final = "SELECT case_id FROM clinical_case WHERE case_id IN (SELECT value FROM json_each(?))"
_OF_CASES: Final = "SELECT question_sha256 FROM clinical_case WHERE case_id IN (SELECT value FROM json_each(?))"
_SOURCES_OF_PAGES: Final = "SELECT source_id FROM snapshot WHERE snapshot_id IN (SELECT value FROM json_each(?))"
_CONTENT: Final = """SELECT unit_id, belongs_to, content FROM unit WHERE unit_id IN (SELECT value FROM json_each(?))"""


def _units_of(study: Study, name: str, made_for: str) -> tuple[str, ...]:
    """The units of a draw, or of one reviewer's batch of it, in their order.

    Raises :class:`UserError` for a draw that there is not, for a reviewer without a batch of it, and for units of which
    no part can be cut out.
    """
    drawn = draw_named(study.reader, name)
    if drawn.kind == _WHOLE or drawn.kind not in (STATEMENT, *KINDS):
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


def batch_part(study: Study, name: str, made_for: str) -> StudyPart:
    """The part of a study that a draw, or one reviewer's batch of it, needs.

    Raises as :func:`_units_of`, and for key facts that reviewers' labels made of suggestions.
    """
    units, read = _units_of(study, name, made_for), _BatchReader(study.reader)
    made_of: dict[str, set[str]] = {
        table: set() for table in ("statement", "response", "source", "reference", "key_fact")
    }
    for unit in units:
        kind = kind_of(unit)
        tables = (STATEMENT,) if kind == STATEMENT else MADE_OF.get(kind, ())  # of stored units none
        for table, one in zip(tables, ids_of(unit), strict=False):
            made_of.setdefault(table, set()).add(one)
    facts = made_of["key_fact"]
    if kept := read.ids(_OF_SUGGESTIONS, facts):
        raise UserError(
            f"Reviewers' labels made {counted(len(kept), 'key fact')} of {name!r} out of suggestions. A batch without "
            "these labels lacks them: leave --batch out."
        )
    kinds = {kind_of(unit) for unit in units}
    statements, named = made_of["statement"], read.named(units)
    responses = made_of["response"] | named | read.ids(_OF_STATEMENTS, statements)
    responses |= read.ids(_OF_REFERENCES, made_of["reference"])
    if kinds - {STATEMENT, PAIR}:  # whoever decides on a whole response, or on a reference, has its statements
        statements |= read.ids(_ALL_STATEMENTS, responses)
    statements |= read.ids(_TIED, responses)
    sources = made_of["source"] | read.ids(_CITED, responses) | named
    references = made_of["reference"] if kinds == {REFERENCE} else read.ids(_REFERENCES, responses)
    study_id = str(study.reader.execute("SELECT value FROM study WHERE key = 'study_id'").fetchone()[0])
    cases = read.ids(_KNOWN_CASES, named)
    questions = {sha256(one) for one in read.ids(_ASKED, responses) | named} | read.ids(_OF_CASES, cases)
    cases |= read.ids(_CASES, questions)
    held = {
        "statement_id": statements, "response_id": responses, "source_id": sources, "reference_id": references,
        "snapshot_id": read.ids(_PAGES, sources) | named, "unit_id": set(units), "passage_id": named, "case_id": cases,
        "question_sha256": questions, **({"key_fact_id": facts} if facts else {}),
    }  # fmt: skip
    words = f"{counted(len(units), 'unit')} of the batch {name!r}"
    shown = frozenset({*units, *statements, study_id})
    return StudyPart(words, {column: frozenset(ids) for column, ids in held.items()}, shown, _NEVER, name)


class _BatchReader(NamedTuple):
    reader: sqlite3.Connection

    def rows(self, query: str, ids: Collection[str]) -> list[sqlite3.Row]:
        return self.reader.execute(query, (json.dumps(sorted(ids)),)).fetchall()

    def ids(self, query: str, ids: Collection[str]) -> set[str]:
        return {str(row[0]) for row in self.rows(query, ids)}

    def named(self, units: Collection[str]) -> set[str]:
        """All texts in the contents of stored units, among them the ids of what they are read beside."""
        found = set()
        for _, belongs_to, content in self.rows(_CONTENT, units):
            found |= {belongs_to, *texts_in(json.loads(content))}
        sources = {row[0] for row in self.reader.execute("SELECT snapshot_id FROM snapshot") if row[0] in found}
        return found | self.ids(_SOURCES_OF_PAGES, sources)
