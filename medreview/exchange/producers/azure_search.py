"""Azure's sample application for search: an answer with the names of files in brackets, and its passages."""

import re
from collections.abc import Iterator
from typing import Any

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
    return _points(_told(value)) is not None and isinstance(member(_told(value), "message", "content"), str)


def _told(value: Any) -> Any:
    """The answer with its context; earlier versions had these in ``choices``."""
    first = member(value, "choices", 0)
    return first if isinstance(member(first, "context"), dict) else value


def _points(told: Any) -> Any:
    """The passages: texts, or an object of them by their kind."""
    found = member(told, "context", "data_points")
    return member(found, "text") if isinstance(found, dict) else found


def _records(value: Any, request: Any) -> Iterator[Given]:
    told = _told(value)
    text = told["message"]["content"]
    cites, texts = [], []
    passages = [point.partition(": ") for point in texts_in(_points(told))]
    names = [name for name, _, _ in passages] + texts_in(member(told, "context", "data_points", "citations"))
    for name in dict.fromkeys(filter(None, names)):
        marks = [mark.span() for mark in re.finditer(rf"\[{re.escape(name)}\]", text)]
        cited = cited_as(name, name)
        cites += [Cite(cited, name, *mark, f"[{name}]") for mark in marks]
        texts += [SourceText(cited, words, name) for other, _, words in passages if other == name and marks]
    question, turns = asked(member(request, "messages"))
    thoughts = {text_at(one, "title").casefold(): one for one in items(member(told, "context", "thoughts"))}
    for title in ("original user query", "search using user query"):
        question = question or text_at(thoughts.get(title), "description")
    answering = thoughts.get("prompt to generate answer")
    yield Given(
        response=text,
        question=question,
        turns=turns,
        model=text_at(answering, "props", "model"),
        cites=cites,
        texts=texts,
    )


PRODUCER = Producer("Azure search demo", "answers of Azure's sample application for search", _detect, _records)
