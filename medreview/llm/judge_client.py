"""A client for one configured judge: concurrency limit, retries with backoff, and a cache of answers.

A circuit breaker sends no further requests to a judge that keeps failing, so that it does not delay the others.
:func:`ping` tests a judge with one small question that is unrelated to any study. :class:`RecordedModel` answers from
files, for the demo and for trying a study without a server: nothing is sent.
"""

import asyncio
import json
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self
from weakref import WeakValueDictionary

from medreview.errors import UserError
from medreview.llm.call import FormatNegotiator, JudgeRequest, ModelAnswer, ResponseFormat, Status, cache_key
from medreview.llm.completion import parse, read_completion, tokens_of_reply
from medreview.llm.costs import cost_of, prompt_tokens_of
from medreview.llm.server_errors import diagnose
from medreview.llm.settings import JudgeSettings
from medreview.llm.store import CallStore
from medreview.llm.transport import LONGEST_WAIT, TRIES, Reply, TimedOut, Unreachable, connect, pause_after, post
from medreview.redaction import redact, remember
from medreview.text import sha256

if TYPE_CHECKING:
    from openai import AsyncOpenAI


FAILURES: Final = 5
"""Consecutive failed requests after which the circuit opens."""


class CircuitBreaker:
    """Counts consecutive failures; an open circuit stays open until the judge is opened again."""

    def __init__(self) -> None:
        self._consecutive = 0
        self.reason = ""
        """Why the circuit is open, as a sentence; ``""`` while it is closed."""

    def record_success(self) -> None:
        """The model answered, whatever the answer."""
        self._consecutive = 0

    def record_failure(self, sentence: str, *, permanent: bool = False) -> None:
        """A request failed after all its retries; ``permanent``: every other one would fail, too."""
        self._consecutive += 1
        if not self.reason and (permanent or self._consecutive >= FAILURES):
            self.reason = sentence if permanent else f"{FAILURES} requests in a row failed. The last one: {sentence}"


BUSY_TRIES: Final = 12
"""Of one request that the server rejects because of its rate limit."""
_TIMEOUTS: Final = 2
"""Of one request: after a timeout there is only one retry."""

_LONGEST_REPEATED: Final = 4000
"""Characters of an unusable answer that the repair turn repeats."""
_REQUIRED: Final = {"model", "messages", "response_format"}

_REPAIR: Final = (
    "That answer cannot be used: {problem} Answer again, with one JSON object of the form that was asked for and "
    "nothing else."
)


@dataclass(slots=True)
class _Usage:
    """Requests, seconds of pauses, tokens and output of one call, whose key in the cache is ``key``."""

    key: str
    tries: int = 0
    kept: int = 0
    declined: int = 0
    paused: float = 0.0
    rung: ResponseFormat = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    raw: str = ""

    def add(self, prompt_tokens: int | None, completion_tokens: int | None) -> None:
        if prompt_tokens is not None:
            self.prompt_tokens = (self.prompt_tokens or 0) + prompt_tokens
        if completion_tokens is not None:
            self.completion_tokens = (self.completion_tokens or 0) + completion_tokens


class _CallFailed(Exception):
    """There is no completion; ``permanent``: nor would there be for any other question.

    ``is_failure``: whether the circuit breaker counts it.
    """

    def __init__(self, status: Status, sentence: str, *, permanent: bool = False, is_failure: bool = True) -> None:
        super().__init__(sentence)
        self.status, self.sentence, self.permanent, self.is_failure = status, sentence, permanent, is_failure


class Judge:
    """A judge, as an async context manager: ``async with Judge(settings, store) as judge``.

    With a store an answered question is never sent again, and every answer is stored before :meth:`ask` returns it.
    ``backoff``: seconds before the first retry, doubled for each further one.
    """

    def __init__(self, settings: JudgeSettings, store: CallStore | None = None, *, backoff: float = 0.5) -> None:
        remember(settings.key)
        self.settings = settings
        self._store = store
        self._backoff = backoff
        self._format = FormatNegotiator(settings)
        self._breaker = CircuitBreaker()
        self._slots = asyncio.Semaphore(settings.concurrency)
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._not_before = 0.0
        self._completions = 0
        self._client: AsyncOpenAI | None = None
        self._stopped = asyncio.Event()
        self.in_flight = 0
        """Requests that were sent and have no answer yet."""

    async def __aenter__(self) -> Self:
        """Raises :class:`UserError` when a key is configured and not in the environment, or for an invalid proxy."""
        self._client = connect(self.settings)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._client is not None:
            await self._client.close()
            self._client = None

    @property
    def dead(self) -> str:
        """Why the circuit breaker is open, as a sentence; ``""`` while requests are sent."""
        return self._breaker.reason

    def stop(self) -> None:
        """Send nothing more, neither retries nor repair turns; what was sent already is waited for."""
        self._stopped.set()

    @property
    def is_stopped(self) -> bool:
        """Whether :meth:`stop` was called: what is ``skipped`` from then on was not asked, and is to be asked again."""
        return self._stopped.is_set()

    @property
    def changes(self) -> tuple[str, ...]:
        """What the server rejected of the configured request and how it was changed, a sentence each."""
        return tuple(self._format.changes)

    async def ask(self, ask: JudgeRequest) -> ModelAnswer:
        """The answer, from the cache if it is there. Never raises, whatever the server does."""
        key = cache_key(self.settings, ask)
        lock = self._locks.setdefault(key, asyncio.Lock())
        async with lock:  # of identical concurrent requests only one is sent and paid
            cached = self._store.get(key, ask.schema) if self._store else None
            if self._store and cached is not None:
                await self._store.reuse(key)
                return cached
            async with self._slots:
                answer = await self._answer(ask, key)
            if self._store and self._is_stored(answer):
                await self._store.put(self.settings, ask, answer)
            return answer

    def _is_stored(self, answer: ModelAnswer) -> bool:
        return answer.tries > 0 or not self.is_stopped

    async def _answer(self, ask: JudgeRequest, key: str) -> ModelAnswer:
        usage = _Usage(key)
        started = time.monotonic()
        try:
            self._check_context(ask)
            answer = await self._read(ask, usage)
        except _CallFailed as failed:
            answer = ModelAnswer(failed.status, error=failed.sentence)
            if failed.is_failure:
                self._breaker.record_failure(redact(failed.sentence), permanent=failed.permanent)
        return replace(
            answer,
            raw=usage.raw,
            error=redact(answer.error),
            prompt_tokens=usage.prompt_tokens,
            completion_tokens=usage.completion_tokens,
            latency_ms=round((time.monotonic() - started) * 1000),
            cost=cost_of(self.settings, usage.prompt_tokens, usage.completion_tokens),
            tries=usage.tries,
            rung=usage.rung,
            cache_key=key,
            kept=usage.kept,
            declined=usage.declined,
        )

    def _check_context(self, ask: JudgeRequest) -> None:
        tokens = prompt_tokens_of(ask.messages)
        if tokens > self.settings.context_tokens:
            raise _CallFailed(
                "skipped",
                f"About {tokens:,} tokens are more than the context of {self.settings.context_tokens:,} that is "
                "configured as `context_tokens`.",
                is_failure=False,
            )

    async def _read(self, ask: JudgeRequest, usage: _Usage) -> ModelAnswer:
        """The answer of a completion, with one repair turn if the answer is unusable and the request has one."""
        messages: tuple[Mapping[str, str], ...] = ask.messages
        completion = await self._complete(ask, messages, usage)
        if not (completion.repairable and ask.repair):
            return completion
        if completion.raw.strip():
            messages = (
                *messages,
                {"role": "assistant", "content": completion.raw[:_LONGEST_REPEATED]},
                {"role": "user", "content": _REPAIR.format(problem=completion.error)},
            )
        return await self._complete(ask, messages, usage)

    async def _complete(self, ask: JudgeRequest, messages: tuple[Mapping[str, str], ...], usage: _Usage) -> ModelAnswer:
        reply = await self._post_with_retries(ask, messages, usage)
        self._breaker.record_success()
        self._completions += 1
        completion = read_completion(reply.data, ask.schema, messages)
        usage.raw = completion.raw
        if completion.status == "ok" and not completion.label_probabilities:
            self._format.without_probabilities()
        return completion

    async def _post_with_retries(
        self, ask: JudgeRequest, messages: tuple[Mapping[str, str], ...], usage: _Usage
    ) -> Reply:
        """The reply with a chat completion, after as many retries as needed; raises :class:`_CallFailed`."""
        failures = timeouts = busy = invalid = 0
        completions = self._completions
        while True:
            await self._wait_for_backoff()
            if self._breaker.reason:
                raise _CallFailed("skipped", f"Not asked. {self._breaker.reason}", is_failure=False)
            if self._stopped.is_set():
                raise _CallFailed("skipped", "Not asked: stopped before it was sent.", is_failure=False)
            usage.rung = rung = self._format.rung
            body = self._format.body(ask, messages)
            wait: float | None = None
            try:
                reply = await self._send(ask, body, usage)
            except TimedOut as error:
                usage.declined += not error.sent
                timeouts += 1
                if timeouts >= _TIMEOUTS:
                    raise _CallFailed("timeout", str(error)) from None
                failures, sentence = failures + 1, str(error)
            except Unreachable as error:
                usage.declined += not error.sent
                failures, sentence = failures + 1, str(error)
            else:
                diagnosis = diagnose(reply, body.keys() - _REQUIRED)
                usage.add(*tokens_of_reply(reply.data))
                if diagnosis is None:
                    usage.kept += 1
                    self._format.accepted(rung)
                    return reply
                usage.declined += not diagnosis.may_be_paid
                sentence, wait = diagnosis.sentence, diagnosis.wait
                match diagnosis.kind:
                    case "format" if self._format.step_down(rung, sure=True):
                        continue
                    case "bad_request" if self._format.step_down(rung, sure=False):
                        continue
                    case "parameter" if self._format.drop(diagnosis.parameter, body):
                        continue
                    case "overflow":
                        raise _CallFailed("skipped", f"Over the model's context. {sentence}", is_failure=False)
                    case "refused":
                        raise _CallFailed("refused", sentence, is_failure=False)
                    case "invalid_output":
                        invalid += 1
                        if invalid > 1:
                            raise _CallFailed("unparsable", f"{sentence} Raise `max_tokens`.", is_failure=False)
                        continue
                    case "unreadable":
                        raise _CallFailed("unparsable", sentence, is_failure=False)
                    case "transient":
                        failures += 1
                    case "rate_limit":
                        busy += 1
                    case "permanent":
                        raise _CallFailed("error", sentence, permanent=True)
                    case _:
                        raise _CallFailed("error", sentence)
            if wait is not None and wait > LONGEST_WAIT:
                raise _CallFailed("error", f"{sentence} It asks to come back in {wait:,.0f} seconds.", permanent=True)
            if failures >= TRIES:
                raise _CallFailed("error", sentence)
            pause = pause_after(failures + busy, self._backoff, wait)
            if busy >= BUSY_TRIES or usage.paused + pause > LONGEST_WAIT:
                # A server that answered nobody meanwhile would let every other question wait as long.
                raise _CallFailed("error", sentence, permanent=self._completions == completions)
            usage.paused += pause
            if busy or wait is not None:
                # The pause holds for all requests of this judge, not only for the one that was rejected.
                self._not_before = max(self._not_before, time.monotonic() + pause)
            else:
                await self._sleep(pause)

    async def _send(self, ask: JudgeRequest, body: Mapping[str, Any], usage: _Usage) -> Reply:
        """One request, counted in the study before it goes."""
        if self._store:
            await self._store.sending(self.settings, ask, usage.key)
        usage.tries += 1
        self.in_flight += 1
        try:
            return await post(self._opened, body, self.settings.timeout)
        finally:
            self.in_flight -= 1

    async def _wait_for_backoff(self) -> None:
        while (left := self._not_before - time.monotonic()) > 0 and not self._stopped.is_set():
            await self._sleep(left)

    async def _sleep(self, seconds: float) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stopped.wait(), seconds)

    @property
    def _opened(self) -> "AsyncOpenAI":
        if self._client is None:
            raise RuntimeError("a judge is asked inside `async with`")
        return self._client


_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["colour"],
    "properties": {"colour": {"type": "string", "enum": ["red", "green", "blue"]}},
}
_TEXT: Final = (
    'Which colour has fresh grass: red, green or blue? Answer with one JSON object of the form {"colour": "..."} and '
    "nothing else."
)
PING: Final = JudgeRequest("ping", "ping/1", sha256(_TEXT), ({"role": "user", "content": _TEXT},), _SCHEMA)


@dataclass(frozen=True, slots=True)
class Pinged:
    """The result of a ping. ``changes``: what the server rejected of the configured request, a sentence each."""

    judge: str
    status: str
    error: str
    rung: str
    tries: int
    latency_ms: int
    prompt_tokens: int | None
    completion_tokens: int | None
    changes: tuple[str, ...]


async def ping(settings: JudgeSettings) -> Pinged:
    """Ask the judge one question, which is not stored; a missing key is an outcome here, not an error."""
    try:
        async with Judge(settings) as judge:
            answer = await judge.ask(PING)
            changes = judge.changes
    except UserError as error:
        return Pinged(settings.name, "error", str(error), "", 0, 0, None, None, ())
    return Pinged(
        settings.name,
        answer.status,
        answer.error,
        answer.rung,
        answer.tries,
        answer.latency_ms,
        answer.prompt_tokens,
        answer.completion_tokens,
        changes,
    )


_ENDED: Final = {"": "unparsable", "length": "truncated", "content_filter": "refused"}


class RecordedModel(Judge):
    """Answers from the files ``TASK.jsonl`` of a folder.

    Each line has ``for`` (what the request is about), ``attempt`` (1 where it is missing), and ``answer``: an object,
    or a text as a model would have written it. ``model`` names the model that said so, where several are recorded;
    ``finish`` says why it ended (``stop`` when missing; ``length``, ``content_filter``). ``prompt_tokens``,
    ``completion_tokens`` and ``latency_ms`` are as recorded. Without an answer a request is ``skipped``.
    """

    async def __aenter__(self) -> Self:
        return self

    def _is_stored(self, answer: ModelAnswer) -> bool:
        return answer.tries > 0

    async def _answer(self, ask: JudgeRequest, key: str) -> ModelAnswer:
        await asyncio.sleep(0)  # as with a server, others have their turn
        told = None if self.is_stopped else self._recorded(ask)
        if told is None:
            error = f"No answer to {ask.task} was recorded for {ask.about}, attempt {ask.attempt}."
            return ModelAnswer("skipped", error=error, cache_key=key)
        given = told["answer"]
        raw = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
        read = parse(raw, ask.schema)
        finish = str(told.get("finish", "stop"))
        status = _ENDED.get(finish) or ("ok" if read.value is not None else "unparsable")
        tokens = (_count(told, "prompt_tokens"), _count(told, "completion_tokens"))
        return ModelAnswer(
            status=status,  # type: ignore[arg-type]
            value=read.value if status == "ok" else None,
            raw=raw,
            error="" if status == "ok" else redact(read.problem or f"It ended with {finish}."),
            prompt_tokens=tokens[0],
            completion_tokens=tokens[1],
            latency_ms=_count(told, "latency_ms") or 0,
            cost=cost_of(self.settings, *tokens),
            tries=1,
            rung="json_schema",
            cache_key=key,
            kept=1,
        )

    def _recorded(self, ask: JudgeRequest) -> Mapping[str, Any] | None:
        if self.settings.recorded is None:
            raise ValueError(f"{self.settings.name} has no folder of recorded answers")
        found = _read(self.settings.recorded / f"{ask.task}.jsonl")
        model = self.settings.model
        return found.get((model, ask.about, ask.attempt)) or found.get(("", ask.about, ask.attempt))


def open_model(settings: JudgeSettings, store: CallStore | None = None) -> Judge:
    """The model of these settings: a server, or recorded answers."""
    return (RecordedModel if settings.recorded else Judge)(settings, store)


@cache
def _read(path: Path) -> dict[tuple[str, str, int], dict[str, Any]]:
    found: dict[tuple[str, str, int], dict[str, Any]] = {}
    if not path.exists():
        return found
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            told = json.loads(line)
            key = (str(told.get("model", "")), str(told["for"]), int(told.get("attempt", 1)))
            told["answer"]
        except (ValueError, TypeError, KeyError) as error:
            raise UserError(f"{path}, line {number}, is not a recorded answer ({error}).") from error
        if key in found:
            raise UserError(f"{path}, line {number}, records the same answer a second time: {key[1]}.")
        found[key] = told
    return found


def _count(told: Mapping[str, Any], name: str) -> int | None:
    value = told.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
