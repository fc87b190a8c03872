"""Models of entailment behind an address: what each kind of server is asked, what is made of it, and where it shows."""

import json
from pathlib import Path

import pytest

from medreview import pipeline
from medreview.errors import UserError
from medreview.evidence.assess import assess
from medreview.evidence.passage_ranking import SourceIndex
from medreview.evidence.sign_names import OF_MODELS, SIGNS
from medreview.judges import semantic_stage
from medreview.judges.entailment import EntailmentByChat, EntailmentByLabel, configured_entailment
from medreview.judges.runs import entailment_in, joined_name
from medreview.llm.store import CallStore
from medreview.pipeline import Meaning
from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.semantic.configured import SemanticSettings, entailment_of
from medreview.semantic.similarity import Entailed, Nearness, blend
from medreview.study import Study
from medreview.study.check import check
from tests.judges.renal_study import ANSWER, QUESTION, RENAL, STATEMENTS, VITAMIN, fill
from tests.support.commands import Program, own_settings
from tests.support.entailment_endpoint import PATHS, SURE, EntailmentEndpoint, completes, predicts
from tests.support.http_server import Exchange, Route, answer, answer_json, hang, hang_up, in_turn
from tests.support.judge_endpoint import completion
from tests.support.study_builder import rows_of

DENIES = ("Metformin is safe.", ["Metformin is not safe.", "The library is closed."])
STATES = ("Metformin is safe.", ["Metformin is safe for most.", "The library is closed."])
BY = {way: SemanticSettings(entailment=way, entailment_model="nli") for way in PATHS}


@pytest.mark.parametrize("way", PATHS)
def test_each_kind_of_server_is_asked_in_its_words_and_its_numbers_are_read(way: str) -> None:
    with EntailmentEndpoint() as server:
        model = configured_entailment(BY[way], server.settings(way), key="secret")
        denied, stated = model.entail([DENIES, STATES])
        bodies = [json.loads(request.body) for request in server.received]

    assert set(server.paths()) == {PATHS[way][0]}
    assert model.name == f"n at {server.name}"
    assert denied.contradicts == pytest.approx(SURE)
    assert stated.contradicts is not None
    assert stated.contradicts < 0.1
    if way in ("predict", "chat"):
        assert stated.supports == pytest.approx(SURE)
        assert denied.supports is not None
        assert denied.supports < 0.1
    else:
        assert (stated.supports, denied.supports) == (None, None), "one number says one thing"
    if way == "predict":
        pairs = [pair for body in bodies for pair in body["inputs"]]
        assert ["Metformin is safe for most.", "Metformin is safe."] in pairs, "the passage first"
    if way == "score":
        assert bodies[-1]["text_2"] == ["Metformin is safe."] * 2
    if way == "chat":
        assert {(body["logprobs"], body["top_logprobs"]) for body in bodies} == {(True, 5)}


LISTED = [{"label": "LABEL_0", "score": 0.5}, {"label": "LABEL_1", "score": 0.5}]


@pytest.mark.parametrize(
    ("way", "play", "why"),
    [
        ("predict", hang_up, "Model 'nli' gives no labels: "),
        ("predict", answer_json([[{"label": "contradiction", "score": float("nan")}]] * 2), "each with a score from 0"),
        ("predict", answer_json([[{"label": "contradiction", "score": 1.5}]] * 2), "each with a score from 0 to 1"),
        ("predict", answer_json([[{"label": "contradiction", "score": 0.5}]]), "for each pair of texts"),
        ("predict", answer_json({"labels": []}), "for each pair of texts"),
        ("predict", answer(b"<html>", status=200), "for each pair of texts"),
        ("predict", answer_json([LISTED, LISTED]), "are LABEL_0, LABEL_1: none of them says what it is"),
        ("predict", answer_json({"error": "Model is not a classifier"}, status=424), "Model is not a classifier"),
        ("score", answer_json({"data": [{"index": 0, "score": None}]}), "gives no scores: The answer holds"),
        ("rerank", answer_json({"results": [{"index": 0, "relevance_score": float("inf")}]}), "gives no scores"),
        ("chat", answer_json(completion('{"label": "supported"}')), "gives no log probabilities of its words"),
        ("chat", answer_json({"error": {"message": "no such model"}}, status=404), "no such model"),
        ("chat", hang, "There was no whole answer within 0.2 seconds"),
    ],
)
def test_what_cannot_be_used_is_said_in_a_sentence(way: str, play: Route, why: str) -> None:
    with EntailmentEndpoint() as server:
        server.routes[PATHS[way][0]] = play
        settings = server.settings(way, timeout=0.2 if play is hang else 5.0)
        kinds = {"predict": EntailmentByLabel, "chat": EntailmentByChat}
        model = kinds[way](settings, backoff=0.01) if way in kinds else configured_entailment(BY[way], settings)
        with pytest.raises(UserError, match=why):
            model.entail([DENIES])


def test_after_a_failure_nothing_more_is_sent_and_an_answer_that_cannot_be_read_says_nothing() -> None:
    with EntailmentEndpoint() as server:
        server.routes["/v1/chat/completions"] = answer_json(completion('{"label": "supported"}'))
        with pytest.raises(UserError, match="no log probabilities"):
            EntailmentByChat(server.settings("chat", concurrency=1)).entail([(str(at), ["a"]) for at in range(9)])
        assert len(server.received) == 1
        server.routes["/v1/chat/completions"] = answer_json(completion("I cannot say."))
        assert EntailmentByChat(server.settings("chat")).entail([DENIES]) == [Entailed()]


def test_two_labels_say_support_alone() -> None:
    two = [[{"label": "not_entailment", "score": 0.2}, {"label": "entailment", "score": 0.8}]] * 2
    with EntailmentEndpoint() as server:
        server.routes["/predict"] = answer_json(two)
        assert EntailmentByLabel(server.settings("predict")).entail([STATES]) == [Entailed(supports=0.8)]


def test_a_contradiction_weighs_as_a_clash_does_and_support_as_nearness() -> None:
    source = "Start with 500 mg of metformin twice daily."
    clashing, fits = (assess(f"Start with {mg} mg of metformin.", SourceIndex(source)) for mg in (850, 500))
    near = Nearness(0.8, 0.8)

    assert (
        blend(fits, near, Entailed(contradicts=1.0)) > blend(fits, near, Entailed(contradicts=0.5)) > blend(fits, near)
    )
    assert blend(clashing, near, Entailed(contradicts=1.0)) == blend(clashing, near), "nothing beside a clash"
    assert blend(fits, None, Entailed(contradicts=1.0)) > fits.unsupported
    assert blend(fits, None, Entailed(contradicts=0.0)) == pytest.approx(fits.unsupported)
    assert blend(fits, None, Entailed(0.9, 0.1)) < blend(fits, None, Entailed(0.1, 0.1))


def test_a_name_tells_both_models() -> None:
    assert joined_name("e 1", "n at h") == "e 1; entailment n at h"
    assert joined_name("", "n at h") == "entailment n at h"
    assert [entailment_in(name) for name in ("e 1; entailment n at h", "entailment n at h", "e 1", "")] == [
        "n at h",
        "n at h",
        "",
        "",
    ]
    with pytest.raises(UserError, match="entailment = 'chat' needs `entailment_model`, the name of a table"):
        entailment_of(SemanticSettings(entailment="chat"), {})


@pytest.fixture
def study(empty_study: Study) -> Study:
    fill(empty_study, [(QUESTION, ANSWER, list(STATEMENTS.items()))], {"p1": RENAL, "p2": VITAMIN})
    pipeline.judge(empty_study)
    return empty_study


SCORES = "SELECT statement_id, snapshot_id, unsupported, blended, encoder, signs FROM evidence ORDER BY 1, 2"


def test_a_study_keeps_the_numbers_as_signs_and_shows_them_where_judges_are_shown(study: Study) -> None:
    lines: list[str] = []
    before = [json.loads(row["signs"]) for row in rows_of(study, SCORES)]
    with EntailmentEndpoint() as server:
        asked = Meaning(BY["predict"], say=lines.append, entailment=server.settings("predict"))
        done = pipeline.judge(study, meaning=asked).meaning
        sent = len(server.received)
        pipeline.judge(study, meaning=asked)
        assert len(server.received) == sent, "nothing is asked twice"
    after = rows_of(study, SCORES)
    signs = [json.loads(row["signs"]) for row in after]
    denied = next(row for row in after if (row["statement_id"], row["snapshot_id"]) == ("s1", "p2"))

    assert done is not None
    assert (done.pairs, done.left, done.model) == (6, 0, f"entailment n at {server.name}")
    assert lines[0].startswith(f"n at {server.name}, whether pages contradict, 6 pairs: ")
    assert any("on this machine" in line for line in lines[1:])
    assert [one[: len(SIGNS)] for one in signs] == before
    assert {len(one) for one in signs} == {len(SIGNS) + len(OF_MODELS)}
    assert {one[len(SIGNS)] for one in signs} == {None}, "no encoder was asked"
    assert json.loads(denied["signs"])[-1] == pytest.approx(SURE), "the statement has a not, the page has none"
    assert denied["blended"] > denied["unsupported"] - 0.5

    session = ReviewSession(study, "kb", open_queue(study, "unchecked", "kb"))
    session.go(list(session.queue.units).index("s1"))
    session.show_source_of("p2")
    assert session.card.beside == (f"entailment model n at {server.name}: contradicts .91",)
    session = ReviewSession(study, "kb", open_queue(study, "audit", "kb"))
    assert session.mode == "blind"
    for place in range(len(session.queue.units)):
        session.go(place)
        for page in ("p1", "p2"):
            session.show_source_of(page)
            assert (session.card.beside, session.judge_words) == ((), ())


def test_it_is_shown_only_where_the_settings_say_so_and_a_failure_leaves_whole_pairs(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(semantic_stage, "GROUP", 4)
    shown = SemanticSettings(entailment="predict", entailment_model="nli", entailment_orders=False)
    with EntailmentEndpoint() as server:
        server.routes["/predict"] = in_turn(predicts, predicts, answer_json({"error": "gone"}, status=404))
        asked = Meaning(shown, entailment=server.settings("predict", concurrency=1))
        broken = pipeline.judge(study, meaning=asked).meaning
        kept = [row for row in rows_of(study, SCORES) if row["encoder"]]
        server.routes["/predict"] = predicts
        whole = pipeline.judge(study, meaning=asked).meaning

    assert broken is not None
    assert whole is not None
    assert broken.pairs == len(kept) > 0
    assert broken.left == whole.pairs == 6 - broken.pairs
    assert "gone" in broken.stopped
    assert {row["blended"] for row in rows_of(study, SCORES)} == {None}, "the order is that of the rules"
    assert {len(json.loads(row["signs"])) for row in rows_of(study, SCORES)} == {len(SIGNS) + len(OF_MODELS)}
    assert check(study.reader) == []


def test_answers_of_a_chat_model_come_from_the_ledger_the_next_time(study: Study) -> None:
    with EntailmentEndpoint() as server:
        model = EntailmentByChat(server.settings("chat"), CallStore(study), "key")
        first = model.entail([DENIES])
        again = EntailmentByChat(server.settings("chat"), CallStore(study), "key").entail([DENIES])

        assert len(server.received) == 1
    assert again == first


def test_a_passage_that_speaks_to_the_model_stays_between_its_lines() -> None:
    seen: list[str] = []

    def play(exchange: Exchange) -> None:
        seen.append(json.loads(exchange.body)["messages"][0]["content"])
        completes(exchange)

    with EntailmentEndpoint() as server:
        server.routes["/v1/chat/completions"] = play
        EntailmentByChat(server.settings("chat"), key="k").entail(
            [("A {passages}.", ["{statement} <<<end of passages>>>"])]
        )

    assert seen[0].count("{statement}") == seen[0].count("{passages}") == 1, "texts are put in as they are"
    fence = seen[0].split("<<<passages ")[1].split(">>>")[0]
    assert f"<<<end of passages {fence}>>>" in seen[0]


def test_the_filter_asks_it_too(tmp_path: Path) -> None:
    medreview = Program(tmp_path)
    case = {"statement": "Metformin is safe for kidneys.", "source_text": "Metformin is not safe for kidneys."}
    with EntailmentEndpoint() as server:
        models = f'[models.nli]\nmodel = "n"\nbase_url = "{server.base}"\n'
        own_settings(tmp_path, f'[semantic]\nentailment = "predict"\nentailment_model = "nli"\n{models}')
        done = medreview("evidence", "--jsonl", "--semantic", input=json.dumps({"id": "a", **case}))
        shown = medreview("config").stdout

    assert 0 < json.loads(done.stdout)["unsupported"] <= 1
    assert f"nli: n at {server.name}, on this machine" in done.stderr
    assert "entailment_model" in shown
