"""MedQuAD: the questions and answers that a page of a health institute holds, one XML file a page."""

import re
from collections.abc import Iterator
from typing import Any, Final

from medreview.exchange.producers.given import Cite, Given, NoAnswerError, Producer, items, member, rest, text_at

_POINT: Final = re.compile(r"(?<=\S)[ \t]{2,}(?=[-•] )")


def _detect(value: Any) -> bool:
    return member(value, "tag") == "Document" and child(value, "QAPairs") is not None


def _records(value: Any, request: Any) -> Iterator[Given]:
    pairs = children(child(value, "QAPairs"), "QAPair")
    answered = [(pair, text) for pair in pairs if (text := lines(words(child(pair, "Answer"))))]
    if not answered:
        raise NoAnswerError("has no answers: MedQuAD left those of this page out")
    address = text_at(value, "attributes", "url")
    for number, (pair, text) in enumerate(answered):
        asked = child(pair, "Question")
        yield Given(
            response=text,
            question=" ".join(words(asked).split()),
            id=text_at(asked, "attributes", "qid"),
            origin=text_at(value, "attributes", "source"),
            cites=[Cite(address)] if address else [],
            left=["question without an answer"] * (0 if number else len(pairs) - len(answered)),
            extra=rest({"focus": words(child(value, "Focus")).strip(), "qtype": text_at(asked, "attributes", "qtype")}),
        )


def child(element: Any, *path: str) -> dict[str, Any] | None:
    """The first element at the end of a path of tags below an element."""
    for tag in path:
        element = next(iter(children(element, tag)), None)
    return element if isinstance(element, dict) else None


def children(element: Any, *tags: str) -> list[dict[str, Any]]:
    """The children of an element that have one of these tags."""
    return [one for one in items(member(element, "children")) if one.get("tag") in tags]


def words(element: Any) -> str:
    """All text of an element."""
    inner = (words(one) + text_at(one, "tail") for one in items(member(element, "children")))
    return text_at(element, "text") + "".join(inner)


def lines(text: str) -> str:
    """The text without the indentation of the page, each point of a list on a line of its own."""
    stripped = "\n".join(line.strip() for line in _POINT.sub("\n", text).splitlines())
    return re.sub(r"\n{3,}", "\n\n", stripped).strip()


PRODUCER = Producer("MedQuAD", "questions and answers of pages of health institutes (XML)", _detect, _records)
