"""Reading pages in child processes, at most :data:`MOST_CHILDREN` at once, and scanned pages one after the other."""

import asyncio
import os
from importlib.util import find_spec
from typing import Final

from medreview.children.asking import NotReadError, ReadingLimits, ask
from medreview.errors import UserError
from medreview.event_loop import run_to_end
from medreview.sources.child_messages import job, page_of, picture_job, picture_of
from medreview.sources.fetching.network import Fetched
from medreview.sources.page import Page, read_page
from medreview.sources.reading.ocr import PicturePage

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
        whose evidence says why. Raises :class:`~medreview.errors.UserError` when no child can be started. Cancelled, it
        ends the child.
        """
        if not fetched.body:
            return read_page(fetched)
        async with self._slots:
            try:
                return await ask("pages", job(fetched), fetched.body, self._limits, page_of)
            except NotReadError as error:
                return _unreadable(fetched, str(error))


def read_in_child(fetched: Fetched) -> Page:
    """One page, as :meth:`PageReader.read` reads it, from ordinary code."""
    return read_page(fetched) if not fetched.body else run_to_end(PageReader().read(fetched))


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
