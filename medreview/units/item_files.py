"""Files of items made from a text, one record each: questions, questions with answers, and revised statements.

Questions come with the text that each was made from, or as sets that nobody has answered yet; questions with answers
also as ClinIQLink writes them.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from medreview.exchange.imports.field_mapping import name_of, text_of
from medreview.labels import SAME_WORDS
from medreview.study import Study
from medreview.text import Span
from medreview.units.new_units import ImportRecord
from medreview.units.qa import TYPES, QAItem, faults, folded, spelled, with_letters
from medreview.units.revision import LONGEST, is_the_original, is_too_long, misfit
from medreview.units.stored import NewPassage
from medreview.units.unit_format import ABOUT, UnitFormat, address_of, item_of, opened, passage_of, texts_of

QUESTION_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    **ABOUT,
    "question": ("question",),
    "answer": ("reference_answer", "correct_answer", "gold_answer", "reference", "answer"),
    "quote": ("quote",),
}
_KNOWN: Final = frozenset({"unit", *(name for names in QUESTION_FIELDS.values() for name in names)})


def read_question(values: Mapping[str, Any], study: Study) -> ImportRecord:
    """What a record brings."""
    question, passage = text_of(values, "question").strip(), passage_of(values)
    content = {
        "question": question,
        "answer": text_of(values, "answer").strip(),
        "quote": text_of(values, "quote").strip(),
        "passage": passage.passage_id if passage else "",
        "url": "" if passage else address_of(values),
    }
    return item_of(values, "question", "answerability", question, content, passage, _question_faults(content))


def _question_faults(content: Mapping[str, str]) -> Iterator[str]:
    if not content["question"].endswith("?"):
        yield "has a question that does not end with a question mark"
    if content["quote"] and not (content["passage"] or content["url"]):
        yield "has a quote and no text that it could be of"


def _are_questions(columns: Collection[str], records: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a file with a question is one of questions: it has nothing that could be what a model answered.

    A column that is not known here could be that; an ``answer`` is one unless a quote of the text stands beside it.
    """
    return _KNOWN.issuperset(columns) and ("answer" not in columns or "quote" in columns)


QUESTION_FILES: Final = UnitFormat(
    "question", QUESTION_FIELDS, ("question",), ("question",), read_question, _are_questions, unlike=True
)


QA_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
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
    """A type as it is stored: ``True/False`` is ``true_false``; others stay as they are."""
    name = re.sub(r"[\W_]+", "_", value.casefold()).strip("_")
    return _OTHER_NAMES.get(name, name)


def read_item(values: Mapping[str, Any], study: Study) -> ImportRecord:
    """What a record brings. Raises ``ValueError`` when it has no answer."""
    question, passage = text_of(values, "question").strip(), passage_of(values)
    item = _item(values, question, passage)
    if not item.answers and not item.wrong_answer:
        raise ValueError("has no answer")
    odd = (*(fault.words for fault in faults(item)), *_unplaced(values, item))
    return item_of(values, "qa", "relevance", question, item.content(), passage, odd)


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


def _are_items(columns: Collection[str], records: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a file with a type, a question and an answer is one of items: by the words of its types."""
    types = {type_of(str(values.get("type", ""))) for values in records}
    return not types.isdisjoint(TYPES) and set(_ANSWERED).isdisjoint(columns)


QA_FILES: Final = UnitFormat("qa", QA_FIELDS, ("type", "question", "answer"), ("question",), read_item, _are_items)


REVISION_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    **ABOUT,
    "original": ("original", "original_statement"),
    "revised": ("revised", "revision", "revised_statement"),
    "action": ("action",),
    "changed": ("changed", "what_changed", "explanation"),
    "quote": ("quote",),
    "statement": ("statement_id", "statement"),
}
_REMOVAL: Final = ("remove", "removed", "removal", "delete", "deleted")
_REVISION: Final = ("revise", "revised", "revision", "")


def read_revision(values: Mapping[str, Any], study: Study) -> ImportRecord:
    """What a record brings. Raises ``ValueError`` without an original, and when it neither revises nor removes."""
    response_id, original = _statement(values, study)
    revised = text_of(values, "revised").strip()
    action = name_of(values, "action").casefold()
    if not original:
        raise ValueError("has no original statement")
    if action not in (*_REMOVAL, *_REVISION):
        raise ValueError(f"has {action!r} as its action, which is neither revise nor remove")
    if action in _REMOVAL and revised:
        raise ValueError("removes the statement and has a revised text all the same")
    if action not in _REMOVAL and not revised:
        raise ValueError("has no revised text, and does not say that the statement is removed (action: remove)")
    passage = passage_of(values)
    content = {
        "original": original,
        "revised": revised,
        "changed": text_of(values, "changed").strip(),
        "quote": text_of(values, "quote").strip(),
        "passage": passage.passage_id if passage else "",
        "url": "" if passage else address_of(values),
        "statement": name_of(values, "statement") if response_id else "",
        "response": response_id,
    }
    odd = _revision_faults(content)
    said = item_of(values, "revision", "revision", original, content, passage, odd, response_id)
    misfits = [one for one in said.labels if misfit(revised, one.label)]
    gold = tuple((unit, one) for unit, one in said.gold if not misfit(revised, one.label))
    strange = [*(f"has a label of {one.reviewer} that does not fit it ({one.label})" for one in misfits)]
    strange += ["has a gold label that does not fit it"] * (len(said.gold) - len(gold))
    fitting = tuple(one for one in said.labels if one not in misfits)
    return replace(said, gold=gold, labels=fitting, warnings=(*said.warnings, *strange))


def _statement(values: Mapping[str, Any], study: Study) -> tuple[str, str]:
    """The response of the statement that is revised, if it is one of the study, and its text as it was."""
    original, named = text_of(values, "original").strip(), name_of(values, "statement")
    row = study.reader.execute("SELECT response_id, text FROM statement WHERE statement_id = ?", (named,)).fetchone()
    return (row["response_id"], original or row["text"]) if row else ("", original)


def _revision_faults(content: Mapping[str, str]) -> Iterator[str]:
    original, revised = content["original"], content["revised"]
    if is_the_original(revised, original):
        yield "has a revised text that is the original"
    elif is_too_long(revised, original):
        yield f"has a revised text more than {LONGEST} times as long as the original"
    if not content["passage"] and not content["url"]:
        yield "has no source to be compared with"


REVISION_FILES: Final = UnitFormat("revision", REVISION_FIELDS, ("original", "revised"), (), read_revision)
