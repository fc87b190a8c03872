"""Claude's export: blocks of a message, citations in them, attached documents, branches."""

from typing import Any

from tests.exchange.producers.conftest import Bring

PAGE = "https://nhs.example/paracetamol"
SAYS = "Adults take at most 4 g of paracetamol in a day."
GUIDE = "Local rule: at most 3 g a day below 50 kg."


def said(sender: str, *blocks: dict[str, Any], **more: Any) -> dict[str, Any]:
    text = "".join(block.get("text", "") for block in blocks)
    return {
        "uuid": f"u-{sender}-{len(text)}", "sender": sender, "text": text, "content": list(blocks), "attachments": [],
        "created_at": "2025-03-01T10:00:00Z", "truncated": False, **more,
    }  # fmt: skip


def text(words: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": words, **more}


def chat(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"uuid": "c1", "name": "Paracetamol", "created_at": "2025-03-01T09:00:00Z", "chat_messages": list(messages),
            **more}  # fmt: skip


def test_blocks_of_text_are_the_answer_and_citations_stand_where_they_say(bring: Bring) -> None:
    whole = f"In short: {SAYS} Ask a pharmacist."
    cited = {"uuid": "x", "start_index": 10, "end_index": 10 + len(SAYS), "url": PAGE, "title": "Paracetamol",
             "details": {"type": "web_search_citation", "url": PAGE}}  # fmt: skip
    answer = said(
        "assistant",
        {"type": "thinking", "thinking": "Hm."},
        text("I look it up."),
        {"type": "tool_use", "name": "web_search", "input": {"query": "paracetamol"}},
        {"type": "tool_result", "content": [{"type": "knowledge", "text": "Results", "url": PAGE}]},
        text(f"<antThinking>Careful.</antThinking>\n\n{whole}",
             citations=[{**cited, "start_index": 38 + 10, "end_index": 38 + 10 + len(SAYS)}]),
    )  # fmt: skip
    whole_export = [chat(said("human", text("How much paracetamol?")), answer)]
    brought = bring(whole_export)
    found = brought.answer
    assert found.text == f"I look it up.\n\n{whole}"
    assert (found.question, found.created, found.id) == (
        "How much paracetamol?", "2025-03-01T10:00:00Z", answer["uuid"],
    )  # fmt: skip
    assert found.cited == [PAGE]
    assert [sentence for sentence, own in found.own.items() if own] == [f"In short: {SAYS}"]
    assert brought.told.left == {"reasoning": 2, "tool call": 2}
    assert found.extra == {"conversation": "Paracetamol", "conversation_id": "c1"}


def test_an_attached_document_is_a_source_of_the_answers_after_it(bring: Bring) -> None:
    attached = [{"file_name": "rules.txt", "extracted_content": GUIDE, "file_size": 42}, {"file_name": "scan.png"}]
    brought = bring(
        chat(
            said("human", text("How much?")),
            said("assistant", text(SAYS)),
            said("human", text("And by our rules?"), attachments=attached),
            said("assistant", text("At most 3 g below 50 kg.")),
        )
    )
    first, second = brought.answers
    assert (first.cited, second.cited) == ([], ["rules.txt"])
    assert brought.pages == {"rules.txt": ("given_with_the_answer", GUIDE)}
    assert second.turns == [("user", "How much?"), ("assistant", SAYS)]


def test_a_report_beside_the_conversation_is_a_part_of_the_answer(bring: Bring) -> None:
    made = {"command": "create", "type": "text/markdown", "content": f"# Doses\n\n{SAYS}",
            "md_citations": [{"start_index": 9, "end_index": 9 + len(SAYS), "url": PAGE, "title": "Paracetamol"}],
            }  # fmt: skip
    code = {"command": "create", "type": "application/vnd.ant.react", "content": "export default 1"}
    blocks = [{"type": "tool_use", "name": "artifacts", "input": one} for one in (made, code)]
    found = bring(chat(said("human", text("Write a report.")), said("assistant", text("Here it is."), *blocks))).answer
    assert found.text == f"Here it is.\n\n# Doses\n\n{SAYS}"
    assert found.own[SAYS] == {PAGE}


def test_a_branch_that_was_left_is_no_part_of_the_conversation(bring: Bring) -> None:
    messages = [said("human", text("How much?"), uuid="1", parent_message_uuid="0"),
                said("assistant", text("8 g."), uuid="2", parent_message_uuid="1"),  # a planted error
                said("assistant", text(SAYS), uuid="3", parent_message_uuid="1")]  # fmt: skip
    assert bring(chat(*messages)).answer.text == SAYS
    assert bring(chat(*messages, current_leaf_message_uuid="2")).answer.text == "8 g."


def test_a_message_without_blocks_has_its_text(bring: Bring) -> None:
    answer = bring(chat(said("human", text="How much?"), said("assistant", text=SAYS, truncated=True))).answer
    assert (answer.question, answer.text, answer.finish) == ("How much?", SAYS, "truncated")
