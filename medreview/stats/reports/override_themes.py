"""The themes that a model found in what a reviewer decided otherwise than the judges, and whether they are of today."""

import json
import sqlite3
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final

from medreview.units.overridden_labels import THEMES, OverriddenLabel, overridden_id, tellable
from medreview.units.statement_view import load_name

_MADE: Final = """SELECT g.item_id, g.report, g.finished_at, r.model FROM generation_current AS g
JOIN generation_run AS r USING (run_id) WHERE r.generator = ?1 AND g.name = ?2 AND g.code = ''
ORDER BY g.item_id = ?3 DESC, g.finished_at DESC, r.ordinal DESC LIMIT 1"""


@dataclass(frozen=True, slots=True)
class ThemedStatement:
    """A statement of a theme. ``label``: what it was taken for, where it still differs from the judges."""

    statement_id: str
    name: str
    label: OverriddenLabel | None


@dataclass(frozen=True, slots=True)
class OverrideTheme:
    """What several statements have in common, in a model's words."""

    title: str
    about: str
    statements: tuple[ThemedStatement, ...]


@dataclass(frozen=True, slots=True)
class OverrideThemes:
    """The themes of one reviewer, the largest first, by the newest run that is of what stands now, else the newest.

    ``read``: statements that the ``model`` was given, ``of`` those that there were. ``changed``: the command would make
    them anew, since a label, a verdict, a reason or a note is another now.
    """

    reviewer: str
    model: str
    made_at: str
    read: int
    of: int
    changed: bool
    themes: tuple[OverrideTheme, ...]


def override_themes(
    reader: sqlite3.Connection, reviewer: str, to: tuple[str, ...], listed: Collection[str] | None = None
) -> OverrideThemes | None:
    """Those of a reviewer, for ``to``, who reads them; ``None`` where none were made, and where one of the statements
    that they were made of is not ``listed``, but held back."""
    labels = tellable(reader, reviewer, to)
    now = overridden_id(reviewer, labels)
    row = reader.execute(_MADE, (THEMES, reviewer, now)).fetchone()
    if row is None:
        return None
    report: dict[str, Any] = json.loads(row["report"])
    if listed is not None and not set(report["statements"]) <= set(listed):
        return None
    by_id = {one.statement_id: one for one in labels}
    themes = [
        OverrideTheme(
            one["title"],
            one["about"],
            tuple(ThemedStatement(each, load_name(reader, each), by_id.get(each)) for each in one["statements"]),
        )
        for one in report["themes"]
    ]
    return OverrideThemes(
        reviewer=reviewer,
        model=row["model"],
        made_at=row["finished_at"],
        read=len(report["statements"]),
        of=report["of"],
        changed=row["item_id"] != now,
        themes=tuple(sorted(themes, key=lambda theme: -len(theme.statements))),
    )
