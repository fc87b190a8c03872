"""What a requirement says, which figure it means, and when it holds."""

from collections.abc import Sequence

import pytest

from medreview.errors import UserError
from medreview.review.audit import draw
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.requirements import NAMES, Outcome, outcomes, requirement
from medreview.stats.study_figures import StudyFigures, study_figures
from tests.stats.small_study import SmallStudy

FEW = Resampling(replicates=99)


@pytest.fixture(scope="module")
def figures(small_of_module: SmallStudy) -> StudyFigures:
    """Forty responses of two statements; anna finds 60 of 80 supported, in the draw and out of it, and the model finds
    70; both say the same of 70. Half of the responses are of another model, which supports all."""
    small = small_of_module
    for number in range(40):
        small.response(f"r{number}", 2, model="atlas" if number % 2 else "boreal")
    units = [f"r{number}.{place}" for number in range(40) for place in (1, 2)]
    by_anna, by_model = set(units[:60]), set(units[:70])
    small.judged("one", "supported", *[unit for unit in units if unit in by_model])
    small.judged("one", "not_addressed", *[unit for unit in units if unit not in by_model])
    draw(small.study, "anna", size=60)  # of a smaller draw both may say the same throughout, and kappa has no interval
    drawn = {row[0] for row in small.study.reader.execute("SELECT statement_id FROM audit_item")}
    for block, chosen in (("audit", drawn), ("responses", set(units) - drawn)):
        for label, said in (("supported", chosen & by_anna), ("not_addressed", chosen - by_anna)):
            small.said(label, *sorted(said), mode="blind", block=block)
    small.roll_up()
    return study_figures(small.study.reader, resampling=FEW)


def told(figures: StudyFigures, *expressions: str) -> Sequence[Outcome]:
    return outcomes([requirement(one) for one in expressions], figures, figures.answers)


def test_a_figure_is_compared_and_the_sentence_says_of_what_it_is(figures: StudyFigures) -> None:
    # Of all 80 statements anna supports 60: the models' 70 of 80 come only where they are asked for.
    (hers, theirs, fifths, above) = told(
        figures, "support>=.75", "support[by=models]>=87.5%", "support<76%", "support>.75"
    )
    assert [one.met for one in (hers, theirs, fifths, above)] == [True, True, True, False]
    assert (hers.value, theirs.value, fifths.bound) == (60 / 80, 70 / 80, 0.76)
    assert hers.sentence.startswith("any source supports it, by the labels of anna (all 80 of 80): 75.0% (95% CI ")
    assert hers.sentence.endswith("), at least .75")
    assert above.sentence.endswith(", not above .75")
    (atlas,) = told(figures, "support[model=atlas,by=models]>=.85")
    assert atlas.sentence.startswith("statement-level support, by the judges' verdict, model atlas: ")


def test_an_end_of_the_interval_is_asked_for_by_name(figures: StudyFigures) -> None:
    (group,) = [one for one in figures.reviewers[0].agreement if one.drawn]
    kappa = next(one for one in group.comparisons if one.scale == "binary").estimate("Cohen's kappa")
    low, high, of_judge = told(
        figures, "lower(kappa)>=.99", "upper( kappa[ drawn = yes ] ) <= 1", "kappa[judge=one]>-1"
    )
    assert (low.value, high.value) == (kappa.low, kappa.high)
    assert (low.met, high.met, of_judge.met) == (False, True, True)
    assert low.sentence.startswith("kappa of the judges together with anna, blind, random audit: ")
    assert ", lower end " in low.sentence
    assert low.sentence.endswith(", below .99")
    assert of_judge.sentence.startswith("kappa of one with anna, blind, random audit: ")


def test_a_place_in_the_json_names_every_figure_and_count(figures: StudyFigures) -> None:
    decided, share = told(figures, "reviewers[0].progress.decided>=81", "reviewers[0].own.any_source>=.75")
    assert (decided.met, decided.sentence) == (False, "reviewers[0].progress.decided: 80, below 81")
    assert (share.met, share.value) == (True, 0.75)


def test_what_is_undefined_holds_in_no_way_and_says_why(figures: StudyFigures) -> None:
    for one in told(
        figures, "kappa[between=reviewers]>-1", "kappa[gold=yes]<2", "url_validity[origin=forum]<2", "share<2"
    ):
        assert (one.met, one.value) == (False, None)
        assert "undefined" in one.sentence
        assert one.sentence.endswith(".")


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("kappa", "cannot be read"),
        ("kappa>=x", "cannot be read"),
        ("lower(kappa>=.4", "cannot be read"),
        ("middle(kappa)>=.4", "cannot be read"),
        ("cappa>=.4", "there is no figure 'cappa'"),
        ("kappa[judge=two]>=.4", "there is together, one"),
        ("kappa[model=atlas]>=.4", "narrowed by judge, reviewer"),
    ],
)
def test_what_cannot_be_meant_is_an_error_that_says_what_can(figures: StudyFigures, expression: str, said: str) -> None:
    with pytest.raises(UserError) as raised:
        told(figures, expression)
    assert said in str(raised.value)
    if "cappa" in expression or "read" in said:
        assert all(name in str(raised.value) for name in NAMES)
