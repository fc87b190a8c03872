"""Files of questions and answers, one record each; also as ClinIQLink writes them."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from medreview.exchange.imports.field_mapping import name_of, text_of
from medreview.labels import SAME_WORDS
from medreview.study import Study
from medreview.text import Span
from medreview.units.brought import Brought
from medreview.units.qa_item import TYPES, QAItem, faults, folded, spelled, with_letters
from medreview.units.record_parts import ABOUT, made_by, opened, passage_of, said_of, texts_of
from medreview.units.stored import NewPassage, NewUnit
from medreview.units.unit_format import UnitFormat

FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    **ABOUT,
    "type": ("type", "qa_type", "question_type", "item_type"),
    "question": ("question",),
    "options": ("options", "choices"),
    "answer": ("correct_answer", "answers", "answer"),
    "steps": ("steps", "reasoning"),
    "wrong_answer": ("wrong_answer", "false_answer"),
    "wrong_steps": ("wrong_steps", "wrong_reasoning", "false_reasoning"),
    "flaw": ("flaw", "incorrect_explanation", "incorrect_reasoning_step"),
    "quote": ("quote", "grounding", "evidence"),
    "start": ("start",),
    "end": ("end",),
}
_OTHER_NAMES: Final = {
    "tf": "true_false", "truefalse": "true_false", "boolean": "true_false",
    "mc": "multiple_choice", "mcq": "multiple_choice",
    "short_answer": "short", "short_answer_inverse": "short_inverse",
    "multihop": "multi_hop", "multihop_inverse": "multi_hop_inverse",
}  # fmt: skip
_ANSWERED: Final = ("response", "output", "completion")
"""Columns of a file of models' answers to such questions: it is one of answers."""
_STEP: Final = re.compile(r"^[ \t]*(?:[-*][ \t]*)?(?:step[ \t]*)?\d+[ \t]*[.:)][ \t]*", re.IGNORECASE | re.MULTILINE)


def type_of(value: str) -> str:
    """A type as it is stored: ``True/False`` is ``true_false``; what is none stays as it is."""
    name = re.sub(r"[\W_]+", "_", value.casefold()).strip("_")
    return _OTHER_NAMES.get(name, name)


def read_item(values: Mapping[str, Any], study: Study) -> Brought:
    """What a record brings. Raises ``ValueError`` when it has no question or no answer."""
    question = text_of(values, "question").strip()
    if not question:
        raise ValueError("has no question")
    passage = passage_of(values)
    item = _item(values, question, passage)
    if not item.answers and not item.wrong_answer:
        raise ValueError("has no answer")
    unit = NewUnit(
        kind="qa",
        text=question,
        content=item.content(),
        record_id=name_of(values, "id"),
        origin=name_of(values, "origin"),
        model=name_of(values, "model"),
        belongs_to=item.passage,
        made_by=made_by(values),
    )
    said = said_of(values, unit.unit, "relevance")
    return replace(
        said,
        units=(unit,),
        passages=(passage,) if passage else (),
        warnings=(*(fault.words for fault in faults(item)), *_unplaced(values, item), *said.warnings),
    )


def _item(values: Mapping[str, Any], question: str, passage: NewPassage | None) -> QAItem:
    kind = type_of(name_of(values, "type"))
    options = _options(opened(values.get("options")))
    given = tuple(spelled(answer, options) for answer in texts_of(values, "answer"))
    wrong, flaw = name_of(values, "wrong_answer"), "\n".join(texts_of(values, "flaw"))
    steps, wrong_steps = _steps(values, "steps"), _steps(values, "wrong_steps")
    if kind.endswith("_inverse") and (not wrong or folded(wrong) in map(folded, given)):
        # ClinIQLink gives an inverse item one answer only, the wrong one, with the reasoning that leads to it.
        wrong, given = wrong or "\n".join(given), ()
        steps, wrong_steps = ((), steps) if not wrong_steps else (steps, wrong_steps)
    return QAItem(
        type=kind,
        question=question,
        options=options,
        answers=tuple(answer.capitalize() for answer in given) if kind == "true_false" else given,
        steps=steps,
        wrong_answer=wrong,
        wrong_steps=wrong_steps,
        flaw=flaw,
        passage=passage.passage_id if passage else "",
        span=_span(values, passage.text) if passage else None,
    )


def _options(value: Any) -> tuple[tuple[str, str], ...]:
    """Options by letter: of an object its own, of a list or of lines A, B, C ..."""
    if isinstance(value, dict):
        return tuple((str(letter).strip(), name_of(value, letter)) for letter in value)
    if isinstance(value, str):
        value = [line for line in value.splitlines() if line.strip()]
    texts = [name_of({"options": item}, "options") for item in value] if isinstance(value, list) else []
    return with_letters(texts)


def _steps(values: Mapping[str, Any], field: str) -> tuple[str, ...]:
    """The steps of a reasoning: a list, or a text in which they are numbered or stand in lines of their own."""
    texts = texts_of(values, field)
    if len(texts) == 1:
        parts = _STEP.split(texts[0]) if _STEP.search(texts[0]) else texts[0].splitlines()
        return tuple(part.strip() for part in parts if part.strip())
    return tuple(_STEP.sub("", text, count=1) for text in texts)


def _span(values: Mapping[str, Any], text: str) -> Span | None:
    """Where the answer is said to stand in the passage: by its range, or by a quote that stands there."""
    start, end = values.get("start"), values.get("end")
    if isinstance(start, int) and isinstance(end, int) and 0 <= start < end <= len(text):
        return Span(start, end)
    from medreview.evidence.grounding import ground

    found = ground(quote, text) if (quote := text_of(values, "quote").strip()) else None
    return found.spans[0] if found and found.status in SAME_WORDS else None


def _unplaced(values: Mapping[str, Any], item: QAItem) -> tuple[str, ...]:
    asked = any(values.get(name) not in (None, "") for name in ("quote", "start"))
    return ("has a grounding that is not in its passage",) if asked and item.passage and item.span is None else ()


def _tells(columns: Collection[str], records: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a file with a type, a question and an answer is one of items: by the words of its types."""
    types = {type_of(str(values.get("type", ""))) for values in records}
    return not types.isdisjoint(TYPES) and set(_ANSWERED).isdisjoint(columns)


FORMAT: Final = UnitFormat("qa", FIELDS, ("type", "question", "answer"), ("question",), read_item, _tells)
