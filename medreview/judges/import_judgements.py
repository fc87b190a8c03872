"""Import of judgements made elsewhere: matched to statement and source, their quotes grounded."""

import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from medreview.citations import Citation, canonical_key, from_list
from medreview.exchange.imports.judgements import JudgementRecord
from medreview.exchange.imports.listed_citations import encoded
from medreview.judges.judge_answer import answer_columns, answer_in, located
from medreview.judges.prompts import known_hash
from medreview.judges.quote_grounding import Grounded, QuoteGrounder
from medreview.judges.runs import JudgeRun, add_run
from medreview.judges.votes import LABELS, mapped, normalised
from medreview.progress import SILENT, Progress
from medreview.study import Study
from medreview.study.ids import content_id
from medreview.study.rows import insert

_BATCH = 500


@dataclass(slots=True)
class JudgementsSummary:
    """The number of judgements read, new and already known; ``bad`` are (line, reason) of those rejected."""

    read: int = 0
    added: int = 0
    known: int = 0
    bad: list[tuple[int, str]] = field(default_factory=list)


def store_judgements(
    study: Study, records: Iterable[JudgementRecord], progress: Progress = SILENT
) -> JudgementsSummary:
    """Store judgements (idempotent); known ones are counted, those without statement or source are reported.

    A judge run has one judgement of a pair: a second one with another label is reported, too, and the first one stays.
    Every quote is looked up in the snapshot that the record names, then in the response's other sources.
    """
    summary = JudgementsSummary()
    progress.begin("judgements", 0)
    finder = _Finder(study.reader)
    pending: list[tuple[JudgeRun, dict[str, Any]]] = []
    labels: dict[str, str] = {}

    def save() -> None:
        added = study.write(lambda connection: _store(connection, pending))
        summary.added += added
        summary.known += len(pending) - added
        progress.step(len(pending))
        pending.clear()
        labels.clear()

    for record in records:
        summary.read += 1
        try:
            run, row = _row(record, finder)
        except LookupError as missing:
            summary.bad.append((record.line, str(missing.args[0])))
            continue
        before = labels.get(row["judgement_id"]) or _label(study.reader, row["judgement_id"])
        if before is not None and normalised(before) != normalised(record.label):
            conflict = f"{record.judge} has given this pair the label {before!r} already, now {record.label!r}"
            summary.bad.append((record.line, conflict))
            continue
        labels[row["judgement_id"]] = before or row["raw_label"]
        pending.append((run, row))
        if len(pending) >= _BATCH:
            save()
    save()
    return summary


def _row(record: JudgementRecord, finder: "_Finder") -> tuple[JudgeRun, dict[str, Any]]:
    level = mapped(record.label)
    if level is None:
        raise LookupError(f"the label {record.label!r} is not known; known are: {', '.join(sorted(LABELS))}")
    verdict, supported = level
    statement_id, snapshot_id, others = finder.match(record)
    run = JudgeRun(record.judge, "recorded", record.model, record.prompt, finder.prompt_hash(record.prompt))
    supports = record.statement if supported else None

    def look(quote: str, against: bool) -> Grounded:
        return finder.quotes.ground(quote, snapshot_id, others, supports, against=against)

    try:
        given = located(answer_in(record.said), look, supports=bool(supported))
    except ValueError as error:
        raise LookupError(str(error)) from error
    return run, {
        "judgement_id": content_id("g", run.judge_run_id, statement_id, snapshot_id),
        "judge_run_id": run.judge_run_id,
        "statement_id": statement_id,
        "snapshot_id": snapshot_id,
        "raw_label": record.label,
        "verdict": verdict,
        "supported": supported,
        "confidence": record.confidence,
        **answer_columns(given, finder.text(statement_id)),
        "reason": record.reason,
        "raw_output": "",
        "error": "",
    }


def _label(reader: sqlite3.Connection, judgement_id: str) -> str | None:
    found = reader.execute("SELECT raw_label FROM judgement WHERE judgement_id = ?", (judgement_id,)).fetchone()
    return str(found[0]) if found else None


def _store(connection: sqlite3.Connection, rows: list[tuple[JudgeRun, dict[str, Any]]]) -> int:
    for run in {run.judge_run_id: run for run, _ in rows}.values():
        add_run(connection, run)
    return insert(connection, "judgement", (row for _, row in rows))


class _Finder:
    """Finds statement and source of a record: statements by text (white space collapsed), sources by canonical key."""

    def __init__(self, reader: sqlite3.Connection) -> None:
        self._reader = reader
        self._response_id = ""
        self._statements: dict[str, str] = {}
        self._snapshots: dict[str, str] = {}
        self._by_value: dict[str, str] = {}
        self._record_id = ""
        self.prompt_hash = cache(known_hash)
        self.quotes = QuoteGrounder(reader)

    def match(self, record: JudgementRecord) -> tuple[str, str, tuple[str, ...]]:
        """Statement and snapshot of a record, and the other snapshots of its response.

        Raises ``LookupError``, which says what is not in the study.
        """
        self._load(record.response)
        statement_id = self._statements.get(_collapsed(record.statement))
        if statement_id is None:
            raise LookupError(f"response {record.response!r} has no statement {record.statement[:60]!r}")
        written = (encoded(record.source), record.source)  # an address of a field may have blanks in it
        keys = [canonical_key(one) for item in written for one in from_list([item]).citations[:1]]
        key = next(
            (key for key in keys if key in self._snapshots), "" if keys else self._by_value.get(record.source, "")
        )
        if key not in self._snapshots:
            raise LookupError(
                f"response {record.response!r} has no page of {record.source[:80]!r}; fetch it, then import this again"
            )
        snapshot_id = self._snapshots[key]
        return statement_id, snapshot_id, tuple(s for s in self._snapshots.values() if s != snapshot_id)

    def text(self, statement_id: str) -> str:
        """The statement as it is stored."""
        found = self._reader.execute("SELECT text FROM statement WHERE statement_id = ?", (statement_id,)).fetchone()
        return str(found[0])

    def _load(self, record_id: str) -> None:
        if record_id == self._record_id:
            return
        found = self._reader.execute(
            "SELECT response_id FROM response WHERE record_id = ?1 OR response_id = ?1 LIMIT 2", (record_id,)
        ).fetchall()
        if len(found) != 1:
            many = "several responses have the id" if found else "there is no response"
            raise LookupError(f"{many} {record_id!r} in the study")
        self._record_id, self._response_id = record_id, found[0]["response_id"]
        self._statements = {_collapsed(row["text"]): row["statement_id"] for row in self._rows("statement")}
        # By the key as it is made today: a source that an earlier version stored may have another one.
        keyed = [(canonical_key(Citation(row["kind"], row["value"])), row) for row in self._sources()]
        self._snapshots = {key: row["snapshot_id"] for key, row in keyed}
        self._by_value = {row["value"]: key for key, row in keyed}

    def _rows(self, table: str) -> Iterator[sqlite3.Row]:
        return self._reader.execute(f"SELECT * FROM {table} WHERE response_id = ?", (self._response_id,))

    def _sources(self) -> sqlite3.Cursor:
        return self._reader.execute(
            """SELECT DISTINCT citation.kind, citation.value, c.snapshot_id
               FROM citation JOIN snapshot_current AS c USING (source_id)
               WHERE citation.response_id = ? ORDER BY citation.ordinal""",
            (self._response_id,),
        )


def _collapsed(text: str) -> str:
    return " ".join(text.split())
