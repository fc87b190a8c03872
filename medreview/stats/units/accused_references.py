"""The references that the rules speak against, one by one, and how often a reviewer finds such a one as described.

The list also has the references of works that carry a warning notice.
"""

import json
import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from medreview.references.model import NoticeKind
from medreview.references.verdict import ACCUSING
from medreview.stats.formulas.bootstrap import DEFAULT, Resampling
from medreview.stats.formulas.estimate import Estimate
from medreview.stats.formulas.intervals import proportion
from medreview.stats.formulas.shared_draws import ResponseSample
from medreview.stats.units.kind_labels import OF_MODE, REFERENCE_SCALE, GivenLabel, KindLabels, Which, kind_labels
from medreview.study.ids import REFERENCE, unit_id
from medreview.text import in_words
from medreview.units.checked_reference import StoredReference, load_reference
from medreview.units.statement_view import response_name

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


@dataclass(frozen=True, slots=True)
class AccusedReference:
    """One of them, with its newest check. ``name``: the response and the place in it (``response 3 ref [2]``)."""

    name: str
    model: str
    stored: StoredReference
    checked_at: str
    labels: tuple[GivenLabel, ...]


@dataclass(frozen=True, slots=True)
class AccusedReferences:
    """Those with the gravest verdict first; at the end what matches and carries a warning notice.

    ``held_back`` may not be shown one by one yet, ``omitted`` are beyond the first :data:`MOST`.
    """

    listed: tuple[AccusedReference, ...]
    held_back: int
    omitted: int


def accused_references(
    reader: sqlite3.Connection, reviewers: Collection[str], listed: Collection[str] | None = None
) -> AccusedReferences:
    """All of a study with the labels of these ``reviewers``; ``listed``: the only units that may be shown."""
    found = reader.execute(_SPOKEN_AGAINST, (json.dumps(ACCUSING), json.dumps(WARNING))).fetchall()
    rows = [row for row in found if listed is None or unit_id(REFERENCE, row["reference_id"]) in listed]
    order = (*ACCUSING, "match")
    rows.sort(key=lambda row: order.index(row["verdict"]))
    labels: dict[str, list[GivenLabel]] = {}
    for one in kind_labels(reader, REFERENCE, reviewers, alone=True).given if rows else ():
        labels.setdefault(one.unit, []).append(one)
    return AccusedReferences(
        listed=tuple(_one(reader, row, labels) for row in rows[:MOST]),
        held_back=len(found) - len(rows),
        omitted=max(0, len(rows) - MOST),
    )


def _one(reader: sqlite3.Connection, row: sqlite3.Row, labels: Mapping[str, Sequence[GivenLabel]]) -> AccusedReference:
    stored = load_reference(reader, row["reference_id"])
    unit = unit_id(REFERENCE, row["reference_id"])
    name = f"{response_name(row['ordinal'])} {stored.short_name}"
    return AccusedReference(name, row["model"], stored, row["checked_at"], tuple(labels.get(unit, ())))


_HONEST: Final = "match"
_NONE_ACCUSED: Final = "No reference that was labelled so is accused."
_NONE_HONEST: Final = "No reference is called a match here."


@dataclass(frozen=True)
class Accusations:
    """What a ``machine`` accuses (``mismatch``, ``other_work``, ``not_found``) beside the labels of a ``reviewer``.

    ``false``: of the references that it accuses and the reviewer labelled, those that the reviewer calls a match.
    ``by_verdict``: the same of each accusing verdict. ``honest``: of the references that the reviewer calls a match,
    those that it accuses; where triage chose what was labelled, that is too many. "Cannot judge" is left out, and
    counted.
    """

    reviewer: str
    which: Which
    machine: str
    false: Estimate
    by_verdict: tuple[Estimate, ...]
    honest: Estimate


@dataclass(frozen=True)
class ReferenceUnitFigures:
    """False accusations by each reviewer's labels, blind and assisted ones apart."""

    accusations: tuple[Accusations, ...]


def reference_unit_figures(labels: KindLabels, resampling: Resampling = DEFAULT) -> ReferenceUnitFigures:
    """Of every reviewer who labelled a reference, and every machine with a verdict on one of these."""
    return ReferenceUnitFigures(tuple(_every(labels, resampling)))


def _every(labels: KindLabels, resampling: Resampling) -> Iterator[Accusations]:
    table = labels.on(REFERENCE_SCALE)
    for reviewer in labels.reviewers:
        for mode, which in OF_MODE.items():
            mine = table.people.get((reviewer, which), {})
            given = [one.item for one in labels.given if (one.reviewer, one.mode) == (reviewer, mode)]
            for machine, said in table.machines.items():
                if said.keys() & mine.keys():
                    yield _accusations(reviewer, which, machine, given, mine, said, labels, resampling)


def _accusations(
    reviewer: str,
    which: Which,
    machine: str,
    given: Sequence[str],
    mine: Mapping[str, str],
    said: Mapping[str, str],
    labels: KindLabels,
    resampling: Resampling,
) -> Accusations:
    columns = ("honest", "honest accused", *(f"{each}{of}" for each in ("accused", *ACCUSING) for of in ("", " false")))
    rows: dict[str, dict[str, int]] = {}
    for item in sorted(mine.keys() & said.keys()):
        row = rows.setdefault(labels.clusters[item], dict.fromkeys(columns, 0))
        honest, accused = mine[item] == _HONEST, said[item] in ACCUSING
        row["honest"] += honest
        row["honest accused"] += honest and accused
        for name in ("accused", said[item]) if accused else ():
            row[name] += 1
            row[f"{name} false"] += honest
    sample = ResponseSample(columns, [list(row.values()) for row in rows.values()], resampling.over(labels.cluster))

    def share(name: str, over: str, under: str, left: int, nothing: str, whole: str) -> Estimate:
        """Over responses; by Wilson where each has one of them."""
        if all(row[under] <= 1 for row in rows.values()):
            level = resampling.level
            return proportion(name, sample.total(over), sample.total(under), level=level, dropped=left, nothing=nothing)
        return sample.share(name, over, under, undefined=nothing, whole=whole, dropped=left)

    def false(name: str, column: str, verdicts: Sequence[str]) -> Estimate:
        left = sum(item not in mine and said.get(item) in verdicts for item in given)
        return share(name, f"{column} false", column, left, _NONE_ACCUSED, "accused falsely")

    return Accusations(
        reviewer=reviewer,
        which=which,
        machine=machine,
        false=false("false accusations, share of accused", "accused", ACCUSING),
        by_verdict=tuple(
            false(f"false accusations, share of {in_words(verdict)}", verdict, (verdict,)) for verdict in ACCUSING
        ),
        honest=share(
            "accused, share of what is called a match", "honest accused", "honest",
            sum(label == _HONEST and item not in said for item, label in mine.items()), _NONE_HONEST, "accused",
        ),
    )  # fmt: skip
