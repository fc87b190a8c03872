"""Saved pages of answer engines: each question with its answer and numbered references.

OpenEvidence, ChatGPT and Perplexity are told by the attributes that their pages give to questions and answers, never by
an address. What a page shows around an answer (buttons, steps, further questions) is left out.
"""

import re
from collections.abc import Iterator
from typing import Final

from lxml.html import HtmlElement

from medreview.exchange.documents.page_markdown import Page
from medreview.exchange.documents.result import Read
from medreview.exchange.imports.file_rows import NamedRow

_AROUND: Final = "button|svg|textarea|input|form|select|nav|dialog|noscript|style|script"
_ROLES: Final = ("button", "progressbar", "tooltip", "dialog", "menu", "toolbar")
_STEPS: Final = ("MuiStep", "sr-only", "follow-up", "followup")
_BRACKETED: Final = re.compile(r"\[\d{1,3}(?:\s?[,–-]\s?\d{1,3})*\]")
_MOST_TURNS: Final = 500


def answers_on(page: Page) -> Read | None:
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


def _open_evidence(page: Page) -> Iterator[dict[str, str]]:
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


def _listed(page: Page, references: HtmlElement) -> str:
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


def _chatgpt(page: Page) -> Iterator[dict[str, str]]:
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


def _perplexity(page: Page) -> Iterator[dict[str, str]]:
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
