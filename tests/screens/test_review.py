import json
from pathlib import Path
from typing import Any

import pytest

from medreview.study import Study
from medreview.study.events import verify

each_size = pytest.mark.parametrize("size", [(80, 24), (160, 50)], ids=["80x24", "160x50"])


@each_size
async def test_one_key_decides_saves_and_advances(kit: Any, study: Study, size: tuple[int, int]) -> None:
    app = kit.bench(study)
    async with app.run_test(size=size) as pilot:
        assert "1 of 8" in kit.part(app, "header")
        await kit.press(pilot, "2")  # as the judge says
        assert [row["label"] for row in kit.events(study)] == ["partial"]
        assert "2 of 8" in kit.part(app, "header")
        assert "decided 1 · deferred 0 · open 7" in kit.part(app, "header")
        assert "last  S1 → partial · you and the judges   saved #" in kit.part(app, "foot")
        assert "50 mL/kg of crystalloid" in " ".join(kit.screen_text(app).split())
        payload = json.loads(kit.events(study)[0]["payload"])
        assert payload["exposure"]["judge_verdict"] == "before"
        assert payload["keys"] == 1


@each_size
async def test_override_with_a_reason_in_two_keys(kit: Any, study: Study, size: tuple[int, int]) -> None:
    app = kit.bench(study)
    async with app.run_test(size=size) as pilot:
        await kit.press(pilot, "j", "3")
        assert "Why not “supported”?" in kit.part(app, "foot")
        assert "saved #" in kit.part(app, "foot")
        assert [row["label"] for row in kit.events(study)] == ["contradicted"]
        assert "2 of 8" in kit.part(app, "header")
        await kit.press(pilot, "1")
        decision, reason = kit.events(study)
        assert json.loads(reason["payload"]) == {"decision": decision["event_id"], "code": "number"}
        assert "3 of 8" in kit.part(app, "header")
        assert "S2 → contradicted · number" in kit.part(app, "foot")


async def test_the_reason_strip_can_be_left_in_every_way(kit: Any, study: Study) -> None:
    app = kit.bench(study)
    async with app.run_test(size=(80, 24)) as pilot:
        await kit.press(pilot, "j", "3", "enter")
        assert "3 of 8" in kit.part(app, "header")
        assert not kit.events(study, "reason")
        await kit.press(pilot, "k", "2", "escape")
        assert "2 of 8" in kit.part(app, "header")
        assert "1 supported" in kit.part(app, "foot")
        await kit.press(pilot, "4", "k")  # movement closes the strip and acts
        assert "1 of 8" in kit.part(app, "header")
        assert "1 supported" in kit.part(app, "foot")
        await kit.press(pilot, "j", "5", "space", "n", "w", "h", "y", "enter")  # paging leaves it open; then in words
        assert [json.loads(row["payload"])["text"] for row in kit.events(study, "note")] == ["why"]
        assert "3 of 8" in kit.part(app, "header")


@each_size
async def test_hallucination_with_type_span_and_note(kit: Any, study: Study, size: tuple[int, int]) -> None:
    app = kit.bench(study)
    async with app.run_test(size=size) as pilot:
        await kit.press(pilot, "j", "h", "1")
        assert "FACT" in kit.part(app, "foot")
        assert "Patients with septic shock" in kit.screen_text(app)
        assert kit.review(app).response.marks.of_kind("span")
        await kit.press(pilot, "b", "o", "w")
        await kit.press(pilot, "enter", "n")
        await kit.typed(pilot, "ask")
        await kit.press(pilot, "enter")
        span = json.loads(kit.events(study, "span_add")[0]["payload"])
        item = kit.review(app).session.item
        assert item is not None
        assert span["exact"] == item.response[span["start"] : span["end"]]
        assert span["exact"].startswith("with septic shock")
        assert span["exact"].endswith("first 3 hours")
        assert json.loads(kit.events(study, "note")[0]["payload"])["text"] == "ask"
        assert kit.events(study, "decide")[0]["label"] == "fact"
        assert "hallucination fact" in kit.screen_text(app)
        if size == (80, 24):
            assert not kit.review(app).reading.shows_response


async def test_a_span_in_the_source(kit: Any, study: Study) -> None:
    app = kit.bench(study)
    async with app.run_test(size=(80, 24)) as pilot:
        await kit.press(pilot, "j", "h", "1", "S", "b", "enter")
        (event,) = kit.events(study, "span_add")
        span = json.loads(event["payload"])
        assert span["target"] == "source"
        assert span["exact"].startswith("give 30 mL/kg")
        assert event["snapshot"]
        await kit.press(pilot, "h", "2", "escape")
        assert len(kit.events(study, "span_add")) == 1


async def test_undo_after_reopening_goes_to_the_statement(kit: Any, study_path: Path) -> None:
    with Study.open(study_path) as study:
        app = kit.bench(study)
        async with app.run_test(size=(80, 24)) as pilot:
            await kit.press(pilot, "1", "enter", "5", "enter", "q")
    with Study.open(study_path) as study:
        app = kit.bench(study)
        async with app.run_test(size=(80, 24)) as pilot:
            assert "3 of 8" in kit.part(app, "header")  # the same place
            assert "decided 2" in kit.part(app, "header")
            await kit.press(pilot, "u")
            assert "2 of 8" in kit.part(app, "header")
            assert "undone: cannot judge" in kit.part(app, "foot")
            assert "decided 1" in kit.part(app, "header")
            await kit.press(pilot, "U")
            assert "decided 2" in kit.part(app, "header")
            assert verify(study.reader) == []


async def test_filter_narrows_and_says_what_is_wrong(kit: Any, study: Study) -> None:
    app = kit.bench(study)
    async with app.run_test(size=(80, 24)) as pilot:
        await kit.press(pilot, "colon")
        await kit.typed(pilot, "colour=red")
        await kit.press(pilot, "enter")
        assert "A filter cannot use 'colour'" in kit.part(app, "foot")
        await kit.press(pilot, "ctrl+u")
        await kit.typed(pilot, "model=boreal")
        await kit.press(pilot, "enter")
        assert "1 of 2" in kit.part(app, "header")
        assert "filter: model=boreal" in kit.part(app, "header")
        await kit.press(pilot, "colon", "ctrl+u", "enter")
        assert "of 8" in kit.part(app, "header")
        assert "filter" not in kit.part(app, "header")
        assert not kit.events(study)


async def test_search_counts_hits_and_n_goes_on(kit: Any, study: Study) -> None:
    app = kit.bench(study)
    async with app.run_test(size=(80, 24)) as pilot:
        await kit.press(pilot, "slash")
        await kit.typed(pilot, "norepinephrine")
        await kit.press(pilot, "enter")
        assert "1/2" in kit.part(app, "bar")
        await kit.press(pilot, "n")
        assert "2/2" in kit.part(app, "bar")
        await kit.press(pilot, "n")
        assert "last hit" in kit.part(app, "foot")
        await kit.press(pilot, "comma")
        assert "1/2" in kit.part(app, "bar")
        await kit.press(pilot, "escape")
        assert "1/2" not in kit.part(app, "bar")
        assert not kit.events(study)
        await kit.press(pilot, "slash")
        await kit.typed(pilot, "aspirin")
        await kit.press(pilot, "enter")
        assert "is not in this source" in kit.part(app, "foot")
        await kit.press(pilot, "escape", "n")
        assert "note S1:" in kit.part(app, "foot")


async def test_highlights_go_round_and_round(kit: Any, study: Study) -> None:
    app = kit.bench(study)
    async with app.run_test(size=(80, 24)) as pilot:
        await kit.press(pilot, "j")
        stops = kit.review(app).session.source_highlights().stops
        assert len(stops) > 1
        seen = []
        for _ in range(len(stops) + 1):
            seen.append(kit.review(app).source.active)
            await kit.press(pilot, "m")
        assert set(seen) == set(stops)
        assert seen[0] == seen[len(stops)]
        await kit.press(pilot, "M")
        assert kit.review(app).source.active == seen[0]


async def test_resize_keeps_statement_place_and_half_typed_note(kit: Any, study: Study) -> None:
    app = kit.bench(study)
    async with app.run_test(size=(80, 24)) as pilot:
        await kit.press(pilot, "j", "space", "space", "n")
        await kit.typed(pilot, "half")
        place = kit.review(app).source.first_offset
        for size in ((160, 50), (110, 30), (60, 20), (80, 24)):
            await pilot.resize_terminal(*size)
            await pilot.pause(0.2)
            assert "half" in kit.part(app, "foot")
            assert "2 of 8" in kit.part(app, "header")
        assert abs(kit.review(app).source.first_offset - place) < 80
        await kit.press(pilot, "escape")
        assert "n goes on writing it" in kit.part(app, "foot")
        await kit.press(pilot, "j", "k", "n")
        assert "half" in kit.part(app, "foot")
        await kit.press(pilot, "enter", "n")
        assert "half" in kit.part(app, "foot")
        assert [json.loads(row["payload"])["text"] for row in kit.events(study, "note")] == ["half"]


async def test_the_queue_pane_groups_by_response_and_follows(kit: Any, study: Study) -> None:
    app = kit.bench(study)
    async with app.run_test(size=(160, 50)) as pilot:
        await kit.press(pilot, "2")
        rows = [line[:34].rstrip() for line in kit.screen_text(app).splitlines()]
        assert " ▸R01  atlas-2                1/4" in rows
        assert "    ✓ S1 supported" not in rows
        assert "    ~ S1 partial" in rows
        assert any(row.startswith(" ▸  · S2 quote altered") for row in rows)
        await kit.press(pilot, "j", "j", "j")
        rows = [line[:34].rstrip() for line in kit.screen_text(app).splitlines()]
        assert any(row.startswith(" ▸R02  boreal") for row in rows)
    app = kit.bench(study, "flagged")
    async with app.run_test(size=(160, 50)) as pilot:
        await pilot.pause()
        rows = [line[:34].rstrip() for line in kit.screen_text(app).splitlines()]
        assert " ▸R02 · S2 quote absent" in rows  # alone: it names its response itself
