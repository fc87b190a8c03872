"""A question to put to a model, with the schema of its answer."""

from typing import Any

from medreview.llm.call import JudgeRequest

SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["quote", "label", "confidence"],
    "properties": {
        "quote": {"type": "string"},
        "label": {"type": "string", "enum": ["supported", "not_addressed"]},
        "confidence": {"type": "number"},
    },
}
PROMPT = "The source says that the usual dose is 5 mg once daily. Answer with one JSON object."


def ask_of(text: str = PROMPT, schema: dict[str, Any] = SCHEMA, task: str = "source_verification") -> JudgeRequest:
    return JudgeRequest(task, f"{task}/1", "hash-of-prompt", ({"role": "user", "content": text},), schema)
