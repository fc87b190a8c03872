"""Figures of statement lists: shares of statements and answers, by parser, honest at the ends, two reviewers beside
each other."""

import pytest

from medreview.cli.reports.terminal import printed
from medreview.cli.reports.unit_parts import unit_parts
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.formulas.intervals import clopper_pearson, wilson
from medreview.stats.units.statement_lists import ListRater, StatementListFigures
from medreview.stats.units.unit_figures import UnitFigures, unit_figures
from medreview.study import Study
from medreview.units.kind import RESPONSE
from tests.support.list_study import ANSWER, JUDGE, RULES, TEXTS, at, lists
from tests.support.study_builder import build
from tests.support.unit_study import decide

FEW = Resampling(replicates=199)


def check_lists(
    study: Study, who: str, units: list[str], faults: dict[int, tuple[str, str]], *, blind: bool = True
) -> None:
    """All of the lists are right, but for those with a fault: its level, and numbers or words of the answer; without a
    place where these are empty, or ``?`` of a missing statement."""
    session = at(study, units[0], who, blind=blind)
    for place, unit in enumerate(units):
        level, named = faults.get(place, ("none", ""))
        session.go(list(session.queue.units).index(unit))
        session.decide(level)
        session.go(list(session.queue.units).index(unit))
        if level == "missing" and named != "?":
            session.add_span(RESPONSE, session.default_span(RESPONSE), label=level, reason=named)
        elif named and level != "missing":
            session.mark_numbered(level, named)


def figures(study: Study) -> UnitFigures:
    return unit_figures(study.reader, "statement_list", resampling=FEW)


def family(study: Study) -> StatementListFigures:
    found = figures(study).family
    assert isinstance(found, StatementListFigures)
    return found


def of(study: Study, who: str, parser: str = "") -> ListRater:
    return next(one for one in family(study).raters if (one.reviewer, one.parser) == (who, parser))


def test_the_papers_figures_are_counted_by_reviewer_and_by_parser(study: Study) -> None:
    units = lists(study, [RULES] * 8 + [JUDGE] * 8)
    check_lists(
        study, "anna", units, {1: ("missing", "A fourth one."), 9: ("missing", ""), 10: ("not_contained", "2 3")}
    )
    decide(study, "anna", units[0], "statement_list", "missing", pass_no=2)
    found = of(study, "anna")
    assert (found.answers, found.statements, found.so, found.missing) == (16, 48, (46, 48, 2), 2)
    assert (found.misses.low, found.misses.high) == wilson(2, 16)
    assert found.contained.value == pytest.approx(46 / 48)
    assert found.contained.low is not None
    assert found.contained.low < wilson(46, 48)[0]  # two faults of one answer tell less than two of two answers
    by_parser = {one.parser: (one.answers, one.so) for one in family(study).raters}
    assert by_parser == {
        "": (16, (46, 48, 2)), RULES: (8, (24, 24, 1)), "claude statement_parsing/2": (8, (22, 24, 1)),
    }  # fmt: skip


def test_all_contained_has_no_interval_of_no_width_and_says_what_is_known_of_answers(study: Study) -> None:
    units = lists(study, [RULES] * 20)
    # Of one statement: the others have several, so that answers are what differs.
    build(study, lambda rows: rows.response("r21", ANSWER, parser=RULES, left_out_by=RULES, statements=TEXTS[:1]))
    check_lists(study, "anna", [*units, "statement_list:r21"], {})
    contained = of(study, "anna").contained
    assert (contained.value, contained.low) == (1, None)
    assert f"at least {100 * clopper_pearson(21, 21)[0]:.1f}%" in contained.reason
    text = printed(unit_parts(figures(study)))
    assert "61 of 61" in text
    assert "0 of 21" in text
    assert "330 and 329 of 330" in text


def test_two_reviewers_stand_beside_each_other_on_answers_and_on_statements(study: Study) -> None:
    units = lists(study, [RULES] * 6)
    check_lists(
        study, "anna", units, {0: ("missing", "One more."), 2: ("not_contained", "1"), 4: ("not_contained", "")}
    )
    check_lists(study, "ben", units, {0: ("missing", "One more."), 2: ("not_self_contained", "1")})
    tables = {one.title: one.found.table for one in family(study).between}
    assert tables == {
        "a statement missing or not": ((5, 0), (0, 1)),
        # of that whose fault has no place nothing is known of its statements
        "statement in the answer or not": ((14, 0), (1, 0)),
        "self-contained or not": ((14, 1), (0, 0)),
    }


def test_labels_given_with_the_parser_in_sight_stand_apart_and_a_fault_without_place_counts_no_statements(
    study: Study,
) -> None:
    units = lists(study, [RULES] * 3)
    check_lists(study, "anna", units, {0: ("not_contained", ""), 1: ("missing", "?")}, blind=False)
    check_lists(study, "ben", units, {})
    found = of(study, "anna")
    assert (found.which, found.unplaced, found.statements, found.answers) == ("assisted", 1, 6, 3)
    assert (found.missing, found.misses.value) == (1, pytest.approx(1 / 3))
    assert of(study, "ben").which == "first, blind"
    assert family(study).between == ()
