"""Every figure, as ``stats --full`` says it, in the same words."""

from dataclasses import replace
from pathlib import Path

from medreview.cli.reports.layout import NextStep
from medreview.cli.reports.page_parts import Section, folded
from medreview.cli.reports.stats import stats_parts
from medreview.cli.reports.study_page.material import Material


def figures_section(material: Material) -> Section:
    """Every figure as a table, with what is left out, why one is undefined, and cautions."""
    # What has a section of its own is not said twice: key facts, and the pace (else conduct is for one's own eyes).
    units = tuple(replace(one, family=None) if one.kind == "fact" else one for one in material.figures.units)
    parts = stats_parts(replace(material.figures, conduct=(), units=units), Path(material.name))
    told = folded(part for part in parts if not isinstance(part, NextStep))
    return Section("figures", "Every figure", tuple(told))
