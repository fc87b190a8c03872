"""Every plot of a report, drawn by matplotlib as SVG: intervals, points, bars, tables of counts, what becomes of items.

A plot has a title, and a description of what it shows for who does not see it; every number in it stands in a table or
a CSV file as well. No two things in it differ by colour alone.
"""

from medreview.cli.reports.plots.bars import stacked_bars as stacked_bars
from medreview.cli.reports.plots.canvas import Drawing as Drawing
from medreview.cli.reports.plots.flow import Step as Step
from medreview.cli.reports.plots.flow import flow as flow
from medreview.cli.reports.plots.forest import Interval as Interval
from medreview.cli.reports.plots.forest import forest as forest
from medreview.cli.reports.plots.intervals import Marked as Marked
from medreview.cli.reports.plots.intervals import intervals as intervals
from medreview.cli.reports.plots.matrix import matrix as matrix
from medreview.cli.reports.plots.scatter import Point as Point
from medreview.cli.reports.plots.scatter import scatter as scatter
