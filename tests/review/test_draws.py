"""Draws: the same from the same seed, spread over strata, kept with all that they were made by, and a filter."""

import json
from pathlib import Path
from typing import Any

import pytest

from medreview.errors import UserError
from medreview.exchange.exports.package import package
from medreview.review.draws import DrawnNow, allotted, draw, draw_named, draws, frame_named, strata_now
from medreview.review.queue import kind_named, open_queue
from medreview.review.queue_filters import FilterWords, select_statements, select_units
from medreview.study import Study
from tests.support.study_builder import StudyBuilder, build

MODELS = {"atlas": 200, "boreal": 120, "cirrus": 79, "ember": 1}


def fill(rows: StudyBuilder) -> None:
    for place, (model, size) in enumerate(MODELS.items()):
        rows.page(f"u{place}", "A page.")
        rows.response(
            f"r{place}", cites=[f"u{place}"], statements=[f"{model} {n}." for n in range(size)], model=model,
            origin="forum" if place % 2 else "clinic", question=f"Question {place}?",
        )  # fmt: skip


@pytest.fixture
def study(empty_study: Study) -> Study:
    build(empty_study, fill)
    return empty_study


def drawn(study: Study, kind: str, size: int | None, **more: Any) -> DrawnNow:
    return draw(study, "kb", frame_named(kind), size, **more)


def test_a_seed_draws_the_same_units_in_the_same_order_in_every_study_of_the_same_material(
    study: Study, tmp_path: Path
) -> None:
    with Study.create(tmp_path / "other.medreview") as other:
        build(other, fill)
        theirs = drawn(other, "pairs", 40, seed="s1", by=["model"]).draw
    ours = drawn(study, "pairs", 40, seed="s1", by=["model"]).draw
    assert ours.units == theirs.units
    assert ours.frame_sha256 == theirs.frame_sha256
    few = drawn(study, "pairs", 10, seed="s1", name="few").draw.units
    many = drawn(study, "pairs", 60, seed="s1", name="many").draw.units
    assert few == many[:10]
    assert drawn(study, "pairs", 10, seed="s2", name="another").draw.units != few
    assert drawn(study, "pairs", None, name="all").draw.words.startswith("all 400 pairs, in a random order")


@pytest.mark.parametrize(
    ("size", "held", "allot", "expected"),
    [
        (100, [200, 120, 79, 1], "share", [50, 30, 20, 0]),
        (100, [200, 120, 79, 1], "equal", [33, 33, 33, 1]),
        (6, [200, 120, 79, 1], "equal", [2, 2, 1, 1]),
        (2, [5, 5, 5], "equal", [1, 1, 0]),
        (400, [200, 120, 79, 1], "share", [200, 120, 79, 1]),
        (400, [200, 120, 79, 1], "equal", [200, 120, 79, 1]),
    ],
)
def test_a_size_is_spread_over_strata_by_their_share_or_equally(
    size: int, held: list[int], allot: Any, expected: list[int]
) -> None:
    assert allotted(size, held, allot) == expected


def test_the_record_has_what_a_draw_was_made_by_and_no_names_that_would_tell_who_wrote_what(study: Study) -> None:
    made = drawn(study, "statements", 100, by=["model"], where="model=atlas", seed="s1")
    assert [(one.name, one.frame, one.drawn) for one in made.draw.strata] == [("", 200, 100)]
    drawn(study, "statements", 100, by=["model", "origin"])
    drawn(study, "statements", 10, by=["origin"], where="page=ok")
    events = [row[0] for row in study.reader.execute("SELECT payload FROM event WHERE kind = 'draw' ORDER BY seq")]
    assert not any(model in event for model in MODELS for event in events)
    assert [json.loads(event)["name"] for event in events] == ["statements", "statements-2", "statements-3"]
    assert json.loads(events[0])["where"] == "model=..."
    assert {one["name"] for one in json.loads(events[2])["strata"]} == {"clinic", "forum"}
    named = strata_now(study.reader, draw_named(study.reader, "statements-2"))
    assert [(one.name, one.drawn) for one in named] == [
        ("atlas · clinic", 50), ("boreal · forum", 30), ("cirrus · clinic", 20), ("ember · forum", 0),
    ]  # fmt: skip
    # In the order of the draw strata are mixed: a place in it tells nothing.
    mixed = [unit.split(".")[0] for unit in draw_named(study.reader, "statements-2").units]
    assert mixed != sorted(mixed)


def test_the_same_draw_again_is_no_event_and_says_whether_the_seed_still_draws_it(study: Study) -> None:
    first = drawn(study, "pairs", 30, name="p")
    again = drawn(study, "pairs", 30, name="p")
    assert (again.draw, again.new, again.same) == (first.draw, False, True)
    build(study, lambda rows: rows.response("late", cites=["u0"], statements=[f"late {n}." for n in range(300)]))
    later = drawn(study, "pairs", 30, name="p")
    assert (later.draw, later.new, later.same) == (first.draw, False, False)
    assert study.reader.execute("SELECT count(*) FROM event WHERE kind = 'draw'").fetchone()[0] == 1


@pytest.mark.parametrize(
    ("kind", "size", "more", "why"),
    [
        ("cells", 3, {}, "no kind of unit 'cells'"),
        ("pairs", 401, {}, "400 pairs to draw from"),
        ("qa", 3, {}, "no QA item to draw from"),
        ("pairs", 3, {"by": ["type"]}, "can be by model, origin"),
        ("pairs", 3, {"name": "a b"}, "letters, digits"),
        ("pairs", 3, {"name": "taken"}, "drawn already"),
        ("statements", 5, {"name": "taken"}, "drawn already"),
        ("pairs", 5, {"name": "taken", "allot": "equal"}, "drawn already"),
        ("pairs", 5, {"name": "taken", "by": ["origin"]}, "drawn already"),
        ("pairs", 5, {"name": "taken", "seed": "s2"}, "drawn already"),
        ("pairs", 5, {"name": "taken", "where": "origin=forum"}, "drawn already"),
        ("statements", 3, {"where": "verdict=supported"}, "what machines say"),
        ("statements", 3, {"where": "colour=red"}, "cannot use 'colour'"),
        ("asked", 3, {"where": "origin=forum"}, "takes no filter"),
        ("addresses", 3, {"by": ["model"]}, "can be by domain"),
    ],
)
def test_what_cannot_be_drawn_is_refused(study: Study, kind: str, size: int, more: Any, why: str) -> None:
    drawn(study, "pairs", 5, name="taken")
    with pytest.raises(UserError, match=why):
        drawn(study, kind, size, **more)
    assert list(draws(study.reader)) == ["taken"]


def test_a_draw_is_a_filter_of_queues_and_figures(study: Study) -> None:
    units = drawn(study, "pairs", 30, name="p").draw.units
    statements = drawn(study, "statements", 20, name="s").draw.units
    drawn(study, "asked", 2, name="q")
    drawn(study, "addresses", 3, name="u")
    assert set(open_queue(study, "pairs", "ada", filter="drawn=p").units) == set(units)
    assert set(open_queue(study, "responses", "ada", filter="drawn=s", blind=True).units) == set(statements)
    assert select_statements(study.reader, "drawn=s").statements == set(statements)
    part = select_units(study.reader, "pair", "drawn=p")
    assert part is not None
    assert part.units == set(units)
    asked = select_statements(study.reader, "asked=q").statements or frozenset()
    assert {unit.split(".")[0] for unit in asked} == {
        f"r{question.removeprefix('Question ').removesuffix('?')}" for question in draw_named(study.reader, "q").units
    }
    with pytest.raises(UserError, match="Nothing in the study fits"):
        select_statements(study.reader, "drawn=p")
    words = FilterWords(study.reader, kind_named("pairs"), "blind")
    assert words.values("drawn") == ["p"]
    assert FilterWords(study.reader, kind_named("responses"), "open").values("asked") == ["q"]


def test_a_draw_by_model_goes_with_a_copy_that_has_no_models(study: Study, tmp_path: Path) -> None:
    units = drawn(study, "pairs", 30, name="p", by=["model"]).draw.units
    package(study, tmp_path / "copy.medreview", "kb", made_for="ada", without=("models", "labels"))
    with Study.open(tmp_path / "copy.medreview") as copy:
        assert set(open_queue(copy, "pairs", "ada", filter="drawn=p").units) == set(units)
        assert draw_named(copy.reader, "p").units == units
        with pytest.raises(UserError, match="lacks the names of the models"):
            drawn(copy, "pairs", 3, by=["model"])


def test_questions_are_those_that_were_asked_and_addresses_those_that_are_cited(empty_study: Study) -> None:
    def few(rows: StudyBuilder) -> None:
        rows.page("cited")
        rows.page("beside")
        rows.response("r1", cites=["cited"], question="How much?")
        rows.response("r2", cites=["cited"], question="How much?")
        rows.response("r3", question="")

    build(empty_study, few)
    assert drawn(empty_study, "asked", None).draw.units == ("How much?",)
    assert drawn(empty_study, "addresses", None).draw.units == ("url:https://cited.example/",)


def test_as_many_invalid_addresses_can_be_drawn_as_are_wanted(empty_study: Study) -> None:
    def some(rows: StudyBuilder) -> None:
        for number in range(6):
            gone: dict[str, Any] = {"page_state": "http_error", "status": 404} if number % 2 else {}
            rows.page(f"p{number}", "" if gone else "Fluids are given early.", **gone)
        rows.response("r1", cites=[f"p{number}" for number in range(6)])

    build(empty_study, some)
    found = drawn(empty_study, "addresses", 4, by=["valid"], allot="equal").draw
    assert [(one.name, one.frame, one.drawn) for one in found.strata] == [("invalid", 3, 2), ("valid", 3, 2)]
