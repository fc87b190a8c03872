"""APIs of models in forms of their own: Anthropic's Messages, Gemini, Cohere's chat, and Amazon Bedrock."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final, NamedTuple

from medreview.exchange.imports.answer_records import Turn
from medreview.exchange.imports.listed_citations import document_entry
from medreview.exchange.producers.given import (
    Cite,
    CitedText,
    Form,
    Given,
    Place,
    Producer,
    asked,
    cited_as,
    has,
    items,
    member,
    object_at,
    span,
    text_at,
    texts_in,
)


def _is_anthropic(value: Any) -> bool:
    return (
        isinstance(member(value, "content"), list)
        and value.get("role") == "assistant"
        and ("stop_reason" in value or (value.get("type") == "message" and "model" in value))
        and not any(one.get("type") in ("output_text", "message") for one in items(value["content"]))
    )


def _take_blocks(given: Given, value: Any, request: Any) -> None:
    """An answer is its blocks of text joined, and each block is a stretch with its own citations."""
    documents, results = _sent_sources(request, value)
    pages = []
    for block in items(value["content"]):
        if block.get("type") != "text":
            given.left += [name] if (name := _LEFT.get(str(block.get("type")), "")) else []
            continue
        words = text_at(block, "text")
        at = len(given.response), len(given.response) + len(words)
        for one in items(block, "citations"):
            source = _cited_source(one, documents, results)
            quote = text_at(one, "cited_text")
            given.cite(source.cited, source.title, at, words, quote, text=source.text or quote, whole=bool(source.text))
            first, last = one.get("start_page_number"), one.get("end_page_number")
            if isinstance(first, int) and isinstance(last, int):
                where = f"page {first}" if last <= first + 1 else f"pages {first} to {last - 1}"
                pages.append(f"{source.title or 'document'}, {where}: {quote[:60]}")
        given.response += words
    given.extra = {"cited_pages": pages} if pages else {}


_LEFT: Final = {
    "thinking": "reasoning",
    "redacted_thinking": "reasoning",
    "server_tool_use": "tool call",
    "tool_use": "tool call",
    "mcp_tool_use": "tool call",
}


class _Source(NamedTuple):
    """What can be cited; ``text`` is its whole text, ``""`` if it is not there."""

    cited: str
    title: str
    text: str


def _sent_sources(request: Any, value: dict[str, Any]) -> tuple[list[_Source], list[_Source]]:
    """The documents and the search results that the model had, each in the order in which citations count them."""
    documents: list[_Source] = []
    results: list[_Source] = []

    def look(content: Any) -> None:
        for block in items(content):
            if block.get("type") == "document":
                documents.append(_sent_document(block, "", len(documents) + 1))
            elif block.get("type") == "search_result":
                title = text_at(block, "title")
                text = "\n".join(texts_in(block.get("content")))
                results.append(_Source(cited_as(text_at(block, "source"), title), title, text))
            elif block.get("type") == "web_fetch_tool_result":
                page = object_at(block, "content")
                if isinstance(page.get("content"), dict):
                    documents.append(_sent_document(page["content"], text_at(page, "url"), len(documents) + 1))
            elif isinstance(block.get("content"), list):
                look(block["content"])

    for message in items(request, "messages"):
        look(message.get("content"))
    look(value["content"])
    return documents, results


def _sent_document(block: dict[str, Any], url: str, number: int) -> _Source:
    is_text = text_at(block, "source.type") == "text"
    text = text_at(block, "source.data") if is_text else "\n".join(texts_in(member(block, "source.content")))
    title = text_at(block, "title")
    cited = cited_as(url or text_at(block, "source.url"), title)
    return _Source(cited or document_entry(f"document {number}", text), title, text)


def _cited_source(citation: dict[str, Any], documents: Sequence[_Source], results: Sequence[_Source]) -> _Source:
    """What a citation cites. A document is the one of its number, unless the quote stands in another one alone."""
    title = text_at(citation, "title|document_title")
    if url := text_at(citation, "url"):
        return _Source(cited_as(url, title), title, "")
    at = citation.get("search_result_index")
    if isinstance(at, int):
        cited = cited_as(text_at(citation, "source"), title)
        known = [one for one in results if one.cited == cited] or results
    else:
        known, at = documents, citation.get("document_index")
        cited = document_entry(title or f"document {at + 1 if isinstance(at, int) else 1}")
    quoted = " ".join(text_at(citation, "cited_text").split())
    by_number = known[at] if isinstance(at, int) and 0 <= at < len(known) else None
    if by_number is not None and (not by_number.text or quoted in " ".join(by_number.text.split())):
        return by_number
    holding = (one for one in known if quoted and quoted in " ".join(one.text.split()))
    return next(holding, by_number or _Source(cited, title, ""))


def _fold_anthropic(events: list[Any]) -> Any:
    begun = next((event["message"] for event in items(events) if isinstance(event.get("message"), dict)
                  and event.get("type") == "message_start"), None)  # fmt: skip
    if begun is None:
        return None
    blocks: dict[Any, dict[str, Any]] = {}
    stop = "interrupted"
    for event in items(events):
        at, delta = event.get("index"), event.get("delta")
        if event.get("type") == "content_block_start" and isinstance(event.get("content_block"), dict):
            blocks[str(at)] = dict(event["content_block"])
        elif event.get("type") == "content_block_delta" and isinstance(delta, dict):
            block = blocks.setdefault(str(at), {"type": "text"})
            if isinstance(delta.get("text"), str):
                block["text"] = text_at(block, "text") + delta["text"]
            if isinstance(delta.get("citation"), dict):
                block["citations"] = [*items(block, "citations"), delta["citation"]]
        elif event.get("type") == "message_delta":
            stop = text_at(delta, "stop_reason") or stop
    return {**begun, "role": "assistant", "content": list(blocks.values()), "stop_reason": stop}


ANTHROPIC: Final = Producer(
    "Anthropic Messages",
    "answers of Anthropic's Messages API, also by Bedrock and Vertex",
    Form(_is_anthropic, "id=id model=model finish=stop_reason asked=messages system=system", _take_blocks),
    fold=_fold_anthropic,
)


@cache
def _both(path: str) -> str:
    """A path, whose names Gemini's API writes ``likeThis`` and its library for Python ``like_this``, in both ways."""
    found = [""]
    for step in path.split("."):
        names = dict.fromkeys((step, re.sub(r"([A-Z])", lambda capital: "_" + capital[0].lower(), step)))
        found = [f"{before}.{name}" for before in found for name in names]
    return "|".join(one[1:] for one in found)


def _member(value: Any, path: str) -> Any:
    return member(value, _both(path))


def _said(value: Any, path: str) -> str:
    return text_at(value, _both(path))


def _is_generated(value: Any) -> bool:
    return any(
        isinstance(member(one, "content.parts"), list) or _said(one, "finishReason")
        for one in items(value, "candidates")
    ) or bool(_member(value, "promptFeedback.blockReason"))


def _candidates(value: Any) -> Iterator[dict[str, Any]]:
    candidates = items(value, "candidates")
    for at, candidate in enumerate(candidates or [{}]):
        index = candidate.get("index")
        number = (index if isinstance(index, int) else at) if len(candidates) > 1 else None
        yield {**value, "candidate": candidate, "number": number}


def _take_candidate(given: Given, value: Any, request: Any) -> None:
    """Each of ``candidates`` is an answer, whose stretches are counted in bytes; an interaction has ``outputs``."""
    candidate = value["candidate"]
    given.choice = value["number"]
    for part in items(candidate, "content.parts"):
        if part.get("thought"):
            given.left += ["reasoning"] if text_at(part, "text") else []
        elif "text" in part:
            given.response += text_at(part, "text")
        elif _member(part, "functionCall") is not None or _member(part, "toolCall") is not None:
            given.left.append("tool call")
    blocked = not candidate or (not given.response and _said(value, "promptFeedback.blockReason"))
    given.finish = "refusal" if blocked else _said(candidate, "finishReason").rpartition(".")[2]
    _take_grounding(given, _member(candidate, "groundingMetadata"))
    found = _member(candidate, "citationMetadata")
    for one in items(found, "citationSources|citations"):
        cited = cited_as(text_at(one, "uri"), text_at(one, "title"))
        start, end = _member(one, "startIndex") or 0, _member(one, "endIndex")
        if isinstance(start, int) and isinstance(end, int) and cited:
            given.cite(cited, text_at(one, "title"), _characters(given.response, start, end))


def _take_grounding(given: Given, grounding: Any) -> None:
    """What stretches are grounded on; a source that no stretch names is one of the whole answer."""
    sources = [_chunk(chunk) for chunk in _list(_member(grounding, "groundingChunks"))]
    given.texts = [CitedText(*one) for one in sources if one.text]
    named: set[int] = set()
    for support in items(_member(grounding, "groundingSupports")):
        segment = _member(support, "segment")
        start, end = _member(segment, "startIndex") or 0, _member(segment, "endIndex")
        at = (start, end) if isinstance(start, int) and isinstance(end, int) else None
        for number in _list(_member(support, "groundingChunkIndices")):
            if isinstance(number, int) and 0 <= number < len(sources):
                named.add(number)
                given.cite(sources[number].cited, sources[number].title, at, _said(segment, "text"))
    given.cites += (Cite(one.cited, one.title) for number, one in enumerate(sources) if number not in named)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _characters(text: str, start: int, end: int) -> Place:
    """Places in characters of places in bytes."""
    data = text.encode()
    return tuple(len(data[: max(0, at)].decode(errors="ignore")) for at in (start, end))  # type: ignore[return-value]


def _chunk(chunk: Any) -> CitedText:
    """A page of the web or of maps, which has an address; or a passage of one's own files, which may have one."""
    for kind in ("web", "maps"):
        if isinstance(inner := member(chunk, kind), dict):
            title = text_at(inner, "title")
            return CitedText(cited_as(text_at(inner, "uri"), title), "", title)
    inner = _member(chunk, "retrievedContext")
    title, uri = text_at(inner, "title"), text_at(inner, "uri")
    for one in items(_member(inner, "customMetadata")):
        stated = _said(one, "stringValue")
        uri = stated if stated.startswith(("https://", "http://")) else uri
    text = _said(inner, "text") or _said(inner, "ragChunk.text")
    return CitedText(cited_as(uri, title) or (document_entry("", text) if text.strip() else ""), text, title)


def _take_outputs(given: Given, value: Any, request: Any) -> None:
    for part in items(value["outputs"]):
        kind = text_at(part, "type")
        given.left += ["reasoning"] * (kind == "thought") + ["tool call"] * kind.endswith("_call")
        for one in items(part, "annotations") if kind == "text" else ():
            at, title = span(one), text_at(one, "title")
            at = (len(given.response) + at[0], len(given.response) + at[1]) if at else None
            given.cite(cited_as(text_at(one, "url"), title), title, at)
        given.response += text_at(part, "text") if kind == "text" else ""


def _fold_gemini(events: list[Any]) -> Any:
    """One answer of its chunks: all but the last have no end, and they share an id."""
    chunks = [event for event in items(events) if _is_generated(event) or _member(event, "usageMetadata")]
    if not any(map(_is_generated, chunks)) or len({_said(chunk, "responseId") for chunk in chunks} - {""}) > 1:
        return None
    ends = [any(_said(one, "finishReason") for one in items(chunk, "candidates")) for chunk in chunks]
    if len(chunks) > 1 and any(ends[:-2]):
        return None
    found: dict[int, dict[str, Any]] = {}
    for chunk in chunks:
        for candidate in items(chunk, "candidates"):
            index = candidate.get("index")
            one = found.setdefault(index if isinstance(index, int) else 0, {"content": {"parts": []}})
            one["content"]["parts"] += items(candidate, "content.parts")
            one |= {name: stated for name, stated in candidate.items() if stated and name != "content"}
    for one in found.values():
        one.setdefault("finishReason", _said(one, "finishReason") or "interrupted")
    return {**chunks[0], **chunks[-1], "candidates": [one for _, one in sorted(found.items())]}


GEMINI: Final = Producer(
    "Gemini",
    "answers of the Gemini API and of Vertex AI",
    Form(
        _is_generated,
        f"id={_both('responseId')} model={_both('modelVersion')} created={_both('createTime')}"
        f" asked=contents system={_both('systemInstruction')}",
        _take_candidate,
        _candidates,
    ),
    Form(
        lambda value: has(value, "outputs:list") and value.get("object") == "interaction",
        "id=id model=model created=created finish=status asked=input",
        _take_outputs,
    ),
    fold=_fold_gemini,
)


def _take_request(given: Given, value: Any, request: Any) -> None:
    """The question and the model, of whichever version the request is."""
    history = member(request, "chat_history")
    if said := text_at(request, "message"):
        given.question, given.turns = said, [*asked(history)[1], *_last(history)]
    elif not given.question:
        given.question, given.turns = asked(items(value, "chat_history"))
    given.model = text_at(value, "model") or text_at(request, "model")


def _last(history: Any) -> list[Any]:
    """The turns of a history from its last question on, which :func:`asked` takes for the question."""
    question, before = asked(history)
    everything = asked([*items(history), {"role": "user", "content": "."}])[1]
    return everything[len(before) :] if question else []


def _take_cohere_2(given: Given, value: Any, request: Any) -> None:
    """Cohere's chat, version 2 (``message``) and 1 (``text``): stretches in characters, and documents that mostly have
    no address."""
    begins = []
    for part in items(value, "message.content"):
        begins.append(len(given.response))
        if part.get("type") == "text" or (part.get("type") is None and "text" in part):
            given.response += text_at(part, "text")
        else:
            given.left.append("reasoning")
    for one in items(value, "message.citations"):
        at = one.get("content_index")
        begin = begins[at] if isinstance(at, int) and 0 <= at < len(begins) else 0
        for source in items(one, "sources") if one.get("type") not in ("THINKING_CONTENT", "PLAN") else ():
            _take_document(given, one, text_at(source, "id"), member(source, "document|tool_output"), begin)
    given.left += ["tool call"] * len(items(value, "message.tool_calls"))
    _take_request(given, value, request)


def _take_cohere_1(given: Given, value: Any, request: Any) -> None:
    documents = {text_at(one, "id"): one for one in items(value, "documents")}
    for one in items(value, "citations"):
        for name in map(str, _list(one.get("document_ids"))):
            _take_document(given, one, name, documents.get(name), 0)
    given.left = ["tool call"] * len(items(value, "tool_calls"))
    _take_request(given, value, request)


_ABOUT: Final = ("id", "title", "url", "timestamp", "tool_name", "source")


def _take_document(given: Given, citation: Mapping[str, Any], name: str, document: Any, begin: int) -> None:
    """Cite a document by its address, else by its title and id; its text is in ``text`` or ``snippet``, or all it
    holds."""
    document = document if isinstance(document, dict) else {}
    title = text_at(document, "title")
    text = text_at(document, "text|snippet|content")
    if not text:
        others = [value for key, value in document.items() if key not in _ABOUT]
        text = "\n".join(one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in others)
    cited = cited_as(text_at(document, "url"), f"{title} ({name})" if title and name else title or name)
    start, end = citation.get("start"), citation.get("end")
    at = (start + begin, end + begin) if isinstance(start, int) and isinstance(end, int) else None
    given.cite(cited, title, at, text_at(citation, "text") if at else "")
    given.texts.append(CitedText(cited, text, title or name))


def _fold_cohere(events: list[Any]) -> Any:
    """The whole answer is in the last event of version 1; in version 2 it comes in pieces."""
    found = items(events)
    for event in reversed(found):
        if event.get("event_type") == "stream-end" and isinstance(event.get("response"), dict):
            return event["response"]
    if any(event.get("event_type") == "text-generation" for event in found):
        text = "".join(text_at(event, "text") for event in found if event.get("event_type") == "text-generation")
        name = next((text_at(event, "generation_id") for event in found if "generation_id" in event), "")
        cited = [one for event in found for one in items(event, "citations")]
        return {"text": text, "generation_id": name, "citations": cited, "finish_reason": "interrupted"}
    begun = next((event for event in found if event.get("type") == "message-start"), None)
    if begun is None:
        return None
    parts: dict[str, dict[str, Any]] = {}
    citations: list[Any] = []
    finish = "INTERRUPTED"
    for event in found:
        stated = member(event, "delta.message")
        if event.get("type") in ("content-start", "content-delta"):
            piece = member(stated, "content")
            part = parts.setdefault(str(event.get("index")), {"type": "text", "text": ""})
            part["type"] = text_at(piece, "type") or ("thinking" if "thinking" in (piece or {}) else part["type"])
            part["text"] += text_at(piece, "text")
        elif event.get("type") == "citation-start":
            citations += items(one if isinstance(one := member(stated, "citations"), list) else [one])
        elif event.get("type") == "message-end":
            finish = text_at(event, "delta.finish_reason") or finish
    message = {"role": "assistant", "content": list(parts.values()), "citations": citations}
    return {"id": text_at(begun, "id"), "message": message, "finish_reason": finish}


COHERE: Final = Producer(
    "Cohere",
    "answers of Cohere's chat, versions 1 and 2",
    Form(
        lambda value: (
            has(value, "message.content:list !choices")
            and text_at(value, "message.role") == "assistant"
            and text_at(value, "finish_reason").isupper()
        ),
        "id=id finish=finish_reason asked=messages",
        _take_cohere_2,
    ),
    Form(
        "text:str generation_id|response_id finish_reason|citations|meta !choices",
        "response=text id=response_id|generation_id finish=finish_reason asked=messages",
        _take_cohere_1,
    ),
    fold=_fold_cohere,
)


def _take_converse(given: Given, value: Any, request: Any) -> None:
    """Converse, RetrieveAndGenerate, the bodies of models of its own, and the lines of its evaluations."""
    documents = _sent_names(request)
    for block in items(value, "output.message.content"):
        cited = block.get("citationsContent")
        words = text_at(block, "text") if cited is None else "".join(texts_in(member(cited, "content")))
        at = len(given.response), len(given.response) + len(words)
        for one in items(cited, "citations"):
            quote = "\n".join(texts_in(one.get("sourceContent"))).strip()
            title = text_at(one, "title|source")
            entry, whole = _located(one, title, documents)
            given.cite(entry, title, at, words, quote, text=whole or quote, whole=bool(whole))
        given.response += words
        given.left += ["reasoning"] * ("reasoningContent" in block) + ["tool call"] * ("toolUse" in block)
    given.model = text_at(request, "modelId")


def _sent_names(request: Any) -> list[tuple[str, str]]:
    """Name and text of the documents that were sent, in the order in which citations count them."""
    blocks = (block for message in items(request, "messages") for block in items(message, "content"))
    sent = (block["document"] for block in blocks if isinstance(block.get("document"), dict))
    return [(text_at(one, "name"), "\n".join(texts_in(member(one, "source")))) for one in sent]


_PLACES: Final = ("documentChar", "documentPage", "documentChunk")


def _located(citation: dict[str, Any], title: str, documents: list[tuple[str, str]]) -> tuple[str, str]:
    """What is cited, and its whole text if that was sent."""
    where = citation.get("location")
    if url := text_at(where, "web.url"):
        return cited_as(url, title), ""
    index = next((at for name in _PLACES if isinstance(at := member(where, f"{name}.documentIndex"), int)), -1)
    name, text = documents[index] if 0 <= index < len(documents) else ("", "")
    if title and name and name != title:
        name, text = next(((known, whole) for known, whole in documents if known == title), (title, ""))
    return cited_as(text_at(citation, "source"), title or name) or document_entry(f"document {max(index, 0) + 1}"), text


def _take_grounded(given: Given, value: Any, request: Any) -> None:
    """An answer of a knowledge base, whose stretches name the passages that they rest on."""
    for one in items(value, "citations"):
        part = member(one, "generatedResponsePart.textResponsePart")
        start, end = member(part, "span.start"), member(part, "span.end")
        says = text_at(part, "text")
        at = (start, end) if isinstance(start, int) and isinstance(end, int) else (0, 0) if says else None
        for passage in items(one, "retrievedReferences"):
            _take_passage(given, passage, at, says)
    arn = member(request, "retrieveAndGenerateConfiguration.knowledgeBaseConfiguration.modelArn")
    given.model = (given.model or str(arn or "")).rpartition("/")[2]
    given.question = given.question or text_at(request, "input.text")


def _take_passage(given: Given, passage: dict[str, Any], at: Place | None = None, says: str = "") -> None:
    """Cite a passage: by an address on the web, else by the name of a file or of a record."""
    places = object_at(passage, "location").values()
    names = (text_at(inner, name) for inner in places for name in ("url", "uri", "id"))
    address = next(filter(None, names), "") or text_at(passage, "metadata.x-amz-bedrock-kb-source-uri|name")
    named = text_at(passage, "metadata.title")
    title = named or address.rstrip("/").rpartition("/")[2]
    given.cite(cited_as(address, "" if address else named), title, at, says, text=text_at(passage, "content.text"))


def _rag_turns(value: Any) -> Iterator[dict[str, Any]]:
    """The turns of a conversation with a knowledge base that was evaluated, each with the turns before it."""
    before: list[Turn] = []
    for turn in items(value["conversationTurns"]):
        record, output = object_at(turn, "inputRecord") or turn, turn.get("output")
        question = "\n".join(texts_in(member(record, "prompt")))
        cited = member(output, "citations") or turn.get("citations")
        yield {"output": output, "citations": cited, "asked": question, "record": record, "before": [*before]}
        before += [Turn("user", question), Turn("assistant", text_at(output, "text"))]


def _take_rag_turn(given: Given, turn: Any, request: Any) -> None:
    given.turns = turn["before"]
    _take_grounded(given, turn, None)
    for passage in items(turn, "output.retrievedPassages.retrievalResults") if not given.cites else ():
        _take_passage(given, passage)
    given.correct = "\n".join(texts_in(member(turn, "record.referenceResponses.0")))


def _take_invoked(given: Given, value: Any, request: Any) -> None:
    """The body of a model of Amazon (Titan), Meta or Mistral."""
    given.question = text_at(request, "inputText|prompt")
    given.finish = "stop" if given.finish == "FINISH" else given.finish


def _fold_converse(events: list[Any]) -> Any:
    """The answer of a stream of Converse."""
    found = items(events)
    if not any("contentBlockDelta" in event for event in found):
        return None
    blocks: dict[Any, dict[str, Any]] = {}
    stop = "interrupted"
    for event in found:
        piece = member(event, "contentBlockDelta.delta")
        if isinstance(piece, dict):
            block = blocks.setdefault(str(member(event, "contentBlockDelta.contentBlockIndex")), {"text": ""})
            block["text"] += text_at(piece, "text")
            if isinstance(piece.get("citation"), dict):
                block.setdefault("citations", []).append(piece["citation"])
            if "reasoningContent" in piece:
                block["reasoningContent"] = {}
        stop = text_at(event, "messageStop.stopReason") or stop
    content = [
        {"citationsContent": {"content": [{"text": one["text"]}], "citations": one["citations"]}}
        if "citations" in one
        else one
        for one in blocks.values()
    ]
    return {"output": {"message": {"role": "assistant", "content": content}}, "stopReason": stop}


BEDROCK: Final = Producer(
    "Amazon Bedrock",
    "answers of Converse, InvokeModel and RetrieveAndGenerate, and lines of evaluations",
    Form("output.message.content:list stopReason", "finish=stopReason asked=messages system=system", _take_converse),
    Form(
        lambda value: any(isinstance(turn.get("output"), dict) for turn in items(value, "conversationTurns")),
        "response=output.text question=asked model=output.modelIdentifier"
        " +knowledge_base=output.knowledgeBaseIdentifier",
        _take_rag_turn,
        _rag_turns,
    ),
    Form(
        lambda value: any(has(one, "response modelIdentifier") for one in items(value, "modelResponses")),
        "response=response question=record.prompt model=modelIdentifier correct=record.referenceResponse"
        " +category=record.category",
        each=lambda value: (
            {**one, "record": object_at(value, "inputRecord") or value} for one in items(value["modelResponses"])
        ),
    ),
    Form("output.text:str citations:list", "response=output.text id=sessionId", _take_grounded),
    Form(
        lambda value: (
            has(value, "results.0.outputText:str results.0.completionReason")
            or has(value, "generation:str generation_token_count")
            or any(has(one, "text:str stop_reason") for one in items(value, "outputs"))
        ),
        "response=results.0.outputText|outputs.0.text|generation"
        " finish=results.0.completionReason|outputs.0.stop_reason|stop_reason",
        _take_invoked,
    ),
    fold=_fold_converse,
)
