"""Evaluators of answers, and rates of QA items, by numbers worked out by hand."""

import json
from math import sqrt
from pathlib import Path
from typing import Any

import pytest

from medreview import pipeline
from medreview.cli.reports.terminal import printed
from medreview.cli.reports.unit_parts import unit_parts
from medreview.review.background import set_background
from medreview.review.conflicts import adjudicate, conflicts
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.formulas.intervals import wilson
from medreview.stats.units.answer_figures import GOLD, PEOPLE, AnswerFigures
from medreview.stats.units.qa_figures import QAFigures
from medreview.stats.units.unit_figures import unit_figures
from medreview.study import Study
from medreview.study.events import NewEvent, Recorder
from medreview.study.study_acts import Background
from medreview.text import Span
from medreview.units.findings import span_payload
from tests.support.answer_study import answer_units, bring_answers, find
from tests.support.unit_study import decide, do

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
    assert "shown later: 4 more right labels, once the answers are decided; stats --gold scores" in shown


def item(number: int, kind: str, *labels: tuple[str, int, str]) -> dict[str, Any]:
    """An item of a passage with one more item, and what annotators said: who, relevance, and a flag or nothing."""
    inverse = {"wrong_answer": f"Never {number}.", "flaw": "It is too absolute."} if kind.endswith("inverse") else {}
    said = [{"annotator": who, "relevance": level, **({flag: True} if flag else {})} for who, level, flag in labels]
    return {
        "unit": "qa", "id": f"q{number}", "type": kind, "question": f"What is done first in case {number}?",
        "answer": f"Step {number} of the plan.", "passage": f"Passage {number // 2} tells what is done first.",
        "model": "atlas-2" if number % 2 else "boreal", "labels": said, **inverse,
    }  # fmt: skip


ITEMS = [
    item(1, "short", ("a", 5, ""), ("b", 5, "")),
    item(2, "short", ("a", 5, ""), ("b", 5, "")),
    item(3, "short", ("a", 5, ""), ("b", 4, "")),
    item(4, "short", ("a", 4, ""), ("b", 4, "")),
    item(5, "short_inverse", ("a", 5, "feedback"), ("b", 5, "feedback")),
    item(6, "short_inverse", ("a", 5, "dispute"), ("b", 5, "")),
    item(7, "short_inverse", ("a", 3, "")),
    item(8, "short_inverse", ("a", 5, "")),
]


@pytest.fixture
def figures(study: Study, tmp_path: Path) -> QAFigures:
    path = tmp_path / "qa.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in ITEMS), "utf-8")
    pipeline.bring_in(study, path, {})
    found = unit_figures(study.reader, "qa", resampling=FEW).family
    assert isinstance(found, QAFigures)
    return found


def test_rates_by_type_with_the_items_that_are_left_out(figures: QAFigures) -> None:
    whole, short, inverse = figures.rates[:3]
    assert (whole.items, whole.unsettled, whole.disputed, whole.with_feedback) == (8, 1, 1, 1)
    assert whole.relevance == {"1": 0, "2": 0, "3": 1, "4": 1, "5": 5}
    assert whole.hallucination_rate.value == 2 / 8
    assert (whole.hallucination_rate.low, whole.hallucination_rate.high) == wilson(2, 8)
    assert whole.answerability.value == 6 / 8
    assert (whole.plausibility.value, whole.plausibility.n, whole.plausibility.dropped) == (5 / 7, 7, 1)
    assert whole.ideal_pairs.value == 3 / 7
    assert (short.stratum, short.hallucination_rate.value) == ("short", 0)
    assert (inverse.stratum, inverse.hallucination_rate.value) == ("short_inverse", 2 / 4)
    assert [one.stratum for one in figures.rates[3:]] == ["atlas-2", "boreal"]
    assert (figures.twice.value, figures.labels) == (6 / 8, {"assisted": 14})
    assert whole.minutes.value is None


def test_types_and_models_are_tested_as_two_families(figures: QAFigures) -> None:
    inverse, models = figures.tests
    assert (inverse.first, inverse.second, inverse.difference, inverse.family) == ("short_inverse", "short", 0.5, 1)
    # Pooled: 2 of 8; z = 0.5 / sqrt(1/4 * 3/4 * (1/4 + 1/4)).
    assert inverse.test.statistic == pytest.approx(0.5 / sqrt(1 / 4 * 3 / 4 * 2 / 4))
    assert inverse.holm == inverse.bonferroni == inverse.test.pvalue
    assert (models.split, models.first, models.difference) == ("model", "atlas-2", 0)


def test_kappa_and_fleiss_come_from_the_same_counts(figures: QAFigures) -> None:
    by = {figure.name: figure for figure in figures.relevance_agreement}
    # Two of six are told otherwise by one step: pairs 5-5 x4, 5-4, 4-4.
    assert by["percent agreement"].value == 5 / 6
    kappa = by["Cohen's kappa (quadratic weights)"]
    # Disagreement 1/6; by chance P(a=5, b=4) + P(a=4, b=5) = 5/6 * 2/6 + 1/6 * 4/6 = 14/36.
    assert kappa.value == pytest.approx(1 - (1 / 6) / (14 / 36))
    assert kappa.clusters == 4
    valid = {figure.name: figure for figure in figures.validity_agreement}
    # Of six items one is flagged by both, one by one of them; two more have one label each, and count in the shares.
    assert valid["mean pairwise agreement"].value == 5 / 6
    assert valid["Brennan-Prediger"].value == pytest.approx(2 * 5 / 6 - 1)
    assert valid["Fleiss' kappa"].value == pytest.approx(1 - (1 / 6) / (1 - (1.5**2 + 6.5**2) / 64))


def test_flags_on_which_annotators_differ_are_adjudicated_and_count_in_the_rate_as_settled(
    study: Study, figures: QAFigures
) -> None:
    assert (figures.rates[0].flags_open, figures.rates[0].hallucination_rate.value) == (1, 2 / 8)
    dispute, feedback = unit_figures(study.reader, "qa", resampling=FEW).axes[1:]
    assert [one.axis for one in (dispute, feedback)] == ["dispute", "feedback"]
    assert (dispute.adjudication.twice, dispute.adjudication.differ, dispute.adjudication.open) == (6, 1, 1)
    assert (feedback.adjudication.twice, feedback.adjudication.differ) == (6, 0)
    # In rows a, who disputed the one item that b did not.
    assert dispute.scales[0].between[0].table == ((0, 1), (0, 5))
    one = next(one for one in conflicts(study.reader, "qa") if one.axis == "dispute")
    adjudicate(study, "chair", one, "not_flagged")
    now = unit_figures(study.reader, "qa", resampling=FEW)
    assert isinstance(now.family, QAFigures)
    assert (now.family.rates[0].flags_open, now.family.rates[0].hallucination_rate.value) == (0, 1 / 8)
    assert (now.axes[1].adjudication.by_third, now.axes[1].adjudication.outcome) == (1, {"not_flagged": 1})


def test_one_question_has_one_fleiss_kappa(study: Study, figures: QAFigures) -> None:
    """Of the labels as the items have them, also where some have one only."""
    told = unit_figures(study.reader, "qa", resampling=FEW)
    relevance = [many.agreement for many in told.axes[0].scales[0].together]
    named = [figure for many in relevance for figure in many if figure.name == "Fleiss' kappa"]
    assert len(named) == 1
    assert "Fleiss' kappa" not in [figure.name for figure in figures.relevance_agreement]


def test_a_flag_that_is_taken_back_counts_no_more_and_relevance_is_an_ordered_scale(
    study: Study, tmp_path: Path, figures: QAFigures
) -> None:
    unit = study.reader.execute("SELECT unit_id FROM unit WHERE record_id = 'q6'").fetchone()[0]
    do(study, "a", "flag", unit, {"flag": "dispute", "on": False}, mode="open")
    now = unit_figures(study.reader, "qa", resampling=FEW)
    assert isinstance(now.family, QAFigures)
    assert now.family.rates[0].hallucination_rate.value == 1 / 8

    pair = now.axes[0].scales[0].between[0]
    assert [figure.name for figure in pair.agreement][1:] == [
        "Cohen's kappa (quadratic weights)", "Gwet's AC2 (quadratic weights)", "ICC(2,1)", "Spearman's rho",
    ]  # fmt: skip
    # Ranks: a has five fives and a four, b four fives and two fours.
    assert pair.estimate("Spearman's rho").value == pytest.approx(1 / sqrt(2.5))
    assert pair.order_test.name == "Spearman's rho, all permutations"
    assert pair.order_test.pvalue == pytest.approx(1 / 3)
    shown = printed(unit_parts(now))
    assert " nan" not in shown
    assert "short answer, inverse - short" in shown
