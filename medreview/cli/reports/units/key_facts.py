"""Key facts in the texts of systems: scores, the panel, costs and themes, without the votes on each fact."""

from collections.abc import Iterator

from medreview.cli.output import counted, given, one_line
from medreview.cli.reports.facts import head_words, panel_parts, score_parts, theme_counts
from medreview.cli.reports.layout import Part, Title, inset
from medreview.cli.reports.tradeoff import trade_off_parts
from medreview.stats.units.key_facts import KeyFactFigures, ThemeCount


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
