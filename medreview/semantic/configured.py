"""The settings of the table ``[semantic]``, the model of meaning that they ask for, and what it costs to ask it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from medreview.errors import UserError
from medreview.llm.settings import JudgeSettings, choose
from medreview.llm.store import CallStore
from medreview.semantic.similarity import Encoder, Scorer
from medreview.setting import about
from medreview.text import counted


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


SECONDS_A_TEXT: Final = 0.012
"""Of the packaged encoder, of a passage of 25 words, on two cores of 2020."""
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
    if not settings.model:
        raise UserError(
            f"In [semantic], encoder = {settings.encoder!r} needs `model`, the name of a table [models.NAME] that says "
            "where the model is."
        )
    return choose(models, [settings.model], "model")[0]


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
    from medreview.semantic.endpoint import EndpointEncoder, EndpointScorer

    if settings.encoder == "endpoint":
        return EndpointEncoder(endpoint, store)
    return EndpointScorer(endpoint, "score" if settings.encoder == "score" else "rerank", store)


def cost(texts: int, characters: int, endpoint: JudgeSettings | None) -> str:
    """What it costs to ask about so many texts, said before: time on this machine, or tokens and their price."""
    what = counted(texts, "text")
    if endpoint is None:
        seconds = texts * SECONDS_A_TEXT
        time = counted(round(seconds / 60), "minute") if seconds >= 90 else counted(max(1, round(seconds)), "second")
        return f"{what} to encode on this machine: about {time}."
    tokens = -(-min(characters, texts * _READ) // CHARACTERS_A_TOKEN)
    price = "" if endpoint.price_input is None else f", about {tokens * endpoint.price_input / 1_000_000:.2f}"
    return f"{what} to send, about {tokens:,} tokens{price}."
