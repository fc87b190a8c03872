"""A copy for one batch on the screen: what waits, the keys that its items ask for, and no judges to wait for."""

from pathlib import Path

import pytest

from medreview.config import Config
from medreview.errors import UserError
from medreview.exchange.exports.batch_part import batch_part
from medreview.exchange.exports.package import package
from medreview.review.batches import assign
from medreview.review.draws import draw, frame_named
from medreview.screens.app import Workbench
from medreview.study import Study
from tests.support.study_builder import build
from tests.support.unit_study import fill
from tests.support.workbench import PLAIN, events, on_screen, press, screen_text, statements


def batch_of(study: Study, folder: Path, kind: str) -> Path:
    """The copy for ``bo`` of one unit of a kind."""
    draw(study, "kb", frame_named(kind), 1, name="one")
    assign(study, "kb", "one", ["bo"])
    package(study, folder / "bo.medreview", "kb", made_for="bo", part=batch_part(study, "one", "bo"))
    return folder / "bo.medreview"


async def test_items_are_flagged_by_keys_in_sight_and_no_block_speaks_of_judges(
    empty_study: Study, tmp_path: Path
) -> None:
    fill(empty_study)
    with Study.open(batch_of(empty_study, tmp_path, "qa")) as copy:
        async with on_screen(Workbench(copy, Config(reviewer="bo"), PLAIN)) as (app, pilot):
            assert "my batch: QA items" in screen_text(app)
            await press(pilot, "enter")
            assert "d dispute  f feedback" in screen_text(app)
            assert "this copy has no judges" in screen_text(app)
            session = statements(app)
            await press(pilot, "d", "5")
            assert "End of the block\n" in screen_text(app)
            assert "Enter go on   Esc stay here" in screen_text(app)
            with pytest.raises(UserError, match="in this copy, which was made without them"):
                session.show_judges()
        assert [row["kind"] for row in events(copy) if row["unit"].startswith("qa:")] == ["flag", "decide"]


async def test_a_batch_of_answers_shows_no_queues_of_statements(empty_study: Study, tmp_path: Path) -> None:
    build(empty_study, lambda rows: rows.response("r1"))
    with Study.open(batch_of(empty_study, tmp_path, "answers")) as copy:
        async with on_screen(Workbench(copy, Config(reviewer="bo"), PLAIN)) as (app, _):
            assert "my batch: answers" in screen_text(app)
            assert not any(word in screen_text(app) for word in ("triage", "0 statements", "R01"))
