"""The order of triage that is learned from a reviewer's own labels: when, of what, and what it never tells."""

import json
import random
import shutil
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest

from medreview.errors import UserError
from medreview.evidence.sign_names import SIGNS
from medreview.judges.runs import ENGINE
from medreview.judges.verdicts import refresh
from medreview.review.learned_order import EVENT, EVERY, FROM, LearnedOrder, newest_version
from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.screens.review_rows import Subject, header_rows, wide_header_rows
from medreview.study import Study
from medreview.study.check import check
from medreview.study.incoming import event_fault
from medreview.study.merge import merge
from medreview.study.study_acts import write_act
from tests.review.sittings import payloads
from tests.support.study_builder import StudyBuilder, build

SUBJECT = Subject("answer 1", "answer 1 atlas-2")
NAMES = SIGNS.index("names_lacking")
STATEMENTS = 60
QUEUE = "unchecked"


def wrong(unit: str) -> bool:
    """What is right in this study: every third statement names what its page does not have."""
    return int(unit.partition(".")[2]) % 3 == 0


def fill(rows: StudyBuilder, *, signs: bool = True, by: str = "rules") -> None:
    """One response of 60 statements that only the rules have looked at; their doubt says nothing on what is right.

    ``by``: who gives the sign that tells, the ``rules`` or a ``model`` that was not asked about every fifth pair."""
    luck = random.Random(4)
    rows.page("u", "words of the page", snapshot_id="p")
    rows.response("r", statements=["text"] * STATEMENTS, cites=["u"])
    for place in range(1, STATEMENTS + 1):
        unit = f"r.{place}"
        found = [round(luck.random(), 3) for _ in SIGNS]
        if by == "rules":
            found[NAMES] = float(wrong(unit))
        elif place % 5:
            found.append(float(not wrong(unit)))
        rows.judgement("offline", unit, "p", "unsure")
        rows.evidence(unit, "p", unsupported=luck.random(), signs=json.dumps(found if signs else []))


@pytest.fixture
def study(empty_study: Study) -> Study:
    build(empty_study, fill)
    refresh(empty_study)
    return empty_study


def sit(
    study: Study, reviewer: str = "kb", queue: str = QUEUE, blind: bool | None = None, **more: Any
) -> ReviewSession:
    return ReviewSession(study, reviewer, open_queue(study, queue, reviewer, blind=blind), **more)


def label(session: ReviewSession, count: int) -> ReviewSession:
    """Label what comes next, as is right."""
    for _ in range(count):
        session.decide("not_addressed" if wrong(session.unit) else "supported")
        session.next_open()
    return session


def learned(study: Study) -> list[dict[str, Any]]:
    return payloads(study, EVENT)


def mean_place(units: list[str]) -> float:
    places = [place / len(units) for place, unit in enumerate(units) if wrong(unit)]
    return sum(places) / len(places)


def test_the_sign_of_a_model_is_weighed_where_there_is_one(empty_study: Study) -> None:
    build(empty_study, partial(fill, by="model"))
    refresh(empty_study)
    before = list(open_queue(empty_study, QUEUE, "kb").units)
    session = label(sit(empty_study), 45)
    version = newest_version(empty_study.reader, "kb")
    assert version is not None
    rest = [unit for unit in session.queue.units if unit not in session.queue.units[:45] and int(unit[2:]) % 5]

    assert version.signs["meaning"].weight < -0.3, "what is near is in doubt less"
    assert version.words.startswith("ordered by your 45 labels: meaning")
    assert mean_place(rest) < mean_place([unit for unit in before if unit in rest])
    assert version.doubt(0.0, [None] * (len(SIGNS) + 1)) == pytest.approx(version.bias), (
        "what is not there says nothing"
    )


def test_after_25_labels_and_every_ten_the_rest_is_ordered_by_them(study: Study) -> None:
    session = label(sit(study), FROM - 1)
    by_rules = list(session.queue.units)
    assert by_rules == list(open_queue(study, QUEUE, "kb").units)
    assert (learned(study), session.learned) == ([], None)

    at = session.position
    session.decide("not_addressed" if wrong(session.unit) else "supported")
    units = list(session.queue.units)
    assert units[: at + 2] == by_rules[: at + 2]  # what is passed, what is on the screen, and the next one stay
    assert sorted(units) == sorted(by_rules)
    assert mean_place(units[at + 2 :]) < 0.4 < mean_place(by_rules[at + 2 :])
    assert session.learned is not None
    assert session.learned.words.startswith("ordered by your 25 labels: names")
    session.next_open()
    assert session.unit == by_rules[at + 1]

    label(session, EVERY)
    assert [one["labels"] for one in learned(study)] == [FROM, FROM + EVERY]
    assert check(study.reader) == []


def test_every_decision_names_the_order_that_put_its_statement_there(study: Study) -> None:
    session = label(sit(study), FROM + EVERY + 2)
    first, second = [row[0] for row in study.reader.execute(f"SELECT event_id FROM event WHERE kind = '{EVENT}'")]
    told = [one["order"] for one in payloads(study, "decide")]
    # the statement after the one that was labelled when it was learned had its place already
    assert told == [*[""] * (FROM + 1), *[first] * EVERY, second]
    assert session.ordered_by == second
    elsewhere = sit(study, queue="responses")
    elsewhere.decide("supported")
    assert "order" not in payloads(study, "decide")[-1]


def test_opened_again_what_is_done_comes_first_then_the_statement_that_was_left_then_the_doubt(study: Study) -> None:
    session = label(sit(study), FROM + 4)
    left, done = session.unit, {unit for unit in session.queue.units if session.state_of(unit) != "open"}
    session.leave()
    again = sit(study)
    units = list(again.queue.units)
    assert set(units[: len(done)]) == done
    assert (again.unit, units[len(done)], again.position) == (left, left, len(done))
    rest = units[len(done) + 1 :]
    assert mean_place(rest) < 0.4 < mean_place([unit for unit in open_queue(study, QUEUE, "kb").units if unit in rest])
    assert list(sit(study).queue.units) == units  # the same each time
    again.set_filter("text")
    assert (again.unit, list(again.queue.units)) == (left, units)
    for place in (0, len(units) - 1):
        again.go(place)
        again.tag("pick")
    again.go(len(done))
    again.set_filter("tag=pick")
    assert (again.unit, list(again.queue.units)) == (units[-1], [units[0], units[-1]])


def test_it_is_each_reviewers_own_and_what_queues_hold_is_as_before(study: Study) -> None:
    by_rules = list(sit(study).queue.units)
    label(sit(study), FROM)
    assert list(sit(study, "anna").queue.units) == by_rules
    assert list(open_queue(study, QUEUE, "kb").units) == by_rules
    assert list(sit(study, learns=False).queue.units) == by_rules
    assert list(sit(study, pass_no=2).queue.units) == by_rules
    assert newest_version(study.reader, "anna") is None


def test_it_is_turned_off_and_on_again_and_stays_so(study: Study) -> None:
    session = label(sit(study), FROM + 1)
    here, ordered = session.unit, list(session.queue.units)
    assert session.switch_order() == "The queue is ordered by the rules."
    assert (session.unit, session.learned, session.ordered_by) == (here, None, "")
    assert list(session.queue.units) == list(open_queue(study, QUEUE, "kb").units) != ordered
    label(session, EVERY)
    assert [one["on"] for one in learned(study)] == [True, False]  # nothing is learned meanwhile
    assert list(sit(study).queue.units) == list(session.queue.units)
    assert session.switch_order().startswith(f"The queue is ordered by your {FROM + 1 + EVERY} labels")
    assert learned(study)[-1]["labels"] == FROM + 1 + EVERY
    early = sit(study, "anna")
    assert early.switch_order() == "The queue is ordered by the rules."
    assert early.switch_order() == "The queue is ordered by your labels from 25 on."
    assert check(study.reader) == []


@pytest.mark.parametrize("queue", ["responses", "audit", "deferred", QUEUE])
def test_a_queue_that_is_blind_or_has_another_order_has_none(study: Study, queue: str) -> None:
    label(sit(study), FROM)
    blind = True if queue == "responses" else None
    session = sit(study, queue=queue, blind=blind, pass_no=2 if queue == QUEUE else 1)
    assert (session.learned, session.ordered_by) == (None, None)
    assert "learned from your labels" in session.refusal("learned_order")
    with pytest.raises(UserError, match="Only triage"):
        session.switch_order()


def copies(study: Study, folder: Path) -> tuple[Study, Study]:
    study.close()
    shutil.copy(study.path, folder / "one.medreview")
    shutil.copy(study.path, folder / "two.medreview")
    return Study.open(folder / "one.medreview"), Study.open(folder / "two.medreview")


def test_nothing_blind_is_learned_from_and_nothing_that_is_learned_shows_where_it_is_blind(
    study: Study, tmp_path: Path
) -> None:
    """Two copies that differ in blind labels learn the same; with and without a learned order blind queues are one."""
    one, two = copies(study, tmp_path)
    with one, two:
        blind = [sit(copy, queue="responses", blind=True) for copy in (one, two)]
        for _ in range(15):
            for session, level in zip(blind, ("supported", "contradicted"), strict=True):
                session.decide(level)
                session.next_open()
        for copy in (one, two):
            label(sit(copy), FROM)
        assert learned(one) == learned(two) != []
        assert list(sit(one).queue.units) == list(sit(two).queue.units)

        sit(two).switch_order()
        shown = [[sit(copy, queue=name, blind=True) for copy in (one, two)] for name in ("responses", "audit")]
        for with_it, without in shown:
            assert list(with_it.queue.units) == list(without.queue.units)
            assert (with_it.unit, with_it.hidden_until) == (without.unit, without.hidden_until)
            rows = [wide_header_rows(of, "study", 160) for of in (with_it, without)]
            assert rows[0] == rows[1]


def test_other_reviewers_labels_have_no_part_in_it(study: Study, tmp_path: Path) -> None:
    one, two = copies(study, tmp_path)
    with one, two:
        label(sit(two, "anna"), FROM + EVERY)
        for copy in (one, two):
            label(sit(copy), FROM)
        assert learned(one)[-1] == learned(two)[-1]


def test_what_judges_invented_heads_the_queue_whatever_was_learned(empty_study: Study) -> None:
    def with_judge(rows: StudyBuilder) -> None:
        fill(rows)
        for place in range(1, STATEMENTS + 1):
            status = "absent" if place % 20 == 1 else "none"
            quote = "never said" if status == "absent" else ""
            verdict = "supported" if status == "absent" else "not_addressed"
            rows.judgement("one", f"r.{place}", "p", verdict, quote, status)

    build(empty_study, with_judge)
    refresh(empty_study)
    session = sit(empty_study, queue="flagged")
    heads = ["r.1", "r.21", "r.41"]
    assert sorted(session.queue.units[:3]) == heads
    for unit in [unit for unit in session.queue.units if unit not in heads][:FROM]:
        session.go(list(session.queue.units).index(unit))
        session.decide("not_addressed" if wrong(unit) else "supported")
    again = sit(empty_study, queue="flagged")
    assert again.learned is not None
    waiting = [unit for unit in again.queue.units if again.state_of(unit) == "open" and unit != again.unit]
    assert sorted(waiting[:3]) == heads


def test_an_undo_after_it_takes_the_decision_back_and_the_order_stays(study: Study) -> None:
    session = label(sit(study), FROM - 1)
    last = session.unit
    session.decide("supported")
    ordered = list(session.queue.units)
    session.undo()
    assert (session.unit, session.state_of(last)) == (last, "open")
    assert list(session.queue.units) == ordered
    session.redo()
    assert session.label_of(last) == "supported"
    assert len(learned(study)) == 1
    assert check(study.reader) == []


def test_versions_come_along_in_a_merge(study: Study, tmp_path: Path) -> None:
    one, two = copies(study, tmp_path)
    with one, two:
        label(sit(one), FROM)
        label(sit(two, "anna"), FROM)
        theirs, own = newest_version(two.reader, "anna"), newest_version(one.reader, "kb")
    with Study.open(one.path) as one:
        merge(one, two.path)
        assert newest_version(one.reader, "anna") == theirs is not None
        assert newest_version(one.reader, "kb") == own
        assert check(one.reader) == []


GOOD = {"rules": ENGINE, "on": True, "labels": 25, "bias": 0.1, "slope": 0.5, "signs": {"words": [0.1, 2.0, 1.0]}}


FAULTS: Final[Sequence[tuple[dict[str, Any], str]]] = (
    ({"on": 1}, "on and labels"),
    ({"labels": -1}, "on and labels"),
    ({"labels": True}, "on and labels"),
    ({"rules": 4}, "rules is not a text"),
    ({"bias": "much"}, "more or less"),
    ({"slope": None}, "more or less"),
    ({"more": 1}, "more or less"),
    ({"signs": []}, "signs are not a table"),
    ({"signs": {"words": [1, 2]}}, "signs are not a table"),
    ({"signs": {"words": [1, 2, 0]}}, "signs are not a table"),
    ({"signs": {"words": [1, 2, "x"]}}, "signs are not a table"),
)


def test_a_version_that_comes_in_is_looked_at(study: Study) -> None:
    def fault(said: dict[str, Any]) -> str:
        write_act(study, "kb", EVENT, said)
        event = study.reader.execute("SELECT * FROM event ORDER BY seq DESC LIMIT 1").fetchone()
        return event_fault(event, {EVENT})

    assert fault(GOOD) == ""
    assert [why for change, why in FAULTS if why not in fault(GOOD | change)] == []


def test_what_other_rules_learned_is_learned_again_and_off_stays_off(study: Study) -> None:
    write_act(study, "kb", EVENT, GOOD | {"rules": "rules-1"})
    assert newest_version(study.reader, "kb") is None
    write_act(study, "kb", EVENT, GOOD | {"rules": "rules-1", "on": False})
    version = newest_version(study.reader, "kb")
    assert version is not None
    assert (version.on, version.labels) == (False, 0)
    assert sit(study).learned is None


def test_without_signs_nothing_is_learned(empty_study: Study) -> None:
    build(empty_study, lambda rows: fill(rows, signs=False))
    refresh(empty_study)
    session = label(sit(empty_study), FROM + EVERY)
    assert (learned(empty_study), session.learned) == ([], None)


def test_a_study_that_is_only_read_has_the_order_and_learns_nothing(study: Study) -> None:
    label(sit(study), FROM + 9).leave()
    units = list(sit(study).queue.units)
    study.close()
    with Study.open(study.path, read_only=True) as reading:
        session = sit(reading)
        assert list(session.queue.units) == units
        with pytest.raises(UserError):
            session.switch_order()
        LearnedOrder(reading, "kb").prepare()


def test_the_heading_says_it_and_gives_way_and_a_blind_one_does_not(study: Study) -> None:
    session = label(sit(study), FROM)
    said = session.learned.words if session.learned else ""

    def heading(of: ReviewSession, columns: int) -> str:
        return " ".join(text for row in wide_header_rows(of, "study", columns) for text, _ in row)

    assert said in heading(session, 200)
    assert said in " ".join(text for text, _ in header_rows(session, SUBJECT, "study", 80)[1])
    assert "ordered by your 25 labels" in heading(session, 140)
    assert "ordered" not in heading(sit(study, queue="responses", blind=True), 200)
    session.switch_order()
    assert "ordered" not in heading(session, 200)


def test_it_says_nothing_where_no_sign_weighs(study: Study) -> None:
    label(sit(study), FROM)
    version = newest_version(study.reader, "kb")
    assert version is not None
    flat = version._replace(signs={name: one._replace(weight=0.0) for name, one in version.signs.items()})
    assert flat.words == "ordered by your 25 labels"
