"""Conflicts: units on which two reviewers have labels that differ, and what settles them.

Nobody's label is changed: what settles a conflict is an event of its own, by a third reviewer or by one of those who
labelled, for all of them. It stands as long as each of these labels does.
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

from medreview.errors import UserError
from medreview.labels import EDITED, FLAG_AXES, AdjudicatedBy, could_be_own, is_label, is_own, same_label
from medreview.review.guidelines import stamped
from medreview.review.unblinding import BLOCK
from medreview.study import Study
from medreview.study.events import NewEvent, Receipt, Recorder
from medreview.study.ids import PAIR, STATEMENT, kind_of
from medreview.study.own_axes import own_axes
from medreview.units.registry import KINDS

ADJUDICATE: Final = "adjudicate"
"""The kind of event that settles a conflict."""

_UNITS: Final = """SELECT c.unit, c.axis, a.unit IS NULL AS waits FROM conflict AS c
LEFT JOIN adjudicated AS a ON a.unit = c.unit AND a.axis = c.axis AND a.stands ORDER BY c.unit, c.axis"""

_LABELS: Final = """SELECT c.reviewer, c.label, c.event_id, c.at_utc, c.payload,
       (SELECT json_extract(r.payload, '$.code') FROM event_live AS r
        WHERE r.unit = c.unit AND r.kind = 'reason' AND json_extract(r.payload, '$.decision') = c.event_id
        ORDER BY r.event_id DESC LIMIT 1) AS reason,
       (SELECT json_extract(n.payload, '$.text') FROM event_live AS n
        WHERE n.unit = c.unit AND n.reviewer = c.reviewer AND n.pass = 1 AND n.kind = 'note'
        ORDER BY n.event_id DESC LIMIT 1) AS note
FROM compared_label AS c WHERE c.unit = ? AND c.axis = ? AND c.pass = 1 ORDER BY c.event_id"""
_MODE: Final = """SELECT mode FROM axis_label WHERE unit = ?1 AND reviewer = ?2 AND pass = 1 AND current_event = ?3
UNION ALL SELECT mode FROM flag_label WHERE unit = ?1 AND reviewer = ?2 AND pass = 1 AND axis = ?4"""
_SETTLED: Final = """SELECT label, payload, reviewer, at_utc, event_id FROM event_live
WHERE kind = 'adjudicate' AND unit = ? AND axis = ? ORDER BY event_id DESC LIMIT 1"""
"""As the view ``adjudicated``, which reads all labels of flags to say of one unit whether it stands."""


@dataclass(frozen=True, slots=True)
class ConflictingLabel:
    """One reviewer's label: when it was given, why it differs from the machines', the reviewer's note on the unit.

    ``mode``: blind or assisted; ``independent``: no other reviewer's label or note had been seen before it. ``text``:
    what goes with it, as of a key fact that was edited.
    """

    reviewer: str
    label: str
    event_id: str
    at_utc: str
    mode: str
    independent: bool
    reason: str
    note: str
    text: str


@dataclass(frozen=True, slots=True)
class Settled:
    """The label that settles a conflict, who gave it, and whether by a third reviewer or by agreement.

    ``stands``: none of the labels was changed or taken back since.
    """

    label: str
    by: AdjudicatedBy
    reviewer: str
    at_utc: str
    event_id: str
    stands: bool


@dataclass(frozen=True, slots=True)
class Conflict:
    """A unit and an axis on which labels of the first pass differ; the labels in the order in which they were given."""

    unit: str
    kind: str
    axis: str
    labels: tuple[ConflictingLabel, ...]
    settled: Settled | None

    @property
    def open(self) -> bool:
        """Whether it waits for a label that settles it."""
        return self.settled is None or not self.settled.stands

    @property
    def reviewers(self) -> tuple[str, ...]:
        """Whose labels differ, by name."""
        return tuple(sorted(label.reviewer for label in self.labels))


@dataclass(frozen=True, slots=True)
class ConflictCount:
    """How many conflicts two reviewers have on an axis of a kind of unit, and how many of them are open."""

    kind: str
    axis: str
    reviewers: tuple[str, str]
    conflicts: int
    open: int


def conflicts(reader: sqlite3.Connection, kind: str = "", *, settled: bool = True) -> Iterator[Conflict]:
    """All conflicts, of one kind of unit or of all, by unit; without those that are ``settled`` if not wanted."""
    for unit, axis in reader.execute("SELECT unit, axis FROM conflict ORDER BY unit, axis").fetchall():
        if kind in ("", kind_of(unit)):
            found = load_conflict(reader, unit, axis)
            if found is not None and (settled or found.open):
                yield found


def conflict_axes(reader: sqlite3.Connection, kind: str) -> tuple[str, ...]:
    """The axes on which a difference on a unit of a kind is a conflict: that of the kind first, the study's
    own last."""
    if kind == STATEMENT:
        return "evidence", "hallucination", *FLAG_AXES, *own_axes(reader, kind)
    return KINDS[kind].axis, *(("support",) if kind == PAIR else ()), *FLAG_AXES, *own_axes(reader, kind)


@dataclass(slots=True)
class ConflictUnits:
    """The units of a kind on which there is a conflict, by their ids, and those of them where one is ``open``."""

    units: list[str]
    open: set[str]


def conflict_units(reader: sqlite3.Connection) -> dict[str, ConflictUnits]:
    """Those of every kind that has any, in one pass over all labels."""
    found: dict[str, ConflictUnits] = {}
    for unit, axis, waits in reader.execute(_UNITS):
        # Two ways of writing an order may be one order.
        if axis == "rank" and load_conflict(reader, unit, axis) is None:
            continue
        of_kind = found.setdefault(kind_of(unit), ConflictUnits([], set()))
        if not of_kind.units or of_kind.units[-1] != unit:
            of_kind.units.append(unit)
        of_kind.open |= {unit} if waits else set()
    return found


def conflicts_of(reader: sqlite3.Connection, unit: str) -> tuple[Conflict, ...]:
    """The conflicts of one unit, that on the axis of its kind first."""
    found = (load_conflict(reader, unit, axis) for axis in conflict_axes(reader, kind_of(unit)))
    return tuple(one for one in found if one is not None)


def load_conflict(reader: sqlite3.Connection, unit: str, axis: str) -> Conflict | None:
    """The conflict of a unit on an axis; ``None`` where all labels are the same, or there is one at most."""
    rows = reader.execute(_LABELS, (unit, axis)).fetchall()
    # One by one: joined, the view would be computed whole for each unit.
    modes = (reader.execute(_MODE, (unit, row["reviewer"], row["event_id"], axis)).fetchone()[0] for row in rows)
    labels = tuple(_given(row, mode) for row, mode in zip(rows, modes, strict=True))
    if not any(_differ(axis, one, other) for one, other in combinations(labels, 2)):
        return None
    row = reader.execute(_SETTLED, (unit, axis)).fetchone()
    settled = row and _settled(row, {one.event_id for one in labels})
    return Conflict(unit, kind_of(unit), axis, labels, settled)


def _settled(row: sqlite3.Row, now: Collection[str]) -> Settled:
    """``now``: the labels as they are."""
    said = json.loads(row["payload"])
    stands = {*said["of"]} <= {*now}
    return Settled(row["label"], said["by"], row["reviewer"], row["at_utc"], row["event_id"], stands)


def _differ(axis: str, one: ConflictingLabel, other: ConflictingLabel) -> bool:
    """Whether two labels differ, or only their words do, as of a key fact that both edited."""
    return not same_label(axis, one.label, other.label) or one.text != other.text


def _given(row: sqlite3.Row, mode: str) -> ConflictingLabel:
    said = json.loads(row["payload"])
    return ConflictingLabel(
        reviewer=row["reviewer"],
        label=row["label"],
        event_id=row["event_id"],
        at_utc=row["at_utc"],
        mode=mode,
        independent=said.get("exposure", {}).get("other_reviewer", "no") == "no",
        reason=row["reason"] or "",
        note=row["note"] or "",
        text=str(said.get("text") or ""),
    )


def count_conflicts(found: Sequence[Conflict]) -> list[ConflictCount]:
    """Conflicts by kind, axis and pair of reviewers; one of three reviewers counts for each pair that differs."""
    every: Counter[tuple[str, str, tuple[str, str]]] = Counter()
    waiting: Counter[tuple[str, str, tuple[str, str]]] = Counter()
    for one in found:
        for a, b in combinations(sorted(one.labels, key=lambda label: label.reviewer), 2):
            if _differ(one.axis, a, b):
                key = (one.kind, one.axis, (a.reviewer, b.reviewer))
                every[key] += 1
                waiting[key] += one.open
    return [ConflictCount(*key, every[key], waiting[key]) for key in sorted(every)]


def adjudication(conflict: Conflict, reviewer: str, label: str, **more: Any) -> NewEvent:
    """The event by which a reviewer settles a conflict; ``more``: what goes with the label, as an edited text.

    Missing words are taken from the newest that came with that label. Raises :class:`UserError` for a label that is not
    on the axis, and for one that needs words and has none.
    """
    if not (could_be_own(label) if is_own(conflict.axis) else is_label(conflict.axis, label)):
        raise UserError(f"{label!r} is not a label of the axis {conflict.axis}.")
    by: AdjudicatedBy = "agreement" if reviewer in conflict.reviewers else "third"
    if label == EDITED and "text" not in more:
        words = [one.text for one in conflict.labels if one.label == EDITED and one.text]
        if not words:
            raise UserError("Nobody has said how it should read: none of these labels came with words.")
        more["text"] = words[-1]
    payload = {"axis": conflict.axis, "label": label, "of": [one.event_id for one in conflict.labels], "by": by, **more}
    return NewEvent(ADJUDICATE, conflict.unit, payload)


def adjudicate(study: Study, reviewer: str, conflict: Conflict, label: str) -> Receipt:
    """Settle a conflict from a script. Raises :class:`UserError` as :func:`adjudication` does."""
    event, recorder = adjudication(conflict, reviewer, label), Recorder(reviewer)
    return study.write(
        lambda connection: recorder.append(connection, stamped(connection, event), block=BLOCK, mode="open")
    )
