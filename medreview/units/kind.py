"""What a kind of unit says of itself, once: everything else asks it."""

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from medreview.labels import AXES, Label
from medreview.units.unit_format import UnitFormat
from medreview.units.view import Machines, UnitView

Entry = Literal["level", "spans", "order", "words"]
"""How a label is given. ``level``: one digit. ``spans``: a digit, then spans in the text with a reason each. ``order``:
a digit for each output from best to worst, then a quality for each. ``words``: a digit; that of the level ``edited``
opens the text to be changed."""

Cell = str | int | float | None


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


@dataclass(frozen=True, slots=True)
class Table:
    """What an export has of a kind beside the labels: a file, its columns as (name, type, meaning), its rows."""

    file: str
    columns: tuple[tuple[str, str, str], ...]
    rows: Callable[[sqlite3.Connection], Iterable[Sequence[Cell]]]


class UnitKind(ABC):
    """One kind of unit. Its subclasses are stateless; ``registry.KINDS`` has one object of each.

    ``name`` is the prefix of its ids, ``title`` what the first screen calls its queue, ``noun`` one of them, ``about``
    a sentence on what is asked. ``key`` opens its queue on the first screen. ``axis`` is what its digits set and
    ``levels`` those labels, by digit (their names and definitions are the key rows and ``?``); ``also`` the other axes
    that it has. ``reasons`` are asked for when a label differs from the machines', none when empty. ``blind``: its
    queue is blind unless asked otherwise. ``tables``: what an export has of it beside the labels. ``form``: the files
    that it comes in, ``None`` for what is made of material that is there.

    ``rows`` is SQL that selects ``unit, cluster, ordinal, text, model, origin, record_id`` of every unit of the kind:
    ``cluster`` a whole number that groups them in lists, ``ordinal`` their order in it.
    """

    name: str
    title: str
    noun: str
    about: str
    key: str
    axis: str
    levels: tuple[Label, ...]
    rows: str
    also: tuple[str, ...] = ()
    reasons: tuple[Label, ...] = ()
    entry: Entry = "level"
    blind: bool = True
    tables: tuple[Table, ...] = ()
    form: UnitFormat | None = None

    @abstractmethod
    def load(self, reader: sqlite3.Connection, unit: str) -> UnitView:
        """One unit without anything that machines say of it; raises ``KeyError`` when the study does not have it."""

    @abstractmethod
    def machines(self, reader: sqlite3.Connection, unit: str) -> Machines:
        """What machines say of it. Asked only when that may be seen."""

    @abstractmethod
    def cluster(self, reader: sqlite3.Connection, unit: str) -> str:
        """The response, case or passage that it is part of: what figures resample; itself when it stands alone."""

    @abstractmethod
    def machine_ratings(self, reader: sqlite3.Connection) -> Iterator[Rating]:
        """Each machine's label on each unit of the kind, streamed."""

    def level_for(self, key: str) -> Label | None:
        """The label that a digit gives, or ``None``."""
        return next((label for label in self.levels if label.key == key), None)

    def scale(self) -> tuple[Label, ...]:
        """All labels of its axis."""
        return AXES[self.axis]
