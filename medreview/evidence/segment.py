"""Segmentation of a source's text into passages: sentences, list items, table rows, headings.

Also the parts of trial records, labels and leaflets: which one a heading begins, and which one a statement is about.
Records of ClinicalTrials.gov and product labels are lists and tables below fixed headings (42 CFR 11.28 and 11.48; 21
CFR 201.57). A row there shares few words with a statement: the heading says what it is about, and of which arm.
"""

import re
from functools import lru_cache, partial
from itertools import pairwise
from typing import Final, Literal, NamedTuple

from medreview.citations.markers import opening_address
from medreview.statements.sentences import sentence_spans
from medreview.text import Span

RecordPart = Literal["", "eligibility", "interventions", "outcomes", "adverse events", "baseline"]


class Place(NamedTuple):
    """A part of a record, and the number of the arm it is about (from 1; 0 when it is about all)."""

    part: RecordPart
    arm: int


NOWHERE: Final = Place("", 0)


class AnsweringParts(NamedTuple):
    """The parts of a record that would answer a statement, and the numbers of the arms that it names."""

    parts: frozenset[RecordPart]
    arms: frozenset[int]


NOTHING_ASKED: Final = AnsweringParts(frozenset(), frozenset())

_HEADINGS: Final[tuple[tuple[RecordPart, str], ...]] = (
    ("adverse events",
     r"(?:(?:serious|other|all|(?:most )?common|reported|possible|treatment.emergent)\W+)*"
     r"(?:\(?not including serious\)?\W*)?"
     r"(?:adverse (?:events?|effects?|reactions?)|side.effects|undesirable effects|toxicit(?:y|ies)|harms)"
     r"|safety(?: results| outcomes)?|all.cause mortality"),
    ("eligibility",
     r"(?:(?:key|main|major|patient|ages?|sex(?:es)?)\W+)*(?:eligib(?:ility|le)|inclusion|exclusion|selection|entry)"
     r"(?:(?:/| and | or )(?:eligibility|inclusion|exclusion))?(?: criteria| for study)?|who can (?:participate|join)"),
    ("interventions",
     r"(?:(?:study|trial|experimental|participant)\W+)*(?:arms?|interventions?|treatments?|(?:arms?|groups?)(?: and|/)"
     r" ?(?:arms?|interventions?)|treatment (?:plan|schedule|arms?|groups?)|study drugs?|dos(?:ing|age)"
     r"(?: and administration)?|posology)"),
    ("outcomes",
     r"(?:(?:current|original|primary|secondary|other|main|efficacy|study|pre.specified)\W+)*(?:outcomes?|end.?points?)"
     r"(?: measure(?:ment)?s?)?(?:\s*:\s*\S.*)?|results?(?= \d)"),
    ("baseline",
     r"(?:baseline|participant|patient|demographic)s?(?: and \w+)?(?: characteristics| measures| demographics| flow)+"
     r"|demographics"),
)  # fmt: skip
_ARM_NUMBERING: Final = r"[\s#*_\[=]*(?:\d{1,2}(?:\.\d{1,2})*[.)]?\s+)?"
_PATTERNS: Final = tuple(
    (
        part,
        re.compile(rf"{_ARM_NUMBERING}(?:{words})(?:\W+(\d{{1,2}}|[A-D]|I{{1,3}}))?\s*[*_:.\]=]*\s*$", re.IGNORECASE),
    )
    for part, words in _HEADINGS
)
_WORDS: Final[tuple[tuple[RecordPart, str], ...]] = (
    ("adverse events", r"adverse|side.effects?|toxicit\w+|complications?|suffer\w*|experienc\w+|develop\w*|affect\w*|"
                       r"incidence|occur\w*|observed|record(?:s|ed)|report(?:s|ed)|died|deaths?|mortality|cases? of"),
    ("eligibility", r"(?:in)?eligib\w+|includable|included|inclusion|exclu\w+|enrol\w*|participat(?:e|ion)|join\w*|"
                    r"entry|enter(?:ed|ing)?|admi(?:tted|ssion)|recruit\w*|tak(?:e|ing) part|accept\w*|candidates?|"
                    r"allow\w*|permitted|suitable|barred|criteri\w+|(?:dis)?qualif\w+|must|requir\w+|needs?|cannot|"
                    r"aged|years old|or older|history of|prior|previous\w*|willing|only (?:men|women|people|patients)"),
    ("interventions", r"interventions?|treatments?|treated|therap(?:y|ies)|medications?|regimens?|schedules?|cycles?|"
                      r"dos(?:e|es|ed|ages?|ing)|m?c?g|administ\w+|receiv\w+|given|takes?|gets?|undergo\w*|oral|orally|"
                      r"by mouth|intravenous\w*|infus\w+|inject\w+|placebo|(?:once|twice) daily"),
    ("outcomes", r"outcomes?|end.?points?|median|mean|average|rates?|percentage|survival|progression|remission|"
                 r"respon\w+|time frame|assess\w+|measur\w+|analy[sz]\w+|follow\w*|scores?|PFS|OS|achiev\w+|improv\w+|"
                 r"results?"),
    ("baseline", r"baseline|demographic\w*"),
)  # fmt: skip
_ASKED: Final = tuple((part, re.compile(rf"\b(?:{words})\b", re.IGNORECASE)) for part, words in _WORDS)
_ARM: Final = re.compile(
    r"\b(?:(?:of|in|to|from) )?(?:the )?(?:(?:cohorts?|arms?|groups?|interventions?) "
    r"(\d|(?-i:[A-D]|I{1,3})|one|two|three)(?: and (\d|(?-i:[A-D]|I{1,3})|two|three))?"
    r"|(first|second|third) (?:cohort|arm|group))\b(?![.,]\d)",
    re.IGNORECASE,
)
_NO_CONTENT: Final = re.compile(
    r"\b(?:(?:of|in|to|from|for) )?(?:the|this) (?:(?:primary|secondary|first|second|present|current|clinical) )?"
    r"(?:trial|study)\b|\b(?:the )?(?:patients?|people|persons?)\b",
    re.IGNORECASE,
)
_NUMBERS: Final = {"i": 1, "ii": 2, "iii": 3, "a": 1, "b": 2, "c": 3, "d": 4, "one": 1, "two": 2, "three": 3,
                   "first": 1, "second": 2, "third": 3}  # fmt: skip
_LONGEST_HEADING: Final = 60
_TOTAL: Final = re.compile(r"[\s|]*(?:total|overall|any)\b", re.IGNORECASE)


def place_of(heading: str) -> Place | None:
    """The part of a record that a heading begins, or ``None``."""
    return _place_of(heading) if len(heading) <= _LONGEST_HEADING else None


@lru_cache(maxsize=20_000)
def _place_of(heading: str) -> Place | None:
    for part, pattern in _PATTERNS:
        if found := pattern.match(heading):
            return Place(part, _number(found[1]) if found[1] else 0)
    return None


@lru_cache(maxsize=2_000)
def asked(statement: str) -> AnsweringParts:
    """The parts and arms that a statement is about."""
    parts = frozenset(part for part, pattern in _ASKED if pattern.search(statement))
    arms = frozenset(_number(name) for found in _ARM.finditer(statement) for name in found.groups() if name)
    return AnsweringParts(parts, arms)


def content(statement: str, *, numbered_arms: bool) -> str:
    """A statement about a record without the words that name the trial, those in it, or, by its number, an arm."""
    statement = _NO_CONTENT.sub(" ", statement)
    return _ARM.sub(" ", statement) if numbered_arms else statement


def is_total(row: str) -> bool:
    """Whether a row of a table or list sums up all of them."""
    return _TOTAL.match(row) is not None


def _number(name: str) -> int:
    return int(name) if name.isdecimal() else _NUMBERS[name.lower()]


PassageKind = Literal["sentence", "item", "row", "heading"]


class Passage(NamedTuple):
    """A half-open range of code points, its kind, the section that it belongs to, and its place in a record.

    ``section`` is ``""`` when unknown, else title, background, methods, results, conclusion or references.
    """

    start: int
    end: int
    kind: PassageKind
    section: str
    place: Place


_SECTIONS: Final = (
    ("references", r"references?|bibliography|literature cited|further reading|external links|see also|"
                   r"acknowledge?ments?|competing interests|conflicts? of interest|funding|authors?'? contributions|"
                   r"copyright"),
    ("conclusion", r"conclusions?(?: and relevance| and implications)?|interpretation|summary|key (?:points|messages)|"
                   r"implications|recommendations?|discussion and conclusions?"),
    ("results", r"(?:main |measurements and main )?results?(?: and discussion)?|(?:main )?findings?|outcomes?|"
                r"observations?"),
    ("methods", r"(?:materials?|patients?|subjects?|participants?|data sources?)(?: and|,) methods|methods?|"
                r"methodology|methods and (?:materials|findings)|(?:study )?design|setting|participants?|"
                r"patients?|interventions?|"
                r"measurements?|main outcome measures?|statistical (?:analysis|methods)|statistics|"
                r"data (?:collection|analysis)|search strategy|eligibility criteria|procedures?|ethics(?: approval)?|"
                r"sample size|randomi[sz]ation"),
    ("background", r"background|introduction|objectives?|aims?|purpose|context|importance|rationale|hypothesis"),
    ("", r"abstract|discussion|comment|overview|limitations"),
)  # fmt: skip
_SECTION_WORDS: Final = (
    ("references", re.compile(r"\breferences\b", re.IGNORECASE)),
    ("conclusion", re.compile(r"\bconclusions?\b", re.IGNORECASE)),
    ("results", re.compile(r"\bresults\b", re.IGNORECASE)),
    ("methods", re.compile(r"\bmethods\b", re.IGNORECASE)),
    ("background", re.compile(r"\b(?:background|introduction)\b", re.IGNORECASE)),
    ("", re.compile(r"\bdiscussion\b", re.IGNORECASE)),
)
_NUMBERING: Final = r"[\s#*_]*(?:(?:\d{1,2}(?:\.\d{1,2})*|[IVX]{1,4})[.)]?\s+)?"
_SECTION_HEADINGS: Final = tuple(
    (name, re.compile(rf"{_NUMBERING}(?:{words})\s*[*_:.]*\s*$", re.IGNORECASE)) for name, words in _SECTIONS
)
_SECTION_LABELS: Final = tuple(
    (name, re.compile(rf"{_NUMBERING}(?:(?:{words})(?:/[A-Za-z ]{{3,30}})?)\s*[*_]*:(?=\s|\w)", re.IGNORECASE))
    for name, words in _SECTIONS
)
_ITEM: Final = re.compile(r"\s*(?:[-*+•‣◦▪●–—·]\s|\(?\d{1,2}[.)]\s|\(?[a-z]\)\s)")
_ITEM_OPENERS: Final = "-*+•‣◦▪●–—·("
_ROW: Final = re.compile(r"\t|\s\|\s|^\s*\||\S {3,}\S+ {3,}\S")
_SENTENCE_END: Final = re.compile("[.!?…。！？\f\u2029]")
"""What can end a sentence within a line."""
WRAP_LENGTH: Final = 45
"""Characters of a line from which on it may go on in the next one, where lines are wrapped."""
_HEADING_LENGTH: Final = 90
_LABEL_LENGTH: Final = 60


class _Line(NamedTuple):
    """A line without leading and trailing white space, and its features."""

    start: int
    end: int
    text: str
    item: bool
    row: bool
    section: str | None
    apart: bool
    """Whether no line stands right above it."""


_passage = partial(tuple.__new__, Passage)
_line = partial(tuple.__new__, _Line)
"""Both of a tuple, in a third of the time: a source has hundreds."""


def segment(text: str) -> list[Passage]:
    """The passages of a text, in order and disjoint; every character that is not white space is in one of them.

    Only the marker with an address that a retrieved text may begin with is in none.
    """
    lines = _lines(text, opening_address(text))
    wrapped = _is_wrapped(lines)
    passages: list[Passage] = []
    section, place = "", NOWHERE
    for number, group in enumerate(_groups(lines, wrapped)):
        start, end = group[0].start, group[-1].end
        kind = _kind(group)
        if kind == "heading" and place != NOWHERE and _is_entry(group[0]):
            kind = "sentence"
        if kind == "heading":
            heading = _section_of(group[0].text, inside=True)
            place = place_of(group[0].text) or (NOWHERE if heading is not None or group[0].apart else place)
            section = heading if heading is not None else ("title" if number == 0 else _after_heading(section))
            passages.append(_passage((start, end, kind, section, place)))
            if section == "title":
                section = ""
            continue
        if kind == "row":
            passages.append(_passage((start, end, kind, section, place)))
            continue
        whole = len(group) == 1 and not _SENTENCE_END.search(text, start, end - 1)
        for span in (Span(start, end),) if whole else sentence_spans(text, start, end):
            if text.find(":", span.start, min(span.end, span.start + _LABEL_LENGTH)) >= 0:
                labelled = _label_of(text[span.start : min(span.end, span.start + _LABEL_LENGTH)])
                section = labelled if labelled is not None else section
            passages.append(_passage((*span, kind, section, place)))
    return passages


def is_wrapped(text: str) -> bool:
    """Whether the lines of a text are hard-wrapped, not paragraphs."""
    return _is_wrapped(_lines(text))


def _after_heading(section: str) -> str:
    """The section after an unknown heading: within methods or results it is a sub-heading, after the references a new
    section begins."""
    return "" if section in ("title", "references", "conclusion") else section


def _lines(text: str, at: int = 0) -> list[_Line | None]:
    """The lines of a text from an offset on; ``None`` for a blank line."""
    found: list[_Line | None] = []
    for raw in text[at:].split("\n"):
        bare = raw.strip()
        if bare:
            start = at + len(raw) - len(raw.lstrip())
            end = start + len(bare)
            apart = not found or found[-1] is None
            found.append(_line((start, end, bare, is_item(bare), is_row(bare), _section_of(bare), apart)))
        else:
            found.append(None)
        at += len(raw) + 1
    return found


def _is_wrapped(lines: list[_Line | None]) -> bool:
    """Whether the lines of a text are hard-wrapped (PDF), not paragraphs."""
    pairs = [(line, after) for line, after in pairwise(lines) if line and after and len(line.text) >= WRAP_LENGTH]
    flowing = sum(after.text[0].islower() and line.text[-1] not in ".!?:;" for line, after in pairs)
    return flowing >= 3 and flowing * 5 >= len(pairs)


def _groups(lines: list[_Line | None], wrapped: bool) -> list[list[_Line]]:
    """The lines grouped into paragraphs, list items, rows and headings; in a part of a record each is an entry."""
    groups: list[list[_Line]] = []
    before: _Line | None = None
    entries = False
    for line in lines:
        if line is not None:
            if line.apart or line.text[-1] == ":":
                entries = not wrapped and (place_of(line.text) is not None or (entries and line.section is None))
            if before is not None and not entries and _continues(before, line, wrapped):
                groups[-1].append(line)
            else:
                groups.append([line])
        before = line
    return groups


def _continues(before: _Line, line: _Line, wrapped: bool) -> bool:
    if line.item or line.row or before.row or before.section is not None or line.section is not None:
        return False
    if line.text[0].islower():
        return before.text[-1] not in ".!?" or wrapped
    return wrapped and (len(before.text) >= WRAP_LENGTH or before.text[-1] in ",-(")


def _kind(group: list[_Line]) -> PassageKind:
    first = group[0]
    if first.item:
        return "item"
    if first.row:
        return "row"
    if len(group) == 1 and _is_heading(first):
        return "heading"
    return "sentence"


def is_item(line: str) -> bool:
    """Whether a line is an item of a list."""
    # cheap tests first: this runs on every line of every source
    return (line[0] in _ITEM_OPENERS or line[0].isdecimal() or line[1:2] == ")") and _ITEM.match(line) is not None


def is_row(line: str) -> bool:
    """Whether a line is a row of a table: cells parted by tabs, bars or wide gaps."""
    return ("\t" in line or "|" in line or "   " in line) and _ROW.search(line) is not None


def _is_entry(line: _Line) -> bool:
    """Whether a line of a record that looks like a heading is a name with its value (``Time frame: 2 years``)."""
    return ": " in line.text and not line.apart and place_of(line.text) is None


def _is_heading(line: _Line) -> bool:
    text = line.text
    if text[0] == "#" or line.section is not None:
        return True
    return (
        len(text) <= _HEADING_LENGTH and text[-1] not in ".!;,)" and not text[0].islower() and len(text.split()) <= 14
    )


def _section_of(heading: str, *, inside: bool = False) -> str | None:
    """The section that a heading begins, or ``None`` for an unknown heading.

    ``inside``: the name may be one of several words (``Clinical results``), for a line known to be a heading.
    """
    if len(heading) > 60:
        return None
    return _section_named(heading, inside)


@lru_cache(maxsize=20_000)
def _section_named(heading: str, inside: bool) -> str | None:
    known = next((name for name, pattern in _SECTION_HEADINGS if pattern.match(heading)), None)
    if known is None and inside:
        known = next((name for name, pattern in _SECTION_WORDS if pattern.search(heading)), None)
    return known


def _label_of(opening: str) -> str | None:
    """The section of a label at the beginning of a sentence (``RESULTS: ...``), or ``None``."""
    return next((name for name, pattern in _SECTION_LABELS if pattern.match(opening)), None)
