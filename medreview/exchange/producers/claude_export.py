"""Claude's export of one's data: conversations whose messages have blocks of text, reasoning, tools and documents."""

import re
from collections.abc import Iterator
from typing import Any, Final

from medreview.exchange.imports.answer_records import Turn
from medreview.exchange.imports.listed_citations import document_entry
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
    role_of,
    text_at,
)

_LEFT: Final = {"thinking": "reasoning", "redacted_thinking": "reasoning"}
_WRITTEN: Final = ("text/markdown", "text/plain")
"""Types of artifacts that are documents to read, and a part of the answer."""
_UNREADABLE: Final = re.compile(r"```\nThis block is not supported on your current device yet\.\n```\n?")


def _detect(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("chat_messages"), list)


def _records(value: Any, request: Any) -> Iterator[Given]:
    of = Conversation(text_at(value, "name"), text_at(value, "uuid"))
    yield from each_answer(_said(_shown(value), text_at(value, "model")), of)


def _shown(value: dict[str, Any]) -> list[dict[str, Any]]:
    """The messages of the branch that was shown last; all of them where nothing says which message follows which."""
    messages = items(value["chat_messages"])
    parents = {text_at(one, "uuid"): one.get("parent_message_uuid") for one in messages}
    if not any(parent in parents for parent in parents.values() if isinstance(parent, str)):
        return messages
    names = set(branch(parents, value.get("current_leaf_message_uuid")))
    return [one for one in messages if text_at(one, "uuid") in names]


def _said(messages: list[dict[str, Any]], model: str) -> Iterator[Turn | Given]:
    """Turns and answers; documents that the user attached are sources of each answer after them."""
    given: list[SourceText] = []
    for message in messages:
        if role_of(message.get("sender")) != "assistant":
            given += [
                SourceText(document_entry(name, text), text, name, whole=True)
                for one in items(message.get("attachments"))
                if (text := text_at(one, "extracted_content")).strip()
                if (name := text_at(one, "file_name") or "pasted text")
            ]
            yield Turn("user", _text_of(message))
            continue
        text, cites, left = _answered(message)
        if text.strip():
            yield Given(
                response=text,
                id=text_at(message, "uuid"),
                model=text_at(message, "model") or model,
                created=message.get("created_at"),
                finish="incomplete" if message.get("truncated") is True else message.get("stop_reason"),
                cites=[*cites, *(Cite(one.cited, one.title) for one in given)],
                texts=given,
                left=left,
            )


def _text_of(message: dict[str, Any]) -> str:
    blocks = [text_at(block, "text") for block in items(message.get("content")) if block.get("type") == "text"]
    return "\n\n".join(filter(str.strip, blocks)) or text_at(message, "text")


def _answered(message: dict[str, Any]) -> tuple[str, list[Cite], list[str]]:
    """The text of an answer, what it cites, and what was left out of it."""
    text, cites, left = "", [], []
    for block in items(message.get("content")):
        kind = text_at(block, "type")
        written = text_at(block, "text") if kind == "text" else _document(block)
        if not written.strip():
            left += [_LEFT.get(kind, "tool call")] if kind != "text" else []
            continue
        text += "\n\n" if text else ""
        cut = CutText(written, [*asides(written), *((*m.span(), "") for m in _UNREADABLE.finditer(written))])
        left += what_asides(written)
        cited = block.get("citations") if kind == "text" else member(block, "input", "md_citations")
        cites += [_cite(one, written, cut, len(text)) for one in items(cited)]
        text += cut.text
    if text.strip():
        return text, cites, left
    written = text_at(message, "text")
    return CutText(written, asides(written)).text, [], left + what_asides(written)


def _document(block: dict[str, Any]) -> str:
    """The text of a document that the answer wrote beside the conversation."""
    made = member(block, "input")
    whole = text_at(made, "command") in ("create", "rewrite") and text_at(made, "type") in _WRITTEN
    return text_at(made, "content") if block.get("type") == "tool_use" and whole else ""


def _cite(one: dict[str, Any], written: str, cut: CutText, offset: int) -> Cite:
    url = text_at(one, "url") or text_at(one, "details", "url") or text_at(one, "sources", 0, "url")
    title = text_at(one, "title") or text_at(one, "sources", 0, "title") or text_at(one, "document_title")
    cited = cited_as(url, title)
    start, end = one.get("start_index"), one.get("end_index")
    if not (isinstance(start, int) and isinstance(end, int) and 0 <= start < end <= len(written)):
        start, end = (0, len(written)) if text_at(one, "cited_text") else (None, None)
    if start is None or end is None:
        return Cite(cited, title)
    return Cite(cited, title, cut.at(start) + offset, cut.at(end) + offset, quote=text_at(one, "cited_text"))


PRODUCER = Producer(
    "Claude export", "conversations of Claude's data export: the zip, or the JSON in it", _detect, _records
)
