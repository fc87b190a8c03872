"""A reviewer gives the text of a source: it is held against what the source is, stored as a snapshot, and says who."""

import json
from pathlib import Path

import pytest

import medreview
from medreview import pipeline
from medreview.errors import UserError
from medreview.study import Study
from medreview.study.check import check
from medreview.study.events import NewEvent, Recorder
from tests.support.commands import in_process
from tests.support.study_builder import build, rows_of

TITLE = "Stopping metformin before contrast media in chronic kidney disease"
OTHER = "Dosing of biguanides by renal function: a survey"
RESPONSE = f"""Metformin is stopped below an eGFR of 30 [1]. Its dose is reviewed below an eGFR of 45 [2].

References
1. Smith J, Jones A. {TITLE}. Renal Notes. 2019;3:1-9. https://doi.org/10.1000/renal.2019.7
2. Doe K. {OTHER}. Dose Notes. 2021;4:10-12. https://dose.example/survey
"""
B12 = "Vitamin B12 in pregnancy and childhood: a guide"
SAID = "Metformin is stopped when the eGFR falls below 30 mL/min. " * 20
RENAL, DOSE = "https://doi.org/10.1000/renal.2019.7", "https://dose.example/survey"


@pytest.fixture
def study(study: Study, tmp_path: Path) -> Study:
    """Two statements with two sources, neither of which was fetched; all pairs that can be were judged offline."""
    answers = tmp_path / "answers.jsonl"
    answers.write_text(json.dumps({"question": "When is metformin stopped?", "response": RESPONSE}) + "\n")
    pipeline.bring_in(study, answers, {})
    pipeline.parse(study)
    pipeline.judge(study, processes=0)
    return study


def html(title: str = "", head: str = "") -> bytes:
    return f"<!DOCTYPE html><html><head><title>{title}</title>{head}</head><body><p>{SAID}</p></body></html>".encode()


def doi(value: str) -> str:
    return f'<meta name="citation_doi" content="{value}">'


def give(study: Study, source: str, body: bytes, *, force: bool = False, name: str = "a.html") -> pipeline.Attached:
    return pipeline.attach(study, pipeline.look_at(study, source, body, name), "anna", force=force)


def snapshots(study: Study) -> list[dict]:
    return rows_of(
        study,
        """SELECT u.url, p.version, p.page_state, p.state_evidence, n.readable, n.valid,
                  u.current_snapshot = p.snapshot_id AS current
           FROM source AS u JOIN snapshot AS p USING (source_id) JOIN snapshot_content AS n USING (snapshot_id)
           ORDER BY u.url, p.version""",
    )


def test_a_text_becomes_a_snapshot_that_says_who_gave_it_and_is_judged(study: Study) -> None:
    done = give(study, RENAL, html(TITLE))
    assert (done.url, done.stored, done.version, done.shown_by, done.doubt) == (RENAL, True, 1, "its title", "")
    assert done.pairs == 2
    (stored,) = snapshots(study)
    assert (stored["page_state"], stored["readable"], stored["valid"], stored["current"]) == (
        "given_by_reviewer",
        1,
        None,
        1,
    )
    assert stored["state_evidence"].startswith("Given by anna on 20")
    assert stored["state_evidence"].endswith(": a.html; the address was not asked.")
    assert check(study.reader) == []


@pytest.mark.parametrize(
    ("source", "body", "shown_by"),
    [
        ("renal.2019", html("A page", doi("10.1000/RENAL.2019.7")), "the DOI in its tags, 10.1000/renal.2019.7"),
        ("doi:10.1000/renal.2019.7", f"{TITLE}\n\n{SAID}".encode(), "its title at the beginning of the text"),
        (DOSE, html("x", f'<link rel="canonical" href="{DOSE}">'), "its canonical link"),
        (DOSE, SAID.encode(), ""),
        (RENAL, html(), ""),
    ],
)  # fmt: skip
def test_what_shows_that_it_is_the_work_or_that_nothing_tells(study: Study, source, body, shown_by) -> None:
    done = give(study, source, body)
    assert (done.shown_by, done.doubt, done.stored) == (shown_by, "", True)


@pytest.mark.parametrize(
    ("source", "body", "doubt"),
    [
        (RENAL, html("x", doi("10.1000/b12")), "its DOI is 10.1000/b12, and that of the source is 10.1000/renal"),
        (RENAL, html(B12), f"its title is '{B12}', and that of the source is '{TITLE}'"),
        (RENAL, html(OTHER), f"it is the page of {DOSE}, by its title"),
        (DOSE, html("x", doi("10.1000/renal.2019.7")), f"it is the page of {RENAL}, by the DOI in its tags"),
    ],
)  # fmt: skip
def test_another_work_is_kept_only_by_force_and_the_snapshot_says_so(study: Study, source, body, doubt) -> None:
    with pytest.raises(UserError, match=r"a\.html was not attached: this looks like another work") as told:
        give(study, source, body)
    assert doubt in str(told.value)
    assert snapshots(study) == []

    assert give(study, source, body, force=True).doubt.startswith(doubt)
    assert f"Kept although it looked like another work: {doubt}" in snapshots(study)[0]["state_evidence"]
    assert not give(study, source, body).stored, "what was kept once is not asked about again"


def test_a_page_that_was_read_is_replaced_only_by_force_and_its_labels_become_stale(study: Study) -> None:
    give(study, RENAL, html(TITLE))
    (page,) = rows_of(study, "SELECT snapshot_id, text_sha256 FROM snapshot")
    (statement, *_) = (
        row["statement_id"] for row in rows_of(study, "SELECT statement_id FROM statement ORDER BY ordinal")
    )
    said = {"axis": "evidence", "label": "supported", "snapshot_sha256": page["text_sha256"]}
    event = NewEvent("decide", statement, said, page["snapshot_id"])
    study.write(lambda db: Recorder("anna").append(db, event, block="responses", mode="open"))

    again = give(study, RENAL, html(TITLE))
    assert (again.stored, again.version) == (False, 1)
    better = html(TITLE).replace(b"<p>", b"<p>The dose is reviewed below 45 mL/min. ")
    with pytest.raises(UserError, match="it would take the place of snapshot 1 of 20"):
        give(study, RENAL, better)

    done = give(study, RENAL, better, force=True)
    assert (done.version, done.stale) == (2, 1)
    assert [(row["version"], row["current"]) for row in snapshots(study)] == [(1, 0), (2, 1)]


def test_an_abstract_gives_way_to_the_paper_without_a_question(study: Study) -> None:
    (source,) = rows_of(study, "SELECT source_id FROM source WHERE url = ?", RENAL)
    build(study, lambda rows: rows.snapshot(source["source_id"], SAID[:200], page_state="paywall"))
    assert give(study, RENAL, html(TITLE)).version == 2


@pytest.mark.parametrize(
    ("source", "body", "sentence"),
    [
        ("nowhere.example", SAID.encode(), "No source of the study has 'nowhere.example' in its address"),
        ("example", b"", r"a.html holds no text that can be read"),
        ("https://", SAID.encode(), r"2 sources of the study fit 'https://': .*survey.*Name one of them"),
        (DOSE, b"%PDF-1.4 broken", "holds no text that can be read. The PDF is broken"),
        (DOSE, b"\x89PNG\r\n\x1a\n" + b"\0" * 99, "holds no text that can be read. The body is a PNG image"),
        (DOSE, b"x" * 15_000_001, "a.html is larger than 15 MB"),
    ],
)
def test_what_cannot_be_attached_is_said(study: Study, source, body, sentence) -> None:
    with pytest.raises(UserError, match=sentence):
        give(study, source, body)
    assert snapshots(study) == []


def test_the_command_takes_a_file_or_a_pasted_text(tmp_path: Path) -> None:
    (tmp_path / "answers.jsonl").write_text(json.dumps({"question": "When?", "response": RESPONSE}) + "\n")
    (tmp_path / "none").mkdir()
    (tmp_path / "none" / "manifest.jsonl").write_text('{"url": "https://other.example/", "status": 404}\n')
    in_process(["run", "s.medreview", "answers.jsonl", "--pages", "none"], tmp_path, {})
    (tmp_path / "wrong.html").write_bytes(html(OTHER))

    pasted = f"{TITLE}\n\n{SAID}"
    done = in_process(
        ["sources", "attach", "s.medreview", "renal.2019", "-", "--reviewer", "anna"], tmp_path, {}, pasted
    )
    assert done.stdout.startswith(f"{RENAL}: 209 words attached as snapshot 1, matched by its title at the beginning")
    again = in_process(["sources", "attach", "s.medreview", "renal.2019", "-"], tmp_path, {}, pasted)
    assert "the study has this text already, as snapshot 1" in again.stdout

    refused = in_process(["sources", "attach", "s.medreview", "renal.2019", "wrong.html"], tmp_path, {})
    assert refused.returncode == 2
    assert f"this looks like another work: it is the page of {DOSE}, by its title; it would take" in refused.stderr
    kept = in_process(
        ["sources", "attach", "s.medreview", "renal.2019", "wrong.html", "--force", "--json"], tmp_path, {}
    )
    assert (json.loads(kept.stdout)["version"], json.loads(kept.stdout)["stored"]) == (2, True)
    assert in_process(["sources", "attach", "s.medreview", "renal.2019", "no.pdf"], tmp_path, {}).returncode == 2

    with medreview.open_study(tmp_path / "s.medreview") as study:
        assert study.attach(DOSE, text=SAID, reviewer="ben").stored
        with pytest.raises(medreview.UserError, match="Give a file or a text"):
            study.attach(DOSE)
