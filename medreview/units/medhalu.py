"""Files of answers whose hallucinations are known, as MedHalu's: gold type, spans, correct answer, earlier labels."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from medreview.exchange.imports.answer_records import AnswerRecord
from medreview.exchange.imports.field_mapping import name_of, text_of
from medreview.exchange.imports.json_rows import written_out
from medreview.exchange.imports.listed_citations import citations_of
from medreview.exchange.imports.responses import response_row
from medreview.labels import HALLUCINATION, SAME_WORDS
from medreview.study import Study
from medreview.study.unit_ids import unit_id
from medreview.text import Span, normalise_newlines, real_lines
from medreview.units.brought import Brought
from medreview.units.imported_labels import ImportedLabel
from medreview.units.span_payload import span_payload
from medreview.units.stored import NewOpinion
from medreview.units.unit_format import UnitFormat
from medreview.units.view import Gold

AXIS: Final = "hallucination"
_TARGET: Final = "response"
_LEVELS: Final = tuple(label.level for label in HALLUCINATION)
_NONE: Final = frozenset({"none", "no", "false", "0", "correct", "not hallucinated", "no hallucination"})
_TWO_WAY: Final = frozenset({"yes", "true", "1", "hallucinated", "hallucination"})
"""Says that there is a hallucination and not of which type: no level, and never made one."""
_GROUPS: Final = {
    "": "expert", "expert": "expert", "experts": "expert", "clinician": "expert", "layperson": "layperson",
    "laypeople": "layperson", "lay": "layperson", "model": "model", "llm": "model",
}  # fmt: skip

FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "question": ("question", "query"),
    "response": ("response", "answer", "hallucinated_answer", "output"),
    "correct_answer": ("correct_answer", "reference_answer", "expert_answer", "gold_answer"),
    "gold": ("hallucination_type", "halluc_type", "gold_type", "gold"),
    "spans": ("hallucinated_spans", "hallucination_spans", "gold_spans", "spans"),
    "reason": ("reason", "why", "explanation"),
    "attention": ("attention", "attention_check"),
    "model": ("model",),
    "origin": ("origin", "dataset", "data_set"),
    "id": ("id",),
    "citations": ("citations",),
    "annotations": ("annotations",),
    "annotator": ("annotator", "worker"),
    "group": ("group", "evaluator_group"),
    "label": ("annotated_type", "annotation"),
    "label_spans": ("annotated_spans",),
    "label_reason": ("annotated_reason",),
}
"""Field -> the column names that are recognised without ``--map``."""


class _Label(NamedTuple):
    """What somebody said of an answer: the level, if it is one; the spans that stand in it, and those that do not."""

    raw: str
    level: str | None
    spans: tuple[tuple[str, Span, str], ...]
    lost: tuple[str, ...]


def _read(values: Mapping[str, Any], study: Study) -> Brought:
    """One record: the answer as an ordinary response, and what is known of it."""
    record = _answer(values)
    unit = unit_id("answer", response_row(record, "")["response_id"])
    correct = text_of(values, "correct_answer").strip()
    gold, warnings = _gold(values, record.response)
    opinions: list[NewOpinion] = []
    labels: list[ImportedLabel] = []
    for number, told in enumerate(_annotations(values), 1):
        said = _annotation(told, number, unit, record.response)
        opinions += said.opinions
        labels += said.labels
        warnings += said.warnings
    return Brought(
        answers=(record,),
        references=((record.question, correct),) if correct else (),
        gold=((unit, gold),) if gold else (),
        opinions=tuple(opinions),
        labels=tuple(labels),
        warnings=tuple(warnings),
    )


def _answer(values: Mapping[str, Any]) -> AnswerRecord:
    response, question = real_lines(text_of(values, "response")), text_of(values, "question").strip()
    if not response.strip():
        raise ValueError("has no answer")
    if not question:
        raise ValueError("has no question")
    return AnswerRecord(
        line=0,
        question=question,
        response=response,
        citations=citations_of(values) if "citations" in values else (),
        model=name_of(values, "model"),
        origin=name_of(values, "origin"),
        record_id=name_of(values, "id"),
    )


def _gold(values: Mapping[str, Any], answer: str) -> tuple[Gold | None, list[str]]:
    if "gold" not in values:
        return None, []
    label = _label(values["gold"], values.get("spans"), answer)
    warnings = [f"has a gold span that is not in its answer: {_brief(words)}" for words in label.lost]
    if label.level is None:
        return None, [*warnings, f"has a gold label that names no type: {_brief(label.raw)}"]
    attention = str(values.get("attention", "")).strip().casefold() in _TWO_WAY
    return Gold(AXIS, label.level, label.spans, text_of(values, "reason").strip(), attention), warnings


def _annotations(values: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """What earlier annotators said: a list of objects, or the columns of the record."""
    listed = values.get("annotations", [])
    listed = written_out(listed) if isinstance(listed, str) else listed
    if not isinstance(listed, list) or not all(isinstance(item, dict) for item in listed):
        raise ValueError("has annotations that are no list of objects")
    for item in listed:
        label = next((item[name] for name in ("type", "label", "hallucination") if item.get(name) is not None), None)
        if label is None:
            raise ValueError("has an annotation without a type")
        yield {"annotator": "", "group": "", "spans": None, "reason": "", **item, "label": label}
    if "label" in values:
        names = {"annotator": "annotator", "group": "group", "label_spans": "spans", "label_reason": "reason"}
        yield {
            "annotator": "", "group": "", "spans": None, "reason": "", "label": values["label"],
            **{name: values[field] for field, name in names.items() if field in values},
        }  # fmt: skip


def _annotation(told: Mapping[str, Any], number: int, unit: str, answer: str) -> Brought:
    """What one earlier annotator said: an opinion of a model, or a person's label with spans and reason.

    A two-way label of a person names no type, and is kept in their note.
    """
    group = name_of(told, "group").casefold()
    if group not in _GROUPS:
        raise ValueError(f"has an annotation of the group {_brief(group)}, which is none of expert, layperson, model")
    group = _GROUPS[group]
    name = name_of(told, "annotator") or f"{group} {number}"
    reason = text_of(told, "reason").strip()
    label = _label(told["label"], told["spans"], answer)
    lost = tuple(f"has no such words in its answer as {name} marked: {_brief(words)}" for words in label.lost)
    words = " … ".join(answer[span.start : span.end] for _, span, _ in label.spans)
    if group == "model":
        opinion = NewOpinion(unit, name, AXIS, label.raw, label.level, model=name, reason=reason, quote=words)
        return Brought(opinions=(opinion,), warnings=lost)
    note = reason if label.level else "; ".join(filter(None, (f"hallucinated: {label.raw}", words, reason)))
    marked = (span_payload(AXIS, own, _TARGET, answer, span) for _, span, own in label.spans if own)
    said = ImportedLabel(unit, name, AXIS, label.level or "", note=note, spans=tuple(marked), group=group)
    return Brought(labels=(said,), warnings=lost)


def _label(raw: object, spans: object, answer: str) -> _Label:
    """A type as given and the level that it is, with its spans. Raises ``ValueError`` for a word that is neither."""
    said = name_of({"type": str(raw)}, "type")
    word = re.sub(r"[\W_]*(conflict\w*|hallucination)\Z", "", said.casefold()).strip() or said.casefold()
    word = word.replace("_", " ")
    level = "none" if word in _NONE else word if word in _LEVELS else None
    if level is None and word not in _TWO_WAY:
        raise ValueError(f"has the type {_brief(said)}, which is none of {', '.join(_LEVELS)}")
    if level == "none" and any(_spans(spans)):
        raise ValueError("has spans of a hallucination and the type none")
    found: list[tuple[str, Span, str]] = []
    lost: list[str] = []
    for words, own in _spans(spans):
        place = _place(words, answer)
        if place is None:
            lost.append(words)
        else:
            found.append((_TARGET, place, own or level or ""))
    return _Label(said, level, tuple(found), tuple(lost))


def _spans(given: object) -> Iterator[tuple[str, str]]:
    """The words of each span and its own type, ``""`` where it has that of the answer."""
    if isinstance(given, str):
        read = written_out(given)
        given = [line for line in given.splitlines() if line.strip()] if isinstance(read, str) else read
    if given is None:
        return
    if not isinstance(given, list):
        raise ValueError("has spans that are no list of texts")
    for item in given:
        if isinstance(item, str):
            yield item, ""
        elif isinstance(item, dict) and isinstance(item.get("text"), str):
            own = str(item.get("type") or "")
            if own and own not in _LEVELS[1:]:
                raise ValueError(f"has a span of the type {_brief(own)}, which is none of {', '.join(_LEVELS[1:])}")
            yield item["text"], own
        else:
            raise ValueError("has spans that are no list of texts")


def _place(words: str, answer: str) -> Span | None:
    """The first place of the words in the answer, in its own spelling and spaces; ``None`` where they are not in it."""
    bare = normalise_newlines(words).strip()
    start = answer.find(bare) if bare else -1
    if start >= 0:
        return Span(start, start + len(bare))
    from medreview.evidence.grounding import ground  # not needed to show an answer

    found = ground(bare, answer)
    return Span(found.spans[0].start, found.spans[-1].end) if found.status in SAME_WORDS else None


def _brief(words: str) -> str:
    return f"“{words if len(words) <= 40 else words[:39] + '…'}”"


MEDHALU: Final = UnitFormat("answer", FIELDS, ("response", "gold"), ("question", "response"), _read)
