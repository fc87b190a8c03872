"""What a record of a file, or a model, brings into a study: units and all that belongs to them."""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from medreview.exchange.imports.answer_records import AnswerRecord
from medreview.exchange.imports.responses import add_responses, response_row
from medreview.study.rows import insert
from medreview.units.cases import NewCase, add_cases
from medreview.units.imported_labels import ImportedLabel, add_labels
from medreview.units.reference_answers import add_reference
from medreview.units.stored import (
    NewOpinion,
    NewPassage,
    NewUnit,
    add_gold,
    add_opinions,
    add_passages,
    add_units,
)
from medreview.units.view import Gold


@dataclass(frozen=True, slots=True)
class Brought:
    """What one record brings: units, the passages and cases they are about, right labels, what machines and people say.

    ``answers``: ordinary responses, which are units of a kind as they are; ``references``: (question, correct answer).
    ``others``: rows of further tables, ``(table, row)``; a row that is there already is passed over. ``warnings``: what
    is odd about the record, each half a sentence (``has one option only``).
    """

    units: tuple[NewUnit, ...] = ()
    passages: tuple[NewPassage, ...] = ()
    cases: tuple[NewCase, ...] = ()
    gold: tuple[tuple[str, Gold], ...] = ()
    opinions: tuple[NewOpinion, ...] = ()
    labels: tuple[ImportedLabel, ...] = ()
    others: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    answers: tuple[AnswerRecord, ...] = ()
    references: tuple[tuple[str, str], ...] = ()
    warnings: tuple[str, ...] = ()


class StoredCounts(NamedTuple):
    """How many of what was brought are new; ``units``: responses among them."""

    units: int
    cases: int
    gold: int
    opinions: int
    labels: int


def store_brought(connection: sqlite3.Connection, batch: Sequence[Brought], imported_from: str) -> StoredCounts:
    """Store what came inside the caller's transaction; what is there already is passed over."""
    answers = add_responses(connection, [response_row(one, imported_from) for one in _each(batch, "answers")])
    for question, text in _each(batch, "references"):
        add_reference(connection, question, text, imported_from)
    add_passages(connection, _each(batch, "passages"), imported_from)
    cases = add_cases(connection, _each(batch, "cases"), imported_from)
    for table, row in _each(batch, "others"):
        insert(connection, table, [row])
    units = add_units(connection, list(_each(batch, "units")), imported_from)
    gold = add_gold(connection, _each(batch, "gold"), imported_from)
    opinions = add_opinions(connection, _each(batch, "opinions"), imported_from)
    return StoredCounts(units + answers, cases, gold, opinions, add_labels(connection, _each(batch, "labels")))


def _each(batch: Sequence[Brought], name: str) -> Iterator[Any]:
    return (item for one in batch for item in getattr(one, name))
