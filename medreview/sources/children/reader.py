"""Reading pages in child processes, at most :data:`MOST_CHILDREN` at once."""

import asyncio
import os
from typing import Final

from medreview.children.asking import NotReadError, ReadingLimits, ask
from medreview.event_loop import run_to_end
from medreview.sources.children.messages import job, page_of
from medreview.sources.fetching.fetched import Fetched
from medreview.sources.page import Page, read_page

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
