"""Figures on citations over many responses: each response scored, all together, by model, against the criteria.

How many cite, how much of it is allowed, which kinds, what is there: everything that ``medreview citations`` says.
Means are over responses (the figures of the notebook, ``citations.allow_list``); pooled shares are over all citations
together. On the same five responses these are 66.7% and 75.0%: two questions, named apart.

How close a response is to a reference snippet is told by shared words, which are not truth: a response that says the
opposite in the same words comes out high. So the clashes that medreview's rules find (amounts, units, negation,
direction) stand beside the cosine.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from math import log, sqrt
from typing import TYPE_CHECKING, Final, Literal

from medreview.citations.allow_list import KINDS, AllowList, ResponseScore, score_text
from medreview.citations.citation import Citation
from medreview.exchange.imports.citation_answers import CitingAnswer
from medreview.progress import SILENT, Progress
from medreview.sources.reach import Reach
from medreview.stats.clusters import clusters_of
from medreview.stats.formulas.bootstrap import DEFAULT, Resampling
from medreview.stats.formulas.estimate import Estimate, percent
from medreview.stats.formulas.intervals import share_of
from medreview.stats.formulas.latency import Latency, latency
from medreview.stats.reference_verdicts import ReferenceReport
from medreview.stats.reports.provenance import Provenance
from medreview.text import Span, places_in_text

if TYPE_CHECKING:
    from medreview.evidence.passage_ranking import SourceIndex


NO_REFERENCE: Final = "No response has a reference with words to compare."


@dataclass(frozen=True, slots=True)
class ResponsePair:
    """A response with its citations, and its reference."""

    response: str
    citations: Sequence[Citation]
    reference: str


@dataclass(frozen=True, slots=True)
class ReferenceClash:
    """Two places that disagree: ``start``, ``end`` in the response, ``reference_start``, ``reference_end`` there."""

    kind: str
    start: int
    end: int
    reference_start: int
    reference_end: int
    sentence: str


@dataclass(frozen=True, slots=True)
class ReferenceSimilarity:
    """One response beside its reference. ``cosine`` 0..1, ``None`` when one of the two has no words.

    ``statements`` were compared; ``clashing`` of them say what the reference excludes.
    """

    cosine: float | None
    statements: int
    clashing: int
    clashes: tuple[ReferenceClash, ...]


@dataclass(frozen=True, slots=True)
class SimilarityFigures:
    """The mean cosine, and the share of responses with a clash."""

    cosine: Estimate
    with_clash: Estimate


def reference_similarities(pairs: Sequence[ResponsePair], progress: Progress = SILENT) -> list[ReferenceSimilarity]:
    """The concordance of each pair.

    The cosine is that of TF-IDF vectors (Salton & Buckley 1988): terms are medreview's (folded, English stems, stop
    words left out, synonyms made one, citations of the response blotted out); a term's weight is its count times
    ``1 + ln((1 + N) / (1 + df))``, ``N`` being the responses and the distinct references given here, ``df`` those of
    them that hold the term (scikit-learn's smoothed form).
    """
    responses = [_word_counts(_without_citations(pair)) for pair in pairs]
    references = {pair.reference: _word_counts(pair.reference) for pair in pairs}
    documents = [*responses, *references.values()]
    holding = Counter(term for counts in documents for term in counts)
    idf = {term: 1 + log((1 + len(documents)) / (1 + df)) for term, df in holding.items()}
    found = []
    progress.begin("references", len(pairs))
    for pair, counts in zip(pairs, responses, strict=True):
        found.append(_concordance(pair, _cosine(counts, references[pair.reference], idf)))
        progress.step()
    return found


def similarity_figures(
    found: Sequence[ReferenceSimilarity], clusters: Sequence[str], dropped: int = 0, resampling: Resampling = DEFAULT
) -> SimilarityFigures:
    """Over the clusters of the responses; ``dropped`` have no reference."""
    from medreview.stats.formulas.shared_draws import ResponseSample

    known = [(item.cosine, at) for item, at in zip(found, clusters, strict=True) if item.cosine is not None]
    rows = [(cosine, 1.0) for cosine, _ in known]
    sample = ResponseSample(("cosine", "one"), rows, resampling, clusters=[at for _, at in known])
    lost = dropped + len(found) - len(known)
    clashing = Counter(at for item, at in zip(found, clusters, strict=True) if item.clashing)
    return SimilarityFigures(
        sample.figure(
            "TF-IDF cosine, mean of responses", "cosine", "one", scale="ratio", undefined=NO_REFERENCE, dropped=lost
        ),
        share_of(
            "responses with a clash",
            [(clashing[at], held) for at, held in Counter(clusters).items()],
            unit=resampling.cluster,
            level=resampling.level,
            dropped=dropped,
            nothing=NO_REFERENCE,
        ),
    )


def _concordance(pair: ResponsePair, cosine: float | None) -> ReferenceSimilarity:
    from medreview.evidence.assess import assess
    from medreview.statements.split import split

    index = _index(pair.reference)
    statements = split(pair.response, [c for c in pair.citations if c.start is not None]).statements
    clashing, found = 0, []
    for statement in statements:
        clashes = assess(statement.text, index).clashes
        clashing += bool(clashes)
        for clash in clashes:
            mine, other = clash.statement_span, clash.source_span
            sentence = f"{_cut(pair.reference, other)} in the reference, {_cut(statement.text, mine)} in the response"
            found += [
                ReferenceClash(clash.kind, *place, other.start, other.end, sentence)
                for place in places_in_text(statement.places, mine)[:1]
            ]
    return ReferenceSimilarity(cosine, len(statements), clashing, tuple(found))


@lru_cache(maxsize=64)
def _index(reference: str) -> "SourceIndex":
    """Kept, for many models may answer the same question."""
    from medreview.evidence.passage_ranking import SourceIndex

    return SourceIndex(reference)


def _cut(text: str, span: Span) -> str:
    return " ".join(text[span.start : span.end].split())


def _without_citations(pair: ResponsePair) -> str:
    parts, at = [], 0
    for citation in pair.citations:
        if citation.start is not None and citation.end is not None:
            parts += [pair.response[at : citation.start], " "]
            at = citation.end
    return "".join([*parts, pair.response[at:]])


def _word_counts(text: str) -> Counter[str]:
    from medreview.evidence.terms import vocabulary

    return Counter(vocabulary().keys(text))


def _cosine(one: Counter[str], other: Counter[str], idf: dict[str, float]) -> float | None:
    if not one or not other:
        return None
    product = sum(count * other[term] * idf[term] ** 2 for term, count in one.items() if term in other)
    lengths = [sqrt(sum((count * idf[term]) ** 2 for term, count in counts.items())) for counts in (one, other)]
    # Rounding may carry two equal texts a hair over 1.
    return min(1.0, product / (lengths[0] * lengths[1]))


NO_RESPONSE: Final = "There is no response."
NO_CITATION: Final = "No response has a citation."
NO_URL: Final = "No response cites a URL."
NOT_ASKED: Final = "No source was asked for."
NOT_KNOWN: Final = "Of no identifier is it known whether it exists."


@dataclass(frozen=True, slots=True)
class CitationCounts:
    """The distinct sources that one response cites.

    ``n_allowed_urls``: URLs on the allow-list; ``n_other_not_allowed``: identifiers that are not allowed (0 where all
    are taken by format). ``n_asked`` and ``n_reached``: sources that were asked for, and that answered with a page.
    ``n_checked`` and ``n_existing``: identifiers of which it is known whether they exist, and that do.
    """

    n_url: int = 0
    n_doi: int = 0
    n_pmid: int = 0
    n_allowed_urls: int = 0
    n_pmcid: int = 0
    n_nct: int = 0
    n_arxiv: int = 0
    n_other_not_allowed: int = 0
    n_asked: int = 0
    n_reached: int = 0
    n_checked: int = 0
    n_existing: int = 0

    @property
    def by_kind(self) -> tuple[int, ...]:
        """Sources of each of :data:`KINDS`."""
        return self.n_url, self.n_doi, self.n_pmid, self.n_pmcid, self.n_nct, self.n_arxiv

    @property
    def n_total(self) -> int:
        """Sources of all kinds."""
        return sum(self.by_kind)

    @property
    def n_allowed(self) -> int:
        """Allowed over all kinds: URLs on the list, and identifiers that are allowed."""
        return self.n_total - self.n_url + self.n_allowed_urls - self.n_other_not_allowed


@dataclass(frozen=True, slots=True)
class CitationFigures:
    """The figures of one group of responses; shares are fractions. ``reached`` and ``existing``: of those asked for."""

    responses: int
    citations: int
    with_citation: Estimate
    mean_citations: Estimate
    mean_allowed: Estimate
    pooled_allowed: Estimate
    mean_allowed_urls: Estimate
    pooled_allowed_urls: Estimate
    kinds: Mapping[str, Estimate]
    reached: Estimate
    existing: Estimate

    @property
    def summary(self) -> dict[str, float | str | None]:
        """The plain values by the notebook's names (SEEDS S3.5), in per cent where the name says so.

        ``None`` where there is nothing to divide by; ``reason`` says why, for the widest of these values.
        """
        values = {
            "responses_with_citation_pct": _pct(self.with_citation),
            "avg_citations_per_response": self.mean_citations.value,
            "avg_pct_allowed_over_all": _pct(self.mean_allowed),
            "avg_pct_allowed_over_urls": _pct(self.mean_allowed_urls),
            "pooled_pct_allowed_over_all": _pct(self.pooled_allowed),
            "pooled_pct_allowed_over_urls": _pct(self.pooled_allowed_urls),
        }
        widest = (self.with_citation, self.pooled_allowed, self.pooled_allowed_urls)
        reason = next((figure.reason for figure in widest if figure.value is None), None)
        return {"responses_total": self.responses, **values, "reason": reason}


@dataclass(frozen=True, slots=True)
class Criterion:
    """A pass criterion: ``k`` of ``n`` are at least ``wanted`` per cent.

    When n is 0, ``met`` is ``None`` and ``why`` a sentence.
    """

    name: str
    wanted: float
    k: int
    n: int
    met: bool | None
    why: str

    @classmethod
    def of(cls, name: str, wanted: float, k: int, n: int, nothing: str) -> "Criterion":
        """Compared exactly, in decimals: 19 of 20 is at least 95 per cent. ``nothing``: the sentence for n = 0."""
        if n == 0:
            return cls(name, wanted, k, n, None, nothing)
        met = Decimal(100 * k) >= Decimal(str(wanted)) * n
        return cls(name, wanted, k, n, met, "")

    @property
    def sentence(self) -> str:
        """What was wanted, what was found, and whether it is met."""
        wanted = f"wanted at least {self.wanted:g}%"
        if self.met is None:
            return f"undefined: {self.name}, {wanted}. {self.why}"
        share = f"{percent(self.k / self.n)} ({self.k:,} of {self.n:,})"
        return f"{'met' if self.met else 'missed'}: {self.name}, {share}, {wanted}."


def criteria(
    responses: Sequence[CitationCounts], min_with: float = 95.0, min_allowed: float = 90.0
) -> tuple[Criterion, Criterion]:
    """The notebook's two pass criteria, in per cent: responses with a citation, and URLs allowed, pooled over all."""
    cited = sum(counts.n_total > 0 for counts in responses)
    urls, allowed = sum(counts.n_url for counts in responses), sum(counts.n_allowed_urls for counts in responses)
    return (
        Criterion.of("responses with a citation", min_with, cited, len(responses), NO_RESPONSE),
        Criterion.of("URLs on the allow-list", min_allowed, allowed, urls, NO_URL),
    )


def citation_figures(
    responses: Sequence[CitationCounts], resampling: Resampling = DEFAULT, clusters: Sequence[str] | None = None
) -> CitationFigures:
    """All figures of a group of responses, from one resample of them, or of their ``clusters``.

    The first share is by Wilson where each response is a cluster of its own.
    """
    from medreview.stats.formulas.shared_draws import ResponseSample

    sample = ResponseSample(_COLUMNS, [_vector(counts) for counts in responses], resampling, clusters=clusters)
    share, count = sample.share, len(responses)
    uncited, without_url = count - sample.total("has"), count - sample.total("has_url")
    return CitationFigures(
        responses=count,
        citations=sample.total("total"),
        with_citation=share_of(
            "responses with a citation", sample.counts("has", "one"), level=resampling.level, nothing=NO_RESPONSE,
            unit=resampling.cluster,
        ),
        mean_citations=sample.figure("citations per response", "total", "one", scale="amount", undefined=NO_RESPONSE),
        mean_allowed=share(
            "allowed, mean of responses", "share", "has", undefined=NO_CITATION, whole="allowed", dropped=uncited
        ),
        pooled_allowed=share("allowed, pooled", "allowed", "total", undefined=NO_CITATION, whole="allowed"),
        mean_allowed_urls=share(
            "allowed URLs, mean of responses", "url_share", "has_url", undefined=NO_URL, whole="allowed",
            dropped=without_url,
        ),
        pooled_allowed_urls=share("allowed URLs, pooled", "allowed_urls", "url", undefined=NO_URL, whole="allowed"),
        kinds={kind: share(kind, kind, "total", undefined=NO_CITATION) for kind in KINDS},
        reached=share("reached", "reached", "asked", undefined=NOT_ASKED, whole="reached"),
        existing=share("existing", "existing", "checked", undefined=NOT_KNOWN, whole="known to exist"),
    )  # fmt: skip


_COLUMNS: Final = (
    "one", "has", "total", "allowed", "share", "has_url", "allowed_urls", "url_share", "asked", "reached", "checked",
    "existing", *KINDS,
)  # fmt: skip


def _vector(counts: CitationCounts) -> list[float]:
    total, urls = counts.n_total, counts.n_url
    return [
        1, total > 0, total, counts.n_allowed, counts.n_allowed / total if total else 0, urls > 0,
        counts.n_allowed_urls, counts.n_allowed_urls / urls if urls else 0, counts.n_asked, counts.n_reached,
        counts.n_checked, counts.n_existing, *counts.by_kind,
    ]  # fmt: skip


def _pct(share: Estimate) -> float | None:
    """Without the last digits, in which 100 * 0.57 is no 57."""
    return None if share.value is None else round(100 * share.value, 12)


MOST_MODELS: Final = 12
"""Models shown, the largest first: a file may name a new one on every line."""

ReachFrom = Literal["", "network", "snapshots"]


@dataclass(frozen=True, slots=True)
class PassCriteria:
    """The pass criteria in per cent: responses with a citation, URLs that are allowed."""

    min_with: float = 95.0
    min_allowed: float = 90.0


@dataclass(frozen=True, slots=True)
class ScoredResponse:
    """One response with all that is known of its citations; ``cluster``: what is resampled with it.

    ``concordance`` is ``None`` without a reference.
    """

    answer: CitingAnswer
    name: str
    score: ResponseScore
    counts: CitationCounts
    cluster: str
    concordance: ReferenceSimilarity | None = None


@dataclass(frozen=True, slots=True)
class CitationGroup:
    """The figures of all responses, or of one model's; ``None`` where no response has a latency, or a reference."""

    figures: CitationFigures
    latency: Latency | None
    concordance: SimilarityFigures | None


@dataclass(frozen=True, slots=True)
class CitationReport:
    """The whole report. ``reach``: what became of each source by its key, and who said so (``reach_from``).

    ``by_model`` is empty when there is one model only; ``models_omitted`` counts those left
    out, the last by responses and name.
    ``provenance`` is that of a study; answers in a file have none. ``references``: what those of a study that carry an
    identifier turned out to be, ``None`` without any.
    """

    allow: AllowList
    responses: tuple[ScoredResponse, ...]
    criteria: tuple[Criterion, Criterion]
    all: CitationGroup
    by_model: Mapping[str, CitationGroup]
    models_omitted: int
    reach: Mapping[str, Reach]
    reach_from: ReachFrom
    resampling: Resampling
    provenance: Provenance | None = None
    references: ReferenceReport | None = None

    @property
    def passed(self) -> bool:
        """Whether every criterion is met; one that is undefined is not."""
        return all(criterion.met is True for criterion in self.criteria)

    @property
    def mentions(self) -> int:
        """How often any source is named; a source named twice in a response is two."""
        return sum(response.score.mentions for response in self.responses)

    @property
    def invalid(self) -> int:
        """How many of the responses are invalid; they count as responses without a citation."""
        return sum(bool(response.answer.invalid) for response in self.responses)

    @property
    def worst(self) -> list[ScoredResponse]:
        """The responses, those with most that is not allowed first, then those without any citation."""
        return sorted(
            self.responses,
            key=lambda response: (
                -(response.counts.n_total - response.counts.n_allowed),
                response.counts.n_total > 0,
                -response.counts.n_total,
            ),
        )


def scored(
    answers: Iterable[CitingAnswer], allow: AllowList, total: int, progress: Progress = SILENT
) -> list[tuple[CitingAnswer, ResponseScore]]:
    """Every answer with the verdicts on its citations."""
    progress.begin("citations", total)
    found = []
    for answer in answers:
        found.append((answer, score_text(answer.text, allow, answer.listed, invalid=answer.invalid)))
        progress.step()
    return found


def distinct_sources(found: Sequence[tuple[CitingAnswer, ResponseScore]]) -> list[Citation]:
    """Every source once, as a citation of it."""
    every = {c.source: Citation(c.kind, c.value) for _, score in found for c in score.sources}
    return list(every.values())


def citation_report(
    found: Sequence[tuple[CitingAnswer, ResponseScore]],
    allow: AllowList,
    thresholds: PassCriteria = PassCriteria(),
    *,
    reach: Mapping[str, Reach] | None = None,
    reach_from: ReachFrom = "",
    resampling: Resampling = DEFAULT,
    provenance: Provenance | None = None,
    references: ReferenceReport | None = None,
    progress: Progress = SILENT,
) -> CitationReport:
    """The report on scored answers. A response is named by its id, or by the line that it begins at."""
    reach = reach or {}
    compared = _concordances(found, progress)
    twice = Counter(answer.answer_id for answer, _ in found)
    asked = (answer for answer, _ in found)
    clusters = clusters_of((str(place), one.question_id, one.question) for place, one in enumerate(asked))
    resampling = replace(resampling, cluster=clusters.name)
    responses = tuple(
        ScoredResponse(
            answer, _name(answer, twice), score, _counts(score, reach), clusters.of[str(place)], compared.get(place)
        )
        for place, (answer, score) in enumerate(found)
    )
    models: dict[str, list[ScoredResponse]] = {}
    for response in responses:
        models.setdefault(response.answer.model, []).append(response)
    largest = sorted(models, key=lambda model: (-len(models[model]), model))[:MOST_MODELS] if len(models) > 1 else []
    return CitationReport(
        allow=allow,
        responses=responses,
        criteria=criteria([r.counts for r in responses], thresholds.min_with, thresholds.min_allowed),
        all=_group(responses, resampling),
        by_model={model: _group(models[model], resampling) for model in largest},
        models_omitted=len(models) - len(largest) if largest else 0,
        reach=reach,
        reach_from=reach_from,
        resampling=resampling,
        provenance=provenance,
        references=references,
    )


def _name(answer: CitingAnswer, twice: Counter[str]) -> str:
    if not answer.answer_id:
        return f"line {answer.line}"
    return answer.answer_id if twice[answer.answer_id] == 1 else f"{answer.answer_id} (line {answer.line})"


def _counts(score: ResponseScore, reach: Mapping[str, Reach]) -> CitationCounts:
    kinds = score.by_kind
    known = [(source, reach[source.source]) for source in score.sources if source.source in reach]
    checked = [it for source, it in known if source.kind != "url" and it.exists is not None]
    return CitationCounts(
        n_url=kinds["url"],
        n_doi=kinds["doi"],
        n_pmid=kinds["pmid"],
        n_pmcid=kinds["pmcid"],
        n_nct=kinds["nct"],
        n_arxiv=kinds["arxiv"],
        n_allowed_urls=score.count("allowed", kind="url"),
        n_other_not_allowed=score.count("not_allowed") - score.count("not_allowed", kind="url"),
        n_asked=len(known),
        n_reached=sum(it.state == "reached" for _, it in known),
        n_checked=len(checked),
        n_existing=sum(it.exists is True for it in checked),
    )


def _concordances(
    found: Sequence[tuple[CitingAnswer, ResponseScore]], progress: Progress
) -> dict[int, ReferenceSimilarity]:
    """The concordance of the responses that have a reference, by their place."""
    places = [place for place, (answer, _) in enumerate(found) if answer.reference]
    if not places:
        return {}
    pairs = []
    for place in places:
        answer, score = found[place]
        cited = [Citation(c.kind, c.value, c.start, c.end) for c in score.citations]
        pairs.append(ResponsePair(answer.text, cited, answer.reference))
    return dict(zip(places, reference_similarities(pairs, progress), strict=True))


def _group(responses: Sequence[ScoredResponse], resampling: Resampling) -> CitationGroup:
    told = [r.answer.latency_s for r in responses if r.answer.latency_s is not None]
    compared = [(r.concordance, r.cluster) for r in responses if r.concordance is not None]
    return CitationGroup(
        figures=citation_figures([r.counts for r in responses], resampling, [r.cluster for r in responses]),
        latency=latency(told, len(responses) - len(told), resampling.level) if told else None,
        concordance=similarity_figures(
            [one for one, _ in compared], [at for _, at in compared], len(responses) - len(compared), resampling
        )
        if compared
        else None,
    )
