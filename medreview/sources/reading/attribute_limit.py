"""A limit on the attributes of a tag, applied before a page is parsed, against denial of service.

The parser compares each attribute of a tag with all its others (quadratic time): half a megabyte of attributes would
take it seconds, and fifteen megabytes an hour, which nothing could interrupt.
"""

import re
from typing import Final

MOST_ATTRIBUTES: Final = 200
LEAST_LENGTH: Final = 50_000
"""Characters; a shorter page parses fast, whatever it holds."""

_TAG: Final = re.compile(r"<(?:(!--)|(script|style)\b|[a-z])", re.IGNORECASE)
_NAME: Final = re.compile(r"[^\s/>]*+")
_ATTRIBUTE: Final = re.compile(
    r"[\s/]*+(?:[^\s/>=][^\s/>=]*+(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s>]*+))?+|=)",
)
_END_OF_CODE: Final = re.compile(r"</(?:script|style)", re.IGNORECASE)


def limit_attributes(markup: str) -> str:
    """The markup with at most :data:`MOST_ATTRIBUTES` attributes in each tag, the rest removed; takes linear time."""
    if len(markup) < LEAST_LENGTH:
        return markup
    pieces: list[str] = []
    kept = at = 0
    while tag := _TAG.search(markup, at):
        if tag[1]:
            at = markup.find("-->", tag.end())
            if at < 0:
                break
            continue
        name = _NAME.match(markup, tag.start() + 1)
        at = name.end() if name else tag.end()
        count = cut = 0
        while attribute := _ATTRIBUTE.match(markup, at):
            at = attribute.end()
            count += 1
            if count == MOST_ATTRIBUTES:
                cut = at
        if count > MOST_ATTRIBUTES:
            pieces.append(markup[kept:cut])
            kept = at
        if tag[2]:
            end = _END_OF_CODE.search(markup, at)
            if end is None:
                break
            at = end.end()
    pieces.append(markup[kept:])
    return "".join(pieces)
