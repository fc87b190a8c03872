"""Gold items: units whose right label is known beforehand, read from a file, hidden until their block is done."""

import json
import sqlite3
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from medreview.errors import UserError
from medreview.exchange.imports.field_mapping import AS_NAMED, Fields, name_of, text_of
from medreview.exchange.imports.file_rows import BadRecord, NamedRow
from medreview.exchange.imports.open_rows import open_rows
from medreview.labels import AXES, is_label, scale_of
from medreview.progress import SILENT, Progress
from medreview.storable import unstorable
from medreview.study import Study
from medreview.study.ids import STATEMENT, kind_of
from medreview.study.study_acts import write_act
from medreview.text import Span
from medreview.units.kind import Gold
from medreview.units.label_comparisons import GoldResult, gold_results, labels_when_told, told_results
from medreview.units.named_statement import find_statement
from medreview.units.registry import KINDS, asks_of, find_unit
from medreview.units.stored import add_gold, load_gold


def check_label(axis: str, label: str) -> None:
    """Raise ``ValueError``, half a sentence, unless a label is one of an axis."""
    if scale_of(axis) not in AXES:
        raise ValueError(f"has the axis {axis!r}, which there is not; there are {', '.join(AXES)}")
    if not is_label(axis, label):
        levels = ", ".join(level.level for level in AXES[scale_of(axis)]) or "orders, best first, as 2>1>3"
        raise ValueError(f"has the label {label!r}, which the axis {axis} has not; it has {levels}")


def set_gold(study: Study, unit: str, gold: Gold, added_by: str) -> None:
    """Add a gold item. Raises :class:`UserError` for an unknown label, and where another is recorded already."""
    try:
        check_label(gold.axis, gold.label)
    except ValueError as error:
        raise UserError(f"The gold item {error}.") from None
    known = load_gold(study.reader, unit, gold.axis)
    if known is not None and known != gold:
        raise UserError(f"{unit} is a gold item already ({known.label}); remove that first (--remove).")
    study.write(lambda connection: add_gold(connection, [(unit, gold)], added_by))


def remove_gold(study: Study, unit: str) -> int:
    """Remove the gold labels of a unit, on every axis; how many there were."""
    return study.write(lambda connection: connection.execute("DELETE FROM gold WHERE unit = ?", (unit,)).rowcount)


def tell(study: Study, reviewer: str, units: Collection[str], pass_no: int = 1) -> list[GoldResult]:
    """The results of some units whose block is done, recorded as shown: later changes no longer count.

    Raises :class:`UserError` when it cannot be written; in a read-only study nothing is recorded.
    """
    results = gold_results(study.reader, reviewer, pass_no, units)
    known = labels_when_told(study.reader, reviewer, pass_no)
    new = [
        {"unit": one.unit, "axis": one.gold.axis, "label": one.label}
        for one in results
        if (one.unit, one.gold.axis) not in known
    ]
    if new and study.writable:
        write_act(study, reviewer, "gold_told", {"labels": new}, pass_no)
    return results


def untold_units(reader: sqlite3.Connection, reviewer: str, pass_no: int = 1) -> set[str]:
    """Gold items decided, but not shown yet, though no open block hides them."""
    labelled = labels_when_told(reader, reviewer, pass_no)
    return {one.unit for one in told_results(reader, reviewer, pass_no) if (one.unit, one.gold.axis) not in labelled}


FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "unit": ("unit", "unit_id", "id"),
    "response": ("response", "response_id"),
    "statement": ("statement", "statement_text"),
    "axis": ("axis",),
    "label": ("label", "gold", "correct_label"),
    "why": ("why", "reason", "explanation"),
    "attention": ("attention", "attention_check"),
    "spans": ("spans",),
}
"""Field -> the column names that are recognised without ``--map``."""

_YES: Final = {"1": True, "yes": True, "true": True, "0": False, "no": False, "false": False, "": False}


@dataclass(slots=True)
class ImportedGold:
    """Records of a file: ``added``, ``known`` already (with this or another label), and those left out."""

    added: int = 0
    known: int = 0
    bad: list[BadRecord] = field(default_factory=list)


def import_gold(
    study: Study, path: Path, added_by: str, mapping: Mapping[str, str] = AS_NAMED, progress: Progress = SILENT
) -> ImportedGold:
    """Import gold items into a study, all at once. Unusable records are reported with their line.

    Raises :class:`UserError` when the whole file cannot be used.
    """
    rows, lines = open_rows(path)
    fields, done, found = Fields(FIELDS, mapping), ImportedGold(), []
    progress.begin(path.name, lines)
    for row in fields.check(rows, path, ("label",)):
        progress.step()
        if isinstance(row, BadRecord):
            done.bad.append(row)
            continue
        try:
            found.append(_gold(study.reader, fields.values(row), row))
        except (ValueError, LookupError) as error:
            done.bad.append(BadRecord(row.line, str(error.args[0])))
    done.added = study.write(lambda connection: add_gold(connection, found, added_by))
    done.known = len(found) - done.added
    return done


def _gold(reader: sqlite3.Connection, values: Mapping[str, Any], row: NamedRow) -> tuple[str, Gold]:
    if why := unstorable(dict(row.values)):
        raise ValueError(f"cannot be stored: {why}")
    if statement := name_of(values, "statement"):
        unit = find_statement(reader, statement, name_of(values, "response")).statement_id
    elif name := name_of(values, "unit"):
        unit = find_unit(reader, name)
    else:
        raise ValueError("names no unit: give unit, or response and statement")
    axis = name_of(values, "axis") or asks_of(unit).axis
    label = name_of(values, "label")
    check_label(axis, label)
    attention = str(values.get("attention", "")).strip().casefold()
    if attention not in _YES:
        raise ValueError("has an attention that is neither yes nor no")
    spans = tuple(_span(reader, unit, one) for one in _listed(values.get("spans", [])))
    return unit, Gold(axis, label, spans, text_of(values, "why").strip(), _YES[attention])


def _listed(given: Any) -> list[Any]:
    spans = json.loads(given) if isinstance(given, str) and given.strip() else given or []
    if not isinstance(spans, list) or not all(isinstance(one, dict) for one in spans):
        raise ValueError("has spans that are not a list of target, exact (or start and end) and label")
    return spans


def _span(reader: sqlite3.Connection, unit: str, one: Mapping[str, Any]) -> tuple[str, Span, str]:
    """A span by its place, or by its words where they stand once in the text."""
    target, label, exact = str(one.get("target", "response")), str(one.get("label", "")), one.get("exact")
    start, end = one.get("start"), one.get("end")
    text = _text(reader, unit, target)
    if text is None:
        raise LookupError(f"has a span in {target!r}, which the unit has not")
    if start is None and isinstance(exact, str) and exact:
        if text.count(exact) != 1:
            raise ValueError(f"has a span {exact[:40]!r} that is not exactly once in its text; give start and end")
        start = text.index(exact)
        end = start + len(exact)
    if not isinstance(start, int) or not isinstance(end, int) or not 0 <= start < end <= len(text):
        raise ValueError("has a span that does not lie in its text")
    if exact and text[start:end] != exact:
        raise ValueError("has a span whose words do not stand where it says")
    return target, Span(start, end), label


def _text(reader: sqlite3.Connection, unit: str, target: str) -> str | None:
    if kind_of(unit) != STATEMENT:
        document = KINDS[kind_of(unit)].load(reader, unit).document(target)
        return document.text if document else None
    if target != "response":
        return None
    row = reader.execute(
        "SELECT r.text FROM statement JOIN response AS r USING (response_id) WHERE statement_id = ?", (unit,)
    ).fetchone()
    return str(row[0])
