"""ChatGPT's export of one's data: conversations as trees of messages, whose marks stand for the pages they cite."""

import re
from collections.abc import Iterator
from typing import Any, Final

from medreview.exchange.imports.answer_records import Turn
from medreview.exchange.producers.conversation import CutText, branch, cut_of, each_answer, moved, private_marks
from medreview.exchange.producers.given import (
    Cite,
    Conversation,
    Given,
    Place,
    Producer,
    SourceText,
    cited_as,
    items,
    member,
    placed,
    text_at,
    texts_in,
)

_TEXTS: Final = ("text", "multimodal_text")
"""The types of content that a user sees as text."""
_OLD_MARK: Final = re.compile("【[^【】]*】")
_TRACKED: Final = re.compile(
    r"(?<=[?&])utm_source=(?:chatgpt\.com|openai)&|[?&]utm_source=(?:chatgpt\.com|openai)(?=\Z|#)"
)
_NO_SOURCE: Final = ("hidden", "sources_footnote", "image", "video", "product", "entity", "alt_text")
"""How the types of references begin that cite nothing, or once more what others cite."""


def _detect(value: Any) -> bool:
    nodes = member(value, "mapping")
    return isinstance(nodes, dict) and any(
        isinstance(node, dict) and "message" in node and ("children" in node or "parent" in node)
        for node in nodes.values()
    )


def _records(value: Any, request: Any) -> Iterator[Given]:
    nodes = value["mapping"]
    names = branch({name: member(node, "parent") for name, node in nodes.items()}, value.get("current_node"))
    messages = [message for name in names if isinstance(message := member(nodes[name], "message"), dict)]
    of = Conversation(text_at(value, "title"), text_at(value, "conversation_id") or text_at(value, "id"))
    yield from each_answer(_said(messages, text_at(value, "default_model_slug")), of)


def _said(messages: list[dict[str, Any]], model: str) -> Iterator[Turn | Given]:
    """The turns; what an assistant says before and after it uses a tool is one answer."""
    begun: list[dict[str, Any]] = []
    left: list[str] = []
    for message in messages:
        role = text_at(message, "author", "role")
        if what := _left(message, role):
            left.append(what)
        elif role == "assistant" and "".join(_parts(message)).strip():
            begun.append(message)
            if message.get("end_turn") is not False:
                yield _answer(begun, model, left)
                begun, left = [], []
        elif role == "user" and not _is_hidden(message):
            if begun:
                yield _answer(begun, model, left)
                begun, left = [], []
            yield Turn("user", "\n".join(_parts(message)))
    if begun:
        yield _answer(begun, model, left)


def _is_hidden(message: dict[str, Any]) -> bool:
    return (
        member(message, "metadata", "is_visually_hidden_from_conversation") is True
        or text_at(message, "content", "content_type") == "user_editable_context"
    )


def _left(message: dict[str, Any], role: str) -> str:
    """What a message is that is no part of the conversation as it is shown; ``""`` for one that is."""
    kind = text_at(message, "content", "content_type")
    if role == "tool":
        return "tool call"
    if role != "assistant":
        return ""
    if kind in ("thoughts", "reasoning_recap") or text_at(message, "channel") in ("analysis", "commentary"):
        return "reasoning"
    if (text_at(message, "recipient") or "all") != "all" or kind not in _TEXTS:
        return "tool call"
    return "hidden message" if _is_hidden(message) else ""


def _parts(message: dict[str, Any]) -> list[str]:
    kind = text_at(message, "content", "content_type")
    return texts_in(member(message, "content", "parts")) if kind in _TEXTS else []


def _answer(messages: list[dict[str, Any]], model: str, left: list[str]) -> Given:
    text = ""
    cites: list[Cite] = []
    texts: list[SourceText] = []
    for message in messages:
        cut, found, passages = _cited("".join(_parts(message)), member(message, "metadata"))
        text += "\n\n" if text else ""
        cites += moved(found, len(text).__add__)
        texts += passages
        text += cut
    last = messages[-1]
    end = member(last, "metadata", "finish_details", "type")
    return Given(
        response=text,
        id=text_at(last, "id"),
        model=text_at(last, "metadata", "resolved_model_slug") or text_at(last, "metadata", "model_slug") or model,
        created=last.get("create_time"),
        finish="incomplete" if last.get("status") == "in_progress" else end,
        cites=cites,
        texts=texts,
        left=left,
    )


def _cited(text: str, about: Any) -> tuple[str, list[Cite], list[SourceText]]:
    """The text without the marks in private characters, what is cited where in it, and passages that came along."""
    cites: list[Cite] = []
    texts: list[SourceText] = []
    references = items(member(about, "content_references"))
    wanted = [(_number(one, "start_idx"), _number(one, "end_idx"), text_at(one, "matched_text")) for one in references]
    shown: dict[Place, str] = {}
    for one, found in zip(references, placed(text, wanted), strict=True):
        kind, place = text_at(one, "type"), found if text_at(one, "matched_text").strip() else None
        if place is not None and kind in ("entity", "alt_text"):
            shown[place] = text_at(one, "alt")
        if not kind.startswith(_NO_SOURCE):
            for work in _works(one):
                cites.append(Cite(work.cited, work.title, *(place or (None, None))))
                texts += [work] if work.text else []
    marks = [found.span() for found in _OLD_MARK.finditer(text)]
    for one in items(member(about, "citations")):
        title = text_at(one, "metadata", "title") or text_at(one, "metadata", "name")
        cited = cited_as(_untracked(text_at(one, "metadata", "url")), title)
        cites.append(Cite(cited, title, *(_old_place(one, text, marks) or (None, None))))
    cut = CutText(text, [cut_of(mark, shown.get(mark.span(), "")) for mark in private_marks(text)])
    return cut.text, moved(cites, cut.at), texts


def _number(value: dict[str, Any], name: str) -> int:
    found = value.get(name)
    return found if isinstance(found, int) and not isinstance(found, bool) else -1


def _works(reference: dict[str, Any]) -> Iterator[SourceText]:
    """The pages and files of a reference, those too that it says to support it, each with the passage that is shown."""
    for one in [reference, *items(reference.get("items")), *items(reference.get("fallback_items"))]:
        for work in (one, *items(one.get("supporting_websites"))):
            title = text_at(work, "title") or text_at(work, "name")
            url = _untracked(text_at(work, "url") or text_at(work, "cloud_doc_url"))
            if cited := cited_as(url, title if reference.get("type") == "file" else ""):
                yield SourceText(cited, text_at(work, "snippet"), title)


def _untracked(url: str) -> str:
    return _TRACKED.sub("", url)


def _old_place(citation: dict[str, Any], text: str, marks: list[Place]) -> Place | None:
    """The place of an old mark such as ``【3:0†source】``: where the citation says, or else by its number."""
    place = (_number(citation, "start_ix"), _number(citation, "end_ix"))
    if place in marks:
        return place
    extra = member(citation, "metadata", "extra")
    message, result = text_at(extra, "cited_message_idx"), text_at(extra, "search_result_idx")
    begins = tuple(f"【{name}†" for name in (f"{message}:{result}", message) if name)
    return next((mark for mark in marks if text[slice(*mark)].startswith(begins)), None) if begins else None


PRODUCER = Producer(
    "ChatGPT export", "conversations of ChatGPT's data export: the zip, or the JSON in it", _detect, _records
)
