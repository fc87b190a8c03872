"""Reviewers beside each other and beside the judges: majorities, pairs, and assisted runs before and after, by hand."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from medreview.cli.reports.agreement_tables import consensus_parts
from medreview.cli.reports.terminal import printed
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.study_figures import study_figures
from medreview.stats.units.hallucination_detection import assisted_report
from medreview.study import Study
from medreview.study.events import NewEvent, Recorder
from tests.stats.small_study import SmallStudy
from tests.support.answer_study import RECORDS, answer_units, bring_answers, find

FAST = Resampling(replicates=199)
TOGETHER = "the judges together"


def panels(small: SmallStudy, **more: Any) -> Any:
    small.roll_up()
    found = study_figures(small.study.reader, resampling=FAST, **more).consensus
    return {(one.mode, one.drawn): one for one in found}


def blind(small: SmallStudy, who: str, labels: str, names: str = "abcdefgh") -> None:
    """A label on the first statement of each response: ``s`` supported, ``n`` not addressed, ``c`` cannot judge."""
    words = {"s": "supported", "n": "not_addressed", "c": "cannot_judge"}
    for name, label in zip(names, labels, strict=True):
        if label in words:
            small.said(words[label], f"{name}.1", who=who, mode="blind", block="audit")


def three_reviewers(small: SmallStudy) -> SmallStudy:
    """Eight responses of one statement. Majorities: a b c supported, d tied (of two), e f g h not supported."""
    for name in "abcdefgh":
        small.response(name, 1)
    blind(small, "anna", "ssssnnns")
    blind(small, "ben", "sssnnnnn")
    blind(small, "cleo", "ssncnnsn")
    small.judge("a.1 b.1 c.1 d.1 e.1 f.1 g.1 h.1", one="SSSSNNNN", two="SSSCSCCC")
    return small


@pytest.fixture(scope="module")
def panel(small_of_module: SmallStudy) -> Any:
    """Of these, with a margin of 0.3: worked out once."""
    return panels(three_reviewers(small_of_module), margin=0.3)["blind", True]


def test_the_majority_and_its_ties_are_counted(panel):
    one = panel

    assert (one.reviewers, one.statements, one.clusters) == (("anna", "ben", "cleo"), 8, 8)
    assert (dict(one.majority), one.tied, one.rule) == ({"supported": 3, "not_supported": 4}, 1, "undecided")
    assert one.left_out == {"reviewer cannot judge": 1}


def test_reviewers_with_each_other_by_hand(panel):
    found = {among.scale: among.agreement.figures for among in panel.among}

    # a b e f agree on all pairs, c g h on one of three, d on none of one.
    assert found["binary"]["mean_pairwise_agreement"].value == pytest.approx((4 + 3 / 3 + 0) / 8)
    assert found["binary"]["mean_pairwise_agreement"].clusters == 8
    assert set(found["levels"]) == {"mean_pairwise_agreement", "fleiss_kappa", "gwet_ac", "krippendorff_alpha"}


def test_each_judge_is_held_against_the_majority_as_the_right_answer(panel):
    found = {comparison.second: comparison for comparison in panel.judges}

    assert list(found) == [TOGETHER, "one", "two"]
    assert {one.first for one in found.values()} == {"the majority of 3 reviewers"}
    assert found["one"].table == ((3, 0), (0, 4))
    assert found["two"].table == ((3, 0), (1, 3))
    assert found["two"].dropped == {"reviewers tied": 1}
    assert found["two"].per_label.recall["not_supported"].value == 3 / 4
    # The judges differ on d and e.
    assert (found[TOGETHER].n, found[TOGETHER].dropped) == (6, {"reviewers tied": 1, "jury tied": 1})


def test_under_each_tie_rule_both_sides_follow_it(panel):
    found = {(one.judge, one.rule): one for one in panel.under_rules}

    assert {one.tied_reviewers for one in found.values()} == {1}
    assert found[TOGETHER, "undecided"].tied_judges == 2
    assert [found[TOGETHER, rule].n for rule in ("undecided", "supported", "not_supported")] == [6, 8, 8]
    # Ties supported: the reviewers say a b c d, the jury a b c d e. Not supported: a b c, and a b c.
    as_supported, as_not = (found[TOGETHER, rule] for rule in ("supported", "not_supported"))
    assert as_supported.agreement.value == 7 / 8
    assert as_supported.kappa.value == pytest.approx((7 / 8 - 1 / 2) / (1 / 2))
    assert (as_not.agreement.value, as_not.kappa.value) == (1, 1)
    # One judge alone has no ties; the reviewers' alone move its figure: d is right, or not.
    assert [found["one", rule].agreement.value for rule in ("undecided", "supported", "not_supported")] == [1, 1, 7 / 8]


def test_one_reviewer_against_the_others_and_non_inferiority_by_hand(panel):
    one = panel
    persons = [figure.value for figure in one.persons.values()]

    # anna: ben and cleo tie on c and g, on d ben alone speaks: a b s/s, d s/n, e f n/n, h s/n: 4 of 6, chance 16/36.
    anna = (4 / 6 - (4 * 2 + 2 * 4) / 36) / (1 - (4 * 2 + 2 * 4) / 36)
    # ben: anna and cleo tie on c, g, h; d by anna: s. a b s/s, d n/s, e f n/n: 4 of 5.
    ben = (4 / 5 - (2 * 3 + 3 * 2) / 25) / (1 - (2 * 3 + 3 * 2) / 25)
    # cleo: anna and ben tie on d, h: a b s/s, c n/s, e f n/n, g s/n: 4 of 6.
    cleo = (4 / 6 - 1 / 2) / (1 / 2)
    assert persons == pytest.approx([anna, ben, cleo])
    assert one.person.value == pytest.approx((anna + ben + cleo) / 3)
    assert list(one.persons) == ["anna", "ben", "cleo"]
    difference = next(each for each in one.beside if each.rater == "one")
    assert difference.difference.value == pytest.approx(1 - (anna + ben + cleo) / 3)
    assert (difference.difference.level, difference.margin) == (pytest.approx(0.9), 0.3)


def test_two_reviewers_have_a_consensus_and_no_baseline_of_one_person(small):
    for name in "abcdefgh":
        small.response(name, 1)
    blind(small, "anna", "ssssnnns")
    blind(small, "ben", "sssnnnnn")
    one = panels(small)["blind", True]

    assert (one.tied, one.judges, one.person, one.beside) == (2, (), None, ())


def test_blind_and_assisted_and_what_was_seen_of_each_other_are_never_one_majority(small):
    three = three_reviewers(small)
    three.response("i", 1)
    three.response("j", 1)
    for who in ("anna", "ben"):
        three.said("supported", "i.1", who=who)
    three.said("partial", "i.1", who="cleo", mode="blind", block="audit")
    exposure = {"judge_verdict": "no", "other_reviewer": "before"}
    three.said("partial", "j.1", mode="blind", block="audit")
    three.said("partial", "j.1", who="ben", mode="blind", block="audit", exposure=exposure)
    found = panels(three)

    assert {key: one.statements for key, one in found.items()} == {("blind", True): 8, ("assisted", False): 1}
    assert found["assisted", False].reviewers == ("anna", "ben")
    assert found["blind", True].left_out == {
        "reviewer cannot judge": 1,
        "given after another reviewer's label was seen": 1,
        "the only label on the statement": 1,
    }


def test_the_tests_of_the_paper_are_of_the_labels_and_of_being_right(panel):
    tests = {(each.judge, each.other, each.result.name): each for each in panel.tests}

    chi = tests["two", "the majority of 3 reviewers", "chi-squared test"].result
    # 3 of 7 supported by the majority, 4 of 7 by judge two.
    assert chi.statistic == pytest.approx(2 * (0.5**2 / 3.5) * 2)
    paired = tests["one", "two", "paired t-test"]
    assert paired.question == "accuracy"
    # Right by one alone once in seven: mean 1/7, t = 1.
    assert paired.result.statistic == pytest.approx(1)
    unpaired = tests["two", "the majority of 3 reviewers", "t-test, pooled variance"].result
    assert unpaired.df == 12


def test_the_report_has_every_rule_person_and_judge_within_80_columns(panel):
    text = printed(consensus_parts((panel,), 199), styled=False)

    for said in (
        "3 reviewers together, blind, random audit: 8 statements in 8 responses",
        "Their majority: 3 supported, 4 not supported; 1 tied; tie rule: undecided.",
        "under each tie rule, supported or not",
        "each reviewer with the majority of the others",
        "tests as in SourceCheckup",
    ):
        assert said in text
    assert "nan" not in text
    assert max(map(len, text.splitlines())) <= 80


def compared(small, scale="levels"):
    small.roll_up()
    found = study_figures(small.study.reader, resampling=FAST).between_reviewers
    return {one.labels_of: one for one in found if one.scale == scale}


@pytest.fixture
def two(small: SmallStudy) -> SmallStudy:
    """a.1, a.2: both blind; b.1: anna blind, ben assisted; b.2, b.3: both assisted; c.1: ben saw anna's label."""
    for name, count in (("a", 3), ("b", 3), ("c", 1)):
        small.response(name, count)
    small.judge("a.1 a.2 b.1", one="SSS")
    small.say("a.1 a.2 b.1 c.1", anna="SSSS", ben="SP--", block="audit", mode="blind")
    small.say("b.1 b.2 b.3", ben="CPJ", anna="-PP")
    exposure = {"judge_verdict": "no", "other_reviewer": "before"}
    small.said("supported", "c.1", who="ben", mode="blind", block="audit", exposure=exposure)
    return small


def test_first_blind_labels_stand_apart_from_mixed_and_assisted_ones(two):
    found = compared(two)

    assert {kind: (one.n, one.mode) for kind, one in found.items()} == {
        "first_blind": (2, "blind"),
        "mixed": (1, None),
        "assisted": (1, "assisted"),
        "final": (5, None),
    }
    assert {(one.first, one.second) for one in found.values()} == {("anna", "ben")}
    assert found["first_blind"].table[0] == (1, 1, 0, 0)
    assert found["mixed"].table[0] == (0, 0, 1, 0)
    assert found["assisted"].table[1] == (0, 1, 0, 0)
    assert found["assisted"].dropped == {"reviewer cannot judge": 1}


def test_a_label_given_after_the_others_was_seen_is_no_independent_one(two):
    found = compared(two)

    assert found["first_blind"].dropped == {"given after another reviewer's label was seen": 1}
    # Among the final labels it counts, and is counted.
    assert found["final"].made_of == {
        "both blind": 3,
        "one blind, one assisted": 1,
        "both assisted": 2,
        "given after another reviewer's label was seen": 1,
    }
    assert found["final"].table == ((2, 1, 1, 0), (0, 1, 0, 0), (0, 0, 0, 0), (0, 0, 0, 0))


def test_a_change_after_the_reveal_and_a_settled_difference_move_final_labels_only(two):
    two.event(NewEvent("reveal", "a.2"), who="ben", mode="blind", block="audit")
    two.said("supported", "a.2", who="ben", mode="blind", seen="before", block="audit", kind="revise")
    label = "SELECT event_id FROM decision_current WHERE unit = 'b.1'"
    labels = [row[0] for row in two.study.reader.execute(label)]
    payload = {"axis": "evidence", "label": "supported", "of": labels, "by": "agreement"}
    two.event(NewEvent("adjudicate", "b.1", payload))
    found = compared(two)

    assert found["first_blind"].table[0] == (1, 1, 0, 0)
    assert found["final"].table[0] == (3, 0, 1, 0)
    made_of = found["final"].made_of
    assert (made_of["changed after the judges were shown"], made_of["settled since"]) == (1, 1)


def test_no_reviewer_is_the_reference_of_another(two):
    final = compared(two, "binary")["final"]

    assert final.per_label is None
    assert (final.mcnemar.b, final.mcnemar.c) == (2, 0)


@pytest.fixture
def study(tmp_path: Path, study: Study) -> Study:
    bring_answers(study, tmp_path, [{**record, "question": f"May {record['id']} take it?"} for record in RECORDS])
    return study


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
