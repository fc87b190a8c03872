"""K-QA, and MedLFQA, which has its form: questions of patients with a physician's answer, and what it must say.

``[{"Question", "result"}]`` is what K-QA's evaluation reads: the answers of one system.
"""

import re
from collections.abc import Iterator
from typing import Any, Final

from medreview.exchange.producers.given import Cite, Given, Producer, rest, text_at

_LISTS: Final = ("Must_have", "Nice_to_have")
_FIELDS: Final = ("Question", "Free_form_answer", "result", "Sources", *_LISTS)
_ADDRESS: Final = re.compile(r"https?://\S+")


def _detect(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("Question"), str)
        and (isinstance(value.get("result"), str) or isinstance(value.get("Free_form_answer"), str))
    )


def _records(value: Any, request: Any) -> Iterator[Given]:
    correct = text_at(value, "Free_form_answer")
    answers = [("physician", correct, _sources(value)), ("", text_at(value, "result"), [])]
    facts = [(fact, "other") for fact in _facts(value)]
    for model, text, cites in answers:
        if text.strip():
            question = text_at(value, "Question")
            extra = rest(value, *_FIELDS) | rest({"must_have": value.get("Must_have")})
            yield Given(
                response=text, question=question, model=model, cites=cites, facts=facts, correct=correct, extra=extra
            )
            facts = []


def _facts(value: dict[str, Any]) -> Iterator[str]:
    for name in _LISTS:
        listed = value.get(name)
        yield from (fact for fact in (listed if isinstance(listed, list) else []) if isinstance(fact, str))


def _sources(value: dict[str, Any]) -> list[Cite]:
    return [Cite(address) for address in _ADDRESS.findall(text_at(value, "Sources"))]


PRODUCER = Producer(
    "K-QA", "its questions with a physician's answer, MedLFQA's too; results to be evaluated", _detect, _records
)
