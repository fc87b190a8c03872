"""Whether two readings of a response mean the same entry: a mention points to a list, a list repeats another."""

import re
from typing import Final

from medreview.citations.canonical import canonical_key
from medreview.citations.model import Citation
from medreview.references.model import Reference

_WORD: Final = re.compile(r"[^\W_]+")


def points_to(mention: Reference, entry: Reference) -> bool:
    """Whether a reference says nothing that an entry does not have: the same identifier; or, without one that differs,
    the same author, year, journal, and the words of its title."""
    if mention.identifiers or mention.url:
        ours, theirs = _keys(mention), _keys(entry)
        if ours & theirs:
            return True
        if theirs:
            return False
    if mention.year is not None and entry.year is not None and mention.year != entry.year:
        return False
    if mention.authors and entry.authors and not _share_author(mention, entry):
        return False
    if mention.title and entry.title:
        return _share(mention.title, entry.text) >= 0.6
    if mention.container and entry.container and not _same_container(mention.container, entry.container):
        return False
    return bool(mention.authors and entry.authors) or (
        mention.year is not None and bool(mention.container and entry.container)
    )


def _keys(read: Reference) -> set[str]:
    keys = {f"{identifier.kind}:{identifier.value}" for identifier in read.identifiers}
    return keys | ({canonical_key(Citation("url", read.url))} if read.url else set())


def _share_author(mention: Reference, entry: Reference) -> bool:
    first = mention.authors[0].family.casefold()
    return any(
        first == author.family.casefold() or first in author.family.casefold().split() for author in entry.authors
    )


def _share(words: str, text: str) -> float:
    """The share of words that stand in a text."""
    ours = {word for word in _WORD.findall(words.casefold()) if len(word) > 2}
    theirs = set(_WORD.findall(text.casefold()))
    return len(ours & theirs) / len(ours) if ours else 1.0


def _same_container(one: str, other: str) -> bool:
    first, second = (_significant(name) for name in (one, other))
    if first == second or not first or not second:
        return True
    short, long = sorted((first, second), key=len)
    if len(short) == 1 and len(long) > 1 and short[0] == "".join(word[0] for word in long):
        return True
    return len(short) <= len(long) and all(any(word.startswith(part) for word in long) for part in short)


def _significant(name: str) -> list[str]:
    return [word for word in _WORD.findall(name.casefold()) if word not in ("the", "of", "and", "for", "in", "&")]
