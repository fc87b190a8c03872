"""What judges say of a statement by all sources together: which word counts, what it flags, how it is found."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from medreview.errors import UserError
from medreview.judges.rollup import merged_judgements
from medreview.judges.verdict_fingerprint import is_current
from medreview.judges.verdicts import refresh
from medreview.review.queue import open_queue
from medreview.study import Study
from medreview.text import Span
from medreview.units.statement_view import load_statement_view
from tests.support.study_builder import StudyBuilder, build, new_version


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Study]:
    def material(rows: StudyBuilder) -> None:
        rows.page("a", "Metformin is stopped below an eGFR of 30.")
        rows.page("b", "It is halved between 30 and 45.")
        statements = ("Halve metformin at 40 and stop it at 25.", "Never stop metformin.", "Metformin is a drug.")
        rows.response("r1", "text", statements=statements, cites=("a", "b"))
        for statement in ("r1.1", "r1.2", "r1.3"):
            for page in ("a@1", "b@1"):
                label = "supported" if (statement, page) == ("r1.3", "a@1") else "not_addressed"
                rows.judgement("one", statement, page, label, "Metformin is stopped" if label == "supported" else "")

    with Study.create(tmp_path / "t.medreview", "t") as made:
        build(made, material)
        yield made


def together(study: Study, judge: str, statement: str, label: str, *, model: str = "m", error: str = "") -> None:
    """One judge's word by both pages; of another model it is another run."""

    def add(rows: StudyBuilder) -> None:
        quote = {"quote": "halved", "status": "exact", "snapshot": "b@1", "spans": [[6, 12]]}
        rows.add(
            "merged_judgement", merged_judgement_id=f"{judge}-{model}-{statement}",
            judge_run_id=rows.judge_run(judge, model=model), statement_id=statement, snapshots='["a@1", "b@1"]',
            raw_label=label, verdict=label or None, supported=int(label == "supported") if label else None,
            confidence=0.8, quotes=f"[{str(quote).replace(chr(39), chr(34))}]", reason="Both pages.", raw_output="",
            error=error,
        )  # fmt: skip

    build(study, add)


def badges(study: Study, statement: str) -> str:
    refresh(study)
    verdict = load_statement_view(study.reader, statement).verdict
    assert verdict is not None
    return verdict.badges


def test_support_by_all_together_that_no_source_gives_alone_is_flagged_and_found_by_a_filter(study: Study) -> None:
    assert badges(study, "r1.1") == "not addressed"
    together(study, "one", "r1.1", "supported")
    assert not is_current(study.reader)
    assert badges(study, "r1.1") == "all together: supported · not addressed"
    together(study, "one", "r1.2", "not_addressed")
    assert badges(study, "r1.2") == "not addressed"
    for words, units in (("merged=yes", ["r1.1"]), ("merged=no", ["r1.2"]), ("merged=perhaps", [])):
        assert open_queue(study, "responses", "anna", filter=words).units == units
    with pytest.raises(UserError, match="blind queue cannot be filtered by merged"):
        open_queue(study, "responses", "anna", filter="merged=yes", blind=True)
    assert list(open_queue(study, "flagged", "anna").units) == ["r1.1", "r1.2"]


def test_a_contradiction_by_all_together_is_flagged_also_beside_a_source_that_supports(study: Study) -> None:
    together(study, "one", "r1.3", "contradicted")
    assert badges(study, "r1.3").startswith("all together: contradicted")


def test_each_judges_newest_answer_on_the_pages_as_they_are_counts_and_the_jury_is_rolled_up(study: Study) -> None:
    together(study, "one", "r1.1", "contradicted")
    together(study, "one", "r1.1", "supported", model="newer")
    together(study, "one", "r1.1", "", model="newest", error="timeout: no answer")
    together(study, "two", "r1.1", "not_addressed")
    refresh(study)
    view = load_statement_view(study.reader, "r1.1")
    assert [(said.judge, said.model, said.verdict) for said in view.merged] == [
        ("one", "newer", "supported"),
        ("two", "m", "not_addressed"),
    ]
    assert (view.merged[0].pages, view.merged[0].quotes[0].spans) == (2, (Span(6, 12),))
    assert view.verdict is not None
    assert (view.verdict.merged, view.verdict.merged_supported) == (None, None)
    together(study, "three", "r1.1", "supported")
    refresh(study)
    verdict = load_statement_view(study.reader, "r1.1").verdict
    assert verdict is not None
    assert (verdict.merged, verdict.merged_supported) == ("supported", True)

    new_version(study, "b", "It is halved between 25 and 45.")
    assert merged_judgements(study.reader, "r1.1") == ()
    assert "all together" not in badges(study, "r1.1")
