"""Files that units come in: their fields, what one record brings, and what records of several kinds have in common.

A value that is of no use raises ``ValueError``, half a sentence on what is wrong; of what was said of a unit
(:func:`said_of`) it is a warning, so that the unit itself is not lost.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, TypeVar

from medreview.exchange.imports.field_mapping import (
    AS_NAMED,
    Fields,
    Unfold,
    UnusedColumn,
    UnusedColumns,
    columns_of,
    name_of,
    normalise_column,
    peek,
    text_of,
)
from medreview.exchange.imports.file_rows import BadRecord, NamedRow
from medreview.exchange.imports.json_rows import kind_of, written_out
from medreview.exchange.imports.open_rows import open_rows
from medreview.labels import FLAGS, is_label
from medreview.progress import SILENT, Progress
from medreview.storable import storable_text, unstorable
from medreview.study import Study
from medreview.text import folded, sha256
from medreview.units.kind import Gold
from medreview.units.new_units import ImportedLabel, ImportRecord, store_records
from medreview.units.stored import NewOpinion, NewPassage, NewUnit, load_reference

_BATCH = 500


Reads = Callable[[Mapping[str, Any], Study], ImportRecord]


@dataclass(frozen=True, slots=True)
class UnitFormat:
    """The files of one kind of unit. ``fields``: field -> the column names that are recognised without ``--map``.

    A file whose records say ``"unit": NAME`` is of this format, and so is one that has columns for all of
    ``characteristic`` and that ``tells`` agrees to, where these alone cannot tell: it is given the names of the
    columns, normalised, those of ``--map`` as their field, and the first records by field. ``required``: the file has
    columns for these, and each record a value. ``read`` makes of a record's values, by field, what it brings; it raises
    ``ValueError``, half a sentence on what is wrong (``has no passage``). ``on_statements``: it speaks of statements,
    which must be there. ``unlike``: no two units of it should have the same text; those that do are named.
    ``unfold`` makes other rows of those of the file, where one of them is not one record. ``cautions``: what to say, in
    sentences, of a file of which these records were left out. ``begin`` makes, for one file, what ``read`` does of each
    record, where something of the study is read once for all of them.
    """

    name: str
    fields: Mapping[str, tuple[str, ...]]
    characteristic: tuple[str, ...]
    required: tuple[str, ...]
    read: Reads
    tells: Callable[[Collection[str], Sequence[Mapping[str, Any]]], bool] = lambda columns, records: True
    unlike: bool = False
    on_statements: bool = False
    unfold: Unfold | None = None
    cautions: Callable[[Sequence[BadRecord]], list[str]] = lambda bad: []
    begin: Callable[[Study], Reads] | None = None


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
    rows = [row for row in first if isinstance(row, NamedRow)]
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
    """Import the units of a file into a study, in batches; units that it has are skipped. A record that cannot be used
    is named with its line, the rest is kept. ``on_unit`` is called with every unit, new or not. Raises
    :class:`UserError` when the whole file cannot be used."""
    rows, lines = open_rows(path)
    fields = Fields({**form.fields, "unit": ("unit",)}, mapping)
    done, unused = ImportedUnits(), UnusedColumns(form.fields)
    batch: list[ImportRecord] = []
    asked, correct = _Asked(study, form), CorrectAnswers(study)
    read = form.begin(study) if form.begin else form.read
    progress.begin(path.name, lines)

    def store() -> None:
        if batch:
            _store(study, batch, storable_text(path.name), done)
            batch.clear()

    for row in fields.check(rows, path, form.required, form.unfold):
        brought = _brought(row, fields, form, read, study, unused)
        progress.step()
        if isinstance(brought, BadRecord):
            done.bad.append(brought)
            continue
        done.read += 1
        done.odd += [BadRecord(row.line, warning) for warning in (*brought.warnings, *asked.twice(brought))]
        done.odd += [BadRecord(row.line, warning) for warning in correct.otherwise(brought.references)]
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

    def twice(self, brought: ImportRecord) -> Iterator[str]:
        """A warning for each unit that has the text of another one."""
        for unit in brought.units if self._form.unlike else ():
            if self._units.setdefault(self._hash(unit.text), unit.unit) != unit.unit:
                yield f"is a {self._form.name} that is there already, in another record"

    @staticmethod
    def _hash(text: str) -> str:
        return sha256(folded(text))


class CorrectAnswers:
    """The correct answers that are known: the first one to a question stays."""

    def __init__(self, study: Study) -> None:
        self._study = study
        self._known: dict[str, str] = {}

    def otherwise(self, references: Iterable[tuple[str, str]]) -> Iterator[str]:
        """A warning for each (question, correct answer) that another record has otherwise."""
        for question, text in references:
            if question not in self._known:
                self._known[question] = load_reference(self._study.reader, question) or text
            if self._known[question] != text:
                yield "has another correct answer than the one to its question that is there already, which stays"


def _brought(
    row: NamedRow | BadRecord, fields: Fields, form: UnitFormat, read: Reads, study: Study, unused: UnusedColumns
) -> ImportRecord | BadRecord:
    if isinstance(row, BadRecord):
        return row
    if why := unstorable(dict(row.values)):
        return BadRecord(row.line, f"cannot be stored: {why}")
    values = fields.values(row)
    for name in form.required:
        if values.get(name) is None or not str(values[name]).strip():
            return BadRecord(row.line, f"has no {name}")
    try:
        brought = read(values, study)
    except ValueError as error:
        return BadRecord(row.line, str(error))
    columns = fields.columns(row)
    unused.add(row, {column for field in columns for column in columns[field][:1]}, values)
    return brought


def _store(study: Study, batch: Sequence[ImportRecord], imported_from: str, done: ImportedUnits) -> None:
    stored = study.write(lambda connection: store_records(connection, batch, imported_from))
    done.added += stored.units
    done.known += sum(len(one.units) + len(one.answers) for one in batch) - stored.units
    done.cases += stored.cases
    done.gold += stored.gold
    done.opinions += stored.opinions
    done.labels += stored.labels


T = TypeVar("T")

ABOUT: Final[Mapping[str, tuple[str, ...]]] = {
    "id": ("id", "record_id", "question_id", "item_id"),
    "origin": ("origin", "dataset", "source_dataset"),
    "model": ("model", "generator", "generated_by"),
    "prompt": ("prompt", "prompt_id"),
    "run": ("run", "run_id"),
    "passage": ("passage", "paragraph", "source_paragraph", "passage_text", "source_text", "context"),
    "passage_title": ("passage_title", "source_title", "book"),
    "source": ("source",),
    "url": ("url", "source_url"),
    "gold": ("gold", "gold_label"),
    "gold_why": ("gold_why",),
    "attention": ("attention",),
    "opinions": ("opinions", "judgements"),
    "people": ("labels", "annotations", "annotators"),
    "annotator": ("annotator", "annotator_id", "reviewer"),
    "label": ("label", "gp_relevance", "relevance", "answerability"),
    "dispute": ("dispute", "has_dispute"),
    "feedback": ("feedback", "has_feedback"),
    "note": ("note", "comment"),
    "at": ("at", "labelled_at", "annotated_at"),
}
"""Field -> column names, for the fields that are read here; a format adds its own."""

_YES: Final = frozenset({"true", "yes", "1", "y", "t"})
_NO: Final = frozenset({"", "false", "no", "0", "n", "f", "none", "null", "nan"})
_PLACE: Final = ("title", "book", "isbn", "section", "page", "paragraph_id", "id")
"""The members of a ``source`` that name a place in a book, in the order in which they are said."""
_TEXTS: Final = ABOUT["passage"] + ("text", "content")


def texts_of(values: Mapping[str, Any], field: str) -> tuple[str, ...]:
    """A field that holds one text or a list of them; a table writes the list as JSON. Empty ones are left out."""
    value = opened(values.get(field))
    items = value if isinstance(value, list) else [] if value is None else [value]
    texts = (name_of({field: "true" if item is True else "false" if item is False else item}, field) for item in items)
    return tuple(text for text in texts if text)


def opened(value: Any) -> Any:
    """A list or an object that is written out in a cell of a table, as such; anything else as it is."""
    found = written_out(value) if isinstance(value, str) else value
    if found is not value and (why := unstorable(found)):
        raise ValueError(f"cannot be stored: {why}")
    return found


def is_set(value: Any) -> bool:
    """Whether a flag of a record is set: true, a number but 0, ``yes``; any text but a no sets it too."""
    return str(value).strip().casefold() not in _NO if value is not None else False


def item_of(
    values: Mapping[str, Any],
    kind: str,
    axis: str,
    text: str,
    content: Mapping[str, Any],
    passage: NewPassage | None,
    faults: Iterable[str],
    belongs_to: str = "",
) -> ImportRecord:
    """A unit that was made from a text, with that text and what the record says of the unit (:func:`said_of`).

    ``belongs_to``: what it is part of, where that is not the passage. ``faults``: what is odd about the unit itself.
    """
    by = {name: name_of(values, name) for name in ("model", "prompt", "run")}
    unit = NewUnit(
        kind=kind,
        text=text,
        content=content,
        record_id=name_of(values, "id"),
        origin=name_of(values, "origin"),
        model=by["model"],
        belongs_to=belongs_to or content["passage"],
        made_by={name: word for name, word in by.items() if word},
    )
    said = said_of(values, unit.unit, axis)
    passages = (passage,) if passage else ()
    return replace(said, units=(unit,), passages=passages, warnings=(*faults, *said.warnings))


def passage_of(values: Mapping[str, Any]) -> NewPassage | None:
    """The text that a record is about, from its own field or from its ``source``; ``None`` when it has none."""
    source = opened(values.get("source"))
    place = {normalise_column(name): value for name, value in source.items()} if isinstance(source, dict) else {}
    given = text_of(values, "passage")
    text = given or next((text_of(place, name) for name in _TEXTS if isinstance(place.get(name), str)), "")
    address = name_of(values, "url") or name_of(place, "url")
    title = name_of(values, "passage_title") or _title(place)
    if isinstance(source, str) and not given and not address and not source.startswith(("http://", "https://")):
        text = source
    elif isinstance(source, str):
        address, title = (address or source, title) if source.startswith("http") else (address, title or source)
    return NewPassage(text, title, address) if text.strip() else None


def address_of(values: Mapping[str, Any]) -> str:
    """The address of the page that a record is about; ``""`` without one."""
    source = values.get("source")
    return name_of(values, "url") or (source.strip() if isinstance(source, str) else "")


def said_of(values: Mapping[str, Any], unit: str, axis: str) -> ImportRecord:
    """What a record says of its unit on an axis: the right label, machines' opinions, people's labels, and warnings."""
    warnings: list[str] = []

    def usable(read: Callable[[Mapping[str, Any], str, str], T], said: Mapping[str, Any]) -> Iterator[T]:
        try:
            yield read(said, unit, axis)
        except ValueError as error:
            warnings.append(str(error))

    def each(field: str, who: str) -> Iterator[Mapping[str, Any]]:
        try:
            yield from _by_field(values, field, who)
        except ValueError as error:
            warnings.append(str(error))

    gold = [found for found in usable(_gold, values) if found is not None]
    opinions = [found for said in each("opinions", "judge") for found in usable(_opinion, said)]
    people = [*each("people", "annotator"), *([values] if name_of(values, "annotator") else [])]
    labels = [found for said in people for found in usable(_person, said)]
    return ImportRecord(
        gold=tuple((unit, one) for one in gold),
        opinions=tuple(opinions),
        labels=tuple(labels),
        warnings=tuple(warnings),
    )


def _gold(values: Mapping[str, Any], unit: str, axis: str) -> Gold | None:
    label = _level(name_of(values, "gold"))
    if not label:
        return None
    if not is_label(axis, label):
        raise ValueError(f"has {label!r} as its gold label, which is not a label of {axis}")
    return Gold(axis, label, why=text_of(values, "gold_why"), attention=is_set(values.get("attention")))


def _opinion(said: Mapping[str, Any], unit: str, axis: str) -> NewOpinion:
    raw = name_of(said, "label")
    confidence = said.get("confidence")
    if confidence is not None and (isinstance(confidence, bool) or not isinstance(confidence, int | float)):
        raise ValueError(f"has {kind_of(confidence)} as the confidence of a judge, not a number")
    return NewOpinion(
        unit,
        _named(said, "judge"),
        axis,
        raw,
        _level(raw) if is_label(axis, _level(raw)) else None,
        name_of(said, "model"),
        name_of(said, "prompt"),
        None if confidence is None else float(confidence),
        text_of(said, "reason"),
        text_of(said, "quote"),
    )


def _person(said: Mapping[str, Any], unit: str, axis: str) -> ImportedLabel:
    flags = {flag.level: said.get(flag.level) for flag in FLAGS}
    words = (str(value).strip() for value in flags.values() if _is_prose(value))
    return ImportedLabel(
        unit,
        _named(said, "annotator"),
        axis,
        _level(name_of(said, axis) or name_of(said, "label")),
        tuple(name for name, value in flags.items() if is_set(value)),
        "\n".join(filter(None, (text_of(said, "note").strip(), *words))),
        name_of(said, "at"),
    )


def _level(label: str) -> str:
    """A label as levels are written: ``Not answerable`` is ``not_answerable``."""
    return label.casefold().replace(" ", "_").replace("-", "_")


def _is_prose(value: Any) -> bool:
    return isinstance(value, str) and value.strip().casefold() not in _YES | _NO


def list_in(values: Mapping[str, Any], field: str) -> Sequence[Any]:
    """A field that holds a list, empty where it is not there. Raises ``ValueError`` for anything else."""
    given = opened(values.get(field))
    if given in (None, ""):
        return ()
    if not isinstance(given, list):
        raise ValueError(f"has {kind_of(given)} as its {field}, not a list")
    return given


def objects_in(values: Mapping[str, Any], field: str) -> Sequence[Mapping[str, Any]]:
    """The same of a list of objects."""
    given = list_in(values, field)
    if not all(isinstance(one, dict) for one in given):
        raise ValueError(f"has {kind_of(given)} as its {field}, not a list of objects")
    return given


def _by_field(values: Mapping[str, Any], field: str, named: str) -> Iterator[dict[str, Any]]:
    """The objects of a list, or of an object by the name of who said it, with the names of their members as here."""
    given = opened(values.get(field))
    if isinstance(given, dict):
        given = [{named: name, **(said if isinstance(said, dict) else {"label": said})} for name, said in given.items()]
    for said in objects_in({field: given}, field):
        members = {normalise_column(name): value for name, value in said.items() if value is not None}
        for field_name, columns in ABOUT.items():
            found = next((column for column in columns if column in members), None)
            if found is not None:
                members.setdefault(field_name, members[found])
        yield members


def _named(said: Mapping[str, Any], who: str) -> str:
    name = name_of(said, who)
    if not name:
        raise ValueError(f"has a label without the name of its {who}")
    return name


def _title(place: Mapping[str, Any]) -> str:
    words = [
        f"p. {value}" if name == "page" else str(value)
        for name in _PLACE
        if (value := place.get(name)) not in (None, "", 0) and isinstance(value, str | int)
    ]
    return ", ".join(words)
