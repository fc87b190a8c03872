"""Which figures a reviewer keeps in sight while reviewing: remembered in the study, where reading them is recorded."""

import sqlite3
from typing import Final, NamedTuple

from medreview.stats.reports.reviewer_labels import GROUPS, SCALES, Group, Scale
from medreview.study import Study

_KEY: Final = "pinned_figures/"


class PinnedFigures(NamedTuple):
    """A group of labels beside the judges together, on a scale."""

    group: Group
    scale: Scale


def pinned_figures(reader: sqlite3.Connection, reviewer: str) -> PinnedFigures | None:
    """What a reviewer has pinned, if anything."""
    row = reader.execute("SELECT value FROM study WHERE key = ?", (_KEY + reviewer,)).fetchone()
    name = str(row[0]) if row else ""
    return next((one for one in _every() if _named(one) == name), None)


def pin_figures(study: Study, reviewer: str, pinned: PinnedFigures | None) -> None:
    """Pin figures, or none, in place of those pinned before."""
    key = _KEY + reviewer

    def change(connection: sqlite3.Connection) -> None:
        connection.execute("DELETE FROM study WHERE key = ?", (key,))
        if pinned is not None:
            connection.execute("INSERT INTO study VALUES (?, ?)", (key, _named(pinned)))

    study.write(change)


def _every() -> list[PinnedFigures]:
    return [PinnedFigures(group, scale) for group in GROUPS for scale in SCALES]


def _named(pinned: PinnedFigures) -> str:
    return f"{pinned.group.title}; {pinned.scale.name}"
