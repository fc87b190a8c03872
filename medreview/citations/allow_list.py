"""The allow-list of web sites and identifiers that a citation may name, and the scoring of citations by it.

A TOML file: ``[allowed] domains = [...]`` and ``identifiers = [...]``, and optionally ``[[groups]]`` with a ``name``
and ``domains``. A domain includes its subdomains (``nih.gov`` matches ``ncbi.nlm.nih.gov``, not ``evilnih.gov``);
``domain/path`` matches only the pages under that path.

Scoring does not read the sources: how many, of which kind, from which allowed domains. The capability, its names
(``has_citation``, ``n_url``, allowed over all, allowed over URLs) and the pass criteria are those of a published
notebook, "Clinical CDS Citation Accuracy Evaluation". Results that differ from it, on purpose:

==================================  ==============================  ===============================================
in the text                         the notebook                    here
==================================  ==============================  ===============================================
``DOI: 10.1056/NEJMoa055202``       the label is in the value       ``10.1056/nejmoa055202``
``https://www.ncbi.nlm.nih.gov/``   its domain is ``nih.gov``: an   matches ``ncbi.nlm.nih.gov``, or ``nih.gov``:
                                    entry ``ncbi.nlm.nih.gov`` can  the suffix of the host, cut at a dot
                                    never match
``https://doi.org/10.1000/x``       a URL not allowed and a DOI     one DOI
a PubMed address                    a URL and a PMID                one PMID
``(see https://who.int/x).``        the URL ends in ``).``          ``https://who.int/x``
``MRN 20240115``                    a PMID                          no citation: a PMID needs a label
``PMID: 12345``                     none: 7 or 8 digits only        a PMID, like any with a label
``PMC123456``, NCT, arXiv           none                            kinds of their own
one source named twice              two citations                   one for the figures, both places in the detail
``https://me@nih.gov/``             allowed                         never allowed: an address with a user name
``ftp://nih.gov/x``                 a URL                           none: nobody fetches it
an invented DOI                     allowed, 100%                   ``by_format``: counted as allowed, shown apart;
                                                                    with a link check, whether it exists
==================================  ==============================  ===============================================

As there, the kinds that are allowed by format count as allowed over all; the pass criterion is on URLs alone.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, Literal, cast, get_args

from medreview.citations.citation import AddressedKind, Citation, Kind, canonical_key, domain, fetch_url
from medreview.citations.extract import cited_in
from medreview.errors import UserError

SHIPPED: Final = "evidence_domains.toml"
SHIPPED_NAME: Final = "medreview's own list"
IDENTIFIERS: Final[tuple[Kind, ...]] = ("doi", "pmid", "pmcid", "nct")
"""Kinds allowed by format when the file does not say."""

_KINDS: Final = tuple(kind for kind in get_args(AddressedKind) if kind != "url")
_HOST: Final = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?:\.(?!-)[a-z0-9_-]{1,63})*")
_PARTS: Final = re.compile(r"(?:https?|ftp)://([^/?#]*)([^?#]*)")
_PATH_TRAVERSAL: Final = re.compile(r"\.\.|/\.(?:/|\Z)|%(?:2f|5c|25)", re.IGNORECASE)
_PUBLIC_SECOND_LEVELS: Final = frozenset(
    ("ac", "asn", "biz", "co", "com", "edu", "firm", "gen", "id", "info", "ltd", "me", "name", "ne", "net", "nom", "or",
     "org", "plc", "sch", "web")
)  # fmt: skip
"""Public suffixes under a country code: anybody, or every school, can register there, unlike in ``gov.uk``."""


@dataclass(frozen=True, slots=True)
class AllowEntry:
    """One entry: a host in ASCII and lower case, a path (``""`` or ``/books``), and the name of its group."""

    host: str
    path: str = ""
    group: str = ""

    def __str__(self) -> str:
        """The entry as in the file: ``nih.gov``, ``gov.uk/drug-safety-update``."""
        return self.host + self.path


@dataclass(frozen=True, slots=True)
class AllowList:
    """Entries by host, and the kinds of identifiers that are allowed by format; ``name`` is that of the file."""

    name: str
    entries: Mapping[str, tuple[AllowEntry, ...]]
    identifiers: frozenset[Kind]

    def __len__(self) -> int:
        """The number of entries."""
        return sum(map(len, self.entries.values()))

    def match(self, url: str) -> AllowEntry | None:
        """The most specific entry that matches a URL; ``None`` without one and for a URL with a user name."""
        parts = _PARTS.match(canonical_key(Citation("url", url)).removeprefix("url:"))
        if parts is None or "@" in parts[1]:
            return None
        labels = domain(parts[0]).split(".")
        for at in range(len(labels)):
            for entry in self.entries.get(".".join(labels[at:]), ()):
                if not entry.path or _under(parts[2], entry.path):
                    return entry
        return None


def has_user_info(url: str) -> bool:
    """Whether a URL has a user name (``https://nih.gov@evil.example/``), which is used to imitate another site."""
    parts = _PARTS.match(canonical_key(Citation("url", url)).removeprefix("url:"))
    return parts is not None and "@" in parts[1]


def load_allow_list(path: Path | None = None) -> AllowList:
    """The allow-list of a file, or the one that comes with the program.

    Raises :class:`UserError`, one sentence that names the file and the entry, for a file that cannot be read and an
    entry that is not valid.
    """
    if path is None:
        return _checked(tomllib.loads(shipped_text()), SHIPPED_NAME)
    try:
        return _checked(tomllib.loads(path.read_text(encoding="utf-8")), str(path))
    except OSError as error:
        raise UserError(f"The allow-list {path} cannot be read ({error.strerror or error}).") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UserError(f"The allow-list {path} is not valid TOML: {error}.") from error


def shipped_text() -> str:
    """The text of the file that comes with the program, as a template for another one."""
    return files(__package__).joinpath(SHIPPED).read_text(encoding="utf-8")


def _checked(parsed: dict[str, Any], name: str) -> AllowList:
    if "domains" in parsed:
        raise UserError(f"The allow-list {name}: put a line [allowed] above 'domains'.")
    _check_keys(parsed, ("allowed", "groups"), name, "")
    allowed, groups = parsed.get("allowed", {}), parsed.get("groups", [])
    if not isinstance(allowed, dict):
        raise UserError(f"The allow-list {name}: 'allowed' must be a table, [allowed].")
    if not isinstance(groups, list) or not all(isinstance(group, dict) for group in groups):
        raise UserError(f"The allow-list {name}: 'groups' must be tables, [[groups]].")
    _check_keys(allowed, ("domains", "identifiers"), name, " in [allowed]")
    for group in groups:
        _check_keys(group, ("name", "domains"), name, " in [[groups]]")
        if not isinstance(group.get("name", ""), str):
            raise UserError(f"The allow-list {name}: the name of a group must be a text.")
    entries: dict[str, dict[str, AllowEntry]] = {}
    for group in (allowed, *groups):
        for text in _texts(group, "domains", name):
            entry = _entry(text, group.get("name", ""), name)
            entries.setdefault(entry.host, {}).setdefault(entry.path, entry)
    kinds = _texts(allowed, "identifiers", name) if "identifiers" in allowed else IDENTIFIERS
    for kind in kinds:
        if kind not in _KINDS:
            raise UserError(f"The allow-list {name}: there is no identifier {kind!r}; there are {', '.join(_KINDS)}.")
    if not entries and not kinds:
        raise UserError(f"The allow-list {name} allows nothing: name some domains, [allowed] domains = [...].")
    by_host = {host: tuple(sorted(paths.values(), key=_longest_first)) for host, paths in entries.items()}
    return AllowList(name, by_host, frozenset(cast(Kind, kind) for kind in kinds))


def _check_keys(table: Mapping[str, Any], keys: tuple[str, ...], name: str, where: str) -> None:
    for key in table:
        if key not in keys:
            raise UserError(f"The allow-list {name} has an unknown key {key!r}{where}; known are {', '.join(keys)}.")


def _texts(table: Mapping[str, Any], key: str, name: str) -> tuple[str, ...]:
    values = table.get(key, [])
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise UserError(f"The allow-list {name}: {key!r} must be a list of texts.")
    return tuple(values)


def _entry(text: str, group: str, name: str) -> AllowEntry:
    def unusable(why: str) -> UserError:
        return UserError(f"The allow-list {name}: {text!r} {why}.")

    if "://" in text:
        raise unusable("is an address; write the domain only, such as nih.gov")
    host, slash, path = text.strip().partition("/")
    host = domain(f"https://{_ascii(host)}/")
    if not _HOST.fullmatch(host) or re.search(r"[\s@:*?#]", text.strip()):
        raise unusable("is not a domain; write it like nih.gov, which stands for all its sub-domains too")
    labels = host.split(".")
    if labels[-1].isdigit():
        raise unusable("is a number, not a domain")
    if len(labels) == 1 or (len(labels) == 2 and len(labels[1]) == 2 and labels[0] in _PUBLIC_SECOND_LEVELS):
        raise unusable("is a suffix that anybody's domain may end in; name the domain itself, such as nice.org.uk")
    path = path.strip("/")
    if path and _PATH_TRAVERSAL.search(f"/{path}"):
        raise unusable("has a path that leads out of itself")
    return AllowEntry(host, f"/{path}" if slash and path else "", group)


def _ascii(host: str) -> str:
    try:
        return host.lower() if host.isascii() else host.encode("idna").decode("ascii")
    except UnicodeError:
        return ""


def _under(path: str, prefix: str) -> bool:
    """Whether a path is the prefix or below it; false for a path with traversal (``/books/../x``)."""
    return not _PATH_TRAVERSAL.search(path) and (path == prefix or path.startswith(f"{prefix}/"))


def _longest_first(entry: AllowEntry) -> tuple[int, str]:
    return -len(entry.path), entry.path


Verdict = Literal["allowed", "by_format", "not_allowed"]
"""Allowed by its domain; allowed by the format of an identifier alone; neither."""

KINDS: Final[tuple[AddressedKind, ...]] = get_args(AddressedKind)
KIND_NAMES: Final[Mapping[str, str]] = {
    "url": "URL", "doi": "DOI", "pmid": "PMID", "pmcid": "PMCID", "nct": "NCT", "arxiv": "arXiv",
}  # fmt: skip
"""The kinds as they are displayed."""


@dataclass(frozen=True, slots=True)
class ScoredCitation:
    """One citation with its verdict.

    ``start`` and ``end``: code points in the response, ``None`` for one of the structured list only. ``domain``: the
    host that it points to, in ASCII. ``entry`` and ``group``: the matching entry of the allow-list, or ``""``. ``why``:
    the reason when not allowed, or ``""``. ``source``: the canonical key of the source; ``repeat``: a duplicate, the
    response cited this source before.
    """

    kind: Kind
    value: str
    start: int | None
    end: int | None
    domain: str
    verdict: Verdict
    entry: str
    group: str
    why: str
    source: str
    repeat: bool


@dataclass(frozen=True, slots=True)
class ResponseScore:
    """The citations of one response in order. Counts are of distinct sources; ``mentions`` counts duplicates, too.

    ``unusable``: entries of the structured list without a citation.
    """

    citations: tuple[ScoredCitation, ...]
    unusable: tuple[str, ...] = ()

    @property
    def mentions(self) -> int:
        """The number of citations, duplicates included."""
        return len(self.citations)

    @property
    def sources(self) -> tuple[ScoredCitation, ...]:
        """The first citation of each source."""
        return tuple(citation for citation in self.citations if not citation.repeat)

    @property
    def by_kind(self) -> Mapping[Kind, int]:
        """The number of sources of each kind, zeros included."""
        found = Counter(citation.kind for citation in self.sources)
        return {kind: found[kind] for kind in KINDS}

    def count(self, *verdicts: Verdict, kind: Kind | None = None) -> int:
        """The number of sources with one of these verdicts (and of one kind)."""
        return sum(c.verdict in verdicts and (kind is None or c.kind == kind) for c in self.sources)


def score(citations: Sequence[Citation], allow: AllowList, unusable: Sequence[str] = ()) -> ResponseScore:
    """The verdicts on the citations of one response; a document without an address gets none."""
    seen: set[str] = set()
    scored = []
    for citation in citations:
        if citation.kind == "document":
            continue
        key = canonical_key(citation)
        scored.append(_scored(citation, key, allow, key in seen))
        seen.add(key)
    return ResponseScore(tuple(scored), tuple(unusable))


def score_text(text: str, allow: AllowList, listed: Sequence[str] = (), *, invalid: str = "") -> ResponseScore:
    """The verdicts on what a response cites in its text and in a structured list; nothing when it is ``invalid``."""
    cited = cited_in(text, listed, invalid=invalid)
    return score(cited.citations, allow, [item for _, item in cited.unusable])


def _scored(citation: Citation, key: str, allow: AllowList, repeat: bool) -> ScoredCitation:
    url = fetch_url(citation)
    verdict: Verdict = "not_allowed"
    why, entry = "", None
    if citation.kind in allow.identifiers:
        verdict = "by_format"
    elif (entry := allow.match(url)) is not None:
        verdict = "allowed"
    elif citation.kind == "url":
        why = "carries a user name" if has_user_info(url) else "not on the list"
    else:
        why = "kind not taken"
    return ScoredCitation(
        kind=citation.kind,
        value=citation.value,
        start=citation.start,
        end=citation.end,
        domain=domain(key.removeprefix("url:")) if citation.kind == "url" else domain(url),
        verdict=verdict,
        entry=str(entry) if entry else "",
        group=entry.group if entry else "",
        why=why,
        source=key,
        repeat=repeat,
    )
