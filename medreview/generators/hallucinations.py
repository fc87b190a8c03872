"""Answers with a planted hallucination of a known type, and answers with none (MedHalu section 2.2)."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Final

from medreview.errors import UserError
from medreview.exchange.imports.answer_records import AnswerRecord
from medreview.exchange.imports.responses import response_row
from medreview.generators.ask import Ask, Checked, Item, Made, Work
from medreview.generators.correct_answers import (
    MADE,
    NONE,
    PLANTED,
    AnsweredQuestion,
    answered_questions,
    dealt,
)
from medreview.generators.generator import Generator
from medreview.generators.hallucination_checks import hallucination_faults, planted_spans
from medreview.llm.settings import JudgeSettings
from medreview.study import Study
from medreview.study.ids import content_id
from medreview.study.unit_ids import unit_id
from medreview.text import normalise_newlines
from medreview.units.brought import Brought
from medreview.units.view import Gold

ALL: Final = "all"
CHOICES: Final = (*PLANTED, NONE, ALL)
_PROMPTS: Final = {kind: f"hallucination_{kind}" for kind in PLANTED}
_KEEPING: Final = ("copy_of_input",)
"""An answer that contradicts itself keeps the correct one, however long that is."""
_AXIS: Final = "hallucination"
_TARGET: Final = "response"


class Hallucinations(Generator):
    """``generate hallucinations``: the inputs are questions with a known correct answer; each product is a response of
    the model ``NAME/halu``, with its type and spans as the hidden right label of the unit ``answer:RESPONSE``.

    ``kind`` is one type for all of them, or ``all``: the types are dealt by ``seed``. For ``none`` the answer is the
    correct one itself, and nothing is asked.
    """

    name = "hallucinations"
    noun = "question"
    mixed = True
    prompt_names: ClassVar[tuple[str, ...]] = tuple(_PROMPTS.values())
    deviations: ClassVar[tuple[str, ...]] = (
        "each type has a definition and an example of its own; the paper gives the same example for fact and input.",
        "an input-conflicting answer departs from the question; in the paper's prompt also from the correct answer.",
        "an answer is kept only when it does what its type says, as far as rules can tell; the paper kept all.",
        "its correct answers stand unchanged as answers of the type none; the paper does not say what its 538 are.",
    )

    def __init__(
        self, study: Study, model: JudgeSettings, prompts: Path | None = None, kind: str = ALL, seed: int = 1
    ) -> None:
        """Raises also for a type that there is not."""
        super().__init__(study, model, prompts)
        if kind not in CHOICES:
            raise UserError(f"There is no type {kind!r}; there are {', '.join(CHOICES)}.")
        self._kind, self._seed = kind, seed
        asked = answered_questions(study.reader)
        kinds = dealt(asked, seed) if kind == ALL else [kind] * len(asked)
        self._inputs = {
            content_id("q", one.question, one.correct, of): (one, of) for one, of in zip(asked, kinds, strict=True)
        }

    @property
    def options(self) -> Mapping[str, Any]:
        """Type and seed."""
        return {"type": self._kind} | ({"seed": self._seed} if self._kind == ALL else {})

    @property
    def planned(self) -> list[tuple[str, str]]:
        """(data set, type) of each input."""
        return [(one.origin, kind) for one, kind in self._inputs.values()]

    def items(self) -> Sequence[Item]:
        """The questions, in the order in which their correct answers came."""
        return [Item(item_id, one.name) for item_id, (one, _) in self._inputs.items()]

    def steps(self, item: Item) -> int:
        """One, and none where the correct answer is taken."""
        return int(self._inputs[item.item_id][1] != NONE)

    def work(self, item: Item) -> Work:
        """One answer of the model, or none."""
        one, kind = self._inputs[item.item_id]
        report = {"origin": one.origin, "type": kind}
        if kind == NONE:
            return Made(planted(one, kind, None, self.model.name), report=report)
        prompt = self.prompts[_PROMPTS[kind]]
        texts = {"question": one.question, "correct_answer": one.correct}
        if not self.fits(prompt, texts):
            return Made(code="over_context", report=report)

        def check(value: Mapping[str, Any]) -> Checked:
            told = {name: _plain(value[name]) for name in ("answer", "spans", "how")}
            return Checked(hallucination_faults(kind, told, one.question, one.correct), told)

        got = yield Ask("answer", prompt, texts, check, allowed=_KEEPING if kind == "context" else ())
        if not got.valid:
            return Made(code="invalid", report=report)
        return Made(planted(one, kind, got.value, self.model.name), report=report)


def planted(one: AnsweredQuestion, kind: str, value: Mapping[str, Any] | None, model: str) -> Brought:
    """The response with its hidden type and spans; without ``value`` it is the correct answer.

    Nothing of the type is in the response itself, so that no judge that is asked about it can be told.
    """
    record = AnswerRecord(
        line=0,
        question=one.question,
        response=value["answer"].strip() if value else one.correct,
        citations=(),
        model=f"{model}{MADE}",
        origin=one.origin,
        record_id=one.record_id,
    )
    spans = tuple((_TARGET, span, kind) for span in planted_spans(value)) if value else ()
    gold = Gold(_AXIS, kind, spans, why=value["how"].strip() if value else "")
    unit = unit_id("answer", response_row(record, "")["response_id"])
    return Brought(answers=(record,), references=((one.question, one.correct),), gold=((unit, gold),))


def _plain(value: Any) -> Any:
    return [normalise_newlines(each) for each in value] if isinstance(value, list) else normalise_newlines(value)
