"""The part of a study that judges are asked about: by a filter, and by what is labelled, in the audit or flagged.

Filters are those of queues (``review.queue_filters``); what is flagged or in the audit is what these queues hold.
"""

import json
import sqlite3
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, get_args

from medreview.errors import UserError
from medreview.judges.tasks.task import ChosenUnits, Unit
from medreview.next_step import command
from medreview.review.audit import AUDIT_SIZE
from medreview.review.queue import kind_named
from medreview.review.queue_filters import select_statements
from medreview.review.queue_kinds import ROWS
from medreview.study import Study
from medreview.study.ids import PAIR, STATEMENT, ids_of, kind_of

Only = Literal["labelled", "audit", "flagged"]
ONLY: Final[tuple[Only, ...]] = get_args(Only)

_LABELLED: Final = """SELECT DISTINCT unit FROM decision_current
WHERE axis IN ('evidence', 'support') OR unit GLOB 'answer:*' OR unit GLOB 'response:*' OR unit GLOB 'fact:*'"""
_RESPONSES: Final = """SELECT DISTINCT response_id FROM statement
WHERE statement_id IN (SELECT value FROM json_each(?))"""


class _ChosenPart(NamedTuple):
    """A part of the study: statements, responses of which some statement is in it, and single units."""

    statements: frozenset[str]
    responses: frozenset[str]
    units: frozenset[Unit] = frozenset()


@dataclass(frozen=True, slots=True)
class Choice:
    """Which part of a study judges are asked about; without a word, all of it.

    ``where``: a filter, as queues have it (``"model=atlas-2"``); ``reviewer``: whose labels its ``mine=`` and
    ``state=`` ask for. ``only``: what must hold of each statement, all of them: ``labelled`` (somebody has decided it),
    ``audit`` (it is a member of the audit), ``flagged``. Pairs, answers and key facts that are labelled themselves
    belong to ``labelled``, too. A task on whole responses is asked about those with such a statement. ``cited_only``:
    only pairs whose statement cites the source itself. ``seed``: a random draw of as many units as the limit says
    (``Task.asked_about``).
    """

    where: str = ""
    reviewer: str | None = None
    only: str | Collection[str] = ()
    cited_only: bool = False
    seed: int | None = None

    def units_of(self, study: Study) -> ChosenUnits:
        """What that is in a study now. Raises :class:`UserError` for a word or a filter that nobody knows, and where
        nothing in the study fits."""
        for word in self._only:
            if word not in ONLY:
                raise UserError(f"--only does not know {word!r}; it knows {', '.join(ONLY)}.")
        if self.cited_only:
            _require_citations(study)
        parts = list(self._parts(study))
        if not parts:
            return ChosenUnits(cited_only=self.cited_only, seed=self.seed)
        statements = frozenset.intersection(*(part.statements for part in parts))
        responses = frozenset.intersection(*(part.responses for part in parts))
        units = _in_all(parts)
        if not (statements or responses or units):
            raise UserError(
                f"Nothing in the study is all of this: {', '.join(filter(None, (*self._only, self.where)))}."
            )
        return ChosenUnits(statements | responses, units, self.cited_only, self.seed)

    @property
    def _only(self) -> tuple[str, ...]:
        return (self.only,) if isinstance(self.only, str) else tuple(dict.fromkeys(self.only))

    def _parts(self, study: Study) -> Iterator[_ChosenPart]:
        reader = study.reader
        if self.where.strip():
            found = select_statements(reader, self.where, self.reviewer)
            statements = found.statements or frozenset()
            yield _ChosenPart(statements, _responses(reader, statements) | found.responses)
        for word in self._only:
            yield _labelled(reader) if word == "labelled" else _in_queue(study, word)


def _in_all(parts: list[_ChosenPart]) -> frozenset[Unit]:
    """Single units of one part that belong to all others: a pair by its statement, a fact by its response."""
    held = [part.statements | part.responses for part in parts]
    return frozenset(
        unit
        for part in parts
        for unit in part.units
        if all(unit in other.units or not ids.isdisjoint(unit) for other, ids in zip(parts, held, strict=True))
    )


def _labelled(reader: sqlite3.Connection) -> _ChosenPart:
    """What people have decided. Raises :class:`UserError` for nothing."""
    statements: set[str] = set()
    responses: set[str] = set()
    pairs: set[Unit] = set()
    facts: set[Unit] = set()
    pages = dict(reader.execute("SELECT source_id, snapshot_id FROM snapshot_current").fetchall())
    for (unit,) in reader.execute(_LABELLED):
        kind, ids = kind_of(unit), ids_of(unit)
        if kind == STATEMENT:
            statements.add(unit)
        elif kind == PAIR:
            statement_id, source_id = ids
            pairs.add((pages.get(source_id, ""), statement_id))
        elif len(ids) > 1:
            facts.add(ids)
        else:
            responses.update(ids)
    if not (statements or responses or pairs or facts):
        raise UserError("--only labelled: nobody has labelled anything in the study yet.")
    responses |= _responses(reader, [*statements, *(statement_id for _, statement_id in pairs)])
    return _ChosenPart(frozenset(statements), frozenset(responses), frozenset(pairs | facts))


def _in_queue(study: Study, name: str) -> _ChosenPart:
    """What a queue of statements holds, whoever reviews. Raises :class:`UserError` for an empty one."""
    rows = study.reader.execute(f"SELECT s.statement_id, s.response_id {ROWS} WHERE {kind_named(name).where}", ("", 1))
    found = rows.fetchall()
    if not found:
        if name == "audit":
            draw = command("plan", "audit", study.path, "--size", str(AUDIT_SIZE))
            raise UserError(f"--only audit: no statement was drawn for the audit yet. Draw some with `{draw}`.")
        raise UserError(f"--only {name}: nothing in the study is {name}.")
    return _ChosenPart(*(frozenset(ids) for ids in zip(*found, strict=True)))


def _responses(reader: sqlite3.Connection, statements: Collection[str]) -> frozenset[str]:
    return frozenset(row[0] for row in reader.execute(_RESPONSES, (json.dumps(list(statements)),)))


def _require_citations(study: Study) -> None:
    if study.reader.execute("SELECT 1 FROM marker WHERE source_id IS NOT NULL LIMIT 1").fetchone() is None:
        raise UserError(
            "--cited-only: no statement of the study cites a source itself, by a number or an address in its text."
        )
