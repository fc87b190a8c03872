from pathlib import Path

import pytest

from medreview.config import Config
from medreview.review.audit import draw
from medreview.review.overview import overview
from medreview.review.queue import open_queue
from medreview.review.queue_kinds import KINDS
from medreview.review.session import ReviewSession
from medreview.screens.app import Workbench
from medreview.screens.environment import Look
from medreview.screens.home import HomeScreen
from medreview.screens.page import PageScreen
from medreview.screens.review import ReviewScreen
from medreview.screens.widgets.line_list import RowsView
from medreview.screens.widgets.lines import LinesView
from medreview.study import Study
from tests.support.workbench import review_screen

PLAIN = Look("ansi-dark", True, False)


def shown(app: Workbench) -> str:
    views = [view for view in app.screen.children if isinstance(view, LinesView | RowsView)]
    return "\n".join(view.render_line(y).text.rstrip() for view in views for y in range(view.size.height))


def pointed(app: Workbench) -> str:
    return next(line for line in shown(app).splitlines() if line.startswith(" ▸"))


@pytest.mark.parametrize("size", [(80, 24), (160, 50)], ids=["80x24", "160x50"])
async def test_counts_queues_and_responses(study: Study, size: tuple[int, int]) -> None:
    app = Workbench(study, Config(reviewer="kb"), PLAIN, notice="hello")
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        text = shown(app)
        assert "8 statements · 3 responses · 4 sources (1 unreachable)" in text
        assert "decided 0   deferred 0   open 8" in text
        assert "1  triage: flagged" in text
        assert "R02" in text
        assert "boreal" not in text  # a blind queue says R02 too: the list must not tell whose answer that is
        assert "\x1b" not in text
        assert "medreview export sepsis.medreview DIR" in text
        assert text.splitlines()[-1].strip() == "hello"
        assert "1  triage" in pointed(app)


async def test_what_is_reserved_for_the_audit_is_named_and_given_back_with_one_key(study: Study) -> None:
    draw(study, "kb", rate=1.0)
    app = Workbench(study, Config(reviewer="kb"), PLAIN)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        before = shown(app)
        assert "more reserved for the audit" in before
        assert "R give back the 8 reserved" in before
        await pilot.press("R")
        await pilot.pause()
        assert isinstance(app.screen, HomeScreen)
        after = shown(app)
        assert "reserved" not in after
        assert after.splitlines()[-1].strip() == "given back to triage: 8; labels given there count as assisted"
        await pilot.press("j", "R")
        assert "Nothing is reserved for the audit." in shown(app)
    assert [row["kind"] for row in study.reader.execute("SELECT kind FROM event")] == ["audit_rate", "audit_release"]


async def test_a_number_opens_a_queue_and_q_comes_back_with_new_counts(study: Study) -> None:
    app = Workbench(study, Config(reviewer="kb"), PLAIN)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("3")
        assert "“deferred” is empty" in shown(app)
        await pilot.press("6")
        await pilot.pause()
        assert isinstance(app.screen, ReviewScreen)
        await pilot.press("2", "q")
        await pilot.pause()
        assert isinstance(app.screen, HomeScreen)
        assert "decided 1   deferred 0   open 7" in shown(app)
        assert "6  by response" in pointed(app)  # where the reviewer was
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(app.screen, ReviewScreen)
        assert review_screen(app).session.position == 1


async def test_a_response_can_be_opened_and_headings_cannot(study: Study) -> None:
    app = Workbench(study, Config(reviewer="kb"), PLAIN)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(*["j"] * (len(KINDS) + 1))
        assert "R02" in pointed(app)
        await pilot.press("k", "k", "down", "down", "enter")
        await pilot.pause()
        assert isinstance(app.screen, ReviewScreen)
        assert review_screen(app).session.queue.filter == "response=R02"
        assert len(review_screen(app).session.queue.units) == 2


async def test_a_study_without_anything(tmp_path: Path) -> None:
    with Study.create(tmp_path / "empty.medreview") as study:
        app = Workbench(study, Config(reviewer="kb"), PLAIN)
        async with app.run_test(size=(80, 24)) as pilot:
            assert "0 statements" in shown(app)
            await pilot.press("1", "enter", "j", "k", "5")
            assert isinstance(app.screen, HomeScreen)


async def test_help_and_leaving(study: Study) -> None:
    app = Workbench(study, Config(reviewer="kb"), PLAIN)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("question_mark")
        await pilot.pause()
        assert isinstance(app.screen, PageScreen)
        await pilot.press("G", "k", "g", "escape")
        await pilot.pause()
        assert isinstance(app.screen, HomeScreen)
        await pilot.press("q")
        await pilot.pause()
    assert app.return_code == 0


async def test_figures_are_shown_as_they_are_worded(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    from medreview.review import live_agreement

    monkeypatch.setattr(live_agreement, "agreement_lines", lambda _study, reviewer: [f"agreement of {reviewer} [x]"])
    app = Workbench(study, Config(reviewer="kb"), PLAIN)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("i")
        await pilot.pause()
        page = app.screen.query_one("#page")
        assert page.render_line(0).text.strip() == "agreement of kb [x]"


async def test_an_error_of_our_own_ends_in_a_sentence_without_local_variables(
    study: Study, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(_self: object, _name: str | None) -> None:
        page = "".join(reversed("etavirp"))
        raise RuntimeError(f"broken \x1b[31m {len(page)}")

    monkeypatch.setattr(HomeScreen, "_perform", broken)
    app = Workbench(study, Config(reviewer="kb"), PLAIN)
    with pytest.raises(RuntimeError):
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.press("j")
    assert isinstance(app.failure, RuntimeError)
    printed = capsys.readouterr().err
    assert "broken ␛[31m" in printed
    assert "private" not in printed


async def test_what_is_too_long_for_a_row_ends_in_dots(study: Study) -> None:
    study.write(lambda connection: connection.execute("UPDATE response SET question = ?", ("Is it safe? " * 30,)))
    app = Workbench(study, Config(reviewer="kb"), PLAIN)
    async with app.run_test(size=(80, 30)) as pilot:
        await pilot.pause()
        rows = [row for row in shown(app).splitlines() if "Is it safe?" in row]
        assert len(rows) == 3
        assert all(row.endswith("…") and len(row) < 80 for row in rows)


async def test_statements_without_a_readable_source_are_not_to_be_judged(study: Study) -> None:
    study.write(lambda connection: connection.execute("UPDATE verdict SET judgement_id = NULL"))
    assert overview(study, "kb").unjudged == 6  # the two of R03 cite nothing
    study.write(lambda db: db.execute("DROP TRIGGER snapshot_is_never_updated"))
    study.write(lambda connection: connection.execute("UPDATE snapshot SET page_state = 'http_error'"))
    assert overview(study, "kb").unjudged == 0


async def test_an_empty_study_says_how_to_fill_it(tmp_path: Path) -> None:
    with Study.create(tmp_path / "new.medreview", "new") as empty:
        app = Workbench(empty, Config(reviewer="kb"), PLAIN)
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.pause()
            assert "medreview run new.medreview FILE" in shown(app)
            assert "export" not in shown(app)


async def test_statements_that_differ_are_counted_without_an_open_part(study: Study) -> None:
    queue = open_queue(study, "responses", "kb")
    session = ReviewSession(study, "kb", queue)
    session.go(1)
    session.decide("contradicted")
    app = Workbench(study, Config(reviewer="kb"), PLAIN)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        row = next(row for row in shown(app).splitlines() if "judges differ" in row)
        assert row.split()[-1] == "1"


async def test_a_half_written_note_is_not_lost_without_a_word(study: Study) -> None:
    app = Workbench(study, Config(reviewer="kb"), PLAIN)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("6")
        await pilot.pause()
        await pilot.press("n", "x", "escape", "q")
        await pilot.pause()
        await pilot.press("q")
        await pilot.pause()
        assert "A note you began is not saved" in shown(app)
        assert app.is_running
        await pilot.press("q")
        await pilot.pause()
    assert app.return_code == 0
