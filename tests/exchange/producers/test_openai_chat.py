"""Chat completions: choices, parts, annotations, lists of addresses, streams; of OpenAI and of APIs that copy it."""

import json
from typing import Any

import pytest

from tests.exchange.producers.conftest import Bring

ASKED = "Which patients should not take metformin?"
TEXT = "Stop metformin when the eGFR is below 30. Review the dose below 45."
NICE, BNF = "https://nice.example/ng28", "https://bnf.example/metformin"


def completion(message: Any, **more: Any) -> dict[str, Any]:
    """A body with one choice."""
    content = message if isinstance(message, dict) else {"content": message}
    choice = {"index": 0, "message": {"role": "assistant", **content}, "finish_reason": "stop"}
    return {
        "id": "chatcmpl-7",
        "object": "chat.completion",
        "created": 1764660903,
        "model": "atlas-2",
        "choices": [choice],
        **more,
    }


def stream(*events: Any) -> str:
    return "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"


def chunk(delta: dict[str, Any], finish: str | None = None, **more: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "chatcmpl-8", "object": "chat.completion.chunk", "model": "atlas-2", "choices": [choice], **more}


def test_a_recording_gives_question_turns_settings_and_how_it_ended(bring: Bring) -> None:
    request = {
        "model": "atlas",
        "temperature": 0.2,
        "messages": [
            {"role": "system", "content": "Answer briefly."},
            {"role": "user", "content": "What is metformin?"},
            {"role": "assistant", "content": "A biguanide."},
            {"role": "user", "content": [{"type": "text", "text": ASKED}]},
        ],
    }
    answer = bring(
        {"request": request, "response": completion({"content": TEXT, "reasoning_content": "They ask …"})}
    ).answer
    assert (answer.id, answer.text, answer.question, answer.model) == ("chatcmpl-7", TEXT, ASKED, "atlas-2")
    assert (answer.created, answer.finish) == ("2025-12-02T07:35:03+00:00", "complete")
    assert [role for role, _ in answer.turns] == ["system", "user", "assistant"]
    assert answer.extra == {"temperature": 0.2}


def test_several_choices_are_several_answers_of_one_question(bring: Bring) -> None:
    body = completion(TEXT)
    body["choices"].append(
        {"index": 1, "message": {"role": "assistant", "content": "It depends"}, "finish_reason": "length"}
    )
    found = bring({"question": ASKED, "response": body}).answers
    assert [(one.id, one.question, one.finish) for one in found] == [
        ("chatcmpl-7-0", ASKED, "complete"),
        ("chatcmpl-7-1", ASKED, "truncated"),
    ]


@pytest.mark.parametrize(
    "message",
    [
        {"content": f"<think>They ask about the kidney.</think>\n\n{TEXT}"},
        {"content": f"They ask about the kidney.\n</think>\n\n{TEXT}"},
        {"content": TEXT, "reasoning": "They ask about the kidney."},
        {
            "content": [
                {"type": "thinking", "thinking": [{"type": "text", "text": "They ask about the kidney."}]},
                {"type": "text", "text": TEXT},
            ]
        },
    ],
)
def test_reasoning_is_no_part_of_the_answer_and_is_counted(bring: Bring, message: dict[str, Any]) -> None:
    brought = bring(completion(message))
    assert brought.answer.text == TEXT
    assert brought.told.left == {"reasoning": 1}


def test_a_refusal_is_an_answer_that_was_refused(bring: Bring) -> None:
    answer = bring(completion({"content": None, "refusal": "I can't help with that."})).answer
    assert (answer.text, answer.finish) == ("I can't help with that.", "refused")


def test_a_link_that_is_annotated_is_the_source_of_the_sentence_before_it(bring: Bring) -> None:
    link = f"([nice.example]({NICE}))"
    text = f"Stop metformin when the eGFR is below 30. {link} Review the dose below 45."
    start = text.index(link)
    cited = {
        "type": "url_citation",
        "url_citation": {"start_index": start, "end_index": start + len(link), "url": NICE, "title": "Type 2 diabetes"},
    }
    answer = bring(completion({"content": text, "annotations": [cited]})).answer
    assert answer.cited == [NICE]
    assert [len(own) for text, own in answer.own.items() if text.startswith(("Stop", "Review"))] == [1, 0]


def test_annotations_without_a_place_are_sources_of_the_whole_answer_with_their_passages(bring: Bring) -> None:
    cited = {
        "type": "url_citation",
        "url_citation": {
            "start_index": 0,
            "end_index": 0,
            "url": NICE,
            "title": "NG28",
            "content": "Stop metformin if the eGFR is below 30.",
        },
    }
    brought = bring(completion({"content": TEXT, "annotations": [cited]}))
    assert brought.answer.cited == [NICE]
    assert not any(brought.answer.own.values())
    assert brought.pages == {NICE: ("excerpt", "Stop metformin if the eGFR is below 30.")}


def test_marks_name_the_addresses_beside_the_answer_by_their_order(bring: Bring) -> None:
    text = "Stop metformin when the eGFR is below 30.[2] Review the dose below 45.[1][2]"
    results = [
        {"title": "Metformin", "url": BNF, "date": "2024-02-01", "snippet": "Review the dose if eGFR < 45."},
        {"title": "NG28", "url": NICE, "date": None},
    ]
    brought = bring(completion(text, citations=[BNF, NICE], search_results=results))
    assert brought.answer.cited == [BNF, NICE]
    assert [own for text, own in brought.answer.own.items()] == [{NICE}, {BNF, NICE}]
    assert brought.pages == {BNF: ("excerpt", "Review the dose if eGFR < 45.")}


def test_passages_of_ones_own_data_are_documents_that_their_marks_name(bring: Bring) -> None:
    text = "Stop metformin when the eGFR is below 30 [doc1]. Review the dose below 45 [doc2]."
    passages = [
        {
            "content": "Stop metformin below 30.",
            "title": "Renal guideline",
            "url": None,
            "filepath": "renal.pdf",
            "chunk_id": "3",
        },
        {"content": "Dose by eGFR.", "title": "BNF", "url": BNF, "filepath": "bnf.html", "chunk_id": "0"},
        {"content": "Never used.", "title": "Other", "url": None, "filepath": "other.pdf", "chunk_id": "0"},
    ]
    brought = bring(completion({"content": text, "context": {"citations": passages, "intent": "[]"}}))
    assert brought.answer.cited == ["renal.pdf", BNF]
    assert list(brought.answer.own.values()) == [{"renal.pdf"}, {BNF}]
    assert brought.pages["renal.pdf"] == ("excerpt", "Stop metformin below 30.")


def test_references_among_the_parts_name_what_a_tool_gave(bring: Bring) -> None:
    given = {
        "0": {"url": NICE, "title": "NG28", "snippets": [["Stop metformin below 30."]]},
        "1": {"url": BNF, "title": "BNF"},
    }
    request = {
        "messages": [
            {"role": "user", "content": ASKED},
            {"role": "assistant", "content": "", "tool_calls": [{}]},
            {"role": "tool", "content": json.dumps(given)},
        ]
    }
    parts = [
        {"type": "text", "text": "Stop metformin when the eGFR is below 30"},
        {"type": "reference", "reference_ids": [0]},
        {"type": "text", "text": ". Review the dose below 45."},
    ]
    brought = bring({"request": request, "response": completion({"content": parts})})
    assert brought.answer.text == TEXT
    assert brought.answer.question == ASKED
    assert list(brought.answer.own.values()) == [{NICE}, set()]
    assert brought.pages == {NICE: ("excerpt", "Stop metformin below 30.")}


def test_what_a_search_found_is_beside_the_answer_and_is_no_source_of_one_statement(bring: Bring) -> None:
    tool = {
        "type": "search",
        "arguments": "{}",
        "output": "…",
        "search_results": {"results": [{"title": "NG28", "url": NICE, "content": "Stop metformin below 30."}]},
    }
    brought = bring(completion({"content": TEXT, "executed_tools": [tool]}))
    assert brought.pages == {NICE: ("excerpt", "Stop metformin below 30.")}
    assert not any(brought.answer.own.values())
    assert brought.told.left == {"tool call": 1}


def test_a_stream_is_one_answer(bring: Bring) -> None:
    events = (
        {"id": "", "object": "", "model": "", "choices": [], "prompt_filter_results": []},
        chunk({"role": "assistant", "content": ""}),
        chunk({"reasoning_content": "They ask …"}),
        chunk({"content": TEXT[:30]}),
        chunk({"content": TEXT[30:]}, "stop", citations=[NICE]),
    )
    for name, content in (("s.txt", stream(*events)), ("s.jsonl", "\n".join(map(json.dumps, events[1:])))):
        brought = bring(content, name)
        assert (brought.answer.text, brought.answer.model, brought.answer.finish) == (TEXT, "atlas-2", "complete")
        assert brought.answer.cited == [NICE]
        assert brought.told.left == {"reasoning": 1}


def test_a_stream_that_was_cut_is_a_truncated_answer(bring: Bring) -> None:
    cut = stream(chunk({"content": TEXT[:30]}), chunk({"content": TEXT[30:]})).replace(
        "data: [DONE]\n\n", 'data: {"id": "chatc'
    )
    answer = bring(cut, "cut.txt").answer
    assert (answer.text, answer.finish) == (TEXT, "truncated")


def test_lines_of_a_batch_have_the_id_that_the_user_gave_and_an_error_is_named_with_its_line(bring: Bring) -> None:
    lines = [
        {
            "id": "batch_req_1",
            "custom_id": "q1",
            "response": {"status_code": 200, "body": completion(TEXT)},
            "error": None,
        },
        {
            "id": "batch_req_2",
            "custom_id": "q2",
            "response": {"status_code": 429, "body": {"error": {"message": "busy"}}},
        },
        {
            "id": "batch_req_3",
            "custom_id": "q3",
            "response": None,
            "error": {"code": "batch_expired", "message": "expired"},
        },
    ]
    brought = bring("\n".join(map(json.dumps, lines)), "batch.jsonl")
    assert brought.answer.id == "q1"
    assert [(bad.line, "busy" in bad.reason or "expired" in bad.reason) for bad in brought.told.bad] == [
        (2, True),
        (3, True),
    ]


def test_completions_of_the_old_api_are_read_and_options_of_a_question_are_not(bring: Bring) -> None:
    old = {
        "id": "cmpl-1",
        "object": "text_completion",
        "model": "atlas-1",
        "choices": [{"text": TEXT, "index": 0, "logprobs": None, "finish_reason": "stop"}],
    }
    assert bring({"prompt": ASKED, "response": old}).answer.text == TEXT
    quiz = bring(
        [{"question": ASKED, "choices": [{"label": "A", "text": "eGFR 20"}], "answer": "Those with an eGFR below 30."}]
    )
    assert quiz.answer.producer == ""
    assert quiz.answer.text == "Those with an eGFR below 30."
