"""Two studies that differ only in what judges say look the same as long as a blind block is open."""

import re
import shutil
from pathlib import Path

from medreview.config import Config
from medreview.judges.verdicts import refresh
from medreview.review.audit import draw
from medreview.review.queue import open_queue
from medreview.screens.app import Workbench
from medreview.screens.page import ChoicePage
from medreview.study import Study
from tests.support.settled import until
from tests.support.workbench import PLAIN, press, screen_text

_TIME = re.compile(r"#\d+|\d\d:\d\d:\d\d|[\d.]+ s in all, [\d.]+ s for one|[^ ]*/\S*medreview")


async def walk(path: Path) -> list[str]:
    """The queue pane, its heading, the first screen and the end of the queue while the audit is reviewed blind."""
    with Study.open(path) as study:
        draw(study, "kb", rate=1.0)
        app = Workbench(study, Config(reviewer="kb"), PLAIN, queue=open_queue(study, "audit", "kb"))
        seen = []
        async with app.run_test(size=(160, 50)) as pilot:
            for number, key in enumerate("54545454"):
                await press(pilot, key)
                seen.append(screen_text(app))
                if number == 4:
                    await press(pilot, "q")
                    await until(pilot, lambda: "By your labels" in screen_text(app))
                    seen.append(screen_text(app))
                    await pilot.resize_terminal(80, 24)
                    await pilot.pause()
                    seen.append(screen_text(app))
                    await press(pilot, "enter")
                    await pilot.resize_terminal(160, 50)
                    await press(pilot, "j")
            await press(pilot, "enter")
            assert isinstance(app.screen, ChoicePage)
            seen.append(screen_text(app))
        return [_TIME.sub("", text) for text in seen]


async def test_queue_first_screen_and_end_say_nothing_of_the_judges(study_path: Path, tmp_path: Path) -> None:
    other = tmp_path / "other" / study_path.name
    other.parent.mkdir()
    shutil.copy(study_path, other)
    with Study.open(other) as study:
        study.write(lambda db: db.execute("UPDATE judgement SET verdict = 'not_addressed', quote = '', reason = ''"))
        study.write(lambda db: db.execute("DELETE FROM verdict"))
        refresh(study)
    one, two = await walk(study_path), await walk(other)
    assert one == two
