"""Files of rankings: one record with its outputs each, or a table with one row for each output."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from medreview.exchange.imports.field_mapping import Fields, name_of, text_of
from medreview.exchange.imports.rows import BadRecord, Row
from medreview.labels import QUALITY, is_order
from medreview.study import Study
from medreview.units.brought import Brought
from medreview.units.imported_labels import ImportedLabel
from medreview.units.stored import NewOpinion, NewUnit
from medreview.units.unit_format import UnitFormat

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
    "reviewer": ("reviewer", "annotator"),
}

Output = dict[str, str]


def _read(values: Mapping[str, Any], study: Study) -> Brought:
    outputs = list(_outputs(values.get("outputs")))
    if not 2 <= len(outputs) <= MOST_OUTPUTS:
        raise ValueError(f"has {len(outputs)} outputs; from 2 to {MOST_OUTPUTS} can be ranked")
    question = text_of(values, "question").strip()
    if not question:
        raise ValueError("has no question")
    content = {
        "question": question,
        "type": name_of(values, "type"),
        "reference": text_of(values, "reference").strip(),
        "outputs": outputs,
    }
    unit = NewUnit("ranking", question, content, name_of(values, "id"), name_of(values, "origin"))
    return Brought(
        units=(unit,),
        opinions=tuple(_opinions(values.get("opinions"), unit.unit, outputs)),
        labels=tuple(_labels(values.get("labels"), unit.unit, outputs)),
    )


def _outputs(given: Any) -> Iterator[Output]:
    """The outputs of a list of objects, or of an object that names each by its model."""
    if isinstance(given, dict):
        given = [{"model": model, "text": text} for model, text in given.items()]
    if not isinstance(given, list):
        raise ValueError("has no list of outputs")
    for number, one in enumerate(given, 1):
        if not isinstance(one, dict):
            raise ValueError(f"has an output {number} that is no object with model and text")
        text = text_of(one, "text").strip()
        if not text:
            raise ValueError(f"has no text in output {number}")
        yield {"model": name_of(one, "model"), "text": text}


def _opinions(given: Any, unit: str, outputs: Sequence[Output]) -> Iterator[NewOpinion]:
    for one in _objects(given, "opinions"):
        for axis, label in _said(one, outputs):
            yield NewOpinion(
                unit, name_of(one, "judge") or name_of(one, "model") or "file", axis, label, label,
                model=name_of(one, "model"), reason=text_of(one, "reason"),
            )  # fmt: skip


def _labels(given: Any, unit: str, outputs: Sequence[Output]) -> Iterator[ImportedLabel]:
    for one in _objects(given, "labels"):
        for axis, label in _said(one, outputs):
            who = name_of(one, "annotator") or name_of(one, "reviewer")
            yield ImportedLabel(unit, who, axis, label, at=name_of(one, "at"))


def _said(one: Mapping[str, Any], outputs: Sequence[Output]) -> Iterator[tuple[str, str]]:
    """The order and the qualities of one rater: axes and labels.

    ``order``: numbers of the outputs from 1, as ``2>1=3``, or models from best to worst, a list of them for a tie.
    ``qualities``: by model or number.
    """
    if "order" in one:
        yield "rank", _order(one["order"], outputs)
    qualities = one.get("qualities", {})
    if not isinstance(qualities, dict):
        raise ValueError("has qualities that are no object")
    for output, quality in qualities.items():
        level = next((label.level for label in QUALITY if label.level == str(quality).casefold()), None)
        if level is None:
            known = ", ".join(label.level for label in QUALITY)
            raise ValueError(f"has {quality!r} as a quality; there are {known}")
        yield f"quality/{_number(output, outputs)}", level


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


def _objects(given: Any, what: str) -> Sequence[Mapping[str, Any]]:
    if given is None:
        return ()
    if not isinstance(given, list) or not all(isinstance(one, dict) for one in given):
        raise ValueError(f"has {what} that are no list of objects")
    return given


def _gathered(rows: Iterator[Row | BadRecord], fields: Fields) -> Iterator[Row | BadRecord]:
    """The same rows; those of a table with one row for each output become one for each ranking.

    What is one ranking is told by the id, or the question where there is none. A rater's rank and quality of the output
    may stand in its row; of several raters each output has one row for each.
    """
    tables: dict[str, list[Row]] = {}
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


def _one(members: Sequence[Row], fields: Fields) -> Row | BadRecord:
    line = members[0].line
    outputs: list[Output] = []
    ranks: dict[str, dict[int, float]] = {}
    qualities: dict[str, dict[str, str]] = {}
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
            if "quality" in values:
                qualities.setdefault(reviewer, {})[str(number)] = name_of(values, "quality")
    except ValueError as error:
        return BadRecord(row.line, str(error))
    per_output = {column for name in ("model", "output", "rank", "quality", "reviewer")
                  for column in fields.columns(members[0]).get(name, [])}  # fmt: skip
    shared = {column: value for column, value in members[0].values.items() if column not in per_output}
    labels = [
        {"annotator": who}
        | ({"order": _by_rank(ranks[who])} if who in ranks else {})
        | ({"qualities": qualities[who]} if who in qualities else {})
        for who in dict.fromkeys([*ranks, *qualities])
    ]
    return Row(line, {**shared, "outputs": outputs, **({"labels": labels} if labels else {})})


def _rank(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ValueError(f"has {value!r} as a rank, which is no number") from None


def _by_rank(ranks: Mapping[int, float]) -> str:
    """An order from ranks, 1 the best."""
    tiers = [[number for number, rank in ranks.items() if rank == tier] for tier in sorted(set(ranks.values()))]
    return ">".join("=".join(map(str, sorted(tier))) for tier in tiers)


def _is_ranking(columns: Collection[str], records: Sequence[Mapping[str, Any]]) -> bool:
    """Whether it has several outputs, or ranks of them: else it is a file of answers with a reference each."""
    return {"outputs", "reference"} <= (present := Fields(_FIELDS).present(columns)) or {"output", "rank"} <= present


FORM: Final = UnitFormat(
    name="ranking",
    fields=_FIELDS,
    characteristic=("question",),
    required=("question", "outputs"),
    read=_read,
    tells=_is_ranking,
    unfold=_gathered,
)
