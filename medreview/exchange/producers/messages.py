"""Logs of conversations as lists of messages, each with a role and a text, as fine-tuning and loggers write them.

Each turn of the assistant is an answer, and the user's turns never are.
"""

from collections.abc import Iterator
from typing import Any, Final

from medreview.exchange.imports.answer_records import Turn
from medreview.exchange.producers.conversation import CutText, asides, each_answer, what_asides
from medreview.exchange.producers.given import Conversation, Given, Producer, items, member, role_of, text_at, texts_in

_LISTS: Final = ("messages", "conversations", "conversation", "dialogue", "turns")
_ROLES: Final = ("role", "from", "sender", "author", "speaker")
_TEXTS: Final = ("content", "value", "text", "message")
_IDS: Final = ("id", "conversation_id", "conversationId", "thread_id", "session_id", "uuid")
_TIMES: Final = ("created_at", "createdAt", "timestamp", "create_time")
_ANSWERS: Final = ("response", "answer", "output", "completion", "text")
"""Members of a record whose list of messages is what was said before its answer."""


def _detect(value: Any) -> bool:
    return any(_roles(messages) >= {"user", "assistant"} for _, messages in _conversations(value))


def _conversations(value: Any) -> list[tuple[Any, list[dict[str, Any]]]]:
    """The lists of messages in a value, each with what stands around it."""
    if isinstance(value, list):
        return [({}, items(value))] if value and all(map(_role, value)) else []
    if not isinstance(value, dict) or any(isinstance(value.get(name), str | dict) for name in _ANSWERS):
        return []
    if chats := [one for one in items(value.get("history")) if isinstance(one.get("messages"), list)]:
        return [(one, items(one["messages"])) for one in chats]
    found = next((value[name] for name in _LISTS if items(value.get(name)) and _role(value[name][0])), None)
    if found is not None:
        return [(value, items(found))]
    if isinstance(value.get("prompt"), list) and isinstance(value.get("completion"), list):
        return [(value, items([*value["prompt"], *value["completion"]]))]
    return []


def _role(message: Any) -> str:
    """Who speaks in a message, ``""`` where it does not say."""
    found = next((message[name] for name in _ROLES if message.get(name)), "") if isinstance(message, dict) else ""
    return role_of(found.get("role") if isinstance(found, dict) else found)


def _roles(messages: list[dict[str, Any]]) -> set[str]:
    return {_role(message) for message in messages}


def _text(message: dict[str, Any]) -> str:
    return "\n".join(texts_in(next((message[name] for name in _TEXTS if message.get(name)), "")))


def _records(value: Any, request: Any) -> Iterator[Given]:
    for about, messages in _conversations(value):
        name = _first(about, _IDS)
        title = text_at(about, "title") or (text_at(about, "name") if "messages" in about else "")
        said = [one for message in messages if (one := _said(message, about)) is not None]
        answers = list(each_answer(said, Conversation(title, name if title else "")))
        for number, one in enumerate(answers, 1):
            one.id = one.id or (f"{name}-{number}" if name and len(answers) > 1 else name)
            yield one


def _said(message: dict[str, Any], about: Any) -> Turn | Given | None:
    role, written = _role(message), _text(message)
    if role != "assistant":
        return Turn(role, written) if role in ("user", "system") else None
    text = CutText(written, asides(written)).text
    if not text.strip() or message.get("tool_calls") or message.get("function_call"):
        return None
    return Given(
        response=text,
        id=_first(message, ("id", "message_id")),
        model=_model(message) or _model(about) or _model(member(about, "metadata")),
        created=_first(message, _TIMES) or _first(about, _TIMES),
        finish=message.get("finish_reason"),
        left=what_asides(written) + ["reasoning"] * bool(message.get("reasoning_content")),
    )


def _first(value: Any, names: tuple[str, ...]) -> str:
    return next((text for name in names if (text := text_at(value, name))), "")


def _model(value: Any) -> str:
    return text_at(value, "model") or text_at(value, "model", "id") or text_at(value, "model_name")


PRODUCER = Producer(
    "log of messages", "lists of messages with roles, as fine-tuning and loggers write them", _detect, _records
)
