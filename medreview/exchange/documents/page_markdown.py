"""An HTML tree as Markdown, by the readers of cited pages, with its links in their place and its lists numbered.

Links are marked in the tree by characters of the private use area, which the readers keep, and written out afterwards.
"""

import re
from typing import Any, Final
from urllib.parse import urljoin

from lxml import etree
from lxml.html import HtmlElement

from medreview.exchange.documents.markdown import markdown_link
from medreview.sources.reading.html import read_fragment
from medreview.sources.reading.text_structure import Heading

_OPEN, _MIDDLE, _CLOSE = "\uf490", "\uf491", "\uf492"
_NOT_OURS: Final = re.compile(f"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff{_OPEN}{_MIDDLE}{_CLOSE}]")
"""Our marks, and what lxml refuses to set as a text, though its parser gives it."""
_MARKED: Final = re.compile(f"{_OPEN}([^{_OPEN}{_MIDDLE}{_CLOSE}]*){_MIDDLE}(\\d{{1,6}}){_CLOSE}")
_LEFT: Final = re.compile(f"{_OPEN}|{_MIDDLE}\\d{{0,6}}{_CLOSE}?|{_CLOSE}")
_NUMBERED: Final = re.compile(r"^(\s*)- (\d{1,4}\. )", re.MULTILINE)
_ITEM: Final = re.compile(r"\s*(?:- |\d{1,4}\. )")


class Page:
    """A parsed page, and the addresses of the links that were marked in it."""

    def __init__(self, root: HtmlElement, address: str) -> None:
        self.root = root
        self._address = address
        self._links: list[str] = []
        self._mark_links()
        self._number_lists()

    def marked(self, node: HtmlElement) -> str:
        """The markup of an element with its links marked."""
        return str(etree.tostring(node, encoding="unicode", method="html", with_tail=False))

    def markdown(self, node: HtmlElement) -> str:
        """An element as Markdown."""
        text, outline, _ = read_fragment(self.marked(node))
        return self.written(text, outline)

    def written(self, text: str, outline: tuple[Heading, ...]) -> str:
        """A text that was read of the page as Markdown, with its links written out."""
        pieces, at = [], 0
        for heading in sorted(outline, key=lambda one: one.start):
            pieces += [text[at : heading.start], f"{'#' * min(heading.level, 6)} "]
            at = heading.start
        text = "".join([*pieces, text[at:]])
        for _ in range(3):  # links within one another are none of HTML
            text = _MARKED.sub(lambda found: markdown_link(found[1], self._links[int(found[2])]), text)
        return _as_markdown(_NUMBERED.sub(r"\1\2", _LEFT.sub("", text)))

    def _mark_links(self) -> None:
        for node in self.root.iter():
            if isinstance(node.tag, str):
                node.text = _NOT_OURS.sub("", node.text) if node.text else node.text
            node.tail = _NOT_OURS.sub("", node.tail) if node.tail else node.tail
        for node in list(self.root.iter("a")):
            target = self._target((node.get("href") or "").strip())
            if not target:
                node.attrib.pop("href", None)
                continue
            node.text = f"{_OPEN}{node.text or ''}"
            end = f"{_MIDDLE}{len(self._links)}{_CLOSE}"
            self._links.append(target)
            last = node[-1] if len(node) else None
            if last is None:
                node.text += end
            else:
                last.tail = f"{last.tail or ''}{end}"

    def _target(self, href: str) -> str:
        if href.startswith("#") or len(href) > 4_000:
            return ""
        try:
            target = urljoin(self._address, href) if self._address else href
        except ValueError:
            return ""
        if self._address and target.partition("#")[0] == self._address.partition("#")[0]:
            return ""
        return target if target.lower().startswith(("http://", "https://")) else ""

    def _number_lists(self) -> None:
        """Write the numbers of ordered lists before their items: readers know no difference between lists."""
        for ordered in self.root.iter("ol"):
            start = ordered.get("start") or ""
            number = int(start) if start.isascii() and start.isdecimal() and len(start) < 5 else 1
            for item in ordered.iterchildren("li"):
                first: Any = item
                while len(first) and not (first.text or "").strip() and first[0].tag in ("p", "div", "span"):
                    first = first[0]
                first.text = f"{number}. {(first.text or '').lstrip()}"
                number += 1


def _as_markdown(text: str) -> str:
    """Lines as paragraphs: an empty line between two, but within a list or a table, which gets its rule."""
    lines: list[str] = []
    kinds: list[str] = [""]
    for line in text.split("\n"):
        if not line.strip():
            kinds.append("")
            continue
        kind = "row" if line.lstrip().startswith("| ") else "item" if _ITEM.match(line) else "text"
        if lines and not (kind == kinds[-1] != "text"):
            lines.append("")
        lines.append(line)
        if kind == "row" and kinds[-1] != "row":
            columns = line.strip().strip("|").count(" | ") + 1
            lines.append(f"|{' --- |' * columns}")
        kinds.append(kind)
    return "\n".join(lines)
