"""A page changes: what becomes a new snapshot, and which one is current."""

import json
import sqlite3

import pytest

from medreview import pipeline
from medreview.review.queue import open_queue
from medreview.sources.fetching.network import Fetched
from medreview.sources.ocr_pages import Doubtful, OcrPage, ocr_pages
from medreview.sources.page import Page
from medreview.sources.reading.text_structure import SetApart
from medreview.sources.snapshots import add_snapshot
from medreview.study import Study
from medreview.text import Span
from tests.changed_pages.changing_site import PAGE, URL, again, put_body, reviewed, rows


def test_a_page_that_reads_the_same_is_no_new_snapshot(study, pages):
    assert again(study, pages(footer="Today's weather: rain")).unchanged == 1

    assert rows(study, "SELECT outcome FROM visit") == [("new",), ("same",)]
    assert len(set(rows(study, "SELECT raw_sha256 FROM visit"))) == 2  # other bytes did come, and that is on record
    assert rows(study, "SELECT count(*) FROM snapshot") == [(1,)]


def test_a_change_is_a_new_snapshot_and_the_old_one_stays(study, pages):
    done = again(study, pages(dose="850"))

    assert (done.changed, done.unchanged, done.kept) == (1, 0, 0)
    assert [("500 mg" in text, "850 mg" in text) for (text,) in rows(study, "SELECT text FROM snapshot")] == [
        (True, False),
        (False, True),
    ]
    assert "850 mg" in rows(study, "SELECT text FROM snapshot_current")[0][0]


def test_a_page_that_comes_back_is_current_again(study, pages):
    again(study, pages(dose="850"))
    again(study, pages())

    assert rows(study, "SELECT version FROM snapshot_current") == [(1,)]
    assert rows(study, "SELECT outcome FROM visit") == [("new",), ("new",), ("same",)]


def test_an_error_page_does_not_take_the_place_of_what_was_read(study, pages):
    session = reviewed(study)
    session.decide("supported")
    done = again(study, pages(status=404))

    assert (done.kept, done.changed) == (1, 0)
    assert rows(study, "SELECT page_state FROM snapshot_current") == [("ok",)]
    assert rows(study, "SELECT p.page_state FROM visit JOIN snapshot AS p USING (snapshot_id)") == [
        ("ok",),
        ("http_error",),
    ]
    assert open_queue(study, "stale", "kb").units == []


def test_snapshots_are_never_changed_or_deleted(study):
    for change in ("UPDATE snapshot SET text = 'x'", "DELETE FROM snapshot"):
        with pytest.raises(sqlite3.IntegrityError, match="snapshots are never"):
            study.write(lambda connection, change=change: connection.execute(change))


def test_the_same_pages_have_the_same_ids_in_two_studies(study, pages, tmp_path):
    with Study.create(tmp_path / "b.medreview") as other:
        pipeline.run(other, [tmp_path / "a.jsonl"], {}, pages())
        ids = rows(other, "SELECT snapshot_id FROM snapshot")
    assert ids == rows(study, "SELECT snapshot_id FROM snapshot")


def test_pages_saved_from_a_study_make_the_same_study_elsewhere(study, pages, tmp_path):
    folder = tmp_path / "handed-on"
    assert pipeline.save_pages(study, folder) == 1
    assert pipeline.save_pages(study, folder) == 1  # a second time adds nothing
    assert len((folder / "manifest.jsonl").read_text().splitlines()) == 1

    with Study.create(tmp_path / "b.medreview") as other:
        pipeline.run(other, [tmp_path / "a.jsonl"], {}, pipeline.PageProvider(folder))
        columns = "snapshot_id, fetched_at, page_state, status, content_type, final_url, chain, text, body"
        assert rows(other, f"SELECT {columns} FROM snapshot") == rows(study, f"SELECT {columns} FROM snapshot")


def test_outline_of_a_page_is_kept(study):
    text, outline = rows(study, "SELECT text, outline FROM snapshot")[0]
    assert [(text[start:end], level) for start, end, level in json.loads(outline)] == [
        ("Metformin", 1),
        ("Dose", 2),
        ("Kidneys", 2),
    ]


def test_a_second_reader_sees_the_change(study, pages, tmp_path):
    again(study, pages(dose="850"))
    with sqlite3.connect(tmp_path / "a.medreview") as connection:
        assert connection.execute("SELECT count(*) FROM snapshot_superseded").fetchone() == (1,)


def test_an_empty_page_does_not_take_the_place_of_what_was_read(study, tmp_path):
    reviewed(study).decide("supported")
    done = again(study, put_body(tmp_path, ""))

    assert (done.kept, done.changed) == (1, 0)
    assert "500 mg" in rows(study, "SELECT text FROM snapshot_current")[0][0]
    assert open_queue(study, "stale", "kb").units == []


def test_another_title_is_no_other_page(study, tmp_path):
    body = PAGE.format(dose="500", more="", footer="").replace("<title>", "<title>(2) ")
    assert again(study, put_body(tmp_path, body)).unchanged == 1
    assert rows(study, "SELECT count(*) FROM snapshot") == [(1,)]


def test_why_a_page_is_not_there_is_the_newest_reason(bare, pages):
    bare_url = {"url": URL, "error": "dns"}
    site = pages(status=404)
    (site.saved / "manifest.jsonl").write_text(json.dumps(bare_url))
    pipeline.fetch(bare, site)
    for status in (500, 404):
        (site.saved / "manifest.jsonl").write_text(json.dumps({"url": URL, "status": status}))
        pipeline.fetch(bare, site, scope="failed")

    assert rows(bare, "SELECT status, state_evidence FROM snapshot_current") == [
        (404, "The server answered with status 404: no such page.")
    ]


def test_one_source_is_found_without_reading_them_all(study):
    plan = study.reader.execute("EXPLAIN QUERY PLAN SELECT text_sha256 FROM snapshot_current WHERE source_id = 'x'")
    assert not [row["detail"] for row in plan if row["detail"].startswith("SCAN")]


def test_the_parts_of_a_text_that_are_set_apart_are_stored_with_it(study):
    fetched = Fetched(URL, URL, (URL,), 200, "text/html", b"<p>x", "2026-12-01T00:00:00Z")
    ((source_id,),) = rows(study, "SELECT source_id FROM source")
    read = Page("", "Open.\nClosed.", "Open.\nClosed.", "ok", "", "a reader", set_apart=(SetApart(6, 13, "collapsed"),))
    study.write(lambda connection: add_snapshot(connection, source_id, fetched, read))

    ((stored,),) = rows(
        study, "SELECT p.set_apart FROM source JOIN snapshot AS p ON p.snapshot_id = source.current_snapshot"
    )
    assert [SetApart(*part) for part in json.loads(stored)] == list(read.set_apart)


def test_what_was_read_from_pictures_is_stored_with_its_snapshot_and_once(study):
    fetched = Fetched(URL, URL, (URL,), 200, "application/pdf", b"%PDF-", "2026-12-01T00:00:00Z")
    ((source_id,),) = rows(study, "SELECT source_id FROM source")
    read = Page("", "Own text.\n\nGive 0.5 mg.", "Own text.\n\nGive 0.5 mg.", "ok", "", "a reader, OCR 1", (0, 11))
    by_ocr = (OcrPage(2, Span(11, 23), 0.93, "OCR 1", (Doubtful(16, 19, 0.61),)),)
    for _ in range(2):
        study.write(lambda connection: add_snapshot(connection, source_id, fetched, read, by_ocr))

    ((current,),) = rows(study, "SELECT current_snapshot FROM source")
    assert ocr_pages(study.reader, current) == by_ocr
    assert rows(study, "SELECT count(*) FROM snapshot_ocr") == [(1,)]
    assert ocr_pages(study.reader, "another") == ()
