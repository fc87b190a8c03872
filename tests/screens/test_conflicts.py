"""Conflicts on the screen: both labels, a digit settles, undo opens again; a copy says what it lacks."""

import json

import pytest

from medreview.cli.plain import review_plain
from medreview.config import Config
from medreview.exchange.exports.package import package
from medreview.exchange.exports.study_part import shards
from medreview.review.conflicts import conflicts
from medreview.review.open_session import open_session
from medreview.review.queue import open_queue
from medreview.review.repeat_annotation import set_share
from medreview.screens.app import Workbench
from medreview.study import Study
from medreview.units.registry import KINDS
from tests.support.unit_study import decide, decide_all, do, fill, units_of
from tests.support.workbench import PLAIN, events, on_screen, press, review_screen, screen_text


@pytest.fixture
def study(empty_study):
    fill(empty_study)
    decide_all(empty_study, "ada", 0)
    decide_all(empty_study, "bo", 1)
    unit = units_of(empty_study)["statement"]
    given = decide(empty_study, "bo", unit, "evidence", "partial")
    do(empty_study, "bo", "reason", unit, {"decision": given.event_id, "code": "number"})
    do(empty_study, "bo", "note", unit, {"text": "only the INR is named"})
    return empty_study


def opened(study: Study, queue: str, reviewer: str = "chair") -> Workbench:
    return Workbench(study, Config(reviewer=reviewer), PLAIN, queue=open_queue(study, queue, reviewer))


@pytest.mark.parametrize("size", [(80, 24), (160, 50)])
async def test_both_labels_stand_beside_the_statement_and_a_digit_settles_and_undo_opens_again(study, size):
    async with on_screen(opened(study, "conflicts"), *size) as (app, pilot):
        await pilot.pause()
        text = screen_text(app)
        assert "Warfarin needs no monitoring." in text
        assert "ada ✗ CONTRADICTED" in " ".join(text.split())
        assert "bo ~ PARTIAL" in " ".join(text.split())
        assert "only the INR is named" in text
        assert "SUPPORTED" not in text
        assert "s defer" not in " ".join(text.split())
        assert "n note" in " ".join(text.split())
        await press(pilot, "question_mark")
        assert "Not here: what is not settled stays open." in " ".join(screen_text(app).split()) or size[1] < 50
        await press(pilot, "escape")
        await press(pilot, "3")
        assert "settled: ✗ CONTRADICTED by chair" in screen_text(app)
        assert "settled: contradicted, by a third reviewer" in screen_text(app)
        (given,) = events(study, "adjudicate")
        assert (given["label"], given["mode"], given["block"]) == ("contradicted", "blind", "conflicts")
        assert list(conflicts(study.reader, "statement", settled=False)) == []
        await press(pilot, "u")
        assert "undone: settled as contradicted" in screen_text(app)
        assert [one.open for one in conflicts(study.reader, "statement")] == [True]
        await press(pilot, "s")
        assert "stays open" in screen_text(app)


@pytest.mark.parametrize("kind", ["pair", "response", "qa", "question", "answer", "fact", "suggestion"])
async def test_conflicts_on_other_units_are_settled_by_their_own_digits(study, kind):
    async with on_screen(opened(study, f"conflicts_{KINDS[kind].queue_name}", "ada")) as (app, pilot):
        await pilot.pause()
        place = review_screen(app).session.queue.units.index(units_of(study)[kind])
        await press(pilot, *["j"] * place)
        text = screen_text(app)
        assert "── ada " in text
        assert " bo " in text
        await press(pilot, "2")
        (given,) = events(study, "adjudicate")
        assert "by agreement" in screen_text(app)
        assert (given["reviewer"], given["unit"]) == ("ada", units_of(study)[kind])


async def test_the_first_screen_says_which_shard_it_is_of(study, tmp_path):
    second = [*shards(study.reader, 2)][1]
    package(study, tmp_path / "shard.medreview", "ada", without=(), part=second)
    with Study.open(tmp_path / "shard.medreview") as shard:
        async with on_screen(Workbench(shard, Config(reviewer="zoe"), PLAIN), 80, 24) as (app, pilot):
            await pilot.pause()
            assert " shard 2 of 2 by ada of " in screen_text(app)


async def test_the_first_screen_lists_conflicts_and_the_share_and_says_what_a_copy_lacks(study, tmp_path):
    set_share(study, "ada", "statement", 1.0)
    package(study, tmp_path / "copy.medreview", "ada", made_for="zoe")
    async with on_screen(Workbench(study, Config(reviewer="zoe"), PLAIN), 100, 60) as (app, pilot):
        await pilot.pause()
        text = screen_text(app)
        assert " C  conflicts" in text
        assert " J  second annotator, blind" in text
        assert "a copy by" not in text
    with Study.open(tmp_path / "copy.medreview") as copy:
        async with on_screen(Workbench(copy, Config(reviewer="zoe"), PLAIN), 80, 60) as (app, pilot):
            await pilot.pause()
            text = screen_text(app)
            assert "a copy by ada of " in text
            assert "without: judges, models, gold, labels, notes" in text
            assert " J  second annotator, blind" in text
            await press(pilot, "J")
            await press(pilot, "1")
            assert "→ supported" in screen_text(app)
        assert open_queue(copy, "responses", "zoe").mode == "blind"
        (given,) = events(copy, "decide")
        assert (given["reviewer"], given["mode"], given["block"]) == ("zoe", "blind", "share")


async def test_anothers_note_comes_after_ones_own_label_and_a_label_after_it_says_so(study):
    async with on_screen(opened(study, "responses", "zoe")) as (app, pilot):
        await pilot.pause()
        assert "note of bo" not in screen_text(app)
        await press(pilot, "1")
        assert "note of bo (W)" in screen_text(app)
        await press(pilot, "W")
        assert "note of bo: only the INR is named" in screen_text(app)
        await press(pilot, "escape", "2")
    first, second = (json.loads(row["payload"])["exposure"] for row in events(study) if row["reviewer"] == "zoe")
    assert (first["other_reviewer"], second["other_reviewer"]) == ("no", "before")


def test_line_mode_says_both_labels_and_settles(study, capsys, monkeypatch):
    lines = iter(["?", "2", "u", "q"])
    monkeypatch.setattr("builtins.input", lambda _prompt="": next(lines))
    review_plain(open_session(study, "chair", open_queue(study, "conflicts", "chair")))
    said = capsys.readouterr().out
    assert "ada: contradicted, blind" in said
    assert "bo: partial, blind" in said
    assert "note: only the INR is named" in said
    assert "settled: partial, by a third reviewer" in said
    assert "undone: settled as partial" in said
    assert "settles it: 1 supported" in said
    assert "s       defer" not in said
    assert "agree with the judges" not in said


def _in_places(study: Study, unit: str, order: str) -> str:
    view = KINDS["ranking"].load(study.reader, unit)
    return KINDS["ranking"].label_words(view, order)


@pytest.mark.parametrize("plain", [False, True])
async def test_orders_that_differ_are_told_in_the_places_on_the_screen_by_which_one_is_settled(
    study, plain, capsys, monkeypatch
):
    study.write(lambda c: c.execute("UPDATE study SET value = 'study_7' WHERE key = 'study_id'"))
    unit = units_of(study)["ranking"]
    numbers = KINDS["ranking"].load(study.reader, unit).numbers
    assert list(numbers) != sorted(numbers)
    stored = ">".join(map(str, sorted(numbers)))
    decide(study, "ada", unit, "rank", stored)
    decide(study, "bo", unit, "rank", ">".join(map(str, sorted(numbers, reverse=True))))
    in_places = _in_places(study, unit, stored)
    assert in_places != stored
    if plain:
        lines = iter([f"rank {in_places}", "u", "q"])
        monkeypatch.setattr("builtins.input", lambda _prompt="": next(lines))
        review_plain(open_session(study, "chair", open_queue(study, "conflicts_rankings", "chair"), at=unit))
        text = capsys.readouterr().out
        assert f"ada: {in_places}, blind" in text
    else:
        async with on_screen(opened(study, "conflicts_rankings", "chair"), 160, 50) as (app, pilot):
            await press(pilot, *["j"] * review_screen(app).session.queue.units.index(unit))
            assert f"ada  {in_places}" in screen_text(app)
            await press(pilot, *in_places.split(">"))
            text = screen_text(app)
            assert f"settled: {in_places} by chair" in text
            await press(pilot, "u")
            text += screen_text(app)
    assert f"settled: {in_places}, by a third reviewer" in text
    assert "undone: settled as the order of the outputs" in text
    (given,) = events(study, "adjudicate")
    assert given["label"] == stored
