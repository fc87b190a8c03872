"""Consent: one text, asked once of each reviewer, before anything is saved; a changed text asks again."""

from pathlib import Path

import pytest

from medreview.errors import NotSaved, UserError
from medreview.exchange.exports.package import package
from medreview.review.consent import (
    LONGEST,
    consent_sentence,
    consent_text,
    consents,
    give_consent,
    must_consent,
    set_consent,
)
from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.study import Study
from medreview.study.merge import merge

TEXT = "You take part in a study.\n\nYour labels are kept under your name."


def test_a_study_without_a_text_asks_nobody(study: Study) -> None:
    assert (consent_text(study.reader), must_consent(study.reader, "kb")) == (None, None)
    assert consent_sentence(study.reader, ["kb"]) == ""
    assert set_consent(study, "lead", " \n ") is None
    assert study.reader.execute("SELECT count(*) FROM event WHERE kind = 'consent'").fetchone()[0] == 0


def test_nothing_is_saved_before_consent_and_a_changed_text_asks_again(study: Study) -> None:
    session = ReviewSession(study, "kb", open_queue(study, "responses", "kb"))
    session.decide("supported")
    first = set_consent(study, "lead", TEXT)
    assert first is not None
    assert must_consent(study.reader, "kb") == first
    for act in (lambda: session.decide("partial"), lambda: session.note("x"), session.undo):
        with pytest.raises(NotSaved, match="Nothing is saved before you consent"):
            act()
    give_consent(study, "kb", first)
    session.decide("partial")
    assert must_consent(study.reader, "anna") == first
    assert set_consent(study, "lead", TEXT + "\n") == first  # the same text
    assert must_consent(study.reader, "kb") is None
    assert consent_sentence(study.reader, ["anna", "kb"]) == (
        f"1 of 2 reviewers consented to the text {first.stamp} of {first.set_at[:10]}."
    )
    second = set_consent(study, "lead", TEXT + " For ten years.")
    assert must_consent(study.reader, "kb") == second
    assert consent_sentence(study.reader, ["kb"]).startswith("0 of 1 reviewer consented")
    assert [(one.reviewer, one.sha256) for one in consents(study.reader)] == [("kb", first.sha256)]
    assert second is not None
    give_consent(study, "kb", second)
    assert [(one.reviewer, one.sha256) for one in consents(study.reader)] == [("kb", second.sha256)]
    assert set_consent(study, "lead", TEXT) is not None
    assert must_consent(study.reader, "kb") is None  # to this one kb consented already
    assert consent_sentence(study.reader, ["kb"]).startswith("1 of 1 reviewer consented")
    assert consent_sentence(study.reader, ["anna"]).startswith("0 of 1 reviewer consented")
    assert set_consent(study, "lead", "") is None
    assert must_consent(study.reader, "anna") is None


@pytest.mark.parametrize("text", ["a\0b", "half \ud83d", "x" * (LONGEST + 1)])
def test_a_text_that_cannot_be_kept_is_refused(study: Study, text: str) -> None:
    with pytest.raises(UserError, match="consent text"):
        set_consent(study, "lead", text)


def test_a_colleague_is_asked_by_the_copy_and_the_consent_comes_back(study: Study, tmp_path: Path) -> None:
    set_consent(study, "lead", TEXT)
    package(study, tmp_path / "for-bo.medreview", "bo", without=["labels", "notes"])
    with Study.open(tmp_path / "for-bo.medreview") as copy:
        text = must_consent(copy.reader, "bo")
        assert text is not None
        give_consent(copy, "bo", text)
    merge(study, tmp_path / "for-bo.medreview")
    assert [one.reviewer for one in consents(study.reader)] == ["bo"]
