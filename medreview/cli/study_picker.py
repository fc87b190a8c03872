"""The studies that were opened last: as lines of 80 columns, and the choice of one by ``medreview`` alone."""

import os
import shutil
import sys
import textwrap
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from medreview.cli.output import counted, one_line
from medreview.review.cell_width import fit, width
from medreview.visible import visible_line

if TYPE_CHECKING:
    from medreview.recent_studies import RecentStudy
    from medreview.study.recent_list import OpenedStudy


WIDTH: Final = 80
_INDENT: Final = "    "


def study_lines(number: int, study: "RecentStudy", card: Sequence[str] = ()) -> Iterator[str]:
    """One study: number and title and when; its path; what is open in it, or what is wrong. ``card``: sentences on
    where the reviewer stopped and what is next, in the place of a word on that."""
    when = _when(study.opened_at)
    title = one_line(study.title) or study.path.stem
    yield f"{number:>2}  {_cut(title, WIDTH - len(when) - 6, pad=True)}  {when}"
    yield _INDENT + _path(study.path)
    if study.remark:
        yield _INDENT + _cut(f"{study.state.upper()}: {one_line(study.remark)}", WIDTH - 4)
    counts = study.counts
    place = f"; left off: {one_line(study.left_off)}" if study.left_off and not card else ""
    if counts is not None and (counts.total or not study.units):
        deferred = f", {counts.deferred:,} deferred" if counts.deferred else ""
        head = f"{counts.decided:,} of {counts.total:,} decided{deferred}, {counts.open:,} open"
        yield _INDENT + _cut(head + place, WIDTH - 4)
        place = ""
    for unit in () if card else study.units:
        head = f"{unit.title}: {unit.counts.decided:,} of {unit.counts.total:,} decided, {unit.counts.open:,} open"
        yield _INDENT + _cut(head + place, WIDTH - 4)
        place = ""
    for sentences in card:
        yield from textwrap.wrap(one_line(sentences), WIDTH - 4, initial_indent=_INDENT, subsequent_indent=_INDENT)
    if study.drafts:
        yield f"{_INDENT}{counted(study.drafts, 'note')} begun and not saved"


def as_told(study: "RecentStudy") -> dict[str, Any]:
    """The same for a script."""
    return {
        "path": str(study.path),
        "title": study.title,
        "opened_at": study.opened_at,
        "reviewer": study.reviewer,
        "state": study.state,
        "remark": study.remark,
        "counts": study.counts._asdict() if study.counts else None,
        "units": {unit.kind: unit.counts._asdict() for unit in study.units},
        "left_off": study.left_off,
        "drafts": study.drafts,
    }


def _when(opened_at: str) -> str:
    then, now = datetime.fromisoformat(opened_at).astimezone(), datetime.now().astimezone()
    if then.date() == now.date():
        return then.strftime("today %H:%M")
    return then.strftime("%d %b %H:%M" if then.year == now.year else "%d %b %Y")


def _path(path: Path) -> str:
    """The path below the home folder from ``~`` on; of a long one its end."""
    text = one_line(str(path))
    home = str(Path.home())
    if text.startswith(home + "/"):
        text = "~" + text.removeprefix(home)
    room = WIDTH - 4
    if width(text) <= room:
        return text
    while width(text) > room - 3:
        text = text[1:]
    return "..." + text


def _cut(text: str, room: int, pad: bool = False) -> str:
    return fit(text, room if pad else min(room, width(text)), "...")


_OTHER_ROWS: Final = 6
"""Rows of a page beside the studies: heading, what can be typed, where it is typed."""


def words_to_run() -> list[str]:
    """The words of the command to run where none were given: what was chosen, or none for the help.

    Raises ``SystemExit`` when the user leaves. Without a terminal nothing is asked.
    """
    if not all(stream and stream.isatty() for stream in (sys.stdin, sys.stdout)):
        return []
    from medreview.study.recent_list import recent_list

    entries = recent_list()
    if not entries:
        return _first_words()
    chosen = _Chooser(entries).choose()
    if isinstance(chosen, list):
        return chosen
    if chosen is None:
        raise SystemExit(0)
    named = ["--reviewer", chosen.reviewer] if chosen.reviewer else []
    return ["review", *named, chosen.path]


_FIRST: Final = (
    "",
    "Check what a language model says about medicine against the pages it cites.",
    "",
    "  Enter  try it on the sample study: sixteen answers, with their pages",
    "  p      paste a question and an answer of your own",
    "  FILE   review your own answers: type the path of a file, or drop it here",
    "         (a chat's export, Word, Excel, PDF, text, JSON of a model's API)",
    "",
    "q leaves; `medreview --help` lists the commands.",
)


def _first_words() -> list[str]:
    """What to do where no study was opened yet."""
    _print(*_FIRST)
    while True:
        print("> ", end="", flush=True)
        line = sys.stdin.readline()
        typed = line.strip()
        if not line or typed == "q":
            raise SystemExit(0)
        if typed in ("", "p"):
            return ["review", "--paste"] if typed else ["demo"]
        if words := _of_path(typed):
            return words
        _print(f"There is no file {typed!r}.")


def _of_path(typed: str) -> list[str]:
    """The words that open what a path leads to, as it was typed or dropped; none where nothing is there."""
    from medreview.review.text_entry import paths_in

    found = next((path for path in paths_in(typed) if os.path.exists(path)), None)
    return ["review", str(found)] if found is not None else []


class _Chooser:
    """The list on the screen, page by page, and what was typed about it."""

    def __init__(self, entries: Sequence["OpenedStudy"]) -> None:
        from medreview.config import load_config

        self._entries = list(entries)
        self._reviewer = load_config().reviewer
        self._looked: dict[str, RecentStudy] = {}

    def choose(self) -> "OpenedStudy | list[str] | None":
        """The study to open, or the words of another command; ``None`` to leave."""
        shown = self._page(0)
        while self._entries:
            default = next(filter(self._opens, shown), 0)
            typed = self._ask(default, more=shown.stop <= len(self._entries))
            word, _, rest = typed.partition(" ")
            number = _number(word) if typed else default
            if typed == "q":
                return None
            if typed == "p":
                return ["review", "--paste"]
            if typed == "m" and shown.stop <= len(self._entries):
                shown = self._page(shown.stop - 1)
            elif word == "x" and self._known(_number(rest)):
                self._forget(_number(rest))
                shown = self._page(0)
            elif not number and typed and (words := _of_path(typed)):
                return words
            elif not self._known(number):
                _print(f"{typed!r} is not in the list." if typed else "None of these can be opened.")
            elif self._opens(number):
                return self._entries[number - 1]
            else:
                _print(f"{number} cannot be opened: {self._look(number).remark}.")
        _print("No study is left on the list.")
        return None

    def _page(self, begin: int) -> range:
        """Print the studies from one on that fit on the screen; their numbers."""
        room = max(6, shutil.get_terminal_size().lines - _OTHER_ROWS)
        _print("", "Recent studies, newest first", "")
        number = begin
        while number < len(self._entries):
            lines = list(study_lines(number + 1, self._look(number + 1), () if number else self._card()))
            if number > begin and len(lines) > room:
                break
            room -= len(lines)
            number += 1
            _print(*lines)
        return range(begin + 1, number + 1)

    def _ask(self, default: int, more: bool) -> str:
        listed = [f"Enter opens {default}" if default else "", "a number opens that one", "x 2 takes 2 off the list"]
        other = ["p pastes a new answer", "the path of a file opens it", "m shows more" if more else "", "q leaves"]
        _print("", *("; ".join(filter(None, can)) for can in (listed, other)))
        print("> ", end="", flush=True)
        line = sys.stdin.readline()
        return line.strip() if line else "q"

    def _look(self, number: int) -> "RecentStudy":
        """One study as it is; each is read once."""
        from medreview.recent_studies import look_at

        entry = self._entries[number - 1]
        if entry.path not in self._looked:
            self._looked[entry.path] = look_at(entry, self._reviewer)
        return self._looked[entry.path]

    def _card(self) -> Sequence[str]:
        from medreview.recent_studies import card_of

        return card_of(self._look(1))

    def _opens(self, number: int) -> bool:
        from medreview.recent_studies import OPENS

        return self._look(number).state in OPENS

    def _known(self, number: int) -> bool:
        return 1 <= number <= len(self._entries)

    def _forget(self, number: int) -> None:
        from medreview.study.recent_list import forget

        forget(self._entries.pop(number - 1).file)


def _print(*lines: str) -> None:
    for line in lines:
        print(visible_line(line))


def _number(word: str) -> int:
    """A number as it was typed; 0 for anything else."""
    return int(word) if word.strip().isdecimal() and len(word) < 5 else 0
