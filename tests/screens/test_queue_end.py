"""The end of a queue: what came of it, what is open, and what can be taken out at once."""

from medreview.cli.opening import _report
from medreview.config import Config
from medreview.review.audit import draw
from medreview.screens.app import Workbench
from medreview.screens.home import HomeScreen
from medreview.screens.page import ChoicePage
from medreview.study import Study
from tests.support.settled import until
from tests.support.workbench import PLAIN, events, press, review_screen, screen_text, workbench


def said(app: Workbench) -> str:
    return " ".join(screen_text(app).split())


async def test_a_queue_that_is_done_is_summed_up_and_leads_on(study: Study) -> None:
    app = Workbench(study, Config(reviewer="kb"), PLAIN)
    app._report = _report
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "V")
        for _ in range(9):
            await press(pilot, "5", "enter")
            if isinstance(app.screen, ChoicePage):
                break
        assert isinstance(app.screen, ChoicePage)
        text = said(app)
        assert "The queue is done: by response" in text
        assert "8 of 8 decided." in text
        assert "cannot judge 8 ━━━━" in text
        assert "The judges said the same as you on 0 of" in text
        before = len(events(study))
        await press(pilot, "enter", "enter", "4")  # neither is meant for this page
        assert isinstance(app.screen, ChoicePage)
        assert len(events(study)) == before
        await press(pilot, "e")
        await until(pilot, lambda: "export of labels written:" in said(app))
        assert (study.path.parent / "sepsis-labels" / "labels.csv").exists()
        await press(pilot, "o")
        await until(pilot, lambda: "report written:" in said(app))
        assert (study.path.parent / "sepsis.html").exists()
        await press(pilot, "q")
        assert isinstance(app.screen, HomeScreen)


async def test_at_the_end_what_is_open_is_one_key_away(study: Study) -> None:
    app = workbench(study, "responses")
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, *["j"] * 7, "5", "enter")
        assert isinstance(app.screen, ChoicePage)
        assert "The end of the queue: by response" in said(app)
        assert "1 of 8 decided, 7 open." in said(app)
        assert "t the 7 still open" in said(app)
        await press(pilot, "t")
        assert review_screen(app).session.position == 0
        assert [row["kind"] for row in events(study)] == ["decide"]


async def test_a_done_queue_leads_to_the_next(study: Study) -> None:
    app = workbench(study, "responses", filter="")
    async with app.run_test(size=(160, 50)) as pilot:
        for _ in range(8):
            await press(pilot, "s" if review_screen(app).session.position == 2 else "5", "enter")
            if isinstance(app.screen, ChoicePage):
                break
        assert "7 of 8 decided, 1 put off." in said(app)
        await press(pilot, "t")
        assert review_screen(app).session.queue.kind.name == "deferred"


async def test_a_blind_queue_says_nothing_of_the_judges_at_its_end(study: Study) -> None:
    draw(study, "kb", rate=1.0)
    app = workbench(study, "audit")
    app._report = _report
    async with app.run_test(size=(80, 24)) as pilot:
        for key in "54545454":
            await press(pilot, key)
        assert "End of the block" in said(app)
        await press(pilot, "enter")
        text = said(app)
        assert "The queue is done: audit: random" in text
        assert "The judges said" not in text
        await press(pilot, "o")
        assert "waits until the judges of your blind block are shown" in said(app)
