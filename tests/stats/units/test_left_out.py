"""Reviewers who are left out of the figures of a kind: by name, or since they got a check of attention wrong."""

from pathlib import Path

import pytest

from medreview.errors import UserError
from medreview.judges.fact_votes import PRESENCE
from medreview.review.gold import set_gold
from medreview.review.queue_filters import select_units
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.units.answer_figures import AnswerFigures
from medreview.stats.units.fact_report import KeyFactFigures
from medreview.stats.units.unit_figures import UnitFigures, unit_figures
from medreview.study import Study
from medreview.units.kind import Gold
from medreview.units.label_comparisons import failed_attention
from tests.support.answer_study import RECORDS, answer_units, bring_answers
from tests.support.fact_study import FactStudy
from tests.support.unit_samples import SAMPLES
from tests.support.unit_study import decide

FEW = Resampling(replicates=199, seed=3)


def figures(study: Study, kind: str, *without: str) -> UnitFigures:
    only = select_units(study.reader, kind, "", without=without)
    return unit_figures(study.reader, kind, resampling=FEW, only=only)


def test_a_panel_loses_who_is_left_out(study: Study) -> None:
    facts = FactStudy(study)
    facts.case("one", ("First.", "other"), ("Second.", "other"))
    text = facts.text("atlas", "one")
    facts.labels("ann", text, "present", "present")
    facts.labels("bob", text, "absent", "present")
    facts.labels("cyd", text, "absent", "absent")
    for without, value, dropped in (((), 1 / 2, 0), (("cyd",), 1, 1), (("cyd", "bob"), 1, 0)):
        found = figures(study, "fact", *without)
        assert isinstance(found.family, KeyFactFigures)
        score = found.family.figures.scores[0].by_panel[PRESENCE].figure
        assert (score.value, score.dropped) == (value, dropped)  # without cyd the first is even
        assert len(found.family.figures.panel) == 3 - len(without)
    assert figures(study, "fact", "cyd").where == "labels of all but cyd"
    assert {one.reviewer for axis in figures(study, "fact", "cyd").axes for one in axis.labels} == {"ann", "bob"}
    with pytest.raises(UserError, match="There is no reviewer 'dan' in this study; there are ann, bob, cyd"):
        figures(study, "fact", "dan")


def test_answers_lose_them_from_groups_and_marks_too(study: Study, tmp_path: Path) -> None:
    bring_answers(study, tmp_path, RECORDS)
    for who, label in (("ann", "fact"), ("bob", "none"), ("cyd", "none")):
        for unit in answer_units(study):
            decide(study, who, unit, "hallucination", label, mode="open")
    every = figures(study, "answer").family
    left = figures(study, "answer", "ann").family
    assert isinstance(every, AnswerFigures)
    assert isinstance(left, AnswerFigures)
    assert {one.name for one in every.evaluators} - {one.name for one in left.evaluators} == {"ann"}


def test_who_got_a_check_of_attention_wrong_is_known_once_it_is_shown(study: Study) -> None:
    SAMPLES["question"](study)
    first, second, third = (
        row[0]
        for row in study.reader.execute("SELECT unit_id FROM unit WHERE kind = 'question' ORDER BY ordinal LIMIT 3")
    )
    study.write(lambda c: c.execute("DELETE FROM gold"))
    set_gold(study, first, Gold("answerability", "answerable", attention=True), "kb")
    set_gold(study, second, Gold("answerability", "answerable"), "kb")
    for who, labels in (("anna", ("not_answerable", "answerable")), ("bo", ("answerable", "not_answerable"))):
        for unit, label in zip((first, second), labels, strict=True):
            decide(study, who, unit, "answerability", label, mode="open")
    assert failed_attention(study.reader) == ["anna"]  # bo erred where it takes judgement
    decide(study, "cyd", third, "answerability", "answerable")
    assert failed_attention(study.reader) == ["anna"]
