"""Agreement on statements as tables: two opinions, several reviewers, judges by tie rule and after remarks."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from medreview.cli.output import counted, one_line
from medreview.cli.reports.estimates import (
    clusters_heading,
    difference_cells,
    figure_table,
    figures_part,
    p_by_margin,
    p_value,
    p_words,
    sentences,
)
from medreview.cli.reports.facts import VERDICTS
from medreview.cli.reports.layout import Cell, Part, TableHeading, Title, inset, reasons, table, value_cell
from medreview.cli.reports.unit_agreement import matrix
from medreview.labels import level_named
from medreview.stats.formulas.classification import Classification
from medreview.stats.formulas.estimate import RARE, Estimate, half_up, landis_koch, percent
from medreview.stats.formulas.hypothesis_tests import SMALL_EXPECTED, ChiSquared
from medreview.stats.reports.comparison import Comparison, UnderRule
from medreview.stats.reports.reviewer_agreement import KINDS, Consensus, PaperTest
from medreview.stats.reports.reviewer_labels import SCALES
from medreview.stats.units.hallucination_detection import LEVELS, Against, AssistedReport, JudgeBeforeAfter
from medreview.text import in_words

SCALE_TITLES: Final = {scale.name: scale.title for scale in SCALES}
_OF_KIND: Final = {str(kind): about.title for kind, about in KINDS.items()}


def comparison_title(comparison: Comparison) -> str:
    """Which two opinions are compared, and on which scale."""
    return f"{one_line(comparison.first)} and {one_line(comparison.second)}, {SCALE_TITLES[comparison.scale]}"


def comparison_part(comparison: Comparison) -> Part:
    """Percent agreement, kappa and AC1 with intervals; what was left out; the table; the figures of each label."""
    first, second = one_line(comparison.first), one_line(comparison.second)
    parts: list[Part] = [TableHeading(comparison_title(comparison))]
    if comparison.labels_of:
        parts.append(_OF_KIND[comparison.labels_of])
    if comparison.made_of:
        parts.append("of these " + ", ".join(f"{count:,} {how}" for how, count in comparison.made_of.items()))
    left = ", ".join(f"{count:,} {reason}" for reason, count in comparison.dropped.items())
    if comparison.n == 0:
        parts.append(f"Nothing to compare; left out: {left}." if left else "Nothing to compare.")
        return inset(*parts)
    figures = (*comparison.agreement, *comparison.weighted)
    parts += [figure_table(figures), *sentences(figures), *_band(comparison.estimate("Cohen's kappa"))]
    if comparison.weighted:
        parts.append(f"weights: by the steps between {', '.join(map(in_words, comparison.order))}, in this order")
    if left:
        parts.append(f"left out: {left}")
    parts += [*matrix(first, second, comparison.labels, comparison.table), *_mcnemar(comparison, first, second)]
    if comparison.per_label is not None:
        parts += _per_label(comparison.per_label, first, second)
    parts += comparison.cautions
    return inset(*parts)


def _band(kappa: Estimate) -> Iterator[str]:
    """The word for a kappa, with those for the ends of its interval: alone it would say more than is known."""
    if kappa.value is None or kappa.low is None or kappa.high is None:
        return
    ends = dict.fromkeys((landis_koch(kappa.low), landis_koch(kappa.high)))
    yield f"kappa is {landis_koch(kappa.value)} (Landis & Koch), its interval {' to '.join(map(str, ends))}"


def _mcnemar(comparison: Comparison, first: str, second: str) -> Iterable[str]:
    test = comparison.mcnemar
    if test is not None:
        said = f"undefined: {test.reason}" if test.pvalue is None else p_value(test.pvalue)
        yield f"only {first} says supported: {test.b:,}; only {second}: {test.c:,}; {test.method}, {said}"


def _per_label(told: Classification, first: str, second: str) -> Iterator[Part]:
    """Precision, recall and F1 of each label and their means; accuracy is the percent agreement."""
    unused = [label for label in told.labels if told.f1[label].value is None]
    rows = [
        (
            in_words(str(label)), told.precision[label],
            told.recall[label], value_cell(told.f1[label]),
        )
        for label in told.labels
        if label not in unused
    ]  # fmt: skip
    means = (told.macro_precision, told.macro_recall)
    yield f"{second}, label by label, with the labels of {first} as the right ones"
    yield table(
        ("", "precision", "95% interval", "recall", "95% interval", "F1"),
        [*rows, ("mean (macro)", *means, value_cell(told.macro_f1))],
    )
    if unused:
        yield f"Neither gave {' or '.join(in_words(str(label)) for label in unused)}: the mean leaves that out."
    shown = [
        each for label in told.labels if label not in unused for each in (told.precision[label], told.recall[label])
    ]
    if any(figure.value is None for figure in shown):
        yield (
            f"Precision is undefined where {second} never gave the label, recall where {first} never did; both are "
            "0 in the mean."
        )
    if any(mean.value is not None and mean.low is None for mean in (told.macro_precision, told.macro_recall)):
        yield f"A mean has no interval where a label has fewer than {RARE} items to go by."


def tie_rules_part(found: Sequence[UnderRule]) -> Part:
    """How many votes are even, and agreement and kappa as the rule takes them; on supported or not."""
    people = any(each.tied_reviewers for each in found)
    rows = [
        (
            one_line(each.judge), in_words(each.rule), each.tied_judges,
            *((each.tied_reviewers,) if people else ()), each.n,
            value_cell(each.agreement), each.kappa,
        )
        for each in found
    ]  # fmt: skip
    names = ("", "tie rule", "tied", *(("reviewers tied",) if people else ()), "n", "agree", "kappa", "95% interval")
    why = reasons((f"{one_line(each.judge)}, {in_words(each.rule)}", each.kappa) for each in found)
    head = TableHeading("under each tie rule, supported or not")
    return inset(head, table(names, rows, long=("tie rule",)), *why)


def consensus_parts(found: Sequence[Consensus], replicates: int) -> Iterator[Part]:
    """A section for each group of labels in which two reviewers or more labelled a statement."""
    for one in found:
        yield Title(
            f"{counted(len(one.reviewers), 'reviewer')} together, {one.title}: "
            f"{counted(one.statements, 'statement')} in {counted(one.clusters, one.cluster)}"
        )
        yield f"Of {', '.join(map(one_line, one.reviewers))}; statements that two or more of them labelled."
        left = ", ".join(f"{count:,} {reason}" for reason, count in one.left_out.items())
        if left:
            yield f"labels left out: {left}"
        for among in one.among:
            head = f"the reviewers with each other, {SCALE_TITLES[among.scale]}"
            yield from ("", figures_part(head, tuple(among.agreement.figures.values())))
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
        (name, figure, figure.n, figure.clusters, figure.dropped)
        for name, figure in every.items()
        if figure is not None
    ]
    why = reasons((name, figure) for name, figure in every.items() if figure is not None)
    head = TableHeading("each reviewer with the majority of the others")
    return inset(
        head, table(("", "kappa", "95% interval", "n", clusters_heading(one.persons.values()), "left"), rows), *why
    )


def _beside(one: Consensus, replicates: int) -> Part:
    rows = [
        (
            one_line(each.rater), each.difference, p_by_margin(each.p, replicates),
            VERDICTS[each.non_inferior],
        )
        for each in one.beside
    ]  # fmt: skip
    head = TableHeading("kappa with the majority of all, minus that mean")
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
            half_up(found.statistic, 2), df, p_words(found.pvalue)
        )  # fmt: skip
        of = f"{one_line(each.judge)}: labels" if each.question == "labels" else (
            f"{one_line(each.judge)} - {one_line(each.other)}: accuracy")  # fmt: skip
        rows.append((of, found.name, *told))
    why = dict.fromkeys(f"{each.result.name}: {each.result.reason}" for each in tests if each.result.reason)
    expected = [each.result.min_expected for each in tests if isinstance(each.result, ChiSquared)]
    least = min((count for count in expected if count is not None), default=SMALL_EXPECTED)
    if least < SMALL_EXPECTED:
        why[f"The smallest expected count is {half_up(least, 1)}, below 5: p of chi-squared is a rough guess."] = None
    head = TableHeading("tests as in SourceCheckup")
    about = (
        f"labels: does the judge call as many {items} supported as the majority? accuracy: is the one judge right as "
        f"often as the other? These tests take {items} as independent, which those of one response are not."
    )
    return inset(head, table(("", "method", "statistic", "df", "p"), rows), about, *why)


NOTHING: Final = "No judge was asked both alone (hallucination_detection) and with remarks (hallucination_assisted)."
_CAUTION: Final = (
    "The remarks may hold the answer: this says how far a judge follows an expert, and counts neither for nor against "
    "any."
)
_TESTS: Final = (
    "Differences are in points of a hundred; p: McNemar's exact test on the responses that changed; Holm: p adjusted "
    "for the {family} of all judges."
)


def assisted_parts(report: AssistedReport) -> Iterator[Part]:
    """For each judge: from what to what its word went, and how often it was right; then every response."""
    if not report.judges:
        yield NOTHING
        return
    yield _CAUTION
    if report.gold_waits:
        yield f"gold of {counted(report.gold_waits, 'answer')} is silent until they are decided"
    for judge in report.judges:
        yield from ("", *_judge(judge))
    family = report.judges[0].differences[0].family
    yield from ("", _TESTS.format(family=counted(family, "difference")))
    yield from ("", TableHeading("each response"))
    rows = (
        (row.name, one_line(row.judge), *map(_word, (row.before, row.after, row.reviewer, row.gold)))
        for row in report.responses
    )
    yield inset(table(("", "judge", "before", "after", "reviewer", "gold"), rows, long=_WORDS))


_WORDS: Final = ("judge", "before", "after", "reviewer", "gold")


def _judge(judge: JudgeBeforeAfter) -> Iterator[Part]:
    shown = " or ".join(judge.shown)
    yield TableHeading(
        f"{one_line(judge.judge)}, shown {shown}: {counted(judge.responses, 'response')} asked before and after"
    )
    lost = [f"{count} {when}" for count, when in (
        (judge.abstained_before, "before"), (judge.abstained_after, "after")) if count]  # fmt: skip
    if lost:
        yield f"without an answer: {', '.join(lost)}"
    columns = [level for level in LEVELS if any(level in row for row in judge.moved.values())]
    moved = ((_word(before), *(row.get(after) for after in columns)) for before, row in judge.moved.items())
    yield inset(table(("before \\ after", *map(_word, columns)), moved))
    told = [(name, one) for name, one in (("reviewer", judge.reviewer), ("gold", judge.gold)) if one.n]
    if told:
        rows = (row for name, one in told for row in _against(name, one))
        yield inset(table(("", "n", "right before", "right after", "wrong to right", "right to wrong"), rows))
    tested = [one for one in judge.differences if one.estimate.n]
    if tested:
        changes = ((one.statistic, *difference_cells(one), one.estimate.n) for one in tested)
        yield inset(table(("after - before", "difference", "95% interval", "p", "Holm", "n"), changes))
        yield from reasons((one.statistic, one.estimate) for one in tested if one.estimate.low is None)


def _against(name: str, one: Against) -> Iterator[tuple[Cell, ...]]:
    for what, right, turned in (
        ("found or not", (one.found_before, one.found_after), (one.found_mended, one.found_spoilt)),
        ("type", (one.type_before, one.type_after), (one.type_mended, one.type_spoilt)),
    ):
        shares = (f"{count:,} ({percent(count / one.n)})" for count in right)
        yield f"{name}: {what}", one.n, *shares, *turned


def _word(level: str | None) -> str:
    return level_named("hallucination", level).name if level else "-"
