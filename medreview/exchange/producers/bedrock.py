"""Amazon Bedrock: Converse, RetrieveAndGenerate, the bodies of models of its own, and the lines of its evaluations."""

from collections.abc import Iterator
from typing import Any, Final

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
    object_at,
    text_at,
    texts_in,
)


def _detect(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    return (
        ("stopReason" in value and isinstance(member(value, "output", "message", "content"), list))
        or (isinstance(member(value, "output", "text"), str) and isinstance(value.get("citations"), list))
        or any(isinstance(turn.get("output"), dict) for turn in items(value.get("conversationTurns")))
        or any("response" in one and "modelIdentifier" in one for one in items(value.get("modelResponses")))
        or _titan(value) is not None
        or (isinstance(value.get("generation"), str) and "generation_token_count" in value)
        or any(isinstance(one.get("text"), str) and "stop_reason" in one for one in items(value.get("outputs")))
    )


def _titan(value: Any) -> Any:
    first = member(value, "results", 0)
    return first if isinstance(member(first, "outputText"), str) and "completionReason" in first else None


def _records(value: Any, request: Any) -> Iterator[Given]:
    if "stopReason" in value and isinstance(member(value, "output", "message"), dict):
        yield _converse(value, request)
    elif isinstance(value.get("conversationTurns"), list):
        yield from _rag_evaluation(value)
    elif isinstance(value.get("modelResponses"), list):
        yield from _evaluation(value)
    elif isinstance(member(value, "output", "text"), str):
        question = text_at(request, "input", "text")
        arn = member(request, "retrieveAndGenerateConfiguration", "knowledgeBaseConfiguration", "modelArn")
        yield _grounded(value["output"]["text"], value.get("citations"), question, text_at(value, "sessionId"), arn)
    else:
        yield _invoked(value, request)


def _converse(value: dict[str, Any], request: Any) -> Given:
    documents = _documents(request)
    text, cites, texts, left = "", [], [], []
    for block in items(value["output"]["message"].get("content")):
        cited = block.get("citationsContent")
        words = text_at(block, "text") if cited is None else "".join(texts_in(member(cited, "content")))
        for one in items(member(cited, "citations")):
            quote = "\n".join(texts_in(one.get("sourceContent"))).strip()
            title = text_at(one, "title") or text_at(one, "source")
            entry, whole = _located(one, title, documents)
            cites.append(Cite(entry, title, len(text), len(text) + len(words), words, quote))
            texts.append(SourceText(entry, whole or quote, title, bool(whole)))
        text += words
        left += ["reasoning"] * ("reasoningContent" in block) + ["tool call"] * ("toolUse" in block)
    question, turns = asked(member(request, "messages"))
    prompt = "\n".join(texts_in(member(request, "system")))
    return Given(
        response=text,
        question=question,
        turns=[*([Turn("system", prompt)] if prompt.strip() else []), *turns],
        model=text_at(request, "modelId"),
        finish=value.get("stopReason"),
        cites=cites,
        texts=texts,
        left=left,
    )


def _documents(request: Any) -> list[tuple[str, str]]:
    """Name and text of the documents that were sent, in the order in which citations count them."""
    blocks = (block for message in items(member(request, "messages")) for block in items(message.get("content")))
    sent = (block["document"] for block in blocks if isinstance(block.get("document"), dict))
    return [(text_at(one, "name"), "\n".join(texts_in(member(one, "source")))) for one in sent]


_PLACES: Final = ("documentChar", "documentPage", "documentChunk")


def _located(citation: dict[str, Any], title: str, documents: list[tuple[str, str]]) -> tuple[str, str]:
    """What is cited, and its whole text if that was sent."""
    where = citation.get("location")
    if url := text_at(where, "web", "url"):
        return cited_as(url, title), ""
    index = next((at for name in _PLACES if isinstance(at := member(where, name, "documentIndex"), int)), -1)
    name, text = documents[index] if 0 <= index < len(documents) else ("", "")
    if title and name and name != title:
        name, text = next(((known, whole) for known, whole in documents if known == title), (title, ""))
    return cited_as(text_at(citation, "source"), title or name) or document_entry(f"document {max(index, 0) + 1}"), text


def _grounded(text: str, citations: Any, question: str, name: str, model: Any) -> Given:
    """An answer of a knowledge base, whose stretches name the passages that they rest on."""
    cites, texts = [], []
    for one in items(citations):
        part = member(one, "generatedResponsePart", "textResponsePart")
        start, end = member(part, "span", "start"), member(part, "span", "end")
        says = text_at(part, "text")
        if not isinstance(start, int) or not isinstance(end, int):
            start, end = (0, 0) if says else (None, None)
        for passage in items(one.get("retrievedReferences")):
            entry, title = _passage(passage)
            quote = text_at(passage, "content", "text")
            cites.append(Cite(entry, title, start, end, says))
            texts.append(SourceText(entry, quote, title))
    return Given(
        response=text, question=question, id=name, model=str(model or "").rpartition("/")[2], cites=cites, texts=texts
    )


def _passage(passage: dict[str, Any]) -> tuple[str, str]:
    """The entry and the title of a passage: an address on the web, else the name of a file or of a record."""
    where = object_at(passage, "location")
    names = (text_at(inner, name) for inner in where.values() for name in ("url", "uri", "id"))
    address = next(filter(None, names), "")
    told = passage.get("metadata")
    address = address or text_at(told, "x-amz-bedrock-kb-source-uri") or text_at(passage, "name")
    title = text_at(told, "title")
    return cited_as(address, "" if address else title), title or address.rstrip("/").rpartition("/")[2]


def _evaluation(value: dict[str, Any]) -> Iterator[Given]:
    """The answers of a line of an evaluation that people brought to Bedrock, or that it wrote."""
    asked_for = object_at(value, "inputRecord") or value
    for one in items(value["modelResponses"]):
        yield Given(
            response=text_at(one, "response"),
            question=text_at(asked_for, "prompt"),
            model=text_at(one, "modelIdentifier"),
            correct=text_at(asked_for, "referenceResponse"),
            extra={"category": kind} if (kind := text_at(asked_for, "category")) else {},
        )


def _rag_evaluation(value: dict[str, Any]) -> Iterator[Given]:
    turns: list[Turn] = []
    for turn in items(value["conversationTurns"]):
        record = object_at(turn, "inputRecord") or turn
        question = "\n".join(texts_in(member(record, "prompt")))
        output = turn.get("output")
        text = text_at(output, "text")
        told = member(output, "citations") or turn.get("citations")
        given = _grounded(text, told, question, "", text_at(output, "modelIdentifier"))
        for passage in items(member(output, "retrievedPassages", "retrievalResults")) if not given.cites else ():
            entry, title = _passage(passage)
            given.cites = [*given.cites, Cite(entry, title)]
            given.texts = [*given.texts, SourceText(entry, text_at(passage, "content", "text"), title)]
        given.turns = list(turns)
        given.correct = "\n".join(texts_in(member(record, "referenceResponses", 0)))
        given.extra = {"knowledge_base": name} if (name := text_at(output, "knowledgeBaseIdentifier")) else {}
        yield given
        turns += [Turn("user", question), Turn("assistant", text)]


def _invoked(value: dict[str, Any], request: Any) -> Given:
    """The body of a model of Amazon (Titan), Meta or Mistral."""
    first = _titan(value) or member(value, "outputs", 0) or value
    question = text_at(request, "inputText") or text_at(request, "prompt")
    finish = text_at(first, "completionReason") or text_at(first, "stop_reason")
    return Given(
        response=text_at(first, "outputText") or text_at(first, "generation") or text_at(first, "text"),
        question=question,
        finish="stop" if finish == "FINISH" else finish,
    )


def _fold(events: list[Any]) -> Any:
    """The answer of a stream of Converse."""
    found = items(events)
    if not any("contentBlockDelta" in event for event in found):
        return None
    blocks: dict[Any, dict[str, Any]] = {}
    stop = "interrupted"
    for event in found:
        piece = member(event, "contentBlockDelta", "delta")
        if isinstance(piece, dict):
            block = blocks.setdefault(str(member(event, "contentBlockDelta", "contentBlockIndex")), {"text": ""})
            block["text"] += text_at(piece, "text")
            if isinstance(piece.get("citation"), dict):
                block.setdefault("citations", []).append(piece["citation"])
            if "reasoningContent" in piece:
                block["reasoningContent"] = {}
        stop = text_at(event, "messageStop", "stopReason") or stop
    content = [
        {"citationsContent": {"content": [{"text": one["text"]}], "citations": one["citations"]}}
        if "citations" in one
        else one
        for one in blocks.values()
    ]
    return {"output": {"message": {"role": "assistant", "content": content}}, "stopReason": stop}


PRODUCER = Producer(
    "Amazon Bedrock",
    "answers of Converse, InvokeModel and RetrieveAndGenerate, and lines of evaluations",
    _detect,
    _records,
    _fold,
)
