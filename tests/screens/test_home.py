import shlex
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.events import Key
from textual.pilot import Pilot
from textual.timer import Timer, TimerCallback

from medreview.config import Config
from medreview.judges.verdicts import refresh
from medreview.llm.settings import JudgeSettings
from medreview.next_step import command
from medreview.review.audit import draw
from medreview.review.cell_width import width
from medreview.review.home_actions import HOME
from medreview.review.overview import overview
from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.review.sitting import ReviewerProgress
from medreview.screens.app import Workbench
from medreview.screens.environment import Look
from medreview.screens.home import HomeScreen
from medreview.screens.home_rows import folded
from medreview.screens.page import PageScreen
from medreview.screens.review import ReviewScreen
from medreview.screens.terminal_output import OutputApp
from medreview.screens.widgets.lines import LinesView, RowsView
from medreview.study import Study
from medreview.study.events import NewEvent, Recorder
from tests.support.settled import until
from tests.support.study_builder import StudyBuilder, build
from tests.support.unit_samples import SAMPLES
from tests.support.workbench import blind_workbench, on_screen, pane_text, paste, press, resize, review_screen


def sixty_answers(rows: StudyBuilder) -> None:
    """Twenty responses of three statements; a judge contradicts the half of all."""
    rows.page("page", "Metformin is not started below an eGFR of 30.")
    for number in range(20):
        response = rows.response(f"r{number}", "One. Two. Three.", cites=["page"])
        for ordinal in range(3):
            unit = rows.statement(response, ("One.", "Two.", "Three.")[ordinal])
            label = "contradicted" if (number + ordinal) % 2 else "supported"
            rows.judgement("model", unit, "page@1", label, "Metformin is not started" if label == "supported" else "")


PLAIN = Look("ansi-dark", True, False)


def shown(app: Workbench) -> str:
    views = [view for view in app.screen.children if isinstance(view, LinesView | RowsView)]
    return "\n".join(view.render_line(y).text.rstrip() for view in views for y in range(view.size.height))


def pointed(app: Workbench) -> str:
    return next(line for line in shown(app).splitlines() if line.startswith(" ▸"))


async def go(pilot: Pilot[None], *keys: str) -> None:
    """Press keys that lead from screen to screen, each when the screen before it is there."""
    for key in keys:
        await press(pilot, key)


@pytest.mark.parametrize("size", [(80, 24), (160, 50)], ids=["80x24", "160x50"])
async def test_counts_queues_and_responses(study: Study, size: tuple[int, int]) -> None:
    study.path = Path("sepsis.medreview")  # as one names it who is in its folder
    async with on_screen(Workbench(study, Config(reviewer="kb"), PLAIN, notice="hello"), *size) as (app, pilot):
        await pilot.pause()
        text = shown(app)
        assert "8 statements · 3 responses · 4 sources (1 unreachable)" in text
        assert "decided 0   deferred 0   open 8" in text
        assert "T  triage: flagged" in text
        assert "R02" in text
        assert "boreal" not in text  # a blind queue says R02 too: the list must not tell whose answer that is
        assert "\x1b" not in text
        assert ": all, export, report" in text
        assert text.splitlines()[-1].strip() == "hello"
        assert "T  triage" in pointed(app)  # the first queue worth doing
        assert "continue" not in text


async def test_an_invalid_response_is_counted_and_named_as_what_it_is(study: Study) -> None:
    build(study, lambda rows: rows.response("r9", "", invalid="empty", parser=None, question="And heparin?"))
    async with on_screen(Workbench(study, Config(reviewer="kb"), PLAIN), 80, 50) as (app, pilot):
        await pilot.pause()
        text = shown(app)
    assert "8 statements · 4 responses (1 invalid) · 4 sources (1 unreachable)" in text
    assert "R04   invalid   And heparin?" in text


async def test_what_is_reserved_for_the_audit_is_named_and_given_back_with_one_key(study: Study) -> None:
    draw(study, "kb", rate=1.0)
    async with on_screen(Workbench(study, Config(reviewer="kb"), PLAIN)) as (app, pilot):
        await pilot.pause()
        before = shown(app)
        assert "more reserved for the audit" in before
        assert "X give back the 8 reserved" in before
        await pilot.press("X")
        await pilot.pause()
        assert isinstance(app.screen, HomeScreen)
        after = shown(app)
        assert "more reserved" not in after
        assert "give back" not in after
        assert after.splitlines()[-1].strip() == "given back to triage: 8; labels given there count as assisted"
        await pilot.press("j", "X")
        assert "Nothing is reserved for the audit." in shown(app)
    assert [row["kind"] for row in study.reader.execute("SELECT kind FROM event")] == ["audit_rate", "audit_release"]


async def test_a_letter_opens_a_queue_and_home_begins_with_where_one_left_off(study: Study) -> None:
    async with on_screen(Workbench(study, Config(reviewer="kb"), PLAIN)) as (app, pilot):
        await go(pilot, "S")
        assert "“deferred” is empty" in shown(app)
        await go(pilot, "V")
        assert isinstance(app.screen, ReviewScreen)
        await go(pilot, "2", "colon")
        await paste(pilot, "model=atlas-2")
        await go(pilot, "enter", "q")
        assert isinstance(app.screen, HomeScreen)
        assert "decided 1   deferred 0   open 7" in shown(app)
        assert pointed(app) == " ▸    continue  by response, R01 S2, 2 of 4, filter model=atlas-2"
        await go(pilot, "enter")
        assert review_screen(app).session.position == 1
        assert review_screen(app).session.queue.filter == "model=atlas-2"
        await go(pilot, "q", "V")  # the queue itself, unfiltered
        assert len(review_screen(app).session.queue.units) == 8


async def test_a_blind_queue_goes_on_blind_and_one_that_is_done_is_not_offered(study: Study) -> None:
    async with on_screen(blind_workbench(study, "responses")) as (app, pilot):
        await go(pilot, "q")
        assert "continue  by response, blind, R0" in pointed(app)
        await go(pilot, "enter")
        assert review_screen(app).session.queue.mode == "blind"
        await go(pilot, "q", "V", "s", "q", "S")
        assert "deferred 1 of 1" in " ".join(pane_text(app, "header").split())
        await go(pilot, "5", "enter", "q")
        assert "continue" not in shown(app)
        assert "T  triage" in pointed(app)


async def test_no_digit_means_anything_here_and_a_held_letter_does_nothing_in_the_queue(study: Study) -> None:
    app = Workbench(study, Config(reviewer="kb"), PLAIN)
    assert not [key for action in HOME for key in action.keys if key.isdecimal()]
    async with app.run_test(size=(80, 24)) as pilot:
        await go(pilot, *"0123456789")
        assert isinstance(app.screen, HomeScreen)
        for _ in range(4):  # as one key held down, however long the machine takes for the queue that the first opens
            pilot.app.screen.post_message(Key("T", "T"))
        await until(pilot, lambda: isinstance(app.screen, ReviewScreen) and "held" in pane_text(app, "foot"))
        assert review_screen(app).session.position == 0
        assert "held T ignored" in pane_text(app, "foot")


async def test_a_response_can_be_opened_and_headings_cannot(study: Study) -> None:
    async with on_screen(Workbench(study, Config(reviewer="kb"), PLAIN)) as (app, pilot):
        while "R02" not in pointed(app):
            await pilot.press("j")
        await pilot.press("k", "k", "down", "down", "enter")
        await pilot.pause()
        assert isinstance(app.screen, ReviewScreen)
        assert review_screen(app).session.queue.filter == "response=R02"
        assert len(review_screen(app).session.queue.units) == 2


async def test_a_study_without_anything(tmp_path: Path) -> None:
    with Study.create(tmp_path / "empty.medreview") as study:
        async with on_screen(Workbench(study, Config(reviewer="kb"), PLAIN)) as (app, pilot):
            assert "0 statements" in shown(app)
            await pilot.press("T", "enter", "j", "k", "5")
            assert isinstance(app.screen, HomeScreen)


async def test_help_and_leaving(study: Study) -> None:
    async with on_screen(Workbench(study, Config(reviewer="kb"), PLAIN)) as (app, pilot):
        await pilot.press("question_mark")
        await pilot.pause()
        assert isinstance(app.screen, PageScreen)
        await pilot.press("G", "k", "g", "escape")
        await pilot.pause()
        assert isinstance(app.screen, HomeScreen)
        await pilot.press("q")
        await pilot.pause()
    assert app.return_code == 0


async def test_an_error_of_our_own_ends_the_workbench_and_prints_nothing_of_it(
    study: Study, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(_self: object, _name: str | None) -> None:
        raise RuntimeError("broken \x1b[31m")

    monkeypatch.setattr(HomeScreen, "_perform", broken)
    app = Workbench(study, Config(reviewer="kb"), PLAIN)
    with pytest.raises(RuntimeError):
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.press("j")
    assert isinstance(app.failure, RuntimeError)
    assert "broken" not in capsys.readouterr().err


async def test_what_is_too_long_for_a_row_ends_in_dots(study: Study) -> None:
    study.write(lambda connection: connection.execute("UPDATE response SET question = ?", ("Is it safe? " * 30,)))
    async with on_screen(Workbench(study, Config(reviewer="kb"), PLAIN), 80, 30) as (app, pilot):
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


async def test_an_empty_study_says_how_to_fill_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with Study.create(Path("new.medreview"), "new") as empty:
        async with on_screen(Workbench(empty, Config(reviewer="kb"), PLAIN)) as (app, pilot):
            await pilot.pause()
            assert "medreview run new.medreview FILE" in shown(app)
            assert "export" not in shown(app)


async def test_counts_add_up_in_the_study_and_in_every_queue(tmp_path: Path) -> None:
    with Study.create(tmp_path / "many.medreview") as study:
        build(study, sixty_answers)
        refresh(study)
        # Who is in the audit is by chance of the study's id; by this one some of triage are.
        study.write(lambda connection: connection.execute("UPDATE study SET value = 'study_2' WHERE key = 'study_id'"))
        found = overview(study, "kb")
        assert (found.lost_to_triage, found.queues[0].open) == (0, 30)  # opening a review draws and reserves first
        draw(study, "kb", rate=0.5)
        for name, act in (("flagged", "supported"), ("flagged", ""), ("audit", "partial"), ("audit", "")):
            session = ReviewSession(study, "kb", open_queue(study, name, "kb"), reveal="each")
            session.next_open()
            session.decide(act) if act else session.defer()
        found = overview(study, "kb")

        counts = found.counts
        assert counts == (60, 2, 2, 56)
        assert found.lost_to_triage == 0  # reserved, and triage has begun
        for line in found.queues:
            queue = open_queue(study, line.kind.name, "kb")
            states = [ReviewerProgress(study.reader, "kb", 1).state_of(unit) for unit in queue.units]
            assert line.size == len(states)
            assert (line.open, line.deferred) == (states.count("open"), states.count("deferred"))
        named = {line.kind.name: line for line in found.queues}
        flagged, audit, everything = named["flagged"], named["audit"], named["responses"]
        assert flagged.size + flagged.reserved == 30
        assert everything.size + everything.reserved == 60
        assert everything.reserved == found.reserved == audit.open + audit.deferred  # one put off blind stays so
        async with on_screen(Workbench(study, Config(reviewer="kb"), PLAIN)) as (app, pilot):
            await pilot.pause()
            row = next(row for row in shown(app).splitlines() if "triage: flagged " in row and "continue" not in row)
            assert f"{flagged.size}  {flagged.open} open" in row
            assert f"{flagged.reserved} more reserved for the audit" in row or f"+{flagged.reserved} reserved" in row


async def test_what_triage_costs_the_audit_is_said_until_something_is_decided(study: Study) -> None:
    async with on_screen(Workbench(study, Config(reviewer="kb"), PLAIN)) as (app, pilot):
        await pilot.pause()
        assert "triage first? then 6 of the 8 in the audit cannot be blind" in shown(app)
        await go(pilot, "V", "2", "q")
        assert "triage first?" not in shown(app)


async def test_while_a_blind_block_is_open_nothing_tells_what_the_judges_think(study: Study) -> None:
    async with on_screen(Workbench(study, Config(reviewer="kb"), PLAIN)) as (app, pilot):
        assert "1 has a quote that was changed" in " ".join(shown(app).split())
        await go(pilot, "V", "2", "q")
        await go(pilot, "A", "3", "q")
        rows = [row for row in shown(app).splitlines() if "counted when your blind block is done" in row]
        assert [row.split()[:3] for row in rows] == [
            ["T", "triage:", "flagged"], ["Q", "not", "checked"], ["Y", "you", "and"],
        ]  # fmt: skip
        assert not any(character.isdecimal() for row in rows for character in row)
        assert "flagged statement" not in shown(app)
        assert "quote" not in shown(app)
        assert pointed(app).startswith(" ▸    continue  audit: random, R0")


async def test_where_no_model_has_judged_home_says_so_and_names_the_command(study: Study) -> None:
    def nothing_but_rules(rows: StudyBuilder) -> None:
        rows.connection.execute("DELETE FROM verdict")
        rows.connection.execute("DELETE FROM judgement")

    build(study, nothing_but_rules)
    study.path = Path("my studies/it's sepsis.medreview")
    models = {"gpt 4": JudgeSettings("gpt 4", "gpt-4", "https://models.example/v1")}
    for judges, named in (({}, "medreview judges"), (models, f"{command('judge', study.path, '--judge', 'gpt 4')}")):
        async with on_screen(Workbench(study, Config(reviewer="kb", judges=judges), PLAIN)) as (app, pilot):
            await pilot.pause()
            assert "no model has judged the statements yet" in shown(app)
            assert named in shown(app)


@given(st.text("ab /'-é", min_size=1, max_size=150), st.integers(40, 120))
def test_a_command_that_is_too_long_for_a_screen_is_joined_by_a_shell(path: str, columns: int) -> None:
    step = command("judge", Path(path), "--judge", "x y")
    lines = folded(step, columns)
    assert all(width(line) <= columns for line in lines)
    assert shlex.split("\n".join(lines).replace("\\\n", "")) == shlex.split(step)


async def test_statements_that_differ_are_counted_without_an_open_part(study: Study) -> None:
    queue = open_queue(study, "responses", "kb")
    session = ReviewSession(study, "kb", queue)
    session.go(1)
    session.decide("contradicted")
    async with on_screen(Workbench(study, Config(reviewer="kb"), PLAIN)) as (app, pilot):
        await pilot.pause()
        row = next(row for row in shown(app).splitlines() if "judges differ" in row)
        assert row.split()[-1] == "1"


async def test_a_note_that_cannot_be_kept_is_not_lost_without_a_word(study_path: Path) -> None:
    with Study.open(study_path, read_only=True) as study:
        async with on_screen(Workbench(study, Config(reviewer="kb"), PLAIN)) as (app, pilot):
            await go(pilot, "V")
            await go(pilot, "n", "x", "escape", "q")
            await go(pilot, "V", "n")
            assert "note S1: x" in pane_text(app, "foot")
            await go(pilot, "escape", "q", "q")
            assert "A note you began cannot be kept in this study" in shown(app)
            assert app.is_running
            await go(pilot, "q")
        assert app.return_code == 0


async def figures_of_home(pilot: Pilot[None], app: Workbench) -> None:
    """Wait until they are counted, which begins a moment after the first frame."""
    await until(pilot, lambda: "By your labels" in shown(app))


async def test_leaving_before_the_figures_are_counted_ends_without_an_error(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their time comes while the workbench ends, when no screen is left to ask which is on top."""
    due: list[TimerCallback] = []

    def put_off(app: Workbench, _delay: float, callback: TimerCallback, **options: Any) -> Timer:
        due.append(callback)
        return OutputApp.set_timer(app, 60, callback, **options)

    monkeypatch.setattr(Workbench, "set_timer", put_off)
    ReviewSession(study, "kb", open_queue(study, "flagged", "kb")).decide("supported")
    async with on_screen(Workbench(study, Config(reviewer="kb"), PLAIN)) as (app, pilot):
        await pilot.pause()
        counted = [callback for callback in due if getattr(callback, "__self__", None) is app.screen]
        await go(pilot, "q")
    assert app.return_code == 0
    assert len(counted) == 1
    counted[0]()


async def test_a_study_of_other_units_is_counted_by_them(tmp_path: Path) -> None:
    with Study.create(tmp_path / "units.medreview") as units:
        SAMPLES["qa"](units)
        unit = units.reader.execute("SELECT unit_id FROM unit WHERE kind = 'qa'").fetchone()[0]
        payload = {"axis": "relevance", "label": "5", "via": "digit", "exposure": {}}
        units.write(lambda c: Recorder("kb").append(c, NewEvent("decide", unit, payload), block="qas", mode="open"))
        size = units.reader.execute("SELECT count(*) FROM unit WHERE kind = 'qa'").fetchone()[0]
        async with on_screen(Workbench(units, Config(reviewer="kb"), PLAIN)) as (app, pilot):
            await figures_of_home(pilot, app)
            text = shown(app)
    assert f"{size} QA item" in text
    assert "decided 1   deferred 0" in text
    assert "By your labels, QA items, highly relevant: 100%" in text
    assert f"of 1, which says nothing about the other {size - 1}." in " ".join(text.split())
    for words in ("0 statements", "no answers yet", "no model has judged", "triage: flagged", " queues"):
        assert words not in text


async def test_her_own_labels_are_shown_while_a_blind_block_hides_the_judges(study: Study) -> None:
    session = ReviewSession(study, "kb", open_queue(study, "responses", "kb", blind=True))
    session.decide("supported")
    async with on_screen(Workbench(study, Config(reviewer="kb"), PLAIN), 80, 40) as (app, pilot):
        await figures_of_home(pilot, app)
        text = shown(app)
    said = " ".join(text.split())
    assert "By your labels, 1 of 8, chosen: they say nothing about the rest: supported" in said
    assert "by any source 100%" in said
    assert "the judges agreed" not in said
    looks = study.reader.execute("SELECT count(*) FROM event WHERE kind = 'look'").fetchone()[0]
    assert looks == 0


async def test_figures_on_a_small_screen_take_no_blank_row_from_the_queues(study: Study) -> None:
    ReviewSession(study, "kb", open_queue(study, "flagged", "kb")).decide("supported")
    async with on_screen(Workbench(study, Config(reviewer="kb"), PLAIN)) as (app, pilot):
        await figures_of_home(pilot, app)
        rows = shown(app).splitlines()
        await resize(app, pilot, 80, 20)  # too low for the list
        low = shown(app).splitlines()
    assert rows[next(number for number, row in enumerate(rows) if "Enter open" in row) - 1].strip()
    assert "kept with your labels. N: never mind." in rows[-1]
    assert low[next(number for number, row in enumerate(low) if "By your labels" in row) - 1].strip()


async def test_the_first_screen_says_in_sentences_where_one_was_and_what_is_next(study: Study) -> None:
    async with on_screen(Workbench(study, Config(reviewer="kb"), PLAIN)) as (app, pilot):
        said = " ".join(shown(app).split())
        assert "Next: 6 flagged statements. 1 of them has a quote that is not on its page" in said
        assert "You stopped" not in said
        assert "kappa" not in said
        await go(pilot, "T", "3", "escape", "j", "q")
        said = " ".join(shown(app).split())
        assert "You stopped just now at statement 2 of answer 1; 1 of 6 flagged statements is decided." in said
        assert "Next: 5 flagged statements." in said


async def test_no_sentence_of_the_first_screen_is_cut(study: Study) -> None:
    async with on_screen(Workbench(study, Config(reviewer="kb"), PLAIN), 60, 24) as (app, pilot):
        for columns in (60, 66, 73, 80, 100, 160):
            await pilot.resize_terminal(columns, 24)
            await pilot.pause()
            rows = shown(app).splitlines()
            card = " ".join(" ".join(rows[4:8]).split())
            assert card.startswith("Next: 6 flagged statements. 1 of them has a quote that is not on its page")
            assert not [row for row in rows if "reserved" in row and row.rstrip().endswith("…")]


async def test_the_judges_are_figured_in_words(study: Study) -> None:
    draw(study, "kb", rate=1.0)
    session = ReviewSession(study, "kb", open_queue(study, "audit", "kb"), reveal="each")
    for _ in range(8):
        session.decide("supported")
        session.next()
    async with on_screen(Workbench(study, Config(reviewer="kb"), PLAIN), 80, 40) as (app, pilot):
        await figures_of_home(pilot, app)
        said = " ".join(shown(app).split())
    assert "drawn at random the judges agreed with you on" in said
    assert "too few to say more" in said
    for word in ("kappa", "AC1", "n =", ".."):
        assert word not in said


def test_the_time_comes_from_ones_own_pace(study: Study) -> None:
    session = ReviewSession(study, "kb", open_queue(study, "responses", "kb"))
    for count in range(6):
        card = overview(study, "kb").card
        assert any("about" in sentence for sentence in card) == (count >= 5)
        session.decide("supported")
        session.next()
    assert not any("about" in sentence for sentence in overview(study, "anna").card)


async def test_a_blind_block_that_is_done_leads_to_its_judges(study: Study) -> None:
    session = ReviewSession(study, "kb", open_queue(study, "audit", "kb"))
    for _ in session.queue.units:
        session.decide("supported")
        session.next()
    session.leave()
    async with on_screen(Workbench(study, Config(reviewer="kb"), PLAIN)) as (app, pilot):
        await pilot.pause()
        assert "Next: this block is done. Enter leads there, and r shows its judges." in shown(app)
        await go(pilot, "enter", "r", "r")
        assert review_screen(app).session.shows_judges
