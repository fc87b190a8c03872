"""Every kind of unit from files to files: decided, exported, imported, the same; and how many keys a decision takes."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from medreview.config import Config
from medreview.review.actions import actions_for
from medreview.review.open_session import open_session
from medreview.review.queue import open_queue
from medreview.review.unit_session import UnitSession
from medreview.screens.app import Workbench
from medreview.screens.dialogs import ReasonDialog
from medreview.study import Study
from medreview.study.ids import kind_of
from medreview.units.asks import STATEMENT_ASKS, Asks
from medreview.units.kind import Rating
from medreview.units.registry import KINDS, asks_of
from tests.support.commands import Program
from tests.support.reference_study import check_given_references
from tests.support.study_builder import rows_of
from tests.support.unit_samples import SAMPLES, two_responses
from tests.support.workbench import PLAIN, events, press, review_screen
from tests.units.unit_files import BROUGHT, Step, write

OF_PAGES = (
    "citations.csv", "judgements.csv", "labels.csv", "labels_from_pairs.csv", "manifest.json", "pairs.csv",
)  # fmt: skip
"""Files of an export that tell of pages and of judgements of them; labels.csv has those beside the labels."""
EACH = 4
"""Units of each kind that are decided; with the one before last taken back."""


def _steps() -> list[Step]:
    """How one study gets units of every kind."""
    found = {step: None for steps in BROUGHT.values() for step in steps if step[1]}
    first = [
        ("import", records) for command, records in found if records is not None and records.__name__ == "responses"
    ]
    rest = [step for step in found if step not in first]
    return [*first, ("parse", None), ("judge", None), *rest]


def _decide_some(study: Study, kind: str) -> None:
    queue = KINDS[kind].queue_name if kind in KINDS else "responses"
    session = open_session(study, "kb", open_queue(study, queue, "kb", blind=True))
    for number in range(EACH):
        session.go(number)
        if isinstance(session, UnitSession) and session.asks.entry == "order":
            assert session.view is not None
            numbers = session.view.numbers
            session.decide_order(">".join(map(str, numbers)), [(f"quality/{n}", "good") for n in numbers])
        else:
            fitting = [label.level for label in session.asks.levels if label.level != "edited"]
            if isinstance(session, UnitSession) and session.view is not None:
                fitting = [label for label in fitting if not session.kind.fits(session.view, label)]
            session.decide(fitting[number % len(fitting)])
        session.go(number)
        if session.asks.entry == "spans" and session.own.label not in (None, "none"):
            session.add_span("response", session.default_span("response"), reason="So it is.")
        if number == 1:
            session.note("Seen.")
            session.flag("dispute")
    session.undo()


def _people_ratings(path: Path, kind: str) -> list[Rating]:
    with Study.open(path) as study:
        people = study.reader.execute("SELECT unit, axis, reviewer, mode, label FROM reviewer_label")
        found = [Rating(unit, "", axis, who, False, mode, label) for unit, axis, who, mode, label in people]
    return sorted(rating for rating in found if kind_of(rating.unit) == kind)


def test_units_of_every_kind_come_out_of_an_export_and_in_again_with_equal_files(tmp_path: Path) -> None:
    program, study, copy = Program(tmp_path), tmp_path / "a.medreview", tmp_path / "b.medreview"
    for command, records in _steps():
        program(command, study, *([write(records, tmp_path)] if records else []))
    with Study.open(study) as opened:
        check_given_references(opened, EACH)
        for kind in ("statement", *KINDS):
            _decide_some(opened, kind)
        decided = {kind_of(row["unit"]) for row in rows_of(opened, "SELECT unit FROM standing WHERE reviewer = 'kb'")}
        assert decided == {"statement", *KINDS}
    program("export", study, tmp_path / "a")
    program("import", copy, tmp_path / "a")
    program("export", copy, tmp_path / "b")
    ours, theirs = ({file.name: file.read_bytes() for file in (tmp_path / name).iterdir()} for name in "ab")
    assert ours.keys() == theirs.keys()
    assert [name for name in ours if ours[name] != theirs[name] and name not in OF_PAGES] == []
    program("check", copy)
    for kind in ("statement", *KINDS):
        here, there = (_people_ratings(path, kind) for path in (study, copy))
        assert here == there
        assert here


Keys = Callable[[Asks], Sequence[str]]


def _by(*names: str) -> Keys:
    """The keys of actions of the table."""
    return lambda asks: [actions_for(asks, {})[name].keys[0] for name in names]


def _reason(asks: Asks) -> Sequence[str]:
    return [*_by("decide_not_addressed")(asks), asks.reasons[0].key]


DECISIONS: tuple[tuple[str, str, Keys, int, str], ...] = (
    ("to agree with a statement's judges", "statement", _by("accept"), 1, "evidence"),
    ("to override with a reason", "statement", _reason, 2, "evidence"),
    ("to override a pair with a reason", "pair", _reason, 2, "evidence"),
    ("to mark a hallucination with its span", "statement",
     lambda asks: [*_by("hallucination")(asks), "1", "enter"], 3, "hallucination"),
    ("to mark one with its span given another end", "statement",
     lambda asks: [*_by("hallucination")(asks), "1", "w", "enter"], 4, "hallucination"),
    ("to give an answer a type and a span", "answer", lambda asks: [*_by("decide_fact")(asks), "enter"], 2,
     "hallucination"),
    ("to rank four, and rate each", "ranking",
     lambda asks: [*_by("place_3", "place_1", "place_4", "place_2")(asks), *"gobo"], 8, "rank"),
    ("to rank four with a tie", "ranking",
     lambda asks: [*_by("place_3", "place_1", "place_4")(asks), "=", *_by("place_2")(asks), *"gobo"], 9, "rank"),
    ("to vote on a fact", "fact", _by("decide_absent"), 1, "presence"),
    ("to keep a suggestion", "suggestion", _by("decide_kept"), 1, "suggestion"),
    ("to rate a whole response", "response", _by("decide_no"), 1, "all_supported"),
    ("to rate a question's relevance", "qa", _by("decide_4"), 1, "relevance"),
    ("to check a question", "question", _by("decide_answerable"), 1, "answerability"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "keys", "count", "axis"), [one[1:] for one in DECISIONS], ids=[one[0] for one in DECISIONS]
)
async def test_so_many_keys_are_enough(study: Study, kind: str, keys: Keys, count: int, axis: str) -> None:
    SAMPLES.get(kind, two_responses)(study)
    asks = KINDS.get(kind, STATEMENT_ASKS)
    queue = open_queue(study, KINDS[kind].queue_name if kind in KINDS else "responses", "kb", blind=False)
    app = Workbench(study, Config(reviewer="kb"), PLAIN, queue=queue)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = review_screen(app)
        unit, pressed = screen.session.unit, keys(asks)
        assert asks_of(unit) is asks
        assert len(pressed) == count
        await press(pilot, *pressed[:-1])
        began = screen.session.unit
        await press(pilot, pressed[-1])
        said = [row for row in events(study, "decide", "span_add", "reason") if row["unit"] == unit]
        assert axis in [row["axis"] for row in said]
        assert ("reason" in [row["kind"] for row in said]) == (keys is _reason)
        assert not isinstance(screen._step, ReasonDialog)
        assert began == unit
        if axis == asks.axis:
            assert screen._step is None
            assert screen.session.unit != unit
