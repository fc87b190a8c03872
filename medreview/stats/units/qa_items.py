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
SELECT f.unit, f.reviewer, f.axis AS flag, f.current = 'flagged' AS flagged, a.label = 'flagged' AS settled
FROM flag_label AS f LEFT JOIN adjudicated AS a ON a.unit = f.unit AND a.axis = f.axis AND a.stands
WHERE f.pass = 1 AND f.unit >= 'qa:' AND f.unit < 'qa;' AND f.unit IN (SELECT unit FROM flag_act)"""
_TIMES: Final = """
SELECT unit, reviewer, json_extract(payload, '$.active_ms') AS ms FROM event_live
WHERE kind = 'decide' AND unit >= 'qa:' AND unit < 'qa;' AND json_extract(payload, '$.active_ms') IS NOT NULL"""


@dataclass(frozen=True)
class AnnotatedItem:
    """An item with a label; ``cluster``: its passage.

    ``relevance`` by annotator is the one that counts, of a blind label the first; ``modes``: how each was given.
    ``flags``: by annotator, which of dispute and feedback stand; ``standing``: which count, as settled where that was
    done, else those of anybody; ``flags_open``: annotators differ on one, and nobody has settled it. ``settled`` is the
    relevance by final labels: as adjudicated, else the one that all give; ``None`` while they differ. ``minutes``: of
    each label that says its time.
    """

    unit: str
    cluster: str
    type: str
    model: str
    relevance: Mapping[str, str]
    modes: Mapping[str, str]
    flags: Mapping[str, frozenset[str]]
    standing: frozenset[str]
    flags_open: bool
    settled: str | None
    minutes: tuple[float, ...]

    @property
    def flagged(self) -> bool:
        """Whether a dispute or feedback stands: the answer counts as hallucinated."""
        return bool(self.standing)

    @property
    def top(self) -> bool:
        """Whether its relevance is the highest."""
        return self.settled == HIGHEST


def annotated(reader: sqlite3.Connection, reviewers: Collection[str] | None = None) -> list[AnnotatedItem]:
    """Every item that somebody has labelled, in order; ``reviewers``: whose labels and flags are taken."""

    def chosen(name: str) -> bool:
        return reviewers is None or name in reviewers

    flags: dict[str, list[sqlite3.Row]] = {}
    for row in reader.execute(_FLAGS):
        if chosen(row["reviewer"]):
            flags.setdefault(row["unit"], []).append(row)
    minutes: dict[str, list[float]] = {}
    for row in reader.execute(_TIMES):
        if chosen(row["reviewer"]):
            minutes.setdefault(row["unit"], []).append(row["ms"] / 60_000)
    rows: dict[str, list[sqlite3.Row]] = {}
    for row in reader.execute(_ITEMS):
        if chosen(row["reviewer"]):
            rows.setdefault(row["unit_id"], []).append(row)
    return [_item(labels, flags.get(unit, []), minutes.get(unit, [])) for unit, labels in rows.items()]


def _item(rows: Sequence[sqlite3.Row], flags: Sequence[sqlite3.Row], minutes: Sequence[float]) -> AnnotatedItem:
    one = {row["current"] for row in rows}
    return AnnotatedItem(
        unit=rows[0]["unit_id"],
        cluster=rows[0]["cluster"],
        type=rows[0]["type"] or "",
        model=rows[0]["model"],
        relevance={row["reviewer"]: row["label"] for row in rows},
        modes={row["reviewer"]: row["mode"] for row in rows},
        flags={
            name: frozenset(row["flag"] for row in flags if row["reviewer"] == name and row["flagged"])
            for name in {row["reviewer"] for row in flags}
        },
        standing=frozenset(
            row["flag"] for row in flags if (row["flagged"] if row["settled"] is None else row["settled"])
        ),
        flags_open=len({(row["flag"], row["flagged"]) for row in flags if row["settled"] is None})
        > len({row["flag"] for row in flags if row["settled"] is None}),
        settled=rows[0]["settled"] or (one.pop() if len(one) == 1 else None),
        minutes=tuple(minutes),
    )
