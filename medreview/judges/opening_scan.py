"""Search for several regular expressions only where a text holds the words that their matches begin with.

The patterns of instructions are many, and nearly nowhere does one match: an engine that tries each at every place of a
page takes most of the time to say so. The beginnings of words show the few places where one can begin, and are looked
up once for all patterns.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import Final

_LONGEST: Final = 6
"""Characters of an opening: more help little."""
_HEAD: Final = 3
"""Characters of a word by which its beginning is looked up."""
_GROUP: Final = re.compile(r"\((?:\?(?:-?[a-z]+)?:)?")
_ZERO_WIDTH: Final = re.compile(r"\\b|\(\?m:\^\)")
_AROUND: Final = re.compile(r"\(\?<?[=!]")
_CLASS: Final = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]|\\[A-Za-z]|\.")
_WORD_BEGINS: Final = re.compile(r"\b\w")
_REPEAT: Final = re.compile(r"(?:[?*+]|\{(\d*),?\d*\})[?+]?")

_Openings = frozenset[tuple[str, bool]]
"""What texts may begin with, each with whether that is all of the text so far, so that what follows can be added."""
_NOTHING: Final[_Openings] = frozenset({("", True)})
_ANYTHING: Final[_Openings] = frozenset({("", False)})


def folded(text: str) -> str:
    """The text in lower case, of the same length: letters that a pattern takes for one another without case are one."""
    lower = text.replace("\u0130", "i").lower()
    return lower if lower.isascii() else lower.replace("\u0131", "i").replace("\u017f", "s").replace("\u03c2", "\u03c3")


class ScannedText:
    """A text with an index of the openings in it, for any number of scans."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lower = folded(text)

    @cached_property
    def _letters(self) -> frozenset[str]:
        return frozenset(self.lower)

    @cached_property
    def _words(self) -> dict[str, list[int]]:
        """By its first few characters where each word begins."""
        found: dict[str, list[int]] = {}
        lower = self.lower
        for match in _WORD_BEGINS.finditer(lower):
            at = match.start()
            found.setdefault(lower[at : at + _HEAD], []).append(at)
        return found

    def words(self, opening: str) -> Iterable[int]:
        """Where a word begins with an opening."""
        if len(opening) < _HEAD:
            return chain.from_iterable(places for head, places in self._words.items() if head.startswith(opening))
        places = self._words.get(opening[:_HEAD], ())
        return [at for at in places if self.lower.startswith(opening, at)] if len(opening) > _HEAD else places

    def places(self, opening: str) -> Iterator[int]:
        """Where an opening stands, within words too."""
        if opening[0] in self._letters:
            at = self.lower.find(opening)
            while at >= 0:
                yield at
                at = self.lower.find(opening, at + 1)

    def has(self, opening: str) -> bool:
        """Whether an opening stands anywhere."""
        return opening[0] in self._letters and opening in self.lower


class _PatternReader:
    """Reads what the matches of a pattern begin with; of the syntax of :mod:`re` what the rules here use."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0

    def alternatives(self) -> _Openings:
        """Of the alternatives up to the end of the group, which is read over, or of the pattern."""
        found = self._sequence()
        while self._at < len(self._pattern) and self._pattern[self._at] == "|":
            self._at += 1
            found |= self._sequence()
        self._at += 1
        return found

    def _sequence(self) -> _Openings:
        found = _NOTHING
        while self._at < len(self._pattern) and self._pattern[self._at] not in "|)":
            item = self._item()
            if repeat := _REPEAT.match(self._pattern, self._at):
                self._at = repeat.end()
                least = 0 if repeat[0][0] in "?*" or repeat[1] == "0" else 1
                if repeat[0][0] != "?":
                    item = frozenset((text, False) for text, _ in item)
                item = item if least else item | _NOTHING
            found = frozenset(chain.from_iterable(_joined(text, open_, item) for text, open_ in found))
        return found

    def _item(self) -> _Openings:
        pattern, at = self._pattern, self._at
        if zero := _ZERO_WIDTH.match(pattern, at):
            self._at = zero.end()
            return _NOTHING
        if around := _AROUND.match(pattern, at):
            self._at = around.end()
            self.alternatives()
            return _NOTHING
        if group := _GROUP.match(pattern, at):
            self._at = group.end()
            return self.alternatives()
        if one := _CLASS.match(pattern, at):
            self._at = one.end()
            return _ANYTHING
        if pattern[at] in "^$":
            self._at += 1
            return _NOTHING
        self._at += 2 if pattern[at] == "\\" else 1
        return frozenset({(folded(pattern[self._at - 1]), True)})

    def within(self) -> frozenset[str] | None:
        """Texts, one of which stands in every match, behind a beginning that shows nothing; ``None`` if unknown."""
        while self._at < len(self._pattern):
            self._item()
            if repeat := _REPEAT.match(self._pattern, self._at):
                self._at = repeat.end()
            if self._at < len(self._pattern) and self._pattern[self._at] == "|":
                return None
            if found := openings(self._pattern[self._at :]):
                return found
        return None


def _joined(text: str, open_: bool, item: _Openings) -> Iterator[tuple[str, bool]]:
    if not open_ or len(text) >= _LONGEST:
        yield text, False
        return
    for more, more_open in item:
        yield text + more, more_open


def openings(pattern: str) -> frozenset[str] | None:
    """Texts, folded, one of which begins every match of a pattern; ``None`` where they are unknown.

    No text begins with another one.
    """
    found = {text[:_LONGEST] for text, _ in _PatternReader(pattern).alternatives()}
    if "" in found:
        return None
    return frozenset(text for text in found if not any(text != other and text.startswith(other) for other in found))


class OpeningScan:
    """Finds what ``re.compile("|".join(patterns), re.IGNORECASE)`` finds."""

    def __init__(self, patterns: Sequence[str]) -> None:
        self._rules = [re.compile(pattern, re.IGNORECASE) for pattern in patterns]
        self._of_words: dict[str, list[int]] = {}
        """By opening at the beginning of a word the numbers of the rules."""
        self._of_others: dict[str, list[int]] = {}
        self._anywhere: list[tuple[int, frozenset[str] | None]] = []
        """The rules without openings, and what one of stands in all that they find."""
        for number, pattern in enumerate(patterns):
            found = openings(pattern)
            if found is None:
                self._anywhere.append((number, _PatternReader(pattern).within()))
            for opening in found or ():
                of_word = pattern.startswith(r"\b") and (opening[0].isalnum() or opening[0] == "_")
                (self._of_words if of_word else self._of_others).setdefault(opening, []).append(number)

    def finditer(self, scanned: ScannedText) -> Iterator[re.Match[str]]:
        """The matches in a text, in order and disjoint."""
        text = scanned.text
        ahead = {
            number: match
            for number, within in self._anywhere
            if (within is None or any(map(scanned.has, within))) and (match := self._rules[number].search(text))
        }
        at = 0
        for place, number in (*self._places(scanned), (len(text), len(self._rules))):
            while ahead and (first := min((match.start(), one) for one, match in ahead.items())) < (place, number):
                found = ahead[first[1]]
                yield found
                at = found.end()
                ahead = self._searched_from(at, text, ahead)
            if at <= place < len(text) and (match := self._rules[number].match(text, place)):
                yield match
                at = match.end()
                ahead = self._searched_from(at, text, ahead)

    def _searched_from(self, at: int, text: str, ahead: dict[int, re.Match[str]]) -> dict[int, re.Match[str]]:
        """The next matches of the rules without openings, those before a place searched again."""
        found = ((one, old if old.start() >= at else self._rules[one].search(text, at)) for one, old in ahead.items())
        return {number: match for number, match in found if match}

    def _places(self, scanned: ScannedText) -> list[tuple[int, int]]:
        """Where a rule may match, in order, each with the rule's number."""
        words = ((scanned.words(opening), numbers) for opening, numbers in self._of_words.items())
        others = ((scanned.places(opening), numbers) for opening, numbers in self._of_others.items())
        return sorted((at, number) for places, numbers in chain(words, others) for at in places for number in numbers)
