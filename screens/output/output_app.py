"""A Textual application that sends the terminal only the cells that changed."""

import asyncio
from typing import Any, Final

from rich.console import COLOR_SYSTEMS, RenderableType
from textual._ansi_sequences import SYNC_END, SYNC_START
from textual.app import App
from textual.screen import Screen
from textual.timer import Timer, TimerCallback

from medreview.screens.output.cells import Cells
from medreview.screens.output.differ import Differ, place
from medreview.screens.output.pacing import Answered, Pace

_AT_ONCE: Final = 1200
"""Bytes that arrive together on any link, in one packet: with so few, nothing is seen between."""


class OutputApp(App[None], inherit_bindings=False):
    """Textual writes whole rows where anything on them changed, two to three times the bytes of what did.

    ``App._display``, which this overrides, is where Textual turns an update of the screen into bytes. What Textual
    takes for changed does not count: the whole screen is compared with what was sent. A terminal of Textual's own, and
    ``only_changes=False``, are left to it.
    """

    def __init__(self, *, only_changes: bool, erases_in_colour: bool, **options: Any) -> None:
        super().__init__(**options)
        self._only_changes = only_changes
        self._differ = Differ(erases_in_colour)
        self._cells: Cells | None = None
        self._cursor = self.cursor_position
        self._held: asyncio.TimerHandle | None = None
        self.pace = Pace()
        """Known to the driver as well, whose thread reads what the terminal answers."""

    def forget_screen(self) -> None:
        """What stands on the terminal is not known any more: all of it is sent next time."""
        self._differ.forget()
        self.pace.look_again()

    def redraw(self) -> None:
        """Send everything, as something else may stand on the terminal: what another program wrote."""
        self.forget_screen()
        self.screen.refresh()

    def send_pending(self) -> None:
        """Send what is wanted and does not stand on the terminal yet, in one write; nothing if all of it does.

        Held while the terminal is behind: what is wanted by then is sent when it has answered.
        """
        driver, cells = self._driver, self._cells
        if driver is None or cells is None or not self.is_running or self._closed or self._batch_count:
            return
        if self.size != (cells.width, cells.height):  # the next frame is one of another size
            return
        changes = self._differ.difference(cells.rows)
        if not changes and self.cursor_position == self._cursor:
            return
        size = len(changes.encode())
        if not self.pace.may_send(size):
            self._held = self._held or asyncio.get_running_loop().call_later(self.pace.patience, self._send_held)
            return
        changes += self.pace.sending(size)
        if self.cursor_position:  # where what is typed goes, for input methods and screen readers
            x, y = self.cursor_position
            changes += place(min(y, cells.height - 1), min(x, cells.width - 1))
        if self._sync_available and len(changes) > _AT_ONCE:
            changes = f"{SYNC_START}{changes}{SYNC_END}"
        driver.write(changes)
        driver.flush()
        self._differ.sent(cells.rows)
        self._cursor = self.cursor_position

    def on_answered(self, _message: Answered) -> None:
        """What was held behind the last frame is next."""
        if self._held is not None:
            self._held.cancel()
            self._send_held()

    def set_timer(self, delay: float, callback: TimerCallback | None = None, **options: Any) -> Timer:
        """A timer that fires also where the machine is busy.

        Textual's own never does once the process got no time while the timer started. Of a timer that waits for a
        terminal to have its last size, all later sizes are lost as well.
        """
        timer = super().set_timer(delay, callback, **options)
        timer._skip = False
        return timer

    def on_resize(self) -> None:
        """A terminal may lay out anew what it shows. Also comes when the workbench goes on after it was stopped."""
        self.forget_screen()
        self.send_pending()

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        if not self._only_changes or self.is_headless or self._driver is None or self._driver.is_inline:
            super()._display(screen, renderable)
            return
        try:
            size, cells = screen._compositor.size, self._cells
            if cells is None or (cells.width, cells.height) != size:
                cells = self._cells = Cells(*size, COLOR_SYSTEMS[self.console.color_system or "truecolor"])
                self.forget_screen()
            cells.show(screen._compositor.render_full_update().strips)
            self.send_pending()
        except Exception as error:
            self._handle_exception(error)
        finally:
            self.post_display_hook()

    def _send_held(self) -> None:
        self._held = None
        self.send_pending()
