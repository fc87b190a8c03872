"""Blind or assisted: by what had been seen, whatever the queue; everybody who asks gets the same answer."""

import csv
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from medreview.errors import UserError
from medreview.exchange.exports.export import export
from medreview.exchange.imports.import_export import import_export
from medreview.labels import Mode
from medreview.review.live_agreement import LiveFigures
from medreview.review.looks import note_look
from medreview.review.queue import open_queue
from medreview.review.reviewer_state import load_reviewer_states
from medreview.review.session import ReviewSession
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.reports.reviewer_labels import reviewer_labels, reviewers
from medreview.stats.reports.small_jury import jury_labels
from medreview.stats.study_figures import study_figures
from medreview.study import Study
from medreview.study.backup import backup_to
from medreview.study.events import NewEvent, Recorder
from medreview.study.merge import merge

UNIT = "s2"
PASSES = (1, 2)
MODES: tuple[Mode, ...] = ("blind", "assisted")
Modes = dict[tuple[str, int], str]
"""By reviewer and pass: blind or assisted."""


def sit(study: Study, who: str, *, blind: bool, pass_no: int = 1) -> ReviewSession:
    session = ReviewSession(
        study, who, open_queue(study, "responses", who, blind=blind, pass_no=pass_no), pass_no=pass_no, reveal="each"
    )
    session.go(list(session.queue.units).index(UNIT))
    return session


def look(study: Study, who: str, *, blind: bool) -> None:
    sit(study, who, blind=blind).leave()


def decide(
    study: Study, who: str, *labels: str, blind: bool = True, pass_no: int = 1, expect: str | None = None
) -> None:
    """Decide; ``expect``: what the screen says of the label before it is given."""
    session = sit(study, who, blind=blind, pass_no=pass_no)
    if expect:
        assert ("assisted" if session.knows_judges else "blind") == expect
    for label in labels:
        session.decide(label)
    session.leave()


def undone(study: Study, who: str) -> None:
    decide(study, who, "partial")
    session = sit(study, who, blind=True)
    session.undo()
    session.leave()
    decide(study, who, "supported", expect="assisted")


def half_open(study: Study, who: str) -> None:
    """Decided in an open queue, taken back, and then met in a blind one."""
    session = sit(study, who, blind=False)
    session.decide("partial")
    session.undo()
    session.leave()
    decide(study, who, "partial", expect="assisted")


def seen_first(study: Study, who: str) -> None:
    look(study, who, blind=False)
    decide(study, who, "supported", expect="assisted")


def twice(study: Study, who: str) -> None:
    decide(study, who, "supported", expect="blind")
    decide(study, who, "partial", pass_no=2, expect="assisted")


def looked(study: Study, who: str) -> None:
    look(study, who, blind=True)
    decide(study, who, "partial", pass_no=2, expect="blind")


def exported_first(study: Study, who: str) -> None:
    assert note_look(study, who, "export", "verdicts") == ""
    decide(study, who, "supported", expect="assisted")


def exported_after(study: Study, who: str) -> None:
    decide(study, who, "supported", expect="blind")
    note_look(study, who, "export", "verdicts")


def figures_first(study: Study, who: str) -> None:
    note_look(study, who, "stats", "totals")
    decide(study, who, "supported", expect="blind")


def corrected_in_a_block(study: Study, who: str) -> None:
    """Before its end, and changed after it."""
    session = ReviewSession(study, who, open_queue(study, "responses", who, blind=True))
    for place in range(len(session.queue.units)):
        session.go(place)
        session.decide("contradicted")
    session.go(list(session.queue.units).index(UNIT))
    session.decide("partial")
    session.show_judges()
    session.go(list(session.queue.units).index(UNIT))
    session.keep_or_change("supported")
    for unit in set(session.queue.units) - {UNIT}:  # this study is about one statement
        session.go(list(session.queue.units).index(unit))
        taken = NewEvent("retract", unit, undoes_event=session.own.decision)
        study.write(lambda connection, taken=taken: Recorder(who).append(connection, taken, block="-", mode="blind"))
    session.leave()


def put_off(study: Study, who: str) -> None:
    """In a blind queue, and decided in the deferred one."""
    session = sit(study, who, blind=True)
    session.defer()
    session.leave()
    later = ReviewSession(study, who, open_queue(study, "deferred", who))
    assert not later.knows_judges
    later.decide("supported")
    later.leave()


def taken_back_from_afar(study: Study, who: str) -> None:
    """By undo in an open queue, in which the statement is not on the screen."""
    session = ReviewSession(study, who, open_queue(study, "responses", who, blind=True))
    session.go(list(session.queue.units).index(UNIT))
    session.decide("partial")
    session.leave()
    taken = NewEvent("retract", UNIT, undoes_event=session.own.decision)
    study.write(lambda connection: Recorder(who).append(connection, taken, block="-", mode="open"))
    decide(study, who, "supported", expect="blind")


def open_after(study: Study, who: str) -> None:
    decide(study, who, "supported")
    decide(study, who, "partial", blind=False)


ORDERS: dict[str, Callable[[Study, str], None]] = {
    "blind": lambda study, who: decide(study, who, "supported", expect="blind"),
    "open": lambda study, who: decide(study, who, "supported", blind=False, expect="assisted"),
    "revised": lambda study, who: decide(study, who, "contradicted", "supported", expect="blind"),
    "seen open first": seen_first,
    "undone": undone,
    "open, undone": half_open,
    "twice blind": twice,
    "looked, then pass 2": looked,
    "open after": open_after,
    "exported first": exported_first,
    "exported after": exported_after,
    "figures first": figures_first,
    "corrected in a block": corrected_in_a_block,
    "put off": put_off,
    "taken back": taken_back_from_afar,
}
EXPECTED: Modes = {
    ("blind", 1): "blind",
    ("open", 1): "assisted",
    ("seen open first", 1): "assisted",
    ("revised", 1): "blind",
    ("undone", 1): "assisted",
    ("open, undone", 1): "assisted",
    ("twice blind", 1): "blind",
    ("twice blind", 2): "assisted",
    ("looked, then pass 2", 2): "blind",
    ("open after", 1): "blind",
    ("exported first", 1): "assisted",
    ("exported after", 1): "blind",
    ("figures first", 1): "blind",
    ("corrected in a block", 1): "blind",
    ("put off", 1): "blind",
    ("taken back", 1): "blind",
}
CHANGED = {("revised", 1), ("open after", 1), ("corrected in a block", 1)}


@pytest.fixture
def labelled(study: Study) -> Study:
    for who, order in ORDERS.items():
        order(study, who)
    return study


def by_stats(study: Study) -> Modes:
    return {
        (who, pass_no): label.group.mode
        for who in reviewers(study.reader)
        for pass_no in PASSES
        for label in reviewer_labels(study.reader, who, pass_no).values()
    }


def by_report(study: Study) -> Modes:
    found: Modes = {}
    for pass_no in PASSES:
        for one in study_figures(study.reader, pass_no=pass_no, resampling=Resampling(replicates=9)).reviewers:
            for group in one.agreement:
                found[one.reviewer, pass_no] = group.mode
    return found


def by_panel(study: Study) -> Modes:
    found: Modes = {}
    for who in reviewers(study.reader):
        for pass_no in PASSES:
            for group in LiveFigures(study.reader, who, pass_no).groups:
                found[who, pass_no] = group.mode
    return found


def by_small_jury(study: Study) -> Modes:
    found: Modes = {}
    for who in reviewers(study.reader):
        for mode in MODES:
            with suppress(UserError):
                found[who, 1] = jury_labels(study.reader, who, mode=mode).group.mode
    return found


def by_export(study: Study, folder: Path) -> Modes:
    export(study, folder)
    with (folder / "labels.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["verdict_first"]]
    for row in rows:
        assert (row["exposure_judge_verdict"] == "before") == (row["mode"] == "assisted")
    return {(row["reviewer_id"], int(row["pass_no"])): row["mode"] for row in rows}


def by_state(study: Study) -> Modes:
    found: Modes = {}
    for pass_no in PASSES:
        for who, own in load_reviewer_states(study.reader, UNIT, pass_no).items():
            if own.label:
                found[who, pass_no] = "blind" if own.blind else "assisted"
    return found


def assert_all_say(study: Study, folder: Path, expected: Modes) -> None:
    ask: tuple[Callable[[Study], Modes], ...] = (
        by_stats,
        by_report,
        by_panel,
        by_state,
        partial(by_export, folder=folder),
    )
    for reader in ask:
        assert reader(study) == expected, reader
    first_pass = {(who, number): mode for (who, number), mode in expected.items() if number == 1}
    assert by_small_jury(study) == first_pass  # it knows no other


def test_every_reader_gives_the_same_answer(labelled: Study, tmp_path: Path) -> None:
    assert_all_say(labelled, tmp_path / "labels", EXPECTED)


def test_it_is_the_same_after_export_and_import(labelled: Study, tmp_path: Path) -> None:
    export(labelled, tmp_path / "labels")
    with Study.create(tmp_path / "again.medreview") as again:
        import_export(again, tmp_path / "labels")
        assert by_stats(again) == EXPECTED
        assert by_export(again, tmp_path / "again") == EXPECTED


def test_it_is_the_same_in_a_copy_that_is_merged(study: Study, tmp_path: Path) -> None:
    backup_to(study.path, tmp_path / "theirs.medreview")
    for who, order in ORDERS.items():
        order(study, who)
    with Study.open(tmp_path / "theirs.medreview") as theirs:
        merge(theirs, study.path)
        assert_all_say(theirs, tmp_path / "labels", EXPECTED)


def test_a_merged_copy_tells_what_was_seen_in_it_before(study: Study, tmp_path: Path) -> None:
    backup_to(study.path, tmp_path / "home.medreview")
    decide(study, "after", "supported", expect="blind")
    with Study.open(tmp_path / "home.medreview") as home:
        look(home, "before", blind=False)
        look(home, "after", blind=False)
    decide(study, "before", "supported", expect="blind")  # this file does not know yet
    blind: Modes = {("after", 1): "blind", ("before", 1): "blind"}
    assert_all_say(study, tmp_path / "labels", blind)

    merge(study, tmp_path / "home.medreview")

    assert_all_say(study, tmp_path / "labels", blind | {("before", 1): "assisted"})


def test_who_changed_after_the_reveal_is_counted_alike(labelled: Study, tmp_path: Path) -> None:
    export(labelled, tmp_path / "labels")
    with (tmp_path / "labels" / "labels.csv").open(encoding="utf-8", newline="") as file:
        told = {
            (row["reviewer_id"], int(row["pass_no"]))
            for row in csv.DictReader(file)
            if row["changed_after_reveal"] == "1"
        }
    counted = {
        (one.reviewer, pass_no)
        for pass_no in PASSES
        for one in study_figures(labelled.reader, pass_no=pass_no, resampling=Resampling(replicates=9)).reviewers
        if one.progress.changed_after_reveal
    }
    assert told == counted == CHANGED
    first = reviewer_labels(labelled.reader, "corrected in a block")[UNIT]
    assert (first.label, first.current) == ("partial", "supported")
    after_totals = {
        who for who in ORDERS if any(label.after_totals for label in reviewer_labels(labelled.reader, who).values())
    }
    assert after_totals == {"figures first"}


def test_a_note_alone_is_blind_or_assisted_by_what_was_seen(study: Study, tmp_path: Path) -> None:
    for who, blind in (("here", True), ("there", False)):
        session = sit(study, who, blind=blind)
        session.note("look at the dose")
        session.leave()
    export(study, tmp_path / "labels")
    with (tmp_path / "labels" / "labels.csv").open(encoding="utf-8", newline="") as file:
        assert {row["reviewer_id"]: row["mode"] for row in csv.DictReader(file)} == {
            "here": "blind",
            "there": "assisted",
        }
