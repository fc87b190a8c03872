"""The title of a reference compared with that of a record, word by word.

Parts that are no title are recognised first: document numbers, editions, words for a kind of document, publishers.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import islice
from pathlib import Path
from typing import Final, Literal

from rapidfuzz.distance import Levenshtein

from medreview.references.comparing.word_matching import (
    FUNCTION_WORDS,
    Known,
    content_words,
    same_word,
    spelling,
    words,
)
from medreview.references.model import Author, Record, Reference, WorkKind
from medreview.text import word_set

UPDATED: Final[frozenset[WorkKind]] = frozenset({"guideline", "web_page", "drug_label", "report"})
"""Works that are updated where they stand, under their old address and number."""

_NUMBER: Final = (
    r"(?:(?P<nice>NG|CG|TA|QS|PH|IPG|DG|MTG|HST|NICE guideline (?=\d))[ -]?(?P<nice_no>\d{1,4})\b"
    r"|(?P<who>WHO(?:/[A-Z0-9][A-Z0-9._-]*){2,})"
    r"|(?P<sign>SIGN) (?:guideline )?(?:no\.? )?(?P<sign_no>\d{1,3})\b)"
)
_NUMBERED: Final = re.compile(rf"(?<![A-Za-z0-9/]){_NUMBER}")
_NICE_PAGE: Final = re.compile(r"nice\.org\.uk/guidance/([a-z]{2,3}\d{1,4})\b", re.IGNORECASE)
_NICE: Final = re.compile(r"\bNICE\b|nice\.org\.uk|National Institute for (?:Health|Clinical)")
_KIND: Final = (
    r"(?:(?:NICE|SIGN|WHO)\s+)?(?:clinical\s+|public health\s+)?(?:guidelines?|guidance|technology appraisal"
    r"(?: guidance)?|quality standard)"
)
_WITH_NUMBER: Final = re.compile(
    rf"(?:^|(?<=[\s.,:;(\[–-]))[(\[]?(?:{_KIND}[\s:,]*)?[(\[]?(?-i:{_NUMBER})[)\]]{{0,2}}|[(\[]{_KIND}[)\]]",
    re.IGNORECASE,
)
_LABEL: Final = re.compile(
    r"[(\[]?\b(?:(?:US |U\.S\. |full |highlights of )?prescribing information|package (?:insert|leaflet)|drug label"
    r"|product (?:label|labell?ing|monograph|information)|summary of product characteristics|SmPC"
    r"|medication guide)\b[)\]]?",
    re.IGNORECASE,
)
_SHEET: Final = re.compile(r"[(\[]?\bfact[ -]?sheet\b[)\]]?", re.IGNORECASE)
_EDITION: Final = re.compile(
    r"[,.;:]?\s*[(\[]?\b(?:(\d{1,3})(?:st|nd|rd|th)|(first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth))"
    r"\s+ed(?:ition|n)?\b\.?[)\]]?",
    re.IGNORECASE,
)
_ORDINALS: Final = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_READ: Final = 2000
_COMPANY: Final = word_set(
    """
    inc ltd llc co company corporation corp gmbh ag plc sa limited pharmaceuticals pharmaceutical pharma laboratories
    and the of usa us
    """
)


@lru_cache(maxsize=4096)
def document_numbers(text: str) -> frozenset[str]:
    """The numbers by which bodies call their documents (``NG28``, ``WHO/NMH/NVI/15.1``), in capitals.

    NICE's series count only where NICE is named, as their letters stand for much else.
    """
    text = text[:_READ]
    found = {number.upper() for number in _NICE_PAGE.findall(text)}
    named = _NICE.search(text) is not None
    for match in _NUMBERED.finditer(text):
        if match["nice"]:
            series = "NG" if match["nice"].startswith("NICE") else match["nice"]
            found |= {f"{series}{match['nice_no']}"} if named else set()
        else:
            found.add((match["who"] or f"SIGN{match['sign_no']}").rstrip("."))
    return frozenset(found)


def numbers_of_record(record: Record) -> frozenset[str]:
    """The document numbers of a record; formats keep them in its title, its address, or in place of pages."""
    named = " ".join(author.family for author in record.authors[:2] if author.body)
    return document_numbers(
        " ".join((record.title[:500], record.pages[:100], record.url[:500], named, record.publisher))
    )


@lru_cache(maxsize=4096)
def bare_title(title: str) -> str:
    """A title without a document's number, an edition, and the words for a drug label or a fact sheet."""
    bare = title[:_READ]
    for pattern in (_WITH_NUMBER, _LABEL, _SHEET, _EDITION):
        bare = pattern.sub(" ", bare)
    return bare.strip(" .,:;-–")


@lru_cache(maxsize=4096)
def is_label(text: str) -> bool:
    """Whether a text calls itself a drug label."""
    return _LABEL.search(text[:_READ]) is not None


def edition_number(edition: str, title: str = "") -> int | None:
    """The number of an edition (``21st``, ``Third edition``, ``20``), else the one in the title; ``None`` for none."""
    if found := re.search(r"(?<!\d)\d{1,3}(?!\d)", edition):
        return int(found[0])
    if found := _EDITION.search(title[:_READ]):
        return int(found[1]) if found[1] else _ORDINALS.index(found[2].casefold()) + 1
    first = edition.casefold().split()[:1]
    return _ORDINALS.index(first[0]) + 1 if first and first[0] in _ORDINALS else None


@lru_cache(maxsize=2048)
def bodies(name: str) -> frozenset[int]:
    """Which bodies of the table a name names, by acronym or whole, several of a joint work."""
    named = f" {' '.join(words(name))} "
    return frozenset(number for form, number in _table() if f" {form} " in named)


def of_another_maker(reference: Reference, record: Record) -> bool:
    """Whether both labels name a maker, and share no word of the names."""
    printed = _maker(reference.authors, reference.publisher, reference.container)
    known = _maker(record.authors, record.publisher)
    return bool(printed and known and not printed & known)


def _maker(authors: tuple[Author, ...], *names: str) -> frozenset[str]:
    named = [*(author.family for author in authors if author.body), *names]
    regulators = _regulators()
    own = [name for name in named if not bodies(name) & regulators]
    return frozenset(word for name in own for word in words(name) if word not in _COMPANY)


@cache
def _read_table() -> dict[str, list[list[str]] | list[str]]:
    return tomllib.loads(Path(__file__).with_name("bodies.toml").read_text("utf-8"))


@cache
def _table() -> tuple[tuple[str, int], ...]:
    return tuple((" ".join(words(name)), at) for at, names in enumerate(_read_table()["names"]) for name in names)


@cache
def _regulators() -> frozenset[int]:
    return frozenset(number for name in _read_table()["regulators"] for number in bodies(str(name)))


TitleLikeness = Literal["same", "slips", "changed", "other"]
"""The same words; differences that mislead nobody; this title with a content word changed; another title."""

_SUBTITLE: Final = re.compile(r"[:.?!;–—(\[]|\s-+\s")
_SENTENCE: Final = re.compile(r"[.?!]\W*\s")
_MOST_SENTENCES: Final = 12
_FEWEST_BEGUN: Final = 4
"""Content words of a beginning from which on it is that of one title."""
_NO_SUBTITLE: Final = "without its subtitle"
_MOST_OF: Final = 0.7
_MOST_CHANGED: Final = 3
_CHANGED_SHARE: Final = 0.25
_PART: Final = word_set(
    """
    part parts volume chapter section edition update supplement
    """
)
_SAID_BEFORE: Final = re.compile(
    r"\W*(?:(?:comments?|commentary|reply|response|authors?['’]? (?:reply|response)|letter|editorial) (?:on|to)\b"
    r"|(?:re|reply|response|comment|erratum|errata|corrigend(?:um|a)|correction|addendum|retraction)"
    r"(?: (?:to|for|of|notice))?\s*:|(?:erratum|corrigendum|correction|addendum|retraction) (?:to|for|of)\b)",
    re.IGNORECASE,
)
_SAID_AFTER: Final = re.compile(
    r"[:.?!–—-]\s*(?:the )?(?:authors?['’]?s? (?:reply|response|respond)|(?:a )?(?:reply|response)|(?:a )?comment"
    r"|erratum|corrigendum|(?:a )?correction)\W*\Z",
    re.IGNORECASE,
)
_PART_NUMBER: Final = re.compile(r"\bpart ([0-9]{1,2}|[ivx]{1,4}|one|two|three|four)\b", re.IGNORECASE)
_NUMBERS: Final = re.compile(r"[0-9]+[a-z]?$|[ivx]+$|[a-d]$")


@dataclass(frozen=True, slots=True)
class TitleComparison:
    """How a printed title compares with a record's.

    ``changes``: words of the one and of the other that are not the same, either of them may be ``""``. ``slips``: why
    other differences mislead nobody. ``shared``: the share of the content words of the longer title that both have, in
    0..1. ``content``: content words of the record's title. ``another_part``: only a number of a part differs, so that
    it is a work beside the record's.
    """

    likeness: TitleLikeness
    title: str
    changes: tuple[tuple[str, str], ...] = ()
    slips: tuple[str, ...] = ()
    shared: float = 1.0
    content: int = 0
    another_part: bool = False

    @property
    def rank(self) -> float:
        """The higher the more alike: 3 for the same words, 2 for slips, 1 for a changed word, below that the share."""
        return {"same": 3.0, "slips": 2.0, "changed": 1.0, "other": 0.0}[self.likeness] + min(0.99, self.shared)


def compare_titles(printed: str, titles: Iterable[str], known: Known) -> TitleComparison:
    """The comparison with that of a record's titles (its own, a translation, a short one) that is the most alike."""
    best = TitleComparison("other", "", shared=0.0)
    of_print = words(printed)
    for title in titles:
        compared = _compared(printed, of_print, title, known)
        if compared.likeness in ("changed", "other") and _mostly(of_print, words(title)):
            compared = max((compared, *_of_pieces(printed, title, known)), key=lambda each: each.rank)
        if not best.title or compared.rank > best.rank:
            best = compared
        if best.likeness == "same":
            break
    return best


def named_by(name: str, titles: Iterable[str]) -> TitleComparison | None:
    """The comparison of what a work is called with a record's titles: one that has every word of the name is the same
    but for its length, and where none has, the name shows nothing."""
    ours = {word.rstrip("s") for word in content_words(name)}
    for title in titles:
        content = content_words(title)
        if ours and ours <= {word.rstrip("s") for word in content}:
            return TitleComparison("slips", title, (), ("short name",), len(ours) / len(content), len(content))
    return None


def _mostly(of_print: tuple[str, ...], of_record: tuple[str, ...]) -> bool:
    """Whether the shorter title is mostly in the longer one: names or the journal may have been read as the title."""
    one, other = {*of_print}, {*of_record}
    return len(one & other) >= _MOST_OF * min(len(one), len(other))


def _of_pieces(printed: str, title: str, known: Known) -> Iterator[TitleComparison]:
    """The comparisons of what is printed without its first or its last sentences."""
    ends = [match.end() for match in islice(_SENTENCE.finditer(printed), _MOST_SENTENCES)]
    for first, last in [(end, len(printed)) for end in ends] + [(0, end) for end in ends]:
        piece = printed[first:last]
        compared = _compared(piece, words(piece), title, known)
        if compared.likeness != "other" and (first or _NO_SUBTITLE not in compared.slips):
            yield compared


def _compared(printed: str, of_print: tuple[str, ...], title: str, known: Known) -> TitleComparison:
    of_record = words(title)
    content = _content(of_record)
    if not of_print or not of_record:
        return TitleComparison("other", title, shared=0.0, content=content)
    if of_print == of_record:
        return TitleComparison("same", title, content=content)
    if (cut := _cut(printed, of_print, of_record, known)) is not None:
        return replace(cut, title=title, content=content)
    changes: list[tuple[str, str]] = []
    slips: list[str] = []
    another_part = False
    same = weight = 0
    blocks = _blocks(of_print, of_record)
    for number, (equal, one, other) in enumerate(blocks):
        if equal:
            count = _content(one)
            same += count
            weight += count
            continue
        last = number == len(blocks) - 1
        if last and number and (tail := _tail(printed, one, title, other)):
            slips.append(tail)
            continue
        for pair in _pairs(one, other):
            why = _slip(*pair, known)
            count = max(_content(pair[0]), _content(pair[1]))
            weight += count
            if why is None:
                changes.append((" ".join(pair[0]), " ".join(pair[1])))
                before = blocks[number - 1][1][-1:] if number else []
                another_part = another_part or (_number(pair[0]) and _number(pair[1]) and bool(_PART & {*before}))
            else:
                slips.append(why)
                same += count
    share = same / weight if weight else float(not changes)
    if not changes:
        exact = not slips or set(slips) == {"punctuation"}
        return TitleComparison("same" if exact else "slips", title, (), tuple(dict.fromkeys(slips)), share, content)
    many = sum(max(len(one.split()), len(other.split())) for one, other in {*changes})
    changed = many <= max(1, min(_MOST_CHANGED, _CHANGED_SHARE * weight)) and same >= 1
    begun = of_print == of_record[: len(of_print)] and _content(of_print) > _FEWEST_BEGUN
    likeness: TitleLikeness = "changed" if changed or begun else "other"
    return TitleComparison(
        likeness, title, tuple(changes), tuple(dict.fromkeys(slips)), share, content, another_part and changed
    )


def _cut(printed: str, of_print: tuple[str, ...], of_record: tuple[str, ...], known: Known) -> TitleComparison | None:
    """The comparison of a title that was cut, as its dots say or its last word does, with as much of the record's;
    ``None`` when it was not, or is another one."""
    count = len(of_print)
    dots = printed.rstrip().endswith(("…", "..."))
    if count >= len(of_record) or _content(of_print) < _FEWEST_BEGUN or not (dots or of_print[-1] in FUNCTION_WORDS):
        return None
    begun = of_record[: count - 1], of_record[count - 1]
    last = of_print[-1] if dots and begun[1].startswith(of_print[-1]) else begun[1]
    beginning = (*begun[0], last)
    if not dots and of_print != beginning:
        return None
    found = _compared(" ".join(of_print), of_print, " ".join(beginning), known)
    return replace(found, likeness="slips", slips=("cut", *found.slips)) if not found.changes else None


def _blocks(one: Sequence[str], other: Sequence[str]) -> list[tuple[bool, list[str], list[str]]]:
    """Ranges of both that are equal or not, in order; no two that are not equal stand beside each other."""
    found: list[tuple[bool, list[str], list[str]]] = []
    for step in Levenshtein.opcodes(one, other):
        equal = step.tag == "equal"
        mine = list(one[step.src_start : step.src_end])
        yours = list(other[step.dest_start : step.dest_end])
        if found and found[-1][0] == equal:
            found[-1][1].extend(mine)
            found[-1][2].extend(yours)
        else:
            found.append((equal, mine, yours))
    return found


def _pairs(one: list[str], other: list[str]) -> list[tuple[list[str], list[str]]]:
    """What stands for what within a range that differs: word by word where that is plain."""
    if spelling("".join(one)) == spelling("".join(other)):
        return [(one, other)]
    if len(one) == len(other):
        return [([a], [b]) for a, b in zip(one, other, strict=True)]
    mine = [word for word in one if word not in FUNCTION_WORDS]
    yours = [word for word in other if word not in FUNCTION_WORDS]
    if mine and len(mine) == len(yours):
        return [([a], [b]) for a, b in zip(mine, yours, strict=True)]
    return [(one, other)]


def _slip(one: list[str], other: list[str], known: Known) -> str | None:
    if "".join(one) == "".join(other):
        return "punctuation"
    if spelling("".join(one)) == spelling("".join(other)):
        return "spelling"
    if not _content(one) and not _content(other):
        return "wording"
    if len(one) == len(other) == 1:
        return same_word(one[0], other[0], known)
    joined = "".join(one), "".join(other)
    if one and other and sorted(joined[0]) == sorted(joined[1]):
        return same_word(*joined, known)
    return None


def _tail(printed: str, one: list[str], title: str, other: list[str]) -> str | None:
    """What it is called when one title ends where a subtitle of the other begins; ``None`` when it does not."""
    cut = printed.rstrip().endswith(("…", "..."))
    if cut and (not one or (len(one) == 1 and other and other[0].startswith(one[0]))):
        return "cut"
    if not one and _at_boundary(title, other):
        return _NO_SUBTITLE
    if not other and _at_boundary(printed, one):
        return "with a subtitle"
    return None


def said_of(title: str) -> str:
    """The words that make a title that of a comment, a reply or a correction of the work that it names; ``""`` else."""
    found = _SAID_BEFORE.match(title[:200]) or _SAID_AFTER.search(title[-200:])
    return " ".join(words(found[0])) if found else ""


def part_numbers(text: str) -> set[str]:
    """The numbers of parts that a text names, as digits: of "Part II" ``2``."""
    return {spelling(found[1].casefold()) for found in _PART_NUMBER.finditer(text)}


def main_title(title: str) -> str:
    """A title without its subtitle."""
    found = _SUBTITLE.search(title[:2000])
    return title[: found.start()] if found else title


def _at_boundary(text: str, tail: list[str]) -> bool:
    return any(words(text[match.end() :]) == tuple(tail) for match in _SUBTITLE.finditer(text[:2000]))


def _content(some: Iterable[str]) -> int:
    return sum(word not in FUNCTION_WORDS for word in some)


def _number(some: list[str]) -> bool:
    return len(some) == 1 and _NUMBERS.match(some[0]) is not None
