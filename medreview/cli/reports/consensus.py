"""Several reviewers on the same statements, and the judges beside their majority."""

from collections.abc import Iterator, Sequence

from medreview.cli.output import counted, one_line
from medreview.cli.reports.comparison import SCALE_TITLES, comparison_part
from medreview.cli.reports.differences import p_by_margin
from medreview.cli.reports.estimates import figure_table, p_value, sentences
from medreview.cli.reports.layout import Heading, Part, Title, cells, inset, numbers, reasons, table
from medreview.cli.reports.tie_rules import tie_rules_part
from medreview.stats.formulas.estimate import half_up
from medreview.stats.formulas.hypothesis_tests import SMALL_EXPECTED, ChiSquared
from medreview.stats.reports.consensus import Consensus, PaperTest
from medreview.words import in_words


def consensus_parts(found: Sequence[Consensus], replicates: int) -> Iterator[Part]:
    """A section for each group of labels in which two reviewers or more labelled a statement."""
    for one in found:
        yield Title(
            f"{counted(len(one.reviewers), 'reviewer')} together, {one.title}: "
            f"{counted(one.statements, 'statement')} in {counted(one.responses, 'response')}"
        )
        yield f"Of {', '.join(map(one_line, one.reviewers))}; statements that two or more of them labelled."
        left = ", ".join(f"{count:,} {reason}" for reason, count in one.left_out.items())
        if left:
            yield f"labels left out: {left}"
        for among in one.among:
            figures = tuple(among.agreement.figures.values())
            head = Heading(f"the reviewers with each other, {SCALE_TITLES[among.scale]}")
            yield from ("", inset(head, figure_table(figures), *sentences(figures)))
        says = ", ".join(f"{count:,} {in_words(label)}" for label, count in one.majority.items())
        yield from ("", f"Their majority: {says}; {one.tied:,} tied; tie rule: {in_words(one.rule)}.")
        for comparison in one.judges:
            yield from ("", comparison_part(comparison))
        if one.under_rules:
            yield from ("", tie_rules_part(one.under_rules))
        if one.person is not None:
            yield from ("", _persons(one), "", _beside(one, replicates))
        if one.tests:
            yield from ("", paper_tests_part(one.tests))


def _persons(one: Consensus) -> Part:
    every = {**{one_line(name): figure for name, figure in one.persons.items()}, "mean": one.person}
    rows = [
        (name, *cells(figure, "none"), *numbers(figure.n, figure.clusters, figure.dropped))
        for name, figure in every.items()
        if figure is not None
    ]
    why = reasons((name, figure) for name, figure in every.items() if figure is not None)
    head = Heading("each reviewer with the majority of the others")
    return inset(head, table(("", "kappa", "95% interval", "n", "resp", "left"), rows), *why)


def _beside(one: Consensus, replicates: int) -> Part:
    rows = [
        (
            one_line(each.rater), *cells(each.difference, "none"), p_by_margin(each.p, replicates),
            {True: "non-inferior", False: "not shown", None: ""}[each.non_inferior],
        )
        for each in one.beside
    ]  # fmt: skip
    head = Heading("kappa with the majority of all, minus that mean")
    names = ("", "difference", "90% interval", "p", "")
    why = reasons((one_line(each.rater), each.difference) for each in one.beside)
    margin = (
        f"Non-inferior: the lower end of the 90% interval is above -{half_up(one.margin, 2)}, the margin. "
        "p: one-sided; of few responses by Student's t, else the share of resamples at the margin or worse."
    )
    return inset(head, table(names, rows), margin, *why)


def paper_tests_part(tests: Sequence[PaperTest], items: str = "statements") -> Part:
    """Tests as SourceCheckup made them; ``items``: what they are of."""
    rows = []
    for each in tests:
        found = each.result
        df = "" if found.df is None else half_up(found.df, 0)
        told = ("undefined", df, "") if found.statistic is None or found.pvalue is None else (
            half_up(found.statistic, 2), df, p_value(found.pvalue).removeprefix("p ")
        )  # fmt: skip
        rows.append((_asked(each), found.name, *told))
    why = dict.fromkeys(f"{each.result.name}: {each.result.reason}" for each in tests if each.result.reason)
    expected = [each.result.min_expected for each in tests if isinstance(each.result, ChiSquared)]
    least = min((count for count in expected if count is not None), default=SMALL_EXPECTED)
    if least < SMALL_EXPECTED:
        why[f"The smallest expected count is {half_up(least, 1)}, below 5: p of chi-squared is a rough guess."] = None
    head = Heading("tests as in SourceCheckup")
    about = (
        f"labels: does the judge call as many {items} supported as the majority? accuracy: is the one judge right as "
        f"often as the other? These tests take {items} as independent, which those of one response are not."
    )
    return inset(head, table(("", "method", "statistic", "df", "p"), rows), about, *why)


def _asked(each: PaperTest) -> str:
    if each.question == "labels":
        return f"{one_line(each.judge)}: labels"
    return f"{one_line(each.judge)} - {one_line(each.other)}: accuracy"
