"""Key facts, rankings and QA items divided by model, case and type, and narrowed by a filter; worked out by hand."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from medreview import pipeline
from medreview.cli.reports.terminal import printed
from medreview.cli.reports.unit_divisions import division_parts
from medreview.errors import UserError
from medreview.judges.fact_votes import CONTRADICTION, PRESENCE
from medreview.review.queue import kind_named
from medreview.review.queue_filters import FilterWords, select_units
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.formulas.estimate import estimate_named
from medreview.stats.units.rankings import RankingFigures
from medreview.stats.units.unit_division import FactPart, QAPart, RankingPart, UnitBy
from medreview.stats.units.unit_figures import UnitFigures, check_asked, unit_figures
from medreview.study import Study
from tests.stats.small_study import SmallStudy
from tests.support.fact_study import FactStudy
from tests.support.unit_study import decide

FEW = Resampling(replicates=199, seed=3)
PEOPLE = ("ann", "bob", "cyd")
LEVELS = {"Y": "present", "N": "absent", "C": "contradicted"}
KAPPA = "Cohen's kappa (quadratic weights)"


def shown(figures: UnitFigures) -> str:
    assert figures.by is not None
    return " ".join(printed(division_parts(figures.by, figures.title)).split())


@pytest.fixture(scope="module")
def facts(small_of_module: SmallStudy) -> Study:
    """Two cases of two facts and two systems; three people, who are of one mind; three judges, of whom two are right on
    atlas and one on boreal."""
    made = FactStudy(small_of_module.study)
    truth = {"atlas": ("YN", "YY"), "boreal": ("NN", "YC")}
    for number, case in enumerate(("one", "two")):
        made.case(case, ("First.", "other"), ("Second.", "other"))
        for system, words in truth.items():
            text, said = made.text(system, case), words[number]
            for person in PEOPLE:
                made.labels(person, text, *(LEVELS[letter] for letter in said))
            right = said.replace("C", "N")
            wrong = right.translate(str.maketrans("YN", "NY"))
            for judge, good in (("a", True), ("b", system == "atlas"), ("c", False)):
                made.votes(judge, text, right if good else wrong)
    return made.study


def fact_parts(figures: UnitFigures) -> dict[str, FactPart]:
    assert figures.by is not None
    return {one.part: one for one in figures.by.parts if isinstance(one, FactPart)}


def test_each_system_has_its_scores_its_votes_and_its_agreement_with_the_panel(facts: Study) -> None:
    figures = unit_figures(facts.reader, "fact", resampling=FEW, by="model", juries=[("a", "b", "c")])
    parts = fact_parts(figures)
    assert list(parts) == ["atlas", "boreal"]
    atlas, boreal = parts["atlas"], parts["boreal"]
    assert (atlas.cases, atlas.texts, atlas.facts, atlas.reviewers) == (2, 2, 4, dict.fromkeys(PEOPLE, 4))
    # The panel: YN YY and NN Y (contradicted); the judges are two to one right on atlas, wrong on boreal.
    assert [one.by_panel[PRESENCE].figure.value for one in (atlas, boreal)] == [3 / 4, 1 / 4]
    assert [one.by_panel[CONTRADICTION].figure.value for one in (atlas, boreal)] == [0, 1 / 4]
    assert [one.by_jury[PRESENCE].figure.value for one in (atlas, boreal)] == [3 / 4, 3 / 4]
    assert (boreal.by_panel[PRESENCE].figure.clusters, boreal.by_panel[PRESENCE].figure.method) == (
        2, "jackknife over cases",
    )  # fmt: skip
    votes, labels = boreal.votes[PRESENCE], boreal.labels[CONTRADICTION]
    assert (votes.yes, votes.no, votes.abstained, votes.contested) == (1 + 3 + 3, 3 + 1 + 1, 0, 4)
    assert (labels.yes, labels.no, labels.contested) == (3, 9, 0)
    by_rater = {one.rater: one.agreement for one in boreal.against_panel if one.task == PRESENCE}
    assert list(by_rater) == ["the jury", "jury of a, b, c", "a", "b", "c"]
    assert by_rater["a"].figures["cohen_kappa"].value == 1
    # Wrong on all four, with one yes against three: (0 - 6/16) / (1 - 6/16).
    assert by_rater["the jury"].figures["cohen_kappa"].value == pytest.approx(-0.6)
    assert by_rater["the jury"].table == by_rater["jury of a, b, c"].table == ((0, 1), (3, 0))
    text = shown(figures)
    assert "By the jury of a, b, c" in text
    assert "boreal: beside the majority of the panel, presence" in text
    parsed = json.loads(json.dumps(asdict(figures), allow_nan=False))
    assert parsed["by"]["parts"][1]["reviewers"] == dict.fromkeys(PEOPLE, 4)


def test_non_inferiority_is_shown_by_system_also_for_a_named_small_jury(facts: Study) -> None:
    found = fact_parts(unit_figures(facts.reader, "fact", resampling=FEW, by="model", juries=[("a", "b")]))
    atlas = found["atlas"].single_person
    assert atlas is not None
    # People are of one mind: each has kappa 1 with the others. On atlas a and b are right, on boreal they are even.
    assert (atlas.people, atlas.person.value) == (3, 1.0)
    beside = {one.rater: one.difference for one in atlas.beside}
    assert list(beside) == ["the jury", "jury of a, b", "a", "b", "c"]
    assert (beside["jury of a, b"].value, beside["jury of a, b"].n) == (0.0, 4)
    # c says no where there is yes: kappa is -0.6 there too, minus 1.
    assert beside["c"].value == pytest.approx(-1.6)
    boreal = found["boreal"].single_person
    assert boreal is not None
    even = next(one.difference for one in boreal.beside if one.rater == "jury of a, b")
    assert (even.value, even.n, even.dropped) == (None, 0, 4)
    with pytest.raises(UserError, match="No judge 'z' was asked about key facts; asked: a, b, c"):
        unit_figures(facts.reader, "fact", resampling=FEW, juries=[("a", "z")])
    with pytest.raises(UserError, match="two judges or more"):
        unit_figures(facts.reader, "fact", resampling=FEW, juries=[("a",)])


def test_a_case_has_its_share_and_no_interval(facts: Study) -> None:
    figures = unit_figures(facts.reader, "fact", resampling=FEW, by="case")
    parts = fact_parts(figures)
    assert [(one.part, one.title, one.texts) for one in parts.values()] == [
        ("C01", "Case one", 2),
        ("C02", "Case two", 2),
    ]
    second = parts["C02"].by_panel[PRESENCE].figure
    assert (second.value, second.n, second.low) == (3 / 4, 4, None)
    assert "All items come from one case" in (second.reason or "")
    assert parts["C01"].single_person is None
    assert "the jury beside the majority of the panel, presence" in shown(figures)


def test_a_filter_narrows_key_facts_to_a_system_or_a_case(facts: Study) -> None:
    only = select_units(facts.reader, "fact", "model=boreal case=C02")
    assert only is not None
    figures = unit_figures(facts.reader, "fact", resampling=FEW, only=only, by="model")
    assert (figures.units, figures.labelled, figures.where) == (2, 2, "model=boreal case=C02")
    assert list(fact_parts(figures)) == ["boreal"]
    held = figures.family.figures if figures.family else None  # type: ignore[union-attr]
    assert (held.held, held.systems, held.cases) == (2, 1, 1)  # type: ignore[union-attr]
    assert held.scores[0].by_panel[PRESENCE].figure.value == 1 / 2  # type: ignore[union-attr]
    assert select_units(facts.reader, "fact", " ") is None
    with pytest.raises(UserError, match="No key fact fits 'case=C09'"):
        select_units(facts.reader, "fact", "case=C09")


@pytest.mark.parametrize(
    ("kind", "by", "where", "juries", "why"),
    [
        ("fact", "type", "", (), "Key facts cannot be divided by type; key facts are divided by model or case."),
        ("answer", "model", "", (), "Answers cannot be divided by model; key facts, rankings, QA items can."),
        ("answer", None, "model=a", (), "A filter narrows the figures of pairs, .* not those of answers."),
        ("qa", None, "", (("a", "b"),), "Small juries are for key facts"),
    ],
)
def test_what_a_kind_does_not_have_is_one_sentence(kind, by, where, juries, why) -> None:
    with pytest.raises(UserError, match=why):
        check_asked(kind, by, where, juries)


RANKINGS = [
    # order by rater; qualities of atlas and boreal, as letters, by rater
    ("k1", "short", {"a": "1>2", "b": "1>2"}, {"a": "gb", "b": "gb"}),
    ("k2", "short", {"a": "1>2", "b": "2>1"}, {"a": "go", "b": "og"}),
    ("k3", "list", {"a": "2>1", "b": "2>1"}, {"a": "bg", "b": "og"}),
]


@pytest.fixture
def rankings(study: Study, tmp_path: Path) -> Study:
    """Three rankings of two models, ranked and rated by two."""
    words = {"g": "good", "o": "okay", "b": "bad"}
    lines = [
        {
            "unit": "ranking", "id": name, "type": kind, "question": f"Question {name}?",
            "outputs": [{"model": model, "text": f"{model} says {name}."} for model in ("atlas", "boreal")],
            "labels": [
                {"annotator": who, "order": order,
                 "qualities": {str(place): words[letter] for place, letter in enumerate(qualities[who], 1)}}
                for who, order in orders.items()
            ],
        }
        for name, kind, orders, qualities in RANKINGS
    ]  # fmt: skip
    path = tmp_path / "rankings.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in lines), "utf-8")
    pipeline.bring_in(study, path, {})
    return study


def ranking_parts(study: Study, by: UnitBy, **more) -> dict[str, RankingPart]:
    figures = unit_figures(study.reader, "ranking", resampling=FEW, by=by, **more)
    assert " nan" not in shown(figures)
    assert figures.by is not None
    return {one.part: one for one in figures.by.parts if isinstance(one, RankingPart)}


def test_rankings_are_divided_by_the_model_of_the_output(rankings: Study) -> None:
    parts = ranking_parts(rankings, "model")
    atlas = parts["atlas"]
    # Ranks of atlas: 1, 1 in the first; 1, 2; 2, 2.
    assert (atlas.rankings, atlas.outputs, atlas.mean_rank.value, atlas.tau) == (3, 3, 9 / 6, None)
    assert atlas.quality.qualities == {"good": 3, "okay": 2, "bad": 1}
    assert (atlas.quality.usefulness.value, atlas.quality.usefulness.clusters) == ((3 + 3 + 3 + 2 + 1 + 2) / 6, 3)
    # a: good good bad; b: good okay okay. Squares of steps: 0 1 1, mean 2/3 of 4 in full.
    # By chance, of a 2/3 good, 1/3 bad and of b 1/3 good, 2/3 okay: 2/3 * 2/3 + 1/3 * (1/3 * 4 + 2/3) = 10/9.
    kappa = estimate_named(atlas.quality_agreement, KAPPA)
    assert (kappa.value, kappa.n) == (pytest.approx(1 - (2 / 3) / (10 / 9)), 3)
    assert estimate_named(atlas.quality_agreement, "percent agreement").value == 1 / 3


def test_rankings_are_divided_by_type_and_by_ranking(rankings: Study) -> None:
    short = ranking_parts(rankings, "type")["short"]
    # Tau is 1 in the first ranking, -1 in the second.
    assert (short.rankings, short.outputs, short.tau.value, short.mean_rank) == (2, 4, 0.0, None)
    # a: good bad good okay; b: good bad okay good. Squares 0 0 1 1.
    assert estimate_named(short.quality_agreement, "percent agreement").value == 2 / 4
    each = ranking_parts(rankings, "case")
    assert next((one.part, one.title) for one in each.values()) == ("K01", "Question k1?")
    assert (each["K03"].tau.value, each["K03"].quality.good.value, each["K03"].quality.good.low) == (1.0, 2 / 4, None)
    family = unit_figures(rankings.reader, "ranking", resampling=FEW).family
    assert isinstance(family, RankingFigures)
    assert set(family.quality) == {"", "short", "list"}
    assert estimate_named(family.quality["short"], "percent agreement").value == 2 / 4


def test_a_filter_on_the_model_means_its_outputs(rankings: Study) -> None:
    blind = FilterWords(rankings.reader, kind_named("rankings"), "blind")
    assert ("model" in blind.names, blind.values("type")) == (False, ["list", "short"])
    opened = FilterWords(rankings.reader, kind_named("rankings"), "open")
    assert opened.values("model") == ["atlas", "boreal"]
    only = select_units(rankings.reader, "ranking", "model=boreal type=short")
    assert only is not None
    assert (len(only.units), only.models) == (2, {"boreal"})
    assert list(ranking_parts(rankings, "model", only=only)) == ["boreal"]
    family = unit_figures(rankings.reader, "ranking", resampling=FEW, only=only).family
    assert isinstance(family, RankingFigures)
    (boreal,) = family.models
    # In the first ranking second of both, in the second second and first.
    assert (boreal.model, boreal.mean_rank.value, boreal.mean_rank.n) == ("boreal", 7 / 4, 4)


ITEMS = [
    ("short", "atlas", "p1"),
    ("short", "boreal", "p1"),
    ("short_inverse", "atlas", "p2"),
    ("short", "atlas", "p3"),
]


def test_items_have_weighted_kappa_by_type_and_rates_by_model(study: Study, tmp_path: Path) -> None:
    lines = [
        {
            "unit": "qa", "id": f"q{number}", "type": kind, "model": model, "question": f"Question {number}?",
            "answer": "Yes.", "passage": f"The passage {passage}. It says yes.",
            **({"wrong_answer": "No.", "flaw": "It is yes."} if kind == "short_inverse" else {}),
        }
        for number, (kind, model, passage) in enumerate(ITEMS)
    ]  # fmt: skip
    path = tmp_path / "qa.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in lines), "utf-8")
    pipeline.bring_in(study, path, {})
    units = [row[0] for row in study.reader.execute("SELECT unit_id FROM unit WHERE kind = 'qa' ORDER BY ordinal")]
    for unit, first, second in zip(units, "5431", "5341", strict=True):
        decide(study, "ann", unit, "relevance", first)
        decide(study, "bob", unit, "relevance", second)
    figures = unit_figures(study.reader, "qa", resampling=FEW, by="type")
    assert figures.by is not None
    parts = {one.part: one for one in figures.by.parts if isinstance(one, QAPart)}
    assert list(parts) == ["short", "short_inverse"]
    # ann 5 4 1, bob 5 3 1: squares 0 1 0. By chance the mean of all nine: (0+4+16 + 1+1+9 + 16+4+0) / 9 = 51/9.
    kappa = estimate_named(parts["short"].relevance_agreement, KAPPA)
    assert (kappa.value, kappa.n) == (pytest.approx(1 - (1 / 3) / (51 / 9)), 3)
    by_model = unit_figures(study.reader, "qa", resampling=FEW, by="model").by
    assert by_model is not None
    assert [(one.part, one.rates.items, one.reviewers) for one in by_model.parts if isinstance(one, QAPart)] == [
        ("atlas", 3, {"ann": 3, "bob": 3}), ("boreal", 1, {"ann": 1, "bob": 1}),
    ]  # fmt: skip
    by_case = unit_figures(study.reader, "qa", resampling=FEW, by="case")
    assert [one.rates.items for one in by_case.by.parts] == [2, 1, 1]  # type: ignore[union-attr]
    assert "Two annotators on relevance" in shown(by_case)
    only = select_units(study.reader, "qa", "type=short")
    assert unit_figures(study.reader, "qa", resampling=FEW, only=only).labelled == 3
