"""Votes on key facts in line mode: the jury's strip, hidden until it may be seen."""

from medreview.study import Study
from tests.support.fact_study import FactStudy


def test_the_strip_of_the_jury_is_told_once_the_block_is_decided_and_not_before(medreview, tmp_path):
    path = tmp_path / "ward.medreview"
    with Study.create(path) as study:
        facts = FactStudy(study)
        facts.case("one", ("Warfarin was begun at 5 mg.", "management"))
        text = facts.text("atlas", "one", "Warfarin was begun at 5 mg a day.")
        for number in range(10):
            facts.votes(f"juror-{number}", text, "Y" if number < 7 else "N", reason="By the dose.")
            facts.votes(f"juror-{number}", text, "N", "contradiction")
    said = medreview("review", path, "--queue", "facts", "--plain", input="1\nr\njudges\nq\n").stdout
    before, shown, after = said.partition("The block, with its judges:")
    assert shown
    assert "YYYYYYY" not in before
    assert "juror" not in before
    assert "present YYYYYYY NNN 7-3 · contradicted NNNNNNNNNN 0-10" in after
    assert "absent. By the dose." in after
    told = medreview("stats", path, "--unit", "key_fact", "--full", "--replicates", 99).stdout
    assert "YYYYYYY NNN 7-3" in " ".join(told.split())
