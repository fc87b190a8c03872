"""A file of each export of chats, log of an evaluation and data set, by its producer, and the answers in it."""

import json
from typing import Any, Final

from tests.exchange.producers import (
    test_chatgpt_export,
    test_chats,
    test_claude_export,
    test_data_sets,
    test_healthbench,
)

ASKED: Final = "Should the dose be changed for a patient on dialysis?"
REPLY: Final = "Metformin must not be given to patients on dialysis."
_READ: Final = ["The guideline advises against metformin for patients on dialysis."]
_ANSWERS: Final = (REPLY,)


def _chatgpt() -> Any:
    said = test_chatgpt_export.message("assistant", test_chatgpt_export.TEXT, metadata={"content_references": [
        test_chatgpt_export.grouped(test_chatgpt_export.TEXT.index(test_chatgpt_export.MARK))]})  # fmt: skip
    return [test_chatgpt_export.chat(test_chatgpt_export.ASKED, said)]


def _claude() -> Any:
    cited = {"start_index": 0, "end_index": len(test_claude_export.SAYS), "url": test_claude_export.PAGE}
    answer = test_claude_export.said("assistant", test_claude_export.text(test_claude_export.SAYS, citations=[cited]))
    return [test_claude_export.chat(test_claude_export.said("human", test_claude_export.text(ASKED)), answer)]


def _label_studio() -> Any:
    said = [{"type": "chatmessage", "from_name": "chat", "to_name": "chat",
             "value": {"chatmessage": {"role": role, "content": text, "createdAt": 1_761_626_730_907}}}
            for role, text in (("user", ASKED), ("assistant", REPLY))]  # fmt: skip
    return [{"id": 5, "data": {"chat": []}, "annotations": [{"id": 9, "result": said}]}]


def _inspect() -> Any:
    message = {
        "role": "assistant",
        "content": [{"type": "text", "text": REPLY, "citations": [{"url": "https://a.example/"}]}],
    }
    sample = {
        "id": 1,
        "epoch": 1,
        "input": [{"role": "user", "content": ASKED}],
        "target": "No.",
        "messages": [{"role": "system", "content": "Brief."}, {"role": "user", "content": ASKED}, message],
        "output": {"model": "atlas", "choices": [{"message": message, "stop_reason": "stop"}]},
        "scores": {"match": {"value": "C", "explanation": "…"}},
    }
    return {
        "version": 2,
        "eval": {"task": "t", "model": "atlas", "created": "2026-01-02T03:04:05Z"},
        "samples": [sample],
    }


def _promptfoo() -> Any:
    one = {
        "provider": {"id": "atlas"},
        "prompt": {"raw": ASKED, "label": "p"},
        "vars": {"drug": "metformin"},
        "response": {"output": REPLY},
        "gradingResult": {"pass": True, "reason": "…"},
        "score": 1,
        "testIdx": 0,
        "promptIdx": 0,
    }
    return {"evalId": "e", "results": {"version": 3, "timestamp": "2026-01-02T03:04:05Z", "results": [one]}}


def _kqa() -> Any:
    return {
        "Question": ASKED,
        "Free_form_answer": REPLY,
        "Must_have": ["Metformin is not given on dialysis."],
        "Nice_to_have": [],
        "Sources": "https://a.example/",
        "ICD_10_diag": None,
    }


def _expertqa() -> Any:
    claim = {"claim_string": REPLY, "evidence": ["[1] https://a.example/\n\nNot on dialysis."], "support": "Complete"}
    answer = {
        "answer_string": REPLY,
        "attribution": ["[1] https://a.example/"],
        "claims": [claim],
        "usefulness": "Useful",
    }
    return {"question": ASKED, "annotator_id": "7", "answers": {"ember": answer}, "metadata": {"field": "Medicine"}}


def _faithbench() -> Any:
    sample = {
        "sample_id": 0,
        "source": _READ[0],
        "summary": REPLY,
        "annotations": [],
        "metadata": {"summarizer": "a/b"},
    }
    return {"samples": [sample]}


_TURNS: Final = [{"role": "user", "content": ASKED}, {"role": "assistant", "content": REPLY}]
_IDEAL: Final = (test_healthbench.IDEAL, "Lay her on her side.", "Call an ambulance.")

LOGS: Final[dict[str, tuple[str, tuple[str, ...]]]] = {
    name: (content if isinstance(content, str) else json.dumps(content), answers)
    for name, content, answers in (
        (
            "ChatGPT export",
            _chatgpt(),
            ("Metformin is contraindicated below an eGFR of 30 mL/min. \n\nTake it with a meal.",),
        ),
        ("Claude export", _claude(), (test_claude_export.SAYS,)),
        ("Open WebUI", [test_chats.open_webui()], (test_chats.SAYS, "Never.")),
        ("LibreChat", test_chats.libre(), (test_chats.SAYS, "Never.", test_chats.QUESTION)),
        ("Label Studio", _label_studio(), _ANSWERS),
        ("Inspect", _inspect(), _ANSWERS),
        ("promptfoo", _promptfoo(), _ANSWERS),
        ("Ragas", {"user_input": ASKED, "response": REPLY, "retrieved_contexts": _READ, "reference": "No."}, _ANSWERS),
        (
            "DeepEval",
            {
                "testCases": [
                    {
                        "name": "t",
                        "input": ASKED,
                        "actualOutput": REPLY,
                        "expectedOutput": "No.",
                        "retrievalContext": _READ,
                    }
                ]
            },
            _ANSWERS,
        ),
        ("HealthBench", test_healthbench.example(), _IDEAL),
        ("ExpertQA", _expertqa(), _ANSWERS),
        ("AttributionBench", test_data_sets.attributed(), (test_data_sets.attributed()["response"],)),
        ("FaithBench", _faithbench(), _ANSWERS),
        (
            "MedQuAD",
            test_data_sets.PAGE,
            ("Key Points\n- Stay active.\n- Heat may help.\n\nMost back pain goes within < 6 weeks.",),
        ),
        (
            "LiveQA",
            test_data_sets.ANSWERED,
            (
                "No, it raises the risk of bleeding.",
                "Paracetamol is safer.",
                "Crystals of urate in a joint cause gout.",
            ),
        ),
        ("K-QA", _kqa(), _ANSWERS),
        ("log of messages", {"id": 7, "messages": _TURNS, "metadata": {"model": "atlas"}}, _ANSWERS),
    )
}
