"""Who the reviewers of a study say that they are: the newest word of each, read from the study's acts."""

import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from medreview.study.study_acts import newest_act, study_acts

LAY_ROLES: Final = frozenset({
    "lay", "lay person", "layperson", "laypeople", "lay reader", "non-expert", "patient", "carer", "crowd worker",
    "crowdworker", "member of the public",
})  # fmt: skip
"""Roles that make a reviewer a layperson; any other role that is said makes an expert."""


@dataclass(frozen=True, slots=True)
class Background:
    """What a reviewer says of themselves; ``""`` and ``None`` where nothing is said.

    ``role``: physician, nurse, student, ... ``years`` of practice. ``words``: whatever else bears on the labels.
    """

    role: str = ""
    years: int | None = None
    specialty: str = ""
    words: str = ""

    @property
    def line(self) -> str:
        """In one line; ``""`` when nothing is said."""
        years = "" if self.years is None else f"{self.years} year{'' if self.years == 1 else 's'} of practice"
        return ", ".join(filter(None, (self.role, self.specialty, years, self.words)))


def is_asked(reader: sqlite3.Connection, reviewer: str) -> bool:
    """Whether the question was answered or passed over: it is not put again."""
    return newest_act(reader, "background", reviewer) is not None


def background_of(reader: sqlite3.Connection, reviewer: str) -> Background:
    """What a reviewer said last."""
    act = newest_act(reader, "background", reviewer)
    return Background(**act.said) if act else Background()


def backgrounds(reader: sqlite3.Connection) -> Iterator[tuple[str, Background, str]]:
    """Every reviewer of the study who decided or said anything, with what is known of them and when it was said."""
    said = {act.reviewer: act for act in study_acts(reader, "background")}
    names = {row[0] for row in reader.execute("SELECT DISTINCT reviewer FROM main_act")} | said.keys()
    for name in sorted(names):
        act = said.get(name)
        yield name, Background(**act.said) if act else Background(), act.at_utc if act else ""


def groups_of(reader: sqlite3.Connection) -> dict[str, Literal["expert", "layperson", ""]]:
    """What kind of evaluator each reviewer is by their background; without a role they are of no group."""
    return {name: _group(said.role) for name, said, _ in backgrounds(reader)}


def _group(role: str) -> Literal["expert", "layperson", ""]:
    word = re.sub(r"\s+", " ", role.strip().casefold())
    return "" if not word else "layperson" if word in LAY_ROLES else "expert"
