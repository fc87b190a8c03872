"""labels_by_reviewer.csv: a row for each unit, a column of numbers for each reviewer and axis; value_labels.csv: what
the numbers stand for.

Programs for statistics take raters as columns and labels as numbers. The columns are those of one study, so that
the files are made for it (:func:`wide_files`).
"""

import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, count, groupby
from operator import itemgetter
from typing import Any, Final, NamedTuple

from medreview.exchange.exports.unit_rows import UNIT
from medreview.exchange.files.columns import Cell, Column, ExportFile, cells_of
from medreview.labels import AXES, EVIDENCE_ORDER, label_in, scale_of
from medreview.study.ids import STATEMENT, kind_of
from medreview.units.registry import KINDS

WIDE: Final = "labels_by_reviewer.csv"
_UNSURE: Final = "cannot_judge"
_UNSURE_CODE: Final = 9
_NOTHING_CODE: Final = 0
_LONGEST: Final = 26
"""Stata takes names of 32 characters; six are kept for an ending."""


class _Rater(NamedTuple):
    """Whose labels a column holds: of one axis, reviewer and pass; ``reviewer`` is empty for those that settle."""

    axis: str
    reviewer: str
    pass_no: int


def codes(axis: str) -> dict[str, int]:
    """The numbers of an axis's levels: of an ordered scale in its order, 0 for no hallucination, 9 for cannot judge.

    Empty for orders of outputs, which are no levels.
    """
    levels = EVIDENCE_ORDER if axis == "evidence" else [one.level for one in AXES[scale_of(axis)]]
    start = _NOTHING_CODE if "none" in levels else 1
    found = {level: at for at, level in enumerate((one for one in levels if one != _UNSURE), start)}
    return found | ({_UNSURE: _UNSURE_CODE} if any(one.level == _UNSURE for one in AXES[scale_of(axis)]) else {})


_STANDS: Final = """NOT EXISTS (SELECT 1 FROM retired_statement AS x
    WHERE x.statement_id = iif(l.unit GLOB 'pair:*', substr(l.unit, 6, instr(substr(l.unit, 6), ':') - 1), l.unit))"""
_RATERS: Final = f"""
SELECT l.axis, l.reviewer, l.pass FROM axis_label AS l WHERE {_STANDS} GROUP BY 1, 2, 3
UNION SELECT axis, '', 1 FROM adjudicated WHERE stands AND axis IN (SELECT axis FROM axis_label)"""
_LABELS: Final = f"""
SELECT l.unit, s.response_id, l.axis, l.reviewer, l.pass, l.label, l.mode = 'blind' AS blind
FROM axis_label AS l LEFT JOIN statement AS s ON s.statement_id = l.unit
WHERE l.event_id NOT IN (SELECT event_id FROM decision_stale) AND {_STANDS} ORDER BY l.unit"""
_SETTLED: Final = "SELECT unit, axis, label FROM adjudicated WHERE stands"


def wide_files(reader: sqlite3.Connection, named: Callable[[str], str] = str) -> tuple[ExportFile, ExportFile]:
    """Both files as the reviewers of a study make them; ``named``: what a reviewer is called in them."""
    raters = _raters(reader, named)
    return _labels_by_reviewer(raters, named), _value_labels(raters)


def _labels_by_reviewer(raters: Mapping[_Rater, str], named: Callable[[str], str]) -> ExportFile:
    columns = (
        UNIT,
        Column("kind", "text", "Which kind of unit it is.", levels=(STATEMENT, *KINDS)),
        Column("cluster_id", "text", "The response, case or passage that it is part of, or itself: what to resample."),
        *chain.from_iterable(_columns(rater, name, named(rater.reviewer)) for rater, name in raters.items()),
    )
    return ExportFile(
        WIDE,
        columns,
        lambda reader: _rows(reader, columns),
        "One row for each unit with a label, one column for each reviewer and axis. A blind label counts as it was "
        "first given, an assisted one as it is now; one on a page that has changed since is left out.",
        key=("kind", "unit_id"),
        leads={"unit_id": "", "cluster_id": ""},
        facets=("kind",),
    )


def _raters(reader: sqlite3.Connection, named: Callable[[str], str]) -> dict[_Rater, str]:
    """The raters with the names of their columns: letters, digits and ``_``, all different, whatever their case."""
    found = [_Rater(*row) for row in reader.execute(_RATERS) if codes(row[0])]
    order = list(AXES)
    found.sort(key=lambda one: (order.index(scale_of(one.axis)), one.axis, named(one.reviewer), one.pass_no))
    names: dict[_Rater, str] = {}
    taken: set[str] = set()
    for rater in found:
        who = re.sub(r"[^A-Za-z0-9]+", "_", named(rater.reviewer)).strip("_") or "reviewer"
        later = f"_pass{rater.pass_no}" if rater.pass_no > 1 else ""
        axis = rater.axis.replace("/", "_")
        stem = f"{axis}_{who if rater.reviewer else 'adjudicated'}"[: _LONGEST - len(later)] + later
        tries = chain([stem], (f"{stem[: _LONGEST - 1 - len(str(n))]}_{n}" for n in count(2)))
        names[rater] = next(name for name in tries if name.lower() not in taken)
        taken |= {names[rater].lower(), f"{names[rater]}_blind".lower()}
    return names


def _columns(rater: _Rater, name: str, reviewer: str) -> Iterator[Column]:
    numbers = ", ".join(f"{code} = {level}" for level, code in codes(rater.axis).items())
    if not rater.reviewer:
        meaning = f"The label that settles a conflict of reviewers on the axis {rater.axis}: {numbers}."
        yield Column(name, "integer", meaning, made=_number(rater))
        return
    which = "" if rater.pass_no == 1 else f" in pass {rater.pass_no}"
    about = f"of {reviewer} on the axis {rater.axis}{which}"
    yield Column(name, "integer", f"The label {about}: {numbers}. Empty: none.", made=_number(rater))
    meaning = f"1: the label {about} was given blind; 0: assisted. Never pool them. Empty: none."
    yield Column(f"{name}_blind", "boolean", meaning, made=lambda unit: unit["blind"].get(rater))


def _number(rater: _Rater) -> Callable[[Any], Cell]:
    numbers = codes(rater.axis)
    return lambda unit: numbers.get(unit["labels"].get(rater))


def _rows(reader: sqlite3.Connection, columns: Sequence[Column]) -> Iterator[Sequence[Cell]]:
    made = cells_of(columns)
    settled: dict[str, dict[_Rater, str]] = {}
    for unit, axis, label in reader.execute(_SETTLED):
        settled.setdefault(unit, {})[_Rater(axis, "", 1)] = label
    for unit, rows in groupby(reader.execute(_LABELS), key=itemgetter(0)):
        labels, blind = dict(settled.get(unit, {})), {}
        given = list(rows)
        for _, _, *who, label, how in given:
            labels[_Rater(*who)], blind[_Rater(*who)] = label, how
        kind = kind_of(unit)
        cluster = given[0][1] if kind == STATEMENT else KINDS[kind].cluster(reader, unit)
        yield made({"unit_id": unit, "kind": kind, "cluster_id": cluster or unit, "labels": labels, "blind": blind})


def _value_labels(raters: Mapping[_Rater, str]) -> ExportFile:
    def rows(_: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
        for rater, name in raters.items():
            for level, code in codes(rater.axis).items():
                label = label_in(AXES[scale_of(rater.axis)], level)
                yield name, code, level, label.name, label.definition

    return ExportFile(
        "value_labels.csv",
        (
            Column("column", "text", f"A column of {WIDE}."),
            Column("code", "integer", "The number in it."),
            Column("level", "text", "The level that it stands for, as in the other files."),
            Column("label", "text", "The level in words."),
            Column("meaning", "text", "What it means."),
        ),
        rows,
        f"The value labels of {WIDE}: what its numbers stand for.",
        key=("column", "code"),
    )
