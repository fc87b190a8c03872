"""Which model of meaning is used: the table ``[semantic]`` of ``medreview.toml``."""

from dataclasses import dataclass, field

from medreview.setting import about


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
