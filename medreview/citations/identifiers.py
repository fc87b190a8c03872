"""Identifiers in running text: DOI, PMID, PMCID, NCT and arXiv, each with the span of the identifier alone."""

import re
from collections.abc import Iterator
from html import unescape
from typing import Final, Literal

from medreview.citations.model import Citation
from medreview.citations.resolvers import ARXIV_ID, arxiv_value

_DOI_START: Final = re.compile(r"(?<![\d.])(?:(?<![A-Za-z])|(?<=doi))10\.\d{4,9}(?:\.\d{1,9}){0,5}/", re.IGNORECASE)
# The DOI Handbook sets no maximum length of a suffix; 300 characters bound the time on hostile text.
_DOI_BODY: Final = re.compile(r"(?:[!#-;=@-\[\]_a-z{}~?]|\\_){1,300}", re.IGNORECASE)
_SICI: Final = re.compile(
    r"(?:<|&lt;)[^<>\s\"&]{1,60}(?:>|&gt;)\d\.\d\.[A-Za-z]{2};\d(?:-[A-Za-z0-9#])?", re.IGNORECASE
)
_DOI_CUT: Final = re.compile(
    r"""[?]|\#(?=[a-z])|[,;|]+(?=10\.\d{4,9}/|doi|https?:)|[.,;/]*(?=pmc?ids?[\s:=\#])|[.,;]+(?=pmc?(?:ids?)?\d)|https?:
      |&(?:lt|gt|quot|apos|nbsp|[lr][ds]quo|\#\w{1,6});""",
    re.IGNORECASE | re.VERBOSE,
)
_PMID_NEXT: Final = re.compile(r"[.,;]+(?=pmc?ids?(?:[:=#]|\Z)|pmc?(?:ids?)?\d)", re.IGNORECASE)
_DOI_TAIL: Final = re.compile(
    r"(?:[.,;:!?'*_~/&\\-]|/(?:full|abstract|e?pdf|html|fulltext|meta|summary|epub)|(?:\.full)?\.pdf|&amp;)\Z",
    re.IGNORECASE,
)
_BRACKET: Final = re.compile(r"[()\[\]{}]")
_OPENING: Final = {")": "(", "]": "[", "}": "{"}

_LINK: Final = r"[\s:：=#*`\"'“”‘’(\[<>_\u00a0–—-]|&nbsp;|</?[bi]>"
_PMID_LABEL: Final = re.compile(
    rf"""(?<![A-Za-z0-9])(?:
        (?:pm[ ]?id|pub[ -]?med[ ]?u?id|medline[ ]id
          |pub[ -]?med[ ](?:identifier|(?:id[ ])?number|(?:id[ ])?no\.?|reference[ ]number))
          (?P<many>s|'s|\(s\))? (?:[ ](?:numbers?|nos?\.?|ids?|is|are|of))?
          (?:{_LINK}){{0,12}} (?=\d)
      | pub[ -]?med [ ]? [:：\#][ ]? (?=\d{{5,8}}(?!\d))
      | (?:pubmed\.ncbi\.nlm\.nih\.gov|ncbi\.nlm\.nih\.gov/(?:m/)?pubmed|pubmed\.gov)/ (?P<address>(?=\d))
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_PMCID_LABEL: Final = re.compile(
    rf"(?<![A-Za-z0-9])pmc[ ]?id(?P<many>s|'s|\(s\))?(?:[ ](?:numbers?|nos?\.?|is|are))?(?:{_LINK}){{0,12}}(?=\d)",
    re.IGNORECASE,
)
_LIST_NUMBER: Final = re.compile(r"(?<=\n)[ \t]{0,4}\d{1,2}[.)][ \t]{1,4}(?=\d{4,8}(?!\d))")
_DATE: Final = re.compile(r"\d{1,2}([/.])\d{1,2}\1(?:\d\d){1,2}(?!\d)")
_ENTRY: Final = re.compile(
    r"(\d{1,8})(?!\d|[.,]\d{4,}/|\.\d|[-–:]\d)(?![A-Za-z](?<!p(?=mc|mid))(?<!d(?=oi)))", re.IGNORECASE
)
_SEPARATOR: Final = re.compile(
    r"""(?: [ \t]{0,4} (?: [,;/|&+] | \n ) [\s*•`\[\]#-]{0,8} (?: (?:and|und|et|y|e|or|oder|ou|o|&|amp;)\s{1,3} )?
          | [ \t]{1,4} (?:and|und|et|y|e|or|oder|ou|o|&)\s{1,3} )
        (?: pm(?:c)?id[\s:]{1,3} )? (?=\d)""",
    re.IGNORECASE | re.VERBOSE,
)
_SPACES: Final = re.compile(r"[ \t]{1,4}(?=\d{7,8}(?!\d))")
_QUANTITY: Final = re.compile(
    r"""[ \t-]{0,2}(?:%|‰|°|[mkµμn]?g\b|m[cl]g\b|m?l\b|mmol|units?\b|(?:more|other|further|additional|of)\b
      |patients?|trials?|studies|study|articles?|papers?|years?|days?|weeks?|months?|hours?|minutes?|times?|tablets?|doses?
      |participants?|people|persons?|wom[ae]n|m[ae]n\b|children|adults?|citations?|results?|records?|hits?|references?)""",
    re.IGNORECASE | re.VERBOSE,
)
_YEAR: Final = re.compile(r"(?:19|20)\d\d\Z")

_PMC: Final = re.compile(r"(?<![A-Za-z0-9])PMC[ -]?(\d{4,8})(?![A-Za-z0-9])", re.IGNORECASE)
_PMC_SHORT: Final = re.compile(r"(?<=id)[\s:*]{1,4}(PMC(\d{1,3}))(?![A-Za-z0-9])", re.IGNORECASE)
_NCT: Final = re.compile(r"(?<![A-Za-z0-9])NCT[ -]?(\d{8})(?![A-Za-z0-9])", re.IGNORECASE)
_ARXIV: Final = re.compile(
    rf"""(?<![A-Za-z0-9])(?: arxiv\.org/(?:abs|pdf|html)/
        | arxiv (?:[ ](?:preprint|e-?print|id|identifier|no\.?|number))? (?:{_LINK}){{1,8}} )
      ({ARXIV_ID})(?![A-Za-z0-9/]|\.\d)""",
    re.IGNORECASE | re.VERBOSE,
)


def find_dois(text: str) -> Iterator[Citation]:
    """DOIs of a text in order: lower case, without label, with their span as written."""
    done = 0
    for start in _DOI_START.finditer(text):
        if start.start() < done:
            continue
        end = doi_end(text, start.end())
        raw = text[start.end() : end]
        if any(character.isalnum() for character in raw):
            done = end
            yield Citation("doi", doi_value(text[start.start() : end]), start.start(), end)


def doi_value(raw: str) -> str:
    """A DOI as written (entities, Markdown's ``\\_``) in the form that is stored."""
    return unescape(raw.replace("\\_", "_")).lower()


def doi_end(text: str, suffix: int) -> int:
    """The end of the DOI whose suffix begins at ``suffix``; the angle brackets and semicolon of a SICI are included."""
    body = _DOI_BODY.match(text, suffix)
    end = suffix if body is None else body.end()
    sici = _SICI.search(text, suffix, min(len(text), suffix + 300))
    if sici is not None and sici.start() <= end:
        return sici.end()
    cut = _DOI_CUT.search(text, suffix, end)
    if cut is not None:
        end = cut.start()
    end = _balanced(text, suffix, end)
    while end > suffix:
        tail = _DOI_TAIL.search(text, max(suffix, end - 9), end)
        if tail is None:
            break
        end = tail.start()
    return end


def _sici_end(text: str, start: int, end: int) -> int:
    """The end of a URL whose SICI continues with ``<...>2.0.CO;2`` where URLs end, else ``end``."""
    place = text.find("&lt;", start, end)
    more = _SICI.match(text, end if place < 0 else place)
    return end if more is None else more.end()


def resolver_end(text: str, start: int, end: int) -> int:
    """The end of a DOI resolver's URL: after a whole SICI, and before the label of another identifier (``;PMID:``)."""
    end = _sici_end(text, start, end)
    other = _PMID_NEXT.search(text, start, end)
    return end if other is None else other.start()


def _balanced(text: str, start: int, end: int) -> int:
    """The offset of the first unbalanced bracket between start and end, or the end."""
    opened: list[tuple[str, int]] = []
    for match in _BRACKET.finditer(text, start, end):
        opener = _OPENING.get(match.group())
        if opener is None:
            opened.append((match.group(), match.start()))
        elif opened and opened[-1][0] == opener:
            opened.pop()
        else:
            return opened[0][1] if opened else match.start()
    return opened[0][1] if opened else end


def find_pmids(text: str) -> Iterator[Citation]:
    """PMIDs of a text in order. Only numbers with a label count; after one label there may be a list of numbers."""
    yield from _labelled(text, _PMID_LABEL, "pmid")


def find_pmcids(text: str) -> Iterator[Citation]:
    """PMC identifiers of a text; ``PMCID: 123`` counts, too."""
    for match in _PMC.finditer(text):
        yield Citation("pmcid", f"PMC{match[1]}", match.start(), match.end())
    for match in _PMC_SHORT.finditer(text):
        yield Citation("pmcid", f"PMC{match[2]}", match.start(1), match.end(1))
    yield from _labelled(text, _PMCID_LABEL, "pmcid")


def find_ncts(text: str) -> Iterator[Citation]:
    """ClinicalTrials.gov identifiers of a text in upper case."""
    for match in _NCT.finditer(text):
        yield Citation("nct", f"NCT{match[1]}", match.start(), match.end())


def find_arxiv(text: str) -> Iterator[Citation]:
    """arXiv identifiers of a text, in the new and the old scheme, with a version suffix.

    They need a label: ``2101.00001`` alone is a number.
    """
    for match in _ARXIV.finditer(text):
        yield Citation("arxiv", arxiv_value(match[1]), match.start(1), match.end(1))


def _labelled(text: str, labels: re.Pattern[str], kind: Literal["pmid", "pmcid"]) -> Iterator[Citation]:
    done = 0
    for label in labels.finditer(text):
        if label.end() < done:
            continue  # "PMID: 1, PMID: 2": read as one list
        plural = None if label.groupdict().get("address") is not None else label["many"] is not None
        for citation in _numbers(text, label.end(), kind, plural):
            done = citation.end or done
            yield citation


def _numbers(text: str, position: int, kind: Literal["pmid", "pmcid"], plural: bool | None) -> Iterator[Citation]:
    """The number at ``position`` and, unless ``plural`` is ``None`` (a number in a URL), the list after it."""
    first = 0
    separator = ""
    while entry := _ENTRY.match(text, position if plural is None else _after_list_number(text, position)):
        digits = entry[1]
        if _DATE.match(text, entry.start()):
            return
        if first and not _continues_list(text, entry, separator, first, bool(plural)):
            return
        value = digits.lstrip("0")
        if value:
            yield Citation(kind, f"PMC{value}" if kind == "pmcid" else value, entry.start(1), entry.end(1))
        first = first or len(digits)
        if plural is None:
            return
        between = _SEPARATOR.match(text, entry.end()) or (_SPACES.match(text, entry.end()) if plural else None)
        if between is None:
            return
        separator = between.group()
        position = between.end()


def _after_list_number(text: str, position: int) -> int:
    """The offset of the number after a list marker: ``1. 12345678`` on its own line."""
    mark = _LIST_NUMBER.match(text, position)
    return mark.end() if mark else position


def _continues_list(text: str, entry: re.Match[str], separator: str, first: int, plural: bool) -> bool:
    """Whether a number continues the list, and is not a year, a dose, a count, a table cell or a line number."""
    digits = entry[1]
    if _QUANTITY.match(text, entry.end()):
        return False
    if separator.lstrip(" \t")[:1] in "\n|+" and (not plural or len(digits) < 4) and "id" not in separator.lower():
        return False
    if _YEAR.match(digits) and (first > 5 or not plural):
        return False
    return plural or len(digits) >= first - 2
