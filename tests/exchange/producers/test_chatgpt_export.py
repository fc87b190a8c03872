"""ChatGPT's export: the branch that was shown, and pages cited by marks in private characters."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from medreview import pipeline
from medreview.exchange.producers import ListedConversation, produced
from medreview.import_files import Chosen
from medreview.study import Study
from tests.exchange.producers.conftest import Bring

PAGE, OTHER = "https://nhs.example/metformin", "https://fda.example/metformin?label=2"
MARK = "\ue200cite\ue202turn0search0\ue202turn0search3\ue201"
TEXT = f"Metformin is contraindicated below an eGFR of 30 mL/min. {MARK}\n\nTake it with a meal."


def message(role: str, *parts: Any, **more: Any) -> dict[str, Any]:
    kind = more.pop("content_type", "text")
    metadata = more.pop("metadata", {})
    return {
        "author": {"role": role}, "content": {"content_type": kind, "parts": list(parts)}, "metadata": metadata,
        "recipient": "all", "status": "finished_successfully", "create_time": 1_756_000_002.5, "end_turn": True, **more,
    }  # fmt: skip


def chat(*messages: dict[str, Any], title: str = "Metformin", **more: Any) -> dict[str, Any]:
    """A conversation without branches; the name of each message is its number."""
    nodes = {"0": {"id": "0", "message": None, "parent": None, "children": ["1"]}}
    for number, one in enumerate(messages, 1):
        name = str(number)
        nodes[name] = {
            "id": name,
            "message": {"id": f"{title}-{name}", **one},
            "parent": str(number - 1),
            "children": [],
        }
    return {
        "title": title, "create_time": 1_756_000_000, "mapping": nodes, "current_node": str(len(messages)),
        "conversation_id": f"c-{title}", "default_model_slug": "gpt-5", **more,
    }  # fmt: skip


ASKED = message("user", "Is metformin safe at an eGFR of 25?")


def grouped(start: int, mark: str = MARK, **more: Any) -> dict[str, Any]:
    item = {"title": "Metformin", "url": f"{PAGE}?utm_source=chatgpt.com", "snippet": "Do not take it if eGFR < 30.",
            "supporting_websites": [{"title": "Label", "url": OTHER}]}  # fmt: skip
    return {
        "type": "grouped_webpages", "matched_text": mark, "start_idx": start, "end_idx": start + len(mark),
        "items": [item], **more,
    }  # fmt: skip


@pytest.mark.parametrize("wrong", [0, 7])
def test_a_mark_goes_and_its_pages_belong_to_the_sentence_before_it(bring: Bring, wrong: int) -> None:
    about = {"model_slug": "gpt-5-thinking", "content_references": [grouped(TEXT.index(MARK) + wrong)],
             "finish_details": {"type": "stop"}}  # fmt: skip
    brought = bring([chat(ASKED, message("assistant", TEXT, metadata=about))])
    answer = brought.answer
    assert answer.text == "Metformin is contraindicated below an eGFR of 30 mL/min.\n\nTake it with a meal."
    assert (answer.id, answer.question, answer.model) == (
        "Metformin-2",
        "Is metformin safe at an eGFR of 25?",
        "gpt-5-thinking",
    )
    assert (answer.created, answer.finish) == ("2025-08-24T01:46:42+00:00", "complete")
    assert answer.cited == [PAGE, OTHER]
    assert answer.own == {
        "Metformin is contraindicated below an eGFR of 30 mL/min.": {PAGE, OTHER},
        "Take it with a meal.": set(),
    }
    assert brought.pages == {PAGE: ("excerpt", "Do not take it if eGFR < 30.")}
    assert (brought.told.producer, answer.extra["conversation"]) == ("ChatGPT export", "Metformin")


def test_old_marks_stay_and_are_found_by_their_number_where_the_place_is_wrong(bring: Bring) -> None:
    text = "Rest helps【3:0†source】. Ice helps【3:4†source】."
    cited = [
        {"start_ix": start, "end_ix": start + 12,
         "metadata": {"title": url, "url": url, "extra": {"cited_message_idx": 3, "search_result_idx": result}}}
        for start, url, result in ((text.index("【"), PAGE, 0), (3, OTHER, 4))
    ]  # fmt: skip
    answer = bring(chat(ASKED, message("assistant", text, metadata={"citations": cited}))).answer
    assert answer.text == text
    assert list(answer.own.values()) == [{PAGE}, {OTHER}]


def test_a_mark_that_stands_for_words_becomes_them(bring: Bring) -> None:
    named = '\ue200entity\ue202["drug","metformin","biguanide"]\ue201'
    text = f"Stop {named} before contrast. See \ue200url\ue202the label\ue202turn0search1\ue201.\ue200cite\ue202turn0se"
    assert (
        bring(chat(ASKED, message("assistant", text))).answer.text == "Stop metformin before contrast. See the label."
    )


def test_only_what_the_user_saw_is_in_the_conversation(bring: Bring) -> None:
    brought = bring(
        chat(
            message("system", ""),
            {**message("user", content_type="user_editable_context"), "weight": 0},
            ASKED,
            message("assistant", "The user asks ...", content_type="thoughts"),
            message("assistant", "I look it up.", channel="commentary"),
            message("assistant", "search(egfr)", recipient="web", content_type="code"),
            message("tool", "Results of a search"),
            message("assistant", "Let me check. ", end_turn=False),
            message("tool", "More results"),
            message("assistant", "No: below 30 it is contraindicated."),
            message("user", {"content_type": "image_asset_pointer"}, "And at 35?", content_type="multimodal_text"),
            message("assistant", "Halve the", status="in_progress", end_turn=None),
        )
    )
    first, second = brought.answers
    assert first.text == "Let me check. \n\nNo: below 30 it is contraindicated."
    assert (first.question, first.turns) == ("Is metformin safe at an eGFR of 25?", [])
    assert (second.question, second.finish) == ("And at 35?", "truncated")
    assert second.turns == [("user", first.question), ("assistant", first.text)]
    assert brought.told.left == {"reasoning": 2, "tool call": 3}


def test_the_branch_that_was_shown_last_is_the_conversation(bring: Bring) -> None:
    one = chat(ASKED, message("assistant", "Yes."), message("assistant", "No."))
    one["mapping"]["3"]["parent"] = "1"
    assert bring([one]).answer.text == "No."
    one["current_node"] = "2"
    assert bring([one]).answer.text == "Yes."
    one["current_node"] = "gone"
    assert bring([one]).answer.text == "No."


def test_a_zip_is_read_and_conversations_are_chosen_by_words_id_and_date(tmp_path: Path, study: Study) -> None:
    said = message("assistant", "No.")
    chats = [
        chat(ASKED, said, title="Metformin and eGFR"),
        chat(
            ASKED, {**said, "create_time": 1_766_000_000}, ASKED, {**said, "create_time": 1_766_000_001}, title="Pasta"
        ),
    ]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("group_chats.json", '{"chats": []}')
        archive.writestr("conversations.json", json.dumps([*chats, {"title": "Corrupted"}]))
        archive.writestr("user.json", '{"email": "someone@mail.example"}')
    path = tmp_path / "export.zip"
    path.write_bytes(packed.getvalue())

    def taken(only: str = "", since: str = "") -> list[ListedConversation]:
        answers = produced(path, Chosen(only=only, since=since))
        assert answers is not None
        return answers.choices()

    first = ListedConversation("Metformin and eGFR", "c-Metformin and eGFR", "2025-08-24T01:46:42+00:00", 1)
    second = ListedConversation("Pasta", "c-Pasta", "2025-12-17T19:33:20+00:00", 2)
    assert taken() == [first, second]
    assert taken(only="egfr METFORMIN") == taken(only="c-Metformin and eGFR") == [first]
    assert taken(only="aspirin") == []
    assert taken(since="2025-09-01") == [second]
    assert pipeline.bring_in(study, path, {}).added == 3
