"""Two studies with a learned order that differ only in what judges and other reviewers said look the same where it is
blind: every row of the screen at three sizes, line mode, and what commands print as JSON."""

import json
import random
import re
import shutil
from pathlib import Path

from medreview.config import Config
from medreview.evidence.sign_names import SIGNS
from medreview.judges.verdicts import refresh
from medreview.review.audit import draw
from medreview.review.learned_order import newest_version
from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.screens.app import Workbench
from medreview.study import Study
from tests.support.commands import Program, own_settings
from tests.support.settled import until
from tests.support.study_builder import StudyBuilder, build
from tests.support.workbench import PLAIN, press, screen_text

LABELS = 60
STATEMENTS = 75
SIZES = ((80, 24), (100, 30), (160, 50))
_TIME = re.compile(
    r"\b[0-9a-f]{64}\b|#\d+|\d\d:\d\d(:\d\d)?|[\d.]+ s in all, [\d.]+ s for one|[^ \"]*/\S*medreview|~?\d+ min"
)


def fill(rows: StudyBuilder) -> None:
    """Statements of one page, each with the rules' signs and the word of a judge."""
    luck = random.Random(4)
    rows.page("u", "words of the page", snapshot_id="p")
    rows.response("r", statements=["text"] * STATEMENTS, cites=["u"])
    for place in range(1, STATEMENTS + 1):
        signs = [round(luck.random(), 3) for _ in SIGNS]
        rows.judgement("offline", f"r.{place}", "p", "unsure")
        rows.judgement("juror", f"r.{place}", "p", "not_addressed")
        rows.evidence(f"r.{place}", "p", unsupported=luck.random(), signs=json.dumps(signs))


def sit(study: Study, reviewer: str, queue: str) -> ReviewSession:
    return ReviewSession(study, reviewer, open_queue(study, queue, reviewer))


def label(study: Study, reviewer: str, queue: str, count: int, *levels: str) -> None:
    session = sit(study, reviewer, queue)
    for place in range(count):
        session.decide(levels[place % len(levels)])
        session.next_open()
    session.leave()


def differing(folder: Path) -> list[Path]:
    """A study with 60 labels of ``kb`` and the order learned from them, and a copy where judges and ``anna`` say other
    things."""
    paths = [folder / name / "s.medreview" for name in ("one", "two")]
    for path in paths:
        path.parent.mkdir()
    with Study.create(paths[0], "s") as study:
        build(study, fill)
        refresh(study)
        draw(study, "kb", size=8)
        label(study, "kb", "flagged", LABELS, "supported", "not_addressed", "partial")
    Program(paths[0].parent)("plan", "draw", paths[0], "statements", "20")
    shutil.copy(*paths)
    with Study.open(paths[0]) as study:
        label(study, "anna", "responses", 12, "supported")
    with Study.open(paths[1]) as study:
        study.write(
            lambda db: db.execute("UPDATE judgement SET verdict = 'contradicted', supported = 0, reason = 'No'")
        )
        study.write(lambda db: db.execute("DELETE FROM verdict"))
        refresh(study)
        label(study, "anna", "responses", 12, "contradicted", "cannot_judge")
    return paths


def corner(app: Workbench) -> tuple[int, int]:
    """The column and row up to which something is shown."""
    regions = [widget.region for widget in app.screen.children if widget.display]
    return max(region.right for region in regions), max(region.bottom for region in regions)


async def blind_screens(path: Path) -> list[str]:
    """Every screen of the audit, before and after a decision, at each size; then the first screen."""
    seen = []
    with Study.open(path) as study:
        sit(study, "kb", "flagged").leave()  # an open queue, where the order is learned again if it is due
        version = newest_version(study.reader, "kb")
        assert version is not None
        assert (version.on, version.labels) == (True, LABELS - 5)
        app = Workbench(study, Config(reviewer="kb"), PLAIN, queue=open_queue(study, "audit", "kb"))
        async with app.run_test(size=SIZES[0]) as pilot:
            for key in ("", "5", "q"):
                await press(pilot, *filter(None, [key]))
                if key == "q":  # the first screen counts figures beside what it shows
                    await until(pilot, lambda: "By your labels" in screen_text(app))
                for size in SIZES:
                    await pilot.resize_terminal(*size)
                    await until(pilot, lambda size=size: corner(app) == size)
                    seen.append(screen_text(app))
                    assert ("BLIND" in seen[-1]) == (key != "q")
    return seen


async def test_nothing_that_is_hidden_shows_where_an_order_is_learned(tmp_path: Path) -> None:
    paths = differing(tmp_path)
    screens = [await blind_screens(path) for path in paths]
    for one, two in zip(*screens, strict=True):
        assert _TIME.sub("", one) == _TIME.sub("", two)

    printed = []
    for path in paths:
        own_settings(path.parent, 'reviewer = "kb"')
        medreview = Program(path.parent)
        line_mode = medreview("review", path, "--plain", "--queue", "audit", input="?\n5\nj\nq\n").stdout
        assert "judges are hidden" in line_mode
        printed.append([line_mode, medreview("plan", "show", path, "--json").stdout])
    for one, two in zip(*printed, strict=True):
        assert _TIME.sub("", one) == _TIME.sub("", two)
