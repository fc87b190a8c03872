"""The pages and PDFs of the extraction benchmark, and how a text is marked against what they hold.

Every page in ``pages`` has a side file of the same name: ``facts`` that must be in the text (white space folded; a list
where several spellings are right, such as 10⁹ and 10^9), ``rows`` whose cells must stand on one line in this order
with something between them, ``boilerplate`` that does not belong into the main text, and ``truth``: whether what the
page says is true of the world or invented. No page is a copy of a real one, and none was changed after an extractor
had read it.
"""

import json
import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from tests.bench.extraction.long_page import long_page
from tests.bench.extraction.pdfs import all_pdfs

PAGES = Path(__file__).with_name("pages")

_SAME: dict[int, str | None] = {
    **dict.fromkeys((0xAD, 0x200B, 0x2060, 0xFEFF)),
    0x301C: "\uff5e",  # the two readings of one character of Shift_JIS
}
_NOTE = r"(?:\s?(?:[\[(^]\w{1,2}[\])]?|[*†‡§⁰¹²³⁴-⁹]))?"
"""A mark of a footnote that is not fused with the cell: [a], (1), ^b, *, ¹."""


@dataclass(frozen=True, slots=True)
class Case:
    """One page or PDF, and what a good text of it holds. ``pages`` gives facts of a PDF the number of their page."""

    name: str
    kind: str
    body: bytes
    content_type: str
    facts: tuple[tuple[str, ...], ...]
    rows: tuple[tuple[str, ...], ...]
    boilerplate: tuple[str, ...]
    pages: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Marks:
    """What a text lacks and what it should not hold."""

    facts: tuple[str, ...]
    rows: tuple[str, ...]
    boilerplate: tuple[str, ...]
    pages: tuple[str, ...]


def _case(name: str, body: bytes, side: dict[str, Any], content_type: str) -> Case:
    return Case(
        name=name,
        kind=side["kind"],
        body=body,
        content_type=content_type,
        facts=tuple((fact,) if isinstance(fact, str) else tuple(fact) for fact in side["facts"]),
        rows=tuple(map(tuple, side["rows"])),
        boilerplate=tuple(side.get("boilerplate", ())),
        pages=side.get("pages", {}),
    )


@cache
def html_cases() -> tuple[Case, ...]:
    """All HTML pages, by name, and the long one last."""
    cases = []
    for path in sorted(PAGES.glob("*.html")):
        side = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
        cases.append(_case(path.stem, path.read_bytes(), side, side.get("content_type", "text/html; charset=utf-8")))
    body, side = long_page()
    return (*cases, _case("long_page", body, side, "text/html; charset=utf-8"))


@cache
def pdf_cases() -> tuple[Case, ...]:
    """All PDFs."""
    return tuple(_case(name, body, side, "application/pdf") for name, body, side in all_pdfs())


def folded(text: str) -> str:
    """A text in one line: white space of any kind is one space, and what nobody can see is left out."""
    return " ".join(text.translate(_SAME).split())


def holds(text: str, wanted: str) -> bool:
    """Whether a folded text holds a string; a number at its ends must not be a part of a longer one."""
    before = r"(?<![\d.,])" if wanted[0].isdigit() else ""
    after = r"(?!\d)" if wanted[-1].isdigit() else ""
    return re.search(before + re.escape(folded(wanted)) + after, text) is not None


def holds_row(lines: list[str], cells: tuple[str, ...]) -> bool:
    """Whether a line holds the cells next to each other, in order, with a space or a bar between any two."""
    row = (_NOTE + r"[\s|]+").join(re.escape(folded(cell)) for cell in cells)
    found = re.compile(rf"(?<![\w.,]){row}{_NOTE}(?![\w])")
    return any(found.search(line) for line in lines)


def mark(case: Case, texts: list[str]) -> Marks:
    """Mark the text of a case: one text for a web page, one text a page for a PDF."""
    whole = folded("\n".join(texts))
    lines = [folded(line) for text in texts for line in text.splitlines()]
    each = [folded(text) for text in texts]
    return Marks(
        facts=tuple(fact[0] for fact in case.facts if not any(holds(whole, one) for one in fact)),
        rows=tuple(" | ".join(cells) for cells in case.rows if not holds_row(lines, cells)),
        boilerplate=tuple(string for string in case.boilerplate if folded(string) in whole),
        pages=tuple(
            fact for fact, page in case.pages.items() if not (page <= len(each) and holds(each[page - 1], fact))
        ),
    )
