"""A study divided by something: support and agreement in each part, and what sets a part apart from the rest."""

from collections.abc import Iterator, Sequence
from typing import Final

from medreview.cli.output import counted, one_line
from medreview.cli.reports.differences import difference_cells
from medreview.cli.reports.layout import Heading, Part, Title, cells, inset, numbers, reasons, table, value_cell
from medreview.stats.formulas.differences import Difference
from medreview.stats.formulas.estimate import Estimate
from medreview.stats.formulas.thresholds import FEW_CLUSTERS, FEWEST
from medreview.stats.reports.by_report import ByReport, StratumFigures, StratumLabels
from medreview.words import in_words

_NONE: Final = "none"
_MOST_REASONS: Final = 4


def by_parts(report: ByReport) -> Iterator[Part]:
    """The parts side by side: first by the judges, then by each reviewer's labels, never pooled."""
    yield Title(f"By {report.by}")
    yield f"{report.about[:1].upper()}{report.about[1:]}."
    yield from report.cautions
    if not report.strata:
        yield "There is no statement."
        return
    names = [_name(report, part) for part in report.strata]
    if report.untold:
        yield f"{counted(report.untold, 'statement')} of parts of fewer than {FEWEST} left out: too few to tell of."
    elif report.folded:
        yield (
            f"{counted(report.folded, 'part')} of fewer than {FEWEST} statements, or beyond the largest, "
            f"{'is' if report.folded == 1 else 'are together'} “{names[-1]}”."
        )
    yield ""
    judged = [part.supported for part in report.strata]
    rows = [
        (name, *numbers(one.statements, one.responses), *cells(one.supported, _NONE), *numbers(one.supported.dropped))
        for name, one in zip(names, report.strata, strict=True)
    ]
    by_whom = "by its own word" if report.by == "judge" else "by the judges"
    yield Heading(f"Supported, {by_whom}")
    yield inset(table(("", "statements", "resp", "supported", "95% interval", "left"), rows))
    yield from _apart(report, names, [part.apart for part in report.strata], judged)
    for place, reviewer in enumerate(report.strata[0].reviewers):
        yield from _reviewer(report, names, one_line(reviewer.reviewer), [s.reviewers[place] for s in report.strata])


def _reviewer(report: ByReport, names: Sequence[str], who: str, strata: Sequence[StratumLabels]) -> Iterator[Part]:
    groups = {one.group for one in strata if one.labels}
    if not groups:
        yield from ("", f"{who} has given no label here.")
        return
    of_group = f", {next(iter(groups))}" if len(groups) == 1 else ""
    told = [(name, one) for name, one in zip(names, strata, strict=True) if one.labels]
    yield from ("", Heading(f"Labels of {who}{of_group}, and agreement with the judges"))
    group = [] if of_group else ["given"]
    rows = [
        (name, *([one.group] if group else []), *numbers(one.labels), *cells(one.supported, _NONE))
        for name, one in told
    ]
    yield inset(table(("", *group, "labels", "supported", "95% interval"), rows, long=group))
    found = ("percent agreement", "Cohen's kappa", "Gwet's AC1")
    rows = [
        (name, *cells(agreed, _NONE), *cells(kappa, _NONE), value_cell(ac1, ""), *numbers(agreed.n))
        for name, one in told
        for agreed, kappa, ac1 in [[one.estimate(each) for each in found]]
    ]
    yield inset(table(("", "agree", "95% interval", "kappa", "95% interval", "AC1", "n"), rows))
    yield from _apart(report, names, [one.apart for one in strata], [one.estimate(found[0]) for one in strata])
    kappas = [(name, one.estimate(found[1])) for name, one in told]
    missing = reasons((f"kappa, {name}", figure) for name, figure in kappas if figure.low is None)
    yield from (inset(sentence) for sentence in missing[:_MOST_REASONS])
    if len(missing) > _MOST_REASONS or any(one.supported.low is None for _, one in told):
        yield inset("none, undefined: the reasons are in --json.")


def _apart(
    report: ByReport, names: Sequence[str], apart: Sequence[Difference | None], figures: Sequence[Estimate]
) -> Iterator[Part]:
    """What sets the parts apart: with the number of those that were looked at together."""
    told = [(name, one) for name, one in zip(names, apart, strict=True) if one is not None]
    if not told:
        return
    rows = [(name, *difference_cells(one)) for name, one in told]
    yield inset(table((f"minus {report.against}, in points", "difference", "95% interval", "p", "Holm"), rows))
    family = told[0][1].family
    if family:
        yield inset(f"{counted(family, 'difference')} tested together; Holm: p adjusted for that. {told[0][1].test}.")
    else:
        yield inset("No difference can be tested: none varies over the responses.")
    fewest = min((figure.clusters for figure in figures if figure.clusters), default=FEW_CLUSTERS)
    if fewest < FEW_CLUSTERS:
        yield inset(f"Too few responses ({fewest} in one part): below {FEW_CLUSTERS} intervals can be too narrow.")


def _name(report: ByReport, part: StratumFigures) -> str:
    if part.folded:
        return part.stratum
    name = one_line(part.stratum)
    return (in_words(name) if report.by in ("page", "queue") else name) or "not given"
