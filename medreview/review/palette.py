"""One line from which everything can be reached: actions, queues, saved filters, and any filter at once.

A line with ``name=`` in it, or one that begins with ``filter``, is a filter. ``save NAME`` saves the one in force,
``delete NAME`` deletes a saved one. Anything else narrows the entries by name, key and help, names first; words without
a match do nothing, and the nearest names are offered. A verdict is never what Enter does with words alone, but for
``accept``: they may have been meant for the statements.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import Final, Literal, NamedTuple

from medreview.review.actions import Action, is_verdict, shown_key
from medreview.review.queue import SavedFilter
from medreview.review.queue_filters import FilterWords
from medreview.review.queue_kinds import QueueKind

Does = Literal["act", "queue", "saved", "filter", "save", "delete", "type"]
"""What an entry does: an action of the table, open a queue or a saved filter, filter by a text, save the filter under a
name, delete a saved one, or let the line go on with a text."""

_FILTER: Final = "filter "
_QUEUE: Final = "queue: "
_IS_FILTER: Final = re.compile(r"(?:^|\s)\w+=")


class PaletteEntry(NamedTuple):
    """``does`` with its ``value``; its ``name``, ``keys`` and ``help`` are what is read and searched."""

    does: Does
    value: str
    name: str
    keys: str = ""
    help: str = ""


class Palette:
    """What can be reached from one place. ``current`` is the filter in force, ``noun`` what the queue has."""

    def __init__(
        self,
        actions: Iterable[Action],
        queues: Iterable[QueueKind],
        saved: Sequence[SavedFilter],
        words: FilterWords,
        *,
        current: str = "",
        noun: str = "statement",
    ) -> None:
        table = tuple(actions)
        self._acts = [_of_action(action) for action in table if not is_verdict(action.id)]
        self._acts += [
            PaletteEntry("saved", one.name, one.name, "", f"{one.title}, filter {one.filter}") for one in saved
        ]
        self._acts += [PaletteEntry("queue", kind.name, f"{_QUEUE}{kind.title}", "", kind.help) for kind in queues]
        self._verdicts = [_of_action(action) for action in table if is_verdict(action.id)]
        self._saved = [one.name for one in saved]
        self._words = words
        self._current = current
        self._noun = noun

    def entries(self, line: str) -> list[PaletteEntry]:
        """Entries for a line, the likeliest first."""
        text = line.strip()
        word, _, rest = text.partition(" ")
        if not text:
            all_again = [PaletteEntry("filter", "", "show all", "", f"without the filter {self._current}")]
            return [*(all_again if self._current else []), *self._acts, *self._verdicts]
        if line.lstrip().startswith(_FILTER) or _IS_FILTER.search(text):
            return self._filtering(line)
        if word == "save" and rest:
            return [PaletteEntry("save", rest.strip(), f"save this filter as “{rest.strip()}”", "", self._current)]
        deleted = [name for name in self._saved if word == "delete" and name.startswith(rest.strip())]
        if deleted:
            return [PaletteEntry("delete", name, f"delete the saved filter “{name}”") for name in deleted]
        hint = f"every {self._noun} with these words"
        by_words = PaletteEntry("type", f"{_FILTER}{text}", f"{_FILTER}{text}", "Tab", hint)
        accept = [entry for entry in self._verdicts if entry.value == "accept" and entry.name == text]
        acts = sorted(_matching(self._acts, text), key=lambda entry: entry.name != text)
        verdicts = [entry for entry in _matching(self._verdicts, text) if entry not in accept]
        nearest = [] if accept or acts or verdicts else self._nearest(text)
        return [*accept, *acts, by_words, *nearest, *verdicts, *self._going_on(line)]

    def start(self, line: str) -> int | None:
        """The entry that the pointer is on first; ``None`` as long as nothing was typed, and where no name matches."""
        return 0 if (line.strip() or self._current) and not self.unknown(line) else None

    def unknown(self, line: str) -> str:
        """A sentence if no name matches a line; ``""`` where one does."""
        text, (first, *more) = line.strip(), (*self.entries(line), PaletteEntry("type", "", ""))
        if not text or first.does != "type" or any(entry in self._verdicts for entry in _matching(more, text)):
            return ""
        near = ", ".join(entry.name for entry in self._nearest(text))
        return f"Nothing is called “{text}”. Tab makes it a filter{f'; nearest: {near}' if near else '.'}"

    def completed(self, line: str) -> str:
        """The line with its last word completed as far as all completions agree."""
        found = [one.line for one in self._words.completions(line)]
        if len(found) == 1:
            return found[0]
        agreed = "".join(signs[0] for signs in takewhile(lambda signs: len({*signs}) == 1, zip(*found, strict=False)))
        return agreed if len(agreed) > len(line) else line

    def _nearest(self, text: str) -> list[PaletteEntry]:
        """Entries with a name near to a text."""
        from difflib import get_close_matches

        every = {entry.name.removeprefix(_QUEUE): entry for entry in self._acts}
        words = {word: entry for name, entry in every.items() for word in name.split()} | every
        found = [words[name] for name in get_close_matches(text.lower(), list(words), n=3, cutoff=0.6)]
        return list(dict.fromkeys(found))

    def _filtering(self, line: str) -> list[PaletteEntry]:
        given = line.lstrip().startswith(_FILTER)
        text = line.lstrip().removeprefix(_FILTER).strip() if given else line.strip()
        filters = PaletteEntry(
            "filter", text, f"filter: {text}" if text else "show all", "", "Enter filters the queue."
        )
        return [filters, *self._going_on(line)]

    def _going_on(self, line: str) -> list[PaletteEntry]:
        """How the line can be completed: names of filters, or values after ``name=``."""
        return [PaletteEntry("type", one.line, one.shown, "Tab") for one in self._words.completions(line)]


def _of_action(action: Action) -> PaletteEntry:
    keys = " ".join(map(shown_key, action.keys))
    return PaletteEntry("act", action.id, action.hint or action.id, keys, action.help)


def _matching(entries: Sequence[PaletteEntry], text: str) -> list[PaletteEntry]:
    """Those with every word of a text: the one whose key it is first, then by their names, then by their help."""
    words = text.lower().split()

    def rank(entry: PaletteEntry) -> int:
        name = f"{entry.name} {entry.value.replace('_', ' ')}".lower()
        if text in entry.keys.split():
            return 0
        if name.startswith(text.lower()):
            return 1
        if all(word in name for word in words):
            return 2
        return 3 if all(word in f"{name} {entry.help.lower()}" for word in words) else 4

    ranked = [(rank(entry), entry) for entry in entries]
    return [entry for place, entry in sorted(ranked, key=lambda one: one[0]) if place < 4]
