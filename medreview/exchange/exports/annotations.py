"""annotations.jsonld: marked words as Web Annotations, for programs that show or compare annotations of texts.

One collection (W3C Web Annotation Data Model, https://www.w3.org/TR/annotation-model/): the spans that reviewers
marked, in responses and in pages, and those that judges called a hallucination. A target is selected by its words and,
where the text is the one that was marked, by its place in code points.
"""

import json
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from medreview.exchange.exports.study_rows import SPANS
from medreview.exchange.exports.task_rows import FINDINGS
from medreview.exchange.files.columns import ExportFile
from medreview.exchange.files.export_folder import WrittenFile, write_lines

FILE: Final = "annotations.jsonld"
ABOUT: Final = "Words that reviewers marked, and that judges called a hallucination, as W3C Web Annotations."
_CONTEXT: Final = "http://www.w3.org/ns/anno.jsonld"
_PAGE: Final = """
SELECT u.url, p.fetched_at FROM snapshot AS p JOIN source AS u USING (source_id) WHERE p.snapshot_id = ?"""


def write_annotations(
    path: Path, reader: sqlite3.Connection, study_id: str, named: Callable[[str], str] = str
) -> WrittenFile:
    """Write the file; its rows are the annotations. ``named``: what a reviewer is called."""
    count = 0

    def lines() -> Iterator[str]:
        nonlocal count
        collection = _urn("study", study_id)
        yield f'{{"@context": "{_CONTEXT}", "id": "{collection}", "type": "AnnotationCollection", "first":'
        yield f'{{"id": "{collection}:page", "type": "AnnotationPage", "startIndex": 0, "items": ['
        for annotation in _annotations(reader, named):
            count += 1
            yield ("," if count > 1 else "") + json.dumps(annotation, ensure_ascii=False)
        yield f']}}, "total": {count}}}'

    return write_lines(path, lines())._replace(rows=count)


def _annotations(reader: sqlite3.Connection, named: Callable[[str], str]) -> Iterator[dict[str, Any]]:
    for span in _read(reader, SPANS):
        (at,) = reader.execute("SELECT at_utc FROM event WHERE event_id = ?", (span["span_id"],)).fetchone()
        bodies = [_text(span["label"], "classifying"), _text(span["reason"], "commenting")]
        yield {
            "id": _urn("span", span["span_id"]),
            "type": "Annotation",
            "motivation": "classifying",
            "created": at,
            "creator": {"type": "Person", "name": named(span["reviewer_id"])},
            "body": [*(body for body in bodies if body["value"]), _unit(span["unit_id"])],
            "target": _target(reader, span),
        }
    place: dict[tuple[str, int], int] = {}
    for found in _read(reader, FINDINGS):
        if found["start_cp"] is None:  # abstained, found nothing, or gave words that are not there
            continue
        of_quote = found["finding_id"], found["quote_no"]
        place[of_quote] = place.get(of_quote, 0) + 1
        yield {
            "id": _urn("finding", found["finding_id"], found["quote_no"], place[of_quote]),
            "type": "Annotation",
            "motivation": "classifying",
            "creator": {"type": "Software", "name": " ".join(filter(None, (found["judge"], found["model"])))},
            "body": [
                body
                for body in (_text(found["type"], "classifying"), _text(found["reason"], "commenting"))
                if body["value"]
            ],
            "target": {
                "type": "SpecificResource",
                "source": _urn("response", found["response_id"]),
                "selector": [_words(found["exact"]), _position(found)],
            },
        }


def _read(reader: sqlite3.Connection, file: ExportFile) -> Iterator[dict[str, Any]]:
    names = [column.name for column in file.columns]
    return (dict(zip(names, row, strict=True)) for row in file.read(reader))


def _target(reader: sqlite3.Connection, span: dict[str, Any]) -> dict[str, Any]:
    target: dict[str, Any] = {"type": "SpecificResource", "source": _urn(span["target_type"], span["target_id"])}
    page = reader.execute(_PAGE, (span["target_id"],)).fetchone() if span["target_type"] == "source" else None
    if page is not None:
        target |= {"source": page["url"], "state": {"type": "TimeState", "sourceDate": page["fetched_at"]}}
    same = span["stale"] == 0
    words = _words(span["exact"], span["prefix32"] if same else "", span["suffix32"] if same else "")
    return target | {"selector": [words, _position(span)] if same else words}


def _words(exact: str, prefix: str = "", suffix: str = "") -> dict[str, str]:
    beside = {name: text for name, text in (("prefix", prefix), ("suffix", suffix)) if text}
    return {"type": "TextQuoteSelector", "exact": exact, **beside}


def _position(span: dict[str, Any]) -> dict[str, Any]:
    return {"type": "TextPositionSelector", "start": span["start_cp"], "end": span["end_cp"]}


def _text(value: str | None, purpose: str) -> dict[str, str]:
    return {"type": "TextualBody", "purpose": purpose, "value": value or ""}


def _unit(unit: str) -> dict[str, str]:
    """The unit that the span was marked for."""
    return {"type": "SpecificResource", "purpose": "linking", "source": _urn("unit", unit)}


def _urn(*parts: object) -> str:
    """``urn:medreview:response:ID``: the ids are those of the CSV files."""
    return ":".join(["urn:medreview", *(quote(str(part), safe=":") for part in parts)])
