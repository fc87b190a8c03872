"""What holds for every kind of unit: a new kind is in it by being registered, with a sample study of its own."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from medreview.review.actions import actions_for
from medreview.review.open_session import open_session
from medreview.review.queue import open_queue
from medreview.review.unit_session import UnitSession
from medreview.study import Study
from medreview.study.check import check
from medreview.units.registry import KINDS, asks_of, unit_name
from tests.support.reference_study import judged_otherwise
from tests.support.unit_samples import SAMPLES
from tests.support.workbench import blind_workbench, screens_of

MACHINES = ("verdict", "judgement", "merged_judgement", "hallucination_finding", "key_fact_vote", "opinion", "gold")
"""The tables of what machines say, and of right labels that are known beforehand; not the shared words."""

every_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


@pytest.fixture
def study(tmp_path: Path, kind: object) -> Iterator[Study]:
    with Study.create(tmp_path / "a.medreview") as opened:
        SAMPLES[str(getattr(kind, "name", ""))](opened)
        yield opened


def sitting(study: Study, kind: object) -> UnitSession:
    session = open_session(study, "kb", open_queue(study, getattr(kind, "queue_name", ""), "kb"))
    assert isinstance(session, UnitSession)
    return session


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
    fitting = (level.level for level in session.asks.levels if not session.kind.fits(session.view, level.level))
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
