"""Reports on studies that have next to nothing: each is whole, and says so instead of a figure."""

import re
from pathlib import Path

import pytest

from medreview import pipeline
from medreview.review.decision import decide_in_script
from medreview.study import Study
from medreview.study.events import NewEvent, Recorder
from tests.support.pages import harmless
from tests.support.reference_rows import ReferenceRows
from tests.support.study_builder import StudyBuilder, build

TEXT = "Give 500 mg twice daily. Stop it before contrast. Ask about the kidneys."
STATEMENTS = TEXT.split(" ", 0)[0].replace(". ", ".|").split("|")


def fill(study: Study, responses: int = 2, *, judge: str = "one", label: str = "supported") -> list[str]:
    def rows(add: StudyBuilder) -> list[str]:
        add.page("page", TEXT)
        found = []
        for place in range(responses):
            add.response(f"r{place}", TEXT, cites=["page"], statements=STATEMENTS)
            for number in range(1, len(STATEMENTS) + 1):
                found.append(f"r{place}.{number}")
                if judge:
                    add.judgement(judge, found[-1], "page@1", label, STATEMENTS[number - 1])
        return found

    found = build(study, rows)
    pipeline.roll_up(study)
    return found


def nothing(study: Study) -> None:
    """Not even a response."""


def nobody_decided(study: Study) -> None:
    fill(study)


def one_class(study: Study) -> None:
    for statement in fill(study):
        decide_in_script(study, "kb", statement, "supported")


def one_response(study: Study) -> None:
    for statement, label in zip(fill(study, 1), ("supported", "partial", "contradicted"), strict=True):
        decide_in_script(study, "kb", statement, label)


def all_deferred(study: Study) -> None:
    recorder = Recorder("kb")
    for statement in fill(study):
        study.write(
            lambda connection, unit=statement: recorder.append(
                connection, NewEvent("defer", unit, {}), block="responses", mode="open"
            )
        )


def no_judge(study: Study) -> None:
    for statement in fill(study, judge=""):
        decide_in_script(study, "kb", statement, "partial")


def only_rules(study: Study) -> None:
    for statement in fill(study, judge="offline"):
        decide_in_script(study, "kb", statement, "cannot_judge")


def two_who_never_meet(study: Study) -> None:
    first, *_, last = fill(study)
    decide_in_script(study, "ann", first, "contradicted")
    decide_in_script(study, "bob", last, "supported")


def references_alike(study: Study) -> None:
    fill(study)
    for response in ("r0", "r1"):
        ReferenceRows(study).add(response, "not_found", "not_found")


SAID = {
    nothing: "Nobody has decided anything",
    nobody_decided: "Nobody has decided anything",
    one_class: "One reviewer (kb)",
    one_response: "1 response",
    all_deferred: "6 deferred",
    no_judge: "No judge was asked",
    only_rules: "The only judge is the offline one",
    references_alike: "no reviewer has looked at them",
    two_who_never_meet: "No two reviewers labelled the same statement",
}


@pytest.mark.parametrize("make", SAID, ids=lambda make: make.__name__)
def test_what_cannot_be_said_is_a_sentence(medreview, tmp_path: Path, make):
    path = tmp_path / "s.medreview"
    with Study.create(path) as study:
        make(study)
    page, text = tmp_path / "s.html", tmp_path / "s.md"
    done = medreview("report", path, page, "--markdown", text, "--replicates", "99")
    assert "Traceback" not in done.stderr
    shown = harmless(page.read_text())
    words = " ".join(shown.xpath("string(//main)").split())
    assert SAID[make] in shown.xpath("string(//section[@id='limitations'])")
    for said in (words, text.read_text()):
        assert not re.search(r"\b(nan|None|inf)\b", said)
    kappas = [row.xpath("string(td[1])") for row in shown.xpath("//tr[contains(th, 'kappa')]")]
    assert "1.000" not in kappas
    assert all(cell.text_content().strip() for cell in shown.xpath("//tbody//th"))
