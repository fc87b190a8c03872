"""Tags with thousands of attributes, cut short before a page is parsed.

The parser compares each attribute of a tag with all others of it: half a megabyte of them would take it seconds, and
fifteen megabytes an hour, which nothing could interrupt.
"""

import re
from typing import Final

MOST_ATTRIBUTES: Final = 200
LEAST_LENGTH: Final = 50_000
"""A shorter page costs little, however it is made."""

_TAG: Final = re.compile(r"<(?:(!--)|(script|style)\b|[a-z])", re.IGNORECASE)
_NAME: Final = re.compile(r"[^\s/>]*+")
_ATTRIBUTE: Final = re.compile(
    r"[\s/]*+(?:[^\s/>=][^\s/>=]*+(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s>]*+))?+|=)",
)
_END_OF_CODE: Final = re.compile(r"</(?:script|style)", re.IGNORECASE)


def without_stuffed_tags(markup: str) -> str:
    """A page in which no tag has more attributes than a page for reading could need; takes time in step with it."""
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
