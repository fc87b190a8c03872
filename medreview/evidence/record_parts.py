"""Parts of trial records, labels and leaflets: which one a heading begins, and which one a statement is about.

Records of ClinicalTrials.gov and product labels are lists and tables below fixed headings (42 CFR 11.28 and 11.48; 21
CFR 201.57). A row there shares few words with a statement: the heading says what it is about, and of which arm.
"""

import re
from functools import lru_cache
from typing import Final, Literal, NamedTuple

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
_NUMBERING: Final = r"[\s#*_\[=]*(?:\d{1,2}(?:\.\d{1,2})*[.)]?\s+)?"
_PATTERNS: Final = tuple(
    (part, re.compile(rf"{_NUMBERING}(?:{words})(?:\W+(\d{{1,2}}|[A-D]|I{{1,3}}))?\s*[*_:.\]=]*\s*$", re.IGNORECASE))
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
