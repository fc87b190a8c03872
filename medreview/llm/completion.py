"""Reading a chat completion: an answer, or why there is none. For live calls and for batch results."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from medreview.llm.call import Status
from medreview.llm.cost_estimate import fewest_tokens, prompt_tokens_of
from medreview.llm.parse import parse
from medreview.redaction import without_keys
from medreview.storable import storable_text

# Models refuse in prose when no response format is enforced. Only short answers without an object count as refusals.
_REFUSAL: Final = re.compile(
    r"\A\W*(?:(?:i['’]?m|i am) (?:really |very |so )?(?:sorry|unable|not able)|sorry\b|as an ai\b"
    r"|i (?:can['’]?t|cannot|can not|won['’]?t|must decline|decline)|unfortunately,? i (?:can|am))",
    re.IGNORECASE,
)
_LONGEST_REFUSAL: Final = 600
_LISTS: Final = ("citations", "search_results")
_BESIDE: Final = "\n\nCitations that the service gave beside the answer: "
_MOST_CITATIONS: Final = 200
_LONGEST_ADDRESS: Final = 2_000
MOST_TOKENS: Final = 10**9
"""Of one request; a count above it is no count. Sums of such counts are far from the 64 bits of the study file."""
_SMALLEST_CONTEXT: Final = 512
"""Tokens; no server in use has a smaller default context, so that a shorter prompt was not truncated."""


@dataclass(frozen=True, slots=True)
class Completion:
    """The content of one completion. ``repairable``: a repair turn that names the problem may help."""

    status: Status
    value: Mapping[str, Any] | None
    raw: str
    error: str
    prompt_tokens: int | None
    completion_tokens: int | None
    repairable: bool = False


def has_choice(data: Any) -> bool:
    """Whether decoded JSON is a chat completion with at least one message."""
    return (
        isinstance(data, dict)
        and isinstance(choices := data.get("choices"), list)
        and bool(choices)
        and isinstance(choices[0], dict)
        and isinstance(choices[0].get("message"), dict)
    )


def said(data: Any) -> str:
    """What the model wrote in a chat completion, as it is stored; ``""`` where there is none."""
    if not has_choice(data):
        return ""
    message = data["choices"][0]["message"]
    return _with_citations(_text(message.get("content")), data) or _text(message.get("refusal"))


def without_citations(output: str) -> tuple[str, tuple[str, ...]]:
    """What a model wrote, of an output as it is stored, and the addresses that its service gave beside that."""
    text, _, listed = output.rpartition(_BESIDE)
    try:
        found = json.loads(listed) if _BESIDE in output else None
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        return output, ()
    return text, tuple(found)


def _with_citations(text: str, data: Mapping[str, Any]) -> str:
    """The text of a completion, with the addresses that its service gives beside it in a last line.

    Search models name their sources in the annotations of the message (``url_citation``), or numbered in ``citations``
    or ``search_results`` of the whole: ``[2]`` in the text is the second one.
    """
    numbered = next((found for name in _LISTS if (found := _addresses(data.get(name)))), [])
    listed = [f"[{number}] {one}" for number, one in enumerate(numbered, 1)]
    listed += dict.fromkeys(
        one for one in _addresses(data["choices"][0]["message"].get("annotations")) if one not in numbered
    )
    return text + _BESIDE + json.dumps(listed[:_MOST_CITATIONS]) if text and listed else text


def _addresses(listed: Any) -> list[str]:
    """The addresses of a list of texts, of objects, or of objects that hold one under their type."""
    found = []
    for item in listed if isinstance(listed, list) else ():
        if isinstance(item, dict) and isinstance(item.get("url_citation"), dict):
            item = item["url_citation"]
        url = item.get("url") if isinstance(item, dict) else item
        if isinstance(url, str) and url.startswith(("http://", "https://")) and len(url) <= _LONGEST_ADDRESS:
            url = without_keys(storable_text(url.strip()))
            found.append(url.replace("{", "%7B").replace("}", "%7D"))  # of the output the last object is read
    return found


def read_completion(data: Any, schema: Mapping[str, Any], messages: Sequence[Mapping[str, str]]) -> Completion:
    """The content of a server's chat completion object (decoded JSON), for a request with these messages.

    Never raises: anything that is not a completion is ``error``. A truncated prompt is recognised by the server's own
    count: fewer tokens than the prompt has words, or exactly a usual context length when the prompt was longer.
    """
    if not has_choice(data):
        return Completion("error", None, "", "The server's answer holds no message.", None, None)
    choice = data["choices"][0]
    message, finish = choice["message"], choice.get("finish_reason")
    text = _text(message.get("content"))
    raw = _with_citations(text, data)
    prompt_tokens, completion_tokens = tokens_of_reply(data)

    def result(
        status: Status, error: str, value: Mapping[str, Any] | None = None, repairable: bool = False
    ) -> Completion:
        return Completion(status, value, raw, error, prompt_tokens, completion_tokens, repairable)

    if problem := _absurd(data):
        return result("unparsable", problem)
    refusal = _text(message.get("refusal"))
    if refusal:
        raw = raw or refusal
        return result("refused", f"The model declined: {refusal[:200]}")
    if finish == "content_filter":
        return result("refused", "A content filter of the service cut the answer off.")
    if prompt_tokens and _prompt_was_truncated(data, prompt_tokens, messages):
        return result(
            "truncated",
            f"The server read {prompt_tokens:,} tokens only, fewer than were sent: its context is smaller than it was "
            "taken to be. Set `context_tokens`, or raise the server's own limit.",
        )
    parsed = parse(text, schema)
    if finish == "length" and not (parsed.value is not None and parsed.whole):
        return result("truncated", "The answer was cut at the length limit; raise `max_tokens`.")
    if parsed.value is not None:
        return result("ok", "", parsed.value)
    if not text.strip():
        return result("unparsable", "The answer is empty.", repairable=True)
    if not parsed.found and len(text) <= _LONGEST_REFUSAL and _REFUSAL.match(text):
        return result("refused", f"The model declined: {' '.join(text.split())[:200]}")
    return result("unparsable", parsed.problem, repairable=True)


def _text(content: Any) -> str:
    """The text of a message, without keys: a string, or, with some servers, the parts of type ``text`` of a list."""
    if isinstance(content, str):
        return without_keys(storable_text(content))
    if isinstance(content, list):
        texts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text"]
        return _text("".join(text for text in texts if isinstance(text, str)))
    return ""


def tokens_of_reply(data: Any) -> tuple[int | None, int | None]:
    """Tokens in and out by the server's own count, of any reply: one without an answer may be paid for, too."""
    if not isinstance(data, dict):
        return None, None
    return _count(data, "prompt_tokens"), _count(data, "completion_tokens")


def _count(data: Mapping[str, Any], name: str) -> int | None:
    """A count of tokens; ``None`` where there is none, or what stands there is no count."""
    usage = data.get("usage")
    value = usage.get(name) if isinstance(usage, dict) else None
    is_count = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS
    return value if is_count else None


def _absurd(data: Mapping[str, Any]) -> str:
    """Why the count of tokens cannot be true, as a sentence: an answer of a server that is so wrong is not believed."""
    usage = data.get("usage")
    for name in ("prompt_tokens", "completion_tokens"):
        value = usage.get(name) if isinstance(usage, dict) else None
        if isinstance(value, int | float) and not -MOST_TOKENS <= value <= MOST_TOKENS:
            return f"The server's count of tokens cannot be true: `{name}` is no number of tokens."
    return ""


def _prompt_was_truncated(data: Mapping[str, Any], prompt_tokens: int, messages: Sequence[Mapping[str, str]]) -> bool:
    fewest = sum(fewest_tokens(message["content"]) for message in messages)
    details = data["usage"].get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else None
    # Most services include cached tokens in the prompt's count; a few do not.
    if fewest >= _SMALLEST_CONTEXT and prompt_tokens + (cached if isinstance(cached, int) else 0) < fewest:
        return True
    # A server that truncates reads exactly its context length: a power of two in every server's default.
    is_context = prompt_tokens >= _SMALLEST_CONTEXT and prompt_tokens & (prompt_tokens - 1) == 0
    return is_context and prompt_tokens_of(messages) > prompt_tokens
