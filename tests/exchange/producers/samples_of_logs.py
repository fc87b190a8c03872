"""A rich file of each chat program and each log of evaluations, by the name of its producer, and the answers in it."""

import json
from typing import Any, Final

from tests.exchange.producers import test_chatgpt_export, test_chats, test_claude_export, test_evaluations

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


SAMPLES_OF_LOGS: Final[dict[str, tuple[str, tuple[str, ...]]]] = {
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
