"""An OpenAI-compatible endpoint of embeddings on this machine."""

import json
from typing import Any
from zlib import crc32

from medreview.llm.settings import JudgeSettings
from medreview.pipeline import Meaning
from medreview.semantic.configured import SemanticSettings
from tests.support.http_server import Exchange, LocalServer, Route, answer_json


def embeds(exchange: Exchange) -> None:
    """Vectors by the words for an organ that a sentence has, in another order than asked."""
    texts = json.loads(exchange.body)["input"]
    organs = ("kidney", "liver", "heart", "lung")
    vectors = [[1.0 + 9 * (organ in text) for organ in organs] for text in texts]
    data = [{"object": "embedding", "index": at, "embedding": vector} for at, vector in enumerate(vectors)]
    answer_json({"object": "list", "data": data[::-1], "model": "m", "usage": {"prompt_tokens": 30}})(exchange)


def letters(exchange: Exchange) -> None:
    """Vectors by the groups of three letters that a text has: like texts have like vectors."""
    vectors = []
    for text in json.loads(exchange.body)["input"]:
        vector = [0.01] * 64
        for at in range(len(text) - 2):
            vector[crc32(text[at : at + 3].lower().encode()) % 64] += 1
        vectors.append({"object": "embedding", "index": len(vectors), "embedding": vector})
    answer_json({"object": "list", "data": vectors, "model": "m", "usage": {"prompt_tokens": 30}})(exchange)


class Embeddings(LocalServer):
    """A server with /v1/embeddings that a test decides."""

    def __init__(self, play: Route = embeds) -> None:
        super().__init__(keep_alive=True)
        self.otherwise = play

    def settings(self, **more: Any) -> JudgeSettings:
        """The settings of a model that is asked here."""
        fields = {"model": "e", "base_url": f"{self.base}/v1", "timeout": 5.0, "concurrency": 1, **more}
        return JudgeSettings("embedder", **fields)


def meaning(server: Embeddings, **more: str) -> Meaning:
    """An encoder at this endpoint, to be asked."""
    return Meaning(SemanticSettings("endpoint", "embedder"), server.settings(role="model", **more))
