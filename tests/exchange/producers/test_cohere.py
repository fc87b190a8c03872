"""Cohere's chat, both versions, at once and as a stream."""

import json
from typing import Any

from tests.exchange.producers.conftest import Bring

TEXT = "Ibuprofen is an NSAID. It should be avoided from week 20 of pregnancy."
SAFE = "It should be avoided from week 20 of pregnancy"
AT = TEXT.index(SAFE)
DOCUMENT = {"id": "doc:0", "title": "nsaids.txt", "text": "Avoid NSAIDs from week 20 of pregnancy."}
CITATION = {
    "start": AT,
    "end": AT + len(SAFE),
    "text": SAFE,
    "type": "TEXT_CONTENT",
    "sources": [{"type": "document", "id": "doc:0", "document": DOCUMENT}],
}
NAME = "nsaids.txt (doc:0)"
OWN = {"Ibuprofen is an NSAID.": set(), f"{SAFE}.": {NAME}}


def v2(**more: Any) -> dict[str, Any]:
    content = [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": TEXT}]
    return {
        "id": "c7",
        "finish_reason": "COMPLETE",
        "message": {"role": "assistant", "content": content, **more},
        "usage": {},
    }


def test_version_2_cites_documents_by_stretches_of_a_part(bring: Bring) -> None:
    sent = {"model": "command-a", "messages": [{"role": "user", "content": "Is ibuprofen safe?"}]}
    brought = bring({"request": sent, "response": v2(citations=[{**CITATION, "content_index": 1}])})
    answer = brought.answer
    assert (answer.id, answer.text, answer.question, answer.model) == ("c7", TEXT, "Is ibuprofen safe?", "command-a")
    assert answer.own == OWN
    assert brought.pages == {NAME: ("excerpt", DOCUMENT["text"])}
    assert brought.told.left == {"reasoning": 1}


def test_what_a_tool_found_has_an_address_or_what_it_said(bring: Bring) -> None:
    sources = [
        {
            "type": "tool",
            "id": "search:0",
            "tool_output": {
                "url": "https://nhs.example/ibuprofen",
                "title": "Ibuprofen",
                "snippet": "Avoid from week 20.",
            },
        },
        {"type": "tool", "id": "lookup:1", "tool_output": {"result": {"from_week": 20}}},
    ]
    brought = bring(v2(citations=[{**CITATION, "sources": sources, "content_index": 1}]))
    assert brought.answer.own[f"{SAFE}."] == {"https://nhs.example/ibuprofen", "lookup:1"}
    assert brought.pages["lookup:1"] == ("excerpt", '{"from_week": 20}')


HISTORY = [
    {"role": "USER", "message": "Hello"},
    {"role": "CHATBOT", "message": "Hello!"},
    {"role": "USER", "message": "Is ibuprofen safe?"},
    {"role": "CHATBOT", "message": TEXT},
]


def v1() -> dict[str, Any]:
    cited = {"start": AT, "end": AT + len(SAFE), "text": SAFE, "document_ids": ["doc_0"]}
    return {
        "text": TEXT,
        "generation_id": "g1",
        "response_id": "c8",
        "finish_reason": "MAX_TOKENS",
        "citations": [cited],
        "documents": [
            {"id": "doc_0", "title": "NHS", "snippet": "Avoid from week 20.", "url": "https://nhs.example/i"}
        ],
        "chat_history": HISTORY,
        "meta": {"api_version": {"version": "1"}},
    }


def test_version_1_has_its_history_with_it(bring: Bring) -> None:
    brought = bring(v1())
    answer = brought.answer
    assert (answer.id, answer.question, answer.finish) == ("c8", "Is ibuprofen safe?", "truncated")
    assert answer.turns == [("user", "Hello"), ("assistant", "Hello!")]
    assert answer.own[f"{SAFE}."] == {"https://nhs.example/i"}


def test_version_1_with_its_request(bring: Bring) -> None:
    sent = {"model": "command-r", "message": "Is ibuprofen safe?", "chat_history": HISTORY[:2]}
    answer = bring({"request": sent, "response": v1()}).answer
    assert (answer.question, answer.model) == ("Is ibuprofen safe?", "command-r")
    assert answer.turns == [("user", "Hello"), ("assistant", "Hello!")]


def test_streams_of_both_versions(bring: Bring) -> None:
    pieces: list[dict[str, Any]] = [
        {
            "type": "message-start",
            "id": "c9",
            "delta": {"message": {"role": "assistant", "content": [], "citations": []}},
        },
        {"type": "content-start", "index": 0, "delta": {"message": {"content": {"type": "text", "text": ""}}}},
        {"type": "content-delta", "index": 0, "delta": {"message": {"content": {"text": TEXT[:30]}}}},
        {"type": "content-delta", "index": 0, "delta": {"message": {"content": {"text": TEXT[30:]}}}},
        {"type": "citation-start", "index": 0, "delta": {"message": {"citations": CITATION}}},
        {"type": "message-end", "delta": {"finish_reason": "COMPLETE"}},
    ]
    stream = "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in pieces)
    second = bring(stream, "v2.txt").answer
    assert (second.id, second.text, second.own, second.finish) == ("c9", TEXT, OWN, "complete")
    old: list[dict[str, Any]] = [
        {"is_finished": False, "event_type": "stream-start", "generation_id": "g1"},
        {"is_finished": False, "event_type": "text-generation", "text": TEXT},
        {"is_finished": True, "event_type": "stream-end", "finish_reason": "MAX_TOKENS", "response": v1()},
    ]
    first = bring("\n".join(map(json.dumps, old)), "v1.jsonl").answer
    assert (first.id, first.text, first.finish) == ("c8", TEXT, "truncated")
