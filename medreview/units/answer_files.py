"""Files of models' answers: with known hallucinations, as MedHalu's; and outputs of several models, ranked.

MedHalu's have gold type, spans, correct answer and earlier labels. Of rankings one record has its outputs each, or a
table has one row for each output.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from medreview.exchange.imports import answer_records
from medreview.exchange.imports.answer_records import AnswerRecord, response_row
from medreview.exchange.imports.field_mapping import Fields, name_of, text_of
from medreview.exchange.imports.file_rows import BadRecord, NamedRow
from medreview.exchange.imports.json_rows import written_out
from medreview.exchange.imports.listed_citations import citations_of
from medreview.labels import HALLUCINATED, HALLUCINATION, QUALITY, SAME_WORDS, is_label, is_order
from medreview.study import Study
from medreview.study.ids import unit_id
from medreview.text import Span, normalise_newlines, real_lines
from medreview.units.findings import span_payload
from medreview.units.kind import Gold
from medreview.units.new_units import ImportedLabel, ImportRecord, unknown_label
from medreview.units.stored import NewOpinion, NewUnit
from medreview.units.unit_format import UnitFormat, objects_in

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
    "correct_answer": answer_records.FIELDS["correct_answer"],
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


def _read_answer(values: Mapping[str, Any], study: Study) -> ImportRecord:
    """One record: the answer as an ordinary response, and what is known of it."""
    record = _answer(values)
    unit = unit_id("answer", response_row(record, "")["response_id"])
    correct = text_of(values, "correct_answer").strip()
    gold, warnings = _gold(values, record.response)
    opinions: list[NewOpinion] = []
    labels: list[ImportedLabel] = []
    for number, entry in enumerate(_annotations(values), 1):
        said = _annotation(entry, number, unit, record.response)
        opinions += said.opinions
        labels += said.labels
        warnings += said.warnings
    return ImportRecord(
        answers=(record,),
        references=((record.question, correct),) if correct else (),
        gold=((unit, gold),) if gold else (),
        opinions=tuple(opinions),
        labels=tuple(labels),
        warnings=tuple(warnings),
    )


def _answer(values: Mapping[str, Any]) -> AnswerRecord:
    return AnswerRecord(
        line=0,
        question=text_of(values, "question").strip(),
        response=real_lines(text_of(values, "response")),
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
    for item in objects_in(values, "annotations"):
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


def _annotation(entry: Mapping[str, Any], number: int, unit: str, answer: str) -> ImportRecord:
    """What one earlier annotator said: an opinion of a model, or a person's label with spans and reason.

    A two-way label of a person names no type, and is kept in their note.
    """
    group = name_of(entry, "group").casefold()
    if group not in _GROUPS:
        raise ValueError(f"has an annotation of the group {_brief(group)}, which is not expert, layperson or model")
    group = _GROUPS[group]
    name = name_of(entry, "annotator") or f"{group} {number}"
    reason = text_of(entry, "reason").strip()
    label = _label(entry["label"], entry["spans"], answer)
    lost = tuple(f"has no such words in its answer as {name} marked: {_brief(words)}" for words in label.lost)
    words = " … ".join(answer[span.start : span.end] for _, span, _ in label.spans)
    if group == "model":
        opinion = NewOpinion(unit, name, AXIS, label.raw, label.level, model=name, reason=reason, quote=words)
        return ImportRecord(opinions=(opinion,), warnings=lost)
    note = reason if label.level else "; ".join(filter(None, (f"hallucinated: {label.raw}", words, reason)))
    marked = (span_payload(AXIS, own, _TARGET, answer, span) for _, span, own in label.spans if own)
    said = ImportedLabel(unit, name, AXIS, label.level or "", note=note, spans=tuple(marked), group=group)
    return ImportRecord(labels=(said,), warnings=lost)


def _label(raw: object, spans: object, answer: str) -> _Label:
    """A type as given and the level that it is, with its spans. Raises ``ValueError`` for a word that is neither."""
    said = name_of({"type": str(raw)}, "type")
    word = re.sub(r"[\W_]*(conflict\w*|hallucination)\Z", "", said.casefold()).strip() or said.casefold()
    word = word.replace("_", " ")
    level = "none" if word in _NONE else word if word in _LEVELS else None
    if level is None and word not in _TWO_WAY:
        raise ValueError(f"has the type {_brief(said)}, which is not one of {', '.join(_LEVELS)}")
    if level == "none" and any(_spans(spans)):
        raise ValueError("has spans of a hallucination and the type none")
    found: list[tuple[str, Span, str]] = []
    lost: list[str] = []
    for words, own in _spans(spans):
        place = place_of(words, answer)
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
        raise ValueError("has spans that are not a list of texts")
    for item in given:
        if isinstance(item, str):
            yield item, ""
        elif isinstance(item, dict) and isinstance(item.get("text"), str):
            own = str(item.get("type") or "")
            if own and own not in _LEVELS[1:]:
                raise ValueError(f"has a span of the type {_brief(own)}, which is not one of {', '.join(_LEVELS[1:])}")
            yield item["text"], own
        else:
            raise ValueError("has spans that are not a list of texts")


def place_of(words: str, answer: str) -> Span | None:
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


MEDHALU: Final = UnitFormat("answer", FIELDS, ("response", "gold"), ("question", "response"), _read_answer)


MOST_OUTPUTS: Final = 9
"""So that each has a digit."""

_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "id": ("id", "ranking_id", "question_id", "item_id"),
    "question": ("question", "query", "prompt"),
    "type": ("type", "question_type", "qa_type"),
    "reference": ("reference", "reference_answer", "gold_answer", "correct_answer"),
    "outputs": ("outputs", "model_outputs", "generations"),
    "origin": ("origin",),
    "opinions": ("opinions",),
    "labels": ("labels", "rankings"),
    # Of a table with one row for each output:
    "model": ("model", "model_name"),
    "output": ("output", "model_output", "generation"),
    "rank": ("rank",),
    "quality": ("quality", "rating"),
    "hallucinated": ("hallucinated", "hallucination_flag"),
    "reviewer": ("reviewer", "annotator"),
}

Output = dict[str, str]
_YES: Final = ("yes", "true", "1", "flagged", "hallucinated")
_NO: Final = ("no", "false", "0", "not flagged", "not_flagged", "")


def _read_ranking(values: Mapping[str, Any], study: Study) -> ImportRecord:
    outputs = list(_outputs(values.get("outputs")))
    if not 2 <= len(outputs) <= MOST_OUTPUTS:
        raise ValueError(f"has {len(outputs)} outputs; from 2 to {MOST_OUTPUTS} can be ranked")
    question = text_of(values, "question").strip()
    content = {
        "question": question,
        "type": name_of(values, "type"),
        "reference": text_of(values, "reference").strip(),
        "outputs": outputs,
    }
    unit = NewUnit("ranking", question, content, name_of(values, "id"), name_of(values, "origin"))
    return ImportRecord(
        units=(unit,),
        opinions=tuple(
            NewOpinion(
                unit.unit, name_of(one, "judge") or name_of(one, "model") or "file", axis, label, label,
                model=name_of(one, "model"), reason=text_of(one, "reason"),
            )
            for one in objects_in(values, "opinions") for axis, label in _said(one, outputs)
        ),
        labels=tuple(
            ImportedLabel(
                unit.unit, name_of(one, "annotator") or name_of(one, "reviewer"), axis, label, at=name_of(one, "at")
            )
            for one in objects_in(values, "labels") for axis, label in _said(one, outputs)
        ),
    )  # fmt: skip


def _outputs(given: Any) -> Iterator[Output]:
    """The outputs of a list of objects, or of an object that names each by its model."""
    if isinstance(given, dict):
        given = [{"model": model, "text": text} for model, text in given.items()]
    if not isinstance(given, list):
        raise ValueError("has no list of outputs")
    for number, one in enumerate(given, 1):
        if not isinstance(one, dict):
            raise ValueError(f"has an output {number} that is not an object with model and text")
        text = text_of(one, "text").strip()
        if not text:
            raise ValueError(f"has no text in output {number}")
        yield {"model": name_of(one, "model"), "text": text}


def _said(one: Mapping[str, Any], outputs: Sequence[Output]) -> Iterator[tuple[str, str]]:
    """The order, the qualities and the flags of one rater: axes and labels.

    ``order``: numbers of the outputs from 1, as ``2>1=3``, or models from best to worst, a list of them for a tie.
    ``qualities``: by model or number. ``hallucinated``: a list of those that are, which says of the others that they
    are not; or yes or no by model or number.
    """
    if "order" in one:
        yield "rank", _order(one["order"], outputs)
    qualities = one.get("qualities", {})
    if not isinstance(qualities, dict):
        raise ValueError("has qualities that are not an object")
    for output, quality in qualities.items():
        axis, level = f"quality/{_number(output, outputs)}", str(quality).casefold()
        if not is_label(axis, level):
            raise unknown_label(f"{quality!r} as a quality", QUALITY)
        yield axis, level
    for number, flagged in _flags(one.get("hallucinated"), outputs):
        yield f"hallucinated/{number}", HALLUCINATED[not flagged].level


def _flags(given: Any, outputs: Sequence[Output]) -> Iterator[tuple[int, bool]]:
    if given is None:
        return
    if isinstance(given, dict):
        yield from ((_number(output, outputs), _yes(word)) for output, word in given.items())
    elif isinstance(given, list):
        flagged = {_number(output, outputs) for output in given}
        yield from ((number, number in flagged) for number in sorted(_numbers(outputs)))
    else:
        raise ValueError("has hallucinated outputs that are neither a list nor an object")


def _yes(given: Any) -> bool:
    word = str(given).strip().casefold()
    if word not in (*_YES, *_NO):
        raise ValueError(f"has {given!r} where it should say whether an output is hallucinated: yes or no")
    return word in _YES


def _order(given: Any, outputs: Sequence[Output]) -> str:
    if isinstance(given, list):
        tiers = [tier if isinstance(tier, list) else [tier] for tier in given]
        given = ">".join("=".join(str(_number(one, outputs)) for one in tier) for tier in tiers)
    order = str(given).replace(" ", "")
    if not is_order(order) or {int(one) for one in order.replace("=", ">").split(">")} != _numbers(outputs):
        raise ValueError(f"has {given!r} as an order, which does not name each of its {len(outputs)} outputs once")
    return order


def _numbers(outputs: Sequence[Output]) -> set[int]:
    return set(range(1, len(outputs) + 1))


def _number(named: Any, outputs: Sequence[Output]) -> int:
    """The number of an output that is named by it, or by its model where that wrote one only."""
    found = [number for number, output in enumerate(outputs, 1) if output["model"] == str(named)]
    if not found and str(named).isascii() and str(named).isdigit():
        found = [int(named)] if int(named) in _numbers(outputs) else []
    if len(found) != 1:
        raise ValueError(f"names {named!r}, which is {'several' if found else 'none'} of its outputs")
    return found[0]


def _gathered(rows: Iterator[NamedRow | BadRecord], fields: Fields) -> Iterator[NamedRow | BadRecord]:
    """The same rows; those of a table with one row for each output become one for each ranking.

    Rows of one ranking have the same id, or the same question without an id. A rater's rank and quality of the output
    may stand in its row; of several raters each output has one row for each.
    """
    tables: dict[str, list[NamedRow]] = {}
    for row in rows:
        if isinstance(row, BadRecord) or "output" not in (named := fields.columns(row)) or "outputs" in named:
            yield row
            continue
        values = fields.values(row)
        tables.setdefault(str(values.get("id") or values.get("question") or ""), []).append(row)
    for key, members in tables.items():
        if not key:
            yield from (BadRecord(row.line, "has no id, so that no ranking has this output") for row in members)
        else:
            yield _one(members, fields)


def _one(members: Sequence[NamedRow], fields: Fields) -> NamedRow | BadRecord:
    line = members[0].line
    outputs: list[Output] = []
    ranks: dict[str, dict[int, float]] = {}
    others: dict[str, dict[str, dict[str, Any]]] = {"qualities": {}, "hallucinated": {}}
    try:
        for row in members:
            values = fields.values(row)
            output = {"model": name_of(values, "model"), "text": text_of(values, "output").strip()}
            if output not in outputs:
                outputs.append(output)
            number = outputs.index(output) + 1
            reviewer = name_of(values, "reviewer")
            if "rank" in values:
                ranks.setdefault(reviewer, {})[number] = _rank(values["rank"])
            for field, member in (("quality", "qualities"), ("hallucinated", "hallucinated")):
                if field in values:
                    others[member].setdefault(reviewer, {})[str(number)] = values[field]
    except ValueError as error:
        return BadRecord(row.line, str(error))
    per_output = {column for name in ("model", "output", "rank", "quality", "hallucinated", "reviewer")
                  for column in fields.columns(members[0]).get(name, [])}  # fmt: skip
    shared = {column: value for column, value in members[0].values.items() if column not in per_output}
    labels = [
        {"annotator": who}
        | ({"order": _by_rank(ranks[who])} if who in ranks else {})
        | {member: said[who] for member, said in others.items() if who in said}
        for who in dict.fromkeys([*ranks, *others["qualities"], *others["hallucinated"]])
    ]
    return NamedRow(line, {**shared, "outputs": outputs, **({"labels": labels} if labels else {})})


def _rank(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ValueError(f"has {value!r} as a rank, which is not a number") from None


def _by_rank(ranks: Mapping[int, float]) -> str:
    """An order from ranks, 1 the best."""
    tiers = [[number for number, rank in ranks.items() if rank == tier] for tier in sorted(set(ranks.values()))]
    return ">".join("=".join(map(str, sorted(tier))) for tier in tiers)


def _is_ranking(columns: Collection[str], records: Sequence[Mapping[str, Any]]) -> bool:
    """Whether it has several outputs, or ranks of them: else it is a file of answers with a reference each."""
    return {"outputs", "reference"} <= (present := Fields(_FIELDS).present(columns)) or {"output", "rank"} <= present


RANKING_FILES: Final = UnitFormat(
    name="ranking",
    fields=_FIELDS,
    characteristic=("question",),
    required=("question", "outputs"),
    read=_read_ranking,
    tells=_is_ranking,
    unfold=_gathered,
)
