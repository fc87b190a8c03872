"""Logs of evaluations: what was asked, what was given to read, what came, what would be right, and scores."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from medreview import pipeline
from medreview.errors import UserError
from medreview.exchange.imports.answer_records import AnswerRecord
from medreview.exchange.producers import produced
from medreview.import_files import Chosen
from medreview.study import Study
from tests.exchange.producers.conftest import Bring

QUESTION, SAYS = "What is given first in anaphylaxis?", "Adrenaline is injected into the thigh at once."
READ = "In anaphylaxis adrenaline 0.5 mg is injected into the outer thigh."
RIGHT = "Intramuscular adrenaline."


def sample(number: int, epoch: int = 1, **more: Any) -> dict[str, Any]:
    message = {
        "role": "assistant",
        "content": [{"type": "reasoning", "reasoning": "Hm."}, {"type": "text", "text": SAYS}],
    }
    return {
        "id": number, "epoch": epoch, "input": QUESTION, "target": RIGHT,
        "messages": [{"role": "system", "content": "attachment://" + "a" * 32}, {"role": "user", "content": QUESTION}],
        "output": {"model": "atlas-2-0701", "choices": [{"message": message, "stop_reason": "stop"}]},
        "scores": {"graded": {"value": "C", "explanation": "It says so."}, "words": {"value": 8}},
        "attachments": {"a" * 32: "Be brief."}, **more,
    }  # fmt: skip


LOG: dict[str, Any] = {
    "version": 2,
    "status": "success",
    "plan": {},
    "eval": {"task": "emergencies", "model": "lab/atlas-2", "created": "2025-05-12T20:28:26-04:00"},
}


def test_inspect_has_samples_with_scores_by_the_model_that_was_evaluated(bring: Bring) -> None:
    brought = bring({**LOG, "samples": [sample(1), sample(1, epoch=2), sample(2)]})
    first, second, third = brought.answers
    assert [one.id for one in (first, second, third)] == ["1-1", "1-2", "2-1"]
    assert (first.text, first.question, first.turns) == (SAYS, QUESTION, [("system", "Be brief.")])
    assert (first.model, first.created, first.finish) == ("lab/atlas-2", "2025-05-12T20:28:26-04:00", "complete")
    assert first.extra["scores"] == {"graded": {"score": "C", "reason": "It says so."}, "words": 8}
    assert (first.extra["model_version"], brought.told.left) == ("atlas-2-0701", {"reasoning": 3})


def test_inspect_keeps_the_prompt_that_a_question_became_and_the_words_of_a_letter(bring: Bring) -> None:
    prompt = f"Answer with a letter. {QUESTION} A) Adrenaline B) Steroids"
    one = sample(7, target="A", choices=["Adrenaline", "Steroids"], messages=[{"role": "user", "content": prompt}])
    failed = sample(8, output={"choices": []}, error={"message": "no connection"})
    answer, other = bring({**LOG, "samples": [one, failed]}).answers
    assert (answer.id, answer.question, answer.extra["prompt"]) == ("7", QUESTION, prompt)
    assert (other.text, other.finish, other.extra["error"]) == ("", "error", "no connection")


def test_inspect_cites_stretches_of_its_text(bring: Bring) -> None:
    cited = {"type": "url", "url": "https://nhs.example/a", "title": "Anaphylaxis", "cited_text": [0, len(SAYS)]}
    part = {"type": "text", "text": f"{SAYS} Call for help.", "citations": [cited]}
    output = {
        "model": "m",
        "choices": [{"message": {"role": "assistant", "content": [part]}, "stop_reason": "max_tokens"}],
    }
    answer = bring({**LOG, "samples": [sample(1, output=output)]}).answer
    assert answer.own == {SAYS: {"https://nhs.example/a"}, "Call for help.": set()}
    assert answer.finish == "truncated"


def test_inspect_in_parts_is_read_as_one_log(tmp_path: Path, study: Study) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_journal/start.json", json.dumps(LOG))
        archive.writestr("samples/1_epoch_1.json", json.dumps(sample(1)))
        archive.writestr("samples/2_epoch_1.json", json.dumps(sample(2)))
        archive.writestr("summaries.json", json.dumps([{"id": 1, "input": QUESTION}]))
        archive.writestr("header.json", json.dumps(LOG))
    path = tmp_path / "log.eval"
    path.write_bytes(packed.getvalue())
    assert pipeline.bring_in(study, path, {}).added == 2
    rows = study.reader.execute("SELECT record_id, model FROM response ORDER BY ordinal").fetchall()
    assert [tuple(row) for row in rows] == [("1", "lab/atlas-2"), ("2", "lab/atlas-2")]


def test_inspect_without_samples_says_so(bring: Bring) -> None:
    with pytest.raises(UserError, match="the log holds no samples"):
        bring(LOG)


def result(**more: Any) -> dict[str, Any]:
    return {
        "id": "r1", "testIdx": 3, "promptIdx": 0, "provider": {"id": "lab:atlas-2", "label": ""},
        "prompt": {"raw": QUESTION, "label": "{{question}}"}, "vars": {"question": QUESTION},
        "response": {"output": SAYS, "finishReason": "stop"}, "score": 0.5, "success": False,
        "gradingResult": {"pass": False, "reason": "Too short"}, **more,
    }  # fmt: skip


@pytest.mark.parametrize(
    "value",
    [
        {**LOG, "samples": [sample(1, target="B", choices=["Steroids", RIGHT])]},
        {**LOG, "samples": [sample(1, target=[RIGHT])]},
        {"user_input": QUESTION, "response": SAYS, "reference": RIGHT},
        [{"input": QUESTION, "actual_output": SAYS, "expected_output": RIGHT}],
    ],
)
def test_what_would_be_right_is_the_correct_answer(value: Any, tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    path.write_text(json.dumps(value))
    (record,) = produced(path, Chosen()) or ()
    assert isinstance(record, AnswerRecord)
    assert record.correct_answer == RIGHT


@pytest.mark.parametrize("version", ["output", "older", "line"])
def test_promptfoo_has_a_result_for_each_test_and_provider(bring: Bring, version: str) -> None:
    whole = {"version": 3, "timestamp": "2025-10-01T20:08:11.168Z", "results": [result()]}
    answer = bring({"output": {"evalId": "e", "results": whole}, "older": whole, "line": result()}[version]).answer
    assert (answer.id, answer.text, answer.question, answer.model) == ("r1", SAYS, QUESTION, "lab:atlas-2")
    assert (answer.finish, answer.created[:10]) == ("complete", "" if version == "line" else "2025-10-01")
    assert answer.extra == {"score": 0.5, "success": False, "vars": {"question": QUESTION}, "reason": "Too short"}


def test_promptfoo_writes_chats_as_json_and_names_failures(bring: Bring) -> None:
    chat = json.dumps([{"role": "system", "content": "Be brief."}, {"role": "user", "content": QUESTION}])
    failed = {"provider": "lab:b", "response": {"error": "no connection"}, "prompt": {"raw": chat}}
    refused = {"provider": "lab:c", "response": {"output": "I cannot help.", "isRefusal": True}}
    first, second, third = bring({"results": [result(response={"output": {"dose": "0.5 mg"}}), result(**failed),
                                              result(**refused)]}).answers  # fmt: skip
    assert (first.text, second.turns, second.question) == ('{"dose": "0.5 mg"}', [("system", "Be brief.")], QUESTION)
    assert (second.finish, second.model, third.finish) == ("error", "lab:b", "refused")


ROW = {"user_input": QUESTION, "response": SAYS, "retrieved_contexts": [READ], "reference": RIGHT, "faithfulness": 0.8}


@pytest.mark.parametrize("value", [ROW, [ROW], {name: [value] for name, value in ROW.items()},
                                   {name: {"0": value} for name, value in ROW.items()}])  # fmt: skip
def test_ragas_gives_contexts_to_read(bring: Bring, value: Any) -> None:
    brought = bring(value)
    answer = brought.answer
    assert (answer.text, answer.question, answer.producer) == (SAYS, QUESTION, "Ragas")
    assert len(answer.cited) == 1
    assert READ.startswith(answer.cited[0])
    assert brought.pages == {answer.cited[0]: ("excerpt", READ)}
    assert answer.extra == {"faithfulness": 0.8}


def test_ragas_has_conversations_and_annotations(bring: Bring) -> None:
    turns = [{"content": "Hello", "type": "human"}, {"content": "Hello!", "type": "ai"},
             {"content": QUESTION, "type": "human"}, {"content": SAYS, "type": "ai", "tool_calls": []}]  # fmt: skip
    first, second = bring({"user_input": turns, "reference": RIGHT}).answers
    assert (first.question, second.question, second.text) == ("Hello", QUESTION, SAYS)
    single = {"user_input": QUESTION, "response": SAYS}
    answer = bring({"aspect_critic": [{"metric_input": single, "metric_output": 1, "is_accepted": True}]}).answer
    assert (answer.text, answer.extra) == (SAYS, {"aspect_critic": 1})


@pytest.mark.parametrize("shape", ["run", "latest", "results", "data set"])
def test_deepeval_writes_names_in_two_ways(bring: Bring, shape: str) -> None:
    score = {"name": "Faithfulness", "score": 0.45, "success": False, "reason": "Two claims are not in it."}
    case = {"name": "case_1", "input": QUESTION, "actualOutput": SAYS, "retrievalContext": [READ],
            "expectedOutput": RIGHT, "metricsData": [score]}  # fmt: skip
    result = {"name": "case_1", "input": QUESTION, "actual_output": SAYS, "retrieval_context": [READ],
              "metrics_data": [score]}  # fmt: skip
    values: dict[str, Any] = {
        "run": {"testCases": [case], "conversationalTestCases": []}, "latest": {"testRunData": {"testCases": [case]}},
        "results": {"test_results": [result]}, "data set": [result],
    }  # fmt: skip
    brought = bring(values[shape])
    answer = brought.answer
    assert (answer.id, answer.text, answer.question, answer.producer) == ("case_1", SAYS, QUESTION, "DeepEval")
    assert list(brought.pages.values()) == [("excerpt", READ)]
    assert answer.extra["scores"] == {"Faithfulness": {"score": 0.45, "reason": "Two claims are not in it."}}


def test_deepeval_has_conversations_whose_turns_have_what_was_read(bring: Bring) -> None:
    turns = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hello!"},
             {"role": "user", "content": QUESTION},
             {"role": "assistant", "content": SAYS, "retrievalContext": [READ]}]  # fmt: skip
    first, second = bring({"conversationalTestCases": [{"name": "c", "turns": turns, "metricsData": []}]}).answers
    assert (first.id, first.cited, second.question, len(second.cited)) == ("c-1", [], QUESTION, 1)


@pytest.mark.parametrize(
    ("value", "named"),
    [
        ({"query": QUESTION, "result": SAYS,
          "source_documents": [{"page_content": READ, "metadata": {"source": "in/anaphylaxis.pdf", "page": 3}}]},
         "anaphylaxis.pdf"),
        ({"input": QUESTION, "answer": SAYS,
          "context": [{"lc": 1, "type": "constructor", "id": ["langchain", "Document"],
                       "kwargs": {"page_content": READ, "metadata": {"source": "https://nhs.example/a"}}}]},
         "https://nhs.example/a"),
        ({"query": QUESTION, "response": SAYS,
          "source_nodes": [{"node": {"id_": "n", "text": READ, "metadata": {"file_name": "a.pdf"}}, "score": 0.8}]},
         "a.pdf"),
        ({"answer_builder": {"answers": [{"type": "haystack.dataclasses.answer.GeneratedAnswer", "init_parameters": {
            "data": SAYS, "query": QUESTION, "meta": {"model": "atlas-2"},
            "documents": [{"id": "d", "content": READ, "meta": {"url": "https://nhs.example/a"}, "score": 0.7}]}}]}},
         "https://nhs.example/a"),
    ],
)  # fmt: skip
def test_what_a_chain_retrieved_is_a_source_of_its_answer(bring: Bring, value: Any, named: str) -> None:
    brought = bring([value])
    answer = brought.answer
    assert (answer.text, answer.question, answer.cited) == (SAYS, QUESTION, [named])
    assert brought.pages == {named: ("excerpt", READ)}
    assert answer.producer == "LangChain or LlamaIndex or Haystack"


def test_langfuse_writes_what_went_in_and_out_as_json(bring: Bring) -> None:
    sent = {"messages": [{"type": "human", "content": QUESTION}]}
    came = {"messages": [*sent["messages"], {"type": "ai", "content": ""}, {"type": "ai", "content": SAYS}]}
    trace = {"id": "t1", "projectId": "p", "name": "chain", "timestamp": "2025-06-05T15:45:52.971Z",
             "input": json.dumps(json.dumps(sent)), "output": json.dumps(json.dumps(came)), "tags": [],
             "scores": [{"name": "hallucination", "value": 0.1, "comment": "It is known."}]}  # fmt: skip
    runs = [{"id": "o1", "type": "RETRIEVER", "output": [{"page_content": READ, "metadata": {"source": "a.pdf"}}]},
            {"id": "o2", "type": "GENERATION", "model": "atlas-2", "input": [], "output": "Draft"}]  # fmt: skip
    brought = bring({"trace": trace, "observations": runs})
    answer = brought.answer
    assert (answer.id, answer.text, answer.question, answer.model) == ("t1", SAYS, QUESTION, "atlas-2")
    assert answer.created == "2025-06-05T15:45:52.971Z"
    assert answer.extra == {"name": "chain", "scores": {"hallucination": {"score": 0.1, "reason": "It is known."}}}
    assert brought.pages == {"a.pdf": ("excerpt", READ)}


def test_langfuse_takes_the_last_generation_where_the_trace_itself_says_nothing(bring: Bring) -> None:
    run = {"type": "GENERATION", "model": "atlas-2", "output": {"role": "assistant", "content": SAYS},
           "input": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": QUESTION}]}  # fmt: skip
    trace = {"id": "t2", "htmlPath": "/project/p/traces/t2", "input": None, "output": None, "observations": [run]}
    answer = bring({"data": [trace], "meta": {"page": 1}}).answer
    assert (answer.text, answer.question, answer.turns) == (SAYS, QUESTION, [("system", "Be brief.")])
