"""Works of one's own files as an authority without network, looked up by identifier and by words of a reference."""

import hashlib
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import chain, islice
from math import log
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

from medreview.exchange.imports.file_rows import BadRecord
from medreview.references.comparing.check import can_be_searched, check_reference
from medreview.references.comparing.fit import fit
from medreview.references.comparing.names import family_keys
from medreview.references.comparing.publication import address_key, key
from medreview.references.comparing.titles import document_numbers, numbers_of_record
from medreview.references.comparing.word_matching import content_words, words
from medreview.references.model import Asked, Identifier, Record, Reference, ReferenceCheck
from medreview.references.reading_libraries import read_library

K = TypeVar("K")

_MOST: Final = 5
"""Works that a reference may mean, so many at the most."""
_KNOWN: Final = 2
"""Works of the library with a word in their titles from which on it is a word of its own, and no typing error."""
_RAREST: Final = 8
_FEWEST: Final = 4
_ENOUGH: Final = 1500
"""How many of a title's words are looked up, the rarest first: eight; at least four, from 1,500 works on no more."""
_NEAR: Final = 0.45
"""Share of the best work's weight that another one must have to be compared."""
_COMPARED: Final = 30
"""Works whose authors are looked at, when titles alone do not tell which of them is meant."""
_BY_AUTHOR: Final = 0.3
"""What the same first author counts beside the share of a title's weight."""
_WORDS_READ: Final = 80
_ADDRESS: Final = re.compile(r"\S*(?:://|www\.|\b10\.\d{4})\S*")
"""An address or a DOI, whose words are no words of a title."""
_WEAK: Final = 0.6
"""Share of a title's weight that a work must have; below it the whole text of the reference is looked up as well."""


class Library:
    """Works that references are looked up in; ``name`` is what the checks say was asked."""

    def __init__(self, records: Iterable[Record], name: str = "library") -> None:
        self.name = name
        self._works = [*records]
        self._by_identifier = self._index(lambda work: map(key, work.identifiers))

    def __len__(self) -> int:
        return len(self._works)

    def by_identifier(self, identifier: Identifier) -> tuple[Record, ...]:
        """The works with an identifier, in the order of the library."""
        return tuple(self._works[at] for at in self._by_identifier.get(key(identifier), ()))

    def by_citation(self, reference: Reference) -> tuple[Record, ...]:
        """The works that a reference may mean, the likeliest first: by address, number of a document, and words."""
        named = self._by_address.get(address_key(reference.url), []) if reference.url else []
        for number in document_numbers(reference.text):
            named = [*named, *self._by_number.get(number, ())]
        led = tuple(self._works[at] for at in dict.fromkeys(named[:_MOST]))
        return (*led, *(each for each in self._by_own_words(reference) if each not in led))

    def _by_own_words(self, reference: Reference) -> tuple[Record, ...]:
        if not reference.title and can_be_searched(reference):
            return self._by_author(reference)
        found = self._by_words(reference.title)
        if not found or found[0][1] < _WEAK:
            found = [*dict([*found, *self._by_words(_ADDRESS.sub(" ", reference.text))]).items()]
            found.sort(key=lambda each: -each[1])
        if len(found) > _MOST and reference.authors:
            named = family_keys(reference.authors[0])
            found.sort(key=lambda each: -each[1] - _BY_AUTHOR * bool(named & _first_family(self._works[each[0]])))
        return tuple(self._works[at] for at, _ in found[:_MOST])

    def check(self, reference: Reference) -> ReferenceCheck:
        """How a reference compares with this library alone."""
        by_identifier = {identifier: self.by_identifier(identifier) for identifier in reference.identifiers}
        asked: list[Asked] = []
        if by_identifier:
            asked.append(Asked(self.name, "identifier", "found" if any(by_identifier.values()) else "nothing"))
        if any(by_identifier.values()):
            check = check_reference(reference, by_identifier, (), asked, known=self.known)
            if check.verdict == "match":
                return check
        by_citation = self.by_citation(reference)
        if can_be_searched(reference):
            asked.append(Asked(self.name, "citation", "found" if by_citation else "nothing"))
        return check_reference(reference, by_identifier, by_citation, asked, known=self.known)

    def known(self, word: str) -> bool:
        """Whether a word stands in the titles of several works, so that it is not a typing error."""
        return len(self._by_word.get(word, ())) >= _KNOWN

    def _index(self, keys: Callable[[Record], Iterable[K]]) -> dict[K, list[int]]:
        """The places of the works in the library, by what each is looked up by."""
        found: defaultdict[K, list[int]] = defaultdict(list)
        for at, work in enumerate(self._works):
            for one in keys(work):
                found[one].append(at)
        return dict(found)

    @cached_property
    def _by_address(self) -> dict[str, list[int]]:
        return self._index(lambda work: filter(None, [address_key(work.url)]))

    @cached_property
    def _by_number(self) -> dict[str, list[int]]:
        """By the number that a body calls its document by."""
        return self._index(numbers_of_record)

    @cached_property
    def _by_word(self) -> dict[str, list[int]]:
        """By each word of the titles."""
        return self._index(lambda work: {*words(" ".join((work.title, *work.other_titles)))})

    @cached_property
    def _by_family(self) -> dict[str, list[int]]:
        """By the words of the first author's family name."""
        return self._index(_first_family)

    def _by_words(self, text: str) -> list[tuple[int, float]]:
        """The works that share the most of a text's rare words, each with the share of their weight, best first."""
        named = dict.fromkeys(islice(content_words(text), _WORDS_READ))  # of equally rare ones the first
        having = sorted((self._by_word[word] for word in named if word in self._by_word), key=len)
        scores: dict[int, float] = {}
        whole = (len(named) - len(having)) * self._weight(1) / 2
        for count, works in enumerate(having):
            if count >= _RAREST or (count >= _FEWEST and len(scores) > _ENOUGH):
                break
            weight = self._weight(len(works))
            whole += weight
            for at in works:
                scores[at] = scores.get(at, 0.0) + weight
        least = max(scores.values(), default=0.0) * _NEAR
        best = sorted((at for at, score in scores.items() if score >= least), key=lambda at: -scores[at])[:_COMPARED]
        return [(at, scores[at] / whole) for at in best]

    def _weight(self, works: int) -> float:
        return log(1 + len(self._works) / works)

    def _by_author(self, reference: Reference) -> tuple[Record, ...]:
        """The works of the first author that fit the best by journal and year."""
        found = {at for name in family_keys(reference.authors[0]) for at in self._by_family.get(name, ())}
        fits = [fit(reference, self._works[at], self.known) for at in sorted(found)]
        fits.sort(key=lambda each: each.rank, reverse=True)
        return tuple(each.record for each in fits[:_MOST])


def _first_family(work: Record) -> frozenset[str]:
    return family_keys(work.authors[0]) if work.authors else frozenset()


class LibraryOfFiles(NamedTuple):
    """Works of several files as one library, a hash of what these hold, and by file what could not be used."""

    library: Library
    sha256: str
    bad: tuple[tuple[Path, tuple[BadRecord, ...]], ...]


def library_of(files: Sequence[Path]) -> LibraryOfFiles:
    """The library of files in whatever formats. Raises :class:`UserError` for one that cannot be used."""
    read = [read_library(path) for path in files]
    digest = hashlib.sha256("".join(one.sha256 for one in read).encode()).hexdigest()
    bad = tuple((path, one.bad) for path, one in zip(files, read, strict=True) if one.bad)
    return LibraryOfFiles(Library(chain.from_iterable(one.records for one in read)), digest, bad)
