"""Units of any kind, whole responses, rankings, references: reviewers, machines and right labels beside each other."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from medreview import pipeline
from medreview.cli.reports.terminal import printed
from medreview.cli.reports.unit_parts import NOBODY, unit_parts
from medreview.errors import UserError
from medreview.references.verdict import Verdict
from medreview.review.gold import set_gold
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.formulas.intervals import wilson
from medreview.stats.units import kind_labels
from medreview.stats.units.accused_references import ReferenceUnitFigures
from medreview.stats.units.rankings import RankingFigures
from medreview.stats.units.rater_agreement import PairFigures, WholeResponseFigures
from medreview.stats.units.unit_figures import ScaleFigures, UnitFigures, every_unit_figures, kind_named, unit_figures
from medreview.study import Study
from medreview.study.events import NewEvent, Recorder
from medreview.units.kind import Gold
from medreview.units.registry import KINDS
from medreview.units.stored import NewOpinion, add_opinions
from tests.stats.small_study import SmallStudy
from tests.support.reference_rows import ReferenceRows
from tests.support.study_builder import StudyBuilder, build
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


def experts(study: Study, tmp_path: Path) -> None:
    """Forty pairs of two experts' files, who differ on every fourth."""

    def material(rows: StudyBuilder) -> None:
        rows.page("a", "Warfarin is monitored by the INR.")
        for number in range(1, 41):
            rows.response(f"r{number}", "It is.", statements=("It is.",), cites=("a",), record_id=f"a{number}")
            rows.judgement("coarse", f"r{number}.1", "a@1", "not found" if number % 2 else "supported", "INR")

    build(study, material)
    records = [
        {"reviewer": who, "response": f"a{number}", "statement": "It is.", "source": "a",
         "label": "supported" if yes else "not supported"}
        for number in range(1, 41)
        for who, yes in (("expert-1", number % 4 > 0), ("expert-2", number % 4 > 1 or number == 40))
    ]  # fmt: skip
    path = tmp_path / "experts.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    pipeline.bring_in(study, path, {})


def test_two_way_labels_have_no_figure_of_four_labels(study: Study, tmp_path: Path) -> None:
    experts(study, tmp_path)
    evidence, support = unit_figures(study.reader, "pair", resampling=FEW).axes[:2]
    four, two = evidence.scales
    assert (four.between, four.together, four.machines, four.consensus) == ((), (), (), ())
    (pair,) = two.between
    # 30 and 21 supported; they say otherwise of 10 + 1.
    assert (pair.n, pair.table) == (40, ((20, 10), (1, 9)))
    assert {(one.first, one.second, one.n) for one in two.machines} == {
        ("expert-1", "coarse", 40), ("expert-2", "coarse", 40),
    }  # fmt: skip
    assert {each.reviewer: dict(each.labels) for each in support.labels if each.which == "final"} == {
        "expert-1": {"supported": 30, "not_supported": 10},
        "expert-2": {"supported": 21, "not_supported": 19},
    }
    assert (evidence.labels, evidence.adjudication.twice) == ((), 0)
    assert (support.adjudication.twice, support.adjudication.differ, support.adjudication.open) == (40, 11, 11)


def test_who_labels_by_four_labels_keeps_them_beside_an_expert_who_does_not(study: Study, tmp_path: Path) -> None:
    experts(study, tmp_path)
    for who in ("ada", "bo"):
        for number in range(1, 41):
            decide(study, who, f"pair:r{number}.1:a", "evidence", "partial" if number % 3 else "supported")
    evidence = unit_figures(study.reader, "pair", resampling=FEW).axes[0]
    four, two = evidence.scales
    assert {(one.first, one.second) for one in four.between} == {("ada", "bo")}
    assert {(one.first, one.second) for one in two.between} >= {("ada", "expert-1"), ("expert-1", "expert-2")}


def test_a_response_beside_the_judges_and_beside_ones_own_statements(study: Study) -> None:
    two_responses(study)
    decide(study, "anna", "response:r1", "all_supported", "yes")
    decide(study, "anna", "response:r2", "all_supported", "no")
    for statement, level in (("r1.0", "supported"), ("r1.1", "supported"), ("r2.0", "supported")):
        decide(study, "anna", statement, "evidence", level)

    figures = unit_figures(study.reader, "response", resampling=FEW)
    judges = figures.axes[0].scales[0].machines[0]
    # No judge found the second statement of either response supported: the roll-up is "no" twice.
    assert (judges.second, judges.table) == ("judges", ((0, 1), (0, 1)))
    assert judges.estimate("percent agreement").value == 1 / 2
    assert judges.estimate("Cohen's kappa").value == 0

    assert isinstance(figures.family, WholeResponseFigures)
    own, final = figures.family.own_statements
    # r1 is rolled up to yes; of r2 one statement has no label and none says no, so that it stays open.
    assert (own.which, own.n, own.dropped, own.table) == ("first, blind", 1, 1, ((1, 0), (0, 0)))
    decide(study, "anna", "r2.1", "evidence", "partial", mode="open")
    figures = unit_figures(study.reader, "response", resampling=FEW)
    assert isinstance(figures.family, WholeResponseFigures)
    own, final = figures.family.own_statements
    # A label given with the judges in sight is a final one only.
    assert (own.n, final.which, final.table) == (1, "final", ((1, 0), (0, 1)))
    assert "Beside the same reviewer's labels on the statements" in printed(unit_parts(figures))


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


SAID: dict[str, list[tuple[Verdict, str]]] = {
    # The rules' verdict and the reviewer's label of each reference, by response.
    "r1": [("match", "match"), ("mismatch", "match"), ("other_work", "other_work")],
    "r2": [("match", "match"), ("mismatch", "mismatch"), ("not_found", "match")],
    "r3": [("other_work", "other_work"), ("not_found", "not_found"), ("match", "mismatch")],
    "r4": [("ambiguous", "match"), ("mismatch", "cannot_judge"), ("mismatch", "other_work")],
    "r5": [("match", "match"), ("not_found", "not_found"), ("not_checkable", "cannot_judge")],
}


@pytest.fixture
def labelled(study: Study) -> Study:
    """Everything above, labelled blind by anna; bob labels the first response with the rules in sight."""
    small, references = SmallStudy(study), ReferenceRows(study)
    for name, rows in SAID.items():
        small.response(name, 1)
        units = [f"reference:{one}" for one in references.add(name, *(verdict for verdict, _ in rows))]
        for unit, (_, label) in zip(units, rows, strict=True):
            decide(study, "anna", unit, "reference", label)
            if name == "r1":
                decide(study, "bob", unit, "reference", label, mode="open")
    return study


def test_false_accusations_are_counted_over_responses(labelled: Study) -> None:
    figures = unit_figures(labelled.reader, "reference", resampling=FEW)
    assert (figures.units, figures.labelled, figures.cluster) == (15, 15, "response")
    assert isinstance(figures.family, ReferenceUnitFigures)
    blind, assisted = figures.family.accusations
    assert (blind.reviewer, blind.which, blind.machine) == ("anna", "first, blind", "rules")
    assert (assisted.reviewer, assisted.which) == ("bob", "assisted")

    # Accused and labelled: 2 in r1 (1 of them a match), 2 in r2 (1), 2 in r3 (0), 1 in r4 (0; one cannot be judged),
    # 1 in r5 (0).
    assert (blind.false.value, blind.false.n, blind.false.clusters, blind.false.dropped) == (2 / 8, 8, 5, 1)
    assert blind.false.method == "jackknife over responses"
    assert blind.false.low is not None
    assert blind.false.high is not None
    assert 0 < blind.false.low < 2 / 8 < blind.false.high < 1
    by_verdict = {one.name.rpartition("share of ")[2]: (one.value, one.n) for one in blind.by_verdict}
    assert by_verdict == {"other work": (0, 2), "mismatch": (1 / 3, 3), "not found": (1 / 3, 3)}
    # No response has two of a verdict: they are taken as they are.
    mismatch = blind.by_verdict[1]
    assert (mismatch.method, (mismatch.low, mismatch.high)) == ("Wilson", wilson(1, 3))
    # Five are called a match; one of them the rules cannot judge, and two of the others they accuse.
    assert (blind.honest.value, blind.honest.n) == (2 / 5, 5)
    assert assisted.false.value == 1 / 2
    assert assisted.false.low is None


def test_rules_and_reviewer_are_compared_on_four_labels(labelled: Study) -> None:
    figures = unit_figures(labelled.reader, "reference", resampling=FEW)
    four, accused = figures.axes[0].scales
    blind = next(one for one in four.machines if one.which == "first, blind")

    assert four.labels == ("match", "mismatch", "other_work", "not_found")
    # Rows are the reviewer's, columns the rules'; what either cannot judge is left out.
    assert blind.table == ((3, 1, 0, 1), (1, 1, 0, 0), (0, 1, 2, 0), (0, 0, 0, 2))
    assert blind.estimate("percent agreement").value == 8 / 12
    chance = (5 * 4 + 2 * 3 + 3 * 2 + 2 * 3) / 144
    assert blind.estimate("Cohen's kappa").value == pytest.approx((8 / 12 - chance) / (1 - chance))
    assert blind.right is not None
    assert {label: (blind.right.precision[label].value, blind.right.recall[label].value) for label in four.labels} == {
        "match": (3 / 4, 3 / 5), "mismatch": (1 / 3, 1 / 2), "other_work": (2 / 2, 2 / 3), "not_found": (2 / 3, 2 / 2),
    }  # fmt: skip
    two = next(one for one in accused.machines if one.which == "first, blind")
    assert two.table == ((3, 2), (1, 6))
    text = printed(unit_parts(figures))
    assert "False accusations" in text
    assert "rules beside anna, first, blind labels" in text


def test_without_labels_or_accusations_nothing_is_claimed(study: Study) -> None:
    small, references = SmallStudy(study), ReferenceRows(study)
    small.response("r1", 1)
    (unit,) = references.add("r1", "match")
    assert unit_figures(study.reader, "reference", resampling=FEW).family is None
    decide(study, "anna", f"reference:{unit}", "reference", "match")
    figures = unit_figures(study.reader, "reference", resampling=FEW)
    assert isinstance(figures.family, ReferenceUnitFigures)
    (one,) = figures.family.accusations

    assert (one.false.value, one.false.reason) == (None, "No reference that was labelled so is accused.")
    assert (one.honest.value, one.honest.method, one.honest.low) == (0.0, "Wilson", 0.0)
    assert "nan" not in printed(unit_parts(figures))
