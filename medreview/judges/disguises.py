"""Texts that a page holds in a form that readers do not read and models do: codes, other letters, letters apart.

Every function gives decoded text; whether it is an instruction is for others to say. All are linear in the text.
"""

import base64
import binascii
import codecs
import html
import re
import unicodedata
from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import Final

_MOST: Final = 200
"""Codes of one kind that are decoded in one text."""
_READABLE: Final = 0.9
_TAGS: Final = re.compile("[\U000e0020-\U000e007e]+")
_TAG_BASE: Final = 0xE0000
_FLAG: Final = "\U0001f3f4"
_LEAST_HIDDEN: Final = 4
_SELECTORS: Final = re.compile("[\U000e0100-\U000e01ef]{8,}")
_SELECTOR_BASE: Final = 0xE0100 - 16
_INVISIBLE: Final = re.compile("[\u200b-\u200f\u2060-\u2064\ufeff]{24,}")
_BASE64: Final = re.compile(r"(?<![\w+/=-])[A-Za-z0-9+/_-]{20,}(?:\n[A-Za-z0-9+/_-]{20,}){0,40}={0,2}(?![\w+/])")
_HEX: Final = re.compile(r"(?<!\w)(?:(?:0x|\\x|%|\\u00)?[0-9A-Fa-f]{2}[ :,;]?){12,}(?!\w)")
_HEX_PAIR: Final = re.compile(r"(?:0x|\\x|%|\\u00)?([0-9A-Fa-f]{2})[ :,;]?")
_BINARY: Final = re.compile(r"(?<!\w)(?:[01]{8}[ ,;]?){12,}(?!\w)")
_DECIMAL: Final = re.compile(r"(?<![\w.])(?:&?#?(?:3[2-9]|[4-9]\d|1[01]\d|12[0-6])[ ,;]{1,2}){12,}")
_NESTED: Final = 3
"""Codes inside of codes that are decoded."""
_BROKEN: Final = re.compile(r" ?\n ?(?:[\u2022*\u2013|-] ?|\d{1,2}[.)] )?(?=[a-z])")
"""A line's end within a sentence, and the mark of a list's item after it."""
_ENTITIES: Final = re.compile(r"&(?:#\d{2,6}|#x[0-9A-Fa-f]{2,5}|[a-zA-Z]{2,8});")
_APART: Final = re.compile(r"(?<!\w)[^\W_](?:[ .\-_*\u00b7|~]{1,3}[^\W_](?!\w)){7,}")
_LEET: Final = str.maketrans("013457@$!|", "oieastasii")
_LEET_L: Final = str.maketrans("013457@$!|", "oleastasll")
_LEET_WORD: Final = re.compile(r"(?=[A-Za-z]*[013457@$!|])[A-Za-z013457@$!|]{2,40}")
_WORD: Final = re.compile(r"[^\W\d_]{2,}")
# Homoglyphs: letters of other alphabets that look Latin, used to evade a search for words.
_LOOKALIKES: Final = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0455\u0458\u04bb\u0501\u03bf\u03b1\u03b9\u03bd"
    "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u0406\u0405\u0408\u04cf\u051b\u051d"
    "\u03ba\u03c1\u03c4\u03c5\u03c7\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4"
    "\u03a5\u03a7\u0585\u057d\u0578\u0570\u056b\u0566\u0261\u0131\u0269\u026a\u1d0f\u1d1c\u1d20\u1d21\u1d22",
    "aeopcyxisjhdoaivABEKMHOPCTXISJlqwkptuxABEZHIKMNOPTYXosuhiqgiiiouvwz",
)


def unseen(text: str) -> Iterator[str]:
    """Text in characters that nobody sees: tags, variation selectors, long runs of zero-width characters."""
    if text.isascii():
        return
    for run in _TAGS.finditer(text):
        if text[run.start() - 1 : run.start()] != _FLAG and len(run[0]) >= _LEAST_HIDDEN:
            yield "".join(chr(ord(char) - _TAG_BASE) for char in run[0])
    for run in _SELECTORS.finditer(text):
        yield bytes(ord(char) - _SELECTOR_BASE for char in run[0]).decode("utf-8", "replace")
    for run in _INVISIBLE.finditer(text):
        yield f"{len(run[0])} invisible characters"


def plain(text: str) -> str:
    """The text in compatibility form without format characters, its white space collapsed."""
    if not text.isascii():
        formats = [char for char in set(text) if unicodedata.category(char) == "Cf"]
        text = unicodedata.normalize("NFKC", text.translate(dict.fromkeys(map(ord, formats))) if formats else text)
    return re.sub(r"\s+", lambda run: "\n" if "\n" in run[0] else " ", text)


def encoded(text: str, depth: int = _NESTED) -> Iterator[str]:
    """Readable text in base64 or in hexadecimal, binary or decimal numbers, also of such a code (a sequence of bases,
    an identifier give none)."""
    for pattern, decode in _CODES:
        for match in islice(pattern.finditer(text), _MOST):
            data = decode(match[0])
            yield from _readable(data)
            if depth > 1 and data.isascii():
                yield from encoded(data.decode("ascii"), depth - 1)


def unbroken(text: str) -> str:
    """The text with the sentences in one line that lists, cells or elements break."""
    return _BROKEN.sub(" ", text)


def _from_hex(code: str) -> bytes:
    return bytes(int(pair, 16) for pair in _HEX_PAIR.findall(code))


def _from_numbers(code: str, base: int) -> bytes:
    return bytes(int(number, base) for number in re.findall(r"\d+", code))


def _from_base64(code: str) -> bytes:
    letters = re.sub(r"\s", "", code).rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(letters + "=" * (-len(letters) % 4), validate=True)
    except (binascii.Error, ValueError):
        return b""


_CODES: Final = (
    (_BASE64, _from_base64),
    (_HEX, _from_hex),
    (_BINARY, partial(_from_numbers, base=2)),
    (_DECIMAL, partial(_from_numbers, base=10)),
)


def _readable(data: bytes) -> Iterator[str]:
    """The text of some bytes, if they are one: words apart by blanks, nearly no control characters."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return
    letters = sum(char.isprintable() or char.isspace() for char in text)
    if text and letters >= _READABLE * len(text) and len(_WORD.findall(text)) >= 3 and " " in text:
        yield text


def spellings(text: str) -> Iterator[str]:
    """A plain text as it reads in other letters: look-alikes, character references, digits for letters, rot13,
    backwards."""
    if not text.isascii():
        latin = text.translate(_LOOKALIKES)
        if latin != text:
            yield latin
    if _ENTITIES.search(text):
        yield plain(html.unescape(html.unescape(text)))
    for table in (_LEET, _LEET_L):
        yield _LEET_WORD.sub(lambda match, table=table: _unleet(match[0], table), text)  # type: ignore[misc]
    yield codecs.encode(text, "rot13")
    yield text[::-1]


def _unleet(word: str, table: dict[int, str]) -> str:
    has_letters = word.lower() != word.upper()
    return word.translate(table) if has_letters and not word.isalpha() else word


def letters_apart(text: str) -> Iterator[str]:
    """Words whose letters stand apart (``s u p p o r t e d``), written together, without the borders of words."""
    for match in _APART.finditer(text):
        yield "".join(char for char in match[0] if char.isalnum())
