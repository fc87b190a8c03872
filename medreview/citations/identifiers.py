"""Identifiers in running text, with the span of each alone (DOI, PMID, PMCID, NCT, arXiv, ISBN), and in resolver URLs.

Resolver URLs are those that name an identifier: doi.org, PubMed, PMC, ClinicalTrials.gov, arXiv. An ISBN, of 10 or of
13 digits, counts by its check digit (ISO 2108).
"""

import re
from collections.abc import Iterator
from html import unescape
from typing import Final, Literal
from urllib.parse import unquote

from medreview.citations.citation import Citation, Kind, clean_url, domain
from medreview.text import Span

DOI_HOSTS: Final = frozenset({"doi.org", "dx.doi.org", "www.doi.org"})
_PUBMED_HOSTS: Final = frozenset(
    {"pubmed.ncbi.nlm.nih.gov", "pubmed.gov", "www.pubmed.gov", "pubmed.com", "www.pubmed.com"}
)
_NCBI_HOSTS: Final = frozenset({"ncbi.nlm.nih.gov", "www.ncbi.nlm.nih.gov", "m.ncbi.nlm.nih.gov"})
_PMC_HOSTS: Final = frozenset({"pmc.ncbi.nlm.nih.gov"})
_EUROPE_HOSTS: Final = frozenset({"europepmc.org", "www.europepmc.org"})
_TRIAL_HOSTS: Final = frozenset(
    {"clinicaltrials.gov", "www.clinicaltrials.gov", "beta.clinicaltrials.gov", "classic.clinicaltrials.gov"}
)
_ARXIV_HOSTS: Final = frozenset({"arxiv.org", "www.arxiv.org", "export.arxiv.org"})

ARXIV_ID: Final = r"(?:\d{2}(?:0[1-9]|1[0-2])\.\d{4,5}|[A-Za-z][A-Za-z-]{1,15}(?:\.[A-Z]{2})?/\d{7})(?:[vV]\d{1,3})?"

_DOI: Final = re.compile(
    r"/+(?:doi:\s*|https?:/+(?:dx\.|www\.)?doi\.org/+){0,3}(10\.\d{4,9}(?:\.\d{1,9}){0,5}/[^\s\x00-\x1f]{1,500})",
    re.IGNORECASE,
)
_PUBMED: Final = re.compile(r"/+(\d{1,8})(?:/[^?#]*)?(?:[?#].*)?\Z")
_PUBMED_TERM: Final = re.compile(
    r"/*(?:\?|.*?&)term=(\d{5,8})(?:(?:\[|%5B)(?:uid|pmid)(?:\]|%5D))?(?:[&#].*)?\Z", re.IGNORECASE
)
_NCBI_PUBMED: Final = re.compile(r"/+(?:m/)?(?:pubmed|entrez/pubmed)(?=[/?])(.*)\Z", re.IGNORECASE)
_ENTREZ: Final = re.compile(
    r"/+entrez/query\.fcgi\?(?=.*db=pubmed)(?:.*?&)?list_uids=(\d{1,8})(?:[&#].*)?\Z", re.IGNORECASE
)
_PMC_PMID: Final = re.compile(r"/+(?:pmc/)?articles/pmid/(\d{1,8})(?:[/?#].*)?\Z", re.IGNORECASE)
_PMC_PATH: Final = re.compile(r"/+(?:pmc/)?articles?/(?:PMC)?(\d{1,8})(?:\.\d+)?(?:[/?#].*)?\Z", re.IGNORECASE)
_EUROPE_MED: Final = re.compile(r"/+(?:article|abstract)/med/(\d{1,8})(?:[/?#].*)?\Z", re.IGNORECASE)
_EUROPE_PMC: Final = re.compile(r"/+(?:articles?|abstract)/(?:pmc/)?PMC(\d{1,8})(?:[/?#].*)?\Z", re.IGNORECASE)
_TRIAL: Final = re.compile(
    r"/+(?:study/|(?:ct2/)?(?:show|history|results)/(?:(?:study|results|record)/)?)?(NCT\d{8})(?:[/?#].*)?\Z",
    re.IGNORECASE,
)
_ARXIV_PATH: Final = re.compile(rf"/+(?:abs|pdf|html|ps)/({ARXIV_ID})(?:\.pdf)?/?(?:[?#].*)?\Z", re.IGNORECASE)
_SICI_CHECK: Final = re.compile(r";\d-#\Z")


def resolve(url: str) -> tuple[Kind, str] | None:
    """Kind and value of the identifier in a resolver URL, or ``None`` for any other URL."""
    clean = clean_url(url)
    host = domain(clean)
    rest = clean.partition("://")[2]
    at = len(re.match(r"[^/?#]*", rest).group())  # type: ignore[union-attr]
    path = rest[at:]
    if "@" in rest[:at]:
        return None
    if host in DOI_HOSTS:
        return _doi(path)
    if host in _PUBMED_HOSTS:
        return _number("pmid", _PUBMED.match(path) or _PUBMED_TERM.match(path))
    if host in _NCBI_HOSTS:
        inner = _NCBI_PUBMED.match(path)
        if inner is not None:
            return _number("pmid", _PUBMED.match(inner[1]) or _PUBMED_TERM.match(inner[1]))
        return _number("pmid", _ENTREZ.match(path) or _PMC_PMID.match(path)) or (
            _number("pmcid", _PMC_PATH.match(path)) if path.lstrip("/")[:4].lower() == "pmc/" else None
        )
    if host in _PMC_HOSTS:
        return _number("pmid", _PMC_PMID.match(path)) or _number("pmcid", _PMC_PATH.match(path))
    if host in _EUROPE_HOSTS:
        return _number("pmid", _EUROPE_MED.match(path)) or _number("pmcid", _EUROPE_PMC.match(path))
    if host in _TRIAL_HOSTS:
        trial = _TRIAL.match(path)
        return None if trial is None else ("nct", trial[1].upper())
    if host in _ARXIV_HOSTS:
        paper = _ARXIV_PATH.match(path)
        return None if paper is None else ("arxiv", arxiv_value(paper[1]))
    return None


def arxiv_value(identifier: str) -> str:
    """An arXiv identifier in canonical case: a lower-case ``v`` before the version, the archive in lower case."""
    archive, slash, number = identifier.partition("/")
    if not slash:
        return identifier.lower()
    name, dot, subject = archive.partition(".")
    return f"{name.lower()}{dot}{subject}/{number.lower()}"


def _doi(path: str) -> tuple[Kind, str] | None:
    path = path.partition("?")[0]
    if not _SICI_CHECK.search(path):
        path = path.partition("#")[0]
    match = _DOI.fullmatch(unquote(path).rstrip("/ "))
    return None if match is None else ("doi", match[1].lower())


def _number(kind: Kind, match: re.Match[str] | None) -> tuple[Kind, str] | None:
    if match is None or not match[1].strip("0"):
        return None
    digits = match[1].lstrip("0")
    return kind, f"PMC{digits}" if kind == "pmcid" else digits


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
BRACKET: Final = re.compile(r"[()\[\]{}]")
OPENING: Final = {")": "(", "]": "[", "}": "{"}

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
    for match in BRACKET.finditer(text, start, end):
        opener = OPENING.get(match.group())
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


_LABELLED: Final = re.compile(
    r"(?<![A-Za-z])e?-?ISBN(?:[-\s]?1[03])?(?:\s?\([a-z -]{1,20}\))?[\s:：]{0,4}(\d[\d\s–‐-]{8,17}[\dXx])(?![\d-])",
    re.IGNORECASE,
)
_ISBN_SEPARATOR: Final = re.compile(r"[\s–‐-]")


def find_isbns(text: str) -> Iterator[tuple[str, Span]]:
    """The ISBN that stand after the word, in order: their digits (and ``X``) and the place of these."""
    for found in _LABELLED.finditer(text):
        digits = _ISBN_SEPARATOR.sub("", found[1]).upper()
        if is_isbn(digits):
            yield digits, Span(found.start(1), found.end(1))


def is_isbn(digits: str) -> bool:
    """Whether ten or thirteen digits, the tenth perhaps ``X``, end with the check digit that the others ask for."""
    if re.fullmatch(r"\d{9}[\dX]", digits):
        values = [10 if digit == "X" else int(digit) for digit in digits]
        return sum(weight * value for weight, value in zip(range(10, 0, -1), values, strict=True)) % 11 == 0
    if re.fullmatch(r"97[89]\d{10}", digits):
        return sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(digits)) % 10 == 0
    return False
