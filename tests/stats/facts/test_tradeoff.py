"""Cost and time of a case by system, from the calls that made its texts."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.units.fact_report import TradeOff, fact_report
from medreview.study import Study
from tests.support.fact_study import FactStudy

BRIEF, SINGLE = "m (brief)", "m (single prompt)"


@pytest.fixture
def facts(tmp_path: Path) -> Iterator[FactStudy]:
    """Two cases; two strategies of one model and a system that came in a file."""
    with Study.create(tmp_path / "s.medreview") as study:
        made = FactStudy(study)
        for case in ("one", "two"):
            made.case(case, ("A fact.", "other"))
            for system in (BRIEF, SINGLE, "foreign"):
                made.votes("judge", made.text(system, case), "Y")
        yield made


def found(facts: FactStudy) -> dict[str, TradeOff]:
    report = fact_report(facts.study.reader, resampling=Resampling(replicates=199))
    return {one.system: one for one in report.trade_offs}


def test_cost_and_time_are_those_of_all_calls_of_a_text_and_means_over_cases(facts):
    facts.made(f"{BRIEF}-one", "m", "brief", (0.02, 4000), (0.01, 2000), (0.03, 6000))
    facts.made(f"{BRIEF}-two", "m", "brief", (0.04, 8000))
    facts.made(f"{SINGLE}-one", "m", "single prompt", (0.01, 1000))
    facts.made(f"{SINGLE}-two", "m", "single prompt", (0.03, 2000))
    told = found(facts)
    brief, single, foreign = told[BRIEF], told[SINGLE], told["foreign"]
    assert (brief.cost, brief.seconds, brief.model, brief.strategy) == (pytest.approx(0.05), 10.0, "m", "brief")
    assert (single.cost, single.seconds, single.model, single.strategy) == (0.02, 1.5, "m", "single prompt")
    assert (foreign.cost, foreign.seconds) == (None, None)
    assert foreign.no_cost == foreign.no_time == "2 texts of 2 not written here"
    assert brief.presence.value == 1.0


def test_what_is_not_known_of_one_call_is_not_known_of_the_system(facts):
    facts.made(f"{BRIEF}-one", "m", "brief", (0.02, 4000), (None, 2000))
    facts.made(f"{BRIEF}-two", "m", "brief", (0.02, 4000))
    facts.made(f"{SINGLE}-one", "m", "single prompt", (0.5, 0), rung="")
    told = found(facts)
    assert (told[BRIEF].cost, told[BRIEF].seconds) == (None, 5.0)
    assert told[BRIEF].no_cost == "the cost of 1 call is not known"
    assert told[SINGLE].no_cost == "1 text of 2 not written here"
    facts.made(f"{SINGLE}-two", "m", "single prompt", (0.5, 0), rung="")
    told = found(facts)
    assert (told[SINGLE].cost, told[SINGLE].seconds, told[SINGLE].no_time) == (0.5, None, "2 calls came in a batch")
