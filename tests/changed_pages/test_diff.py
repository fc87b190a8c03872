"""What `diff` says of the passages that labels rest on."""

import json
import re

import pytest

from medreview import pipeline
from medreview.errors import UserError
from medreview.review.snapshot_diff import full_diff, snapshot_diffs
from medreview.review.span_editing import SpanEdit
from medreview.study import Study
from tests.changed_pages.changing_site import URL, again, reviewed, rows


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
