"""DeepEval: test runs, results and data sets of test cases, of single answers and of conversations."""

from collections.abc import Iterator
from typing import Any, Final

from medreview.exchange.imports.answer_records import Turn
from medreview.exchange.producers.conversation import each_answer
from medreview.exchange.producers.evaluated import contexts, scores
from medreview.exchange.producers.given import Conversation, Given, Producer, items, member, role_of, text_at

_RUNS: Final = ("testCases", "conversationalTestCases", "test_cases", "conversational_test_cases", "test_results")


def _detect(value: Any) -> bool:
    return any(map(_is_case, _cases(value)))


def _cases(value: Any) -> list[dict[str, Any]]:
    """The test cases of a run, or one that stands alone."""
    run = member(value, "testRunData") or value
    if not isinstance(run, dict):
        return []
    return [case for name in _RUNS for case in items(run.get(name))] or [run]


def _either(value: Any, name: str) -> Any:
    """A member by its name in Python or in JSON."""
    first, *more = name.split("_")
    return next(
        (value[one] for one in (name, first + "".join(map(str.title, more))) if value.get(one) is not None), None
    )


def _is_case(value: dict[str, Any]) -> bool:
    single = isinstance(value.get("input"), str) and isinstance(_either(value, "actual_output"), str)
    return single or (_is_conversation(value) and ("scenario" in value or _either(value, "metrics_data") is not None))


def _is_conversation(value: dict[str, Any]) -> bool:
    return any("role" in turn and "content" in turn for turn in items(value.get("turns")))


def _records(value: Any, request: Any) -> Iterator[Given]:
    for case in _cases(value):
        if not _is_case(case):
            continue
        retrieved = _either(case, "retrieval_context") or case.get("context")
        cites, texts = contexts(retrieved, "retrieval_context")
        name = text_at(case, "name")
        told = {"scores": scores(_either(case, "metrics_data")), "comments": text_at(case, "comments")}
        if isinstance(case.get("input"), str):
            answers = [Given(response=str(_either(case, "actual_output")), question=case["input"])]
        else:
            answers = list(each_answer(map(_said, items(case["turns"])), Conversation()))
        for number, one in enumerate(answers, 1):
            one.id = f"{name}-{number}" if name and len(answers) > 1 else name
            one.cites, one.texts = [*one.cites, *cites], [*one.texts, *texts]
            expected = _either(case, "expected_output")
            one.correct = expected if isinstance(expected, str) else ""
            one.extra = {key: said for key, said in told.items() if said}
            yield one


def _said(turn: dict[str, Any]) -> Turn | Given:
    role, text = role_of(turn.get("role")), text_at(turn, "content")
    if role != "assistant" or not text.strip():
        return Turn(role, text)
    cites, texts = contexts(_either(turn, "retrieval_context"), "retrieval_context")
    return Given(response=text, cites=cites, texts=texts)


PRODUCER = Producer("DeepEval", "test runs, results and data sets of DeepEval", _detect, _records)
