"""Answers of models to the study's QA items, asked zero-shot (ClinIQLink, experiment 2).

The model sees the item as whoever sits an examination: the question with its options, of an inverse item the wrong
answer and its reasoning; never the passage, the key or the flaw. What it writes is its answer, whatever it is worth:
nothing is asked for again but what is empty or breaks off. Closed items are read by ``units.qa_key``, open ones go
into rankings.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Final

from medreview.generators.answers import read_output
from medreview.generators.generator import NOTHING, Generator, InputResult, Item, ModelQuestion, ValidatorResult, Work
from medreview.llm.completion import parse, without_citations
from medreview.llm.settings import JudgeSettings
from medreview.study import Study
from medreview.text import real_lines
from medreview.units.item_answers import GENERATOR
from medreview.units.qa import QAItem, items_of
from medreview.units.qa_key import CLOSED

_TRIES: Final = 2
_ALLOWED: Final = (
    "placeholder", "copy_of_prompt", "copy_of_input", "other_language", "instructions", "repeated_items",
)  # fmt: skip
"""What would be asked for again of a text that is made for a study: here it is what is examined."""
_FORMS: Final = {
    "true_false": "a statement that is true or false",
    "multiple_choice": "one option is right",
    "list": "several options are right",
}
_ANY: Final = {"type": "object", "properties": {"answer": {}}}
_CUT: Final = "cut_off"


class QAAnswers(Generator):
    """``generate answers --to qa``: the inputs are the study's QA items; each answer stays with the run that asked."""

    name = GENERATOR
    noun = "QA item"
    prompt_names: ClassVar[tuple[str, ...]] = ("qa_reply_closed", "qa_reply_open", "qa_reply_inverse")
    goes_out: ClassVar[str] = "QA items go"
    lacking: ClassVar[str] = "The study has no QA item: import some, or make them with `medreview generate qa`."

    def __init__(self, study: Study, model: JudgeSettings, prompts: Path | None = None) -> None:
        super().__init__(study, model, prompts)
        self._items = items_of(study.reader)

    def items(self) -> Sequence[Item]:
        """The items, as the screen calls them."""
        return [Item(unit, name) for unit, (name, _) in self._items.items()]

    def work(self, item: Item) -> Work:
        """One question to the model; an answer that is empty or breaks off gets one more try."""
        _, asked = self._items[item.item_id]
        task = "closed" if asked.type in CLOSED else "inverse" if asked.inverse else "open"
        prompt = self.prompts[f"qa_reply_{task}"]
        report = {"type": asked.type, "prompt": prompt.id, "answer": "", "ended": ""}
        texts = {"item": as_asked(asked)}
        if not self.fits(prompt, texts):
            return InputResult(code="over_context", report=report)
        got = yield ModelQuestion(
            "answer", prompt, texts, _checked, attempts=_TRIES, read=read_answer, allowed=_ALLOWED,
            about=asked.question, notes={"item": _FORMS.get(asked.type, "")},
        )  # fmt: skip
        ended = "" if got.valid else _CUT if _CUT in got.codes else got.status
        report |= {"answer": got.value, "ended": ended}
        return InputResult(code="" if got.value else NOTHING, report=report)


def as_asked(item: QAItem) -> str:
    """The words of an item that whoever is asked may read."""
    parts = [item.question]
    if item.options:
        parts.append("\n".join(f"{letter}. {text}" for letter, text in item.options))
    if item.inverse:
        parts.append(f"The answer that was given: {item.wrong_answer}")
        if item.wrong_steps:
            steps = (f"{number}. {text}" for number, text in enumerate(item.wrong_steps, 1))
            parts.append("\n".join(("Its reasoning:", *steps)))
    return "\n\n".join(parts)


def read_answer(status: str, output: str) -> dict[str, Any]:
    """The object that an output comes to which satisfies no schema: a list of letters, another field, plain words."""
    found = parse(without_citations(output)[0], _ANY).value or {}
    if isinstance(given := found.get("answer"), list | int | float | bool):
        text = ", ".join(map(str, given)) if isinstance(given, list) else str(given)
        return {"answer": text, "code": ""}
    read = read_output(status, output)
    return {"answer": read["response"], "code": _CUT if read["code"] == _CUT else ""}


def _checked(value: Mapping[str, Any]) -> ValidatorResult:
    text = real_lines(str(value["answer"] or "")).strip()
    code = value.get("code", "")
    return ValidatorResult((code,) if text and code else () if text else (NOTHING,), text)
