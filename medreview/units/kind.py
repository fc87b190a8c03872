"""A kind of unit: what each kind says of itself (:class:`Asks`, :class:`UnitKind`), and one unit as plain data
(:class:`UnitView`).

A view has what is asked and the texts to read beside it; what machines say of the unit stands apart from it.
"""

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from medreview.labels import AXES, FALSE_QUOTES, Label, same_label, scale_of
from medreview.study.events import NewEvent
from medreview.text import Span

if TYPE_CHECKING:
    from medreview.exchange.files.columns import ExportFile
    from medreview.units.statement_view import StatementView

Tone = Literal["", "title", "dim", "badge", "quote"]
"""How a part of the card is drawn; a badge is a warning."""

Shade = Literal["lexical", "evidence", "doubted", "quote", "clash", "statement", "left_out"]
"""What a mark in a text means: shared words, the nearest passage, what may be a slip, a machine's quotation, a
difference, the unit, what is no statement."""

Entry = Literal["level", "spans", "order", "words"]
"""How a label is given. ``level``: one digit. ``spans``: a digit, then spans in the text with a reason each. ``order``:
a digit for each output from best to worst, then a quality for each. ``words``: a digit; that of the level ``edited``
opens the text to be changed."""


RULES: Final = "rules"
"""What the rules that compare references are called among judges."""
RESPONSE: Final = "response"
SOURCE: Final = "source"
CORRECT_ANSWER: Final = "correct_answer"
"""The keys of documents: a response, a source that is the only one, and the correct answer, which is read with care for
when it is shown."""


class CardPart(NamedTuple):
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


@dataclass(frozen=True, slots=True)
class Document:
    """A text to read: ``key`` names it within the unit and is the target of spans in it (``response``, ``source``,
    ``passage``, ``note:ID``, ``output:2``, ``reference``).

    ``title`` is what its bar says (``[1] who.example``, ``output 2``); ``words`` is the text, or reads it when it is
    shown. ``state`` is a page state or ``""``, ``state_words`` what is to be said of that. ``snapshot_id``: of the text
    of a page, its snapshot. ``marks`` are neutral: they say nothing of what machines think. ``opens``: where it opens,
    if not at its beginning.
    """

    key: str
    title: str
    words: str | Callable[[], str]
    marks: tuple[TextMark, ...] = ()
    opens: int | None = None
    state: str = ""
    state_words: str = ""
    snapshot_id: str | None = None

    @property
    def text(self) -> str:
        """The text, read now where it was not yet."""
        return self.words if isinstance(self.words, str) else self.words()


class DocumentPassage(NamedTuple):
    """Where in a document a machine's quotation stands: ``spans`` in the text of the document named ``key``.

    ``differences`` of an altered one: pairs of ranges, in the quotation and in the document. ``doubt``: what speaks
    against it as a proof, in words. ``kinds``: what the differences are, each once. ``scanned``: it stands on a page
    that was read by OCR. ``opposes``: it is quoted as the opposite of what the unit says.
    """

    key: str
    quote: str
    status: str
    spans: tuple[Span, ...] = ()
    differences: tuple[tuple[Span, Span], ...] = ()
    doubt: str = ""
    kinds: tuple[str, ...] = ()
    scanned: bool = False
    opposes: bool = False

    @property
    def false(self) -> bool:
        """Whether it is not what stands there, or proves nothing."""
        return self.status in FALSE_QUOTES or bool(self.doubt)

    @property
    def wrong(self) -> bool:
        """Whether it is false, or stands in another source than the one that was read."""
        return self.false or self.status == "other_source"


class Opinion(NamedTuple):
    """What one machine says of a unit: ``judge``, ``model``, ``prompt``; ``said`` in words (``present``, ``not all``).

    ``label`` is its level on the unit's axis, ``None`` where it has none; ``supported`` the two-way word, if it gave
    one. ``counts``: it is a vote. ``about``: the key of the one document that it read, of kinds whose machines read
    them one by one. ``missing``: the part of the unit that the document does not state; ``opposes``: whether it says
    the opposite; both of a judge that was asked for that.
    """

    opinion_id: str
    judge: str
    model: str
    prompt: str
    said: str
    label: str | None
    confidence: float | None = None
    reason: str = ""
    passages: tuple[DocumentPassage, ...] = ()
    counts: bool = True
    about: str = ""
    supported: bool | None = None
    missing: str = ""
    opposes: bool | None = None


class Machines(NamedTuple):
    """All that machines say of a unit. ``level`` is their common label, ``None`` without one.

    ``words`` sums it up (``present YYYYYYY NNN 7-3``, ``judges 2-0``), ``""`` when nobody spoke. ``badges`` says why
    the unit is worth a look, joined by `` · ``. ``marks``: ranges to be marked in a document, by its key.
    ``remarks``: words under the row of a place in a document, by its key. ``opens``: the
    document that they speak of, if it is not the first. ``supported``: what they say where they have no level, the
    two-way word. ``by_rules``: the rules alone have spoken, and nobody owes them a reason. ``divided``: what single
    judges say of a statement on which they have no common word.
    """

    opinions: tuple[Opinion, ...] = ()
    level: str | None = None
    words: str = ""
    badges: str = ""
    marks: tuple[tuple[str, TextMark], ...] = ()
    remarks: tuple[tuple[str, int, str], ...] = ()
    opens: str = ""
    supported: bool | None = None
    by_rules: bool = False
    divided: frozenset[str] = frozenset()

    def agree(self, axis: str, label: str) -> bool | None:
        """Whether they say the same as a label of an axis; ``None`` when they have no say, or cannot have one on it.

        Where they are divided, ``None`` as well if one of them says the same, else False.
        """
        if self.by_rules:
            return None
        if self.level is not None:
            return same_label(axis, label, self.level)
        if self.supported is not None:
            return None if label == "cannot_judge" else self.supported == (label == "supported")
        return False if self.divided and label not in self.divided else None


class UnitView(NamedTuple):
    """One unit, without the machines' opinions, so that they cannot leak.

    ``name`` is what the screen calls it (``R07 S3 [2]``, ``Q12``), ``group`` what it is listed under. ``documents`` are
    the texts to walk through with ``[`` and ``]``; ``beside`` is one that stays beside them (the response, the
    reference), or ``None``. ``text_sha256``: of what is decided about. ``model`` wrote it; it is hidden
    in blind mode. ``outputs``: how many outputs a ranking has, in the order of ``documents``, and ``numbers`` their
    stored numbers in that order. ``missing``: what cannot be shown, in words. ``statement``: of a statement, all else
    that is known of it, the judges' words included.
    """

    unit: str
    kind: str
    name: str
    group: str
    text: str
    text_sha256: str
    parts: tuple[CardPart, ...]
    documents: tuple[Document, ...] = ()
    beside: Document | None = None
    model: str = ""
    origin: str = ""
    record_id: str = ""
    response_id: str = ""
    numbers: tuple[int, ...] = ()
    missing: str = ""
    statement: "StatementView | None" = None

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


class Rating(NamedTuple):
    """One rater's label of one unit, as figures of agreement take them.

    ``cluster``: what to resample, the response, case or passage that the unit is part of. ``rater``: a reviewer or a
    judge; ``machine``: which of both. ``mode``: ``blind``, ``assisted``, or ``""`` for a machine.
    """

    unit: str
    cluster: str
    axis: str
    rater: str
    machine: bool
    mode: str
    value: str


class Headline(NamedTuple):
    """The one share that says how good the units of a kind are: those of which somebody says one of these labels.

    ``words``: what is said of such a unit (``without a hallucination``). ``speaks_well``: the labels, by axis; of an
    item with labels on two axes that of the first counts.
    """

    words: str
    speaks_well: Mapping[str, tuple[str, ...]]


_OPINIONS: Final = """
SELECT o.unit, o.judge, o.label, coalesce(nullif(u.belongs_to, ''), o.unit)
FROM opinion AS o LEFT JOIN unit AS u ON u.unit_id = o.unit
WHERE o.axis = ? AND o.label IS NOT NULL AND substr(o.unit, 1, length(?2) + 1) = ?2 || ':' ORDER BY o.unit"""

_IN_USE: Final = (
    "SELECT EXISTS (SELECT 1 FROM unit WHERE kind = ?)",
    "SELECT EXISTS (SELECT 1 FROM event WHERE unit > ?1 || ':' AND unit < ?1 || ';')",
    "SELECT EXISTS (SELECT 1 FROM gold WHERE unit > ?1 || ':' AND unit < ?1 || ';')",
)


class Asks(ABC):
    """What a session asks of a kind of unit, the statement included: labels, views, what machines say.

    ``name`` is the kind, the prefix of its ids; ``noun`` one of them; ``about`` a sentence on what is asked.

    ``axis`` is what its digits set and ``levels`` those labels, by digit: their names and definitions are the key rows
    and ``?``. ``reasons`` are asked for when a label differs from the machines', none when empty. ``leads_to``: the
    kind of unit that one key leads to, made of the same material; none when empty. ``crosses_to``: the same of the key
    between what is said and the references that it is said by. ``also`` are the other axes that it
    has, ``numbered`` the levels whose places are named by a number, each with the document that has the numbers;
    ``adds`` what a reviewer may add to what there is (``fact``), ``""`` for nothing. ``parsed``: a parser cut it
    out of a response, so that it can have cut it out wrongly. ``one_block``: what machines say of one of its units
    tells of the others, so that all of them are one blind block. ``flags``: those that are asked for, too.
    """

    name: str
    noun: str
    axis: str
    levels: tuple[Label, ...]
    reasons: tuple[Label, ...] = ()
    entry: Entry = "level"
    leads_to: str = ""
    crosses_to: str = ""
    also: tuple[str, ...] = ()
    numbered: Mapping[str, str] = MappingProxyType({})
    adds: str = ""
    parsed: bool = False
    one_block: bool = False
    flags: tuple[str, ...] = ()
    about: str = ""

    @property
    def digits(self) -> str:
        """The digits that give a label, as prompts say them: ``1-5``."""
        return f"{self.levels[0].key}-{self.levels[-1].key}" if self.levels else ""

    @property
    def faults(self) -> str:
        """The digits of the labels that say that something is wrong, of kinds whose labels belong to places."""
        wrong = [label.key for label in self.levels if label.level != "none"]
        return f"{wrong[0]}-{wrong[-1]}" if wrong else ""

    def level_for(self, key: str) -> Label | None:
        """The label that a digit gives, or ``None``."""
        return next((label for label in self.levels if label.key == key), None)

    def level_named(self, level: str) -> Label:
        """A label of its axis by its level; raises ``KeyError`` for another."""
        scale = self.levels or AXES[scale_of(self.axis)]
        for label in scale:
            if label.level == level:
                return label
        if self.entry == "order":
            return Label(level, "", "ranked", "")
        raise KeyError(f"{level!r} is not one of {', '.join(label.level for label in scale)}")

    @abstractmethod
    def load(self, reader: sqlite3.Connection, unit: str) -> UnitView:
        """One unit without anything that machines say of it; raises ``KeyError`` when the study does not have it."""

    @abstractmethod
    def machines(self, reader: sqlite3.Connection, unit: str) -> Machines:
        """What machines say of it. Asked only when that may be seen."""

    def machines_on(self, reader: sqlite3.Connection, view: UnitView) -> Machines:
        """The same of a unit that is read."""
        return self.machines(reader, view.unit)

    def afterwards(self, reader: sqlite3.Connection, unit: str) -> tuple[Document, ...]:
        """Texts that nearly give the right label away: shown once the unit is decided and its machines may be seen."""
        return ()

    def fits(self, view: UnitView, label: str) -> str:
        """Why a label cannot be given to a unit, as a sentence that says what to do instead; ``""`` when it can."""
        return ""

    def stands(self, reader: sqlite3.Connection, unit: str) -> bool:
        """Whether a unit is still there: one that a reviewer added and took back is not."""
        return True

    def flags_of(self, reader: sqlite3.Connection, unit: str) -> str:
        """The response whose statements are flagged otherwise once this unit has a label; ``""`` for none."""
        return ""

    def label_words(self, view: UnitView, label: str) -> str:
        """A label of the axis as the screen says it beside this unit."""
        return self.level_named(label).name

    def recorded(self, reader: sqlite3.Connection, view: UnitView) -> Mapping[str, Any]:
        """What goes into the record of a decision beside the label: how the unit was shown."""
        return {}

    def places_named(self, reader: sqlite3.Connection, unit: str, typed: str) -> Sequence[Span]:
        """The places that numbers name in the document of :attr:`numbered`.

        Raises ``ValueError``, a sentence, for what names none.
        """
        raise ValueError(f"A {self.noun} has no numbers.")

    def added(self, reader: sqlite3.Connection, beside: str, text: str, category: str) -> tuple[NewEvent, ...]:
        """The events that add what :attr:`adds` names, beside a unit; the last of them is its label.

        Raises ``ValueError``, a sentence, for what cannot be added.
        """
        raise ValueError(f"Nothing can be added to a {self.noun}.")


class UnitKind(Asks):
    """One kind of unit other than the statement. Its subclasses are stateless; ``registry.KINDS`` has one of each.

    ``title`` is what the first screen calls its queue.
    ``queue`` is the queue's name, the kind and an s when empty. ``blind``: its queue is blind unless asked otherwise.
    ``headline``: what figures of it begin with. ``tables``: what an export has of it beside the labels. The files that
    it comes in are in ``formats.FORMATS``.

    ``models``: which values of a stored unit's content name what wrote it, or are its word for it, as in
    unit_values.csv and with ``*`` for any number (``outputs.*.model``): they are left out of what is given to somebody
    who must not know.

    ``filters``: what its queue can be narrowed by beside what all units have: a name, and SQL over ``rows`` (as ``s``)
    that gives its value. They tell nothing of what machines say, so that a blind queue may have them.

    ``rows`` is SQL that selects ``unit, cluster, ordinal, text, model, origin, record_id`` of every unit of the kind:
    ``cluster`` a whole number that groups them in lists, ``ordinal`` their order in it.
    """

    title: str
    headline: Headline
    rows: str
    queue: str = ""
    blind: bool = True
    models: tuple[str, ...] = ()
    tables: "tuple[ExportFile, ...]" = ()
    filters: Mapping[str, str] = MappingProxyType({})

    @property
    def queue_name(self) -> str:
        """The name of its queue."""
        return self.queue or f"{self.name}s"

    def in_use(self, reader: sqlite3.Connection) -> bool:
        """Whether the study has units of this kind that wait for a reviewer: some came in a file, or somebody decided
        on one, or knows the right label of one."""
        return any(reader.execute(query, (self.name,)).fetchone()[0] for query in _IN_USE)

    def cluster(self, reader: sqlite3.Connection, unit: str) -> str:
        """The response, case or passage that it is part of: what figures resample; itself when it stands alone.

        Here of a stored unit.
        """
        row = reader.execute("SELECT belongs_to FROM unit WHERE unit_id = ?", (unit,)).fetchone()
        return (row[0] if row else "") or unit

    def machine_ratings(self, reader: sqlite3.Connection) -> Iterator[Rating]:
        """Each machine's label on each unit of the kind, streamed; here the stored opinions."""
        for unit, judge, label, cluster in reader.execute(_OPINIONS, (self.axis, self.name)):
            yield Rating(unit, cluster, self.axis, judge, True, "", label)
