"""Embeddings of texts from an OpenAI-compatible endpoint (``/embeddings``); each request is in the ledger of calls."""

import asyncio
import math
import random
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, Self

from medreview.errors import UserError
from medreview.llm.call import Answer, JudgeRequest, cache_key
from medreview.llm.completion import tokens_of_reply
from medreview.llm.server_errors import diagnose
from medreview.llm.settings import JudgeSettings
from medreview.llm.store import CallStore
from medreview.llm.transport import Reply, TimedOut, Unreachable, connect, post_embeddings
from medreview.redaction import redact, remember

if TYPE_CHECKING:
    from openai import AsyncOpenAI

TASK: Final = "embeddings"
TRIES: Final = 4
"""Of one request with transient failures."""
_LONGEST_WAIT: Final = 120.0
_SLOWEST_BACKOFF: Final = 8.0
_RETRIED: Final = frozenset({"transient", "rate_limit"})

Vectors = tuple[tuple[float, ...], ...]


class Embedder:
    """A model that makes embeddings, as an async context manager; ``backoff``: seconds before the first retry."""

    def __init__(self, settings: JudgeSettings, store: CallStore, *, backoff: float = 0.5) -> None:
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

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """A vector for each text, all of one length. Raises :class:`UserError` when the server gives none after all
        tries, or would give none for any other text either."""
        message = {"role": "input", "content": "\n".join(texts)}
        request = JudgeRequest(TASK, f"{TASK}/1", "", (message,), {})
        key = cache_key(self.settings, request)
        started, tries = time.monotonic(), 0
        body = {**self.settings.params, "model": self.settings.model, "input": list(texts)}
        while True:
            await self._store.sending(self.settings, request, key)
            tries += 1
            vectors, tokens, failure, wait = await self._asked(body)
            if vectors is not None or wait is None or tries == TRIES:
                break
            await asyncio.sleep(
                max(wait, min(_SLOWEST_BACKOFF, self._backoff * 2 ** (tries - 1))) * random.uniform(0.9, 1)
            )
        price = self.settings.price_input
        answer = Answer(
            status="error" if vectors is None else "ok",
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
            kept=int(vectors is not None),
        )
        await self._store.put(self.settings, request, answer)
        if vectors is None:
            raise UserError(
                f"Model {self.settings.name!r} gives no embeddings: {redact(failure)} What was measured is kept."
            )
        return vectors

    async def _asked(self, body: dict[str, Any]) -> tuple[Vectors | None, int | None, str, float | None]:
        """Vectors or ``None``, prompt tokens, what went wrong, and the seconds to wait before another try, if any."""
        assert self._client is not None
        try:
            reply = await post_embeddings(self._client, body, self.settings.timeout)
        except (TimedOut, Unreachable) as error:
            return None, None, str(error), 0.0
        tokens = tokens_of_reply(reply.data)[0]
        vectors = _vectors(reply, len(body["input"]))
        if vectors is not None:
            return vectors, tokens, "", None
        found = diagnose(reply, ()) if reply.status != 200 else None
        if found is None:
            return None, tokens, "The answer holds no list of as many vectors as texts, all of one length.", None
        wait = found.wait or 0.0
        return None, tokens, found.sentence, wait if found.kind in _RETRIED and wait <= _LONGEST_WAIT else None


def _vectors(reply: Reply, texts: int) -> Vectors | None:
    """The vectors of a reply in the order of the texts; ``None`` when it has not one finite vector for each."""
    data = reply.data.get("data") if reply.status == 200 and isinstance(reply.data, dict) else None
    if not isinstance(data, list) or len(data) != texts or not all(isinstance(one, dict) for one in data):
        return None
    order = sorted(data, key=lambda one: one["index"] if isinstance(one.get("index"), int) else 0)
    vectors = [one.get("embedding") for one in order]
    if not all(isinstance(vector, list) and vector and all(map(_is_finite, vector)) for vector in vectors):
        return None
    found = tuple(tuple(map(float, vector)) for vector in vectors if vector)
    return found if len({len(vector) for vector in found}) == 1 else None


def _is_finite(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
