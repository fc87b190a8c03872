"""May a machine stand in for a reviewer of other units: pairs from a study, and steps by their distance."""

import math
import random

import pytest

from medreview.cli.reports.terminal import printed
from medreview.cli.reports.unit_parts import unit_parts
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.units.kind_labels import FIRST_BLIND, RELEVANCE, RULES, GivenLabel, KindLabels
from medreview.stats.units.rater_agreement import machine_stand_ins
from medreview.stats.units.unit_figures import unit_figures
from tests.stats.reports.panel_study import PEOPLE, panel
from tests.stats.small_study import SmallStudy
from tests.support.study_builder import rows_of
from tests.support.unit_study import decide


def test_each_judge_of_pairs_is_held_against_each_reviewer(small: SmallStudy) -> None:
    panel(small, questions=20, labelled=False)
    rng = random.Random(2)
    said = {
        f"pair:{row['statement_id']}:{row['statement_id'].rpartition('.')[0]}/1": row["verdict"]
        for row in rows_of(small.study, "SELECT * FROM judgement WHERE judgement_id LIKE 'b1-%'")
    }
    own: dict[str, dict[str, str]] = {name: {} for name in PEOPLE}
    for unit in said:
        for name, held in own.items():
            held[unit] = rng.choice(("supported", "contradicted", "not_addressed"))
            decide(small.study, name, unit, "evidence", held[unit])

    figures = unit_figures(small.study.reader, "pair", resampling=Resampling(replicates=99), epsilon=0.1)
    scales = {scale.scale: scale for axis in figures.axes for scale in axis.scales}
    basalt = next(one for one in scales["levels"].stand_ins if one.judge == "basalt")
    for one in basalt.people:
        others = [held for name, held in own.items() if name != one.person]
        near = [
            sum(held[unit] == word for held in others) >= sum(held[unit] == own[one.person][unit] for held in others)
            for unit, word in said.items()
        ]
        assert one.advantage.value == pytest.approx(sum(near) / 40)
        assert (one.advantage.n, one.advantage.clusters) == (40, 20)
    assert (basalt.alignment, basalt.epsilon) == ("accuracy", 0.1)
    text = printed(unit_parts(figures))
    assert "alternative annotator test" in text
    assert max(map(len, text.splitlines())) <= 80


def test_steps_are_compared_by_their_distance() -> None:
    """Forty items: two people say 3 and 5; the judge says 4, as near as can be, and the third 2, farther away."""
    steps = RELEVANCE.labels
    items = [f"qa:{number}" for number in range(40)]
    words = {"anna": steps[2], "ben": steps[4], "cleo": steps[1]}
    given = tuple(
        GivenLabel(item, item, "relevance", name, "blind", label, label)
        for name, label in words.items()
        for item in items
    )
    said = {name: {("relevance", item): steps[3] for item in items} for name in ("judge", RULES)}
    labels = KindLabels("qa", frozenset(items), "passage", {item: item for item in items}, given, 0, said, {}, {})
    (found,) = machine_stand_ins(labels.on(RELEVANCE), 0.2, 0.95)

    assert labels.on(RELEVANCE).of(FIRST_BLIND)["anna"]["qa:0"] == steps[2]
    assert (found.judge, found.alignment) == ("judge", "rmse")
    # To anna's place: 5 and 2 from the judge at 4 are 1 and 2 away, from anna at 3 they are 2 and 1 away: alike.
    distance = {
        "anna": (math.hypot(1, 2), math.hypot(2, 1)), "ben": (math.hypot(1, 2), math.hypot(2, 3)),
        "cleo": (math.hypot(1, 1), math.hypot(1, 3)),
    }  # fmt: skip
    for one in found.people:
        judge, person = distance[one.person]
        assert (one.advantage.value, one.person_advantage) == (float(judge <= person), float(person <= judge))
    assert (found.winning_rate, found.may_stand_in) == (1.0, True)


def test_one_reviewer_has_nobody_to_be_near_to() -> None:
    given = (GivenLabel("qa:1", "qa:1", "relevance", "anna", "blind", RELEVANCE.labels[0], RELEVANCE.labels[0]),)
    said = {"judge": {("relevance", "qa:1"): RELEVANCE.labels[0]}}
    labels = KindLabels("qa", frozenset({"qa:1"}), "passage", {"qa:1": "p"}, given, 0, said, {}, {})

    assert machine_stand_ins(labels.on(RELEVANCE), 0.2, 0.95) == ()
