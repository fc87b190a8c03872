"""LiveQA's medical task (TREC 2017): questions of consumers, with answers of reference and the pages they are from.

The questions of its test set have a paraphrase and an address for each answer; those of its training sets have parts.
"""

from collections.abc import Iterator
from typing import Any, Final

from medreview.exchange.producers.given import Cite, Given, NoAnswerError, Producer, member, rest, text_at
from medreview.exchange.producers.medquad import child, children, lines, words

_ASKED: Final = "NLM-QUESTION"
_ANSWER: Final = ("RefAnswer", "ReferenceAnswer")


def _detect(value: Any) -> bool:
    return isinstance(member(value, "tag"), str) and bool(children(value, _ASKED))


def _records(value: Any, request: Any) -> Iterator[Given]:
    found = [one for asked in children(value, _ASKED) for one in _answers(asked)]
    if not found:
        raise NoAnswerError("has questions of LiveQA and no answers to them")
    yield from found


def _answers(asked: dict[str, Any]) -> Iterator[Given]:
    message = [child(asked, "Original-Question", name) or child(asked, name.upper()) for name in ("Subject", "Message")]
    question = "\n".join(filter(None, (lines(words(one)) for one in message)))
    name = text_at(asked, "attributes", "qid") or text_at(asked, "attributes", "questionid")
    told = [(one, text_at(one, "attributes", "aid"), lines(words(child(one, "Answer"))))
            for one in children(child(asked, "ReferenceAnswers"), *_ANSWER)]  # fmt: skip
    parts = children(child(asked, "SUB-QUESTIONS"), "SUB-QUESTION")
    told += [(part, text_at(one, "attributes", "answerid"), lines(words(one)))
             for part in parts for one in children(child(part, "ANSWERS"), "ANSWER")]  # fmt: skip
    written = [one for one in told if one[2]]
    for around, record, text in written:
        address = words(child(around, "AnswerURL")).strip()
        yield Given(
            response=text,
            question=question,
            id=record,
            origin="LiveQA",
            cites=[Cite(address)] if address else [],
            correct=written[0][2],
            question_id=name,
            extra=rest(
                {
                    "paraphrase": words(child(asked, "Paraphrase")).strip(),
                    "comment": words(child(around, "Comment")).strip(),
                    "focus": words(child(around, "ANNOTATIONS", "FOCUS")).strip(),
                    "type": words(child(around, "ANNOTATIONS", "TYPE")).strip(),
                }
            ),
        )


PRODUCER = Producer("LiveQA", "questions of LiveQA's medical task with answers of reference (XML)", _detect, _records)
