"""The table ``llm_call``: every answer of every judge, so that no question is paid twice."""

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from datetime import UTC, datetime
from typing import Any

from medreview.llm.call import Answer, Ask
from medreview.llm.parse import parse
from medreview.llm.settings import JudgeSettings
from medreview.study import Study

Row = dict[str, Any]

_PUT = """INSERT INTO llm_call (cache_key, judge, model, host, task, prompt_sha256, at_utc, status, rung,
    tries, prompt_tokens, completion_tokens, latency_ms, cost, error, raw_output)
    VALUES (:cache_key, :judge, :model, :host, :task, :prompt_sha256, :at_utc, :status, :rung,
    :tries, :prompt_tokens, :completion_tokens, :latency_ms, :cost, :error, :raw_output)
    ON CONFLICT (cache_key) DO UPDATE SET judge = excluded.judge, at_utc = excluded.at_utc, status = excluded.status,
    rung = excluded.rung, latency_ms = excluded.latency_ms, error = excluded.error, raw_output = excluded.raw_output"""
# What was paid for a question is the sum over all that was asked, the failures included.
_SUMMED = """, tries = tries + excluded.tries,
    prompt_tokens = coalesce(prompt_tokens + excluded.prompt_tokens, excluded.prompt_tokens, prompt_tokens),
    completion_tokens = coalesce(completion_tokens + excluded.completion_tokens, excluded.completion_tokens,
    completion_tokens), cost = coalesce(cost + excluded.cost, excluded.cost, cost)"""
_REPLACED = """, tries = excluded.tries, prompt_tokens = excluded.prompt_tokens,
    completion_tokens = excluded.completion_tokens, cost = excluded.cost"""


def row_of(settings: JudgeSettings, ask: Ask, answer: Answer) -> Row:
    """The row of ``llm_call`` for an answer."""
    return {
        "cache_key": answer.cache_key,
        "judge": settings.name,
        "model": settings.model,
        "host": settings.host,
        "task": ask.task,
        "prompt_sha256": ask.prompt_sha256,
        "at_utc": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "status": answer.status,
        "rung": answer.rung,
        "tries": answer.tries,
        "prompt_tokens": answer.prompt_tokens,
        "completion_tokens": answer.completion_tokens,
        "latency_ms": answer.latency_ms,
        "cost": answer.cost,
        "error": answer.error,
        "raw_output": answer.raw,
    }


def write_rows(connection: sqlite3.Connection, rows: Iterable[Row], *, add: bool = True) -> None:
    """Store rows of :func:`row_of`; one that was there is brought up to date.

    ``add``: its tries, tokens and cost are added up. False for results that may be brought in twice.
    """
    connection.executemany(_PUT + (_SUMMED if add else _REPLACED), rows)


class CallStore:
    """The answers kept in a study. To be used from the thread that opened it."""

    def __init__(self, study: Study) -> None:
        self._study = study
        self._waiting: list[Row] = []
        self._reused: list[str] = []
        self._next: Future[None] | None = None
        self._lock = threading.Lock()

    def get(self, key: str, schema: Mapping[str, Any]) -> Answer | None:
        """The answer to the very same question, if there was a usable one; failures are asked again."""
        row = self._study.reader.execute(
            "SELECT * FROM llm_call WHERE cache_key = ? AND status = 'ok'", (key,)
        ).fetchone()
        if row is None:
            return None
        value = parse(row["raw_output"], schema).value
        if value is None:
            return None
        return Answer(
            status="ok",
            value=value,
            raw=row["raw_output"],
            error="",
            prompt_tokens=row["prompt_tokens"],
            completion_tokens=row["completion_tokens"],
            latency_ms=row["latency_ms"],
            cost=row["cost"],
            tries=row["tries"],
            rung=row["rung"],
            cached=True,
            cache_key=key,
        )

    async def put(self, settings: JudgeSettings, ask: Ask, answer: Answer) -> None:
        """Store an answer; returns after the commit. Raises :class:`UserError` when the study cannot be written.

        Answers that come while a commit is under way share the next one. An interruption takes none of them back.
        """
        await self._saved(lambda: self._waiting.append(row_of(settings, ask, answer)))

    async def reuse(self, key: str) -> None:
        """Count that an answer of :meth:`get` took the place of a question; as :meth:`put` otherwise."""
        await self._saved(lambda: self._reused.append(key))

    async def _saved(self, add: Callable[[], None]) -> None:
        with self._lock:
            add()
            if self._next is None:
                self._next = self._study.submit(self._save)
            saved = self._next
        await asyncio.shield(asyncio.wrap_future(saved))

    def _save(self, connection: sqlite3.Connection) -> None:
        """On the writer's thread."""
        with self._lock:
            rows, self._waiting, self._next = self._waiting, [], None
            keys, self._reused = self._reused, []
        write_rows(connection, rows)
        connection.executemany("UPDATE llm_call SET reused = reused + 1 WHERE cache_key = ?", ((key,) for key in keys))
