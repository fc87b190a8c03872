"""Chat programs' exports of conversations, and logs of messages as fine-tuning and loggers write them."""

import re
from collections.abc import Iterator
from typing import Any, Final

from medreview.exchange.imports.answer_records import Turn
from medreview.exchange.imports.listed_citations import document_entry
from medreview.exchange.producers.conversation import (
    CutText,
    asides,
    branch,
    cut_of,
    each_answer,
    moved,
    private_marks,
    what_asides,
)
from medreview.exchange.producers.given import (
    Cite,
    CitedText,
    Conversation,
    Form,
    Given,
    Place,
    Producer,
    cited_as,
    items,
    member,
    placed,
    role_of,
    span,
    text_at,
    texts_in,
)

_TEXTS: Final = ("text", "multimodal_text")
"""The types of content that a user of ChatGPT sees as text."""
_OLD_MARK: Final = re.compile("【[^【】]*】")
_TRACKED: Final = re.compile(
    r"(?<=[?&])utm_source=(?:chatgpt\.com|openai)&|[?&]utm_source=(?:chatgpt\.com|openai)(?=\Z|#)"
)
_NO_SOURCE: Final = ("hidden", "sources_footnote", "image", "video", "product", "entity", "alt_text")
"""How the types of references begin that cite nothing, or once more what others cite."""


def _is_chatgpt(value: Any) -> bool:
    nodes = member(value, "mapping")
    return isinstance(nodes, dict) and any(
        isinstance(node, dict) and "message" in node and ("children" in node or "parent" in node)
        for node in nodes.values()
    )


def _chatgpt(value: Any, request: Any) -> Iterator[Given]:
    """Conversations as trees of messages, whose marks stand for the pages they cite."""
    nodes = value["mapping"]
    names = branch({name: member(node, "parent") for name, node in nodes.items()}, value.get("current_node"))
    messages = [message for name in names if isinstance(message := member(nodes[name], "message"), dict)]
    of = Conversation(text_at(value, "title"), text_at(value, "conversation_id|id"))
    yield from each_answer(_chatgpt_said(messages, text_at(value, "default_model_slug")), of)


def _chatgpt_said(messages: list[dict[str, Any]], model: str) -> Iterator[Turn | Given]:
    """The turns; what an assistant says before and after it uses a tool is one answer."""
    begun: list[dict[str, Any]] = []
    left: list[str] = []
    for message in messages:
        role = text_at(message, "author.role")
        ends = False
        if what := _left(message, role):
            left.append(what)
        elif role == "assistant" and "".join(_parts(message)).strip():
            begun.append(message)
            ends = message.get("end_turn") is not False
        elif role == "user" and not _is_hidden(message):
            ends = True
        if ends and begun:
            yield _chatgpt_answer(begun, model, left)
            begun, left = [], []
        if ends and role == "user":
            yield Turn("user", "\n".join(_parts(message)))
    if begun:
        yield _chatgpt_answer(begun, model, left)


def _is_hidden(message: dict[str, Any]) -> bool:
    return (
        member(message, "metadata.is_visually_hidden_from_conversation") is True
        or text_at(message, "content.content_type") == "user_editable_context"
    )


def _left(message: dict[str, Any], role: str) -> str:
    """What a message is that is no part of the conversation as it is shown; ``""`` for one that is."""
    kind = text_at(message, "content.content_type")
    if role != "assistant":
        return "tool call" if role == "tool" else ""
    if kind in ("thoughts", "reasoning_recap") or text_at(message, "channel") in ("analysis", "commentary"):
        return "reasoning"
    if text_at(message, "recipient") not in ("", "all") or kind not in _TEXTS:
        return "tool call"
    return "hidden message" if _is_hidden(message) else ""


def _parts(message: dict[str, Any]) -> list[str]:
    kind = text_at(message, "content.content_type")
    return texts_in(member(message, "content.parts")) if kind in _TEXTS else []


def _chatgpt_answer(messages: list[dict[str, Any]], model: str, left: list[str]) -> Given:
    last = messages[-1]
    given = Given(
        id=text_at(last, "id"),
        model=text_at(last, "metadata.resolved_model_slug|metadata.model_slug") or model,
        created=last.get("create_time"),
        finish="incomplete" if last.get("status") == "in_progress" else member(last, "metadata.finish_details.type"),
        left=left,
    )
    for message in messages:
        given.response += "\n\n" if given.response else ""
        _take_cited(given, "".join(_parts(message)), member(message, "metadata"))
    return given


def _take_cited(given: Given, text: str, about: Any) -> None:
    """The text without the marks in private characters, what is cited where in it, and passages that came along."""
    cites: list[Cite] = []
    references = items(about, "content_references")
    wanted = [(_number(one, "start_idx"), _number(one, "end_idx"), text_at(one, "matched_text")) for one in references]
    shown: dict[Place, str] = {}
    for one, found in zip(references, placed(text, wanted), strict=True):
        kind, place = text_at(one, "type"), found if text_at(one, "matched_text").strip() else None
        if place is not None and kind in ("entity", "alt_text"):
            shown[place] = text_at(one, "alt")
        if not kind.startswith(_NO_SOURCE):
            works = list(_works(one))
            cites += [Cite(work.cited, work.title, *(place or (None, None))) for work in works]
            given.texts += [work for work in works if work.text]
    marks = [found.span() for found in _OLD_MARK.finditer(text)]
    for one in items(about, "citations"):
        title = text_at(one, "metadata.title|metadata.name")
        cited = cited_as(_TRACKED.sub("", text_at(one, "metadata.url")), title)
        cites.append(Cite(cited, title, *(_old_place(one, text, marks) or (None, None))))
    cut = CutText(text, [cut_of(mark, shown.get(mark.span(), "")) for mark in private_marks(text)])
    begin = len(given.response)
    given.cites += moved(cites, lambda at: begin + cut.at(at))
    given.response += cut.text


def _number(value: dict[str, Any], name: str) -> int:
    found = value.get(name)
    return found if isinstance(found, int) and not isinstance(found, bool) else -1


def _works(reference: dict[str, Any]) -> Iterator[CitedText]:
    """The pages and files of a reference, those too that it says to support it, each with the passage that is shown."""
    for one in [reference, *items(reference, "items"), *items(reference, "fallback_items")]:
        for work in (one, *items(one, "supporting_websites")):
            title, url = text_at(work, "title|name"), _TRACKED.sub("", text_at(work, "url|cloud_doc_url"))
            if cited := cited_as(url, title if reference.get("type") == "file" else ""):
                yield CitedText(cited, text_at(work, "snippet"), title)


def _old_place(citation: dict[str, Any], text: str, marks: list[Place]) -> Place | None:
    """The place of an old mark such as ``【3:0†source】``: where the citation says, or else by its number."""
    place = (_number(citation, "start_ix"), _number(citation, "end_ix"))
    if place in marks:
        return place
    extra = member(citation, "metadata.extra")
    message, result = text_at(extra, "cited_message_idx"), text_at(extra, "search_result_idx")
    begins = tuple(f"【{name}†" for name in (f"{message}:{result}", message) if name)
    return next((mark for mark in marks if text[slice(*mark)].startswith(begins)), None) if begins else None


CHATGPT: Final = Producer(
    "ChatGPT export",
    "conversations of ChatGPT's data export: the zip, or the JSON in it",
    Form(_is_chatgpt, read=_chatgpt),
)

_ASIDE: Final = {"thinking": "reasoning", "redacted_thinking": "reasoning"}
_WRITTEN: Final = ("text/markdown", "text/plain")
"""Types of Claude's artifacts that are documents to read, and a part of the answer."""
_UNREADABLE: Final = re.compile(r"```\nThis block is not supported on your current device yet\.\n```\n?")


def _claude(value: Any, request: Any) -> Iterator[Given]:
    """Conversations whose messages have blocks of text, reasoning, tools and documents."""
    of = Conversation(text_at(value, "name"), text_at(value, "uuid"))
    yield from each_answer(_claude_said(_shown(value), text_at(value, "model")), of)


def _shown(value: dict[str, Any]) -> list[dict[str, Any]]:
    """The messages of the branch that was shown last; all of them where nothing says which message follows which."""
    messages = items(value["chat_messages"])
    parents = {text_at(one, "uuid"): one.get("parent_message_uuid") for one in messages}
    if not any(parent in parents for parent in parents.values() if isinstance(parent, str)):
        return messages
    names = set(branch(parents, value.get("current_leaf_message_uuid")))
    return [one for one in messages if text_at(one, "uuid") in names]


def _claude_said(messages: list[dict[str, Any]], model: str) -> Iterator[Turn | Given]:
    """Turns and answers; documents that the user attached are sources of each answer after them."""
    attached: list[CitedText] = []
    for message in messages:
        if role_of(message.get("sender")) != "assistant":
            attached += [
                CitedText(document_entry(name, text), text, name, whole=True)
                for one in items(message, "attachments")
                if (text := text_at(one, "extracted_content")).strip()
                if (name := text_at(one, "file_name") or "pasted text")
            ]
            blocks = [text_at(block, "text") for block in items(message, "content") if block.get("type") == "text"]
            yield Turn("user", "\n\n".join(filter(str.strip, blocks)) or text_at(message, "text"))
            continue
        given = _claude_answer(message)
        if given.response.strip():
            given.id, given.model = text_at(message, "uuid"), text_at(message, "model") or model
            given.created = message.get("created_at")
            given.finish = "incomplete" if message.get("truncated") is True else message.get("stop_reason")
            given.cites += (Cite(one.cited, one.title) for one in attached)
            given.texts += attached
            yield given


def _claude_answer(message: dict[str, Any]) -> Given:
    """The text of an answer, what it cites, and what was left out of it."""
    given = Given()
    for block in items(message, "content"):
        kind = text_at(block, "type")
        written = text_at(block, "text") if kind == "text" else _document(block)
        if not written.strip():
            given.left += [_ASIDE.get(kind, "tool call")] if kind != "text" else []
            continue
        given.response += "\n\n" if given.response else ""
        cut = CutText(written, [*asides(written), *((*m.span(), "") for m in _UNREADABLE.finditer(written))])
        given.left += what_asides(written)
        for one in items(block, "citations" if kind == "text" else "input.md_citations"):
            title = text_at(one, "title|sources.0.title|document_title")
            cited, quote = cited_as(text_at(one, "url|details.url|sources.0.url"), title), text_at(one, "cited_text")
            start, end = span(one) or (0, 0)
            if not 0 <= start < end <= len(written):
                start, end = 0, len(written)
                if not quote:
                    given.cite(cited, title)
                    continue
            begin = len(given.response)
            given.cite(cited, title, (cut.at(start) + begin, cut.at(end) + begin), quote=quote)
        given.response += cut.text
    if not given.response.strip():
        written = text_at(message, "text")
        given.response, given.cites = CutText(written, asides(written)).text, []
        given.left += what_asides(written)
    return given


def _document(block: dict[str, Any]) -> str:
    """The text of a document that the answer wrote beside the conversation."""
    made = member(block, "input")
    whole = text_at(made, "command") in ("create", "rewrite") and text_at(made, "type") in _WRITTEN
    return text_at(made, "content") if block.get("type") == "tool_use" and whole else ""


CLAUDE: Final = Producer(
    "Claude export",
    "conversations of Claude's data export: the zip, or the JSON in it",
    Form("chat_messages:list", read=_claude),
)


def _open_webui_messages(value: Any) -> Any:
    """The messages of the chat of an entry, or of a chat that stands alone."""
    return member(_chat(value), "history.messages")


def _chat(value: Any) -> Any:
    return value.get("chat", value) if isinstance(value, dict) else None


def _is_open_webui(value: Any) -> bool:
    nodes = _open_webui_messages(value)
    return isinstance(nodes, dict) and any("role" in one for one in nodes.values() if isinstance(one, dict))


def _open_webui(value: Any, request: Any) -> Iterator[Given]:
    """Trees of messages, with the passages of sources that each answer got to read."""
    chat, nodes = _chat(value), _open_webui_messages(value)
    names = branch({name: member(node, "parentId") for name, node in nodes.items()}, chat["history"].get("currentId"))
    of = Conversation(text_at(chat, "title") or text_at(value, "title"), text_at(value, "id"))
    model = text_at(chat, "models.0")
    yield from each_answer((one for name in names if (one := _open_webui_said(nodes[name], model))), of)


def _open_webui_said(message: Any, model: str) -> Turn | Given | None:
    written = "\n".join(texts_in(member(message, "content")))
    if text_at(message, "role") != "assistant":
        return Turn(text_at(message, "role") or "user", written)
    text = CutText(written, asides(written)).text
    failed = member(message, "error")
    if not text.strip() and not failed:
        return None
    given = Given(
        response=text,
        id=text_at(message, "id"),
        model=text_at(message, "model") or model,
        created=member(message, "timestamp"),
        finish="failed" if failed else "incomplete" if member(message, "done") is False else None,
        left=what_asides(written),
    )
    _take_passages(given, items(message, "sources|citations"))
    return given


def _take_passages(given: Given, sources: list[dict[str, Any]]) -> None:
    """What ``[1]``, ``[2]`` and so on of a text stand for: each name among the passages that the answer got."""
    cites: dict[str, Cite] = {}
    for source in sources:
        passages = source.get("document")
        for at, passage in enumerate(passages if isinstance(passages, list) else []):
            about = {"source": source.get("source"), "about": member(source, f"metadata.{at}")}
            name = text_at(about, "about.source|source.id|source.name")
            title = text_at(about, "about.title|about.name|source.name")
            url = text_at(about, "about.url|about.source|source.url")
            if cited := cited_as(url, text_at(about, "about.name|source.name")):
                cites.setdefault(name, Cite(cited, title, number=len(cites) + 1))
                given.texts += [CitedText(cited, passage, title)] if isinstance(passage, str) else []
    given.cites += cites.values()


OPEN_WEBUI: Final = Producer(
    "Open WebUI", "chats that Open WebUI exports as JSON", Form(_is_open_webui, read=_open_webui)
)

_POINTS_AT: Final = re.compile(r"turn(\d+)([a-z_]+?)(\d+)")
_RESULTS: Final = {"search": "organic", "news": "topStories", "ref": "references"}
"""What a mark of LibreChat names -> the list of a search that it counts in."""


def _libre_messages(value: dict[str, Any]) -> list[dict[str, Any]]:
    return items(value.get("messagesTree", value.get("messages")))


def _librechat(value: Any, request: Any) -> Iterator[Given]:
    """LibreChat's exports of conversations, nested or as a list; marks in their texts point at results of a search."""
    messages = {text_at(one, "messageId"): one for one in _flat(_libre_messages(value))}
    names = branch({name: one.get("parentMessageId") for name, one in messages.items()}, None)
    of = Conversation(text_at(value, "title"), text_at(value, "conversationId"))
    model = text_at(value, "options.model")
    yield from each_answer((one for name in names if (one := _libre_said(messages[name], model))), of)


def _flat(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The messages of a tree, each before those that follow it; of several that follow one the newest comes last."""
    found, waiting = [], list(reversed(messages))
    while waiting:
        message = waiting.pop()
        found.append(message)
        children = sorted(items(message, "children"), key=lambda one: text_at(one, "createdAt"))
        waiting += [{"parentMessageId": message.get("messageId"), **one} for one in reversed(children)]
    return found


def _libre_said(message: dict[str, Any], model: str) -> Turn | Given | None:
    parts = items(message, "content")
    shown = [part for part in parts if part.get("type") == "text"]
    texts = (
        [text_at(part, "text.value")] if isinstance(part.get("text"), dict) else texts_in(part.get("text"))
        for part in shown
    )
    written = "\n\n".join(text for listed in texts for text in listed) or text_at(message, "text")
    if message.get("isCreatedByUser") is not False:
        return Turn("user", written)
    marks = list(private_marks(written))
    cut = CutText(written, [*asides(written), *map(cut_of, marks)])
    if not cut.text.strip():
        return None
    given = Given(
        response=cut.text,
        id=text_at(message, "messageId"),
        model=text_at(message, "model") or model or text_at(message, "sender"),
        created=message.get("createdAt"),
        finish="failed"
        if message.get("error") is True
        else "incomplete"
        if message.get("unfinished") is True
        else None,
        left=["reasoning" if part.get("type") == "think" else "tool call" for part in parts if part not in shown],
    )
    given.left += what_asides(written)
    for mark in marks:
        at = cut.at(mark.start()), cut.at(mark.end())
        for result in _pointed(mark[0], message):
            if cited := cited_as(text_at(result, "link")):
                given.cite(cited, text_at(result, "title"), at, text=text_at(result, "snippet"))
    return given


def _pointed(mark: str, message: dict[str, Any]) -> Iterator[Any]:
    """The results of searches that a mark points at."""
    searches = [one["web_search"] for one in items(message, "attachments") if "web_search" in one]
    for turn, kind, number in _POINTS_AT.findall(mark):
        of = next((one for one in searches if text_at(one, "turn") == turn), member(searches, turn))
        yield member(of, f"{_RESULTS.get(kind, kind)}.{number}")


LIBRECHAT: Final = Producer(
    "LibreChat",
    "conversations that LibreChat exports as JSON",
    Form(
        lambda value: isinstance(value, dict) and any("isCreatedByUser" in one for one in _libre_messages(value)),
        read=_librechat,
    ),
)

_LISTS: Final = ("messages", "conversations", "conversation", "dialogue", "turns")
_ROLES: Final = "role|from|sender|author|speaker"
_IDS: Final = "id|conversation_id|conversationId|thread_id|session_id|uuid"
_TIMES: Final = "created_at|createdAt|timestamp|create_time"
_MODELS: Final = "model|model.id|model_name"
_ANSWERS: Final = ("response", "answer", "output", "completion", "text")
"""Members of a record whose list of messages is what was said before its answer."""


def _logs(value: Any) -> list[tuple[Any, list[dict[str, Any]]]]:
    """The lists of messages in a value, each with what stands around it."""
    if isinstance(value, list):
        return [({}, items(value))] if value and all(map(_role, value)) else []
    if not isinstance(value, dict) or any(isinstance(value.get(name), str | dict) for name in _ANSWERS):
        return []
    if chats := [one for one in items(value, "history") if isinstance(one.get("messages"), list)]:
        return [(one, items(one["messages"])) for one in chats]
    found = next((value[name] for name in _LISTS if items(value, name) and _role(value[name][0])), None)
    if found is not None:
        return [(value, items(found))]
    if isinstance(value.get("prompt"), list) and isinstance(value.get("completion"), list):
        return [(value, items([*value["prompt"], *value["completion"]]))]
    return []


def _role(message: Any) -> str:
    """Who speaks in a message, ``""`` where it does not say."""
    found = member(message, _ROLES) if isinstance(message, dict) else ""
    return role_of(found.get("role") if isinstance(found, dict) else found)


def _log(value: Any, request: Any) -> Iterator[Given]:
    """Logs of conversations as lists of messages, each with a role and a text, as fine-tuning and loggers write them.

    Each turn of the assistant is an answer, and the user's turns never are.
    """
    for about, messages in _logs(value):
        name = text_at(about, _IDS)
        title = text_at(about, "title") or (text_at(about, "name") if "messages" in about else "")
        said = [one for message in messages if (one := _log_said(message, about)) is not None]
        answers = list(each_answer(said, Conversation(title, name if title else "")))
        for number, one in enumerate(answers, 1):
            one.id = one.id or (f"{name}-{number}" if name and len(answers) > 1 else name)
            yield one


def _log_said(message: dict[str, Any], about: Any) -> Turn | Given | None:
    role, written = _role(message), "\n".join(texts_in(member(message, "content|value|text|message")))
    if role != "assistant":
        return Turn(role, written) if role in ("user", "system") else None
    text = CutText(written, asides(written)).text
    if not text.strip() or message.get("tool_calls") or message.get("function_call"):
        return None
    return Given(
        response=text,
        id=text_at(message, "id|message_id"),
        model=text_at(message, _MODELS) or text_at(about, _MODELS) or text_at(member(about, "metadata"), _MODELS),
        created=text_at(message, _TIMES) or text_at(about, _TIMES),
        finish=message.get("finish_reason"),
        left=what_asides(written) + ["reasoning"] * bool(message.get("reasoning_content")),
    )


MESSAGES: Final = Producer(
    "log of messages",
    "lists of messages with roles, as fine-tuning and loggers write them",
    Form(
        lambda value: any({*map(_role, messages)} >= {"user", "assistant"} for _, messages in _logs(value)), read=_log
    ),
)
