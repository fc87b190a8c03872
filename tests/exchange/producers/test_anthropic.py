"""Anthropic's Messages: the five kinds of citation, documents, streams and batches."""

import json
from typing import Any

import pytest

from tests.exchange.producers.conftest import Bring

ASKED = "When should metformin be stopped?"
GUIDE = "Metformin is renally cleared. Stop metformin when the eGFR is below 30. Review the dose below 45."
QUOTE = "Stop metformin when the eGFR is below 30."
CLAIM = "Metformin should be stopped when the eGFR falls below 30."
URL = "https://nice.example/ng28"


def message(*blocks: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-x",
        "content": list(blocks),
        "stop_reason": "end_turn",
        "usage": {"output_tokens": 9},
        **more,
    }


def text(words: str, *citations: dict[str, Any]) -> dict[str, Any]:
    return {"type": "text", "text": words, **({"citations": list(citations)} if citations else {})}


def asked(*blocks: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"model": "claude-x", "messages": [{"role": "user", "content": [*blocks, text(ASKED)]}], **more}


def document(source: dict[str, Any], title: str | None = None) -> dict[str, Any]:
    return {"type": "document", "source": source, "citations": {"enabled": True}, **({"title": title} if title else {})}


PLAIN = {"type": "text", "media_type": "text/plain", "data": GUIDE}
OTHER = {"type": "text", "media_type": "text/plain", "data": "Aspirin is an antiplatelet drug."}
CHAR = {
    "type": "char_location",
    "cited_text": QUOTE,
    "document_index": 0,
    "document_title": "Guide",
    "start_char_index": 30,
    "end_char_index": 71,
}
PAGE = {
    "type": "page_location",
    "cited_text": QUOTE,
    "document_index": 0,
    "document_title": "guide.pdf",
    "start_page_number": 12,
    "end_page_number": 13,
}
BLOCK = {
    "type": "content_block_location",
    "cited_text": QUOTE,
    "document_index": 0,
    "document_title": None,
    "start_block_index": 1,
    "end_block_index": 2,
}
WEB = {"type": "web_search_result_location", "url": URL, "title": "NG28", "encrypted_index": "x", "cited_text": QUOTE}
FOUND = {
    "type": "search_result_location",
    "source": "kb/guide",
    "title": "Local guide",
    "cited_text": QUOTE,
    "search_result_index": 0,
    "start_block_index": 0,
    "end_block_index": 1,
}


@pytest.mark.parametrize(
    ("sent", "citation", "name", "page"),
    [
        (asked(document(PLAIN, "Guide")), CHAR, "Guide", ("given_with_the_answer", GUIDE)),
        (
            asked(document({"type": "base64", "media_type": "application/pdf", "data": "JVBE"}, "guide.pdf")),
            PAGE,
            "guide.pdf",
            ("excerpt", QUOTE),
        ),
        (
            asked(document({"type": "content", "content": [text("Metformin is renally cleared."), text(QUOTE)]})),
            BLOCK,
            "document 1",
            ("given_with_the_answer", f"Metformin is renally cleared.\n{QUOTE}"),
        ),
        (asked(), WEB, URL, ("excerpt", QUOTE)),
        (
            asked({"type": "search_result", "source": "kb/guide", "title": "Local guide", "content": [text(GUIDE)]}),
            FOUND,
            "Local guide",
            ("given_with_the_answer", GUIDE),
        ),
    ],
    ids=["char", "page", "block", "web", "search"],
)
def test_a_block_is_a_stretch_with_the_source_that_its_citation_names(
    bring: Bring, sent: dict[str, Any], citation: dict[str, Any], name: str, page: tuple[str, str]
) -> None:
    brought = bring({"request": sent, "response": message(text(CLAIM, citation), text(" It is a biguanide."))})
    answer = brought.answer
    assert (answer.text, answer.question, answer.id) == (f"{CLAIM} It is a biguanide.", ASKED, "msg_1")
    assert answer.own == {CLAIM: {name}, "It is a biguanide.": set()}
    assert answer.quotes == [QUOTE]
    assert brought.pages == {name: page}
    assert brought.told.ranges == 1


def test_the_page_of_a_quote_is_kept_beside_it(bring: Bring) -> None:
    answer = bring(message(text(CLAIM, PAGE))).answer
    assert answer.extra["cited_pages"] == [f"guide.pdf, page 12: {QUOTE}"]


def test_a_document_is_found_by_its_words_when_its_number_is_off(bring: Bring) -> None:
    sent = asked(document(OTHER, "Aspirin"), document(PLAIN, "Guide"))
    answer = bring({"request": sent, "response": message(text(CLAIM, CHAR))}).answer
    assert answer.own == {CLAIM: {"Guide"}}


def test_a_page_that_was_fetched_is_a_whole_source_and_what_was_only_found_is_none(bring: Bring) -> None:
    fetched = {
        "type": "web_fetch_tool_result",
        "tool_use_id": "t2",
        "content": {"type": "web_fetch_result", "url": URL, "content": document(PLAIN, "NG28")},
    }
    found = {
        "type": "web_search_tool_result",
        "tool_use_id": "t1",
        "content": [
            {"type": "web_search_result", "url": "https://other.example/", "title": "Other", "encrypted_content": "x"}
        ],
    }
    brought = bring(
        message(
            {"type": "thinking", "thinking": "Hm."},
            {"type": "server_tool_use", "name": "web_search"},
            found,
            fetched,
            text(CLAIM, CHAR),
        )
    )
    assert brought.answer.cited == [URL]
    assert brought.pages == {URL: ("given_with_the_answer", GUIDE)}
    assert brought.told.left == {"reasoning": 1, "tool call": 1}


def test_system_prompt_and_earlier_turns_come_with_the_answer(bring: Bring) -> None:
    sent = asked(system=[{"type": "text", "text": "Be brief."}])
    sent["messages"] = [
        {"role": "user", "content": "What is metformin?"},
        {"role": "assistant", "content": [text("A "), text("biguanide.", WEB)]},
        *sent["messages"],
    ]
    answer = bring({"request": sent, "response": message(text(CLAIM))}).answer
    assert answer.turns == [("system", "Be brief."), ("user", "What is metformin?"), ("assistant", "A biguanide.")]


@pytest.mark.parametrize(("reason", "finish"), [("refusal", "refused"), ("max_tokens", "truncated")])
def test_how_it_ended(bring: Bring, reason: str, finish: str) -> None:
    blocks = [] if reason == "refusal" else [text(CLAIM)]
    assert bring(message(*blocks, stop_reason=reason)).answer.finish == finish


@pytest.mark.parametrize("cut", [False, True])
def test_a_stream_is_one_answer_with_its_citations(bring: Bring, cut: bool) -> None:
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": message(stop_reason=None)},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Hm."}},
        {"type": "ping"},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": "", "citations": []}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "citations_delta", "citation": WEB}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": CLAIM[:20]}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": CLAIM[20:]}},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
    ]
    sent = "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events[: -1 if cut else None])
    brought = bring(sent, "stream.txt")
    assert (brought.answer.text, brought.answer.finish) == (CLAIM, "truncated" if cut else "complete")
    assert brought.answer.own == {CLAIM: {URL}}
    assert brought.told.left == {"reasoning": 1}


def test_lines_of_a_batch(bring: Bring) -> None:
    lines = [
        {"custom_id": "q1", "result": {"type": "succeeded", "message": message(text(CLAIM))}},
        {"custom_id": "q2", "result": {"type": "errored", "error": {"type": "invalid_request"}}},
        {"custom_id": "q3", "result": {"type": "expired"}},
    ]
    brought = bring("\n".join(map(json.dumps, lines)), "results.jsonl")
    assert (brought.answer.id, brought.answer.text) == ("q1", CLAIM)
    assert [bad.line for bad in brought.told.bad] == [2, 3]


def test_a_passage_cut_out_of_a_page_is_read_as_its_reader_sees_it(bring: Bring) -> None:
    cited = {**WEB, "cited_text": "Don&#x27;t start metformin below an eGFR of 30 &amp; stop it there."}
    brought = bring(json.dumps(message(text(CLAIM, cited))), "a.json")
    passage = "Don't start metformin below an eGFR of 30 & stop it there."
    assert brought.answer.quotes == [passage]
    assert brought.pages[URL] == ("excerpt", passage)
