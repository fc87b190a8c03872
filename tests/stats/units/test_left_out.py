"""Reviewers whose labels do not count: by name, or since they failed hidden checks."""

from pathlib import Path

import pytest

from medreview.errors import UserError
from medreview.judges.fact_votes import PRESENCE
from medreview.review.gold import set_gold
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.units.answer_figures import AnswerFigures
from medreview.stats.units.fact_report import KeyFactFigures
from medreview.stats.units.unit_figures import UnitFigures, unit_figures
from medreview.study import Study
from medreview.study.study_acts import write_act
from medreview.units.kind import Gold
from medreview.units.left_out_reviewers import LeftOutReviewer, left_out, pass_rule, reviewers_left_out
from tests.support.answer_study import RECORDS, answer_units, bring_answers
from tests.support.fact_study import FactStudy
from tests.support.unit_samples import SAMPLES
from tests.support.unit_study import decide, do

FEW = Resampling(replicates=199, seed=3)
ATTENTION = "every attention check"


def figures(study: Study, kind: str, *without: str) -> UnitFigures:
    with left_out(study.reader, without):
        return unit_figures(study.reader, kind, resampling=FEW)


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
    assert {one.reviewer for axis in figures(study, "fact", "cyd").axes for one in axis.labels} == {"ann", "bob"}
    with pytest.raises(UserError, match="No reviewer 'dan' has a label in this study; there are ann, bob, cyd"):
        figures(study, "fact", "dan")
    with pytest.raises(UserError, match=r"No reviewer is left. Left out: ann \(named\), 2 labels."):
        figures(study, "fact", "ann", "bob", "cyd")


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


@pytest.fixture
def checked(study: Study) -> Study:
    """Anna fails the check of attention of three, bo one that takes judgement; cyd has met no check."""
    SAMPLES["question"](study)
    units = [
        row[0]
        for row in study.reader.execute("SELECT unit_id FROM unit WHERE kind = 'question' ORDER BY ordinal LIMIT 4")
    ]
    study.write(lambda c: c.execute("DELETE FROM gold"))
    for place, attention in enumerate((True, False, False)):
        set_gold(study, units[place], Gold("answerability", "answerable", attention=attention), "kb")
    for who, wrong in (("anna", (0,)), ("bo", (1, 2))):
        for place, unit in enumerate(units[:3]):
            label = "not_answerable" if place in wrong else "answerable"
            decide(study, who, unit, "answerability", label, mode="open")
    decide(study, "cyd", units[3], "answerability", "answerable")
    return study


@pytest.mark.parametrize(
    ("rule", "names", "gone"),
    [
        ("attention", (), [("anna", ATTENTION, 0, 1)]),
        ("80%", (), [("anna", "at least 80% of all checks", 2, 3), ("bo", "at least 80% of all checks", 1, 3)]),
        ("0.5", (), [("bo", "at least 50% of all checks", 1, 3)]),
        ("33 %", (), []),
        ("attention", ("cyd",), [("anna", ATTENTION, 0, 1), ("cyd", "", 0, 0)]),
        ("attention", ("anna",), [("anna", ATTENTION, 0, 1)]),  # named, and failing as well
        ("", ("bo",), [("bo", "", 1, 3)]),
    ],
)
def test_who_fails_is_said_with_the_rule_and_the_counts(
    checked: Study, rule: str, names: tuple[str, ...], gone: list[tuple[str, str, int, int]]
) -> None:
    labels = {"anna": 3, "bo": 3, "cyd": 1}
    with left_out(checked.reader, names, pass_rule(rule) if rule else None) as found:
        assert found == tuple(LeftOutReviewer(*one, labels=labels[one[0]]) for one in gone)
        assert reviewers_left_out(checked.reader) == found
        rows = checked.reader.execute("SELECT DISTINCT reviewer FROM decision_current").fetchall()
        assert {row[0] for row in rows} == {"anna", "bo", "cyd"} - {one[0] for one in gone}
    assert reviewers_left_out(checked.reader) == ()
    assert checked.reader.execute("SELECT count(*) FROM decision_current").fetchone()[0] == 7
    assert not checked.reader.in_transaction


def test_the_sentence_says_why_and_how_many() -> None:
    assert LeftOutReviewer("bo", "at least 80% of all checks", 1, 3, 40).sentence == (
        "Left out: bo (1 of 3 checks right; the rule is at least 80% of all checks), 40 labels."
    )
    assert LeftOutReviewer("cyd", "", 0, 0, 1).sentence == "Left out: cyd (named), 1 label."


@pytest.mark.parametrize("word", ["", "0", "0%", "101%", "1.2", "most", "80%%", "-1", "nan"])
def test_a_rule_that_is_none_is_refused(word: str) -> None:
    with pytest.raises(UserError, match="--passed takes attention, or a share of the checks"):
        pass_rule(word)


def test_what_they_took_back_and_said_besides_goes_too_and_words_on_the_study_stay(checked: Study) -> None:
    """No view of the study that is made from events knows them while they are left out."""
    (unit,) = checked.reader.execute("SELECT unit_id FROM unit WHERE kind = 'question' AND ordinal = 4").fetchone()
    kept = decide(checked, "bo", unit, "answerability", "answerable")
    settled = {"axis": "answerability", "label": "answerable", "of": [kept.event_id], "by": "third"}
    for kind, said in (
        ("flag", {"flag": "unclear", "on": True}), ("note", {"text": "x"}), ("tag", {"tag": "x", "on": True}),
        ("defer", {}), ("adjudicate", settled),
    ):  # fmt: skip
        do(checked, "bo", kind, unit, said)
    do(checked, "bo", "retract", unit, undoes_event=kept.event_id)
    write_act(checked, "bo", "background", {"role": "nurse"})
    views = [row[0] for row in checked.reader.execute("SELECT name FROM sqlite_master WHERE type = 'view'")]
    with left_out(checked.reader, ["bo"]):
        assert [row[0] for row in checked.reader.execute("SELECT kind FROM event WHERE reviewer = 'bo'")] == [
            "background"
        ]
        for view in views:
            rows = checked.reader.execute(f"SELECT * FROM {view}").fetchall()
            told = [row for row in rows if "reviewer" in row.keys() and row["reviewer"] == "bo"]  # noqa: SIM118
            assert all("unit" in row.keys() and row["unit"] == checked.meta("study_id") for row in told), view  # noqa: SIM118
