"""Before and after of assisted runs: sums by hand, and what stays silent."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest

from medreview.stats.units.hallucination_detection import assisted_report
from medreview.study import Study
from medreview.study.events import NewEvent, Recorder
from tests.support.answer_study import answer_units, bring_answers, find


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Study]:
    with Study.create(tmp_path / "a.medreview") as opened:
        bring_answers(opened, tmp_path)
        yield opened


def label(study: Study, unit: str, level: str, who: str = "kb", mode: str = "open") -> None:
    event = NewEvent("decide", unit, {"axis": "hallucination", "label": level, "exposure": {"judge_verdict": "no"}})
    study.write(lambda c: Recorder(who).append(c, event, block="answers", mode=mode))


def test_each_judge_is_summed_before_and_after_against_the_reviewer_and_against_gold(study: Study) -> None:
    first, second, third = answer_units(study)
    for judge, unit, before, after in [
        ("one", first, "none", "fact"), ("one", second, "context", "fact"), ("one", third, "none", "none"),
        ("two", first, "fact", ""), ("two", second, "none", "context"),
    ]:  # fmt: skip
        find(study, judge, unit, before)
        find(study, judge, unit, after, assisted_by=("e1",))
    find(study, "alone", first, "fact")
    for unit, level in ((first, "fact"), (second, "context"), (third, "none")):
        label(study, unit, level)
    label(study, second, "fact", "anna")
    one, two = assisted_report(study.reader).judges
    assert (one.judge, one.responses, one.moved) == (
        "one", 3, {"none": {"none": 1, "fact": 1}, "context": {"fact": 1}},
    )  # fmt: skip
    assert asdict(one.gold) == {
        "n": 3, "found_before": 2, "found_after": 3, "found_mended": 1, "found_spoilt": 0,
        "type_before": 2, "type_after": 2, "type_mended": 1, "type_spoilt": 1,
    }  # fmt: skip
    assert (one.reviewer.n, one.reviewer.type_before, one.reviewer.type_after) == (2, 1, 2)  # on a2 both differ
    told = {difference.statistic: difference for difference in one.differences}
    # Of three answers one was wrong before and right after: 2 x 1/2 at the most is 1; of types also one the other way.
    assert told["gold: found or not"].estimate.value == pytest.approx(1 / 3)
    assert (told["gold: found or not"].pvalue, told["gold: type"].estimate.value) == (1, 0)
    assert told["gold: type"].test == "McNemar, exact binomial"
    # one has four tests, two has the two against gold: on its answer with both words the reviewers differ.
    assert {difference.family for difference in one.differences} == {6}
    assert (two.responses, two.abstained_before, two.abstained_after, two.gold.n) == (2, 0, 1, 1)
    mine = assisted_report(study.reader, "kb").judges[0].reviewer
    assert (mine.n, mine.type_spoilt) == (3, 1)


def test_gold_is_silent_until_its_answer_is_decided_and_its_block_is_shown(study: Study) -> None:
    first, second, _ = answer_units(study)
    for unit in (first, second):
        find(study, "one", unit, "none")
        find(study, "one", unit, "fact", assisted_by=("e1",))
    label(study, second, "context", mode="blind")
    report = assisted_report(study.reader)
    assert [(row.name, row.reviewer, row.gold) for row in report.responses] == [
        ("R01", None, None), ("R02", "context", None),
    ]  # fmt: skip
    assert (report.gold_waits, report.judges[0].gold.n) == (2, 0)
    study.write(lambda c: Recorder("kb").append(c, NewEvent("reveal", second), block="answers", mode="blind"))
    label(study, first, "fact")
    report = assisted_report(study.reader)
    assert ([row.gold for row in report.responses], report.gold_waits) == (["fact", "context"], 0)
