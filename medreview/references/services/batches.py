"""Questions to a service, as many in one request as it takes: what waits when its turn comes goes together."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from medreview.references.services.channel import Channel
from medreview.sources.lookups.lookup_stage import NoAnswerError

_LONGEST: Final = 2_500
"""So many characters of questions go into one request at the most: longer URLs are refused."""

V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Failure:
    """No answer; ``words`` is a sentence that says why."""

    words: str


class TooMuchError(NoAnswerError):
    """The service refused a request, or answered with too much: each half of it may be answered."""


class Batches(Generic[V]):
    """Asks for keys through a channel, at most ``most`` in a request, each key once in a run.

    ``ask`` gets keys and returns what was found by key; a key without an entry is not known (``None``). A refused
    request of several keys is asked again in halves, so that one that the service does not take costs itself only.
    """

    def __init__(
        self,
        channel: Channel,
        most: int,
        ask: Callable[[Sequence[str]], Awaitable[Mapping[str, V]]],
        tasks: asyncio.TaskGroup,
    ) -> None:
        self._channel = channel
        self._most = most
        self._ask = ask
        self._tasks = tasks
        self._answers: dict[str, asyncio.Future[V | Failure | None]] = {}
        self._waiting: deque[str] = deque()
        self._halves: deque[list[str]] = deque()
        self._sender: asyncio.Task[None] | None = None

    async def get(self, key: str) -> V | Failure | None:
        """What the service has for a key; asked for together with others."""
        if key not in self._answers:
            self._answers[key] = asyncio.get_running_loop().create_future()
            self._waiting.append(key)
            self._wake()
        return await asyncio.shield(self._answers[key])

    def _wake(self) -> None:
        if self._sender is None or self._sender.done():
            self._sender = self._tasks.create_task(self._send_all())

    async def _send_all(self) -> None:
        while self._halves or self._waiting:
            await self._channel.begin()
            self._tasks.create_task(self._send(self._take()))

    def _take(self) -> list[str]:
        if self._halves:
            return self._halves.popleft()
        keys = [self._waiting.popleft()]
        length = len(keys[0])
        while self._waiting and len(keys) < self._most and (length := length + len(self._waiting[0])) <= _LONGEST:
            keys.append(self._waiting.popleft())
        return keys

    async def _send(self, keys: list[str]) -> None:
        try:
            if self._channel.stopped:
                raise NoAnswerError(self._channel.stopped)
            found = await self._ask(keys)
        except NoAnswerError as error:
            if isinstance(error, TooMuchError) and len(keys) > 1:
                middle = len(keys) // 2
                self._halves += (keys[:middle], keys[middle:])
                self._wake()
                return
            for key in keys:
                self._answers[key].set_result(Failure(str(error)))
        else:
            for key in keys:
                self._answers[key].set_result(found.get(key))
        finally:
            self._channel.end()
