"""Chats of programs that people run themselves, and lists of messages with roles."""

import json
from pathlib import Path
from typing import Any

import pytest

from medreview import Chosen, pipeline
from medreview.errors import UserError
from medreview.import_files import preview
from medreview.study import Study
from tests.exchange.producers.conftest import Bring

PAGE, OTHER = "https://nhs.example/sepsis", "https://who.example/sepsis"
QUESTION, SAYS = "When are antibiotics given in septic shock?", "Antibiotics are given within one hour."
DETAILS = '<details type="reasoning" done="true" duration="3">\n<summary>Thought</summary>\n> Hm.\n</details>\n'


def open_webui(**answer: Any) -> dict[str, Any]:
    messages = {
        "q": {"id": "q", "parentId": None, "childrenIds": ["x", "a"], "role": "user", "content": QUESTION},
        "x": {"id": "x", "parentId": "q", "childrenIds": [], "role": "assistant", "content": "Never.", "model": "m"},
        "a": {"id": "a", "parentId": "q", "childrenIds": [], "role": "assistant", "content": DETAILS + SAYS,
              "model": "deepseek-r1:14b", "timestamp": 1_700_000_010, **answer},
    }  # fmt: skip
    chat = {"title": "Sepsis", "models": ["llama3"], "history": {"messages": messages, "currentId": "a"}}
    return {"id": "chat-1", "user_id": "u", "title": "Sepsis", "chat": chat, "created_at": 1_700_000_000}


@pytest.mark.parametrize("alone", [False, True])
def test_open_webui_shows_one_branch_and_keeps_reasoning_apart(bring: Bring, alone: bool) -> None:
    brought = bring(open_webui()["chat"] if alone else [open_webui()])
    answer = brought.answer
    assert (answer.text, answer.question, answer.model) == (SAYS, QUESTION, "deepseek-r1:14b")
    assert (answer.created, answer.id, answer.producer) == ("2023-11-14T22:13:30+00:00", "a", "Open WebUI")
    assert (brought.told.left, answer.extra["conversation"]) == ({"reasoning": 1}, "Sepsis")


def test_open_webui_numbers_its_sources_by_their_names(bring: Bring) -> None:
    sources = [
        {"source": {"id": "f1", "name": "sepsis.pdf"}, "document": ["Within one hour.", "Take cultures."],
         "metadata": [{"source": "sepsis.pdf", "page": 4}, {"source": "sepsis.pdf", "page": 5}]},
        {"source": {"name": "search"}, "document": ["Do not wait."], "metadata": [{"source": PAGE, "title": "Sepsis"}]},
    ]  # fmt: skip
    brought = bring([open_webui(content=f"{SAYS[:-1]} [2]. Take cultures first [1].", sources=sources)])
    assert brought.answer.cited == ["sepsis.pdf", PAGE]
    assert list(brought.answer.own.values()) == [{PAGE}, {"sepsis.pdf"}]
    assert brought.pages == {
        "sepsis.pdf": ("excerpt", "Within one hour.\n\nTake cultures."), PAGE: ("excerpt", "Do not wait."),
    }  # fmt: skip


def test_open_webui_says_that_an_answer_failed(bring: Bring) -> None:
    answer = bring([open_webui(content="", error={"content": "no connection"})]).answer
    assert (answer.text, answer.finish) == ("", "error")


def libre(**answer: Any) -> dict[str, Any]:
    said = {"messageId": "a", "parentMessageId": "q", "isCreatedByUser": False, "sender": "Claude", "text": SAYS,
            "model": "claude-opus-4", "createdAt": "2025-04-09T14:32:05.242Z", "children": [], **answer}  # fmt: skip
    older = {**said, "messageId": "x", "text": "Never.", "createdAt": "2025-04-09T14:31:00.000Z"}
    question = {"messageId": "q", "parentMessageId": "00000000-0000-0000-0000-000000000000", "isCreatedByUser": True,
                "sender": "User", "text": QUESTION, "createdAt": "2025-04-09T14:30:00.000Z"}  # fmt: skip
    return {"conversationId": "c", "title": "Sepsis", "recursive": True, "options": {"model": "gpt-4o"},
            "messagesTree": [{**question, "children": [said, older]}]}  # fmt: skip


def test_librechat_takes_the_newest_branch(bring: Bring) -> None:
    answer = bring(libre()).answer
    assert (answer.text, answer.question, answer.model) == (SAYS, QUESTION, "claude-opus-4")
    assert (answer.id, answer.created, answer.producer) == ("a", "2025-04-09T14:32:05.242Z", "LibreChat")
    tree = libre(model=None)["messagesTree"]
    question, (said, _) = tree[0], tree[0].pop("children")
    assert bring({"conversationId": "c", "messages": [question, said]}).answer.model == "Claude"


def test_librechat_points_at_results_of_its_searches(bring: Bring) -> None:
    search = {"turn": 0, "organic": [{"link": OTHER}, {"link": PAGE, "title": "Sepsis", "snippet": "Within 1 h."}]}
    parts = [{"type": "think", "think": "Hm."}, {"type": "tool_call", "tool_call": {"name": "web_search"}},
             {"type": "text", "text": f"{SAYS} \ue202turn0search1 Take cultures first."}]  # fmt: skip
    brought = bring(libre(text="", content=parts, attachments=[{"type": "web_search", "web_search": search}]))
    assert brought.answer.text == f"{SAYS} Take cultures first."
    assert brought.answer.own == {SAYS: {PAGE}, "Take cultures first.": set()}
    assert brought.pages == {PAGE: ("excerpt", "Within 1 h.")}
    assert brought.told.left == {"reasoning": 1, "tool call": 1}


TURNS = [("system", "Be brief."), ("user", "What is sepsis?"), ("assistant", "Organ dysfunction by infection."),
         ("user", QUESTION), ("assistant", SAYS)]  # fmt: skip


@pytest.mark.parametrize(
    "value",
    [
        {"messages": [{"role": role, "content": text} for role, text in TURNS]},
        {"conversations": [{"from": {"user": "human", "assistant": "gpt"}.get(role, role), "value": text}
                           for role, text in TURNS]},
        [{"role": role, "content": [{"type": "text", "text": text}]} for role, text in TURNS],
        {"version": 4, "folders": [],
         "history": [{"id": "h", "messages": [{"role": role, "content": text} for role, text in TURNS]}]},
        {"prompt": [{"role": role, "content": text} for role, text in TURNS[:-1]],
         "completion": [{"role": role, "content": text} for role, text in TURNS[-1:]]},
    ],
)  # fmt: skip
def test_each_turn_of_the_assistant_is_an_answer_and_no_turn_of_the_user(bring: Bring, value: Any) -> None:
    first, second = bring(value).answers
    assert [(one.question, one.text) for one in (first, second)] == [(TURNS[1][1], TURNS[2][1]), (QUESTION, SAYS)]
    assert first.turns == TURNS[:1]
    assert second.turns == TURNS[:3]
    assert first.producer == "log of messages"


def test_a_line_of_a_log_has_id_model_and_date(bring: Bring) -> None:
    messages = [{"role": "user", "content": QUESTION}, {"role": "assistant", "content": None, "tool_calls": [{}]},
                {"role": "tool", "content": "found"},
                {"role": "assistant", "content": f"<think>Hm.</think>{SAYS}"}]  # fmt: skip
    log = {"id": 7, "messages": messages, "metadata": {"model": "atlas-2"}, "created_at": "2025-04-09T14:32:05Z"}
    brought = bring([log])
    answer = brought.answer
    assert (answer.id, answer.model, answer.created, answer.text) == ("7", "atlas-2", log["created_at"], SAYS)
    assert brought.told.left == {"reasoning": 1}


def test_messages_beside_an_answer_are_no_answers(bring: Bring) -> None:
    messages = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hello!"}]
    brought = bring({"question": QUESTION, "response": SAYS, "messages": messages})
    assert (brought.answer.text, brought.answer.producer) == (SAYS, "")


def test_label_studio_goes_on_with_the_chat_of_its_task(bring: Bring) -> None:
    def result(role: str, content: str) -> dict[str, Any]:
        said = {"role": role, "content": content, "createdAt": 1_761_626_730_907}
        return {"type": "chatmessage", "value": {"chatmessage": said}, "from_name": "chat", "to_name": "chat"}

    rated = {"type": "rating", "value": {"rating": 4}, "from_name": "safety", "to_name": "chat"}
    begun = [{"role": role, "content": text} for role, text in TURNS[1:3]]
    task = {"id": 5, "data": {"scenario": "A student asks.", "chat": begun},
            "annotations": [{"id": 9, "result": [result("user", QUESTION), result("assistant", SAYS), rated]}],
            }  # fmt: skip
    first, second = bring([task]).answers
    assert [(one.id, one.question, one.text) for one in (first, second)] == [
        ("5-1", TURNS[1][1], TURNS[2][1]), ("5-2", QUESTION, SAYS),
    ]  # fmt: skip
    assert (second.created, second.turns) == ("2025-10-28T04:45:30+00:00", TURNS[1:3])
    assert second.extra == {"scenario": "A student asks.", "safety": 4}


def history(folder: Path, count: int, **said: str) -> Path:
    """A chat a day, on the dose of one medicine each; ``said``: the answer of the chat of a number."""
    chats = [
        {
            "uuid": f"c{number}",
            "name": f"Dose of medicine {number}",
            "created_at": f"2026-{1 + number // 28:02d}-{1 + number % 28:02d}T08:00:00Z",
            "updated_at": "2026-11-01T08:00:00Z",
            "chat_messages": [
                {"sender": "human", "text": f"What is the dose of medicine {number}?"},
                {
                    "sender": "assistant",
                    "text": said.get(f"n{number}", "Halve it below 30."),
                    "created_at": f"2026-{1 + number // 28:02d}-{1 + number % 28:02d}T08:00:09Z",
                },
            ],
        }
        for number in range(count)
    ]
    path = folder / "conversations.json"
    path.write_text(json.dumps(chats))
    return path


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return Study.create(tmp_path / "s.medreview")


def questions(study: Study) -> list[str]:
    return [row[0] for row in study.reader.execute("SELECT question FROM response ORDER BY ordinal")]


def test_more_than_twenty_chats_are_refused_until_it_is_said_which(study: Study, tmp_path: Path) -> None:
    path = history(tmp_path, 30)
    with pytest.raises(UserError, match="30 conversations; say which with --only") as refused:
        pipeline.bring_in(study, path, {})
    assert "2026-02-02 Dose of medicine 29" in str(refused.value)
    assert questions(study) == []
    assert len(preview(path, {}).chats) == 30
    pipeline.bring_in(study, path, {}, chosen=Chosen(only="medicine 24"))
    assert questions(study) == ["What is the dose of medicine 24?"]
    assert pipeline.bring_in(study, path, {}, chosen=Chosen(since="2026-02-01")).added == 2
    assert pipeline.bring_in(study, path, {}, chosen=Chosen(everything=True)).added == 27


def test_an_answer_that_cannot_be_stored_costs_itself_alone(study: Study, tmp_path: Path) -> None:
    done = pipeline.bring_in(study, history(tmp_path, 3, n1="Half a \ud83d character."), {})
    assert (done.added, len(done.bad)) == (2, 1)
