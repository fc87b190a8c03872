"""The whole way of many references: a library, what is known already, services by identifier, services by citation."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from medreview.event_loop import run_to_end
from medreview.progress import SILENT, Progress
from medreview.references.answer_store import AnswerStore
from medreview.references.authorities import authority_name
from medreview.references.library import Library
from medreview.references.model import Reference, ReferenceCheck
from medreview.references.services.channel import MOST_AT_ONCE, Channel
from medreview.references.services.client import Client
from medreview.references.services.clinical_trials import ClinicalTrials
from medreview.references.services.crossref import Crossref
from medreview.references.services.datacite import DataCite
from medreview.references.services.europe_pmc import EuropePmc
from medreview.references.services.openalex import OpenAlex
from medreview.references.services.pubmed import PubMed
from medreview.references.services.said import before_asking
from medreview.references.services.search import Search
from medreview.references.services.service import Service
from medreview.sources.fetching.services import Services

if TYPE_CHECKING:
    from medreview.sources.fetching.fetcher import Fetcher
    from medreview.sources.fetching.network import Network

_SERVICES: Final[Mapping[str, Callable[[Services], Service]]] = {
    service.name: service for service in (PubMed, EuropePmc, Crossref, DataCite, ClinicalTrials, OpenAlex)
}
_MOST_BYTES: Final = 8_000_000
_AT_A_TIME: Final = 1_000
"""So many references are under way together; enough that every request is full."""


@dataclass(frozen=True, slots=True)
class LookupSummary:
    """Counts: references ``checked``, and ``left`` because nobody could be asked about them; ``requests`` sent.

    ``stopped`` has a sentence for each service that failed so often that it was asked no more, by its name.
    """

    checked: int
    left: int = 0
    requests: int = 0
    stopped: Mapping[str, str] = field(default_factory=dict)


def look_up(
    references: Sequence[Reference],
    services: Services,
    network: "Network",
    answers: AnswerStore,
    *,
    library: Library | None = None,
    on_done: Callable[[int, ReferenceCheck], None],
    progress: Progress = SILENT,
    ask: bool = True,
    say: Callable[[str], None] | None = None,
) -> LookupSummary:
    """Check references against what authorities have; ``on_done`` gets the place of each in the list, and its check.

    The library is asked first, then what ``answers`` know, then, with ``ask``, the services, which are asked nothing
    twice; each answer is kept as it arrives, so that interrupted work goes on from there. ``say`` gets one text before
    the first request, and none where no request is needed. A reference about which nobody could be asked is left out.
    What ``on_done`` or ``answers`` raise ends the lookup and is raised.
    """
    run = _Run(references, services, network, answers, library, on_done, progress, say)
    progress.begin("references", len(references))
    run_to_end(run.all(ask=ask))
    return run.summary()


class _Run:
    def __init__(
        self,
        references: Sequence[Reference],
        services: Services,
        network: "Network",
        answers: AnswerStore,
        library: Library | None,
        on_done: Callable[[int, ReferenceCheck], None],
        progress: Progress,
        say: Callable[[str], None] | None,
    ) -> None:
        limits = network.limits
        bounds = replace(
            limits,
            max_bytes=min(limits.max_bytes, _MOST_BYTES),
            per_host=MOST_AT_ONCE,
            concurrency=max(limits.concurrency, MOST_AT_ONCE * len(_SERVICES)),
        )
        # A service is a programming interface: robots exclusion is for crawlers, not for its clients.
        self._network = replace(
            network, limits=bounds, respect_robots=False, delays={**services.delays(), **network.delays}
        )
        self._references = references
        self._services = services
        self._answers = answers
        self._library = library
        self._on_done = on_done
        self._progress = progress
        self._say = say
        self._channels: dict[str, Channel] = {}
        self._checked = 0

    async def all(self, *, ask: bool) -> None:
        """First with what is known, then, with ``ask``, the rest with the services."""
        left = await self._look(range(len(self._references)), None, final=not ask)
        if not (ask and left):
            return
        from medreview.sources.fetching.fetch import open_fetcher

        if self._say is not None:
            self._say(before_asking(len(left), self._services))
        async with open_fetcher(self._network) as fetcher:
            await self._look(left, fetcher, final=True)

    def summary(self) -> LookupSummary:
        """What was done."""
        return LookupSummary(
            self._checked,
            len(self._references) - self._checked,
            sum(channel.sent for channel in self._channels.values()),
            {name: channel.stopped for name, channel in self._channels.items() if channel.stopped},
        )

    async def _look(self, places: Iterable[int], fetcher: "Fetcher | None", *, final: bool) -> list[int]:
        """Check the references at these places of the list; those that are left, for want of a fetcher."""
        left = []
        under_way = asyncio.Semaphore(_AT_A_TIME)

        async def check(place: int, clients: Mapping[str, Client]) -> None:
            try:
                search = Search(self._references[place], clients, self._library)
                found = await search.run()
            finally:
                under_way.release()
            if search.unknown and found.verdict != "match" and not (final and self._library is not None):
                left.append(place)
                return
            self._on_done(place, found)
            self._checked += 1
            self._progress.step()

        try:
            async with asyncio.TaskGroup() as tasks:
                clients = {name: self._client(kind, fetcher, tasks) for name, kind in _SERVICES.items()}
                for place in places:
                    await under_way.acquire()
                    tasks.create_task(check(place, clients))
        except BaseExceptionGroup as group:
            raise group.exceptions[0] from None
        return sorted(left)

    def _client(
        self, kind: Callable[[Services], Service], fetcher: "Fetcher | None", tasks: asyncio.TaskGroup
    ) -> Client:
        service = kind(self._services)
        if fetcher is None:
            return Client(service, self._answers, None, tasks)
        channel = self._channels[service.name] = Channel(
            authority_name(service.name), service.base, fetcher, self._network
        )
        return Client(service, self._answers, channel, tasks)
