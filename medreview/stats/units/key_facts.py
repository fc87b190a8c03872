"""What only key facts have: scores of systems, the panel, one person beside the judges, themes of what is missing."""

import sqlite3
from dataclasses import dataclass, fields

from medreview.stats.facts.fact_report import FactFigures, FactReport, fact_report
from medreview.stats.facts.fact_themes import Themes
from medreview.stats.formulas.bootstrap import DEFAULT, Resampling


@dataclass(frozen=True)
class ThemeCount:
    """A theme and how many facts are in it."""

    title: str
    about: str
    facts: int


@dataclass(frozen=True)
class SystemThemes:
    """The themes of one system, the largest first; ``by``: the model that made them, ``""`` for the rules.

    ``dropped``: themes of one fact only, ``alone``: failures that are in none.
    """

    system: str
    by: str
    themes: tuple[ThemeCount, ...]
    dropped: int
    alone: int


@dataclass(frozen=True)
class KeyFactFigures:
    """``figures``: scores of systems by the jury and by the panel, and judges beside it. Which votes a fact got is not
    told here: that is for who has decided."""

    figures: FactFigures
    themes: tuple[SystemThemes, ...]


def key_fact_figures(reader: sqlite3.Connection, resampling: Resampling = DEFAULT) -> KeyFactFigures | None:
    """By the study's tie rule; ``None`` where no response is held against a key fact."""
    report = fact_report(reader, resampling=resampling)
    return summary_of(report) if report.held else None


def summary_of(report: FactReport) -> KeyFactFigures:
    """A report without its texts and votes."""
    figures = FactFigures(**{field.name: getattr(report, field.name) for field in fields(FactFigures)})
    return KeyFactFigures(figures, tuple(map(_themes, report.themes)))


def _themes(found: Themes) -> SystemThemes:
    counts = tuple(ThemeCount(theme.title, theme.about, len(theme.facts)) for theme in found.themes)
    return SystemThemes(found.system, found.by, counts, found.dropped, found.alone)
