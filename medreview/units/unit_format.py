"""Files that units come in: their fields, and what one record brings."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from medreview.exchange.imports.field_mapping import (
    AS_NAMED,
    Fields,
    Unfold,
    columns_of,
    normalise_column,
    peek,
)
from medreview.exchange.imports.open_rows import open_rows
from medreview.exchange.imports.rows import BadRecord, Row
from medreview.exchange.imports.unused_columns import UnusedColumn, UnusedColumns
from medreview.progress import SILENT, Progress
from medreview.storable import storable_text, unstorable
from medreview.study import Study
from medreview.text import folded, sha256
from medreview.units.brought import Brought, store_brought
from medreview.units.reference_answers import load_reference
from medreview.units.stored import NewUnit

_BATCH = 500


@dataclass(frozen=True, slots=True)
class UnitFormat:
    """The files of one kind of unit. ``fields``: field -> the column names that are recognised without ``--map``.

    A file whose records say ``"unit": NAME`` is of this format, and so is one that has columns for all of
    ``characteristic`` and that ``tells`` agrees to, where these alone cannot tell: it is given the names of the
    columns, normalised, those of ``--map`` as their field, and the first records by field. ``required`` must be there.
    ``read`` makes of a record's values, by field, what it brings; it raises ``ValueError``, half a sentence on what is
    wrong (``has no passage``). ``on_statements``: it speaks of statements, which must be there. ``unlike``: no two
    units of it should have the same text; those that do are named.
    ``unfold`` makes other rows of those of the file, where one of them is not one record.
    """

    name: str
    fields: Mapping[str, tuple[str, ...]]
    characteristic: tuple[str, ...]
    required: tuple[str, ...]
    read: Callable[[Mapping[str, Any], Study], Brought]
    tells: Callable[[Collection[str], Sequence[Mapping[str, Any]]], bool] = lambda columns, records: True
    unlike: bool = False
    on_statements: bool = False
    unfold: Unfold | None = None


@dataclass(slots=True)
class ImportedUnits:
    """Counts of one file: records ``read``, units ``added`` and ``known``, ``cases``, gold labels, opinions, people's
    ``labels``.

    ``bad``: records left out; ``odd``: those that came in and are not as they should be.
    """

    read: int = 0
    added: int = 0
    known: int = 0
    cases: int = 0
    gold: int = 0
    opinions: int = 0
    labels: int = 0
    bad: list[BadRecord] = field(default_factory=list)
    odd: list[BadRecord] = field(default_factory=list)
    unused: list[UnusedColumn] = field(default_factory=list)


def format_of(path: Path, formats: Collection[UnitFormat], mapping: Mapping[str, str] = AS_NAMED) -> UnitFormat | None:
    """The format of a file among some, or ``None``; raises :class:`UserError` when it cannot be read."""
    first, _ = peek(open_rows(path)[0])
    rows = [row for row in first if isinstance(row, Row)]
    columns = {normalise_column(column) for column in columns_of(rows)}
    named = {mapping["unit:"]} if "unit:" in mapping else {str(row.values.get("unit", "")).strip() for row in rows}
    for one in formats:
        if named == {one.name}:
            return one
    for one in formats:
        fields = Fields.among(one.fields, mapping)
        if fields.present(columns).issuperset(one.characteristic):
            meant = {fields.mapped.get(column, column) for column in columns}
            if one.tells(meant, [fields.values(row) for row in rows]):
                return one
    return None


def import_units(
    study: Study,
    path: Path,
    form: UnitFormat,
    mapping: Mapping[str, str] = AS_NAMED,
    progress: Progress = SILENT,
    on_unit: Callable[[NewUnit], None] = lambda unit: None,
) -> ImportedUnits:
    """Bring the units of a file into a study, in batches; what is there already is passed over. A record that cannot be
    used is named with its line, the rest is kept. ``on_unit`` is told of every unit, new or not. Raises
    :class:`UserError` when the whole file cannot be used."""
    rows, lines = open_rows(path)
    fields = Fields({**form.fields, "unit": ("unit",)}, mapping)
    done, unused = ImportedUnits(), UnusedColumns(form.fields)
    batch: list[Brought] = []
    asked, correct = _Asked(study, form), _Correct(study)
    progress.begin(path.name, lines)

    def store() -> None:
        if batch:
            _store(study, batch, storable_text(path.name), done)
            batch.clear()

    for row in fields.check(rows, path, form.required, form.unfold):
        brought = _brought(row, fields, form, study, unused)
        progress.step()
        if isinstance(brought, BadRecord):
            done.bad.append(brought)
            continue
        done.read += 1
        done.odd += [BadRecord(row.line, warning) for warning in (*brought.warnings, *asked.twice(brought))]
        done.odd += [BadRecord(row.line, warning) for warning in correct.otherwise(brought)]
        batch.append(brought)
        for unit in brought.units:
            on_unit(unit)
        if len(batch) == _BATCH:
            store()
    store()
    done.unused = unused.found()
    return done


class _Asked:
    """The texts of the units of a format that should be unlike each other, by their hashes."""

    def __init__(self, study: Study, form: UnitFormat) -> None:
        query = "SELECT text, unit_id FROM unit WHERE kind = ?"
        rows = study.reader.execute(query, (form.name,)) if form.unlike else ()
        self._form = form
        self._units = {self._hash(text): unit for text, unit in rows}

    def twice(self, brought: Brought) -> Iterator[str]:
        """A warning for each unit that has the text of another one."""
        for unit in brought.units if self._form.unlike else ():
            if self._units.setdefault(self._hash(unit.text), unit.unit) != unit.unit:
                yield f"is a {self._form.name} that is there already, in another record"

    @staticmethod
    def _hash(text: str) -> str:
        return sha256(folded(text))


class _Correct:
    """The correct answers that are known: the first one to a question stays."""

    def __init__(self, study: Study) -> None:
        self._study = study
        self._known: dict[str, str] = {}

    def otherwise(self, brought: Brought) -> Iterator[str]:
        """A warning for each correct answer that another record has otherwise."""
        for question, text in brought.references:
            if question not in self._known:
                self._known[question] = load_reference(self._study.reader, question) or text
            if self._known[question] != text:
                yield "has another correct answer than the one to its question that is there already, which stays"


def _brought(
    row: Row | BadRecord, fields: Fields, form: UnitFormat, study: Study, unused: UnusedColumns
) -> Brought | BadRecord:
    if isinstance(row, BadRecord):
        return row
    if why := unstorable(dict(row.values)):
        return BadRecord(row.line, f"cannot be stored: {why}")
    try:
        brought = form.read(values := fields.values(row), study)
    except ValueError as error:
        return BadRecord(row.line, str(error))
    columns = fields.columns(row)
    unused.add(row, {column for field in columns for column in columns[field][:1]}, values)
    return brought


def _store(study: Study, batch: Sequence[Brought], imported_from: str, done: ImportedUnits) -> None:
    stored = study.write(lambda connection: store_brought(connection, batch, imported_from))
    done.added += stored.units
    done.known += sum(len(one.units) + len(one.answers) for one in batch) - stored.units
    done.cases += stored.cases
    done.gold += stored.gold
    done.opinions += stored.opinions
    done.labels += stored.labels
