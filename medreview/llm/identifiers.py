"""What in a text looks like an identifier of a patient: looked for before texts leave this machine.

By rules, and therefore no proof of anonymity: they find what is written in a usual way, in English, German, French and
Spanish. Of the identifiers of the HIPAA Safe Harbor (45 CFR 164.514(b)(2)) these are dates of birth, numbers of records
and insurances, telephones, e-mail addresses, street addresses, and names behind a title or after ``Patient:``. Names of
clinicians (behind Dr and Prof) are left, since every second answer has one.
"""

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple


class PatientIdentifier(NamedTuple):
    """What was found: its ``kind`` in words, and where (offsets of characters)."""

    kind: str
    start: int
    end: int


_MONTH: Final = (
    r"(?:Jan(?:uary|uar)?|Feb(?:ruary|ruar)?|Mar(?:ch)?|März|Apr(?:il)?|Ma[yi]|June?|Juni?|July?|Juli?|Aug(?:ust)?"
    r"|Sept?(?:ember)?|O[ck]t(?:ober)?|Nov(?:ember)?|De[cz](?:ember)?|janvier|février|mars|avril|juin|juillet|août"
    r"|septembre|octobre|novembre|décembre|enero|febrero|marzo|abril|mayo|junio|julio|agosto|octubre|noviembre|diciembre)"
)
_DATE: Final = (
    r"(?:\d{1,2}[./-]\d{1,2}[./-](?:\d{4}|\d\d)|(?:19|20)\d\d[-/]\d\d[-/]\d\d"
    rf"|\d{{1,2}}(?:st|nd|rd|th|er)?\.?\s+(?:de\s+)?{_MONTH}\.?,?\s+(?:de\s+)?\d{{4}}"
    rf"|{_MONTH}\.?\s+\d{{1,2}}(?:st|nd|rd|th)?,?\s+\d{{4}})\b"
)
_LINK: Final = r"(?:\W{0,4}\b(?:is|was|on|am|le|el|du|des|number|no|nr|id|n°)\b)*[^\w+(]{0,4}"
"""What may stand between a cue and what it announces."""
_BIRTH: Final = (
    r"\b(?:born|d\.?o\.?b\b|date of birth|birth ?(?:date|day)|geb(?:oren)?\b\.?|geburts(?:datum|tag)|née?\b"
    r"|date de naissance|naissance|nacid[oa]|fecha de nacimiento)"
)
_RECORD: Final = (
    r"\b(?:mrn|(?:medical )?record|hosp(?:ital|\.)?|patient|pt|case|chart|nhs|medicare|medicaid|insurance|member|"
    r"health card|passport|social security|ssn|fall|patienten|versicherten|ahv|kvnr|dossier|expediente)"
    r"(?:(?: |-)?(?:number|nummer|num|no\b|nr\b|id\b|identifier|#|n°|n\.º)|(?<=mrn)|(?<=ssn)|(?<=kvnr))"
)
_CALLED: Final = (
    r"\b(?:tel(?:ephone|efon|éfono|\.)?|téléphone|phone|mobile|cell|handy|natel|fax|pager|call(?: (?:her|him|them))?"
    r"|ring|contact|reach(?:ed|able)?(?: (?:at|on))?)"
)
_TOLL_FREE: Final = re.compile(r"1?8(?:00|33|44|55|66|77|88)\d{7}$|0(?:800|808|900)\d+$")
_PUBLIC: Final = re.compile(r"hotline|helpline|lifeline|crisis|poison|emergency|notruf|bereitschaft|urgences", re.I)
_NEAR: Final = 60
"""Characters before a number, of its sentence, in which a word can say that it is a public one."""
_ROLES: Final = frozenset((
    "admin", "contact", "editor", "editors", "enquiries", "help", "hello", "info", "information", "library", "mail",
    "media", "news", "noreply", "office", "permissions", "press", "privacy", "publications", "reprints",
    "secretariat", "secretary", "service", "subscriptions", "support", "webmaster",
))  # fmt: skip
_STREET: Final = (
    r"(?:Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Boulevard|Blvd|Court|Ct|Place|Terrace|Close|Crescent|Square|Row"
    r"|Gardens|Mews)"
)
_NAME: Final = r"[A-ZÄÖÜÉÈÁÍÓÚÑŠŽČĆ][\w'’]*[a-zäöüßéèáíóúñ](?:-[A-Z]\w+)*"
_NO_NAME: Final = frozenset((
    "Adult", "Age", "Care", "Doctor", "Doktor", "Education", "Female", "Information", "Male", "Not", "Outcome",
    "Outcomes", "Population", "Safety", "Unknown",
))  # fmt: skip
"""What stands behind a title or ``Patient:`` and names nobody."""


def _known(text: str, found: "re.Match[str]", group: int) -> bool:
    """Whether a number to call is a public one."""
    number = re.sub(r"\D", "", found[group])
    before = text[max(0, found.start() - _NEAR) : found.start(group)].rpartition(". ")[2]
    return bool(_TOLL_FREE.match(number) or _PUBLIC.search(before))


def _phone(text: str, found: "re.Match[str]") -> bool:
    return not _known(text, found, 1)


def _nhs(text: str, found: "re.Match[str]") -> bool:
    """The check digit of the NHS number: modulus 11 of the nine digits before it, weighted 10 to 2."""
    digits = [int(digit) for digit in found[1] if digit.isdigit()]
    return 11 - sum((10 - place) * digit for place, digit in enumerate(digits[:9])) % 11 in (digits[9], digits[9] or 11)


def _ahv(text: str, found: "re.Match[str]") -> bool:
    """The check digit of the Swiss social security number, that of an EAN-13."""
    digits = [int(digit) for digit in found[1] if digit.isdigit()]
    return sum(digit * (3 if place % 2 else 1) for place, digit in enumerate(digits)) % 10 == 0


def _person(text: str, found: "re.Match[str]") -> bool:
    return not _NO_NAME & set(re.findall(r"\w+", found[1]))


def _own_mail(text: str, found: "re.Match[str]") -> bool:
    return found[1].partition("@")[0].lower() not in _ROLES


def _any(text: str, found: "re.Match[str]") -> bool:
    return True


_RULES: Final[tuple[tuple[str, "re.Pattern[str]", Callable[[str, "re.Match[str]"], bool]], ...]] = (
    ("date of birth", re.compile(rf"{_BIRTH}{_LINK}({_DATE})", re.I), _any),
    ("date of birth", re.compile(rf"({_DATE})\s*\(?(?:dob|date of birth|birth date)\b", re.I), _any),
    ("record number", re.compile(rf"{_RECORD}{_LINK}([A-Z]{{0,4}}-?\d[\dA-Z]*(?:[ -]\d[\dA-Z]*)*)", re.I),
     lambda text, found: sum(map(str.isdigit, found[1])) > 3),
    ("record number", re.compile(r"(?<![\d-])((?!000|666|9)\d{3}-(?!00)\d\d-(?!0000)\d{4})(?![\d-])"), _any),
    ("record number", re.compile(r"(?<!\d)(\d{3} \d{3} \d{4})(?!\d)"), _nhs),
    ("record number", re.compile(r"\b(756\.\d{4}\.\d{4}\.\d\d)\b"), _ahv),
    ("phone", re.compile(rf"{_CALLED}{_LINK}(\(?\+?\d\)?(?:[ ./()-]{{0,2}}\d){{6,13}})(?![\d-])", re.I), _phone),
    ("phone", re.compile(r"(?<![\d.-])((?:\+|00)[1-9]\d{0,2}[ ./-]?(?:\(0\))?(?:[ ./-]?\d){7,11})(?!\d)"), _phone),
    ("phone", re.compile(r"(?<![\d.-])((?:\(\d{3}\) ?|\d{3}([-.]))\d{3}(?(2)\2|[-.])\d{4})(?![\d-])"), _phone),
    ("e-mail", re.compile(r"(?<![\w/.+-])([\w.+-]+@[\w-]+(?:\.[\w-]+)+)"), _own_mail),
    ("address", re.compile(rf"(?<![\d.])(\d{{1,5}}[A-Za-z]?\s+(?:[A-Z][\w'.-]+\s+){{1,3}}{_STREET})\b(?! of)"), _any),
    ("address", re.compile(r"\b([A-ZÄÖÜ][\wäöüß]*(?:straße|strasse|str\.|gasse|weg|allee|platz)\s+\d{1,4}[a-z]?)\b"),
     _any),
    ("address", re.compile(r"\b(\d{1,4}(?: ?bis| ?ter)?,? (?:rue|avenue|boulevard|chemin|place|allée|impasse) "
                           r"(?:du |des |de |d')(?:la |l')?\w+)"), _any),
    ("address", re.compile(r"\b((?:Calle|Avenida|Avda\.) [A-ZÁÉÍÓÚ]\w+(?: \w+)?,? (?:n[ºo°] ?)?\d{1,4})\b"), _any),
    ("name", re.compile(rf"\b(?:Mrs?|Ms|Miss|Mister|Mx|Herrn?|Frau|Monsieur|Madame|Mme|Mlle|Señora?|Sra)\b\.?\s+"
                        rf"({_NAME}(?:\s+{_NAME})?)"), _person),
    ("name", re.compile(rf"(?<![Dd]rug )(?<![Bb]rand )(?<![Gg]eneric )(?<![Tt]rade )"
                        rf"\b(?:[Pp]atient(?:'s)?(?: [Nn]ame)?|[Nn]ame(?= is|:)|Patientin|Nom|Nombre)(?: is)?:? "
                        rf"({_NAME},? {_NAME})(?![\w-])"), _person),
)  # fmt: skip
_WORTH_A_LOOK: Final = re.compile(
    r"\d|@|\b(?:Mrs?|Ms|Miss|Mister|Mx|Herrn?|Frau|Monsieur|Madame|Mme|Mlle|Señora?|Sra)\b|[Nn]ame|[Pp]atient|Nom"
)


def identifiers(text: str) -> Iterator[PatientIdentifier]:
    """Everything in a text that looks like an identifier of a person, in its order; of two that overlap the first."""
    if not _WORTH_A_LOOK.search(text):
        return
    found = sorted(
        (match.start(1), match.end(1), kind)
        for kind, rule, holds in _RULES
        for match in rule.finditer(text)
        if holds(text, match)
    )
    after = 0
    for start, end, kind in found:
        if start >= after:
            yield PatientIdentifier(kind, start, end)
            after = end
