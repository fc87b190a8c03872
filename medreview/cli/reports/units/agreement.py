"""Two raters, or several, beside each other, as parts of a report."""

from collections.abc import Sequence

from medreview.cli.output import counted, one_line
from medreview.cli.reports.layout import Heading, Part, inset
from medreview.cli.reports.units.figure_tables import figure_table, matrix, right_parts, sentences, test_words
from medreview.stats.units.agreement import ManyReviewers, UnitAgreement


def agreement_part(each: UnitAgreement, labels: Sequence[str], title: str, axis: str, cluster: str) -> Part:
    """Two raters: figures, matrix, and precision and recall where the first is the reference."""
    first, second = one_line(each.first), one_line(each.second)
    which = f", {each.which} labels" if each.which else ""
    return inset(
        Heading(f"{first} and {second}{which}, {title}"),
        figure_table(each.agreement, f"{cluster}s"),
        *sentences(each.agreement),
        *([test_words(each.order_test)] if each.order_test and each.order_test.pvalue is not None else []),
        *(right_parts(each.right, axis) if each.right else ()),
        *matrix(each.first, each.second, labels, each.table, axis),
        *each.cautions,
    )


def many_part(many: ManyReviewers, title: str, cluster: str) -> Part:
    """All reviewers together."""
    names = ", ".join(map(one_line, many.reviewers))
    head = Heading(f"{counted(len(many.reviewers), 'reviewer')} together, {many.which} labels, {title}")
    return inset(head, names, figure_table(many.agreement, f"{cluster}s"), *sentences(many.agreement))
