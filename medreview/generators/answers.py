"""Answers of a model to the study's questions, each with a list of its sources (SourceCheckup, question answering).

The object that was asked for is the usual output. An object with other names, and prose with addresses in it, are
answers just as well (SourceCheckup takes the URLs out of the text where there is no list).
"""

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Final, NamedTuple

from medreview.citations import canonical_key, extract, from_list
from medreview.exchange.imports.answer_records import FIELDS, AnswerRecord
from medreview.exchange.imports.listed_citations import citations_of, encoded
from medreview.generators.generator import Generator, InputResult, Item, ModelQuestion, ValidatorResult, Work
from medreview.labels import Invalid
from medreview.llm.completion import parse, unwrapped, without_citations
from medreview.llm.settings import JudgeSettings
from medreview.study import Study
from medreview.study.ids import content_id
from medreview.text import folded, real_lines
from medreview.units.new_units import ImportRecord

_TEXTS: Final = FIELDS["response"]
_LISTS: Final = ("sources", *FIELDS["citations"], "references", "urls", "links")
_ANY_FORM: Final = {"type": "object", "properties": {name: {} for name in (*_TEXTS, *_LISTS)}}
_BEGUN: Final = re.compile(rf'"(?:{"|".join(_TEXTS)})"\s*:\s*"((?:[^"\\]|\\.)*)', re.DOTALL)
_NUMBER: Final = re.compile(r"\[\d+\] ")
_SENTENCE: Final = re.compile(r"[^.!?\n]+")
_MOST_REPEATS: Final = 3
"""A model that loses its way says the same again and again."""
_LEAST_WORDS: Final = 4


class ReadAnswer(NamedTuple):
    """An answer as it is kept; ``invalid``: why it is not an answer (``labels.INVALID``), else ``""``."""

    text: str
    sources: tuple[str, ...] = ()
    invalid: Invalid = ""


def read_output(status: str, output: str) -> dict[str, Any]:
    """The object that an output comes to which satisfies no schema: ``response``, ``sources``, ``None`` without a list.

    ``status`` is that of ``llm.call``; ``code`` says why it is no whole answer, if that is known.
    """
    output, cited = _beside(output)
    bare = unwrapped(output.strip())
    parsed = parse(output, _ANY_FORM)
    if status == "truncated":
        found = {} if parsed.value is None else dict(parsed.value)
        return {"response": _text(found) or _begun(bare), "sources": None, "code": "cut_off"}
    if parsed.value is not None:
        text = _text(parsed.value)
        wrong = text is None and any(parsed.value.get(name) not in (None, "") for name in _TEXTS)
        other = text is None and (wrong or not any(name in parsed.value for name in _TEXTS))
        return {
            "response": bare if other else text or "",
            "sources": cited or None if (given := _sources(parsed.value)) is None else given,
            "code": "wrong_form" if other else "",
        }
    if bare.startswith(("{", "[")) or parsed.found:
        return {"response": _begun(bare), "sources": None, "code": "cut_off"}
    return {"response": bare, "sources": cited or None, "code": ""}


def check_answer(value: Mapping[str, Any]) -> ValidatorResult:
    """Whether it is an answer: with a text, whole, and with a list of sources, be it empty, or an address in the text.

    Its content is not checked: reviewers do that. Codes: ``empty``; of what is incomplete ``cut_off``,
    ``wrong_form``, ``no_list_and_no_address``, ``repeats_itself``.
    """
    text = real_lines(str(value["response"])).strip()
    sources, code = value["sources"], value.get("code", "")
    if not text:
        return ValidatorResult(("empty",), ReadAnswer("", (), "empty"))
    if not code and _repeats_itself(text):
        code = "repeats_itself"
    if not code and sources is None and not extract(text):
        code = "no_list_and_no_address"
    if code:
        return ValidatorResult((code,), ReadAnswer(text, (), "incomplete"))
    return ValidatorResult((), ReadAnswer(text, _listed(sources or ())))


def with_cited(sources: tuple[str, ...], output: str) -> tuple[str, ...]:
    """The sources of an answer with those that the model's service gave beside the output and that it does not list."""
    listed = {canonical_key(one) for one in from_list(sources).citations}
    more = [one for one in _beside(output)[1] if one not in sources]
    if not listed:
        return (*sources, *more)
    unlisted = (one for one in more if not listed & {canonical_key(it) for it in from_list([one]).citations})
    return (*sources, *(_NUMBER.sub("", one) for one in unlisted))  # its numbers are those of its own list


def _beside(output: str) -> tuple[str, tuple[str, ...]]:
    """What the model wrote, and what its service gave beside that, as the entries of a list of sources."""
    text, cited = without_citations(output)
    starts = [found.end() if (found := _NUMBER.match(one)) else 0 for one in cited]
    return text, tuple(one[:at] + encoded(one[at:]) for one, at in zip(cited, starts, strict=True))


def _text(found: Mapping[str, Any]) -> str | None:
    return next((found[name] for name in _TEXTS if isinstance(found.get(name), str)), None)


def _sources(found: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The list of sources in any form in which records have one; ``None`` without a list."""
    given = next((found[name] for name in _LISTS if found.get(name) is not None), None)
    if given is None:
        return None
    try:
        listed = citations_of({"citations": given})
    except ValueError:
        return None
    return listed if not isinstance(given, str) or any(map(extract, listed)) else None


def _listed(sources: Any) -> tuple[str, ...]:
    return tuple(one for source in sources if (one := " ".join(str(source).split())))


def _begun(cut: str) -> str:
    """The text of an object that was cut off, as far as it goes; the whole where there is no object."""
    if not cut.startswith("{"):
        return cut
    begun = _BEGUN.search(cut)
    if begun is None:
        return ""
    try:
        return str(json.loads(f'"{begun[1]}"', strict=False))
    except ValueError:  # cut within an escape
        return begun[1]


def _repeats_itself(text: str) -> bool:
    """Whether a sentence stands in it three times or more."""
    sentences = Counter(folded(one) for one in _SENTENCE.findall(text))
    return any(
        count >= _MOST_REPEATS and len(sentence.split()) >= _LEAST_WORDS for sentence, count in sentences.items()
    )


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
            return InputResult(code="over_context")
        got = yield ModelQuestion(
            "answer", self._prompt, texts, check_answer, attempts=_TRIES, read=read_output, allowed=_ALLOWED
        )
        answer: ReadAnswer = got.value
        if not (got.valid or answer.invalid):
            answer = ReadAnswer(answer.text, (), "incomplete")
        if answer.invalid != "empty":
            answer = answer._replace(sources=with_cited(answer.sources, got.raw))
        return InputResult(
            ImportRecord(answers=(self._record(question, answer),)),
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
