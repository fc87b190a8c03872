"""People's labels on statements from a file: whose, on which statement, blind or not, and what does not fit."""

import json
from pathlib import Path

import pytest

from medreview.exchange.exports.label_rows import LABELS, label_rows
from medreview.import_files import preview
from medreview.review.queue_filters import select_statements
from medreview.stats.reports.reviewer_labels import reviewer_labels
from medreview.stats.study_figures import study_figures
from medreview.study import Study
from medreview.study.check import check
from medreview.study.events import NewEvent, Recorder
from tests.support.bringing import bring
from tests.support.commands import in_process
from tests.support.study_builder import StudyBuilder, build, new_version, rows_of

SAID = (
    "Metformin is stopped below an eGFR of 30.",
    "It may cause a lack of vitamin B12.",
    "Vitamin B12 is measured when the feet are numb.",
)


@pytest.fixture
def study(study: Study) -> Study:
    return fill(study)


def fill(study: Study) -> Study:
    """Two models answered the same question, one of them another one as well."""

    def rows(rows: StudyBuilder) -> None:
        rows.page("a", "Stop metformin when the eGFR falls below 30.")
        rows.page("b", "Metformin can lower vitamin B12.")
        for response, model in (("r1", "atlas-2"), ("r2", "ember")):
            said = SAID[:2] if response == "r1" else (SAID[0], "It is given with food.")
            rows.response(response, " ".join(said), statements=said, cites=["a", "b"], model=model, record_id="q7")
        rows.marker("r1.2", "b", 2)
        rows.response("r3", SAID[2], statements=SAID[2:], cites=["b"], record_id="q8")

    build(study, rows)
    return study


def label(response: str, statement: object, said: str = "supported", reviewer: str = "anna", **more: str):
    return {"response": response, "statement": statement, "label": said, "reviewer": reviewer, **more}


def decided(study: Study) -> list[tuple]:
    query = "SELECT reviewer, unit, label, mode, snapshot FROM event WHERE kind = 'decide' ORDER BY unit, reviewer"
    return [tuple(row.values()) for row in rows_of(study, query)]


def test_labels_become_decisions_of_their_reviewers_on_the_page_that_opens(study: Study) -> None:
    done = bring(
        study,
        label("r1", SAID[0], "Supported", exposure="blind"),
        label("r1", 2, "partially supported", exposure="open", note="Only after years.", at="2026-03-02"),
        label("q8", "s1", "not addressed", "ben", reason="other topic"),
    )
    assert (done.kind, done.read, done.labels, done.known, done.bad) == ("statement", 3, 3, 0, [])
    assert decided(study) == [
        ("anna", "r1.1", "supported", "blind", "a@1"),
        ("anna", "r1.2", "partial", "open", "b@1"),
        ("ben", "r3.1", "not_addressed", "open", "b@1"),
    ]
    assert {unit: one.mode for unit, one in reviewer_labels(study.reader, "anna").items()} == {
        "r1.1": "blind", "r1.2": "assisted",
    }  # fmt: skip
    assert check(study.reader) == []
    columns = [column.name for column in LABELS.columns]
    exported = [dict(zip(columns, row, strict=True)) for row in label_rows(study.reader)]
    assert [(row["unit_id"], row["reviewer_id"], row["verdict_final"]) for row in exported] == [
        ("r1.1", "anna", "supported"), ("r1.2", "anna", "partial"), ("r3.1", "ben", "not_addressed"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("response", "statement", "unit"),
    [
        ("r1", "r1.2", "r1.2"),
        ("", "r1.2", "r1.2"),
        ("r1", "2", "r1.2"),
        ("R03", "S1", "r3.1"),
        ("", "R01 S2", "r1.2"),
        ("", SAID[2], "r3.1"),
        ("q8", "  vitamin B12 is measured\n when the FEET are numb [1, 2] ", "r3.1"),
        ("q7", SAID[1], "r1.2"),
        ("", SAID[2].rstrip("."), "r3.1"),
    ],
)
def test_a_statement_is_named_by_its_id_its_number_or_its_text(study: Study, response, statement, unit) -> None:
    assert bring(study, label(response, statement)).bad == []
    assert [row[1] for row in decided(study)] == [unit]


def test_the_model_tells_which_of_the_answers_with_one_id(study: Study) -> None:
    assert bring(study, label("q7", 1, model="ember")).bad == []
    assert [row[1] for row in decided(study)] == ["r2.1"]


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (label("q9", 1), "names the response 'q9', which the study does not have; nearest: 'q7', 'q8'"),
        (label("q7", 1), "has a statement that 2 of the study are: R01 S1, R02 S1; say of which, by its id"),
        (label("", SAID[0]), "has a statement that 2 of the study are: R01 S1, R02 S1; say of which, by its id"),
        (label("q7", 1, model="nova"), "names the response 'q7' of the model 'nova'; the study has it of atlas-2"),
        (label("", 3), "has '3' as its statement, a number, and no response that it counts in"),
        (label("r1", 9), "has a statement that the response 'r1' does not have (2 statements): '9'"),
        (
            label("r1", "Metformin is stopped below an eGFR of 45."),
            "has a statement that the response 'r1' does not have (2 statements): 'Metformin is stopped below an eGFR "
            f"of 45.'; nearest: R01 S1 '{SAID[0]}'",
        ),
        (
            label("", "Vitamin B12 is measured when the hands are numb."),
            f"does not have: 'Vitamin B12 is measured when the hands are numb.'; nearest: R03 S1 '{SAID[2]}'",
        ),
        (label("r1", 1, "suported"), "has the label 'suported'; there are supported, partial, contradicted"),
        (label("r1", 1, "suported"), "; nearest: supported"),
        (label("r1", 1, "no"), "has the label 'no', which does not say in which way the statement is not supported"),
        (label("r1", 1, "banana"), "cannot_judge"),
        (label("r1", 1, exposure="half"), "has 'half' as its exposure; it is blind, or assisted (also open, unknown)"),
        (label("r1", 1, reviewer=" "), "has no reviewer"),
        (label("r1", 1, ""), "has no label"),
        ({**label("r1", 1), "statement": ["x"]}, "has a list as its statement, not text"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_named_with_its_line_and_the_rest_comes_in(study: Study, record, reason) -> None:
    done = bring(study, label("r3", 1), record)
    assert [(bad.line, reason in bad.reason) for bad in done.bad] == [(2, True)], done.bad
    assert len(decided(study)) == 1


def test_labels_that_only_say_not_supported_are_warned_about(study: Study) -> None:
    done = bring(study, label("r1", 1), label("r1", 2, "unsupported"), label("r3", 1, "no"))
    (warning,) = done.warnings
    assert warning.startswith("2 labels that only say not supported left out, while those that say supported came in")


def test_the_same_file_again_adds_nothing_and_what_was_decided_here_stays(study: Study) -> None:
    event = NewEvent("decide", "r3.1", {"axis": "evidence", "label": "contradicted"})
    study.write(lambda db: Recorder("anna").append(db, event, block="responses", mode="open"))
    records = [label("r1", 1), label("r1", 2, "partial"), label("r3", 1, "supported")]

    first, again = bring(study, *records), bring(study, *records)
    assert (first.labels, first.known) == (2, 1)
    assert (again.labels, again.known, again.brings) == (0, 3, False)
    assert [row[2] for row in decided(study)] == ["supported", "partial", "contradicted"]

    assert bring(study, label("r1", 1, "partial")).labels == 1, "another label takes the place of the one before"
    assert reviewer_labels(study.reader, "anna")["r1.1"].current == "partial"


def test_a_label_is_stale_when_the_page_changes(study: Study) -> None:
    bring(study, label("r1", 1))
    assert not reviewer_labels(study.reader, "anna")["r1.1"].stale
    new_version(study, "a", "Warfarin is monitored by the INR.")
    assert reviewer_labels(study.reader, "anna")["r1.1"].stale


def test_agreement_is_counted_of_them(study: Study) -> None:
    of_ben = {"r1": "supported", "r2": "partial", "r3": "supported"}
    bring(
        study,
        *(label(response, 1, exposure="blind") for response in of_ben),
        *(label(response, 1, said, "ben") for response, said in of_ben.items()),
    )
    final = next(
        one
        for one in study_figures(study.reader).between_reviewers
        if (one.scale, one.labels_of) == ("binary", "final")
    )
    assert (final.first, final.second, final.n, final.agreement[0].value) == ("anna", "ben", 3, pytest.approx(2 / 3))
    assert select_statements(study.reader, "mine=partial", "ben").statements == {"r2.1"}


def test_a_table_of_labels_on_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "s.medreview"
    with Study.create(path) as made:
        fill(made)
    table = tmp_path / "labels.csv"
    table.write_text("Response ID;Statement;Verdict;Expert\nq8;1;supported;anna\nr1;7;supported;anna\n")
    assert preview(table, {}).kind == "statement"

    done = in_process(["import", str(path), str(table)], tmp_path, {})
    assert "1 label on statements added, 1 left out" in done.stdout
    assert "line 3: has a statement that the response 'r1' does not have (2 statements): '7'" in done.stderr
    told = json.loads(in_process(["import", str(path), str(table), "--json"], tmp_path, {}).stdout)["files"][0]
    assert (told["kind"], told["labels"], told["known"], len(told["bad"])) == ("statement", 0, 1, 1)


def test_a_constant_names_the_reviewer_of_a_table_without_one(study: Study) -> None:
    done = bring(study, {"response": "q8", "claim": SAID[2], "label": "partial"}, mapping={"reviewer:": "ben"})
    assert (done.kind, done.labels) == ("statement", 1)
