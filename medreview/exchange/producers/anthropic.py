"""Anthropic's Messages: an answer is its blocks of text joined, and each block is a stretch with its own citations."""

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from medreview.exchange.imports.answer_records import Turn
from medreview.exchange.imports.listed_citations import document_entry
from medreview.exchange.producers.given import (
    Cite,
    Given,
    Producer,
    SourceText,
    asked,
    cited_as,
    items,
    member,
    text_at,
    texts_in,
)


def _detect(value: Any) -> bool:
    return (
        isinstance(member(value, "content"), list)
        and value.get("role") == "assistant"
        and ("stop_reason" in value or (value.get("type") == "message" and "model" in value))
        and not any(one.get("type") in ("output_text", "message") for one in items(value["content"]))
    )


def _records(value: Any, request: Any) -> Iterator[Given]:
    documents, results = _documents(request, value)
    text, cites, texts, left, pages = "", [], [], [], []
    for block in items(value["content"]):
        if block.get("type") != "text":
            left += [name] if (name := _LEFT.get(str(block.get("type")), "")) else []
            continue
        words = text_at(block, "text")
        for one in items(block.get("citations")):
            source = _source(one, documents, results)
            quote = text_at(one, "cited_text")
            cites.append(Cite(source.cited, source.title, len(text), len(text) + len(words), words, quote))
            texts.append(SourceText(source.cited, source.text or quote, source.title, bool(source.text)))
            first, last = one.get("start_page_number"), one.get("end_page_number")
            if isinstance(first, int) and isinstance(last, int):
                where = f"page {first}" if last <= first + 1 else f"pages {first} to {last - 1}"
                pages.append(f"{source.title or 'document'}, {where}: {quote[:60]}")
        text += words
    question, turns = asked(member(request, "messages"))
    prompt = "\n".join(texts_in(member(request, "system")))
    yield Given(
        response=text,
        question=question,
        turns=[*([Turn("system", prompt)] if prompt.strip() else []), *turns],
        id=text_at(value, "id"),
        model=text_at(value, "model"),
        finish=value.get("stop_reason"),
        cites=cites,
        texts=texts,
        left=left,
        extra={"cited_pages": pages} if pages else {},
    )


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


def _documents(request: Any, value: dict[str, Any]) -> tuple[list[_Source], list[_Source]]:
    """The documents and the search results that the model had, each in the order in which citations count them."""
    documents: list[_Source] = []
    results: list[_Source] = []

    def look(content: Any) -> None:
        for block in items(content):
            if block.get("type") == "document":
                documents.append(_document(block, "", len(documents) + 1))
            elif block.get("type") == "search_result":
                title = text_at(block, "title")
                text = "\n".join(texts_in(block.get("content")))
                results.append(_Source(cited_as(text_at(block, "source"), title), title, text))
            elif block.get("type") == "web_fetch_tool_result":
                page = member(block, "content")
                if isinstance(member(page, "content"), dict):
                    documents.append(_document(page["content"], text_at(page, "url"), len(documents) + 1))
            elif isinstance(block.get("content"), list):
                look(block["content"])

    for message in items(member(request, "messages")):
        look(message.get("content"))
    look(value["content"])
    return documents, results


def _document(block: dict[str, Any], url: str, number: int) -> _Source:
    source = block.get("source")
    text = "\n".join(texts_in(member(source, "content")))
    if text_at(source, "type") == "text":
        text = text_at(source, "data")
    title = text_at(block, "title")
    url = url or text_at(source, "url")
    return _Source(cited_as(url, title) or document_entry(f"document {number}", text), title, text)


def _source(citation: dict[str, Any], documents: Sequence[_Source], results: Sequence[_Source]) -> _Source:
    """What a citation cites. A document is the one of its number, unless the quote stands in another one alone."""
    title = text_at(citation, "title") or text_at(citation, "document_title")
    if url := text_at(citation, "url"):
        return _Source(cited_as(url, title), title, "")
    if isinstance(citation.get("search_result_index"), int):
        cited = cited_as(text_at(citation, "source"), title)
        known, at = [one for one in results if one.cited == cited] or list(results), citation["search_result_index"]
        fallback = _Source(cited, title, "")
    else:
        known, at = list(documents), citation.get("document_index")
        name = title or f"document {at + 1 if isinstance(at, int) else 1}"
        fallback = _Source(document_entry(name), title, "")
    quoted = " ".join(text_at(citation, "cited_text").split())
    by_number = known[at] if isinstance(at, int) and 0 <= at < len(known) else None
    if by_number is not None and (not by_number.text or quoted in " ".join(by_number.text.split())):
        return by_number
    holding = [one for one in known if quoted and quoted in " ".join(one.text.split())]
    return holding[0] if holding else by_number or fallback


def _fold(events: list[Any]) -> Any:
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
                block["citations"] = [*items(block.get("citations")), delta["citation"]]
        elif event.get("type") == "message_delta":
            stop = text_at(delta, "stop_reason") or stop
    return {**begun, "role": "assistant", "content": list(blocks.values()), "stop_reason": stop}


PRODUCER = Producer(
    "Anthropic Messages", "answers of Anthropic's Messages API, also by Bedrock and Vertex", _detect, _records, _fold
)
