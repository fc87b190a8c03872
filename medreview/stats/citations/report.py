"""Everything that ``medreview citations`` says: each response scored, all together, by model, against the criteria."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from medreview.citations.allow_list import AllowList
from medreview.citations.model import Citation
from medreview.citations.scoring import ResponseScore, score_text
from medreview.exchange.imports.citation_answers import CitingAnswer
from medreview.progress import SILENT, Progress
from medreview.sources.lookups.reach import Reach
from medreview.stats.citations.kpis import CitationCounts, CitationFigures, Criterion, citation_figures, criteria
from medreview.stats.citations.reference_similarity import (
    Pair,
    ReferenceSimilarity,
    SimilarityFigures,
    reference_similarities,
    similarity_figures,
)
from medreview.stats.formulas.bootstrap import DEFAULT, Resampling
from medreview.stats.formulas.latency import Latency, latency
from medreview.stats.references.reference_report import ReferenceReport
from medreview.stats.reports.provenance import Provenance

MOST_MODELS: Final = 12
"""Models shown, the largest first: a file may name a new one on every line."""

ReachFrom = Literal["", "network", "snapshots"]


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The pass criteria in per cent: responses with a citation, URLs that are allowed."""

    min_with: float = 95.0
    min_allowed: float = 90.0


@dataclass(frozen=True, slots=True)
class ScoredResponse:
    """One response with all that is known of its citations. ``concordance`` is ``None`` without a reference."""

    answer: CitingAnswer
    name: str
    score: ResponseScore
    counts: CitationCounts
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
    identifier turned out to be, ``None`` where there is none.
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
    thresholds: Thresholds = Thresholds(),
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
    responses = tuple(
        ScoredResponse(answer, _name(answer, twice), score, _counts(score, reach), compared.get(place))
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
        pairs.append(Pair(answer.text, cited, answer.reference))
    return dict(zip(places, reference_similarities(pairs, progress), strict=True))


def _group(responses: Sequence[ScoredResponse], resampling: Resampling) -> CitationGroup:
    told = [r.answer.latency_s for r in responses if r.answer.latency_s is not None]
    compared = [r.concordance for r in responses if r.concordance is not None]
    return CitationGroup(
        figures=citation_figures([r.counts for r in responses], resampling),
        latency=latency(told, len(responses) - len(told), resampling.level) if told else None,
        concordance=similarity_figures(compared, len(responses) - len(compared), resampling) if compared else None,
    )
