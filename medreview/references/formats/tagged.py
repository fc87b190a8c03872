"""Formats of tagged lines: ``TAG - value``, a line that goes on without a tag, a record after the other.

Read here and not by rispy: that drops a record without its last line, and knows no line numbers.
"""

import re
from collections.abc import Iterable, Iterator

from medreview.references.formats.fields import LONGEST


class Tagged:
    """One record: its first line in the file (from 1), and the values of each tag in order."""

    def __init__(self, line: int) -> None:
        self.line = line
        self._values: dict[str, list[str]] = {}
        self._last: list[str] = []

    def add(self, tag: str, value: str) -> None:
        """A line with a tag."""
        self._last = self._values.setdefault(tag, [])
        self._last.append(value)

    def go_on(self, text: str) -> None:
        """A line without one: it belongs to the value before it."""
        if self._last and text and len(self._last[-1]) < LONGEST:
            self._last[-1] = f"{self._last[-1]} {text}"

    def all(self, *tags: str) -> list[str]:
        """The values of these tags that say something, in the order of the tags, each once."""
        found = (value.strip() for tag in tags for value in self._values.get(tag, ()))
        return list(dict.fromkeys(value for value in found if value))

    def first(self, *tags: str) -> str:
        """The first of them, or ``""``."""
        return next(iter(self.all(*tags)), "")

    def __bool__(self) -> bool:
        """Whether any line of it had a tag."""
        return bool(self._values)


def tagged_records(
    lines: Iterable[str], pattern: re.Pattern[str], first: str, last: str = "", *, blank_ends: bool = False
) -> Iterator[Tagged]:
    """The records of lines whose tag and value are the groups of ``pattern``.

    A record begins at the tag ``first`` and ends at ``last``, at the next beginning, or at the end of the file; what
    stands before its first tag, or between records, is no part of one. ``blank_ends``: a blank line ends one, too.
    """
    record: Tagged | None = None
    for number, line in enumerate(lines, 1):
        found = pattern.match(line)
        if found is None:
            text = line.strip()
            if record is not None and blank_ends and not text:
                yield record
                record = None
            elif record is not None:
                record.go_on(text)
            continue
        tag, value = found[1], found[2] or ""
        if tag == first or (record is None and blank_ends):
            if record is not None:
                yield record
            record = Tagged(number)
        if tag == last:
            if record is not None:
                yield record
            record = None
        elif record is not None:
            record.add(tag, value.strip())
    if record is not None:
        yield record
