"""Evaluators of answers beside the right labels, and distances of marked words, by numbers worked out by hand."""

from pathlib import Path

import pytest

from medreview.cli.reports.terminal import printed
from medreview.cli.reports.unit_parts import unit_parts
from medreview.review.background import set_background
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.units.answer_figures import GOLD, PEOPLE, AnswerFigures
from medreview.stats.units.unit_figures import unit_figures
from medreview.study import Study
from medreview.study.events import NewEvent, Recorder
from medreview.study.study_acts import Background
from medreview.text import Span
from medreview.units.findings import span_payload
from tests.support.answer_study import answer_units, bring_answers, find
from tests.support.unit_study import decide

FEW = Resampling(replicates=199)
SAFE = "Ibuprofen is safe in week 30."
ANSWERS = [
    ("q1", f"{SAFE} Take it with food.", "fact", [SAFE], "HealthQA"),
    ("q2", "Aspirin is harmless for children.", "fact", ["harmless"], "HealthQA"),
    ("q3", "Do not drive. You may drive.", "context", ["Do not drive.", "You may drive."], "LiveQA"),
    ("q4", "Ask about paracetamol instead.", "none", [], "LiveQA"),
]
RIGHT = {"anna": ["fact", "fact", "context", "none"], "bert": ["none", "fact", "none", "none"],
         "lena": ["none", "none", "context", "fact"]}  # fmt: skip


def answers(study: Study, folder: Path, labelled: bool = True) -> list[str]:
    """Four answers, whose right labels may be told once somebody has decided them with the judges in sight."""
    records = [
        {"id": name, "question": f"{name}?", "answer": text, "hallucination_type": kind, "dataset": data_set,
         "hallucinated_spans": spans, "model": "atlas-2"}
        for name, text, kind, spans, data_set in ANSWERS
    ]  # fmt: skip
    bring_answers(study, folder, records)
    units = answer_units(study)
    find(study, "one", units[0], "fact", "is safe in week 30")
    find(study, "one", units[1], "none")
    find(study, "one", units[2], "context", "Do not drive", "may drive")
    find(study, "one", units[3], "none")
    find(study, "one", units[1], "fact", "harmless", assisted_by=("e1",))
    if labelled:
        for who, labels in RIGHT.items():
            for unit, level in zip(units, labels, strict=True):
                decide(study, who, unit, "hallucination", level, mode="open")
        set_background(study, "anna", Background("physician"))
        set_background(study, "bert", Background("nurse"))
        set_background(study, "lena", Background("Layperson"))
    return units


def mark(study: Study, who: str, unit: str, answer: str, words: str) -> None:
    start = answer.index(words)
    span = span_payload("hallucination", "fact", "response", answer, Span(start, start + len(words)))
    study.write(lambda c: Recorder(who).append(c, NewEvent("span_add", unit, span), block="answers", mode="open"))


def family(study: Study) -> AnswerFigures:
    found = unit_figures(study.reader, "answer", resampling=FEW).family
    assert isinstance(found, AnswerFigures)
    return found


def test_models_experts_and_laypeople_stand_side_by_side_against_the_right_labels(study: Study, tmp_path: Path) -> None:
    answers(study, tmp_path)
    figures = family(study)
    assert (figures.right_labels, figures.silent, figures.types) == (4, 0, {"none": 1, "fact": 2, "context": 1})
    by = {(each.name, each.kind): each for each in figures.evaluators}
    assert [(each.name, each.group, each.mode) for each in figures.evaluators if each.kind == "people"] == [
        ("expert", "expert", "assisted"), ("layperson", "layperson", "assisted"),
    ]  # fmt: skip

    one = by["one", "judge"]
    # Right: hallucinated 3, none 1. The judge finds two of the three and is right on the fourth answer.
    assert one.found.matrix == ((2, 1), (0, 1))
    assert one.found.accuracy.value == 3 / 4
    assert one.found.precision["none"].value == 1 / 2
    assert one.found.recall["hallucinated"].value == pytest.approx(2 / 3)
    assert one.found.macro_f1.value == pytest.approx((4 / 5 + 2 / 3) / 2)
    # Chance: 3/4 * 2/4 + 1/4 * 2/4 = 1/2.
    assert one.kappa_found.value == pytest.approx((3 / 4 - 1 / 2) / (1 / 2))
    assert one.type.accuracy.value == 3 / 4
    assert one.by_data_set["HealthQA"].accuracy.value == 1 / 2
    # Of one type: its answers and those without any.
    assert one.by_type["fact"].matrix == ((1, 1), (0, 1))
    assert one.by_type["context"].accuracy.value == 1
    # What a judge finds with an expert's remarks is apart.
    assert by["one", "assisted"].n == 1

    experts = by["expert", "people"]
    assert (experts.ties, experts.n) == (2, 2)  # they agree on the second and the fourth answer only
    assert experts.found.accuracy.value == 1
    lay = by["layperson", "people"]
    assert lay.found.accuracy.value == 1 / 4
    assert by["anna", "person"].found.accuracy.value == 1
    shown = printed(unit_parts(unit_figures(study.reader, "answer", resampling=FEW)))
    assert " nan" not in shown
    assert "expert, assisted" in shown


def test_distances_are_to_the_nearest_span_of_the_model_and_say_what_has_none(study: Study, tmp_path: Path) -> None:
    units = answers(study, tmp_path)
    mark(study, "anna", units[0], ANSWERS[0][1], SAFE)
    mark(study, "anna", units[1], ANSWERS[1][1], "Aspirin is harmless")
    mark(study, "lena", units[2], ANSWERS[2][1], "You")  # a layperson's marks are no reference

    by = {each.reference: each for each in family(study).spans}
    people = by[PEOPLE]
    mean, median, relative = people.left_out
    # "Ibuprofen is safe in week 30." to "is safe in week 30": 10 characters before, 1 behind, of 29.
    assert (people.spans, people.without) == (2, 1)
    assert (mean.value, median.value, mean.dropped) == (11, 11, 1)
    assert relative.value == pytest.approx(11 / 29)
    assert people.as_length[0].value == (11 + 19) / 2
    right = by[GOLD]
    # "Do not drive." is one full stop away, "You may drive." five characters; "harmless" has no counterpart.
    assert (right.spans, right.without) == (4, 1)
    assert right.left_out[0].value == pytest.approx((11 + 1 + 5) / 3)
    assert right.left_out[1].value == 5


def test_right_labels_that_may_not_be_told_are_counted_and_nothing_else(study: Study, tmp_path: Path) -> None:
    answers(study, tmp_path, labelled=False)
    figures = family(study)

    assert (figures.right_labels, figures.silent, figures.evaluators, figures.spans) == (0, 4, (), ())
    shown = " ".join(printed(unit_parts(unit_figures(study.reader, "answer", resampling=FEW))).split())
    assert "told later: 4 more right labels, once the answers are decided; stats --gold scores" in shown
