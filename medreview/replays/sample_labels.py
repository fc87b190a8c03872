"""Labels of the sample data's invented annotators, on units that recorded models make when a replay runs.

They name a unit by what the replay shows of it, since its id is not known before it is made. They count as imported
labels do: as assisted.
"""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from medreview.study import Study
from medreview.study.unit_ids import ids_of
from medreview.text import Span
from medreview.units.imported_labels import ImportedLabel, add_labels
from medreview.units.registry import KINDS
from medreview.units.span_payload import span_payload

FILE: Final = "replay_labels.jsonl"
_TARGET: Final = "response"


def take_labels(study: Study, file: Path, paper: str, kind: str) -> int:
    """Store the labels for one kind of unit of a paper's replay; how many people's words are new.

    A line: ``replay``, ``kind``, what names the unit (``text``, ``model`` or ``url``; those that are there must fit),
    ``annotator``, and ``label``, ``flags``, ``spans``, ``note``, ``group`` as they gave them. A unit that is not there
    is passed over: an earlier step was limited.
    """
    found = [label for line in _lines(file, paper, kind) for label in _labels(study.reader, kind, line)]
    return study.write(lambda connection: add_labels(connection, found)) if found else 0


def _lines(file: Path, paper: str, kind: str) -> Iterator[Mapping[str, Any]]:
    for line in file.read_text(encoding="utf-8").splitlines():
        told = json.loads(line)
        if told["replay"] == paper and told["kind"] == kind:
            yield told


def _labels(reader: sqlite3.Connection, kind: str, told: Mapping[str, Any]) -> Iterator[ImportedLabel]:
    """What one line says, on each unit that it names."""
    given = {name: told[name] for name in ("text", "model") if name in told}
    where = " AND ".join(f"s.{name} = ?" for name in given) or "1"
    rows = reader.execute(f"SELECT s.unit FROM ({KINDS[kind].rows}) AS s WHERE {where}", tuple(given.values()))
    for (unit,) in rows.fetchall():
        if "url" in told and not _cites(reader, unit, told["url"]):
            continue
        yield ImportedLabel(
            unit=unit,
            reviewer=told["annotator"],
            axis=KINDS[kind].axis,
            label=told.get("label", ""),
            flags=tuple(told.get("flags", ())),
            note=told.get("note", ""),
            spans=tuple(_span(reader, unit, exact, told["label"]) for exact in told.get("spans", ())),
            group=told.get("group", ""),
        )


def _cites(reader: sqlite3.Connection, unit: str, url: str) -> bool:
    """Whether a pair is about this address."""
    row = reader.execute("SELECT url FROM source WHERE source_id = ?", (ids_of(unit)[1],)).fetchone()
    return row is not None and row["url"] == url


def _span(reader: sqlite3.Connection, unit: str, exact: str, label: str) -> dict[str, Any]:
    """The first place of some words in an answer, as a marked span."""
    text = str(reader.execute("SELECT text FROM response WHERE response_id = ?", ids_of(unit)).fetchone()["text"])
    start = text.index(exact)
    return span_payload("hallucination", label, _TARGET, text, Span(start, start + len(exact)))
