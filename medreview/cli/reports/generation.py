"""What models generated, as text: counts of attempts, what became of unsupported statements, planted hallucinations."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from medreview.cli.output import counted, given, one_line
from medreview.cli.reports.layout import Part, TableHeading, Title, inset, reasons, table
from medreview.generators.counts import GenerationCounts
from medreview.generators.passage_measures import PassageCounts
from medreview.judges.judge_caveats import OwnWork
from medreview.stats.formulas.estimate import percent
from medreview.stats.reports.generated_items import CLEANUP_IN_PAPER, CleanupFigures, PlantedFigures
from medreview.text import in_words


def generation_parts(runs: Sequence[GenerationCounts], own_work: Sequence[OwnWork]) -> Iterator[Part]:
    """A line for each run, what it made, and the codes of what it did not; nothing where nothing was generated."""
    if runs:
        yield Title("What models generated")
        rows = (
            (_name(run), run.items, run.made, run.attempts, run.statuses.get("ok", 0), run.retried,
             sum(run.dropped.values()))
            for run in runs
        )  # fmt: skip
        yield inset(table(("", "inputs", "made", "attempts", "valid", "retried", "left out"), rows))
        yield "retried: attempts after one that was not valid. left out: parts that a rule left out."
        for run in runs:
            yield from _codes(run)
    yield from _own(own_work)


def generation_lines(runs: Sequence[GenerationCounts], own_work: Sequence[OwnWork]) -> Iterator[str]:
    """The same in a line."""
    if runs:
        tried, valid = sum(run.attempts for run in runs), sum(run.statuses.get("ok", 0) for run in runs)
        inputs, made = sum(run.items for run in runs), sum(run.made for run in runs)
        yield (
            f"generated: {counted(len(runs), 'run')}, {made:,} of {counted(inputs, 'input')} with a product; "
            f"{tried - valid:,} of {counted(tried, 'attempt')} invalid"
        )
    yield from _own(own_work)


def passage_parts(chosen: Sequence[PassageCounts]) -> Iterator[Part]:
    """A line for each choice of passages, and how many paragraphs each rule left out."""
    if chosen:
        yield Title("Passages chosen from texts")
        for one in chosen:
            rules = by_code({code: count.first for code, count in one.rules.items() if count.first})
            yield (
                f"{one.kept:,} of {counted(one.paragraphs, 'paragraph')} in {counted(one.texts, 'text')}, entities by "
                f"{one_line(one.entities)}, sentences by {one_line(one.vectors)}; left out: {rules or 'none'}"
            )


def by_code(counts: Mapping[str, int]) -> str:
    """``number not in quote 3, answer length 1``."""
    return ", ".join(f"{in_words(code)} {number:,}" for code, number in counts.items())


def _name(run: GenerationCounts) -> str:
    model = f" ({one_line(run.model)})" if run.model != run.model_name else ""
    return f"{run.generator}, {one_line(run.model_name)}{model}"


def _codes(run: GenerationCounts) -> Iterator[str]:
    name = f"{run.generator}, {one_line(run.model_name)}"
    failed = {status: number for status, number in run.statuses.items() if status != "ok"}
    told = [
        f"made: {by_code(run.products)}" if run.products else "",
        f"without a product: {by_code(run.nothing)}" if run.nothing else "",
        f"attempts not valid: {by_code(failed)}" if failed else "",
        f"by code: {by_code(run.codes)}" if run.codes else "",
        f"left out by rule: {by_code(run.dropped)}" if run.dropped else "",
        f"verified by {one_line(run.judge)}" if run.judge else "",
    ]
    if any(told):
        yield f"{name}: {'; '.join(filter(None, told))}"


def _own(own_work: Sequence[OwnWork]) -> Iterator[str]:
    return (one_line(own.words) for own in own_work)


_LEGEND: Final = (
    "supported: of the revised ones, those that are supported now by this judge or reviewer; together: of all, those "
    "that were removed or are supported now; paper: SourceCleanup's"
)


def cleanup_parts(figures: Sequence[CleanupFigures]) -> Iterator[Part]:
    """A table for each model that revised statements; nothing without any."""
    if figures:
        yield Title("Unsupported statements, revised or removed")
    for one in figures:
        rows = [(_named("removed", ""), one.removed, "removed")]
        for rater in one.raters:
            rows.append((_named("supported", rater.by), rater.supported, "supported"))
            rows.append((_named("together", rater.by), rater.together, "together"))
            if rater.removal_right:
                rows.append((_named("rightly removed", rater.by), rater.removal_right, ""))
        head = TableHeading(f"{one_line(one.model) or 'no model named'}: {counted(one.statements, 'statement')}")
        shown = ((name, figure, figure.n, figure.dropped, _paper(paper)) for name, figure, paper in rows)
        told = table(("", "share", "95% interval", "n", "left", "paper"), shown)
        yield inset(head, told, _LEGEND, *reasons((name, figure) for name, figure, _ in rows))


def _named(share: str, by: str) -> str:
    return f"{share}: {one_line(by)}" if by else share


def _paper(name: str) -> str:
    if not name:
        return ""
    k, n = CLEANUP_IN_PAPER[name]
    return f"{k}/{n} = {percent(k / n)}"


def planted_parts(figures: PlantedFigures) -> Iterator[Part]:
    """The table; nothing for a study without any."""
    if not figures.by_origin:
        return
    rows = [(given(origin), counts) for origin, counts in figures.by_origin.items()]
    rows += [("all", figures.all), ("MedHalu", figures.paper)]
    names = ("data set", *figures.paper, "together")
    yield Title("Planted hallucinations, by data set and type")
    yield inset(table(names, ((name, *(counts[kind] for kind in figures.paper), sum(counts.values()))
                              for name, counts in rows)))  # fmt: skip
