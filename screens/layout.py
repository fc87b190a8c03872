"""Where the parts of the review screen lie, for a size of the terminal and what is to be shown."""

from collections.abc import Callable, Mapping
from typing import Final, Literal, NamedTuple

from textual.geometry import NULL_OFFSET, NULL_SPACING, Region, Size
from textual.layout import ArrangeResult, Layout, WidgetPlacement
from textual.widget import Widget

Shape = Literal["one", "two", "three"]

TWO_FROM: Final = 100
"""Columns from which response and source stand side by side."""

THREE_FROM: Final = 120
"""Columns from which the queue stands beside them."""

TALL_FROM: Final = 26
"""Rows under which there is one column, however wide the terminal."""

SOURCE_ROWS: Final = 11
"""The source never has fewer rows than this in one column, if the terminal has 24."""

QUEUE_COLUMNS: Final = 34
"""Of the queue pane at least, unless the reviewer makes it narrower."""
QUEUE_HEAD_ROWS: Final = 2
FOOT_ROWS: Final = 3
_HEADER_ROWS: Final = 2
_PANES_TOP: Final = 2
_BLOCK_ROWS: Final = 3
_BAR_ROWS: Final = 3
"""Of the bar above the source where it has a pane of its own."""
_STATEMENT_ROWS: Final = 7
_LEAST_SOURCE: Final = 4
"""Rows of the source without which nothing stands above it."""


_LEAST_ACROSS: Final = 3
"""Rows of the source that a card across never takes."""


class Needs(NamedTuple):
    """What the content asks for, in rows: the whole statement, the question, the judges.

    ``response``: in one column, the response stands where the source was (``v``). ``source``: in one column, as many
    rows as the text to read has, if it is so short that the statement can have more of them. ``pinned``: rows for the
    figures that are kept in sight; in one column they stand where a rule was. ``bar``: further rows of the bar above
    the source, which in one column rule and statement give up. ``queue``: columns of the queue pane, where it is shown.
    ``across``: side by side, card, source and judges lie one below the other, as wide as the queue leaves them.
    ``strip``: further rows below that bar, which the source gives up.
    """

    statement: int
    question: int
    judges: int
    response: bool = False
    source: int = SOURCE_ROWS
    pinned: int = 0
    bar: int = 0
    across: bool = False
    queue: int = QUEUE_COLUMNS
    strip: int = 0


class PanePlan(NamedTuple):
    """Regions by part. ``statement_rows`` and ``question_rows`` say how the statement's block is shared out."""

    shape: Shape
    regions: Mapping[str, Region]
    statement_rows: int = 0
    question_rows: int = 0


def shape_of(size: Size) -> Shape:
    """How many columns a terminal of this size has room for."""
    if size.height < TALL_FROM or size.width < TWO_FROM:
        return "one"
    return "three" if size.width >= THREE_FROM else "two"


def arrange(size: Size, needs: Needs) -> PanePlan:
    """The plan for a size and a content."""
    shape = shape_of(size)
    return _one_column(size, needs) if shape == "one" else _panes(size, needs, shape)


def _one_column(size: Size, needs: Needs) -> PanePlan:
    """The block of statement and question keeps its height unless the statement is long: then the rules give way
    first, after them the question, and the source never."""
    fixed = _HEADER_ROWS + needs.pinned + 1 + needs.bar + needs.judges + FOOT_ROWS
    source = max(3, min(SOURCE_ROWS, needs.source))
    free = max(_BLOCK_ROWS, size.height - fixed - (3 if needs.response else source))
    most = _STATEMENT_ROWS + (5 if needs.response else SOURCE_ROWS - source)
    question = needs.question if needs.response else 1
    block = min(max(_BLOCK_ROWS, needs.statement + question), most, free)
    rules = min(2 - needs.pinned, free - block)
    statement = min(needs.statement, block)
    question = min(needs.question, block - statement)
    rows: list[tuple[str, int]] = [
        ("header", _HEADER_ROWS),
        ("pinned", needs.pinned),
        ("rule", 1 if rules and not needs.pinned else 0),
        ("statement", block),
        ("bar", 1 + needs.bar),
        ("response" if needs.response else "source", 0),
        ("judges", needs.judges),
        ("lower", 1 if rules == 2 - needs.pinned else 0),
        ("foot", FOOT_ROWS),
    ]
    rest = max(1, size.height - sum(height for _, height in rows))
    strip = 0 if needs.response or rest - needs.strip < _LEAST_SOURCE else needs.strip
    rest -= strip
    regions, y = {}, 0
    for name, height in rows:
        height = rest if name in ("source", "response") else height + strip if name == "bar" else height
        if height:
            margin = 1 if name in ("source", "response") else 0
            regions[name] = Region(0, y, size.width - margin, height)
        y += height
    return PanePlan("one", regions, statement, question)


def _panes(size: Size, needs: Needs, shape: Shape) -> PanePlan:
    """Side by side: the block of the statement, the response and the judges below each other, and the source; or
    ``across``, all below each other."""
    top, bottom = _PANES_TOP, size.height - FOOT_ROWS - 1
    height = bottom - top
    left = needs.queue if shape == "three" else 0
    x = left + 1 if left else 0
    panel = _panel_rows(height, needs.judges)
    regions = {
        "header": Region(0, 0, size.width, 1),
        "rule": Region(0, 1, size.width, 1),
        "lower": Region(0, bottom, size.width, 1),
        "foot": Region(0, bottom + 1, size.width, FOOT_ROWS),
    }
    if left:
        regions |= {
            "queue-head": Region(0, top, left, QUEUE_HEAD_ROWS),
            "queue": Region(0, top + QUEUE_HEAD_ROWS, left, queue_rows(size)),
            "left": Region(left, top, 1, height),
        }
    if needs.across:
        wide = size.width - x
        block = max(1, min(needs.statement, height - panel - 1 - _LEAST_ACROSS))
        regions |= {
            "statement": Region(x, top, wide, block),
            "bar": Region(x, top + block, wide, 1),
            "source": Region(x, top + block + 1, wide - 1, height - block - 1 - panel),
            "judges": Region(x, bottom - panel, wide, panel),
        }
        return PanePlan(shape, regions, block)
    rest = size.width - left - (2 if left else 1)
    middle = rest // 2 if shape == "two" else rest * 60 // 124
    block = min(needs.statement + needs.question, card_room(size, needs.judges) - needs.pinned)
    bar = _BAR_ROWS + needs.bar
    bar += needs.strip if height - bar - needs.strip >= _LEAST_SOURCE else 0
    regions |= {
        "statement": Region(x, top, middle, block),
        "response": Region(x, top + block, middle - 1, height - block - panel - needs.pinned),
        "judges": Region(x, bottom - panel - needs.pinned, middle, panel),
        "right": Region(x + middle, top, 1, height),
        "bar": Region(x + middle + 1, top, size.width - x - middle - 1, bar),
        "source": Region(x + middle + 1, top + bar, size.width - x - middle - 2, height - bar),
    }
    if needs.pinned:
        regions["pinned"] = Region(x, bottom - needs.pinned, middle, needs.pinned)
    return PanePlan(shape, regions, needs.statement, max(1, block - needs.statement))


def queue_rows(size: Size) -> int:
    """Rows of the queue pane below its heading."""
    return size.height - FOOT_ROWS - 1 - _PANES_TOP - QUEUE_HEAD_ROWS


def source_columns(size: Size) -> int:
    """The columns of the bar above the source."""
    return arrange(size, Needs(0, 0, 0)).regions["bar"].width


def card_room(size: Size, judges: int) -> int:
    """Side by side, rows for the block of the statement when the panel asks for ``judges`` rows."""
    height = size.height - FOOT_ROWS - 3
    return height - _panel_rows(height, judges) - 4


def _panel_rows(height: int, judges: int) -> int:
    return min(judges, max(7, height // 3))


def with_list(plan: PanePlan, size: Size, most: int) -> PanePlan:
    """The same plan with a list of ``most`` rows above the foot, or as many as leave the statement in sight.

    On the lowest terminals the foot, where the line is typed, comes first, then a row of the statement. It has a region
    even if that has no row.
    """
    bottom = max(0, size.height - FOOT_ROWS)
    low = bottom - min(most, max(4, bottom - _HEADER_ROWS - _BLOCK_ROWS - 2))
    top = min(bottom, max(plan.regions["statement"].y + 1, low))
    cut = {name: it._replace(height=max(0, min(it.bottom, top) - it.y)) for name, it in plan.regions.items()}
    regions = {name: region for name, region in cut.items() if region.height or name == "statement"}
    regions |= {"listed": Region(0, top, size.width, bottom - top), "foot": Region(0, bottom, size.width, FOOT_ROWS)}
    return plan._replace(regions=regions)


class PlannedLayout(Layout):
    """Places the children of a screen by its plan for a size; those that are not in it are not drawn."""

    name = "planned"

    def __init__(self, plan_for: Callable[[Size], PanePlan]) -> None:
        self._plan_for = plan_for

    def arrange(self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True) -> ArrangeResult:
        parent.pre_layout(self)
        regions = self._plan_for(size).regions
        return [
            WidgetPlacement(region, NULL_OFFSET, NULL_SPACING, child)
            for child in children
            if (region := regions.get(child.id or "")) is not None
        ]
