"""Placeholders for a page's invisible characters, to carry them through libraries that silently drop them.

The reviewer must see control characters and bidirectional controls of a page (as visible marks), but trafilatura strips
them and the text would look clean. During extraction each is replaced by a printable placeholder, a character of a
script that no health page uses.
"""

from typing import Final

from lxml.html import HtmlElement

_CONTROLS: Final = [
    code for code in (*range(0x01, 0x20), *range(0x7F, 0xA0)) if code not in (0x09, 0x0A, 0x0C, 0x0D, 0x85)
]
_BIDI_CONTROLS: Final = [0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
_FIRST: Final = 0x13000  # Egyptian hieroglyphs: printable, and unchanged by Unicode normalisation
_TO_PLACEHOLDER: Final = {code: _FIRST + index for index, code in enumerate((*_CONTROLS, *_BIDI_CONTROLS))}
_FROM_PLACEHOLDER: Final = {placeholder: code for code, placeholder in _TO_PLACEHOLDER.items()}
_INVISIBLE: Final = frozenset(map(chr, _TO_PLACEHOLDER))
_PLACEHOLDERS: Final = frozenset(map(chr, _FROM_PLACEHOLDER))


def insert_placeholders(root: HtmlElement) -> bool:
    """Replace the invisible characters in a tree's texts; whether ``remove_placeholders`` must follow.

    False for a page without such characters, and for one that uses the placeholder characters itself: there the
    invisible characters become U+FFFD, since lxml refuses to set a text with control characters.
    """
    whole = root.text_content()
    if _INVISIBLE.isdisjoint(whole):
        return False
    is_free = _PLACEHOLDERS.isdisjoint(whole)
    table = _TO_PLACEHOLDER if is_free else dict.fromkeys(_TO_PLACEHOLDER, 0xFFFD)
    for node in root.iter():
        if node.text:
            node.text = node.text.translate(table)
        if node.tail:
            node.tail = node.tail.translate(table)
    return is_free


def remove_placeholders(text: str) -> str:
    """A text with the invisible characters in place of their placeholders."""
    return text.translate(_FROM_PLACEHOLDER)
