"""Ranking outputs, deciding on facts and adding one's own, by keys on the screen: what is stored, shown, undone."""

import json
from typing import Any

import pytest

from medreview.review.actions import actions_for
from medreview.review.session import ReviewSession
from medreview.screens.app import Workbench
from medreview.study import Study
from medreview.units.registry import KINDS
from medreview.units.suggestion import case_facts, fact_counts
from tests.support.unit_samples import SAMPLES
from tests.support.workbench import blind_workbench, events, press, resize, review_screen, screen_text


@pytest.fixture
def study(empty_study: Study, request: pytest.FixtureRequest) -> Study:
    SAMPLES[request.param](empty_study)
    return empty_study


def payloads(study: Study, *kinds: str) -> list[dict[str, Any]]:
    return [json.loads(row["payload"]) for row in events(study, *kinds)]


def units(app: Workbench) -> ReviewSession:
    return review_screen(app).session


of = pytest.mark.parametrize


@of("study", ["ranking"], indirect=True)
@of("size", [(80, 24), (160, 50)])
async def test_a_ranking_takes_a_digit_for_each_output_then_a_letter_and_one_undo_opens_it(study, size):
    app = blind_workbench(study, "rankings")
    async with app.run_test(size=size) as pilot:
        session = units(app)
        unit, numbers = session.unit, session.view.numbers
        outputs = len(numbers)
        assert f"1-{outputs} next best output" in screen_text(app)
        for place in range(outputs, 1, -1):
            await press(pilot, str(place))
        assert events(study, "decide") == []
        await press(pilot, "9", "backspace", "2", "=", "1")
        assert "output 1:" in screen_text(app)
        await press(pilot, "g", "2")
        assert units(app).document.title == "output 3"
        await press(pilot, *"b" * (outputs - 2))
        *labels, order = payloads(study, "decide")
        qualities, flags = labels[:outputs], labels[outputs:]
        assert [(one["axis"], one["label"]) for one in flags] == [
            (f"hallucinated/{number}", "not_flagged") for number in numbers
        ]
        before = "".join(f"{numbers[place - 1]}>" for place in range(outputs, 2, -1))
        tie = "=".join(str(number) for number in (numbers[0], numbers[1]))
        assert (order["axis"], order["label"]) == ("rank", f"{before}{tie}")
        assert (order["shown"], len(order["seed"])) == (list(numbers), 16)
        assert [one["axis"] for one in qualities] == [f"quality/{number}" for number in numbers]
        assert [one["label"] for one in qualities][:2] == ["good", "okay"]
        assert session.unit != unit
        await press(pilot, "k")
        assert "1 Good · 2 Okay · 3 Bad" in " ".join(screen_text(app).split())
        await press(pilot, "u")
        assert session.unit == unit
        assert session.own.label is None
        assert "undone: the order of the outputs" in screen_text(app)


@of("study", ["ranking"], indirect=True)
@of("size", [(80, 24), (100, 30)])
async def test_an_output_is_flagged_as_hallucinated_before_its_quality_and_undo_takes_all_of_it_back(study, size):
    app = blind_workbench(study, "rankings")
    async with app.run_test(size=size) as pilot:
        unit, numbers = units(app).unit, units(app).view.numbers
        await press(pilot, *map(str, range(1, len(numbers) + 1)))
        assert "f hallucinated" in screen_text(app)
        await press(pilot, "f")
        assert "output 1 flagged:" in screen_text(app)
        assert "Esc leaves" in screen_text(app)
        await press(pilot, "b", "f", "backspace", *"g" * (len(numbers) - 1))
        flags = {one["axis"]: one["label"] for one in payloads(study, "decide") if "hallucinated" in one["axis"]}
        assert flags == {f"hallucinated/{number}": "flagged" if number == numbers[0] else "not_flagged"
                         for number in numbers}  # fmt: skip
        await press(pilot, "k")
        assert units(app).unit == unit
        assert "1 Bad · 1 hallucinated · 2 Good" in " ".join(screen_text(app).split())
        await press(pilot, "u")
        assert units(app).unit == unit
        assert units(app).own.label is None
        await press(pilot, *map(str, range(1, len(numbers) + 1)), *"g" * len(numbers))
        flagged = study.reader.execute("SELECT count(*) FROM decision_current WHERE label = 'flagged'").fetchone()[0]
        assert flagged == 0  # what is given again takes the place of what was there


@of("study", ["ranking"], indirect=True)
async def test_an_order_that_was_begun_outlives_another_size_of_the_terminal(study):
    app = blind_workbench(study, "rankings")
    async with app.run_test(size=(160, 50)) as pilot:
        numbers = units(app).view.numbers
        await press(pilot, "2", "=", "1")
        await resize(app, pilot, 80, 24)
        assert "best 1 = 2 > … worst" in screen_text(app) or "best 2 = 1 > … worst" in screen_text(app)
        await press(pilot, *map(str, range(3, len(numbers) + 1)), "g")
        await resize(app, pilot, 160, 50)
        await press(pilot, *"o" * (len(numbers) - 1))
        *_, order = payloads(study, "decide")
        assert order["label"].startswith("=".join(map(str, numbers[:2])))


@of("study", ["ranking"], indirect=True)
async def test_an_order_that_was_begun_is_is_left_without_a_trace_and_a_digit_too_many_is_told(study):
    app = blind_workbench(study, "rankings")
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "9")
        assert f"There are {len(units(app).view.numbers)} outputs here." in screen_text(app)
        await press(pilot, "1", "right_square_bracket")
        assert "takes back" in screen_text(app)
        await press(pilot, "escape")
        assert "takes back" not in screen_text(app)
        assert events(study, "decide") == []


@of("study", ["suggestion"], indirect=True)
async def test_facts_are_kept_discarded_and_edited_and_the_words_are_asked_for(study):
    app = blind_workbench(study, "suggestions")
    async with app.run_test(size=(80, 24)) as pilot:
        first = units(app).view.text
        await press(pilot, "1", "2", "3", "enter")
        assert "It reads like this already: 1 keep." in screen_text(app)
        await press(pilot, *["backspace"] * 400, "enter")
        assert "There are no words yet." in screen_text(app)
        await press(pilot, *"Shorter", "enter")
        labels = [(one["label"], one.get("text")) for one in payloads(study, "decide")]
        assert labels == [("kept", None), ("discarded", None), ("edited", "Shorter")]
        await press(pilot, "k", "c", "o")
        assert "you: ~ edit · category other · “Shorter”" in screen_text(app)
        counts = fact_counts(case_facts(study.reader))
        assert (counts.kept, counts.discarded, counts.edited, counts.open) == (1, 1, 1, 12)
        edited = next(fact for fact in case_facts(study.reader) if fact.state == "edited")
        assert (edited.text, edited.category) == ("Shorter", "other")
        facts = study.reader.execute("SELECT text FROM key_fact_in_force ORDER BY added_at, ordinal").fetchall()
        assert {row[0] for row in facts} == {first, "Shorter"}


@of("study", ["suggestion"], indirect=True)
async def test_an_own_fact_is_kept_by_being_added_and_two_undos_take_it_away(study):
    app = blind_workbench(study, "suggestions")
    async with app.run_test(size=(160, 50)) as pilot:
        here = units(app).unit
        await press(pilot, "plus", "enter")
        assert "There are no words yet." in screen_text(app)
        await press(pilot, *"Her", "enter", "m")
        own = next(fact for fact in case_facts(study.reader) if fact.own)
        assert (own.text, own.category, own.state) == ("Her", "management", "kept")
        assert units(app).unit == here
        assert "F6" in screen_text(app)
        assert units(app).state_of(own.unit) == "decided"
        await press(pilot, "plus", *"Her", "enter", "m")
        assert "The case has this fact already." in screen_text(app)
        await press(pilot, "u", "u")
        assert not any(fact.own for fact in case_facts(study.reader))
        assert own.unit not in units(app).queue.units
        assert "undone: added “Her”" in screen_text(app)
        await press(pilot, "1")
        assert payloads(study, "decide")[-1]["label"] == "kept"


@of("study", ["fact"], indirect=True)
async def test_a_vote_on_a_fact_is_one_key_and_the_jury_comes_after_the_block(study):
    app = blind_workbench(study, "facts")
    async with app.run_test(size=(80, 24)) as pilot:
        assert "jury" not in screen_text(app)
        session = units(app)
        await press(pilot, "1", "2", "3", "4")
        assert [one["label"] for one in payloads(study, "decide")] == ["present", "absent", "contradicted", "both"]
        await press(pilot, "r")
        judged = next(unit for unit in session.queue.units if session.asks.machines(study.reader, unit).opinions)
        await press(pilot, "escape", *"k" * (session.position - session.queue.units.index(judged)))
        assert "present Y N 1-1, tie: undecided · contradicted NN 0-2" in screen_text(app)


def test_each_kind_has_the_keys_that_it_needs_and_no_other() -> None:
    def ids(kind: str) -> set[str]:
        return set(actions_for(KINDS[kind], {}))

    assert {"category", "add", "decide_edited"} <= ids("suggestion")
    assert {f"place_{place}" for place in range(1, 10)} <= ids("ranking")
    for kind in ("fact", "response", "ranking"):
        assert not {"category", "add"} & ids(kind)
    assert not {f"place_{place}" for place in range(1, 10)} & ids("fact")


@of("study", ["ranking"], indirect=True)
async def test_an_order_stands_beside_the_judges_in_places_on_the_screen_and_can_be_changed(study):
    app = blind_workbench(study, "rankings", reveal="each")
    async with app.run_test(size=(160, 50)) as pilot:
        session = units(app)
        judged = next(unit for unit in session.queue.units if session.asks.machines(study.reader, unit).level)
        await press(pilot, *"j" * session.queue.units.index(judged))
        numbers = session.view.numbers
        theirs = session.asks.machines(study.reader, judged).level
        worst = [str(numbers.index(int(number)) + 1) for number in reversed(theirs.split(">"))]
        await press(pilot, *worst, *"g" * len(worst))
        shown = screen_text(app)
        assert f"judges: {'>'.join(reversed(worst))}" in shown
        assert f"you: {'>'.join(worst)}" in shown
        assert "# K" in shown
        assert theirs == ">".join(reversed([str(numbers[int(place) - 1]) for place in worst]))
        await press(pilot, *reversed(worst), *"b" * len(worst))
        kinds = [(row["kind"], json.loads(row["payload"])["axis"]) for row in events(study, "decide", "revise")]
        assert [kind for kind, axis in kinds if axis == "rank"] == ["decide", "revise"]
        current = study.reader.execute("SELECT label FROM decision_current WHERE axis = 'rank'").fetchone()[0]
        first = study.reader.execute("SELECT label FROM decision_first WHERE axis = 'rank'").fetchone()[0]
        assert (current, first != current) == (theirs, True)


@of("study", ["ranking"], indirect=True)
async def test_outputs_stand_side_by_side_where_they_have_room(study):
    app = blind_workbench(study, "rankings")
    async with app.run_test(size=(160, 50)) as pilot:
        texts = [document.text.split()[:4] for document in units(app).view.documents]  # two begin with the same two
        rows = screen_text(app).splitlines()
        names = next(row for row in rows if "output 1" in row)
        below = rows[rows.index(names) + 1]
        places = [names.index(f"output {place}") for place in range(1, len(texts) + 1)]
        assert [below[place:].split("│")[0].split()[:2] for place in places] == [words[:2] for words in texts]
        assert "] next text" not in screen_text(app)
        assert "reference" in screen_text(app).partition("output 1")[0]
        await press(pilot, "slash", *texts[-1][0].lower(), "enter")
        assert "1/" in screen_text(app)
        await resize(app, pilot, 80, 24)
        assert "] next text" in screen_text(app)
        assert screen_text(app).count(" ".join(texts[0])) == 1
        assert " ".join(texts[1]) not in screen_text(app)
        await press(pilot, "right_square_bracket")
        assert " ".join(texts[1]) in screen_text(app)
        await resize(app, pilot, 160, 50)
        assert all(f"output {place}" in screen_text(app) for place in range(1, len(texts) + 1))
