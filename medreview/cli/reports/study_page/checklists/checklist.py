"""A checklist as its file has it, and each item beside what a study says of it, or what is left to write."""

import tomllib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

from medreview.cli.reports.study_page.checklists import Filled
from medreview.cli.reports.study_page.checklists.fillers import FILLERS
from medreview.cli.reports.study_page.material import Material
from medreview.errors import UserError

NAMES: Final = ("chart", "mi-clear-llm", "tripod-llm", "grras")
"""What they are called on the command line, and their files."""
YOURS: Final = "yours to write"


@dataclass(frozen=True, slots=True)
class ChecklistItem:
    """An item: its number, its title in words of our own, what fills it, and the ``rest`` that no study holds.

    ``also``: what belongs to it where a study has it, and is missed nowhere.
    """

    id: str
    section: str
    title: str
    filled_by: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    rest: str = ""


@dataclass(frozen=True, slots=True)
class Checklist:
    """``key``: on the command line; ``source``: where the guideline was published."""

    key: str
    name: str
    title: str
    source: str
    items: tuple[ChecklistItem, ...]


@dataclass(frozen=True, slots=True)
class CheckedItem:
    """What a study ``says`` of an item, and where the report has it; ``yours``: what is left to write, ``""`` where
    nothing is."""

    id: str
    section: str
    title: str
    says: tuple[Filled, ...]
    yours: str


@cache
def checklist_named(name: str) -> Checklist:
    """That of a name of :data:`NAMES`. Raises :class:`UserError` for another, with those there are."""
    if name not in NAMES:
        raise UserError(f"There is no checklist {name!r}; there are {', '.join(NAMES)}.")
    held = tomllib.loads(files(__package__).joinpath(f"{name}.toml").read_text(encoding="utf-8"))
    lists = ("filled_by", "also")
    items = (ChecklistItem(**one | {name: tuple(one.get(name, ())) for name in lists}) for one in held["item"])
    return Checklist(name, held["name"], held["title"], held["source"], tuple(items))


def checked(checklist: Checklist, material: Material, anchors: Collection[str]) -> Iterator[CheckedItem]:
    """Each item; ``anchors``: the sections of the report, so that none is named that it has not."""
    for item in checklist.items:
        says, missing = [], []
        for name in (*item.filled_by, *item.also):
            label, fill = FILLERS[name]
            found = fill(material)
            if found is None:
                missing += [label] if name in item.filled_by else []
            else:
                says.append(found if found.anchor in anchors else Filled(found.text))
        left = [*missing, *([item.rest] if item.rest else [])]
        yours = YOURS if not says else f"{YOURS}: {', '.join(left)}" if left else ""
        yield CheckedItem(item.id, item.section, item.title, tuple(says), yours)
