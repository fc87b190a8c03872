"""Saved web pages: the answers on a page of an answer engine, else the main text, as Markdown with its links.

Links are marked in the tree by characters of the private use area, which the readers keep, and written out afterwards.
OpenEvidence, ChatGPT and Perplexity are told by the attributes that their pages give to questions and answers, never by
an address. What a page shows around an answer (buttons, steps, further questions) is left out.
"""

import re
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import urljoin

from lxml import etree
from lxml.html import HtmlElement, HTMLParser, document_fromstring

from medreview.exchange.documents.result import Read, RefusedError, markdown_link
from medreview.exchange.imports.file_rows import NamedRow
from medreview.sources.reading.charset import decode
from medreview.sources.reading.html import read_fragment, read_html
from medreview.sources.reading.own_names import own_names
from medreview.sources.reading.text_structure import Heading
from medreview.sources.reading.untrusted_markup import limit_markup

_OPEN, _MIDDLE, _CLOSE = "\uf490", "\uf491", "\uf492"
_NOT_OURS: Final = re.compile(f"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff{_OPEN}{_MIDDLE}{_CLOSE}]")
"""Our marks, and what lxml refuses to set as a text, though its parser gives it."""
_MARKED: Final = re.compile(f"{_OPEN}([^{_OPEN}{_MIDDLE}{_CLOSE}]*){_MIDDLE}(\\d{{1,6}}){_CLOSE}")
_LEFT: Final = re.compile(f"{_OPEN}|{_MIDDLE}\\d{{0,6}}{_CLOSE}?|{_CLOSE}")
_NUMBERED: Final = re.compile(r"^(\s*)- (\d{1,4}\. )", re.MULTILINE)
_ITEM: Final = re.compile(r"\s*(?:- |\d{1,4}\. )")


class LinkedPage:
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


_AROUND: Final = "button|svg|textarea|input|form|select|nav|dialog|noscript|style|script"
_ROLES: Final = ("button", "progressbar", "tooltip", "dialog", "menu", "toolbar")
_STEPS: Final = ("MuiStep", "sr-only", "follow-up", "followup")
_BRACKETED: Final = re.compile(r"\[\d{1,3}(?:\s?[,–-]\s?\d{1,3})*\]")
_MOST_TURNS: Final = 500


def answers_on(page: LinkedPage) -> Read | None:
    """The answers of a page of a known engine; ``None`` for any other page."""
    for name, turns in (("OpenEvidence", _open_evidence), ("ChatGPT", _chatgpt), ("Perplexity", _perplexity)):
        rows = tuple(
            NamedRow(number, values)
            for number, values in enumerate(turns(page), 1)
            if values["response"].strip() and number <= _MOST_TURNS
        )
        if rows:
            return Read(f"{name} page", rows=rows)
    return None


def _open_evidence(page: LinkedPage) -> Iterator[dict[str, str]]:
    """A turn is an ``article`` up to the mark of the answer's end; its question is the query bar before it."""
    question = ""
    if (
        page.root.find(".//*[@data-answer-end]") is None
        and page.root.find(".//*[@data-testid='ask--query-bar']") is None
    ):
        return
    bars_and_answers = [
        node for node in page.root.iter("*") if node.get("data-testid") == "ask--query-bar" or node.tag == "article"
    ]
    for node in bars_and_answers:
        if node.tag != "article":
            question = _words(node)
            continue
        references = next(
            (
                one
                for one in node.iter("*")
                if "references_container" in _classes(one) or "--references" in _classes(one)
            ),
            None,
        )
        listed = _listed(page, references) if references is not None else ""
        _cut_after(node, next((one for one in node.iter("*") if one.get("data-answer-end") is not None), None))
        if references is not None and references.getparent() is not None:
            _drop(references)
        for chip in [one for one in node.iter("*") if "citation-chip" in _classes(one)]:
            marks = "".join(_BRACKETED.findall(_words(chip)))
            tail = chip.tail
            chip.clear()
            chip.tag, chip.text, chip.tail = "span", marks, tail
        _without_frame(node)
        yield {"question": question, "response": f"{page.markdown(node)}{listed}".strip(), "model": "OpenEvidence"}


def _listed(page: LinkedPage, references: HtmlElement) -> str:
    """The numbered references: each entry has a link to the work, and words on where it was printed."""
    items = [one for one in references.iter("*") if "_reference__" in _classes(one)] or list(references.iter("li"))
    lines: list[str] = []
    for item in items:
        _without_frame(item)
        words = " ".join(page.markdown(item).split())
        words = re.sub(r"^(?:- )?(?:\d{1,3}\.\s+)?", "", words)
        if words:
            lines.append(f"[{len(lines) + 1}] {words}")
    return f"\n\n## References\n\n{chr(10).join(lines)}" if lines else ""


def _chatgpt(page: LinkedPage) -> Iterator[dict[str, str]]:
    """Each message says whose it is; those of the model up to the next of the user are one answer."""
    question, model = "", ""
    said: list[str] = []
    for node in list(page.root.iter("*")):
        role = node.get("data-message-author-role")
        if role == "user":
            if said:
                yield {"question": question, "response": "\n\n".join(said), "model": model}
            question, said = _words(node), []
        elif role == "assistant":
            model = node.get("data-message-model-slug") or model
            _without_frame(node)
            said.append(page.markdown(node))
    if said:
        yield {"question": question, "response": "\n\n".join(said), "model": model}


def _perplexity(page: LinkedPage) -> Iterator[dict[str, str]]:
    """An answer has a numbered id; its question is the heading before it."""
    question = ""
    for node in list(page.root.iter("*")):
        if node.tag == "h1" or "group/query" in _classes(node):
            question = _words(node) or question
        elif (node.get("id") or "").startswith("markdown-content-"):
            _without_frame(node)
            yield {"question": question, "response": page.markdown(node), "model": "Perplexity"}


def _classes(node: HtmlElement) -> str:
    return node.get("class") or ""


def _words(node: HtmlElement) -> str:
    """The words of an element on one line, without those of buttons and forms and the marks of links."""
    skipped = {inner for one in node.iter(*_AROUND.split("|")) for inner in one.iter("*")}
    texts = []
    for one in node.iter("*"):
        if one not in skipped:
            texts.append(one.text or "")
        if one is not node:
            texts.append(one.tail or "")
    return " ".join(re.sub("\uf491\\d*\uf492|\uf490", "", " ".join(texts)).split())


def _without_frame(node: HtmlElement) -> None:
    """Take out of an element what is no text of the answer."""
    for one in list(node.iter("*")):
        is_frame = re.fullmatch(_AROUND, one.tag) if isinstance(one.tag, str) else None
        named = one.get("role") in _ROLES or any(word in _classes(one) for word in _STEPS)
        if one is not node and (is_frame or named) and one.getparent() is not None:
            _drop(one)


def _cut_after(article: HtmlElement, end: HtmlElement | None) -> None:
    """Take out of an answer what stands after its end."""
    while end is not None and end is not article:
        for one in list(end.itersiblings()):
            _drop(one)
        end.tail = None
        end = end.getparent()


def _drop(node: HtmlElement) -> None:
    """Remove an element, not the text after it."""
    node.drop_tree()


def read_page(body: bytes, content_type: str = "", address: str = "") -> Read:
    """The answers of an answer engine's page, or the main text of any other. Raises :class:`RefusedError`."""
    root = _parsed(decode(body, content_type))
    page = LinkedPage(root, address or next((name.value for name in own_names(body).names if name.kind == "url"), ""))
    if answers := answers_on(page):
        return answers
    main = read_html(page.marked(root).encode("utf-8", "replace"), "text/html; charset=utf-8")
    text = main.main if main.main.text else main.full
    notes = (main.damage,) if main.damage else ()
    return Read("web page", page.written(text.text, text.outline), notes=notes)


def _parsed(markup: str) -> HtmlElement:
    parser = HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=False)
    markup, _ = limit_markup(markup)
    try:
        return document_fromstring(markup.replace("\0", "").encode("utf-8", "replace"), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError, AssertionError) as error:
        raise RefusedError("is a web page without a text") from error
