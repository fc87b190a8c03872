"""Open WebUI's exports of chats: trees of messages, with the passages of sources that each answer got to read."""

from collections.abc import Iterator
from typing import Any

from medreview.exchange.imports.answer_records import Turn
from medreview.exchange.producers.conversation import CutText, asides, branch, each_answer, what_asides
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


def _detect(value: Any) -> bool:
    messages = member(_chat(value), "history", "messages")
    return isinstance(messages, dict) and any("role" in one for one in messages.values() if isinstance(one, dict))


def _chat(value: Any) -> Any:
    """The chat of an entry of the export, or one that stands alone."""
    return value.get("chat", value) if isinstance(value, dict) else None


def _records(value: Any, request: Any) -> Iterator[Given]:
    chat = _chat(value)
    nodes = chat["history"]["messages"]
    names = branch({name: member(node, "parentId") for name, node in nodes.items()}, chat["history"].get("currentId"))
    of = Conversation(text_at(chat, "title") or text_at(value, "title"), text_at(value, "id"))
    model = text_at(chat, "models", 0)
    yield from each_answer((one for name in names if (one := _said(nodes[name], model))), of)


def _said(message: Any, model: str) -> Turn | Given | None:
    written = "\n".join(texts_in(member(message, "content")))
    if text_at(message, "role") != "assistant":
        return Turn(text_at(message, "role") or "user", written)
    text = CutText(written, asides(written)).text
    failed = member(message, "error")
    if not text.strip() and not failed:
        return None
    cites, texts = _sources(items(member(message, "sources") or member(message, "citations")))
    return Given(
        response=text,
        id=text_at(message, "id"),
        model=text_at(message, "model") or model,
        created=member(message, "timestamp"),
        finish="failed" if failed else "incomplete" if member(message, "done") is False else None,
        cites=cites,
        texts=texts,
        left=what_asides(written),
    )


def _sources(sources: list[dict[str, Any]]) -> tuple[list[Cite], list[SourceText]]:
    """What ``[1]``, ``[2]`` and so on of a text stand for: each name among the passages that the answer got."""
    cites: dict[str, Cite] = {}
    texts: list[SourceText] = []
    for source in sources:
        passages = source.get("document")
        for at, passage in enumerate(passages if isinstance(passages, list) else []):
            about = member(source, "metadata", at)
            name = text_at(about, "source") or text_at(source, "source", "id") or text_at(source, "source", "name")
            title = text_at(about, "title") or text_at(about, "name") or text_at(source, "source", "name")
            url = text_at(about, "url") or text_at(about, "source") or text_at(source, "source", "url")
            if cited := cited_as(url, text_at(about, "name") or text_at(source, "source", "name")):
                cites.setdefault(name, Cite(cited, title, number=len(cites) + 1))
                texts += [SourceText(cited, passage, title)] if isinstance(passage, str) else []
    return list(cites.values()), texts


PRODUCER = Producer("Open WebUI", "chats that Open WebUI exports as JSON", _detect, _records)
