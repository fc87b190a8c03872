"""MathML linearised to one line of plain text without loss of meaning: 10 with a superscript 9 must not become 109,
one half not 12.

Element names: MathML 3, presentation markup. Content markup is read as its numbers and names, separated by spaces.
"""

import re
from collections.abc import Callable
from itertools import islice
from typing import Final

from lxml import etree
from lxml.html import HtmlElement

from medreview.sources.reading.elements import collapse_whitespace, longer_than

SUPERSCRIPT: Final = str.maketrans(
    "0123456789+-\u2212\u2010\u2011\u2012\u2013\u2014\ufe63\uff0d", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁻⁻⁻⁻⁻⁻"
)
"""Digits and signs, and the characters that some pages use as a minus sign, to superscript characters."""
SUBSCRIPT: Final = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")

_LONGEST: Final = 5_000
_DEEPEST: Final = 40
"""Elements within one another above which a formula is written as its numbers and names only: the writers below call
each other for each level, and no formula of a health page has ten."""
_MOST_SIBLINGS: Final = 8
_POWER: Final = re.compile(r"[+\-\u2212\u2010-\u2013]?\d{1,3}[+\-\u2212]?|[+\-\u2212\u2013]")
_OPERATOR: Final = re.compile(r"[\s+\-\u2212\u00d7\u00b7/÷⁄]")
_ACCENTS: Final = re.compile("[°\u2218′″‴*†‡¯ˆ^~→\u02d9¨\u203e]")
_INVISIBLE: Final = re.compile("[\u2061\u2063]")
_SUPERSCRIPT_CHARACTER: Final = re.compile(r"[⁰¹²³⁴-⁻]")
_TRANSPARENT: Final = frozenset({"math", "mrow", "mstyle", "mpadded", "merror", "mtd", "maction", "menclose", "span"})
_NOT_SHOWN: Final = frozenset({"annotation", "annotation-xml", "mphantom", "none", "mprescripts"})


def linearise_formulas(root: HtmlElement) -> None:
    """Replace every formula by one text, in place; trafilatura does not know MathML and would drop its numbers."""
    for formula in list(root.iter("math", "msup", "mfrac")):
        if formula.tag == "span" or formula.getroottree().getroot() is not root.getroottree().getroot():
            continue
        _remove_duplicate(formula)
        is_bounded = not longer_than(formula, _LONGEST) and not _deeper_than(formula, _DEEPEST)
        text = collapse_whitespace(_linear(formula) if is_bounded else _flat(formula))
        for part in formula.iter("*"):
            part.tag = "span"
        for part in list(formula):
            formula.remove(part)
        formula.text = text


def _flat(formula: HtmlElement) -> str:
    return " ".join(formula.itertext())


def _deeper_than(formula: HtmlElement, levels: int) -> bool:
    """Whether elements are nested more than so many levels; stops at the first that are."""
    depth = 0
    for event, _ in etree.iterwalk(formula, events=("start", "end")):
        depth += 1 if event == "start" else -1
        if depth > levels:
            return True
    return False


def _remove_duplicate(formula: HtmlElement) -> None:
    """Keep only the MathML of a formula and make it visible: KaTeX, MathJax and MediaWiki write a formula twice, one of
    the two hidden."""
    holder = formula.getparent()
    for _ in range(4):
        if holder is None or holder.tag not in ("span", "mjx-container", "mjx-assistive-mml"):
            return
        for name in ("style", "hidden", "aria-hidden"):
            holder.attrib.pop(name, None)
        for other in list(islice(holder, _MOST_SIBLINGS)):
            if other.attrib.pop("aria-hidden", "") == "true" and next(other.iter("math"), None) is None:
                other.text = None
                for part in list(other):
                    other.remove(part)
        holder = holder.getparent()


def _linear(node: HtmlElement) -> str:
    if not isinstance(node.tag, str) or node.tag in _NOT_SHOWN:
        return " " if node.tag == "mphantom" else ""
    if node.tag in _WRITERS:
        return _WRITERS[node.tag](node)
    if node.tag in ("mi", "mn", "mo", "ms", "mtext"):
        return _INVISIBLE.sub("", node.text_content()).replace("\u2064", " ")
    return _row(node, "" if node.tag in _TRANSPARENT else " ")


def _row(node: HtmlElement, between: str = "") -> str:
    """The children in order, with a fraction kept apart from its neighbours (by a space or parentheses)."""
    parts = [(child, _linear(child)) for child in node]
    line = node.text.strip() if node.text else ""
    for index, (child, text) in enumerate(parts):
        following = next((later for _, later in parts[index + 1 :][:3] if later), "")
        if _is_fraction(child):
            if following[:1].isalnum() or following[:1] == "(" or (line and (line[-1].isalpha() or line[-1] in ")/÷")):
                text = f"({text})"
            elif line[-1:].isdigit():
                text = f" {text}"
        elif text[:1] == "\u2062":
            text = "×" if line[-1:].isdigit() and following[:1].isdigit() else text[1:]
        elif line[-1:].isalnum() and _SUPERSCRIPT_CHARACTER.match(text):
            text = f" {text}"
        line += f"{between if line and text else ''}{text}{(child.tail or '').strip()}"
    return line


def _is_fraction(node: HtmlElement) -> bool:
    """Whether an element is a fraction, or contains only one."""
    while node.tag in ("mrow", "mstyle", "mpadded", "semantics") and len(node) >= 1:
        if len(node) > 1 and node.tag != "semantics":
            return False
        node = node[0]
    return bool(node.tag == "mfrac")


def _term(node: HtmlElement) -> str:
    """An element as one term: in parentheses when it is a sum, a product or a fraction."""
    text = _linear(node).strip()
    has_parentheses = text[:1] == "(" and text.find(")") == len(text) - 1
    return f"({text})" if _OPERATOR.search(text) and not has_parentheses else text


def _superscript(text: str) -> str:
    text = text.strip().replace("\u2218", "°")
    if not text or _ACCENTS.fullmatch(text):
        return text
    if _POWER.fullmatch(text):
        return text.translate(SUPERSCRIPT)
    return f"^({text})" if len(text) > 1 else f"^{text}"


def _subscript(base: str, text: str) -> str:
    text = text.strip()
    if text.isascii() and text.isdigit():
        return text.translate(SUBSCRIPT)
    return text if text.isalpha() and not base[-1:].isdigit() else f"_({text})" if text else ""


def _script(node: HtmlElement, *kinds: str) -> str:
    if len(node) != 1 + len(kinds):
        return _row(node, " ")
    base = _term(node[0]) if "above" in kinds else _linear(node[0]).strip()
    marks = [_linear(part) for part in node[1:]]
    return base + "".join(
        _superscript(mark) if kind == "above" else _subscript(base, mark)
        for kind, mark in zip(kinds, marks, strict=True)
    )


def _fraction(node: HtmlElement) -> str:
    return "/".join(_term(part) for part in node) if len(node) == 2 else _row(node, " ")


def _root(node: HtmlElement) -> str:
    if node.tag == "msqrt" or len(node) != 2:
        return f"√({_row(node).strip()})"
    return f"{_superscript(_linear(node[1]))}√({_linear(node[0]).strip()})"


def _table(node: HtmlElement) -> str:
    return "; ".join(_row(row, " ") for row in node)


def _fenced(node: HtmlElement) -> str:
    marks = node.get("separators", ",").strip() or " "
    inside = marks[0].join(_linear(part).strip() for part in node)
    return f"{node.get('open', '(')}{inside}{node.get('close', ')')}"


_WRITERS: Final[dict[str, Callable[[HtmlElement], str]]] = {
    "msup": lambda node: _script(node, "above"),
    "mover": lambda node: _script(node, "above"),
    "msub": lambda node: _script(node, "below"),
    "munder": lambda node: _script(node, "below"),
    "msubsup": lambda node: _script(node, "below", "above"),
    "munderover": lambda node: _script(node, "below", "above"),
    "mfrac": _fraction,
    "msqrt": _root,
    "mroot": _root,
    "mtable": _table,
    "mtr": lambda node: _row(node, " "),
    "mfenced": _fenced,
    "mspace": lambda node: " ",
    "semantics": lambda node: _linear(node[0]) if len(node) else "",
}
