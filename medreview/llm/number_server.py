"""What asking for embeddings and for scores has in common: retries, what failed, and the ledger of calls."""

import asyncio
import math
import random
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final, Self, TypeGuard, TypeVar

from medreview.errors import UserError
from medreview.llm.call import Answer, JudgeRequest, cache_key
from medreview.llm.completion import tokens_of_reply
from medreview.llm.server_errors import diagnose
from medreview.llm.settings import JudgeSettings
from medreview.llm.store import CallStore
from medreview.llm.transport import Reply, TimedOut, Unreachable, connect
from medreview.redaction import redact, remember

if TYPE_CHECKING:
    from openai import AsyncOpenAI

T = TypeVar("T")

TRIES: Final = 4
"""Of one request with transient failures."""
_LONGEST_WAIT: Final = 120.0
_SLOWEST_BACKOFF: Final = 8.0
_RETRIED: Final = frozenset({"transient", "rate_limit"})


class NumberServer:
    """A model that gives numbers, as an async context manager; ``backoff``: seconds before the first retry.

    ``store`` is the ledger; without one (there is no study) nothing is kept.
    """

    def __init__(self, settings: JudgeSettings, store: CallStore | None, *, backoff: float = 0.5) -> None:
        remember(settings.key)
        self.settings = settings
        self._store = store
        self._backoff = backoff
        self._client: AsyncOpenAI | None = None

    async def __aenter__(self) -> Self:
        """Raises :class:`UserError` when a key is configured and not in the environment, or for an invalid proxy."""
        self._client = connect(self.settings)
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._client is not None:
            await self._client.close()

    async def asked(
        self,
        task: str,
        text: str,
        send: "Callable[[AsyncOpenAI], Awaitable[Reply]]",
        read: Callable[[Reply], T | None],
        unreadable: str,
    ) -> T:
        """What ``read`` makes of the reply to a request about ``text``; it gives ``None`` for a reply of another form,
        of which the sentence ``unreadable`` is said.

        Raises :class:`UserError` when the server gives none after all tries, or would give none for any other text
        either.
        """
        request = JudgeRequest(task, f"{task}/1", "", ({"role": "input", "content": text},), {})
        key = cache_key(self.settings, request)
        started, tries = time.monotonic(), 0
        while True:
            if self._store is not None:
                await self._store.sending(self.settings, request, key)
            tries += 1
            value, tokens, failure, wait = await self._once(send, read, unreadable)
            if value is not None or wait is None or tries == TRIES:
                break
            await asyncio.sleep(
                max(wait, min(_SLOWEST_BACKOFF, self._backoff * 2 ** (tries - 1))) * random.uniform(0.9, 1)
            )
        price = self.settings.price_input
        if self._store is not None:
            answer = Answer(
                status="error" if value is None else "ok",
                value=None,
                raw="",
                error=redact(failure),
                prompt_tokens=tokens,
                completion_tokens=None if tokens is None else 0,
                latency_ms=round((time.monotonic() - started) * 1000),
                cost=None if price is None or tokens is None else tokens * price / 1_000_000,
                tries=tries,
                rung="plain",
                cached=False,
                cache_key=key,
                kept=int(value is not None),
            )
            await self._store.put(self.settings, request, answer)
        if value is None:
            kept = "" if self._store is None else " What was measured is kept."
            raise UserError(f"Model {self.settings.name!r} gives no {task}: {redact(failure)}{kept}")
        return value

    async def _once(
        self,
        send: "Callable[[AsyncOpenAI], Awaitable[Reply]]",
        read: Callable[[Reply], T | None],
        unreadable: str,
    ) -> tuple[T | None, int | None, str, float | None]:
        """The value or ``None``, prompt tokens, what went wrong, and the seconds to wait before another try, if any."""
        assert self._client is not None
        try:
            reply = await send(self._client)
        except (TimedOut, Unreachable) as error:
            return None, None, str(error), 0.0
        tokens = tokens_of_reply(reply.data)[0]
        value = read(reply) if reply.status == 200 else None
        if value is not None:
            return value, tokens, "", None
        found = diagnose(reply, ()) if reply.status != 200 else None
        if found is None:
            return None, tokens, unreadable, None
        wait = found.wait or 0.0
        return None, tokens, found.sentence, wait if found.kind in _RETRIED and wait <= _LONGEST_WAIT else None


def in_order(entries: object, count: int) -> list[dict[str, object]] | None:
    """Entries of a reply, one for each of ``count`` texts, by their ``index``; in the order they came without any.

    ``None`` when they are not as many, or their numbers are not those of the texts.
    """
    if not isinstance(entries, list) or len(entries) != count or not all(isinstance(one, dict) for one in entries):
        return None
    if not any("index" in one for one in entries):
        return entries
    at = {one["index"]: one for one in entries if type(one.get("index")) is int}
    return [at[number] for number in range(count)] if at.keys() == set(range(count)) else None


def is_finite(value: object) -> TypeGuard[int | float]:
    """Whether a value of a reply is a number, and not infinite."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
