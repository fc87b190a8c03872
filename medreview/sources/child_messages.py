"""Messages to and from the child process that reads pages: a fetched answer's page, a PDF page read by OCR."""

from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any

from medreview.children.child import BadMessageError
from medreview.labels import PAGE_STATES
from medreview.sources.fetching.network import Fetched
from medreview.sources.page import Page, read_page
from medreview.sources.reading.ocr import PicturePage, read_picture
from medreview.sources.reading.text_structure import Heading, SetApart


def job(fetched: Fetched) -> dict[str, Any]:
    """What asks for a page; its body goes after it."""
    head = asdict(replace(fetched, body=b""))
    del head["body"]
    return {"fetched": head}


def answer_page(wanted: dict[str, Any], body: bytes) -> Iterator[dict[str, Any]]:
    """What a child answers to it."""
    head = wanted["fetched"]
    yield answer(read_page(Fetched(**{**head, "chain": tuple(head["chain"]), "body": body})))


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


def answer_picture(wanted: dict[str, Any], body: bytes) -> Iterator[dict[str, Any]]:
    """What a child answers to it."""
    page = read_picture(body, wanted["picture"])
    yield {"picture": page._asdict() if page else None}


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
