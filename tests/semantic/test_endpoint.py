"""Models of meaning behind an endpoint, asked over HTTP."""

import json
from math import exp

import numpy as np
import pytest

from medreview.errors import UserError
from medreview.llm.embeddings_and_reranking import Path
from medreview.llm.settings import JudgeSettings
from medreview.llm.store import CallStore
from medreview.llm.transport import TRIES
from medreview.semantic.configured import MOST_CHARACTERS, TEXTS_AT_ONCE, EndpointEncoder, EndpointScorer
from medreview.study import Study
from tests.support.embeddings_endpoint import Embeddings, embeds
from tests.support.http_server import Exchange, LocalServer, answer_json, hang_up, in_turn, together
from tests.support.study_builder import rows_of

PASSAGES = ["the lung", "the liver", "the heart"]


def encoder(server: Embeddings, **more) -> EndpointEncoder:
    return EndpointEncoder(server.settings(**more), backoff=0.01)


def scorer(server: LocalServer, path: Path = "rerank", base: str = "/v1") -> EndpointScorer:
    settings = JudgeSettings("ranker", model="r", base_url=server.base + base, timeout=60.0)
    return EndpointScorer(settings, path, backoff=0.01)


def by_length(entries: str, score: str, of: str = "documents"):
    """A reranker: minus the passage's length; the last passage first in its answer."""

    def play(exchange: Exchange) -> None:
        passages = json.loads(exchange.body)[of]
        scored = [{"index": at, score: -float(len(text))} for at, text in enumerate(passages)][::-1]
        answer_json({entries: scored} if entries else scored)(exchange)

    return play


def test_texts_are_sent_in_batches_and_their_vectors_come_back_in_order_and_of_length_1():
    texts = [f"{organ} {number}" for number in range(25) for organ in PASSAGES]
    with Embeddings(together(3, embeds)) as server:
        rows = encoder(server, concurrency=3).encode(texts)
    sizes = sorted(len(json.loads(request.body)["input"]) for request in server.received)

    assert sizes == [len(texts) - 2 * TEXTS_AT_ONCE, TEXTS_AT_ONCE, TEXTS_AT_ONCE]
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1)
    assert rows.argmax(axis=1).tolist() == [3, 1, 2] * 25, "the lung, the liver, the heart"


def test_of_a_long_text_the_beginning_is_sent_and_of_no_text_nothing():
    with Embeddings() as server:
        asked = encoder(server)
        assert asked.encode([]).shape == (0, 0)
        asked.encode(["lung" * 1000, "half \ud800"])
        (sent,) = [json.loads(one.body)["input"] for one in server.received]
        assert sent == ["lung" * (MOST_CHARACTERS // 4), "half \ufffd"]
        assert asked.name == f"e at {server.name}"


def test_a_busy_server_is_asked_again_and_one_that_refuses_is_not():
    with Embeddings(in_turn(answer_json({}, status=503), hang_up, embeds)) as server:
        assert len(encoder(server).encode(["lung"])) == 1
        assert len(server.received) == 3
    refused = answer_json({"error": {"message": "no such model"}}, status=404)
    with Embeddings(refused) as server, pytest.raises(UserError, match=r"gives no embeddings: .*404: no such"):
        encoder(server).encode(["lung"] * 5 * TEXTS_AT_ONCE)
    assert len(server.received) == 1, "what waited was not sent"


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ([{"index": 0, "embedding": [1.0, float("nan")]}, {"index": 1, "embedding": [1.0, 1.0]}], "as many vectors as"),
        ([{"index": 0, "embedding": [1.0]}, {"index": 0, "embedding": [1.0]}], "as many vectors as texts"),
        ([{"index": 0, "embedding": [1.0]}, {"embedding": [1.0]}], "as many vectors as texts"),
        ([{"index": 0, "embedding": [1.0]}], "as many vectors as texts"),
        ([{"index": 0, "embedding": [0.0]}, {"index": 1, "embedding": [1.0]}], "a vector without a direction"),
    ],
)
def test_vectors_that_cannot_be_compared_are_refused_in_one_sentence(data, why):
    with Embeddings(answer_json({"data": data})) as server, pytest.raises(UserError, match=why):
        encoder(server).encode(["lung", "liver"])


def test_vectors_of_another_size_than_before_are_of_another_model():
    replies = [answer_json({"data": [{"index": 0, "embedding": [1.0] * size}]}) for size in (2, 3)]
    with Embeddings(in_turn(*replies)) as server:
        asked = encoder(server)
        asked.encode(["lung"])
        with pytest.raises(UserError, match=r"different sizes \(2, 3\).*ask one model"):
            asked.encode(["lung"])


def test_with_a_study_each_request_is_in_its_ledger(tmp_path):
    with Study.create(tmp_path / "s.medreview") as study, Embeddings() as server:
        EndpointEncoder(server.settings(price_input=2.0), CallStore(study)).encode(["lung"])
        (call,) = rows_of(study, "SELECT task, model, host, status, prompt_tokens, cost FROM llm_call")

    assert tuple(call.values()) == ("embeddings", "e", server.name, "ok", 30, 60 / 1e6)


def test_without_a_connection_nothing_was_sent_and_nothing_is_lost(tmp_path):
    with Study.create(tmp_path / "s.medreview") as study, Embeddings() as server:
        server.close()
        with pytest.raises(UserError, match="cannot be reached"):
            EndpointEncoder(server.settings(), CallStore(study), backoff=0.001).encode(["lung"])
        (sent,) = rows_of(study, "SELECT sent, kept, declined FROM llm_sent")

    assert tuple(sent.values()) == (TRIES, 0, TRIES)


@pytest.mark.parametrize(
    ("path", "base", "play"),
    [
        ("rerank", "/v1", by_length("results", "relevance_score")),
        ("score", "/v1", by_length("data", "score", "text_2")),
    ],
)
def test_scores_come_in_the_order_of_the_passages_and_log_odds_become_shares(path, base, play):
    with LocalServer() as server:
        server.routes[f"{base}/{path}"] = play
        found = scorer(server, path, base).score("The lung.", PASSAGES)

    assert found == pytest.approx([1 / (1 + exp(len(text))) for text in PASSAGES])
    assert "The lung." in json.loads(server.received[-1].body).values()


def test_a_server_that_wants_texts_gets_them_from_then_on():
    def inference(exchange: Exchange) -> None:
        if "texts" not in json.loads(exchange.body):
            return answer_json("Failed to deserialize the JSON body: missing field `texts`", status=422)(exchange)
        return by_length("", "score", "texts")(exchange)

    with LocalServer(inference) as server:
        asked = scorer(server, base="")
        first, second = asked.score("The lung.", PASSAGES), asked.score("The lung.", PASSAGES)

    assert first == second
    assert server.paths() == ["/rerank"] * 4, "refused, the pair that tells the scale, and one request a statement"


def test_shares_are_taken_as_they_are():
    given = [{"index": at, "relevance_score": score} for at, score in enumerate((0.25, 1.0))]
    with LocalServer(answer_json({"results": given})) as server:
        assert scorer(server).score("The lung.", PASSAGES[:2]) == [0.25, 1.0]


@pytest.mark.parametrize("body", [{"results": []}, [1, 2], {"data": [{"index": 0, "score": None}] * 2}, "no"])
def test_what_are_no_scores_is_said(body):
    with LocalServer(answer_json(body)) as server, pytest.raises(UserError, match="gives no scores: The answer holds"):
        scorer(server).score("The lung.", PASSAGES[:2])
