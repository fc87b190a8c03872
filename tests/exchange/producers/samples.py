"""A rich file of each producer, by its name, and the answers in it."""

import json
from typing import Any, Final

from tests.exchange.producers import (
    test_anthropic,
    test_azure_search,
    test_bedrock,
    test_cohere,
    test_data_sets,
    test_gemini,
    test_healthbench,
    test_ollama,
    test_openai_chat,
)
from tests.exchange.producers.samples_of_logs import SAMPLES_OF_LOGS

ASKED: Final = "Should the dose be changed for a patient on dialysis?"
REPLY: Final = "Metformin must not be given to patients on dialysis.[1] Gabapentin is given in a lower dose.[2]"
_URLS: Final = ["https://nice.example/ng28", "https://bnf.example/gabapentin"]


def _chat() -> Any:
    message = {
        "content": [
            {"type": "thinking", "thinking": []},
            {"type": "text", "text": REPLY},
            {"type": "reference", "reference_ids": [0]},
        ],
        "annotations": [
            {
                "type": "url_citation",
                "url_citation": {"url": _URLS[0], "start_index": 5, "end_index": 20, "title": "NG28"},
            }
        ],
        "context": {
            "citations": [{"content": "Not on dialysis.", "title": "Renal", "filepath": "renal.pdf", "url": None}]
        },
        "executed_tools": [{"search_results": {"results": [{"url": _URLS[1], "content": "Reduce.", "title": "BNF"}]}}],
    }
    tool = {"role": "tool", "content": json.dumps([{"url": _URLS[0], "title": "NG28", "text": "Not on dialysis."}])}
    request = {
        "temperature": 0,
        "messages": [{"role": "system", "content": "Brief."}, {"role": "user", "content": ASKED}, tool],
    }
    more = {"citations": _URLS, "search_results": [{"url": _URLS[0], "title": "NG28", "snippet": "Not on dialysis."}]}
    return {
        "custom_id": "q1",
        "request": request,
        "response": {"status_code": 200, "body": test_openai_chat.completion(message, **more)},
    }


def _responses() -> Any:
    link = {"type": "url_citation", "start_index": 52, "end_index": 55, "url": _URLS[0], "title": "NG28"}
    file = {"type": "file_citation", "index": 60, "file_id": "f1", "filename": "renal.pdf"}
    return {
        "request": {
            "input": [{"role": "user", "content": [{"type": "input_text", "text": ASKED}]}],
            "instructions": "Brief.",
        },
        "response": {
            "id": "resp_1",
            "object": "response",
            "created_at": 1790374547,
            "model": "atlas",
            "status": "completed",
            "output": [
                {"type": "reasoning", "summary": []},
                {"type": "file_search_call", "results": [{"filename": "renal.pdf", "text": "Not on dialysis."}]},
                {
                    "type": "message",
                    "role": "assistant",
                    "content": [{"type": "output_text", "text": REPLY, "annotations": [link, file]}],
                },
            ],
        },
    }


def _stream(events: list[Any]) -> str:
    return "".join(f"data: {json.dumps(event)}\n\n" for event in events)


_MESSAGE: Final = test_anthropic.message(
    {"type": "thinking", "thinking": "Hm."},
    test_anthropic.text(test_anthropic.CLAIM, test_anthropic.CHAR, test_anthropic.WEB, test_anthropic.FOUND),
    test_anthropic.text(" It is a biguanide."),
)
_CLAIM: Final = f"{test_anthropic.CLAIM} It is a biguanide."

SAMPLES: Final[dict[str, tuple[str, tuple[str, ...]]]] = {
    **SAMPLES_OF_LOGS,
    "OpenAI Responses": (json.dumps(_responses()), (REPLY,)),
    "Azure search demo": (json.dumps(test_azure_search.present()), (test_azure_search.TEXT,)),
    "Anthropic Messages": (
        "\n".join(
            json.dumps({"custom_id": name, "result": {"type": "succeeded", "message": _MESSAGE}})
            for name in ("q1", "q2")
        ),
        (_CLAIM,),
    ),
    "Gemini": (
        _stream(test_gemini.chunks()),
        (test_gemini.TEXT,),
    ),
    "Gemini, a request": (
        json.dumps(
            {
                "request": {"contents": [{"role": "user", "parts": [{"text": test_gemini.ASKED}]}]},
                "response": test_gemini.body(grounding=test_gemini.grounded(*test_gemini.WEB)),
            }
        ),
        (test_gemini.TEXT,),
    ),
    "Cohere": (
        json.dumps(test_cohere.v2(citations=[{**test_cohere.CITATION, "content_index": 1}])),
        (test_cohere.TEXT,),
    ),
    "Cohere, version 1": (json.dumps(test_cohere.v1()), (test_cohere.TEXT,)),
    "Amazon Bedrock": (
        json.dumps(
            {
                "request": test_bedrock.asked(test_bedrock.DOCUMENT),
                "response": test_bedrock.converse({"documentChar": {"documentIndex": 0, "start": 0, "end": 9}}),
            }
        ),
        (test_bedrock.TEXT,),
    ),
    "Amazon Bedrock, a knowledge base": (
        json.dumps(test_bedrock.grounded(test_bedrock.passage(type="S3", s3Location={"uri": "s3://guides/a.pdf"}))),
        (test_bedrock.TEXT,),
    ),
    "Ollama": (
        "\n".join(
            json.dumps(test_ollama.told(message={"role": "assistant", "content": word}, done=word == ""))
            for word in (test_ollama.TEXT[:10], test_ollama.TEXT[10:], "")
        ),
        (test_ollama.TEXT,),
    ),
    "chat completions": (json.dumps(_chat()), (REPLY,)),
    "chat completions, a stream": (
        _stream(
            [
                test_openai_chat.chunk({"role": "assistant", "content": ""}),
                test_openai_chat.chunk({"content": REPLY[:30]}),
                test_openai_chat.chunk({"content": REPLY[30:]}, "stop", citations=_URLS),
            ]
        ),
        (REPLY,),
    ),
    "HealthBench": (
        json.dumps(test_healthbench.example()),
        (test_healthbench.IDEAL, *test_healthbench.OF_MODELS),
    ),
    "HealthBench, grading": (json.dumps(test_healthbench.grading(REPLY, "Is cautious.", True, False)), (REPLY,)),
    "K-QA": (
        json.dumps({**test_data_sets.KQA, "result": REPLY}),
        (test_data_sets.KQA["Free_form_answer"], REPLY),
    ),
    "ExpertQA": (json.dumps(test_data_sets.EXPERTQA), (test_data_sets.ANSWER, "No.")),
    "AttributionBench": (json.dumps(test_data_sets.attributed()), (test_data_sets.attributed()["response"],)),
    "FaithBench": (json.dumps(test_data_sets.FAITHBENCH), test_data_sets.SUMMARIES),
    "MedQuAD": (test_data_sets.PAGE, (test_data_sets.ON_PAGE,)),
    "LiveQA": (test_data_sets.ANSWERED, test_data_sets.OF_REFERENCE),
}
