"""Reading a chat completion, of a live call or a batch result: an answer and its JSON object, or why it has none.

Parsing of the JSON object is tolerant of its wrapping, strict about its content.
"""

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final, NoReturn

from medreview.llm.call import ModelAnswer, Status
from medreview.llm.costs import fewest_tokens, prompt_tokens_of
from medreview.llm.label_probability import label_probabilities
from medreview.redaction import without_keys
from medreview.storable import storable_text, unstorable

_TAG: Final = re.compile(r"<(/?)(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_CODE_FENCE: Final = re.compile(r"\A```[\w ]*\n(.*?)\n?```\Z", re.DOTALL)
_SEPARATORS: Final = re.compile(r"[\s_-]+")
_LONGEST: Final = 200_000
_MOST_STARTS: Final = 2_000


@dataclass(frozen=True, slots=True)
class ParsedAnswer:
    """The object when it satisfies the schema, else the problem as a sentence for the model and the reviewer."""

    value: Mapping[str, Any] | None
    problem: str
    whole: bool
    """Whether the object, apart from its wrapping, is the whole output; False: there is other text."""
    found: bool
    """Whether there was any object at all."""


class Mismatch(ValueError):
    """A value does not satisfy the schema; the message says where and what is required."""


def parse(text: str, schema: Mapping[str, Any]) -> ParsedAnswer:
    """The last complete JSON object of the text, validated against a flat schema.

    Reasoning between tags and code fences are removed. When the object does not satisfy the schema, an earlier one is
    not used instead: it may be an example or a draft.
    """
    found, whole = _object(text)
    if isinstance(found, Mismatch):
        return ParsedAnswer(None, str(found), whole=False, found=True)
    if found is None:
        return ParsedAnswer(None, "There is no JSON object in it.", whole=False, found=False)
    try:
        value = validate(found, schema)
        if problem := unstorable(value):
            raise Mismatch(f"It cannot be stored: {problem}.")
        return ParsedAnswer(value, "", whole, found=True)
    except Mismatch as error:
        return ParsedAnswer(None, str(error), whole, found=True)


def validate(value: Any, schema: Mapping[str, Any], where: str = "") -> Any:
    """The value in the form of the schema; raises :class:`Mismatch`.

    Supported keywords: type (also a list of types), properties, required, items, maxItems, enum. Keys that the schema
    does not name are dropped. Case, spaces and hyphens of an enum value, and numbers as strings, are corrected; nothing
    else is.
    """
    if "enum" in schema:
        return _enum_value(value, schema["enum"], where)
    wanted = schema.get("type")
    if wanted is None:
        return value
    if isinstance(wanted, str):
        return _CHECKS[wanted](value, schema, where)
    for kind in wanted:
        with suppress(Mismatch):
            return _CHECKS[kind](value, schema, where)
    raise Mismatch(f"{_field(where)} must be one of: {', '.join(wanted)}.")


def _object(text: str) -> tuple[Any, bool]:
    """The last object, and whether it is the whole text. The text is tried unchanged first: quotes may contain tags."""
    text = text.strip()[-_LONGEST:]
    for candidate in (text, unwrapped(text)):
        try:
            value = _DECODER.decode(candidate)
        except Mismatch as error:
            return error, False
        except (ValueError, RecursionError):
            continue
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        if isinstance(value, dict):
            return value, True
        return Mismatch("It must be one JSON object."), False
    return _last_object(unwrapped(text)), False


def unwrapped(text: str) -> str:
    """A model's output without reasoning and code fence: from the last closing tag (the opening one may be part of the
    chat template) to an unclosed opening tag."""
    after, before = 0, len(text)
    for tag in _TAG.finditer(text):
        if tag[1]:
            after, before = tag.end(), len(text)
        else:
            before = min(before, tag.start())
    text = text[after:before].strip()
    fenced = _CODE_FENCE.match(text)
    return fenced[1].strip() if fenced else text


def _last_object(text: str) -> Any:
    last: Any = None
    at = -1
    for _ in range(_MOST_STARTS):
        at = text.find("{", at + 1)
        if at < 0:
            return last
        try:
            last, end = _DECODER.raw_decode(text, at)
            at = end - 1
        except Mismatch as error:
            last = error
        except (ValueError, RecursionError):
            # An incomplete object follows the one that was found, which then was a draft, not the answer.
            if text[at + 1 : at + 50].lstrip()[:1] == '"':
                last = None
    return None


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) < len(pairs):
        raise Mismatch("A key stands in it twice.")
    return dict(pairs)


def _reject_constant(word: str) -> NoReturn:
    raise Mismatch(f"{word} is not a number in JSON.")


_DECODER: Final = json.JSONDecoder(strict=False, object_pairs_hook=_pairs, parse_constant=_reject_constant)


def _field(where: str) -> str:
    return f"`{where}`" if where else "It"


def _normalised(word: str) -> str:
    return _SEPARATORS.sub("_", word.strip().casefold())


def _enum_value(value: Any, options: list[Any], where: str) -> Any:
    for option in options:
        if value == option and isinstance(value, bool) == isinstance(option, bool):
            return option
    if isinstance(value, str):
        same = [option for option in options if isinstance(option, str) and _normalised(option) == _normalised(value)]
        if len(same) == 1:
            return same[0]
    raise Mismatch(f"{_field(where)} must be one of: {', '.join(map(str, options))}.")


def _as_object(value: Any, schema: Mapping[str, Any], where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Mismatch(f"{_field(where)} must be an object.")
    properties = schema.get("properties", {})
    prefix = f"{where}." if where else ""
    for key in schema.get("required", []):
        if key not in value:
            raise Mismatch(f"`{prefix}{key}` is missing.")
    return {key: validate(value[key], properties[key], prefix + key) for key in properties if key in value}


def _as_array(value: Any, schema: Mapping[str, Any], where: str) -> list[Any]:
    if not isinstance(value, list):
        raise Mismatch(f"{_field(where)} must be a list.")
    most = schema.get("maxItems")
    if isinstance(most, int) and len(value) > most:
        raise Mismatch(f"{_field(where)} may have at most {most} entries.")
    items = schema.get("items", {})
    return [validate(item, items, f"{where}[{number}]") for number, item in enumerate(value)]


def _as_string(value: Any, _: Mapping[str, Any], where: str) -> str:
    if not isinstance(value, str):
        raise Mismatch(f"{_field(where)} must be a text.")
    return storable_text(value)


def _as_number(value: Any, _: Mapping[str, Any], where: str) -> float | int:
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            value = None
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if not isinstance(value, float) or not math.isfinite(value):
        raise Mismatch(f"{_field(where)} must be a number.")
    return value


def _as_integer(value: Any, schema: Mapping[str, Any], where: str) -> int:
    number = _as_number(value, schema, where)
    if number != int(number):
        raise Mismatch(f"{_field(where)} must be a whole number.")
    return int(number)


def _as_boolean(value: Any, _: Mapping[str, Any], where: str) -> bool:
    if isinstance(value, str):
        value = {"true": True, "false": False}.get(value.strip().lower(), value)
    if not isinstance(value, bool):
        raise Mismatch(f"{_field(where)} must be true or false.")
    return value


def _as_null(value: Any, _: Mapping[str, Any], where: str) -> None:
    if value is not None:
        raise Mismatch(f"{_field(where)} must be null.")


_CHECKS: Final[dict[str, Callable[[Any, Mapping[str, Any], str], Any]]] = {
    "object": _as_object,
    "array": _as_array,
    "string": _as_string,
    "number": _as_number,
    "integer": _as_integer,
    "boolean": _as_boolean,
    "null": _as_null,
}


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
"""Of one request; a larger count is invalid. Sums of such counts are far from the 64 bits of the study file."""
_SMALLEST_CONTEXT: Final = 512
"""Tokens; no server in use has a smaller default context, so that a shorter prompt was not truncated."""


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
    """What the model wrote in a chat completion, as it is stored; ``""`` if it is missing."""
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


def read_completion(data: Any, schema: Mapping[str, Any], messages: Sequence[Mapping[str, str]]) -> ModelAnswer:
    """The answer in a server's chat completion object (decoded JSON), to a request with these messages: without what
    the request took and cost.

    Never raises: anything that is not a completion is ``error``. A truncated prompt is recognised by the server's own
    count: fewer tokens than the prompt has words, or exactly a usual context length when the prompt was longer.
    """
    if not has_choice(data):
        return ModelAnswer("error", error="The server's answer holds no message.")
    choice = data["choices"][0]
    message, finish = choice["message"], choice.get("finish_reason")
    text = _text(message.get("content"))
    raw = _with_citations(text, data)
    prompt_tokens, completion_tokens = tokens_of_reply(data)

    def result(
        status: Status, error: str, value: Mapping[str, Any] | None = None, repairable: bool = False
    ) -> ModelAnswer:
        return ModelAnswer(status, value, raw, error, prompt_tokens, completion_tokens, repairable=repairable)

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
        return replace(result("ok", "", parsed.value), label_probabilities=label_probabilities(data, schema))
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
    """A count of tokens; ``None`` if it is missing or not a count."""
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
            return f"The server's count of tokens cannot be true: `{name}` is not a number of tokens."
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
