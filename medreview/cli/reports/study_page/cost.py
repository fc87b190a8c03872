"""What was asked of models from here, what it cost and how long it took; and cost against what systems say."""

from collections.abc import Iterator

from medreview.cli.output import given, one_line
from medreview.cli.reports.layout import Title, numbers, table
from medreview.cli.reports.page_parts import PagePart, Plot, Section
from medreview.cli.reports.study_page.material import Material
from medreview.cli.reports.tradeoff import COST_TABLE, cost_plot, latency_plot, trade_off_parts
from medreview.llm.report import Spent
from medreview.stats.formulas.estimate import half_up
from medreview.words import counted, in_words


def cost_section(material: Material) -> Section | None:
    """Nothing where no model was asked from here."""
    parts = tuple(_parts(material))
    return Section("cost", "Cost and time", parts) if parts else None


def _parts(material: Material) -> Iterator[PagePart]:
    found = material.facts.trade_offs if material.facts else ()
    if any(one.cost or one.seconds for one in found):
        yield from (Plot(drawing, tabled=COST_TABLE) for drawing in (cost_plot(found), latency_plot(found)) if drawing)
        yield from trade_off_parts(found)
    if material.spent:
        yield Title("Calls of models")
        names = ("model", "task", "calls", "lost", "tokens in", "tokens out", "cost", "median s", "95% within s")
        yield table(names, map(_row, material.spent), first="anywhere", long=("task",))
        unpriced = sum(one.unpriced for one in material.spent)
        if unpriced:
            yield f"{counted(unpriced, 'answer')} of unknown cost, not in the sums."


def _row(one: Spent) -> tuple[str, ...]:
    name = one_line(one.judge) + (f" ({given(one.model)})" if one.model != one.judge else "")
    counts = numbers(one.calls, one.requests_lost, one.prompt_tokens, one.completion_tokens)
    cost = "not known" if one.cost is None else half_up(one.cost, 4)
    return name, in_words(one.task), *counts, cost, *map(_seconds, (one.latency_median_ms, one.latency_p95_ms))


def _seconds(ms: int | None) -> str:
    return "" if ms is None else half_up(ms / 1000, 1)
