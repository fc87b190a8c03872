"""What a chat completion says: an answer, or why there is none. For live calls and for results of a batch."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from medreview.llm.call import Status
from medreview.llm.estimate import fewest_tokens, prompt_tokens_of
from medreview.llm.parse import parse, sound

# Open and hosted models decline in prose when nothing forces the form. Only short answers without an object count.
_DECLINES: Final = re.compile(
    r"\A\W*(?:(?:i['’]?m|i am) (?:really |very |so )?(?:sorry|unable|not able)|sorry\b|as an ai\b"
    r"|i (?:can['’]?t|cannot|can not|won['’]?t|must decline|decline)|unfortunately,? i (?:can|am))",
    re.IGNORECASE,
)
_LONGEST_REFUSAL: Final = 600
_SMALLEST_CONTEXT: Final = 512
"""No server in use has a smaller one by default: a shorter prompt was not cut, whatever is counted."""


@dataclass(frozen=True, slots=True)
class Completion:
    """One completion, read. ``repairable``: asking once more, naming the problem, may help."""

    status: Status
    value: Mapping[str, Any] | None
    raw: str
    error: str
    prompt_tokens: int | None
    completion_tokens: int | None
    repairable: bool = False


def has_choice(data: Any) -> bool:
    """Whether this is a chat completion with at least one message in it."""
    return (
        isinstance(data, dict)
        and isinstance(choices := data.get("choices"), list)
        and bool(choices)
        and isinstance(choices[0], dict)
        and isinstance(choices[0].get("message"), dict)
    )


def read_completion(data: Any, schema: Mapping[str, Any], messages: Sequence[Mapping[str, str]]) -> Completion:
    """What a server's chat completion object (decoded JSON) comes to, given what was asked.

    Never raises: anything that is no completion is ``error``. A cut prompt is told by the server's own count: fewer
    tokens than the prompt has words, or exactly a usual context length when the prompt was longer.
    """
    if not has_choice(data):
        return Completion("error", None, "", "The server's answer holds no message.", None, None)
    choice = data["choices"][0]
    message, finish = choice["message"], choice.get("finish_reason")
    raw = _text(message.get("content"))
    prompt_tokens, completion_tokens = _count(data, "prompt_tokens"), _count(data, "completion_tokens")

    def read(
        status: Status, error: str, value: Mapping[str, Any] | None = None, repairable: bool = False
    ) -> Completion:
        return Completion(status, value, raw, error, prompt_tokens, completion_tokens, repairable)

    declined = _text(message.get("refusal"))
    if declined:
        raw = raw or declined
        return read("refused", f"The model declined: {declined[:200]}")
    if finish == "content_filter":
        return read("refused", "A content filter of the service cut the answer off.")
    if prompt_tokens and _was_cut(data, prompt_tokens, messages):
        return read(
            "truncated",
            f"The server read {prompt_tokens:,} tokens only, fewer than were sent: its context is smaller than it was "
            "taken to be. Set `context_tokens`, or raise the server's own limit.",
        )
    parsed = parse(raw, schema)
    if finish == "length" and not (parsed.value is not None and parsed.whole):
        return read("truncated", "The answer was cut at the length limit; raise `max_tokens`.")
    if parsed.value is not None:
        return read("ok", "", parsed.value)
    if not raw.strip():
        return read("unparsable", "The answer is empty.", repairable=True)
    if not parsed.found and len(raw) <= _LONGEST_REFUSAL and _DECLINES.match(raw):
        return read("refused", f"The model declined: {' '.join(raw.split())[:200]}")
    return read("unparsable", parsed.problem, repairable=True)


def _text(content: Any) -> str:
    """The text of a message: a string, or, with some servers, a list of parts of which those of type text count."""
    if isinstance(content, str):
        return sound(content)
    if isinstance(content, list):
        texts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text"]
        return sound("".join(text for text in texts if isinstance(text, str)))
    return ""


def _count(data: Mapping[str, Any], name: str) -> int | None:
    usage = data.get("usage")
    value = usage.get(name) if isinstance(usage, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _was_cut(data: Mapping[str, Any], prompt_tokens: int, messages: Sequence[Mapping[str, str]]) -> bool:
    fewest = sum(fewest_tokens(message["content"]) for message in messages)
    details = data["usage"].get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else None
    # Most services count what they found in their cache among the prompt's tokens; a few leave it out.
    if fewest >= _SMALLEST_CONTEXT and prompt_tokens + (cached if isinstance(cached, int) else 0) < fewest:
        return True
    # A server that cuts reads exactly its context: a power of two in every server's default.
    is_context = prompt_tokens >= _SMALLEST_CONTEXT and prompt_tokens & (prompt_tokens - 1) == 0
    return is_context and prompt_tokens_of(messages) > prompt_tokens
