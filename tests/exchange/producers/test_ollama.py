"""Ollama's own API: chat and generate, at once and piece by piece."""

import json
from typing import Any

import pytest

from tests.exchange.producers.conftest import Bring

TEXT = "Take paracetamol with or without food."
STATS = {"total_duration": 4648158584, "prompt_eval_count": 26, "eval_count": 298}


def told(**more: Any) -> dict[str, Any]:
    return {"model": "llama3.2", "created_at": "2026-03-04T08:52:19.385406Z", **more}


@pytest.mark.parametrize(
    ("request_", "response"),
    [
        (
            {"messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "With food?"}]},
            told(
                message={"role": "assistant", "content": TEXT, "thinking": "Hm."},
                done=True,
                done_reason="stop",
                **STATS,
            ),
        ),
        (
            {"system": "Be brief.", "prompt": "With food?", "options": {"temperature": 0}},
            told(response=f"<think>Hm.</think>{TEXT}", done=True, done_reason="stop", context=[1, 2], **STATS),
        ),
    ],
)
def test_an_answer_of_chat_and_one_of_generate(
    bring: Bring, request_: dict[str, Any], response: dict[str, Any]
) -> None:
    brought = bring({"request": request_, "response": response})
    answer = brought.answer
    assert (answer.text, answer.question, answer.model) == (TEXT, "With food?", "llama3.2")
    assert (answer.created[:10], answer.finish, answer.turns) == ("2026-03-04", "complete", [("system", "Be brief.")])
    assert brought.told.left == {"reasoning": 1}


@pytest.mark.parametrize(("end", "finish"), [("stop", "complete"), ("length", "truncated"), (None, "truncated")])
def test_lines_that_are_pieces_are_one_answer(bring: Bring, end: str | None, finish: str) -> None:
    pieces = [told(message={"role": "assistant", "content": word}, done=False) for word in (TEXT[:10], TEXT[10:])]
    if end is not None:
        pieces.append(told(message={"role": "assistant", "content": ""}, done=True, done_reason=end, **STATS))
    answer = bring("\n".join(map(json.dumps, pieces)), "ollama.jsonl").answer
    assert (answer.text, answer.finish) == (TEXT, finish)
