"""The references that the rules speak against, one by one, and those of works that carry a warning notice."""

import json
import sqlite3
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from medreview.references.model import NoticeKind
from medreview.references.verdict import ACCUSING
from medreview.stats.reports.reviewer_labels import Mode
from medreview.study.unit_ids import REFERENCE, unit_id
from medreview.units.statement_view import response_name
from medreview.units.stored_reference import StoredReference, load_reference

MOST: Final = 200
"""References that are listed one by one; ``references.csv`` of an export has all."""
WARNING: Final[tuple[NoticeKind, ...]] = ("retracted", "concern", "withdrawn")
"""Notices that a reader of the reference has to know of."""

_SPOKEN_AGAINST: Final = """
SELECT f.reference_id, r.ordinal, r.model, c.verdict, c.checked_at
FROM reference_current AS f JOIN response AS r USING (response_id) JOIN reference_checked AS c USING (reference_id)
WHERE c.verdict IN (SELECT value FROM json_each(?1))
      OR (c.verdict = 'match' AND EXISTS (
          SELECT 1 FROM json_each(c.result, '$.record.notices') AS n
          WHERE json_extract(n.value, '$.kind') IN (SELECT value FROM json_each(?2))))
ORDER BY r.ordinal, f.ordinal"""
_LABELS: Final = """
SELECT reviewer, unit, mode, label, current FROM axis_label
WHERE axis = ?1 AND pass = 1 AND unit >= ?1 || ':' AND unit < ?1 || ';'
      AND event_id NOT IN (SELECT event_id FROM decision_stale) ORDER BY reviewer"""


@dataclass(frozen=True, slots=True)
class ReferenceLabel:
    """What a reviewer says of a reference: ``first`` is the label that counts in its ``mode``, ``now`` as it stands."""

    reviewer: str
    mode: Mode
    first: str
    now: str


@dataclass(frozen=True, slots=True)
class AccusedReference:
    """One of them, with its newest check. ``name``: the response and the place in it (``response 3 ref [2]``)."""

    name: str
    model: str
    stored: StoredReference
    checked_at: str
    labels: tuple[ReferenceLabel, ...]


@dataclass(frozen=True, slots=True)
class AccusedReferences:
    """Those with the gravest verdict first; at the end what matches and carries a warning notice.

    ``held_back`` may not be shown one by one yet, ``omitted`` are beyond the first :data:`MOST`.
    """

    listed: tuple[AccusedReference, ...]
    held_back: int
    omitted: int


def accused_references(
    reader: sqlite3.Connection, reviewers: Collection[str], listed: Collection[str] | None = None, most: int = MOST
) -> AccusedReferences:
    """All of a study with the labels of these ``reviewers``; ``listed``: the only units that may be shown."""
    found = reader.execute(_SPOKEN_AGAINST, (json.dumps(ACCUSING), json.dumps(WARNING))).fetchall()
    rows = [row for row in found if listed is None or unit_id(REFERENCE, row["reference_id"]) in listed]
    order = (*ACCUSING, "match")
    rows.sort(key=lambda row: order.index(row["verdict"]))
    labels = _labels(reader, reviewers) if rows else {}
    return AccusedReferences(
        listed=tuple(_one(reader, row, labels) for row in rows[:most]),
        held_back=len(found) - len(rows),
        omitted=max(0, len(rows) - most),
    )


def _one(
    reader: sqlite3.Connection, row: sqlite3.Row, labels: Mapping[str, tuple[ReferenceLabel, ...]]
) -> AccusedReference:
    stored = load_reference(reader, row["reference_id"])
    unit = unit_id(REFERENCE, row["reference_id"])
    name = f"{response_name(row['ordinal'])} {stored.short_name}"
    return AccusedReference(name, row["model"], stored, row["checked_at"], labels.get(unit, ()))


def _labels(reader: sqlite3.Connection, reviewers: Collection[str]) -> dict[str, tuple[ReferenceLabel, ...]]:
    found: dict[str, tuple[ReferenceLabel, ...]] = {}
    for row in reader.execute(_LABELS, (REFERENCE,)):
        if row["reviewer"] in reviewers:
            one = ReferenceLabel(row["reviewer"], row["mode"], row["label"], row["current"])
            found[row["unit"]] = (*found.get(row["unit"], ()), one)
    return found
