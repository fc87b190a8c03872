"""Rankings of models' outputs: ranks, qualities and agreement of orders, worked out by hand."""

import json
from pathlib import Path
from typing import Any

import pytest

from medreview import pipeline
from medreview.cli.reports.terminal import printed
from medreview.cli.reports.unit_parts import unit_parts
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.units.rankings import RankingFigures
from medreview.stats.units.unit_figures import UnitFigures, unit_figures
from medreview.study import Study

FEW = Resampling(replicates=199)
MODELS = ["atlas-2", "boreal", "cirrus"]


def ranking(
    number: int, kind: str, orders: dict[str, str], qualities: dict[str, str], machine: str = ""
) -> dict[str, Any]:
    """A ranking of three outputs: orders by reviewer, qualities as letters in the order of the models."""
    words = {"g": "good", "o": "okay", "b": "bad"}
    labels = [
        {"annotator": who, "order": order,
         "qualities": {model: words[letter] for model, letter in zip(MODELS, qualities[who], strict=True)}}
        for who, order in orders.items()
    ]  # fmt: skip
    return {
        "unit": "ranking", "id": f"k{number}", "type": kind, "question": f"Question {number}?",
        "outputs": [{"model": model, "text": f"{model} says {number}."} for model in MODELS], "labels": labels,
        "opinions": [{"judge": "one", "order": machine}] if machine else [],
    }  # fmt: skip


RANKINGS = [
    ranking(1, "short", {"a": "1>2>3", "b": "1>2>3"}, {"a": "gob", "b": "ggb"}, "1>2>3"),
    ranking(2, "short", {"a": "1>2>3", "b": "2>1>3"}, {"a": "goo", "b": "ogb"}, "3>2>1"),
    ranking(3, "list", {"a": "2>1=3"}, {"a": "ogb"}),
]


@pytest.fixture
def figures(study: Study, tmp_path: Path) -> UnitFigures:
    path = tmp_path / "rankings.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in RANKINGS), "utf-8")
    pipeline.bring_in(study, path, {})
    return unit_figures(study.reader, "ranking", resampling=FEW)


def test_mean_ranks_and_qualities_of_each_model_and_type(figures: UnitFigures) -> None:
    assert isinstance(figures.family, RankingFigures)
    whole = {one.model: one for one in figures.family.models if not one.type}
    # Ranks of atlas-2: 1, 1, 1, 2, 2.5; of boreal: 2, 2, 2, 1, 1; of cirrus: 3, 3, 3, 3, 2.5.
    assert {name: one.mean_rank.value for name, one in whole.items()} == {"atlas-2": 1.5, "boreal": 1.6, "cirrus": 2.9}
    assert whole["atlas-2"].mean_rank.clusters == 3
    assert all(1 <= one.mean_rank.low <= one.mean_rank.high <= 3 for one in whole.values())
    assert whole["atlas-2"].qualities == {"good": 3, "okay": 2, "bad": 0}
    assert whole["atlas-2"].good.value == 3 / 5
    assert whole["cirrus"].usefulness.value == (1 + 1 + 2 + 1 + 1) / 5
    short = {one.model: one for one in figures.family.models if one.type == "short"}
    assert short["boreal"].mean_rank.value == 7 / 4
    assert figures.family.twice.value == 2 / 3
    assert figures.family.rank_and_usefulness is not None
    assert figures.family.rank_and_usefulness.figure.value == pytest.approx(-0.8660254)
    assert figures.family.hallucination_and_usefulness is None


def test_orders_are_compared_ranking_by_ranking_and_models_by_the_means(figures: UnitFigures) -> None:
    assert isinstance(figures.family, RankingFigures)
    final = {(one.raters, one.type): one for one in figures.family.agreement if one.which == "final"}
    both = final["the reviewers", ""]
    # Tau is 1 in the first ranking and 1/3 in the second; one person ranked the third.
    assert (both.rankings, both.tau.value) == (2, pytest.approx(2 / 3))
    assert both.tau.reason == "No interval: of 2 rankings; it takes 3 to see how rankings differ."
    # The machine: 1 and 1 in the first; -1 and -1/3 in the second.
    assert final["one", ""].tau.value == pytest.approx((1 + 1 - 1 - 1 / 3) / 4)
    order = figures.family.order
    assert order is not None
    # a: 1.5, 5/3, 17/6; b: 1.5, 1.5, 3: the first two are even for b.
    assert order.models == tuple(MODELS)
    assert order.each["a"].figure.value == pytest.approx(0.8660254)
    assert order.each["a"].test.pvalue == pytest.approx(2 / 3)
    assert not [one for one in figures.family.agreement if one.which == "first, blind"]


def test_qualities_are_an_ordered_scale_over_the_outputs_of_whole_rankings(figures: UnitFigures) -> None:
    scale = figures.axes[1].scales[0]
    pair = scale.between[0]
    assert (scale.scale, pair.which, pair.n, pair.clusters) == ("quality", "final", 6, 2)
    # a: good okay bad good okay okay; b: good good bad okay good bad.
    assert pair.table == ((1, 1, 0), (2, 0, 1), (0, 0, 1))
    assert pair.estimate("percent agreement").value == 2 / 6
    # Squares of steps: 4 of 6. By chance, of rows 2, 3, 1 and columns 3, 1, 2: (2 + 16 + 9 + 6 + 12 + 1) / 36.
    assert pair.estimate("Cohen's kappa (quadratic weights)").value == pytest.approx(1 - (4 / 6) / (46 / 36))
    shown = printed(unit_parts(figures))
    assert " nan" not in shown
    assert "mean Kendall's tau-b" in shown
