"""How long decisions took, and how far reviewers agree with themselves."""

from collections.abc import Iterator

from medreview.cli.output import one_line
from medreview.cli.reports.conduct import intra_rater_parts, pace_parts
from medreview.cli.reports.layout import Title
from medreview.cli.reports.page_parts import PagePart, Plot, Section
from medreview.cli.reports.plots import Interval, forest
from medreview.cli.reports.study_page.material import Material
from medreview.stats.conduct.conduct_report import Conduct
from medreview.stats.conduct.pace import Pace
from medreview.stats.formulas.estimate import half_up


def pace_section(material: Material) -> Section | None:
    """Nothing where no time is on record and nothing was labelled twice."""
    parts = tuple(_parts(material.figures.conduct))
    return Section("pace", "Pace, and agreement with oneself", parts) if parts else None


def _parts(conducts: tuple[Conduct, ...]) -> Iterator[PagePart]:
    timed = [one for one in conducts if one.decisions and one.pace[0].seconds.n]
    rows = [row for one in timed for row in _rows(one)]
    if rows:
        title = "Seconds for a decision: the median, and between the quarters"
        yield Plot(forest(title, "seconds", rows, scale="seconds", between="between the quarters"))
    for one in conducts:
        if one in timed or one.intra_rater:
            yield Title(one_line(one.reviewer))
        if one in timed:
            yield from pace_parts(one.pace)
        for pair in one.intra_rater:
            yield from intra_rater_parts(pair)


def _rows(conduct: Conduct) -> Iterator[Interval]:
    yield Interval(one_line(conduct.reviewer))
    for pace in conduct.pace:
        yield _row(pace)


def _row(pace: Pace) -> Interval:
    value, low, high = pace.seconds.value, pace.quarter, pace.three_quarters
    if value is None or low is None or high is None:
        return Interval(pace.mode, words=("no time on record", ""))
    words = (half_up(value, 1), f"{half_up(low, 1)} to {half_up(high, 1)}")
    return Interval(pace.mode, value, low, high, words, pace.seconds.n)
