"""The authors of a reference compared with those of a record."""

import re
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from rapidfuzz.distance import OSA

from medreview.references.comparing.titles import bodies
from medreview.references.comparing.word_matching import words
from medreview.references.model import Author, Record, Reference
from medreview.text import word_lists, word_set

NameLikeness = Literal["same", "slip", "wrong", "unknown"]
"""Of a field: the same, a harmless difference, another one, nothing to compare with."""

_PARTICLES: Final = word_set(word_lists(__file__)["particles"])
_DOUBLE: Final = "part of a double name"
_SHOWN: Final = 3
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


def names_written(authors: Sequence[Author], et_al: bool = False) -> str:
    """Authors as a line: ``Smith J, Jones A, Doe B, et al.``, three at most."""
    shown = [f"{author.family} {author.given}".strip() for author in authors[:_SHOWN]]
    return ", ".join(shown + ["et al."] * (et_al or len(authors) > _SHOWN))


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
