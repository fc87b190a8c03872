"""Amazon Bedrock: Converse, RetrieveAndGenerate, bodies of models, evaluations, logs."""

import json
from typing import Any

import pytest

from tests.exchange.producers.conftest import Bring

ASKED = "When should metformin be stopped?"
GUIDE = "Metformin is renally cleared. Stop metformin when the eGFR is below 30."
QUOTE = "Stop metformin when the eGFR is below 30."
CLAIM = "It is stopped when the eGFR falls below 30."
TEXT = f"Metformin depends on the kidney. {CLAIM}"


def converse(location: dict[str, Any]) -> dict[str, Any]:
    cited = {"title": "guide", "sourceContent": [{"text": QUOTE}], "location": location}
    content = [
        {"reasoningContent": {"reasoningText": {"text": "Hm."}}},
        {"text": "Metformin depends on the kidney. "},
        {"citationsContent": {"content": [{"text": CLAIM}], "citations": [cited]}},
    ]
    return {
        "output": {"message": {"role": "assistant", "content": content}},
        "stopReason": "end_turn",
        "usage": {},
        "metrics": {},
    }


def asked(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"modelId": "anthropic.claude-x-v1:0", "messages": [{"role": "user", "content": [*blocks, {"text": ASKED}]}]}


DOCUMENT = {"document": {"name": "guide", "format": "txt", "source": {"text": GUIDE}, "citations": {"enabled": True}}}


@pytest.mark.parametrize(
    ("sent", "location", "name", "page"),
    [
        (
            asked(DOCUMENT),
            {"documentChar": {"documentIndex": 0, "start": 30, "end": 71}},
            "guide",
            ("given_with_the_answer", GUIDE),
        ),
        (asked(), {"documentPage": {"documentIndex": 0, "start": 3, "end": 4}}, "guide", ("excerpt", QUOTE)),
        (
            asked(),
            {"web": {"url": "https://nice.example/ng28", "domain": "nice.example"}},
            "https://nice.example/ng28",
            ("excerpt", QUOTE),
        ),
    ],
)
def test_converse(
    bring: Bring, sent: dict[str, Any], location: dict[str, Any], name: str, page: tuple[str, str]
) -> None:
    brought = bring({"request": sent, "response": converse(location)})
    answer = brought.answer
    assert (answer.text, answer.question, answer.model, answer.finish) == (
        TEXT,
        ASKED,
        "anthropic.claude-x-v1:0",
        "complete",
    )
    assert answer.own == {"Metformin depends on the kidney.": set(), CLAIM: {name}}
    assert answer.quotes == [QUOTE]
    assert brought.pages == {name: page}
    assert brought.told.left == {"reasoning": 1}


def test_a_log_of_invocations_knows_model_and_time(bring: Bring) -> None:
    log = {
        "schemaType": "ModelInvocationLog",
        "timestamp": "2026-02-03T10:00:00Z",
        "requestId": "q-1",
        "modelId": "amazon.nova",
        "input": {"inputBodyJson": asked()},
        "output": {"outputBodyJson": converse({})},
    }
    del log["input"]["inputBodyJson"]["modelId"]  # type: ignore[index]
    answer = bring(log).answer
    assert (answer.id, answer.model, answer.created, answer.question) == (
        "q-1",
        "amazon.nova",
        "2026-02-03T10:00:00Z",
        ASKED,
    )


def test_a_stream_of_converse(bring: Bring) -> None:
    cited = {"title": "guide", "sourceContent": [{"text": QUOTE}], "location": {}}
    events = [
        {"messageStart": {"role": "assistant"}},
        {"contentBlockDelta": {"delta": {"text": "Metformin depends on the kidney. "}, "contentBlockIndex": 0}},
        {"contentBlockDelta": {"delta": {"text": CLAIM}, "contentBlockIndex": 1}},
        {"contentBlockDelta": {"delta": {"citation": cited}, "contentBlockIndex": 1}},
        {"messageStop": {"stopReason": "max_tokens"}},
    ]
    answer = bring(events).answer
    assert (answer.text, answer.finish, answer.own[CLAIM]) == (TEXT, "truncated", {"guide"})


def passage(**where: Any) -> dict[str, Any]:
    return {"content": {"text": QUOTE}, "location": where, "metadata": {"x-amz-bedrock-kb-chunk-id": "1"}}


def grounded(*passages: dict[str, Any]) -> dict[str, Any]:
    start = TEXT.index(CLAIM)
    part = {"textResponsePart": {"text": CLAIM, "span": {"start": start, "end": len(TEXT) - 1}}}
    return {
        "sessionId": "s1",
        "output": {"text": TEXT},
        "guardrailAction": "NONE",
        "citations": [{"generatedResponsePart": part, "retrievedReferences": list(passages)}],
    }


def test_a_knowledge_base_names_the_passages_of_each_stretch(bring: Bring) -> None:
    sent = {
        "input": {"text": ASKED},
        "retrieveAndGenerateConfiguration": {
            "knowledgeBaseConfiguration": {
                "modelArn": "arn:aws:bedrock:us-east-1::foundation-model/amazon.nova-pro-v1:0"
            }
        },
    }
    stored = passage(type="S3", s3Location={"uri": "s3://guides/renal/metformin.pdf"})
    page = passage(type="WEB", webLocation={"url": "https://nice.example/ng28"})
    brought = bring({"request": sent, "response": grounded(stored, page)})
    answer = brought.answer
    assert (answer.text, answer.question, answer.model) == (TEXT, ASKED, "amazon.nova-pro-v1:0")
    assert answer.own[CLAIM] == {"metformin.pdf", "https://nice.example/ng28"}
    assert brought.pages["metformin.pdf"] == ("excerpt", QUOTE)


@pytest.mark.parametrize(
    ("sent", "body"),
    [
        (
            {"inputText": ASKED},
            {
                "inputTextTokenCount": 9,
                "results": [{"tokenCount": 9, "outputText": TEXT, "completionReason": "FINISH"}],
            },
        ),
        (
            {"prompt": ASKED},
            {"generation": TEXT, "prompt_token_count": 9, "generation_token_count": 9, "stop_reason": "stop"},
        ),
        ({"prompt": ASKED}, {"outputs": [{"text": TEXT, "stop_reason": "stop"}]}),
    ],
)
def test_bodies_of_models_in_lines_of_a_batch(bring: Bring, sent: dict[str, Any], body: dict[str, Any]) -> None:
    answer = bring({"recordId": "q1", "modelInput": sent, "modelOutput": body}).answer
    assert (answer.id, answer.question, answer.text, answer.finish) == ("q1", ASKED, TEXT, "complete")


def test_lines_of_an_evaluation_have_several_models_and_the_right_answer(bring: Bring) -> None:
    line = {
        "prompt": ASKED,
        "referenceResponse": CLAIM,
        "category": "renal",
        "modelResponses": [
            {"response": TEXT, "modelIdentifier": "bot-1"},
            {"response": CLAIM, "modelIdentifier": "bot-2"},
        ],
    }
    assert [(one.question, one.model, one.extra) for one in bring(line).answers] == [
        (ASKED, "bot-1", {"category": "renal"}),
        (ASKED, "bot-2", {"category": "renal"}),
    ]


def test_an_evaluation_of_retrieval_has_turns_and_passages(bring: Bring) -> None:
    def turn(question: str, text: str, **more: Any) -> dict[str, Any]:
        return {
            "prompt": {"content": [{"text": question}]},
            "referenceResponses": [{"content": [{"text": CLAIM}]}],
            "output": {"text": text, "modelIdentifier": "bot", "knowledgeBaseIdentifier": "kb1", **more},
        }

    found = {"retrievalResults": [{"name": "guide.pdf", "content": {"text": QUOTE}, "metadata": {}}]}
    line = {
        "conversationTurns": [turn("What is metformin?", "A biguanide."), turn(ASKED, TEXT, retrievedPassages=found)]
    }
    brought = bring(json.dumps(line), "eval.jsonl")
    first, second = brought.answers
    assert (first.question, second.question, second.cited) == ("What is metformin?", ASKED, ["guide.pdf"])
    assert second.turns == [("user", "What is metformin?"), ("assistant", "A biguanide.")]
    assert brought.pages == {"guide.pdf": ("excerpt", QUOTE)}
