"""The offline judge, and the stage in which it judges every statement against every source of its response.

Its rules compare words and numbers; it is named ``offline`` wherever its judgements are shown. It needs no endpoint and
no model; it finds evidence and clashes well but does not understand meaning: it says ``unsure`` when it cannot tell,
and its labels are for triage. Never count them as a verdict without naming it.
"""

import json
import os
import signal
import sqlite3
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from medreview.evidence.assess import Assessment, PairFeatures, assess, describe
from medreview.evidence.passage_ranking import SourceIndex
from medreview.evidence.sentence_analysis import compared_part, not_compared, only_negated
from medreview.evidence.source_highlights import matches_in
from medreview.evidence.terms import vocabulary
from medreview.judges.pair_chunks import Chunk, chunks, index_of
from medreview.judges.runs import ENGINE, JudgeRun, add_run
from medreview.progress import SILENT, Progress
from medreview.sources.ocr_pages import Doubtful, least_sure, number_in_doubt, status_as_read, words_in_doubt
from medreview.study import Study
from medreview.study.ids import content_id
from medreview.study.rows import insert
from medreview.text import Span

Verdict = Literal["supported", "partial", "contradicted", "not_addressed"]

ALIKE: Final = 0.37
"""The triage score below which a statement is ``supported``."""
UNLIKE: Final = 0.72
"""The triage score above which a statement is not addressed."""
SOME: Final = 0.5
"""Minimum share of the statement's term weight in one passage for ``partial``, when some amounts are missing."""


class OfflineJudgement(NamedTuple):
    """A judgement. ``raw_label`` is the verdict or ``unsure`` (then ``verdict`` is ``None``); ``confidence`` is 0..1;
    ``quote`` is the best passage verbatim, ``quote_span`` its range in the source; ``None`` without evidence."""

    raw_label: str
    verdict: Verdict | None
    confidence: float
    reason: str
    quote: str | None
    quote_span: Span | None


def judge(
    statement: str, index: SourceIndex, assessment: Assessment | None = None, doubtful: Iterable[Doubtful] = ()
) -> OfflineJudgement:
    """Judge one statement against one source; ``assessment`` is that of the pair, computed here when not given.

    ``doubtful``: words of the source that OCR may have read wrong. A difference only in those is no contradiction.
    """
    found = assessment or assess(statement, index)
    cut = f" ({not_compared(statement)})" if not_compared(statement) else ""
    statement = compared_part(statement)
    if found.features is None:
        reason = f"No word of the statement is in the source.{cut}"
        return OfflineJudgement("not_addressed", "not_addressed", 0.7, reason, None, None)
    best = found.spans[0]
    span = Span(best.start, best.end)
    verdict, confidence, reason = _decide(statement, index, found, found.features, tuple(doubtful))
    return OfflineJudgement(
        verdict or "unsure", verdict, round(confidence, 3), reason + cut, index.text[span.start : span.end], span
    )


def _decide(
    statement: str,
    index: SourceIndex,
    found: Assessment,
    features: PairFeatures,
    doubtful: tuple[Doubtful, ...],
) -> tuple[Verdict | None, float, str]:
    if features.clashes:
        sure = [least_sure(doubtful, clash.source_span) for clash in features.clashes]
        told = (
            describe(clash, statement, index.text) + (f" ({number_in_doubt(low)})" if low is not None else "")
            for clash, low in zip(features.clashes, sure, strict=True)
        )
        reason = "; ".join(told) + "."
        if None not in sure:
            return None, 0.4, reason
        return "contradicted", 0.5 + 0.3 * features.covered, reason
    if features.denied_finding:
        return None, 0.4, "The passage reports no significant difference."
    if found.unsupported > UNLIKE:
        return "not_addressed", found.unsupported, "No passage is much like the statement."
    if features.missing:
        written = ", ".join(statement[q.start : q.end] for q in features.missing)
        if features.covered >= SOME and len(features.missing) < features.amounts:
            return "partial", 0.5, f"The best passages do not give {written}."
        return None, 0.4, f"The best passages do not give {written}."
    if found.unsupported < ALIKE:
        best = found.spans[0]
        negated = only_negated(statement, index.text[best.start : best.end], index.words)
        if negated:
            return None, 0.4, f"Only the {negated} is negated; the rules cannot tell what that changes."
        amounts = ", numbers included" if features.amounts else ""
        return "supported", 1 - found.unsupported, f"A passage has much the same words{amounts}."
    return None, 0.3, "The passage shares words with the statement, not enough to tell."


_POOL_WORTHWHILE: Final = 1500
OFFLINE: Final = JudgeRun(judge="offline", kind="offline", model=ENGINE)


_Answer = tuple[str, Assessment, OfflineJudgement, Sequence[tuple[int, int]]]


def judge_offline(
    study: Study, progress: Progress = SILENT, processes: int | None = None, synonyms: Path | None = None
) -> int:
    """Rank evidence and judge the pairs that are not judged yet; how many these were.

    They are stored as they are ready, so that it can be resumed.
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
    return total


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
        "signs": json.dumps(assessment.pair.values),
        "lacking": json.dumps(assessment.pair.lacking),
    }


def _rank(span: Span, assessment: Assessment) -> int:
    ranks = (rank for rank, hit in enumerate(assessment.spans) if hit.start <= span.start < hit.end)
    return next(ranks, len(assessment.spans))


def _judgement(chunk: Chunk, answer: _Answer) -> dict[str, Any]:
    statement_id, _, judgement, *_ = answer
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
