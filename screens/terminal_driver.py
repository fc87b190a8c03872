"""Textual's driver for the terminal, with an input thread that nothing from the terminal ends unseen."""

import os
import selectors
import termios
from contextlib import suppress
from typing import Any, Final

from textual.app import App
from textual.drivers.linux_driver import LinuxDriver
from textual.events import MouseEvent, Resize
from textual.geometry import Size
from textual.message import Message

from medreview.screens.input_reader import InputReader
from medreview.screens.output.last_screen import LAST_SCREEN
from medreview.screens.output.output_app import OutputApp
from medreview.screens.output.pacing import Answered, Pace

_READ: Final = 4096
_TICK_S: Final = 0.1
_ENTER: Final = "\x1b[?1049h"
"""What Textual writes to enter the alternate screen."""


class InputEnded(Message, bubble=False):
    """Nothing more can be read: the terminal is gone, or there was an error."""

    def __init__(self, error: Exception | None) -> None:
        super().__init__()
        self.error = error


class TerminalDriver(LinuxDriver):
    """Reads through :class:`InputReader`, and posts :class:`InputEnded` in place of dying in silence."""

    _entered = False

    def __init__(self, app: App[Any], **options: Any) -> None:
        super().__init__(app, **options)
        self._pace = app.pace if isinstance(app, OutputApp) else Pace()

    def stop_application_mode(self) -> None:
        """Give the terminal back, with no question open."""
        if self._key_thread is not None and self._key_thread.is_alive():
            self._pace.part()
        super().stop_application_mode()

    def start_application_mode(self) -> None:
        """Take the terminal, with the picture of the last screen on it where there is one."""
        before = LAST_SCREEN.take_over()
        self._entered = before is not None
        super().start_application_mode()  # type: ignore[no-untyped-call]
        self._entered = False
        if self.attrs_before is not None:
            self._write_unchanged()
        if before is not None:
            self.attrs_before = before

    def _write_unchanged(self) -> None:
        # Where the kernel looks for newlines to change, it hands a frame on in pieces: several packets over SSH. None
        # of our output counts on such changes. Textual puts back what it found.
        with suppress(termios.error):
            attributes = termios.tcgetattr(self.fileno)
            attributes[1] &= ~termios.OPOST
            termios.tcsetattr(self.fileno, termios.TCSANOW, attributes)

    def write(self, data: str) -> None:
        """Write to the terminal; the alternate screen is entered once, lest what was there before it be forgotten."""
        if not (self._entered and data == _ENTER):
            super().write(data)

    def _run_input_thread(self) -> None:
        try:
            self.run_input_thread()
        except OSError:
            self.process_message(InputEnded(None))
        except Exception as error:
            self.process_message(InputEnded(error))
        finally:
            self._pace.answered()  # nobody reads an answer any more

    def run_input_thread(self) -> None:
        """Read until the workbench leaves. At the end of the terminal's input it stops, as ``HangUp`` then acts."""
        reader = InputReader()
        with selectors.SelectSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                if selector.select(_TICK_S):
                    data = os.read(self.fileno, _READ)
                    if not data:
                        self.process_message(InputEnded(None))
                        return
                    for message in reader.feed(data):
                        self.process_message(message)
                for message in reader.tick():
                    self.process_message(message)

    def _sigcont_application(self, *_: object) -> None:
        # Continued without having been stopped, Textual would start a second thread for keys, and take the terminal as
        # it has set it for what is to be restored.
        if self._must_signal_resume:
            super()._sigcont_application()

    def process_message(self, message: Message) -> None:
        """Pass on what was read, but no report of a mouse that nobody asked for, and no size that the terminal has not:
        a screen as large as a stray sequence says would take all memory."""
        if isinstance(message, MouseEvent) and not self._mouse:
            return
        if isinstance(message, Resize):
            size = Size(*self._get_terminal_size())
            message = Resize(size, size)
        if isinstance(message, Answered):
            self._pace.answered()
        super().process_message(message)
