"""A checklist as its file has it, and each item beside what a study says of it, or what is left to write."""

import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

from medreview.cli.reports.layout import Part, TableHeading, Title, inset
from medreview.cli.reports.page_parts import Grid, GridCell, PagePart, ReportSection
from medreview.cli.reports.study_page.checklists.fillers import FILLERS, Filled
from medreview.cli.reports.study_page.material import Material
from medreview.errors import UserError
from medreview.text import counted

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


_OURS: Final = "Items are paraphrased; the words of the source count. medreview fills in only what the study holds."


def checklist_section(name: str, material: Material, titles: Mapping[str, str]) -> ReportSection:
    """One as a section; ``titles``: those of the sections of the report, by their anchors."""
    checklist = checklist_named(name)
    items = list(checked(checklist, material, titles))
    return ReportSection(
        f"checklist-{name}", f"Checklist: {checklist.name}", tuple(_page_parts(checklist, items, titles))
    )


def _page_parts(checklist: Checklist, items: Sequence[CheckedItem], titles: Mapping[str, str]) -> Iterator[PagePart]:
    yield from _head(checklist, items)
    rows: list[tuple[GridCell, ...]] = []
    for item in items:
        told = [(GridCell(one.text), GridCell(titles.get(one.anchor, ""), to=one.anchor)) for one in item.says]
        told += [(GridCell(item.yours, ("muted",)), GridCell(""))] if item.yours else []
        names = [GridCell(f"{item.id} {item.title}"), *[GridCell("")] * (len(told) - 1)]
        rows += [(name, *cells) for name, cells in zip(names, told, strict=True)]
    yield Grid(checklist.name, ("item", "what the study says", "in this report"), tuple(rows), kind="checklist")


def checklist_parts(name: str, material: Material, titles: Mapping[str, str]) -> Iterator[Part]:
    """One for the terminal."""
    checklist = checklist_named(name)
    items = list(checked(checklist, material, titles))
    yield Title(f"Checklist: {checklist.name}")
    yield from _head(checklist, items)
    section = ""
    for item in items:
        if item.section != section:
            section = item.section
            yield from ("", TableHeading(section))
        yield f"{item.id}  {item.title}"
        told = [f"{one.text}{f' [{titles[one.anchor]}]' if one.anchor else ''}" for one in item.says]
        yield inset(*told, *([item.yours] if item.yours else []))


def checklist_values(name: str, material: Material, anchors: Collection[str]) -> dict[str, Any]:
    """One for a script."""
    checklist = checklist_named(name)
    items = [asdict(one) for one in checked(checklist, material, anchors)]
    return {"checklist": checklist.key, "name": checklist.name, "source": checklist.source, "items": items}


def _head(checklist: Checklist, items: Sequence[CheckedItem]) -> Iterator[str]:
    filled = sum(bool(one.says) for one in items)
    whole = sum(not one.yours for one in items)
    yield f"{checklist.title}. {checklist.source}. {_OURS}"
    yield f"The study answers {filled:,} of {counted(len(items), 'row')}, {whole:,} of them in full."
