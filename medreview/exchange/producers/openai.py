"""APIs of OpenAI and those that copy them: chat completions, Responses, Ollama, Azure's sample for search."""

import re
from collections.abc import Iterator
from typing import Any, Final

from medreview.exchange.imports.json_rows import DECODER
from medreview.exchange.imports.listed_citations import document_entry
from medreview.exchange.producers.conversation import moved
from medreview.exchange.producers.given import (
    Cite,
    CitedText,
    Form,
    Given,
    NoAnswerError,
    Place,
    Producer,
    after_thinking,
    cited_as,
    has,
    items,
    member,
    object_at,
    span,
    text_at,
    texts_in,
)


def _take_output(given: Given, value: Any, request: Any) -> None:
    """OpenAI's Responses API, also as Azure, xAI and Perplexity's agent have it.

    ``output`` holds reasoning, calls of tools, what these found, and messages.
    """
    refused = False
    texts: list[CitedText] = []
    found: dict[str, dict[str, Any]] = {}
    for item in items(value["output"]):
        if item.get("type") != "message":
            kind, results = text_at(item, "type"), items(item, "results")
            found |= {text_at(one, "id"): one for one in results if text_at(one, "url")}
            given.left.append("tool call" if kind.endswith("_call") else kind.replace("_", " "))
            named = ((text_at(one, "filename"), text_at(one, "text")) for one in results)
            texts += [CitedText(document_entry(name), text, name) for name, text in named if name]
            continue
        content = item.get("content")
        for part in [{"text": content}] if isinstance(content, str) else items(content):
            given.response += "\n\n" if given.response else ""
            given.cites += [_annotation(one, len(given.response)) for one in items(part, "annotations")]
            given.response += text_at(part, "text|refusal")
            refused = refused or part.get("type") == "refusal"
    for number in dict.fromkeys(re.findall(r"\[(\d{1,3})\]", given.response)) if not given.cites else ():
        one = found.get(number, {})
        if url := text_at(one, "url"):
            given.cites.append(Cite(url, text_at(one, "title"), number=int(number)))
            texts.append(CitedText(url, text_at(one, "snippet"), text_at(one, "title")))
    given.texts = [one for one in texts if any(cite.cited == one.cited for cite in given.cites)]
    given.finish = "refusal" if refused else given.finish


def _annotation(annotation: dict[str, Any], offset: int) -> Cite:
    """An annotation; its offsets are those of its part, which begins at ``offset`` of the answer."""
    inner = annotation.get(str(annotation.get("type")), annotation)
    inner = inner if isinstance(inner, dict) else annotation
    title, at = text_at(inner, "title|filename"), span(inner)
    if at is None and text_at(inner, "filename"):
        point = member(inner, "index")
        at = (point, point) if isinstance(point, int) else None
    cited = text_at(inner, "url") or (document_entry(title) if title else "")
    return Cite(cited, title, *((at[0] + offset, at[1] + offset) if at else (None, None)))


def _fold_responses(events: list[Any]) -> Any:
    """The whole response is in the last event; of a stream that was cut, the pieces that came."""
    for event in reversed(events):
        if isinstance(member(event, "response.output"), list) and event.get("type") in _LAST:
            return event["response"]
    pieces = [text_at(event, "delta") for event in items(events) if event.get("type") == "response.output_text.delta"]
    begun = next((event["response"] for event in items(events) if event.get("type") == "response.created"), None)
    if not isinstance(begun, dict) or not pieces:
        return None
    message = {"type": "message", "content": [{"type": "output_text", "text": "".join(pieces)}]}
    return {**begun, "output": [message], "status": "incomplete"}


_LAST: Final = ("response.completed", "response.incomplete", "response.failed")

RESPONSES: Final = Producer(
    "OpenAI Responses",
    "answers of the Responses API, also of Azure, xAI and Perplexity's agent",
    Form(
        lambda value: (
            has(value, "output:list")
            and (
                value.get("object") == "response" or any(one.get("type") == "message" for one in items(value["output"]))
            )
        ),
        "id=id model=model created=created_at finish=incomplete_details.reason|status asked=input system=instructions",
        _take_output,
    ),
    fold=_fold_responses,
)


def _demo(value: Any) -> Any:
    """The answer with its context; earlier versions had these in ``choices``."""
    first = member(value, "choices.0")
    return first if isinstance(member(first, "context"), dict) else value


def _points(stated: Any) -> Any:
    """The passages: texts, or an object of them by their kind."""
    found = member(stated, "context.data_points")
    return member(found, "text") if isinstance(found, dict) else found


def _take_points(given: Given, stated: Any, request: Any) -> None:
    """An answer with the names of files in brackets, and its passages."""
    passages = [point.partition(": ") for point in texts_in(_points(stated))]
    names = [name for name, _, _ in passages] + texts_in(member(stated, "context.data_points.citations"))
    for name in dict.fromkeys(filter(None, names)):
        marks = [mark.span() for mark in re.finditer(rf"\[{re.escape(name)}\]", given.response)]
        cited = cited_as(name, name)
        given.cites += [Cite(cited, name, *mark, f"[{name}]") for mark in marks]
        given.texts += [CitedText(cited, words, name) for other, _, words in passages if other == name and marks]
    thoughts = {text_at(one, "title").casefold(): one for one in items(stated, "context.thoughts")}
    for title in ("original user query", "search using user query"):
        given.question = given.question or text_at(thoughts.get(title), "description")
    given.model = text_at(thoughts.get("prompt to generate answer"), "props.model")


AZURE_SEARCH: Final = Producer(
    "Azure search demo",
    "answers of Azure's sample application for search",
    Form(
        lambda value: has(stated := _demo(value), "message.content:str") and _points(stated) is not None,
        "response=message.content asked=messages",
        _take_points,
        lambda value: (_demo(value),),
    ),
)


_IS_OLLAMA: Final = "done:bool model message.content|response:str"


def _take_ollama(given: Given, value: Any, request: Any) -> None:
    """Ollama's own API (``/api/chat`` and ``/api/generate``), whose stream is one JSON object a line."""
    whole, given.response = given.response, after_thinking(given.response)
    thought = given.response != whole or text_at(value, "thinking|message.thinking")
    given.finish = given.finish or ("stop" if value["done"] else "interrupted")
    given.left = (["reasoning"] if thought else []) + ["tool call"] * len(items(value, "message.tool_calls"))


def _fold_ollama(events: list[Any]) -> Any:
    pieces = [event for event in items(events) if has(event, _IS_OLLAMA)]
    if not pieces or pieces[0]["done"]:
        return None
    message = {
        name: "".join(text_at(piece, f"message.{name}|{at}") for piece in pieces)
        for name, at in (("content", "response"), ("thinking", "thinking"))
    }
    return pieces[-1] | {"model": pieces[0]["model"], "message": message}


OLLAMA: Final = Producer(
    "Ollama",
    "answers of Ollama's own API, also as a stream",
    Form(
        _IS_OLLAMA,
        "response=message.content|response model=model created=created_at finish=done_reason"
        " asked=messages|prompt system=system",
        _take_ollama,
    ),
    fold=_fold_ollama,
)

_REASONING: Final = "reasoning_content|reasoning|thinking|reasoning_details"
_CHUNK: Final = "chat.completion.chunk"
_PASSAGE: Final = "content|snippet|cited_text|text"


def _is_chat(value: Any) -> bool:
    choices = member(value, "choices")
    if not isinstance(choices, list) or value.get("object") == _CHUNK:
        return False
    return value.get("object") in ("chat.completion", "text_completion") or any(map(_is_choice, items(choices)))


def _is_choice(choice: dict[str, Any]) -> bool:
    message = choice.get("message")
    if isinstance(message, dict):
        return "content" in message or "role" in message
    return isinstance(choice.get("text"), str) and not {"finish_reason", "stop_reason", "logprobs"}.isdisjoint(choice)


def _choices(value: Any) -> Iterator[dict[str, Any]]:
    """The choices of a value with what stands around them: ``choice``, and which it is of several."""
    choices = items(value["choices"])
    if not choices:
        raise NoAnswerError("has no answer: its list of choices is empty")
    for at, choice in enumerate(choices):
        index = choice.get("index")
        number = (index if isinstance(index, int) else at) if len(choices) > 1 else None
        yield {**value, "choice": choice, "number": number}


def _take_chat(given: Given, value: Any, request: Any) -> None:
    """Each of ``choices`` is an answer.

    Azure has passages of one's own data beside the message (``[doc1]``), Mistral references among the parts of the
    text, Groq the results of its searches, OpenRouter passages in its annotations, Perplexity and xAI a list of
    addresses.
    """
    given.choice = value["number"]
    message = member(value, "choice.message")
    message = message if isinstance(message, dict) else {"content": value["choice"].get("text")}
    given.left = ["reasoning"] if member(message, _REASONING) else []
    given.left += ["tool call"] * len(items(message, "tool_calls"))
    content = message.get("content")
    refused = False
    if isinstance(content, list):
        refused = _take_parts(given, content, request)
    else:
        given.response = text_at(message, "content|audio.transcript")
    if not given.response and text_at(message, "refusal"):
        given.response, refused = text_at(message, "refusal"), True
    if refused:
        given.finish = "refusal"
    whole, given.response = given.response, after_thinking(given.response)
    cut = len(whole) - len(given.response)
    if cut and given.left[:1] != ["reasoning"]:
        given.left.insert(0, "reasoning")
    given.cites = moved(given.cites, lambda at: at - cut)
    _take_beside(given, message, cut)
    _take_list(given, value, message)


def _take_parts(given: Given, parts: list[Any], request: Any) -> bool:
    """The parts of a text, and whether it refuses; a reference (Mistral) stands behind what it proves, or holds it."""
    known = _tool_results(request) if any(text_at(part, "type") == "reference" for part in parts) else {}
    refused = False
    for part in parts:
        kind = text_at(part, "type")
        if kind == "thinking":
            given.left.insert(0, "reasoning")
        elif kind == "refusal":
            given.response, refused = given.response + text_at(part, "refusal"), True
        else:
            begin = len(given.response)
            given.response += text_at(part, "text") if isinstance(part, dict) else "".join(texts_in(part))
            names = part.get("reference_ids") if kind == "reference" else ()
            for name in names if isinstance(names, list) else ():
                for cited, title, text in known.get(str(name), ()):
                    given.cite(cited, title, (begin, len(given.response)), text=text)
    return refused


def _take_beside(given: Given, message: dict[str, Any], cut: int) -> None:
    """What a message cites: annotations, passages of one's own data (Azure), results of searches (Groq). ``cut``: how
    many characters of reasoning stood before the answer."""
    for one in items(message, "annotations"):
        inner = object_at(one, "url_citation") or one
        at = span(inner)
        _take_source(given, inner, (at[0] - cut, at[1] - cut) if at else None)
    marked = re.search(r"\[doc\d+\]", given.response) is not None
    for number, one in enumerate(_own_data(message), 1):
        cited = cited_as(text_at(one, "url"), text_at(one, "filepath|title"))
        title = text_at(one, "title|filepath")
        marks = [Cite(cited, title, mark.start(), mark.end(), mark[0])
                 for mark in re.finditer(rf"\[doc{number}\]", given.response)]  # fmt: skip
        if cited and (marks or not marked):
            given.cites += marks or [Cite(cited, title)]
            given.texts.append(CitedText(cited, text_at(one, "content"), title))
    for tool in items(message, "executed_tools"):
        given.left.append("tool call")
        for one in items(tool, "search_results.results"):
            _take_source(given, one)
    stated = member(message, "provider_specific_fields.citations")  # of Anthropic and others, by LiteLLM
    for group in stated if isinstance(stated, list) else ():
        for one in items(group if isinstance(group, list) else [group]):
            says = text_at(one, "supported_text")
            _take_source(given, one, (0, 0) if says else None, says)


def _take_list(given: Given, value: dict[str, Any], message: dict[str, Any]) -> None:
    """The addresses beside the answer, in the order of its marks ``[1]``, and passages of them."""
    known = {text_at(one, "url"): one for one in items(value, "search_results")}
    listed = next((one for one in (value.get("citations"), message.get("citations")) if isinstance(one, list)), [])
    urls = [one if isinstance(one, str) else text_at(one, "url") for one in listed] or list(known)
    marks = [int(mark) for mark in re.findall(r"\[(\d{1,3})\]", given.response)]
    numbered = bool(marks) and max(marks) <= len(urls)
    for number, url in enumerate(urls, 1):
        _take_source(given, known.get(url, {"url": url}), number=number if numbered else None)


def _take_source(
    given: Given, one: dict[str, Any], at: Place | None = None, says: str = "", number: int | None = None
) -> None:
    """Cite a source that is stated as an object, if that names one."""
    title = text_at(one, "title")
    if cited := cited_as(text_at(one, "url|source"), title or text_at(one, "document_title")):
        given.cite(cited, title, at, says, text_at(one, "cited_text"), number, text=text_at(one, _PASSAGE))


def _own_data(message: dict[str, Any]) -> list[dict[str, Any]]:
    """The passages of one's own data that Azure shows; earlier ones stand as JSON in the message of a tool."""
    found = items(message, "context.citations")
    for one in items(message, "context.messages"):
        found = found or items(_json_in(one.get("content")), "citations")
    return found


def _json_in(text: Any) -> Any:
    try:
        return DECODER.decode(text) if isinstance(text, str) else text
    except (ValueError, RecursionError):
        return None


def _tool_results(request: Any) -> dict[str, list[tuple[str, str, str]]]:
    """By number: address, title and text of what tools gave to the model."""
    found: dict[str, list[tuple[str, str, str]]] = {}
    for message in items(request, "messages"):
        came = _json_in("".join(texts_in(message.get("content")))) if message.get("role") == "tool" else None
        came = member(came, "results|documents") or came
        numbered = enumerate(came) if isinstance(came, list) else came.items() if isinstance(came, dict) else ()
        for number, one in numbered:
            title = text_at(one, "title")
            text = next(filter(None, ("\n".join(_words(member(one, name))) for name in _SNIPPETS)), "")
            if cited := cited_as(text_at(one, "url"), title or text_at(one, "source")):
                found.setdefault(text_at(one, "id") or str(number), []).append((cited, title, text))
    return found


_SNIPPETS: Final = ("text", "content", "snippets", "snippet", "description")


def _words(value: Any) -> list[str]:
    return [text for item in value for text in _words(item)] if isinstance(value, list) else texts_in(value)


def _fold_chat(events: list[Any]) -> Any:
    """The answer whose pieces these are; one that has no end was cut."""
    pieces = [event for event in items(events) if isinstance(event.get("choices"), list)]
    if not any(
        event.get("object") == _CHUNK or any(isinstance(one.get("delta"), dict) for one in items(event["choices"]))
        for event in pieces
    ):
        return None
    whole: dict[str, Any] = {}
    choices: dict[int, dict[str, Any]] = {}
    for event in pieces:
        for name in ("id", "model", "created", "provider"):
            whole.setdefault(name, event.get(name)) if event.get(name) else None
        whole |= {name: event[name] for name in ("citations", "search_results") if event.get(name)}
        for choice in items(event["choices"]):
            index = choice.get("index")
            one = choices.setdefault(index if isinstance(index, int) else 0, {"message": {}, "finish_reason": ""})
            one["finish_reason"] = choice.get("finish_reason") or one["finish_reason"]
            _append(one["message"], object_at(choice, "delta") or {"content": choice.get("text")})
    return whole | {
        "object": "chat.completion",
        "choices": [
            {"index": at, "message": one["message"], "finish_reason": one["finish_reason"] or "interrupted"}
            for at, one in sorted(choices.items())
        ],
    }


def _append(message: dict[str, Any], delta: dict[str, Any]) -> None:
    """Add a piece to a message: texts are joined, as are lists; of anything else the last one stays."""
    for name, piece in delta.items():
        before = message.get(name)
        if name == "role" or piece is None:
            continue
        if isinstance(before, str) and isinstance(piece, list):
            before = [{"type": "text", "text": before}]
        if isinstance(before, list) and isinstance(piece, str):
            piece = [{"type": "text", "text": piece}]
        joined = isinstance(before, str | list) and type(before) is type(piece)
        message[name] = before + piece if joined else piece


CHAT_COMPLETIONS: Final = Producer(
    "chat completions",
    "answers of OpenAI's chat completions and of the many APIs that copy them: Azure, DeepSeek, Groq, Mistral, "
    "OpenRouter, Perplexity, xAI, LiteLLM, vLLM, LM Studio, Ollama",
    Form(
        _is_chat,
        "id=id model=model created=created finish=choice.finish_reason|choice.stop_reason asked=messages|prompt"
        " +provider=provider",
        _take_chat,
        _choices,
    ),
    fold=_fold_chat,
)
