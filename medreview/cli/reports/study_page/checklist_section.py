"""Checklists at the end of a report, or alone on the terminal: item, what the study says and where, what is left."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from medreview.cli.reports.layout import Part, TableHeading, Title, inset
from medreview.cli.reports.page_parts import Grid, GridCell, PagePart, Section
from medreview.cli.reports.study_page.checklists.checklist import CheckedItem, Checklist, checked, checklist_named
from medreview.cli.reports.study_page.material import Material
from medreview.text import counted

_OURS: Final = "Items are paraphrased; the words of the source count. medreview fills in only what the study holds."


def checklist_section(name: str, material: Material, titles: Mapping[str, str]) -> Section:
    """One as a section; ``titles``: those of the sections of the report, by their anchors."""
    checklist = checklist_named(name)
    items = list(checked(checklist, material, titles))
    return Section(f"checklist-{name}", f"Checklist: {checklist.name}", tuple(_page_parts(checklist, items, titles)))


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
