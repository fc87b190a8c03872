"""Names held against one another: authors; journals, books and sites, whole, abbreviated, by first letters, renamed."""

import re
import tomllib
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Final, Literal, NamedTuple

from rapidfuzz.distance import OSA

from medreview.references.comparing.titles import bodies
from medreview.references.comparing.word_matching import spelling, words
from medreview.references.model import Author, Record, Reference
from medreview.text import word_lists, word_set

NameLikeness = Literal["same", "slip", "wrong", "unknown"]
"""Of a field: the same, a harmless difference, another one, nothing to compare with."""

_PARTICLES: Final = word_set(word_lists(__file__)["particles"])
_DOUBLE: Final = "part of a double name"
_FEWEST_OTHERS: Final = 2
"""Named authors beside the first from which on it says something that the record has none of them."""


class NameComparison(NamedTuple):
    """How names of authors or journals compare: how alike, why; of authors also the share of those after the first one
    that the record has."""

    likeness: NameLikeness
    why: str = ""
    others: float = 1.0


def compare_authors(reference: Reference, record: Record) -> NameComparison:
    """The first author decides; of the other ones some may be left out, on either side."""
    printed, known = reference.authors, record.authors
    if not printed or not known:
        return NameComparison("unknown")
    others = _others(printed[1:], known)
    first = _first(printed[0], known[0])
    if first is None and printed[0].body and not known[0].body:
        return NameComparison("unknown", "a body is named in place of persons", others)
    if first is None and known[0].body and len(known) > 1:
        first = _first(printed[0], known[1])
        first = first and "the record begins with a body"
    if first is None:
        if any(_first(printed[0], author) is not None for author in known[1:]):
            return NameComparison("wrong", "This author is in the record, but not the first one.", others)
        return NameComparison("wrong", "The record has another first author.", others)
    if record.complete and not reference.et_al and others == 0 and min(len(printed), len(known)) > _FEWEST_OTHERS:
        return NameComparison("wrong", "Of the authors after the first one the record has none.", others)
    if first or others < 1:
        return NameComparison("slip", first or "other co-authors", others)
    if reference.et_al and len(printed) < len(known):
        return NameComparison("slip", "et al.", others)
    if len(printed) < len(known):
        return NameComparison("slip", "not all authors", others)
    return NameComparison("same")


def family_keys(author: Author) -> frozenset[str]:
    """What a family name is looked up by: its words without particles, and all of them as one."""
    named = words(author.family)
    bare = without_particles(named)
    return frozenset({*bare, "".join(bare), "".join(named)} - {""})


def same_family(one: Author, other: Author) -> str | None:
    """Why two names are the same family name (``""``: letter by letter), ``None`` when they are not."""
    mine, yours = words(one.family), words(other.family)
    if mine == yours:
        return ""
    bare = without_particles(mine), without_particles(yours)
    joined = "".join(bare[0]), "".join(bare[1])
    if joined[0] == joined[1]:
        return "particle or hyphen"
    if not all(joined):
        return None
    if one.body or other.body:
        return _same_body(one.family, other.family)
    long = [[word for word in each if len(word) > 1] for each in bare]
    if long[0] and long[1] and ({*long[0]} <= {*long[1]} or {*long[1]} <= {*long[0]}):
        return _DOUBLE
    given = words(other.given), words(one.given)
    if (given[0] and "".join(given[0]) == joined[0] and len(joined[0]) > 2) or (
        given[1] and "".join(given[1]) == joined[1] and len(joined[1]) > 2
    ):
        return "family and given name swapped"
    if _transcribed(joined[0]) == _transcribed(joined[1]):
        return "accents"
    shorter = min(len(joined[0]), len(joined[1]))
    swapped = sorted(joined[0]) == sorted(joined[1]) and shorter > 3
    distance = OSA.distance(*joined, score_cutoff=2)
    if (distance == 1 and (shorter > 4 or swapped)) or (distance == 2 and shorter > 8):
        return "typo"
    return None


def without_particles(name: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a family name without "van", "de" and the like; all of them where there are no others."""
    return tuple(word for word in name if word not in _PARTICLES) or name


def _first(printed: Author, known: Author) -> str | None:
    why = same_family(printed, known)
    if why == _DOUBLE and _is_another(printed, known):
        return None
    if why:
        return why
    if why is None or printed.body or known.body:
        return why
    one, other = _initials(printed), _initials(known)
    if one and other and one[0] != other[0]:
        return "other initials"
    return "initials" if plainly_other(printed.given, known.given) else ""


def _is_another(one: Author, other: Author) -> bool:
    """Whether two people share the end of a double name only: neither its beginning nor an initial."""
    mine, yours = words(one.family), words(other.family)
    if mine[:1] == yours[:1] or not one.given or not other.given:
        return False
    moved = {*words(one.given)} <= {*yours} or {*words(other.given)} <= {*mine}
    return not moved and _initials(one)[:1] != _initials(other)[:1]


def plainly_other(one: str, other: str) -> bool:
    """Whether given names are written in another way: initials, or one of them left out."""
    return "".join(words(one)) != "".join(words(other))


def _initials(author: Author) -> str:
    given = author.given
    found: list[str] = re.findall(r"[^\W\d_]+", given)
    if not found:
        return ""
    if len(found) == 1 and (given.isupper() and len(found[0]) <= 4):
        return found[0].casefold()
    return "".join(word[0] for word in found).casefold()


def _others(printed: Sequence[Author], known: Sequence[Author]) -> float:
    """The share of authors after the first one that the record has, too; 1 for a lone author."""
    named = [family_keys(author) for author in printed if not author.body]
    if not named:
        return 1.0
    keys = frozenset[str]().union(*(family_keys(author) for author in known))
    given = {"".join(words(author.given)) for author in known}
    return sum(bool(each & keys or each & given) for each in named) / len(named)


def _same_body(one: str, other: str) -> str | None:
    mine, yours = [word for word in words(one) if word not in _LINKS], [w for w in words(other) if w not in _LINKS]
    if {*mine} <= {*yours} or {*yours} <= {*mine}:
        return "name of a body"
    if bodies(one) & bodies(other):
        return "another name of the body"
    for short, whole in ((mine, yours), (yours, mine)):
        if "".join(short) in {"".join(word[0] for word in whole), "".join(word[0] for word in words(" ".join(whole)))}:
            return "acronym"
        if short and short[0] == "".join(word[0] for word in whole):
            return "acronym"
    return None


_LINKS: Final = word_set(
    """
    the of and for on in
    """
)
_SOUNDS: Final = ((re.compile("ae"), "a"), (re.compile("oe"), "o"), (re.compile("ue"), "u"), (re.compile("ss"), "s"))


def _transcribed(name: str) -> str:
    for pattern, instead in _SOUNDS:
        name = pattern.sub(instead, name)
    return name


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
