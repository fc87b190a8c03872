"""Waiting until a Textual application has nothing left to do, however slow the machine is."""

from asyncio import sleep
from collections.abc import Callable
from time import monotonic
from typing import Any

from textual.app import App
from textual.pilot import Pilot

PATIENCE = 60.0
"""Seconds after which an application is taken never to come to rest."""


async def pause(pilot: Pilot[Any], delay: float | None = None) -> None:
    """What ``Pilot.pause`` does in the tests: wait until every message is handled and the top screen is drawn.

    Textual's own looks at the processor time, and so takes a process that was given none for an idle one.
    """
    if delay:
        await sleep(delay)
    end, rested = monotonic() + PATIENCE, 0
    while rested < 2 and not _has_ended(pilot.app):
        assert monotonic() < end, f"the application does not come to rest: {_unfinished(pilot.app)}"
        await pilot._wait_for_screen()  # until what was sent by now is handled
        await sleep(0)
        if not _has_ended(pilot.app):
            pilot.app.screen._on_timer_update()  # what Textual does sixty times a second: lay out and draw
            rested = 0 if _unfinished(pilot.app) else rested + 1


async def until(pilot: Pilot[Any], there: Callable[[], bool]) -> None:
    """Wait until something is there that comes by itself a moment later."""
    end = monotonic() + PATIENCE
    while not there():
        assert monotonic() < end, "what was waited for never came"
        await pilot.pause(0.03)  # a thread that brings it needs the processor, too


def _has_ended(app: App[Any]) -> bool:
    return app._exit or not app._running or not app.screen_stack or app._exception_event.is_set()


def _unfinished(app: App[Any]) -> list[str]:
    """What is left to do, in words for the one who waits in vain."""
    screen = app.screen
    widgets = [app, *screen.walk_children(with_self=True)]
    found = [f"{widget} has messages" for widget in widgets if widget.message_queue_size or widget._next_callbacks]
    found += [f"{widget} is not mounted" for widget in widgets if not widget._mounted_event.is_set()]
    if screen._compositor.size != app.size or screen._compositor.root is None:
        found.append(f"{screen} is not laid out")
    if screen._layout_required or screen._repaint_required or screen._dirty_widgets or app._batch_count:
        found.append(f"{screen} is not drawn")
    return found
