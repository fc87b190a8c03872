"""Label Studio's exports of chats: the conversation that a task began with and what was said while it was annotated."""

from collections.abc import Iterator
from typing import Any, Final

from medreview.exchange.imports.answer_records import Turn
from medreview.exchange.producers.conversation import each_answer
from medreview.exchange.producers.given import Conversation, Given, Producer, items, member, role_of, text_at, texts_in

_LABELS: Final = ("choices", "rating", "text", "taxonomy", "labels", "number")
"""Types of results that say something of the conversation."""


def _detect(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("data"), dict)
        and isinstance(value.get("annotations", value.get("predictions")), list)
        and any(any(messages) for _, messages in _conversations(value))
    )


def _conversations(value: dict[str, Any]) -> Iterator[tuple[Any, list[dict[str, Any]]]]:
    """The messages of each annotation, after those that the task began with."""
    begun = [
        message
        for said in value["data"].values()
        for message in items(said)
        if "role" in message and ("content" in message or "text" in message)
    ]
    annotations = items(value.get("annotations")) or items(value.get("predictions"))
    for annotation in annotations or [{}]:
        said = [member(one, "value", "chatmessage") for one in items(annotation.get("result"))]
        yield annotation, [*begun, *(message for message in said if isinstance(message, dict))]


def _records(value: Any, request: Any) -> Iterator[Given]:
    task = text_at(value, "id")
    found = list(_conversations(value))
    for annotation, messages in found:
        name = f"{task}-{text_at(annotation, 'id')}" if len(found) > 1 else task
        said = (one for message in messages if (one := _said(message)) is not None)
        for number, one in enumerate(each_answer(said, Conversation()), 1):
            one.id = f"{name}-{number}"
            one.extra = {**_data(value["data"]), **_labels(annotation)}
            yield one


def _said(message: dict[str, Any]) -> Turn | Given | None:
    text = "\n".join(texts_in(message.get("content", message.get("text"))))
    role = role_of(message.get("role"))
    if role != "assistant":
        return Turn(role, text) if text.strip() and role in ("user", "system") else None
    return Given(response=text, created=message.get("createdAt")) if text.strip() else None


def _data(data: dict[str, Any]) -> dict[str, Any]:
    return {name: text for name, text in data.items() if isinstance(text, str | int | float) and text != ""}


def _labels(annotation: Any) -> dict[str, Any]:
    """What the annotator said of the conversation, by the name of the question."""
    return {
        text_at(one, "from_name"): found
        for one in items(member(annotation, "result"))
        for kind in _LABELS
        if (found := member(one, "value", kind)) is not None
    }


PRODUCER = Producer("Label Studio", "tasks of chats that Label Studio exports as JSON", _detect, _records)
