"""Asking one service: stored answers first, then many identifiers in one request, as often as the service allows.

The answer store keeps what authorities answered, so that nobody is asked the same twice. Questions that wait for their
turn go together. A service that fails ten times in a row is asked no more.
"""

import asyncio
import json
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Final, Literal, Protocol

from medreview.citations.citation import domain
from medreview.references.model import (
    Identifier,
    IdentifierKind,
    Record,
    Reference,
    record_of_json,
    to_json,
)
from medreview.references.services.service import Found, PlaceService, Service
from medreview.sources.fetching.network import Fetched, Network, Request
from medreview.sources.lookups import GIVE_UP_AFTER, LONGEST_REASON, NoServiceAnswerError
from medreview.study import Study
from medreview.study.rows import insert

if TYPE_CHECKING:
    from medreview.sources.fetching.fetch import Fetcher
    from medreview.sources.fetching.network import Network


class AnswerStore(Protocol):
    """Answers by authority (``crossref``, ``pubmed``, ...) and query, the words that it was asked by.

    A failure is not an answer and is not kept: a later run asks again.
    """

    def known(self, authority: str, query: str) -> tuple[Record, ...] | None:
        """What it answered; empty: it has nothing; ``None``: it was not asked, or failed."""

    def keep(self, authority: str, query: str, records: Sequence[Record]) -> None:
        """Keep an answer; an empty one, too."""


class MemoryAnswers:
    """Answers of this process, for files without a study."""

    def __init__(self) -> None:
        self._answers: dict[tuple[str, str], tuple[Record, ...]] = {}

    def known(self, authority: str, query: str) -> tuple[Record, ...] | None:
        """As :meth:`AnswerStore.known`."""
        return self._answers.get((authority, query))

    def keep(self, authority: str, query: str, records: Sequence[Record]) -> None:
        """As :meth:`AnswerStore.keep`."""
        self._answers[authority, query] = tuple(records)


class StudyAnswers:
    """Answers in the table ``authority_answer``. Of those of the same question the newest counts; none is changed.

    ``again``: that an authority had nothing is not known any more, so that it is asked once more.
    For the thread that opened the study; in one that is open for reading nothing is kept.
    """

    def __init__(self, study: Study, *, again: bool = False) -> None:
        self._study = study
        self._anew: set[tuple[str, str]] | None = set() if again else None

    def known(self, authority: str, query: str) -> tuple[Record, ...] | None:
        """As :meth:`AnswerStore.known`."""
        row = self._study.reader.execute(
            "SELECT records FROM authority_answer WHERE authority = ? AND query = ? ORDER BY at_utc DESC LIMIT 1",
            (authority, query),
        ).fetchone()
        if row is None:
            return None
        found = tuple(record_of_json(one) for one in json.loads(row[0]))
        stale = not found and self._anew is not None and (authority, query) not in self._anew
        return None if stale else found

    def keep(self, authority: str, query: str, records: Sequence[Record]) -> None:
        """As :meth:`AnswerStore.keep`, without waiting for the disk: what is lost with the power is asked again.

        Raises :class:`UserError` when the file cannot be written.
        """
        if not self._study.writable:
            return
        row = {
            "authority": authority,
            "query": query,
            "at_utc": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "records": json.dumps([to_json(record) for record in records], ensure_ascii=False),
        }
        kept = self._study.submit(
            lambda connection: insert(connection, "authority_answer", [row]), through_power_loss=False
        )
        kept.result()
        if self._anew is not None:
            self._anew.add((authority, query))


MOST_AT_ONCE: Final = 10


class Channel:
    """Asks one service; used in one event loop.

    A request waits here for its turn, before what it asks for is put together, so that what came up meanwhile goes into
    it. At once run as many as the service allows in a second. ``name`` is that of sentences, ``sent`` counts the
    requests, and ``stopped`` is a sentence once the service failed ten times in a row, and it is asked no more.
    """

    def __init__(self, name: str, base: str, fetcher: "Fetcher", network: Network) -> None:
        self._name = name
        self._fetcher = fetcher
        self._delay = network.delays.get(domain(base), network.limits.host_delay)
        a_second = round(1 / self._delay) if self._delay > 1 / MOST_AT_ONCE else MOST_AT_ONCE
        self._slots = asyncio.Semaphore(max(1, a_second))
        self._gate = asyncio.Lock()
        self._next_at = 0.0
        self._failures = 0
        self.sent = 0
        self.stopped = ""

    async def begin(self) -> None:
        """Wait for a turn; :meth:`end` gives its slot back."""
        loop = asyncio.get_running_loop()
        await self._slots.acquire()
        try:
            async with self._gate:
                while (wait := self._next_at - loop.time()) > 0 and not self.stopped:
                    await asyncio.sleep(wait)
                self._next_at = loop.time() + self._delay
        except BaseException:
            self._slots.release()
            raise

    def end(self) -> None:
        """The turn is over."""
        self._slots.release()

    async def ask(self, url: str, read: Callable[[Fetched], Found]) -> Found:
        """What is read in the answer to one request, tried again as the limits allow.

        Raises :class:`NoServiceAnswerError`; of a refused request, or a too long answer, :class:`TooMuchError`.
        """
        self.sent += 1
        fetched = await self._fetcher.fetch(Request(url))
        try:
            found = read(fetched)
        except NoServiceAnswerError as error:
            words = str(error)[:LONGEST_REASON]
            self._failures += 1
            if self._failures == GIVE_UP_AFTER:
                self.stopped = f"{self._name} failed {GIVE_UP_AFTER} times in a row and was asked no more: {words}"
            if fetched.status in _REFUSED or fetched.state == "too_large":
                raise TooMuchError(words) from None
            raise
        self._failures = 0
        return found


_REFUSED: Final = frozenset({400, 404, 413, 414, 431})
_LONGEST: Final = 2_500
"""So many characters of questions go into one request at the most: longer URLs are refused."""


@dataclass(frozen=True, slots=True)
class ServiceAnswer:
    """What a service has: records, nothing, or no answer at all (``failure`` is a sentence)."""

    records: tuple[Record, ...] = ()
    failure: str = ""


class TooMuchError(NoServiceAnswerError):
    """The service refused a request, or answered with too much: each half of it may be answered."""


class Batches:
    """Asks for keys through a channel, at most ``most`` in a request, each key once in a run.

    ``ask`` gets keys and returns what was found by key; a key without an entry is not known. A refused
    request of several keys is asked again in halves, so that one that the service does not take costs itself only.
    """

    def __init__(
        self,
        channel: Channel,
        most: int,
        ask: Callable[[Sequence[str]], Awaitable[Found]],
        tasks: asyncio.TaskGroup,
    ) -> None:
        self._channel = channel
        self._most = most
        self._ask = ask
        self._tasks = tasks
        self._answers: dict[str, asyncio.Future[ServiceAnswer]] = {}
        self._waiting: deque[str] = deque()
        self._halves: deque[list[str]] = deque()
        self._sender: asyncio.Task[None] | None = None

    async def get(self, key: str) -> ServiceAnswer:
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
                raise NoServiceAnswerError(self._channel.stopped)
            found = await self._ask(keys)
        except NoServiceAnswerError as error:
            if isinstance(error, TooMuchError) and len(keys) > 1:
                middle = len(keys) // 2
                self._halves += (keys[:middle], keys[middle:])
                self._wake()
                return
            for key in keys:
                self._answers[key].set_result(ServiceAnswer(failure=str(error)))
        else:
            for key in keys:
                self._answers[key].set_result(ServiceAnswer(found.get(key, ())))
        finally:
            self._channel.end()


Way = Literal["place", "search"]
"""How a service is asked for a citation: by journal, year, volume and page, or by its words."""


class Client:
    """Asks a service; without ``channel`` only stored answers are returned, and the rest is ``None``."""

    def __init__(
        self, service: Service, answers: AnswerStore, channel: Channel | None, tasks: asyncio.TaskGroup
    ) -> None:
        self.service = service
        self.name = service.name
        self.channel = channel
        self._answers = answers
        self._kept: set[str] = set()
        if channel is None:
            return
        self._by_kind = {
            kind: Batches(channel, most, partial(self._ask_identifiers, channel, kind), tasks)
            for kind, most in service.at_once.items()
        }
        self._ways: dict[Way, Batches] = {"search": Batches(channel, 1, partial(self._ask_search, channel), tasks)}
        if isinstance(service, PlaceService):
            ask = partial(_ask_places, service, channel)
            self._ways["place"] = Batches(channel, service.places_at_once, ask, tasks)

    async def identifier(self, identifier: Identifier) -> ServiceAnswer | None:
        """The works that carry an identifier."""
        known = self._answers.known(self.name, _key(identifier.kind, identifier.value))
        if known is not None:
            return ServiceAnswer(known)
        if self.channel is None:
            return None
        return await self._by_kind[identifier.kind].get(identifier.value)

    def query(self, way: Way, reference: Reference) -> str:
        """What is asked of a reference in this way; ``""`` where its fields are too few or there is no such way."""
        if way == "search":
            return self.service.citation(reference)
        return self.service.place(reference) if isinstance(self.service, PlaceService) else ""

    async def citation(self, way: Way, query: str) -> ServiceAnswer | None:
        """The works that the service finds by a citation; ``query`` is that of :meth:`query`."""
        key = f"{way}:{query}"
        known = self._answers.known(self.name, key)
        if known is not None:
            return ServiceAnswer(known)
        if self.channel is None:
            return None
        found = await self._ways[way].get(query)
        if self.service.gives_numbers:
            found = await self._whole(found)
        if not found.failure and key not in self._kept:
            self._kept.add(key)
            self._answers.keep(self.name, key, found.records)
        return found

    async def _whole(self, found: ServiceAnswer) -> ServiceAnswer:
        """The records of identifiers, asked for together with others; a failure where one of them failed."""
        asked = (self.identifier(record.identifiers[0]) for record in found.records)
        answers = [found, *(answer for answer in await asyncio.gather(*asked) if answer is not None)]
        if failure := next((answer.failure for answer in answers if answer.failure), ""):
            return ServiceAnswer(failure=failure)
        return ServiceAnswer(tuple(record for answer in answers[1:] for record in answer.records))

    async def _ask_identifiers(self, channel: Channel, kind: IdentifierKind, values: Sequence[str]) -> Found:
        found = await channel.ask(
            self.service.identifier_url(kind, values), partial(self.service.read_identifiers, kind, values)
        )
        for value in values:
            self._answers.keep(self.name, _key(kind, value), found.get(value, ()))
        return found

    async def _ask_search(self, channel: Channel, queries: Sequence[str]) -> Found:
        return await channel.ask(
            self.service.citation_url(queries[0]), lambda fetched: {queries[0]: self.service.read_citation(fetched)}
        )


async def _ask_places(service: PlaceService, channel: Channel, places: Sequence[str]) -> Found:
    return await channel.ask(service.places_url(places), partial(service.read_places, places))


def _key(kind: IdentifierKind, value: str) -> str:
    return f"{kind}:{value}"
