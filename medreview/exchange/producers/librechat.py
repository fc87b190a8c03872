"""LibreChat's exports of conversations, nested or as a list; marks in their texts point at results of a search."""

import re
from collections.abc import Iterator
from typing import Any, Final

from medreview.exchange.imports.answer_records import Turn
from medreview.exchange.producers.conversation import (
    CutText,
    asides,
    branch,
    cut_of,
    each_answer,
    private_marks,
    what_asides,
)
from medreview.exchange.producers.given import (
    Cite,
    Conversation,
    Given,
    Producer,
    SourceText,
    cited_as,
    items,
    member,
    text_at,
    texts_in,
)

_POINTS_AT: Final = re.compile(r"turn(\d+)([a-z_]+?)(\d+)")
_RESULTS: Final = {"search": "organic", "news": "topStories", "ref": "references"}
"""What a mark names -> the list of a search that it counts in."""


def _detect(value: Any) -> bool:
    return isinstance(value, dict) and any("isCreatedByUser" in one for one in items(_messages(value)))


def _messages(value: dict[str, Any]) -> Any:
    return value.get("messagesTree", value.get("messages"))


def _records(value: Any, request: Any) -> Iterator[Given]:
    messages = {text_at(one, "messageId"): one for one in _flat(items(_messages(value)))}
    names = branch({name: one.get("parentMessageId") for name, one in messages.items()}, None)
    of = Conversation(text_at(value, "title"), text_at(value, "conversationId"))
    model = text_at(value, "options", "model")
    yield from each_answer((one for name in names if (one := _said(messages[name], model))), of)


def _flat(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The messages of a tree, each before those that follow it; of several that follow one the newest comes last."""
    found, waiting = [], list(reversed(messages))
    while waiting:
        message = waiting.pop()
        found.append(message)
        children = sorted(items(message.get("children")), key=lambda one: text_at(one, "createdAt"))
        waiting += [
            one if "parentMessageId" in one else {**one, "parentMessageId": message.get("messageId")}
            for one in reversed(children)
        ]
    return found


def _said(message: dict[str, Any], model: str) -> Turn | Given | None:
    parts = items(message.get("content"))
    shown = [part for part in parts if part.get("type") == "text"]
    written = "\n\n".join(text for part in shown for text in _texts(part)) or text_at(message, "text")
    if message.get("isCreatedByUser") is not False:
        return Turn("user", written)
    marks = list(private_marks(written))
    cut = CutText(written, [*asides(written), *map(cut_of, marks)])
    if not cut.text.strip():
        return None
    cites, texts = [], []
    for mark in marks:
        for result in _pointed(mark[0], message):
            if cited := cited_as(text_at(result, "link")):
                cites.append(Cite(cited, text_at(result, "title"), cut.at(mark.start()), cut.at(mark.end())))
                if snippet := text_at(result, "snippet"):
                    texts.append(SourceText(cited, snippet, text_at(result, "title")))
    left = ["reasoning" if part.get("type") == "think" else "tool call" for part in parts if part not in shown]
    return Given(
        response=cut.text,
        id=text_at(message, "messageId"),
        model=text_at(message, "model") or model or text_at(message, "sender"),
        created=message.get("createdAt"),
        finish="failed"
        if message.get("error") is True
        else "incomplete"
        if message.get("unfinished") is True
        else None,
        cites=cites,
        texts=texts,
        left=left + what_asides(written),
    )


def _texts(part: dict[str, Any]) -> list[str]:
    return [text_at(part, "text", "value")] if isinstance(part.get("text"), dict) else texts_in(part.get("text"))


def _pointed(mark: str, message: dict[str, Any]) -> Iterator[Any]:
    """The results of searches that a mark points at."""
    searches = [one["web_search"] for one in items(message.get("attachments")) if "web_search" in one]
    for turn, kind, number in _POINTS_AT.findall(mark):
        of = next((one for one in searches if text_at(one, "turn") == turn), member(searches, int(turn[:6])))
        yield member(of, _RESULTS.get(kind, kind), int(number[:6]))


PRODUCER = Producer("LibreChat", "conversations that LibreChat exports as JSON", _detect, _records)
