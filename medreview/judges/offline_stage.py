"""The stage that judges every statement against every source of its response, without a model."""

import json
import os
import signal
import sqlite3
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context, parent_process
from pathlib import Path
from typing import Any, Final

from medreview.evidence.assess import Assessment, assess
from medreview.evidence.lexical import matches_in
from medreview.evidence.terms import vocabulary
from medreview.judges.offline import OfflineJudgement, judge
from medreview.judges.offline_engine import ENGINE
from medreview.judges.pair_chunks import Chunk, chunks, index_of
from medreview.judges.quote_status import status_as_read
from medreview.judges.runs import JudgeRun, add_run
from medreview.progress import SILENT, Progress
from medreview.sources.read_by_ocr import words_in_doubt
from medreview.study import Study
from medreview.study.ids import content_id
from medreview.study.rows import insert
from medreview.text import Span

_POOL_WORTHWHILE: Final = 1500
OFFLINE: Final = JudgeRun(judge="offline", kind="offline", model=ENGINE)


@dataclass(frozen=True, slots=True)
class JudgeSummary:
    """The number of pairs of statement and source that were judged now."""

    pairs: int


_Answer = tuple[str, Assessment, OfflineJudgement, Sequence[tuple[int, int]]]


def judge_offline(
    study: Study, progress: Progress = SILENT, processes: int | None = None, synonyms: Path | None = None
) -> JudgeSummary:
    """Rank evidence and judge the pairs that are not judged yet; stored as they are ready, so that it can be resumed.

    Pairs that an earlier version of the rules judged are judged again. Statements are compared without their markers.

    ``processes``: 0 works in this process; by default a pool of one process per CPU for many pairs.
    ``synonyms``: a reviewer's own table (``medreview.evidence.terms``). Raises :class:`UserError` for an invalid one,
    and for a study that cannot be written.
    """
    vocabulary(synonyms)
    total = pairs_waiting(study.reader)
    progress.begin("pairs", total)
    study.write(lambda connection: add_run(connection, OFFLINE))
    if processes is None:
        processes = (os.cpu_count() or 1) if total >= _POOL_WORTHWHILE else 0
    for chunk, answers in _answers(chunks(study.reader, _PAIRS, _BY, synonyms), processes):
        study.write(lambda connection, chunk=chunk, answers=answers: _store(connection, chunk, answers))  # type: ignore[misc]
        progress.step(len(answers))
    return JudgeSummary(total)


def pairs_waiting(reader: sqlite3.Connection) -> int:
    """How many pairs of statement and source the offline judge has not looked at."""
    return int(reader.execute(f"SELECT count(*) FROM ({_PAIRS})", _BY).fetchone()[0])


_PAIRS = """SELECT DISTINCT c.snapshot_id, statement.statement_id, statement.text
            FROM statement JOIN judged_pair USING (statement_id) JOIN snapshot_current AS c USING (source_id)
            JOIN snapshot_content AS n ON n.snapshot_id = c.snapshot_id
            WHERE n.readable AND NOT EXISTS (
                SELECT 1 FROM judgement AS j WHERE j.judge_run_id = :run
                AND j.statement_id = statement.statement_id AND j.snapshot_id = c.snapshot_id)"""
_BY: Final = {"run": OFFLINE.judge_run_id}


def _answers(parts: Iterator[Chunk], processes: int) -> Iterator[tuple[Chunk, list[_Answer]]]:
    if not processes:
        for chunk in parts:
            yield chunk, _work(chunk)
        return
    pool = ProcessPoolExecutor(processes, mp_context=get_context("spawn"), initializer=_exit_with_parent)
    waiting: deque[tuple[Chunk, Future[list[_Answer]]]] = deque()
    try:
        for chunk in parts:
            with _sigint_blocked():
                waiting.append((chunk, pool.submit(_work, chunk)))
            if len(waiting) > 3 * processes:
                ready, future = waiting.popleft()
                yield ready, future.result()
        while waiting:
            ready, future = waiting.popleft()
            yield ready, future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _exit_with_parent() -> None:
    """Let a worker process exit when its parent was killed; it would wait for work for ever."""
    parent = parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def _sigint_blocked() -> Iterator[None]:
    """Block SIGINT, so that child processes started inside ignore Ctrl-C: they inherit the signal mask."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(chunk: Chunk) -> list[_Answer]:
    index = index_of(chunk)
    answers: list[_Answer] = []
    doubtful = words_in_doubt(chunk.by_ocr)
    for statement_id, statement in chunk.statements:
        assessment = assess(statement, index)
        shared = matches_in(statement, index, [Span(hit.start, hit.end) for hit in assessment.spans])
        answers.append((statement_id, assessment, judge(statement, index, assessment, doubtful), shared))
    return answers


def _store(connection: sqlite3.Connection, chunk: Chunk, answers: Sequence[_Answer]) -> None:
    connection.executemany(  # what an earlier engine found
        "DELETE FROM evidence WHERE statement_id = ? AND snapshot_id = ? AND engine <> ?",
        [(statement_id, chunk.snapshot_id, ENGINE) for statement_id, *_ in answers],
    )
    insert(connection, "evidence", (_evidence(chunk, answer) for answer in answers))
    insert(connection, "judgement", (_judgement(chunk, answer) for answer in answers))


def _evidence(chunk: Chunk, answer: _Answer) -> dict[str, Any]:
    statement_id, assessment, _, lexical = answer
    clashes = [
        {"kind": clash.kind, "statement": clash.statement_span, "source": clash.source_span}
        for clash in assessment.clashes
    ]
    return {
        "statement_id": statement_id,
        "snapshot_id": chunk.snapshot_id,
        "engine": ENGINE,
        "unsupported": assessment.unsupported,
        "highlights": json.dumps(sorted(assessment.highlights, key=lambda span: _rank(span, assessment))),
        "lexical": json.dumps(lexical),
        "clashes": json.dumps(clashes),
    }


def _rank(span: Span, assessment: Assessment) -> int:
    ranks = (rank for rank, hit in enumerate(assessment.spans) if hit.start <= span.start < hit.end)
    return next(ranks, len(assessment.spans))


def _judgement(chunk: Chunk, answer: _Answer) -> dict[str, Any]:
    statement_id, _, judgement, _ = answer
    span = judgement.quote_span
    return {
        "judgement_id": content_id("g", OFFLINE.judge_run_id, statement_id, chunk.snapshot_id),
        "judge_run_id": OFFLINE.judge_run_id,
        "statement_id": statement_id,
        "snapshot_id": chunk.snapshot_id,
        "raw_label": judgement.raw_label,
        "verdict": judgement.verdict,
        "supported": None if judgement.verdict in (None, "cannot_judge") else judgement.verdict == "supported",
        "confidence": judgement.confidence,
        "quote_status": status_as_read("exact", (span,), chunk.by_ocr) if span else "none",
        "quote_start": span.start if span else None,
        "quote_end": span.end if span else None,
        "quote_more": "[]",
        "differences": "[]",
        "quote": judgement.quote or "",
        "reason": judgement.reason,
        "raw_output": "",
        "error": "",
    }
