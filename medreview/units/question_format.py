"""Files of questions: with the text that each was made from, or sets of questions that nobody has answered yet."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from medreview.exchange.imports.field_mapping import name_of, text_of
from medreview.study import Study
from medreview.units.brought import Brought
from medreview.units.record_parts import ABOUT, address_of, made_by, passage_of, said_of
from medreview.units.stored import NewUnit
from medreview.units.unit_format import UnitFormat

FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    **ABOUT,
    "question": ("question",),
    "answer": ("reference_answer", "correct_answer", "gold_answer", "reference", "answer"),
    "quote": ("quote",),
}
_KNOWN: Final = frozenset({"unit", *(name for names in FIELDS.values() for name in names)})


def read_question(values: Mapping[str, Any], study: Study) -> Brought:
    """What a record brings. Raises ``ValueError`` when it has no question."""
    question = text_of(values, "question").strip()
    if not question:
        raise ValueError("has no question")
    passage = passage_of(values)
    content = {
        "question": question,
        "answer": text_of(values, "answer").strip(),
        "quote": text_of(values, "quote").strip(),
        "passage": passage.passage_id if passage else "",
        "url": "" if passage else address_of(values),
    }
    unit = NewUnit(
        kind="question",
        text=question,
        content=content,
        record_id=name_of(values, "id"),
        origin=name_of(values, "origin"),
        model=name_of(values, "model"),
        belongs_to=content["passage"],
        made_by=made_by(values),
    )
    said = said_of(values, unit.unit, "answerability")
    return replace(
        said,
        units=(unit,),
        passages=(passage,) if passage else (),
        warnings=(*_faults(content), *said.warnings),
    )


def _faults(content: Mapping[str, str]) -> Iterator[str]:
    if not content["question"].endswith("?"):
        yield "has a question that does not end with a question mark"
    if content["quote"] and not (content["passage"] or content["url"]):
        yield "has a quote and no text that it could be of"


def _tells(columns: Collection[str], records: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a file with a question is one of questions: it has nothing that could be what a model answered.

    A column that is not known here could be that; an ``answer`` is one unless a quote of the text stands beside it.
    """
    return _KNOWN.issuperset(columns) and ("answer" not in columns or "quote" in columns)


FORMAT: Final = UnitFormat("question", FIELDS, ("question",), ("question",), read_question, _tells, unlike=True)
