"""Figures as text for a terminal or a file, 80 columns or wider."""

from collections.abc import Iterable, Sequence
from io import StringIO
from typing import Final

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from medreview.cli.output import counted
from medreview.labels import AXES
from medreview.stats.between_judges import BetweenJudges
from medreview.stats.compared import Comparison
from medreview.stats.figure import Figure, half_up, percent
from medreview.stats.judge_agreement import GroupFigures
from medreview.stats.said import BINARY, LEVELS, SCALES
from medreview.stats.study_figures import ReviewerFigures, StudyFigures
from medreview.stats.study_support import SupportFigures, SupportReport
from medreview.visible import visible

_SHORT: Final = {
    "source URL validity": "URL validity",
    "statement-level support": "statement support",
    "response-level support": "response support",
}
"""Names for a column that leaves room for the rest of an 80-column row; the JSON has the full ones."""
_COEFFICIENTS: Final = ("Cohen's kappa", "Gwet's AC1")
_CHANCE_CORRECTED: Final = (*_COEFFICIENTS, "Fleiss' kappa", "Krippendorff's alpha")
_SCALES: Final = {scale.name: scale.title for scale in SCALES}
_NOBODY: Final = "Nobody has decided anything yet: there is no agreement to show. Start with medreview review."
_NO_LABEL: Final = "No statement has a label of this reviewer: there is no agreement to show."
_NOTHING_WHOLE: Final = "No response has a label on every statement: support by these labels cannot be said."
_NO_RESPONSE: Final = "The study has no response yet: bring some in with medreview import."


def render(figures: StudyFigures) -> str:
    """The whole report. Styled when standard output is a terminal; never wider than it (80 when it is none)."""
    terminal, written = Console(), StringIO()
    console = Console(
        file=written,
        force_terminal=terminal.is_terminal,
        width=terminal.width if terminal.is_terminal else 80,
        color_system="auto" if terminal.is_terminal else None,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )
    for part in _report(figures):
        console.print(part)
    lines = (line.rstrip() for line in written.getvalue().splitlines())
    return "\n".join(lines).rstrip("\n") + "\n"


def _report(figures: StudyFigures) -> Iterable[RenderableType]:
    statements, responses = counted(figures.statements, "statement"), counted(figures.responses, "response")
    yield _plain(f"{statements} in {responses}")
    if not figures.reviewers:
        yield from ("", _plain(_NOBODY))
    for reviewer in figures.reviewers:
        yield from _reviewer(reviewer)
    if figures.between_reviewers:
        yield from ("", _title("Agreement between reviewers, on their labels as they stand"))
        for comparison in figures.between_reviewers:
            yield from ("", _comparison(comparison))
    yield from _judges(figures.between_judges)
    yield from _support(figures.support)
    again = figures.resampling
    yield from (
        "",
        _plain(
            f"resampled: percentile bootstrap over responses, {again.replicates:,} replicates, seed {again.seed}. "
            "Wilson: takes the items for independent; lead with the resampled one where responses hold several. "
            "left: items left out, because a judgement or label is missing. resp: responses that the items are in."
        ),
    )


def _reviewer(reviewer: ReviewerFigures) -> Iterable[RenderableType]:
    done = reviewer.progress
    yield from ("", _title(f"Reviewer {_out(reviewer.reviewer)}"))
    yield _plain(
        f"{done.decided:,} of {counted(done.total, 'statement')} decided, {done.deferred:,} deferred, "
        f"{done.open:,} open; {done.disagreements:,} otherwise than the judges, "
        f"{done.changed_after_reveal:,} changed after the reveal"
    )
    if done.hallucinations:
        names = {label.level: label.name for label in AXES["hallucination"]}
        types = ", ".join(f"{count:,} {names[level]}" for level, count in done.hallucinations.items())
        yield _plain(f"hallucination: {types}")
    if done.minutes is not None:
        yield _plain(f"{half_up(done.minutes, 2)} minutes for a decision (median of {done.timed:,})")
    if not reviewer.agreement:
        yield from ("", _plain(_NO_LABEL))
        return
    for group in reviewer.agreement:
        yield from _group(group)
    for report in reviewer.support:
        yield from _support(report)
    if not reviewer.support:
        yield from ("", _plain(_NOTHING_WHOLE))


def _group(group: GroupFigures) -> Iterable[RenderableType]:
    labels, responses = counted(group.labels, "label"), counted(group.responses, "response")
    yield from ("", _title(f"Agreement with the judges, {group.title}: {labels} in {responses}"))
    yield from map(_plain, group.cautions)
    for comparison in group.comparisons:
        yield from ("", _comparison(comparison))


def _comparison(comparison: Comparison) -> RenderableType:
    first, second = _out(comparison.first), _out(comparison.second)
    head = Text(f"{first} and {second}, {_SCALES[comparison.scale]}", style="bold")
    parts: list[RenderableType] = [head]
    left = ", ".join(f"{count:,} {reason}" for reason, count in comparison.dropped.items())
    if comparison.n == 0:
        parts.append(_plain(f"Nothing to compare; left out: {left}." if left else "Nothing to compare."))
        return _inset(Group(*parts))
    parts += [_figure_table(comparison.agreement), *_sentences(comparison.agreement)]
    if left:
        parts.append(_plain(f"left out: {left}"))
    parts += [_matrix(comparison, first, second), *_mcnemar(comparison, first, second)]
    parts += map(_plain, comparison.cautions)
    return _inset(Group(*parts))


def _mcnemar(comparison: Comparison, first: str, second: str) -> Iterable[Text]:
    test = comparison.mcnemar
    if test is not None:
        p = half_up(test.pvalue, 3) if test.pvalue >= 0.0005 else "below 0.001"
        yield _plain(f"only {first} says supported: {test.b:,}; only {second}: {test.c:,}; {test.method}, p {p}")


def _matrix(comparison: Comparison, first: str, second: str) -> RenderableType:
    names = [_level(label) for label in comparison.labels]
    table = _table()
    table.add_column(Text("rows / columns"), no_wrap=True)
    for name in (*names, "all"):
        table.add_column(Text(name), justify="right", no_wrap=True)
    for label, name, row in zip(comparison.labels, names, comparison.table, strict=True):
        cells = [*row, comparison.first_counts[label]]
        table.add_row(Text(name), *(Text(f"{count:,}") for count in cells))
    columns = [*(comparison.second_counts[label] for label in comparison.labels), comparison.n]
    table.add_row(Text("all"), *(Text(f"{count:,}") for count in columns))
    return Group(_plain(f"rows: {first}; columns: {second}"), table)


def _support(report: SupportReport) -> Iterable[RenderableType]:
    yield from ("", _title(f"Support and sources, by {_out(report.by)}"))
    if not report.strata:
        yield _plain(_NO_RESPONSE)
    yield from map(_plain, report.cautions)
    for stratum in report.strata:
        yield from ("", _stratum(stratum))
    for split, count in report.omitted.items():
        yield from ("", _plain(f"{count:,} smaller groups by {split} are not shown."))


def _stratum(stratum: SupportFigures) -> RenderableType:
    name = f"{stratum.split} {_out(stratum.stratum) or '(not given)'}" if stratum.split else "all responses"
    empty = f"; {stratum.without_statements:,} more without statements" if stratum.without_statements else ""
    head = Text(f"{name}: {counted(stratum.responses, 'response')} with statements{empty}", style="bold")
    both = [figure for pair in zip(stratum.clustered, stratum.wilson, strict=True) for figure in pair]
    # Without items the two are the same sentence.
    shown = [figure for place, figure in enumerate(both) if place % 2 == 0 or figure.n]
    return _inset(Group(head, _figure_table(shown), *_sentences(shown)))


def _judges(judges: BetweenJudges) -> Iterable[RenderableType]:
    """The judges beside each other; nothing when fewer than two judged."""
    if len(judges.tallies) < 2:
        return
    yield from ("", _title("The judges beside each other"))
    levels = [tuple(tally.labels[LEVELS.name].values()) for tally in judges.tallies]
    coarse = [
        sum(tally.labels[BINARY.name].values()) - sum(told) for tally, told in zip(judges.tallies, levels, strict=True)
    ]
    # "Not found" has no place among the four labels. Most judges use all four, and the column is left out.
    more = ("other",) if max(coarse) > 0 else ()
    votes = _columns("", "asked", "abstained", *map(_level, LEVELS.labels), *more)
    for tally, told, rest in zip(judges.tallies, levels, coarse, strict=True):
        counts = (tally.asked, tally.abstained, *told, *((rest,) if more else ()))
        votes.add_row(Text(_out(tally.judge)), *(Text(f"{count:,}") for count in counts))
    yield _inset(votes)
    ties = f"{counted(judges.tied, 'statement')} with even votes; tie rule: {judges.tie_rule.replace('_', ' ')}."
    other = " Other: not supported, without saying which of the labels." if more else ""
    yield _plain(f"{ties} Abstained: no verdict, be it unsure, refused, cut off or no answer.{other}")
    for jury in judges.juries:
        many = jury.agreement
        shown = tuple(many.figures.values())
        head = Text(f"{counted(len(jury.judges), 'judge')} together, {_SCALES[jury.scale]}", style="bold")
        yield from ("", _inset(Group(head, _figure_table(shown), *_sentences(shown))))
    for scale in SCALES:
        pairs = _columns(f"each two, {scale.title}", *_COEFFICIENTS, "agree", "n", "left")
        for pair in (pair for pair in judges.pairs if pair.scale == scale.name):
            figures = {figure.name: figure for figure in reversed(pair.agreement)}
            cells = [_short(figures[name]) for name in (*_COEFFICIENTS, "percent agreement")]
            cells += [f"{pair.n:,}", f"{sum(pair.dropped.values()):,}"]
            pairs.add_row(Text(f"{_out(pair.first)}, {_out(pair.second)}"), *(Text(cell) for cell in cells))
        if pairs.rows:
            yield from ("", _inset(pairs))


def _short(figure: Figure) -> str:
    return "-" if figure.value is None else _number(figure, figure.value)


def _columns(*names: str) -> Table:
    table = _table()
    for place, name in enumerate(names):
        longest = max(map(len, name.split()), default=0)
        table.add_column(Text(name), justify="right" if place else "left", min_width=longest)
    return table


def _figure_table(figures: Sequence[Figure]) -> Table:
    table = _table()
    for name, side in (("", "left"), ("value", "right"), ("95% interval", "left"), ("method", "left")):
        table.add_column(Text(name), justify=side, no_wrap=True)  # type: ignore[arg-type]
    for name in ("n", "resp", "left"):
        table.add_column(Text(name), justify="right", no_wrap=True)
    before = ""
    for figure in figures:
        name = _SHORT.get(figure.name, figure.name)
        table.add_row(*map(Text, _cells(figure, "" if figure.name == before else name)))
        before = figure.name
    return table


def _cells(figure: Figure, name: str) -> tuple[str, ...]:
    value = "undefined" if figure.value is None else _number(figure, figure.value)
    interval = ""
    if figure.value is not None:
        interval = "not given"
        if figure.low is not None and figure.high is not None:
            interval = f"{_number(figure, figure.low)} to {_number(figure, figure.high)}"
    method = {"Wilson": "Wilson", "none": ""}.get(figure.method, "resampled")
    clusters = "" if figure.clusters is None else f"{figure.clusters:,}"
    return name, value, interval, method, f"{figure.n:,}", clusters, f"{figure.dropped:,}"


def _number(figure: Figure, value: float) -> str:
    return half_up(value) if figure.name in _CHANCE_CORRECTED else percent(value)


def _sentences(figures: Iterable[Figure]) -> list[Text]:
    """Why a value or an interval is missing, and the figures' own cautions; each once."""
    found: dict[str, None] = {}
    for figure in figures:
        if figure.reason:
            found[f"{figure.name}: {figure.reason}"] = None
        found |= dict.fromkeys(figure.notes)
    return [_plain(sentence) for sentence in found]


def _level(label: str) -> str:
    return label.replace("_", " ")


def _table() -> Table:
    return Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="", show_edge=False)


def _inset(part: RenderableType) -> Padding:
    return Padding(part, (0, 0, 0, 2))


def _title(text: str) -> Text:
    return Text(text, style="bold underline")


def _plain(text: str) -> Text:
    return Text(text)


def _out(text: str) -> str:
    """A text from outside on one line of this report."""
    return visible(" ".join(text.split()))
