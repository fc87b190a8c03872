"""The data model of references: as printed, as an authority has them, and how the two compare."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple, get_args

from medreview.references.verdict import Verdict
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
    """An identifier without its label, as :class:`medreview.citations.model.Citation` has it; of an ISBN its digits."""

    kind: IdentifierKind
    value: str


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference as it is printed.

    ``start`` and ``end`` are its half-open range of code points in the text that it was found in, ``text`` what stands
    there. ``number``: the response's own number of it. ``year`` is ``None`` and a text ``""`` where nothing was read.
    ``et_al``: more authors are meant than are named. ``places``: where in that same text each field stands.
    ``unsure``: fields that the rules read with doubt. ``read_by``: the model that told the fields instead of them.
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


class Difference(NamedTuple):
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
    differences: tuple[Difference, ...] = ()
    candidates: tuple[Record, ...] = ()
    because: str = ""
    asked: tuple[Asked, ...] = ()

    @property
    def wrong(self) -> tuple[Difference, ...]:
        """The differences that mislead."""
        return tuple(difference for difference in self.differences if not difference.slip)

    @property
    def slips(self) -> tuple[Difference, ...]:
        """The differences that mislead nobody."""
        return tuple(difference for difference in self.differences if difference.slip)

    @property
    def unanswered(self) -> bool:
        """Whether it could not be looked up because whoever was asked gave no answer."""
        return is_unanswered(self.verdict, (one.outcome for one in self.asked))


def is_unanswered(verdict: Verdict | None, outcomes: Iterable[str]) -> bool:
    """Whether a verdict says only that those who were asked gave no answer, by the outcomes of what was asked."""
    return verdict == "not_checkable" and "failed" in outcomes
