"""Known keys and passwords, taken out of everything that is stored or shown; all other text stays byte for byte.

A server may repeat a key in an error, or in what its model is said to have written: whole, in part, or written in
another way. Code that reads a key or password from the environment or the settings registers it here. Storage (answers
of models, judgements, batch files) and error messages check here.
"""

import base64
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final, NamedTuple

MARK: Final = "[key]"
SHORTEST: Final = 8
"""Characters of a key; a shorter one (``none``, ``EMPTY``) is a placeholder for a server without keys."""
PART: Final = 12
"""Consecutive characters of a key that are taken out wherever they stand."""
_SHORT_PART: Final = 8
"""The same in the sentence of an error, where a whole run of signs goes with them."""
_LONGEST_KEY: Final = 4000

_LIKE_A_KEY: Final = re.compile(
    r"\b(?:sk|pk|rk|gsk|hf|xai|nvapi|AIza)[-_][\w*.-]{4,}"  # prefixes of known services
    r"|\bAIza[\w-]{20,}"
    r"|\b(?:Bearer|Basic)\s+[^\s\"',;]{4,}",
    re.IGNORECASE,
)
_RUN: Final = re.compile(r"[\w*+/=.~-]{8,}")
# Ways to write a sign: escapes of JSON (also doubled), URLs and HTML; and signs of no width, which stand for none.
_WRITTEN: Final = re.compile(
    r"\\+u00(?P<json>[2-7][0-9a-fA-F])|\\+(?P<self>[\"/])|%(?P<url>[2-7][0-9a-fA-F])|&#[xX]0*(?P<hex>[2-7][0-9a-fA-F]);?"
    r"|&#0*(?P<decimal>[3-9][0-9]|1[01][0-9]|12[0-6]);?|[\u00ad\u034f\u180e\u200b-\u200f\u2060-\u2064\ufe00-\ufe0f\ufeff]"
)

_known: set[str] = set()


def remember(*secrets: str) -> None:
    """Register keys and passwords for as long as this process lives; ``""`` and short words are ignored."""
    _known.update(secrets)


def _all(secrets: tuple[str, ...]) -> frozenset[str]:
    return frozenset(secret for secret in (*_known, *secrets) if len(secret) >= SHORTEST)


def without_keys(text: str, *secrets: str) -> str:
    """The text with every known key replaced: whole, its parts of 12 characters, and in simple encodings.

    Those are base64, hexadecimal, escapes of JSON, URLs and HTML, and signs of no width between its own. A text without
    any comes back as it is. ``secrets`` are looked for, too, and stay unknown.
    """
    known = _all(secrets)
    if not known or not text:
        return text
    forms = _forms(known)
    found = sorted({*_found(text, forms), *_found_as_written(text, forms)})
    pieces: list[str] = []
    at = 0
    for start, end in found:
        if end <= at:
            continue
        pieces += [text[at:start], MARK] if start > at or not pieces else []
        at = end
    return "".join(pieces) + text[at:] if pieces else text


def row_without_keys(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row to store, each of its texts as :func:`without_keys` gives it."""
    return {name: without_keys(value) if isinstance(value, str) else value for name, value in row.items()}


def redact(text: str, *secrets: str) -> str:
    """The sentence of an error: as :func:`without_keys`, also parts of 8 characters, and what looks like any key."""
    text = without_keys(text, *secrets)
    parts = {secret[at : at + _SHORT_PART] for secret in _all(secrets) for at in range(len(secret) - _SHORT_PART + 1)}
    if parts:
        text = _RUN.sub(lambda run: MARK if any(part in run[0] for part in parts) else run[0], text)
    return _LIKE_A_KEY.sub(MARK, text)


class _KeyForm(NamedTuple):
    """One way to write a key: ``least`` characters of it in a row are taken out.

    Any ``least`` characters in a row hold one of the blocks whole, so that only blocks must be looked for.
    """

    text: str
    least: int
    blocks: Mapping[str, tuple[int, ...]]
    """By block: where it stands in the text."""


@cache
def _forms(secrets: frozenset[str]) -> tuple[_KeyForm, ...]:
    made: dict[str, int] = {}
    for secret in secrets:
        secret = secret[:_LONGEST_KEY]
        made[secret] = min(PART, len(secret))
        data = secret.encode("utf-8", "surrogatepass")
        for text in (data.hex(), data.hex().upper()):
            made.setdefault(text, 2 * min(PART, len(data)))
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            for shift in range(3):  # the place of the key in what was encoded, of which it may be a part
                whole = encode(bytes(shift) + data).decode()
                text = whole[-(-shift * 8 // 6) : (shift + len(data)) * 8 // 6]
                made.setdefault(text, min(PART * 4 // 3, len(text)))
    return tuple(_form(text, least) for text, least in made.items())


def _form(text: str, least: int) -> _KeyForm:
    size = (least + 1) // 2
    blocks: dict[str, tuple[int, ...]] = {}
    for at in range(0, len(text) - size + 1, size):
        block = text[at : at + size]
        blocks[block] = (*blocks.get(block, ()), at)
    return _KeyForm(text, least, blocks)


def _found(text: str, forms: tuple[_KeyForm, ...]) -> Iterator[tuple[int, int]]:
    """Where parts of keys stand: (start, end)."""
    for form in forms:
        for block, places in form.blocks.items():
            at = text.find(block)
            while at >= 0:
                for place in places:
                    start, end = _extended(text, at, form.text, place, len(block))
                    if end - start >= form.least:
                        yield start, end
                at = text.find(block, at + 1)


def _extended(text: str, at: int, key: str, place: int, size: int) -> tuple[int, int]:
    """As far as text and key agree to both sides of a block."""
    before = after = 0
    while before < min(at, place) and text[at - before - 1] == key[place - before - 1]:
        before += 1
    most = min(len(text) - at, len(key) - place)
    while size + after < most and text[at + size + after] == key[place + size + after]:
        after += 1
    return at - before, at + size + after


def _found_as_written(text: str, forms: tuple[_KeyForm, ...]) -> Iterator[tuple[int, int]]:
    """The same in the text with its escapes resolved and signs of no width left out, as places of the text itself."""
    pieces: list[str] = []
    read: list[int] = []  # where a piece begins in what is read, and from where to where it stands in the text
    stands: list[tuple[int, int]] = []
    length = at = 0
    for written in _WRITTEN.finditer(text):
        code = written["json"] or written["url"] or written["hex"]
        sign = chr(int(code, 16)) if code else chr(int(written["decimal"])) if written["decimal"] else written["self"]
        for piece, place in ((text[at : written.start()], (at, written.start())), (sign or "", written.span())):
            if piece:
                read.append(length)
                stands.append(place)
                pieces.append(piece)
                length += len(piece)
        at = written.end()
    if not at:
        return
    read.append(length)
    stands.append((at, len(text)))
    pieces.append(text[at:])
    for start, end in _found("".join(pieces), forms):
        first, last = bisect_right(read, start) - 1, bisect_right(read, end - 1) - 1
        begin = stands[first][0] + (start - read[first] if len(pieces[first]) > 1 else 0)
        stop = stands[last][0] + end - read[last] if len(pieces[last]) > 1 else stands[last][1]
        yield begin, stop
