"""Questions made from texts (SourceCheckup): one of each, its answer, and the words that hold it; and their rules."""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Final, NamedTuple

from medreview.generators.answer_rules import grounded, numbers_missing, points_at_its_text, quote_codes, words
from medreview.generators.generator import NOTHING, Generator, InputResult, Item, ModelQuestion, ValidatorResult, Work
from medreview.generators.source_texts import StudyText, load_study_text, passages_in
from medreview.llm.settings import JudgeSettings
from medreview.study import Study
from medreview.text import Span
from medreview.units.new_units import ImportRecord
from medreview.units.stored import NewUnit

_WORDS: Final = (5, 60)
"""How many words a question has, at least and at most."""
_LONGEST_ANSWER: Final = 40
"""Words of the answer."""
_PIECE: Final = re.compile(r"\w+")
_NO_GIVEAWAY: Final = frozenset({"yes", "no"})


class MadeQuestion(NamedTuple):
    """A valid question with its answer, the quote that holds it, and where that stands in the text."""

    question: str
    answer: str
    quote: str
    place: Span


def check_question(value: Mapping[str, Any], text: str) -> ValidatorResult:
    """A question, its answer and quote against the text that it was made from.

    Codes: ``empty`` (all three are: the model found nothing to ask about), ``no_question_mark``, ``question_length``
    (5 to 60 words), ``points_at_text``, ``no_answer``, ``answer_length`` (40 words), ``answer_in_question``,
    ``copy_of_text``, ``no_quote``, ``quote_altered``, ``quote_absent``, ``number_not_in_quote``.
    """
    question, answer = (" ".join(str(value[name]).split()) for name in ("question", "answer"))
    quote = str(value["quote"]).strip()
    if not (question or answer or quote):
        return ValidatorResult((NOTHING,))
    codes = []
    if not question.endswith("?"):
        codes.append("no_question_mark")
    if not _WORDS[0] <= words(question) <= _WORDS[1]:
        codes.append("question_length")
    if points_at_its_text(question):
        codes.append("points_at_text")
    codes += _answer_codes(answer, question, text)
    codes += quote_codes(quote, text)
    if numbers_missing(answer, quote):
        codes.append("number_not_in_quote")
    if codes:
        return ValidatorResult(tuple(codes))
    return ValidatorResult((), MadeQuestion(question, answer, quote, grounded(quote, text).spans[0]))


def _answer_codes(answer: str, question: str, text: str) -> tuple[str, ...]:
    if not answer:
        return ("no_answer",)
    if words(answer) > _LONGEST_ANSWER:
        return ("answer_length",)
    if _pieces(answer) == _pieces(text):
        return ("copy_of_text",)
    return ("answer_in_question",) if _gives_away(answer, question) else ()


def _gives_away(answer: str, question: str) -> bool:
    """Whether the answer stands in the question word for word; a yes or no can stand in any."""
    wanted, there = _pieces(answer), _pieces(question)
    if not wanted or (len(wanted) == 1 and wanted[0] in _NO_GIVEAWAY):
        return False
    return any(there[at : at + len(wanted)] == wanted for at in range(len(there)))


def _pieces(text: str) -> list[str]:
    return _PIECE.findall(text.casefold())


_PROMPT: Final = "question_generation"
ORIGIN: Final = "reference"
"""Where a question comes from that was made from a text: a stratum, as for questions of a forum."""


class Questions(Generator):
    """``generate questions``: the inputs are ``texts``, else the study's passages; each product is a unit of the kind
    ``question``.
    """

    name = "questions"
    noun = "text"
    prompt_names: ClassVar[tuple[str, ...]] = (_PROMPT,)

    def __init__(
        self,
        study: Study,
        model: JudgeSettings,
        prompts: Path | None = None,
        *,
        texts: Sequence[StudyText] | None = None,
    ) -> None:
        super().__init__(study, model, prompts)
        self._texts = {one.text_id: one for one in (passages_in(study.reader) if texts is None else texts)}

    def items(self) -> Sequence[Item]:
        """The texts."""
        return [Item(one.text_id, one.name) for one in self._texts.values()]

    def work(self, item: Item) -> Work:
        """One question to the model."""
        source = self._texts[item.item_id]
        text = load_study_text(self.study.reader, source)
        texts = {"source": text}
        check = partial(check_question, text=text)
        made = yield from self.put(
            ModelQuestion("question", self.prompts[_PROMPT], texts, check), empty="nothing_to_ask"
        )
        return InputResult(ImportRecord(units=(_unit(made, source),)))


def _unit(made: MadeQuestion, source: StudyText) -> NewUnit:
    of_page = source.kind == "snapshot"
    content = {
        "question": made.question,
        "answer": made.answer,
        "quote": made.quote,
        "passage": "" if of_page else source.text_id,
        "url": source.url if of_page else "",
        "snapshot": source.text_id if of_page else "",
        "quote_start": made.place.start,
        "quote_end": made.place.end,
    }
    return NewUnit("question", made.question, content, origin=ORIGIN, belongs_to=source.text_id)
