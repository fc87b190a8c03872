"""Choosing passages from texts: every paragraph measured, by rules kept or left out, and all of it stored.

Embeddings of an endpoint are one request for each passage, which is never asked about again.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np

from medreview.errors import UserError
from medreview.event_loop import run_to_end
from medreview.generators.passage_candidates import (
    Candidate,
    MeaningOf,
    PassageMeaning,
    Tagger,
    TermLists,
    by_words,
    candidates,
    densities,
)
from medreview.generators.passage_measures import (
    TF_IDF,
    Features,
    PassageThresholds,
    RuleCount,
    coherence_variance,
    of_length_one,
    rule_counts,
    semantic_entropy,
    thresholds_keeping,
)
from medreview.generators.source_texts import SourceText
from medreview.llm.costs import tokens_of
from medreview.llm.embeddings_and_reranking import Embedder
from medreview.llm.settings import JudgeSettings, model_at_host
from medreview.llm.store import CallStore
from medreview.progress import SILENT, Progress
from medreview.study import Study
from medreview.study.ids import content_id
from medreview.study.rows import insert
from medreview.units.stored import add_passages, now


def waiting(study: Study, every: Sequence[Candidate], settings: JudgeSettings, alike: float) -> list[Candidate]:
    """The paragraphs of sound form that the model was not asked about yet: what noise leaves out is not paid for."""
    known = _known(study, settings, alike)
    return [one for one in every if not one.noise and one.passage.passage_id not in known]


def tokens_to_pay(every: Sequence[Candidate]) -> int:
    """An upper bound of the tokens in their sentences."""
    return sum(tokens_of(sentence) for one in every for sentence in one.sentences)


def by_embeddings(
    study: Study, every: Sequence[Candidate], settings: JudgeSettings, alike: float, progress: Progress = SILENT
) -> dict[str, PassageMeaning]:
    """What the model's embeddings tell of the paragraphs of sound form, by passage id; each stored as it comes.

    Raises :class:`UserError` when the model gives none; given again, the same goes on where it was.
    """
    run_to_end(_ask(study, waiting(study, every, settings, alike), settings, alike, progress))
    return _known(study, settings, alike)


async def _ask(
    study: Study, every: Sequence[Candidate], settings: JudgeSettings, alike: float, progress: Progress
) -> None:
    progress.begin("embeddings", len(every))
    slots, name = asyncio.Semaphore(settings.concurrency), model_at_host(settings)
    failed: list[UserError] = []
    async with Embedder(settings, CallStore(study)) as embedder, asyncio.TaskGroup() as group:

        async def measure(one: Candidate) -> None:
            async with slots:
                if failed:  # what is in flight is waited for, since it is paid for; nothing more is sent
                    return
                try:
                    vectors = of_length_one(np.array(await embedder.embed(one.sentences), dtype=np.float64))
                except UserError as error:
                    failed.append(error)
                    return
            row = {
                "passage_id": one.passage.passage_id,
                "vectors": name,
                "alike": alike,
                "variance": coherence_variance(vectors),
                "entropy": semantic_entropy(vectors, alike),
            }
            await asyncio.wrap_future(study.submit(lambda db: insert(db, "passage_measure", [row])))
            progress.step()

        for one in every:
            group.create_task(measure(one))
    if failed:
        raise failed[0]


def _known(study: Study, settings: JudgeSettings, alike: float) -> dict[str, PassageMeaning]:
    rows = study.reader.execute(
        "SELECT passage_id, variance, entropy FROM passage_measure WHERE vectors = ? AND alike = ?",
        (model_at_host(settings), alike),
    )
    return {passage_id: PassageMeaning(variance, entropy) for passage_id, variance, entropy in rows}


ALIKE_WORDS: Final = 0.1
"""The cosine of TF-IDF above which two sentences are of one cluster. Cosines of words are far below those of
embeddings: at .5 hardly two sentences are alike, and every passage of three has more entropy than 1.0 (ln 3 is 1.1)."""
ALIKE_EMBEDDED: Final = 0.5
"""The same of embeddings."""
_BEGINNING: Final = 80
"""Characters of a paragraph that are stored of one that is left out."""
_BATCH: Final = 1_000


@dataclass(frozen=True, slots=True)
class ChosenParagraph:
    """A paragraph with its features and the codes of the rules that leave it out; without any it is kept."""

    candidate: Candidate
    features: Features | None
    codes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Measures:
    """How paragraphs are measured and chosen; ``vectors`` and ``alike`` are those that the meanings were made with.

    ``keep``: the share of the paragraphs of sound form to keep, in place of the thresholds.
    """

    tagger: Tagger = field(default_factory=TermLists)
    vectors: str = TF_IDF
    alike: float = ALIKE_WORDS
    keep: float | None = None
    thresholds: PassageThresholds = field(default_factory=PassageThresholds)


@dataclass(frozen=True, slots=True)
class PassageSummary:
    """Counts of paragraphs; ``new``: kept ones that the study did not have. ``rules`` and below: as measured."""

    texts: int
    paragraphs: int
    kept: int
    new: int
    rules: Mapping[str, RuleCount]
    density: float
    variance: float
    entropy: float
    keep: float | None
    entities: str
    vectors: str
    alike: float


def paragraphs_of(texts: Iterable[SourceText]) -> list[Candidate]:
    """The paragraphs of all texts; one whose text was there before has the code ``twice``."""
    found: list[Candidate] = []
    seen: set[str] = set()
    for text in texts:
        for one in candidates(text):
            passage_id = one.passage.passage_id
            found.append(replace(one, noise=(*one.noise, "twice")) if passage_id in seen else one)
            seen.add(passage_id)
    return found


def choose(
    every: Sequence[Candidate], measures: Measures, meanings: MeaningOf | None = None, progress: Progress = SILENT
) -> tuple[list[ChosenParagraph], PassageThresholds]:
    """Measure paragraphs and decide on each; the thresholds by which. ``meanings``: of embeddings, else by words."""
    measured = [one for one in every if one.is_measured]
    found = dict(zip(map(id, measured), densities(measured, measures.tagger, progress), strict=True))
    by_passage = by_words(measured, measures.alike, progress) if meanings is None else meanings

    def features(one: Candidate) -> Features | None:
        meaning = by_passage.get(one.passage.passage_id)
        return Features(found[id(one)], *meaning) if id(one) in found and meaning else None

    with_features = [(one, features(one)) for one in every]
    sound = [found for one, found in with_features if found and not one.noise]
    thresholds = measures.thresholds if measures.keep is None else thresholds_keeping(measures.keep, sound)
    return [
        ChosenParagraph(one, found, (*one.noise, *(thresholds.failed(found) if found else ())))
        for one, found in with_features
    ], thresholds


def summary_of(
    texts: int, chosen: Sequence[ChosenParagraph], measures: Measures, thresholds: PassageThresholds, new: int
) -> PassageSummary:
    """The counts of a choice."""
    return PassageSummary(
        texts=texts,
        paragraphs=len(chosen),
        kept=sum(not one.codes for one in chosen),
        new=new,
        rules=rule_counts(one.codes for one in chosen),
        density=thresholds.density,
        variance=thresholds.variance,
        entropy=thresholds.entropy,
        keep=measures.keep,
        entities=measures.tagger.name,
        vectors=measures.vectors,
        alike=measures.alike,
    )


def store(study: Study, chosen: Sequence[ChosenParagraph], measures: Measures, thresholds: PassageThresholds) -> int:
    """Store every paragraph's features, and the kept ones as passages; how many passages are new.

    Idempotent: the same choice again adds nothing.
    """
    run = {
        "entities": measures.tagger.name,
        "vectors": measures.vectors,
        "alike": measures.alike,
        "keep": measures.keep,
        "density": thresholds.density,
        "variance": thresholds.variance,
        "entropy": thresholds.entropy,
    }
    texts = sorted({one.candidate.source.text_sha256 for one in chosen})
    run_id = _run_id(study, texts, run)
    study.write(lambda db: insert(db, "passage_run", [{"passage_run_id": run_id, "at_utc": now(), **run}]))
    new = 0
    for at in range(0, len(chosen), _BATCH):
        batch = chosen[at : at + _BATCH]

        def change(connection: Any, batch: Sequence[ChosenParagraph] = batch) -> int:
            insert(connection, "passage_feature", [_row(run_id, one) for one in batch])
            kept = (one.candidate for one in batch if not one.codes)
            return sum(add_passages(connection, [one.passage], one.source.source) for one in kept)

        new += study.write(change)
    return new


def _run_id(study: Study, texts: Sequence[str], run: Mapping[str, Any]) -> str:
    """The id of the newest choice when it is this very one, else that of a further one: the newest holds."""
    rows = study.reader.execute("SELECT passage_run_id FROM passage_run ORDER BY rowid").fetchall()
    same = content_id("r", texts, run, len(rows) - 1)
    return same if rows and rows[-1]["passage_run_id"] == same else content_id("r", texts, run, len(rows))


def _row(run_id: str, one: ChosenParagraph) -> dict[str, Any]:
    candidate, features = one.candidate, one.features
    return {
        "passage_run_id": run_id,
        "source": candidate.source.source,
        "text_sha256": candidate.source.text_sha256,
        "start_cp": candidate.span.start,
        "end_cp": candidate.span.end,
        "passage_id": candidate.passage.passage_id,
        "beginning": " ".join(candidate.text[: 2 * _BEGINNING].split())[:_BEGINNING],
        "tokens": candidate.tokens,
        "sentences": len(candidate.sentences),
        "density": features.density if features else None,
        "variance": features.variance if features else None,
        "entropy": features.entropy if features else None,
        "codes": " ".join(one.codes),
    }
