"""Choosing passages from texts: every paragraph measured, by rules kept or left out, and all of it stored."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from medreview.generators.passages.candidates import Candidate, MeaningOf, by_words, candidates, densities
from medreview.generators.passages.counts import RuleCount, rule_counts
from medreview.generators.passages.entities import Tagger, TermLists
from medreview.generators.passages.features import Features
from medreview.generators.passages.selection import Thresholds, thresholds_keeping
from medreview.generators.passages.vectors import TF_IDF
from medreview.generators.source_texts import SourceText
from medreview.progress import SILENT, Progress
from medreview.study import Study
from medreview.study.ids import content_id
from medreview.study.rows import insert
from medreview.units.stored import add_passages, now

ALIKE_WORDS: Final = 0.1
"""The cosine of TF-IDF above which two sentences are of one cluster. Cosines of words are far below those of
embeddings: at .5 hardly two sentences are alike, and every passage of three has more entropy than 1.0 (ln 3 is 1.1)."""
ALIKE_EMBEDDED: Final = 0.5
"""The same of embeddings."""
_BEGINNING: Final = 80
"""Characters of a paragraph that are stored of one that is left out."""
_BATCH: Final = 1_000


@dataclass(frozen=True, slots=True)
class Chosen:
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
    thresholds: Thresholds = field(default_factory=Thresholds)


@dataclass(frozen=True, slots=True)
class PassageSummary:
    """Counts of paragraphs; ``new``: kept ones that the study did not have. What follows is as they were measured."""

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
) -> tuple[list[Chosen], Thresholds]:
    """Measure paragraphs and decide on each; the thresholds by which. ``meanings``: of embeddings, else by words."""
    measured = [one for one in every if one.is_measured]
    found = dict(zip(map(id, measured), densities(measured, measures.tagger, progress), strict=True))
    told = by_words(measured, measures.alike, progress) if meanings is None else meanings

    def features(one: Candidate) -> Features | None:
        meaning = told.get(one.passage.passage_id)
        return Features(found[id(one)], *meaning) if id(one) in found and meaning else None

    with_features = [(one, features(one)) for one in every]
    sound = [found for one, found in with_features if found and not one.noise]
    thresholds = measures.thresholds if measures.keep is None else thresholds_keeping(measures.keep, sound)
    return [
        Chosen(one, found, (*one.noise, *(thresholds.failed(found) if found else ()))) for one, found in with_features
    ], thresholds


def summary_of(
    texts: int, chosen: Sequence[Chosen], measures: Measures, thresholds: Thresholds, new: int
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


def store(study: Study, chosen: Sequence[Chosen], measures: Measures, thresholds: Thresholds) -> int:
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

        def change(connection: Any, batch: Sequence[Chosen] = batch) -> int:
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


def _row(run_id: str, one: Chosen) -> dict[str, Any]:
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
