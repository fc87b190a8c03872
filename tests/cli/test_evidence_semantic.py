"""`evidence --jsonl --semantic`: the filter with a model of meaning."""

import json

from medreview.semantic import minilm
from tests.support.embeddings_endpoint import Embeddings
from tests.support.http_server import Exchange, answer_json
from tests.support.packaged_encoder import needs_packaged_encoder

pytestmark = needs_packaged_encoder

SOURCE = "The trial enrolled 400 adults. Participants came from three countries. The library was closed."


def reranks(exchange: Exchange) -> None:
    """What is about adults is as near as can be, and nothing else is near."""
    scores = [float("adults" in passage) for passage in json.loads(exchange.body)["documents"]]
    answer_json({"results": [{"index": at, "relevance_score": score} for at, score in enumerate(scores)]})(exchange)


def case(name: str, statement: str, source: str = SOURCE) -> str:
    return json.dumps({"id": name, "statement": statement, "source_text": source})


def test_only_the_score_differs_from_that_of_the_rules_and_every_line_is_answered_in_order(medreview):
    statements = [
        "Volunteers lived all over the globe [1].",
        "Prices soared all over the globe.",
        "",
        "400 adults took part.",
    ]
    lines = [case(str(number), statement) for number, statement in enumerate(statements)]
    lines[2:2] = ["{", "", json.dumps({"id": "q", "quote": "400 adults", "source_text": SOURCE})]
    given = "\ufeff" + "\n".join(lines)
    rules, meaning = (
        [json.loads(line) for line in medreview("evidence", "--jsonl", *more, input=given).stdout.splitlines()]
        for more in ([], ["--semantic"])
    )
    scores = {answer["id"]: (answer.pop("unsupported", None), other.pop("unsupported", None)) for answer, other in
              zip(meaning, rules, strict=True)}  # fmt: skip

    assert meaning == rules
    assert list(scores) == ["0", "1", None, "q", "2", "3"]
    assert scores["0"][0] < scores["1"][0], "a paraphrase comes after another subject"
    assert scores["2"][0] == scores["2"][1], "of an empty statement no model is asked"


def test_what_is_no_text_for_a_model_spoils_no_run(medreview):
    lines = [case("a", "400 \ud800 adults", "\udfff \0 400 adults."), case("b", "[1]"), case("c", "...", "!!!")]
    told = medreview("evidence", "--jsonl", "--semantic", input="\n".join(lines)).stdout

    assert [0 <= json.loads(line)["unsupported"] <= 1 for line in told.splitlines()] == [True] * 3


def test_a_line_is_answered_while_the_next_is_awaited(medreview):
    with medreview.start("evidence", "--jsonl", "--semantic") as process:
        for name in ("a", "b"):
            process.stdin.write(case(name, "400 adults took part.") + "\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["id"] == name
        process.stdin.close()
        assert process.stdout.read() == ""


def test_an_endpoint_of_the_settings_is_asked_and_where_texts_go_is_said(medreview, tmp_path):
    with Embeddings() as server:
        (tmp_path / "medreview.toml").write_text(
            f'[semantic]\nencoder = "rerank"\nmodel = "r"\n[models.r]\nmodel = "m"\nbase_url = "{server.base}/v1"\n'
        )
        server.otherwise = reranks
        medreview("config", "trust", "medreview.toml", "--yes")
        statement = "Volunteers lived all over the globe [1]."
        cases = [case("near", statement), case("far", statement, "The library was closed.")]
        done = medreview("evidence", "--jsonl", "--semantic", input="\n".join(cases))
    near, far = map(json.loads, done.stdout.splitlines())
    asked = [json.loads(request.body) for request in server.received]

    assert set(server.paths()) == {"/v1/rerank"}
    assert asked[-1]["query"].split() == [*["Volunteers", "lived", "all", "over", "the", "globe"], "."]
    assert asked[-1]["documents"] == ["The library was closed."]
    assert f"r: m at {server.name}, on this machine" in done.stderr
    assert near["unsupported"] < far["unsupported"]


def test_without_the_extra_it_is_said_what_to_install(medreview, monkeypatch):
    monkeypatch.setattr(minilm, "DISTRIBUTION", "no-such-distribution")
    done = medreview("evidence", "--jsonl", "--semantic", input=case("a", "400 adults took part."), check=2)

    assert done.stdout == ""
    assert done.stderr == f"medreview: The packaged encoder is not installed: {minilm.EXTRA}\n"
