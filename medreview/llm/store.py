"""The table ``llm_call``, a cache: every answer of every judge, so that no question is paid twice."""

import json
import sqlite3
import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from datetime import UTC, datetime
from typing import Any, Final

from medreview.event_loop import until_done
from medreview.llm.call import ENDED, JudgeRequest, ModelAnswer
from medreview.llm.completion import parse
from medreview.llm.settings import JudgeSettings
from medreview.redaction import row_without_keys
from medreview.study import Study

Row = dict[str, Any]

_STORED: Final = ("status", "rung", "tries", "prompt_tokens", "completion_tokens", "latency_ms", "cost", "error")
"""Columns of ``llm_call`` that are fields of an answer."""

_SENDING = """INSERT INTO llm_sent (cache_key, judge, model, host, task, at_utc, sent)
    VALUES (:cache_key, :judge, :model, :host, :task, :at_utc, 1)
    ON CONFLICT (cache_key) DO UPDATE SET sent = sent + 1, judge = excluded.judge, at_utc = excluded.at_utc"""
_BACK = "UPDATE llm_sent SET kept = kept + :kept, declined = declined + :declined WHERE cache_key = :cache_key"
_PUT = """INSERT INTO llm_call (cache_key, judge, model, host, task, prompt_sha256, at_utc, status, rung,
    tries, prompt_tokens, completion_tokens, latency_ms, cost, error, raw_output, label_probabilities)
    VALUES (:cache_key, :judge, :model, :host, :task, :prompt_sha256, :at_utc, :status, :rung,
    :tries, :prompt_tokens, :completion_tokens, :latency_ms, :cost, :error, :raw_output, :label_probabilities)
    ON CONFLICT (cache_key) DO UPDATE SET judge = excluded.judge, at_utc = excluded.at_utc, status = excluded.status,
    rung = excluded.rung, latency_ms = excluded.latency_ms, error = excluded.error, raw_output = excluded.raw_output,
    label_probabilities = excluded.label_probabilities"""
# The cost of a question is the sum over all its requests, failures included.
_SUMMED = """, tries = tries + excluded.tries,
    prompt_tokens = coalesce(prompt_tokens + excluded.prompt_tokens, excluded.prompt_tokens, prompt_tokens),
    completion_tokens = coalesce(completion_tokens + excluded.completion_tokens, excluded.completion_tokens,
    completion_tokens), cost = coalesce(cost + excluded.cost, excluded.cost, cost)"""
_REPLACED = """, tries = excluded.tries, prompt_tokens = excluded.prompt_tokens,
    completion_tokens = excluded.completion_tokens, cost = excluded.cost"""


def row_of(settings: JudgeSettings, request: JudgeRequest, answer: ModelAnswer) -> Row:
    """The row of ``llm_call`` for an answer."""
    told = {name: getattr(answer, name) for name in _STORED}
    asked = _asked(settings, request, answer.cache_key)
    told["label_probabilities"] = json.dumps(dict(answer.label_probabilities)) if answer.label_probabilities else ""
    return {**asked, "prompt_sha256": request.prompt_sha256, **told, "raw_output": answer.raw}


def _asked(settings: JudgeSettings, request: JudgeRequest, key: str) -> Row:
    """What ``llm_call`` and ``llm_sent`` both have of a question."""
    return {
        "cache_key": key,
        "judge": settings.name,
        "model": settings.model,
        "host": settings.host,
        "task": request.task,
        "at_utc": datetime.now(UTC).isoformat(timespec="milliseconds"),
    }


def write_rows(connection: sqlite3.Connection, rows: Iterable[Row], *, add: bool = True) -> None:
    """Insert or update rows of :func:`row_of`.

    ``add``: tries, tokens and cost are added to those of an existing row. False for results that may be imported twice.
    """
    connection.executemany(_PUT + (_SUMMED if add else _REPLACED), map(row_without_keys, rows))


class CallStore:
    """The cached answers of a study. To be used from the thread that opened the study."""

    def __init__(self, study: Study) -> None:
        self._study = study
        self._pending: list[Row] = []
        self._back: list[Row] = []
        self._reused: list[str] = []
        self._next_commit: Future[None] | None = None
        self._sending: list[Row] = []
        self._next_sending: Future[None] | None = None
        self._lock = threading.Lock()

    def get(self, key: str, schema: Mapping[str, Any]) -> ModelAnswer | None:
        """The cached answer with this key, ``None`` without a usable one; failures are asked again."""
        found = self.ended(key, schema)
        return found if found is not None and found.status == "ok" else None

    def ended(self, key: str, schema: Mapping[str, Any]) -> ModelAnswer | None:
        """What the model said to the question with this key, usable or not; ``None`` while it has said nothing."""
        row = self._study.reader.execute(
            f"SELECT * FROM llm_call WHERE cache_key = ? AND status IN {ENDED}", (key,)
        ).fetchone()
        if row is None:
            return None
        value = parse(row["raw_output"], schema).value if row["status"] == "ok" else None
        if row["status"] == "ok" and value is None:
            return None
        return ModelAnswer(
            value=value,
            raw=row["raw_output"],
            cached=True,
            cache_key=key,
            label_probabilities=json.loads(row["label_probabilities"] or "{}"),
            **{name: row[name] for name in _STORED},
        )

    async def put(self, settings: JudgeSettings, request: JudgeRequest, answer: ModelAnswer) -> None:
        """Store an answer; returns after the commit. Raises :class:`UserError` when the study cannot be written.

        Group commit: answers that arrive during a commit share the next one. Cancellation does not undo it.
        """

        def add() -> None:
            self._pending.append(row_of(settings, request, answer))
            if answer.kept or answer.declined:
                back = {"cache_key": answer.cache_key, "kept": answer.kept, "declined": answer.declined}
                self._back.append(back)

        await self._committed(add)

    async def sending(self, settings: JudgeSettings, request: JudgeRequest, key: str) -> None:
        """Count a request that is about to be sent; returns when a kill of the process would not undo that.

        Group commit, as with :meth:`put`, without waiting for the disk: the answer's commit makes it last through a
        loss of power as well. Raises :class:`UserError` when the study cannot be written: nothing is sent then.
        """
        row = _asked(settings, request, key)
        with self._lock:
            self._sending.append(row)
            if self._next_sending is None:
                self._next_sending = self._study.submit(self._write_sending, through_power_loss=False)
            saved = self._next_sending
        await until_done(saved)

    def _write_sending(self, connection: sqlite3.Connection) -> None:
        with self._lock:
            rows, self._sending, self._next_sending = self._sending, [], None
        connection.executemany(_SENDING, rows)

    async def reuse(self, key: str) -> None:
        """Count a cache hit of :meth:`get`; otherwise like :meth:`put`."""
        await self._committed(lambda: self._reused.append(key))

    async def _committed(self, add: Callable[[], None]) -> None:
        with self._lock:
            add()
            if self._next_commit is None:
                self._next_commit = self._study.submit(self._write_pending)
            saved = self._next_commit
        await until_done(saved)

    def _write_pending(self, connection: sqlite3.Connection) -> None:
        """Write all pending rows; runs on the writer thread."""
        with self._lock:
            rows, self._pending, self._next_commit = self._pending, [], None
            back, self._back = self._back, []
            keys, self._reused = self._reused, []
        write_rows(connection, rows)
        connection.executemany(_BACK, back)
        connection.executemany("UPDATE llm_call SET reused = reused + 1 WHERE cache_key = ?", ((key,) for key in keys))
