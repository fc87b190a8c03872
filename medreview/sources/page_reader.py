"""Reading pages in child processes, at most :data:`MOST_CHILDREN` at once, and scanned pages one after the other."""

import asyncio
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from importlib.util import find_spec
from typing import Any, Final

from medreview.children.asking import NotReadError, ReadingLimits, ask
from medreview.children.child import BadMessageError
from medreview.errors import UserError
from medreview.event_loop import run_to_end
from medreview.labels import GIVEN_BY_REVIEWER, PAGE_STATES
from medreview.sources.fetching.network import Fetched
from medreview.sources.page import Page, read_page
from medreview.sources.reading.ocr import PicturePage, read_picture
from medreview.sources.reading.own_names import OwnName, OwnNames, own_names
from medreview.sources.reading.page_states import HOLDS_SOURCE
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


def answer_names(wanted: dict[str, Any], body: bytes) -> Iterator[dict[str, Any]]:
    """What a child answers to who asks what a saved file says that it is."""
    yield {"names": own_names(body)}


def names_of(message: dict[str, Any]) -> OwnNames:
    """The names of an answer. Raises :class:`BadMessageError` for anything that is not one."""
    try:
        names, titles, opening = message["names"]
        found = OwnNames(tuple(OwnName(*name) for name in names), tuple(titles), opening)
    except (KeyError, TypeError, ValueError) as error:
        raise BadMessageError("no names") from error
    texts = [*found.titles, found.opening, *(part for name in found.names for part in name)]
    if not all(type(text) is str for text in texts):
        raise BadMessageError("a field of another type")
    return found


def names_in_child(body: bytes) -> OwnNames:
    """What a saved file says that it is (``medreview.sources.reading.own_names``).

    Raises :class:`~medreview.children.asking.NotReadError` when it cannot be read within the limits.
    """
    return run_to_end(ask("names", {}, body, ReadingLimits(), names_of, "the file"))


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


MOST_CHILDREN: Final = min(4, os.cpu_count() or 1)
"""Pages that are read at the same time."""


class PageReader:
    """Reads pages in children, several at once; made for one stage, while the children are shared by all."""

    def __init__(self, limits: ReadingLimits | None = None) -> None:
        self._limits = limits or ReadingLimits()
        self._slots = asyncio.Semaphore(MOST_CHILDREN)

    async def read(self, fetched: Fetched) -> Page:
        """Text and state of a fetched page, as ``medreview.sources.page.read_page`` makes them.

        A body that cannot be read within the limits, or that ends the child, gives a page of the state ``unreadable``,
        whose evidence says why. One that a reviewer gave has the state of its body where this holds no text of a
        source: a scan, a bot check that was saved. Raises :class:`~medreview.errors.UserError` when no child can be
        started. Cancelled, it ends the child.
        """
        if fetched.state != GIVEN_BY_REVIEWER:
            return await self._read(fetched)
        page = await self._read(replace(fetched, state=None, detail=""))
        if page.state not in HOLDS_SOURCE or not page.text.strip():
            return page
        return replace(page, state=fetched.state, evidence=f"{fetched.detail} {page.evidence}".strip())

    async def _read(self, fetched: Fetched) -> Page:
        if not fetched.body:
            return read_page(fetched)
        async with self._slots:
            try:
                return await ask("pages", job(fetched), fetched.body, self._limits, page_of)
            except NotReadError as error:
                return _unreadable(fetched, str(error))


def read_in_children(fetched: Sequence[Fetched]) -> list[Page]:
    """Pages, as :meth:`PageReader.read` reads them, from ordinary code: several at once, and in this order."""

    async def read() -> list[Page]:
        return await asyncio.gather(*map(PageReader().read, fetched))

    return run_to_end(read())


def read_in_child(fetched: Fetched) -> Page:
    """One page of :func:`read_in_children`."""
    return read_in_children([fetched])[0]


def _unreadable(fetched: Fetched, why: str) -> Page:
    """A page without text; how fetching ended comes first, as with any other page."""
    return Page("", "", "", fetched.state or "unreadable", fetched.detail if fetched.state else why, "")


PICTURE_LIMITS: Final = ReadingLimits(
    memory=2_500_000_000, cpu_seconds=90, wall_seconds=300.0, largest_idle=1_200_000_000
)
"""Limits for one page: the engine holds 0.5 GB, and takes up to 2 GB of addresses and 4 to 10 seconds of processor
time over a page."""
NEEDED: Final = ("rapidocr", "onnxruntime")
"""What ``medreview[ocr]`` installs."""


def require_ocr() -> None:
    """Raise :class:`~medreview.errors.UserError` when ``medreview[ocr]`` is not installed."""
    if not all(map(find_spec, NEEDED)):
        raise UserError(
            "Scanned pages are read by medreview[ocr], which is not installed: pip install 'medreview[ocr]'."
        )


def picture_in_child(body: bytes, number: int, limits: ReadingLimits = PICTURE_LIMITS) -> PicturePage | None:
    """A page of a PDF by OCR, by its index; ``None`` where there is nothing to read: it has text, or is blank.

    Raises :class:`~medreview.children.asking.NotReadError` when it cannot be read within the limits.
    """
    return run_to_end(ask("pictures", picture_job(number), body, limits, picture_of))
