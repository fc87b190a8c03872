"""Raised figures and formulas, written so that plain text keeps what they mean: 10<sup>9</sup> is not 109."""

import re
from itertools import islice
from typing import Final

from lxml import etree
from lxml.html import HtmlElement

from medreview.sources.walker import folded, longer_than

_SUPERSCRIPT: Final = str.maketrans("0123456789+-\u2212", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻")
_POWER: Final = re.compile(r"[+\-\u2212]?\d{1,3}[+\-\u2212]?|[+\-\u2212]")
_SUM: Final = re.compile(r"[\s+\-\u2212\u00d7\u00b7]")
_REFERENCE: Final = re.compile(r"(refs?|cite|citation|reference|footnote|fn|bibr?)([-_\d]|$)", re.IGNORECASE)
_NOTE: Final = re.compile("[a-j](?:,? ?[a-j]){0,3}")
_LONGEST_TERM: Final = 100


def write_out_superscripts(root: HtmlElement) -> None:
    """Raised figures become superscript characters, and marks of references ``[n]``, in place."""
    for node in list(root.iter("sup")):
        raw = node.text_content()
        text = folded(raw)
        before = _text_before(node).rstrip("\u200b")
        if not text or text.startswith(("[", "(")):
            continue
        if _is_reference(node) or (re.fullmatch(r"\d{1,3}([,\u2013\-\s]+\d{1,3})*", text) and _after_sentence(before)):
            text = f"[{text}]"
        elif _POWER.fullmatch(text):
            text = text.translate(_SUPERSCRIPT)
        elif re.fullmatch(r"\d{1,3}([,\u2013-]\s*\d{1,3})+", text) or (_NOTE.fullmatch(text) and _in_cell(node)):
            text = f"[{text}]"
        else:
            continue
        for child in list(node):
            node.remove(child)
        node.text = text


def write_out_formulas(root: HtmlElement) -> None:
    """Powers and fractions of MathML become characters, in place."""
    for power in list(root.iter("msup")):
        if len(power) != 2 or longer_than(power[1], _LONGEST_TERM):
            continue
        if raised := folded(power[1].text_content()):
            is_power = _POWER.fullmatch(raised)
            text = raised.translate(_SUPERSCRIPT) if is_power else f"^({raised})" if len(raised) > 1 else f"^{raised}"
            power.replace(power[1], _span(text, power[1].tail))
    for fraction in list(root.iter("mfrac")):
        if len(fraction) != 2 or longer_than(fraction, 2 * _LONGEST_TERM):
            continue
        fraction[0].tail = "/"
        for part in fraction:
            said = folded(part.text_content())
            if _SUM.search(said) and not (said[0] == "(" and said[-1] == ")"):
                part.text = f"({part.text or ''}"
                etree.SubElement(part, "span").text = ")"

    for formula in list(root.iter("math")):
        # trafilatura knows no formulas, and would leave out the number with them.
        for part in list(formula.iter("annotation", "annotation-xml")):
            part.drop_tree()
        for part in formula.iter("*"):
            part.tag = "span"


def _in_cell(node: HtmlElement) -> bool:
    """Whether an element stands in a cell of a table, where a raised letter is the mark of a note."""
    return any(holder.tag in ("td", "th") for holder in islice(node.iterancestors(), 4)) and bool(
        _text_before(node).strip()
    )


def _span(text: str, tail: str | None) -> HtmlElement:
    span = etree.Element("span")
    span.text, span.tail = text, tail
    return span


def _after_sentence(before: str) -> bool:
    return before.rstrip().endswith((".", ",", ";", ":", ")", "\u201d", '"'))


def _is_reference(node: HtmlElement) -> bool:
    marked = [node, *node.iter("a")]
    parent = node.getparent()
    is_alone = node.getprevious() is None and node.getnext() is None
    if parent is not None and parent.tag == "a" and is_alone and not folded(parent.text or ""):
        marked.append(parent)
    if any((link.get("href") or "").startswith("#") for link in marked[1:]):
        return True
    return any(_REFERENCE.match(name) for part in marked for name in (part.get("class") or "").split())


def _text_before(node: HtmlElement) -> str:
    previous = node.getprevious()
    if previous is not None:
        return str(previous.tail or previous.text_content())
    parent = node.getparent()
    return str(parent.text or "") if parent is not None else ""
