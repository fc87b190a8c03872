"""ClinIQLink's second experiment from end to end: items asked of eight models, ranked by annotators who err by a rule.

What the figures recover stands beside what the rule says: of each model the outputs with something invented, as every
annotator saw them, and the order of the models that follows.
"""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from medreview.generators.answer_rankings import RankingDraw, answering_models, make_rankings
from medreview.replays.papers.cliniqlink import table
from medreview.stats.units.kind_labels import kind_labels
from medreview.stats.units.rankings import RankingFigures, ranking_figures
from medreview.stats.units.rated_outputs import rated_outputs, shown_rankings
from medreview.study import Study
from tests.support.asked_items import Annotator, Rule, answer_by_rule, fill, rank
from tests.support.unit_study import do

RULES = {f"m{place}": Rule(right=0.9 - 0.08 * place, invents=0.04 + 0.1 * place) for place in range(8)}
CERTAIN = (Annotator("anna"),)
ERRING = (Annotator("anna", 0.1), Annotator("ben", 0.1), Annotator("cleo", 0.1))
Ranked = tuple[Study, tuple[Annotator, ...], RankingFigures]


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A benchmark of 56 items that eight models answered, with a ranking of each of the 32 open ones."""
    path = tmp_path_factory.mktemp("asked") / "s.medreview"
    with Study.create(path) as study:
        fill(study, 56)
        answer_by_rule(study, RULES)
        done = make_rankings(study, "kb", RankingDraw(tuple(answering_models(study.reader))))
        assert (done.eligible, done.new, done.named) == (32, 32, 0)
    return path


@pytest.fixture(scope="module", params=[CERTAIN, ERRING], ids=["one who never errs", "three who err"])
def ranked(request, asked: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ranked]:
    path = Path(shutil.copy(asked, tmp_path_factory.mktemp("ranked")))
    with Study.open(path) as study:
        for (unit,) in study.reader.execute("SELECT unit_id FROM unit WHERE kind = 'ranking'").fetchall():
            for annotator in request.param:
                rank(study, unit, annotator, RULES)
        yield study, request.param, ranking_figures(study.reader, kind_labels(study.reader, "ranking"))


def flags(study: Study, annotators: tuple[Annotator, ...], model: str, kind: str = "") -> list[list[bool]]:
    """By the rule: of each of a model's outputs what every annotator says."""
    rows = study.reader.execute("SELECT record_id, content FROM unit WHERE kind = 'ranking'")
    numbers = [int(row[0][1:]) for row in rows if kind in ("", json.loads(row[1])["type"])]
    invented = {number: RULES[model].invented(model, number) for number in numbers}
    return [[one.flags(model, number, invented[number]) for one in annotators] for number in numbers]


def test_rates_ranks_and_usefulness_are_those_of_the_rule(ranked):
    study, annotators, found = ranked
    for one in found.flags.models:
        said = flags(study, annotators, one.model, one.type)
        labels = [flag for output in said for flag in output]
        assert one.rate.value == pytest.approx(sum(map(any, said)) / len(said))
        assert one.by_label.value == pytest.approx(sum(labels) / len(labels))
        assert one.rate.low <= one.rate.value <= one.rate.high
    for each in found.models:
        labels = [flag for output in flags(study, annotators, each.model, each.type) for flag in output]
        assert each.usefulness.value == pytest.approx(3 - 2 * sum(labels) / len(labels))
    assert {each.type for each in found.models} == {"", "short", "short_inverse", "multi_hop", "multi_hop_inverse"}


def test_what_is_left_of_an_order_that_was_taken_back_does_not_count(asked: Path, tmp_path: Path) -> None:
    path = tmp_path / "s.medreview"
    path.write_bytes(asked.read_bytes())
    with Study.open(path) as study:
        units = [row[0] for row in study.reader.execute("SELECT unit_id FROM unit WHERE kind = 'ranking' LIMIT 2")]
        for unit in units:
            rank(study, unit, Annotator("anna"), RULES)
        query = "SELECT event_id FROM event WHERE unit = ? AND json_extract(payload, '$.axis') = 'rank'"
        (order,) = study.reader.execute(query, (units[0],)).fetchone()
        do(study, "anna", "retract", units[0], undoes_event=order)
        rated = rated_outputs(kind_labels(study.reader, "ranking"), shown_rankings(study.reader))
    assert {one.ranking.unit for one in rated} == {units[1]}


def test_the_rate_goes_against_usefulness_over_models_with_an_exact_p(ranked):
    *_, found = ranked
    (rho,) = (one.correlation for one in found.flags.correlations if not one.type and one.beside == "usefulness")
    assert rho.figure.value < -0.9
    assert rho.test.pvalue < 0.001
    assert rho.figure.n == 8


def test_the_papers_table_has_them(ranked):
    study, annotators, _ = ranked
    rows = {(row.what, row.of): row.ours for row in table(study)}
    for model in RULES:
        said = flags(study, annotators, model)
        assert rows["outputs that are hallucinated", model].value == pytest.approx(sum(map(any, said)) / len(said))
    assert rows["hallucination rate and usefulness of the models, Spearman's rho", ""].value < -0.9
