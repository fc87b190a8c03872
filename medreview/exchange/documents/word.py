"""Word documents (.docx) as Markdown: headings, lists with their numbers, tables, links in their place, notes.

Deleted and hidden text, headers, footers, comments and tables of contents are left out. Macros are not read, and what
lies outside of the document is never asked for. Numbers and bullets are counted as Word does (``numbering.xml``).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from medreview.exchange.documents.result import Read, joined, markdown_link, notes, raised, table
from medreview.exchange.documents.sheets import Sheet, holds_answers, rows_of
from medreview.exchange.documents.zip_parts import Parts, attribute

_PLACE: Final = re.compile(r"%([1-9])")
_BULLETS: Final = frozenset({"bullet", "none"})
_ROMAN: Final = ((100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))
_DEEPEST: Final = 9


@dataclass(slots=True)
class _Level:
    format: str = "decimal"
    text: str = ""
    start: int = 1


@dataclass(slots=True)
class _List:
    """A list: the definition that it shares its count with, and the levels that it starts again."""

    definition: str
    restarts: dict[int, int] = field(default_factory=dict)


class Numbering:
    """The lists of a document, and how far each has counted; ``root`` is that of ``numbering.xml``, or ``None``."""

    def __init__(self, root: Any) -> None:
        self._levels: dict[tuple[str, int], _Level] = {}
        self._lists: dict[str, _List] = {}
        self._counts: dict[str, list[int]] = {}
        self._begun: set[str] = set()
        for definition in root.iter("abstractNum") if root is not None else ():
            for level in definition.iter("lvl"):
                self._levels[attribute(definition, "abstractNumId"), _number(attribute(level, "ilvl"))] = _Level(
                    attribute(level.find("numFmt"), "val") or "decimal",
                    attribute(level.find("lvlText"), "val"),
                    _number(attribute(level.find("start"), "val") or "1"),
                )
        for one in root.iter("num") if root is not None else ():
            restarts = {
                _number(attribute(override, "ilvl")): _number(attribute(override.find("startOverride"), "val"))
                for override in one.iter("lvlOverride")
                if override.find("startOverride") is not None
            }
            self._lists[attribute(one, "numId")] = _List(attribute(one.find("abstractNumId"), "val"), restarts)

    def label(self, list_id: str, depth: int) -> str:
        """The label of the next item of a list at a depth (0 the outermost): ``-`` for a bullet, ``2.``, ``b)``.

        ``""`` for a paragraph that is in no list.
        """
        if list_id in ("", "0") or list_id not in self._lists or depth >= _DEEPEST:
            return ""
        one = self._lists[list_id]
        level = self._levels.get((one.definition, depth), _Level("bullet"))
        if level.format in _BULLETS:
            return "-" if level.format == "bullet" else ""
        counts = self._counts.setdefault(one.definition, [])
        if list_id not in self._begun:
            self._begun.add(list_id)
            for at in one.restarts:
                del counts[at:]
        del counts[depth + 1 :]
        while len(counts) <= depth:
            at = len(counts)
            start = one.restarts.get(at, self._levels.get((one.definition, at), _Level()).start)
            counts.append(start - (at == depth))
        counts[depth] += 1

        def shown(place: re.Match[str]) -> str:
            at = int(place[1]) - 1
            count = counts[at] if at < len(counts) else 1
            return _written(count, self._levels.get((one.definition, at), level).format)

        return _PLACE.sub(shown, level.text).strip() or f"{counts[depth]}."


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 6 else 0


def _written(count: int, form: str) -> str:
    if form in ("lowerLetter", "upperLetter") and count > 0:
        letter = chr(ord("a") + (count - 1) % 26) * ((count - 1) // 26 % 20 + 1)
        return letter if form == "lowerLetter" else letter.upper()
    if form in ("lowerRoman", "upperRoman") and 0 < count < 400:
        roman = ""
        for value, sign in _ROMAN:
            roman += sign * (count // value)
            count %= value
        return roman if form == "lowerRoman" else roman.upper()
    return f"{count:02d}" if form == "decimalZero" else str(count)


KIND: Final = "Word document"
DOCUMENT: Final = "word/document.xml"
_SKIPPED: Final = frozenset(
    {
        "del", "moveFrom", "Fallback", "instrText", "delText", "delInstrText", "pPr", "rPr", "sdtPr", "sdtEndPr",
        "tblPr", "tblGrid", "trPr", "tcPr", "sectPr", "footnoteRef", "endnoteRef", "annotationRef",
        "commentReference", "fldData",
    }
)  # fmt: skip
_HEADING: Final = re.compile(r"heading (\d)")
_CONTENTS: Final = re.compile(r"toc (?:\d|heading)|table of figures")
_LINKED: Final = re.compile(r'\s*HYPERLINK\s+(?:\\[lo]\s+)*"?([^"\s]+)"?', re.IGNORECASE)
_LOCAL: Final = re.compile(r"\s*HYPERLINK\s+\\l", re.IGNORECASE)
_CITED: Final = re.compile(r"\[(\d{1,3})[\],–-]")
_LONGEST_CHAIN: Final = 20
_OFF: Final = ("0", "false", "off", "none")

Block = tuple[str, str]
"""A kind (``text``, ``item``, ``row``) and the lines."""


class _Field:
    """A field that is open (a link, a contents): what it does, and where its result begins in the paragraph."""

    def __init__(self) -> None:
        self.told = ""
        self.at: int | None = None
        self.paragraph = 0


def read_word(parts: Parts) -> Read:
    """The text of a document, or the records of its table of answers, where that is most of it."""
    word = _Word(parts)
    text = word.text()
    answers = max(filter(holds_answers, word.tables), key=lambda one: len(one.rows), default=None)
    if answers is not None and 2 * sum(len(cell) for _, cells in answers.rows for cell in cells) > len(text):
        rows, notes = rows_of([answers])
        return Read(KIND, rows=rows, notes=notes)
    return Read(KIND, text)


class _Word:
    def __init__(self, parts: Parts) -> None:
        self._root = parts.xml(DOCUMENT)
        self._styles = _styles(parts.xml("word/styles.xml"))
        self._lists = Numbering(parts.xml("word/numbering.xml"))
        self._links = parts.addresses(DOCUMENT)
        self._note_links = {kind: parts.addresses(f"word/{kind}s.xml") for kind in ("footnote", "endnote")}
        self._notes = {
            (kind, attribute(note, "id")): note
            for kind in ("footnote", "endnote")
            for root in [parts.xml(f"word/{kind}s.xml")]
            for note in (root.iter(kind) if root is not None else ())
        }
        self._cited: dict[tuple[str, str], int] = {}
        self._fields: list[_Field] = []
        self._paragraph = 0
        self._first = 1
        self.tables: list[Sheet] = []
        """The tables that stand in no other."""

    def text(self) -> str:
        """All blocks, then the notes that are cited in them."""
        if self._root is None:
            return ""
        own = [int(number) for number in _CITED.findall("".join(self._root.itertext()))]
        self._first = max(own) + 1 if own and self._notes else 1  # the document has numbers of its own
        blocks = list(self._blocks(self._root.find("body")))
        texts = []
        for kind, name in self._cited:
            self._links = self._note_links[kind]
            paragraphs = self._notes[kind, name].iter("p")
            texts.append(" ".join(filter(None, (self._inline(one).strip() for one in paragraphs))))
        return joined([*blocks, *(("note", line) for line in notes(texts, self._first))])

    def _blocks(self, parent: Any) -> Iterator[Block]:
        for node in parent if parent is not None else ():
            if node.tag in _SKIPPED:
                continue
            if node.tag == "p":
                yield from self._of_paragraph(node)
            elif node.tag == "tbl":
                yield from self._of_table(node)
            else:
                yield from self._blocks(node)

    def _of_paragraph(self, node: Any) -> Iterator[Block]:
        style = self._styles.get(attribute(node.find("pPr/pStyle"), "val"), {})
        if _CONTENTS.match(style.get("name", "")):
            self._inline(node)  # a field may end in it
            return
        text = self._inline(node).strip()
        list_id = attribute(node.find("pPr/numPr/numId"), "val") or style.get("list", "")
        depth = attribute(node.find("pPr/numPr/ilvl"), "val") or style.get("depth", "0")
        if text or list_id:
            level = _level(attribute(node.find("pPr/outlineLvl"), "val")) or int(style.get("level", "0"))
            place = int(depth) if depth.isdecimal() else 0
            label = self._lists.label(list_id, place) if text else ""
            if level and text:
                words = " ".join(text.split())
                yield "text", f"{'#' * level} {f'{label} ' if label not in ('', '-') else ''}{words}"
            elif label:
                indent = "  " * min(place, 8)
                yield "item", f"{indent}{label} {text}".replace("\n", f"\n{indent}  ")
            else:
                yield "text", text
        for box in node.iter("txbxContent"):
            if not any(one.tag == "Fallback" for one in box.iterancestors()):
                yield from self._blocks(box)

    def _of_table(self, node: Any) -> Iterator[Block]:
        rows: list[list[str]] = []
        for row in _own(node, "tr"):
            cells: list[str] = []
            for cell in _own(row, "tc"):
                text = " ".join(lines for _, lines in self._blocks(cell))
                merged = cell.find("tcPr/vMerge")
                if merged is not None and attribute(merged, "val") != "restart" and rows and len(cells) < len(rows[-1]):
                    text = text.strip() or rows[-1][len(cells)]
                span = attribute(cell.find("tcPr/gridSpan"), "val")
                more = min(int(span), 60) - 1 if span.isdecimal() else 0
                cells += [text, *[""] * more]
            rows.append(cells)
        if not any(one.tag == "tbl" for one in node.iterancestors()):
            self.tables.append(Sheet(f"table {len(self.tables) + 1}", list(enumerate(rows, 1))))
        if max(map(len, rows), default=0) > 1:
            yield from (("row", line) for line in table(rows))
        else:  # a frame around a text
            yield from (("text", cell) for row in rows for cell in row)

    def _inline(self, node: Any) -> str:
        self._paragraph += 1
        pieces: list[str] = []
        self._collect(node, pieces)
        return "".join(pieces)

    def _collect(self, node: Any, pieces: list[str]) -> None:
        for child in node:
            tag = child.tag
            if tag in ("instrText", "delInstrText") and self._fields:
                self._fields[-1].told += child.text or ""
            elif tag in _SKIPPED or tag == "txbxContent":
                continue
            elif tag == "fldChar":
                self._field(attribute(child, "fldCharType"), pieces)
            elif tag in ("hyperlink", "fldSimple"):
                inner: list[str] = []
                self._collect(child, inner)
                told = _LINKED.match(attribute(child, "instr"))
                address = self._links.get(attribute(child, "id"), "") if tag == "hyperlink" else told[1] if told else ""
                pieces.append(markdown_link("".join(inner), address))
            elif tag == "r":
                if not _is_on(child.find("rPr/vanish")):
                    self._run(child, pieces)
            else:
                self._collect(child, pieces)

    def _run(self, run: Any, pieces: list[str]) -> None:
        found: list[str] = []
        for child in run:
            tag = child.tag
            if tag == "fldChar":
                self._add(found, run, pieces)
                found = []
                self._field(attribute(child, "fldCharType"), pieces)
            elif tag == "instrText":
                if self._fields:
                    self._fields[-1].told += child.text or ""
            elif tag == "t":
                found.append(child.text or "")
            elif tag in ("tab", "ptab"):
                found.append(" ")
            elif tag in ("br", "cr"):
                found.append("\n")
            elif tag == "noBreakHyphen":
                found.append("-")
            elif tag in ("footnoteReference", "endnoteReference"):
                self._add([*found], run, pieces)
                found = []
                self._note(tag.removesuffix("Reference"), attribute(child, "id"), pieces)
            elif tag not in _SKIPPED:
                inner: list[str] = []
                self._collect(child, inner)
                found += inner
        self._add(found, run, pieces)

    def _add(self, found: list[str], run: Any, pieces: list[str]) -> None:
        if found and all(one.at is not None for one in self._fields):
            text = "".join(found)
            is_raised = attribute(run.find("rPr/vertAlign"), "val") == "superscript"
            pieces.append(raised(text) if is_raised else text)

    def _note(self, kind: str, name: str, pieces: list[str]) -> None:
        if (kind, name) not in self._notes:
            return
        number = self._cited.setdefault((kind, name), len(self._cited) + self._first)
        pieces.append(f"[^{number}]")

    def _field(self, what: str, pieces: list[str]) -> None:
        if what == "begin":
            self._fields.append(_Field())
        elif what == "separate" and self._fields:
            self._fields[-1].at, self._fields[-1].paragraph = len(pieces), self._paragraph
        elif what == "end" and self._fields:
            done = self._fields.pop()
            told = _LINKED.match(done.told)
            if told and not _LOCAL.match(done.told) and done.at is not None and done.paragraph == self._paragraph:
                pieces[done.at :] = [markdown_link("".join(pieces[done.at :]), told[1])]


def _own(parent: Any, tag: str) -> Iterator[Any]:
    """The rows of a table or cells of a row, through what may stand around them, but not those of a table within."""
    for child in parent:
        if child.tag == tag:
            yield child
        elif child.tag not in _SKIPPED and child.tag not in ("tbl", "tr", "tc", "p"):
            yield from _own(child, tag)


def _level(text: str) -> int:
    """The level of a heading from its outline level, which begins at 0; 0 for running text (9)."""
    return min(int(text) + 1, 6) if text.isdecimal() and int(text[:3]) < 9 else 0


def _is_on(node: Any) -> bool:
    return node is not None and attribute(node, "val") not in _OFF


def _styles(root: Any) -> dict[str, dict[str, str]]:
    """Of each paragraph style its name, the level of a heading, and the list that its paragraphs are in."""
    own: dict[str, dict[str, str]] = {}
    based: dict[str, str] = {}
    for style in root.iter("style") if root is not None else ():
        name = attribute(style.find("name"), "val").lower()
        heading = _HEADING.match(name)
        level = int(heading[1]) if heading else 1 if name == "title" else 0
        level = level or _level(attribute(style.find("pPr/outlineLvl"), "val"))
        said = {
            "name": name,
            "level": str(min(level, 6)) if level else "",
            "list": attribute(style.find("pPr/numPr/numId"), "val"),
            "depth": attribute(style.find("pPr/numPr/ilvl"), "val"),
        }
        own[attribute(style, "styleId")] = {key: value for key, value in said.items() if value}
        based[attribute(style, "styleId")] = attribute(style.find("basedOn"), "val")
    found = {}
    for name, said in own.items():
        at, whole = name, dict(said)
        for _ in range(_LONGEST_CHAIN):
            at = based.get(at, "")
            whole = {**{key: value for key, value in own.get(at, {}).items() if key != "name"}, **whole}
        found[name] = whole
    return found
