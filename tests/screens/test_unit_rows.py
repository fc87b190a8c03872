"""Other units than statements on the screen: keys that do something, names told once, the card in its place."""

import json
from typing import Any

import pytest

from medreview.review.actions import actions_for
from medreview.review.session import ReviewSession
from medreview.screens.app import Workbench
from medreview.screens.panes import Panes
from medreview.study import Study
from medreview.units.registry import KINDS
from medreview.units.suggestion import case_facts, fact_counts
from tests.support.bringing import bring
from tests.support.unit_samples import SAMPLES
from tests.support.workbench import (
    blind_workbench,
    events,
    on_screen,
    pane_text,
    press,
    resize,
    review_screen,
    screen_text,
)

of = pytest.mark.parametrize


@pytest.fixture
def study(empty_study: Study, request: pytest.FixtureRequest) -> Study:
    SAMPLES[request.param](empty_study)
    return empty_study


@of(
    ("study", "queue", "there", "absent"),
    [
        ("ranking", "rankings", ["next best output", "] next text", "v reference"], ["highlight", "whole page"]),
        ("qa", "qa", ["5 highly relevant"], ["] next text", "v response", "badly parsed", "delete span", "Tab pane"]),
        ("suggestion", "suggestions", ["] next text", "c category"], ["v response", "badly parsed", "source"]),
        ("pair", "pairs", ["v response"], ["] next text", "] next source"]),
    ],
    indirect=["study"],
)
async def test_the_key_rows_name_what_does_something_beside_the_unit(study, queue, there, absent):
    async with on_screen(blind_workbench(study, queue)) as (app, pilot):
        await pilot.pause()
        foot = pane_text(app, "foot")
        assert [words for words in there if words not in foot] == []
        assert [words for words in absent if words in foot] == []


@of(("study", "queue"), [("suggestion", "suggestions")], indirect=["study"])
async def test_a_card_without_a_text_beside_stands_with_its_labels_on_their_rows(study, queue):
    async with on_screen(blind_workbench(study, queue), 160, 50) as (app, pilot):
        await pilot.pause()
        card = pane_text(app, "statement").splitlines()
        session = review_screen(app).session
        view = session.view
        assert view is not None
        first = next(line for line in card if line.strip().startswith("fact"))
        assert view.text.startswith(first.split(maxsplit=1)[1][:20])
        assert review_screen(app).reading.response.text == ""
        assert "hidden until the block ends" in " ".join(pane_text(app, "judges").split())
        await press(pilot, "tab")
        assert "There is no other text here." in screen_text(app)
        reading: Panes = review_screen(app).reading
        assert reading.moved_view is reading.source
        progress, _, heading, *below = (line[:34] for line in screen_text(app).splitlines()[2:])
        assert progress.split() == ["SUGGESTED", "KEY", "FACTS", "░░░░░░░", "0/15"]
        assert heading.rstrip().endswith("0/5")
        assert [line.replace("▸", " ").split()[0] for line in below[:5]] == ["F1", "F2", "F3", "F4", "F5"]
        await pilot.resize_terminal(80, 24)
        await press(pilot, "v")
        assert review_screen(app).reading.response.text == view.card


@of(("study", "queue"), [("qa", "qa")], indirect=["study"])
async def test_under_a_short_text_the_card_takes_the_rows_that_are_empty(study, queue):
    async with on_screen(blind_workbench(study, queue)) as (app, pilot):
        rows = set()
        for _ in review_screen(app).session.queue.units:
            rows.add(pane_text(app, "statement").rstrip().count("\n") + 1)
            await press(pilot, "j")
        assert max(rows) > 7


@of(("study", "queue"), [("qa", "qa")], indirect=["study"])
async def test_what_was_put_off_says_that_it_waits_for_a_decision(study, queue):
    async with on_screen(blind_workbench(study, queue)) as (app, pilot):
        session = review_screen(app).session
        for place in range(len(session.queue.units)):
            session.go(place)
            session.defer()
        await press(pilot, "k")
        assert "hidden until you decide what you put off" in screen_text(app)


@of(("study", "queue"), [("ranking", "rankings")], indirect=["study"])
async def test_what_machines_sum_up_is_never_cut_where_a_row_of_its_own_holds_it(study, queue):
    async with on_screen(blind_workbench(study, queue, reveal="each")) as (app, pilot):
        await pilot.pause()
        session = review_screen(app).session
        for place in range(len(session.queue.units)):
            session.go(place)
            assert session.view is not None
            session.decide_order(">".join(map(str, session.view.numbers)), [])
            await press(pilot, "g")
            assert session.machines.words in pane_text(app, "judges")


def payloads(study: Study, *kinds: str) -> list[dict[str, Any]]:
    return [json.loads(row["payload"]) for row in events(study, *kinds)]


def units(app: Workbench) -> ReviewSession:
    return review_screen(app).session


@of("study", ["ranking"], indirect=True)
@of("size", [(80, 24), (160, 50)])
async def test_a_ranking_takes_a_digit_for_each_output_then_a_letter_and_one_undo_opens_it(study, size):
    async with on_screen(blind_workbench(study, "rankings"), *size) as (app, pilot):
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
    async with on_screen(blind_workbench(study, "rankings"), *size) as (app, pilot):
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
    async with on_screen(blind_workbench(study, "rankings"), 160, 50) as (app, pilot):
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
    async with on_screen(blind_workbench(study, "rankings")) as (app, pilot):
        await press(pilot, "9")
        assert f"There are {len(units(app).view.numbers)} outputs here." in screen_text(app)
        await press(pilot, "1", "right_square_bracket")
        assert "takes back" in screen_text(app)
        await press(pilot, "escape")
        assert "takes back" not in screen_text(app)
        assert events(study, "decide") == []


@of("study", ["suggestion"], indirect=True)
async def test_facts_are_kept_discarded_and_edited_and_the_words_are_asked_for(study):
    async with on_screen(blind_workbench(study, "suggestions")) as (app, pilot):
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
    async with on_screen(blind_workbench(study, "suggestions"), 160, 50) as (app, pilot):
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
    async with on_screen(blind_workbench(study, "facts")) as (app, pilot):
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
    async with on_screen(blind_workbench(study, "rankings", reveal="each"), 160, 50) as (app, pilot):
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
    async with on_screen(blind_workbench(study, "rankings"), 160, 50) as (app, pilot):
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


async def test_outputs_below_a_question_too_long_for_columns_are_read_one_by_one(empty_study):
    outputs = [{"model": name, "text": f"{name} says that the answer given is wrong."} for name in ("Atlas", "Boreal")]
    asked = "\n".join(f"{step}. A step of the reasoning." for step in range(1, 13))
    bring(empty_study, {"unit": "ranking", "question": asked, "reference": "Step 3 is wrong.", "outputs": outputs})
    async with on_screen(blind_workbench(empty_study, "rankings"), 100, 30) as (app, pilot):
        for at in (1, 2):
            assert f"{at} of 2 output {at}" in screen_text(app)
            here = units(app).document.text.split()[0]
            assert [name for name in ("Atlas", "Boreal") if name in screen_text(app)] == [here]
            await press(pilot, "right_square_bracket")
        await resize(app, pilot, 100, 50)
        assert "output 1 ─" in screen_text(app)
        assert "] next text" not in screen_text(app)
