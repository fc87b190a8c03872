"""A model of meaning is asked for the order of the queue, pair by pair; the rules' words stay what they are."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from medreview import pipeline
from medreview.evidence.sign_names import SIGNS
from medreview.judges import offline_stage, runs, semantic_stage
from medreview.judges.runs import ENGINE
from medreview.judges.votes import judges_of_support
from medreview.pipeline import Meaning
from medreview.semantic.configured import SemanticSettings
from medreview.semantic.minilm import MiniLM
from medreview.study import Study
from medreview.study.check import check
from medreview.units.statement_view import load_statement_view
from tests.judges.renal_study import ANSWER, QUESTION, RENAL, STATEMENTS, VITAMIN, fill
from tests.support import dying
from tests.support.embeddings_endpoint import Embeddings, letters, meaning
from tests.support.http_server import Exchange, answer_json, in_turn
from tests.support.packaged_encoder import needs_packaged_encoder
from tests.support.study_builder import new_version, rows_of

EVIDENCE: Final = "SELECT * FROM evidence ORDER BY 1, 2"
WORDS: Final = """SELECT judge, statement_id, snapshot_id FROM judgement JOIN judge_run USING (judge_run_id)"""
KEPT: Final = ("unsupported", "highlights", "lexical", "clashes", "engine")
PROGRAM: Final = """
from pathlib import Path
from medreview import pipeline
from medreview.judges import semantic_stage
from medreview.llm.settings import JudgeSettings
from medreview.pipeline import Meaning
from medreview.semantic.configured import SemanticSettings
from medreview.study import Study

semantic_stage.GROUP = 4
model = JudgeSettings("embedder", model="e", base_url="{base}/v1", concurrency=1, role="model")
with Study.open(Path("a.medreview")) as study:
    pipeline.judge(study, meaning=Meaning(SemanticSettings("endpoint", "embedder"), model))
"""
"""A run in groups of few texts, to be killed."""


def sent(server: Embeddings) -> list[str]:
    return [text for request in server.received for text in json.loads(request.body)["input"]]


@pytest.fixture
def study(empty_study: Study) -> Study:
    fill(empty_study, [(QUESTION, ANSWER, list(STATEMENTS.items()))], {"p1": RENAL, "p2": VITAMIN})
    pipeline.judge(empty_study)
    return empty_study


def offline_words(study: Study) -> list[tuple[str, str | None]]:
    """What the offline judge says of each statement and page, and by which name it is shown."""
    return [
        (judgement.vote.judge.title, judgement.verdict)
        for statement_id in STATEMENTS
        for judgement in load_statement_view(study.reader, statement_id).judgements
    ]


def test_it_changes_the_score_and_the_judges_name_and_nothing_else(study: Study) -> None:
    before, said = rows_of(study, EVIDENCE), offline_words(study)
    opens = rows_of(study, "SELECT statement_id, source_id, turn, opens FROM source_order ORDER BY 1, 2")
    with Embeddings(letters) as server:
        asked = meaning(server)
        done = pipeline.judge(study, meaning=asked).meaning
        after = rows_of(study, EVIDENCE)
        texts = sent(server)
        again = pipeline.judge(study, meaning=asked).meaning

        assert len(sent(server)) == len(texts), "the second time nothing is asked"
        assert f"judge offline + {done.model}" not in texts

    pairs = len(STATEMENTS) * 2
    assert (done.pairs, done.left, done.stopped) == (pairs, 0, "")
    assert again.pairs == 0
    assert len(texts) == len(set(texts)), "no text is encoded twice"
    assert [[row[name] for name in KEPT] for row in after] == [[row[name] for name in KEPT] for row in before]
    assert all(0 < row["blended"] < 1 and row["encoder"] == done.model for row in after)
    assert any(abs(row["blended"] - row["unsupported"]) > 0.05 for row in after)
    of_rules = [json.loads(row["signs"]) for row in before]
    assert [json.loads(row["signs"])[:-1] for row in after] == of_rules, "and one of the model behind them"
    assert rows_of(study, "SELECT statement_id, source_id, turn, opens FROM source_order ORDER BY 1, 2") == opens
    scores = {row[0] for row in study.reader.execute("SELECT unsupported FROM source_order")}
    assert scores == {row["blended"] for row in after}, "the queue goes by the new score"
    assert [word for _, word in offline_words(study)] == [word for _, word in said]
    assert {name for name, _ in said} == {"offline (words only)"}
    assert {name for name, _ in offline_words(study)} == {f"offline (words; order with {done.model})"}
    assert [judge.title for judge in judges_of_support(study.reader)] == [
        f"offline (words; order with {done.model})"
    ], "one judge, one vote"


def test_what_it_costs_is_said_before_anything_is_sent(study: Study) -> None:
    lines: list[str] = []
    with Embeddings(letters) as server:
        asked = Meaning(meaning(server).settings, server.settings(role="model", price_input=2.0), lines.append)
        planned = pipeline.plan_meaning(study, asked)
        assert server.received == []
        pipeline.judge(study, meaning=asked)
        texts = set(sent(server))

        assert pipeline.plan_meaning(study, asked).plan.pairs == 0

    assert lines == list(planned.lines)
    assert lines[0].startswith(f"e at {server.name}, for the order of {len(STATEMENTS) * 2} pairs: ")
    assert planned.plan.statements == len(STATEMENTS)
    assert {text for text in texts if text in RENAL or text in VITAMIN} <= texts
    assert planned.plan.passages == len({text for text in texts if text in RENAL or text in VITAMIN})
    assert any("on this machine" in line for line in lines[1:])


def test_an_endpoint_that_fails_leaves_what_is_done_and_is_asked_for_the_rest_alone(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(semantic_stage, "GROUP", 4)
    gone = answer_json({"error": {"message": "no such model"}}, status=404)

    with Embeddings(in_turn(letters, letters, letters, gone)) as server:
        asked = meaning(server)
        broken = pipeline.judge(study, meaning=asked).meaning
        done = rows_of(study, "SELECT statement_id, snapshot_id, blended FROM evidence WHERE encoder <> ''")
        encoded = {row["start_cp"] for row in rows_of(study, "SELECT start_cp FROM passage_vector")}
        texts = {text for request in server.received[:-1] for text in json.loads(request.body)["input"]}
        server.otherwise = letters
        server.received.clear()
        whole = pipeline.judge(study, meaning=asked).meaning

        assert encoded
        assert not {text for text in sent(server) if text in RENAL + VITAMIN} & texts, "what was encoded stays"

    assert broken.pairs == len(done) > 0
    assert broken.left == len(STATEMENTS) * 2 - broken.pairs
    assert "no such model" in broken.stopped
    assert whole.pairs == broken.left
    kept = "SELECT statement_id, snapshot_id, blended FROM evidence"
    assert {tuple(row) for row in done} <= {tuple(row) for row in rows_of(study, kept)}


def test_the_newest_model_counts_and_a_plain_run_takes_nothing_back(study: Study) -> None:
    def named(study: Study) -> set[str]:
        return {name for name, _ in offline_words(study)}

    said = [word for _, word in offline_words(study)]
    with Embeddings(letters) as server:
        one, other = meaning(server), meaning(server, model="f")
        pipeline.judge(study, meaning=one)
        scores = rows_of(study, "SELECT blended FROM evidence")
        pipeline.judge(study)
        assert rows_of(study, "SELECT blended FROM evidence") == scores
        assert named(study) == {f"offline (words; order with e at {server.name})"}

        pipeline.judge(study, meaning=other)
        assert named(study) == {f"offline (words; order with f at {server.name})"}

        server.received.clear()
        pipeline.judge(study, meaning=one)
        assert named(study) == {f"offline (words; order with e at {server.name})"}
        assert len(sent(server)) == 24, "to the first model only its scale is asked again: its vectors are there"
        assert rows_of(study, "SELECT blended FROM evidence") == scores

    assert pipeline.order_by_rules(study) == len(STATEMENTS) * 2
    assert named(study) == {"offline (words only)"}
    assert [word for _, word in offline_words(study)] == said
    assert rows_of(study, "SELECT DISTINCT blended, encoder FROM evidence")[0]["blended"] is None
    assert {len(json.loads(row["signs"])) for row in rows_of(study, EVIDENCE)} == {len(SIGNS)}


def test_a_page_that_changed_is_judged_by_rules_until_the_model_is_asked_again(study: Study) -> None:
    with Embeddings(letters) as server:
        asked = meaning(server)
        pipeline.judge(study, meaning=asked)
        new_version(study, "u1", RENAL + "\n\nThe page was changed.")
        pipeline.judge(study)
        mixed = {name for name, _ in offline_words(study)}
        done = pipeline.judge(study, meaning=asked).meaning

    assert mixed == {"offline (words only)", f"offline (words; order with {done.model})"}
    assert done.pairs == len(STATEMENTS)
    assert {name for name, _ in offline_words(study)} == {f"offline (words; order with {done.model})"}


def test_a_page_that_was_fetched_again_with_the_same_text_is_not_encoded_again(study: Study) -> None:
    with Embeddings(letters) as server:
        asked = meaning(server)
        pipeline.judge(study, meaning=asked)
        scores = rows_of(study, "SELECT statement_id, blended FROM evidence WHERE snapshot_id = 'p1' ORDER BY 1")
        newest = new_version(study, "u1", RENAL, page_state="paywall")
        pipeline.judge(study)
        server.received.clear()
        said = pipeline.plan_meaning(study, asked)
        planned = said.plan
        done = pipeline.judge(study, meaning=asked).meaning

        assert said.lines == (f"{said.model}, for the order of 3 pairs: every text is encoded already.",)
        assert not {text for text in sent(server) if text in RENAL}

    assert (planned.pairs, planned.texts, done.pairs) == (len(STATEMENTS), 0, len(STATEMENTS))
    query = "SELECT statement_id, blended FROM evidence WHERE snapshot_id = ? ORDER BY 1"
    assert newest != "p1"
    assert rows_of(study, query, newest) == scores


def test_newer_rules_have_the_word_until_the_model_is_asked_again_and_nothing_is_encoded_for_them(
    tmp_path: Path,
) -> None:
    with Study.create(tmp_path / "a.medreview") as study, Embeddings(letters) as server:
        fill(study, [(QUESTION, ANSWER, list(STATEMENTS.items()))], {"p1": RENAL, "p2": VITAMIN})
        asked = meaning(server)
        with pytest.MonkeyPatch.context() as earlier:
            for module in (offline_stage, semantic_stage, runs):
                earlier.setattr(module, "ENGINE", "rules-0")
            earlier.setattr(offline_stage, "OFFLINE", replace(offline_stage.OFFLINE, model="rules-0"))
            earlier.setattr(offline_stage, "_BY", {"run": offline_stage.OFFLINE.judge_run_id})
            pipeline.judge(study, meaning=asked)
        old = rows_of(study, EVIDENCE)
        server.received.clear()
        pipeline.judge(study)
        by_rules = {name for name, _ in offline_words(study)}
        between = rows_of(study, EVIDENCE)
        done = pipeline.judge(study, meaning=asked).meaning

        assert len(sent(server)) == 24, "its scale alone is asked again"
        assert {row["engine"] for row in old} == {"rules-0"}
        assert by_rules == {"offline (words only)"}
        assert all(row["blended"] is None and row["engine"] == ENGINE for row in between)
        assert done.pairs == len(STATEMENTS) * 2
        assert [row["blended"] for row in rows_of(study, EVIDENCE)] == [row["blended"] for row in old]
        assert {name for name, _ in offline_words(study)} == {f"offline (words; order with {done.model})"}
        assert [judge.title for judge in judges_of_support(study.reader)] == [
            f"offline (words; order with {done.model})"
        ]


def held(path: Path) -> tuple[set[tuple[object, ...]], set[str]]:
    """The scores that a study has from a model, and the texts whose vectors are kept; the study is whole."""
    with Study.open(path, read_only=True) as study:
        assert check(study.reader) == []
        scores = rows_of(study, "SELECT statement_id, snapshot_id, blended FROM evidence WHERE encoder <> ''")
        words = {(row["judge"], row["statement_id"], row["snapshot_id"]) for row in rows_of(study, WORDS)}
        pages = rows_of(study, "SELECT substr(text, start_cp + 1, end_cp - start_cp) AS text FROM passage_vector "
                               "JOIN snapshot USING (snapshot_id)")  # fmt: skip
        said = rows_of(study, "SELECT statement_id AS id FROM statement_vector")
    return {tuple(row.values()) for row in scores} | words, {row["text"] for row in pages} | {
        STATEMENTS[row["id"]] for row in said
    }


def test_killed_half_way_it_goes_on_and_encodes_nothing_again_that_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def begin(folder: Path) -> Path:
        folder.mkdir()
        return Path(shutil.copy(tmp_path / "begun.medreview", folder / "a.medreview"))

    with Study.create(tmp_path / "begun.medreview") as study:
        fill(study, [(QUESTION, ANSWER, list(STATEMENTS.items()))], {"p1": RENAL, "p2": VITAMIN})
        pipeline.judge(study)
    with Embeddings(letters) as server:
        run = ["-c", PROGRAM.format(base=server.base)]
        path = begin(tmp_path / "whole")
        code, said, steps = dying.run(run, path.parent, {})
        assert code == 0, said
        whole, texts = held(path)
        assert {text.strip() for text in sent(server)} >= texts

        monkeypatch.setattr(semantic_stage, "GROUP", 4)
        path = begin(tmp_path / "half")
        assert dying.run(run, path.parent, {}, steps // 2)[0] == dying.KILLED
        done, kept = held(path)
        assert done < whole
        assert set() < kept < texts

        server.received.clear()
        with Study.open(path) as study:
            pipeline.judge(study, meaning=meaning(server))
        assert held(path) == (whole, texts)
        assert not kept & set(sent(server))


@needs_packaged_encoder
def test_vectors_of_words_take_a_byte_a_number_and_a_score_is_the_same_of_new_and_of_kept_ones(
    study: Study,
) -> None:
    asked = Meaning(SemanticSettings("minilm"))
    pipeline.judge(study, meaning=asked)
    new = [row["blended"] for row in rows_of(study, EVIDENCE)]
    sizes = {row["size"] for row in rows_of(study, "SELECT length(vector) AS size FROM passage_vector")}
    pipeline.order_by_rules(study)
    planned = pipeline.plan_meaning(study, asked).plan
    pipeline.judge(study, meaning=asked)

    assert all(size % MiniLM.size == 0 and size > 2 * MiniLM.size for size in sizes), "a byte a number"
    assert (planned.pairs, planned.texts) == (len(STATEMENTS) * 2, 0)
    assert [row["blended"] for row in rows_of(study, EVIDENCE)] == new


def reranked(exchange: Exchange) -> None:
    """A reranker that scores every passage by its share of a word."""
    passages = json.loads(exchange.body)["documents"]
    found = [{"index": at, "relevance_score": text.count("e") / len(text)} for at, text in enumerate(passages)]
    answer_json({"results": found})(exchange)


def test_a_reranker_reads_each_pair_and_nothing_is_kept_of_it(study: Study) -> None:
    with Embeddings(reranked) as server:
        asked = Meaning(SemanticSettings("rerank", "embedder"), server.settings(role="model"))
        planned = pipeline.plan_meaning(study, asked).plan
        done = pipeline.judge(study, meaning=asked).meaning
        requests = len(server.received)

    assert done.pairs == planned.pairs == requests - 1, "one request a pair, and one that shows what scores look like"
    assert rows_of(study, "SELECT * FROM passage_vector") == []
    assert all(row["blended"] is not None for row in rows_of(study, EVIDENCE))
