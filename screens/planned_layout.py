"""A screen whose parts lie where its plan says."""

from typing import Protocol, cast

from textual.geometry import NULL_OFFSET, NULL_SPACING, Size
from textual.layout import ArrangeResult, Layout, WidgetPlacement
from textual.widget import Widget

from medreview.screens.layout import PanePlan


class HasPlan(Protocol):
    """A screen that knows where its parts lie."""

    def plan_for(self, size: Size) -> PanePlan:
        """Where the parts lie for a size and what is on the screen."""


class PlannedLayout(Layout):
    """Places the children of a screen by its plan; those that are not in it are not drawn."""

    name = "planned"

    def arrange(self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True) -> ArrangeResult:
        parent.pre_layout(self)
        regions = cast(HasPlan, parent).plan_for(size).regions
        return [
            WidgetPlacement(region, NULL_OFFSET, NULL_SPACING, child)
            for child in children
            if (region := regions.get(child.id or "")) is not None
        ]
