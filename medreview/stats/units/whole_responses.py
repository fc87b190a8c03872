"""What only whole responses have: a reviewer's own word on the statements, rolled up, beside that on the response."""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from medreview.stats.formulas.bootstrap import DEFAULT, Resampling
from medreview.stats.reports.label_scales import BINARY, reviewers_label
from medreview.stats.reports.reviewer_labels import ReviewerLabel, reviewer_labels
from medreview.stats.units.agreement import UnitAgreement, beside
from medreview.stats.units.kind_labels import FINAL, FIRST_BLIND, KindLabels
from medreview.stats.units.scales import ALL_SUPPORTED
from medreview.study.unit_ids import unit_id

OWN: Final = "the same reviewer's statements"
_STATEMENTS: Final = "SELECT response_id, statement_id FROM statement_standing"


@dataclass(frozen=True)
class WholeResponseFigures:
    """Each reviewer's "all statements supported?" (rows) beside what the same person's labels on the statements come to
    (columns): ``no`` as soon as one is not supported, ``yes`` when all have a label and are. Labels of one kind on both
    sides, first blind or final. The roll-up of the judges stands among the machines of the axis."""

    own_statements: tuple[UnitAgreement, ...]


def whole_response_figures(
    reader: sqlite3.Connection, labels: KindLabels, resampling: Resampling = DEFAULT
) -> WholeResponseFigures:
    """Of every reviewer who labelled a whole response and statements of it."""
    statements: dict[str, list[str]] = {}
    for response_id, statement_id in reader.execute(_STATEMENTS) if labels.given else ():
        statements.setdefault(unit_id("response", response_id), []).append(statement_id)
    found = []
    for name in labels.reviewers:
        mine = reviewer_labels(reader, name)
        for which in (FIRST_BLIND, FINAL):
            said = labels.of(name, which, ALL_SUPPORTED)
            own = {
                unit: level
                for unit in said
                if (level := rolled_up(statements.get(unit, []), mine, final=which == FINAL)) is not None
            }
            if own:
                found.append(beside(name, said, OWN, own, ALL_SUPPORTED, labels, which=which, resampling=resampling))
    return WholeResponseFigures(tuple(found))


def rolled_up(statements: list[str], labels: Mapping[str, ReviewerLabel], *, final: bool) -> str | None:
    """What a reviewer's labels on the statements of a response come to; ``None`` while one is missing and none says no.

    ``final``: by the labels as they stand; else by the first ones, of those given blind.
    """
    words: list[str | None] = []
    for statement in statements:
        label = labels.get(statement)
        if label is None or not (final or label.group.mode == "blind"):
            words.append(None)
            continue
        level = label.current if final else label.label
        words.append(reviewers_label(level, BINARY, stale=label.stale).label)
    if "not_supported" in words:
        return "no"
    return "yes" if words and None not in words else None
