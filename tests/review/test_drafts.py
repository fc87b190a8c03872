"""Lines that were begun: in the file soon, out of the record always."""

import sqlite3

import pytest

from medreview.errors import NotSaved
from medreview.exchange.exports.export import export
from medreview.review.overview import overview
from medreview.review.queue import open_queue
from medreview.review.resuming import EVERY_S, Drafts, draft_places, stored_drafts
from medreview.review.session import ReviewSession
from medreview.study import Study
from medreview.study.check import check
from medreview.study.merge import merge


class Clock:
    """Runs what was put off when the test says so."""

    def __init__(self) -> None:
        self.waiting = []

    def later(self, seconds, act):
        assert seconds == EVERY_S
        self.waiting.append(act)

    def strike(self):
        waiting, self.waiting = self.waiting, []
        for act in waiting:
            act()


def texts(study, reviewer="kb"):
    return {draft.unit: draft.text for draft in stored_drafts(study.reader, reviewer)}


def sit(study, drafts=None, **options):
    return ReviewSession(study, "kb", open_queue(study, "responses", "kb", **options), drafts=drafts)


def test_what_is_typed_is_in_the_file_a_moment_later_in_one_write_for_many_keys(study):
    clock = Clock()
    drafts = Drafts(study, "kb", clock.later)
    for end in range(1, 30):
        drafts.typed("s1", "note", "thirty keys, one after another"[:end])
    assert len(clock.waiting) == 1
    assert texts(study) == {}
    clock.strike()
    study.write(lambda _: None)  # behind it in the writer's queue
    assert texts(study) == {"s1": "thirty keys, one after anothe"}
    assert clock.waiting == []
    assert Drafts(study, "kb").of("s1", "note").text == "thirty keys, one after anothe"


def test_saving_the_note_deletes_its_draft_in_the_same_transaction(study):
    session = sit(study)
    session.note_typed("half")
    assert session.drafts.keep() == ""
    session.next()
    session.note_typed("another")
    session.previous()
    assert session.draft.text == "half"

    study.write(lambda c: c.execute("CREATE TRIGGER full BEFORE INSERT ON event BEGIN SELECT RAISE(ABORT, 'x'); END"))
    with pytest.raises(NotSaved):
        session.note("half a note")
    assert texts(study)["s1"] == "half"
    study.write(lambda connection: connection.execute("DROP TRIGGER full"))

    session.note("half a note")
    assert session.draft is None
    assert texts(study) == {}
    session.leave()
    assert texts(study) == {"s2": "another"}
    assert check(study.reader) == []


def test_a_line_that_says_what_is_saved_is_no_draft_and_a_discarded_one_is_gone(study):
    session = sit(study)
    session.note("as saved")
    session.note_typed("as saved, and more")
    session.drafts.keep()
    session.note_typed("as saved")
    assert session.draft is None
    assert texts(study) == {}

    session.note_typed("given up")
    session.drafts.keep()
    session.discard_draft()
    session.leave()
    assert texts(study) == {}


def test_a_draft_that_could_not_be_stored_waits_and_is_told_of(study):
    study.write(lambda c: c.execute("CREATE TRIGGER full BEFORE INSERT ON draft BEGIN SELECT RAISE(ABORT, 'x'); END"))
    drafts = Drafts(study, "kb")
    drafts.typed("s1", "note", "words")
    assert drafts.keep() != ""
    assert drafts.unstored == 1
    assert drafts.of("s1", "note").text == "words"
    study.write(lambda connection: connection.execute("DROP TRIGGER full"))
    assert drafts.keep() == ""
    assert drafts.unstored == 0
    assert texts(study) == {"s1": "words"}


def test_a_draft_is_its_reviewers_alone_and_in_no_export_and_no_merge(study, tmp_path):
    copy = tmp_path / "copy.medreview"
    with sqlite3.connect(copy) as target:
        study.reader.backup(target)
    with Study.open(copy) as theirs:
        session = sit(theirs)
        session.note_typed("a private thought")
        session.decide("supported")
        session.leave()
        export(theirs, tmp_path / "out")
        assert overview(theirs, "kb").drafts[0].draft.text == "a private thought"
        assert overview(theirs, "ab").drafts == ()
        assert ReviewSession(theirs, "ab", open_queue(theirs, "responses", "ab")).draft is None
    assert "private thought" not in "".join(path.read_text("utf-8") for path in (tmp_path / "out").iterdir())
    assert merge(study, copy).added > 0
    assert texts(study) == {}


def test_a_draft_begun_blind_is_found_again_blind(study):
    session = sit(study, blind=True)
    unit = session.item.statement_id
    session.note_typed("begun blind")
    session.leave()
    (place,) = draft_places(study, "kb")
    assert (place.draft.unit, place.queue, place.blind) == (unit, "responses", True)
    assert place.words.startswith(f"a note on R0{1 if unit != 's4' else 2} S")
