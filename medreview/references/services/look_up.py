"""Looking references up: in a library, in stored answers, at services by identifier, then at services by citation.

Stored answers keep what authorities said, so that nobody is asked the same twice. Many identifiers go in one request,
as often as the service allows; questions that wait for their turn go together. A service that fails ten times in a row
is asked no more. Also here: which service is asked for what, in which order (what knows medicine best comes first),
until an answer fits; and what is said before the first request: what leaves the machine, and where it goes.
"""

import asyncio
import json
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, Protocol

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
    record_of_json,
    to_json,
)
from medreview.references.services.medline import EuropePmc, PubMed
from medreview.references.services.registers import ClinicalTrials, Crossref, DataCite, OpenAlex
from medreview.references.services.service import Found, Service
from medreview.sources.fetching.network import Fetched, Network, Request, Services
from medreview.sources.lookups import GIVE_UP_AFTER, LONGEST_REASON, NoServiceAnswerError
from medreview.study import Study
from medreview.study.rows import insert
from medreview.text import counted, name_list

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
        self._ways: dict[Way, Batches] = {
            "search": Batches(channel, 1, partial(self._ask_search, channel), tasks),
            "place": Batches(channel, service.places_at_once, partial(self._ask_places, channel), tasks),
        }

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
        return self.service.citation(reference) if way == "search" else self.service.place(reference)

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

    async def _ask_places(self, channel: Channel, places: Sequence[str]) -> Found:
        return await channel.ask(self.service.places_url(places), partial(self.service.read_places, places))


def _key(kind: IdentifierKind, value: str) -> str:
    return f"{kind}:{value}"


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
