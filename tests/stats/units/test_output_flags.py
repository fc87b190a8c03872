"""Hallucinated outputs of rankings: rates of models, differences, and Spearman's rho with usefulness; by hand."""

import json
from itertools import permutations
from pathlib import Path

import pytest

from medreview import pipeline
from medreview.cli.reports.terminal import printed
from medreview.cli.reports.unit_parts import unit_parts
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.formulas.intervals import wilson
from medreview.stats.units.rankings import RankingFigures
from medreview.stats.units.rated_outputs import OutputFlags
from medreview.stats.units.unit_division import RankingPart
from medreview.stats.units.unit_figures import UnitFigures, unit_figures
from medreview.study import Study
from tests.stats.small_study import SmallStudy

FEW = Resampling(replicates=199, seed=3)
MODELS = ("atlas", "boreal", "cirrus")
GIVEN = [
    # By ranking: type, then by rater the models that are flagged and the qualities of all three.
    ("short", {"ann": ("c", "ggb"), "bob": ("bc", "gob")}),
    ("short", {"ann": ("", "ggo"), "bob": ("c", "ggb")}),
    ("short", {"ann": ("bc", "gbb")}),
    ("list", {"ann": ("c", "gob"), "bob": ("", "goo")}),
    ("list", {"ann": ("ac", "obb"), "bob": (None, "gob")}),
    ("list", {"ann": ("", "ggg")}),
]
WORDS = {"g": "good", "o": "okay", "b": "bad"}


@pytest.fixture(scope="module")
def figures(small_of_module: SmallStudy, tmp_path_factory: pytest.TempPathFactory) -> UnitFigures:
    study, tmp_path = small_of_module.study, tmp_path_factory.mktemp("rankings")
    lines = []
    for number, (kind, raters) in enumerate(GIVEN):
        labels = [
            {
                "annotator": who, "order": list(MODELS),
                "qualities": {model: WORDS[letter] for model, letter in zip(MODELS, qualities, strict=True)},
                **({} if flags is None else {"hallucinated": [one for one in MODELS if one[0] in flags]}),
            }
            for who, (flags, qualities) in raters.items()
        ]  # fmt: skip
        outputs = [{"model": model, "text": f"{model} says {number}."} for model in MODELS]
        lines.append({"unit": "ranking", "id": f"k{number}", "type": kind, "question": f"Question {number}?",
                      "outputs": outputs, "labels": labels})  # fmt: skip
    path = tmp_path / "rankings.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in lines), "utf-8")
    pipeline.bring_in(study, path, {})
    return unit_figures(study.reader, "ranking", resampling=FEW, by="type")


def flags_of(figures: UnitFigures) -> OutputFlags:
    assert isinstance(figures.family, RankingFigures)
    assert figures.family.flags is not None
    return figures.family.flags


def test_an_output_counts_as_soon_as_one_flags_it_and_labels_stand_beside_over_rankings(figures: UnitFigures) -> None:
    flags = flags_of(figures)
    whole = {one.model: one for one in flags.models if not one.type}
    assert (flags.asked, flags.flagged) == (18, 1 + 2 + 5)
    # atlas: flagged by ann in the fifth; boreal in the first and third; cirrus in the first five.
    assert {model: (one.rate.value, one.rate.n) for model, one in whole.items()} == {
        "atlas": (1 / 6, 6), "boreal": (2 / 6, 6), "cirrus": (5 / 6, 6),
    }  # fmt: skip
    rate, labels = whole["cirrus"].rate, whole["cirrus"].by_label
    assert (rate.method, (rate.low, rate.high)) == ("Wilson", wilson(5, 6))
    # Two raters in four rankings, of which bob said nothing of flags in one: nine. cirrus: 2, 1 of 2, 1, 1 of 2, 1, 0.
    assert (labels.value, labels.n, labels.clusters) == (6 / 9, 9, 6)
    assert labels.method == "jackknife over rankings"
    short = {one.model: one.rate.value for one in flags.models if one.type == "short"}
    assert short == {"atlas": 0, "boreal": 2 / 3, "cirrus": 1}


def test_models_are_held_beside_each_other_by_the_papers_test_and_paired_by_ranking(figures: UnitFigures) -> None:
    found = {(one.labels.first, one.labels.second): one for one in flags_of(figures).differences}
    both = found["atlas", "cirrus"]
    # Shares of labels: 1 of 9 and 6 of 9.
    assert both.labels.estimate.value == pytest.approx(1 / 9 - 6 / 9)
    assert (both.labels.estimate.clusters, both.labels.family, both.family) == (6, 3, 3)
    # z: 1 and 5 of 6, pooled 1/2: (1/6 - 5/6) / sqrt(1/4 * 2/6).
    assert both.test.statistic == pytest.approx((1 / 6 - 5 / 6) / (1 / 4 * 2 / 6) ** 0.5)
    assert both.test.pvalue is not None
    assert both.bonferroni == pytest.approx(min(1, 3 * both.test.pvalue))


def test_rates_go_with_usefulness_by_spearman_with_an_exact_p(figures: UnitFigures) -> None:
    whole = {one.beside: one for one in flags_of(figures).correlations if not one.type}
    # Rates 1/6, 2/6, 5/6; usefulness falls: exactly opposed. Of the six orders two are as far from 0.
    assert (whole["usefulness"].models, whole["usefulness"].correlation.figure.value) == (3, -1)
    assert whole["usefulness"].correlation.test.pvalue == pytest.approx(
        sum(abs(sum((a - b) ** 2 for a, b in zip((1, 2, 3), order, strict=True)) - 4) >= 4
            for order in permutations((1, 2, 3))) / 6
    )  # fmt: skip
    assert whole["mean rank"].correlation.figure.value == 1
    assert {one.type for one in flags_of(figures).correlations} == {"", "short", "list"}


def test_outputs_of_one_ranking_are_no_independent_items_and_all_of_it_is_said_in_words(figures: UnitFigures) -> None:
    assert figures.by is not None
    parts = {one.part: one for one in figures.by.parts if isinstance(one, RankingPart)}
    # Three rankings with three outputs each: 0 + 2, 1, 2 flagged.
    assert (parts["short"].flags.rate.value, parts["short"].flags.rate.n) == (5 / 9, 9)
    assert parts["short"].flags.rate.method == "jackknife over rankings"
    text = printed(unit_parts(figures))
    assert "Hallucinated outputs: 8 of 18" in text
    assert "Spearman's rho of the models' hallucination rates" in text
    assert max(map(len, text.split("\n"))) <= 80
    scale = next(axis for axis in figures.axes if axis.axis == "hallucinated").scales[0]
    # ann and bob in the first, second and fourth ranking: both flag cirrus once; bob alone two, ann alone one.
    assert scale.between[0].table == ((1, 1), (2, 5))


def test_without_a_flag_nothing_is_said_of_hallucinated_outputs(study: Study, tmp_path: Path) -> None:
    path = tmp_path / "rankings.jsonl"
    record = {"unit": "ranking", "question": "Which?", "outputs": [{"model": one, "text": one} for one in MODELS],
              "labels": [{"annotator": "ann", "order": "1>2>3", "qualities": {"1": "good"}}]}  # fmt: skip
    path.write_text(json.dumps(record) + "\n", "utf-8")
    pipeline.bring_in(study, path, {})
    figures = unit_figures(study.reader, "ranking", resampling=FEW)
    assert isinstance(figures.family, RankingFigures)
    assert figures.family.flags is None
    assert "allucinated" not in printed(unit_parts(figures))
