"""Limits on a page's markup, applied before it is parsed, against denial of service.

Time and memory follow the number of tags, not that of characters: every element becomes an object in several passes.
The parser also compares each attribute of a tag with all its others (quadratic time): half a megabyte of attributes
would take it seconds, and fifteen megabytes an hour, which nothing could interrupt.
"""

import re
from typing import Final

MOST_TAGS: Final = 250_000
"""Opening and closing tags of one page that are read. A guideline of 2 MB has some 100,000 of them."""
MOST_ATTRIBUTES: Final = 200
LEAST_LENGTH: Final = 50_000
"""Characters; a shorter page parses fast, whatever it holds."""

_TAG: Final = re.compile(r"<(?:(!--)|(script|style)\b|/?[a-z])", re.IGNORECASE)
_NAME: Final = re.compile(r"[^\s/>]*+")
_ATTRIBUTE: Final = re.compile(
    r"[\s/]*+(?:[^\s/>=][^\s/>=]*+(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s>]*+))?+|=)",
)
_END_OF_CODE: Final = re.compile(r"</(?:script|style)", re.IGNORECASE)


def limit_markup(markup: str, most_tags: int = MOST_TAGS) -> tuple[str, str]:
    """The markup up to its tag number ``most_tags``, with at most :data:`MOST_ATTRIBUTES` attributes in each tag;
    and a sentence that says so where it was cut, else ``""``. Takes linear time."""
    if len(markup) < LEAST_LENGTH:
        return markup, ""
    pieces: list[str] = []
    kept = at = tags = 0
    while tag := _TAG.search(markup, at):
        if tag[1]:
            at = markup.find("-->", tag.end())
            if at < 0:
                break
            continue
        tags += 1
        if tags > most_tags:
            share = 100 * tag.start() // len(markup)
            pieces.append(markup[kept : tag.start()])
            return "".join(pieces), f"Only the first {most_tags:,} tags of the page ({share}% of it) were read."
        name = _NAME.match(markup, tag.start() + 1)
        at = name.end() if name else tag.end()
        if markup.startswith(">", at):
            at += 1
        else:
            at, cut = _past_attributes(markup, at)
            if cut:
                pieces.append(markup[kept:cut])
                kept = at
        if tag[2]:
            end = _END_OF_CODE.search(markup, at)
            if end is None:
                break
            at = end.end()
    pieces.append(markup[kept:])
    return "".join(pieces), ""


def _past_attributes(markup: str, at: int) -> tuple[int, int]:
    """Where the attributes of a tag end, and where they are cut (0: not at all)."""
    count = cut = 0
    while attribute := _ATTRIBUTE.match(markup, at):
        at = attribute.end()
        count += 1
        if count == MOST_ATTRIBUTES:
            cut = at
    return at, cut if count > MOST_ATTRIBUTES else 0
