"""scores.csv: a row for each response with scores that go back to where it came from, by the id that it had there."""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from types import SimpleNamespace
from typing import Final

from medreview.exchange.files.columns import Cell, Column, ExportFile, cells_of
from medreview.labels import label_words
from medreview.text import counted

_SUPPORTED: Final = "supported"
_QUOTED: Final = 3
"""Statements that an explanation quotes."""


def _share(labels: Sequence[str | None]) -> float | None:
    said = [label == _SUPPORTED for label in labels if label]
    return sum(said) / len(said) if said else None


_COLUMNS: Final = (
    Column("record_id", "text", "The id of the response's record in the file it came from."),
    Column("response_id", "text", "The response."),
    Column("model", "text", "The model that gave it."),
    Column("statements", "integer", "Its statements.", made=lambda one: len(one.texts)),
    Column("labelled", "integer", "Statements with one label of the reviewers: all who labelled it agree, or their "
           "conflict was settled. Not those that they could not judge, nor labels on pages that have changed.",
           made=lambda one: sum(map(bool, one.given))),
    Column("supported_share", "number", "Of these, labelled supported; empty: none is labelled.", unit="0 to 1",
           made=lambda one: _share(one.given)),
    Column("hallucination", "boolean", "1: a reviewer labelled the answer or a statement of it as a hallucination, and "
           "no settled conflict says otherwise; 0: labelled, and none is; empty: not labelled."),
    Column("judged", "integer", "Statements with a two-way verdict of the judges together.",
           made=lambda one: sum(map(bool, one.said))),
    Column("judges_supported_share", "number", "Of these, supported; empty: none is judged.", unit="0 to 1",
           made=lambda one: _share(one.said)),
    Column("judges_hallucination", "boolean", "1: a judge found a hallucination in the answer; 0: asked, and none did; "
           "empty: none was asked."),
    Column("explanation", "text", "The shares in words, with statements that are not supported: by the reviewers, or "
           "where they labelled none by the judges.", made=lambda one: _explanation(one)),
)  # fmt: skip

_STATEMENTS: Final = """
SELECT r.response_id, r.record_id, r.model, s.statement_id, s.text,
       CASE v.supported WHEN 1 THEN 'supported' WHEN 0 THEN coalesce(v.verdict, 'not_supported') END AS said,
       (SELECT iif(min(l.current) = max(l.current), min(l.current), NULL) FROM axis_label AS l
        WHERE l.unit = s.statement_id AND l.axis = 'evidence' AND l.pass = 1
              AND l.current_event NOT IN (SELECT event_id FROM decision_stale)) AS given
FROM response AS r LEFT JOIN statement_standing AS s ON s.response_id = r.response_id
LEFT JOIN verdict AS v ON v.statement_id = s.statement_id
ORDER BY r.ordinal, s.place, s.ordinal"""
_INVENTED: Final = """
SELECT l.unit, coalesce(s.response_id, substr(l.unit, 8)) AS response_id, max(l.current <> 'none') AS found
FROM axis_label AS l LEFT JOIN statement_standing AS s ON s.statement_id = l.unit
WHERE l.axis = 'hallucination' AND l.pass = 1 AND (s.response_id IS NOT NULL OR l.unit GLOB 'answer:*')
GROUP BY l.unit"""
_FOUND: Final = """
SELECT response_id, max(found) FROM (
    SELECT f.response_id, f.found, max(run.ordinal) FROM hallucination_finding AS f JOIN judge_run AS run
        USING (judge_run_id) WHERE NOT f.assisted AND f.found IS NOT NULL GROUP BY f.response_id, run.judge)
GROUP BY response_id"""
_SETTLED: Final = "SELECT unit, axis, label FROM adjudicated WHERE stands AND axis IN ('evidence', 'hallucination')"


def _score_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    made = cells_of(_COLUMNS)
    settled = {(unit, axis): label for unit, axis, label in reader.execute(_SETTLED)}
    invented = _invented(reader, settled)
    found = dict(reader.execute(_FOUND).fetchall())
    for (response_id, record_id, model), rows in groupby(reader.execute(_STATEMENTS), key=itemgetter(0, 1, 2)):
        of_one = [row for row in rows if row["statement_id"] is not None]
        given = [settled.get((row["statement_id"], "evidence"), row["given"]) for row in of_one]
        one = SimpleNamespace(
            record_id=record_id, response_id=response_id, model=model, texts=[row["text"] for row in of_one],
            given=[None if label == "cannot_judge" else label for label in given],
            said=[row["said"] for row in of_one], hallucination=invented.get(response_id),
            judges_hallucination=found.get(response_id),
        )  # fmt: skip
        yield made(one)


def _invented(reader: sqlite3.Connection, settled: Mapping[tuple[str, str], str]) -> dict[str, int]:
    """By response, whether the reviewers labelled something in it as a hallucination; without those not labelled."""
    told: dict[str, int] = {}
    for unit, response_id, found in reader.execute(_INVENTED):
        label = settled.get((unit, "hallucination"))
        told[response_id] = max(told.get(response_id, 0), found if label is None else int(label != "none"))
    return told


def _explanation(one: SimpleNamespace) -> str | None:
    """``1 of 2 labelled statements supported; Contradicted: "Aspirin is safe."``"""
    by, labels = ("labelled", one.given) if any(one.given) else ("judged", one.said)
    told = [(label, text) for label, text in zip(labels, one.texts, strict=True) if label]
    if not told:
        return None
    supported = sum(label == _SUPPORTED for label, _ in told)
    others = [f'{_words(label)}: "{text}"' for label, text in told if label != _SUPPORTED]
    more = [f"and {len(others) - _QUOTED} more"] if len(others) > _QUOTED else []
    return "; ".join([f"{supported} of {counted(len(told), by + ' statement')} supported", *others[:_QUOTED], *more])


def _words(label: str) -> str:
    return label_words("support" if label == "not_supported" else "evidence", label).capitalize()


SCORES: Final = ExportFile(
    "scores.csv",
    _COLUMNS,
    _score_rows,
    "Scores of each response, to go back to the evaluation that it came from by record_id.",
    key=("response_id",),
    counted="response",
)
