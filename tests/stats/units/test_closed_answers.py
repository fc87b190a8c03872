"""Answers to QA items as the study holds them: what counts of attempts, closed items by the key, what can be ranked."""

import json

import pytest

from medreview.generators.answer_rankings import RankingDraw, make_rankings
from medreview.stats.units.closed_answers import ClosedAnswers, item_answer_figures
from medreview.study import Study
from medreview.units.item_answers import item_answers
from medreview.units.new_units import ImportRecord, store_records
from medreview.units.qa import QAItem, with_letters
from medreview.units.stored import NewPassage, NewUnit
from tests.support.asked_items import fill, store_answers

OPTIONS = with_letters(("aspirin", "heparin", "warfarin"))


def units_of(study: Study) -> list[str]:
    return [row[0] for row in study.reader.execute("SELECT unit_id FROM unit WHERE kind = 'qa' ORDER BY ordinal")]


@pytest.mark.parametrize(
    ("costs", "cost", "seconds"), [((0.25,), 0.25, 1.5), ((0.25, 0.5), 0.75, 3.0), ((0.25, None), None, 3.0)]
)
def test_an_answer_has_the_cost_of_all_attempts_and_the_key_of_the_last(
    study: Study, costs: tuple[float | None, ...], cost: float | None, seconds: float
) -> None:
    fill(study, 1)
    (unit,) = units_of(study)
    store_answers(study, "m", {unit: "True"}, costs)
    (found,) = item_answers(study.reader)
    assert (found.cost, found.seconds, found.call) == (cost, seconds, f"m {unit} {len(costs)}")
    figures = item_answer_figures(study.reader)
    assert figures is not None
    assert (figures.models[0].cost, figures.models[0].asked) == (cost, 1)


def closed(study: Study, answers: dict[str, str]) -> ClosedAnswers:
    """Of all closed items: five of three passages, the key of the last is none of its options."""
    passages = [NewPassage(f"Passage {number}.") for number in range(3)]
    of = {"a": 0, "b": 0, "c": 1, "d": 2, "e": 2}
    items = {
        name: QAItem("multiple_choice", f"Which drug, {name}?", OPTIONS, ("heparin",) if name != "e" else ("none",),
                     passage=passages[place].passage_id)
        for name, place in of.items()
    }  # fmt: skip
    made = [
        NewUnit("qa", one.question, one.content(), name, "t", belongs_to=one.passage) for name, one in items.items()
    ]
    record = ImportRecord(passages=tuple(passages), units=tuple(made))
    study.write(lambda connection: store_records(connection, [record], "test"))
    names = dict(study.reader.execute("SELECT record_id, unit_id FROM unit").fetchall())
    store_answers(study, "m", {names[name]: text for name, text in answers.items()})
    figures = item_answer_figures(study.reader)
    assert figures is not None
    return figures.closed[0]


def test_accuracy_is_of_all_items_with_a_key_over_passages(study: Study) -> None:
    found = closed(study, {"a": "B", "b": "A", "c": "B", "d": "I'm sorry, but I cannot answer that.", "e": "B"})
    assert (found.right, found.without_key, found.how["read"], found.how["refused"]) == (2, 1, 3, 1)
    assert (found.accuracy.value, found.accuracy.n) == (2 / 4, 4)
    assert (found.accuracy.clusters, found.accuracy.cluster) == (3, "passage")
    assert (found.of_read.value, found.of_read.n) == (2 / 3, 3)


def test_rankings_are_of_items_that_all_have_answered_and_their_order_tells_no_model(study: Study) -> None:
    fill(study, 28)  # of seven types in turn, four of which are open: 16 items
    units = units_of(study)
    unanswered = units[3]
    store_answers(study, "a", {unit: f"It is {unit}." for unit in units})
    store_answers(study, "b", {unit: "" if unit == unanswered else f"Say {unit}." for unit in units})
    store_answers(study, "c", dict.fromkeys(units, "Not asked about."))
    found = make_rankings(study, "kb", RankingDraw(("a", "b")))
    assert (found.eligible, found.unanswered, found.new) == (15, 1, 15)
    orders = [
        [one["model"] for one in json.loads(row[0])["outputs"]]
        for row in study.reader.execute("SELECT content FROM unit WHERE kind = 'ranking'")
    ]
    assert {tuple(sorted(order)) for order in orders} == {("a", "b")}
    assert {order[0] for order in orders} == {"a", "b"}
    few = make_rankings(study, "kb", RankingDraw(("a", "b"), share=0.01), dry_run=True)
    assert (few.drawn, few.new) == (1, 0)
