"""One configured judge, to be asked: bounded, retried, paid once, and never a guess in place of an answer."""

import asyncio
import random
import time
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self
from weakref import WeakValueDictionary

from medreview.errors import UserError
from medreview.llm.call import Answer, Ask, Rung, Status, cache_key
from medreview.llm.circuit_breaker import Breaker
from medreview.llm.completion import Completion, read_completion
from medreview.llm.estimate import cost_of, prompt_tokens_of
from medreview.llm.redact import redact, redact_known
from medreview.llm.response_format import Ladder
from medreview.llm.server_errors import diagnose
from medreview.llm.settings import JudgeSettings
from medreview.llm.store import CallStore
from medreview.llm.transport import Reply, TimedOut, Unreachable, open_client, post

if TYPE_CHECKING:
    from openai import AsyncOpenAI

TRIES: Final = 4
"""Of one request that fails in a way that may pass; after a timeout there is one more try only."""
LONGEST_WAIT: Final = 120.0
"""Seconds: a server that asks for a longer pause is given up for this run."""
BUSY_TRIES: Final = 12
"""Of one request that the server puts off because too much is asked of it."""
_SLOWEST_BACKOFF: Final = 8.0
_TIMEOUTS: Final = 2

_SHOWN_AGAIN: Final = 4000
"""Characters of an unusable answer that the repair turn repeats."""
_NEVER_DROPPED: Final = {"model", "messages", "response_format"}

_REPAIR: Final = (
    "That answer cannot be used: {problem} Answer again, with one JSON object of the form that was asked for and "
    "nothing else."
)


@dataclass(slots=True)
class _Tally:
    """What one question took."""

    tries: int = 0
    rung: Rung = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    raw: str = ""

    def add(self, reading: Completion) -> None:
        self.raw = reading.raw
        if reading.prompt_tokens is not None:
            self.prompt_tokens = (self.prompt_tokens or 0) + reading.prompt_tokens
        if reading.completion_tokens is not None:
            self.completion_tokens = (self.completion_tokens or 0) + reading.completion_tokens


class _Failed(Exception):
    """No completion came; ``for_good``: none would for any other question."""

    def __init__(self, status: Status, sentence: str, *, for_good: bool = False, counts: bool = True) -> None:
        super().__init__(sentence)
        self.status, self.sentence, self.for_good, self.counts = status, sentence, for_good, counts


class Judge:
    """A judge that can be asked, ``async with Judge(settings, store) as judge``.

    With a store an answered question is never sent again, and every answer is saved before :meth:`ask` returns it.
    ``backoff``: seconds before the first retry, doubled for each further one.
    """

    def __init__(self, settings: JudgeSettings, store: CallStore | None = None, *, backoff: float = 0.5) -> None:
        self.settings = settings
        self._store = store
        self._backoff = backoff
        self._ladder = Ladder(settings)
        self._breaker = Breaker()
        self._places = asyncio.Semaphore(settings.concurrency)
        self._same: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._not_before = 0.0
        self._client: AsyncOpenAI | None = None

    async def __aenter__(self) -> Self:
        """Raises :class:`UserError` when a key is configured and the environment has none, or a wrong proxy."""
        if self.settings.api_key_env and not self.settings.key:
            raise UserError(
                f"Judge {self.settings.name!r} needs its key in the environment variable {self.settings.api_key_env}, "
                "which is not set."
            )
        try:
            self._client = open_client(self.settings)
        except (OSError, ValueError) as error:  # what the environment says about proxies and certificates
            raise UserError(f"Judge {self.settings.name!r} cannot be set up: {self._safe(str(error))}") from error
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._client is not None:
            await self._client.close()
            self._client = None

    @property
    def dead(self) -> str:
        """Why this judge is not asked any more, or ``""``."""
        return self._breaker.reason

    @property
    def changes(self) -> tuple[str, ...]:
        """What of the configured request the server did not take, a sentence each."""
        return tuple(self._ladder.changes)

    async def ask(self, ask: Ask) -> Answer:
        """The answer, from the study when it is there already. Never raises for what a server does."""
        key = cache_key(self.settings, ask)
        lock = self._same.setdefault(key, asyncio.Lock())
        async with lock:  # the same question twice at once is paid once
            kept = self._store.get(key, ask.schema) if self._store else None
            if self._store and kept is not None:
                await self._store.reuse(key)
                return kept
            async with self._places:
                answer = await self._answer(ask, key)
            if self._store:
                await self._store.put(self.settings, ask, answer)
            return answer

    async def _answer(self, ask: Ask, key: str) -> Answer:
        tally = _Tally()
        begun = time.monotonic()
        reading: Completion | None = None
        try:
            self._check_context(ask)
            reading = await self._read(ask, tally)
            status, error = reading.status, reading.error
        except _Failed as failed:
            status, error = failed.status, failed.sentence
            if failed.counts:
                self._breaker.failed(self._safe(failed.sentence), for_good=failed.for_good)
        return Answer(
            status=status,
            value=reading.value if reading else None,
            raw=redact_known(tally.raw, self.settings.key),
            error=self._safe(error),
            prompt_tokens=tally.prompt_tokens,
            completion_tokens=tally.completion_tokens,
            latency_ms=round((time.monotonic() - begun) * 1000),
            cost=cost_of(self.settings, tally.prompt_tokens, tally.completion_tokens),
            tries=tally.tries,
            rung=tally.rung,
            cached=False,
            cache_key=key,
        )

    def _safe(self, sentence: str) -> str:
        return redact(sentence, self.settings.key)

    def _check_context(self, ask: Ask) -> None:
        tokens = prompt_tokens_of(ask.messages)
        if tokens > self.settings.context_tokens:
            raise _Failed(
                "skipped",
                f"About {tokens:,} tokens are more than the context of {self.settings.context_tokens:,} that is "
                "configured as `context_tokens`.",
                counts=False,
            )

    async def _read(self, ask: Ask, tally: _Tally) -> Completion:
        """Ask, and once more when what came cannot be used."""
        messages: tuple[Mapping[str, str], ...] = ask.messages
        reading = await self._turn(ask, messages, tally)
        if not reading.repairable:
            return reading
        if reading.raw.strip():
            messages = (
                *messages,
                {"role": "assistant", "content": reading.raw[:_SHOWN_AGAIN]},
                {"role": "user", "content": _REPAIR.format(problem=reading.error)},
            )
        return await self._turn(ask, messages, tally)

    async def _turn(self, ask: Ask, messages: tuple[Mapping[str, str], ...], tally: _Tally) -> Completion:
        reply = await self._exchange(ask, messages, tally)
        self._breaker.answered()
        reading = read_completion(reply.data, ask.schema, messages)
        tally.add(reading)
        return reading

    async def _exchange(self, ask: Ask, messages: tuple[Mapping[str, str], ...], tally: _Tally) -> Reply:
        """One completion, over as many requests as it takes; raises :class:`_Failed`."""
        failures = timeouts = busy = unfit = 0
        while True:
            await self._pause()
            if self._breaker.reason:
                raise _Failed("skipped", f"Not asked. {self._breaker.reason}", counts=False)
            tally.rung = rung = self._ladder.rung
            body = self._ladder.body(ask, messages)
            tally.tries += 1
            wait: float | None = None
            try:
                reply = await post(self._opened, body, self.settings.timeout)
            except TimedOut as error:
                timeouts += 1
                if timeouts >= _TIMEOUTS:
                    raise _Failed("timeout", str(error)) from None
                failures, sentence = failures + 1, str(error)
            except Unreachable as error:
                failures, sentence = failures + 1, str(error)
            else:
                fault = diagnose(reply, body.keys() - _NEVER_DROPPED)
                if fault is None:
                    self._ladder.took(rung)
                    return reply
                sentence, wait = fault.sentence, fault.wait
                match fault.kind:
                    case "form" if self._ladder.step_down(rung, sure=True):
                        continue
                    case "unclear" if self._ladder.step_down(rung, sure=False):
                        continue
                    case "parameter" if self._ladder.drop(fault.parameter, body):
                        continue
                    case "overflow":
                        raise _Failed("skipped", f"Over the model's context. {sentence}", counts=False)
                    case "refused":
                        raise _Failed("refused", sentence, counts=False)
                    case "unfit":
                        unfit += 1
                        if unfit > 1:
                            raise _Failed("unparsable", f"{sentence} Raise `max_tokens`.", counts=False)
                        continue
                    case "again":
                        failures += 1
                    case "busy":
                        busy += 1
                    case "dead":
                        raise _Failed("error", sentence, for_good=True)
                    case _:
                        raise _Failed("error", sentence)
            if wait is not None and wait > LONGEST_WAIT:
                raise _Failed("error", f"{sentence} It asks to come back in {wait:,.0f} seconds.", for_good=True)
            if failures >= TRIES or busy >= BUSY_TRIES:
                raise _Failed("error", sentence)
            slower = min(_SLOWEST_BACKOFF, self._backoff * 2 ** (failures + busy - 1)) * random.uniform(0.75, 1)
            if busy or wait is not None:
                # All requests of this judge keep the pause, not only the one that was told.
                self._not_before = max(self._not_before, time.monotonic() + max(slower, wait or 0.0))
            else:
                await asyncio.sleep(slower)

    async def _pause(self) -> None:
        while (left := self._not_before - time.monotonic()) > 0:
            await asyncio.sleep(left)

    @property
    def _opened(self) -> "AsyncOpenAI":
        if self._client is None:
            raise RuntimeError("a judge is asked inside `async with`")
        return self._client
