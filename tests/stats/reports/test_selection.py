"""Figures of a part of a study: which statements are in it, and what cannot be said of it."""

import pytest

from medreview.errors import UserError
from medreview.review.queue_filters import select_statements
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.reports.study_reader import AUDIT_BY_LABELS, AUDIT_OF_PART, EVERYTHING
from medreview.stats.reports.subgroups import DIVISIONS, about, strata_of
from medreview.stats.study_figures import StudyFigures, study_figures
from tests.stats.random_study import fill
from tests.stats.small_study import SmallStudy
from tests.support.study_builder import build

FEW = Resampling(replicates=99)


def of_part(small: SmallStudy, text: str, **more) -> StudyFigures:
    only = select_statements(small.study.reader, text)
    return study_figures(small.study.reader, resampling=FEW, only=only, **more)


def two_models(small: SmallStudy) -> None:
    small.response("r1", 2, ["ok", "http_error"], model="atlas", origin="forum")
    small.response("r2", 3, model="ember", origin="clinic")
    small.invalid("r3", "empty", model="ember")
    small.judged("amber", "supported", "r1.1", "r1.2", "r2.1")
    small.judged("amber", "partial", "r2.2", "r2.3")
    small.judged("offline", "supported", "r2.3")
    small.cites("r1.1", 2)
    small.roll_up()


def test_a_filter_takes_the_words_of_queues(small):
    two_models(small)
    reader = small.study.reader

    assert select_statements(reader, "  ") is EVERYTHING
    assert select_statements(reader, "model=atlas").statements == {"r1.1", "r1.2"}
    ember = select_statements(reader, "model=ember")
    assert (ember.statements, ember.responses, ember.tells) == ({"r2.1", "r2.2", "r2.3"}, {"r3"}, False)
    assert select_statements(reader, "verdict=partial origin=clinic").responses == set()
    for text, words in (
        ("colour=red", "A filter cannot use 'colour'"),
        ("model=nobody", "Nothing in the study fits 'model=nobody'."),
        ("mine=supported", "nobody has reviewed anything yet"),
    ):
        with pytest.raises(UserError, match=words):
            select_statements(reader, text)


def test_labels_in_a_filter_are_those_of_one_reviewer(small):
    two_models(small)
    small.said("supported", "r1.1", who="anna")
    reader = small.study.reader
    mine = select_statements(reader, "mine=supported")
    assert (mine.statements, mine.by_labels) == ({"r1.1"}, True)
    small.said("supported", "r2.1", who="ben")

    with pytest.raises(UserError, match="one of anna, ben"):
        select_statements(reader, "mine=supported")
    assert select_statements(reader, "mine=supported", "ben").statements == {"r2.1"}
    assert not select_statements(reader, "verdict=supported").by_labels


def test_figures_of_a_part_are_those_of_a_study_that_holds_no_more(small, tmp_path):
    two_models(small)
    small.said("supported", "r1.1", "r2.1", "r2.2")
    figures = of_part(small, "model=ember")
    support = figures.support.strata[0]

    assert (figures.statements, figures.responses, figures.provenance.where) == (3, 2, "model=ember")
    assert (figures.part.statements, figures.part.in_study, figures.part.parted) == (3, 5, 0)
    assert figures.reviewers[0].progress.decided == 2
    assert support.estimate("statement-level support").value == pytest.approx(1 / 3)
    # An invalid response is none of the statements, and not supported.
    assert (support.estimate("response-level support").n, support.invalid) == (2, 1)
    assert figures.kinds.all.responses == 2
    assert figures.between_judges.tallies[0].asked == 3
    assert AUDIT_OF_PART in figures.part.cautions
    assert study_figures(small.study.reader, resampling=FEW).part is None


def test_a_response_that_is_in_part_here_is_in_no_figure_on_whole_ones(small):
    two_models(small)
    figures = of_part(small, "verdict=supported")
    support = figures.support.strata[0]

    assert (figures.statements, figures.responses, figures.part.parted) == (3, 2, 1)
    assert support.estimate("statement-level support").value == 1.0
    assert support.estimate("response-level support").n == 1
    assert support.estimate("unused sources").n == 2


def test_no_audit_is_told_of_what_labels_chose(small):
    two_models(small)
    small.said("supported", "r1.1")
    build(small.study, lambda rows: rows.add("audit_frame", statement_id="r1.1", number=0.1, stratum="all", rate=0.5))
    assert study_figures(small.study.reader, resampling=FEW).audit.figures
    figures = of_part(small, "mine=supported")

    assert figures.audit.figures == ()
    assert AUDIT_BY_LABELS in figures.part.cautions


@pytest.mark.parametrize("seed", range(6))
def test_every_statement_is_in_a_stratum_of_every_division(small, seed):
    fill(small, seed)
    units = {row[0] for row in small.study.reader.execute("SELECT statement_id FROM statement_standing")}
    for by in DIVISIONS:
        found = strata_of(small.study.reader, by)
        assert found.keys() == units, by
        assert all(found.values()), by


def test_what_a_statement_cites_itself_comes_before_what_its_response_cites(small):
    two_models(small)
    small.response("r4", 1, [None])
    small.response("r5", 1, [])
    pages = strata_of(small.study.reader, "page")

    assert (pages["r1.1"], pages["r1.2"]) == (("http_error",), ("http_error", "ok"))
    assert (pages["r4.1"], pages["r5.1"]) == (("not fetched",), ("no source",))
    assert strata_of(small.study.reader, "domain")["r1.2"] == ("page.example",)
    assert "several" in about("page")
    assert "several" not in about("model")


def test_judges_quotes_and_queues_divide_by_what_was_said(small):
    two_models(small)
    small.said("supported", "r1.1", block="flagged")
    small.said("partial", "r1.1", block="audit", who="ben")
    reader = small.study.reader

    assert strata_of(reader, "judge")["r2.3"] == ("amber", "offline (words only)")
    assert set(strata_of(reader, "quote").values()) == {("no quote",)}
    queues = strata_of(reader, "queue")
    assert (queues["r1.1"], queues["r1.2"]) == (("audit", "flagged"), ("not decided",))
    assert strata_of(reader, "queue", "ben")["r1.1"] == ("audit",)
