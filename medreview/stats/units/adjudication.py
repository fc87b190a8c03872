"""What became of units on which reviewers differ: settled by whom, with which label, or still open."""

import sqlite3
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

_CONFLICTS: Final = """
SELECT c.unit, a.label, a.adjudicated_by, a.stands FROM conflict AS c
LEFT JOIN adjudicated AS a ON a.unit = c.unit AND a.axis = c.axis
WHERE c.axis = ?1 AND c.unit >= ?2 || ':' AND c.unit < ?2 || ';'"""
_COMPARED: Final = """(
SELECT unit, reviewer, pass, axis, label FROM decision_current
UNION ALL SELECT unit, reviewer, pass, 'support', iif(label = 'supported', label, 'not_supported')
FROM decision_current WHERE axis = 'evidence' AND label <> 'cannot_judge'
UNION ALL SELECT unit, reviewer, pass, axis, current FROM flag_label)"""
"""What reviewers are compared by, on every unit; in the view ``compared_label`` only where they can differ."""
_TWICE: Final = f"""
SELECT unit FROM {_COMPARED} WHERE pass = 1 AND axis = ?1 AND unit >= ?2 || ':' AND unit < ?2 || ';'
GROUP BY unit HAVING count(DISTINCT reviewer) > 1"""
_LABELS: Final = f"""
SELECT unit, reviewer, label FROM {_COMPARED}
WHERE pass = 1 AND axis = ?1 AND unit >= ?2 || ':' AND unit < ?2 || ';'"""


@dataclass(frozen=True)
class Adjudication:
    """Units with the labels of two reviewers or more (``twice``), and those of them on which they ``differ``.

    Of these so many were settled by a third person (``by_third``) or by the reviewers together (``by_agreement``), and
    are ``open``: nobody has settled them, or a label was changed since. ``outcome``: the labels that they were settled
    with; ``upheld``: how often each reviewer's own label was that.
    """

    twice: int
    differ: int
    by_third: int
    by_agreement: int
    open: int
    outcome: Mapping[str, int]
    upheld: Mapping[str, int]


def adjudication(reader: sqlite3.Connection, kind: str, axis: str, units: Collection[str]) -> Adjudication:
    """Count them on one axis of a kind, of units that are there, whoever the reviewers are."""
    asked = (axis, kind)
    twice = [row[0] for row in reader.execute(_TWICE, asked) if row[0] in units]
    rows = [row for row in reader.execute(_CONFLICTS, asked) if row["unit"] in units]
    settled = {row["unit"]: row for row in rows if row["stands"]}
    by = Counter(row["adjudicated_by"] for row in settled.values())
    upheld = Counter(
        reviewer
        for unit, reviewer, label in (reader.execute(_LABELS, asked) if settled else ())
        if unit in settled and settled[unit]["label"] == label
    )
    return Adjudication(
        twice=len(twice),
        differ=len(rows),
        by_third=by["third"],
        by_agreement=by["agreement"],
        open=len(rows) - len(settled),
        outcome=dict(sorted(Counter(row["label"] for row in settled.values()).items())),
        upheld=dict(sorted(upheld.items())),
    )
