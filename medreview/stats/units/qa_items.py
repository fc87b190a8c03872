"""QA items as annotators found them (ClinIQLink sections 3.4 and 3.6): the items, and what stands on them."""

import sqlite3
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from medreview.labels import RELEVANCE

LEVELS: Final = tuple(label.level for label in RELEVANCE)
HIGHEST: Final = LEVELS[-1]

_ITEMS: Final = """
SELECT u.unit_id, coalesce(nullif(u.belongs_to, ''), u.unit_id) AS cluster, json_extract(u.content, '$.type') AS type,
       u.model, l.reviewer, l.label, l.current, l.mode, a.label AS settled
FROM unit AS u JOIN reviewer_label AS l ON l.unit = u.unit_id AND l.pass = 1
LEFT JOIN adjudicated AS a ON a.unit = u.unit_id AND a.axis = l.axis AND a.stands
WHERE u.kind = 'qa' ORDER BY u.ordinal, l.reviewer"""
_FLAGS: Final = """
SELECT unit, reviewer, flag, set_now FROM (
    SELECT unit, reviewer, json_extract(payload, '$.flag') AS flag, json_extract(payload, '$.on') AS set_now,
           max(event_id)
    FROM event_live WHERE kind = 'flag' AND unit >= 'qa:' AND unit < 'qa;'
    GROUP BY unit, reviewer, json_extract(payload, '$.flag'))
WHERE flag IN ('dispute', 'feedback')"""
_TIMES: Final = """
SELECT unit, reviewer, json_extract(payload, '$.active_ms') AS ms FROM event_live
WHERE kind = 'decide' AND unit >= 'qa:' AND unit < 'qa;' AND json_extract(payload, '$.active_ms') IS NOT NULL"""


@dataclass(frozen=True)
class AnnotatedItem:
    """An item with a label; ``cluster``: its passage.

    ``relevance`` by annotator is the one that counts, of a blind label the first; ``modes``: how each was given.
    ``flags``: by annotator, which of dispute and feedback stand. ``settled`` is the relevance by final labels: as
    adjudicated, else the one that all give; ``None`` while they differ. ``minutes``: of each label that says its time.
    """

    unit: str
    cluster: str
    type: str
    model: str
    relevance: Mapping[str, str]
    modes: Mapping[str, str]
    flags: Mapping[str, frozenset[str]]
    settled: str | None
    minutes: tuple[float, ...]

    @property
    def flagged(self) -> bool:
        """Whether a dispute or feedback of anybody stands: the answer counts as hallucinated."""
        return any(self.flags.values())

    @property
    def top(self) -> bool:
        """Whether its relevance is the highest."""
        return self.settled == HIGHEST


def annotated(reader: sqlite3.Connection, reviewers: Collection[str] | None = None) -> list[AnnotatedItem]:
    """Every item that somebody has labelled, in order; ``reviewers``: whose labels and flags are taken."""

    def chosen(name: str) -> bool:
        return reviewers is None or name in reviewers

    flags: dict[str, dict[str, set[str]]] = {}
    for row in reader.execute(_FLAGS):
        if row["set_now"] and chosen(row["reviewer"]):
            flags.setdefault(row["unit"], {}).setdefault(row["reviewer"], set()).add(row["flag"])
    minutes: dict[str, list[float]] = {}
    for row in reader.execute(_TIMES):
        if chosen(row["reviewer"]):
            minutes.setdefault(row["unit"], []).append(row["ms"] / 60_000)
    rows: dict[str, list[sqlite3.Row]] = {}
    for row in reader.execute(_ITEMS):
        if chosen(row["reviewer"]):
            rows.setdefault(row["unit_id"], []).append(row)
    return [_item(labels, flags.get(unit, {}), minutes.get(unit, [])) for unit, labels in rows.items()]


def _item(rows: Sequence[sqlite3.Row], flags: Mapping[str, set[str]], minutes: Sequence[float]) -> AnnotatedItem:
    one = {row["current"] for row in rows}
    return AnnotatedItem(
        unit=rows[0]["unit_id"],
        cluster=rows[0]["cluster"],
        type=rows[0]["type"] or "",
        model=rows[0]["model"],
        relevance={row["reviewer"]: row["label"] for row in rows},
        modes={row["reviewer"]: row["mode"] for row in rows},
        flags={name: frozenset(found) for name, found in flags.items()},
        settled=rows[0]["settled"] or (one.pop() if len(one) == 1 else None),
        minutes=tuple(minutes),
    )
