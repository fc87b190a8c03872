"""One unit as plain data: what is asked, the texts to read beside it, and, apart from these, what machines say."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from medreview.labels import FALSE_QUOTES, same_label
from medreview.text import Span
from medreview.words import in_words

Tone = Literal["", "title", "dim", "badge", "quote"]
"""How a part of the card is drawn; a badge is a warning."""

Shade = Literal["lexical", "evidence", "quote", "clash", "statement"]
"""What a mark in a text means: shared words, retrieved evidence, a machine's quotation, a difference, the unit."""


class Part(NamedTuple):
    """One line or paragraph of the card: a short ``label`` (``asked``, ``answer``), and its text.

    ``main``: it is what the decision is about, and is shown whole before all others.
    """

    label: str
    text: str
    main: bool = False
    tone: Tone = ""


class TextMark(NamedTuple):
    """A range of code points in a document's text, and what it means."""

    start: int
    end: int
    shade: Shade


class Document(NamedTuple):
    """A text to read: ``key`` names it within the unit and is the target of spans in it (``response``, ``source``,
    ``passage``, ``note:ID``, ``output:2``, ``reference``).

    ``title`` is what its bar says (``[1] who.example``, ``output 2``), ``state`` a page state or ``""``,
    ``state_words`` what is to be said of that. ``snapshot_id``: of the text of a page, its snapshot. ``marks`` are
    neutral: they say nothing of what machines think. ``opens``: where it opens, if not at its beginning.
    """

    key: str
    title: str
    text: str
    marks: tuple[TextMark, ...] = ()
    opens: int | None = None
    state: str = ""
    state_words: str = ""
    snapshot_id: str | None = None


class Passage(NamedTuple):
    """Where in a document a machine's quotation stands: ``spans`` in the text of the document named ``key``.

    ``kinds``: in what an altered one differs. ``doubt``: what speaks against it as a proof, in words.
    """

    key: str
    quote: str
    status: str
    spans: tuple[Span, ...] = ()
    kinds: str = ""
    doubt: str = ""

    @property
    def false(self) -> bool:
        """Whether it is not what stands there, or proves nothing."""
        return self.status in FALSE_QUOTES or bool(self.doubt)

    @property
    def status_words(self) -> str:
        """Its status, and what is wrong with it: ``altered (number)``."""
        wrong = self.kinds or self.doubt
        return f"{in_words(self.status)} ({wrong})" if wrong else in_words(self.status)


class Opinion(NamedTuple):
    """What one machine says of a unit: ``judge``, ``model``, ``prompt``; ``said`` in words (``present``, ``not all``).

    ``label`` is the level of the unit's axis it comes to, ``None`` where it is none. ``counts``: it is a vote.
    """

    opinion_id: str
    judge: str
    model: str
    prompt: str
    said: str
    label: str | None
    confidence: float | None = None
    reason: str = ""
    passages: tuple[Passage, ...] = ()
    counts: bool = True


class Machines(NamedTuple):
    """All that machines say of a unit. ``level`` is their common label, ``None`` when there is none.

    ``words`` sums it up (``jury YYYYYYY NNN 7-3``, ``roll-up: not all``), ``""`` when nobody spoke. ``badges`` says why
    the unit is worth a look, joined by `` · ``. ``marks``: ranges to be marked in a document, by its key.
    ``remarks``: words under the row of a place in a document, by its key. ``opens``: the
    document that they speak of, if it is not the first. ``supported``: what they say of a pair where they have no
    level, the two-way word.
    """

    opinions: tuple[Opinion, ...] = ()
    level: str | None = None
    words: str = ""
    badges: str = ""
    marks: tuple[tuple[str, TextMark], ...] = ()
    remarks: tuple[tuple[str, int, str], ...] = ()
    opens: str = ""
    supported: bool | None = None

    def agree(self, axis: str, label: str) -> bool | None:
        """Whether they say the same as a label of an axis; ``None`` when they have no say, or cannot have one on it."""
        if self.level is not None:
            return same_label(axis, label, self.level)
        if self.supported is None or label == "cannot_judge":
            return None
        return self.supported == (label == "supported")


class UnitView(NamedTuple):
    """One unit, without anything of the machines' opinion: what is not here cannot leak.

    ``name`` is what the screen calls it (``R07 S3 [2]``, ``Q12``), ``group`` what it is listed under. ``documents`` are
    the texts to walk through with ``[`` and ``]``; ``beside`` is one that stays beside them (the response, the
    reference), ``None`` when there is none. ``text_sha256``: of what is decided about. ``model`` wrote it; it is hidden
    in blind mode. ``outputs``: how many outputs a ranking has, in the order of ``documents``, and ``numbers`` their
    stored numbers in that order. ``missing``: what cannot be shown, in words.
    """

    unit: str
    kind: str
    name: str
    group: str
    text: str
    text_sha256: str
    parts: tuple[Part, ...]
    documents: tuple[Document, ...] = ()
    beside: Document | None = None
    model: str = ""
    origin: str = ""
    record_id: str = ""
    response_id: str = ""
    numbers: tuple[int, ...] = ()
    missing: str = ""

    @property
    def card(self) -> str:
        """All that is asked, as one text."""
        return "\n\n".join(f"{part.label}\n{part.text}" if part.label else part.text for part in self.parts)

    def document(self, key: str) -> Document | None:
        """The document with a key, among those to walk through and the one beside them."""
        every = (*self.documents, *((self.beside,) if self.beside else ()))
        return next((document for document in every if document.key == key), None)


@dataclass(frozen=True, slots=True)
class Gold:
    """The right label of a unit on an axis, known beforehand, with the spans that belong to it, and why.

    ``attention``: only attention is needed to get it right.
    """

    axis: str
    label: str
    spans: tuple[tuple[str, Span, str], ...] = ()
    why: str = ""
    attention: bool = False
