"""What the embeddings of an endpoint tell of passages; each passage is one request, and is never asked about again."""

import asyncio
from collections.abc import Sequence

import numpy as np

from medreview.errors import UserError
from medreview.event_loop import run_to_end
from medreview.generators.passages.candidates import Candidate, Meaning
from medreview.generators.passages.features import coherence_variance, semantic_entropy
from medreview.generators.passages.vectors import of_length_one
from medreview.llm.cost_estimate import tokens_of
from medreview.llm.embeddings import Embedder
from medreview.llm.settings import JudgeSettings, model_at_host
from medreview.llm.store import CallStore
from medreview.progress import SILENT, Progress
from medreview.study import Study
from medreview.study.rows import insert


def waiting(study: Study, every: Sequence[Candidate], settings: JudgeSettings, alike: float) -> list[Candidate]:
    """The paragraphs of sound form that the model was not asked about yet: what noise leaves out is not paid for."""
    known = _known(study, settings, alike)
    return [one for one in every if not one.noise and one.passage.passage_id not in known]


def tokens_to_pay(every: Sequence[Candidate]) -> int:
    """An upper bound of the tokens in their sentences."""
    return sum(tokens_of(sentence) for one in every for sentence in one.sentences)


def by_embeddings(
    study: Study, every: Sequence[Candidate], settings: JudgeSettings, alike: float, progress: Progress = SILENT
) -> dict[str, Meaning]:
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


def _known(study: Study, settings: JudgeSettings, alike: float) -> dict[str, Meaning]:
    rows = study.reader.execute(
        "SELECT passage_id, variance, entropy FROM passage_measure WHERE vectors = ? AND alike = ?",
        (model_at_host(settings), alike),
    )
    return {passage_id: Meaning(variance, entropy) for passage_id, variance, entropy in rows}
