"""A server of entailment on this machine, in the four forms that servers have: a negation contradicts."""

import json
import math
from typing import Any, Final

from medreview.llm.settings import JudgeSettings
from tests.support.http_server import Exchange, LocalServer, answer_json
from tests.support.judge_endpoint import completion

SURE: Final = 0.91
"""How sure it is of what it says."""


def says(passage: str, statement: str) -> str:
    """What it makes of a pair: the opposite where one of both has a "not", support where both begin with one word."""
    if ("not" in passage.split()) != ("not" in statement.split()):
        return "contradiction"
    return "entailment" if passage.split()[:1] == statement.split()[:1] else "neutral"


def shares(passage: str, statement: str) -> dict[str, float]:
    """A share for each label."""
    said = says(passage, statement)
    rest = (1 - SURE) / 2
    return {label: SURE if label == said else rest for label in ("contradiction", "entailment", "neutral")}


def predicts(exchange: Exchange) -> None:
    """``/predict`` of text-embeddings-inference: labels by their scores."""
    pairs = json.loads(exchange.body)["inputs"]
    told = [[{"label": label, "score": score} for label, score in shares(*pair).items()] for pair in pairs]
    answer_json(told)(exchange)


def scores(exchange: Exchange) -> None:
    """``/score`` of vLLM: the share of a contradiction."""
    body = json.loads(exchange.body)
    data = [
        {"index": at, "object": "score", "score": shares(*pair)["contradiction"]}
        for at, pair in enumerate(zip(body["text_1"], body["text_2"], strict=True))
    ]
    answer_json({"object": "list", "data": data})(exchange)


def reranks(exchange: Exchange) -> None:
    """``/rerank``: the same, best first."""
    body = json.loads(exchange.body)
    found = [
        {"index": at, "relevance_score": shares(passage, body["query"])["contradiction"]}
        for at, passage in enumerate(body["documents"])
    ]
    answer_json({"results": sorted(found, key=lambda one: -one["relevance_score"])})(exchange)


def completes(exchange: Exchange) -> None:
    """``/chat/completions`` with log probabilities of the label's first token, where they are asked for."""
    body = json.loads(exchange.body)
    lines = body["messages"][0]["content"].splitlines()
    texts = [lines[at + 1] for at, line in enumerate(lines) if line.startswith("<<<") and not line.startswith("<<<end")]
    words = {"contradiction": "contradicted", "entailment": "supported", "neutral": "neither"}
    told = {words[label]: share for label, share in shares(*texts).items()}
    label = max(told, key=lambda word: told[word])
    data = completion(json.dumps({"label": label}))
    if body.get("logprobs"):
        listed = [{"token": word, "logprob": math.log(share)} for word, share in told.items()]
        content: list[dict[str, Any]] = [{"token": '{"label": "', "logprob": 0.0, "top_logprobs": []}]
        content.append({"token": label, "logprob": math.log(told[label]), "top_logprobs": listed})
        content.append({"token": '"}', "logprob": 0.0, "top_logprobs": []})
        data["choices"][0]["logprobs"] = {"content": content}
    answer_json(data)(exchange)


PATHS: Final = {
    "predict": ("/predict", predicts),
    "score": ("/v1/score", scores),
    "rerank": ("/v1/rerank", reranks),
    "chat": ("/v1/chat/completions", completes),
}
"""By the way it is asked: the path and what is answered there."""


class EntailmentEndpoint(LocalServer):
    """A server with all four paths."""

    def __init__(self) -> None:
        super().__init__(keep_alive=True)
        self.routes = dict(PATHS.values())

    def settings(self, way: str, **more: Any) -> JudgeSettings:
        """The settings of the model that is asked here in this way."""
        base = self.base + PATHS[way][0].removesuffix("/chat/completions").removesuffix(f"/{way}")
        return JudgeSettings("nli", **{"model": "n", "base_url": base, "timeout": 5.0, "role": "model", **more})
