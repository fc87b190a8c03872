"""What goes between the reader and a child: frames of JSON, never a pickle, for the child has read hostile input.

A job is a frame with the fetched answer and the limits, and its body after it. An answer is one frame: the page, or
``failed`` with what ended the reading.
"""

import json
from dataclasses import asdict, replace
from typing import Any, Final

from medreview.labels import PAGE_STATES
from medreview.sources.fetching.fetched import Fetched
from medreview.sources.page import Page
from medreview.sources.reading.outline import Heading
from medreview.sources.reading.set_apart import SetApart

LENGTH: Final = 8
"""Bytes before a frame that say how long it is, the highest first."""
LONGEST_FRAME: Final = 64_000_000
"""Bytes of an answer above which it is not taken: two texts of two million characters and their headings are fewer."""


class BadMessageError(Exception):
    """A frame is not what was agreed on."""


def framed(message: dict[str, Any]) -> bytes:
    """A message as a frame."""
    data = json.dumps(message).encode("ascii")
    return len(data).to_bytes(LENGTH, "big") + data


def length_of(head: bytes) -> int:
    """The length of the frame that follows. Raises :class:`BadMessageError` for one that is too long."""
    length = int.from_bytes(head, "big")
    if length > LONGEST_FRAME:
        raise BadMessageError(f"a frame of {length} bytes")
    return length


def message_in(data: bytes) -> dict[str, Any]:
    """The message of a frame. Raises :class:`BadMessageError`."""
    try:
        message = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise BadMessageError("no JSON") from error
    if not isinstance(message, dict):
        raise BadMessageError("no object")
    return message


def job(fetched: Fetched, *, memory: int, cpu_seconds: int) -> bytes:
    """The frame that asks for a page; the body goes after it."""
    head = asdict(replace(fetched, body=b""))
    del head["body"]
    return framed({"fetched": head, "size": len(fetched.body), "memory": memory, "cpu_seconds": cpu_seconds})


def fetched_of(message: dict[str, Any], body: bytes) -> Fetched:
    """The fetched answer of a job."""
    head = message["fetched"]
    return Fetched(**{**head, "chain": tuple(head["chain"]), "body": body})


def answer(page: Page) -> dict[str, Any]:
    """A page as a message."""
    return {"page": asdict(page)}


def page_of(message: dict[str, Any]) -> Page:
    """The page of an answer. Raises :class:`BadMessageError` for anything that is not one."""
    try:
        fields = dict(message["page"])
        outline = tuple(Heading(**heading) for heading in fields.pop("outline"))
        set_apart = tuple(SetApart(*part) for part in fields.pop("set_apart"))
        page = Page(
            **fields | {"page_starts": tuple(fields["page_starts"]), "outline": outline, "set_apart": set_apart}
        )
    except (KeyError, TypeError, ValueError) as error:
        raise BadMessageError("no page") from error
    texts = [page.title, page.text, page.full_text, page.state, page.evidence, page.extractor]
    numbers = [*page.page_starts, *(place for one in page.outline for place in (one.start, one.end, one.level))]
    texts += [part.kind for part in page.set_apart]
    numbers += [place for part in page.set_apart for place in (part.start, part.end)]
    if not all(type(text) is str for text in texts) or not all(type(number) is int for number in numbers):
        raise BadMessageError("a field of another type")
    if page.state not in PAGE_STATES:
        raise BadMessageError("an unknown state")
    return page
