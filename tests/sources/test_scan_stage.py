"""Pages that are pictures are read by the real engine, most of them once for the tests of this module."""

import json
import pickle
import shutil
from functools import cache
from pathlib import Path

import pytest
from rapidfuzz.fuzz import ratio

from medreview import pipeline
from medreview.children.asking import NotReadError, ReadingLimits, end_idle
from medreview.errors import UserError
from medreview.exchange.exports.package import package
from medreview.sources import page_reader
from medreview.sources.ocr_pages import ocr_pages
from medreview.sources.page_reader import picture_in_child
from medreview.sources.reading.ocr import ocr_engine
from medreview.sources.scan_stage import load_scans, read_scans, scans_json, scans_left
from medreview.study import Study
from medreview.study.check import check_study
from medreview.study.events import NewEvent, Recorder
from medreview.study.merge import merge
from tests.sources.bombs import pdf_bomb
from tests.support.scanned_pages import column, pdf_of, picture
from tests.support.shared import made_once

SAMPLE = Path(__file__).parents[2] / "sample_data" / "pages" / "adrenaline-poster-scan.pdf"
INTRODUCTION = [
    "Gentamicin in adults",
    *["Measure the level before the second dose, and every two days while treatment goes on."] * 4,
]
LEFT = [
    "The first dose is 5 mg/kg of ideal", "body weight, given over 30 minutes.", "In renal failure the interval, and",
    "not the dose, is made longer. A level", "under 1 mg/L allows the next dose;",
]  # fmt: skip
RIGHT = [
    "one of 2 mg/L or more is a reason to", "wait for 12 hours. Hearing loss was", "seen in 7.5% of 240 patients, more",
    "often after 10 days. Stop the drug at", "the first sign of vertigo or tinnitus.",
]  # fmt: skip


@cache
def page_bodies() -> dict[str, bytes]:
    """The PDFs, drawn when the first of them is wanted."""
    mixed = pdf_of(
        column(INTRODUCTION),
        picture(column(["Gentamicin: doses and levels for the whole ward"], size=15), column(LEFT, top=740),
                column(RIGHT, left=320, top=740), tilt=-0.8),
        None,
        column(["The ward pharmacist answers questions about levels at any hour."]),
    )  # fmt: skip
    upside_down = pdf_of(picture(column(["Give 0.5 mg of atropine, then wait 3 minutes.", *LEFT]))[::-1, ::-1].copy())
    return {"mixed": mixed, "upside-down": upside_down, "blank": pdf_of(None), "poster": SAMPLE.read_bytes()}


def study_of(folder: Path, pages: dict[str, bytes]) -> tuple[Study, pipeline.PageProvider]:
    """A study with an answer that cites these pages, which are saved in a folder."""
    saved = folder / "pages"
    saved.mkdir()
    for name, body in pages.items():
        (saved / f"{name}.pdf").write_bytes(body)
    listed = [{"url": f"https://ward.example/{name}.pdf", "file": f"{name}.pdf"} for name in pages]
    (saved / "manifest.jsonl").write_text("\n".join(map(json.dumps, listed)))
    response = "Gentamicin is given once a day. " + " ".join(one["url"] for one in listed)
    (folder / "answers.jsonl").write_text(json.dumps({"id": "r1", "response": response}))
    study = Study.create(folder / "a.medreview")
    pipeline.bring_in(study, folder / "answers.jsonl", {})
    return study, pipeline.PageProvider(saved)


@pytest.fixture(scope="module")
def read(tmp_path_factory):
    """A copy of the study with what the engine read, its pages, and what was told of both fetches."""

    def make(folder: Path) -> None:
        study, pages = study_of(folder, page_bodies())
        with study:
            met = pipeline.fetch(study, pages)
            done = pipeline.fetch(study, pipeline.PageProvider(pages.saved, ocr=True))
        (folder / "told").write_bytes(pickle.dumps((met, done)))

    folder = tmp_path_factory.mktemp("read") / "copy"
    shutil.copytree(made_once(tmp_path_factory, "scans", make), folder)
    with Study.open(folder / "a.medreview") as study:
        yield study, pipeline.PageProvider(folder / "pages"), *pickle.loads((folder / "told").read_bytes())


def current(study, name):
    return study.reader.execute(
        "SELECT p.* FROM snapshot_current AS p JOIN source USING (source_id) WHERE url = ?",
        (f"https://ward.example/{name}.pdf",),
    ).fetchone()


def test_without_ocr_scans_are_counted_and_with_it_the_stored_pages_are_read_without_being_fetched_again(read):
    study, _, met, done = read
    assert (met.states, met.scans, met.by_ocr) == ({"pdf_scan": 3, "ok": 1}, 3, 0)
    assert (done.states, done.scans, done.by_ocr, done.not_by_ocr) == ({}, 0, 3, 0)
    assert check_study(study).faults == []


def test_a_page_that_is_a_picture_is_read_column_by_column_into_its_place_in_the_pdf(read):
    study, *_ = read
    row = current(study, "mixed")
    starts = json.loads(row["page_starts"])
    first, second, third, fourth = (row["text"][a:b] for a, b in zip(starts, [*starts[1:], None], strict=True))
    assert first.startswith("Gentamicin in adults")
    assert fourth.startswith("The ward pharmacist")
    assert third.strip() == ""
    words = " ".join(second.split())
    assert words == "Gentamicin: doses and levels for the whole ward " + " ".join([*LEFT, *RIGHT])

    (page,) = ocr_pages(study.reader, row["snapshot_id"])
    assert (page.page, page.engine) == (2, ocr_engine())
    assert row["text"][page.span.start : page.span.end] == second.rstrip()
    assert 0.9 < page.confidence <= 1
    assert row["extractor"].endswith(ocr_engine())
    assert row["state_evidence"].startswith(f"Read by OCR ({ocr_engine()}): 1 of 4 pages, confidence ")


def test_a_page_that_lies_upside_down_is_turned(read):
    row = current(read[0], "upside-down")
    assert row["page_state"] == "ok"
    assert "Give 0.5 mg of atropine, then wait 3 minutes." in row["text"]


def test_the_sample_s_poster_reads_with_every_dose_in_its_row(read):
    text = current(read[0], "poster")["text"]
    assert "Child 6 months to 6 years | 150 micrograms | 0.15 mL\n" in text
    assert "Child under 6 months | 100 to 150 micrograms | 0.1 to 0.15 mL\n" in text
    assert "MICROGRAMS, NOT MILLIGRAMS. Half an ampoule for an adult." in text


def test_a_scan_on_which_nothing_stands_says_so(read):
    study, *_ = read
    row = current(study, "blank")
    assert row["page_state"] == "pdf_scan"
    assert "found no text in the pictures" in row["state_evidence"]
    assert ocr_pages(study.reader, row["snapshot_id"]) == ()


def test_the_same_file_fetched_again_is_not_read_again_and_stays_as_it_was_read(read):
    study, pages, *_ = read
    before = [tuple(row) for row in study.reader.execute("SELECT source_id, current_snapshot FROM source")]
    for with_ocr in (False, True):
        done = pipeline.fetch(study, pipeline.PageProvider(pages.saved, ocr=with_ocr), scope="all")
        assert (done.unchanged, done.changed, done.kept, done.by_ocr, done.scans) == (3, 0, 0, 0, 0)
    assert [tuple(row) for row in study.reader.execute("SELECT source_id, current_snapshot FROM source")] == before


def test_a_copy_for_a_colleague_says_what_was_read_by_ocr(read, tmp_path):
    study, *_ = read
    package(study, tmp_path / "copy.medreview", "kb")
    name = current(study, "mixed")["snapshot_id"]
    with Study.open(tmp_path / "copy.medreview", read_only=True) as copy:
        assert ocr_pages(copy.reader, name) == ocr_pages(study.reader, name) != ()


def test_what_a_colleague_s_ocr_read_comes_with_the_labels_and_the_scan_is_still_read_here(tmp_path):
    page = pdf_of(picture(column(LEFT[:2]), dpi=75))
    study, pages = study_of(tmp_path, {"ward": page})
    with study:
        pipeline.fetch(study, pages)
        pipeline.parse(study)
        package(study, tmp_path / "theirs.medreview", "anna", without=())
        with Study.open(tmp_path / "theirs.medreview") as theirs:
            read_scans(theirs)
            statement, snapshot = theirs.reader.execute(
                "SELECT statement_id, snapshot_id FROM statement, snapshot_current"
            ).fetchone()
            event = NewEvent("decide", statement, {"axis": "evidence", "label": "supported"}, snapshot=snapshot)
            theirs.write(lambda to: Recorder("anna").append(to, event, block="responses", mode="open"))
        merge(study, tmp_path / "theirs.medreview")

        assert (current(study, "ward")["page_state"], scans_left(study.reader)) == ("pdf_scan", 1)
        assert read_scans(study).read == 1
        assert (current(study, "ward")["snapshot_id"], scans_left(study.reader)) == (snapshot, 0)
        assert check_study(study).faults == []


def test_a_page_beyond_the_limits_is_told_and_tried_again_the_next_time(tmp_path):
    study, pages = study_of(tmp_path, {"poster": page_bodies()["poster"]})
    with study:
        pipeline.fetch(study, pages)
        done = read_scans(study, limits=ReadingLimits(memory=300_000_000))
        assert (done.read, done.failed) == (0, 1)
        assert current(study, "poster")["page_state"] == "pdf_scan"
        assert scans_left(study.reader) == 1


def test_of_a_pdf_with_a_page_that_breaks_the_reading_the_others_are_read_and_why_is_told(tmp_path, monkeypatch):
    def breaking(body, number, limits):
        if number == 0:
            raise NotReadError("Reading the page took more than 90 seconds of processor time.")
        return picture_in_child(body, number, limits)

    monkeypatch.setattr("medreview.sources.scan_stage.picture_in_child", breaking)
    body = pdf_of(*(picture(column(part[:2]), dpi=75) for part in (LEFT, RIGHT)))
    study, pages = study_of(tmp_path, {"two": body})
    with study:
        done = pipeline.fetch(study, pipeline.PageProvider(pages.saved, ocr=True))
        assert (done.by_ocr, done.not_by_ocr) == (1, 1)
        row = current(study, "two")
        assert "wait for 12 hours" in row["text"]
        assert "page 1: Reading the page took more than 90 seconds of processor time." in row["state_evidence"]
        assert [page.page for page in ocr_pages(study.reader, row["snapshot_id"])] == [2]


def test_stopped_between_two_pdfs_the_first_is_kept_and_the_next_time_only_the_second_is_read(tmp_path):
    class StoppedAtTheSecond:
        steps = 0

        def begin(self, title, total):
            assert (title, total) == ("scanned pages", 2 - self.steps)

        def step(self, count=1):
            self.steps += count
            if self.steps == 2:
                raise KeyboardInterrupt

    lines = [picture(column(part), dpi=75) for part in (LEFT[:2], RIGHT[:2])]
    study, pages = study_of(tmp_path, {"first": pdf_of(lines[0]), "second": pdf_of(lines[1])})
    with study:
        pipeline.fetch(study, pages)
        with pytest.raises(KeyboardInterrupt):
            read_scans(study, StoppedAtTheSecond())
        assert [current(study, name)["page_state"] for name in ("first", "second")] == ["thin", "pdf_scan"]
        assert read_scans(study).read == 1
        assert current(study, "second")["text"].startswith("one of 2 mg/L")


@pytest.mark.parametrize(
    ("body", "limits"),
    [(pdf_bomb(200), ReadingLimits(memory=2_000_000_000, cpu_seconds=0)), (b"%PDF-1.4 broken", ReadingLimits())],
    ids=["bomb", "broken"],
)
def test_a_hostile_page_costs_that_page_and_says_why(body, limits):
    with pytest.raises(NotReadError, match=r"\.$"):
        picture_in_child(body, 0, limits)


def test_without_the_extra_nothing_is_fetched_and_the_command_that_installs_it_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(page_reader, "NEEDED", ("no_such_library",))
    study, pages = study_of(tmp_path, {"poster": page_bodies()["poster"]})
    with study, pytest.raises(UserError, match=r"pip install 'medreview\[ocr\]'"):
        pipeline.fetch(study, pipeline.PageProvider(pages.saved, ocr=True))
    with Study.open(tmp_path / "a.medreview", read_only=True) as opened:
        assert opened.reader.execute("SELECT count(*) FROM snapshot").fetchone()[0] == 0


@pytest.fixture(scope="module", autouse=True)
def no_children_afterwards():
    yield
    end_idle()


def test_what_is_recorded_of_the_sample_s_poster_is_what_the_engine_reads_now(read, tmp_path):
    scans = SAMPLE.parents[1] / "scans.json"
    (recorded,) = load_scans(scans).values()
    (page,) = recorded.pictures.read.values()
    now = current(read[0], "poster")
    assert ratio(page.text, now["text"]) > 97
    assert page.confidence == pytest.approx(ocr_pages(read[0].reader, now["snapshot_id"])[0].confidence, abs=0.05)
    assert scans_json([recorded]) == scans.read_text()

    study, pages = study_of(tmp_path, {"poster": page_bodies()["poster"], "blank": page_bodies()["blank"]})
    with study:
        done = pipeline.fetch(study, pipeline.PageProvider(pages.saved, recorded=scans))
        assert (done.by_ocr, done.scans) == (1, 1)
        row = current(study, "poster")
        assert row["text"] == page.text
        assert ocr_pages(study.reader, row["snapshot_id"])[0].engine == f"{recorded.engine}, recorded"
        assert check_study(study).faults == []


def test_a_file_of_recorded_readings_that_is_none_is_named(tmp_path):
    (tmp_path / "scans.json").write_text('[{"engine": "OCR 1"}]')
    with pytest.raises(UserError, match=r"scans\.json cannot be read"):
        load_scans(tmp_path / "scans.json")
