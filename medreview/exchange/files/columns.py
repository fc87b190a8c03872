"""What a column of an exported file is, what a file is, and the columns that are read back by name.

A column is defined once: its name, type, meaning and levels, and the SQL or the function that gives its cells. Header,
codebook, database and, of some files, the rows in Python and the import are made from that.
"""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from operator import attrgetter, itemgetter
from typing import Any, Final, Literal, get_args, get_type_hints

from medreview.labels import AXES, EVIDENCE, FLAGS, REASONS, REVEALS, VIAS, Label

Type = Literal["text", "integer", "number", "boolean", "time"]
Cell = str | int | float | None

EXPORT_VERSION: Final = 3
"""Raised when a column changes its meaning. Since 2 ``mode`` of labels.csv says what had been seen (blind, assisted);
before, it said how the queue was shown. Since 3 statements.csv holds permanent random numbers; before, the places of
those that were drawn."""
IMPORTED_VERSIONS: Final = (1, 2, 3)
"""The versions that can be imported."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column. ``levels``: the values it can have, when they are few. Numbers and booleans are never quoted."""

    name: str
    type: Type
    meaning: str
    unit: str = ""
    levels: tuple[str, ...] = ()
    sql: str = field(default="", repr=False)
    """Its SQL in the query of its file; by default the column of this name, and nothing where ``made`` gives it."""
    made: Callable[[Any], Cell] | None = field(default=None, repr=False)
    """What makes the cell of the row that was selected, or of the object that a row is of."""


about: Final = partial(Column, "", "text")
"""A column whose name and type are those of the annotated field of a row record: :func:`columns_of`."""

_TYPES: Final[Mapping[type, Type]] = {str: "text", int: "integer", float: "number", bool: "boolean", datetime: "time"}


def columns_of(record: type) -> tuple[Column, ...]:
    """The columns of a record whose every field is ``Annotated[TYPE, about(MEANING, ...)]``."""
    found = []
    for name, hint in get_type_hints(record, include_extras=True).items():
        kind, column = get_args(hint)
        (kind,) = [one for one in get_args(kind) or (kind,) if one in _TYPES]
        found.append(replace(column, name=name, type=_TYPES[kind]))
    return tuple(found)


def selected(columns: Iterable[Column]) -> str:
    """The columns that SQL gives, as the beginning of a query; each has its name there."""
    wanted = [column for column in columns if column.sql or column.made is None]
    return "SELECT " + ", ".join(f'{one.sql or one.name} AS "{one.name}"' for one in wanted)


def cells_of(columns: Sequence[Column]) -> Callable[..., list[Cell]]:
    """What makes the cells of one row after another, each as :func:`cells` has it; all rows are of one kind.

    It takes the row, and the object that the functions of the columns read if that is another.
    """
    made = [(at, column.made) for at, column in enumerate(columns) if column.made is not None]
    truths = [at for at, column in enumerate(columns) if column.type == "boolean"]
    named = [column.name for column in columns if column.made is None]
    read: Callable[[Any], Iterable[Any]] | None = None

    def cells(row: Any, other: Any = None) -> list[Cell]:
        nonlocal read
        if read is None:
            by_place = isinstance(row, sqlite3.Row)  # for a name it goes through all columns
            wanted: list[Any] = list(map(row.keys().index, named)) if by_place else named
            getter = itemgetter if by_place or isinstance(row, dict) else attrgetter
            readers = [getter(one) for one in wanted]
            read = getter(*wanted) if len(wanted) > 1 else lambda row: [reader(row) for reader in readers]
        found = list(read(row))
        material = row if other is None else other
        for at, make in made:
            found.insert(at, make(material))
        for at in truths:
            if found[at].__class__ is bool:
                found[at] = int(found[at])
        return found

    return cells


def cells(columns: Sequence[Column], row: Any) -> list[Cell]:
    """The cells of a row: a ``sqlite3.Row`` of :func:`selected`, or an object with attributes of the columns' names.

    Truth values are 0 and 1. For many rows there is :func:`cells_of`.
    """
    return cells_of(columns)(row)


@dataclass(frozen=True, slots=True)
class ExportFile:
    """A CSV file of an export, which is a table of the exported database, too: its columns, rows, and what they are.

    ``rows``: what gives them, or the query without the columns that SQL gives (``FROM ... ORDER BY ...``).
    """

    file: str
    columns: tuple[Column, ...]
    rows: str | Callable[[sqlite3.Connection], Iterable[Sequence[Cell]]]
    about: str = ""
    """A sentence on the rows."""
    key: tuple[str, ...] = ()
    """The primary key; of a table that has several rows for one thing, none."""
    counted: str = ""
    """The table or join that its rows are counted by beforehand."""
    leads: Mapping[str, str] = field(default_factory=dict)
    """Columns that lead to another table than the one whose key has their name; ``""``: to none."""
    first: tuple[str, ...] = ()
    """The columns that one reads first; the database begins with them."""
    facets: tuple[str, ...] = ()
    """The columns whose values Datasette counts beside the rows."""
    sorted_by: str = ""
    named_by: str = ""
    """The column that stands for a row wherever another table refers to it."""
    size: int = 0
    """How many rows Datasette shows at once, if not as many as usual."""

    @property
    def table(self) -> str:
        """The name of its table."""
        return self.file.removesuffix(".csv")

    def read(self, reader: sqlite3.Connection) -> Iterable[Sequence[Cell]]:
        """Its rows."""
        if callable(self.rows):
            return self.rows(reader)
        return self._selected(reader.execute(f"{selected(self.columns)} {self.rows}"))

    def _selected(self, rows: Iterable[sqlite3.Row]) -> Iterator[Sequence[Cell]]:
        if all(column.made is None for column in self.columns):
            return map(tuple, rows)
        return map(cells_of(self.columns), rows)


def levels_of(labels: tuple[Label, ...]) -> tuple[str, ...]:
    """The levels of an axis or list of labels, as the values of a column."""
    return tuple(label.level for label in labels)


CLUSTER_MEANING: Final = (
    "What to resample: the question where answers of the study share questions (the id of the first response to it), "
    "else the response; of a case or a passage that; else the unit itself."
)
"""Of a column ``cluster_id``."""

EXPOSURE: Final = (
    ("judge_verdict", "the judges' verdict"), ("judge_quote", "the judge's quote"),
    ("judge_highlight", "the judge's highlights"), ("jury", "the jury"), ("model_name", "the model's name"),
    ("queue_reason", "why it is in the queue"), ("judge_totals", "figures of the judges"),
    ("own_previous", "the reviewer's own earlier label"), ("other_reviewer", "another reviewer's label or note"),
)  # fmt: skip
"""What may have been seen before a decision: the part of its exposure, and what that is."""
SEEN: Final = ("no", "before", "after")
CODE_POINTS: Final = "code points, 0-based"
UTF16: Final = "UTF-16 code units, 0-based"
DOUBT_MEANING: Final = (
    "What speaks against a quote that is in the page, as a proof of support: it is off topic, among instructions to a "
    "judge, or its claim stands only in text that is not open; or its judge also says that the page says the opposite, "
    "or that a part is missing; none = nothing. Empty where that was not looked at."
)

EVENTS: Final = (
    Column("event_id", "text", "The event (a ULID: their order is the order in time)."),
    Column("at_utc", "time", "When it happened.", unit="UTC"),
    Column("reviewer", "text", "Who did it."),
    Column("session", "text", "In which sitting."),
    Column("kind", "text", "What was done.", levels=("shown", "decide", "revise", "retract", "reveal", "reason",
           "defer", "flag", "note", "span_add", "span_del", "promote", "audit_rate", "audit_release", "look",
           "listed", "adjudicate", "background", "guideline", "guideline_read", "split", "join", "exclude", "span_move",
           "finding", "fact_add", "share_rate", "pass_rate", "gold_told", "declare", "axes", "tag", "audit_plan",
           "audit_assist", "draw", "assign", "consent", "consent_given", "ranking_draw", "sent_anyway",
           "triage_order", "seal")),
    Column("unit", "text", "The statement, or KIND:ID for another unit; of what is done to the study as a whole, the "
           "study."),
    Column("snapshot", "text", "The page on the screen."),
    Column("pass", "integer", "Which time the reviewer went through the study."),
    Column("block", "text", "The queue."),
    Column("mode", "text", "Whether the judges' opinion was hidden.", levels=("blind", "open")),
    Column("undoes_event", "text", "The event that this one takes back."),
    Column("app_version", "text", "Version of medreview."),
    Column("label_set_version", "text", "Version of the label set."),
    Column("previous_hash", "text", "Hash of the event before it."),
    Column("hash", "text", "SHA-256 of the event and the hash before it."),
    Column("payload", "text", "Which values the event has beside the columns above: name:type, parted by blanks (s "
           "text, i whole number, f number, b boolean, z no value, o object, a list; a dot goes one level down). "
           "The values stand in the columns payload_NAME, all others in event_values.csv."),
)  # fmt: skip

PAYLOAD: Final = {
    "axis": Column("payload_axis", "text", f"Axis of a decision or span: {', '.join(AXES)}; of a ranking's outputs "
                   "quality/1, hallucinated/1, quality/2, ..."),
    "label": Column("payload_label", "text", "Level of a decision or span."),
    "judge_verdict": Column("payload_judge_verdict", "text", "The judges' verdict at that time.",
                            levels=levels_of(EVIDENCE)),
    "decision": Column("payload_decision", "text", "The decision that a reason belongs to."),
    "code": Column("payload_code", "text", "Reason code.", levels=levels_of(REASONS)),
    "text": Column("payload_text", "text", "Text of a note, of the guidelines, of the study's own axes, or of what was "
                   "left out and became a statement."),
    "flag": Column("payload_flag", "text", "Which flag.", levels=levels_of(FLAGS)),
    "on": Column("payload_on", "boolean", "1: the flag or the tag was set, 0: taken back."),
    "tag": Column("payload_tag", "text", "Which tag."),
    "target": Column("payload_target", "text", "Text in which a span lies: response, source, source:ID, passage, "
                     "note:ID, output:N, reference."),
    "start": Column("payload_start", "integer", "Start of a span, or of what was left out.", unit=CODE_POINTS),
    "end": Column("payload_end", "integer", "End of a span, or of what was left out.", unit=CODE_POINTS),
    "exact": Column("payload_exact", "text", "Text of a span."),
    "sha256": Column("payload_sha256", "text", "SHA-256 of the text in which a span lies, or of the guidelines."),
    "guideline": Column("payload_guideline", "text", "The guidelines by which a label was given: the beginning of the "
                        "SHA-256 of their text (the event guideline, or the definitions of the labels)."),
    "span": Column("payload_span", "text", "The span that was removed."),
    "filter": Column("payload_filter", "text", "Filter of the queue in which a decision was given."),
    "via": Column("payload_via", "text", "How a decision was given.", levels=VIAS),
    "reveal": Column("payload_reveal", "text", "When a blind decision shows the judges: at the end of its block, or at "
                     "once.", levels=REVEALS),
    "active_ms": Column("payload_active_ms", "integer", "Working time.", unit="ms"),
    "keys": Column("payload_keys", "integer", "Keys pressed."),
    "snapshot_sha256": Column("payload_snapshot_sha256", "text", "SHA-256 of the page's text."),
    "statement_sha256": Column("payload_statement_sha256", "text", "SHA-256 of the statement."),
    **{
        f"exposure.{what}": Column(f"payload_exposure_{what}", "text",
                                   f"Seen before the decision: {words}.", levels=SEEN)
        for what, words in EXPOSURE
    },
}  # fmt: skip
"""Name of a payload value -> its column in events.csv."""

EVENT_VALUES: Final = (
    Column("event_id", "text", "The event."),
    Column("name", "text", "Name of a value for which events.csv has no column, as written in its column payload."),
    Column("value", "text", "The value."),
)

CODEBOOK: Final = (
    Column("file", "text", "The file."),
    Column("column", "text", "The column, in the order of the file."),
    Column("type", "text", "What its cells hold; booleans are 0 and 1, times ISO 8601; empty = missing.",
           levels=("text", "integer", "number", "boolean", "time")),
    Column("unit", "text", "Its unit."),
    Column("levels", "text", "The values it can have, parted by blanks; empty = any."),
    Column("meaning", "text", "What it says."),
)  # fmt: skip

EXCEL: Final = (
    Column("guarded", "text", "Columns of this row with a leading ' so that no program takes the text for a formula, a "
           "number or a day."),
    Column("truncated", "text", "Columns of this row that were cut, because Excel holds 32,767 characters in a cell."),
)  # fmt: skip
"""Added to every file in the dialect for Excel."""
