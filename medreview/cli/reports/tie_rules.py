"""The judges under every tie rule, as a table."""

from collections.abc import Sequence

from medreview.cli.output import one_line
from medreview.cli.reports.layout import Heading, Part, cells, inset, numbers, reasons, table, value_cell
from medreview.stats.reports.tie_rules import UnderRule
from medreview.words import in_words


def tie_rules_part(found: Sequence[UnderRule]) -> Part:
    """How many votes are even, and agreement and kappa as the rule takes them; on supported or not."""
    people = any(each.tied_reviewers for each in found)
    rows = [
        (
            one_line(each.judge), in_words(each.rule), *numbers(each.tied_judges),
            *(numbers(each.tied_reviewers) if people else ()), *numbers(each.n),
            value_cell(each.agreement), *cells(each.kappa, "none"),
        )
        for each in found
    ]  # fmt: skip
    names = ("", "tie rule", "tied", *(("reviewers tied",) if people else ()), "n", "agree", "kappa", "95% interval")
    why = reasons((f"{one_line(each.judge)}, {in_words(each.rule)}", each.kappa) for each in found)
    head = Heading("under each tie rule, supported or not")
    return inset(head, table(names, rows, long=("tie rule",)), *why)
