"""The report on key facts: scores of systems, the panel, themes and votes, and what systems cost against what they say.

The trade-off is two plots as SVG and a table of the same as CSV.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from medreview.atomic_output import atomic_outputs, check_own, write_new
from medreview.cli.output import counted, given, one_line
from medreview.cli.reports.estimates import p_by_margin
from medreview.cli.reports.layout import NextStep, Part, ReportTable, TableHeading, Title, cells, inset, reasons, table
from medreview.cli.reports.plots import Drawing, Point, scatter
from medreview.errors import UserError
from medreview.exchange.exports.figure_csv import TRADE_OFF
from medreview.exchange.files.columns import cells as csv_cells
from medreview.exchange.files.csv_file import CsvFile, check_report, sign_of
from medreview.judges.fact_votes import PRESENCE
from medreview.next_step import command
from medreview.stats.formulas.estimate import JACKKNIFE_BELOW, half_up, show
from medreview.stats.units.fact_intervals import BothIntervals
from medreview.stats.units.fact_report import (
    NAMES,
    TASKS,
    FactFigures,
    FactReport,
    FactScore,
    KeyFactFigures,
    SinglePerson,
    SystemScores,
    SystemThemes,
    ThemeCount,
    TradeOff,
)
from medreview.text import in_words
from medreview.units.fact_vote import vote_strip
from medreview.units.held_facts import HeldFact
from medreview.units.suggestion import FactCounts

_NO_FACTS: Final = "No response of the study is held against a key fact. Bring facts in, or have some suggested, with:"
_NOBODY: Final = "Nobody has said yet whether the responses say these facts. Ask judges, or decide yourself, with:"
_DIGITS: Final = 2
"""Of kappas."""
_NO_VOTE: Final = "not asked"
VERDICTS: Final = {True: "non-inferior", False: "not shown", None: ""}
"""Whether a judge is shown to be no worse than a person by the margin or more."""
_THEMES: Final = ("generate", "themes")


def next_parts(held: int, study: Path, *, asked: bool, waiting: int = 0) -> Iterator[Part]:
    """What to do first where no key fact is ``held`` against a text, or nobody was ``asked`` about one; else
    nothing. ``waiting``: key facts that no text is held against yet."""
    if not held and waiting:
        yield from ("", waiting_words(waiting), NextStep(command("import", study, "TEXTS")))
    elif not held:
        yield from ("", _NO_FACTS, NextStep(command("import", study, "FILE", "--as", "facts")))
        yield NextStep(command("generate", "key-facts", study, "--model", "NAME"))
    elif not asked:
        yield from ("", _NOBODY, NextStep(command("judge", study, "--task", PRESENCE, "--judge", "NAME")))
        yield NextStep(command("review", study, "--queue", "facts"))


def waiting_words(number: int) -> str:
    """How many key facts wait for texts, and for which."""
    wait = "wait" if number > 1 else "waits"
    return f"{counted(number, 'key fact')} {wait} for texts that answer the same question, or name the same case."


def theme_step(themes: Sequence[SystemThemes], study: Path) -> Iterator[Part]:
    """How a model finds other themes, where there are some and none of them is a model's."""
    if any(one.themes or one.alone for one in themes) and not any(one.by for one in themes):
        yield from (
            "A model finds others, by what the judges said:",
            NextStep(command(*_THEMES, study, "--model", "NAME")),
        )


def head_words(report: FactFigures) -> Iterator[str]:
    """What is reported on: cases, facts, texts, who voted; what became of suggested facts."""
    who = [counted(len(report.judges), "judge")]
    if report.panel:
        who.append(f"a panel of {len(report.panel)} ({report.panel_mode} labels)")
    texts = f"{counted(report.texts, 'text')} of {counted(report.systems, 'system')}"
    yield f"{counted(report.cases, 'case')} with {counted(report.key_facts, 'key fact')}, {texts}; {', '.join(who)}"
    if report.waiting:
        yield waiting_words(report.waiting)
    if report.suggested.suggested or report.suggested.own:
        yield suggested_words(report.suggested)
    short = [f"{name} {kept} of {wanted}" for name, kept, wanted in report.kept if kept != wanted]
    if report.kept:
        done, more = len(report.kept) - len(short), f"; {', '.join(short)}" if short else ""
        yield f"as many facts kept as wanted: {done} of {counted(len(report.kept), 'case')}{more}"


def suggested_words(counts: FactCounts) -> str:
    """What reviewers made of suggested facts."""
    told = f"{counted(counts.suggested, 'suggested fact')}: {counts.kept} kept, {counts.edited} edited, "
    told += f"{counts.discarded} discarded, {counts.open} open; {counts.own} of reviewers' own"
    return told + (f"; {counted(counts.conflicts, 'conflict')}" if counts.conflicts else "")


def score_parts(report: FactFigures) -> Iterator[Part]:
    """Scores by the jury and by the panel, ties, and what is missing."""
    for title, scores in (
        ("Scores by the majority of the judges", [(one, one.by_jury) for one in report.scores]),
        ("Scores by the majority of the panel", [(one, one.by_panel) for one in report.scores]),
    ):
        every = [(one, by) for one, by in scores if by]
        scores = [(one, by) for one, by in every if any(score.not_asked < one.facts for score in by.values())]
        if scores:
            yield Title(title)
            rows = [(given(one.system), *(by[task].figure for task in TASKS), one.facts) for one, by in scores]
            yield table(("system", "present", "95% interval", "contra.", "95% interval", "facts"), rows, first="words")
            told = [(given(one.system), score.figure) for one, by in scores for score in by.values()]
            notes = dict.fromkeys(note for _, figure in told for note in figure.notes)
            others = len(every) - len(scores)
            asked = [f"nobody was asked about the texts of {counted(others, 'other system')}"] if others else []
            yield inset(*reasons(told), *notes, *_left(scores), *asked)
    invalid = sum(one.invalid for one in report.scores)
    if invalid:
        yield inset(f"{counted(invalid, 'text')} not there (empty or cut off): no fact of theirs is said")
    yield tie_words(report)


def tie_words(report: FactFigures) -> str:
    """The tie rule, and how many ties there were."""
    of = report.held
    by = [("judges", report.tied)] if report.judges else []
    by += [("panel", report.panel_tied)] if report.panel else []
    told = "; ".join(
        f"{who}: " + ", ".join(f"{tied[task]} of {of} on {NAMES[task]}" for task in TASKS) for who, tied in by
    )
    return f"tie rule: {in_words(report.tie)}. Even votes, {told}"


def panel_parts(report: FactFigures) -> Iterator[Part]:
    """The jury and each judge beside the panel's majority."""
    if not report.against_panel:
        return
    yield Title("Beside the majority of the panel")
    rows = []
    for one in report.against_panel:
        found = one.agreement.figures
        agree, kappa = found["percent_agreement"], found["cohen_kappa"]
        shown = (agree, *cells(kappa, _DIGITS), agree.n, agree.dropped)
        rows.append((one_line(one.rater), NAMES[one.task], *shown))
    names = ("", "question", "agree", "95% interval", "kappa", "95% interval", "n", "left")
    yield table(names, rows, first="anywhere", long=("question",))
    if report.single_person is not None:
        yield from _beside_person(report.single_person)
    if report.other_labels:
        yield inset(f"not used: {counted(report.other_labels, 'label')} of the other mode, never pooled with these")


def _beside_person(found: SinglePerson) -> Iterator[Part]:
    """Each judge beside one person, as the one-sided test has it."""
    mean = show(found.person, digits=_DIGITS)
    yield f"a person and the majority of the other {found.people - 1}, presence, mean kappa: {mean}"
    yield beside_person_table(found)
    yield inset(*reasons((one_line(one.rater), one.difference) for one in found.beside))


def beside_person_table(found: SinglePerson) -> ReportTable:
    """Each judge minus a person, in kappas; whether it is no worse by the margin."""
    rows = (
        (one_line(one.rater), *cells(one.difference, _DIGITS), p_by_margin(one.p, found.replicates),
         VERDICTS[one.non_inferior])
        for one in found.beside
    )  # fmt: skip
    names = ("", "minus a person", "90% interval", "p", "margin 0.10")
    return table(names, rows, first="anywhere", long=names[-1:])


def both_interval_parts(found: Sequence[BothIntervals], replicates: int) -> Iterator[Part]:
    """Each figure with both intervals, those of all systems first."""
    yield Title("Presence of key facts, with both intervals")
    if not found:
        yield "Nobody has said yet whether the texts say the facts."
        return
    yield (
        f"default: below {JACKKNIFE_BELOW} cases the jackknife, which leaves out each case in turn, else as beside it. "
        f"bootstrap: percentiles of {replicates:,} resamples of whole cases, as MedFactEval has them. Of a difference "
        "from a person both are of 90%, as the one-sided test takes them, all others of 95%."
    )
    for what in dict.fromkeys(one.figure for one in found):
        for system in dict.fromkeys(one.system for one in found if one.figure == what and what != "presence"):
            own = [one for one in found if (one.figure, one.system) == (what, system)]
            yield TableHeading(f"{_TITLES[what]}, texts of {given(system) if system else 'all systems'}")
            yield _both(own, [one_line(one.rater) or "mean of the people" for one in own])
        if what == "presence":
            own = [one for one in found if one.figure == what]
            yield TableHeading(_TITLES[what])
            yield _both(own, [given(one.system) for one in own])
    named = [(one_line(one.rater or one.system), one.default) for one in found]
    yield inset(*reasons(named))


_TITLES: Final = {
    "presence": "Facts that the texts say", "kappa": "Kappa with the panel's majority",
    "a person's kappa": "Kappa of a person with the majority of the others",
    "minus a person": "Kappa minus that of a person",
}  # fmt: skip


def _both(found: Sequence[BothIntervals], names: Sequence[str]) -> ReportTable:
    rows = []
    for name, one in zip(names, found, strict=True):
        digits = None if one.figure == "presence" else _DIGITS
        rows.append((name, *cells(one.default, digits), cells(one.bootstrap, digits)[1], one.default.n))
    return table(("", "value", "default", "bootstrap", "n"), rows, first="anywhere")


def vote_parts(report: FactReport) -> Iterator[Part]:
    """Each fact in each text: the judges' votes on both questions, and the panel's; then the facts of each theme."""
    yield Title("Each fact")
    for one in report.facts.held:
        yield f"{fact_name(one)}, {given(one.text.system)}: {one_line(one.fact.text)}"
        yield inset(*(f"{NAMES[task]}: {strips(report, one, task) or _NO_VOTE}" for task in TASKS))
    if any(themes.themes for themes in report.themes):
        yield Title("The facts of each theme")
    for themes, themed in zip(report.themes, report.themed, strict=True):
        for theme, failed in zip(themes.themes, themed, strict=True):
            facts = (f"{fact_name(one.held)}, {one.failure}: {one_line(one.held.fact.text)}" for one in failed)
            yield from (f"{given(themes.system)}: {one_line(theme.title)}", inset(*facts))


def strips(report: FactReport, one: HeldFact, task: str) -> str:
    """The votes of judges and of the panel on one question; ``""`` where nobody was asked."""
    jury, people = report.jury(one, task), report.people(one, task)
    told = [f"judges {vote_strip(jury, report.tie)}"] if one.judged.of(task) else []
    told += [f"panel {vote_strip(people, report.tie)}"] if people.asked else []
    return "; ".join(told)


def fact_name(one: HeldFact) -> str:
    """A fact and the text that it is held against: ``C01 F2 in R07``."""
    return f"{one.case.name} {one.fact.name} in {one.text.name}"


def theme_counts(themes: SystemThemes) -> str:
    """Who made the themes of a system, and what is in none."""
    by = f"by {one_line(themes.by)}" if themes.by else "by category and by what differs"
    dropped = f"; {counted(themes.dropped, 'theme')} of one fact dropped" if themes.dropped else ""
    alone = f"; {counted(themes.alone, 'fact')} in none" if themes.alone else ""
    return f"{by}{alone}{dropped}"


def fact_values(report: FactReport) -> list[dict[str, Any]]:
    """Each fact in each text with its votes, for scripts, without the texts themselves."""
    return [
        {
            "case": one.case.case_id,
            "case_name": one.case.name,
            "key_fact": one.fact.key_fact_id,
            "fact": one.fact.text,
            "category": one.fact.category,
            "response": one.text.response_id,
            "system": one.text.system,
            **{NAMES[task]: asdict(report.jury(one, task)) for task in TASKS},
            **{f"panel_{NAMES[task]}": asdict(report.people(one, task)) for task in TASKS if report.panel},
        }
        for one in report.facts.held
    ]


def _left(scores: Iterable[tuple[SystemScores, Mapping[str, FactScore]]]) -> Iterator[str]:
    """Why facts are left out, over all systems."""
    for task in TASKS:
        found = [by[task] for _, by in scores if by]
        told = [
            (sum(score.undecided for score in found), "left open by the tie rule"),
            (sum(score.silent for score in found), "where all abstained"),
            (sum(score.not_asked for score in found), "that nobody was asked about"),
        ]
        words = ", ".join(f"{counted(number, 'fact')} {why}" for number, why in told if number)
        if words:
            yield f"left out of {NAMES[task]}: {words}"


_SIGN: Final = b"<!-- medreview report -->\n"
"""What a plot begins with."""
COST_TABLE: Final = "Cost and time of a case"
"""The heading of the table of the numbers of both plots."""
_FREE: Final = "0, which a logarithmic axis has no place for"
_NOT_KNOWN: Final = "not known"


def check_trade_off(path: Path) -> None:
    """Raise :class:`UserError` where :func:`write_trade_off` would: before the work, not after it."""
    if path.suffix.lower() not in ("", ".csv"):
        raise UserError(f"{path} would hold a table; name it {path.with_suffix('.csv')}.")
    check_report(path, TRADE_OFF)
    for plot in _plots(path):
        check_own(plot, _SIGN)


def write_trade_off(found: Sequence[TradeOff], path: Path) -> list[Path]:
    """Write ``NAME.csv``, and beside it ``NAME.cost.svg`` and ``NAME.latency.svg`` where a system has a place in them.

    All of them, or none. Raises :class:`UserError` for another file in one of the places, or a place that cannot be
    written.
    """
    drawings = dict(zip(_plots(path), trade_off_plots(found), strict=True))
    drawn = {plot: drawing for plot, drawing in drawings.items() if drawing is not None}
    with atomic_outputs() as outputs:
        with outputs.file(path, sign_of(TRADE_OFF)) as made, CsvFile(made, TRADE_OFF, "excel") as file:
            file.add_all(csv_cells(TRADE_OFF, one) for one in found)
        for plot, drawing in drawn.items():
            with outputs.file(plot, _SIGN) as made:
                write_new(made, _SIGN.decode() + drawing.document())
    return [path, *drawn]


def trade_off_plots(found: Sequence[TradeOff]) -> tuple[Drawing | None, Drawing | None]:
    """Presence against cost and against time; ``None`` where that is not known of any system."""
    return (
        _plot("Facts present against cost", "cost per case, log scale", found, lambda one: one.cost),
        _plot("Facts present against time", "seconds per case, log scale", found, lambda one: one.seconds),
    )


def trade_off_parts(found: Sequence[TradeOff]) -> Iterator[Part]:
    """The same as a table, with why a cost or a time is not known."""
    yield Title(COST_TABLE)
    names = ("system", "cost", "seconds", "presence", "95% interval")
    rows = ((given(one.system), _number(one.cost, 4), _number(one.seconds, 1), one.presence) for one in found)
    yield table(names, rows, first="words")
    yield inset(*left_out(found))


def left_out(found: Sequence[TradeOff]) -> Iterator[str]:
    """The systems that have no place in a plot, and why."""
    for one in found:
        for what, value, why in (("cost", one.cost, one.no_cost), ("time", one.seconds, one.no_time)):
            reason = why or ("no score" if one.presence.value is None else "" if value else _FREE)
            if reason:
                yield f"not in the plot of {what}: {given(one.system)} ({one_line(reason)})"


def _plot(
    title: str, x_title: str, found: Sequence[TradeOff], value: Callable[[TradeOff], float | None]
) -> Drawing | None:
    points = [
        Point(given(one.system), one.model, x, one.presence.value, one.presence.low, one.presence.high)
        for one in found
        if (x := value(one)) and one.presence.value is not None
    ]
    return scatter(title, x_title, "facts present", points) if points else None


def _plots(path: Path) -> tuple[Path, Path]:
    return path.with_name(f"{path.stem}.cost.svg"), path.with_name(f"{path.stem}.latency.svg")


def _number(value: float | None, digits: int) -> str:
    return _NOT_KNOWN if value is None else half_up(value, digits)


def key_fact_parts(found: KeyFactFigures) -> Iterator[Part]:
    """What texts say, by the judges and by people; what judges are worth; what is missing."""
    figures = found.figures
    yield Title("Key facts in the texts of systems")
    yield from head_words(figures)
    if not figures.judges and not figures.panel:
        return
    yield from score_parts(figures)
    yield from panel_parts(figures)
    if any(one.cost or one.seconds for one in figures.trade_offs):
        yield from trade_off_parts(figures.trade_offs)
    yield Title("Themes in what is omitted and contradicted")
    for themes in found.themes:
        yield f"{given(themes.system)}, {theme_counts(themes)}"
        yield inset(*map(_words, themes.themes))


def _words(theme: ThemeCount) -> str:
    about = f": {one_line(theme.about)}" if theme.about else ""
    return f"{one_line(theme.title)}{about} ({counted(theme.facts, 'fact')})"
