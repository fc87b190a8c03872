"""A rich file of each producer, by its name, and the answers in it."""

import json
from typing import Any, Final

from tests.exchange.producers import (
    test_anthropic,
    test_azure_search,
    test_bedrock,
    test_chatgpt_export,
    test_chats,
    test_claude_export,
    test_cohere,
    test_data_sets,
    test_evaluations,
    test_gemini,
    test_healthbench,
    test_ollama,
    test_openai_chat,
)

_CHAT: Final = test_chats.TURNS[2][1]
_SAYS: Final = test_evaluations.SAYS


def _chatgpt() -> Any:
    old = {"start_ix": 0, "end_ix": 4, "metadata": {"url": test_chatgpt_export.PAGE, "extra": {"cited_message_idx": 1}}}
    at = test_chatgpt_export.TEXT.index(test_chatgpt_export.MARK)
    about = {"content_references": [test_chatgpt_export.grouped(at)], "citations": [old]}
    said = test_chatgpt_export.message("assistant", test_chatgpt_export.TEXT, metadata=about)
    return [test_chatgpt_export.chat(test_chatgpt_export.ASKED, said)]


def _claude() -> Any:
    asked = test_claude_export.text("How much paracetamol?")
    given = [{"file_name": "rules.txt", "extracted_content": test_claude_export.GUIDE}]
    cited = [{"start_index": 0, "end_index": 20, "url": test_claude_export.PAGE, "title": "Paracetamol"}]
    answer = test_claude_export.said(
        "assistant",
        {"type": "thinking", "thinking": "Hm."},
        test_claude_export.text(test_claude_export.SAYS, citations=cited),
    )
    return [test_claude_export.chat(test_claude_export.said("human", asked, attachments=given), answer)]


def _open_webui() -> Any:
    source = {
        "source": {"name": "sepsis.pdf"},
        "document": ["Within one hour."],
        "metadata": [{"source": "sepsis.pdf"}],
    }
    return [test_chats.open_webui(sources=[source])]


def _librechat() -> Any:
    search = {"turn": 0, "organic": [{"link": test_chats.PAGE, "title": "Sepsis", "snippet": "Within 1 h."}]}
    parts = [{"type": "think", "think": "Hm."}, {"type": "text", "text": f"{test_chats.SAYS} \ue202turn0search0"}]
    return test_chats.libre(text="", content=parts, attachments=[{"type": "web_search", "web_search": search}])


def _label_studio() -> Any:
    said = [
        {"type": "chatmessage", "value": {"chatmessage": {"role": role, "content": text}}}
        for role, text in test_chats.TURNS[3:]
    ]
    begun = [{"role": role, "content": text} for role, text in test_chats.TURNS[1:3]]
    rated = {"type": "rating", "value": {"rating": 4}, "from_name": "safety"}
    return [{"id": 5, "data": {"chat": begun}, "annotations": [{"id": 9, "result": [*said, rated]}]}]


def _chain() -> Any:
    documents = [{"page_content": test_evaluations.READ, "metadata": {"source": "in/a.pdf", "page": 3}}]
    return [{"query": test_evaluations.QUESTION, "result": _SAYS, "source_documents": documents}]


def _langfuse() -> Any:
    runs = [
        {"type": "RETRIEVER", "output": [{"page_content": test_evaluations.READ, "metadata": {"source": "a.pdf"}}]},
        {"type": "GENERATION", "model": "atlas-2", "input": [], "output": _SAYS},
    ]
    trace = {"id": "t", "input": json.dumps(test_evaluations.QUESTION), "output": json.dumps(_SAYS), "scores": []}
    return {"trace": trace, "observations": runs}


def _deepeval() -> Any:
    score = {"name": "Faithfulness", "score": 0.4, "reason": "Hm."}
    asked = {"name": "case", "input": test_evaluations.QUESTION, "actualOutput": _SAYS, "metricsData": [score]}
    return {"testCases": [{**asked, "retrievalContext": [test_evaluations.READ], "expectedOutput": _SAYS}]}


_SAMPLES_OF_LOGS: Final[dict[str, tuple[str, tuple[str, ...]]]] = {
    "ChatGPT export": (
        json.dumps(_chatgpt()), (test_chatgpt_export.TEXT.replace(f" {test_chatgpt_export.MARK}", ""),),
    ),
    "Claude export": (json.dumps(_claude()), (test_claude_export.SAYS,)),
    "Open WebUI": (json.dumps(_open_webui()), (test_chats.SAYS, "Never.")),
    "LibreChat": (json.dumps(_librechat()), (test_chats.SAYS, "Never.")),
    "Label Studio": (json.dumps(_label_studio()), (_CHAT, test_chats.SAYS)),
    "Inspect": (
        json.dumps({**test_evaluations.LOG, "samples": [test_evaluations.sample(1), test_evaluations.sample(2)]}),
        (_SAYS,),
    ),
    "promptfoo": (json.dumps({"results": {"version": 3, "results": [test_evaluations.result()]}}), (_SAYS,)),
    "Ragas": ("\n".join([json.dumps(test_evaluations.ROW)] * 2), (_SAYS,)),
    "DeepEval": (json.dumps(_deepeval()), (_SAYS,)),
    "Langfuse": (json.dumps(_langfuse()), (_SAYS,)),
    "LangChain or LlamaIndex or Haystack": (json.dumps(_chain()), (_SAYS,)),
    "log of messages": (
        "\n".join(
            json.dumps({"id": number, "messages": [{"role": role, "content": text} for role, text in test_chats.TURNS]})
            for number in (1, 2)
        ),
        (_CHAT, test_chats.SAYS),
    ),
}  # fmt: skip


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
    **_SAMPLES_OF_LOGS,
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
