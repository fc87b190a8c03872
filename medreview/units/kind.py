"""What a kind of unit says of itself, once: everything else asks it."""

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from medreview.study.events import NewEvent
from medreview.units.asks import Asks
from medreview.units.view import Document, Machines, UnitView

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


class Headline(NamedTuple):
    """The one share that says how good the units of a kind are: those of which somebody says one of these labels.

    ``words``: what is said of such a unit (``without a hallucination``). ``speaks_well``: the labels, by axis; of an
    item with labels on two axes that of the first counts.
    """

    words: str
    speaks_well: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Table:
    """What an export has of a kind beside the labels: a file, its columns as (name, type, meaning), its rows.

    ``type``: text, integer, number, boolean or time. A column ``unit_id`` names the unit that a row is of. ``about``: a
    sentence on what the rows are.
    """

    file: str
    columns: tuple[tuple[str, str, str], ...]
    rows: Callable[[sqlite3.Connection], Iterable[Sequence[Cell]]]
    about: str = ""


_IN_USE: Final = (
    "SELECT EXISTS (SELECT 1 FROM unit WHERE kind = ?)",
    "SELECT EXISTS (SELECT 1 FROM event WHERE unit > ?1 || ':' AND unit < ?1 || ';')",
    "SELECT EXISTS (SELECT 1 FROM gold WHERE unit > ?1 || ':' AND unit < ?1 || ';')",
)


class UnitKind(Asks, ABC):
    """One kind of unit. Its subclasses are stateless; ``registry.KINDS`` has one object of each.

    Beside what it asks: ``title`` is what the first screen calls its queue, ``about`` a sentence on what is asked.
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
    about: str
    headline: Headline
    rows: str
    queue: str = ""
    blind: bool = True
    models: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    filters: Mapping[str, str] = MappingProxyType({})

    @property
    def queue_name(self) -> str:
        """The name of its queue."""
        return self.queue or f"{self.name}s"

    def in_use(self, reader: sqlite3.Connection) -> bool:
        """Whether the study has units of this kind that wait for a reviewer: some came in a file, or somebody decided
        on one, or knows the right label of one."""
        return any(reader.execute(query, (self.name,)).fetchone()[0] for query in _IN_USE)

    @abstractmethod
    def load(self, reader: sqlite3.Connection, unit: str) -> UnitView:
        """One unit without anything that machines say of it; raises ``KeyError`` when the study does not have it."""

    @abstractmethod
    def machines(self, reader: sqlite3.Connection, unit: str) -> Machines:
        """What machines say of it. Asked only when that may be seen."""

    def afterwards(self, reader: sqlite3.Connection, unit: str) -> tuple[Document, ...]:
        """Texts that nearly give the right label away: shown once the unit is decided and its machines may be seen."""
        return ()

    @abstractmethod
    def cluster(self, reader: sqlite3.Connection, unit: str) -> str:
        """The response, case or passage that it is part of: what figures resample; itself when it stands alone."""

    @abstractmethod
    def machine_ratings(self, reader: sqlite3.Connection) -> Iterator[Rating]:
        """Each machine's label on each unit of the kind, streamed."""

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

    def added(self, reader: sqlite3.Connection, beside: str, text: str, category: str) -> tuple[NewEvent, ...]:
        """The events that add what :attr:`adds` names, beside a unit; the last of them is its label.

        Raises ``ValueError``, a sentence, for what cannot be added.
        """
        raise ValueError(f"Nothing can be added to a {self.noun}.")
