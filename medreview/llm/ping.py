"""Testing a configured judge with one small question that is unrelated to any study."""

from dataclasses import dataclass
from typing import Any, Final

from medreview.errors import UserError
from medreview.llm.call import JudgeRequest
from medreview.llm.client import Judge
from medreview.llm.settings import JudgeSettings
from medreview.text import sha256

_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["colour"],
    "properties": {"colour": {"type": "string", "enum": ["red", "green", "blue"]}},
}
_TEXT: Final = (
    'Which colour has fresh grass: red, green or blue? Answer with one JSON object of the form {"colour": "..."} and '
    "nothing else."
)
PING: Final = JudgeRequest("ping", "ping/1", sha256(_TEXT), ({"role": "user", "content": _TEXT},), _SCHEMA)


@dataclass(frozen=True, slots=True)
class Pinged:
    """The result of a ping. ``changes``: what the server rejected of the configured request, a sentence each."""

    judge: str
    status: str
    error: str
    rung: str
    tries: int
    latency_ms: int
    prompt_tokens: int | None
    completion_tokens: int | None
    changes: tuple[str, ...]


async def ping(settings: JudgeSettings) -> Pinged:
    """Ask the judge one question, which is not stored; a missing key is an outcome here, not an error."""
    try:
        async with Judge(settings) as judge:
            answer = await judge.ask(PING)
            changes = judge.changes
    except UserError as error:
        return Pinged(settings.name, "error", str(error), "", 0, 0, None, None, ())
    return Pinged(
        settings.name,
        answer.status,
        answer.error,
        answer.rung,
        answer.tries,
        answer.latency_ms,
        answer.prompt_tokens,
        answer.completion_tokens,
        changes,
    )
