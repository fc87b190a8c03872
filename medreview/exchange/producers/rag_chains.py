"""What LangChain, LlamaIndex and Haystack give back for a question: an answer and the documents that it was made of."""

from collections.abc import Iterator
from typing import Any, Final

from medreview.exchange.producers.evaluated import asked_by, contexts
from medreview.exchange.producers.given import Given, Producer, items, member, text_at, texts_in

_ASKED: Final = ("query", "question", "input", "user_input")
_ANSWERS: Final = ("answer", "result", "response", "output_text", "output", "data")
_READ: Final = ("source_documents", "source_nodes", "context", "documents")


def _detect(value: Any) -> bool:
    return any(_read(one) is not None for one in _answered(value))


def _answered(value: Any) -> list[dict[str, Any]]:
    """The answers of a value: of Haystack's builder several, each perhaps with its members in ``init_parameters``."""
    inner = member(value, "answer_builder") or value
    listed = [member(one, "init_parameters") or one for one in items(member(inner, "answers"))]
    return [one for one in listed if isinstance(one, dict)] or ([value] if isinstance(value, dict) else [])


def _read(value: dict[str, Any]) -> str | None:
    """The name of the member with the documents of an answer, ``None`` where these or the answer are not there."""
    if not _first(value, _ANSWERS):
        return None
    return next((name for name in _READ if any(map(_is_document, items(value.get(name))))), None)


def _is_document(value: dict[str, Any]) -> bool:
    """Whether an object is a document as one of the three writes it; what other objects are, plain records say."""
    return (
        "page_content" in value
        or "page_content" in (member(value, "kwargs") or ())
        or isinstance(member(value, "node"), dict)
        or ("content" in value and "meta" in value)
    )


def _first(value: dict[str, Any], names: tuple[str, ...]) -> str:
    return next((text for name in names if (text := "\n".join(texts_in(value.get(name))))), "")


def _records(value: Any, request: Any) -> Iterator[Given]:
    for answer in _answered(value):
        name = _read(answer)
        cites, texts = contexts(answer.get(name or ""), "source_documents")
        asked = next((answer[name] for name in _ASKED if answer.get(name)), "")
        question, turns = asked_by(asked)
        yield Given(
            response=_first(answer, _ANSWERS),
            question=question,
            turns=turns,
            id=text_at(answer, "id") or text_at(value, "id"),
            model=text_at(answer, "model") or text_at(answer, "meta", "model"),
            cites=cites,
            texts=texts,
        )


PRODUCER = Producer(
    "LangChain or LlamaIndex or Haystack",
    "answers with the documents that a chain retrieved for them",
    _detect,
    _records,
)
