"""Answers of a model to the study's questions, each with a list of its sources (SourceCheckup, question answering)."""

import sqlite3
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import ClassVar, Final, NamedTuple

from medreview.exchange.imports.answer_records import AnswerRecord
from medreview.generators.answer_reading import ReadAnswer, check_answer, read_output, with_cited
from medreview.generators.ask import Ask, Item, Made, Work
from medreview.generators.generator import Generator
from medreview.llm.settings import JudgeSettings
from medreview.study import Study
from medreview.study.ids import content_id
from medreview.text import folded
from medreview.units.brought import Brought

_TRIES: Final = 2
"""An answer that is empty or incomplete gets one more try, and is kept as invalid then."""

_ALLOWED: Final = ("repeated_items",)
"""A source that is listed twice is one source."""

# Of the same question in two places the first counts, as for its origin. One that a reviewer found unfit is not asked,
# unless it was settled otherwise; nor is what models are asked to write about a case, which needs the case.
_QUESTIONS: Final = """
SELECT question, origin, record_id FROM (
    SELECT u.text AS question, u.origin, u.record_id, 1 AS part, u.ordinal FROM unit AS u WHERE u.kind = 'question'
    UNION ALL SELECT r.question, r.origin, '', 2, r.ordinal FROM response AS r WHERE trim(r.question) <> '')
WHERE question NOT IN (
        SELECT u.text FROM unit AS u JOIN reviewer_label AS l ON l.unit = u.unit_id
        LEFT JOIN adjudicated AS a ON a.unit = u.unit_id AND a.axis = l.axis AND a.stands
        WHERE u.kind = 'question' AND l.axis = 'answerability' AND coalesce(a.label, l.current) <> 'answerable')
    AND sha256_of(question) NOT IN (SELECT question_sha256 FROM clinical_case)
ORDER BY part, ordinal"""


class _Question(NamedTuple):
    """A question to be answered; ``record_id`` is that of its record, or ``""``."""

    text: str
    origin: str
    record_id: str


class Answers(Generator):
    """``generate answers``: the inputs are the study's questions, or ``only`` some of them by their texts; each product
    is a response under the name of the model in the settings. ``web``: the prompt tells the model to search the web
    first, and its name ends in ``(web)``.
    """

    name = "answers"
    noun = "question"
    prompt_names: ClassVar[tuple[str, ...]] = ("question_answering", "question_answering_web")

    def __init__(
        self,
        study: Study,
        model: JudgeSettings,
        prompts: Path | None = None,
        *,
        web: bool = False,
        only: Collection[str] | None = None,
    ) -> None:
        super().__init__(study, model, prompts)
        self._prompt = self.prompts[self.prompt_names[web]]
        self.prompts = {self._prompt.task: self._prompt}
        self._model_name = f"{model.name} (web)" if web else model.name
        self._questions = {content_id("q", one.text): one for one in questions_of(study.reader, only)}

    def items(self) -> Sequence[Item]:
        """Each question, named by its own words."""
        return [Item(item_id, one.text) for item_id, one in self._questions.items()]

    def work(self, item: Item) -> Work:
        """One question to the model; what is invalid at the second try is kept as such."""
        question = self._questions[item.item_id]
        texts = {"question": question.text}
        if not self.fits(self._prompt, texts):
            return Made(code="over_context")
        got = yield Ask(
            "answer", self._prompt, texts, check_answer, attempts=_TRIES, read=read_output, allowed=_ALLOWED
        )
        answer: ReadAnswer = got.value
        if not (got.valid or answer.invalid):
            answer = ReadAnswer(answer.text, (), "incomplete")
        if answer.invalid != "empty":
            answer = answer._replace(sources=with_cited(answer.sources, got.raw))
        return Made(
            Brought(answers=(self._record(question, answer),)),
            report={"invalid": answer.invalid, "listed": len(answer.sources)},
        )

    def _record(self, question: _Question, answer: ReadAnswer) -> AnswerRecord:
        return AnswerRecord(
            line=0,
            question=question.text,
            response=answer.text,
            citations=answer.sources,
            model=self._model_name,
            origin=question.origin,
            record_id=question.record_id,  # without the model, which a blind copy must not tell
            invalid=answer.invalid,
        )


def questions_of(reader: sqlite3.Connection, only: Collection[str] | None = None) -> list[_Question]:
    """The study's questions in order, each text once; ``only`` those of these texts."""
    found: dict[str, _Question] = {}
    wanted = None if only is None else set(only)
    for row in reader.execute(_QUESTIONS):
        if wanted is None or row["question"] in wanted:
            found.setdefault(folded(row["question"]), _Question(*row))
    return list(found.values())
