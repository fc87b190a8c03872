"""Opening a review: who reviews, which queue, in the workbench or as line prompts, with a copy made on the way."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from medreview.cli.current_verdicts import current_verdicts
from medreview.cli.output import say
from medreview.errors import UserError

if TYPE_CHECKING:
    from medreview.review.queue import Queue
    from medreview.study import Study


def open_review(
    study: "Study",
    reviewer: str | None,
    queue: str | None,
    filter: str,
    blind: bool,
    *,
    first: str | None = None,
    plain: bool = False,
    goal: str | None = None,
) -> None:
    """Open a study for review: the queue asked for, else the first screen.

    That begins with where the reviewer left off; ``first`` is the queue to open at once the first time. Line mode has
    no such screen: it goes on where the reviewer left off, or in triage.
    """
    from dataclasses import replace

    from medreview.config import load_config
    from medreview.review.audit import begin
    from medreview.review.goal import read_goal

    config = load_config()
    if reviewer:
        config = replace(config, reviewer=reviewer)
    if goal is not None:
        config = replace(config, goal=goal)
    read_goal(config.goal)  # before anything is opened
    current_verdicts(study)
    begin(study, config.reviewer)
    opened = _queue(study, config.reviewer, queue, filter, blind, first, plain)
    with _meanwhile(study, reviewer or "") as begin_copy:
        if plain and opened is not None:
            from medreview.cli.plain import review_plain
            from medreview.review.goal import sitting_goal
            from medreview.review.open_session import open_session

            begin_copy()
            aim = sitting_goal(config.goal)
            review_plain(open_session(study, config.reviewer, opened, reveal=config.reveal, goal=aim))
        else:
            from medreview.screens.running import run

            notice = "" if study.writable else "read-only: decisions cannot be saved"
            if parting := run(study, config, queue=opened, notice=notice, once_shown=begin_copy):
                say(parting)


def _queue(
    study: "Study", reviewer: str, name: str | None, filter: str, blind: bool, first: str | None, plain: bool
) -> "Queue | None":
    """The queue to open at once; ``None`` for the first screen."""
    from medreview.review.queue import open_queue

    if name or filter or blind:
        name = name or ("responses" if blind else "flagged")
        found = open_queue(study, name, reviewer, filter=filter, blind=blind or None)
        if not found.units:
            raise UserError(found.nothing)
        return found
    if not plain and first is None:  # the first screen finds by itself where that was
        return None
    from medreview.review.last_place import last_place

    place = last_place(study, reviewer)
    if place is not None:
        return place.queue if plain else None
    name = first or (_first_queue(study) if plain else None)
    return open_queue(study, name, reviewer) if name else None


def _first_queue(study: "Study") -> str:
    """Triage; in a study without statements, the queue of the first kind of unit that it has."""
    from medreview.study.counts import count_statements
    from medreview.units.registry import KINDS, kinds_in

    others = [] if count_statements(study.reader) else list(kinds_in(study.reader))
    return KINDS[others[0]].queue_name if others else "flagged"


@contextmanager
def _meanwhile(study: "Study", named: str) -> Iterator[Callable[[], None]]:
    """What begins to copy the study while the workbench is already in use, and notes that it was opened: nobody waits
    for a large file to be copied. ``named``: the reviewer, if the command line names one."""
    failed: list[str] = []
    title = study.meta("title")

    def copy() -> None:
        from medreview.study.backup import backup_if_changed
        from medreview.study.recent_list import note_opened

        note_opened(study.path, title, named)
        try:
            backup_if_changed(study.path)
        except UserError as error:
            failed.append(str(error))

    thread = threading.Thread(target=copy, name="study-backup")

    def begin() -> None:
        if study.writable and thread.ident is None:
            thread.start()

    try:
        yield begin
    finally:
        begin()  # of a workbench that never came to be shown
        if study.writable:
            thread.join()
        for sentence in failed:
            say(sentence)
