"""The data model of references: as printed, as an authority has them, how the two compare; as JSON and as a citation.

In JSON a field that has its default is left out. Reading back takes nothing that was not written so: it comes from
files, too.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from functools import cache
from types import MappingProxyType, NoneType, UnionType
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

from medreview.references.verdict import Verdict
from medreview.storable import unstorable
from medreview.text import Span

WorkKind = Literal[
    "article",
    "preprint",
    "trial",
    "guideline",
    "drug_label",
    "book",
    "chapter",
    "report",
    "web_page",
    "dataset",
    "unknown",
]
"""What sort of work; ``unknown`` when nothing tells it. Of guidelines, drug labels, books, chapters, reports, web pages
and datasets bibliographic services know only some, so that "not found" proves little."""

IdentifierKind = Literal["doi", "pmid", "pmcid", "nct", "arxiv", "isbn"]
IDENTIFIER_KINDS: Final[tuple[IdentifierKind, ...]] = get_args(IdentifierKind)

Standing = Literal["list", "footnote", "inline", "given", "alone"]
"""Where a reference stands: in a list of the response, in a footnote, in running text, in a list that came beside the
response, or by itself, as a line of a file of references."""

Field = Literal[
    "authors", "title", "container", "year", "volume", "issue", "pages", "publisher", "edition", "identifier", "url"
]
FIELDS: Final[tuple[Field, ...]] = get_args(Field)
"""What is read of a reference and held against a record. ``container``: journal, book of a chapter, or site."""

NoticeKind = Literal["retracted", "concern", "corrected", "withdrawn", "superseded", "published_as", "preprint_of"]
"""What stands beside a record: the work was retracted; an expression of concern; a correction; the edition or page was
withdrawn, or replaced by a newer one; a preprint with its published version, and the reverse."""


class Author(NamedTuple):
    """One author: family name, given names or initials as they stand; of a body its whole name, and no given one."""

    family: str
    given: str = ""
    body: bool = False


class Identifier(NamedTuple):
    """An identifier without its label, as :class:`~medreview.citations.citation.Citation` has it."""

    kind: IdentifierKind
    value: str


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference as it is printed.

    ``start`` and ``end`` are its half-open range of code points in the text that it was found in, ``text`` what stands
    there. ``number``: the response's own number of it. ``year`` is ``None`` and a text ``""`` where nothing was read.
    ``et_al``: more authors are meant than are named. ``places``: where in that same text each field stands.
    ``unsure``: fields that the rules read with doubt. ``read_by``: the model that gave the fields instead of them.
    """

    text: str
    start: int = 0
    end: int = 0
    standing: Standing = "alone"
    number: int | None = None
    kind: WorkKind = "unknown"
    authors: tuple[Author, ...] = ()
    et_al: bool = False
    title: str = ""
    container: str = ""
    year: int | None = None
    volume: str = ""
    issue: str = ""
    pages: str = ""
    publisher: str = ""
    edition: str = ""
    identifiers: tuple[Identifier, ...] = ()
    url: str = ""
    places: Mapping[Field, Span] = field(default_factory=dict)
    unsure: tuple[Field, ...] = ()
    read_by: str = ""

    @property
    def bare_url(self) -> bool:
        """An address alone: nothing is said of the work and no identifier of one is named, so that there is nothing to
        hold against a record. Such a reference is counted, and never checked."""
        described = self.authors or self.title or self.container or self.year or self.volume or self.issue or self.pages
        return bool(self.url) and not (described or self.publisher or self.edition or self.identifiers)


class Notice(NamedTuple):
    """A notice beside a record: its kind, what it names (an identifier, a URL or ``""``), and its words or date."""

    kind: NoticeKind
    names: str = ""
    words: str = ""


class Record(NamedTuple):
    """A work as an authority has it.

    ``authority``: ``library``, or the name of a service (``crossref``, ``pubmed``, ...); ``record_id``: its id there.
    ``other_titles``: translated, short or earlier titles that are as good. ``containers``: the journal's full name and
    its abbreviations. ``years``: of print, online and so on, the first one leading; empty when unknown. ``complete``:
    the list of authors is whole.
    """

    authority: str
    record_id: str
    kind: WorkKind = "unknown"
    title: str = ""
    other_titles: tuple[str, ...] = ()
    authors: tuple[Author, ...] = ()
    complete: bool = True
    containers: tuple[str, ...] = ()
    years: tuple[int, ...] = ()
    volume: str = ""
    issue: str = ""
    pages: str = ""
    publisher: str = ""
    edition: str = ""
    identifiers: tuple[Identifier, ...] = ()
    url: str = ""
    notices: tuple[Notice, ...] = ()


class FieldDifference(NamedTuple):
    """A field that differs: the reading of the reference, that of the record.

    ``slip``: it misleads nobody (``why`` says which slip it is: ``abbreviated``, ``initials``, ``typo``, ``year off by
    one``, ...); otherwise it makes the verdict, and ``why`` is a sentence.
    """

    field: Field
    reference: str
    record: str
    slip: bool
    why: str


class Asked(NamedTuple):
    """What one authority was asked, by what, and what came of it: records, nothing, a failure (``words`` say why)."""

    authority: str
    by: Literal["identifier", "citation"]
    outcome: Literal["found", "nothing", "failed"]
    words: str = ""


class ReferenceCheck(NamedTuple):
    """How a reference compares with what was found.

    ``record``: the work that it is, or whose identifier it carries; ``None`` for the last three verdicts.
    ``candidates``: other works, the best first: what was meant by an ``other_work``, which fit an ``ambiguous``
    one, the nearest of one not found. ``because``: a sentence that says why. ``asked``: whom, in order.
    """

    verdict: Verdict
    record: Record | None = None
    differences: tuple[FieldDifference, ...] = ()
    candidates: tuple[Record, ...] = ()
    because: str = ""
    asked: tuple[Asked, ...] = ()

    @property
    def wrong(self) -> tuple[FieldDifference, ...]:
        """The differences that mislead."""
        return tuple(difference for difference in self.differences if not difference.slip)

    @property
    def slips(self) -> tuple[FieldDifference, ...]:
        """The differences that mislead nobody."""
        return tuple(difference for difference in self.differences if difference.slip)

    @property
    def unanswered(self) -> bool:
        """Whether it could not be looked up because those asked gave no answer."""
        return is_unanswered(self.verdict, (one.outcome for one in self.asked))


def is_unanswered(verdict: Verdict | None, outcomes: Iterable[str]) -> bool:
    """Whether a verdict says only that those who were asked gave no answer, by the outcomes of what was asked."""
    return verdict == "not_checkable" and "failed" in outcomes


T = TypeVar("T")
_NO_DEFAULT: Final = object()


def to_json(value: Reference | Record | ReferenceCheck) -> dict[str, Any]:
    """The value as JSON has it: objects by the names of their fields, ranges of a text as ``[start, end]``."""
    written = _written(value)
    assert isinstance(written, dict)
    return written


def _reader(kind: type[T], where: str) -> Callable[[object], T]:
    """Reads a value that was written so. Raises ``ValueError`` for anything else."""

    def read(value: object) -> T:
        found = _read(kind, value, where)
        assert isinstance(found, kind)
        return found

    return read


reference_of: Final = _reader(Reference, "reference")
record_of_json: Final = _reader(Record, "record")
check_of: Final = _reader(ReferenceCheck, "check")


def _written(value: object) -> object:
    kind: Any = type(value)
    if _has_fields(kind):
        defaults = _defaults(kind)
        named = {name: getattr(value, name) for name in defaults}
        if kind.__name__ == "Span":
            return list(named.values())
        return {name: _written(one) for name, one in named.items() if one != defaults[name]}
    if isinstance(value, Mapping):
        return {name: _written(one) for name, one in value.items()}
    if isinstance(value, tuple):
        return [_written(one) for one in value]
    return value


def _read(hint: Any, value: object, where: str) -> object:
    """The value as the type of its field asks for it; ``where``: the name of the field, for who reads the error."""
    origin, inside = get_origin(hint), get_args(hint)
    if _has_fields(hint):
        return _object(hint, value, where)
    if origin is tuple and isinstance(value, list):
        return tuple(_read(inside[0], one, where) for one in value)
    if origin is Mapping and isinstance(value, dict):
        return {_read(inside[0], name, where): _read(inside[1], one, where) for name, one in value.items()}
    if origin is UnionType:
        if value is None and NoneType in inside:
            return None
        return _read(next(one for one in inside if one is not NoneType), value, where)
    if origin is Literal and isinstance(value, str) and value in inside:
        return value
    if hint in (str, int, bool) and type(value) is hint and not unstorable(value):
        return value
    raise ValueError(f"{where}: {str(value)[:40]!r} is not a value of it")


def _object(kind: Any, value: object, where: str) -> object:
    defaults = _defaults(kind)
    if kind.__name__ == "Span" and isinstance(value, list) and len(value) == len(defaults):
        value = dict(zip(defaults, value, strict=True))
    if not isinstance(value, dict):
        raise ValueError(f"{where}: no object")
    if unknown := value.keys() - defaults.keys():
        raise ValueError(f"{where}: nothing is called {min(unknown)!r}")
    if missing := [name for name, default in defaults.items() if default is _NO_DEFAULT and name not in value]:
        raise ValueError(f"{where}: {missing[0]} is missing")
    hints = _hints(kind)
    return kind(**{name: _read(hints[name], one, f"{where}.{name}") for name, one in value.items()})


def _has_fields(kind: Any) -> bool:
    return is_dataclass(kind) or (isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields"))


_hints: Final = cache(get_type_hints)  # working out the annotations again takes most of the time of reading


@cache
def _defaults(kind: Any) -> dict[str, object]:
    """The fields of a type and what each has when it is not given."""
    if not is_dataclass(kind):
        return {name: kind._field_defaults.get(name, _NO_DEFAULT) for name in kind._fields}
    return {
        one.name: one.default
        if one.default is not MISSING
        else one.default_factory()
        if one.default_factory is not MISSING
        else _NO_DEFAULT
        for one in fields(kind)
    }


_NAMED: Final = 3
"""Authors before "et al."."""
_LABELS: Final[dict[IdentifierKind, str]] = {
    "doi": "doi:",
    "pmid": "PMID ",
    "pmcid": "",
    "nct": "",
    "arxiv": "arXiv:",
    "isbn": "ISBN ",
}


def citation_line(work: Record | Reference) -> str:
    """``Okafor N, Lee K. Title. Journal. 2019;12(3):323-330. doi:10.5555/x``; what is not known is left out."""
    if isinstance(work, Record):
        container, year = work.containers[:1], work.years[:1]
        more = not work.complete
    else:
        container, year = (work.container,), (work.year,) if work.year is not None else ()
        more = work.et_al
    numbers = work.volume + (f"({work.issue})" if work.issue else "") + (f":{work.pages}" if work.pages else "")
    when = ";".join(filter(None, (*map(str, year), numbers)))
    parts = (authors_line(work.authors, more=more), work.title, *container, work.edition, work.publisher, when)
    told = " ".join(part if part[-1] in ".?!" else f"{part}." for part in parts if part)
    return " ".join(filter(None, (told, *map(identifier_line, work.identifiers[:1]))))


def authors_line(authors: tuple[Author, ...], *, more: bool = False) -> str:
    """``Okafor N, Lee K, Doe B, et al.``: three at most."""
    names = [" ".join(filter(None, author[:2])) for author in authors[:_NAMED]]
    return ", ".join([*names, "et al."] if more or len(authors) > _NAMED else names)


def identifier_line(identifier: Identifier) -> str:
    """``doi:10.5555/x``, ``PMID 123``."""
    return f"{_LABELS[identifier.kind]}{identifier.value}"


if TYPE_CHECKING:
    from medreview.references.model import Asked, WorkKind


_LEVELS: Final[Mapping[Verdict, str]] = MappingProxyType({"ambiguous": "cannot_judge", "not_checkable": "cannot_judge"})
"""Where several works fit, and where nothing can be looked up, the rules cannot judge, as a reviewer says it."""

PARTLY_LISTED: "Final[tuple[WorkKind, ...]]" = (
    "guideline", "drug_label", "book", "chapter", "report", "web_page", "dataset",
)  # fmt: skip
"""Of these services list only some, so that it says little when one is not found."""


def level_of(verdict: Verdict) -> str:
    """The level of the axis ``reference`` that a verdict comes to."""
    return _LEVELS.get(verdict, verdict)


def unanswered_words(number: int) -> str:
    """How many references could not be looked up, and what follows from it."""
    return f"{number:,} could not be looked up, since services gave no answer; the same command asks again"


def bare_urls_words(number: int) -> str:
    """How many references are an address alone, and what follows from it."""
    return f"{number:,} {'is' if number == 1 else 'are'} an address alone, with nothing to check"


def outcome_words(asked: "Asked") -> str:
    """What came of asking an authority: one that is asked by the words of a reference gives works to compare, none of
    which need be the one that is meant."""
    if asked.outcome != "found":
        return asked.outcome
    return "has it" if asked.by == "identifier" else "works to compare"


AUTHORITIES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "library": "library",
        "pubmed": "PubMed",
        "europe_pmc": "Europe PMC",
        "crossref": "Crossref",
        "datacite": "DataCite",
        "clinical_trials": "ClinicalTrials.gov",
        "openalex": "OpenAlex",
    }
)
"""Names by what stands in records and checks."""


def authority_name(authority: str) -> str:
    """The name of an authority as it is shown; any other than these by the name that a record or a check has."""
    return AUTHORITIES.get(authority, authority)
