"""Answers of several models to the same questions: intervals over questions, and models paired by them.

Each expectation is worked out here from counts by question, with scipy's t, and not with the program's formulas.
"""

import math
from collections.abc import Callable, Sequence
from statistics import variance

import pytest
from scipy import stats

from medreview.citations.allow_list import load_allow_list
from medreview.cli.reports.estimates import difference_parts
from medreview.cli.reports.terminal import printed
from medreview.exchange.imports.citation_answers import CitingAnswer
from medreview.review.audit import draw
from medreview.review.live_agreement import LiveFigures
from medreview.review.queue import open_queue
from medreview.stats.citation_kpis import citation_report, scored
from medreview.stats.formulas.audit_sampling import Sampled, share_at_large
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.formulas.estimate import Estimate, FigureRow, figure_rows
from medreview.stats.reports.reviewer_labels import SCALES
from medreview.stats.reports.study_reader import Selection
from medreview.stats.study_figures import StudyFigures, study_figures
from tests.stats.jackknife import jackknife
from tests.stats.random_study import fill
from tests.stats.reports.small_figures import against, groups_of
from tests.stats.small_study import SmallStudy
from tests.support.study_builder import build

SAID = {
    "atlas": ["SSSS", "SSSN", "SSNN", "SSSS", "SNNN", "SSSS", "SSSN", "SSNN"],
    "ember": ["SSSN", "SSSN", "SNNN", "SSSS", "NNNN", "SSSN", "SSNN", ""],
}
"""What the judge says of the four statements of each answer, by question; ember has no answer to the last one."""


def of(figures: StudyFigures, name: str, stratum: int = 0) -> Estimate:
    return figures.support.strata[stratum].estimate(name)


def ends(value: Callable[[Sequence[int]], float], questions: int, *, logit: bool) -> tuple[float, float]:
    """The interval of a jackknife, on the scale of the share or of its logit."""
    found = jackknife(value, questions)
    whole, half = found.value, found.half_width
    if not logit:
        return whole - half, whole + half
    half /= whole * (1 - whole)
    at = math.log(whole / (1 - whole))
    return 1 / (1 + math.exp(half - at)), 1 / (1 + math.exp(-half - at))


def share(model: str, questions: Sequence[int]) -> tuple[int, int]:
    words = "".join(SAID[model][question] for question in questions)
    return words.count("S"), len(words)


def supported(questions: Sequence[int]) -> float:
    counts = [share(model, questions) for model in SAID]
    return sum(so for so, _ in counts) / sum(all_ for _, all_ in counts)


def apart(questions: Sequence[int]) -> float:
    (a, of_a), (b, of_b) = (share(model, questions) for model in SAID)
    return a / of_a - b / of_b


@pytest.fixture
def shared(small: SmallStudy) -> SmallStudy:
    """Both models; the same questions but for how they are written."""
    for model, answers in SAID.items():
        for number, words in enumerate(answers):
            if words:
                name = f"{model}{number}"
                asked = f"Question  {number} ?" if model == "ember" else f"question {number}"
                small.response(name, len(words), model=model, question=asked)
                small.judge(" ".join(f"{name}.{place}" for place in range(1, 5)), one=words)
    small.roll_up()
    return small


def whole(small: SmallStudy, **more: object) -> StudyFigures:
    return study_figures(small.study.reader, resampling=Resampling(replicates=199), **more)  # type: ignore[arg-type]


def test_a_pooled_share_varies_by_question_and_says_so(shared: SmallStudy) -> None:
    figures = whole(shared)
    found = of(figures, "statement-level support")

    assert (found.n, found.clusters, found.cluster, found.method) == (60, 8, "question", "jackknife over questions")
    assert found.value == pytest.approx(supported(range(8)))
    assert (found.low, found.high) == pytest.approx(ends(supported, 8, logit=True), rel=2e-3)
    assert found.notes == ("Only 8 questions: below 10 even this interval can be too narrow.",)
    assert figures.resampling.cluster == "question"
    # Responses stay what is counted.
    whole_ones = of(figures, "response-level support")
    assert (whole_ones.n, whole_ones.value, whole_ones.cluster) == (15, pytest.approx(4 / 15), "question")


def test_two_models_are_paired_by_question_and_what_one_has_alone_is_named(shared: SmallStudy) -> None:
    figures = whole(shared)
    (family,) = [one for one in figures.differences if one.between == "models_support"]
    one = family.differences[0]

    assert (one.first, one.second, one.statistic) == ("atlas", "ember", "statement support")
    assert (one.cluster, one.shared, one.only_first, one.only_second) == ("question", 7, 1, 0)
    assert one.estimate.value == pytest.approx(apart(range(8)))
    assert (one.estimate.low, one.estimate.high) == pytest.approx(ends(apart, 8, logit=False), rel=2e-3)
    assert one.pairing == "paired by question (7 shared; 1 only atlas)"
    text = printed(difference_parts(figures.differences))
    assert "paired by question (7 shared; 1 only atlas)" in " ".join(text.split())
    # Unpaired, the questions that both find hard would widen it.
    low, high = one.estimate.low or 0.0, one.estimate.high or 0.0
    spread = sum(variance(_by_question(model)) / len(_by_question(model)) for model in SAID)
    assert high - low < 0.75 * 2 * stats.t.ppf(0.975, 13) * math.sqrt(spread)


def _by_question(model: str) -> list[float]:
    return [words.count("S") / 4 for words in SAID[model] if words]


def test_a_part_of_the_study_keeps_the_clusters_of_the_whole(shared: SmallStudy) -> None:
    of_atlas = frozenset(f"atlas{question}.{place}" for question in range(8) for place in range(1, 5))
    found = of(whole(shared, only=Selection(of_atlas, "model=atlas")), "statement-level support")

    assert (found.n, found.clusters, found.cluster) == (32, 8, "question")


def test_agreement_is_over_questions_in_reports_and_on_the_screen(shared: SmallStudy) -> None:
    for model, answers in SAID.items():
        for number, words in enumerate(answers):
            for place, word in enumerate(words, 1):
                told = "S" if (word == "S") != ((number + place) % 5 == 0) else "N"
                shared.say(f"{model}{number}.{place}", "open", anna=told)
    figures = whole(shared)
    binary = against(groups_of(figures)["assisted", False], scale="binary")
    kappa = binary.estimate("Cohen's kappa")

    assert (binary.cluster, binary.clusters, kappa.cluster, kappa.clusters) == ("question", 8, "question", 8)
    assert any("Too few questions (8)" in caution for caution in binary.cautions)
    live = LiveFigures(shared.study.reader, "anna")
    view = live.view(live.groups[0], SCALES[1])
    assert (view.kappa.low, view.kappa.high) == pytest.approx((kappa.low, kappa.high))
    assert (view.kappa.cluster, view.kappa.clusters) == ("question", 8)
    own = figures.reviewers[0].own
    assert own is not None
    assert (own.any_source.cluster, own.any_source.clusters) == ("question", 8)


def test_an_audit_stays_a_draw_of_statements_and_answers_like_these_are_questions(small: SmallStudy) -> None:
    for question in range(10):
        for model in ("atlas", "ember"):
            small.response(f"{model}{question}", 4, model=model, question=f"Question {question}")
    draw(small.study, "anna", rate=1.0)
    units = open_queue(small.study, "audit", "anna").units
    hard = {f"{model}{question}" for model in ("atlas", "ember") for question in (2, 5, 7)}
    for unit in units:
        right = unit.split(".")[0] not in hard or unit.endswith("1")
        small.said("supported" if right else "partial", unit, mode="blind", block="audit")
    (found,) = whole(small).audit.figures
    by_question = [
        Sampled(float(unit.split(".")[0] not in hard or unit.endswith("1")), unit.split(".")[0][5:], 1.0)
        for unit in units
    ]
    expected = share_at_large("x", by_question, unit="question")

    at_large = found.supported.at_large
    assert (at_large.low, at_large.high) == pytest.approx((expected.low, expected.high))
    assert (at_large.clusters, at_large.cluster) == (10, "question")
    assert at_large.method == "Wilson, variance over questions"
    # All of this study was labelled: it does not vary, whatever its clusters are.
    study = found.supported.study
    assert study.low == study.high == pytest.approx(62 / 80)


@pytest.mark.parametrize("seed", [0, 1, 5, 7])
def test_every_figure_that_counts_clusters_names_them(small: SmallStudy, seed: int) -> None:
    fill(small, seed)
    build(small.study, lambda rows: rows.response("again", statements=["text"], question="How much, r0?"))
    figures = whole(small)

    rows = list(figure_rows(figures))
    assert rows
    assert [row.path for row in rows if (row.clusters is None) == bool(row.cluster)] == []


def test_a_study_whose_questions_differ_has_the_figures_of_one_without_questions(small: SmallStudy) -> None:
    fill(small, 7)
    before = _numbers(whole(small))
    small.study.write(lambda connection: connection.execute("UPDATE response SET question = ''"))

    assert _numbers(whole(small)) == before
    assert {row.cluster for row in before} <= {"", "response"}


def _numbers(figures: StudyFigures) -> list[FigureRow]:
    return [row for row in figure_rows(figures) if row.method != "count"]


def test_shares_of_responses_are_over_questions_too_and_by_wilson_within_a_model(small: SmallStudy) -> None:
    for question in range(6):
        for model in ("atlas", "ember"):
            small.response(f"{model}{question}", 1, ["ok"] * (question > 1), model=model, question=f"Q{question}")
    kinds = whole(small).kinds

    both, atlas = kinds.all.without_source, kinds.by_model["atlas"].without_source
    assert (both.value, both.n, both.clusters, both.cluster) == (pytest.approx(1 / 3), 12, 6, "question")
    assert (atlas.method, atlas.n, atlas.cluster) == ("Wilson", 6, "")
    answers = [
        CitingAnswer(number, f"a{number}", "atlas", "", f"See https://who.int/{number}.", question=f"Q{number // 2}")
        for number in range(8)
    ]
    allow = load_allow_list(None)
    report = citation_report(scored(answers, allow, 8), allow, resampling=Resampling(replicates=199))
    cited = report.all.figures.mean_citations
    assert (cited.n, cited.clusters, cited.cluster) == (8, 4, "question")
