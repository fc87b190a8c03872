"""How a reviewer works: pace, drift, agreement with herself, signs of labels given without looking."""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import timedelta
from typing import Any

import pytest

from medreview.cli.reports.conduct import conduct_parts
from medreview.cli.reports.terminal import printed
from medreview.stats import decision_timing as timed
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.reports.reviewer_labels import reviewer_labels
from medreview.stats.reviewer_conduct import Conduct, conduct_report, reading_seconds
from medreview.study.events import NewEvent
from medreview.units.kind import Gold
from medreview.units.stored import add_gold
from tests.stats.small_study import SmallStudy
from tests.support.commands import Program, own_settings

FEW = Resampling(replicates=199, seed=1)
UNITS = [f"r{response}.{place}" for response in range(12) for place in range(1, 4)]
Label = str | Callable[[int], str]


@pytest.fixture
def study(small: SmallStudy) -> SmallStudy:
    """36 statements in 12 responses, of which the judge says that two of three are supported."""
    for response in range(12):
        small.response(f"r{response}", 3)
    for place, unit in enumerate(UNITS):
        small.judged("atlas", judges(place), unit)
    small.roll_up()
    return small


def judges(place: int) -> str:
    """The judge's label on a statement, by its place."""
    return "partial" if place % 3 == 2 else "supported"


def say(study: SmallStudy, units: Sequence[str], label: Label = judges, **more: Any) -> None:
    """Decide statements one after the other; what is given as a function is told the place."""
    for unit in units:
        place = UNITS.index(unit)
        told = {name: value(place) if callable(value) else value for name, value in more.items()}
        study.said(label(place) if callable(label) else label, unit, judge_verdict=judges(place), **told)


def conduct(study: SmallStudy, who: str = "anna", only: Collection[str] | None = None) -> Conduct:
    reader = study.study.reader
    labels = {unit: label for unit, label in reviewer_labels(reader, who).items() if only is None or unit in only}
    return conduct_report(reader, who, labels, only=only, resampling=FEW)


def figures(found: Conduct) -> Mapping[str, Any]:
    return {sign.name: sign.figure for sign in found.signs}


def test_the_pace_is_that_of_first_decisions_by_mode_and_counts_those_without_a_time(study: SmallStudy) -> None:
    say(study, UNITS[:9], mode="blind", active_ms=lambda place: 10_000 + 1_000 * place, keys=2)
    say(study, UNITS[9:18], active_ms=40_000, keys=lambda place: place % 2)
    say(study, UNITS[18:20], active_ms=None)
    whole, blind, assisted = conduct(study).pace
    assert (whole.mode, whole.seconds.n, whole.seconds.dropped) == ("all", 18, 2)
    assert (blind.quarter, blind.seconds.value, blind.three_quarters, blind.keys) == (12, 14, 16, 2)
    assert blind.seconds.low < 14 < blind.seconds.high
    assert blind.per_hour == pytest.approx(3600 / 14)
    assert (assisted.seconds.value, assisted.seconds.n, assisted.per_hour) == (40, 9, 90)
    # A later change of mind is no other first decision.
    study.said("contradicted", UNITS[0], kind="revise", active_ms=1)
    assert conduct(study).pace == (whole, blind, assisted)


def test_the_thirds_of_a_sitting_stand_beside_each_other_with_a_named_test_for_a_trend(study: SmallStudy) -> None:
    def tiring(place: int) -> str:
        return "supported" if place >= 18 else "partial"

    say(study, UNITS, tiring, mode="blind", block="audit", active_ms=lambda place: 60_000 - 1_000 * place)
    (drift,) = conduct(study).drift
    assert (drift.mode, drift.sittings, drift.left) == ("blind", 1, 0)
    assert [third.n for third in drift.thirds] == [12, 12, 12]
    assert [third.supported.value for third in drift.thirds] == [0, 0.5, 1]
    assert [third.as_judges.value for third in drift.thirds] == pytest.approx([1 / 3, 0.5, 2 / 3])
    assert [third.seconds.value for third in drift.thirds] == [54.5, 42.5, 30.5]
    trends = {trend.what: trend for trend in drift.trends}
    assert trends["supported"].test.statistic > 0.8
    assert trends["seconds for a decision"].test.statistic == -1
    assert trends["supported"].test.name == "Spearman's rho, t approximation"
    assert drift.family == 3
    least = trends["as the judges"]
    assert least.adjusted == pytest.approx(least.test.pvalue)
    assert "not in random order" not in " ".join(drift.notes)


def test_a_pause_or_another_queue_is_another_sitting_and_short_ones_have_no_thirds(
    study: SmallStudy, monkeypatch
) -> None:
    say(study, UNITS[:20], block="triage")
    say(study, UNITS[20:30], block="responses")
    (drift,) = conduct(study).drift
    assert (drift.sittings, drift.left, [third.n for third in drift.thirds]) == (1, 10, [7, 7, 6])
    assert "not in random order" in drift.notes[0]
    monkeypatch.setattr(timed, "PAUSE", timedelta(0))
    (drift,) = conduct(study).drift
    assert (drift.sittings, drift.left, drift.thirds, drift.trends) == (0, 30, (), ())


def test_the_second_pass_is_held_against_the_first_labels_by_their_mode(study: SmallStudy) -> None:
    say(study, UNITS[:12], mode="blind")
    say(study, UNITS[12:20])
    assert conduct(study).intra_rater == ()
    say(study, UNITS[:8], mode="blind", pass_no=2)
    say(study, UNITS[8:9], "contradicted", mode="blind", pass_no=2)
    say(study, UNITS[12:16], "supported", mode="blind", pass_no=2)
    blind, assisted = sorted(conduct(study).intra_rater, key=lambda one: one.mode, reverse=True)
    assert (blind.kind, blind.axis, blind.mode, blind.same) == ("statement", "evidence", "blind", 8)
    agree, kappa, _ = blind.agreement
    assert (agree.n, agree.clusters, agree.value) == (9, 3, 8 / 9)
    assert kappa.value == pytest.approx((8 / 9 - 42 / 81) / (1 - 42 / 81))
    place = blind.labels.index
    assert blind.table[place("partial")][place("contradicted")] == 1
    assert blind.first == "first labels of the first pass, given blind"
    assert (assisted.same, assisted.agreement[0].n) == (3, 4)
    assert [one.agreement[0].n for one in conduct(study, only=UNITS[:3]).intra_rater] == [3]


def test_signs_of_haste_are_counted_and_none_is_an_accusation(study: SmallStudy) -> None:
    say(
        study,
        UNITS[:12],
        lambda place: "supported" if place else "partial",
        mode="blind",
        active_ms=60_000,
        via="digit",
    )
    say(
        study,
        UNITS[12:24],
        active_ms=lambda place: 60_000 if place % 2 else 1,
        via=lambda p: "accept" if p % 4 else "digit",
    )
    study.said(judges(2), UNITS[2], kind="revise", seen="before", via="reveal")
    found = conduct(study)
    signs = figures(found)
    assert (signs["assisted decisions that follow the judges"].value, signs["taken over with one key"].value) == (
        1,
        0.75,
    )
    # Blind the reviewer said "supported" of all but the first, where the judges say so of two in three.
    gap = signs["agreement with the judges, assisted minus blind, in points"]
    assert gap.value == pytest.approx(1 - 7 / 12)
    assert (gap.low, "it takes 5 of each" in str(gap.reason)) == (None, True)
    changed = signs["changed to the judges' verdict"]
    assert (changed.value, changed.n) == (0.2, 5)
    sooner = signs["sooner than can be read"]
    assert (sooner.value, sooner.n) == (0.25, 24)
    assert reading_seconds(1_800) == 60
    # No page stood beside these, and every response has one.
    assert signs["without a page on the screen"].value == 1
    assert signs["gold items right"].reason == "No such item is decided and shown."
    run = found.longest_run
    assert (run.label, run.length, run.n) == ("supported", 13, 24)
    assert 1 < run.by_chance < 24
    text = printed(conduct_parts([found]))
    assert "no proof of anything" in text
    assert "nan" not in text


def test_gold_items_count_once_no_open_block_hides_them(study: SmallStudy) -> None:
    gold = [(unit, Gold("evidence", "supported", attention=place == 0)) for place, unit in enumerate(UNITS[:4])]
    study.study.write(lambda connection: add_gold(connection, gold, "lead"))
    say(study, UNITS[:2], mode="blind")
    say(study, UNITS[2:4])
    assert figures(conduct(study))["gold items right"].n == 2
    for unit in UNITS[:2]:
        study.event(NewEvent("reveal", unit), mode="blind")
    signs = figures(conduct(study))
    assert (signs["gold items right"].value, signs["gold items right"].n) == (0.75, 4)
    assert (signs["checks of attention right"].value, signs["checks of attention right"].n) == (1, 1)


def test_who_has_decided_nothing_or_only_from_a_file_has_reasons_instead_of_figures(study: SmallStudy) -> None:
    nobody = conduct(study)
    assert (nobody.decisions, nobody.drift, nobody.longest_run) == (0, (), None)
    assert all(sign.figure.value is None and sign.figure.reason.endswith(".") for sign in nobody.signs)
    assert printed(conduct_parts([nobody])).strip() == ""
    say(study, UNITS[:1], active_ms=None)
    one = conduct(study)
    assert one.pace[0].seconds.reason == "No decision has its time on record."
    assert one.longest_run.by_chance is None
    assert "no label of a second pass yet" in printed(conduct_parts([one]))


def test_only_the_reviewer_who_asks_or_is_named_is_told_of_unless_all_are_asked_for(
    study: SmallStudy, tmp_path
) -> None:
    medreview = Program(tmp_path)
    say(study, UNITS[:6])
    say(study, UNITS[:6], who="ben")
    path = study.study.path
    assert "How ben works" in medreview("stats", path, "--full", "--replicates", "99", "--reviewer", "ben").stdout
    everybody = medreview("stats", path, "--full", "--replicates", "99", "--conduct").stdout
    assert ("How anna works" in everybody, "How ben works" in everybody) == (True, True)
    own_settings(tmp_path, 'reviewer = "anna"\n')
    own = medreview("stats", path, "--full", "--replicates", "99").stdout
    assert ("How anna works" in own, "How ben works" in own) == (True, False)
    assert "How anna works" not in medreview("stats", path, "--replicates", "99").stdout
