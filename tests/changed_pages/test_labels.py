"""A page changes after it was reviewed: labels and judgements on the old text are stale."""

import csv
import json

from medreview import pipeline
from medreview.exchange.exports.export import export
from medreview.review.overview import overview
from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.review.span_editing import SpanEdit
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.study_figures import study_figures
from medreview.study import Study
from medreview.study.backup import backup_to
from medreview.study.check import check
from medreview.study.merge import merge
from tests.changed_pages.changing_site import URL, again, put_body, reviewed, rows, stale

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
