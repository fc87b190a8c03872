import json
from itertools import count
from pathlib import Path

import pytest

from medreview.study import Study
from medreview.study.events import verify
from tests.support.workbench import (
    blind_workbench,
    events,
    on_screen,
    pane_text,
    paste,
    press,
    put_in,
    review_screen,
    screen_text,
    statements,
    workbench,
)

each_size = pytest.mark.parametrize("size", [(80, 24), (160, 50)], ids=["80x24", "160x50"])


@each_size
async def test_one_key_decides_saves_and_advances(study: Study, size: tuple[int, int]) -> None:
    async with on_screen(workbench(study), *size) as (app, pilot):
        assert "1 of 8" in pane_text(app, "header")
        await press(pilot, "2")  # as the judge says
        assert [row["label"] for row in events(study)] == ["partial"]
        assert "2 of 8" in pane_text(app, "header")
        assert "decided 1 · deferred 0 · open 7" in pane_text(app, "header")
        assert "last  S1 → partial · you and the judges   saved #" in pane_text(app, "foot")
        assert "50 mL/kg of crystalloid" in " ".join(screen_text(app).split())
        payload = json.loads(events(study)[0]["payload"])
        assert payload["exposure"]["judge_verdict"] == "before"
        assert payload["keys"] == 1


@each_size
async def test_override_with_a_reason_in_two_keys(study: Study, size: tuple[int, int]) -> None:
    async with on_screen(workbench(study), *size) as (app, pilot):
        await press(pilot, "j", "3")
        assert "Why not “supported”?" in pane_text(app, "foot")
        assert "saved #" in pane_text(app, "foot")
        assert [row["label"] for row in events(study)] == ["contradicted"]
        assert "2 of 8" in pane_text(app, "header")
        await press(pilot, "q")
        decision, reason = events(study)
        assert json.loads(reason["payload"]) == {"decision": decision["event_id"], "code": "number"}
        assert "3 of 8" in pane_text(app, "header")
        assert "S2 → contradicted · quantity" in pane_text(app, "foot")


async def test_the_reason_strip_can_be_left_in_every_way(study: Study) -> None:
    async with on_screen(workbench(study)) as (app, pilot):
        await press(pilot, "j", "3", "enter")
        assert "3 of 8" in pane_text(app, "header")
        assert not events(study, "reason")
        await press(pilot, "k", "2", "escape")
        assert "2 of 8" in pane_text(app, "header")
        assert "1 supported" in pane_text(app, "foot")
        await press(pilot, "4", "k")  # movement closes the strip and acts
        assert "1 of 8" in pane_text(app, "header")
        assert "1 supported" in pane_text(app, "foot")
        await press(pilot, "j", "5", "space", "n", "w", "h", "y", "enter")  # paging leaves it open; then in words
        assert [json.loads(row["payload"])["text"] for row in events(study, "note")] == ["why"]
        assert "3 of 8" in pane_text(app, "header")


@each_size
async def test_hallucination_with_type_span_and_note(study: Study, size: tuple[int, int]) -> None:
    async with on_screen(workbench(study), *size) as (app, pilot):
        await press(pilot, "j", "h", "1")
        assert "FACT" in pane_text(app, "foot")
        assert "Patients with septic shock" in screen_text(app)
        assert review_screen(app).response.marks.of_kind("span")
        await press(pilot, "w", "o", "b")  # it begins with what clashes: 50
        await put_in(pilot, "enter", "n", text="ask")
        span = json.loads(events(study, "span_add")[0]["payload"])
        item = statements(app).item
        assert item is not None
        assert span["exact"] == item.response[span["start"] : span["end"]]
        assert span["exact"] == "receive 50 mL/kg"
        assert json.loads(events(study, "note")[0]["payload"])["text"] == "ask"
        assert events(study, "decide")[0]["label"] == "fact"
        assert "hallucination fact" in screen_text(app)
        if size == (80, 24):
            assert not review_screen(app).reading.shows_response


async def test_a_span_in_the_source(study: Study) -> None:
    async with on_screen(workbench(study)) as (_, pilot):
        await press(pilot, "j", "h", "1", "S", "b", "enter")
        (event,) = events(study, "span_add")
        span = json.loads(event["payload"])
        assert span["target"] == "source"
        assert span["exact"].startswith("give 30 mL/kg")
        assert event["snapshot"]
        await press(pilot, "h", "2", "escape")
        assert len(events(study, "span_add")) == 1


async def test_undo_after_reopening_goes_to_the_statement(study_path: Path) -> None:
    with Study.open(study_path) as study:
        async with on_screen(workbench(study)) as (app, pilot):
            await press(pilot, "1", "enter", "5", "enter", "q")
    with Study.open(study_path) as study:
        async with on_screen(workbench(study)) as (app, pilot):
            assert "3 of 8" in pane_text(app, "header")  # the same place
            assert "decided 2" in pane_text(app, "header")
            await press(pilot, "u")
            assert "2 of 8" in pane_text(app, "header")
            assert "undone: cannot judge" in pane_text(app, "foot")
            assert "decided 1" in pane_text(app, "header")
            await press(pilot, "U")
            assert "decided 2" in pane_text(app, "header")
            assert verify(study.reader) == []


async def test_filter_narrows_and_says_what_is_wrong(study: Study) -> None:
    async with on_screen(workbench(study)) as (app, pilot):
        await put_in(pilot, "colon", text="colour=red")
        assert "A filter cannot use 'colour'" in pane_text(app, "foot")
        await put_in(pilot, "ctrl+u", text="model=boreal")
        assert "1 of 2" in pane_text(app, "header")
        assert "filter: model=boreal" in pane_text(app, "header")
        await press(pilot, "colon", "ctrl+u", "enter")
        assert "of 8" in pane_text(app, "header")
        assert "filter" not in pane_text(app, "header")
        assert not events(study)


async def test_search_counts_hits_and_n_goes_on(study: Study) -> None:
    async with on_screen(workbench(study)) as (app, pilot):
        await put_in(pilot, "slash", text="norepinephrine")
        assert "1/2" in pane_text(app, "bar")
        await press(pilot, "n")
        assert "2/2" in pane_text(app, "bar")
        await press(pilot, "n")
        assert "last hit" in pane_text(app, "foot")
        await press(pilot, "comma")
        assert "1/2" in pane_text(app, "bar")
        await press(pilot, "escape")
        assert "1/2" not in pane_text(app, "bar")
        assert not events(study)
        await put_in(pilot, "slash", text="aspirin")
        assert "is not in this text" in pane_text(app, "foot")
        await press(pilot, "escape", "n")
        assert "note S1:" in pane_text(app, "foot")


async def test_highlights_go_round_and_round(study: Study) -> None:
    async with on_screen(blind_workbench(study, "responses")) as (app, pilot):
        while len(review_screen(app).session.source_highlights().stops) < 2:
            await press(pilot, "j")
        stops = review_screen(app).session.source_highlights().stops
        assert len(stops) > 1
        seen = []
        for _ in range(len(stops) + 1):
            seen.append(review_screen(app).source.active)
            await press(pilot, "m")
        assert set(seen) == set(stops)
        assert seen[0] == seen[len(stops)]
        await press(pilot, "M")
        assert review_screen(app).source.active == seen[0]


async def test_resize_keeps_statement_place_and_half_typed_note(study: Study) -> None:
    async with on_screen(workbench(study)) as (app, pilot):
        await press(pilot, "j", "space", "space", "n")
        await paste(pilot, "half")
        place = review_screen(app).source.first_offset
        for size in ((160, 50), (110, 30), (60, 20), (80, 24)):
            await pilot.resize_terminal(*size)
            assert "half" in pane_text(app, "foot")
            assert "2 of 8" in pane_text(app, "header")
        assert abs(review_screen(app).source.first_offset - place) < 80
        await press(pilot, "escape")
        assert "n goes on writing it" in pane_text(app, "foot")
        await press(pilot, "j", "k", "n")
        assert "half" in pane_text(app, "foot")
        await press(pilot, "enter", "n")
        assert "half" in pane_text(app, "foot")
        assert [json.loads(row["payload"])["text"] for row in events(study, "note")] == ["half"]


async def test_no_size_of_the_terminal_is_lost_where_the_machine_gives_the_program_no_time(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    readings = count()
    async with on_screen(workbench(study)) as (app, pilot):
        with monkeypatch.context() as busy:  # each time that Textual looks at the clock, ten milliseconds have gone by
            busy.setattr("textual._time.get_time", lambda: next(readings) / 100)
            await pilot.resize_terminal(100, 30)
        await pilot.resize_terminal(160, 50)
        assert app.screen.size == (160, 50)


async def test_the_queue_pane_groups_by_response_and_follows(study: Study) -> None:
    async with on_screen(workbench(study), 160, 50) as (app, pilot):
        await press(pilot, "2")
        rows = [line[:34].rstrip() for line in screen_text(app).splitlines()]
        assert " ▸R01  atlas-2                1/4" in rows
        assert any(row.startswith("    ~ S1  partial") for row in rows)
        assert any(row.startswith(" ▸  · S2  quote changed") for row in rows)
        await press(pilot, "j", "j", "j")
        rows = [line[:34].rstrip() for line in screen_text(app).splitlines()]
        assert any(row.startswith(" ▸R02  boreal") for row in rows)
    async with on_screen(workbench(study, "flagged"), 160, 50) as (app, pilot):
        await pilot.pause()
        rows = [line[:34].rstrip() for line in screen_text(app).splitlines()]
        assert " ▸· R02 S2  quote not on page" in rows  # not response by response: it names its response itself
