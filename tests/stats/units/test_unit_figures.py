"""Units of any kind: reviewers, machines and right labels beside each other."""

import json
from dataclasses import asdict

import pytest

from medreview.cli.reports.terminal import printed
from medreview.cli.reports.unit_parts import NOBODY, unit_parts
from medreview.errors import UserError
from medreview.review.gold import set_gold
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.units import kind_labels
from medreview.stats.units.rater_agreement import PairFigures
from medreview.stats.units.unit_figures import ScaleFigures, UnitFigures, every_unit_figures, kind_named, unit_figures
from medreview.study import Study
from medreview.study.events import NewEvent, Recorder
from medreview.units.kind import Gold
from medreview.units.registry import KINDS
from medreview.units.stored import NewOpinion, add_opinions
from tests.support.unit_samples import SAMPLES, two_responses
from tests.support.unit_study import decide

FEW = Resampling(replicates=199)


def units_of(study: Study, kind: str) -> list[str]:
    return [
        row["unit"] for row in study.reader.execute(f"SELECT unit FROM ({KINDS[kind].rows}) ORDER BY cluster, ordinal")
    ]


def label(study: Study, who: str, kind: str, labels: list[str]) -> list[str]:
    """Blind labels on the first units of a kind; the units."""
    units = units_of(study, kind)
    for unit, level in zip(units, labels, strict=False):
        decide(study, who, unit, KINDS[kind].axis, level)
    return units


def scale_of(figures: UnitFigures, name: str) -> ScaleFigures:
    return next(scale for axis in figures.axes for scale in axis.scales if scale.scale == name)


def text(figures: UnitFigures) -> str:
    return printed(unit_parts(figures))


def test_two_reviewers_and_each_judge_on_pairs_by_hand(study: Study) -> None:
    two_responses(study)
    four, three = ["supported"] * 4, ["partial", "not_addressed", "not_addressed"]
    pairs = label(study, "anna", "pair", [*four, "partial", *three])
    label(study, "kb", "pair", [*four, "not_addressed", *three])

    figures = unit_figures(study.reader, "pair", resampling=FEW)
    assert (figures.units, figures.labelled, figures.cluster) == (8, 8, "response")
    levels = scale_of(figures, "levels")
    blind, final = levels.between
    assert (blind.which, final.which) == ("first, blind", "final")
    assert blind.table == ((4, 0, 0, 0), (0, 1, 0, 1), (0, 0, 0, 0), (0, 0, 0, 2))
    assert blind.estimate("percent agreement").value == 7 / 8
    # Chance: 4/8 * 4/8 + 2/8 * 1/8 + 2/8 * 3/8 = 3/8.
    assert blind.estimate("Cohen's kappa").value == pytest.approx((7 / 8 - 3 / 8) / (5 / 8))
    assert blind.estimate("Cohen's kappa").clusters == 2
    assert scale_of(figures, "binary").between[0].estimate("percent agreement").value == 1
    together = levels.together[0]
    assert (together.items, together.reviewers) == (8, ("anna", "kb"))

    one = next(each for each in scale_of(figures, "binary").machines if (each.first, each.second) == ("kb", "one"))
    said = {"pair:r1.0:u1": 1, "pair:r1.1:u1": 0, "pair:r2.0:u1": 1, "pair:r2.1:u1": 0}
    mine = {unit: place < 4 for place, unit in enumerate(pairs)}
    alike = sum(mine[unit] == bool(word) for unit, word in said.items())
    assert (one.n, one.dropped, one.which) == (4, 4, "first, blind")
    assert one.right.accuracy.value == alike / 4
    assert one.right.recall["supported"].value == sum(mine[unit] and word for unit, word in said.items()) / 2
    majority = levels.consensus[0]
    assert (majority.items, majority.ties, len(majority.machines)) == (8, 1, 2)
    assert isinstance(figures.family, PairFigures)
    (tests,) = figures.family.tests
    # Judge one finds two of four pairs supported, their majority as many; the judges are right alike on each.
    unpaired, _, counts, *_, between = tests.tests
    assert (unpaired.judge, unpaired.question, unpaired.result.pvalue) == ("one", "labels", 1)
    assert (tests.which, tests.items, between.question) == ("first, blind", 8, "accuracy")
    assert counts.result.name.startswith("chi-squared")
    assert "tests as in SourceCheckup" in text(figures)


def test_first_blind_labels_and_final_ones_are_never_one_figure(study: Study) -> None:
    SAMPLES["question"](study)
    units = label(study, "anna", "question", ["answerable"] * 3)
    label(study, "kb", "question", ["answerable", "answerable", "not_answerable"])
    event = NewEvent(
        "revise", units[2], {"axis": "answerability", "label": "answerable", "exposure": {"judge_verdict": "before"}}
    )
    study.write(lambda c: Recorder("kb").append(c, event, block="questions", mode="open"))

    blind, final = scale_of(unit_figures(study.reader, "question", resampling=FEW), "answerable").between
    assert blind.estimate("percent agreement").value == 2 / 3
    assert final.estimate("percent agreement").value == 1
    kappa = final.estimate("Cohen's kappa")
    assert kappa.value is None
    assert kappa.reason is not None
    assert "one and the same label" in kappa.reason


def test_right_labels_are_told_once_the_unit_is_decided_and_the_block_is_shown(study: Study) -> None:
    SAMPLES["question"](study)
    units = units_of(study, "question")
    study.write(lambda c: (c.execute("DELETE FROM gold"), c.execute("DELETE FROM opinion")))
    for unit, right in zip(units, ["answerable", "not_answerable", "answerable"], strict=False):
        set_gold(study, unit, Gold("answerability", right), "kb")
    said = [NewOpinion(unit, "one", "answerability", "answerable", "answerable") for unit in units[:3]]
    study.write(lambda c: add_opinions(c, said, "file"))
    decide(study, "anna", units[0], "answerability", "answerable", mode="open")
    decide(study, "anna", units[1], "answerability", "answerable", mode="open")

    figures = unit_figures(study.reader, "question", resampling=FEW)
    axis = figures.axes[0]
    assert (axis.gold_told, axis.gold_silent) == (2, 1)
    gold = {each.second: each for each in scale_of(figures, "answerable").gold}
    assert gold["anna"].right.accuracy.value == 1 / 2
    assert gold["one"].right.precision["answerable"].value == 1 / 2
    assert gold["one"].right.precision["not_answerable"].value is None
    assert "the right label and anna" in text(figures)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "qa"])
def test_a_kind_that_nobody_labelled_is_one_sentence(study: Study, kind: str) -> None:
    SAMPLES[kind](study)
    figures = unit_figures(study.reader, kind, resampling=FEW)

    assert figures.labelled == 0
    assert figures.units > 0
    assert NOBODY in " ".join(text(figures).split())
    assert every_unit_figures(study.reader, resampling=FEW) == ()


@pytest.mark.parametrize("kind", KINDS)
def test_one_reviewer_with_one_label_gives_sentences_and_no_invented_number(study: Study, kind: str) -> None:
    SAMPLES[kind](study)
    first = {"ranking": "1>2", "qa": "5", "revision": "supported"}.get(kind, "")
    axis = KINDS[kind].axis
    levels = KINDS[kind].levels
    for unit in units_of(study, kind)[:3]:
        decide(study, "anna", unit, axis, first or levels[0].level, mode="open")

    figures = unit_figures(study.reader, kind, reviewers=["anna"], resampling=FEW)
    assert figures.labelled > 0
    assert all(not scale.between and not scale.together for one in figures.axes for scale in one.scales)
    shown = text(figures)
    assert " nan" not in shown
    assert "kappa  1.000" not in shown
    if figures.axes[0].scales:
        assert "Only anna has labels here" in shown
        for unit in units_of(study, kind)[3:6] if kind not in ("response", "fact") else []:
            decide(study, "kb", unit, axis, first or levels[0].level)
            both = text(unit_figures(study.reader, kind, reviewers=["anna", "kb"], resampling=FEW))
            assert "they cannot be compared" in " ".join(both.split())
    json.dumps(asdict(figures), allow_nan=False, default=str)


def test_a_kind_without_scales_of_its_own_is_compared_on_the_labels_of_its_axis(study: Study, monkeypatch) -> None:
    monkeypatch.delitem(kind_labels._SCALES, "question")
    SAMPLES["question"](study)
    label(study, "anna", "question", ["answerable", "not_answerable"])
    label(study, "kb", "question", ["answerable", "not_self_contained"])

    figures = unit_figures(study.reader, "question", resampling=FEW)
    (scale,) = figures.axes[0].scales
    assert (figures.cluster, scale.title, len(scale.labels)) == ("group", "answerability", 3)
    assert scale.between[0].estimate("percent agreement").value == 1 / 2


def test_a_kind_is_found_by_the_words_that_people_have_for_it() -> None:
    assert [kind_named(word) for word in ("fact", "key_fact", "key fact", "whole_responses", "QA")] == [
        "fact", "fact", "fact", "response", "qa",
    ]  # fmt: skip
    with pytest.raises(UserError, match="no kind of unit 'facts2'; there are pair, response"):
        kind_named("facts2")
