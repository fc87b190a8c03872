"""One service as references ask it: what is known already, then what others of this run asked, then a request."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal

from medreview.references.answer_store import AnswerStore
from medreview.references.model import Identifier, IdentifierKind, Record, Reference
from medreview.references.services.batches import Batches, Failure, TooMuchError
from medreview.references.services.channel import Channel
from medreview.references.services.pubmed import MATCHES_AT_ONCE, PubMed
from medreview.references.services.service import Service
from medreview.sources.fetching.fetched import Fetched
from medreview.sources.lookups.lookup_stage import NoAnswerError

Way = Literal["place", "search"]
"""How a service is asked for a citation: by journal, year, volume and page, or by its words."""

_REFUSED: Final = frozenset({400, 404, 413, 414, 431})
_LONGEST_REASON: Final = 300


@dataclass(frozen=True, slots=True)
class Answer:
    """What a service has: records, nothing, or no answer at all (``failure`` is a sentence)."""

    records: tuple[Record, ...] = ()
    failure: str = ""


class Client:
    """Asks a service; without ``channel`` only what is known already is told, and the rest is ``None``."""

    def __init__(
        self, service: Service, answers: AnswerStore, channel: Channel | None, tasks: asyncio.TaskGroup
    ) -> None:
        self.service = service
        self.name = service.name
        self.channel = channel
        self._answers = answers
        self._kept: set[str] = set()
        self._by_kind: dict[IdentifierKind, Batches[tuple[Record, ...]]] = {}
        if channel is None:
            return
        for kind, most in service.at_once.items():
            self._by_kind[kind] = Batches(channel, most, partial(self._ask_identifiers, channel, kind), tasks)
        self._searches = Batches(channel, 1, partial(self._ask_search, channel), tasks)
        if isinstance(service, PubMed):
            self._places = Batches(channel, MATCHES_AT_ONCE, partial(self._ask_places, channel, service), tasks)

    async def identifier(self, identifier: Identifier) -> Answer | None:
        """The works that carry an identifier."""
        known = self._answers.known(self.name, _key(identifier.kind, identifier.value))
        if known is not None:
            return Answer(known)
        if self.channel is None:
            return None
        return _answer(await self._by_kind[identifier.kind].get(identifier.value))

    def query(self, way: Way, reference: Reference) -> str:
        """What is asked of a reference in this way; ``""`` where its fields are too few or there is no such way."""
        if way == "search":
            return self.service.citation(reference)
        return self.service.place(reference) if isinstance(self.service, PubMed) else ""

    async def citation(self, way: Way, query: str) -> Answer | None:
        """The works that the service finds by a citation; ``query`` is that of :meth:`query`."""
        key = f"{way}:{query}"
        known = self._answers.known(self.name, key)
        if known is not None:
            return Answer(known)
        if self.channel is None:
            return None
        if way == "place":
            found = await self._whole(await self._places.get(query))
        else:
            found = _answer(await self._searches.get(query))
            if isinstance(self.service, PubMed) and not found.failure:
                found = await self._whole([record.record_id for record in found.records])
        if not found.failure and key not in self._kept:
            self._kept.add(key)
            self._answers.keep(self.name, key, found.records)
        return found

    async def _whole(self, pmids: str | Sequence[str] | Failure | None) -> Answer:
        """The records of PubMed's numbers, asked for together with others; a failure where one of them failed."""
        if isinstance(pmids, Failure):
            return Answer(failure=pmids.words)
        numbers = [pmids] if isinstance(pmids, str) else pmids or []
        answers = await asyncio.gather(*(self.identifier(Identifier("pmid", number)) for number in numbers))
        found = [answer for answer in answers if answer is not None]
        if failure := next((answer.failure for answer in found if answer.failure), ""):
            return Answer(failure=failure)
        return Answer(tuple(record for answer in found for record in answer.records))

    async def _ask_identifiers(
        self, channel: Channel, kind: IdentifierKind, values: Sequence[str]
    ) -> Mapping[str, tuple[Record, ...]]:
        fetched = await channel.fetch(self.service.identifier_url(kind, values))
        with _Counted(channel, fetched):
            found = self.service.read_identifiers(kind, values, fetched)
        for value in values:
            self._answers.keep(self.name, _key(kind, value), found.get(value, ()))
        return found

    async def _ask_search(self, channel: Channel, queries: Sequence[str]) -> Mapping[str, tuple[Record, ...]]:
        fetched = await channel.fetch(self.service.citation_url(queries[0]))
        with _Counted(channel, fetched):
            return {queries[0]: self.service.read_citation(fetched)}

    async def _ask_places(self, channel: Channel, pubmed: PubMed, places: Sequence[str]) -> Mapping[str, str]:
        fetched = await channel.fetch(pubmed.places_url(places))
        with _Counted(channel, fetched):
            return pubmed.read_places(places, fetched)


class _Counted:
    """Counts answers and failures of a channel; a refused or too long answer becomes a :class:`TooMuchError`."""

    def __init__(self, channel: Channel, fetched: Fetched) -> None:
        self._channel = channel
        self._fetched = fetched

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if error is None:
            self._channel.answered()
        elif isinstance(error, NoAnswerError):
            words = str(error)[:_LONGEST_REASON]
            self._channel.failed(words)
            if self._fetched.status in _REFUSED or self._fetched.state == "too_large":
                raise TooMuchError(words) from None


def _key(kind: IdentifierKind, value: str) -> str:
    return f"{kind}:{value}"


def _answer(found: tuple[Record, ...] | Failure | None) -> Answer:
    return Answer(failure=found.words) if isinstance(found, Failure) else Answer(found or ())
