"""A response's own list of sources: how it is recognised, and which number or author and year stands for which source.

The list is the one in its text ("References", numbered lines, footnotes, ``[1] https://...``), and the one given beside
it; the numbers of the text are what a reader sees and come first.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from medreview.citations.citation import canonical_key
from medreview.citations.extract import extract, extract_entry
from medreview.text import Span

SOURCES_TITLE: Final = re.compile(
    r"""[\W_]{0,8} (?:(?:key|main|selected|additional|useful|cited|primary|all|my|your)\s)?
    (?:sources?(?:\s(?:and|&)\s\w{1,20}|\scited|\sused)?|references?(?:\scited)?|refs?\.?(?=[\s*_]{0,6}[:：])|citations?|bibliography|works\scited|reference\slist|literature(?:\scited)?
      |(?:further|suggested|recommended)\sreading|see\salso|links?|for\s(?:more|further)\sinformation(?:,?\ssee)?(?=[\s*_]{0,6}[:：])
      |resources|useful\slinks|quellen(?:angaben|verzeichnis)?|quelle|(?:weiterführende\s)?literatur(?:verzeichnis|angaben)?|belege|nachweise
      |références(?:\sbibliographiques)?|bibliographie|fuentes|referencias|bibliografía)
    (?:\[\d{1,3}\])? [\s*_]{0,6} (?P<colon>[:：])? [\s*_]{0,6} (?P<rest>.*)\Z""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
"""The title of a list of sources, at the start of a line; ``rest`` is what stands after it in the line."""
NOTE: Final = re.compile(r"\s*(?:[-*•]\s+)?\[\^?\w{1,4}\^?\](?::|\s)")
"""A footnote: ``[^1]: ...``."""
BIBLIOGRAPHIC: Final = re.compile(
    r"\b(?:19|20)\d\d\s?;\s?\d|\bet al\b|\((?:19|20)\d\d[a-z]?\)|\b\d{1,4}\(\d{1,3}\)[:,]"
    r"|\bvol\.|\bpp\.|\bAccessed\b|\b(?:19|20)\d\d\.?\s{0,3}\Z"
)
"""What stands in references and hardly elsewhere: year and volume, "et al", pages, the day of access."""


def is_sources_title(sentence: str) -> bool:
    """Whether a sentence is the title of a list of sources, perhaps with a mark put to it: "References[20]:"."""
    title = SOURCES_TITLE.match(sentence)
    return title is not None and not title["rest"].strip()


_DIGITS: Final = r"\d{1,3}(?!\d)"
_LABEL: Final = rf"""(?:\[\s?\^?(?P<square>{_DIGITS})\^?\s?\](?!\():?
    |【(?P<wide>{_DIGITS})[^】\n]{{0,40}}】:?|\((?P<round>{_DIGITS})\)
    |(?P<dotted>{_DIGITS})(?:[.):]|\.?[ \t]?[-–—])(?=\s)|\^(?P<raised>{_DIGITS})\^?(?=[\s:]):?
    |(?P<bare>{_DIGITS})(?=[ \t]+(?:https?:|www\.|10\.\d{{4}}))|(?P<super>[¹²³⁰⁴-⁹]{{1,3}}):?)"""
_ENTRY_LABEL: Final = re.compile(rf"^[ \t>]*(?:[-*+•][ \t]+)?[*_]{{0,3}}{_LABEL}[*_]{{0,3}}", re.VERBOSE | re.MULTILINE)
_ROW_LABEL: Final = re.compile(rf"^[ \t>]*\|[ \t]*\[?\^?(?P<cell>{_DIGITS})\]?[ \t]*(?=\|)", re.MULTILINE)
"""The number in the first cell of a row, where the sources stand in a table."""
_INNER_LABEL: Final = re.compile(rf"(?<=[\s;,.:])\[\^?(?P<square>{_DIGITS})\^?\]:?(?=\s)")
_LINKED_NUMBER: Final = re.compile(rf"\[\[?\^?({_DIGITS})\^?\]?\]\(\s*<?(?=https?:|www\.)")
_BULLET: Final = re.compile(r"[ \t>]*[-*+•][ \t]+")
_SUPERSCRIPT: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_YEAR: Final = re.compile(r"(?<![\d/.-])((?:19|20)\d\d)([a-z]?)(?![\d/-])")
_LEAD: Final = re.compile(r"[^.,(:;&\n]{2,80}")
_NAME: Final = re.compile(r"[^\W\d_a-z][^\W\d_]*(?:['’-][^\W\d_]+)*")
_LONGEST_ENTRY: Final = 2_000
Name = tuple[str, str]
"""First author (or the initials of an organisation) in small letters, and year, perhaps with a letter: smith, 2019a."""


@dataclass(frozen=True, slots=True)
class OwnNumbers:
    """Canonical keys of the sources by number and by author and year; a number without any cites nothing to fetch.

    Two numbers may be one source, and one number several (an entry with a DOI and a PMID).
    """

    numbers: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    names: Mapping[Name, tuple[str, ...]] = field(default_factory=dict)

    def of_name(self, author: str, year: str) -> tuple[str, ...]:
        """The sources of (Author 2019); those of 2019 for 2019a when the list has no letters."""
        author = author.casefold()
        return self.names.get((author, year)) or self.names.get((author, year[:4])) or ()


class _Entry(NamedTuple):
    number: int | None
    text: str
    keys: tuple[str, ...]


def own_numbers(text: str, listed: Sequence[str] = (), lists: Sequence[Span] = ()) -> OwnNumbers:
    """What a response's numbers stand for. ``lists`` are the places of its lists of sources in ``text``, in order,
    each from the number of its first entry on.

    Entries of ``listed`` without a number have their place in the list, unless the list in the text has numbers.
    """
    in_text = list(_entries_of(text, lists))
    beside = [_entry(item) for item in listed]
    numbers = _numbered(in_text)
    explicit, by_place = _numbered(beside), dict(enumerate((entry.keys for entry in beside), 1))
    if not numbers:
        placed = {number: keys for number, keys in by_place.items() if beside[number - 1].number is None}
        numbers = {**placed, **explicit} if beside else _placed(in_text)
    else:
        same_length = len(by_place) == len(numbers)
        for number, keys in (explicit or (by_place if same_length else {})).items():
            if not numbers.get(number):
                numbers[number] = keys
    for number, keys in _linked(text).items():
        numbers.setdefault(number, keys)
    return OwnNumbers(dict(sorted(numbers.items())), _names([*in_text, *beside]))


def author_year(entry: str) -> set[Name]:
    """First author, or organisation and its initials, with every year of an entry: "Smith J, et al. ... 2019"."""
    lead = _LEAD.search(entry)
    if lead is None:
        return set()
    words = [word for word in _NAME.findall(lead.group()) if len(word) > 1 and not (word.isupper() and len(word) < 3)]
    if not words:
        return set()
    authors = {words[0].casefold()}
    if len(words) > 1:
        authors |= {"".join(word[0] for word in words).casefold(), " ".join(words).casefold()}
    years = {year + letter for year, letter in _YEAR.findall(entry)}
    return {(author, year) for author in authors for year in years}


def is_numbered_entry(line: str) -> bool:
    """Whether a line begins as an entry of a list of sources does: ``[1] ...``, ``1. ...``, ``[^1]: ...``."""
    return _ENTRY_LABEL.match(line) is not None


def entry_label(line: str) -> tuple[int, int] | None:
    """The number that an entry of a list of sources begins with, and where its label ends in the line."""
    label = _ENTRY_LABEL.match(line)
    return None if label is None else (_number(label), label.end())


def inner_labels(line: str) -> list[tuple[int, Span]]:
    """The numbers of entries that begin within a line (``... 2019. [2] Lee ...``), each with the place of its label."""
    return [(_number(label), Span(*label.span())) for label in _INNER_LABEL.finditer(line)]


def _entries_of(text: str, lists: Sequence[Span]) -> Iterator[_Entry]:
    for start, end in _runs(text, lists):
        run = text[start:end]
        labels = [one for label in (_ENTRY_LABEL, _ROW_LABEL, _INNER_LABEL) for one in label.finditer(run)]
        begins = {label.start(): label for label in labels}
        at = sorted(begins)
        if not at:
            yield from (_entry(line) for line in run.split("\n") if _BULLET.match(line) or extract(line))
            continue
        for here, after in zip(at, [*at[1:], len(run)], strict=True):
            yield _entry(run[here:after], begins[here])


def _runs(text: str, lists: Sequence[Span]) -> Iterator[Span]:
    """The places of the lists; those with white space between are one."""
    open_run: Span | None = None
    for start, end in lists:
        if open_run is not None and not text[open_run.end : max(start, open_run.end)].strip():
            open_run = Span(open_run.start, end)
            continue
        if open_run is not None:
            yield open_run
        open_run = Span(start, end)
    if open_run is not None:
        yield open_run


def _entry(text: str, label: re.Match[str] | None = None) -> _Entry:
    label = label or _ENTRY_LABEL.match(text.lstrip())
    number = None
    if label is not None:
        number = _number(label)
        text = text.lstrip()[label.end() - label.start() :]
    text = text.strip()[:_LONGEST_ENTRY]
    return _Entry(number, text, tuple(dict.fromkeys(canonical_key(found) for found in extract_entry(text))))


def _number(label: re.Match[str]) -> int:
    return next(int(digits.translate(_SUPERSCRIPT)) for digits in label.groupdict().values() if digits)


def _numbered(entries: Iterable[_Entry]) -> dict[int, tuple[str, ...]]:
    found: dict[int, tuple[str, ...]] = {}
    for entry in entries:
        if entry.number is not None:
            found[entry.number] = tuple(dict.fromkeys((*found.get(entry.number, ()), *entry.keys)))
    return found


def _placed(entries: Iterable[_Entry]) -> dict[int, tuple[str, ...]]:
    return dict(enumerate((entry.keys for entry in entries), 1))


def _linked(text: str) -> dict[int, tuple[str, ...]]:
    """Numbers that are Markdown links: ``[1](https://...)``."""
    found: dict[int, tuple[str, ...]] = {}
    for link in _LINKED_NUMBER.finditer(text):
        target = extract(text[link.end() : link.end() + _LONGEST_ENTRY].split("\n")[0])[:1]
        if target and target[0].start == 0:
            found.setdefault(int(link[1]), (canonical_key(target[0]),))
    return found


def _names(entries: Iterable[_Entry]) -> dict[Name, tuple[str, ...]]:
    found: dict[Name, tuple[str, ...]] = {}
    for entry in entries:
        for name in author_year(entry.text) if entry.keys else ():
            found[name] = tuple(dict.fromkeys((*found.get(name, ()), *entry.keys)))
    return found
