"""Names of journals, books and sites held against one another: whole, abbreviated, by first letters, renamed."""

import re
import tomllib
from collections.abc import Iterable
from functools import cache, lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from rapidfuzz.distance import OSA

from medreview.references.comparing.authors import NameComparison
from medreview.references.comparing.word_matching import spelling, words
from medreview.text import word_set

_STOP: Final = word_set(
    """
    the of and for in on to a an de la le les et der die das und des du del di y e el los
    """
)
_IN_BRACKETS: Final = re.compile(r"\([^()]*(?:\)|$)|\[[^\[\]]*(?:\]|$)")
_EXPLAINED: Final = re.compile(
    r"\s*[:=;|/,]\s*(?=.*\b(?:journal|official|organ|zeitschrift|proceedings|revue)\b)", re.IGNORECASE
)
_NUMBERS_AFTER: Final = re.compile(r"[\s,(]*(?:\bvol\b|\bissue\b|\bpp\b|\(\d+\)|\s\d+\s*[(:]).*$", re.IGNORECASE)
_REGIONS: Final = word_set("am american br british")
_TAILS: Final = word_set(
    """
    london lond oxford engl online internet ed electronic resource print suppl supplement supplementum volume
    """
)
_LONGEST_NAME: Final = 7
_SHORTEST_TYPO: Final = 8
_TYPO_SHARE: Final = 0.12


class _JournalTable(NamedTuple):
    group: dict[tuple[str, ...], int]
    contracted: dict[str, tuple[str, ...]]
    names: tuple[tuple[str, ...], ...]


def compare_containers(printed: str, names: Iterable[str]) -> NameComparison:
    """The printed name against each of the record's names; the most alike counts."""
    names = [name for name in names if name.strip()]
    if not printed.strip() or not names:
        return NameComparison("unknown")
    found = NameComparison("wrong", "The record has another journal.")
    for name in names:
        compared = _compared(printed[:500], name[:500])
        if compared == "":
            return NameComparison("same")
        if compared:
            found = NameComparison("slip", compared)
    return found


def names_of(printed: str) -> tuple[str, ...]:
    """A journal's name as printed, and the others that the table has for it: ``NEJM`` stands in no catalogue."""
    number = _table().group.get(_words(printed))
    return (printed,) if number is None else tuple(dict.fromkeys((printed, *_table().names[number])))


@lru_cache(maxsize=4096)
def _compared(printed: str, name: str) -> str | None:
    """Why two names are the same journal's (``""``: the same words), ``None`` when they are not."""
    one, other = _words(printed), _words(name)
    if one == other:
        return ""
    if not one or not other:
        return None
    if "".join(one) == "".join(other):
        return "punctuation"
    table = _table()
    mine, yours = _forms(printed), _forms(name)
    if (one[-1] in _REGIONS) != (other[-1] in _REGIONS):
        mine, yours = _without_region(mine), _without_region(yours)
    groups = {table.group.get(form) for form in mine} & {table.group.get(form) for form in yours}
    if groups - {None}:
        return "another name of the journal"
    for form in mine:
        for against in yours:
            if form == against or "".join(form) == "".join(against):
                return "short name"
            if _abbreviated(form, against):
                return "abbreviated"
            if _acronym(form, against) or _acronym(against, form):
                return "acronym"
    if _typo("".join(one), "".join(other)):
        return "typo"
    return None


def _words(name: str) -> tuple[str, ...]:
    return tuple(word for word in words(name.replace("&", " ")) if word not in _STOP)


@lru_cache(maxsize=4096)
def _forms(name: str) -> tuple[tuple[str, ...], ...]:
    """The name in the ways in which it may be cut: whole, without brackets, explanation or numbers.

    Of one that is too long for a journal's, as the end of the title stands before it, the last sentence.
    """
    bare = _IN_BRACKETS.sub(" ", name)
    first = _EXPLAINED.split(bare.strip(), maxsplit=1)[0]
    forms = [_words(name), _words(bare), _words(first), _words(_NUMBERS_AFTER.sub("", name))]
    if len(forms[0]) > _LONGEST_NAME:
        forms.append(_words(bare.rstrip(". ").rpartition(". ")[2]))
    for form in [*forms]:
        while len(form) > 1 and _is_tail(form[-1]):
            form = form[:-1]
            forms.append(form)
    return tuple(dict.fromkeys(form for form in forms if form))


def _without_region(forms: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
    return tuple(form[:-1] if len(form) > 2 and form[-1] in _REGIONS else form for form in forms)


def _is_tail(word: str) -> bool:
    return word in _TAILS or (word.isdigit() and len(word) < 4)


def _abbreviated(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether the words of both stand for one another, in order; a lone word does so only when it is long enough."""
    if len(one) != len(other):
        return _joined(one, other)
    if len(one) == 1 and min(len(one[0]), len(other[0])) < 4:
        return False
    return all(_stands_for(a, b) for a, b in zip(one, other, strict=True))


def _joined(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether single letters of one stand together in the other: ``N Y`` and ``NY``, ``U S A`` and ``USA``."""
    mine, yours = _letters_joined(one), _letters_joined(other)
    return (
        (mine != one or yours != other)
        and len(mine) == len(yours)
        and len(mine) > 1
        and all(_stands_for(a, b) for a, b in zip(mine, yours, strict=True))
    )


def _letters_joined(name: tuple[str, ...]) -> tuple[str, ...]:
    found: list[str] = []
    run = False
    for word in name:
        if len(word) == 1 and run:
            found[-1] += word
        else:
            found.append(word)
        run = len(word) == 1
    return tuple(found)


def _stands_for(one: str, other: str) -> bool:
    if one == other or one.startswith(other) or other.startswith(one):
        return True
    contracted = _table().contracted
    if one in contracted.get(other, ()) or other in contracted.get(one, ()):
        return True
    mine, yours = spelling(one), spelling(other)
    if mine == yours or mine.startswith(yours) or yours.startswith(mine):
        return True
    # Paediatr, Orthopaed, Gynaecol: the British vowels within an abbreviation.
    mine, yours = mine.replace("ae", "e"), yours.replace("ae", "e")
    return mine.startswith(yours) or yours.startswith(mine)


def _acronym(short: tuple[str, ...], whole: tuple[str, ...]) -> bool:
    """Whether the one is made of the first letters of the other; a further word stays a word (``JAMA Oncol``)."""
    if len(short) > 1 or len(short[0]) < 3 or len(whole) < 3:
        return False
    return short[0] == "".join(word[0] for word in whole)


def _typo(one: str, other: str) -> bool:
    longer = max(len(one), len(other))
    if min(len(one), len(other)) < _SHORTEST_TYPO or one.isdigit():
        return False
    most = max(1, int(longer * _TYPO_SHARE)) if longer > 12 else 1
    return OSA.distance(one, other, score_cutoff=most) <= most and one[0] == other[0]


@cache
def _table() -> _JournalTable:
    table = tomllib.loads(Path(__file__).with_name("journals.toml").read_text("utf-8"))
    group = {_words(name): number for number, names in enumerate(table["same"]) for name in names}
    contracted = {word: tuple(forms) for word, forms in table["contracted"].items()}
    return _JournalTable(group, contracted, tuple(map(tuple, table["same"])))
