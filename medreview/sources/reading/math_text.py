"""MathML, superscripts and subscripts as plain text without loss of meaning: 10<sup>9</sup> must not become 109.

One half must not become 12. Element names: MathML 3, presentation markup. Content markup is read as its numbers and
names, separated by spaces.
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
_MATH_POWER: Final = re.compile(r"[+\-\u2212\u2010-\u2013]?\d{1,3}[+\-\u2212]?|[+\-\u2212\u2013]")
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
    if _MATH_POWER.fullmatch(text):
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


_SIGN: Final = "+\\-\u2212\u2010-\u2014\ufe63\uff0d"
_SUPERSCRIPT_POWER: Final = re.compile(rf"[{_SIGN}]? ?\d{{1,3}}[{_SIGN}]?|[{_SIGN}]")
_REFERENCE: Final = re.compile(r"(refs?|cite|citation|reference|footnote|fn|bibr?)([-_\d]|$)", re.IGNORECASE)
_NUMBERS: Final = re.compile(r"\d{1,3}(?:[,;\u2013\-\s]+\d{1,3})*")
_NOTE: Final = re.compile("[a-j](?:,? ?[a-j]){0,3}")
_NOTED: Final = re.compile(
    r"(?:\d{2}|\.\d|%|\d\s?(?:m?g|kg|[\u00b5\u03bcmu]c?g|m?[lL]|dL|IU|units?|m?mol|h|hours?|days?))\Z"
)
_TEN: Final = re.compile(r"(?<![\d.,])10\Z")
_FOLLOWS_DEGREE: Final = re.compile(r"\s?[CFK]\b")
_INLINE: Final = frozenset({"a", "b", "em", "font", "i", "span", "strong", "u"})
_NEXT_NOTE: Final = re.compile(r"\s*[,;\u2013-]\s*")


def write_out_superscripts(root: HtmlElement) -> None:
    """Write superscripts and subscripts so that they do not merge with the numbers beside them, in place.

    A power is written in superscript characters or as ``^(...)``, the mark of a reference or note as ``[n]``, a mixed
    number with a space. Subscript numbers stay plain (CO2) unless they would merge with an adjacent number.
    """
    notes: set[HtmlElement] = set()
    for node in list(root.iter("sup")):
        text = collapse_whitespace(node.text_content())
        before = _text_before(node).rstrip("\u200b")
        if not text or text.startswith(("[", "(")):
            continue
        if (fraction := _denominator(node, text)) is not None:
            written = f" {text}" if before[-1:].isdigit() else text
            _write(fraction, collapse_whitespace(fraction.text_content()))
        elif (
            node in notes
            or _is_reference(node)
            or (
                _NUMBERS.fullmatch(text)
                and (_after_sentence(before) or (_notes_after(node) and not _TEN.search(before)))
            )
        ):
            written = f"[{text}]"
        else:
            written = _as_power(text, before, node)
        if written.startswith("["):
            notes.update(_notes_after(node))
        _write(node, written)
    for node in list(root.iter("sub")):
        text = collapse_whitespace(node.text_content())
        is_before_digit = text[-1:].isdigit() and _text_after(node)[:1].isdigit()
        if text.isalnum() and (is_before_digit or _text_before(node)[-1:].isdigit()):
            _write(node, text.translate(SUBSCRIPT) if text.isdecimal() else f"_({text})")


def _as_power(text: str, before: str, node: HtmlElement) -> str:
    """A superscript as plain text, when neither its markup nor its position make it a reference."""
    after = _text_after(node)
    joined = before[-1:].isalnum()
    if text in ("o", "O", "0", "\u00ba") and before.rstrip()[-1:].isdigit() and _FOLLOWS_DEGREE.match(after):
        return "°"
    if _SUPERSCRIPT_POWER.fullmatch(text):
        return text.replace(" ", "").translate(SUPERSCRIPT)
    is_ordinal = text in ("a", "e") and before[-1:].isdigit()  # 20e, 1a: French, Spanish
    if _NOTE.fullmatch(text) and (_in_cell(node) or (_NOTED.search(before) and not is_ordinal)):
        return f"[{text}]"
    if _NUMBERS.fullmatch(text) and not _TEN.search(before):
        return f"[{text}]"
    if joined and any(character.isdigit() for character in text):
        return f"^({text})"
    return f"^{text}" if before[-1:].isdigit() and text in ("n", "x", "y", "k", "m", "i", "N", "X") else text


def _denominator(node: HtmlElement, text: str) -> HtmlElement | None:
    """The denominator of a fraction that is written as a superscript and a subscript number."""
    following = node.getnext()
    is_fraction = (
        text.isdecimal()
        and (node.tail or "").strip() in ("/", "\u2044", "\u2215")
        and following is not None
        and following.tag == "sub"
        and collapse_whitespace(following.text_content()).isdecimal()
    )
    return following if is_fraction else None


def _notes_after(node: HtmlElement) -> list[HtmlElement]:
    """The superscript number that continues a list of references begun by this one: <sup>3</sup>,<sup>4</sup>."""
    following = node.getnext()
    goes_on = following is not None and following.tag == "sup" and _NEXT_NOTE.fullmatch(node.tail or "")
    return [following] if goes_on and _NUMBERS.fullmatch(collapse_whitespace(following.text_content())) else []


def _write(node: HtmlElement, text: str) -> None:
    for child in list(node):
        node.remove(child)
    node.text = text


def _in_cell(node: HtmlElement) -> bool:
    """Whether an element is in a table cell, where a superscript letter is the mark of a note."""
    return any(holder.tag in ("td", "th") for holder in islice(node.iterancestors(), 4)) and bool(
        _text_before(node).strip()
    )


def _after_sentence(before: str) -> bool:
    return before.rstrip().endswith((".", ",", ";", ":", ")", "\u201d", '"'))


def _is_reference(node: HtmlElement) -> bool:
    marked = [node, *node.iter("a")]
    parent = node.getparent()
    is_alone = node.getprevious() is None and node.getnext() is None
    if parent is not None and parent.tag == "a" and is_alone and not collapse_whitespace(parent.text or ""):
        marked.append(parent)
    if any((link.get("href") or "").startswith("#") for link in marked[1:]):
        return True
    return any(_REFERENCE.match(name) for part in marked for name in (part.get("class") or "").split())


def _text_before(node: HtmlElement) -> str:
    """The text directly before an element, also when the element is the first child of inline markup."""
    for _ in range(3):
        previous, parent = node.getprevious(), node.getparent()
        if previous is not None:
            return str(previous.tail or previous.text_content())
        if parent is None:
            return ""
        if parent.text or parent.tag not in _INLINE:
            return str(parent.text or "")
        node = parent
    return ""


def _text_after(node: HtmlElement) -> str:
    following = node.getnext()
    if node.tail or following is None or following.tag not in (*_INLINE, "sub", "sup"):
        return str(node.tail or "")
    return str(following.text or "")
