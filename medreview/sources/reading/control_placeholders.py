"""Keep a page's hidden characters through libraries that would drop them without a word.

Control and direction characters in a page are what the reviewer should see (as marks): trafilatura strips them, and the
text would look clean. While a page is read, printable characters of a script that no health page uses stand in.
"""

from typing import Final

from lxml.html import HtmlElement

_CONTROLS: Final = [
    code for code in (*range(0x01, 0x20), *range(0x7F, 0xA0)) if code not in (0x09, 0x0A, 0x0C, 0x0D, 0x85)
]
_DIRECTIONS: Final = [0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
_FIRST: Final = 0x13000  # Egyptian hieroglyphs: printable, and untouched by normalisation
_TO: Final = {code: _FIRST + place for place, code in enumerate((*_CONTROLS, *_DIRECTIONS))}
_BACK: Final = {stand_in: code for code, stand_in in _TO.items()}
_HIDDEN: Final = frozenset(map(chr, _TO))
_STAND_INS: Final = frozenset(map(chr, _BACK))


def put_in(root: HtmlElement) -> bool:
    """Replace the hidden characters in a tree's texts; whether there were any, and ``taken_out`` is to follow.

    False also for a page that uses the stand-ins themselves: there the hidden characters become U+FFFD, since lxml
    takes no text back that has control characters in it.
    """
    whole = root.text_content()
    if _HIDDEN.isdisjoint(whole):
        return False
    is_free = _STAND_INS.isdisjoint(whole)
    table = _TO if is_free else dict.fromkeys(_TO, 0xFFFD)
    for node in root.iter():
        if node.text:
            node.text = node.text.translate(table)
        if node.tail:
            node.tail = node.tail.translate(table)
    return is_free


def taken_out(text: str) -> str:
    """A text with the hidden characters back in their places."""
    return text.translate(_BACK)
