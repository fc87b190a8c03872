"""Superscripts and subscripts as plain text without loss of meaning: 10<sup>9</sup> must not become 109."""

import re
from itertools import islice
from typing import Final

from lxml.html import HtmlElement

from medreview.sources.reading.elements import collapse_whitespace
from medreview.sources.reading.formulas import SUBSCRIPT, SUPERSCRIPT

_SIGN: Final = "+\\-\u2212\u2010-\u2014\ufe63\uff0d"
_POWER: Final = re.compile(rf"[{_SIGN}]? ?\d{{1,3}}[{_SIGN}]?|[{_SIGN}]")
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
    if _POWER.fullmatch(text):
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
