"""Gemini and Vertex: bytes, candidates, passages of own files, blocked prompts, streams, lines of batches."""

import json
from typing import Any

import pytest

from tests.exchange.producers.conftest import Bring

ASKED = "Wann wird Metformin abgesetzt?"
FIRST, SECOND = (
    "Metformin wird bei einer eGFR unter 30 ml/min nicht gegeben – gemäß Leitlinie.",
    "Unter 45 wird die Dosis überprüft.",
)
TEXT = f"{FIRST} {SECOND}"
REDIRECT = "https://vertexaisearch.cloud.google.com/grounding-api-redirect/AUZIYQexample1"
NICE = "https://nice.example/ng28"


def body(text: str = TEXT, grounding: Any = None, **more: Any) -> dict[str, Any]:
    return {"candidates": [candidate(text, grounding)], "modelVersion": "gemini-2.5-pro", "responseId": "r7", **more}


def candidate(text: str, grounding: Any = None, finish: str | None = "STOP") -> dict[str, Any]:
    return {
        "content": {"parts": [{"text": "Hm.", "thought": True}, {"text": text}], "role": "model"},
        "index": 0,
        **({"finishReason": finish} if finish else {}),
        **({"groundingMetadata": grounding} if grounding else {}),
    }


def grounded(*chunks: dict[str, Any], text: str = TEXT) -> dict[str, Any]:
    """The first sentence rests on the first chunk, the second on all; places are bytes."""
    at = text.index(SECOND)
    places = [(0, len(FIRST)), (at, len(text))]
    supports = [
        {
            "segment": {
                "startIndex": len(text[:start].encode()),
                "endIndex": len(text[:end].encode()),
                "text": text[start:end],
            },
            "groundingChunkIndices": [0] if number == 0 else list(range(len(chunks))),
        }
        for number, (start, end) in enumerate(places)
    ]
    del supports[0]["segment"]["startIndex"]  # type: ignore[attr-defined]
    return {"groundingChunks": list(chunks), "groundingSupports": supports}


WEB = [{"web": {"uri": REDIRECT, "title": "leitlinien.example"}}, {"web": {"uri": NICE, "title": "NG28"}}]


def test_stretches_are_counted_in_bytes(bring: Bring) -> None:
    sent = {
        "contents": [{"role": "user", "parts": [{"text": ASKED}]}],
        "systemInstruction": {"parts": [{"text": "Kurz."}]},
        "generationConfig": {"temperature": 0},
    }
    brought = bring({"request": sent, "response": body(grounding=grounded(*WEB))})
    answer = brought.answer
    assert (answer.id, answer.text, answer.question, answer.model) == ("r7", TEXT, ASKED, "gemini-2.5-pro")
    assert answer.own == {FIRST: {REDIRECT}, SECOND: {REDIRECT, NICE}}
    assert (answer.turns, answer.finish, answer.extra) == ([("system", "Kurz.")], "complete", {"temperature": 0})
    assert brought.told.left == {"reasoning": 1}
    assert brought.told.ranges == 3


def test_passages_of_own_files_are_documents_unless_they_say_an_address(bring: Bring) -> None:
    own = {
        "retrievedContext": {
            "title": "leitlinie.pdf",
            "text": "Unter 30 absetzen.",
            "fileSearchStore": "fileSearchStores/a",
        }
    }
    named = {
        "retrievedContext": {
            "title": "NG28",
            "uri": "gs://bucket/ng28.txt",
            "ragChunk": {"text": "Unter 45 prüfen."},
            "customMetadata": [{"key": "url", "stringValue": NICE}],
        }
    }
    brought = bring(body(grounding=grounded(own, named)))
    assert brought.answer.own == {FIRST: {"leitlinie.pdf"}, SECOND: {"leitlinie.pdf", NICE}}
    assert brought.pages == {"leitlinie.pdf": ("excerpt", "Unter 30 absetzen."), NICE: ("excerpt", "Unter 45 prüfen.")}


def test_sources_that_no_stretch_names_are_those_of_the_whole_answer(bring: Bring) -> None:
    answer = bring(body(grounding={"groundingChunks": WEB})).answer
    assert answer.cited == [REDIRECT, NICE]
    assert not any(answer.own.values())


def test_several_candidates_are_several_answers(bring: Bring) -> None:
    value = body()
    value["candidates"].append({**candidate("Es kommt darauf an", finish="MAX_TOKENS"), "index": 1})
    assert [(one.id, one.finish) for one in bring(value).answers] == [("r7-0", "complete"), ("r7-1", "truncated")]


def test_a_blocked_prompt_is_a_refused_answer_without_text(bring: Bring) -> None:
    answer = bring(
        {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "modelVersion": "gemini-3", "responseId": "r8"}
    ).answer
    assert (answer.id, answer.text, answer.finish) == ("r8", "", "refused")


def chunks(cut: bool = False) -> list[dict[str, Any]]:
    rest = (
        []
        if cut
        else [
            {
                "candidates": [
                    {"content": {"parts": [{"text": ""}]}, "finishReason": "STOP", "groundingMetadata": grounded(*WEB)}
                ],
                "responseId": "r9",
                "modelVersion": "g",
            }
        ]
    )
    pieces = [candidate(TEXT[:40], {}, None), candidate(TEXT[40:], {}, None)]
    return [{"candidates": [piece], "responseId": "r9", "modelVersion": "g"} for piece in pieces] + rest


@pytest.mark.parametrize("cut", [False, True])
def test_an_array_of_chunks_and_a_stream_are_one_answer(bring: Bring, cut: bool) -> None:
    events = "".join(f"data: {json.dumps(one)}\r\n\r\n" for one in chunks(cut))
    for content, name in ((json.dumps(chunks(cut)), "array.json"), (events, "stream.txt")):
        answer = bring(content, name).answer
        assert (answer.id, answer.text, answer.finish) == ("r9", TEXT, "truncated" if cut else "complete")
        assert answer.own == ({FIRST: set(), SECOND: set()} if cut else {FIRST: {REDIRECT}, SECOND: {REDIRECT, NICE}})


def test_a_list_of_whole_answers_is_a_list_of_answers(bring: Bring) -> None:
    assert [one.id for one in bring([body(), body(responseId="r8"), body(responseId="r9")]).answers] == [
        "r7",
        "r8",
        "r9",
    ]


def test_lines_of_a_batch_with_key_or_request(bring: Bring) -> None:
    sent = {"contents": [{"role": "user", "parts": [{"text": ASKED}]}]}
    lines = [
        {"key": "q1", "response": body()},
        {"request": sent, "response": body(), "status": ""},
        {"request": sent, "response": {}, "status": "Bad Request: too long"},
    ]
    brought = bring("\n".join(map(json.dumps, lines)), "batch.jsonl")
    assert [(one.id, one.question) for one in brought.answers] == [("q1", ""), ("r7", ASKED)]
    assert [(bad.line, "too long" in bad.reason) for bad in brought.told.bad] == [(3, True)]


def test_the_library_for_python_writes_the_same_in_other_letters(bring: Bring) -> None:
    value = {
        "candidates": [
            {
                "content": {"parts": [{"text": TEXT, "thought": None}], "role": "model"},
                "finish_reason": "STOP",
                "grounding_metadata": {
                    "grounding_chunks": WEB,
                    "grounding_supports": [
                        {
                            "segment": {"start_index": None, "end_index": len(FIRST.encode()), "text": FIRST},
                            "grounding_chunk_indices": [1],
                        }
                    ],
                },
            }
        ],
        "model_version": "gemini-2.5-pro",
        "response_id": "r7",
        "create_time": "2026-02-03T10:00:00Z",
    }
    answer = bring(value).answer
    assert (answer.id, answer.model, answer.finish, answer.created) == (
        "r7",
        "gemini-2.5-pro",
        "complete",
        "2026-02-03T10:00:00Z",
    )
    assert answer.own == {FIRST: {NICE}, SECOND: set()}


def test_an_interaction_has_its_text_among_its_outputs(bring: Bring) -> None:
    cited = {"type": "url_citation", "url": NICE, "title": "NG28", "start_index": 0, "end_index": len(FIRST)}
    outputs = [
        {"type": "thought", "signature": "x"},
        {"type": "google_search_call", "id": "s1", "arguments": {"queries": ["metformin"]}},
        {"type": "google_search_result", "call_id": "s1", "result": [{"url": REDIRECT, "title": "Other"}]},
        {"type": "text", "text": TEXT, "annotations": [cited]},
    ]
    value = {
        "id": "v1_x",
        "object": "interaction",
        "model": "gemini-2.5-flash",
        "status": "completed",
        "outputs": outputs,
    }
    brought = bring({"request": {"model": "gemini-2.5-flash", "input": ASKED}, "response": value})
    answer = brought.answer
    assert (answer.id, answer.text, answer.question, answer.finish) == ("v1_x", TEXT, ASKED, "complete")
    assert answer.own == {FIRST: {NICE}, SECOND: set()}
    assert answer.cited == [NICE]
    assert brought.told.left == {"reasoning": 1, "tool call": 1}
