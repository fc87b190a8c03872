"""Small juries of judges and people on key facts."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from medreview.errors import UserError
from medreview.judges.fact_votes import CONTRADICTION, PRESENCE
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.reports.small_jury import NOT_ASKED, TIED, UNLABELLED, fact_jury_labels, small_jury
from medreview.study import Study
from tests.support.fact_study import FactStudy
from tests.support.study_builder import NOW, build

CASES = ("c1", "c2", "c3", "c4", "c5", "c6")
LEVELS = {"Y": "present", "N": "absent", "-": "cannot_judge"}


@pytest.fixture
def facts(tmp_path: Path) -> Iterator[FactStudy]:
    """Six cases with two facts each, a good and a bad judge, three people."""
    with Study.create(tmp_path / "s.medreview") as study:
        made = FactStudy(study)
        for number, case in enumerate(CASES):
            made.case(case, ("First.", "other"), ("Second.", "other"))
            text, truth = made.text("atlas", case), "YN" if number % 2 else "NY"
            made.votes("good", text, truth)
            made.votes("bad", text, truth[::-1])
            made.votes("slack", text, "YY")
            for person in ("ann", "bob", "cyd"):
                made.labels(person, text, *(LEVELS[letter] for letter in truth))
        yield made


def test_judges_are_chosen_by_the_majority_of_the_panel_over_cases(facts):
    labels = fact_jury_labels(facts.study.reader, PRESENCE)
    assert (labels.reviewer, labels.unit, labels.cluster) == ("the majority of 3 people", "key fact", "case")
    assert (labels.judges, len(labels.mine), len(set(labels.clusters))) == (("good", "bad", "slack"), 12, 6)
    found = small_jury(labels, [1], resampling=Resampling(replicates=199))
    (choice,) = found.choices
    assert (choice.judges, choice.held_out.value, found.group) == (("good",), 1.0, "blind")
    assert (found.unit, found.units, found.held_out_clusters) == ("key fact", 12, 3)
    assert "Only 3 cases are held out" in found.cautions[0]
    assert choice.held_out.method == "jackknife over cases"


def test_a_person_who_is_a_candidate_is_no_part_of_the_reference(facts):
    labels = fact_jury_labels(facts.study.reader, PRESENCE, judges=["bad"], members=["ann"])
    assert (labels.judges, labels.reviewer) == (("bad", "ann"), "the majority of 2 people")
    alone = fact_jury_labels(facts.study.reader, PRESENCE, members=["ann", "bob"])
    assert (alone.judges, alone.reviewer) == (("ann", "bob"), "cyd")
    assert (alone.votes[:, 0] == alone.mine).all()
    named = fact_jury_labels(facts.study.reader, PRESENCE, judges=["good", "bad"], reviewers=["bob"])
    assert (named.reviewer, named.costs) == ("bob", (None, None))


def test_what_is_left_out_is_counted(facts):
    facts.case("c7", ("One.", "other"), ("Two.", "other"), ("Three.", "other"))
    text = facts.text("atlas", "c7")
    facts.votes("good", text, "YYY")
    facts.votes("bad", text, "YY ")
    facts.votes("slack", text, "!YY")
    facts.labels("ann", text, "present", "cannot_judge", "present")
    facts.labels("bob", text, "absent", "cannot_judge", "present")
    labels = fact_jury_labels(facts.study.reader, PRESENCE)
    assert labels.dropped == {TIED: 1, UNLABELLED: 1, NOT_ASKED: 1}
    taken = fact_jury_labels(facts.study.reader, PRESENCE, tie="supported")
    assert (taken.dropped, len(taken.mine), list(taken.votes[-1])) == ({UNLABELLED: 1, NOT_ASKED: 1}, 13, [0, 0, -1])


def test_the_cost_of_a_judge_is_that_of_one_fact_in_its_newest_run_of_this_question(facts):
    def paid(rows):
        for number, cost in enumerate((0.5, 0.7)):
            call = {"cache_key": f"k{number}", "judge": "good", "model": "good-model", "host": "", "status": "ok"}
            call |= {"task": PRESENCE, "prompt_sha256": "", "at_utc": NOW, "rung": "plain", "tries": 1, "cost": cost}
            call |= {"prompt_tokens": 1, "completion_tokens": 1, "latency_ms": 5, "error": "", "raw_output": "{}"}
            rows.add("llm_call", **call)

    build(facts.study, paid)
    labels = fact_jury_labels(facts.study.reader, PRESENCE)
    assert labels.costs == (pytest.approx(0.1), None, None)


@pytest.mark.parametrize(
    ("task", "options", "why"),
    [
        (CONTRADICTION, {}, "two candidates or more"),
        (PRESENCE, {"judges": ["basalt"]}, "No judge 'basalt' was asked this of key facts; good, bad, slack did"),
        (PRESENCE, {"members": ["zoe"]}, "No reviewer 'zoe' labelled key facts .blind.; ann, bob, cyd did"),
        (PRESENCE, {"judges": ["good"]}, "two candidates or more"),
        (PRESENCE, {"members": ["ann", "bob", "cyd"]}, "Nobody has blind labels on key facts .* need --assisted"),
        (PRESENCE, {"mode": "assisted"}, "Nobody has assisted labels on key facts to compare the candidates with.$"),
    ],
)
def test_what_cannot_be_searched_is_one_sentence(facts, task, options, why):
    with pytest.raises(UserError, match=why):
        fact_jury_labels(facts.study.reader, task, **options)
