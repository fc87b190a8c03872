"""Looking references up: in a library, in stored answers, at services by identifier, then at services by citation.

Stored answers keep what authorities said, so that nobody is asked the same twice. Many identifiers go in one request,
as often as the service allows; questions that wait for their turn go together. A service that fails ten times in a row
is asked no more. Also here: which service is asked for what, in which order (what knows medicine best comes first),
until an answer fits; and what is said before the first request: what leaves the machine, and where it goes.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from medreview.citations.citation import domain
from medreview.event_loop import run_to_end
from medreview.progress import SILENT, Progress
from medreview.references.comparing.check import can_be_searched, check_reference
from medreview.references.library import Library
from medreview.references.model import (
    AUTHORITIES,
    Asked,
    Identifier,
    IdentifierKind,
    Record,
    Reference,
    ReferenceCheck,
    WorkKind,
    authority_name,
)
from medreview.references.services.medline import EuropePmc, PubMed
from medreview.references.services.registers import ClinicalTrials, Crossref, DataCite, OpenAlex
from medreview.references.services.service import Service
from medreview.sources.fetching.network import Network, Services
from medreview.text import counted, name_list

if TYPE_CHECKING:
    from medreview.sources.fetching.fetch import Fetcher
    from medreview.sources.fetching.network import Network
from medreview.references.services.client import MOST_AT_ONCE, AnswerStore, Channel, Client, ServiceAnswer, Way

_BY_IDENTIFIER: Final[Mapping[IdentifierKind, tuple[str, ...]]] = {
    "doi": ("crossref", "datacite", "europe_pmc", "openalex"),
    "pmid": ("pubmed", "europe_pmc", "openalex"),
    "pmcid": ("europe_pmc", "pubmed"),
    "nct": ("clinical_trials",),
    "arxiv": ("datacite",),
    "isbn": ("crossref",),
}
_WHERE_NOBODY_HAS_IT: Final = frozenset({"datacite", "openalex"})
"""These are asked for an identifier only as long as nobody has it: a DOI is registered in one place."""
_OF_DATACITE: Final = ("10.48550/", "10.5281/", "10.6084/", "10.5061/", "10.17605/")
"""arXiv, Zenodo, figshare, Dryad and OSF."""


class LookupStep(NamedTuple):
    """A service, and how it is asked for a citation."""

    authority: str
    way: Way = "search"


_ARTICLE: Final = (
    LookupStep("pubmed", "place"),
    *(LookupStep("europe_pmc"), LookupStep("pubmed"), LookupStep("crossref"), LookupStep("openalex")),
)
_BY_CITATION: Final[Mapping[WorkKind, tuple[LookupStep, ...]]] = {
    "article": _ARTICLE,
    "unknown": _ARTICLE,
    "preprint": (LookupStep("europe_pmc"), LookupStep("crossref"), LookupStep("datacite"), LookupStep("openalex")),
    "trial": (LookupStep("clinical_trials"), LookupStep("europe_pmc"), LookupStep("crossref"), LookupStep("openalex")),
    "dataset": (LookupStep("datacite"), LookupStep("crossref"), LookupStep("openalex")),
    "book": (LookupStep("crossref"), LookupStep("pubmed"), LookupStep("openalex")),
    "chapter": (LookupStep("crossref"), LookupStep("pubmed"), LookupStep("openalex")),
    "guideline": (LookupStep("europe_pmc"), LookupStep("pubmed"), LookupStep("crossref"), LookupStep("openalex")),
    "report": (LookupStep("europe_pmc"), LookupStep("crossref"), LookupStep("openalex")),
    "drug_label": (LookupStep("europe_pmc"), LookupStep("crossref")),
    "web_page": (LookupStep("europe_pmc"), LookupStep("crossref")),
}


def asked_for(identifier: Identifier) -> tuple[str, ...]:
    """The authorities that know such identifiers, in order."""
    chain = _BY_IDENTIFIER[identifier.kind]
    if identifier.kind == "doi" and identifier.value.startswith(_OF_DATACITE):
        return ("datacite", *(name for name in chain if name != "datacite"))
    return chain


def is_superfluous(authority: str, *, somebody_has_it: bool) -> bool:
    """Whether an authority has nothing to add on an identifier that another one has."""
    return somebody_has_it and authority in _WHERE_NOBODY_HAS_IT


def asked_by_citation(kind: WorkKind) -> tuple[LookupStep, ...]:
    """The steps of a search for a work of this kind, in order."""
    return _BY_CITATION[kind]


_By = Literal["identifier", "citation"]
_Outcome = Literal["found", "nothing", "failed"]
_OUTCOMES: Final[tuple[_Outcome, ...]] = ("nothing", "failed", "found")
"""What came of several questions to one authority, of which the last in this list counts."""


def _unknown(_: str) -> bool:
    return False


class Search:
    """What was asked about a reference so far, and what was found.

    ``unknown``: a client was not allowed to ask, and did not know the answer.
    """

    def __init__(self, reference: Reference, clients: Mapping[str, Client], library: Library | None) -> None:
        self._reference = reference
        self._clients = clients
        self._library = library
        self._known: Callable[[str], bool] = library.known if library is not None else _unknown
        self._by_identifier: dict[Identifier, list[Record]] = {}
        self._by_citation: dict[tuple[str, str], Record] = {}
        self._asked: dict[tuple[str, str], Asked] = {}
        self.unknown = False

    async def run(self) -> ReferenceCheck:
        """The check: of the first answers that fit, else of all.

        A work that an identifier leads to, and that is described wrongly, is not looked for elsewhere; one that an
        identifier does not lead to is.
        """
        self._ask_library()
        if (check := self._check()).verdict == "match":
            return check
        await self._ask_by_identifier()
        if self._led_to(check := self._check()):
            return check
        for step in asked_by_citation(self._reference.kind):
            client = self._clients.get(step.authority)
            if client is None or not (query := client.query(step.way, self._reference)):
                continue
            answer = await client.citation(step.way, query)
            self._note(client.name, "citation", answer)
            if answer is not None and answer.records:
                self._keep(answer)
                if self._fits():
                    break
        return self._check()

    def _ask_library(self) -> None:
        if self._library is None:
            return
        for identifier in self._reference.identifiers:
            answer = ServiceAnswer(tuple(self._library.by_identifier(identifier)))
            self._note(self._library.name, "identifier", answer)
            self._hold(identifier, answer)
        if can_be_searched(self._reference) and self._check().verdict != "match":
            answer = ServiceAnswer(tuple(self._library.by_citation(self._reference)))
            self._note(self._library.name, "citation", answer)
            self._keep(answer)

    async def _ask_by_identifier(self) -> None:
        """Ask about all identifiers at once, one authority after the other, until the answers fit."""
        chains = {identifier: list(asked_for(identifier)) for identifier in self._reference.identifiers}
        while questions := [(one, client) for one, chain in chains.items() if (client := self._next(one, chain))]:
            answers = await asyncio.gather(*(client.identifier(identifier) for identifier, client in questions))
            for (identifier, client), answer in zip(questions, answers, strict=True):
                self._note(client.name, "identifier", answer)
                if answer is not None and not answer.failure:
                    self._hold(identifier, answer)
            if any(answer is not None and answer.records for answer in answers) and self._check().verdict == "match":
                return

    def _next(self, identifier: Identifier, chain: list[str]) -> Client | None:
        while chain:
            name = chain.pop(0)
            has_it = bool(self._by_identifier.get(identifier))
            if name in self._clients and not is_superfluous(name, somebody_has_it=has_it):
                return self._clients[name]
        return None

    def _hold(self, identifier: Identifier, answer: ServiceAnswer) -> None:
        self._by_identifier.setdefault(identifier, []).extend(answer.records)

    def _keep(self, answer: ServiceAnswer) -> None:
        self._by_citation |= {(record.authority, record.record_id): record for record in answer.records}

    def _led_to(self, check: ReferenceCheck) -> bool:
        """Whether the work is one that an identifier of the reference leads to, described rightly or wrongly."""
        led = (record for records in self._by_identifier.values() for record in records)
        return check.verdict in ("match", "mismatch") and any(record is check.record for record in led)

    def _fits(self) -> bool:
        """Whether what was found by the words of the citation is the work, or leaves no doubt that several are."""
        bare = replace(self._reference, identifiers=(), url="")
        return self._compared(bare, {}).verdict in ("match", "ambiguous")

    def _check(self) -> ReferenceCheck:
        return self._compared(self._reference, self._by_identifier)

    def _compared(self, reference: Reference, led: Mapping[Identifier, Sequence[Record]]) -> ReferenceCheck:
        found, asked = tuple(self._by_citation.values()), tuple(self._asked.values())
        return check_reference(reference, led, found, asked, known=self._known)

    def _note(self, authority: str, by: _By, answer: ServiceAnswer | None) -> None:
        if answer is None:
            self.unknown = True
            return
        outcome: _Outcome = "failed" if answer.failure else "found" if answer.records else "nothing"
        before = self._asked.get((authority, by))
        if before is None or _OUTCOMES.index(outcome) > _OUTCOMES.index(before.outcome):
            self._asked[authority, by] = Asked(authority, by, outcome, answer.failure)


_ADDRESSES: Final = {"pubmed": "eutils"}
"""Settings whose name is not that of the authority."""


def base_of(authority: str, services: Services) -> str:
    """The base address of an authority that is a service."""
    return str(getattr(services, _ADDRESSES.get(authority, authority)))


def before_asking(references: int, services: Services) -> str:
    """What is said before the first request: how many references go where, what of them, and who asks."""
    hosts = name_list(domain(base_of(name, services)) for name in AUTHORITIES if name != "library")
    verb = "is" if references == 1 else "are"
    who = f"The contact {services.contact} comes along. " if services.contact else "No contact is sent. "
    return (
        f"{counted(references, 'reference')} {verb} looked up at {hosts}. Only the references' own words are sent "
        f"(authors, title, journal, year, pages, identifiers), never the answer, the statement or the question. {who}"
        f"What they answer is kept, and asked once."
    )


_SERVICES: Final[Mapping[str, Callable[[Services], Service]]] = {
    service.name: service for service in (PubMed, EuropePmc, Crossref, DataCite, ClinicalTrials, OpenAlex)
}
_MOST_BYTES: Final = 8_000_000
_AT_A_TIME: Final = 1_000
"""So many references are under way together; enough that every request is full."""


@dataclass(frozen=True, slots=True)
class ReferenceLookupSummary:
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
) -> ReferenceLookupSummary:
    """Check references against what authorities have; ``on_done`` gets the place of each in the list, and its check.

    The library is asked first, then what ``answers`` know, then, with ``ask``, the services, which are asked nothing
    twice; each answer is kept as it arrives, so that interrupted work goes on from there. ``say`` gets one text before
    the first request, and none where no request is needed. A reference about which nobody could be asked is left out.
    An error in ``on_done`` or ``answers`` ends the lookup and is raised.
    """
    run = _LookUpRun(references, services, network, answers, library, on_done, progress, say)
    progress.begin("references", len(references))
    run_to_end(run.all(ask=ask))
    return run.summary()


class _LookUpRun:
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

    def summary(self) -> ReferenceLookupSummary:
        """What was done."""
        return ReferenceLookupSummary(
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
