"""What holds for every kind of unit: registered, stored, decided, seen again in a second pass."""

import json
import shutil
import sqlite3
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

from medreview.config import Config
from medreview.labels import EDITED
from medreview.review.actions import actions_for
from medreview.review.gold import set_gold
from medreview.review.guidelines import in_force
from medreview.review.open_session import open_session
from medreview.review.queue import open_queue
from medreview.review.repeat_annotation import due_units, set_second_pass
from medreview.review.session import ReviewSession
from medreview.review.sitting_report import block_summary, summary_lines
from medreview.review.unit_queues import SECOND
from medreview.screens.app import Workbench
from medreview.study import Study
from medreview.study.check import check
from medreview.study.ids import STATEMENT
from medreview.units.kind import Gold
from medreview.units.label_comparisons import gold_results, labelled_twice
from medreview.units.registry import KINDS, asks_of, unit_name, words_on
from tests.support.reference_study import judged_otherwise
from tests.support.unit_samples import SAMPLES
from tests.support.workbench import PLAIN, blind_workbench, screens_of

MACHINES = ("verdict", "judgement", "merged_judgement", "hallucination_finding", "key_fact_vote", "opinion", "gold")
"""The tables of what machines say, and of right labels that are known beforehand; not the shared words."""

every_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


@pytest.fixture
def study(study: Study, kind: object) -> Study:
    SAMPLES[str(getattr(kind, "name", ""))](study)
    return study


def sitting(study: Study, kind: object) -> ReviewSession:
    return open_session(study, "kb", open_queue(study, getattr(kind, "queue_name", ""), "kb"))


def silence(connection: sqlite3.Connection) -> None:
    """Take away all that machines say."""
    for table in MACHINES:
        connection.execute(f"DELETE FROM {table}")


def test_there_is_a_sample_of_every_kind() -> None:
    assert set(SAMPLES) == set(KINDS)


def test_the_digits_of_every_kind_are_labels_of_its_axis() -> None:
    for kind in KINDS.values():
        assert all(label.key.isdigit() for label in kind.levels)
        assert len({label.key for label in kind.levels}) == len(kind.levels)
        assert len(actions_for(kind, {})) > len(kind.levels)


@every_kind
def test_a_unit_is_decided_undone_and_named(study: Study, kind: object) -> None:
    session = sitting(study, kind)
    assert session.queue.units
    unit = session.unit
    assert asks_of(unit) is kind
    assert unit_name(study.reader, unit)
    assert session.view is not None
    fitting = (level.level for level in session.asks.levels if not session.asks.fits(session.view, level.level))
    label = next(fitting, "")
    if session.asks.entry == "order":
        label = ">".join(map(str, session.view.numbers))
    session.decide(label)
    session.go(session.queue.units.index(unit))
    assert session.own.label == label
    session.note("a remark")
    session.flag("dispute")
    for _ in range(3):
        session.undo()
    assert (session.own.label, session.own.note, session.own.flags) == (None, "", frozenset())
    assert check(study.reader) == []


@every_kind
async def test_before_the_decision_nothing_tells_what_machines_say(study: Study, kind: object) -> None:
    seen = []
    for _ in range(2):
        seen.append(await screens_of(blind_workbench(study, getattr(kind, "queue_name", ""))))
        study.write(silence)
        if getattr(kind, "name", "") == "reference" and not seen[1:]:
            judged_otherwise(study)  # the records stay: they are what is to be judged by
    assert seen[0] == seen[1]


every_kind_and_statements = pytest.mark.parametrize("kind", [STATEMENT, *KINDS])
QUEUES = {STATEMENT: "responses", **{name: kind.queue_name for name, kind in KINDS.items()}}


def sit(study: Study, queue: str) -> ReviewSession:
    return open_session(study, "kb", open_queue(study, queue, "kb", blind=True))


def labels(session: ReviewSession) -> list[str]:
    """Two labels that fit the unit on the screen; twice the same where only one does."""
    if session.asks.entry == "order":
        numbers = [str(number) for number in session.view.numbers]
        return [">".join(numbers), ">".join(reversed(numbers))]
    levels = [level.level for level in session.asks.levels if level.level != EDITED]  # which comes with words
    levels = [level for level in levels if not session.asks.fits(session.view, level)]
    return [levels[0], levels[-1]]


def decide_all(study: Study, kind: str, which: int, note: str) -> Sequence[str]:
    session = sit(study, QUEUES[kind])
    for place in range(len(session.queue.units)):
        session.go(place)
        session.decide(labels(session)[which])
        session.note(note)
        session.flag("dispute")
    session.leave()
    return session.queue.units


def filled(tmp_path: Path, kind: str, name: str = "a") -> Path:
    path = tmp_path / f"{name}.medreview"
    with Study.create(path) as study:
        SAMPLES["response" if kind == STATEMENT else kind](study)
        set_second_pass(study, "lead", share=1.0, after_days=0)
    return path


@every_kind_and_statements
def test_a_label_has_its_guidelines_its_gold_result_and_its_second_pass(tmp_path: Path, kind: str) -> None:
    with Study.open(filled(tmp_path, kind)) as study:
        units = decide_all(study, kind, 0, "first")
        payloads = [
            json.loads(row[0])
            for row in study.reader.execute("SELECT payload FROM event WHERE kind = 'decide' AND reviewer = 'kb'")
        ]
        assert {payload["guideline"] for payload in payloads} == {in_force(study.reader, kind).stamp}
        assert set(due_units(study.reader, "kb")) == set(units)

        second = next(queue for queue in SECOND if queue.unit == kind)
        session = sit(study, second.name)
        assert set(session.queue.units) == set(units)
        session.go(next(place for place in range(len(units)) if session.go(place) and len(set(labels(session))) == 2))
        here = session.unit
        assert (session.pass_no, session.own.label, session.own.note, session.own.flags) == (2, None, "", frozenset())
        assert session.mode == "blind"
        first, other = labels(session)
        study.write(lambda connection: connection.execute("DELETE FROM gold"))
        set_gold(study, here, Gold(session.asks.axis, first), "lead")
        session.decide(other)

        (twice,) = labelled_twice(study.reader, "kb")
        assert (twice.unit, twice.first, twice.second, twice.same) == (here, first, other, False)
        assert [one.right for one in gold_results(study.reader, "kb", 1)] == [True]
        assert [one.right for one in gold_results(study.reader, "kb", 2)] == [False]
        reader = study.reader
        told = summary_lines(
            block_summary(reader, "kb", [here], pass_no=2), partial(unit_name, reader), partial(words_on, reader)
        )
        name, now = unit_name(reader, here), session.label_words(other)
        assert f"  {name}: you said {now}; right is {session.label_words(first)}" in told
        assert f"  {name}: {session.label_words(first)}, now {now}" in told
        assert "gold items: 0 of 1 right" in told
        assert "as yourself the first time: 0 of 1" in told
        assert check(study.reader) == []


@every_kind_and_statements
async def test_the_second_pass_looks_the_same_whatever_was_said_in_the_first(tmp_path: Path, kind: str) -> None:
    one = filled(tmp_path, kind)
    other = Path(shutil.copy(one, tmp_path / "b.medreview"))
    second = next(queue for queue in SECOND if queue.unit == kind)
    seen = []
    for which, path in enumerate((one, other)):
        with Study.open(path) as study:
            decide_all(study, kind, which, ("first", "another")[which])
            queue = open_queue(study, second.name, "kb")
            seen.append(await screens_of(Workbench(study, Config(reviewer="kb"), PLAIN, queue=queue)))
    assert seen[0] == seen[1]
