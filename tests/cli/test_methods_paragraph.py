"""The methods paragraph says what was done with the units that a study has, and nothing of others."""

import re
from pathlib import Path

import pytest

from medreview.study import Study
from tests.stats.small_study import SmallStudy
from tests.support.commands import Program
from tests.support.fact_study import FactStudy
from tests.support.pages import harmless
from tests.support.unit_samples import SAMPLES

OF_STATEMENTS = ("statement", "cited source", "Holm", "drawn at random", "side by side")


def _methods(medreview: Program, study: Path) -> str:
    medreview("report", study, study.with_suffix(".html"), "--replicates", 99)
    (section,) = harmless(study.with_suffix(".html").read_text()).xpath("//section[@id='methods']")
    told = " ".join(section.text_content().split())
    return told.partition(" To cite ")[0]  # behind it stand hashes, which may spell any of these words


def _foreign(told: str, *words: str) -> list[str]:
    return [word for word in words if word.casefold() in told.casefold()]


def test_of_statements_who_judged_who_labelled_and_over_what_intervals_are(medreview: Program, tmp_path: Path) -> None:
    with Study.create(tmp_path / "a.medreview") as made:
        small = SmallStudy(made)
        for place in range(1, 9):
            name = f"r{place}"
            small.response(name, 2)
            small.judge(f"{name}.1 {name}.2", amber="SP" if place % 3 else "PS", coral="SS")
            small.say(f"{name}.1", mode="blind", anna="S" if place % 2 else "C")
            small.say(f"{name}.2", anna="C")
        small.roll_up()
    told = _methods(medreview, tmp_path / "a.medreview")
    assert "The study holds 16 statements from 8 responses." in told
    assert "amber (judged elsewhere) on 16, coral (judged elsewhere) on 16" in told
    assert re.search(r"anna labelled 16 statements[^:]*: 8 blind, other queues; 8 assisted, other queues\.", told)
    assert "blind and assisted labels, and statements drawn at random and chosen ones, are never pooled" in told
    assert "a jackknife over responses" in told
    assert "Even votes of judges: undecided." in told
    assert "Paired proportions: McNemar 1947" in told
    assert _foreign(told, "key fact", "QA item", "ranking", "permanent random", "Hajek", "ICC") == []


def test_of_key_facts_the_panel_and_its_judges_and_no_word_on_sources(medreview: Program, tmp_path: Path) -> None:
    medreview("papers", "replay", "medfacteval", "facts.medreview", "--sample")
    told = _methods(medreview, tmp_path / "facts.medreview")
    assert "1 reviewer labelled all 29 suggested key facts from 3 cases." in told
    assert "3 reviewers labelled all 12 key facts from 3 cases." in told
    assert "Labels: ann-1 12 assisted; ann-2 12 assisted; ann-3 12 assisted." in told
    assert "All labels came with a file" in told
    assert "The same was asked of demo-juror-one, demo-juror-three, demo-juror-two." in told
    assert "majority of the panel of 3" in told
    assert "a margin of 0.10 and an interval of 90%" in told
    assert "a jackknife over cases" in told
    assert _foreign(told, *OF_STATEMENTS, "over responses", "McNemar", "Hajek", "AC2") == []


def test_of_qa_items_two_annotators_without_a_judge(medreview: Program, tmp_path: Path) -> None:
    medreview("papers", "replay", "cliniqlink", "qa.medreview", "--sample")
    told = _methods(medreview, tmp_path / "qa.medreview")
    assert "2 reviewers labelled all 10 QA items" in told
    assert "Labels: ann-1 10 assisted; ann-2 10 assisted." in told
    assert "they differ on 2, none of these settled" in told
    assert "Relevance: agreement of each two reviewers: percent agreement, Cohen's kappa (quadratic weights)" in told
    assert "99 replicates, seed 1" in told
    assert "Shrout and Fleiss 1979" in told
    of_items, of_rankings = told.split("2 reviewers labelled all 3 rankings. ")
    assert _foreign(of_items, *OF_STATEMENTS, "judge", "jackknife", "machines", "The same was asked", "blind") == []
    assert "The same was asked of juror-one." in of_rankings


@pytest.mark.parametrize(
    ("kind", "says"), [("answer", "No person labelled the 5 answers"), ("ranking", None), ("suggestion", None)]
)
def test_a_study_of_one_other_kind_that_nobody_labelled_claims_no_label(
    medreview: Program, tmp_path: Path, kind: str, says: str | None
) -> None:
    path = tmp_path / f"{kind}.medreview"
    with Study.create(path) as made:
        SAMPLES[kind](made)
    told = _methods(medreview, path)
    assert _foreign(told, *OF_STATEMENTS, "reviewer labelled", "pooled") == []
    if says:
        assert says in told


def test_judges_of_key_facts_are_not_said_to_have_read_sources_that_others_judged(
    medreview: Program, tmp_path: Path
) -> None:
    with Study.create(tmp_path / "both.medreview") as made:
        facts = FactStudy(made)
        facts.case("one", ("An X-ray is due.", "follow_up"))
        text = facts.text("atlas", "one")
        facts.votes("juror", text, "Y")
        facts.labels("ann", text, "present")
        small = SmallStudy(made)
        small.response("r1", 1)
        small.judged("amber", "supported", "r1.1")
        small.roll_up()
    told = _methods(medreview, tmp_path / "both.medreview")
    assert "supports a statement was judged by amber (judged elsewhere) on 1." in told
    assert "The same was asked of juror (juror-model)." in told
    assert "Labels: ann 1 blind." in told
