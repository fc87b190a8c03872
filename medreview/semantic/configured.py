"""The settings of ``[semantic]``, the model of meaning that they ask for, those behind an address, and their cost."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import exp
from typing import TYPE_CHECKING, Final

from medreview.errors import UserError
from medreview.event_loop import run_to_end
from medreview.llm.embeddings_and_reranking import Embedder, Path, Reranker, Vectors
from medreview.llm.settings import JudgeSettings, choose, model_at_host
from medreview.llm.store import CallStore
from medreview.semantic.similarity import Encoder, Scorer
from medreview.setting import about
from medreview.storable import storable_text
from medreview.text import counted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class SemanticSettings:
    """Off unless ``encoder`` is set."""

    encoder: str = field(
        default="",
        metadata=about(
            "The model of meaning that helps to order the queue.",
            more="`minilm` computes on this machine. The others ask `model`: "
            "`endpoint` its /embeddings, `rerank` its /rerank, `score` its /score.",
            unset="none",
            choices=("", "minilm", "endpoint", "rerank", "score"),
            guarded=True,
        ),
    )
    model: str = field(
        default="",
        metadata=about(
            "For an endpoint, the name of its table `[models.NAME]`.", unset="none", example="embedder", guarded=True
        ),
    )
    entailment: str = field(
        default="",
        metadata=about(
            "How a model is asked whether a passage supports or contradicts a statement, beside `encoder` or alone.",
            more="`chat`: its /chat/completions, by the log probabilities of its words. `predict`: the labels of its "
            "/predict. `score`, `rerank`: one number, which must stand for a contradiction.",
            unset="none",
            choices=("", "chat", "predict", "score", "rerank"),
            example="chat",
            guarded=True,
        ),
    )
    entailment_model: str = field(
        default="",
        metadata=about("The name of that model's table `[models.NAME]`.", unset="none", example="nli", guarded=True),
    )
    entailment_orders: bool = field(
        default=True,
        metadata=about(
            "Let what it says order triage before you have labels; `false`: only your labels weigh it.",
            example="false",
        ),
    )


SECONDS_A_TEXT: Final = 0.012
"""Of the packaged encoder, of a passage of 25 words, on two cores of 2020."""
BYTES_A_CHARACTER: Final = 50
"""Of the vectors that the packaged encoder gives the words of a text, as they are stored: 300 kB for 1,000 words."""
CHARACTERS_A_TOKEN: Final = 4
"""Of English prose."""
_READ: Final = 1_200
"""Characters of a text that count for the cost, at most: more is not read."""


def endpoint_of(settings: SemanticSettings, models: Mapping[str, JudgeSettings]) -> JudgeSettings | None:
    """The endpoint that texts go to; ``None`` when they stay here or no model is used.

    Raises ``UserError`` when the settings name none of the models.
    """
    if settings.encoder in ("", "minilm"):
        return None
    return _named(models, settings.model, f"encoder = {settings.encoder!r} needs `model`")


def entailment_of(settings: SemanticSettings, models: Mapping[str, JudgeSettings]) -> JudgeSettings | None:
    """The same for the model of entailment."""
    if not settings.entailment:
        return None
    return _named(models, settings.entailment_model, f"entailment = {settings.entailment!r} needs `entailment_model`")


def _named(models: Mapping[str, JudgeSettings], name: str, needs: str) -> JudgeSettings:
    if not name:
        raise UserError(f"In [semantic], {needs}, the name of a table [models.NAME] that says where the model is.")
    return choose(models, [name], "model")[0]


def configured_encoder(
    settings: SemanticSettings, models: Mapping[str, JudgeSettings], store: CallStore | None = None
) -> Encoder | Scorer:
    """The model of the settings; ``store`` is the study's ledger of calls, for an endpoint.

    Raises ``UserError`` that says what to install or what to set. Nothing is loaded or sent before it is asked.
    """
    endpoint = endpoint_of(settings, models)
    if endpoint is None:
        if not settings.encoder:
            raise UserError('No model of meaning is set: put encoder = "minilm" under [semantic] in medreview.toml.')
        from medreview.semantic.minilm import MiniLM

        return MiniLM()

    if settings.encoder == "endpoint":
        return EndpointEncoder(endpoint, store)
    return EndpointScorer(endpoint, "score" if settings.encoder == "score" else "rerank", store)


def cost(texts: int, characters: int, endpoint: JudgeSettings | None) -> str:
    """What it costs to ask about so many texts, said before: time and room on this machine, or tokens and their
    price."""
    what = counted(texts, "text")
    if endpoint is None:
        seconds = texts * SECONDS_A_TEXT
        time = counted(round(seconds / 60), "minute") if seconds >= 90 else counted(max(1, round(seconds)), "second")
        room = max(1, round(min(characters, texts * _READ) * BYTES_A_CHARACTER / 1_000_000))
        return f"{what} to encode on this machine: about {time}, and {room:,} MB of the study."
    tokens = -(-min(characters, texts * _READ) // CHARACTERS_A_TOKEN)
    price = "" if endpoint.price_input is None else f", about {tokens * endpoint.price_input / 1_000_000:.2f}"
    return f"{what} to send, about {tokens:,} tokens{price}."


TEXTS_AT_ONCE: Final = 32
"""In one request."""
MOST_CHARACTERS: Final = 1_500
"""Of a text that are sent: many of these models read 512 word pieces, and their servers refuse what is longer."""
_PROBE: Final = ("Metformin lowers blood glucose.", ("Metformin lowers blood glucose.", "The library opens at nine."))
"""A statement with itself and with another subject: of these a model that gives log odds gives one outside 0 to 1."""


class EndpointEncoder:
    """An ``Encoder``: a model with ``/embeddings`` (llama.cpp, Ollama, vLLM, text-embeddings-inference, OpenAI).

    ``store`` is the ledger of calls of a study, if there is one.
    """

    def __init__(self, settings: JudgeSettings, store: CallStore | None = None, *, backoff: float = 0.5) -> None:
        self.name = model_at_host(settings)
        self._settings = settings
        self._store = store
        self._backoff = backoff
        self._size = 0

    def encode(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """One row of length 1 for each text; of a long one the beginning.

        Raises ``UserError`` when the server gives no vectors, one without a direction, or vectors of another size than
        before.
        """
        import numpy as np

        batches = [texts[at : at + TEXTS_AT_ONCE] for at in range(0, len(texts), TEXTS_AT_ONCE)]
        vectors = [vector for found in run_to_end(self._asked(batches)) for vector in found]
        sizes = {len(vector) for vector in vectors} | ({self._size} if self._size else set())
        if len(sizes) > 1:
            raise UserError(
                f"{self.name} gives vectors of different sizes ({', '.join(map(str, sorted(sizes)))}): another model "
                "answers there now and then; ask one model."
            )
        self._size = max(sizes, default=0)
        rows = np.array(vectors, dtype=np.float64).reshape(len(texts), self._size)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        if not np.isfinite(lengths).all() or not lengths.all():
            raise UserError(f"{self.name} gives a vector without a direction, with which nothing can be compared.")
        rows /= lengths
        return rows.astype(np.float32)

    async def _asked(self, batches: Sequence[Sequence[str]]) -> list[Vectors]:
        """The vectors of each batch. The first failure sends no more, waits for the paid requests in flight, and is
        raised."""
        slots = asyncio.Semaphore(self._settings.concurrency)
        failed: list[UserError] = []
        async with Embedder(self._settings, self._store, backoff=self._backoff) as embedder:

            async def one(batch: Sequence[str]) -> Vectors:
                async with slots:
                    try:
                        return () if failed else await embedder.embed([as_sent(text) for text in batch])
                    except UserError as error:
                        failed.append(error)
                        return ()

            found = await asyncio.gather(*map(one, batches))
        if failed:
            raise failed[0]
        return found


class EndpointScorer:
    """A ``Scorer``: a model with ``/rerank`` or ``/score``.

    Servers differ in what they give: a share, or log odds. Once, with the first statement, the model scores a sentence
    with itself and with one on another subject: if either score is below 0 or above 1, all its scores are taken for log
    odds, and ``1 / (1 + exp(-x))`` is what is used of them. A share is used as it is, held within 0 to 1.
    """

    def __init__(
        self,
        settings: JudgeSettings,
        path: Path,
        store: CallStore | None = None,
        *,
        passage_first: bool = False,
        backoff: float = 0.5,
    ) -> None:
        self.name = model_at_host(settings)
        self._reranker = Reranker(settings, store, path, passage_first=passage_first, backoff=backoff)
        self._is_log_odds: bool | None = None

    def score(self, statement: str, passages: Sequence[str]) -> list[float]:
        """A number from 0 to 1 for each passage. Raises ``UserError`` when the server gives none."""
        return run_to_end(self._scored(statement, passages))

    async def _scored(self, statement: str, passages: Sequence[str]) -> list[float]:
        async with self._reranker as reranker:
            if self._is_log_odds is None:
                self._is_log_odds = any(not 0 <= score <= 1 for score in await reranker.score(*_PROBE))
            found = await reranker.score(as_sent(statement), [as_sent(text) for text in passages])
        return [_share(score) if self._is_log_odds else min(max(score, 0.0), 1.0) for score in found]


def as_sent(text: str) -> str:
    """A text as it is sent: of a long one the beginning."""
    return storable_text(text[:MOST_CHARACTERS])


def _share(log_odds: float) -> float:
    return 1 / (1 + exp(-min(max(log_odds, -50.0), 50.0)))
