"""Pages that change: what is kept of each, what becomes of the labels, and what differs."""

import csv
import json
import re
import sqlite3
from dataclasses import replace

import pytest

from medreview import pipeline
from medreview.errors import UserError
from medreview.exchange.exports.export import export
from medreview.review.overview import overview
from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.review.snapshot_diff import full_diff, snapshot_diffs
from medreview.review.span_editing import SpanEdit
from medreview.sources.fetching.network import Fetched
from medreview.sources.ocr_pages import Doubtful, OcrPage, ocr_pages
from medreview.sources.page import Page
from medreview.sources.reading.text_structure import ENGINE, SetApart
from medreview.sources.snapshots import add_snapshot
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.study_figures import study_figures
from medreview.study import Study
from medreview.study.backup import backup_to
from medreview.study.check import check
from medreview.study.merge import merge
from medreview.text import Span
from tests.changed_pages.changing_site import PAGE, URL, again, put_body, reviewed, rows, stale


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
    read = Page(
        "", "Own text.\n\nGive 0.5 mg.", "Own text.\n\nGive 0.5 mg.", "ok", "", f"a reader, {ENGINE} 1", (0, 11)
    )
    by_ocr = (OcrPage(2, Span(11, 23), 0.93, "OCR 1", (Doubtful(16, 19, 0.61),)),)
    for _ in range(2):
        study.write(lambda connection: add_snapshot(connection, source_id, fetched, read, by_ocr))

    ((current,),) = rows(study, "SELECT current_snapshot FROM source")
    assert ocr_pages(study.reader, current) == by_ocr
    assert rows(study, "SELECT count(*) FROM snapshot_ocr") == [(1,)]
    assert ocr_pages(study.reader, "another") == ()
    # The same bytes whose pictures are not read again are the same page; of others their text is.
    bare = replace(read, text="Own text.", full_text="Own text.", extractor="a reader")
    for body, versions in ((b"%PDF-", 1), (b"%PDF-2", 2)):
        seen = replace(fetched, body=body)
        study.write(lambda connection, seen=seen: add_snapshot(connection, source_id, seen, bare))
        assert rows(study, "SELECT count(*) FROM snapshot WHERE content_type = 'application/pdf'") == [(versions,)]


FEW = Resampling(replicates=99)


def test_a_label_on_the_old_text_is_stale_everywhere_until_decided_again(study, pages, tmp_path):
    session = reviewed(study)
    session.decide("supported")
    again(study, pages(dose="850"))

    session = reviewed(study)
    assert session.own.stale
    assert session.own.label == "supported"  # kept as it was given, only called what it is
    stale = next(line for line in overview(study, "kb").queues if line.kind.name == "stale")
    assert (stale.size, stale.open, stale.waiting) == (1, 0, 1)  # decided, and yet worth doing
    assert reviewed(study, "stale").item.text.startswith("Adults start")
    agreement = study_figures(study.reader, resampling=FEW).reviewers[0].agreement[0].comparisons[0]
    assert agreement.n == 0
    assert agreement.dropped == {"stale: the page has changed since the label": 1}
    export(study, tmp_path / "labels")
    with (tmp_path / "labels" / "labels.csv").open(encoding="utf-8-sig", newline="") as file:
        assert [row["stale"] for row in csv.DictReader(file)] == ["1"]

    session = reviewed(study, "stale")
    session.decide("contradicted")
    assert not session.own.stale
    assert open_queue(study, "stale", "kb").units == []
    assert rows(study, "SELECT label FROM event WHERE kind IN ('decide', 'revise')") == [
        ("supported",),
        ("contradicted",),
    ]


def test_judges_who_spoke_before_the_change_have_no_vote(study, pages, tmp_path):
    statement = study.reader.execute("SELECT text FROM statement ORDER BY ordinal").fetchone()[0]
    record = {"judge": "gpt", "statement": statement, "source": URL, "label": "supported"}
    record["response"] = study.reader.execute("SELECT response_id FROM response").fetchone()[0]
    (tmp_path / "j.jsonl").write_text(json.dumps(record | {"quote": "Adults start with 500 mg of metformin"}))
    pipeline.bring_in(study, tmp_path / "j.jsonl", {})
    assert reviewed(study).item.verdict.verdict == "supported"

    again(study, pages(dose="850"))

    session = reviewed(study)
    assert session.item.text == statement
    assert "page changed" in session.item.verdict.badges
    assert session.item.verdict.verdict != "supported"
    assert all(judgement.offline for judgement in session.item.judgements)


def test_a_blind_label_that_is_stale_is_left_out_of_the_figures(study, pages):
    session = ReviewSession(study, "kb", open_queue(study, "responses", "kb", blind=True))
    session.decide("supported")
    again(study, pages(dose="850", more="<p>Kidney function is measured often, says this longer text.</p>"))

    group = study_figures(study.reader, resampling=FEW).reviewers[0].agreement[0]
    assert group.mode == "blind"
    assert group.comparisons[0].dropped == {"stale: the page has changed since the label": 1}


def test_one_proof_of_being_human_after_another_makes_no_label_stale(bare, pages, tmp_path):
    pages()
    challenge = "<html><title>Just a moment...</title><body><h1>Just a moment...</h1><p>Ray ID: {}</p></body></html>"
    pipeline.fetch(bare, put_body(tmp_path, challenge.format("1a"), 403))
    reviewed(bare).decide("cannot_judge")
    again(bare, put_body(tmp_path, challenge.format("2b"), 403))
    assert rows(bare, "SELECT page_state FROM snapshot_current") == [("bot_check",)]
    assert not stale(bare, tmp_path)

    again(bare, pages())
    assert stale(bare, tmp_path)


def test_a_label_given_before_there_was_a_page_is_stale_once_there_is_one(bare, pages, tmp_path):
    reviewed(bare).decide("cannot_judge")
    assert not stale(bare, tmp_path)
    again(bare, pages(status=404))
    assert not stale(bare, tmp_path)

    again(bare, pages())
    assert stale(bare, tmp_path)
    reviewed(bare, "stale").decide("supported")
    assert not stale(bare, tmp_path)
    session = reviewed(bare)
    session.undo()
    assert stale(bare, tmp_path)
    session.redo()
    assert not stale(bare, tmp_path)


def test_the_doubt_of_a_page_that_is_gone_does_not_count(study, pages):
    again(study, pages(dose="500"))
    body = "<main>" + "<p>Gardens need water, sunlight and somebody who weeds the beds each week.</p>" * 9 + "</main>"
    (study.path.parent / "pages" / "page.html").write_text(f"<html><body>{body}</body></html>")
    pipeline.fetch(study, pipeline.PageProvider(study.path.parent / "pages"), scope="all")
    pipeline.judge(study)

    doubts = "SELECT max(unsupported) FROM evidence JOIN snapshot_current USING (snapshot_id)"
    worst = rows(study, doubts)[0][0]
    assert worst > 0.5
    assert round(9 * worst) in {row[0] % 10 for row in rows(study, "SELECT priority FROM verdict")}


def test_a_colleague_who_had_a_newer_page(study, pages, tmp_path):
    session = reviewed(study)
    session.decide("supported")
    backup_to(study.path, tmp_path / "anna.medreview")
    with Study.open(tmp_path / "anna.medreview") as hers:
        again(hers, pages(dose="850"))
        session = ReviewSession(hers, "anna", open_queue(hers, "responses", "anna"))
        session.decide("contradicted")
        text = session.source_text()
        session.add_span("source", SpanEdit(text, text.index("850"), text.index("850") + 6))

    assert merge(study, tmp_path / "anna.medreview").added > 0
    assert merge(study, tmp_path / "anna.medreview").added == 0
    assert check(study.reader) == []
    assert rows(study, "SELECT version FROM snapshot_current") == [(1,)]  # what is judged and shown here stays
    assert [stale(study, tmp_path, name) for name in ("kb", "anna")] == [False, True]

    again(study, pages(dose="850"))
    assert rows(study, "SELECT version FROM snapshot_current") == [(2,)]
    assert [stale(study, tmp_path, name) for name in ("kb", "anna")] == [True, False]


def test_labels_without_their_page_are_whole_and_compared_by_its_text(study, pages, tmp_path):
    session = reviewed(study)
    session.decide("supported")
    text = session.source_text()
    session.add_span("source", SpanEdit(text, text.index("500"), text.index("500") + 6))
    export(study, tmp_path / "labels")
    for name, dose, changed in (("same", "500", False), ("other", "850", True)):
        with Study.create(tmp_path / f"{name}.medreview") as fresh:
            pipeline.bring_in(fresh, tmp_path / "labels", {})
            assert check(fresh.reader) == []
            assert open_queue(fresh, "stale", "kb").units == []  # there is no page yet that it could differ from
            pipeline.fetch(fresh, pages(dose=dose, footer="other bytes"))
            assert bool(open_queue(fresh, "stale", "kb").units) == changed
            assert check(fresh.reader) == []


def test_diff_says_what_became_of_the_passages_labels_rest_on(study, pages):
    session = reviewed(study)
    session.decide("supported")
    text = session.source_text()
    start = text.index("500 mg")
    session.add_span("source", SpanEdit(text, start, start + 6))  # so short that the line around it is compared
    session.go(1)
    session.decide("supported")

    again(study, pages(dose="850", more="<p>A new paragraph on vitamin B12 and the nerves.</p>"))

    (change,) = snapshot_diffs(study.reader)
    assert (change.before.number, change.after.number) == (1, 2)
    assert change.lines_gone == 1
    assert change.lines_new == 2
    first, second = change.labels
    assert first.passages[0].basis == "marked"
    assert first.passages[0].fate == "altered"
    assert [(piece.kind, piece.text) for piece in first.passages[0].pieces if piece.kind != "same"] == [
        ("gone", "500"),
        ("new", "850"),
    ]
    assert second.passages[0].fate == "stands"
    assert "+Adults start with 850 mg" in "\n".join(full_diff(study.reader, change))


def test_diff_follows_each_of_the_passages_that_a_judge_quotes(study, pages, tmp_path):
    session = reviewed(study)
    text = session.source_text()
    quotes = [line for line in text.splitlines() if len(line) > 30][:3]
    record = {"judge": "gpt", "statement": session.item.text, "source": URL, "label": "supported", "quotes": quotes}
    record["response"] = study.reader.execute("SELECT response_id FROM response").fetchone()[0]
    (tmp_path / "j.jsonl").write_text(json.dumps(record))
    pipeline.bring_in(study, tmp_path / "j.jsonl", {})
    reviewed(study).decide("supported")

    again(study, pages(dose="850"))

    (change,) = snapshot_diffs(study.reader)
    (label,) = change.labels
    assert {passage.basis for passage in label.passages} == {"quote"}
    assert len(label.passages) == len(quotes) > 1
    assert sorted({passage.fate for passage in label.passages}) == ["altered", "stands"]


def test_diff_of_two_snapshots_by_number(study, pages):
    again(study, pages(dose="850"))
    again(study, pages(dose="1000"))

    (change,) = snapshot_diffs(study.reader, "kidney.example", 1, 2)
    assert (change.before.number, change.after.number) == (1, 2)
    with pytest.raises(UserError, match="no snapshot 7; there are 1, 2, 3"):
        list(snapshot_diffs(study.reader, URL, 7))
    with pytest.raises(UserError, match="No source of the study"):
        list(snapshot_diffs(study.reader, "elsewhere.example"))


def test_nothing_changed_nothing_to_say(study):
    assert list(snapshot_diffs(study.reader)) == []


def test_a_page_that_came_back_is_compared_with_what_came_between(study, pages):
    again(study, pages(dose="850"))
    again(study, pages())

    (change,) = snapshot_diffs(study.reader, URL, None, 1)
    assert (change.before.number, change.after.number) == (2, 1)


def test_one_snapshot_cannot_be_compared(study):
    with pytest.raises(UserError, match="one snapshot only"):
        list(snapshot_diffs(study.reader, URL, None, 1))


def test_a_source_is_named_whole_in_any_spelling(tmp_path):
    named = ["https://doi.org/10.1000/x", "https://doi.org/10.1000/x1", "PMID: 123", "PMID: 1234"]
    lines = [json.dumps({"response": f"Adults start with {n} mg. {name}"}) for n, name in enumerate(named)]
    (tmp_path / "b.jsonl").write_text("\n".join(lines))
    with Study.create(tmp_path / "b.medreview") as opened:
        pipeline.bring_in(opened, tmp_path / "b.jsonl", {})
        urls = dict(rows(opened, "SELECT value, url FROM source"))
        for wanted, value in (("10.1000/x", "10.1000/x"), ("doi:10.1000/X", "10.1000/x"), ("PMID 123", "123")):
            with pytest.raises(UserError, match=f"{re.escape(urls[value])} has no snapshot"):
                list(snapshot_diffs(opened.reader, wanted, 1, 2))
        with pytest.raises(UserError, match="stands for 2"):
            list(snapshot_diffs(opened.reader, "DOI.org", 1, 2))
