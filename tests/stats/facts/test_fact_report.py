"""Scores, ties, the panel and themes on a study whose figures can be worked out by hand."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from medreview.judges.fact_votes import CONTRADICTION, PRESENCE, answer_of, level_of
from medreview.judges.rollup import set_tie_rule
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.units.fact_report import fact_report
from medreview.study import Study
from medreview.units.held_facts import held_facts
from tests.support.fact_study import FactStudy

FEW = Resampling(replicates=199, seed=3)
FACTS = (
    ("Warfarin was begun at 5 mg.", "management"), ("An X-ray is due in 6 weeks.", "follow_up"),
    ("It was pneumonia.", "diagnosis"),
)  # fmt: skip


@pytest.fixture
def facts(tmp_path: Path) -> Iterator[FactStudy]:
    """Two cases, two systems; three judges on one of them."""
    with Study.create(tmp_path / "s.medreview") as study:
        made = FactStudy(study)
        for case in ("one", "two"):
            made.case(case, *FACTS)
            for system in ("atlas", "boreal"):
                made.text(system, case)
        yield made


def test_scores_are_shares_of_the_facts_that_the_majority_decided_and_the_rest_is_counted(facts):
    for judge, first, second in (("a", "YYN", "YN-"), ("b", "YNN", "YN-"), ("c", "YY!", "N  "), ("d", "YN ", "   ")):
        facts.votes(judge, "atlas-one", first)
        facts.votes(judge, "atlas-two", second)
    facts.votes("a", "atlas-one", "NNY", "contradiction")
    report = fact_report(facts.study.reader, resampling=FEW)
    atlas, boreal = report.scores
    presence, against = atlas.by_jury[PRESENCE], atlas.by_jury[CONTRADICTION]
    # One: yes 4-0, tied 2-2, no 0-2. Two: yes 2-1, no 0-2, all abstained.
    assert (presence.figure.value, presence.figure.n) == (0.5, 4)
    assert (presence.tied, presence.undecided, presence.silent, presence.not_asked) == (1, 1, 1, 0)
    assert presence.figure.dropped == 2
    assert (against.figure.value, against.not_asked) == (pytest.approx(1 / 3), 3)
    assert (atlas.cases, atlas.texts, atlas.facts, atlas.invalid) == (2, 2, 6, 0)
    assert boreal.by_jury[PRESENCE].figure.value is None
    assert boreal.by_jury[PRESENCE].not_asked == 6
    assert report.tied == {PRESENCE: 1, CONTRADICTION: 0}
    assert report.judges == ("a", "b", "c", "d")
    assert presence.figure.method == "jackknife over cases"


@pytest.mark.parametrize(
    ("rule", "value", "undecided"), [("supported", 1.0, 0), ("not_supported", 0.5, 0), ("undecided", 1.0, 1)]
)
def test_a_tie_is_counted_whatever_the_rule_makes_of_it(facts, rule, value, undecided):
    set_tie_rule(facts.study, rule)
    facts.votes("a", "atlas-one", "YY ")
    facts.votes("b", "atlas-one", "YN ")
    report = fact_report(facts.study.reader, resampling=FEW)
    score = report.scores[0].by_jury[PRESENCE]
    assert (score.figure.value, score.undecided, score.tied) == (value, undecided, 1)
    assert report.provenance.tie_rule == report.tie == rule
    assert fact_report(facts.study.reader, tie="not_supported", resampling=FEW).tie == "not_supported"


def test_a_text_that_is_not_there_says_no_fact_and_stays_in_the_share(facts):
    facts.case("three", ("A fact.", "other"))
    facts.text("atlas", "three", "  ", invalid="empty")
    for case in ("one", "two"):
        facts.votes("a", f"atlas-{case}", "YYY")
    score = fact_report(facts.study.reader, resampling=FEW).scores[0]
    assert (score.invalid, score.facts) == (1, 7)
    assert score.by_jury[PRESENCE].figure.value == pytest.approx(6 / 7)
    assert score.by_jury[CONTRADICTION].figure.value == 0


def test_the_panel_has_its_own_majority_and_blind_labels_are_never_pooled_with_assisted_ones(facts):
    facts.votes("a", "atlas-one", "YYY")
    facts.votes("b", "atlas-one", "YNY")
    facts.votes("a", "atlas-one", "NNY", "contradiction")
    facts.labels("ann", "atlas-one", "present", "present", "contradicted")
    facts.labels("bob", "atlas-one", "present", "absent", "both")
    facts.labels("cyd", "atlas-one", "present", "cannot_judge", "absent")
    facts.labels("dee", "atlas-one", "absent", "absent", "absent", mode="open")
    report = fact_report(facts.study.reader, resampling=FEW)
    assert (report.panel, report.panel_mode, report.other_labels) == (("ann", "bob", "cyd"), "blind", 3)
    words = [(report.people(one, PRESENCE), report.people(one, CONTRADICTION)) for one in report.facts.held[:3]]
    assert [(p.yes, p.no, p.abstained, p.answer, p.tied) for p, _ in words] == [
        (3, 0, 0, True, False), (1, 1, 1, None, True), (1, 2, 0, False, False),
    ]  # fmt: skip
    assert [c.answer for _, c in words] == [False, False, True]
    assert report.panel_tied == {PRESENCE: 1, CONTRADICTION: 0}
    assert report.scores[0].by_panel[PRESENCE].figure.value == 0.5
    assert report.provenance.labels == {name: {"blind": 3} for name in report.panel}
    jury, first, second, *_ = report.against_panel
    # Of the facts that both decided: present and present, absent and present.
    assert (jury.rater, jury.agreement.table, jury.agreement.dropped) == ("the jury", ((1, 0), (1, 0)), 10)
    assert (first.rater, second.rater) == ("a", "b")
    assert {one.task for one in report.against_panel} == {PRESENCE, CONTRADICTION}
    assert "All items come from one case" in jury.agreement.figures["percent_agreement"].reason


def test_assisted_labels_make_a_panel_only_where_there_are_no_others(facts):
    facts.labels("dee", "atlas-one", "absent", mode="open")
    held = held_facts(facts.study.reader)
    assert (held.panel_mode, held.people("assisted"), held.judges) == ("assisted", ("dee",), ())
    report = fact_report(facts.study.reader, resampling=FEW)
    assert (report.against_panel, report.scores[0].by_jury, report.panel) == ((), {}, ("dee",))


def test_a_level_and_its_two_answers_are_each_others_inverse():
    for level in ("present", "absent", "contradicted", "both"):
        assert level_of(answer_of(level, PRESENCE), answer_of(level, CONTRADICTION)) == level
    assert answer_of("cannot_judge", PRESENCE) is answer_of("cannot_judge", CONTRADICTION) is None


def test_themes_by_rule_have_two_facts_or_more_and_go_by_category_and_by_what_differs(facts):
    for case in ("one", "two"):
        name = f"atlas-{case}"
        facts.votes("a", name, "N  ", quote="Warfarin was begun at 3 mg.", reason="Another dose.")
        facts.votes("a", name, " N ", reason="No X-ray is named.")
    facts.votes("a", "atlas-one", "  N")
    facts.votes("a", "atlas-two", "  Y", "contradiction", quote="The text")
    report = fact_report(facts.study.reader, resampling=FEW)
    (themes, nothing), (themed, _) = report.themes, report.themed
    assert (themes.by, themes.dropped, themes.alone) == ("", 2, 2)
    assert [theme.facts for theme in themes.themes] == [2, 2]
    titles = [theme.title for theme in themes.themes]
    assert dict(zip(titles, [[one.held.text.response_id for one in failed] for failed in themed], strict=True)) == {
        "Omitted: management; numbers differ": ["atlas-one", "atlas-two"],
        "Omitted: follow-up; nothing near it is said": ["atlas-one", "atlas-two"],
    }
    assert themed[0][0].votes[0].reason == "Another dose."
    assert (nothing.themes, nothing.alone) == ((), 0)


def test_a_study_without_key_facts_has_nothing_to_report_and_facts_need_no_case(tmp_path):
    with Study.create(tmp_path / "e.medreview") as study:
        report = fact_report(study.reader, resampling=FEW)
        assert (report.facts.held, report.scores, report.panel_mode) == ((), (), "blind")
        made = FactStudy(study)
        made.case("one", *FACTS)
        made.text("atlas", "one")
        study.write(lambda connection: connection.execute("DELETE FROM case_note"))
        study.write(lambda connection: connection.execute("DELETE FROM clinical_case"))
        (case,) = held_facts(study.reader).cases
        assert (case.name, case.title, case.reference) == ("Q1", "", "")
        assert [replace(fact, key_fact_id="") for fact in case.facts] == [
            replace(fact, key_fact_id="") for fact in held_facts(study.reader).held[0].case.facts
        ]
