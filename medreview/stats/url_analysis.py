"""The URL analysis of a study (SourceCheckup, "URL analysis"): validity, hosts, paywalls, archive, country, TLD.

A *citation* here is a source that a response cites, counted once per response. Shares of citations have whole responses
as the resampling unit, and all shares of one group of responses come from the same draws. Shares of distinct sources
have Wilson intervals.
"""

import sqlite3
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter
from typing import Final, Literal

from medreview.citations.citation import is_redirect
from medreview.citations.hosts import host_of, registrable, top_level, under, us_by_rule
from medreview.labels import NOT_ASKED
from medreview.progress import SILENT, Progress
from medreview.sources.lookups import LOST, Archived, archived, countries, is_us, may_be_asked
from medreview.sources.reach import GONE
from medreview.stats.clusters import Clusters, study_clusters
from medreview.stats.formulas.bootstrap import DEFAULT, Resampling
from medreview.stats.formulas.estimate import Estimate
from medreview.stats.formulas.intervals import proportion
from medreview.stats.formulas.shared_draws import ResponseSample
from medreview.stats.reference_verdicts import ReferenceReport, reference_report
from medreview.stats.reports.provenance import Provenance, provenance
from medreview.stats.reports.study_support import largest_strata

Outcome = Literal["once_there", "no_page", "never", "failed", "not_asked", "private"]
"""What an archive says of a lost address: it held a page; it held copies, but none was a page; it holds nothing; it
gave no answer; it was not asked; it is never asked, because the name is of a private network or none at all."""
Decided = Literal["registry", "rule", ""]


_SOURCES: Final = """
SELECT u.source_id, u.kind, u.url, p.page_state, p.status, p.final_url, n.valid,
       EXISTS (SELECT 1 FROM snapshot_ocr AS o WHERE o.snapshot_id = u.current_snapshot) AS by_ocr
FROM source AS u LEFT JOIN snapshot AS p ON p.snapshot_id = u.current_snapshot
LEFT JOIN snapshot_content AS n ON n.snapshot_id = u.current_snapshot WHERE u.kind <> 'document' ORDER BY u.rowid"""

_CITED: Final = """
SELECT r.response_id AS response, r.model, r.origin, c.source_id
FROM response AS r LEFT JOIN citation AS c ON c.response_id = r.response_id AND c.kind <> 'document'
ORDER BY r.ordinal, c.ordinal"""


@dataclass(frozen=True, slots=True)
class CitedSource:
    """One source.

    ``host`` is that of its address; an identifier has its resolver's. ``state`` is the page state, ``None`` before it
    was fetched; ``valid``: status 200 and text (SourceCheckup). ``listed``: its host, or the one that its address led
    to, is on the list of paywalled domains. ``us`` is ``None`` if unknown; ``decided`` says what showed it.
    ``outcome`` and ``archived`` are for a lost source only, ``not_found`` for one of which the server itself said that
    it is not there. ``by_ocr``: pages of it were read by OCR.
    """

    kind: str
    url: str
    host: str
    tld: str
    domain: str
    state: str | None
    valid: bool
    listed: bool
    us: bool | None
    decided: Decided
    outcome: Outcome | None
    not_found: bool
    archived: Archived | None
    by_ocr: bool = False


@dataclass(frozen=True, slots=True)
class CitingResponse:
    """A response and the sources that it cites, each once; ``cluster``: what is resampled with it."""

    cluster: str
    model: str
    origin: str
    sources: tuple[str, ...]


def cited_sources(reader: sqlite3.Connection, paywalled: Collection[str]) -> dict[str, CitedSource]:
    """Every source of a study by its id, in order of citation."""
    registered, copies = countries(reader), archived(reader)
    rows = reader.execute(_SOURCES)
    return {row["source_id"]: _source(row, paywalled, registered, copies) for row in rows}


def citing_responses(reader: sqlite3.Connection, clusters: Clusters) -> Iterator[CitingResponse]:
    """Every response in order, also those that cite nothing: they are resampled with the others."""
    for response, group in groupby(reader.execute(_CITED), key=itemgetter("response")):
        rows = list(group)
        sources = dict.fromkeys(row["source_id"] for row in rows if row["source_id"] is not None)
        yield CitingResponse(clusters.of[response], rows[0]["model"], rows[0]["origin"], tuple(sources))


def _source(
    row: sqlite3.Row,
    paywalled: Collection[str],
    registered: Mapping[str, str | None],
    copies: Mapping[str, Archived | None],
) -> CitedSource:
    url, state = row["url"], row["page_state"]
    url = row["final_url"] if is_redirect(url) and row["final_url"] else url
    host = host_of(url)
    domain = registrable(host)
    country = registered.get(domain)
    us = is_us(country) if country else us_by_rule(host)
    lost = state in LOST
    return CitedSource(
        kind=row["kind"],
        url=url,
        host=host,
        tld=top_level(host),
        domain=domain,
        state=state,
        valid=bool(row["valid"]),
        listed=any(under(name, paywalled) for name in (host, host_of(row["final_url"] or ""))),
        us=us,
        decided="registry" if country else "" if us is None else "rule",
        outcome=_outcome(url, copies) if lost else None,
        not_found=lost and (state in ("soft_404", "redirected_home") or row["status"] in GONE),
        archived=copies.get(url) if lost else None,
        by_ocr=bool(row["by_ocr"]),
    )


def _outcome(url: str, copies: Mapping[str, Archived | None]) -> Outcome:
    if not may_be_asked(url):
        return "private"
    if url not in copies:
        return "not_asked"
    found = copies[url]
    if found is None:
        return "failed"
    if found.last:
        return "once_there"
    return "no_page" if found.status else "never"


_COUNTS: Final = (
    "all", "fetched", "valid", "listed", "valid listed", "valid seen", "valid either", "told", "us", "with tld",
)  # fmt: skip
"""What is counted: all citations, and those of a source that is so. ``listed`` and ``seen``: behind a paywall, by the
list of domains and by the page that came back; ``told``: it is known whether the host is of the United States."""


def url_sample(
    cited: Sequence[Sequence[CitedSource]],
    clusters: Sequence[str],
    hosts: Sequence[str],
    tlds: Sequence[str],
    resampling: Resampling,
) -> ResponseSample:
    """The counts of a group of responses in these clusters, with a column for each of these hosts (``host who.int``)
    and ``tld int``."""
    columns = (*_COUNTS, *(f"host {name}" for name in hosts), *(f"tld {name}" for name in tlds))
    rows = []
    for sources in cited:
        found = Counter(column for source in sources for column in _columns(source))
        rows.append([found[column] for column in columns])
    return ResponseSample(columns, rows, resampling, clusters=clusters)


def _columns(source: CitedSource) -> list[str]:
    """The columns in which a citation of this source counts."""
    seen = source.state == "paywall"
    held = (
        True, source.state not in (None, *NOT_ASKED), source.valid, source.listed, source.valid and source.listed,
        source.valid and seen, source.valid and (source.listed or seen), source.us is not None, source.us is True,
        bool(source.tld),
    )  # fmt: skip
    fixed = [column for column, counts in zip(_COUNTS, held, strict=True) if counts]
    return [*fixed, f"host {source.host}", f"tld {source.tld}"]


TOP = 5
"""Hosts and top-level domains shown per model, as in SourceCheckup's table 1."""
MOST_LOST = 1_000
"""Lost addresses that a report names one by one."""

_NO_CITATION: Final = "There is no citation."
_OUTCOMES: tuple[Outcome, ...] = ("once_there", "no_page", "never", "failed", "not_asked", "private")


@dataclass(frozen=True)
class HostShare:
    """A host or a top-level domain: citations, distinct sources, and its share of the citations."""

    name: str
    citations: int
    sources: int
    share: Estimate


@dataclass(frozen=True)
class HostRanking:
    """The most cited hosts or top-level domains; ``distinct`` counts them all, ``rest`` the citations of the others.

    An IP address or a name such as ``.example`` has no top-level domain: ``none`` counts the citations of those.
    """

    named: tuple[HostShare, ...]
    distinct: int
    rest: int
    none: int


@dataclass(frozen=True)
class Paywalls:
    """Citations behind a paywall: by the list of domains, and by what came back when they were fetched.

    The four counts are of valid citations and add up to them. ``figures``: on the list, of all citations; on the list,
    of the valid ones (SourceCheckup's share); seen as a paywall; either.
    """

    both: int
    listed_only: int
    seen_only: int
    neither: int
    figures: tuple[Estimate, ...]


@dataclass(frozen=True)
class Country:
    """Citations of hosts of the United States, and what decided: the registry's country, else the rule on the TLD."""

    figure: Estimate
    by_registry: int
    by_rule: int
    undecided: int


@dataclass(frozen=True)
class ArchiveFigures:
    """Distinct sources that gave no page, and whether an archive held one.

    ``group``: ``not_found`` (status 404 or 410, a "not found" page, the home page instead), ``other`` (any other error,
    no answer in time) or ``all``. ``outcomes`` counts the sources by outcome. ``first`` and ``last`` are the days of
    the oldest and newest copy. ``figure`` is the share once there among those that the archive answered for.
    """

    group: str
    sources: int
    outcomes: Mapping[Outcome, int]
    first: str
    last: str
    figure: Estimate


@dataclass(frozen=True)
class UrlStratum:
    """One group of responses: the whole study (``split`` is ``""``), a model or an origin.

    ``states`` counts citations by page state, those not fetched under ``not_fetched``; ``by_ocr`` those to pages that
    were read by OCR, in whole or in part, which count like any other; ``identifiers`` those by DOI, PMID and the like,
    which count with the host of their resolver. The last five are ``None`` for an origin.
    """

    split: str
    stratum: str
    responses: int
    citing: int
    citations: int
    sources: int
    identifiers: int
    states: Mapping[str, int]
    by_ocr: int
    validity: Estimate
    hosts: HostRanking | None = None
    tlds: HostRanking | None = None
    paywalls: Paywalls | None = None
    country: Country | None = None
    archive: tuple[ArchiveFigures, ...] | None = None


@dataclass(frozen=True)
class LostSource:
    """An address that gave no page, and what the archive said; days are empty unless it was once there."""

    url: str
    state: str
    citations: int
    outcome: Outcome
    first: str
    last: str
    copy: str


@dataclass(frozen=True)
class UrlReport:
    """Everything that ``medreview sources addresses`` says.

    ``registry`` counts the registrable domains of the study: with a country, without one, failed, not asked. ``lost``
    names lost addresses, the most cited first; ``lost_omitted`` counts those beyond the first thousand. ``omitted``
    counts the models and origins beyond the largest. ``provenance`` says which state of which study it is of.
    ``references``: what those that carry an identifier turned out to be, ``None`` without any.
    """

    strata: tuple[UrlStratum, ...]
    omitted: Mapping[str, int]
    paywalled_domains: int
    registry: Mapping[str, int]
    lost: tuple[LostSource, ...]
    lost_omitted: int
    resampling: Resampling
    provenance: Provenance
    references: ReferenceReport | None = None


def url_figures(
    reader: sqlite3.Connection,
    *,
    paywalled: Collection[str],
    top: int = TOP,
    only: Collection[str] | None = None,
    resampling: Resampling = DEFAULT,
    progress: Progress = SILENT,
) -> UrlReport:
    """The URL analysis of a study; reads only, and needs no network.

    ``paywalled`` are the domains of ``citations.hosts.paywalled_domains``, ``top`` how many hosts and top-level domains
    to name per group. ``only``: the ids of the sources that count, for all; figures of references are left out then.
    """
    sources = cited_sources(reader, paywalled)
    if only is not None:
        sources = {source: one for source, one in sources.items() if source in only}
    clusters = study_clusters(reader)
    resampling = replace(resampling, cluster=clusters.name)
    members: dict[tuple[str, str], list[CitingResponse]] = {}
    for cited in citing_responses(reader, clusters):
        response = replace(cited, sources=tuple(one for one in cited.sources if only is None or one in only))
        for stratum in (("", ""), ("model", response.model), ("origin", response.origin)):
            members.setdefault(stratum, []).append(response)
    chosen, omitted = largest_strata(members)
    progress.begin("figures", len(chosen))
    strata = []
    for split, name in chosen:
        strata.append(_stratum(split, name, members[split, name], sources, top, resampling))
        progress.step()
    lost = _lost(members.get(("", ""), ()), sources)
    return UrlReport(
        strata=tuple(strata),
        omitted=omitted,
        paywalled_domains=len(paywalled),
        registry=_registry(reader, sources),
        lost=lost[:MOST_LOST],
        lost_omitted=max(0, len(lost) - MOST_LOST),
        resampling=resampling,
        provenance=provenance(reader, resampling),
        references=reference_report(reader, resampling, identified=True) if only is None else None,
    )


def _stratum(
    split: str,
    name: str,
    responses: Sequence[CitingResponse],
    sources: Mapping[str, CitedSource],
    top: int,
    resampling: Resampling,
) -> UrlStratum:
    cited = [[sources[source_id] for source_id in response.sources] for response in responses]
    flat = [source for group in cited for source in group]
    distinct = [sources[source_id] for source_id in {key: None for r in responses for key in r.sources}]
    hosts, tlds = Counter(source.host for source in flat), Counter(source.tld for source in flat if source.tld)
    whole = split != "origin"
    shown_hosts, shown_tlds = (_most(hosts, top), _most(tlds, top)) if whole else ([], [])
    sample = url_sample(cited, [response.cluster for response in responses], shown_hosts, shown_tlds, resampling)
    states = Counter(source.state or "not_fetched" for source in flat)
    stratum = UrlStratum(
        split=split,
        stratum=name,
        responses=len(responses),
        citing=sum(map(bool, cited)),
        citations=len(flat),
        sources=len(distinct),
        identifiers=sum(source.kind != "url" for source in flat),
        states=dict(states.most_common()),
        by_ocr=sum(source.by_ocr for source in flat),
        validity=sample.share(
            "source URL validity", "valid", "fetched", undefined="No cited source was fetched yet.", whole="valid",
            dropped=sum(states[state] for state in ("not_fetched", *NOT_ASKED)),
        ),
    )  # fmt: skip
    if not whole:
        return stratum
    by_host, by_tld = Counter(source.host for source in distinct), Counter(source.tld for source in distinct)

    def named(what: str, under: str, name: str, counts: Counter[str], distinct: Counter[str]) -> HostShare:
        share = sample.share(name, f"{what} {name}", under, undefined=_NO_CITATION, whole=name)
        return HostShare(name, counts[name], distinct[name], share)

    return replace(
        stratum,
        hosts=_ranking([named("host", "all", name, hosts, by_host) for name in shown_hosts], hosts, len(flat)),
        tlds=_ranking([named("tld", "with tld", name, tlds, by_tld) for name in shown_tlds], tlds, len(flat)),
        paywalls=_paywalls(flat, sample),
        country=Country(
            sample.share(
                "hosts of the United States", "us", "told", undefined="No citation has a host that could tell.",
                whole="of the United States",
            ),
            by_registry=sum(source.decided == "registry" for source in flat),
            by_rule=sum(source.decided == "rule" for source in flat),
            undecided=sum(source.us is None for source in flat),
        ),
        archive=_archive(distinct),
    )  # fmt: skip


def _most(counts: Counter[str], top: int) -> list[str]:
    return sorted(counts, key=lambda name: (-counts[name], name))[:top]


def _ranking(named: Sequence[HostShare], counts: Counter[str], citations: int) -> HostRanking:
    rest = counts.total() - sum(one.citations for one in named)
    return HostRanking(tuple(named), len(counts), rest, citations - counts.total())


def _paywalls(flat: Sequence[CitedSource], sample: ResponseSample) -> Paywalls:
    counts = Counter((source.listed, source.state == "paywall") for source in flat if source.valid)
    nothing = "No citation is valid, or none was fetched yet."
    return Paywalls(
        both=counts[True, True],
        listed_only=counts[True, False],
        seen_only=counts[False, True],
        neither=counts[False, False],
        figures=(
            sample.share("on the list, of all", "listed", "all", undefined=_NO_CITATION, whole="on the list"),
            sample.share("on the list", "valid listed", "valid", undefined=nothing, whole="on the list"),
            sample.share("seen as a paywall", "valid seen", "valid", undefined=nothing, whole="a paywall page"),
            sample.share(
                "either", "valid either", "valid", undefined=nothing, whole="on the list or a paywall page"
            ),
        ),
    )  # fmt: skip


def _archive(distinct: Sequence[CitedSource]) -> tuple[ArchiveFigures, ...]:
    lost = [source for source in distinct if source.outcome is not None]
    return (
        _archive_group("not_found", [source for source in lost if source.not_found]),
        _archive_group("other", [source for source in lost if not source.not_found]),
        _archive_group("all", lost),
    )


def _archive_group(group: str, lost: Sequence[CitedSource]) -> ArchiveFigures:
    counts = Counter(source.outcome for source in lost)
    outcomes = {outcome: counts[outcome] for outcome in _OUTCOMES}
    answered = outcomes["once_there"] + outcomes["no_page"] + outcomes["never"]
    held = [source.archived for source in lost if source.outcome == "once_there" and source.archived is not None]
    unanswered = "The archive has not answered for any of them."
    return ArchiveFigures(
        group=group,
        sources=len(lost),
        outcomes=outcomes,
        first=min((copy.first for copy in held), default=""),
        last=max((copy.last for copy in held), default=""),
        figure=proportion(
            "once held by the archive",
            outcomes["once_there"],
            answered,
            dropped=len(lost) - answered,
            nothing=unanswered if lost else "Every source that was fetched gave a page.",
        ),
    )


def _registry(reader: sqlite3.Connection, sources: Mapping[str, CitedSource]) -> dict[str, int]:
    known = countries(reader)
    counts = Counter(
        "not_asked" if name not in known else "failed" if known[name] is None else "country" if known[name] else "none"
        for name in {source.domain for source in sources.values() if source.domain}
    )
    return {key: counts[key] for key in ("country", "none", "failed", "not_asked")}


def _lost(responses: Sequence[CitingResponse], sources: Mapping[str, CitedSource]) -> tuple[LostSource, ...]:
    citations = Counter(source_id for response in responses for source_id in response.sources)
    found = []
    for source_id, count in citations.most_common():
        source = sources[source_id]
        if source.outcome is None or source.state is None:
            continue
        held = source.archived
        days = (held.first, held.last, held.copy) if held and source.outcome == "once_there" else ("", "", "")
        found.append(LostSource(source.url, source.state, count, source.outcome, *days))
    return tuple(found)
