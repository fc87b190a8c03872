"""What goes between the reader and a child: frames of JSON, never a pickle, for the child has read hostile input.

A job is a frame that says what is wanted, and the limits, and the body after it: the page of a fetched answer, or one
page of a PDF read from its picture. An answer is one frame: what was wanted, or ``failed`` with what ended the reading.
"""

import json
from dataclasses import asdict, replace
from typing import Any, Final

from medreview.labels import PAGE_STATES
from medreview.sources.fetching.fetched import Fetched
from medreview.sources.page import Page
from medreview.sources.reading.outline import Heading
from medreview.sources.reading.pdf_picture import PicturePage
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


def job(fetched: Fetched) -> dict[str, Any]:
    """What asks for a page; its body goes after it."""
    head = asdict(replace(fetched, body=b""))
    del head["body"]
    return {"fetched": head}


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


def picture_job(number: int) -> dict[str, Any]:
    """What asks for a page of a PDF, by its index, to be read from its picture; the body goes after it."""
    return {"picture": number}


def picture_answer(page: PicturePage | None) -> dict[str, Any]:
    """What was read from a picture as a message."""
    return {"picture": page._asdict() if page else None}


def picture_of(message: dict[str, Any]) -> PicturePage | None:
    """The page of an answer, ``None`` where there was nothing to read.

    Raises :class:`BadMessageError` for anything that is not one.
    """
    try:
        fields = message["picture"]
        if fields is None:
            return None
        page = PicturePage(**{**fields, "doubtful": [(start, end, sure) for start, end, sure in fields["doubtful"]]})
        size = len(page.text)
        fits = (
            type(page.text) is str
            and _is_share(page.confidence)
            and type(page.unread) is int
            and all(_is_word(word, size) for word in page.doubtful)
        )
    except (KeyError, TypeError, ValueError) as error:
        raise BadMessageError("no page") from error
    if not fits:
        raise BadMessageError("a field of another type, or a place outside the text")
    return page


def _is_word(word: tuple[Any, Any, Any], size: int) -> bool:
    start, end, sure = word
    return type(start) is type(end) is int and 0 <= start < end <= size and _is_share(sure)


def _is_share(number: Any) -> bool:
    return type(number) in (int, float) and 0 <= number <= 1
