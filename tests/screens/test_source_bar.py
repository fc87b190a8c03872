"""The bar above the source on the screen: own numbers, the statement's own citations, pages of one host."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from medreview.cli.plain import review_plain
from medreview.judges.verdicts import refresh
from medreview.review.cell_width import width
from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.study import Study
from tests.support.study_builder import StudyBuilder, build
from tests.support.workbench import blind_workbench, pane_text, press, screen_text, workbench

HOST = "https://www.world-health.example/news-room/fact-sheets/detail"
each_size = pytest.mark.parametrize("size", [(80, 24), (160, 50)], ids=["80x24", "160x50"])


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Study]:
    with Study.create(tmp_path / "t.medreview", "sepsis") as made:
        build(made, _material)
        refresh(made)
        yield made


def _material(rows: StudyBuilder) -> None:
    text = "Give fluid early. Rest helps."
    more = [rows.source(f"m{number}") for number in range(20)]
    rows.page("one", "Fluid is given early in sepsis.", f"{HOST}/sepsis-in-adults")
    rows.page("two", "Fluid is given late in sepsis.", f"{HOST}/sepsis-in-children")
    cites = ("one", "two", *more)
    rows.response("r1", text, statements=text.split(". "), cites=cites, record_id="q007-atlas", model="atlas-2")
    for number, source in enumerate(("one", "m0", "two", "two", *more[1:]), 1):
        rows.own_number("r1", number, source)
    for number in (4, 1):
        rows.marker("r1.1", "two" if number == 4 else "one", number)
    rows.evidence("r1.1", "one@1", unsupported=0.2)
    rows.evidence("r1.1", "two@1", unsupported=0.1)
    rows.judgement("juror", "r1.1", "two@1", "supported", "Fluid is given early", "altered")


def bar(app: Any) -> str:
    return str(pane_text(app, "bar")).split("\n")[0]


@each_size
async def test_the_bar_names_the_shown_source_as_the_answer_does_and_marks_what_the_statement_cites(
    study: Study, size: tuple[int, int]
) -> None:
    app = workbench(study)
    async with app.run_test(size=size) as pilot:
        first = bar(app)
        assert "[4]=[3] of 22" in first
        assert "cited here" in pane_text(app, "bar")
        assert "in-chi" in first
        assert "quote CHANGED" in screen_text(app) or "quote changed" in screen_text(app)
        await press(pilot, "right_square_bracket")
        assert "[1] of 22" in bar(app)
        assert "cited here" in pane_text(app, "bar")
        assert "in-adults" in bar(app)
        for _ in range(20):
            await press(pilot, "right_square_bracket")
            assert width(bar(app)) <= size[0]
        assert "[23] of 22" in bar(app)
        assert "cited here" not in pane_text(app, "bar")
        await press(pilot, "right_square_bracket")
        assert bar(app) == first


@each_size
async def test_a_record_is_found_by_the_start_of_its_id_which_the_screen_shows_while_the_model_may_be_known(
    study: Study, size: tuple[int, int]
) -> None:
    app = workbench(study, filter="id=Q007")
    async with app.run_test(size=size):
        assert "q007-atlas" in screen_text(app)
    hidden = blind_workbench(study, "responses")
    async with hidden.run_test(size=size):
        assert "q007-atlas" not in screen_text(hidden)


def test_the_line_prompts_name_the_sources_in_the_order_of_the_screen(
    study: Study, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = iter(["]", "q"])
    monkeypatch.setattr("builtins.input", lambda _prompt="": next(lines))
    review_plain(ReviewSession(study, "kb", open_queue(study, "responses", "kb")))
    told = capsys.readouterr().out
    assert "record q007-atlas" in told
    assert "sources: 4=3 cited here, 1 cited here, 2, 5, 6," in told
    assert f"SOURCE4=3,citedhere:{HOST}/sepsis-in-children,ok" in "".join(told.split())
    assert told.index("SOURCE 4=3, cited") < told.index("SOURCE 1, cited")
    assert "source [4]=[3], juror by juror-model: supported" in told
