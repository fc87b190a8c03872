"""How a reviewer works, in tables and sentences: part of ``stats --full`` of one's own name."""

from collections.abc import Iterator, Sequence

from medreview.cli.output import counted, one_line
from medreview.cli.reports.estimates import clusters_heading, p_value
from medreview.cli.reports.layout import Part, TableHeading, Title, cells, inset, reasons, table, value_cell
from medreview.labels import AXES
from medreview.stats.decision_timing import Drift, Pace, Trend
from medreview.stats.formulas.estimate import half_up, percent, show
from medreview.stats.reviewer_conduct import Conduct, IntraRater, LongestRun, Sign
from medreview.text import in_words


def conduct_parts(conducts: Sequence[Conduct]) -> Iterator[Part]:
    """The conduct of each reviewer who decided anything."""
    for conduct in conducts:
        if conduct.decisions or conduct.intra_rater:
            yield from _conduct(conduct)


def _conduct(conduct: Conduct) -> Iterator[Part]:
    name = one_line(conduct.reviewer)
    yield Title(
        f"How {name} works, for {name}'s own eyes: {counted(conduct.decisions, 'first decision')} on statements"
    )
    if conduct.decisions:
        yield from pace_parts(conduct.pace)
        for drift in conduct.drift:
            yield from _drift(drift)
    if conduct.intra_rater:
        for pair in conduct.intra_rater:
            yield from intra_rater_parts(pair)
    else:
        yield from ("", "Agreement with oneself: no label of a second pass yet (`medreview plan second-pass`).")
    if conduct.decisions:
        yield from ("", TableHeading("Is each one looked at? Figures to think about, no proof of anything"))
        notes = dict.fromkeys(note for sign in conduct.signs for note in sign.figure.notes)
        yield inset(*(_sign(sign) for sign in conduct.signs), *_run(conduct.longest_run), *notes)


def pace_parts(paces: Sequence[Pace]) -> Iterator[Part]:
    """How long first decisions took, by mode."""
    names = ("seconds", "median", "95% interval", "quarter", "3 quarters", "an hour", "keys", "n", "left")
    rows = [
        (
            one.mode, *cells(one.seconds, 1), _plain(one.quarter, 1), _plain(one.three_quarters, 1),
            "" if one.per_hour is None else f"{one.per_hour:,.0f}", _plain(one.keys, 1),
            one.seconds.n, one.seconds.dropped,
        )
        for one in paces
    ]  # fmt: skip
    yield inset(table(names, rows), *reasons((one.mode, one.seconds) for one in paces))
    yield (
        "active time: a pause counts a minute at most. A quarter and three quarters of the decisions took no longer; "
        "an hour: decisions in an hour of active time; keys: the median; left: no time is on record."
    )


def _drift(drift: Drift) -> Iterator[Part]:
    left = f"; {counted(drift.left, 'decision')} in shorter ones" if drift.left else ""
    yield ""
    yield TableHeading(
        f"While a sitting goes on, {drift.mode} labels: {counted(drift.sittings, 'sitting')} of 12 or more{left}"
    )
    if not drift.thirds:
        return
    names = ("third", "n", "supported", "95% interval", "as the judges", "95% interval", "seconds")
    rows = [
        (
            one.name.split()[0], one.n, one.supported,
            one.as_judges, value_cell(one.seconds, "undefined", 1),
        )
        for one in drift.thirds
    ]  # fmt: skip
    yield inset(
        table(names, rows),
        *(_trend(trend, drift.family) for trend in drift.trends),
        *reasons(
            (f"{figure.name}, {one.name}", figure) for one in drift.thirds for figure in (one.supported, one.as_judges)
        ),
        *drift.notes,
    )


def _trend(trend: Trend, family: int) -> str:
    test = trend.test
    if test.pvalue is None or test.statistic is None or trend.adjusted is None:
        return f"trend in {trend.what}: undefined: {test.reason}"
    holm = f", {p_value(trend.adjusted)} by Holm among {family}" if family > 1 else ""
    return f"trend in {trend.what}: rho {half_up(test.statistic, 2)}, {p_value(test.pvalue)}{holm} ({test.name})"


def intra_rater_parts(pair: IntraRater) -> Iterator[Part]:
    """Agreement of a reviewer's two passes on one kind of unit."""
    yield ""
    of = counted(pair.agreement[0].n, "label")
    yield TableHeading(
        f"Agreement with oneself, {in_words(pair.kind)}: {pair.same:,} of {of} the same in the second pass"
    )
    names = {label.level: label.name for label in AXES[pair.axis]}
    parts: list[Part] = [f"{pair.first}; {pair.second}"]
    rows = [(one.name, one, one.n, one.clusters) for one in pair.agreement]
    parts.append(table(("", "value", "95% interval", "n", clusters_heading(pair.agreement)), rows))
    parts += reasons((one.name, one) for one in pair.agreement)
    if pair.table:
        shown = [names[label] for label in pair.labels]
        lines = [(name, *row) for name, row in zip(shown, pair.table, strict=True)]
        parts.append(table(("first / second", *shown), lines))
    yield inset(*parts)


def _sign(sign: Sign) -> Part:
    figure = sign.figure
    n = f" (n {figure.n:,})" if figure.n else ""
    why = f" {figure.reason}" if figure.value is not None and figure.reason else ""
    return inset(f"{sign.name}: {show(figure)}{n}{why}", inset(sign.sentence))


def _run(run: LongestRun | None) -> Iterator[Part]:
    if run is None:
        return
    chance = "" if run.by_chance is None else f"; drawn in any order, the longest would have about {run.by_chance:.0f}"
    yield (
        f"longest run of one label: {run.length} times {in_words(run.label)}, which is {percent(run.share)} of "
        f"{counted(run.n, 'decision')}{chance}. Statements of one response are alike, and make runs."
    )


def _plain(value: float | None, digits: int) -> str:
    return "" if value is None else half_up(value, digits)
