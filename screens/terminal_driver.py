"""Textual's driver for the terminal, and its input: whatever bytes come, the next key is still read."""

import os
import selectors
import termios
from codecs import getincrementaldecoder
from collections.abc import Generator, Iterable, Iterator
from contextlib import suppress
from typing import Any, Final

from textual._xterm_parser import BRACKETED_PASTE_END, BRACKETED_PASTE_START, XTermParser
from textual.app import App
from textual.drivers.linux_driver import LinuxDriver
from textual.events import CursorPosition, MouseEvent, Paste, Resize
from textual.geometry import Size
from textual.message import Message

from medreview.review.text_entry import MOST
from medreview.screens.last_screen import LAST_SCREEN
from medreview.screens.terminal_output import Answered, FramePace, OutputApp
from medreview.text import counted, lazy_pattern

_UNDECODABLE: Final = lazy_pattern("[\udc80-\udcff]")
"""The decoder's sign for a byte that is not UTF-8; valid UTF-8 never is that."""

_STOP: Final = "\x03"
_SHOWN: Final = str.maketrans({"\x1b": "\u241b", "\0": None})
_ANSWERS: Final = ("\x1b]", "\x1bP", "\x1b_", "\x1b^", "\x1bX", "\x1b[?", "\x1b[>", "\x1b[=")
"""How a terminal's reports on itself begin; no key does, but for Alt and the sign alone."""

_MODIFIERS: Final = 16
"""As many ways there are to hold Shift, Alt, Ctrl and Meta."""

_LONGEST_ANSWER: Final = 4096
_ANSWER_PATIENCE: Final = 10
"""Calls of :meth:`InputReader.tick` in a row after which an answer is over, whether its end came or not."""

_PATIENCE: Final = 20
"""Calls of :meth:`InputReader.tick` in a row (each a tenth of a second) after which a paste is called open."""


class NotRead(Message, bubble=False):
    """Input from the terminal that is neither a key nor text: bytes, broken sequences, or what ``words`` say."""

    def __init__(self, undecodable: int = 0, broken: int = 0, words: str = "") -> None:
        super().__init__()
        self.undecodable = undecodable
        self.broken = broken
        self.words = words


def not_read_words(undecodable: int, broken: int) -> str:
    """What to say of so many bytes that are not UTF-8, and so many sequences that cannot be read."""
    words = []
    if undecodable:
        told = "that is not UTF-8 was ignored" if undecodable == 1 else "that are not UTF-8 were ignored"
        words.append(f"{counted(undecodable, 'byte')} {told}: set the terminal to UTF-8")
    if broken:
        told = "that cannot be read was ignored" if broken == 1 else "that cannot be read were ignored"
        words.append(f"{counted(broken, 'key sequence')} {told}")
    return "; ".join(words)


class InputReader:
    """Feeds Textual's parser, and outlives what that cannot read.

    A byte that is not UTF-8 is left out; a character that comes in two reads is one. A sequence that ends the parser
    costs that sequence. Of a paste the first ``MOST`` characters and one are kept, with escape characters made visible:
    the parser would take what follows them for keys, a burst of verdicts. :class:`NotRead` reports what was left out.
    It would also report an answer to another program's question to the terminal: that is ignored. The cursor's position
    is asked for to pace the output: :class:`Answered`.
    """

    def __init__(self) -> None:
        self._decode = getincrementaldecoder("utf-8")("surrogateescape").decode
        self._parser = XTermParser()
        self._last = ""
        self._paste: str | None = None
        self._unsettled = ""
        self._answer = ""
        self._silent = 0
        self._paused = False
        self._broken = 0

    def feed(self, data: bytes) -> Iterator[Message]:
        """The events of what was read."""
        self._paused, self._silent = self._silent > 1, 0
        text, undecodable = _UNDECODABLE.subn("", self._decode(data))
        if text == _STOP and self._paste is not None:
            text = BRACKETED_PASTE_END
        while text:
            text = (yield from self._typed(text)) if self._paste is None else (yield from self._pasted(text))
        broken, self._broken = self._broken, 0
        if undecodable or broken:
            yield NotRead(undecodable, broken)

    def tick(self) -> Iterator[Message]:
        """The events of a tenth of a second without a byte: a lone Esc."""
        self._silent += 1
        begun, self._answer = self._answer, ""
        if begun in _ANSWERS and self._silent > 1:
            yield from self._parsed(event for sign in begun for event in self._parser.feed(sign))
        elif self._silent < _ANSWER_PATIENCE:
            self._answer = begun
        yield from self._parsed(self._parser.tick())
        if self._paste is not None and self._silent == _PATIENCE:
            yield NotRead(words="A paste has begun and not ended; Ctrl+C ends it.")

    def _typed(self, text: str) -> Generator[Message, None, str]:
        """Feed keys, up to the beginning of a paste; what is behind it."""
        for at, sign in enumerate(text, 1):
            if self._is_answer(sign):
                if self._answer.startswith("\x1b[?") and self._answer.endswith("$y"):  # what Textual asks for
                    told, self._answer = self._answer, ""
                    yield from self._parsed(event for one in told for event in self._parser.feed(one))
                elif self._is_over(sign):
                    self._answer = ""
                continue
            yield from self._parsed(self._parser.feed(sign))
            self._last = (self._last + sign)[-len(BRACKETED_PASTE_START) :]
            if self._last == BRACKETED_PASTE_START:
                self._paste = self._unsettled = ""
                return text[at:]
        return ""

    def _is_answer(self, sign: str) -> bool:
        """Whether a sign belongs to what the terminal says of itself, and not to a key; it is added to that."""
        paused, self._paused = self._paused, False
        if self._answer:
            ends = self._answer.endswith("\x1b")
            if sign == "\\" if ends else " " <= sign <= "~" or sign in "\x07\x1b":
                self._answer += sign
                return True
            self._last, self._answer = "\x1b" if ends else "", ""
            if ends:
                list(self._parsed(self._parser.feed("\x1b")))
        begun = next((it for it in _ANSWERS if (self._last + sign).endswith(it)), "")
        if not begun or paused:
            return False
        self._parser, self._last, self._answer = XTermParser(), "", begun
        return True

    def _is_over(self, sign: str) -> bool:
        if len(self._answer) > _LONGEST_ANSWER:
            return True
        if self._answer.startswith("\x1b["):
            return "@" <= sign <= "~"
        return self._answer.endswith(("\x07", "\x1b\\"))

    def _pasted(self, text: str) -> Generator[Message, None, str]:
        """Collect a paste, up to its end; what is behind it. The end may come in two reads."""
        words, end, rest = (self._unsettled + text).partition(BRACKETED_PASTE_END)
        settled = len(words) if end else len(words) - len(BRACKETED_PASTE_END) + 1
        kept = ((self._paste or "") + words[: max(0, settled)])[: MOST + 1]
        if not end:
            self._paste, self._unsettled = kept, words[max(0, settled) :]
            return ""
        self._paste, self._last = None, ""
        yield from self._parsed(self._parser.feed(BRACKETED_PASTE_END))
        yield Paste(kept.translate(_SHOWN))
        return rest

    def _parsed(self, events: Iterable[Message]) -> Iterator[Message]:
        """The parser's events but for pastes; after one that it cannot read, a parser that knows nothing of it."""
        try:
            for event in events:
                if isinstance(event, CursorPosition):
                    yield from _answer_or_f3(event)
                elif not isinstance(event, Paste):
                    yield event
        except Exception:  # whatever is wrong with it, the next key must be read
            self._parser = XTermParser()
            self._broken += 1


def _answer_or_f3(told: CursorPosition) -> Iterable[Message]:
    """Unasked, a cursor in the first row is how a terminal sends F3 with Shift, Alt or Ctrl."""
    if told.y == 0 and 0 < told.x < _MODIFIERS:
        return XTermParser().feed(f"\x1b[13;{told.x + 1}~")
    return [Answered()]


_MOUSE_ON: Final = "\x1b[?1000h\x1b[?1006h"
_MOUSE_OFF: Final = "\x1b[?1006l\x1b[?1000l"
"""Clicks and the wheel, at any width of the terminal."""

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
        self._pace = app.pace if isinstance(app, OutputApp) else FramePace()

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

    def _enable_mouse_support(self) -> None:
        # Textual would also be told every move of the mouse, which over a network is a packet each.
        if self._mouse:
            self.write(_MOUSE_ON)

    def _disable_mouse_support(self) -> None:
        if self._mouse:
            self.write(_MOUSE_OFF)

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
