"""One line from which everything can be reached: actions, queues, saved filters, and any filter at once.

A line with ``name=`` in it, or one that begins with ``filter``, is a filter. ``save NAME`` saves the one in force,
``delete NAME`` deletes a saved one. Anything else narrows the entries by name, key and help, names first; words without
a match do nothing, and the nearest names are offered. A verdict is never what Enter does with words alone, but for
``accept``: they may have been meant for the statements.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import takewhile
from typing import Final, Literal, NamedTuple

from medreview.review.actions import Action, is_verdict, shown_key
from medreview.review.queue import SavedFilter
from medreview.review.queue_filters import FilterWords
from medreview.review.queue_kinds import QueueKind

Does = Literal["act", "queue", "saved", "filter", "save", "delete", "type", "theme", "out", "quit"]
"""What an entry does: an action of the table, open a queue or a saved filter, filter by a text, save the filter under a
name, delete a saved one, let the line go on with a text, wear a theme, write something beside the study or show the
cards of welcome, or end the workbench."""

QUIT: Final = "quit"

_FILTER: Final = "filter "
_QUEUE: Final = "queue: "
_THEME: Final = "theme: "
_REFUSED: Final = "Not now: "
_IS_FILTER: Final = re.compile(r"(?:^|\s)\w+=")


class PaletteEntry(NamedTuple):
    """``does`` with its ``value``; its ``name``, ``keys`` and ``help`` are what is read and searched. ``acts``: it
    changes what the reviewer has said, and is not what a slip of the keys is taken for."""

    does: Does
    value: str
    name: str
    keys: str = ""
    help: str = ""
    acts: bool = False


OUT: Final = (
    PaletteEntry("out", "export", "export", "", "The labels as tables, written beside the study while you go on."),
    PaletteEntry("out", "report", "report", "", "The report as a page, written beside the study while you go on."),
    PaletteEntry("out", "tour", "tour", "", "Four cards over the review: what stands where, and what is asked."),
)
"""What is no action of a table, and has no key."""


class Palette:
    """What can be reached from one place. ``current`` is the filter in force, ``noun`` what the queue has, ``refusal``
    why an action does nothing there: it stands last then, with the reason."""

    def __init__(
        self,
        actions: Iterable[Action],
        queues: Iterable[QueueKind],
        saved: Sequence[SavedFilter],
        words: FilterWords,
        *,
        current: str = "",
        noun: str = "statement",
        themes: Iterable[str] = (),
        refusal: Callable[[str], str] = lambda _action: "",
    ) -> None:
        table = tuple(actions)
        acts = [_of_action(action, refusal(action.id)) for action in table if not is_verdict(action.id)]
        self._acts = sorted(acts, key=lambda entry: entry.help.startswith(_REFUSED))
        self._acts += [
            PaletteEntry("saved", one.name, one.name, "", f"{one.title}, filter {one.filter}") for one in saved
        ]
        self._acts += [PaletteEntry("queue", kind.name, f"{_QUEUE}{kind.title}", "", kind.help) for kind in queues]
        self._acts += [
            PaletteEntry("theme", name, f"{_THEME}{name}", "", "Seen while the pointer is here; Enter keeps it.")
            for name in themes
        ]
        self._acts += OUT
        self._acts.append(PaletteEntry("quit", QUIT, QUIT, "", "End the workbench, exit. Everything is saved already."))
        self._verdicts = [
            _of_action(action, why) for action in table if is_verdict(action.id) and not (why := refusal(action.id))
        ]
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
        acts = _matching(self._acts, text)
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
        near = " or ".join(entry.name for entry in self._nearest(text))
        meant = f"; did you mean {near}?" if near else "."
        return f"Nothing is called “{text}”{meant} Tab makes it a filter."

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


def _of_action(action: Action, refused: str) -> PaletteEntry:
    keys = " ".join(map(shown_key, action.keys))
    words = f"{_REFUSED}{refused}" if refused else action.help
    return PaletteEntry("act", action.id, action.hint or action.id, keys, words, action.group == "Decide")


_NEVER: Final = 9.0


def _matching(entries: Sequence[PaletteEntry], text: str) -> list[PaletteEntry]:
    """Those that a text may mean, the likeliest first: by key, by name from its beginning, by the beginnings of its
    words, by parts of it, by its letters in their order, by help."""
    wanted = text.lower().split()
    ranked = [(_rank(entry, text, wanted), len(entry.name), entry) for entry in entries]
    return [entry for rank, _, entry in sorted(ranked, key=lambda one: one[:2]) if rank < _NEVER]


def _rank(entry: PaletteEntry, text: str, wanted: Sequence[str]) -> float:
    name = f"{entry.name} {entry.value.replace('_', ' ')}".lower()
    words = re.findall(r"\w+", name)
    if text in entry.keys.split():
        return 0
    if entry.name.lower().removeprefix(_QUEUE).startswith(text.lower()):
        return 1
    if all(any(word.startswith(each) for word in words) for each in wanted):
        return 2
    if all(each in name for each in wanted):
        return 3
    if not entry.acts and (spread := _spread("".join(wanted), entry.name.lower())):
        return 5 - 1 / spread
    return 6 if all(each in f"{name} {entry.help.lower()}" for each in wanted) else _NEVER


def _spread(letters: str, name: str) -> float:
    """How far apart the letters stand in a name, in their order and from the beginning of a word on: 1 for side by
    side; 0 where they do not, or stand so far apart that nobody can mean it."""
    found = []
    for begin in (start for word in re.finditer(r"\w+", name) if name[start := word.start()] == letters[:1]):
        at = begin
        for letter in letters[1:]:
            if (at := name.find(letter, at + 1)) < 0:
                break
        else:
            found.append((at - begin + 1) / len(letters))
    best = min(found, default=0.0)
    return best if best <= _LOOSEST and len(letters) > 2 else 0.0


_LOOSEST: Final = 1.8
"""Letters of a name for each that was typed, up to which it can be meant."""
