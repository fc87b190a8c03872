"""How good the answers are, on the one screen of ``stats``: the audit leads where there is one, else the judges do."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from medreview.cli.reports.interval_bar import interval_bar, scale
from medreview.cli.reports.layout import Table, cells, numbers, table
from medreview.stats.formulas.estimate import Estimate, percent
from medreview.stats.reports.audit_report import AuditFigures
from medreview.stats.study_figures import StudyFigures

_JUDGED: Final = {
    "statement-level support, own citations": "a cited source supports it",
    "statement-level support": "any source supports it",
    "response-level support": "whole responses supported",
    "source URL validity": "cited URLs valid",
}
_ANY: Final = "statement-level support"
_ALONE: Final = "judges alone, uncorrected"


class Share(NamedTuple):
    """A share as it stands on a line."""

    name: str
    figure: Estimate


def answer_shares(figures: StudyFigures) -> list[Share]:
    """All of them, the leading one first, those that are undefined, too."""
    audited = _by_audit(figures.audit.figures[-1]) if figures.audit.figures else []
    known = any(share.figure.value is not None for share in audited)
    order = [_ANY, *(name for name in _JUDGED if name != _ANY)] if known else list(_JUDGED)
    judged = [
        # Where the audit corrects it, the judges' own share stands below that and is called what it is.
        Share(_ALONE if known and figure.name == _ANY else _JUDGED[figure.name], figure)
        for whole in figures.support.strata[:1]
        for figure in sorted(whole.clustered, key=lambda one: order.index(one.name) if one.name in order else 0)
        if figure.name in order
    ]
    return [*audited, *judged]


def answer_table(shares: Sequence[Share]) -> Table:
    """A row for each share that is defined, with its interval drawn."""
    rows = [
        (name, *cells(figure, percent, "none"), interval_bar(figure), *numbers(figure.n, figure.clusters))
        for name, figure in shares
        if figure.value is not None
    ]
    return table(("How good are the answers?", "value", "95% interval", scale(), "n", "resp"), rows)


def _by_audit(audit: AuditFigures) -> list[Share]:
    """By the audit with the verdicts and by the audit alone, the one to quote first."""
    alone = Share("supported, audit alone", audit.supported.study)
    helped = [Share("supported, audit+verdicts", one.supported) for one in audit.with_verdicts[:1]]
    defined = [share for share in helped if share.figure.value is not None]
    return [*defined, alone] if audit.leading is not audit.supported.study else [alone, *defined]
