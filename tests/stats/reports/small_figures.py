"""The figures of a small study, and the ways to one of them."""

from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.study_figures import study_figures

FAST = Resampling(replicates=199)


def figures_of(small, reviewer=None, resampling=FAST):
    small.roll_up()
    return study_figures(small.study.reader, reviewer, resampling=resampling)


def groups_of(figures, place=0):
    return {(group.mode, group.drawn): group for group in figures.reviewers[place].agreement}


def against(group, name="the judges together", scale="levels"):
    return next(c for c in group.comparisons if (c.second, c.scale) == (name, scale))


def values(comparison):
    return {(figure.name, figure.method): figure.value for figure in comparison.agreement}
