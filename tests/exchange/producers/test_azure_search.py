"""Azure's sample application for search, in its present form and an earlier one."""

from typing import Any

import pytest

from tests.exchange.producers.conftest import Bring

TEXT = "Stop metformin when the eGFR is below 30 [renal-2.pdf#page=4]. It is a biguanide [drugs.pdf]."
POINTS = [
    "renal-2.pdf#page=4: Stop metformin below an eGFR of 30.",
    "drugs.pdf: Metformin: a biguanide.",
    "other.pdf: Not cited.",
]
ASKED = "When is metformin stopped?"


def present() -> dict[str, Any]:
    thoughts = [
        {"title": "Search using user query", "description": ASKED, "props": {"top": 3}},
        {"title": "Prompt to generate answer", "description": [], "props": {"model": "gpt-4.1-mini"}},
    ]
    context = {"data_points": {"text": POINTS, "citations": ["renal-2.pdf#page=4"], "images": []}, "thoughts": thoughts}
    return {"message": {"role": "assistant", "content": TEXT}, "context": context, "session_state": None}


def earlier() -> dict[str, Any]:
    told = {"message": {"role": "assistant", "content": TEXT}, "context": {"data_points": POINTS, "thoughts": "…"}}
    return {"choices": [told], "object": "chat.completion"}


@pytest.mark.parametrize(("value", "model", "question"), [(present(), "gpt-4.1-mini", ASKED), (earlier(), "", "")])
def test_names_of_files_in_brackets_are_marks_of_documents(bring: Bring, value: Any, model: str, question: str) -> None:
    brought = bring(value)
    answer = brought.answer
    assert (answer.text, answer.model, answer.question) == (TEXT, model, question)
    assert answer.cited == ["renal-2.pdf#page=4", "drugs.pdf"]
    assert list(answer.own.values()) == [{"renal-2.pdf#page=4"}, {"drugs.pdf"}]
    assert brought.pages["drugs.pdf"] == ("excerpt", "Metformin: a biguanide.")
