"""Embeddings of texts (``/embeddings``), scores of passages (``/rerank``, ``/score``) and of labels (``/predict``).

Embeddings are those of an OpenAI-compatible endpoint; a reranker reads each passage together with a statement. Both
have retries, what failed, and the ledger of calls in common.
"""

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, Self, TypeGuard, TypeVar

from medreview.errors import UserError
from medreview.llm.call import JudgeRequest, ModelAnswer, cache_key
from medreview.llm.completion import tokens_of_reply
from medreview.llm.server_errors import diagnose
from medreview.llm.settings import JudgeSettings
from medreview.llm.store import CallStore
from medreview.llm.transport import (
    LONGEST_WAIT,
    TRIES,
    Reply,
    TimedOut,
    Unreachable,
    connect,
    pause_after,
    post_embeddings,
    post_json,
)
from medreview.redaction import redact, remember

if TYPE_CHECKING:
    from openai import AsyncOpenAI


T = TypeVar("T")

_RETRIED: Final = frozenset({"transient", "rate_limit"})


class NumberServer:
    """A model that gives numbers, as an async context manager; ``backoff``: seconds before the first retry.

    ``store`` is the ledger; without one (there is no study) nothing is kept.
    """

    task: str
    """What it is asked for, as the ledger and messages call it."""
    unreadable: str
    """The sentence on a reply of another form."""

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
        text: str,
        send: "Callable[[AsyncOpenAI], Awaitable[Reply]]",
        read: Callable[[Reply], T | None],
    ) -> T:
        """What ``read`` makes of the reply to a request about ``text``; it gives ``None`` for a reply of another form.

        Raises :class:`UserError` when the server gives none after all tries, or would give none for any other text
        either.
        """
        request = JudgeRequest(self.task, f"{self.task}/1", "", ({"role": "input", "content": text},), {})
        key = cache_key(self.settings, request)
        started, tries, declined = time.monotonic(), 0, 0
        while True:
            if self._store is not None:
                await self._store.sending(self.settings, request, key)
            tries += 1
            value, tokens, failure, wait, unpaid = await self._once(send, read)
            declined += unpaid
            if value is not None or wait is None or tries == TRIES:
                break
            await asyncio.sleep(pause_after(tries, self._backoff, wait))
        price = self.settings.price_input
        if self._store is not None:
            answer = ModelAnswer(
                "error" if value is None else "ok",
                error=redact(failure),
                prompt_tokens=tokens,
                completion_tokens=None if tokens is None else 0,
                latency_ms=round((time.monotonic() - started) * 1000),
                cost=None if price is None or tokens is None else tokens * price / 1_000_000,
                tries=tries,
                rung="plain",
                cache_key=key,
                kept=int(value is not None),
                declined=declined,
            )
            await self._store.put(self.settings, request, answer)
        if value is None:
            kept = "" if self._store is None else " What was measured is kept."
            raise UserError(f"Model {self.settings.name!r} gives no {self.task}: {redact(failure)}{kept}")
        return value

    async def _once(
        self,
        send: "Callable[[AsyncOpenAI], Awaitable[Reply]]",
        read: Callable[[Reply], T | None],
    ) -> tuple[T | None, int | None, str, float | None, bool]:
        """The value or ``None``, prompt tokens, what went wrong, the seconds to wait before another try, if any, and
        whether surely nothing is paid."""
        assert self._client is not None
        try:
            reply = await send(self._client)
        except (TimedOut, Unreachable) as error:
            return None, None, str(error), 0.0, not error.sent
        tokens = tokens_of_reply(reply.data)[0]
        value = read(reply) if reply.status == 200 else None
        if value is not None:
            return value, tokens, "", None, False
        found = diagnose(reply, ()) if reply.status != 200 else None
        if found is None:
            return None, tokens, self.unreadable, None, False
        wait = found.wait or 0.0
        again = wait if found.kind in _RETRIED and wait <= LONGEST_WAIT else None
        return None, tokens, found.sentence, again, not found.may_be_paid


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


Vectors = tuple[tuple[float, ...], ...]


class Embedder(NumberServer):
    """A model that makes embeddings."""

    task = "embeddings"
    unreadable = "The answer holds no list of as many vectors as texts, all of one length."

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """A vector for each text, all of one length. Raises what :meth:`asked` raises."""
        body = {**self.settings.params, "model": self.settings.model, "input": list(texts)}
        return await self.asked(
            "\n".join(texts),
            lambda client: post_embeddings(client, body, self.settings.timeout),
            lambda reply: _vectors(reply, len(texts)),
        )


def _vectors(reply: Reply, texts: int) -> Vectors | None:
    """The vectors of a reply in the order of the texts; ``None`` when it has not one finite vector for each."""
    entries = in_order(reply.data.get("data") if isinstance(reply.data, dict) else None, texts)
    found: list[tuple[float, ...]] = []
    for entry in entries or ():
        vector = entry.get("embedding")
        if not isinstance(vector, list) or not vector or not all(map(is_finite, vector)):
            return None
        found.append(tuple(map(float, vector)))
    return tuple(found) if found and len({len(vector) for vector in found}) == 1 else None


Path = Literal["rerank", "score"]


class Reranker(NumberServer):
    """A model that scores passages, at the address of the settings with ``/rerank`` or ``/score`` behind it.

    ``/rerank`` is asked as Jina, Cohere, vLLM and llama.cpp have it (``documents``); a server that says it wants
    ``texts`` (text-embeddings-inference) gets them. ``/score`` is that of vLLM (``text_1``, ``text_2``);
    ``passage_first``: each passage is the first text and the statement the second, as models of entailment read them.
    """

    task = "scores"
    unreadable = "The answer holds no list of one score for each passage."

    def __init__(
        self,
        settings: JudgeSettings,
        store: CallStore | None,
        path: Path,
        *,
        passage_first: bool = False,
        backoff: float = 0.5,
    ) -> None:
        super().__init__(settings, store, backoff=backoff)
        self._path = path
        self._passage_first = passage_first
        self._wants_texts = False

    async def score(self, statement: str, passages: Sequence[str]) -> tuple[float, ...]:
        """The model's own number for each passage, in their order. Raises what :meth:`asked` raises."""
        return await self.asked(
            "\n".join((statement, *passages)),
            lambda client: self._send(client, statement, passages),
            lambda reply: _scores(reply, len(passages)),
        )

    async def _send(self, client: "AsyncOpenAI", statement: str, passages: Sequence[str]) -> Reply:
        reply = await self._post(client, statement, passages)
        if self._path == "rerank" and not self._wants_texts and reply.status in {400, 422} and "texts" in reply.text:
            self._wants_texts = True
            reply = await self._post(client, statement, passages)
        return reply

    async def _post(self, client: "AsyncOpenAI", statement: str, passages: Sequence[str]) -> Reply:
        asked: dict[str, Any]
        if self._path == "score":
            texts: tuple[object, object] = (statement, list(passages))
            if self._passage_first:
                texts = (list(passages), [statement] * len(passages))
            asked = {"model": self.settings.model, "text_1": texts[0], "text_2": texts[1]}
        elif self._wants_texts:
            asked = {"query": statement, "texts": list(passages)}
        else:
            asked = {"model": self.settings.model, "query": statement, "documents": list(passages)}
        return await post_json(client, f"/{self._path}", {**self.settings.params, **asked}, self.settings.timeout)


def _scores(reply: Reply, passages: int) -> tuple[float, ...] | None:
    """The scores in the order of the passages; ``None`` when there is not one finite number for each."""
    data = reply.data
    entries = in_order(data.get("results", data.get("data")) if isinstance(data, dict) else data, passages)
    named = [entry.get("relevance_score", entry.get("score")) for entry in entries or ()]
    found = tuple(float(score) for score in named if is_finite(score))
    return found if found and len(found) == passages else None


class LabelScorer(NumberServer):
    """A model that gives pairs of texts a share for each of its labels: ``/predict`` of text-embeddings-inference."""

    task = "labels"
    unreadable = "The answer holds no list of labels, each with a score from 0 to 1, for each pair of texts."

    async def label(self, pairs: Sequence[tuple[str, str]]) -> tuple[dict[str, float], ...]:
        """By label its share, for each pair in their order. Raises what :meth:`asked` raises."""
        body = {**self.settings.params, "inputs": [list(pair) for pair in pairs], "truncate": True}
        return await self.asked(
            "\n".join(text for pair in pairs for text in pair),
            lambda client: post_json(client, "/predict", body, self.settings.timeout),
            lambda reply: _labels(reply, len(pairs)),
        )


def _labels(reply: Reply, pairs: int) -> tuple[dict[str, float], ...] | None:
    """The labels of each pair; ``None`` when one has none, or a number that is no share."""
    entries = reply.data if isinstance(reply.data, list) and len(reply.data) == pairs else ()
    found: list[dict[str, float]] = []
    for entry in entries:
        labels = entry if isinstance(entry, list) and all(isinstance(one, dict) for one in entry) else ()
        told = {one.get("label"): one.get("score") for one in labels}
        shares = {
            label: float(score)
            for label, score in told.items()
            if isinstance(label, str) and is_finite(score) and 0 <= score <= 1
        }
        if not shares or len(shares) != len(labels):
            return None
        found.append(shares)
    return tuple(found) if len(found) == pairs else None
